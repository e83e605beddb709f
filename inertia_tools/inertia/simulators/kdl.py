# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""RViz and KDL, behind robot_state_publisher: inertials that urdfdom cannot read are dropped, the rest is unchecked."""

from inertia_tools.description.types import Format
from inertia_tools.inertia.simulators.rules import ROOT, Effect, Rule, Simulator, faults
from inertia_tools.inertia.simulators.state import Fault

NOTHING_TO_WEIGH = faults(Fault.NO_INERTIAL, Fault.NOTHING, Fault.ZERO_MASS)

URDF = (
    Rule(
        Effect.ZEROES,
        "urdfdom gives up on the link where the inertial is: no inertial, no shapes, and a message",
        faults(Fault.NO_MASS, Fault.NO_TENSOR, Fault.NOT_FINITE),
    ),
    Rule(Effect.IGNORES, "0 kg, which has no effect on kinematics", NOTHING_TO_WEIGH),
    Rule(
        Effect.IGNORES,
        "KDL ignores the inertial of a root, with a warning; put an empty link above it",
        seats=ROOT,
    ),
)

KDL = Simulator(
    "kdl",
    "RViz, KDL",
    {Format.URDF: URDF},
    "urdfdom run behind libsdformat 12.3.0 and pin 4.1.0; root: kdl_parser's warning, kdl_parser.cpp (not run)",
)
