# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Ellipsoids that other shapes hit while they rotate: contacts are found before the shapes overlap, at any angle."""

import numpy as np
import pytest
from scenes import Scene
from scipy.spatial.transform import Rotation

import inertia_tools as it

SIZE, SPEED, COUNT, DT, SUBSTEPS = 0.1, 3.0, 20, 1 / 240, 4


def add_shape(builder: it.ModelBuilder, body: int, kind: str, sizes: np.ndarray) -> None:
    smooth = it.ShapeConfig(mu=0.0)
    a, b, c = sizes
    if kind == "sphere":
        builder.add_shape_sphere(body, radius=a, cfg=smooth)
    elif kind == "box":
        builder.add_shape_box(body, hx=a, hy=b, hz=c, cfg=smooth)
    elif kind == "ellipsoid":
        builder.add_shape_ellipsoid(body, a=a, b=b, c=c, cfg=smooth)
    else:
        getattr(builder, f"add_shape_{kind}")(body, radius=a, half_height=b, cfg=smooth)


def pairs_that_meet(kind: str, rng: np.random.Generator) -> Scene:
    """Return pairs of an ellipsoid and another shape, without gravity, on courses that pass near each other's centre."""
    builder, velocities = it.ModelBuilder(), []
    builder.gravity = (0.0, 0.0, 0.0)
    for i in range(COUNT):
        direction = rng.normal(size=3)
        direction /= np.linalg.norm(direction)
        for side, name in ((-1.0, "ellipsoid"), (1.0, kind)):
            place = side * 2.4 * SIZE * direction + 0.2 * SIZE * rng.normal(size=3)
            turn = Rotation.random(random_state=int(rng.integers(1 << 31))).as_quat()
            body = builder.add_link(xform=(place + [0.0, 30.0 * SIZE * i, 0.0], turn))
            add_shape(builder, body, name, SIZE * rng.uniform(0.5, 1.2, 3))
            velocities.append([*(-0.5 * side * SPEED * direction), *(2.0 * rng.normal(size=3))])
    scene = Scene(builder, substeps=SUBSTEPS, dt=DT)
    scene.state.body_qd.assign(np.array(velocities))
    return scene


@pytest.mark.parametrize("kind", ["sphere", "capsule", "ellipsoid", "cylinder", "box"])
def test_a_shape_that_hits_an_ellipsoid_hardly_overlaps_it(kind: str) -> None:
    """The overlap stays below the motion in a substep, while they slide on each other too."""
    scene = pairs_that_meet(kind, np.random.default_rng(1))
    found, deepest, hits = scene.model.contacts(), 0.0, set()
    for _ in range(round(4.0 * SIZE / SPEED / DT)):
        scene.run(DT)
        hits.update(int(bodies[0]) // 2 for bodies in scene.model.acting_contacts(scene.contacts).bodies)
        scene.model.collide(scene.state, found)
        deepest = max(deepest, *found.geometry.depths, 0.0)
    assert len(hits) > COUNT / 2
    assert deepest < SPEED * DT / SUBSTEPS
