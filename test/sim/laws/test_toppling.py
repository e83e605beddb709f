# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A block that topples turns about its edge as a pendulum that stands on its head."""

import itertools

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from inertia_tools.sim.builder import ModelBuilder
from inertia_tools.sim.scene.mesh_shape import Mesh
from inertia_tools.sim.scene.shape_config import ShapeConfig
from inertia_tools.sim.solver import SolverXPBD
from inertia_tools.spatial import Pose

G = 9.81
HALF_WIDTH, HALF_HEIGHT = 0.05, 0.2
TO_CENTRE = np.hypot(HALF_WIDTH, HALF_HEIGHT)
INERTIA = 4.0 / 3.0 * TO_CENTRE**2
"""About the edge, of 1 kg [kg m^2]."""

LEAST_RATE = np.sqrt(2.0 * G * (TO_CENTRE - HALF_HEIGHT) / INERTIA)
"""Rate from which the block goes over its edge [rad/s]."""

CORNERS = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T * [HALF_WIDTH, HALF_WIDTH, HALF_HEIGHT]
SIDES = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
CUBE = np.concatenate([SIDES[:, [0, 1, 2]], SIDES[:, [0, 2, 3]]])


def block(scene, kind, rate, **options):
    """A block of 1 kg that stands on the floor, about to turn about its edge at a rate [rad/s]."""
    builder = ModelBuilder()
    builder.add_ground_plane(cfg=ShapeConfig(mu=1.0))
    across, along = HALF_WIDTH**2 + HALF_HEIGHT**2, 2.0 * HALF_WIDTH**2
    inertia = np.diag([across, across, along]) / 3.0
    body = builder.add_link(xform=Pose(np.array([0.0, 0.0, HALF_HEIGHT])), mass=1.0, inertia=inertia, lock_inertia=True)
    cfg = ShapeConfig(mu=1.0, density=0.0)
    if kind == "box":
        builder.add_shape_box(body, hx=HALF_WIDTH, hy=HALF_WIDTH, hz=HALF_HEIGHT, cfg=cfg)
    else:
        builder.add_shape_convex_hull(body, mesh=Mesh(CORNERS, CUBE), cfg=cfg)
    run = scene(builder, **options)
    run.set_velocity(body, (HALF_HEIGHT * rate, 0.0, HALF_WIDTH * rate), (0.0, rate, 0.0))
    return run


def angle(run):
    q = run.q[0]
    return 2.0 * np.arctan2(q[4], q[6])


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("kind", ["box", "hull"])
def test_a_block_follows_the_pendulum_to_the_second_order(scene, kind, dtype):
    rate, start = 1.2 * LEAST_RATE, np.arctan2(HALF_WIDTH, HALF_HEIGHT)
    fall = solve_ivp(
        lambda _, y: [y[1], -G * TO_CENTRE * np.sin(start - y[0]) / INERTIA], (0.0, 0.3), [0.0, rate], rtol=1e-11
    )
    coarse, fine = (
        abs(angle(block(scene, kind, rate, dtype=dtype, substeps=n).run(0.3)) - fall.y[0, -1]) for n in (2, 4)
    )
    assert fine < 2e-5
    assert fine < 0.3 * coarse


@pytest.mark.parametrize(("over", "falls"), [(1e-4, True), (-1e-4, False)])
def test_the_least_rate_is_that_of_the_edge(scene, over, falls):
    run = block(scene, "box", (1.0 + over) * LEAST_RATE, substeps=4).run(2.0)
    assert (angle(run) > 1.0) == falls


TABLE = np.array(list(itertools.product([-2.0, 0.0], [-1.0, 1.6], [-0.2, 0.0])))
DIE = np.array(list(itertools.product([-0.1, 0.1], repeat=3)))

ON_TABLES = {
    "box": lambda builder, body: builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1),
    "hull": lambda builder, body: builder.add_shape_convex_hull(body, mesh=DIE),
    "cylinder": lambda builder, body: builder.add_shape_cylinder(body, radius=0.1, half_height=0.1),
}


@pytest.mark.sweep
@pytest.mark.parametrize("table", ["box", "hull"])
@pytest.mark.parametrize("kind", list(ON_TABLES))
@pytest.mark.parametrize(("inside", "yaw"), [(0.08, 0.5), (0.05, 0.0), (0.03, 0.5), (0.003, 0.0), (-0.003, 0.5)])
def test_what_stands_over_an_edge_falls_when_its_centre_does(table, kind, inside, yaw):
    """The patch ends where the two outlines cross, however far off the corners of either are."""
    builder = ModelBuilder()
    if table == "box":
        builder.add_shape_box(-1, xform=Pose(np.array([-1.0, 0.3, -0.1])), hx=1.0, hy=1.3, hz=0.1)
    else:
        builder.add_shape_convex_hull(-1, mesh=TABLE)
    ON_TABLES[kind](builder, builder.add_link(xform=Pose.from_xyz_rpy([-inside, 0.0, 0.1], [0.0, 0.0, yaw])))
    model = builder.finalize(dtype="float64")
    solver, state, contacts = SolverXPBD(model, substeps=4), model.state(), model.contacts()
    for _ in range(720):
        solver.step(state, state, None, contacts, 1.0 / 240.0)
    place = state.body_q.numpy()[0, :3]
    if inside < 0.0:
        assert place[2] < -0.5
    else:
        assert place == pytest.approx([-inside, 0.0, 0.1], abs=1e-6)
