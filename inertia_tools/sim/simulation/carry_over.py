# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Transfer of the state of entities to a scene with other entities."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from inertia_tools.sim.device.state import OF_COORDINATES, OF_DOFS
from inertia_tools.sim.drives import LOCKED
from inertia_tools.sim.model.changes import SolverNotifyFlags
from inertia_tools.sim.model.model import DEVICE_ARRAYS
from inertia_tools.sim.pushes import Pushes
from inertia_tools.sim.scene.custom_attributes import AttributeFrequency
from inertia_tools.sim.simulation.built_scene import SETTABLE, BuiltScene

Rows = tuple[list[int], list[int]]
"""Indices of the same elements in an old scene and in a new one."""


def carry_over(old: BuiltScene, new: BuiltScene) -> None:
    """Copy the state of the entities that two scenes share: poses, velocities, drives, wrenches, materials.

    The friction state is not copied: contacts of bodies at rest are found again in the next step.
    """
    dofs = _shared(_dofs(old), _dofs(new))
    _take_motion(old, new, dofs)
    _take_particles(old, new)
    _take_drives(old, new, dofs)
    _take_settings(old, new, dofs)
    places = new.articulation.links
    kept = {name: push for name, push in old.pushes.by_link.items() if name in places}
    acted = {name: wrench for name, wrench in old.pushes.acted.items() if name in places}
    new.pushes = Pushes({name: replace(push, place=places[name]) for name, push in kept.items()}, acted)


def _take_motion(old: BuiltScene, new: BuiltScene, dofs: Rows) -> None:
    """Copy the full state of shared bodies and joints, so that bodies without contact continue bit-identically."""
    bodies, coordinates = _bodies(old, new), _shared(_coordinates(old), _coordinates(new))
    was, now = old.state.data, new.state.data
    for name in now._cls.vars:
        rows = coordinates if name in OF_COORDINATES else dofs if name in OF_DOFS else bodies
        array = getattr(now, name)
        array.assign(_taken(getattr(was, name), array, rows))


def _take_particles(old: BuiltScene, new: BuiltScene) -> None:
    """Copy the full state of the particles of shared entities."""
    was, now = old.state.soft, new.state.soft
    if was is None or now is None:
        return
    pairs = [
        (before, after)
        for name, there in new.particles.items()
        for before, after in zip(old.particles.get(name, ()), there, strict=False)
    ]
    rows = [before for before, _ in pairs], [after for _, after in pairs]
    for array, before in zip(now.arrays(), was.arrays(), strict=True):
        array.assign(_taken(before, array, rows))


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
        AttributeFrequency.JOINT: _shared(*([joint.name for joint in one.model.built_joints] for one in (old, new))),
        AttributeFrequency.JOINT_DOF: dofs,
        AttributeFrequency.SHAPE: _shared(_numbered(old.model.labels), _numbered(new.model.labels)),
    }
    for name in SETTABLE:
        array = getattr(new.model, name)
        array.assign(_taken(getattr(old.model, name), array, rows[DEVICE_ARRAYS[name].frequency]))
    new.model.set_gravity(old.model.gravity_vector)
    new.solver.notify_model_changed(SolverNotifyFlags.SHAPE_PROPERTIES | SolverNotifyFlags.JOINT_DOF_PROPERTIES)


def _taken(source: Any, target: Any, rows: Rows) -> np.ndarray:
    values = target.numpy().copy()
    values[rows[1]] = source.numpy()[rows[0]]
    return np.asarray(values)


def _bodies(old: BuiltScene, new: BuiltScene) -> Rows:
    return _shared(_numbered(old.model.names), _numbered(new.model.names))


def _dofs(scene: BuiltScene) -> list[Hashable]:
    return [(joint.name, k) for joint in scene.model.built_joints for k in range(joint.dof_count)]


def _coordinates(scene: BuiltScene) -> list[Hashable]:
    return [(joint.name, k) for joint in scene.model.built_joints for k in range(joint.coordinate_count)]


def _numbered(labels: Sequence[str]) -> list[Hashable]:
    """Return labels with an index among equal ones."""
    seen: dict[str, int] = {}
    found: list[Hashable] = []
    for label in labels:
        seen[label] = seen.get(label, -1) + 1
        found.append((label, seen[label]))
    return found


def _shared(old: Sequence[Hashable], new: Sequence[Hashable]) -> Rows:
    place = {key: index for index, key in enumerate(old)}
    pairs = [(place[key], index) for index, key in enumerate(new) if key in place]
    return [old_index for old_index, _ in pairs], [new_index for _, new_index in pairs]
