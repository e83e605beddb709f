# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import inertia_tools as it
from inertia_tools.cli import main

pytest.importorskip("warp", reason="warp-lang is not installed")

from inertia_tools import kernel_loading
from inertia_tools.sim.settle import SettleTest

EXAMPLE = Path(__file__).parents[2] / "examples/broken_quadruped.urdf"
WORLD = EXAMPLE.parent / "ball_falling_ground.sdf"


@pytest.fixture(scope="module")
def good(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("robot") / "good.urdf"
    it.fix(it.load(EXAMPLE)).save(path)
    return str(path)


def test_a_corrected_robot_stands(good, capsys):
    assert main(["simulate", good, "--seconds", "1"]) == 0
    assert capsys.readouterr().out.endswith("the robot stands\n")


@pytest.mark.parametrize("height", [0.0, 2.0])
@pytest.mark.parametrize("suffix", ["urdf", "sdf", "xml", "usda"])
def test_a_robot_falls_by_the_drop_height_whatever_its_format_and_its_pose_in_the_file(good, suffix, height, tmp_path):
    path = tmp_path / f"robot.{suffix}"
    it.convert(it.load(good), path)
    if suffix == "xml":
        path.write_text(path.read_text().replace('body name="trunk"', f'body name="trunk" pos="0 0 {height}"'))
    assert SettleTest(it.load(path)).simulation.clearance() == pytest.approx(0.01, abs=1e-9)
    assert main(["simulate", str(path), "--seconds", "1", "--quiet"]) == 0


def test_json_is_nothing_but_json(good):
    command = [sys.executable, "-m", "inertia_tools", "simulate", good, "--seconds", "1", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    document = json.loads(done.stdout)
    assert document["schema"] == "inertia-tools/simulation/1"
    assert document["stands"] is True
    assert abs(document["force_error"]) < 1e-6
    assert document["drift"] < 1e-6


def test_a_world_runs_as_its_file_says(capsys):
    assert main(["simulate", str(WORLD), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    places = {entry["link"]: entry["position"] for entry in document["links"]}
    assert places["ball::link"] == pytest.approx([0, 0, 0.55], abs=1e-6)
    assert places["ground_box::flat_box"] == [0, 0, 0]
    assert main(["simulate", str(WORLD), "--seconds", "1"]) == 1
    assert "not everything is at rest" in capsys.readouterr().out


def test_a_broken_robot_is_refused_with_the_remedy(capsys):
    assert main(["simulate", str(EXAMPLE)]) == 2
    assert "run: inertia-tools fix" in capsys.readouterr().err


def test_a_robot_that_falls_over_is_told_apart(tmp_path, capsys):
    path = tmp_path / "pole.urdf"
    path.write_text(
        '<robot name="pole"><link name="base"><inertial><origin xyz="0.2 0 1"/><mass value="1"/>'
        '<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.01"/></inertial><collision><origin xyz="0 0 1"/>'
        '<geometry><box size="0.1 0.1 2"/></geometry></collision></link></robot>'
    )
    assert main(["simulate", str(path), "--seconds", "1"]) == 1
    assert "does not stand" in capsys.readouterr().out


def test_plot(good, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    out = tmp_path / "plot.png"
    assert main(["simulate", good, "--seconds", "0.6", "--plot", str(out)]) == 0
    assert out.read_bytes().startswith(b"\x89PNG")


def test_a_plot_that_cannot_be_written_is_told(good, tmp_path, capsys):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    assert main(["simulate", good, "--seconds", "0.6", "--plot", str(tmp_path / "nowhere/plot.png")]) == 2
    assert "nowhere/plot.png cannot be written" in capsys.readouterr().err


def test_an_unknown_format_of_plots_is_refused_before_the_simulation(good, tmp_path, capsys, monkeypatch):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    monkeypatch.setattr(SettleTest, "advance", lambda _: pytest.fail("the simulation was run"))
    assert main(["simulate", good, "--plot", str(tmp_path / "plot.nothing")]) == 2
    assert re.search(r"plot\.nothing: \.nothing is not a format of plots; use one of .*png", capsys.readouterr().err)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--seconds", "0.1"], "seconds must be more than 0.5"),
        (["--drop", "-1"], "drop must be zero or more metres; it is -1"),
        (["--dt", "0"], "dt must be a positive number of seconds; it is 0"),
        (["--dt", "10"], "dt must be at most 0.25"),
        (["--device", "cuda:99"], "there is no device"),
    ],
)
def test_wrong_options(good, capsys, words, said):
    assert main(["simulate", good, *words]) == 2
    assert said in capsys.readouterr().err


def test_a_robot_that_falls_is_to_be_diagnosed(capsys):
    assert main(["simulate", str(WORLD), "--seconds", "1"]) == 1
    assert f"next: inertia-tools diagnose {WORLD}" in capsys.readouterr().err


def test_compiling_is_announced_once(monkeypatch, caplog):
    monkeypatch.setattr(kernel_loading, "ANNOUNCED", set())
    for device in ("cpu", "cpu", "cuda:0", "cpu"):
        kernel_loading._announce(device)
    assert [record.args for record in caplog.records] == [("cpu",), ("cuda:0",)]
