# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Shapes of a scene: what each weighs, what it touches, and which values are refused."""

import numpy as np
import pytest
import trimesh
from scenes import Scene

import inertia_tools as it
from inertia_tools.errors import OptionError, SimulationError
from inertia_tools.inertial import Inertial
from inertia_tools.sim.collide.collider import colliders_of_shape
from inertia_tools.sim.scene.notices import InertiaWarning, SceneWarning
from inertia_tools.sim.scene.shape_config import groups_touch

TURNED = it.Pose.from_xyz_rpy([0.3, -0.2, 0.5], [0.4, -0.7, 1.1])
SIZES = {
    it.GeoType.SPHERE: (0.4,),
    it.GeoType.BOX: (0.1, 0.2, 0.3),
    it.GeoType.CAPSULE: (0.2, 0.3),
    it.GeoType.CYLINDER: (0.2, 0.3),
    it.GeoType.CONE: (0.2, 0.3),
    it.GeoType.ELLIPSOID: (0.4, 0.3, 0.2),
}
VOLUMES = {
    it.GeoType.SPHERE: 4 / 3 * np.pi * 0.4**3,
    it.GeoType.BOX: 8 * 0.1 * 0.2 * 0.3,
    it.GeoType.CAPSULE: np.pi * 0.2**2 * 0.6 + 4 / 3 * np.pi * 0.2**3,
    it.GeoType.CYLINDER: np.pi * 0.2**2 * 0.6,
    it.GeoType.CONE: np.pi * 0.2**2 * 0.6 / 3,
    it.GeoType.ELLIPSOID: 4 / 3 * np.pi * 0.4 * 0.3 * 0.2,
}
ADD = {
    it.GeoType.SPHERE: "add_shape_sphere",
    it.GeoType.BOX: "add_shape_box",
    it.GeoType.CAPSULE: "add_shape_capsule",
    it.GeoType.CYLINDER: "add_shape_cylinder",
    it.GeoType.CONE: "add_shape_cone",
    it.GeoType.ELLIPSOID: "add_shape_ellipsoid",
}
EVERY = pytest.mark.parametrize("kind", list(SIZES), ids=lambda kind: kind.name)


def brick(x=1.0, y=2.0, z=3.0, offset=(0.0, 0.0, 0.0)) -> it.Mesh:
    box = trimesh.creation.box((x, y, z))
    return it.Mesh(box.vertices + np.asarray(offset), box.faces)


def body_of(builder: it.ModelBuilder, body: int) -> Inertial:
    return Inertial(builder.body_mass[body], builder.body_com[body], builder.body_inertia[body])


@EVERY
def test_a_shape_weighs_density_times_volume(kind):
    mass, _, inertia = it.compute_inertia_shape(kind, SIZES[kind], None, 700.0)
    assert mass == pytest.approx(700.0 * VOLUMES[kind], rel=1e-12)
    assert Inertial(mass, inertia=inertia).is_valid(0.0)


@EVERY
@pytest.mark.parametrize("solid", [True, False])
def test_adding_a_shape_is_computing_it_and_moving_it(kind, solid):
    builder = it.ModelBuilder()
    body = builder.add_link(mass=2.0, com=(0.1, 0.2, 0.3), inertia=np.diag([1.0, 2.0, 2.5]))
    config = it.ShapeConfig(density=500.0, is_solid=solid, margin=0.0 if solid else 0.05)
    getattr(builder, ADD[kind])(body, TURNED, *SIZES[kind], cfg=config)
    part = Inertial(*it.compute_inertia_shape(kind, SIZES[kind], None, 500.0, solid, 0.05)).transform(TURNED)
    before = Inertial(2.0, (0.1, 0.2, 0.3), np.diag([1.0, 2.0, 2.5]))
    assert body_of(builder, body).isclose(before + part, rtol=1e-14)


@EVERY
def test_a_wall_and_what_it_holds_make_the_solid(kind):
    """The inner solid of a wall has sizes that are less by the thickness; that of a cone is similar to it."""
    thickness, sizes = 0.02, np.array(SIZES[kind])
    shell = Inertial(*it.compute_inertia_shape(kind, sizes, None, 1.0, False, thickness))
    inner = sizes - thickness
    place = np.zeros(3)
    if kind is it.GeoType.CAPSULE:
        inner[1] = sizes[1]
    if kind is it.GeoType.CONE:
        radius, height = sizes[0], 2 * sizes[1]
        ball = radius * height / (radius + np.hypot(radius, height))
        ratio = 1 - thickness / ball
        inner, centre = sizes * ratio, ball - sizes[1]
        place[2] = centre * (1 - ratio)
    hole = Inertial(*it.compute_inertia_shape(kind, inner, None, 1.0)).shift(place)
    whole = Inertial(*it.compute_inertia_shape(kind, sizes, None, 1.0))
    assert (shell + hole).isclose(whole, rtol=1e-12)


def test_the_cone_stands_on_its_heavy_end():
    _, com, _ = it.compute_inertia_shape(it.GeoType.CONE, (0.2, 0.3), None, 1.0)
    assert np.allclose(com, [0.0, 0.0, -0.15])


def test_planes_heightfields_and_sites_have_no_mass():
    builder = it.ModelBuilder()
    body = builder.add_link(mass=1.0, inertia=np.eye(3))
    builder.add_shape_plane(body=body, cfg=it.ShapeConfig(density=1e3))
    builder.add_site(body)
    builder.add_shape_box(body, cfg=it.ShapeConfig(is_site=True, density=1e3))
    builder.add_shape_heightfield(heightfield=it.Heightfield(np.zeros((3, 4)), 3, 4))
    assert builder.body_mass[body] == 1.0 and np.array_equal(builder.body_inertia[body], np.eye(3))
    for kind in (it.GeoType.PLANE, it.GeoType.HFIELD):
        mass, com, inertia = it.compute_inertia_shape(kind, (1, 1, 1), None, 1000.0)
        assert mass == 0.0 and not com.any() and not inertia.any()
    site = builder.shapes[1]
    assert site.config.density == 0.0 and site.convex is None and site.scale == (0.01, 0.0, 0.0)


def test_shapes_of_the_world_weigh_nothing():
    builder = it.ModelBuilder()
    builder.add_shape_box(-1)
    assert builder.body_mass == [] and builder.shapes[0].label == "world"


@EVERY
@pytest.mark.parametrize("size", [0.0, -1.0, np.nan, np.inf])
def test_a_size_that_is_not_positive_is_refused_by_name(kind, size):
    builder = it.ModelBuilder()
    first = {it.GeoType.BOX: "hx", it.GeoType.ELLIPSOID: "a"}.get(kind, "radius")
    with pytest.raises(OptionError, match=first):
        getattr(builder, ADD[kind])(builder.add_link(), **{first: size})
    with pytest.raises(ValueError, match=first):
        it.compute_inertia_shape(kind, (size, *SIZES[kind][1:]), None, 1.0)


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="type"):
        it.compute_inertia_shape(77, (1, 1, 1), None, 1.0)


@pytest.mark.parametrize("margin", [0.4, 1.0])
def test_a_wall_is_thinner_than_its_shape(margin):
    builder = it.ModelBuilder()
    body = builder.add_link()
    with pytest.raises(OptionError, match="thickness"):
        builder.add_shape_sphere(body, radius=0.4, cfg=it.ShapeConfig(is_solid=False, margin=margin))
    assert builder.body_mass[body] == 0.0 and builder.shape_count == 0


def test_a_changed_material_does_not_change_shapes_that_are_there():
    builder, config = it.ModelBuilder(), it.ShapeConfig(mu=0.3)
    builder.add_shape_sphere(builder.add_link(), cfg=config)
    config.mu = 0.9
    assert builder.shapes[0].config.mu == 0.3


def test_the_default_density_is_that_of_the_default_material():
    builder = it.ModelBuilder()
    builder.default_shape_density = 10.0
    body = builder.add_link()
    builder.add_shape_box(body)
    assert builder.default_shape_cfg.density == 10.0
    assert builder.body_mass[body] == pytest.approx(10.0)


def test_heights_are_checked_and_stretched():
    heights = it.Heightfield([[0, 1], [2, 4], [0, 0]], 3, 2, min_z=1.0, max_z=3.0)
    assert np.allclose(heights.heights, [[1, 1.5], [2, 3], [1, 1]])
    assert heights.data.dtype == np.float32 and np.allclose(heights.data, [[0, 0.25], [0.5, 1], [0, 0]])
    assert it.Heightfield(np.full((2, 2), 3.0), 2, 2).heights.tolist() == [[3.0, 3.0], [3.0, 3.0]]
    assert it.Heightfield(np.full((2, 2), 3.0), 2, 2, min_z=1.0, max_z=2.0).heights.max() == 1.0
    assert hash(heights) == hash(it.Heightfield([[0, 1], [2, 4], [0, 0]], 3, 2, min_z=1.0, max_z=3.0))
    assert hash(heights) != hash(it.Heightfield([[0, 1], [2, 4], [0, 0]], 3, 2, min_z=1.0, max_z=3.5))
    assert heights.mass == 0.0 and not heights.has_inertia
    for bad in (([1, 2, 3], 1, 3), ([[0, np.nan], [1, 2]], 2, 2), ([[0, 1], [1, 2]], 3, 2)):
        with pytest.raises(OptionError, match="data"):
            it.Heightfield(*bad)
    with pytest.raises(OptionError, match="heightfield"):
        it.ModelBuilder().add_shape_heightfield()


def test_terrain_of_a_mesh_is_its_upper_surface():
    """A roof z = 1 - |x| over half of a rectangle, above a floor over all of it."""
    corners = [[-1, 0, 0], [-1, 2, 0], [1, 0, 0], [1, 2, 0], [0, 0, 1], [0, 1, 1], [-1, 1, 0], [1, 1, 0]]
    corners += [[-1, 0, -1], [1, 0, -1], [1, 2, -1], [-1, 2, -1]]
    roof = [[0, 4, 5], [0, 5, 6], [4, 2, 7], [4, 7, 5]]
    floor = [[8, 9, 10], [8, 10, 11]]
    mesh = it.Mesh(np.array(corners, dtype=float) + [5.0, 0.0, 0.0], roof + floor, compute_inertia=False)
    terrain, place = it.Heightfield.create_from_mesh(mesh, resolution=0.25)
    assert (terrain.nrow, terrain.ncol, terrain.hx, terrain.hy) == (9, 9, 1.0, 1.0)
    assert list(place)[:3] == [5.0, 1.0, 0.0]
    expected = np.full((9, 9), -1.0)
    expected[:5] = 1.0 - np.abs(np.linspace(-1.0, 1.0, 9))
    assert terrain.heights == pytest.approx(expected, abs=1e-6)
    assert it.Heightfield.create_from_mesh(mesh, 0.25, max_cells_per_axis=5)[0].data.shape == (5, 5)
    for wrong in ({"resolution": 0.0}, {"resolution": 0.1, "max_cells_per_axis": 1}):
        with pytest.raises(OptionError, match=r"resolution|max_cells_per_axis"):
            it.Heightfield.create_from_mesh(mesh, **wrong)


@pytest.mark.parametrize("kind", [it.GeoType.CONE, it.GeoType.ELLIPSOID], ids=lambda kind: kind.name)
def test_hulls_that_stand_in_for_round_shapes_are_close(kind):
    """Volume is lost as the square of the spacing of the points."""
    from inertia_tools.sim.scene.mesh_shape import hull_of

    builder = it.ModelBuilder()
    getattr(builder, ADD[kind])(-1, None, *SIZES[kind])
    convex = builder.shapes[0].convex
    reach = np.linalg.norm(convex.faces[:, :3] * SIZES[kind], axis=1) if kind is it.GeoType.ELLIPSOID else None
    if reach is not None:
        assert (convex.faces[:, 3] / reach).min() > 0.985
    assert hull_of(convex.features).mass == pytest.approx(VOLUMES[kind], rel=0.05)


# Poses


def test_poses_may_be_ours_numbers_or_warps():
    import warp as wp

    x, y, z, w = TURNED.quaternion.tolist()
    numbers = [*TURNED.position.tolist(), x, y, z, w]
    given = [TURNED, numbers, np.array(numbers), wp.transform(wp.vec3(*numbers[:3]), wp.quat(x, y, z, w))]
    bodies = []
    for xform in given:
        builder = it.ModelBuilder()
        body = builder.add_link(xform)
        builder.add_shape_box(body, xform, 0.1, 0.2, 0.3)
        assert builder.body_pose[body].isclose(TURNED, 1e-6)
        bodies.append(body_of(builder, body))
    assert all(body.isclose(bodies[0], rtol=1e-6) for body in bodies)


@pytest.mark.parametrize("xform", [[1, 2], [0, 0, 0, 0, 0, 0, 0], [np.nan] * 7, "here"])
def test_what_is_no_pose_is_refused(xform):
    with pytest.raises((OptionError, ValueError), match=r"xform|convert"):
        it.ModelBuilder().add_link(xform)


def test_vectors_and_tensors_may_be_warps():
    import warp as wp

    builder = it.ModelBuilder()
    body = builder.add_link(mass=1.0, com=wp.vec3(1.0, 2.0, 3.0), inertia=wp.mat33(1, 0, 0, 0, 2, 0, 0, 0, 3))
    assert np.array_equal(builder.body_com[body], [1, 2, 3])
    assert np.array_equal(builder.body_inertia[body], np.diag([1, 2, 3]))


def test_a_plane_is_given_by_its_equation():
    builder = it.ModelBuilder()
    builder.add_shape_plane((0.0, 0.0, 2.0, -3.0))
    assert np.allclose(builder.shapes[0].pose.position, [0, 0, 1.5])
    for plane in ((0, 0, 0, 1), (1, 2, 3), (np.nan, 0, 1, 0)):
        with pytest.raises(OptionError, match="plane"):
            builder.add_shape_plane(plane)
    with pytest.raises(OptionError, match="length"):
        builder.add_shape_plane(width=1.0)


# Meshes


def test_a_mesh_weighs_what_it_encloses():
    mesh = brick(offset=(5.0, 0.0, 0.0))
    assert mesh.mass == pytest.approx(6.0, rel=1e-12)
    assert np.allclose(mesh.com, [5.0, 0.0, 0.0])
    assert np.allclose(mesh.inertia, 6.0 / 12.0 * np.diag([13.0, 10.0, 5.0]), rtol=1e-12)


@pytest.mark.parametrize("scale", [(1, 1, 1), (2, 2, 2), (0.1, 3.0, 0.5), (-1, 1, 1), (2, -0.5, 1), (-1, -2, -3)])
def test_a_scaled_mesh_is_the_mesh_of_scaled_vertices(scale):
    mesh = brick(offset=(0.3, -0.1, 0.2))
    assert mesh.mass  # the unscaled result is remembered first
    mass, com, inertia = it.compute_inertia_shape(it.GeoType.MESH, scale, mesh, 2.0)
    size = np.abs(scale) * [1.0, 2.0, 3.0]
    assert mass == pytest.approx(2.0 * size.prod(), rel=1e-12)
    assert np.allclose(com, np.array(scale) * [0.3, -0.1, 0.2])
    assert np.allclose(inertia, mass / 12.0 * np.diag((size**2).sum() - size**2), rtol=1e-9)
    again = it.compute_inertia_shape(it.GeoType.MESH, (1, 1, 1), mesh, 1.0)
    assert again[0] == pytest.approx(6.0, rel=1e-12)


def test_what_a_mesh_computed_stays_true():
    vertices = np.array(brick().vertices)
    mesh = it.Mesh(vertices, brick().indices.reshape(-1, 3))
    vertices *= 2.0
    assert mesh.mass == pytest.approx(6.0)
    with pytest.raises(ValueError, match="read-only"):
        mesh.vertices[0, 0] = 9.0
    assert mesh.unit_inertial() is mesh.unit_inertial()


def test_a_mesh_need_not_compute_anything():
    mesh = it.Mesh(brick().vertices, brick().indices, compute_inertia=False)
    assert not mesh.has_inertia and mesh.mass == 0.0 and not mesh.com.any() and not mesh.inertia.any()
    builder = it.ModelBuilder()
    body = builder.add_link()
    builder.add_shape_mesh(body, mesh=mesh, cfg=it.ShapeConfig(density=2.0))
    assert builder.body_mass[body] == pytest.approx(12.0)


def test_an_open_mesh_is_named():
    closed = brick()
    mesh = it.Mesh(closed.vertices, closed.indices[3:])
    with pytest.warns(InertiaWarning, match="open-mesh"):
        assert mesh.mass == pytest.approx(6.0)


def test_the_wall_of_a_mesh_does_not_scale_with_it():
    mesh = brick(1.0, 1.0, 1.0)
    for scale, wall in ((1.0, 0.1), (10.0, 0.1), (1.0, 0.01), (10.0, 0.1)):
        mass, _, inertia = it.compute_inertia_shape(it.GeoType.MESH, (scale,) * 3, mesh, 2.0, False, wall)
        expected = it.compute_inertia_shape(it.GeoType.BOX, (0.5 * scale,) * 3, None, 2.0, False, wall)
        assert mass == pytest.approx(expected[0], rel=1e-9)
        assert np.allclose(inertia, expected[2], rtol=1e-9, atol=1e-12 * inertia.max())
    builder = it.ModelBuilder()
    body = builder.add_link()
    with pytest.warns(InertiaWarning, match="zero thickness"):
        builder.add_shape_mesh(body, mesh=mesh, cfg=it.ShapeConfig(is_solid=False))
    assert builder.body_mass[body] == 0.0


def test_a_mesh_may_say_that_it_is_hollow():
    thin = it.Mesh(brick(1, 1, 1).vertices, brick(1, 1, 1).indices, is_solid=False)
    assert thin.mass == pytest.approx(1.0 - 0.998**3, rel=1e-9)
    builder = it.ModelBuilder()
    body = builder.add_link()
    builder.add_shape_mesh(body, mesh=thin, cfg=it.ShapeConfig(density=1.0))
    assert builder.body_mass[body] == pytest.approx(1.0), "the material of the shape decides"


def test_a_flat_mesh_and_a_missing_one_are_refused():
    builder = it.ModelBuilder()
    body = builder.add_link()
    flat = it.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], [0, 1, 2, 1, 3, 2])
    with pytest.raises(SimulationError, match="flat"):
        builder.add_shape_convex_hull(body, mesh=flat)
    for collides in (True, False):
        with pytest.raises(SimulationError, match="no volume"):
            builder.add_shape_mesh(body, mesh=flat, cfg=it.ShapeConfig(has_shape_collision=collides))
    with pytest.raises(OptionError, match="mesh"):
        builder.add_shape_mesh(body)
    with pytest.raises(OptionError, match="scale"):
        builder.add_shape_mesh(body, mesh=brick(), scale=(1, 0, 1))


@pytest.mark.parametrize(
    ("vertices", "indices", "named"),
    [
        ([[0, 0, np.nan]] * 3, [0, 1, 2], "vertices"),
        ([[0, 0]] * 3, [0, 1, 2], "vertices"),
        ([[0, 0, 0]] * 3, [0, 1, 3], "indices"),
        ([[0, 0, 0]] * 3, [0, 1], "indices"),
        ([[0, 0, 0]] * 3, [], "indices"),
    ],
)
def test_a_mesh_that_is_none_is_refused(vertices, indices, named):
    with pytest.raises(OptionError, match=named):
        it.Mesh(vertices, indices)


def test_a_hull_weighs_as_the_hull():
    """An L of two bricks: its hull holds the missing corner too, half of a unit cube cut across."""
    ell = trimesh.util.concatenate(
        [trimesh.creation.box((2, 1, 1)), trimesh.creation.box((1, 1, 1)).apply_translation([-0.5, 1, 0])]
    )
    mesh = it.Mesh(ell.vertices, ell.faces)
    whole = it.compute_inertia_shape(it.GeoType.MESH, (1, 1, 1), mesh, 1.0)
    hull = it.compute_inertia_shape(it.GeoType.CONVEX_MESH, (1, 1, 1), mesh, 1.0)
    assert whole[0] == pytest.approx(3.0) and hull[0] == pytest.approx(3.5)


# Contacts


@pytest.mark.parametrize(
    ("first", "second", "touch"),
    [(1, 1, True), (1, 2, False), (0, 1, False), (0, -1, False), (1, -1, True), (-1, -1, False), (-1, -2, True)],
)
def test_collision_groups(first, second, touch):
    assert groups_touch(first, second) is groups_touch(second, first) is touch
    builder = it.ModelBuilder()
    for group in (first, second):
        builder.add_shape_sphere(builder.add_link(), cfg=it.ShapeConfig(collision_group=group))
    model = builder.finalize()
    assert (model.slot_count > 0) is touch


def test_a_shape_without_contacts_keeps_its_mass_only():
    builder = it.ModelBuilder()
    body = builder.add_link()
    builder.add_shape_sphere(body, cfg=it.ShapeConfig(has_shape_collision=False))
    builder.add_site(body)
    builder.add_shape_sphere(body)
    builder.add_ground_plane()
    model = builder.finalize()
    assert model.labels == ("body_0", "body_0", "body_0", "world") and model.slot_count == 1


@pytest.mark.parametrize(
    ("add", "height", "tolerance"),
    [
        (lambda b, i: b.add_shape_cone(i, radius=0.1, half_height=0.1), 0.1, 1e-5),
        (lambda b, i: b.add_shape_ellipsoid(i, a=0.2, b=0.15, c=0.1), 0.1, 2e-3),
        (lambda b, i: b.add_shape_mesh(i, mesh=brick(0.2, 0.2, 0.2)), 0.1, 1e-5),
    ],
    ids=["cone", "ellipsoid", "mesh"],
)
def test_it_rests_on_the_floor(add, height, tolerance):
    builder = it.ModelBuilder()
    body = builder.add_link(it.Pose(np.array([0.0, 0.0, height + 0.01])))
    add(builder, body)
    builder.add_ground_plane()
    run = Scene(builder).run(1.0)
    assert run.q[body, 2] == pytest.approx(height, abs=tolerance)
    weight = builder.body_mass[body] * 9.81
    assert run.force_on(body, -1)[2] == pytest.approx(weight, rel=1e-2)


def test_a_plane_on_a_kinematic_body_carries():
    builder = it.ModelBuilder()
    table = builder.add_link(it.Pose(np.array([0.0, 0.0, 1.0])), is_kinematic=True)
    builder.add_shape_plane(body=table)
    body = builder.add_link(it.Pose(np.array([0.0, 0.0, 1.11])))
    builder.add_shape_sphere(body, radius=0.1)
    assert Scene(builder).run(0.5).q[body, 2] == pytest.approx(1.1, abs=1e-5)


SHORTCUTS = {
    "sphere": {},
    "box": {},
    "capsule": {},
    "cylinder": {},
    "cone": {},
    "ellipsoid": {},
    "plane": {},
    "convex_hull": {"mesh": np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])},
    "heightfield": {"heightfield": it.Heightfield(np.zeros((2, 2)), 2, 2)},
}


@pytest.mark.parametrize("kind", SHORTCUTS)
def test_every_shape_takes_values_of_custom_attributes_and_a_label(kind):
    builder = it.ModelBuilder()
    builder.add_custom_attribute(builder.CustomAttribute("temperature", float, "shape"))
    further = {"label": "part", "custom_attributes": {"temperature": 3.5}} | SHORTCUTS[kind]
    body = {} if kind == "heightfield" else {"body": -1 if kind == "plane" else builder.add_link()}
    index = getattr(builder, f"add_shape_{kind}")(**body, **further)
    assert builder.shapes[index].label == "part"
    assert builder.custom_attributes["temperature"].values[index] == 3.5


def test_the_box_of_a_shape_holds_it_as_closely_as_can_be():
    """Against the mesh of each form; a scaled mesh by its corners."""
    builder, forms = it.ModelBuilder(), []
    body = builder.add_body()
    for name, sizes, mesh in (
        ("sphere", {"radius": 0.3}, it.Mesh.create_sphere(0.3)),
        ("box", {"hx": 0.1, "hy": 0.2, "hz": 0.3}, it.Mesh.create_box(0.1, 0.2, 0.3)),
        ("capsule", {"radius": 0.1, "half_height": 0.4}, it.Mesh.create_capsule(0.1, 0.4, up_axis=it.Axis.Z)),
        ("cylinder", {"radius": 0.1, "half_height": 0.4}, it.Mesh.create_cylinder(0.1, 0.4, up_axis=it.Axis.Z)),
        ("cone", {"radius": 0.1, "half_height": 0.4}, it.Mesh.create_cone(0.1, 0.4, up_axis=it.Axis.Z)),
        ("ellipsoid", {"rx": 0.1, "ry": 0.2, "rz": 0.3}, it.Mesh.create_ellipsoid(0.1, 0.2, 0.3)),
    ):
        getattr(builder, f"add_shape_{name}")(body, **sizes)
        forms.append(mesh.vertices)
    box = it.Mesh.create_box(1.0)
    builder.add_shape_mesh(body, mesh=box, scale=(1.0, -2.0, 3.0))
    forms.append(box.vertices * (1.0, -2.0, 3.0))
    model = builder.finalize()
    for index, points in enumerate(forms):
        low, high = points.min(axis=0), points.max(axis=0)
        np.testing.assert_allclose(builder.shape_collision_aabb_lower[index], low, atol=0.01 * (high - low).max())
        np.testing.assert_allclose(
            model.shape_collision_aabb_upper.numpy()[index], high, atol=0.01 * (high - low).max()
        )


def test_the_box_of_a_plane_ends_where_it_does():
    builder = it.ModelBuilder()
    builder.add_shape_plane(body=-1, width=2.0, length=4.0)
    builder.add_shape_plane(body=-1, width=0.0, length=0.0)
    assert builder.shape_collision_aabb_upper[0].tolist() == [1.0, 2.0, 0.0]
    assert builder.shape_collision_aabb_lower[1].tolist() == [-np.inf] * 3


@pytest.mark.parametrize("most", [4, 8, 20, 64])
def test_a_limited_hull_keeps_the_corners_that_give_most_of_the_form(most):
    ball = it.Mesh.create_sphere(0.5, num_latitudes=16, num_longitudes=24)
    few = it.Mesh(ball.vertices, ball.indices, maxhullvert=most)
    assert len(few.hull.vertices) <= most
    assert all(np.isclose(ball.vertices, corner).all(axis=1).any() for corner in few.hull.vertices)
    assert few.hull.mass > ball.hull.mass * (1.0 - 6.0 / most), "few give most of the form"
    assert few.hull.mass < ball.hull.mass and few.mass == ball.mass, "what it weighs is not limited"
    if most > 4:
        fewer = it.Mesh(ball.vertices, ball.indices, maxhullvert=most - 1)
        assert fewer.hull.mass < few.hull.mass
    few.maxhullvert = None
    assert few.hull.mass == ball.hull.mass
    scaled = it.Mesh(ball.vertices, ball.indices, maxhullvert=most).hull_points((1.0, 2.0, -3.0))
    assert len(scaled) <= most and np.ptp(scaled[:, 2]) > np.ptp(scaled[:, 0])


def test_a_hull_of_a_few_corners_is_not_limited_and_needs_four():
    box = it.Mesh.create_box(0.5)
    box.maxhullvert = 8
    assert box.hull.mass == pytest.approx(1.0)
    with pytest.raises(OptionError, match="maxhullvert"):
        box.maxhullvert = 3


def test_a_limited_hull_is_what_collides():
    builder = it.ModelBuilder()
    ball = it.Mesh.create_sphere(0.5, num_latitudes=32, num_longitudes=48)
    ball.maxhullvert = 6
    builder.add_shape_mesh(builder.add_link(), mesh=ball)
    low, high = (np.array(one)[0] for one in (builder.shape_collision_aabb_lower, builder.shape_collision_aabb_upper))
    assert (high - low).max() == pytest.approx(1.0)
    assert len(colliders_of_shape(it.GeoType.MESH, (1.0,) * 3, ball, False)[0].polytope.vertices) <= 6


def test_what_nothing_collides_by_is_kept_and_named():
    builder = it.ModelBuilder()
    config = it.ShapeConfig(sdf_max_resolution=64, kh=2e9)
    builder.add_shape_box(builder.add_link(), cfg=config)
    assert builder.shape_sdf_max_resolution[0] == 64
    with pytest.warns(SceneWarning, match="sdf_max_resolution"):
        assert builder.finalize().shape_material_kh.numpy()[0] == np.float32(2e9)
    with pytest.raises(OptionError, match="sdf_max_resolution"):
        builder.add_shape_box(builder.add_link(), cfg=it.ShapeConfig(sdf_max_resolution=0))
