# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A defect that is put into a sound robot comes out first, in every format that can hold it."""

import json
import re
from functools import cache
from pathlib import Path

import pytest
from robots import GOOD, example_robots, joint, link, urdf

import inertia_tools as it
from inertia_tools.cli import main
from inertia_tools.errors import OptionError
from inertia_tools.inertia.finding import Severity

pytest.importorskip("warp", reason="warp-lang is not installed")

EXAMPLE = Path(__file__).parents[2] / "examples/broken_quadruped.urdf"
FORMATS = ("urdf", "xacro", "sdf", "mjcf", "usd")
SUFFIX = {"mjcf": "xml", "usd": "usda", "xacro": "urdf.xacro"}


@cache
def sound():
    """The quadruped of the examples, corrected, with knees that may be straight."""
    return it.fix(it.load(EXAMPLE)).text


def element(text, tag, name):
    """Return an element of the quadruped, from its tag to its end."""
    start = text.index(f'<{tag} name="{name}"')
    return text[start : text.index(f"</{tag}>", start)]


def changed(text, tag, name, old, new):
    """Replace something in one link or joint."""
    before = element(text, tag, name)
    assert old in before, before
    return text.replace(before, before.replace(old, new))


def tensor_of(text, name):
    body = element(text, "link", name)
    return body[body.index("<inertia ") : body.index("/>", body.index("<inertia ")) + 2]


def with_tensor(text, name, value):
    numbers = f'<inertia ixx="{value}" ixy="0" ixz="0" iyy="{value}" iyz="0" izz="{value}"/>'
    return changed(text, "link", name, tensor_of(text, name), numbers)


def as_format(text, name, folder):
    """Write the robot as a file of a format."""
    path = folder / f"robot.{SUFFIX.get(name, name)}"
    if name == "usd":
        pytest.importorskip("pxr", reason="usd-core is not installed")
    if name in ("urdf", "xacro"):
        path.write_text(text)
    else:
        it.convert(it.load_text(text), path).save(path)
    return it.load(path)


def grave(report):
    return [reason for reason in report.reasons if reason.severity is not Severity.INFO]


@pytest.mark.parametrize("name", FORMATS)
def test_the_sound_robot_has_no_reason(name, tmp_path):
    found = it.diagnose(as_format(sound(), name, tmp_path), seconds=1.0)
    no_floor = {"starts-in-ground"} if name in ("mjcf", "usd") else set()  # the robot's own frame is in its trunk
    assert {reason.code for reason in found.reasons} <= no_floor
    assert grave(found) == []
    assert found.before.stands
    assert found.is_stable
    assert found.suggested_step <= found.step.seconds


def tiny_inertia(text):
    return with_tensor(text, "lf_thigh", "1e-9")


def mass_ratio(text):
    text = changed(text, "link", "trunk", '<mass value="8"/>', '<mass value="8000"/>')
    return changed(text, "link", "trunk", tensor_of(text, "trunk"), tensor_of(text, "trunk"))


def stiff_damping(text):
    return changed(text, "joint", "lf_knee", 'damping="0.1"', 'damping="1000"')


def empty_range(text):
    limit = element(text, "joint", "rf_knee")
    limit = limit[limit.index("<limit") : limit.index("/>", limit.index("<limit"))]
    return changed(text, "joint", "rf_knee", limit, '<limit lower="0" upper="0" effort="40" velocity="20"')


def start_outside(text):
    limit = element(text, "joint", "rf_hip_roll")
    limit = limit[limit.index("<limit") : limit.index("/>", limit.index("<limit"))]
    return changed(text, "joint", "rf_hip_roll", limit, '<limit lower="0.3" upper="0.8" effort="40" velocity="20"')


def overlap(text):
    """The thighs of one side grow until they are in each other."""
    return changed(text, "link", "lf_thigh", 'size="0.05 0.04 0.24"', 'size="0.85 0.04 0.24"')


def short_leg(text):
    return changed(text, "joint", "lf_knee", 'xyz="0 0 -0.24"', 'xyz="0 0 -0.22"')


@pytest.mark.parametrize("gap", [0.003, 0.04, 0.06, 0.12, 0.2])
def test_a_foot_off_the_ground_is_found_at_any_height(gap):
    text = changed(sound(), "joint", "lf_knee", 'xyz="0 0 -0.24"', f'xyz="0 0 {gap - 0.24}"')
    found = [one for one in it.diagnose(it.load_text(text), settle=False).reasons if one.code == "foot-off-ground"]
    assert [one.link for one in found] == ["lf_foot"]
    assert found[0].value == pytest.approx(gap, abs=1e-6)


def off_balance(text):
    return changed(text, "link", "trunk", '<mass value="8"/>', '<origin xyz="0.6 0 0"/><mass value="8"/>')


def without_feet(text):
    start, end = "<collision>", "</collision>"
    while start in text:
        text = text[: text.index(start)] + text[text.index(end) + len(end) :]
    return text


SEEDS = {
    "tiny-inertia": (tiny_inertia, "lf_thigh"),
    "mass-ratio": (mass_ratio, None),
    "damping-exceeds-step": (stiff_damping, "lf_knee"),
    "limit-empty": (empty_range, "rf_knee"),
    "start-outside-limits": (start_outside, "rf_hip_roll"),
    "self-contact": (overlap, None),
    "foot-off-ground": (short_leg, "lf_foot"),
    "com-outside-support": (off_balance, "trunk"),
    "no-collision": (without_feet, "trunk"),
}
KEEPS_OTHERS = {
    ("damping-exceeds-step", "mjcf"): "MuJoCo takes damping of joints implicitly",
    ("limit-empty", "mjcf"): "a range from zero to zero is none there",
}


@pytest.mark.sweep
@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("code", SEEDS)
def test_a_defect_comes_out_first(code, name, tmp_path):
    if (code, name) in KEEPS_OTHERS:
        pytest.skip(KEEPS_OTHERS[code, name])
    seed, subject = SEEDS[code]
    found = it.diagnose(as_format(seed(sound()), name, tmp_path), settle=False)
    assert found.reasons, code
    first = next(reason for reason in found.reasons if reason.code != "starts-in-ground")
    assert first.code == code, [str(reason) for reason in found.reasons]
    name_there = (first.link or first.joint).replace("lf_shank", "lf_foot" if code == "foot-off-ground" else "lf_shank")
    assert subject is None or name_there.endswith(subject), "SDFormat lumps the foot into the shank"
    assert first.remedy
    assert first.line is not None or name == "usd"
    assert first.file.endswith(SUFFIX.get(name, name))


IMPOSSIBLE = {
    "negative-mass": lambda text: changed(text, "link", "rf_thigh", '<mass value="', '<mass value="-'),
    "zero-inertia": lambda text: with_tensor(text, "rf_thigh", "0"),
    "triangle-inequality": lambda text: changed(
        text, "link", "rf_thigh", tensor_of(text, "rf_thigh"), tensor_of(text, "rf_thigh").replace('izz="0', 'izz="1')
    ),
}


@pytest.mark.parametrize("code", IMPOSSIBLE)
def test_an_impossible_inertial_comes_before_everything_else(code):
    text = stiff_damping(start_outside(IMPOSSIBLE[code](sound())))
    found = it.diagnose(it.load_text(text), settle=False)
    assert (found.reasons[0].code, found.reasons[0].link) == (code, "rf_thigh")
    assert found.reasons[0].score == 1.0
    assert found.reasons[0].remedy.startswith("inertia-tools fix: ")
    assert found.unsimulated
    assert found.study is not None, "the corrected robot stands in"


def test_a_mass_ratio_beside_an_impossible_link_is_a_reason():
    text = changed(mass_ratio(sound()), "link", "lf_hip", tensor_of(sound(), "lf_hip"), "<inertia/>")
    assert "mass-ratio" in [reason.code for reason in it.diagnose(it.load_text(text), settle=False).reasons]


@pytest.mark.parametrize(
    ("block", "severity"),
    [
        ("", Severity.INFO),
        ('<gazebo reference="lf_thigh"><selfCollide>true</selfCollide></gazebo>', Severity.WARNING),
        ('<gazebo reference="lf_thigh"><selfCollide>false</selfCollide></gazebo>', Severity.INFO),
        ("<gazebo><self_collide>true</self_collide></gazebo>", Severity.WARNING),
    ],
)
def test_an_overlap_is_a_warning_where_the_file_states_self_collision(block, severity, tmp_path):
    robot = it.load_text(overlap(sound()).replace("</robot>", f"{block}</robot>"))
    converted = tmp_path / "robot.sdf"
    it.convert(robot, converted).save(converted)
    for one in (robot, it.load(converted)):
        found = [reason for reason in it.diagnose(one, settle=False).reasons if reason.code == "self-contact"]
        assert {reason.severity for reason in found} == {severity}


PENDULUM = """<robot name="pendulum"><link name="world"/>
<link name="arm"><inertial><origin xyz="0.5 0 0"/><mass value="2"/>
<inertia ixx="0.01" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="shoulder" type="revolute"><parent link="world"/><child link="arm"/><axis xyz="0 {sign} 0"/>
<dynamics friction="{friction}"/><limit lower="{lower}" upper="2" effort="{effort}" velocity="1"/></joint></robot>"""


@pytest.mark.parametrize("sign", (1, -1))
@pytest.mark.parametrize(
    ("ratio", "friction", "lower", "is_weak"),
    [(0.9, 0, -2, True), (1.05, 0, -2, False), (0.9, 2, -2, False), (0.9, 0, 0, True), (0, 0, -2, False)],
)
def test_an_effort_limit_below_the_load_at_rest_is_a_reason(sign, ratio, friction, lower, is_weak):
    load = 2.0 * 9.81 * 0.5
    text = PENDULUM.format(sign=sign, effort=ratio * load, friction=friction, lower=lower)
    found = grave(it.diagnose(it.load_text(text), seconds=1.0))
    is_weak = is_weak and not (lower == 0 and sign == -1)  # the stop carries the load that presses against it
    assert [(one.code, one.joint) for one in found] == ([("effort-exceeds-limit", "shoulder")] if is_weak else [])
    if is_weak:
        assert found[0].value == pytest.approx(load, rel=1e-6)
        assert found[0].bound == pytest.approx(ratio * load)


@pytest.mark.parametrize("name", ("effort", "velocity"))
def test_a_joint_without_effort_is_a_remark(name):
    text = re.sub(f'{name}="[^"]*"', f'{name}="0"', element(sound(), "joint", "lf_knee"))
    found = it.diagnose(it.load_text(sound().replace(element(sound(), "joint", "lf_knee"), text)), settle=False)
    assert [(one.code, one.joint, one.severity) for one in found.reasons] == [("limit-zero", "lf_knee", Severity.INFO)]


@pytest.mark.parametrize("slides", (False, True))
def test_an_actuator_too_weak_for_its_load_is_a_reason(slides):
    kind, load = ("slide", 2.0 * 9.81) if slides else ("hinge", 2.0 * 9.81 * 0.5)
    axis = "0 0 1" if slides else "0 1 0"
    text = f"""<mujoco><worldbody><body name="arm"><joint name="j" type="{kind}" axis="{axis}"/>
    <inertial pos="0.5 0 0" mass="2" diaginertia="0.01 0.1 0.1"/></body></worldbody>
    <actuator><position joint="j" kp="10" forcerange="-{{0}} {{0}}"/></actuator></mujoco>"""
    (found,) = grave(it.diagnose(it.load_text(text.format(0.5 * load)), seconds=1.0))
    assert (found.code, found.value) == ("effort-exceeds-limit", pytest.approx(load, rel=1e-6))
    assert grave(it.diagnose(it.load_text(text.format(1.5 * load)), seconds=1.0)) == []


def scaled(text, name, *, mass=1.0, tensor=1.0):
    """Multiply the mass and the tensor of a link."""
    before = element(text, "link", name)

    def times(factor):
        return lambda match: f'{match[1]}"{float(match[2]) * factor!r}"'

    after = re.sub(r'(<mass value=)"([^"]+)"', times(mass), before)
    return text.replace(before, re.sub(r'(\bi[xyz]{2}=)"([^"]+)"', times(tensor), after))


def with_com(text, name, height):
    before = element(text, "link", name)
    return text.replace(before, re.sub(r'(<inertial>\s*<origin xyz=)"[^"]+"', rf'\1"0 0 {height}"', before))


def without_inertial(text, name):
    before = element(text, "link", name)
    return text.replace(before, re.sub(r"<inertial>.*?</inertial>", "", before, flags=re.DOTALL))


@pytest.mark.parametrize("factor", (2e3, 1e5))
def test_a_mass_ratio_is_reported_at_the_link_of_the_impossible_density(factor):
    found = it.diagnose(it.load_text(scaled(sound(), "lf_hip", mass=factor, tensor=factor)), settle=False)
    assert [(one.code, one.link) for one in grave(found)] == [("mass-ratio", "lf_hip")]
    assert "mass-ratio" in [one.code for one in it.check(found.robot)["lf_thigh"].findings], "the lighter one is sound"


def test_a_mass_that_no_material_has_is_a_reason_even_if_its_tensor_agrees():
    text = scaled(sound(), "lf_shank", mass=1e3, tensor=1e3)
    found = it.diagnose(it.load_text(text), settle=False)
    assert [(one.code, one.link) for one in grave(found)] == [("density-high", "lf_shank")]
    assert "wrong-unit" in found.reasons[0].remedy
    everything = text
    for name in it.load_text(text).links:
        everything = scaled(everything, name, mass=1e3, tensor=1e3) if name != "lf_shank" else everything
    found = it.diagnose(it.load_text(everything), settle=False)
    assert "density-high" in {one.code for one in grave(found)}


def test_a_light_link_far_outside_of_its_geometry_tips_the_robot():
    text = with_com(sound(), "lf_shank", "-120")
    found = it.diagnose(it.load_text(text), settle=False)
    assert [(one.code, one.link) for one in grave(found)] == [("com-outside-geometry", "lf_shank")]
    near = with_com(sound(), "lf_shank", "-0.4")
    assert grave(it.diagnose(it.load_text(near), settle=False)) == []


def test_geometry_in_millimetres_is_to_be_scaled_and_the_inertial_kept():
    text = changed(sound(), "link", "lf_thigh", 'size="0.05 0.04 0.24"', 'size="50 40 240"')
    (first, *_) = it.diagnose(it.load_text(text), settle=False).reasons
    assert (first.code, first.link, first.severity) == ("unit-suspect", "lf_thigh", Severity.WARNING)
    assert "scale" in first.remedy


def test_a_moving_body_without_any_mass_is_a_warning(tmp_path):
    text = without_inertial(sound(), "lf_thigh")
    found = it.diagnose(it.load_text(text), settle=False)
    assert [(one.code, one.link) for one in grave(found)] == [("missing-inertial", "lf_thigh")]
    assert not found.is_stable


def test_a_moving_frame_that_carries_a_mass_by_a_fixed_joint_is_sound():
    more = (
        '<link name="pan"/><joint name="pan_joint" type="continuous"><parent link="trunk"/><child link="pan"/></joint>'
        '<link name="lens"><inertial><mass value="0.1"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" '
        'iyz="0"/></inertial></link><joint name="mount" type="fixed"><parent link="pan"/><child link="lens"/></joint>'
    )
    found = it.diagnose(it.load_text(sound().replace("</robot>", f"{more}</robot>")), settle=False)
    assert grave(found) == []


def test_limits_that_are_reversed_are_an_error():
    text = changed(sound(), "joint", "rf_hip_roll", 'lower="-0.8" upper="0.8"', 'lower="0.8" upper="-0.8"')
    (first, *_) = it.diagnose(it.load_text(text), settle=False).reasons
    assert (first.code, first.joint, first.severity) == ("limit-reversed", "rf_hip_roll", Severity.ERROR)
    assert "lower -0.8, upper 0.8" in first.remedy


@pytest.mark.parametrize("name", ("urdf", "sdf"))
def test_gains_of_a_controller_are_judged(name, tmp_path):
    robot = as_format(sound(), name, tmp_path)
    calm = it.diagnose(robot, settle=False, stiffness=10.0, damping=0.1)
    assert grave(calm) == []
    stiff = it.diagnose(robot, settle=False, stiffness=1e6, damping=0.1)
    assert {reason.code for reason in grave(stiff)} == {"gains-exceed-step"}
    assert stiff.suggested_step < stiff.study.whole.longest < stiff.step.seconds
    again = it.diagnose(robot, settle=False, stiffness=1e6, damping=0.1, step=stiff.suggested_step)
    assert grave(again) == []


def test_the_largest_gains_that_are_named_are_stable_and_twice_the_damping_is_not():
    robot = it.load_text(sound().replace('damping="0.1"', 'damping="0"'))
    for one in it.diagnose(robot, settle=False, damping=1e-9).study.joints:
        assert one.largest_damping == pytest.approx(one.inertia / 1e-3)


def test_the_drop_test_runs_before_and_after():
    found = it.diagnose(it.load(EXAMPLE), seconds=1.0)
    assert not found.before.stands
    assert "rf_thigh" in found.before.said
    assert found.after.stands


def test_a_robot_that_is_off_balance_falls_and_the_reason_says_so():
    found = it.diagnose(it.load_text(off_balance(sound())), seconds=1.0)
    assert "com-outside-support" in [reason.code for reason in found.reasons]
    assert not found.before.stands
    assert "fell" in found.before.said


@pytest.mark.parametrize("gap", (0.02, 0.0))
def test_a_caster_that_does_not_reach_the_ground_is_named(gap):
    wheel = (
        "<inertial><mass value='0.5'/><inertia ixx='1e-3' iyy='1e-3' izz='1e-3' ixy='0' ixz='0' iyz='0'/></inertial>"
    )
    turned = (
        '<collision><origin rpy="1.570796326794897 0 0"/><geometry><cylinder radius="0.1" length="0.04"/></geometry>'
    )
    parts = [
        '<link name="base"><inertial><origin xyz="-0.05 0 0.05"/><mass value="6"/><inertia ixx="0.05" iyy="0.05" '
        'izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>',
        '<link name="caster"><collision><geometry><sphere radius="0.03"/></geometry></collision></link>',
        '<joint name="mount" type="fixed"><parent link="base"/><child link="caster"/>'
        f'<origin xyz="-0.2 0 {0.03 - 0.1 + gap}"/></joint>',
    ]
    for side, y in (("left", 0.2), ("right", -0.2)):
        parts.append(f'<link name="{side}">{wheel}{turned}</collision></link>')
        parts.append(
            f'<joint name="{side}_axle" type="continuous"><parent link="base"/><child link="{side}"/>'
            f'<origin xyz="0 {y} 0"/><axis xyz="0 1 0"/></joint>'
        )
    found = grave(it.diagnose(it.load_text(f'<robot name="cart">{"".join(parts)}</robot>'), settle=False))
    assert [one.code for one in found] == (["com-outside-support"] if gap else [])
    assert all("'caster' is 20 mm above the ground" in one.message for one in found)


@pytest.mark.parametrize("depth", (0.02, 0.0))
def test_a_model_may_start_in_the_ground(depth):
    text = (
        f'<mujoco><worldbody><geom type="plane" size="1 1 1"/><body name="box" pos="0 0 {0.1 - depth}"><freejoint/>'
        '<geom type="box" size="0.1 0.1 0.1"/></body></worldbody></mujoco>'
    )
    found = it.diagnose(it.load_text(text), settle=False)
    assert [reason.code for reason in found.reasons] == (["starts-in-ground"] if depth else [])


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ('<mujoco><option timestep="0.005"/><worldbody/></mujoco>', 0.005),
        ("<mujoco><worldbody><body name='b'><geom size='1'/></body></worldbody></mujoco>", 0.002),
    ],
)
def test_the_step_is_that_of_the_file(text, step):
    from inertia_tools.diagnosis.stated_step import stated_step

    text = text.replace("<worldbody/>", "<worldbody><body name='b'><geom size='1'/></body></worldbody>")
    assert stated_step(it.load_text(text)).seconds == step


def test_the_step_of_a_world_is_that_of_its_physics():
    from inertia_tools.diagnosis.stated_step import stated_step

    text = (
        '<sdf version="1.9"><world name="w"><physics name="p" type="ode"><max_step_size>0.004</max_step_size>'
        '</physics><model name="m"><link name="l"/></model></world></sdf>'
    )
    assert stated_step(it.load_text(text)).seconds == 0.004


def test_a_robot_that_cannot_be_simulated_is_not_stable(tmp_path):
    path = tmp_path / "frame.urdf"
    path.write_text('<robot name="r"><link name="frame"/></robot>')
    found = it.diagnose(it.load(path), settle=False)
    assert found.unsimulated
    assert not found.is_stable
    assert main(["diagnose", str(path), "--no-drop", "--quiet"]) == 1


def test_numbers_out_of_range_are_refused():
    robot = it.load_text(sound())
    for name, wrong in (
        *(("step", value) for value in (0.0, -1.0, "x", [1.0])),
        *(("stiffness", value) for value in (-1.0, "x", None)),
        *(("damping", value) for value in (float("nan"), "x", None)),
        *(("seconds", value) for value in (-1.0, 0.5, float("inf"), "x", None)),
    ):
        with pytest.raises(OptionError, match=rf"^{name} must be"):
            it.diagnose(robot, settle=False, **{name: wrong})


def test_the_command_prints_reasons_with_place_and_remedy(capsys):
    assert main(["diagnose", str(EXAMPLE), "--no-drop"]) == 1
    out = capsys.readouterr().out
    assert out.startswith(f"1. {EXAMPLE}:9: error: trunk: ")
    assert "   do: inertia-tools fix: " in out
    assert "next: inertia-tools fix" in out.splitlines()[-1]


def test_what_cannot_be_simulated_nor_corrected_is_explained_next(tmp_path, capsys):
    path = tmp_path / "reversed.urdf"
    text = """<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
    <limit lower="1" upper="-1" effort="1" velocity="1"/></joint></robot>"""
    path.write_text(text)
    main(["diagnose", str(path)])
    words = capsys.readouterr().out.splitlines()[-1].split()
    assert words[-2:] == ["explain", "limit-reversed"]
    assert main(words[-2:]) == 0


def test_the_command_of_a_sound_robot_exits_with_zero(tmp_path, capsys):
    path = tmp_path / "sound.urdf"
    path.write_text(sound())
    assert main(["diagnose", str(path), "--no-drop", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "inertia-tools/diagnosis/1"
    assert document["reasons"] == []
    assert document["step"]["suggested"] == 0.001
    assert {one["joint"] for one in document["joints"]} >= {"lf_knee", "rh_hip_roll"}
    assert document["drop_test"] == {"before": None, "after": None}


def test_a_xacro_is_diagnosed_where_it_is_written(tmp_path):
    path = tmp_path / "robot.urdf.xacro"
    text = tiny_inertia(sound()).replace("<robot ", '<robot xmlns:xacro="http://ros.org/wiki/xacro" ')
    path.write_text(text)
    first = it.diagnose(it.load(path), settle=False).reasons[0]
    assert (first.code, first.file) == ("tiny-inertia", str(path))
    assert text.splitlines()[first.line - 1].strip().startswith("<inertial")


SOUND_ROBOTS = [
    "go1_description/urdf/go1.urdf",
    "go2_description/urdf/go2.urdf",
    "b1_description/urdf/b1.urdf",
    "ur_description/urdf/ur5_robot.urdf",
]


@pytest.mark.skipif(example_robots() is None, reason="example-robot-data is not installed")
@pytest.mark.parametrize("name", SOUND_ROBOTS)
def test_published_robots_that_stand_have_no_reason(name):
    found = it.diagnose(it.load(example_robots() / name), seconds=1.0)
    assert [str(reason) for reason in grave(found)] == []
    assert found.before.stands


@pytest.mark.skipif(example_robots() is None, reason="example-robot-data is not installed")
def test_a_published_arm_that_is_not_bolted_down_tips_as_the_reason_says():
    robot = it.load(example_robots() / "panda_description/urdf/panda.urdf")
    (reason,) = grave(it.diagnose(robot, settle=False))
    assert reason.code == "com-outside-support"
    assert grave(it.diagnose(robot, settle=False, fixed_base=True)) == []


def test_a_robot_whose_collision_meshes_are_lost_has_nothing_to_stand_on(tmp_path):
    link = '<link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    shape = '</inertial><collision><geometry><mesh filename="package://nowhere/a.stl"/></geometry></collision></link>'
    path = tmp_path / "lost.urdf"
    path.write_text(f'<robot name="lost">{link}{shape}</robot>')
    found = it.diagnose(it.load(path), settle=False)
    reason = next(reason for reason in found.reasons if reason.code == "no-collision")
    assert "1 collision mesh was found" in reason.message
    assert "--package-path" in reason.remedy


def test_a_link_without_an_inertial_whose_mesh_is_lost_needs_that_first():
    arm = '<link name="arm"><visual><geometry><mesh filename="package://nowhere/a.stl"/></geometry></visual></link>'
    robot = it.load_text(urdf(link("base", GOOD), arm, joint("arm", "base", "continuous")))
    reason = next(one for one in it.diagnose(robot, settle=False).reasons if one.link == "arm")
    assert reason.code == "missing-inertial"
    assert "--package-path" in reason.remedy
    assert "--link-mass" not in reason.remedy


@pytest.mark.parametrize("origin", ["120 0 50", "0 90 0"])
def test_a_misplaced_link_comes_before_what_follows_from_its_place(origin):
    moment = '<inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/>'
    text = urdf(
        link("base", '<mass value="2"/>' + moment, '<box size="0.3 0.3 0.1"/>'),
        link("arm", '<mass value="1"/>' + moment, '<box size="0.1 0.1 0.2"/>'),
        joint("arm", "base", origin=origin),
    )
    codes = [one.code for one in it.diagnose(it.load_text(text), settle=False).reasons]
    assert codes.index("origin-in-millimetres") < codes.index("com-outside-support")


def test_a_missing_mesh_is_noted_once_and_its_remedy_comes_next(tmp_path, capsys, caplog):
    path = tmp_path / "robot.urdf"
    moment = '<inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/>'
    path.write_text(urdf(link("base", '<mass value="2"/>' + moment, '<mesh filename="package://lost/a.stl"/>')))
    assert main(["diagnose", str(path), "--seconds", "0.6"]) == 1
    assert sum("is omitted" in record.getMessage() for record in caplog.records) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "next: inertia-tools explain no-collision"
