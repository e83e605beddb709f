# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The joints of a scene as arrays on the device."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

from inertia_tools.sim.device.joint_loops import Cluster, clusters_of, tree_joints
from inertia_tools.sim.kernels.model_types import FREE_BODY
from inertia_tools.sim.scene.bodies import WORLD
from inertia_tools.sim.scene.body_motion import BodyMotion, rows_of
from inertia_tools.sim.scene.built_joint import BuiltJoint, dofs_of
from inertia_tools.sim.scene.joint_config import LIMIT_KD, LIMIT_KE
from inertia_tools.sim.scene.joint_kind import JointKind, Turning
from inertia_tools.sim.scene.notices import SceneWarning
from inertia_tools.sim.scene.posing import coordinates_of_joint
from inertia_tools.sim.scene.scene import Scene
from inertia_tools.spatial import Array, Pose

if TYPE_CHECKING:
    from inertia_tools.sim.device.model_data import ModelData
    from inertia_tools.sim.kernels.precision import Precision

DOF_FIELDS = {
    "lower": "limit_lower",
    "upper": "limit_upper",
    "target_ke": "target_ke",
    "target_kd": "target_kd",
    "armature": "armature",
    "friction": "friction",
    "effort_limit": "effort_limit",
    "velocity_limit": "velocity_limit",
    "drive_velocity_limit": "drive_velocity_limit",
    "damping": "damping",
    "stiffness": "stiffness",
    "springref": "springref",
}
"""Arrays with one entry per degree of freedom, and the fields of `JointDofConfig` that fill them."""

MOST_COUPLED = 256
"""Largest cluster whose bodies respond to particles together: each state has 9 MB for the pairs of so many."""


def starts(counts: Iterable[int]) -> list[int]:
    """Return the start of each of consecutive blocks of these lengths."""
    begins: list[int] = np.concatenate([[0], np.cumsum(list(counts))]).astype(int).tolist()[:-1]
    return begins


def fill_joints(model: ModelData, builder: Scene) -> None:
    """Copy joints, degrees of freedom and the joint of each body to the device."""
    p, data, joints = model.precision, model.joints, builder.joints
    _warn_of_soft_limits(joints)
    held = tree_joints(joints, model.moves)
    parents = [joints[held[body]].parent if body in held else FREE_BODY for body in range(model.body_count)]
    model.bodies.parent = model.array(parents, wp.int32)
    model.bodies.joint = model.array([held.get(body, -1) for body in range(model.body_count)], wp.int32)
    dofs = [dof for joint in joints for dof in dofs_of(joint)]
    data.count = len(joints)
    whole: dict[str, Callable[[BuiltJoint], int]] = {
        "parent": lambda joint: joint.parent,
        "child": lambda joint: joint.child,
        "enabled": lambda joint: int(joint.enabled),
        "kind": lambda joint: int(joint.kind),
        "hard": lambda joint: sum(1 << row for row in joint.hard_rows),
        "turning": lambda joint: int(joint.turning),
        "mirrored": lambda joint: sum(1 << dof.row for dof in joint.dofs if dof.sign < 0.0),
        "dof_number": lambda joint: joint.dof_count,
    }
    for name, of in whole.items():
        setattr(data, name, model.array([of(joint) for joint in joints], wp.int32))
    data.first_dof = model.array(starts(joint.dof_count for joint in joints), wp.int32)
    data.first_coordinate = model.array(starts(joint.coordinate_count for joint in joints), wp.int32)
    data.row = model.array([dof.row for dof in dofs], wp.int32)
    for name, config in DOF_FIELDS.items():
        setattr(data, name, model.array([getattr(dof.config, config) for dof in dofs], p.scalar))
    place_joints(model, joints)


def place_joints(model: ModelData, joints: Sequence[BuiltJoint]) -> None:
    """Copy the frames of the joints, relative to the centres of mass, to the device."""
    for name, values in _frames_of(model, joints).items():
        setattr(model.joints, name, model.array(values, _type_of_frame(model.precision, name)))


def move_joints(model: ModelData, moved: Mapping[int, BuiltJoint]) -> None:
    """Replace joints by others that differ in their frames only; the arrays stay the same objects.

    Args:
        model: The model of the joints.
        moved: The new joints, by index.
    """
    built, rows = list(model.built_joints), list(moved)
    for index, joint in moved.items():
        built[index] = joint
    model.built_joints = tuple(built)
    for name, values in _frames_of(model, list(moved.values())).items():
        array = getattr(model.joints, name)
        host = array.numpy()
        host[rows] = values
        array.assign(host)


def _frames_of(model: ModelData, joints: Sequence[BuiltJoint]) -> dict[str, Array]:
    """Return the arrays of frames, with an entry for each of some joints."""

    def com(body: int) -> Array:
        return np.zeros(3) if body == WORLD else model.inertials[body].com

    parents = [joint.pose_parent.position - com(joint.parent) for joint in joints]
    points = {
        "parent_point": parents,
        "parent_low": left_out([joint.parent == WORLD for joint in joints], parents, model.precision),
        "child_point": [joint.pose_child.position - com(joint.child) for joint in joints],
    }
    turns = {
        "parent_frame": [joint.pose_parent.quaternion for joint in joints],
        "parent_turn": [Pose(rotation=joint.pose_parent.rotation @ joint.turn).quaternion for joint in joints],
        "child_turn": [joint.pose_child.quaternion for joint in joints],
    }
    sized = {name: np.asarray(values).reshape(-1, 3) for name, values in points.items()}
    return sized | {name: np.asarray(values).reshape(-1, 4) for name, values in turns.items()}


def _type_of_frame(p: Precision, name: str) -> Any:
    return p.quat if name.endswith(("_frame", "_turn")) else p.vec3


def left_out(in_world: Sequence[bool], points: Sequence[Array], p: Precision) -> Array:
    """Return the rounding errors of points in the model's precision [m], shape (n, 3).

    Those of points of bodies are zero: unlike points of the world, they are near their origin.
    """
    exact = np.reshape(points, (-1, 3))
    return np.where(np.reshape(in_world, (-1, 1)), exact - exact.astype(p.numpy), 0.0)


def fill_loops(model: ModelData, builder: Scene) -> None:
    """Copy the clusters of connected bodies, and the rows that close loops, to the device."""
    p, data, joints = model.precision, model.loops, builder.joints
    first_dof = starts(joint.dof_count for joint in joints)
    clusters = clusters_of(
        joints, [mimic for mimic in builder.mimics if mimic.enabled], model.moves, builder.bodies_parents_first()
    )
    _fill_clusters(model, clusters, joints)
    islands = [cluster for cluster in clusters if cluster.rows]
    rows = [row for island in islands for row in island.rows]
    sizes = [len(island.rows) for island in islands]
    data.group_count, data.row_total = len(islands), len(rows)
    ints = {
        "first_body": starts(len(island.bodies) for island in islands),
        "body_count": [len(island.bodies) for island in islands],
        "body": [body for island in islands for body in island.bodies],
        "first_row": starts(sizes),
        "row_count": sizes,
        "first_entry": starts(size * size for size in sizes),
        "row_joint": [row.joint for row in rows],
        "row_index": [row.index for row in rows],
        "row_dof": [-1 if row.mimic is None else first_dof[row.joint] + row.mimic.follower[1] for row in rows],
        "leader_joint": [-1 if row.mimic is None else row.mimic.leader[0] for row in rows],
        "leader_index": [
            -1 if row.mimic is None else joints[row.mimic.leader[0]].dofs[row.mimic.leader[1]].row for row in rows
        ],
        "leader_dof": [
            -1 if row.mimic is None else first_dof[row.mimic.leader[0]] + row.mimic.leader[1] for row in rows
        ],
    }
    for name, values in ints.items():
        setattr(data, name, model.array(values, wp.int32))
    data.offset = model.array([0.0 if row.mimic is None else row.mimic.offset for row in rows], p.scalar)
    data.ratio = model.array([0.0 if row.mimic is None else row.mimic.ratio for row in rows], p.scalar)
    model.loop_entries = sum(size * size for size in sizes)
    in_loops = {body for island in islands for body in island.bodies}
    simple = [body not in in_loops and _is_simple(model, joints, body) for body in range(model.body_count)]
    model.bodies.simple = model.array(simple, wp.int32)


def _fill_clusters(model: ModelData, clusters: Sequence[Cluster], joints: Sequence[BuiltJoint]) -> None:
    """Copy the clusters of connected bodies to the device."""
    of_body, place, data = np.full(model.body_count, -1), np.zeros(model.body_count, dtype=int), model.clusters
    for index, cluster in enumerate(clusters):
        of_body[list(cluster.bodies)] = index
        place[list(cluster.bodies)] = range(len(cluster.bodies))
    sizes = np.array([len(cluster.bodies) for cluster in clusters], dtype=int)
    pairs = np.where(sizes <= MOST_COUPLED, sizes * (sizes - 1) // 2, 0)
    model.coupled_pairs = int(pairs.sum())
    groups = np.cumsum([bool(cluster.rows) for cluster in clusters]) - 1
    data.count = len(clusters)
    ints = {
        "of_body": of_body,
        "first_body": starts(len(cluster.bodies) for cluster in clusters),
        "body_count": [len(cluster.bodies) for cluster in clusters],
        "body": [body for cluster in clusters for body in cluster.bodies],
        "place": place,
        "first_pair": np.where(pairs > 0, starts(pairs), -1),
        "first_joint": starts(len(cluster.joints) for cluster in clusters),
        "joint_count": [len(cluster.joints) for cluster in clusters],
        "joint": [joint for cluster in clusters for joint in cluster.joints],
        "jointed": [
            bool(cluster.rows) or any(joints[j].kind is not JointKind.FREE for j in cluster.joints)
            for cluster in clusters
        ],
        "group": [group if cluster.rows else -1 for group, cluster in zip(groups.tolist(), clusters, strict=True)],
    }
    for name, values in ints.items():
        setattr(data, name, model.array(values, wp.int32))


def coupled_pairs(model: ModelData) -> list[tuple[int, int]]:
    """Return the bodies of each pair of `State.coupling`, none without particles: each body and those before it."""
    clusters = model.clusters
    first, count, pair = (getattr(clusters, name).numpy() for name in ("first_body", "body_count", "first_pair"))
    bodies = clusters.body.numpy().tolist()
    found: list[tuple[int, int]] = []
    for c in np.flatnonzero(pair >= 0).tolist() if model.soft is not None else []:
        members = bodies[first[c] : first[c] + count[c]]
        found.extend((body, other) for place, body in enumerate(members) for other in members[:place])
    return found


def _is_simple(model: ModelData, joints: Sequence[BuiltJoint], body: int) -> bool:
    """Return whether a body has a joint whose rows are along and about three perpendicular axes.

    Always false in single precision, where multipliers are more accurate row by row.
    """
    if model.precision.name == "float32":
        return False
    held = int(model.bodies.joint.numpy()[body])
    if held < 0 or not joints[held].enabled:
        return False
    return joints[held].turning is Turning.TWIST and joints[held].kind is not JointKind.DISTANCE


def start_coordinates(model: ModelData, joints: Sequence[BuiltJoint]) -> Array:
    """Return the coordinates of all joints at the start poses, shape (coordinates,)."""
    found: list[float] = []
    for joint in joints:
        parent = Pose() if joint.parent == WORLD else model.start[joint.parent]
        found.extend(coordinates_of_joint(joint, parent, model.start[joint.child]))
    return np.array(found)


def start_velocities(model: ModelData, builder: Scene) -> Array:
    """Return the start velocities of the bodies, shape (bodies, 6): as given, or from their joints.

    A body gets the velocity of its joint if `ModelBuilder.joint_qd` has a nonzero value in its tree.
    """
    found = np.reshape(builder.body_qd, (model.body_count, 6)).astype(np.float64)
    rates = np.asarray(builder.joint_qd, dtype=np.float64)
    if not rates.any():
        return found
    motion, first = BodyMotion(model.inertials, rows_of(model.start), found), builder.joint_qd_start
    moved: set[int] = set()
    for body in builder.bodies_parents_first():
        index = builder.joint_above(body)
        if index is None:
            continue
        joint = builder.joints[index]
        own = rates[first[index] : first[index] + joint.dof_count]
        if not own.any() and joint.parent not in moved:
            continue
        if joint.kind is not JointKind.DISTANCE:
            found[body] = motion.moved_by(joint, own)
            moved.add(body)
    return found


def start_rates(model: ModelData, joints: Sequence[BuiltJoint]) -> Array:
    """Return the initial velocities of free joints and of joints with one coordinate, shape (dofs,).

    Those of joints with several coordinates are zero; the first step computes them from the bodies.
    """
    rates = np.zeros(sum(len(dofs_of(joint)) for joint in joints))
    if not model.start_velocities.any():
        return rates
    motion, first = BodyMotion(model.inertials, rows_of(model.start), model.start_velocities), 0
    for joint in joints:
        if joint.kind is JointKind.FREE:
            rates[first : first + 6] = model.start_velocities[joint.child]
        elif joint.coordinate >= 0:
            rates[first] = motion.joint_rates(joint)[0]
        first += len(dofs_of(joint))
    return rates


def _warn_of_soft_limits(joints: Sequence[BuiltJoint]) -> None:
    """Warn about joints with compliant limits, as limits are hard here."""
    named = sorted(
        {
            f"{joint.name} ({name})"
            for joint in joints
            for dof in joint.dofs
            for name, default in (("limit_ke", LIMIT_KE), ("limit_kd", LIMIT_KD))
            if getattr(dof.config, name) not in (0.0, default)
        }
    )
    if named:
        shown = ", ".join(named[:8]) + (f" and {len(named) - 8} more" if len(named) > 8 else "")
        warnings.warn(f"joint limits are hard; ignored: {shown}", SceneWarning, stacklevel=4)
