# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Velocities read in the frame of a landing: no body rises, however its fall divides the impact among substeps.

Momenta read of jointed bodies fit the forces on them, in landings and as they start on their feet.
"""

import numpy as np
import pytest
from scenes import G, Scene, add_box

import inertia_tools as it

RADIUS, COUNT = 0.1, 150


@pytest.mark.parametrize(("dt", "substeps"), [(1 / 60, 1), (1 / 240, 1), (1 / 240, 4)])
@pytest.mark.parametrize("speed", [0.0, 30.0])
def test_a_ball_that_lands_does_not_read_a_bounce(speed: float, dt: float, substeps: int) -> None:
    """Half of gravity's change in a substep is the most that a ball without restitution may read upwards."""
    builder, smooth = it.ModelBuilder(), it.ShapeConfig(mu=0.0)
    rng = np.random.default_rng(0)
    for i in range(COUNT):
        body = builder.add_link(xform=((0.0, 1.0 * i, RADIUS + rng.uniform(0.01, 0.5)), (0.0, 0.0, 0.0, 1.0)))
        builder.add_shape_sphere(body, radius=RADIUS, cfg=smooth)
    builder.add_ground_plane(cfg=smooth)
    scene = Scene(builder, substeps=substeps, dt=dt)
    falling = scene.qd
    falling[:, 0], falling[:, 2] = speed, -rng.uniform(0.0, 2.0, COUNT)
    scene.state.body_qd.assign(falling)
    highest = np.full(COUNT, -np.inf)
    for _ in range(round(0.35 / dt)):
        highest = np.maximum(highest, scene.run(dt).qd[:, 2])
    assert scene.q[:, 2] == pytest.approx(RADIUS, abs=1e-6)
    assert highest.max() <= 0.51 * G * dt / substeps


STEPS = [(1 / 60, 1), (1 / 60, 4), (1 / 240, 1), (1 / 240, 4)]


@pytest.mark.parametrize(("dt", "substeps"), STEPS)
def test_chains_that_land_read_the_momentum_that_the_floor_gave(dt: float, substeps: int) -> None:
    """An impact that two substeps share acted on for half a substep in the second: 15 m g h in chains of three boxes.

    A supported chain reads at most the forces of half a substep more or less.
    """
    rng, builder, chains = np.random.default_rng(1), it.ModelBuilder(), []
    for i in range(60):
        place, rpy = np.array([3.0 * (i % 8), 3.0 * (i // 8), rng.uniform(0.5, 1.0)]), rng.uniform(-3.0, 3.0, 3)
        links = [add_box(builder, 1.0, 0.05, place, mu=0.5, rpy=rpy)]
        builder.add_joint_free(links[0])
        for _ in range(2):
            links.append(add_box(builder, 1.0, 0.05, place, mu=0.5, rpy=rpy))
            frames = {"parent_xform": (0.0, 0.0, 0.12), "child_xform": (0.0, 0.0, -0.12)}
            builder.add_joint_revolute(*links[-2:], axis=rng.normal(size=3), armature=0.01, **frames)
        chains.append(links)
    builder.add_ground_plane()
    scene = Scene(builder, substeps=substeps, dt=dt)
    it.eval_fk(scene.model, scene.model.joint_q, scene.model.joint_qd, scene.state)
    given, most = np.zeros((len(chains), 3)), 0.0
    for step in range(round(0.5 / dt)):
        scene.run(dt)
        time = dt * (1.0 if step else 1.0 - 0.5 / substeps)
        given += time * np.array([sum(scene.force_on(b, -1) for b in links) for links in chains])
        given[:, 2] -= 3.0 * G * dt
        momenta = np.array([scene.qd[links, :3].sum(axis=0) for links in chains])
        most = max(most, np.linalg.norm(momenta - given, axis=1).max())
    assert most < 2.0 * 3.0 * G * dt / substeps


@pytest.mark.parametrize(("dt", "substeps"), STEPS)
def test_what_starts_on_light_feet_reads_no_velocity(dt: float, substeps: int) -> None:
    """The first support counted as an impact on the feet: g h / 2 downwards with one substep."""
    builder = it.ModelBuilder()
    trunk = add_box(builder, 12.0, 0.1, (0.0, 0.0, 0.4))
    builder.add_joint_free(trunk)
    for x, y in [(-0.2, -0.2), (-0.2, 0.2), (0.2, -0.2), (0.2, 0.2)]:
        foot = builder.add_link(xform=((x, y, 0.02), (0.0, 0.0, 0.0, 1.0)))
        builder.add_shape_sphere(foot, radius=0.02, cfg=it.ShapeConfig(density=1000.0))
        builder.add_joint_fixed(trunk, foot, parent_xform=(x, y, -0.38))
    builder.add_ground_plane()
    scene = Scene(builder, substeps=substeps, dt=dt)
    for _ in range(3):
        assert np.abs(scene.run(dt).qd).max() < 1e-8
