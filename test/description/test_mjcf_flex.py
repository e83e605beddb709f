# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Flexible bodies of MJCF: the points of a grid are the bodies that MuJoCo makes of them; others are errors."""

import numpy as np
import pytest
from mujoco_bodies import worst_differences

import inertia_tools as it
from inertia_tools.errors import ParseError, WriteError

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")

BALL = '<geom size=".1"/>'


@pytest.fixture(autouse=True)
def _away(tmp_path, monkeypatch):
    """Keep the log that MuJoCo leaves in the working folder out of the way."""
    monkeypatch.chdir(tmp_path)


def flex(words: str, inside: str = "") -> str:
    one = f'<flexcomp name="f" {words}>{inside}</flexcomp>'
    held = f'<body name="p" pos="1 2 3" euler="0 90 0">{BALL}<frame pos="0 0 1" euler="0 0 90">{one}</frame></body>'
    return f"<mujoco><worldbody>{held}</worldbody></mujoco>"


GRIDS = {
    "a line": flex('type="grid" dim="1" count="3 1 1" spacing=".05 .05 .05" mass="2"'),
    "a sheet": flex('count="3 4 1" spacing=".1 .2 .3" pos="1 2 3" euler="0 0 30" inertiabox=".1"'),
    "a block": flex('dim="3" count="2 3 4" mass="5" radius=".01"'),
    "in a plane": flex('dim="2" count="3 3 1" dof="2d"'),
    "pinned points": flex('count="3 3 1"', '<pin id="8" range="0 1"/>'),
    "pinned places": flex('count="3 3 1"', '<pin grid="1 1" gridrange="0 0 0 2"/>'),
    "pinned places of a block": flex('dim="3" count="3 3 3"', '<pin grid="1 1 1" gridrange="0 0 0 2 0 1"/>'),
    "rigid": flex('dim="3" count="2 2 2" rigid="true" mass="7"'),
}


@pytest.mark.parametrize("name", GRIDS)
def test_points_of_a_grid_are_the_bodies_of_mujoco(name):
    robot, compiled = it.load_text(GRIDS[name]), mujoco.MjModel.from_xml_string(GRIDS[name])
    assert list(robot.links) == [compiled.body(number).name or str(number) for number in range(compiled.nbody)]
    assert max(worst_differences(robot, compiled).values()) < 1e-12
    assert [len(robot.parent_joint[link].row) for link in list(robot.links)[2:]] == compiled.body_jntnum[2:].tolist()
    assert {"unread-flex"} == {finding.code for finding in it.check(robot).document_findings}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ('type="mesh" file="a.obj"', "not read here"),
        ('dof="trilinear" dim="3"', "not read here"),
        ('count="2 0 1"', "whole numbers"),
        ('count="1000000 1000 1"', "whole numbers"),
        ('mass="0"', "positive"),
        ('mass="nan"', "positive"),
    ],
)
def test_what_is_not_read_is_an_error_with_its_line(words, says):
    with pytest.raises(ParseError, match=says) as caught:
        it.load_text(flex(words).replace("<flexcomp", "\n<flexcomp"))
    assert caught.value.line == 2


@pytest.mark.parametrize("pin", ['id="9"', 'id="-1"', 'range="0 9"', 'grid="1"', 'gridrange="0 0 1"'])
def test_pins_of_no_point_are_errors(pin):
    with pytest.raises(ParseError, match="pin"):
        it.load_text(flex('count="3 3 1"', f"<pin {pin}/>"))


def test_masses_of_points_are_not_written_into_a_flexcomp():
    robot = it.load_text(GRIDS["a sheet"])
    assert np.isclose(it.stats(robot).total_mass, 1.0 + 1000.0 * 4.0 / 3.0 * np.pi * 1e-3)
    with pytest.raises(WriteError, match="flexcomp"):
        it.fix(robot, masses=it.MassModel(total_mass=3.0))
