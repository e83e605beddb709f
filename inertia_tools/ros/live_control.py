# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Joints that are held or commanded when the way in which joints follow is changed. Nothing here knows about ROS."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from inertia_tools.ros.joint_control import JointControl
from inertia_tools.ros.simulation_world import World

if TYPE_CHECKING:
    from inertia_tools.sim.simulation import Simulation


@dataclass(frozen=True)
class ChangeControl:
    """A change on its way to a world, of how its driven joints follow.

    Attributes:
        control: How they follow from now on.
    """

    control: JointControl

    def apply(self, world: World) -> None:
        """Have joints that are driven follow in another way, now and after a reset; what they aim at stays."""
        simulation = world.simulation
        if simulation is None or world.start is None:
            return
        if world.guide is not None:
            world.guide.control = self.control
        now = simulation.save()
        simulation.restore(world.start)
        self._drive(simulation)
        world.start = simulation.save()
        simulation.restore(now)
        self._drive(simulation)

    def _drive(self, simulation: Simulation) -> None:
        """Give drives that have gains others: a stiffness to those with one, a damping to all."""
        now = simulation.dof_gains()
        stiff = {name for name, one in zip(simulation.dof_names, now.drive_stiffness, strict=True) if one > 0.0}
        damped = {name for name, one in zip(simulation.dof_names, now.drive_damping, strict=True) if one > 0.0}
        driven = [name for name in simulation.joint_names if name in stiff | damped]
        gains = self.control.gains_of(simulation, driven)
        simulation.set_joint_gains(
            {name: gains[name][0] for name in driven if name in stiff}, {name: gains[name][1] for name in driven}
        )
        self.control.bound(simulation, driven)
