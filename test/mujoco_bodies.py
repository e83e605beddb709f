# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of every body, ours against a model that MuJoCo has compiled."""

import numpy as np

import inertia_tools as it
from inertia_tools.inertial import Inertial, rotate_tensor
from inertia_tools.spatial import Pose, rotation_from_quaternion

KINDS = ("mass", "com", "moments", "inertia")


def their_bodies(compiled) -> list[Inertial]:
    """Mass properties of all bodies in the frame of the body each stands in, which aligned frames leave alone."""
    found = []
    for i in range(compiled.nbody):
        axes = turned(compiled.body_iquat[i])
        own = Inertial(
            compiled.body_mass[i], compiled.body_ipos[i], rotate_tensor(axes, np.diag(compiled.body_inertia[i]))
        )
        found.append(own.transform(Pose(compiled.body_pos[i], turned(compiled.body_quat[i]))))
    return found


def turned(quaternion):
    w, x, y, z = quaternion
    return rotation_from_quaternion([x, y, z, w])


def our_bodies(robot: it.Description) -> list[Inertial]:
    found = []
    for entry in it.stats(robot).links:
        value = Inertial.zero() if entry.effective is None else entry.effective.inertial
        joint = robot.parent_joint.get(entry.link)
        found.append(value if joint is None else value.transform(joint.pose_parent_child))
    return found


def differences(robot: it.Description, compiled) -> dict[str, dict[str, float]]:
    """Differences of every body by its name: of mass, centre, moments and tensor, relative; infinite for no mass."""
    ours, theirs = our_bodies(robot), their_bodies(compiled)
    assert len(ours) == len(theirs), f"{len(ours)} bodies, and MuJoCo has {len(theirs)}"
    return {name: _difference(*pair) for name, pair in zip(robot.links, zip(ours, theirs, strict=True), strict=True)}


def _difference(one: Inertial, other: Inertial) -> dict[str, float]:
    if other.mass == 0.0:
        return dict.fromkeys(KINDS, 0.0 if one.mass == 0.0 else np.inf)
    largest = other.principal_moments[-1] or 1.0
    size = np.sqrt(largest / other.mass)
    return {
        "mass": abs(one.mass / other.mass - 1.0),
        "com": np.abs(one.com - other.com).max() / max(size, np.abs(other.com).max()),
        "moments": np.abs(one.principal_moments - other.principal_moments).max() / largest,
        "inertia": np.abs(one.inertia - other.inertia).max() / largest,
    }


def worst_differences(robot: it.Description, compiled) -> dict[str, float]:
    """Largest of the differences over all bodies."""
    found = differences(robot, compiled).values()
    return {kind: max(one[kind] for one in found) for kind in KINDS}
