# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from robots import BOX, GOOD, joint, link, urdf

import inertia_tools as it
from inertia_tools.errors import ParseError

pytest.importorskip("urdf_parser_py", reason="urdf-parser-py is not installed")

TEXT = urdf(link("base", '<origin xyz="1 2 3" rpy="0 0 0"/>' + GOOD, BOX), link("arm", GOOD), joint("arm"))


def test_round_trip_through_urdf_parser_py(capsys):
    robot = it.load_text(TEXT)
    other = robot.to_urdf_parser()
    assert other.link_map["base"].inertial.mass == 1
    back = it.from_urdf_parser(other)
    assert list(back.links) == list(robot.links)
    assert list(back.joints) == list(robot.joints)
    for name, link_ in robot.links.items():
        assert np.allclose(back.links[name].inertial.inertia, link_.inertial.inertia)
        assert np.allclose(back.links[name].inertial.com, link_.inertial.com)
    assert back.links["base"].collisions[0].geometry == robot.links["base"].collisions[0].geometry
    assert capsys.readouterr().err == ""


def test_robot_built_by_hand_in_urdf_parser_py():
    from urdf_parser_py import urdf as other

    robot = other.Robot(name="hand", version="1.0")
    robot.add_link(other.Link(name="base"))
    assert list(it.from_urdf_parser(robot).links) == ["base"]


def test_what_it_refuses_is_a_parse_error():
    with pytest.raises(ParseError, match="urdf-parser-py refuses"):
        it.load_text(urdf(link("base", '<mass value="1"/><inertia ixx="1"/>'))).to_urdf_parser()
