# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Flexible bodies of MJCF: points, elements and masses are those that MuJoCo makes; what is not read is an error."""

import numpy as np
import pytest
from gmsh_files import gmsh_file
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
    "a disc": flex('type="disc" count="5 4 1" spacing=".1 .2 .3"'),
    "a ring": flex('type="circle" dim="1" count="7 1 1" spacing=".1 1 1"'),
    "an open box": flex('type="box" count="4 3 5" spacing=".1 .2 .3"'),
    "a box": flex('type="box" dim="3" count="4 3 5" spacing=".1 .2 .3"', '<pin id="0" range="3 5"/>'),
    "a cylinder": flex('type="cylinder" dim="3" count="4 5 3" spacing=".1 .2 .3"'),
    "an ellipsoid": flex('type="ellipsoid" dim="3" count="4 5 3" spacing=".1 .2 .3"'),
    "stated points": flex(
        'type="direct" point="9 9 9 0 0 0 1 0 0 8 8 8 0 1 0 1 1 0" element="1 2 4 4 2 5" scale="1 2 3" euler="0 0 9"',
        '<pin id="4"/>',
    ),
    "rigid": flex('dim="3" count="2 2 2" rigid="true" mass="7"'),
}


@pytest.mark.parametrize("name", GRIDS)
def test_points_of_a_grid_are_the_bodies_of_mujoco(name):
    robot, compiled = it.load_text(GRIDS[name]), mujoco.MjModel.from_xml_string(GRIDS[name])
    assert list(robot.links) == [compiled.body(number).name or str(number) for number in range(compiled.nbody)]
    assert max(worst_differences(robot, compiled).values()) < 1e-12
    assert [len(robot.parent_joint[link].row) for link in list(robot.links)[2:]] == compiled.body_jntnum[2:].tolist()
    unread = {"unread-flex"} if name == "in a plane" else set()
    assert unread == {finding.code for finding in it.check(robot).document_findings}


@pytest.mark.parametrize("name", [name for name in GRIDS if name != "rigid"])
def test_points_and_elements_are_those_of_mujoco(name):
    robot, compiled = it.load_text(GRIDS[name]), mujoco.MjModel.from_xml_string(GRIDS[name])
    (flex,), data = robot.mjcf.flexes, mujoco.MjData(compiled)
    mujoco.mj_kinematics(compiled, data)
    mujoco.mj_flex(compiled, data)
    assert flex.dim == compiled.flex_dim[0]
    placed = robot.link_poses[flex.link].transform_points(flex.points)
    assert np.allclose(placed, data.flexvert_xpos, rtol=0.0, atol=1e-12)
    theirs = compiled.flex_elem.reshape(-1, flex.dim + 1)
    assert oriented(flex.elements) == oriented(theirs)
    held = [index for index in range(len(flex.points)) if index not in flex.links]
    assert held == np.flatnonzero(compiled.flex_vertbodyid == compiled.body("p").id).tolist()


@pytest.mark.parametrize("dim", [2, 3])
def test_a_file_of_gmsh_is_what_mujoco_makes_of_it(tmp_path, dim):
    points = np.vstack([np.random.default_rng(3).normal(size=(5, 3)), (9, 9, 9)]).astype(np.float32)  # as MuJoCo
    elements = [[0, 1, 2], [2, 1, 3], [3, 1, 4]] if dim == 2 else [[0, 1, 2, 3], [4, 1, 2, 3]]
    (tmp_path / "mesh.msh").write_bytes(gmsh_file(points, elements, first=1))
    text = flex('type="gmsh" file="mesh.msh" scale="1 2 3" pos="1 2 3" euler="10 20 30"', '<pin id="1"/>')
    (tmp_path / "model.xml").write_text(text)
    robot, compiled = it.load(tmp_path / "model.xml"), mujoco.MjModel.from_xml_path(str(tmp_path / "model.xml"))
    (flexible,), data = robot.mjcf.flexes, mujoco.MjData(compiled)
    mujoco.mj_kinematics(compiled, data)
    mujoco.mj_flex(compiled, data)
    placed = robot.link_poses[flexible.link].transform_points(flexible.points)
    assert np.allclose(placed, data.flexvert_xpos, rtol=0.0, atol=1e-12)
    assert oriented(flexible.elements) == oriented(compiled.flex_elem.reshape(-1, dim + 1))
    assert max(worst_differences(robot, compiled).values()) < 1e-12


def test_a_file_of_gmsh_that_is_absent_or_damaged_is_an_error(tmp_path):
    (tmp_path / "bad.msh").write_text("no mesh")
    for file, says in (("gone.msh", "does not exist"), ("bad.msh", "MeshFormat")):
        (tmp_path / "model.xml").write_text(flex(f'type="gmsh" file="{file}"'))
        with pytest.raises(ParseError, match=says):
            it.load(tmp_path / "model.xml")


def oriented(elements):
    """Return elements as a set: triangles as they wind, others in any order."""
    if elements.shape[1] != 3:
        return {frozenset(row) for row in elements.tolist()}
    return {min(tuple(np.roll(row, turn).tolist()) for turn in range(3)) for row in elements}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ('type="mesh" file="a.obj"', "is not supported"),
        ('dof="trilinear" dim="3"', "is not supported"),
        ('count="2 0 1"', "write integers"),
        ('count="1000000 1000 1"', "write integers"),
        ('mass="0"', "positive"),
        ('mass="nan"', "positive"),
        ('type="circle" dim="2"', 'dim="1"'),
        ('type="box" dim="3" count="3 1 3"', "makes no element"),
        ('count="3 1 1"', "makes no element"),
        ('spacing="0 1 1"', "spacing"),
        ('type="direct" point="0 0 0" element="0 0 0"', "twice"),
        ('type="direct" point="0 0 0 1 0 0" element="0 1 2"', "names point 2"),
        ('type="direct" point="0 0 0 1 0" element="0 1 2"', "point of <flexcomp>"),
        ('type="direct" point="0 0 0 1 0 0 0 1 0"', "element of <flexcomp>"),
    ],
)
def test_what_is_not_read_is_an_error_with_its_line(words, says):
    with pytest.raises(ParseError, match=says) as caught:
        it.load_text(flex(words).replace("<flexcomp", "\n<flexcomp"))
    assert caught.value.line == 2


@pytest.mark.parametrize(
    ("inside", "says"),
    [
        ('<elasticity young="-1"/>', "young"),
        ('<elasticity poisson="0.5"/>', "poisson"),
        ('<elasticity elastic2d="all"/>', "elastic2d"),
        ('<edge stiffness="-1"/>', "stiffness"),
        ('<edge equality="maybe"/>', "equality"),
        ('<edge equality="true" solref="0.02 -1"/>', "solref"),
    ],
)
def test_materials_without_meaning_are_errors(inside, says):
    with pytest.raises(ParseError, match=says):
        it.load_text(flex('count="3 3 1"', inside))


def test_pins_of_a_grid_are_for_grids():
    with pytest.raises(ParseError, match="are for a <flexcomp> that is a grid"):
        it.load_text(flex('type="disc" count="3 3 1"', '<pin grid="1 1"/>'))


@pytest.mark.parametrize("pin", ['id="9"', 'id="-1"', 'range="0 9"', 'grid="1"', 'gridrange="0 0 1"'])
def test_pins_of_no_point_are_errors(pin):
    with pytest.raises(ParseError, match="pin"):
        it.load_text(flex('count="3 3 1"', f"<pin {pin}/>"))


def test_masses_of_points_are_not_written_into_a_flexcomp():
    robot = it.load_text(GRIDS["a sheet"])
    assert np.isclose(it.stats(robot).total_mass, 1.0 + 1000.0 * 4.0 / 3.0 * np.pi * 1e-3)
    with pytest.raises(WriteError, match="flexcomp"):
        it.fix(robot, masses=it.MassModel(total_mass=3.0))
