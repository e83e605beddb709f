# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Newton's method with line search for the objective of a substep; conjugate gradients solve each Newton step."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import warp as wp

from inertia_tools.sim.kernels.graphs import Graphs, captured
from inertia_tools.sim.soft import coupling, element_kernels, krylov, motion, rows
from inertia_tools.sim.soft.scratch import SoftScratch
from inertia_tools.sim.soft.work import Sum

OF_PARTICLES = krylov.search_kernels(wp.vec3d, wp.mat33d)
OF_BODIES = krylov.search_kernels(rows.vec6d, rows.mat66d)

MAX_NEWTON_STEPS = 100
"""Maximum number of Newton steps for one estimate of the contact impulses."""

MAX_ITERATIONS = 250
"""Maximum number of conjugate-gradient iterations for one Newton step."""

BUDGET = 5000
"""Maximum number of conjugate-gradient iterations for one estimate; beyond it the iterate is accepted as it is. With
1000, contacts of cloth on a sphere kept forces of 1e5 N, with which the next substep began."""

ITERATIONS_A_TEST = 2
"""Conjugate-gradient iterations between two tests of the residual."""

FEW_ITERATIONS = 4
"""The coarse matrices are reused if the last search took at most this many iterations; computing them costs as much as
one or two."""

MAX_TRIALS = 40
"""Maximum number of lengths that the line search tries; bisection then leaves 1e-12 of the interval."""

MAX_GROWTH = 2.0
"""Greatest growth of the step length in one trial, relative to the length, while the objective still falls steeply."""

SLOPE_RATIO = 0.5
"""The line search accepts a slope of at most this, relative to the slope at the start."""

ROUNDING = 1e-6
"""Rise of the objective that may be rounding error, relative to its value (Hager, Zhang 2005); terms of stiff solids
cancel."""

TOLERANCE = 1e-6
"""Norm of the gradient at which Newton's method ends, relative to the forces that act."""

CONTACT_FREE_TOLERANCE = 1e-3
"""The same after at least one Newton step if no contact carries load. The remaining gradient is an internal force of a
body for one substep, and the next substep starts with a Newton step of its own. Contacts would pass it on to other
bodies."""

INEXACT, EXACT = 1e-2, 1e-4
"""Relative residuals at which the search for a Newton step ends, far from the minimum and near it."""

SETTLED = 1e-3
"""No further estimate is made if the impulses changed by less than this, relative to the forces that act."""

ESTIMATE_SHARE = 0.1
"""An estimate that another one follows ends at this share of the change of the impulses that it makes: augmented
Lagrangian methods converge as if it were zero if the gradient decreases with that change (Rockafellar 1976)."""

LEAST_SHARE = 0.3
"""No search continues below this share of the gradient at which Newton's method ends."""


class Launches:
    """Kernel launches on a device, captured once and replayed.

    Args:
        device: As Warp names it.
    """

    def __init__(self, device: str) -> None:
        self.device = device
        self._graphs = Graphs()

    def launch(self, kernel: Any, dim: int, *inputs: Any) -> None:
        """Launch a kernel unless its dimension is zero."""
        if dim:
            wp.launch(kernel, dim=dim, inputs=list(inputs), device=self.device)

    def forget(self) -> None:
        """Discard all captured graphs."""
        self._graphs.clear()

    def replay(self, key: Any, launch: Callable[[], None], alive: Any = None) -> None:
        """Replay the launches captured under a key, which must name everything that they depend on.

        The object `alive` is kept with them, as they refer to it.
        """
        found = self._graphs.get(key)
        if found is None:
            launch()  # compiles kernels before the capture
            self._graphs.keep(key, captured(launch, self.device), alive)
            return
        wp.capture_launch(found[0])


class Evaluation(NamedTuple):
    """Gradient and objective at an iterate."""

    square: float  # squared norm of the gradient, by inverse masses [kg m^2]
    goal: float  # value at which Newton's method ends
    slope: float  # slope of the objective along the last Newton step
    objective: float  # objective times h^2 [kg m^2]


class LineSearch:
    """Line search along a Newton step: finds a length at which the slope is small compared with that at the start.

    The slope of a convex objective increases along the step, with kinks where contacts close, as contact rows are far
    stiffer than the bodies that they stop. The minimum is bracketed between a length at which the objective falls and
    one at which it rises or exceeds its start value. The secant of the last two slopes on one side finds it within a
    smooth piece; where that fails, bisection halves the interval (Dekker 1969).

    Args:
        descent: Negative of the slope at the start.
        objective: Its value there.
    """

    def __init__(self, descent: float, objective: float) -> None:
        self._descent, self._most = descent, objective + ROUNDING * abs(objective)
        self.length = 1.0
        self._low, self._slope_low = 0.0, -descent
        self._high, self._slope_high = math.inf, math.nan
        self._width = math.inf

    def is_good(self, slope: float, objective: float) -> bool:
        """Return whether the length is acceptable, given slope and objective there.

        Where a convex objective still falls, it is below its start value, even if rounding hides that.
        """
        return abs(slope) <= SLOPE_RATIO * self._descent and (slope <= 0.0 or objective <= self._most)

    def go_on(self, slope: float, objective: float) -> float:
        """Return the change of the length after an unacceptable trial, given slope and objective there.

        A matrix that is stiffer than the objective gives steps that are too short; they are lengthened.
        """
        before = self.length
        if slope < 0.0 and objective <= self._most:
            guess = secant(self._low, self._slope_low, before, slope)
            self._low, self._slope_low = before, slope
        else:
            slope = slope if slope > 0.0 else math.nan  # beyond a rise, the slope does not locate the minimum before it
            is_first = self._high == math.inf
            other = (self._low, self._slope_low) if is_first else (self._high, self._slope_high)
            guess = secant(*other, before, slope)
            self._high, self._slope_high = before, slope
        longest = (1.0 + MAX_GROWTH) * before
        if self._high == math.inf:
            self.length = min(guess, longest) if guess > before else longest
        else:
            width = self._high - self._low
            secant_suffices = width <= 0.5 * self._width and self._low < guess < self._high
            self.length = guess if secant_suffices else self._low + 0.5 * width
            self._width = width
        return self.length - before

    def fall_back(self) -> float:
        """Return the change of the length to the greatest one known at which the objective still falls."""
        change, self.length = self._low - self.length, self._low
        return change


def secant(a: float, slope_a: float, b: float, slope_b: float) -> float:
    """Return the zero of the line through two slopes; NaN if they are equal."""
    return b - slope_b * (b - a) / (slope_b - slope_a) if slope_a != slope_b else math.nan


def inexactness(square: float, before: float, goal: float) -> float:
    """Return the relative residual at which the search for a Newton step ends (forcing term).

    It decreases with the square of the gradient, so that Newton's method keeps its order of convergence (Eisenstat,
    Walker 1996).

    Args:
        square: Square of the norm of the gradient.
        before: The same before the last Newton step; zero for the first one.
        goal: The value at which Newton's method ends.
    """
    progress = square / before if before > 0.0 else INEXACT
    return min(INEXACT, max(progress, EXACT, LEAST_SHARE * math.sqrt(goal / square)))


class Minimiser:
    """Minimises the objective of a substep.

    Args:
        scratch: Working arrays.
        launches: Where to launch kernels.

    Attributes:
        solves: Number of Newton steps so far.
        searches: Number of conjugate-gradient iterations so far.
        unconverged: Number of minima that were not found so far.
    """

    def __init__(self, scratch: SoftScratch, launches: Launches) -> None:
        self._scratch, self._launches = scratch, launches
        self.solves = self.searches = self.unconverged = 0
        self._last_searches, self._is_last = 0, True

    def is_settled(self, h: float) -> bool:
        """Return whether the impulses found are those estimated."""
        sums = self._scratch.sums()
        return bool(sums[Sum.UNSETTLED] <= SETTLED**2 * (h**4 * sums[Sum.SCALE] + sums[Sum.LOAD]))

    def minimise(self, h: float, dim: int, assembled: bool, is_last: bool) -> bool:
        """Take Newton steps, with line search, until the gradient vanishes; return whether it does.

        The gradient, and with it the impulses of rows, is always that of the iterate. No step raises the objective by
        more than rounding, so the last iterate is the best one.

        Args:
            h: Length of the substep [s].
            dim: Number of contact rows, rounded up.
            assembled: The matrix of the elements is that of the iterate.
            is_last: No other estimate of the impulses follows.
        """
        self._is_last = is_last
        end, before = self.searches + BUDGET, 0.0
        at, progresses = self._evaluate(h, dim, moved=False), True
        for _ in range(MAX_NEWTON_STEPS):
            if at.square <= at.goal or not progresses or self.searches >= end:
                break
            self._solve_step(h, dim, assembled, inexactness(at.square, before, at.goal))
            assembled, before = False, at.square
            at, progresses = self._line_search(h, dim, at.objective)
        found = at.square <= at.goal
        self.unconverged += not found
        return found

    def _evaluate(self, h: float, dim: int, moved: bool) -> Evaluation:
        """Compute gradient and objective at the iterate; `moved` is false at the first iterate of the substep."""
        s = self._scratch
        self._launches.replay(("gradient", h, dim), lambda: self._gradient(h, dim))
        sums = s.sums()
        precise = CONTACT_FREE_TOLERANCE if moved and sums[Sum.LOAD] == 0.0 else TOLERANCE
        goal = precise**2 * (h**4 * sums[Sum.SCALE] + sums[Sum.LOAD]) + sums[Sum.FLOOR]
        if not self._is_last and not self.is_settled(h):
            goal = max(goal, ESTIMATE_SHARE**2 * sums[Sum.CHANGE])
        return Evaluation(sums[Sum.GRADIENT], goal, sums[Sum.SLOPE], sums[Sum.ENERGY])

    def _line_search(self, h: float, dim: int, objective: float) -> tuple[Evaluation, bool]:
        """Search along a Newton step; return the values at its end, and whether the search has progressed."""
        line = LineSearch(self._scratch.sums()[Sum.DESCENT], objective)
        self._launches.replay(("step",), lambda: self._step(1.0))
        for _ in range(MAX_TRIALS):
            at = self._evaluate(h, dim, moved=True)
            if at.square <= at.goal or line.is_good(at.slope, at.objective):
                return at, True
            self._step(line.go_on(at.slope, at.objective))
        self._step(line.fall_back())
        return self._evaluate(h, dim, moved=True), False

    def assemble(self, h: float) -> None:
        """Assemble the matrix of the elements at the iterate."""
        s, launch = self._scratch, self._launches.launch
        launch(krylov.begin_matrix, s.count, s.particles, s.matrix)
        for kernel, count in zip(element_kernels.STIFFNESSES, s.element_counts, strict=True):
            launch(kernel, count, s.elements, s.particles, s.matrix, wp.float64(h))

    def _solve_step(self, h: float, dim: int, assembled: bool, inexact: float) -> None:
        """Solve for a Newton step by conjugate gradients, to a residual of `inexact` relative to the first one."""
        s, replay = self._scratch, self._launches.replay
        renewed = assembled or dim > 0 or self._last_searches > FEW_ITERATIONS
        replay(
            ("begin search", h, dim, assembled, renewed),
            lambda: self._begin_search(h, dim, assembled=assembled, renewed=renewed),
        )
        enough = inexact**2 * s.sums()[Sum.RZ]
        self.solves += 1
        before = self.searches
        for _ in range(0, MAX_ITERATIONS, ITERATIONS_A_TEST):
            replay(("search", h, dim), lambda: self._iterate(dim))
            self.searches += ITERATIONS_A_TEST
            if not s.sums()[Sum.RZ] > enough:
                break
        self._last_searches = self.searches - before

    def _gradient(self, h: float, dim: int) -> None:
        s, launch = self._scratch, self._launches.launch
        launch(krylov.clear_sums, 1, s.sums_array, int(Sum.ENERGY), int(Sum.CHANGE))
        launch(motion.begin_gradient, s.count, s.particles, s.sums_array)
        for kernel, count in zip(element_kernels.GRADIENTS, s.element_counts, strict=True):
            launch(kernel, count, s.elements, s.particles, s.sums_array, wp.float64(h))
        bodies = s.bodies if dim else 0
        launch(coupling.begin_carriers, bodies, s.carriers, s.sums_array, wp.float64(h * h))
        launch(rows.row_gradient, dim, s.rows, s.particles, s.carriers, s.sums_array)
        launch(motion.end_gradient, s.count, s.particles, s.vectors, s.matrix.diagonal, s.sums_array)
        launch(coupling.end_carriers, bodies, s.carriers, s.sums_array)

    def _begin_search(self, h: float, dim: int, *, assembled: bool, renewed: bool) -> None:
        s, launch = self._scratch, self._launches.launch
        bodies = s.bodies if dim else 0
        if not assembled:
            self.assemble(h)
        launch(krylov.clear_sums, 1, s.sums_array, int(Sum.RZ), int(Sum.DESCENT))
        launch(coupling.begin_blocks, bodies, s.carriers)
        launch(rows.row_stiffness, dim, s.rows, s.particles, s.carriers, s.matrix)
        launch(krylov.begin_search, s.count, s.particles, s.matrix, s.vectors)
        launch(coupling.begin_carrier_search, bodies, s.carriers)
        if s.multigrid is not None and renewed:
            s.multigrid.assemble(launch)
        self._update_direction(bodies)

    def _iterate(self, dim: int) -> None:
        s, launch = self._scratch, self._launches.launch
        bodies = s.bodies if dim else 0
        for _ in range(ITERATIONS_A_TEST):
            launch(krylov.multiply, s.count, s.particles, s.matrix, s.vectors, s.sums_array)
            launch(coupling.carry, bodies, s.carriers)
            launch(rows.row_multiply, dim, s.rows, s.particles, s.carriers, s.vectors, s.sums_array)
            launch(coupling.multiply_carriers, bodies, s.carriers, s.sums_array)
            for kernels, count, v in ((OF_PARTICLES, s.count, s.vectors), (OF_BODIES, bodies, s.carriers)):
                launch(kernels.update_solution, count, v.u, v.r, v.p, v.q, s.sums_array)
            self._update_direction(bodies)

    def _update_direction(self, bodies: int) -> None:
        """Compute the next search direction from the preconditioned residual."""
        s, v, launch = self._scratch, self._scratch.vectors, self._launches.launch
        if s.multigrid is None:
            launch(OF_PARTICLES.precondition, s.count, s.matrix.inverse, v.r, v.z, s.sums_array)
        else:
            s.multigrid.apply(launch)
            launch(OF_PARTICLES.add_residual_product, s.count, v.r, v.z, s.sums_array)
        c = s.carriers
        launch(OF_BODIES.precondition, bodies, c.inverse, c.r, c.z, s.sums_array)
        launch(OF_PARTICLES.update_direction, s.count, v.z, v.p, s.sums_array)
        launch(OF_BODIES.update_direction, bodies, c.z, c.p, s.sums_array)
        launch(krylov.shift_sums, 1, s.sums_array)

    def _step(self, length: float) -> None:
        s, launch = self._scratch, self._launches.launch
        launch(motion.move_particles, s.count, s.particles, s.vectors, wp.float64(length))
        launch(coupling.step_carriers, s.bodies, s.carriers, wp.float64(length))
