# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Light links carry a heavy weight: they swing with it, and are not thrown apart by its tension."""

import numpy as np
import pytest
from scenes import G, Scene

import inertia_tools as it
from inertia_tools.spatial import rotation_from_rpy

MODES = [(1 / 60, 1), (1 / 60, 4), (1 / 60, 10), (1 / 240, 1)]
"""Steps [s], and substeps in one."""

RISE = 0.01
"""Most that energy may rise, over that of the weight's fall by the length of what carries it."""


def chain(kind, weight, angles, length=0.2, mass=1.0):
    """Links one below the other, each turned by its angle about y, and a weight as the last; its fall's energy."""
    builder, parent, place, before = it.ModelBuilder(), -1, np.zeros(3), np.eye(3)
    for index, angle in enumerate(angles):
        turn = rotation_from_rpy((0, angle, 0))
        m = weight if index == len(angles) - 1 else mass
        inertia = m * length**2 * np.diag([1 / 11, 1 / 11, 1 / 100])
        link = builder.add_link(it.Pose(place, turn), mass=m, com=(0, 0, -0.5 * length), inertia=inertia)
        at = it.Pose(np.zeros(3), turn) if parent < 0 else it.Pose(np.array([0, 0, -length]), before.T @ turn)
        if kind == "ball":
            builder.add_joint_ball(parent, link, at)
        else:
            builder.add_joint_revolute(parent, link, at, axis=(0, 1, 0))
        parent, place, before = link, place + turn @ [0, 0, -length], turn
    return builder, weight * G * length * len(angles)


def arm(weight):
    """A limp arm with six hinges, bent, that holds a box."""
    joints = [(3.7, 0.09, "z", 0.3), (8.4, 0.425, "y", 0.8), (2.3, 0.39, "y", 0.9), (1.2, 0.11, "y", -0.5)]
    joints += [(1.2, 0.095, "z", 0.3), (0.19, 0.08, "y", 0.4)]
    builder, parent, place, turn, below = it.ModelBuilder(), -1, np.zeros(3), np.eye(3), 0.0
    for mass, length, axis, angle in joints:
        about = np.array([0.0, axis == "y", axis == "z"])
        turn = turn @ rotation_from_rpy(angle * about)
        across = mass * (length**2 / 12 + 1.2e-3)
        link = builder.add_link(
            it.Pose(place, turn), mass=mass, com=(0, 0, -0.5 * length), inertia=np.diag([across, across, 1.5e-3 * mass])
        )
        builder.add_joint_revolute(parent, link, it.Pose(np.array([0, 0, -below])), axis=about)
        parent, place, below = link, place + turn @ [0, 0, -length], length
    box = builder.add_link(it.Pose(place, turn), mass=weight, com=(0, 0, -0.12), inertia=0.01 * weight * np.eye(3))
    builder.add_joint_fixed(parent, box, it.Pose(np.array([0, 0, -below])))
    return builder, weight * G * 1.2


def rise(built, dt, substeps, dtype="float64", seconds=1.0):
    """How far the energy goes over that of the start."""
    builder, scale = built
    scene = Scene(builder, dtype=dtype, dt=dt, substeps=substeps)
    start, most = scene.energy(), 0.0
    for _ in range(round(seconds / dt)):
        most = np.maximum(most, (scene.run(dt).energy() - start) / scale)
    return most


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("kind", ["hinge", "ball"])
@pytest.mark.parametrize(("dt", "substeps"), MODES)
def test_a_straight_chain_swings_with_any_weight(kind, dtype, dt, substeps):
    for weight in (10.0, 100.0, 1e3, 1e4):
        assert rise(chain(kind, weight, 6 * [0.3]), dt, substeps, dtype) < RISE


@pytest.mark.sweep
@pytest.mark.parametrize("count", [20, 50])
@pytest.mark.parametrize(("dt", "substeps"), MODES)
def test_a_rope_holds_a_weight(count, dt, substeps):
    for weight in (1.0, 100.0):
        assert rise(chain("ball", weight, (count + 1) * [0.3], 1.0 / count, 0.01), dt, substeps) < RISE


@pytest.mark.sweep
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(("dt", "substeps"), MODES)
def test_a_kinked_rope_pulls_straight(seed, dt, substeps):
    angles = 0.3 + np.random.default_rng(seed).uniform(-0.6, 0.6, 21)
    for weight in (1.0, 10.0):
        assert rise(chain("hinge", weight, angles, 0.05, 0.01), dt, substeps) < RISE


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("dt", "substeps"), MODES)
def test_a_limp_arm_swings_with_a_tonne(dtype, dt, substeps):
    assert rise(arm(1000.0), dt, substeps, dtype, seconds=2.0) < RISE


@pytest.mark.parametrize("weight", [1e3, 1e4])
def test_a_heavy_weight_on_light_links_is_a_pendulum(weight):
    """Its course, and what is left of its swing after 4 s, are those of short substeps."""
    angles = 6 * [0.3]
    scene, exact = (
        Scene(chain("hinge", weight, angles)[0], dt=1 / 60, substeps=substeps).run(4.0) for substeps in (1, 200)
    )
    assert scene.q[-1, :3] == pytest.approx(exact.q[-1, :3], abs=0.02)
    assert scene.energy() == pytest.approx(exact.energy(), abs=0.01 * weight * G * 1.2 * (1 - np.cos(0.3)))


def test_a_link_between_weights_keeps_the_torque_of_its_drive():
    """A light link that carries a tonne is turned about its axis by an effort as one that carries nothing."""
    angles = []
    for weight in (0.0, 1000.0):
        builder = it.ModelBuilder()
        link = builder.add_link(mass=1.0, com=(0, 0, -0.1), inertia=np.diag([0.01, 0.01, 0.001]))
        builder.add_joint_revolute(-1, link, axis=(0, 0, 1))
        if weight > 0.0:
            load = builder.add_link(
                it.Pose(np.array([0.0, 0.0, -0.2])), mass=weight, com=(0, 0, -0.1), inertia=np.eye(3) * weight
            )
            builder.add_joint_revolute(link, load, it.Pose(np.array([0.0, 0.0, -0.2])), axis=(0, 0, 1))
        scene = Scene(builder, dt=1 / 60, substeps=1)
        scene.set_drive(effort={link: 0.01})
        angles.append(scene.run(0.5).state.joint_q.numpy()[0])
    assert angles[0] == pytest.approx(0.5 * 10.0 * 0.25, rel=0.05)
    assert angles[1] == pytest.approx(angles[0], rel=1e-6)
