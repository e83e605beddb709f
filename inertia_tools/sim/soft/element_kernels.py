# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Kernels of elements: forces at the start of a substep, and gradients and stiffness at the iterates."""

import warp as wp

from inertia_tools.kernel_loading import MODULE_OPTIONS
from inertia_tools.sim.soft.elements import (
    Elements,
    SolidSources,
    cofactor,
    hinge_angle,
    hinge_gradients,
    implicit_damping,
    membrane_energy,
    membrane_gradient,
    membrane_stress,
    nearest_rotation,
    next_weight,
    rest_ratio,
    solid_energy,
    solid_stress,
    tensile_part,
    wrapped,
)
from inertia_tools.sim.soft.work import Matrix, Particles, Sum

wp.set_module_options(MODULE_OPTIONS)

ENERGY = wp.constant(int(Sum.ENERGY))

FAR = wp.constant(wp.float64(0.1))
"""Square of the strain above which a solid element no longer uses its stiffness at rest."""


@wp.func
def add_element_force(particles: Particles, i: int, force: wp.vec3d, share: wp.float64):
    """Add the force of an element at the start of a substep, and its explicit part."""
    wp.atomic_add(particles.elastic, i, force)
    wp.atomic_add(particles.loose, i, (wp.float64(1.0) - share) * force)


@wp.kernel
def start_springs(elements: Elements, particles: Particles, h: wp.float64):
    """Compute the forces of springs at the start of the substep, and the explicit part of their damping."""
    s = wp.tid()
    i, j = elements.spring[2 * s], elements.spring[2 * s + 1]
    d = particles.start[j] - particles.start[i]
    length = wp.length(d)
    if length > wp.float64(0.0):
        n = d / length
        share = elements.spring_share[s]
        force = elements.spring_stiffness[s] * (length - elements.spring_length[s]) * n
        add_element_force(particles, i, force, share)
        add_element_force(particles, j, -force, share)
        c = elements.spring_damping[s]
        if c > wp.float64(0.0):
            implicit = implicit_damping(h * c * elements.spring_mobility[s])
            explicit = (wp.float64(1.0) - implicit) * c * wp.dot(particles.v[j] - particles.v[i], n) * n
            wp.atomic_add(particles.force, i, explicit)
            wp.atomic_add(particles.force, j, -explicit)


@wp.func
def air_force(
    particles: Particles, i: int, j: int, k: int, drag: wp.float64, lift: wp.float64, h: wp.float64
) -> wp.vec3d:
    """Return the force of still air on a triangle [N].

    Drag is drag A |n.v| v, against the motion. Lift is lift A v^2 times the angle between the motion and the plane,
    along the normal and against the motion. Both are limited so that no substep reverses the motion.
    """
    v = (particles.v[i] + particles.v[j] + particles.v[k]) / wp.float64(3.0)
    speed = wp.length(v)
    if speed == wp.float64(0.0):
        return wp.vec3d()
    normal = wp.cross(particles.start[j] - particles.start[i], particles.start[k] - particles.start[i])
    area = wp.float64(0.5) * wp.length(normal)
    n = wp.normalize(normal)
    facing = wp.clamp(wp.dot(n, v) / speed, wp.float64(-1.0), wp.float64(1.0))
    force = -drag * area * wp.abs(facing) * speed * v - lift * area * speed * speed * wp.asin(facing) * n
    mass = particles.mass[i] + particles.mass[j] + particles.mass[k]
    return force / (wp.float64(1.0) + h * wp.length(force) / (mass * speed))


@wp.func
def is_slack(material: wp.array2d(dtype=wp.float64), t: int) -> bool:
    """Return whether a membrane has no stiffness and no damping.

    Such a membrane only carries air, contacts or a picture.
    """
    return material[t, 0] == wp.float64(0.0) and material[t, 1] == wp.float64(0.0) and material[t, 2] == wp.float64(0.0)


@wp.kernel
def start_triangles(elements: Elements, particles: Particles, h: wp.float64):
    """Compute the forces of membranes, and of air, at the start of the substep."""
    t = wp.tid()
    drag, lift = elements.triangle_material[t, 3], elements.triangle_material[t, 4]
    meets_air = drag > wp.float64(0.0) or lift > wp.float64(0.0)
    if is_slack(elements.triangle_material, t) and not meets_air:
        return
    i, j, k = elements.triangle[t, 0], elements.triangle[t, 1], elements.triangle[t, 2]
    pose, material = elements.triangle_pose[t], elements.triangle_material
    f = membrane_gradient(particles.start[i], particles.start[j], particles.start[k], pose)
    stress = membrane_stress(f, material[t, 0], material[t, 1], elements.triangle_activation[t])
    forces = -elements.triangle_area[t] * (f * stress) * wp.transpose(pose)
    fj = wp.vec3d(forces[0, 0], forces[1, 0], forces[2, 0])
    fk = wp.vec3d(forces[0, 1], forces[1, 1], forces[2, 1])
    share = elements.triangle_share[t]
    add_element_force(particles, i, -fj - fk, share)
    add_element_force(particles, j, fj, share)
    add_element_force(particles, k, fk, share)
    if meets_air:
        air = air_force(particles, i, j, k, drag, lift, h)
        for n in range(3):
            wp.atomic_add(particles.around, elements.triangle[t, n], air / wp.float64(3.0))


@wp.func
def is_bent(edges: wp.array2d(dtype=wp.int32), material: wp.array2d(dtype=wp.float64), e: int) -> bool:
    """Return whether an edge lies between two triangles and has stiffness or damping."""
    acts = material[e, 0] > wp.float64(0.0) or material[e, 1] > wp.float64(0.0)
    return edges[e, 0] >= 0 and edges[e, 1] >= 0 and acts


@wp.kernel
def start_edges(elements: Elements, particles: Particles, h: wp.float64):
    """Compute the forces of bending edges at the start of the substep."""
    e = wp.tid()
    i, j, k, m = elements.edge[e, 0], elements.edge[e, 1], elements.edge[e, 2], elements.edge[e, 3]
    stiffness = elements.edge_material[e, 0]
    if is_bent(elements.edge, elements.edge_material, e):
        xi, xj, xk, xl = particles.start[i], particles.start[j], particles.start[k], particles.start[m]
        angle = hinge_angle(xi, xj, xk, xl)
        elements.edge_start[e] = angle
        off = stiffness * wrapped(angle - elements.edge_angle[e])
        share = elements.edge_share[e]
        gradients = hinge_gradients(xi, xj, xk, xl)
        for a in range(4):
            add_element_force(particles, elements.edge[e, a], -off * gradients[a], share)


@wp.kernel
def average_materials(sources: SolidSources, activations: wp.array(dtype=wp.float64), elements: Elements):
    """Compute materials and activations of solid elements as means over tetrahedra."""
    s = wp.tid()
    mean, activation = wp.vec3d(), wp.float64(0.0)
    for k in range(sources.first[s], sources.first[s + 1]):
        t, weight = sources.tet[k], sources.weight[k]
        given = sources.material
        mean += weight * wp.vec3d(given[t, 0], given[t, 1], given[t, 2])
        activation += weight * activations[t]
    elements.solid_material[s] = wp.cw_mul(sources.factor[s], mean)
    elements.solid_activation[s] = activation


@wp.func
def deformation(elements: Elements, x: wp.array(dtype=wp.vec3d), s: int) -> wp.mat33d:
    """Return the deformation gradient of a solid element."""
    first = elements.solid_first[s]
    x0 = x[elements.solid_corner[first]]
    f = wp.mat33d()
    for k in range(first + 1, elements.solid_first[s + 1]):
        f += wp.outer(x[elements.solid_corner[k]] - x0, elements.solid_slope[k])
    return f


@wp.kernel
def start_solids(elements: Elements, particles: Particles, h: wp.float64):
    """Compute the forces and rotations of solid elements at the start of the substep."""
    s = wp.tid()
    f = deformation(elements, particles.start, s)
    elements.solid_start[s] = f
    elements.solid_turn[s] = nearest_rotation(f, elements.solid_turn[s])
    material = elements.solid_material[s]
    stress = -elements.solid_volume[s] * solid_stress(f, material[0], material[1], elements.solid_activation[s])
    share = elements.solid_share[s]
    for k in range(elements.solid_first[s], elements.solid_first[s + 1]):
        add_element_force(particles, elements.solid_corner[k], stress * elements.solid_slope[k], share)


@wp.kernel
def spring_gradient(elements: Elements, particles: Particles, sums: wp.array(dtype=wp.float64), h: wp.float64):
    """Add the energy and the gradient of springs, times h^2."""
    s = wp.tid()
    i, j = elements.spring[2 * s], elements.spring[2 * s + 1]
    d = particles.x[j] - particles.x[i]
    length = wp.length(d)
    stiffness = next_weight(elements.spring_share[s]) * elements.spring_stiffness[s]
    off = length - elements.spring_length[s]
    pull = wp.vec3d()
    if length > wp.float64(0.0):
        pull = stiffness * off / length * d
    energy = wp.float64(0.5) * stiffness * off * off
    c = elements.spring_damping[s]
    if c > wp.float64(0.0):
        n = wp.normalize(particles.start[j] - particles.start[i])
        implicit = implicit_damping(h * c * elements.spring_mobility[s]) * c / h
        motion = wp.dot(d - particles.start[j] + particles.start[i], n)
        pull += implicit * motion * n
        energy += wp.float64(0.5) * implicit * motion * motion
    wp.atomic_sub(particles.gradient, i, h * h * pull)
    wp.atomic_add(particles.gradient, j, h * h * pull)
    wp.atomic_add(sums, ENERGY, h * h * energy)


@wp.kernel
def triangle_gradient(elements: Elements, particles: Particles, sums: wp.array(dtype=wp.float64), h: wp.float64):
    """Add the energy and the gradient of membranes, times h^2."""
    t = wp.tid()
    if is_slack(elements.triangle_material, t):
        return
    i, j, k = elements.triangle[t, 0], elements.triangle[t, 1], elements.triangle[t, 2]
    pose, material = elements.triangle_pose[t], elements.triangle_material
    f = membrane_gradient(particles.x[i], particles.x[j], particles.x[k], pose)
    mu, lam, activation = material[t, 0], material[t, 1], elements.triangle_activation[t]
    weight = h * h * elements.triangle_area[t] * next_weight(elements.triangle_share[t])
    stress = weight * (f * membrane_stress(f, mu, lam, activation))
    energy = weight * membrane_energy(f, mu, lam, activation)
    c = material[t, 2]
    if c > wp.float64(0.0):
        start_gradient = membrane_gradient(particles.start[i], particles.start[j], particles.start[k], pose)
        motion = f - start_gradient
        projected = wp.transpose(start_gradient) * motion
        rate = projected + wp.transpose(projected)
        stress += h * c * elements.triangle_area[t] * (start_gradient * rate)
        energy += wp.float64(0.25) * h * c * elements.triangle_area[t] * wp.ddot(rate, rate)
    gradients = stress * wp.transpose(pose)
    gj = wp.vec3d(gradients[0, 0], gradients[1, 0], gradients[2, 0])
    gk = wp.vec3d(gradients[0, 1], gradients[1, 1], gradients[2, 1])
    wp.atomic_sub(particles.gradient, i, gj + gk)
    wp.atomic_add(particles.gradient, j, gj)
    wp.atomic_add(particles.gradient, k, gk)
    wp.atomic_add(sums, ENERGY, energy)


@wp.kernel
def edge_gradient(elements: Elements, particles: Particles, sums: wp.array(dtype=wp.float64), h: wp.float64):
    """Add the energy and the gradient of bending edges, times h^2."""
    e = wp.tid()
    i, j, k, m = elements.edge[e, 0], elements.edge[e, 1], elements.edge[e, 2], elements.edge[e, 3]
    stiffness = elements.edge_material[e, 0]
    if is_bent(elements.edge, elements.edge_material, e):
        xi, xj, xk, xl = particles.x[i], particles.x[j], particles.x[k], particles.x[m]
        weight = h * h * stiffness * next_weight(elements.edge_share[e])
        angle = hinge_angle(xi, xj, xk, xl)
        off = wrapped(angle - elements.edge_angle[e])
        torque = weight * off
        energy = wp.float64(0.5) * weight * off * off
        c = h * elements.edge_material[e, 1]
        if c > wp.float64(0.0):
            motion = wrapped(angle - elements.edge_start[e])
            torque += c * motion
            energy += wp.float64(0.5) * c * motion * motion
        gradients = hinge_gradients(xi, xj, xk, xl)
        for a in range(4):
            wp.atomic_add(particles.gradient, elements.edge[e, a], torque * gradients[a])
        wp.atomic_add(sums, ENERGY, energy)


@wp.kernel
def solid_gradient(elements: Elements, particles: Particles, sums: wp.array(dtype=wp.float64), h: wp.float64):
    """Add the energy and the gradient of solid elements, times h^2."""
    s = wp.tid()
    f = deformation(elements, particles.x, s)
    material, activation = elements.solid_material[s], elements.solid_activation[s]
    weight = h * h * elements.solid_volume[s] * next_weight(elements.solid_share[s])
    stress = weight * solid_stress(f, material[0], material[1], activation)
    energy = weight * solid_energy(f, material[0], material[1], activation)
    c = h * elements.solid_volume[s] * material[2]
    if c > wp.float64(0.0):
        r = wp.quat_to_matrix(elements.solid_turn[s])
        motion = wp.transpose(r) * (f - elements.solid_start[s])
        rate = motion + wp.transpose(motion)
        stress += c * (r * rate)
        energy += wp.float64(0.25) * c * wp.ddot(rate, rate)
    for k in range(elements.solid_first[s], elements.solid_first[s + 1]):
        wp.atomic_add(particles.gradient, elements.solid_corner[k], stress * elements.solid_slope[k])
    wp.atomic_add(sums, ENERGY, energy)


@wp.kernel
def spring_stiffness(elements: Elements, particles: Particles, matrix: Matrix, h: wp.float64):
    """Add the positive semidefinite part of the stiffness of springs, times h^2."""
    s = wp.tid()
    i, j = elements.spring[2 * s], elements.spring[2 * s + 1]
    d = particles.x[j] - particles.x[i]
    length = wp.max(wp.length(d), wp.float64(1.0e-12))
    n = d / length
    along = wp.outer(n, n)
    across = wp.max(wp.float64(1.0) - elements.spring_length[s] / length, wp.float64(0.0))
    weight = h * h * next_weight(elements.spring_share[s]) * elements.spring_stiffness[s]
    k = weight * (along + across * (wp.identity(n=3, dtype=wp.float64) - along))
    c = elements.spring_damping[s]
    if c > wp.float64(0.0):
        m = wp.normalize(particles.start[j] - particles.start[i])
        k += h * implicit_damping(h * c * elements.spring_mobility[s]) * c * wp.outer(m, m)
    wp.atomic_add(matrix.diagonal, i, k)
    wp.atomic_add(matrix.diagonal, j, k)
    wp.atomic_sub(matrix.block, matrix.spring_slot[s, 0], k)
    wp.atomic_sub(matrix.block, matrix.spring_slot[s, 1], k)


@wp.func
def corner_slope(inverse: wp.mat22d, a: int) -> wp.vec2d:
    """Return the derivative of a membrane's deformation gradient with respect to corner a, in the rest plane [1/m]."""
    if a == 0:
        return wp.vec2d(-inverse[0, 0] - inverse[1, 0], -inverse[0, 1] - inverse[1, 1])
    return wp.vec2d(inverse[a - 1, 0], inverse[a - 1, 1])


@wp.kernel
def triangle_stiffness(elements: Elements, particles: Particles, matrix: Matrix, h: wp.float64):
    """Add the positive semidefinite part of the stiffness of membranes, times h^2."""
    t = wp.tid()
    if is_slack(elements.triangle_material, t):
        return
    i, j, k = elements.triangle[t, 0], elements.triangle[t, 1], elements.triangle[t, 2]
    pose, material = elements.triangle_pose[t], elements.triangle_material
    f = membrane_gradient(particles.x[i], particles.x[j], particles.x[k], pose)
    weight = h * h * elements.triangle_area[t] * next_weight(elements.triangle_share[t])
    mu = weight * material[t, 0] + h * elements.triangle_area[t] * material[t, 2]
    lam = weight * material[t, 1]
    stress = membrane_stress(f, material[t, 0], material[t, 1], elements.triangle_activation[t])
    pull = weight * tensile_part(stress)
    left = f * wp.transpose(f)
    slot = int(0)
    for a in range(3):
        ga = corner_slope(pose, a)
        fa = f * ga
        for b in range(3):
            gb = corner_slope(pose, b)
            fb = f * gb
            block = (
                wp.dot(ga, pull * gb) * wp.identity(n=3, dtype=wp.float64)
                + mu * (wp.dot(ga, gb) * left + wp.outer(fb, fa))
                + lam * wp.outer(fa, fb)
            )
            if a == b:
                wp.atomic_add(matrix.diagonal, elements.triangle[t, a], block)
            else:
                wp.atomic_add(matrix.block, matrix.triangle_slot[t, slot], block)
                slot += 1


@wp.kernel
def edge_stiffness(elements: Elements, particles: Particles, matrix: Matrix, h: wp.float64):
    """Add the Gauss-Newton stiffness of bending edges, without the curvature of the angle, times h^2."""
    e = wp.tid()
    i, j, k, m = elements.edge[e, 0], elements.edge[e, 1], elements.edge[e, 2], elements.edge[e, 3]
    stiffness = elements.edge_material[e, 0]
    if is_bent(elements.edge, elements.edge_material, e):
        xi, xj, xk, xl = particles.x[i], particles.x[j], particles.x[k], particles.x[m]
        weight = h * h * stiffness * next_weight(elements.edge_share[e])
        weight += h * elements.edge_material[e, 1]
        gradients = hinge_gradients(xi, xj, xk, xl)
        slot = int(0)
        for a in range(4):
            for b in range(4):
                block = weight * wp.outer(gradients[a], gradients[b])
                if a == b:
                    wp.atomic_add(matrix.diagonal, elements.edge[e, a], block)
                else:
                    wp.atomic_add(matrix.block, matrix.edge_slot[e, slot], block)
                    slot += 1


@wp.kernel
def solid_stiffness(elements: Elements, particles: Particles, matrix: Matrix, h: wp.float64):
    """Add a positive definite stiffness of solid elements, times h^2.

    Near the rest shape it is the stiffness at rest, rotated with the element: blocks mu ((ga.gb) I + gb ga^T) + lambda
    ga gb^T, with derivatives g with respect to the corners. Far from it, it is an upper bound of the Hessian of the
    energy: no eigenvalue of the Hessian of the determinant exceeds 2 / sqrt(3) times the norm of the deformation
    gradient.
    """
    s = wp.tid()
    f = deformation(elements, particles.x, s)
    r = wp.quat_to_matrix(elements.solid_turn[s])
    material = elements.solid_material[s]
    weight = h * h * elements.solid_volume[s] * next_weight(elements.solid_share[s])
    damping = h * elements.solid_volume[s] * material[2]
    mu, lam = weight * material[0], weight * material[1]
    deviation = f - r
    is_far = wp.ddot(deviation, deviation) > FAR
    along, shear, bulk, push = damping + mu, damping + mu, lam, r
    if is_far:
        off = wp.determinant(f) - rest_ratio(material[0], material[1], elements.solid_activation[s])
        along += (lam + mu) * wp.abs(off) * wp.sqrt(wp.float64(4.0 / 3.0) * wp.ddot(f, f))
        shear, bulk, push = damping, lam + mu, cofactor(f)
    first, end = elements.solid_first[s], elements.solid_first[s + 1]
    begin, width = matrix.solid_slot_first[s], end - first - 1
    for a in range(first, end):
        g, i = elements.solid_slope[a], elements.solid_corner[a]
        ra, pa = r * g, push * g
        own = along * wp.dot(g, g) * wp.identity(n=3, dtype=wp.float64) + shear * wp.outer(ra, ra)
        wp.atomic_add(matrix.diagonal, i, own + bulk * wp.outer(pa, pa))
        for b in range(first, a):
            g_b = elements.solid_slope[b]
            block = along * wp.dot(g, g_b) * wp.identity(n=3, dtype=wp.float64) + shear * wp.outer(r * g_b, ra)
            block += bulk * wp.outer(pa, push * g_b)
            wp.atomic_add(matrix.block, matrix.solid_slot[begin + (a - first) * width + b - first], block)
            place = matrix.solid_slot[begin + (b - first) * width + a - first - 1]
            wp.atomic_add(matrix.block, place, wp.transpose(block))


STARTS = (start_springs, start_triangles, start_edges, start_solids)
GRADIENTS = (spring_gradient, triangle_gradient, edge_gradient, solid_gradient)
STIFFNESSES = (spring_stiffness, triangle_stiffness, edge_stiffness, solid_stiffness)
"""Kernels of each kind of element, in the order of `SoftScratch.element_counts`."""
