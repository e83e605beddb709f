# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Meshes without a hull, as floors of two triangles: they collide as their triangles, where they stay in place."""

import logging

import numpy as np
import pytest
from scenes import G, Scene

import inertia_tools as it
from inertia_tools.errors import SimulationError
from inertia_tools.spatial import rotation_from_rpy

CORNERS = np.array([[-2.0, -2.0, 0.0], [2.0, -2.0, 0.0], [2.0, 2.0, 0.0], [-2.0, 2.0, 0.0]])
QUAD = it.Mesh(CORNERS, np.array([[0, 1, 2], [0, 2, 3]]))
WEIGHTLESS = it.ShapeConfig(density=0.0)


def mesh_of_heights(heights, half):
    """The triangles of a heightfield, two a cell, as an open mesh."""
    count = len(heights)
    x, y = np.meshgrid(np.linspace(-half, half, count), np.linspace(-half, half, count))
    index = np.arange(count * count).reshape(count, count)
    a, b, c, d = (part.ravel() for part in (index[:-1, :-1], index[:-1, 1:], index[1:, 1:], index[1:, :-1]))
    triangles = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    return it.Mesh(np.stack([x, y, heights], axis=-1).reshape(-1, 3), triangles)


@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 1e-9), ("float32", 1e-7)])
@pytest.mark.parametrize("rpy", [(0.0, 0.0, 0.0), (0.2, -0.1, 0.5)])
def test_a_box_rests_on_a_quad_over_its_seam(rpy, dtype, tolerance):
    """Also on one that slopes: friction holds it."""
    tilt = rotation_from_rpy(rpy)
    builder = it.ModelBuilder()
    builder.add_shape_mesh(-1, it.Pose(rotation=tilt), QUAD, cfg=it.ShapeConfig(mu=0.8))
    body = builder.add_link(xform=it.Pose(tilt @ [0.03, 0.05, 0.1], tilt))
    builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1, cfg=it.ShapeConfig(mu=0.8))
    scene = Scene(builder, dtype).run(1.0)
    assert scene.q[body, :3] == pytest.approx(tilt @ [0.03, 0.05, 0.1], abs=1e-5)
    assert (tilt.T @ scene.q[body, :3])[2] == pytest.approx(0.1, abs=tolerance)
    assert scene.force_on(body, -1) == pytest.approx([0.0, 0.0, G * builder.body_mass[body]], abs=1e-4)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_ball_rolls_over_the_seam_of_a_quad_as_over_a_plane(dtype):
    builder = it.ModelBuilder()
    builder.add_shape_mesh(-1, mesh=QUAD)
    body = builder.add_link(xform=it.Pose(np.array([-1.0, 0.3, 0.1])))
    builder.add_shape_sphere(body, radius=0.1)
    scene = Scene(builder, dtype)
    scene.set_velocity(body, (1.0, 0.0, 0.0), (0.0, 10.0, 0.0))
    scene.run(2.0)
    assert scene.q[body, :3] == pytest.approx([1.0, 0.3, 0.1], abs=1e-9 if dtype == "float64" else 2e-5)
    assert scene.qd[body, :3] == pytest.approx([1.0, 0.0, 0.0], abs=1e-9 if dtype == "float64" else 2e-5)


def test_what_rolls_off_a_quad_falls():
    builder = it.ModelBuilder()
    builder.add_shape_mesh(-1, mesh=QUAD)
    body = builder.add_link(xform=it.Pose(np.array([1.9, 0.3, 0.1])))
    builder.add_shape_sphere(body, radius=0.1)
    scene = Scene(builder)
    scene.set_velocity(body, (1.0, 0.0, 0.0), (0.0, 10.0, 0.0))
    assert scene.run(1.0).q[body, 2] < -1.0


@pytest.mark.parametrize("rough", [0.0, 0.05])
def test_an_open_mesh_is_the_heightfield_of_its_heights(rough):
    """Flat, where it has no hull, and uneven."""
    count, half = 11, 1.0
    heights = rough * np.random.default_rng(3).random((count, count))
    ends = []
    for is_mesh in (True, False):
        builder = it.ModelBuilder()
        if is_mesh:
            builder.add_shape_mesh(-1, mesh=mesh_of_heights(heights, half))
        else:
            builder.add_shape_heightfield(heightfield=it.Heightfield(heights, count, count, half, half))
        body = builder.add_link(xform=it.Pose(np.array([0.23, 0.11, 0.2])))
        builder.add_shape_sphere(body, radius=0.1)
        ends.append(Scene(builder).run(0.5).q)
    assert ends[0] == pytest.approx(ends[1], abs=1e-6)


def tray(**options):
    """A flat mesh on a body."""
    builder = it.ModelBuilder()
    body = builder.add_link(mass=1.0, inertia=np.eye(3), lock_inertia=True, name="tray", **options)
    builder.add_shape_mesh(body, mesh=QUAD, cfg=WEIGHTLESS, label="sheet")
    return builder


def test_a_flat_mesh_that_moves_is_refused_by_name_with_what_to_do():
    with pytest.raises(SimulationError, match=r"'sheet' .* flat.*'tray'.*bounding_box.*has_shape_collision"):
        tray().finalize()
    boxed = tray()
    boxed.approximate_meshes("bounding_box")
    assert boxed.finalize().body_count == 1


def test_a_flat_mesh_on_a_kinematic_body_carries_what_lies_on_it():
    builder = tray(is_kinematic=True)
    body = builder.add_link(xform=it.Pose(np.array([0.1, 0.2, 0.1])))
    builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1)
    scene = Scene(builder)
    scene.set_velocity(0, (0.0, 0.0, 0.5))
    scene.run(1.0)
    assert scene.q[body, :3] == pytest.approx([0.1, 0.2, 0.6], abs=1e-6)


def test_a_flat_mesh_that_begins_to_move_is_refused():
    model = tray(is_kinematic=True).finalize()
    solver = it.SolverXPBD(model)
    model.body_flags.assign(np.array([it.BodyFlags.DYNAMIC], dtype=np.int32))
    with pytest.raises(SimulationError, match="flat"):
        solver.notify_model_changed(it.SolverNotifyFlags.BODY_PROPERTIES)


@pytest.mark.parametrize("approximation", ["convex_hull", "convex_decomposition"])
def test_a_flat_mesh_has_no_hull_anywhere(approximation):
    config = it.ShapeConfig(mesh_approximation=approximation)
    with pytest.raises(SimulationError, match=r"of 'floor' is flat.*bounding_box"):
        it.ModelBuilder().add_shape_mesh(-1, mesh=QUAD, cfg=config, label="floor")


def test_a_flat_mesh_knows_how_far_it_reaches():
    builder = it.ModelBuilder()
    builder.add_shape_mesh(-1, mesh=QUAD)
    assert builder.shape_collision_radius[0] == pytest.approx(np.sqrt(8.0))


MJCF = """<mujoco><asset><mesh name="q" vertex="-2 -2 0 2 -2 0 2 2 0 -2 2 0" face="0 1 2 0 2 3" inertia="shell"/></asset>
<worldbody><geom type="mesh" mesh="q"/><body name="sledge" pos="0.1 0.2 0.1"><freejoint/><geom type="box" size=".1 .1 .1"/>
<inertial pos="0 0 0" mass="1" diaginertia=".01 .01 .01"/><geom name="flag" type="mesh" mesh="q" mass="0"/></body>
</worldbody></mujoco>"""


def test_flat_meshes_of_files_collide_in_the_world_and_are_named_elsewhere(caplog):
    builder = it.ModelBuilder()
    with caplog.at_level(logging.WARNING):
        builder.add_mjcf(MJCF)
    assert "flag' of 'sledge' does not collide" in caplog.text
    scene = Scene(builder).run(1.0)
    assert scene.q[0, 2] == pytest.approx(0.1, abs=1e-6)
    assert scene.force_on(0, -1)[2] == pytest.approx(G, rel=1e-6)
