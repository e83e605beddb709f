# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Writing inertials into a URDF; every byte outside the edited elements stays as it was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from inertia_tools.description.urdf import ORIGIN, TENSOR_ATTRIBUTES
from inertia_tools.description.xml import Element, attribute_spans, parse_xml
from inertia_tools.spatial import Array
from inertia_tools.write.decimals import format_group, format_number, format_tensor
from inertia_tools.write.splice import Splice, apply_splices

DEFAULT_INDENT = b"  "
"""Where the file itself does not show how deep a child is indented."""


@dataclass(frozen=True)
class _Layout:
    """How a document breaks and indents its lines."""

    newline: bytes
    unit: bytes

    @classmethod
    def of(cls, data: bytes, root: Element) -> _Layout:
        """Take the indentation of the root's first child for the step from parent to child."""
        unit = _indent_of(data, root.children[0]) if root.children else b""
        return cls(b"\r\n" if b"\r\n" in data else b"\n", unit or DEFAULT_INDENT)

    def inside(self, data: bytes, parent: Element) -> bytes:
        """Return the indentation of a parent's children."""
        return _indent_of(data, parent.children[0]) if parent.children else _indent_of(data, parent) + self.unit


@dataclass(frozen=True, eq=False)
class InertialEdit:
    """New numbers for the inertial of a link.

    Attributes:
        inertia: New tensor about the centre of mass [kg m^2], shape (3, 3): in link axes when `com` is given, else in
            the axes of the inertial frame that the file declares.
        mass: New mass [kg]; None leaves the mass alone.
        com: New centre of mass seen from the link [m], shape (3,); None leaves the inertial frame alone.
        size: Length that the centre of mass is rounded by [m].
    """

    inertia: Array
    mass: float | None = None
    com: Array | None = None
    size: float = 1.0


def write_inertials(data: bytes, edits: Mapping[str, InertialEdit]) -> bytes:
    """Return the URDF with the inertials of some links rewritten.

    Args:
        data: The document.
        edits: New numbers by link name.

    Raises:
        InertiaError: A tensor is not one that a body can have.
    """
    if not edits:
        return data
    root = parse_xml(data, "<document>")
    layout = _Layout.of(data, root)
    splices = [
        splice
        for link in root.all("link")
        if link.attributes.get("name") in edits
        for splice in _edit_link(data, link, edits[link.attributes["name"]], layout)
    ]
    return apply_splices(data, splices)


def _edit_link(data: bytes, link: Element, edit: InertialEdit, layout: _Layout) -> Iterator[Splice]:
    inertial = link.only("inertial")
    if inertial is None:
        yield _insert_children(data, link, [_new_inertial(data, link, edit, layout)], layout, at_front=True)
        return
    missing: list[bytes] = []
    for tag, attributes in _wanted(edit).items():
        child = inertial.only(tag)
        if child is None:
            if not (tag == "origin" and attributes["xyz"] == "0 0 0"):
                missing.append(_tag(tag, attributes))
        else:
            yield from _set_attributes(data, child, attributes)
    if missing:
        yield _insert_children(data, inertial, missing, layout)


def _wanted(edit: InertialEdit) -> dict[str, dict[str, str]]:
    """Return the children of `<inertial>` to write, with their attributes."""
    wanted: dict[str, dict[str, str]] = {}
    if edit.com is not None:
        wanted["origin"] = {"xyz": " ".join(format_group(edit.com, edit.size)), "rpy": "0 0 0"}
    if edit.mass is not None:
        wanted["mass"] = {"value": format_number(edit.mass)}
    wanted["inertia"] = dict(zip(TENSOR_ATTRIBUTES, format_tensor(edit.inertia), strict=True))
    return wanted


def _set_attributes(data: bytes, element: Element, attributes: Mapping[str, str]) -> Iterator[Splice]:
    """Change attributes whose number differs; add those that are absent, unless they say what the default says."""
    spans = attribute_spans(data, element)
    added = b""
    for name, value in attributes.items():
        if name in spans:
            if not _same_numbers(element.attributes[name], value):
                yield Splice(*spans[name], value.encode())
        elif not (element.tag == "origin" and _same_numbers(" ".join(map(str, ORIGIN)), value)):
            added += f' {name}="{value}"'.encode()
    if added:
        end = element.open_end - (2 if element.is_self_closing else 1)
        space = len(data[:end]) - len(data[:end].rstrip())
        yield Splice(end - space, end - space, added)


def _same_numbers(old: str, new: str) -> bool:
    try:
        return np.array_equal([float(word) for word in old.split()], [float(word) for word in new.split()])
    except ValueError:
        return False


def _new_inertial(data: bytes, link: Element, edit: InertialEdit, layout: _Layout) -> bytes:
    outer = layout.newline + layout.inside(data, link)
    children = [outer + layout.unit + _tag(tag, attributes) for tag, attributes in _wanted(edit).items()]
    return b"<inertial>" + b"".join(children) + outer + b"</inertial>"


def _insert_children(
    data: bytes, parent: Element, texts: list[bytes], layout: _Layout, at_front: bool = False
) -> Splice:
    """Insert elements as the first or last children, each on a line of its own, indented as its siblings are."""
    body = b"".join(layout.newline + layout.inside(data, parent) + text for text in texts)
    if parent.is_self_closing:
        opening = data[parent.start : parent.end - 2].rstrip()
        closing = layout.newline + _indent_of(data, parent) + b"</" + parent.tag.encode() + b">"
        return Splice(parent.start + len(opening), parent.end, b">" + body + closing)
    if parent.children and not at_front:
        return Splice(parent.children[-1].end, parent.children[-1].end, body)
    if not parent.children and not data[parent.open_end : parent.close_start].strip():
        return Splice(parent.open_end, parent.close_start, body + layout.newline + _indent_of(data, parent))
    return Splice(parent.open_end, parent.open_end, body)


def _tag(name: str, attributes: Mapping[str, str]) -> bytes:
    listed = "".join(f' {key}="{value}"' for key, value in attributes.items())
    return f"<{name}{listed}/>".encode()


def _indent_of(data: bytes, element: Element) -> bytes:
    """Return the white space before an element on its line; none when something else stands before it."""
    before = data[data.rfind(b"\n", 0, element.start) + 1 : element.start]
    return before if not before.strip() else b""
