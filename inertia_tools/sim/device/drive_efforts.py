# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The efforts of drives in a state, one entry per degree of freedom."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.device.model_data import ModelData

NAMESPACE, NAME = "mujoco", "qfrc_actuator"
DRIVE_EFFORTS = f"{NAMESPACE}:{NAME}"
"""Key of the array in states, by Newton's name."""


def add_drive_efforts(model: ModelData, custom: dict[str, Any]) -> None:
    """Add the array of drive efforts to a new state; they are zero before the first step."""
    holder = custom.setdefault(NAMESPACE, SimpleNamespace())
    setattr(holder, NAME, wp.zeros(model.joint_dof_count, dtype=model.precision.scalar, device=model.device))
