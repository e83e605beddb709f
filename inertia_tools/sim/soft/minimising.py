# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Newton's method on the objective of a substep, each step found by conjugate gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import warp as wp

from inertia_tools.sim.kernels.graphs import captured
from inertia_tools.sim.soft import element_kernels, krylov, motion, rows
from inertia_tools.sim.soft.scratch import SoftScratch
from inertia_tools.sim.soft.work import Sum

OF_PARTICLES = krylov.search_kernels(wp.vec3d, wp.mat33d)
OF_BODIES = krylov.search_kernels(rows.vec6d, rows.mat66d)

MOST_SOLVES = 100
"""Newton steps for one estimate of the impulses of contacts."""

MOST_SEARCHES = 250
"""Iterations of conjugate gradients for one Newton step."""

BUDGET = 5000
"""Iterations of conjugate gradients for one estimate, beyond which the iterate is taken as it is. With 1000, contacts
of cloth on a sphere were left with forces of 1e5 N, from which the next substep began."""

SEARCHES = 2
"""Iterations between two looks at the residual."""

QUICK = 4
"""Iterations of the last search up to which the next one keeps its coarse matrices: they take as long as one or two."""

MOST_CUTS = 10
"""Lengths of a Newton step that are tried."""

LONGER = 2.0
"""Most that a length grows by at a time, over itself, where the objective still falls steeply at its end."""

STEEP = 0.5
"""Slope at the end of a Newton step with which it is good enough, over that at its start."""

PRECISE = 1e-6
"""Gradient at which Newton's method ends, over the forces that act."""

UNTOUCHED = 1e-3
"""The same after a Newton step where no contact bears anything: what is left is a force within a body for one substep,
and the next one begins with a Newton step of its own. Contacts would carry it on to others."""

INEXACT, EXACT = 1e-2, 1e-4
"""Residuals at which a search for a Newton step ends, over its first one, far from the minimum and near it."""

ENOUGH = 0.3
"""No search goes on to less than this share of the gradient at which Newton's method ends."""


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

    def forget(self) -> None:
        """Forget what was captured."""
        self._graphs.clear()

    def replay(self, key: Any, launch: Callable[[], None]) -> None:
        """Replay what was captured under a key, which names all that the launches depend on."""
        graph = self._graphs.get(key)
        if graph is None:
            launch()  # loads what is not compiled yet
            self._graphs[key] = captured(launch, self.device)
            return
        wp.capture_launch(graph)


class LineSearch:
    """Finds how far to go along a Newton step: where the slope is small against that at its start.

    The objective is convex along it and its slope has kinks, so that it is enclosed between two lengths.

    Args:
        descent: Negative slope at the start; zero where there is no step to look at.
    """

    def __init__(self, descent: float) -> None:
        self._descent, self._length = descent, 1.0
        self._low, self._slope_low = 0.0, -descent
        self._high: float | None = None
        self._slope_high = 0.0

    def change(self, slope: float) -> float:
        """Return how to change the length of the step where the slope is this; zero for not at all.

        A matrix that is stiffer than the objective gives steps that are too short: they are made longer.
        """
        if self._descent == 0.0 or abs(slope) <= STEEP * self._descent:
            return 0.0
        before = self._length
        if slope < 0.0 and self._high is None:
            reach = (before - self._low) * slope / (self._slope_low - slope)
            self._low, self._slope_low = before, slope
            self._length = before + (min(reach, LONGER * before) if reach > 0.0 else LONGER * before)
            return self._length - before
        if slope < 0.0:
            self._low, self._slope_low = before, slope
            self._slope_high *= 0.5  # of the Illinois method: the other end may not stay for long
        else:
            self._slope_low *= 1.0 if self._high is None else 0.5
            self._high, self._slope_high = before, slope
        high = before if self._high is None else self._high
        share = -self._slope_low / (self._slope_high - self._slope_low)
        if not np.isfinite(slope):
            share, self._slope_high = 0.5, -self._slope_low
        self._length = self._low + share * (high - self._low)
        return self._length - before


def inexactness(square: float, before: float, goal: float) -> float:
    """Return the residual at which a search ends, over its first one.

    It falls with the square of the gradient's, so that Newton's method converges by its order (Eisenstat, Walker 1996).

    Args:
        square: Square of the gradient.
        before: That one Newton step before; zero for the first one.
        goal: That at which Newton's method ends.
    """
    progress = square / before if before > 0.0 else INEXACT
    return min(INEXACT, max(progress, EXACT, ENOUGH * float((goal / square) ** 0.5)))


class Minimiser:
    """Minimises the objective of a substep.

    Args:
        scratch: Arrays to work in.
        launches: Where to launch.

    Attributes:
        solves: Newton steps so far.
        searches: Iterations of conjugate gradients so far.
        unconverged: Minima that were not found so far.
    """

    def __init__(self, scratch: SoftScratch, launches: Launches) -> None:
        self._scratch, self._launches = scratch, launches
        self.solves = self.searches = self.unconverged = 0
        self._last_searches = 0

    def minimise(self, h: float, dim: int, assembled: bool) -> bool:
        """Take Newton steps until the gradient vanishes; one that goes too far is shortened (secants of the slope).

        Args:
            h: Length of the substep [s].
            dim: Rows of contacts, rounded up.
            assembled: The matrix of the elements is that of the iterate.

        Returns:
            Whether it has vanished.
        """
        s, replay = self._scratch, self._launches.replay
        search, end, before, moved = LineSearch(0.0), self.searches + BUDGET, 0.0, False
        for _ in range(MOST_SOLVES):
            for _ in range(MOST_CUTS):
                replay(("gradient", h, dim), lambda: self._gradient(h, dim))
                sums = s.sums()
                square, acting = float(sums[Sum.GRADIENT]), h**4 * sums[Sum.SCALE] + sums[Sum.LOAD]
                precise = UNTOUCHED if moved and sums[Sum.LOAD] == 0.0 else PRECISE
                goal = float(precise**2 * acting + sums[Sum.FLOOR])
                if square <= goal:
                    return True
                change = search.change(float(sums[Sum.SLOPE]))
                if change == 0.0:
                    break
                self._step(change)
            if self.searches >= end:
                break
            self._search(h, dim, assembled, inexactness(square, before, goal))
            assembled, before, moved = False, square, True
            search = LineSearch(float(s.sums()[Sum.DESCENT]))
            replay(("step",), lambda: self._step(1.0))
        self.unconverged += 1
        return False

    def assemble(self, h: float) -> None:
        """Find the matrix of the elements at the iterate."""
        s, launch = self._scratch, self._launches.launch
        launch(krylov.begin_matrix, s.count, s.particles, s.matrix)
        for kernel, count in zip(element_kernels.STIFFNESSES, s.element_counts, strict=True):
            launch(kernel, count, s.elements, s.particles, s.matrix, wp.float64(h))

    def _search(self, h: float, dim: int, assembled: bool, inexact: float) -> None:
        """Find a Newton step by conjugate gradients, to a residual over its first one."""
        s, replay = self._scratch, self._launches.replay
        renewed = assembled or dim > 0 or self._last_searches > QUICK
        replay(
            ("begin search", h, dim, assembled, renewed),
            lambda: self._begin_search(h, dim, assembled=assembled, renewed=renewed),
        )
        enough = inexact**2 * s.sums()[Sum.RZ]
        self.solves += 1
        before = self.searches
        for _ in range(0, MOST_SEARCHES, SEARCHES):
            replay(("search", h, dim), lambda: self._search_on(dim))
            self.searches += SEARCHES
            if not s.sums()[Sum.RZ] > enough:
                break
        self._last_searches = self.searches - before

    def _gradient(self, h: float, dim: int) -> None:
        s, launch = self._scratch, self._launches.launch
        launch(krylov.clear_sums, 1, s.sums_array, int(Sum.ENERGY), int(Sum.LOAD))
        launch(motion.begin_gradient, s.count, s.particles, s.sums_array)
        for kernel, count in zip(element_kernels.GRADIENTS, s.element_counts, strict=True):
            launch(kernel, count, s.elements, s.particles, s.sums_array, wp.float64(h))
        bodies = s.bodies if dim else 0
        launch(rows.begin_carriers, bodies, s.carriers, s.sums_array, wp.float64(h * h))
        launch(rows.row_gradient, dim, s.rows, s.particles, s.carriers, s.sums_array)
        launch(motion.end_gradient, s.count, s.particles, s.vectors, s.matrix.diagonal, s.sums_array)
        launch(rows.end_carriers, bodies, s.carriers, s.sums_array)

    def _begin_search(self, h: float, dim: int, *, assembled: bool, renewed: bool) -> None:
        s, launch = self._scratch, self._launches.launch
        bodies = s.bodies if dim else 0
        if not assembled:
            self.assemble(h)
        launch(krylov.clear_sums, 1, s.sums_array, int(Sum.RZ), int(Sum.DESCENT))
        launch(rows.begin_blocks, bodies, s.carriers)
        launch(rows.row_stiffness, dim, s.rows, s.particles, s.carriers, s.matrix)
        launch(krylov.begin_search, s.count, s.particles, s.matrix, s.vectors)
        launch(rows.begin_carrier_search, bodies, s.carriers)
        if s.multigrid is not None and renewed:
            s.multigrid.assemble(launch)
        self._take_direction(bodies)

    def _search_on(self, dim: int) -> None:
        s, launch = self._scratch, self._launches.launch
        bodies = s.bodies if dim else 0
        for _ in range(SEARCHES):
            launch(krylov.multiply, s.count, s.particles, s.matrix, s.vectors, s.sums_array)
            launch(rows.multiply_carriers, bodies, s.carriers, s.sums_array)
            launch(rows.row_multiply, dim, s.rows, s.particles, s.carriers, s.vectors, s.sums_array)
            for kernels, count, v in ((OF_PARTICLES, s.count, s.vectors), (OF_BODIES, bodies, s.carriers)):
                launch(kernels.advance, count, v.u, v.r, v.p, v.q, s.sums_array)
            self._take_direction(bodies)

    def _take_direction(self, bodies: int) -> None:
        """Take the next direction from the residual."""
        s, v, launch = self._scratch, self._scratch.vectors, self._launches.launch
        if s.multigrid is None:
            launch(OF_PARTICLES.precondition, s.count, s.matrix.inverse, v.r, v.z, s.sums_array)
        else:
            s.multigrid.apply(launch)
            launch(OF_PARTICLES.measure, s.count, v.r, v.z, s.sums_array)
        c = s.carriers
        launch(OF_BODIES.precondition, bodies, c.inverse, c.r, c.z, s.sums_array)
        launch(OF_PARTICLES.redirect, s.count, v.z, v.p, s.sums_array)
        launch(OF_BODIES.redirect, bodies, c.z, c.p, s.sums_array)
        launch(krylov.shift_sums, 1, s.sums_array)

    def _step(self, length: float) -> None:
        s, launch = self._scratch, self._launches.launch
        launch(motion.take_step, s.count, s.particles, s.vectors, wp.float64(length))
        launch(rows.step_carriers, s.bodies, s.carriers, wp.float64(length))
