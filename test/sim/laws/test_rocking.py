# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A rigid block that rocks from edge to edge loses what Housner (1963) says, and nothing else.

The corner that comes down stops, the other one leaves: the angular momentum about the former is kept, so the rate falls
by r = 1 - 2 m b^2 / I, with half the width b, and the inertia I about a corner. A block that is high over its width
keeps on for long; so does a robot that is held rigidly on its feet.
"""

import itertools

import numpy as np
import pytest

from inertia_tools.sim.builder import ModelBuilder
from inertia_tools.sim.scene.shape_config import ShapeConfig
from inertia_tools.spatial import Pose, rotation_from_rpy

G = 9.81
HALF_WIDTH, HALF_HEIGHT, TILT = 0.2, 0.9, 0.02


def energies_over_the_lowest(scene, substeps, seconds):
    """Energy of the block at every step over that when it stands [J], and the ratio that is kept of it at an impact."""
    builder = ModelBuilder()
    builder.add_ground_plane(cfg=ShapeConfig(mu=1.0))
    turn = rotation_from_rpy((0.0, TILT, 0.0))
    corner = np.array([HALF_WIDTH, 0.0, -HALF_HEIGHT])
    body = builder.add_link(xform=Pose(np.array([HALF_WIDTH, 0.0, 0.0]) - turn @ corner, turn))
    builder.add_shape_box(body, hx=HALF_WIDTH, hy=0.3, hz=HALF_HEIGHT, cfg=ShapeConfig(density=100.0, mu=1.0))
    run = scene(builder, substeps=substeps)
    standing = builder.body_mass[body] * G * HALF_HEIGHT
    inertia = 4.0 / 3.0 * builder.body_mass[body] * (HALF_WIDTH**2 + HALF_HEIGHT**2)
    kept = 1.0 - 2.0 * builder.body_mass[body] * HALF_WIDTH**2 / inertia
    return np.array([run.run(1 / 240).energy() - standing for _ in range(round(240 * seconds))]), kept**2


@pytest.mark.parametrize(("substeps", "more"), [(4, 0.06), (80, 0.004)])
def test_a_rocking_block_loses_what_housner_says(scene, substeps, more):
    """A little more in longer substeps: the weight on the corner that leaves is felt until one is over."""
    energies, ratio = energies_over_the_lowest(scene, substeps, 0.9)
    levels = [energies[0], *energies[1:][np.abs(np.diff(energies)) < 1e-4 * energies[0]]]
    falls = [late / early for early, late in itertools.pairwise(levels) if late < 0.99 * early]
    assert len(falls) >= 3
    assert np.all(np.array(falls) < ratio + 1e-3)
    assert np.all(np.array(falls) > ratio * (1.0 - more))
