# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Sequences of calls of a simulation: going back, copying and reading change nothing of what follows, to the bit."""

from __future__ import annotations

import contextlib
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from robots import joint, link, mass, tensor, urdf

import inertia_tools as it
from inertia_tools.sim.model.changes import SolverNotifyFlags as Flags

pytest.importorskip("warp", reason="warp-lang is not installed")

BOX = '<box size="0.2 0.2 0.2"/>'
ROBOT = it.load_text(
    urdf(
        link("base", mass(6) + tensor(0.04, 0.04, 0.04), BOX),
        link("arm", mass(1) + tensor(0.01, 0.01, 0.001), '<box size="0.05 0.05 0.3"/>'),
        joint("arm", origin="0 0.2 0.2"),
        link("hand", mass(0.3) + tensor(0.001, 0.001, 0.001), '<sphere radius="0.05"/>'),
        joint("hand", parent="arm", type_="prismatic", origin="0 0 0.2"),
    )
)
CUBE = it.load_text(urdf(link("cube", mass(2) + tensor(0.0133, 0.0133, 0.0133), BOX)))

LINKS = st.sampled_from(("robot::base", "robot::arm", "robot::hand", "cube::cube"))
JOINTS = st.sampled_from(("robot::arm_joint", "robot::hand_joint"))
SMALL = st.integers(-8, 8).map(lambda eighths: eighths / 8.0)
VECTORS = st.tuples(SMALL, SMALL, SMALL)


def start() -> it.Simulation:
    entities = [it.Entity("robot", ROBOT), it.Entity("cube", CUBE, it.Pose(np.array([0.05, 0.0, 0.31])))]
    return it.Simulation(entities, reactions=True)


def seen(simulation: it.Simulation) -> dict[str, object]:
    """Return all that can be read of a simulation, in a form that compares to the bit."""
    now, table, gains = simulation.snapshot(), simulation.contact_table(), simulation.dof_gains()
    arrays = {
        "states": now.states,
        "joints": now.joints,
        "energies": np.array([now.kinetic_energy, now.potential_energy]),
        "points": table.points,
        "pairs": table.wrenches,
        "gains": np.hstack([gains.spring, gains.damping, gains.drive_stiffness, gains.drive_damping]),
        "rates": simulation.dof_velocities(),
        "masses": simulation.mass_matrix(),
        "reactions": simulation.state.body_parent_f.numpy(),
        "gravity": simulation.gravity,
    }
    return {name: values.tobytes() for name, values in arrays.items()} | {
        "time": now.time,
        "touching": table.pairs,
        "efforts": repr(simulation.joint_efforts()),
        "limits": repr(simulation.joint_limits),
        "friction": [simulation.friction(name) for name in simulation.names],
        "wrenches": repr({name: wrench.tolist() for name, wrench in simulation.applied_wrenches().items()}),
        "unsettled": simulation.unsettled,
        "particles": simulation.soft_snapshot().positions.size,
    }


def upright(simulation: it.Simulation, link: str, height: float, speed: tuple[float, ...]) -> None:
    simulation.set_body_state(link, (0.0, 0.0, 1.0 + 0.5 * height), (0.0, 0.0, 0.0, 1.0), speed)


def scale_mass(simulation: it.Simulation, body: int, factor: float) -> None:
    model = simulation.model
    for array in (model.body_mass, model.body_inertia):
        values = array.numpy()
        values[body] *= factor
        array.assign(values)
    simulation._built.solver.notify_model_changed(Flags.BODY_INERTIAL_PROPERTIES)


def make_kinematic(simulation: it.Simulation, body: int, flag: it.BodyFlags) -> None:
    flags = simulation.model.body_flags.numpy()
    flags[body] = flag
    simulation.model.body_flags.assign(flags)
    simulation._built.solver.notify_model_changed(Flags.BODY_PROPERTIES)


MOTIONS = st.one_of(
    st.tuples(st.just(it.Simulation.lift), SMALL.map(lambda height: 0.1 * height)),
    st.tuples(st.just(it.Simulation.set_joint_positions), st.dictionaries(JOINTS, SMALL, min_size=1)),
    st.tuples(st.just(it.Simulation.set_joint_velocities), st.dictionaries(JOINTS, SMALL, min_size=1)),
    st.tuples(st.just(upright), LINKS, SMALL, VECTORS),
    st.tuples(
        st.just(it.Simulation.apply_wrench), LINKS, VECTORS, VECTORS, st.just(None), st.sampled_from((0.0, 0.02))
    ),
)
SETTINGS = st.one_of(
    st.tuples(st.just(it.Simulation.set_joint_targets), st.dictionaries(JOINTS, SMALL, min_size=1)),
    st.tuples(
        st.just(it.Simulation.set_joint_gains), st.dictionaries(JOINTS, st.sampled_from((0.0, 5.0, 100.0, np.inf)))
    ),
    st.tuples(st.just(it.Simulation.set_gravity), VECTORS.map(lambda gravity: tuple(10.0 * part for part in gravity))),
    st.tuples(st.just(it.Simulation.set_friction), st.dictionaries(LINKS, SMALL.map(abs), min_size=1)),
    st.tuples(st.just(it.Simulation.set_position_limits), st.just({}), st.dictionaries(JOINTS, SMALL.map(abs))),
    st.tuples(st.just(scale_mass), st.integers(0, 3), st.sampled_from((0.5, 1.1, 2.0))),
    st.tuples(
        st.just(make_kinematic), st.integers(0, 3), st.sampled_from((it.BodyFlags.DYNAMIC, it.BodyFlags.KINEMATIC))
    ),
)


class Calls(RuleBasedStateMachine):
    """One simulation gets calls; another gets the same, makes detours, and must stay equal to it."""

    def __init__(self) -> None:
        super().__init__()
        self.straight, self.other, self.set = start(), start(), []

    def call(self, simulation: it.Simulation, method, *arguments) -> None:
        with warnings.catch_warnings(), contextlib.suppress(it.errors.SimulationError):
            warnings.simplefilter("ignore")
            method(simulation, *arguments)  # which cannot be done to some kinematic bodies

    @rule(count=st.sampled_from((1, 2, 10, 60)))
    def step(self, count: int) -> None:
        self.move((it.Simulation.step, count))

    @rule(call=MOTIONS)
    def move(self, call) -> None:
        for simulation in (self.straight, self.other):
            self.call(simulation, *call)

    @rule(call=SETTINGS)
    def change(self, call) -> None:
        self.set.append(call)
        self.move(call)

    @rule(calls=st.lists(MOTIONS | SETTINGS, max_size=3), count=st.sampled_from((0, 1, 40)))
    def go_and_come_back(self, calls, count: int) -> None:
        saved = self.other.save()
        for call in (*calls, (it.Simulation.step, count)):
            self.call(self.other, *call)
        self.other.restore(saved)

    @rule(count=st.sampled_from((0, 1, 40)))
    def continue_as_a_clone(self, count: int) -> None:
        self.other, left = self.other.clone(), self.other
        self.call(left, it.Simulation.step, count)
        self.call(left, it.Simulation.set_gravity, (0.0, 0.0, 1.0))

    @rule()
    def begin_again(self) -> None:
        """The one is reset, the other made anew with the same settings."""
        self.straight.reset()
        self.other = start()
        for call in self.set:
            self.call(self.other, *call)

    @rule(flag=st.sampled_from(list(Flags)))
    def notify_of_nothing(self, flag: Flags) -> None:
        self.other._built.solver.notify_model_changed(flag)

    @invariant()
    def are_equal(self) -> None:
        one, other = seen(self.straight), seen(self.other)
        assert [name for name in one if one[name] != other[name]] == []


TestCalls = Calls.TestCase
TestCalls.settings = settings(
    max_examples=8,
    stateful_step_count=10,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
