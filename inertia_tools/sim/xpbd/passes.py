# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""One pass over the contacts and joints of an island: what is swept goes first, all the rest is solved at once."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.device.precision import Precision
from inertia_tools.sim.xpbd.contact_bracing import LATE, bracing_functions
from inertia_tools.sim.xpbd.contact_elimination import elimination_functions
from inertia_tools.sim.xpbd.contact_sweep import touch_functions
from inertia_tools.sim.xpbd.contact_twist import twist_functions
from inertia_tools.sim.xpbd.contact_verdict import verdict_functions
from inertia_tools.sim.xpbd.island_types import island_types
from inertia_tools.sim.xpbd.joints import joint_functions
from inertia_tools.sim.xpbd.loops import loop_functions
from inertia_tools.sim.xpbd.motion import motion_functions
from inertia_tools.sim.xpbd.parts import Parts
from inertia_tools.sim.xpbd.places import place
from inertia_tools.sim.xpbd.sweeps import sweep_functions
from inertia_tools.sim.xpbd.tree import tree_functions
from inertia_tools.sim.xpbd.tree_contacts import tree_contact_functions

MOST_PASSES = 4
"""Passes that a substep takes at most, over the iterations asked for, while contacts set in or let go."""

EXTRA_PASSES = 8
"""More of them, for those that soften what goes round in a ring."""

FOUND_NO_END = 4
"""What a substep counts whose passes have found no end; one whose passes have takes one off (`begin_step.TANGLED`)."""

QUIET = {"float32": 0.0, "float64": 1e-8}
"""A pass over joints that moves nothing farther than this [m, rad] is the last one of its substep.

In single precision each further pass takes back some of the rounding of those before.
"""

EXACT = {"float32": -1.0, "float64": 1e-10}
"""Joints that are no farther off than this [m, rad], when nothing asks for another pass, are not solved once more."""

STILL, DONE, LOOKING, ASKING, SWEEPING = -1, 0, 1, 2, 3
"""What a pass asks for: nothing more, and it has moved nothing; nothing more; a look at joints, which may be off or at
limits by now; another pass; another one that only sweeps contacts."""


@lru_cache(maxsize=16)
def pass_functions(p: Precision, parts: Parts) -> Any:
    """Return the device functions of one precision with some parts."""
    has_contacts, has_trees, has_joints = (wp.constant(has) for has in (parts.contacts, parts.trees, parts.joints))
    has_free, redoes = wp.constant(parts.free), wp.constant(parts.contacts and parts.joints)
    has_loops, has_sweeps = wp.constant(parts.loops), wp.constant(parts.sweeps)
    has_ties, tie_trees = wp.constant(parts.ties), tree_contact_functions(p).tie_trees
    has_twists, twist = wp.constant(parts.twists), twist_functions(p)
    brace_twist, draw_twist, is_twist_unsettled = twist.brace_twist, twist.draw_twist, twist.is_twist_unsettled
    wind = twist.wind
    scalar, vec3, vec6 = p.scalar, p.vec3, p.vec6
    Bodies, Joints, Loops, Control, Options = p.references("Bodies", "Joints", "Loops", "Control", "Options")
    Contacts, Rows = p.references("Contacts", "Rows")
    Islands = wp.ref[island_types(p).Islands]
    Work, JointWork, DofWork, LoopWork = p.references("Work", "JointWork", "DofWork", "LoopWork")
    tree, sweeps = tree_functions(p), sweep_functions(p)
    brace, bodies_of_contacts, verdict = bracing_functions(p).brace, elimination_functions(p), verdict_functions(p)
    motion = motion_functions(p)
    prepare_joint, touch = joint_functions(p).prepare_joint, touch_functions(p).touch
    push_exactly, stays, go_back, go_to_start = motion.push_exactly, motion.stays, motion.go_back, motion.go_to_start
    freeze_anew = joint_functions(p).freeze_anew
    solve_trees, displace = tree.solve_trees, tree.displace
    close_loops = loop_functions(p).close_loops
    sweep_joint, sweep_coupling = sweeps.sweep_joint, sweeps.sweep_coupling
    begin_body, reduce_body = bodies_of_contacts.begin_body, bodies_of_contacts.reduce_body
    couple_row, load_joints = bodies_of_contacts.couple_row, bodies_of_contacts.load_joints
    take_move, find_move, draw = bodies_of_contacts.take_move, bodies_of_contacts.find_move, bodies_of_contacts.draw
    is_unsettled, is_wrong, give_up = verdict.is_unsettled, verdict.is_wrong, verdict.give_up
    most_passes, extra_passes = wp.constant(MOST_PASSES), wp.constant(EXTRA_PASSES)
    late, found_no_end = wp.constant(LATE), wp.constant(FOUND_NO_END)
    quiet, exact = wp.constant(scalar(QUIET[p.name])), wp.constant(scalar(EXACT[p.name]))
    still, done = wp.constant(STILL), wp.constant(DONE)
    looking, asking, sweeping = wp.constant(LOOKING), wp.constant(ASKING), wp.constant(SWEEPING)

    @wp.func(inline=False)
    def prepare_joints(
        bodies: Bodies,
        joints: Joints,
        control: Control,
        islands: Islands,
        work: Work,
        jw: JointWork,
        dw: DofWork,
        options: Options,
        n: int,
        h: scalar,
        turn: int,
    ) -> int:
        """See what joints hold and how far off they are; tell whether they ask for this pass, or for more."""
        asks = int(done)
        if turn == 0 or islands.end_group[n] > islands.first_group[n]:
            asks = looking
        for i in range(islands.first_joint[n], islands.end_joint[n]):
            j = place(islands.joint[i])
            off = prepare_joint(
                bodies, joints, control, work, jw, dw, j, turn, h, options.linear_compliance, options.angular_compliance
            )
            if jw.unsettled[j] == 1:
                asks = asking
            elif off > exact:
                asks = wp.max(asks, looking)
        return asks

    @wp.func
    def is_anew(islands: Islands, jw: JointWork, n: int, turn: int) -> bool:
        """Tell whether masses must be reduced along the trees in this pass: joints hold, or bodies touch, otherwise."""
        if turn == 0 or islands.end_row[n] > islands.first_row[n] or islands.end_group[n] > islands.first_group[n]:
            return True
        anew = bool(False)
        for i in range(islands.first_joint[n], islands.end_joint[n]):
            anew = anew or jw.anew[islands.joint[i]] == 1
        return anew

    @wp.func(inline=False)
    def solve_joints(
        bodies: Bodies,
        joints: Joints,
        loops: Loops,
        rows: Rows,
        islands: Islands,
        work: Work,
        jw: JointWork,
        dw: DofWork,
        lw: LoopWork,
        n: int,
        h: scalar,
        anew: bool,
    ) -> bool:
        """Solve all joints at once, and move their bodies; tell whether that was more than a little.

        Masses are reduced along the trees only if that is to be done anew.
        """
        solve_trees(bodies, islands, work, jw, n, anew)
        if has_loops:
            for i in range(islands.first_group[n], islands.end_group[n]):
                close_loops(bodies, joints, loops, work, jw, dw, lw, islands.group[i], scalar(1.0))
        if has_ties:
            tie_trees(bodies, rows, islands, work, jw, n)
        moved = scalar(0.0)
        for i in range(islands.first_body[n], islands.end_body[n]):
            moved = wp.max(moved, displace(bodies, work, islands.body[i], h))
        return moved > quiet * quiet

    @wp.func
    def sweep_joints(
        bodies: Bodies,
        joints: Joints,
        loops: Loops,
        control: Control,
        islands: Islands,
        work: Work,
        jw: JointWork,
        dw: DofWork,
        lw: LoopWork,
        options: Options,
        n: int,
        h: scalar,
        turn: int,
    ):
        """Solve the joints one after the other."""
        soft, softer = options.linear_compliance, options.angular_compliance
        linear, angular = options.linear_relaxation, options.angular_relaxation
        for i in range(islands.first_joint[n], islands.end_joint[n]):
            j = islands.joint[i]
            sweep_joint(bodies, joints, control, work, jw, dw, j, turn, h, soft, softer, linear, angular)
        for i in range(islands.first_group[n], islands.end_group[n]):
            group = islands.group[i]
            for k in range(loops.first_row[group], loops.first_row[group] + loops.row_count[group]):
                sweep_coupling(bodies, joints, loops, work, jw, dw, lw, k, h, linear)

    @wp.func(inline=False)
    def sweep_contacts(
        bodies: Bodies,
        contacts: Contacts,
        rows: Rows,
        islands: Islands,
        work: Work,
        options: Options,
        n: int,
        h: scalar,
    ) -> bool:
        """Resolve the contacts that are swept, one after the other; tell whether one of them presses."""
        presses = bool(False)
        for i in range(islands.first_row[n], islands.end_row[n]):
            k = islands.row[i]
            if has_twists:
                if rows.direct[k] == 1 and rows.ties_trees[k] == 1:
                    wind(bodies, contacts, rows, work, options, k, h)
            if rows.direct[k] == 0:
                touch(bodies, contacts, rows, work, options, k, h)
                if has_twists:
                    wind(bodies, contacts, rows, work, options, k, h)
                presses = presses or rows.pressed[k] > scalar(0.0)
        return presses

    @wp.func(inline=False)
    def brace_contacts(
        bodies: Bodies, contacts: Contacts, rows: Rows, islands: Islands, work: Work, n: int, h: scalar, turn: int
    ):
        """Add contacts to what is solved directly, and eliminate the free bodies."""
        for i in range(islands.first_row[n], islands.end_row[n]):
            k = islands.row[i]
            if rows.direct[k] == 1:
                brace(bodies, contacts, rows, work, k, h, turn)
                if has_free:
                    couple_row(bodies, rows, work, k)
                if has_twists:
                    if rows.ties_trees[k] == 0:
                        brace_twist(bodies, contacts, rows, work, k, h, turn)
        if has_free:
            for i in range(islands.first_body[n], islands.leaf_end[n]):
                if work.busy[islands.leaf[i]] == 1:
                    reduce_body(bodies, work, islands.leaf[i])
        if has_trees:
            if islands.end_joint[n] > islands.first_joint[n]:
                for i in range(islands.first_body[n], islands.end_body[n]):
                    load_joints(bodies, work, islands.body[i])

    @wp.func(inline=False)
    def draw_contacts(
        bodies: Bodies, contacts: Contacts, rows: Rows, islands: Islands, work: Work, n: int, h: scalar, turn: int
    ) -> bool:
        """Move free bodies by impulses that both sides feel alike; tell whether some contact is unsettled."""
        first_leaf, leaf_end = islands.first_body[n], islands.leaf_end[n]
        if has_trees:
            if islands.end_joint[n] > islands.first_joint[n]:
                for i in range(first_leaf, islands.end_body[n]):
                    take_move(bodies, work, islands.body[i])
        if has_free:
            for i in range(first_leaf, leaf_end):
                last = islands.leaf[first_leaf + leaf_end - 1 - i]
                if work.busy[last] == 1:
                    find_move(bodies, work, last)
        for i in range(islands.first_row[n], islands.end_row[n]):
            k = islands.row[i]
            if rows.direct[k] == 1:
                draw(bodies, rows, work, k)
                if has_twists:
                    if rows.ties_trees[k] == 0:
                        draw_twist(bodies, rows, work, k)
        if has_free:
            for i in range(first_leaf, leaf_end):
                b = islands.leaf[i]
                if work.busy[b] == 1:
                    push_exactly(bodies, work, b, work.drawn[b], work.drawn_twist[b], h)
        more = bool(False)
        for i in range(islands.first_row[n], islands.end_row[n]):
            r = islands.row[i]
            if rows.direct[r] == 1:
                if has_twists:
                    if rows.ties_trees[r] == 0:
                        more = is_twist_unsettled(rows, r, turn) or more
                more = is_unsettled(bodies, contacts, rows, work, r, h, turn) or more
        return more

    @wp.func
    def make_pass(
        bodies: Bodies,
        joints: Joints,
        loops: Loops,
        control: Control,
        contacts: Contacts,
        rows: Rows,
        islands: Islands,
        work: Work,
        jw: JointWork,
        dw: DofWork,
        lw: LoopWork,
        options: Options,
        n: int,
        h: scalar,
        turn: int,
        asked: int,
    ) -> int:
        """Sweep what is swept, then solve all the rest at once, unless joints are only looked at and need nothing.

        Tell whether another pass is needed.
        """
        more = bool(False)
        if has_contacts:
            more = sweep_contacts(bodies, contacts, rows, islands, work, options, n, h)
            if asked == sweeping:
                return sweeping
        if has_joints:
            for i in range(islands.first_body[n], islands.end_body[n]):
                work.load[place(islands.body[i])] = vec6()
        if has_sweeps:
            if options.sweeps == 1:
                sweep_joints(bodies, joints, loops, control, islands, work, jw, dw, lw, options, n, h, turn)
                return wp.where(turn + 1 < options.iterations, asking, done)
        joints_ask = int(done)
        if has_trees:
            if islands.end_joint[n] > islands.first_joint[n]:
                joints_ask = prepare_joints(bodies, joints, control, islands, work, jw, dw, options, n, h, turn)
                if joints_ask == done and asked == looking and not more:
                    return still
        anew = is_anew(islands, jw, n, turn)
        if anew:
            for i in range(islands.first_body[n], islands.end_body[n]):
                begin_body(bodies, work, islands.body[i])
        if has_contacts:
            brace_contacts(bodies, contacts, rows, islands, work, n, h, turn)
        if has_trees:
            if islands.end_joint[n] > islands.first_joint[n]:
                moved = solve_joints(bodies, joints, loops, rows, islands, work, jw, dw, lw, n, h, anew)
                if joints_ask != asking:
                    joints_ask = done
                    if turn == 0 or (moved and turn + 1 < options.iterations):
                        joints_ask = looking
        if has_contacts:
            more = draw_contacts(bodies, contacts, rows, islands, work, n, h, turn) or more
        if more:
            return asking
        return joints_ask

    @wp.func
    def leave_wrong(bodies: Bodies, rows: Rows, islands: Islands, work: Work, n: int, h: scalar) -> bool:
        """Leave contacts to sweeps where the direct solve has found no end; tell whether it has not."""
        wrong = bool(False)
        for i in range(islands.first_row[n], islands.end_row[n]):
            wrong = wrong or is_wrong(bodies, rows, work, islands.row[i], h)
        if wrong:
            for i in range(islands.first_row[n], islands.end_row[n]):
                give_up(bodies, rows, work, islands.row[i])
        return wrong

    @wp.func(inline=False)
    def start_anew(
        bodies: Bodies,
        joints: Joints,
        loops: Loops,
        rows: Rows,
        islands: Islands,
        work: Work,
        jw: JointWork,
        dw: DofWork,
        lw: LoopWork,
        n: int,
    ):
        """Take back all impulses of the substep; see `LATE`."""
        for i in range(islands.first_body[n], islands.end_body[n]):
            if not stays(bodies, islands.body[i]):
                go_to_start(work, islands.body[i])
        for i in range(islands.first_joint[n], islands.end_joint[n]):
            freeze_anew(bodies, joints, work, jw, dw, islands.joint[i])
        for i in range(islands.first_body[n], islands.end_body[n]):
            if not stays(bodies, islands.body[i]):
                go_back(work, islands.body[i])
        for i in range(islands.first_group[n], islands.end_group[n]):
            group = islands.group[i]
            for k in range(loops.first_row[group], loops.first_row[group] + loops.row_count[group]):
                lw.impulse[k] = scalar(0.0)
        for i in range(islands.first_row[n], islands.end_row[n]):
            k = islands.row[i]
            rows.pressed[k] = scalar(0.0)
            rows.rubbed[k] = vec3()
            if has_twists:
                rows.twisted[k] = vec3()

    @wp.func
    def has_rings(rows: Rows, islands: Islands, n: int) -> bool:
        """Tell whether contacts of an island that close rings are solved directly."""
        if islands.end_row[n] == islands.first_row[n]:
            return False
        return rows.ringed[islands.row[islands.first_row[n]]] == 1

    @wp.func
    def count_tangles(islands: Islands, work: Work, n: int, unsettled: bool):
        """Count up where passes have found no end, and down where they have."""
        for i in range(islands.first_body[n], islands.end_body[n]):
            b = islands.body[i]
            if unsettled:
                work.tangled[b] = work.tangled[b] + found_no_end
            else:
                work.tangled[b] = wp.max(work.tangled[b] - 1, 0)

    @wp.func(inline=False)
    def make_passes(
        bodies: Bodies,
        joints: Joints,
        loops: Loops,
        control: Control,
        contacts: Contacts,
        rows: Rows,
        islands: Islands,
        work: Work,
        jw: JointWork,
        dw: DofWork,
        lw: LoopWork,
        options: Options,
        n: int,
        h: scalar,
    ) -> int:
        """Make passes until what presses, sticks, slides, and reaches a limit is settled.

        Return 1 if the last one has moved bodies, 0 if it has found all where it should be.
        """
        unsettled = bool(False)
        asked = int(asking)
        turn = int(0)
        bound = most_passes * options.iterations
        on_joints = islands.end_joint[n] > islands.first_joint[n]
        if on_joints or has_rings(rows, islands, n):
            bound += extra_passes
        while asked > done and turn < bound:
            if redoes:
                if on_joints and turn == late and options.sweeps == 0:
                    start_anew(bodies, joints, loops, rows, islands, work, jw, dw, lw, n)
            asked = make_pass(
                bodies, joints, loops, control, contacts, rows, islands, work, jw, dw, lw, options, n, h, turn, asked
            )
            turn += 1
            if has_contacts:
                if turn == bound and asked > done and asked != sweeping:
                    unsettled = True
                    if leave_wrong(bodies, rows, islands, work, n, h):
                        asked = sweeping
                        bound += most_passes * options.iterations
        if has_contacts:
            if unsettled or has_rings(rows, islands, n):
                count_tangles(islands, work, n, unsettled)
        return wp.where(asked == still, 0, 1)

    return SimpleNamespace(
        make_passes=make_passes, prepare_joints=prepare_joints, solve_joints=solve_joints, start_anew=start_anew
    )
