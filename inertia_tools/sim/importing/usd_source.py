# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Options of the USD importer, and the stage that it reads."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from inertia_tools.description.joint import Joint, JointType
from inertia_tools.description.source import Document
from inertia_tools.description.types import WORLD, Description
from inertia_tools.description.usd import Selection, document_of, open_stage, read_stage
from inertia_tools.description.usd.library import pxr
from inertia_tools.description.usd.placement import Placement
from inertia_tools.description.usd_bodies import Tether, UsdBodies
from inertia_tools.errors import OptionError, OptionTypeError, ParseError
from inertia_tools.sim.importing.options import SOURCE
from inertia_tools.sim.importing.start_pose import Position, posed
from inertia_tools.sim.importing.tree_order import TreeOrder
from inertia_tools.sim.scene.xform import Xform
from inertia_tools.spatial import Pose
from inertia_tools.usd import SchemaResolver
from inertia_tools.wording import not_opened

ONLY_SEEN = frozenset(
    {
        "return_deformable_results",
        "verbose",
    }
)
"""Options of Newton's importer about what is drawn or said; nothing depends on them here."""

REFUSED: Mapping[str, tuple[Any, str]] = {
    "only_load_enabled_rigid_bodies": (False, "disabled bodies do not move"),
    "legacy_margin_gap": (True, "the margin of MuJoCo always has its gap subtracted"),
    "allow_unsafe_torch_checkpoints": (False, "networks are not read"),
}
"""Options of Newton's importer that have no meaning here: their defaults, and why."""


@dataclass(frozen=True, eq=False)
class UsdOptions:
    """Options for adding a stage to a scene; see `ModelBuilder.add_usd`."""

    schema_resolvers: Sequence[SchemaResolver] | None = None
    xform: Xform | None = None
    floating: bool | None = None
    joint_drive_gains_scaling: float = 1.0
    ignore_paths: Sequence[re.Pattern[str]] = ()
    collapse_fixed_joints: bool = False
    enable_self_collisions: bool = True
    apply_up_axis_from_stage: bool = False
    root_path: str = "/"
    skip_mesh_approximation: bool = False
    angles_in_degrees: bool = False
    base_joint: Mapping[str, Any] | None = None
    parent_body: int = -1
    override_root_xform: bool = False
    load_sites: bool = True
    load_visual_shapes: bool = True
    load_static_visual_shapes: bool = True
    hide_collision_shapes: bool = False
    force_show_colliders: bool = False
    parse_mujoco_options: bool = True
    convert_mjc_equality_constraints: bool = True
    force_position_velocity_actuation: bool = False
    mesh_maxhullvert: int | None = None
    only_load_enabled_joints: bool = True
    order: TreeOrder = field(default_factory=TreeOrder)


def read_source(source: Any, options: UsdOptions) -> Description:
    """Read a file, the text of a layer, an open stage, or take a description that was read from one.

    Raises:
        OptionError: It is not USD.
        ParseError: It cannot be read.
    """
    selection = Selection(options.root_path, tuple(options.ignore_paths), not options.only_load_enabled_joints)
    return _require_root(_read(source, selection), options.root_path)


def _require_root(robot: Description, path: str) -> Description:
    """Return what was read.

    Raises:
        OptionError: It was to be read from under a prim that is none.
    """
    if robot.usd is not None and not robot.usd.stage.GetPrimAtPath(path):
        raise OptionError("root_path", path, f"the path of a prim of {robot.document.name}")
    return robot


def _read(source: Any, selection: Selection) -> Description:
    """Read what is selected of a stage.

    Raises:
        OptionError: It is not USD.
        ParseError: It cannot be read.
    """
    if isinstance(source, Description):
        if source.usd is None:
            raise OptionError("source", source.document.name, "USD; use add_urdf, add_sdf, add_mjcf or add_description")
        return read_stage(source.usd.stage, source.document, selection)
    if hasattr(source, "GetRootLayer"):
        return read_stage(source, document_of(source), selection)
    document = _document(source)
    return read_stage(open_stage(document), document, selection)


def _document(source: str | bytes | os.PathLike[str]) -> Document:
    """Return the document of a path or of the text of a layer.

    Raises:
        OptionTypeError: The value is neither.
        ParseError: The file cannot be read.
    """
    if not isinstance(source, str | bytes | os.PathLike):
        raise OptionTypeError("source", source, SOURCE)
    if isinstance(source, bytes) or (isinstance(source, str) and source.lstrip().startswith("#usda")):
        return Document(source if isinstance(source, bytes) else source.lstrip().encode(), "<text>")
    path = Path(source)
    try:
        return Document(path.read_bytes(), str(source), path)
    except (OSError, ValueError) as error:
        raise ParseError(not_opened(error), str(source)) from error


def without_world(
    robot: Description, usd_bodies: UsdBodies, floating: bool | None, positions: Mapping[str, Position]
) -> Description:
    """Return the description with the world for the parent of joints only, and no link.

    What a tether holds and nothing else has no joint then: the tether will be one.

    Args:
        robot: The description.
        usd_bodies: Contents of its stage.
        floating: Whether children of the world are free (True), fixed (False), or as the stage states (None).
        positions: Initial joint positions by name [rad or m].
    """
    poses = posed(robot, positions).link_poses
    tied = {tether.links[tied_end(robot, tether)] for tether in usd_bodies.tethers}
    joints = {name: _based(joint, floating) for name, joint in robot.joints.items()}
    joints = {name: joint for name, joint in joints.items() if not (joint.child in tied and _floats(joint))}
    carried = {joint.child for joint in joints.values() if joint.parent != WORLD}
    roots = tuple(name for name in robot.links if name != WORLD and name not in carried)
    return replace(
        robot,
        links={name: link for name, link in robot.links.items() if name != WORLD},
        joints=joints,
        roots=roots,
        root_poses={name: poses[name] for name in roots},
    )


def untied(robot: Description, usd_bodies: UsdBodies) -> Description:
    """Return the description with roots of what a tether holds and nothing else: the tether will be its joint."""
    tied = {tether.links[tied_end(robot, tether)] for tether in usd_bodies.tethers}
    tied = {name for name in tied if _floats(robot.parent_joint[name])}
    if not tied:
        return robot
    poses = robot.link_poses
    return replace(
        robot,
        joints={name: joint for name, joint in robot.joints.items() if joint.child not in tied},
        roots=(*robot.roots, *(name for name in robot.links if name in tied)),
        root_poses={**robot.root_poses, **{name: poses[name] for name in tied}},
    )


def tied_end(robot: Description, tether: Tether) -> int:
    """Return the end of a tether that hangs on it: one that floats otherwise, the second if both do."""
    ends = [end for end in (1, 0) if tether.links[end] != WORLD]
    floats = [end for end in ends if _floats(robot.parent_joint[tether.links[end]])]
    return (floats or ends)[0]


def _floats(joint: Joint) -> bool:
    return joint.parent == WORLD and joint.type is JointType.FLOATING


def _based(joint: Joint, floating: bool | None) -> Joint:
    if joint.parent != WORLD or floating is None:
        return joint
    kind = JointType.FLOATING if floating else JointType.FIXED
    return Joint(joint.name, kind, joint.parent, joint.child, joint.pose_parent_child, joint.place)


def articulation_frames(usd: UsdBodies) -> dict[str, Pose]:
    """Return the frame of the articulation root that each body stands under, by the link, in the frame of the stage.

    Of several, one within the other, the inner one counts. A root on a joint has no frame.
    """
    placement = Placement(usd.units.metre)
    xformable = pxr().UsdGeom.Xformable
    roots = {path: usd.stage.GetPrimAtPath(path) for path in sorted(usd.articulation_roots, key=len)}
    return {
        name: placement.of(prim)[1]
        for path, prim in roots.items()
        if prim.IsA(xformable)
        for name, body in usd.bodies.items()
        if f"{body.path}/".startswith(f"{path}/")
    }
