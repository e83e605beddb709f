# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import pytest

from inertia_tools.description.resources import resolve_uri
from inertia_tools.description.source import Document

PACKAGE = "<package><name>{}</name></package>"


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A workspace: src/my_robot (package my_robot) and src/folder (package meshes), and a robot file in my_robot."""
    for variable in ("AMENT_PREFIX_PATH", "ROS_PACKAGE_PATH", "GZ_SIM_RESOURCE_PATH", "SDF_PATH", "GAZEBO_MODEL_PATH"):
        monkeypatch.delenv(variable, raising=False)
    for folder, name in (("src/my_robot", "my_robot"), ("src/folder", "meshes")):
        (tmp_path / folder / "parts").mkdir(parents=True)
        (tmp_path / folder / "package.xml").write_text(PACKAGE.format(name))
        (tmp_path / folder / "parts/part one.stl").write_text(name)
    (tmp_path / "src/my_robot/urdf").mkdir()
    return tmp_path


def document(tree: Path, *package_path: Path) -> Document:
    path = tree / "src/my_robot/urdf/robot.urdf"
    return Document(b"", str(path), path, package_path)


@pytest.mark.parametrize(
    "uri",
    [
        "package://my_robot/parts/part one.stl",
        "package://my_robot/parts/part%20one.stl",
        "model://my_robot/parts/part one.stl",
        "../parts/part one.stl",
    ],
)
def test_folders_above_the_file(tree, uri):
    assert resolve_uri(uri, document(tree)).read_text() == "my_robot"


def test_absolute_paths_and_file_uris(tree):
    part = tree / "src/folder/parts/part one.stl"
    assert resolve_uri(str(part), document(tree)) == part
    assert resolve_uri(f"file://{part}".replace(" ", "%20"), document(tree)) == part


def test_package_path_takes_the_package_or_its_parent(tree):
    uri = "package://meshes/parts/part one.stl"
    assert resolve_uri(uri, document(tree)) is None
    assert resolve_uri(uri, document(tree, tree / "src/folder")).read_text() == "meshes"


def test_package_path_goes_before_the_rest(tree, tmp_path):
    other = tmp_path / "other/my_robot/parts"
    other.mkdir(parents=True)
    (other / "part one.stl").write_text("other")
    found = resolve_uri("package://my_robot/parts/part one.stl", document(tree, tmp_path / "other"))
    assert found.read_text() == "other"


def test_ros_package_index(tree, monkeypatch):
    installed = tree / "install/share/arm/meshes"
    installed.mkdir(parents=True)
    (installed / "a.stl").write_text("installed")
    monkeypatch.setenv("AMENT_PREFIX_PATH", f"/nowhere:{tree / 'install'}")
    assert resolve_uri("package://arm/meshes/a.stl", document(tree)).read_text() == "installed"


@pytest.mark.parametrize("variable", ["GZ_SIM_RESOURCE_PATH", "ROS_PACKAGE_PATH"])
def test_search_path_variables(tree, monkeypatch, variable):
    monkeypatch.setenv(variable, str(tree / "src"))
    assert resolve_uri("model://folder/parts/part one.stl", document(tree)).read_text() == "meshes"


@pytest.mark.parametrize(
    "uri", ["http://example.org/a.stl", "package://", "package://x", "", "a\0b", "x" * 5000, "file://"]
)
def test_what_cannot_be_found_is_none(tree, uri):
    assert resolve_uri(uri, document(tree)) is None


def test_text_without_a_file_counts_from_the_working_folder(tree, monkeypatch):
    monkeypatch.chdir(tree / "src/folder")
    assert resolve_uri("parts/part one.stl", Document(b"", "<text>")) is not None
