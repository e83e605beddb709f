# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Changes of joint control while joints are held or commanded. Nothing here depends on ROS."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from inertia_tools.ros.joint_control import JointControl
from inertia_tools.ros.simulation_world import World

if TYPE_CHECKING:
    from inertia_tools.sim.simulation import Simulation


@dataclass(frozen=True)
class ChangeControl:
    """A change of joint control for a world.

    Attributes:
        control: The new joint control.
    """

    control: JointControl

    def apply(self, world: World) -> None:
        """Change the gains and limits of drives, now and after a reset; their targets stay unchanged."""
        simulation = world.simulation
        if simulation is None or world.start is None:
            return
        for guide in world.guides:
            guide.control = self.control
        now = simulation.save()
        simulation.restore(world.start)
        self._drive(simulation)
        world.start = simulation.save()
        simulation.restore(now)
        self._drive(simulation)

    def _drive(self, simulation: Simulation) -> None:
        """Change the gains of drives: a new stiffness for those that have one, a new damping for all."""
        now = simulation.dof_gains()
        stiff = {name for name, one in zip(simulation.dof_names, now.drive_stiffness, strict=True) if one > 0.0}
        damped = {name for name, one in zip(simulation.dof_names, now.drive_damping, strict=True) if one > 0.0}
        driven = [name for name in simulation.joint_names if name in stiff | damped]
        gains = self.control.gains_of(simulation, driven)
        simulation.set_joint_gains(
            {name: gains[name][0] for name in driven if name in stiff}, {name: gains[name][1] for name in driven}
        )
        self.control.bound(simulation, driven)
