# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The `<inertial>` of MJCF."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from inertia_tools.description.link import DeclaredInertial
from inertia_tools.description.mjcf.orientation import ORIENTATIONS, ORIGIN, read_rotation
from inertia_tools.description.mjcf.values import number, numbers
from inertia_tools.description.mjcf_bodies import Compiler
from inertia_tools.description.types import Remark
from inertia_tools.description.xml import Element
from inertia_tools.inertial import tensor_from_six
from inertia_tools.spatial import Array, Pose, are_usable

LEAST_OF_FULL = 1e-14
"""MuJoCo refuses a `fullinertia` with a smaller principal moment, and accepts it in a `diaginertia` [kg m^2]."""

SMALL_MOMENT = "small-fullinertia"
"""Code of findings about a `fullinertia` that MuJoCo refuses."""

FULL_ORDER = (0, 3, 4, 1, 5, 2)
"""Indices of xx xy xz yy yz zz among MJCF's xx yy zz xy xz yz."""


def read_inertial(element: Element, pose_body_frame: Pose, compiler: Compiler) -> DeclaredInertial:
    """Read the stated values; missing parts stay missing, so that a check can name them.

    Args:
        element: The element.
        pose_body_frame: The enclosing frame, seen from the body.
        compiler: The settings.

    Raises:
        ParseError: A value is not a number, or not an orientation.
    """
    tensor = _read_tensor(element)
    has_full = "fullinertia" in element.attributes
    rotation = np.eye(3) if has_full else read_rotation(element, compiler)
    return DeclaredInertial(
        mass=number(element, "mass") if "mass" in element.attributes else None,
        pose_link_inertial=pose_body_frame @ Pose(numbers(element, "pos", 3, ORIGIN), rotation),
        inertia=tensor,
        place=element.place,
        absent=("diaginertia",) if tensor is None else (),
        pose_link_frame=pose_body_frame,
    )


def _read_tensor(element: Element) -> Array | None:
    if "fullinertia" in element.attributes:
        six = numbers(element, "fullinertia", 6)
        return tensor_from_six(six[list(FULL_ORDER)])
    if "diaginertia" in element.attributes:
        return np.diag(numbers(element, "diaginertia", 3))
    return None


def inertial_remarks(element: Element, body: str, compiler: Compiler) -> Iterator[Remark]:
    """Report attributes of an `<inertial>` that MuJoCo refuses."""
    stated = element.attributes
    if "pos" not in stated:
        message = 'the inertial states no pos, so MuJoCo refuses the file; write pos="0 0 0" or the centre of mass'
        yield Remark("error", "missing-origin", body, message, element.place)
    if "mass" not in stated:
        message = "the inertial states no mass, so MuJoCo refuses the file even if geoms have mass; write one"
        yield Remark("error", "missing-mass", body, message, element.place)
    forms = [name for name in ORIENTATIONS if name in stated]
    if "fullinertia" in stated and "diaginertia" in stated:
        message = "the inertial states both diaginertia and fullinertia; keep one"
        yield Remark("error", "two-tensors", body, message, element.place)
    elif "fullinertia" in stated and forms:
        message = f"the inertial states fullinertia, which is in body axes, and {forms[0]}; remove {forms[0]}"
        yield Remark("error", "two-tensors", body, message, element.place)
    if "fullinertia" in stated:
        yield from _small_moment(element, body, compiler)


def _small_moment(element: Element, body: str, compiler: Compiler) -> Iterator[Remark]:
    """Report a `fullinertia` without axes that MuJoCo finds; it does so even where geoms or a bound replace it."""
    tensor = _read_tensor(element)
    if tensor is None or not are_usable(tensor):
        return
    smallest = float(np.linalg.eigvalsh(tensor)[0])
    if smallest >= (-LEAST_OF_FULL if compiler.boundinertia > 0.0 else LEAST_OF_FULL):
        return
    message = (
        f"fullinertia has a principal moment of {smallest:.3g} kg m^2, under the {LEAST_OF_FULL:g} that MuJoCo "
        "requires of it; correct it, or write a small moment as diaginertia with an orientation"
    )
    yield Remark("error", SMALL_MOMENT, body, message, element.place)
