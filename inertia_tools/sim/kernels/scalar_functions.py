# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Functions of numbers and vectors for kernels of users; they may be called on the host too."""

from typing import Any

import warp as wp

LEAK = wp.constant(1e-5)
"""Square of the distance from a tie within which a leaky maximum is rounded off; Newton's."""

LEAST_DIVISOR = wp.constant(1e-15)
"""Divisor of `safe_div` in place of zero; Newton's."""


@wp.func
def boltzmann(a: float, b: float, alpha: float) -> float:
    """Return the mean of two numbers weighted by exp(alpha x): the larger one for large alpha, their mean for zero."""
    top = wp.max(alpha * a, alpha * b)  # exponents of no more than zero cannot overflow
    weight_a, weight_b = wp.exp(alpha * a - top), wp.exp(alpha * b - top)
    return (a * weight_a + b * weight_b) / (weight_a + weight_b)


@wp.func
def smooth_max(a: float, b: float, eps: float) -> float:
    """Return (a + b + sqrt((a - b)^2 + eps)) / 2, which is smooth and at least the maximum."""
    return 0.5 * (a + b + wp.sqrt((a - b) * (a - b) + eps))


@wp.func
def smooth_min(a: float, b: float, eps: float) -> float:
    """Return (a + b - sqrt((a - b)^2 + eps)) / 2, which is smooth and at most the minimum."""
    return 0.5 * (a + b - wp.sqrt((a - b) * (a - b) + eps))


@wp.func
def leaky_max(a: float, b: float) -> float:
    """Return the smooth maximum that is off by sqrt(1e-5) / 2 at most."""
    return smooth_max(a, b, LEAK)


@wp.func
def leaky_min(a: float, b: float) -> float:
    """Return the smooth minimum that is off by sqrt(1e-5) / 2 at most."""
    return smooth_min(a, b, LEAK)


@wp.func
def vec_min(a: wp.vec3, b: wp.vec3) -> wp.vec3:
    """Return the smaller entries of two vectors."""
    return wp.vec3(wp.min(a[0], b[0]), wp.min(a[1], b[1]), wp.min(a[2], b[2]))


@wp.func
def vec_max(a: wp.vec3, b: wp.vec3) -> wp.vec3:
    """Return the larger entries of two vectors."""
    return wp.vec3(wp.max(a[0], b[0]), wp.max(a[1], b[1]), wp.max(a[2], b[2]))


@wp.func
def vec_leaky_min(a: wp.vec3, b: wp.vec3) -> wp.vec3:
    """Return `leaky_min` of each entry."""
    return wp.vec3(leaky_min(a[0], b[0]), leaky_min(a[1], b[1]), leaky_min(a[2], b[2]))


@wp.func
def vec_leaky_max(a: wp.vec3, b: wp.vec3) -> wp.vec3:
    """Return `leaky_max` of each entry."""
    return wp.vec3(leaky_max(a[0], b[0]), leaky_max(a[1], b[1]), leaky_max(a[2], b[2]))


@wp.func
def vec_abs(a: wp.vec3) -> wp.vec3:
    """Return the magnitude of each entry."""
    return wp.vec3(wp.abs(a[0]), wp.abs(a[1]), wp.abs(a[2]))


@wp.func
def vec_allclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8) -> bool:
    """Return whether |a - b| <= atol + rtol |b| for each entry; an infinite entry is close to its like only."""
    close = True
    for i in range(len(a)):
        gap = wp.abs(a[i] - b[i])
        near = gap <= type(gap)(atol) + type(gap)(rtol) * wp.abs(b[i]) and gap < type(gap)(wp.inf)
        close = close and (near or a[i] == b[i])
    return close


@wp.func
def vec_inside_limits(a: Any, lower: Any, upper: Any) -> bool:
    """Return whether lower <= a <= upper for each entry."""
    inside = True
    for i in range(len(a)):
        inside = inside and lower[i] <= a[i] and a[i] <= upper[i]
    return inside


@wp.func
def orthonormal_basis(n: wp.vec3) -> tuple[wp.vec3, wp.vec3]:
    """Return two unit vectors across a unit vector and across each other, right-handed with it (Duff et al. 2017)."""
    sign = wp.sign(n[2])
    a = -1.0 / (sign + n[2])
    b = n[0] * n[1] * a
    first = wp.vec3(1.0 + sign * n[0] * n[0] * a, sign * b, -sign * n[0])
    return first, wp.vec3(b, sign + n[1] * n[1] * a, -n[1])


@wp.func
def safe_div(x: Any, y: Any, eps: float = LEAST_DIVISOR) -> Any:
    """Return x / y, or x / eps where y is zero."""
    if y == type(y)(0.0):
        return x / type(y)(eps)
    return x / y


@wp.func
def normalize_with_norm(x: Any) -> tuple[Any, Any]:
    """Return a vector of length one in the direction of another, and the length of that; zero stays zero."""
    norm = wp.length(x)
    if norm > type(norm)(0.0):
        return x / norm, norm
    return x, norm
