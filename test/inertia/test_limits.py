# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Limits of joints that let a robot explode or stand still, and joints of no known type."""

import pytest
from robots import BOX, GOOD, link, urdf

import inertia_tools as it
from inertia_tools.errors import ConversionError, SimulationError

LIMIT = '<limit lower="-1" upper="1" effort="5" velocity="2"/>'


def robot(type_: str, limit: str = LIMIT) -> it.Description:
    joint = f'<joint name="j" type="{type_}"><parent link="base"/><child link="a"/>{limit}</joint>'
    return it.load_text(urdf(link("base", GOOD, BOX), link("a", GOOD, BOX), joint))


def codes(described: it.Description) -> list[str]:
    return [f.code for f in it.check(described)["a"].findings if f.code.startswith(("limit", "unknown"))]


REVERSED = LIMIT.replace('"-1"', '"2"')
STILL = LIMIT.replace('"5"', '"0"')
SLOW = LIMIT.replace('"2"', '"0"')


@pytest.mark.parametrize(
    ("type_", "limit", "found"),
    [
        ("revolute", LIMIT, []),
        ("revolute", REVERSED, ["limit-reversed"]),
        ("prismatic", REVERSED, ["limit-reversed"]),
        ("continuous", REVERSED, []),
        ("fixed", REVERSED, []),
        ("revolute", STILL, ["limit-zero"]),
        ("prismatic", SLOW, ["limit-zero"]),
        ("continuous", STILL, ["limit-zero"]),
        ("continuous", "", []),
        ("fixed", STILL, []),
        ("revolute", REVERSED.replace('"5"', '"0"'), ["limit-reversed", "limit-zero"]),
        ("revolute", LIMIT.replace('"-1"', '"1"'), []),
    ],
)
def test_limits(type_, limit, found):
    assert codes(robot(type_, limit)) == found


def test_a_reversed_limit_of_sdformat_is_found_and_a_zero_effort_is_its_own_business():
    axis = "<axis><xyz>0 0 1</xyz><limit><lower>2</lower><upper>1</upper><effort>0</effort></limit></axis>"
    joint = f"<joint name='j' type='revolute'><parent>b</parent><child>a</child>{axis}</joint>"
    described = it.load_text(
        f"<sdf version='1.9'><model name='m'><link name='b'/><link name='a'/>{joint}</model></sdf>"
    )
    assert codes(described) == ["limit-reversed"]


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        (STILL, "the effort of joint 'j' is limited to zero, so no drive can move it"),
        (
            STILL.replace('"2"', '"0"'),
            "the effort and velocity of joint 'j' are limited to zero, so no drive can move it",
        ),
    ],
)
def test_a_joint_without_effort_may_still_move_by_itself(limit, said):
    (found,) = [f for f in it.check(robot("revolute", limit))["a"].findings if f.code == "limit-zero"]
    assert said in found.message


def test_a_finding_names_line_and_joint():
    (found,) = [f for f in it.check(robot("revolute", REVERSED))["a"].findings if f.code == "limit-reversed"]
    assert (found.severity, found.line) == (it.Severity.WARNING, 4)
    assert "'j'" in found.message


@pytest.mark.parametrize("type_", ["ball", "Revolute", "", "screw"])
def test_an_unknown_type_is_an_error_that_leaves_the_rest_to_be_checked(type_):
    described = robot(type_)
    assert described.joints["j"].type.value == "fixed"
    (found,) = [f for f in it.check(described)["a"].findings if f.code == "unknown-joint-type"]
    assert (found.severity, found.line) == (it.Severity.ERROR, 4)
    assert "use one of fixed, revolute" in found.message
    assert not it.fix(described).changes
    with pytest.raises(ConversionError, match="unknown"):
        it.convert(described, format="sdf")
    with pytest.raises(SimulationError, match="unknown"):
        it.ModelBuilder().add_description(described)


def coupled(leaders: dict[str, str], kinds: dict[str, str]) -> it.Description:
    """Return a base with a joint for each name, which mimics another where `leaders` names one."""
    parts = [link("base", GOOD, BOX)]
    for name in "abc":
        mimic = f'<mimic joint="{leaders[name]}" multiplier="2"/>' if name in leaders else ""
        kind = kinds.get(name, "revolute")
        parts.append(link(name, GOOD, BOX))
        parts.append(
            f'<joint name="{name}" type="{kind}"><parent link="base"/><child link="{name}"/>{LIMIT}{mimic}</joint>'
        )
    return it.load_text(urdf(*parts))


@pytest.mark.parametrize(
    ("leaders", "kinds", "found"),
    [
        ({"a": "b"}, {}, ""),
        ({"a": "b", "b": "c"}, {}, ""),
        ({"a": "b"}, {"b": "prismatic"}, ""),
        ({"a": "nothing"}, {}, "a"),
        ({"a": "a"}, {}, "a"),
        ({"a": "b", "b": "a"}, {}, "ab"),
        ({"a": "b", "b": "nothing"}, {}, "ab"),
        ({"a": "b"}, {"b": "floating"}, "a"),
        ({"a": "nothing"}, {"a": "fixed"}, ""),
    ],
)
def test_a_follower_needs_a_leader(leaders, kinds, found):
    described = coupled(leaders, kinds)
    reported = [f for f in it.check(described).findings if f.code == "mimic-without-leader"]
    assert "".join(f.link for f in reported) == found
    assert all(f.severity is it.Severity.WARNING for f in reported)


def test_a_follower_without_leader_is_a_reason_for_instability():
    pytest.importorskip("warp", reason="warp-lang is not installed")
    found = it.diagnose(coupled({"a": "nothing"}, {}), settle=False)
    assert ("mimic-without-leader", "a") in [(one.code, one.joint) for one in found.reasons]
    assert not found.is_stable
