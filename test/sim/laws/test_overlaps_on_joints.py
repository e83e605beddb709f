# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Links that overlap where their joints hold them move as if they did not touch; others come out slowly."""

import numpy as np
import pytest

from inertia_tools.sim.builder import WORLD, ModelBuilder
from inertia_tools.sim.scene.shape_config import ShapeConfig
from inertia_tools.spatial import Pose

STEPS = [(1.0 / 60.0, 1), (1.0 / 60.0, 10), (1.0 / 240.0, 1), (1.0 / 1000.0, 1)]


def material(touches, mu):
    return ShapeConfig(density=0.0, mu=mu, has_shape_collision=touches)


def leg_in_its_hub(touches, mu, shape):
    """A leg on two crossed hinges, whose upper end is deep inside the hub that carries it."""
    builder = ModelBuilder()
    if shape == "sphere":
        builder.add_shape_sphere(WORLD, radius=0.08, cfg=material(touches, mu))
    else:
        builder.add_shape_box(WORLD, hx=0.1, hy=0.08, hz=0.06, cfg=material(touches, mu))
    cross = builder.add_link(xform=Pose(), mass=0.3, inertia=3e-4 * np.eye(3))
    leg = builder.add_link(xform=Pose(), mass=1.0, com=(0.0, 0.0, -0.2), inertia=np.diag([0.015, 0.015, 0.001]))
    at = Pose(np.array([0.01, 0.0, -0.2]))
    builder.add_shape_capsule(leg, at, radius=0.05, half_height=0.2, cfg=material(touches, mu))
    builder.add_joint_revolute(WORLD, cross, axis=(1, 0, 0))
    builder.add_joint_revolute(cross, leg, axis=(0, 1, 0))
    return builder, leg


@pytest.mark.sweep
@pytest.mark.parametrize(("dt", "substeps"), STEPS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("mu", [0.0, 0.5])
@pytest.mark.parametrize("shape", ["sphere", "box"])
def test_a_leg_swings_in_its_hub_as_if_it_did_not_touch_it(scene, shape, mu, dtype, dt, substeps):
    places = []
    for touches in (True, False):
        builder, leg = leg_in_its_hub(touches, mu, shape)
        run = scene(builder, dt=dt, substeps=substeps, dtype=dtype)
        run.set_velocity(leg, (0.2, 0.1, 0.0), (0.5, -1.0, 0.0))
        places.append(run.run(1.0).q[leg])
    assert places[0] == pytest.approx(places[1], abs=1e-5)


@pytest.mark.sweep
@pytest.mark.parametrize(("dt", "substeps"), STEPS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("mu", [0.0, 0.5])
def test_links_that_overlap_around_a_ball_joint_gain_no_energy(scene, mu, dtype, dt, substeps):
    builder, parent, length = ModelBuilder(), WORLD, 0.3
    for k in range(3):
        link = builder.add_link(xform=Pose(np.array([length * k, 0.0, 0.0])))
        along = Pose.from_xyz_rpy([0.5 * length, 0.0, 0.0], [0.0, 0.5 * np.pi, 0.0])
        builder.add_shape_capsule(link, along, radius=0.03, half_height=0.5 * length, cfg=ShapeConfig(mu=mu))
        at = Pose(np.array([length * min(k, 1), 0.0, 0.0]))
        builder.add_joint_ball(parent, link, at, collision_filter_parent=False)
        parent = link
    run = scene(builder, dt=dt, substeps=substeps, dtype=dtype)
    start, scale = run.energy(), sum(inertial.mass for inertial in run.model.inertials) * 9.81 * length
    most = max(run.run(dt).energy() - start for _ in range(round(1.0 / dt)))
    assert most < 0.02 * scale


@pytest.mark.parametrize(("dt", "substeps"), STEPS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_drawer_that_overlaps_its_cabinet_slides_freely(scene, dtype, dt, substeps):
    builder = ModelBuilder(gravity=(2.0, 0.0, -9.81))
    builder.add_shape_box(WORLD, Pose(np.array([0.0, 0.25, 0.0])), hx=0.5, hy=0.1, hz=0.3)
    drawer = builder.add_link(xform=Pose())
    builder.add_shape_box(drawer, hx=0.3, hy=0.2, hz=0.1)
    builder.add_joint_prismatic(WORLD, drawer, axis=(1, 0, 0))
    run = scene(builder, dt=dt, substeps=substeps, dtype=dtype).run(0.5)
    assert run.q[drawer, 0] == pytest.approx(0.5 * 2.0 * 0.5**2, rel=1e-6)


@pytest.mark.parametrize(("dt", "substeps"), STEPS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_lever_comes_out_of_a_block_slowly(scene, dtype, dt, substeps):
    """Its joint lets it go, so that the overlap is recovered at 0.3 m/s at most."""
    builder = ModelBuilder(gravity=(0.0, 0.0, 0.0))
    builder.add_shape_box(WORLD, Pose(np.array([0.5, 0.0, -0.2])), hx=0.2, hy=0.2, hz=0.2)
    lever = builder.add_link(xform=Pose())
    along = Pose.from_xyz_rpy([0.3, 0.0, 0.0], [0.0, 0.5 * np.pi, 0.0])
    builder.add_shape_capsule(lever, along, radius=0.05, half_height=0.25)
    builder.add_joint_revolute(WORLD, lever, axis=(0, 1, 0))
    run = scene(builder, dt=dt, substeps=substeps, dtype=dtype)
    fastest = 0.0
    for _ in range(round(1.0 / dt)):
        fastest = max(fastest, float(np.linalg.norm(run.run(dt).qd[lever, 3:])))
    assert fastest < 0.35 / 0.3
    run.model.collide(run.state, run.contacts)
    assert run.contacts.geometry.depths.max(initial=0.0) < 1e-5
