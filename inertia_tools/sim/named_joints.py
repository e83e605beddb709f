# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Joints of a robot in a simulation, by name, with their degrees of freedom in the scene and indices in its arrays.

Several joints of one MJCF body become one joint of the scene with a degree of freedom for each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from inertia_tools.description.joint import JointMimic
from inertia_tools.description.kinematics import led_by_first
from inertia_tools.errors import OptionError, UnknownJointError
from inertia_tools.sim.importing.articulation import Articulation
from inertia_tools.sim.model.model import Model
from inertia_tools.sim.scene.body_motion import BodyMotion
from inertia_tools.sim.scene.built_joint import BuiltJoint, Freedom
from inertia_tools.sim.scene.given import as_finite
from inertia_tools.sim.scene.joint_kind import JointKind
from inertia_tools.spatial import Array, Pose


@dataclass(frozen=True, eq=False)
class NamedJoints:
    """The joints of a robot; joints with one coordinate can be read and set by name.

    Attributes:
        built: Joints of the scene without loop closures, parents before children.
        freedoms: Degree of freedom of each joint with one coordinate, by name.
        dofs: Index of that degree of freedom in arrays such as `State.joint_qd`, by name.
        places: Index of its coordinate in `State.joint_q`, by name.
        led: Couplings by the name of the follower; a leader is never a follower itself.
    """

    built: tuple[BuiltJoint, ...]
    freedoms: Mapping[str, Freedom]
    dofs: Mapping[str, int]
    places: Mapping[str, int]
    led: Mapping[str, JointMimic]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the joints with one coordinate."""
        return tuple(self.freedoms)

    def dof(self, name: str) -> int:
        """Return the index of a joint's degree of freedom.

        Raises:
            UnknownJointError: The robot has no such joint, or it does not have exactly one coordinate.
        """
        self._check(name)
        return self.dofs[name]

    def _check(self, name: str) -> None:
        if name not in self.freedoms:
            raise UnknownJointError(name, self.names)

    def asked(self, quantity: str, numbers: Mapping[str, float]) -> dict[str, float]:
        """Check the values of a quantity, such as "position", that a caller sets on joints, and return them as floats.

        Raises:
            OptionError: A number is not finite, or belongs to a follower joint whose leader is not in `numbers`.
            UnknownJointError: See `dof`.
        """
        for name, number in numbers.items():
            self._check(name)
            if name in self.led and (leader := self.led[name].joint) not in numbers:
                allowed = f"left to joint {leader!r}, which it follows"
                raise OptionError(f"{quantity} of joint {name!r}", number, allowed)
        return {name: as_finite(f"{quantity} of joint {name!r}", number) for name, number in numbers.items()}

    def with_positions(self, joint_q: Array, positions: Mapping[str, float]) -> Array:
        """Return coordinates with some joints at given positions and followers consistent with their leaders.

        Args:
            joint_q: All coordinates, shape (coordinates,).
            positions: Positions of some joints [rad or m]; those of followers are ignored.

        Raises:
            OptionError: See `asked`.
            UnknownJointError: See `asked`.
        """
        moved = joint_q.copy()
        for name, position in self.asked("position", positions).items():
            moved[self.places[name]] = position
        for name, mimic in self.led.items():
            moved[self.places[name]] = mimic.position(moved[self.places[mimic.joint]])
        return moved

    def positions(self, joint_q: Array) -> dict[str, float]:
        """Return the positions of the joints with one coordinate [rad or m], by name."""
        return {name: float(joint_q[place]) for name, place in self.places.items()}

    def rates(self, motion: BodyMotion) -> dict[str, float]:
        """Return their velocities [rad/s or m/s], by name."""
        rates = {joint: motion.joint_rates(joint) for joint in self._settable}
        return {name: float(rates[one.joint][one.number]) for name, one in self.freedoms.items()}

    def placed(self, motion: BodyMotion, roots: Mapping[int, Pose], joint_q: Array) -> Array:
        """Return `BodyMotion.q` with root bodies at given poses and joints at given coordinates, shape (bodies, 7)."""
        own = self._by_joint({name: float(joint_q[place]) for name, place in self.places.items()})
        return motion.placed([(joint, own.get(joint)) for joint in self.built], roots)

    def with_rates(self, motion: BodyMotion, rates: Mapping[str, float]) -> Array:
        """Return `BodyMotion.qd` with some joints at given velocities and the others unchanged, shape (bodies, 6).

        Velocities of followers are consistent with their leaders.

        Raises:
            OptionError: See `asked`.
            UnknownJointError: See `asked`.
        """
        wanted = {**self.rates(motion), **self.asked("velocity", rates)}
        wanted |= {name: mimic.multiplier * wanted[mimic.joint] for name, mimic in self.led.items()}
        own, held = self._by_joint(wanted), self.held
        return motion.with_joint_rates([(joint, own.get(joint)) for joint in self.built if joint.child in held])

    @property
    def held(self) -> frozenset[int]:
        """Indices of the bodies that are children of a joint other than a free joint."""
        return frozenset(joint.child for joint in self.built if joint.kind is not JointKind.FREE)

    @property
    def _settable(self) -> list[BuiltJoint]:
        """Return the joints of the scene whose degrees of freedom all have names."""
        named = {one.joint for one in self.freedoms.values()}
        return [joint for joint in self.built if joint in named]

    def _by_joint(self, numbers: Mapping[str, float]) -> dict[BuiltJoint, Array]:
        """Group numbers by the scene's joints, in the order of each joint's degrees of freedom."""
        found = {joint: np.zeros(len(joint.dofs)) for joint in self._settable}
        for name, one in self.freedoms.items():
            found[one.joint][one.number] = numbers[name]
        return found


def named_joints(articulation: Articulation, model: Model) -> NamedJoints:
    """Return the joints of a robot with their indices in a scene."""
    joints = model.built_joints
    ends = {name: end for name, end in articulation.joint_dofs.items() if not joints[end[0]].closes_loop}
    named = {end: name for name, end in ends.items()}
    mimics = {
        named[one.follower]: JointMimic(named[one.leader], one.ratio, one.offset)
        for one in model.scene.mimics
        if one.enabled and {one.follower, one.leader} <= named.keys()
    }
    return NamedJoints(
        built=tuple(joint for joint in joints if not joint.closes_loop),
        freedoms={name: Freedom(joints[index], number) for name, (index, number) in ends.items()},
        dofs={name: model.first_dof(index) + number for name, (index, number) in ends.items()},
        places={name: model.first_coordinate(index) + number for name, (index, number) in ends.items()},
        led=led_by_first(mimics),
    )
