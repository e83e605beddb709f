# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Meshes that collide as their hull, convex parts, box or ball: form, mass, and what is left to see."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.errors import OptionError, SimulationError
from inertia_tools.geometry.primitives import solid_box
from inertia_tools.sim.scene.approximation import METHODS
from inertia_tools.spatial import Pose, rotation_from_rpy

HALF = np.array([1.0, 0.2, 0.1])
TURN = Pose(np.array([0.3, 0.2, 0.1]), rotation_from_rpy((0.4, 0.5, 0.6)))


def bar(pose: Pose | None = None) -> it.ModelBuilder:
    """A body with a bar for a mesh, whose vertices are in its own axes or in those of a pose."""
    mesh = it.Mesh.create_box(*HALF.tolist())
    if pose is not None:
        mesh = it.Mesh(mesh.vertices @ pose.rotation.T + pose.position, mesh.indices)
    builder = it.ModelBuilder()
    builder.add_shape_mesh(builder.add_body(), mesh=mesh, label="bar")
    return builder


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("pose", [None, TURN])
def test_what_a_body_weighs_stays(method: str, pose: Pose | None) -> None:
    builder = bar(pose)
    wanted = solid_box(tuple(2.0 * HALF)).mass * 1000.0
    assert builder.approximate_meshes(method) == {0}
    assert builder.body_mass[0] == pytest.approx(wanted)
    assert builder.finalize().body_mass.numpy()[0] == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize("pose", [None, TURN])
def test_the_box_around_a_box_is_that_box(pose: Pose | None) -> None:
    builder = bar(pose)
    builder.approximate_meshes("bounding_box")
    (shape,) = builder.shapes
    assert shape.kind is it.GeoType.BOX
    np.testing.assert_allclose(sorted(shape.scale), sorted(HALF), rtol=1e-9)
    np.testing.assert_allclose(shape.pose.position, (pose or Pose()).position, atol=1e-9)
    assert np.linalg.det(shape.pose.rotation) == pytest.approx(1.0)


@pytest.mark.parametrize("pose", [None, TURN])
def test_the_ball_reaches_to_the_corners(pose: Pose | None) -> None:
    builder = bar(pose)
    builder.approximate_meshes("bounding_sphere")
    assert builder.shapes[0].scale[0] == pytest.approx(np.linalg.norm(HALF))


def test_scaled_meshes_are_enclosed_as_they_are_scaled() -> None:
    builder = it.ModelBuilder()
    mesh = it.Mesh.create_box(*HALF.tolist())
    builder.add_shape_mesh(builder.add_body(), mesh=mesh, scale=(2.0, 3.0, 4.0))
    builder.approximate_meshes("bounding_box")
    np.testing.assert_allclose(sorted(builder.shapes[0].scale), sorted(HALF * (2.0, 3.0, 4.0)), rtol=1e-9)


def test_what_is_seen_can_stay() -> None:
    builder = bar()
    builder.approximate_meshes("bounding_sphere", keep_visual_shapes=True)
    collider, seen = builder.shapes
    assert collider.config.has_shape_collision and not collider.config.is_visible
    assert seen.kind is it.GeoType.MESH and seen.config.is_visible and not seen.config.has_shape_collision
    assert seen.name == "bar_visual"


def test_only_meshes_that_are_chosen_or_collide_are_changed() -> None:
    builder = bar()
    box = builder.add_shape_box(0, hx=0.1, hy=0.1, hz=0.1)
    seen = builder.add_shape_mesh(
        0, mesh=it.Mesh.create_box(1.0), cfg=it.ModelBuilder.ShapeConfig(density=0.0, has_shape_collision=False)
    )
    assert builder.approximate_meshes() == {0}
    assert builder.shape_type == [it.GeoType.CONVEX_MESH, it.GeoType.BOX, it.GeoType.MESH]
    assert builder.approximate_meshes("bounding_box", [box, seen]) == {seen}
    with pytest.raises(OptionError, match="shape_indices must be from 0 to 2"):
        builder.approximate_meshes("bounding_box", [3])
    with pytest.raises(OptionError, match="method must be one of convex_hull, coacd, bounding_box, bounding_sphere"):
        builder.approximate_meshes("vhacd")


def test_the_box_around_a_flat_mesh_has_a_thickness() -> None:
    builder = it.ModelBuilder()
    corners = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    seen = it.ModelBuilder.ShapeConfig(has_shape_collision=False)
    sheet = it.Mesh(corners, [0, 1, 2, 0, 2, 3], compute_inertia=False)
    index = builder.add_shape_mesh(-1, mesh=sheet, cfg=seen)
    assert builder.approximate_meshes("bounding_box", [index]) == {index}
    thickness, *edges = sorted(builder.shapes[0].scale)
    assert 0.0 < thickness < 1e-5
    np.testing.assert_allclose(edges, [0.5, 0.5])


def test_parts_without_coacd_can_be_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SimulationError, match="pip install coacd"):
        bar().approximate_meshes("coacd", raise_on_failure=True)


def test_a_bar_rests_on_the_box_around_it() -> None:
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    body = builder.add_body(xform=Pose(np.array([0.0, 0.0, 0.1])))
    builder.add_shape_mesh(body, mesh=it.Mesh.create_box(*HALF.tolist()))
    builder.approximate_meshes("bounding_box")
    model = builder.finalize()
    solver, first, second = it.solvers.SolverXPBD(model), model.state(), model.state()
    contacts = model.contacts()
    for _ in range(60):
        solver.step(first, second, None, contacts, 1.0 / 60.0)
        first, second = second, first
    assert first.body_q.numpy()[0, 2] == pytest.approx(0.1, abs=1e-4)
