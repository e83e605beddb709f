# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What the shapes of a link share is that of closed forms, whatever else is in the link, and measured once."""

import math
from itertools import starmap

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.description.source import Place
from inertia_tools.description.types import Box, Capsule, Cone, Cylinder, Ellipsoid, Prism, Shape, Sphere
from inertia_tools.geometry.polyhedron import integrate_triangles
from inertia_tools.geometry.tessellation import hull_surface, shape_surface
from inertia_tools.inertia import overlap
from inertia_tools.inertia.overlap import overlap_of
from inertia_tools.inertia.shape import integrate_primitive
from inertia_tools.spatial import Pose

NOWHERE = Place("", 0)


def at(geometry, x=0.0, y=0.0, z=0.0):
    return Shape(geometry, Pose.from_xyz_rpy((x, y, z), (0.3, 0.2, 0.1)), "", NOWHERE)


def volumes(shapes):
    return [integrate_primitive(shape.geometry).mass for shape in shapes]


def share(*shapes, asked=False):
    found = overlap_of(shapes, volumes(shapes), asked=asked)
    return 0.0 if found is None else found.share


SOLIDS = [
    Box((1.0, 2.0, 3.0)),
    Sphere(0.4),
    Cylinder(0.3, 2.0),
    Cone(0.3, 2.0),
    Capsule(0.3, 2.0),
    Capsule(2.0, 0.3),
    Ellipsoid((0.3, 0.2, 1.0)),
]


@pytest.mark.parametrize("geometry", SOLIDS)
@pytest.mark.parametrize(("surface_of", "tolerance"), [(shape_surface, 2e-3), (hull_surface, 2e-2)])
def test_surfaces_hold_what_shapes_hold(geometry, surface_of, tolerance):
    shape = at(geometry, 1.0, 2.0, 3.0)
    surface = surface_of(shape)
    assert surface.is_closed
    found = integrate_triangles(surface.vertices, surface.triangles)
    exact = integrate_primitive(geometry).transform(shape.pose_link_shape)
    assert found.mass == pytest.approx(exact.mass, rel=tolerance)
    assert found.com == pytest.approx(exact.com, abs=1e-2)
    assert found.inertia / found.mass == pytest.approx(exact.inertia / exact.mass, abs=tolerance)


@pytest.mark.parametrize("geometry", [Sphere(0.0)])
def test_what_is_flat_has_no_surface(geometry):
    assert hull_surface(at(geometry)) is None
    assert shape_surface(at(geometry)) is None


@pytest.mark.parametrize("distance", [0.5, 1.0, 1.5])
def test_balls_share_a_lens(distance):
    lens = math.pi * (2.0 - distance) ** 2 * (distance**2 + 4.0 * distance) / (12.0 * distance)
    assert share(at(Sphere(1.0)), at(Sphere(1.0), distance)) == pytest.approx(lens / (8.0 / 3.0 * math.pi), abs=1e-3)


@pytest.mark.parametrize("geometry", SOLIDS)
def test_a_shape_that_stands_twice_is_half_of_the_sum(geometry):
    assert share(at(geometry), at(geometry)) == pytest.approx(0.5, abs=2e-3)


def test_shapes_apart_and_shapes_that_touch_share_nothing():
    assert share(at(Sphere(1.0)), at(Sphere(1.0), 5.0)) == 0.0
    cubes = [Shape(Box((1.0, 1.0, 1.0)), Pose((x, 0.0, 0.0)), "", NOWHERE) for x in (0.0, 1.0)]
    assert share(*cubes) == 0.0


def test_what_two_share_is_found_among_many_apart():
    """However many triangles the others would have, of which none is looked at."""
    pair = [at(Sphere(1.0)), at(Cylinder(1.0, 2.0), 0.5)]
    others = [at(Ellipsoid((1.0, 0.9, 0.8)), 0.0, 5.0 * number) for number in range(1, 20)]
    assert share(*pair) > 0.1
    assert share(*pair, *others) == pytest.approx(share(*pair) * sum(volumes(pair)) / sum(volumes([*pair, *others])))


def test_links_built_alike_are_measured_once(monkeypatch):
    overlap._excess.cache_clear()
    united = []
    monkeypatch.setattr(overlap, "union", lambda bodies, own=overlap.union: united.append(1) or own(bodies))
    first = share(*starmap(at, [(Sphere(1.25), 0.0), (Sphere(1.25), 0.5)]))
    once = len(united)
    assert [share(at(Sphere(1.25)), at(Sphere(1.25), 0.5)) for _ in range(50)] == [first] * 50
    assert once
    assert len(united) == once
    assert share(at(Sphere(1.25)), at(Sphere(1.25), 0.6)) != first


def test_a_crowd_that_all_meets_is_united_only_for_those_who_ask(monkeypatch):
    """Seven hundred hulls through each other take the library half a minute."""
    monkeypatch.setattr(overlap, "union", lambda _solids: pytest.fail("was united unasked"))
    crowd = [at(Box((1.0, 1.0, 1.0)), x) for x in np.linspace(0.0, 0.1, 202)]
    assert share(*crowd) == 0.0
    asked = []
    monkeypatch.setattr(overlap, "union", lambda solids: asked.append(len(list(solids))))
    share(*crowd, asked=True)
    assert asked == [len(crowd)]


def test_hulls_of_many_triangles_are_united_only_for_those_who_ask(monkeypatch):
    """Each meets two others, so that there are few pairs; thousands of them take the library minutes."""
    monkeypatch.setattr(overlap, "union", lambda _solids: pytest.fail("was united unasked"))
    prism = Prism((((0.0, 0.0), (0.3, 0.0), (0.0, 0.3)),), 0.2)
    row = [at(prism), *(at(Ellipsoid((0.2, 0.3, 0.4)), 0.3 * number) for number in range(60))]
    assert share(*row) == 0.0


@pytest.mark.parametrize("most", [0, 1, 1e9])
def test_pairs_are_counted_up_to_the_most(most):
    low = np.arange(20.0)[:, None] * [0.1, 0.9, 0.5]
    met = overlap._met_boxes(low, low + 1.0, most)
    assert (met is None) == (most < 19)


def test_boxes_that_meet_are_those_of_all_pairs():
    rng = np.random.default_rng(1)
    low = rng.uniform(0.0, 3.0, (60, 3))
    high = low + rng.uniform(0.0, 1.0, (60, 3))
    meets = ((low[:, None] < high[None]) & (low[None] < high[:, None])).all(axis=2)
    assert overlap._met_boxes(low, high).tolist() == (meets.sum(axis=1) - 1).tolist()


def block_with(*shapes: str) -> it.LinkInertial:
    """Integrate a block of SDFormat with other collisions."""
    named = "".join(f'<collision name="c{number}">{text}</collision>' for number, text in enumerate((BLOCK, *shapes)))
    model = f'<sdf version="1.11"><model name="m"><link name="l"><inertial auto="true"/>{named}</link></model></sdf>'
    return it.compute(it.load_text(model), params=it.AutoInertiaParams(overlap="union"))["l"]


BLOCK = "<geometry><box><size>0.4 0.2 0.1</size></box></geometry>"
HOLE = "<density>-1000</density><geometry><sphere><radius>0.05</radius></sphere></geometry>"


def test_a_hole_is_to_overlap_with_what_it_is_in():
    hollow = block_with(HOLE)
    assert {note.code for note in hollow.notes} == {"negative-density"}
    assert hollow.inertial.mass == pytest.approx(8.0 - 4e3 / 3.0 * math.pi * 0.05**3)


def test_solids_beside_a_hole_are_united():
    found = block_with(HOLE, BLOCK)
    [said] = [note.message for note in found.notes if note.code == "overlapping-shapes"]
    assert said.startswith("its 2 shapes overlap by 50.0%")
    assert found.inertial.mass == pytest.approx(block_with(HOLE).inertial.mass)
