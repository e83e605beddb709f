# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Hypothesis strategies that draw robots in URDF, SDFormat and MJCF: links, joints, shapes, inertials valid or not."""

from __future__ import annotations

from hypothesis import strategies as st
from random_models import KINDS, Body, Shape, as_mjcf, as_sdf, as_urdf

WRITTEN_AS = {"urdf": as_urdf, "sdf": as_sdf, "mjcf": as_mjcf}
SOLIDS = ("box", "sphere", "cylinder", "capsule")
HELD_BY_ALL = ("fixed", "revolute", "prismatic")
"""Joints that all three formats have."""

WRONG = ("0", "-1", "nan", "inf", "1e30", "1e-30", "")
"""What stands in the place of a number that a body can have."""

MOST_LINKS = 5
STATIC_SEED = 1
"""A number after which `as_sdf` calls no model static."""


def numbers(low: float, high: float) -> st.SearchStrategy[str]:
    """Draw numbers of four digits within bounds, as text."""
    return st.floats(low, high).map(lambda value: f"{value:.4g}")


places = st.tuples(*[st.floats(-2.0, 2.0).map(lambda value: round(value, 3) + 0.0)] * 3)
"""Points within 2 m [m], to the millimetre."""


@st.composite
def tensors(draw: st.DrawFn) -> tuple[str, ...]:
    """Draw ixx ixy ixz iyy iyz izz that a body has [kg m^2]: moments well within the triangle inequality, small products."""
    scale = 10.0 ** draw(st.integers(-4, 1))
    moments = [scale * draw(st.floats(0.7, 1.0)) for _ in range(3)]
    products = [scale * draw(st.floats(-0.05, 0.05)) for _ in range(3)]
    a, b, c = moments
    d, e, f = products
    return tuple(f"{value:.6g}" for value in (a, d, e, b, f, c))


@st.composite
def wrong_tensors(draw: st.DrawFn) -> tuple[str, ...]:
    """Draw six numbers of which one is not what a body has, or stands as no number."""
    six = list(draw(tensors()))
    six[draw(st.integers(0, 5))] = draw(st.sampled_from(WRONG))
    return tuple(six)


@st.composite
def shapes(draw: st.DrawFn, *, kinds: tuple[str, ...] = (*SOLIDS, "none"), has_wrong: bool = True) -> Shape:
    """Draw a shape; a size in ten is none, unless told otherwise."""
    sizes = numbers(0.05, 0.6)
    if has_wrong and draw(st.integers(0, 9)) == 0:
        sizes = st.sampled_from(WRONG)
    x, y, z = draw(st.tuples(sizes, sizes, sizes))
    return Shape(draw(st.sampled_from(kinds)), (x, y, z), draw(places), draw(st.booleans()), None)


@st.composite
def bodies(draw: st.DrawFn, *, is_valid: bool) -> list[Body]:
    """Draw the links of a robot, each carried by one before it; the first is carried by nothing."""
    made = []
    for number in range(draw(st.integers(1, MOST_LINKS))):
        has_inertial = is_valid or draw(st.booleans())
        mass = numbers(0.01, 100.0) if is_valid else numbers(0.01, 100.0) | st.sampled_from(WRONG)
        six = tensors() if is_valid else tensors() | wrong_tensors()
        made.append(
            Body(
                name=f"link_{number}",
                parent=draw(st.integers(0, number - 1)) if number else None,
                joint=draw(st.sampled_from(HELD_BY_ALL if is_valid else KINDS)),
                mass=draw(mass) if has_inertial else None,
                six=draw(six) if has_inertial else None,
                com=draw(places),
                is_automatic=False if is_valid else draw(st.booleans()),
                shapes=tuple(draw(st.lists(shapes(has_wrong=not is_valid), max_size=2))),
            )
        )
    return made


def descriptions(format_: str, *, is_valid: bool) -> st.SearchStrategy[str]:
    """Draw the text of a robot.

    Args:
        format_: A key of `WRITTEN_AS`.
        is_valid: Give each link an inertial that a body can have, and shapes of usual sizes; else anything.
    """
    return bodies(is_valid=is_valid).map(lambda drawn: WRITTEN_AS[format_](drawn, STATIC_SEED))
