# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Joints of URDF that urdfdom accepts, and those for which it refuses the whole file, with what they lack."""

from robots import BOX, GOOD, link, urdf

LIMIT = '<limit lower="-1" upper="1" effort="5" velocity="2"/>'
WITHOUT_EFFORT = LIMIT.replace('effort="5"', "")
WITHOUT_VELOCITY = LIMIT.replace('velocity="2"', "")

ACCEPTED = [
    ("revolute", LIMIT),
    ("revolute", '<limit effort="5" velocity="2"/>'),
    ("continuous", ""),
    ("fixed", ""),
    ("floating", ""),
    ("prismatic", LIMIT + '<dynamics friction="0"/><safety_controller k_velocity="1"/><calibration/>'),
]
REFUSED = [
    ("revolute", "", "limit"),
    ("prismatic", "", "limit"),
    ("revolute", WITHOUT_EFFORT, "effort"),
    ("continuous", WITHOUT_EFFORT, "effort"),
    ("prismatic", WITHOUT_VELOCITY, "velocity"),
    ("revolute", '<limit lower="-1" upper="1"/>', "effort and velocity"),
    ("revolute", LIMIT + "<dynamics/>", "damping and friction"),
    ("continuous", '<safety_controller soft_lower_limit="0"/>', "k_velocity"),
]


def text(type_: str, parts: str) -> str:
    joint = f'\n<joint name="j" type="{type_}"><parent link="base"/><child link="a"/>{parts}</joint>'
    return urdf(link("base", GOOD, BOX), link("a", GOOD, BOX), joint)
