# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Torsional and rolling friction: moments of at most a length times the force that a contact bears."""

import numpy as np
import pytest

from inertia_tools.sim.builder import ModelBuilder
from inertia_tools.sim.model.changes import SolverNotifyFlags
from inertia_tools.sim.scene.shape_config import ShapeConfig
from inertia_tools.sim.solver import SolverXPBD
from inertia_tools.spatial import Pose

G = 9.81
RADIUS, BALL = 0.1, 0.4 * 0.01  # moment of inertia of a ball of 1 kg [kg m^2]
SWEEPS = {"joint_solver": "sweeps", "rigid_contact_relaxation": 1.0, "rigid_contact_con_weighting": False}


def ball(scene, material, gravity=(0.0, 0.0, -G), dtype="float64", sweeps=False):
    """A ball of 1 kg on a floor, both of one material."""
    builder = ModelBuilder(gravity=gravity)
    body = builder.add_link(mass=1.0, inertia=BALL * np.eye(3), xform=Pose(np.array([0.0, 0.0, RADIUS])))
    builder.add_shape_sphere(body, radius=RADIUS, cfg=material)
    builder.add_ground_plane(cfg=material)
    run = scene(builder, dtype)
    if sweeps:
        run.solver = SolverXPBD(run.model, iterations=3, substeps=20, **SWEEPS)
    return run


def rate(run, read, seconds=0.25):
    early = read(run.run(0.2))
    return (read(run.run(seconds)) - early) / seconds


def lengths(torsional=0.0, rolling=0.0, mu=0.5):
    return ShapeConfig(density=0.0, mu=mu, mu_torsional=torsional, mu_rolling=rolling)


@pytest.mark.parametrize(
    ("dtype", "sweeps", "tolerance"),
    [("float64", False, 1e-6), ("float32", False, 1e-5), ("float64", True, 1e-6)],
)
def test_torsional_friction_brakes_a_spin_and_then_holds(scene, dtype, sweeps, tolerance):
    run = ball(scene, lengths(torsional=0.005), dtype=dtype, sweeps=sweeps)
    run.set_velocity(0, angular=(0.0, 0.0, 10.0))
    assert rate(run, lambda s: s.qd[0, 5]) == pytest.approx(-0.005 * G / BALL, rel=tolerance)
    run.run(1.0)
    assert np.abs(run.qd[0, 3:]).max() < 1e-5


@pytest.mark.parametrize("sweeps", [False, True])
def test_rolling_friction_brakes_a_ball(scene, sweeps):
    """dv/dt = -(5/7) mu_r g / R."""
    run = ball(scene, lengths(rolling=0.001), sweeps=sweeps)
    run.set_velocity(0, (1.0, 0.0, 0.0), (0.0, 10.0, 0.0))
    assert rate(run, lambda s: s.qd[0, 0]) == pytest.approx(-5.0 / 7.0 * 0.001 * G / RADIUS, rel=1e-4)
    run.run(14.0)
    assert np.abs(run.qd[0]).max() < 1e-6


@pytest.mark.parametrize("heading", [0.0, 0.7])
def test_rolling_friction_brakes_alike_in_every_direction(scene, heading):
    along = np.array([np.cos(heading), np.sin(heading), 0.0])
    run = ball(scene, lengths(rolling=0.002))
    run.set_velocity(0, along, np.cross([0.0, 0.0, 1.0], along) / RADIUS)
    assert rate(run, lambda s: s.qd[0, :3] @ along) == pytest.approx(-5.0 / 7.0 * 0.002 * G / RADIUS, rel=1e-4)
    assert abs(run.qd[0, :3] @ np.cross([0.0, 0.0, 1.0], along)) < 1e-9


def test_disc_without_sliding_friction_spins_down_by_its_length(scene):
    builder = ModelBuilder()
    body = builder.add_link(xform=Pose(np.array([0.0, 0.0, 0.05])))
    builder.add_shape_cylinder(body, radius=0.1, half_height=0.05, cfg=ShapeConfig(mu=0.0, mu_torsional=0.03))
    builder.add_ground_plane(cfg=ShapeConfig(mu=0.0, mu_torsional=0.03))
    run = scene(builder)
    run.set_velocity(0, angular=(0.0, 0.0, 50.0))
    assert rate(run, lambda s: s.qd[0, 5]) == pytest.approx(-0.03 * G / (0.5 * 0.01), rel=1e-6)


@pytest.mark.parametrize("sweeps", [False, True])
def test_ball_on_a_slope_sticks_below_the_angle_of_rolling_friction_and_rolls_above(scene, sweeps):
    """It holds while tan(slope) R <= mu_r."""
    for slope, holds in ((0.05, True), (0.055, False)):
        gravity = (G * np.sin(slope), 0.0, -G * np.cos(slope))
        run = ball(scene, lengths(rolling=0.0052), gravity, sweeps=sweeps).run(1.0)
        start = run.q[0, 0]
        crept = (run.run(2.0).q[0, 0] - start) / 2.0
        if holds:
            assert abs(crept) < 1e-9
        else:
            missing = G * (np.sin(slope) - 0.0052 / RADIUS * np.cos(slope))
            assert run.qd[0, 0] == pytest.approx(5.0 / 7.0 * missing * 3.0, rel=1e-3)


def test_wrench_of_a_contact_is_what_was_applied(scene):
    """Two balls in free space, pressed and spun against each other: momenta stay, and both feel the same torque."""
    builder = ModelBuilder(gravity=(0.0, 0.0, 0.0))
    for place in (-RADIUS, RADIUS):
        body = builder.add_link(xform=Pose(np.array([place, 0.0, 0.0])))
        builder.add_shape_sphere(body, radius=RADIUS, cfg=ShapeConfig(mu_torsional=0.01, mu_rolling=0.002))
    run = scene(builder)
    run.model.request_contact_attributes("force")
    run.contacts = run.model.contacts()
    run.state.body_f.assign(np.array([[5.0, 0, 0, 0, 0, 0], [-5.0, 0, 0, 0, 0, 0]]))
    run.run(0.2)
    run.set_velocity(0, angular=(6.0, 0.0, 0.0))
    linear, angular = run.momenta()
    before = run.qd[0, 3]
    run.run(0.1)
    assert run.momenta()[0] == pytest.approx(linear, abs=1e-12)
    assert run.momenta()[1] == pytest.approx(angular, abs=1e-12)
    run.solver.update_contacts(run.contacts)
    wrench = run.contacts.force.numpy()
    (slot,) = np.flatnonzero(np.abs(wrench[:, 0]) > 0.0)
    moment = run.model.inertials[0].inertia[0, 0]
    assert wrench[slot, 0] == pytest.approx(-5.0, rel=1e-6)
    assert wrench[slot, 3] == pytest.approx(-0.01 * 5.0, rel=1e-6)
    assert run.qd[0, 3] - before == pytest.approx(-0.01 * 5.0 / moment * 0.1, rel=1e-2)


@pytest.mark.parametrize(("rule", "felt"), [("mean", 0.006), ("min", 0.002), ("max", 0.01)])
def test_lengths_are_combined_by_the_rule_of_the_scene(scene, rule, felt):
    builder = ModelBuilder()
    builder.friction_combine = rule
    body = builder.add_link(mass=1.0, inertia=BALL * np.eye(3), xform=Pose(np.array([0.0, 0.0, RADIUS])))
    builder.add_shape_sphere(body, radius=RADIUS, cfg=lengths(torsional=0.002))
    builder.add_ground_plane(cfg=lengths(torsional=0.01))
    run = scene(builder)
    run.set_velocity(0, angular=(0.0, 0.0, 20.0))
    assert rate(run, lambda s: s.qd[0, 5], 0.1) == pytest.approx(-felt * G / BALL, rel=1e-6)


def test_wheel_on_an_axle_is_braked_too(scene):
    """A wheel that a hinge holds over the floor, pressed on it: the moment acts beside the joint's."""
    builder = ModelBuilder()
    slide = builder.add_link(mass=1.0, inertia=0.01 * np.eye(3), xform=Pose(np.array([0.0, 0.0, RADIUS])))
    builder.add_joint_prismatic(-1, slide, axis=(0.0, 0.0, 1.0), parent_xform=Pose(np.array([0.0, 0.0, RADIUS])))
    wheel = builder.add_link(mass=1.0, inertia=BALL * np.eye(3), xform=Pose(np.array([0.0, 0.0, RADIUS])))
    builder.add_joint_revolute(slide, wheel, axis=(0.0, 1.0, 0.0))
    builder.add_shape_sphere(wheel, radius=RADIUS, cfg=lengths(rolling=0.01, mu=0.0))
    builder.add_ground_plane(cfg=lengths(rolling=0.01, mu=0.0))
    run = scene(builder)
    run.set_velocity(wheel, angular=(0.0, 30.0, 0.0))
    assert rate(run, lambda s: s.qd[1, 4], 0.1) == pytest.approx(-0.01 * 2.0 * G / BALL, rel=1e-5)
    run.run(1.0)
    assert np.abs(run.qd).max() < 1e-6


def test_lengths_that_are_written_later_are_felt_after_a_notice(scene):
    run = ball(scene, lengths())
    run.set_velocity(0, angular=(0.0, 0.0, 10.0))
    run.run(0.1)
    assert run.qd[0, 5] == pytest.approx(10.0, rel=1e-9)
    run.model.shape_material_mu_torsional.fill_(0.005)
    run.solver.notify_model_changed(SolverNotifyFlags.SHAPE_PROPERTIES)
    assert rate(run, lambda s: s.qd[0, 5], 0.1) == pytest.approx(-0.005 * G / BALL, rel=1e-6)
