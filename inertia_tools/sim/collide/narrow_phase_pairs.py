# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Pairs for which the narrow phase replaces feature points for one step.

Feature points leave a solid through the nearest face. Those of shapes that overlap deeply, or whose sides lie against
each other, may leave in several directions. Where edges or sides cross, no corner is near. Where each shape extends
beyond an edge of the other, the patch has corners at the crossings, which are features of neither shape (boxes also
have the midpoints of their edges). All of this is rare, so it is tested once a step.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from inertia_tools.kernel_loading import RIGID_OPTIONS
from inertia_tools.sim.collide.manifold import APART
from inertia_tools.sim.collide.signed_distance import SAME_FACE
from inertia_tools.sim.collide.time_of_impact import impact_time_functions
from inertia_tools.sim.kernels.collision_types import MAX_CONTACTS
from inertia_tools.sim.kernels.precision import Precision, precision
from inertia_tools.sim.kernels.rounding import rounding_functions
from inertia_tools.sim.kernels.scene_types import scene_type
from inertia_tools.sim.scene.convex import SolidKind

DEEP = 0.1
"""Shapes overlap deeply if a feature is inside by more than this, relative to the half thickness of the thinner one."""

AGREEMENT = 0.9
"""The features that are inside agree on the direction of exit if the mean of their normals is at least this long."""

CLOSE = 0.02
"""A feature is near if its gap is at most this, relative to the size of its shape."""

QUICK = 2
"""Marks pairs that use feature points while they move fast; see `collide.anchored`."""

QUICK_PATH = 8.0
"""A pair is fast if its shapes move relative to each other by this many times the half thickness of the thinner one in
a step. Contacts that are found once a step suit thin slabs that topple by less than that better."""

ENOUGH_NEAR = 3
"""Number of near features that determine a patch."""

SLACK = 0.1
"""The round rims of cylinders may extend beyond their feature points by this, relative to the radius."""


UNMOVED = 1e-6
"""Shapes are unmoved if they moved by no more than this, relative to the half thickness of the thinner one, and rotated
by no more radians."""


@lru_cache(maxsize=2)
def choice_type(p: Precision) -> Any:
    """Return the structure that stores the last choice for a pair and the poses for which it was made."""
    vec3, quat = p.vec3, p.quat

    @wp.struct
    class PairChoice:
        between: vec3  # from the second body to the first
        axes_a: quat
        axes_b: quat
        ahead: p.scalar
        wanted: wp.int32

    return PairChoice


@lru_cache(maxsize=2)
def choose_kernel(p: Precision) -> Any:
    """Return the kernel of one precision; launch it with one thread per pair of colliders."""
    scalar, vec3, quat, wide = p.scalar, p.vec3, p.quat, precision("float64")
    wide_vec3, wide_quat, rounded = wide.vec3, wide.quat, rounding_functions(p).rounded
    exact = rounding_functions(p).exact
    Scene, SceneRef = scene_type(p), wp.ref[scene_type(p)]
    BodiesRef, ShapesRef, StateRef = p.references("Bodies", "Shapes", "State")
    impact_time = impact_time_functions(p)
    gap_between, arm_of_feature = impact_time.gap_between, impact_time.arm_of_feature
    sphere, box = wp.constant(int(SolidKind.SPHERE)), wp.constant(int(SolidKind.BOX))
    deep, close, slack, apart = (wp.constant(scalar(value)) for value in (DEEP, CLOSE, SLACK, APART))
    agreement, same_face = wp.constant(scalar(AGREEMENT)), wp.constant(scalar(SAME_FACE))
    enough, zero, far_off = wp.constant(ENOUGH_NEAR), wp.constant(scalar(0.0)), wp.constant(scalar(1.0e30))
    quick, quick_path, slots = wp.constant(QUICK), wp.constant(scalar(QUICK_PATH)), wp.constant(MAX_CONTACTS)
    never, unmoved = wp.constant(scalar(-1.0)), wp.constant(scalar(UNMOVED))
    PairChoice = choice_type(p)

    @wp.func
    def body_position(x: wp.array(dtype=wide_vec3), b: int) -> wide_vec3:
        """Return the centre of mass of a body; for the world, its origin."""
        if b < 0:
            return wide_vec3()
        return x[b]

    @wp.func
    def relative_position(x: wp.array(dtype=wide_vec3), one: int, other: int) -> vec3:
        """Return the vector from the centre of `other` to that of `one`, a small difference of large coordinates."""
        return rounded(body_position(x, one) - body_position(x, other))

    @wp.func
    def body_axes(r: wp.array(dtype=wide_quat), b: int) -> quat:
        """Return the orientation of a body."""
        if b < 0:
            return quat(zero, zero, zero, scalar(1.0))
        return quat(scalar(r[b][0]), scalar(r[b][1]), scalar(r[b][2]), scalar(r[b][3]))

    @wp.func
    def feature_gaps(shapes: ShapesRef, a: int, s: int, xa: vec3, ra: quat, xb: vec3, rb: quat):
        """Return the least gap [m] of the features of one shape to another, its normal, and how many are near.

        Also return the sum of the normals of the features that are inside, and their number.
        """
        least = far_off
        normal, normal_sum = vec3(), vec3()
        count, inside = int(0), int(0)
        near = close * shapes.reach[a]
        for i in range(shapes.feature_count[a]):
            n, gap, _arm = gap_between(shapes, a, s, i, exact(xa), ra, exact(xb), rb)
            if gap < least:
                least = gap
                normal = n
            if gap < zero:
                normal_sum = normal_sum + n
                inside += 1
            if gap < near and shapes.edge_start[shapes.first_feature[a] + i] < 0:
                count += 1
        return least, normal, count, normal_sum, inside

    @wp.func
    def lowest_point(shapes: ShapesRef, a: int, xa: vec3, ra: quat, n: vec3) -> scalar:
        """Return the least coordinate of a shape along n [m]."""
        least = far_off
        for i in range(shapes.feature_count[a]):
            feature = shapes.first_feature[a] + i
            least = wp.min(least, wp.dot(n, xa + arm_of_feature(shapes, a, feature, ra)) - shapes.radius[feature])
        return least

    @wp.func
    def overhangs(shapes: ShapesRef, a: int, s: int, xa: vec3, ra: quat, xb: vec3, rb: quat, n: vec3) -> bool:
        """Return whether a shape that lies on another has features at contact height beside that other shape."""
        near = close * shapes.reach[a]
        height = lowest_point(shapes, a, xa, ra, n) + near
        for i in range(shapes.feature_count[a]):
            feature = shapes.first_feature[a] + i
            if wp.dot(n, xa + arm_of_feature(shapes, a, feature, ra)) - shapes.radius[feature] < height:
                side, gap, _arm = gap_between(shapes, a, s, i, exact(xa), ra, exact(xb), rb)
                if gap > near or wp.dot(side, n) < same_face:
                    return True
        return False

    @wp.func
    def relative_displacement(state: StateRef, a: int, b: int, dt: scalar) -> vec3:
        """Return the displacement of one body's centre relative to another's in a step [m]."""
        v = vec3()
        if a >= 0:
            v = vec3(state.qd[a][0], state.qd[a][1], state.qd[a][2])
        if b >= 0:
            v = v - vec3(state.qd[b][0], state.qd[b][1], state.qd[b][2])
        return dt * v

    @wp.func
    def rotation_speed(bodies: BodiesRef, state: StateRef, b: int) -> scalar:
        """Return an upper bound of the speed of a body's points about its centre [m/s]."""
        if b < 0:
            return zero
        return wp.length(vec3(state.qd[b][3], state.qd[b][4], state.qd[b][5])) * bodies.extent[b]

    @wp.func
    def relative_path(bodies: BodiesRef, state: StateRef, a: int, b: int, dt: scalar) -> scalar:
        """Return an upper bound of the relative displacement of points of two bodies in a step [m]."""
        turning = rotation_speed(bodies, state, a) + rotation_speed(bodies, state, b)
        return wp.length(relative_displacement(state, a, b, dt)) + dt * turning

    @wp.func
    def is_quick(bodies: BodiesRef, shapes: ShapesRef, state: StateRef, a: int, s: int, dt: scalar) -> bool:
        """Return whether two shapes move far relative to each other in a step, compared with their thickness."""
        thin = wp.min(shapes.half_thickness[a], shapes.half_thickness[s])
        return relative_path(bodies, state, shapes.body[a], shapes.body[s], dt) > quick_path * thin

    @wp.func
    def are_far(shapes: ShapesRef, a: int, s: int, x: wp.array(dtype=wide_vec3), ahead: scalar) -> bool:
        """Return whether two shapes are too far apart to touch at any orientation."""
        between = relative_position(x, shapes.body[a], shapes.body[s])
        reach = shapes.reach[a] + shapes.reach[s] + shapes.margin[a] + shapes.margin[s] + ahead
        reach = reach + wp.length(shapes.point[a]) + wp.length(shapes.point[s])
        return wp.dot(between, between) > reach * reach

    @wp.func
    def features_are_insufficient(
        shapes: ShapesRef,
        a: int,
        s: int,
        x: wp.array(dtype=wide_vec3),
        r: wp.array(dtype=wide_quat),
        ahead: scalar,
        way: scalar,
        going: vec3,
    ) -> bool:
        """Return whether feature points are insufficient for the overlap or the contact patch of two shapes.

        Feature points are checked in every substep. Pairs that may pass through each other in the step need that, and
        fast ones that touch. A shape that will overhang at the end of the step, after the displacement `going`, counts
        from its start.
        """
        body_a, body_b = shapes.body[a], shapes.body[s]
        ra, rb = body_axes(r, body_a), body_axes(r, body_b)
        xb = vec3()
        xa = relative_position(x, body_a, body_b)
        offset = xa + wp.quat_rotate(ra, shapes.point[a]) - wp.quat_rotate(rb, shapes.point[s])
        reach = shapes.reach[a] + shapes.reach[s] + shapes.margin[a] + shapes.margin[s] + ahead
        if wp.dot(offset, offset) > reach * reach:
            return False
        one, n, near, normal_sum, inside = feature_gaps(shapes, a, s, xa, ra, xb, rb)
        other, other_normal, other_near, other_normal_sum, inside_other = feature_gaps(shapes, s, a, xb, rb, xa, ra)
        thin = wp.min(shapes.half_thickness[a], shapes.half_thickness[s])
        if wp.min(one, other) < -deep * thin:
            return True
        if wp.length(normal_sum - other_normal_sum) < agreement * scalar(inside + inside_other):
            return True
        touches, both = wp.min(one, other) < apart * thin, shapes.half_thickness[a] + shapes.half_thickness[s]
        if shapes.kind[a] == sphere or shapes.kind[s] == sphere or way > both or (touches and way > thin):
            return False
        if other < one:
            n = -other_normal
        if near + other_near >= enough:
            if shapes.kind[a] == box and shapes.kind[s] == box:
                return False
            along = xa + going - wp.dot(going, n) * n
            one_hangs = overhangs(shapes, a, s, xa, ra, xb, rb, n) or overhangs(shapes, a, s, along, ra, xb, rb, n)
            return one_hangs and (
                overhangs(shapes, s, a, xb, rb, xa, ra, -n) or overhangs(shapes, s, a, xb, rb, along, ra, -n)
            )
        gap = lowest_point(shapes, a, xa, ra, n) + lowest_point(shapes, s, xb, rb, -n)
        return gap < ahead + slack * thin + shapes.margin[a] + shapes.margin[s]

    @wp.func
    def rotation_between(one: quat, other: quat) -> scalar:
        """Return the rotation between two orientations, to first order [rad]."""
        return scalar(2.0) * wp.length(one - other)

    @wp.func
    def is_still_valid(last_choice: PairChoice, choice: PairChoice, thin: scalar) -> bool:
        """Return whether shapes are unmoved since a choice was made, and the foresight is the same."""
        turning = wp.max(
            rotation_between(last_choice.axes_a, choice.axes_a), rotation_between(last_choice.axes_b, choice.axes_b)
        )
        moved = wp.length(last_choice.between - choice.between)
        return (
            moved < unmoved * thin
            and turning < unmoved
            and wp.abs(last_choice.ahead - choice.ahead) <= unmoved * choice.ahead
        )

    @wp.func
    def choose_optional(
        scene: SceneRef,
        dt: scalar,
        pair: int,
        x: wp.array(dtype=wide_vec3),
        r: wp.array(dtype=wide_quat),
        far: scalar,
        choices: wp.array(dtype=PairChoice),
    ) -> int:
        """Return 1 if features cannot handle a pair whose foresight is `far`, else 0."""
        a, s = scene.anchored.shape_a[pair * slots], scene.anchored.shape_b[pair * slots]
        if are_far(scene.shapes, a, s, x, far):
            return int(0)
        choice = PairChoice()
        body_a, body_b = scene.shapes.body[a], scene.shapes.body[s]
        choice.between = relative_position(x, body_a, body_b)
        choice.axes_a = body_axes(r, body_a)
        choice.axes_b = body_axes(r, body_b)
        choice.ahead = far
        last_choice = choices[pair]
        if is_still_valid(last_choice, choice, wp.min(scene.shapes.half_thickness[a], scene.shapes.half_thickness[s])):
            return int(last_choice.wanted)
        way = relative_path(scene.bodies, scene.state_in, body_a, body_b, dt)
        going = relative_displacement(scene.state_in, body_a, body_b, dt)
        choice.wanted = int(features_are_insufficient(scene.shapes, a, s, x, r, far, way, going))
        choices[pair] = choice
        return choice.wanted

    @wp.kernel(module="unique", module_options=RIGID_OPTIONS)
    def choose(
        scene: wp.array(dtype=Scene),
        dt: scalar,
        optional: wp.array(dtype=wp.int32),
        x: wp.array(dtype=wide_vec3),
        r: wp.array(dtype=wide_quat),
        foresight: wp.array(dtype=scalar),
        first_pair: int,
        choices: wp.array(dtype=PairChoice),
        ahead: wp.array(dtype=wp.float64),
    ):
        """Choose the pairs that the narrow phase handles and set their foresight [m]; `never` skips the others."""
        pair = first_pair + wp.tid()
        world = pair // (scene[0].anchored.count // slots)
        far = foresight[world]
        wanted = int(1)
        if optional[pair] == quick:
            a, s = scene[0].anchored.shape_a[pair * slots], scene[0].anchored.shape_b[pair * slots]
            if is_quick(scene[0].bodies, scene[0].shapes, scene[0].state_in, a, s, dt):
                wanted = int(2)
        if optional[pair] == 1:
            wanted = choose_optional(scene[0], dt, pair, x, r, far, choices)
            if wanted == 0:
                far = never
        if scene[0].anchored.wanted[pair] != wanted:
            scene[0].anchored.changed[world] = int(1)
        scene[0].anchored.wanted[pair] = wanted
        ahead[pair] = wp.float64(far)

    return choose
