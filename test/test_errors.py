# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Errors are of Python's own classes, too, so that a script can catch what it knows."""

from __future__ import annotations

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools import errors


def test_what_cannot_be_read_or_built_is_a_value_error():
    for kind in (errors.ParseError, errors.MeshError, errors.UnknownLinkError, errors.SimulationError):
        assert issubclass(kind, ValueError)
    with pytest.raises(ValueError, match="cyclic"):
        it.ModelBuilder().add_urdf(
            '<robot name="r"><link name="a"/><link name="b"/><link name="c"/>'
            '<joint name="x" type="continuous"><parent link="a"/><child link="b"/><mimic joint="y"/></joint>'
            '<joint name="y" type="continuous"><parent link="b"/><child link="c"/><mimic joint="x"/></joint></robot>'
        )


def test_files_that_are_not_there_are_not_found(tmp_path):
    for read in (it.load, it.Mesh.create_from_file, it.TetMesh.create_from_file):
        with pytest.raises(FileNotFoundError, match=r"absent\.vtk"):
            read(str(tmp_path / "absent.vtk"))


def test_a_value_of_another_type_is_a_type_error():
    place = {"pos": (0.0, 0.0, 0.0), "rot": (0.0, 0.0, 0.0, 1.0), "scale": 1.0, "vel": (0.0, 0.0, 0.0)}
    with pytest.raises(TypeError, match="TetMesh"):
        it.ModelBuilder().add_soft_mesh(mesh="cube", **place)
    with pytest.raises(TypeError, match="no option"):
        it.ModelBuilder.JointDofConfig(stifness=1.0)


def test_one_error_is_not_wrapped_in_another():
    """A document that cannot be used says why in its own words, with the line."""
    text = '<?xml version="1.0"?>\n<!DOCTYPE r [<!ENTITY a "b">]>\n<robot name="r"/>'
    with pytest.raises(errors.ParseError) as caught:
        it.load_text(text)
    assert caught.value.line == 2
    assert "well-formed" not in str(caught.value)


@pytest.mark.parametrize(
    "use",
    [it.check, it.causes, it.compute, it.fix, it.stats, it.resolve, it.save_automatic, it.diagnose, it.Simulation],
    ids=lambda use: use.__name__,
)
@pytest.mark.parametrize("given", ["robot.urdf", None, [1.0] * 10_000])
def test_what_is_no_description_is_refused_with_the_remedy(use, given):
    with pytest.raises(
        errors.OptionError, match=r"robot must be a Description, as load returns it.*; it is "
    ) as caught:
        use(given)
    assert len(str(caught.value)) < 300


def test_the_second_robot_of_a_comparison_is_refused_by_its_name():
    robot = it.load_text('<robot name="r"><link name="a"/></robot>')
    with pytest.raises(errors.OptionError, match=r"after must be .*; it is 'robot\.urdf'"):
        it.diff(robot, "robot.urdf")


@pytest.mark.parametrize("density", ["1000", None, -1.0, float("nan"), (1.0,)])
def test_a_density_that_is_no_positive_number_is_refused(density):
    with pytest.raises(errors.OptionError, match=r"density must be a positive number.*; it is "):
        it.compute(it.load_text('<robot name="r"><link name="a"/></robot>'), density=density)


@pytest.mark.parametrize("given", [None, 3, ["robot.urdf"], object()])
@pytest.mark.parametrize(("read", "name"), [(it.load, "path"), (it.load_text, "text")])
def test_what_is_no_path_and_no_text_is_refused_by_name(read, name, given):
    with pytest.raises(errors.OptionTypeError, match=rf"^{name} must be the "):
        read(given)


def test_the_name_of_a_file_is_no_text():
    with pytest.raises(errors.ParseError, match="read the file with load"):
        it.load_text("robots/robot.urdf")


@pytest.mark.parametrize("error", [errors.UnknownLinkError, errors.UnknownEntityError, errors.UnknownJointError])
def test_alternatives_are_names(error):
    """An entity without a name is none; what was asked for may be no name at all."""
    assert str(error("zz", ["", ""])).endswith("none of them has a name")
    assert str(error("arn", ["", "arm"])).endswith("did you mean 'arm'?")
    assert str(error(None, ["", "arm"])).endswith("known: arm")


def test_numbers_of_numpy_are_shown_as_numbers():
    assert str(errors.OptionError("lower", np.float64(2.0), "at most 1")).endswith("it is 2.0")
    assert str(errors.OptionError("count", np.int32(2), "1")).endswith("it is 2")
    assert str(errors.OptionError("mass", np.array(1.5), "1")).endswith("it is 1.5")


@pytest.mark.parametrize(("name", "remedy"), [("absent.urdf", "correct the path"), ("", "name a file")])
def test_a_file_that_cannot_be_opened_has_a_remedy(tmp_path, name, remedy):
    with pytest.raises(errors.ParseError, match=f"cannot be opened: .*; {remedy}$"):
        it.load(tmp_path / name)


def test_an_option_without_another_one_that_it_needs_names_that():
    assert (
        str(errors.MissingOptionError("--a", "--b FILE", "the file to write"))
        == "--a needs --b FILE, the file to write"
    )
