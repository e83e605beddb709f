# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""USD stages in a scene: the examples of the page with the values that it states, units, and what is refused."""

import math

import numpy as np
import pytest
from usd_stages import at, body, cube, joint, prim, stage

import inertia_tools as it
from inertia_tools.errors import OptionError, ParseError
from inertia_tools.sim.scene.joint_kind import JointKind
from inertia_tools.sim.scene.notices import InertiaWarning, SceneWarning
from inertia_tools.spatial import Pose, rotation_about
from inertia_tools.usd import SchemaResolverMjc, SchemaResolverNewton, SchemaResolverPhysx

pytest.importorskip("pxr", reason="usd-core is not installed")

WHOLE = "float physics:mass = 2\nfloat3 physics:diagonalInertia = (1, 1, 1)\npoint3f physics:centerOfMass = (0, 0, 0)"
ARM = (body("base", WHOLE, cube("c")), body("arm", at(0, 0, 1), WHOLE, cube("c")))


def hinge(name: str, *content: str, apis=()) -> str:
    return joint(
        "PhysicsRevoluteJoint", name, "/base", "/arm", "point3f physics:localPos0 = (0, 0, 1)", *content, apis=apis
    )


def add(text: str, **options):
    builder = it.ModelBuilder()
    return builder, builder.add_usd(text, **options)


# The examples of the page

REMAPPED = stage(
    prim("PhysicsScene", "Scene", "uint physxScene:maxVelocityIterationCount = 16", apis=("PhysxSceneAPI",)),
    ARM[0],
    body(
        "arm",
        WHOLE,
        cube(
            "collision_shape",
            "float physxCollision:contactOffset = 0.05",
            "float physxCollision:restOffset = 0.01",
            apis=("PhysxCollisionAPI",),
        ),
    ),
    hinge(
        "elbow_joint",
        "float physxJoint:armature = 0.1",
        "float physxLimit:angular:stiffness = 1000.0",
        "float physxLimit:angular:damping = 10.0",
        "float state:angular:physics:position = 1.57",
        apis=("PhysxJointAPI", "PhysxLimitAPI:angular"),
    ),
)
RESOLVERS = [SchemaResolverPhysx(), SchemaResolverNewton()]


def test_the_page_remaps_iterations():
    assert add(REMAPPED, schema_resolvers=RESOLVERS)[1]["max_solver_iterations"] == 16


def test_the_page_remaps_contact_and_rest_offsets():
    builder, result = add(REMAPPED, schema_resolvers=RESOLVERS)
    config = builder.shapes[result["path_shape_map"]["/arm/collision_shape"]].config
    assert config.gap == pytest.approx(0.04)
    assert config.margin == pytest.approx(0.01)


def test_the_page_starts_joints_where_their_state_is():
    """A position of 1.57 is 1.57 rad."""
    builder, result = add(REMAPPED, schema_resolvers=RESOLVERS)
    pose = builder.body_pose[result["path_body_map"]["/arm"]]
    np.testing.assert_allclose(pose.rpy, [np.float32(1.57), 0.0, 0.0], atol=1e-6)


def test_the_page_gives_limits_their_gains():
    dof = dof_of(REMAPPED, "/elbow_joint", schema_resolvers=RESOLVERS)
    assert (dof.armature, dof.limit_ke, dof.limit_kd) == (pytest.approx(0.1), 1000.0, 10.0)
    by_degree = dof_of(REMAPPED, "/elbow_joint", schema_resolvers=RESOLVERS, angles_in_degrees=True)
    assert (by_degree.limit_ke, by_degree.limit_kd) == pytest.approx((np.degrees(1000.0), np.degrees(10.0)))


@pytest.mark.parametrize("by_degree", [False, True])
def test_limits_of_velocity_are_in_degrees_per_second(by_degree):
    """PhysX and Newton have them so, whatever is said of other angles."""
    for said in ("physxJoint:maxJointVelocity", "newton:velocityLimit"):
        for kind, wanted in (("Revolute", math.pi), ("Prismatic", 180.0)):
            text = stage(*ARM, joint(f"Physics{kind}Joint", "j", "/base", "/arm", f"float {said} = 180"))
            dof = dof_of(text, "/j", schema_resolvers=[PHYSX, NEWTON], angles_in_degrees=by_degree)
            assert dof.velocity_limit == pytest.approx(wanted)


def test_angles_by_degree_are_an_option():
    text = REMAPPED.replace("1.57", "90")
    builder, result = add(text, schema_resolvers=RESOLVERS, angles_in_degrees=True)
    np.testing.assert_allclose(builder.body_pose[result["path_body_map"]["/arm"]].rpy, [math.pi / 2, 0, 0], atol=1e-6)


def test_the_page_collects_what_solvers_state():
    result = add(REMAPPED, schema_resolvers=RESOLVERS)[1]
    found = result.get("schema_attrs", {})["physx"]
    armatures = {path: attrs["physxJoint:armature"] for path, attrs in found.items() if "physxJoint:armature" in attrs}
    assert armatures == {"/elbow_joint": pytest.approx(0.1)}
    assert found["/Scene"] == {"physxScene:maxVelocityIterationCount": 16}
    assert set(found["/arm/collision_shape"]) == {"physxCollision:contactOffset", "physxCollision:restOffset"}


CONFLICTING = stage(
    *ARM, hinge("shoulder_joint", "float newton:armature = 0.01\nfloat physxJoint:armature = 0.02\nfloat mjc:armature = 0.03")
)  # fmt: skip
NEWTON, PHYSX, MJC = SchemaResolverNewton(), SchemaResolverPhysx(), SchemaResolverMjc()


def dof_of(text: str, path: str, **options):
    """Return the only degree of freedom of a joint."""
    builder, result = add(text, **options)
    (dof,) = builder.joints[result["path_joint_map"][path]].dofs
    return dof.config


def armature_of(text: str, **options) -> float:
    return dof_of(text, "/shoulder_joint", **options).armature


@pytest.mark.parametrize(
    ("order", "expected"),
    [((NEWTON, PHYSX, MJC), 0.01), ((PHYSX, NEWTON, MJC), 0.02), ((MJC, NEWTON, PHYSX), 0.03)],
)
def test_the_page_resolves_by_priority(order, expected):
    assert armature_of(CONFLICTING, schema_resolvers=list(order)) == pytest.approx(expected)


SELF = (
    (None, None, True),
    ("bool newton:selfCollisionEnabled = false", None, False),
    ("bool physxArticulation:enabledSelfCollisions = false", None, False),
    ("bool newton:selfCollisionEnabled = true", False, True),
    ("", False, False),
    ("bool newton:selfCollisionEnabled = true\nbool physxArticulation:enabledSelfCollisions = false", None, True),
)


@pytest.mark.parametrize(("stated", "default", "touches"), SELF)
def test_self_collisions_by_articulation(stated, default, touches):
    from inertia_tools.sim.scene.shape_config import groups_touch

    root = prim("Xform", "robot", stated or "", *ARM, apis=("PhysicsArticulationRootAPI",))
    text = stage(root, hinge("j").replace("</base>", "</robot/base>").replace("</arm>", "</robot/arm>"))
    options = {} if default is None else {"enable_self_collisions": default}
    builder, result = add(text, schema_resolvers=[NEWTON, PHYSX], **options)
    one, other = (builder.shapes[result["path_shape_map"][f"/robot/{name}/c"]].config for name in ("base", "arm"))
    assert groups_touch(one.collision_group, other.collision_group) is touches
    assert builder.articulation_label == ["/robot"]


def test_the_mjc_margin_of_the_page():
    text = stage(body("B", WHOLE, cube("c", "double mjc:margin = 0.05\ndouble mjc:gap = 0.02")))
    builder, _ = add(text, schema_resolvers=[MJC])
    assert builder.shapes[0].config.margin == pytest.approx(0.03)
    assert builder.shapes[0].config.gap == pytest.approx(0.02)


def test_a_margin_below_zero_is_named():
    """The gap of MuJoCo is part of its margin; a surface that lies inside of the shape has no meaning in a scene."""
    text = stage(body("B", WHOLE, cube("c", "double mjc:margin = 0.01\ndouble mjc:gap = 0.03")))
    with pytest.warns(SceneWarning, match=r"/c: a margin of -0.02 m is negative"):
        builder, _ = add(text, schema_resolvers=[MJC])
    assert builder.shapes[0].config.margin == 0.0
    assert builder.shapes[0].config.gap == pytest.approx(0.03)


CUSTOM_DECLARATIONS = """
custom float newton:mass_scale = 1.0 (
    customData = {
        string assignment = "model"
        string frequency = "body"
    }
)
custom float3 newton:local_marker = (0.0, 0.0, 0.0) (
    customData = {
        string assignment = "model"
        string frequency = "body"
    }
)
custom bool newton:is_sensor = false (
    customData = {
        string assignment = "model"
        string frequency = "body"
    }
)
custom float3 newton:target_position = (0.0, 0.0, 0.0) (
    customData = {
        string assignment = "state"
        string frequency = "body"
    }
)
custom float newton:namespace_a:mass_scale = 1.0 (
    customData = {
        string assignment = "state"
        string frequency = "body"
    }
)
custom float newton:namespace_a:gear_ratio = 1.0 (
    customData = {
        string assignment = "model"
        string frequency = "joint"
    }
)
custom float2 newton:namespace_a:pid_gains = (0.0, 0.0) (
    customData = {
        string assignment = "control"
        string frequency = "joint"
    }
)
custom float newton:articulation_stiffness = 100.0 (
    customData = {
        string assignment = "model"
        string frequency = "articulation"
    }
)
"""
CUSTOM = stage(
    prim("PhysicsScene", "physicsScene", CUSTOM_DECLARATIONS),
    body(
        "base",
        WHOLE,
        "custom float newton:mass_scale = 1.5",
        "custom float3 newton:local_marker = (0.1, 0.2, 0.3)",
        "custom bool newton:is_sensor = true",
        "custom float3 newton:target_position = (1.0, 2.0, 3.0)",
        "custom float newton:namespace_a:mass_scale = 2.5",
    ),
    ARM[1],
    hinge("joint1", "custom float newton:namespace_a:gear_ratio = 2.25", "custom float2 newton:namespace_a:pid_gains = (100.0, 10.0)"),
    prim("Xform", "robot_articulation", "custom float newton:articulation_stiffness = 150.0", apis=("PhysicsArticulationRootAPI",)),
)  # fmt: skip


def test_the_page_declares_attributes_and_gives_them_values():
    pytest.importorskip("warp", reason="warp-lang is not installed")
    builder, result = add(CUSTOM)
    model = builder.finalize()
    state, control = model.state(), model.control()
    base, arm = (result["path_body_map"][path] for path in ("/base", "/arm"))
    one = result["path_joint_map"]["/joint1"]

    def of(array, *indices):
        return [array.numpy()[index].tolist() for index in indices]

    assert of(model.mass_scale, base, arm) == [1.5, 1.0]
    assert of(model.local_marker, base, arm) == [pytest.approx([0.1, 0.2, 0.3]), [0.0, 0.0, 0.0]]
    assert of(model.is_sensor, base, arm) == [True, False]
    assert of(state.target_position, base, arm) == [[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]]
    assert of(state.namespace_a.mass_scale, base, arm) == [2.5, 1.0]
    assert of(model.namespace_a.gear_ratio, one) == [2.25]
    assert of(control.namespace_a.pid_gains, one) == [[100.0, 10.0]]
    assert model.articulation_stiffness.numpy().tolist() == [100.0, 150.0], "one body is on no articulation root"
    assert len(model.mass_scale) == 2  # the world is no body
    assert [len(array) for array in (model.namespace_a.gear_ratio, control.namespace_a.pid_gains)] == [2, 2]


@pytest.mark.parametrize(
    ("declared", "default", "stated", "expected"),
    [
        ("float newton:a", "1.0", "2.5", 2.5),
        ("double newton:a", "1.0", "2.5", 2.5),
        ("bool newton:a", "false", "true", True),
        ("int newton:a", "1", "3", 3),
        ("float2 newton:a", "(1, 1)", "(2, 3)", [2, 3]),
        ("float3 newton:a", "(1, 1, 1)", "(2, 3, 4)", [2, 3, 4]),
        ("color3f newton:a", "(1, 1, 1)", "(2, 3, 4)", [2, 3, 4]),
        ("float4 newton:a", "(1, 1, 1, 1)", "(2, 3, 4, 5)", [2, 3, 4, 5]),
        ("quatf newton:a", "(1, 0, 0, 0)", "(0, 0, 0, 2)", [0, 0, 1, 0]),
        ("quatd newton:a", "(1, 0, 0, 0)", "(0.6, 0.8, 0, 0)", [0.8, 0, 0, 0.6]),
    ],
)
def test_each_type_of_custom_attribute(declared, default, stated, expected):
    pytest.importorskip("warp", reason="warp-lang is not installed")
    said = 'customData = {\n string assignment = "MODEL"\n string frequency = "Body"\n }'
    scene = prim("PhysicsScene", "s", f"custom {declared} = {default} (\n {said}\n)")
    builder, result = add(stage(scene, body("B", WHOLE, f"custom {declared} = {stated}"), body("C", WHOLE)))
    values = builder.finalize().a.numpy()
    np.testing.assert_allclose(values[result["path_body_map"]["/B"]], expected, atol=1e-6)
    assert len(values) == 2


@pytest.mark.parametrize(
    ("frequency", "owner", "value", "expected"),
    [
        ("body", "/base", 7.0, [7.0, 1.0]),
        ("shape", "/base/c", 7.0, [7.0, 1.0]),
        ("joint", "/ball", 7.0, [1.0, 7.0]),
        ("joint_dof", "/ball", 7.0, [1.0] * 6 + [7.0] * 3),
        ("joint_coord", "/ball", 7.0, [1.0] * 7 + [7.0] * 4),
        ("joint_constraint", "/ball", 7.0, [1.0] * 3),
        ("articulation", "/base", 7.0, [7.0]),
        ("once", "/base", 7.0, [1.0]),
        ("world", "/base", 7.0, [1.0]),
        ("particle", "/base", 7.0, []),
    ],
)
def test_each_frequency_of_custom_attribute(frequency, owner, value, expected):
    pytest.importorskip("warp", reason="warp-lang is not installed")
    said = f'customData = {{\n string assignment = "model"\n string frequency = "{frequency}"\n }}'
    scene = prim("PhysicsScene", "s", f"custom float newton:a = 1 (\n {said}\n)")
    stated = f"custom float newton:a = {value}"

    def own(path: str) -> str:
        return stated if path == owner else ""

    text = stage(
        scene,
        body("base", WHOLE, own("/base"), cube("c", own("/base/c")), apis=("PhysicsArticulationRootAPI",)),
        ARM[1],
        joint("PhysicsSphericalJoint", "ball", "/base", "/arm", own("/ball")),
    )
    assert add(text)[0].finalize().a.numpy().tolist() == expected


@pytest.mark.parametrize("stated", ['string newton:a = "x"', "float3 newton:a = (1, 2, 3)"])
def test_values_of_another_type_than_the_declared_one_are_refused_with_their_line(stated, tmp_path):
    said = 'customData = {\n string assignment = "model"\n string frequency = "body"\n }'
    scene = prim("PhysicsScene", "s", f"custom float newton:a = 1 (\n {said}\n)")
    (tmp_path / "robot.usda").write_text(stage(scene, body("B", WHOLE, f"custom {stated}")))
    line = (tmp_path / "robot.usda").read_text().split('"B"')[0].count("\n") + 1
    with pytest.raises(ParseError, match=rf"robot.usda:{line}: /B: a must be a number, as of float32"):
        it.ModelBuilder().add_usd(tmp_path / "robot.usda")


@pytest.mark.parametrize(
    "said",
    ["", 'string assignment = "model"', 'string assignment = "cupboard"\nstring frequency = "body"', 'string assignment = "model"\nstring frequency = "galaxy"'],
)  # fmt: skip
def test_declarations_that_say_too_little_are_named_and_left_out(said, caplog):
    scene = prim("PhysicsScene", "s", f"custom float newton:a = 1 (\n customData = {{\n{said}\n}}\n)")
    builder, _ = add(stage(scene, body("B", WHOLE)))
    assert builder.custom_attributes == {}
    assert "newton:a" in caplog.text


def test_what_another_scene_than_the_first_declares_is_named(caplog):
    """It would be found on no model, and nothing said why."""
    said = 'custom float newton:{} = 2.0 (customData = {{\nstring assignment = "model"\nstring frequency = "body"\n}})'
    scenes = prim("PhysicsScene", "first", said.format("a")), prim("PhysicsScene", "second", said.format("b"))
    builder = it.ModelBuilder()
    builder.add_usd(stage(*scenes, body("B", cube("c"))))
    assert list(builder.custom_attributes) == ["a"]
    assert "/second.newton:b is ignored" in caplog.text and "/first" in caplog.text


def test_declarations_in_two_namespaces_are_named_and_left_out(caplog):
    said = 'customData = {\n string assignment = "model"\n string frequency = "body"\n}'
    scene = prim("PhysicsScene", "s", f"custom float newton:a:b:c = 1 (\n {said}\n)\ncustom float newton:x:y:z = 1")
    builder, _ = add(stage(scene, body("B", WHOLE)))
    assert builder.custom_attributes == {}
    assert "newton:a:b:c" in caplog.text and "newton:x:y:z" not in caplog.text


def test_attributes_of_states_from_a_stage_survive_steps_and_resets():
    pytest.importorskip("warp", reason="warp-lang is not installed")
    builder, result = add(CUSTOM)
    model = builder.finalize()
    first, second = model.state(), model.state()
    solver = it.SolverXPBD(model)
    base = result["path_body_map"]["/base"]
    first.namespace_a.mass_scale.fill_(9.0)
    solver.step(first, second, None, None, 0.01)
    assert second.namespace_a.mass_scale.numpy().tolist() == [9.0, 9.0]
    assert second.target_position.numpy()[base].tolist() == [1.0, 2.0, 3.0]
    assert model.state().namespace_a.mass_scale.numpy()[base] == 2.5


# What is read


def test_what_schemas_state_of_a_joint_reaches_it():
    stated = """
    float newton:friction = 0.5
    float newton:damping = 0.25
    float newton:velocityLimit = 3
    double mjc:stiffness = 7
    double mjc:springref = 0.125
    double mjc:actuatorfrcrange:min = -5
    double mjc:actuatorfrcrange:max = 4
    """
    dof = dof_of(stage(*ARM, hinge("j", stated)), "/j", schema_resolvers=[NEWTON, MJC])
    assert (dof.friction, dof.damping, dof.velocity_limit) == (0.5, 0.25, pytest.approx(math.radians(3.0)))
    assert (dof.stiffness, dof.springref, dof.effort_limit) == (7.0, 0.125, 5.0)


def test_the_builder_has_what_nothing_states():
    builder = it.ModelBuilder()
    builder.default_joint_cfg.armature = 0.75
    result = builder.add_usd(stage(*ARM, hinge("j")), schema_resolvers=[MJC])
    assert builder.joints[result["path_joint_map"]["/j"]].dofs[0].config.armature == 0.75


def test_drives_and_limits_of_usdphysics_are_by_degree_always():
    content = """
    float physics:lowerLimit = -90
    float physics:upperLimit = 45
    float drive:angular:physics:stiffness = 2
    float drive:angular:physics:damping = 1
    float drive:angular:physics:targetPosition = 30
    float drive:angular:physics:maxForce = 8
    """
    dof = dof_of(
        stage(*ARM, hinge("j", content, apis=("PhysicsDriveAPI:angular",))), "/j", joint_drive_gains_scaling=0.5
    )
    assert (dof.limit_lower, dof.limit_upper) == pytest.approx((-np.pi / 2, np.pi / 4))
    assert (dof.target_ke, dof.target_kd) == pytest.approx((np.degrees(1.0), np.degrees(0.5)))
    assert (dof.target_pos, dof.effort_limit) == pytest.approx((np.radians(30.0), 8.0))


def test_generic_and_stacked_joints_are_one_joint_with_values_for_each_freedom():
    said = 'customData = {\n string assignment = "model"\n string frequency = "joint_dof"\n }'
    scene = prim("PhysicsScene", "s", f"custom float newton:a = 1 (\n {said}\n)")
    first = hinge(
        "first", 'uniform token physics:axis = "X"', "custom float newton:a = 5", "float newton:armature = 0.5"
    )
    second = hinge(
        "second", 'uniform token physics:axis = "Y"', "custom float newton:a = 6", "float newton:armature = 0.25"
    )
    builder, result = add(stage(scene, *ARM, first, second))
    index = result["path_joint_map"]["/first"]
    assert result["path_joint_map"]["/second"] == index
    assert builder.joints[index].kind is JointKind.D6
    assert [dof.config.armature for dof in builder.joints[index].dofs] == [0.5, 0.25]
    pytest.importorskip("warp", reason="warp-lang is not installed")
    assert builder.finalize().a.numpy()[-2:].tolist() == [5.0, 6.0]


@pytest.mark.parametrize(
    ("state", "expected"),
    [("", 0.5), ("float newton:angular:position = 0.25", 0.25), ("float newton:angular:position = 0", 0.0)],
)
def test_a_joint_starts_where_the_transforms_have_it_unless_its_state_says_otherwise(state, expected):
    turn = f"double3 xformOp:rotateXYZ = ({np.degrees(0.5)}, 0, 0)"
    moved = at(0, 0, 1).replace('["xformOp:translate"]', '["xformOp:translate", "xformOp:rotateXYZ"]') + f"\n{turn}"
    builder, result = add(stage(ARM[0], body("arm", moved, WHOLE), hinge("j", state)))
    pose = builder.body_pose[result["path_body_map"]["/arm"]]
    np.testing.assert_allclose(pose.rpy, [expected, 0, 0], atol=1e-6)
    np.testing.assert_allclose(pose.position, [0, 0, 1], atol=1e-6)


@pytest.mark.parametrize("base", ["/base", ""])
def test_a_slide_starts_where_the_transforms_have_it(base):
    slide = joint("PhysicsPrismaticJoint", "j", base, "/arm", 'uniform token physics:axis = "Z"')
    builder, result = add(stage(*ARM, slide))
    assert builder.body_pose[result["path_body_map"]["/arm"]].position.tolist() == pytest.approx([0.0, 0.0, 1.0])


def test_a_generic_joint_starts_where_its_freedoms_do():
    locked = tuple(f"PhysicsLimitAPI:{dof}" for dof in ("transX", "transY", "transZ"))
    limits = [
        f"float limit:{api.partition(':')[2]}:physics:low = 1\nfloat limit:{api.partition(':')[2]}:physics:high = -1"
        for api in locked
    ]
    bounds = tuple(f"PhysicsLimitAPI:{dof}" for dof in ("rotX", "rotY", "rotZ"))
    limits += [
        f"float limit:{api.partition(':')[2]}:physics:low = -90\nfloat limit:{api.partition(':')[2]}:physics:high = 90"
        for api in bounds
    ]
    state = "float state:rotX:physics:position = 0.5\nfloat state:rotZ:physics:position = 0.25"
    text = stage(*ARM, joint("PhysicsJoint", "j", "/base", "/arm", *limits, state, apis=(*locked, *bounds)))
    builder, result = add(text, schema_resolvers=RESOLVERS)
    from inertia_tools.spatial import rotation_from_rpy

    turned = builder.body_pose[result["path_body_map"]["/arm"]].rotation
    np.testing.assert_allclose(turned, rotation_from_rpy([0.5, 0, 0]) @ rotation_from_rpy([0, 0, 0.25]), atol=1e-7)


def test_what_hangs_on_the_world_by_a_joint_touches_its_floor():
    pytest.importorskip("warp", reason="warp-lang is not installed")
    slide = joint("PhysicsPrismaticJoint", "slide", "", "/base", 'uniform token physics:axis = "Z"')
    text = stage(cube("floor"), *ARM, slide, hinge("j"))
    builder = it.ModelBuilder()
    builder.add_description(it.load_text(text))
    model = builder.finalize()
    touching = {frozenset(model.labels[shape] for shape in pair) for pair in model.slot_shapes.tolist()}
    assert touching == {frozenset(("world", "base")), frozenset(("world", "arm"))}


@pytest.mark.parametrize("count", [3, 6])
def test_drives_of_a_generic_joint_act_though_its_freedoms_have_no_limits(count):
    pytest.importorskip("warp", reason="warp-lang is not installed")
    linear, angular = ("transX", "transY", "transZ"), ("rotX", "rotY", "rotZ")
    driven = angular if count == 3 else (*linear, *angular)
    limits = [f"float limit:{dof}:physics:low = 1\nfloat limit:{dof}:physics:high = -1" for dof in linear]
    words = {"stiffness": 50, "damping": 5, "targetPosition": 0.25}
    drives = [f"float drive:{dof}:physics:{word} = {value}" for dof in driven for word, value in words.items()]
    apis = tuple(f"PhysicsDriveAPI:{dof}" for dof in driven)
    content = drives if count == 6 else [*limits, *drives]
    text = stage(body("arm", WHOLE, cube("c")), joint("PhysicsJoint", "j", "", "/arm", *content, apis=apis))
    builder, result = add(text)
    dofs = builder.joints[result["path_joint_map"]["/j"]].dofs
    by_dof = [50.0] * (count - 3) + [np.degrees(50.0)] * 3
    assert [dof.config.target_ke for dof in dofs] == pytest.approx(by_dof)
    simulation = it.Simulation(it.load_text(text), gravity=(0.0, 0.0, 0.0))
    simulation.step(1200)
    snapshot = simulation.snapshot()
    wanted = [0.25] * (count - 3) + [np.radians(0.25)] * 3
    assert [position for position, _ in snapshot.joints] == pytest.approx(wanted, rel=1e-2)


@pytest.mark.parametrize("held", [True, False])
@pytest.mark.parametrize("ends", [("/base", "/arm"), ("/arm", "/base")])
def test_a_distance_joint_keeps_its_distances(held, ends):
    pytest.importorskip("warp", reason="warp-lang is not installed")
    fixed = (
        [joint("PhysicsFixedJoint", "held", "", "/base", "bool physics:excludeFromArticulation = false")]
        if held
        else []
    )
    tether = joint("PhysicsDistanceJoint", "rope", *ends, "float physics:maxDistance = 150")
    links = [text.replace("(0, 0, 1)", "(0, 0, -100)").replace("0.2", "20") for text in ARM]
    builder, result = add(stage(*links, *fixed, tether, metre=0.01))
    rope = builder.joints[result["path_joint_map"]["/rope"]]
    assert rope.kind is JointKind.DISTANCE
    assert (rope.dofs[0].config.limit_lower, rope.dofs[0].config.limit_upper) == (-np.inf, 1.5)
    if not held:
        return
    model = builder.finalize()
    state, solver = model.state(), it.SolverXPBD(model)
    for _ in range(240):
        solver.step(state, state, None, None, 1 / 240)
    height = state.body_q.numpy()[result["path_body_map"]["/arm"]][2]
    assert height == pytest.approx(-1.5, abs=1e-3)


def test_a_loop_is_closed():
    extra = hinge("extra", "bool physics:excludeFromArticulation = true")
    held = joint("PhysicsFixedJoint", "held", "", "/base")
    builder, result = add(stage(*ARM, held, hinge("j"), extra))
    assert builder.joints[result["path_joint_map"]["/extra"]].closes_loop


def test_a_body_without_positive_mass_does_not_move():
    pytest.importorskip("warp", reason="warp-lang is not installed")
    builder, _ = add(stage(body("B", "float physics:mass = 0", cube("c"))))
    with pytest.warns(UserWarning):
        model = builder.finalize()
    assert not model.moves.any()


def test_a_collider_of_no_use_is_skipped_with_a_warning():
    sheet = prim("Mesh", "m", "point3f[] points = [(0,0,0),(1,0,0),(0,1,0)]", "int[] faceVertexCounts = [3]",
                 "int[] faceVertexIndices = [0, 1, 2]", apis=("PhysicsCollisionAPI",))  # fmt: skip
    with pytest.warns(SceneWarning, match=r"/B/m .*skipped"):
        builder, result = add(stage(body("B", sheet, cube("c"))))
    assert builder.body_mass == [pytest.approx(8.0)]
    assert "collider-without-mass" in {finding.code for finding in result["findings"]}


def test_the_result_names_everything():
    text = stage(prim("PhysicsScene", "s"), *ARM, hinge("j"), cube("floor", at(0, 0, -1)))
    builder, result = add(text)
    assert set(result["path_body_map"]) == {"/base", "/arm"}
    assert builder.joints[result["path_joint_map"]["/j"]].kind is JointKind.REVOLUTE
    assert builder.shapes[result["path_shape_map"]["/floor"]].body == -1
    assert result["path_shape_scale"]["/floor"] == (1.0, 1.0, 1.0)
    assert (result["up_axis"], result["linear_unit"], result["mass_unit"]) == ("Z", 1.0, 1.0)
    assert result["physics_scene_path"] == "/s"
    assert result["physics_dt"] == 1e-3
    assert result["scene_attributes"] == {}
    keys = "fps duration collapse_results path_body_relative_transform schema_attrs max_solver_iterations findings"
    assert set(keys.split()) <= set(result)


def test_newtons_schemas_are_those_looked_at_by_default():
    assert armature_of(CONFLICTING) == pytest.approx(0.01)
    assert set(add(CONFLICTING)[1]["schema_attrs"]) == {"newton"}


@pytest.mark.parametrize(("axis", "down"), [("X", [0, 0, -9.81]), ("Y", [0, 0, -9.81]), ("Z", [0, 0, -9.81])])
def test_up_is_turned_to_z(axis, down):
    text = stage(prim("PhysicsScene", "s"), body("B", at(1, 2, 3), WHOLE)).replace('upAxis = "Z"', f'upAxis = "{axis}"')
    builder, _ = add(text)
    np.testing.assert_allclose(builder.gravity, down, atol=1e-12)
    assert builder.body_pose[0].position[2] == pytest.approx({"X": 1.0, "Y": 2.0, "Z": 3.0}[axis])
    kept, _ = add(text, apply_up_axis_from_stage=True)
    np.testing.assert_allclose(kept.gravity, -9.81 * np.eye(3)["XYZ".index(axis)], atol=1e-12)
    assert kept.body_pose[0].position.tolist() == [1.0, 2.0, 3.0]


def test_gravity_is_that_of_the_scene():
    scene = prim(
        "PhysicsScene", "s", "float physics:gravityMagnitude = 162", "vector3f physics:gravityDirection = (0, 0, -2)"
    )
    builder, _ = add(stage(scene, metre=0.01))
    np.testing.assert_allclose(builder.gravity, [0, 0, -1.62])
    off = prim("PhysicsScene", "s", "bool newton:gravityEnabled = false")
    np.testing.assert_array_equal(add(stage(off))[0].gravity, np.zeros(3))


def test_gravity_of_a_stage_is_that_of_the_world_it_is_put_into():
    scene = prim(
        "PhysicsScene", "s", "float physics:gravityMagnitude = 2", "vector3f physics:gravityDirection = (1, 0, 0)"
    )
    builder = it.ModelBuilder(gravity=-3.0)
    quarter = Pose(rotation=rotation_about((0.0, 0.0, 1.0), np.pi / 2))
    for options in ({}, {"xform": quarter}, {"xform": quarter, "override_root_xform": True}):
        builder.begin_world()
        builder.add_usd(stage(scene), **options)
        builder.end_world()
    np.testing.assert_allclose(builder.gravity, [0.0, 0.0, -3.0])
    np.testing.assert_allclose(builder.world_gravity, [[2, 0, 0], [0, 2, 0], [2, 0, 0]], atol=1e-12)


def test_lengths_of_contacts_are_converted():
    text = stage(
        body("B", WHOLE, cube("c", "float newton:contactMargin = 5\nfloat newton:contactGap = 2", size=20)), metre=0.01
    )
    builder, _ = add(text)
    assert (builder.shapes[0].config.margin, builder.shapes[0].config.gap) == pytest.approx((0.05, 0.02))


@pytest.mark.parametrize(
    ("stated", "expected"),
    [("float physics:dynamicFriction = 0.25\nfloat physics:staticFriction = 0.5", 0.25), ("float physics:staticFriction = 0.5", 0.5), ("", 1.0)],
)  # fmt: skip
def test_friction_is_that_of_the_bound_material(stated, expected):
    material = prim("Material", "M", stated, apis=("PhysicsMaterialAPI",))
    shape = cube("c", "rel material:binding:physics = </M>", apis=("MaterialBindingAPI",))
    assert add(stage(material, body("B", WHOLE, shape)))[0].shapes[0].config.mu == expected


def test_what_has_no_place_is_named_once_and_kept():
    text = stage(
        body("B", WHOLE, "float physxRigidBody:angularDamping = 0.5", cube("c", "bool newton:hydroelasticEnabled = 1"))
    )
    with pytest.warns(SceneWarning, match=r"newton:hydroelasticEnabled, physxRigidBody:angularDamping") as said:
        result = add(text, schema_resolvers=RESOLVERS)[1]
    assert len(said) == 1
    assert result["schema_attrs"]["physx"]["/B"] == {"physxRigidBody:angularDamping": 0.5}


@pytest.mark.parametrize(
    ("approximation", "kind"),
    [("boundingCube", "BOX"), ("boundingSphere", "SPHERE"), ("convexHull", "MESH"), ("convexDecomposition", "MESH")],
)
def test_meshes_collide_as_they_ask(approximation, kind):
    points = "point3f[] points = [(0,0,0),(1,0,0),(0,1,0),(0,0,1)]"
    faces = "int[] faceVertexCounts = [3,3,3,3]\nint[] faceVertexIndices = [0,2,1, 0,1,3, 0,3,2, 1,2,3]"
    mesh = prim(
        "Mesh",
        "m",
        points,
        faces,
        f'uniform token physics:approximation = "{approximation}"',
        apis=("PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"),
    )
    text = stage(body("B", mesh, mass_api=False))
    assert add(text)[0].shapes[0].kind.name == kind
    plain = add(text, skip_mesh_approximation=True)[0].shapes[0]
    assert (plain.kind.name, plain.config.mesh_approximation) == ("MESH", "auto")
    assert add(text)[0].body_mass[0] == pytest.approx(1000.0 / 6.0)  # the mass is that of the mesh


def test_a_pose_moves_everything():
    text = stage(*ARM, hinge("j"), cube("floor"))
    builder, result = add(text, xform=Pose([10.0, 0.0, 0.0]))
    assert builder.body_pose[result["path_body_map"]["/arm"]].position.tolist() == [10.0, 0.0, 1.0]
    assert builder.shapes[result["path_shape_map"]["/floor"]].pose.position.tolist() == [10.0, 0.0, 0.0]


def test_prims_can_be_left_out():
    text = stage(*ARM, body("third", WHOLE), hinge("j"))
    assert set(add(text, ignore_paths=["/a"])[1]["path_body_map"]) == {"/base", "/third"}
    assert add(text, ignore_paths=["/a"])[1]["path_joint_map"] == {}  # the world does not take its place
    assert set(add(text, root_path="/arm")[1]["path_body_map"]) == {"/arm"}


@pytest.mark.parametrize(("floating", "kind"), [(True, "FREE"), (False, "FIXED"), (None, "FREE")])
def test_the_base_is_held_as_asked(floating, kind):
    builder, _ = add(stage(body("B", WHOLE)), floating=floating)
    assert [one.name for one in builder.joint_type] == [kind]


def test_a_stage_that_is_open_and_a_description_are_taken_too(tmp_path):
    from pxr import Usd

    path = tmp_path / "robot.usda"
    path.write_text(stage(*ARM, hinge("j")))
    opened = Usd.Stage.Open(str(path))
    for source in (path, str(path), opened, it.load(path), path.read_text(), path.read_bytes()):
        builder = it.ModelBuilder()
        assert set(builder.add_usd(source)["path_body_map"]) == {"/base", "/arm"}


def test_two_stages_in_one_scene():
    builder = it.ModelBuilder()
    results = [builder.add_usd(CUSTOM) for _ in range(2)]
    assert [result["path_body_map"]["/base"] for result in results] == [0, 2]
    pytest.importorskip("warp", reason="warp-lang is not installed")
    assert builder.finalize().mass_scale.numpy().tolist() == [1.5, 1.0, 1.5, 1.0]


@pytest.mark.parametrize(("name", "value"), [("base_joint", {}), ("override_root_xform", True)])
def test_options_without_a_meaning_are_refused(name, value):
    with pytest.raises(OptionError, match=name):
        add(stage(), **{name: value})


def test_unknown_options_and_other_formats_are_refused():
    with pytest.raises(TypeError, match="colour"):
        add(stage(), colour="red")
    with pytest.raises(OptionError, match="add_urdf"):
        it.ModelBuilder().add_usd(it.load_text('<robot name="r"><link name="l"/></robot>'))


def test_drawing_options_are_taken():
    add(stage(), verbose=True, load_visual_shapes=False, hide_collision_shapes=True)


def test_a_simulation_keeps_attributes_of_its_state_through_steps_and_goes_back_to_the_start():
    pytest.importorskip("warp", reason="warp-lang is not installed")
    simulation = it.Simulation(it.load_text(CUSTOM))
    base = simulation.model.names.index("base")
    assert simulation.state.target_position.numpy()[base].tolist() == [1.0, 2.0, 3.0]
    simulation.state.namespace_a.mass_scale.fill_(9.0)
    simulation.step(3)
    assert simulation.state.namespace_a.mass_scale.numpy()[base] == 9.0
    assert simulation.state.target_position.numpy()[base].tolist() == [1.0, 2.0, 3.0]
    simulation.reset()
    assert simulation.state.namespace_a.mass_scale.numpy()[base] == 2.5
    assert simulation.model.articulation_stiffness.numpy().tolist() == [150.0]


def test_a_simulation_of_a_stage_falls():
    pytest.importorskip("warp", reason="warp-lang is not installed")
    simulation = it.Simulation(it.load_text(stage(body("B", at(0, 0, 5), WHOLE, cube("c")))), dtype="float64")
    simulation.step(24)
    snapshot = simulation.snapshot()
    assert snapshot.positions[list(snapshot.names).index("B")][2] == pytest.approx(5.0 - 0.5 * 9.81 * 0.01, abs=1e-3)


def test_bound_material_reaches_the_shape():
    """Torsional and rolling friction are lengths, here in centimetres."""
    material = prim(
        "Material",
        "rubber",
        "float physics:restitution = 0.5",
        "float newton:torsionalFriction = 2",
        "float newton:rollingFriction = 1",
        apis=("PhysicsMaterialAPI",),
    )
    bound = cube("c", "rel material:binding:physics = </rubber>", apis=("MaterialBindingAPI",))
    builder, _ = add(stage(material, body("B", bound, mass_api=False), metre=0.01))
    (shape,) = builder.shapes
    found = (shape.config.restitution, shape.config.mu_torsional, shape.config.mu_rolling)
    assert found == pytest.approx((0.5, 0.02, 0.01))


def test_root_of_an_articulation_may_have_newtons_schema():
    """OpenUSD does not list a schema that it does not know."""
    two = body("A", cube("c"), mass_api=False) + body("B", cube("c"), mass_api=False)
    off = "bool newton:selfCollisionEnabled = false"
    root = prim(
        "Xform", "R", off, two, joint("PhysicsFixedJoint", "j", "/R/A", "/R/B"), apis=("NewtonArticulationRootAPI",)
    )
    builder, _ = add(stage(root))
    assert builder.articulation_label == ["/R"]
    groups = {shape.config.collision_group for shape in builder.shapes}
    assert len(groups) == 1
    assert groups.pop() < 0


SPINNING = prim("PhysicsScene", "S", "float physics:gravityMagnitude = 0")
ON_A_HINGE = (
    body("A", at(0, 0, 1), cube("c"), mass_api=False),
    body("B", at(1, 0, 1), cube("c"), mass_api=False),
    body("C", at(2, 0, 1), cube("c"), mass_api=False),
    joint("PhysicsFixedJoint", "weld", "/B", "/C", "point3f physics:localPos0 = (1, 0, 0)"),
)


def shoulder(*content: str) -> str:
    axis = 'uniform token physics:axis = "Z"'
    return joint("PhysicsRevoluteJoint", "j", "/A", "/B", axis, "point3f physics:localPos1 = (-1, 0, 0)", *content)


@pytest.mark.parametrize("resolver", [SchemaResolverPhysx, SchemaResolverNewton])
def test_rate_of_a_joint_moves_what_hangs_on_it(resolver):
    word = "state:angular:physics:velocity" if resolver is SchemaResolverPhysx else "newton:angular:velocity"
    text = stage(SPINNING, *ON_A_HINGE, shoulder(f"float {word} = 2"))
    builder, result = add(text, schema_resolvers=[resolver()])
    bodies = result["path_body_map"]
    state = builder.finalize(dtype="float64").state()
    qd = state.body_qd.numpy()
    np.testing.assert_allclose(qd[bodies["/A"]], 0.0, atol=1e-12)
    np.testing.assert_allclose(qd[bodies["/B"]], [0, 2, 0, 0, 0, 2], atol=1e-6)
    np.testing.assert_allclose(qd[bodies["/C"]], [0, 4, 0, 0, 0, 2], atol=1e-6)
    assert builder.joints[result["path_joint_map"]["/j"]].name == "j"
    np.testing.assert_allclose(np.sort(state.joint_qd.numpy())[-1], 2.0, rtol=1e-6)


def test_start_of_a_joint_stands_in_the_builder_and_can_be_written_there():
    text = stage(SPINNING, *ON_A_HINGE, shoulder("float state:angular:physics:position = 0.5"))
    builder, result = add(text, schema_resolvers=[SchemaResolverPhysx()])
    place = builder.joint_q_start[result["path_joint_map"]["/j"]]
    assert builder.joint_q[place] == pytest.approx(0.5)
    assert builder.finalize(dtype="float64").joint_q.numpy()[place] == pytest.approx(0.5)
    builder.joint_q[place] = 0.0
    state = builder.finalize(dtype="float64").state()
    assert state.joint_q.numpy()[place] == pytest.approx(0.0, abs=1e-9)
    np.testing.assert_allclose(state.body_q.numpy()[result["path_body_map"]["/B"]][:3], [1, 0, 1], atol=1e-9)


def test_body_starts_with_the_velocity_that_it_states_in_its_own_axes():
    """A quarter turn about z brings x to y; centimetres and degrees."""
    turned = (
        "quatd xformOp:orient = (0.7071067811865476, 0, 0, 0.7071067811865476)\n"
        'uniform token[] xformOpOrder = ["xformOp:orient"]'
    )
    speed = "vector3f physics:velocity = (100, 0, 0)", "vector3f physics:angularVelocity = (0, 0, 90)"
    builder, _ = add(stage(SPINNING, body("A", turned, *speed, cube("c", size=20), mass_api=False), metre=0.01))
    model = builder.finalize(dtype="float64")
    state, after = model.state(), model.state()
    np.testing.assert_allclose(state.body_qd.numpy(), [[0, 1, 0, 0, 0, np.pi / 2]], atol=1e-7)
    it.SolverXPBD(model).step(state, after, model.control(), None, 0.1)
    np.testing.assert_allclose(after.body_q.numpy()[0, :3], [0.0, 0.1, 0.0], atol=1e-6)


def test_worlds_start_as_fast_as_the_scene():
    speed = "vector3f physics:velocity = (1, 0, 0)"
    builder, _ = add(stage(SPINNING, body("A", speed, cube("c"), mass_api=False)))
    builder.replicate(3)
    assert builder.finalize().state().body_qd.numpy()[:, 0].tolist() == [1.0] * 3


@pytest.mark.parametrize(("kind", "dof"), [("Revolute", "angular"), ("Prismatic", "linear")])
def test_what_schemas_state_of_joints_is_in_the_units_of_the_stage(kind, dof):
    """The same joint in metres and kilograms, and in centimetres and grams."""

    def stated(metre: float, kilogram: float) -> tuple:
        way = metre if dof == "linear" else 1.0
        gain = kilogram if dof == "linear" else kilogram * metre**2
        effort = gain * way
        values = {
            "newton:armature": 0.1 / gain,
            "newton:damping": 0.6 / gain,
            "newton:friction": 0.4 / effort,
            "newton:velocityLimit": 3.0 / way if dof == "linear" else math.degrees(3.0),
            "newton:limitStiffness": 700.0 / gain,
            "newton:limitDamping": 7.0 / gain,
            f"newton:{dof}:position": 0.2 / way,
            f"newton:{dof}:velocity": 0.3 / way,
            "mjc:stiffness": 5.0 / gain,
            "mjc:springref": 0.05 / way,
            "mjc:actuatorfrcrange:max": 8.0 / effort,
            f"drive:{dof}:physics:stiffness": 2.0 / gain,
        }
        said = [f"float {name} = {value}" for name, value in values.items()]
        text = stage(
            body("base", WHOLE, apis=("PhysicsArticulationRootAPI",)),
            body("arm", WHOLE),
            joint(f"Physics{kind}Joint", "j", "/base", "/arm", *said, apis=(f"PhysicsDriveAPI:{dof}",)),
            metre=metre,
            kilogram=kilogram,
        )
        builder, _ = add(text, schema_resolvers=[SchemaResolverNewton(), SchemaResolverMjc()])
        config = next(one for one in builder.joints if one.name == "j").dofs[0].config
        names = ("armature", "damping", "friction", "velocity_limit", "limit_ke", "limit_kd", "stiffness", "springref")
        numbers = [getattr(config, name) for name in (*names, "effort_limit")]
        state = builder.finalize().state()
        return numbers, state.body_q.numpy()[-1], state.body_qd.numpy()[-1]

    numbers, pose, velocity = stated(1.0, 1.0)
    assert numbers == pytest.approx([0.1, 0.6, 0.4, 3.0, 700.0, 7.0, 5.0, 0.05, 8.0])
    small = stated(0.01, 0.001)
    assert small[0] == pytest.approx(numbers, rel=1e-5)
    np.testing.assert_allclose(small[1], pose, atol=1e-5)
    np.testing.assert_allclose(small[2], velocity, atol=1e-5)
    assert np.abs(velocity).max() == pytest.approx(0.3, rel=1e-5)


def test_gains_of_contacts_are_those_of_the_first_schemas_that_state_some():
    """A solref (t, d) stands for the stiffness 1 / (t d)^2 and the damping 2 / t."""
    material = prim("Material", "M", "float newton:contactStiffness = 4000", apis=("PhysicsMaterialAPI",))
    said = ("double[] mjc:solref = [0.01, 0.5]", "rel material:binding:physics = </M>")
    text = stage(material, body("B", WHOLE, cube("c", *said, apis=("MaterialBindingAPI",))))
    for resolvers, expected in (
        ([SchemaResolverMjc(), SchemaResolverNewton()], (1.0 / (0.01 * 0.5) ** 2, 200.0)),
        ([SchemaResolverNewton(), SchemaResolverMjc()], (4000.0, 200.0)),
        ([SchemaResolverNewton()], (4000.0, it.ShapeConfig().kd)),
    ):
        config = add(text, schema_resolvers=resolvers)[0].shapes[0].config
        assert (config.ke, config.kd) == pytest.approx(expected)


@pytest.mark.parametrize(("stated", "step"), [("500", 0.002), ("0", 0.001), ("-5", 0.001)])
def test_a_rate_of_steps_that_there_is_not_is_that_of_the_schema(stated, step):
    scene = prim("PhysicsScene", "s", f"int newton:timeStepsPerSecond = {stated}", apis=("NewtonSceneAPI",))
    assert add(stage(scene, *ARM))[1]["physics_dt"] == step


@pytest.mark.parametrize(
    ("gains", "forced", "mode"),
    [
        ("", False, "EFFORT"),
        ("float drive:angular:physics:stiffness = 2", False, "POSITION"),
        ("float drive:angular:physics:damping = 2", False, "VELOCITY"),
        ("float drive:angular:physics:stiffness = 2\nfloat drive:angular:physics:damping = 2", False, "POSITION"),
        (
            "float drive:angular:physics:stiffness = 2\nfloat drive:angular:physics:damping = 2",
            True,
            "POSITION_VELOCITY",
        ),
        (
            "float drive:angular:physics:stiffness = 2\nfloat drive:angular:physics:damping = 2\n"
            "float drive:angular:physics:targetVelocity = 9",
            False,
            "POSITION_VELOCITY",
        ),
    ],
)
def test_the_mode_of_a_drive_follows_from_its_gains_and_what_it_aims_at(gains, forced, mode):
    text = (
        '#usda 1.0\n( metersPerUnit = 1\n upAxis = "Z" )\n'
        'def Cube "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {}\n'
        'def PhysicsRevoluteJoint "j" (prepend apiSchemas = ["PhysicsDriveAPI:angular"]) {\n'
        f"rel physics:body1 = </b>\n{gains}\n}}\n"
    )
    builder = it.ModelBuilder()
    builder.add_usd(text, force_position_velocity_actuation=forced)
    assert builder.joint_target_mode[0] == it.JointTargetMode[mode]
    gain = 2.0 / np.radians(1.0)
    assert builder.joint_target_ke[0] == pytest.approx(gain if "stiffness" in gains else 0.0), "gains act in any mode"
    assert builder.joint_target_kd[0] == pytest.approx(gain if "damping" in gains else 0.0)


def test_bodies_that_nothing_gives_a_mass_are_named():
    text = '#usda 1.0\n( metersPerUnit = 1\n upAxis = "Z" )\ndef Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {}\n'
    builder = it.ModelBuilder()
    with pytest.warns(InertiaWarning, match="/b has zero mass"):
        builder.add_usd(text)


def test_a_body_that_states_zero_mass_is_not_said_to_state_none():
    text = (
        '#usda 1.0\n( metersPerUnit = 1\n upAxis = "Z" )\n'
        'def Cube "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMassAPI"]) {\n'
        "float physics:mass = 0\n}\n"
    )
    builder = it.ModelBuilder()
    with pytest.warns(InertiaWarning, match="/b has zero mass and zero inertia: it states a mass of 0"):
        builder.add_usd(text)
    assert builder.body_mass == [0.0]


def test_hulls_of_meshes_have_no_more_corners_than_the_option_or_their_prims_say():
    ball = it.Mesh.create_sphere(0.5, num_latitudes=8, num_longitudes=12)
    points = ", ".join(str(tuple(corner)) for corner in ball.vertices.tolist())
    faces = (
        f"int[] faceVertexCounts = {[3] * (len(ball.indices) // 3)}\nint[] faceVertexIndices = {ball.indices.tolist()}"
    )
    apis = '"PhysicsRigidBodyAPI", "PhysicsCollisionAPI"'
    meshes = [
        f'def Mesh "{name}" (prepend apiSchemas = [{apis}]) {{\npoint3f[] points = [{points}]\n{faces}\n{words}\n}}\n'
        for name, words in (("plain", ""), ("limited", "int newton:maxHullVertices = 12"))
    ]
    text = '#usda 1.0\n( metersPerUnit = 1\n upAxis = "Z" )\n' + "".join(meshes)
    for most in (None, 20):
        builder = it.ModelBuilder()
        builder.add_usd(text, mesh_maxhullvert=most)
        limits = {name: mesh.maxhullvert for name, mesh in zip(builder.shape_label, builder.shape_source, strict=True)}
        assert limits == {"/plain": most, "/limited": 12}


@pytest.mark.parametrize(
    ("order", "damping"),
    [((SchemaResolverNewton, SchemaResolverMjc), 2.0), ((SchemaResolverMjc, SchemaResolverNewton), 7.0)],
)
def test_damping_is_that_of_the_first_resolver_whatever_its_word_for_it(order, damping):
    text = (
        '#usda 1.0\n( metersPerUnit = 1\n upAxis = "Z" )\n'
        'def Cube "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {}\n'
        'def PhysicsRevoluteJoint "j" {\nrel physics:body1 = </b>\n'
        "float newton:damping = 2\nfloat mjc:damping = 7\n}\n"
    )
    builder = it.ModelBuilder()
    builder.add_usd(text, schema_resolvers=[one() for one in order])
    assert builder.joint_damping[0] == pytest.approx(damping)


def test_the_centre_of_a_body_without_mass_is_that_which_it_states():
    text = (
        '#usda 1.0\n( metersPerUnit = 0.5\n upAxis = "Z" )\n'
        'def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]) {\n'
        "point3f physics:centerOfMass = (0.4, 0, 0)\n}\n"
    )
    builder = it.ModelBuilder()
    with pytest.warns(InertiaWarning, match="zero mass"):
        builder.add_usd(text)
    assert np.allclose(builder.body_com[0], [0.2, 0.0, 0.0])
