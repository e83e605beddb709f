# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What joints do to their children, against statics and dynamics."""

import numpy as np
import pytest
from scenes import DT, G, Scene, add_box

import inertia_tools as it
from inertia_tools.errors import OptionError

TOLERANCE = {"float64": 1e-9, "float32": 1e-4}


def with_reactions(builder, dtype="float64", **options):
    scene = Scene(builder, dtype, **options)
    scene.model.request_state_attributes("body_parent_f")
    scene.state = scene.model.state()
    return scene


def reaction(scene, body=0):
    return scene.state.body_parent_f.numpy()[body].astype(float)


def row_of_links(count=3):
    """Links of 1 m and 1 kg welded in a row that sticks out of a wall."""
    builder, last = it.ModelBuilder(), -1
    for index in range(count):
        body = builder.add_link(
            mass=1.0, com=(0.5, 0, 0), inertia=0.1 * np.eye(3), xform=it.Pose(np.array([float(index), 0, 0]))
        )
        builder.add_joint_fixed(last, body, parent_xform=it.Pose(np.array([1.0 if index else 0.0, 0, 0])))
        last = body
    return builder


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("iterations", [2, 5])
def test_each_weld_carries_what_lies_beyond_it(dtype, iterations):
    scene = with_reactions(row_of_links(), dtype, iterations=iterations).run(0.5)
    for body in range(3):
        force = G * (3 - body)
        torque = -G * sum(other - body for other in range(body, 3))  # of the weights, about the body's own centre
        expected = [0, 0, force, 0, torque, 0]
        assert reaction(scene, body) == pytest.approx(expected, abs=TOLERANCE[dtype] * 3 * G)


def test_applied_wrenches_and_efforts_are_carried_too():
    scene = with_reactions(row_of_links())
    scene.state.body_f.assign(np.array([[0.0] * 6, [0.0] * 6, [1.0, 2.0, 3.0, 0.1, 0.2, 0.3]]))
    scene.run(0.5)
    push = np.array([1.0, 2.0, 3.0])
    expected = np.array([*(-push), 0, 0, 0])
    expected[2] += 3 * G
    expected[3:] = -np.array([0.1, 0.2, 0.3]) - np.cross([2.0, 0, 0], push) + [0, -3 * G, 0]
    assert reaction(scene) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_spinning_arm_is_held_by_its_centripetal_force(dtype):
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    body = builder.add_link(mass=2.0, com=(0.5, 0, 0), inertia=0.1 * np.eye(3))
    builder.add_joint_revolute(-1, body, axis=(0, 0, 1))
    scene = with_reactions(builder, dtype, substeps=4)
    omega = np.sqrt(50.0)  # m w^2 r = 50 N
    scene.set_velocity(0, (0, 0.5 * omega, 0), (0, 0, omega))
    for _ in range(10):
        scene.run(0.1)
        assert np.linalg.norm(reaction(scene)[:3]) == pytest.approx(50.0, rel=1e-4)
        assert np.linalg.norm(reaction(scene)[3:]) < 50.0 * TOLERANCE[dtype]


def test_an_effort_passes_through_the_joint():
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    base = builder.add_link(mass=1.0, inertia=np.eye(3))
    arm = builder.add_link(mass=1.0, inertia=0.5 * np.eye(3))
    builder.add_joint_revolute(base, arm, axis=(0, 0, 1))
    scene = with_reactions(builder)
    scene.control.joint_f.assign(np.array([2.0]))
    scene.run(0.1)
    assert reaction(scene, 1) == pytest.approx([0, 0, 0, 0, 0, 2.0], abs=1e-9)
    assert reaction(scene, 0) == pytest.approx(np.zeros(6), abs=1e-12)


def test_a_foot_on_the_ground_takes_its_share():
    """A box on a slide stands on the floor: the slide carries nothing."""
    builder = it.ModelBuilder()
    body = add_box(builder, 1.0, 0.05, (0.0, 0.0, 0.05))
    builder.add_joint_prismatic(-1, body, parent_xform=it.Pose(np.array([0, 0, 0.05])), axis=(0, 0, 1))
    floor = builder.add_link(is_kinematic=True)
    builder.add_shape_plane(body=floor)
    scene = with_reactions(builder)
    scene.state.body_f.assign(np.array([[3.0, 0, 0, 0, 0, 0], [0.0] * 6]))
    scene.run(1.0)
    ground = scene.force_on(body, floor)
    assert ground[2] == pytest.approx(G, rel=1e-6)
    assert reaction(scene)[:3] + ground + [3.0, 0, 0] == pytest.approx([0, 0, G], abs=1e-6)


def test_nothing_is_carried_in_free_fall_and_by_a_joint_that_is_off():
    builder = it.ModelBuilder()
    body = builder.add_link(mass=1.0, inertia=np.eye(3))
    other = builder.add_link(mass=2.0, inertia=np.eye(3), xform=it.Pose(np.array([1.0, 0, 0])))
    builder.add_joint_fixed(body, other, parent_xform=it.Pose(np.array([1.0, 0, 0])))
    off = builder.add_link(mass=1.0, inertia=np.eye(3))
    builder.add_joint_fixed(-1, off, enabled=False)
    scene = with_reactions(builder).run(0.2)
    assert np.abs(scene.state.body_parent_f.numpy()).max() < 1e-9


def test_newtons_law_holds_for_every_link_of_a_moving_arm():
    """Change of momentum over a step = weight + own reaction - reaction of the child, in the mean over the step."""
    builder = it.ModelBuilder()
    last = -1
    for index in range(3):
        body = builder.add_link(
            mass=1.0 + index, com=(0.3, 0.1, 0), inertia=0.1 * np.eye(3), xform=it.Pose(np.array([0.6 * index, 0, 0]))
        )
        builder.add_joint_revolute(
            last, body, parent_xform=it.Pose(np.array([0.6 if index else 0.0, 0, 0])), axis=(0, 1, 0.2 * index),
            friction=0.1, damping=0.05, armature=0.02, target_ke=5.0,
        )  # fmt: skip
        last = body
    scene = with_reactions(builder, substeps=20).run(0.2)
    before = scene.qd[:, :3]
    scene.run(DT)
    gained = (scene.qd[:, :3] - before) * np.array([[1.0], [2.0], [3.0]]) / DT
    forces = np.array([reaction(scene, body)[:3] for body in range(3)])
    for body in range(3):
        beyond = forces[body + 1] if body < 2 else np.zeros(3)
        weight = np.array([0.0, 0.0, -G]) * (1.0 + body)
        assert gained[body] == pytest.approx(weight + forces[body] - beyond, abs=0.02 * G)


def test_what_was_not_requested_is_not_there():
    builder = row_of_links(1)
    model = builder.finalize()
    assert model.state().body_parent_f is None
    assert model.contacts().force is None
    with pytest.raises(OptionError, match="body_parent_f"):
        model.request_state_attributes("body_colour")
    with pytest.raises(OptionError, match="force"):
        model.request_contact_attributes("colour")


FIRST_STEPS = pytest.mark.parametrize(
    ("dt", "substeps", "dtype"),
    [(1 / 60, 1, "float64"), (1 / 60, 4, "float64"), (1 / 240, 4, "float32"), (1 / 240, 20, "float64")],
)


@FIRST_STEPS
def test_the_first_step_reports_what_a_box_bears(dt, substeps, dtype):
    """Momenta are half a substep behind: nothing has acted before that begins."""
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    add_box(builder, 2.0, 0.1, (0.0, 0.0, 0.1))
    scene = Scene(builder, dtype, substeps, dt=dt)
    for place in (0.0, 1.0):  # put elsewhere it begins anew
        q = scene.q
        q[0, 0] = place
        scene.state.body_q.assign(q.astype(dtype))
        for _ in range(3):
            scene.run(dt)
            assert scene.force_on(0, -1) == pytest.approx([0.0, 0.0, 2.0 * G], abs=TOLERANCE[dtype] * 10 * G)


@FIRST_STEPS
def test_the_first_step_reports_what_a_weld_bears(dt, substeps, dtype):
    scene = with_reactions(row_of_links(), dtype, substeps=substeps, dt=dt)
    for _ in range(2):
        scene.run(dt)
        assert reaction(scene)[:3] == pytest.approx([0.0, 0.0, 3.0 * G], abs=TOLERANCE[dtype] * 10 * G)


@FIRST_STEPS
def test_the_first_step_reports_the_centripetal_force_of_an_arm(dt, substeps, dtype):
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    body = builder.add_link(mass=2.0, com=(0.5, 0, 0), inertia=0.1 * np.eye(3))
    builder.add_joint_revolute(-1, body, axis=(0, 0, 1))
    scene = with_reactions(builder, dtype, substeps=substeps, dt=dt)
    scene.set_velocity(0, (0, 0.5, 0), (0, 0, 1.0))
    scene.run(dt)
    assert np.linalg.norm(reaction(scene)[:3]) == pytest.approx(1.0, rel=1e-3)
