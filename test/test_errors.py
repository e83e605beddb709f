# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Errors are of Python's own classes, too, so that a script can catch what it knows."""

from __future__ import annotations

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
