# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Scenes that are put together from others, and worlds in them that do not feel each other."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from inertia_tools.errors import OptionError, OptionTypeError, SimulationError
from inertia_tools.sim.scene.articulations import SceneArticulations
from inertia_tools.sim.scene.bodies import WORLD, SceneBodies
from inertia_tools.sim.scene.body_columns import BodyColumns
from inertia_tools.sim.scene.custom_attributes import AttributeFrequency
from inertia_tools.sim.scene.custom_counts import counts_of
from inertia_tools.sim.scene.given import as_count, as_finite_vector, as_list
from inertia_tools.sim.scene.gravity import SceneGravity
from inertia_tools.sim.scene.joint_kind import JointKind
from inertia_tools.sim.scene.shape_columns import ShapeColumns
from inertia_tools.sim.scene.soft_merging import add_soft_parts
from inertia_tools.sim.scene.xform import Xform, as_pose
from inertia_tools.spatial import ArrayLike, Pose

EVERYWHERE = -1
"""Number that stands for all worlds."""


def worlds_touch(first: int, second: int) -> bool:
    """Return whether two worlds can touch; world -1 touches all of them."""
    return first == second or EVERYWHERE in (first, second)


@dataclass
class SceneWorlds(SceneGravity, SceneArticulations, ShapeColumns, BodyColumns):
    """Adds scenes to a scene, as they are or as worlds.

    Attributes:
        world_label: Name of each world.
    """

    world_label: list[str] = field(default_factory=list, init=False)
    _copies: int = field(default=1, init=False, repr=False)

    @property
    def world_count(self) -> int:
        """Number of worlds, one at least."""
        return max(len(self.world_label), 1) * self._copies

    def begin_world(
        self, label: str | None = None, attributes: Mapping[str, Any] | None = None, gravity: Any = None
    ) -> None:
        """Open a new world, isolated from others, for further elements.

        Args:
            label: Its name.
            attributes: Values of attributes of frequency world, by key.
            gravity: Acceleration of gravity in it [m/s^2]; by default the present one of the scene.

        Raises:
            OptionError: Gravity is neither a number nor of shape (3,).
            SimulationError: A world is still open.
        """
        if self.current_world != EVERYWHERE:
            raise SimulationError(f"world {self.current_world} is still open; call end_world() first")
        acceleration, world = list(self.as_gravity(self.gravity if gravity is None else gravity)), len(self.world_label)
        self.set_custom_values(world, attributes, AttributeFrequency.WORLD)
        self.current_world = world
        self.world_label.append(label or f"world_{world}")
        self.world_gravity.append(acceleration)

    def end_world(self) -> None:
        """Close the world; further elements belong to all worlds.

        Raises:
            SimulationError: No world is open.
        """
        if self.current_world == EVERYWHERE:
            raise SimulationError("no world is open; call begin_world() first")
        self.current_world = EVERYWHERE

    def add_world(self, builder: SceneWorlds, xform: Xform | None = None, label_prefix: str | None = None) -> None:
        """Add a scene as a new world; see `add_builder`."""
        self._other(builder)
        pose = as_pose(xform)
        self.begin_world()
        try:
            self.add_builder(builder, pose, label_prefix)
        finally:
            self.end_world()

    def replicate(
        self,
        builder: SceneWorlds | int,
        copy_count: int | None = None,
        spacing: Sequence[float] = (0.0, 0.0, 0.0),
        *,
        xforms: Sequence[Xform] | ArrayLike | None = None,
        label_prefixes: Sequence[str | None] | None = None,
        separate_worlds: bool = True,
        world_count: int | None = None,
    ) -> None:
        """Add a scene several times, or let `finalize` make copies of this one.

        With a number alone, all arrays of the model have one block a world: bodies, joints and contacts of world w
        follow those of world w - 1, those of users' attributes too; an attribute of frequency world has one value a
        world, that of the first where no other is given, and one of frequency once a single one. The solver steps such
        worlds in parallel: on a CPU one thread takes a share of them, on CUDA each has a thread of its own.

        Args:
            builder: The scene to add; or the number of copies of this one.
            copy_count: Number of copies.
            spacing: Distance between the copies along each axis [m]; they stand on a grid about the origin.
            xforms: Pose of each copy, instead; or an array with a row for each, shape (n, 7) or (n, 3).
            label_prefixes: Name prefix of each copy.
            separate_worlds: Whether each copy is a world of its own; otherwise copies interact.
            world_count: The same as `copy_count`.

        Raises:
            OptionError: A count is below one, lists differ in length, or the builder is this one or not a builder.
        """
        if not isinstance(builder, SceneWorlds) and copy_count is None and world_count is None:
            self._copies = as_count("count", builder)
            return
        other = self._other(builder)
        count = as_count("copy_count", world_count if copy_count is None else copy_count)
        places = _grid(count, spacing) if xforms is None else _places(xforms)
        prefixes = [None] * count if label_prefixes is None else as_list("label_prefixes", label_prefixes, "texts")
        for name, values in (("xforms", places), ("label_prefixes", prefixes)):
            if len(values) != count:
                raise OptionError(name, len(values), f"{count} of them, one for each copy")
        add = self.add_world if separate_worlds else self.add_builder
        for place, prefix in zip(places, prefixes, strict=True):
            add(other, place, prefix)

    def add_builder(self, builder: SceneWorlds, xform: Xform | None = None, label_prefix: str | None = None) -> None:
        """Add a copy of everything in another scene, to the open world, which takes the gravity of that scene.

        Outside worlds, this scene takes the gravity of the other one.

        Args:
            builder: The scene, which stays as it is.
            xform: Pose of its frame in this one.
            label_prefix: Prefix of all names, before a slash.

        Raises:
            OptionError: It is not a scene, or is this one; or an attribute is declared differently here.
            SimulationError: The scene has worlds, and a world is open here.
        """
        self._other(builder)
        if builder.world_label and self.current_world != EVERYWHERE:
            raise SimulationError("a scene with worlds cannot be added to a world; add it outside begin_world()")
        pose, first_world = as_pose(xform), len(self.world_label)
        self.world_label.extend(builder.world_label)
        self.world_gravity.extend(list(gravity) for gravity in builder.world_gravity)
        self.adopt_gravity(builder, None if self.current_world == EVERYWHERE else self.current_world)

        def world(own: int) -> int:
            return self.current_world if own == EVERYWHERE else first_world + own

        def named(label: str) -> str:
            return f"{label_prefix}/{label}" if label_prefix and label else label

        first = self.first_custom_indices(first_world if builder.world_label else max(self.current_world, 0))
        self.add_tables_of(builder, first, world, named)
        bodies, shapes, joints = self.body_count, self.shape_count, self.joint_count
        self._add_bodies(builder, pose, world, named)
        self._add_shapes(builder, pose, bodies, world, named)
        self._add_joints(builder, pose, bodies, world, named)
        add_soft_parts(self, builder, pose, bodies, world, named)
        self.articulation_label.extend(named(label) for label in builder.articulation_label)
        self.articulation_joints.extend(tuple(j + joints for j in group) for group in builder.articulation_joints)
        self.articulation_world.extend(world(own) for own in builder.articulation_world)
        self.shape_collision_filter_pairs |= {(a + shapes, b + shapes) for a, b in builder.shape_collision_filter_pairs}

    def _other(self, builder: Any) -> SceneWorlds:
        """Return a scene that can be added to this one.

        Raises:
            OptionError: It is no scene, or it is this one, which would grow while it is read.
        """
        if not isinstance(builder, SceneWorlds):
            raise OptionTypeError("builder", builder, "a ModelBuilder")
        if builder is self:
            raise OptionError("builder", "this one", "another ModelBuilder; add copy.deepcopy(builder) for a copy")
        return builder

    def _add_bodies(self, builder: SceneWorlds, pose: Pose, world: Any, named: Any) -> None:
        for one in fields(SceneBodies):
            if one.name.startswith("body_"):
                getattr(self, one.name).extend(copy.deepcopy(getattr(builder, one.name)))
        first = self.body_count - builder.body_count
        for body in range(first, self.body_count):
            self.body_pose[body] = pose @ self.body_pose[body]
            turned = np.concatenate([pose.rotation @ part for part in np.reshape(self.body_qd[body], (2, 3))])
            self.body_qd[body] = turned
            self.body_name[body] = named(self.body_name[body])
            self.body_label[body] = named(self.body_label[body])
            self.body_world[body] = world(self.body_world[body])

    def _add_shapes(self, builder: SceneWorlds, pose: Pose, bodies: int, world: Any, named: Any) -> None:
        for shape in builder.shapes:
            in_world = shape.body == WORLD
            self.shapes.append(
                replace(
                    shape,
                    body=WORLD if in_world else shape.body + bodies,
                    pose=pose @ shape.pose if in_world else shape.pose,
                    label=shape.label if in_world else named(shape.label),
                    name=named(shape.name),
                    path=named(shape.path),
                    world=world(shape.world),
                )
            )

    def _add_joints(self, builder: SceneWorlds, pose: Pose, bodies: int, world: Any, named: Any) -> None:
        first = self.joint_count
        for joint in builder.joints:
            moved = joint
            if joint.parent == WORLD and joint.kind is not JointKind.FREE:
                moved = joint.with_frames(parent=pose @ joint.given_parent)
            self.joints.append(
                replace(
                    moved,
                    name=named(joint.name),
                    label=named(joint.label),
                    parent=WORLD if joint.parent == WORLD else joint.parent + bodies,
                    child=joint.child + bodies,
                    world=world(joint.world),
                )
            )
        for name in ("joint_q", "_joint_q_built"):
            getattr(self, name).extend(_moved_coordinates(builder, pose, getattr(builder, name)))
        for name in ("joint_qd", "joint_f", "joint_act"):
            getattr(self, name).extend(getattr(builder, name))
        for mimic in builder.mimics:
            follower, leader = ((joint + first, dof) for joint, dof in (mimic.follower, mimic.leader))
            self.mimics.append(replace(mimic, follower=follower, leader=leader))

    def first_custom_indices(self, first_world: int) -> Mapping[Any, int]:
        """Return the index that the next element of each frequency gets."""
        counts = {kind: sum(each) for kind, each in counts_of(self).items()}
        return counts | {AttributeFrequency.ONCE: 0, AttributeFrequency.WORLD: first_world}


def _places(xforms: Any) -> list[Pose]:
    """Return the poses of a list, or of the rows of a table, all of them checked before any is used."""
    given = list(xforms) if isinstance(xforms, np.ndarray) and xforms.ndim == 2 else as_list("xforms", xforms, "poses")
    return [as_pose(xform) for xform in given]


def _grid(count: int, spacing: Sequence[float]) -> list[Pose]:
    """Return poses on a grid about the origin, of so many places along each axis that has a spacing."""
    step = as_finite_vector("spacing", spacing)
    along = [axis for axis in range(3) if step[axis] != 0.0]
    if not along:
        return [Pose()] * count
    side = int(np.ceil(round(count ** (1.0 / len(along)), 9)))
    places = []
    for index in range(count):
        place = np.zeros(3)
        for axis in along:
            place[axis], index = index % side, index // side
        places.append(place)
    middle = 0.5 * (np.max(places, axis=0) + np.min(places, axis=0))
    middle[2] = 0.0
    return [Pose((place - middle) * step) for place in places]


def _moved_coordinates(builder: SceneArticulations, pose: Pose, values: Sequence[float]) -> list[float]:
    """Return coordinates of joints of a scene whose frame is moved: free bodies move with it."""
    moved = list(values)
    for joint, first in zip(builder.joints, builder.joint_q_start, strict=True):
        if joint.kind is JointKind.FREE:
            there = pose @ as_pose(values[first : first + 7])
            moved[first : first + 7] = [*there.position.tolist(), *there.quaternion.tolist()]
    return moved
