# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What a URDF says to Gazebo reaches the model, wherever its link has gone."""

import numpy as np
from robots import BOX, GOOD, joint, link, urdf

import inertia_tools as it
from inertia_tools.conversion import Kind
from inertia_tools.description.sdf.values import pose_of
from inertia_tools.description.xml import parse_xml

TWO = (
    link("base", GOOD, BOX),
    link("tip", GOOD, BOX),
    joint("tip", type_="fixed", origin='1 2 3" rpy="0 0 1.5707963267948966'),
)


def model_of(*extensions, **options):
    conversion = it.convert(it.load_text(urdf(*TWO, *extensions)), format="sdf", **options)
    return conversion, parse_xml(conversion.data, "out.sdf").required("model")


def test_of_the_model():
    _, model = model_of("<gazebo><plugin name='p' filename='f'><a>1</a><!-- kept --></plugin></gazebo>")
    assert model.required("plugin").required("a").text == "1"


def test_settings_go_where_sdformat_has_them():
    _, model = model_of(
        "<gazebo reference='base'><mu1>0.3</mu1><kp>1e6</kp><selfCollide>true</selfCollide><material>Gazebo/Red</material>"
        "<turnGravityOff>true</turnGravityOff><maxContacts>4</maxContacts></gazebo>",
        "<gazebo reference='tip'><mu1>0.9</mu1></gazebo>",
    )
    base = model.required("link")
    own, other = base.all("collision")
    assert own.required("surface").required("friction").required("ode").required("mu").text == "0.3"
    assert own.required("surface").required("contact").required("ode").required("kp").text == "1e6"
    assert own.required("max_contacts").text == "4"
    assert other.required("surface").required("friction").required("ode").required("mu").text == "0.9"
    assert (base.required("self_collide").text, base.required("gravity").text) == ("true", "false")


def test_a_sensor_moves_with_its_link():
    conversion, model = model_of(
        "<gazebo reference='tip'><sensor name='s' type='imu'><pose>1 0 0 0 0 0</pose></sensor>"
        "<sensor name='t' type='imu'><always_on>1</always_on></sensor></gazebo>"
    )
    first, second = model.required("link").all("sensor")
    assert np.allclose(pose_of(first.only("pose")).position, [1, 3, 3])
    assert np.allclose(pose_of(second.only("pose")).position, [1, 2, 3])
    assert {note.name for note in conversion.noted(Kind.CARRIED)} == {"tip"}


def test_names_follow_their_links():
    conversion, model = model_of(
        "<gazebo><plugin name='p' filename='f'><bodyName>tip</bodyName><other>tip</other></plugin></gazebo>",
        "<gazebo reference='tip'><sensor name='bump' type='contact'><contact><collision>tip_collision</collision>"
        "</contact></sensor></gazebo>",
    )
    plugin = model.required("plugin")
    assert (plugin.required("bodyName").text, plugin.required("other").text) == ("base", "tip")
    base = model.required("link")
    names = [collision.attributes["name"] for collision in base.all("collision")]
    assert base.required("sensor").required("contact").required("collision").text == names[1]
    assert {note.name for note in conversion.noted(Kind.CHANGED)} == {"tip", "tip_collision"}


def test_contact_sensors_may_use_the_names_that_libsdformat_gives():
    """It numbers the shapes of a link, those of its parts by the names of their joints, and renames those with a name."""
    shape = "<collision{}><geometry><sphere radius='1'/></geometry></collision>"
    named = {
        "own": "base_fixed_joint_lump__own_collision_1",
        "base_fixed_joint_lump__a_collision_2": "a_collision",
        "base_fixed_joint_lump__foot_collision_3": "foot",
        "base_lamp_collision_4": "base_lamp_collision_4",
    }
    sensors = "".join(f"<contact><collision>{used}</collision></contact>" for used in named.values())
    links = {
        "base": shape.format("") + shape.format(" name='own'"),
        "base_lamp": shape.format(""),
        "a": shape.format("") + shape.format(" name='foot'"),
    }
    text = urdf(
        *(f"<link name='{name}'><inertial>{GOOD}</inertial>{shapes}</link>" for name, shapes in links.items()),
        joint("base_lamp", type_="fixed").replace("base_lamp_joint", "z"),
        joint("a", type_="fixed"),
        f"<gazebo reference='base'><sensor name='s' type='contact'>{sensors}</sensor></gazebo>",
    )
    conversion = it.convert(it.load_text(text), format="sdf")
    base = parse_xml(conversion.data, "x").required("model").required("link")
    assert [one.attributes["name"] for one in base.all("collision")] == ["base_collision", *named]
    assert [one.required("collision").text for one in base.required("sensor").all("contact")] == [*named]


def test_two_sensors_of_a_name_become_two_names():
    sensor = "<sensor name='s' type='imu'><pose>0 0 0 0 0 0</pose></sensor>"
    conversion, model = model_of(
        f"<gazebo reference='base'>{sensor}</gazebo>", f"<gazebo reference='tip'>{sensor}</gazebo>"
    )
    assert [one.attributes["name"] for one in model.required("link").all("sensor")] == ["s", "s_2"]
    assert [note.name for note in conversion.noted(Kind.RENAMED)] == ["s"]


def test_joints():
    wheel = (link("wheel", GOOD), joint("wheel"))
    _, model = model_of(
        *wheel,
        "<gazebo reference='wheel_joint'><springStiffness>7</springStiffness><provideFeedback>1</provideFeedback></gazebo>",
    )
    axis = model.required("joint").required("axis")
    assert axis.required("dynamics").required("spring_stiffness").text == "7"
    assert model.required("joint").required("physics").required("ode").required("provide_feedback").text == "1"


def test_a_locked_joint_is_held_at_zero():
    asked = "<gazebo reference='tip_joint'><disableFixedJointLumping>true</disableFixedJointLumping></gazebo>"
    both = asked + "<gazebo reference='tip_joint'><preserveFixedJoint>1</preserveFixedJoint></gazebo>"
    _, model = model_of(asked)
    joint_ = model.required("joint")
    assert joint_.attributes["type"] == "revolute"
    limit = joint_.required("axis").required("limit")
    assert (limit.required("lower").text, limit.required("upper").text) == ("0", "0")
    assert model_of(both)[1].required("joint").attributes["type"] == "fixed"
    assert model_of(lump=False)[1].required("joint").attributes["type"] == "fixed"


def test_what_refers_to_nothing_is_named():
    conversion, _ = model_of(
        "<gazebo reference='nobody'><mu1>1</mu1></gazebo>",
        "<gazebo reference='tip_joint'><sensor name='f' type='force_torque'/></gazebo>",
    )
    assert {note.name for note in conversion.noted(Kind.DROPPED)} == {"nobody", "tip_joint"}
