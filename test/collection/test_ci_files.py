# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What other people's CI loads from this repository: the pre-commit hook, the action, the CMake function."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from robots import BOX, GOOD, link, mass, urdf

from inertia_tools.cli import command_parser

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
ROOT = Path(__file__).parents[2]
PROJECT = """cmake_minimum_required(VERSION 3.16)
project(some_description NONE)
enable_testing()
{ament}
include({function})
inertia_tools_check(urdf/good.urdf)
inertia_tools_check(urdf/bad.urdf NAME known IGNORE negative-mass)
inertia_tools_check(urdf/bad.urdf urdf/good.urdf NAME bad FAIL_ON warning)
"""
PACKAGE = """<package format="3"><name>some_description</name><version>0.0.0</version><description>d</description>
<maintainer email="m@example.org">m</maintainer><license>Apache-2.0</license></package>"""


@pytest.fixture
def program(tmp_path):
    """Make the program as an installation has it."""
    path = tmp_path / "bin" / "inertia-tools"
    path.parent.mkdir()
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m inertia_tools "$@"\n')
    path.chmod(0o755)
    return path


@pytest.fixture
def robots(tmp_path):
    folder = tmp_path / "some_description" / "urdf"
    folder.mkdir(parents=True)
    (folder / "good.urdf").write_text(urdf(link("base", GOOD)))
    (folder / "bad.urdf").write_text(urdf(link("base", mass(-1), BOX)))
    return folder


def test_the_hook_of_pre_commit_takes_robot_files_and_runs_a_command_there_is():
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert {"id", "name", "entry", "language", "files"} <= hook.keys()
    program, command, *options = shlex.split(hook["entry"])
    assert program == "inertia-tools"
    assert command_parser(command).parse_args([*options, "a.urdf", "b.sdf"]).files == ["a.urdf", "b.sdf"]
    for name in ("urdf/a.urdf", "a.urdf.xacro", "model.sdf", "a.world", "a.usda"):
        assert re.search(hook["files"], name), name
    for name in ("package.xml", "macros.xacro", "a.urdf.bak", "mesh.stl"):
        assert not re.search(hook["files"], name), name


@pytest.mark.parametrize(
    ("files", "more", "code"), [("good.urdf", "", 0), (".", "", 1), (".", "--ignore negative-mass", 0)]
)
def test_the_action_checks_and_annotates(program, robots, tmp_path, files, more, code):
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    (step,) = [step for step in action["runs"]["steps"] if step.get("id") == "check"]
    given = {"files": files, "arguments": more}
    values = {name: given.get(name, one["default"]) for name, one in action["inputs"].items()}
    environment = {name: values[re.search(r"inputs\.([a-z-]+)", text)[1]] for name, text in step["env"].items()}
    environment |= {"GITHUB_OUTPUT": str(tmp_path / "outputs"), "RUNNER_TEMP": str(tmp_path)}
    environment |= {
        "PATH": f"{program.parent}:{os.environ['PATH']}",
        "PYTHONPATH": os.environ.get("PYTHONPATH", str(ROOT)),
    }
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    done = subprocess.run(command, cwd=robots, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == code, done.stderr
    assert ("::error file=" in done.stdout) == (code == 1)
    assert (tmp_path / "outputs").read_text() == f"sarif={tmp_path}/inertia-tools.sarif\n"
    assert (tmp_path / "inertia-tools.sarif").exists()


@pytest.mark.skipif(shutil.which("cmake") is None, reason="CMake is not installed")
@pytest.mark.parametrize("ament", ["", "find_package(ament_cmake_test REQUIRED)"])
def test_the_function_of_cmake_adds_tests(program, robots, tmp_path, ament):
    if ament and not Path(sys.prefix, "share/ament_cmake_test").exists():
        pytest.skip("ament_cmake comes with ROS 2")
    source, build = robots.parent, tmp_path / "build"
    function = ROOT / "cmake/inertia_tools_check.cmake"
    (source / "CMakeLists.txt").write_text(PROJECT.format(function=function, ament=ament))
    configure = ["cmake", "-S", str(source), "-B", str(build), f"-DINERTIA_TOOLS_PROGRAM={program}"]
    configure += [f"-DCMAKE_PREFIX_PATH={sys.prefix}", f"-DPython3_EXECUTABLE={sys.executable}"]
    if ament:
        (source / "package.xml").write_text(PACKAGE)
    subprocess.run(configure, check=True, capture_output=True, timeout=120)
    done = subprocess.run(["ctest", "--output-on-failure"], cwd=build, capture_output=True, text=True, timeout=120)
    results = dict(re.findall(r"Test +#\d+: (\w+) \.+ *(?:\*+)?(Passed|Failed)", done.stdout))
    assert results == {"inertials_urdf_good_urdf": "Passed", "known": "Passed", "bad": "Failed"}
    assert "negative-mass" in done.stdout
    (result,) = build.rglob("bad.xunit.xml")
    assert ElementTree.parse(result).getroot().get("failures") == "1"
    with (source / "CMakeLists.txt").open("a") as file:
        file.write("inertia_tools_check(urdf/nowhere.urdf)\n")
    refused = subprocess.run(configure, capture_output=True, text=True, timeout=120)
    assert refused.returncode != 0
    assert "there is no" in refused.stderr
