# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Efforts of the drives of a scene, on the host: at a state after a step, or at given coordinates and rates."""

from __future__ import annotations

import numpy as np
import warp as wp

from inertia_tools.kernel_loading import launch, load
from inertia_tools.sim.constraints.drive_efforts import drive_effort_kernel
from inertia_tools.sim.device.control import Control
from inertia_tools.sim.device.drive_efforts import NAME, NAMESPACE
from inertia_tools.sim.device.model_data import ModelData
from inertia_tools.sim.device.state import State
from inertia_tools.spatial import Array


def fill_drive_efforts(model: ModelData, control: Control, state: State) -> None:
    """Compute the efforts of drives for a state that has the attribute for them."""
    efforts = getattr(state.custom.get(NAMESPACE), NAME, None)
    if efforts is not None and model.joint_count:
        inputs = [model.joints, control.data, state.joint_q, state.joint_qd]
        launch(drive_effort_kernel(model.precision), model.joint_count, inputs, [efforts], model.device)


class DriveLaw:
    """The law of the drives of a scene at given coordinates and rates: one launch, recorded once.

    Attributes:
        q: Coordinates of the joints, to be written [rad or m], shape (joint_coord_count,).
        qd: Their rates, likewise [rad/s or m/s], shape (joint_dof_count,).
    """

    def __init__(self, model: ModelData, control: Control) -> None:
        scalar, device, dofs = model.precision.scalar, model.device, model.joint_dof_count
        on_device = [wp.zeros(size, dtype=scalar, device=device) for size in (model.joint_coord_count, dofs, dofs)]
        kernel = drive_effort_kernel(model.precision)
        load((kernel,), device)
        self._arrays = [model.joints, control.data, *on_device]  # a recorded launch keeps no references
        *read, self._on_device = self._arrays
        self._launch = wp.launch(kernel, model.joint_count, read, [self._on_device], device=device, record_cmd=True)
        # On a CPU NumPy shares the memory of kernels.
        self.q, self.qd, self._efforts = (array.numpy() for array in on_device)
        self._is_elsewhere = not wp.get_device(device).is_cpu

    def efforts(self) -> Array:
        """Return the efforts of drives [N m or N], shape (joint_dof_count,); NaN for rigid ones."""
        if self._is_elsewhere:
            for array, host in zip(self._arrays[2:4], (self.q, self.qd), strict=True):
                array.assign(host)
        self._launch.launch()
        efforts = self._on_device.numpy() if self._is_elsewhere else self._efforts
        return np.array(efforts, dtype=np.float64)
