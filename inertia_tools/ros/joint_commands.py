# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Conversion of joint command messages to commands for a world."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sensor_msgs.msg import JointState

from inertia_tools.errors import SimulationError
from inertia_tools.ros.joint_control import JointControl, JointTargets
from inertia_tools.ros.scopes import ALL, full_names
from inertia_tools.ros.simulation_world import World
from inertia_tools.wording import counted


@dataclass(frozen=True)
class JointCommand:
    """A joint command for a world.

    Attributes:
        targets: The targets.
        control: The joint control.
        scopes: Prefixes of the names of joints.
    """

    targets: JointTargets
    control: JointControl
    scopes: tuple[str, ...] = ALL

    def apply(self, world: World) -> list[str]:
        """Set the targets in a world and return the names of unknown joints.

        Raises:
            InertiaToolsError: The command is refused; nothing changes then.
        """
        simulation = world.sound
        names = full_names(self.targets.names, self.scopes, set(simulation.joint_names))
        targets = self.targets.renamed(names)
        limited = self.control.check(simulation, targets)
        world.drop_guides(targets.names)
        self.control.drive(simulation, limited)
        return [name for name, found in names.items() if not found]


def targets_of(message: JointState) -> JointTargets:
    """Read a joint command; NaN leaves its joint unchanged.

    Raises:
        SimulationError: A joint is named twice, the length of an array is neither zero nor the number of names, or a
            number is infinite.
    """
    twice = [name for name, count in Counter(message.name).items() if count > 1]
    if twice:
        raise SimulationError(f"joint command with duplicate names {', '.join(map(repr, twice))}")

    def pick(kind: str, values: Sequence[float]) -> dict[str, float]:
        if not len(values):
            return {}
        if len(values) != len(message.name):
            said = f"{counted(len(message.name), 'name')} and {counted(len(values), f'{kind} value')}"
            raise SimulationError(f"joint command with {said}")
        given = {name: value for name, value in zip(message.name, values, strict=True) if not math.isnan(value)}
        for name, value in given.items():
            if math.isinf(value):
                raise SimulationError(
                    f"{kind} command of joint {name!r} is infinite; write a finite "
                    "value, or NaN to leave the joint unchanged"
                )
        return given

    return JointTargets(
        pick("position", message.position), pick("velocity", message.velocity), pick("effort", message.effort)
    )
