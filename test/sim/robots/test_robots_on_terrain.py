# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Go1 and Talos, held by drives, on rough terrain and on a stair of triangles, pushed at random.

Two seconds of what `benchmarks/physics/terrain.py` does for a minute. The drives have the stiffness 20 m g L and 20 ms of
that as damping, with L the largest distance of two links.
"""

import numpy as np
import pytest
import trimesh
from robots import example_robots

import inertia_tools as it
from inertia_tools.spatial import rotation_from_quaternion

CELL, ROUGHNESS = 0.05, 0.04
RISE, RUN = 0.12, 0.3
BENT = {"thigh": 0.8, "calf": -1.6}
CROUCH = {f"{leg}_{part}_joint": angle for leg in ("FL", "FR", "RL", "RR") for part, angle in BENT.items()}
ROBOTS = {"Go1": "go1_description/urdf/go1.urdf", "Talos": "talos_data/robots/talos_reduced.urdf"}


class Terrain:
    """Heights at random between plus and minus 4 cm, every 5 cm."""

    def __init__(self):
        self.heights = np.random.default_rng(0).uniform(-ROUGHNESS, ROUGHNESS, (161, 161))
        self.ground = it.Heightfield(self.heights, 161, 161, 4.0, 4.0)

    def depth(self, points):
        """How far points are below the triangle that is above them."""
        u, v = ((points[:, :2] + 4.0) / CELL).T
        i, j = v.astype(int), u.astype(int)
        s, t = u - j, v - i
        a, b = self.heights[i, j], self.heights[i, j + 1]
        c, d = self.heights[i + 1, j + 1], self.heights[i + 1, j]
        across, along = np.where(s >= t, b - a, c - d), np.where(s >= t, c - b, d - a)
        return (a + across * s + along * t - points[:, 2]) / np.sqrt(1.0 + (across**2 + along**2) / CELL**2)


class Stair:
    """Blocks that reach from their front to the end, joined to one mesh."""

    def __init__(self):
        self.fronts, self.treads = np.array([-4.0, 0.1, 0.4, 0.7]), RISE * np.arange(4)
        corners = [[[front, -4.0, -1.0], [4.0, 4.0, top]] for front, top in zip(self.fronts, self.treads, strict=True)]
        union = trimesh.boolean.union([trimesh.creation.box(bounds=b) for b in corners], engine="manifold")
        self.ground = it.Mesh(union.vertices, union.faces, compute_inertia=False)

    def depth(self, points):
        """How far points are inside of the block in which they are deepest."""
        return np.minimum(points[:, :1] - self.fronts, self.treads - points[:, 2:]).max(axis=1)


def surface(simulation):
    """Points in the world on the balls around the feature points of all shapes, of which some are corners."""
    q = simulation.state.body_q.numpy().astype(float)
    index = np.arange(60) + 0.5
    up, angle = 1.0 - index / 30.0, index * np.pi * (3.0 - np.sqrt(5.0))
    across = np.sqrt(1.0 - up**2)
    ball = np.stack([across * np.cos(angle), across * np.sin(angle), up], axis=1)
    points = []
    for shape in simulation.model.collision.shapes:
        if shape.body >= 0 and shape.convex is not None:
            centres = shape.pose.transform_points(shape.convex.features)
            turn = rotation_from_quaternion(q[shape.body, 3:])
            places = centres @ turn.T + q[shape.body, :3]
            points.append((places[:, None] + shape.convex.radii[:, None, None] * ball).reshape(-1, 3))
    return np.concatenate(points)


def total_energy(simulation, stiffness, aims):
    """Energy of motion, in gravity, and in the drives."""
    now = simulation.snapshot()
    aside = np.array([now.joint_positions[name] - aim for name, aim in aims.items()])
    return now.kinetic_energy + now.potential_energy + 0.5 * stiffness * float(aside @ aside)


def standing(name, ground, dtype):
    folder = example_robots()
    if folder is None:
        pytest.skip("example-robot-data is not installed")
    robot = it.fix(it.load(folder / ROBOTS[name])).corrected
    simulation = it.Simulation(robot, dtype=dtype, ground=ground.ground)
    simulation.set_joint_positions(CROUCH if name == "Go1" else {})
    simulation.lift(0.42)
    while ground.depth(surface(simulation)).max() < -0.02:
        simulation.lift(-0.01)
    places = simulation.snapshot().positions
    stiffness = 20.0 * simulation.weight * np.linalg.norm(places[:, None] - places[None], axis=-1).max()
    simulation.hold()
    simulation.set_joint_gains(stiffness, 0.02 * stiffness)
    endless = dict.fromkeys(simulation.joint_names, np.inf)  # what a drive at its limit gives is no spring's energy
    simulation.set_drive_limits(effort=endless, velocity=endless)
    return simulation, stiffness


@pytest.mark.parametrize(
    ("name", "dtype", "ground"),
    [
        ("Go1", "float64", Terrain),
        ("Go1", "float32", Stair),
        pytest.param("Go1", "float64", Stair, marks=pytest.mark.slow),
        pytest.param("Go1", "float32", Terrain, marks=pytest.mark.slow),
        pytest.param("Talos", "float64", Stair, marks=pytest.mark.slow),
    ],
)
def test_a_robot_that_is_pushed_about_stays_on_the_ground(name, dtype, ground):
    under = ground()
    simulation, stiffness = standing(name, under, dtype)
    aims = dict(simulation.snapshot().joint_positions)
    push = np.random.default_rng(0).normal(size=3)
    push *= 0.7 * simulation.weight / np.linalg.norm(push)
    deepest, gained, least = -np.inf, 0.0, np.inf
    for look in range(40):
        if look == 10:
            simulation.apply_wrench(simulation.names[0], push, duration=0.1)
            least = np.inf
        simulation.step(12)
        if look != 10:
            total = total_energy(simulation, stiffness, aims)
            gained, least = max(gained, total - least), min(least, total)
        deepest = max(deepest, under.depth(surface(simulation)).max())
    assert deepest < 1e-3
    assert gained < 1e-3 * simulation.weight
