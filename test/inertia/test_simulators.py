# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Rules of simulators are whole, and a file corrected for a target is one that it takes."""

import json

import pytest
from robots import BOX, GOOD, joint, link, mass, tensor, urdf

import inertia_tools as it
from inertia_tools.cli import main
from inertia_tools.errors import OptionError
from inertia_tools.inertia.simulators import SIMULATORS, Effect, predict, simulators_named
from inertia_tools.inertia.simulators.state import Fault, Seat, fault_of, link_states

ROUNDING = mass(1) + tensor(0.00333, 0.00333, 0.00667)
TEXT = urdf(
    link("base", GOOD, BOX),
    link("frame"),
    link("a", ROUNDING, BOX),
    link("tip", GOOD, BOX),
    joint("frame", type_="fixed"),
    joint("a", "frame"),
    joint("tip", "a"),
)


def effects(robot, name: str) -> dict[str, Effect]:
    return {link_: row[name].effect for link_, row in predict(robot, [SIMULATORS[name]]).items()}


def test_a_frame_without_mass_drops_what_moves_below_it_in_gazebo_only():
    robot = it.load_text(TEXT)
    assert effects(robot, "gazebo")["frame"] is Effect.DROPS
    assert effects(robot, "mujoco")["frame"] is Effect.LUMPS
    (row,) = [row for name, row in predict(robot).items() if name == "frame"]
    assert "2 links below" in row["gazebo"].says


@pytest.mark.parametrize("target", SIMULATORS)
def test_a_corrected_file_is_taken_by_the_target(target):
    correction = it.fix(it.load_text(TEXT), targets=[target])
    assert correction.is_complete
    assert not any(effect.is_loss for effect in effects(correction.corrected, target).values())


def test_without_a_target_nothing_of_this_is_touched():
    assert it.fix(it.load_text(TEXT)).changes == {}


def test_rounding_becomes_the_nearest_tensor_and_a_frame_gets_a_little_mass():
    correction = it.fix(it.load_text(TEXT), targets=["gazebo,mujoco"])
    assert set(correction.changes) == {"frame", "a"}
    assert correction.corrected.links["a"].inertial.mass == 1.0
    assert correction.corrected.links["frame"].inertial.mass == pytest.approx(1e-3)
    assert "nearest" in correction.changes["a"].reason
    codes = {finding.code for finding in correction.report["frame"].findings}
    assert "target-weightless" in codes


def test_an_unknown_target_is_refused():
    with pytest.raises(OptionError, match="one of gazebo, mujoco"):
        simulators_named(["gazebo,unity"])


def test_formats_that_are_not_read_have_no_outcome():
    world = "<sdf version='1.9'><model name='m'><link name='l'/></model></sdf>"
    row = predict(it.load_text(world))["l"]
    assert row["mujoco"] is None
    assert row["gazebo"].effect is Effect.DEFAULTS


def test_every_rule_can_hold_and_every_simulator_has_a_source():
    for one in SIMULATORS.values():
        assert one.source.startswith(("run: ", "not run: ", "urdfdom run"))
        for rules in one.rules.values():
            assert len({(rule.effect, rule.says, rule.faults, rule.seats) for rule in rules}) == len(rules)


@pytest.mark.parametrize(
    ("inertial", "fault"),
    [
        ("", Fault.NO_INERTIAL),
        (mass(1), Fault.NO_TENSOR),
        (tensor(1, 1, 1), Fault.NO_MASS),
        (mass("inf") + tensor(1, 1, 1), Fault.NOT_FINITE),
        (mass(-1) + tensor(1, 1, 1), Fault.NEGATIVE_MASS),
        (mass(0) + tensor(1, 1, 1), Fault.ZERO_MASS),
        (mass(0) + tensor(0, 0, 0), Fault.NOTHING),
        (mass(1) + tensor(0, 0, 0), Fault.ZERO_TENSOR),
        (ROUNDING, Fault.IMPOSSIBLE),
        (mass(1) + tensor(0.1, 0.2, 0.3), Fault.NONE),
        (GOOD, Fault.NONE),
    ],
)
def test_faults(inertial, fault):
    assert fault_of(it.load_text(urdf(link("a", inertial))).links["a"]) is fault


def test_states_count_what_is_fixed_and_what_moves_below():
    states = link_states(it.load_text(TEXT))
    assert [states[name].seat for name in ("base", "frame", "a")] == [Seat.ROOT, Seat.FIXED, Seat.MOVED]
    assert (states["base"].below, states["frame"].below, states["tip"].below) == (2, 2, 0)
    assert states["base"].carried == 1.0


def test_the_command(tmp_path, capsys):
    path = tmp_path / "r.urdf"
    path.write_text(TEXT)
    assert main(["simulators", str(path)]) == 0
    out = capsys.readouterr().out
    assert "drops" in out
    assert "run: libsdformat 12.3.0" in out
    assert "--target" in out
    assert main(["simulators", str(path), "--target", "gazebo"]) == 1
    capsys.readouterr()
    assert main(["simulators", str(path), "--target", "mujoco", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "inertia-tools/simulators/1"
    outcome = {one["link"]: one["outcomes"]["mujoco"] for one in document["links"]}["a"]
    assert (outcome["effect"], outcome["loss"]) == ("refuses", True)
    fixed = tmp_path / "fixed.urdf"
    assert main(["fix", str(path), "--target", "gazebo,mujoco,drake,newton", "-o", str(fixed)]) == 0
    assert main(["simulators", str(fixed), "--target", "gazebo,mujoco,drake,newton"]) == 0
