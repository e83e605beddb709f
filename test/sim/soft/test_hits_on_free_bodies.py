# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Particles that hit free bodies far heavier than they are: no hit adds energy, and none changes the momentum."""

import numpy as np
import pytest
import trimesh

import inertia_tools as it
from inertia_tools.sim.soft import minimising
from inertia_tools.sim.soft.minimising import LineSearch

STEPS = [(1 / 240, 4), (1 / 60, 1)]
SPEED, MASS = 2.0, 0.05
SOLVED = 2e-5
"""Change of momentum over that of all, as solves end at a gradient of 1e-6 of the forces."""


def add_shape(builder: it.ModelBuilder, body: int, kind: str) -> None:
    cfg = it.ShapeConfig(density=500.0)
    if kind == "sphere":
        builder.add_shape_sphere(body, radius=0.15, cfg=cfg)
    elif kind == "capsule":
        builder.add_shape_capsule(body, radius=0.1, half_height=0.15, cfg=cfg)
    elif kind == "box":
        builder.add_shape_box(body, hx=0.15, hy=0.12, hz=0.1, cfg=cfg)
    else:
        ball = trimesh.creation.icosphere(subdivisions=2, radius=0.15)
        builder.add_shape_mesh(body, mesh=it.Mesh(ball.vertices, ball.faces), cfg=cfg)


def facing(kind: str, at: list[float], dtype: str) -> it.Model:
    """Return a free body and particles 0.4 m above it, at some places along x, that fly to it."""
    builder = it.ModelBuilder(gravity=(0.0, 0.0, 0.0))
    add_shape(builder, builder.add_link(xform=it.Pose((0.02, 0.03, -0.4))), kind)
    for x in at:
        builder.add_particle((x, 0.013, 0.0), (0.0, 0.0, -SPEED), MASS, radius=0.05)
    for i in range(len(at) - 1):
        builder.add_spring(i, i + 1, 500.0, 0.1, 0)
    return builder.finalize(dtype=dtype)


def momentum_and_energy(model: it.Model, state: it.State) -> tuple[np.ndarray, float]:
    """Return the momentum of all [N s], and their kinetic energy [J]."""
    m, v, twist = model.particle_mass.numpy(), state.particle_qd.numpy(), state.body_qd.numpy()[0]
    mass, turn = model.body_mass.numpy()[0], trimesh.transformations.quaternion_matrix
    x, y, z, w = state.body_q.numpy()[0, 3:]
    r = turn([w, x, y, z])[:3, :3]
    inertia = r @ model.body_inertia.numpy()[0] @ r.T
    energy = 0.5 * m @ (v**2).sum(axis=1) + 0.5 * mass * twist[:3] @ twist[:3] + 0.5 * twist[3:] @ inertia @ twist[3:]
    return m @ v + mass * twist[:3], float(energy)


def hit(model: it.Model, dt: float, substeps: int, seconds: float) -> tuple[float, float, int]:
    """Step a model; return the change of momentum and the most energy, over those at first, and unsettled solves."""
    solver, state, contacts = it.SolverXPBD(model, substeps=substeps), model.state(), model.contacts()
    (p0, e0), most = momentum_and_energy(model, state), 0.0
    for _ in range(round(seconds / dt)):
        solver.step(state, state, None, contacts, dt)
        p, energy = momentum_and_energy(model, state)
        most = max(most, energy / e0)
    return float(np.abs(p - p0).max() / np.abs(p0).max()), most, contacts.unsettled


@pytest.mark.sweep
@pytest.mark.parametrize(("dt", "substeps"), STEPS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("mu", [0.0, 1.0])
@pytest.mark.parametrize("kind", ["sphere", "capsule", "box", "mesh"])
def test_a_particle_hits_a_free_body_anywhere(kind, mu, dtype, dt, substeps):
    """Its row is up to 1400 times as stiff as the particle: one hit in ten gave up to 800 times the energy."""
    for x in np.linspace(-0.1, 0.1, 5 if substeps > 1 else 9):
        model = facing(kind, [x], dtype)
        model.soft_contact_mu = mu
        lost, energy, unsettled = hit(model, dt, substeps, 0.25)
        assert lost < SOLVED
        assert energy < 1.0 + 1e-5
        assert unsettled == 0


@pytest.mark.parametrize("kind", ["box", "capsule"])
def test_a_rope_that_hits_a_free_body_keeps_the_momentum(kind):
    """The box lost a third of it."""
    model = facing(kind, [-0.4 + 0.1 * k for k in range(9)], "float64")
    lost, energy, unsettled = hit(model, 1 / 240, 4, 0.6)
    assert lost < SOLVED
    assert energy < 1.0 + 1e-5
    assert unsettled == 0


def test_a_solve_that_finds_no_minimum_is_counted(monkeypatch):
    """With one Newton step a hit is not solved."""
    monkeypatch.setattr(minimising, "MAX_NEWTON_STEPS", 1)
    *_, unsettled = hit(facing("sphere", [0.05], "float64"), 1 / 60, 1, 0.25)
    assert unsettled > 0


@pytest.mark.parametrize("ratio", [1.0, 1e3, 1e6])
@pytest.mark.parametrize("kink", [1e-4, 0.03, 0.6, 2.5])
def test_a_line_search_finds_the_minimum_behind_a_kink(kink, ratio):
    """The slope grows evenly to zero at 3, from a kink on so many times as fast."""

    def look(t):
        before, after = min(t, kink), max(t - kink, 0.0)
        slope = before / 3.0 - 1.0 + ratio * after
        return slope, before**2 / 6.0 - before + (kink / 3.0 - 1.0) * after + 0.5 * ratio * after**2

    search, cuts = LineSearch(1.0, 0.0), 0
    while not search.is_good(*look(search.length)):
        search.go_on(*look(search.length))
        cuts += 1
    assert cuts <= 30
    assert look(search.length)[1] < 0.0


def test_a_line_search_falls_back_to_where_the_objective_falls():
    """Beyond a jump everything is worse."""
    search = LineSearch(1.0, 0.0)
    for _ in range(minimising.MAX_TRIALS):
        t = search.length
        search.go_on(-1.0, -t if t < 0.3 else 1.0)
    search.fall_back()
    assert 0.29 < search.length < 0.3
