# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contacts: the ground carries the weight, friction obeys Coulomb, and pairs push each other alike."""

import itertools

import numpy as np
import pytest
from scenes import DT, G, Scene, add_box
from scipy.spatial.transform import Rotation

import inertia_tools as it
from inertia_tools.spatial import rotation_from_rpy

TETRAHEDRON = np.array([[0.0, 0.0, 0.0], [0.2, 0.0, 0.0], [0.0, 0.2, 0.0], [0.05, 0.05, 0.2]])
CUBE = np.array(list(itertools.product([-0.1, 0.1], repeat=3)))

SHAPES = {
    "sphere": lambda builder, body: builder.add_shape_sphere(body, radius=0.1),
    "box": lambda builder, body: builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1),
    "capsule": lambda builder, body: builder.add_shape_capsule(body, radius=0.1, half_height=0.1),
    "cylinder": lambda builder, body: builder.add_shape_cylinder(body, radius=0.1, half_height=0.1),
    "hull": lambda builder, body: builder.add_shape_convex_hull(body, mesh=CUBE),
}


def slope(degrees, mu, heading=0.0, mass=1.0, speed=0.0, substeps=10):
    """A box on a plane, with gravity tilted so that downhill lies along a heading [rad]."""
    tilt = np.radians(degrees)
    downhill = np.array([np.cos(heading), np.sin(heading), 0.0])
    builder = it.ModelBuilder(gravity=G * (np.sin(tilt) * downhill - [0.0, 0.0, np.cos(tilt)]))
    add_box(builder, mass, 0.05, (0.0, 0.0, 0.05), mu=mu)
    builder.add_shape_plane(cfg=it.ShapeConfig(mu=mu))
    scene = Scene(builder, substeps=substeps)
    scene.set_velocity(0, speed * downhill)
    return scene


def stack(count, dtype="float64", half_of=lambda index: 0.05):
    builder, height = it.ModelBuilder(), 0.0
    for index in range(count):
        half = half_of(index)
        add_box(builder, 1.0, half, (0.0, 0.0, height + half))
        height += 2.0 * half
    builder.add_ground_plane()
    return Scene(builder, dtype)


@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 1e-9), ("float32", 1e-6)])
def test_ground_carries_a_box_exactly(dtype, tolerance):
    scene = stack(1, dtype).run(2.0)
    assert scene.force_on(0, -1)[2] == pytest.approx(G, rel=tolerance)
    assert abs(scene.q[0, 2] - 0.05) < 1e-6
    assert np.abs(scene.qd).max() < 1e-5


STANDING = {
    "sphere": (lambda b, i: b.add_shape_sphere(i, radius=0.1), 0.1, (0, 0, 0)),
    "capsule upright": (lambda b, i: b.add_shape_capsule(i, radius=0.1, half_height=0.2), 0.3, (0, 0, 0)),
    "capsule lying": (lambda b, i: b.add_shape_capsule(i, radius=0.1, half_height=0.2), 0.1, (np.pi / 2, 0, 0)),
    "cylinder upright": (lambda b, i: b.add_shape_cylinder(i, radius=0.1, half_height=0.2), 0.2, (0, 0, 0)),
    "cylinder lying": (lambda b, i: b.add_shape_cylinder(i, radius=0.1, half_height=0.2), 0.1, (np.pi / 2, 0, 0)),
    "hull": (lambda b, i: b.add_shape_convex_hull(i, mesh=TETRAHEDRON), 0.0, (0, 0, 0)),
}


@pytest.mark.parametrize("name", STANDING)
def test_every_shape_stands_on_the_ground(name):
    add, height, rpy = STANDING[name]
    builder = it.ModelBuilder()
    body = builder.add_link(xform=it.Pose(np.array([0.0, 0.0, height]), rotation_from_rpy(rpy)))
    add(builder, body)
    builder.add_ground_plane()
    scene = Scene(builder).run(2.0)
    assert scene.force_on(body, -1)[2] == pytest.approx(G * builder.body_mass[body], rel=1e-9)
    assert np.abs(scene.q[body, :3] - [0.0, 0.0, height]).max() < 1e-9
    assert np.abs(scene.qd).max() < 1e-8


def test_dropped_box_comes_to_rest_without_gaining_energy():
    builder = it.ModelBuilder()
    add_box(builder, 1.0, 0.05, (0.0, 0.0, 0.55), rpy=(0.3, 0.2, 0.1))
    builder.add_ground_plane()
    scene = Scene(builder)
    start, highest = scene.energy(), -np.inf
    for _ in range(480):
        highest = max(highest, scene.run(DT).energy())
    assert highest < start + 1e-9
    assert scene.q[0, 2] == pytest.approx(0.05, abs=1e-6)


def test_box_is_caught_however_fast_it_falls_on_a_plane():
    builder = it.ModelBuilder()
    add_box(builder, 1.0, 0.05, (0.0, 0.0, 2.0))
    builder.add_ground_plane()
    scene = Scene(builder)
    scene.set_velocity(0, (0, 0, -100.0))
    lowest = min(scene.run(DT).q[0, 2] for _ in range(60))
    assert lowest > 0.05 - 1e-3


# Stacks


def test_smaller_box_on_a_larger_one_loads_the_ground_with_both():
    scene = stack(2, half_of=lambda index: 0.06 - 0.02 * index).run(2.0)
    assert scene.force_on(0, -1)[2] == pytest.approx(2.0 * G, rel=1e-6)
    assert scene.force_on(1, 0)[2] == pytest.approx(G, rel=1e-4)


def test_two_equal_boxes_load_the_ground_with_both():
    scene = stack(2).run(2.0)
    assert scene.q[1, 2] == pytest.approx(0.15, abs=1e-4)
    assert scene.force_on(0, -1)[2] == pytest.approx(2.0 * G, rel=1e-4)


@pytest.mark.parametrize(
    ("offset", "yaw"),
    [(0.02, 0.0), (0.0, 0.3)],
)
def test_box_stands_on_its_like_shifted_or_turned(offset, yaw):
    builder = it.ModelBuilder()
    add_box(builder, 1.0, 0.05, (0.0, 0.0, 0.05))
    add_box(builder, 1.0, 0.05, (offset, 0.5 * offset, 0.15), rpy=(0.0, 0.0, yaw))
    builder.add_ground_plane()
    scene = Scene(builder).run(1.0)
    assert scene.q[1, 2] == pytest.approx(0.15, abs=1e-4)
    assert scene.force_on(0, -1)[2] == pytest.approx(2.0 * G, rel=1e-4)


# Friction


@pytest.mark.parametrize("substeps", [10, 20])
@pytest.mark.parametrize(
    ("heading", "creep"),
    [
        (0.0, 1e-9),
        (np.pi / 4, 1e-9),
        (np.pi, 1e-6),
        (0.5, 1e-6),
        (np.pi / 2, 1e-9),
    ],
)
def test_box_that_sticks_on_a_slope_does_not_creep(heading, creep, substeps):
    scene = slope(20.0, 0.5, heading, substeps=substeps).run(1.0)
    before = scene.q[0, :3]
    assert np.linalg.norm(scene.run(1.0).q[0, :3] - before) < creep  # in one second
    friction, normal = np.linalg.norm(scene.force_on(0, -1)[:2]), scene.force_on(0, -1)[2]
    assert friction / normal == pytest.approx(np.tan(np.radians(20.0)), rel=1e-4)


@pytest.mark.parametrize("heading", [0.0, np.pi / 4])
@pytest.mark.parametrize("mass", [1.0, 100.0])
def test_box_slides_down_a_slope_as_coulomb_says(heading, mass):
    tilt, mu = np.radians(20.0), 0.2
    scene = slope(20.0, mu, heading, mass).run(0.5)
    before = np.linalg.norm(scene.qd[0, :3])
    gained = np.linalg.norm(scene.run(0.5).qd[0, :3]) - before
    assert gained / 0.5 == pytest.approx(G * (np.sin(tilt) - mu * np.cos(tilt)), abs=1e-3)


def test_friction_stays_within_the_cone():
    scene, mu = slope(20.0, 0.2, speed=1.0), 0.2
    for _ in range(60):
        force = scene.run(DT).force_on(0, -1)
        assert np.linalg.norm(force[:2]) <= mu * force[2] * (1.0 + 1e-6)


def test_without_friction_nothing_brakes():
    scene = slope(20.0, 0.0, speed=1.0).run(0.5)
    assert scene.qd[0, 0] == pytest.approx(1.0 + 0.5 * G * np.sin(np.radians(20.0)), abs=1e-6)


# Pairs


def collision(first, second):
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    for add, place, rpy in ((first, (-0.3, 0.0, 0.01), (0, 0, 0)), (second, (0.3, 0.0, 0.0), (0.1, 0.2, 0.3))):
        body = builder.add_link(xform=it.Pose(np.array(place), rotation_from_rpy(rpy)))
        SHAPES[add](builder, body)
    scene = Scene(builder)
    scene.set_velocity(0, (1.0, 0.2, 0.0), (1.0, 2.0, 3.0))
    return scene


PAIRS = list(itertools.combinations_with_replacement(SHAPES, 2))


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_every_pair_of_shapes_collides_and_keeps_linear_momentum(first, second):
    scene = collision(first, second)
    linear, energy = scene.momenta()[0], scene.energy()
    scene.run(1.0)
    assert np.linalg.norm(scene.qd[1, :3]) > 1e-3  # it was hit
    assert np.linalg.norm(scene.momenta()[0] - linear) < 1e-12 * np.linalg.norm(linear)
    assert scene.energy() <= energy * (1.0 + 1e-9)


@pytest.mark.parametrize(("first", "second"), [("sphere", "sphere"), ("box", "box")])
def test_a_collision_keeps_angular_momentum(first, second):
    scene = collision(first, second)
    angular = scene.momenta()[1]
    scene.run(1.0)
    assert np.linalg.norm(scene.momenta()[1] - angular) < 1e-9 * np.linalg.norm(angular)


@pytest.mark.parametrize("offset", [0.0, 0.12])
@pytest.mark.parametrize("shape", ["capsule", "box", "cylinder"])
def test_crossed_bars_hit_each_other_wherever_they_cross(shape, offset):
    add = {
        "capsule": lambda b, i: b.add_shape_capsule(i, radius=0.05, half_height=0.5),
        "box": lambda b, i: b.add_shape_box(i, hx=0.05, hy=0.05, hz=0.5),
        "cylinder": lambda b, i: b.add_shape_cylinder(i, radius=0.05, half_height=0.5),
    }[shape]
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    for place, rpy in (((offset, offset, 0.5), (np.pi / 2, 0.0, 0.0)), ((0.0, 0.0, 0.0), (0.0, np.pi / 2, 0.0))):
        add(builder, builder.add_link(xform=it.Pose(np.array(place), rotation_from_rpy(rpy))))
    scene = Scene(builder)
    scene.set_velocity(0, (0.0, 0.0, -1.0))
    scene.run(1.0)
    assert scene.qd[1, 2] < -0.1


# What is told of contacts


def test_acting_contacts_say_who_touches_whom_where_and_how_hard():
    builder = it.ModelBuilder(friction_combine="min", restitution_combine="max")
    builder.add_shape_sphere(-1, it.Pose(np.array([5.0, 0, 0])), radius=0.1, cfg=it.ShapeConfig(is_site=True))
    slab = it.ShapeConfig(mu=0.4, mu_torsional=0.02, restitution=0.3)
    builder.add_shape_box(-1, it.Pose(np.array([0.0, 0.0, -0.1])), hx=1.0, hy=1.0, hz=0.1, cfg=slab)
    body = builder.add_link(it.Pose(np.array([0.3, 0.2, 0.1])))
    cfg = it.ShapeConfig(mu=0.7, mu_torsional=0.01, mu_rolling=0.001, restitution=0.1)
    builder.add_shape_sphere(body, radius=0.1, cfg=cfg)
    scene = Scene(builder)
    scene.set_velocity(0, angular=(0.0, 0.0, 20.0))
    scene.run(0.1)
    found, weight = scene.model.acting_contacts(scene.contacts), G * scene.model.inertials[0].mass
    assert len(found) == 1
    first = int(found.bodies[0, 0] == -1)
    sign = -1.0 if first else 1.0
    assert found.shapes[0].tolist() == ([1, 2] if first else [2, 1])
    assert found.bodies[0].tolist() == ([-1, 0] if first else [0, -1])
    assert found.positions[0] == pytest.approx([0.3, 0.2, 0.0], abs=1e-6)
    assert found.normals[0] == pytest.approx([0.0, 0.0, sign], abs=1e-9)
    assert 0.0 < found.depths[0] < 2.0 * G * (scene.dt / scene.substeps) ** 2
    assert found.forces[0] == pytest.approx([0.0, 0.0, sign * weight], rel=1e-6, abs=1e-6)
    assert found.torques[0] == pytest.approx([0.0, 0.0, -sign * 0.01 * weight], rel=1e-5, abs=1e-9)
    assert found.friction[0].tolist() == [0.4, 0.01, 0.0]
    assert found.restitution[0] == 0.3
    assert len(scene.model.acting_contacts(scene.model.contacts())) == 0


@pytest.mark.parametrize(("dtype", "off"), [("float64", 1e-14), ("float32", 1e-6)])
@pytest.mark.parametrize("overlap", [1e-6, 1e-4])
def test_cylinders_along_each_other_touch_at_both_ends(dtype, off, overlap):
    """The normal was 1.7e-5 rad off, and half of these cases had a third contact."""
    lying = it.Pose.from_xyz_rpy((0.0, 0.0, 0.0), (np.pi / 2.0, 0.0, 0.0))
    builder = it.ModelBuilder(broad_phase="search")
    builder.add_shape_cylinder(-1, radius=1.0, half_height=2.0, xform=lying)
    body = builder.add_body()
    builder.add_shape_cylinder(body, radius=0.3, half_height=0.2)
    model = builder.finalize(dtype=dtype)
    state, contacts = model.state(), model.contacts()
    generator = np.random.default_rng(5)
    for around, rolled in generator.uniform(0.0, 6.0, (20, 2)):
        outward = np.array([np.sin(around), 0.0, np.cos(around)])
        turn = Rotation.from_euler("y", rolled) * Rotation.from_euler("x", np.pi / 2.0)
        state.body_q.assign(np.array([[*(1.3 - overlap) * outward, *turn.as_quat()]], dtype=dtype))
        model.collide(state, contacts)
        count = int(contacts.rigid_contact_count.numpy()[0])
        normals = contacts.rigid_contact_normal.numpy()[:count].astype(float)
        assert count == 2
        assert np.linalg.norm(np.cross(normals, outward), axis=1).max() < off
