# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What contacts tell of how solves have converged."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scenes import DT, G, add_box

import inertia_tools as it
from inertia_tools.errors import SimulationError
from inertia_tools.sim.solve.convergence import LEAST_DECADE

AT_REST, SETTING_IN = 0, 1
SUBSTEPS = 4


def stepped(builder: it.ModelBuilder, steps: int, dtype: str = "float64") -> it.Contacts:
    """Return the contacts of a scene after some steps, with a log."""
    model = builder.finalize(dtype=dtype)
    model.request_contact_attributes("solve_log")
    state, contacts = model.state(), model.contacts()
    solver = it.SolverXPBD(model, substeps=SUBSTEPS)
    for _ in range(steps):
        solver.step(state, state, None, contacts, DT)
    return contacts


def boxes(count: int, height: float = 0.1) -> it.ModelBuilder:
    """Return boxes on a floor, apart from each other."""
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    for n in range(count):
        add_box(builder, 1.0, 0.1, (float(n), 0.0, height))
    return builder


def test_each_island_logs_one_solve_a_substep():
    log = stepped(boxes(3), 10).solve_log
    assert log.newton_steps.sum() == 3 * SUBSTEPS * 10


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_what_rests_takes_no_newton_steps_and_leaves_no_residual(dtype):
    contacts = stepped(boxes(1), 60, dtype)
    log = contacts.solve_log
    assert contacts.unsettled == 0
    assert log.quantile(AT_REST, 0.99) == 0
    assert log.share_above(AT_REST, -4) == 0.0


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_what_rests_on_joints_takes_few_newton_steps(dtype):
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    first, second = (builder.add_link(xform=it.Pose((x, 0.0, 0.1))) for x in (0.0, 0.25))
    for link in (first, second):
        builder.add_shape_box(link, hx=0.1, hy=0.1, hz=0.1)
    builder.add_joint_free(first)
    ends = {"parent_xform": it.Pose((0.125, 0.0, 0.0)), "child_xform": it.Pose((-0.125, 0.0, 0.0))}
    builder.add_joint_revolute(first, second, axis=(0.0, 1.0, 0.0), **ends)
    contacts = stepped(builder, 60, dtype)
    assert contacts.unsettled == 0
    assert contacts.solve_log.quantile(AT_REST, 0.99) <= 4


def test_an_impact_is_counted_apart():
    fallen = stepped(boxes(1, 0.15), 60).solve_log
    assert 1 <= fallen.newton_steps[SETTING_IN].sum() <= 8
    assert stepped(boxes(1, 5.0), 10).solve_log.newton_steps[SETTING_IN].sum() == 0


def test_islands_without_contacts_have_no_residual():
    log = stepped(boxes(1, 5.0), 10).solve_log
    assert log.decades.sum() == 0


def test_logs_add_up():
    one = stepped(boxes(1), 5).solve_log
    both = one + one
    assert both.newton_steps.sum() == 2 * one.newton_steps.sum()
    assert both.share_above(AT_REST, LEAST_DECADE) == 1.0


def test_a_log_that_was_not_asked_for_is_refused():
    with pytest.raises(SimulationError, match="request_contact_attributes"):
        _ = boxes(1).finalize().contacts().solve_log


def wall(courses: int, bricks: int) -> it.ModelBuilder:
    """Return a wall in running bond, its bricks 2 mm apart, whose pairs are searched as those of large scenes are."""
    builder = it.ModelBuilder(broad_phase="search")
    builder.add_ground_plane()
    for course in range(courses):
        places = [(0.202 * n, 0.1) for n in range(bricks)]
        if course % 2 == 1:
            places = [(-0.05, 0.05), *((x + 0.101, h) for x, h in places[:-1]), (0.202 * (bricks - 1) + 0.05, 0.05)]
        for x, half in places:
            body = builder.add_link(xform=it.Pose((x, 0.0, 0.05 + 0.1 * course)))
            builder.add_shape_box(body, hx=half, hy=0.05, hz=0.05)
    return builder


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_wall_of_flush_bricks_takes_few_newton_steps_at_rest(dtype):
    model = wall(6, 10).finalize(dtype=dtype)
    model.request_contact_attributes("solve_log")
    state, contacts = model.state(), model.contacts()
    solver = it.SolverXPBD(model, substeps=SUBSTEPS)
    logs = []
    for _ in range(2):
        for _ in range(60):
            solver.step(state, state, None, contacts, DT)
        logs.append(contacts.solve_log.newton_steps.copy())
    settled = logs[1] - logs[0]
    assert settled[SETTING_IN].sum() == 0
    assert settled[AT_REST][:6].sum() == settled[AT_REST].sum()


def block(n: int, turn: float) -> it.ModelBuilder:
    """Return n^3 cubes packed side to side without a gap, turned about the vertical and far from the origin."""
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    at = it.Pose.from_xyz_rpy((3.7, -1.3, 0.1), (0.0, 0.0, turn))
    for place in 0.2 * np.array(list(product(range(n), repeat=3))):
        body = builder.add_link(xform=at @ it.Pose(place))
        builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1)
    return builder


@pytest.mark.parametrize(("turn", "dtype"), [(0.0, "float64"), (0.0, "float32"), (0.7, "float64")])
def test_packed_cubes_rest_at_once_and_do_not_press_sideways(turn, dtype):
    """Cubes that share a corner have no normal there: one of rounding errors would wedge them apart."""
    model = block(3, turn).finalize(dtype=dtype)
    model.request_contact_attributes("solve_log")
    state, contacts = model.state(), model.contacts()
    solver = it.SolverXPBD(model, substeps=SUBSTEPS)
    for _ in range(30):
        solver.step(state, state, None, contacts, DT)
    steps, weight = contacts.solve_log.newton_steps, G * model.body_mass.numpy().sum()
    assert steps[:, 16:].sum() <= 0.05 * steps.sum()
    assert np.abs(contacts.data.force.numpy()[:, :2]).sum() < 1e-2 * weight
    assert np.abs(state.body_qd.numpy()).max() == 0.0


@pytest.mark.parametrize(("tilt", "dtype"), [(0.02, "float32"), (0.05, "float64"), (0.1, "float32")])
def test_a_foot_that_fell_from_edge_to_edge_takes_few_newton_steps_at_rest(tilt, dtype):
    """Its corners begin to stick one after the other: what solves leave of their slips stretches the sole."""
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    at = it.Pose.from_xyz_rpy((0.0, 0.0, 0.2), (0.3 * tilt, tilt, 0.0))
    foot, leg = builder.add_link(xform=at), builder.add_link(xform=at @ it.Pose((0.0, 0.0, 0.22)))
    builder.add_shape_box(foot, hx=0.12, hy=0.06, hz=0.02)
    builder.add_shape_box(leg, hx=0.03, hy=0.03, hz=0.15)
    builder.add_joint_free(foot)
    ends = {"parent_xform": it.Pose((0.0, 0.0, 0.02)), "child_xform": it.Pose((0.0, 0.0, -0.2))}
    builder.add_joint_revolute(foot, leg, axis=(0.0, 1.0, 0.0), target_ke=2000.0, target_kd=40.0, **ends)
    model = builder.finalize(dtype=dtype)
    model.request_contact_attributes("solve_log")
    state, control, contacts = model.state(), model.control(), model.contacts()
    solver = it.SolverXPBD(model, substeps=SUBSTEPS)
    logs = []
    for _ in range(360):
        solver.step(state, state, control, contacts, DT)
        logs.append(contacts.solve_log.newton_steps[AT_REST])
    at_rest = logs[-1] - logs[300]
    assert at_rest.sum() == 59 * SUBSTEPS and at_rest[: 2 + 1].sum() == at_rest.sum()
    assert contacts.unsettled == 0
