# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Joints of all trees of bodies at once, by a direct solve whose cost grows with the number of bodies.

Each joint holds up to six rows J_c d_c + J_p d_p = -C, with a compliance on the row of a drive. Minimising the kinetic
metric of the displacements d under these rows is a linear system with the tree's own sparsity. Going from the leaves
to the roots, each child is eliminated into its parent, which gains the mass matrix J_p^T S J_p with
S = (J_c M_c^-1 J_c^T + alpha)^-1; going back, multipliers and displacements follow (Baraff 1996; the recursion is
that of articulated-body inertia, Featherstone 1983). Directions are frozen at the start of the substep, which keeps
energy as SHAKE does (Ryckaert, Ciccotti and Berendsen 1977). Multipliers act at one point on both bodies.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.precision import Precision
from inertia_tools.sim.xpbd.motion import motion_functions

FREE_BODY = -2
"""Stands for the parent of a body that no joint holds."""


@lru_cache(maxsize=2)
def joint_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3, vec6, quat, mat33, mat66 = p.scalar, p.vec3, p.vec6, p.quat, p.mat33, p.mat66
    Bodies, Control, Work = p.Bodies, p.Control, p.Work
    motion = motion_functions(p)
    turned, world_tensor, stays = motion.turned, motion.world_tensor, motion.stays
    pi = wp.constant(scalar(3.14159265358979323846))
    free_body = wp.constant(FREE_BODY)

    @wp.func
    def inverse(a: mat66) -> mat66:
        """Invert a symmetric positive definite matrix (Cholesky)."""
        low = mat66()
        for i in range(6):
            for j in range(i + 1):
                s = a[i, j]
                for k in range(j):
                    s -= low[i, k] * low[j, k]
                if i == j:
                    low[i, i] = wp.sqrt(s)
                else:
                    low[i, j] = s / low[j, j]
        down = mat66()  # inverse of the lower factor
        for c in range(6):
            down[c, c] = scalar(1.0) / low[c, c]
            for i in range(c + 1, 6):
                s = scalar(0.0)
                for k in range(c, i):
                    s -= low[i, k] * down[k, c]
                down[i, c] = s / low[i, i]
        return wp.transpose(down) * down

    @wp.func
    def carry(axes: mat33, arm: vec3) -> mat66:
        """Return the rows that read displacement at an arm, and rotation, along the rows of `axes`."""
        across = axes * wp.skew(arm)
        j = mat66()
        for i in range(3):
            for k in range(3):
                j[i, k] = axes[i, k]
                j[i, k + 3] = -across[i, k]
                j[i + 3, k + 3] = axes[i, k]
        return j

    @wp.func
    def own_mass_matrix(bodies: Bodies, b: int, q: quat) -> mat66:
        tensor = world_tensor(q, bodies.inertia[b])
        m = mat66()
        for i in range(3):
            m[i, i] = bodies.mass[b]
            for k in range(3):
                m[i + 3, k + 3] = tensor[i, k]
        return m

    @wp.func
    def parent_frame(bodies: Bodies, work: Work, b: int) -> quat:
        """Return the joint's frame as the parent carries it."""
        parent = bodies.parent[b]
        if parent < 0:
            return bodies.parent_frame[b]
        return work.r[parent] * bodies.parent_frame[b]

    @wp.func
    def parent_point(bodies: Bodies, work: Work, b: int) -> vec3:
        """Return the joint's origin as the parent carries it."""
        parent = bodies.parent[b]
        if parent < 0:
            return bodies.parent_point[b]
        return work.x[parent] + wp.quat_rotate(work.r[parent], bodies.parent_point[b])

    @wp.func
    def child_point(bodies: Bodies, work: Work, b: int) -> vec3:
        return work.x[b] + wp.quat_rotate(work.r[b], bodies.child_point[b])

    @wp.func
    def freeze(bodies: Bodies, work: Work, b: int):
        """Take the directions of a joint from the present poses."""
        work.at_limit[b] = int(0)
        work.multiplier[b] = vec6()
        parent = bodies.parent[b]
        if parent != free_body:
            axes = wp.transpose(wp.quat_to_matrix(parent_frame(bodies, work, b)))
            point = child_point(bodies, work, b)
            work.jacobian_child[b] = carry(axes, point - work.x[b])
            if parent >= 0:
                work.jacobian_parent[b] = scalar(-1.0) * carry(axes, point - work.x[parent])

    @wp.func
    def drive_effort(bodies: Bodies, control: Control, work: Work, b: int):
        """Add the effort on a joint's coordinate to the forces on both bodies."""
        effort = control.effort[b]
        row = bodies.coordinate[b]
        if row >= 0 and effort != scalar(0.0):
            unit = vec6()
            unit[row] = effort
            work.force[b] = work.force[b] + wp.transpose(work.jacobian_child[b]) * unit
            parent = bodies.parent[b]
            if parent >= 0:
                work.force[parent] = work.force[parent] + wp.transpose(work.jacobian_parent[b]) * unit

    @wp.func
    def wrapped(angle: scalar) -> scalar:
        """Bring an angle into one turn about zero."""
        return angle - scalar(2.0) * pi * wp.round(angle / (scalar(2.0) * pi))

    @wp.func
    def measure(bodies: Bodies, work: Work, b: int) -> vec6:
        """Return how far the child's joint frame is from the parent's; keep the coordinate, turns counted."""
        frame = parent_frame(bodies, work, b)
        off = wp.quat_rotate_inv(frame, child_point(bodies, work, b) - parent_point(bodies, work, b))
        rel = wp.quat_inverse(frame) * (work.r[b] * bodies.child_frame[b])
        twist = scalar(2.0) * wp.atan2(rel[0], rel[3])
        error = vec6()
        row = bodies.coordinate[b]
        angle = scalar(0.0)
        if row == 3:
            angle = wrapped(twist)
        back = quat(-wp.sin(scalar(0.5) * angle), scalar(0.0), scalar(0.0), wp.cos(scalar(0.5) * angle))
        swing = rel * back
        side = scalar(2.0)
        if swing[3] < scalar(0.0):
            side = scalar(-2.0)
        for i in range(3):
            error[i] = off[i]
            error[i + 3] = side * swing[i]
        if row == 3:
            error[3] = work.coordinate[b] + wrapped(twist - work.coordinate[b])
        if row >= 0:
            work.coordinate[b] = error[row]
        return error

    @wp.func
    def eliminate(bodies: Bodies, control: Control, work: Work, b: int, h: scalar, last: int):
        """Reduce a child, its own children already eliminated, into its parent."""
        parent = bodies.parent[b]
        work.inv_mass_matrix[b] = inverse(work.mass_matrix[b])
        if parent == free_body:
            return
        error = measure(bodies, work, b)
        row = bodies.coordinate[b]
        mask = bodies.mask[b]
        compliance = scalar(0.0)
        if row >= 0:
            stiff = control.stiffness[b] * h * h
            damp = (control.damping[b] + bodies.damping[b]) * h
            total = stiff + damp
            q = error[row]
            if wp.isinf(stiff):
                mask = mask | (int(1) << row)
                error[row] = q - control.target[b]
            elif (q < bodies.lower[b] or q > bodies.upper[b]) and (last == 1 or total == scalar(0.0)):
                mask = mask | (int(1) << row)
                work.at_limit[b] = int(1)
                error[row] = q - wp.clamp(q, bodies.lower[b], bodies.upper[b])
            elif total > scalar(0.0) and work.at_limit[b] == 0:
                mask = mask | (int(1) << row)
                rest = work.coordinate0[b] + h * control.target_rate[b] * (
                    control.damping[b] / (control.damping[b] + bodies.damping[b] + scalar(1.0e-30))
                )
                goal = (stiff * control.target[b] + damp * rest) / total
                compliance = scalar(1.0) / total
                error[row] = q - goal + compliance * work.multiplier[b][row]
        jc = work.jacobian_child[b]
        a = jc * work.inv_mass_matrix[b] * wp.transpose(jc)
        if row >= 0:
            a[row, row] = a[row, row] + compliance
        for i in range(6):
            if (mask & (int(1) << i)) == 0:
                error[i] = scalar(0.0)
                for k in range(6):
                    a[i, k] = scalar(0.0)
                    a[k, i] = scalar(0.0)
                a[i, i] = scalar(1.0)
        s = inverse(a)
        for i in range(6):
            if (mask & (int(1) << i)) == 0:
                s[i, i] = scalar(0.0)
        g = error + jc * (work.inv_mass_matrix[b] * work.load[b])
        work.response[b] = s
        work.error[b] = g
        if not stays(bodies, parent):
            jp = work.jacobian_parent[b]
            work.mass_matrix[parent] = work.mass_matrix[parent] + wp.transpose(jp) * s * jp
            work.load[parent] = work.load[parent] - wp.transpose(jp) * (s * g)

    @wp.func
    def resolve(bodies: Bodies, work: Work, b: int):
        """Find the displacement of a body, its parent's being known."""
        parent = bodies.parent[b]
        pull = work.load[b]
        if parent != free_body:
            g = work.error[b]
            if parent >= 0:
                g = g + work.jacobian_parent[b] * work.move[parent]
            step = scalar(-1.0) * (work.response[b] * g)
            work.multiplier[b] = work.multiplier[b] + step
            pull = pull + wp.transpose(work.jacobian_child[b]) * step
        work.move[b] = work.inv_mass_matrix[b] * pull

    @wp.func
    def displace(bodies: Bodies, work: Work, b: int, h: scalar):
        """Move a body, and its momenta with it."""
        move = work.move[b]
        lin = vec3(move[0], move[1], move[2])
        ang = vec3(move[3], move[4], move[5])
        work.x[b] = work.x[b] + lin
        work.v[b] = work.v[b] + lin / h
        work.spin[b] = work.spin[b] + world_tensor(work.r0[b], bodies.inertia[b]) * (ang / h)
        work.r[b] = turned(work.r[b], ang)

    @wp.func
    def prepare(bodies: Bodies, work: Work, b: int):
        """Begin a solve with a body's own mass and no load."""
        work.move[b] = vec6()
        work.load[b] = vec6()
        if bodies.inv_mass[b] > scalar(0.0):
            work.mass_matrix[b] = own_mass_matrix(bodies, b, work.r0[b])

    @wp.func
    def solve(bodies: Bodies, control: Control, work: Work, h: scalar, last: int):
        """Solve all joints once, and move the bodies."""
        for i in range(bodies.count):
            b = bodies.order[bodies.count - 1 - i]
            if bodies.inv_mass[b] > scalar(0.0):
                eliminate(bodies, control, work, b, h, last)
        for i in range(bodies.count):
            b = bodies.order[i]
            if bodies.inv_mass[b] > scalar(0.0):
                resolve(bodies, work, b)
                displace(bodies, work, b, h)

    return SimpleNamespace(freeze=freeze, drive_effort=drive_effort, measure=measure, prepare=prepare, solve=solve)
