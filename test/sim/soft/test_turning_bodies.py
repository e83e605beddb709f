# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Particles on bodies that turn follow the arcs of their points, whatever the angle in a substep."""

import math

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.spatial import rotation_from_quaternion
from test.sim.soft.scenes import GRAVITY, soft_box

STEPS = [(1 / 30, 4), (1 / 60, 1), (1 / 60, 4)]
RADIUS, FRICTION = 0.5, 0.5


@pytest.mark.sweep
@pytest.mark.parametrize(("dt", "substeps"), STEPS)
@pytest.mark.parametrize("stiffness", [math.inf, 1e6])
@pytest.mark.parametrize("spin", [5.0, 20.0])
def test_a_tie_to_a_body_that_is_turned_follows_its_arc(spin, stiffness, dt, substeps):
    """A hard one had a gap of half the square of the angle in a substep times the radius: 28 mm at 20 rad/s, 1/60 s."""
    point, mass = np.array([RADIUS, 0.0, 0.0]), 0.1
    builder = it.ModelBuilder(gravity=(0.0, 0.0, 0.0))
    body = builder.add_link(is_kinematic=True)
    builder.add_shape_sphere(body, radius=0.1)
    builder.add_particle(point, (0.0, spin * RADIUS, 0.0), mass=mass, radius=0.0)
    builder.add_attachment_particle_body(0, body, body_point=point, stiffness=stiffness)
    model = builder.finalize(dtype="float64")
    solver, state, gaps = it.SolverXPBD(model, substeps=substeps), model.state(), []
    state.body_qd.assign(np.array([[0.0, 0.0, 0.0, 0.0, 0.0, spin]]))
    for _ in range(round(1.0 / dt)):
        solver.step(state, state, None, None, dt)
        gaps.append(state.particle_q.numpy()[0] - rotation_from_quaternion(state.body_q.numpy()[body, 3:]) @ point)
    stretch = mass * spin**2 * RADIUS / stiffness
    assert np.linalg.norm(gaps, axis=1).max() < 2.0 * stretch + 1e-2 * RADIUS * (spin * dt / substeps) ** 2


@pytest.mark.sweep
@pytest.mark.parametrize(("dt", "substeps"), STEPS)
@pytest.mark.parametrize("kind", ["block", "particle"])
@pytest.mark.parametrize("holder", ["kinematic", "motor"])
@pytest.mark.parametrize("share", [0.95, 1.05])
def test_a_soft_body_keeps_its_place_on_a_turntable_up_to_coulombs_limit(share, holder, kind, dt, substeps):
    """At 0.95 of the limit a block crept outwards by 57 mm in a second, with one substep of 1/60 s."""
    spin = math.sqrt(share * FRICTION * GRAVITY / RADIUS)
    builder = it.ModelBuilder()
    below = it.Pose((0.0, 0.0, -0.05))
    table = builder.add_link(xform=below, is_kinematic=holder == "kinematic")
    builder.add_shape_cylinder(table, radius=2.0, half_height=0.05, cfg=it.ShapeConfig(mu=FRICTION))
    if holder == "motor":
        builder.add_joint_revolute(-1, table, axis=(0, 0, 1), parent_xform=below, target_kd=1e6, target_vel=spin)
    if kind == "block":
        soft_box(builder, (2, 2, 1), (0.1, 0.1, 0.03), (RADIUS - 0.05, -0.05, 0.005), density=300.0)
    else:
        builder.add_particle((RADIUS, 0.0, 0.005), mass=0.1, radius=0.005)
    model = builder.finalize(dtype="float64")
    model.soft_contact_mu = FRICTION
    solver, state, contacts = it.SolverXPBD(model, substeps=substeps), model.state(), model.contacts()
    state.body_qd.assign(np.array([[0.0, 0.0, 0.0, 0.0, 0.0, spin]]))
    state.particle_qd.assign(np.cross([0.0, 0.0, spin], state.particle_q.numpy()))
    for _ in range(round(1.0 / dt)):
        solver.step(state, state, None, contacts, dt)
    moved = np.hypot(*state.particle_q.numpy().mean(axis=0)[:2]) - RADIUS
    if share < 1.0:
        assert abs(moved) < 3e-4
    else:
        assert moved > 5e-3
