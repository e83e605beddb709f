# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What drives of a scene aim at."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import warp as wp

from inertia_tools.sim.device.custom_arrays import HoldsCustomAttributes, arrays_of
from inertia_tools.sim.device.joint_arrays import dofs_of
from inertia_tools.sim.scene.custom_attributes import AttributeAssignment

if TYPE_CHECKING:
    from inertia_tools.sim.device.model import Model


@dataclass(frozen=True, eq=False)
class Control(HoldsCustomAttributes):
    """What drives aim at, and efforts on the joints, one entry a degree of freedom, on the device.

    Attributes:
        data: Structure of arrays; see `Precision.Control`.
        tri_activations: Actuation of the triangles, Warp array of float64.
        tet_activations: Actuation of the tetrahedra, Warp array of float64.
    """

    data: Any
    tri_activations: Any
    tet_activations: Any
    custom: dict[str, Any] = field(default_factory=dict)

    @property
    def joint_target_pos(self) -> Any:
        """Positions that drives aim at [rad or m], Warp array."""
        return self.data.target_pos

    @property
    def joint_target_vel(self) -> Any:
        """Velocities that they aim at [rad/s or m/s], Warp array."""
        return self.data.target_vel

    @property
    def joint_target_q(self) -> Any:
        """The same as `joint_target_pos`: one entry a degree of freedom, from `Model.joint_target_q_start` on."""
        return self.data.target_pos

    @property
    def joint_target_qd(self) -> Any:
        """The same as `joint_target_vel`."""
        return self.data.target_vel

    def clear(self, model: Model | None = None) -> None:
        """Let no effort act on the joints: `joint_f` becomes zero."""
        self.data.joint_f.zero_()

    @property
    def joint_f(self) -> Any:
        """Efforts on the degrees of freedom [N m or N], Warp array.

        On a free joint: force and torque about the centre of mass, world axes.
        """
        return self.data.joint_f


def start_control(model: Model) -> Control:
    """Return drives that aim at what their joints were built with, and no efforts."""
    data, p = model.precision.Control(), model.precision
    configs = [dof.config for joint in model.built_joints for dof in dofs_of(joint)]
    data.target_pos = model.array([config.target_pos for config in configs], p.scalar)
    data.target_vel = model.array([config.target_vel for config in configs], p.scalar)
    data.joint_f = model.array(model.joint_f.numpy(), p.scalar)
    custom = arrays_of(model.custom_arrays, AttributeAssignment.CONTROL, model.device, Control)
    return Control(data, wp.clone(model.tri_activations), wp.clone(model.tet_activations), custom)
