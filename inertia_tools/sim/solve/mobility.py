# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mobility of bodies near particles, with joints and contacts in their present state.

The mobility of a body is its block of the inverse Hessian at the minimum that Newton's method has found: the
displacement by a load on it alone, times the square of the substep. The solve of soft bodies (`sim/soft`) uses it for
the bodies that particles push: with joints or supports they do not respond as free bodies. The blocks between two
bodies of a cluster, such as two links of a robot, couple their responses.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.kernels.joint_axes import axes_functions
from inertia_tools.sim.kernels.precision import Precision, precision
from inertia_tools.sim.kernels.rounding import rounding_functions
from inertia_tools.sim.kernels.scene_types import scene_type
from inertia_tools.sim.solve.factorisation import factor_functions


@lru_cache(maxsize=2)
def mobility_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    scalar, wide_vec6 = p.scalar, precision("float64").vec6
    (Body,) = p.references("Body")
    exact, joined = rounding_functions(p).exact, axes_functions(precision("float64")).joined
    solve_loads, one = factor_functions(p).solve_loads, wp.constant(wp.float64(1.0))

    @wp.func
    def store_response(scene: Scene, n: int, b: int, k: int):
        """Store the displacements of a body, and of those before it in its cluster, by a unit load on it.

        Args:
            scene: The scene.
            n: The island.
            b: The body.
            k: Component of the load.
        """
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            scene.system.node[scene.islands.body[i]].load = wide_vec6()
        unit = wide_vec6()
        unit[k] = one
        scene.system.node[b].load = unit
        solve_loads(scene, n)
        for r in range(6):
            scene.state_out.mobility[b][r, k] = scene.system.step[b][r]
        c, place = scene.clusters.of_body[b], scene.clusters.place[b]
        if scene.clusters.first_pair[c] >= 0:
            for i in range(place):
                other = scene.clusters.body[scene.clusters.first_body[c] + i]
                if scene.state_in.near_particles[other] > 0:
                    pair = scene.clusters.first_pair[c] + place * (place - 1) // 2 + i
                    for r in range(6):
                        scene.state_out.coupling[pair][k, r] = scene.system.step[other][r]

    @wp.func
    def momentum_gain(body: Body, mass: scalar) -> wide_vec6:
        """Return the momenta that a body has gained in this substep."""
        return joined(wp.float64(mass) * exact(body.v - body.v_before), exact(body.spin - body.spin_before))

    @wp.func
    def predict_gains(scene: Scene, n: int):
        """Store the velocity changes expected of bodies: the response of joints and contacts to their last gains.

        Dampers and springs respond to growing velocity: with m v' = f - c v each substep gains m / (m + h c) times as
        much as the last one.
        """
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            scene.system.node[b].load = momentum_gain(scene.body[b], scene.bodies.mass[b])
        solve_loads(scene, n)
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            if scene.state_out.near_particles[b] == 2:
                scene.state_out.expected_gain[b] = scene.system.step[b]

    @wp.func(inline=False)
    def update_mobility(scene: Scene, n: int, is_solved: bool):
        """Store the mobilities of bodies near particles, unless they have no contact or joint.

        Where nothing is solved, as the island is still, the last mobility stays: with particles, a state is stepped in
        place.

        Args:
            scene: The scene.
            n: The island.
            is_solved: Its Hessian has been factorised in this substep.
        """
        moves_alone = scene.islands.end_working[n] == scene.islands.first_row[n] and scene.islands.jointed[n] == 0
        found = bool(False)
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.body[i]
            if scene.state_in.near_particles[b] > 0:
                scene.state_out.expected_gain[b] = wide_vec6()
                if moves_alone:
                    scene.state_out.near_particles[b] = 1
                elif is_solved:
                    for k in range(6):
                        store_response(scene, n, b, k)
                    scene.state_out.near_particles[b] = 2
                    found = True
        if found:
            predict_gains(scene, n)

    return SimpleNamespace(update_mobility=update_mobility)
