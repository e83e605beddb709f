# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""All exceptions that this package raises deliberately, derived from `InertiaToolsError`.

Constructors take facts, build the message from them, and keep them as attributes for callers.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any


class InertiaToolsError(Exception):
    """Base class of all exceptions that this package raises deliberately."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle it by its message and facts, as the arguments of constructors differ from those of exceptions."""
        return _restored, (type(self), self.args, self.__dict__)


def _restored(kind: type[InertiaToolsError], args: tuple[Any, ...], facts: dict[str, Any]) -> InertiaToolsError:
    """Return the exception that was pickled."""
    own = OSError if issubclass(kind, OSError) else Exception
    error: InertiaToolsError = own.__new__(kind, *args)
    error.args = args
    error.__dict__.update(facts)
    return error


class ModelError(InertiaToolsError, ValueError):
    """A robot description, or a request about it, is invalid."""


class ParseError(ModelError):
    """A document cannot be read.

    Attributes:
        reason: The error, and its remedy.
        path: The file, or a name in angle brackets for text without a file.
        line: Line in that file, counted from 1; None if the error concerns no single line.
    """

    def __init__(self, reason: str, path: str, line: int | None = None) -> None:
        self.reason = reason
        self.path = path
        self.line = line
        place = path if line is None else f"{path}:{line}"
        super().__init__(f"{place}: {reason}")


class MissingFileError(ParseError, FileNotFoundError):
    """A document, or a file that it includes, does not exist."""


class UndeclaredArgumentError(ParseError):
    """A xacro file got an argument that neither it nor its included files declare or use.

    Attributes:
        names: The unknown arguments.
        declared: The declared arguments.
    """

    def __init__(self, path: str, names: Iterable[str], declared: Iterable[str]) -> None:
        self.names = tuple(names)
        self.declared = tuple(declared)
        missing = "; ".join(f"{name!r}: {_alternatives(name, self.declared)}" for name in self.names)
        super().__init__(f"no <xacro:arg> has this name: {missing}", path)


class UnknownLinkError(ModelError):
    """A requested link does not exist in the model."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name = name
        self.known = tuple(known)
        super().__init__(f"no link named {name!r}; {_alternatives(name, self.known)}")


class UnknownJointError(ModelError):
    """A requested joint does not exist in the model, or does not support the request."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name = name
        self.known = tuple(known)
        super().__init__(f"no joint named {name!r}; {_alternatives(name, self.known)}")


class MimicJointError(ModelError):
    """A command for a follower joint contradicts its leader."""

    def __init__(self, name: str, leader: str) -> None:
        self.name = name
        self.leader = leader
        super().__init__(f"joint {name!r} follows {leader!r}; command {leader!r} and leave {name!r} out")


class UnknownEntityError(ModelError):
    """A requested entity does not exist in the simulation."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name = name
        self.known = tuple(known)
        super().__init__(f"no entity named {name!r}; {_alternatives(name, self.known)}")


class MeshError(ModelError):
    """A mesh cannot be found, read, or used.

    Attributes:
        uri: The mesh, as the description names it.
        reason: Why it cannot be used.
    """

    def __init__(self, uri: str, reason: str) -> None:
        self.uri = uri
        self.reason = reason
        super().__init__(f"mesh {uri!r}: {reason}")


class MissingMeshError(MeshError, FileNotFoundError):
    """The file of a mesh does not exist."""


class InertiaError(InertiaToolsError):
    """Mass properties cannot be computed or combined as requested."""


LONGEST_VALUE = 200
"""Maximum number of characters of a value in an error message."""


class OptionError(InertiaToolsError, ValueError):
    """The value of an option is not allowed.

    Attributes:
        option: Name of the option.
        value: The given value.
    """

    def __init__(self, option: str, value: object, allowed: str) -> None:
        self.option = option
        self.value = value
        shown = repr(_plain(value))
        shown = shown if len(shown) <= LONGEST_VALUE else f"{shown[:LONGEST_VALUE]}..."
        super().__init__(f"{option} must be {allowed}; it is {shown}")


def _plain(value: object) -> object:
    """Return a NumPy scalar as a Python number, for a readable message; other values unchanged."""
    is_number = hasattr(value, "item") and getattr(value, "shape", None) == ()
    return value.item() if is_number else value  # type: ignore[attr-defined]


class OptionTypeError(OptionError, TypeError):
    """The value of an option has the wrong type."""


class UnknownOptionError(OptionError, TypeError):
    """A given option does not exist."""

    def __init__(self, owner: str, option: str, known: Iterable[str]) -> None:
        self.option = option
        self.known = tuple(known)
        InertiaToolsError.__init__(self, f"{owner} has no option {option!r}; {_alternatives(option, self.known)}")


class UnknownAttributeError(InertiaToolsError, AttributeError):
    """A read or written attribute does not exist."""

    def __init__(self, owner: str, attribute: str, known: Iterable[str]) -> None:
        self.attribute = attribute
        self.known = tuple(known)
        InertiaToolsError.__init__(
            self, f"{owner} has no attribute {attribute!r}; {_alternatives(attribute, self.known)}"
        )


class UnknownFrequencyError(UnknownAttributeError, KeyError):
    """The frequency of an unknown attribute was requested."""

    def __str__(self) -> str:
        return str(self.args[0])


class UndeclaredAttributeError(OptionError, AttributeError):
    """A value was given for an undeclared custom attribute."""

    def __init__(self, key: str, known: Iterable[str]) -> None:
        self.option = "custom_attributes"
        self.value = key
        self.known = tuple(known)
        message = f"there is no custom attribute {key!r}; {_alternatives(key, self.known)}"
        InertiaToolsError.__init__(self, message)


class UnknownWorldError(OptionError, IndexError):
    """A requested world does not exist in the scene."""

    def __init__(self, world: int, count: int) -> None:
        self.count = count
        super().__init__("world", world, f"-1 to {count - 1}")


class MassContradictionError(OptionError):
    """Given masses contradict each other."""

    def __init__(self, entries: Iterable[str]) -> None:
        self.entries = tuple(entries)
        InertiaToolsError.__init__(self, "these masses contradict each other: " + "; ".join(self.entries))


class UndecidedOptionError(InertiaToolsError):
    """A required option is missing, because its value cannot be inferred."""

    def __init__(self, option: str, values: Iterable[str], why: str) -> None:
        self.option = option
        self.values = tuple(values)
        super().__init__(f"give {option}, {' or '.join(self.values)}: {why}")


class MissingOptionError(InertiaToolsError):
    """An option was given without another option that it requires."""

    def __init__(self, option: str, needed: str, why: str) -> None:
        self.option = option
        self.needed = needed
        super().__init__(f"{option} needs {needed}, {why}")


class NothingToRepairError(InertiaToolsError):
    """A requested repair applies to no link."""

    def __init__(self, option: str, why: str) -> None:
        self.option = option
        super().__init__(f"{option} has nothing to act on: {why}")


class WriteError(InertiaToolsError):
    """A file cannot be written as requested."""


class ConversionError(InertiaToolsError):
    """A description cannot be represented in another format.

    Attributes:
        reason: The element that the format lacks, and the remedy.
        path: The file of the element.
        line: Line in that file, counted from 1; None if the error concerns no single line.
    """

    def __init__(self, reason: str, path: str, line: int | None = None) -> None:
        self.reason = reason
        self.path = path
        self.line = line
        super().__init__(f"{path if line is None else f'{path}:{line}'}: {reason}")


class SimulationError(InertiaToolsError, ValueError):
    """A simulation cannot be built, or its state became infinite or NaN."""


class MissingDependencyError(InertiaToolsError):
    """A requested function needs an optional package that is not installed."""

    def __init__(self, package: str, purpose: str, command: str) -> None:
        self.package = package
        super().__init__(f"{purpose} needs the package {package!r}; install it with: {command}")


def _alternatives(name: object, known: tuple[str, ...]) -> str:
    """Return a hint with the most similar known names, or with a few of them if none is similar."""
    if not known:
        return "there are none"
    known = tuple(one for one in known if one)
    if not known:
        return "none of them has a name"
    close = difflib.get_close_matches(name, known, n=3) if isinstance(name, str) else []
    if close:
        return "did you mean " + " or ".join(repr(option) for option in close) + "?"
    shown = ", ".join(known[:8])
    return f"known: {shown}" + (f" and {len(known) - 8} more" if len(known) > 8 else "")
