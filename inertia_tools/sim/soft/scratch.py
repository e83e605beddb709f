# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Working arrays of the substeps of soft bodies, and the data of the model that they read."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp
from scipy.sparse import csr_matrix

from inertia_tools.sim.device.control import Control
from inertia_tools.sim.device.model_data import ModelData
from inertia_tools.sim.device.soft_state import SURFACE_SLOTS, Slots, SoftContacts, slots_each, touches_pairs
from inertia_tools.sim.soft.attachments import Attachments
from inertia_tools.sim.soft.element_kernels import average_materials
from inertia_tools.sim.soft.elements import Elements, SolidSources
from inertia_tools.sim.soft.finding import ContactParameters
from inertia_tools.sim.soft.momentum import Components
from inertia_tools.sim.soft.multigrid import Multigrid
from inertia_tools.sim.soft.pattern import (
    Frequencies,
    edge_frequencies,
    membrane_frequencies,
    pattern_of,
    spring_frequencies,
    tie_frequencies,
)
from inertia_tools.sim.soft.rows import Carriers, Rows
from inertia_tools.sim.soft.skin import SkinContact, open_triangles
from inertia_tools.sim.soft.solids import Solids, solids_of
from inertia_tools.sim.soft.surfaces import SurfaceScene
from inertia_tools.sim.soft.work import Matrix, Particles, Sum, Vectors

PAIR_ROWS = 6
"""Capacity in rows of particle pairs for each particle."""

MANY = 500
"""Number of connected particles from which conjugate gradients use multigrid; fewer are solved faster without it."""

SOFT = 20.0
"""Multigrid is also not used up to this squared frequency of the fastest isolated element times the substep. Conjugate
gradients take about as many iterations as the root of four times this, and each iteration takes a fifth of the time."""

LARGEST_GRID = 128
"""Maximum number of cells of the hash grid along each axis; particles beyond it share cells."""


class SoftScratch:
    """Arrays in double precision on the device of a model.

    Args:
        model: The scene.
        pairs_touch: Whether particles collide with each other.
    """

    def __init__(self, model: ModelData, pairs_touch: bool = True) -> None:
        soft = model.soft
        assert soft is not None, "a model without particles has no soft bodies"
        self._model, self._device, self._soft = model, model.device, soft
        self.held: Any = None
        self.count, self.bodies = len(soft.particle_mass), model.body_count
        self.gravity = model.zeros(len(model.gravities), wp.vec3d)
        self.take_gravity()
        self.sums_array = model.zeros(int(Sum.COUNT), wp.float64)
        self.sums_view = self.sums_array.numpy()
        self._take_attachments(soft)
        self._take_elements(soft)
        self._take_surfaces(model, pairs_touch)
        self.vectors = model.sized(Vectors, self.count)
        self.find_grids()
        self.multigrid: Multigrid | None = None
        self.carriers = self._carriers(model)
        per_particle = SURFACE_SLOTS + (PAIR_ROWS if self.pair_reach > 0.0 else 0)
        skin_rows = 0 if self.skin is None else self.skin.rows
        self.capacity = self.count * per_particle + self.attachment_count + skin_rows
        self.rows = model.sized(Rows, self.capacity)
        self.rows.count = model.zeros(1, wp.int32)
        self._unbound = (model.sized(Slots, 1), self.held, self.carriers.reaction)
        self.bind(None)

    def _carriers(self, model: ModelData) -> Any:
        """Return the bodies of the solve."""
        carriers, clusters = model.sized(Carriers, self.bodies, {"coupling": model.coupled_pairs}), model.clusters
        carriers.cluster = clusters.of_body
        for name in ("place", "first_body", "body_count", "body", "first_pair"):
            setattr(carriers, name, getattr(clusters, name))
        return carriers

    def lasting(self) -> dict[str, Any]:
        """Return the arrays that carry over from step to step, besides states and contacts.

        Implicit shares are not among them: `find_stiff` computes them from the model and the length of the substep.
        """
        return {"solid_turn": self.elements.solid_turn, "unbound": self._unbound}

    def take_gravity(self) -> None:
        """Read the gravity of each world, and of particles in no world."""
        self._fall = np.array(self._model.gravities, dtype=np.float64)
        self.gravity.assign(self._fall)

    def bind(self, contacts: SoftContacts | None) -> None:
        """Store forces of contacts, attachments and reactions in `contacts`, or in own arrays if it is None."""
        kept = self._unbound if contacts is None else (contacts.slots, contacts.held, contacts.reaction)
        self.bound = contacts or self._unbound
        self.slots, self.held, self.carriers.reaction = kept

    def activate(self, control: Control) -> None:
        """Read the activations of elements, and update the materials of solid ones."""
        _, triangles, _, solids = self.element_counts
        if triangles:
            wp.copy(self.elements.triangle_activation, control.tri_activations)
        if solids:
            inputs = [self.solid_sources, control.tet_activations, self.elements]
            wp.launch(average_materials, dim=solids, inputs=inputs, device=self._device)

    def coefficients(self) -> tuple[float, ...]:
        """Return the coefficients of contact and motion that users may change."""
        soft = self._soft
        friction = (soft.soft_contact_mu, soft.particle_mu, soft.soft_contact_restitution)
        sticking = (soft.particle_cohesion, soft.particle_adhesion)
        return (*friction, *sticking, soft.particle_max_velocity, *self._fall.ravel().tolist())

    def meeting(self, h: float, restitutes: bool) -> Any:
        """Return the contact parameters for substeps of h [s]."""
        soft = self._soft
        meeting: Any = ContactParameters()
        meeting.pair_mu = soft.particle_mu
        meeting.restitution = soft.soft_contact_restitution if restitutes else 0.0
        meeting.cohesion, meeting.adhesion, meeting.h = soft.particle_cohesion, soft.particle_adhesion, h
        meeting.slow = 2.0 * h * h * float(np.linalg.norm(self._fall, axis=1).max())
        meeting.slots = self._slots_each
        return meeting

    def find_stiff(self, h: float) -> None:
        """Compute the implicit shares of elements and particles for substeps of h [s]."""
        stiff = np.zeros(self.count + self.bodies)
        e, kinds = self.elements, [*self._frequencies, self._ties]
        shares = [kind.shares(self._together, h) for kind in kinds]
        for kind, share in zip(kinds, shares, strict=True):
            is_particle = kind.indices >= 0
            np.maximum.at(
                stiff, kind.indices[is_particle], np.broadcast_to(share[:, None], is_particle.shape)[is_particle]
            )
        self.particles.stiff.assign(stiff[: self.count])
        self.attachments.share.assign(shares.pop())
        for array, share in zip((e.spring_share, e.triangle_share, e.edge_share), shares[:3], strict=True):
            array.assign(share)
        e.solid_share.assign(np.concatenate(shares[3:]))
        fastest = max(float((kind.alone * h * h).max(initial=0.0)) for kind in self._frequencies)
        self.multigrid = self._grids if fastest > SOFT else None

    def find_grids(self) -> None:
        """Build the coarse grids, which depend on the pinned particles."""
        self._grids = self._coarse_grids()

    def _coarse_grids(self) -> Multigrid | None:
        """Return the multigrid hierarchy; None if few particles are connected."""
        if np.count_nonzero(np.diff(self._joined.indptr)) < MANY:
            return None
        return Multigrid.of(self.matrix, self.vectors, self.particles, self._joined, self._device)

    def sums(self) -> list[float]:
        """Return the sums; on a GPU this synchronises."""
        sums: list[float] = (self.sums_view if self.sums_array.device.is_cpu else self.sums_array.numpy()).tolist()
        return sums

    def _take_elements(self, soft: Any) -> None:
        """Read particles and elements from the model, and compute their connectivity."""
        springs = soft.spring_indices.numpy().reshape(-1, 2)[: soft.spring_count]
        triangles, edges = soft.tri_indices.numpy()[: soft.tri_count], soft.edge_indices.numpy()[: soft.edge_count]
        smoothed = soft.tet_smoothed.numpy()[: soft.tet_count] > 0
        tets, shapes = soft.tet_indices.numpy()[: soft.tet_count], soft.tet_poses.numpy()[: soft.tet_count]
        solids = self._solids = solids_of(tets, shapes, soft.tet_volumes.numpy()[: soft.tet_count], smoothed)
        self.element_counts = (len(springs), len(triangles), len(edges), len(solids.volumes))
        e = self.elements = Elements()
        e.spring, e.spring_length = soft.spring_indices, soft.spring_rest_length
        e.spring_stiffness, e.spring_damping = soft.spring_stiffness, soft.spring_damping
        e.spring_mobility = self._model.zeros(len(springs), wp.float64)
        e.triangle, e.triangle_pose, e.triangle_area = soft.tri_indices, soft.tri_poses, soft.tri_areas
        e.triangle_activation, e.triangle_material = wp.clone(soft.tri_activations), soft.tri_materials
        e.edge, e.edge_angle, e.edge_material = soft.edge_indices, soft.edge_rest_angle, soft.edge_bending_properties
        e.edge_start = self._model.zeros(len(edges), wp.float64)
        for name, count in zip(("spring", "triangle", "edge", "solid"), self.element_counts, strict=True):
            setattr(e, f"{name}_share", self._model.zeros(count, wp.float64))
        self._take_solids(solids, soft.tet_materials)
        self._kinds = (springs, triangles, edges, *solids.corners)
        self._take_pattern(soft, self._kinds)
        self.take_masses()
        stiff = pattern_of(self.count, (springs, triangles, tets))
        ones = np.ones(len(stiff.column))
        self._joined = csr_matrix((ones, stiff.column, stiff.first), shape=(self.count, self.count))

    def take_masses(self) -> None:
        """Read the current masses and flags of particles, and compute the frequencies of elements."""
        soft, e = self._soft, self.elements
        soft.find_inverse_masses()
        inv_mass = soft.particle_inv_mass.numpy()
        springs, triangles, edges = self._kinds[:3]
        stiffness = soft.spring_stiffness.numpy()[: len(springs)]
        sheets = (soft.tri_poses.numpy(), soft.tri_areas.numpy(), soft.tri_materials.numpy())
        bending = soft.edge_bending_properties.numpy()[: len(edges), 0]
        self._frequencies = [
            spring_frequencies(springs, stiffness, inv_mass),
            membrane_frequencies(triangles, *sheets, inv_mass),
            edge_frequencies(edges, soft.particle_q.numpy(), bending, inv_mass),
            *self._solids.frequencies(soft.tet_materials.numpy(), inv_mass),
        ]
        self._ties = self._tie_frequencies(inv_mass)
        count = self.count + self.bodies
        self._together = sum((kind.together(count) for kind in [*self._frequencies, self._ties]), np.zeros(count))
        e.spring_mobility.assign(inv_mass[springs].sum(axis=1))
        self._take_components(soft.particle_mass.numpy(), inv_mass)

    def _tie_frequencies(self, inv_mass: np.ndarray) -> Frequencies:
        """Return the frequencies of attachments to free bodies; constraints of the bodies make them slower."""
        soft, bodies = self._soft, self._model.bodies
        particle, body = (getattr(soft, f"attachment_{name}").numpy() for name in ("particle", "body"))
        mobilities = np.zeros((len(body), 2))
        mobilities[:, 0] = inv_mass[particle]
        if len(body):
            arm = soft.attachment_point.numpy() - bodies.com.numpy()[body]
            turns = np.linalg.norm(bodies.inv_inertia.numpy(), ord=2, axis=(1, 2))[body]
            mobilities[:, 1] = bodies.inv_mass.numpy()[body] + (arm**2).sum(axis=1) * turns
        indices = np.stack([particle, self.count + body], axis=1)
        return tie_frequencies(indices, soft.attachment_stiffness.numpy(), mobilities)

    def _take_solids(self, solids: Solids, materials: Any) -> None:
        """Copy the solid elements to the device."""
        e, count = self.elements, len(solids.volumes)
        widths = np.concatenate([np.full(len(corners), corners.shape[1]) for corners in solids.corners])
        e.solid_first = self._array(np.cumsum([0, *widths]), wp.int32)
        e.solid_corner = self._array(np.concatenate([corners.ravel() for corners in solids.corners]), wp.int32)
        e.solid_slope = self._array(np.concatenate([slopes.reshape(-1, 3) for slopes in solids.slopes]), wp.vec3d)
        e.solid_volume, e.solid_activation = self._array(solids.volumes), self._model.zeros(count, wp.float64)
        e.solid_material = self._model.zeros(count, wp.vec3d)
        e.solid_start = self._model.zeros(count, wp.mat33d)
        e.solid_turn = self._array(np.tile([0.0, 0.0, 0.0, 1.0], (count, 1)), wp.quatd)
        s = self.solid_sources = SolidSources()
        s.first, s.tet = self._array(solids.first, wp.int32), self._array(solids.tet, wp.int32)
        s.weight, s.factor, s.material = self._array(solids.weight), self._array(solids.factors, wp.vec3d), materials
        self.matrix = Matrix()
        self.matrix.solid_slot_first = self._array(np.cumsum([0, *(widths * (widths - 1))]), wp.int32)

    def _take_pattern(self, soft: Any, kinds: tuple[np.ndarray, ...]) -> None:
        pattern = pattern_of(self.count, kinds)
        m = self.matrix
        m.first, m.column = self._array(pattern.first, wp.int32), self._array(pattern.column, wp.int32)
        m.block = self._model.zeros(len(pattern.column), wp.mat33d)
        m.diagonal, m.inverse = (self._model.zeros(self.count, wp.mat33d) for _ in range(2))
        m.solid_slot = self._array(np.concatenate([slots.ravel() for slots in pattern.slots[3:]]), wp.int32)
        for name, slots in zip(("spring", "triangle", "edge"), pattern.slots[:3], strict=True):
            setattr(m, f"{name}_slot", self._array(slots, wp.int32))
        p = self.particles = self._model.sized(Particles, self.count)
        p.mass, p.inv_mass, p.radius = soft.particle_mass, soft.particle_inv_mass, soft.particle_radius
        p.flags = soft.particle_flags
        p.world, p.at_rest = soft.particle_world, soft.particle_q
        self._component = pattern.component
        p.component = self._array(pattern.component, wp.int32)
        self.component_count = int(pattern.component.max()) + 1 if self.count else 0
        self.components = self._model.sized(Components, self.component_count)

    def _take_components(self, mass: np.ndarray, inv_mass: np.ndarray) -> None:
        component = self._component
        sizes = np.bincount(component, minlength=self.component_count)
        pinned = np.bincount(component, inv_mass == 0.0, minlength=self.component_count) > 0
        free = (sizes > 1) & ~pinned
        self.has_free_components = bool(free.any())
        self.components.free.assign(free.astype(np.int32))
        total = np.bincount(component, mass, minlength=self.component_count)
        self.components.mass.assign(np.where(total > 0.0, total, 1.0))

    def _take_surfaces(self, model: ModelData, pairs_touch: bool) -> None:
        soft = self._soft
        self.surface_scene: SurfaceScene = model.soft_surfaces
        self.surfaces = self.surface_scene.data
        self.friction = model.zeros(len(model.shapes.mu), wp.float64)
        radii = soft.particle_radius.numpy()
        largest = float(radii.max(initial=0.0))
        self.pair_reach = 2.2 * largest + soft.particle_cohesion if pairs_touch and touches_pairs(model) else 0.0
        self._slots_each = slots_each(model)
        has_holes = self.pair_reach > 0.0 and len(open_triangles(soft)) > 0
        self.skin = SkinContact(model) if has_holes else None
        cells = min(8 + int(2.0 * self.count ** (1.0 / 3.0)), LARGEST_GRID)
        self.grid = wp.HashGrid(cells, cells, cells, device=self._device, dtype=wp.float64)

    def _take_attachments(self, soft: Any) -> None:
        a = self.attachments = Attachments()
        count = self.attachment_count = soft.attachment_particle_body_count
        a.particle, a.body, a.point = soft.attachment_particle, soft.attachment_body, soft.attachment_point
        a.stiffness, a.damping, a.enabled = soft.attachment_stiffness, soft.attachment_damping, soft.attachment_enabled
        a.share, a.pull = self._model.zeros(count, wp.float64), self._model.zeros(count, wp.vec3d)
        self.held = self._model.zeros(count, wp.vec3d)

    def _array(self, values: Any, dtype: Any = wp.float64) -> Any:
        """Return numbers as an array on the device."""
        return self._model.array(values, dtype)
