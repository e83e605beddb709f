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
from inertia_tools.sim.solve.joint_coordinates import coordinate_functions
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
    Bodies, Joints, Contacts, Rows, Work = p.references("Bodies", "Joints", "Contacts", "Rows", "Work")
    Body, System, JointWork, Joint = p.references("Body", "System", "JointWork", "Joint")
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
    joint = coordinate_functions(p)
    hangs, read, load_on_rows = joint.hangs, joint.read, joint.load_on_rows
    load_parent, masked = axes_functions(p).load_parent, axes_functions(wide).masked
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
        rows.row[k].stiffness = wp.float64(0.0)
        rows.row[k].slip_stiffness = wp.float64(0.0)
        rows.row[k].recovery_limit = wp.float64(0.0)
        rows.row[k].recovery_start = wp.float64(0.0)
        rows.row[k].lambda_n_start = wp.float64(0.0)
        rows.row[k].lambda_t_start = wide_vec3()
        rows.row[k].bound = wp.float64(0.0)
        rows.row[k].applied = wide_vec3()
        if rows.has_twists == 1:
            rows.row[k].spin_bound = wp.float64(0.0)
            rows.row[k].roll_bound = wp.float64(0.0)
            rows.row[k].applied_moment = wide_vec3()

    @wp.func(inline=False)
    def open_contacts(bodies: Bodies, contacts: Contacts, rows: Rows, islands: Islands, n: int):
        """Begin a substep with the multipliers that the last one has left."""
        mass = mass_of(bodies, islands, n)
        for i in range(islands.first_row[n], islands.end_row[n]):
            k = islands.row[i]
            slot = rows.row[k].slot
            load = wp.float64(contacts.load[slot])
            w_n = wp.float64(rows.row[k].w_n)
            rows.row[k].stiffness = wp.max(island_stiffness * mass, local_stiffness / w_n)
            rows.row[k].slip_stiffness = wp.max(slip_stiffness / wp.float64(rows.row[k].w_t), slip_of_island * mass)
            rows.row[k].recovery_limit = recovery_limit * rows.row[k].recovery / w_n
            rows.row[k].recovery_start = wp.float64(0.0)
            rows.row[k].lambda_n_start = load
            rows.row[k].lambda_t_start = across(unit_normal(rows.row[k]), exact(contacts.lambda_t[slot]))
            expected = load
            if load == zero:
                expected = wp.max(zero, rows.row[k].to_goal) / w_n  # what is new would be stopped by its bodies alone
            rows.row[k].bound = wp.float64(rows.row[k].mu) * expected
            rows.row[k].jammed = int(0)
            rows.row[k].applied = wide_vec3()
            if rows.has_twists == 1:
                w_spin = wp.float64(wp.max(rows.row[k].w_spin, rows.row[k].w_roll))
                rows.row[k].turn_stiffness = slip_stiffness / w_spin
                rows.row[k].per_length = wp.sqrt(w_spin / w_n)
                rows.row[k].lambda_r_start = -rows.row[k].turn_stiffness * exact(contacts.turn[slot])
                rows.row[k].spin_bound = wp.float64(rows.row[k].mu_torsional) * expected
                rows.row[k].roll_bound = wp.float64(rows.row[k].mu_rolling) * expected
                rows.row[k].applied_moment = wide_vec3()
            if rows.row[k].planned == 0:
                mute_contact(rows, k)  # it is swept

    @wp.func
    def turned_by(bodies: Bodies, body: Body, b: int, h: scalar) -> wide_vec3:
        if is_static(bodies, b):
            return wide_vec3()
        return exact(h * pushed_turn(body))

    @wp.func(inline=False)
    def measure_contacts(
        bodies: Bodies, contacts: Contacts, rows: Rows, islands: Islands, work: Work, n: int, h: scalar
    ):
        """Begin an outer iterate: what gaps lack, and slips, where the impulses applied so far have led."""
        for i in range(islands.first_row[n], islands.end_row[n]):
            k = islands.row[i]
            way = pushed(bodies, rows.row[k], work, h)
            normal = unit_normal(rows.row[k])
            rows.row[k].residual_n = rows.row[k].to_goal - rows.row[k].recovery - wp.dot(normal, way)
            rows.row[k].slip = across(normal, slipped(contacts, rows.row[k], way))
            rows.row[k].moved = wide_vec3()
            if rows.has_twists == 1:
                by = turned_by(bodies, work.body[rows.row[k].body_a], rows.row[k].body_a, h) - turned_by(
                    bodies, work.body[rows.row[k].body_b], rows.row[k].body_b, h
                )
                rows.row[k].angle = exact(rows.row[k].turn) + by
                rows.row[k].turned = wide_vec3()

    @wp.func(inline=False)
    def guess(bodies: Bodies, rows: Rows, islands: Islands, work: Work, system: System, n: int, h: scalar, count: int):
        """Start from the velocities that bodies had before this substep, or from where they are."""
        for i in range(islands.first_body[n], islands.end_body[n]):
            b = islands.body[i]
            system.move[b] = wide_vec6()
            if count == 0 and islands.end_row[n] > islands.first_row[n]:
                lin = wp.float64(h) * (exact(work.body[b].v_before) - exact(work.body[b].v_free))
                ang = exact(h * (work.body[b].inv_tensor * (work.body[b].spin_before - work.body[b].spin_free)))
                system.move[b] = wide_vec6(lin[0], lin[1], lin[2], ang[0], ang[1], ang[2])
        if count == 0:
            for i in range(islands.first_row[n], islands.end_row[n]):
                k = islands.row[i]
                rows.row[k].moved = newton.between(bodies, rows.row[k], system.move)
                if rows.has_twists == 1:
                    rows.row[k].turned = newton.turn_between(bodies, rows.row[k], system.move)

    @wp.func(inline=False)
    def spring_joints(bodies: Bodies, islands: Islands, jw: JointWork, n: int):
        """Turn rows of joints that give into springs on free coordinates."""
        for i in range(islands.first_body[n], islands.end_body[n]):
            b = islands.body[i]
            if bodies.is_free_body[b] == 0 and bodies.parent[b] != -2:
                j = bodies.joint[b]
                stiff = wide_vec6()
                mask = jw.joint[j].mask
                if (mask & gives) != int(0):
                    for row in range(6):
                        if (mask & (int(1) << row)) != int(0) and jw.joint[j].compliance[row] > scalar(0.0):
                            stiff[row] = one / wp.float64(jw.joint[j].compliance[row])
                            mask = mask & ~(int(1) << row)
                jw.joint[j].stiffness = stiff
                jw.joint[j].mask = mask

    @wp.func(inline=False)
    def apply(bodies: Bodies, rows: Rows, islands: Islands, work: Work, system: System, n: int, h: scalar) -> scalar:
        """Move bodies as the minimum asks for; return the square of the farthest displacement of those on joints."""
        for i in range(islands.first_body[n], islands.end_body[n]):
            system.node[islands.body[i]].load = wide_vec6()
        for i in range(islands.first_row[n], islands.end_row[n]):
            k = islands.row[i]
            f = force(rows.row[k], rows.row[k].moved)
            df, dm = f - rows.row[k].applied, wide_vec3()
            rows.row[k].applied = f
            rows.row[k].applied_hard = hard_normal(rows.row[k], rows.row[k].moved)
            rows.row[k].applied_recovery = recovery_normal(rows.row[k], rows.row[k].moved)
            if rows.has_twists == 1:
                m = moment(rows.row[k], rows.row[k].turned)
                dm = m - rows.row[k].applied_moment
                rows.row[k].applied_moment = m
            load_contact(bodies, rows.row[k], system, df, dm)
        moved = scalar(0.0)
        for i in range(islands.first_body[n], islands.end_body[n]):
            b = islands.body[i]
            if bodies.is_free_body[b] == 1:
                push_exactly(bodies, work.body[b], b, linear(system.node[b].load), angular(system.node[b].load), h)
            else:
                move = rounded_six(system.move[b])
                lin, ang = vec3(move[0], move[1], move[2]), vec3(move[3], move[4], move[5])
                add(work.body[b], lin)
                add_momenta(work.body[b], lin / h, work.body[b].tensor * (ang / h))
                turn(work.body[b], ang)
                moved = wp.max(moved, wp.dot(move, move))
        return moved

    @wp.func
    def impulse_of_joint(joint: Joint, load: wide_vec6, went: wide_vec6) -> vec6:
        """Return the impulse that a load on the child leaves to the rows that hold or give, and note bounded laws'."""
        rows = joint.mask
        lambda_friction = wide_vec6()
        if (joint.mask & gives) != int(0):
            for row in range(6):
                lambda_friction[row] = pull(joint, row, went[row])
                if joint.stiffness[row] > zero or is_bounded(joint, row):
                    rows = rows | (int(1) << row)
        joint.lambda_friction = lambda_friction
        return rounded_six(masked(load_on_rows(joint, load), rows))

    @wp.func(inline=False)
    def sum_joints(
        bodies: Bodies, joints: Joints, islands: Islands, work: Work, jw: JointWork, system: System,
        n: int,
    ):  # fmt: skip
        """Add the impulses of joints: what moves each body, less its contacts and what it carries, leaves to root."""
        for i in range(islands.first_body[n], islands.end_body[n]):
            b = islands.body[i]
            if bodies.is_free_body[b] == 0:
                own = mass_times(bodies, work.body[b], b, system.move[b])
                system.node[b].load = own - system.node[b].load - exact_six(work.body[b].load)
                if islands.end_group[n] > islands.first_group[n]:
                    system.node[b].load = system.node[b].load - exact_six(system.loop_load[b])
        first, end = islands.first_body[n], islands.end_body[n]
        for i in range(first, end):
            b = islands.body[first + end - 1 - i]
            if hangs(bodies, jw, b):
                j = bodies.joint[b]
                went = read(bodies, joints, jw.joint[j], system.move, j)
                impulse = impulse_of_joint(jw.joint[j], system.node[b].load, went)
                jw.joint[j].impulse = jw.joint[j].impulse + impulse
                parent = bodies.parent[b]
                if not is_static(bodies, parent):
                    system.node[parent].load = system.node[parent].load - exact_six(load_parent(jw.joint[j], impulse))

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
                e = rows.row[k].bound_errors
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
                    images = rows.row[k].bounds + rows.row[k].bound_errors
                    bound = images[0]
                    for i in range(known):
                        bound -= share[i] * difference(images, i)
                    if early and bound < zero and rows.row[k].jammed == 0 and runs_away(rows.row[k].bounds, images):
                        bound = unbounded
                        rows.row[k].jammed = int(1)
                        jams = True
                    rows.row[k].bound = wp.max(zero, bound)
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
            w, w_t = wp.float64(rows.row[k].w_n), wp.float64(rows.row[k].w_t)
            normal = unit_normal(rows.row[k])
            f = rows.row[k].applied
            l_n = wp.max(zero, wp.dot(normal, f))
            l_t = f - l_n * normal
            way = pushed(bodies, rows.row[k], work, h)
            r_n = rows.row[k].to_goal - rows.row[k].recovery - wp.dot(normal, way)
            hard = rows.row[k].applied_hard
            slip = across(normal, slipped(contacts, rows.row[k], way))
            bound = wp.float64(rows.row[k].mu) * l_n
            widest = wp.max(widest, w * wp.abs(hard - wp.max(zero, hard + r_n / w)))
            worst = wp.max(worst, w_t * wp.length(l_t - within(l_t - (one / w_t) * slip, bound)))
            scale = wp.max(scale, w * wp.length(f))
            back = rows.row[k].applied_recovery
            allowed = wp.clamp(back + (r_n + rows.row[k].recovery) / w, zero, rows.row[k].recovery_limit)
            widest = wp.max(widest, w * wp.abs(back - allowed))
            rows.row[k].lambda_t_start = l_t
            if count >= grows_from and count < grows_to:
                rows.row[k].slip_stiffness = slip_growth * rows.row[k].slip_stiffness
            rows.row[k].bound_errors = shifted(rows.row[k].bound_errors, bound - rows.row[k].bound)
            rows.row[k].bounds = shifted(rows.row[k].bounds, rows.row[k].bound)
            rows.row[k].bound = bound
            if rows.has_twists == 1:
                m = rows.row[k].applied_moment
                by = turned_by(bodies, work.body[rows.row[k].body_a], rows.row[k].body_a, h) - turned_by(
                    bodies, work.body[rows.row[k].body_b], rows.row[k].body_b, h
                )
                angle = exact(rows.row[k].turn) + by
                w_r = w * rows.row[k].per_length * rows.row[k].per_length
                spin_bound, roll_bound = (
                    wp.float64(rows.row[k].mu_torsional) * l_n,
                    wp.float64(rows.row[k].mu_rolling) * l_n,
                )
                off = m - moment_within(normal, m - (one / w_r) * angle, spin_bound, roll_bound)
                worst = wp.max(worst, w_r * wp.length(off) / rows.row[k].per_length)
                rows.row[k].lambda_r_start = m
                rows.row[k].spin_bound = spin_bound
                rows.row[k].roll_bound = roll_bound
        near, still = closed, settled
        if count >= early:
            near = loosely * closed
        if count < soon:
            still = at_first
        if widest > near * scale:
            for i in range(islands.first_row[n], islands.end_row[n]):
                k = islands.row[i]
                rows.row[k].recovery_start = rows.row[k].applied_recovery
                rows.row[k].lambda_n_start = rows.row[k].applied_hard
        rows.residual[n] = wp.max(worst, widest)
        if scale == zero:
            return worst + widest
        return wp.max(worst / still, widest / near) / scale

    @wp.func
    def forget_multipliers(rows: Rows, islands: Islands, n: int):
        """Begin the last iterate, as none has settled, from nothing but the bounds: what springs give, dissipates."""
        for i in range(islands.first_row[n], islands.end_row[n]):
            k = islands.row[i]
            rows.row[k].lambda_n_start = wp.float64(0.0)
            rows.row[k].recovery_start = wp.float64(0.0)
            rows.row[k].lambda_t_start = wide_vec3()
            if rows.has_twists == 1:
                rows.row[k].lambda_r_start = wide_vec3()

    @wp.func(inline=False)
    def close_contacts(rows: Rows, islands: Islands, n: int):
        """End a substep: keep the multipliers that were applied."""
        for i in range(islands.first_row[n], islands.end_row[n]):
            k = islands.row[i]
            if rows.row[k].planned == 1:
                normal = unit_normal(rows.row[k])
                f = rows.row[k].applied
                l_n = wp.max(zero, wp.dot(normal, f))
                rows.row[k].lambda_n = scalar(l_n)
                rows.row[k].lambda_t = rounded(f - l_n * normal)
                rows.row[k].slides = int(0)
                if wp.length(f - l_n * normal) >= rows.row[k].bound * wp.float64(1.0 - 1.0e-9):
                    rows.row[k].slides = int(1)
                if rows.has_twists == 1:
                    rows.row[k].lambda_r = rounded(rows.row[k].applied_moment)

    return SimpleNamespace(
        open_contacts=open_contacts, mute_contact=mute_contact, measure_contacts=measure_contacts, guess=guess,
        spring_joints=spring_joints, apply=apply, sum_joints=sum_joints, residual=residual, extrapolate=extrapolate,
        forget_multipliers=forget_multipliers, close_contacts=close_contacts, minimise=minimise,
    )  # fmt: skip
