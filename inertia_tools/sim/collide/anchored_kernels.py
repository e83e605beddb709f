# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contacts that the narrow phase finds once a step and that follow their anchors in each substep.

The search runs in double precision whatever the precision of the scene. A rounding error in an anchor appears as a gap
in every substep and becomes a force when it is divided by the square of the substep. Rounding may also end the search
for the least overlap of two bodies early.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.kernel_loading import RIGID_OPTIONS
from inertia_tools.sim.collide.nearby_foresight import SAFETY, approach_functions
from inertia_tools.sim.kernels.body_state import state_functions
from inertia_tools.sim.kernels.collision_types import MAX_CONTACTS, collision_types
from inertia_tools.sim.kernels.kinematic_motion import kinematic_functions
from inertia_tools.sim.kernels.precision import Precision, precision
from inertia_tools.sim.kernels.rotation import rotation_functions
from inertia_tools.sim.kernels.rounding import rounding_functions
from inertia_tools.sim.kernels.scene_types import scene_type

SAME_CONTACT = 0.1
"""A contact keeps its friction state and load if it has moved over its shape by no more than this, relative to the
smallest half edge of the bounding box."""


@lru_cache(maxsize=2)
def anchored_kernels(p: Precision) -> Any:
    """Return the kernels of one precision."""
    scalar, vec3 = p.scalar, p.vec3
    types, wide = collision_types(p), precision("float64")
    Followed, AnchoredRef, Scene = types.Followed, wp.ref[types.Anchored], scene_type(p)
    SceneRef, ContactsRef = wp.ref[Scene], p.references("Contacts")[0]
    Motions, rounding = collision_types(wide).Motions, rounding_functions(p)
    exact, exact_quat = rounding.exact, rounding.exact_quat
    expected_rate, is_path_goal = kinematic_functions(p).expected_rate, kinematic_functions(p).is_path_goal
    has_last_pose, whole = state_functions(p).has_last_pose, rotation_functions(p).whole
    Bodies, State = p.Bodies, p.State
    wide_mat33 = wide.mat33
    safety, same_contact = wp.constant(scalar(SAFETY)), wp.constant(scalar(SAME_CONTACT))
    smallest_half = approach_functions(p).smallest_half

    @wp.kernel(module="unique", module_options=RIGID_OPTIONS)
    def foresee(bodies: Bodies, state: State, dt: scalar, first_world: int, foresight: wp.array(dtype=scalar)):
        """Compute for each world how far any two points of different bodies may approach in a step [m]."""
        world = first_world + wp.tid()
        fastest = scalar(0.0)
        for b in range(world * bodies.count, (world + 1) * bodies.count):
            qd = state.qd[b]
            if bodies.inv_mass[b] == scalar(0.0):
                qd = expected_rate(bodies, state, b, dt)
            f = state.f[b]
            turning = wp.length(vec3(qd[3], qd[4], qd[5])) * bodies.extent[b]
            pushed = dt * bodies.inv_mass[b] * wp.length(vec3(f[0], f[1], f[2]))
            fastest = wp.max(fastest, wp.length(vec3(qd[0], qd[1], qd[2])) + turning + pushed)
        foresight[world] = safety * dt * (fastest + dt * bodies.max_gravity[0])

    @wp.kernel(module="unique", module_options=RIGID_OPTIONS)
    def set_poses(bodies: Bodies, state: State, dt: scalar, first: int, motions: Motions):
        """Compute the pose of each body at the start of a step, with the low-order parts, and its motion in the step.

        The motion is that of its velocity: gravity would press a body that slides into what lies next to its support.
        Only free bodies answer to impacts by themselves.
        """
        b = first + wp.tid()
        qd = state.qd[b]
        if bodies.inv_mass[b] == scalar(0.0):
            qd = expected_rate(bodies, state, b, dt)
        motions.displacement[b] = exact(dt * vec3(qd[0], qd[1], qd[2]))
        motions.rotation[b] = exact(dt * vec3(qd[3], qd[4], qd[5]))
        q = state.q[b]
        turn = exact_quat(wp.transform_get_rotation(q))
        at = exact(wp.transform_get_translation(q)) + wp.quat_rotate(turn, exact(bodies.com[b]))
        if has_last_pose(bodies, state, b) or (bodies.inv_mass[b] == scalar(0.0) and is_path_goal(bodies, state, b)):
            turn = whole(wp.transform_get_rotation(state.q_last[b]), state.r_low_last[b])
            at = exact(state.x_last[b]) + exact(state.x_low_last[b])
        motions.x[b] = at
        motions.r[b] = turn
        axes, tensor, free = wp.quat_to_matrix(turn), bodies.inv_inertia[b], wp.float64(bodies.is_free_body[b])
        inverse = wide_mat33()
        for i in range(3):
            for j in range(3):
                inverse[i, j] = free * wp.float64(tensor[i, j])
        motions.inv_mass[b] = free * wp.float64(bodies.inv_mass[b])
        motions.inv_tensor[b] = axes * inverse * wp.transpose(axes)

    @wp.func
    def slot_of_contact(anchored: AnchoredRef, first: int, c: Followed, near: scalar, by_feature: int) -> int:
        """Return the slot of the same feature in the last step, or else of the nearest contact; -1 for none."""
        best = int(-1)
        closest = near
        for i in range(first, first + MAX_CONTACTS):
            if anchored.used[i] == 1 and anchored.taken[i] < 0:
                distance = scalar(wp.length(anchored.contact[i].centre_a - c.centre_a))
                if by_feature == 1 and anchored.contact[i].feature == c.feature:
                    return i
                if by_feature == 0 and distance < closest:
                    closest = distance
                    best = i
        return best

    @wp.func
    def clear_contact(contacts: ContactsRef, slot: int):
        """Clear the state of a slot that a new contact takes."""
        contacts.slip[slot] = vec3()
        contacts.residual_slip[slot] = vec3()
        contacts.angle[slot] = vec3()
        contacts.lambda_t[slot] = vec3()
        contacts.lambda_n[slot] = scalar(0.0)
        contacts.slides[slot] = int(0)

    @wp.func
    def assign_slots_of_pair(scene: SceneRef, pair: int, found: wp.array(dtype=Followed), count: int):
        """Assign the contacts of a pair to its slots, and empty the others."""
        first = MAX_CONTACTS * pair
        world = first // scene.anchored.count
        for i in range(first, first + MAX_CONTACTS):
            scene.anchored.taken[i] = int(-1)
            scene.anchored.place[i] = int(-1)
        for turn in range(2):
            for i in range(first, first + count):
                if scene.anchored.place[i] < 0:
                    near = same_contact * smallest_half(scene.colliders, found[i].a, found[i].b)
                    slot = slot_of_contact(scene.anchored, first, found[i], near, 1 - turn)
                    if slot >= 0:
                        scene.anchored.taken[slot] = i
                        scene.anchored.place[i] = slot
        free = first
        for i in range(first, first + count):
            if scene.anchored.place[i] == -1:
                while scene.anchored.taken[free] >= 0:
                    free += 1
                scene.anchored.taken[free] = i
                of_world = free - world * scene.anchored.count
                clear_contact(scene.contacts, world * scene.anchored.stride + scene.anchored.first_slot + of_world)
        for i in range(first, first + MAX_CONTACTS):
            scene.anchored.used[i] = int(0)
            if scene.anchored.taken[i] >= 0:
                scene.anchored.used[i] = int(1)
                scene.anchored.contact[i] = found[scene.anchored.taken[i]]

    @wp.kernel(module="unique", module_options=RIGID_OPTIONS)
    def assign_slots(
        scene: wp.array(dtype=Scene),
        found: wp.array(dtype=Followed),
        found_count: wp.array(dtype=wp.int32),
        first_pair: int,
    ):
        """Assign the contacts of a pair to its slots: by feature first, then by position. New contacts take free slots.

        Matching by position keeps the friction state of a body that rolls from one triangle to the next.
        """
        pair = first_pair + wp.tid()
        if found_count[pair] == 0 and scene[0].anchored.held[pair] == 0:
            return
        scene[0].anchored.held[pair] = found_count[pair]
        scene[0].anchored.changed[MAX_CONTACTS * pair // scene[0].anchored.count] = int(1)
        assign_slots_of_pair(scene[0], pair, found, found_count[pair])

    return SimpleNamespace(foresee=foresee, set_poses=set_poses, assign_slots=assign_slots)
