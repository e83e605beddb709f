# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Many bodies that touch in rings: walls stand, heaps come to rest, and nothing is ever thrown about.

`benchmarks/physics/crowds.py` has the same scenes for longer, beside MuJoCo and Newton.
"""

from __future__ import annotations

import numpy as np
import pytest
from scenes import G, Scene, box_inertia

import inertia_tools as it
from inertia_tools.spatial import Pose, rotation_from_quaternion

BRICK, HALF_BRICK = (0.1, 0.05, 0.05), (0.05, 0.05, 0.05)


def add_brick(builder: it.ModelBuilder, mass: float, half: tuple[float, ...], pose: Pose) -> None:
    body = builder.add_link(pose, mass=mass, inertia=box_inertia(mass, *half), lock_inertia=True)
    builder.add_shape_box(body, hx=half[0], hy=half[1], hz=half[2], cfg=it.ShapeConfig(density=0.0, mu=0.5))


def wall(courses: int, bricks: int, gap: float) -> it.ModelBuilder:
    """A wall in running bond, with half bricks at its ends."""
    builder = it.ModelBuilder(broad_phase="search")
    pitch = 0.2 + gap
    for course in range(courses):
        z = 0.05 * (2 * course + 1)
        for i in range(bricks - course % 2):
            add_brick(builder, 1.0, BRICK, Pose(np.array([pitch * (i + 0.5 * (course % 2)), 0.0, z])))
        if course % 2:
            for x in (-0.05, pitch * (bricks - 1) + 0.05):
                add_brick(builder, 0.5, HALF_BRICK, Pose(np.array([x, 0.0, z])))
    builder.add_ground_plane()
    return builder


def heap(count: int) -> it.ModelBuilder:
    """Boxes that fall on each other, turned at random."""
    random = np.random.default_rng(1)
    builder = it.ModelBuilder(broad_phase="search")
    for i in range(count):
        q = random.normal(size=4)
        place = [*random.uniform(-0.1, 0.1, 2), 0.15 + 0.2 * i]
        half = BRICK if i % 2 else HALF_BRICK
        add_brick(builder, 1.0, half, Pose(np.array(place), rotation_from_quaternion(q / np.linalg.norm(q))))
    builder.add_ground_plane()
    return builder


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("gap", [0.002, 0.0])
def test_a_wall_stands(gap, dtype):
    scene = Scene(wall(5, 4, gap), dtype, substeps=4)
    start = scene.q
    scene.run(0.25)
    early = scene.q
    assert np.abs(early - start)[:, :3].max() < 1e-6
    scene.run(0.5)
    assert np.abs(scene.q - early)[:, :3].max() < 1e-7
    assert np.abs(scene.qd[:, :3]).max() < 1e-5
    weight = sum(inertial.mass for inertial in scene.model.inertials) * G
    assert sum(scene.force_on(body, -1)[2] for body in range(4)) == pytest.approx(weight, rel=1e-5)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_heap_comes_to_rest_and_energy_does_not_rise(dtype):
    scene = Scene(heap(12), dtype, substeps=4)
    lowest = start = scene.energy()
    for _ in range(125):
        scene.run(0.02)
        now = scene.energy()
        assert now < lowest + 1e-3 * abs(start)
        lowest = min(lowest, now)
    assert np.abs(scene.qd[:, :3]).max() < 1e-3
    assert scene.q[:, 2].min() > 0.045


def test_what_is_foreseen_of_falling_neighbours_does_not_catch():
    """A box that falls past the edge of another touches nothing, though it is nearest to that edge at first."""
    builder = it.ModelBuilder(broad_phase="search")
    add_brick(builder, 1.0, HALF_BRICK, Pose(np.array([0.0, 0.0, 0.05])))
    add_brick(builder, 1.0, HALF_BRICK, Pose(np.array([0.102, 0.0, 0.156])))
    builder.add_ground_plane()
    scene = Scene(builder, substeps=4)
    scene.set_velocity(1, (0.0, 0.0, -2.0))
    scene.run(0.025)
    assert scene.qd[1, 2] == pytest.approx(-2.0 - 6 * G / 240.0, abs=1e-9)
    assert np.abs(scene.qd[0]).max() < 1e-9


def test_balls_that_collapse_do_not_overlap():
    random = np.random.default_rng(0)
    builder = it.ModelBuilder(broad_phase="search")
    for place in np.array(np.meshgrid(*[range(3)] * 3)).reshape(3, -1).T:
        at = 0.41 * place + [0.0, 0.0, 0.21] + random.uniform(-0.01, 0.01, 3)
        body = builder.add_link(Pose(at), mass=10.0, inertia=0.16 * np.eye(3), lock_inertia=True)
        builder.add_shape_sphere(body, radius=0.2, cfg=it.ShapeConfig(density=0.0, mu=0.0))
    builder.add_ground_plane(cfg=it.ShapeConfig(mu=0.0))
    scene = Scene(builder, dt=1.0 / 60.0, substeps=20)
    for _ in range(60):
        scene.run(scene.dt)
        x = scene.q[:, :3]
        apart = np.linalg.norm(x[:, None] - x[None], axis=2)[np.triu_indices(len(x), 1)]
        assert max(0.4 - apart.min(), 0.2 - x[:, 2].min()) < 1e-3
