# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Published robots, corrected, stand for two seconds on joints that are held."""

import numpy as np
import pytest
from robots import example_robots

import inertia_tools as it
from inertia_tools.spatial import rotation_from_quaternion

FOLDER = example_robots()
pytestmark = pytest.mark.skipif(FOLDER is None, reason="example-robot-data is not installed")

LEGGED = {
    "HyQ": "hyq_description/robots/hyq_no_sensors.urdf",
    "Go1": "go1_description/urdf/go1.urdf",
    "Solo12": "solo_description/robots/solo12.urdf",
    "simple_humanoid": "simple_humanoid_description/urdf/simple_humanoid.urdf",
    "Talos": "talos_data/robots/talos_full_v2.urdf",
}
ARMS = {"Panda": "panda_description/urdf/panda.urdf", "UR5": "ur_description/urdf/ur5_robot.urdf"}


def corrected(path):
    return it.fix(it.load(FOLDER / path)).corrected


def watched(simulation, steps=120):
    """Step, and return the ground's upward force and the links' positions at every step."""
    forces, positions = [], []
    for _ in range(steps):
        simulation.step()
        upward = sum(c.forces[:, 2].sum() for c in simulation.contacts() if c.body_b == "world")
        forces.append(upward)
        positions.append(simulation.snapshot().positions)
    return np.array(forces), np.array(positions)


@pytest.fixture(scope="module", params=LEGGED)
def stood(request):
    simulation = it.Simulation(corrected(LEGGED[request.param]))
    simulation.hold()
    simulation.step(360)
    forces, positions = watched(simulation)
    return request.param, simulation, forces, positions


def test_the_ground_carries_the_weight(stood):
    _, simulation, forces, _ = stood
    assert forces.mean() == pytest.approx(simulation.weight, rel=1e-3)


def test_no_link_drifts(stood):
    name, _, _, positions = stood
    if name == "Talos":
        pytest.skip("held rigidly it rocks on its soles, as it should: see below")
    assert np.linalg.norm(positions - positions[0], axis=-1).max() < 1e-3


def as_one_body(simulation):
    """Mass, centre of mass, moment about y through it, and the corners of all shapes seen from it along x and z."""
    model, q = simulation.model, simulation.state.body_q.numpy().astype(float)
    axes = [rotation_from_quaternion(pose[3:]) for pose in q]
    centres = np.array([p[:3] + r @ i.com for p, r, i in zip(q, axes, model.inertials, strict=True)])
    masses = np.array([i.mass for i in model.inertials])
    centre = masses @ centres / masses.sum()
    moment = sum((r @ i.inertia @ r.T)[1, 1] for r, i in zip(axes, model.inertials, strict=True))
    moment += masses @ ((centres - centre)[:, [0, 2]] ** 2).sum(axis=1)
    solids = [shape for shape in model.collision.shapes if shape.body >= 0 and shape.convex is not None]
    corners = [q[s.body, :3] + s.pose.transform_points(s.convex.sharp) @ axes[s.body].T for s in solids]
    return masses.sum(), centre, moment, (np.concatenate(corners) - centre)[:, [0, 2]]


def turned(angle, points):
    """Points along x and z, turned about y."""
    return points @ np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def rocked(mass, moment, corners, times, dt=2e-5):
    """How far the centre of mass of a rigid body has gone ahead at some times, if it rocks from corner to corner.

    About the corner it is on it swings as a pendulum; its angular momentum about the next is kept when that comes down.
    """
    angle, rate, foot, on, ahead = 0.0, 0.0, 0.0, int(np.argmin(corners[:, 1])), []
    start = -corners[on, 0]
    for step in range(round(times[-1] / dt) + 1):
        arm = -turned(angle, corners[on])
        if len(ahead) < len(times) and step * dt >= times[len(ahead)] - 0.5 * dt:
            ahead.append(foot + arm[0] - start)
        rate += dt * mass * 9.81 * arm[0] / (moment + mass * arm @ arm)
        angle += dt * rate
        lowest = int(np.argmin(turned(angle, corners)[:, 1])) if step % 5 == 0 else on
        if lowest != on:
            arm, to = -turned(angle, corners[on]), -turned(angle, corners[lowest])
            rate *= (moment + mass * arm @ to) / (moment + mass * to @ to)
            foot, on = foot + (arm - to)[0], lowest
    return np.array(ahead)


@pytest.mark.slow
def test_talos_held_rigidly_rocks_on_its_soles_as_one_body():
    """Its centre of mass is not over the middle of the soles, whose lowest corners lie on a slight slope."""
    simulation = it.Simulation(corrected(LEGGED["Talos"]), substeps=80)
    simulation.hold()
    mass, centre, moment, corners = as_one_body(simulation)
    times = np.arange(1, 17) / 40.0
    lower = corners[corners[:, 1] < corners[:, 1].min() + 0.02]
    exact = rocked(mass, moment, lower, times)
    ahead = []
    for _ in times:
        simulation.step(6)
        ahead.append(as_one_body(simulation)[1][0] - centre[0])
    assert exact.max() > 1e-3
    assert np.abs(np.array(ahead) - exact).max() < 0.02 * exact.max()


def test_talos_on_drives_that_damp_stands():
    """The drives of docs/physics.md: stiffness 20 m g L, 20 ms of that as damping, with its largest length L."""
    simulation = it.Simulation(corrected(LEGGED["Talos"]))
    places = simulation.snapshot().positions
    stiffness = 20.0 * simulation.weight * np.linalg.norm(places[:, None] - places[None], axis=-1).max()
    simulation.hold()
    simulation.set_joint_gains(stiffness, 0.02 * stiffness)
    simulation.step(360)
    _, positions = watched(simulation)
    assert np.linalg.norm(positions - positions[0], axis=-1).max() < 1e-3


@pytest.mark.parametrize("name", ARMS)
def test_a_bolted_arm_is_held(name):
    simulation = it.Simulation(corrected(ARMS[name]), fixed_base=True)
    simulation.hold()
    simulation.step(360)
    _, positions = watched(simulation)
    assert np.linalg.norm(positions - positions[0], axis=-1).max() < 1e-6


def test_a_quadruped_comes_to_rest_on_stiff_drives_of_limited_effort():
    """Its legs close loops over the ground; drives that would spread its feet by their limits must not wind up."""
    simulation = it.Simulation(corrected(LEGGED["Go1"]))
    simulation.hold()
    names, gains, limits = simulation.joint_names, simulation.default_gains(), simulation.joint_limits
    start = simulation.snapshot().joint_positions
    crouched = {name: 0.6 if "thigh" in name else -1.2 if "calf" in name else 0.0 for name in names}
    simulation.set_joint_gains({n: gains[n].stiffness for n in names}, {n: gains[n].damping for n in names})
    simulation.set_drive_limits(effort={name: limits[name].effort for name in names})
    for step in range(1, 241):
        part = step / 240
        simulation.set_joint_targets(
            {n: start[n] + part * part * (3 - 2 * part) * (crouched[n] - start[n]) for n in names}
        )
        simulation.step()
    simulation.step(120)
    _, positions = watched(simulation, 60)
    reached = simulation.snapshot().joint_positions
    assert max(abs(reached[name] - crouched[name]) for name in names) < 3e-3
    assert np.linalg.norm(positions - positions[0], axis=-1).max() < 1e-4
