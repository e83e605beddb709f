# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Friction bounds of the next outer iterate, by a Newton step on b = mu L_n(b), L_n being the normal multipliers.

With the bounds b of an iterate and their error F = mu L_n - b, those of the next one are b + x:

    (1 - G) x = F        G x = -mu K n.d        d = H^-1 J^T (t x)        H the Hessian at the minimum (`factorisation`)

A contact that slides along t gets x more friction; the resulting displacements d change its normal multiplier by -K
n.d. GMRES solves the system (Saad and Schultz 1986); each product costs a back substitution. Solving for multipliers
and bounds at once is the same step (Alart and Curnier 1991), with a Hessian that is not symmetric.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.constraints.contact_law import contact_law_functions
from inertia_tools.sim.kernels.constants import BOUND_ERROR, GMRES_TOLERANCE
from inertia_tools.sim.kernels.precision import Precision, precision
from inertia_tools.sim.kernels.scene_types import scene_type
from inertia_tools.sim.kernels.work_types import KRYLOV_COLUMNS
from inertia_tools.sim.solve.factorisation import factor_functions
from inertia_tools.sim.solve.newton import newton_functions


@lru_cache(maxsize=2)
def bound_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    wide_vec3, wide_vec6 = precision("float64").vec3, precision("float64").vec6
    numbers = wp.types.vector(length=KRYLOV_COLUMNS, dtype=wp.float64)
    square = wp.types.matrix(shape=(KRYLOV_COLUMNS, KRYLOV_COLUMNS), dtype=wp.float64)
    (Row,) = p.references("Row")
    newton, solve_loads = newton_functions(p), factor_functions(p).solve_loads
    relative_displacement, load_contact = newton.relative_displacement, newton.load_contact
    unit_normal = contact_law_functions(p).unit_normal
    most = wp.constant(KRYLOV_COLUMNS - 1)
    gmres_tolerance = wp.constant(wp.float64(GMRES_TOLERANCE))
    bound_tolerance = wp.constant(wp.float64(BOUND_ERROR))
    zero, half, one = (wp.constant(wp.float64(value)) for value in (0.0, 0.5, 1.0))

    @wp.func
    def slides(row: Row) -> bool:
        return wp.dot(row.slip_direction, row.slip_direction) > zero

    @wp.func(inline=False)
    def find_response(scene: Scene, n: int, column: int):
        """Compute the displacements of an island, `System.step`, for a change of bounds by a Krylov column."""
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            scene.system.node[scene.islands.body[i]].load = wide_vec6()
        for i in range(scene.islands.first_row[n], scene.islands.end_working[n]):
            k = scene.islands.working_row[i]
            if slides(scene.rows.row[k]):
                load_contact(
                    scene,
                    scene.rows.row[k],
                    scene.rows.row[k].krylov[column] * scene.rows.row[k].slip_direction,
                    wide_vec3(),
                )
        solve_loads(scene, n)

    @wp.func
    def bound_change(scene: Scene, row: Row) -> wp.float64:
        """Return the change of mu L_n of a contact with those displacements: (G x) [kg m]."""
        return -row.bound_slope * wp.dot(unit_normal(row), relative_displacement(scene.bodies, row, scene.system.step))

    @wp.func
    def product(scene: Scene, n: int, a: int, b: int) -> wp.float64:
        """Return the inner product of two Krylov columns."""
        total = wp.float64(0.0)
        for i in range(scene.islands.first_row[n], scene.islands.end_working[n]):
            k = scene.islands.working_row[i]
            total += scene.rows.row[k].krylov[a] * scene.rows.row[k].krylov[b]
        return total

    @wp.func
    def add_column(scene: Scene, n: int, a: int, share: wp.float64, b: int):
        """Add `share` times column a to column b."""
        for i in range(scene.islands.first_row[n], scene.islands.end_working[n]):
            k = scene.islands.working_row[i]
            scene.rows.row[k].krylov[b] = scene.rows.row[k].krylov[b] + share * scene.rows.row[k].krylov[a]

    @wp.func
    def scale_column(scene: Scene, n: int, a: int, by: wp.float64):
        for i in range(scene.islands.first_row[n], scene.islands.end_working[n]):
            scene.rows.row[scene.islands.working_row[i]].krylov[a] = (
                by * scene.rows.row[scene.islands.working_row[i]].krylov[a]
            )

    @wp.func
    def begin_basis(scene: Scene, n: int):
        """Make F of sliding contacts the first column."""
        for i in range(scene.islands.first_row[n], scene.islands.end_working[n]):
            k = scene.islands.working_row[i]
            scene.rows.row[k].krylov[0] = wp.where(slides(scene.rows.row[k]), scene.rows.row[k].bound_error, zero)

    @wp.func
    def multiply(scene: Scene, n: int, column: int):
        """Make the next column (1 - G) times this one."""
        find_response(scene, n, column)
        for i in range(scene.islands.first_row[n], scene.islands.end_working[n]):
            k = scene.islands.working_row[i]
            image = scene.rows.row[k].krylov[column] - bound_change(scene, scene.rows.row[k])
            scene.rows.row[k].krylov[column + 1] = wp.where(slides(scene.rows.row[k]), image, zero)

    @wp.func
    def orthogonalise(scene: Scene, n: int, column: int) -> numbers:
        """Make the next column orthonormal to those before (Arnoldi); return the projections and its length."""
        shares = numbers()
        for i in range(column + 1):
            shares[i] = product(scene, n, i, column + 1)
            add_column(scene, n, i, -shares[i], column + 1)
        size = wp.sqrt(product(scene, n, column + 1, column + 1))
        shares[column + 1] = size
        if size > zero:
            scale_column(scene, n, column + 1, one / size)
        return shares

    @wp.func(inline=False)
    def combine(scene: Scene, n: int, upper: square, rest: numbers, count: int):
        """Write the least-squares solution, from its upper triangular system, to the first column."""
        share = rest
        for r in range(count):
            i = count - 1 - r
            for k in range(i + 1, count):
                share[i] = share[i] - upper[i, k] * share[k]
            share[i] = share[i] / upper[i, i]
        scale_column(scene, n, 0, share[0])
        for i in range(1, count):
            add_column(scene, n, i, share[i], 0)

    @wp.func
    def solve(scene: Scene, n: int, size: wp.float64):
        """Write the solution x for sliding contacts to the first column, which holds F / |F| at first."""
        upper, cosine, sine, rest = square(), numbers(), numbers(), numbers()
        rest[0] = size
        count = int(0)
        while count < most and wp.abs(rest[count]) > gmres_tolerance * size:
            multiply(scene, n, count)
            shares = orthogonalise(scene, n, count)
            for i in range(count):
                turned = cosine[i] * shares[i] + sine[i] * shares[i + 1]
                shares[i + 1] = cosine[i] * shares[i + 1] - sine[i] * shares[i]
                shares[i] = turned
            length = wp.sqrt(shares[count] * shares[count] + shares[count + 1] * shares[count + 1])
            if length == zero:
                break
            cosine[count] = shares[count] / length
            sine[count] = shares[count + 1] / length
            shares[count] = length
            for i in range(count + 1):
                upper[i, count] = shares[i]
            rest[count + 1] = -sine[count] * rest[count]
            rest[count] = cosine[count] * rest[count]
            count += 1
        combine(scene, n, upper, rest, count)

    @wp.func
    def update_bound(row: Row, change: wp.float64):
        """Set the friction bound of a contact to b + F + change.

        Where the step goes against the error, more friction presses the contact together by more than that, and no
        bound with sliding is stable (Painleve 1895): the fixed-point iterate leads away, until the contact sticks or
        separates.
        """
        step = row.bound_error + change
        if step * row.bound_error >= zero or wp.abs(row.bound_error) <= bound_tolerance * row.bound:
            row.bound = wp.max(zero, row.bound + change)

    @wp.func(inline=False)
    def find_bounds(scene: Scene, n: int):
        """Compute the bounds of the next outer iterate; `Row.bound` is mu L_n of the last one."""
        begin_basis(scene, n)
        size = wp.sqrt(product(scene, n, 0, 0))
        if size > zero:
            scale_column(scene, n, 0, one / size)
            solve(scene, n, size)
            find_response(scene, n, 0)
            for i in range(scene.islands.first_row[n], scene.islands.end_working[n]):
                update_bound(
                    scene.rows.row[scene.islands.working_row[i]],
                    bound_change(scene, scene.rows.row[scene.islands.working_row[i]]),
                )

    @wp.func
    def damp_bounds(scene: Scene, n: int):
        """Average the bounds of an iterate with mu L_n that it found; separated contacts get no friction."""
        for i in range(scene.islands.first_row[n], scene.islands.end_working[n]):
            k = scene.islands.working_row[i]
            if scene.rows.row[k].bound > zero:
                scene.rows.row[k].bound = scene.rows.row[k].bound - half * scene.rows.row[k].bound_error

    return SimpleNamespace(find_bounds=find_bounds, damp_bounds=damp_bounds)
