# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from robots import BOX, GOOD, link, mass, tensor, urdf
from terminals import ESCAPE, run_in_terminal

from inertia_tools.cli import main

EXAMPLE = Path(__file__).parents[2] / "examples/broken_quadruped.urdf"
BOX_DRAWING = re.compile(r"[\u2500-\u259f]")
FINDING = re.compile(r"^[^:]+:\d+: (error|warning|info): [^:]+: .+ \[[a-z]+(-[a-z]+)*\]$")


def in_pipe(*words: str) -> str:
    command = [sys.executable, "-m", "inertia_tools", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60).stdout


def test_a_terminal_groups_findings_by_link_and_a_pipe_gets_a_line_each():
    code, shown = run_in_terminal("check", str(EXAMPLE), columns=90)
    plain = ESCAPE.sub("", shown)
    assert code == 1
    assert ESCAPE.search(shown)
    assert plain.count("  trunk (line 9)\n") == 1
    assert "trunk (line 9)\n    error    the tensor is not positive definite" in plain
    piped = in_pipe("check", str(EXAMPLE))
    lines = [line for line in piped.splitlines() if FINDING.match(line)]
    assert len(lines) == 7
    assert "\x1b" not in piped
    for line in lines:
        assert line.partition("error: ")[2].split(": ")[0] in plain


@pytest.mark.parametrize("command", ["check", "fix", "stats", "compute"])
def test_no_color_means_no_escape_sequence_at_all(command):
    _, shown = run_in_terminal(command, str(EXAMPLE), NO_COLOR="1")
    assert "rf_thigh" in shown
    assert "\x1b" not in shown
    _, shown = run_in_terminal(command, str(EXAMPLE), TERM="dumb")
    assert "\x1b" not in shown
    _, shown = run_in_terminal(command, str(EXAMPLE), NO_COLOR="")
    assert "\x1b" in shown


@pytest.mark.parametrize("columns", [80, 200])
@pytest.mark.parametrize("command", ["fix", "stats", "compute"])
def test_tables_fit_and_show_whole_numbers(command, columns, tmp_path):
    path = tmp_path / "r.urdf"
    worst = mass(-1.23456e-5) + tensor(-1.23456e-7, -1.23456e-7, -1.23456e-7)
    path.write_text(urdf(link("base", worst, BOX)))
    _, shown = run_in_terminal(command, str(path), columns=columns)
    plain = ESCAPE.sub("", shown)
    table = [line for line in plain.splitlines() if str(path) not in line]
    assert max(map(len, table)) <= columns
    assert not re.search("…", plain)
    for number in {"fix": ["-1.23456e-05", "-1.235e-07"], "stats": ["-1.23456e-05"], "compute": ["6", "0.065"]}[
        command
    ]:
        assert re.search(rf"(^|\s){re.escape(number)}(\s|$)", plain), number


def test_before_and_after_stand_above_one_another():
    plain = ESCAPE.sub("", run_in_terminal("fix", str(EXAMPLE))[1])
    lines = plain.splitlines()
    at = lines.index("rf_thigh")
    assert lines[at + 2].split()[:2] == ["before", "-0.8"]
    assert lines[at + 3].split()[:2] == ["after", "0.48"]
    assert len(lines[at + 2]) == len(lines[at + 3]) == len(lines[at + 1])


def test_what_an_incomplete_inertial_states_is_shown():
    lines = in_pipe("fix", str(EXAMPLE)).splitlines()
    at = lines.index("rh_shank")
    assert lines[at + 2].split()[:2] == ["before", "0.3"]
    assert lines[at + 5].split() == ["before", *"------"]


@pytest.mark.parametrize("command", ["check", "fix", "stats", "compute"])
def test_a_pipe_gets_no_box_drawing_and_no_escapes(command):
    piped = in_pipe(command, str(EXAMPLE))
    assert "rf_thigh" in piped
    assert not BOX_DRAWING.search(piped)
    assert "\x1b" not in piped


def test_links_of_which_the_same_is_said_stand_together(tmp_path):
    path = tmp_path / "r.urdf"
    joints = [f'<joint name="j{i}" type="revolute"><parent link="base"/><child link="w{i}"/></joint>' for i in range(5)]
    path.write_text(urdf(link("base", GOOD), *(link(f"w{i}", mass(-1), BOX) for i in range(5)), *joints))
    plain = ESCAPE.sub("", run_in_terminal("check", str(path))[1])
    assert plain.count("negative-mass") == 1
    plain = " ".join(plain.split())  # lines are wrapped at the width of the terminal
    for i in range(1, 5):
        assert f"w{i} (line " in plain
    assert in_pipe("check", str(path)).count("negative-mass") == 5


def test_summary_has_a_line_a_code_with_how_many(capsys, tmp_path):
    assert main(["check", str(EXAMPLE), "--summary"]) == 1
    lines = capsys.readouterr().out.splitlines()
    rows = {line.split()[1]: line.split()[2] for line in lines if line.startswith("error")}
    assert rows["triangle-inequality"] == "2"
    assert rows["negative-mass"] == "1"
    assert lines[0].split() == ["severity", "code", "count", "links"]
    assert "trunk, lf_hip" in "\n".join(lines)
    assert main(["check", str(EXAMPLE), "--summary", "--json"]) == 1
    assert capsys.readouterr().out.startswith("{")


def test_each_run_ends_with_a_command_that_works(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "my robot.urdf"
    path.write_bytes(EXAMPLE.read_bytes())
    words, met = ["check", path.name], []
    while words[0] not in met:
        met.append(words[0])
        main(words)
        last = capsys.readouterr().out.splitlines()[-1]
        prefix, program, *words = shlex.split(last)
        assert (prefix, program) == ("next:", "inertia-tools")
        if words[0] == "simulate":
            break
    assert met[:2] == ["check", "fix"]
    assert (tmp_path / "my robot.fixed.urdf").exists()
    assert main(["fix", path.name]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert shlex.split(last) == ["next:", "inertia-tools", "fix", path.name, "-o", "my robot.fixed.urdf"]
    assert main(["fix", path.name, "--diff"]) == 0
    said = capsys.readouterr()
    assert "next:" not in said.out
    assert said.err.startswith("next: ")


def test_a_mistake_that_is_proven_is_undone_by_the_next_command(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    box = "<collision><geometry><box size='0.1 0.2 0.3'/></geometry></collision>"
    wrong = "<inertial><mass value='6'/><inertia ixx='65e3' ixy='0' ixz='0' iyy='5e4' iyz='0' izz='25e3'/></inertial>"
    Path("box.urdf").write_text(f"<robot name='box'><link name='base'>{box}{wrong}</link></robot>")
    main(["check", "box.urdf"])
    words = shlex.split(capsys.readouterr().out.splitlines()[-1])
    assert words == ["next:", "inertia-tools", "fix", "box.urdf", "--apply", "wrong-unit", "-o", "box.fixed.urdf"]
    assert main(words[2:]) == 0
    assert main(["check", "box.fixed.urdf", "--fail-on", "info"]) == 0


def test_a_correction_from_geometry_in_millimetres_is_doubted(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    box = "<collision><geometry><box size='100 200 300'/></geometry></collision>"
    no_tensor = f"<link name='known'>{box}<inertial><mass value='6'/></inertial></link>"
    joint = "<joint name='j' type='revolute'><parent link='known'/><child link='bare'/></joint>"
    robot = f"<robot name='box'>{no_tensor}<link name='bare'>{box}</link>{joint}</robot>"
    Path("box.urdf").write_text(robot)
    assert main(["fix", "box.urdf", "-o", "out.urdf"]) == 0
    lines = capsys.readouterr().out.splitlines()
    doubts = [line for line in lines if line.endswith("[unit-suspect]")]
    assert ["known" in doubts[0], "bare" in doubts[1], len(doubts)] == [True, True, 2]
    assert lines[-1] == "next: inertia-tools explain unit-suspect"
    main(["explain", "unit-suspect"])
    assert 'scale="0.001 0.001 0.001"' in capsys.readouterr().out
    Path("box.urdf").write_text(robot.replace("100 200 300", "0.1 0.2 0.3"))
    main(["fix", "box.urdf", "-o", "out.urdf"])
    assert "unit-suspect" not in capsys.readouterr().out


def test_quiet_prints_only_what_is_wrong(tmp_path, capsys):
    good, bad = tmp_path / "good.urdf", tmp_path / "bad.urdf"
    good.write_text(urdf(link("base", GOOD)))
    bad.write_text(urdf(link("base", mass(-1), BOX)))
    for words in (["check"], ["fix"]):
        assert main([*words, str(good), "--quiet"]) == 0
        assert capsys.readouterr() == ("", "")
    assert main(["check", str(bad), "-q"]) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert FINDING.match(line)
    assert main(["fix", str(bad), "-q", "-o", str(tmp_path / "out.urdf")]) == 0
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("command", "option", "meant"),
    [
        ("fix", "--robot-mass", "--total-mass"),
        ("simulate", "--duration", "--seconds"),
        ("simulate", "--timestep", "--dt"),
    ],
)
def test_an_unknown_option_names_the_one_that_was_meant(command, option, meant, capsys):
    with pytest.raises(SystemExit) as ended:
        main([command, "robot.urdf", option, "12"])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert f"inertia-tools {command}" in said
    assert f"did you mean {meant}?" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "check the inertial of every link"),
        (["chek", "robot.urdf"], "'chek' is not a command; did you mean check?"),
        (["wheel"], "'wheel' is not a command; run: inertia-tools --help"),
        ([str(EXAMPLE)], f"is not a command; run: inertia-tools check {EXAMPLE}"),
    ],
)
def test_without_a_command_the_one_that_was_meant_is_named(words, said, capsys):
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert said in capsys.readouterr().err
