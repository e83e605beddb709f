# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Gazebo, through libsdformat: fixed joints of a URDF are lumped, and links that then have no mass are dropped."""

from inertia_tools.description.types import Format
from inertia_tools.inertia.simulators.rules import (
    FIXED,
    MOVED,
    ROOT,
    UNSTATED,
    WRONG,
    Effect,
    Rule,
    Simulator,
    faults,
)
from inertia_tools.inertia.simulators.state import Fault

LIGHTEST = 1e-6
"""Mass [kg] up to which libsdformat's URDF parser treats a link as massless."""

URDF = (
    Rule(
        Effect.REFUSES,
        "the negative mass is lumped into {parent}, which is refused: invalid inertia",
        faults(Fault.NEGATIVE_MASS),
        FIXED,
    ),
    Rule(
        Effect.REFUSES,
        "lumped into {parent}; both have no mass, so their centre of mass is 0/0 and the file is refused",
        seats=FIXED,
        adds_to_nothing=True,
    ),
    Rule(
        Effect.DROPS,
        "the shapes are lumped into {parent}; the {below} links below are dropped, since it has no mass",
        seats=FIXED,
        lightest=LIGHTEST,
        below=True,
    ),
    Rule(Effect.IGNORES, "the shapes are lumped into {parent}; it has no mass", seats=FIXED, lightest=LIGHTEST),
    Rule(Effect.LUMPS, "lumped into {parent}, unchecked", seats=FIXED),
    Rule(Effect.REFUSES, "the root has no mass, so no link remains", seats=ROOT, lightest=LIGHTEST),
    Rule(Effect.DROPS, "dropped with the {below} links below, since it has no mass", seats=MOVED, lightest=LIGHTEST),
    Rule(Effect.ZEROES, "the tensor is zero and the shapes are lost", faults(Fault.NO_TENSOR), is_loaded=False),
    Rule(Effect.ZEROES, "the tensor stays zero", faults(Fault.ZERO_TENSOR), is_lumped=True),
    Rule(Effect.REFUSES, "refused: invalid inertia", WRONG, is_lumped=True),
    Rule(Effect.LUMPS, "links fixed to it are lumped into it", is_loaded=True),
)

SDF = (
    Rule(Effect.GEOMETRY, "computed from collisions at their densities, as the file requests", faults(Fault.AUTO)),
    Rule(Effect.DEFAULTS, "1 kg, and 1 kg m^2 about each axis, for values that are not stated", UNSTATED),
    Rule(Effect.REFUSES, "refused: invalid inertia", WRONG | faults(Fault.NOT_FINITE)),
    Rule(Effect.ZEROES, "zero stays zero", faults(Fault.NOTHING, Fault.ZERO_MASS, Fault.ZERO_TENSOR)),
)

GAZEBO = Simulator(
    "gazebo",
    "Gazebo (libsdformat)",
    {Format.URDF: URDF, Format.SDF: SDF},
    "run: libsdformat 12.3.0 of Debian 12; automatic inertials: SDFormat 1.11, gazebosim.org/docs",
)
