# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""MJCF through other formats and back: inertials, and what drives, springs and couples its joints."""

import warnings

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.conversion import Kind

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")

ROBOT = """<mujoco model="r"><compiler angle="radian"/><worldbody>
  <body name="a" pos="0 0 1"><freejoint name="f"/><geom size=".1 .2" type="capsule" zaxis="1 2 3"/>
    <body name="b" pos=".3 0 0" euler=".1 .2 .3">
      <joint name="x" type="slide" axis="1 0 0" armature=".1" range="-1 1"/>
      <joint name="y" stiffness="3" springref=".2" damping=".5" frictionloss=".1" pos="0 0 .1"/>
      <inertial pos=".1 .2 .3" quat="1 2 3 4" mass="2" diaginertia="1 1.2 1.3"/></body>
    <body name="c" pos="-.3 0 0"><joint name="z"/><geom type="box" size=".1 .2 .3" pos="0 .1 0" euler="1 0 0"/>
      <geom size=".05" density="7000"/></body></body>
  <body name="d"><joint name="w"/><geom size=".1"/></body></worldbody>
<equality><connect name="hold" body1="b" body2="c" anchor=".1 0 0"/><weld name="on" body1="d" body2="c"/>
  <joint joint1="y" joint2="z" polycoef=".1 2"/></equality>
<actuator><position joint="z" kp="5" kv="1" forcerange="-3 3"/><velocity joint="x" kv="2"/><motor joint="w"/></actuator></mujoco>"""

ONE_EACH = ROBOT.replace('<joint name="x" type="slide" axis="1 0 0" armature=".1" range="-1 1"/>', "").replace(
    '<velocity joint="x" kv="2"/>', ""
)
"""The same with one joint a body, which other formats can hold."""


@pytest.fixture(autouse=True)
def _away(tmp_path, monkeypatch):
    """Keep the log that MuJoCo leaves in the working folder out of the way."""
    monkeypatch.chdir(tmp_path)


def of(robot) -> dict:
    return {one.name: one for joint in robot.joints.values() for one in joint.row}


def test_joints_come_back():
    robot = it.load_text(ROBOT)
    conversion = it.convert(robot, format="mjcf")
    back = it.load_text(conversion.data)
    mujoco.MjModel.from_xml_string(conversion.data.decode())
    before, after = of(robot), of(back)
    for name in "xyzw":
        for field in ("type", "damping", "friction", "armature", "stiffness", "rest", "mimic"):
            assert getattr(before[name], field) == getattr(after[name], field), (name, field)
    assert before["z"].drive == after["z"].drive and before["x"].drive == after["x"].drive
    assert after["w"].drive is None
    for one, other in zip(robot.loop_joints, back.loop_joints, strict=True):
        assert (one.name, one.type, one.parent, one.child) == (other.name, other.type, other.parent, other.child)
        assert one.pose_child_joint.isclose(other.pose_child_joint, 1e-12)
        assert one.pose_parent_child.isclose(other.pose_parent_child, 1e-12)


def test_what_other_formats_cannot_hold_is_named():
    notes = it.convert(it.load_text(ONE_EACH), format="sdf").noted(Kind.DROPPED)
    said = {note.name: note.message for note in notes}
    assert "its drive" in said["z"]


@pytest.mark.parametrize("through", [("sdf",), ("sdf", "mjcf"), ("mjcf", "sdf", "mjcf")])
def test_inertials_are_those_of_mujoco(through):
    robot = it.load_text(ONE_EACH)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled = mujoco.MjModel.from_xml_string(ONE_EACH)
        for format_ in through:
            robot = it.load_text(it.convert(robot, format=format_, lump=False).data)
    found = it.resolve(robot).links
    for name in "abcd":
        body = compiled.body(name)
        axes = np.zeros(9)
        mujoco.mju_quat2Mat(axes, body.iquat)
        axes = axes.reshape(3, 3)
        tensor = axes @ np.diag(body.inertia) @ axes.T
        ours = found[name].inertial
        assert ours.mass == pytest.approx(body.mass[0], rel=1e-9)
        assert np.allclose(ours.com, body.ipos, atol=1e-9)
        assert np.abs(ours.inertia - tensor).max() <= 1e-9 * body.inertia.max()


@pytest.mark.parametrize("target", ["mjcf", "usd"])
def test_motors_are_noted_where_drives_are_carried(target):
    if target == "usd":
        pytest.importorskip("pxr", reason="usd-core is not installed")
    conversion = it.convert(it.load_text(ONE_EACH), format=target)
    dropped = {note.name for note in conversion.notes if note.kind is Kind.DROPPED}
    assert "actuator 'motor'" in dropped
    assert "<actuator>" not in dropped
    assert of(conversion.prepared)["z"].drive is not None
