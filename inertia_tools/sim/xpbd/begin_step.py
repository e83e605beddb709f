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
from inertia_tools.sim.solve.elimination_order import order_functions
from inertia_tools.sim.xpbd.body_state import state_functions
from inertia_tools.sim.xpbd.contact_finding import CLOSENESS, finding_functions
from inertia_tools.sim.xpbd.island_types import island_types
from inertia_tools.sim.xpbd.islands import island_functions
from inertia_tools.sim.xpbd.joint_axes import axes_functions
from inertia_tools.sim.xpbd.joint_state import joint_state_functions
from inertia_tools.sim.xpbd.kinematic_motion import kinematic_functions
from inertia_tools.sim.xpbd.motion import motion_functions
from inertia_tools.sim.xpbd.near_pairs import near_functions


@lru_cache(maxsize=2)
def begin_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3, vec6, quat = p.scalar, p.vec3, p.vec6, p.quat
    linear, angular = axes_functions(p).linear, axes_functions(p).angular
    Bodies, Joints, Shapes, Options = p.references("Bodies", "Joints", "Shapes", "Options")
    Contacts, Rows, State, Work = p.references("Contacts", "Rows", "State", "Work")
    JointWork, DofWork, System = p.references("JointWork", "DofWork", "System")
    Anchored = wp.ref[collision_types(p).Anchored]
    Clusters, Islands = wp.ref[island_types(p).Clusters], wp.ref[island_types(p).Islands]
    row = finding_functions(p)
    enter, leave = state_functions(p).enter, state_functions(p).leave
    enter_joint, is_static = joint_state_functions(p).enter_joint, motion_functions(p).is_static
    reach_of_step, forget, watch_pair = row.reach_of_step, row.forget, row.watch_pair
    watch_anchored, keep_slots, settle_slots = row.watch_anchored, row.keep_slots, row.settle_slots
    keep_list, closeness = near_functions(p).keep_list, wp.constant(scalar(CLOSENESS))
    kinematic, add = kinematic_functions(p), motion_functions(p).add
    is_zero = kinematic.is_zero
    plan_body, written_way, rotated = kinematic.plan_body, kinematic.written_way, kinematic.rotated
    find_islands, order_island = island_functions(p).find_islands, order_functions(p).order_island

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
                watch_pair(shapes, rows, anchored, work, world, rows.near[i], way)
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
            if is_static(bodies, b):
                pass_by(bodies, work, state_in, state_out, options, b, h)
        for j in range(world * joints.count, (world + 1) * joints.count):
            enter_joint(bodies, joints, state_in, work, jw, dw, options, j)
        if options.contacts == 1:
            find_rows(bodies, shapes, contacts, rows, anchored, work, world, h * scalar(options.substeps))
        find_islands(bodies, joints, rows, clusters, islands, work, world)

    @wp.func
    def plan_island(bodies: Bodies, rows: Rows, islands: Islands, system: System, options: Options, n: int):
        """Order the bodies of an island for the factorisation of its Hessian."""
        order_island(bodies, rows, islands, system, n, options.sweeps)

    return SimpleNamespace(begin_world=begin_world, plan_island=plan_island)
