# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Joints of a stage that are switched off: left out, or there and without effect until somebody switches them on."""

from __future__ import annotations

import numpy as np
import pytest

import inertia_tools as it

pytest.importorskip("pxr")

HEAD = '#usda 1.0\n( metersPerUnit = 1\n upAxis = "Z" )\ndef PhysicsScene "Scene" {}\n'
MASS = "float physics:mass = 1\n    float3 physics:diagonalInertia = (0.1, 0.1, 0.1)"
FALL = 0.5 * 9.81
"""How far a body falls in a second [m]."""


def body(name: str, x: float) -> str:
    schemas = 'prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]'
    place = f'double3 xformOp:translate = ({x}, 0, 0)\n    uniform token[] xformOpOrder = ["xformOp:translate"]'
    return f'def Xform "{name}" ( {schemas} )\n{{\n    {MASS}\n    {place}\n}}\n'


def joint(kind: str, name: str, ends: tuple[str, str], is_on: bool, at: tuple[float, float] = (0.0, 0.0)) -> str:
    sides = "\n    ".join(
        f"rel physics:body{side} = </{end}>\n    point3f physics:localPos{side} = ({x}, 0, 0)"
        if end
        else f"point3f physics:localPos{side} = ({x}, 0, 0)"
        for side, (end, x) in enumerate(zip(ends, at, strict=True))
    )
    return f'def Physics{kind}Joint "{name}"\n{{\n    {sides}\n    bool physics:jointEnabled = {int(is_on)}\n}}\n'


def run(model: it.Model, seconds: float, state: it.State | None = None) -> it.State:
    solver, first, second = it.solvers.SolverXPBD(model), state or model.state(), model.state()
    solver.notify_model_changed(it.ModelFlags.JOINT_PROPERTIES)
    for _ in range(round(60 * seconds)):
        solver.step(first, second, None, None, 1.0 / 60.0)
        first, second = second, first
    return first


def test_they_are_left_out_by_default() -> None:
    builder = it.ModelBuilder()
    result = builder.add_usd(HEAD + body("a", 0.0) + joint("Revolute", "hinge", ("", "a"), False))
    assert builder.joint_type == [it.JointType.FREE]
    assert "/hinge" not in result["path_joint_map"]


@pytest.mark.parametrize("kind", ["Revolute", "Fixed", "Spherical"])
@pytest.mark.parametrize("collapse", [False, True])
def test_a_body_on_one_falls_until_it_is_switched_on(kind: str, collapse: bool) -> None:
    builder = it.ModelBuilder()
    text = HEAD + body("a", 0.0) + joint(kind, "hold", ("", "a"), False)
    result = builder.add_usd(text, only_load_enabled_joints=False, collapse_fixed_joints=collapse)
    index = result["path_joint_map"]["/hold"]
    assert not builder.joint_enabled[index]
    model = builder.finalize()
    state = run(model, 1.0)
    assert state.body_q.numpy()[0, 2] == pytest.approx(-FALL, rel=1e-3)
    enabled = model.joint_enabled.numpy()
    enabled[index] = True
    model.joint_enabled.assign(enabled)
    assert run(model, 0.5, state).body_q.numpy()[0, 2] == pytest.approx(0.0, abs=1e-4)


def test_one_that_acts_carries_before_one_that_does_not() -> None:
    """The hinge to the world acts, so the joint between the bodies closes a loop and is off."""
    builder = it.ModelBuilder()
    text = HEAD + body("a", 0.0) + body("b", 1.0) + joint("Revolute", "off", ("a", "b"), False, (0.5, -0.5))
    text += joint("Revolute", "first", ("", "a"), True) + joint("Revolute", "second", ("", "b"), True, (1.0, 0.0))
    result = builder.add_usd(text, only_load_enabled_joints=False)
    joints = result["path_joint_map"]
    assert joints.keys() == {"/off", "/first", "/second"}
    assert [bool(builder.joint_enabled[joints[path]]) for path in ("/off", "/first", "/second")] == [False, True, True]
    assert builder.joints[joints["/off"]].closes_loop
    builder.finalize()


def test_bodies_on_each_other_by_joints_that_are_off_make_no_circle() -> None:
    builder = it.ModelBuilder()
    text = HEAD + body("a", 0.0) + body("b", 1.0)
    text += joint("Revolute", "there", ("a", "b"), False, (0.5, -0.5))
    text += joint("Revolute", "back", ("b", "a"), False, (-0.5, 0.5))
    builder.add_usd(text, only_load_enabled_joints=False)
    state = run(builder.finalize(), 1.0)
    np.testing.assert_allclose(state.body_q.numpy()[:, 2], -FALL, rtol=1e-3)
    np.testing.assert_allclose(state.body_q.numpy()[:, 0], [0.0, 1.0], atol=1e-6)


def test_fixed_joints_that_are_off_merge_nothing() -> None:
    builder = it.ModelBuilder()
    first, second = (builder.add_link(mass=1.0, inertia=np.eye(3)) for _ in range(2))
    builder.add_articulation([builder.add_joint_free(first), builder.add_joint_fixed(first, second, enabled=False)])
    builder.collapse_fixed_joints()
    assert builder.body_count == 2
