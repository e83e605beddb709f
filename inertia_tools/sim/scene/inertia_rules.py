# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The rules that mass properties must satisfy before a simulation, and the parameters of repairs."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, replace

from inertia_tools.errors import OptionError
from inertia_tools.inertia.compute import WATER
from inertia_tools.inertia.nearest import MOMENT_FLOOR
from inertia_tools.sim.scene.given import as_number
from inertia_tools.validity import DEFINITE_TOLERANCE, TRIANGLE_ROUNDING


class Rule(enum.IntFlag):
    """A rule that a body broke, in the order in which they are applied."""

    NON_FINITE = 1
    NEGATIVE_MASS = 2
    SMALL_MASS = 4
    INERTIA_WITHOUT_MASS = 8
    ASYMMETRIC = 16
    ASSUMED_SPHERE = 32
    NOT_DEFINITE = 64
    SMALL_MOMENT = 128
    TRIANGLE = 256
    TRIANGLE_LEFT = 512


SENTENCES = {
    Rule.NON_FINITE: "A value is NaN/Inf, so mass and tensor are set to zero",
    Rule.NEGATIVE_MASS: "Negative mass is set to zero",
    Rule.SMALL_MASS: "Mass {mass:g} is below bound_mass and is raised to it",
    Rule.INERTIA_WITHOUT_MASS: "A body without mass should have zero inertia, so its tensor is set to zero",
    Rule.ASYMMETRIC: "The tensor is not symmetric; mirrored entries are averaged",
    Rule.ASSUMED_SPHERE: f"The mass has no tensor; a solid sphere of {WATER:g} kg/m^3 is assumed",
    Rule.NOT_DEFINITE: "Eigenvalues below threshold detected: the tensor is not positive definite; all moments are "
    "raised",
    Rule.SMALL_MOMENT: "Minimum eigenvalue {low:g} of the tensor is below bound_inertia; all moments are raised",
    Rule.TRIANGLE: "The triangle inequality fails: the largest moment exceeds the sum of the others; all are raised",
    Rule.TRIANGLE_LEFT: "The triangle inequality fails: the largest moment exceeds the sum of the others; "
    "it is kept, as balance_inertia is off",
}
"""Message of each rule; {mass} [kg] and {low}, the smallest moment [kg m^2], are the values before the repair."""

SINGLE_PRECISION = 2.0**-23
"""Spacing of single-precision numbers about 1."""

LEAST_SINGLE, LARGEST_SINGLE = 2.0**-149, 2.0**128 * (1.0 - 2.0**-24)
"""Least number above zero and largest of single precision: Newton's constants are of that."""

NO_CONSTANTS: Mapping[str, float | None] = {}

TRIANGLE_MARGIN = 8 * SINGLE_PRECISION
"""How far inside the triangle inequality a repair ends, as a ratio of the largest moment: rounding the entries of the
tensor to single precision moves each moment by less than two spacings."""


@dataclass(frozen=True)
class Numbers:
    """Thresholds and targets of repairs, each a ratio to the largest moment or, if larger, a size [kg m^2].

    Attributes:
        definite_ratio, definite_size: A smallest moment below this is repaired.
        floor_ratio, floor_size: What it becomes.
        triangle_ratio, triangle_size: An excess over the triangle inequality beyond this is repaired.
        margin_ratio: How far inside the inequality that ends.
        extra: Added to every repair [kg m^2].
        sphere_density: Density of the sphere that stands in for a missing tensor [kg/m^3]; zero for none.
    """

    definite_ratio: float
    floor_ratio: float
    triangle_ratio: float
    margin_ratio: float
    definite_size: float = 0.0
    floor_size: float = 0.0
    triangle_size: float = 0.0
    extra: float = 0.0
    sphere_density: float = 0.0


RELATIVE = Numbers(
    definite_ratio=DEFINITE_TOLERANCE,
    floor_ratio=MOMENT_FLOOR,
    triangle_ratio=TRIANGLE_ROUNDING,
    margin_ratio=TRIANGLE_MARGIN,
    sphere_density=WATER,
)
"""Repairs that do not depend on the unit or the size of a body, and touch nothing that a body can have."""

ABSOLUTE = Numbers(
    definite_ratio=1e-6,
    definite_size=1e-10,
    floor_ratio=1e-6,
    floor_size=1e-10,
    triangle_ratio=SINGLE_PRECISION,
    triangle_size=1e-10,
    margin_ratio=0.0,
    extra=1e-6,
)
"""Newton's constants, made for bodies of about a kilogram and a metre: they inflate the tensors of small parts."""

REPAIRS = {"relative": RELATIVE, "absolute": ABSOLUTE}


CONSTANTS = {
    "inertia_relative_tolerance": ("definite_ratio", "floor_ratio"),
    "inertia_absolute_tolerance": ("definite_size", "floor_size"),
    "inertia_correction": ("extra",),
}
"""Newton's names of the constants of absolute repairs."""


def numbers_of(repair: str, dtype: str = "float64", constants: Mapping[str, float | None] = NO_CONSTANTS) -> Numbers:
    """Return the numbers of a kind of repair, for a model of that precision.

    A body so thin that single precision cannot hold the inverse of its tensor is made as thick as it can.

    Args:
        repair: "relative" or "absolute".
        dtype: Precision of the model.
        constants: Those of `CONSTANTS` that differ from Newton's; with one that is not None repairs are absolute.

    Raises:
        OptionError: It is neither, or a constant is not a number of single precision, zero or more.
    """
    if repair not in REPAIRS:
        raise OptionError("inertia_repair", repair, "one of " + ", ".join(REPAIRS))
    given = {name: value for name, value in constants.items() if value is not None}
    numbers = ABSOLUTE if given else REPAIRS[repair]
    for name, value in given.items():
        least = LEAST_SINGLE if name == "inertia_absolute_tolerance" else 0.0
        if not least <= as_number(value) <= LARGEST_SINGLE:
            raise OptionError(name, value, f"a number of single precision, {least:g} or more")
        numbers = replace(numbers, **dict.fromkeys(CONSTANTS[name], float(value)))
    if dtype != "float32" or given:
        return numbers
    return replace(numbers, definite_ratio=max(numbers.definite_ratio, numbers.floor_ratio))
