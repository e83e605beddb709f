# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A cone that rolls on its side about its apex: friction of ideal rolling does no work, and the apex stays."""

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.spatial import Pose, rotation_from_quaternion, rotation_from_rpy

RADIUS, HALF = 0.1, 0.1
LEAN = np.arctan2(RADIUS, 2.0 * HALF)  # between axis and side
RATE = 10.0  # about the line of contact [rad/s]
MATERIAL = it.ShapeConfig(mu=1.0)
APEX = np.array([0.0, 0.0, HALF])


def add_ground(builder, kind):
    if kind == "plane":
        builder.add_ground_plane(cfg=MATERIAL)
    elif kind == "box":
        builder.add_shape_box(-1, Pose(np.array([0.0, 0.0, -0.5])), hx=1.0, hy=1.0, hz=0.5, cfg=MATERIAL)
    else:
        at = np.linspace(-1.0, 1.0, 11)
        corners = np.array([[x, y, 0.0] for x in at for y in at])
        first = np.array([11 * i + j for i in range(10) for j in range(10)])
        below, above = [first, first + 11, first + 1], [first + 1, first + 11, first + 12]
        triangles = np.concatenate([np.stack(below, axis=1), np.stack(above, axis=1)])
        builder.add_shape_mesh(-1, mesh=it.Mesh(corners, triangles.ravel()), cfg=MATERIAL)


def lying_cone(kind):
    """Return a cone whose side lies along the negative x-axis of the ground, its apex at the origin, and its body."""
    builder = it.ModelBuilder()
    add_ground(builder, kind)
    turn = rotation_from_rpy((0.0, 0.5 * np.pi + LEAN, 0.0))
    body = builder.add_link(xform=Pose(-turn @ APEX, turn))
    builder.add_shape_cone(body, radius=RADIUS, half_height=HALF, cfg=MATERIAL)
    return builder, body


def apex_and_heading(run, body):
    """Return where the apex is, and the angle of the cone's axis over the ground [rad]."""
    turn = rotation_from_quaternion(run.q[body, 3:])
    return run.q[body, :3] + turn @ APEX, np.arctan2(turn[1, 2], turn[0, 2])


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("dt", "substeps"), [(1 / 60, 1), (1 / 60, 2), (1 / 240, 4), (1 / 240, 20), (1 / 1000, 1)])
@pytest.mark.parametrize("ground", ["plane", "box", "mesh"])
def test_a_cone_that_rolls_about_its_apex_keeps_its_energy(scene, ground, dt, substeps, dtype):
    """The side touches along another line of the cone in each substep, not along that of the start of the step."""
    builder, body = lying_cone(ground)
    run = scene(builder, dtype, substeps, dt=dt)
    resting = run.energy()
    omega = np.array([RATE, 0.0, 0.0])
    com = run.q[body, :3] + rotation_from_quaternion(run.q[body, 3:]) @ run.model.inertials[body].com
    run.set_velocity(body, linear=np.cross(omega, com), angular=omega)
    kinetic, h = run.energy() - resting, dt / substeps
    run.run(0.5)
    apex, heading = apex_and_heading(run, body)
    assert run.energy() - resting == pytest.approx(kinetic, rel=1e-3 + (5.0 * h) ** 2)
    assert np.abs(apex).max() < 1e-4 + 5.0 * h * h
    assert abs(heading) == pytest.approx(0.5 * RATE * np.tan(LEAN), rel=1e-2)
