# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Robots that fall from a metre on drives that hold, and limp ones that fall on each other."""

import numpy as np
import pytest
from robots import example_robots
from scenes import Scene

import inertia_tools as it
from inertia_tools.sim.scene.joint_kind import JointKind
from inertia_tools.spatial import rotation_from_quaternion

FOLDER = example_robots()
pytestmark = pytest.mark.skipif(FOLDER is None, reason="example-robot-data is not installed")

FALLING = {
    "Go1": "go1_description/urdf/go1.urdf",
    "Talos": "talos_data/robots/talos_reduced_box.urdf",
}
A1, GO1 = "a1_description/urdf/a1.urdf", FALLING["Go1"]


def corrected(path):
    return it.fix(it.load(FOLDER / path)).corrected


def widest_gap(simulation):
    """Largest distance of the two sides of a hinge [m]."""
    q = simulation.state.body_q.numpy().astype(float)

    def place(body, pose):
        return q[body, :3] + rotation_from_quaternion(q[body, 3:]) @ pose.position

    hinges = [j for j in simulation.model.built_joints if j.kind is JointKind.REVOLUTE]
    return max(np.linalg.norm(place(j.parent, j.pose_parent) - place(j.child, j.pose_child)) for j in hinges)


def beyond_limits(robot, positions):
    """How far the joint that is farthest beyond a limit is beyond it."""
    limited = [
        (j.name, j.limit) for j in robot.joints.values() if j.limit and j.type.value in ("revolute", "prismatic")
    ]
    return max(max(limit.lower - positions[name], positions[name] - limit.upper) for name, limit in limited)


@pytest.mark.parametrize("name", ["Go1", pytest.param("Talos", marks=pytest.mark.slow)])
def test_a_robot_that_falls_from_a_metre_keeps_its_joints_and_limits(name):
    """The drives are those of docs/physics.md: stiffness 20 m g L, 20 ms of that as damping."""
    robot = corrected(FALLING[name])
    simulation = it.Simulation(robot, dtype="float64")
    places = simulation.snapshot().positions
    stiffness = 20.0 * simulation.weight * np.linalg.norm(places[:, None] - places[None], axis=-1).max()
    simulation.hold()
    simulation.set_joint_gains(stiffness, 0.02 * stiffness)
    simulation.lift(1.0)
    start = simulation.snapshot().potential_energy
    for _ in range(70):
        simulation.step(3)
        now = simulation.snapshot()
        assert beyond_limits(robot, now.joint_positions) < 1e-6
        assert widest_gap(simulation) < 1e-5
        assert now.kinetic_energy + now.potential_energy < start + 1e-6 * simulation.weight
    assert now.kinetic_energy + now.potential_energy < 0.9 * start


def add_robot(builder, path, xyz, rpy=(0.0, 0.0, 0.0)):
    builder.add_description(corrected(path), xform=it.Pose.from_xyz_rpy(list(xyz), rpy))


def drive_beyond_limits(scene):
    """Let each joint be driven 0.1 rad beyond one of its limits."""
    model = scene.model
    for name, gain in (("joint_target_ke", 200.0), ("joint_target_kd", 5.0)):
        getattr(model, name).fill_(gain)
    lower, upper = (getattr(model, f"joint_limit_{end}").numpy() for end in ("lower", "upper"))
    goal = np.where(np.arange(len(lower)) % 2, lower - 0.1, upper + 0.1)
    scene.control.joint_target_pos.assign(np.where(np.isfinite(goal), goal, 0.0))


@pytest.mark.sweep
@pytest.mark.parametrize(("path", "dtype"), [(A1, "float64"), (GO1, "float32")])
@pytest.mark.parametrize("is_driven", [False, True])
def test_a_robot_on_its_limits_takes_few_newton_steps(dtype, path, is_driven):
    """Contacts press limp legs against limits, drives push others against them: one step a substep, where 33 were."""
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    add_robot(builder, path, (0.0, 0.0, 0.45))
    scene = Scene(builder, dtype, substeps=4)
    scene.model.request_contact_attributes("solve_log")
    scene.contacts = scene.model.contacts()
    if is_driven:
        drive_beyond_limits(scene)
    scene.run(4.0)
    before = scene.contacts.solve_log.newton_steps.sum(axis=0)
    scene.run(0.25)
    made = scene.contacts.solve_log.newton_steps.sum(axis=0) - before
    assert made @ np.arange(len(made)) <= 3 * made.sum()


@pytest.mark.parametrize("height", [0.43, 0.47, 0.5])
def test_a_limp_robot_comes_to_rest_however_it_falls(height):
    """Gaps of feet and limits contradict each other by rounding: 41 to 56 Newton steps a substep for ever, once."""
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    add_robot(builder, GO1, (0.0, 0.0, height))
    scene = Scene(builder, substeps=4).run(4.0)
    assert np.abs(scene.qd).max() < 1e-9


@pytest.mark.slow
def test_five_robots_that_fall_in_a_heap_only_lose_energy():
    """Velocities are read up to half a blow too fast in the frame of one (docs/solver.md, Limitations)."""
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    for i, path in enumerate((A1, GO1, A1, GO1, A1)):
        add_robot(builder, path, (0.1 * (i % 2), 0.07 * i % 0.2, 0.5 + 0.6 * i), (0.2 * i, 0.1 * i, 0.5 * i))
    scene = Scene(builder, substeps=4)
    start = least = scene.energy()
    for _ in range(192):
        total = scene.run(1 / 240).energy()
        assert total < least + 5e-3 * start
        least = min(least, total)
    assert scene.q[:, 2].min() > 0.0


def test_robots_that_meet_in_space_keep_their_momenta():
    builder = it.ModelBuilder(gravity=(0.0, 0.0, 0.0))
    add_robot(builder, A1, (0.0, 0.0, 0.5))
    add_robot(builder, GO1, (0.1, 0.07, 1.1), (0.2, 0.1, 0.5))
    scene = Scene(builder, substeps=16)
    half = len(scene.q) // 2
    for body in range(half, 2 * half):
        scene.set_velocity(body, (0.0, 0.0, -4.0))
    linear, angular = scene.momenta()
    energy = scene.energy()
    scene.run(38 / 240)
    assert scene.energy() < 0.8 * energy
    now_linear, now_angular = scene.momenta()
    assert np.abs(now_linear - linear).max() < 1e-10
    assert np.abs(now_angular - angular).max() < 1e-6 * np.linalg.norm(angular)
