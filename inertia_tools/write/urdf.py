# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Writing inertials into a URDF; every byte outside the edited elements is kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inertia_tools.description.urdf import TENSOR_ATTRIBUTES
from inertia_tools.description.urdf_origin import ORIGIN, QUATERNION, has_quaternions
from inertia_tools.description.xml import Element, attribute_spans, parse_xml
from inertia_tools.write.decimals import format_group, format_number, format_tensor
from inertia_tools.write.edit import InertialEdit as InertialEdit
from inertia_tools.write.layout import Layout, insert_children, same_numbers
from inertia_tools.write.splice import Splice, apply_splices

NO_ROTATION = "0 0 0 1"
"""The quaternion of no rotation."""


def write_inertials(data: bytes, edits: Mapping[str, InertialEdit]) -> bytes:
    """Return the URDF with the inertials of some links rewritten.

    Args:
        data: The document in UTF-8.
        edits: New numbers by link name.

    Raises:
        InertiaError: No body can have a tensor.
    """
    if not edits:
        return data
    root = parse_xml(data, "<document>")
    layout = Layout.of(data, root)
    with_quaternions = has_quaternions(root)
    splices = [
        splice
        for link in root.all("link")
        if link.attributes.get("name") in edits
        for splice in _edit_link(data, link, edits[link.attributes["name"]], layout, with_quaternions)
    ]
    return apply_splices(data, splices)


def _edit_link(
    data: bytes, link: Element, edit: InertialEdit, layout: Layout, with_quaternions: bool
) -> Iterator[Splice]:
    inertial = link.only("inertial")
    if inertial is None:
        yield insert_children(data, link, [_new_inertial(data, link, edit, layout)], layout, at_front=True)
        return
    missing: list[bytes] = []
    for tag, attributes in _wanted(edit).items():
        child = inertial.only(tag)
        if child is None:
            if not (tag == "origin" and attributes["xyz"] == "0 0 0"):
                missing.append(_tag(tag, attributes))
        else:
            is_turned = with_quaternions and QUATERNION in child.attributes
            yield from _set_attributes(data, child, _with_quaternion(attributes) if is_turned else attributes)
    if missing:
        yield insert_children(data, inertial, missing, layout)


def _wanted(edit: InertialEdit) -> dict[str, dict[str, str]]:
    """Return the children of `<inertial>` to write, with their attributes."""
    wanted: dict[str, dict[str, str]] = {}
    if edit.com is not None:
        axes = {} if edit.keeps_axes else {"rpy": "0 0 0"}
        wanted["origin"] = {"xyz": " ".join(format_group(edit.com, edit.size)), **axes}
    if edit.mass is not None:
        wanted["mass"] = {"value": format_number(edit.mass)}
    if edit.inertia is not None:
        six = format_tensor(edit.inertia, is_as_given=edit.is_as_given)
        wanted["inertia"] = dict(zip(TENSOR_ATTRIBUTES, six, strict=True))
    return wanted


def _with_quaternion(origin: Mapping[str, str]) -> dict[str, str]:
    """Return the attributes of an origin with its rotation, which is none, as a quaternion."""
    return {QUATERNION if name == "rpy" else name: NO_ROTATION if name == "rpy" else origin[name] for name in origin}


def _set_attributes(data: bytes, element: Element, attributes: Mapping[str, str]) -> Iterator[Splice]:
    """Change attributes whose number differs; add absent ones, unless their value is the default."""
    spans = attribute_spans(data, element)
    added = b""
    for name, value in attributes.items():
        if name in spans:
            if not same_numbers(element.attributes[name], value):
                yield Splice(*spans[name], value.encode())
        elif not (element.tag == "origin" and same_numbers(" ".join(map(str, ORIGIN)), value)):
            added += f' {name}="{value}"'.encode()
    if added:
        end = element.open_end - (2 if element.is_self_closing else 1)
        space = len(data[:end]) - len(data[:end].rstrip())
        yield Splice(end - space, end - space, added)


def _new_inertial(data: bytes, link: Element, edit: InertialEdit, layout: Layout) -> bytes:
    outer = layout.newline + layout.inside(data, link)
    children = [outer + layout.unit + _tag(tag, attributes) for tag, attributes in _wanted(edit).items()]
    return b"<inertial>" + b"".join(children) + outer + b"</inertial>"


def _tag(name: str, attributes: Mapping[str, str]) -> bytes:
    listed = "".join(f' {key}="{value}"' for key, value in attributes.items())
    return f"<{name}{listed}/>".encode()
