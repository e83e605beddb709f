# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Meshes with hollows that move, and collide as convex parts."""

import sys

import numpy as np
import pytest
import trimesh
from scenes import G, Scene

import inertia_tools as it
from inertia_tools.sim.scene import convex_parts as parts_module
from inertia_tools.sim.scene.notices import SceneWarning
from inertia_tools.spatial import rotation_from_rpy

PARTS = it.ShapeConfig(mesh_approximation="convex_decomposition")

WALL, HALF, HIGH = 0.01, 0.06, 0.1
"""Thickness of the walls of a channel or cup, half of its width, and its height [m]."""


def block(low, high):
    return trimesh.creation.box(bounds=[low, high])


def mesh_of(solids):
    """One mesh of solids that overlap, which also are its parts."""
    union = trimesh.boolean.union(solids, engine="manifold")
    return it.Mesh(union.vertices, union.faces, parts=tuple(np.array(solid.vertices) for solid in solids))


def blocks_of_channel():
    """The bottom, at z = 0, and two sides of a channel 12 cm wide outside, with walls of 1 cm."""
    return [
        block([-HALF, -HALF, 0.0], [HALF, HALF, WALL]),
        block([-HALF, -HALF, 0.0], [WALL - HALF, HALF, HIGH]),
        block([HALF - WALL, -HALF, 0.0], [HALF, HALF, HIGH]),
    ]


def channel():
    """A channel, open above and at its ends: a cup without two of its sides, which is divided sooner."""
    return mesh_of(blocks_of_channel())


def cup():
    """A square cup: the channel with its ends closed."""
    ends = [block([-HALF, -HALF, 0.0], [HALF, WALL - HALF, HIGH]), block([-HALF, HALF - WALL, 0.0], [HALF, HALF, HIGH])]
    return mesh_of([*blocks_of_channel(), *ends])


def ring(radius=0.1, thickness=0.02, pieces=12):
    """A ring about z of straight pieces, each a hull."""
    solids = []
    for n in range(pieces):
        ends = []
        for angle in (2 * np.pi * n / pieces, 2 * np.pi * (n + 1) / pieces):
            turn = rotation_from_rpy((0.0, 0.0, angle))
            square = [[radius + x * thickness, 0.0, y * thickness] for x in (-1, 1) for y in (-1, 1)]
            ends += [turn @ corner for corner in square]
        solids.append(trimesh.convex.convex_hull(np.array(ends)))
    return mesh_of(solids)


def test_a_cup_that_moves_holds_a_ball():
    builder = it.ModelBuilder()
    vessel = builder.add_link(xform=it.Pose(np.array([0.0, 0.0, 0.001])))
    builder.add_shape_mesh(vessel, mesh=cup(), cfg=PARTS)
    ball = builder.add_link(xform=it.Pose(np.array([0.01, 0.005, 0.06])))
    builder.add_shape_sphere(ball, radius=0.03)
    builder.add_ground_plane()
    scene = Scene(builder).run(2.0)
    weights = [G * builder.body_mass[body] for body in (vessel, ball)]
    assert scene.q[ball, 2] == pytest.approx(0.04, abs=1e-5)
    assert scene.force_on(ball, vessel)[2] == pytest.approx(weights[1], rel=1e-3)
    assert scene.force_on(vessel, -1)[2] == pytest.approx(sum(weights), rel=1e-3)


def test_a_cup_that_is_pulled_away_takes_its_ball_along():
    builder = it.ModelBuilder(gravity=(0.0, 0.0, -G))
    vessel = builder.add_link(xform=it.Pose(np.array([0.0, 0.0, 0.0])))
    builder.add_shape_mesh(vessel, mesh=cup(), cfg=PARTS)
    ball = builder.add_link(xform=it.Pose(np.array([0.0, 0.0, 0.04])))
    builder.add_shape_sphere(ball, radius=0.03)
    builder.add_joint_prismatic(-1, vessel, axis=(1.0, 0.0, 0.0), target_vel=0.5, target_kd=1e4)
    scene = Scene(builder)
    scene.set_drive(target_rate={vessel: 0.5})
    scene.run(2.0)
    apart = scene.q[ball, :3] - scene.q[vessel, :3]
    assert scene.q[vessel, 0] > 0.9
    assert np.abs(apart[:2]).max() < 0.021 and apart[2] == pytest.approx(0.04, abs=1e-4)


def test_a_ring_hangs_on_a_peg():
    builder = it.ModelBuilder()
    turn = rotation_from_rpy((np.pi / 2, 0.0, 0.0))
    hoop = builder.add_link(xform=it.Pose(np.array([0.0, 0.0, -0.06]), turn))
    builder.add_shape_mesh(hoop, mesh=ring(), cfg=PARTS)
    builder.add_shape_capsule(-1, it.Pose(rotation=turn), radius=0.01, half_height=0.3)
    scene = Scene(builder).run(3.0)
    assert scene.q[hoop, 2] == pytest.approx(-0.1 * np.cos(np.pi / 12) + 0.03, abs=0.01)
    upward = np.mean([scene.run(1.0 / 240.0).force_on(hoop, -1)[2] for _ in range(240)])
    assert upward == pytest.approx(G * builder.body_mass[hoop], rel=2e-2)


def test_an_angle_stands_over_a_box():
    """Its hull would rest on the box."""
    solids = [block([0.0, -0.05, 0.0], [0.02, 0.05, 0.2]), block([0.0, -0.05, 0.18], [0.2, 0.05, 0.2])]
    solids.append(block([-0.1, -0.05, 0.0], [0.1, 0.05, 0.02]))
    builder = it.ModelBuilder()
    angle = builder.add_link()
    builder.add_shape_mesh(angle, mesh=mesh_of(solids), cfg=PARTS)
    builder.add_shape_box(-1, it.Pose(np.array([0.16, 0.0, 0.05])), hx=0.04, hy=0.04, hz=0.05)
    builder.add_ground_plane()
    scene = Scene(builder).run(1.0)
    assert np.abs(scene.q[angle, :3]).max() < 1e-5
    assert scene.force_on(angle, -1)[2] == pytest.approx(G * builder.body_mass[angle], rel=1e-5)


def test_the_mass_is_that_of_the_mesh():
    hollow = cup()
    builder = it.ModelBuilder()
    bodies = [builder.add_link() for _ in range(2)]
    builder.add_shape_mesh(bodies[0], mesh=hollow, cfg=PARTS)
    builder.add_shape_mesh(bodies[1], mesh=hollow)
    assert builder.body_mass[0] == builder.body_mass[1] == pytest.approx(1000.0 * hollow.mass)


def test_a_mesh_that_stays_may_collide_as_its_hull():
    def height(approximation):
        builder = it.ModelBuilder()
        ball = builder.add_link(xform=it.Pose(np.array([0.0, 0.0, 0.2])))
        builder.add_shape_sphere(ball, radius=0.03)
        builder.add_shape_mesh(-1, mesh=cup(), cfg=it.ShapeConfig(mesh_approximation=approximation))
        return Scene(builder).run(1.0).q[ball, 2]

    assert height("auto") == pytest.approx(0.04, abs=1e-5)
    assert height("convex_hull") == pytest.approx(0.13, abs=1e-5)


def test_an_approximation_that_is_none_is_refused():
    with pytest.raises(it.errors.OptionError, match="mesh_approximation"):
        it.ModelBuilder().add_shape_mesh(-1, mesh=cup(), cfg=it.ShapeConfig(mesh_approximation="voxels"))


def test_without_coacd_a_mesh_collides_as_its_hull_with_a_warning(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setitem(sys.modules, "coacd", None)
    hollow = cup()
    with pytest.warns(SceneWarning, match="pip install coacd"):
        (whole,) = it.Mesh(1.01 * hollow.vertices, hollow.indices).convex_parts()
    assert len(whole) == len(np.unique(hollow.indices))


def test_parts_are_found_once_and_kept(monkeypatch, tmp_path):
    pytest.importorskip("coacd", reason="coacd is not installed")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(parts_module, "_FOUND", {})
    hollow = channel()
    bare = it.Mesh(hollow.vertices, hollow.indices)
    found = bare.convex_parts()
    volume = sum(trimesh.convex.convex_hull(part).volume for part in found)
    assert len(found) > 1 and volume == pytest.approx(hollow.mass, rel=0.2)
    parts_module._FOUND.clear()
    monkeypatch.setitem(sys.modules, "coacd", None)
    assert all(np.array_equal(one, other) for one, other in zip(bare.convex_parts(), found, strict=True))
    assert np.allclose(bare.convex_parts((2.0, 1.0, 1.0))[0], found[0] * (2.0, 1.0, 1.0))


def test_parts_have_no_more_corners_than_their_mesh_allows():
    """Those that are given, too; each keeps the corners that give most of its form."""
    ball = it.Mesh.create_sphere(0.5, num_latitudes=16, num_longitudes=24)
    mesh = it.Mesh(ball.vertices, ball.indices, parts=(ball.vertices, 0.1 * ball.vertices[:6]), maxhullvert=20)
    many, few = mesh.convex_parts((1.0, 2.0, 1.0))
    assert len(many) == 20 and len(few) == 6
    assert trimesh.convex.convex_hull(many).volume > 2.0 * 0.7 * ball.hull.mass
    assert len(it.Mesh(ball.vertices, ball.indices, parts=(ball.vertices,)).convex_parts()[0]) == len(ball.vertices)


def test_there_are_no_more_parts_than_a_mesh_allows(monkeypatch, tmp_path):
    """But one for each piece of a mesh that hangs together: a hull over a gap is no part of it."""
    pytest.importorskip("coacd", reason="coacd is not installed")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(parts_module, "_FOUND", {})
    hollow = channel()
    free = it.Mesh(hollow.vertices, hollow.indices)
    limited = it.Mesh(hollow.vertices, hollow.indices, maxhulls=4)
    limited.maxhulls = 2
    assert len(free.convex_parts()) > 2 >= len(limited.convex_parts())
    pair = trimesh.util.concatenate([block([0, 0, 0], [1, 1, 1]), block([9, 0, 0], [10, 1, 1])])
    assert len(it.Mesh(pair.vertices, pair.faces, maxhulls=1).convex_parts()) == 2
    with pytest.raises(it.errors.OptionError, match="maxhulls"):
        limited.maxhulls = 0


@pytest.mark.parametrize("where", ["mesh", "add_usd", "approximate_meshes"])
def test_a_mesh_is_divided_as_coarsely_as_is_asked(monkeypatch, where):
    """A scene may ask for it of what it divides; by default it is coacd's own."""
    asked = {}

    def divide(vertices, triangles, limit, concavity):
        asked["concavity"] = concavity
        return (vertices,)

    monkeypatch.setattr(parts_module, "_FOUND", {})
    monkeypatch.setattr(parts_module, "kept_arrays", lambda *_: None)
    monkeypatch.setattr(parts_module, "keep_arrays", lambda *_: None)
    monkeypatch.setattr(parts_module, "_divide", divide)
    builder = it.ModelBuilder()
    assert builder.default_mesh_approximation_cfg.coacd_threshold == 0.05
    builder.default_mesh_approximation_cfg.coacd_threshold = 0.5
    mesh = it.Mesh.create_box(1.0)
    if where == "mesh":
        mesh.concavity = 0.5
        builder.add_shape_mesh(-1, mesh=mesh)
    elif where == "approximate_meshes":
        builder.add_shape_mesh(-1, mesh=mesh)
        builder.approximate_meshes("coacd")
        assert mesh.concavity == 0.05, "other shapes may have it"
    else:
        pytest.importorskip("pxr")
        points, faces = mesh.vertices.tolist(), mesh.indices.tolist()
        builder.add_usd(
            '#usda 1.0\n( metersPerUnit = 1\n upAxis = "Z" )\ndef Mesh "m" (\n'
            ' prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"]\n)\n{\n'
            f" point3f[] points = {[tuple(point) for point in points]}\n int[] faceVertexIndices = {faces}\n"
            f' int[] faceVertexCounts = {[3] * (len(faces) // 3)}\n uniform token physics:approximation = "convexDecomposition"\n}}\n'
        )
    builder.shape_source[0].convex_parts()
    assert asked == {"concavity": 0.5}
    with pytest.raises(it.errors.OptionError, match=r"concavity must be 0\.01 to 1; it is 2\.0"):
        mesh.concavity = 2.0


def test_physx_says_how_many_parts_of_how_many_corners_a_mesh_collides_as():
    """A limit counts with the approximation that it belongs to."""
    points, faces = cup().vertices.tolist(), cup().indices.tolist()
    form = (
        f"point3f[] points = {[tuple(point) for point in points]}\nint[] faceVertexCounts = {[3] * (len(faces) // 3)}\n"
        f"int[] faceVertexIndices = {faces}\n"
    )
    limits = (
        "int physxConvexDecompositionCollision:maxConvexHulls = 5\n"
        "int physxConvexDecompositionCollision:hullVertexLimit = 8\nint physxConvexHullCollision:hullVertexLimit = 32\n"
    )
    found = {}
    for approximation in ("convexDecomposition", "convexHull"):
        apis = '"PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"'
        text = (
            f'#usda 1.0\n( metersPerUnit = 1\n upAxis = "Z" )\ndef Mesh "m" ( prepend apiSchemas = [{apis}] ) {{\n'
            f'uniform token physics:approximation = "{approximation}"\n{limits}{form}}}\n'
        )
        builder = it.ModelBuilder()
        builder.add_usd(text, schema_resolvers=[it.usd.SchemaResolverPhysx()])
        (mesh,) = builder.shape_source
        found[approximation] = (mesh.maxhulls, mesh.maxhullvert)
    assert found == {"convexDecomposition": (5, 8), "convexHull": (None, 32)}


def test_sdformat_says_what_a_mesh_collides_as(tmp_path):
    box = trimesh.creation.box((0.2, 0.2, 0.2))
    box.export(tmp_path / "box.stl")
    shapes = {}
    for wanted in ("convex_hull", "convex_decomposition", ""):
        attribute = f' optimization="{wanted}"' if wanted else ""
        text = (
            '<sdf version="1.11"><model name="m"><link name="l"><collision name="c"><geometry>'
            f"<mesh{attribute}><uri>box.stl</uri></mesh></geometry></collision></link></model></sdf>"
        )
        builder = it.ModelBuilder()
        builder.add_description(it.load_text(text, base_dir=tmp_path))
        shapes[wanted] = builder.shapes[0].config.mesh_approximation
        assert builder.shape_source[0].maxhulls is None
        limit = "<convex_decomposition><max_convex_hulls>{}</max_convex_hulls></convex_decomposition></mesh>"
        limited = it.ModelBuilder()
        limited.add_description(it.load_text(text.replace("</mesh>", limit.format(3)), base_dir=tmp_path))
        assert limited.shape_source[0].maxhulls == 3
        with pytest.raises(it.errors.ParseError, match="write 1 or more"):
            it.load_text(text.replace("</mesh>", limit.format(0)), base_dir=tmp_path)
    assert shapes == {"convex_hull": "convex_hull", "convex_decomposition": "convex_decomposition", "": "auto"}
