# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Newton: impossible inertials are corrected when the model is finalized."""

from inertia_tools.description.types import Format
from inertia_tools.inertia.simulators.rules import FIXED, ROOT, Effect, Rule, Simulator, faults
from inertia_tools.inertia.simulators.state import Fault

FROM_SHAPES = Rule(
    Effect.GEOMETRY, "computed from its shapes at 1000 kg/m^3", faults(Fault.NO_INERTIAL), has_geometry=True
)
FRAME = Rule(
    Effect.IGNORES,
    "0 kg, which is harmless there",
    faults(Fault.NO_INERTIAL, Fault.NOTHING, Fault.ZERO_MASS),
    FIXED | ROOT,
)
NOTHING_LEFT = Rule(
    Effect.ZEROES,
    "0 kg and a zero tensor, so it does not move",
    faults(Fault.NO_INERTIAL, Fault.NOT_FINITE, Fault.NEGATIVE_MASS, Fault.NOTHING, Fault.ZERO_MASS),
)
FLOOR = Rule(Effect.SUBSTITUTES, "moments of 1e-6 kg m^2", faults(Fault.ZERO_TENSOR))
RAISED = Rule(
    Effect.SUBSTITUTES,
    "all moments are raised by one amount until the tensor is possible, with a warning",
    faults(Fault.IMPOSSIBLE),
)

URDF = (
    FROM_SHAPES,
    FRAME,
    NOTHING_LEFT,
    FLOOR,
    Rule(Effect.GEOMETRY, "the mass of its shapes at 1000 kg/m^3", faults(Fault.NO_MASS), has_geometry=True),
    Rule(
        Effect.SUBSTITUTES,
        "the tensor of its shapes at 1000 kg/m^3, whatever the mass",
        faults(Fault.NO_TENSOR),
        has_geometry=True,
    ),
    Rule(Effect.ZEROES, "zero for values that are not stated", faults(Fault.NO_MASS, Fault.NO_TENSOR)),
    RAISED,
)

MJCF = (
    FROM_SHAPES,
    FRAME,
    NOTHING_LEFT,
    FLOOR,
    Rule(Effect.ZEROES, "0 kg and a zero tensor, so it does not move", faults(Fault.NO_MASS)),
    Rule(Effect.SUBSTITUTES, "moments of 1e-6 kg m^2", faults(Fault.NO_TENSOR)),
    Rule(Effect.REFUSES, "refused, or a negative moment raised: A + B >= C", faults(Fault.IMPOSSIBLE)),
)

NEWTON = Simulator(
    "newton", "Newton", {Format.URDF: URDF, Format.MJCF: MJCF}, "run: newton 1.8.0 of PyPI, add_urdf and add_mjcf"
)
