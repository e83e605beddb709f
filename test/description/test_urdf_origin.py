# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Rotations of URDF's origins: as angles, and as the quaternions of version 1.1."""

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.errors import ParseError
from inertia_tools.spatial import quaternion_from_rotation, rotation_from_rpy

TURNED = """<robot name="r"{version}>
  <link name="base"/>
  <link name="arm">
    <inertial>
      <origin xyz="1 2 3" {turn}/>
      <mass value="{mass}"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1.2" iyz="0" izz="1.5"/>
    </inertial>
    <visual><origin {turn}/><geometry><box size="1 2 3"/></geometry></visual>
    <collision><origin {turn}/><geometry><box size="1 2 3"/></geometry></collision>
  </link>
  <joint name="j" type="fixed"><origin xyz="0 1 0" {turn}/><parent link="base"/><child link="arm"/></joint>
</robot>"""

ANGLES = 'rpy="0.3 -0.4 0.5"'
QUATERNION = 'quat_xyzw="{:.17g} {:.17g} {:.17g} {:.17g}"'.format(
    *quaternion_from_rotation(rotation_from_rpy([0.3, -0.4, 0.5]))
)


def turned(version: str, turn: str, mass: str = "1") -> str:
    """Write a robot whose origins all have one rotation."""
    stated = f' version="{version}"' if version else ""
    return TURNED.format(version=stated, turn=turn, mass=mass)


def rotations(text: str) -> np.ndarray:
    """Return all rotations of the robot."""
    robot = it.load_text(text)
    arm = robot.links["arm"]
    shapes = [shape.pose_link_shape for shape in (*arm.visuals, *arm.collisions)]
    poses = [arm.declared.pose_link_inertial, *shapes, robot.joints["j"].pose_parent_child]
    return np.array([pose.rotation for pose in poses])


@pytest.mark.parametrize("version", ["1.1", "1.2"])
@pytest.mark.parametrize("length", [1.0, 10.0])
def test_a_quaternion_is_the_rotation_of_its_angles(version, length):
    numbers = " ".join(f"{length * float(word):.17g}" for word in QUATERNION.split('"')[1].split())
    found = rotations(turned(version, f'quat_xyzw="{numbers}"'))
    np.testing.assert_allclose(found, rotations(turned("1.0", ANGLES)), atol=1e-15)


@pytest.mark.parametrize("version", ["", "1.0"])
def test_a_quaternion_before_version_1_1_is_ignored_and_named(version):
    text = turned(version, QUATERNION)
    assert np.array_equal(rotations(text), np.broadcast_to(np.eye(3), (4, 3, 3)))
    found = [one for one in it.check(it.load_text(text)).findings if one.code == "unknown-attribute"]
    assert [(one.link, one.line) for one in found] == [("arm", 5), ("arm", 9), ("arm", 10), ("arm", 12)]
    assert all("1.1" in one.message for one in found)


@pytest.mark.parametrize("turn", [f"{QUATERNION} {ANGLES}", 'quat_xyzw="0 0 1"', 'quat_xyzw="0 0 0 0"', 'quat_xyzw=""'])
def test_no_rotation_and_two_of_them_are_refused(turn):
    with pytest.raises(ParseError, match="quat_xyzw"):
        it.load_text(turned("1.1", turn))


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_a_corrected_inertial_is_read_back_whatever_states_its_rotation(version):
    robot = it.load_text(turned(version, QUATERNION, mass="0"))
    fixed, wanted = it.fix(robot), it.compute(robot)["arm"].inertial
    found = it.load_text(fixed.text).links["arm"].inertial
    np.testing.assert_allclose(found.inertia, wanted.inertia, rtol=1e-9)
    np.testing.assert_allclose(found.com, wanted.com, atol=1e-12)
    assert it.fix(fixed.corrected).data == fixed.data
