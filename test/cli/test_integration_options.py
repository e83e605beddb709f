# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The options that say how shapes are integrated, from the command line to the numbers."""

import json
import subprocess
import sys

import numpy as np
import pytest
import trimesh
from robots import link, urdf

from inertia_tools.cli import main
from inertia_tools.cli import progress as progress_module
from inertia_tools.cli.progress import mesh_progress


@pytest.fixture
def robot(tmp_path):
    """A robot of one open mesh: a cylinder without its top."""
    mesh = trimesh.creation.cylinder(0.1, 0.4, sections=64)
    mesh.update_faces(mesh.face_normals[:, 2] < 0.5)
    mesh.export(tmp_path / "cup.stl")
    path = tmp_path / "cup.urdf"
    path.write_text(urdf(link(geometry='<mesh filename="cup.stl"/>')))
    return path


VOLUME = 0.5 * 64 * np.sin(2 * np.pi / 64) * 0.01 * 0.4


def computed(capsys, *arguments):
    assert main(["compute", *map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)["files"][0]["links"][0]


@pytest.mark.parametrize(
    ("options", "method", "tolerance"),
    [
        ([], "capped", 1e-6),
        (["--open-mesh", "cap"], "capped", 1e-6),
        (["--open-mesh", "hull"], "hull", 1e-6),
        (["--open-mesh", "voxel", "--tolerance", "0.01"], "voxel", 2e-2),
        (["--method", "voxel", "--voxel-size", "0.02"], "voxel", 5e-2),
        (["--method", "hull"], "hull", 1e-6),
    ],
)
def test_ways_to_weigh_an_open_mesh(robot, capsys, options, method, tolerance):
    entry = computed(capsys, robot, *options)
    assert entry["computed"]["method"] == method
    assert entry["computed"]["volume"] == pytest.approx(VOLUME, rel=tolerance)
    assert 0.0 < entry["computed"]["error_estimate"] < 0.2
    (finding,) = [finding for finding in entry["findings"] if finding["code"] == "open-mesh"]
    assert finding["severity"] == ("warning" if entry["computed"]["error_estimate"] > 0.05 else "info")


def test_open_mesh_can_be_refused(robot, capsys):
    entry = computed(capsys, robot, "--open-mesh", "fail")
    assert entry["computed"]["mass"] is None if entry["computed"] else True


def test_sheet_metal(robot, capsys):
    entry = computed(capsys, robot, "--thickness", "0.001")
    assert entry["computed"]["method"] == "shell"
    assert entry["computed"]["mass"] == pytest.approx(np.pi * 0.1 * (0.1 + 0.8), rel=0.01)


def test_fix_takes_the_same_options(robot, tmp_path, capsys):
    assert main(["fix", str(robot), "--open-mesh", "hull", "--json", "-o", str(tmp_path / "out.urdf")]) == 0
    corrected = json.loads(capsys.readouterr().out)["files"][0]["links"][0]["corrected"]
    assert corrected["method"] == "hull"


@pytest.mark.parametrize(
    "options", [["--method", "magic"], ["--thickness", "-1"], ["--tolerance", "x"], ["--param", "x"]]
)
def test_wrong_values_are_one_line_and_exit_code_2(robot, capsys, options):
    assert main(["compute", str(robot), *options]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_check_of_an_open_mesh_does_not_load_warp(robot):
    code = (
        f"import sys; from inertia_tools.cli import main; main(['check', {str(robot)!r}]); print('warp' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"


def test_bar_comes_after_a_second_and_goes(monkeypatch, capsys):
    with mesh_progress() as show:
        show(1, 10)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(progress_module, "PATIENCE", 0.0)
    with mesh_progress() as show:
        show(1, 10)
    assert capsys.readouterr().err == ""  # no terminal, no bar
    monkeypatch.setenv("FORCE_COLOR", "1")
    with mesh_progress() as show:
        for done in range(1, 11):
            show(done, 10)
    assert "integrating meshes" in capsys.readouterr().err
