# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Kinetic energy that the iterates have given an island with loops, beyond what its forces and laws can do.

Constraints do no work: they project free motion onto the motion that they allow, which has no more energy. Near a
change point, where the rows of loops depend on each other, the linear step of a small error is a large displacement,
and closed poses exist far away as well as nearby. Such a step throws the bodies.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.constraints.joint_laws import joint_law_functions
from inertia_tools.sim.kernels.constants import LARGEST_ENERGY_GAIN, RECOVERY_SPEED
from inertia_tools.sim.kernels.joint_axes import axes_functions
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.scene_types import scene_type


@lru_cache(maxsize=2)
def energy_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar, vec3 = p.scalar, p.vec3
    Bodies, Body = p.references("Bodies", "Body")
    linear, angular = axes_functions(p).linear, axes_functions(p).angular
    motion, stiffness_of = motion_functions(p), joint_law_functions(p).stiffness_of
    is_static, square_of_speed = motion.is_static, motion.square_of_speed
    half, most = wp.constant(wp.float64(0.5)), wp.constant(wp.float64(LARGEST_ENERGY_GAIN))
    recovery = wp.constant(wp.float64(0.5 * RECOVERY_SPEED * RECOVERY_SPEED))

    @wp.func
    def kinetic_energy(bodies: Bodies, body: Body, b: int, v: vec3, spin: vec3) -> wp.float64:
        """Return the kinetic energy of a body with given momenta [J]."""
        return half * wp.float64(bodies.mass[b] * square_of_speed(bodies, body, b, v, spin))

    @wp.func
    def free_energy(bodies: Bodies, body: Body, b: int) -> wp.float64:
        """Return the kinetic energy of a body after free motion, all applied forces included [J]."""
        deferred = body.deferred_load / body.h
        v, spin = body.v_free + bodies.inv_mass[b] * linear(deferred), body.spin_free + angular(deferred)
        return kinetic_energy(bodies, body, b, v, spin)

    @wp.func
    def stored_energy(scene: Scene, d: int) -> wp.float64:
        """Return the energy that drive, spring and rotor of a degree of freedom can give its bodies [J]."""
        follows_rate = scene.joints.target_kd[d] * scene.control.target_vel[d] != scalar(0.0)
        if follows_rate or wp.isinf(scene.joints.target_ke[d]):
            return wp.float64(wp.inf)
        of_drive, of_spring = scene.dof[d].q0 - scene.dof[d].target, scene.dof[d].q0 - scene.dof[d].spring_rest
        rate = wp.float64(scene.dof[d].rate0)
        total = wp.float64(stiffness_of(scene.joints, d)) * of_drive * of_drive
        total += wp.float64(scene.joints.stiffness[d]) * of_spring * of_spring
        return half * (total + wp.float64(scene.joints.armature[d]) * rate * rate)

    @wp.func(inline=False)
    def gains_energy(scene: Scene, n: int) -> bool:
        """Return whether the iterates have given an island more energy than it can have, or numbers that are none.

        Kinematic bodies may push an island, targets of positions and velocities move it, and joints that began apart
        close: then there is no bound. Small errors from the start of the substep may be recovered at the speed of old
        overlaps.
        """
        available, least, now = wp.float64(0.0), wp.float64(0.0), wp.float64(0.0)
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            if not is_static(scene.bodies, b):
                available += free_energy(scene.bodies, scene.body[b], b)
                now += kinetic_energy(scene.bodies, scene.body[b], b, scene.body[b].v, scene.body[b].spin)
                least += recovery * wp.float64(scene.bodies.mass[b])
        available = wp.max(available, least)
        if scene.islands.in_lockstep[n] == 1:
            available = wp.float64(wp.inf)
        for i in range(scene.islands.first_joint[n], scene.islands.end_joint[n]):
            j = scene.islands.joint[i]
            if wp.length_sq(scene.joint[j].allowed_gap) > scalar(0.0):
                available = wp.float64(wp.inf)
            for k in range(scene.joints.dof_number[j]):
                available += stored_energy(scene, scene.joints.first_dof[j] + k)
        return not now <= most * available

    return SimpleNamespace(gains_energy=gains_energy)
