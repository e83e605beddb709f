# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Free rotation over a substep, as an increment of the orientation that keeps small angles exact.

In body axes the angular momentum m follows Euler's equation m' = m x u, where u = J m is the angular velocity. A Taylor
series gives u over the substep, and a Magnus expansion of the sixth order (Blanes, Casas and Ros 2000) the rotation by
u. Both start from the angular momentum in world axes, which therefore is never integrated.

In single precision too, quantities that are not small beside a full turn are computed in double precision: near the
separatrix of a tumbling body an energy error of 1e-8 changes its period by a thousandth. It takes about 150 operations
a body.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.kernels.constants import SMALL_TURN_SQUARED
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.rounding import rounding_functions


@lru_cache(maxsize=2)
def rotation_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    scalar, vec3, quat, mat33 = p.scalar, p.vec3, p.quat, p.mat33
    exact = rounding_functions(p).exact
    small_turn = wp.constant(scalar(SMALL_TURN_SQUARED[p.name]))
    # Warp evaluates literals and expressions of them in single precision
    one, one_d, two_d = wp.constant(scalar(1.0)), wp.constant(wp.float64(1.0)), wp.constant(wp.float64(2.0))
    half = wp.constant(scalar(0.5))
    sine_1, sine_2, sine_3 = (wp.constant(scalar(1.0 / n)) for n in (48, 3840, 645120))
    cosine_1, cosine_2, cosine_3 = (wp.constant(scalar(1.0 / n)) for n in (8, 384, 46080))
    half_d, third, quarter, fifth, sixth = (wp.constant(wp.float64(1.0 / n)) for n in (2, 3, 4, 5, 6))
    s1, s2, s3, s4 = (wp.constant(wp.float64(1.0 / n)) for n in (48, 3840, 645120, 185794560))
    c1, c2, c3, c4 = (wp.constant(wp.float64(1.0 / n)) for n in (8, 384, 46080, 10321920))
    weights = (1 / 8, 2 / 35, 9 / 10, 4 / 5, 5 / 7, 3 / 2, 12 / 7, 1 / 60, 1 / 240)
    twenty = wp.constant(wp.float64(20.0))
    a13, a14, a23, a24, a25, a33, a34, w60, w240 = (wp.constant(wp.float64(w)) for w in weights)

    @wp.func
    def increment(angle: vec3) -> quat:
        """Return the quaternion of a rotation vector [rad], less one; small ones by the series of sine and cosine."""
        square = wp.dot(angle, angle)
        factor = half - square * (sine_1 - square * (sine_2 - square * sine_3))
        less = -square * (cosine_1 - square * (cosine_2 - square * cosine_3))
        if square > small_turn:
            size = wp.sqrt(square)
            factor = wp.sin(half * size) / size
            less = wp.cos(half * size) - scalar(1.0)
        return quat(factor * angle[0], factor * angle[1], factor * angle[2], less)

    @wp.func
    def axes_of(q: quat) -> mat33:
        """Return the axes of an orientation as columns."""
        x, y, z = q[0] + q[0], q[1] + q[1], q[2] + q[2]
        level = (q[3] + q[3]) * q[3] - one
        return mat33(
            level + x * q[0], y * q[0] - z * q[3], z * q[0] + y * q[3],
            y * q[0] + z * q[3], level + y * q[1], z * q[1] - x * q[3],
            z * q[0] - y * q[3], z * q[1] + x * q[3], level + z * q[2],
        )  # fmt: skip

    @wp.func
    def exact_axes_of(q: wp.quatd) -> wp.mat33d:
        """Return the same in double precision; rounding of the quaternion's length does not stretch them."""
        twice = two_d / wp.dot(q, q)
        x, y, z = twice * q[0], twice * q[1], twice * q[2]
        return wp.mat33d(
            one_d - (y * q[1] + z * q[2]), y * q[0] - z * q[3], z * q[0] + y * q[3],
            y * q[0] + z * q[3], one_d - (x * q[0] + z * q[2]), z * q[1] - x * q[3],
            z * q[0] - y * q[3], z * q[1] + x * q[3], one_d - (x * q[0] + y * q[1]),
        )  # fmt: skip

    @wp.func
    def exact_increment(angle: wp.vec3d) -> wp.quatd:
        """Return the same of up to half a radian in double precision."""
        square = wp.dot(angle, angle)
        factor = half_d - square * (s1 - square * (s2 - square * (s3 - square * s4)))
        less = -square * (c1 - square * (c2 - square * (c3 - square * c4)))
        return wp.quatd(factor * angle[0], factor * angle[1], factor * angle[2], less)

    @wp.func
    def whole(q: quat, low: quat) -> wp.quatd:
        """Return an orientation including its rounding error."""
        return wp.quatd(
            wp.float64(q[0]) + wp.float64(low[0]),
            wp.float64(q[1]) + wp.float64(low[1]),
            wp.float64(q[2]) + wp.float64(low[2]),
            wp.float64(q[3]) + wp.float64(low[3]),
        )

    @wp.func
    def rate_of(inverse: mat33, momentum: wp.vec3d) -> wp.vec3d:
        """Return the rate that goes with an angular momentum, both in the axes of the inverse of the tensor."""
        first = exact(inverse[0])
        second = exact(inverse[1])
        last = exact(inverse[2])
        return wp.vec3d(wp.dot(first, momentum), wp.dot(second, momentum), wp.dot(last, momentum))

    @wp.func
    def free_turn(inverse: mat33, momentum: wp.vec3d, h: scalar) -> wp.vec3d:
        """Return the rotation vector, in the body's axes at the beginning, of free rotation for a time h.

        `inverse` is that of the tensor, `momentum` the angular momentum at the beginning, both in those axes. Terms of
        high order are too small for single precision: numbers below 1e-38 take a processor a hundred times as long.
        """
        j = wp.float64(h) * wp.matrix_from_rows(exact(inverse[0]), exact(inverse[1]), exact(inverse[2]))
        m0 = momentum
        u0 = j * m0
        m1 = wp.cross(m0, u0)
        u1 = j * m1
        m2 = half_d * (wp.cross(m0, u1) + wp.cross(m1, u0))
        u2 = j * m2
        m3 = third * (wp.cross(m0, u2) + wp.cross(m1, u1) + wp.cross(m2, u0))
        u3 = j * m3
        m4 = quarter * (wp.cross(m0, u3) + wp.cross(m1, u2) + wp.cross(m2, u1) + wp.cross(m3, u0))
        u4 = j * m4
        m5 = fifth * (wp.cross(m0, u4) + wp.cross(m1, u3) + wp.cross(m2, u2) + wp.cross(m3, u1) + wp.cross(m4, u0))
        u5 = j * m5
        rest = third * u2 + quarter * u3 + fifth * u4 + sixth * u5
        # 9/4 A0 - 15 A2, 12 A1 and 180 A2 - 15 A0, where Ai is the moment of order i of u about the middle
        a1 = u0 + half_d * u1 + quarter * u2 + a13 * u3 + a14 * u4
        a2 = u1 + u2 + a23 * u3 + a24 * u4 + a25 * u5
        a3 = u2 + a33 * u3 + a34 * u4
        inner = wp.cross(a2, a1)
        outer = w60 * wp.cross(a1, two_d * a3 + inner)
        return u0 + half_d * u1 + (rest + w240 * wp.cross(twenty * a1 + a3 - inner, a2 + outer))

    return SimpleNamespace(
        increment=increment,
        axes_of=axes_of,
        exact_axes_of=exact_axes_of,
        exact_increment=exact_increment,
        free_turn=free_turn,
        whole=whole,
        rate_of=rate_of,
    )
