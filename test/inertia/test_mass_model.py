# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Everything that is known of masses holds at once, with the least change; what cannot hold is named."""

import numpy as np
import pytest
from robots import BOX, joint, link, mass, tensor, urdf

import inertia_tools as it
from inertia_tools.cli import main
from inertia_tools.errors import (
    InertiaToolsError,
    MassContradictionError,
    NothingToRepairError,
    OptionError,
    ParseError,
)
from inertia_tools.inertia.mass_balance import MassEntry, balanced
from inertia_tools.inertia.mass_file import merged, read_mass_model
from inertia_tools.inertia.mass_model import GroupMass, Payload

NAMES = ("base", "left_arm", "left_hand", "right_arm", "right_hand")
OWN = dict(zip(NAMES, (4.0, 2.0, 1.0, 2.0, 1.0), strict=True))


SPHERE = '<collision name="c"><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>'


def robot() -> it.Description:
    links = [link(name, mass(OWN[name]) + tensor(0.08, 0.1, 0.12), BOX) for name in NAMES]
    return it.load_text(urdf(*links, *(joint(name) for name in NAMES[1:])))


def masses_of(**model) -> dict[str, float]:
    corrected = it.fix(robot(), masses=it.MassModel(**model)).corrected
    return {name: corrected.links[name].inertial.mass for name in NAMES}


ARMS = GroupMass("arms", NAMES[1:], 9.0)
LEFT = GroupMass("left", NAMES[1:3], 6.0)


def test_one_sum_scales_by_one_factor():
    assert masses_of(total_mass=20.0) == pytest.approx({name: 2.0 * own for name, own in OWN.items()})
    arms = masses_of(groups=(ARMS,))
    assert arms == pytest.approx({**{name: 1.5 * own for name, own in OWN.items()}, "base": 4.0})


@pytest.mark.parametrize("izz", [0.03000003, 0.0301, 0.0303])
@pytest.mark.parametrize(
    "model",
    [
        {"total_mass": 3.0},
        {"groups": (GroupMass("all", ("base",), 3.0),)},
        {"payloads": (Payload("base", it.Inertial(1.0), is_at_com=True),)},
    ],
)
def test_a_tensor_that_rounding_made_impossible_is_scaled_to_the_nearest(model, izz):
    plate = it.load_text(urdf(link("base", mass(2) + tensor(0.015, 0.015, izz), '<box size="0.3 0.3 0.002"/>')))
    correction = it.fix(plate, masses=it.MassModel(**model))
    after = correction.corrected.links["base"].inertial
    assert after.mass == pytest.approx(3.0)
    assert after.is_valid(tolerance=0.0)
    factor = 1.0 if "payloads" in model else 1.5
    assert np.allclose(after.inertia, factor * np.diag([0.015, 0.015, izz]), atol=0.01 * izz)
    assert "nearest valid tensor" in correction.changes["base"].reason


def test_a_link_whose_numbers_overflow_is_left_alone_and_named():
    text = urdf(
        link("base", mass(1e-100) + tensor(1e100, 1e100, 1e100)), link("a", mass(1) + tensor(1, 1, 2.5)), joint("a")
    )
    correction = it.fix(it.load_text(text), masses=it.MassModel(link_mass={"base": 1e120}))
    assert set(correction.changes) == {"a"}
    (found,) = [one for one in correction.after["base"].findings if one.code == "non-finite"]
    assert found.line == 2
    assert "the link is unchanged" in found.message
    assert not correction.is_complete


def test_a_zero_tensor_stays_zero_when_only_its_mass_is_asked_for():
    wheel = '<box size="0.3 0.3 0.002"/>'
    grams = link("base", mass(2) + tensor(15000, 15000, 30000), wheel)
    text = urdf(grams, link("a", mass(2) + tensor(0, 0, 0), wheel), joint("a"))
    corrected = it.fix(it.load_text(text), apply=["wrong-unit"], masses=it.MassModel(total_mass=8.0)).corrected
    assert corrected.links["a"].inertial.mass == pytest.approx(4.0)
    assert not corrected.links["a"].inertial.inertia.any()


def test_nested_and_overlapping_sums_hold_together():
    found = masses_of(total_mass=15.0, groups=(ARMS, LEFT, GroupMass("hands", ("left_hand", "right_hand"), 2.5)))
    assert sum(found.values()) == pytest.approx(15.0)
    assert found["base"] == pytest.approx(6.0)
    assert found["left_arm"] + found["left_hand"] == pytest.approx(6.0)
    assert found["left_hand"] + found["right_hand"] == pytest.approx(2.5)
    odds = found["left_arm"] / found["right_arm"] * found["right_hand"] / found["left_hand"]
    assert odds == pytest.approx(1.0), "what no sum speaks of stays as it was"


def test_links_that_are_given_locked_or_of_a_density_stay():
    found = masses_of(total_mass=12.0, link_mass={"base": 5.0}, locked=frozenset({"left_arm"}))
    assert (found["base"], found["left_arm"]) == (5.0, 2.0)
    assert found["right_arm"] == pytest.approx(2.5)
    found = masses_of(total_mass=12.0, link_density={"base": 500.0})
    assert found["base"] == pytest.approx(3.0)
    assert found["left_arm"] == pytest.approx(3.0)


def test_a_guessed_density_gives_way():
    found = masses_of(total_mass=12.0, link_density=dict.fromkeys(NAMES, 500.0), estimated=frozenset(NAMES))
    assert found == pytest.approx(dict.fromkeys(NAMES, 2.4))


def test_payloads_are_in_the_whole_and_not_in_their_link():
    at = it.Inertial(1.5, (0.0, 0.0, 0.2))
    model = it.MassModel(total_mass=12.0, link_mass={"base": 5.0}, payloads=(Payload("base", at, "battery"),))
    correction = it.fix(robot(), masses=model)
    base = correction.corrected.links["base"].inertial
    part = it.Inertial(4.0, inertia=np.diag([0.08, 0.1, 0.12])).scaled_to_mass(5.0)
    assert base.isclose(part + at, 1e-10)
    assert it.stats(correction.corrected).total_mass == pytest.approx(12.0)
    assert "battery of 1.5 kg added at 0, 0, 0.2" in correction.changes["base"].reason


def test_a_payload_alone_on_a_frame_is_a_body():
    frame = it.load_text(
        urdf(link("base", mass(1) + tensor(0.08, 0.1, 0.12), BOX), link("f"), joint("f", type_="fixed"))
    )
    after = it.fix(frame, masses=it.MassModel(payloads=(Payload("f", it.Inertial(0.5, (0, 0, 0.1))),))).corrected
    assert after.links["f"].inertial.is_valid()
    assert after.links["f"].inertial.com.tolist() == [0, 0, 0.1]


@pytest.mark.parametrize("scope", ["invalid", "all"])
def test_a_frame_that_is_given_a_mass_is_part_of_the_whole_and_of_its_groups(scope):
    base = link("base", mass(1) + tensor(0.08, 0.1, 0.12), BOX)
    robot = it.load_text(urdf(base, link("f"), link("g"), joint("f", type_="fixed"), joint("g", "f", type_="fixed")))
    both = GroupMass("frames", ("f", "g"), 3.0)
    masses = it.MassModel(total_mass=7.5, groups=(both,), link_mass={"f": 2.0, "g": 1.0})
    corrected = it.fix(robot, scope, masses=masses).corrected
    assert [corrected.links[name].inertial.mass for name in ("base", "f", "g")] == pytest.approx([4.5, 2.0, 1.0])
    with pytest.raises(MassContradictionError):
        it.fix(robot, scope, masses=it.MassModel(groups=(both,), link_mass={"f": 2.0, "g": 2.0}))


STILL = f"""<sdf version="1.11"><world name="w">
<model name="still"><static>true</static><link name="s">{SPHERE}</link></model>
<model name="moved"><link name="a"><inertial><mass>2</mass></inertial>{SPHERE}</link></model>
</world></sdf>"""


@pytest.mark.parametrize("total", [None, 7.5])
def test_a_mass_for_what_cannot_be_changed_is_refused(total):
    with pytest.raises(NothingToRepairError, match=r"--link-mass .*'still::s' is static"):
        it.fix(it.load_text(STILL), masses=it.MassModel(link_mass={"still::s": 2.0}, total_mass=total))


def test_patterns_pass_over_what_cannot_be_changed(tmp_path, capsys):
    (tmp_path / "w.sdf").write_text(STILL)
    (tmp_path / "masses.yaml").write_text("links:\n  '*::?': {mass: 3}\n")
    for options in (["--link-mass", "*=3"], ["--mass-model", str(tmp_path / "masses.yaml")]):
        assert main(["fix", str(tmp_path / "w.sdf"), "-o", str(tmp_path / "fixed.sdf"), *options]) == 0
        assert it.load(tmp_path / "fixed.sdf").links["moved::a"].inertial.mass == 3.0
    assert main(["fix", str(tmp_path / "w.sdf"), "-o", str(tmp_path / "fixed.sdf"), "--link-mass", "still::s=3"]) == 2
    assert "'still::s' is static" in capsys.readouterr().err


def test_the_whole_counts_links_that_are_not_chosen_as_they_are():
    masses = it.MassModel(link_mass={"base": 5.0, "left_arm": 3.0}, total_mass=13.0)
    corrected = it.fix(robot(), links=["left_arm", "left_hand"], masses=masses).corrected
    found = [corrected.links[name].inertial.mass for name in NAMES]
    assert found == pytest.approx([4.0, 3.0, 3.0, 2.0, 1.0])


@pytest.mark.parametrize(
    ("model", "named"),
    [
        ({"total_mass": 5.0, "link_mass": {"base": 3.0, "left_arm": 2.5}}, ["total mass", "base", "left_arm"]),
        ({"total_mass": 8.0, "groups": (ARMS,), "link_mass": {"left_hand": 0.5}}, ["total mass", "group arms"]),
        ({"groups": (ARMS, LEFT), "link_mass": {"right_arm": 2.5, "right_hand": 2.5}}, ["arms", "left", "right_arm"]),
        ({"total_mass": 12.0, "locked": frozenset(NAMES)}, ["total mass", "base is locked", "right_hand is locked"]),
        ({"groups": (LEFT, GroupMass("again", LEFT.links, 6.5))}, ["group left", "group again"]),
        ({"total_mass": 2.0, "payloads": (Payload("base", it.Inertial(3.0)),)}, ["total mass = 2 kg, 3 kg of which"]),
    ],
)
def test_a_contradiction_names_the_smallest_set_that_cannot_hold(model, named):
    with pytest.raises(MassContradictionError) as caught:
        masses_of(**model)
    assert all(any(word in entry for entry in caught.value.entries) for word in named)
    unrelated = {"left_hand = 0.5"}
    assert not any(word in entry for entry in caught.value.entries for word in unrelated)
    assert isinstance(caught.value, OptionError)


def test_balance_over_random_sums_is_met_and_least():
    rng = np.random.default_rng(0)
    for _ in range(50):
        known = {f"l{i}": float(np.exp(rng.normal())) for i in range(8)}
        goal = {name: own * float(np.exp(0.5 * rng.normal())) for name, own in known.items()}
        sets = [tuple(rng.choice(list(known), rng.integers(1, 8), replace=False)) for _ in range(4)]
        entries = [MassEntry("x", one, sum(goal[name] for name in one)) for one in sets]
        found = balanced(known, entries)
        assert all(sum(found[name] for name in one.links) == pytest.approx(one.mass, rel=1e-8) for one in entries)
        logs = np.array([np.log(found[name] / known[name]) for name in found])
        rows = np.array([[float(name in one) for name in found] for one in sets])
        assert np.linalg.norm(logs - rows.T @ np.linalg.lstsq(rows.T, logs, rcond=None)[0]) < 1e-6, "in the row space"


@pytest.mark.parametrize("share", [1e-3, 0.5, 1.5, 40.0])
def test_sums_are_met_to_rounding(share):
    whole = share * sum(OWN.values())
    entries = [MassEntry("total", NAMES, whole), MassEntry("base", ("base",), 0.5 * share * OWN["base"])]
    assert sum(balanced(OWN, entries).values()) == pytest.approx(whole, rel=1e-14)
    written = masses_of(total_mass=whole, link_mass={"base": entries[1].mass})
    assert sum(written.values()) == pytest.approx(whole, rel=1e-11)  # masses have 12 written digits


FILE = """
total_mass: 16
materials: {foam: 30}
links:
  base: {mass: 5}
  "left_*": {locked: true}
groups:
  right: {links: ["right_*"], mass: 6}
payloads:
  - {link: base, mass: 2, at: [0, 0, 0.1], name: battery, size: [0.1, 0.1, 0.1]}
"""


def test_a_file_says_all_of_it(tmp_path, capsys):
    path = tmp_path / "masses.yaml"
    path.write_text(FILE)
    corrected = it.fix(robot(), masses=read_mass_model(path, robot())).corrected
    found = {name: corrected.links[name].inertial.mass for name in NAMES}
    assert found == pytest.approx({"base": 7, "left_arm": 2, "left_hand": 1, "right_arm": 4, "right_hand": 2})
    (tmp_path / "r.urdf").write_bytes(robot().document.data)
    words = ["fix", str(tmp_path / "r.urdf"), "--mass-model", str(path)]
    assert main([*words, "-o", str(tmp_path / "o.urdf")]) == 0
    assert it.stats(it.load(tmp_path / "o.urdf")).total_mass == pytest.approx(16.0)
    capsys.readouterr()
    assert main([*words, "--total-mass", "20"]) == 2
    said = capsys.readouterr().err
    assert "masses.yaml:2" in said
    assert "--total-mass" in said


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("total: 5", 1, "'total' is unknown"),
        ("total_mass: heavy", 1, "'heavy' is not a number"),
        ("links:\n  base: {weight: 2}", 2, "'weight' is unknown"),
        ("links:\n  nobody: {mass: 2}", 2, "no link named 'nobody'"),
        ("links:\n  'x*': {mass: 2}", 2, "a pattern that matches a link"),
        ("links:\n  base: {material: cheese}", 2, "cheese"),
        ("groups:\n  g: {mass: 2}", 2, "names no links"),
        ("payloads:\n - {link: base}", 2, "a link and a mass"),
        ("links:\n  base: {mass: -1}", 2, "-1 is not a positive number"),
        ("links:\n  base: {density: inf}", 2, "inf is not a positive number"),
        ("groups:\n  g: {links: base, mass: 0}", 2, "0 is not a positive number"),
        ("payloads:\n - {link: base, mass: nan}", 2, "nan is not a positive number"),
        ("payloads:\n - {link: base, mass: 1, size: [1, -1, 1]}", 2, "-1 is not a positive number"),
        ("payloads:\n - {link: base, mass: 1, at: [0, nan, 1]}", 2, "nan is not a finite number"),
        ("total_mass: 5\nlinks: {}\ntotal_mass: 6", 3, "'total_mass' is given twice; keep one"),
        ("links:\n  base: {mass: 1}\n  base: {mass: 2}", 3, "'base' is given twice; keep one"),
        ("total_mass: 1e999", 1, "is not a positive number"),
        ("links: [", 1, "is not valid YAML"),
        ("", None, "is empty"),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(tmp_path, text, line, reason):
    path = tmp_path / "m.yaml"
    path.write_text(text)
    with pytest.raises(ParseError, match=reason) as caught:
        read_mass_model(path, robot())
    assert caught.value.line == line


def test_options_of_the_command(tmp_path):
    (tmp_path / "r.urdf").write_bytes(robot().document.data)
    out = str(tmp_path / "o.urdf")
    words = ["--group-mass", "*_arm=5", "--lock", "base", "--add-mass", "base=1@0,0,0.1", "--add-mass", "base=0.5"]
    assert main(["fix", str(tmp_path / "r.urdf"), *words, "--total-mass", "12.5", "-o", out]) == 0
    found = it.load(out)
    assert found.links["base"].inertial.mass == pytest.approx(5.5)
    assert found.links["left_arm"].inertial.mass == pytest.approx(2.5)
    assert it.stats(found).total_mass == pytest.approx(12.5)
    assert main(["fix", str(tmp_path / "r.urdf"), "--add-mass", "base=x"]) == 2


def test_a_model_merged_with_itself_is_itself():
    one = it.MassModel(link_mass={"a": 1.0}, total_mass=3.0)
    assert merged(one, one) == one
    with pytest.raises(InertiaToolsError, match="mass of a = 1 kg"):
        merged(one, it.MassModel(link_mass={"a": 2.0}))
