# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Everything this package raises on purpose: one tree, rooted in `InertiaToolsError`.

Constructors take facts, build the message, and keep the facts as attributes so that a caller can act on them.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class InertiaToolsError(Exception):
    """Root of the tree: catch this to catch everything raised on purpose."""


class ModelError(InertiaToolsError, ValueError):
    """A robot description cannot be used as it stands."""


class ParseError(ModelError):
    """A document cannot be read.

    Attributes:
        reason: What is wrong and what to do about it.
        path: The file, or a name in angle brackets for text that came from elsewhere.
        line: Line in that file, counted from 1; None when no single line is to blame.
    """

    def __init__(self, reason: str, path: str, line: int | None = None) -> None:
        self.reason = reason
        self.path = path
        self.line = line
        place = path if line is None else f"{path}:{line}"
        super().__init__(f"{place}: {reason}")


class MissingFileError(ParseError, FileNotFoundError):
    """A document, or a file that one is made of, is not there."""


class UndeclaredArgumentError(ParseError):
    """A xacro is given a value for an argument that it and what it includes neither declare nor use.

    Attributes:
        names: The arguments.
        declared: Those that there are.
    """

    def __init__(self, path: str, names: Iterable[str], declared: Iterable[str]) -> None:
        self.names = tuple(names)
        self.declared = tuple(declared)
        missing = "; ".join(f"{name!r}: {_alternatives(name, self.declared)}" for name in self.names)
        super().__init__(f"no <xacro:arg> has this name: {missing}", path)


class UnknownLinkError(ModelError):
    """A link was asked for that the model does not have."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name = name
        self.known = tuple(known)
        super().__init__(f"no link named {name!r}; {_alternatives(name, self.known)}")


class UnknownJointError(ModelError):
    """A joint was asked for that the model does not have."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name = name
        self.known = tuple(known)
        super().__init__(f"no joint named {name!r}; {_alternatives(name, self.known)}")


class MimicJointError(ModelError):
    """A joint was told to do something else than follow the one that leads it."""

    def __init__(self, name: str, leader: str) -> None:
        self.name = name
        self.leader = leader
        super().__init__(f"joint {name!r} follows {leader!r}; command {leader!r} and leave {name!r} out")


class UnknownEntityError(ModelError):
    """An entity was asked for that the simulation does not have."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name = name
        self.known = tuple(known)
        super().__init__(f"no entity named {name!r}; {_alternatives(name, self.known)}")


class MeshError(ModelError):
    """A mesh cannot be found, read, or used.

    Attributes:
        uri: The mesh as the description names it.
        reason: Why it is of no use.
    """

    def __init__(self, uri: str, reason: str) -> None:
        self.uri = uri
        self.reason = reason
        super().__init__(f"mesh {uri!r}: {reason}")


class MissingMeshError(MeshError, FileNotFoundError):
    """The file of a mesh is not there."""


class InertiaError(InertiaToolsError):
    """Mass properties cannot be computed or combined as asked."""


LONGEST_VALUE = 200
"""Characters of a value that an error shows at most."""


class OptionError(InertiaToolsError, ValueError):
    """An option lies outside the values it may have."""

    def __init__(self, option: str, value: object, allowed: str) -> None:
        self.option = option
        self.value = value
        shown = repr(_plain(value))
        shown = shown if len(shown) <= LONGEST_VALUE else f"{shown[:LONGEST_VALUE]}..."
        super().__init__(f"{option} must be {allowed}; it is {shown}")


def _plain(value: object) -> object:
    """Return a number of NumPy's as one of Python's, which reads as it was written."""
    is_number = hasattr(value, "item") and getattr(value, "shape", None) == ()
    return value.item() if is_number else value  # type: ignore[attr-defined]


class OptionTypeError(OptionError, TypeError):
    """An option is of a type that none of its values has."""


class UnknownOptionError(OptionError, TypeError):
    """An option was given that there is not."""

    def __init__(self, owner: str, option: str, known: Iterable[str]) -> None:
        self.option = option
        self.known = tuple(known)
        InertiaToolsError.__init__(self, f"{owner} has no option {option!r}; {_alternatives(option, self.known)}")


class UnknownAttributeError(InertiaToolsError, AttributeError):
    """An attribute was asked for, or written to, that there is not."""

    def __init__(self, owner: str, attribute: str, known: Iterable[str]) -> None:
        self.attribute = attribute
        self.known = tuple(known)
        InertiaToolsError.__init__(
            self, f"{owner} has no attribute {attribute!r}; {_alternatives(attribute, self.known)}"
        )


class UnknownFrequencyError(UnknownAttributeError, KeyError):
    """The frequency of an attribute was asked for that there is not."""

    def __str__(self) -> str:
        return str(self.args[0])


class UndeclaredAttributeError(OptionError, AttributeError):
    """A value was given to a custom attribute that nobody has declared."""

    def __init__(self, key: str, known: Iterable[str]) -> None:
        self.option = "custom_attributes"
        self.value = key
        self.known = tuple(known)
        message = f"there is no custom attribute {key!r}; {_alternatives(key, self.known)}"
        InertiaToolsError.__init__(self, message)


class UnknownWorldError(OptionError, IndexError):
    """A world of a scene was asked for that there is not."""

    def __init__(self, world: int, count: int) -> None:
        self.count = count
        super().__init__("world", world, f"-1 to {count - 1}")


class MassContradictionError(OptionError):
    """What is said of masses cannot hold together."""

    def __init__(self, entries: Iterable[str]) -> None:
        self.entries = tuple(entries)
        InertiaToolsError.__init__(self, "these masses contradict each other: " + "; ".join(self.entries))


class UndecidedOptionError(InertiaToolsError):
    """An option was left out whose value nothing else tells."""

    def __init__(self, option: str, values: Iterable[str], why: str) -> None:
        self.option = option
        self.values = tuple(values)
        super().__init__(f"give {option}, {' or '.join(self.values)}: {why}")


class MissingOptionError(InertiaToolsError):
    """An option was given without another one that it needs."""

    def __init__(self, option: str, needed: str, why: str) -> None:
        self.option = option
        self.needed = needed
        super().__init__(f"{option} needs {needed}, {why}")


class NothingToRepairError(InertiaToolsError):
    """A repair was asked for that no link can take."""

    def __init__(self, option: str, why: str) -> None:
        self.option = option
        super().__init__(f"{option} has nothing to act on: {why}")


class WriteError(InertiaToolsError):
    """A document cannot be written back as asked."""


class ConversionError(InertiaToolsError):
    """A description cannot be said in another format.

    Attributes:
        reason: What has no place there, and what to do about it.
        path: The file it stands in.
        line: Line in that file, counted from 1; None when no single line is to blame.
    """

    def __init__(self, reason: str, path: str, line: int | None = None) -> None:
        self.reason = reason
        self.path = path
        self.line = line
        super().__init__(f"{path if line is None else f'{path}:{line}'}: {reason}")


class SimulationError(InertiaToolsError, ValueError):
    """A simulation cannot be built or has left the realm of finite numbers."""


class MissingDependencyError(InertiaToolsError):
    """An optional package is needed for what was asked."""

    def __init__(self, package: str, purpose: str, command: str) -> None:
        self.package = package
        super().__init__(f"{purpose} needs the package {package!r}; install it with: {command}")


def _alternatives(name: object, known: tuple[str, ...]) -> str:
    """Name the closest known names, or a few of them when none is close."""
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
