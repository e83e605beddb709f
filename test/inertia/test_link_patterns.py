# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
import pytest
from robots import GOOD, link, urdf

from inertia_tools import load_text
from inertia_tools.errors import OptionError, UnknownLinkError
from inertia_tools.inertia.link_patterns import links_matching, values_by_link

NAMES = ("base", "l_arm", "r_arm", "battery", "arm[0]")


@pytest.fixture(scope="module")
def robot():
    joints = [f'<joint name="j{n}" type="fixed"><parent link="base"/><child link="{n}"/></joint>' for n in NAMES[1:]]
    return load_text(urdf(*(link(name, GOOD) for name in NAMES), *joints))


def test_everything_but(robot):
    assert values_by_link(robot, {"*": 1}, ["battery"]) == {"base": 1, "l_arm": 1, "r_arm": 1, "arm[0]": 1}


def test_a_name_goes_before_patterns_and_exceptions_and_a_later_pattern_before_an_earlier(robot):
    assert values_by_link(robot, {"battery": 3, "*": 1, "?_arm": 2}, ["b*"]) == {
        "l_arm": 2,
        "r_arm": 2,
        "arm[0]": 1,
        "battery": 3,
    }


def test_a_link_whose_name_looks_like_a_pattern_is_meant_itself(robot):
    assert links_matching(robot, "arm[0]") == ["arm[0]"]
    assert links_matching(robot, "[lr]_arm") == ["l_arm", "r_arm"]


def test_what_matches_nothing_is_an_error_and_never_passed_over(robot):
    with pytest.raises(UnknownLinkError, match="'battery'"):
        values_by_link(robot, {"*": 1}, ["batery"])
    with pytest.raises(OptionError, match="--except"):
        values_by_link(robot, {"*": 1}, ["x*"])
    with pytest.raises(OptionError, match="--material"):
        values_by_link(robot, {"x*": 1}, option="--material")
    with pytest.raises(UnknownLinkError):
        values_by_link(robot, {"arm": 1})
