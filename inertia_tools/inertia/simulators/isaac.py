# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Isaac Sim, through PhysX and USD's physics schema, in which zero means not stated."""

from inertia_tools.description.types import Format
from inertia_tools.inertia.simulators.rules import FIXED, Effect, Rule, Simulator, faults
from inertia_tools.inertia.simulators.state import Fault

USD = (
    Rule(
        Effect.GEOMETRY,
        "computed from its colliders at 1000 kg/m^3 by default: zero means not stated",
        faults(Fault.NO_INERTIAL, Fault.NO_MASS, Fault.NO_TENSOR, Fault.NOTHING, Fault.ZERO_MASS, Fault.ZERO_TENSOR),
        has_geometry=True,
    ),
    Rule(Effect.IGNORES, "a frame without a mass of its own", faults(Fault.NO_INERTIAL), FIXED),
    Rule(
        Effect.DEFAULTS,
        "1 kg and the tensor of a small ball: it has no collider",
        faults(Fault.NO_INERTIAL, Fault.NO_MASS, Fault.NO_TENSOR, Fault.NOTHING, Fault.ZERO_MASS, Fault.ZERO_TENSOR),
    ),
    Rule(
        Effect.IGNORES,
        "a negative or unbounded mass is outside the schema; it is ignored",
        faults(Fault.NEGATIVE_MASS, Fault.NOT_FINITE),
    ),
    Rule(Effect.AS_STATED, "taken unchecked; the body may rotate ever faster", faults(Fault.IMPOSSIBLE)),
)

ISAAC = Simulator(
    "isaac",
    "Isaac Sim (PhysX)",
    {Format.URDF: USD, Format.USD: USD},
    "not run: OpenUSD's UsdPhysicsMassAPI and the URDF importer, which writes it; docs.omniverse.nvidia.com",
)
