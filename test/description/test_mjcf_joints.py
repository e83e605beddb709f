# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Joints of MJCF with what drives and couples them: the numbers that MuJoCo compiles, in radians, from the document's pose."""

import sys

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.description.types import JointDrive, JointMimic, JointType

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")


@pytest.fixture(autouse=True)
def _away(tmp_path, monkeypatch):
    """Keep the log that MuJoCo leaves in the working folder out of the way."""
    monkeypatch.chdir(tmp_path)


def model(joint: str, after: str = "", before: str = "") -> str:
    body = f'<body name="a">{joint}<geom size=".1"/></body>'
    return f"<mujoco>{before}<worldbody>{body}</worldbody>{after}</mujoco>"


def both(text: str):
    return next(iter(it.load_text(text).joints.values())), mujoco.MjModel.from_xml_string(text)


JOINTS = [
    '<joint range="-10 20" stiffness="3" springref="30" damping="2" armature=".1" frictionloss=".5" ref="15"/>',
    '<joint type="slide" range="-1 2" stiffness="3" springref=".3" ref=".1" damping=".2"/>',
    '<joint limited="false" range="-1 2"/>',
    '<joint actuatorfrcrange="-3 2"/>',
]


@pytest.mark.parametrize("angle", ["degree", "radian"])
@pytest.mark.parametrize("text", JOINTS)
def test_numbers_of_a_joint(text, angle):
    joint, compiled = both(model(text, before=f'<compiler angle="{angle}"/>'))
    ref = compiled.qpos0[0]
    if compiled.jnt_limited[0]:
        assert np.allclose([joint.limit.lower, joint.limit.upper], compiled.jnt_range[0] - ref)
    else:
        assert joint.limit.lower is None
    assert joint.stiffness == compiled.jnt_stiffness[0]
    assert joint.rest == pytest.approx(compiled.qpos_spring[0] - ref)
    assert (joint.damping, joint.armature, joint.friction) == (
        compiled.dof_damping[0],
        compiled.dof_armature[0],
        compiled.dof_frictionloss[0],
    )
    if compiled.jnt_actfrclimited[0]:
        assert joint.limit.effort == np.abs(compiled.jnt_actfrcrange[0]).max()


ACTUATORS = {
    "position": '<position joint="j" kp="5" kv="2" gear="3"/>',
    "position in a class": '<position joint="j" class="c"/>',
    "position by a shared gear": '<position joint="j" class="m"/>',
    "velocity": '<velocity joint="j" kv="5" gear="-2"/>',
    "ten numbers": '<general joint="j" gainprm="7 0 0 0 0 0 0 0 0 0" biastype="affine" biasprm="0 -5 0 0 0 0 0 0 0 0"/>',
    "general": '<general joint="j" gainprm="7" biastype="affine" biasprm="3 -5 -.5" gear="2"/>',
    "general of a class of positions": '<general joint="j" class="c" biasprm="1 -2 0"/>',
    "motor": '<motor joint="j" gear="3"/>',
    "motor in a class of positions": '<motor joint="j" class="c"/>',
    "control in its range": '<position joint="j" kp="5" ctrlrange=".2 .5"/>',
    "bounded": '<position joint="j" kp="5" forcerange="-4 4" gear="2"/>',
    "several": '<position joint="j" kp="5" ctrlrange=".2 .5"/><velocity joint="j" kv="2"/><position joint="j" kp="3"/>',
}
ACTUATORS |= {
    "range of its joint": '<position joint="j" kp="5" inheritrange="1"/>',
    "narrowed range of its joint": '<position joint="j" kp="5" inheritrange=".5"/>',
    "range of its joint by a class": '<general joint="j" class="i"/>',
    "own range beside that of its joint": '<position joint="j" class="i" ctrlrange="-1 -.5"/>',
    "constant push beside a spring": '<position joint="j" kp="5"/><general joint="j" biastype="affine" biasprm="3"/>',
    "negative stiffness beside a larger one": '<position joint="j" kp="5"/>'
    '<general joint="j" biastype="affine" biasprm="0 2 0"/>',
}
CLASSES = (
    '<default><default class="c"><position kp="7" kv="1"/></default><default class="m"><motor gear="7"/></default>'
)
CLASSES += '<default class="i"><position kp="5" inheritrange="1"/></default></default>'


@pytest.mark.parametrize("name", ACTUATORS)
@pytest.mark.parametrize("ref", [0.0, 20.0])
def test_actuators_exert_what_mujoco_says(name, ref):
    """Efforts at random states, with each control as near to zero as its range lets it."""
    text = model(f'<joint name="j" ref="{ref}" range="30 60"/>', f"<actuator>{ACTUATORS[name]}</actuator>", CLASSES)
    joint, compiled = both(text)
    data, random = mujoco.MjData(compiled), np.random.default_rng(1)
    drive = joint.drive or JointDrive()
    assert (joint.drive is None) == name.startswith("motor")
    for _ in range(5):
        data.qpos[0], data.qvel[0] = random.normal(scale=0.3, size=2)
        mujoco.mj_forward(compiled, data)
        q, rate = data.qpos[0] - compiled.qpos0[0], data.qvel[0]
        effort = drive.stiffness * (drive.position - q) + drive.damping * (drive.velocity - rate)
        if drive.effort is not None:
            effort = np.clip(effort, -drive.effort, drive.effort)
        assert effort == pytest.approx(data.qfrc_actuator[0], abs=1e-12)


POSITIONS, RATES, GENERAL = '<position kp="50" kv="5"/>', '<velocity kv="3"/>', '<general gainprm="9"/>'
AFFINE = '<general gainprm="5" biasprm="1 -7 -3" biastype="affine"/>'
LEVELS = [
    (POSITIONS + RATES,),
    (POSITIONS + GENERAL,),
    (AFFINE + RATES + POSITIONS,),
    (AFFINE, '<motor gear="3"/>'),
    (POSITIONS, RATES),
    (RATES, POSITIONS, ""),
    (POSITIONS, AFFINE + RATES),
    (AFFINE, POSITIONS, RATES),
    (POSITIONS, RATES + '<position kv="8"/>'),
    (POSITIONS.replace("/>", ' gear="2" forcerange="-2 2"/>'), RATES.replace("/>", ' gear="3"/>')),
    (POSITIONS, '<damper kv="2" ctrlrange="0 1"/>'),
    ("<muscle/>", RATES),
]


@pytest.mark.parametrize("own", ["<position/>", "<velocity/>", '<position kv="2"/>', "<general/>", "<motor/>", AFFINE])
@pytest.mark.parametrize("levels", LEVELS)
def test_actuators_take_from_classes_of_other_tags_what_mujoco_lets_them(levels, own):
    text = ""
    for number, level in reversed(list(enumerate(levels))):
        name = f' class="c{number}"' if number else ""
        text = f"<default{name}>{level}{text}</default>"
    named = f' class="c{len(levels) - 1}"' if len(levels) > 1 else ""
    actuator = own.replace("/>", f' joint="j"{named}/>')
    joint, compiled = both(model('<joint name="j"/>', f"<actuator>{actuator}</actuator>", text))
    gear, bias = compiled.actuator_gear[0, 0], compiled.actuator_biasprm[0]
    is_drive = compiled.actuator_biastype[0] == 1 and compiled.actuator_gaintype[0] == 0 and bias[1:3].any()
    assert (joint.drive is not None) == is_drive
    if joint.drive is not None:
        bound = compiled.actuator_forcerange[0, 1] * gear or None
        assert (joint.drive.stiffness, joint.drive.damping) == tuple(-bias[1:3] * gear**2)
        assert joint.drive.effort == bound


UNUSED = {
    '<general joint="j" gainprm="0" biastype="affine" biasprm="1 0 0"/>': "a constant push",
    '<general joint="j" biastype="affine" biasprm="0 2 0"/>': "unstable",
    '<velocity joint="j" kv="-2"/>': "unstable",
    '<position joint="j" forcerange="-1 50"/>': "the smaller side of its forcerange",
    '<position joint="j" kp="2" dampratio="1"/>': "dampratio",
    '<position joint="j" kp="2" timeconst=".1"/>': "timeconst",
    '<general joint="j" dyntype="filter"/>': "dyntype",
    '<damper joint="j" kv="5" ctrlrange="0 1"/>': "damper",
    '<motor site="s"/>': "site",
    '<motor joint="b"/>': "ball",
}


@pytest.mark.parametrize("text", UNUSED)
def test_actuators_that_become_no_drive_are_named(text):
    ball = '<body><joint name="b" type="ball"/><geom size=".1"/><site name="s"/></body>'
    robot = it.load_text(model(f'<joint name="j"/>{ball}', f"<actuator>{text}</actuator>"))
    (said,) = robot.mjcf.unused
    assert UNUSED[text] in said and said.startswith("<text>:1: actuator")


def test_a_motor_is_one_whatever_its_force_range():
    robot = it.load_text(model('<joint name="j"/>', '<actuator><motor joint="j" forcerange="-1 50"/></actuator>'))
    assert (robot.mjcf.unused, robot.mjcf.motors) == ((), ("actuator 'motor'",))


def test_joints_of_one_body_are_read_in_a_time_that_grows_with_their_number():
    """A damaged file asks for 24 000 with a few letters; each was compared with all before."""

    def calls(count):
        text = model("<body>" + "<joint type='slide'/>" * count + "<geom size='.1'/></body>")
        made = 0

        def see(frame, event, argument):
            nonlocal made
            made += event in ("call", "c_call")

        it.load_text(text)  # which loads modules
        sys.setprofile(see)
        try:
            it.load_text(text)
        finally:
            sys.setprofile(None)
        return made

    assert calls(800) < 2.2 * calls(400)


def test_copies_are_driven_each():
    copies = '<replicate count="2"><body><joint name="k"/><geom size=".1"/></body></replicate>'
    robot = it.load_text(model(copies, '<actuator><position joint="k" kp="2"/></actuator>'))
    assert [robot.joints[name].drive.stiffness for name in ("k0", "k1")] == [2.0, 2.0]


def test_attributes_that_nothing_holds_are_named():
    joint, _ = both(model('<joint damping="1 2" springdamper=".1 1" actuatorgravcomp="true" actuatorfrcrange="-1 5"/>'))
    assert joint.unused == (
        "damping beyond its first number",
        "springdamper",
        "actuatorgravcomp",
        "the smaller side of its actuatorfrcrange",
    )
    assert both(model('<joint type="free" damping="2"/>'))[0].unused == ("damping",)


PAIR = """<mujoco><worldbody><site name="w" pos="1 2 4"/>
  <body name="a" pos="1 0 0"><joint name="j" ref="10"/><geom size=".1"/><site name="s" pos="0 .1 0" euler="0 0 30"/></body>
  <body name="b" pos="0 2 0" euler="0 0 90"><freejoint/><geom size=".1"/><site name="r" pos=".3 0 0"/>
    <body name="c"><joint name="k" ref="20"/><geom size=".1"/></body></body>
</worldbody><equality>{}</equality></mujoco>"""

LOOPS = {
    "weld": '<weld body1="a" body2="b"/>',
    "weld to the world": '<weld body1="a"/>',
    "weld at a pose": '<weld body1="a" body2="b" relpose="1 2 3 1 2 0 0"/>',
    "weld at an anchor": '<weld body1="a" body2="b" relpose="1 2 3 1 2 0 0" anchor=".3 -.1 .2"/>',
    "weld at an anchor and as it stands": '<weld body1="a" body2="b" anchor=".3 -.1 .2"/>',
    "connect": '<connect body1="a" body2="b" anchor=".1 .2 .3"/>',
    "connect to the world": '<connect body1="b" anchor=".1 .2 .3"/>',
}


@pytest.mark.parametrize("name", LOOPS)
def test_bodies_that_are_held_together(name):
    text = PAIR.format(LOOPS[name])
    robot, compiled = it.load_text(text), mujoco.MjModel.from_xml_string(text)
    (loop,) = robot.loop_joints
    data = compiled.eq_data[0]
    assert (loop.child, loop.parent) == tuple(
        compiled.body(i[0]).name for i in (compiled.eq_obj1id, compiled.eq_obj2id)
    )
    if name.startswith("weld"):
        other_from_one = loop.pose_parent_child.inverse()
        assert loop.type is JointType.FIXED
        assert np.allclose(other_from_one.transform_points(data[:3]), data[3:6])
        x, y, z, w = other_from_one.quaternion
        assert abs(np.dot([w, x, y, z], data[6:10])) == pytest.approx(1.0)
    else:
        anchor = loop.pose_child_joint.position
        assert loop.type is JointType.BALL and np.allclose(anchor, data[:3])
        assert np.allclose(loop.pose_parent_child.transform_points(anchor), data[3:6])


@pytest.mark.parametrize("kind", ["weld", "connect"])
@pytest.mark.parametrize("ends", [("s", "r"), ("s", "w"), ("w", "r")])
def test_sites_that_are_held_together(kind, ends):
    robot = it.load_text(PAIR.format(f'<{kind} site1="{ends[0]}" site2="{ends[1]}"/>'))
    (loop,) = robot.loop_joints
    body_of = {"s": "a", "r": "b", "w": "world"}
    frames = {frame.name: frame for frame in robot.frames}
    one, other = (next(frames[s] for s in ends if body_of[s] == body) for body in (loop.child, loop.parent))
    met = loop.pose_parent_child @ one.pose_link_frame
    assert loop.child != "world" and np.allclose(met.position, other.pose_link_frame.position)
    if kind == "weld":
        assert np.allclose(met.rotation, other.pose_link_frame.rotation)


def test_joints_that_follow_others():
    robot = it.load_text(PAIR.format('<joint joint1="j" joint2="k" polycoef="1 2"/>'))
    assert robot.joints["j"].mimic == JointMimic("k", 2.0, 1.0)
    robot = it.load_text(PAIR.format('<joint joint1="j" joint2="k"/>'))
    assert robot.joints["j"].mimic == JointMimic("k", 1.0, 0.0)


OVER_BOTH = (
    '</equality><tendon><fixed name="t"><joint joint="j" coef=".5"/><joint joint="k" coef="-2"/></fixed></tendon>'
)
OVER_ONE = '</equality><tendon><fixed name="t"><joint joint="j" coef="3"/></fixed></tendon>'
POSITION = '<actuator><position tendon="t" kp="10" gear="2" ctrlrange=".1 1" ctrllimited="true"/></actuator><equality>'


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("", {"j": JointMimic("k", 4.0, 0.6), "k": None}),
        ('<joint joint1="j"/>', {"j": JointMimic("k", 4.0, 0.6), "k": None}),
        ('<joint joint1="k" joint2="j"/>', {"j": None, "k": JointMimic("j")}),
    ],
)
def test_a_tendon_over_two_joints_lets_one_follow_the_other(before, expected):
    text = PAIR.format(f'<tendon tendon1="t" polycoef=".3"/>{before}{OVER_BOTH}<equality>')
    robot = it.load_text(text)
    assert {name: robot.joints[name].mimic for name in expected} == expected
    named = [said for said in robot.mjcf.unused if "'tendon'" in said]
    assert len(named) == (1 if expected["k"] else 0)


def test_an_actuator_of_a_tendon_drives_the_joint_that_all_of_it_follows():
    """The tendon's length is .5 j - 2 k + 5 - 40 degrees, or .5 * 3 k - 2 k and a constant."""
    at_zero = np.deg2rad(0.5 * 10.0 - 2.0 * 20.0)
    robot = it.load_text(PAIR.format(f'<joint joint1="j" joint2="k" polycoef="0 3"/>{OVER_BOTH}{POSITION}'))
    drive = robot.joints["k"].drive
    assert robot.joints["j"].drive is None
    assert drive.stiffness == pytest.approx(10.0 * (2.0 * -0.5) ** 2)
    assert drive.position == pytest.approx((0.1 - 2.0 * at_zero) / (2.0 * -0.5))
    robot = it.load_text(PAIR.format(f"{OVER_ONE}{POSITION}"))
    assert robot.joints["j"].drive.stiffness == pytest.approx(10.0 * (2.0 * 3.0) ** 2)


def test_an_actuator_of_a_tendon_over_joints_that_move_apart_is_named():
    robot = it.load_text(PAIR.format(f"{OVER_BOTH}{POSITION}"))
    assert robot.joints["j"].drive is None and robot.joints["k"].drive is None
    assert [said for said in robot.mjcf.unused if "on a tendon" in said]


def test_equalities_of_which_nothing_is_held_are_named():
    text = '<joint name="p" joint1="j" joint2="k" polycoef="0 1 2"/><joint joint1="j"/><weld body1="a" active="false"/>'
    robot = it.load_text(PAIR.format(text))
    assert robot.loop_joints == () and [said.split(" (")[0] for said in robot.mjcf.unused] == [
        "equality 'p'",
        "equality 'joint'",
    ]


@pytest.mark.parametrize(
    ("tag", "attribute", "field", "numbers"),
    [
        ("geom", "friction", "geom_friction", "1 .6 .2"),
        ("geom", "solref", "geom_solref", ".1 .7"),
        ("geom", "solimp", "geom_solimp", ".8 .9 .01 .4 3"),
        ("geom", "size", "geom_size", ".3 .2 .4"),
        ("joint", "solreflimit", "jnt_solref", ".1 .7"),
        ("joint", "solimplimit", "jnt_solimp", ".8 .9 .01 .4 3"),
        ("joint", "solreffriction", "dof_solref", ".1 .7"),
        ("joint", "solimpfriction", "dof_solimp", ".8 .9 .01 .4 3"),
    ],
)
def test_numbers_that_a_short_text_leaves_out_are_those_of_the_class(tag, attribute, field, numbers):
    own = {"geom": '<joint/><geom type="box" {} {}/>', "joint": '<joint {}/><geom type="box" {}/>'}[tag]
    text = (
        f'<mujoco><default><{tag} {attribute}="{numbers}"/></default><worldbody><body name="a">'
        + own.format(f'{attribute}=".5"', "" if attribute == "size" else 'size=".1 .1 .1"')
        + "</body></worldbody></mujoco>"
    )
    compiled, robot = mujoco.MjModel.from_xml_string(text), it.load_text(text)
    place = robot.joints["joint 0"].place if tag == "joint" else robot.links["a"].collisions[0].place
    stated = [float(word) for word in robot.mjcf.stated.words(place)[attribute].split()]
    assert stated == list(getattr(compiled, field)[0])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ('stiffness="5" damping="1" frictionloss=".1"', "(stiffness, damping, frictionloss)"),
        ('range="0 1"', "(range)"),
        ('limited="true" range="0 1"', "(range)"),
        ('class="stiff"', "(stiffness)"),
        ('limited="false" range="0 1" stiffness="0"', ""),
    ],
)
@pytest.mark.parametrize("kind", ["fixed", "spatial"])
def test_tendons_that_act_by_themselves_are_named(kind, words, said):
    over = {"fixed": '<joint joint="j" coef="1"/>', "spatial": '<site site="s"/><site site="t"/>'}[kind]
    text = (
        '<mujoco><default><default class="stiff"><tendon stiffness="3"/></default></default><worldbody>'
        '<site name="t"/><body name="a"><joint name="j"/><geom size=".1"/><site name="s" pos=".1 0 0"/></body>'
        f'</worldbody><tendon><{kind} name="rope" {words}>{over}</{kind}></tendon></mujoco>'
    )
    unused = it.load_text(text).mjcf.unused
    assert [one.partition("tendon ")[2] for one in unused] == ([f"'rope' {said}"] if said else [])
