# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Dry friction acts on joints that close a loop as on others, at dead points too."""

import numpy as np
import pytest
from scenes import Scene

import inertia_tools as it
from inertia_tools.spatial import rotation_from_rpy

FRICTION = 0.2
STEPS = [("float64", 1 / 60, 1), ("float64", 1 / 240, 4), ("float32", 1 / 240, 4)]


@pytest.mark.parametrize(("dtype", "dt", "substeps"), STEPS)
@pytest.mark.parametrize("rubbing", [0, 1])
def test_rotor_on_two_hinges_in_line(rubbing, dtype, dt, substeps):
    """The second hinge closes a loop; it lost 0.2 rad/s of 2."""
    builder = it.ModelBuilder(gravity=(0.0, 0.0, 0.0))
    rotor = builder.add_link(mass=1.0, inertia=0.1 * np.eye(3))
    for hinge in range(2):
        frame = it.Pose(np.array([0.0, 0.0, 0.2 * hinge]))
        friction = FRICTION if hinge == rubbing else 0.0
        builder.add_joint_revolute(
            -1, rotor, axis=(0.0, 0.0, 1.0), parent_xform=frame, child_xform=frame, friction=friction
        )
    scene = Scene(builder, dtype, substeps, dt=dt)
    scene.set_velocity(rotor, (0.0, 0.0, 0.0), (0.0, 0.0, 3.0))
    scene.run(1.0)
    assert scene.qd[rotor, 5] == pytest.approx(1.0, rel=1e-4)
    scene.run(1.0)
    h = dt / substeps
    assert abs(scene.qd[rotor, 5]) < 0.15 * FRICTION * h / 0.1  # what it gains in a substep, in part


def four_bar(frictions):
    """Return a builder with a four-bar linkage of unequal bars in the x-z plane; its last joint closes the loop."""
    builder = it.ModelBuilder()
    crank, coupler, rocker, ground = 0.3, 0.85, 0.6, np.array([0.9, 0.0])
    elbow = crank * np.array([np.cos(1.1), np.sin(1.1)])
    across = ground - elbow
    span = np.linalg.norm(across)
    turn = np.arctan2(across[1], across[0]) + np.arccos((coupler**2 + span**2 - rocker**2) / (2.0 * coupler * span))
    wrist = elbow + coupler * np.array([np.cos(turn), np.sin(turn)])

    def bar(start, end, mass):
        middle, way = (start + end) / 2.0, end - start
        rotation = rotation_from_rpy((0.0, -np.arctan2(way[1], way[0]), 0.0))
        inertia = mass * (way @ way) / 12.0 * np.eye(3)
        return builder.add_link(it.Pose(np.array([middle[0], 0.0, middle[1]]), rotation), mass=mass, inertia=inertia)

    def along(x):
        return it.Pose(np.array([x, 0.0, 0.0]))

    a, b, c = bar(np.zeros(2), elbow, 0.5), bar(elbow, wrist, 1.0), bar(ground, wrist, 0.8)
    ends = [
        (-1, a, along(0.0), along(-crank / 2.0)),
        (a, b, along(crank / 2.0), along(-coupler / 2.0)),
        (-1, c, along(ground[0]), along(-rocker / 2.0)),
        (b, c, along(coupler / 2.0), along(rocker / 2.0)),
    ]
    for (parent, child, of_parent, of_child), friction in zip(ends, frictions, strict=True):
        builder.add_joint_revolute(
            parent, child, axis=(0.0, -1.0, 0.0), parent_xform=of_parent, child_xform=of_child, friction=friction
        )
    return builder


@pytest.mark.parametrize(
    ("dtype", "dt", "substeps", "error"), [("float64", 1 / 60, 1, 0.03), *((*s, 2e-3) for s in STEPS[1:])]
)
@pytest.mark.parametrize("rubbing", range(4))
def test_four_bar_loses_what_friction_takes(rubbing, dtype, dt, substeps, error):
    """The joint that closes the loop turns round at a dead point twice: held there it would stop the linkage."""
    scene = Scene(four_bar(np.where(np.arange(4) == rubbing, FRICTION, 0.0)), dtype, substeps, dt=dt)
    first, lost, before = scene.energy(), 0.0, float(scene.state.joint_q.numpy()[rubbing])
    for _ in range(round(1.0 / dt)):
        scene.run(dt)
        now = float(scene.state.joint_q.numpy()[rubbing])
        lost += FRICTION * abs(now - before)
        before = now
    assert first - scene.energy() == pytest.approx(lost, rel=error)


@pytest.mark.parametrize(("dtype", "dt", "substeps"), STEPS)
@pytest.mark.parametrize("rubbing", range(4))
def test_friction_on_any_joint_holds_a_four_bar(rubbing, dtype, dt, substeps):
    scene = Scene(four_bar(np.where(np.arange(4) == rubbing, 100.0, 0.0)), dtype, substeps, dt=dt)
    before = scene.q
    scene.run(1.0)
    assert np.abs(scene.q - before).max() < (1e-6 if dtype == "float64" else 1e-5)
