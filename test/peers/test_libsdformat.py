# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""libsdformat as the second reader: what we correct or convert loads there without an error, with the same inertials.

The checker beside this file is built when libsdformat 12 is installed (Debian's libsdformat-dev); newer elements than
that version knows are the business of our own reader.
"""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from robots import BOX, GOOD, example_robots, joint, link, mass, tensor, urdf

import inertia_tools as it
from inertia_tools.conversion import Kind
from inertia_tools.inertial import six_of_tensor

CASES = json.loads((Path(__file__).parents[1] / "description" / "sdf_cases.json").read_text())
AGREEMENT = 1e-12
VERSION = re.compile(rb"""(<sdf[^>]*version=)["'][0-9.]+["']""")

ROBOTS = [
    "a1_description/urdf/a1.urdf",
    "anymal_b_simple_description/robots/anymal.urdf",
    "go1_description/urdf/go1.urdf",
    "allegro_hand_description/urdf/allegro_left_hand.urdf",
    "bolt_description/robots/bolt.urdf",
    "pr2_description/urdf/pr2.urdf",
    "talos_data/robots/talos_full_v2.urdf",
    "talos_data/robots/talos_reduced.urdf",
    "tiago_description/robots/tiago.urdf",
    "ur_description/urdf/ur5_robot.urdf",
    "z1_description/urdf/z1.urdf",
    "icub_description/robots/icub.urdf",
]

LUMPED_THERE = [
    "a1_description/urdf/a1.urdf",
    "allegro_hand_description/urdf/allegro_left_hand.urdf",
    "b1_description/urdf/b1-z1.urdf",
    "baxter_description/urdf/baxter.urdf",
    "bolt_description/robots/bolt.urdf",
    "centauro_description/urdf/centauro.urdf",
    "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "go1_description/urdf/go1.urdf",
    "go2_description/urdf/go2.urdf",
    "hyq_description/robots/hyq_no_sensors.urdf",
    "kinova_description/robots/kinova.urdf",
    "laikago_description/urdf/laikago.urdf",
    "panda_description/urdf/panda.urdf",
    "pr2_description/urdf/pr2.urdf",
    "simple_humanoid_description/urdf/simple_humanoid.urdf",
    "solo_description/robots/solo12.urdf",
    "tiago_description/robots/tiago_dual.urdf",
    "tiago_pro_description/robots/tiago_pro.urdf",
    "ur_description/urdf/ur5_robot.urdf",
    "z1_description/urdf/z1.urdf",
]
"""Published robots that libsdformat reads as URDF, dropping none of their links."""

LUMPING_AGREEMENT = 1e-11
"""Its poses go through angles more often than ours, and lose digits close to gimbal lock."""


pytestmark = pytest.mark.usefixtures("libsdformat")


def as_1_9(data: bytes) -> bytes:
    return VERSION.sub(rb'\1"1.9"', data)


def disagreement(ours, theirs) -> float:
    six = six_of_tensor(ours.inertia)
    return max(
        abs(ours.mass - theirs["mass"]) / ours.mass,
        float(np.abs(ours.com - theirs["com"]).max()),
        float(np.abs(six - theirs["inertia"]).max() / (np.abs(six).max() or 1.0)),
    )


def assert_read_alike(read, robots):
    """Check that libsdformat finds no error in files, and the inertials that we read there."""
    for (path, expected), found in zip(robots.items(), read(robots), strict=True):
        assert found["errors"] == [], path
        assert set(found["links"]) == set(expected), path
        for name, inertial in expected.items():
            assert disagreement(inertial, found["links"][name]) <= AGREEMENT, (path, name)


def in_force(robot):
    return {name: link.inertial for name, link in it.resolve(robot).links.items()}


def test_corrected_files(libsdformat, tmp_path):
    """Every worked case that can be loaded and is made right by `fix`, with its automatic inertials written."""
    robots = {}
    for case in CASES:
        if case["kind"] != "links" or "beside" in case or "calculator" in case or case.get("unresolved"):
            continue  # with files beside it, or nothing to resolve
        robot = it.load_text(case["file"])
        fixed = it.fix(it.save_automatic(it.fix(robot).corrected, clear_auto=True), scope="implausible")
        if case["error"] and fixed.data == case["file"].encode():
            continue  # nothing in it was corrected: it differs from what libsdformat takes by one last bit
        if not fixed.is_complete or any(link.is_static for link in robot.links.values()):
            continue
        path = tmp_path / f"{case['id']}.sdf"
        path.write_bytes(as_1_9(fixed.data))
        robots[path] = in_force(it.load(path))
    assert len(robots) >= 50
    assert_read_alike(libsdformat, robots)


def test_converted_cases(libsdformat, tmp_path):
    """Every worked case of conversion loads; nothing is left out there either."""
    robots = {}
    for case in CASES:
        if case["kind"] == "conversion":
            path = tmp_path / f"{case['id']}.sdf"
            conversion = it.convert(it.load_text(case["file"]), path)
            robots[path] = {name: link.inertial for name, link in conversion.prepared.links.items()}
    assert len(robots) == 10
    assert_read_alike(libsdformat, robots)


@pytest.mark.parametrize("version", ["1.7", "1.8", "1.9"])
def test_converted_files_of_each_version(libsdformat, tmp_path, version):
    robot = it.load_text(
        urdf(
            link("base", GOOD, BOX),
            link("upper", '<origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/>' + mass(0.7) + tensor(0.1, 0.2, 0.25, 0.01)),
            link("plate", GOOD, '<cylinder radius="0.1" length="0.3"/>', "visual"),
            joint("upper", origin='0.1 0.2 0.3" rpy="0.1 1.5707963267948966 0.3'),
            joint("plate", "upper", "fixed"),
        )
    )
    conversion = it.convert(robot, tmp_path / "r.sdf", sdf_version=version)
    expected = {name: link.inertial for name, link in conversion.prepared.links.items()}
    assert_read_alike(libsdformat, {tmp_path / "r.sdf": expected})


@pytest.mark.skipif(example_robots() is None, reason="example-robot-data is not installed")
def test_published_robots(libsdformat, tmp_path):
    """Conversions as they are: an error there is one of an inertial that our account names."""
    conversions = {}
    for name in ROBOTS:
        path = tmp_path / f"{Path(name).stem}.sdf"
        conversions[path] = it.convert(example_robots() / name, path, sdf_version="1.9")
    for (path, conversion), found in zip(conversions.items(), libsdformat(conversions), strict=True):
        refused = {note.name for note in conversion.noted(Kind.REFUSED)}
        named = {error.split()[3] for error in found["errors"] if error.endswith("has invalid inertia.")}
        assert len(named) == len(found["errors"]) and named <= refused, (path, found["errors"])
        for link_name, one in conversion.prepared.links.items():
            assert disagreement(one.inertial, found["links"][link_name]) <= AGREEMENT, (path, link_name)


@pytest.mark.skipif(example_robots() is None, reason="example-robot-data is not installed")
def test_lumping_agrees_with_that_of_libsdformat(libsdformat):
    """libsdformat converts URDFs itself: where it drops nothing, every link has the same inertial."""
    paths = [example_robots() / name for name in LUMPED_THERE]
    for path, found in zip(paths, libsdformat(paths), strict=True):
        conversion = it.convert(path, format="sdf")
        ours, before = conversion.prepared.links, conversion.robot.links
        assert set(ours) == set(found["links"]), path
        for name, one in ours.items():
            assert disagreement(one.inertial, found["links"][name]) <= LUMPING_AGREEMENT, (path, name)
            for kind in ("collisions", "visuals"):
                moved = slice(len(getattr(before[name], kind)), None)
                names = [shape.name for shape in getattr(one, kind)]
                assert names[moved] == found["links"][name][kind][moved], (path, name)


@pytest.mark.skipif(example_robots() is None, reason="example-robot-data is not installed")
@pytest.mark.parametrize(
    "name",
    [
        "a1_description/urdf/a1.urdf",
        "bolt_description/robots/bolt.urdf",
        "talos_data/robots/talos_full_v2.urdf",
        "pr2_description/urdf/pr2.urdf",
    ],
)
def test_published_robots_corrected(libsdformat, tmp_path, name):
    conversion = it.convert(example_robots() / name, tmp_path / "r.sdf", sdf_version="1.9", fix=True)
    expected = {link_name: one.inertial for link_name, one in conversion.prepared.links.items()}
    assert_read_alike(libsdformat, {tmp_path / "r.sdf": expected})
