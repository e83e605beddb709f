# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Causes in files: what is found, what is folded, and that the repair restores what was there."""

import json

import numpy as np
import pytest
from robots import BOX, joint, link, mass, tensor, urdf

import inertia_tools as it
from inertia_tools.cli import main
from inertia_tools.errors import OptionError
from inertia_tools.geometry.primitives import solid_box, solid_cylinder
from inertia_tools.inertia.causes.codes import CODES
from inertia_tools.inertia.explanations import EXPLANATIONS
from inertia_tools.inertia.nearest import nearest_valid_tensor
from inertia_tools.inertial import point_tensor, rotate_tensor
from inertia_tools.spatial import rotation_from_rpy

COM = np.array([0.3, -0.1, 0.2])
TURN = rotation_from_rpy((0.3, -0.4, 0.8))
SIZE = (0.1, 0.2, 0.3)
BODY = solid_box(SIZE).scaled_to_mass(6.0).rotate(TURN).shift(COM)
TURNED_BOX = f'<collision><origin xyz="0.3 -0.1 0.2" rpy="0.3 -0.4 0.8"/><geometry>{BOX}</geometry></collision>'


def stated(inertial: it.Inertial) -> str:
    x, y, z = map(float, inertial.com)
    (xx, xy, xz), (_, yy, yz), (*_, zz) = inertial.inertia.tolist()
    return f'<origin xyz="{x!r} {y!r} {z!r}"/>{mass(inertial.mass)}{tensor(xx, yy, zz, xy, xz, yz)}'


def robot(inertial: it.Inertial, name: str = "base") -> it.Description:
    """Make a robot of one turned box with these numbers."""
    return it.load_text(urdf(f'<link name="{name}"><inertial>{stated(inertial)}</inertial>{TURNED_BOX}</link>'))


def robot_of_box(size: tuple[float, ...], inertial: it.Inertial) -> it.Description:
    x, y, z = size
    box = f'<collision><geometry><box size="{x} {y} {z}"/></geometry></collision>'
    return it.load_text(urdf(f'<link name="base"><inertial>{stated(inertial)}</inertial>{box}</link>'))


def with_tensor(inertia: np.ndarray) -> it.Inertial:
    return it.Inertial(6.0, COM, inertia)


def negated() -> it.Inertial:
    return with_tensor(2.0 * np.diag(np.diag(BODY.inertia)) - BODY.inertia)


def with_entry(row: int, column: int, factor: float) -> it.Inertial:
    changed = BODY.inertia.copy()
    changed[row, column] *= factor
    changed[column, row] = changed[row, column]
    return with_tensor(changed)


def diagonal_first() -> it.Inertial:
    xx, xy, xz, yy, yz, zz = BODY.inertia[np.triu_indices(3)]
    first, second, third, fourth, fifth, sixth = xx, yy, zz, xy, xz, yz
    return with_tensor(np.array([[first, second, third], [second, fourth, fifth], [third, fifth, sixth]]))


MISTAKES = {
    "negated-products": negated(),
    "parallel-axis": with_tensor(BODY.inertia + 6.0 * point_tensor(COM)),
    "omitted-com": it.Inertial(6.0, np.zeros(3), BODY.inertia),
    "wrong-formula": with_tensor(12.0 * BODY.inertia),
    "wrong-frame": with_tensor(rotate_tensor(TURN.T, BODY.inertia)),
    "wrong-unit": with_tensor(BODY.inertia * 1e9),
    "decimal-point": with_entry(1, 1, 0.1),
    "swapped-entries": diagonal_first(),
}
LOST = {
    "placeholder-inertia": with_tensor(np.eye(3)),
    "diagonal-only": with_tensor(np.diag(np.diag(BODY.inertia))),
    "cad-rounding": with_tensor(np.round(BODY.inertia, 2)),
}


@pytest.mark.parametrize("cause", MISTAKES)
def test_a_mistake_is_named_and_undone(cause):
    wrong = robot(MISTAKES[cause])
    [found] = it.causes(wrong)["base"]
    assert found.is_proven
    assert cause in (found.code, *found.also)
    fixed = it.fix(wrong, apply=[found.code])
    assert list(fixed.changes) == ["base"]
    assert fixed.corrected.links["base"].inertial.isclose(BODY, 1e-6)
    assert it.causes(fixed.corrected) == {}


def test_a_tensor_about_the_origin_where_the_centre_is_left_is_undone():
    about_origin = it.Inertial(6.0, np.zeros(3), BODY.inertia + 6.0 * point_tensor(COM))
    [found] = it.causes(robot(about_origin))["base"]
    assert (found.code, found.is_proven, found.is_exact) == ("parallel-axis", True, True)
    assert "put the centre at 0.3 -0.1 0.2" in found.change
    assert found.after.isclose(BODY, 1e-6)


def test_a_centre_at_the_origin_beside_another_tensor_than_the_geometrys_is_no_omission():
    other = BODY.inertia + np.diag([0.02 * np.trace(BODY.inertia), 0.0, 0.0])
    found = it.causes(robot(it.Inertial(6.0, np.zeros(3), other))).get("base", ())
    assert "omitted-com" not in {one.code for one in found}


@pytest.mark.parametrize("turn", [(0, 0, 0), (np.pi / 2, 0, 0), (0, np.pi / 2, 0)])
def test_a_diameter_in_the_place_of_a_radius_is_undone(turn):
    wheel = solid_cylinder(0.1, 0.04).scaled_to_mass(1.6).rotate(rotation_from_rpy(turn))
    wrong = solid_cylinder(0.2, 0.04).scaled_to_mass(1.6).rotate(rotation_from_rpy(turn))
    rpy = " ".join(map(repr, map(float, turn)))
    shape = f'<collision><origin rpy="{rpy}"/><geometry><cylinder radius="0.1" length="0.04"/></geometry></collision>'
    text = urdf(f'<link name="base"><inertial>{stated(wrong)}</inertial>{shape}</link>')
    [found] = it.causes(it.load_text(text))["base"]
    assert (found.code, found.is_proven) == ("wrong-formula", True)
    assert found.after.isclose(wheel, 1e-9)


DEGREES = np.degrees((0.3, -0.4, 0.8))


@pytest.mark.parametrize("format_", ["urdf", "sdf"])
def test_angles_in_degrees_are_undone(format_):
    own = solid_box(SIZE).scaled_to_mass(6.0)
    x, y, z = np.diag(own.inertia).tolist()
    rpy, turned = " ".join(map(repr, DEGREES.tolist())), "0.3 -0.4 0.8"
    if format_ == "urdf":
        inertial = f'<origin xyz="0.3 -0.1 0.2" rpy="{rpy}"/>{mass(6)}{tensor(x, y, z)}'
        text = urdf(f'<link name="base"><inertial>{inertial}</inertial>{TURNED_BOX}</link>')
    else:
        moments = f"<ixx>{x!r}</ixx><iyy>{y!r}</iyy><izz>{z!r}</izz>"
        inertial = f"<pose>0.3 -0.1 0.2 {rpy}</pose><mass>6</mass><inertia>{moments}</inertia>"
        shape = f"<pose>0.3 -0.1 0.2 {turned}</pose><geometry><box><size>0.1 0.2 0.3</size></box></geometry>"
        link_ = f"<link name='base'><inertial>{inertial}</inertial><collision name='c'>{shape}</collision></link>"
        text = f"<sdf version='1.11'><model name='m'>{link_}</model></sdf>"
    [found] = it.causes(it.load_text(text))["base"]
    assert (found.code, found.is_proven, found.is_exact) == ("wrong-unit", True, True)
    assert "in degrees" in found.change
    fixed = it.fix(it.load_text(text), apply=["wrong-unit"])
    assert it.load_text(fixed.text).links["base"].inertial.isclose(BODY, 1e-6)
    assert it.causes(it.load_text(fixed.text)) == {}


@pytest.mark.parametrize("length", [1.0, 1e3])
def test_a_mass_in_grams_beside_a_tensor_in_kilograms_is_undone(length):
    wrong = robot(it.Inertial(BODY.mass * 1e3, BODY.com * length, BODY.inertia * 1e6))
    [found] = it.causes(wrong)["base"]
    assert (found.code, found.is_proven) == ("wrong-unit", True)
    assert found.after.isclose(BODY, 1e-6)


@pytest.mark.parametrize("cause", LOST)
def test_what_is_lost_is_taken_from_the_geometry(cause):
    wrong = robot(LOST[cause])
    [found] = it.causes(wrong)["base"]
    assert found.is_proven
    assert not found.restores
    assert found.code == cause
    fixed = it.fix(wrong, apply=[cause])
    assert fixed.corrected.links["base"].inertial.isclose(BODY, 1e-9)


def test_a_cause_that_may_be_does_what_it_says():
    cube = robot_of_box((0.2, 0.2, 0.2), it.Inertial(1.0, inertia=np.eye(3) / 60.0))
    [found] = it.causes(cube)["base"]
    assert not found.is_proven
    assert "mass in lb converted twice, to be divided by 0.453592" in found.change
    fixed = it.fix(cube, apply=["base=wrong-unit"]).corrected.links["base"].inertial
    assert fixed.isclose(found.after, 1e-9)
    assert fixed.mass == pytest.approx(1.0 / 0.45359237)


def test_a_cause_whose_size_is_open_says_that_the_geometry_stands_in():
    wrong = robot(it.Inertial(BODY.mass / 0.45359237, COM, BODY.inertia / (0.45359237 * 0.0254**2)))
    [found] = it.causes(wrong)["base"]
    assert found.is_proven
    assert not found.restores
    assert "come from the geometry, at the stated mass" in found.change
    fixed = it.fix(wrong, apply=["wrong-unit"]).corrected.links["base"].inertial
    assert fixed.isclose(BODY.scaled_to_mass(BODY.mass / 0.45359237), 1e-9)


@pytest.mark.parametrize("turn", [np.eye(3), TURN, rotation_from_rpy((0, 0, np.pi / 4))])
def test_right_numbers_have_no_cause(turn):
    rolled = solid_box(SIZE).scaled_to_mass(6.0).rotate(turn)
    roll, pitch, yaw = np.arctan2(turn[2, 1], turn[2, 2]), -np.arcsin(turn[2, 0]), np.arctan2(turn[1, 0], turn[0, 0])
    box = f'<collision><origin rpy="{roll} {pitch} {yaw}"/><geometry>{BOX}</geometry></collision>'
    sound = it.load_text(urdf(f'<link name="base"><inertial>{stated(rolled)}</inertial>{box}</link>'))
    assert it.check(sound).findings == ()
    assert it.causes(sound) == {}


@pytest.mark.parametrize("excess", [1.015, 1.03, 1.2])
@pytest.mark.parametrize("moments", [(0.1, 0.1), (0.2, 0.2), (0.15, 0.12)])
def test_a_tensor_that_is_slightly_impossible_has_no_cause_and_becomes_the_nearest(moments, excess):
    i, j = moments
    impossible = np.diag([i, j, (i + j) * excess])
    declared = robot_of_box((1.0, 1.0, 1.0), it.Inertial(1.0, inertia=impossible))
    assert it.check(declared)["base"].proven_cause is None
    after = it.fix(declared).corrected.links["base"].inertial.inertia
    assert np.allclose(after, nearest_valid_tensor(impossible), rtol=1e-9)


def test_a_slip_of_the_decimal_point_is_undone_although_the_nearest_tensor_is_close():
    rod = solid_box((0.318, 0.254, 0.657)).scaled_to_mass(8.09)
    slipped = rod.inertia * np.diag([1.0, 1.0, 10.0])
    after = it.fix(robot_of_box((0.318, 0.254, 0.657), it.Inertial(8.09, inertia=slipped))).corrected
    assert np.allclose(after.links["base"].inertial.inertia, rod.inertia, rtol=1e-9)


@pytest.mark.parametrize("izz", [30003, 30100, 30300])
def test_what_a_cause_restores_is_written_as_the_nearest_tensor_that_a_body_can_have(izz):
    declared = it.Inertial(2.0, inertia=np.diag([15000.0, 15000.0, izz]))
    correction = it.fix(robot_of_box((0.3, 0.3, 0.002), declared), apply=["wrong-unit"])
    after = correction.corrected.links["base"].inertial
    assert after.is_valid(tolerance=0.0)
    assert np.allclose(after.inertia, 1e-6 * declared.inertia, rtol=0.01)
    assert "nearest valid tensor" in correction.changes["base"].reason


def test_a_unit_is_found_although_the_tensor_is_inaccurate_besides():
    plate = it.Inertial(0.0271, inertia=np.diag([0.16, 0.004, 0.17]))
    wrong = robot_of_box((0.042, 0.27, 0.003), plate)
    assert it.check(wrong)["base"].proven_cause.code == "wrong-unit"
    fixed = it.fix(wrong).corrected
    assert np.allclose(fixed.links["base"].inertial.inertia, 1e-3 * nearest_valid_tensor(plate.inertia), rtol=1e-6)
    assert not it.fix(fixed, "implausible").changes


def test_numbers_that_are_still_oversized_are_not_proven():
    found = it.check(robot_of_box((1.0, 1.0, 1.0), it.Inertial(1.0, inertia=np.diag([1.0, 1.0, 3.0]))))["base"]
    assert found.proven_cause is None
    assert [cause.code for cause in found.causes] == ["decimal-point"]


def test_a_sign_that_nothing_else_shows_is_a_warning():
    body = solid_box((1.0, 0.16, 0.1)).scaled_to_mass(16.0).rotate(rotation_from_rpy((0, 0, np.pi / 4)))
    wrong = it.Inertial(body.mass, body.com, 2.0 * np.diag(np.diag(body.inertia)) - body.inertia)
    box = '<collision><origin rpy="0 0 0.7853981633974483"/><geometry><box size="1 0.16 0.1"/></geometry></collision>'
    report = it.check(it.load_text(urdf(f'<link name="base"><inertial>{stated(wrong)}</inertial>{box}</link>')))
    assert [(one.code, one.severity) for one in report.findings] == [("negated-products", it.Severity.WARNING)]
    assert "fix --apply negated-products" in report.findings[0].message


def test_an_axis_of_a_wheel():
    wheel, size = solid_cylinder(0.2, 0.05), '<cylinder radius="0.2" length="0.05"/>'
    wrong = it.Inertial(wheel.mass, wheel.com, wheel.inertia[::-1, ::-1])
    [found] = it.causes(it.load_text(urdf(link("base", stated(wrong), size))))["base"]
    assert found.code == "swapped-axis"
    assert found.after.isclose(wheel)


def test_geometry_in_millimetres_is_named_and_left_alone():
    text = urdf(link("base", stated(solid_box(SIZE).scaled_to_mass(6.0)), '<box size="100 200 300"/>'))
    [found] = it.causes(it.load_text(text))["base"]
    assert (found.code, found.is_proven, found.after) == ("wrong-mesh-unit", True, None)
    assert it.fix(it.load_text(text), "implausible").text == text


def test_a_story_folds_what_its_cause_explains():
    report = it.check(robot(MISTAKES["wrong-unit"]))
    by_code = {one.code: one.explained_by for one in report.findings}
    head = next(one for one in report.findings if not one.explained_by)
    assert {"exceeds-geometry", "oversized-inertia"} <= by_code.keys()
    assert by_code["exceeds-geometry"] == by_code["oversized-inertia"] == head.code
    assert "exceeds-geometry" in head.message
    assert report.count(it.Severity.WARNING) == 1


def test_a_placeholder_is_one_story():
    report = it.check(it.load_text(urdf(link("base", mass(1) + tensor(1, 1, 1), BOX))))
    assert report.count(it.Severity.WARNING) == 1
    assert len(report.findings) > 1
    assert {one.explained_by for one in report.findings} == {"", "placeholder-inertia"}


def test_a_proven_unit_replaces_the_guess_at_one():
    pounds = it.Inertial(6.0 / 0.45359237, COM, BODY.inertia / (0.45359237 * 0.0254**2))
    (head,) = [one for one in it.check(robot(pounds)).findings if not one.explained_by]
    assert head.message.startswith("mass in lb and tensor in lb in^2, to be divided by")
    assert "looks like" not in head.message


def test_an_identity_typed_into_every_link_is_a_placeholder_in_each_and_no_copy():
    names = ("base", "left_tip", "right_tip")
    sizes = ("0.1 0.2 0.3", "0.5 0.6 0.2", "0.5 0.6 0.2")
    links = (
        link(name, mass(1) + tensor(1, 1, 1), f'<box size="{size}"/>') for name, size in zip(names, sizes, strict=True)
    )
    identity = it.load_text(urdf(*links, joint("left_tip"), joint("right_tip")))
    report = it.check(identity)
    heads = [(one.link, one.code) for one in report.findings if not one.explained_by]
    assert heads == [(name, "placeholder-inertia") for name in names]
    assert "copied-inertial" in {one.code for one in report["base"].findings}
    corrected = it.fix(identity, apply=["placeholder-inertia"])
    assert set(corrected.changes) == set(names)
    assert it.check(it.load_text(corrected.text)).findings == ()


@pytest.mark.parametrize(
    ("stated_mass", "taken", "right"),
    [("", "all from the geometry at --density", 6.0), ("<mass>2</mass>", "the tensor from the geometry at that", 2.0)],
)
def test_numbers_that_nobody_typed_are_no_placeholder(stated_mass, taken, right):
    inertial = f"<inertial>{stated_mass}</inertial>" if stated_mass else ""
    box = "<collision name='c'><geometry><box><size>0.1 0.2 0.3</size></box></geometry></collision>"
    defaults = it.load_text(f"<sdf version='1.11'><model name='m'><link name='l'>{inertial}{box}</link></model></sdf>")
    (head,) = [one for one in it.check(defaults).findings if not one.explained_by]
    assert head.code == "default-inertial"
    assert "so the link has the default of 1 for each" in head.message
    assert f"fix --apply placeholder-inertia takes {taken}" in head.message
    corrected = it.load_text(it.fix(defaults, apply=["placeholder-inertia"]).text)
    assert corrected.links["l"].inertial.isclose(solid_box(SIZE).scaled_to_mass(right), 1e-9)


def test_proven_causes_come_first_in_a_correction():
    wrong = robot(MISTAKES["wrong-unit"])
    assert it.fix(wrong).changes == {}  # a warning is not in the scope
    fixed = it.fix(wrong, "implausible")
    assert fixed.changes["base"].method.label == "declared"
    assert fixed.corrected.links["base"].inertial.isclose(BODY)
    impossible = it.Inertial(6.0, COM, BODY.inertia - 6.0 * point_tensor(COM))
    assert it.check(robot(impossible)).worst is it.Severity.ERROR
    assert it.fix(robot(impossible)).corrected.links["base"].inertial.isclose(BODY)


def pair(left: it.Inertial, right: it.Inertial) -> it.Description:
    """Make a left and a right leg of box and joints mirrored in y, whose geometry does not give the tensor."""
    legs = [
        f'<link name="{side}_leg"><inertial>{stated(one)}</inertial><collision><origin xyz="0.1 {y} 0"/>'
        f'<geometry><box size="0.3 0.2 0.1"/></geometry></collision></link>{joint(f"{side}_leg")}'
        f'<link name="{side}_foot"/>{joint(f"{side}_foot", f"{side}_leg", "fixed", f"0.3 {2 * y} 0.1")}'
        for side, one, y in (("left", left, 0.05), ("right", right, -0.05))
    ]
    return it.load_text(urdf(link("base"), *legs))


def mirrored(one: it.Inertial) -> it.Inertial:
    mirror = np.diag([1.0, -1.0, 1.0])
    return it.Inertial(one.mass, mirror @ one.com, mirror @ one.inertia @ mirror)


LEG = it.Inertial(
    2.0, (0.12, 0.04, 0.01), np.array([[0.011, 0.0031, 0.002], [0.0031, 0.018, -0.0012], [0.002, -0.0012, 0.025]])
)


def test_twins_that_mirror_each_other_have_no_cause():
    assert it.causes(pair(LEG, mirrored(LEG))) == {}


def test_a_unit_is_told_by_the_twin_to_the_last_digit():
    wrong = it.Inertial(LEG.mass, LEG.com, LEG.inertia / 0.0254**2 / 0.45359237)
    [found] = it.causes(pair(wrong, mirrored(LEG)))["left_leg"]
    assert (found.code, found.is_proven) == ("wrong-unit", True)
    assert found.after.isclose(LEG)
    assert "right_leg" in found.evidence


def test_twins_that_differ_by_a_sign_are_not_changed_unless_one_is_chosen():
    wrong = it.Inertial(LEG.mass, LEG.com, 2.0 * np.diag(np.diag(LEG.inertia)) - LEG.inertia)
    both = pair(wrong, mirrored(LEG))
    found = it.causes(both)
    named = [name for name, [one] in found.items() if one.code == "negated-products" and one.rival]
    assert named
    assert not any(cause.is_proven for causes in found.values() for cause in causes)
    with pytest.raises(OptionError, match="left_leg=negated-products"):
        it.fix(both, apply=["negated-products"])
    fixed = it.fix(both, apply=["left_leg=negated-products"])
    assert list(fixed.changes) == ["left_leg"]
    assert fixed.corrected.links["left_leg"].inertial.isclose(LEG)


def test_a_tensor_of_the_twin_without_the_mirror():
    wrong = it.Inertial(LEG.mass, mirrored(LEG).com, LEG.inertia)
    causes = it.causes(pair(LEG, wrong))
    assert {one.code for found in causes.values() for one in found} == {"unmirrored-twin"}


def test_a_copy_of_another_body():
    other, own = solid_box((0.5, 0.3, 0.2)).scaled_to_mass(7.0), solid_box(SIZE).scaled_to_mass(6.0)
    copied = it.Inertial(other.mass, own.com, other.inertia)
    text = urdf(
        link("base", stated(other), '<box size="0.5 0.3 0.2"/>'), link("tip", stated(copied), BOX), joint("tip")
    )  # fmt: skip
    [found] = it.causes(it.load_text(text))["tip"]
    assert (found.code, found.restores) == ("copied-inertial", False)
    assert "base" not in it.causes(it.load_text(text))


@pytest.mark.parametrize("count", [2, 6, 20])
def test_links_of_one_shape_are_no_copies_of_each_other(count):
    names = [f"leg_{number}" for number in range(count)]
    links = [link(name, mass(4) + tensor(1, 1, 5), BOX) for name in names]
    text = urdf(link("base", stated(BODY), BOX), *links, *(joint(name) for name in names))
    assert "copied-inertial" not in {one.code for one in it.check(it.load_text(text)).findings}


def test_causes_that_do_not_exist_are_refused():
    with pytest.raises(OptionError, match="negated-products"):
        it.fix(robot(BODY), apply=["negated"])
    with pytest.raises(OptionError, match="there are none"):
        it.fix(robot(BODY), apply=["negated-products"])
    with pytest.raises(OptionError, match=r"finds \(base=wrong-unit\); it is"):
        it.fix(robot(MISTAKES["wrong-unit"]), apply=["tip=wrong-unit"])


def test_every_cause_is_explained():
    assert set(CODES) <= EXPLANATIONS.keys()


def test_the_command_line_names_and_undoes(tmp_path, capsys):
    file, out = tmp_path / "robot.urdf", tmp_path / "fixed.urdf"
    file.write_bytes(robot(MISTAKES["wrong-unit"]).document.data)
    assert main(["check", str(file)]) == 0
    said = capsys.readouterr().out
    assert "fix --apply wrong-unit" in said
    assert "[exceeds-geometry]" not in said
    assert main(["check", "--json", str(file)]) == 0
    [file_entry] = json.loads(capsys.readouterr().out)["files"]
    [entry], [cause] = file_entry["links"], file_entry["causes"]
    assert (cause["link"], cause["code"], cause["proven"]) == (entry["link"], "wrong-unit", True)
    assert cause["inertial"]["mass"] == 6.0
    assert any(one["code"] == "exceeds-geometry" and one.get("explained_by") for one in entry["findings"])
    assert main(["fix", str(file), "--apply", "wrong-unit", "-o", str(out)]) == 0
    assert it.load(out).links["base"].inertial.isclose(BODY)
