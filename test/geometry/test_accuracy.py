# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A selection of docs/accuracy.md: results that are called exact, against fifty digits and against fractions."""

import numpy as np
import pytest
import trimesh

pytest.importorskip("mpmath", reason="mpmath is not installed")

import exact_references as exact

from inertia_tools.geometry import ellipsoid, primitives, prism
from inertia_tools.geometry.mesh.integrate import integrate_mesh
from inertia_tools.geometry.mesh.triangles import TriangleMesh
from inertia_tools.geometry.mesh.wall import hollow_mesh, thin_mesh
from inertia_tools.geometry.polyhedron import integrate_triangles
from inertia_tools.spatial import rotation_from_rpy

ROUNDING = 3e-15
"""A dozen roundings: closed forms without cancellation do not need more."""

CLAIMED = 1e-12

SHAPES = {
    "sphere": ((0.7,), "sphere", "ball"),
    "box": (((0.3, 0.5, 0.8),), "box", "box"),
    "flat box": (((1.0, 0.01, 0.001),), "box", "box"),
    "cylinder": ((0.4, 1.1), "cylinder", "cylinder"),
    "capsule": ((0.4, 1.1), "capsule", "capsule"),
    "capsule without length": ((0.4, 0.0), "capsule", "capsule"),
    "cone": ((0.4, 1.1), "cone", "cone"),
    "slim cone": ((0.01, 1.0), "cone", "cone"),
    "ellipsoid": (((1.0, 0.7, 0.4),), "ellipsoid", "ellipsoid"),
}
SURFACES = {
    "sphere": exact.sphere,
    "box": exact.box_faces,
    "cylinder": exact.cylinder_surface,
    "capsule": exact.capsule_surface,
    "cone": exact.cone_surface,
}
OUTLINES = [[(0, 0), (1, 0), (1, 0.3), (0.3, 0.4), (0.3, 1), (0, 1.1)], [(0.1, 0.1), (0.2, 0.1), (0.15, 0.22)]]
SIZES = [1e-6, 1.0, 1e3]


def resized(arguments, size):
    return tuple(resized(item, size) if isinstance(item, tuple) else item * size for item in arguments)


def worst(inertial, truth, length=1.0):
    return exact.errors_of(inertial, truth, length).worst


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("shape", SHAPES)
def test_solids(shape, size):
    arguments, ours, theirs = SHAPES[shape]
    scaled = resized(arguments, size)
    assert worst(getattr(primitives, f"solid_{ours}")(*scaled), getattr(exact, theirs)(*scaled), size) < ROUNDING


@pytest.mark.parametrize("thickness", [2e-4, 1e-6])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("shape", SHAPES)
def test_walls(shape, size, thickness):
    arguments, ours, theirs = SHAPES[shape]
    scaled = (*resized(arguments, size), thickness * size)
    truth = getattr(exact, f"{theirs}_wall")(*scaled)
    assert worst(getattr(primitives, f"hollow_{ours}")(*scaled), truth, size) < ROUNDING


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("shape", [name for name, (_, ours, _) in SHAPES.items() if ours in SURFACES])
def test_surfaces(shape, size):
    arguments, ours, _ = SHAPES[shape]
    scaled = resized(arguments, size)
    assert worst(getattr(primitives, f"thin_{ours}")(*scaled), SURFACES[ours](*scaled), size) < ROUNDING


def test_even_walls_of_an_ellipsoid():
    axes = (1.0, 0.8, 0.7)
    shells = exact.EllipsoidShells(axes)
    assert worst(ellipsoid.thin_ellipsoid(axes), shells.surface()) < ROUNDING
    for thickness in (0.3, 1e-6):
        assert worst(ellipsoid.uniform_wall_ellipsoid(axes, thickness), shells.wall(thickness)) < ROUNDING


def test_an_even_wall_of_a_ball_is_the_wall_of_a_ball():
    """The quadrature that ellipsoids are held against, held against a closed form."""
    wall = exact.EllipsoidShells((0.7, 0.7, 0.7)).wall(0.1)
    assert abs(float(wall.volume / exact.ball_wall(0.7, 0.1).volume - 1)) < 1e-20


def test_prisms():
    assert worst(prism.solid_prism(OUTLINES, 0.2), exact.prism(OUTLINES, 0.2)) < ROUNDING
    assert worst(prism.thin_prism(OUTLINES, 0.2), exact.prism_surface(OUTLINES, 0.2)) < ROUNDING
    assert worst(prism.hollow_prism(OUTLINES, 0.2, 0.01), exact.prism_wall(OUTLINES, 0.2, 0.01)) < CLAIMED


def meshes():
    turn = rotation_from_rpy([0.3, -0.5, 1.1])
    made = {
        "ball": trimesh.creation.icosphere(subdivisions=2, radius=0.5),
        "torus": trimesh.creation.torus(0.4, 0.1, major_sections=16, minor_sections=8),
        "plate": trimesh.creation.box((1.0, 0.8, 1e-3)),
    }
    return {
        name: TriangleMesh(np.array(m.vertices) @ turn.T, np.array(m.faces, dtype=np.int64)) for name, m in made.items()
    }


@pytest.mark.parametrize("offset", [0.0, 1.0, 1e4])
@pytest.mark.parametrize("size", [1e-6, 1.0, 100.0])
@pytest.mark.parametrize("name", meshes())
def test_closed_meshes(name, size, offset):
    mesh = meshes()[name]
    part = TriangleMesh(mesh.vertices * size + offset * np.array([0.6, -0.48, 0.64]), mesh.triangles)
    truth = exact.solid_of(part.vertices, part.triangles)
    found = [integrate_triangles(part.vertices, part.triangles, backend) for backend in ("numpy", "warp")]
    integral = integrate_mesh(part)
    assert integral.exact
    assert max(worst(inertial, truth, max(size, offset)) for inertial in [*found, integral.unit]) < CLAIMED


@pytest.mark.parametrize("thickness", [0.1, 1e-3])
def test_wall_of_a_box_as_a_mesh(thickness):
    size = (1.0, 0.7, 0.4)
    made = trimesh.creation.box(size)
    mesh = TriangleMesh(np.array(made.vertices), np.array(made.faces, dtype=np.int64))
    assert worst(hollow_mesh(mesh, thickness).unit, exact.box_wall(size, thickness)) < CLAIMED
    assert worst(thin_mesh(mesh).unit, exact.box_faces(size)) < ROUNDING


def test_fractions_of_a_box_are_its_closed_form():
    """The integral in fractions, held against a box away from the origin."""
    size, offset = (0.5, 0.25, 2.0), (3.0, -1.0, 0.5)
    made = trimesh.creation.box(size)
    found = exact.solid_of(np.array(made.vertices) + offset, np.array(made.faces))
    truth = exact.box(size).shifted(*offset)
    assert np.array_equal(found.second.astype(float), truth.second.astype(float))
    assert np.array_equal(found.com.astype(float), offset)
