# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""How a step begins: bodies and joints are taken from the state, rows are found, and islands of what they tie together.

One thread does it for a world. Then each island is planned: which of its contacts are solved directly, in which order.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.collide.collision_types import collision_types
from inertia_tools.sim.device.precision import Precision
from inertia_tools.sim.xpbd.body_state import state_functions
from inertia_tools.sim.xpbd.colouring import Coloured
from inertia_tools.sim.xpbd.contact_finding import CLOSENESS, finding_functions
from inertia_tools.sim.xpbd.contact_forest import NO_RINGS, forest_functions
from inertia_tools.sim.xpbd.island_types import island_types
from inertia_tools.sim.xpbd.islands import island_functions
from inertia_tools.sim.xpbd.joint_axes import axes_functions
from inertia_tools.sim.xpbd.joints import joint_functions
from inertia_tools.sim.xpbd.kinematic_motion import kinematic_functions
from inertia_tools.sim.xpbd.motion import motion_functions
from inertia_tools.sim.xpbd.near_pairs import near_functions
from inertia_tools.sim.xpbd.parts import Parts

TANGLED = 240
"""Count from which an island is not solved directly: a body of it has been hard to settle for a tenth of a second.

Passes may find no end where much falls on each other at once; what comes to rest as columns is better solved directly.
"""

CALM = 0.05
"""Kinetic energy below which an island is coloured, over the work to lift each body by its radius.

What falls and tumbles is left to the direct solve, which keeps overlaps smaller; sweeps let a heap come to rest.
"""


@lru_cache(maxsize=16)
def begin_functions(p: Precision, parts: Parts) -> Any:
    """Return the device functions of one precision with some parts."""
    has_contacts, has_joints = wp.constant(parts.contacts), wp.constant(parts.joints)
    has_anchored = wp.constant(parts.anchored)
    scalar, vec3, vec6, quat = p.scalar, p.vec3, p.vec6, p.quat
    linear, angular = axes_functions(p).linear, axes_functions(p).angular
    Bodies, Joints, Shapes, Options = p.references("Bodies", "Joints", "Shapes", "Options")
    Contacts, Rows, State, Work = p.references("Contacts", "Rows", "State", "Work")
    JointWork, DofWork = p.references("JointWork", "DofWork")
    Anchored = wp.ref[collision_types(p).Anchored]
    Clusters, Islands = wp.ref[island_types(p).Clusters], wp.ref[island_types(p).Islands]
    row = finding_functions(p)
    enter, leave = state_functions(p).enter, state_functions(p).leave
    enter_joint, stays = joint_functions(p).enter_joint, motion_functions(p).stays
    reach_of_step, forget, watch_pair = row.reach_of_step, row.forget, row.watch_pair
    watch_anchored, keep_slots, settle_slots = row.watch_anchored, row.keep_slots, row.settle_slots
    keep_list, closeness = near_functions(p).keep_list, wp.constant(scalar(CLOSENESS))
    no_rings, tangled = wp.constant(NO_RINGS), wp.constant(TANGLED)
    calm = wp.constant(scalar(CALM))
    large_coloured, all_coloured = wp.constant(int(Coloured.LARGE)), wp.constant(int(Coloured.ALL))
    kinematic, add = kinematic_functions(p), motion_functions(p).add
    is_zero = kinematic.is_zero
    plan_body, written_way, rotated = kinematic.plan_body, kinematic.written_way, kinematic.rotated
    find_islands, plant = island_functions(p).find_islands, forest_functions(p).plant

    @wp.func
    def pass_by(bodies: Bodies, work: Work, state_in: State, state_out: State, options: Options, b: int, h: scalar):
        """Do all of a step for a body that does not answer to forces, and put it where it begins.

        Several islands may look at one that stays; one that moves is moved by the island that has all that it may meet.
        """
        work.v[b] = vec3()
        work.v_before[b] = vec3()
        work.v_free[b] = vec3()
        work.omega_free[b] = vec3()
        work.meets[b] = vec6()
        work.move[b] = vec6()
        led = plan_body(bodies, state_in, work, b, h, options.substeps)
        x, x_low, r, r_low = vec3(work.x[b]), vec3(work.x_low[b]), quat(work.r[b]), quat(work.r_low[b])
        way, turn = linear(work.path_way[b]), angular(work.path_way[b])
        is_written = work.there[b] == 0 and is_zero(state_in.qd[b]) and not is_zero(written_way(bodies, state_in, b))
        if is_written:
            x, x_low = vec3(state_in.x_left[b]), vec3(state_in.x_low_left[b])
            r, r_low = wp.transform_get_rotation(state_in.q_left[b]), quat(state_in.r_low_left[b])
            work.there[b] = int(1)
        if work.path_left[b] > 0 and not is_written:
            work.x[b] = x
            work.x_low[b] = x_low
            add(work, b, way)
            work.r[b] = rotated(r, turn)
        leave(bodies, state_out, work, b, h, state_in)
        state_out.led_rate[b] = work.path_end[b]
        state_out.led_bend[b] = work.path_bend[b]
        state_out.led_zigzag[b] = led
        work.x[b] = x
        work.x_low[b] = x_low
        work.r[b] = r
        work.r_low[b] = r_low
        work.x0[b] = x
        work.r0[b] = r
        if options.reactions == 1:
            state_out.parent_f[b] = vec6()

    @wp.func
    def find_rows(
        bodies: Bodies,
        shapes: Shapes,
        contacts: Contacts,
        rows: Rows,
        anchored: Anchored,
        work: Work,
        world: int,
        dt: scalar,
    ):
        """See which features may touch something during the step."""
        forget(shapes, contacts, rows, work, world)
        old_count = keep_slots(rows, world)
        rows.count[world] = int(0)
        way = reach_of_step(bodies, work, world * bodies.count, (world + 1) * bodies.count, dt)
        if shapes.pair_count > 0:
            keep_list(shapes, rows, world, closeness, way)
            first = world * shapes.pair_count
            for i in range(first, first + rows.near_count[world]):
                watch_pair(shapes, contacts, rows, anchored, work, world, rows.near[i], way)
        if has_anchored:
            watch_anchored(shapes, rows, anchored, world)
        settle_slots(contacts, rows, world, old_count)

    @wp.func
    def begin_world(
        bodies: Bodies,
        joints: Joints,
        shapes: Shapes,
        contacts: Contacts,
        rows: Rows,
        anchored: Anchored,
        work: Work,
        jw: JointWork,
        dw: DofWork,
        clusters: Clusters,
        islands: Islands,
        options: Options,
        state_in: State,
        state_out: State,
        h: scalar,
        world: int,
    ):
        """Begin the step of a world, up to the lists of its islands."""
        for b in range(world * bodies.count, (world + 1) * bodies.count):
            enter(bodies, state_in, work, b, h)
            if stays(bodies, b):
                pass_by(bodies, work, state_in, state_out, options, b, h)
        if has_joints:
            for j in range(world * joints.count, (world + 1) * joints.count):
                enter_joint(bodies, joints, state_in, work, jw, dw, options, j)
        if has_contacts:
            find_rows(bodies, shapes, contacts, rows, anchored, work, world, h * scalar(options.substeps))
        find_islands(bodies, joints, rows, clusters, islands, work, world)

    @wp.func
    def has_tangles(islands: Islands, work: Work, n: int, rings: int) -> bool:
        """Tell whether the direct solve of a body of an island has found no end; without rings that is forgotten."""
        found = bool(False)
        for i in range(islands.first_body[n], islands.end_body[n]):
            b = islands.body[i]
            found = found or work.tangled[b] >= tangled
            if rings == no_rings:
                work.tangled[b] = int(0)
        return found and rings != no_rings

    @wp.func
    def is_calm(bodies: Bodies, islands: Islands, work: Work, n: int) -> bool:
        """Tell whether an island hardly moves."""
        moving, weighty = scalar(0.0), scalar(0.0)
        for i in range(islands.first_body[n], islands.end_body[n]):
            b = islands.body[i]
            if not stays(bodies, b):
                mass = scalar(1.0) / bodies.inv_mass[b]
                turning = bodies.extent[b] * wp.length(work.omega_free[b])
                moving += scalar(0.5) * mass * (wp.length_sq(work.v[b]) + turning * turning)
                weighty += mass * bodies.extent[b] * wp.length(bodies.gravity[0])
        return moving < calm * weighty

    @wp.func
    def plan_island(bodies: Bodies, rows: Rows, islands: Islands, work: Work, options: Options, n: int):
        """Decide which contacts of an island are solved directly, and in which order, or whether it is coloured.

        A large one is where its contacts close rings, the direct solve has found no end in earlier steps, and it hardly
        moves any more.
        """
        islands.is_coloured[n] = int(0)
        if islands.end_row[n] == islands.first_row[n]:
            islands.leaf_end[n] = islands.first_body[n]
            return
        rings = plant(bodies, rows, work, islands, n)
        size = islands.end_body[n] - islands.first_body[n]
        large = has_tangles(islands, work, n, rings) and size > bodies.links
        if large:
            large = is_calm(bodies, islands, work, n)
        wanted = options.coloured == all_coloured or (options.coloured == large_coloured and large)
        if wanted and islands.end_joint[n] == islands.first_joint[n]:
            islands.is_coloured[n] = int(1)
        if options.sweeps == 1 or islands.is_coloured[n] == 1:
            for i in range(islands.first_row[n], islands.end_row[n]):
                rows.planned[islands.row[i]] = int(0)

    return SimpleNamespace(begin_world=begin_world, plan_island=plan_island)
