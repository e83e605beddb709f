# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The kernels against the dense NumPy solve of the same rows."""

import numpy as np
import pytest
from reference.joints import (
    Constraint,
    at_a_distance,
    at_a_right_angle,
    holding,
    substep,
)
from scenes import Scene

import inertia_tools as it
from inertia_tools.sim import JointKind
from inertia_tools.spatial import rotation_from_quaternion, rotation_from_rpy

H = 1.0 / 1000.0
GRAVITY = np.array([1.0, 0.5, -9.81])
Dof = it.ModelBuilder.JointDofConfig

HELD = {
    JointKind.FIXED: ((0, 1, 2), (0, 1, 2)),
    JointKind.REVOLUTE: ((0, 1, 2), (1, 2)),
    JointKind.PRISMATIC: ((1, 2), (0, 1, 2)),
    JointKind.BALL: ((0, 1, 2), ()),
    JointKind.PLANAR: ((0,), (1, 2)),
}


def scattered(builder, count, seed=3):
    """Bodies of different shapes, somewhere, with joints from each to one before it in between."""
    rng = np.random.default_rng(seed)
    joints = []
    for index in range(count):
        tensor = np.diag(rng.uniform(0.05, 0.08, 3) * (1 + index))
        pose = it.Pose(rng.uniform(-1, 1, 3), rotation_from_rpy(rng.uniform(-1, 1, 3)))
        builder.add_link(pose, mass=1.0 + index, com=rng.uniform(-0.1, 0.1, 3), inertia=tensor)
        joints.append((-1 if index == 0 else int(rng.integers(0, index)), index, rng.uniform(-1, 1, 3), rng))
    return joints


def anchored(builder, parent, child, point, rng):
    """Return the frames on both bodies of a joint at a point of the world, with any orientation."""
    frame = it.Pose(point, rotation_from_rpy(rng.uniform(-1, 1, 3)))
    at_parent = frame if parent < 0 else builder.body_pose[parent].inverse() @ frame
    return at_parent, builder.body_pose[child].inverse() @ frame


def as_reference(built, builder):
    """Return a joint of the builder for the reference, seen from the centres of mass."""
    com = np.zeros(3) if built.parent < 0 else builder.body_com[built.parent]
    return {
        "parent": built.parent,
        "child": built.child,
        "parent_point": built.pose_parent.position - com,
        "child_point": built.pose_child.position - builder.body_com[built.child],
        "parent_axes": built.pose_parent.rotation @ built.turn,
        "child_axes": built.pose_child.rotation,
    }


def bodies_of(scene):
    found = []
    for inertial, q, qd in zip(scene.model.inertials, scene.q, scene.qd, strict=True):
        r = rotation_from_quaternion(q[3:])
        spin = r @ inertial.inertia @ r.T @ qd[3:]
        found.append(
            {"mass": inertial.mass, "tensor": inertial.inertia, "x": q[:3] + r @ inertial.com, "r": r,
             "v": qd[:3] - 0.5 * H * GRAVITY, "spin": spin}
        )  # fmt: skip
    return found


def compare(builder, constraints, steps=20, tolerance=1e-9, velocity=None, **parameters):
    """Step both from rest, or from velocities at random that the joints do not allow all of."""
    scene = Scene(builder, dt=H, substeps=1, iterations=3)
    scene.model.request_state_attributes("body_parent_f")
    scene.state = scene.model.state()
    scene.solver = it.SolverXPBD(scene.model, iterations=3, substeps=1, **parameters)
    bodies, multipliers = bodies_of(scene), None
    for _ in range(steps):
        scene.run(H)
        bodies, multipliers = substep(bodies, constraints, GRAVITY, H)
    for q, body, inertial in zip(scene.q, bodies, scene.model.inertials, strict=True):
        r = rotation_from_quaternion(q[3:])
        assert q[:3] + r @ inertial.com == pytest.approx(body["x"], abs=tolerance)
        assert r == pytest.approx(body["r"], abs=tolerance)
    return scene, multipliers


@pytest.mark.parametrize("kind", HELD)
def test_a_tree_of_one_kind_moves_as_the_dense_solve_says(kind):
    builder = it.ModelBuilder(gravity=GRAVITY)
    for parent, child, point, rng in scattered(builder, 5):
        builder.add_joint(
            kind, parent, child, *anchored(builder, parent, child, point, rng), axis=rng.uniform(-1, 1, 3)
        )
    linear, angular = HELD[kind]
    constraints = [
        Constraint(
            tuple(body for body in (joint.parent, joint.child) if body >= 0),
            holding(as_reference(joint, builder), linear, angular),
            np.zeros(len(linear) + len(angular)),
        )
        for joint in builder.joints
    ]
    compare(builder, constraints)


@pytest.mark.parametrize("compliance", [1e-5, 1e-3])
def test_soft_joints_give_as_the_dense_solve_says(compliance):
    builder = it.ModelBuilder(gravity=GRAVITY)
    for parent, child, point, rng in scattered(builder, 4):
        builder.add_joint(JointKind.REVOLUTE, parent, child, *anchored(builder, parent, child, point, rng))
    linear, angular = HELD[JointKind.REVOLUTE]
    give = np.array([compliance] * 3 + [2.0 * compliance] * 2) / H**2
    constraints = [
        Constraint(
            tuple(body for body in (joint.parent, joint.child) if body >= 0),
            holding(as_reference(joint, builder), linear, angular),
            give,
        )
        for joint in builder.joints
    ]
    options = {"joint_linear_compliance": compliance, "joint_angular_compliance": 2.0 * compliance}
    compare(
        builder, constraints, tolerance=1e-5, **options
    )  # rows of a joint that is off are only alike to first order


def test_universal_joints_and_rods_move_as_the_dense_solve_says():
    builder = it.ModelBuilder(gravity=GRAVITY)
    constraints = []
    for index, (parent, child, point, rng) in enumerate(scattered(builder, 4)):
        frames = anchored(builder, parent, child, point, rng)
        bodies = tuple(body for body in (parent, child) if body >= 0)
        if index % 2:
            far = frames[1].position + [0.3, 0.2, -0.4]
            length = float(np.linalg.norm([0.3, 0.2, -0.4]))
            builder.add_joint_distance(
                parent, child, frames[0], it.Pose(far, frames[1].rotation), min_distance=length, max_distance=length
            )
            rows = at_a_distance(as_reference(builder.joints[-1], builder), length)
            constraints.append(Constraint(bodies, rows, np.zeros(1)))
        else:
            axes = [Dof(axis=(1, 0, 0)), Dof(axis=(0, 1, 0))]
            builder.add_joint_d6(parent, child, angular_axes=axes, parent_xform=frames[0], child_xform=frames[1])
            rows = at_a_right_angle(as_reference(builder.joints[-1], builder))
            constraints.append(Constraint(bodies, rows, np.zeros(4)))
    compare(builder, constraints)


@pytest.mark.parametrize("closing", [JointKind.BALL, JointKind.REVOLUTE])
def test_loops_close_as_the_dense_solve_says(closing):
    builder = it.ModelBuilder(gravity=GRAVITY)
    joints = scattered(builder, 4)
    for parent, child, point, rng in joints:
        builder.add_joint(JointKind.BALL, parent, child, *anchored(builder, parent, child, point, rng))
    rng = np.random.default_rng(8)
    builder.add_joint(closing, -1, 3, *anchored(builder, -1, 3, rng.uniform(-1, 1, 3), rng))
    assert builder.joints[-1].closes_loop
    constraints = [
        Constraint(
            tuple(body for body in (joint.parent, joint.child) if body >= 0),
            holding(as_reference(joint, builder), *HELD[joint.kind]),
            np.zeros(len(HELD[joint.kind][0]) + len(HELD[joint.kind][1])),
        )
        for joint in builder.joints
    ]
    compare(builder, constraints, tolerance=1e-8)


def test_reactions_are_the_multipliers_of_the_dense_solve():
    builder = it.ModelBuilder(gravity=GRAVITY)
    for parent, child, point, rng in scattered(builder, 4):
        builder.add_joint(JointKind.BALL, parent, child, *anchored(builder, parent, child, point, rng))
    references = [as_reference(joint, builder) for joint in builder.joints]
    constraints = [
        Constraint(tuple(b for b in (one["parent"], one["child"]) if b >= 0), holding(one, (0, 1, 2), ()), np.zeros(3))
        for one in references
    ]
    scene, multipliers = compare(builder, constraints)
    wrenches = scene.state.body_parent_f.numpy()
    for index, one in enumerate(references):
        turn = np.eye(3) if one["parent"] < 0 else rotation_from_quaternion(scene.q[one["parent"], 3:])
        force = turn @ one["parent_axes"] @ multipliers[3 * index : 3 * index + 3]
        assert wrenches[one["child"], :3] == pytest.approx(force, abs=1e-2 * np.abs(force).max())
