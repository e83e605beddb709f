# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The data of a finished scene on a device: what does not change from step to step, but for what users write to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from inertia_tools.inertial import Inertial
from inertia_tools.sim.collide.anchored import AnchoredPairs
from inertia_tools.sim.collide.nearby import NearbyShapes
from inertia_tools.sim.collide.scene import CollisionScene
from inertia_tools.sim.device.custom_arrays import CustomArray, HoldsCustomAttributes
from inertia_tools.sim.device.named_arrays import NamedArrays
from inertia_tools.sim.device.soft_model import HoldsSoftModel, SoftModel
from inertia_tools.sim.kernels.on_device import OnDevice
from inertia_tools.sim.scene.built_joint import BuiltJoint
from inertia_tools.sim.scene.scene import Scene
from inertia_tools.spatial import Array, Pose


@dataclass(eq=False)
class ModelData(HoldsCustomAttributes, NamedArrays, HoldsSoftModel, OnDevice):
    """The data of a finished scene.

    Attributes:
        precision: Types of its numbers.
        device: Where it lies, as Warp names it.
        bodies, joints, loops, clusters, shapes: Structures of arrays.
        slot_count: Number of contact slots.
        slot_shapes: Shapes of each slot's feature and solid, shape (slots, 2).
        slot_bodies: Bodies of those, shape (slots, 2).
        labels: What each shape belongs to.
        start: Pose of each body at the start.
        names: Name of each body.
        built_joints: The joints as they were built.
        inertials: Mass properties of each body in its own frame.
        moves: Which bodies answer to forces, shape (bodies,).
        soft: Particles and what deforms between them; None where there are none.
        soft_surfaces: The shapes that particles meet; None where there are no particles.
        gravities: Acceleration of free fall in each world of the scene, and of what is in none [m/s^2], shape
            (worlds + 1, 3).
        start_coordinates: Coordinates of the joints at the start.
        start_velocities: Velocities of the bodies at the start, as in `State.body_qd`, shape (bodies, 6).
        start_rates: Velocities of the joints at the start, as in `State.joint_qd`.
        loop_entries: Entries of the matrices that close loops.
        copy_count: Copies of the scene, one after the other in all that has one entry a body, joint or shape.
        collision: The shapes, for `collide`.
        anchored: Pairs of shapes whose contacts a step takes from the narrow phase.
        nearby: What a step needs to search the pairs of a large scene; None where all pairs are listed.
        custom_arrays: Attributes that users added, of whatever they belong to.
        custom: Those that belong to the model.
        rigid_contact_max: Entries that `rigid_contact_*` have in contacts that are made from now on; zero for as many
            as the scene is likely to need. The solver's own contacts are not bounded by it.
        built_times: How often it was built again since `finalize`, as `body_flags` were changed.
        changed_times: How often a solver was told that the model was changed.
        released: Joints that were released since `finalize`, as far as callers were told.
        frames_taken: What `joint_X_p` and `joint_X_c` held when it was taken over last, by name.
        weighed_times: How often masses of particles were taken again since `finalize`.
    """

    bodies: Any
    joints: Any
    loops: Any
    clusters: Any
    shapes: Any
    slot_count: int
    slot_shapes: np.ndarray
    slot_bodies: np.ndarray
    labels: tuple[str, ...]
    start: tuple[Pose, ...]
    names: tuple[str, ...]
    built_joints: tuple[BuiltJoint, ...]
    inertials: tuple[Inertial, ...]
    moves: np.ndarray
    gravities: Array
    scene: Scene
    anchored: AnchoredPairs
    nearby: NearbyShapes | None = None
    soft: SoftModel | None = None
    soft_surfaces: Any = None
    start_coordinates: Array = field(default_factory=lambda: np.zeros(0))
    start_velocities: Array = field(default_factory=lambda: np.zeros((0, 6)))
    start_rates: Array = field(default_factory=lambda: np.zeros(0))
    loop_entries: int = 0
    copy_count: int = 1
    collision: CollisionScene = field(default_factory=CollisionScene)
    custom_arrays: tuple[CustomArray, ...] = ()
    custom: dict[str, Any] = field(default_factory=dict)
    rigid_contact_max: int = 0
    built_times: int = 0
    changed_times: int = 0
    weighed_times: int = 0
    released: set[int] = field(default_factory=set)
    frames_taken: dict[str, np.ndarray] = field(default_factory=dict)

    @property
    def world_count(self) -> int:
        """Number of worlds; a scene in which none was begun is one."""
        return max(self.scene.world_count, 1)

    @property
    def body_count(self) -> int:
        """Number of bodies."""
        return len(self.names)

    @property
    def has_twists(self) -> bool:
        """Tell whether a shape has torsional or rolling friction."""
        return any((getattr(self.shapes, name).numpy() > 0.0).any() for name in ("mu_torsional", "mu_rolling"))

    @property
    def joint_count(self) -> int:
        """Number of joints."""
        return len(self.built_joints)

    @property
    def joint_dof_count(self) -> int:
        """Number of degrees of freedom of all joints."""
        return sum(joint.dof_count for joint in self.built_joints)

    @property
    def joint_coord_count(self) -> int:
        """Number of coordinates of all joints: a ball has four, a free joint seven."""
        return sum(joint.coordinate_count for joint in self.built_joints)

    def first_dof(self, joint: int) -> int:
        """Return where a joint's degrees of freedom begin in arrays of them (`joint_qd_start`)."""
        return [*self.dof_starts, self.joint_dof_count][joint]

    def first_coordinate(self, joint: int) -> int:
        """Return where a joint's coordinates begin in `joint_q` (`joint_q_start`)."""
        return [*self.coordinate_starts, self.joint_coord_count][joint]

    @property
    def gravity_vector(self) -> Array:
        """Acceleration of free fall of what is in no world [m/s^2], shape (3,)."""
        gravity: Array = self.gravities[-1]
        return gravity

    @property
    def body_falls(self) -> Array:
        """Acceleration by gravity of each body that is in no world [m/s^2], shape (bodies, 3)."""
        return np.outer(self.bodies.gravity_scale.numpy().astype(np.float64), self.gravity_vector)

    @property
    def colliders(self) -> Any:
        """Colliders of the contacts that the narrow phase finds for a step."""
        return self.anchored.colliders if self.nearby is None else self.nearby.colliders

    def take_gravities(self, values: Array) -> None:
        """Keep accelerations of free fall [m/s^2], shape (worlds, 3), here and on the device."""
        self.gravities = values
        scales = np.abs(self.bodies.gravity_scale.numpy())
        strongest = np.linalg.norm(values, axis=1).max(keepdims=True) * max(1.0, scales.max(initial=1.0))
        self.bodies.gravity.assign(values)
        self.bodies.max_gravity.assign(strongest)
