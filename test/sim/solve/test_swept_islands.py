# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Islands with more contacts between bodies than the factor has room for: these are swept, and joints solved between."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import Scene

import inertia_tools as it
from inertia_tools.sim.model import building
from inertia_tools.spatial import rotation_from_quaternion

HALF, LENGTH = 0.1, 0.4
SHOULDER = np.array([-2.0 * LENGTH, 0.0, 6.0 * HALF + 0.05])


@pytest.fixture(autouse=True)
def little_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the factor room for the contacts of a tree of bodies, and for no circle of them."""
    monkeypatch.setattr(building, "MOST_LINKS", 1)


def pyramid(arm: bool) -> it.ModelBuilder:
    """Return three rows of boxes, on the top one of which the end of an arm of two links may lie."""
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    for row in range(3):
        for column in range(3 - row):
            at = [2.02 * HALF * (column + 0.5 * row - 1.0), 0.0, HALF * (1.0 + 2.0 * row)]
            builder.add_shape_box(builder.add_link(xform=it.Pose(at)), hx=HALF, hy=HALF, hz=HALF)
    if arm:
        links = [builder.add_link(mass=0.5, inertia=np.eye(3) * 0.01) for _ in range(2)]
        builder.add_shape_sphere(links[1], xform=it.Pose([0.5 * LENGTH, 0.0, 0.0]), radius=0.05)
        near, far = it.Pose([-0.5 * LENGTH, 0.0, 0.0]), it.Pose([0.5 * LENGTH, 0.0, 0.0])
        joints = [
            builder.add_joint_revolute(-1, links[0], parent_xform=it.Pose(SHOULDER), child_xform=near, axis=(0, 1, 0)),
            builder.add_joint_fixed(links[0], links[1], parent_xform=far, child_xform=near),
        ]
        builder.add_articulation(joints)
    return builder


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("arm", [False, True])
def test_what_is_swept_stands_and_is_counted(arm, dtype):
    scene = Scene(pyramid(arm), dtype, substeps=4)
    it.eval_fk(scene.model, scene.model.joint_q, scene.model.joint_qd, scene.state)
    start = scene.q
    scene.run(1.0)
    assert np.abs(scene.q - start)[:, :3].max() < 1e-5
    assert np.abs(scene.qd).max() < 1e-5
    assert scene.contacts.unsettled == 4 * round(1.0 / scene.dt)
    if arm:
        position, turn = scene.q[-2, :3], rotation_from_quaternion(scene.q[-2, 3:])
        assert position + turn @ [-0.5 * LENGTH, 0.0, 0.0] == pytest.approx(SHOULDER, abs=1e-6)
