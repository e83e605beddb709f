# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Rays against shapes: each against its own distance function, and all together in a simulation."""

import numpy as np
import pytest
from robots import joint, link, mass, tensor, urdf

import inertia_tools as it
from inertia_tools.errors import OptionError, UnknownLinkError
from inertia_tools.sim.rays.ray_scene import RayScene
from inertia_tools.spatial import rotation_from_rpy

pytest.importorskip("warp", reason="warp-lang is not installed")

CUBE = it.load_text(urdf(link("cube", mass(2) + tensor(0.0133, 0.0133, 0.0133), '<box size="0.2 0.2 0.2"/>')))


def tetrahedron():
    corners = np.array([[0.3, 0, -0.2], [-0.2, 0.3, -0.2], [-0.2, -0.3, -0.2], [0, 0, 0.4]])
    return it.Mesh(corners, np.array([0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3]))


SHAPES = {
    "sphere": (lambda b: b.add_shape_sphere(0, radius=0.4), lambda p: np.linalg.norm(p, axis=-1) - 0.4),
    "box": (
        lambda b: b.add_shape_box(0, hx=0.2, hy=0.3, hz=0.4),
        lambda p: (np.abs(p) - [0.2, 0.3, 0.4]).max(axis=-1),
    ),
    "capsule": (
        lambda b: b.add_shape_capsule(0, radius=0.2, half_height=0.3),
        lambda p: (
            np.linalg.norm(p - np.stack([0 * p[..., 0], 0 * p[..., 0], np.clip(p[..., 2], -0.3, 0.3)], -1), axis=-1)
            - 0.2
        ),
    ),
    "cylinder": (
        lambda b: b.add_shape_cylinder(0, radius=0.3, half_height=0.25),
        lambda p: np.maximum(np.hypot(p[..., 0], p[..., 1]) - 0.3, np.abs(p[..., 2]) - 0.25),
    ),
    "cone": (
        lambda b: b.add_shape_cone(0, radius=0.3, half_height=0.4),
        lambda p: np.maximum(np.hypot(p[..., 0], p[..., 1]) - 0.3 * (0.4 - p[..., 2]) / 0.8, -p[..., 2] - 0.4),
    ),
    "ellipsoid": (
        lambda b: b.add_shape_ellipsoid(0, a=0.2, b=0.3, c=0.4),
        lambda p: np.linalg.norm(p / [0.2, 0.3, 0.4], axis=-1) - 1.0,
    ),
    "mesh": (lambda b: b.add_shape_mesh(0, mesh=tetrahedron()), None),
}


def faces_of(mesh):
    corners = mesh.vertices[mesh.indices.reshape(-1, 3)]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    return lambda p: (np.einsum("...i,ki->...k", p, normals) - np.einsum("ki,ki->k", corners[:, 0], normals)).max(-1)


@pytest.mark.parametrize("name", SHAPES)
def test_rays_end_on_the_surface_and_nowhere_before(name):
    add, outside = SHAPES[name]
    outside = outside or faces_of(tetrahedron())
    builder = it.ModelBuilder()
    pose = it.Pose(np.array([0.5, -0.2, 0.1]), rotation_from_rpy([0.4, -0.7, 1.1]))
    builder.add_link(pose, mass=1.0)
    add(builder)
    model = builder.finalize(dtype="float64")
    numbers = np.random.default_rng(1)
    origins = pose.position + numbers.normal(size=(400, 3))
    directions = pose.position + 0.4 * numbers.normal(size=(400, 3)) - origins
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    hits = RayScene(model.collision.shapes, "cpu").cast(model.motion(model.state()), origins, directions, np.inf, ())
    met = np.isfinite(hits.distances)
    assert 60 < met.sum() < 380, "some meet it, some do not"
    assert [label is not None for label in hits.links] == met.tolist()
    back = pose.inverse()
    at = back.transform_points(hits.points[met])
    tolerance = 1e-6 if name == "mesh" else 1e-9
    assert outside(at) == pytest.approx(np.zeros(len(at)), abs=tolerance)
    # Walk along the rays: the side of the surface does not change before its end, which is far away where none is met.
    reach = np.where(met, hits.distances, 10.0)
    walk = origins[:, None] + np.linspace(0.0, 0.999, 200)[:, None] * (reach[:, None, None] * directions[:, None])
    sides = outside(back.transform_points(walk)) > 0.0
    assert (sides == sides[:, :1]).all()
    # Normals lead outside.
    ahead, behind = (back.transform_points(hits.points[met] + sign * 1e-4 * hits.normals[met]) for sign in (1, -1))
    assert (outside(ahead) > 0.0).all()
    assert (outside(behind) < 0.0).mean() > 0.98  # an edge may be nearer
    assert np.linalg.norm(hits.normals[met], axis=1) == pytest.approx(np.ones(met.sum()), abs=1e-6)


def scene():
    entities = [it.Entity("near", CUBE, it.Pose(np.array([1.0, 0.0, 0.1]))), it.Entity("far", CUBE)]
    sim = it.Simulation(entities, dtype="float64")
    sim.set_body_state("far::cube", [2.0, 0.0, 0.1], [0, 0, 0, 1])
    return sim


def test_the_nearest_link_is_met_where_it_is_now():
    sim = scene()
    hits = sim.ray_cast([0, 0, 0.1], [2.0, 0, 0])
    assert (hits.links, hits.distances.tolist()) == (("near::cube",), [pytest.approx(0.9)])
    assert hits.points[0] == pytest.approx([0.9, 0.0, 0.1])
    assert hits.normals[0] == pytest.approx([-1.0, 0.0, 0.0])
    assert sim.ray_cast([0, 0, 0.1], [1, 0, 0], unseen=["near::cube"]).links == ("far::cube",)
    sim.set_body_state("near::cube", [1.0, 3.0, 0.1], [0, 0, 0, 1])
    assert sim.ray_cast([0, 0, 0.1], [1, 0, 0]).distances == pytest.approx([1.9])


def test_many_rays_and_their_reach():
    sim = scene()
    hits = sim.ray_cast([0, 0, 0.1], [[1, 0, 0], [-1, 0, 0], [0, 0, -1], [0, 0, 1]], reach=5.0)
    assert hits.links == ("near::cube", None, "world", None)
    assert hits.distances == pytest.approx([0.9, np.inf, 0.1, np.inf])
    assert np.isnan(hits.points[1]).all()
    assert sim.ray_cast([0, 0, 0.1], [1, 0, 0], reach=0.5).links == (None,)


def test_meshes_and_terrain_are_met():
    heights = it.Heightfield(np.zeros((3, 3)) + 0.25, 3, 3, hx=2.0, hy=2.0)
    robot = it.load_text(
        urdf(link("base", mass(1) + tensor(1, 1, 1)), link("tip", mass(1) + tensor(1, 1, 1)), joint("tip"))
    )
    sim = it.Simulation(robot, ground=heights, pose=it.Pose(np.array([0.0, 0.0, 5.0])))
    assert sim.ray_cast([0.3, 0.4, 1.0], [0, 0, -1]).distances == pytest.approx([0.75], abs=1e-6)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([0, 0], [1, 0, 0]), "origin"),
        (([0, 0, np.nan], [1, 0, 0]), "origin"),
        (([0, 0, 0], [0, 0, 0]), "direction"),
        (([0, 0, 0], [np.inf, 0, 0]), "direction"),
        (([0, 0, 0], [1, 0, 0], -1.0), "reach"),
        (([[0, 0, 0]] * 2, [[1, 0, 0]] * 3), "direction"),
    ],
)
def test_misuse_is_named(arguments, said):
    with pytest.raises(OptionError, match=said):
        scene().ray_cast(*arguments)
    with pytest.raises(UnknownLinkError):
        scene().ray_cast([0, 0, 0], [1, 0, 0], unseen=["cube"])
