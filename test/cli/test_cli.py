# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from robots import BOX, GOOD, link, mass, tensor, urdf

from inertia_tools.cli import main

EXAMPLE = Path(__file__).parents[2] / "examples/broken_quadruped.urdf"
LINK_KEYS = {"link", "declared", "effective", "computed", "corrected", "changed", "findings"}
VALUE_KEYS = {"mass", "com", "inertia", "method", "error_estimate", "density", "volume"}


@pytest.fixture
def robot(tmp_path):
    """Write a robot and return its path as text."""

    def write(*elements: str) -> str:
        path = tmp_path / "robot.urdf"
        path.write_text(urdf(*elements))
        return str(path)

    return write


def run_json(capsys, *arguments: str):
    code = main([*arguments, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_check_exit_codes(robot, capsys):
    assert main(["check", robot(link("base", GOOD))]) == 0
    assert main(["check", robot(link("base", mass(-1), BOX))]) == 1
    rounding = robot(link("base", mass(1) + tensor(3.33, 3.33, 6.67)))
    assert main(["check", rounding]) == 0
    assert main(["check", rounding, "--fail-on", "warning"]) == 1
    assert main(["check", robot(link("base"))]) == 0
    assert main(["check", robot(link("base")), "--fail-on", "info"]) == 1
    assert main(["check", "nowhere.urdf"]) == 2
    assert "nowhere.urdf: cannot be opened" in capsys.readouterr().out


def test_check_reads_all_files_also_after_a_bad_one(robot, tmp_path, capsys):
    (tmp_path / "bad.urdf").write_text("<robot>\n<link/></robot>")
    code, document = run_json(capsys, "check", str(tmp_path / "bad.urdf"), robot(link("base", mass(-1), BOX)))
    assert code == 2
    bad, good = document["files"]
    assert bad["error"].startswith(f"{tmp_path / 'bad.urdf'}:2: ")
    assert good["error"] is None
    assert good["links"][0]["findings"][0]["code"] == "negative-mass"


def test_json_of_check(robot, capsys):
    path = robot(link("base", mass(2) + tensor(1, 1, 5), BOX), link("frame"), joint_to_frame())
    code, document = run_json(capsys, "check", path)
    assert code == 1
    assert document["schema"] == "inertia-tools/report/1"
    (file,) = document["files"]
    assert (file["file"], file["format"], file["robot"], file["total_mass"]) == (path, "urdf", "r", 2.0)
    assert file["models"][0]["mass"] == 2.0
    base, frame = file["links"]
    assert set(base) == LINK_KEYS
    assert set(base["declared"]) == set(base["computed"]) == VALUE_KEYS
    assert base["declared"]["inertia"] == [1, 0, 0, 1, 0, 5]
    assert base["declared"]["method"] == "declared"
    assert base["computed"]["method"] == "primitive"
    assert base["computed"]["mass"] == pytest.approx(6.0)
    assert base["corrected"] is None
    assert base["changed"] is False
    assert base["findings"][0] == {
        "code": "triangle-inequality",
        "severity": "error",
        "message": base["findings"][0]["message"],
        "file": path,
        "line": 2,
        "path": "/robot[@name='r']/link[@name='base']/inertial",
    }
    assert frame["declared"] is None
    assert frame["computed"] is None


def joint_to_frame() -> str:
    return '<joint name="j" type="fixed"><parent link="base"/><child link="frame"/></joint>'


def test_json_has_no_nan(robot, capsys):
    _, document = run_json(capsys, "check", robot(link("base", mass("nan") + tensor(1, "inf", 1), BOX)))
    assert document["files"][0]["links"][0]["declared"]["mass"] is None


def test_json_of_compute_stats_and_fix(robot, capsys):
    path = robot(link("base", mass(2), BOX))
    _, computed = run_json(capsys, "compute", path, "--density", "500")
    value = computed["files"][0]["links"][0]["computed"]
    assert (value["mass"], value["density"], value["volume"]) == pytest.approx((3.0, 500.0, 0.006))
    _, stats = run_json(capsys, "stats", path)
    assert stats["files"][0]["links"][0]["computed"] is None
    assert stats["files"][0]["links"][0]["declared"]["mass"] == 2.0
    assert stats["files"][0]["links"][0]["effective"] is None
    code, fixed = run_json(capsys, "fix", path)
    entry = fixed["files"][0]["links"][0]
    assert code == 0
    assert entry["changed"] is True
    assert entry["corrected"]["mass"] == 2.0
    assert [finding["code"] for finding in entry["findings"]] == ["missing-tensor"]


def test_fix_writes_where_it_is_told(robot, tmp_path, capsys):
    path = robot(link("base", mass(2), BOX))
    before = Path(path).read_text()
    assert main(["fix", path]) == 0
    assert Path(path).read_text() == before
    assert "no file written" in capsys.readouterr().out
    assert main(["fix", path, "-o", str(tmp_path / "out.urdf")]) == 0
    assert main(["check", str(tmp_path / "out.urdf")]) == 0
    assert Path(path).read_text() == before
    capsys.readouterr()
    assert main(["fix", path, "-o", "-"]) == 0
    assert capsys.readouterr().out == (tmp_path / "out.urdf").read_text()
    assert main(["fix", path, "--in-place"]) == 0
    assert Path(path).read_text() == (tmp_path / "out.urdf").read_text()


def test_fix_of_a_good_file_leaves_it_alone(robot):
    path = Path(robot(link("base", GOOD, BOX)))
    before, stamp = path.read_bytes(), path.stat().st_mtime_ns
    assert main(["fix", str(path), "--in-place"]) == 0
    assert path.read_bytes() == before
    assert path.stat().st_mtime_ns == stamp


def test_fix_diff(robot, capsys):
    assert main(["fix", robot(link("base", mass(2), BOX)), "--diff"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("--- ")
    assert "+" in out


def test_fix_masses(robot, capsys):
    path = robot(link("base", mass(2), BOX))
    _, document = run_json(capsys, "fix", path, "--link-mass", "base=5")
    assert document["files"][0]["links"][0]["corrected"]["mass"] == 5.0
    _, document = run_json(capsys, "fix", path, "--material", "base=Aluminum")
    assert document["files"][0]["links"][0]["corrected"]["mass"] == pytest.approx(0.006 * 2700)
    _, document = run_json(capsys, "fix", path, "--total-mass", "7")
    assert document["files"][0]["links"][0]["corrected"]["mass"] == pytest.approx(7)


def test_materials_of_a_file(robot, tmp_path, capsys):
    path, own = robot(link("base", mass(2), BOX)), tmp_path / "own.toml"
    own.write_text("[density]\nfoam = 30\n")
    for name, density in (("foam", 30), ("steel", 7850)):
        _, document = run_json(capsys, "compute", path, "--materials", str(own), "--material", name)
        assert document["files"][0]["links"][0]["computed"]["density"] == density
    _, document = run_json(capsys, "fix", path, "--materials", str(own), "--material", "base=Foam")
    assert document["files"][0]["links"][0]["corrected"]["mass"] == pytest.approx(0.006 * 30)
    assert main(["compute", path, "--material", "foam"]) == 2
    own.write_text("[density]\nfoam = -30\n")
    for command in ("compute", "fix"):
        assert main([command, path, "--materials", str(own)]) == 2
        assert f"{own}:2: the density of 'foam' is -30" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["compute", path, "--material", "steel", "--density", "10"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--link-mass", "base"], "NAME=VALUE"),
        (["--link-mass", "base=x"], "NAME=NUMBER"),
        (["--link-mass", "bse=1"], "did you mean 'base'"),
        (["--material", "base=cheese"], "one of"),
        (["--density", "-1"], "positive"),
        (["-o", "/nowhere/out.urdf"], "cannot be written"),
        (["--package-path", "/nowhere", "--xacro-arg", "x"], "NAME=VALUE"),
    ],
)
def test_wrong_options_are_one_line_and_exit_code_2(robot, capsys, words, said):
    assert main(["fix", robot(link("base", mass(2), BOX)), *words]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_in_place_on_a_xacro_prints_the_values(tmp_path, capsys):
    pytest.importorskip("xacro", reason="xacro is not installed")
    path = tmp_path / "robot.xacro"
    path.write_text(urdf(link("base", mass("${1 + 1}"), BOX)))
    assert main(["fix", str(path), "--in-place"]) == 2
    error = capsys.readouterr().err
    assert "base: mass 2" in error
    assert "not edited in place" in error


def test_xacro_is_expanded_by_name_or_on_request(robot, tmp_path, capsys):
    pytest.importorskip("xacro", reason="xacro is not installed")
    plain = robot(link("base", mass("${1 + 1}") + tensor(1, 1, 1)))
    assert main(["check", plain]) == 2
    assert "--xacro" in capsys.readouterr().out
    assert main(["check", "--xacro", plain]) == 0
    named = tmp_path / "robot.xacro"
    Path(plain).rename(named)
    assert main(["check", str(named)]) == 0
    assert main(["check", "--no-xacro", str(named)]) == 2


def test_sizes_below_zero_are_a_finding_with_a_line(robot, capsys):
    assert main(["check", robot(link("base", GOOD, '<box size="1 -1 1"/>'))]) == 1
    assert "robot.urdf:2: error: base: the box has y -1" in capsys.readouterr().out


def test_unknown_command_and_no_command_exit_with_2():
    for words in ([], ["frobnicate"], ["check"]):
        with pytest.raises(SystemExit) as caught:
            main(words)
        assert caught.value.code == 2


def test_example_has_six_faults_and_none_after(tmp_path, capsys):
    code, document = run_json(capsys, "check", str(EXAMPLE))
    assert code == 1
    codes = {
        f["code"] for entry in document["files"][0]["links"] for f in entry["findings"] if f["severity"] == "error"
    }
    assert codes == {
        "missing-inertial",
        "negative-mass",
        "missing-tensor",
        "zero-inertia",
        "not-positive-definite",
        "triangle-inequality",
    }
    assert main(["fix", str(EXAMPLE), "-o", str(tmp_path / "out.urdf")]) == 0
    capsys.readouterr()
    code, document = run_json(capsys, "check", str(tmp_path / "out.urdf"))
    assert code == 0
    left = {f["code"] for entry in document["files"][0]["links"] for f in entry["findings"]}
    assert left == {"mirror-mass"}  # two masses that nobody stated were computed at the density of water


def test_runs_as_a_module_and_loads_neither_warp_nor_rclpy():
    program = (
        "import sys; from inertia_tools.cli import main; code = main(['check', sys.argv[1]]);"
        "print([name for name in ('warp', 'rclpy', 'scipy', 'rich') if name in sys.modules]); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", program, str(EXAMPLE)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == "[]"
    for module in ("inertia_tools", "inertia_tools.cli"):
        words = [sys.executable, "-m", module, "--version"]
        assert subprocess.run(words, capture_output=True, text=True, timeout=60).stdout.startswith("inertia-tools ")


def test_a_reader_that_stops_reading_is_no_error():
    command = f"{sys.executable} -m inertia_tools check {EXAMPLE} | head -c 10"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60)
    assert "Traceback" not in done.stderr


def test_baseline_leaves_out_what_was_known(robot, tmp_path, capsys):
    path = robot(link("base", mass(-1), BOX))
    _, document = run_json(capsys, "check", path)
    (tmp_path / "known.json").write_text(json.dumps(document))
    assert main(["check", path, "--baseline", str(tmp_path / "known.json")]) == 0
    assert "0 errors" in capsys.readouterr().out
    robot(link("base", mass(-1) + tensor(1, 1, 9), BOX))
    code, fresh = run_json(capsys, "check", path, "--baseline", str(tmp_path / "known.json"))
    assert code == 1
    assert [finding["code"] for finding in fresh["files"][0]["links"][0]["findings"]] == ["triangle-inequality"]
    (tmp_path / "known.json").write_text("[]")
    assert main(["check", path, "--baseline", str(tmp_path / "known.json")]) == 2
    assert "--update-baseline" in capsys.readouterr().err


def test_a_link_whose_findings_are_known_has_no_possible_cause(robot, tmp_path, capsys):
    path = robot(link("base", mass(2) + tensor(0.33, 0.33, 3.3), BOX))
    _, document = run_json(capsys, "check", path)
    (tmp_path / "known.json").write_text(json.dumps(document))
    main(["check", path])
    assert "possible cause" in capsys.readouterr().out
    for words in (["--baseline", str(tmp_path / "known.json")], ["--ignore", "triangle-inequality"]):
        assert main(["check", path, *words]) == 0
        assert "possible cause" not in capsys.readouterr().out


def test_sarif(robot, tmp_path):
    path, out = robot(link("base", mass(-1), BOX)), tmp_path / "out.sarif"
    assert main(["check", path, "nowhere.urdf", "--sarif", str(out)]) == 2
    (run,) = json.loads(out.read_text())["runs"]
    (result,) = [
        result for result in run["results"] if result["level"] == "error" and result["ruleId"] == "negative-mass"
    ]
    location = result["locations"][0]
    assert location["physicalLocation"] == {"artifactLocation": {"uri": path}, "region": {"startLine": 2}}
    assert location["logicalLocations"][0]["name"] == "base"
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "negative-mass"
    assert run["invocations"][0]["executionSuccessful"] is False
    assert main(["check", path, "--sarif", str(tmp_path / "no" / "out.sarif")]) == 2


def test_names_beyond_the_encoding_of_the_terminal(robot):
    command = [sys.executable, "-m", "inertia_tools", "check", robot(link("Fuß", mass(-1), BOX))]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)
    assert done.returncode == 1
    assert "Fu\\xdf" in done.stdout


ARGUMENT = (
    '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="{}" default="2"/>'
    '<link name="base"><inertial><mass value="$(arg {})"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
    "</inertial></link></robot>"
)


@pytest.fixture
def xacros(tmp_path):
    pytest.importorskip("xacro")
    paths = [tmp_path / f"{name}.urdf.xacro" for name in ("mass", "weight")]
    for name, path in zip(("mass", "weight"), paths, strict=True):
        path.write_text(ARGUMENT.format(name, name))
    return [str(path) for path in paths]


@pytest.mark.parametrize(("word", "mass"), [("mass:=7", 7.0), ("mass=7", 7.0)])
def test_arguments_of_xacro_are_written_as_ros_does_too(xacros, word, mass, capsys):
    assert main(["stats", xacros[0], "--xacro-arg", word, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["files"][0]["total_mass"] == mass


def test_arguments_of_xacro_in_the_projects_file_are_for_those_that_declare_them(xacros, tmp_path, monkeypatch):
    (tmp_path / ".inertia-tools.yaml").write_text("xacro-arg: {weight: 3}\n")
    monkeypatch.chdir(tmp_path)
    for command in ("check", "stats"):
        assert main([command, xacros[0]]) in (0, 1)


@pytest.mark.parametrize("command", [["check"], ["diff"], ["check", "--jobs", "2"]])
def test_an_argument_of_xacro_has_to_be_declared_by_one_of_the_files(xacros, command, capsys):
    words = [*command, *xacros, "--xacro-arg", "weight:=3"]
    assert main(words) in (0, 1)
    capsys.readouterr()
    assert main([*words, "--xacro-arg", "masss:=3"]) == 2
    said = capsys.readouterr().err
    assert "'masss': did you mean 'mass'?" in said
    assert "'weight'" not in said


def next_of(text, path, capsys, *words):
    path.write_text(text)
    main(["check", str(path), *words])
    return capsys.readouterr().out


LIMITED = (
    '<mujoco><compiler autolimits="false"/><worldbody><body name="b"><joint range="-1 1"/>{}'
    '<geom size=".1"/></body></worldbody></mujoco>'
)


def test_a_correction_is_proposed_only_where_one_mends_an_error(tmp_path, capsys):
    path = tmp_path / "r.xml"
    assert "next: inertia-tools explain mujoco-refuses\n" in next_of(LIMITED.format(""), path, capsys)
    assert main(["fix", str(path), "--diff"]) == 1
    assert "<inertial" not in capsys.readouterr().out
    broken = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 2.1"/>'
    assert f"next: inertia-tools fix {path} " in next_of(LIMITED.format(broken), path, capsys)


def test_no_correction_is_proposed_for_a_link_whose_mesh_is_missing(tmp_path, capsys):
    lost = '<mesh filename="package://nopkg/a.stl"/>'
    said = next_of(urdf(link("base", "", lost)), tmp_path / "r.urdf", capsys, "--package-path", "/nowhere")
    assert "next: inertia-tools explain missing-inertial\n" in said
    assert "searched in /nowhere (no folder), " in said  # then the prefixes of ROS, where some are sourced
    said = next_of(urdf(link("base", mass(1) + tensor(1, 1, 2.1), lost)), tmp_path / "r.urdf", capsys)
    assert "next: inertia-tools fix " in said


def test_standard_input_is_read_once(capsys):
    assert main(["diff", "-", "-"]) == 2
    assert "<stdin>: cannot be read twice; name a file" in capsys.readouterr().err


@pytest.mark.parametrize("module", ["inertia_tools.cli", "argparse"])
def test_an_interrupt_during_the_first_imports_prints_one_line(module):
    interrupted = (
        "import os, signal, sys\n"
        "from inertia_tools.__main__ import start\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, *others):\n"
        f"        if name == {module!r}:\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        "sys.modules.pop('argparse', None)\n"
        "start()\n"
    )
    done = subprocess.run([sys.executable, "-c", interrupted], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "inertia-tools: interrupted\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["fix", "--total-mass", "3kg"], "--total-mass: '3kg' is not a number; write digits without a unit"),
        (["compute", "--density", "2,7"], "--density: '2,7' is not a number; write digits without a unit, and a point"),
        (["check", "--jobs", "2.5"], "--jobs: '2.5' is not a whole number; write digits only"),
    ],
)
def test_an_argument_that_is_no_number_gets_a_remedy(words, said, capsys):
    with pytest.raises(SystemExit) as caught:
        main([*words, "robot.urdf"])
    assert caught.value.code == 2
    assert said in capsys.readouterr().err
