# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contact rows of a step: features that are near solids or may reach them, and contacts of the narrow phase.

Rows are found once a step; `contact_rows` measures them in every substep.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.collide.anchors import AnchorKind
from inertia_tools.sim.collide.nearby_foresight import SAFETY
from inertia_tools.sim.collide.placement import placement_functions
from inertia_tools.sim.collide.signed_distance import distance_functions
from inertia_tools.sim.kernels.collision_types import MAX_CONTACTS
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.nonnegative_index import nonnegative_index
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.rounding import rounding_functions
from inertia_tools.sim.kernels.scene_types import scene_type
from inertia_tools.sim.scene.convex import SolidKind
from inertia_tools.sim.scene.shape_config import FRICTION_RULES

CLOSENESS = 0.02
"""A feature gets a row if its gap is at most this, relative to the size of its shape, plus its path in the step."""

CHEAP_BOUND = 1.1
"""A cheap, inexact bound skips features that are farther away than this factor times that distance."""

SAME_NORMAL = 0.999999
"""Two normals are of one face if their cosine exceeds this."""

CORNERS = 8
"""Number of corners of a box, its first features."""

LYING = 0.7
"""A slow cylinder touches with the deepest points of its rims only if the cosine between its axis and the normal is
below this. One that rocked over a fixed point of a rim would pivot about it for a moment and lose energy. A cylinder
that rolls by half a radian a substep or more would veer off without the fixed points."""


@lru_cache(maxsize=2)
def finding_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar, vec3, vec6, quat = p.scalar, p.vec3, p.vec6, p.quat
    rounded = rounding_functions(p).rounded
    least, product, greatest = (wp.constant(FRICTION_RULES.index(rule)) for rule in ("min", "product", "max"))
    Shapes, Contacts, Rows, Row = p.references("Shapes", "Contacts", "Rows", "Row")
    placement, is_static = placement_functions(p), motion_functions(p).is_static
    spot, clearance, origin = placement.spot, placement.clearance, placement.origin
    axes, arm_of, seen_from = placement.axes, placement.arm_of, placement.seen_from
    solids = distance_functions(p)
    distance, is_beyond, place_of_feature = solids.distance, solids.is_beyond, solids.place_of_feature
    cheap_bound = wp.constant(scalar(CHEAP_BOUND))
    closeness, safety = wp.constant(scalar(CLOSENESS)), wp.constant(scalar(SAFETY))
    corners, lines = wp.constant(CORNERS), wp.constant(int(AnchorKind.LINES))
    same_normal = wp.constant(scalar(SAME_NORMAL))
    sphere, capsule = wp.constant(int(SolidKind.SPHERE)), wp.constant(int(SolidKind.CAPSULE))
    hull, cylinder = wp.constant(int(SolidKind.HULL)), wp.constant(int(SolidKind.CYLINDER))
    lying = wp.constant(scalar(LYING))

    @wp.func
    def fastest_of(rate: vec6, extent: scalar) -> scalar:
        """Return an upper bound of the speed of a body's points [m/s]."""
        turning = vec3(rate[3], rate[4], rate[5])
        return wp.length(vec3(rate[0], rate[1], rate[2])) + wp.length(turning) * extent

    @wp.func
    def reach_of_step(scene: Scene, first: int, end: int, gained: scalar, dt: scalar) -> scalar:
        """Return an upper bound of the path of a body's points in a step, over all bodies of a world [m].

        `gained` is the velocity that joint efforts may add in the step [m/s].
        """
        fastest = scalar(0.0)
        for b in range(first, end):
            if is_static(scene.bodies, b):
                if scene.body[b].moves_kinematically == 1:
                    time = dt * scalar(scene.islands.launch[1] + 1)
                    most = fastest_of(scene.body[b].path_remaining, scene.bodies.extent[b]) * scalar(2.0) / time
                    most = most + fastest_of(scene.body[b].path_rate, scene.bodies.extent[b])
                    fastest = wp.max(fastest, most + fastest_of(scene.body[b].path_end, scene.bodies.extent[b]))
            else:
                speed = wp.length(scene.body[b].v) + wp.length(scene.body[b].omega_free) * scene.bodies.extent[b]
                f = scene.body[b].force
                push = scene.bodies.inv_mass[b] * wp.length(vec3(f[0], f[1], f[2]))
                fastest = wp.max(fastest, speed + dt * push)
        return safety * dt * (fastest + gained + dt * scene.bodies.max_gravity[0])

    @wp.func
    def take_back(contacts: Contacts, slot: int):
        """Clear what the last step reported of a contact."""
        contacts.force[slot] = vec3()
        contacts.torque[slot] = vec3()
        contacts.depth[slot] = scalar(0.0)
        contacts.rest_stamp[slot] = wp.int64(0)

    @wp.func
    def forget(scene: Scene, world: int):
        """Begin a step: update the origins of shapes, and clear the marks of near features."""
        for s in range(world * scene.shapes.count, (world + 1) * scene.shapes.count):
            scene.rows.shape_origin[s] = origin(scene.shapes, scene.body, s)
        for k in range(scene.rows.first[world], scene.rows.first[world] + scene.rows.count[world]):
            scene.contacts.has_row[scene.rows.row[k].slot] = int(0)

    @wp.func
    def is_reverse(shapes: Shapes, one: int, other: int) -> bool:
        """Return whether two ordered pairs are of the same two shapes, in opposite order."""
        if one < 0:
            return False
        same = shapes.pair_feature[one] == shapes.pair_solid[other]
        return same and shapes.pair_solid[one] == shapes.pair_feature[other]

    @wp.func
    def is_duplicate(rows: Rows, first: int, end: int, point: vec3, tolerance: scalar) -> bool:
        """Return whether these rows, of the other shape's corners, have one at the same point.

        Corners are rounded. Two corners no farther apart than their radius both lie within the other's faces.
        """
        found = bool(False)
        for k in range(first, end):
            if wp.length(rows.row[k].point - point) < tolerance:
                found = True
        return found

    @wp.func
    def combined(rule: int, first: scalar, second: scalar) -> scalar:
        """Return the coefficients of two shapes, combined by a rule of the scene."""
        if rule == least:
            return wp.min(first, second)
        if rule == greatest:
            return wp.max(first, second)
        if rule == product:
            return first * second
        return scalar(0.5) * (first + second)

    @wp.func
    def friction_of(shapes: Shapes, a: int, s: int) -> scalar:
        """Return the combined sliding friction coefficient of two shapes."""
        return combined(shapes.friction_rule, shapes.mu[a], shapes.mu[s])

    @wp.func
    def keep_rows(scene: Scene, world: int):
        """Begin a step with the rows of the last one; update their friction, as materials may have changed."""
        for k in range(scene.rows.first[world], scene.rows.first[world] + scene.rows.count[world]):
            scene.rows.row[k].mu = friction_of(scene.shapes, scene.rows.row[k].shape, scene.rows.row[k].solid)

    @wp.func
    def has_row(rows: Rows, first: int, end: int, feature: int, n: vec3) -> bool:
        """Return whether a feature of the same pair has a row with this normal."""
        found = bool(False)
        for k in range(first, end):
            if rows.row[k].feature == feature and wp.dot(rows.row[k].normal, n) > same_normal:
                found = True
        return found

    @wp.func
    def write_row(shapes: Shapes, row: Row, pair: int, i: int, n: vec3, point: vec3):
        """Write a row of a feature of a pair."""
        a, s = shapes.pair_feature[pair], shapes.pair_solid[pair]
        row.slot = shapes.pair_slot[pair] + i
        row.pair = pair
        row.feature = i
        row.shape = a
        row.solid = s
        row.normal = n
        row.point = point
        row.body_a = shapes.body[a]
        row.body_b = shapes.body[s]
        row.mu = friction_of(shapes, a, s)

    @wp.func(inline=False)
    def watch_feature(
        scene: Scene,
        world: int,
        pair: int,
        i: int,
        feature: int,
        at: vec3,
        frame: quat,
        margin: scalar,
        since: int,
        before: int,
        duplicates: int,
    ) -> int:
        """Add a row of a feature, at a point in the frame of the other shape, if it may touch that in the step.

        Return a bit mask of the corners that coincide with corners of the other shape, which already have rows.
        """
        a, s = scene.shapes.pair_feature[pair], scene.shapes.pair_solid[pair]
        kept = scene.shapes.margin[a] + scene.shapes.margin[s]
        radius = scene.shapes.radius[feature]
        found = distance(scene.shapes, s, at)
        gap = found[3] - radius - kept
        if gap >= margin:
            return duplicates
        n = wp.quat_rotate(frame, vec3(found[0], found[1], found[2]))
        is_slow = margin < scene.shapes.half_thickness[a]
        if is_slow and scene.shapes.kind[a] == cylinder and scene.shapes.is_rim[feature] == 0:
            axis = wp.quat_rotate(axes(scene.shapes, scene.body, a), vec3(scalar(0.0), scalar(0.0), scalar(1.0)))
            if wp.abs(wp.dot(n, axis)) < lying:
                return duplicates
        k = scene.rows.first[world] + scene.rows.count[world]
        start, end = scene.shapes.edge_start[feature], scene.shapes.edge_end[feature]
        if start >= 0:  # a midpoint between two corners on the same face is redundant
            from_start = (duplicates & (int(1) << start)) != int(0) or has_row(scene.rows, before, k, start, n)
            if from_start and ((duplicates & (int(1) << end)) != int(0) or has_row(scene.rows, before, k, end, n)):
                return duplicates
        point = scene.rows.shape_origin[s] + wp.quat_rotate(frame, at) - (radius + scalar(0.5) * (gap + kept)) * n
        if is_duplicate(scene.rows, since, before, point, radius):
            if i < corners:
                return duplicates | (int(1) << i)
            return duplicates
        if k == scene.rows.first[world + 1]:
            scene.rows.lost[world] = scene.rows.lost[world] + 1
        else:
            write_row(scene.shapes, scene.rows.row[k], pair, i, n, point)
            scene.rows.count[world] = scene.rows.count[world] + 1
        return duplicates

    @wp.func
    def watch_pair(scene: Scene, world: int, pair: int, reverse: int, path: scalar):
        """Add rows of the features of a pair that may touch in the step.

        Rows of the reverse pair, if it is near, begin at `reverse` among the rows of the world. The centre of a sphere
        determines its contact, except with hulls, beyond whose edges distances are too small. A round shape keeps its
        own rows even if a corner is near them at the start of the step. A body whose position is not finite is not
        near.
        """
        a, s = scene.shapes.pair_feature[pair], scene.shapes.pair_solid[pair]
        if scene.shapes.pair_anchored[pair] >= 0:
            if scene.anchored.wanted[scene.shapes.pair_anchored[pair]] == 1:
                return
        kept = scene.shapes.margin[a] + scene.shapes.margin[s]
        margin = closeness * scene.shapes.reach[a] + path
        if scene.shapes.reach[s] < scalar(0.0):
            if not clearance(scene.shapes, scene.body, pair) <= margin + kept:
                return
        else:
            apart = scene.rows.shape_origin[a] - scene.rows.shape_origin[s]
            far = margin + kept + scene.shapes.reach[a] + scene.shapes.reach[s]
            if not wp.dot(apart, apart) <= far * far:
                return
        since, before = scene.rows.first[world] + reverse, scene.rows.first[world] + scene.rows.count[world]
        if scene.shapes.kind[s] == sphere and scene.shapes.kind[a] != hull:
            if scene.shapes.kind[a] != sphere or before > since:
                return
        if scene.shapes.kind[a] == sphere or scene.shapes.kind[a] == capsule:
            since = before
        flat = scene.shapes.reach[s] < scalar(0.0)
        kind, size, reach = scene.shapes.kind[s], scene.shapes.size[s], scene.shapes.reach[s]
        limit = cheap_bound * margin + kept
        frame = axes(scene.shapes, scene.body, s)
        turn = wp.quat_to_matrix(wp.quat_inverse(frame) * axes(scene.shapes, scene.body, a))
        off = wp.quat_rotate_inv(
            frame, seen_from(scene.shapes, scene.body, a, s, arm_of(scene.shapes, scene.body, a, vec3()))
        )
        first_place = place_of_feature(scene.shapes, a, s, 0)
        duplicates = int(0)  # bit mask of corners that coincide with corners of the other shape
        for i in range(scene.shapes.feature_count[a]):
            feature = nonnegative_index(first_place + i)
            at = off + turn * scene.shapes.feature[feature]
            skipped = flat and scene.shapes.edge_start[feature] >= 0
            if scene.shapes.is_rim[feature] == 1:
                at = wp.quat_rotate_inv(
                    frame, seen_from(scene.shapes, scene.body, a, s, spot(scene.shapes, scene.body, pair, i))
                )
            elif not skipped:
                skipped = is_beyond(kind, size, reach, at, limit + scene.shapes.radius[feature])
            if not skipped:
                duplicates = watch_feature(scene, world, pair, i, feature, at, frame, margin, since, before, duplicates)

    @wp.func
    def add_anchored(scene: Scene, world: int, i: int, slot: int):
        """Add a row of a contact of the narrow phase."""
        k = scene.rows.first[world] + scene.rows.count[world]
        if k == scene.rows.first[world + 1]:
            scene.rows.lost[world] = scene.rows.lost[world] + 1
            return
        a, s = scene.anchored.shape_a[i], scene.anchored.shape_b[i]
        c = scene.anchored.contact[i]
        scene.rows.row[k].slot = slot
        scene.rows.row[k].pair = int(-1)
        scene.rows.row[k].feature = i
        scene.rows.row[k].shape = a
        scene.rows.row[k].solid = s
        scene.rows.row[k].normal = rounded(c.normal)
        scene.rows.row[k].point = scalar(0.5) * (rounded(c.on_a) + rounded(c.on_b))
        scene.rows.row[k].body_a = scene.shapes.body[a]
        scene.rows.row[k].body_b = scene.shapes.body[s]
        scene.rows.row[k].mu = friction_of(scene.shapes, a, s)
        scene.rows.count[world] = scene.rows.count[world] + 1

    @wp.func
    def watch_anchored(scene: Scene, world: int):
        """Add rows of the contacts of the narrow phase."""
        if scene.anchored.nearby == 1:
            for i in range(scene.anchored.ends[world], scene.anchored.ends[world + 1]):
                add_anchored(scene, world, i, i)
        else:
            begin, pairs = world * scene.anchored.count, scene.anchored.count // MAX_CONTACTS
            to_slot = world * scene.anchored.stride + scene.anchored.first_slot - begin
            for pair in range(world * pairs, (world + 1) * pairs):
                if scene.anchored.held[pair] > 0:
                    for i in range(MAX_CONTACTS * pair, MAX_CONTACTS * (pair + 1)):
                        is_quick = scene.anchored.wanted[pair] == 2 and scene.anchored.contact[i].kind != lines
                        if scene.anchored.used[i] == 1 and not is_quick:
                            add_anchored(scene, world, i, to_slot + i)

    @wp.func
    def settle_slots(scene: Scene, world: int, old_count: int):
        """Clear the friction state of slots that are no longer near; `old_slot` lists those of the last step."""
        first = scene.rows.first[world]
        for i in range(scene.rows.count[world]):
            scene.contacts.has_row[scene.rows.row[first + i].slot] = int(1)
        for i in range(old_count):
            slot = scene.rows.old_slot[first + i]
            if scene.contacts.has_row[slot] == 0:
                take_back(scene.contacts, slot)
                scene.contacts.slip[slot] = vec3()
                scene.contacts.lambda_n[slot] = scalar(0.0)
                scene.contacts.slides[slot] = int(0)
                scene.contacts.residual_slip[slot] = vec3()
                scene.contacts.angle[slot] = vec3()
                scene.contacts.lambda_t[slot] = vec3()

    @wp.func
    def keep_slots(rows: Rows, world: int) -> int:
        """Save the slots of the rows of the last step, and return their number."""
        first, count = rows.first[world], rows.count[world]
        for i in range(count):
            rows.old_slot[first + i] = rows.row[first + i].slot
        return count

    return SimpleNamespace(
        reach_of_step=reach_of_step,
        forget=forget,
        take_back=take_back,
        keep_rows=keep_rows,
        combined=combined,
        is_reverse=is_reverse,
        watch_pair=watch_pair,
        watch_anchored=watch_anchored,
        settle_slots=settle_slots,
        keep_slots=keep_slots,
    )
