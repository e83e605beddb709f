# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Gravity, surfaces and what touches what go from format to format, as far as each has a place for them."""

import numpy as np
import pytest
from robots import BOX, GOOD, link, urdf
from usd_stages import at, cube, prim, stage
from usd_stages import joint as stage_joint

import inertia_tools as it
from inertia_tools.conversion import Kind
from inertia_tools.conversion.stage_physics import with_stage_physics

FORMATS = ["sdf", "mjcf", "usd", "urdf"]
MUJOCO = """<mujoco model="m"><option gravity="0 0 -1.62"/><worldbody>
<body name="a" gravcomp="1"><freejoint/><geom name="ga" size="0.1" friction="0.05 0.02 0.003" condim="6"/>
<body name="b"><joint name="j" type="hinge"/><geom name="gb" size="0.1" contype="2" conaffinity="4" margin="0.01"/>
</body></body></worldbody><contact><exclude body1="a" body2="b"/></contact></mujoco>"""
CONNECTED = """<mujoco><worldbody><body name="a"><freejoint/><geom size="0.1"/>
<body name="b" pos="0 0 0.3"><joint/><geom size="0.1"/><body name="c" pos="0 0 0.3"><joint/><geom size="0.1"/>
</body></body></body></worldbody><equality><connect body1="c" body2="a" anchor="0 0 0"/></equality></mujoco>"""
SDF = """<sdf version="1.11"><model name="m"><self_collide>true</self_collide><link name="a"><gravity>false</gravity>
<inertial><mass>1</mass></inertial><collision name="ga"><geometry><sphere><radius>0.1</radius></sphere></geometry>
<surface><friction><ode><mu>0.3</mu></ode><torsional><patch_radius>0.1</patch_radius></torsional></friction>
<bounce><restitution_coefficient>0.5</restitution_coefficient></bounce></surface></collision></link></model></sdf>"""
SCENE = prim("PhysicsScene", "scene", "float physics:gravityMagnitude = 1.62")
MATERIAL = prim(
    "Material",
    "ice",
    "float physics:dynamicFriction = 0.25",
    "float physics:restitution = 0.5",
    apis=("PhysicsMaterialAPI",),
)
CUBE = cube(
    "a",
    "rel material:binding = </ice>",
    "float physics:mass = 1",
    "bool physxRigidBody:disableGravity = 1",
    mass_api=True,
    apis=("PhysicsRigidBodyAPI", "MaterialBindingAPI"),
)


def converted(source, target: str):
    """Return a robot converted, in the terms of a description."""
    if target == "usd" or source.startswith("#usda"):
        pytest.importorskip("pxr", reason="usd-core is not installed")
    robot = it.convert(it.load_text(source), format=target).converted
    return with_stage_physics(robot, robot.usd)


@pytest.mark.parametrize("target", ["mjcf", "usd"])
@pytest.mark.parametrize("source", [MUJOCO, stage(SCENE, MATERIAL, CUBE)], ids=["mjcf", "usd"])
def test_gravity_comes_along(source, target):
    assert converted(source, target).gravity == pytest.approx(np.array([0.0, 0.0, -1.62]), rel=1e-6)


@pytest.mark.parametrize("target", ["sdf", "mjcf", "usd"])
@pytest.mark.parametrize("source", [MUJOCO, SDF, stage(SCENE, MATERIAL, CUBE)], ids=["mjcf", "sdf", "usd"])
def test_what_does_not_fall_does_not_fall(source, target):
    assert converted(source, target).links["a"].gravity_scale == 0.0


@pytest.mark.parametrize("target", ["sdf", "mjcf", "usd"])
@pytest.mark.parametrize(("source", "friction"), [(MUJOCO, 0.05), (SDF, 0.3), (stage(MATERIAL, CUBE), 0.25)])
def test_friction_comes_along(source, friction, target):
    surface = converted(source, target).links["a"].collisions[0].surface
    assert surface.friction == pytest.approx(friction, rel=1e-6)


@pytest.mark.parametrize("target", ["sdf", "usd"])
@pytest.mark.parametrize("source", [SDF, stage(MATERIAL, CUBE)], ids=["sdf", "usd"])
def test_a_bounce_comes_along(source, target):
    assert converted(source, target).links["a"].collisions[0].surface.restitution == 0.5


def test_torsional_friction_comes_along():
    stated = it.load_text(SDF).links["a"].collisions[0].surface.torsional
    for target in ("sdf", "mjcf"):
        assert converted(SDF, target).links["a"].collisions[0].surface.torsional == pytest.approx(stated, rel=1e-12)


def test_friction_that_turns_comes_back_from_a_stage():
    pytest.importorskip("pxr", reason="usd-core is not installed")
    on_stage = it.convert(it.load_text(MUJOCO), format="usd").converted
    back = it.convert(on_stage, format="mjcf")
    surface = back.converted.links["a"].collisions[0].surface
    assert (surface.torsional, surface.rolling) == pytest.approx((0.02, 0.003), rel=1e-6)
    assert not any("riction" in note.message for note in back.noted(Kind.DROPPED))


def test_friction_that_turns_is_read_in_units_of_the_stage():
    """Lengths of materials are in units of the stage, here centimetres."""
    lengths = ("float newton:torsionalFriction = 2", "float newton:rollingFriction = 0.5")
    material = prim("Material", "ice", *lengths, apis=("PhysicsMaterialAPI",))
    for target in ("mjcf", "usd"):
        surface = converted(stage(material, CUBE, metre=0.01), target).links["a"].collisions[0].surface
        assert (surface.torsional, surface.rolling) == pytest.approx((0.02, 0.005), rel=1e-6)


def test_how_geoms_touch_stays():
    before, after = it.load_text(MUJOCO), converted(MUJOCO, "mjcf")
    for name in "ab":
        was, now = before.links[name].collisions[0], after.links[name].collisions[0]
        assert (now.surface, now.masks) == (was.surface, was.masks)
    assert after.apart == before.apart


def pairs(robot) -> set[str]:
    """Return the pairs of links named by one letter that may touch, if links of a robot may."""
    builder = it.ModelBuilder()
    getattr(builder, f"add_{robot.format.value}")(robot.document.data.decode(), enable_self_collisions=True)
    model = builder.finalize()
    names = [builder.body_label[body].strip("/")[-1] for body in model.shape_body.numpy()]
    return {"".join(sorted(names[end] for end in pair)) for pair in model.shape_contact_pairs.numpy().tolist()}


def ring(*content: str) -> str:
    """Return a stage of three cubes whose joints close a loop."""
    cubes = [cube(name, at(0.0, 0.0, 0.3 * k), apis=("PhysicsRigidBodyAPI",)) for k, name in enumerate("abc")]
    up = "point3f physics:localPos0 = (0, 0, 0.3)"
    chain = [stage_joint("PhysicsRevoluteJoint", f"j{b}", f"/{a}", f"/{b}", up, *content) for a, b in ("ab", "bc")]
    top = ("point3f physics:localPos0 = (0, 0, 0.6)", "bool physics:excludeFromArticulation = 1")
    return stage(*cubes, *chain, stage_joint("PhysicsSphericalJoint", "ac", "/a", "/c", *top, *content))


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        (ring(), "usd", set()),
        (ring(), "mjcf", set()),
        (ring("bool physics:collisionEnabled = 1"), "usd", {"ab", "bc", "ac"}),
        (ring("bool physics:collisionEnabled = 1"), "mjcf", {"ac"}),
        (CONNECTED, "usd", {"ac"}),
        (CONNECTED, "mjcf", {"ac"}),
    ],
    ids=["apart usd", "apart mjcf", "touching usd", "touching mjcf", "connected usd", "connected mjcf"],
)
def test_what_a_joint_connects_touches_as_before(source, target, expected):
    """A joint of MJCF never lets its bodies touch, and an equality always does."""
    assert pairs(converted(source, target)) == expected


def test_all_bits_of_a_mask_stay():
    every = MUJOCO.replace('contype="2"', 'contype="-1"')
    assert converted(every, "mjcf").links["b"].collisions[0].masks == ((1 << 32) - 1, 4)
    assert 'contype="-1"' in it.convert(it.load_text(every), format="mjcf").text


def test_links_that_touch_their_own_model_do_so_in_sdformat():
    assert converted(SDF, "sdf").links["a"].self_collides


def test_the_range_of_a_ball_joint_stays():
    ball = MUJOCO.replace('type="hinge"', 'type="ball" range="0 40"')
    before, after = it.load_text(ball), converted(ball, "mjcf")
    assert after.joints["j"].limit == before.joints["j"].limit


@pytest.mark.parametrize("friction", ["-1", "1e30", "inf"])
def test_friction_that_no_surface_has_is_left_out(friction):
    conversion = it.convert(it.load_text(SDF.replace("<mu>0.3", f"<mu>{friction}")), format="mjcf")
    assert "condim" in conversion.text and "-1" not in conversion.text and "1e+30" not in conversion.text
    said = f"friction {float(friction):g} of ga is not a usable value"
    assert any(said in note.message for note in conversion.noted(Kind.DROPPED))


@pytest.mark.parametrize("friction", ["1e14", "inf"])
def test_friction_of_a_urdf_goes_to_sdformat_as_it_stands(friction):
    extension = f'<gazebo reference="a"><mu1>{friction}</mu1></gazebo>'
    conversion = it.convert(it.load_text(urdf(link("a", GOOD, BOX), extension)), format="sdf")
    assert f"<mu>{friction}</mu>" in conversion.text
    assert conversion.noted(Kind.DROPPED) == ()
