# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Origins of URDF as urdfdom reads them, through Pinocchio."""

import numpy as np
import pytest

import inertia_tools as it

pinocchio = pytest.importorskip(
    "pinocchio", reason="Pinocchio is not installed; `make peers` sets up an environment that has it"
)

ROBOT = """<robot name="r"{version}><link name="base"/><link name="arm"><inertial><origin xyz="1 2 3" {turn}/>
<mass value="2"/><inertia ixx="1" ixy="0.1" ixz="0" iyy="1.2" iyz="0" izz="1.5"/></inertial></link>
<joint name="j" type="continuous"><origin xyz="0 1 0" {turn}/><axis xyz="1 0 0"/><parent link="base"/><child link="arm"/></joint>
</robot>"""


@pytest.mark.parametrize("version", ["", ' version="1.0"', ' version="1.1"', ' version="1.2"'])
@pytest.mark.parametrize("turn", ['quat_xyzw="0.1 -0.7 0.5 0.2"', 'quat_xyzw="6 0 0 8"', 'rpy="0.1 0.2 0.3"'])
def test_rotations_are_the_same(version, turn):
    text = ROBOT.format(version=version, turn=turn)
    theirs, robot = pinocchio.buildModelFromXML(text), it.load_text(text)
    joint, body = theirs.jointPlacements[1], theirs.inertias[1]
    np.testing.assert_allclose(robot.joints["j"].pose_parent_child.rotation, joint.rotation, atol=1e-12)
    np.testing.assert_allclose(robot.links["arm"].inertial.inertia, body.inertia, atol=1e-12)


def test_two_rotations_are_refused_by_both():
    text = ROBOT.format(version=' version="1.1"', turn='rpy="0 0 1" quat_xyzw="0 0 0 1"')
    with pytest.raises(ValueError, match="valid URDF"):
        pinocchio.buildModelFromXML(text)
    with pytest.raises(it.errors.ParseError, match="keep one"):
        it.load_text(text)
