# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A thin disk that rolls on its rim, its centre at rest: friction of ideal rolling does no work."""

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.spatial import Pose, rotation_from_rpy

G = 9.81
MASS, RADIUS, HALF, TILT = 1.0, 0.1, 1e-3, 0.35
SECONDS = 0.5


def disk_on(ground, dtype, scene, substeps):
    """It turns about the vertical at sqrt(4 g / (R sin(tilt))) (Moffatt 2000, of Euler's disk)."""
    builder = it.ModelBuilder()
    if ground == "plane":
        builder.add_ground_plane(cfg=it.ShapeConfig(mu=1.0))
    else:
        below = Pose(np.array([0.0, 0.0, -0.5]))
        builder.add_shape_box(-1, below, hx=1.0, hy=1.0, hz=0.5, cfg=it.ShapeConfig(mu=1.0))
    turn = rotation_from_rpy((TILT, 0.0, 0.0))
    height = RADIUS * np.sin(TILT) + HALF * np.cos(TILT)
    body = builder.add_link(xform=Pose(np.array([0.3, 0.2, height]), turn))
    material = it.ShapeConfig(mu=1.0, density=MASS / (2.0 * HALF * np.pi * RADIUS**2))
    builder.add_shape_cylinder(body, radius=RADIUS, half_height=HALF, cfg=material)
    run = scene(builder, dtype, substeps)
    rate = np.sqrt(4.0 * G / (RADIUS * np.sin(TILT)))
    run.set_velocity(body, angular=rate * np.sin(TILT) * (turn @ [0.0, 1.0, 0.0]))
    return run, rate


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("ground", ["plane", "box"])
@pytest.mark.parametrize("substeps", [10, 40])
def test_a_disk_that_rolls_on_its_rim_keeps_its_energy_and_its_rate(scene, ground, dtype, substeps):
    """A force where the point of contact is at the end of a substep, or at its start, works: 28 % a second at 10."""
    run, rate = disk_on(ground, dtype, scene, substeps)
    start = least = run.energy()
    angle, before = 0.0, None
    for _ in range(round(SECONDS * 240)):
        total = run.run(1 / 240).energy()
        assert total < least + 1e-6 * start
        least = min(least, total)
        x, y, z, w = run.q[0, 3:]
        heading = np.arctan2(y * z - w * x, x * z + w * y)  # of the disk's axis, over the ground
        angle += 0.0 if before is None else (heading - before + np.pi) % (2.0 * np.pi) - np.pi
        before = heading
    assert least > 0.9997 * start
    assert abs(angle) / (SECONDS - 1 / 240) == pytest.approx(rate, rel=1e-2)
