# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Efforts and forces that contacts hold against: `joint_f` and `body_f` that would turn light bodies far in a step."""

import numpy as np
import pytest

from inertia_tools import ModelBuilder, Pose, ShapeConfig, SolverXPBD

G = 9.81
STEPS = [(60, 1), (60, 4), (240, 1), (240, 10)]
CREEP = {"float64": 1e-10, "float32": 1e-6}


def run(builder, dtype, rate, substeps, seconds, efforts=None, wrenches=None, speeds=None):
    """Step a scene; return where its bodies are halfway and at the end, and their velocities then."""
    model = builder.finalize(dtype=dtype)
    state, control, contacts = model.state(), model.control(), model.contacts()
    if efforts is not None:
        control.joint_f.assign(np.array(efforts, dtype=dtype))
    if wrenches is not None:
        state.body_f.assign(np.array(wrenches, dtype=dtype))
    if speeds is not None:
        state.body_qd.assign(np.array(speeds, dtype=dtype))
    solver, steps, halfway = SolverXPBD(model, substeps=substeps), round(seconds * rate), None
    for step in range(steps):
        if step == steps // 2:
            halfway = state.body_q.numpy().astype(float)
        solver.step(state, state, control, contacts, 1 / rate)
    return halfway, state.body_q.numpy().astype(float), state.body_qd.numpy().astype(float)


def hinged_fingers(load, length=0.1, half=0.008):
    """Half a kilogram between the tips of two fingers of 0.1 kg that hang from hinges."""
    builder = ModelBuilder()
    for side in (-1, 1):
        place = Pose(np.array([side * (0.02 + half), 0.0, 0.5]))
        across = 0.1 * length**2 / 12
        tensor = np.diag([across, across, 0.1 * half**2 / 3])
        finger = builder.add_link(mass=0.1, com=[0.0, 0.0, -length / 2], inertia=tensor, xform=place)
        shape = Pose(np.array([0.0, 0.0, -length / 2]))
        cfg = ShapeConfig(density=0.0, mu=1.0)
        builder.add_shape_box(finger, shape, hx=half, hy=0.01, hz=length / 2, cfg=cfg)
        builder.add_joint_revolute(-1, finger, place, axis=(0.0, 1.0, 0.0))
    held = builder.add_link(xform=Pose(np.array([0.0, 0.0, 0.41])))
    if load == "box":
        builder.add_shape_box(held, hx=0.02, hy=0.02, hz=0.02, cfg=ShapeConfig(density=0.5 / 6.4e-5, mu=1.0))
    else:
        volume = 4 / 3 * np.pi * 0.02**3
        builder.add_shape_sphere(held, radius=0.02, cfg=ShapeConfig(density=0.5 / volume, mu=1.0))
    return builder


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("rate", "substeps"), STEPS)
@pytest.mark.parametrize("load", ["box", "ball"])
@pytest.mark.parametrize("force", [5.0, 60.0])
def test_hinged_fingers_hold_without_creep_what_torques_press(dtype, rate, substeps, load, force):
    torque = 0.09 * force
    middle, end, _ = run(hinged_fingers(load), dtype, rate, substeps, 1.0, [-torque, torque])
    assert abs(end[2, 2] - 0.41) < 1e-6
    assert abs(end[2, 2] - middle[2, 2]) / 0.5 < CREEP[dtype]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("rate", "substeps"), STEPS)
def test_hinged_fingers_hold_what_moments_on_their_bodies_press(dtype, rate, substeps):
    wrenches = np.zeros((3, 6))
    wrenches[:2, 4] = -1.8, 1.8
    middle, end, _ = run(hinged_fingers("box"), dtype, rate, substeps, 1.0, wrenches=wrenches)
    assert abs(end[2, 2] - 0.41) < 1e-6
    assert abs(end[2, 2] - middle[2, 2]) / 0.5 < CREEP[dtype]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("rate", "substeps"), STEPS)
def test_a_moment_that_friction_bears_does_not_turn_a_box(dtype, rate, substeps):
    builder = ModelBuilder()
    builder.add_ground_plane(cfg=ShapeConfig(mu=0.5))
    box = builder.add_link(xform=Pose(np.array([0.0, 0.0, 0.05])))
    builder.add_shape_box(box, hx=0.05, hy=0.05, hz=0.05, cfg=ShapeConfig(density=500.0, mu=0.5))
    wrench = [0.0, 0.0, 0.0, 0.0, 0.0, 0.9 * 0.5 * 0.5 * G * 0.05 * np.sqrt(2.0)]  # of what four corners bear
    middle, end, _ = run(builder, dtype, rate, substeps, 1.0, wrenches=[wrench])
    assert np.abs(end[0, 3:6] - middle[0, 3:6]).max() / 0.5 < 10 * CREEP[dtype]
    assert np.abs(end[0, :2]).max() < 1e-6


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("rate", "substeps"), STEPS)
def test_wheels_that_torques_drive_take_a_car_along_as_rolling_asks(dtype, rate, substeps):
    radius, torque, chassis, wheel = 0.15, 0.5, 10.0, 1.0
    turning = 0.5 * wheel * radius**2
    builder = ModelBuilder()
    builder.add_ground_plane(cfg=ShapeConfig(mu=1.0))
    body = builder.add_link(Pose(np.array([0.0, 0.0, radius])), mass=chassis, inertia=np.diag([0.3, 0.6, 0.7]))
    sideways = Pose.from_xyz_rpy([0.0, 0.0, 0.0], [np.pi / 2, 0.0, 0.0])
    for x in (-0.4, 0.4):
        for y in (-0.3, 0.3):
            tensor = np.diag([0.6 * turning, turning, 0.6 * turning])
            made = builder.add_link(Pose(np.array([x, y, radius])), mass=wheel, inertia=tensor)
            builder.add_shape_cylinder(
                made, sideways, radius=radius, half_height=0.04, cfg=ShapeConfig(density=0.0, mu=1.0)
            )
            builder.add_joint_revolute(body, made, Pose(np.array([x, y, 0.0])), axis=(0.0, 1.0, 0.0))
    acceleration = 4 * torque / radius / (chassis + 4 * wheel + 4 * turning / radius**2)
    _, end, velocity = run(builder, dtype, rate, substeps, 1.0, [torque] * 4)
    assert velocity[0, 0] == pytest.approx(acceleration, rel=1e-5)
    assert end[0, 0] == pytest.approx(acceleration / 2, rel=1e-5)


@pytest.mark.parametrize("way", ["list", "search"])
def test_a_force_that_is_no_number_spoils_what_it_touches_alone(way):
    builder = ModelBuilder(broad_phase=way)
    builder.add_ground_plane()
    for place in ((0.0, 0.0, 0.1), (0.0, 0.0, 0.3), (0.5, 0.0, 0.1), (1.0, 0.0, 0.1)):
        box = builder.add_link(xform=Pose(np.array(place)))
        builder.add_shape_box(box, hx=0.1, hy=0.1, hz=0.1)
    wrenches = np.zeros((4, 6))
    wrenches[1, 0] = np.nan
    _, end, velocity = run(builder, "float64", 240, 4, 0.1, wrenches=wrenches)
    assert np.isnan(end[1]).any()
    assert np.abs(end[2:, :3] - [[0.5, 0.0, 0.1], [1.0, 0.0, 0.1]]).max() < 1e-9
    assert np.abs(velocity[2:]).max() < 1e-9


def closing_fingers(gap, shape, mass, how, strength):
    """Two fingers on slides, at rest before a load on the floor, that an effort or a drive closes."""
    builder = ModelBuilder()
    builder.add_ground_plane()
    load = builder.add_link(xform=Pose(np.array([0.0, 0.0, 0.03])))
    if shape == "box":
        builder.add_shape_box(load, hx=0.03, hy=0.03, hz=0.03, cfg=ShapeConfig(density=1000.0))
    else:
        builder.add_shape_cylinder(load, radius=0.03, half_height=0.03, cfg=ShapeConfig(density=1000.0))
    drive = {"target_ke": 1e4, "target_kd": 100.0, "effort_limit": strength, "target_pos": -gap - 0.02}
    if how == "rigid":
        drive = {"target_ke": np.inf, "effort_limit": strength, "target_pos": -gap - 0.02}
    for side in (-1, 1):
        place = Pose(np.array([side * (0.04 + gap), 0.0, 0.05]))
        finger = builder.add_link(xform=place)
        density = mass / (8 * 0.01 * 0.02 * 0.03)
        builder.add_shape_box(finger, hx=0.01, hy=0.02, hz=0.03, cfg=ShapeConfig(density=density))
        builder.add_joint_prismatic(
            -1, finger, place, axis=(float(side), 0.0, 0.0), **({} if how == "effort" else drive)
        )
    return builder


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("shape", ["box", "cylinder"])
@pytest.mark.parametrize("how", ["effort", "drive", "rigid"])
@pytest.mark.parametrize(("mass", "strength"), [(0.02, 40.0), (0.05, 20.0), (0.1, 200.0)])
@pytest.mark.parametrize("gap", [0.001, 0.01, 0.05])
def test_fingers_that_close_from_rest_stop_at_what_they_meet(dtype, shape, how, mass, strength, gap):
    """However far an effort carries them in the first step: contacts are found ahead of what it will do."""
    builder = closing_fingers(gap, shape, mass, how, strength)
    efforts = [-strength, -strength] if how == "effort" else None
    _, q, qd = run(builder, dtype, 60, 4, 0.5, efforts)
    assert np.abs(q[1:, 0]) == pytest.approx(0.04, abs=1e-4)
    assert q[1, 0] < 0.0 < q[2, 0]
    assert np.abs(qd[:, :3]).max() < 1e-3


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("rate", [60, 240, 1000])
@pytest.mark.parametrize(("mass", "strength"), [(0.05, 5.0), (0.1, 15.0), (1.0, 15.0)])
@pytest.mark.parametrize("half", [0.03, 0.1])
def test_smooth_fingers_do_not_catch_at_the_ends_of_a_box_between_them(half, mass, strength, rate, dtype):
    """Forces alone would carry a finger into the box, and its end past a corner of the box that slides by."""
    builder = ModelBuilder()
    smooth = ShapeConfig(density=1000.0, mu=0.0)
    builder.add_ground_plane(cfg=smooth)
    load = builder.add_link(xform=Pose(np.array([-0.1, 0.0, 0.05])))
    builder.add_shape_box(load, hx=half, hy=0.05, hz=0.05, cfg=smooth)
    for side in (-1, 1):
        place = Pose(np.array([-0.1, side * 0.07, 0.05]))
        finger = builder.add_link(xform=place)
        cfg = ShapeConfig(density=mass / (8 * 0.05 * 0.02 * 0.02), mu=0.0)
        builder.add_shape_box(finger, hx=0.05, hy=0.02, hz=0.02, cfg=cfg)
        builder.add_joint_prismatic(-1, finger, place, axis=(0.0, float(side), 0.0))
    speeds = np.zeros((3, 6))
    speeds[0, 0] = 0.5
    _, _, velocity = run(builder, dtype, rate, 1, 0.5, [-strength, -strength], speeds=speeds)
    assert velocity[0, 0] == pytest.approx(0.5, abs=1e-5)
