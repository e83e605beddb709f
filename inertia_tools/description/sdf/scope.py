# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Scopes of names: the world, and each model in it or in another, with the named frames in it.

SDFormat's names are looked up in the model that contains them; `a::b` is looked up in the model a. An include with
`merge` has its own scope, whose names are also known in the enclosing scope.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass, field

from inertia_tools.description.source import Document
from inertia_tools.description.xml import Element
from inertia_tools.errors import ParseError
from inertia_tools.spatial import Pose

ORIGIN = "__model__"
WORLD = "world"
SEPARATOR = "::"

LONGEST_LIST = 8
"""Maximum number of names in a message."""


class FrameKind(enum.Enum):
    """Elements that have a frame."""

    ORIGIN = "origin"
    LINK = "link"
    JOINT = "joint"
    FRAME = "frame"
    MODEL = "model"


@dataclass(eq=False)
class Frame:
    """An element of a scope that has a frame.

    Attributes:
        kind: The kind of element.
        name: Its name in its scope.
        scope: The scope that contains it.
        element: Its element; for an included model, the `<include>` if that states the pose.
        pose: Its frame seen from the one it is relative to.
        relative_to: Name of that frame, looked up in the scope; empty for the default one.
        inner: For a model, the scope that it opens.
        placement: For a model, the name of its frame that has the pose, looked up in `inner`; empty for its origin.
    """

    kind: FrameKind
    name: str
    scope: Scope
    element: Element
    pose: Pose = field(default_factory=Pose)
    relative_to: str = ""
    inner: Scope | None = None
    placement: str = ""


@dataclass(eq=False)
class Scope:
    """A model or the world, as a scope of names.

    Attributes:
        element: The `<model>`, `<world>` or `<sdf>`.
        document: The document that contains it.
        version: Version of SDFormat of that document.
        prefix: Prefix of the names in it when seen from outside: empty, or `model::`.
        is_static: It never moves.
        is_world: It is the world, or its substitute.
        parent: The enclosing scope.
        is_merged: Its names are also those of the enclosing scope.
        holder: Its frame in the enclosing scope; None for the outermost.
        frames: All frames in it, in document order.
        names: Frames by their names in it.
    """

    element: Element
    document: Document
    version: tuple[int, int]
    prefix: str = ""
    is_static: bool = False
    is_world: bool = False
    parent: Scope | None = None
    is_merged: bool = False
    holder: Frame | None = None
    frames: list[Frame] = field(default_factory=list)
    names: dict[str, Frame] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.origin = Frame(FrameKind.ORIGIN, WORLD if self.is_world else ORIGIN, self, self.element)

    def add(self, frame: Frame, *, may_clash: bool) -> None:
        """Add a frame under its name, which enclosing scopes also know if it is merged into them.

        Args:
            frame: The frame.
            may_clash: Files before 1.7 may use a name twice for different kinds; the first one gets it.

        Raises:
            ParseError: The name is in use, or reserved.
        """
        self.frames.append(frame)
        if frame.name in (ORIGIN, WORLD):
            raise frame.element.error(f"{frame.name!r} is a reserved name; choose another")
        scope: Scope | None = self
        while scope is not None:
            other = scope.names.setdefault(frame.name, frame)
            if other is not frame and not (may_clash and other.kind is not frame.kind):
                raise frame.element.error(
                    f"a second {frame.kind.value} is named {frame.name!r} (the first, a {other.kind.value}, "
                    f"is at {other.element.place}); rename one"
                )
            scope = scope.parent if scope.is_merged else None

    def find(self, name: str) -> Frame | None:
        """Return the frame of a name in this scope; None when there is none."""
        scope, rest = self, name
        while True:
            if rest == ORIGIN or (rest == WORLD and scope.is_world):
                return scope.origin
            if rest in scope.names:
                return scope.names[rest]
            step = next(_steps_down(scope, rest), None)
            if step is None:
                return None
            scope, rest = step

    def unknown(self, name: str, at: Element, what: str) -> ParseError:
        """Build the error for an unknown name."""
        known = [*self.names][:LONGEST_LIST]
        more = len(self.names) - len(known)
        listed = ", ".join([*known, self.origin.name]) + (f" and {more} more" if more > 0 else "")
        return at.error(f"{what} names the unknown frame {name!r}; known here: {listed}")


def walk(scope: Scope, *, only_merged: bool = False) -> Iterator[Frame]:
    """Iterate over the frames of a scope and of nested ones, in document order, each model before its content.

    Args:
        scope: Where to begin.
        only_merged: Enter only merged scopes.
    """
    stack = [iter(scope.frames)]
    while stack:
        frame = next(stack[-1], None)
        if frame is None:
            stack.pop()
            continue
        yield frame
        if frame.inner is not None and (frame.inner.is_merged or not only_merged):
            stack.append(iter(frame.inner.frames))


def _steps_down(scope: Scope, name: str) -> Iterator[tuple[Scope, str]]:
    """Split `model::rest` if the scope has that model; a name may contain the separator itself."""
    at = name.find(SEPARATOR)
    while at >= 0:
        model = scope.names.get(name[:at])
        if model is not None and model.inner is not None:
            yield model.inner, name[at + len(SEPARATOR) :]
        at = name.find(SEPARATOR, at + 1)
