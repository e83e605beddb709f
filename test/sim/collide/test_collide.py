# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""`Model.collide`: which shapes of a scene touch, where, and of what material."""

import itertools

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.errors import OptionError
from inertia_tools.sim.collide.detection import LEAST_PAIRS, TREE_FROM
from inertia_tools.sim.scene.joint_kind import JointKind
from inertia_tools.spatial import Pose

CUBE = np.array([[x, y, z] for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1)])


def box_at(builder, place, half=0.1, mass=1.0, **config):
    body = builder.add_link(xform=it.Pose(np.array(place, dtype=float)), mass=mass, inertia=np.eye(3))
    builder.add_shape_box(body, hx=half, hy=half, hz=half, cfg=it.ShapeConfig(density=0.0, **config))
    return body


def collided(builder, dtype="float64", foresight=0.0):
    model = builder.finalize(dtype=dtype)
    contacts = model.contacts()
    overlaps = model.collide(model.state(), contacts, foresight)
    assert overlaps == np.count_nonzero(contacts.geometry.depths > 0.0)
    return contacts.geometry


def touching(geometry):
    return {tuple(sorted(pair)) for pair in geometry.shapes.tolist()}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_box_on_the_ground_touches_with_its_corners(dtype):
    builder = it.ModelBuilder()
    box_at(builder, (0.3, 0.2, 0.095))
    builder.add_ground_plane()
    found = collided(builder, dtype)
    assert len(found) == 4 and (found.shapes == [0, 1]).all() and (found.bodies == [0, -1]).all()
    assert np.allclose(found.depths, 0.005, atol=1e-6) and np.allclose(found.normals, [0, 0, 1])
    corners = {(x, y) for x in (0.2, 0.4) for y in (0.1, 0.3)}
    assert {tuple(np.round(p[:2], 4)) for p in found.positions} == corners
    assert np.allclose(found.positions[:, 2], -0.0025, atol=1e-6)


def test_edges_that_cross_are_found():
    """Away from any corner or middle of an edge: two bars on edge, one along x, one along y."""
    builder, height = it.ModelBuilder(), 0.05 * np.sqrt(2.0)
    for place, rpy in (
        ((0.12, 0.0, 2.0 * height - 0.005), (0.0, np.pi / 4, 0.0)),
        ((0.0, 0.31, 0.0), (np.pi / 4, 0.0, 0.0)),
    ):
        body = builder.add_link(xform=it.Pose.from_xyz_rpy(place, rpy), mass=1.0, inertia=np.eye(3))
        long_x = rpy[0] != 0.0
        half = {"hx": 0.5 if long_x else 0.05, "hy": 0.05 if long_x else 0.5, "hz": 0.05}
        builder.add_shape_box(body, **half, cfg=it.ShapeConfig(density=0.0))
    found = collided(builder)
    assert len(found) == 1 and found.depths[0] == pytest.approx(0.005, abs=1e-9)
    assert np.allclose(found.normals, [0.0, 0.0, 1.0]) and np.allclose(
        found.positions[0], [0.12, 0.31, height - 0.0025]
    )


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize(("lower", "upper"), itertools.permutations(range(3), 2))
def test_cylinders_that_cross_along_axes_touch_where_they_cross(lower, upper, side):
    """The point was up to a radius off, inside the cylinder: that of the face across which the depth was found."""
    builder, across = it.ModelBuilder(), side * np.eye(3)[3 - lower - upper]
    turns = ((0.0, np.pi / 2, 0.0), (np.pi / 2, 0.0, 0.0), (0.0, 0.0, 0.0))
    for axis, place in ((lower, np.zeros(3)), (upper, 0.0999 * across)):
        body = builder.add_link(xform=it.Pose.from_xyz_rpy(place, turns[axis]), mass=1.0, inertia=np.eye(3))
        builder.add_shape_cylinder(body, radius=0.05, half_height=0.1, cfg=it.ShapeConfig(density=0.0))
    found = collided(builder)
    assert len(found) == 1 and np.allclose(found.positions[0], 0.04995 * across, rtol=0.0, atol=1e-6)


def test_capsules_whose_axes_meet_touch_where_they_meet():
    """It was at the end of one."""
    builder = it.ModelBuilder()
    for place, rpy in (([0.0, 0.0, 0.0], [0.0, np.pi / 2, 0.0]), ([0.02, 0.01, 0.0], [np.pi / 2, 0.0, 0.0])):
        body = builder.add_link(xform=it.Pose.from_xyz_rpy(place, rpy), mass=1.0, inertia=np.eye(3))
        builder.add_shape_capsule(body, radius=0.03, half_height=0.05, cfg=it.ShapeConfig(density=0.0))
    found = collided(builder)
    assert len(found) == 1 and np.allclose(found.positions[0], [0.02, 0.0, 0.0], rtol=0.0, atol=1e-9)


def test_terrain_and_meshes_that_stay_are_felt_as_they_are():
    builder = it.ModelBuilder()
    heights = np.add.outer(np.zeros(21), 0.5 * np.linspace(-2, 2, 21))  # a slope along x
    builder.add_shape_heightfield(heightfield=it.Heightfield(heights, 21, 21, 2.0, 2.0))
    ball = builder.add_link(xform=it.Pose(np.array([0.4, 0.1, 0.2 + 0.1])), mass=1.0, inertia=np.eye(3))
    builder.add_shape_sphere(ball, radius=0.1)
    found = collided(builder)
    normal = np.array([-0.5, 0.0, 1.0]) / np.sqrt(1.25)
    assert np.allclose(found.normals @ normal, 1.0) and (found.shapes == [1, 0]).all()
    assert found.depths.max() == pytest.approx(0.1 - 0.1 * normal[2], abs=1e-6)


def test_a_hollow_in_a_mesh_that_stays_is_empty_and_that_of_one_that_moves_is_not():
    import trimesh

    ring = trimesh.creation.annulus(0.3, 0.5, 0.2)
    mesh = it.Mesh(ring.vertices, ring.faces)
    for moves, expected in ((False, set()), (True, {(0, 1)})):
        builder = it.ModelBuilder()
        body = builder.add_link(mass=1.0, inertia=np.eye(3), is_kinematic=not moves)
        builder.add_shape_mesh(body, mesh=mesh, cfg=it.ShapeConfig(density=0.0))
        box_at(builder, (0.0, 0.0, 0.0))
        assert touching(collided(builder)) == expected


def test_who_does_not_touch():
    """Groups, filters, joints, sites, what stays, and shapes of one body."""
    builder = it.ModelBuilder()
    parent, child = box_at(builder, (0, 0, 0)), box_at(builder, (0.05, 0, 0))
    builder.add_joint(JointKind.REVOLUTE, parent, child)
    box_at(builder, (0, 0.05, 0), collision_group=0)
    box_at(builder, (0, 0, 0.05), has_shape_collision=False)
    builder.add_site(parent)
    builder.add_shape_sphere(parent, radius=0.1, cfg=it.ShapeConfig(density=0.0))
    builder.add_shape_box(-1, hx=0.1, hy=0.1, hz=0.1)
    builder.add_shape_plane()
    free = box_at(builder, (0.1, 0, 0), collision_group=-3)
    assert free == 4
    last = builder.shape_count - 1
    everyone = touching(collided(builder))
    assert everyone == {(0, 6), (0, 7), (1, 6), (1, 7), (5, 6), (5, 7)} | {(n, last) for n in (0, 1, 5, 6, 7)}
    builder.shape_collision_filter_pairs.add((0, last))
    assert touching(collided(builder)) == everyone - {(0, last)}


def test_margins_are_kept_and_gaps_foreseen():
    builder = it.ModelBuilder()
    box_at(builder, (0, 0, 0.13), margin=0.02, gap=0.02)
    builder.add_ground_plane(cfg=it.ShapeConfig(margin=0.005))
    found = collided(builder)
    assert np.allclose(found.depths, -0.005) and len(found) == 4  # 0.03 apart, of which 0.025 are margins
    builder.shapes[0].config.gap = 0.0
    assert len(collided(builder)) == 0
    assert len(collided(builder, foresight=0.01)) == 4


@pytest.mark.parametrize(("rule", "mu"), [("mean", 0.5), ("min", 0.2), ("max", 0.8), ("product", 0.16)])
def test_materials_are_combined_by_the_rule_of_the_scene(rule, mu):
    builder = it.ModelBuilder(friction_combine=rule)
    box_at(builder, (0, 0, 0.09), mu=0.2, mu_torsional=0.02, mu_rolling=0.002)
    builder.add_ground_plane(cfg=it.ShapeConfig(mu=0.8, mu_torsional=0.08, mu_rolling=0.008))
    expected = mu * np.array([1.0, 0.1, 0.01]) if rule != "product" else [0.16, 0.0016, 1.6e-5]
    assert np.allclose(collided(builder).friction, expected)


def test_a_rule_that_is_none_is_refused():
    with pytest.raises(OptionError, match="friction_combine"):
        it.ModelBuilder(friction_combine="geometric").finalize()


def grid(count, dtype="float64", spread=0.21):
    """Boxes in a cube of cells, each overlapping no other but a few that are shaken onto each other."""
    side = int(np.ceil(count ** (1 / 3)))
    rng = np.random.default_rng(0)
    builder = it.ModelBuilder()
    for index in range(count):
        cell = np.array(np.unravel_index(index, (side, side, side)))
        box_at(builder, spread * cell + rng.uniform(-0.02, 0.02, 3))
    return builder


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("count", [TREE_FROM - 1, 200])
def test_the_broad_phase_finds_every_pair_whose_boxes_overlap(count, dtype):
    builder = grid(count)
    found = collided(builder, dtype)
    places = np.array([pose.position for pose in builder.body_pose])
    apart = np.abs(places[:, None] - places[None]).max(axis=2)
    expected = {(i, j) for i, j in zip(*np.nonzero(apart < 0.2), strict=True) if i < j}
    assert touching(found) == expected and len(expected) > 10


def test_room_grows_when_a_scene_needs_more():
    builder = it.ModelBuilder()
    for _ in range(30):
        box_at(builder, (0, 0, 0))
    model = builder.finalize()
    contacts = model.contacts()
    detection = model._search.detection(model)
    assert detection.pair_capacity < 30 * 29 // 2 and LEAST_PAIRS < 30 * 29 // 2
    model.collide(model.state(), contacts)
    assert len(touching(contacts.geometry)) == 30 * 29 // 2 <= detection.pair_capacity


def test_the_same_state_gives_the_same_bits():
    model = grid(200, "float32").finalize()
    state, contacts = model.state(), model.contacts()
    seen = []
    for _ in range(2):
        model.collide(state, contacts, 0.02)
        seen.append(
            b"".join(getattr(contacts.geometry, name).tobytes() for name in ("positions", "depths", "features"))
        )
    assert seen[0] == seen[1] and len(contacts.geometry) > 50


def test_features_stay_while_a_box_slides():
    builder = it.ModelBuilder()
    box_at(builder, (0, 0, 0.0995))
    builder.add_shape_box(-1, it.Pose(np.array([0, 0, -0.5])), 0.5, 0.5, 0.5)
    model = builder.finalize(dtype="float64")
    state, contacts = model.state(), model.contacts()
    model.collide(state, contacts)
    before = contacts.geometry.features.tolist()
    q = state.body_q.numpy()
    q[0, :2] += [0.01, -0.003]
    state.body_q.assign(q)
    model.collide(state, contacts)
    assert contacts.geometry.features.tolist() == before and len(set(before)) == 4


def test_an_empty_scene_has_no_contacts():
    assert len(collided(it.ModelBuilder())) == 0


@pytest.mark.parametrize("first", ["world", "led", "free"])
@pytest.mark.parametrize("second", ["world", "led", "free"])
def test_contacts_of_what_is_led_are_listed_where_they_are_asked_for(first, second):
    builder = it.ModelBuilder()
    for kind, x in ((first, 0.0), (second, 0.9)):
        body = -1
        if kind != "world":
            body = builder.add_body(
                Pose(np.array([x, 0.0, 0.0])), mass=1.0, inertia=np.eye(3), is_kinematic=kind == "led"
            )
        at = Pose(np.array([x, 0.0, 0.0])) if body == -1 else Pose()
        builder.add_shape_sphere(body, xform=at, radius=0.5)
    model = builder.finalize()
    is_free, is_world = "free" in (first, second), first == second == "world"
    assert model.shape_contact_pair_count == (0 if is_world else 1)
    for asked in (False, True):
        pipeline = it.CollisionPipeline(model, include_static_kinematic_pairs=asked)
        contacts = pipeline.contacts()
        pipeline.collide(model.state(), contacts)
        assert int(contacts.rigid_contact_count.numpy()[0]) == int(is_free or (asked and not is_world))
    assert model.collide(model.state(), model.contacts()) == int(is_free), "nothing answers to the others"


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_flush_sides_that_rounding_puts_askew_do_not_cross(dtype):
    """A brick on another one, fronts and backs in one plane but for a hair: four corners, wherever that is."""
    random, tilt = np.random.default_rng(3), 1e-9 if dtype == "float64" else 1e-6
    for _ in range(40):
        builder = it.ModelBuilder()
        for place in ([0.0, 0.0, 0.0], [0.1, 0.0, 0.1]):
            pose = it.Pose.from_xyz_rpy(place, tilt * random.normal(size=3))
            body = builder.add_link(xform=pose, mass=1.0, inertia=np.eye(3))
            builder.add_shape_box(body, hx=0.1, hy=0.05, hz=0.05, cfg=it.ShapeConfig(density=0.0))
        positions = collided(builder, dtype, foresight=1e-3).positions
        corners = sorted((round(float(x), 4), round(float(y), 4)) for x, y, _ in positions)
        assert corners == [(0.0, -0.05), (0.0, 0.05), (0.1, -0.05), (0.1, 0.05)]
