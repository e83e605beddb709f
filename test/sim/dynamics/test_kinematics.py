# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Forward and inverse kinematics of a model's arrays."""

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.spatial import Pose


def chain():
    """Two links on hinges."""
    builder = it.ModelBuilder()
    first, second = (builder.add_link(mass=1.0, inertia=np.eye(3)) for _ in range(2))
    joints = [
        builder.add_joint_revolute(-1, first, axis=(0, 0, 1)),
        builder.add_joint_revolute(first, second, parent_xform=Pose(np.array([1.0, 0.0, 0.0])), axis=(0, 0, 1)),
    ]
    builder.add_articulation(joints, label="chain")
    return builder


@pytest.mark.parametrize("by_count", [True, False])
def test_copies_of_a_scene_hang_on_their_own_parents(by_count):
    if by_count:
        scene = chain()
        scene.replicate(3)
    else:
        scene = it.ModelBuilder()
        scene.replicate(chain(), 3)
    model = scene.finalize(dtype="float64")
    q, state = model.joint_q, model.state()
    turns = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
    q.assign(turns.ravel())
    it.eval_fk(model, q, model.joint_qd, state)
    poses = state.body_q.numpy().reshape(3, 2, 7)
    assert np.allclose(poses[:, 1, :2], np.stack([np.cos(turns[:, 0]), np.sin(turns[:, 0])], axis=1))
    assert np.allclose(2.0 * np.arcsin(poses[:, 1, 5]), turns.sum(axis=1))
    found, rates = model.state().joint_q, model.state().joint_qd
    it.eval_ik(model, state, found, rates)
    assert np.allclose(found.numpy(), turns.ravel())
    assert model.joint_ancestor.numpy().tolist() == [-1, 0, -1, 2, -1, 4]
