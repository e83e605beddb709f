# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Rotations and poses in three dimensions, float64 NumPy.

A rotation is a 3x3 matrix whose columns are the axes of the rotated frame. Quaternions are (x, y, z, w).
Roll, pitch, yaw are turns about the fixed x, y, z axes in that order: R = Rz(yaw) Ry(pitch) Rx(roll).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from inertia_tools.errors import OptionError

Array = npt.NDArray[np.float64]
ArrayLike = npt.ArrayLike

LARGEST_NUMBER = 1e100
"""Numbers beyond this, in whatever unit, are taken for no numbers: no robot has them, and their squares overflow."""

FEW = 16
"""So many numbers at most are looked at faster one by one than by NumPy."""

HALF_TURN = 1e-14
"""Up to this real part of a unit quaternion a rotation is half a turn but for rounding."""

SHORTEST_QUATERNION = 1e-9
"""Below this length a quaternion made of two directions is none: they are opposite."""


def read_only(values: ArrayLike, shape: tuple[int, ...]) -> Array:
    """Copy values into a float64 array that cannot be written to; one that is that already is taken itself.

    Raises:
        ValueError: The values do not have that shape.
        TypeError: They are complex.
    """
    if isinstance(values, np.ndarray) and values.dtype == np.float64 and values.shape == shape:
        flags = values.flags
        if flags.owndata and not flags.writeable:
            return values
    if isinstance(values, np.ndarray) and values.dtype.kind == "c":
        raise TypeError("expected real numbers")
    array = np.array(values, dtype=np.float64)
    if array.shape != shape:
        raise ValueError(f"expected shape {shape}, got {array.shape}")
    array.setflags(write=False)
    return array


def named_numbers(name: str, values: ArrayLike, shape: tuple[int, ...]) -> Array:
    """Copy numbers of a shape into a float64 array that is read-only.

    Raises:
        OptionError: They are no numbers, or have another shape; the error states their name.
    """
    try:
        return read_only(values, shape)
    except (TypeError, ValueError):
        raise OptionError(name, values, f"numbers of shape {shape}") from None


def are_usable(values: ArrayLike) -> bool:
    """Tell whether all numbers are finite, and small enough that their squares and products are too."""
    if isinstance(values, float):
        return abs(values) <= LARGEST_NUMBER
    if isinstance(values, np.ndarray) and values.size <= FEW:
        return all(abs(number) <= LARGEST_NUMBER for number in values.ravel().tolist())
    return bool((np.abs(np.asarray(values, dtype=np.float64)) <= LARGEST_NUMBER).all())


def box_of(points: Array) -> tuple[Array, Array]:
    """Return the lowest and the highest coordinates of some points, shape (n, 3); shapes (3,).

    NumPy walks rows of three numbers one by one, and rows of n ten times as fast.

    Raises:
        ValueError: There is no point.
    """
    columns = np.ascontiguousarray(points.T)
    return columns.min(axis=1), columns.max(axis=1)


def extents(points: Array) -> Array:
    """Return how far some points reach along each axis, shape (n, 3); shape (3,)."""
    low, high = box_of(points)
    return np.asarray(high - low)


def lengths_of(vectors: Array) -> Array:
    """Return the lengths of many vectors, shape (n, 3); shape (n,)."""
    x, y, z = vectors.T
    return np.asarray(np.sqrt(x * x + y * y + z * z))


def skew(vector: ArrayLike) -> Array:
    """Return the matrix whose product with any u is the cross product vector x u, shape (3, 3)."""
    x, y, z = np.asarray(vector, dtype=np.float64)
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def rotation_from_rpy(rpy: ArrayLike) -> Array:
    """Build a rotation from fixed-axis roll, pitch, yaw [rad].

    Zero angles give exact zeros and ones, so unrotated frames stay free of rounding; infinite angles give NaN.
    """
    with np.errstate(invalid="ignore"):
        (cr, cp, cy), (sr, sp, sy) = np.cos(rpy), np.sin(rpy)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def rpy_from_rotation(rotation: Array) -> Array:
    """Return fixed-axis roll, pitch, yaw [rad] of a rotation.

    The roll is what is left when the yaw is taken back, so that the three together are right to rounding even close to
    gimbal lock, where roll and yaw each are not.
    """
    cos_pitch = float(np.hypot(rotation[0, 0], rotation[1, 0]))
    pitch = np.arctan2(-rotation[2, 0], cos_pitch)
    yaw = np.arctan2(rotation[1, 0], rotation[0, 0])
    cy, sy = np.cos(yaw), np.sin(yaw)
    roll = np.arctan2(sy * rotation[0, 2] - cy * rotation[1, 2], cy * rotation[1, 1] - sy * rotation[0, 1])
    return np.array([roll, pitch, yaw])


def rotation_from_quaternion(quaternion: ArrayLike) -> Array:
    """Build a rotation from a quaternion (x, y, z, w); it is normalised first.

    Raises:
        ValueError: The quaternion has no length.
    """
    q = np.asarray(quaternion, dtype=np.float64)
    norm = float(np.linalg.norm(q))
    if not norm > 0.0:
        raise ValueError("a quaternion of length zero is not a rotation")
    x, y, z, w = q / norm
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def rotations_from_quaternions(quaternions: Array) -> Array:
    """Build rotations from quaternions (x, y, z, w), shape (n, 4), which are normalised first, shape (n, 3, 3)."""
    squares = _outer(quaternions, quaternions) / (quaternions * quaternions).sum(axis=1)[:, None]
    return np.asarray((squares @ _ROTATION).reshape(-1, 3, 3))


def cross_products(first: Array, second: Array) -> Array:
    """Return the cross products of rows, shape (n, 3); `np.cross` takes several times as long for few of them."""
    return np.asarray(_outer(first, second) @ _CROSS)


def _outer(first: Array, second: Array) -> Array:
    """Return all products of the numbers of each row of one with those of the other, shape (n, k * k)."""
    rows, size = first.shape
    return np.asarray((first[:, :, None] * second[:, None, :]).reshape(rows, size * size))


def _bilinear(size: int, *rows: dict[tuple[int, int], float]) -> Array:
    """Return the matrix by which `_outer` of two rows of a size becomes sums of products, one for each dictionary."""
    matrix = np.zeros((size, size, len(rows)))
    for column, terms in enumerate(rows):
        for place, factor in terms.items():
            matrix[(*place, column)] = factor
    return matrix.reshape(size * size, -1)


_X, _Y, _Z, _W = range(4)
_CROSS = _bilinear(
    3,
    {(_Y, _Z): 1.0, (_Z, _Y): -1.0},
    {(_Z, _X): 1.0, (_X, _Z): -1.0},
    {(_X, _Y): 1.0, (_Y, _X): -1.0},
)
_ROTATION = _bilinear(
    4,
    {(_W, _W): 1.0, (_X, _X): 1.0, (_Y, _Y): -1.0, (_Z, _Z): -1.0},
    {(_X, _Y): 2.0, (_Z, _W): -2.0},
    {(_X, _Z): 2.0, (_Y, _W): 2.0},
    {(_X, _Y): 2.0, (_Z, _W): 2.0},
    {(_W, _W): 1.0, (_Y, _Y): 1.0, (_X, _X): -1.0, (_Z, _Z): -1.0},
    {(_Y, _Z): 2.0, (_X, _W): -2.0},
    {(_X, _Z): 2.0, (_Y, _W): -2.0},
    {(_Y, _Z): 2.0, (_X, _W): 2.0},
    {(_W, _W): 1.0, (_Z, _Z): 1.0, (_X, _X): -1.0, (_Y, _Y): -1.0},
)


def quaternion_from_rotation(rotation: Array) -> Array:
    """Return the unit quaternion (x, y, z, w) of a rotation, with w >= 0.

    Of half a turn, the first component that is not zero is positive, however the numbers are rounded. The largest of
    the four components is taken from the diagonal, which keeps the others accurate (Shepperd 1978).
    """
    diagonal = np.diag(rotation)
    trace = diagonal.sum()
    squares = np.array(
        [1 + 2 * diagonal[0] - trace, 1 + 2 * diagonal[1] - trace, 1 + 2 * diagonal[2] - trace, 1 + trace]
    )
    largest = int(np.argmax(squares))
    products = np.array(
        [
            [
                squares[0],
                rotation[0, 1] + rotation[1, 0],
                rotation[0, 2] + rotation[2, 0],
                rotation[2, 1] - rotation[1, 2],
            ],
            [
                rotation[0, 1] + rotation[1, 0],
                squares[1],
                rotation[1, 2] + rotation[2, 1],
                rotation[0, 2] - rotation[2, 0],
            ],
            [
                rotation[0, 2] + rotation[2, 0],
                rotation[1, 2] + rotation[2, 1],
                squares[2],
                rotation[1, 0] - rotation[0, 1],
            ],
            [
                rotation[2, 1] - rotation[1, 2],
                rotation[0, 2] - rotation[2, 0],
                rotation[1, 0] - rotation[0, 1],
                squares[3],
            ],
        ]
    )
    q: Array = products[largest] / np.linalg.norm(products[largest])
    sign = q[3] if abs(q[3]) > HALF_TURN else q[np.argmax(np.abs(q) > HALF_TURN)]
    return q if sign >= 0.0 else -q


def rotation_between(from_axis: ArrayLike, to_axis: ArrayLike) -> Array:
    """Return the smallest rotation that turns one direction into another; the lengths do not matter."""
    a = np.asarray(from_axis, dtype=np.float64) / np.linalg.norm(from_axis)
    b = np.asarray(to_axis, dtype=np.float64) / np.linalg.norm(to_axis)
    q = np.append(np.cross(a, b), 1.0 + a @ b)
    if np.linalg.norm(q) < SHORTEST_QUATERNION:  # opposite directions: any axis across will do
        across = np.eye(3)[np.argmin(np.abs(a))]
        q = np.append(np.cross(a, across), 0.0)
    return rotation_from_quaternion(q)


def rotation_about(axis: ArrayLike, angle: float) -> Array:
    """Build the rotation by an angle [rad] about an axis of any length, by Rodrigues' formula."""
    cross = skew(np.asarray(axis, dtype=np.float64) / np.linalg.norm(axis))
    return np.asarray(np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * (cross @ cross))


NO_OFFSET = read_only(np.zeros(3), (3,))
NO_TURN = read_only(np.eye(3), (3, 3))


@dataclass(frozen=True, eq=False)
class Pose:
    """Where one frame lies in another: x_outer = rotation @ x_inner + position.

    Attributes:
        position: Origin of the inner frame seen from the outer one [m], shape (3,).
        rotation: Axes of the inner frame, as columns, in the outer one, shape (3, 3).
    """

    position: Array
    rotation: Array

    def __init__(self, position: ArrayLike = NO_OFFSET, rotation: ArrayLike = NO_TURN) -> None:
        """Make a pose.

        Raises:
            OptionError: A value is no array of numbers, or has the wrong shape.
        """
        object.__setattr__(self, "position", named_numbers("position", position, (3,)))
        object.__setattr__(self, "rotation", named_numbers("rotation", rotation, (3, 3)))

    @classmethod
    def from_xyz_rpy(cls, xyz: ArrayLike = (0.0, 0.0, 0.0), rpy: ArrayLike = (0.0, 0.0, 0.0)) -> Pose:
        """Build a pose from a position [m] and fixed-axis roll, pitch, yaw [rad]."""
        turn = rotation_from_rpy(rpy) if any(np.asarray(rpy).tolist()) else NO_TURN
        return cls(np.asarray(xyz, dtype=np.float64), turn)

    @property
    def rpy(self) -> Array:
        """Fixed-axis roll, pitch, yaw [rad], shape (3,)."""
        return rpy_from_rotation(self.rotation)

    @property
    def quaternion(self) -> Array:
        """Unit quaternion (x, y, z, w), shape (4,)."""
        return quaternion_from_rotation(self.rotation)

    def __matmul__(self, inner: Pose) -> Pose:
        """Chain poses: (A in B) = (C in B) @ (A in C)."""
        return _pose_of_own(self.rotation @ inner.position + self.position, self.rotation @ inner.rotation)

    def inverse(self) -> Pose:
        """Return the pose of the outer frame seen from the inner one."""
        return _pose_of_own(-self.rotation.T @ self.position, self.rotation.T.copy())

    def transform_points(self, points: ArrayLike) -> Array:
        """Express points of the inner frame in the outer one [m], shape (..., 3)."""
        return np.asarray(points, dtype=np.float64) @ self.rotation.T + self.position

    def isclose(self, other: Pose, tolerance: float = 1e-12) -> bool:
        """Tell whether two poses agree, element by element, within the tolerance."""
        return _are_close(self.position, other.position, tolerance) and _are_close(
            self.rotation, other.rotation, tolerance
        )


def _are_close(a: Array, b: Array, tolerance: float) -> bool:
    """Tell whether finite numbers differ by no more than the tolerance; `np.allclose` takes ten times as long."""
    return bool((np.abs(a - b) <= tolerance).all())


def _pose_of_own(position: Array, rotation: Array) -> Pose:
    """Build a pose from arrays that nobody else holds, which are not copied: graphs of frames chain thousands."""
    pose = object.__new__(Pose)
    for name, array in (("position", position), ("rotation", rotation)):
        array.setflags(write=False)
        object.__setattr__(pose, name, array)
    return pose
