# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Bodies that become kinematic or dynamic while a scene is stepped."""

import numpy as np
import pytest
import warp as wp

import inertia_tools as it
from inertia_tools.errors import OptionError
from inertia_tools.sim.model.changes import SolverNotifyFlags as Flags
from inertia_tools.sim.scene.notices import SceneWarning

DYNAMIC, KINEMATIC = int(it.BodyFlags.DYNAMIC), int(it.BodyFlags.KINEMATIC)
UPRIGHT = (0.0, 0.0, 0.0, 1.0)
DT = 1.0 / 240.0


def falling_on_a_table(*, held: bool) -> it.ModelBuilder:
    """Return a ball above a box in the air, which is kinematic or not."""
    builder = it.ModelBuilder()
    box = builder.add_body(xform=((0, 0, 1), UPRIGHT), is_kinematic=held)
    builder.add_shape_box(box, hx=0.5, hy=0.5, hz=0.1)
    ball = builder.add_body(xform=((0, 0, 1.3), UPRIGHT))
    builder.add_shape_sphere(ball, radius=0.1)
    return builder


def pendulum(*, held: bool) -> it.ModelBuilder:
    """Return two links on hinges, the first of them kinematic or not."""
    builder = it.ModelBuilder()
    first, second = builder.add_link(is_kinematic=held), builder.add_link()
    for link in (first, second):
        builder.add_shape_capsule(link, radius=0.02, half_height=0.2)
    below, above = ((0, 0, -0.25), UPRIGHT), ((0, 0, 0.25), UPRIGHT)
    hinges = [
        builder.add_joint_revolute(-1, first, axis=(1, 0, 0), child_xform=above),
        builder.add_joint_revolute(first, second, axis=(1, 0, 0), parent_xform=below, child_xform=above),
    ]
    builder.add_articulation(hinges)
    builder.joint_q[0], builder.joint_q[1] = 0.5, 0.4
    return builder


def change(model: it.Model, solver: it.SolverXPBD, body: int, flag: int) -> None:
    """Let a body become kinematic or dynamic."""
    flags = model.body_flags.numpy()
    flags[body] = flag
    model.body_flags.assign(flags)
    solver.notify_model_changed(Flags.BODY_PROPERTIES)


def run(solver: it.SolverXPBD, state: it.State, contacts: it.Contacts | None, steps: int) -> np.ndarray:
    """Make steps, and return where the bodies are."""
    for _ in range(steps):
        solver.step(state, state, None, contacts, DT)
    return state.body_q.numpy()


@pytest.mark.parametrize("scene", [falling_on_a_table, pendulum])
@pytest.mark.parametrize("held", [False, True])
def test_a_changed_model_steps_as_one_that_was_built_so(scene, held):
    """From the same state on, nothing tells a model whose flags were changed from one with these flags."""
    model, other = scene(held=not held).finalize(), scene(held=held).finalize()
    solver, reference = it.SolverXPBD(model), it.SolverXPBD(other)
    change(model, solver, 0, KINEMATIC if held else DYNAMIC)
    np.testing.assert_array_equal(model.moves, other.moves)
    found = run(solver, model.state(), model.contacts(), 120)
    expected = run(reference, other.state(), other.contacts(), 120)
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_what_becomes_kinematic_stays_and_carries():
    model = falling_on_a_table(held=False).finalize()
    solver, state, contacts = it.SolverXPBD(model), model.state(), model.contacts()
    fell = run(solver, state, contacts, 60)[0, 2]
    assert fell == pytest.approx(1.0 - 0.5 * 9.81 * 0.25**2, rel=1e-3)
    state.body_qd.zero_()
    change(model, solver, 0, KINEMATIC)
    places = run(solver, state, contacts, 240)
    assert places[0, 2] == pytest.approx(fell, abs=1e-6)
    assert places[1, 2] == pytest.approx(fell + 0.2, abs=1e-3)
    change(model, solver, 0, DYNAMIC)
    assert run(solver, state, contacts, 24)[0, 2] == pytest.approx(fell - 0.5 * 9.81 * 0.1**2, abs=2e-3)


def test_contacts_of_two_bodies_that_were_kinematic_are_found():
    """Two kinematic bodies have no pair; once one is dynamic it rests on the other."""
    builder = falling_on_a_table(held=True)
    builder.body_flags[1] = KINEMATIC
    model = builder.finalize()
    solver, state, contacts = it.SolverXPBD(model), model.state(), model.contacts()
    assert model.slot_count == 0
    run(solver, state, contacts, 2)
    change(model, solver, 1, DYNAMIC)
    assert run(solver, state, contacts, 240)[1, 2] == pytest.approx(1.2, abs=1e-3)
    model.collide(state, contacts)
    assert contacts.slot_count == model.slot_count > 0


def test_arrays_keep_what_users_wrote():
    """What was written since `finalize` holds, and arrays stay the same objects."""
    model = pendulum(held=True).finalize()
    solver = it.SolverXPBD(model)

    def arrays() -> list[object]:
        return [model.body_mass, model.joint_damping, model.joint_target_ke, model.gravity, model.body_flags]

    model.set_gravity((0.0, 1.0, -3.0))
    model.body_mass.fill_(2.5)
    model.joint_damping.fill_(0.25)
    solver.notify_model_changed(Flags.BODY_INERTIAL_PROPERTIES)
    before = arrays()
    change(model, solver, 0, DYNAMIC)
    assert all(one is other for one, other in zip(before, arrays(), strict=True))
    np.testing.assert_allclose(model.gravity.numpy()[0], (0.0, 1.0, -3.0))
    np.testing.assert_allclose(model.body_inv_mass.numpy(), 0.4)
    np.testing.assert_allclose(model.joint_damping.numpy(), 0.25)


def test_other_solvers_of_the_model_follow():
    model = falling_on_a_table(held=True).finalize()
    first, second = it.SolverXPBD(model), it.SolverXPBD(model)
    state, contacts = model.state(), model.contacts()
    run(second, state, contacts, 5)
    change(model, first, 0, DYNAMIC)
    assert run(second, state, contacts, 60)[0, 2] < 0.9


def test_copies_change_together_or_not_at_all():
    builder = pendulum(held=True)
    builder.replicate(3)
    model = builder.finalize()
    solver, start = it.SolverXPBD(model), model.body_q.numpy()
    with pytest.raises(OptionError, match="same in all copies"):
        change(model, solver, 0, DYNAMIC)
    model.body_flags.fill_(DYNAMIC)
    solver.notify_model_changed(Flags.BODY_PROPERTIES)
    places = run(solver, model.state(), None, 60)
    assert np.abs(places - start)[0, :3].max() > 0.01
    np.testing.assert_array_equal(places[:2], places[4:])


def test_a_captured_graph_of_a_caller_is_named():
    model = falling_on_a_table(held=True).finalize()
    solver, state, other, contacts = it.SolverXPBD(model), model.state(), model.state(), model.contacts()
    with wp.ScopedCapture():
        solver.step(state, other, None, contacts, DT)
    with pytest.warns(SceneWarning, match="capture it again"):
        change(model, solver, 0, DYNAMIC)
