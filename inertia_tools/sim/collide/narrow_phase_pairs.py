# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Pairs whose feature points do not tell where they touch, for the time being: the narrow phase looks at them instead.

Where two shapes overlap, a feature leaves by the face that is nearest to it. Features of shapes that overlap deeply, or
whose sides lie over each other, want to leave in several directions. Where edges or sides cross, no corner is near; and
where each shape lies over the edge of the other, the patch has corners at the crossings, which are features of neither
(boxes have the middles of their edges besides). All of that is rare, so it is looked for once a step.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from inertia_tools.kernel_loading import MODULE_OPTIONS
from inertia_tools.sim.collide.signed_distance import SAME_FACE
from inertia_tools.sim.collide.time_of_impact import impact_time_functions
from inertia_tools.sim.kernels.collision_types import MAX_CONTACTS, collision_types
from inertia_tools.sim.kernels.precision import Precision, precision
from inertia_tools.sim.kernels.rounding import rounding_functions
from inertia_tools.sim.scene.convex import SolidKind

DEEP = 0.1
"""Shapes overlap deeply where a feature is inside by more than this, over the thinner one's half thickness."""

AT_ONE = 0.9
"""Length of the mean of the normals of features that are inside, from which these agree on where to go."""

CLOSE = 0.02
"""A feature is near if it is no farther off than this, over the size of its shape."""

QUICK = 2
"""Marks pairs whose feature points count when the pair is quick; see `collide.anchored`."""

QUICK_WAY = 8.0
"""A pair is quick if its shapes move so many times the thinner one's half thickness against each other in a step; thin
slabs that topple by some of it are told better by contacts found once a step."""

ENOUGH = 3
"""So many features that are near tell a patch."""

SLACK = 0.1
"""What the round rims of cylinders may reach beyond their feature points, over the radius."""


STILL = 1e-6
"""Shapes have not moved if it was by no more than this, over the thinner one's half thickness, and no more radians."""


@lru_cache(maxsize=2)
def verdict_type(p: Precision) -> Any:
    """Return the structure that tells how a pair lay when it was looked at, and what was said of it."""
    vec3, quat = p.vec3, p.quat

    @wp.struct
    class Verdict:
        between: vec3  # from the one body to the other
        axes_a: quat
        axes_b: quat
        ahead: p.scalar
        wanted: wp.int32

    return Verdict


@lru_cache(maxsize=2)
def choose_kernel(p: Precision) -> Any:
    """Return the kernel of one precision; it is launched with one thread a pair of colliders."""
    scalar, vec3, quat, wide = p.scalar, p.vec3, p.quat, precision("float64")
    wide_vec3, wide_quat, rounded = wide.vec3, wide.quat, rounding_functions(p).rounded
    exact = rounding_functions(p).exact
    Bodies, Shapes, State, Anchored = p.Bodies, p.Shapes, p.State, collision_types(p).Anchored
    BodiesRef, ShapesRef, StateRef = p.references("Bodies", "Shapes", "State")
    passage = impact_time_functions(p)
    gap_between, arm_of_feature = passage.gap_between, passage.arm_of_feature
    sphere, box = wp.constant(int(SolidKind.SPHERE)), wp.constant(int(SolidKind.BOX))
    deep, close, slack = (wp.constant(scalar(value)) for value in (DEEP, CLOSE, SLACK))
    at_one, same_face = wp.constant(scalar(AT_ONE)), wp.constant(scalar(SAME_FACE))
    enough, zero, far_off = wp.constant(ENOUGH), wp.constant(scalar(0.0)), wp.constant(scalar(1.0e30))
    quick, quick_way, slots = wp.constant(QUICK), wp.constant(scalar(QUICK_WAY)), wp.constant(MAX_CONTACTS)
    never, still = wp.constant(scalar(-1.0)), wp.constant(scalar(STILL))
    Verdict = verdict_type(p)

    @wp.func
    def body_place(x: wp.array(dtype=wide_vec3), b: int) -> wide_vec3:
        if b < 0:
            return wide_vec3()
        return x[b]

    @wp.func
    def way_between(x: wp.array(dtype=wide_vec3), one: int, other: int) -> vec3:
        """Return the way from one body's centre to that of another: coordinates may be large, this is small."""
        return rounded(body_place(x, one) - body_place(x, other))

    @wp.func
    def body_axes(r: wp.array(dtype=wide_quat), b: int) -> quat:
        if b < 0:
            return quat(zero, zero, zero, scalar(1.0))
        return quat(scalar(r[b][0]), scalar(r[b][1]), scalar(r[b][2]), scalar(r[b][3]))

    @wp.func
    def look(shapes: ShapesRef, a: int, s: int, xa: vec3, ra: quat, xb: vec3, rb: quat):
        """Return the least gap of the features of one shape to another, its normal, and how many are near.

        And the sum of the normals of those that are inside, with their number.
        """
        least = far_off
        normal, ways = vec3(), vec3()
        count, inside = int(0), int(0)
        near = close * shapes.reach[a]
        for i in range(shapes.feature_count[a]):
            n, gap, _arm = gap_between(shapes, a, s, i, exact(xa), ra, exact(xb), rb)
            if gap < least:
                least = gap
                normal = n
            if gap < zero:
                ways = ways + n
                inside += 1
            if gap < near and shapes.edge_start[shapes.first_feature[a] + i] < 0:
                count += 1
        return least, normal, count, ways, inside

    @wp.func
    def lowest(shapes: ShapesRef, a: int, xa: vec3, ra: quat, n: vec3) -> scalar:
        """Return how far a shape reaches against a direction."""
        least = far_off
        for i in range(shapes.feature_count[a]):
            feature = shapes.first_feature[a] + i
            least = wp.min(least, wp.dot(n, xa + arm_of_feature(shapes, a, feature, ra)) - shapes.radius[feature])
        return least

    @wp.func
    def overhangs(shapes: ShapesRef, a: int, s: int, xa: vec3, ra: quat, xb: vec3, rb: quat, n: vec3) -> bool:
        """Tell whether a shape that lies on another has features beside that one at the same height."""
        near = close * shapes.reach[a]
        height = lowest(shapes, a, xa, ra, n) + near
        for i in range(shapes.feature_count[a]):
            feature = shapes.first_feature[a] + i
            if wp.dot(n, xa + arm_of_feature(shapes, a, feature, ra)) - shapes.radius[feature] < height:
                side, gap, _arm = gap_between(shapes, a, s, i, exact(xa), ra, exact(xb), rb)
                if gap > near or wp.dot(side, n) < same_face:
                    return True
        return False

    @wp.func
    def moves_by(state: StateRef, a: int, b: int, dt: scalar) -> vec3:
        """Return how far one body's centre moves along another's in a step."""
        v = vec3()
        if a >= 0:
            v = vec3(state.qd[a][0], state.qd[a][1], state.qd[a][2])
        if b >= 0:
            v = v - vec3(state.qd[b][0], state.qd[b][1], state.qd[b][2])
        return dt * v

    @wp.func
    def turning_of(bodies: BodiesRef, state: StateRef, b: int) -> scalar:
        """Return how fast a point of a body moves about its centre, at most."""
        if b < 0:
            return zero
        return wp.length(vec3(state.qd[b][3], state.qd[b][4], state.qd[b][5])) * bodies.extent[b]

    @wp.func
    def way_of(bodies: BodiesRef, state: StateRef, a: int, b: int, dt: scalar) -> scalar:
        """Return how far points of two bodies move against each other in a step, at most."""
        turning = turning_of(bodies, state, a) + turning_of(bodies, state, b)
        return wp.length(moves_by(state, a, b, dt)) + dt * turning

    @wp.func
    def is_quick(bodies: BodiesRef, shapes: ShapesRef, state: StateRef, a: int, s: int, dt: scalar) -> bool:
        """Tell whether two shapes move far against each other in a step, for how thin they are."""
        thin = wp.min(shapes.half_thickness[a], shapes.half_thickness[s])
        return way_of(bodies, state, shapes.body[a], shapes.body[s], dt) > quick_way * thin

    @wp.func
    def are_far(shapes: ShapesRef, a: int, s: int, x: wp.array(dtype=wide_vec3), ahead: scalar) -> bool:
        """Tell whether two shapes are too far apart to touch however they are turned."""
        between = way_between(x, shapes.body[a], shapes.body[s])
        reach = shapes.reach[a] + shapes.reach[s] + shapes.margin[a] + shapes.margin[s] + ahead
        reach = reach + wp.length(shapes.point[a]) + wp.length(shapes.point[s])
        return wp.dot(between, between) > reach * reach

    @wp.func
    def is_awkward(
        shapes: ShapesRef,
        a: int,
        s: int,
        x: wp.array(dtype=wide_vec3),
        r: wp.array(dtype=wide_quat),
        ahead: scalar,
        way: scalar,
        going: vec3,
    ) -> bool:
        """Tell whether features do not tell how two shapes that may touch overlap, or how far their patch reaches.

        The patch counts for what is slow: what is fast is looked at in every substep, which only features are. What
        comes to stand out in this step, by the way that it goes, does so from its start.
        """
        body_a, body_b = shapes.body[a], shapes.body[s]
        ra, rb = body_axes(r, body_a), body_axes(r, body_b)
        xb = vec3()
        xa = way_between(x, body_a, body_b)
        apart = xa + wp.quat_rotate(ra, shapes.point[a]) - wp.quat_rotate(rb, shapes.point[s])
        reach = shapes.reach[a] + shapes.reach[s] + shapes.margin[a] + shapes.margin[s] + ahead
        if wp.dot(apart, apart) > reach * reach:
            return False
        one, n, near, ways, inside = look(shapes, a, s, xa, ra, xb, rb)
        other, back, more, ways_back, inside_other = look(shapes, s, a, xb, rb, xa, ra)
        thin = wp.min(shapes.half_thickness[a], shapes.half_thickness[s])
        if wp.min(one, other) < -deep * thin:
            return True
        if wp.length(ways - ways_back) < at_one * scalar(inside + inside_other):
            return True
        if shapes.kind[a] == sphere or shapes.kind[s] == sphere or way > thin:
            return False
        if other < one:
            n = -back
        if near + more >= enough:
            if shapes.kind[a] == box and shapes.kind[s] == box:
                return False
            along = xa + going - wp.dot(going, n) * n
            one_hangs = overhangs(shapes, a, s, xa, ra, xb, rb, n) or overhangs(shapes, a, s, along, ra, xb, rb, n)
            return one_hangs and (
                overhangs(shapes, s, a, xb, rb, xa, ra, -n) or overhangs(shapes, s, a, xb, rb, along, ra, -n)
            )
        gap = lowest(shapes, a, xa, ra, n) + lowest(shapes, s, xb, rb, -n)
        return gap < ahead + slack * thin + shapes.margin[a] + shapes.margin[s]

    @wp.func
    def turned_by(one: quat, other: quat) -> scalar:
        return scalar(2.0) * wp.length(one - other)

    @wp.func
    def holds(then: Verdict, now: Verdict, thin: scalar) -> bool:
        """Tell whether a verdict is of shapes that have not moved since, and of as long a way ahead."""
        turning = wp.max(turned_by(then.axes_a, now.axes_a), turned_by(then.axes_b, now.axes_b))
        moved = wp.length(then.between - now.between)
        return moved < still * thin and turning < still and wp.abs(then.ahead - now.ahead) <= still * now.ahead

    @wp.kernel(module="unique", module_options=MODULE_OPTIONS)
    def choose(
        bodies: Bodies,
        state: State,
        dt: scalar,
        shapes: Shapes,
        anchored: Anchored,
        optional: wp.array(dtype=wp.int32),
        x: wp.array(dtype=wide_vec3),
        r: wp.array(dtype=wide_quat),
        foresight: wp.array(dtype=scalar),
        first_pair: int,
        verdicts: wp.array(dtype=Verdict),
        ahead: wp.array(dtype=wp.float64),
    ):
        """Say which pairs the narrow phase is to look at, and how far ahead; `never` for the others."""
        pair = first_pair + wp.tid()
        far = foresight[pair // (anchored.count // slots)]
        wanted = int(1)
        if optional[pair] == quick:
            if is_quick(bodies, shapes, state, anchored.shape_a[pair * slots], anchored.shape_b[pair * slots], dt):
                wanted = int(2)
        if optional[pair] == 1:
            slot = MAX_CONTACTS * pair
            a, s = anchored.shape_a[slot], anchored.shape_b[slot]
            wanted = int(0)
            if not are_far(shapes, a, s, x, far):
                now = Verdict()
                body_a, body_b = shapes.body[a], shapes.body[s]
                now.between = way_between(x, body_a, body_b)
                now.axes_a = body_axes(r, body_a)
                now.axes_b = body_axes(r, body_b)
                now.ahead = far
                then = verdicts[pair]
                if holds(then, now, wp.min(shapes.half_thickness[a], shapes.half_thickness[s])):
                    wanted = int(then.wanted)
                else:
                    way = way_of(bodies, state, body_a, body_b, dt)
                    if is_awkward(shapes, a, s, x, r, far, way, moves_by(state, body_a, body_b, dt)):
                        wanted = int(1)
                    now.wanted = wanted
                    verdicts[pair] = now
            if wanted == 0:
                far = never
        if anchored.wanted[pair] != wanted:
            anchored.changed[pair // (anchored.count // slots)] = int(1)
        anchored.wanted[pair] = wanted
        ahead[pair] = wp.float64(far)

    return choose
