# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contacts of free bodies relaxed one after the other.

That is what Newton's method starts from where bodies move fast, and a way out where outer iterates go round.

This is the Gauss-Seidel iteration on Coulomb's law (non-smooth contact dynamics, Jean 1999). Each contact takes the
multipliers that hold at it alone, the others giving what they give now:

    L_n = max(0, L_n + gap_error / w_n)        L_t = L_t - slip / w_t, within mu L_n

Here w_t is the larger eigenvalue of the contact's Delassus matrix across its normal. With the mobility along one
tangent, which scales residuals, contacts overshoot along the other: 205 solves of a heap of 27 boxes went round.

Normal multipliers and bounds of friction change together, a little at a time, where outer iterates leap from one piece
of the law to another. What is wrong between neighbours is gone after tens of sweeps, what is wrong across an island
takes hundreds. Each costs as much as the contacts of a line search, as a free body answers to an impulse by itself.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.constraints.contact_law import contact_law_functions
from inertia_tools.sim.kernels.constants import NEWTON_TOLERANCE, SOFT_SWEEPS, SOFTNESS
from inertia_tools.sim.kernels.joint_axes import axes_functions
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.precision import Precision, precision
from inertia_tools.sim.kernels.rotation import rotation_functions
from inertia_tools.sim.kernels.rounding import rounding_functions
from inertia_tools.sim.kernels.scene_types import scene_type
from inertia_tools.sim.solve.newton import newton_functions
from inertia_tools.sim.solve.resting import resting_functions


@lru_cache(maxsize=2)
def relaxation_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar, vec3 = p.scalar, p.vec3
    wide = precision("float64")
    wide_vec3, wide_vec6, wide_mat33 = wide.vec3, wide.vec6, wide.mat33
    Bodies, Row, Body = p.references("Bodies", "Row", "Body")
    law, newton = contact_law_functions(p), newton_functions(p)
    unit_normal, across, within, moment_within = law.unit_normal, law.across, law.within, law.moment_within
    between, turn_between, load_contact = newton.between, newton.turn_between, newton.load_contact
    linear, angular, joined = newton.linear, newton.angular, axes_functions(wide).joined
    is_static, resting = motion_functions(p).is_static, resting_functions(p)
    load_as_before, push_by_loads = resting.load_as_before, resting.push_by_loads
    exact, rate_of = rounding_functions(p).exact, rotation_functions(p).rate_of
    settled = wp.constant(wp.float64(NEWTON_TOLERANCE))
    soft_sweeps, softness = wp.constant(SOFT_SWEEPS), wp.constant(wp.float64(SOFTNESS))
    zero, half, one, two = (wp.constant(wp.float64(value)) for value in (0.0, 0.5, 1.0, 2.0))

    @wp.func
    def answer(bodies: Bodies, body: Body, b: int, arm: vec3, f: wide_vec3, m: wide_vec3) -> wide_vec6:
        """Return the displacement of a free body by what acts at an arm of it."""
        return joined(wp.float64(bodies.inv_mass[b]) * f, rate_of(body.inv_tensor, m + wp.cross(exact(arm), f)))

    @wp.func
    def give(scene: Scene, row: Row, f: wide_vec3, m: wide_vec3):
        """Displace both bodies of a contact by what it gives."""
        a, b = row.body_a, row.body_b
        if not is_static(scene.bodies, a):
            scene.system.move[a] = scene.system.move[a] + answer(scene.bodies, scene.body[a], a, row.arm_a, f, m)
        if not is_static(scene.bodies, b):
            scene.system.move[b] = scene.system.move[b] + answer(scene.bodies, scene.body[b], b, row.arm_b, -f, -m)

    @wp.func
    def answer_at(bodies: Bodies, body: Body, b: int, arm: vec3) -> wide_mat33:
        """Return the displacement at an arm of a free body by each component of a force there, as columns."""
        out = wide_mat33()
        for i in range(3):
            f = wide_vec3()
            f[i] = one
            moves = answer(bodies, body, b, arm, f, wide_vec3())
            d = linear(moves) + wp.cross(angular(moves), exact(arm))
            for k in range(3):
                out[k, i] = d[k]
        return out

    @wp.func
    def most_slip(n: wide_vec3, delassus: wide_mat33) -> wp.float64:
        """Return the greatest slip that a unit of friction makes [1/kg]: the larger of two eigenvalues across n."""
        plane = -wp.outer(n, n)
        for i in range(3):
            plane[i, i] = plane[i, i] + one
        slips = plane * delassus * plane
        both, squares = wp.trace(slips), wp.ddot(slips, slips)
        return half * (both + wp.sqrt(wp.max(zero, two * squares - both * both)))

    @wp.func
    def note_delassus(scene: Scene, row: Row):
        """Find how what a contact gives displaces its bodies against each other."""
        total = wide_mat33()
        if not is_static(scene.bodies, row.body_a):
            total += answer_at(scene.bodies, scene.body[row.body_a], row.body_a, row.arm_a)
        if not is_static(scene.bodies, row.body_b):
            total += answer_at(scene.bodies, scene.body[row.body_b], row.body_b, row.arm_b)
        row.delassus = total
        row.most_slip = most_slip(unit_normal(row), total)

    @wp.func
    def relax_contact(scene: Scene, row: Row, gives: wp.float64) -> wp.float64:
        """Let a contact close its gap and take its slip back as far as Coulomb's law allows; return how far it goes.

        It gives way to what it bears beyond the start of the iterate, by a part of its mobility.
        """
        normal, w_n, w_t = unit_normal(row), wp.float64(row.w_n), row.most_slip
        d, w = between(scene.bodies, row, scene.system.move), (one + gives) * w_n
        held, start = row.applied_hard + row.applied_recovery, row.lambda_n_start + row.recovery_start
        lacks = row.residual_n - wp.dot(normal, d) + w_n * held + gives * w_n * start
        row.applied_hard = wp.max(zero, lacks / w - row.recovery_limit)
        row.applied_recovery = wp.clamp((lacks + row.recovery) / w, zero, row.recovery_limit)
        load = row.applied_hard + row.applied_recovery
        change = (load - held) * normal
        if load + held > zero:
            d = d + row.delassus * change
            grips = across(normal, row.force)
            rubs = within(grips - (one / w_t) * (row.slip + across(normal, d)), wp.float64(row.mu) * load) - grips
            change = change + rubs
            row.force = row.force + change
            give(scene, row, change, wide_vec3())
            return wp.max(w * wp.abs(load - held), w_t * wp.length(rubs))
        return zero

    @wp.func
    def relax_twist(scene: Scene, row: Row) -> wp.float64:
        """Do the same for torsional and rolling friction."""
        load = row.applied_hard + row.applied_recovery
        angle = row.angle + turn_between(scene.bodies, row, scene.system.move)
        wanted = row.moment - (one / wp.float64(wp.max(row.w_spin, row.w_roll))) * angle
        spin, roll = wp.float64(row.mu_torsional) * load, wp.float64(row.mu_rolling) * load
        change = moment_within(unit_normal(row), wanted, spin, roll) - row.moment
        size = wp.length(change)
        if size > zero:
            row.moment = row.moment + change
            give(scene, row, wide_vec3(), change)
        return size * row.per_length

    @wp.func
    def sweep(scene: Scene, n: int, gives: wp.float64) -> bool:
        """Relax all contacts of an island once; tell whether one has moved by more than what is small enough."""
        most, scale = wp.float64(0.0), wp.float64(0.0)
        for i in range(scene.islands.first_row[n], scene.islands.end_row[n]):
            k = scene.islands.row[i]
            change, w = relax_contact(scene, scene.rows.row[k], gives), wp.float64(scene.rows.row[k].w_n)
            if scene.rows.has_twists == 1:
                change = wp.max(change, w * relax_twist(scene, scene.rows.row[k]))
            most = wp.max(most, change)
            scale = wp.max(scale, w * wp.length(scene.rows.row[k].force))
        return most > settled * scale

    @wp.func
    def begin(scene: Scene, row: Row, count: int):
        """Begin with what a contact gave in the last substep, which nothing has been moved by, or gives now."""
        note_delassus(scene, row)
        if count == 0:
            load_as_before(scene, row, scene.rows.has_twists)
        row.force = row.applied
        moment = wide_vec3()
        if scene.rows.has_twists == 1:
            row.moment = row.applied_moment
            moment = row.moment
        if count == 0:
            give(scene, row, row.force, moment)

    @wp.func(inline=False)
    def relax(scene: Scene, n: int, h: scalar, count: int, most_sweeps: int):
        """Relax the contacts of an island of free bodies, which have been measured, after `count` outer iterates.

        Rigid contacts leave open how the corners of a body share its load, and a sweep gives the first ones too much.
        """
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            scene.system.move[scene.islands.body[i]] = wide_vec6()
            scene.system.node[scene.islands.body[i]].load = wide_vec6()
        for i in range(scene.islands.first_row[n], scene.islands.end_row[n]):
            begin(scene, scene.rows.row[scene.islands.row[i]], count)
        if count == 0:
            for _ in range(soft_sweeps):
                sweep(scene, n, softness)
        for _ in range(most_sweeps):
            if not sweep(scene, n, zero):
                break
        for i in range(scene.islands.first_row[n], scene.islands.end_row[n]):
            take(scene, scene.rows.row[scene.islands.row[i]])
        push_by_loads(scene, n, h)

    @wp.func
    def take(scene: Scene, row: Row):
        """Put what a contact gives now, less what it gave before, on its bodies, and begin the next iterate with it."""
        more = wide_vec3()
        if scene.rows.has_twists == 1:
            more = row.moment - row.applied_moment
            row.applied_moment = row.moment
        load_contact(scene, row, row.force - row.applied, more)
        row.applied = row.force
        row.lambda_n_start = row.applied_hard
        row.recovery_start = row.applied_recovery
        row.lambda_t_start = across(unit_normal(row), row.force)
        row.bound = wp.float64(row.mu) * (row.applied_hard + row.applied_recovery)

    return SimpleNamespace(relax=relax)
