# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Articulations, groups of consecutive joints, and the start coordinates of joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from inertia_tools.errors import OptionError, SimulationError
from inertia_tools.sim.scene.bodies import WORLD
from inertia_tools.sim.scene.built_joint import BuiltJoint
from inertia_tools.sim.scene.columns import Column
from inertia_tools.sim.scene.custom_attributes import AttributeFrequency
from inertia_tools.sim.scene.given import as_finite, as_index, as_row
from inertia_tools.sim.scene.joint_columns import JointColumns
from inertia_tools.sim.scene.joint_kind import JointKind
from inertia_tools.sim.scene.joint_kinds import SceneJointKinds
from inertia_tools.sim.scene.xform import Xform
from inertia_tools.spatial import ArrayLike, Pose

NO_ROTATION = (0.0, 0.0, 0.0, 1.0)


@dataclass
class SceneArticulations(SceneJointKinds, JointColumns):
    """Articulations, named by their index, and where joints start.

    Attributes:
        articulation_label: Name of each articulation.
        articulation_joints: Contiguous joint indices of each articulation.
        articulation_world: World of each articulation; -1: all worlds.
        joint_q: Initial coordinates of all joints [rad or m]; a ball has a quaternion x, y, z, w, a free joint a
            position and a quaternion. Written values pose the bodies at `finalize`; see `posing`.
        joint_qd: Initial velocities of all degrees of freedom [rad/s or m/s].
        joint_f: Initial efforts of every `Control` on the degrees of freedom [N m or N].
        joint_act: Actuator inputs of other solvers; stored, but unused.
    """

    articulation_label: list[str] = field(default_factory=list)
    articulation_joints: list[tuple[int, ...]] = field(default_factory=list)
    articulation_world: list[int] = field(default_factory=list)
    joint_q: list[float] = field(default_factory=list)
    joint_qd: list[float] = field(default_factory=list)
    joint_f: list[float] = field(default_factory=list)
    joint_act: list[float] = field(default_factory=list)
    _joint_q_built: list[float] = field(default_factory=list, init=False, repr=False)

    @property
    def articulation_count(self) -> int:
        """Number of articulations."""
        return len(self.articulation_label)

    @property
    def articulation_start(self) -> list[int]:
        """Index of the first joint of each articulation."""
        return [joints[0] if joints else self.joint_count for joints in self.articulation_joints]

    @property
    def articulation_end(self) -> list[int]:
        """One past the index of the last joint of each articulation."""
        return [joints[-1] + 1 if joints else self.joint_count for joints in self.articulation_joints]

    @property
    def joint_articulation(self) -> Column:
        """Articulation of each joint; -1 for none."""
        owners = {joint: index for index, joints in enumerate(self.articulation_joints) for joint in joints}
        return Column("joint_articulation", self.joint_count, lambda joint: owners.get(joint, -1))

    def add_joint(self, *arguments: Any, **options: Any) -> int:  # noqa: D102 - that of the base
        joint = super().add_joint(*arguments, **options)
        built = self.joints[joint]
        start = self._start_of_joint(built)
        self.joint_q.extend(start)
        self._joint_q_built.extend(start)
        for values in (self.joint_qd, self.joint_f, self.joint_act):
            values.extend([0.0] * built.dof_count)
        return joint

    add_joint.__doc__ = SceneJointKinds.add_joint.__doc__

    def _start_of_joint(self, joint: BuiltJoint) -> list[float]:
        """Return the coordinates that a joint is built with: those of its body if it is free, else zero."""
        if joint.kind is JointKind.FREE:
            pose = self.body_pose[joint.child]
            return [*pose.position.tolist(), *pose.quaternion.tolist()]
        if joint.kind is JointKind.BALL:
            return list(NO_ROTATION)
        return [0.0] * joint.coordinate_count

    def place_joints(self, starts: Mapping[int, Sequence[float]]) -> None:
        """Set the coordinates at which joints are built, after their bodies were placed there.

        Args:
            starts: Coordinates of each [rad or m], by its index.
        """
        first = self.joint_q_start
        for joint, start in starts.items():
            for values in (self.joint_q, self._joint_q_built):
                values[first[joint] : first[joint] + len(start)] = start

    def written_joints(self) -> set[int]:
        """Return the joints whose coordinates differ from their built coordinates."""
        if self.joint_q == self._joint_q_built:
            return set()
        changed = set()
        for joint, first in enumerate(self.joint_q_start):
            block = slice(first, first + self.joints[joint].coordinate_count)
            if self.joint_q[block] != self._joint_q_built[block]:
                changed.add(joint)
        return changed

    def keep_joint_values(self, joints: Sequence[int]) -> None:
        """Keep the start values of these joints only, in this order, when the list of joints is rebuilt."""
        coordinates, dofs = self.joint_q_start, self.joint_qd_start
        for name in ("joint_q", "_joint_q_built"):
            values = getattr(self, name)
            blocks = [values[coordinates[j] : coordinates[j] + self.joints[j].coordinate_count] for j in joints]
            values[:] = [value for block in blocks for value in block]
        for name in ("joint_qd", "joint_f", "joint_act"):
            values = getattr(self, name)
            blocks = [values[dofs[j] : dofs[j] + self.joints[j].dof_count] for j in joints]
            values[:] = [value for block in blocks for value in block]

    def renumber_articulations(self, joints: Mapping[int, int]) -> None:
        """Update the joint indices of articulations; removed joints are dropped."""
        self.articulation_joints[:] = [
            tuple(sorted(joints[joint] for joint in group if joint in joints)) for group in self.articulation_joints
        ]

    def add_articulation(
        self, joints: Sequence[int], label: str | None = None, custom_attributes: Mapping[str, Any] | None = None
    ) -> int:
        """Make an articulation of joints, and return its index.

        Args:
            joints: Contiguous joint indices of a tree, parents first.
            label: Its name.
            custom_attributes: Values of attributes of frequency articulation, by key.

        Raises:
            OptionError: The list is empty, not contiguous, or has joints of another articulation or of several worlds;
                or an attribute is unknown or has another frequency.
            SimulationError: There is no such joint.
        """
        chosen = self._checked_articulation(joints)
        self.set_custom_values(self.articulation_count, custom_attributes, AttributeFrequency.ARTICULATION)
        return self.append_articulation(chosen, label)

    def append_articulation(self, joints: tuple[int, ...], label: str | None = None) -> int:
        """Make an articulation of joints that a file groups, contiguous or not, and return its index."""
        self.articulation_label.append(label or f"articulation_{self.articulation_count}")
        self.articulation_joints.append(joints)
        self.articulation_world.append(self.joints[joints[0]].world if joints else self.current_world)
        return self.articulation_count - 1

    def _checked_articulation(self, joints: Sequence[int]) -> tuple[int, ...]:
        if isinstance(joints, str) or not isinstance(joints, Sequence | np.ndarray | Column) or not len(joints):
            raise OptionError("joints", joints, "a list of the articulation's joints, at least one")
        chosen = tuple(as_index("joints", joint, "a joint") for joint in joints)
        for joint in chosen:
            if not 0 <= joint < self.joint_count:
                raise SimulationError(f"there is no joint {joint}; the scene has {self.joint_count}")
        if chosen != tuple(range(chosen[0], chosen[0] + len(chosen))):
            raise OptionError("joints", list(chosen), "contiguous and in ascending order")
        owner = self.joint_articulation
        taken = [joint for joint in chosen if owner[joint] >= 0]
        if taken:
            name = self.articulation_label[owner[taken[0]]]
            raise OptionError("joints", list(chosen), f"without joint {taken[0]}, which already belongs to {name!r}")
        if len({self.joints[joint].world for joint in chosen}) > 1:
            raise OptionError("joints", list(chosen), "of the same world")
        children = [self.joints[joint].child for joint in chosen]
        twice = [child for child in children if children.count(child) > 1]
        if twice:
            named = self.body_name[twice[0]]
            raise OptionError("joints", list(chosen), f"a tree: body {named!r} has multiple parents in it")
        return chosen

    def add_body(self, xform: Xform | None = None, **options: Any) -> int:
        """Add a body on a free joint, an articulation of its own, and return its index; options as for `add_link`."""
        body = self.add_link(Pose() if xform is None else xform, **options)
        joint = self.add_joint(JointKind.FREE, WORLD, body, label=f"{self.body_name[body]}_free_joint")
        self.add_articulation([joint], self.body_name[body])
        return body

    def add_constraint_mimic(
        self,
        joint0: int,
        joint1: int,
        coef0: float = 0.0,
        coef1: float = 1.0,
        enabled: bool = True,
        label: str | None = None,
    ) -> int:
        """Couple a joint to another, `q0 = coef0 + coef1 q1`, and return the coupling's index; see `add_mimic`."""
        for name, index in (("joint0", joint0), ("joint1", joint1)):
            as_index(name, index, "a joint")
        offset, multiplier = as_finite("coef0", coef0), as_finite("coef1", coef1)
        return self.add_mimic(joint0, joint1, multiplier=multiplier, offset=offset, label=label or "", enabled=enabled)

    def set_joint_mimic(self, joint: int, reference_joint: int | None, *, coeffs: ArrayLike = (0.0, 1.0)) -> None:
        """Couple each coordinate of a joint to another joint, `q = coeffs[0] + coeffs[1] q_reference`, or uncouple it.

        Args:
            joint: Index of the follower joint.
            reference_joint: Index of the leader joint; None or -1 removes the coupling.
            coeffs: Offset [rad or m] and multiplier.

        Raises:
            SimulationError: A joint does not exist, or has no coordinates that can be coupled.
            OptionError: The joints differ in the number of their coordinates, or a coefficient is not finite.
        """
        joint = as_index("joint", joint, "a joint")
        allowed = "two finite numbers, offset and multiplier"
        numbers = as_row("coeffs", coeffs, allowed)
        if len(numbers) != 2:
            raise OptionError("coeffs", coeffs, allowed)
        offset, multiplier = numbers
        if reference_joint is not None:
            reference_joint = as_index("reference_joint", reference_joint, "a joint, or None")
        self.mimics[:] = [mimic for mimic in self.mimics if mimic.follower[0] != joint]
        if reference_joint is None or reference_joint < 0:
            return
        self.add_mimic(joint, reference_joint, multiplier=multiplier, offset=offset, of_joint=True)
        follower, leader = self.joints[joint], self.joints[reference_joint]
        if follower.dof_count != leader.dof_count:
            self.mimics.pop()
            raise OptionError(
                "reference_joint", leader.name, f"a joint with {follower.dof_count} coordinates, as {follower.name!r}"
            )
        for dof in range(1, follower.dof_count):
            self.add_mimic(
                joint, reference_joint, multiplier=multiplier, offset=offset, dof=dof, leader_dof=dof, of_joint=True
            )
