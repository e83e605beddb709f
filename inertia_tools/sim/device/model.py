# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A scene on a device: what does not change, its state, its drives, and its contacts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import warp as wp

from inertia_tools.errors import OptionError, SimulationError
from inertia_tools.inertial import Inertial
from inertia_tools.sim.collide.anchored import AnchoredContacts, AnchoredPairs
from inertia_tools.sim.collide.contact_geometry import ContactGeometry
from inertia_tools.sim.collide.nearby import NearbyContacts, NearbyShapes, grown, near_slots
from inertia_tools.sim.collide.scene import CollisionScene
from inertia_tools.sim.device.acting_contacts import ActingContacts, acting_contacts
from inertia_tools.sim.device.custom_arrays import CustomArray, HoldsCustomAttributes, arrays_of
from inertia_tools.sim.device.joint_arrays import DOF_FIELDS, dofs_of
from inertia_tools.sim.device.precision import Precision
from inertia_tools.sim.scene.body_motion import BodyMotion
from inertia_tools.sim.scene.built_joint import BuiltJoint
from inertia_tools.sim.scene.custom_attributes import AttributeAssignment as Assignment
from inertia_tools.sim.scene.custom_attributes import AttributeFrequency
from inertia_tools.sim.xpbd.island_types import CHUNKS, island_types
from inertia_tools.spatial import Array, Pose

STATE_ATTRIBUTES = ("body_parent_f",)
CONTACT_ATTRIBUTES = ("force",)

DEVICE_ARRAYS = {
    **{f"joint_{config}": ("joints", array) for array, config in DOF_FIELDS.items()},
    "joint_enabled": ("joints", "enabled"),
    "joint_type": ("joints", "kind"),
    "joint_parent": ("joints", "parent"),
    "joint_child": ("joints", "child"),
    "joint_qd_start": ("joints", "first_dof"),
    "joint_q_start": ("joints", "first_coordinate"),
    "body_mass": ("bodies", "mass"),
    "body_inertia": ("bodies", "inertia"),
    "body_com": ("bodies", "com"),
    "shape_material_mu": ("shapes", "mu"),
    "shape_material_mu_torsional": ("shapes", "mu_torsional"),
    "shape_material_mu_rolling": ("shapes", "mu_rolling"),
    "shape_material_restitution": ("shapes", "restitution"),
}
"""Arrays that users may write to, by Newton's names: the structure that has each, and its name there."""

ROWS_OF_ONE_WORLD, SPARE_ROWS, ROWS_OF_BODY = 32768, 256, 64
"""Contacts that a step has room for, of a single world and of each of several, and so many more for each body."""


@dataclass(frozen=True, eq=False)
class State(HoldsCustomAttributes):
    """Where the bodies are and how they move, on the device.

    Attributes:
        data: Structure of arrays; see `Precision.State`.
        has_parent_f: `body_parent_f` was requested of the model.
    """

    data: Any
    has_parent_f: bool = False
    custom: Mapping[str, Any] = field(default_factory=dict)

    @property
    def body_q(self) -> Any:
        """Pose of each body's frame in the world, Warp array."""
        return self.data.q

    @property
    def body_qd(self) -> Any:
        """Velocity of the centre of mass [m/s] and angular velocity [rad/s], world axes, Warp array."""
        return self.data.qd

    @property
    def body_f(self) -> Any:
        """Applied force [N] and torque about the centre of mass [N m], world axes, Warp array."""
        return self.data.f

    @property
    def joint_q(self) -> Any:
        """Coordinates of the joints at the end of the step, turns counted [rad or m], Warp array.

        A ball has a quaternion x, y, z, w; a free joint the pose of its body. They are read from the bodies: writing
        them moves nothing.
        """
        return self.data.joint_q

    @property
    def joint_qd(self) -> Any:
        """Rates of the degrees of freedom [rad/s or m/s], Warp array; read from the bodies likewise."""
        return self.data.joint_qd

    @property
    def body_parent_f(self) -> Any:
        """Wrench that its joints exert on each body, Warp array; None unless it was requested.

        Force [N] and torque about the body's centre of mass [N m], world axes: the mean over the step in axes that turn
        with the body, as it stands at the end. It is zero for free bodies; several
        joints that a body is the child of add up.
        """
        return self.data.parent_f if self.has_parent_f else None


@dataclass(frozen=True, eq=False)
class Control(HoldsCustomAttributes):
    """What drives aim at, and efforts on the joints, one entry a degree of freedom, on the device."""

    data: Any
    custom: Mapping[str, Any] = field(default_factory=dict)

    @property
    def joint_target_pos(self) -> Any:
        """Positions that drives aim at [rad or m], Warp array."""
        return self.data.target_pos

    @property
    def joint_target_vel(self) -> Any:
        """Velocities that they aim at [rad/s or m/s], Warp array."""
        return self.data.target_vel

    @property
    def joint_f(self) -> Any:
        """Efforts on the degrees of freedom [N m or N], Warp array.

        On a free joint: force and torque about the centre of mass, world axes.
        """
        return self.data.joint_f


@dataclass(eq=False)
class Contacts(HoldsCustomAttributes):
    """Contacts of the last step, and what friction holds, one entry for each slot, on the device.

    Attributes:
        data: Structure of arrays; see `Precision.Contacts`.
        slot_count: Number of slots; of large scenes it grows when there are more contacts.
        force: Force [N] and torque about the contact point [N m] on the body of the features, mean over the step,
            world axes, Warp array with one entry a slot, filled by `SolverXPBD.update_contacts`; None unless it was
            requested of the model.
        geometry: Where shapes touch or nearly touch, filled by `Model.collide`.
    """

    data: Any
    rows: Any
    anchored: AnchoredContacts
    slot_count: int
    force: Any = None
    geometry: ContactGeometry = field(default_factory=ContactGeometry)
    custom: Mapping[str, Any] = field(default_factory=dict)
    nearby: NearbyContacts | None = None

    @property
    def slot_shapes(self) -> np.ndarray:
        """Shapes of the feature and the solid of each slot in use, shape (slots, 2)."""
        model = self.anchored.model
        if self.nearby is None:
            return model.slot_shapes
        used = int(self.anchored.data.ends.numpy()[-1])
        sides = (self.anchored.data.shape_a, self.anchored.data.shape_b)
        return np.stack([side.numpy()[:used] for side in sides], axis=1).astype(int)

    @property
    def slot_bodies(self) -> np.ndarray:
        """Bodies of those, -1 for the world, shape (slots, 2)."""
        model = self.anchored.model
        if self.nearby is None:
            return model.slot_bodies
        return np.asarray(model.shapes.body.numpy()[self.slot_shapes], dtype=int)

    def grow(self, count: int) -> None:
        """Make room for so many contacts of a large scene; what there is stays."""
        model = self.anchored.model
        for name, variable in self.data._cls.vars.items():
            kind = variable.type.dtype
            setattr(self.data, name, grown(getattr(self.data, name), count, kind, model))
        self.rows = model.rows(count, self.rows)
        self.anchored.data = near_slots(model, count, self.anchored.data)
        if self.force is not None:
            self.force = model.zeros(count, model.precision.vec6)
        self.slot_count = count

    @property
    def lost(self) -> int:
        """Contacts of all steps so far that their world had no room for; it waits for the device."""
        return int(self.rows.lost.numpy().sum())

    @property
    def rigid_contact_max(self) -> int:
        """Number of slots."""
        return self.slot_count


@dataclass(eq=False)
class Model(HoldsCustomAttributes):
    """A finished scene.

    What is on the device may be written to between steps: arrays of degrees of freedom (`joint_armature` and its like)
    and `joint_enabled` are read in every step; after others, and as a rule, call `SolverXPBD.notify_model_changed`.

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
        gravity: Acceleration of free fall [m/s^2], shape (3,).
        start_coordinates: Coordinates of the joints at the start.
        start_velocities: Velocities of the bodies at the start, as in `State.body_qd`, shape (bodies, 6).
        start_rates: Velocities of the joints at the start, as in `State.joint_qd`.
        loop_entries: Entries of the matrices that close loops.
        world_count: Copies of the scene, one after the other in all that has one entry a body, joint or shape.
        collision: The shapes, for `collide`.
        anchored: Pairs of shapes whose contacts a step takes from the narrow phase.
        nearby: What a step needs to search the pairs of a large scene; None where all pairs are listed.
        custom_arrays: Attributes that users added, of whatever they belong to.
        custom: Those that belong to the model.
    """

    AttributeAssignment: ClassVar[type[Assignment]] = Assignment
    AttributeFrequency: ClassVar[type[AttributeFrequency]] = AttributeFrequency

    precision: Precision
    device: str
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
    gravity: Array
    anchored: AnchoredPairs
    nearby: NearbyShapes | None = None
    start_coordinates: Array = field(default_factory=lambda: np.zeros(0))
    start_velocities: Array = field(default_factory=lambda: np.zeros((0, 6)))
    start_rates: Array = field(default_factory=lambda: np.zeros(0))
    loop_entries: int = 0
    world_count: int = 1
    collision: CollisionScene = field(default_factory=CollisionScene)
    custom_arrays: tuple[CustomArray, ...] = ()
    custom: Mapping[str, Any] = field(default_factory=dict)
    _requested: set[str] = field(default_factory=set, init=False, repr=False)

    @property
    def body_count(self) -> int:
        """Number of bodies."""
        return len(self.names)

    @property
    def has_free_bodies(self) -> bool:
        """Tell whether a body that moves is on no joint."""
        return bool(self.bodies.lone.numpy().any())

    @property
    def may_tie_trees(self) -> bool:
        """Tell whether two bodies that are both on joints may touch."""
        held = self.moves & (self.bodies.lone.numpy() == 0)
        if self.nearby is not None:
            return int(held.sum()) > 1
        pairs = self.slot_bodies
        return bool(len(pairs) and ((pairs >= 0).all(axis=1) & held[pairs].all(axis=1)).any())

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
        return sum(one.dof_count for one in self.built_joints[:joint])

    def first_coordinate(self, joint: int) -> int:
        """Return where a joint's coordinates begin in `joint_q` (`joint_q_start`)."""
        return sum(one.coordinate_count for one in self.built_joints[:joint])

    def state(self) -> State:
        """Return the state at the start: all bodies where they were built, and as fast."""
        p, count = self.precision, self.body_count
        data = p.State()
        poses = [[*pose.position, *pose.quaternion] for pose in self.start]
        data.q = self.array(np.reshape(poses, (count, 7)), p.transform)
        data.qd = self.array(self.start_velocities, p.vec6)
        fresh = np.zeros((count, 6))
        fresh[self.moves, :3] = self.gravity
        data.qdd = self.array(fresh, p.vec6)
        data.f = self.zeros(count, p.vec6)
        data.joint_q = self.array(self.start_coordinates, p.scalar)
        data.joint_qd = self.array(self.start_rates, p.scalar)
        data.f_then = self.zeros(count, p.vec6)
        data.joint_f_then = self.zeros(self.joint_dof_count, p.scalar)
        data.joint_q_left = self.array(np.full(len(self.start_coordinates), np.nan), p.scalar)
        data.rate_turn = self.zeros(self.joint_dof_count, p.scalar)
        data.law_then = self.zeros(self.joint_dof_count, p.vec3)
        data.parent_f = self.zeros(count, p.vec6)
        data.q_left, data.qd_left = self.zeros(count, p.transform), self.zeros(count, p.vec6)
        for name in ("x", "x_low", "v", "v_low", "v_before", "spin", "spin_low", "spin_before"):
            setattr(data, f"{name}_left", self.zeros(count, p.vec3))
        data.r_low_left = self.zeros(count, p.quat)
        if p.name == "float32":
            self._keep_rounding(data, np.reshape(poses, (count, 7)))
        data.h_left = self.zeros(count, p.scalar)
        data.version_left, data.tangled = self.zeros(count, wp.int32), self.zeros(count, wp.int32)
        return State(data, "body_parent_f" in self._requested, self._custom(Assignment.STATE, State))

    def _keep_rounding(self, data: Any, poses: Array) -> None:
        """Keep what single precision leaves out of the poses at the start [m], shape (bodies, 7)."""
        p = self.precision
        arms = [pose.rotation @ np.float32(i.com) for pose, i in zip(self.start, self.inertials, strict=True)]
        centres = poses[:, :3] + np.reshape(arms, (-1, 3))
        data.q_left = self.array(poses, p.transform)
        data.x_left = self.array(centres, p.vec3)
        data.x_low_left = self.array(centres - centres.astype(np.float32), p.vec3)
        data.r_low_left = self.array(poses[:, 3:] - poses[:, 3:].astype(np.float32), p.quat)

    def motion(self, state: State) -> BodyMotion:
        """Return how the bodies lie and move in a state, in double precision.

        In single precision what rounding leaves out of a state is kept beside it, and counts here: far from the origin,
        and where small differences matter, this says more than `body_q` and `body_qd`.
        """
        from inertia_tools.sim.device.state_reading import motion_of

        return motion_of(self, state)

    def control(self) -> Control:
        """Return drives that aim at what their joints were built with, and no efforts."""
        data, p = self.precision.Control(), self.precision
        configs = [dof.config for joint in self.built_joints for dof in dofs_of(joint)]
        data.target_pos = self.array([config.target_pos for config in configs], p.scalar)
        data.target_vel = self.array([config.target_vel for config in configs], p.scalar)
        data.joint_f = self.zeros(len(configs), p.scalar)
        return Control(data, self._custom(Assignment.CONTROL, Control))

    def request_state_attributes(self, *names: str) -> None:
        """Have states that are made from now on carry more; there is "body_parent_f".

        Raises:
            OptionError: There is no such attribute.
        """
        self._request(names, STATE_ATTRIBUTES)

    def request_contact_attributes(self, *names: str) -> None:
        """Have contacts that are made from now on carry more; there is "force".

        Raises:
            OptionError: There is no such attribute.
        """
        self._request(names, CONTACT_ATTRIBUTES)

    def _request(self, names: tuple[str, ...], known: tuple[str, ...]) -> None:
        for name in names:
            if name not in known:
                raise OptionError("attribute", name, " or ".join(known))
        self._requested.update(names)

    def contacts(self) -> Contacts:
        """Return contacts that hold nothing yet."""
        p = self.precision
        force = self.zeros(self.slot_count, p.vec6) if "force" in self._requested else None
        custom = self._custom(Assignment.CONTACT, Contacts)
        data = self._sized(p.Contacts, self.slot_count)
        rows = self.rows(self.row_capacity * self.world_count)
        contacts = Contacts(data, rows, AnchoredContacts(self), self.slot_count, force, custom=custom)
        if self.nearby is not None:
            contacts.anchored.data = near_slots(self, 1)
            contacts.nearby = NearbyContacts(self)
            contacts.grow(contacts.nearby.capacity)
        return contacts

    def rows(self, count: int, old: Any = None) -> Any:
        """Return rows for so many contacts in all; of those of a large scene the ends of the worlds stay."""
        shapes, pairs, worlds = len(self.labels), int(self.shapes.pair_count) * self.world_count, self.world_count
        special = {"centre": shapes, "centre_then": shapes, "near": pairs}
        special.update(near_count=worlds, is_listed=worlds, slack=worlds, way_then=worlds)
        rows = self._sized(self.precision.Rows, count, special)
        rows.first = self.array(np.arange(self.world_count + 1) * self.row_capacity, wp.int32)
        rows.count, rows.lost = (self.zeros(self.world_count, wp.int32) for _ in range(2))
        if old is not None:
            rows.first, rows.count, rows.lost = old.first, old.count, old.lost
        return rows

    @property
    def colliders(self) -> Any:
        """Colliders of the contacts that the narrow phase finds for a step."""
        return self.anchored.colliders if self.nearby is None else self.nearby.colliders

    @property
    def row_capacity(self) -> int:
        """Most contacts that one world can have in a step; what there is no room for, `Contacts.lost` counts."""
        worlds = self.world_count
        spare = ROWS_OF_ONE_WORLD if worlds == 1 else SPARE_ROWS
        return min(self.slot_count // worlds, spare + ROWS_OF_BODY * self.body_count // worlds)

    def acting_contacts(self, contacts: Contacts) -> ActingContacts:
        """Return the contacts that bore a force in the last step, with their forces, torques, materials and shapes."""
        return acting_contacts(self, contacts)

    def collide(self, state: State, contacts: Contacts, foresight: float = 0.0) -> int:
        """Find where shapes touch or nearly touch in a state, without moving anything; a step does so by itself.

        Every pair of shapes is looked at: terrain and the triangles of meshes that stay too, which the solver does not
        feel yet. Room for contacts grows as it is needed; none is dropped but those that a patch can spare.

        Args:
            state: Where the bodies are.
            contacts: `geometry` takes the contacts. `data` takes points, normals and depths of what the solver feels;
                the depth is zero where nothing overlaps, and forces are zero.
            foresight: Distance beyond the margins up to which contacts are found of all shapes [m]; of those whose
                `gap` is larger, up to that.

        Returns:
            The number of contacts that overlap.

        Raises:
            SimulationError: A mesh that moves is flat, or there are several worlds.
        """
        from inertia_tools.sim.xpbd.detect import detect_kernel

        if self.world_count > 1:
            raise SimulationError("collide looks at a single world; a step finds the contacts of each by itself")
        inputs = [self.bodies, self.shapes, contacts.data, self.scratch()[0], state.data]
        wp.launch(detect_kernel(self.precision), dim=self.world_count, inputs=inputs, device=self.device)
        self.collision.find(self, state, contacts.geometry, foresight)
        return int(np.count_nonzero(contacts.geometry.depths > 0.0))

    def _custom(self, assignment: Assignment, holder: type) -> dict[str, Any]:
        """Return the attributes that users added to one kind of object, at their values at the start."""
        return arrays_of(self.custom_arrays, assignment, self.device, holder)

    def scratch(self) -> tuple[Any, Any, Any, Any]:
        """Return the arrays that a step works in: those of bodies, joints, degrees of freedom, and rows of loops."""
        p, rows = self.precision, self.loops.row_total * self.world_count
        special = {"matrix": self.loop_entries, "body": 4 * rows, "reads": 4 * rows}
        special.update(load=self.body_count, move=self.body_count)
        links = self.body_count * self.bodies.links
        return (
            self._sized(p.Work, self.body_count, {"above": links, "couple": links}),
            self._sized(p.JointWork, self.joint_count),
            self._sized(p.DofWork, self.joint_dof_count),
            self._sized(p.LoopWork, rows, special),
        )

    def islands(self) -> Any:
        """Return the arrays that a step lists its islands in."""
        clusters, worlds = int(self.clusters.count) * self.world_count, self.world_count
        rows = self.row_capacity * worlds
        special = {
            "count": worlds,
            "apart": worlds,
            "body": self.body_count,
            "leaf": self.body_count,
            "joint": self.joint_count,
            "row": rows,
            "coloured": rows,
            "run_end": rows,
            "colour_end": rows,
            "run_changed": rows,
            "run_farthest": rows,
            "changed": CHUNKS * clusters,
            "farthest": CHUNKS * clusters,
        }
        return self._sized(island_types(self.precision).Islands, clusters, special)

    def _sized(self, struct: Any, count: int, special: Mapping[str, int] | None = None) -> Any:
        """Return a structure of zeros, with one length for all its arrays but the special ones."""
        made = struct()
        for name, variable in struct.vars.items():
            setattr(made, name, self.zeros((special or {}).get(name, count), variable.type.dtype))
        return made

    def array(self, values: Any, dtype: Any) -> Any:
        """Put values on the device."""
        numbers = np.ascontiguousarray(values, dtype=_numpy_type(dtype, self.precision))
        return wp.array(numbers, dtype=dtype, device=self.device) if len(numbers) else self.zeros(0, dtype)

    def zeros(self, count: int, dtype: Any) -> Any:
        """Put zeros on the device; Warp wants at least one."""
        return wp.zeros(max(count, 1), dtype=dtype, device=self.device)


def _device_array(struct: str, name: str) -> property:
    """Return an attribute that is an array of one of the structures of a model."""

    def read(model: Model) -> Any:
        return getattr(getattr(model, struct), name)

    return property(read, doc=f"Warp array `{name}` of `{struct}`; see `Precision`.")


for _name, _place in DEVICE_ARRAYS.items():
    setattr(Model, _name, _device_array(*_place))


def _numpy_type(dtype: Any, p: Precision) -> Any:
    return np.int32 if dtype is wp.int32 else p.numpy
