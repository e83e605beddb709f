# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Joints of MJCF in a scene: what they become, and that bodies move on them as they do in MuJoCo."""

import logging

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.errors import SimulationError
from inertia_tools.sim.importing.joints import SHARE
from inertia_tools.sim.scene.joint_kind import JointKind

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")

ROD = '<geom type="capsule" fromto="0 0 0 .3 0 .05" size=".03"/>'
HINGES = '<joint name="x" axis="1 0 0"/><joint name="y" axis="0 1 0"/><joint name="z"/>'


@pytest.fixture(autouse=True)
def _away(tmp_path, monkeypatch):
    """Keep the log that MuJoCo leaves in the working folder out of the way."""
    monkeypatch.chdir(tmp_path)


def model(bodies: str, after: str = "") -> str:
    return (
        '<mujoco><compiler angle="radian"/><option timestep="1e-4" integrator="implicit"><flag contact="disable"/></option>'
        f"<worldbody>{bodies}</worldbody>{after}</mujoco>"
    )


def body(name: str, inside: str, words: str = "") -> str:
    return f'<body name="{name}" {words}>{inside}</body>'


def added(text: str, **options):
    builder = it.ModelBuilder()
    return builder, builder.add_mjcf(text, **options)


def only_joint(inside: str):
    builder, robot = added(model(body("a", inside + ROD)))
    (joint,) = (one for one in builder.joints if one.kind is not JointKind.FIXED)
    return joint, robot


def test_joints_about_one_point_are_one_of_many_axes():
    joint, robot = only_joint('<joint name="s" type="slide" axis="0 1 1"/>' + HINGES)
    assert joint.kind is JointKind.D6 and joint.dof_count == 4 and joint.name == "s_x_y_z"
    assert {name: dof for name, (_, dof) in robot.joint_dofs.items()} == {"s": 0, "x": 1, "y": 2, "z": 3}
    assert robot.joint_bodies == {} and robot.findings == ()


def test_a_slide_along_the_axis_of_a_hinge_is_one_joint_with_it():
    """Rotation about an axis and displacement along it commute; there was a body between them."""
    builder, robot = added(model(body("a", '<joint axis="1 0 0"/><joint type="slide" axis="1 0 0"/>' + ROD)))
    assert sum(not held for held in builder.body_kinematic) == 1
    assert robot.findings == ()


@pytest.mark.parametrize(
    ("inside", "bodies"),
    [
        ('<joint axis="1 0 0"/><joint axis="0 1 0" pos=".1 0 0"/>', 1),
        ('<joint axis="1 0 0"/><joint axis="1 1 0"/>', 1),
        ('<joint/><joint type="slide" axis="1 0 0"/>', 1),
        ('<joint type="ball"/><joint type="slide"/>', 1),
        ('<joint axis="1 0 0"/><joint axis="0 1 0" pos=".1 0 0"/><joint axis="0 0 1" pos=".2 0 0"/>', 2),
    ],
)
def test_other_rows_have_bodies_between_them(inside, bodies):
    builder, robot = added(model(body("a", inside + ROD)))
    whole = it.resolve(it.load_text(model(body("a", inside + ROD)))).links["a"].inertial
    moving = [index for index in range(builder.body_count) if not builder.body_kinematic[index]]
    assert len(moving) == 1 + bodies
    total = it.Inertial.sum(builder.inertial(index) for index in moving)
    assert total.mass == pytest.approx(whole.mass) and np.allclose(total.inertia, whole.inertia)
    assert builder.body_mass[robot.links["a"].body] == pytest.approx((1.0 - bodies * SHARE) * whole.mass)
    assert [finding.code for finding in robot.findings] == ["divided-body"]


def test_numbers_reach_the_degree_of_freedom():
    words = 'range="-.5 .7" damping=".2" frictionloss=".3" armature=".04" stiffness="2" springref=".1" ref=".05"'
    actuators = '<actuator><position joint="j" kp="5" kv=".5" gear="2" ctrlrange="-1 1" forcerange="-3 3"/></actuator>'
    text = model(body("a", f'<joint name="j" {words}/>{ROD}'), actuators)
    builder, robot = added(text, armature_scale=2.0)
    joint, dof = robot.joint_dofs["j"]
    config = builder.joints[joint].dofs[dof].config
    wanted = {
        "limit_lower": -0.55,
        "limit_upper": 0.65,
        "damping": 0.2,
        "friction": 0.3,
        "armature": 0.08,
        "stiffness": 2.0,
        "springref": 0.05,
        "target_ke": 20.0,
        "target_kd": 2.0,
        "target_pos": -0.05,
        "effort_limit": 6.0,
    }
    assert {name: getattr(config, name) for name in wanted} == pytest.approx(wanted)


def test_what_has_no_place_is_named_in_one_warning(caplog):
    joints = '<joint name="j" springdamper=".1 1"/>'
    ball = body("b", f'<joint name="k" type="ball" range="0 1"/>{ROD}<site name="s"/>')
    with caplog.at_level(logging.WARNING):
        added(model(body("a", joints + ROD + ball), '<actuator><motor name="m" site="s"/></actuator>'))
    (said,) = [record.getMessage() for record in caplog.records]
    for word in ("j: springdamper", "k: range", "actuator 'm' (on a site)"):
        assert word in said


def test_numbers_that_no_joint_has_are_refused_with_their_place():
    with pytest.raises(SimulationError, match=r"'j'.*damping"):
        added(model(body("a", f'<joint name="j" damping="-1"/>{ROD}')))


PAIR = body("a", f'<joint name="j"/>{ROD}') + body("b", f'<joint name="k"/>{ROD}', 'pos="0 1 0"')


def test_equalities_can_be_left_out():
    text = model(
        PAIR, '<equality><connect body1="a" body2="b" anchor=".3 .5 0"/><joint joint1="j" joint2="k"/></equality>'
    )
    builder, _ = added(text)
    assert [joint.closes_loop for joint in builder.joints].count(True) == 1 and len(builder.mimics) == 1
    builder, _ = added(text, skip_equality_constraints=True)
    assert not any(joint.closes_loop for joint in builder.joints) and builder.mimics == []


def test_a_loop_between_bodies_that_do_not_move_is_named(caplog):
    text = model(body("a", f"<freejoint/>{ROD}"), '<equality><connect body1="a" anchor="0 0 0"/></equality>')
    with caplog.at_level(logging.WARNING):
        builder, _ = added(text, floating=False)
    assert [joint.kind for joint in builder.joints] == [JointKind.FIXED]
    assert "connect 0: a loop between bodies that do not move" in caplog.text


DAMPED = HINGES.replace("/>", ' damping=".02"/>')
OUTSIDE = f'<joint name="j" axis="0 1 0" range=".5 1"/>{ROD}'


def test_a_joint_that_may_not_be_at_zero_starts_at_its_bound():
    text = model(body("a", OUTSIDE))
    _, robot = added(text)
    assert [(finding.code, finding.link) for finding in robot.findings] == [("start-at-bound", "a")]
    simulation = it.Simulation(it.load_text(text), dt=1e-3, ground=False, dtype="float64", gravity=(0, 0, 0))
    simulation.step(10)
    snapshot = simulation.snapshot()
    assert snapshot.joint_positions["j"] == pytest.approx(0.5) and snapshot.kinetic_energy == pytest.approx(0.0)


def test_joints_apart_start_at_their_bounds():
    text = model(body("a", f'<joint axis="1 0 0" range=".5 1"/><joint axis="0 1 0" pos=".1 0 0" range="-1 -.3"/>{ROD}'))
    compiled = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(compiled)
    data.qpos[:] = [0.5, -0.3]
    mujoco.mj_forward(compiled, data)
    builder, robot = added(text)
    assert np.allclose(builder.body_pose[robot.links["a"].body].position, data.body("a").xpos)
    assert np.allclose(builder.finalize(dtype="float64").start_coordinates, [0.5, -0.3])


def test_loops_hold_the_start():
    bodies = body("a", OUTSIDE) + body("b", f'<joint axis="0 1 0"/>{ROD}', 'pos="0 1 0"')
    text = model(bodies, '<equality><connect body1="a" body2="b" anchor=".3 .5 0"/></equality>')
    simulation = it.Simulation(it.load_text(text), dt=1e-3, ground=False, dtype="float64", gravity=(0, 0, 0))
    simulation.step(10)
    assert simulation.snapshot().kinetic_energy == pytest.approx(0.0)


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ('<option wind="1 0 0"/>', "wind 1 0 0"),
        ('<option density="1.2"/>', "density 1.2"),
        ('<option viscosity="2e-5"/>', "viscosity 2e-5"),
        ('<option actuatorgroupdisable="1 2"/>', "actuatorgroupdisable"),
        ('<option><flag override="enable"/></option>', "override of contacts"),
        *(
            (f'<option><flag {name}="disable"/></option>', f"{name} is off")
            for name in ("contact", "limit", "equality", "actuation", "spring", "damper", "frictionloss", "constraint")
        ),
        ('<option timestep=".01" wind="0 0 0" density="0"><flag warmstart="disable" contact="enable"/></option>', ""),
    ],
)
def test_options_that_change_how_bodies_move_are_named(option, said):
    unused = it.load_text(f"<mujoco>{option}<worldbody>{body('a', ROD)}</worldbody></mujoco>").mjcf.unused
    assert unused == ((f"<text>:1: {said}",) if said else ())


ARM = body(
    "a",
    f'<joint name="s" type="slide" axis="0 1 0" stiffness="30" damping="1"/>{DAMPED}{ROD}'
    + body(
        "b",
        f'<joint name="q" axis="0 1 0" pos="0 0 .02" armature=".01" springref=".3" stiffness=".5"/>{ROD}',
        'pos=".3 0 .05"',
    ),
)
LINKAGE = body("a", f'<joint name="j" axis="0 1 0"/>{ROD}') + body(
    "b",
    f'<joint name="k" axis="0 1 0"/>{ROD}' + body("c", f'<joint axis="0 1 0"/>{ROD}', 'pos=".3 0 .05"'),
    'pos="0 0 -.4"',
)

STIFF = 'solref=".0004 1" solimp=".9999 .9999 .0001"'
"""MuJoCo's equalities give; with this they do little."""

FINGERS = body("a", f'<joint name="j" axis="0 1 0" ref=".2"/>{ROD}') + body(
    "b", f'<joint name="k" axis="0 1 0"/>{ROD}', 'pos="0 1 0" euler="0 1 0"'
)
TENDON = '<tendon><fixed name="t"><joint joint="j" coef=".5"/><joint joint="k" coef="-.7"/></fixed></tendon>'

MOVING = {
    "one hinge": model(body("a", f'<joint axis="0 1 0" damping=".05"/>{ROD}')),
    "dry friction": model(body("a", f'<joint axis="0 1 0" frictionloss=".05"/>{ROD}')),
    "slide and three hinges": model(ARM),
    "a drive": model(ARM, '<actuator><position joint="q" kp="2" kv=".1"/><velocity joint="z" kv=".2"/></actuator>'),
    "a ball": model(body("a", f'<joint type="ball" damping=".02"/>{ROD}', 'euler=".3 .2 .1"')),
    "hinges apart": model(
        body("a", f'<joint axis="1 0 0" pos="0 .1 0"/><joint axis="0 1 1" pos=".1 0 0" damping=".02"/>{ROD}')
    ),
    "a joint that follows": model(
        body("a", f'<joint name="j" axis="0 1 0"/>{ROD}')
        + body("b", f'<joint name="k" axis="0 1 0"/>{ROD}', 'pos="0 1 0" euler="0 1 0"'),
        f'<equality><joint joint1="k" joint2="j" polycoef="0 -.5" {STIFF}/></equality>',
    ),
    "a drive by a tendon": model(
        FINGERS,
        f'{TENDON}<equality><joint joint1="k" joint2="j" polycoef="0 -.5" {STIFF}/></equality>'
        '<actuator><position tendon="t" kp="3" kv=".2" gear="2"/></actuator>',
    ),
    "a joint that follows by a tendon": model(
        FINGERS,
        f'{TENDON}<equality><tendon tendon1="t" {STIFF}/></equality>',
    ),
    "a loop": model(LINKAGE, f'<equality><connect body1="a" body2="c" anchor=".3 0 .05" {STIFF}/></equality>'),
    "free bodies in a chain from the world": model(
        body("a", f"<freejoint/>{ROD}") + body("b", f"<freejoint/>{ROD}", 'pos=".3 0 .05"'),
        f'<equality><connect body1="a" anchor="0 0 0" {STIFF}/>'
        f'<connect body1="a" body2="b" anchor=".3 0 .05" {STIFF}/></equality>',
    ),
    "a free body that hangs on the world, named first": model(
        body("a", f"<freejoint/>{ROD}", 'euler=".1 .2 .3"'),
        f'<equality><connect body1="world" body2="a" anchor=".1 .2 .3" {STIFF}/></equality>',
    ),
    "a free body that is welded to the world, named first": model(
        body("a", f"<freejoint/>{ROD}", 'euler=".1 .2 .3"'),
        f'<equality><weld body1="world" body2="a" {STIFF}/></equality>',
    ),
    "a free body that hangs on a mocap body": model(
        '<body name="hand" mocap="true" pos="0 .1 .2"/>' + body("a", f"<freejoint/>{ROD}"),
        f'<equality><connect body1="hand" body2="a" anchor="0 0 0" {STIFF}/></equality>',
    ),
    "free body with an arm": model(body("f", f'<freejoint/><geom size=".1"/>{ARM}', 'pos="0 0 2"')),
}

PLACE, TURN = 5e-4, 1e-5
"""Largest differences of places [m] and of 1 - |q . q|; seen: 2e-4 and 3e-7."""


@pytest.mark.parametrize("name", MOVING)
def test_bodies_move_as_in_mujoco(name):
    """Places of all bodies after 0.3 s from rest; MuJoCo takes 3000 steps."""
    text = MOVING[name]
    compiled = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(compiled)
    mujoco.mj_step(compiled, data, 3000)
    simulation = it.Simulation(it.load_text(text), dt=1e-3, substeps=4, ground=False, dtype="float64")
    simulation.step(300)
    snapshot = simulation.snapshot()
    for link, place, turn in zip(snapshot.names, snapshot.positions, snapshot.quaternions, strict=True):
        theirs = data.body(link)
        assert np.abs(place - theirs.xpos).max() < PLACE, link
        assert 1.0 - abs(np.dot(np.roll(turn, 1), theirs.xquat)) < TURN, link
