# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The checks of mass properties as one Warp kernel in double precision, one thread a body.

All repairs of a tensor add a multiple of the identity, so its principal axes stay as they are.
"""

import warp as wp

from inertia_tools.kernel_loading import MODULE_OPTIONS
from inertia_tools.sim.kernels import precision  # noqa: F401  it sets Warp up before the kernel is declared
from inertia_tools.sim.scene.inertia_rules import Rule
from inertia_tools.spatial import LARGEST_NUMBER

SWEEPS = wp.constant(8)
"""Rounds of Jacobi's rotations; they converge quadratically, and a matrix of three needs five at most."""

ASYMMETRY_NAMED = wp.constant(wp.float64(1e-5))
"""Difference of mirrored entries, relative to the largest, that is named: less is rounding of single precision or of
printed digits, and is averaged away without a word."""

LARGEST = wp.constant(wp.float64(LARGEST_NUMBER))
SPHERE = wp.constant(wp.float64(0.75 / 3.141592653589793))
"""Cube of the radius of a ball of unit volume."""

NON_FINITE = wp.constant(int(Rule.NON_FINITE))
NEGATIVE_MASS = wp.constant(int(Rule.NEGATIVE_MASS))
SMALL_MASS = wp.constant(int(Rule.SMALL_MASS))
INERTIA_WITHOUT_MASS = wp.constant(int(Rule.INERTIA_WITHOUT_MASS))
ASYMMETRIC = wp.constant(int(Rule.ASYMMETRIC))
NOT_DEFINITE = wp.constant(int(Rule.NOT_DEFINITE))
SMALL_MOMENT = wp.constant(int(Rule.SMALL_MOMENT))
TRIANGLE = wp.constant(int(Rule.TRIANGLE))
TRIANGLE_LEFT = wp.constant(int(Rule.TRIANGLE_LEFT))
ASSUMED_SPHERE = wp.constant(int(Rule.ASSUMED_SPHERE))


@wp.struct
class RuleNumbers:
    """`inertia_rules.Numbers` and the builder's settings, as the kernel takes them."""

    definite_ratio: wp.float64
    definite_size: wp.float64
    floor_ratio: wp.float64
    floor_size: wp.float64
    triangle_ratio: wp.float64
    triangle_size: wp.float64
    margin_ratio: wp.float64
    extra: wp.float64
    sphere_density: wp.float64  # zero: no sphere is assumed
    bound_mass: wp.float64  # zero: no bound
    bound_inertia: wp.float64  # zero: no bound
    balance: wp.int32


@wp.func
def is_number(x: wp.float64) -> bool:
    return wp.abs(x) <= LARGEST  # false for NaN


@wp.func
def largest_entry(m: wp.mat33d) -> wp.float64:
    size = wp.float64(0.0)
    for i in range(3):
        for k in range(3):
            size = wp.max(size, wp.abs(m[i, k]))
    return size


@wp.func
def turned_once(a: wp.mat33d, p: int, q: int) -> wp.mat33d:
    """Zero one entry off the diagonal of a symmetric matrix by a rotation (Jacobi 1846)."""
    if a[p, q] == wp.float64(0.0):
        return a
    theta = (a[q, q] - a[p, p]) / (wp.float64(2.0) * a[p, q])
    t = wp.float64(1.0) / (wp.abs(theta) + wp.sqrt(theta * theta + wp.float64(1.0)))
    if theta < wp.float64(0.0):
        t = -t
    c = wp.float64(1.0) / wp.sqrt(t * t + wp.float64(1.0))
    turn = wp.identity(n=3, dtype=wp.float64)
    turn[p, p] = c
    turn[q, q] = c
    turn[p, q] = c * t
    turn[q, p] = -c * t
    b = wp.transpose(turn) * a * turn
    b[p, q] = wp.float64(0.0)
    b[q, p] = wp.float64(0.0)
    return b


@wp.func
def principal_moments(tensor: wp.mat33d) -> wp.vec3d:
    """Return the eigenvalues of a symmetric matrix, ascending."""
    a = tensor
    for _ in range(SWEEPS):
        a = turned_once(a, 0, 1)
        a = turned_once(a, 0, 2)
        a = turned_once(a, 1, 2)
    low = wp.min(a[0, 0], wp.min(a[1, 1], a[2, 2]))
    high = wp.max(a[0, 0], wp.max(a[1, 1], a[2, 2]))
    middle = wp.max(wp.min(a[0, 0], a[1, 1]), wp.min(wp.max(a[0, 0], a[1, 1]), a[2, 2]))
    return wp.vec3d(low, middle, high)


@wp.func
def sphere_moment(mass: wp.float64, density: wp.float64) -> wp.float64:
    """Return the moment of inertia of a solid ball [kg m^2]."""
    radius = wp.pow(SPHERE * mass / density, wp.float64(1.0) / wp.float64(3.0))
    return wp.float64(0.4) * mass * radius * radius


@wp.func
def are_finite(m: wp.float64, com: wp.vec3d, tensor: wp.mat33d) -> bool:
    """Return whether all mass properties of a body are finite numbers."""
    finite = is_number(m)
    for i in range(3):
        finite = finite and is_number(com[i])
        for k in range(3):
            finite = finite and is_number(tensor[i, k])
    return finite


@wp.func
def checked_tensor(numbers: RuleNumbers, m: wp.float64, given: wp.mat33d):
    """Return the tensor of a body with mass, corrected, and the rules that it broke."""
    code, size = int(0), largest_entry(given)
    mirrored = wp.transpose(given)
    if largest_entry(given - mirrored) > ASYMMETRY_NAMED * size:
        code = code | ASYMMETRIC
    tensor = wp.float64(0.5) * (given + mirrored)
    moments = principal_moments(tensor)
    size = wp.max(wp.abs(moments[0]), wp.abs(moments[2]))
    shift = wp.float64(0.0)
    if size == wp.float64(0.0) and numbers.sphere_density > wp.float64(0.0):
        code = code | ASSUMED_SPHERE
        shift = sphere_moment(m, numbers.sphere_density)
    elif moments[0] < wp.max(numbers.definite_ratio * size, numbers.definite_size):
        code = code | NOT_DEFINITE
        shift = wp.max(numbers.floor_ratio * size, numbers.floor_size) - moments[0] + numbers.extra
    if moments[0] + shift < numbers.bound_inertia:
        code = code | SMALL_MOMENT
        shift = numbers.bound_inertia - moments[0]
    high = moments[2] + shift
    excess = moments[2] - moments[1] - moments[0] - shift
    if excess > wp.max(numbers.triangle_ratio * high, numbers.triangle_size):
        if numbers.balance != 0:
            code = code | TRIANGLE
            shift = shift + excess + numbers.margin_ratio * high + numbers.extra
        else:
            code = code | TRIANGLE_LEFT
    if shift != wp.float64(0.0):
        tensor = tensor + shift * wp.identity(n=3, dtype=wp.float64)
    return tensor, code


@wp.kernel(module="unique", module_options=MODULE_OPTIONS)
def check_inertia(
    # Rules:
    numbers: RuleNumbers,
    # In and out: the bodies' mass, centre of mass and tensor
    mass: wp.array(dtype=wp.float64),
    com: wp.array(dtype=wp.vec3d),
    inertia: wp.array(dtype=wp.mat33d),
    # Out: the rules that each broke, and the number of bodies that broke any
    code_out: wp.array(dtype=wp.int32),
    count_out: wp.array(dtype=wp.int32),
):
    """Judge and correct the mass properties of one body, in the order of Newton's page."""
    body = wp.tid()
    zero = wp.float64(0.0)
    m = mass[body]
    tensor = inertia[body]
    code = int(0)
    if not are_finite(m, com[body], tensor):
        code = code | NON_FINITE
        m = zero
        tensor = wp.mat33d()
        com[body] = wp.vec3d()
    if m < zero:
        code = code | NEGATIVE_MASS
        m = zero
    if m > zero and m < numbers.bound_mass:
        code = code | SMALL_MASS
        m = numbers.bound_mass
    if m == zero and largest_entry(tensor) > zero:
        code = code | INERTIA_WITHOUT_MASS
        tensor = wp.mat33d()
    if m > zero:
        tensor, broken = checked_tensor(numbers, m, tensor)
        code = code | broken
    mass[body] = m
    inertia[body] = tensor
    code_out[body] = code
    if code != 0:
        wp.atomic_add(count_out, 0, 1)
