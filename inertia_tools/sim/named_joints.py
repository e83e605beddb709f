# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The joints of a robot in a simulation, by their names: which body each moves, and where its numbers are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from inertia_tools.errors import UnknownJointError
from inertia_tools.sim.importing.articulation import Articulation
from inertia_tools.sim.model.model import Model
from inertia_tools.sim.scene.body_motion import BodyMotion
from inertia_tools.sim.scene.built_joint import BuiltJoint
from inertia_tools.sim.scene.given import as_finite
from inertia_tools.sim.scene.joint_kind import JointKind
from inertia_tools.spatial import Array, Pose


@dataclass(frozen=True, eq=False)
class NamedJoints:
    """The joints of a robot; those that have one coordinate can be read and set by their names.

    Attributes:
        built: All but those that close loops, parents before children.
        bodies: Body that each joint with one coordinate moves.
        dofs: Its degree of freedom in arrays of them.
        places: Its coordinate in `State.joint_q`.
    """

    built: Mapping[str, BuiltJoint]
    bodies: Mapping[str, int]
    dofs: Mapping[str, int]
    places: Mapping[str, int]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the joints that have one coordinate."""
        return tuple(self.bodies)

    def body(self, name: str) -> int:
        """Return the body that a joint moves.

        Raises:
            UnknownJointError: The robot has no such joint, or it has not one coordinate.
        """
        if name not in self.bodies:
            raise UnknownJointError(name, self.names)
        return self.bodies[name]

    def dof(self, name: str) -> int:
        """Return the degree of freedom of a joint; raises as `body` does."""
        self.body(name)  # it is known
        return self.dofs[name]

    def coordinates(self, joint_q: Array, body_count: int) -> Array:
        """Return the coordinate of the joint that holds each body [rad or m], shape (bodies,)."""
        found = np.zeros(body_count)
        for name, body in self.bodies.items():
            found[body] = joint_q[self.places[name]]
        return found

    def positions(self, joint_q: Array) -> dict[str, float]:
        """Return where the joints are [rad or m]."""
        return {name: float(joint_q[self.places[name]]) for name in self.bodies}

    def rates(self, motion: BodyMotion) -> dict[str, float]:
        """Return how fast they are [rad/s or m/s]."""
        return {name: motion.joint_rate(self.built[name]) for name in self.bodies}

    def with_coordinates(self, joint_q: Array, coordinates: Array) -> Array:
        """Return `State.joint_q` with the joints at the coordinates of their bodies."""
        values = joint_q.astype(np.float64)
        for name, body in self.bodies.items():
            values[self.places[name]] = coordinates[body]
        return values

    def placed(self, motion: BodyMotion, roots: Mapping[int, Pose], coordinates: Array) -> Array:
        """Return `BodyMotion.q` with root bodies at poses, and all joints at their coordinates, shape (bodies, 7)."""
        return motion.placed(list(self.built.values()), roots, coordinates)

    def with_rates(self, motion: BodyMotion, rates: Mapping[str, float]) -> Array:
        """Return `BodyMotion.qd` with some joints at these rates, the others as they are, shape (bodies, 6).

        Raises:
            OptionError: A rate is not finite.
            UnknownJointError: As `body` does.
        """
        wanted = {name: as_finite(f"velocity of joint {name!r}", rate) for name, rate in rates.items()}
        by_body = {self.body(name): rate for name, rate in {**self.rates(motion), **wanted}.items()}
        return motion.with_joint_rates(list(self.built.values()), by_body)

    @property
    def held(self) -> frozenset[int]:
        """Bodies that a joint other than a free one holds."""
        return frozenset(joint.child for joint in self.built.values() if joint.kind is not JointKind.FREE)


def named_joints(articulation: Articulation, joints: Sequence[BuiltJoint], model: Model) -> NamedJoints:
    """Return the joints of a robot as they stand in a scene."""
    number = {joint.name: index for index, joint in enumerate(joints) if not joint.closes_loop}
    return NamedJoints(
        built={name: joints[index] for name, index in number.items()},
        bodies=articulation.joint_bodies,
        dofs={name: model.first_dof(number[name]) for name in articulation.joint_bodies},
        places={name: model.first_coordinate(number[name]) for name in articulation.joint_bodies},
    )
