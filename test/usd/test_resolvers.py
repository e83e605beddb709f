# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Schema resolvers: every row of the three tables, the order of priority, and the three layers."""

import math

import pytest
from usd_stages import prim, stage

from inertia_tools.errors import OptionError
from inertia_tools.usd import (
    PrimType,
    SchemaResolver,
    SchemaResolverManager,
    SchemaResolverMjc,
    SchemaResolverNewton,
    SchemaResolverPhysx,
)

Usd = pytest.importorskip("pxr.Usd", reason="usd-core is not installed")

NEWTON, PHYSX, MJC = SchemaResolverNewton, SchemaResolverPhysx, SchemaResolverMjc
SCENE, JOINT, SHAPE = PrimType.SCENE, PrimType.JOINT, PrimType.SHAPE
MATERIAL, BODY, ARTICULATION, ACTUATOR = PrimType.MATERIAL, PrimType.BODY, PrimType.ARTICULATION, PrimType.ACTUATOR


@pytest.fixture
def of_text():
    """Return prims of small stages; a prim lives as long as its stage."""
    kept = []

    def make(*content: str):
        opened = Usd.Stage.CreateInMemory()
        opened.GetRootLayer().ImportFromString(stage(prim("Xform", "P", *content)))
        kept.append(opened)
        return opened.GetPrimAtPath("/P")

    return make


LIMIT_ROWS = [
    (NEWTON, JOINT, f"limit_{dof}_{key}", f"float {name} = 7", 7.0)
    for dof in ("linear", "angular", "rotX", "rotY", "rotZ")
    for key, word in (("ke", "limitStiffness"), ("kd", "limitDamping"))
    for name in (f"newton:{word}", f"newton:{dof}:{word}")
] + [
    (PHYSX, JOINT, f"limit_{dof}_{key}", f"float physxLimit:{dof}:{word} = 7", 7.0)
    for dof in ("linear", "angular", "transX", "transY", "transZ", "rotX", "rotY", "rotZ")
    for key, word in (("ke", "stiffness"), ("kd", "damping"))
]
STATE_ROWS = [
    (resolver, JOINT, f"{dof}_{word}", f"float {name.format(dof=dof, word=word)} = 7", 7.0)
    for resolver, name in ((NEWTON, "newton:{dof}:{word}"), (PHYSX, "state:{dof}:physics:{word}"))
    for dof in ("linear", "angular", "rotX", "rotY", "rotZ")
    for word in ("position", "velocity")
]
ROWS = [
    (NEWTON, SCENE, "max_solver_iterations", "int newton:maxSolverIterations = 5", 5),
    (NEWTON, SCENE, "time_steps_per_second", "int newton:timeStepsPerSecond = 5", 5),
    (NEWTON, SCENE, "gravity_enabled", "bool newton:gravityEnabled = false", False),
    (PHYSX, SCENE, "max_solver_iterations", "uint physxScene:maxVelocityIterationCount = 16", 16),
    (PHYSX, SCENE, "time_steps_per_second", "uint physxScene:timeStepsPerSecond = 5", 5),
    (PHYSX, SCENE, "gravity_enabled", "bool physxRigidBody:disableGravity = true", False),
    (MJC, SCENE, "max_solver_iterations", "int mjc:option:iterations = 5", 5),
    (MJC, SCENE, "time_steps_per_second", "double mjc:option:timestep = 0.005", 200),
    (MJC, SCENE, "time_steps_per_second", "float mjc:option:timestep = 0.001", 1000),
    (MJC, SCENE, "gravity_enabled", "bool mjc:flag:gravity = false", False),
    (NEWTON, JOINT, "armature", "float newton:armature = 0.5", 0.5),
    (PHYSX, JOINT, "armature", "float physxJoint:armature = 0.5", 0.5),
    (MJC, JOINT, "armature", "double mjc:armature = 0.5", 0.5),
    (NEWTON, JOINT, "friction", "float newton:friction = 0.5", 0.5),
    (MJC, JOINT, "friction", "double mjc:frictionloss = 0.5", 0.5),
    (NEWTON, JOINT, "damping", "float newton:damping = 0.5", 0.5),
    (MJC, JOINT, "damping_per_rad", "double mjc:damping = 0.5", 0.5),
    (MJC, JOINT, "stiffness", "double mjc:stiffness = 0.5", 0.5),
    (MJC, JOINT, "springref", "double mjc:springref = 0.5", 0.5),
    (MJC, JOINT, "ref", "double mjc:ref = 0.5", 0.5),
    (NEWTON, JOINT, "velocity_limit", "float newton:velocityLimit = 0.5", 0.5),
    (PHYSX, JOINT, "velocity_limit", "float physxJoint:maxJointVelocity = 0.5", 0.5),
    (MJC, JOINT, "effort_limit", "double mjc:actuatorfrcrange:min = -3\ndouble mjc:actuatorfrcrange:max = 2", 3.0),
    (MJC, JOINT, "effort_limit", "double mjc:actuatorfrcrange:max = 2\ntoken mjc:actuatorfrclimited = 'false'", None),
    (MJC, JOINT, "effort_limit", "double mjc:actuatorfrcrange:min = 2\ntoken mjc:actuatorfrclimited = 'true'", 2.0),
    (NEWTON, JOINT, "limit_ke", "float newton:limitStiffness = 7", 7.0),
    (NEWTON, JOINT, "limit_kd", "float newton:limitDamping = 7", 7.0),
    *LIMIT_ROWS,
    *STATE_ROWS,
    (NEWTON, SHAPE, "max_hull_vertices", "int newton:maxHullVertices = 5", 5),
    (PHYSX, SHAPE, "max_hull_vertices", "int physxConvexHullCollision:hullVertexLimit = 5", 5),
    (
        PHYSX, SHAPE, "max_hull_vertices",
        "token physics:approximation = 'convexDecomposition'\n"
        "int physxConvexHullCollision:hullVertexLimit = 5\n"
        "int physxConvexDecompositionCollision:hullVertexLimit = 6", 6,
    ),
    (MJC, SHAPE, "max_hull_vertices", "int mjc:maxhullvert = 5", 5),
    (PHYSX, SHAPE, "convex_decomposition_max_hulls", "int physxConvexDecompositionCollision:maxConvexHulls = 5", 5),
    (NEWTON, SHAPE, "margin", "float newton:contactMargin = 0.5", 0.5),
    (PHYSX, SHAPE, "margin", "float physxCollision:restOffset = 0.5", 0.5),
    (PHYSX, SHAPE, "margin", "float physxCollision:restOffset = -inf", None),
    (MJC, SHAPE, "margin", "double mjc:margin = 0.5\ndouble mjc:gap = 0.25", 0.25),
    (MJC, SHAPE, "margin", "double mjc:margin = 0.5", 0.5),
    (NEWTON, SHAPE, "gap", "float newton:contactGap = 0.5", 0.5),
    (NEWTON, SHAPE, "gap", "float newton:contactGap = -inf", None),
    (PHYSX, SHAPE, "gap", "float physxCollision:contactOffset = 0.5\nfloat physxCollision:restOffset = 0.25", 0.25),
    (PHYSX, SHAPE, "gap", "float physxCollision:contactOffset = 0.5", None),
    (PHYSX, SHAPE, "gap", "float physxCollision:contactOffset = 0.5\nfloat physxCollision:restOffset = -inf", None),
    (MJC, SHAPE, "gap", "double mjc:gap = 0.25", 0.25),
    (MJC, SHAPE, "ke", "double[] mjc:solref = [0.02, 1]", 2500.0),
    (MJC, SHAPE, "kd", "double[] mjc:solref = [0.02, 1]", 100.0),
    (MJC, SHAPE, "ke", "double[] mjc:solref = [-300, -20]", 300.0),
    (MJC, SHAPE, "kd", "double[] mjc:solref = [-300, -20]", 20.0),
    (MJC, SHAPE, "ke", "double[] mjc:solref = [-300, 1]", None),
    (MJC, MATERIAL, "ke", "double[] mjc:solref = [0.02, 0.5]", 10000.0),
    (MJC, MATERIAL, "kd", "double[] mjc:solref = [0.02, 0.5]", 100.0),
    *((NEWTON, SHAPE, key, f"float newton:contact_{key} = 5", 5.0) for key in ("ke", "kd", "kf", "ka")),
    (NEWTON, SHAPE, "mass_model", "token newton:massModel = 'shell'", "shell"),
    (NEWTON, SHAPE, "shell_thickness", "float newton:shellThickness = 0.5", 0.5),
    (MJC, SHAPE, "mass_model", "bool mjc:shellinertia = true", "shell"),
    (MJC, SHAPE, "mass_model", "bool mjc:shellinertia = false", "solid"),
    (NEWTON, SHAPE, "sdf_max_resolution", "int newton:sdfMaxResolution = 5", 5),
    (NEWTON, SHAPE, "sdf_narrow_band_inner", "float newton:sdfNarrowBandInner = 5", 5.0),
    (NEWTON, SHAPE, "sdf_narrow_band_outer", "float newton:sdfNarrowBandOuter = 5", 5.0),
    (NEWTON, SHAPE, "sdf_target_voxel_size", "float newton:sdfTargetVoxelSize = 5", 5.0),
    (NEWTON, SHAPE, "sdf_texture_format", "token newton:sdfTextureFormat = 'uint16'", "uint16"),
    (NEWTON, SHAPE, "sdf_padding", "float newton:sdfPadding = 5", 5.0),
    (NEWTON, SHAPE, "hydroelastic_enabled", "bool newton:hydroelasticEnabled = true", True),
    (NEWTON, SHAPE, "kh", "float newton:hydroelasticStiffness = 5", 5.0),
    (NEWTON, MATERIAL, "mu_torsional", "float newton:torsionalFriction = 0.5", 0.5),
    (NEWTON, MATERIAL, "mu_rolling", "float newton:rollingFriction = 0.5", 0.5),
    (MJC, MATERIAL, "mu_torsional", "double mjc:torsionalfriction = 0.5", 0.5),
    (MJC, MATERIAL, "mu_rolling", "double mjc:rollingfriction = 0.5", 0.5),
    (NEWTON, MATERIAL, "ke", "float newton:contactStiffness = 5", 5.0),
    (NEWTON, MATERIAL, "kd", "float newton:contactDamping = 5", 5.0),
    (NEWTON, MATERIAL, "kf", "float newton:contactFrictionGain = 5", 5.0),
    (NEWTON, MATERIAL, "ka", "float newton:contactAdhesion = 5", 5.0),
    (PHYSX, MATERIAL, "ke", "float physxMaterial:compliantContactStiffness = 5", 5.0),
    (PHYSX, MATERIAL, "kd", "float physxMaterial:compliantContactDamping = 5", 5.0),
    (MJC, MATERIAL, "priority", "int mjc:priority = 5", 5),
    (MJC, MATERIAL, "weight", "double mjc:solmix = 5", 5.0),
    (PHYSX, BODY, "gravity_scale", "bool physxRigidBody:disableGravity = 1", 0.0),
    (MJC, BODY, "gravity_scale", "float mjc:gravcomp = 0.25", 0.75),
    (PHYSX, BODY, "rigid_body_linear_damping", "float physxRigidBody:linearDamping = 5", 5.0),
    (PHYSX, BODY, "rigid_body_angular_damping", "float physxRigidBody:angularDamping = 5", 5.0),
    (NEWTON, ARTICULATION, "self_collision_enabled", "bool newton:selfCollisionEnabled = false", False),
    (PHYSX, ARTICULATION, "self_collision_enabled", "bool physxArticulation:enabledSelfCollisions = false", False),
    *(
        (MJC, ACTUATOR, f"{word}_{end}", f"double mjc:{name}:{side} = 5", 5.0)
        for word, name in (("ctrl", "ctrlRange"), ("force", "forceRange"), ("act", "actRange"), ("length", "lengthRange"))
        for end, side in (("low", "min"), ("high", "max"))
    ),
    *((MJC, ACTUATOR, key, f"token mjc:{key} = 'affine'", "affine") for key in ("gainType", "biasType", "dynType")),
    *((MJC, ACTUATOR, key, f"double[] mjc:{key} = [1, 2]", [1.0, 2.0]) for key in ("gainPrm", "biasPrm", "dynPrm", "gear")),
]  # fmt: skip


@pytest.mark.parametrize(("resolver", "kind", "key", "text", "expected"), ROWS)
def test_each_row(of_text, resolver, kind, key, text, expected):
    value = resolver().get_value(of_text(text), kind, key)
    assert (list(value) if isinstance(expected, list) else value) == expected


def test_every_row_of_the_tables_is_tested():
    tested = {(resolver, kind, key) for resolver, kind, key, _, _ in ROWS}
    rows = {(one, kind, key) for one in (NEWTON, PHYSX, MJC) for kind, table in one.mapping.items() for key in table}
    assert rows == tested


@pytest.mark.parametrize(("resolver", "kind", "key"), sorted({row[:3] for row in ROWS}, key=str))
def test_nothing_is_found_on_a_prim_that_states_nothing(of_text, resolver, kind, key):
    assert resolver().get_value(of_text(""), kind, key) is None


DEFAULTS = [
    (NEWTON, SCENE, "max_solver_iterations", -1),
    (NEWTON, SCENE, "time_steps_per_second", 1000),
    (PHYSX, SCENE, "max_solver_iterations", 255),
    (PHYSX, SCENE, "time_steps_per_second", 60),
    (PHYSX, SCENE, "gravity_enabled", True),
    (MJC, SCENE, "max_solver_iterations", 100),
    (MJC, SCENE, "time_steps_per_second", 500),
    (NEWTON, JOINT, "velocity_limit", math.inf),
    (PHYSX, JOINT, "angular_position", 0.0),
    (PHYSX, SHAPE, "max_hull_vertices", 64),
    (PHYSX, SHAPE, "convex_decomposition_max_hulls", 32),
    (NEWTON, SHAPE, "gap", None),
    (PHYSX, SHAPE, "gap", None),
    (MJC, SHAPE, "mass_model", "solid"),
    (MJC, MATERIAL, "mu_torsional", 0.005),
    (NEWTON, MATERIAL, "mu_rolling", 0.0001),
    (PHYSX, BODY, "rigid_body_angular_damping", 0.05),
    (MJC, ACTUATOR, "gear", (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)),
]


@pytest.mark.parametrize(("resolver", "kind", "key", "expected"), DEFAULTS)
def test_the_third_layer_is_the_default_of_the_schema(of_text, resolver, kind, key, expected):
    assert SchemaResolverManager([resolver()]).get_value(of_text(""), kind, key) == expected


CONFLICT = "float newton:armature = 0.01\nfloat physxJoint:armature = 0.02\nfloat mjc:armature = 0.03"


@pytest.mark.parametrize(
    ("order", "expected"),
    [((NEWTON, PHYSX, MJC), 0.01), ((PHYSX, NEWTON, MJC), 0.02), ((MJC, NEWTON, PHYSX), 0.03)],
)
def test_the_first_resolver_goes_first(of_text, order, expected):
    chain = SchemaResolverManager([one() for one in order])
    assert chain.get_value(of_text(CONFLICT), JOINT, "armature") == pytest.approx(expected)


def test_what_is_authored_goes_before_the_importer_and_that_before_the_schema(of_text):
    chain = SchemaResolverManager([MJC(), PHYSX()])
    assert chain.get_value(of_text("float physxJoint:armature = 0.5"), JOINT, "armature", 0.25) == 0.5
    assert chain.get_value(of_text(""), JOINT, "armature", 0.25) == 0.25
    assert chain.get_value(of_text(""), JOINT, "armature") == 0.0
    assert chain.get_value(of_text(""), JOINT, "unheard_of") is None


def test_a_getter_or_transformer_that_finds_nothing_leaves_it_to_the_next(of_text):
    both = of_text("float physxCollision:contactOffset = 0.5\nfloat newton:contactGap = 0.125")
    assert SchemaResolverManager([PHYSX(), NEWTON()]).get_value(both, SHAPE, "gap") == 0.125


def test_a_blocked_attribute_is_not_authored(of_text):
    assert NEWTON().get_value(of_text("float newton:armature = None"), JOINT, "armature") is None


def test_a_resolver_of_ones_own(of_text):
    class SchemaResolverMine(SchemaResolver):
        name = "mine"
        mapping = {JOINT: {"armature": SchemaResolver.SchemaAttribute("mine:rotor", 0.5, lambda value: 2.0 * value)}}

    chain = SchemaResolverManager([SchemaResolverMine(), NEWTON()])
    stated = of_text("float mine:rotor = 3", "float mine:other = 4", "float newton:armature = 1")
    assert chain.get_value(stated, JOINT, "armature") == 6.0
    assert chain.get_value(of_text(""), JOINT, "armature") == 1.0
    chain.collect_prim_attrs(stated)
    assert chain.schema_attrs["mine"] == {"/P": {"mine:rotor": 3.0, "mine:other": 4.0}}


def test_a_class_in_the_place_of_an_instance_is_refused():
    with pytest.raises(OptionError, match="instances of SchemaResolver"):
        SchemaResolverManager([NEWTON])  # type: ignore[list-item]


COLLECTED = {
    "physx": {"physxArticulation:enabledSelfCollisions": True, "physxSDFMeshCollision:meshScale": 2.0},
    "mjc": {"mjc:model:joint:testMjcJointScalar": 3.0, "mjc:state:joint:testMjcJointVec3": (1.0, 2.0, 3.0)},
    "newton": {"newton:maxHullVertices": 64, "newton:contactGap": 0.25},
}
COLLECTED_TEXT = """
bool physxArticulation:enabledSelfCollisions = true
float physxSDFMeshCollision:meshScale = 2
float mjc:model:joint:testMjcJointScalar = 3
float3 mjc:state:joint:testMjcJointVec3 = (1, 2, 3)
int newton:maxHullVertices = 64
float newton:contactGap = 0.25
float physics:mass = 1
"""


def test_attributes_are_collected_by_solver_and_prim(of_text):
    """The examples of the page's table of namespaces."""
    chain = SchemaResolverManager([NEWTON(), PHYSX(), MJC()])
    chain.collect_prim_attrs(of_text(COLLECTED_TEXT))
    assert {solver: prims["/P"] for solver, prims in chain.schema_attrs.items()} == COLLECTED


def test_drives_and_states_are_collected_for_physx(of_text):
    text = "float state:angular:physics:position = 1.5\nfloat drive:angular:physics:stiffness = 2"
    assert PHYSX().collect_prim_attrs(of_text(text)) == {
        "state:angular:physics:position": 1.5,
        "drive:angular:physics:stiffness": 2.0,
    }


def test_of_values_that_change_the_first_is_collected(of_text):
    of_joint = of_text("float physxJoint:armature.timeSamples = {\n0: 0.5,\n1: 0.7,\n}")
    assert SchemaResolverPhysx().collect_prim_attrs(of_joint) == {"physxJoint:armature": 0.5}
    assert SchemaResolverPhysx().get_value(of_joint, JOINT, "armature") == 0.5


@pytest.mark.parametrize("beginning", ["made:up", "made:up:"])
def test_a_namespace_may_end_with_its_colon(beginning):
    class Own(SchemaResolver):
        name = "own"
        extra_attr_namespaces = (beginning,)

    stage = Usd.Stage.CreateInMemory()
    stage.GetRootLayer().ImportFromString(
        '#usda 1.0\ndef Xform "P" { float made:up:a = 1\nfloat made:upper = 2\nfloat own:b = 3\n}\n'
    )
    assert Own().collect_prim_attrs(stage.GetPrimAtPath("/P")) == {"made:up:a": 1.0, "own:b": 3.0}
