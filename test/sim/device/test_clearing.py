# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What contacts forget, and what steps of scenes with particles make anew."""

import numpy as np
import warp as wp

import inertia_tools as it

DT = 1.0 / 240.0


def resting():
    """Return a ball on the ground, beside a particle."""
    scene = it.ModelBuilder()
    scene.add_ground_plane()
    scene.add_shape_sphere(scene.add_body(xform=(0.0, 0.0, 0.1)), radius=0.1)
    scene.add_particle((3.0, 0.0, 1.0), (0.0, 0.0, 0.0), 0.1, radius=0.02)
    model = scene.finalize(dtype="float64")
    model.request_contact_attributes("force")
    return model, it.SolverXPBD(model, substeps=4), model.state(), model.contacts()


def test_clear_leaves_no_forces():
    _, solver, state, contacts = resting()
    for _ in range(10):
        solver.step(state, state, None, contacts, DT)
    solver.update_contacts(contacts)
    assert np.abs(contacts.force.numpy()).max() > 1.0
    contacts.clear()
    assert not contacts.force.numpy().any()


def test_counts_of_particles_begin_again_with_those_of_bodies():
    model, solver, state, contacts = resting()
    solver.step(state, state, None, contacts, DT)
    contacts.soft.unsettled.fill_(3)
    flags = model.body_flags.numpy()
    flags[0] = int(it.BodyFlags.KINEMATIC)
    model.body_flags.assign(flags)
    solver.notify_model_changed(it.SolverNotifyFlags.BODY_PROPERTIES)
    contacts.bring_up_to_date()
    assert contacts.unsettled == 0


def test_substeps_write_their_place_in_a_step_without_arrays_of_the_host(monkeypatch):
    _, solver, state, contacts = resting()
    solver.step(state, state, None, contacts, DT)
    assert solver._bodies._islands.launch.numpy().tolist() == [3, 0]
    written, assign = [], wp.array.assign
    monkeypatch.setattr(wp.array, "assign", lambda array, given: (written.append(array.ptr), assign(array, given)))
    for _ in range(3):
        solver.step(state, state, None, contacts, DT)
    assert solver._bodies._islands.launch.ptr not in written
    assert solver._bodies._islands.launch.numpy().tolist() == [3, 0]
