# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What falls into a wedge that friction can jam it in: it may stick or slip, but nothing throws it out."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import G, Scene
from scipy.spatial.transform import Rotation

import inertia_tools as it

SHAPES = {
    "ellipsoid": lambda builder, body, cfg: builder.add_shape_ellipsoid(body, rx=0.1, ry=0.06, rz=0.08, cfg=cfg),
    "cylinder": lambda builder, body, cfg: builder.add_shape_cylinder(body, radius=0.07, half_height=0.09, cfg=cfg),
    "capsule": lambda builder, body, cfg: builder.add_shape_capsule(body, radius=0.05, half_height=0.08, cfg=cfg),
}


def wedge(shape: str, half_angle: float, count: int, seed: int) -> it.ModelBuilder:
    """Return tumbling bodies over a groove between two walls, apart from each other."""
    rng, builder, cfg = np.random.default_rng(seed), it.ModelBuilder(), it.ShapeConfig(mu=1.0, density=500.0)
    for side in (-1.0, 1.0):
        turned = it.Pose.from_xyz_rpy([0.0, 0.0, 0.0], [0.0, side * half_angle, 0.0])
        wall = it.Pose(turned.rotation @ np.array([side * 0.5, 0.0, 1.0]), turned.rotation)
        builder.add_shape_box(-1, hx=0.5, hy=0.5 * count, hz=1.0, xform=wall, cfg=cfg)
    for i in range(count):
        place = np.array([0.02 * rng.normal(), i + 0.5 - 0.5 * count, max(0.6, 0.28 / np.tan(half_angle))])
        body = builder.add_link(xform=it.Pose(place, Rotation.random(random_state=rng).as_matrix()))
        SHAPES[shape](builder, body, cfg)
    return builder


def energies(scene: Scene) -> np.ndarray:
    """Return the energy of each body [J], shape (n,)."""
    q, qd, inertials = scene.q, scene.qd, scene.model.inertials
    spin = Rotation.from_quat(q[:, 3:]).inv().apply(qd[:, 3:])
    turning = np.array([w @ one.inertia @ w for w, one in zip(spin, inertials, strict=True)])
    mass = np.array([one.mass for one in inertials])
    return mass * G * q[:, 2] + 0.5 * mass * np.sum(qd[:, :3] ** 2, axis=1) + 0.5 * turning


@pytest.mark.sweep
@pytest.mark.parametrize(("dt", "substeps"), [(1 / 60, 4), (1 / 240, 1)])
@pytest.mark.parametrize("half_angle", [0.15, 0.3])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_what_jams_in_a_wedge_gains_no_energy(dtype, shape, half_angle, dt, substeps):
    """Friction of both walls grew from iterate to iterate, and threw it out with 10 to 1e9 times its energy."""
    scene = Scene(wedge(shape, half_angle, 8, 0), dtype, substeps, dt=dt)
    rng = np.random.default_rng(1)
    for body in range(8):
        scene.set_velocity(body, 0.5 * rng.normal(size=3), 5.0 * rng.normal(size=3))
    start = least = energies(scene)
    for _ in range(round(1.0 / dt)):
        scene.run(dt)
        now = energies(scene)
        assert (now - least < 0.1 * start).all()
        least = np.minimum(least, now)
