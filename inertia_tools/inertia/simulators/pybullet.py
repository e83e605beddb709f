# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""PyBullet: a URDF's tensors are ignored by default, and never checked."""

from inertia_tools.description.types import Format
from inertia_tools.inertia.simulators.rules import Effect, Rule, Simulator, faults
from inertia_tools.inertia.simulators.state import Fault

FLAG = "URDF_USE_INERTIA_FROM_FILE"

URDF = (
    Rule(
        Effect.DEFAULTS,
        f"1 kg, tensor from the collisions; the identity with {FLAG}",
        faults(Fault.NO_INERTIAL),
    ),
    Rule(Effect.REFUSES, "refused: mass and tensor are required", faults(Fault.NO_MASS, Fault.NO_TENSOR)),
    Rule(
        Effect.ZEROES,
        "mass 0: the link stays where its joint holds it, as if it were infinitely heavy",
        faults(Fault.ZERO_MASS, Fault.NOTHING),
    ),
    Rule(Effect.IGNORES, "taken unchecked: the state becomes NaN", faults(Fault.NOT_FINITE)),
    Rule(Effect.IGNORES, "the negative mass is taken unchecked", faults(Fault.NEGATIVE_MASS)),
    Rule(
        Effect.IGNORES,
        f"the tensor is ignored, that of the collisions taken; set to zero with {FLAG}",
        faults(Fault.IMPOSSIBLE, Fault.ZERO_TENSOR),
    ),
    Rule(
        Effect.IGNORES,
        f"the tensor is ignored, that of a box around the collisions taken; as stated with {FLAG}",
        has_geometry=True,
    ),
    Rule(
        Effect.IGNORES,
        f"the tensor is ignored, under 1e-6 kg m^2 a kilogram taken, having no collision; as stated with {FLAG}",
    ),
)

PYBULLET = Simulator("pybullet", "PyBullet", {Format.URDF: URDF}, "run: pybullet 3.2.7 of PyPI")
