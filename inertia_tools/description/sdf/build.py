# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""From elements to scopes: the models of a document, their includes, and the frames in them."""

from __future__ import annotations

from dataclasses import dataclass

from inertia_tools.description.circle import circle_of, circle_text
from inertia_tools.description.sdf.include import Library, version_of
from inertia_tools.description.sdf.scope import SEPARATOR, Frame, FrameKind, Scope
from inertia_tools.description.sdf.values import frame_pose_of, text_in, truth_in, truth_of
from inertia_tools.description.source import Document
from inertia_tools.description.types import MISSING_INCLUDE, Remark
from inertia_tools.description.xml import Element

OLDEST, NEWEST = (1, 4), (1, 12)
"""Supported versions of SDFormat; others are read as the nearest one."""

UNIQUE_NAMES = (1, 7)
"""The first version in which names are unique within a model."""

IGNORED_PARAMS = "ignored-params"

CHANGES = "experimental:params"
"""Modifications by libsdformat of an included model; an experiment, and not part of the format."""

MODELS = ("model", "include")

LONGEST_NAME = 100_000
"""Maximum length of a model's name with those around it; each model stores all, so deep nests cost the square."""

KINDS = {"link": FrameKind.LINK, "joint": FrameKind.JOINT, "frame": FrameKind.FRAME}


@dataclass(frozen=True, eq=False)
class Source:
    """Origin of elements.

    Attributes:
        document: The document.
        version: Its version of SDFormat.
        included: Files being included, the outermost first, so that none includes itself.
    """

    document: Document
    version: tuple[int, int]
    included: tuple[str, ...] = ()


class Builder:
    """Builds the scopes of a document; models wait in a list, so that they may be nested to any depth."""

    def __init__(self) -> None:
        self.remarks: list[Remark] = []
        self._library = Library()
        self._has_one_model = False
        self._waiting: list[tuple[Scope, Source]] = []

    def build(self, root: Element, document: Document) -> Scope:
        """Build the scope of a world, or of a substitute for it around several worlds or the models of a document.

        Raises:
            ParseError: A name is missing, reserved or in use, a value cannot be read, or a link is outside of any
                model.
        """
        source = Source(document, self._version(root), (document.name,))
        stray = next(root.all("link"), None)
        if stray is not None:
            raise stray.error("this <link> is outside a model; move it into a <model>")
        worlds = list(root.all("world"))
        outer = Scope(worlds[0] if len(worlds) == 1 else root, document, source.version, is_world=True)
        self._has_one_model = not worlds and sum(child.tag in MODELS for child in root.children) == 1
        if len(worlds) > 1:
            self._waiting += [(scope, source) for scope in reversed(_parted(worlds, outer))]
        else:
            self._waiting.append((outer, source))
        while self._waiting:
            self._fill(*self._waiting.pop())
        return outer

    def _version(self, root: Element) -> tuple[int, int]:
        version = version_of(root)
        if version is not None and OLDEST <= version <= NEWEST:
            return version
        stated = root.attributes.get("version")
        said = "no version is stated" if stated is None else f"version {stated!r} is not known"
        taken = NEWEST if version is None or version > NEWEST else OLDEST
        message = f"{said}; the file is read as {taken[0]}.{taken[1]}; write a version from 1.4 to 1.12"
        self.remarks.append(Remark("warning", "unknown-version", "", message, root.place))
        return taken

    def _fill(self, scope: Scope, source: Source) -> None:
        for child in scope.element.children:
            if child.tag in KINDS:
                frame = Frame(KINDS[child.tag], child.attribute("name"), scope, child)
                self._place(frame, child.only("pose"), source)
                self._add(frame, source)
            elif child.tag == "model":
                self._open(scope, child, source)
            elif child.tag == "include":
                self._include(scope, child, source)

    def _add(self, frame: Frame, source: Source) -> None:
        frame.scope.add(frame, may_clash=source.version < UNIQUE_NAMES)

    def _place(self, frame: Frame, pose: Element | None, source: Source) -> None:
        """Read the pose of a frame; before 1.7 the attribute frame had the role of relative_to."""
        frame.pose = frame_pose_of(pose)
        if pose is not None:
            older = pose.attributes.get("frame", "") if source.version < UNIQUE_NAMES else ""
            frame.relative_to = pose.attributes.get("relative_to", "") or older

    def _include(self, scope: Scope, include: Element, source: Source) -> None:
        """Open the model that an include names; a missing one is reported and left out."""
        found = self._library.find(include, source.document)
        if isinstance(found, str):
            message = f"the model is omitted: {found}"
            self.remarks.append(Remark("error", MISSING_INCLUDE, "", message, include.place))
            return
        if circle := circle_of(source.included, found.document.name):
            raise include.error(circle_text(circle))
        if found.element is None:
            return
        if (changes := include.only(CHANGES)) is not None:
            message = f"<{CHANGES}> of the include is not supported; the model is read without these changes"
            self.remarks.append(Remark("warning", IGNORED_PARAMS, "", message, changes.place))
        inner = Source(found.document, self._version(found.root), (*source.included, found.document.name))
        self._open(scope, found.element, inner, include, source)

    def _open(
        self,
        scope: Scope,
        element: Element,
        inner_source: Source,
        include: Element | None = None,
        include_source: Source | None = None,
    ) -> None:
        """Add a model to a scope, and to the list of models to fill."""
        outer_source = include_source or inner_source
        merge = include is not None and truth_of(include.attributes.get("merge", ""), include, "merge")
        name = ("" if include is None else text_in(include, "name")) or element.attribute("name")
        frame = Frame(FrameKind.MODEL, f"_merged__{name}__model__" if merge else name, scope, include or element)
        stated = None if include is None else include.only("pose")
        self._place(frame, stated or element.only("pose"), outer_source if stated else inner_source)
        placement = "" if include is None else text_in(include, "placement_frame")
        frame.placement = placement or element.attributes.get("placement_frame", "")
        is_plain = merge or (scope.parent is None and self._has_one_model)
        if len(scope.prefix) + len(name) > LONGEST_NAME:
            raise element.error(f"nested model names exceed {LONGEST_NAME} characters; nest fewer models")
        frame.inner = Scope(
            element=element,
            document=inner_source.document,
            version=inner_source.version,
            prefix=scope.prefix + ("" if is_plain else name + SEPARATOR),
            is_static=scope.is_static or _is_static(element, include),
            parent=scope,
            is_merged=merge,
            holder=frame,
        )
        self._add(frame, outer_source)
        self._waiting.append((frame.inner, inner_source))


def _parted(worlds: list[Element], outer: Scope) -> list[Scope]:
    """Return a scope for each of several worlds, which prefixes the names in it as a model does.

    Raises:
        ParseError: A world has no name, or the name of another one.
    """
    scopes = []
    for element in worlds:
        name = element.attribute("name")
        frame = Frame(FrameKind.MODEL, name, outer, element)
        if outer.names.setdefault(name, frame) is not frame:
            raise element.error(f"a second world is named {name!r}; rename one")
        frame.inner = Scope(
            element,
            outer.document,
            outer.version,
            name + SEPARATOR,
            is_world=True,
            parent=outer,
            holder=frame,
        )
        outer.frames.append(frame)
        scopes.append(frame.inner)
    return scopes


def _is_static(element: Element, include: Element | None) -> bool:
    """Return whether a model is static; its include takes precedence."""
    own = truth_in(element, "static")
    return own if include is None else truth_in(include, "static", own)
