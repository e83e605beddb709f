# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Ten published robots go through check, fix, check."""

import re

import numpy as np
import pytest
from robots import example_robots

import inertia_tools as it

ROBOTS = {
    "UR5": "ur_description/urdf/ur5_robot.urdf",
    "Panda": "panda_description/urdf/panda.urdf",
    "Talos": "talos_data/robots/talos_full_v2.urdf",
    "HyQ": "hyq_description/robots/hyq_no_sensors.urdf",
    "Go1": "go1_description/urdf/go1.urdf",
    "Baxter": "baxter_description/urdf/baxter.urdf",
    "simple_humanoid": "simple_humanoid_description/urdf/simple_humanoid.urdf",
    "Solo12": "solo_description/robots/solo12.urdf",
    "Bolt": "bolt_description/robots/bolt.urdf",
    "Z1": "z1_description/urdf/z1.urdf",
}
INVALID = {"UR5", "Talos", "HyQ", "Go1", "Baxter", "Bolt"}

FOLDER = example_robots()
pytestmark = pytest.mark.skipif(FOLDER is None, reason="example-robot-data is not installed")


@pytest.fixture(scope="module", params=ROBOTS)
def case(request):
    robot = it.load(FOLDER / ROBOTS[request.param])
    return request.param, robot, it.fix(robot)


def test_second_check_has_no_error(case):
    name, robot, correction = case
    assert (it.check(robot).worst is it.Severity.ERROR) is (name in INVALID)
    assert it.check(correction.corrected).worst is not it.Severity.ERROR


def test_only_named_links_change_and_all_other_bytes_stay(case):
    _, robot, correction = case
    named = {f.link for f in correction.report.findings if f.severity is it.Severity.ERROR}
    assert {entry.link for entry in correction.report.links if entry.changed} == named
    before, after = blocks(robot.document.data), blocks(correction.data)
    assert before.keys() == after.keys()
    for name, block in before.items():
        if name in named:
            assert without_inertial(after[name]) == without_inertial(block)
        else:
            assert after[name] == block
    assert outside_links(correction.data) == outside_links(robot.document.data)


def test_values_from_geometry_are_those_of_compute_at_the_declared_mass(case):
    _, robot, correction = case
    computed = it.compute(robot, mass_policy="keep")
    exact = (it.Method.PRIMITIVE, it.Method.MESH, it.Method.COMPOSITE)
    for entry in correction.report.links:
        if entry.changed and entry.corrected.method in exact:
            expected, written = computed[entry.link].inertial, entry.corrected.inertial
            assert written.mass == pytest.approx(expected.mass, rel=1e-9)
            size = expected.principal_moments[-1]
            assert np.allclose(written.inertia, expected.inertia, rtol=0, atol=1e-9 * size)
            assert np.allclose(written.com, expected.com, rtol=0, atol=1e-9 * np.sqrt(size / expected.mass))


LINK = re.compile(rb"<link\s[^>]*?name\s*=\s*[\"']([^\"']+)[\"'][^>]*?(?:/>|>.*?</link>)", re.DOTALL)


def blocks(data: bytes) -> dict[bytes, bytes]:
    return {match.group(1).decode(): match.group(0) for match in LINK.finditer(data)}


def outside_links(data: bytes) -> bytes:
    return LINK.sub(b"", data)


def without_inertial(block: bytes) -> bytes:
    return re.sub(rb"<inertial>.*?</inertial>", b"<inertial/>", block, flags=re.DOTALL)
