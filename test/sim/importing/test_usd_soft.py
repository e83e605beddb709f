# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Soft bodies of USD stages: what the proposed schemas state, in SI and where the stage has it."""

import re
import warnings

import numpy as np
import pytest
from usd_stages import at, body, cube, prim, stage

import inertia_tools as it
from inertia_tools.sim.scene.notices import SceneWarning

Usd = pytest.importorskip("pxr.Usd")

TETRAHEDRON = "point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]"
SQUARE = "point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]"
QUAD = "int[] faceVertexCounts = [4]\nint[] faceVertexIndices = [0, 1, 2, 3]"
BOUND = "rel material:binding:physics = </M>"


def solid(*content, corners="(0, 1, 2, 3)", apis=("PhysicsVolumeDeformableSimAPI",)):
    inner = prim("TetMesh", "t", TETRAHEDRON, f"int4[] tetVertexIndices = [{corners}]", *content,
                 apis=(*apis, "MaterialBindingAPI"))  # fmt: skip
    return prim("Xform", "W", at(0, 0, 2), inner, apis=("PhysicsDeformableBodyAPI",))


def material(*words, api="PhysicsVolumeDeformableMaterialAPI", namespace="physics"):
    return prim("Material", "M", *(f"float {namespace}:{word}" for word in words), apis=(api,))


def imported(*prims, **units):
    builder = it.ModelBuilder()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = builder.add_usd(stage(*prims, **units))
    return builder, result, [str(one.message) for one in caught if issubclass(one.category, SceneWarning)]


@pytest.mark.parametrize("corners", ["(0, 1, 2, 3)", "(0, 2, 1, 3)"])
def test_a_tetrahedral_mesh_is_a_solid_where_it_stands(corners):
    words = ("youngsModulus = 10000", "poissonsRatio = 0.25", "density = 100")
    builder, result, _ = imported(solid(BOUND, corners=corners), material(*words))
    assert np.allclose(builder.particle_q, [(0, 0, 2), (1, 0, 2), (0, 1, 2), (0, 0, 3)])
    assert sum(builder.particle_mass) == pytest.approx(100.0 / 6.0)
    mu, lame, _ = builder.tet_materials[0]
    assert mu * (3 * lame + 2 * mu) / (lame + mu) == pytest.approx(1e4)
    assert lame / (2 * (lame + mu)) == pytest.approx(0.25)
    assert result["path_soft_map"] == {"/W/t": {"particle": (0, 4), "tet": (0, 1)}}
    assert builder.finalize().tet_count == 1


def test_units_of_the_stage_count():
    words = ("youngsModulus = 10", "poissonsRatio = 0", "density = 0.001")
    builder, _, _ = imported(solid(BOUND), material(*words), metre=0.01, kilogram=1.0)
    assert np.allclose(np.ptp(builder.particle_q, axis=0), 0.01)
    assert sum(builder.particle_mass) == pytest.approx(0.001 / 6.0)  # kg per cubic centimetre
    assert builder.tet_materials[0][0] == pytest.approx(0.5 * 10.0 / 0.01)


def test_values_of_earlier_files_count():
    builder, _, _ = imported(solid(BOUND), material("density = 40", namespace="omniphysics"))
    assert sum(builder.particle_mass) == pytest.approx(40.0 / 6.0)


def test_without_a_material_the_density_is_that_of_water():
    builder, _, _ = imported(solid())
    assert sum(builder.particle_mass) == pytest.approx(1000.0 / 6.0)
    assert builder.tet_materials == [(1e3, 1e3, 0.0)]


def test_a_mesh_is_cloth_and_no_collider():
    sheet = prim("Mesh", "m", SQUARE, QUAD, BOUND, "float[] physics:thicknesses = [0.004]",
                 apis=("PhysicsSurfaceDeformableSimAPI", "PhysicsDeformableBodyAPI", "PhysicsCollisionAPI",
                       "MaterialBindingAPI"))  # fmt: skip
    words = ("youngsModulus = 20000", "poissonsRatio = 0.25", "density = 500")
    builder, result, _ = imported(sheet, material(*words, api="PhysicsSurfaceDeformableMaterialAPI"))
    assert result["path_cloth_map"] == {"/m": {"particle": (0, 4), "tri": (0, 2), "edge": (0, 5)}}
    assert sum(builder.particle_mass) == pytest.approx(500 * 0.004)
    shear, area = builder.tri_materials[0][:2]
    assert 4 * shear * (area + shear) / (area + 2 * shear) == pytest.approx(20000 * 0.004)
    assert builder.particle_radius == pytest.approx([0.002] * 4)
    rigidity = 20000 * 0.004**3 / (12 * (1 - 0.25**2))
    inner = [
        ke for (ke, _), row in zip(builder.edge_bending_properties, builder.edge_indices, strict=True) if row[1] >= 0
    ]
    assert inner == pytest.approx([rigidity * 2.0])  # the diagonal: its square over the area of the square
    assert builder.shape_count == 0


@pytest.mark.parametrize(
    ("word", "scale", "sign"),
    [('"rightHanded"', 1, 1), ('"leftHanded"', 1, -1), ('"rightHanded"', -1, -1), ('"leftHanded"', -1, 1)],
)
def test_cloth_winds_as_the_stage_has_it(word, scale, sign):
    turned = f'double3 xformOp:scale = (1, 1, {scale})\nuniform token[] xformOpOrder = ["xformOp:scale"]'
    sheet = prim("Mesh", "m", SQUARE, QUAD, turned, f"uniform token orientation = {word}",
                 apis=("PhysicsSurfaceDeformableSimAPI",))  # fmt: skip
    builder, _, _ = imported(sheet)
    corners = np.array(builder.particle_q)[np.array(builder.tri_indices)]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (np.sign(normals[:, 2]) == sign).all()


def test_points_are_particles():
    apis = ("NewtonPointsDeformableSimAPI", "PhysicsDeformableBodyAPI")
    grains = prim("Points", "p", "point3f[] points = [(0, 0, 0), (1, 0, 0)]", "float[] widths = [0.2, 0.4]", apis=apis)
    builder, result, _ = imported(grains)
    assert result["path_particle_map"] == {"/p": (0, 2)}
    assert builder.particle_radius == pytest.approx([0.1, 0.2])
    assert builder.particle_mass == pytest.approx([1000 * 4 / 3 * np.pi * r**3 for r in (0.1, 0.2)])
    heavy = prim(
        "Points", "p", "point3f[] points = [(0, 0, 0), (1, 0, 0)]", "float[] physics:masses = [3, 4]", apis=apis
    )
    assert imported(heavy)[0].particle_mass == [3.0, 4.0]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (prim("Points", "p", SQUARE, apis=("NewtonPointsDeformableSimAPI",)), "/p.*PhysicsDeformableBodyAPI"),
        (solid(corners="(0, 1, 2, 7)"), "/W/t.*tetVertexIndices"),
        (prim("TetMesh", "t", TETRAHEDRON), "/t.*tetVertexIndices"),
        (prim("TetMesh", "t"), "/t.*points"),
        (prim("Mesh", "m", SQUARE, apis=("PhysxDeformableSurfaceAPI",)), "/m.*PhysxDeformableSurfaceAPI"),
        (prim("BasisCurves", "c", apis=("PhysicsCurvesDeformableSimAPI",)), "/c.*PhysicsCurvesDeformableSimAPI"),
        (prim("PhysicsAttachment", "a"), "/a.*PhysicsAttachment"),
        (solid(BOUND) + material("youngsModulus = 1", "poissonsRatio = 0.5"), "/W/t.*poissonsRatio"),
    ],
)  # fmt: skip
def test_what_is_not_simulated_is_named(text, named):
    builder, _, said = imported(text)
    assert builder.particle_count == 0
    assert any(re.search(named, one) for one in said), said


def test_soft_and_rigid_bodies_of_a_stage_stand_beside_each_other():
    builder, result, _ = imported(solid(), body("b", at(0, 0, 1), cube("c")))
    assert (builder.body_count, builder.particle_count, len(result["path_body_map"])) == (1, 4, 1)


@pytest.mark.filterwarnings("ignore:.*no rigid body")
def test_what_is_ignored_is_left_out():
    builder = it.ModelBuilder()
    builder.add_usd(stage(solid()), ignore_paths=["/W"])
    assert builder.particle_count == 0


@pytest.mark.parametrize("up", ["Y", "Z"])
def test_a_description_brings_them_where_the_stage_has_them(up):
    text = stage(solid(), body("b", at(0, 0, 1), cube("c"))).replace('upAxis = "Z"', f'upAxis = "{up}"')
    assert f'upAxis = "{up}"' in text
    described, imported_ = it.ModelBuilder(), it.ModelBuilder()
    described.add_description(it.load_text(text), xform=None)
    imported_.add_usd(text)
    seen = [b.body_pose[-1].inverse().transform_points(np.array(b.particle_q)) for b in (described, imported_)]
    assert seen[0] == pytest.approx(seen[1], abs=1e-12)
    assert described.tet_materials == imported_.tet_materials


def test_a_simulation_lets_the_soft_bodies_of_a_stage_fall():
    robot = it.load_text(stage(solid(), body("b", at(5, 0, 1), cube("c"))))
    simulation = it.Simulation(robot, ground=False)
    before = simulation.soft_snapshot()
    simulation.step(24)
    after = simulation.soft_snapshot()
    fallen = (before.positions - after.positions)[:, 2]
    assert fallen == pytest.approx(0.5 * 9.81 * simulation.time**2, rel=1e-3)
    assert after.velocities[:, 2] == pytest.approx(-9.81 * simulation.time, rel=1e-3)
    assert sorted(after.triangles.ravel().tolist()) == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert len(after.loose) == 0


@pytest.mark.parametrize("name", ["physics:youngsModulus", "omniphysics:poissonsRatio"])
def test_a_constant_on_the_geometry_does_not_count_and_is_named(name):
    bare, stated = imported(solid())[0], imported(solid(f"float {name} = 0.4"))
    assert stated[0].tet_materials == bare.tet_materials
    assert any(re.search(rf"/W/t: {name} is authored on the geometry", one) for one in stated[2])
    prim_of_mesh = Usd.Stage.CreateInMemory()
    prim_of_mesh.GetRootLayer().ImportFromString(stage(solid(f"float {name} = 0.4")))
    with pytest.warns(SceneWarning, match="authored on the geometry"):
        it.usd.get_tetmesh(prim_of_mesh.GetPrimAtPath("/W/t"))


def test_triangles_of_soft_bodies_look_as_their_prims():
    look = "color3f[] primvars:displayColor = [(1, 0, 0)]\nfloat[] primvars:displayOpacity = [0.25]"
    cloth = prim("Mesh", "c", SQUARE, QUAD, look, apis=("PhysicsSurfaceDeformableSimAPI",))
    for content in (solid(look), prim("Xform", "W", at(0, 0, 2), cloth, apis=("PhysicsDeformableBodyAPI",))):
        builder = it.ModelBuilder()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            builder.add_usd(stage(content))
        assert builder.tri_count > 0
        assert np.allclose(np.array(builder.tri_color), (1.0, 0.0, 0.0)) and np.allclose(builder.tri_opacity, 0.25)
