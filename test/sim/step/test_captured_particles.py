# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Captured steps of particles: what they refer to lives as long as they do, and they are not kept without end."""

import gc
import weakref

import pytest

import inertia_tools as it
from inertia_tools.sim.kernels.graphs import MOST_KEPT
from inertia_tools.sim.soft.minimising import Launches


def thrown_at_a_slab():
    """Return the model of a soft block that flies down at 1 m/s onto a slab, without gravity."""
    builder = it.ModelBuilder(gravity=(0.0, 0.0, 0.0))
    slab = builder.add_link(xform=it.Pose([0.0, 0.0, 0.05]))
    builder.add_shape_box(slab, hx=0.3, hy=0.3, hz=0.05, cfg=it.ShapeConfig(density=100.0))
    builder.add_soft_grid(
        pos=(-0.1, -0.1, 0.102), rot=(0, 0, 0, 1), vel=(0, 0, -1.0), dim_x=2, dim_y=2, dim_z=2,
        cell_x=0.1, cell_y=0.1, cell_z=0.1, density=200.0, k_mu=2e4, k_lambda=2e4, k_damp=100.0,
    )  # fmt: skip
    return builder.finalize(dtype="float64")


def test_contacts_live_as_long_as_the_steps_that_were_captured_with_them():
    """A step captured with contacts that were gone was run for new ones with their identity."""
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    builder.add_particle((0.0, 0.0, 0.1), (0.0, 0.0, 0.0), 1.0, radius=0.1)
    model = builder.finalize(dtype="float64")
    state, control, contacts, solver = model.state(), model.control(), model.contacts(), it.SolverXPBD(model)
    solver.step(state, state, control, contacts, 1 / 240)
    seen = weakref.ref(contacts.soft)
    del contacts
    gc.collect()
    assert seen() is not None
    del solver
    gc.collect()
    assert seen() is None


def test_contacts_made_anew_for_each_step_keep_the_momentum_of_a_hit():
    """What a body feels of particles comes from the contacts of its step, whatever others there were before."""
    model = thrown_at_a_slab()
    state, control, solver = model.state(), model.control(), it.SolverXPBD(model, substeps=2)
    masses, slab = model.particle_mass.numpy(), model.body_mass.numpy()[0]
    before = masses @ state.particle_qd.numpy()
    for _ in range(40):
        solver.step(state, state, control, model.contacts(), 1 / 240)
    given = slab * state.body_qd.numpy()[0, :3]
    assert given[2] < 0.3 * before[2]
    assert masses @ state.particle_qd.numpy() + given == pytest.approx(before, abs=1e-3 * abs(before[2]))


def test_launches_of_ever_new_lengths_are_not_kept_for_ever():
    """A soft block whose steps all had other lengths took 0.6 MB more with each of them."""

    class Alive:
        pass

    launches, seen = Launches("cpu"), []
    for length in range(2 * MOST_KEPT):
        alive = Alive()
        seen.append(weakref.ref(alive))
        launches.replay(("step", length), lambda: None, alive)
    del alive
    gc.collect()
    assert sum(one() is not None for one in seen) == MOST_KEPT
