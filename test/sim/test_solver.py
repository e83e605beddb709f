# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The solver's own interface: its parameters, states, and graphs."""

import numpy as np
import pytest
from scenes import DT, G, Scene, add_box

import inertia_tools as it
from inertia_tools.errors import OptionError
from inertia_tools.sim.kernels import graphs


def model():
    builder = it.ModelBuilder()
    add_box(builder, 1.0, 0.05, (0.0, 0.0, 0.05))
    builder.add_ground_plane()
    return builder.finalize(dtype="float64")


PAGE = {
    "soft_body_relaxation": 0.9,
    "soft_contact_relaxation": 0.9,
    "joint_linear_relaxation": 0.7,
    "joint_angular_relaxation": 0.4,
    "joint_linear_compliance": 0.0,
    "joint_angular_compliance": 0.0,
    "rigid_contact_relaxation": 0.8,
    "rigid_contact_con_weighting": True,
    "angular_damping": 0.0,
    "enable_restitution": False,
}


def test_every_parameter_of_the_page_is_taken_at_its_default():
    it.SolverXPBD(model(), iterations=2, **PAGE)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("soft_body_relaxation", 0.0),
        ("soft_contact_relaxation", 1.5),
        ("joint_linear_relaxation", -0.5),
        ("joint_angular_relaxation", np.nan),
        ("joint_linear_compliance", -1.0),
        ("rigid_contact_relaxation", 0.0),
        ("angular_damping", np.nan),
        ("joint_turn_limit", 0.0),
        ("joint_turn_limit", np.nan),
        ("joint_turn_limit", "small"),
        ("angular_damping", "some"),
        ("joint_linear_relaxation", None),
        ("joint_solver", "guess"),
        ("dtype", "float32"),
    ],
)
def test_what_has_no_meaning_is_refused_with_the_reason(name, value):
    with pytest.raises(OptionError, match=name):
        it.SolverXPBD(model(), **{name: value})


def test_unknown_parameter_is_refused():
    with pytest.raises(TypeError, match="relaxtion"):
        it.SolverXPBD(model(), joint_linear_relaxtion=0.7)


@pytest.mark.parametrize(("name", "value"), [("iterations", 0), ("substeps", 0), ("substeps", 2.5)])
def test_counts_must_be_whole_and_positive(name, value):
    with pytest.raises(OptionError, match=name):
        it.SolverXPBD(model(), **{name: value})


def test_without_contacts_and_control_a_body_falls():
    scene, solver = model(), None
    solver = it.SolverXPBD(scene)
    state = scene.state()
    for _ in range(240):
        solver.step(state, state, None, None, DT)
    assert state.body_q.numpy()[0, 2] == pytest.approx(0.05 - 0.5 * G, abs=1e-11)


def test_two_states_in_turn_give_what_one_gives():
    once = Scene(tumbling()).run(0.5)
    other = Scene(tumbling())
    first, second = other.state, other.model.state()
    other.set_velocity(0, (0.3, 0.1, 0.0), (3.0, 2.0, 1.0))
    once = Scene(tumbling())
    once.set_velocity(0, (0.3, 0.1, 0.0), (3.0, 2.0, 1.0))
    once.run(0.5)
    for _ in range(round(0.5 / DT)):
        other.solver.step(first, second, other.control, other.contacts, DT)
        first, second = second, first
    assert np.array_equal(first.body_q.numpy(), once.state.body_q.numpy())
    assert np.array_equal(first.body_qd.numpy(), once.state.body_qd.numpy())


def tumbling():
    builder = it.ModelBuilder()
    add_box(builder, 1.0, 0.05, (0.0, 0.0, 0.3), rpy=(0.3, 0.2, 0.1))
    builder.add_ground_plane()
    return builder


def test_a_new_step_length_is_a_new_graph():
    scene = Scene(tumbling())
    scene.solver.step(scene.state, scene.state, None, None, 0.01)
    scene.solver.step(scene.state, scene.state, None, None, 0.03)
    assert scene.q[0, 2] == pytest.approx(0.3 - 0.5 * G * 0.04**2, abs=1e-12)


@pytest.mark.parametrize("mode", ["list", "search"])
def test_steps_that_are_no_longer_kept_captured_are_captured_anew(monkeypatch, mode):
    """Memory stays bounded where each step has a length of its own, and a body goes where it goes in any case."""

    def end(most: int) -> np.ndarray:
        monkeypatch.setattr(graphs, "MOST_KEPT", most)
        builder = it.ModelBuilder()
        builder.broad_phase = mode
        add_box(builder, 1.0, 0.05, (0.0, 0.0, 0.06))
        builder.add_ground_plane()
        model = builder.finalize(dtype="float64")
        solver, states, contacts = it.SolverXPBD(model), [model.state() for _ in range(3)], model.contacts()
        for n in range(30):
            solver.step(states[n % 3], states[(n + 1) % 3], None, contacts, DT * (1.0 + 0.1 * (n % 5)))
        assert len(solver._bodies._graphs) <= most
        return states[0].body_q.numpy()

    assert np.array_equal(end(2), end(100))
