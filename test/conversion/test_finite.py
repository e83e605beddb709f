# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Whatever numbers a document states, a conversion can be read by its own reader, or is refused with the joint's name."""

import math

import pytest

import inertia_tools as it
from inertia_tools.conversion.account import Kind
from inertia_tools.errors import ConversionError, InertiaToolsError

FORMATS = ("urdf", "sdf", "mjcf", "usd")
HUGE = ("inf", "nan", "-inf", "1e400", "1e308")
GOOD = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
NUMBERS = {
    "at": "0",
    "turn": "0",
    "size": "1",
    "length": "1",
    "joint_at": "0",
    "axis": "0",
    "lower": "-1",
    "upper": "1",
    "effort": "1",
    "velocity": "1",
    "damping": "0.1",
    "friction": "0.1",
    "ratio": "2",
    "offset": "0",
}
ROBOT = """<robot name="r"><link name="a">{good}<visual><origin xyz="{at} 0 0" rpy="{turn} 0 0"/><geometry>
<cylinder radius="{size}" length="{length}"/></geometry></visual><collision name="box"><origin xyz="{at} 0 0"/><geometry>
<box size="1 {size} {length}"/></geometry></collision></link><link name="b">{good}</link><link name="c">{good}</link>
<joint name="j" type="revolute"><origin xyz="{joint_at} 0 0"/><parent link="a"/><child link="b"/><axis xyz="{axis} 0 1"/>
<limit lower="{lower}" upper="{upper}" effort="{effort}" velocity="{velocity}"/>
<dynamics damping="{damping}" friction="{friction}"/></joint><joint name="k" type="continuous"><parent link="b"/>
<child link="c"/><axis xyz="0 0 1"/><mimic joint="j" multiplier="{ratio}" offset="{offset}"/></joint></robot>"""


def robot(**numbers):
    return it.load_text(ROBOT.format(good=GOOD, **{**NUMBERS, **numbers}))


@pytest.mark.parametrize("target", FORMATS)
@pytest.mark.parametrize("which", NUMBERS)
def test_what_is_written_can_be_read(which, target):
    written = 0
    for bad in HUGE:
        try:
            conversion = it.convert(robot(**{which: bad}), format=target)
        except InertiaToolsError as error:
            assert str(error)
            continue
        again = it.load_text(conversion.data)
        assert {"b", "c"} <= set(again.links)
        written += 1
    assert written or which in ("joint_at", "axis", "ratio", "offset")


@pytest.mark.parametrize("scale", HUGE)
@pytest.mark.parametrize("target", FORMATS)
def test_a_mesh_of_no_size_is_left_out_and_named(tmp_path, scale, target):
    text = (
        f'<robot name="r"><link name="a">{GOOD}<visual><geometry><mesh filename="m.stl" scale="{scale} 1 1"/>'
        "</geometry></visual></link></robot>"
    )
    conversion = it.convert(it.load_text(text, base_dir=tmp_path), format=target)
    assert not it.load_text(conversion.data, base_dir=tmp_path).links["a"].shapes
    assert any(note.name == "a" and "omitted" in note.message for note in conversion.noted(Kind.DROPPED))


@pytest.mark.parametrize("target", ["sdf", "mjcf", "usd"])
def test_a_bound_at_infinity_is_none(target):
    limit = next(iter(_limits(it.convert(robot(lower="-inf", upper="inf"), format=target))))
    assert limit.lower in (None, -math.inf)
    assert limit.upper in (None, math.inf)


def _limits(conversion):
    return [joint.limit for joint in it.load_text(conversion.data).joints.values() if joint.name == "j"]


@pytest.mark.parametrize("which", ["ratio", "offset"])
def test_a_joint_that_follows_nothing_in_use_is_named(which):
    with pytest.raises(ConversionError, match="joint 'k'"):
        it.convert(robot(**{which: "inf"}), format="mjcf")


def test_sound_numbers_stay():
    conversion = it.convert(robot(), format="urdf")
    assert not conversion.noted(Kind.DROPPED)
    joint = it.load_text(conversion.data).joints["j"]
    assert (joint.limit.lower, joint.limit.upper, joint.damping) == (-1.0, 1.0, 0.1)
