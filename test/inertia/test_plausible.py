# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Warnings about inertials that some body can have and this link hardly has: laws first, then every edge."""

import math

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st
from robots import BOX, GOOD, joint, link, mass, tensor, urdf

import inertia_tools as it
from inertia_tools.geometry.primitives import hollow_box, solid_box, solid_cylinder, solid_sphere
from inertia_tools.inertia.checks.kin import twins

SIZE = np.array([0.1, 0.2, 0.3])
SIX = solid_box(SIZE).scaled_to_mass(6.0)
sizes = st.floats(0.01, 10.0)


def stated(inertial: it.Inertial, factor: float = 1.0) -> str:
    """Write an inertial, its tensor times a factor."""
    x, y, z = map(float, inertial.com)
    (xx, xy, xz), (_, yy, yz), (*_, zz) = (factor * inertial.inertia).tolist()
    return f'<origin xyz="{x!r} {y!r} {z!r}"/>{mass(inertial.mass)}{tensor(xx, yy, zz, xy, xz, yz)}'


def found(text: str, name: str = "base", severity: it.Severity = it.Severity.WARNING) -> list[str]:
    findings = it.check(it.load_text(text))[name].findings
    return [finding.code for finding in findings if finding.severity is severity]


def on_box(inertial: str) -> list[str]:
    return found(urdf(link("base", inertial, BOX)))


# Laws


@settings(max_examples=60, deadline=None)
@given(sizes, sizes, sizes, st.floats(200.0, 20000.0))
def test_solid_and_hollow_bodies_are_plausible(x, y, z, density):
    wall = 0.01 * min(x, y, z)
    bodies = {
        f'<box size="{x} {y} {z}"/>': [solid_box((x, y, z)), hollow_box((x, y, z), wall)],
        f'<sphere radius="{x}"/>': [solid_sphere(x)],
        f'<cylinder radius="{x}" length="{y}"/>': [solid_cylinder(x, y)],
    }
    for shape, units in bodies.items():
        for unit in units:
            body = unit.scaled_to_mass(density * unit.mass)
            assert found(urdf(link("base", stated(body), shape))) == []


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(4, 30))
def test_no_distribution_of_mass_over_the_geometry_exceeds_it(seed, count):
    random = np.random.default_rng(seed)
    points = random.choice([-0.5, 0.0, 0.5], (count, 3)) * SIZE  # corners and middles: as far out as can be
    masses = random.uniform(0.01, 1.0, count)
    body = it.Inertial.sum([it.Inertial(m, p, 1e-8 * np.eye(3)) for m, p in zip(masses, points, strict=True)])
    assert not {"exceeds-geometry", "com-outside-geometry"} & set(on_box(stated(body)))


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_verdicts_do_not_depend_on_the_unit_of_length(scale):
    body = solid_box(scale * SIZE).scaled_to_mass(6.0 * scale**3)
    shape = f'<box size="{0.1 * scale} {0.2 * scale} {0.3 * scale}"/>'
    assert found(urdf(link("base", stated(body), shape))) == []
    assert found(urdf(link("base", stated(body, 3.1), shape))) == ["oversized-inertia"]
    assert found(urdf(link("base", stated(body, 0.0099), shape))) == ["undersized-inertia"]


# Edges


def test_a_moment_beyond_all_mass_at_the_farthest_corner():
    bound = 6.0 * 0.25 * float(SIZE @ SIZE)
    assert "exceeds-geometry" not in on_box(mass(6) + tensor(0.99 * bound, 0.9 * bound, 0.8 * bound))
    assert "exceeds-geometry" in on_box(mass(6) + tensor(1.01 * bound, 0.9 * bound, 0.8 * bound))


@pytest.mark.parametrize(
    ("factor", "expected"), [(2.9, []), (3.1, ["oversized-inertia"]), (0.011, []), (0.009, ["undersized-inertia"])]
)
def test_tensors_out_of_proportion(factor, expected):
    assert on_box(stated(SIX, factor)) == expected


@pytest.mark.parametrize(("offset", "expected"), [(0.19, []), (0.21, ["com-outside-geometry"])])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_centre_of_mass_a_fifth_of_the_extent_outside(axis, offset, expected):
    com = np.zeros(3)
    com[axis] = (0.5 + offset) * SIZE[axis]
    assert on_box(stated(it.Inertial(6.0, com, SIX.inertia))) == expected


def test_collisions_and_visuals_are_the_geometry_together():
    far = '<visual><origin xyz="1 0 0"/><geometry><sphere radius="0.02"/></geometry></visual>'
    body = f"<inertial>{stated(it.Inertial(6.0, [0.5, 0, 0], 10 * SIX.inertia))}</inertial>"
    near = f"<collision><geometry>{BOX}</geometry></collision>"
    assert found(urdf(f'<link name="base">{body}{near}{far}</link>')) == []
    assert "com-outside-geometry" in found(urdf(f'<link name="base">{body}{near}</link>'))


@pytest.mark.parametrize("moment", [1.0, 0.01, 1e-6])
def test_powers_of_ten_times_the_identity_are_placeholders(moment):
    assert "placeholder-inertia" in on_box(mass(6) + tensor(moment, moment, moment))
    assert found(urdf(link("base", mass(6) + tensor(moment, moment, moment)))) == ["placeholder-inertia"]


def test_a_ball_that_has_a_round_moment_is_no_placeholder():
    ball = '<sphere radius="0.5"/>'
    assert found(urdf(link("base", mass(1) + tensor(0.1, 0.1, 0.1), ball))) == []
    assert "placeholder-inertia" in found(urdf(link("base", mass(2) + tensor(0.1, 0.1, 0.1), ball)))


def test_equal_moments_are_worth_a_word_unless_the_geometry_has_them():
    info = it.Severity.INFO
    alike = mass(6) + tensor(0.047, 0.047, 0.047)
    assert found(urdf(link("base", alike, BOX)), severity=info) == ["isotropic-inertia"]
    assert found(urdf(link("base", alike, '<box size="0.2 0.2 0.2"/>')), severity=info) == []
    assert found(urdf(link("base", mass(6) + tensor(0.0472, 0.047, 0.047), BOX)), severity=info) == []


def test_a_diagonal_tensor_in_a_turned_frame_is_worth_a_word():
    turned = '<origin rpy="0 0 1"/>'
    moments = mass(6) + tensor(*np.diag(SIX.inertia).tolist())
    info = it.Severity.INFO
    assert found(urdf(link("base", turned + moments, BOX)), severity=info) == ["rotated-diagonal"]
    assert found(urdf(link("base", moments, BOX)), severity=info) == []
    full = mass(6) + tensor(0.065, 0.05, 0.025, 0.001)
    assert found(urdf(link("base", turned + full, BOX)), severity=info) == []


@pytest.mark.parametrize(
    ("factor", "unit"),
    [(1e9, "g mm"), (1e7, "g cm"), (1e6, "kg mm"), (1e4, "kg cm"), (1e3, "g m^2"), (1e-3, "converted twice")],
)
def test_tensors_in_another_unit(factor, unit):
    findings = it.check(it.load_text(urdf(link("base", stated(SIX, factor), BOX))))["base"].findings
    assert [unit in finding.message for finding in findings if finding.code == "unit-suspect"] == [True]


def test_a_large_tensor_of_another_shape_is_no_question_of_units():
    assert "unit-suspect" not in on_box(mass(6) + tensor(1e4, 7e4, 7e4))


def test_mass_in_grams_and_geometry_in_millimetres():
    grams = solid_box(SIZE).scaled_to_mass(6000.0)
    assert on_box(stated(grams)) == ["density-high", "unit-suspect"]
    millimetres = '<box size="100 200 300"/>'
    assert {"density-low", "unit-suspect"} <= set(found(urdf(link("base", stated(SIX), millimetres))))


IN_OTHER_UNITS = [
    (1e3, 1.0, ["mass in g"]),
    (1e3, 1e3, ["mass looks like grams", "tensor looks like g m^2"]),
    (1e3, 1e9, ["mass in g and", "tensor in g mm^2"]),
    (1.0, 1e6, ["tensor in kg mm^2"]),
    (1.0, 1e3, ["tensor in g m^2"]),
]


@pytest.mark.parametrize(("mass_factor", "tensor_factor", "said"), IN_OTHER_UNITS)
def test_one_diagnosis_explains_all_and_its_factor_is_used_when_asked(mass_factor, tensor_factor, said):
    wrong = it.Inertial(6.0 * mass_factor, SIX.com, SIX.inertia * tensor_factor)
    robot = it.load_text(urdf(link("base", stated(wrong), BOX)))
    (suspicion,) = [one for one in it.check(robot)["base"].findings if one.code == "unit-suspect"]
    assert all(words in suspicion.message for words in said)
    assert it.fix(robot).data == robot.document.data
    correction = it.fix(robot, "implausible")
    assert correction.corrected.links["base"].inertial.isclose(SIX, 1e-11)
    assert correction.report["base"].corrected.method is it.Method.DECLARED
    assert "divided by 1" in correction.changes["base"].reason


@pytest.mark.parametrize("shape", ['<box size="100 200 300"/>', '<mesh filename="box.stl"/>'])
def test_geometry_in_millimetres_is_one_diagnosis_and_the_inertial_beside_it_stays(shape, tmp_path):
    trimesh.creation.box([100, 200, 300]).export(tmp_path / "box.stl")
    robot = it.load_text(urdf(link("base", stated(SIX), shape)), base_dir=tmp_path)
    (suspicion,) = [one for one in it.check(robot)["base"].findings if one.code == "unit-suspect"]
    assert "geometry looks like millimetres" in suspicion.message
    assert "the tensor confirms it" in suspicion.message
    assert not it.fix(robot, "implausible").changes
    both = it.load_text(urdf(link("base", stated(SIX, 1e6), shape)), base_dir=tmp_path)
    (suspicion,) = [one for one in it.check(both)["base"].findings if one.code == "unit-suspect"]
    assert "geometry looks like millimetres" in suspicion.message
    assert "tensor looks like kg mm^2" in suspicion.message
    assert it.fix(both, "implausible").corrected.links["base"].inertial.isclose(SIX, 1e-11)


def test_a_centre_of_mass_in_millimetres_goes_with_its_tensor():
    there = it.Inertial(6.0, [30.0, -50.0, 80.0], SIX.inertia * 1e6)
    robot = it.load_text(urdf(link("base", stated(there), BOX)))
    after = it.fix(robot, "implausible").corrected.links["base"].inertial
    assert after.isclose(it.Inertial(6.0, [0.03, -0.05, 0.08], SIX.inertia), 1e-11)


def test_a_mere_suspicion_is_no_proof():
    turned = it.Inertial(6.0, SIX.com, np.diag(np.diag(SIX.inertia)[::-1]) * 1e6)  # as of another box
    robot = it.load_text(urdf(link("base", stated(turned), BOX)))
    assert "unit-suspect" in {one.code for one in it.check(robot)["base"].findings}
    after = it.fix(robot, "implausible").corrected.links["base"].inertial
    assert after.isclose(SIX, 1e-11)  # of the geometry


def test_computing_remarks_on_what_no_part_weighs():
    huge = '<box size="1000 2000 3000"/>'
    (note,) = it.compute(it.load_text(urdf(link("base", "", huge))))["base"].notes
    assert (note.code, note.severity) == ("unit-suspect", it.Severity.INFO)
    assert "6e+12 kg" in note.message
    assert "0.001" in note.message
    assert not it.compute(it.load_text(urdf(link("base", "", BOX))))["base"].notes
    stated_too = it.check(it.load_text(urdf(link("base", stated(SIX), '<box size="100 200 300"/>'))))["base"].findings
    assert sum(one.code == "unit-suspect" for one in stated_too) == 1


# Several links


def two(
    first: str, second: str, names: tuple[str, str] = ("base", "a"), shapes: tuple[str, str] = (BOX, BOX)
) -> dict[str, list[str]]:
    text = urdf(link(names[0], first, shapes[0]), link(names[1], second, shapes[1]), joint(names[1], names[0]))
    return {name: found(text, name) for name in names}


def test_copies_on_links_of_other_sizes():
    big, small = '<box size="1 2 3"/>', '<box size="0.3 0.4 0.6"/>'
    body = stated(solid_box((0.5, 0.6, 0.9)).scaled_to_mass(200.0))
    assert two(body, body, shapes=(big, small)) == {"base": ["copied-inertial"], "a": ["copied-inertial"]}
    assert two(body, body, shapes=(small, small)) == {"base": [], "a": []}
    other = stated(solid_box((0.5, 0.6, 0.91)).scaled_to_mass(200.0))
    assert two(body, other, shapes=(big, small)) == {"base": [], "a": []}


def test_the_same_number_of_copies_takes_no_time():
    """A thousand equal links are one group; the search is not one of pairs of pairs."""
    links = [link(f"l{i}", GOOD, '<box size="0.8 0.9 1"/>') for i in range(1000)]
    joints = [joint(f"l{i + 1}", f"l{i}") for i in range(999)]
    report = it.check(it.load_text(urdf(*links, *joints)))
    assert not any(finding.code == "copied-inertial" for finding in report.findings)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("left_arm", "right_arm"), ("arm_left_1_link", "arm_right_1_link"), ("l_hip", "r_hip"), ("hip_L", "hip_R"),
        ("FL_hip", "FR_hip"), ("RL_calf", "RR_calf"), ("LF_HIP", "RF_HIP"), ("lh_foot", "rh_foot"), ("LElbowYawLink", "RElbowYawLink"),
        ("kneeLeft", "kneeRight"), ("leftknee", "rightknee"), ("l_gripper_l_finger", "r_gripper_r_finger"),
    ],
)  # fmt: skip
def test_names_of_twins(left, right):
    assert list(twins(["trunk", left, right])) == [(left, right)]


@pytest.mark.parametrize("names", [("lamp", "ramp"), ("wheel", "wheer"), ("link_1", "link_2"), ("l", "left")])
def test_names_that_only_look_like_twins(names):
    assert list(twins(names)) == []


def test_twins_that_differ():
    names = ("left_arm", "right_arm")
    other = stated(SIX.scaled_to_mass(6.1))
    assert two(stated(SIX), other, names) == {"left_arm": ["mirror-mass"], "right_arm": ["mirror-mass"]}
    assert two(stated(SIX), stated(SIX.scaled_to_mass(6.05)), names) == {"left_arm": [], "right_arm": []}
    turned = mass(6) + tensor(*np.diag(SIX.inertia)[::-1].tolist())
    assert two(stated(SIX), turned, names) == {"left_arm": [], "right_arm": ["swapped-entries"]}
    assert two(stated(SIX), stated(SIX, 1.1), names) == {
        "left_arm": ["mirror-inertia"],
        "right_arm": ["mirror-inertia"],
    }
    assert two(stated(SIX), other, names, (BOX, '<box size="0.2 0.2 0.3"/>')) == {"left_arm": [], "right_arm": []}


def test_masses_across_a_joint():
    light = stated(solid_box(SIZE).scaled_to_mass(6.0 / 1001))
    assert two(stated(SIX), light)["a"] == ["density-low", "mass-ratio", "wrong-unit"]  # and that explains both
    assert two(stated(SIX), stated(solid_box(SIZE).scaled_to_mass(6.0 / 999)))["a"] == []


def test_fixed_joints_are_one_side():
    light = stated(solid_box(SIZE).scaled_to_mass(0.0061))
    text = urdf(
        link("base", GOOD), link("frame", light, BOX), joint("frame"), link("tool", GOOD), joint("tool", "frame", "fixed"),
        link("tip", light, BOX), joint("tip", "tool", "fixed"),
    )  # fmt: skip
    assert "mass-ratio" not in found(text, "frame")
    assert "mass-ratio" not in found(text, "tip")


def test_nothing_is_said_of_a_tensor_that_is_an_error_already():
    assert on_box(mass(6) + tensor(1, 1, 5)) == []
    assert on_box(mass(0) + tensor(1, 1, 1)) == []
    assert math.isfinite(
        it.check(it.load_text(urdf(link("base", mass(6) + tensor(1, 1, 1), "<box size='0 0 0'/>")))).total_mass
    )
