# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Writing inertials into an SDFormat document; every byte outside the edited numbers is kept.

In SDFormat numbers are elements, each with its own default, so that single ones may have to be added. Other elements,
such as added mass, densities and comments, are not changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from inertia_tools.description.sdf.inertial import TENSOR_DEFAULTS, written_as
from inertia_tools.description.xml import Element, attribute_spans, parse_xml
from inertia_tools.write.decimals import format_group, format_number, format_tensor
from inertia_tools.write.edit import InertialEdit
from inertia_tools.write.layout import Layout, insert_children, same_numbers
from inertia_tools.write.splice import Splice, apply_splices, elements_at

MARKUP = re.compile(rb"<!--.*?-->|<\?.*?\?>", re.DOTALL)
"""Markup that may occur within a text and is not part of it."""

PIECES = re.compile(rb"[^\s\0](?:[^\0]*[^\s\0])?")
"""The parts of a text between comments, which are replaced by zero bytes."""

UNTURNED = {"euler_rpy": "0 0 0", "quat_xyzw": "0 0 0 1"}
"""No rotation, by the format of a pose."""


def write_inertials(data: bytes, edits: Mapping[int, InertialEdit]) -> bytes:
    """Return the document with the inertials of some links rewritten.

    Args:
        data: The document in UTF-8.
        edits: New numbers by the byte offset of the `<link>` in the document.

    Raises:
        InertiaError: No body can have a tensor.
    """
    if not edits:
        return data
    root = parse_xml(data, "<document>")
    layout = Layout.of(data, root)
    splices: list[Splice] = []
    for element in elements_at(root, edits):
        if element.tag == "link":
            splices.extend(_edit_link(data, element, edits[element.start], layout))
    return apply_splices(data, splices)


def _edit_link(data: bytes, link: Element, edit: InertialEdit, layout: Layout) -> Iterator[Splice]:
    inertial = link.only("inertial")
    six = _six(edit)
    if inertial is None:
        depth = layout.inside(data, link)
        lines = [*_simple_elements(edit), *_tensor_lines(six, layout)]
        yield insert_children(data, link, [_block("inertial", lines, depth, layout)], layout, at_front=True)
        return
    if edit.clear_auto and "auto" in inertial.attributes:
        yield Splice(*attribute_spans(data, inertial)["auto"], b"false")
    missing: list[bytes] = []
    for tag, text in _simple_texts(edit, inertial.only("pose")).items():
        child = inertial.only(tag)
        if child is not None:
            yield from _set_text(data, child, text)
        elif not (tag == "pose" and same_numbers(text, "0 0 0 0 0 0")):
            missing.append(_element(tag, text))
    tensor = inertial.only("inertia")
    if not six:
        pass
    elif tensor is None:
        depth = layout.inside(data, inertial)
        lines = [_element(name, text) for name, text in six.items()]
        missing.append(_block("inertia", lines, depth, layout))
    else:
        yield from _edit_tensor(data, tensor, six, layout)
    if missing:
        yield insert_children(data, inertial, missing, layout)


def _edit_tensor(data: bytes, tensor: Element, six: Mapping[str, str], layout: Layout) -> Iterator[Splice]:
    """Set the numbers that differ; add absent ones, except products whose default of zero is right."""
    missing: list[bytes] = []
    for name, text in six.items():
        child = tensor.only(written_as(tensor, name))
        if child is not None:
            yield from _set_text(data, child, text)
        elif not (TENSOR_DEFAULTS[name] == 0.0 and same_numbers(text, "0")):
            missing.append(_element(name, text))
    if missing:
        yield insert_children(data, tensor, missing, layout)


def _simple_texts(edit: InertialEdit, pose: Element | None) -> dict[str, str]:
    """Return the texts of pose and mass that are to be written."""
    texts: dict[str, str] = {}
    if edit.com is not None:
        format_ = "euler_rpy" if pose is None else pose.attributes.get("rotation_format", "euler_rpy")
        turn = (pose.text.split()[3:] if edit.keeps_axes and pose is not None else []) or [UNTURNED[format_]]
        texts["pose"] = " ".join([*format_group(edit.com, edit.size), *turn])
    if edit.mass is not None:
        texts["mass"] = format_number(edit.mass)
    return texts


def _simple_elements(edit: InertialEdit) -> list[bytes]:
    return [_element(tag, text) for tag, text in _simple_texts(edit, None).items()]


def _six(edit: InertialEdit) -> dict[str, str]:
    """Return the texts of the tensor by name; none if the tensor is kept."""
    if edit.inertia is None:
        return {}
    return dict(zip(TENSOR_DEFAULTS, format_tensor(edit.inertia, is_as_given=edit.is_as_given), strict=True))


def _tensor_lines(six: Mapping[str, str], layout: Layout) -> list[bytes]:
    if not six:
        return []
    inner = [layout.unit + _element(name, text) for name, text in six.items()]
    return [b"<inertia>", *inner, b"</inertia>"]


def _block(tag: str, lines: list[bytes], depth: bytes, layout: Layout) -> bytes:
    """Return an element with one line per child, at the given indentation."""
    name = tag.encode()
    outer = layout.newline + depth
    return b"<" + name + b">" + b"".join(outer + layout.unit + line for line in lines) + outer + b"</" + name + b">"


def _element(tag: str, text: str) -> bytes:
    return f"<{tag}>{text}</{tag}>".encode()


def _set_text(data: bytes, element: Element, text: str) -> Iterator[Splice]:
    """Change the text of an element if its numbers differ; comments and blanks around them are kept."""
    stated = element.text.strip() or ("0 0 0 0 0 0" if element.tag == "pose" else "")
    if same_numbers(stated, text):
        return
    if element.is_self_closing:
        opening = data[element.start : element.end - 2].rstrip()
        closing = f">{text}</{element.tag}>".encode()
        yield Splice(element.start + len(opening), element.end, closing)
        return
    inside = MARKUP.sub(lambda found: b"\0" * len(found[0]), data[element.open_end : element.close_start])
    pieces = [found.span() for found in PIECES.finditer(inside)]
    if not pieces:
        yield Splice(element.open_end, element.open_end, text.encode())
        return
    for number, (start, end) in enumerate(pieces):
        yield Splice(element.open_end + start, element.open_end + end, b"" if number else text.encode())
