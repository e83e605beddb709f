# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Room in a state for the efforts of drives, one entry a degree of freedom."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.device.model_data import ModelData

NAMESPACE, NAME = "mujoco", "qfrc_actuator"
DRIVE_EFFORTS = f"{NAMESPACE}:{NAME}"
"""What states call them, by Newton's name."""


def add_drive_efforts(model: ModelData, custom: dict[str, Any]) -> None:
    """Give a state that is made room for the efforts of drives, which are zero before the first step."""
    holder = custom.setdefault(NAMESPACE, SimpleNamespace())
    setattr(holder, NAME, wp.zeros(model.joint_dof_count, dtype=model.precision.scalar, device=model.device))
