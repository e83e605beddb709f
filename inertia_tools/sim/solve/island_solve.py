# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The constraints of an island in one substep: outer iterates of an augmented Lagrangian around Newton's method.

Each outer iterate minimises the merit function with the multipliers, and the bounds of friction, of the one before;
multipliers and bounds that it finds are those of the next one. It ends where the natural residual of Coulomb's law is
small, and joints, which are measured again after each iterate, hold.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.device.precision import Precision, precision
from inertia_tools.sim.solve.bounded_laws import bounded_functions
from inertia_tools.sim.solve.contact_law import law_functions
from inertia_tools.sim.solve.factorisation import factor_functions
from inertia_tools.sim.solve.newton import newton_functions
from inertia_tools.sim.xpbd.contact_rows import row_functions
from inertia_tools.sim.xpbd.island_types import island_types
from inertia_tools.sim.xpbd.joint_axes import axes_functions
from inertia_tools.sim.xpbd.joints import GIVES
from inertia_tools.sim.xpbd.motion import motion_functions
from inertia_tools.sim.xpbd.rounding import rounding_functions

ISLAND_STIFFNESS = 100.0
"""Stiffness of a contact (penalty of the augmented Lagrangian), over the mass of its island: it must follow the load
that a contact may carry, not the bodies beside it."""

LOCAL_STIFFNESS = 1e4
"""The same over the inertia that its own bodies show, where that is more."""

SLIP_STIFFNESS = 100.0
"""Stiffness of friction that sticks, over the inertia that its bodies show: the softer it is, the fewer Newton steps an
outer iterate takes, and the more outer iterates there are."""

SLIP_OF_ISLAND = 10.0
"""The same over the mass of the island, where that is more."""

SLIP_GROWTH, GROWS_FROM, GROWS_TO = 1.5, 4, 26
"""Ratio by which both grow after each of these outer iterates, as penalties of an augmented Lagrangian do where it is
slow: of 8000 solves of a row of dominoes 309 did not settle without, 100 with it."""

RECOVERY_LIMIT = 100.0
"""Greatest multiplier that takes an old overlap back, over the one that would move the bodies of the contact alone."""

REMEMBERED = 6
"""Outer iterates whose bounds of friction are extrapolated from (Anderson acceleration)."""

UNBOUNDED = 1e30
"""Bound of friction at which a contact sticks whatever it takes."""

JAMS_FROM = 1.1
"""Ratio of the normal force of a contact to that of its bound, from which it may jam; less is what
rounding moves between the corners of a body."""

REGULAR = 1e-12
"""Ratio of its trace that is added to the diagonal of the normal equations of that."""

CLOSED = {"float32": 1e-6, "float64": 1e-9}
"""Natural residual of gaps that ends the outer iterates, over the greatest displacement that a contact makes."""

EARLY, LOOSELY = 20, 100.0
"""From this iterate on gaps may be off by that much more: by then what is left of them is rounding."""

SETTLED, AT_FIRST = 1e-7, {"float32": 1e-7, "float64": 1e-10}
"""The same of slips, whose bounds converge more slowly: at most, and in the first `SOON` iterates."""

SOON = 4
"""Iterates in which bounds that converge quickly do so down to rounding: what is dragged on others gains no speed."""

MOST_ITERATES = 40
"""Outer iterates of a substep at most."""


@lru_cache(maxsize=2)
def island_solve_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3, vec6 = p.scalar, p.vec3, p.vec6
    wide = precision("float64")
    wide_vec3, wide_vec6, wide_mat66 = wide.vec3, wide.vec6, wide.mat66
    Bodies, Rows, Work, System = p.references("Bodies", "Rows", "Work", "System")
    Joints, JointWork, Contacts, LoopWork = p.references("Joints", "JointWork", "Contacts", "LoopWork")
    Islands, motion = wp.ref[island_types(p).Islands], motion_functions(p)
    is_static, push_exactly, add, add_momenta, turn = (
        motion.is_static, motion.push_exactly, motion.add, motion.add_momenta, motion.turn
    )  # fmt: skip
    rounding, law, newton = rounding_functions(p), law_functions(p), newton_functions(p)
    exact, exact_six, rounded, rounded_six = rounding.exact, rounding.exact_six, rounding.rounded, rounding.rounded_six
    pushed, slipped = row_functions(p).pushed, row_functions(p).slipped
    minimise, mass_times = newton.minimise, newton.mass_times
    linear, angular, load_contact = newton.linear, newton.angular, newton.load_contact
    force, moment, across, within = law.force, law.moment, law.across, law.within
    moment_within = law.moment_within
    is_bounded, pull = bounded_functions(p).is_bounded, bounded_functions(p).pull
    hangs, coordinate = factor_functions(p).hangs, factor_functions(p).coordinate
    load_parent = axes_functions(p).load_parent
    pushed_turn = motion.pushed_turn
    hard_normal, recovery_normal, unit_normal = law.hard_normal, law.recovery_normal, law.unit_normal
    slip_stiffness = wp.constant(wp.float64(SLIP_STIFFNESS))
    slip_of_island, slip_growth = wp.constant(wp.float64(SLIP_OF_ISLAND)), wp.constant(wp.float64(SLIP_GROWTH))
    grows_from, grows_to = wp.constant(GROWS_FROM), wp.constant(GROWS_TO)
    recovery_limit = wp.constant(wp.float64(RECOVERY_LIMIT))
    remembered, regular = wp.constant(REMEMBERED), wp.constant(wp.float64(REGULAR))
    island_stiffness = wp.constant(wp.float64(ISLAND_STIFFNESS))
    local_stiffness = wp.constant(wp.float64(LOCAL_STIFFNESS))
    settled = wp.constant(wp.float64(SETTLED))
    at_first, soon = wp.constant(wp.float64(AT_FIRST[p.name])), wp.constant(SOON)
    early, loosely = wp.constant(EARLY), wp.constant(wp.float64(LOOSELY))
    closed = wp.constant(wp.float64(CLOSED[p.name]))
    jams_from = wp.constant(wp.float64(JAMS_FROM))
    gives, unbounded = wp.constant(GIVES), wp.constant(wp.float64(UNBOUNDED))
    zero, one = wp.constant(wp.float64(0.0)), wp.constant(wp.float64(1.0))

    @wp.func
    def mass_of(bodies: Bodies, islands: Islands, n: int) -> wp.float64:
        total = wp.float64(0.0)
        for i in range(islands.first_body[n], islands.end_body[n]):
            total += wp.float64(bodies.mass[islands.body[i]])
        return total

    @wp.func
    def mute_contact(rows: Rows, k: int):
        """Let a contact have no part in the merit function."""
        rows.stiffness[k] = wp.float64(0.0)
        rows.slip_stiffness[k] = wp.float64(0.0)
        rows.recovery_limit[k] = wp.float64(0.0)
        rows.recovery_start[k] = wp.float64(0.0)
        rows.lambda_n_start[k] = wp.float64(0.0)
        rows.lambda_t_start[k] = wide_vec3()
        rows.bound[k] = wp.float64(0.0)
        rows.applied[k] = wide_vec3()
        if rows.has_twists == 1:
            rows.spin_bound[k] = wp.float64(0.0)
            rows.roll_bound[k] = wp.float64(0.0)
            rows.applied_moment[k] = wide_vec3()

    @wp.func(inline=False)
    def open_contacts(bodies: Bodies, contacts: Contacts, rows: Rows, islands: Islands, n: int):
        """Begin a substep with the multipliers that the last one has left."""
        mass = mass_of(bodies, islands, n)
        for i in range(islands.first_row[n], islands.end_row[n]):
            k = islands.row[i]
            slot = rows.slot[k]
            load = wp.float64(contacts.load[slot])
            w_n = wp.float64(rows.w_n[k])
            rows.stiffness[k] = wp.max(island_stiffness * mass, local_stiffness / w_n)
            rows.slip_stiffness[k] = wp.max(slip_stiffness / wp.float64(rows.w_t[k]), slip_of_island * mass)
            rows.recovery_limit[k] = recovery_limit * rows.recovery[k] / w_n
            rows.recovery_start[k] = wp.float64(0.0)
            rows.lambda_n_start[k] = load
            rows.lambda_t_start[k] = across(unit_normal(rows, k), exact(contacts.lambda_t[slot]))
            expected = load
            if load == zero:
                expected = wp.max(zero, rows.to_goal[k]) / w_n  # what is new would be stopped by its bodies alone
            rows.bound[k] = wp.float64(rows.mu[k]) * expected
            rows.jammed[k] = int(0)
            rows.applied[k] = wide_vec3()
            if rows.has_twists == 1:
                w_spin = wp.float64(wp.max(rows.w_spin[k], rows.w_roll[k]))
                rows.turn_stiffness[k] = slip_stiffness / w_spin
                rows.per_length[k] = wp.sqrt(w_spin / w_n)
                rows.lambda_r_start[k] = -rows.turn_stiffness[k] * exact(contacts.turn[slot])
                rows.spin_bound[k] = wp.float64(rows.mu_torsional[k]) * expected
                rows.roll_bound[k] = wp.float64(rows.mu_rolling[k]) * expected
                rows.applied_moment[k] = wide_vec3()
            if rows.planned[k] == 0:
                mute_contact(rows, k)  # it is swept

    @wp.func
    def turned_by(bodies: Bodies, work: Work, b: int, h: scalar) -> wide_vec3:
        if is_static(bodies, b):
            return wide_vec3()
        return exact(h * pushed_turn(work, b))

    @wp.func(inline=False)
    def measure_contacts(
        bodies: Bodies, contacts: Contacts, rows: Rows, islands: Islands, work: Work, n: int, h: scalar
    ):
        """Begin an outer iterate: what gaps lack, and slips, where the impulses applied so far have led."""
        for i in range(islands.first_row[n], islands.end_row[n]):
            k = islands.row[i]
            way = pushed(bodies, rows, work, k, h)
            normal = unit_normal(rows, k)
            rows.residual_n[k] = rows.to_goal[k] - rows.recovery[k] - wp.dot(normal, way)
            rows.slip[k] = across(normal, slipped(contacts, rows, k, way))
            rows.moved[k] = wide_vec3()
            if rows.has_twists == 1:
                by = turned_by(bodies, work, rows.body_a[k], h) - turned_by(bodies, work, rows.body_b[k], h)
                rows.angle[k] = exact(rows.turn[k]) + by
                rows.turned[k] = wide_vec3()

    @wp.func(inline=False)
    def guess(bodies: Bodies, rows: Rows, islands: Islands, work: Work, system: System, n: int, h: scalar, count: int):
        """Start from the velocities that bodies had before this substep, or from where they are."""
        for i in range(islands.first_body[n], islands.end_body[n]):
            b = islands.body[i]
            system.move[b] = wide_vec6()
            if count == 0 and islands.end_row[n] > islands.first_row[n]:
                lin = wp.float64(h) * (exact(work.v_before[b]) - exact(work.v_free[b]))
                ang = exact(h * (work.inv_tensor[b] * (work.spin_before[b] - work.spin_free[b])))
                system.move[b] = wide_vec6(lin[0], lin[1], lin[2], ang[0], ang[1], ang[2])
        if count == 0:
            for i in range(islands.first_row[n], islands.end_row[n]):
                k = islands.row[i]
                rows.moved[k] = newton.between(bodies, rows, system.move, k)
                if rows.has_twists == 1:
                    rows.turned[k] = newton.turn_between(bodies, rows, system.move, k)

    @wp.func(inline=False)
    def spring_joints(bodies: Bodies, islands: Islands, jw: JointWork, n: int):
        """Turn rows of joints that give into springs on free coordinates."""
        for i in range(islands.first_body[n], islands.end_body[n]):
            b = islands.body[i]
            if bodies.is_free_body[b] == 0 and bodies.parent[b] != -2:
                j = bodies.joint[b]
                stiff = wide_vec6()
                mask = jw.mask[j]
                if (mask & gives) != int(0):
                    for row in range(6):
                        if (mask & (int(1) << row)) != int(0) and jw.compliance[j][row] > scalar(0.0):
                            stiff[row] = one / wp.float64(jw.compliance[j][row])
                            mask = mask & ~(int(1) << row)
                jw.stiffness[j] = stiff
                jw.mask[j] = mask

    @wp.func(inline=False)
    def apply(bodies: Bodies, rows: Rows, islands: Islands, work: Work, system: System, n: int, h: scalar) -> scalar:
        """Move bodies as the minimum asks for; return the square of the farthest displacement of those on joints."""
        for i in range(islands.first_body[n], islands.end_body[n]):
            system.load[islands.body[i]] = wide_vec6()
        for i in range(islands.first_row[n], islands.end_row[n]):
            k = islands.row[i]
            f = force(rows, k, rows.moved[k])
            df, dm = f - rows.applied[k], wide_vec3()
            rows.applied[k] = f
            rows.applied_hard[k] = hard_normal(rows, k, rows.moved[k])
            rows.applied_recovery[k] = recovery_normal(rows, k, rows.moved[k])
            if rows.has_twists == 1:
                m = moment(rows, k, rows.turned[k])
                dm = m - rows.applied_moment[k]
                rows.applied_moment[k] = m
            load_contact(bodies, rows, system, k, df, dm)
        moved = scalar(0.0)
        for i in range(islands.first_body[n], islands.end_body[n]):
            b = islands.body[i]
            if bodies.is_free_body[b] == 1:
                push_exactly(bodies, work, b, linear(system.load[b]), angular(system.load[b]), h)
            else:
                move = rounded_six(system.move[b])
                lin, ang = vec3(move[0], move[1], move[2]), vec3(move[3], move[4], move[5])
                add(work, b, lin)
                add_momenta(work, b, lin / h, work.tensor[b] * (ang / h))
                turn(work, b, ang)
                moved = wp.max(moved, wp.dot(move, move))
        return moved

    @wp.func(inline=False)
    def sum_joints(
        bodies: Bodies, joints: Joints, islands: Islands, work: Work, jw: JointWork, lw: LoopWork, system: System,
        n: int,
    ):  # fmt: skip
        """Add the impulses of joints: what moves each body, less its contacts and what it carries, leaves to root."""
        for i in range(islands.first_body[n], islands.end_body[n]):
            b = islands.body[i]
            if bodies.is_free_body[b] == 0:
                own = mass_times(bodies, work, b, system.move[b])
                system.load[b] = own - system.load[b] - exact_six(work.load[b])
                if islands.end_group[n] > islands.first_group[n]:
                    system.load[b] = system.load[b] - exact_six(lw.load[b])
        first, end = islands.first_body[n], islands.end_body[n]
        for i in range(first, end):
            b = islands.body[first + end - 1 - i]
            if hangs(bodies, jw, b):
                j = bodies.joint[b]
                impulse, lambda_friction = vec6(), wide_vec6()
                went = newton.read(bodies, joints, jw, system.move, j)
                for row in range(6):
                    lambda_friction[row] = pull(jw, j, row, went[row])
                    gives_way = jw.stiffness[j][row] > zero or is_bounded(jw, j, row)
                    if (jw.mask[j] & (int(1) << row)) != int(0) or gives_way:
                        impulse[row] = scalar(wp.dot(coordinate(jw, j, row), system.load[b]))
                jw.impulse[j] = jw.impulse[j] + impulse
                jw.lambda_friction[j] = lambda_friction
                parent = bodies.parent[b]
                if not is_static(bodies, parent):
                    system.load[parent] = system.load[parent] - exact_six(load_parent(jw, j, impulse))

    @wp.func
    def shifted(v: wide_vec6, first: wp.float64) -> wide_vec6:
        """Return the numbers of a vector moved on by one, with a new first one."""
        return wide_vec6(first, v[0], v[1], v[2], v[3], v[4])

    @wp.func
    def difference(v: wide_vec6, i: int) -> wp.float64:
        return v[i] - v[i + 1]

    @wp.func
    def runs_away(bounds: wide_vec6, images: wide_vec6) -> bool:
        """Tell whether friction that is granted more presses a contact together by more than that."""
        more = difference(bounds, 0)
        return images[0] > jams_from * bounds[0] and difference(images, 0) * more > more * more

    @wp.func(inline=False)
    def extrapolate(rows: Rows, islands: Islands, n: int, known: int, early: bool) -> bool:
        """Find the bounds of the next outer iterate from those of the last ones (Anderson 1965).

        With the errors F_i of the bounds B_i, newest first, the combination of differences that leaves least of F_0 is
        taken from B_0 + F_0. Return whether a contact jams instead: friction presses it together by more than it
        takes (Painleve 1895), no bound is right at which it slides, and it must stick.
        """
        jams = bool(False)
        known = wp.min(known, remembered - 1)
        if known > 0:
            a, y = wide_mat66(), wide_vec6()
            for r in range(islands.first_row[n], islands.end_row[n]):
                k = islands.row[r]
                e = rows.bound_errors[k]
                for i in range(known):
                    y[i] = y[i] + difference(e, i) * e[0]
                    for j in range(known):
                        a[i, j] = a[i, j] + difference(e, i) * difference(e, j)
            trace = wp.float64(0.0)
            for i in range(known):
                trace += a[i, i]
            if trace > zero:
                for i in range(known):
                    a[i, i] = a[i, i] + regular * trace
                share = solve_small(a, y, known)
                for r in range(islands.first_row[n], islands.end_row[n]):
                    k = islands.row[r]
                    images = rows.bounds[k] + rows.bound_errors[k]
                    bound = images[0]
                    for i in range(known):
                        bound -= share[i] * difference(images, i)
                    if early and bound < zero and rows.jammed[k] == 0 and runs_away(rows.bounds[k], images):
                        bound = unbounded
                        rows.jammed[k] = int(1)
                        jams = True
                    rows.bound[k] = wp.max(zero, bound)
        return jams

    @wp.func
    def solve_small(a: wide_mat66, y: wide_vec6, count: int) -> wide_vec6:
        """Solve the first rows of a symmetric positive definite system (Cholesky)."""
        low, x = a, y
        for i in range(count):
            for j in range(i + 1):
                s = low[i, j]
                for k in range(j):
                    s -= low[i, k] * low[j, k]
                if i == j:
                    low[i, i] = wp.sqrt(wp.max(s, regular * a[i, i]))
                else:
                    low[i, j] = s / low[j, j]
        for i in range(count):
            s = x[i]
            for k in range(i):
                s -= low[i, k] * x[k]
            x[i] = s / low[i, i]
        for r in range(count):
            i = count - 1 - r
            s = x[i]
            for k in range(i + 1, count):
                s -= low[k, i] * x[k]
            x[i] = s / low[i, i]
        return x

    @wp.func(inline=False)
    def residual(
        bodies: Bodies, contacts: Contacts, rows: Rows, islands: Islands, work: Work, n: int, h: scalar, count: int
    ) -> wp.float64:
        """Take multipliers and bounds to the next iterate; return the natural residual over what is small enough.

        The residual of a multiplier L with a displacement r that is to vanish is w (L - P(L + r / w)), P projecting
        onto what Coulomb's law allows. Normal multipliers stay where gaps are closed: what rounding leaves of those
        of a body on more corners than it needs would take its load from one to another without end.
        """
        scale, worst, widest = wp.float64(0.0), wp.float64(0.0), wp.float64(0.0)
        for i in range(islands.first_row[n], islands.end_row[n]):
            k = islands.row[i]
            w, w_t = wp.float64(rows.w_n[k]), wp.float64(rows.w_t[k])
            normal = unit_normal(rows, k)
            f = rows.applied[k]
            l_n = wp.max(zero, wp.dot(normal, f))
            l_t = f - l_n * normal
            way = pushed(bodies, rows, work, k, h)
            r_n = rows.to_goal[k] - rows.recovery[k] - wp.dot(normal, way)
            hard = rows.applied_hard[k]
            slip = across(normal, slipped(contacts, rows, k, way))
            bound = wp.float64(rows.mu[k]) * l_n
            widest = wp.max(widest, w * wp.abs(hard - wp.max(zero, hard + r_n / w)))
            worst = wp.max(worst, w_t * wp.length(l_t - within(l_t - (one / w_t) * slip, bound)))
            scale = wp.max(scale, w * wp.length(f))
            back = rows.applied_recovery[k]
            allowed = wp.clamp(back + (r_n + rows.recovery[k]) / w, zero, rows.recovery_limit[k])
            widest = wp.max(widest, w * wp.abs(back - allowed))
            rows.lambda_t_start[k] = l_t
            if count >= grows_from and count < grows_to:
                rows.slip_stiffness[k] = slip_growth * rows.slip_stiffness[k]
            rows.bound_errors[k] = shifted(rows.bound_errors[k], bound - rows.bound[k])
            rows.bounds[k] = shifted(rows.bounds[k], rows.bound[k])
            rows.bound[k] = bound
            if rows.has_twists == 1:
                m = rows.applied_moment[k]
                by = turned_by(bodies, work, rows.body_a[k], h) - turned_by(bodies, work, rows.body_b[k], h)
                angle = exact(rows.turn[k]) + by
                w_r = w * rows.per_length[k] * rows.per_length[k]
                spin_bound, roll_bound = wp.float64(rows.mu_torsional[k]) * l_n, wp.float64(rows.mu_rolling[k]) * l_n
                off = m - moment_within(normal, m - (one / w_r) * angle, spin_bound, roll_bound)
                worst = wp.max(worst, w_r * wp.length(off) / rows.per_length[k])
                rows.lambda_r_start[k] = m
                rows.spin_bound[k] = spin_bound
                rows.roll_bound[k] = roll_bound
        near, still = closed, settled
        if count >= early:
            near = loosely * closed
        if count < soon:
            still = at_first
        if widest > near * scale:
            for i in range(islands.first_row[n], islands.end_row[n]):
                k = islands.row[i]
                rows.recovery_start[k] = rows.applied_recovery[k]
                rows.lambda_n_start[k] = rows.applied_hard[k]
        rows.residual[n] = wp.max(worst, widest)
        if scale == zero:
            return worst + widest
        return wp.max(worst / still, widest / near) / scale

    @wp.func
    def forget_multipliers(rows: Rows, islands: Islands, n: int):
        """Begin the last iterate, as none has settled, from nothing but the bounds: what springs give, dissipates."""
        for i in range(islands.first_row[n], islands.end_row[n]):
            k = islands.row[i]
            rows.lambda_n_start[k] = wp.float64(0.0)
            rows.recovery_start[k] = wp.float64(0.0)
            rows.lambda_t_start[k] = wide_vec3()
            if rows.has_twists == 1:
                rows.lambda_r_start[k] = wide_vec3()

    @wp.func(inline=False)
    def close_contacts(rows: Rows, islands: Islands, n: int):
        """End a substep: keep the multipliers that were applied."""
        for i in range(islands.first_row[n], islands.end_row[n]):
            k = islands.row[i]
            if rows.planned[k] == 1:
                normal = unit_normal(rows, k)
                f = rows.applied[k]
                l_n = wp.max(zero, wp.dot(normal, f))
                rows.lambda_n[k] = scalar(l_n)
                rows.lambda_t[k] = rounded(f - l_n * normal)
                rows.slides[k] = int(0)
                if wp.length(f - l_n * normal) >= rows.bound[k] * wp.float64(1.0 - 1.0e-9):
                    rows.slides[k] = int(1)
                if rows.has_twists == 1:
                    rows.lambda_r[k] = rounded(rows.applied_moment[k])

    return SimpleNamespace(
        open_contacts=open_contacts, mute_contact=mute_contact, measure_contacts=measure_contacts, guess=guess,
        spring_joints=spring_joints, apply=apply, sum_joints=sum_joints, residual=residual, extrapolate=extrapolate,
        forget_multipliers=forget_multipliers, close_contacts=close_contacts, minimise=minimise,
    )  # fmt: skip
