# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Forward and inverse kinematics of a model's arrays."""

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.errors import OptionError
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


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_arrays_of_numpy_are_read_and_filled(dtype, kind):
    model = chain().finalize(dtype=dtype)
    state, q, qd = model.state(), np.array([0.1, 0.2], dtype=kind), np.array([0.3, 0.4], dtype=kind)
    it.eval_fk(model, q, qd, state)
    found, rates = np.zeros(2, dtype=kind), np.zeros(2, dtype=kind)
    it.eval_ik(model, state, found, rates)
    assert np.allclose(found, q, atol=1e-6) and np.allclose(rates, qd, atol=1e-6)
    found[:] = 7.0
    it.eval_ik(model, state, found, rates, mask=[False])
    assert (found == 7.0).all(), "what is not looked at stays"


@pytest.mark.parametrize("wrong", [np.zeros(2, dtype=int), [0.0, 0.0], np.zeros(3), np.zeros((1, 2)), None, "frozen"])
def test_what_cannot_be_filled_is_refused(wrong):
    model = chain().finalize()
    if isinstance(wrong, str):
        wrong = np.zeros(2)
        wrong.setflags(write=False)
    with pytest.raises(OptionError, match="joint_q must be"):
        it.eval_ik(model, model.state(), wrong, np.zeros(2))
    with pytest.raises(OptionError, match="joint_qd must be"):
        it.eval_ik(model, model.state(), np.zeros(2), wrong)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("joint_q", np.zeros(3)),
        ("joint_q", [0.0, np.nan]),
        ("joint_q", None),
        ("joint_q", "ab"),
        ("joint_qd", [0.0, np.inf]),
        ("joint_qd", np.zeros((2, 1))),
        ("mask", [True, True]),
        ("mask", []),
        ("mask", ["a"]),
        ("indices", [1]),
        ("indices", [-1]),
        ("indices", [0.5]),
        ("joint_mask", [True]),
        ("state", None),
    ],
)
def test_what_does_not_fit_the_scene_is_refused_by_name(name, value):
    model = chain().finalize()
    given = {"joint_q": np.zeros(2), "joint_qd": np.zeros(2), "state": model.state()} | {name: value}
    with pytest.raises(OptionError, match=f"^{name} must be"):
        it.eval_fk(model, **given)


def test_another_world_may_have_left_the_numbers():
    """A world that has exploded does not keep others from being put back."""
    scene = it.ModelBuilder()
    scene.replicate(chain(), 2)
    model, q = scene.finalize(), np.array([np.nan, 0.0, 0.1, 0.2])
    it.eval_fk(model, q, np.zeros(4), model.state(), mask=[False, True])
    with pytest.raises(OptionError, match="joint_q"):
        it.eval_fk(model, q, np.zeros(4), model.state())


def test_a_quaternion_of_length_zero_is_named():
    builder = it.ModelBuilder()
    builder.add_body(mass=1.0, inertia=np.eye(3), label="box")
    model = builder.finalize()
    with pytest.raises(OptionError, match="joint_q must be with a quaternion"):
        it.eval_fk(model, np.zeros(7), np.zeros(6), model.state())
