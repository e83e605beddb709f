# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Overlaps of feature points with solids at the current poses; bodies do not move."""

from functools import lru_cache
from typing import Any

import warp as wp

from inertia_tools.kernel_loading import RIGID_OPTIONS
from inertia_tools.sim.collide.placement import placement_functions
from inertia_tools.sim.kernels.precision import Precision


@lru_cache(maxsize=2)
def detect_kernel(p: Precision) -> Any:
    """Return the kernel of one precision; launch it with one thread per world."""
    scalar, vec3 = p.scalar, p.vec3
    Bodies, Shapes, Contacts, State = p.Bodies, p.Shapes, p.Contacts, p.State
    placement = placement_functions(p)
    clearance, spot = placement.clearance, placement.spot
    distance_at, place_of, place_of_feature = placement.distance_at, placement.place_of, placement.place_of_feature

    @wp.kernel(module="unique", module_options=RIGID_OPTIONS)
    def detect(bodies: Bodies, shapes: Shapes, contacts: Contacts, now: wp.array(dtype=p.Body), state: State):
        """Write point, normal and depth of each feature that overlaps a solid, and clear the forces of all slots."""
        world = wp.tid()
        for b in range(world * bodies.count, (world + 1) * bodies.count):
            r = wp.transform_get_rotation(state.q[b])
            now[b].r = r
            now[b].x_low = vec3()
            now[b].x = wp.transform_get_translation(state.q[b]) + wp.quat_rotate(r, bodies.com[b])
        for pair in range(world * shapes.pair_count, (world + 1) * shapes.pair_count):
            a = shapes.pair_feature[pair]
            kept = shapes.margin[a] + shapes.margin[shapes.pair_solid[pair]]
            near = clearance(shapes, now, pair) < kept
            for i in range(shapes.feature_count[a]):
                slot = shapes.pair_slot[pair] + i
                contacts.force[slot] = vec3()
                contacts.torque[slot] = vec3()
                contacts.depth[slot] = scalar(0.0)
                contacts.rest_stamp[slot] = wp.int64(0)  # the next step reports forces again
                if near:
                    radius = shapes.radius[place_of_feature(shapes, a, shapes.pair_solid[pair], i)]
                    at = spot(shapes, now, pair, i)
                    found = distance_at(shapes, now, a, shapes.pair_solid[pair], at)
                    n = vec3(found[0], found[1], found[2])
                    gap = found[3] - radius - kept
                    if gap < scalar(0.0):
                        contacts.point[slot] = place_of(shapes, now, a, at) - (radius + scalar(0.5) * gap) * n
                        contacts.normal[slot] = n
                        contacts.depth[slot] = -gap

    return detect
