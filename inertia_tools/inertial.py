# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of a rigid body as one immutable value."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from inertia_tools.errors import InertiaError, OptionError
from inertia_tools.spatial import NO_TURN, Array, ArrayLike, Pose, named_numbers, read_only
from inertia_tools.validity import TRIANGLE_ROUNDING, Validity, judge_moments, triangle_excess

SQUARENESS = 1e-5
"""Largest entry of R R^T - 1 of a rotation matrix R: that of a matrix in single precision, and some rounding."""


@dataclass(frozen=True, eq=False)
class Inertial:
    """Mass, centre of mass and inertia tensor of a body, all in the axes of one frame.

    Nothing here demands that a body could have these values: files declare impossible ones, and `is_valid` judges.

    Attributes:
        mass: Mass [kg].
        com: Centre of mass seen from the frame's origin [m], shape (3,).
        inertia: Inertia tensor about the centre of mass, in the frame's axes [kg m^2], symmetric, shape (3, 3).
    """

    mass: float
    com: Array
    inertia: Array

    def __init__(self, mass: float, com: ArrayLike = (0.0, 0.0, 0.0), inertia: ArrayLike | None = None) -> None:
        """Store the values; a missing tensor is that of a point mass, zero.

        Raises:
            OptionError: A value is of another type or shape, or the tensor is not symmetric.
        """
        tensor = named_numbers("inertia", np.zeros((3, 3)) if inertia is None else inertia, (3, 3))
        is_same = tensor == tensor.T  # tested first, since NaN is rare and the test that minds it is slow
        if not is_same.all() and not np.array_equal(tensor, tensor.T, equal_nan=True):
            size = float(np.abs(tensor).max())
            if not np.allclose(tensor, tensor.T, rtol=0.0, atol=ASYMMETRY_TOLERANCE * size, equal_nan=True):
                raise OptionError("inertia", tensor.tolist(), "symmetric")
            tensor = read_only(symmetric_part(tensor), (3, 3))
        object.__setattr__(self, "mass", _number("mass", mass))
        object.__setattr__(self, "com", named_numbers("com", com, (3,)))
        object.__setattr__(self, "inertia", tensor)

    @classmethod
    def from_frame(cls, mass: float, pose_link_inertial: Pose, inertia: ArrayLike) -> Inertial:
        """Build from a tensor in the axes of an inertial frame of its own, as URDF and SDFormat state it.

        Args:
            mass: Mass [kg].
            pose_link_inertial: The inertial frame seen from the link; its origin is the centre of mass.
            inertia: Tensor about the centre of mass, in the axes of the inertial frame [kg m^2], shape (3, 3).

        Raises:
            OptionError: The tensor has the wrong shape.
            ValueError: It is not symmetric.
        """
        return cls(mass, inertia=inertia).transform(pose_link_inertial)

    @classmethod
    def zero(cls) -> Inertial:
        """Return the inertial of nothing: the neutral element of `+`."""
        return cls(0.0)

    @classmethod
    def sum(cls, parts: Iterable[Inertial]) -> Inertial:
        """Combine rigidly joined parts; no parts give `zero`."""
        joined = list(parts)
        if len(joined) < 2 and all(part.mass for part in joined):
            return joined[0] if joined else cls.zero()
        masses = np.array([part.mass for part in joined])
        coms = np.array([part.com for part in joined])
        inertia = np.sum([part.inertia for part in joined], axis=0)
        mass = float(masses.sum())
        if mass == 0.0:
            return cls(0.0, np.zeros(3), inertia)
        com = masses @ coms / mass
        arms = coms - com
        second = (arms * masses[:, None]).T @ arms
        return cls(mass, com, inertia + np.trace(second) * np.eye(3) - 0.5 * (second + second.T))

    def __add__(self, other: Inertial) -> Inertial:
        """Join two parts rigidly: masses add, both tensors move to the common centre of mass (Steiner)."""
        if not isinstance(other, Inertial):
            return NotImplemented
        mass = self.mass + other.mass
        if mass == 0.0:
            return Inertial(0.0, np.zeros(3), self.inertia + other.inertia)
        com = (self.mass * self.com + other.mass * other.com) / mass
        apart = other.com - self.com
        reduced_mass = self.mass * (other.mass / mass)
        return Inertial(mass, com, self.inertia + other.inertia + reduced_mass * point_tensor(apart))

    def __sub__(self, part: Inertial) -> Inertial:
        """Take a part away; the inverse of `+`.

        Raises:
            InertiaError: The part weighs as much as the whole, so that the rest has no centre of mass.
        """
        if not isinstance(part, Inertial):
            return NotImplemented
        mass = self.mass - part.mass
        if mass == 0.0:
            raise InertiaError("the subtracted part has the mass of the whole, so the rest has no centre of mass")
        com = (self.mass * self.com - part.mass * part.com) / mass
        apart = part.com - com
        reduced_mass = part.mass * (mass / self.mass) if self.mass else 0.0
        return Inertial(mass, com, self.inertia - part.inertia - reduced_mass * point_tensor(apart))

    def rotate(self, rotation: ArrayLike) -> Inertial:
        """Turn the body about the frame's origin; equally, express it in axes turned the other way.

        Args:
            rotation: A rotation matrix, shape (3, 3).

        Raises:
            OptionError: It is not a rotation, but scales, shears or mirrors.
        """
        turn = named_numbers("rotation", rotation, (3, 3))
        with np.errstate(invalid="ignore", over="ignore"):
            is_turn = np.abs(turn @ turn.T - np.eye(3)).max() <= SQUARENESS and np.linalg.det(turn) > 0.0
        if not is_turn:
            raise OptionError("rotation", turn.tolist(), "a rotation matrix: orthonormal and right-handed")
        return _inertial_of_own(self.mass, turn @ self.com, rotate_tensor(turn, self.inertia))

    def shift(self, offset: ArrayLike) -> Inertial:
        """Move the body by an offset [m]; the tensor stays, being about the centre of mass."""
        return Inertial(self.mass, self.com + np.asarray(offset, dtype=np.float64), self.inertia)

    def transform(self, pose: Pose) -> Inertial:
        """Express a body given in an inner frame in the outer one, the inner frame having this pose there."""
        if pose.rotation is NO_TURN:
            return _inertial_of_own(self.mass, self.com + pose.position, self.inertia)
        turned = rotate_tensor(pose.rotation, self.inertia)
        return _inertial_of_own(self.mass, pose.rotation @ self.com + pose.position, turned)

    def scaled_to_density(self, density: float) -> Inertial:
        """Return the body with a density [kg/m^3] where this one has unit density, its mass being the volume [m^3]."""
        return _inertial_of_own(self.mass * density, self.com, self.inertia * density)

    def scaled_to_mass(self, mass: float) -> Inertial:
        """Change the density everywhere by one factor so that the mass becomes the given one [kg].

        Raises:
            InertiaError: The present mass is not positive, or so small that there is no factor.
        """
        factor = mass / self.mass if self.mass > 0.0 else math.inf
        if math.isinf(factor):
            raise InertiaError(f"mass properties of {self.mass} kg cannot be scaled to {mass:g} kg")
        return Inertial(mass, self.com, self.inertia * factor)

    def inertia_about(self, point: ArrayLike) -> Array:
        """Return the tensor about another point of the frame [kg m^2], shape (3, 3) (Steiner's theorem)."""
        return self.inertia + self.mass * point_tensor(self.com - np.asarray(point, dtype=np.float64))

    @cached_property
    def digits(self) -> Hashable:
        """All numbers; inertials with the same are equal to the last bit."""
        return self.mass, self.com.tobytes(), self.inertia.tobytes()

    @cached_property
    def _principal(self) -> tuple[Array, Array]:
        if not _all_finite(self.inertia):
            raise InertiaError("a tensor with entries that are not finite numbers has no principal moments")
        moments, axes = np.linalg.eigh(self.inertia)
        if _determinant(axes) < 0.0:
            axes[:, 0] = -axes[:, 0]
        return read_only(moments, (3,)), read_only(axes, (3, 3))

    @property
    def principal_moments(self) -> Array:
        """Eigenvalues of the tensor, ascending [kg m^2], shape (3,).

        Raises:
            InertiaError: The tensor has an entry that is no finite number.
        """
        return self._principal[0]

    @property
    def principal_axes(self) -> Array:
        """Unit principal axes as the columns of a rotation, in the order of the moments, shape (3, 3)."""
        return self._principal[1]

    @property
    def principal_pose(self) -> Pose:
        """The principal frame seen from this one: right-handed, at the centre of mass, axes in order of the moments."""
        return Pose(self.com, self.principal_axes)

    @property
    def equivalent_box(self) -> Array:
        """Edges of the solid box of the same mass and tensor, along the principal axes [m], shape (3,).

        A box has m/12 a^2 as its second moment along the edge a. An edge whose square would be negative, as of an
        impossible tensor, is zero.

        Raises:
            InertiaError: The mass is not positive, or the tensor has an entry that is no finite number.
        """
        return np.sqrt(12.0 * self._mean_squares("box"))

    @property
    def equivalent_ellipsoid(self) -> Array:
        """Semi-axes of the solid ellipsoid of the same mass and tensor, along the principal axes [m], shape (3,).

        An ellipsoid has m/5 a^2 as its second moment along the semi-axis a, hence I_a = m/5 (b^2 + c^2). A semi-axis
        whose square would be negative, as of an impossible tensor, is zero.

        Raises:
            InertiaError: The mass is not positive, or the tensor has an entry that is no finite number.
        """
        return np.sqrt(5.0 * self._mean_squares("ellipsoid"))

    def _mean_squares(self, solid: str) -> Array:
        """Return the mean squared distance along each principal axis, (I_b + I_c - I_a) / 2m [m^2], none negative."""
        if not self.mass > 0.0:
            raise InertiaError(f"mass properties of {self.mass} kg have no equivalent {solid}")
        moments = self.principal_moments
        squares: Array = np.maximum(0.5 * (moments.sum() - 2.0 * moments) / self.mass, 0.0)
        return squares

    def is_finite(self) -> bool:
        """Tell whether every number is finite."""
        return math.isfinite(self.mass) and _all_finite(self.com) and _all_finite(self.inertia)

    def validity(self) -> Validity:
        """Judge whether a rigid body with volume can have these values, and if not, whether rounding explains it.

        The mass is positive and so is the smallest principal moment; the largest moment is at most the sum of the
        others, or exceeds it as rounded decimals do, such as (3.33, 3.33, 6.67). Scale does not matter.
        """
        return self._validity

    @cached_property
    def _validity(self) -> Validity:
        if not self.is_finite() or not self.mass > 0.0:
            return Validity.INVALID
        return judge_moments(self.principal_moments)

    def is_valid(self, tolerance: float = TRIANGLE_ROUNDING) -> bool:
        """Tell whether a rigid body with volume can have these values; see `validity`.

        Args:
            tolerance: By how much the largest moment may exceed the sum of the others, as a ratio of itself; never
                by more than 1 %, which is `Validity.INVALID`.
        """
        if self.validity() is Validity.INVALID:
            return False
        return triangle_excess(self.principal_moments) <= tolerance

    def isclose(self, other: Inertial, rtol: float = 1e-9) -> bool:
        """Tell whether two bodies agree: masses and tensors relative to their size, centres to the body's size."""
        size = float(np.sqrt(np.abs(self.inertia).max() / abs(self.mass))) if self.mass else 0.0
        return bool(
            np.isclose(self.mass, other.mass, rtol=rtol, atol=0.0)
            and np.allclose(self.com, other.com, rtol=rtol, atol=rtol * size)
            and np.allclose(self.inertia, other.inertia, rtol=0.0, atol=rtol * float(np.abs(self.inertia).max()))
        )


def _number(name: str, value: object) -> float:
    """Return a number, which need not be finite.

    Raises:
        OptionError: It is none, and this is its name.
    """
    try:
        return float(value)  # type: ignore[arg-type]  # anything may be given
    except (TypeError, ValueError):
        raise OptionError(name, value, "a number") from None


def _all_finite(numbers: Array) -> bool:
    """Tell whether a few numbers are finite; NumPy takes five times as long to begin."""
    return all(map(math.isfinite, numbers.ravel().tolist()))


def _determinant(matrix: Array) -> float:
    """Return the determinant of a matrix, shape (3, 3); NumPy's takes four times as long to begin."""
    (a, b, c), (d, e, f), (g, h, i) = matrix.tolist()
    return float(a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g))


def _inertial_of_own(mass: float, com: Array, inertia: Array) -> Inertial:
    """Build from arrays that nobody else writes to, the tensor symmetric: links may have 100 000 shapes."""
    body = object.__new__(Inertial)
    object.__setattr__(body, "mass", float(mass))
    for name, array in (("com", com), ("inertia", inertia)):
        array.setflags(write=False)
        object.__setattr__(body, name, array)
    return body


ASYMMETRY_TOLERANCE = 1e-9
"""Difference of mirrored tensor entries, relative to the largest entry, that passes as rounding."""


def point_tensor(offset: Array) -> Array:
    """Return the inertia of a unit point mass at an offset [m], about the origin: |r|^2 1 - r r^T [m^2]."""
    return float(offset @ offset) * np.eye(3) - np.outer(offset, offset)


def tensor_from_six(six: ArrayLike) -> Array:
    """Build the symmetric tensor from (ixx, ixy, ixz, iyy, iyz, izz), shape (3, 3)."""
    xx, xy, xz, yy, yz, zz = np.asarray(six, dtype=np.float64)
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


UPPER_TRIANGLE = np.triu_indices(3)
"""Rows and columns of the six numbers that a symmetric tensor has, in their order."""


def six_of_tensor(tensor: Array) -> Array:
    """Return (ixx, ixy, ixz, iyy, iyz, izz) of a symmetric tensor, shape (6,)."""
    return np.asarray(tensor[UPPER_TRIANGLE])


def symmetric_part(tensor: Array) -> Array:
    """Return the mean of a tensor and its transpose, halved first: the sum of two of the largest numbers is none."""
    half = 0.5 * tensor
    return np.asarray(half + half.T)


def rotate_tensor(rotation: Array, tensor: Array) -> Array:
    """Express a symmetric tensor given in rotated axes in the outer ones: R T R^T, shape (3, 3).

    Entries that are no finite numbers spread to others, without a warning: files may declare them.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        return symmetric_part(rotation @ tensor @ rotation.T)
