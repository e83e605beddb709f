# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A particle far away changes nothing of how rigid bodies move: steps are planned to their end with it, too."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.sim.saved_state import copied_arrays, put_back
from inertia_tools.sim.simulation.soft_body import SoftBody, SoftBox

DT, SUBSTEPS, STEPS = 1 / 240, 4, 60
ROUNDING = {"float64": 1e-6, "float32": 1e-2}
"""Largest difference: paths are added up in another order, and blows and slips magnify that."""


def belt() -> it.ModelBuilder:
    """Return a box that lies on a kinematic slab."""
    builder = it.ModelBuilder()
    slab = builder.add_link(xform=it.Pose((0.0, 0.0, -0.1)), is_kinematic=True)
    builder.add_shape_box(slab, hx=5.0, hy=1.0, hz=0.1)
    box = builder.add_link(xform=it.Pose((0.0, 0.0, 0.1)))
    builder.add_shape_box(box, hx=0.1, hy=0.1, hz=0.1)
    return builder


def arm(**drive: Any) -> it.ModelBuilder:
    builder = it.ModelBuilder()
    link = builder.add_link(mass=1.0, com=(0.0, 0.0, -0.3), inertia=0.01 * np.eye(3))
    builder.add_joint_revolute(-1, link, axis=(0, 1, 0), **drive)
    return builder


def ball() -> it.ModelBuilder:
    builder = it.ModelBuilder()
    cfg = it.ShapeConfig(restitution=0.7)
    builder.add_ground_plane(cfg=cfg)
    builder.add_shape_sphere(builder.add_link(xform=it.Pose((0.0, 0.0, 0.15))), radius=0.1, cfg=cfg)
    return builder


def by_poses(state: it.State, control: it.Control, k: int) -> None:
    q = state.body_q.numpy()
    q[0, 0] = 0.5 * DT * (k + 1)
    state.body_q.assign(q)


def by_turned_poses(state: it.State, control: it.Control, k: int) -> None:
    q, angle = state.body_q.numpy(), 0.1 * math.sin(3.0 * DT * (k + 1))
    q[0, 3:] = 0.0, 0.0, math.sin(0.5 * angle), math.cos(0.5 * angle)
    q[0, 0] = 0.02 * math.sin(10.0 * DT * (k + 1))
    state.body_q.assign(q)


def by_velocity(state: it.State, control: it.Control, k: int) -> None:
    qd = state.body_qd.numpy()
    qd[0, 0] = 0.5 * math.sin(0.1 * k)
    state.body_qd.assign(qd)


def by_target(state: it.State, control: it.Control, k: int) -> None:
    control.joint_target_pos.assign(np.array([0.5 * math.sin(0.1 * k)]))


def by_efforts(state: it.State, control: it.Control, k: int) -> None:
    control.joint_f.assign(np.array([0.3 if k % 8 < 4 else -0.3]))


def by_nothing(state: it.State, control: it.Control, k: int) -> None:
    pass


SCENES: dict[str, tuple[Callable[[], it.ModelBuilder], Callable[[it.State, it.Control, int], None]]] = {
    "belt by poses": (belt, by_poses),
    "table by poses": (belt, by_turned_poses),
    "belt by velocities": (belt, by_velocity),
    "rigid drive": (lambda: arm(target_ke=math.inf), by_target),
    "rigid drive with a limit of its rate": (lambda: arm(target_ke=math.inf, velocity_limit=2.0), by_target),
    "drive": (lambda: arm(target_ke=50.0, target_kd=1.0), by_target),
    "drive with a limit of its effort": (lambda: arm(target_ke=500.0, target_kd=5.0, effort_limit=2.0), by_target),
    "limits of a joint": (lambda: arm(limit_lower=-0.1, limit_upper=0.1), by_efforts),
    "bouncing ball": (ball, by_nothing),
}


def course(name: str, has_particle: bool, dtype: str) -> np.ndarray:
    """Return where bodies and joints are after each step, and how they move."""
    build, act = SCENES[name]
    builder = build()
    if has_particle:
        builder.add_particle((50.0, 50.0, 500.0), (0.0, 0.0, 0.0), 0.1, radius=0.01)
    model = builder.finalize(dtype=dtype)
    solver = it.SolverXPBD(model, substeps=SUBSTEPS, enable_restitution=name == "bouncing ball")
    state, control, contacts, seen = model.state(), model.control(), model.contacts(), []
    for k in range(STEPS):
        act(state, control, k)
        solver.step(state, state, control, contacts, DT)
        arrays = (state.body_q, state.body_qd, state.joint_q, state.joint_qd)
        seen.append(np.concatenate([array.numpy().ravel() for array in arrays]))
    return np.array(seen)


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", SCENES)
def test_a_far_particle_changes_nothing(name, dtype):
    """What poses and rigid targets led went all its way in the first substep, at four times its speed."""
    np.testing.assert_allclose(course(name, True, dtype), course(name, False, dtype), rtol=0.0, atol=ROUNDING[dtype])


def test_a_belt_that_poses_move_carries_a_box_by_coulombs_law():
    """It slipped through: the box came 0.4 mm far."""
    assert course("belt by poses", True, "float64")[-1, 7] > 0.1


@pytest.mark.parametrize("name", SCENES)
def test_after_a_reset_all_moves_as_before(name):
    """The places of substeps in a step were forgotten: a belt that poses move left its box 0.07 m behind."""
    build, act = SCENES[name]
    builder = build()
    builder.add_particle((50.0, 50.0, 500.0), (0.0, 0.0, 0.0), 0.1, radius=0.01)
    model = builder.finalize(dtype="float64")
    stepped = model.state(), model.contacts(), it.SolverXPBD(model, substeps=SUBSTEPS)
    (state, contacts, solver), control, courses = stepped, model.control(), []
    start = copied_arrays(*stepped)
    for _ in range(2):
        put_back(start, *stepped)
        for k in range(STEPS):
            act(state, control, k)
            solver.step(state, state, control, contacts, DT)
        courses.append(np.concatenate([state.body_q.numpy().ravel(), state.body_qd.numpy().ravel()]))
    np.testing.assert_array_equal(*courses)


@pytest.mark.parametrize("substeps", [1, 2, 4])
def test_a_particle_tied_to_what_poses_move_goes_with_it(substeps):
    """Its velocity was zero, as it went all the way in the first substep."""
    builder = it.ModelBuilder(gravity=(0.0, 0.0, 0.0))
    body = builder.add_link(xform=it.Pose((0.0, 0.0, 1.0)), is_kinematic=True)
    builder.add_particle((0.0, 0.0, 1.0), (0.0, 0.0, 0.0), 0.1, radius=0.01)
    builder.add_attachment_particle_body(0, body, stiffness=math.inf)
    model = builder.finalize(dtype="float64")
    solver, state, control = it.SolverXPBD(model, substeps=substeps), model.state(), model.control()
    contacts = model.contacts()
    for k in range(20):
        by_poses(state, control, k)
        solver.step(state, state, control, contacts, DT)
    assert abs(state.particle_qd.numpy()[0, 0] - 0.5) < 1e-6
    assert abs(state.particle_q.numpy()[0, 0] - state.body_q.numpy()[0, 0]) < 1e-9


TABLE = """<robot name="table"><link name="table"><inertial><mass value="2"/><inertia ixx="0.02" iyy="0.03" izz="0.04"
ixy="0" ixz="0" iyz="0"/></inertial><collision><geometry><box size="3 1 0.1"/></geometry></collision></link></robot>"""


def test_a_soft_body_elsewhere_does_not_change_what_is_moved():
    """`Simulation.move` to a pose carries a cube as far with a jelly 8 m away."""
    table, cube = it.load_text(TABLE), it.load_text(TABLE.replace("3 1 0.1", "0.1 0.1 0.1"))
    at = []
    for has_soft in (False, True):
        entities = [
            it.Entity("table", table, it.Pose(np.array([0.0, 0.0, 1.0])), fixed_base=True),
            it.Entity("cube", cube, it.Pose(np.array([0.0, 0.0, 1.1]))),
        ]
        if has_soft:
            jelly = SoftBody("jelly", SoftBox(), it.Pose(np.array([0.0, 8.0, 0.2])))
            entities.append(it.Entity("other", cube, it.Pose(np.array([0.0, 5.0, 0.05])), soft=(jelly,)))
        simulation = it.Simulation(entities, dtype="float64")
        for k in range(40):
            simulation.move("table::table", position=(0.5 * DT * (k + 1), 0.0, 1.0))
            simulation.step()
        at.append(simulation.snapshot().positions[simulation.names.index("cube::table")])
    np.testing.assert_allclose(at[1], at[0], rtol=0.0, atol=1e-9)
