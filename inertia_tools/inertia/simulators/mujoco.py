# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""MuJoCo: movable bodies need a mass and a possible tensor, to the last digit, or the file is refused."""

from inertia_tools.description.types import Format
from inertia_tools.inertia.simulators.rules import FIXED, MOVED, ROOT, Effect, Rule, Simulator, faults
from inertia_tools.inertia.simulators.state import Fault

INCOMPLETE = Rule(
    Effect.REFUSES, "refused: an inertial has a mass and a tensor", faults(Fault.NO_MASS, Fault.NO_TENSOR)
)
IMPOSSIBLE = Rule(Effect.REFUSES, "refused: positive eigenvalues, and A + B >= C to 1e-12", faults(Fault.IMPOSSIBLE))
FROM_GEOMS = Rule(
    Effect.GEOMETRY, "computed from its geoms, at 1000 kg/m^3 by default", faults(Fault.NO_INERTIAL), has_geometry=True
)
TOO_SMALL = "refused: mass and inertia of moving bodies must be larger than mjMINVAL"
BELOW_MINIMUM = Rule(
    Effect.REFUSES,
    TOO_SMALL,
    faults(Fault.NOT_FINITE, Fault.NEGATIVE_MASS, Fault.NOTHING, Fault.ZERO_MASS, Fault.ZERO_TENSOR),
    MOVED,
)

URDF = (
    INCOMPLETE,
    IMPOSSIBLE,
    Rule(Effect.IGNORES, "welded to the world, so its mass has no effect", seats=ROOT),
    Rule(Effect.LUMPS, "fused into {parent}", seats=FIXED),
    FROM_GEOMS,
    Rule(Effect.REFUSES, TOO_SMALL, faults(Fault.NOT_FINITE), MOVED),
    Rule(Effect.LUMPS, "bodies fixed to it are fused into it", seats=MOVED, is_loaded=True),
    Rule(Effect.REFUSES, TOO_SMALL, faults(Fault.NO_INERTIAL), MOVED),
    BELOW_MINIMUM,
)

MJCF = (
    INCOMPLETE,
    IMPOSSIBLE,
    FROM_GEOMS,
    Rule(Effect.REFUSES, TOO_SMALL, faults(Fault.NO_INERTIAL), MOVED, has_geometry=False),
    BELOW_MINIMUM,
)

MUJOCO = Simulator("mujoco", "MuJoCo", {Format.URDF: URDF, Format.MJCF: MJCF}, "run: mujoco 4.0.0 of PyPI")
