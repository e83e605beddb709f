# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What is lost has a note that names it, one for all of a kind; what is written has none."""

import pytest
from robots import BOX, GOOD, joint, link, urdf
from usd_stages import cube, prim, stage
from usd_stages import joint as stage_joint

import inertia_tools as it
from inertia_tools.conversion import Kind

MUJOCO = """<mujoco model="m">{extra}<worldbody><body name="a"><freejoint name="f"/><geom name="ga" size="0.1" {geom}/>
<body name="b"><joint name="j" type="hinge" {joint}/><geom name="gb" size="0.1" {geom}/></body></body></worldbody>
</mujoco>"""
SDF = """<sdf version="1.9">{world}<model name="m">{model}<link name="a">{link}<inertial><mass>1</mass></inertial>
<collision name="ga"><geometry><sphere><radius>0.1</radius></sphere></geometry>{collision}</collision></link>
<link name="b"><inertial><mass>1</mass></inertial></link><joint name="j" type="revolute"><parent>a</parent>
<child>b</child><axis><xyz>0 1 0</xyz>{axis}</axis></joint></model>{end}</sdf>"""

FRICTION = "<surface><friction><ode><mu>{}</mu><mu2>{}</mu2></ode></friction></surface>"
UNIVERSAL = """<sdf version="1.11"><model name="m"><link name="a"/><link name="b"/>
  <joint name="u" type="universal"><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz>
  <limit><velocity>2</velocity></limit></axis><axis2><xyz>0 1 0</xyz>{}</axis2></joint></model></sdf>"""
BOXED = link("a", GOOD, BOX)
GAZEBO = '<gazebo reference="a"><mu1>{}</mu1><mu2>{}</mu2></gazebo>'


def mujoco(**words: str) -> str:
    return MUJOCO.format(**({"extra": "", "geom": "", "joint": ""} | words))


def sdf(**words: str) -> str:
    return SDF.format(**(dict.fromkeys(("world", "model", "link", "collision", "axis", "end"), "") | words))


def lost(text: str, target: str) -> list[tuple[str, str]]:
    """Return the names and messages of what is lost."""
    notes = it.convert(it.load_text(text), format=target, lump=False).noted(Kind.DROPPED)
    return [(note.name, note.message) for note in notes]


def new(text: str, plain: str, target: str) -> list[tuple[str, str]]:
    """Return what is lost of a text and not of a plain one."""
    before = lost(plain, target)
    return [one for one in lost(text, target) if one not in before]


@pytest.mark.parametrize(
    ("text", "target", "name", "words"),
    [
        (mujoco(geom='friction="0.3"'), "urdf", "a", "friction 0.3 of ga and 1 more like it"),
        (mujoco(geom='contype="2" conaffinity="4"'), "sdf", "a", "masks 2 and 4 of ga and 1 more like it"),
        (mujoco(geom='margin="0.01"'), "sdf", "a", "margin 0.01 m of ga and 1 more like it"),
        (mujoco(geom='solref="0.1 1"'), "mjcf", "a", "solref of <geom> and 1 more like it"),
        (mujoco(extra='<default><geom solref="0.1 1"/></default>'), "sdf", "a", "solref of <geom> and 1 more like it"),
        (mujoco(geom='friction="1 0.1 0.2" condim="6"'), "sdf", "a", "rolling friction 0.2 m of ga"),
        (mujoco(extra='<option gravity="0 0 -1.62"/>'), "sdf", "m", "gravity of 0 0 -1.62 m/s^2"),
        (
            mujoco(extra='<option timestep="0.01" gravity="0 0 -1"/>'),
            "mjcf",
            "timestep of <option>",
            "this cannot be stored",
        ),
        (mujoco(joint='springdamper="0.1 1"'), "mjcf", "j", "springdamper"),
        (mujoco(joint='solreflimit="0.1 1"'), "mjcf", "j", "solreflimit of <joint>"),
        (
            mujoco().replace('<freejoint name="f"/>', '<joint type="free" name="f" damping="2"/>'),
            "mjcf",
            "f",
            "damping",
        ),
        (mujoco().replace('"hinge"', '"ball" damping="2" range="0 45"'), "sdf", "j", "damping 2, a limit of 0.785398"),
        (mujoco().replace('name="b"', 'name="b" gravcomp="1"'), "urdf", "b", "that gravity does not act on it"),
        (mujoco().replace('name="b"', 'name="b" gravcomp="0.5"'), "sdf", "b", "that 0.5 of gravity acts on it"),
        (mujoco(extra='<contact><exclude body1="a" body2="b"/></contact>'), "sdf", "a", "that it never touches 'b'"),
        (sdf(link="<gravity>false</gravity>"), "urdf", "a", "that gravity does not act on it"),
        (sdf(model="<self_collide>true</self_collide>"), "urdf", "a", "touches links of its own model and 1 more"),
        (sdf(axis="<dynamics><spring_stiffness>3</spring_stiffness></dynamics>"), "urdf", "j", "a spring of 3"),
        (sdf(world='<world name="w"><gravity>0 0 -1</gravity>', end="</world>"), "urdf", "w", "gravity of 0 0 -1 m"),
        (
            sdf(collision="<surface><friction><ode><mu>0.3</mu><slip1>1</slip1></ode></friction></surface>"),
            "mjcf",
            "<slip1>",
            "this cannot be stored",
        ),
        (
            urdf(link("a", GOOD), '<gazebo reference="a"><kp>3</kp><turnGravityOff>true</turnGravityOff></gazebo>'),
            "mjcf",
            "<kp>",
            "this cannot be stored",
        ),
        (UNIVERSAL.replace("universal", "gearbox").format(""), "sdf", "u", "second axis"),
        (UNIVERSAL.format(""), "mjcf", "u", "its velocity limit is lost"),
        (sdf(collision=FRICTION.format("0.3", "0.4")), "mjcf", "<mu2>", "this cannot be stored"),
        (urdf(BOXED, GAZEBO.format("0.3", "0.4")), "mjcf", "<mu2>", "this cannot be stored"),
        (urdf(BOXED, '<gazebo reference="a"><mu2>0.4</mu2></gazebo>'), "mjcf", "<mu2>", "this cannot be stored"),
    ],
)
def test_what_is_lost_is_named_with_who_has_it(text, target, name, words):
    assert any(found == name and words in message for found, message in lost(text, target)), lost(text, target)


@pytest.mark.parametrize(
    ("text", "plain", "target"),
    [
        (sdf(axis="<dynamics><spring_stiffness>3</spring_stiffness></dynamics>"), sdf(), "mjcf"),
        (sdf(link="<gravity>false</gravity>"), sdf(), "mjcf"),
        (UNIVERSAL.format("<limit><upper>1e16</upper></limit>"), UNIVERSAL.format(""), "sdf"),
        (sdf(world='<world name="w"><gravity>0 0 -1</gravity>', end="</world>"), sdf(), "mjcf"),
        (sdf(collision="<surface><friction><ode><mu>0.3</mu></ode></friction></surface>"), sdf(), "mjcf"),
        (sdf(collision=FRICTION.format("0.3", "0.30")), sdf(), "mjcf"),
        (urdf(BOXED, GAZEBO.format("0.3", "3e-1")), urdf(BOXED), "mjcf"),
        (mujoco(geom='friction="0.3"'), mujoco(), "sdf"),
        (mujoco(geom='solmix="1" priority="0"', joint='margin="0"'), mujoco(geom='solmix="1"'), "sdf"),
        (mujoco(extra='<option gravity="0 0 -9.81"/>'), mujoco(), "sdf"),
        (mujoco(extra='<contact><exclude body1="a" body2="b"/></contact>'), mujoco(), "mjcf"),
        (
            urdf(
                link("a", GOOD),
                link("b", GOOD),
                joint("b", "a", "continuous"),
                '<gazebo reference="b_joint"><springStiffness>3</springStiffness></gazebo>',
            ),
            urdf(link("a", GOOD), link("b", GOOD), joint("b", "a", "continuous")),
            "mjcf",
        ),
    ],
)
def test_what_is_written_is_not_called_lost(text, plain, target):
    assert new(text, plain, target) == []


def test_friction_that_was_written_is_not_called_lost_when_that_goes_on():
    written = it.convert(it.load_text(mujoco(geom='friction="0.3"')), format="sdf")
    assert "<mu2>" in written.text
    assert lost(written.text, "mjcf") == []


def test_pairs_that_never_touch_are_not_called_lost_in_a_stage():
    pytest.importorskip("pxr", reason="usd-core is not installed")
    text = mujoco(extra='<contact><exclude body1="a" body2="b"/></contact>')
    assert new(text, mujoco(), "usd") == []


def two_cubes(*content: str, apis: tuple[str, ...] = (), of_joint: tuple[str, ...] = ()) -> str:
    own = ("PhysicsRigidBodyAPI", *apis)
    cubes = [cube(name, "float physics:mass = 1", *content, mass_api=True, apis=own) for name in "ab"]
    return stage(*cubes, stage_joint("PhysicsRevoluteJoint", "j", "/a", "/b", *of_joint))


@pytest.mark.parametrize("target", ["sdf", "mjcf", "urdf", "usd"])
@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        (two_cubes("vector3f physics:velocity = (1, 0, 0)"), "/a", "physics:velocity of this and 1 more like it"),
        (two_cubes("float newton:contactMargin = 0.01"), "/a", "newton:contactMargin of this and 1 more like it"),
        (two_cubes("float physxCollision:restOffset = 0.01"), "/a", "physxCollision:restOffset"),
        (two_cubes('uniform token physics:approximation = "convexHull"'), "/a", "physics:approximation"),
        (two_cubes(of_joint=("float physics:breakForce = 10",)), "/j", "physics:breakForce"),
        (two_cubes(of_joint=("float state:angular:physics:position = 20",)), "/j", "state:angular:physics:position"),
        (two_cubes(of_joint=("point3f physics:localPos0 = (0, 0.5, 0)",)), "j", "the pose of this in the stage"),
    ],
)
def test_what_is_lost_of_a_stage_is_named_with_its_prim(text, name, words, target):
    pytest.importorskip("pxr", reason="usd-core is not installed")
    found = [message for prim_, message in lost(text, target) if prim_ == name]
    assert [message for message in found if words in message], found


@pytest.mark.parametrize(
    "text",
    [
        two_cubes("vector3f physics:velocity = (0, 0, 0)"),
        two_cubes("bool physics:startsAsleep = 0"),
        two_cubes(of_joint=("float physics:breakForce = 3.4e38", "float state:angular:physics:position = 0")),
        stage(prim("PhysicsScene", "scene", "float physics:gravityMagnitude = 9.81")) + two_cubes()[len(stage()) :],
    ],
)
def test_what_says_nothing_is_not_called_lost(text):
    pytest.importorskip("pxr", reason="usd-core is not installed")
    assert lost(text, "sdf") == []


@pytest.mark.parametrize(("target", "is_lost"), [("sdf", True), ("mjcf", True), ("urdf", True), ("usd", False)])
def test_links_of_a_joint_that_touch_are_named_where_they_no_longer_do(target, is_lost):
    pytest.importorskip("pxr", reason="usd-core is not installed")
    found = lost(two_cubes(of_joint=("bool physics:collisionEnabled = 1",)), target)
    assert [name for name, message in found if message.startswith("that 'a' touches 'b'")] == ["j"] * is_lost


def test_gravity_and_bounces_of_a_stage_are_named_where_they_are_lost():
    pytest.importorskip("pxr", reason="usd-core is not installed")
    scene = prim("PhysicsScene", "scene", "float physics:gravityMagnitude = 1.62")
    ice = prim("Material", "ice", "float physics:restitution = 0.5", apis=("PhysicsMaterialAPI",))
    cubes = two_cubes("rel material:binding = </ice>", apis=("MaterialBindingAPI",))
    said = [message for _, message in lost(stage(scene, ice) + cubes[len(stage()) :], "urdf")]
    assert any("gravity of 0 0 -1.62 m/s^2" in message for message in said)
    assert any("restitution 0.5 of /a and 1 more like it" in message for message in said)
