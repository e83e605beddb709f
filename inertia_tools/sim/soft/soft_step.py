# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Substeps of soft bodies: prediction, contact search, iterated impulse estimates, and stored state."""

from __future__ import annotations

from typing import Any

import warp as wp

from inertia_tools.kernel_loading import load
from inertia_tools.sim.device.contacts import Contacts
from inertia_tools.sim.device.control import Control
from inertia_tools.sim.device.model_data import ModelData
from inertia_tools.sim.device.soft_state import SoftContacts
from inertia_tools.sim.device.state import State, particles_of
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.soft import (
    attachments,
    coupling,
    element_kernels,
    finding,
    krylov,
    momentum,
    motion,
    multigrid_kernels,
    near_groups,
    row_stiffness,
    rows,
    self_contact,
)
from inertia_tools.sim.soft.exchange import exchange_kernels
from inertia_tools.sim.soft.minimising import OF_BODIES, OF_PARTICLES, Launches, Minimiser
from inertia_tools.sim.soft.scratch import SoftScratch

MOST_ESTIMATES = 4
"""Maximum number of impulse estimates in a substep; the next substep starts from the last one."""


def soft_kernels(p: Precision) -> list[Any]:
    """Return all kernels of particles."""
    contacts = (rows, coupling, finding, near_groups, self_contact, attachments, row_stiffness)
    modules = (element_kernels, *contacts, krylov, momentum, motion, multigrid_kernels)
    of_modules = [kernel for module in modules for kernel in wp.get_module(module.__name__).kernels.values()]
    factories = (OF_PARTICLES, OF_BODIES, exchange_kernels(p))
    return [*of_modules, *(kernel for factory in factories for kernel in vars(factory).values())]


class SoftStep:
    """Steps the particles of a model.

    Args:
        model: The scene.
        enable_restitution: Whether particles bounce by `Model.soft_contact_restitution`.
        pairs_touch: Whether particles collide with each other.

    Attributes:
        minimiser: Solver of each substep.
    """

    def __init__(self, model: ModelData, enable_restitution: bool, pairs_touch: bool = True) -> None:
        self._model = model
        self._restitutes = enable_restitution
        load(soft_kernels(model.precision), wp.get_device(model.device))
        self._scratch = SoftScratch(model, pairs_touch)
        self._launches = Launches(model.device)
        self.minimiser = Minimiser(self._scratch, self._launches)
        self._exchange = exchange_kernels(model.precision)
        self._length, self._dt, self._weighed_times = 0.0, 0.0, model.weighed_times

    def begin(self, state: State, control: Control, contacts: Contacts | None, h: float, dt: float) -> None:
        """Begin a step of length dt: read particles, activations of elements, and the state of contacts."""
        s = self._scratch
        s.activate(control)
        s.bind(None if contacts is None else contacts.soft)
        if self._weighed_times != self._model.weighed_times:
            self._read_masses()
        self._dt = dt
        if h != self._length:
            self._length = h
            s.find_stiff(h)
        s.take_gravity()
        self._read_particles(state, h)
        if s.has_free_components:
            self._launches.replay(("momenta",), self._sum_momenta)

    @property
    def _fastest(self) -> Any:
        """Greatest speed of particles [m/s]."""
        return wp.float64(self._model.particle_max_velocity)

    def _read_masses(self) -> None:
        """Read masses that the user changed."""
        self._scratch.take_masses()
        self._scratch.find_grids()
        self._launches.forget()
        self._weighed_times, self._length = self._model.weighed_times, 0.0

    def _read_particles(self, state: State, h: float) -> None:
        """Read particles from a state before substeps of h [s]."""
        s, soft = self._scratch, particles_of(state)
        given = (soft.particle_q, soft.particle_qd, soft.particle_f, soft.left)
        self._launches.launch(self._exchange.read_particles, s.count, *given, s.particles, s.gravity, wp.float64(h))

    def substep(self, state: State, contacts: Contacts | None, h: float) -> None:
        """Advance the particles by a substep; bodies stay at the poses of the state, and receive the reactions.

        Args:
            state: State of the bodies.
            contacts: State of the contacts; None for a scene without contacts.
            h: Length of the substep [s].
        """
        s, replay = self._scratch, self._launches.replay
        touches = contacts is not None
        key = (h, self._dt, state.key, id(s.bound), touches, *s.coefficients())
        replay(("start", *key), lambda: self._start(state, touches, h), s.bound)
        if touches and s.pair_reach > 0.0:
            s.grid.build(s.particles.start, s.pair_reach)
        if touches and s.skin is not None:
            s.skin.refit()
        replay(("prepare", *key), lambda: self._prepare(touches, h), s.bound)
        used = int(s.rows.count.numpy()[0])
        dim = 0 if used == 0 else 1 << (used - 1).bit_length()
        for estimate in range(MOST_ESTIMATES):
            is_last = not dim or estimate == MOST_ESTIMATES - 1
            found = self.minimiser.minimise(h, dim, assembled=estimate == 0, is_last=is_last)
            if contacts is not None and contacts.soft is not None:
                contacts.soft.unsettled.numpy()[0] += not found
            if not dim or not found:
                break
            replay(("take impulses", dim), lambda: self._update_estimates(dim))
            if self.minimiser.is_settled(h):
                break
        replay(("end", h, self._dt, dim, id(s.bound), self._fastest.value), lambda: self._end(h, dim), s.bound)

    def end(self, state: State, contacts: Contacts | None, h: float, dt: float) -> None:
        """Write particles to a state, with velocities extrapolated to the end and momenta restored."""
        s, launch = self._scratch, self._launches.launch
        self._launches.replay(("finish", h, dt), lambda: self._finish(h, dt))
        soft = particles_of(state)
        given = (soft.particle_q, soft.particle_qd, soft.left)
        launch(self._exchange.write_particles, s.count, s.particles, s.gravity, *given, self._fastest)
        if contacts is not None and contacts.soft is not None:
            contacts.soft.count.zero_()
            self._report(contacts.soft, 1.0 / (h * h))

    def _report(self, found: SoftContacts, per_square: float) -> None:
        """List contacts of particles with shapes; forces are impulses times `per_square` [1/s^2]."""
        s = self._scratch
        arrays = [found.count, found.particle, found.shape, found.point, found.normal, found.force]
        rows_ = (s.rows, s.carriers, s.surfaces.shape)
        self._launches.launch(self._exchange.report_rows, 1, *rows_, *arrays, wp.float64(per_square))

    def look(self, state: State, contacts: Contacts) -> None:
        """List where particles of a state touch or nearly touch shapes, without forces; nothing moves."""
        s, launch, found = self._scratch, self._launches.launch, contacts.soft
        assert found is not None, "contacts of a scene with particles have a place for theirs"
        s.bind(None)
        s.slots = found.slots  # the state of contacts is read here, not written
        self._read_particles(state, 0.0)
        lengths = (wp.float64(0.0), wp.float64(0.0))
        launch(self._exchange.read_bodies, s.bodies, state.data, self._model.bodies, s.carriers, *lengths)
        launch(motion.begin_substep, s.count, s.particles)
        s.rows.count.zero_()
        found.count.zero_()
        self._find_surfaces(s.meeting(0.0, restitutes=False))
        self._report(found, 0.0)

    def push_bodies(self, state: State, given: State) -> None:
        """Write the forces of users on bodies, from a state given, and the reactions of particles into a state."""
        key, alive = (state.key, given.key, id(self._scratch.bound)), (given, self._scratch.bound)
        self._launches.replay(("push", *key), lambda: self._push(state.data, given.data), alive)

    def _push(self, data: Any, given: Any) -> None:
        s, to_state = self._scratch, (data.f, data.particle_wrench, data.near_particles)
        self._launches.launch(self._exchange.write_reactions, s.bodies, *to_state, given.f, s.carriers)

    def _start(self, state: State, touches: bool, h: float) -> None:
        """Compute bodies, explicit forces, and rows of particles with surfaces."""
        s, launch = self._scratch, self._launches.launch
        lengths = (wp.float64(h), wp.float64(self._dt))
        launch(self._exchange.read_bodies, s.bodies, state.data, self._model.bodies, s.carriers, *lengths)
        launch(coupling.factor_mobility, s.bodies, s.carriers, state.data.coupling)
        launch(motion.begin_substep, s.count, s.particles)
        self._start_elements(h)
        launch(attachments.start_attachments, s.attachment_count, s.attachments, s.particles, s.carriers, s.held)
        s.sums_array.zero_()
        launch(motion.predict, s.count, s.particles, s.gravity, s.sums_array, wp.float64(h), self._fastest)
        s.rows.count.zero_()
        if touches and s.skin is not None:
            s.skin.bound(launch, s.particles, h)
        if touches:
            self._find_surfaces(s.meeting(h, self._restitutes))

    def _find_surfaces(self, parameters: Any) -> None:
        """Add the rows of particles with surfaces."""
        s, launch, model = self._scratch, self._launches.launch, self._model
        if s.surfaces.count:
            mu = model.precision.scalar(model.soft_contact_mu)
            launch(self._exchange.combine_friction, len(s.friction), model.shapes, mu, s.friction)
            given = (
                s.particles,
                s.gravity,
                s.surfaces,
                s.friction,
                s.carriers,
                s.rows,
                s.slots,
                parameters,
                s.capacity,
            )
            launch(finding.find_surfaces, s.count, *given)

    def _prepare(self, touches: bool, h: float) -> None:
        """Add the other rows, assemble the matrix of the elements, and set the stiffness of rows."""
        s, launch = self._scratch, self._launches.launch
        if touches:
            if s.pair_reach > 0.0:
                found = (s.rows, s.slots, s.meeting(h, self._restitutes))
                pairs = (s.particles, s.grid.id, *found, wp.float64(s.pair_reach), s.capacity)
                launch(finding.find_pairs, s.count, *pairs)
            if s.skin is not None:
                s.skin.find(launch, s.particles, s.rows, s.slots, s.meeting(h, self._restitutes), s.capacity)
            launch(rows.clear_slots, len(s.slots.key), s.slots)
        held = (s.attachments, s.particles, s.carriers, s.rows, s.held, wp.float64(h), s.capacity)
        launch(attachments.find_attachments, s.attachment_count, *held)
        self.minimiser.assemble(h)
        loaded = s.capacity if s.bodies else 0
        launch(row_stiffness.sum_body_loads, loaded, s.rows, s.carriers)
        launch(row_stiffness.sum_particle_loads, loaded, s.rows, s.particles, s.carriers)
        launch(row_stiffness.set_row_stiffness, s.capacity, s.rows, s.particles, s.carriers, s.matrix)

    def _start_elements(self, h: float) -> None:
        s = self._scratch
        for kernel, count in zip(element_kernels.STARTS, s.element_counts, strict=True):
            self._launches.launch(kernel, count, s.elements, s.particles, wp.float64(h))

    def _update_estimates(self, dim: int) -> None:
        s, launch = self._scratch, self._launches.launch
        launch(rows.update_estimates, dim, s.rows)

    def _end(self, h: float, dim: int) -> None:
        s, launch = self._scratch, self._launches.launch
        launch(rows.store_rows, dim, s.rows, s.slots, s.particles, s.carriers, wp.float64(h))
        if s.attachment_count:
            kept = (s.rows, s.attachments, s.particles, s.carriers, s.held)
            launch(attachments.store_attachments, dim, *kept, wp.float64(h))
        launch(motion.end_substep, s.count, s.particles, wp.float64(h), wp.float64(h / self._dt), self._fastest)

    def _finish(self, h: float, dt: float) -> None:
        """Extrapolate velocities to the end of the step, and restore momenta of untouched components."""
        s, launch = self._scratch, self._launches.launch
        launch(motion.clear_forces, s.count, s.particles)
        self._start_elements(h)
        launch(attachments.report_attachments, s.attachment_count, s.attachments, s.particles)
        launch(motion.report_velocities, s.count, s.particles, s.gravity, wp.float64(h))
        if s.has_free_components:
            self._sum_momenta()
            launch(momentum.add_external_impulses, s.count, s.components, s.particles, s.gravity, wp.float64(dt))
            launch(momentum.compute_corrections, s.component_count, s.components, wp.float64(h))
            launch(momentum.restore_momentum, s.count, s.components, s.particles, wp.float64(h))

    def _sum_momenta(self) -> None:
        s, launch = self._scratch, self._launches.launch
        launch(momentum.begin_sums, s.component_count, s.components)
        launch(momentum.sum_momentum, s.count, s.components, s.particles)
        launch(momentum.sum_spin, s.count, s.components, s.particles)
