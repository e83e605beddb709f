# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Bodies of contacts that are solved directly: their masses and loads, the elimination of free ones, and their moves.

A contact enters as a spring (`contact_bracing`), and is looked at before the next pass (`contact_verdict`). Bodies that
no joint holds are carried: each by at most one other body that moves, whatever else it touches, so that those that
carry each other make a forest (`contact_forest`), and few contacts close rings (`contact_rings`). All of these are
solved without error in one elimination from the leaves to the roots: a light box under a heavy one feels the weight at
once. Contacts between two bodies on joints come in when the trees of joints are solved (`tree_contacts`), which are
handed what contacts, and free bodies, do to a body on a joint. What is left is swept.

Springs, what they pull at, and what is eliminated are in double precision whatever that of the scene: contacts that
share a load are a hundred thousand times as stiff as what they carry, and what rounding makes of that would shake it.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.device.precision import Precision, precision
from inertia_tools.sim.xpbd.contact_rings import ring_functions
from inertia_tools.sim.xpbd.motion import motion_functions
from inertia_tools.sim.xpbd.rounding import rounding_functions


@lru_cache(maxsize=2)
def elimination_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3, vec6, mat66 = p.scalar, p.vec3, p.vec6, p.mat66
    wide = precision("float64")
    wide_vec3, wide_vec6, wide_mat33, wide_mat66 = wide.vec3, wide.vec6, wide.mat33, wide.mat66
    Bodies, Rows, Work = p.references("Bodies", "Rows", "Work")
    stays, link_of = motion_functions(p).stays, ring_functions(p).link_of
    rounding = rounding_functions(p)
    exact, exact_six, rounded = rounding.exact, rounding.exact_six, rounding.rounded
    rounded_six, rounded_block, exact_block = rounding.rounded_six, rounding.rounded_block, rounding.exact_block
    one = wp.constant(wp.float64(1.0))

    @wp.func
    def mark_body(bodies: Bodies, rows: Rows, work: Work, k: int, b: int):
        if not stays(bodies, b):
            if rows.gap[k] < scalar(0.0):
                work.touching[b] = work.touching[b] + 1
            if rows.direct[k] == 1:
                work.busy[b] = int(1)

    @wp.func
    def mark_busy(bodies: Bodies, rows: Rows, work: Work, k: int):
        """Note which bodies the direct solve is about, and count the contacts of each."""
        mark_body(bodies, rows, work, k, rows.body_a[k])
        mark_body(bodies, rows, work, k, rows.body_b[k])

    @wp.func
    def begin_body(bodies: Bodies, work: Work, b: int):
        """Begin a solve with a body's own mass; what contacts do comes on top, in double precision."""
        if stays(bodies, b):
            return
        is_lone, is_busy = bodies.lone[b] == 1, work.busy[b] == 1
        if is_lone and not is_busy:
            work.braced_move[b] = wide_vec6()
            return
        own = mat66()
        tensor = work.tensor[b]
        for i in range(3):
            own[i, i] = bodies.mass[b]
            for j in range(3):
                own[i + 3, j + 3] = tensor[i, j]
        m = wide_mat66()
        if is_lone:
            m = exact_block(own)
        else:
            work.mass_matrix[b] = own
            work.braced_move[b] = wide_vec6()
        if is_busy:
            work.braced_matrix[b] = m
            work.braced_load[b] = wide_vec6()
            for i in range(b * bodies.links, b * bodies.links + work.link_count[b]):
                work.couple[i] = wide_mat66()

    @wp.func
    def load_body(work: Work, b: int, arm: vec3, spring: wide_mat33, impulse: wide_vec3):
        """Add a spring at an arm, and an impulse besides, to what a body is solved with."""
        turn = wp.skew(exact(arm))
        both = turn * spring
        corner = both * wp.transpose(turn)
        twist = wp.cross(exact(arm), impulse)
        m = work.braced_matrix[b]
        for r in range(3):
            for c in range(3):
                m[r, c] = m[r, c] + spring[r, c]
                m[r + 3, c] = m[r + 3, c] + both[r, c]
                m[c, r + 3] = m[c, r + 3] + both[r, c]
                m[r + 3, c + 3] = m[r + 3, c + 3] + corner[r, c]
        work.braced_matrix[b] = m
        load = work.braced_load[b]
        work.braced_load[b] = load + wide_vec6(impulse[0], impulse[1], impulse[2], twist[0], twist[1], twist[2])

    @wp.func
    def load_joints(bodies: Bodies, work: Work, b: int):
        """Add what contacts, and free bodies on it, do to a body on a joint to what joints are solved with."""
        if bodies.lone[b] == 0 and work.busy[b] == 1:
            work.mass_matrix[b] = work.mass_matrix[b] + rounded_block(work.braced_matrix[b])
            work.load[b] = work.load[b] + rounded_six(work.braced_load[b])

    @wp.func
    def take_move(bodies: Bodies, work: Work, b: int):
        """Take the displacement of a body on a joint from the solve of the joints."""
        if bodies.lone[b] == 0 and work.busy[b] == 1:
            work.braced_move[b] = exact_six(work.move[b])

    @wp.func
    def couple_bodies(work: Work, link: int, arm: vec3, arm_above: vec3, spring: wide_mat33):
        """Add a spring between a body and one that it is tied to, to the block that couples them."""
        turn = wp.skew(exact(arm))
        back = wp.transpose(wp.skew(exact(arm_above)))
        right = spring * back
        below = turn * spring
        corner = turn * right
        m = work.couple[link]
        for r in range(3):
            for c in range(3):
                m[r, c] = m[r, c] - spring[r, c]
                m[r, c + 3] = m[r, c + 3] - right[r, c]
                m[r + 3, c] = m[r + 3, c] - below[r, c]
                m[r + 3, c + 3] = m[r + 3, c + 3] - corner[r, c]
        work.couple[link] = m

    @wp.func
    def couple_row(bodies: Bodies, rows: Rows, work: Work, k: int):
        """Couple the bodies of a contact that has been added, of which one at least is free, if both move."""
        a, b = rows.body_a[k], rows.body_b[k]
        if rows.braced[k] == 1 and rows.ties_trees[k] == 0 and not stays(bodies, a) and not stays(bodies, b):
            link = link_of(bodies, work, a, b)
            below = link >= 0
            if not below:
                link = link_of(bodies, work, b, a)
            arm = wp.where(below, rows.arm_a[k], rows.arm_b[k])
            arm_above = wp.where(below, rows.arm_b[k], rows.arm_a[k])
            couple_bodies(work, link, arm, arm_above, rows.spring[k])

    @wp.func
    def reduce_body(bodies: Bodies, work: Work, b: int):
        """Factor a free body, those before it being eliminated, and eliminate it into those that it is tied to."""
        low = work.braced_matrix[b]
        y = work.braced_load[b]
        for i in range(6):
            for j in range(i):
                s = low[i, j]
                for k in range(j):
                    s -= low[i, k] * low[j, k]
                low[i, j] = s * low[j, j]
            s = low[i, i]
            for k in range(i):
                s -= low[i, k] * low[i, k]
            low[i, i] = one / wp.sqrt(s)
            s = y[i]
            for k in range(i):
                s -= low[i, k] * y[k]
            y[i] = s * low[i, i]
        work.factor[b] = low
        work.reduced[b] = y
        first = b * bodies.links
        end = first + work.link_count[b]
        for n in range(first, end):
            x = work.couple[n]
            for c in range(6):
                for i in range(6):
                    s = x[i, c]
                    for k in range(i):
                        s -= low[i, k] * x[k, c]
                    x[i, c] = s * low[i, i]
            work.couple[n] = x
            down = wp.transpose(x)
            above = work.above[n]
            work.braced_matrix[above] = work.braced_matrix[above] - down * x
            work.braced_load[above] = work.braced_load[above] - down * y
            for m in range(first, n):
                fill(bodies, work, above, down, work.above[m], work.couple[m])

    @wp.func
    def fill(bodies: Bodies, work: Work, one: int, one_down: wide_mat66, other: int, reduced: wide_mat66):
        """Couple two bodies that one which is eliminated was tied to."""
        link = int(-1)
        if bodies.lone[one] == 1:
            link = link_of(bodies, work, one, other)
        if link >= 0:
            work.couple[link] = work.couple[link] - one_down * reduced
        else:
            link = link_of(bodies, work, other, one)
            work.couple[link] = work.couple[link] - wp.transpose(one_down * reduced)

    @wp.func
    def find_move(bodies: Bodies, work: Work, b: int):
        """Find the displacement of a free body, those that it is tied to being known."""
        low = work.factor[b]
        y = work.reduced[b]
        for n in range(b * bodies.links, b * bodies.links + work.link_count[b]):
            y = y - work.couple[n] * work.braced_move[work.above[n]]
        for r in range(6):
            i = 5 - r
            s = y[i]
            for k in range(i + 1, 6):
                s -= low[k, i] * y[k]
            y[i] = s * low[i, i]
        work.braced_move[b] = y
        work.drawn[b] = wide_vec3()
        work.drawn_twist[b] = wide_vec3()

    @wp.func
    def moved_at(bodies: Bodies, work: Work, b: int, arm: vec3) -> wide_vec3:
        """Return how far the solve moves a body at an arm."""
        if stays(bodies, b):
            return wide_vec3()
        move = work.braced_move[b]
        return wide_vec3(move[0], move[1], move[2]) + wp.cross(wide_vec3(move[3], move[4], move[5]), exact(arm))

    @wp.func
    def move_at(move: vec6, arm: vec3) -> wide_vec3:
        """Return how far a body goes at an arm by a displacement."""
        wide_move = exact_six(move)
        turn = wide_vec3(wide_move[3], wide_move[4], wide_move[5])
        return wide_vec3(wide_move[0], wide_move[1], wide_move[2]) + wp.cross(turn, exact(arm))

    @wp.func
    def load_at(work: Work, b: int, arm: vec3, impulse: wide_vec3):
        """Add an impulse at an arm to what the joints of a body are solved with."""
        twist = wp.cross(exact(arm), impulse)
        load = wide_vec6(impulse[0], impulse[1], impulse[2], twist[0], twist[1], twist[2])
        work.load[b] = work.load[b] + rounded_six(load)

    @wp.func
    def draw(bodies: Bodies, rows: Rows, work: Work, k: int):
        """Find the impulse that the solve draws from a contact, for its two bodies alike."""
        if rows.braced[k] == 1:
            n, arm_a, arm_b = rows.normal[k], rows.arm_a[k], rows.arm_b[k]
            a, b = rows.body_a[k], rows.body_b[k]
            went = moved_at(bodies, work, a, arm_a) - moved_at(bodies, work, b, arm_b)
            pull = rows.spring[k] * (rows.lacks[k] - went)
            if rows.ties_trees[k] == 1:
                pull = rows.pull[k]
            drawn = wp.dot(exact(n), pull)
            rows.pressed[k] = scalar(wp.float64(rows.pressed[k]) + drawn)
            rows.rubbed[k] = rounded(exact(rows.rubbed[k]) + pull - drawn * exact(n))
            impulse = pull + rows.back[k]
            if not stays(bodies, a):
                work.drawn[a] = work.drawn[a] + impulse
                work.drawn_twist[a] = work.drawn_twist[a] + wp.cross(exact(arm_a), impulse)
            if not stays(bodies, b):
                work.drawn[b] = work.drawn[b] - impulse
                work.drawn_twist[b] = work.drawn_twist[b] - wp.cross(exact(arm_b), impulse)

    return SimpleNamespace(
        mark_busy=mark_busy,
        begin_body=begin_body,
        load_body=load_body,
        load_joints=load_joints,
        take_move=take_move,
        couple_row=couple_row,
        reduce_body=reduce_body,
        find_move=find_move,
        move_at=move_at,
        load_at=load_at,
        draw=draw,
    )
