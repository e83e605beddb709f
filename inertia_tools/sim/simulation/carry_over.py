# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Transfer of the state of entities to a scene with other entities."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

import numpy as np

from inertia_tools.sim.device.joint_arrays import coupled_pairs
from inertia_tools.sim.device.soft_model import ARRAYS, SCALARS
from inertia_tools.sim.device.state import OF_COORDINATES, OF_DOFS, OF_EACH_JOINT, OF_PAIRS
from inertia_tools.sim.drives import LOCKED
from inertia_tools.sim.model.changes import SolverNotifyFlags
from inertia_tools.sim.model.model import DEVICE_ARRAYS
from inertia_tools.sim.pushes import Pushes
from inertia_tools.sim.scene.custom_attributes import AttributeFrequency
from inertia_tools.sim.simulation.built_scene import SETTABLE, BuiltScene
from inertia_tools.sim.simulation.carried_contacts import take_contacts
from inertia_tools.sim.simulation.carried_rows import Rows, numbered, shared, taken
from inertia_tools.sim.simulation.model_basis import OF_BODIES, OF_JOINTS, basis_of

OF_ELEMENTS = ("spring_indices", "tri_indices", "edge_indices", "tet_indices", "attachment_particle")
"""Arrays of the particles of each kind of element; the names of its other arrays begin likewise."""

FIXED = frozenset({*OF_ELEMENTS, "particle_q", "particle_qd", "particle_world", "attachment_body"})
"""Arrays of soft bodies that a new scene numbers anew, or that only describe its start."""


def carry_over(old: BuiltScene, new: BuiltScene) -> None:
    """Copy the state of the entities that two scenes share: motion, contacts, drives, wrenches, masses, materials."""
    dofs = shared(_dofs(old), _dofs(new))
    _take_basis(old, new)
    _take_motion(old, new, dofs)
    take_contacts(old, new, _shapes(old, new))
    _start_unsupported(old, new)
    _take_particles(old, new)
    _take_drives(old, new, dofs)
    _take_settings(old, new, dofs)
    _take_soft_settings(old, new)
    places = new.articulation.links
    kept = {name: push for name, push in old.pushes.by_link.items() if name in places}
    acted = {name: wrench for name, wrench in old.pushes.acted.items() if name in places}
    new.pushes = Pushes({name: replace(push, place=places[name]) for name, push in kept.items()}, acted)


def _take_basis(old: BuiltScene, new: BuiltScene) -> None:
    """Copy body flags, mass properties and joint frames; first, as a change of flags rebuilds what steps use."""
    was, now = basis_of(old.model), basis_of(new.model)
    for names, rows in ((OF_BODIES, _bodies(old, new)), (OF_JOINTS, _joints(old, new))):
        for name in names:
            now[name][rows[1]] = was[name][rows[0]]
    new.take_basis(now)


def _take_motion(old: BuiltScene, new: BuiltScene, dofs: Rows) -> None:
    """Copy the full state of shared bodies and joints, so that bodies without contact continue bit-identically."""
    bodies, coordinates = _bodies(old, new), shared(_coordinates(old), _coordinates(new))
    rows_of = dict.fromkeys(OF_COORDINATES, coordinates) | dict.fromkeys(OF_DOFS, dofs)
    rows_of |= dict.fromkeys(OF_EACH_JOINT, _joints(old, new))
    rows_of |= dict.fromkeys(OF_PAIRS, shared(_pairs(old), _pairs(new)))
    was, now = old.state.data, new.state.data
    for name in now._cls.vars:
        rows = rows_of.get(name, bodies)
        array = getattr(now, name)
        array.assign(taken(getattr(was, name), array, rows))


def _start_unsupported(old: BuiltScene, new: BuiltScene) -> None:
    """Let bodies start anew that pressed against a deleted one in the last step: its force has ended."""
    contacts, kept = old.model.acting_contacts(old.contacts), _shapes(old, new)[0]
    is_gone = ~np.isin(contacts.shapes, kept)
    places = dict(zip(*_bodies(old, new), strict=True))
    rows = [places[body] for body in contacts.bodies[is_gone[:, ::-1]].tolist() if body in places]
    length = new.state.data.h_last
    values = length.numpy()
    values[rows] = 0.0
    length.assign(values)


def _take_particles(old: BuiltScene, new: BuiltScene) -> None:
    """Copy the full state of the particles of shared entities."""
    was, now = old.state.soft, new.state.soft
    if was is None or now is None:
        return
    rows = shared(numbered(_owners(old)), numbered(_owners(new)))
    for array, before in zip(now.arrays(), was.arrays(), strict=True):
        array.assign(taken(before, array, rows))


def _take_drives(old: BuiltScene, new: BuiltScene, dofs: Rows) -> None:
    was, now = old.drives.values(), new.drives.values()
    there = dict(zip(*dofs, strict=True))
    for field, values in now.items():
        if field != LOCKED:
            values[dofs[1]] = was[field][dofs[0]]
    locked = [(there[int(dof)], limit) for dof, limit in was[LOCKED] if int(dof) in there]
    new.drives.restore({**now, LOCKED: np.array(locked).reshape(-1, 2)})


def _take_settings(old: BuiltScene, new: BuiltScene, dofs: Rows) -> None:
    """Copy gravity, materials, and settings of bodies and joints."""
    rows = {
        AttributeFrequency.BODY: _bodies(old, new),
        AttributeFrequency.JOINT: _joints(old, new),
        AttributeFrequency.JOINT_DOF: dofs,
        AttributeFrequency.SHAPE: _shapes(old, new),
    }
    for name in SETTABLE:
        array = getattr(new.model, name)
        array.assign(taken(getattr(old.model, name), array, rows[DEVICE_ARRAYS[name].frequency]))
    new.model.set_gravity(old.model.gravity_vector)
    new.solver.notify_model_changed(SolverNotifyFlags.SHAPE_PROPERTIES | SolverNotifyFlags.JOINT_DOF_PROPERTIES)


def _take_soft_settings(old: BuiltScene, new: BuiltScene) -> None:
    """Copy masses, materials and actuation of the soft bodies of shared entities, and the scalar settings of all."""
    was, now = old.model.soft, new.model.soft
    if was is None or now is None:
        return
    rows = {"particle": shared(numbered(_owners(old)), numbered(_owners(new)))}
    for name in OF_ELEMENTS:
        kinds = (numbered(_owners_of_elements(scene, name)) for scene in (old, new))
        rows[name.partition("_")[0]] = shared(*kinds)
    for name in set(ARRAYS) - FIXED:
        kind = name.partition("_")[0]
        if kind in rows:
            array = getattr(now, name)
            array.assign(taken(getattr(was, name), array, rows[kind]))
    for name in SCALARS:
        setattr(now, name, getattr(was, name))
    for name in ("tri_activations", "tet_activations"):
        array = getattr(new.control, name)
        array.assign(taken(getattr(old.control, name), array, rows[name.partition("_")[0]]))
    new.model.weighed_times += 1


def _owners(scene: BuiltScene) -> list[str]:
    """Return the entity of each particle."""
    return [entity for entity, particles in scene.particles.items() for _ in particles]


def _owners_of_shapes(scene: BuiltScene) -> list[str | None]:
    """Return the entity of each shape; None for the floor, which comes last."""
    owners: list[str | None] = [entity for entity, shapes in scene.shapes.items() for _ in shapes]
    return owners + [None] * (len(scene.model.labels) - len(owners))


def _owners_of_elements(scene: BuiltScene, name: str) -> list[str]:
    """Return the entity of each element of a kind, which an array of its particles names."""
    owners, corners = _owners(scene), getattr(scene.model.soft, name).numpy()
    each = 2 if name == "spring_indices" else 1  # the ends of springs are one flat list
    first = corners[::each] if corners.ndim == 1 else corners[:, 0]
    return [owners[particle] for particle in first.tolist()]


def _bodies(old: BuiltScene, new: BuiltScene) -> Rows:
    return shared(numbered(old.model.names), numbered(new.model.names))


def _shapes(old: BuiltScene, new: BuiltScene) -> Rows:
    return shared(*(numbered(_owners_of_shapes(scene)) for scene in (old, new)))


def _joints(old: BuiltScene, new: BuiltScene) -> Rows:
    return shared(*([joint.name for joint in one.model.built_joints] for one in (old, new)))


def _pairs(scene: BuiltScene) -> list[Hashable]:
    """Return the bodies of each pair in `OF_PAIRS`."""
    names = numbered(scene.model.names)
    return [(names[one], names[other]) for one, other in coupled_pairs(scene.model)]


def _dofs(scene: BuiltScene) -> list[Hashable]:
    return [(joint.name, k) for joint in scene.model.built_joints for k in range(joint.dof_count)]


def _coordinates(scene: BuiltScene) -> list[Hashable]:
    return [(joint.name, k) for joint in scene.model.built_joints for k in range(joint.coordinate_count)]
