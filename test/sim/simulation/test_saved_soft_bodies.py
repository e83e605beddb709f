# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Soft bodies after a reset, after going back to a save, and in clones: they move as they did, to the bit."""

import math

import numpy as np
import pytest
from robots import joint, link, mass, tensor, urdf

import inertia_tools as it
from inertia_tools.sim.simulation.soft_body import Cloth, Particles, SoftBody, SoftBox
from inertia_tools.spatial import Pose

pytest.importorskip("warp", reason="warp-lang is not installed")

BASE = urdf(link("base", mass(6) + tensor(0.04, 0.04, 0.04), '<box size="0.2 0.2 0.2"/>'))
STEPS = 12


class Rope(SoftBody):
    """A row of particles on springs, whose first one is tied to the base and whose last one, softly, too."""

    def add_to(self, builder):
        particles = super().add_to(builder)
        builder.add_springs(particles[:-1], particles[1:], 2e4, 1.0)
        base = builder.body_name.index("r::base")
        for particle, stiffness in ((particles[0], math.inf), (particles[-1], 3e4)):
            point = np.array(builder.particle_q[particle]) - builder.body_q[base][:3]
            builder.add_attachment_particle_body(particle, base, body_point=point, stiffness=stiffness, damping=0.1)
        return particles


def beam(young, smooth=False, cells=(6, 2, 2)):
    return SoftBox(size=(1.0, 0.1, 0.1), cells=cells, young=young, fixed=["left"], smooth_strain=smooth)


ASIDE, LOW = Pose(np.array([0.5, 0.0, 0.8])), Pose(np.array([0.15, -0.2, 0.005]))
KINDS = {
    "cloth": SoftBody("s", Cloth(cells=(5, 5), young=1e7, fixed=["left"]), ASIDE),
    "cloth on the floor": SoftBody("s", Cloth(cells=(4, 4), young=1e6, radius=0.02), LOW),
    "soft solid": SoftBody("s", beam(1e5), ASIDE),
    "stiff beam": SoftBody("s", beam(1e8), ASIDE),
    "smooth elements": SoftBody("s", beam(1e7, smooth=True), ASIDE),
    "many elements": SoftBody("s", beam(1e8, cells=(20, 5, 4)), ASIDE),
    "solid on the floor": SoftBody("s", SoftBox(cells=(2, 2, 2), young=1e6), LOW),
    "springs and ties": Rope("s", Particles(count=(6, 1, 1)), Pose(np.array([0.0, 0.0, 0.6]))),
    "grains": SoftBody("s", Particles(count=(2, 2, 2)), LOW),
}
SOME_SLOW = [pytest.param(kind, marks=[pytest.mark.slow] * (kind == "many elements")) for kind in KINDS]


def simulation(kind, **options):
    entity = it.Entity("r", it.load_text(BASE), Pose(np.array([0.0, 0.0, 0.3])), soft=(KINDS[kind],))
    return it.Simulation([entity], dtype="float64", dt=1 / 120, substeps=2, **options)


def run(one, steps=STEPS):
    """Return where particles and links are after steps, and how fast."""
    one.step(steps)
    particles, links = one.soft_snapshot(), one.snapshot()
    parts = particles.positions, particles.velocities, links.positions, links.linear_velocities
    return np.concatenate([np.ravel(part) for part in parts])


@pytest.mark.parametrize("kind", SOME_SLOW)
def test_what_was_stepped_or_not_can_be_taken_up_again(kind):
    one = simulation(kind)
    unstepped = one.save()
    before = one.clone()
    first = run(one)
    later = one.save()
    second = run(one)
    assert (run(before) == first).all()
    one.reset()
    assert (run(one) == first).all()
    assert (run(one) == second).all()
    one.restore(unstepped)
    after = one.clone()
    assert (run(one) == first).all()
    assert (run(after) == first).all()
    one.restore(later)
    after = one.clone()
    assert (run(one) == second).all()
    assert (run(after) == second).all()


def pin(one, particle):
    """Pin a particle, and double the mass and friction of all others."""
    model = one.model
    masses = 2.0 * model.particle_mass.numpy()
    masses[particle] = 0.0
    model.particle_mass.assign(masses)
    model.particle_mu = model.soft_contact_mu = 1.5
    one._built.solver.notify_model_changed(it.SolverNotifyFlags.BODY_INERTIAL_PROPERTIES)


@pytest.mark.parametrize("kind", ["many elements", "cloth on the floor", "springs and ties"])
def test_masses_and_friction_are_those_that_were_saved(kind):
    one = simulation(kind)
    start, first = one.save(), run(one)
    pin(one, -2)
    changed, second = one.save(), run(one)
    one.restore(start)
    assert (run(one) == first).all()
    assert one.model.particle_mu == 0.5
    one.restore(changed)
    twin = one.clone()
    assert (run(one) == second).all()
    assert (run(twin) == second).all()
    masses = one.model.particle_mass.numpy()
    once = run(one)
    one.reset()
    assert (one.model.particle_mass.numpy() == masses).all()
    one.restore(changed)
    run(one)
    assert (run(one) == once).all()


@pytest.mark.parametrize("kind", ["cloth", "solid on the floor", "springs and ties"])
def test_broken_soft_bodies_are_brought_back(kind):
    one = simulation(kind)
    start, first = one.save(), run(one)
    one.state.particle_qd.fill_(math.nan)
    one._built.solver.step(one.state, one.state, None, one._built.contacts, one.dt)
    assert np.isnan(one.state.particle_q.numpy()).any()
    assert one.unsettled > 0
    one.restore(start)
    assert one.unsettled == 0
    assert (run(one) == first).all()


SET = (
    "particle_mass", "particle_radius", "spring_stiffness", "spring_rest_length", "tri_materials",
    "edge_bending_properties", "tet_materials", "attachment_stiffness", "attachment_damping", "attachment_point",
)  # fmt: skip
"""Settings of soft bodies of which the test below makes all values greater."""


@pytest.mark.parametrize("change", ["spawn", "delete"])
def test_soft_bodies_keep_their_settings_when_others_come_and_go(change):
    """Their masses, materials and actuation were those of the description again, and friction that of a new scene."""
    robot, beside = it.load_text(BASE), Pose(np.array([0.5, 3.0, 0.8]))
    soft = KINDS["springs and ties"], KINDS["cloth"], SoftBody("beam", beam(1e7, smooth=True), beside)
    grains = SoftBody("grains", Particles(count=(2, 2, 2)), Pose(np.array([5.0, 3.0, 0.1])))
    other = it.Entity("a", robot, Pose(np.array([5.0, 0.0, 0.3])), soft=(grains,))
    kept = it.Entity("r", robot, Pose(np.array([0.0, 0.0, 0.3])), soft=soft)
    one = it.Simulation([other, kept] if change == "delete" else [kept], dtype="float64", dt=1 / 120, substeps=2)
    model, control = one.model, one._built.control
    for array in (*(getattr(model.soft, name) for name in SET), control.tet_activations):
        array.assign(1.2 * array.numpy() + 0.01 * (array is control.tet_activations))
    model.soft.particle_flags.numpy()[-1] = 0
    model.soft.attachment_enabled.numpy()[-1] = 0
    model.particle_mu, model.soft_contact_mu, model.particle_max_velocity = 0.9, 0.1, 0.5
    one._built.solver.notify_model_changed(it.SolverNotifyFlags.BODY_INERTIAL_PROPERTIES)
    ends = []
    for changed in (False, True):
        simulation = one.clone()
        if changed:
            simulation.spawn(other) if change == "spawn" else simulation.delete("a")
        simulation.step(STEPS)
        ends.append(simulation.soft_snapshot().positions[list(simulation._built.particles["r"])])
    assert ends[1] == pytest.approx(ends[0], abs=1e-5)


class RopeBetweenLinks(SoftBody):
    """A row of particles on springs between two links."""

    def add_to(self, builder):
        particles = super().add_to(builder)
        builder.add_springs(particles[:-1], particles[1:], 2e4, 1.0)
        for particle, name in ((particles[0], "r::base"), (particles[-1], "r::tip")):
            body = builder.body_name.index(name)
            point = np.array(builder.particle_q[particle]) - builder.body_q[body][:3]
            builder.add_attachment_particle_body(particle, body, body_point=point, stiffness=math.inf)
        return particles


@pytest.mark.parametrize("change", ["spawn", "delete"])
def test_links_on_a_rope_go_on_together_when_others_come_and_go(change):
    """How a load on one link moves the other goes on with the scene; pairs of links have places of their own."""
    links = (link(name, mass(0.05) + tensor(2e-4, 2e-4, 2e-4)) for name in ("base", "tip"))
    robot = it.load_text(urdf(*links, joint("tip", "base", "continuous", "0 0 0.3")))
    rope = RopeBetweenLinks("s", Particles(count=(4, 1, 1), mass=0.5), Pose(np.array([0.0, 0.0, 0.1])))
    kept, other = it.Entity("r", robot, soft=(rope,)), it.Entity("a", robot, Pose(np.array([5.0, 0.0, 1.0])))
    one = it.Simulation([other, kept] if change == "delete" else [kept], dtype="float64", dt=1 / 120, substeps=2)
    one.step(STEPS)
    response = one.state.data.coupling.numpy()[int(change == "delete")]
    assert np.abs(response).max() > 0.1
    one.spawn(other) if change == "spawn" else one.delete("a")
    assert (one.state.data.coupling.numpy()[0] == response).all()
