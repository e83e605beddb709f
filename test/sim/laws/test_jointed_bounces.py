# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Restitution of bodies on joints: the whole tree answers to an impact, against rigid articulated impacts in NumPy."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.sim.builder import ModelBuilder
from inertia_tools.sim.scene.shape_config import ShapeConfig
from inertia_tools.sim.solver import SolverXPBD
from inertia_tools.spatial import Pose, rotation_from_quaternion

G, DT = 9.81, 1.0 / 240.0
SHORT = 1e-9
"""Way that is left at the end of a step [m]."""

SOLID = {"mass": 1.0, "inertia": np.diag([0.02, 0.03, 0.01])}


def bouncing(scene, builder, dtype="float64", substeps=10):
    run = scene(builder, dtype, substeps)
    run.solver = SolverXPBD(run.model, iterations=3, substeps=substeps, enable_restitution=True)
    return run


def highest_energy(run, seconds):
    """Energy of the start, and the greatest that any step ends with."""
    start = run.energy()
    return start, max(run.run(DT).energy() for _ in range(round(seconds / DT)))


def wall_at(builder, x, bounce, mu=0.0):
    """A wall that stays and fills all beyond x, on a body of its own, so that what hangs on the world feels it."""
    body = builder.add_link(is_kinematic=True)
    builder.add_shape_box(body, Pose(np.array([x + 1.0, 0.0, 0.0])), hx=1.0, hy=9.0, hz=9.0, cfg=material(bounce, mu))


def material(bounce, mu=0.0):
    return ShapeConfig(density=0.0, mu=mu, restitution=bounce)


def cross(v):
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


@dataclass
class Articulated:
    """Bodies with centres of mass `x`, tensors in world axes and rows between them; velocities are v, omega of each."""

    masses: list
    tensors: list
    x: np.ndarray

    @property
    def metric(self):
        size = 6 * len(self.masses)
        m = np.zeros((size, size))
        for b, (mass, tensor) in enumerate(zip(self.masses, self.tensors, strict=True)):
            m[6 * b : 6 * b + 3, 6 * b : 6 * b + 3] = mass * np.eye(3)
            m[6 * b + 3 : 6 * b + 6, 6 * b + 3 : 6 * b + 6] = tensor
        return m

    def at(self, b, point):
        """Rows that read the velocity of a body's material at a point."""
        rows = np.zeros((3, 6 * len(self.masses)))
        if b >= 0:
            rows[:, 6 * b : 6 * b + 3] = np.eye(3)
            rows[:, 6 * b + 3 : 6 * b + 6] = -cross(np.asarray(point) - self.x[b])
        return rows

    def turn(self, b):
        rows = np.zeros((3, 6 * len(self.masses)))
        if b >= 0:
            rows[:, 6 * b + 3 : 6 * b + 6] = np.eye(3)
        return rows

    def hinge(self, parent, child, point, axis):
        """The five rows of a hinge."""
        others = np.linalg.svd(np.asarray(axis)[None, :])[2][1:]
        held = self.at(child, point) - self.at(parent, point)
        return np.vstack([held, others @ (self.turn(child) - self.turn(parent))])

    def after(self, before, joints, contact, bounce, rotors=()):
        """Velocities after one contact has parted at its share of the approach; `rotors` are (row, inertia)."""
        metric = self.metric + sum(inertia * np.outer(row, row) for row, inertia in rotors)
        n, m = len(before), len(joints)
        system = np.block([[metric, joints.T], [joints, np.zeros((m, m))]])
        response = np.linalg.lstsq(system, np.concatenate([contact, np.zeros(m)]), rcond=1e-13)[0][:n]
        return before - (1.0 + bounce) * (contact @ before) / (contact @ response) * response


@pytest.mark.parametrize("bounce", [1.0, 0.8, 0.5])
def test_bob_of_a_pendulum_leaves_a_wall_at_its_share_of_the_rate(scene, bounce):
    """What is left is of the order of the square of the angle of a substep: 1e-9 at a slow rate."""
    for rate, substeps, tolerance in ((2.0, 5, 1e-6), (0.1, 20, 1e-9)):
        builder = ModelBuilder(gravity=(0.0, 0.0, 0.0))
        body = builder.add_link(mass=2.0, com=[0.0, 0.0, -1.0], inertia=np.diag([0.02, 0.02, 0.02]))
        builder.add_shape_sphere(body, Pose(np.array([0.0, 0.0, -1.0])), radius=0.1, cfg=material(bounce))
        builder.add_joint_revolute(-1, body, axis=(0.0, -1.0, 0.0))
        wall_at(builder, 0.2, bounce)
        run = bouncing(scene, builder, substeps=substeps)
        run.set_velocity(0, (rate, 0.0, 0.0), (0.0, -rate, 0.0))
        run.run(0.2 / rate)
        assert run.state.joint_qd.numpy()[0] == pytest.approx(-bounce * rate, rel=tolerance)


def two_links(bounce, armature=0.0, mu=0.0):
    """Two links on a hinge, askew, in free space, with a ball at the end of the second."""
    builder = ModelBuilder(gravity=(0.0, 0.0, 0.0))
    first = builder.add_link(Pose(np.array([-1.0, 0.0, 0.3])), **SOLID)
    second = builder.add_link(Pose(np.array([-0.6, 0.0, 0.0])), **SOLID)
    builder.add_shape_sphere(second, Pose(np.array([0.2, 0.1, -0.2])), radius=0.05, cfg=material(bounce, mu))
    builder.add_joint_revolute(
        first,
        second,
        Pose(np.array([0.2, 0.0, -0.15])),
        Pose(np.array([-0.2, 0.0, 0.15])),
        axis=(0.0, 1.0, 0.0),
        armature=armature,
    )
    wall_at(builder, -SHORT, bounce, mu)
    return builder


@pytest.mark.parametrize("armature", [0.0, 0.2])
@pytest.mark.parametrize("bounce", [1.0, 0.6])
def test_two_links_part_from_a_wall_as_articulated_impacts_say(scene, bounce, armature):
    """They meet it just before the end of a step, so that they have not turned since."""
    run = bouncing(scene, two_links(bounce, armature))
    for body in range(2):
        run.set_velocity(body, (1.0, 0.0, 0.0))
    run.run(84 * DT)
    met = 0.35 - SHORT
    bodies = Articulated([1.0, 1.0], [SOLID["inertia"]] * 2, np.array([[met - 1.0, 0, 0.3], [met - 0.6, 0, 0.0]]))
    hinge = bodies.hinge(0, 1, [met - 0.8, 0.0, 0.15], [0.0, 1.0, 0.0])
    contact = -bodies.at(1, [met - 0.35, 0.1, -0.2])[0]
    rotor = (bodies.turn(1) - bodies.turn(0))[1]
    before = np.tile([1.0, 0.0, 0.0, 0.0, 0.0, 0.0], 2)
    after = bodies.after(before, hinge, contact, bounce, [(rotor, armature)])
    assert run.qd[:2].ravel() == pytest.approx(after, abs=1e-7)


@pytest.mark.parametrize("mu", [0.0, 0.4])
def test_ball_that_hits_a_chain_keeps_momenta_and_no_more_than_the_energy(scene, mu):
    """Three links in free space, turning, and a ball that meets the last one; elastic, with friction and without."""
    builder = ModelBuilder(gravity=(0.0, 0.0, 0.0))
    for index in range(3):
        link = builder.add_link(Pose(np.array([0.4 * index, 0.0, 0.0])), **SOLID)
        builder.add_shape_sphere(link, radius=0.1, cfg=material(1.0, mu))
        if index:
            half = Pose(np.array([0.2, 0.0, 0.0]))
            axis = np.eye(3)[index]
            builder.add_joint_revolute(link - 1, link, half, half.inverse(), axis=axis)
    ball = builder.add_link(Pose(np.array([0.78, 0.05, 1.0])))
    builder.add_shape_sphere(ball, radius=0.1, cfg=ShapeConfig(200.0, mu, 1.0))
    run = bouncing(scene, builder, substeps=20)
    for link in range(3):
        run.set_velocity(link, np.cross([0.3, 0.2, 0.4], [0.4 * link, 0.0, 0.0]), (0.3, 0.2, 0.4))
    run.set_velocity(ball, (0.0, 0.0, -3.0), (1.0, 2.0, 3.0))
    linear, angular = run.momenta()
    start, highest = highest_energy(run, 0.5)
    assert run.qd[ball, 2] > -1.0  # it has hit
    assert run.momenta()[0] == pytest.approx(linear, abs=1e-12)
    assert run.momenta()[1] == pytest.approx(angular, abs=1e-7)  # as exactly as momenta of joints that turn are read
    assert highest <= start * (1.0 + 1e-7)
    if mu == 0.0:
        assert run.energy() == pytest.approx(start, rel=1e-7)


KNEE = {1: np.array([0.1, 0.0, -0.1]), 2: np.array([0.1, 0.0, 0.1])}
"""Where the second joint of a leg is in its two links [m]."""


def leg(builder, bounce, mu, height):
    """A trunk, a thigh and a shank that is bent, with a rubber foot; return its centre in the shank."""
    trunk = builder.add_link(Pose(np.array([0.0, 0.0, height + 0.6])), mass=4.0, inertia=np.diag([0.1, 0.1, 0.1]))
    thigh = builder.add_link(Pose(np.array([0.1, 0.0, height + 0.4])), **SOLID)
    shank = builder.add_link(Pose(np.array([0.1, 0.0, height + 0.2])), **SOLID)
    foot = np.array([-0.1, 0.02, -0.15])
    builder.add_shape_sphere(shank, Pose(foot), radius=0.05, cfg=material(bounce, mu))
    at = lambda *xyz: Pose(np.array(xyz))  # noqa: E731
    builder.add_joint_revolute(trunk, thigh, at(0.0, 0.0, -0.05), at(-0.1, 0.0, 0.15), axis=(0.0, 1.0, 0.0))
    builder.add_joint_revolute(thigh, shank, at(*KNEE[thigh]), at(*KNEE[shank]), axis=(0.0, 1.0, 0.0))
    builder.add_ground_plane(cfg=material(bounce, mu))
    return foot


@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 1e-7), ("float32", 1e-3)])
@pytest.mark.parametrize("bounce", [1.0, 0.5])
def test_rubber_foot_of_a_leg_that_falls_leaves_at_its_share_of_the_speed(scene, bounce, dtype, tolerance):
    """It meets the floor just before the end of a step; the joints give as articulated impacts say."""
    builder = ModelBuilder()
    time = 48 * DT
    speed = G * time
    height = 0.5 * G * time**2 - SHORT
    foot = leg(builder, bounce, 0.0, height)
    run = bouncing(scene, builder, dtype)
    run.run(time)
    bodies = Articulated(
        [4.0, 1.0, 1.0],
        [0.1 * np.eye(3), SOLID["inertia"], SOLID["inertia"]],
        np.array([[0.0, 0.0, 0.6], [0.1, 0.0, 0.4], [0.1, 0.0, 0.2]]),
    )
    hinges = [
        bodies.hinge(0, 1, [0.0, 0.0, 0.55], [0.0, 1.0, 0.0]),
        bodies.hinge(1, 2, [0.2, 0.0, 0.3], [0.0, 1.0, 0.0]),
    ]
    contact = bodies.at(2, bodies.x[2] + foot - [0.0, 0.0, 0.05])[2]
    after = bodies.after(np.tile([0.0, 0.0, -speed, 0.0, 0.0, 0.0], 3), np.vstack(hinges), contact, bounce)
    assert contact @ run.qd.ravel() == pytest.approx(bounce * speed, rel=tolerance)
    assert run.qd.ravel() == pytest.approx(after, abs=tolerance * np.abs(after).max())


@pytest.mark.parametrize("bounce", [1.0, 0.5])
def test_leg_that_falls_limp_never_gains_energy_and_keeps_its_joints_closed(scene, bounce):
    builder = ModelBuilder()
    leg(builder, bounce, 0.3, 0.2)
    run = bouncing(scene, builder, substeps=20)
    start, highest = highest_energy(run, 1.0)
    assert highest <= start + 1e-5 * 6.0 * G
    places = [run.q[b, :3] + rotation_from_quaternion(run.q[b, 3:]) @ at for b, at in KNEE.items()]
    assert places[0] == pytest.approx(places[1], abs=1e-9)


def test_all_feet_of_a_table_that_lands_flat_leave_together(scene):
    """Four legs on hinges without drives, each with a foot: no foot is before the others."""
    builder = ModelBuilder()
    time = 48 * DT
    height = 0.5 * G * time**2 - SHORT
    top = builder.add_link(Pose(np.array([0.0, 0.0, height + 0.5])), mass=4.0, inertia=np.diag([0.2, 0.2, 0.3]))
    for x, y in ((0.3, 0.2), (0.3, -0.2), (-0.3, -0.2), (-0.3, 0.2)):
        limb = builder.add_link(Pose(np.array([x, y, height + 0.3])), **SOLID)
        builder.add_shape_sphere(limb, Pose(np.array([0.0, 0.0, -0.25])), radius=0.05, cfg=material(0.8))
        builder.add_joint_revolute(
            top, limb, Pose(np.array([x, y, 0.0])), Pose(np.array([0.0, 0.0, 0.2])), axis=(0.0, 1.0, 0.0)
        )
    builder.add_ground_plane(cfg=material(0.8))
    run = bouncing(scene, builder).run(time)
    assert run.qd == pytest.approx(np.tile([0.0, 0.0, 0.8 * G * time, 0.0, 0.0, 0.0], (5, 1)), abs=1e-7)


def test_linkage_whose_loop_holds_parts_from_a_wall_as_articulated_impacts_say(scene):
    """Four bars in a ring, one of which meets the wall."""
    builder = ModelBuilder(gravity=(0.0, 0.0, 0.0))
    corners = np.array([[-1.0, 0.0, 0.0], [-0.5, 0.0, 0.1], [-0.6, 0.0, 0.6], [-1.1, 0.0, 0.5]])
    middles = 0.5 * (corners + np.roll(corners, -1, axis=0))
    for middle in middles:
        builder.add_link(Pose(middle), **SOLID)
    builder.add_shape_sphere(1, Pose(np.array([0.0, 0.03, 0.1])), radius=0.05, cfg=material(0.7))
    for bar in range(4):
        other, corner = (bar + 1) % 4, corners[(bar + 1) % 4]
        one, two = Pose(corner - middles[bar]), Pose(corner - middles[other])
        builder.add_joint_revolute(bar, other, one, two, axis=(0.0, 1.0, 0.0))
    reach = middles[1, 0] + 0.05
    wall_at(builder, reach + 24 * DT - SHORT, 0.7)
    run = bouncing(scene, builder)
    for body in range(4):
        run.set_velocity(body, (1.0, 0.0, 0.0))
    run.run(24 * DT)
    bodies = Articulated([1.0] * 4, [SOLID["inertia"]] * 4, middles)
    joints = np.vstack([bodies.hinge(k, (k + 1) % 4, corners[(k + 1) % 4], [0.0, 1.0, 0.0]) for k in range(4)])
    contact = -bodies.at(1, middles[1] + [0.05, 0.03, 0.1])[0]
    after = bodies.after(np.tile([1.0, 0.0, 0.0, 0.0, 0.0, 0.0], 4), joints, contact, 0.7)
    assert run.qd[:4].ravel() == pytest.approx(after, abs=1e-6)


@pytest.mark.sweep
@pytest.mark.parametrize("start", range(3))
@pytest.mark.parametrize("bounce", [0.5, 0.8])
def test_limp_quadruped_that_falls_askew_bounces_and_never_gains_energy(scene, bounce, start):
    """What is read in the frame of an impact may be a little too high; no frame after it is."""
    example = Path(__file__).parents[3] / "examples" / "broken_quadruped.urdf"
    robot = it.fix(it.load(example), scope="all").corrected
    builder = ModelBuilder()
    builder.default_shape_cfg = ShapeConfig(mu=0.5, restitution=bounce)
    builder.add_description(
        robot, xform=Pose.from_xyz_rpy([0.0, 0.0, 0.8 + 0.03 * start], [0.2 + 0.1 * start, 0.3, 0.1])
    )
    builder.add_ground_plane(cfg=ShapeConfig(mu=0.5, restitution=bounce))
    run = bouncing(scene, builder, substeps=8)
    weight = G * sum(one.mass for one in run.model.inertials)
    energy = np.array([run.run(DT).energy() for _ in range(480)])
    least = np.minimum.accumulate(energy)
    lasting = np.min([energy[k : len(energy) - 8 + k] for k in range(8)], axis=0)
    assert (lasting - least[: len(lasting)]).max() < 1e-9 * weight
    assert (energy - least).max() < 1e-3 * weight
    assert least[-1] < 0.2 * weight
