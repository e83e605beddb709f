# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Newton's method on the objective of a substep, each step found by conjugate gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import warp as wp

from inertia_tools.sim.device.graphs import captured
from inertia_tools.sim.soft import element_kernels, krylov, motion, rows
from inertia_tools.sim.soft.scratch import SoftScratch
from inertia_tools.sim.soft.work import Sum

MOST_SOLVES = 30
"""Newton steps for one estimate of the impulses of contacts."""

MOST_SEARCHES = 2000
"""Iterations of conjugate gradients."""

SEARCHES = 2
"""Iterations between two looks at the residual."""

MOST_CUTS = 8
"""How often a Newton step is shortened."""

STEEP = 0.5
"""Slope at the end of a Newton step from which it is shortened, over that at its start."""

PRECISE = 1e-6
"""Gradient at which Newton's method ends, over the forces that act."""

INEXACT = 1e-2
"""Residual at which a search for a Newton step ends, over its first one."""


class Launches:
    """Launches on a device, captured once and replayed.

    Args:
        device: As Warp names it.
    """

    def __init__(self, device: str) -> None:
        self.device = device
        self._graphs: dict[Any, Any] = {}

    def launch(self, kernel: Any, dim: int, *inputs: Any) -> None:
        """Launch a kernel, unless there is nothing to do."""
        if dim:
            wp.launch(kernel, dim=dim, inputs=list(inputs), device=self.device)

    def replay(self, key: Any, launch: Callable[[], None]) -> None:
        """Replay what was captured under a key, which names all that the launches depend on."""
        graph = self._graphs.get(key)
        if graph is None:
            launch()  # loads what is not compiled yet
            self._graphs[key] = captured(launch, self.device)
            return
        wp.capture_launch(graph)


class Minimiser:
    """Minimises the objective of a substep.

    Args:
        scratch: Arrays to work in.
        launches: Where to launch.

    Attributes:
        solves: Newton steps so far.
        searches: Iterations of conjugate gradients so far.
    """

    def __init__(self, scratch: SoftScratch, launches: Launches) -> None:
        self._scratch, self._launches = scratch, launches
        self.solves, self.searches = 0, 0

    def minimise(self, h: float, dim: int, assembled: bool) -> None:
        """Take Newton steps until the gradient vanishes; one that goes too far is shortened (secants of the slope).

        Args:
            h: Length of the substep [s].
            dim: Rows of contacts, rounded up.
            assembled: The matrix of the elements is that of the iterate.
        """
        s, replay = self._scratch, self._launches.replay
        length, cuts, descent = 0.0, 0, 0.0
        for _ in range(MOST_SOLVES):
            replay(("gradient", h, dim), lambda: self._gradient(h, dim))
            sums = s.sums()
            if sums[Sum.GRADIENT] <= PRECISE**2 * h**4 * sums[Sum.SCALE] + sums[Sum.FLOOR]:
                return
            slope = sums[Sum.SLOPE]
            if length > 0.0 and cuts < MOST_CUTS and not slope <= STEEP * descent:
                shorter = length * (descent / (descent + slope) if np.isfinite(slope) else 0.5)
                self._step(shorter - length)
                length, cuts = shorter, cuts + 1
                continue
            self._search(h, dim, assembled)
            assembled = False
            descent = float(s.sums()[Sum.DESCENT])
            replay(("step",), lambda: self._step(1.0))
            length, cuts = 1.0, 0

    def assemble(self, h: float) -> None:
        """Find the matrix of the elements at the iterate."""
        s, launch = self._scratch, self._launches.launch
        launch(krylov.begin_matrix, s.count, s.particles, s.matrix)
        stiffnesses = (
            element_kernels.spring_stiffness,
            element_kernels.triangle_stiffness,
            element_kernels.edge_stiffness,
            element_kernels.tet_stiffness,
        )
        for kernel, count in zip(stiffnesses, s.element_counts, strict=True):
            launch(kernel, count, s.elements, s.particles, s.matrix, wp.float64(h))

    def _search(self, h: float, dim: int, assembled: bool) -> None:
        """Find a Newton step by conjugate gradients."""
        s, replay = self._scratch, self._launches.replay
        replay(("begin search", h, dim, assembled), lambda: self._begin_search(h, dim, assembled))
        enough = INEXACT**2 * s.sums()[Sum.RZ]
        self.solves += 1
        for _ in range(0, MOST_SEARCHES, SEARCHES):
            replay(("search", dim), lambda: self._search_on(dim))
            self.searches += SEARCHES
            if not s.sums()[Sum.RZ] > enough:
                return

    def _gradient(self, h: float, dim: int) -> None:
        s, launch = self._scratch, self._launches.launch
        launch(krylov.clear_sums, 1, s.sums_array, int(Sum.ENERGY), int(Sum.FLOOR))
        launch(motion.begin_gradient, s.count, s.particles, s.sums_array)
        gradients = (
            element_kernels.spring_gradient,
            element_kernels.triangle_gradient,
            element_kernels.edge_gradient,
            element_kernels.tet_gradient,
        )
        for kernel, count in zip(gradients, s.element_counts, strict=True):
            launch(kernel, count, s.elements, s.particles, s.sums_array, wp.float64(h))
        bodies = s.bodies if dim else 0
        launch(rows.begin_carriers, bodies, s.carriers, s.sums_array, wp.float64(h * h))
        launch(rows.row_gradient, dim, s.rows, s.particles, s.carriers, s.sums_array)
        launch(motion.end_gradient, s.count, s.particles, s.vectors, s.matrix.diagonal, s.sums_array)
        launch(rows.end_carriers, bodies, s.carriers, s.sums_array)

    def _begin_search(self, h: float, dim: int, assembled: bool) -> None:
        s, launch = self._scratch, self._launches.launch
        bodies = s.bodies if dim else 0
        if not assembled:
            self.assemble(h)
        launch(krylov.clear_sums, 1, s.sums_array, int(Sum.RZ), int(Sum.DESCENT))
        launch(rows.begin_blocks, bodies, s.carriers)
        launch(rows.row_stiffness, dim, s.rows, s.particles, s.carriers, s.matrix)
        launch(krylov.begin_search, s.count, s.particles, s.matrix, s.vectors, s.sums_array)
        launch(rows.begin_carrier_search, bodies, s.carriers, s.sums_array)

    def _search_on(self, dim: int) -> None:
        s, launch = self._scratch, self._launches.launch
        bodies = s.bodies if dim else 0
        for _ in range(SEARCHES):
            launch(krylov.multiply, s.count, s.particles, s.matrix, s.vectors, s.sums_array)
            launch(rows.multiply_carriers, bodies, s.carriers, s.sums_array)
            launch(rows.row_multiply, dim, s.rows, s.particles, s.carriers, s.vectors, s.sums_array)
            launch(krylov.advance, s.count, s.matrix, s.vectors, s.sums_array)
            launch(rows.advance_carriers, bodies, s.carriers, s.sums_array)
            launch(krylov.redirect, s.count, s.vectors, s.sums_array)
            launch(rows.redirect_carriers, bodies, s.carriers, s.sums_array)
            launch(krylov.shift_sums, 1, s.sums_array)

    def _step(self, length: float) -> None:
        s, launch = self._scratch, self._launches.launch
        launch(motion.take_step, s.count, s.particles, s.vectors, wp.float64(length))
        launch(rows.step_carriers, s.bodies, s.carriers, wp.float64(length))
