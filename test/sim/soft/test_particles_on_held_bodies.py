# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Soft bodies on bodies that joints or other bodies hold: they answer as these let them, not as free bodies do."""

import math

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.spatial import Pose, rotation_from_rpy
from test.sim.soft.scenes import GRAVITY, soft_box, stepping

LYING = rotation_from_rpy((math.pi / 2, 0.0, 0.0))
SPHERE, THICKNESS = 0.3, 0.02


def hold(builder, body, holder):
    """Let a joint hold a body, or the floor 0.1 m below."""
    joints = {
        "fixed": lambda: builder.add_joint_fixed(-1, body),
        "slide": lambda: builder.add_joint_prismatic(-1, body, axis=(1, 0, 0)),
        "drive": lambda: builder.add_joint_prismatic(-1, body, axis=(0, 0, 1), target_ke=1e4, target_kd=200.0),
        "hinge": lambda: hang(builder, -1, body, 0.3),
        "floor": lambda: builder.add_ground_plane(height=-0.1),
    }
    joints[holder]()


def hang(builder, parent, child, height):
    """Let a body hang 0.3 m below a hinge at a height on its parent."""
    at, above = Pose((0.0, 0.0, height)), Pose((0.0, 0.0, 0.3))
    builder.add_joint_revolute(parent, child, axis=(0, 1, 0), parent_xform=at, child_xform=above)


def energy_of_particles(model, state):
    mass, v = model.particle_mass.numpy(), state.particle_qd.numpy()
    return mass @ (0.5 * (v**2).sum(axis=1) + GRAVITY * state.particle_q.numpy()[:, 2])


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("dt", "substeps"), [(1 / 60, 4), (1 / 240, 1), (1 / 240, 4)])
@pytest.mark.parametrize("holder", ["fixed", "floor"])
@pytest.mark.parametrize("ratio", [0.5, 20.0])
def test_particles_do_not_bounce_off_what_is_held(ratio, holder, dt, substeps, dtype):
    """Those of 5 kg in all rose to twice their height off a box of 1 kg."""
    builder = it.ModelBuilder()
    box = builder.add_link(mass=1.0, inertia=0.01 * np.eye(3), lock_inertia=True)
    builder.add_shape_box(box, hx=0.1, hy=0.1, hz=0.1)
    hold(builder, box, holder)
    for x, y in ((0.05, 0.05), (-0.05, 0.05), (0.05, -0.05), (-0.05, -0.05)):
        builder.add_particle((x, y, 0.13), mass=0.25 * ratio, radius=THICKNESS)
    _, state, step = stepping(builder, dt, substeps, dtype)
    for _ in range(round(0.5 / dt)):
        step()
        assert state.particle_q.numpy()[:, 2].max() <= 0.13
    assert state.particle_q.numpy()[:, 2] == pytest.approx(np.full(4, 0.12), abs=1e-6)
    assert state.body_q.numpy()[box] == pytest.approx([0, 0, 0, 0, 0, 0, 1], abs=1e-6)


@pytest.mark.sweep
@pytest.mark.parametrize(("dt", "substeps"), [(1 / 60, 4), (1 / 240, 1)])
@pytest.mark.parametrize(("holder", "mass"), [("floor", 0.5), ("floor", 5.0), ("fixed", 5.0)])
def test_a_soft_block_rests_on_a_lighter_box(holder, mass, dt, substeps):
    """Ten kilograms on a box of five were thrown 16 m high."""
    builder = it.ModelBuilder()
    box = builder.add_link(mass=mass, inertia=0.03 * mass * np.eye(3), lock_inertia=True)
    builder.add_shape_box(box, hx=0.2, hy=0.2, hz=0.1)
    hold(builder, box, holder)
    soft_box(builder, (3, 3, 2), (0.3, 0.3, 0.2), (-0.15, -0.15, 0.13), (2e5, 2e5, 2e3), 10.0 / 0.018, THICKNESS)
    _, state, step = stepping(builder, dt, substeps)
    for _ in range(round(0.6 / dt)):
        step()
        assert state.particle_q.numpy()[:, 2].max() < 0.331
    assert np.abs(state.body_q.numpy()[box, :3]).max() < 1e-6
    assert 0.31 < state.particle_q.numpy()[:, 2].max() < 0.321


@pytest.mark.sweep
@pytest.mark.parametrize(("dt", "substeps"), [(1 / 60, 4), (1 / 240, 4)])
@pytest.mark.parametrize("holder", ["fixed", "slide", "drive", "hinge", "two hinges"])
@pytest.mark.parametrize(("link", "rope"), [(1.0, 0.1), (0.2, 2.0)])
def test_a_rope_on_a_link_gains_no_energy(link, rope, holder, dt, substeps):
    """One that is ten times as heavy as the link gained up to 1e4 times m g L."""
    builder = it.ModelBuilder()
    body = builder.add_link(mass=link, inertia=0.01 * link * np.eye(3))
    if holder == "two hinges":
        upper = builder.add_link(xform=Pose((0.0, 0.0, 0.3)), mass=link, inertia=0.01 * link * np.eye(3))
        hang(builder, -1, upper, 0.6)
        hang(builder, upper, body, 0.0)
    else:
        hold(builder, body, holder)
    for i in range(5):
        builder.add_particle((0.02 * i, 0.0, -0.1 * i), mass=rope / 5, radius=0.0)
    for i in range(4):
        builder.add_spring(i, i + 1, 1e5, 0.0, 0)
    builder.add_attachment_particle_body(0, body, stiffness=math.inf)
    model, state, step = stepping(builder, dt, substeps)
    mass = model.body_mass.numpy()
    start, scale = energy_of_particles(model, state), rope * GRAVITY * 0.4
    for _ in range(round(1.0 / dt)):
        step()
        v, height = state.body_qd.numpy()[:, :3], state.body_q.numpy()[:, 2]
        of_bodies = mass @ (0.5 * (v**2).sum(axis=1) + GRAVITY * (height - model.body_q.numpy()[:, 2]))
        assert energy_of_particles(model, state) + of_bodies - start < 1e-3 * scale
    assert np.linalg.norm(state.particle_q.numpy()[0] - state.body_q.numpy()[body, :3]) < 1e-5


@pytest.mark.parametrize(("density", "dt", "substeps"), [(10.0, 1 / 60, 4), (100.0, 1 / 60, 4), (10.0, 1 / 240, 4)])
def test_weights_on_a_rope_turn_a_pulley(density, dt, substeps):
    """Acceleration (m2 - m1) g / (m1 + m2 + I / R^2); a pulley of 5 kg was thrown 7 m, one of 0.5 kg 34 m."""
    radius, count = 0.2, 32
    reach = radius + 0.01
    spacing = math.pi * reach / count
    builder = it.ModelBuilder()
    pose = Pose((0.0, 0.0, 0.0), LYING)
    pulley = builder.add_link(xform=pose)
    builder.add_shape_cylinder(pulley, radius=radius, half_height=0.2, cfg=it.ShapeConfig(density=density, mu=1.0))
    builder.add_joint_revolute(-1, pulley, axis=(0, 0, 1), parent_xform=pose)
    angles = math.pi - math.pi * np.arange(count + 1) / count
    points = [(-reach, 0.0, -i * spacing) for i in range(10, 0, -1)]
    points += [(reach * math.cos(a), 0.0, reach * math.sin(a)) for a in angles]
    points += [(reach, 0.0, -i * spacing) for i in range(1, 11)]
    masses = [1.0] + [0.002] * (len(points) - 2) + [1.5]
    for point, mass in zip(points, masses, strict=True):
        builder.add_particle(point, mass=mass, radius=0.01)
    for i in range(len(points) - 1):
        builder.add_spring(i, i + 1, 2e5, 5.0, 0)
    model, state, step = stepping(builder, dt, substeps)
    model.soft_contact_mu = 1.0
    heights = []
    for _ in range(3):
        for _ in range(round(0.2 / dt)):
            step()
        heights.append(-state.particle_q.numpy()[-1, 2])
    inertia = 0.5 * density * math.pi * radius**4 * 0.4
    expected = 0.5 * GRAVITY / (sum(masses) + inertia / reach**2)
    assert np.diff(heights, 2)[0] / 0.2**2 == pytest.approx(expected, rel=0.15)


def test_cloth_drapes_a_sphere_on_a_fixed_joint():
    """It was thrown at 360 m/s: searches were cut short, and forces of 1e5 N that they had reached went on."""
    builder = it.ModelBuilder()
    body = builder.add_link()
    builder.add_shape_sphere(body, radius=SPHERE, cfg=it.ShapeConfig(density=100.0, mu=0.5))
    builder.add_joint_fixed(-1, body)
    sheet = {"dim_x": 20, "dim_y": 20, "cell_x": 0.05, "cell_y": 0.05, "mass": 0.002, "particle_radius": THICKNESS}
    stiffness = {"tri_ke": 1e3, "tri_ka": 1e3, "tri_kd": 0.1, "edge_ke": 1e-4, "edge_kd": 1e-4}
    builder.add_cloth_grid(pos=(-0.5, -0.5, 0.33), **sheet, **stiffness)
    _, state, step = stepping(builder, 1 / 40, 1)
    for _ in range(32):
        step()
        assert np.linalg.norm(state.particle_qd.numpy(), axis=1).max() < 6.0
    apart = np.linalg.norm(state.particle_q.numpy(), axis=1)
    assert apart.min() == pytest.approx(SPHERE + THICKNESS, abs=1e-3)
