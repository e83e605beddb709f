# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
import errno
import os
from pathlib import Path

import pytest
from robots import link, urdf

import inertia_tools as it
from inertia_tools.description.resources import absence_of, resolve_uri
from inertia_tools.description.source import Document
from inertia_tools.errors import MeshError, ParseError
from inertia_tools.geometry.mesh.file import read_mesh

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


@pytest.mark.parametrize("start", ["file://", "file://localhost", "file:", "FILE://", "file://LOCALHOST", "File:"])
def test_every_spelling_of_a_file_on_this_machine(tree, start):
    """RFC 8089: no host, an empty one or localhost; schemes and hosts in any case."""
    part = tree / "src/folder/parts/part one.stl"
    assert resolve_uri(f"{start}{part}".replace(" ", "%20"), document(tree)) == part


@pytest.mark.parametrize("start", ["file://otherhost", "file://localhost.example.org", "http://localhost", "HTTP://"])
def test_files_of_other_machines_are_not_read(tree, start):
    uri = f"{start}{tree / 'src/folder/parts/part one.stl'}"
    assert resolve_uri(uri, document(tree)) is None
    assert "not found" in absence_of(uri, document(tree))


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


def test_package_path_takes_a_workspace(tree, tmp_path):
    """`--package-path WORKSPACE/src` found a package only if its folder has its name, directly below."""
    workspace, built = tmp_path / "ws", tmp_path / "ws/build/copy"
    for folder in (built, workspace / "src/repository/folder", workspace / ".git/x"):
        (folder / "parts").mkdir(parents=True)
        (folder / "package.xml").write_text(PACKAGE.format("deep"))
        (folder / "parts/a.stl").touch()
    (workspace / "build/COLCON_IGNORE").touch()
    found = resolve_uri("package://deep/parts/a.stl", document(tree, workspace))
    assert found == workspace / "src/repository/folder/parts/a.stl"
    assert resolve_uri("package://deep/parts/a.stl", document(tree, built.parent)) == built / "parts/a.stl"
    assert resolve_uri("package://deep/parts/a.stl", document(tree)) is None


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


# What a document may reach


@pytest.mark.parametrize("scheme", ["package", "model"])
@pytest.mark.parametrize(
    "rest",
    [
        "../folder/parts/part one.stl",
        "my_robot/../folder/parts/part one.stl",
        "my_robot/%2e%2e/folder/parts/part one.stl",
    ]
    + [
        "my_robot/parts/../../folder/parts/part one.stl",
        "./folder/parts/part one.stl",
        "/etc/passwd",
        "my_robot//etc/passwd",
    ],
)
def test_no_name_leads_out_of_its_package(tree, scheme, rest):
    assert resolve_uri(f"{scheme}://{rest}", document(tree, tree / "src")) is None


def test_a_path_that_leads_out_of_its_package_is_named_as_such(tree):
    said = absence_of("package://my_robot/parts/../../folder/parts/part%20one.stl", document(tree))
    assert said == "the file is not read: '../folder/parts/part one.stl' leaves the package 'my_robot'; " + (
        "name the package that contains the file"
    )


def test_what_is_absent_may_lie_outside_of_the_allowed_folders_only_where_there_are_some(tree):
    place, anywhere = tree / "none.stl", document(tree)
    within = Document(b"", anywhere.name, anywhere.path, allowed_roots=(tree / "src",))
    said = f"the file was not found: {place} does not exist or is not a regular file"
    assert absence_of(str(place), anywhere) == f"{said}; correct the path"
    assert absence_of(str(place), within) == f"{said}, or is outside the allowed folders; correct the path"


@pytest.mark.parametrize("uri", ["package://my_robot/none.stl", "package://other/none.stl"])
def test_a_folder_that_no_system_looks_up_holds_no_package(tree, uri):
    assert resolve_uri(uri, document(tree, Path("a" * 300))) is None
    assert "not resolve" in absence_of(uri.replace("my_robot", "another"), document(tree, Path("a" * 300)))


def test_a_file_in_a_folder_that_may_not_be_entered_is_not_called_absent(tree, monkeypatch):
    stat = os.stat

    def refused(path, *arguments, **options):
        if str(path).endswith("one.stl"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return stat(path, *arguments, **options)

    monkeypatch.setattr(os, "stat", refused)
    place = tree / "src/folder/parts/part one.stl"
    said = f"the file was not found: {place} cannot be opened: Permission denied; change its permissions"
    assert absence_of(str(place), document(tree)) == said


def test_a_folder_that_is_found_in_two_ways_is_named_once(tree):
    said = absence_of("package://my_robot/parts/none.stl", document(tree, tree / "src", tree / "src" / "my_robot"))
    assert said.count(str(tree / "src" / "my_robot")) == 1


def test_within_a_package_any_way_leads(tree):
    for rest in (
        "my_robot/urdf/../parts/part one.stl",
        "my_robot//parts/part one.stl",
        "my_robot/./parts/part one.stl",
    ):
        assert resolve_uri(f"package://{rest}", document(tree)).read_text() == "my_robot"


def test_links_of_a_package_are_followed(tree):
    """As `colcon build --symlink-install` makes them."""
    (tree / "install/share/arm").mkdir(parents=True)
    (tree / "install/share/arm/parts").symlink_to(tree / "src/folder/parts")
    found = resolve_uri("package://arm/parts/part one.stl", document(tree, tree / "install/share"))
    assert found.read_text() == "meshes"


@pytest.fixture
def fenced(tree):
    """Return the document that may read nothing but my_robot, in which links lead elsewhere and to its own files."""
    (tree / "src/my_robot/out.stl").symlink_to(tree / "src/folder/parts/part one.stl")
    (tree / "src/my_robot/out").symlink_to(tree / "src/folder")
    (tree / "src/my_robot/in.stl").symlink_to(tree / "src/my_robot/parts/part one.stl")
    path = tree / "src/my_robot/urdf/robot.urdf"
    return Document(b"", str(path), path, (tree / "src",), allowed_roots=(tree / "src/my_robot",))


@pytest.mark.parametrize("name", ["../parts/part one.stl", "../in.stl", "package://my_robot/in.stl"])
def test_allowed_roots_may_be_read(fenced, name):
    assert resolve_uri(name, fenced).read_text() == "my_robot"


@pytest.mark.parametrize(
    "name",
    [
        "../../folder/parts/part one.stl",
        "../out.stl",
        "../out/parts/part one.stl",
        "package://my_robot/out.stl",
        "package://meshes/parts/part one.stl",
        "file:///etc/passwd",
        "/proc/self/environ",
    ],
)
def test_nothing_else_may_be_read(fenced, name):
    assert resolve_uri(name, fenced) is None


def test_roots_may_be_links_themselves(fenced, tree):
    (tree / "root").symlink_to(tree / "src/my_robot")
    linked = Document(b"", fenced.name, fenced.path, allowed_roots=(tree / "root",))
    assert resolve_uri("../in.stl", linked) is not None


def test_a_sibling_of_like_name_is_elsewhere(fenced, tree):
    (tree / "src/my_robot_2").mkdir()
    (tree / "src/my_robot_2/a.stl").write_text("")
    assert resolve_uri(str(tree / "src/my_robot_2/a.stl"), fenced) is None


def test_only_regular_files_are_read(tree):
    os.mkfifo(tree / "src/my_robot/pipe.stl")
    for name in ("../pipe.stl", "/dev/zero", "..", "/dev/stdin"):
        assert resolve_uri(name, document(tree)) is None
    (tree / "a.xml").write_text('<mujoco><include file="src/my_robot/pipe.stl"/></mujoco>')
    with pytest.raises(ParseError, match="not a regular file"):
        it.load(tree / "a.xml")


SDF = '<sdf version="1.9">{}</sdf>'
OTHERS = {
    "a.urdf": (urdf(link("base", "", '<mesh filename="{}/secret.stl"/>')), "secret.stl"),
    "a.sdf": (SDF.format('<model name="m"><include><uri>{}/secret.sdf</uri></include></model>'), "secret.sdf"),
    "include.xml": ('<mujoco><include file="{}/secret.xml"/></mujoco>', "secret.xml"),
    "model.xml": (
        '<mujoco><asset><model name="a" file="{}/secret.xml"/></asset><worldbody><attach model="a" body="secret"'
        ' prefix="a_"/></worldbody></mujoco>',
        "secret.xml",
    ),
    "mesh.xml": (
        '<mujoco><asset><mesh name="a" file="{}/secret.stl"/></asset><worldbody><body name="b"><geom type="mesh" mesh="a"/>'
        "</body></worldbody></mujoco>",
        "secret.stl",
    ),
    "a.usda": ('#usda 1.0\ndef Xform "a" (\n references = @{}/secret.usda@</b>\n)\n{{\n}}', "secret.usda"),
    "b.usda": ("#usda 1.0\n(\n subLayers = [@{}/secret.usda@]\n)", "secret.usda"),
}
HELD = {
    "secret.stl": "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid",
    "secret.sdf": SDF.format('<model name="secret"><link name="secret"/></model>'),
    "secret.xml": '<mujoco><worldbody><body name="secret"><geom size="1"/></body></worldbody></mujoco>',
    "secret.usda": '#usda 1.0\ndef Xform "b"\n{\n def Cube "secret" (\n  prepend apiSchemas = ["PhysicsRigidBodyAPI"]\n )\n {\n }\n}',
}


def what_it_reads(path, **options):
    """Return all that a description shows of files besides its own, and what it complains of."""
    if path.suffix == ".usda":
        pytest.importorskip("pxr", reason="usd-core is not installed")
    try:
        robot = it.load(path, **options)
    except ParseError as error:
        return "", str(error)
    meshes = [getattr(shape.geometry, "path", None) for one in robot.links.values() for shape in one.shapes]
    return f"{list(robot.links)} {meshes}", " ".join(map(str, robot.remarks))


@pytest.mark.parametrize("file", OTHERS)
@pytest.mark.parametrize("way", ["absolute", "above", "link"])
def test_every_format_keeps_to_its_roots(tmp_path, file, way):
    source, secret = OTHERS[file]
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / secret).write_text(HELD[secret])
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/link").symlink_to(tmp_path / "elsewhere")
    start = {"absolute": tmp_path / "elsewhere", "above": "../elsewhere", "link": "link"}[way]
    path = tmp_path / "mine" / file
    path.write_text(source.format(start))
    assert "secret" in what_it_reads(path)[0], "it must lead there where nothing is forbidden"
    shown, said = what_it_reads(path, allowed_roots=[tmp_path / "mine"])
    assert "secret" not in shown
    assert said or file in ("a.urdf", "mesh.xml"), "a mesh out of reach is as one that is not there"


@pytest.mark.parametrize("file", [name for name in OTHERS if name not in ("include.xml", "model.xml", "b.usda")])
def test_the_file_itself_may_lie_anywhere(tmp_path, monkeypatch, file):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / OTHERS[file][1]).write_text(HELD[OTHERS[file][1]])
    Path(file).write_text(OTHERS[file][0].format(tmp_path / "inside"))
    assert "secret" in what_it_reads(Path(file), allowed_roots=["inside"])[0]


def test_buffers_of_a_mesh_lie_beside_it(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "secret.bin").write_bytes(bytes(36))
    (tmp_path / "mine/a.gltf").write_text(
        '{"asset": {"version": "2.0"}, "buffers": [{"uri": "../secret.bin", "byteLength": 36}], "bufferViews": [{"buffer": 0,'
        '"byteLength": 36}], "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}], "meshes":'
        '[{"primitives": [{"attributes": {"POSITION": 0}}]}], "nodes": [{"mesh": 0}], "scenes": [{"nodes": [0]}], "scene": 0}'
    )
    robot = it.load_text(urdf(link("base", "", '<mesh filename="a.gltf"/>')), base_dir=tmp_path / "mine")
    with pytest.raises(MeshError, match=r"escapes|secret"):
        read_mesh(robot.links["base"].shapes[0].geometry)
