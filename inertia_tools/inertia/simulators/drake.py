# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Drake: an impossible inertial is replaced by a sphere of water's density, with a warning; in MJCF it is refused."""

from inertia_tools.description.types import Format
from inertia_tools.inertia.simulators.rules import MOVED, UNSTATED, Effect, Rule, Simulator, faults
from inertia_tools.inertia.simulators.state import Fault

SPHERE = Rule(
    Effect.SUBSTITUTES,
    "replaced by a solid sphere of {mass:g} kg at 1000 kg/m^3, with a warning",
    faults(Fault.IMPOSSIBLE),
)
KILOGRAM = "replaced by a solid sphere of 1 kg at 1000 kg/m^3, with a warning"
POINT = Rule(Effect.ZEROES, "treated as a point mass", faults(Fault.ZERO_TENSOR))

URDF = (
    Rule(
        Effect.ZEROES,
        "0 kg, without a warning; dynamics fail",
        faults(Fault.NO_INERTIAL, Fault.NOTHING),
        MOVED,
        lightest=0.0,
    ),
    Rule(Effect.IGNORES, "0 kg, which is harmless there", faults(Fault.NO_INERTIAL, Fault.NOTHING)),
    Rule(Effect.ZEROES, "a point mass, without a warning", faults(Fault.NO_TENSOR)),
    POINT,
    Rule(Effect.SUBSTITUTES, KILOGRAM, faults(Fault.NO_MASS, Fault.ZERO_MASS, Fault.NEGATIVE_MASS)),
    Rule(Effect.REFUSES, "refused: not a number", faults(Fault.NOT_FINITE)),
    SPHERE,
)

SDF = (
    Rule(Effect.DEFAULTS, "1 kg, and 1 kg m^2 about each axis, for values that are not stated", UNSTATED),
    Rule(Effect.ZEROES, "0 kg, without a warning", faults(Fault.NOTHING)),
    POINT,
    Rule(Effect.SUBSTITUTES, KILOGRAM, faults(Fault.ZERO_MASS, Fault.NEGATIVE_MASS, Fault.NOT_FINITE)),
    SPHERE,
)

MJCF = (
    Rule(Effect.GEOMETRY, "computed from its geoms", faults(Fault.NO_INERTIAL), has_geometry=True),
    Rule(Effect.ZEROES, "0 kg, without a warning", faults(Fault.NO_INERTIAL)),
    POINT,
    Rule(
        Effect.REFUSES,
        "refused: mass and a possible tensor are required",
        faults(
            Fault.NO_MASS,
            Fault.NO_TENSOR,
            Fault.NOT_FINITE,
            Fault.NEGATIVE_MASS,
            Fault.NOTHING,
            Fault.ZERO_MASS,
            Fault.IMPOSSIBLE,
        ),
    ),
)

DRAKE = Simulator(
    "drake", "Drake", {Format.URDF: URDF, Format.SDF: SDF, Format.MJCF: MJCF}, "run: drake 1.51.1 of PyPI"
)
