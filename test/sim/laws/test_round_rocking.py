# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What rocks without sliding keeps its energy, at the frequency of a pendulum whose length curvatures give.

A force that acted where the point of contact ends, or that moved it with the body's centre, would damp by w^2 h / 2.
"""

import numpy as np
import pytest
from scenes import G, Scene

import inertia_tools as it
from inertia_tools.spatial import rotation_from_rpy

ANGLE = 0.02
"""Of the first posture [rad], small."""

DENSITY = 500.0

STEPS = [("float64", 1 / 60, 1), ("float64", 1 / 60, 4), ("float64", 1 / 240, 4), ("float32", 1 / 240, 1)]


def lying(x=0.0, y=0.0, z=0.0, pitch=0.0):
    """Return a pose, turned about y."""
    return it.Pose(np.array([x, y, z]), rotation_from_rpy((0.0, pitch, 0.0)))


ALONG_Y = it.Pose(np.zeros(3), rotation_from_rpy((np.pi / 2.0, 0.0, 0.0)))


def rocker(builder, shape, material):
    """Add a body that stands on a plane, turned a little; return it, its radius of curvature, and its middle's height.

    That of the shape; the centre of mass of what is round about its axis is lower.
    """
    if shape == "ellipsoid":
        a, c = 0.15, 0.08
        z = np.hypot(a * np.sin(ANGLE), c * np.cos(ANGLE))
        body = builder.add_link(lying(z=z, pitch=ANGLE))
        builder.add_shape_ellipsoid(body, a=a, b=0.1, c=c, cfg=material)
        return body, a**2 / c, c
    radius, low = 0.1, 0.04
    inertia = 0.4 * 5.0 * radius**2 * np.eye(3)
    body = builder.add_link(lying(z=radius, pitch=ANGLE), mass=5.0, com=(0.0, 0.0, -low), inertia=inertia)
    material = it.ShapeConfig(density=0.0, mu=material.mu)
    if shape == "sphere":
        builder.add_shape_sphere(body, radius=radius, cfg=material)
    else:
        add = {"cylinder": builder.add_shape_cylinder, "capsule": builder.add_shape_capsule}[shape]
        add(body, xform=ALONG_Y, radius=radius, half_height=0.1, cfg=material)
    return body, radius, radius - low


def pitches(scene, body, seconds, dt):
    """Return the pitch of a body step by step [rad]."""
    result = []
    for _ in range(round(seconds / dt)):
        scene.run(dt)
        x, y, z, w = scene.q[body, 3:]
        result.append(2.0 * (x * z + w * y))
    return np.array(result)


def assert_rocks(angles, dt, frequency):
    """See that an angle swings with an angular frequency, and as far at the end as at the beginning."""
    crossings = np.flatnonzero((angles[:-1] > 0.0) & (angles[1:] <= 0.0))
    times = (crossings + angles[crossings] / (angles[crossings] - angles[crossings + 1])) * dt
    assert np.diff(times).mean() * frequency == pytest.approx(2.0 * np.pi, rel=0.005)
    last = angles[-round(2.2 * np.pi / frequency / dt) :]
    assert np.abs(last).max() == pytest.approx(ANGLE, rel=0.02)


@pytest.mark.sweep
@pytest.mark.parametrize("broad_phase", ["list", "search"])
@pytest.mark.parametrize(("dtype", "dt", "substeps"), STEPS)
@pytest.mark.parametrize("shape", ["ellipsoid", "sphere", "cylinder", "capsule"])
def test_round_bodies_rock_on_a_plane(shape, dtype, dt, substeps, broad_phase):
    material = it.ShapeConfig(density=DENSITY, mu=1.0)
    builder = it.ModelBuilder(broad_phase=broad_phase)
    builder.add_ground_plane(cfg=material)
    body, curvature, height = rocker(builder, shape, material)
    scene = Scene(builder, dtype, substeps, dt=dt)
    inertial = scene.model.inertials[body]
    about_contact = inertial.inertia[1, 1] / inertial.mass + height**2
    frequency = np.sqrt(G * (curvature - height) / about_contact)
    assert_rocks(pitches(scene, body, 6.0, dt), dt, frequency)


def add_support(builder, shape, radius, material):
    """Add something fixed that is as round as a cylinder along y, whose top is the origin."""
    below = it.Pose(np.array([0.0, 0.0, -radius]), ALONG_Y.rotation)
    if shape == "sphere":
        builder.add_shape_sphere(-1, xform=below, radius=radius, cfg=material)
    elif shape == "ellipsoid":
        a, c = np.sqrt(0.5) * radius, 0.5 * radius
        builder.add_shape_ellipsoid(-1, xform=lying(z=-c), a=a, b=0.5, c=c, cfg=material)
    elif shape == "cylinder":
        builder.add_shape_cylinder(-1, xform=below, radius=radius, half_height=0.5, cfg=material)
    else:
        builder.add_shape_capsule(-1, xform=below, radius=radius, half_height=0.5, cfg=material)


@pytest.mark.sweep
@pytest.mark.parametrize(("dtype", "dt", "substeps"), STEPS)
@pytest.mark.parametrize("shape", ["ellipsoid", "sphere", "cylinder", "capsule"])
def test_a_plank_rocks_on_what_is_round(shape, dtype, dt, substeps):
    radius, half = 0.3, 0.03
    material = it.ShapeConfig(density=DENSITY, mu=3.0)
    builder = it.ModelBuilder()
    add_support(builder, shape, radius, material)
    normal, along = np.array([np.sin(ANGLE), np.cos(ANGLE)]), np.array([np.cos(ANGLE), -np.sin(ANGLE)])
    x, z = (radius + half) * normal - radius * ANGLE * along - np.array([0.0, radius])
    plank = builder.add_link(lying(x=x, z=z, pitch=ANGLE))
    builder.add_shape_box(plank, hx=0.4, hy=0.1, hz=half, cfg=material)
    scene = Scene(builder, dtype, substeps, dt=dt)
    inertial = scene.model.inertials[plank]
    frequency = np.sqrt(G * (radius - half) / (inertial.inertia[1, 1] / inertial.mass + half**2))
    assert_rocks(pitches(scene, plank, 6.0, dt), dt, frequency)


@pytest.mark.parametrize(("dt", "substeps", "loss"), [(1 / 60, 1, 3e-3), (1 / 60, 4, 5e-4), (1 / 240, 4, 2e-4)])
def test_an_ellipsoid_that_rolls_keeps_its_energy(dt, substeps, loss):
    """It turns about its middle axis, at 3 rad/s, and its highest point goes up and down by a fifth of its height."""
    material = it.ShapeConfig(density=DENSITY, mu=2.0)
    builder = it.ModelBuilder()
    builder.add_ground_plane(cfg=material)
    body = builder.add_link(lying(z=0.08))
    builder.add_shape_ellipsoid(body, a=0.1, b=0.15, c=0.08, cfg=material)
    scene = Scene(builder, "float64", substeps, dt=dt)
    scene.set_velocity(body, (0.24, 0.0, 0.0), (0.0, 3.0, 0.0))
    first = scene.energy()
    scene.run(6.0)
    assert scene.energy() == pytest.approx(first, rel=loss)


@pytest.mark.sweep
@pytest.mark.parametrize("rate", [2.0, 4.0, 8.0])
@pytest.mark.parametrize(("dt", "substeps", "gain"), [(1 / 60, 1, 1.0), (1 / 120, 1, 0.2), (1 / 60, 4, 0.03)])
def test_a_slippery_ellipsoid_that_rocks_far_gains_little(dt, substeps, gain, rate):
    """Its gap closes where the contact ends, though impulses act where it was: without that it gained 17 times this."""
    builder = it.ModelBuilder()
    builder.add_ground_plane(cfg=it.ShapeConfig(mu=0.0))
    body = builder.add_link(lying(z=0.04))
    builder.add_shape_ellipsoid(body, a=0.1, b=0.06, c=0.04, cfg=it.ShapeConfig(density=DENSITY, mu=0.0))
    scene = Scene(builder, "float64", substeps, dt=dt)
    scene.set_velocity(body, (0.0, 0.0, 0.0), (0.0, rate, 0.0))
    lowest = scene.model.inertials[body].mass * G * 0.04
    scene.run(0.05)
    first, most = scene.energy() - lowest, 0.0
    for _ in range(round(5.0 / dt)):
        scene.run(dt)
        most = max(most, scene.energy() - lowest)
    assert most < (1.0 + gain) * first
