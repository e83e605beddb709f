# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What the drives of a scene give at a state: one entry a degree of freedom, found on the device after a step."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import warp as wp

from inertia_tools.kernel_loading import launch
from inertia_tools.sim.xpbd.drive_efforts import drive_effort_kernel

if TYPE_CHECKING:
    from inertia_tools.sim.device.control import Control
    from inertia_tools.sim.device.model import Model
    from inertia_tools.sim.device.state import State

NAMESPACE, NAME = "mujoco", "qfrc_actuator"
DRIVE_EFFORTS = f"{NAMESPACE}:{NAME}"
"""What states call them, by Newton's name."""


def add_drive_efforts(model: Model, custom: dict[str, Any]) -> None:
    """Give a state that is made room for the efforts of drives, which are zero before the first step."""
    holder = custom.setdefault(NAMESPACE, SimpleNamespace())
    setattr(holder, NAME, wp.zeros(model.joint_dof_count, dtype=model.precision.scalar, device=model.device))


def fill_drive_efforts(model: Model, control: Control, state: State) -> None:
    """Find the efforts of drives at a state that has room for them."""
    efforts = getattr(state.custom.get(NAMESPACE), NAME, None)
    if efforts is not None and model.joint_count:
        inputs = [model.joints, control.data, state.data]
        launch(drive_effort_kernel(model.precision), model.joint_count, inputs, [efforts], model.device)
