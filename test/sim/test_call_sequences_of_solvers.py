# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Steps depend on states, contacts and the model only: not on the solver's past, or on notices without a change."""

from __future__ import annotations

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.selection import ArticulationView
from inertia_tools.sim.model.changes import SolverNotifyFlags as Flags

pytest.importorskip("warp", reason="warp-lang is not installed")

DT = 0.01
UPRIGHT = (0.0, 0.0, 0.0, 1.0)


def stacks(dtype: str) -> it.Model:
    """Two stacks of boxes far apart, whose masses single precision rounds."""
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    for x in (0.0, 5.0):
        for height in range(3):
            body = builder.add_body(xform=((x + 0.02 * height, 0.0, 0.11 + 0.21 * height), UPRIGHT), mass=0.3)
            builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1)
    return builder.finalize(dtype=dtype)


def arm() -> it.Model:
    """Two links on hinges of limited range and speed."""
    builder = it.ModelBuilder()
    upper, lower = builder.add_link(), builder.add_link()
    for link in (upper, lower):
        builder.add_shape_capsule(link, radius=0.02, half_height=0.2)
    below, above = ((0, 0, -0.25), UPRIGHT), ((0, 0, 0.25), UPRIGHT)
    bounds = {"axis": (1, 0, 0), "limit_lower": -1.0, "limit_upper": 1.0, "velocity_limit": 1.0, "child_xform": above}
    hinges = [
        builder.add_joint_revolute(-1, upper, **bounds),
        builder.add_joint_revolute(upper, lower, parent_xform=below, **bounds),
    ]
    builder.add_articulation(hinges)
    builder.joint_q[0], builder.joint_q[1] = 0.9, -0.9
    return builder.finalize(dtype="float64")


def read(model: it.Model, state: it.State, contacts: it.Contacts) -> list[np.ndarray]:
    acting = model.acting_contacts(contacts)
    return [state.body_q.numpy(), state.body_qd.numpy(), acting.forces, acting.positions]


@pytest.mark.sweep
@pytest.mark.parametrize("flag", [*Flags], ids=lambda flag: flag.name)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_notice_without_a_change_changes_nothing(flag, dtype):
    """Bodies lost their history: the stack's velocities differed, and masses and gravity were read back rounded."""
    runs = []
    for notices in (False, True):
        model = stacks(dtype)
        solver, state, contacts = it.SolverXPBD(model, substeps=4), model.state(), model.contacts()
        for _ in range(8):
            if notices:
                solver.notify_model_changed(flag)
            solver.step(state, state, None, contacts, DT)
        masses = np.array([[one.mass, *one.com, *one.inertia.ravel()] for one in model.inertials])
        runs.append([*read(model, state, contacts), masses, model.gravity_vector])
    for one, other in zip(*runs, strict=True):
        assert one.tobytes() == other.tobytes()


def test_a_mass_that_changes_leaves_other_bodies_alone():
    runs = []
    for changes in (False, True):
        model = stacks("float64")
        solver, state, contacts = it.SolverXPBD(model, substeps=4), model.state(), model.contacts()
        for step in range(8):
            if changes and step % 2 == 1:
                masses = model.body_mass.numpy()
                masses[:3] *= 1.5
                model.body_mass.assign(masses)
                solver.notify_model_changed(Flags.BODY_INERTIAL_PROPERTIES)
            solver.step(state, state, None, contacts, DT)
        runs.append(np.hstack([state.body_q.numpy(), state.body_qd.numpy()]))
    one, other = runs
    assert (one[3:] == other[3:]).all()
    assert (one[:3] != other[:3]).any()


def test_centres_of_mass_come_back_to_the_bit():
    """They were shifted and shifted back, with the rounding of both."""
    model = stacks("float32")
    solver = it.SolverXPBD(model)
    before = [array.numpy().copy() for array in (model.shapes.point, model.bodies.inv_mass, model.bodies.inv_inertia)]
    given = [(array, array.numpy().copy()) for array in (model.body_com, model.body_mass)]
    for factor in (0.7, 1.3):
        for array, values in given:
            array.assign(factor * values + 0.01234)
        solver.notify_model_changed(Flags.BODY_INERTIAL_PROPERTIES)
    for array, values in given:
        array.assign(values)
    solver.notify_model_changed(Flags.BODY_INERTIAL_PROPERTIES)
    after = [array.numpy() for array in (model.shapes.point, model.bodies.inv_mass, model.bodies.inv_inertia)]
    for one, other in zip(before, after, strict=True):
        assert (one == other).all()


@pytest.mark.parametrize("way", ["new solvers", "another state in turn"])
def test_an_arm_at_its_limits_moves_as_with_a_solver_of_its_own(way):
    """How long a limit had been reached was the solver's knowledge; velocities after it were read otherwise."""
    model = arm()
    ends = []
    for detours in (False, True):
        solver, state, contacts = it.SolverXPBD(model, substeps=4), model.state(), model.contacts()
        other, others = model.state(), model.contacts()
        for _ in range(7):
            solver.step(other, other, None, others, DT)
        for _ in range(60):
            if detours and way == "new solvers":
                solver = it.SolverXPBD(model, substeps=4)
            elif detours:
                solver.step(other, other, None, others, DT)
            solver.step(state, state, None, contacts, DT)
            ends.append(np.hstack([state.body_q.numpy(), state.body_qd.numpy()]))
    one, other = np.split(np.array(ends), 2)
    assert np.abs(one[:, :, 7:]).max() > 0.1
    assert other == pytest.approx(one, abs=1e-9)


def test_a_joint_that_is_apart_closes_as_with_the_same_solver():
    """A new solver took every joint for one that had just been enabled."""
    ends = []
    for renews in (False, True):
        model = arm()
        solver, state, contacts = it.SolverXPBD(model, substeps=4), model.state(), model.contacts()
        for step in range(12):
            if step == 3:
                frames = model.joint_X_p.numpy()
                frames[0, 2] += 0.05
                model.joint_X_p.assign(frames)
                solver.notify_model_changed(Flags.JOINT_PROPERTIES)
                if renews:
                    solver = it.SolverXPBD(model, substeps=4)
            solver.step(state, state, None, contacts, DT)
            ends.append(np.hstack([state.body_q.numpy(), state.body_qd.numpy()]))
    one, other = np.split(np.array(ends), 2)
    assert other == pytest.approx(one, abs=1e-9)


def test_contacts_are_none_from_a_change_of_flags_to_the_next_step():
    """The forces of the old list of pairs were read as those of the new one: the ball pressed on the floor."""
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    table = builder.add_body(xform=((0.0, 0.0, 0.1), UPRIGHT))
    builder.add_shape_box(table, hx=0.5, hy=0.5, hz=0.1)
    ball = builder.add_body(xform=((0.0, 0.0, 0.3), UPRIGHT))
    builder.add_shape_sphere(ball, radius=0.1)
    model = builder.finalize(dtype="float64")
    solver, state, contacts = it.SolverXPBD(model, substeps=4), model.state(), model.contacts()
    for _ in range(10):
        solver.step(state, state, None, contacts, DT)
    assert {tuple(pair) for pair in np.sort(model.acting_contacts(contacts).bodies).tolist()} == {(-1, 0), (0, 1)}
    flags = model.body_flags.numpy()
    flags[table] = it.BodyFlags.KINEMATIC
    model.body_flags.assign(flags)
    solver.notify_model_changed(Flags.BODY_PROPERTIES)
    assert len(model.acting_contacts(contacts)) == 0
    assert contacts.unsettled == 0
    solver.step(state, state, None, contacts, DT)
    assert {tuple(pair) for pair in np.sort(model.acting_contacts(contacts).bodies).tolist()} == {(0, 1)}


@pytest.mark.parametrize("how", ["frames", "views"])
def test_a_base_that_is_moved_leaves_other_robots_alone(how):
    """All bodies of the scene started anew, those of other worlds too."""
    robot = it.ModelBuilder()
    base, tip = robot.add_link(), robot.add_link()
    for one in (base, tip):
        robot.add_shape_capsule(one, radius=0.02, half_height=0.2)
    ends = {"parent_xform": ((0, 0, -0.25), UPRIGHT), "child_xform": ((0, 0, 0.25), UPRIGHT)}
    joints = [robot.add_joint_fixed(-1, base), robot.add_joint_revolute(base, tip, axis=(1, 0, 0), **ends)]
    robot.add_articulation(joints, label="robot")
    robot.joint_q[-1] = 0.5
    runs = []
    for moves in (False, True):
        builder = it.ModelBuilder()
        for world in range(2):
            builder.add_world(robot, xform=((0.0, 3.0 * world, 2.0), UPRIGHT))
        model = builder.finalize(dtype="float64")
        solver, state, contacts = it.SolverXPBD(model, substeps=4), model.state(), model.contacts()
        view = ArticulationView(model, "robot")
        for step in range(8):
            if moves and step % 2 == 1 and how == "views":
                poses = view.get_root_transforms(model).numpy()
                poses[0, ..., 2] += 0.01
                view.set_root_transforms(model, poses, mask=np.array([True, False]))
            elif moves and step % 2 == 1:
                frames = model.joint_X_p.numpy()
                frames[0, 2] += 0.01
                model.joint_X_p.assign(frames)
                solver.notify_model_changed(Flags.JOINT_PROPERTIES)
            solver.step(state, state, None, contacts, DT)
        runs.append(np.hstack([state.body_q.numpy(), state.body_qd.numpy()]))
    one, other = runs
    assert (one[2:] == other[2:]).all()
    assert (one[:2] != other[:2]).any()
