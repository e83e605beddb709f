# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Sparse block Cholesky factorisation of an island's Hessian on the displacements that its joints allow.

The node of body c with a joint to parent p has the displacement d_c = A d_p + N q - E r. The columns of E are
displacements of c that change one joint coordinate by one each, those of N are the ones of free coordinates, A is rigid
motion with p, and r is the error of locked coordinates. So q is the only unknown (Featherstone 2008, chapter 7; the
null space of the locked rows). A body without a joint has N = 1.

With the node's Hessian H, blocks B_o to its neighbours o, load g and stiffness k of the coordinates, in this order:

    H_pp += A^T H A + A^T B_p + B_p^T A       H_po += A^T B_o       g_p += A^T g'      g' = g + H E r
    S = N^T H N + k = R R^T                   X_o = R^-1 N^T (B_o + H A [o = p])       y = R^-1 (N^T g' + f)
    H_oo' -= X_o^T X_o'                       g_o -= X_o^T y - B_o^T E r

Back substitution from the root gives q = R^-T (y - sum X_o d_o). All of it is in double precision.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.constraints.bounded_laws import bounded_functions
from inertia_tools.sim.kernels.motion import motion_functions
from inertia_tools.sim.kernels.precision import Precision, precision
from inertia_tools.sim.kernels.rounding import rounding_functions
from inertia_tools.sim.kernels.scene_types import scene_type
from inertia_tools.sim.solve.elimination_order import order_functions
from inertia_tools.sim.solve.joint_coordinates import coordinate_functions


@lru_cache(maxsize=2)
def factor_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    vec3 = p.vec3
    wide = precision("float64")
    wide_vec3, wide_vec6, wide_mat33, wide_mat66 = wide.vec3, wide.vec6, wide.mat33, wide.mat66
    Body, System = p.references("Body", "System")
    Node, Joint = p.references("Node", "Joint")
    is_static = motion_functions(p).is_static
    exact, link_of = rounding_functions(p).exact, order_functions(p).link_of
    law_stiffness = bounded_functions(p).law_stiffness
    joint = coordinate_functions(p)
    has_joint_coordinates, coordinate, carried = joint.has_joint_coordinates, joint.coordinate, joint.carried
    carried_load = joint.carried_load
    zero, one = wp.constant(wp.float64(0.0)), wp.constant(wp.float64(1.0))

    @wp.func
    def begin_node(scene: Scene, body: Body, node: Node, b: int):
        """Start the Hessian of a body with its own mass matrix."""
        h = wide_mat66()
        tensor = body.tensor
        for i in range(3):
            h[i, i] = wp.float64(scene.bodies.mass[b])
            for k in range(3):
                h[i + 3, k + 3] = wp.float64(tensor[i, k])
        if body.has_added_inertia == 1:
            for i in range(3):
                for k in range(3):
                    h[i + 3, k + 3] = h[i + 3, k + 3] + body.added_inertia[i, k]
        node.hessian = h
        for i in range(node.first_link, node.first_link + node.link_count):
            scene.system.is_filled[i] = int(0)

    @wp.func
    def block_of(system: System, link: int) -> wide_mat66:
        """Return a block of the Hessian between two bodies."""
        m = wide_mat66()
        if system.is_filled[link] == 1:
            m = system.block[link]
        return m

    @wp.func
    def fill_block(system: System, link: int, m: wide_mat66):
        """Set a block of the Hessian between two bodies."""
        system.block[link] = m
        system.is_filled[link] = int(1)

    @wp.func
    def add_stiffness(node: Node, arm: vec3, stiffness: wide_mat33, rotation_stiffness: wide_mat33):
        """Add the stiffness of a contact, at an arm and on rotations, to the Hessian of a body."""
        turn = wp.skew(exact(arm))
        both = turn * stiffness
        corner = both * wp.transpose(turn) + rotation_stiffness
        h = node.hessian
        for r in range(3):
            for c in range(3):
                h[r, c] = h[r, c] + stiffness[r, c]
                h[r + 3, c] = h[r + 3, c] + both[r, c]
                h[c, r + 3] = h[c, r + 3] + both[r, c]
                h[r + 3, c + 3] = h[r + 3, c + 3] + corner[r, c]
        node.hessian = h

    @wp.func
    def add_coupling(
        system: System,
        link: int,
        arm: vec3,
        other_arm: vec3,
        stiffness: wide_mat33,
        rotation_stiffness: wide_mat33,
    ):
        """Add it to the block between its two bodies; `arm` belongs to the one eliminated first."""
        turn = wp.skew(exact(arm))
        right = stiffness * wp.transpose(wp.skew(exact(other_arm)))
        below = turn * stiffness
        corner = turn * right + rotation_stiffness
        m = block_of(system, link)
        for r in range(3):
            for c in range(3):
                m[r, c] = m[r, c] - stiffness[r, c]
                m[r, c + 3] = m[r, c + 3] - right[r, c]
                m[r + 3, c] = m[r + 3, c] - below[r, c]
                m[r + 3, c + 3] = m[r + 3, c + 3] - corner[r, c]
        fill_block(system, link, m)

    @wp.func
    def lever(scene: Scene, b: int) -> wide_vec3:
        """Return the vector from the parent's centre of mass to that of a body, both on one joint."""
        j = scene.bodies.joint[b]
        return exact(scene.joint[j].arm_parent) - exact(scene.joint[j].arm_child)

    @wp.func
    def carry_columns(r: wide_vec3, m: wide_mat66) -> wide_mat66:
        """Return m A."""
        out = m
        for i in range(6):
            # row (l, a) times [1, -[r]x; 0, 1] is (l, a + r x l)
            out[i, 3] = m[i, 3] + (r[1] * m[i, 2] - r[2] * m[i, 1])
            out[i, 4] = m[i, 4] + (r[2] * m[i, 0] - r[0] * m[i, 2])
            out[i, 5] = m[i, 5] + (r[0] * m[i, 1] - r[1] * m[i, 0])
        return out

    @wp.func
    def carry_rows(r: wide_vec3, m: wide_mat66) -> wide_mat66:
        """Return A^T m."""
        out = m
        for c in range(6):
            out[3, c] = m[3, c] + (r[1] * m[2, c] - r[2] * m[1, c])
            out[4, c] = m[4, c] + (r[2] * m[0, c] - r[0] * m[2, c])
            out[5, c] = m[5, c] + (r[0] * m[1, c] - r[1] * m[0, c])
        return out

    @wp.func
    def add_block(system: System, one: int, other: int, m: wide_mat66):
        """Add to the Hessian between two bodies, with rows of the first one."""
        link = link_of(system, one, other)
        if link >= 0:
            fill_block(system, link, block_of(system, link) + m)
        else:
            link = link_of(system, other, one)
            fill_block(system, link, block_of(system, link) + wp.transpose(m))

    @wp.func
    def find_basis(node: Node, joint: Joint):
        """Write the columns of N of a body on a joint as matrix rows, and their stiffness."""
        basis = wide_mat66()
        stiffness = wide_vec6()
        count = int(0)
        for row in range(6):
            if (joint.mask & (int(1) << row)) == int(0):
                e = coordinate(joint, row)
                for i in range(6):
                    basis[count, i] = e[i]
                stiffness[count] = joint.stiffness[row] + law_stiffness(joint, row, joint.displacement[row])
                count += 1
        node.basis = basis
        node.free_count = count
        node.stiffness = stiffness

    @wp.func
    def pivot_of(node: Node, s: wide_mat66, count: int):
        """Store the Cholesky factor of a pivot, with reciprocals on its diagonal."""
        low = s
        for i in range(count):
            for j in range(i):
                t = low[i, j]
                for k in range(j):
                    t -= low[i, k] * low[j, k]
                low[i, j] = t * low[j, j]
            t = low[i, i]
            for k in range(i):
                t -= low[i, k] * low[i, k]
            low[i, i] = one / wp.sqrt(t)
        node.pivot = low

    @wp.func
    def forward_rows(low: wide_mat66, x: wide_mat66, count: int) -> wide_mat66:
        """Return R^-1 x for the first rows of a matrix."""
        out = x
        for i in range(count):
            for c in range(6):
                t = out[i, c]
                for k in range(i):
                    t -= low[i, k] * out[k, c]
                out[i, c] = t * low[i, i]
        return out

    @wp.func(inline=False)
    def factor_free(system: System, node: Node):
        """Eliminate a body without a joint: N = 1, and no parent."""
        pivot_of(node, node.hessian, 6)
        low = node.pivot
        first = node.first_link
        for n in range(first, first + node.link_count):
            if system.is_filled[n] == 1:
                system.factor_block[n] = forward_rows(low, system.block[n], 6)
        update_neighbours(system, node)

    @wp.func
    def update_neighbours(system: System, node: Node):
        """Subtract X_o^T X_o' from the Hessian of and between the neighbours of an eliminated body."""
        first = node.first_link
        for n in range(first, first + node.link_count):
            if system.is_filled[n] == 1:
                x = system.factor_block[n]
                down = wp.transpose(x)
                other = system.link_body[n]
                system.node[other].hessian = system.node[other].hessian - down * x
                for m in range(first, n):
                    if system.is_filled[m] == 1:
                        add_block(system, other, system.link_body[m], -(down * system.factor_block[m]))

    @wp.func
    def first_row(m: wide_mat66) -> wide_vec6:
        return wide_vec6(m[0, 0], m[0, 1], m[0, 2], m[0, 3], m[0, 4], m[0, 5])

    @wp.func(inline=False)
    def factor_hinge(scene: Scene, node: Node, b: int):
        """Eliminate a body on a joint with one free coordinate whose only neighbour is its parent."""
        h = node.hessian
        e = first_row(node.basis)
        load = h * e
        root = one / wp.sqrt(wp.dot(e, load) + node.stiffness[0])
        node.pivot[0, 0] = root
        if node.link_count == 1:
            r = lever(scene, b)
            x = root * carried_load(r, load)
            node.parent_block = x
            parent = scene.bodies.parent[b]
            scene.system.node[parent].hessian = scene.system.node[parent].hessian + (
                carry_rows(r, carry_columns(r, h)) - wp.outer(x, x)
            )

    @wp.func
    def forward_hinge(scene: Scene, node: Node, b: int, only_load: bool):
        """Reduce the load of such a body into that of its parent; see `forward_node`."""
        g = node.load
        load = zero
        if not only_load:
            g = g - node.hessian * node.offset
            force = scene.joint[scene.bodies.joint[b]].force
            load = force[0] + force[1] + force[2] + force[3] + force[4] + force[5]
        y = node.pivot[0, 0] * (wp.dot(first_row(node.basis), g) + load)
        node.reduced_load[0] = y
        if node.link_count == 1:
            parent = scene.bodies.parent[b]
            scene.system.node[parent].load = scene.system.node[parent].load + (
                carried_load(lever(scene, b), g) - y * node.parent_block
            )

    @wp.func
    def backward_hinge(scene: Scene, node: Node, b: int, only_load: bool):
        """Compute the displacement of such a body from that of its parent."""
        q = node.reduced_load[0]
        d = wide_vec6()
        if not only_load:
            d = node.offset
        if node.link_count == 1:
            of_parent = scene.system.step[scene.bodies.parent[b]]
            q = q - wp.dot(node.parent_block, of_parent)
            d = d + carried(lever(scene, b), of_parent)
        scene.system.step[b] = d + (node.pivot[0, 0] * q) * first_row(node.basis)

    @wp.func(inline=False)
    def factor_jointed(scene: Scene, node: Node, b: int):
        """Eliminate a body in the coordinates of its joint."""
        count = node.free_count
        basis = node.basis
        h = node.hessian
        s = basis * h * wp.transpose(basis)
        for i in range(count):
            s[i, i] = s[i, i] + node.stiffness[i]
        pivot_of(node, s, count)
        low = node.pivot
        parent = scene.bodies.parent[b]
        first = node.first_link
        end = first + node.link_count
        if is_static(scene.bodies, parent):
            for n in range(first, end):
                if scene.system.is_filled[n] == 1:
                    scene.system.factor_block[n] = forward_rows(low, basis * scene.system.block[n], count)
        else:
            r = lever(scene, b)
            carried_hessian = carry_columns(r, h)
            of_parent = wide_mat66()
            for n in range(first, end):
                other = scene.system.link_body[n]
                m = block_of(scene.system, n)
                if other == parent:
                    up = carry_rows(r, m)
                    of_parent = up + wp.transpose(up)
                    fill_block(scene.system, n, m)
                    m = m + carried_hessian
                elif scene.system.is_filled[n] == 1:
                    add_block(scene.system, parent, other, carry_rows(r, m))
                if scene.system.is_filled[n] == 1:
                    scene.system.factor_block[n] = forward_rows(low, basis * m, count)
            scene.system.node[parent].hessian = scene.system.node[parent].hessian + (
                carry_rows(r, carried_hessian) + of_parent
            )
        update_neighbours(scene.system, node)

    @wp.func
    def is_uncoupled(system: System, node: Node) -> bool:
        """Return whether no contact lies between a body and its one neighbour."""
        return node.link_count == 0 or system.is_filled[node.first_link] == 0

    @wp.func
    def factor_node(scene: Scene, node: Node, b: int):
        """Eliminate a body."""
        node.is_hinge = int(0)
        if has_joint_coordinates(scene, b):
            find_basis(node, scene.joint[scene.bodies.joint[b]])
            has_only_parent = node.link_count == 0 or (
                node.link_count == 1 and not is_static(scene.bodies, scene.bodies.parent[b])
            )
            if node.free_count == 1 and has_only_parent and is_uncoupled(scene.system, node):
                node.is_hinge = int(1)
                factor_hinge(scene, node, b)
            else:
                factor_jointed(scene, node, b)
        else:
            factor_free(scene.system, node)

    @wp.func
    def factor_island(scene: Scene, n: int):
        """Factorise the assembled Hessian of an island."""
        for i in range(scene.islands.first_body[n], scene.islands.end_body[n]):
            b = scene.islands.order[i]
            factor_node(scene, scene.system.node[b], b)

    @wp.func(inline=False)
    def forward_node(scene: Scene, node: Node, b: int, only_load: bool):
        """Reduce the load of a body into those of its neighbours; `only_load` leaves out joint errors and forces."""
        g = node.load
        y = g
        first = node.first_link
        end = first + node.link_count
        count = int(6)
        if has_joint_coordinates(scene, b):
            j = scene.bodies.joint[b]
            count = node.free_count
            offset = node.offset
            has_error = wp.dot(offset, offset) > zero and not only_load
            if has_error:
                g = g - node.hessian * offset
                for n in range(first, end):
                    if scene.system.is_filled[n] == 1:
                        other = scene.system.link_body[n]
                        scene.system.node[other].load = (
                            scene.system.node[other].load - wp.transpose(scene.system.block[n]) * offset
                        )
            parent = scene.bodies.parent[b]
            if not is_static(scene.bodies, parent):
                scene.system.node[parent].load = scene.system.node[parent].load + carried_load(lever(scene, b), g)
            y = node.basis * g
            place = int(0)
            if not only_load:
                for row in range(6):
                    if (scene.joint[j].mask & (int(1) << row)) == int(0):
                        y[place] = y[place] + scene.joint[j].force[row]
                        place += 1
        low = node.pivot
        for i in range(count):
            t = y[i]
            for k in range(i):
                t -= low[i, k] * y[k]
            y[i] = t * low[i, i]
        for i in range(count, 6):
            y[i] = zero
        node.reduced_load = y
        for n in range(first, end):
            if scene.system.is_filled[n] == 1:
                other = scene.system.link_body[n]
                down = wp.transpose(scene.system.factor_block[n])
                scene.system.node[other].load = scene.system.node[other].load - down * y

    @wp.func(inline=False)
    def backward_node(scene: Scene, node: Node, b: int, only_load: bool):
        """Compute the displacement of a body from those of its neighbours."""
        y = node.reduced_load
        first = node.first_link
        for n in range(first, first + node.link_count):
            if scene.system.is_filled[n] == 1:
                y = y - scene.system.factor_block[n] * scene.system.step[scene.system.link_body[n]]
        count = int(6)
        jointed = has_joint_coordinates(scene, b)
        if jointed:
            count = node.free_count
        low = node.pivot
        for r in range(count):
            i = count - 1 - r
            t = y[i]
            for k in range(i + 1, count):
                t -= low[k, i] * y[k]
            y[i] = t * low[i, i]
        if jointed:
            for i in range(count, 6):
                y[i] = zero
            d = wp.transpose(node.basis) * y
            if not only_load:
                d = d + node.offset
            parent = scene.bodies.parent[b]
            if not is_static(scene.bodies, parent):
                d = d + carried(lever(scene, b), scene.system.step[parent])
            scene.system.step[b] = d
        else:
            scene.system.step[b] = y

    @wp.func
    def substitute(scene: Scene, n: int, only_load: bool):
        """Reduce all loads, then compute all displacements."""
        first, end = scene.islands.first_body[n], scene.islands.end_body[n]
        for i in range(first, end):
            b = scene.islands.order[i]
            if scene.system.node[b].is_hinge == 1:
                forward_hinge(scene, scene.system.node[b], b, only_load)
            else:
                forward_node(scene, scene.system.node[b], b, only_load)
        for i in range(first, end):
            b = scene.islands.order[first + end - 1 - i]
            if scene.system.node[b].is_hinge == 1:
                backward_hinge(scene, scene.system.node[b], b, only_load)
            else:
                backward_node(scene, scene.system.node[b], b, only_load)

    @wp.func
    def solve_island(scene: Scene, n: int):
        """Compute the displacements `System.step` of an island for the loads `Node.load`, which are consumed."""
        substitute(scene, n, False)

    @wp.func
    def solve_loads(scene: Scene, n: int):
        """Compute the response of an island to loads alone, without the errors and spring forces of its joints."""
        substitute(scene, n, True)

    return SimpleNamespace(
        begin_node=begin_node,
        add_stiffness=add_stiffness,
        add_coupling=add_coupling,
        factor_island=factor_island,
        solve_island=solve_island,
        solve_loads=solve_loads,
    )
