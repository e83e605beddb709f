# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A slider for each joint with one coordinate."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from inertia_tools.description.joint import Joint, JointType
from inertia_tools.description.kinematics import coordinate_joints
from inertia_tools.description.types import Description

STEPS = 200
"""Number of steps of a slider."""

WIDEST = {JointType.PRISMATIC: 1.0}
"""Range of joints without limits to each side [m]; for rotational joints it is half a turn."""


class JointSliders:
    """Sliders in the panel of a page."""

    def __init__(self, server: Any, robot: Description, pose: Callable[[Mapping[str, float]], None]) -> None:
        """Add the sliders at the current insertion point of the page.

        Args:
            server: Server of the page.
            robot: Robot of the joints.
            pose: Called with all positions [rad or m] after a change, in a thread of viser.
        """
        self._pose = pose
        self._sliders: dict[str, Any] = {}
        joints = coordinate_joints(robot)
        if not joints:
            server.gui.add_html("<p>No joint moves.</p>")
            return
        server.gui.add_button("all to zero").on_click(lambda _: self.reset())
        for name, joint in joints.items():
            low, high = _range_of(joint)
            unit = "m" if joint.type is JointType.PRISMATIC else "rad"
            slider = server.gui.add_slider(
                name, min=low, max=high, step=(high - low) / STEPS, initial_value=min(max(0.0, low), high), hint=unit
            )
            slider.on_update(lambda _: self._pose(self.positions))
            self._sliders[name] = slider

    @property
    def positions(self) -> dict[str, float]:
        """Positions of the sliders [rad or m], by the names of the joints."""
        return {name: float(slider.value) for name, slider in self._sliders.items()}

    def reset(self) -> None:
        """Set all to zero, or to the nearest limit."""
        for slider in self._sliders.values():
            slider.value = min(max(0.0, slider.min), slider.max)
        self._pose(self.positions)


def _range_of(joint: Joint) -> tuple[float, float]:
    """Return the range of a joint [rad or m]."""
    widest = WIDEST.get(joint.type, math.pi)
    low = joint.limit.lower if joint.limit.lower is not None else -widest
    high = joint.limit.upper if joint.limit.upper is not None else widest
    if joint.type is JointType.CONTINUOUS or not (math.isfinite(low) and math.isfinite(high) and low < high):
        return -widest, widest
    return float(low), float(high)
