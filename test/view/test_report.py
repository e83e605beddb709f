# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The page of a report: what it draws is what was found, and it needs nothing but itself."""

import base64
import json
import os
import re
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from lxml import html
from robots import joint, link, mass, tensor, urdf
from scipy.spatial import ConvexHull

import inertia_tools as it
from inertia_tools.cli import main
from inertia_tools.geometry.mesh.triangles import TriangleMesh
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import Pose
from inertia_tools.view.decimation import decimated, shares
from inertia_tools.view.inertia_solids import inertia_solids
from inertia_tools.view.report.packing import STEPS, MeshPack
from inertia_tools.view.report.page import page_text, robot_page
from inertia_tools.view.report.scene import robot_scene
from inertia_tools.view.support import support

pytest.importorskip("jinja2", reason="jinja2 is not installed")

BOX = '<box size="0.2 0.3 0.4"/>'
TABLE = urdf(
    link("base", mass(6) + tensor(0.125, 0.1, 0.065), BOX),
    link("arm", mass(1) + tensor(0.01, 0.01, 0.1), '<box size="0.1 0.1 0.1"/>'),
    joint("arm", origin="0 0 0.5"),
)

points = arrays(np.float64, st.tuples(st.integers(3, 40), st.just(3)), elements=st.floats(-5, 5, width=32))


def mesh_of(corners):
    """Return triangles through all points, three at a time."""
    count = len(corners)
    return TriangleMesh(corners, np.array([[i, (i + 1) % count, (i + 2) % count] for i in range(count)]))


def unpacked(pack):
    data = zlib.decompress(base64.b64decode(pack.text))
    for entry in pack.entries:
        (start, count), (first, triangles) = entry["vertices"], entry["triangles"]
        grid = np.frombuffer(data, "<u2", 3 * count, start).reshape(-1, 3)
        kind = "<u4" if entry["wide"] else "<u2"
        indices = np.frombuffer(data, kind, 3 * triangles, first).reshape(-1, 3)
        yield np.array(entry["low"]) + grid * np.array(entry["step"]), indices


def sample(count=3000, seed=1):
    """Return a bumpy sphere of about so many triangles."""
    turns = np.random.default_rng(seed).normal(size=(count // 2, 3))
    corners = turns / np.linalg.norm(turns, axis=1)[:, None] * [1.0, 0.5, 0.3]
    return TriangleMesh(corners, ConvexHull(corners).simplices.astype(np.int64))


# Laws


@given(points, points)
def test_a_pack_gives_back_every_corner_to_half_a_step(first, second):
    meshes, pack = [mesh_of(first), mesh_of(second)], MeshPack()
    assert [pack.add(mesh) for mesh in meshes] == [0, 1]
    for mesh, (corners, indices) in zip(meshes, unpacked(pack), strict=True):
        half_step = 0.5 * np.ptp(mesh.vertices, axis=0).max() / STEPS * (1 + 1e-6)
        distances = np.abs(mesh.vertices[:, None] - corners[None]).max(axis=2).min(axis=1)
        assert (distances <= half_step + 1e-12).all()
        assert indices.size == 0 or indices.max() < len(corners)


def test_a_pack_keeps_triangles_in_order_and_sense():
    mesh = sample()
    pack = MeshPack()
    pack.add(mesh)
    ((corners, indices),) = unpacked(pack)
    assert corners[indices] == pytest.approx(mesh.corners, abs=1e-4)


@given(st.lists(st.integers(0, 5000), max_size=20), st.integers(1, 20000))
def test_shares_add_up_to_the_bound_or_leave_all(counts, most):
    kept = shares(counts, most)
    assert sum(kept) <= most
    assert all(share <= count for share, count in zip(kept, counts, strict=True))
    if sum(counts) <= most:
        assert kept == counts


@pytest.mark.parametrize("most", [8, 100, 900, 2990])
def test_a_decimated_mesh_is_small_enough_and_stays_close(most):
    mesh = sample()
    coarse = decimated(mesh, most)
    assert 0 < len(coarse.triangles) <= most
    used = coarse.vertices[np.unique(coarse.triangles)]
    apart = np.linalg.norm(used[:, None] - mesh.vertices[None], axis=2).min(axis=1)
    assert apart.max() < 6.0 / np.sqrt(most)  # cells of a surface of this size that has so many


@given(arrays(np.float64, (3, 3), elements=st.floats(-1, 1)), st.floats(0.1, 50.0))
def test_solids_have_the_inertia_that_they_show(half, weight):
    """The moments of a solid box and of a solid ellipsoid, by their closed forms, are those of the inertial."""
    second = half @ half.T + 0.01 * np.eye(3)
    inertial = Inertial(weight, [0.1, 0.2, 0.3], np.trace(second) * np.eye(3) - second)
    solids = inertia_solids(inertial)
    turn = solids.pose_link_solid.rotation
    for squares, factor in ((solids.semi_axes**2, 5.0), (solids.edges**2, 12.0)):
        moments = weight / factor * (squares.sum() - squares)
        assert turn @ np.diag(moments) @ turn.T == pytest.approx(inertial.inertia, rel=1e-6, abs=1e-9)
    assert solids.is_possible


def test_what_has_no_mass_has_no_solids():
    assert inertia_solids(None) is None
    assert inertia_solids(Inertial(0.0)) is None
    assert inertia_solids(Inertial(-1.0, inertia=np.eye(3))) is None
    assert not inertia_solids(Inertial(1.0, inertia=np.diag([1.0, 1.0, 3.0]))).is_possible


@given(st.floats(-3, 3), st.floats(-3, 3), st.floats(-3.1, 3.1))
def test_the_support_moves_with_the_robot(x, y, yaw):
    robot = it.load_text(TABLE)
    turned = Pose.from_xyz_rpy([x, y, 1.0], [0.0, 0.0, yaw])
    standing = support(robot, {name: turned @ pose for name, pose in robot.link_poses.items()})
    assert standing.height == pytest.approx(0.8)
    centre = turned.transform_points([0.0, 0.0, 0.5])
    assert standing.margin(centre) == pytest.approx(0.1, abs=1e-9)
    beside = turned.transform_points([0.0, 0.25, 0.5])
    assert standing.margin(beside) == pytest.approx(-0.1, abs=1e-9)


# The page


def page_of(text=TABLE, name="table.urdf", **options):
    correction = it.fix(it.load_text(text), **options)
    return page_text([robot_page(name, correction, command=f"inertia-tools fix {name}")])


def scene_of(page):
    (script,) = html.fromstring(page).xpath("//script[@class='scene']")
    return json.loads(script.text)


def test_the_page_shows_what_was_found_before_and_after():
    correction = it.fix(it.load_text(TABLE))
    scene = scene_of(page_of())
    base, arm = scene["links"]
    assert (base["changed"], arm["changed"]) == (False, True)
    assert base["before"] == base["after"]
    assert base["before"]["box"] == pytest.approx(sorted([0.2, 0.3, 0.4], reverse=True), rel=1e-6)
    assert not arm["before"]["possible"] and arm["after"]["possible"]
    assert arm["after"]["box"] == pytest.approx([0.1, 0.1, 0.1], rel=1e-4)
    centre = correction.after.totals.inertial.com
    assert scene["centres"][1] == pytest.approx(centre, abs=1e-9)
    assert np.abs(scene["support"]).max(axis=0) == pytest.approx([0.1, 0.15])
    root = html.fromstring(page_of())
    rows = root.xpath("//section[contains(@class, 'findings')]//tbody/tr")
    assert [row.get("data-link") for row in rows] == [finding.link for finding in correction.report.findings]
    assert root.xpath("//h1")[0].text == "r"


def test_the_page_asks_nothing_of_any_network():
    page = page_of()
    without_data = re.sub(r'<script type="application/json".*?</script>', "", page, flags=re.DOTALL)
    assert not re.findall(r"""(?:src|href)\s*=|url\(|@import|https?://|fetch\(|XMLHttpRequest""", without_data)
    assert "default-src 'none'" in page


def test_names_of_a_file_stay_text():
    hostile = "</script><script>document.title='taken'</script>"
    escaped = hostile.replace("<", "&lt;").replace(">", "&gt;").replace("'", "&apos;")
    page = page_of(TABLE.replace('"arm"', f'"{escaped}"'))
    assert hostile not in page
    assert hostile in [entry["name"] for entry in scene_of(page)["links"]]


def test_the_picture_is_as_small_as_asked(tmp_path):
    vertices = sample(4000)
    lines = [f"v {x} {y} {z}" for x, y, z in vertices.vertices]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in vertices.triangles]
    (tmp_path / "part.obj").write_text("\n".join(lines))
    shape = f'<mesh filename="{tmp_path}/part.obj"/>'
    file = tmp_path / "robot.urdf"
    file.write_text(urdf(link("base", mass(1) + tensor(0.1, 0.1, 0.1), shape)))
    correction = it.fix(it.load(file))
    whole, coarse = robot_scene(correction, 10_000), robot_scene(correction, 500)
    assert whole.drawn == whole.triangles == len(vertices.triangles)
    assert 100 < coarse.drawn <= 500
    assert len(coarse.entry["data"]) < 0.3 * len(whole.entry["data"])
    assert "simplified" in " ".join(robot_page("robot.urdf", correction, most=500).notes)


def test_missing_meshes_are_named_and_nothing_stands_on_them(tmp_path):
    file = tmp_path / "robot.urdf"
    file.write_text(urdf(link("base", mass(1) + tensor(0.1, 0.1, 0.1), '<mesh filename="gone.stl"/>')))
    correction = it.fix(it.load(file))
    scene = robot_scene(correction, 100)
    assert scene.support is None and len(scene.lost) == 1
    assert "gone.stl" in " ".join(robot_page("robot.urdf", correction).notes)


# The command


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "table.urdf").write_text(TABLE)
    return tmp_path


@pytest.mark.parametrize("suffix", ["sdf", "xml", "usda"])
def test_every_format_gives_the_same_picture(folder, suffix, capsys):
    if suffix == "usda":
        pytest.importorskip("pxr", reason="usd-core is not installed")
    it.fix(it.load(folder / "table.urdf")).save(folder / "right.urdf")
    assert main(["convert", str(folder / "right.urdf"), "-o", str(folder / f"right.{suffix}")]) == 0
    scenes = []
    for name in ("right.urdf", f"right.{suffix}"):
        assert main(["report", str(folder / name), "-o", str(folder / "out.html")]) == 0
        scenes.append(scene_of((folder / "out.html").read_text()))
    mine, theirs = ({entry["name"]: entry for entry in scene["links"]} for scene in scenes)
    for name in ("base", "arm"):
        assert theirs[name]["after"]["ellipsoid"] == pytest.approx(mine[name]["after"]["ellipsoid"], rel=1e-4)
        assert len(theirs[name]["shapes"]) >= 1
    assert scenes[1]["centres"][1] == pytest.approx(scenes[0]["centres"][1], abs=1e-6)
    assert sorted(map(tuple, np.round(scenes[1]["support"], 6))) == sorted(
        map(tuple, np.round(scenes[0]["support"], 6))
    )


def test_a_folder_becomes_one_page_that_names_what_cannot_be_read(folder, capsys):
    (folder / "broken.urdf").write_text("<robot")
    (folder / "other.urdf").write_text(TABLE)
    out = folder / "all.html"
    assert main(["report", str(folder), "-o", str(out)]) == 2
    root = html.fromstring(out.read_text())
    rows = root.xpath("//section[@id='overview']//tbody/tr")
    assert [row.xpath("td[2]")[0].text for row in rows] == [str(folder / "other.urdf"), str(folder / "table.urdf")]
    assert "broken.urdf" in root.xpath("//section[@id='overview']/p")[0].text_content()
    printed = capsys.readouterr()
    assert "2 robots" in printed.out and "[unreadable]" in printed.err


def test_processes_make_the_same_page(folder, capsys):
    (folder / "other.urdf").write_text(TABLE.replace('name="r"', 'name="second"'))
    for name, jobs in (("one.html", "1"), ("two.html", "2")):
        assert main(["report", str(folder), "-o", str(folder / name), "--jobs", jobs]) == 0
    assert (folder / "one.html").read_bytes() == (folder / "two.html").read_bytes()


def test_a_page_never_takes_the_place_of_the_robot(folder, capsys):
    before = (folder / "table.urdf").read_bytes()
    assert main(["report", str(folder / "table.urdf"), "-o", str(folder / "table.urdf")]) == 2
    assert (folder / "table.urdf").read_bytes() == before
    assert main(["report", str(folder / "table.urdf"), "-o", str(folder / "x.html"), "--triangles", "0"]) == 2
    assert "--triangles" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["report.pdf", "report.md", "other.urdf"])
def test_a_page_is_not_written_under_the_name_of_something_else(folder, name, capsys):
    (folder / "other.urdf").write_text("kept")
    assert main(["report", str(folder / "table.urdf"), "-o", str(folder / name)]) == 2
    assert "is a page of HTML" in capsys.readouterr().err
    assert (folder / "other.urdf").read_text() == "kept"
    assert not (folder / "report.pdf").exists()


def test_a_name_that_is_no_text_is_shown_by_its_bytes(folder):
    robot = folder / os.fsdecode(b"r\xf6.urdf")
    robot.write_text(TABLE)
    assert main(["report", "-q", str(robot), "-o", str(folder / "page.html")]) == 0
    assert "r\\udcf6.urdf" in (folder / "page.html").read_text()


def test_the_page_goes_to_standard_output(folder, capsysbinary):
    assert main(["report", str(folder / "table.urdf"), "-o", "-"]) == 0
    assert capsysbinary.readouterr().out.startswith(b"<!doctype html>")
