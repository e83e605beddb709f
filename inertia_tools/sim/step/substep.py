# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A substep before and after its constraint solve: steps 1, 2 and 5 in docs/solver.md."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.constraints.contact_measurement import contact_measurement_functions
from inertia_tools.sim.constraints.contact_rows import contact_row_functions
from inertia_tools.sim.constraints.contact_twist import twist_functions
from inertia_tools.sim.constraints.joints import joint_functions
from inertia_tools.sim.constraints.loops import loop_functions
from inertia_tools.sim.impacts.free_impacts import impact_functions
from inertia_tools.sim.impacts.jointed_impacts import jointed_impact_functions
from inertia_tools.sim.kernels.constants import LOOP_REGULARISATION
from inertia_tools.sim.kernels.kinematic_motion import kinematic_functions
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.nonnegative_index import nonnegative_index
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.scene_types import scene_type
from inertia_tools.sim.step.held_overlaps import held_overlap_functions


@lru_cache(maxsize=2)
def free_functions(p: Precision) -> Any:
    """Return the device functions of one precision for free motion."""
    scalar, vec3, vec6 = p.scalar, p.vec3, p.vec6
    Bodies, State, Body = p.references("Bodies", "State", "Body")
    predict = motion_functions(p).predict

    @wp.func
    def begin_body(body: Body, state: State, b: int, h: scalar, first: int):
        """Begin a substep of a body: set its applied force and the time for which that changes its momenta.

        In the first substep of a step, the momenta lag by half of the last substep: a force that has changed since acts
        with its old value for that half. Particles exert their impulse in the substep.
        """
        body.has_added_inertia = int(0)
        body.deferred_load = vec6()
        body.h_earlier = body.h_before
        body.h_before = body.h
        body.h = h
        body.force_time = scalar(0.5) * (h + body.h_before)
        body.force = state.f[b]
        if first == 1:
            body.force = state.f[b] + (scalar(0.5) * body.h_before / body.force_time) * (state.f_last[b] - state.f[b])
        body.force = body.force + (h / body.force_time) * state.particle_wrench[b]

    @wp.func
    def move_freely(bodies: Bodies, body: Body, b: int, h: scalar, decay: scalar, touches: bool):
        """Move a body under its applied force."""
        f = body.force
        predict(bodies, body, b, vec3(f[0], f[1], f[2]), vec3(f[3], f[4], f[5]), h, decay, touches)

    return SimpleNamespace(begin_body=begin_body, move_freely=move_freely)


@lru_cache(maxsize=2)
def substep_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    twist = twist_functions(p)
    measure_twist, store_twist = twist.measure_twist, twist.store_twist
    scalar, half = p.scalar, wp.constant(p.scalar(0.5))
    Scene = wp.ref[scene_type(p)]
    begin_body, move_freely = free_functions(p).begin_body, free_functions(p).move_freely
    advance_body = kinematic_functions(p).advance_body
    measure_rows, store_row = contact_measurement_functions(p).measure_rows, contact_row_functions(p).store_row
    joint = joint_functions(p)
    begin_joint, apply_efforts, store_rates = joint.begin_joint, joint.apply_efforts, joint.store_rates
    sum_wrench = joint.sum_wrench
    sum_couplings, bound_leaders = loop_functions(p).sum_couplings, loop_functions(p).bound_leaders
    regularisation = wp.constant(scalar(LOOP_REGULARISATION[p.name]))
    simulate_impacts = impact_functions(p).simulate_impacts
    simulate_jointed_impacts = jointed_impact_functions(p).simulate_jointed_impacts
    limit_held_overlaps = held_overlap_functions(p).limit_held_overlaps

    @wp.func(inline=False)
    def begin_joints(scene: Scene, n: int, first: int, moved: int):
        """Update the directions of joints, and add the efforts on them to the forces on bodies."""
        for i in range(scene.islands.first_joint[n], scene.islands.end_joint[n]):
            j = nonnegative_index(scene.islands.joint[i])
            begin_joint(scene, scene.options[n], j, first, moved)
            apply_efforts(scene, j, scene.options[n].h, first)

    @wp.func
    def begin_loops(scene: Scene, n: int):
        """Bound the leaders of couplings, and clear the impulses of loops."""
        for i in range(scene.islands.first_group[n], scene.islands.end_group[n]):
            group = scene.islands.group[i]
            scene.system.loop_gap[group] = scalar(0.0)
            scene.system.loop_damping[group] = regularisation
            bound_leaders(scene, group)
            for k in range(scene.loops.first_row[group], scene.loops.first_row[group] + scene.loops.row_count[group]):
                scene.system.loop_impulse[k] = scalar(0.0)

    @wp.func
    def decay_of(scene: Scene, n: int, b: int) -> scalar:
        """Return the factor of an angular momentum by angular damping, which acts as long as other forces do."""
        if scene.options[n].angular_damping == scalar(0.0):
            return scalar(1.0)
        return wp.exp(-scene.options[n].angular_damping * scene.body[b].force_time)

    @wp.func
    def move_bodies(scene: Scene, n: int):
        """Advance the kinematic bodies of an island, and move the dynamic ones freely."""
        for i in range(scene.islands.first_kinematic[n], scene.islands.end_kinematic[n]):
            advance_body(scene, scene.islands.kinematic_body[i], scene.options[n].substeps_left, scene.options[n].h)
        may_go_back = scene.options[n].contacts == 1 or scene.islands.end_group[n] > scene.islands.first_group[n]
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = nonnegative_index(scene.islands.body[i])
            decay = decay_of(scene, n, b)
            move_freely(scene.bodies, scene.body[b], b, scene.options[n].h, decay, may_go_back)

    @wp.func
    def measure_twists(scene: Scene, h: scalar, n: int):
        """Measure torsional and rolling friction of the contacts of an island."""
        for i in range(scene.islands.first_row[n], scene.islands.end_row[n]):
            measure_twist(scene, scene.rows.row[scene.islands.row[i]], h)

    @wp.func
    def begin_substep(scene: Scene, n: int, first: int, moved: int):
        """Update directions and forces, move bodies freely, measure contacts, and simulate impacts."""
        h = scene.options[n].h
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = nonnegative_index(scene.islands.body[i])
            begin_body(scene.body[b], scene.state_in, b, h, first)
        begin_joints(scene, n, first, moved)
        begin_loops(scene, n)
        move_bodies(scene, n)
        measure_rows(scene, n)
        if scene.islands.jointed[n] == 1:
            limit_held_overlaps(scene, n)
        if scene.options[n].bounces == 1:
            if scene.islands.jointed[n] == 1:
                simulate_jointed_impacts(scene, n)
                limit_held_overlaps(scene, n)
            else:
                simulate_impacts(scene, n)
        if scene.rows.has_twists == 1:
            measure_twists(scene, h, n)

    @wp.func
    def per_force(scene: Scene, n: int) -> scalar:
        """Return the mean force over the step of an island for an impulse [1/s].

        Momenta lag by half a substep: after steps of another length forces act for more or less time. Bodies without
        history get the impulses of half a substep less. Substeps shortened within the step do not count: impulses over
        times that depend on each length would not add up to the change of momentum.
        """
        dt = scene.options[n].dt
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            if scene.body[b].has_no_history == 0:
                whole = dt / scalar(scene.options[n].least_substeps)
                return scalar(1.0) / (dt + half * (scene.body[b].nominal_h - whole))
        return scalar(1.0) / (dt - half * scene.options[n].h)

    @wp.func(inline=False)
    def end_substep(scene: Scene, n: int):
        """Store contact and joint data for the next substep, and add impulses to reported forces."""
        h, per_impulse = scene.options[n].h, per_force(scene, n)
        for i in range(scene.islands.first_row[n], scene.islands.end_row[n]):
            store_row(scene, scene.rows.row[scene.islands.row[i]], h, per_impulse)
            if scene.rows.has_twists == 1:
                store_twist(scene, scene.rows.row[scene.islands.row[i]], h, per_impulse)
        for i in range(scene.islands.first_joint[n], scene.islands.end_joint[n]):
            store_rates(scene, scene.islands.joint[i])
        if scene.options[n].reactions == 1:
            for i in range(scene.islands.first_joint[n], scene.islands.end_joint[n]):
                sum_wrench(scene, scene.joint[scene.islands.joint[i]], scene.islands.joint[i], h)
            for i in range(scene.islands.first_group[n], scene.islands.end_group[n]):
                group = scene.islands.group[i]
                for k in range(
                    scene.loops.first_row[group], scene.loops.first_row[group] + scene.loops.row_count[group]
                ):
                    sum_couplings(scene, k, h)

    return SimpleNamespace(begin_substep=begin_substep, end_substep=end_substep, per_force=per_force)
