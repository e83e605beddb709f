# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Descriptions, results and errors survive a copy and the way to another process."""

import copy
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest
from robots import BOX, GOOD, link, urdf

import inertia_tools as it
from inertia_tools import errors

ROBOT = urdf(
    link("base", GOOD, BOX),
    link("arm", "", BOX),
    '<joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint>',
)
TEXTS = {
    "urdf": ROBOT,
    "sdf": "<sdf version='1.9'><model name='m'><link name='a'><inertial><mass>2</mass></inertial></link></model></sdf>",
    "mjcf": "<mujoco><worldbody><body name='b'><geom size='1'/><site name='s'/></body></worldbody></mujoco>",
}
WAYS = {"pickle": lambda value: pickle.loads(pickle.dumps(value)), "copy": copy.copy, "deepcopy": copy.deepcopy}


def findings(robot):
    return [str(finding) for finding in it.check(robot).findings]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", TEXTS)
def test_a_description_keeps_what_it_says(name, way):
    robot = it.load_text(TEXTS[name])
    again = WAYS[way](robot)
    assert findings(again) == findings(robot)
    assert it.fix(again).text == it.fix(robot).text
    with pytest.raises(TypeError):
        again.links["new"] = None


@pytest.mark.parametrize("way", WAYS)
def test_results_keep_their_numbers(way):
    robot = it.load_text(ROBOT)
    for result in (it.check(robot), it.fix(robot), it.stats(robot)):
        assert type(WAYS[way](result)) is type(result)
    assert WAYS[way](it.compute(robot))["base"].inertial.mass == it.compute(robot)["base"].inertial.mass


def test_robots_are_checked_in_other_processes():
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        found = pool.submit(it.check, it.load_text(ROBOT)).result().findings
        assert [str(finding) for finding in found] == findings(it.load_text(ROBOT))
        with pytest.raises(errors.ParseError, match="no <link>") as caught:
            pool.submit(it.load_text, "<robot name='r'/>").result()
    assert caught.value.line == 1


RAISED = [
    errors.ParseError("reason", "file.urdf", 3),
    errors.MissingFileError("absent", "file.urdf"),
    errors.UnknownLinkError("arm", ["base", "leg"]),
    errors.OptionError("density", -1.0, "positive"),
    errors.OptionTypeError("density", None, "positive"),
    errors.MissingDependencyError("warp-lang", "simulating", "pip install warp-lang"),
    errors.SimulationError("diverged"),
    errors.MissingMeshError("package://robot/arm.stl", "not found"),
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)
def test_an_error_keeps_its_facts(error, way):
    again = WAYS[way](error)
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))
