# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Arrays of controls that others are put in the place of, as scripts for Newton do."""

from __future__ import annotations

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.errors import OptionError

wp = pytest.importorskip("warp", reason="warp-lang is not installed")

INERTIA = 0.2


def _scene(**drive: float) -> it.ModelBuilder:
    """Return a wheel on a hinge, which gravity does not turn."""
    builder = it.ModelBuilder(gravity=0.0)
    body = builder.add_link(mass=1.0, inertia=INERTIA * np.eye(3))
    joint = builder.add_joint_revolute(-1, body, axis=(0.0, 0.0, 1.0), **drive)
    builder.add_articulation([joint])
    return builder


def _wheel(**drive: float) -> it.Model:
    return _scene(**drive).finalize()


def _rate(solver: it.SolverXPBD, state: it.State, control: it.Control, seconds: float) -> float:
    for _ in range(100):
        solver.step(state, state, control, None, seconds / 100)
    return float(state.joint_qd.numpy()[0])


def test_a_step_feels_the_effort_that_was_put_in_place() -> None:
    """An effort turns the wheel by effort over inertia; what it replaced, and what replaces it, have no part in it."""
    model = _wheel()
    solver, state, control = it.SolverXPBD(model), model.state(), model.control()
    first = control.joint_f
    assert _rate(solver, state, control, 1.0) == 0.0
    control.joint_f = wp.array([0.3], dtype=wp.float32)
    first.fill_(50.0)
    assert _rate(solver, state, control, 1.0) == pytest.approx(0.3 / INERTIA, rel=1e-4)
    control.joint_f = wp.array([-0.3], dtype=wp.float32)
    assert _rate(solver, state, control, 1.0) == pytest.approx(0.0, abs=1e-4)


@pytest.mark.parametrize("name", ["joint_target_q", "joint_target_pos"])
def test_drives_aim_at_what_was_put_in_place(name: str) -> None:
    model = _wheel(target_ke=50.0, target_kd=10.0)
    solver, state, control = it.SolverXPBD(model), model.state(), model.control()
    setattr(control, name, wp.array([0.7], dtype=wp.float32))
    _rate(solver, state, control, 10.0)
    assert state.joint_q.numpy()[0] == pytest.approx(0.7, abs=1e-3)
    assert control.joint_target_pos is control.joint_target_q


@pytest.mark.parametrize("cloned", [True, False])
def test_a_control_begins_with_the_targets_and_efforts_of_the_model(cloned: bool) -> None:
    """What is written to the model's arrays later reaches a control only if it has no copies of them."""
    builder, names = it.ModelBuilder(), ("joint_target_q", "joint_target_qd", "joint_f")
    builder.replicate(_scene(), 2)
    model = builder.finalize()
    for place, name in enumerate(names):
        getattr(model, name).assign(np.array([0.7, -0.2]) * 2.0**-place)
    control = model.control(clone_variables=cloned)
    for name in names:
        assert np.array_equal(getattr(control, name).numpy(), getattr(model, name).numpy())
        getattr(model, name).zero_()
        assert getattr(control, name).numpy().any() == cloned


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param(lambda: wp.array([1.0, 2.0], dtype=wp.float32), id="length"),
        pytest.param(lambda: wp.array([1], dtype=wp.int32), id="type"),
        pytest.param(lambda: [1.0], id="list"),
        pytest.param(lambda: None, id="none"),
    ],
)
def test_another_kind_of_array_is_refused(wrong) -> None:
    control = _wheel().control()
    with pytest.raises(OptionError, match=r"control\.joint_f"):
        control.joint_f = wrong()
    assert control.joint_f.numpy().tolist() == [0.0]
