# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
import json
from pathlib import Path

from inertia_tools.cli import main
from inertia_tools.inertia.explanations import EXPLANATIONS

EXAMPLE = str(Path(__file__).parents[2] / "examples/broken_quadruped.urdf")


def test_an_explanation_has_all_parts_and_fits(capsys):
    assert main(["explain", "negative-mass", "[open-mesh]"]) == 0
    out = capsys.readouterr().out
    assert out.count("Why it matters") == out.count("Rule") == out.count("Repair") == out.count("Example") == 2
    assert max(map(len, out.splitlines())) <= 80
    assert "\x1b" not in out


def test_all_codes_are_listed(capsys):
    assert main(["explain"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert {line.split()[0] for line in lines if line[:1].strip()} >= EXPLANATIONS.keys()
    assert main(["explain", "--json"]) == 0
    assert {one["code"] for one in json.loads(capsys.readouterr().out)["codes"]} == EXPLANATIONS.keys()


def test_an_unknown_code_names_the_nearest(capsys):
    assert main(["explain", "negativ-mass"]) == 2
    assert "negative-mass" in capsys.readouterr().err


def test_the_next_command_is_the_one_that_finds_the_code(capsys):
    for code, command in (("negative-mass", "check FILE"), ("gains-exceed-step", "diagnose FILE")):
        main(["explain", code])
        assert capsys.readouterr().out.splitlines()[-1].endswith(command)


def test_each_code_that_a_check_prints_is_explained(capsys):
    main(["check", EXAMPLE, "--json"])
    codes = {f["code"] for one in json.loads(capsys.readouterr().out)["files"][0]["links"] for f in one["findings"]}
    assert codes
    assert main(["explain", *codes]) == 0


def test_ignored_codes_neither_show_nor_count(capsys):
    assert main(["check", EXAMPLE, "--ignore", "negative-mass"]) == 1
    out = capsys.readouterr().out
    assert "negative-mass" not in out
    assert "6 errors" in out
    every = "not-positive-definite,triangle-inequality,negative-mass,missing-inertial,missing-tensor"
    assert main(["check", EXAMPLE, "--ignore", every, "--ignore", "zero-inertia"]) == 0
    assert main(["check", EXAMPLE, "--ignore", "negativ-mass"]) == 2
    assert "negative-mass" in capsys.readouterr().err


def test_sarif_rules_carry_the_explanation(tmp_path):
    main(["check", EXAMPLE, "--sarif", str(tmp_path / "out.sarif")])
    rules = json.loads((tmp_path / "out.sarif").read_text())["runs"][0]["tool"]["driver"]["rules"]
    assert rules
    for rule in rules:
        assert rule["shortDescription"]["text"] == EXPLANATIONS[rule["id"]].meaning
        assert EXPLANATIONS[rule["id"]].repair in rule["help"]["text"]
