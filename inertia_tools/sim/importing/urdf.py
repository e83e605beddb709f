# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Options of the URDF importer: the connection of the base, and joint damping."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from inertia_tools.description.types import Description, JointType
from inertia_tools.errors import OptionError
from inertia_tools.sim.importing.articulation import Articulation
from inertia_tools.sim.importing.whole_scene import Names
from inertia_tools.sim.scene.scene import Scene

REFUSED: Mapping[str, tuple[Any, str]] = {
    "force_position_velocity_actuation": (False, "the gains that are not zero act"),
}
"""Options of Newton's importer that have no meaning here: their defaults, and why."""

DAMPING_MODES = ("passive", "drive")


def urdf_names(robot: Description) -> Names:
    """Return names with the robot's name as prefix."""
    root = robot.name

    def named(*parts: str) -> str:
        return "/".join(part for part in (root, *parts) if part)

    def shape(link: str, name: str, number: int) -> str:
        return named(link, name or f"shape_{number}")

    return Names(root, named, lambda name, link: named(name), shape)


def check_damping_mode(mode: str) -> None:
    """Refuse an unknown mode.

    Raises:
        OptionError: The mode is unknown.
    """
    if mode not in DAMPING_MODES:
        raise OptionError("joint_damping_mode", mode, " or ".join(repr(one) for one in DAMPING_MODES))


def settle_joints(builder: Scene, articulation: Articulation, damping_mode: str) -> None:
    """Give drives the default gains of the builder, and assign the damping of the file as the mode says."""
    default = builder.default_joint_cfg
    rows = [one for joint in articulation.robot.joints.values() for one in joint.row]
    stated = {one.name: one for one in rows if one.drive is None}
    for name, index, number in _freedoms(builder, articulation):
        if name not in stated:
            continue
        gains: dict[str, Any] = {"target_ke": default.target_ke, "target_kd": default.target_kd}
        if damping_mode == "drive":
            gains["damping"] = default.damping
            if "damping" in stated[name].stated:
                gains["target_kd"] = stated[name].damping
        builder.joints[index] = builder.joints[index].with_dof(number, **gains)


def _freedoms(builder: Scene, articulation: Articulation) -> Iterator[tuple[str, int, int]]:
    """Iterate over the degrees of freedom of the file's joints: name, joint, and number there."""
    yield from ((name, index, number) for name, (index, number) in articulation.joint_dofs.items())
    carried = {link.body: name for name, link in articulation.links.items()}
    for index, joint in enumerate(builder.joints):
        own = articulation.robot.parent_joint.get(carried.get(joint.child, ""))
        if own is not None and own.type in (JointType.PLANAR, JointType.BALL) and joint.name == own.name:
            yield from ((own.name, index, number) for number in range(joint.dof_count))
