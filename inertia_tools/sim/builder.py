# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Collecting a scene, in NumPy: bodies, their shapes, and the joints between them."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from inertia_tools.description.types import Description
from inertia_tools.errors import SimulationError
from inertia_tools.geometry.primitives import solid_box, solid_capsule, solid_cylinder, solid_sphere
from inertia_tools.inertial import Inertial
from inertia_tools.sim.convex import (
    Convex,
    convex_box,
    convex_capsule,
    convex_cylinder,
    convex_hull,
    convex_plane,
    convex_sphere,
)
from inertia_tools.sim.joint_kind import NO_COORDINATE, JointKind
from inertia_tools.sim.shape_config import ShapeConfig
from inertia_tools.spatial import Array, ArrayLike, Pose, rotation_between

if TYPE_CHECKING:
    from inertia_tools.sim.articulation import Articulation
    from inertia_tools.sim.model import Model

Config = ShapeConfig
"""The same class under a name that the class attribute of `ModelBuilder` does not hide."""

WORLD = -1
"""Stands for the world where a body is asked for."""

WORLD_NAME = "world"
"""What the floor is called in contacts."""

GRAVITY = (0.0, 0.0, -9.81)


@dataclass(frozen=True, eq=False)
class BuiltShape:
    """A collision shape on a body (or the world), its pose there, its friction, and who it never touches.

    The label says in contacts what was touched: the link that the shape belongs to.
    """

    body: int
    convex: Convex
    pose: Pose
    mu: float
    group: int
    label: str


@dataclass(frozen=True, eq=False)
class BuiltJoint:
    """A joint between two bodies; each pose is that of the joint's frame, x along the axis, seen from the body.

    Limits are positions [rad or m]; damping is viscous [N m s/rad or N s/m].
    """

    name: str
    kind: JointKind
    parent: int
    child: int
    pose_parent: Pose
    pose_child: Pose
    lower: float = -np.inf
    upper: float = np.inf
    damping: float = 0.0


@dataclass
class ModelBuilder:
    """Collects a scene; bodies and shapes are named by their index.

    Attributes:
        gravity: Acceleration of free fall [m/s^2].
        body_mass: Mass of each body [kg].
        body_com: Centre of mass in the body's frame [m].
        body_inertia: Tensor about the centre of mass, in body axes [kg m^2].
        body_pose: Pose of each body's frame in the world at the start.
        body_name: Names, for messages.
    """

    ShapeConfig: ClassVar[type[ShapeConfig]] = ShapeConfig

    gravity: ArrayLike = GRAVITY
    body_mass: list[float] = field(default_factory=list)
    body_com: list[Array] = field(default_factory=list)
    body_inertia: list[Array] = field(default_factory=list)
    body_pose: list[Pose] = field(default_factory=list)
    body_name: list[str] = field(default_factory=list)
    body_kinematic: list[bool] = field(default_factory=list)
    body_locked: list[bool] = field(default_factory=list)
    shapes: list[BuiltShape] = field(default_factory=list)
    joints: list[BuiltJoint] = field(default_factory=list)

    def add_link(
        self,
        *,
        mass: float = 0.0,
        inertia: ArrayLike | None = None,
        com: ArrayLike = (0.0, 0.0, 0.0),
        armature: float = 0.0,
        lock_inertia: bool = False,
        is_kinematic: bool = False,
        pose: Pose | None = None,
        name: str = "",
    ) -> int:
        """Add a body and return its index; it is free until a joint holds it.

        Args:
            mass: Mass [kg].
            inertia: Tensor about the centre of mass [kg m^2], shape (3, 3).
            com: Centre of mass in the body's frame [m], shape (3,).
            armature: Added to the tensor's diagonal [kg m^2].
            lock_inertia: Shapes added later do not change mass, centre of mass and tensor.
            is_kinematic: The body does not answer to forces.
            pose: Pose of its frame in the world at the start.
            name: Its name, for messages.
        """
        tensor = np.zeros((3, 3)) if inertia is None else np.array(inertia, dtype=np.float64)
        body = Inertial(mass, com, tensor + armature * np.eye(3))
        self.body_mass.append(body.mass)
        self.body_com.append(body.com)
        self.body_inertia.append(body.inertia)
        self.body_pose.append(pose or Pose())
        self.body_name.append(name or f"body_{len(self.body_name)}")
        self.body_kinematic.append(is_kinematic)
        self.body_locked.append(lock_inertia)
        return len(self.body_mass) - 1

    def add_shape_plane(self, pose: Pose | None = None, cfg: Config | None = None) -> int:
        """Add a fixed half space below z = 0 of its frame; it has no mass. Return the shape's index."""
        return self._add_shape(WORLD, convex_plane(), pose, cfg, None)

    def add_ground_plane(self, cfg: Config | None = None) -> int:
        """Add the plane z = 0 of the world."""
        return self.add_shape_plane(None, cfg)

    def add_shape_sphere(self, body: int, *, radius: float, pose: Pose | None = None, cfg: Config | None = None) -> int:
        """Add a ball of that radius [m] and return the shape's index."""
        return self._add_shape(body, convex_sphere(radius), pose, cfg, solid_sphere(radius))

    def add_shape_box(
        self,
        body: int,
        *,
        hx: float = 0.5,
        hy: float = 0.5,
        hz: float = 0.5,
        pose: Pose | None = None,
        cfg: Config | None = None,
    ) -> int:
        """Add a box of these half edges [m] and return the shape's index."""
        return self._add_shape(body, convex_box(hx, hy, hz), pose, cfg, solid_box((2 * hx, 2 * hy, 2 * hz)))

    def add_shape_capsule(
        self, body: int, *, radius: float, half_height: float, pose: Pose | None = None, cfg: Config | None = None
    ) -> int:
        """Add a capsule along z; `half_height` excludes the caps [m]. Return the shape's index."""
        solid = solid_capsule(radius, 2.0 * half_height)
        return self._add_shape(body, convex_capsule(radius, half_height), pose, cfg, solid)

    def add_shape_cylinder(
        self, body: int, *, radius: float, half_height: float, pose: Pose | None = None, cfg: Config | None = None
    ) -> int:
        """Add a cylinder along z [m] and return the shape's index."""
        solid = solid_cylinder(radius, 2.0 * half_height)
        return self._add_shape(body, convex_cylinder(radius, half_height), pose, cfg, solid)

    def add_shape_convex_hull(
        self, body: int, *, points: ArrayLike, pose: Pose | None = None, cfg: Config | None = None
    ) -> int:
        """Add the convex hull of points [m], shape (n, 3), and return the shape's index.

        Raises:
            SimulationError: The points lie in one plane.
        """
        from inertia_tools.geometry.mesh import integrate_hull

        cloud = np.asarray(points, dtype=np.float64)
        return self._add_shape(body, convex_hull(cloud), pose, cfg, integrate_hull(cloud))

    def add_joint(
        self,
        kind: JointKind,
        parent: int,
        child: int,
        *,
        pose_parent: Pose | None = None,
        pose_child: Pose | None = None,
        axis: ArrayLike = (1.0, 0.0, 0.0),
        limit_lower: float = -np.inf,
        limit_upper: float = np.inf,
        damping: float = 0.0,
        name: str = "",
    ) -> int:
        """Join two bodies and return the joint's index.

        Args:
            kind: What the joint leaves free.
            parent: Index of the parent body, or `WORLD`.
            child: Index of the child body; a body is the child of one joint at most.
            pose_parent: The joint's frame seen from the parent.
            pose_child: The joint's frame seen from the child.
            axis: Direction of the axis in the joint's frame; its length does not matter.
            limit_lower: Least position [rad or m].
            limit_upper: Greatest position [rad or m].
            damping: Viscous damping [N m s/rad or N s/m].
            name: Its name.

        Raises:
            SimulationError: A body is unknown, the child already has a parent, or the joint closes a loop.
        """
        self._check_joint(parent, child)
        along = Pose(rotation=rotation_between([1.0, 0.0, 0.0], axis))
        self.joints.append(
            BuiltJoint(
                name or f"joint_{len(self.joints)}",
                kind,
                parent,
                child,
                (pose_parent or Pose()) @ along,
                (pose_child or Pose()) @ along,
                limit_lower if kind.rows.coordinate != NO_COORDINATE else -np.inf,
                limit_upper if kind.rows.coordinate != NO_COORDINATE else np.inf,
                damping,
            )
        )
        return len(self.joints) - 1

    def add_joint_fixed(self, parent: int, child: int, **options: object) -> int:
        """Join two bodies rigidly; options as for `add_joint`."""
        return self.add_joint(JointKind.FIXED, parent, child, **options)  # type: ignore[arg-type]

    def add_joint_revolute(self, parent: int, child: int, **options: object) -> int:
        """Join two bodies by a hinge; options as for `add_joint`."""
        return self.add_joint(JointKind.REVOLUTE, parent, child, **options)  # type: ignore[arg-type]

    def add_joint_prismatic(self, parent: int, child: int, **options: object) -> int:
        """Join two bodies by a slide; options as for `add_joint`."""
        return self.add_joint(JointKind.PRISMATIC, parent, child, **options)  # type: ignore[arg-type]

    def add_joint_ball(self, parent: int, child: int, **options: object) -> int:
        """Join two bodies by a ball and socket; options as for `add_joint`."""
        return self.add_joint(JointKind.BALL, parent, child, **options)  # type: ignore[arg-type]

    def add_joint_free(self, child: int, **options: object) -> int:
        """State that a body is free, as it is without a joint; options as for `add_joint`."""
        return self.add_joint(JointKind.FREE, WORLD, child, **options)  # type: ignore[arg-type]

    def add_description(
        self, robot: Description, *, pose: Pose | None = None, fixed_base: bool = False
    ) -> Articulation:
        """Add a robot: links rigidly joined become one body, its meshes collide as their hulls.

        Args:
            robot: The description.
            pose: Pose of its root link; by default the lowest point of its geometry touches z = 0, or, on a fixed
                base, the identity.
            fixed_base: The root does not move; it does not either when it is named `world`.

        Raises:
            SimulationError: A link has an impossible inertial, or moves and has none.
        """
        from inertia_tools.sim.articulation import add_robot

        return add_robot(self, robot, pose, fixed_base)

    def add_urdf(self, path: str | os.PathLike[str], **options: object) -> Articulation:
        """Read a URDF and add it; options as for `add_description`.

        Raises:
            ParseError: The file cannot be read.
            SimulationError: As for `add_description`.
        """
        from inertia_tools.description import load

        return self.add_description(load(path), **options)  # type: ignore[arg-type]

    def finalize(self, device: str = "cpu", dtype: str = "float32") -> Model:
        """Check the scene and move it to a device.

        Args:
            device: As Warp names it: "cpu", "cuda:0".
            dtype: "float32" or "float64"; see `Simulation`.

        Raises:
            SimulationError: A body cannot move by the laws of mechanics, or the device does not exist.
        """
        from inertia_tools.sim.model import build_model

        return build_model(self, device, dtype)

    def _add_shape(
        self, body: int, convex: Convex, pose: Pose | None, cfg: Config | None, unit: Inertial | None
    ) -> int:
        """Store a shape, and add its mass to the body: masses add, tensors move to the common centre of mass."""
        config, place = cfg or ShapeConfig(), pose or Pose()
        if body != WORLD:
            self._check_body(body)
            if unit is not None and config.density > 0.0 and not self.body_locked[body]:
                part = Inertial(unit.mass * config.density, unit.com, unit.inertia * config.density)
                self._set_inertial(body, self.inertial(body) + part.transform(place))
        return self.add_convex(body, convex, place, config.mu)

    def add_convex(
        self, body: int, convex: Convex, pose: Pose, mu: float, group: int = 0, label: str | None = None
    ) -> int:
        """Add a collision shape without mass; shapes of one group other than 0 never touch each other."""
        name = WORLD_NAME if body == WORLD else self.body_name[body]
        self.shapes.append(BuiltShape(body, convex, pose, mu, group, name if label is None else label))
        return len(self.shapes) - 1

    def inertial(self, body: int) -> Inertial:
        """Return the mass properties of a body, in its own frame."""
        return Inertial(self.body_mass[body], self.body_com[body], self.body_inertia[body])

    def _set_inertial(self, body: int, value: Inertial) -> None:
        self.body_mass[body], self.body_com[body], self.body_inertia[body] = value.mass, value.com, value.inertia

    def _check_body(self, body: int) -> None:
        if not 0 <= body < len(self.body_mass):
            raise SimulationError(f"there is no body {body}; the scene has {len(self.body_mass)}")

    def _check_joint(self, parent: int, child: int) -> None:
        self._check_body(child)
        if parent != WORLD:
            self._check_body(parent)
        holder = {joint.child: joint for joint in self.joints}
        if child in holder:
            name = self.body_name[child]
            raise SimulationError(
                f"body {name!r} already hangs on joint {holder[child].name!r}; loops are not supported"
            )
        above = parent
        while above in holder:
            above = holder[above].parent
        if above == child:
            raise SimulationError(f"a joint from {self.body_name[parent]!r} to {self.body_name[child]!r} closes a loop")
