# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The particles and elements of a scene on a device, in double precision."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
import warp as wp

from inertia_tools.errors import OptionError
from inertia_tools.sim.scene.scene import Scene
from inertia_tools.sim.scene.soft_elements import SURFACE_RANGES, VOLUME_RANGES
from inertia_tools.sim.scene.soft_numbers import inverse_masses, soft_numbers
from inertia_tools.sim.scene.soft_topology import counted_on

SCALARS = (
    "particle_mu",
    "particle_cohesion",
    "particle_adhesion",
    "particle_max_velocity",
    "soft_contact_mu",
    "soft_contact_restitution",
    "soft_contact_ke",
    "soft_contact_kd",
    "soft_contact_kf",
    "particle_ke",
    "particle_kd",
    "particle_kf",
)
"""Scalar settings of a model that users may set."""


@dataclass(eq=False)
class SoftModel:
    """Particles and elements; all arrays are Warp arrays of float64 or int32, and may be written to between steps.

    Attributes:
        particle_q: Positions at the start [m], vec3d, shape (particles,).
        particle_qd: Velocities at the start [m/s], vec3d.
        particle_mass: Masses [kg].
        particle_inv_mass: Their inverses [1/kg]; zero where pinned: without mass, or without `ParticleFlags.ACTIVE`.
        particle_radius: Radii in contacts [m].
        particle_flags: `ParticleFlags`.
        particle_world: World of each particle.
        spring_indices: Two particles for each spring, flat, shape (2 springs,).
        spring_rest_length, spring_stiffness, spring_damping, spring_control: [m], [N/m], [N s/m] and [1].
        tri_indices: Particles of the triangles, int32, shape (triangles, 3).
        tri_poses: Inverses of their matrices of rest edges [1/m], mat22d.
        tri_areas: Areas at rest [m^2].
        tri_activations: Actuation at the start.
        tri_materials: ke, ka, kd, drag and lift, shape (triangles, 5).
        edge_indices: Particles i, j, k, l of bending edges between k and l, int32, shape (edges, 4): the triangles are
            (i, k, l) and (j, l, k). At a boundary j is -1 and nothing bends.
        edge_rest_angle: Angle from the normal of the first triangle to that of the second, about k to l [rad].
        edge_rest_length: Lengths [m].
        edge_bending_properties: ke and kd, shape (edges, 2).
        tet_indices: Particles of the tetrahedra, int32, shape (tetrahedra, 4).
        tet_poses: Inverses of their matrices of rest edges [x1 - x0, x2 - x0, x3 - x0] [1/m], mat33d.
        tet_volumes: Volumes at rest [m^3].
        tet_activations: Actuation at the start.
        tet_materials: mu, lambda [Pa] and damping [Pa s], shape (tetrahedra, 3).
        tet_smoothed: One if strain is averaged about particles, else zero; read when a solver is created.
        attachment_particle, attachment_body: Particle and body of each attachment.
        attachment_point: Its point in the body frame [m], vec3d.
        attachment_stiffness, attachment_damping: [N/m], infinite for a rigid attachment, and [N s/m].
        attachment_enabled: One if the attachment is enabled, else zero.
        surface_particle_start, surface_particle_end: Range of the particles of each cloth.
        surface_tri_start, surface_tri_end, surface_edge_start, surface_edge_end: Ranges of its triangles and edges.
        volume_particle_start, volume_particle_end, volume_tet_start, volume_tet_end: Ranges of particles and tetrahedra
        of
            each soft solid.
        surface_label, volume_label: Names of cloths and of soft solids; copies in other worlds have the same names.
        particle_mu: Friction coefficient between particles [1].
        particle_cohesion: Range of cohesion between particles [m].
        particle_adhesion: Range of adhesion between particles and shapes [m].
        particle_max_velocity: Maximum speed of particles; faster ones are slowed down [m/s].
        soft_contact_mu: Friction coefficient of particles on shapes [1]; the rule of the scene combines it with that of
            each shape.
        soft_contact_restitution: Restitution of particles on shapes [1].
        soft_contact_ke, soft_contact_kd, soft_contact_kf: Stored without effect, as in Newton's XPBD.
        particle_ke, particle_kd, particle_kf: Stored without effect.
    """

    particle_q: Any
    particle_qd: Any
    particle_mass: Any
    particle_inv_mass: Any
    particle_radius: Any
    particle_flags: Any
    particle_world: Any
    spring_indices: Any
    spring_rest_length: Any
    spring_stiffness: Any
    spring_damping: Any
    spring_control: Any
    tri_indices: Any
    tri_poses: Any
    tri_areas: Any
    tri_activations: Any
    tri_materials: Any
    edge_indices: Any
    edge_rest_angle: Any
    edge_rest_length: Any
    edge_bending_properties: Any
    tet_indices: Any
    tet_poses: Any
    tet_volumes: Any
    tet_activations: Any
    tet_materials: Any
    tet_smoothed: Any
    attachment_particle: Any
    attachment_body: Any
    attachment_point: Any
    attachment_stiffness: Any
    attachment_damping: Any
    attachment_enabled: Any
    surface_particle_start: Any
    surface_particle_end: Any
    surface_tri_start: Any
    surface_tri_end: Any
    surface_edge_start: Any
    surface_edge_end: Any
    volume_particle_start: Any
    volume_particle_end: Any
    volume_tet_start: Any
    volume_tet_end: Any
    surface_label: tuple[str, ...] = ()
    volume_label: tuple[str, ...] = ()
    particle_mu: float = 0.5
    particle_cohesion: float = 0.0
    particle_adhesion: float = 0.0
    particle_max_velocity: float = 1e5
    soft_contact_mu: float = 0.5
    soft_contact_restitution: float = 0.0
    soft_contact_ke: float = 1e3
    soft_contact_kd: float = 10.0
    soft_contact_kf: float = 1e3
    particle_ke: float = 1e3
    particle_kd: float = 100.0
    particle_kf: float = 100.0

    def find_inverse_masses(self) -> None:
        """Compute inverse masses from the current masses and flags; `SolverXPBD` does so when it is created."""
        mass, flags = self.particle_mass.numpy(), self.particle_flags.numpy()
        self.particle_inv_mass.assign(inverse_masses(mass, flags))

    @property
    def particle_count(self) -> int:
        """Number of particles."""
        return len(self.particle_q)

    @property
    def spring_count(self) -> int:
        """Number of springs."""
        return len(self.spring_rest_length)

    @property
    def tri_count(self) -> int:
        """Number of triangles."""
        return len(self.tri_areas)

    @property
    def edge_count(self) -> int:
        """Number of bending edges, including those of boundaries."""
        return len(self.edge_rest_angle)

    @property
    def tet_count(self) -> int:
        """Number of tetrahedra."""
        return len(self.tet_volumes)

    @property
    def surface_count(self) -> int:
        """Number of cloths."""
        return len(self.surface_label)

    @property
    def volume_count(self) -> int:
        """Number of soft solids."""
        return len(self.volume_label)

    @property
    def attachment_particle_body_count(self) -> int:
        """Number of attachments of particles to bodies."""
        return len(self.attachment_particle)


COUNTS = tuple(name for name in vars(SoftModel) if name.endswith("_count"))
LABELS = ("surface_label", "volume_label")
ARRAYS = tuple(one.name for one in fields(SoftModel) if one.name not in (*SCALARS, *LABELS))


def soft_model(builder: Scene, device: str) -> SoftModel | None:
    """Return the particles of a scene on a device; None without particles.

    Raises:
        OptionError: A list of the builder has a wrong length, a number that is not finite, or an index out of range.
    """
    if not builder.particle_count:
        if builder.spring_count or builder.tri_count or builder.edge_count or builder.tet_count:
            raise OptionError("particle_q", "empty", "the positions of the particles that elements join")
        return None
    labels = {name: tuple(getattr(builder, name)) for name in LABELS}
    return _on_device(soft_numbers(builder), device, particle_max_velocity=_max_velocity(builder), **labels)


def no_particles(device: str) -> SoftModel:
    """Return a model without particles."""
    from inertia_tools.sim.scene.scene import Scene

    return _on_device(soft_numbers(Scene()), device)


def soft_copies(soft: SoftModel, count: int, body_count: int) -> SoftModel:
    """Return copies of particles and elements, one per world.

    Args:
        soft: Particles and elements of one world.
        count: Number of worlds.
        body_count: Number of bodies of one world.
    """
    steps = dict.fromkeys(("spring_indices", "tri_indices", "edge_indices", "tet_indices"), soft.particle_count)
    steps |= {"attachment_particle": soft.particle_count, "attachment_body": body_count, "particle_world": 1}
    counts = {"particle": soft.particle_count, "tri": soft.tri_count, "edge": soft.edge_count, "tet": soft.tet_count}
    steps |= {name: counts[name.split("_")[1]] for name in (*SURFACE_RANGES, *VOLUME_RANGES)}
    device = soft.particle_q.device
    copied: dict[str, Any] = {name: getattr(soft, name) * count for name in LABELS}
    for name in ARRAYS:
        array = getattr(soft, name)
        values = array.numpy()
        stacked = np.concatenate([counted_on(values, world * steps.get(name, 0)) for world in range(count)])
        copied[name] = wp.array(stacked, dtype=array.dtype, device=device, shape=(len(stacked), *array.shape[1:]))
    return replace(soft, **copied)


class HoldsSoftModel:
    """Base of objects with particles: has the arrays, numbers and counts of `SoftModel` under the same names.

    Attributes:
        soft: Particles and elements; None without particles.
    """

    soft: SoftModel | None
    device: str

    @cached_property
    def _no_particles(self) -> SoftModel:
        return no_particles(self.device)


def _forwarded(name: str) -> property:
    """Return a property that reads and writes an attribute of the soft model."""

    def read(holder: HoldsSoftModel) -> Any:
        return getattr(holder.soft or holder._no_particles, name)

    def write(holder: HoldsSoftModel, value: Any) -> None:
        if name in ARRAYS:
            _replace(name, read(holder), value)
            return
        number = float(value)
        if not (np.isfinite(number) and number >= 0.0):
            raise OptionError(name, value, "a finite number, zero or more")
        setattr(holder.soft or holder._no_particles, name, number)

    return property(read, write if name in (*SCALARS, *ARRAYS) else None, doc=f"`{name}` of `SoftModel`.")


def _replace(name: str, array: Any, values: Any) -> None:
    """Write new values to an array of particles or elements.

    Raises:
        OptionError: The number of values differs.
    """
    given = values.numpy() if hasattr(values, "numpy") else np.asarray(values)
    if given.shape != array.numpy().shape:
        raise OptionError(f"model.{name}", f"of shape {given.shape}", f"of shape {array.numpy().shape}")
    array.assign(given)


for _name in (*ARRAYS, *SCALARS, *LABELS, *COUNTS):
    setattr(HoldsSoftModel, _name, _forwarded(_name))


def _max_velocity(builder: Scene) -> float:
    value = float(builder.particle_max_velocity)
    if not value > 0.0:
        raise OptionError("particle_max_velocity", builder.particle_max_velocity, "a number of m/s above zero")
    return value


def _on_device(numbers: dict[str, np.ndarray], device: str, **further: Any) -> SoftModel:
    kinds: dict[str, Any] = dict.fromkeys(("particle_q", "particle_qd", "attachment_point"), wp.vec3d)
    kinds |= {"tri_poses": wp.mat22d, "tet_poses": wp.mat33d}
    arrays: dict[str, Any] = {}
    for name, values in numbers.items():
        kind = kinds.get(name, wp.int32 if values.dtype == np.int32 else wp.float64)
        shape = values.shape[:1] if name in kinds else values.shape
        if len(values):
            arrays[name] = wp.array(np.ascontiguousarray(values), dtype=kind, device=device)
        else:
            arrays[name] = wp.zeros(shape, dtype=kind, device=device)
    return SoftModel(**arrays, **further)
