# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Soft solids fill their space once, weigh what they should, and have a closed surface that points outwards."""

import numpy as np
import pytest
from soft_bodies import areas_and_normals, points, random_pose, soft_box, volumes

import inertia_tools as it
from inertia_tools.errors import OptionError, SimulationError

CUBE = [(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)]
TETRAHEDRON = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]


@pytest.mark.parametrize("seed", range(3))
def test_masses_add_to_density_times_volume(seed):
    counts, cells = (3, 2, 4), (0.1, 0.2, 0.05)
    builder = soft_box(counts, cells, 120.0, **random_pose(seed))
    assert sum(builder.particle_mass) == pytest.approx(120.0 * np.prod(counts) * np.prod(cells), rel=1e-12)
    assert builder.tet_count == 5 * np.prod(counts)
    assert min(builder.particle_mass) > 0.0


@pytest.mark.parametrize("seed", range(3))
def test_tetrahedra_fill_the_box_without_overlap(seed):
    counts, cells = np.array((3, 2, 4)), np.array((0.1, 0.2, 0.05))
    builder = soft_box(counts, cells)
    assert (volumes(builder) > 0.0).all()
    assert volumes(builder).sum() == pytest.approx(np.prod(counts * cells), rel=1e-12)
    corners = points(builder)[np.array(builder.tet_indices)]
    edges = np.linalg.inv(np.swapaxes(corners[:, 1:] - corners[:, :1], 1, 2))
    for point in np.random.default_rng(seed).uniform(0.0, counts * cells, (200, 3)):
        weights = np.einsum("nij,nj->ni", edges, point - corners[:, 0])
        inside = (weights > 0.0).all(axis=1) & (weights.sum(axis=1) < 1.0)
        assert inside.sum() == 1


def test_the_surface_of_a_box_is_closed_and_points_outwards():
    counts, cells = np.array((3, 2, 4)), np.array((0.1, 0.2, 0.05))
    builder = soft_box(counts, cells)
    areas, normals = areas_and_normals(builder)
    x, y, z = counts * cells
    assert areas.sum() == pytest.approx(2.0 * (x * y + y * z + z * x), rel=1e-12)
    assert np.allclose((areas[:, None] * normals).sum(axis=0), 0.0, atol=1e-15)
    centres = points(builder)[np.array(builder.tri_indices)].mean(axis=1)
    outward = ((centres - 0.5 * counts * cells) * normals).sum(axis=1)
    assert (outward > 0.0).all()
    # Gauss: the flux of the position through the surface is three times the volume.
    assert (areas * (centres * normals).sum(axis=1)).sum() == pytest.approx(3.0 * x * y * z, rel=1e-12)
    assert not any((np.array(builder.edge_indices) < 0).ravel())
    assert builder.particle_count - len(_inner(builder)) - builder.edge_count + builder.tri_count == 2  # Euler


def _inner(builder):
    return set(range(builder.particle_count)) - set(np.array(builder.tri_indices).ravel().tolist())


def test_rest_poses_are_those_of_the_shape_itself():
    builder = soft_box(**random_pose(1))
    corners = points(builder)[np.array(builder.tet_indices)]
    edges = np.swapaxes(corners[:, 1:] - corners[:, :1], 1, 2)
    assert np.allclose(edges @ np.array(builder.tet_poses), np.eye(3), atol=1e-12)


@pytest.mark.parametrize(
    ("side", "axis", "end"), [("left", 0, 0.0), ("right", 0, 0.3), ("bottom", 1, 0.0), ("top", 1, 0.4)]
)
def test_a_fixed_side_is_pinned_and_nothing_else(side, axis, end):
    builder = soft_box(**{f"fix_{side}": True})
    pinned = np.isclose(points(builder)[:, axis], end)
    assert np.array_equal(np.array(builder.particle_mass) == 0.0, pinned)
    assert np.array_equal(builder.finalize().particle_inv_mass.numpy() == 0.0, pinned)


def test_a_mesh_of_a_grid_is_the_grid():
    grid = soft_box(**random_pose(2))
    mesh = it.ModelBuilder()
    mesh.add_particle((9.0, 9.0, 9.0), mass=1.0)
    mesh.add_soft_mesh(
        vertices=points(soft_box()) / 2.0, indices=np.ravel(grid.tet_indices), scale=2.0, density=120.0,
        **random_pose(2),
    )  # fmt: skip
    assert np.allclose(mesh.particle_q[1:], grid.particle_q, atol=1e-14)
    assert np.allclose(mesh.particle_mass[1:], grid.particle_mass, rtol=1e-12)
    for name in ("tet_indices", "tri_indices", "edge_indices"):
        assert np.array_equal(np.array(getattr(mesh, name)), np.array(getattr(grid, name)) + 1), name


def test_materials_are_one_for_all_or_one_each():
    builder = soft_box((1, 1, 1), k_mu=[1.0, 2.0, 3.0, 4.0, 5.0], k_lambda=7.0)
    assert builder.tet_materials == [(mu, 7.0, 0.0) for mu in (1.0, 2.0, 3.0, 4.0, 5.0)]


def test_solids_that_touch_along_a_line_have_no_edge_there():
    builder = it.ModelBuilder()
    vertices = [(0, 0, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0)]
    builder.add_soft_mesh(vertices=vertices, indices=[0, 2, 3, 1, 0, 4, 5, 1], density=1.0)
    assert builder.edge_count == 10
    assert (0, 1) not in {tuple(sorted(row[2:].tolist())) for row in builder.edge_indices}


MESH = {"vertices": TETRAHEDRON, "indices": [0, 1, 2, 3], "density": 1.0}


@pytest.mark.parametrize(
    ("wrong", "error", "named"),
    [
        ({"density": -1.0}, OptionError, "density"),
        ({"density": np.nan}, OptionError, "density"),
        ({"k_mu": -1.0}, OptionError, "k_mu"),
        ({"k_lambda": [1.0, 2.0]}, OptionError, "k_lambda"),
        ({"k_damp": np.inf}, OptionError, "k_damp"),
        ({"scale": 0.0}, OptionError, "scale"),
        ({"pos": (0.0, np.nan, 0.0)}, OptionError, "pos"),
        ({"rot": (0.0, 0.0, 0.0, 0.0)}, OptionError, "rot"),
        ({"vel": 3}, OptionError, "vel"),
        ({"tri_ke": -1.0}, OptionError, "tri_ke"),
        ({"edge_kd": -1.0}, OptionError, "edge_kd"),
        ({"particle_radius": -1.0}, OptionError, "radius"),
        ({"indices": [0, 1, 2]}, OptionError, "indices"),
        ({"indices": [0, 1, 2, 4]}, OptionError, "indices"),
        ({"indices": [0, 1, 2, -1]}, OptionError, "indices"),
        ({"indices": [0, 1, 2, 2]}, OptionError, "different"),
        ({"indices": [0, 1, 2, 0.5]}, OptionError, "indices"),
        ({"vertices": [*TETRAHEDRON, (5, 5, 5)]}, OptionError, "vertex 4 is in no tetrahedron"),
        ({"vertices": None}, OptionError, "vertices"),
        ({"indices": [0, 2, 1, 3]}, SimulationError, "inverted.*swap two"),
        ({"vertices": [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)]}, SimulationError, "flat"),
        ({"indices": [0, 1, 2, 3] * 3}, SimulationError, "more than two tetrahedra"),
    ],
)
def test_what_is_wrong_is_named_and_adds_nothing(wrong, error, named):
    builder = it.ModelBuilder()
    with pytest.raises(error, match=named):
        builder.add_soft_mesh(**(MESH | wrong))
    assert builder.particle_count == builder.tet_count == builder.tri_count == 0


def test_a_grid_of_no_cell_or_no_size_is_refused():
    for counts, cells, named in (((0, 1, 1), (1, 1, 1), "dim_x"), ((1, 1, 1), (1, 1, 0), "cell_z")):
        with pytest.raises(OptionError, match=named):
            soft_box(counts, cells)


def test_a_single_tetrahedron_returns_its_volume():
    builder = it.ModelBuilder()
    for point in TETRAHEDRON:
        builder.add_particle(point)
    assert builder.add_tetrahedron(0, 1, 2, 3) == pytest.approx(1.0 / 6.0, rel=1e-15)
    assert builder.tet_materials == [(1e3, 1e3, 0.0)]
    with pytest.raises(SimulationError, match="inverted"):
        builder.add_tetrahedron(1, 0, 2, 3)
