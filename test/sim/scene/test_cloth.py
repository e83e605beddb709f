# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Cloth weighs what it should, has each edge once, and is at rest as it is built."""

import numpy as np
import pytest
from soft_bodies import areas_and_normals, points, random_pose

import inertia_tools as it
from inertia_tools.errors import OptionError, SimulationError
from inertia_tools.spatial import rotation_from_quaternion

SQUARE = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]


def cloth(dim_x=4, dim_y=3, **options) -> it.ModelBuilder:
    builder = it.ModelBuilder()
    builder.add_cloth_grid(dim_x=dim_x, dim_y=dim_y, cell_x=0.1, cell_y=0.2, **({"mass": 0.5} | options))
    return builder


def folded(angle: float, **options) -> it.ModelBuilder:
    """Two triangles that share the edge from the origin along x, the second one turned up by an angle."""
    builder = it.ModelBuilder()
    wing = (0.5, -np.cos(angle), np.sin(angle))
    vertices = [(0, 0, 0), (1, 0, 0), (0.5, 1, 0), wing]
    builder.add_cloth_mesh(vertices=vertices, indices=[0, 1, 2, 1, 0, 3], density=1.0, **options)
    return builder


def edge_between(builder, k, l_):
    rows = np.array(builder.edge_indices)
    return int(np.nonzero((np.sort(rows[:, 2:], axis=1) == sorted((k, l_))).all(axis=1))[0][0])


@pytest.mark.parametrize("seed", range(3))
def test_a_grid_is_flat_and_each_of_its_edges_is_there_once(seed):
    pose = random_pose(seed)
    builder = cloth(**pose)
    assert (builder.particle_count, builder.tri_count) == (5 * 4, 2 * 4 * 3)
    assert builder.particle_mass == [0.5] * 20
    areas, normals = areas_and_normals(builder)
    assert areas.sum() == pytest.approx(0.4 * 0.6, rel=1e-12)
    assert np.allclose(builder.tri_areas, areas, rtol=1e-12)
    assert np.allclose(normals, rotation_from_quaternion(pose["rot"])[:, 2], atol=1e-12)
    assert np.allclose(builder.edge_rest_angle, 0.0, atol=1e-12)
    assert np.allclose(builder.particle_qd, pose["vel"])
    edges = np.array(builder.edge_indices)
    ends = np.sort(edges[:, 2:], axis=1)
    assert len(np.unique(ends, axis=0)) == len(edges)
    assert builder.particle_count - builder.edge_count + builder.tri_count == 1  # Euler, of a disc
    assert (edges[:, 1] == -1).sum() == 2 * (4 + 3)


def test_triangles_of_an_edge_are_those_of_the_cloth_as_they_wind():
    builder = cloth()
    known = {tuple(np.roll(row, turn).tolist()) for row in builder.tri_indices for turn in range(3)}
    for i, j, k, l_ in np.array(builder.edge_indices).tolist():
        assert (i, k, l_) in known
        assert j == -1 or (j, l_, k) in known


def test_rest_poses_of_triangles_are_those_of_the_shape_itself():
    builder = cloth(**random_pose(5))
    corners = points(builder)[np.array(builder.tri_indices)]
    edges = np.swapaxes(corners[:, 1:] - corners[:, :1], 1, 2)
    stretched = edges @ np.array(builder.tri_poses)
    assert np.allclose(np.swapaxes(stretched, 1, 2) @ stretched, np.eye(2), atol=1e-12)


@pytest.mark.parametrize("angle", [-2.5, -1.0, -0.2, 0.3, 1.5, 3.0])
def test_rest_angle_is_negative_where_the_cloth_folds_towards_its_normals(angle):
    builder = folded(angle, **random_pose(3))
    assert builder.edge_rest_angle[edge_between(builder, 0, 1)] == pytest.approx(-angle, abs=1e-12)
    assert np.count_nonzero(builder.edge_rest_angle) == 1


def test_mass_of_a_mesh_is_density_times_area_in_equal_parts():
    builder = it.ModelBuilder()
    builder.add_cloth_mesh(vertices=SQUARE, indices=[0, 1, 2, 0, 2, 3], density=3.0, scale=2.0, **random_pose(4))
    assert builder.particle_mass == pytest.approx([4.0, 2.0, 4.0, 2.0], rel=1e-12)


def test_reversed_winding_turns_the_normals_over():
    builder = cloth(reverse_winding=True)
    assert np.allclose(areas_and_normals(builder)[1], (0.0, 0.0, -1.0))


def test_springs_lie_along_edges_and_across_inner_ones_once():
    builder = cloth(2, 2, add_springs=True, spring_ke=7.0)
    ends = np.sort(np.array(builder.spring_indices).reshape(-1, 2), axis=1)
    inner = sum(1 for row in builder.edge_indices if row[1] != -1)
    assert len(np.unique(ends, axis=0)) == len(ends) == builder.edge_count + inner
    gaps = points(builder)[ends[:, 1]] - points(builder)[ends[:, 0]]
    assert np.allclose(builder.spring_rest_length, np.linalg.norm(gaps, axis=1))
    assert builder.spring_stiffness == [7.0] * len(ends)


@pytest.mark.parametrize(
    ("side", "axis", "end"), [("left", 0, 0.0), ("right", 0, 0.4), ("bottom", 1, 0.0), ("top", 1, 0.6)]
)
def test_a_fixed_side_is_pinned_and_nothing_else(side, axis, end):
    builder = cloth(**{f"fix_{side}": True})
    pinned = np.isclose(points(builder)[:, axis], end)
    assert np.array_equal(np.array(builder.particle_mass) == 0.0, pinned)
    assert np.array_equal(np.array(builder.particle_flags) == 0, pinned)


def test_a_closed_mesh_has_no_boundary():
    builder = it.ModelBuilder()
    faces = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]
    builder.add_cloth_mesh(vertices=[(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], indices=faces, density=1.0)
    assert builder.edge_count == 6
    assert (np.array(builder.edge_indices) >= 0).all()


MESH = {"vertices": SQUARE, "indices": [0, 1, 2, 0, 2, 3], "density": 1.0}


@pytest.mark.parametrize(
    ("wrong", "error", "named"),
    [
        ({"density": -1.0}, OptionError, "density"),
        ({"vertices": [(0, 0, 0), (1, 0, np.nan), (1, 1, 0), (0, 1, 0)]}, OptionError, "vertices"),
        ({"vertices": [*SQUARE, (2, 2, 2)]}, OptionError, "vertex 4 is in no triangle"),
        ({"indices": [0, 1, 2, 0, 2, 4]}, OptionError, "indices"),
        ({"indices": [0, 1, 2, 0, 2]}, OptionError, "indices"),
        ({"tri_ke": -1.0}, OptionError, "tri_ke"),
        ({"tri_ka": [1.0]}, OptionError, "tri_ka"),
        ({"edge_ke": np.nan}, OptionError, "edge_ke"),
        ({"add_springs": True, "spring_ke": -1.0}, OptionError, "spring_ke"),
        ({"particle_radius": np.inf}, OptionError, "radius"),
        ({"color": (2.0, 0.0, 0.0)}, OptionError, "color"),
        ({"opacity": [0.5, 1.5]}, OptionError, "opacity"),
        ({"indices": [0, 1, 2, 2, 0, 3, 0, 2, 1]}, SimulationError, "not manifold: 3 triangles.*0 and 2"),
        ({"indices": [0, 1, 2, 0, 3, 2]}, SimulationError, "have opposite winding"),
        ({"vertices": [(0, 0, 0), (1, 0, 0), (2, 0, 0), (0, 1, 0)]}, SimulationError, "no area"),
    ],
)
def test_what_is_wrong_is_named_and_adds_nothing(wrong, error, named):
    builder = it.ModelBuilder()
    with pytest.raises(error, match=named):
        builder.add_cloth_mesh(**(MESH | wrong))
    assert builder.particle_count == builder.tri_count == builder.edge_count == builder.spring_count == 0


@pytest.mark.parametrize(
    ("wrong", "named"),
    [({"mass": -1.0}, "mass"), ({"dim_x": 0}, "dim_x"), ({"dim_y": 1.5}, "dim_y"), ({"rot": (1, 0, 0)}, "rot")],
)
def test_a_wrong_grid_is_refused(wrong, named):
    with pytest.raises(OptionError, match=named):
        cloth(**wrong)


def test_single_elements_are_as_those_of_a_mesh():
    mesh = folded(0.5)
    builder = it.ModelBuilder()
    for point in mesh.particle_q:
        builder.add_particle(point)
    assert builder.add_triangle(0, 1, 2, tri_ke=9.0) == pytest.approx(0.5)
    assert builder.add_triangles([1], [0], [3], tri_ka=[8.0])[0] == pytest.approx(0.5)
    assert builder.tri_materials == [(9.0, 100.0, 10.0, 0.0, 0.0), (100.0, 8.0, 10.0, 0.0, 0.0)]
    assert builder.add_edge(2, 3, 0, 1) == 0
    assert builder.edge_rest_angle[0] == pytest.approx(-0.5)
    builder.add_edges([2], [-1], [0], [1], rest=[0.25], edge_ke=3.0)
    assert builder.edge_rest_angle[1] == 0.25
    assert builder.edge_bending_properties == [(100.0, 0.0), (3.0, 0.0)]
    with pytest.raises(OptionError, match="only j"):
        builder.add_edge(-1, 3, 0, 1)


@pytest.mark.parametrize("where", [{"cell_x": 1e-200}, {"pos": (1e20, 0.0, 0.0)}])
def test_cells_without_area_are_refused_and_nothing_of_them_is_added(where):
    builder = it.ModelBuilder()
    with pytest.raises(SimulationError, match=r"triangle 0 .* has no area"):
        builder.add_cloth_grid(**{"dim_x": 2, "dim_y": 2, "cell_x": 0.1, "cell_y": 0.1, "mass": 0.1, **where})
    assert (builder.particle_count, builder.tri_count, builder.edge_count) == (0, 0, 0)
