# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contacts and friction, by their laws."""

from dataclasses import replace

import numpy as np
import pytest

from inertia_tools.sim.builder import ModelBuilder
from inertia_tools.sim.scene.shape_config import ShapeConfig
from inertia_tools.spatial import Pose, rotation_from_rpy

G = 9.81


def at(x=0.0, y=0.0, z=0.0, rpy=(0, 0, 0)) -> Pose:
    return Pose.from_xyz_rpy([x, y, z], rpy)


SHAPES = {
    "sphere": (lambda b, i: b.add_shape_sphere(i, radius=0.1), 0.1, (0, 0, 0)),
    "box": (lambda b, i: b.add_shape_box(i, hx=0.1, hy=0.2, hz=0.15), 0.15, (0, 0, 0)),
    "capsule lying": (lambda b, i: b.add_shape_capsule(i, radius=0.1, half_height=0.2), 0.1, (np.pi / 2, 0, 0)),
    "cylinder standing": (lambda b, i: b.add_shape_cylinder(i, radius=0.1, half_height=0.2), 0.2, (0, 0, 0)),
    "cylinder lying": (lambda b, i: b.add_shape_cylinder(i, radius=0.1, half_height=0.2), 0.1, (np.pi / 2, 0, 0)),
    "hull": (
        lambda b, i: b.add_shape_convex_hull(i, mesh=np.random.default_rng(0).choice([-0.1, 0.1], (60, 3))),
        0.1,
        (0, 0, 0),
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_rests_on_the_floor_with_its_weight(scene, shape):
    add, height, rpy = SHAPES[shape]
    builder = ModelBuilder()
    builder.add_ground_plane()
    body = builder.add_link(xform=at(z=height + 0.02, rpy=rpy))
    add(builder, body)
    weight = builder.body_mass[body] * G
    run = scene(builder).run(2.0)
    assert run.floor_force[2] == pytest.approx(weight, rel=1e-6)
    assert np.abs(run.floor_force[:2]).max() < 1e-6 * weight
    assert run.q[0, 2] == pytest.approx(height, abs=1e-6)
    assert np.abs(run.qd).max() < 1e-6


@pytest.mark.parametrize("shift", [0.0, 0.05])
def test_forces_carry_an_offset_centre_of_mass(scene, shift):
    """The forces' centre lies under the centre of mass, and no point pulls."""
    builder = ModelBuilder()
    builder.add_ground_plane()
    body = builder.add_link(mass=1.0, inertia=0.01 * np.eye(3), com=(shift, 0, 0), xform=at(z=0.1))
    builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1, cfg=ShapeConfig(density=0.0))
    run = scene(builder).run(1.0)
    forces, points = run.contacts.data.force.numpy(), run.contacts.data.point.numpy()
    assert forces[:, 2].sum() == pytest.approx(G, rel=1e-6)
    assert forces[:, 2] @ points[:, :2] / G == pytest.approx([shift, 0.0], abs=1e-5)
    assert forces[:, 2].min() >= -1e-9


def incline(scene, degrees, mu, seconds=1.0, mass_density=1000.0):
    """Tilt gravity instead of the plane; return the velocity along the slope and the distance."""
    slope = np.radians(degrees)
    builder = ModelBuilder(gravity=(G * np.sin(slope), 0.0, -G * np.cos(slope)))
    builder.add_ground_plane(cfg=ShapeConfig(mu=mu))
    body = builder.add_link(xform=at(z=0.1))
    builder.add_shape_box(body, hx=0.2, hy=0.2, hz=0.1, cfg=ShapeConfig(mu=mu, density=mass_density))
    run = scene(builder).run(seconds)
    return run.qd[0, 0], run.q[0, 0]


@pytest.mark.parametrize("density", [10.0, 10000.0])
def test_box_slides_with_the_acceleration_of_coulomb(scene, density):
    speed, distance = incline(scene, 20, 0.2, mass_density=density)
    a = G * (np.sin(np.radians(20)) - 0.2 * np.cos(np.radians(20)))
    assert speed == pytest.approx(a, rel=1e-3)
    assert distance == pytest.approx(a / 2, rel=2e-3)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("rate", [30, 60, 240, 480])
@pytest.mark.parametrize(("mu", "speed"), [(0.5, 2.0), (1.0, 3.0), (0.1, 1.0)])
def test_box_slides_to_a_stop_and_stays(scene, dtype, rate, mu, speed):
    """Friction takes a box to rest in v^2 / (2 mu g), in steps of any length, and never takes it back."""
    builder = ModelBuilder()
    builder.add_ground_plane(cfg=ShapeConfig(mu=mu))
    body = builder.add_link(xform=at(z=0.05))
    builder.add_shape_box(body, hx=0.15, hy=0.15, hz=0.05, cfg=ShapeConfig(mu=mu))
    run = scene(builder, dtype=dtype, substeps=1, dt=1.0 / rate)
    run.set_velocity(0, (speed, 0.0, 0.0))
    farthest = 0.0
    for _ in range(round(1.5 * rate)):
        run.run(1.0 / rate)
        farthest = max(farthest, run.q[0, 0])
    assert run.q[0, 0] == pytest.approx(speed**2 / (2.0 * mu * G), abs=0.5 * mu * G / rate**2)
    assert farthest - run.q[0, 0] < 1e-6
    assert np.abs(run.qd).max() < 1e-6


def test_box_that_sticks_does_not_creep(scene):
    early = incline(scene, 20, 0.5, 1.0)
    late = incline(scene, 20, 0.5, 6.0)
    assert abs(late[0]) < 1e-6
    assert abs(late[1] - early[1]) < 5 * 1e-7  # 0.1 um/s
    assert abs(late[1]) < 1e-5


@pytest.mark.parametrize("direction", [0.0, 30.0, 45.0])
def test_friction_is_the_same_in_every_direction(scene, direction):
    builder = ModelBuilder()
    builder.add_ground_plane(cfg=ShapeConfig(mu=0.3))
    body = builder.add_link(xform=at(z=0.1))
    builder.add_shape_box(body, hx=0.2, hy=0.2, hz=0.1, cfg=ShapeConfig(mu=0.3))
    run = scene(builder)
    along = np.array([np.cos(np.radians(direction)), np.sin(np.radians(direction)), 0.0])
    run.set_velocity(0, 2.0 * along)
    run.run(0.5)
    assert run.qd[0, :3] @ along == pytest.approx(2.0 - 0.3 * G * 0.5, rel=2e-3)


def test_sphere_slips_then_rolls(scene):
    """It rolls after t = 2 v0 / (7 mu g), at 5/7 of the speed."""
    builder = ModelBuilder()
    builder.add_ground_plane(cfg=ShapeConfig(mu=0.3))
    body = builder.add_link(xform=at(z=0.1))
    builder.add_shape_sphere(body, radius=0.1, cfg=ShapeConfig(mu=0.3))
    run = scene(builder)
    run.set_velocity(0, (5, 0, 0))
    run.run(0.4)
    assert run.qd[0, 0] == pytest.approx(5 - 0.3 * G * 0.4, rel=1e-3)
    run.run(0.6)
    assert run.qd[0, 0] == pytest.approx(5 * 5 / 7, rel=1e-3)
    assert run.qd[0, 4] == pytest.approx(run.qd[0, 0] / 0.1, rel=1e-4)


def stack(scene, count, densities=None, **options):
    builder = ModelBuilder()
    builder.add_ground_plane()
    for i in range(count):
        body = builder.add_link(xform=at(z=0.1 + 0.2 * i))
        density = 1000.0 if densities is None else densities[i]
        builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1, cfg=ShapeConfig(density=density))
    return scene(builder, **options), sum(builder.body_mass) * G


def test_ten_boxes_stand(scene):
    run, weight = stack(scene, 10)
    run.run(3.0)
    assert run.floor_force[2] == pytest.approx(weight, rel=1e-3)
    assert np.abs(run.q[:, :2]).max() < 1e-3
    assert run.q[9, 2] == pytest.approx(1.9, abs=2e-3)


def test_heavy_box_on_a_light_one(scene):
    run, weight = stack(scene, 2, [100.0, 10000.0])
    run.run(2.0)
    assert run.floor_force[2] == pytest.approx(weight, rel=1e-3)
    assert run.q[1, 2] == pytest.approx(0.3, abs=2e-3)


@pytest.mark.parametrize("first", ["sphere", "box", "capsule lying", "cylinder standing", "hull"])
@pytest.mark.parametrize("second", ["sphere", "box", "capsule lying", "cylinder standing", "hull"])
def test_no_pair_of_shapes_falls_through(scene, first, second):
    """The second, fixed in space, catches the first that falls on its middle."""
    builder = ModelBuilder()
    add, height, rpy = SHAPES[second]
    holder = builder.add_link(is_kinematic=True, xform=at(rpy=rpy))
    add(builder, holder)
    top = height
    add, height, rpy = SHAPES[first]
    body = builder.add_link(xform=at(z=top + height + 0.01, rpy=rpy))
    add(builder, body)
    run = scene(builder).run(0.3)
    assert run.q[1, 2] == pytest.approx(top + height, abs=2e-3)


def test_shapes_in_one_negative_group_pass_through_each_other(scene):
    builder = ModelBuilder()
    builder.add_ground_plane()
    for z in (0.1, 0.15):
        body = builder.add_link(mass=1.0, inertia=0.01 * np.eye(3), xform=at(z=z))
        builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1, cfg=ShapeConfig(density=0.0, collision_group=-7))
    run = scene(builder).run(1.0)
    assert np.allclose(run.q[:, 2], 0.1, atol=1e-6)


def test_deep_overlap_is_pushed_out_slowly(scene):
    builder = ModelBuilder()
    builder.add_ground_plane()
    body = builder.add_link(xform=at(z=-0.05))
    builder.add_shape_sphere(body, radius=0.1)
    run = scene(builder)
    fastest = 0.0
    for _ in range(240):
        run.run(1 / 240)
        fastest = max(fastest, run.qd[0, 2])
    assert run.q[0, 2] == pytest.approx(0.1, abs=1e-3)
    assert fastest < 0.5


@pytest.mark.parametrize("overlap", [1e-4, 1e-3, 5e-3])
def test_a_slight_overlap_is_pushed_out_without_a_jump(scene, overlap):
    """As a step finds it behind an edge: what is pushed out flies on, so it takes a fiftieth of a second."""
    builder = ModelBuilder()
    builder.add_ground_plane()
    body = builder.add_link(xform=at(z=0.1 - overlap))
    builder.add_shape_box(body, hx=0.1, hy=0.2, hz=0.1)
    run = scene(builder, substeps=4)
    heights = [run.run(1 / 240).q[body, 2] - 0.1 for _ in range(240)]
    speed = max(overlap / 0.02, 2 * G / 960)
    assert max(heights) < 1.1 * speed**2 / (2 * G)
    assert heights[-1] == pytest.approx(0.0, abs=1e-6)


def test_tilted_plane(scene):
    builder = ModelBuilder()
    turn = rotation_from_rpy([0, 0.3, 0])
    builder.add_shape_plane(xform=Pose(np.array([0, 0, 1.0]), turn), cfg=ShapeConfig(mu=1.0))
    body = builder.add_link(xform=Pose(np.array([0, 0, 1.0]) + turn @ [0, 0, 0.1], turn))
    builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1)
    before = scene(builder)
    start = before.q[0, :3].copy()
    before.run(1.0)
    assert np.allclose(before.q[0, :3], start, atol=1e-5)


def test_overlaps_are_found_without_a_step(scene):
    builder = ModelBuilder()
    builder.add_ground_plane()
    for z in (0.09, 0.5):
        body = builder.add_link(xform=at(z=z))
        builder.add_shape_sphere(body, radius=0.1)
    run = scene(builder)
    before = run.q.tobytes()
    assert run.model.collide(run.state, run.contacts) == 1
    data = run.contacts.data
    slot = int(np.argmax(data.depth.numpy()))
    assert data.depth.numpy()[slot] == pytest.approx(0.01)
    assert np.allclose(data.normal.numpy()[slot], [0, 0, 1])
    assert np.allclose(data.point.numpy()[slot], [0, 0, -0.005])
    assert run.q.tobytes() == before


MARGINS = {
    "ellipsoid": (lambda b, i, c: b.add_shape_ellipsoid(i, a=0.2, b=0.2, c=0.1, cfg=c), 0.1),
    "sphere": (lambda b, i, c: b.add_shape_sphere(i, radius=0.1, cfg=c), 0.1),
    "box": (lambda b, i, c: b.add_shape_box(i, hx=0.1, hy=0.2, hz=0.15, cfg=c), 0.15),
    "cylinder": (lambda b, i, c: b.add_shape_cylinder(i, radius=0.1, half_height=0.2, cfg=c), 0.2),
    "hull": (lambda b, i, c: b.add_shape_convex_hull(i, mesh=np.array(CUBE), cfg=c), 0.1),
}
CUBE = [[x, y, z] for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1)]


@pytest.mark.parametrize("shape", MARGINS)
@pytest.mark.parametrize("below", ["plane", "box"])
def test_margins_of_both_shapes_are_kept(scene, shape, below):
    builder = ModelBuilder()
    cfg = ShapeConfig(margin=0.005)
    if below == "plane":
        builder.add_ground_plane(cfg=cfg)
    else:
        builder.add_shape_box(-1, xform=at(z=-0.2), hx=0.3, hy=0.3, hz=0.2, cfg=cfg)
    add, height = MARGINS[shape]
    add(builder, builder.add_link(xform=at(z=height + 0.03)), ShapeConfig(margin=0.01))
    run = scene(builder).run(1.0)
    assert run.q[0, 2] == pytest.approx(height + 0.015, abs=1e-6)
    assert run.floor_force[2] == pytest.approx(builder.body_mass[0] * G, rel=1e-4)


def add_something(builder, random, cfg):
    """Add a box, capsule, ball, cylinder or hull of some 5 cm, above what is there."""
    above = 0.15 + 0.16 * builder.body_count
    body = builder.add_link(
        xform=Pose.from_xyz_rpy([*random.uniform(-0.1, 0.1, 2), above], random.uniform(-3.0, 3.0, 3))
    )
    size, kind = random.uniform(0.5, 1.3), random.integers(5)
    cfg = replace(cfg, density=10.0 ** random.uniform(2.0, 4.0))
    if kind == 0:
        builder.add_shape_box(body, hx=0.06 * size, hy=0.05 * size, hz=0.04 * size, cfg=cfg)
    elif kind == 1:
        builder.add_shape_capsule(body, radius=0.04 * size, half_height=0.05 * size, cfg=cfg)
    elif kind == 2:
        builder.add_shape_sphere(body, radius=0.05 * size, cfg=cfg)
    elif kind == 3:
        builder.add_shape_cylinder(body, radius=0.05 * size, half_height=0.04 * size, cfg=cfg)
    else:
        builder.add_shape_convex_hull(body, mesh=0.04 * size * random.normal(size=(14, 3)), cfg=cfg)


@pytest.mark.sweep
@pytest.mark.parametrize("rate", [15, 60])
@pytest.mark.parametrize(("seed", "dtype"), [(1, "float64"), (1, "float32"), (2, "float32"), (3, "float64")])
def test_heaps_that_fall_in_coarse_steps_only_lose_energy(scene, seed, rate, dtype):
    """Bodies of centimetres go by decimetres in a substep, which overlap deeply then, and none is thrown."""
    random, builder = np.random.default_rng(seed), ModelBuilder()
    cfg = ShapeConfig(mu=random.uniform(0.1, 1.2))
    builder.add_ground_plane(cfg=cfg)
    for x, y, hx, hy in (
        (0.35, 0.0, 0.05, 0.4),
        (-0.35, 0.0, 0.05, 0.4),
        (0.0, 0.35, 0.4, 0.05),
        (0.0, -0.35, 0.4, 0.05),
    ):
        builder.add_shape_box(-1, at(x, y, 0.2), hx=hx, hy=hy, hz=0.3, cfg=cfg)
    for _ in range(12):
        add_something(builder, random, cfg)
    run = scene(builder, dtype=dtype, substeps=1, dt=1.0 / rate)
    start = run.energy()
    for _ in range(2 * rate):
        assert run.run(run.dt).energy() < 1.02 * start
    assert run.q[:, 2].min() > 0.0
    assert np.abs(run.qd[:, :3]).max() < 2.0
