# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Meshes of Gmsh are the same in every format, and damaged ones are errors."""

import numpy as np
import pytest
from gmsh_files import gmsh_file

from inertia_tools.description.gmsh import read_gmsh

POINTS = np.random.default_rng(1).normal(size=(6, 3))
ELEMENTS = {
    1: [[0, 1], [1, 5]],
    2: [[0, 1, 2], [2, 1, 3], [5, 3, 4]],
    3: [[0, 1, 2, 3], [4, 1, 2, 5]],
}
FORMATS = [("2.2", False, "<"), ("2.2", True, "<"), ("2.2", True, ">"),
           ("4.1", False, "<"), ("4.1", True, "<"), ("4.1", True, ">")]  # fmt: skip


@pytest.mark.parametrize("written", FORMATS)
@pytest.mark.parametrize("dim", ELEMENTS)
def test_a_mesh_is_the_same_in_every_format(written, dim):
    mesh = read_gmsh(gmsh_file(POINTS, ELEMENTS[dim], *written))
    assert mesh.dim == dim
    assert np.array_equal(mesh.points, POINTS)
    assert np.array_equal(mesh.elements, ELEMENTS[dim])


@pytest.mark.parametrize("written", FORMATS)
def test_a_file_that_is_cut_off_or_damaged_is_an_error_or_another_mesh(written):
    whole = gmsh_file(POINTS, ELEMENTS[3], *written)
    for length in range(0, len(whole) - 15, 7):
        with pytest.raises(ValueError, match=r"\bits?\b"):
            read_gmsh(whole[:length])
    random = np.random.default_rng(2)
    for _ in range(200):
        damaged = bytearray(whole)
        damaged[random.integers(len(damaged))] = random.integers(256)
        try:
            read_gmsh(bytes(damaged))
        except ValueError as error:
            assert str(error)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda data: data.replace(b"2.2 0", b"1.0 0"), "format 2.2 or 4.1"),
        (lambda data: data.replace(b" 4 2 0 0", b" 5 2 0 0"), "type 5"),
        (lambda data: data.replace(b"$Nodes\n6", b"$Nodes\n5"), "more numbers"),
        (lambda data: data.replace(b"$Nodes\n6", b"$Nodes\n7"), "too early"),
        (lambda data: data.replace(b"2 4 2 0 0 11", b"2 4 2 0 0 99"), "names a node"),
        (lambda data: data.replace(b"$Nodes\n6", b"$Nodes\nsix"), "is not a number"),
    ],
)
def test_what_is_wrong_is_named(change, says):
    with pytest.raises(ValueError, match=says):
        read_gmsh(change(gmsh_file(POINTS, ELEMENTS[3])))


def test_a_mesh_of_points_only_is_an_error():
    with pytest.raises(ValueError, match="no segment"):
        read_gmsh(gmsh_file(POINTS, np.zeros((0, 4), dtype=int)))
