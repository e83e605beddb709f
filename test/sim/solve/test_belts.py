# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Belts of stiff links round two wheels: a closed loop of joints that contacts pull ever tighter."""

import numpy as np
import pytest
from scenes import Scene

import inertia_tools as it

RADIUS, DISTANCE, HALF = 0.1, 0.3, 0.01
"""Radius of the belt's wheels and distance of their axles, half the thickness of a link [m]."""


def joints_of_belt(count):
    """Return points on the belt's middle line, x and z, the same way along it apart."""
    r = RADIUS + HALF
    length = 2.0 * DISTANCE + 2.0 * np.pi * r
    points = []
    for s in (0.013 + np.arange(count) * length / count) % length:
        side, s = divmod(s, DISTANCE + np.pi * r)
        x, z = -0.5 * DISTANCE + s, -r
        if s > DISTANCE:
            angle = (s - DISTANCE) / r - 0.5 * np.pi
            x, z = 0.5 * DISTANCE + r * np.cos(angle), r * np.sin(angle)
        points.append((1.0 - 2.0 * side) * np.array([x, z]))
    return np.array(points)


def tracked_vehicle(links, rate):
    """Build a chassis on two driven wheels [rad/s] in a belt of so many links."""
    builder, shape = it.ModelBuilder(), it.ShapeConfig(mu=0.8, density=800.0)
    builder.add_ground_plane(cfg=shape)
    height = RADIUS + 2.0 * HALF + 0.002
    chassis = builder.add_link(
        xform=it.Pose(np.array([0.0, 0.0, height])), mass=5.0, inertia=0.1 * np.eye(3), lock_inertia=True
    )
    for x in (-0.5 * DISTANCE, 0.5 * DISTANCE):
        wheel = builder.add_link(xform=it.Pose.from_xyz_rpy([x, 0.0, height], (0.5 * np.pi, 0.0, 0.0)))
        builder.add_shape_cylinder(wheel, radius=0.985 * RADIUS, half_height=0.05, cfg=shape)
        axle = it.Pose.from_xyz_rpy([x, 0.0, 0.0], (0.5 * np.pi, 0.0, 0.0))
        builder.add_joint_revolute(chassis, wheel, axle, it.Pose(), axis=(0, 0, 1), target_kd=50.0, target_vel=rate)
    points = joints_of_belt(links)
    spans = np.roll(points, -1, axis=0) - points
    halves = 0.5 * np.linalg.norm(spans, axis=1)
    bodies = []
    for point, span, half in zip(points, spans, halves, strict=True):
        x, z = point + 0.5 * span
        pose = it.Pose.from_xyz_rpy([x, 0.0, height + z], (0.0, -np.arctan2(span[1], span[0]), 0.0))
        bodies.append(builder.add_link(xform=pose))
        builder.add_shape_box(bodies[-1], hx=0.84 * half, hy=0.05, hz=0.8 * HALF, cfg=shape)
    for i, body in enumerate(bodies):
        k = (i + 1) % links
        ends = it.Pose(np.array([halves[i], 0.0, 0.0])), it.Pose(np.array([-halves[k], 0.0, 0.0]))
        builder.add_joint_revolute(body, bodies[k], *ends, axis=(0, 1, 0))
    return builder


@pytest.mark.slow
def test_a_belt_that_is_too_short_for_its_wheels_is_not_thrown():
    """Links of a polygon need more room than the arc: what holds the belt and what blocks it contradict each other."""
    scene = Scene(tracked_vehicle(19, 4.0), substeps=4)
    for _ in range(120):
        scene.run(1 / 240)
        assert np.abs(scene.qd[:, :3]).max() < 5.0
