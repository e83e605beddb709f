# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Checking the bodies of a builder before they are simulated, and saying what was done to them."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import warp as wp

from inertia_tools.errors import OptionError, OptionTypeError, SimulationError
from inertia_tools.inertial import Inertial
from inertia_tools.kernel_loading import launch
from inertia_tools.sim.scene.carried_frames import SHARE, with_shares
from inertia_tools.sim.scene.given import as_number, as_numbers, is_number
from inertia_tools.sim.scene.inertia_kernel import RuleNumbers, check_inertia
from inertia_tools.sim.scene.inertia_rules import CONSTANTS, Numbers, Rule, numbers_of
from inertia_tools.sim.scene.inertia_sentences import moments, sentences
from inertia_tools.sim.scene.notices import InertiaWarning
from inertia_tools.sim.scene.scene import Scene
from inertia_tools.sim.scene.sound_bodies import surely_sound
from inertia_tools.spatial import Array, ArrayLike

TO_CALLER_OF_FINALIZE = 5
"""Frames between a warning given here and the line that called `ModelBuilder.finalize`."""

INERTIA_ENTRIES = 9
"""Numbers of a tensor, as a matrix or in one row."""


@dataclass(frozen=True, eq=False)
class CheckedBodies:
    """Mass properties after the checks.

    Attributes:
        inertials: Those of each body, in its own frame.
        count: Number of bodies that broke a rule.
        codes: The rules that each body broke, as `Rule` bits; None when they were not asked for.
    """

    inertials: tuple[Inertial, ...]
    count: int
    codes: np.ndarray | None


def validated_inertials(builder: Scene, device: str, dtype: str) -> tuple[Inertial, ...]:
    """Check and correct the bodies of a builder, whose lists stay as they are, and warn of what was wrong.

    Raises:
        OptionError: A setting of the builder is invalid.
    """
    detailed = builder.validate_inertia_detailed
    checked = check_bodies(builder, device, with_codes=detailed, dtype=dtype)
    if checked.count and checked.codes is None:
        _warn(
            f"mass properties of {checked.count} of {builder.body_count} bodies are impossible, incomplete or out of "
            "bounds; set validate_inertia_detailed = True on the builder for details"
        )
    if checked.codes is not None:
        for body in np.flatnonzero(checked.codes).tolist():
            before = builder.body_mass[body], builder.body_inertia[body]
            for sentence in sentences(before, Rule(int(checked.codes[body])), checked.inertials[body]):
                _warn(f"body {builder.body_name[body]!r}: {sentence}")
    inertials, carried = with_shares(builder, checked.inertials)
    if carried:
        named = ", ".join(repr(builder.body_name[body]) for body in carried)
        _warn(
            f"massless frames on fixed joints take {SHARE:g} of the mass of their parent, as a body without mass does "
            f"not move: {named}; collapse_fixed_joints merges them instead"
        )
    massless = _massless(builder, inertials)
    if massless:
        _warn(
            f"bodies without mass do not move: {', '.join(massless)}; give each a mass or a shape with density, or "
            "is_kinematic=True if it is not to move"
        )
    return inertials


def unchecked_inertials(builder: Scene) -> tuple[Inertial, ...]:
    """Return the mass properties of the bodies of a builder as they are.

    Raises:
        SimulationError: The tensor of a body with mass has no inverse, or a number is not finite.
    """
    for body, (mass, tensor) in enumerate(zip(builder.body_mass, builder.body_inertia, strict=True)):
        usable = np.isfinite([mass, *np.ravel(tensor), *builder.body_com[body]]).all()
        if not usable or (mass > 0.0 and np.linalg.matrix_rank(tensor, tol=0.0) < 3):
            raise SimulationError(
                f"body {builder.body_name[body]!r} cannot move with {mass:g} kg and {moments(tensor)}; "
                "omit skip_validation_inertia to repair it"
            )
    return tuple(builder.inertial(body) for body in range(builder.body_count))


def check_bodies(builder: Scene, device: str, with_codes: bool, dtype: str = "float64") -> CheckedBodies:
    """Apply the rules to every body of a builder, for a model of that precision: on a device where any may be broken.

    Raises:
        OptionError: A setting of the builder is invalid.
    """
    constants = {name: getattr(builder, name) for name in CONSTANTS}
    chosen, count = numbers_of(builder.inertia_repair, dtype, constants), builder.body_count
    bounds = {name: _bound(builder, name) for name in ("bound_mass", "bound_inertia")}
    mass = np.array(builder.body_mass, dtype=np.float64)
    com, inertia = _stacked(builder.body_com, (count, 3)), _stacked(builder.body_inertia, (count, 3, 3))
    if surely_sound(mass, com, inertia, chosen, **bounds):
        inertials = tuple(Inertial(m, c, i) for m, c, i in zip(mass, com, inertia, strict=True))
        return CheckedBodies(inertials, 0, np.zeros(count, dtype=np.int32) if with_codes else None)
    numbers = rule_numbers(chosen, bounds, balance=builder.balance_inertia)
    return check_on_device(mass, com, inertia, numbers, device, with_codes=with_codes)


def check_on_device(
    mass: Array, com: Array, inertia: Array, numbers: Any, device: str, *, with_codes: bool
) -> CheckedBodies:
    """Apply the rules to bodies on a device.

    Args:
        mass: Shape (n,) [kg].
        com: Centres of mass, shape (n, 3) [m].
        inertia: Tensors about them, shape (n, 3, 3) [kg m^2].
        numbers: `RuleNumbers`.
        device: The Warp device.
        with_codes: Whether to return the rules that each body broke.
    """
    count = len(mass)
    with wp.ScopedDevice(device):
        masses: Any = wp.array(mass, dtype=wp.float64)
        centres: Any = wp.array(com, dtype=wp.vec3d)
        tensors: Any = wp.array(inertia, dtype=wp.mat33d)
        codes, broken = wp.zeros(count, dtype=wp.int32), wp.zeros(1, dtype=wp.int32)
        launch(check_inertia, count, [numbers, masses, centres, tensors], [codes, broken], device)
        rows = zip(masses.numpy(), centres.numpy(), tensors.numpy(), strict=True)
        inertials = tuple(Inertial(m, c, i) for m, c, i in rows)
        return CheckedBodies(inertials, int(broken.numpy()[0]), codes.numpy() if with_codes else None)


def verify_and_correct_inertia(
    mass: float,
    inertia: ArrayLike,
    balance_inertia: bool = True,
    bound_mass: float | None = None,
    bound_inertia: float | None = None,
    body_label: str | None = None,
    *,
    inertia_repair: str = "relative",
) -> tuple[float, Array, bool]:
    """Apply the checks of `ModelBuilder.finalize` to the mass properties of one body, and warn of each rule it breaks.

    Args:
        mass: Mass [kg].
        inertia: Tensor about the centre of mass [kg m^2], shape (3, 3).
        balance_inertia: Repair a violation of the triangle inequality; otherwise only name it.
        bound_mass: Smallest mass above zero [kg]; None for no bound.
        bound_inertia: Smallest moment of a body with mass [kg m^2]; None for no bound.
        body_label: Name of the body in warnings.
        inertia_repair: "relative" or "absolute", as on the builder.

    Returns:
        Mass [kg], tensor [kg m^2] of shape (3, 3), and whether either was changed.

    Raises:
        OptionError: The tensor is not of shape (3, 3), a bound is negative, or the repair is unknown.
    """
    if not is_number(mass):
        raise OptionTypeError("mass", mass, "a number")
    tensor = as_numbers("inertia", inertia, "a matrix, shape (3, 3)")
    if tensor.size != INERTIA_ENTRIES:
        raise OptionError("inertia", tensor.shape, "a matrix, shape (3, 3)")
    tensor = tensor.reshape(3, 3)
    bounds = {"bound_mass": _usable_bound("bound_mass", bound_mass)}
    bounds["bound_inertia"] = _usable_bound("bound_inertia", bound_inertia)
    numbers = rule_numbers(numbers_of(inertia_repair), bounds, balance=balance_inertia)
    one = np.array([mass], dtype=np.float64), np.zeros((1, 3)), tensor[None]
    checked = check_on_device(*one, numbers, "cpu", with_codes=True)
    broken = Rule(0 if checked.codes is None else int(checked.codes[0]))
    after, named = checked.inertials[0], "" if body_label is None else f"body {body_label!r}: "
    for sentence in sentences((mass, tensor), broken, after):
        warnings.warn(named + sentence, InertiaWarning, stacklevel=2)
    return after.mass, after.inertia, bool(broken & ~Rule.TRIANGLE_LEFT)


def _stacked(values: list[Array], shape: tuple[int, ...]) -> Array:
    return np.reshape(np.array(values, dtype=np.float64), shape)


def _bound(builder: Scene, name: str) -> float:
    """Return a bound of the builder, zero where it has none."""
    return _usable_bound(name, getattr(builder, name))


def _usable_bound(name: str, bound: float | None) -> float:
    if bound is not None and not 0.0 <= as_number(bound) < math.inf:
        raise OptionError(name, bound, "None, or a finite number, zero or more")
    return bound or 0.0


def rule_numbers(chosen: Numbers, bounds: dict[str, float], *, balance: bool) -> Any:
    """Return the settings as the kernel takes them; bounds are zero where there are none."""
    numbers: Any = RuleNumbers()
    for field in fields(Numbers):
        setattr(numbers, field.name, getattr(chosen, field.name))
    for name, bound in bounds.items():
        setattr(numbers, name, bound)
    numbers.balance = int(bool(balance))
    return numbers


def _massless(builder: Scene, inertials: tuple[Inertial, ...]) -> list[str]:
    """Name the bodies that answer to forces and have no mass."""
    bodies = zip(builder.body_name, inertials, builder.body_kinematic, strict=True)
    return [repr(name) for name, inertial, kinematic in bodies if inertial.mass == 0.0 and not kinematic]


def _warn(message: str) -> None:
    warnings.warn(message, InertiaWarning, stacklevel=TO_CALLER_OF_FINALIZE)
