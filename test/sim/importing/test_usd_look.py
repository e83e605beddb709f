# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What shapes of a stage look like: drawn or not, colour, opacity, picture, normals and texture coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pxr import Gf, Usd

from inertia_tools.description.colour import for_display
from inertia_tools.sim import ModelBuilder
from inertia_tools.sim.scene.flags import ShapeFlags
from inertia_tools.usd import get_mesh, resolve_material_properties_for_prim

HEAD = '#usda 1.0\n( metersPerUnit = 1\n upAxis = "Z" )\ndef PhysicsScene "Scene" {}\n'
BODY = 'prepend apiSchemas = ["PhysicsRigidBodyAPI"]'
COLLIDER = '( prepend apiSchemas = ["PhysicsCollisionAPI"] )'
SQUARE = (
    "point3f[] points = [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)]\n"
    "int[] faceVertexCounts = [3, 3]\nint[] faceVertexIndices = [0, 1, 2, 0, 2, 3]\n"
)
MATERIAL = """
def Material "Red" {
    token outputs:surface.connect = </Red/Surface.outputs:surface>
    def Shader "Surface" {
        uniform token info:id = "UsdPreviewSurface"
        color3f inputs:diffuseColor = (1, 0, 0)
        float inputs:roughness = 0.25
        float inputs:metallic = 0.75
        float inputs:opacity = 0.5
        token outputs:surface
    }
}
def Material "Pictured" {
    token outputs:surface.connect = </Pictured/Surface.outputs:surface>
    def Shader "Surface" {
        uniform token info:id = "UsdPreviewSurface"
        color3f inputs:diffuseColor.connect = </Pictured/Map.outputs:rgb>
        token outputs:surface
    }
    def Shader "Map" {
        uniform token info:id = "UsdUVTexture"
        asset inputs:file = @grain.png@
        float2 inputs:st.connect = </Pictured/Move.outputs:result>
        float3 outputs:rgb
    }
    def Shader "Move" {
        uniform token info:id = "UsdTransform2d"
        float2 inputs:in.connect = </Pictured/Reader.outputs:result>
        float2 inputs:scale = (2, 3)
        float inputs:rotation = 90
        float2 inputs:translation = (0.5, 0.25)
        float2 outputs:result
    }
    def Shader "Reader" {
        uniform token info:id = "UsdPrimvarReader_float2"
        token inputs:varname = "second"
        float2 outputs:result
    }
}
"""
BOUND = 'prepend apiSchemas = ["MaterialBindingAPI"]'


def lines(text: str) -> str:
    """Return text of a layer with each closing brace on a line of its own, as the format asks for."""
    return text.replace(" }", "\n}")


def add(text: str, **options) -> tuple[ModelBuilder, dict[str, int]]:
    """Return the scene of a stage, and its shapes by path."""
    builder = ModelBuilder()
    return builder, builder.add_usd(HEAD + lines(text), **options)["path_shape_map"]


def is_seen(text: str, path: str, **options) -> bool:
    """Tell whether a shape of a stage is drawn."""
    builder, shapes = add(text, **options)
    return bool(builder.shape_flags[shapes[path]] & ShapeFlags.VISIBLE)


def body(*shapes: str) -> str:
    """Return a body with shapes on it."""
    return f'def Xform "Body" ( {BODY} ) {{\n' + "\n".join(shapes) + "\n}\n"


BALL = f'def Sphere "Ball" {COLLIDER} {{ double radius = 1 }}'
GUIDE = f'def Sphere "Ball" {COLLIDER} {{ double radius = 1\n uniform token purpose = "guide" }}'
SEEN = 'def Cube "Seen" { double size = 1 }'


@pytest.mark.parametrize(
    ("text", "options", "drawn"),
    [
        (body(BALL, SEEN), {}, True),
        (body(GUIDE, SEEN), {}, False),
        (body(GUIDE), {"force_show_colliders": True}, True),
        (body(BALL, SEEN), {"hide_collision_shapes": True}, False),
        (body(BALL), {"hide_collision_shapes": True}, True),
        (body(BALL).replace("double radius = 1", 'double radius = 1\n token visibility = "invisible"'), {}, False),
    ],
)
def test_colliders_are_drawn_as_a_viewport_draws_them(text, options, drawn):
    """Purpose and visibility decide; the options go before them, where the body has something else to see."""
    assert is_seen(text, "/Body/Ball", **options) == drawn


def test_what_is_seen_of_no_body_is_the_worlds():
    """Scenery belongs to the world, touches nothing, and can be left out."""
    text = f'def Xform "Hall" {{ {SEEN} }}\n' + body(BALL)
    builder, shapes = add(text)
    index = shapes["/Hall/Seen"]
    assert builder.shape_body[index] == -1
    assert not builder.shape_flags[index] & ShapeFlags.COLLIDE_SHAPES
    for option in ("load_static_visual_shapes", "load_visual_shapes"):
        assert "/Hall/Seen" not in add(text, **{option: False})[1]


def test_a_disabled_collider_is_seen_and_touches_nothing():
    builder, shapes = add(body(BALL.replace("{ double", "{ bool physics:collisionEnabled = 0\n double")))
    flags = builder.shape_flags[shapes["/Body/Ball"]]
    assert flags & ShapeFlags.VISIBLE
    assert not flags & (ShapeFlags.COLLIDE_SHAPES | ShapeFlags.COLLIDE_PARTICLES)


def test_prims_that_mark_a_place_are_sites():
    """A site is neither collider nor visual, on a body and on none."""
    mark = 'def Sphere "Mark" ( prepend apiSchemas = ["NewtonSiteAPI"] ) { double radius = 0.1 }'
    text = body(BALL, mark) + f'def Xform "Hall" {{ {mark} }}\n'
    builder, shapes = add(text)
    for path in ("/Body/Mark", "/Hall/Mark"):
        assert builder.shape_flags[shapes[path]] & ShapeFlags.SITE
    assert set(add(text, load_sites=False)[1]) == {"/Body/Ball"}


def bound(name: str, material: str, more: str = "") -> str:
    """Return the square with a material."""
    return f'def Mesh "{name}" ( {BOUND} ) {{ {SQUARE}\n rel material:binding = </{material}>\n {more} }}'


def test_a_material_gives_its_look():
    builder, shapes = add(MATERIAL + body(BALL, bound("Plate", "Red")))
    index = shapes["/Body/Plate"]
    mesh = builder.shape_source[index]
    assert list(builder.shape_color[index]) == pytest.approx([1.0, 0.0, 0.0])
    assert (builder.shape_opacity[index], mesh.roughness, mesh.metallic) == (0.5, 0.25, 0.75)


def test_colours_are_encoded_for_display_and_inherited():
    """A linear colour of a prim above holds; encoded, black, white and mid-grey are those of sRGB."""
    text = f'def Xform "Hall" {{ color3f[] primvars:displayColor = [(0, 1, 0.214041)] ( interpolation = "constant" )\n{SEEN} }}\n'
    builder, shapes = add(text + body(BALL))
    assert list(builder.shape_color[shapes["/Hall/Seen"]]) == pytest.approx([0.0, 1.0, 0.5], abs=1e-5)
    assert list(builder.shape_color[shapes["/Body/Ball"]]) == pytest.approx([float(for_display(np.array(0.18)))] * 3)


def look_of(text: str, path: str) -> dict[str, Any]:
    """Return what resolve_material_properties_for_prim says about a prim of a stage."""
    stage = Usd.Stage.CreateInMemory()
    stage.GetRootLayer().ImportFromString(HEAD + text)
    return resolve_material_properties_for_prim(stage.GetPrimAtPath(path))


@pytest.mark.parametrize(
    ("space", "is_encoded"),
    [
        ("srgb_rec709_scene", True), ("srgb_texture", True), ("sRGB", True), ("srgb_rec709_display", True),
        ("lin_rec709_scene", False), ("lin_srgb", False), ("raw", False), ("data", False), ("auto", False),
    ],
)  # fmt: skip
@pytest.mark.parametrize("where", ["displayColor", "material", "above"])
def test_a_colour_is_encoded_once_whatever_space_it_is_stated_in(space, is_encoded, where):
    """Colours of the prim, of its material and of a prim above with ColorSpaceAPI name their space."""
    if where == "above" and not (hasattr(Usd, "ColorSpaceAPI") and Gf.ColorSpace.IsValid(space)):
        pytest.skip("OpenUSD passes only spaces down that it knows")
    stated = np.array([0.25, 0.5, 0.75])
    tag, above = f'( colorSpace = "{space}" )', ""
    if where == "above":
        tag, above = "", f'( prepend apiSchemas = ["ColorSpaceAPI"] ) {{ uniform token colorSpace:name = "{space}"\n'
    own, binding, material = f"color3f[] primvars:displayColor = [(0.25, 0.5, 0.75)] {tag}", "", ""
    if where == "material":
        material = MATERIAL.replace("inputs:diffuseColor = (1, 0, 0)", f"inputs:diffuseColor = (0.25, 0.5, 0.75) {tag}")
        own, binding = "rel material:binding = </Red>", BOUND
    mesh = f'def Mesh "M" ( {binding} ) {{ {SQUARE} {own}\n}}\n'
    text = f'def Xform "Hall" {above or "{"} {mesh} }}\n'
    found = look_of(material + text, "/Hall/M")["color"]
    np.testing.assert_allclose(found, stated if is_encoded else for_display(stated), atol=1e-6)


@pytest.mark.skipif(not hasattr(Gf, "ColorSpace"), reason="this OpenUSD has no colour spaces with other primaries")
def test_a_colour_of_other_primaries_is_converted():
    """White stays white in every space of the same white point; pure green of Display P3 is beyond that of sRGB."""
    tagged = 'def Mesh "M" {{ {} color3f[] primvars:displayColor = [{}] ( colorSpace = "{}" )\n}}\n'
    white = look_of(tagged.format(SQUARE, (1, 1, 1), "lin_p3d65_scene"), "/M")["color"]
    np.testing.assert_allclose(white, (1.0, 1.0, 1.0), atol=1e-4)
    grey = look_of(tagged.format(SQUARE, (0.5, 0.5, 0.5), "srgb_p3d65_scene"), "/M")["color"]
    np.testing.assert_allclose(grey, (0.5, 0.5, 0.5), atol=1e-4)
    green = look_of(tagged.format(SQUARE, (0, 1, 0), "lin_p3d65_scene"), "/M")["color"]
    np.testing.assert_allclose(green, (0.0, 1.0, 0.0), atol=0.02)


def test_a_colour_space_that_nobody_knows_is_named():
    text = (
        f'def Mesh "M" {{ {SQUARE} color3f[] primvars:displayColor = [(0.25, 0.5, 0.75)] ( colorSpace = "mine" )\n}}\n'
    )
    with pytest.warns(UserWarning, match=r"/M\.primvars:displayColor.*'mine'"):
        assert look_of(text, "/M")["color"] == pytest.approx(for_display(np.array([0.25, 0.5, 0.75])))


@pytest.mark.parametrize(
    ("node", "asset", "is_linear"),
    [
        ("", "", False), ("auto", "", False), ("sRGB", "", False), ("raw", "", True),
        ("", "lin_rec709_scene", True), ("auto", "raw", True), ("sRGB", "raw", False), ("", "srgb_texture", False),
    ],
)  # fmt: skip
def test_a_linear_picture_is_encoded_by_the_space_of_its_node_or_else_of_its_file(tmp_path, node, asset, is_linear):
    from PIL import Image

    file = tmp_path / "grain.png"
    Image.new("RGB", (2, 2), (64, 128, 191)).save(file)
    space = f'token inputs:sourceColorSpace = "{node}"\n' if node else ""
    tag = f'( colorSpace = "{asset}" )' if asset else ""
    material = MATERIAL.replace("asset inputs:file = @grain.png@", f"{space} asset inputs:file = @{file}@ {tag}")
    texture = look_of(material + bound("M", "Pictured"), "/M")["texture"]
    if not is_linear:
        assert texture == str(file)
        return
    np.testing.assert_array_equal(texture[0, 0, :3], np.round(255.0 * for_display(np.array([64, 128, 191]) / 255.0)))


def test_a_picture_is_read_by_the_coordinates_that_its_material_names():
    """File, primvar and transform come from the shading network, and the colour under a picture is white."""
    second = (
        'texCoord2f[] primvars:st = [(0, 0), (0, 0), (0, 0), (0, 0)] ( interpolation = "vertex" )\n'
        'texCoord2f[] primvars:second = [(0, 0), (1, 0), (1, 1), (0, 1)] ( interpolation = "vertex" )'
    )
    builder, shapes = add(MATERIAL + body(BALL, bound("Plate", "Pictured", second)))
    mesh = builder.shape_source[shapes["/Body/Plate"]]
    assert mesh.texture.endswith("grain.png")
    assert mesh.color == (1.0, 1.0, 1.0)
    corners = dict(zip(map(tuple, mesh.vertices.tolist()), map(tuple, mesh.uvs.tolist()), strict=True))
    assert corners[1.0, 1.0, 0.0] == (1.0, 1.0)
    assert np.asarray(mesh.texture_transform) @ [1.0, 0.0, 1.0] == pytest.approx([0.5, 2.25], abs=1e-6)


def test_subsets_with_materials_are_shapes_of_their_own():
    """Each has its faces, and the mesh those that are left."""
    subset = (
        f'def GeomSubset "Half" ( {BOUND} ) {{ uniform token elementType = "face"\n'
        'uniform token familyName = "materialBind"\nint[] indices = [1]\n rel material:binding = </Red> }'
    )
    builder, shapes = add(MATERIAL + body(BALL, f'def Mesh "Plate" {{ {SQUARE}\n {subset} }}'))
    half, rest = (builder.shape_source[shapes[path]] for path in ("/Body/Plate/Half", "/Body/Plate"))
    assert len(half.indices) == len(rest.indices) == 3
    assert half.color == pytest.approx((1.0, 0.0, 0.0))
    assert rest.color is None


def test_visual_meshes_have_normals():
    """Without normals of its own a mesh has those of its faces."""
    builder, shapes = add(body(BALL, f'def Mesh "Plate" {{ {SQUARE} }}'))
    normals = builder.shape_source[shapes["/Body/Plate"]].normals
    np.testing.assert_allclose(normals, np.tile([0.0, 0.0, 1.0], (4, 1)))


def test_gains_of_contacts_are_those_of_the_material_and_else_of_the_collider():
    """A stiffness of a stage in grams is a thousandth of that in kilograms."""
    material = """def Material "Rubber" ( prepend apiSchemas = ["PhysicsMaterialAPI"] ) {
        float newton:contactStiffness = 5000 }
"""
    collider = (
        'def Sphere "Ball" ( prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"] ) { double radius = 1\n'
        "rel material:binding:physics = </Rubber>\nfloat newton:contact_ke = 1\nfloat newton:contact_kd = 30 }"
    )
    builder, shapes = add(material + body(collider))
    index = shapes["/Body/Ball"]
    assert (builder.shape_material_ke[index], builder.shape_material_kd[index]) == (5000.0, 30.0)
    grams = ModelBuilder()
    text = HEAD.replace("metersPerUnit", "kilogramsPerUnit = 0.001\n metersPerUnit") + lines(material + body(collider))
    index = grams.add_usd(text)["path_shape_map"]["/Body/Ball"]
    assert grams.shape_material_ke[index] == pytest.approx(5.0)


def prim_of(words: str):
    """Return the prim of a mesh, with the stage that keeps it."""
    stage = Usd.Stage.CreateInMemory()
    stage.GetRootLayer().ImportFromString(f'#usda 1.0\n( metersPerUnit = 1 )\ndef Mesh "Mesh" {{ {words}\n}}')
    return stage, stage.GetPrimAtPath("/Mesh")


CUBE = """
    int[] faceVertexCounts = [4, 4, 4, 4, 4, 4]
    int[] faceVertexIndices = [0,2,3,1, 4,5,7,6, 0,1,5,4, 2,6,7,3, 0,4,6,2, 1,3,7,5]
    point3f[] points = [(0,0,0), (1,0,0), (0,1,0), (1,1,0), (0,0,1), (1,0,1), (0,1,1), (1,1,1)]
    normal3f[] normals = [(0,0,-1), (0,0,1), (0,-1,0), (0,1,0), (-1,0,0), (1,0,0)] ( interpolation = "uniform" )
"""


def test_points_are_divided_at_edges_and_weigh_the_same():
    """A cube has 24 corners with normals of their own, and the mass of one with eight."""
    _stage, prim = prim_of(CUBE)
    plain, divided = get_mesh(prim), get_mesh(prim, load_normals=True)
    assert (len(plain.vertices), len(divided.vertices)) == (8, 24)
    assert divided.mass == plain.mass == pytest.approx(1.0)
    a, b, c = np.moveaxis(divided.vertices[divided.indices.reshape(-1, 3)], 1, 0)
    outward = np.cross(b - a, c - a)
    np.testing.assert_allclose(divided.normals[divided.indices.reshape(-1, 3)[:, 0]], outward, atol=1e-12)
    assert len(get_mesh(prim, load_normals=True, vertex_splitting_angle_threshold_deg=180.0).vertices) == 8


def test_seams_of_texture_coordinates_divide_points():
    """Corners of a point with other coordinates are vertices of their own; a wrong number of them is left out."""
    seam = 'texCoord2f[] primvars:st = [(0,0), (1,0), (1,1), (0.5,0), (1,1), (0,1)] ( interpolation = "faceVarying" )'
    _stage, prim = prim_of(SQUARE + seam)
    mesh = get_mesh(prim, load_uvs=True)
    assert len(mesh.vertices) == len(mesh.uvs) == 5
    _stage, prim = prim_of(SQUARE + seam.replace("(0,0), (1,0), (1,1), ", ""))
    assert get_mesh(prim, load_uvs=True).uvs is None


def test_a_sheet_has_no_mass():
    """A mesh in one plane has no volume."""
    _stage, prim = prim_of(SQUARE)
    assert get_mesh(prim).mass == 0.0


def test_the_look_of_a_prim_is_that_of_its_material_and_else_its_own():
    mesh = (
        f'def Mesh "M" {{ {SQUARE} rel material:binding = </Red>\n color3f[] primvars:displayColor = [(0, 1, 0)]\n}}\n'
    )
    bare = f'def Mesh "N" {{ {SQUARE} color3f[] primvars:displayColor = [(0.25, 0.5, 0.75)]\n}}\n'
    stage = Usd.Stage.CreateInMemory()
    stage.GetRootLayer().ImportFromString(HEAD + MATERIAL + mesh + bare + f'def Mesh "P" {{ {SQUARE} }}\n')
    red, own, none = (resolve_material_properties_for_prim(stage.GetPrimAtPath(path)) for path in ("/M", "/N", "/P"))
    assert np.allclose(red["color"], (1.0, 0.0, 0.0)) and red["texture"] is None
    assert (red["opacity"], red["roughness"], red["metallic"]) == (0.5, 0.25, 0.75)
    assert np.allclose(own["color"], for_display(np.array([0.25, 0.5, 0.75]))) and own["roughness"] is None
    assert set(none.values()) == {None}


@pytest.mark.parametrize(("axis", "extent"), [("X", (8.0, 9.0)), ("Y", (4.0, 12.0)), ("Z", (4.0, 9.0))])
def test_a_plane_that_is_only_seen_ends_where_its_scaled_prim_does(axis, extent):
    plane = (
        f'def Plane "{{name}}" {{api}} {{{{ uniform token axis = "{axis}"\n double width = 2\n double length = 3\n'
        ' float3 xformOp:scale = (2, 3, 4)\n uniform token[] xformOpOrder = ["xformOp:scale"]\n}}\n'
    )
    text = plane.format(name="seen", api="") + plane.format(name="touched", api=COLLIDER)
    stage = Usd.Stage.CreateInMemory()
    stage.GetRootLayer().ImportFromString(f'{HEAD}def Xform "B" ({BODY}) {{ {text} }}\n')
    builder = ModelBuilder()
    builder.add_usd(stage)
    sizes = dict(zip(builder.shape_label, builder.shape_scale, strict=True))
    assert np.allclose(sizes["/B/seen"][:2], extent)
    assert np.allclose(sizes["/B/touched"][:2], 0.0), "one that collides has no end"


@pytest.mark.parametrize("on_body", [False, True])
def test_a_disabled_collider_is_a_shape_that_touches_nothing_whatever_is_loaded(on_body):
    cubes = (
        f'def Cube "off" {COLLIDER} {{ bool physics:collisionEnabled = 0\n}}\ndef Cube "seen" {{ double size = 1\n}}\n'
        f'def Cube "on" {COLLIDER} {{ double size = 1\n}}\n'
    )
    text = HEAD + (f'def Xform "B" ({BODY}) {{ {cubes} }}\n' if on_body else cubes)
    for loads in (True, False):
        stage, builder = Usd.Stage.CreateInMemory(), ModelBuilder()
        stage.GetRootLayer().ImportFromString(text)
        builder.add_usd(stage, load_visual_shapes=loads)
        flags = {
            label.rpartition("/")[2]: int(f) for label, f in zip(builder.shape_label, builder.shape_flags, strict=True)
        }
        assert flags.keys() == ({"off", "seen", "on"} if loads else {"off", "on"})
        assert {name for name, flag in flags.items() if flag & ShapeFlags.COLLIDE_SHAPES} == {"on"}


def test_a_mesh_that_is_a_collider_keeps_its_points_switched_on_or_off():
    """What is only seen is divided at its edges, for its normals; a collider is the mesh that the stage states."""
    cube = (
        "point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]\n"
        "int[] faceVertexCounts = [3, 3, 3, 3]\nint[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]\n"
    )
    off = f"bool physics:collisionEnabled = 0\n{cube}"
    text = (
        f'def Mesh "on" {COLLIDER} {{ {cube} }}\ndef Mesh "off" {COLLIDER} {{ {off} }}\ndef Mesh "seen" {{ {cube} }}\n'
    )
    builder = ModelBuilder()
    builder.add_usd(lines(HEAD + f'def Xform "B" ({BODY}) {{ {text} }}\n'))
    counts = {
        label.rpartition("/")[2]: len(mesh.vertices)
        for label, mesh in zip(builder.shape_label, builder.shape_source, strict=True)
    }
    assert counts == {"on": 4, "off": 4, "seen": 12}
