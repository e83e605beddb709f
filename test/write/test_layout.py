# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What is added has the line ends and the indentation of the file: another line end leads to the same lines."""

import pytest

import inertia_tools as it

URDF = """<?xml version="1.0"?>
<robot name="r">
    <link name="a">
        <collision><geometry><box size="1 2 3"/></geometry></collision>
    </link>
    <link name="b"/>
    <joint name="j" type="revolute">
        <parent link="a"/><child link="b"/><limit lower="-1" upper="1" effort="1" velocity="1"/>
    </joint>
</robot>
"""
SDF = """<?xml version="1.0"?>
<sdf version="1.9">
    <model name="m">
        <link name="a">
            <inertial>
                <mass>2</mass>
                <inertia><ixx>1</ixx><iyy>1</iyy><izz>5</izz></inertia>
            </inertial>
            <collision name="c"><geometry><box><size>1 2 3</size></box></geometry></collision>
        </link>
    </model>
</sdf>
"""
MJCF = """<?xml version="1.0"?>
<mujoco>
    <worldbody>
        <body name="a">
            <freejoint/>
            <inertial pos="0 0 0" mass="1" diaginertia="1 1 5"/>
            <geom size="0.1"/>
        </body>
        <body name="b">
            <freejoint/>
        </body>
    </worldbody>
</mujoco>
"""


@pytest.mark.parametrize("end", ["\r\n", "\r"])
@pytest.mark.parametrize("text", [URDF, SDF, MJCF], ids=["urdf", "sdf", "mjcf"])
def test_a_correction_does_not_depend_on_line_ends(tmp_path, text, end):
    usual, other = tmp_path / "usual.xml", tmp_path / "other.xml"
    usual.write_bytes(text.encode())
    other.write_bytes(text.replace("\n", end).encode())
    expected, found = it.fix(it.load(usual)), it.fix(it.load(other))
    assert expected.changes
    assert expected.data.count(b"\n") >= text.count("\n")
    assert found.data == expected.data.replace(b"\n", end.encode())
