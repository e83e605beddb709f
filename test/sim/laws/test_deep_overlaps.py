# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Shapes that overlap deeply come apart slowly, and edges that cross hold each other."""

import itertools

import numpy as np
import pytest

from inertia_tools.sim.builder import ModelBuilder
from inertia_tools.sim.scene.mesh_shape import Mesh
from inertia_tools.sim.scene.shape_config import ShapeConfig
from inertia_tools.sim.solver import SolverXPBD
from inertia_tools.spatial import Pose

DT = 1.0 / 240.0
CUBE = np.array(list(itertools.product([-0.1, 0.1], repeat=3)))
FACES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4],
     [1, 5, 7], [1, 7, 3]]
)  # fmt: skip

SHAPES = {
    "sphere": lambda b, i: b.add_shape_sphere(i, radius=0.1),
    "box": lambda b, i: b.add_shape_box(i, hx=0.1, hy=0.1, hz=0.1),
    "capsule": lambda b, i: b.add_shape_capsule(i, radius=0.1, half_height=0.1),
    "cylinder": lambda b, i: b.add_shape_cylinder(i, radius=0.1, half_height=0.1),
    "hull": lambda b, i: b.add_shape_convex_hull(i, mesh=CUBE),
    "ellipsoid": lambda b, i: b.add_shape_ellipsoid(i, a=0.1, b=0.12, c=0.14),
    "cone": lambda b, i: b.add_shape_cone(i, radius=0.1, half_height=0.1),
}


def overlapping(scene, first, second, height=0.05):
    """One shape, nearly where another is, without gravity; the greatest speed of 2 s [m/s]."""
    builder = ModelBuilder(gravity=(0.0, 0.0, 0.0))
    SHAPES[first](builder, builder.add_link(xform=Pose.from_xyz_rpy([0.02, 0.03, height], [0.1, 0.2, 0.3])))
    if second == "plane":
        builder.add_ground_plane()
    elif second == "mesh":
        builder.add_shape_mesh(-1, mesh=Mesh(CUBE, FACES.ravel()))
    else:
        SHAPES[second](builder, builder.add_link())
    run = scene(builder, substeps=4)
    fastest = 0.0
    for _ in range(480):
        run.run(DT)
        fastest = max(fastest, float(np.abs(run.qd[:, :3]).max()))
    run.model.collide(run.state, run.contacts)
    return fastest, run.contacts.geometry.depths.max(initial=0.0)


@pytest.mark.parametrize(("first", "second"), itertools.combinations_with_replacement(SHAPES, 2))
def test_deep_overlap_of_any_pair_comes_apart_slowly(scene, first, second):
    fastest, depth = overlapping(scene, first, second)
    assert fastest < 0.5
    assert depth < 1e-4


@pytest.mark.parametrize("first", SHAPES)
@pytest.mark.parametrize(("second", "height"), [("plane", 0.05), ("mesh", 0.16)])
def test_deep_overlap_with_what_stays_comes_apart_slowly(scene, first, second, height):
    fastest, depth = overlapping(scene, first, second, height)
    assert fastest < 0.35
    assert depth < 1e-4


def crossed(scene, offset, hull):
    """A cube on its edge, held in space, on whose edge another one falls crosswise, a little off the middle."""
    builder = ModelBuilder()
    add, cfg = builder.add_shape_box, ShapeConfig(mu=1.0)
    lower = builder.add_link(is_kinematic=True, xform=Pose.from_xyz_rpy([0.0, 0.0, 0.0], [np.pi / 4, 0.0, 0.0]))
    high = 0.2 * np.sqrt(2.0)
    upper = builder.add_link(xform=Pose.from_xyz_rpy([offset, 0.0, high + 0.01], [0.0, np.pi / 4, 0.0]))
    for body in (lower, upper):
        if hull:
            builder.add_shape_convex_hull(body, mesh=CUBE, cfg=cfg)
        else:
            add(body, hx=0.1, hy=0.1, hz=0.1, cfg=cfg)
    return scene(builder), upper, high


@pytest.mark.parametrize("hull", [False, True])
@pytest.mark.parametrize("offset", [0.0, 0.03, 0.06])
def test_edges_that_cross_hold_each_other(scene, offset, hull):
    run, upper, high = crossed(scene, offset, hull)
    lowest = min(run.run(DT).q[upper, 2] for _ in range(40))
    assert lowest > high - 1e-6
    assert run.force_on(upper, 0)[2] == pytest.approx(9.81 * run.model.inertials[upper].mass, rel=1e-3)


def test_a_bar_across_another_stands_where_no_corner_is(scene):
    """A plus sign off its middle: no corner or middle of an edge of either lies over the other."""
    builder = ModelBuilder()
    for size, place in (((0.25, 0.09, 0.09), (0.0, 0.0, 0.09)), ((0.09, 0.25, 0.09), (0.12, 0.05, 0.27))):
        body = builder.add_link(xform=Pose(np.array(place)))
        builder.add_shape_box(body, hx=size[0], hy=size[1], hz=size[2])
    builder.add_ground_plane()
    run = scene(builder).run(0.5)
    assert run.q[1] == pytest.approx([0.12, 0.05, 0.27, 0.0, 0.0, 0.0, 1.0], abs=1e-5)


@pytest.mark.parametrize("shape", ["box", "hull", "cylinder"])
@pytest.mark.parametrize("overlap", [0.001, 0.008, 0.03])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_what_stands_on_its_like_comes_out_of_it_upwards(shape, overlap, dtype):
    """Their sides lie over each other, so that corners that are inside are nearer to a side than to the top."""
    builder = ModelBuilder()
    builder.add_ground_plane()
    wanted = np.array([0.1, 0.3, 0.5])
    for k in range(3):
        body = builder.add_link(xform=Pose.from_xyz_rpy([0.0, 0.0, wanted[k] - k * overlap]))
        SHAPES[shape](builder, body)
    model = builder.finalize(dtype=dtype)
    solver, state, contacts = SolverXPBD(model, substeps=4), model.state(), model.contacts()
    for _ in range(480):
        solver.step(state, state, None, contacts, DT)
    off = state.body_q.numpy()[:, :3] - np.stack([0.0 * wanted, 0.0 * wanted, wanted], axis=1)
    assert np.abs(off).max() < (1e-8 if dtype == "float64" else 2e-5)
    assert np.abs(state.body_qd.numpy()).max() < (1e-8 if dtype == "float64" else 1e-5)


@pytest.mark.sweep
@pytest.mark.parametrize("gravity", [9.81, 1.62, 0.01])
@pytest.mark.parametrize(("substeps", "dtype"), [(1, "float64"), (10, "float64"), (10, "float32")])
def test_boxes_that_overlap_hop_no_higher_where_gravity_is_small(gravity, substeps, dtype):
    builder = ModelBuilder(gravity=-gravity)
    builder.add_ground_plane()
    for height in (0.045, 0.135):
        builder.add_shape_box(builder.add_link(xform=Pose((0.0, 0.0, height))), hx=0.05, hy=0.05, hz=0.05)
    model = builder.finalize(dtype=dtype)
    state, contacts, solver = model.state(), model.contacts(), SolverXPBD(model, substeps=substeps)
    rises = []
    for _ in range(int(1.0 / (DT * np.sqrt(gravity / 9.81)))):
        solver.step(state, state, None, contacts, DT)
        rises.append(state.body_q.numpy()[:, 2] - (0.05, 0.15))
    assert np.max(rises) < 2e-3
    assert np.abs(rises[-1]).max() < 1e-6
