# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The particles of a scene: spheres without rotation, alone or as nodes of springs, cloth and soft solids."""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from inertia_tools.errors import OptionError
from inertia_tools.sim.scene.bodies import SceneBodies
from inertia_tools.sim.scene.custom_attributes import AttributeFrequency
from inertia_tools.sim.scene.given import as_count, as_finite_vector, as_keyed, as_number, as_numbers
from inertia_tools.sim.scene.soft_arguments import (
    IDENTITY,
    ORIGIN,
    as_each,
    as_nonnegative,
    as_points,
    as_positive,
    placed_points,
)
from inertia_tools.spatial import Array, ArrayLike

Values = Mapping[str, Any]
"""Values of custom attributes by key; for several elements, a list of values for each key."""

FLAGS = "a sum of ParticleFlags: ACTIVE (1), PROXY (2)"

JITTER_SEED = 42
"""Seed of the jitter, so that grids with the same arguments are equal."""

LEAST_RADIUS = 1e-3
"""A random radius is at least this part of the mean, whatever the deviation."""


class ParticleFlags(enum.IntFlag):
    """Flags of a particle; names and values are those of Newton."""

    ACTIVE = 1
    """The particle moves. Without this flag it is pinned: it stays in place and acts as a fixed support."""
    PROXY = 2
    """The particle represents one of another solver; kept, without effect here."""


@dataclass
class SceneParticles(SceneBodies):
    """Particles, named by their index; a mass of zero, or flags without `ACTIVE`, pin one.

    Attributes:
        particle_q: Position of each particle [m], shape (3,).
        particle_qd: Its initial velocity [m/s], shape (3,).
        particle_mass: Its mass [kg].
        particle_radius: Its radius in contacts [m].
        particle_flags: Its `ParticleFlags`.
        particle_world: World of each particle; -1: all worlds.
        particle_max_velocity: Speed limit of particles [m/s].
        default_particle_radius: Radius of particles that are added without one [m].
        attachment_particle_body_particle: Particle of each attachment.
        attachment_particle_body_body: Its body.
        attachment_particle_body_body_point: Its point in the frame of the body, seen from the body's origin [m].
        attachment_particle_body_stiffness: Its stiffness [N/m]; infinite for a hard one.
        attachment_particle_body_damping: Its damping [N s/m].
        attachment_particle_body_enabled: Whether it is enabled.
    """

    particle_q: list[Any] = field(default_factory=list)
    particle_qd: list[Any] = field(default_factory=list)
    particle_mass: list[float] = field(default_factory=list)
    particle_radius: list[float] = field(default_factory=list)
    particle_flags: list[int] = field(default_factory=list)
    particle_world: list[int] = field(default_factory=list)
    particle_max_velocity: float = 1e5
    default_particle_radius: float = 0.1
    attachment_particle_body_particle: list[int] = field(default_factory=list)
    attachment_particle_body_body: list[int] = field(default_factory=list)
    attachment_particle_body_body_point: list[Any] = field(default_factory=list)
    attachment_particle_body_stiffness: list[float] = field(default_factory=list)
    attachment_particle_body_damping: list[float] = field(default_factory=list)
    attachment_particle_body_enabled: list[bool] = field(default_factory=list)

    @property
    def particle_count(self) -> int:
        """Number of particles."""
        return len(self.particle_q)

    @property
    def attachment_particle_body_count(self) -> int:
        """Number of attachments of particles to bodies."""
        return len(self.attachment_particle_body_particle)

    def add_particle(
        self,
        pos: ArrayLike,
        vel: ArrayLike = ORIGIN,
        mass: float = 1.0,
        radius: float | None = None,
        flags: int = ParticleFlags.ACTIVE,
        custom_attributes: Values | None = None,
    ) -> int:
        """Add a particle and return its index.

        Args:
            pos: Its position [m].
            vel: Its initial velocity [m/s], shape (3,).
            mass: Its mass [kg]; zero pins it.
            radius: Its radius in contacts [m]; `default_particle_radius` where none is given.
            flags: Its `ParticleFlags`.
            custom_attributes: Values of attributes of frequency particle, by key.

        Raises:
            OptionError: A number is not finite, or mass or radius is negative; or a custom attribute is unknown.
        """
        place, rate = as_finite_vector("pos", pos), as_finite_vector("vel", vel)
        weight = as_nonnegative("mass", mass, "kg")
        size = as_nonnegative("radius", self.default_particle_radius if radius is None else radius, "m")
        flag = _as_flags(flags, 1)[0]
        self.set_custom_values(self.particle_count, custom_attributes, AttributeFrequency.PARTICLE)
        self._append_particles(place[None], rate[None], [weight], [size], [flag])
        return self.particle_count - 1

    def add_particles(
        self,
        pos: Sequence[ArrayLike] | Array,
        vel: Sequence[ArrayLike] | Array | None = None,
        mass: Sequence[float] | Array | float = 1.0,
        radius: Sequence[float] | Array | float | None = None,
        flags: Sequence[int] | int | None = None,
        custom_attributes: Values | None = None,
    ) -> range:
        """Add several particles, and return their indices.

        Args:
            pos: Their positions [m], shape (n, 3).
            vel: Their initial velocities [m/s], shape (n, 3); zero by default.
            mass: Their masses [kg], one for all or one each; zero pins a particle.
            radius: Their radii in contacts [m], likewise; `default_particle_radius` where none are given.
            flags: Their `ParticleFlags`, likewise.
            custom_attributes: A list of values, one for each particle, by key of attributes of frequency particle.

        Raises:
            OptionError: A number is not finite, a mass or radius is negative, or a list has another length.
        """
        places = as_points("pos", pos)
        count = len(places)
        rates = np.zeros((count, 3)) if vel is None else as_points("vel", vel, count)
        masses = as_each("mass", mass, count)
        radii = as_each("radius", radius, count, self.default_particle_radius)
        bits = _as_flags(ParticleFlags.ACTIVE if flags is None else flags, count)
        first = self.particle_count
        self._set_custom_lists(first, count, custom_attributes, AttributeFrequency.PARTICLE)
        self._append_particles(places, rates, masses.tolist(), radii.tolist(), bits)
        return range(first, first + count)

    def add_particle_grid(
        self,
        *,
        pos: ArrayLike = ORIGIN,
        rot: ArrayLike = IDENTITY,
        vel: ArrayLike = ORIGIN,
        dim_x: int,
        dim_y: int,
        dim_z: int,
        cell_x: float,
        cell_y: float,
        cell_z: float,
        mass: float,
        jitter: float = 0.0,
        radius_mean: float | None = None,
        radius_std: float = 0.0,
        flags: Sequence[int] | int | None = None,
        custom_attributes: Values | None = None,
    ) -> range:
        """Add a grid of particles, and return their indices; y is the slowest index and z the fastest.

        Args:
            pos: Position of its first corner [m].
            rot: Rotation about that, quaternion x, y, z, w.
            vel: Velocity of all particles [m/s].
            dim_x: Number of particles along x.
            dim_y: The same along y.
            dim_z: The same along z.
            cell_x: Distance between neighbours along x [m].
            cell_y: The same along y [m].
            cell_z: The same along z [m].
            mass: Mass of each particle [kg].
            jitter: Random displacement along each axis, up to this [m]; the same in every run.
            radius_mean: Mean radius [m]; `default_particle_radius` where none is given.
            radius_std: Standard deviation of the radii [m].
            flags: `ParticleFlags` of all particles, or of each.
            custom_attributes: A list of values, one for each particle, by key of attributes of frequency particle.

        Raises:
            OptionError: A number is not finite or negative, or a count is invalid.
        """
        counts = [as_count(name, value) for name, value in (("dim_x", dim_x), ("dim_y", dim_y), ("dim_z", dim_z))]
        steps = (("cell_x", cell_x), ("cell_y", cell_y), ("cell_z", cell_z))
        cells = [as_positive(name, value, "m") for name, value in steps]
        spread = as_nonnegative("jitter", jitter, "m")
        mean = as_nonnegative("radius_mean", self.default_particle_radius if radius_mean is None else radius_mean, "m")
        deviation = as_nonnegative("radius_std", radius_std, "m")
        y, x, z = np.meshgrid(*(np.arange(counts[axis]) * cells[axis] for axis in (1, 0, 2)), indexing="ij")
        points = np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1)
        random = np.random.default_rng(JITTER_SEED)
        points += spread * random.uniform(-1.0, 1.0, points.shape)
        radii = np.maximum(mean + deviation * random.standard_normal(len(points)), LEAST_RADIUS * mean)
        places, rates = placed_points(points, pos, rot), np.tile(as_finite_vector("vel", vel), (len(points), 1))
        return self.add_particles(places, rates, as_nonnegative("mass", mass, "kg"), radii, flags, custom_attributes)

    def _add_moving(
        self,
        points: Array,
        vel: ArrayLike,
        masses: Array,
        fixed: np.ndarray,
        radius: float | None,
        custom: Values | None = None,
    ) -> None:
        """Add particles that move as one [m/s]; those that are fixed are pinned: without mass, and not active."""
        rates = np.tile(as_finite_vector("vel", vel), (len(points), 1))
        flags = np.where(fixed, 0, int(ParticleFlags.ACTIVE)).tolist()
        self.add_particles(points, rates, np.where(fixed, 0.0, masses), radius, flags, custom)

    def add_attachment_particle_body(
        self,
        particle: int,
        body: int,
        *,
        body_point: ArrayLike | None = None,
        stiffness: float = 1e4,
        damping: float = 0.0,
        enabled: bool = True,
        custom_attributes: Values | None = None,
    ) -> int:
        """Attach a particle to a point of a body, and return the index of the attachment; forces act on both.

        Args:
            particle: Index of the particle.
            body: Index of the body.
            body_point: The point in the frame of the body, seen from its origin [m]; the origin where none is given.
            stiffness: Its stiffness [N/m]; `math.inf` for a hard attachment.
            damping: Its damping [N s/m]; a hard one has none.
            enabled: Whether it is enabled.
            custom_attributes: There is no frequency of attachments: must be empty.

        Raises:
            OptionError: The particle is unknown, the point is not finite, or a coefficient is negative or not a number.
            SimulationError: The body is unknown.
        """
        self._check_particle("particle", particle)
        body = self._index_of_body(body)
        point = as_finite_vector("body_point", ORIGIN if body_point is None else body_point)
        hard = as_number(stiffness) == math.inf
        give = math.inf if hard else as_nonnegative("stiffness", stiffness, "N/m (or math.inf)")
        loss = as_nonnegative("damping", damping, "N s/m")
        self.set_custom_values(self.attachment_particle_body_count, custom_attributes)
        self.attachment_particle_body_particle.append(int(particle))
        self.attachment_particle_body_body.append(int(body))
        self.attachment_particle_body_body_point.append(point)
        self.attachment_particle_body_stiffness.append(give)
        self.attachment_particle_body_damping.append(loss)
        self.attachment_particle_body_enabled.append(bool(enabled))
        return self.attachment_particle_body_count - 1

    def _check_particle(self, name: str, particle: int) -> None:
        """Raise `OptionError` for an index that no particle has."""
        if not (isinstance(particle, int | np.integer) and 0 <= particle < self.particle_count):
            raise OptionError(name, particle, f"the index of a particle (the scene has {self.particle_count})")

    def _append_particles(self, q: Array, qd: Array, mass: list[float], radius: list[float], flags: list[int]) -> None:
        self.particle_q.extend(q)
        self.particle_qd.extend(qd)
        self.particle_mass.extend(mass)
        self.particle_radius.extend(radius)
        self.particle_flags.extend(flags)
        self.particle_world.extend([self.current_world] * len(flags))

    def _set_custom_lists(self, first: int, count: int, values: Values | None, frequency: AttributeFrequency) -> None:
        """Give several elements their values of custom attributes: a list of one value each, or one for all.

        Raises:
            OptionError: A list has another length, or an attribute is unknown or has another frequency.
        """
        for number, row in enumerate(self._custom_rows(count, values, frequency)):
            self.set_custom_values(first + number, row, frequency)

    def _custom_rows(self, count: int, values: Values | None, frequency: AttributeFrequency) -> list[dict[str, Any]]:
        """Return the values of several elements, one by one; arguments and errors are those of `_set_custom_lists`."""
        rows: list[dict[str, Any]] = [{} for _ in range(count)]
        for key, given in as_keyed("custom_attributes", values).items():
            attribute = self.custom_attributes.get(key)
            is_one = np.ndim(given) == 0 or (attribute is not None and np.shape(given) == (attribute.width,) != (1,))
            if not is_one and len(given) != count:
                raise OptionError(f"custom attribute {key}", f"of length {len(given)}", f"of length {count}")
            for number, row in enumerate(rows):
                row[key] = given if is_one else given[number]
        for row in rows[:1]:
            self.checked_custom_values(row, frequency)
        return rows


def _as_flags(flags: Any, count: int) -> list[int]:
    """Return the flags of several particles.

    Raises:
        OptionError: They are not sums of `ParticleFlags`, or not as many.
    """
    known = int(ParticleFlags.ACTIVE | ParticleFlags.PROXY)
    bits = as_numbers("flags", flags, FLAGS)
    if bits.ndim == 0:
        bits = np.full(count, bits)
    if bits.shape != (count,):
        raise OptionError("flags", f"of length {bits.size}", f"one sum of ParticleFlags, or {count} of them")
    if not np.isin(bits, range(known + 1)).all():
        raise OptionError("flags", flags, FLAGS)
    return [int(bit) for bit in bits]
