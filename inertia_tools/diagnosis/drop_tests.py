# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The settle test of a robot before and after `fix`, with each result in a sentence."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

from inertia_tools.description.types import Description
from inertia_tools.errors import InertiaToolsError
from inertia_tools.inertia.correction import Correction
from inertia_tools.sim.fall import UPRIGHT_TILT, find_fall
from inertia_tools.sim.scene.notices import SceneWarning
from inertia_tools.sim.settle import SettleResult, settle


@dataclass(frozen=True, eq=False)
class DropTest:
    """The result of a settle test.

    Attributes:
        stands: The ground carries its weight, and nothing moves at the end.
        said: The result in a sentence.
        result: The measurements; None if the robot was refused, or its state became non-finite.
    """

    stands: bool
    said: str
    result: SettleResult | None = None


DROP = 0.01
"""Drop height [m]."""


def drop_test(robot: Description, *, seconds: float, fixed_base: bool) -> DropTest:
    """Run the settle test; a robot that cannot be simulated fails it.

    Args:
        robot: The description.
        seconds: Simulated time [s].
        fixed_base: The root is bolted to the world.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SceneWarning)
            result = settle(robot, seconds=seconds, drop=DROP, fixed_base=fixed_base, efforts=True)
    except InertiaToolsError as error:
        return DropTest(False, f"cannot be simulated: {error}")
    fell = _fall(robot, result)
    if result.stands and not fell:
        held = "held" if result.fixed_base else f"carried by {result.contact_force:.4g} N of {result.weight:.4g} N"
        leans = f", leaning by {math.degrees(result.tilt):.0f} degrees" if result.tilt > UPRIGHT_TILT else ""
        return DropTest(True, f"stands{leans}: {held}, drift {1e3 * result.drift:.2g} mm", result)
    moves = (
        f"contact force {result.contact_force:.4g} N against a weight of {result.weight:.4g} N, drift "
        f"{1e3 * result.drift:.3g} mm in the last half second"
    )
    return DropTest(False, f"does not stand: {fell or moves}", result)


def drop_tests(correction: Correction, *, seconds: float, fixed_base: bool) -> tuple[DropTest, DropTest]:
    """Run the test before and after a correction; only once if the correction changes nothing."""
    before = drop_test(correction.robot, seconds=seconds, fixed_base=fixed_base)
    if not correction.changes:
        return before, before
    return before, drop_test(correction.corrected, seconds=seconds, fixed_base=fixed_base)


def _fall(robot: Description, result: SettleResult) -> str:
    """Return how a robot fell; nothing if it did not, or is a world."""
    if robot.is_world or result.fixed_base:
        return ""
    root = result.start.names.index(robot.root)
    states = (result.start, result.end)
    fall = find_fall(
        robot.root,
        [state.time for state in states],
        [state.positions[root] for state in states],
        [state.quaternions[root] for state in states],
    )
    if fall is None:
        return ""
    degrees, sink = math.degrees(fall.tilt), 1e3 * fall.sink
    return f"it fell: {robot.root!r} leans by {degrees:.0f} degrees and is {sink:.0f} mm lower than at the start"
