# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The substeps of soft bodies: prediction, contacts, Newton's method with conjugate gradients, and what is kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import warp as wp

from inertia_tools.sim.device.contacts import Contacts
from inertia_tools.sim.device.control import Control
from inertia_tools.sim.device.graphs import captured
from inertia_tools.sim.device.model import Model
from inertia_tools.sim.device.soft_state import particles_of
from inertia_tools.sim.device.state import State
from inertia_tools.sim.soft import element_kernels, finding, krylov, momentum, motion, rows
from inertia_tools.sim.soft.exchange import exchange_kernels
from inertia_tools.sim.soft.scratch import SoftScratch
from inertia_tools.sim.soft.work import Sum

MOST_SOLVES = 30
"""Newton steps for one estimate of the impulses of contacts."""

MOST_ESTIMATES = 4
"""Estimates of these in a substep; the next one begins with the last."""

MOST_SEARCHES = 2000
"""Iterations of conjugate gradients."""

MOST_CUTS = 8
"""How often a Newton step is shortened."""

STEEP = 0.5
"""Slope at the end of a Newton step from which it is shortened, over that at its start."""

PRECISE = 1e-6
"""Gradient at which Newton's method ends, over the forces that act."""

INEXACT = 1e-2
"""Residual at which a search for a Newton step ends, over its first one."""

SETTLED = 1e-3
"""Change of the impulses of contacts at which no further estimate is made, over the forces that act."""


class SoftStep:
    """Steps the particles of a model.

    Args:
        model: The scene.
        parameters: Of the solver; restitution counts where it is enabled.
    """

    def __init__(self, model: Model, enable_restitution: bool) -> None:
        self._model = model
        self._restitutes = enable_restitution
        self._scratch = SoftScratch(model)
        self._graphs: dict[Any, Any] = {}
        self._exchange = exchange_kernels(model.precision)
        self._length = 0.0
        self.solves, self.searches = 0, 0

    def begin(self, state: State, control: Control, contacts: Contacts | None, h: float) -> None:
        """Take particles from a state, activations of elements, and what contacts keep."""
        s, soft = self._scratch, particles_of(state)
        s.activate(control)
        s.bind(None if contacts is None else contacts.soft)
        if h != self._length:
            self._length = h
            s.find_stiff(h)
        s.gravity.assign(self._model.gravities[:1])
        arrays = [soft.particle_q, soft.particle_qd, soft.particle_f, soft.q_left, soft.qd_left, soft.lag, soft.loose]
        self._launch(self._exchange.take_particles, s.count, *arrays, s.particles, s.outside, s.velocity, wp.float64(h))
        self._sum_momenta()

    def substep(self, state: State, contacts: Contacts | None, h: float) -> None:
        """Make a substep of the particles; bodies are where the state has them, and get the reactions.

        Args:
            state: Where the bodies are.
            contacts: What contacts keep; None for a world without them.
            h: Length of the substep [s].
        """
        s = self._scratch
        if s.bodies:
            self._launch(self._exchange.take_carriers, s.bodies, state.data, self._model.bodies, s.carriers)
        self._replay("start", h, 0, self._start)
        self._find(contacts, h)
        used = int(s.read(s.rows.count)[0])
        dim = 0 if used == 0 else 1 << (used - 1).bit_length()
        self._replay("assemble", h, 0, self._assemble)
        if dim:
            self._replay("stiffen", h, dim, self._stiffen)
        assembled = True
        for _ in range(MOST_ESTIMATES):
            self._minimise(h, dim, assembled)
            assembled = False
            if not dim:
                break
            s.sums_view[Sum.UNSETTLED] = 0.0
            self._replay("take impulses", h, dim, self._take_impulses)
            sums = s.sums()
            if sums[Sum.UNSETTLED] <= SETTLED**2 * h**4 * sums[Sum.SCALE]:
                break
        self._replay("end", h, dim, self._end)

    def end(self, state: State, contacts: Contacts | None, h: float, dt: float) -> None:
        """Give particles to a state, with velocities at the same instant and momenta as they must be."""
        s, soft = self._scratch, particles_of(state)
        self._launch(motion.clear_forces, s.count, s.particles)
        self._start_elements(h)
        arguments = (s.particles, s.outside, s.gravity, s.velocity, s.lag, wp.float64(h))
        self._launch(motion.report_velocities, s.count, *arguments)
        if s.has_free_components:
            self._sum_momenta()
            push = (s.components, s.particles, s.outside, s.gravity, wp.float64(dt))
            self._launch(momentum.push_components, s.count, *push)
            self._launch(momentum.find_turns, s.component_count, s.components)
            self._launch(momentum.keep_momentum, s.count, s.components, s.particles, s.velocity)
        arrays = [soft.particle_q, soft.particle_qd, soft.q_left, soft.qd_left, soft.lag, soft.loose]
        self._launch(self._exchange.give_particles, s.count, *arrays, s.particles, s.velocity, s.lag)
        if contacts is not None:
            self._report(contacts, h)

    def push_bodies(self, forces: Any, given: Any) -> None:
        """Write the forces that users apply to bodies, with the reactions of particles."""
        self._launch(self._exchange.push_bodies, self._scratch.bodies, forces, given, self._scratch.carriers)

    def _minimise(self, h: float, dim: int, assembled: bool) -> None:
        """Take Newton steps until the gradient vanishes; one that goes too far is shortened (secants of the slope)."""
        s = self._scratch
        length, cuts, descent = 0.0, 0, 0.0
        for _ in range(MOST_SOLVES):
            s.clear_sums(Sum.ENERGY, Sum.GRADIENT, Sum.FLOOR, Sum.SLOPE)
            self._replay("gradient", h, dim, self._gradient)
            sums = s.sums()
            if sums[Sum.GRADIENT] <= PRECISE**2 * h**4 * sums[Sum.SCALE] + sums[Sum.FLOOR]:
                return
            if length > 0.0 and cuts < MOST_CUTS and not sums[Sum.SLOPE] <= STEEP * descent:
                shorter = (
                    length * descent / (descent + sums[Sum.SLOPE]) if np.isfinite(sums[Sum.SLOPE]) else 0.5 * length
                )
                self._step(shorter - length)
                length, cuts = shorter, cuts + 1
                continue
            if not assembled:
                self._replay("assemble", h, 0, self._assemble)
            assembled = False
            self._search(h, dim)
            descent = float(s.sums()[Sum.DESCENT])
            self._step(1.0)
            length, cuts = 1.0, 0

    def _search(self, h: float, dim: int) -> None:
        """Find a Newton step by conjugate gradients."""
        s = self._scratch
        s.clear_sums(Sum.RZ, Sum.RZ_NEXT, Sum.PQ, Sum.DESCENT)
        self._replay("begin search", h, dim, self._begin_search)
        enough = INEXACT**2 * s.sums()[Sum.RZ]
        self.solves += 1
        for _ in range(MOST_SEARCHES):
            self._replay("search", h, dim, self._search_once)
            self.searches += 1
            if not s.sums()[Sum.RZ] > enough:
                return

    def _start(self, h: float, dim: int) -> None:
        s = self._scratch
        self._launch(motion.begin_substep, s.count, s.particles)
        self._start_elements(h)
        fastest = wp.float64(self._model.particle_max_velocity)
        s.sums_array.zero_()
        self._launch(motion.predict, s.count, s.particles, s.outside, s.gravity, s.sums_array, wp.float64(h), fastest)
        s.rows.count.zero_()

    def _start_elements(self, h: float) -> None:
        s = self._scratch
        starts = (
            element_kernels.start_springs,
            element_kernels.start_triangles,
            element_kernels.start_edges,
            element_kernels.start_tets,
        )
        for kernel, count in zip(starts, s.element_counts, strict=True):
            self._launch(kernel, count, s.elements, s.particles, wp.float64(h))

    def _find(self, contacts: Contacts | None, h: float) -> None:
        """List rows of contacts and attachments."""
        s = self._scratch
        s.rows.count.zero_()
        if contacts is not None and contacts.soft is not None:
            meeting = s.meeting(h, self._restitutes)
            found = (s.rows, contacts.soft.slots, meeting)
            if s.surfaces.count:
                surfaces = (s.particles, s.surfaces, s.carriers, *found, s.capacity)
                self._launch(finding.find_surfaces, s.count, *surfaces)
            if s.pair_reach > 0.0:
                s.grid.build(s.particles.start, s.pair_reach)
                pairs = (s.particles, s.grid.id, *found, wp.float64(s.pair_reach), s.capacity)
                self._launch(finding.find_pairs, s.count, *pairs)
            self._launch(rows.clear_slots, len(contacts.soft.slots.key), contacts.soft.slots)
        if s.attachment_count:
            held = (s.attachments, s.particles, s.carriers, s.rows, s.held, wp.float64(h), s.capacity)
            self._launch(finding.find_attachments, s.attachment_count, *held)

    def _assemble(self, h: float, dim: int) -> None:
        s = self._scratch
        self._launch(krylov.begin_matrix, s.count, s.particles, s.matrix)
        springs, triangles, edges, tets = s.element_counts
        arguments = (s.elements, s.particles, s.matrix, wp.float64(h))
        self._launch(element_kernels.spring_stiffness, springs, *arguments)
        self._launch(element_kernels.triangle_stiffness, triangles, *arguments)
        self._launch(element_kernels.edge_stiffness, edges, *arguments)
        self._launch(element_kernels.tet_stiffness, tets, *arguments)

    def _stiffen(self, h: float, dim: int) -> None:
        s = self._scratch
        self._launch(finding.stiffen, dim, s.rows, s.particles, s.matrix)

    def _gradient(self, h: float, dim: int) -> None:
        s = self._scratch
        self._launch(motion.begin_gradient, s.count, s.particles, s.sums_array)
        gradients = (
            element_kernels.spring_gradient,
            element_kernels.triangle_gradient,
            element_kernels.edge_gradient,
            element_kernels.tet_gradient,
        )
        for kernel, count in zip(gradients, s.element_counts, strict=True):
            self._launch(kernel, count, s.elements, s.particles, s.sums_array, wp.float64(h))
        if dim and s.bodies:
            self._launch(rows.begin_carriers, s.bodies, s.carriers, s.sums_array, wp.float64(h * h))
        if dim:
            self._launch(rows.row_gradient, dim, s.rows, s.particles, s.carriers, s.sums_array)
        self._launch(motion.end_gradient, s.count, s.particles, s.vectors, s.matrix.diagonal, s.sums_array)
        if dim and s.bodies:
            self._launch(rows.end_carriers, s.bodies, s.carriers, s.sums_array)

    def _begin_search(self, h: float, dim: int) -> None:
        s = self._scratch
        if dim and s.bodies:
            self._launch(rows.begin_blocks, s.bodies, s.carriers)
        if dim:
            self._launch(rows.row_stiffness, dim, s.rows, s.particles, s.carriers, s.matrix)
        self._launch(krylov.begin_search, s.count, s.particles, s.matrix, s.vectors, s.sums_array)
        if dim and s.bodies:
            self._launch(rows.begin_carrier_search, s.bodies, s.carriers, s.sums_array)

    def _search_once(self, h: float, dim: int) -> None:
        s = self._scratch
        self._launch(krylov.multiply, s.count, s.particles, s.matrix, s.vectors, s.sums_array)
        if dim and s.bodies:
            self._launch(rows.multiply_carriers, s.bodies, s.carriers, s.sums_array)
        if dim:
            self._launch(rows.row_multiply, dim, s.rows, s.particles, s.carriers, s.vectors, s.sums_array)
        self._launch(krylov.advance, s.count, s.matrix, s.vectors, s.sums_array)
        if dim and s.bodies:
            self._launch(rows.advance_carriers, s.bodies, s.carriers, s.sums_array)
        self._launch(krylov.redirect, s.count, s.vectors, s.sums_array)
        if dim and s.bodies:
            self._launch(rows.redirect_carriers, s.bodies, s.carriers, s.sums_array)
        self._launch(krylov.shift_sums, 1, s.sums_array)

    def _step(self, length: float) -> None:
        s = self._scratch
        self._launch(motion.take_step, s.count, s.particles, s.vectors, wp.float64(length))
        self._launch(rows.step_carriers, s.bodies, s.carriers, wp.float64(length))

    def _take_impulses(self, h: float, dim: int) -> None:
        s = self._scratch
        self._launch(rows.take_impulses, dim, s.rows, s.particles, s.matrix, s.sums_array)

    def _end(self, h: float, dim: int) -> None:
        s = self._scratch
        if dim:
            per_square = wp.float64(1.0 / (h * h))
            self._launch(rows.keep_rows, dim, s.rows, s.slots, s.particles, s.carriers, per_square)
            if s.attachment_count:
                self._launch(finding.keep_attachments, dim, s.rows, s.held, per_square)
        self._launch(motion.end_substep, s.count, s.particles, wp.float64(h))

    def _sum_momenta(self) -> None:
        s = self._scratch
        if s.has_free_components:
            self._launch(momentum.begin_sums, s.component_count, s.components)
            self._launch(momentum.sum_momentum, s.count, s.components, s.particles, s.velocity)
            self._launch(momentum.sum_spin, s.count, s.components, s.particles, s.velocity)

    def _report(self, contacts: Contacts, h: float) -> None:
        """List the contacts of the last substep."""
        s, soft = self._scratch, contacts.soft
        if soft is None:
            return
        soft.count.zero_()
        arrays = [soft.count, soft.particle, soft.shape, soft.point, soft.normal, soft.force]
        arguments = (s.rows, s.carriers, s.shape_indices, 0, *arrays, wp.float64(1.0 / (h * h)))
        self._launch(self._exchange.report_rows, 1, *arguments)

    def _launch(self, kernel: Any, dim: int, *inputs: Any) -> None:
        if dim:
            wp.launch(kernel, dim=dim, inputs=list(inputs), device=self._model.device)

    def _replay(self, name: str, h: float, dim: int, launch: Callable[[float, int], None]) -> None:
        """Replay launches that were captured for a length of the substep and a number of rows."""
        key = (name, h, dim, id(self._scratch.slots))
        graph = self._graphs.get(key)
        if graph is None:
            launch(h, dim)  # loads what is not compiled yet
            self._graphs[key] = captured(lambda: launch(h, dim), self._model.device)
            return
        wp.capture_launch(graph)
