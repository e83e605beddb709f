# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Soft bodies by Newton's builder and by ours: the same names, arguments and defaults, and the same lists."""

import inspect

import numpy as np
import pytest

import inertia_tools as it

newton = pytest.importorskip(
    "newton", reason="Newton is not installed; `make peers` sets up an environment that has it"
)
wp = pytest.importorskip("warp", reason="warp-lang is not installed")

ADDERS = [
    "add_particle", "add_particles", "add_particle_grid", "add_spring", "add_edge", "add_edges", "add_triangle",
    "add_triangles", "add_tetrahedron", "add_cloth_grid", "add_cloth_mesh", "add_soft_grid", "add_soft_mesh",
    "add_attachment_particle_body",
]  # fmt: skip
SINGLE = {"rtol": 1e-5, "atol": 1e-6}
"""Newton keeps particles in single precision."""

POSE = {"pos": wp.vec3(1.0, 2.0, 3.0), "rot": wp.quat_from_axis_angle(wp.vec3(0.6, 0.0, 0.8), 0.7), "vel": wp.vec3(0.5)}
WAVE = [(x, y, 0.1 * np.sin(x + 2 * y)) for y in range(4) for x in range(3)]
FACES = [corner for y in range(3) for x in range(2) for a in [3 * y + x]
         for corner in (a, a + 1, a + 4, a, a + 4, a + 3)]  # fmt: skip


@pytest.mark.parametrize("name", ADDERS)
def test_arguments_are_those_of_newton(name):
    theirs, ours = (inspect.signature(getattr(kind.ModelBuilder, name)).parameters for kind in (newton, it))
    for argument, there in theirs.items():
        assert argument in ours and ours[argument].kind is there.kind, argument
        if there.default is not inspect.Parameter.empty:
            assert ours[argument].default == there.default, argument
    in_order = [one for one, there in theirs.items() if there.kind is there.POSITIONAL_OR_KEYWORD]
    assert list(ours)[: len(in_order)] == in_order


def test_defaults_are_those_of_newton():
    theirs, ours = newton.ModelBuilder(), it.ModelBuilder()
    names = [name for name in vars(theirs) if name.startswith(("default_particle", "default_spring", "default_tri"))]
    names += [name for name in vars(theirs) if name.startswith(("default_edge", "default_tet", "particle_max"))]
    assert len(names) > 10
    assert {name: getattr(ours, name) for name in names} == {name: getattr(theirs, name) for name in names}


def both(method, **arguments):
    made = newton.ModelBuilder(), it.ModelBuilder()
    for builder in made:
        getattr(builder, method)(**arguments)
    return made


def edges_of(builder):
    """Return the rest angle and length of each edge by its particles; those of its two triangles may be swapped."""
    rows = np.array(builder.edge_indices).tolist()
    rest = zip(np.array(builder.edge_rest_angle), np.array(builder.edge_rest_length), strict=True)
    return {frozenset(((i, k, end), (j, end, k))): value for (i, j, k, end), value in zip(rows, rest, strict=True)}


def pairs_of(builder):
    return {frozenset(pair) for pair in np.reshape(builder.spring_indices, (-1, 2)).tolist()}


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("add_cloth_grid", {"dim_x": 4, "dim_y": 3, "cell_x": 0.1, "cell_y": 0.2, "mass": 0.5, "add_springs": True}),
        ("add_cloth_grid", {"dim_x": 2, "dim_y": 2, "cell_x": 1, "cell_y": 1, "mass": 1.0, "fix_left": True}),
        ("add_cloth_mesh", {"vertices": [wp.vec3(*v) for v in WAVE], "indices": FACES, "density": 3.0, "scale": 2.0}),
    ],
)
def test_cloth_is_that_of_newton(method, arguments):
    theirs, ours = both(method, **POSE, **arguments)
    assert np.allclose(ours.tri_poses, np.array(theirs.tri_poses), rtol=1e-4, atol=1e-3)
    for name in ("particle_q", "particle_qd", "particle_mass", "particle_radius", "particle_flags", "tri_areas",
                 "tri_materials"):  # fmt: skip
        assert np.allclose(np.array(getattr(ours, name)), np.array(getattr(theirs, name)), **SINGLE), name
    assert np.array_equal(np.array(ours.tri_indices), np.array(theirs.tri_indices))
    assert pairs_of(ours) == pairs_of(theirs)
    mine, other = edges_of(ours), edges_of(theirs)
    assert mine.keys() == other.keys()
    assert all(np.allclose(mine[edge], other[edge], rtol=1e-4, atol=1e-3) for edge in mine)


def test_a_soft_mesh_is_that_of_newton():
    points = [wp.vec3(*p) for p in [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)]]
    indices = [0, 1, 2, 3, 1, 4, 2, 3]
    theirs, ours = both("add_soft_mesh", **POSE, scale=2.0, vertices=points, indices=indices, density=3.0, k_mu=5.0)
    for name in ("particle_q", "particle_mass", "tet_indices", "tet_poses", "tet_materials", "tet_activations"):
        assert np.allclose(np.array(getattr(ours, name)), np.array(getattr(theirs, name)), **SINGLE), name
    mine, other = ({tuple(sorted(row)) for row in np.array(one.tri_indices).tolist()} for one in (ours, theirs))
    assert mine == other
    assert ours.edge_count == theirs.edge_count


def test_a_soft_grid_has_the_cells_of_newton_and_the_mass_of_its_volume():
    cells = {"dim_x": 3, "dim_y": 2, "dim_z": 4, "cell_x": 0.1, "cell_y": 0.2, "cell_z": 0.3}
    material = {"density": 10.0, "k_mu": 1.0, "k_lambda": 2.0, "k_damp": 0.5}
    theirs, ours = both("add_soft_grid", **POSE, **cells, **material)
    assert np.allclose(ours.particle_q, np.array(theirs.particle_q), **SINGLE)
    mine, other = ({frozenset(row) for row in np.array(one.tet_indices).tolist()} for one in (ours, theirs))
    assert mine == other
    assert (ours.tri_count, ours.edge_count) == (theirs.tri_count, theirs.edge_count)
    volume = 24 * 0.1 * 0.2 * 0.3
    assert sum(ours.particle_mass) == pytest.approx(10.0 * volume)
    assert sum(theirs.particle_mass) > 2.0 * 10.0 * volume  # each particle weighs a cell


def test_particles_of_a_grid_stand_in_the_order_of_newton():
    grid = {"dim_x": 2, "dim_y": 3, "dim_z": 4, "cell_x": 0.1, "cell_y": 0.2, "cell_z": 0.3, "mass": 1.0, "jitter": 0.0}
    theirs, ours = both("add_particle_grid", **POSE, **grid)
    assert np.allclose(ours.particle_q, np.array(theirs.particle_q), **SINGLE)
