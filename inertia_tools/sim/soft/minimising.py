# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Newton's method on the objective of a substep, each step found by conjugate gradients."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

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

MOST_CUTS = 40
"""Lengths of a Newton step that are tried: bisection leaves 1e-12 of the interval."""

LONGER = 2.0
"""Most that a length grows by at a time, over itself, where the objective still falls steeply at its end."""

STEEP = 0.5
"""Slope at the end of a Newton step with which it is good enough, over that at its start."""

ROUNDING = 1e-6
"""Rise of the objective that may be rounding, over its value (Hager, Zhang 2005): stiff solids cancel in it."""

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


class Place(NamedTuple):
    """What there is at an iterate."""

    square: float  # of the gradient, by inverse masses [kg m^2]
    goal: float  # that at which Newton's method ends
    slope: float  # of the objective along the last Newton step
    objective: float  # times h^2 [kg m^2]


class LineSearch:
    """Finds how far to go along a Newton step: where the slope is small against that at its start.

    The slope of a convex objective grows along it, with kinks where contacts close: their rows are far stiffer than
    what they stop. The minimum is enclosed between a length where the objective falls and one where it rises, or has
    risen over the start. Secants of the last two slopes on one side find it within one piece, and bisection halves
    the interval where these do not (Dekker 1969).

    Args:
        descent: Negative slope at the start.
        objective: Its value there.
    """

    def __init__(self, descent: float, objective: float) -> None:
        self._descent, self._most = descent, objective + ROUNDING * abs(objective)
        self.length = 1.0
        self._low, self._slope_low = 0.0, -descent
        self._high, self._slope_high = math.inf, math.nan
        self._width = math.inf

    def is_good(self, slope: float, objective: float) -> bool:
        """Tell whether the length is good enough, where the slope and the objective are these.

        Where a convex objective still falls it lies below its start, even if rounding hides that.
        """
        return abs(slope) <= STEEP * self._descent and (slope <= 0.0 or objective <= self._most)

    def go_on(self, slope: float, objective: float) -> float:
        """Return how to change the length where it is not good enough, and slope and objective are these.

        A matrix that is stiffer than the objective gives steps that are too short: they are made longer.
        """
        before = self.length
        if slope < 0.0 and objective <= self._most:
            guess = secant(self._low, self._slope_low, before, slope)
            self._low, self._slope_low = before, slope
        else:
            slope = slope if slope > 0.0 else math.nan  # beyond a rise, slopes say nothing of the minimum before it
            is_first = self._high == math.inf
            other = (self._low, self._slope_low) if is_first else (self._high, self._slope_high)
            guess = secant(*other, before, slope)
            self._high, self._slope_high = before, slope
        longest = (1.0 + LONGER) * before
        if self._high == math.inf:
            self.length = min(guess, longest) if guess > before else longest
        else:
            width = self._high - self._low
            halves = width <= 0.5 * self._width and self._low < guess < self._high
            self.length = guess if halves else self._low + 0.5 * width
            self._width = width
        return self.length - before

    def fall_back(self) -> float:
        """Return how to change the length to the greatest one known where the objective still falls."""
        change, self.length = self._low - self.length, self._low
        return change


def secant(a: float, slope_a: float, b: float, slope_b: float) -> float:
    """Return where a line through two slopes is zero; NaN where it is level."""
    return b - slope_b * (b - a) / (slope_b - slope_a) if slope_a != slope_b else math.nan


def inexactness(square: float, before: float, goal: float) -> float:
    """Return the residual at which a search ends, over its first one.

    It falls with the square of the gradient's, so that Newton's method converges by its order (Eisenstat, Walker 1996).

    Args:
        square: Square of the gradient.
        before: That one Newton step before; zero for the first one.
        goal: That at which Newton's method ends.
    """
    progress = square / before if before > 0.0 else INEXACT
    return min(INEXACT, max(progress, EXACT, ENOUGH * math.sqrt(goal / square)))


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
        """Take Newton steps until the gradient vanishes; one that goes too far is shortened.

        The gradient, and with it the impulses of rows, is always that of the iterate. No step raises the objective by
        more than rounding, so that the last iterate is the best one.

        Args:
            h: Length of the substep [s].
            dim: Rows of contacts, rounded up.
            assembled: The matrix of the elements is that of the iterate.

        Returns:
            Whether it has vanished.
        """
        end, before = self.searches + BUDGET, 0.0
        at, advances = self._look(h, dim, moved=False), True
        for _ in range(MOST_SOLVES):
            if at.square <= at.goal or not advances or self.searches >= end:
                break
            self._search(h, dim, assembled, inexactness(at.square, before, at.goal))
            assembled, before = False, at.square
            at, advances = self._go_along(h, dim, at.objective)
        found = at.square <= at.goal
        self.unconverged += not found
        return found

    def _look(self, h: float, dim: int, moved: bool) -> Place:
        """Find the gradient at the iterate; `moved` tells that it is no longer where the substep began."""
        s = self._scratch
        self._launches.replay(("gradient", h, dim), lambda: self._gradient(h, dim))
        sums = s.sums()
        precise = UNTOUCHED if moved and sums[Sum.LOAD] == 0.0 else PRECISE
        goal = precise**2 * (h**4 * sums[Sum.SCALE] + sums[Sum.LOAD]) + sums[Sum.FLOOR]
        return Place(sums[Sum.GRADIENT], goal, sums[Sum.SLOPE], sums[Sum.ENERGY])

    def _go_along(self, h: float, dim: int, objective: float) -> tuple[Place, bool]:
        """Go along a Newton step from where the objective has a value; return where to, and whether that is on."""
        line = LineSearch(self._scratch.sums()[Sum.DESCENT], objective)
        self._launches.replay(("step",), lambda: self._step(1.0))
        for _ in range(MOST_CUTS):
            at = self._look(h, dim, moved=True)
            if at.square <= at.goal or line.is_good(at.slope, at.objective):
                return at, True
            self._step(line.go_on(at.slope, at.objective))
        self._step(line.fall_back())
        return self._look(h, dim, moved=True), False

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
