# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What a stage states of how bodies move, and nothing here does, is named in a warning."""

import warnings

import pytest
from usd_stages import body, cube, joint, prim, stage

import inertia_tools as it
from inertia_tools.sim.scene.notices import SceneWarning
from inertia_tools.usd import SchemaResolverPhysx

pytest.importorskip("pxr", reason="usd-core is not installed")

WHOLE = "float physics:mass = 2\nfloat3 physics:diagonalInertia = (1, 1, 1)\npoint3f physics:centerOfMass = (0, 0, 0)"
BOUND = "rel material:binding:physics = </stuff>"
UNPLACED = "the stage states what this simulator has no place for; it is in schema_attrs only: "


def said_of(*prims: str, as_description: bool = False) -> list[str]:
    """Return the warnings about a stage of these prims, with PhysX's resolver."""
    builder, text = it.ModelBuilder(), stage(*prims)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if as_description:
            builder.add_description(it.load_text(text), schema_resolvers=[SchemaResolverPhysx()])
        else:
            builder.add_usd(text, schema_resolvers=[SchemaResolverPhysx()])
    return [str(one.message) for one in caught if issubclass(one.category, SceneWarning)]


@pytest.mark.parametrize("as_description", [False, True])
@pytest.mark.parametrize(
    ("where", "text", "without_effect"),
    [
        ("joint", "float physxJoint:jointFriction = 5", "0"),
        ("body", "int physxRigidBody:lockedPosAxis = 4", "0"),
        ("body", "int physxRigidBody:lockedRotAxis = 7", "0"),
        ("body", "float physxRigidBody:maxLinearVelocity = 1", "inf"),
        ("body", "float physxRigidBody:maxAngularVelocity = 90", "5729.58"),
        ("material", 'token physxMaterial:frictionCombineMode = "max"', '"average"'),
        ("material", 'token physxMaterial:restitutionCombineMode = "min"', '"average"'),
    ],
)
def test_attributes_without_a_place_are_named_unless_they_change_nothing(where, text, without_effect, as_description):
    def said(line: str) -> list[str]:
        on = {"joint": "", "body": "", "material": "", where: line}
        material = prim("Material", "stuff", on["material"], apis=("PhysicsMaterialAPI", "PhysxMaterialAPI"))
        hinge = joint("PhysicsRevoluteJoint", "j", "", "/arm", on["joint"])
        arm = body("arm", WHOLE, on["body"], cube("c", BOUND, apis=("MaterialBindingAPI",)))
        return said_of(arm, hinge, material, as_description=as_description)

    start, _, _ = text.rpartition(" = ")
    assert said(text) == [UNPLACED + start.partition(" ")[2]]
    assert said(f"{start} = {without_effect}") == []
