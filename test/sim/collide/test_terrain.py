# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What the solver feels through the narrow phase: terrain, triangles, cones, ellipsoids, long shapes that cross."""

import numpy as np
import pytest
import trimesh
from scenes import G, Scene

import inertia_tools as it
from inertia_tools.spatial import rotation_from_rpy

SLAB = trimesh.creation.box((4.0, 4.0, 1.0))
HULL = trimesh.creation.icosphere(1, 0.1).vertices
LYING = (np.pi / 2, 0.0, 0.3)


def add_terrain(builder, mu=1.0):
    field = it.Heightfield(np.zeros((21, 21)), 21, 21, 2.0, 2.0)
    builder.add_shape_heightfield(heightfield=field, cfg=it.ShapeConfig(mu=mu))


def add_slab(builder, mu=1.0):
    mesh = it.Mesh(SLAB.vertices, SLAB.faces)
    builder.add_shape_mesh(-1, it.Pose(np.array([0.0, 0.0, -0.5])), mesh, cfg=it.ShapeConfig(mu=mu))


def add_floor(builder, mu=1.0):
    builder.add_ground_plane(cfg=it.ShapeConfig(mu=mu))


STANDING = {
    "sphere": (lambda b, i: b.add_shape_sphere(i, radius=0.1), 0.1, (0, 0, 0)),
    "box": (lambda b, i: b.add_shape_box(i, hx=0.1, hy=0.12, hz=0.08), 0.08, (0, 0, 0)),
    "capsule lying": (lambda b, i: b.add_shape_capsule(i, radius=0.1, half_height=0.2), 0.1, LYING),
    "cylinder upright": (lambda b, i: b.add_shape_cylinder(i, radius=0.1, half_height=0.2), 0.2, (0, 0, 0)),
    "cylinder lying": (lambda b, i: b.add_shape_cylinder(i, radius=0.1, half_height=0.2), 0.1, LYING),
    "cone": (lambda b, i: b.add_shape_cone(i, radius=0.1, half_height=0.2), 0.2, (0, 0, 0)),
    "ellipsoid": (lambda b, i: b.add_shape_ellipsoid(i, None, 0.2, 0.15, 0.1), 0.1, (0, 0, 0)),
    "hull": (lambda b, i: b.add_shape_convex_hull(i, mesh=HULL), 0.1, (0, 0, 0)),
}
GROUNDS = {"terrain": add_terrain, "slab": add_slab, "floor": add_floor}


@pytest.mark.parametrize("ground", ["terrain", "slab"])
@pytest.mark.parametrize("name", STANDING)
def test_every_shape_rests_on_terrain_and_triangles(name, ground):
    add, height, rpy = STANDING[name]
    builder = it.ModelBuilder()
    body = builder.add_link(xform=it.Pose(np.array([0.013, 0.027, height + 0.01]), rotation_from_rpy(rpy)))
    add(builder, body)
    GROUNDS[ground](builder)
    scene = Scene(builder).run(2.0)
    assert scene.force_on(body, -1)[2] == pytest.approx(G * builder.body_mass[body], rel=1e-5)
    assert np.abs(scene.qd[body, :3]).max() < 1e-4
    if name != "hull":  # which rolls onto one of its faces
        assert scene.q[body, 2] == pytest.approx(height, abs=1e-6)


@pytest.mark.parametrize("ground", ["terrain", "slab"])
@pytest.mark.parametrize("name", STANDING)
def test_what_starts_wholly_inside_is_pushed_out_and_then_rests(name, ground):
    """By the shortest way and slowly."""
    add, height, rpy = STANDING[name]
    builder = it.ModelBuilder()
    body = builder.add_link(xform=it.Pose(np.array([0.013, 0.027, -height - 0.02]), rotation_from_rpy(rpy)))
    add(builder, body)
    GROUNDS[ground](builder)
    scene = Scene(builder)
    fastest = 0.0
    for _ in range(25):
        scene.run(0.1)
        fastest = max(fastest, np.abs(scene.qd[body, :3]).max())
    assert fastest < 0.5
    assert scene.q[body, 2] == pytest.approx(height, abs=1e-6 if name != "hull" else 0.02)
    if name != "hull":  # which still rolls on its faces
        assert np.abs(scene.qd[body, :3]).max() < 1e-4


@pytest.mark.parametrize("name", ["cone", "ellipsoid"])
def test_cones_and_ellipsoids_rest_on_the_floor_as_they_are(name):
    """And not as a hull of points on them."""
    add, height, _ = STANDING[name]
    builder = it.ModelBuilder()
    body = builder.add_link(xform=it.Pose(np.array([0.0, 0.0, height])))
    add(builder, body)
    builder.add_ground_plane()
    scene = Scene(builder).run(1.0)
    assert scene.q[body, 2] == pytest.approx(height, abs=1e-9)
    assert scene.force_on(body, -1)[2] == pytest.approx(G * builder.body_mass[body], rel=1e-9)


@pytest.mark.parametrize("ground", GROUNDS)
def test_a_tumbling_box_comes_to_rest_without_gaining_energy(ground):
    builder = it.ModelBuilder()
    body = builder.add_link(xform=it.Pose.from_xyz_rpy([0.013, 0.027, 0.3], (0.3, 0.4, 0.5)))
    builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1)
    GROUNDS[ground](builder)
    scene = Scene(builder)
    start, highest = scene.energy(), -np.inf
    for _ in range(480):
        highest = max(highest, scene.run(1.0 / 240.0).energy())
    assert highest < start + 1e-9
    assert scene.q[body, 2] == pytest.approx(0.1, abs=1e-6) and np.abs(scene.qd).max() < 1e-6


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_what_lies_on_one_side_of_a_ridge_is_not_deep_in_the_other(dtype):
    """Cubes that overlap a steep slope by 0.01 mm, some beyond its top: the column under the other slope ends in the open."""
    heights = np.tile([0.0, 0.0, 0.0, 0.08, 0.0, 0.0, 0.0], (7, 1))
    builder = it.ModelBuilder()
    body = builder.add_link()
    builder.add_shape_box(body, hx=0.025, hy=0.025, hz=0.025)
    builder.add_shape_heightfield(heightfield=it.Heightfield(heights, 7, 7, 0.15, 0.15))
    scene = Scene(builder, dtype=dtype)
    top, slope = np.array([0.0, 0.0, 0.08]), rotation_from_rpy((0.0, -np.arctan2(0.08, 0.05), 0.0))
    rng = np.random.default_rng(0)
    for _ in range(60):
        lying = [rng.uniform(-0.05, 0.02), rng.uniform(-0.05, 0.05), 0.025 - 1e-5]
        pose = it.Pose(top + slope @ lying, slope @ rotation_from_rpy((0.0, 0.0, rng.uniform(0.0, 6.3))))
        scene.state.body_q.assign(np.array([[*pose.position, *pose.quaternion]], dtype=dtype))
        scene.model.collide(scene.state, scene.contacts)
        assert 0.0 < scene.contacts.geometry.depths.max() < 2e-3


@pytest.mark.parametrize("ground", ["terrain", "slab"])
def test_a_box_slides_over_inner_edges_as_over_a_plane(ground):
    builder = it.ModelBuilder()
    body = builder.add_link(xform=it.Pose(np.array([-0.7, 0.017, 0.05])))
    builder.add_shape_box(body, hx=0.05, hy=0.05, hz=0.05, cfg=it.ShapeConfig(mu=0.1))
    GROUNDS[ground](builder, mu=0.1)
    scene = Scene(builder)
    scene.set_velocity(body, (1.0, 0.2, 0.0))
    scene.run(0.5)
    assert np.hypot(*scene.qd[body, :2]) == pytest.approx(np.hypot(1.0, 0.2) - 0.1 * G * 0.5, abs=1e-3)
    assert abs(scene.q[body, 2] - 0.05) < 1e-5 and np.abs(scene.qd[body, 3:]).max() < 1e-3


@pytest.mark.parametrize("ground", ["terrain", "slab"])
def test_a_ball_rolls_over_inner_edges_as_over_a_plane(ground):
    """A rolling ball that meets an edge as an obstacle would hop or slow down."""
    builder = it.ModelBuilder()
    body = builder.add_link(xform=it.Pose(np.array([-0.7, 0.017, 0.05])))
    builder.add_shape_sphere(body, radius=0.05)
    GROUNDS[ground](builder)
    scene = Scene(builder)
    scene.set_velocity(body, (1.0, 0.0, 0.0), (0.0, 20.0, 0.0))
    scene.run(1.0)
    assert scene.qd[body, 0] == pytest.approx(1.0, abs=1e-4) and abs(scene.q[body, 2] - 0.05) < 1e-6


def add_facets(builder, ground, height, material):
    """Add a square of 2 x 2 m with given heights at the knots of a regular grid."""
    cells = len(height)
    x, y = np.meshgrid(np.linspace(-1.0, 1.0, cells), np.linspace(-1.0, 1.0, cells))
    if ground == "terrain":
        builder.add_shape_heightfield(heightfield=it.Heightfield(height, cells, cells, 1.0, 1.0), cfg=material)
        return
    corner = (cells * np.arange(cells - 1)[:, None] + np.arange(cells - 1)).ravel()
    one, other = (corner, corner + 1, corner + cells + 1), (corner, corner + cells + 1, corner + cells)
    vertices = np.stack([x.ravel(), y.ravel(), height.ravel()], axis=1)
    mesh = it.Mesh(vertices, np.concatenate([np.stack(one, axis=1), np.stack(other, axis=1)]))
    builder.add_shape_mesh(-1, mesh=mesh, cfg=material)


def energies(scene, body, radius, seconds, dt):
    """Return the energy of a body that rolls over that of its centre at the lowest place, step by step."""
    lowest = scene.model.inertials[body].mass * G * radius
    scene.run(0.05)
    result = [scene.energy() - lowest]
    for _ in range(round(seconds / dt)):
        scene.run(dt)
        result.append(scene.energy() - lowest)
    return np.array(result)


@pytest.mark.sweep
@pytest.mark.parametrize("mu", [0.0, 2.0])
@pytest.mark.parametrize(("dt", "substeps"), [(1 / 30, 4), (1 / 60, 1), (1 / 240, 4)])
@pytest.mark.parametrize("ground", ["terrain", "triangles"])
def test_a_ball_in_a_bowl_of_facets_gains_no_energy(ground, dt, substeps, mu):
    """It sank into facets beyond valleys that the narrow phase had not found, was pushed out, and gained 30 %."""
    bowl, radius = 3.0, 0.1
    x, y = np.meshgrid(np.linspace(-1.0, 1.0, 81), np.linspace(-1.0, 1.0, 81))
    material = it.ShapeConfig(mu=mu)
    builder = it.ModelBuilder()
    add_facets(builder, ground, bowl - np.sqrt(bowl**2 - x**2 - y**2), material)
    start = (0.5, 0.003, bowl - np.sqrt((bowl - radius) ** 2 - 0.5**2) + 0.003)
    ball = builder.add_link(xform=it.Pose(np.array(start)))
    builder.add_shape_sphere(ball, radius=radius, cfg=material)
    energy = energies(Scene(builder, "float64", substeps, dt=dt), ball, radius, 4.0, dt)
    assert (energy - np.minimum.accumulate(energy)).max() < 0.015 * energy[0]


@pytest.mark.sweep
@pytest.mark.parametrize("shape", ["capsule", "cylinder"])
@pytest.mark.parametrize(("dt", "substeps", "gain"), [(1 / 60, 1, 0.04), (1 / 240, 4, 0.004)])
@pytest.mark.parametrize("ground", ["terrain", "triangles"])
def test_a_roller_in_a_trough_of_facets_gains_no_energy(ground, dt, substeps, gain, shape):
    """Its contacts were cut to the facets that it was over, so that it sank into the next ones, and gained 9 %."""
    trough, radius = 2.0, 0.1
    x = np.linspace(-1.0, 1.0, 81)
    material = it.ShapeConfig(density=1000.0, mu=2.0)
    builder = it.ModelBuilder()
    add_facets(builder, ground, np.tile(trough - np.sqrt(trough**2 - x**2), (81, 1)), material)
    start = (0.5, 0.011, trough - np.sqrt((trough - radius) ** 2 - 0.5**2) + 0.003)
    roller = builder.add_link(xform=it.Pose(np.array(start)))
    lying = it.Pose(np.zeros(3), rotation_from_rpy((np.pi / 2.0, 0.0, 0.0)))
    getattr(builder, f"add_shape_{shape}")(roller, xform=lying, radius=radius, half_height=0.15, cfg=material)
    energy = energies(Scene(builder, "float64", substeps, dt=dt), roller, radius, 2.5, dt)
    assert (energy - np.minimum.accumulate(energy)).max() < gain * energy[0]


def test_a_box_sticks_and_slides_on_sloping_terrain_as_coulomb_says():
    tilt = np.radians(20.0)
    x = np.linspace(-2.0, 2.0, 21)
    field = it.Heightfield(np.tile(-np.tan(tilt) * x, (21, 1)), 21, 21, 2.0, 2.0)
    for mu, expected in ((0.5, 0.0), (0.2, G * (np.sin(tilt) - 0.2 * np.cos(tilt)))):
        builder = it.ModelBuilder()
        normal = np.array([np.sin(tilt), 0.0, np.cos(tilt)])
        pose = it.Pose(np.array([-1.0, 0.03, np.tan(tilt)]) + 0.05 * normal, rotation_from_rpy((0.0, tilt, 0.0)))
        body = builder.add_link(xform=pose)
        builder.add_shape_box(body, hx=0.05, hy=0.05, hz=0.05, cfg=it.ShapeConfig(mu=mu))
        builder.add_shape_heightfield(heightfield=field, cfg=it.ShapeConfig(mu=mu))
        scene = Scene(builder).run(0.25)
        before = np.linalg.norm(scene.qd[body, :3])
        gained = np.linalg.norm(scene.run(0.5).qd[body, :3]) - before
        assert gained / 0.5 == pytest.approx(expected, abs=1e-2 if expected else 1e-6)


def test_a_fast_ball_does_not_pass_terrain():
    """2 cm of radius at 100 m/s: 42 cm a step."""
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    body = builder.add_link(xform=it.Pose(np.array([0.1, 0.2, 1.0])))
    builder.add_shape_sphere(body, radius=0.02)
    add_terrain(builder)
    scene = Scene(builder)
    scene.set_velocity(body, (0.0, 0.0, -100.0))
    assert min(scene.run(1.0 / 240.0).q[body, 2] for _ in range(20)) > 0.019


def test_a_stair_of_triangles_carries_what_stands_on_its_steps():
    steps = [trimesh.creation.box((0.3, 1.0, 0.1 * (n + 1))) for n in range(3)]
    for n, step in enumerate(steps):
        step.apply_translation([0.3 * n, 0.0, 0.05 * (n + 1)])
    stair = trimesh.boolean.union(steps, engine="manifold")
    builder = it.ModelBuilder()
    for n in range(3):
        body = builder.add_link(xform=it.Pose(np.array([0.3 * n, 0.1 * n, 0.1 * (n + 1) + 0.06])))
        builder.add_shape_box(body, hx=0.05, hy=0.05, hz=0.05)
    builder.add_shape_mesh(-1, mesh=it.Mesh(stair.vertices, stair.faces))
    scene = Scene(builder).run(1.0)
    assert np.allclose(scene.q[:3, 2], [0.15, 0.25, 0.35], atol=1e-6)
    assert np.abs(scene.qd).max() < 1e-6


@pytest.mark.parametrize(("rule", "mu"), [("mean", 0.4), ("min", 0.2), ("max", 0.6), ("product", 0.12)])
@pytest.mark.parametrize("ground", ["terrain", "floor"])
def test_friction_of_a_pair_follows_the_rule_of_the_scene(rule, mu, ground):
    builder = it.ModelBuilder(friction_combine=rule)
    body = builder.add_link(xform=it.Pose(np.array([0.0, 0.0, 0.05])))
    builder.add_shape_box(body, hx=0.05, hy=0.05, hz=0.05, cfg=it.ShapeConfig(mu=0.2))
    GROUNDS[ground](builder, mu=0.6)
    scene = Scene(builder)
    scene.set_velocity(body, (2.0, 0.0, 0.0))
    before = scene.run(0.1).qd[body, 0]
    lost = before - scene.run(0.1).qd[body, 0]
    assert lost / 0.1 == pytest.approx(mu * G, rel=1e-3)


def test_contacts_with_terrain_are_reported():
    builder = it.ModelBuilder()
    body = builder.add_link(xform=it.Pose(np.array([0.013, 0.027, 0.1])), name="ball")
    builder.add_shape_sphere(body, radius=0.1)
    add_terrain(builder)
    scene = Scene(builder).run(0.5)
    data, count = scene.contacts.data, scene.model.slot_count
    pressed = np.flatnonzero(data.force.numpy()[:count, 2] > 0.0)
    assert len(pressed) and (scene.model.slot_bodies[pressed] == [body, -1]).all()
    assert np.allclose(data.normal.numpy()[pressed], [0.0, 0.0, 1.0])
    assert np.allclose(data.point.numpy()[pressed], [0.013, 0.027, 0.0], atol=1e-6)


@pytest.mark.parametrize("threads", [1, 2])
def test_worlds_feel_their_terrain_as_a_single_one_does(threads):
    def scene(count):
        builder = it.ModelBuilder()
        for n in range(2):
            body = builder.add_link(xform=it.Pose.from_xyz_rpy([0.5 * n, 0.027, 0.3], (0.3 * n, 0.4, 0.5)))
            builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1)
        cone = builder.add_link(xform=it.Pose.from_xyz_rpy([0.1, 0.5, 0.3], (0.3, 0.4, 0.5)))
        builder.add_shape_cone(cone, radius=0.1, half_height=0.1)
        add_terrain(builder)
        if count > 1:
            builder.replicate(count)
        model = builder.finalize(dtype="float64")
        state, contacts = model.state(), model.contacts()
        solver = it.SolverXPBD(model, substeps=4, threads=threads)
        for _ in range(120):
            solver.step(state, state, None, contacts, 1.0 / 240.0)
        return state.body_q.numpy(), contacts.data.force.numpy()[: model.slot_count]

    (one, pushed), (many, all_pushed) = scene(1), scene(3)
    assert np.array_equal(many, np.tile(one, (3, 1))) and np.array_equal(all_pushed, np.tile(pushed, (3, 1)))
    assert np.abs(pushed).max() > 1.0


@pytest.mark.parametrize("depth", [0.1, 0.5, 1.9])
@pytest.mark.parametrize("shape", ["sphere", "box", "hull"])
def test_what_has_sunk_below_terrain_is_pushed_up(shape, depth):
    """It is wholly below, where its box does not meet that of the surface."""
    builder = it.ModelBuilder()
    add_terrain(builder)
    add, height, _ = STANDING[shape]
    add(builder, builder.add_body((0.33, 0.21, height - 0.2 - depth)))
    found = builder.finalize()
    contacts = found.collide(found.state())
    assert contacts.geometry.depths.max() == pytest.approx(0.2 + depth, abs=1e-5)
    first = contacts.geometry.shapes[:, 0] == 1
    assert np.allclose(np.where(first[:, None], contacts.geometry.normals, -contacts.geometry.normals), (0, 0, 1))


@pytest.mark.parametrize("yaw", [0.0, 0.3, np.pi / 4])
@pytest.mark.parametrize("shape", ["capsule", "cylinder"])
def test_what_lies_over_many_triangles_touches_with_its_ends(shape, yaw):
    """Contacts at the edges that it crosses would tell nothing new, and share its load now so, now otherwise."""
    builder = it.ModelBuilder()
    add_terrain(builder)
    lying = rotation_from_rpy((np.pi / 2, 0.0, yaw))
    middle = np.array([0.013, 0.027, 0.1 - 1e-6])
    body = builder.add_link(xform=it.Pose(middle, lying))
    getattr(builder, f"add_shape_{shape}")(body, radius=0.1, half_height=0.7)
    model = builder.finalize(dtype="float64")
    touching = model.collide(model.state()).geometry
    along = lying @ [0.0, 0.0, 1.0]
    places = (touching.points[:, 0] - middle) @ along
    assert sorted(places) == pytest.approx([-0.7, 0.7], abs=1e-9)
