# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Writing inertials into an MJCF document; every byte outside the edited attributes is kept.

In MJCF an `<inertial>` is one element with attributes. A diagonal tensor is written as `diaginertia`, any other as
`fullinertia`, which is in body axes and excludes an orientation; if its moments are too small for MuJoCo to find their
axes, as `diaginertia` with `quat`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import numpy as np

from inertia_tools.description.mjcf.inertial import LEAST_OF_FULL
from inertia_tools.description.mjcf.orientation import ORIENTATIONS
from inertia_tools.description.xml import Element, attribute_spans, parse_xml
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import Array
from inertia_tools.write.decimals import format_group, format_number, format_tensor
from inertia_tools.write.edit import InertialEdit
from inertia_tools.write.layout import Layout, insert_children, same_numbers
from inertia_tools.write.splice import Splice, apply_splices, elements_at

FULL_ORDER = (0, 3, 5, 1, 2, 4)
"""Indices of MJCF's xx yy zz xy xz yz among xx xy xz yy yz zz."""

OFF_DIAGONAL = (1, 2, 4)
NAME_BEFORE = re.compile(rb"\s+[^\s=<>/\"']+\s*=\s*[\"']$")
"""The text before the value of an attribute, including the blank that separates it from the previous one."""


def write_inertials(data: bytes, edits: Mapping[int, InertialEdit]) -> bytes:
    """Return the document with the inertials of some bodies rewritten.

    Args:
        data: The document in UTF-8.
        edits: New numbers by the byte offset of the `<inertial>`, or of the `<body>` that has none.

    Raises:
        InertiaError: No body can have a tensor.
    """
    if not edits:
        return data
    root = parse_xml(data, "<document>")
    layout = Layout.of(data, root)
    splices: list[Splice] = []
    for element in elements_at(root, edits):
        if element.tag == "inertial":
            splices.extend(_edit_inertial(data, element, edits[element.start]))
        elif element.tag == "body":
            splices.append(_new_inertial(data, element, edits[element.start], layout))
    return apply_splices(data, splices)


def _new_inertial(data: bytes, body: Element, edit: InertialEdit, layout: Layout) -> Splice:
    assert edit.inertia is not None
    tensor = " ".join(f'{name}="{text}"' for name, text in _tensor_texts(edit.inertia, edit, keeps_full=False).items())
    com = np.zeros(3) if edit.com is None else edit.com
    mass = format_number(0.0 if edit.mass is None else edit.mass)
    text = f'<inertial pos="{_text_of(com, edit)}" mass="{mass}" {tensor}/>'
    return insert_children(data, body, [text.encode()], layout, at_front=True)


def _edit_inertial(data: bytes, inertial: Element, edit: InertialEdit) -> Iterator[Splice]:
    stated = inertial.attributes
    wanted: dict[str, str] = {}
    unwanted: list[str] = []
    if edit.inertia is not None:
        wanted = _tensor_texts(edit.inertia, edit, keeps_full="fullinertia" in stated)
        is_turned = "diaginertia" not in wanted or "quat" in wanted or not (edit.com is None or edit.keeps_axes)
        obsolete = ("diaginertia", "fullinertia", *(ORIENTATIONS if is_turned else ()))
        unwanted = [name for name in obsolete if name not in wanted]
    if edit.com is not None:
        wanted["pos"] = _text_of(edit.com, edit)
    elif "pos" not in stated:
        wanted["pos"] = "0 0 0"
    if edit.mass is not None:
        wanted["mass"] = format_number(edit.mass)
    yield from _set_attributes(data, inertial, wanted, unwanted)


def _tensor_texts(inertia: Array, edit: InertialEdit, *, keeps_full: bool) -> dict[str, str]:
    """Return the names and the values of the attributes for the tensor."""
    six = format_tensor(inertia, is_as_given=edit.is_as_given)
    is_diagonal = all(six[place] == "0" for place in OFF_DIAGONAL)
    principal = Inertial(1.0, inertia=inertia)
    is_small = 0.0 < principal.principal_moments[0] < LEAST_OF_FULL
    if not is_small and (keeps_full or not is_diagonal):
        return {"fullinertia": " ".join(six[place] for place in FULL_ORDER)}
    if is_diagonal:
        return {"diaginertia": _moments_of(six)}
    x, y, z, w = principal.principal_pose.quaternion.tolist()
    moments = format_tensor(np.diag(principal.principal_moments), is_as_given=edit.is_as_given)
    return {"diaginertia": _moments_of(moments), "quat": " ".join(format_group([w, x, y, z], 1.0))}


def _moments_of(six: list[str]) -> str:
    return " ".join(six[place] for place in FULL_ORDER[:3])


def _text_of(com: np.ndarray, edit: InertialEdit) -> str:
    return " ".join(format_group(com, edit.size))


def _set_attributes(data: bytes, element: Element, wanted: Mapping[str, str], unwanted: list[str]) -> Iterator[Splice]:
    """Set attributes whose numbers differ, remove obsolete ones, and add missing ones at the end."""
    spans = attribute_spans(data, element)
    missing = {name: text for name, text in wanted.items() if name not in spans}
    for name in (name for name in unwanted if name in spans):
        start, end = spans[name]
        before = NAME_BEFORE.search(data, element.start, start)
        assert before is not None
        renamed, added = next(iter(missing.items()), ("", ""))
        if renamed.endswith("inertia") and name.endswith("inertia"):
            del missing[renamed]
            quote = data[start - 1 : start].decode()
            blank = before[0][: len(before[0]) - len(before[0].lstrip())]
            yield Splice(before.start(), end + 1, blank + f"{renamed}={quote}{added}{quote}".encode())
        else:
            yield Splice(before.start(), end + 1, b"")
    for name, text in wanted.items():
        if name in spans and not same_numbers(element.attributes[name], text):
            yield Splice(*spans[name], text.encode())
    if missing:
        end = element.open_end - (2 if element.is_self_closing else 1)
        end = len(data[:end].rstrip())
        yield Splice(end, end, "".join(f' {name}="{text}"' for name, text in missing.items()).encode())
