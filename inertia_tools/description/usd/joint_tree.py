# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The joints of a stage as trees rooted in the world, and joints that close loops."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from inertia_tools.description.joint import Joint, JointType
from inertia_tools.description.types import WORLD, Remark
from inertia_tools.description.usd.attributes import applied_schemas, stated_or
from inertia_tools.description.usd.body_index import WORLD_PATH, BodyIndex
from inertia_tools.description.usd.joints import StageJoint, joint_between, limits_without_schema, read_frame, stacked
from inertia_tools.description.usd.lines import Lines
from inertia_tools.description.usd.misfits import naming_misfits
from inertia_tools.description.usd.names import names_of
from inertia_tools.description.usd.placement import Placement
from inertia_tools.description.usd.survey import Survey
from inertia_tools.description.usd.tree import Branch, grow, with_disabled
from inertia_tools.description.usd_bodies import Tether, Units, UsdBody
from inertia_tools.errors import ParseError

DISTANCE = "PhysicsDistanceJoint"
EQUALITY = "MjcEquality"
"""Prefix of the names of schemas for an equality of a joint; a disabled one carries nothing."""


class JointTree:
    """Reads the joints of a stage.

    Attributes:
        joints: The joint that carries each link, by its name.
        loops: Joints that would give a link a second parent.
        paths: Path of the prim of each joint, by name.
        tethers: Distance joints, which carry no link.
        disabled: Paths of disabled joints.
        remarks: Remarks made while reading.
    """

    def __init__(self, found: Survey, index: BodyIndex, placement: Placement, units: Units, lines: Lines) -> None:
        self._index, self._placement, self._units, self._lines = index, placement, units, lines
        self.remarks: list[Remark] = []
        prims = [joint for prim in found.joints if (joint := self._read_or_blame(prim)) is not None]
        read = stacked(joint for joint in prims if str(joint.prim.GetTypeName()) != DISTANCE)
        self.tethers = tuple(
            self._tether(joint) for joint in prims if str(joint.prim.GetTypeName()) == DISTANCE and joint.is_enabled
        )
        every = [one for joint in read for one in (joint, *joint.stack)]
        self._names = names_of([joint.prim for joint in every], set())
        self._roots = [str(prim.GetPath()) for prim in found.articulation_roots if str(prim.GetPath()) in index.prims]
        self._read_joints = read
        self.paths = {self._names[joint.path]: joint.path for joint in every}
        self.disabled = tuple(joint.path for joint in read if not joint.is_enabled)
        self.joints: dict[str, Joint] = {}
        self.loops: tuple[Joint, ...] = ()

    def grow(self, bodies: Mapping[str, UsdBody], keeps_disabled: bool = False) -> None:
        """Form trees of the joints; bodies without a joint float, or are fixed if they cannot move.

        Args:
            bodies: Bodies by path.
            keeps_disabled: Disabled joints carry bodies that nothing else carries, or close loops; otherwise they are
                left out.
        """
        forest = grow(list(bodies), [joint for joint in self._read_joints if joint.is_enabled], self._roots)
        if keeps_disabled:
            forest = with_disabled(forest, [joint for joint in self._read_joints if not joint.is_enabled])
        for path, body in bodies.items():
            branch = forest.branches.get(path)
            joint = self._standing(body) if branch is None else self._built(branch)
            self.joints[joint.name] = joint
        self.loops = tuple(map(self._closing, forest.loops))

    def _read_or_blame(self, prim: Any) -> StageJoint | None:
        with naming_misfits(prim, self._lines):
            return self._read(prim)

    def _read(self, prim: Any) -> StageJoint | None:
        """Read a joint; None for one that connects nothing, or connects left-out prims.

        Raises:
            ParseError: It names a prim that does not exist.
        """
        ends = []
        for side in (0, 1):
            target = _target(prim, f"physics:body{side}")
            if target is not None and not target:
                place = self._lines.place(prim)
                raise ParseError(f"{prim.GetPath()}: physics:body{side} names no prim", place.file, place.line)
            path = WORLD_PATH if target is None else self._index.above(target)
            if path is None:
                return None
            frame = read_frame(prim, side, target, self._index.pose_of(path), self._placement)
            if not math.isfinite(frame.position @ frame.position):
                place = self._lines.place(prim)
                message = f"{prim.GetPath()}: physics:localPos{side} is not a position; write finite numbers"
                raise ParseError(message, place.file, place.line)
            ends.append((path, frame))
        (body0, frame0), (body1, frame1) = ends
        if body0 == body1:
            message = f"{prim.GetPath()} does not connect two bodies; name two bodies, or one and the world"
            self.remarks.append(Remark("warning", "loose-joint", "", message, self._lines.place(prim)))
            return None
        bare = limits_without_schema(prim) if str(prim.GetTypeName()) == "PhysicsJoint" else []
        if bare:
            message = f"{prim.GetPath()}: limits of {', '.join(bare)} are used without PhysicsLimitAPI; apply it"
            self.remarks.append(Remark("info", "missing-limit-api", "", message, self._lines.place(prim)))
        is_enabled = bool(stated_or(prim, "physics:jointEnabled", True))
        is_equality = any(name.startswith(EQUALITY) for name in applied_schemas(prim))
        return StageJoint(
            prim=prim,
            path=str(prim.GetPath()),
            body0=body0,
            body1=body1,
            frame0=frame0,
            frame1=frame1,
            excluded=bool(stated_or(prim, "physics:excludeFromArticulation", False))
            or (is_equality and not is_enabled),
            is_enabled=is_enabled,
        )

    def _tether(self, joint: StageJoint) -> Tether:
        """Return a distance joint; a negative distance counts as none."""
        metre, link = self._units.metre, self._index.link
        message = (
            f"{joint.path}: a distance joint acts only in simulated scenes; in a description, its child bodies float"
        )
        self.remarks.append(Remark("info", "distance-joint", "", message, self._lines.place(joint.prim)))
        least, greatest = (float(stated_or(joint.prim, f"physics:{end}Distance", -1.0)) for end in ("min", "max"))
        return Tether(
            path=joint.path,
            links=(link[joint.body0], link[joint.body1]),
            frames=(joint.frame0, joint.frame1),
            least=least * metre if least >= 0.0 else None,
            greatest=greatest * metre if 0.0 <= greatest < math.inf else None,
        )

    def _closing(self, joint: StageJoint) -> Joint:
        """Return a joint that closes a loop; the world, which is not a link, is never its child."""
        if joint.body1 == WORLD_PATH:
            return self._built(Branch(joint, joint.body1, joint.body0, True))
        return self._built(Branch(joint, joint.body0, joint.body1, False))

    def _built(self, branch: Branch) -> Joint:
        link = self._index.link
        ends = (link[branch.parent], link[branch.child])
        place = self._lines.place(branch.joint.prim)
        with naming_misfits(branch.joint.prim, self._lines):
            return joint_between(branch.joint, self._names, ends, branch.is_reversed, self._units, place)

    def _standing(self, body: UsdBody) -> Joint:
        """Return the joint between the world and a body without a joint."""
        link = self._index.link[body.path]
        stands = not body.is_enabled or body.is_kinematic
        type_ = JointType.FIXED if stands else JointType.FLOATING
        place = self._lines.place(self._index.prims[body.path])
        return Joint(f"world to {link}", type_, WORLD, link, body.pose_world_body, place)


def _target(prim: Any, name: str) -> Any | None:
    """Return the first prim of a relationship; None if it has none."""
    relationship = prim.GetRelationship(name)
    paths = relationship.GetTargets() if relationship else []
    return prim.GetStage().GetPrimAtPath(paths[0]) if paths else None
