# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Placement of robots and objects, and motion of kinematic links."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from inertia_tools.errors import SimulationError
from inertia_tools.sim.importing.articulation import lowest_point
from inertia_tools.sim.scene.body_motion import BodyMotion, rows_of
from inertia_tools.sim.scene.given import as_finite, as_finite_vector, as_named, as_rotation
from inertia_tools.sim.simulation.running import RunningSimulation
from inertia_tools.spatial import Array, ArrayLike, Pose


class Placing(RunningSimulation):
    """Methods that set poses, velocities and coordinates of a simulation."""

    def set_joint_positions(self, positions: Mapping[str, float]) -> None:
        """Set joint positions [rad or m], by name; the links that they carry move along and keep their velocities.

        Positions of followers are computed from their leaders, and given values for them are ignored.

        Raises:
            OptionError: A position is not finite, or is one of a joint that follows another, which is not named.
            UnknownJointError: The robot has no such joint, or it does not have exactly one coordinate.
        """
        self._place({}, self._with_positions(positions), self.motion())

    def set_joint_velocities(self, velocities: Mapping[str, float]) -> None:
        """Set joint velocities [rad/s or m/s], by name; other joints keep theirs, and links move consistently.

        Velocities of followers are computed from their leaders, and given values for them are ignored.

        Raises:
            OptionError: A velocity is not finite, or belongs to a follower whose leader is not in `velocities`.
            UnknownJointError: The robot has no such joint, or it does not have exactly one coordinate.
        """
        self._send_velocities(self._built.joints.with_rates(self.motion(), as_named("velocities", velocities)))

    def set_body_state(
        self,
        name: str,
        position: ArrayLike,
        quaternion: ArrayLike,
        linear: ArrayLike = (0.0, 0.0, 0.0),
        angular: ArrayLike = (0.0, 0.0, 0.0),
    ) -> None:
        """Move a whole robot so that a link has a given pose and velocity; its joints keep their positions.

        Args:
            name: Name of the link.
            position: Position of its origin in the world [m], shape (3,).
            quaternion: Its orientation in the world (x, y, z, w).
            linear: Velocity of its origin, world axes [m/s], shape (3,).
            angular: Angular velocity, world axes [rad/s], shape (3,).

        Raises:
            OptionError: A number is not finite, or the quaternion is zero.
            UnknownLinkError: The robot has no such link.
            SimulationError: The robot is bolted to the world.
        """
        link, motion, placed = self._link_place(name), self.motion(), self._built.articulation
        root = placed.root_of[name]
        if root not in self.free_roots:
            raise SimulationError(f"link {name!r} is bolted or jointed to the world; set its joint positions instead")
        was = motion.pose(link.body) @ link.pose_body_link
        becomes = Pose(as_finite_vector("position", position), as_rotation("quaternion", quaternion))
        velocity = as_finite_vector("linear", linear), as_finite_vector("angular", angular)
        body = placed.links[root].body
        self._place({body: becomes @ was.inverse() @ motion.pose(body)}, self._coordinates(), motion)
        bodies = {placed.links[carried].body for carried in placed.tree(root)}
        self._send_velocities(self.motion().moving_rigidly(bodies, becomes.position, *velocity))

    def lift(self, height: float) -> None:
        """Raise all free bodies by a height [m].

        Raises:
            OptionError: The height is not finite.
        """
        motion, up = self.motion(), np.array([0.0, 0.0, as_finite("height", height)])
        bodies = {self._built.articulation.links[root].body for root in self.free_roots}
        if not bodies:
            self._warn_of_no_effect("lift", "no body is free")
        self._place({body: Pose(up) @ motion.pose(body) for body in bodies}, self._coordinates(), motion)

    def clearance(self) -> float:
        """Return the height of the lowest point of all free bodies above z = 0 [m]; infinite without shapes."""
        motion, placed = self.motion(), self._built.articulation
        bodies = {placed.links[link].body for root in self.free_roots for link in placed.tree(root)}
        return lowest_point(self._built.builder, bodies, {body: motion.pose(body) for body in bodies})

    def is_bolted(self, link: str) -> bool:
        """Return whether a link is bolted to the world, so that only `move` and `teleport` move it.

        Raises:
            UnknownLinkError: There is no such link.
        """
        body = self._link_place(link).body
        return body >= 0 and not self._moves(body)

    def move(
        self,
        link: str,
        *,
        linear: ArrayLike | None = None,
        angular: ArrayLike | None = None,
        position: ArrayLike | None = None,
        quaternion: ArrayLike | None = None,
    ) -> None:
        """Move a link that is bolted to the world, with everything that it carries.

        A velocity lasts until the next call. A pose is reached at the end of the next step by a motion that drags along
        bodies in contact; a pose farther away than twice the size of the body is set at once.

        Args:
            link: A root link, or a static one.
            linear: Velocity of its origin, world axes [m/s], shape (3,); zero if only `angular` is given.
            angular: Angular velocity, world axes [rad/s], shape (3,); zero if only `linear` is given.
            position: New position of its origin in the world [m], shape (3,); unchanged if only `quaternion` is given.
            quaternion: New orientation in the world (x, y, z, w); unchanged if only `position` is given.

        Raises:
            OptionError: A number is not finite, or the quaternion is zero.
            UnknownLinkError: There is no such link.
            SimulationError: The link is not bolted or is part of the world; or both a velocity and a pose are given, or
                neither.
        """
        place, built = self._link_place(link), self._built
        gives_velocity, gives_pose = linear is not None or angular is not None, not (position is None is quaternion)
        if gives_velocity == gives_pose:
            raise SimulationError("move takes either a velocity or a pose")
        if place.body < 0:
            raise SimulationError(f"link {link!r} is part of the world, as a root named 'world' is")
        if self._moves(place.body):
            raise SimulationError(f"link {link!r} is not bolted to the world; move it by set_body_state or drives")
        motion, zero = self.motion(), (0.0, 0.0, 0.0)
        now = motion.pose(place.body) @ place.pose_body_link
        speed = as_finite_vector("linear", zero if linear is None else linear)
        spin = as_finite_vector("angular", zero if angular is None else angular)
        qd = motion.moving_rigidly([place.body], now.position, speed, spin)
        if gives_pose:
            there = as_finite_vector("position", now.position if position is None else position)
            turned = as_rotation("quaternion", now.quaternion if quaternion is None else quaternion)
            pose = Pose(there, turned) @ place.pose_body_link.inverse()
            q = motion.q.copy()
            q[place.body] = rows_of([pose])[0]
            built.state.body_q.assign(q)
        built.state.body_qd.assign(qd)

    def _coordinates(self) -> Array:
        return np.asarray(self._built.state.joint_q.numpy(), dtype=np.float64).copy()

    def _with_positions(self, positions: Mapping[str, float]) -> Array:
        """Return the current coordinates with some joints at other positions, shape (coordinates,)."""
        return self._built.joints.with_positions(self._coordinates(), as_named("positions", positions))

    def _placed(self, moved: Mapping[int, Pose], coordinates: Array, motion: BodyMotion) -> Array:
        """Return `BodyMotion.q` with root bodies at given poses, other roots unchanged, and joints at coordinates."""
        placed, joints = self._built.articulation, self._built.joints
        bodies = {placed.links[root].body for root in placed.root_of.values()}
        roots = {body: motion.pose(body) for body in bodies - joints.held}
        return joints.placed(motion, {**roots, **moved}, coordinates)

    def _place(self, moved: Mapping[int, Pose], coordinates: Array, motion: BodyMotion) -> None:
        """Set the poses of root bodies and the coordinates of all joints, and clear the friction state."""
        built = self._built
        built.state.body_q.assign(self._placed(moved, coordinates, motion))
        built.state.joint_q.assign(coordinates)
        for name in ("slip", "angle", "lambda_t"):
            getattr(built.contacts.data, name).zero_()
