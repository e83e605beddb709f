# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Targets of the drives of a scene, and efforts on its joints."""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import warp as wp

from inertia_tools.sim.device.custom_arrays import HoldsCustomAttributes, arrays_of
from inertia_tools.sim.kernels.replacing import new_key, refuse_another_kind
from inertia_tools.sim.scene.custom_attributes import AttributeAssignment

if TYPE_CHECKING:
    from inertia_tools.sim.device.model_data import ModelData


ARRAYS = {
    "joint_target_pos": ("target_pos", "Target positions of drives [rad or m]."),
    "joint_target_vel": ("target_vel", "Target velocities of drives [rad/s or m/s]."),
    "joint_target_q": (
        "target_pos",
        "Same as `joint_target_pos`: one entry per degree of freedom; see `Model.joint_target_q_start`.",
    ),
    "joint_target_qd": ("target_vel", "Same as `joint_target_vel`."),
    "joint_f": (
        "joint_f",
        "Efforts on the degrees of freedom [N m or N]. On a free joint: force and torque about the centre of mass, "
        "world axes.",
    ),
}
"""Arrays that users may write or replace, with the name of each in `Precision.Control`."""

OF_MODEL = {"target_pos": "joint_target_q", "target_vel": "joint_target_qd", "joint_f": "joint_f"}
"""Array of a model with the initial values of each array in `Precision.Control`."""


@dataclass(eq=False)
class Control(HoldsCustomAttributes):
    """Targets of drives and efforts on the joints, one entry per degree of freedom, on the device.

    Attributes:
        data: Structure of arrays; see `Precision.Control`.
        tri_activations: Actuation of the triangles, Warp array of float64.
        tet_activations: Actuation of the tetrahedra, Warp array of float64.
        key: Identifies this set of arrays among those of all controls; it changes when an array is replaced.
    """

    data: Any
    tri_activations: Any
    tet_activations: Any
    custom: dict[str, Any] = field(default_factory=dict)
    key: int = field(default_factory=new_key, init=False)

    def put(self, name: str, array: Any) -> None:
        """Replace an array; the old one is no longer part of the control.

        Args:
            name: One of `ARRAYS`.
            array: A Warp array of the same type, length and device.

        Raises:
            OptionError: `array` has another type, length or device.
        """
        inner = ARRAYS[name][0]
        refuse_another_kind(f"control.{name}", array, getattr(self.data, inner))
        setattr(self.data, inner, array)
        self.key = new_key()

    def clear(self, model: ModelData | None = None) -> None:
        """Set the efforts on the joints, `joint_f`, to zero."""
        self.data.joint_f.zero_()


def _array(name: str) -> property:
    inner, doc = ARRAYS[name]
    return property(
        attrgetter(f"data.{inner}"), lambda control, array: control.put(name, array), doc=f"{doc} Warp array."
    )


for _name in ARRAYS:
    setattr(Control, _name, _array(_name))


def start_control(model: ModelData, *, cloned: bool = True) -> Control:
    """Return a control with the targets and efforts that the model has now.

    Args:
        model: The scene.
        cloned: Whether the arrays are copies; else they are those of the model.
    """
    data, p = model.precision.Control(), model.precision
    for inner, name in OF_MODEL.items():
        own = getattr(model, name)
        setattr(data, inner, model.array(own.numpy(), p.scalar) if cloned or not len(own) else own)
    triangles, tetrahedra = model.tri_activations, model.tet_activations
    if cloned:
        triangles, tetrahedra = wp.clone(triangles), wp.clone(tetrahedra)
    custom = arrays_of(model.custom_arrays, AttributeAssignment.CONTROL, model.device, Control)
    return Control(data, triangles, tetrahedra, custom)
