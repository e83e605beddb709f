# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Walls: the outer solid less the inner one, thin walls in the limit, and what is refused."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertia_tools.errors import InertiaError, OptionError
from inertia_tools.geometry import primitives as p
from inertia_tools.geometry.ellipsoid import thin_ellipsoid, uniform_wall_ellipsoid
from inertia_tools.geometry.prism import hollow_prism, solid_prism, thin_prism

sizes = st.floats(0.1, 10.0)
shares = st.floats(0.01, 0.95)
ROUND = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (0.0, 1.0)]
HOLE = [(0.5, 0.25), (1.5, 0.25), (1.5, 0.75), (0.5, 0.75)]


@given(sizes, sizes, sizes, shares)
def test_wall_is_the_solid_less_a_smaller_one(a, b, c, share):
    t = share * 0.5 * min(a, b, c)
    pairs = [
        (p.hollow_sphere(a, t), p.solid_sphere(a) - p.solid_sphere(a - t)),
        (p.hollow_box((a, b, c), t), p.solid_box((a, b, c)) - p.solid_box((a - 2 * t, b - 2 * t, c - 2 * t))),
        (p.hollow_cylinder(a, b, t), p.solid_cylinder(a, b) - p.solid_cylinder(a - t, b - 2 * t)),
        (p.hollow_capsule(a, b, t), p.solid_capsule(a, b) - p.solid_capsule(a - t, b)),
        (p.hollow_ellipsoid((a, b, c), t), p.solid_ellipsoid((a, b, c)) - p.solid_ellipsoid((a - t, b - t, c - t))),
    ]
    for wall, difference in pairs:
        assert wall.isclose(difference, 1e-10)
        assert wall.is_valid()


@given(sizes, sizes, shares)
def test_wall_of_a_cone_is_equally_thick_at_base_and_slope(radius, length, share):
    ball = radius * length / (radius + math.hypot(radius, length))
    t = share * ball
    wall = p.hollow_cone(radius, length, t)
    # The inner cone's base lies t above the outer one, its slope t inside: its apex lies t / sin(half angle) lower.
    sine = radius / math.hypot(radius, length)
    inner_length = length - t - t / sine
    inner = p.solid_cone(radius * inner_length / length, inner_length)
    base = -0.5 * length + t
    assert wall.isclose(p.solid_cone(radius, length) - inner.shift([0, 0, base + 0.5 * inner_length]), 1e-9)


@pytest.mark.parametrize(
    ("hollow", "thin", "area"),
    [
        (lambda t: p.hollow_sphere(0.3, t), p.thin_sphere(0.3), 4 * math.pi * 0.09),
        (lambda t: p.hollow_box((1, 2, 3), t), p.thin_box((1, 2, 3)), 22.0),
        (lambda t: p.hollow_cylinder(0.3, 1.0, t), p.thin_cylinder(0.3, 1.0), 2 * math.pi * 0.3 * 1.3),
        (lambda t: p.hollow_capsule(0.3, 1.0, t), p.thin_capsule(0.3, 1.0), 2 * math.pi * 0.3 + 4 * math.pi * 0.09),
        (lambda t: p.hollow_cone(0.3, 0.4, t), p.thin_cone(0.3, 0.4), math.pi * 0.3 * (0.3 + 0.5)),
        (lambda t: uniform_wall_ellipsoid((1.0, 0.8, 0.6), t), thin_ellipsoid((1.0, 0.8, 0.6)), None),
        (lambda t: hollow_prism([ROUND, HOLE], 3.0, t), thin_prism([ROUND, HOLE], 3.0), 2 * 1.5 + 3 * (6 + 3)),
    ],
)
def test_thin_wall_is_the_limit_of_a_hollow_one(hollow, thin, area):
    thickness = 1e-7
    wall = hollow(thickness)
    assert wall.mass / thickness == pytest.approx(thin.mass, rel=1e-5)
    assert np.allclose(wall.com, thin.com, atol=1e-5)
    assert np.allclose(wall.inertia / thickness, thin.inertia, rtol=1e-5, atol=1e-5 * thin.inertia.max())
    if area is not None:
        assert thin.mass == pytest.approx(area, rel=1e-12)


def test_thin_walls_keep_their_digits():
    """A difference of two solids would lose six of them."""
    thickness = 1e-6
    assert p.hollow_sphere(1.0, thickness).mass == pytest.approx(
        4 * math.pi * thickness * (1 - thickness + thickness**2 / 3), rel=1e-14
    )


def test_uniform_wall_of_a_ball_is_that_of_the_ball():
    assert uniform_wall_ellipsoid((0.5, 0.5, 0.5), 0.2).isclose(p.hollow_sphere(0.5, 0.2), 1e-12)
    assert thin_ellipsoid((0.5, 0.5, 0.5)).isclose(p.thin_sphere(0.5), 1e-12)


def test_uniform_wall_weighs_more_than_one_of_shorter_axes():
    axes = (1.0, 0.5, 0.4)
    assert uniform_wall_ellipsoid(axes, 0.05).mass > p.hollow_ellipsoid(axes, 0.05).mass


@pytest.mark.parametrize("thickness", [0.0, -0.1, math.nan, math.inf, 5.0])
@pytest.mark.parametrize(
    "wall",
    [
        lambda t: p.hollow_sphere(1, t),
        lambda t: p.hollow_box((1, 1, 1), t),
        lambda t: p.hollow_cylinder(1, 1, t),
        lambda t: p.hollow_capsule(1, 1, t),
        lambda t: p.hollow_cone(1, 1, t),
        lambda t: p.hollow_ellipsoid((1, 1, 1), t),
        lambda t: uniform_wall_ellipsoid((1, 1, 1), t),
        lambda t: hollow_prism([ROUND], 1.0, t),
    ],
)
def test_impossible_walls_say_how_much_room_there_is(wall, thickness):
    with pytest.raises(OptionError, match=r"thickness must be finite, more than 0 and less than .*; it is") as caught:
        wall(thickness)
    assert isinstance(caught.value, ValueError)


def test_prism_of_a_rectangle_is_a_box():
    for direction in (1, -1):
        prism = solid_prism([ROUND[::direction]], 3.0)
        assert prism.isclose(p.solid_box((2, 1, 3)).shift([1.0, 0.5, 1.5]), 1e-14)
    for thickness in (0.1, 1e-3, 1e-6, 1e-9):
        box = p.hollow_box((2, 1, 3), thickness).shift([1.0, 0.5, 1.5])
        assert hollow_prism([ROUND], 3.0, thickness).isclose(box, 1e-13)
    assert thin_prism([ROUND], 3.0).isclose(p.thin_box((2, 1, 3)).shift([1.0, 0.5, 1.5]), 1e-13)


@pytest.mark.parametrize("turn", [1, -1])
def test_hole_of_a_prism_is_left_out_whatever_its_direction(turn):
    prism = solid_prism([ROUND, HOLE[::turn]], 3.0)
    whole = p.solid_box((2, 1, 3)).shift([1.0, 0.5, 1.5]) - p.solid_box((1, 0.5, 3)).shift([1.0, 0.5, 1.5])
    assert prism.isclose(whole, 1e-13)


def test_right_triangle_of_the_sdf_probe():
    """Density 1000, corners (0,0), (1,0), (1,1), height 1: 500 kg about (2/3, 1/3, 1/2)."""
    prism = solid_prism([[(0, 0), (1, 0), (1, 1)]], 1.0)
    assert prism.mass == pytest.approx(0.5, rel=1e-15)
    assert np.allclose(prism.com, [2 / 3, 1 / 3, 0.5])
    assert np.allclose(np.diag(prism.inertia) * 1000, [69.4444444444444, 69.4444444444444, 55.5555555555556])
    assert prism.inertia[0, 1] * 1000 == pytest.approx(-13.8888888888889)


@pytest.mark.parametrize(
    ("outlines", "height", "reason"),
    [
        ([], 1.0, "at least one outline"),
        ([[(0, 0), (1, 0)]], 1.0, "three corners"),
        ([[(0, 0), (1, 0), (math.nan, 1)]], 1.0, "finite"),
        ([[(0, 0), (1, 0), (2, 0)]], 1.0, "no area"),
        ([[(0, 0), (1, 1), (1, 0), (0, 1)]], 1.0, "cross"),
        ([ROUND], 0.0, "height"),
        ([ROUND, [(1.5, 0.25), (2.5, 0.25), (2.5, 0.75), (1.5, 0.75)]], 1.0, "cross"),
    ],
)
def test_prisms_that_are_none_say_why(outlines, height, reason):
    with pytest.raises(InertiaError, match=reason):
        solid_prism(outlines, height)


@pytest.mark.parametrize("thickness", [0.126, 0.2, 0.45])
def test_wall_that_meets_that_of_a_hole_is_refused(thickness):
    square, hole = [(0, 0), (1, 0), (1, 1), (0, 1)], [(0.25, 0.25), (0.75, 0.25), (0.75, 0.75), (0.25, 0.75)]
    assert hollow_prism([square, hole], 2.0, 0.12).mass < solid_prism([square, hole], 2.0).mass
    with pytest.raises(InertiaError, match="thicker"):
        hollow_prism([square, hole], 2.0, thickness)


@pytest.mark.parametrize("thickness", [0.06, 0.1, 0.2])
def test_wall_that_fills_a_neck_is_refused(thickness):
    neck = [(0, 0), (1, 0), (1, 0.45), (2, 0.45), (2, 0), (3, 0), (3, 1), (2, 1), (2, 0.55), (1, 0.55), (1, 1), (0, 1)]
    with pytest.raises(InertiaError, match="thicker"):
        hollow_prism([neck], 1.0, thickness)


def test_hole_flush_with_a_corner_is_cut_out_and_a_double_outline_refused():
    square, corner = [(0, 0), (1, 0), (1, 1), (0, 1)], [(0, 0), (0.5, 0), (0.5, 0.5), (0, 0.5)]
    assert solid_prism([square, corner], 2.0).mass == pytest.approx(1.5)
    with pytest.raises(InertiaError, match="overlap"):
        solid_prism([square, square], 2.0)


def test_wall_wider_than_an_arm_of_a_prism_is_refused():
    arm = [(0, 0), (4, 0), (4, 0.2), (1, 0.2), (1, 4), (0, 4)]
    assert hollow_prism([arm], 4.0, 0.09).is_valid()
    with pytest.raises(InertiaError, match="thicker"):
        hollow_prism([arm], 4.0, 0.11)


def test_cone_and_ellipsoid_are_sums_of_their_slices():
    """Discs of a cone, and an ellipsoid as a stretched ball."""
    heights = (np.arange(20000) + 0.5) / 20000 * 0.8
    radii = 0.3 * (1 - heights / 0.8)
    discs = np.pi * radii**2 * 0.8 / 20000
    cone = p.solid_cone(0.3, 0.8)
    com = discs @ heights / discs.sum()
    assert cone.mass == pytest.approx(discs.sum(), rel=1e-7)
    assert cone.com[2] == pytest.approx(com - 0.4, rel=1e-6)
    assert cone.inertia[2, 2] == pytest.approx(discs @ radii**2 / 2, rel=1e-6)
    assert cone.inertia[0, 0] == pytest.approx(discs @ (radii**2 / 4 + (heights - com) ** 2), rel=1e-6)
    assert p.solid_ellipsoid((0.4, 0.4, 0.4)).isclose(p.solid_sphere(0.4), 1e-14)
