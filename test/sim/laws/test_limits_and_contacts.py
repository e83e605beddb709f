# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Joints at their limits, which contacts or efforts press against them or take away from them."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import G, Scene, rod

import inertia_tools as it

DTYPES = ["float64", "float32"]


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("substeps", [1, 4])
@pytest.mark.parametrize("lift", [0.0, 1e-7, -1e-7])
@pytest.mark.parametrize("joint", [{}, {"armature": 1.0}, {"damping": 1.0}], ids=str)
def test_a_slider_at_its_upper_limit_stands_on_the_ground(dtype, substeps, lift, joint):
    """Its own limit would have to pull it up; the ground bears all of it."""
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    slider = builder.add_link(xform=it.Pose((0.0, 0.0, 0.1 + lift)))
    builder.add_shape_box(slider, hx=0.1, hy=0.1, hz=0.1, cfg=it.ShapeConfig(density=125.0))
    at = it.Pose((0.0, 0.0, 0.1 + lift))
    builder.add_joint_prismatic(
        -1, slider, parent_xform=at, axis=(0.0, 0.0, 1.0), limit_lower=-1.0, limit_upper=0.0, **joint
    )
    scene = Scene(builder, dtype, substeps).run(0.25)
    assert scene.force_on(slider, -1)[2] == pytest.approx(G, rel=1e-9 if dtype == "float64" else 2e-2)
    assert abs(scene.qd[slider, 2]) < 1e-7


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("pull", [5.0, 30.0])
def test_fingers_at_their_limits_hold_a_box_as_hard_as_they_are_pressed(dtype, pull):
    """They are closed by 10 N each; friction of 0.5 holds 10 N."""
    builder = it.ModelBuilder(gravity=(0.0, 0.0, 0.0))
    box = builder.add_link()
    material = it.ShapeConfig(density=1000.0, mu=0.5)
    builder.add_shape_box(box, hx=0.05, hy=0.05, hz=0.05, cfg=material)
    for side in (-1.0, 1.0):
        at = it.Pose((side * 0.06, 0.0, 0.0))
        finger = builder.add_link(xform=at)
        builder.add_shape_box(finger, hx=0.01, hy=0.05, hz=0.05, cfg=material)
        builder.add_joint_prismatic(
            -1, finger, parent_xform=at, axis=(-side, 0.0, 0.0), limit_lower=0.0, limit_upper=0.02
        )
    scene = Scene(builder, dtype, 4)
    scene.control.joint_f.assign(np.full(2, 10.0))
    forces = np.zeros((3, 6))
    forces[box, 2] = pull
    scene.state.body_f.assign(forces.astype(dtype))
    scene.run(0.025)
    if pull < 10.0:
        assert scene.force_on(box, 1)[0] == pytest.approx(10.0, rel=1e-3)
    speed = max(pull - 10.0, 0.0) * 0.025
    assert scene.qd[box, 2] == pytest.approx(speed, rel=0.1, abs=1e-6)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("torque", [1e-2, 6.0])
@pytest.mark.parametrize("joint", [{}, {"friction": 0.005}], ids=str)
def test_what_leaves_a_limit_goes_as_if_there_were_none(dtype, torque, joint):
    """A rod in space that a torque presses against its limit, and another one takes away from it."""

    def turned(lower: float) -> float:
        builder = it.ModelBuilder(gravity=(0.0, 0.0, 0.0))
        builder.add_ground_plane(height=-5.0)
        link = builder.add_link(**rod())
        builder.add_joint_revolute(-1, link, axis=(0.0, 1.0, 0.0), limit_lower=lower, limit_upper=1.0, **joint)
        scene = Scene(builder, dtype, 4)
        if lower == 0.0:
            scene.control.joint_f.assign(np.array([-3.0]))
            scene.run(0.1)
        scene.control.joint_f.assign(np.array([torque]))
        scene.run(0.1)
        return float(scene.state.joint_q.numpy()[0])

    assert turned(0.0) == pytest.approx(turned(-1.0), rel=2e-2)
