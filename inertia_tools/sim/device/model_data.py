# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The data of a finished scene on a device, which only users change between steps."""

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
        device: Name of the Warp device.
        bodies, joints, loops, clusters, shapes: Structures of arrays.
        slot_count: Number of contact slots.
        slot_shapes: Shapes of each slot's feature and solid, shape (slots, 2).
        slot_bodies: Bodies of those, shape (slots, 2).
        labels: Label of the owner of each shape.
        start: Pose of each body at the start.
        names: Name of each body.
        built_joints: The joints as they were built.
        inertials: Mass properties of each body in its own frame.
        moves: Whether forces move each body, shape (bodies,).
        soft: Particles and elements; None if there are no particles.
        soft_surfaces: Shapes that particles collide with; None if there are no particles.
        gravities: Acceleration of gravity in each world of the scene, and outside all worlds [m/s^2], shape
            (worlds + 1, 3).
        start_coordinates: Coordinates of the joints at the start.
        start_velocities: Velocities of the bodies at the start, as in `State.body_qd`, shape (bodies, 6).
        start_rates: Velocities of the joints at the start, as in `State.joint_qd`.
        loop_entries: Entries of the matrices that close loops.
        coupled_pairs: Pairs of bodies in the same cluster, of which states store the response of one to the other.
        copy_count: Number of copies of the scene; arrays hold one copy after the other.
        collision: The shapes, for `collide`.
        anchored: Pairs of shapes whose contacts a step takes from the narrow phase.
        nearby: Constant data of the pair search in a large scene; None if all pairs are listed.
        custom_arrays: All custom attributes, of any object.
        custom: Custom attributes of the model.
        rigid_contact_max: Number of entries of `rigid_contact_*` in contacts created from now on; zero for an estimate
            of the scene's need. It does not limit the solver's own contacts.
        built_times: Number of rebuilds since `finalize`, after changes of `body_flags`.
        changed_times: Number of times that a solver was notified of changes of the model.
        released: Joints released since `finalize` that callers were notified of.
        warned_of: Names of arrays that callers changed in vain and were warned of.
        frames_taken: Values of `joint_X_p` and `joint_X_c` when they were last applied, by name.
        built_inertials: `inertials` as they were built; None before they are first read from the device.
        weighed_times: Number of times that masses of particles were read again since `finalize`.
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
    coupled_pairs: int = 0
    copy_count: int = 1
    collision: CollisionScene = field(default_factory=CollisionScene)
    custom_arrays: tuple[CustomArray, ...] = ()
    custom: dict[str, Any] = field(default_factory=dict)
    rigid_contact_max: int = 0
    built_times: int = 0
    changed_times: int = 0
    weighed_times: int = 0
    released: set[int] = field(default_factory=set)
    warned_of: set[str] = field(default_factory=set)
    frames_taken: dict[str, np.ndarray] = field(default_factory=dict)
    built_inertials: tuple[Inertial, ...] | None = None

    @property
    def world_count(self) -> int:
        """Number of worlds; one for a scene without explicit worlds."""
        return max(self.scene.world_count, 1)

    @property
    def body_count(self) -> int:
        """Number of bodies."""
        return len(self.names)

    @property
    def has_twists(self) -> bool:
        """Whether any shape has torsional or rolling friction."""
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
        """Number of coordinates of all joints: a ball joint has four, a free joint seven."""
        return sum(joint.coordinate_count for joint in self.built_joints)

    def first_dof(self, joint: int) -> int:
        """Return the first degree of freedom of a joint (`joint_qd_start`)."""
        return [*self.dof_starts, self.joint_dof_count][joint]

    def first_coordinate(self, joint: int) -> int:
        """Return the first coordinate of a joint in `joint_q` (`joint_q_start`)."""
        return [*self.coordinate_starts, self.joint_coord_count][joint]

    @property
    def gravity_vector(self) -> Array:
        """Gravity of particles and bodies in no world [m/s^2], shape (3,)."""
        gravity: Array = self.gravities[-1]
        return gravity

    @property
    def body_falls(self) -> Array:
        """Gravitational acceleration of each body in no world [m/s^2], shape (bodies, 3)."""
        return np.outer(self.bodies.gravity_scale.numpy().astype(np.float64), self.gravity_vector)

    @property
    def colliders(self) -> Any:
        """Colliders of the contacts that the narrow phase finds for a step."""
        return self.anchored.colliders if self.nearby is None else self.nearby.colliders

    def take_gravities(self, values: Array) -> None:
        """Store accelerations of gravity [m/s^2], shape (worlds, 3), here and on the device."""
        self.gravities = values
        scales = np.abs(self.bodies.gravity_scale.numpy())
        strongest = np.linalg.norm(values, axis=1).max(keepdims=True) * max(1.0, scales.max(initial=1.0))
        self.bodies.gravity.assign(values)
        self.bodies.max_gravity.assign(strongest)
