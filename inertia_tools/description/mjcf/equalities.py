# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The `<equality>` of MJCF: constraints between bodies outside their tree, and joints that follow others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from inertia_tools.description.joint import Joint, JointMimic, JointType
from inertia_tools.description.kinematics import led_by_first
from inertia_tools.description.mjcf.bodies import Surroundings
from inertia_tools.description.mjcf.defaults import MAIN
from inertia_tools.description.mjcf.fixed_tendons import FixedTendon
from inertia_tools.description.mjcf.values import first_number, truth, up_to, vector
from inertia_tools.description.mjcf_bodies import Site
from inertia_tools.description.types import WORLD
from inertia_tools.description.xml import Element
from inertia_tools.spatial import Pose, rotation_from_quaternion

POLYNOMIAL = 5
NO_OFFSET = (0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
"""MuJoCo's mark for a weld that holds the poses of the document: its quaternion has no length."""


@dataclass
class Equalities:
    """The supported equalities, and the others.

    Attributes:
        loops: Joints that close loops: ball joints for `<connect>`, fixed ones for `<weld>`.
        mimics: Leader of a joint, by the joint's name.
        unused: Unsupported equalities, each with the reason.
    """

    loops: list[Joint] = field(default_factory=list)
    mimics: dict[str, JointMimic] = field(default_factory=dict)
    unused: list[str] = field(default_factory=list)


class EqualityReader:
    """Reads equalities between the bodies and joints of a document.

    Args:
        poses: Pose of every body in the document's frame.
        sites: Body and site of every site, by the site's name.
        joints: Joints by name.
        tendons: Fixed tendons by name.
    """

    def __init__(
        self,
        poses: Mapping[str, Pose],
        sites: Mapping[str, tuple[str, Site]],
        joints: Mapping[str, Joint],
        tendons: Mapping[str, FixedTendon],
    ) -> None:
        self._poses, self._sites, self._joints, self._tendons = poses, sites, joints, tendons
        self._found = Equalities()

    def read(self, models: Iterable[Surroundings]) -> Equalities:
        """Read the equalities of all models; those of tendons last, which may couple joints either way.

        Raises:
            ParseError: A number cannot be read.
        """
        stated = [
            (element, model)
            for model in models
            for section in model.part.root.all("equality")
            for element in section.children
        ]
        for element, model in sorted(stated, key=lambda one: one[0].tag == "tendon"):
            completed = model.part.defaults.completed(replace(element, tag="equality"), MAIN)
            if truth(completed, "active", True):
                self._read(replace(completed, tag=element.tag), model)
        return self._found

    def _read(self, element: Element, model: Surroundings) -> None:
        label = f"equality {element.attributes.get('name') or element.tag!r}"
        readers = {
            "connect": self._hold,
            "weld": self._hold,
            "joint": self._couple,
            "tendon": self._couple_by_tendon,
        }
        reason = readers.get(element.tag, _foreign)(element, model)
        if reason:
            self._found.unused.append(f"{label} ({reason})")

    def _hold(self, element: Element, model: Surroundings) -> str:
        """Add the joint of a `<connect>` or `<weld>`; return why that is impossible, or what is ignored."""
        if "site1" in element.attributes:
            return self._hold_sites(element, model)
        child, parent = model.named(element, "body1"), model.named(element, "body2") or WORLD
        if child not in self._poses or parent not in self._poses:
            return ""  # a body that is not attached, or unknown, has a finding
        between = self._poses[parent].inverse() @ self._poses[child]
        anchor = vector(element, "anchor", (0.0, 0.0, 0.0))
        if element.tag == "connect":
            self._add(element, JointType.BALL, parent, child, between, Pose(anchor))
            return ""
        stated = vector(element, "relpose", NO_OFFSET)
        if np.linalg.norm(stated[3:]) > 0.0:
            w, x, y, z = stated[3:]
            turn = rotation_from_quaternion([x, y, z, w])
            # relpose is body2 seen from body1: its rotation, and the position of the anchor, which is a point of body2
            between = Pose(stated[:3] - turn @ anchor, turn).inverse()
        self._add(element, JointType.FIXED, parent, child, between, Pose())
        return ""

    def _hold_sites(self, element: Element, model: Surroundings) -> str:
        names = [model.named(element, attribute) for attribute in ("site1", "site2")]
        if any(name not in self._sites for name in names):
            return ""
        (child, one), (parent, other) = (self._sites[name] for name in names)
        if child == WORLD:
            (child, one), (parent, other) = (parent, other), (child, one)
        pose = other.pose_body_site @ one.pose_body_site.inverse()
        if element.tag == "connect":  # only the points meet; the rotation is that of the document
            turn = (self._poses[parent].inverse() @ self._poses[child]).rotation
            at_child = one.pose_body_site.position
            pose = Pose(other.pose_body_site.position - turn @ at_child, turn)
            self._add(element, JointType.BALL, parent, child, pose, Pose(at_child))
            return ""
        self._add(element, JointType.FIXED, parent, child, pose, Pose())
        return ""

    def _add(
        self, element: Element, type_: JointType, parent: str, child: str, pose_parent_child: Pose, anchor: Pose
    ) -> None:
        name = element.attributes.get("name") or f"{element.tag} {len(self._found.loops)}"
        if child == WORLD:
            parent, child = child, parent
            anchor, pose_parent_child = pose_parent_child @ anchor, pose_parent_child.inverse()
        joint = Joint(
            name,
            type_,
            parent,
            child,
            pose_parent_child,
            element.place,
            pose_child_joint=anchor,
            touches=True,  # an equality excludes no contacts
        )
        self._found.loops.append(joint)

    def _couple(self, element: Element, model: Surroundings) -> str:
        """Let a joint follow another; return why that is impossible, if it is."""
        follower, leader = model.named(element, "joint1"), model.named(element, "joint2")
        if follower not in self._joints or (leader and leader not in self._joints):
            return ""
        if not leader:
            return f"joint {follower!r} held at one position"
        if "polycoef" in element.attributes:
            constant, slope, *higher = (*up_to(element, "polycoef", POLYNOMIAL), 0.0, 0.0)
        else:
            constant, slope, higher = 0.0, 1.0, []
        if any(higher) or not slope:
            return "a polynomial that is not a straight line"
        # both sides of MuJoCo's equality count from the document's pose, as positions do here
        self._found.mimics[follower] = JointMimic(leader, slope, constant)
        return ""

    def _couple_by_tendon(self, element: Element, model: Surroundings) -> str:
        """Let one of the two joints of a fixed tendon follow the other; return why that is impossible, if it is.

        The tendon's length stays at the constant of the polynomial, counted from the document's pose.
        """
        tendon = self._tendons.get(model.named(element, "tendon1"), ())
        if len(tendon) != 2 or not all(coefficient for _, coefficient in tendon) or "tendon2" in element.attributes:
            return "not one fixed tendon over two joints"
        (follower, own), (leader, other) = tendon
        if follower in self._found.mimics:
            (follower, own), (leader, other) = (leader, other), (follower, own)
        led = led_by_first(self._found.mimics)
        if follower in self._found.mimics or led.get(leader, JointMimic(leader)).joint == follower:
            return f"its joints {follower!r} and {leader!r} follow others"
        constant = first_number(element, "polycoef", 0.0)
        self._found.mimics[follower] = JointMimic(leader, -other / own, constant / own)
        return ""


def _foreign(_element: Element, _model: Surroundings) -> str:
    return "neither of bodies nor of joints"
