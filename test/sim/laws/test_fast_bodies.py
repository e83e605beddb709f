# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What is fast does not pass through what is thin, and hits only what it meets."""

import numpy as np
import pytest

from inertia_tools.sim.builder import ModelBuilder
from inertia_tools.sim.scene.shape_config import ShapeConfig
from inertia_tools.sim.solver import SolverXPBD
from inertia_tools.spatial import Pose

CORNERS = np.array([[x, y, z] for x in (-0.02, 0.02) for y in (-0.02, 0.02) for z in (-0.02, 0.02)])

BULLETS = {
    "ball": lambda b, i, cfg: b.add_shape_sphere(i, radius=0.02, cfg=cfg),
    "box": lambda b, i, cfg: b.add_shape_box(i, hx=0.02, hy=0.02, hz=0.02, cfg=cfg),
    "capsule": lambda b, i, cfg: b.add_shape_capsule(i, radius=0.02, half_height=0.03, cfg=cfg),
    "cylinder": lambda b, i, cfg: b.add_shape_cylinder(i, radius=0.02, half_height=0.02, cfg=cfg),
    "hull": lambda b, i, cfg: b.add_shape_convex_hull(i, mesh=CORNERS, cfg=cfg),
    "ellipsoid": lambda b, i, cfg: b.add_shape_ellipsoid(i, None, 0.03, 0.02, 0.015, cfg=cfg),
    "long capsule": lambda b, i, cfg: b.add_shape_capsule(i, radius=0.02, half_height=0.1, cfg=cfg),
    "long cylinder": lambda b, i, cfg: b.add_shape_cylinder(i, radius=0.01, half_height=0.1, cfg=cfg),
    "cone": lambda b, i, cfg: b.add_shape_cone(i, radius=0.02, half_height=0.03, cfg=cfg),
    "rod": lambda b, i, cfg: b.add_shape_box(i, hx=0.01, hy=0.01, hz=0.2, cfg=cfg),
}


def shot(scene, kind, *, rpy=(0.0, 0.0, 0.0), spin=(0.0, 0.0, 0.0), speed=100.0, dtype="float64", bounce=0.0):
    """A bullet that flies along x from -1 m at a wall 2 cm thick; four substeps of 1/240 s."""
    builder = ModelBuilder(gravity=(0.0, 0.0, 0.0))
    cfg = ShapeConfig(mu=0.3, restitution=bounce)
    BULLETS[kind](builder, builder.add_link(xform=Pose.from_xyz_rpy([-1.0, 0.0, 0.0], rpy)), cfg)
    builder.add_shape_box(-1, hx=0.01, hy=0.5, hz=0.5, cfg=cfg)
    run = scene(builder, dtype, 4)
    run.solver = SolverXPBD(run.model, iterations=3, substeps=4, enable_restitution=bounce > 0.0)
    run.set_velocity(0, (speed, 0.0, 0.0), spin)
    return run


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("rpy", [(0.0, 0.0, 0.0), (0.3, 0.4, 0.5)])
@pytest.mark.parametrize("kind", ["ball", "box", "capsule", "cylinder", "hull"])
def test_nothing_passes_a_thin_wall(scene, kind, rpy, dtype):
    """A frame of 1/60 s takes a bullet 1.7 m, and a substep 10 cm."""
    run = shot(scene, kind, rpy=rpy, dtype=dtype)
    start = run.energy()
    for _ in range(24):
        run.run(1.0 / 240.0)
        assert run.q[0, 0] < 0.0
        assert run.energy() < start * (1.0 + 1e-5)
    assert run.energy() < 0.1 * start


ASKEW = np.random.default_rng(0).uniform(-3.0, 3.0, (24, 3))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("kind", ["ellipsoid", "long capsule"])
def test_what_is_long_or_round_does_not_pass_however_it_is_turned(scene, kind, dtype):
    """It turns by more than a radian in a step once it has hit."""
    for rpy in ASKEW[::3]:
        run = shot(scene, kind, rpy=tuple(rpy), dtype=dtype)
        start = run.energy()
        for _ in range(24):
            run.run(1.0 / 240.0)
            assert run.q[0, 0] < 0.0
            assert run.energy() < start * (1.0 + 1e-5)


@pytest.mark.parametrize("kind", ["cone", "long cylinder", "rod"])
def test_what_has_ends_that_go_round_does_not_fly_through_the_wall(scene, kind):
    """It may stick: an end goes round within a substep, and then some come out on the other side, at 0.3 m/s."""
    for rpy in ASKEW[::3]:
        run = shot(scene, kind, rpy=tuple(rpy))
        start = run.energy()
        for _ in range(24):
            run.run(1.0 / 240.0)
            assert run.q[0, 0] < 0.3
            assert run.energy() <= start


@pytest.mark.parametrize("rate", [50.0, 300.0])
def test_rod_that_spins_fast_does_not_pass_either(scene, rate):
    """What touches is found once a step for rods: one that hits askew at 100 m/s dips into the wall, and comes out."""
    run = shot(scene, "rod", spin=(0.0, rate, 0.0), speed=10.0)
    start = run.energy()
    for _ in range(60):
        run.run(1.0 / 240.0)
        assert run.q[0, 0] < 0.01
        assert run.energy() < start * (1.0 + 1e-9)


@pytest.mark.parametrize("kind", ["ball", "box", "capsule"])
def test_elastic_bullet_comes_back_as_fast_and_from_the_right_place(scene, kind):
    run = shot(scene, kind, bounce=1.0).run(0.025)
    assert run.qd[0, :3] == pytest.approx([-100.0, 0.0, 0.0], abs=1e-6)
    assert run.q[0, 0] == pytest.approx(-0.03 - (2.5 - 0.97), abs=1e-9)


def test_two_bullets_that_meet_head_on_exchange_their_velocities(scene):
    builder = ModelBuilder(gravity=(0.0, 0.0, 0.0))
    for x in (-1.0, 1.0):
        BULLETS["ball"](builder, builder.add_link(xform=Pose(np.array([x, 0.0, 0.0]))), ShapeConfig(restitution=1.0))
    run = scene(builder, substeps=4)
    run.solver = SolverXPBD(run.model, iterations=3, substeps=4, enable_restitution=True)
    run.set_velocity(0, (100.0, 0.0, 0.0))
    run.set_velocity(1, (-60.0, 0.0, 0.0))
    run.run(0.05)
    assert run.qd[:, 0] == pytest.approx([-60.0, 100.0], abs=1e-9)
    meet = 1.96 / 160.0
    assert run.q[0, 0] == pytest.approx(-1.0 + 100.0 * meet - 60.0 * (0.05 - meet), abs=1e-9)


@pytest.mark.parametrize(("offset", "hits"), [(0.039, True), (0.041, False)])
def test_bullet_hits_only_what_is_in_its_way(scene, offset, hits):
    builder, cfg = ModelBuilder(gravity=(0.0, 0.0, 0.0)), ShapeConfig(mu=0.0, restitution=1.0)
    BULLETS["ball"](builder, builder.add_link(xform=Pose(np.array([-1.0, offset, 0.0]))), cfg)
    BULLETS["ball"](builder, -1, cfg)
    run = scene(builder, substeps=4)
    run.solver = SolverXPBD(run.model, iterations=3, substeps=4, enable_restitution=True)
    run.set_velocity(0, (100.0, 0.0, 0.0))
    run.run(0.025)
    sine = min(offset / 0.04, 1.0)
    cosine = np.sqrt(1.0 - sine**2)
    assert run.qd[0, :2] == pytest.approx([100.0 * (1.0 - 2.0 * cosine**2), 200.0 * sine * cosine], abs=1e-6)
    assert (run.qd[0, 1] > 0.0) == hits


def test_bullet_takes_a_loose_wall_along_and_keeps_the_momenta(scene):
    builder = ModelBuilder(gravity=(0.0, 0.0, 0.0))
    BULLETS["ball"](builder, builder.add_link(xform=Pose(np.array([-1.0, 0.2, 0.1]))), ShapeConfig(mu=0.3))
    builder.add_shape_box(builder.add_link(), hx=0.01, hy=0.5, hz=0.5, cfg=ShapeConfig(mu=0.3))
    run = scene(builder, substeps=4)
    run.set_velocity(0, (100.0, 0.0, 0.0))
    linear, angular = run.momenta()
    run.run(0.05)
    assert run.momenta()[0] == pytest.approx(linear, rel=1e-12, abs=1e-12)
    assert run.momenta()[1] == pytest.approx(angular, rel=1e-12, abs=1e-12)
    assert run.q[0, 0] < run.q[1, 0]
