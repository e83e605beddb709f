# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Links of one model touch each other where the file says so, but for those that a joint connects."""

import numpy as np
import pytest

import inertia_tools as it

BOX = '<collision name="c"><geometry><box><size>0.2 0.2 0.2</size></box></geometry></collision>'
TWO = f"""<sdf version="1.9"><model name="m">{{model}}
<link name="low"><pose>0 0 0.1 0 0 0</pose>{{low}}<inertial><mass>1</mass></inertial>{BOX}</link>
<link name="high"><pose>0 0 0.31 0 0 0</pose>{{high}}<inertial><mass>1</mass></inertial>{BOX}</link>{{joint}}
</model></sdf>"""
JOINT = '<joint name="j" type="prismatic"><parent>low</parent><child>high</child><axis><xyz>0 0 1</xyz></axis></joint>'
YES, NO = "<self_collide>true</self_collide>", "<self_collide>false</self_collide>"
URDF_LINK = (
    '<link name="{name}"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/>'
    '</inertial><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>'
)
URDF = (
    '<robot name="r">' + "".join(URDF_LINK.format(name=name) for name in ("low", "between", "high")) + "{gazebo}"
    '<joint name="i" type="prismatic"><parent link="low"/><child link="between"/><axis xyz="0 0 1"/>'
    '<origin xyz="0.3 0 0.21"/><limit effort="0" velocity="9"/></joint>'
    '<joint name="j" type="prismatic"><parent link="between"/><child link="high"/><axis xyz="0 0 1"/>'
    '<origin xyz="-0.3 0 0"/><limit effort="0" velocity="9"/></joint></robot>'
)


def height_of_upper(text):
    sim = it.Simulation(it.load_text(text), dtype="float64")
    sim.step(240)
    seen = sim.snapshot()
    low, high = (seen.states[seen.names.index(name), 2] for name in ("low", "high"))
    return high - low


@pytest.mark.parametrize(
    ("model", "low", "high", "touch"),
    [
        ("", "", "", False),
        (NO, "", "", False),
        (YES, "", "", True),
        ("", YES, "", True),  # one of the two is enough
        ("", "", YES, True),
        (YES, NO, NO, False),
    ],
)
def test_links_of_a_model_touch_where_it_says_so(model, low, high, touch):
    height = height_of_upper(TWO.format(model=model, low=low, high=high, joint=""))
    assert height == pytest.approx(0.2 if touch else 0.0, abs=1e-6)


def test_what_a_joint_connects_does_not_touch():
    assert height_of_upper(TWO.format(model=YES, low="", high="", joint=JOINT)) < 0.19


@pytest.mark.parametrize("tag", ["selfCollide", "self_collide"])
def test_gazebo_says_it_in_a_urdf(tag):
    said = f'<gazebo reference="high"><{tag}>true</{tag}></gazebo>'
    assert height_of_upper(URDF.format(gazebo="")) < 0.19
    assert np.isclose(height_of_upper(URDF.format(gazebo=said)), 0.2, atol=1e-5)
