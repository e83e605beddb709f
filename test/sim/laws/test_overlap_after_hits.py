# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Bodies that fly at each other do not overlap when they have met, whatever part of them touches first."""

from itertools import combinations_with_replacement

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from inertia_tools.sim.builder import ModelBuilder
from inertia_tools.sim.solver import SolverXPBD
from inertia_tools.spatial import Pose

PEBBLE = np.random.default_rng(5).normal(size=(14, 3))
PEBBLE *= 0.13 / np.linalg.norm(PEBBLE, axis=1, keepdims=True)
PEBBLE = PEBBLE[ConvexHull(PEBBLE).vertices]

SHAPES = {
    "box": lambda b, i: b.add_shape_box(i, hx=0.15, hy=0.1, hz=0.12),
    "cylinder": lambda b, i: b.add_shape_cylinder(i, radius=0.12, half_height=0.12),
    "cone": lambda b, i: b.add_shape_cone(i, radius=0.12, half_height=0.15),
    "capsule": lambda b, i: b.add_shape_capsule(i, radius=0.08, half_height=0.12),
    "ellipsoid": lambda b, i: b.add_shape_ellipsoid(i, None, 0.12, 0.08, 0.15),
    "hull": lambda b, i: b.add_shape_convex_hull(i, mesh=PEBBLE),
}
SPEED, DT = 3.0, 1.0 / 60.0


def collision(kinds, seed, spin, dtype):
    """Return a scene of two bodies at random attitudes that fly at each other, its solver and state."""
    draw, builder = np.random.default_rng(seed), ModelBuilder(gravity=(0.0, 0.0, 0.0))
    for side, kind in zip((-1.0, 1.0), kinds, strict=True):
        place = (0.4 * side, *draw.normal(0.0, 0.05, 2))
        SHAPES[kind](builder, builder.add_body(Pose(place, Rotation.random(random_state=draw).as_matrix())))
    model = builder.finalize(dtype=dtype)
    state = model.state()
    velocity = np.hstack([[[0.5 * SPEED, 0.0, 0.0], [-0.5 * SPEED, 0.0, 0.0]], spin * draw.normal(size=(2, 3))])
    state.body_qd.assign(velocity)
    return model, state, velocity


def overlap(model, state):
    """Return the greatest overlap of the bodies, as the narrow phase finds it [m]."""
    contacts = model.collide(state)
    count = int(contacts.rigid_contact_count.numpy()[0])
    points = [getattr(contacts, f"rigid_contact_point{side}").numpy()[:count] for side in (0, 1)]
    shapes = [getattr(contacts, f"rigid_contact_shape{side}").numpy()[:count] for side in (0, 1)]
    poses, body = state.body_q.numpy(), model.shape_body.numpy()
    places = [
        poses[body[shape], :3] + Rotation.from_quat(poses[body[shape], 3:]).apply(point)
        for point, shape in zip(points, shapes, strict=True)
        if count
    ]
    if not count:
        return 0.0
    gaps = np.einsum("ni,ni->n", places[1] - places[0], contacts.rigid_contact_normal.numpy()[:count])
    return max(-float(gaps.min()), 0.0)


def overlap_at_the_first_hit(kinds, seed, spin, substeps, dtype):
    """Return the overlap at the end of the step in which two bodies meet [m]."""
    model, state, velocity = collision(kinds, seed, spin, dtype)
    solver, contacts = SolverXPBD(model, substeps=substeps), model.contacts()
    for _ in range(40):
        solver.step(state, state, None, contacts, DT)
        depth = overlap(model, state)
        if depth > 0.0 or np.abs(state.body_qd.numpy()[:, :3] - velocity[:, :3]).max() > 1e-6:
            return depth
    raise AssertionError("the bodies do not meet")


@pytest.mark.parametrize(("dtype", "substeps"), [("float64", 1), ("float64", 4), ("float32", 1)])
@pytest.mark.parametrize("spin", [0.0, 2.0])
def test_bodies_that_meet_do_not_overlap(spin, substeps, dtype):
    """Nine in ten by less than 2 mm where they come 50 mm closer in a step, half of them not at all; it was 18 mm.

    What is left are hits that turn a body so fast that another part of it strikes in the same step.
    """
    pairs = combinations_with_replacement(SHAPES, 2)
    depths = [overlap_at_the_first_hit(pair, seed, spin, substeps, dtype) for pair in pairs for seed in range(3)]
    assert np.quantile(depths, [0.5, 0.9]) == pytest.approx([0.0, 0.0], abs=2e-3)
    assert np.median(depths) < 1e-4
