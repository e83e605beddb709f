# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Chains of thousands of links, and links that only the world is a neighbour of."""

import sys
import time

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.inertia.causes.evidence import Reference
from inertia_tools.inertia.checks import kin
from inertia_tools.inertia.repair import lighter_neighbours

FORMATS = ("urdf", "sdf", "mjcf", "usd")
GOOD = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
DEEP = 3000


def urdf_chain(count, inertials):
    """Write a chain of links; `inertials` maps a number to what stands in its link."""
    links = "".join(f'<link name="l{i}">{inertials(i)}</link>' for i in range(count))
    joints = "".join(
        f'<joint name="j{i}" type="continuous"><parent link="l{i - 1}"/><child link="l{i}"/><axis xyz="1 0 0"/></joint>'
        for i in range(1, count)
    )
    return f'<robot name="r">{links}{joints}</robot>'


def mjcf_chain(count):
    bodies = "".join(f'<body name="b{i}" pos="0 0 .01"><joint/><geom size=".01"/>' for i in range(count))
    return f"<mujoco><worldbody>{bodies}{'</body>' * count}</worldbody></mujoco>"


@pytest.mark.parametrize("target", FORMATS)
def test_a_chain_deeper_than_python_calls_is_converted(target):
    count = sys.getrecursionlimit() + 200
    robot = it.load_text(urdf_chain(count, lambda _: GOOD))
    conversion = it.convert(robot, format=target)
    again = it.load_text(conversion.data)
    assert len(again.links.keys() - {"world"}) == count


@pytest.mark.slow
def test_bodies_nested_thousands_deep_are_read_corrected_and_converted():
    robot = it.load_text(mjcf_chain(DEEP))
    assert len(it.stats(robot).links) == DEEP + 1
    assert it.fix(robot).is_complete
    assert it.load_text(it.convert(robot, format="mjcf").data).links.keys() == robot.links.keys()
    assert max(len(one.place.path) for one in robot.links.values()) < 10_000


def test_paths_of_nested_bodies_with_endless_names_stay_short():
    names = [f"{number}-{'n' * 3000}" for number in range(60)]
    bodies = "".join(f'<body name="{name}"><joint/><inertial mass="0" pos="0 0 0"/>' for name in names)
    robot = it.load_text(f"<mujoco><worldbody>{bodies}{'</body>' * len(names)}</worldbody></mujoco>")
    paths = {finding.path for finding in it.check(robot).findings}
    assert len(paths) >= len(names) - 1
    assert max(map(len, paths)) < 5000


@pytest.mark.slow
def test_a_link_of_twenty_thousand_copies_is_judged_in_seconds():
    """A case of the fuzzer asked for 65 546 in a text of 10 kB: over 50 s for unions and points on their surfaces."""
    copies = '<replicate count="20000" offset=".5 .1 .1" euler="0 0 .001"><geom type="ellipsoid" size=".3 .2 .1"/>'
    mesh = '<mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>'
    around = '<geom type="mesh" mesh="m"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
    text = f'<mujoco><asset>{mesh}</asset><worldbody><body name="b">{around}{copies}</replicate></body></worldbody></mujoco>'
    began = time.process_time()
    entry = it.check(it.load_text(text))["b"]
    assert time.process_time() - began < 30.0, "9 s on a slow machine, over 100 s if all points are compared"
    assert entry.computed.volume == pytest.approx(1.0 / 6.0 + 20000 * 4.0 / 3.0 * np.pi * 0.3 * 0.2 * 0.1)


@pytest.mark.parametrize("mass", ["<mass>0</mass>", "<mass>-1</mass>", None])
@pytest.mark.parametrize("target", [None, *FORMATS])
def test_a_link_without_anything_on_a_joint_to_the_world_takes_the_last_resort(mass, target):
    inertial = '<inertial auto="true"/>' if mass is None else f"<inertial>{mass}</inertial>"
    text = (
        f'<sdf version="1.9"><model name="m"><link name="a">{inertial}</link><joint name="j" type="revolute">'
        "<parent>world</parent><child>a</child><axis><xyz>0 0 1</xyz></axis></joint></model></sdf>"
    )
    robot = it.load_text(text)
    if target is not None:
        assert it.convert(robot, format=target, fix=True).data
        return
    correction = it.fix(robot)
    assert correction.is_complete
    assert correction.changes["a"].after.mass == pytest.approx(1e-3)
    assert it.fix(correction.corrected).data == correction.data


def test_a_body_without_anything_in_the_world_is_converted():
    robot = it.load_text('<mujoco><worldbody><body name="b"><joint type="hinge"/></body></worldbody></mujoco>')
    for target in FORMATS:
        assert it.convert(robot, format=target).data
        assert it.convert(robot, format=target, fix=True).data


def test_neighbours_are_the_lightest_of_the_nearest():
    robot = it.load_text(urdf_chain(7, lambda _: ""))
    found = lighter_neighbours(robot, {"l0": 5.0, "l4": 2.0, "l6": 1.0})
    assert found == {"l0": "l0", "l1": "l0", "l2": "l4", "l3": "l4", "l4": "l4", "l5": "l6", "l6": "l6"}
    assert lighter_neighbours(robot, {}) == {}


def test_equal_and_unequal_inertials_are_compared_in_near_linear_work(monkeypatch):
    """Twice the links ask for about twice as many measures, whether all are copies or none."""
    asked = []
    monkeypatch.setattr(kin, "_measured", lambda *words, own=kin._measured: asked.append(1) or own(*words))
    shape = '<collision><geometry><box size="1 1 1"/></geometry></collision>'
    for inertial in (
        lambda i: GOOD + shape,
        lambda i: GOOD.replace('ixx="1"', f'ixx="{1 - i / 1000}"') + shape,
    ):
        counts = []
        for count in (100, 200):
            asked.clear()
            it.check(it.load_text(urdf_chain(count, inertial)))
            counts.append(len(asked))
        assert 0 < counts[1] <= 2.2 * counts[0]


def test_copies_are_those_with_the_same_mass_and_moments_on_another_size():
    def inertial(i):
        size = 1.0 if i % 3 else 5.0
        moment = 1.0 if i < 6 else 2.0
        shape = f'<collision><geometry><box size="{size} {size} {size}"/></geometry></collision>'
        return GOOD.replace('ixx="1"', f'ixx="{moment}"') + shape

    report = it.check(it.load_text(urdf_chain(8, inertial)))
    copied = {finding.link for finding in report.findings if finding.code == "copied-inertial"}
    assert copied == {f"l{i}" for i in range(8)}
    few = it.check(it.load_text(urdf_chain(3, lambda i: inertial(i) if i != 1 else inertial(7))))
    assert {f.link for f in few.findings if f.code == "copied-inertial"} == {"l0", "l2"}


def test_equal_links_are_compared_with_their_kind_and_not_with_each_other(monkeypatch):
    """5000 links of one shape and inertial took four minutes: each was compared with all others."""
    compared = []
    is_like = Reference.is_like
    monkeypatch.setattr(Reference, "is_like", lambda self, other: compared.append(0) or is_like(self, other))
    count = 200
    box = '<collision><origin xyz="{} 0 0"/><geometry><box size=".4 .4 .4"/></geometry></collision>'
    report = it.check(it.load_text(urdf_chain(count, lambda number: GOOD + box.format(number % 7))))
    assert len(report.links) == count
    assert len(compared) < 20 * count
