# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Beginning of a step: read the state, find contact rows, group bodies into islands, order them for elimination.

One thread does it for a world, up to the lists of islands; then each island is ordered for its factorisation.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.collide.contact_finding import CLOSENESS, finding_functions
from inertia_tools.sim.collide.near_pairs import near_functions
from inertia_tools.sim.constraints.effort_reach import effort_reach_functions
from inertia_tools.sim.constraints.joint_state import joint_state_functions
from inertia_tools.sim.constraints.joints import joint_functions
from inertia_tools.sim.kernels.body_state import state_functions
from inertia_tools.sim.kernels.joint_axes import axes_functions
from inertia_tools.sim.kernels.kinematic_motion import MotionSource, kinematic_functions
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.scene_types import scene_type
from inertia_tools.sim.solve.elimination_order import order_functions
from inertia_tools.sim.solve.islands import island_functions
from inertia_tools.sim.step.kept_rows import keeping_functions


@lru_cache(maxsize=2)
def begin_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3, vec6, quat = p.scalar, p.vec3, p.vec6, p.quat
    linear, angular = axes_functions(p).linear, axes_functions(p).angular
    Body, Options = p.references("Body", "Options")
    Scene = wp.ref[scene_type(p)]
    row = finding_functions(p)
    of_bodies = state_functions(p)
    read_body, write_body, start_anew = of_bodies.read_body, of_bodies.write_body, of_bodies.start_anew
    read_joint, is_static = joint_state_functions(p).read_joint, motion_functions(p).is_static
    reach_of_step, forget, watch_pair = row.reach_of_step, row.forget, row.watch_pair
    is_reverse, keep_rows = row.is_reverse, row.keep_rows
    is_active_joint = joint_functions(p).is_active_joint
    keeping = keeping_functions(p)
    may_keep, store_kept, discard_kept = keeping.may_keep, keeping.store_kept, keeping.discard_kept
    watch_anchored, keep_slots, settle_slots = row.watch_anchored, row.keep_slots, row.settle_slots
    keep_list, closeness = near_functions(p).keep_list, wp.constant(scalar(CLOSENESS))
    kinematic, translate = kinematic_functions(p), motion_functions(p).translate
    follow_path, is_path_goal, rotated = kinematic.follow_path, kinematic.is_path_goal, kinematic.rotated
    path_continues = wp.constant(int(MotionSource.PATH_CONTINUES))
    gained_by_efforts = effort_reach_functions(p).gained_by_efforts
    find_islands, order_island = island_functions(p).find_islands, order_functions(p).order_island

    @wp.func
    def write_path(scene: Scene, body: Body, b: int, rate: vec6, ends: bool):
        """Write the path of a kinematic body to the state; `ends` says whether the step ends with this launch."""
        scene.state_out.kinematic_rate[b] = rate
        scene.state_out.kinematic_acceleration[b] = body.path_acceleration
        scene.state_out.kinematic_acceleration_change[b] = body.path_acceleration_change
        scene.state_out.motion_source[b] = wp.where(ends, body.motion_source, path_continues)

    @wp.func
    def set_start_pose(body: Body, x: vec3, x_low: vec3, r: quat, r_low: quat):
        """Put a body at a pose, which is that of its free motion and of the start of the substep too."""
        body.x = x
        body.x_low = x_low
        body.r = r
        body.r_low = r_low
        body.x0 = x
        body.r0 = r
        body.r0_low = r_low
        body.x_free = x
        body.x_low_free = x_low

    @wp.func
    def step_static_body(scene: Scene, body: Body, options: Options, b: int):
        """Do a whole launch for a body that does not respond to forces, and leave it at its start.

        Such a body is read once a launch, since paths continue. Several islands may touch one that stays; a moving one
        is advanced by the island that contains all bodies that it may meet.
        """
        body.v = vec3()
        body.v_before = vec3()
        body.v_free = vec3()
        body.omega_free = vec3()
        scene.meeting[b] = vec6()
        scene.response[b] = vec6()
        substep = options.dt / scalar(options.least_substeps)
        part, rate, rate_before = follow_path(scene, body, b, options.dt, substep)
        ends = scene.islands.launch[1] == 0
        x, x_low, r, r_low = vec3(body.x), vec3(body.x_low), quat(body.r), quat(body.r_low)
        if scene.islands.launch[0] == 0:
            body.ends_at_goal = int(body.pose_unchanged == 0 and is_path_goal(scene.bodies, scene.state_in, b))
        if body.ends_at_goal == 1 and body.pose_unchanged == 0:
            body.goal_x = body.x
            body.goal_r = body.r
            x, x_low = vec3(scene.state_in.x_last[b]), vec3(scene.state_in.x_low_last[b])
            r, r_low = wp.transform_get_rotation(scene.state_in.q_last[b]), quat(scene.state_in.r_low_last[b])
            body.pose_unchanged = int(1)
        if body.moves_kinematically == 1:
            body.x = x
            body.x_low = x_low
            translate(body, linear(part))
            body.r = rotated(r, angular(part))
        if body.ends_at_goal == 1 and ends:
            body.x = body.goal_x
            body.x_low = vec3()
            body.r = body.goal_r
            body.r_low = quat(scalar(0.0), scalar(0.0), scalar(0.0), scalar(0.0))
        write_body(scene.bodies, scene.state_out, body, b, options.dt, scene.state_in, 0)
        write_path(scene, body, b, rate, ends)
        set_start_pose(body, x, x_low, r, r_low)
        if body.moves_kinematically == 1:
            body.v_free = linear(rate_before)
            body.omega_free = angular(rate_before)
        if options.reactions == 1:
            scene.state_out.parent_f[b] = vec6()

    @wp.func
    def find_rows(scene: Scene, world: int, reach: scalar):
        """Find the contact rows of a world: features that may touch a solid if bodies move by up to `reach`."""
        forget(scene, world)
        old_count = keep_slots(scene.rows, world)
        scene.rows.count[world] = int(0)
        if scene.shapes.pair_count > 0:
            keep_list(scene, world, closeness, reach)
            first = world * scene.shapes.pair_count
            last = int(-1)
            before_last = int(0)
            for i in range(first, first + scene.rows.near_count[world]):
                pair = scene.rows.near_pair[i]
                before = scene.rows.count[world]
                if not is_reverse(scene.shapes, last, pair):
                    before_last = before
                watch_pair(scene, world, pair, before_last, reach)
                last = pair
                before_last = before
        watch_anchored(scene, world)
        settle_slots(scene, world, old_count)

    @wp.func
    def start_body(scene: Scene, b: int):
        """Let a dynamic body start anew."""
        if not is_static(scene.bodies, b) and scene.body[b].has_no_history == 0:
            start_anew(scene.bodies, scene.state_in, scene.body[b], b)

    @wp.func
    def start_what_pressed(scene: Scene, one: int, other: int):
        """Let a body start anew if the other one, which it pressed against in the last step, does so."""
        if other >= 0 and scene.body[other].has_no_history == 1:
            start_body(scene, one)

    @wp.func
    def is_released(scene: Scene, j: int) -> bool:
        """Return whether the impulses of a joint have ended, as it is disabled or has lost all its laws."""
        if scene.state_in.held_last[j] == 0:
            return False
        released = not is_active_joint(scene, j)
        if scene.joint[j].needs_rate == 0:
            for d in range(scene.joints.first_dof[j], scene.joints.first_dof[j] + scene.joints.dof_number[j]):
                released = released or wp.length_sq(scene.state_in.law_last[d]) > scalar(0.0)
        return released

    @wp.func
    def start_unsupported(scene: Scene, world: int):
        """Let bodies start anew whose support has been put elsewhere, or has another velocity: its force has ended."""
        for k in range(scene.rows.first[world], scene.rows.first[world] + scene.rows.count[world]):
            if scene.contacts.lambda_n[scene.rows.row[k].slot] > scalar(0.0):
                a, b = scene.rows.row[k].body_a, scene.rows.row[k].body_b
                start_what_pressed(scene, a, b)
                start_what_pressed(scene, b, a)

    @wp.func
    def read_bodies(scene: Scene, options: Options, first: int, end: int) -> bool:
        """Read bodies from the state, and do a whole step for those that do not respond to forces.

        Returns:
            Whether any of them starts anew.
        """
        starts = bool(False)
        for b in range(first, end):
            read_body(scene.bodies, scene.state_in, scene.body[b], b)
            if is_static(scene.bodies, b):
                step_static_body(scene, scene.body[b], options, b)
            starts = starts or scene.body[b].has_no_history == 1
        return starts

    @wp.func
    def update_rows(scene: Scene, world: int) -> bool:
        """Find the rows of a world, or keep those of the last step; return whether rows and islands are kept."""
        first, end = world * scene.bodies.count, (world + 1) * scene.bodies.count
        dt = scene.settings[world].dt
        reach = reach_of_step(scene, first, end, gained_by_efforts(scene, world, dt), dt)
        are_kept = may_keep(scene, world, reach)
        if are_kept:
            keep_rows(scene, world)
        else:
            find_rows(scene, world, reach)
            store_kept(scene, world, reach)
        return are_kept

    @wp.func
    def begin_world(scene: Scene, world: int):
        """Begin the step of a world, up to the lists of its islands."""
        bodies, joints = scene.bodies.count, scene.joints.count
        starts = read_bodies(scene, scene.settings[world], world * bodies, (world + 1) * bodies)
        for j in range(world * joints, (world + 1) * joints):
            read_joint(scene, scene.settings[world], j)
            if is_released(scene, j):
                start_body(scene, scene.joints.child[j])
                start_body(scene, scene.joints.parent[j])
                starts = True
        scene.islands.stamps[world] = scene.islands.stamps[world] + wp.int64(1)
        are_kept = bool(False)
        if scene.settings[world].contacts == 1:
            if starts:
                start_unsupported(scene, world)
            are_kept = update_rows(scene, world)
        else:
            discard_kept(scene, world)
        scene.islands.kept[world] = int(are_kept)
        if not are_kept:
            find_islands(scene, world)

    @wp.func
    def plan_island(scene: Scene, n: int):
        """Order the bodies of an island for the factorisation of its Hessian."""
        order_island(scene, n, scene.settings[n // scene.clusters.count].sweeps)

    return SimpleNamespace(begin_world=begin_world, plan_island=plan_island)
