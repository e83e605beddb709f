# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Supports share a load that equilibrium leaves open as springs of about equal stiffness would."""

from functools import cache

import numpy as np
import pytest
import scenes

import inertia_tools as it

HALF, MU, SPEED, SPIN, TIME = np.array([0.1, 0.08, 0.06]), 0.3, 1.5, 2.0, 0.4


@cache
def planar() -> tuple[float, float]:
    """Return how far the box turns, and how fast it does in the end, if its corners' loads lie in a plane.

    The loads, per mass, bear the weight and the moments that friction at the ground has about the centre of mass.
    """
    corners, dt = np.array([[x, y] for x in (-1.0, 1.0) for y in (-1.0, 1.0)]) * HALF[:2], 1e-4
    v, angle, spin = np.array([SPEED, 0.0]), 0.0, SPIN
    for _ in range(round(TIME / dt)):
        c, s = np.cos(angle), np.sin(angle)
        arms = corners @ np.array([[c, s], [-s, c]])
        slips = v + spin * np.column_stack([-arms[:, 1], arms[:, 0]])
        ways = -slips / np.linalg.norm(slips, axis=1)[:, None]
        shapes = np.column_stack([np.ones(4), arms])
        moments = np.vstack([np.ones(4), (arms + HALF[2] * MU * ways).T])
        loads = shapes @ np.linalg.solve(moments @ shapes, [scenes.G, 0.0, 0.0])
        forces = MU * loads[:, None] * ways
        v = v + dt * forces.sum(axis=0)
        spin += dt * (arms[:, 0] @ forces[:, 1] - arms[:, 1] @ forces[:, 0]) / ((HALF[0] ** 2 + HALF[1] ** 2) / 3.0)
        angle += dt * spin
    return angle, spin


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("dt", "substeps"), [(1 / 60, 1), (1 / 120, 1), (1 / 240, 4)])
def test_a_box_that_slides_and_spins_lies_on_all_its_corners(dt, substeps, dtype):
    builder = it.ModelBuilder()
    material = it.ShapeConfig(density=1000.0, mu=MU)
    builder.add_ground_plane(cfg=material)
    body = builder.add_body(xform=it.Pose((0.0, 0.0, HALF[2])))
    builder.add_shape_box(body, hx=HALF[0], hy=HALF[1], hz=HALF[2], cfg=material)
    scene = scenes.Scene(builder, dtype, substeps, dt=dt)
    scene.set_velocity(body, (SPEED, 0.0, 0.0), (0.0, 0.0, SPIN))
    scene.run(TIME)
    angle, spin = planar()
    q = scene.q[body]
    assert 2.0 * np.arctan2(q[5], q[6]) == pytest.approx(angle, rel=0.02)
    assert scene.qd[body, 5] == pytest.approx(spin, abs=0.01 * SPIN)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("mass", [0.1, 1.0, 5.0])
def test_light_wheels_bear_a_heavy_robot_beside_its_casters(mass, dtype):
    """A quarter of the weight each, if all four were equally stiff; wheels that bear nothing drive nothing."""
    builder, radius, chassis_mass = it.ModelBuilder(), 0.1, 20.0
    builder.add_ground_plane()
    chassis = scenes.add_box(builder, chassis_mass, 0.08, (0.0, 0.0, 0.2))
    for x in (-0.25, 0.25):
        builder.add_shape_sphere(chassis, it.Pose((x, 0.0, -0.15)), 0.05, cfg=it.ShapeConfig(density=0.0, mu=0.0))
    for y in (-0.2, 0.2):
        wheel = builder.add_link(it.Pose((0.0, y, radius)), mass=mass, inertia=0.4 * mass * radius**2 * np.eye(3))
        builder.add_shape_sphere(wheel, radius=radius, cfg=it.ShapeConfig(density=0.0, mu=1.0))
        builder.add_joint_revolute(chassis, wheel, it.Pose((0.0, y, radius - 0.2)), it.Pose(), axis=(0.0, 1.0, 0.0))
    scene = scenes.Scene(builder, dtype, 4)
    scene.run(0.5)
    table = scene.model.acting_contacts(scene.contacts)
    loads = np.abs(np.array(table.forces)[:, 2])
    assert loads.sum() == pytest.approx(scenes.G * (chassis_mass + 2.0 * mass), rel=1e-4)
    assert loads.min() > 0.1 * loads.sum()
