# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Ropes between links of one robot: a load on one link moves the others within the same substep."""

import math

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.spatial import Pose
from test.sim.soft.scenes import GRAVITY, stepping

LENGTH, PARTICLES = 0.2, 9
FIRST_AND_LAST, ALL = ((0, 0), (3, 8)), ((0, 0), (1, 3), (2, 5), (3, 8))


def robot_with_rope(link, rope, ties, on_world=True, damping=0.0):
    """Return a builder of four links in a row along x, on hinges about y, with a slack rope on their centres.

    Args:
        link: Mass of a link [kg].
        rope: Mass of the rope [kg].
        ties: Link and particle of each tie.
        on_world: Whether the first link is on a hinge of the world.
        damping: Of the joints [N m s/rad], and of the springs of the rope [N s/m].
    """
    builder = it.ModelBuilder()
    for i in range(4):
        pose = Pose((LENGTH * (i + 0.5), 0.0, 0.0))
        builder.add_link(xform=pose, mass=link, inertia=link * LENGTH**2 / 12 * np.eye(3), lock_inertia=True)
        if i > 0 or on_world:
            at = Pose((0.5 * LENGTH if i else 0.0, 0.0, 0.0))
            on_child = Pose((-0.5 * LENGTH, 0.0, 0.0))
            builder.add_joint_revolute(i - 1, i, axis=(0, 1, 0), parent_xform=at, child_xform=on_child, damping=damping)
    tied = {particle: link for link, particle in ties}
    for i in range(PARTICLES):
        along = i / (PARTICLES - 1)
        below = 0.0 if i in tied else -0.3 * math.sin(math.pi * along)
        builder.add_particle((LENGTH * (0.5 + 3.0 * along), 0.0, below), mass=rope / PARTICLES, radius=0.0)
    for i in range(PARTICLES - 1):
        builder.add_spring(i, i + 1, 1e5, damping, 0)
    for particle, body in tied.items():
        point = np.array(builder.particle_q[particle]) - (LENGTH * (body + 0.5), 0.0, 0.0)
        builder.add_attachment_particle_body(particle, body, stiffness=math.inf, body_point=point)
    return builder


def energy(model, state):
    """Return the mechanical energy [J]; links have the inertia of balls."""
    x, v = (array.numpy().astype(float) for array in (state.particle_q, state.particle_qd))
    stretch = np.linalg.norm(np.diff(x, axis=0), axis=1) - model.spring_rest_length.numpy()
    of_rope = model.particle_mass.numpy() @ (0.5 * (v**2).sum(axis=1) + GRAVITY * x[:, 2])
    mass, rates = model.body_mass.numpy(), state.body_qd.numpy().astype(float)
    turning = 0.5 * model.body_inertia.numpy()[:, 0, 0] @ (rates[:, 3:] ** 2).sum(axis=1)
    of_links = mass @ (0.5 * (rates[:, :3] ** 2).sum(axis=1) + GRAVITY * state.body_q.numpy()[:, 2])
    return of_rope + 0.5 * model.spring_stiffness.numpy() @ stretch**2 + turning + of_links


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("dt", "substeps", "dtype"),
    [(1 / 60, 1, "float64"), (1 / 60, 4, "float64"), (1 / 60, 4, "float32"), (1 / 240, 4, "float64")],
)
@pytest.mark.parametrize(
    ("link", "rope", "ties"),
    [
        (0.05, 2.0, FIRST_AND_LAST),
        (0.1, 2.0, FIRST_AND_LAST),
        (1.0, 10.0, FIRST_AND_LAST),
        (0.1, 2.0, ALL),
        (0.2, 2.0, ALL),
    ],
)
def test_a_rope_between_links_gains_no_energy(link, rope, ties, dt, substeps, dtype):
    """One of 2 kg between links of 0.05 to 0.1 kg gained 15 to 2000 J, and one on all links threw them to infinity."""
    model, state, step = stepping(robot_with_rope(link, rope, ties), dt, substeps, dtype)
    start, scale = energy(model, state), (4.0 * link + rope) * GRAVITY * LENGTH
    for _ in range(round(1.0 / dt)):
        step()
        assert energy(model, state) - start < 0.01 * scale


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("dt", "substeps"), [(1 / 60, 4), (1 / 240, 4)])
def test_a_rope_and_a_free_robot_keep_their_momentum(dt, substeps, dtype):
    """Links of 0.05 kg and a rope of 2 kg, whose middle is thrown down: they were thrown to infinity."""
    builder = robot_with_rope(0.05, 2.0, FIRST_AND_LAST, on_world=False)
    builder.particle_qd[4] = (0.0, 0.0, -3.0)
    model, state, step = stepping(builder, dt, substeps, dtype)
    masses = np.concatenate([model.particle_mass.numpy(), model.body_mass.numpy()])

    def momentum():
        return masses @ np.concatenate([state.particle_qd.numpy(), state.body_qd.numpy()[:, :3]])

    start = momentum()
    for k in range(round(0.5 / dt)):
        step()
        fallen = start - (0.0, 0.0, masses.sum() * GRAVITY * (k + 1) * dt)
        assert momentum() == pytest.approx(fallen, abs=0.01 * abs(start[2]))


@pytest.mark.parametrize(
    ("ties", "dt", "substeps"), [(FIRST_AND_LAST, 1 / 240, 1), (((0, 0), (1, 4), (3, 8)), 1 / 60, 4)]
)
def test_a_robot_with_a_rope_hangs_in_balance(ties, dt, substeps):
    """At rest the weights beyond each hinge, and the rope's pull on those links, have no moment about it."""
    link, rope = 0.1, 2.0
    model, state, step = stepping(robot_with_rope(link, rope, ties, damping=2.0), dt, substeps)
    for _ in range(round(12.0 / dt)):
        step()
    x, at, turns = state.particle_q.numpy(), state.body_q.numpy()[:, :3], state.body_q.numpy()[:, 3:]
    assert np.abs(state.particle_qd.numpy()).max() < 0.01  # a loose rope swings on
    along = np.diff(x, axis=0)
    lengths = np.linalg.norm(along, axis=1)
    pulls = (model.spring_stiffness.numpy() * (lengths - model.spring_rest_length.numpy()) / lengths)[:, None] * along
    weight = np.array([0.0, 0.0, -rope / PARTICLES * GRAVITY])
    on_particle = weight + np.pad(pulls, ((0, 1), (0, 0))) - np.pad(pulls, ((1, 0), (0, 0)))
    tied = {particle: body for body, particle in ties}
    scale = rope * GRAVITY * LENGTH
    for i in range(PARTICLES):
        assert i in tied or np.linalg.norm(on_particle[i]) < 0.01 * rope * GRAVITY
    for j in range(4):
        y = 2.0 * math.atan2(turns[j, 1], turns[j, 3])
        hinge = at[j] - 0.5 * LENGTH * np.array([math.cos(y), 0.0, -math.sin(y)])
        moment = sum(np.cross(at[i] - hinge, (0.0, 0.0, -link * GRAVITY)) for i in range(j, 4))
        moment = moment + sum(np.cross(x[p] - hinge, on_particle[p]) for p, body in tied.items() if body >= j)
        assert abs(moment[1]) < 0.01 * scale


def test_copies_of_a_robot_with_a_rope_move_alike():
    """Each copy has its own pairs of links; a search for a minimum ends for all at once, so not to the bit."""
    one = stepping(robot_with_rope(0.05, 2.0, ALL), 1 / 240, 4)
    copies = robot_with_rope(0.05, 2.0, ALL)
    copies.replicate(3)
    many = stepping(copies, 1 / 240, 4)
    for _ in range(60):
        for _, _, step in (one, many):
            step()
    alone, together = (state.particle_q.numpy() for _, state, _ in (one, many))
    assert together.reshape(3, -1, 3) == pytest.approx(np.array([alone] * 3), abs=1e-6)
