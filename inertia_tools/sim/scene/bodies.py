# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The bodies of a scene and their mass properties, as lists with one entry a body."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from inertia_tools.errors import OptionError, OptionTypeError, SimulationError
from inertia_tools.inertial import Inertial, symmetric_part
from inertia_tools.sim.scene.custom_attributes import AttributeFrequency
from inertia_tools.sim.scene.custom_frequencies import SceneTables
from inertia_tools.sim.scene.given import as_index, is_number
from inertia_tools.sim.scene.tensor import as_matrix
from inertia_tools.sim.scene.xform import Xform, as_pose, as_tensor, as_vector
from inertia_tools.spatial import Array, ArrayLike, Pose

WORLD = -1
"""Body index of the world."""

WORLD_NAME = "world"
"""Name of the floor in contacts."""


@dataclass
class SceneBodies(SceneTables):
    """Bodies, named by their index.

    Attributes:
        body_mass: Mass of each body [kg].
        body_com: Centre of mass in the body's frame [m], shape (3,).
        body_inertia: Tensor about the centre of mass, in body axes [kg m^2], shape (3, 3).
        body_pose: Initial pose of each body frame in the world.
        body_qd: Initial velocity of its centre of mass [m/s] and angular velocity [rad/s], world axes, shape (6,).
        body_name: Short names for messages, such as the link's name.
        body_label: Names that distinguish the bodies of a scene, such as ROBOT/LINK.
        body_kinematic: Whether the body ignores forces.
        body_locked: Whether shapes leave the body's mass properties unchanged.
        body_placed: Whether its pose was given; otherwise its joints determine it.
        body_gravity_scale: Gravity scale of each body: 0 none, 1 full, -1 reversed.
        body_world: World of each body; -1: all worlds.
        current_world: World of newly added elements; -1: all worlds.
    """

    body_mass: list[float] = field(default_factory=list)
    body_com: list[Array] = field(default_factory=list)
    body_inertia: list[Array] = field(default_factory=list)
    body_pose: list[Pose] = field(default_factory=list)
    body_qd: list[Array] = field(default_factory=list)
    body_name: list[str] = field(default_factory=list)
    body_label: list[str] = field(default_factory=list)
    body_kinematic: list[bool] = field(default_factory=list)
    body_locked: list[bool] = field(default_factory=list)
    body_placed: list[bool] = field(default_factory=list)
    body_gravity_scale: list[float] = field(default_factory=list)
    body_world: list[int] = field(default_factory=list)
    current_world: int = field(default=-1, init=False)

    def add_link(
        self,
        xform: Xform | None = None,
        *,
        mass: float = 0.0,
        inertia: ArrayLike | None = None,
        com: ArrayLike | None = None,
        armature: float = 0.0,
        lock_inertia: bool = False,
        is_kinematic: bool = False,
        gravity_scale: float = 1.0,
        label: str | None = None,
        name: str = "",
        custom_attributes: Mapping[str, Any] | None = None,
    ) -> int:
        """Add a body and return its index; it is free until a joint connects it.

        The values are stored unchanged; `ModelBuilder.finalize` checks them after all shapes have added their mass.

        Args:
            xform: Initial pose of its frame in the world; without one, `finalize` computes it from the
                joints.
            mass: Mass [kg].
            inertia: Tensor about the centre of mass [kg m^2], shape (3, 3).
            com: Centre of mass in the body's frame [m], shape (3,).
            armature: Inertia added to the diagonal of that tensor [kg m^2].
            lock_inertia: Whether later shapes leave mass, centre of mass and tensor unchanged.
            is_kinematic: Whether the body ignores forces; it then moves with `State.body_qd`, or to written poses.
            gravity_scale: Factor of gravity on the body.
            label: Its name.
            name: Short name for messages.
            custom_attributes: Values of attributes of frequency body, by key.

        Raises:
            OptionError: The pose, the tensor, the centre of mass or the armature has the wrong number of values, or the
                mass or the gravity scale is not a number; or a custom attribute is unknown.
        """
        for option, value in (("mass", mass), ("armature", armature), ("gravity_scale", gravity_scale)):
            if not is_number(value):
                raise OptionTypeError(option, value, "a number")
        if not (math.isfinite(armature) and armature >= 0.0):
            raise OptionError("armature", armature, "a finite number of kg m^2, zero or more")
        pose, tensor = as_pose(xform), as_tensor(inertia)
        centre = np.zeros(3) if com is None else as_vector("com", com)
        self.set_custom_values(self.body_count, custom_attributes, AttributeFrequency.BODY)
        self.body_mass.append(float(mass))
        self.body_com.append(centre)
        self.body_inertia.append(as_matrix(tensor + armature * np.eye(3)))
        self.body_pose.append(pose)
        self.body_qd.append(np.zeros(6))
        self.body_name.append(name or label or f"body_{len(self.body_name)}")
        self.body_label.append(label or name or f"body_{len(self.body_label)}")
        self.body_kinematic.append(bool(is_kinematic))
        self.body_locked.append(lock_inertia)
        self.body_gravity_scale.append(float(gravity_scale))
        self.body_placed.append(xform is not None)
        self.body_world.append(self.current_world)
        return self.body_count - 1

    @property
    def body_count(self) -> int:
        """Number of bodies."""
        return len(self.body_mass)

    def world_of_body(self, body: int) -> int:
        """Return the world of a body; for the world body, the one that is currently being added to."""
        return self.current_world if body == WORLD else self.body_world[body]

    def inertial(self, body: int) -> Inertial:
        """Return the mass properties of a body in its own frame, with the symmetric part of its tensor."""
        tensor = as_tensor(self.body_inertia[body])
        return Inertial(self.body_mass[body], self.body_com[body], symmetric_part(tensor))

    def join_to_body(self, body: int, part: Inertial) -> None:
        """Add mass properties given in the body's frame: masses add, tensors move to the common centre of mass.

        An asymmetric part of a tensor is kept, so that `finalize` reports it.
        """
        tensor = as_tensor(self.body_inertia[body])
        total = self.inertial(body) + part
        self.body_mass[body], self.body_com[body] = total.mass, total.com.copy()  # users may write to these lists
        self.body_inertia[body] = as_matrix(total.inertia + 0.5 * (tensor - tensor.T))

    def _index_of_body(self, body: int, name: str = "body") -> int:
        """Return the index of a body.

        Raises:
            OptionTypeError: The value is not a whole number.
            SimulationError: There is no such body.
        """
        index = as_index(name, body, "a body")
        if not 0 <= index < self.body_count:
            raise SimulationError(f"there is no body {body}; the scene has {self.body_count}")
        return index

    def _index_of_place(self, body: int, name: str = "body") -> int:
        """Return the index of a body, or that of the world; raises as `_index_of_body` does."""
        index = as_index(name, body, "a body, or -1 for the world")
        return index if index == WORLD else self._index_of_body(index, name)
