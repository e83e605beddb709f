# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""State of the particles of a scene, and the state of their contacts that carries over from step to step."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

if TYPE_CHECKING:
    from inertia_tools.sim.device.model_data import ModelData

SURFACE_SLOTS = 4
"""Maximum number of surfaces that a particle touches at once."""

PAIR_SLOTS = 12
"""Maximum number of particles of higher index that a particle touches at once."""

TRIANGLE_SLOTS = 6
"""Maximum number of triangles that a particle touches at once."""

EDGE_SLOTS = 4
"""Maximum number of edges of higher index that an edge of a triangle touches at once."""


@wp.struct
class Slots:
    """State of particle contacts that carries over from substep to substep."""

    key: wp.array[wp.int32]  # index of the other side plus one; zero if unused
    force: wp.array[wp.vec3d]  # [N]
    anchor: wp.array[
        wp.vec3d
    ]  # point where it began to stick, in the frame of the body or relative to the particle [m]
    sticks: wp.array[wp.int32]  # it stuck at the end of the last substep


@wp.struct
class LeftParticles:
    """State of particles at the end of the last step; valid while positions and velocities are unchanged."""

    q: wp.array[wp.vec3d]  # position [m]
    qd: wp.array[wp.vec3d]  # velocity [m/s]
    lag: wp.array[wp.vec3d]  # acceleration that extrapolated `qd` to the instant of `q` [m/s^2]
    pull: wp.array[wp.vec3d]  # acceleration by gravity and applied forces in the last substep [m/s^2]
    inv_mass: wp.array[wp.float64]  # inverse mass in the last substep [1/kg]
    loose: wp.array[wp.vec3d]  # explicit elastic force of the last substep, which also counts in the next one [N]
    v_then: wp.array[wp.vec3d]  # mean velocity of the substep before the last one, to extrapolate the next one [m/s]


@dataclass(frozen=True, eq=False)
class SoftState:
    """State of the particles on the device; Warp arrays with one entry per particle.

    Attributes:
        particle_q: Positions [m].
        particle_qd: Velocities [m/s].
        particle_f: Applied forces [N].
        left: State at the end of the last step, `LeftParticles`.
    """

    particle_q: Any
    particle_qd: Any
    particle_f: Any
    left: Any

    def arrays(self) -> list[Any]:
        """Return all arrays."""
        left = [getattr(self.left, name) for name in self.left._cls.vars]
        return [self.particle_q, self.particle_qd, self.particle_f, *left]


@dataclass(eq=False)
class SoftContacts:
    """Contacts of particles with shapes in the last substep, on the device.

    Attributes:
        slots: Contact state that carries over from substep to substep.
        held: Forces of rigid attachments; for soft ones, the part of the last force that counts in the next substep.
        reaction: Wrenches of particles on bodies in the last substep [N, N m], about the centres of mass.
        count: Number of contacts, one entry.
        particle, shape: Particle and shape of each contact.
        point: Position in the frame of the shape's body, or in the world [m].
        normal: Unit normal towards the particle, in the world.
        force: Force on the particle [N].
        unsettled: Number of substeps, over all steps, whose solve has not converged, one entry, on the host.
    """

    slots: Any
    held: Any
    reaction: Any
    count: Any
    particle: Any
    shape: Any
    point: Any
    normal: Any
    force: Any
    unsettled: Any = field(default_factory=lambda: wp.zeros(1, dtype=wp.int32, device="cpu"))


def start_particles(model: ModelData) -> SoftState | None:
    """Return the initial state of the particles; None without particles."""
    soft, p = model.soft, model.precision
    if soft is None:
        return None
    q, qd = soft.particle_q.numpy(), soft.particle_qd.numpy()
    left, unknown = model.sized(LeftParticles, len(q)), np.full_like(q, np.nan)
    for name, values in {"q": unknown, "qd": qd, "v_then": qd}.items():
        getattr(left, name).assign(values)
    return SoftState(model.array(q, p.vec3), model.array(qd, p.vec3), model.zeros(len(q), p.vec3), left)


def touches_pairs(model: ModelData) -> bool:
    """Return whether particles may touch each other, because several have a radius."""
    return model.soft is not None and int((model.soft.particle_radius.numpy() > 0.0).sum()) > 1


def slots_each(model: ModelData) -> int:
    """Return the number of slots of each particle."""
    if not touches_pairs(model):
        return SURFACE_SLOTS
    assert model.soft is not None, "only soft models have particle contacts"
    return SURFACE_SLOTS + PAIR_SLOTS + (TRIANGLE_SLOTS if model.soft.tri_count else 0)


def skin_edges(model: ModelData) -> np.ndarray:
    """Return the edges of triangles of particles that may touch, without duplicates, shape (edges, 2)."""
    if not touches_pairs(model) or model.soft is None or not model.soft.tri_count:
        return np.zeros((0, 2), dtype=np.int32)
    corners = model.soft.tri_indices.numpy()[: model.soft.tri_count]
    ends = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]])
    return np.unique(np.sort(ends, axis=1), axis=0).astype(np.int32)


def empty_soft_contacts(model: ModelData) -> SoftContacts | None:
    """Return empty contacts of particles; None if there are no particles."""
    soft, p = model.soft, model.precision
    if soft is None:
        return None
    count = len(soft.particle_mass)
    slots, vec6d = Slots(), wp.types.vector(length=6, dtype=wp.float64)
    kept_count = count * slots_each(model) + EDGE_SLOTS * len(skin_edges(model))
    kept = {"key": wp.int32, "force": wp.vec3d, "anchor": wp.vec3d, "sticks": wp.int32}
    for name, kind in kept.items():
        setattr(slots, name, model.zeros(kept_count, kind))
    room = SURFACE_SLOTS * count
    return SoftContacts(
        slots,
        model.zeros(soft.attachment_particle_body_count, wp.vec3d),
        model.zeros(model.body_count, vec6d),
        model.zeros(1, wp.int32),
        *(model.zeros(room, wp.int32) for _ in range(2)),
        *(model.zeros(room, p.vec3) for _ in range(3)),
    )
