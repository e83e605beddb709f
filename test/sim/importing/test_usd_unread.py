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
COMMON = "the stage uses unsupported features: "
UNPLACED = "the stage has attributes that this simulator does not use; they are in schema_attrs only: "


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


def hinge(*content: str, kind: str = "PhysicsRevoluteJoint", apis: tuple[str, ...] = ()) -> str:
    return joint(kind, "j", "", "/arm", *content, apis=apis)


SCENES = (prim("PhysicsScene", "earth"), prim("PhysicsScene", "moon", "float physics:gravityMagnitude = 1.62"))
BELT = (
    "vector3f physxSurfaceVelocity:surfaceVelocity = ({}, 0, 0)\nbool physxSurfaceVelocity:surfaceVelocityEnabled = {}"
)


@pytest.mark.parametrize("as_description", [False, True])
@pytest.mark.parametrize(
    ("prims", "named"),
    [
        ((hinge("float physics:breakForce = 1"),), "/j (physics:breakForce)"),
        ((hinge("float physics:breakForce = inf\nfloat physics:breakTorque = 3.4e38"),), ""),
        ((hinge("float physics:breakForce = 1\nbool physics:jointEnabled = false"),), ""),
        ((cube("t", apis=("PhysxTriggerAPI",)),), "/t (PhysxTriggerAPI)"),
        ((cube("t", BELT.format(1, "true"), apis=("PhysxSurfaceVelocityAPI",)),), "/t (PhysxSurfaceVelocityAPI)"),
        ((cube("t", BELT.format(1, "false"), apis=("PhysxSurfaceVelocityAPI",)),), ""),
        ((cube("t", BELT.format(0, "true"), apis=("PhysxSurfaceVelocityAPI",)),), ""),
        ((prim("PhysxPhysicsGearJoint", "g"),), "/g (PhysxPhysicsGearJoint)"),
        ((prim("PhysxPhysicsRackAndPinionJoint", "g"),), "/g (PhysxPhysicsRackAndPinionJoint)"),
        (
            (hinge("float limit:distance:physics:high = 1", kind="PhysicsJoint", apis=("PhysicsLimitAPI:distance",)),),
            "/j (PhysicsLimitAPI:distance)",
        ),
        ((body("b", WHOLE, "bool physics:startsAsleep = true"),), "/b (physics:startsAsleep)"),
        ((body("b", WHOLE, "bool physics:startsAsleep = false"),), ""),
        ((*SCENES, body("b", WHOLE, "rel physics:simulationOwner = </moon>")), "/b (physics:simulationOwner)"),
        ((*SCENES, body("b", WHOLE, "rel physics:simulationOwner = </earth>")), ""),
        ((SCENES[1], body("b", WHOLE, "rel physics:simulationOwner = </moon>")), ""),
    ],
)
def test_what_prims_ask_for_and_nothing_does_is_named(prims, named, as_description):
    found = said_of(body("arm", WHOLE, cube("c")), *prims, as_description=as_description)
    assert found == ([COMMON + named] if named else [])


def test_forces_on_bodies_are_named_once_for_all():
    push = "vector3f physxForce:force = (0, 0, 100)"
    found = said_of(*(body(name, WHOLE, push, apis=("PhysxForceAPI",)) for name in "ab"))
    assert found == [f"{COMMON}/a (PhysxForceAPI), /b (PhysxForceAPI)"]
