# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Restitution: Newton's law of impact at the instant of the impact, pair by pair, with friction that only brakes."""

import numpy as np
import pytest

from inertia_tools.errors import OptionError
from inertia_tools.sim.builder import ModelBuilder
from inertia_tools.sim.scene.shape_config import ShapeConfig
from inertia_tools.sim.solver import SolverXPBD
from inertia_tools.spatial import Pose

G, DT = 9.81, 1.0 / 240.0


def bouncing(scene, builder, dtype="float64", substeps=5):
    run = scene(builder, dtype, substeps)
    run.solver = SolverXPBD(run.model, iterations=3, substeps=substeps, enable_restitution=True)
    return run


def ball(builder, place, bounce, mu=0.0, radius=0.1, density=1000.0):
    body = builder.add_link(xform=Pose(np.array(place, dtype=float)))
    builder.add_shape_sphere(body, radius=radius, cfg=ShapeConfig(density, mu, bounce))
    return body


def highest_energy(run, seconds):
    """Energy of the start, and the greatest that any step ends with."""
    start = run.energy()
    return start, max(run.run(DT).energy() for _ in range(round(seconds / DT)))


@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 1e-12), ("float32", 1e-5)])
@pytest.mark.parametrize("bounce", [1.0, 0.8, 0.5])
def test_apex_falls_by_the_square_of_the_restitution(scene, bounce, dtype, tolerance):
    """Between impacts energy over weight is the apex: e^(2 n) of the first."""
    builder = ModelBuilder()
    ball(builder, (0.0, 0.0, 1.1), bounce)
    builder.add_ground_plane(cfg=ShapeConfig(mu=0.0, restitution=bounce))
    run = bouncing(scene, builder, dtype)
    weight, lowest, apexes = G * run.model.inertials[0].mass, np.inf, []
    for _ in range(840):
        apexes.append(run.run(DT).energy() / weight - 0.1)
        lowest = min(lowest, run.q[0, 2] - 0.1)
    assert max(apexes) <= 1.0 + tolerance
    assert lowest > -1e-6
    for n in range(5):
        assert np.abs(np.array(apexes) - bounce ** (2 * n)).min() < tolerance


def test_slow_contacts_do_not_bounce(scene):
    """What comes slower than gravity makes it in two substeps lies still."""
    builder = ModelBuilder()
    ball(builder, (0.0, 0.0, 0.11), 0.5)
    builder.add_ground_plane(cfg=ShapeConfig(restitution=0.5))
    run = bouncing(scene, builder).run(1.0)
    assert np.abs(run.qd).max() < 1e-8
    assert run.floor_force[2] == pytest.approx(G * run.model.inertials[0].mass, rel=1e-9)


@pytest.mark.parametrize("masses", [(1.0, 1.0), (1.0, 3.0), (1000.0, 1.0)])
@pytest.mark.parametrize("bounce", [1.0, 0.6])
def test_two_balls_part_as_momentum_and_the_law_of_impact_say(scene, masses, bounce):
    builder = ModelBuilder(gravity=(0.0, 0.0, 0.0))
    volume = 4.0 / 3.0 * np.pi * 0.001
    for x, mass in zip((-0.3, 0.3), masses, strict=True):
        ball(builder, (x, 0.0, 0.0), bounce, density=mass / volume)
    run = bouncing(scene, builder)
    run.set_velocity(0, (2.0, 0.0, 0.0))
    run.run(0.5)
    common = 2.0 * masses[0] / sum(masses)
    apart = bounce * 2.0
    expected = [common - apart * masses[1] / sum(masses), common + apart * masses[0] / sum(masses)]
    assert run.qd[:, 0] == pytest.approx(expected, abs=1e-9)
    reached = 0.2  # time from the start to the impact [s]
    assert run.q[1, 0] == pytest.approx(0.3 + expected[1] * (0.5 - reached), abs=1e-9)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_as_many_balls_leave_a_row_as_come(scene, count):
    builder = ModelBuilder(gravity=(0.0, 0.0, 0.0))
    for index in range(5):
        ball(builder, (0.2 * index - (0.5 if index < count else 0.0), 0.0, 0.0), 1.0)
    run = bouncing(scene, builder)
    for index in range(count):
        run.set_velocity(index, (1.0, 0.0, 0.0))
    run.run(1.0)
    assert run.qd[:, 0] == pytest.approx([0.0] * (5 - count) + [1.0] * count, abs=1e-9)


@pytest.mark.parametrize(("mu", "bounce"), [(0.1, 0.8), (0.1, 1.0), (0.9, 0.5)])
def test_oblique_bounce_slips_as_coulomb_says_or_grips(scene, mu, bounce):
    """Slip is taken back by mu (1 + e) times the approach, or until the ball rolls, which keeps 5/7 of the speed."""
    builder = ModelBuilder(gravity=(0.0, 0.0, 0.0))
    ball(builder, (0.0, 0.0, 0.3), bounce, mu)
    builder.add_ground_plane(cfg=ShapeConfig(mu=mu, restitution=bounce))
    run = bouncing(scene, builder)
    run.set_velocity(0, (1.0, 0.0, -2.0))
    run.run(0.3)
    speed = max(1.0 - mu * (1.0 + bounce) * 2.0, 5.0 / 7.0)
    assert run.qd[0, 2] == pytest.approx(2.0 * bounce, rel=1e-9)
    assert run.qd[0, 0] == pytest.approx(speed, rel=1e-9)
    assert run.qd[0, 4] == pytest.approx(2.5 * (1.0 - speed) / 0.1, rel=1e-9)


def test_box_that_lands_flat_bounces_upright(scene):
    builder = ModelBuilder()
    body = builder.add_link(xform=Pose(np.array([0.0, 0.0, 0.6])))
    builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1, cfg=ShapeConfig(restitution=1.0))
    builder.add_ground_plane(cfg=ShapeConfig(restitution=1.0))
    run = bouncing(scene, builder)
    start, highest = highest_energy(run, 3.0)
    assert highest <= start * (1.0 + 1e-12)
    assert run.energy() == pytest.approx(start, rel=1e-9)
    assert np.abs(run.qd[0, 3:]).max() < 1e-9


@pytest.mark.parametrize("tilt", [0.3, 0.8])
def test_box_that_tumbles_without_friction_keeps_its_energy(scene, tilt):
    builder = ModelBuilder()
    body = builder.add_link(xform=Pose.from_xyz_rpy([0.0, 0.0, 0.6], [tilt, 0.4, 0.5]))
    builder.add_shape_box(body, hx=0.1, hy=0.05, hz=0.15, cfg=ShapeConfig(mu=0.0, restitution=1.0))
    builder.add_ground_plane(cfg=ShapeConfig(mu=0.0, restitution=1.0))
    run = bouncing(scene, builder, substeps=20)
    start, highest = highest_energy(run, 3.0)
    assert highest <= start * (1.0 + 1e-9)
    assert run.energy() == pytest.approx(start, rel=1e-9)


@pytest.mark.parametrize("bounce", [0.0, 0.5, 1.0])
def test_falling_jumble_never_gains_energy_and_keeps_its_momenta(scene, bounce):
    """Boxes and balls that fall on each other, with friction; then the same without a floor and gravity."""
    rng = np.random.default_rng(5)
    for gravity in (-G, 0.0):
        builder = ModelBuilder(gravity=(0.0, 0.0, gravity))
        for index in range(6):
            pose = Pose.from_xyz_rpy([*rng.uniform(-0.05, 0.05, 2), 0.3 + 0.25 * index], rng.uniform(-1.0, 1.0, 3))
            body = builder.add_link(xform=pose)
            cfg = ShapeConfig(100.0 * (1 + index), 0.4, bounce)
            if index % 2:
                builder.add_shape_sphere(body, radius=0.1, cfg=cfg)
            else:
                builder.add_shape_box(body, hx=0.1, hy=0.08, hz=0.06, cfg=cfg)
        if gravity:
            builder.add_ground_plane(cfg=ShapeConfig(mu=0.4, restitution=bounce))
        run = bouncing(scene, builder, substeps=10)
        for index in range(6):
            run.set_velocity(index, (0.0, 0.0, 0.5 * (2.5 - index)), rng.uniform(-3.0, 3.0, 3))
        linear, angular = run.momenta()
        start, highest = highest_energy(run, 1.5)
        assert highest <= start * (1.0 + 1e-9)
        if not gravity:
            assert run.momenta()[0] == pytest.approx(linear, abs=1e-10)
            assert run.momenta()[1] == pytest.approx(angular, abs=1e-9)


def test_force_of_a_bounce_is_its_impulse_over_the_step(scene):
    builder = ModelBuilder(gravity=(0.0, 0.0, 0.0))
    ball(builder, (0.0, 0.0, 0.101), 0.5)
    builder.add_ground_plane(cfg=ShapeConfig(restitution=0.5))
    run = bouncing(scene, builder)
    run.set_velocity(0, (0.0, 0.0, -1.0))
    run.run(DT)
    mass = run.model.inertials[0].mass
    assert run.qd[0, 2] == pytest.approx(0.5, rel=1e-9)
    assert run.floor_force[2] == pytest.approx(1.5 * mass / DT, rel=1e-9)


@pytest.mark.parametrize(("rule", "felt"), [("mean", 0.6), ("min", 0.2), ("max", 1.0), ("product", 0.2)])
def test_restitutions_are_combined_by_the_rule_of_the_scene(scene, rule, felt):
    builder = ModelBuilder(gravity=(0.0, 0.0, 0.0))
    builder.restitution_combine = rule
    ball(builder, (0.0, 0.0, 0.2), 0.2)
    builder.add_ground_plane(cfg=ShapeConfig(restitution=1.0))
    run = bouncing(scene, builder)
    run.set_velocity(0, (0.0, 0.0, -1.0))
    run.run(0.2)
    assert run.qd[0, 2] == pytest.approx(felt, rel=1e-9)


def test_unknown_rule_is_refused():
    builder = ModelBuilder()
    builder.restitution_combine = "sum"
    with pytest.raises(OptionError, match="restitution_combine"):
        builder.finalize()


@pytest.mark.parametrize("substeps", [2, 5])
def test_ball_that_is_hit_where_it_rests_does_not_count_as_falling(scene, substeps):
    """Elastic balls: the one that falls comes back to where it was, the other stays on the floor."""
    builder = ModelBuilder()
    ball(builder, (0.0, 0.0, 0.1), 1.0)
    ball(builder, (0.0, 0.0, 0.6), 1.0)
    builder.add_ground_plane(cfg=ShapeConfig(mu=0.0, restitution=1.0))
    run = bouncing(scene, builder, substeps=substeps)
    start, flying = run.energy(), 0
    for _ in range(720):
        run.run(DT)
        if run.q[1, 2] > 0.35:  # not in a step with an impact, after which what rests is read a little too fast
            flying += 1
            assert run.energy() == pytest.approx(start, rel=1e-8)
    assert flying > 300
    assert run.q[0, 2] == pytest.approx(0.1, abs=1e-4)


def test_contact_that_bears_a_load_when_its_body_is_hit_reports_both(scene):
    """Impulses on the floor over a second are those that gravity and the change of the momenta ask for."""
    builder = ModelBuilder()
    ball(builder, (0.0, 0.0, 0.1), 1.0)
    ball(builder, (0.0, 0.0, 0.6), 1.0)
    builder.add_ground_plane(cfg=ShapeConfig(mu=0.0, restitution=1.0))
    run = bouncing(scene, builder)
    mass, total = run.model.inertials[0].mass, 0.0
    for _ in range(200):
        total += run.run(DT).force_on(0, -1)[2] * DT
    gained = mass * run.qd[:, 2].sum()
    assert total == pytest.approx(2.0 * mass * G * 200 * DT + gained, rel=1e-3)
