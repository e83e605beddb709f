# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Arms that are bolted down elsewhere stand there after kinematics and after steps, in every world by itself."""

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.errors import OptionError
from inertia_tools.selection import ArticulationView
from inertia_tools.spatial import Pose

WORLDS, DT = 3, 1.0 / 60.0
REACH = Pose(np.array([0.3, 0.0, 0.0]))


def arm(kind="fixed"):
    """A base on a joint one metre up, with a link that a drive holds."""
    builder = it.ModelBuilder()
    base = builder.add_link(mass=1.0, inertia=0.01 * np.eye(3), com=(0.02, 0.0, 0.03), label="base")
    root = getattr(builder, f"add_joint_{kind}")(-1, base, parent_xform=Pose(np.array([0.0, 0.0, 1.0])), label="root")
    link = builder.add_link(mass=1.0, inertia=0.01 * np.eye(3), label="link")
    hinge = builder.add_joint_revolute(
        base, link, parent_xform=REACH, axis=(0, 0, 1), target_ke=100.0, target_kd=10.0, label="hinge"
    )
    builder.add_articulation([root, hinge], label="arm")
    return builder


def copies(part, by_count):
    """Worlds with one each; either the copies that `finalize` makes, or parts of the scene."""
    if by_count:
        part.replicate(WORLDS)
        return part
    scene = it.ModelBuilder()
    scene.replicate(part, WORLDS, spacing=(2.0, 0.0, 0.0))
    return scene


def stepped(solver, state, count, contacts=None):
    """The state after some steps from a state, which stays as it is."""
    now, then = solver.model.state(), solver.model.state()
    now.assign(state)
    for _ in range(count):
        solver.step(now, then, None, contacts, DT)
        now, then = then, now
    return now


def somewhere(seed=0):
    """A pose for each world."""
    rng = np.random.default_rng(seed)
    turns = rng.normal(size=(WORLDS, 1, 4))
    return np.concatenate([rng.normal(size=(WORLDS, 1, 3)), turns / np.linalg.norm(turns, axis=2)[..., None]], axis=2)


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kind", ["fixed", "ball", "revolute"])
@pytest.mark.parametrize("by_count", [True, False])
def test_a_base_stands_where_it_was_put_after_kinematics_and_after_steps(dtype, kind, by_count):
    model = copies(arm(kind), by_count).finalize(dtype=dtype)
    view, state = ArticulationView(model, "*arm"), model.state()
    before, poses, chosen = view.get_root_transforms(state).numpy(), somewhere(), np.array([True, False, True])
    tolerance = 1e-6 if dtype == "float32" else 1e-9
    view.set_root_transforms(state, poses, chosen)
    read = view.get_root_transforms(state).numpy()
    assert np.allclose(read[chosen], poses[chosen], atol=tolerance) and np.array_equal(read[~chosen], before[~chosen])
    view.eval_fk(state)
    for now in (state, stepped(it.SolverXPBD(model), state, 30)):
        bases = view.get_link_transforms(now).numpy()[:, 0, 0]
        assert np.allclose(bases[chosen, :3], poses[chosen, 0, :3], atol=tolerance)
        assert np.allclose(bases[~chosen, :3], before[~chosen, 0, :3], atol=tolerance)
        if kind == "fixed":
            assert np.allclose(np.abs((bases[chosen, 3:] * poses[chosen, 0, 3:]).sum(axis=1)), 1.0, atol=tolerance)


def test_the_model_as_target_moves_where_states_begin():
    model = copies(arm(), False).finalize()
    view, poses = ArticulationView(model, "*arm"), somewhere(1)
    view.set_root_transforms(model, poses)
    view.eval_fk(model)
    assert np.allclose(view.get_link_transforms(model.state()).numpy()[:, :, 0, :3], poses[..., :3], atol=1e-6)


@pytest.mark.parametrize("sleep", [False, True])
@pytest.mark.parametrize("by_state", [True, False])
def test_an_arm_at_rest_feels_its_base_move(sleep, by_state):
    """Without `eval_fk` the joint pulls the arm over."""
    builder = arm()
    builder.add_shape_sphere(1, radius=0.05)
    builder.add_ground_plane()
    model = builder.finalize()
    solver, contacts, view = it.SolverXPBD(model, sleep=sleep), model.contacts(), ArticulationView(model, "arm")
    state, then = model.state(), model.state()
    for _ in range(100):
        solver.step(state, then, None, contacts, DT)
        state, then = then, state
    assert (state.data.rest.numpy() == np.float32(DT)).all(), "it rests, or this tests nothing"
    view.set_root_transforms(state if by_state else model, [0.0, 0.0, 1.01, 0.0, 0.0, 0.0, 1.0])
    solver.step(state, then, None, contacts, DT)
    assert then.body_q.numpy()[0, 2] == pytest.approx(1.01, abs=1e-4)


def test_a_base_on_a_body_is_placed_on_it():
    builder = it.ModelBuilder()
    cart = builder.add_body(xform=Pose(np.array([1.0, 2.0, 3.0])), mass=1.0, inertia=np.eye(3), is_kinematic=True)
    base = builder.add_link(mass=1.0, inertia=0.01 * np.eye(3), label="base")
    builder.add_articulation([builder.add_joint_fixed(cart, base, label="root")], label="arm")
    model = builder.finalize()
    view, state = ArticulationView(model, "arm"), model.state()
    view.set_root_transforms(state, [0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 1.0])
    view.eval_fk(state)
    now = stepped(it.SolverXPBD(model), state, 10)
    assert np.allclose(now.body_q.numpy()[1, :3], [1.0, 2.0, 3.5], atol=1e-6)


def test_a_joint_that_closes_a_loop_pulls_the_arm_back():
    builder = arm()
    pin, tip = Pose(np.array([0.5, 0.0, 1.0])), Pose(np.array([0.2, 0.0, 0.0]))
    builder.add_joint_ball(-1, 1, parent_xform=pin, child_xform=tip, label="closing")
    model = builder.finalize()
    view, state = ArticulationView(model, "arm"), model.state()
    view.set_root_transforms(state, [0.0, 0.001, 1.0, 0.0, 0.0, 0.0, 1.0])
    view.eval_fk(state)
    now = stepped(it.SolverXPBD(model), state, 30).body_q.numpy()
    assert np.allclose(now[0, :3], [0.0, 0.001, 1.0], atol=1e-5)
    assert 2.0 * now[1, 5] == pytest.approx(-0.001 / 0.2, rel=0.03), "the link has turned to where the pin holds it"


def test_the_root_is_a_joint_that_closes_no_loop():
    builder = it.ModelBuilder()
    lever, slider = (builder.add_link(mass=1.0, inertia=np.eye(3), label=label) for label in ("lever", "slider"))
    builder.add_articulation([builder.add_joint_revolute(-1, lever, label="pin")], label="lever")
    closing = builder.add_joint_ball(slider, lever, label="closing")
    builder.add_articulation([closing, builder.add_joint_prismatic(-1, slider, label="rail")], label="slider")
    view = ArticulationView(builder.finalize(), "slider", include_loop_closing_joints=True)
    assert view.joint_names == ["closing", "rail"] and view.root_joint_type == it.JointType.PRISMATIC


def test_frames_that_are_written_are_taken_over_by_notice_and_kept_when_flags_change():
    model = copies(arm(), False).finalize()
    view, solver = ArticulationView(model, "*arm"), it.SolverXPBD(model)
    frames = model.joint_X_p.numpy()
    frames[0, 2] = 5.0
    model.joint_X_p.assign(frames)
    solver.notify_model_changed(it.SolverNotifyFlags.JOINT_PROPERTIES)
    state = model.state()
    view.eval_fk(state)
    assert stepped(solver, state, 5).body_q.numpy()[0, 2] == pytest.approx(5.0, abs=1e-6)
    flags = model.body_flags.numpy()
    flags[-1] = int(it.BodyFlags.KINEMATIC)
    model.body_flags.assign(flags)
    solver.notify_model_changed(it.SolverNotifyFlags.BODY_PROPERTIES)
    assert stepped(solver, state, 5).body_q.numpy()[0, 2] == pytest.approx(5.0, abs=1e-6)
    frames[0, 3:] = 0.0
    model.joint_X_p.assign(frames)
    with pytest.raises(OptionError, match="joint_X_p"):
        solver.notify_model_changed(it.SolverNotifyFlags.JOINT_PROPERTIES)


def test_bolted_roots_have_no_rates():
    model = arm().finalize()
    view, state = ArticulationView(model, "arm"), model.state()
    assert view.get_root_velocities(state) is None
    view.set_root_velocities(state, np.zeros(6))
    with pytest.raises(OptionError, match="FIXED"):
        view.set_root_velocities(state, np.ones(6))


def test_what_is_no_pose_is_refused():
    model = arm().finalize()
    view, state = ArticulationView(model, "arm"), model.state()
    for pose in ([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [np.nan] * 7, [0.0] * 6, ["a"] * 7):
        with pytest.raises(OptionError, match="values"):
            view.set_root_transforms(state, pose)
