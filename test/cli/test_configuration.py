# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
import json

import pytest
from robots import BOX, GOOD, link, mass, tensor, urdf

from inertia_tools.cli import COMMANDS, QUIETABLE, command_parser, main
from inertia_tools.cli.configuration import KEYS

ROUNDED = mass(1) + tensor(3.33, 3.33, 6.67)


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Make a repository with a robot in a folder of it, and work in that folder."""
    (tmp_path / ".git").mkdir()
    folder = tmp_path / "urdf"
    folder.mkdir()
    (folder / "r.urdf").write_text(urdf(link("base", ROUNDED, BOX)))
    monkeypatch.chdir(folder)
    return tmp_path


def test_the_nearest_file_counts_up_to_the_root_of_the_repository(project):
    assert main(["check", "r.urdf"]) == 0
    (project.parent / ".inertia-tools.yaml").write_text("fail-on: info\n")
    assert main(["check", "r.urdf"]) == 0
    (project / "pyproject.toml").write_text('[tool.inertia-tools]\nfail-on = "warning"\n')
    assert main(["check", "r.urdf"]) == 1
    (project / "urdf" / "pyproject.toml").write_text("[tool.other]\nfail-on = 1\n")
    assert main(["check", "r.urdf"]) == 1
    (project / "urdf" / ".inertia-tools.yaml").write_text("fail_on: error\n")
    assert main(["check", "r.urdf"]) == 0
    (project.parent / ".inertia-tools.yaml").unlink()


def test_what_is_typed_goes_before_and_adds_to_lists(project, capsys):
    (project / ".inertia-tools.yaml").write_text("fail-on: warning\nignore: [triangle-rounding]\n")
    assert main(["check", "r.urdf"]) == 1
    assert "triangle-rounding" not in capsys.readouterr().out
    others = "density-low,exceeds-geometry,oversized-inertia,unit-suspect,isotropic-inertia"
    assert main(["check", "r.urdf", "--ignore", others]) == 0
    assert main(["check", "r.urdf", "--fail-on", "error"]) == 0
    assert main(["check", "r.urdf", "--no-config", "--quiet", "--fail-on", "warning"]) == 1
    assert "triangle-rounding" in capsys.readouterr().out


def test_each_command_takes_what_it_has_and_paths_count_from_the_file(project, capsys):
    (project / "own.toml").write_text("foam = 30\n")
    text = 'materials: own.toml\nmaterial: {"*": foam}\ndensity: 500\nfail-on: info\n'
    (project / ".inertia-tools.yaml").write_text(text)
    assert main(["fix", "r.urdf", "--json"]) == 0
    (entry,) = json.loads(capsys.readouterr().out)["files"][0]["links"]
    assert entry["corrected"]["mass"] == pytest.approx(0.006 * 30)
    assert main(["stats", "r.urdf"]) == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("fail-on: fatal\n", "must be one of error, warning, info"),
        ("fail-onn: error\n", "fail-on"),
        ("output: /etc/passwd\n", "is not an option that this file can set"),
        ("in-place: true\n", "is not an option that this file can set"),
        ("xacro: true\n", "is not an option that this file can set"),
        ("summary: 3\n", "true or false"),
        ("density: heavy\n", "a number"),
        ("density: [1, 2]\n", "a single value"),
        ("- a\n", "must be a table of options"),
        ("a: [\n", "is not valid YAML"),
        (
            "fail-on: info\ndensity: 5\nfail-on: error\n",
            ".yaml:3: is not valid YAML: 'fail-on' is given twice; keep one",
        ),
        ("link-mass:\n  base: 1\n  base: 2\n", ".yaml:3: is not valid YAML: 'base' is given twice; keep one"),
        ("fail-on: info\nfail_on: error\n", "'fail-on' is given twice"),
        ("ignore: [negativ-mass]\n", "negative-mass"),
    ],
)
def test_what_no_option_takes_is_one_line_and_exit_code_2(project, capsys, text, said):
    (project / ".inertia-tools.yaml").write_text(text)
    assert main(["check", "r.urdf"]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_a_configuration_in_another_encoding_is_named_as_that(project, capsys):
    (project / ".inertia-tools.yaml").write_bytes("fail-on: info  # gr\u00fc\u00dfe".encode("latin-1"))
    assert main(["check", "r.urdf"]) == 2
    assert "is not UTF-8 text; save it as UTF-8" in capsys.readouterr().err


def test_every_key_is_an_option_of_a_command():
    options = {
        name.removeprefix("--")
        for command in COMMANDS.keys() & QUIETABLE
        for action in command_parser(command)._actions
        for name in action.option_strings
    }
    assert options >= KEYS


def test_a_good_robot_stays_good(project):
    (project / "urdf" / "good.urdf").write_text(urdf(link("base", GOOD)))
    (project / ".inertia-tools.yaml").write_text("fail-on: info\n")
    assert main(["check", "good.urdf"]) == 0
