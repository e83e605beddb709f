# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Distances of points to shapes: against points sampled on trimesh's surfaces, and by laws of distances."""

import numpy as np
import pytest
import trimesh
import warp as wp

import inertia_tools as it
from inertia_tools.sim.soft.surface_distance import distance_to
from inertia_tools.sim.soft.surfaces import Surfaces, SurfaceScene


@wp.kernel
def measure(surfaces: Surfaces, points: wp.array(dtype=wp.vec3d), found: wp.array(dtype=wp.vec4d)):
    i = wp.tid()
    reach = wp.float64(10.0)
    found[i] = distance_to(surfaces.kind[0], surfaces.size[0], surfaces.mesh[0], points[i], reach)


def distances(builder, points):
    """Return normals and distances of points to the first shape of a builder."""
    scene = SurfaceScene(builder.shapes, 0, 0, str(wp.get_device()))
    found = wp.zeros(len(points), dtype=wp.vec4d)
    wp.launch(measure, dim=len(points), inputs=[scene.data, wp.array(points, dtype=wp.vec3d)], outputs=[found])
    return found.numpy()[:, :3], found.numpy()[:, 3]


def ellipsoid_mesh(a, b, c):
    mesh = trimesh.creation.icosphere(subdivisions=4)
    mesh.apply_scale((a, b, c))
    return mesh


SHAPES = {
    "sphere": (
        lambda b: b.add_shape_sphere(-1, radius=0.4),
        lambda: trimesh.creation.icosphere(subdivisions=4, radius=0.4),
    ),
    "box": (lambda b: b.add_shape_box(-1, hx=0.2, hy=0.3, hz=0.5), lambda: trimesh.creation.box((0.4, 0.6, 1.0))),
    "capsule": (
        lambda b: b.add_shape_capsule(-1, radius=0.2, half_height=0.3),
        lambda: trimesh.creation.capsule(height=0.6, radius=0.2, count=[48, 48]),
    ),
    "cylinder": (
        lambda b: b.add_shape_cylinder(-1, radius=0.3, half_height=0.2),
        lambda: trimesh.creation.cylinder(radius=0.3, height=0.4, sections=128),
    ),
    "cone": (
        lambda b: b.add_shape_cone(-1, radius=0.3, half_height=0.2),
        lambda: trimesh.creation.cone(radius=0.3, height=0.4, sections=128).apply_translation((0, 0, -0.2)),
    ),
    "ellipsoid": (lambda b: b.add_shape_ellipsoid(-1, a=0.2, b=0.3, c=0.5), lambda: ellipsoid_mesh(0.2, 0.3, 0.5)),
    "mesh": (
        lambda b: b.add_shape_mesh(-1, mesh=it.Mesh(*torus())),
        lambda: trimesh.Trimesh(*torus(shaped=True)),
    ),
}


def torus(shaped=False):
    mesh = trimesh.creation.torus(0.4, 0.15, major_sections=48, minor_sections=24)
    return (mesh.vertices, mesh.faces) if shaped else (mesh.vertices, mesh.faces.ravel())


def nearest(mesh, points):
    """Return distances of points to triangles, all of them looked at."""
    triangles = mesh.triangles
    found = np.full(len(points), np.inf)
    for place, point in enumerate(points):
        closest = trimesh.triangles.closest_point(triangles, np.tile(point, (len(triangles), 1)))
        found[place] = np.linalg.norm(closest - point, axis=1).min()
    return found


def is_inside(kind, mesh, points):
    if kind == "mesh":
        return np.hypot(np.hypot(points[:, 0], points[:, 1]) - 0.4, points[:, 2]) < 0.15
    sides = np.einsum("fi,pfi->pf", mesh.face_normals, points[:, None] - mesh.triangles[None, :, 0])
    return (sides < 0.0).all(axis=1)


@pytest.mark.parametrize("kind", SHAPES)
def test_distances_and_normals_are_those_of_the_surface(kind):
    add, reference = SHAPES[kind]
    builder = it.ModelBuilder()
    add(builder)
    points = np.random.default_rng(1).uniform(-0.7, 0.7, size=(80, 3))
    normals, found = distances(builder, points)
    mesh = reference()
    expected = nearest(mesh, points) * np.where(is_inside(kind, mesh, points), -1.0, 1.0)
    assert found == pytest.approx(expected, abs=5e-3)
    assert np.linalg.norm(normals, axis=1) == pytest.approx(1.0, abs=1e-12)
    outside = found > 0.0
    on_surface = (points - found[:, None] * normals)[outside]
    assert distances(builder, on_surface)[1] == pytest.approx(0.0, abs=2e-6 if kind == "mesh" else 1e-12)


@pytest.mark.parametrize("axes", [(0.1, 0.3, 1.0), (0.3, 0.3, 0.1), (0.2, 0.2, 0.2)])
def test_points_on_the_axes_of_an_ellipsoid_have_a_distance(axes):
    builder = it.ModelBuilder()
    builder.add_shape_ellipsoid(-1, a=axes[0], b=axes[1], c=axes[2])
    points = np.concatenate([2.0 * np.diag(axes), -1.5 * np.diag(axes)])
    _, found = distances(builder, points)
    assert found == pytest.approx(np.concatenate([axes, 0.5 * np.array(axes)]), abs=1e-12)


def test_an_endless_plane_has_its_height_as_distance():
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    _, found = distances(builder, np.array([[5.0, -3.0, 0.25], [0.0, 0.0, -0.5]]))
    assert found == pytest.approx([0.25, -0.5])
