# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Cars whose drives carry them up a slope, with the speed, acceleration and slip that statics says."""

import numpy as np
import pytest
from scenes import G

import inertia_tools as it
from inertia_tools.spatial import Pose, rotation_from_rpy

RADIUS, HALF, MASS, WHEEL, LENGTH, TRACK, RISE = 0.1, 0.02, 20.0, 1.0, 0.4, 0.36, 0.05
"""Of wheels [m], of the chassis and each wheel [kg], between axles and wheels [m], of the chassis above the axles [m]."""

TOTAL, SPIN = MASS + 4.0 * WHEEL, 0.5 * WHEEL * RADIUS**2
ACROSS = Pose(np.zeros(3), rotation_from_rpy((np.pi / 2, 0.0, 0.0)))
FLAT = np.zeros((25, 25))
FLOORS = {
    "plane": lambda builder, cfg: builder.add_ground_plane(cfg=cfg),
    "box": lambda builder, cfg: builder.add_shape_box(-1, Pose((0.0, 0.0, -0.5)), hx=6.0, hy=6.0, hz=0.5, cfg=cfg),
    "heights": lambda builder, cfg: builder.add_shape_heightfield(
        heightfield=it.Heightfield(FLAT, 25, 25, 6.0, 6.0), cfg=cfg
    ),
}
WHEELS = {
    "ball": lambda builder, body, cfg: builder.add_shape_sphere(body, radius=RADIUS, cfg=cfg),
    "cylinder": lambda builder, body, cfg: builder.add_shape_cylinder(body, ACROSS, RADIUS, HALF, cfg=cfg),
    "ellipsoid": lambda builder, body, cfg: builder.add_shape_ellipsoid(body, None, RADIUS, 2 * HALF, RADIUS, cfg=cfg),
}
CASES = pytest.mark.parametrize(
    ("floor", "wheel"), [("plane", "ball"), ("box", "ellipsoid"), ("heights", "cylinder"), ("heights", "ellipsoid")]
)
STEPS = pytest.mark.parametrize(("dt", "substeps"), [(1 / 60, 1), (1 / 60, 4), (1 / 240, 4)])
PRECISIONS = pytest.mark.parametrize(("dtype", "accuracy"), [("float64", 1e-6), ("float32", 1e-4)])


def car(floor, wheel, slope, mu, front, rear):
    """Return a builder of a car on a slope that it climbs along x; `front` and `rear` are options of its drives."""
    builder = it.ModelBuilder(gravity=(-G * np.sin(slope), 0.0, -G * np.cos(slope)))
    material = it.ShapeConfig(density=0.0, mu=mu)
    FLOORS[floor](builder, material)
    start = np.array([-2.0, 0.013, RADIUS])
    chassis = builder.add_link(Pose(start + [0.0, 0.0, RISE]), mass=MASS, inertia=np.diag([0.15, 0.6, 0.7]))
    for x, y in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        place = np.array([0.5 * x * LENGTH, 0.5 * y * TRACK, 0.0])
        body = builder.add_link(Pose(start + place), mass=WHEEL, inertia=np.diag([0.5 * SPIN, SPIN, 0.5 * SPIN]))
        WHEELS[wheel](builder, body, material)
        axle = Pose(place - [0.0, 0.0, RISE])
        builder.add_joint_revolute(chassis, body, axle, axis=(0, 1, 0), **(front if x > 0 else rear))
    return builder


@pytest.mark.sweep
@PRECISIONS
@STEPS
@CASES
def test_velocity_drives_climb_a_slope_at_their_lag(scene, floor, wheel, dt, substeps, dtype, accuracy):
    """On a box, an ellipsoid once lost its load for a step; loads changed for good, and wheels slipped from then on."""
    slope, rate, damping = 0.25, 8.0, 2.0
    drive = {"target_vel": rate, "target_kd": damping}
    run = scene(car(floor, wheel, slope, 0.8, drive, drive), dtype, substeps, dt=dt).run(2.0)
    steady = rate - TOTAL * G * np.sin(slope) * RADIUS / (4.0 * damping)
    assert run.qd[0, 0] == pytest.approx(steady * RADIUS, rel=accuracy)
    assert run.qd[1:, 4] == pytest.approx(steady, rel=accuracy)


@pytest.mark.sweep
@PRECISIONS
@STEPS
@CASES
def test_rear_wheels_that_spin_push_with_the_friction_of_their_load(scene, floor, wheel, dt, substeps, dtype, accuracy):
    """The load on the rear axle follows from the acceleration, the slope, and what spins up the wheels."""
    slope, mu, torque = 0.1, 0.2, 4.0
    drive = {"target_vel": 5000.0, "target_kd": 1e3, "effort_limit": torque}
    run = scene(car(floor, wheel, slope, mu, {}, drive), dtype, substeps, dt=dt).run(0.2)
    before = run.qd[0, 0]
    gained = (run.run(0.2).qd[0, 0] - before) / 0.2
    height = RADIUS + MASS * RISE / TOTAL
    along_slope = [TOTAL + 2.0 * SPIN / RADIUS**2, -mu]
    pitch = [-(TOTAL * height + 2.0 * SPIN / RADIUS), LENGTH + mu * RADIUS]
    loads = [
        -TOTAL * G * np.sin(slope),
        TOTAL * G * (0.5 * LENGTH * np.cos(slope) + height * np.sin(slope)) + 2 * torque,
    ]
    assert gained == pytest.approx(np.linalg.solve([along_slope, pitch], loads)[0], abs=G * accuracy)
