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


def collisions(cases, spin, dtype):
    """Return worlds in each of which two bodies at random attitudes fly at each other, their state and velocities."""
    builder, velocities = ModelBuilder(gravity=(0.0, 0.0, 0.0)), []
    for kinds, seed in cases:
        draw = np.random.default_rng(seed)
        builder.begin_world()
        for side, kind in zip((-1.0, 1.0), kinds, strict=True):
            place = (0.4 * side, *draw.normal(0.0, 0.05, 2))
            SHAPES[kind](builder, builder.add_body(Pose(place, Rotation.random(random_state=draw).as_matrix())))
        builder.end_world()
        velocities.append(
            np.hstack([[[0.5 * SPEED, 0.0, 0.0], [-0.5 * SPEED, 0.0, 0.0]], spin * draw.normal(size=(2, 3))])
        )
    model = builder.finalize(dtype=dtype)
    state = model.state()
    state.body_qd.assign(np.concatenate(velocities))
    return model, state, np.array(velocities)


def overlaps(model, state, contacts):
    """Return the greatest overlap of the bodies of each world, as the narrow phase finds it [m]."""
    model.collide(state, contacts)
    count = int(contacts.rigid_contact_count.numpy()[0])
    points = [getattr(contacts, f"rigid_contact_point{side}").numpy()[:count] for side in (0, 1)]
    shapes = [getattr(contacts, f"rigid_contact_shape{side}").numpy()[:count] for side in (0, 1)]
    poses, body = state.body_q.numpy(), model.shape_body.numpy()
    places = [
        poses[body[shape], :3] + Rotation.from_quat(poses[body[shape], 3:]).apply(point)
        for point, shape in zip(points, shapes, strict=True)
        if count
    ]
    depths = np.zeros(model.world_count)
    if count:
        gaps = np.einsum("ni,ni->n", places[1] - places[0], contacts.rigid_contact_normal.numpy()[:count])
        np.maximum.at(depths, model.shape_world.numpy()[shapes[0]], -gaps)
    return depths


def overlaps_at_the_first_hit(cases, spin, substeps, dtype):
    """Return the overlap of each two bodies at the end of the step in which they meet [m]."""
    model, state, velocities = collisions(cases, spin, dtype)
    solver, contacts, found = SolverXPBD(model, substeps=substeps), model.contacts(), model.contacts()
    result = np.full(len(cases), np.nan)
    for _ in range(40):
        solver.step(state, state, None, contacts, DT)
        depths = overlaps(model, state, found)
        changes = np.abs(state.body_qd.numpy().reshape(-1, 2, 6) - velocities)[:, :, :3].max(axis=(1, 2))
        result = np.where(np.isnan(result) & ((depths > 0.0) | (changes > 1e-6)), depths, result)
        if not np.isnan(result).any():
            return result
    raise AssertionError("some bodies do not meet")


@pytest.mark.sweep
@pytest.mark.parametrize(("dtype", "substeps"), [("float64", 1), ("float64", 4), ("float32", 1)])
@pytest.mark.parametrize("spin", [0.0, 2.0])
def test_bodies_that_meet_do_not_overlap(spin, substeps, dtype):
    """Nine in ten by less than 2 mm where they come 50 mm closer in a step, half of them not at all; it was 18 mm.

    What is left are hits after which other parts of a body strike more than once in the same step.
    """
    cases = [(pair, seed) for pair in combinations_with_replacement(SHAPES, 2) for seed in range(2)]
    depths = overlaps_at_the_first_hit(cases, spin, substeps, dtype)
    assert np.quantile(depths, [0.5, 0.9]) == pytest.approx([0.0, 0.0], abs=2e-3)
    assert np.median(depths) < 1e-4
