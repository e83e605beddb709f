# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What a stage is asked for: scenes, schemas, and tetrahedral meshes."""

from __future__ import annotations

import numpy as np
import pytest
from pxr import Usd

from inertia_tools.errors import OptionError
from inertia_tools.sim.scene.tet_mesh import TetMesh
from inertia_tools.usd import find_tetmesh_prims, get_physics_scenes, get_tetmesh, has_applied_api_schema

TEXT = """#usda 1.0
def Xform "A" ( prepend apiSchemas = ["UnknownAPI", "PhysicsRigidBodyAPI"] ) { def PhysicsScene "One" {}
}
def PhysicsScene "Two" {}
def TetMesh "Soft" ( prepend apiSchemas = ["MaterialBindingAPI"] ) {
    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)]
    int4[] tetVertexIndices = [(0, 1, 2, 3), (1, 2, 3, 4)]
    float[] primvars:heat = [1, 2, 3, 4, 5] ( interpolation = "vertex" )
    rel material:binding:physics = </Rubber>
}
def Material "Rubber" { float physics:youngsModulus = 2600
    float physics:poissonsRatio = 0.3
    float physics:density = 40
}
def TetMesh "Empty" {}
"""


@pytest.fixture
def stage():
    found = Usd.Stage.CreateInMemory()
    found.GetRootLayer().ImportFromString(TEXT)
    return found


def test_scenes_are_listed_in_document_order(stage):
    def paths(**options):
        return [str(scene.GetPath()) for scene in get_physics_scenes(stage, **options)]

    assert paths() == ["/A/One", "/Two"]
    assert paths(root_path="/A") == ["/A/One"]
    assert paths(exclude_paths=["/A"]) == ["/Two"]


def test_schemas_count_that_openusd_does_not_know(stage):
    prim = stage.GetPrimAtPath("/A")
    assert has_applied_api_schema(prim, "UnknownAPI")
    assert has_applied_api_schema(prim, "PhysicsRigidBodyAPI")
    assert not has_applied_api_schema(prim, "PhysicsMassAPI")


def test_a_tetrahedral_mesh_is_a_value(stage):
    """Lame's parameters are those of the material: mu = E / (2 (1 + nu))."""
    assert [str(prim.GetPath()) for prim in find_tetmesh_prims(stage)] == ["/Soft", "/Empty"]
    mesh = TetMesh.create_from_usd(stage.GetPrimAtPath("/Soft"))
    assert (mesh.vertex_count, mesh.tet_count, mesh.density) == (5, 2, 40.0)
    assert mesh.k_mu == pytest.approx([1000.0, 1000.0])
    np.testing.assert_array_equal(mesh.custom_attributes["heat"][0], [1, 2, 3, 4, 5])


def test_a_left_handed_mesh_has_its_corners_swapped(stage):
    prim = stage.GetPrimAtPath("/Soft")
    prim.GetAttribute("orientation").Set("leftHanded")
    assert get_tetmesh(prim).tet_indices.tolist() == [0, 2, 1, 3, 1, 3, 2, 4]


def test_a_mesh_without_tetrahedra_is_refused(stage):
    with pytest.raises(OptionError, match="points"):
        get_tetmesh(stage.GetPrimAtPath("/Empty"))
