# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Building a scene: masses add up, names are checked, and nothing loads Warp before it must."""

import subprocess
import sys

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.errors import OptionError, SimulationError


def test_a_ball_adds_its_mass_to_what_the_link_has():
    builder = it.ModelBuilder()
    body = builder.add_link(mass=2.0)
    builder.add_shape_sphere(body, radius=1.0, cfg=it.ModelBuilder.ShapeConfig(density=1000.0))
    assert builder.body_mass[body] == pytest.approx(2.0 + 4.0 / 3.0 * np.pi * 1000.0)


def test_shapes_add_up_through_the_common_centre_of_mass():
    builder, config = it.ModelBuilder(), it.ShapeConfig(density=1.0)
    body = builder.add_link()
    for side in (-1.0, 1.0):
        builder.add_shape_box(body, hx=1.0, hy=0.5, hz=0.5, xform=it.Pose(np.array([side, 0.0, 0.0])), cfg=config)
    whole = it.ModelBuilder()
    other = whole.add_link()
    whole.add_shape_box(other, hx=2.0, hy=0.5, hz=0.5, cfg=config)
    assert builder.body_mass[body] == pytest.approx(whole.body_mass[other])
    assert np.allclose(builder.body_com[body], 0.0, atol=1e-15)
    assert np.allclose(builder.body_inertia[body], whole.body_inertia[other], rtol=1e-12)


@pytest.mark.parametrize(
    ("add", "volume"),
    [
        (lambda b, i, c: b.add_shape_box(i, hx=0.1, hy=0.2, hz=0.3, cfg=c), 8 * 0.1 * 0.2 * 0.3),
        (lambda b, i, c: b.add_shape_sphere(i, radius=0.1, cfg=c), 4 / 3 * np.pi * 1e-3),
        (lambda b, i, c: b.add_shape_cylinder(i, radius=0.1, half_height=0.2, cfg=c), np.pi * 0.01 * 0.4),
        (
            lambda b, i, c: b.add_shape_capsule(i, radius=0.1, half_height=0.2, cfg=c),
            np.pi * 0.01 * 0.4 + 4 / 3 * np.pi * 1e-3,
        ),
        (lambda b, i, c: b.add_shape_convex_hull(i, mesh=np.vstack([np.zeros(3), np.eye(3)]), cfg=c), 1 / 6),
    ],
)
def test_mass_is_density_times_volume(add, volume):
    builder = it.ModelBuilder()
    body = builder.add_link()
    add(builder, body, it.ShapeConfig(density=700.0))
    assert builder.body_mass[body] == pytest.approx(700.0 * volume, rel=1e-12)


def test_locked_inertia_and_zero_density_stay():
    builder = it.ModelBuilder()
    locked = builder.add_link(mass=1.0, inertia=np.eye(3), lock_inertia=True)
    free = builder.add_link(mass=1.0, inertia=np.eye(3))
    builder.add_shape_sphere(locked, radius=1.0)
    builder.add_shape_sphere(free, radius=1.0, cfg=it.ShapeConfig(density=0.0))
    for body in (locked, free):
        assert builder.body_mass[body] == 1.0
        assert np.array_equal(builder.body_inertia[body], np.eye(3))


def test_armature_is_added_to_the_diagonal():
    builder = it.ModelBuilder()
    body = builder.add_link(mass=1.0, inertia=np.eye(3), armature=0.5)
    assert np.array_equal(builder.body_inertia[body], 1.5 * np.eye(3))


@pytest.mark.parametrize("option", ["density", "mu"])
@pytest.mark.parametrize("value", [-1.0, np.nan, np.inf])
def test_impossible_material_is_refused(option, value):
    with pytest.raises(OptionError, match=option):
        builder = it.ModelBuilder()
        builder.add_shape_box(builder.add_link(), cfg=it.ShapeConfig(**{option: value}))


def test_unknown_body_is_refused():
    with pytest.raises(SimulationError, match="no body 3"):
        it.ModelBuilder().add_shape_sphere(3, radius=1.0)


def test_flat_hull_is_refused():
    builder = it.ModelBuilder()
    with pytest.raises(SimulationError, match="not coplanar"):
        builder.add_shape_convex_hull(builder.add_link(), mesh=[[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]])


def test_unknown_precision_and_device_are_refused():
    builder = it.ModelBuilder()
    builder.add_link(mass=1.0, inertia=np.eye(3))
    with pytest.raises(OptionError, match="dtype"):
        builder.finalize(dtype="float16")
    with pytest.raises(SimulationError, match="device"):
        builder.finalize(device="abacus")


def test_joints_take_what_they_are_not_told_from_the_default():
    builder = it.ModelBuilder()
    builder.default_joint_cfg = it.ModelBuilder.JointDofConfig(axis=(0, 0, 1), limit_lower=-1.0, damping=0.3)
    parent, *children = (builder.add_link(mass=1.0, inertia=np.eye(3)) for _ in range(4))
    builder.add_joint_revolute(parent, children[0])
    builder.add_joint_prismatic(parent, children[1], axis=(0, 1, 0), limit_lower=-2.0, limit_upper=2.0, damping=0.0)
    builder.add_joint_ball(parent, children[2])
    hinge, slide, ball = builder.joints
    assert np.allclose(hinge.pose_parent.rotation[:, 0], [0, 0, 1])
    assert (hinge.lower, hinge.upper, hinge.damping) == (-1.0, np.inf, 0.3)
    assert np.allclose(slide.pose_parent.rotation[:, 0], [0, 1, 0])
    assert (slide.lower, slide.upper, slide.damping) == (-2.0, 2.0, 0.0)
    assert ball.lower == -np.inf
    assert (builder.body_count, builder.joint_count) == (4, 3)


def test_a_free_body_is_a_link_on_a_free_joint():
    builder = it.ModelBuilder()
    body = builder.add_body(it.Pose(np.array([1.0, 2.0, 3.0])), mass=1.0, inertia=np.eye(3), name="ball")
    assert builder.body_name[body] == "ball" and builder.body_pose[body].position.tolist() == [1, 2, 3]
    assert [joint.kind.name for joint in builder.joints] == ["FREE"]
    with pytest.raises(SimulationError, match="already the child of joint"):
        builder.add_joint_free(body)


def test_building_does_not_load_warp():
    code = """
import sys, warnings, numpy as np, inertia_tools as it
warnings.simplefilter("ignore")
b = it.ModelBuilder()
i = b.add_link(mass=1)
b.add_shape_box(i, hx=1, hy=1, hz=1)
corners = np.vstack([np.zeros(3), np.eye(3)])
b.add_shape_mesh(i, mesh=it.Mesh(corners, [0, 2, 1, 0, 3, 2, 0, 1, 3]))  # it has a hole
b.add_shape_convex_hull(i, mesh=corners)
b.add_ground_plane()
b.add_urdf('<robot name="r"><link name="l"><collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>')
b.collapse_fixed_joints()
print("warp" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_matrices_of_warp_are_added_to_the_tensor_of_a_body():
    wp = pytest.importorskip("warp", reason="warp-lang is not installed")
    builder = it.ModelBuilder()
    body = builder.add_body(mass=1.0, inertia=np.diag([1.0, 2.0, 2.5]))
    armature = wp.mat33(np.eye(3, dtype=np.float32)) * 0.5
    builder.body_inertia[body] = builder.body_inertia[body] + armature
    builder.body_inertia[body] += armature
    assert np.diag(builder.body_inertia[body]).tolist() == [2.0, 3.0, 3.5]
    builder.body_inertia[body] = wp.mat33(np.eye(3, dtype=np.float32))
    builder.add_shape_sphere(body, radius=0.1, cfg=it.ModelBuilder.ShapeConfig(density=0.0))
    assert builder.finalize().body_inertia.numpy()[body].tolist() == np.eye(3).tolist()
