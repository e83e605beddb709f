# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Elastic laws: energy, force and positive semidefinite stiffness of springs, membranes, bending edges and solids."""

import warp as wp

from inertia_tools.kernel_loading import MODULE_OPTIONS

wp.set_module_options(MODULE_OPTIONS)

mat32d, mat43d = (wp.types.matrix(shape=shape, dtype=wp.float64) for shape in ((3, 2), (4, 3)))
vec2d, vec3d, mat22d, mat33d, quatd = wp.vec2d, wp.vec3d, wp.mat22d, wp.mat33d, wp.quatd


@wp.struct
class Elements:
    """The elements that connect the particles: indices of particles, and materials.

    `share` is the part of an element that the backward Euler method integrates, from 0 (slow) to 1 (stiff); see
    `pattern.Frequencies`.
    """

    spring: wp.array(dtype=wp.int32)  # two a spring
    spring_length: wp.array(dtype=wp.float64)
    spring_stiffness: wp.array(dtype=wp.float64)
    spring_damping: wp.array(dtype=wp.float64)
    spring_share: wp.array(dtype=wp.float64)
    spring_mobility: wp.array(dtype=wp.float64)  # sum of the inverse masses of its ends
    triangle: wp.array2d(dtype=wp.int32)
    triangle_pose: wp.array(dtype=wp.mat22d)
    triangle_area: wp.array(dtype=wp.float64)
    triangle_activation: wp.array(dtype=wp.float64)
    triangle_material: wp.array2d(dtype=wp.float64)  # mu, lambda [N/m], damping, drag, lift
    triangle_share: wp.array(dtype=wp.float64)
    edge: wp.array2d(dtype=wp.int32)  # two opposite corners, then the edge
    edge_angle: wp.array(dtype=wp.float64)  # at rest
    edge_start: wp.array(dtype=wp.float64)  # angle at the start of the substep
    edge_material: wp.array2d(dtype=wp.float64)  # stiffness [N m/rad], damping
    edge_share: wp.array(dtype=wp.float64)
    solid_first: wp.array(dtype=wp.int32)  # first corner of each solid element, then the number of all corners
    solid_corner: wp.array(dtype=wp.int32)
    solid_slope: wp.array(dtype=wp.vec3d)  # derivative of the deformation gradient with respect to each corner [1/m]
    solid_volume: wp.array(dtype=wp.float64)
    solid_activation: wp.array(dtype=wp.float64)
    solid_material: wp.array(dtype=wp.vec3d)  # mu, lambda [Pa], damping [Pa s]
    solid_share: wp.array(dtype=wp.float64)
    solid_start: wp.array(dtype=wp.mat33d)  # deformation gradient at the start of the substep
    solid_turn: wp.array(dtype=wp.quatd)  # rotation of each, iterated from that of the last substep


@wp.struct
class SolidSources:
    """The tetrahedra over which the materials of solid elements are averaged; see `solids.Solids`."""

    first: wp.array(dtype=wp.int32)
    tet: wp.array(dtype=wp.int32)
    weight: wp.array(dtype=wp.float64)
    factor: wp.array(dtype=wp.vec3d)  # of mu, lambda and damping
    material: wp.array2d(dtype=wp.float64)  # of the tetrahedra


@wp.func
def next_weight(share: wp.float64) -> wp.float64:
    """Return the weight of the force at the next position."""
    return (wp.float64(1.0) + wp.float64(11.0) * share) / wp.float64(12.0)


@wp.func
def implicit_damping(rate: wp.float64) -> wp.float64:
    """Return the weight of the next velocity in damping, from 1/2 (slow) to 1 (fast); `rate` is h c / m."""
    square = rate * rate
    return wp.float64(0.5) * (wp.float64(1.0) + square / (wp.float64(1.0) + square))


@wp.func
def membrane_gradient(x0: vec3d, x1: vec3d, x2: vec3d, pose: mat22d) -> mat32d:
    """Return the deformation gradient of a triangle, shape (3, 2)."""
    a, b = x1 - x0, x2 - x0
    edges = mat32d(a[0], b[0], a[1], b[1], a[2], b[2])
    return edges * pose


@wp.func
def membrane_stress(f: mat32d, mu: wp.float64, lam: wp.float64, activation: wp.float64) -> mat22d:
    """Return the second Piola-Kirchhoff stress of the St. Venant-Kirchhoff law [N/m]."""
    strain = wp.float64(0.5) * (wp.transpose(f) * f - wp.identity(n=2, dtype=wp.float64))
    return wp.float64(2.0) * mu * strain + lam * (wp.trace(strain) + activation) * wp.identity(n=2, dtype=wp.float64)


@wp.func
def membrane_energy(f: mat32d, mu: wp.float64, lam: wp.float64, activation: wp.float64) -> wp.float64:
    """Return the energy per rest area of the St. Venant-Kirchhoff law [J/m^2]."""
    strain = wp.float64(0.5) * (wp.transpose(f) * f - wp.identity(n=2, dtype=wp.float64))
    area = wp.trace(strain) + activation
    return mu * wp.ddot(strain, strain) + wp.float64(0.5) * lam * area * area


@wp.func
def tensile_part(s: mat22d) -> mat22d:
    """Return a symmetric matrix with its negative eigenvalues set to zero."""
    zero = wp.float64(0.0)
    mean = wp.float64(0.5) * (s[0, 0] + s[1, 1])
    half = wp.float64(0.5) * (s[0, 0] - s[1, 1])
    radius = wp.sqrt(half * half + s[0, 1] * s[0, 1])
    high, low = mean + radius, mean - radius
    if low >= zero:
        return s
    if high <= zero or radius == zero:
        return mat22d()
    spread = high / (high - low)  # high * (s - low I) / (high - low) is the part of the higher eigenvalue
    return spread * (s - low * wp.identity(n=2, dtype=wp.float64))


@wp.func
def cofactor(f: mat33d) -> mat33d:
    """Return the cofactor matrix, the derivative of the determinant."""
    c0 = vec3d(f[0, 0], f[1, 0], f[2, 0])
    c1 = vec3d(f[0, 1], f[1, 1], f[2, 1])
    c2 = vec3d(f[0, 2], f[1, 2], f[2, 2])
    return wp.matrix_from_cols(wp.cross(c1, c2), wp.cross(c2, c0), wp.cross(c0, c1))


@wp.func
def shear_ratio(mu: wp.float64, lam: wp.float64) -> wp.float64:
    """Return mu / (lambda + mu), and zero for a material without stiffness."""
    if lam + mu == wp.float64(0.0):
        return wp.float64(0.0)
    return mu / (lam + mu)


@wp.func
def rest_ratio(mu: wp.float64, lam: wp.float64, activation: wp.float64) -> wp.float64:
    """Return the volume ratio at which the volumetric term of the neo-Hookean law vanishes."""
    return wp.float64(1.0) + shear_ratio(mu, lam) - activation


@wp.func
def solid_stress(f: mat33d, mu: wp.float64, lam: wp.float64, activation: wp.float64) -> mat33d:
    """Return the first Piola-Kirchhoff stress of the stable neo-Hookean law [Pa] (Smith, de Goes, Kim 2018).

    The law omits the logarithm of that paper; then lambda + mu is its volumetric coefficient for Lame's lambda at small
    strain.
    """
    return mu * f + (lam + mu) * (wp.determinant(f) - rest_ratio(mu, lam, activation)) * cofactor(f)


@wp.func
def solid_energy(f: mat33d, mu: wp.float64, lam: wp.float64, activation: wp.float64) -> wp.float64:
    """Return the energy per rest volume of the same law, zero at rest [J/m^3]."""
    off = wp.determinant(f) - rest_ratio(mu, lam, activation)
    stretch = wp.ddot(f, f) - wp.float64(3.0)
    at_rest = mu * shear_ratio(mu, lam)
    return wp.float64(0.5) * (mu * stretch + (lam + mu) * off * off - at_rest)


@wp.func
def nearest_rotation(f: mat33d, guess: quatd) -> quatd:
    """Return the rotation nearest to a deformation gradient, iterated from a guess (Mueller et al. 2016)."""
    q = guess
    for _ in range(4):
        r = wp.quat_to_matrix(q)
        torque = vec3d()
        along = wp.float64(0.0)
        for c in range(3):
            rc = vec3d(r[0, c], r[1, c], r[2, c])
            fc = vec3d(f[0, c], f[1, c], f[2, c])
            torque += wp.cross(rc, fc)
            along += wp.dot(rc, fc)
        rotation_vector = torque / (wp.abs(along) + wp.float64(1.0e-12))
        angle = wp.length(rotation_vector)
        if angle < wp.float64(1.0e-9):
            break
        q = wp.normalize(wp.quat_from_axis_angle(rotation_vector / angle, angle) * q)
    return q


@wp.func
def hinge_angle(xi: vec3d, xj: vec3d, xk: vec3d, xl: vec3d) -> wp.float64:
    """Return the dihedral angle of two triangles about their common edge k l [rad]; zero when they are flat."""
    n1 = wp.normalize(wp.cross(xk - xi, xl - xi))
    n2 = wp.normalize(wp.cross(xl - xj, xk - xj))
    return wp.atan2(wp.dot(wp.cross(n1, n2), wp.normalize(xl - xk)), wp.dot(n1, n2))


@wp.func
def hinge_gradients(xi: vec3d, xj: vec3d, xk: vec3d, xl: vec3d) -> mat43d:
    """Return the derivatives of that angle with respect to corners i, j, k, l, as rows (Bridson et al. 2003)."""
    n1 = wp.cross(xk - xi, xl - xi)
    n2 = wp.cross(xl - xj, xk - xj)
    n1 = n1 / wp.max(wp.dot(n1, n1), wp.float64(1.0e-30))
    n2 = n2 / wp.max(wp.dot(n2, n2), wp.float64(1.0e-30))
    e = xl - xk
    length = wp.max(wp.length(e), wp.float64(1.0e-15))
    along = e / length
    gi, gj = -length * n1, -length * n2
    gk = wp.dot(xl - xi, along) * n1 + wp.dot(xl - xj, along) * n2
    gl = wp.dot(xi - xk, along) * n1 + wp.dot(xj - xk, along) * n2
    return mat43d(gi[0], gi[1], gi[2], gj[0], gj[1], gj[2], gk[0], gk[1], gk[2], gl[0], gl[1], gl[2])


@wp.func
def wrapped(angle: wp.float64) -> wp.float64:
    """Return an angle, wrapped to the range from -pi to pi."""
    two_pi = wp.float64(6.283185307179586)
    return angle - two_pi * wp.round(angle / two_pi)
