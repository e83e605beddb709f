# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A mesh that is missing is never no geometry: nothing is computed, judged or written as if the link had none."""

import numpy as np
import pytest
import trimesh
from robots import BOX, GOOD, joint, link, mass, tensor, urdf

import inertia_tools as it
from inertia_tools.cli import main
from inertia_tools.errors import WriteError

GONE = '<mesh filename="package://nowhere/gone.stl"/>'
AUTO = "<inertial auto='true'/>"
SDF_BOX = "<collision name='b'><density>2</density><geometry><box><size>1 1 1</size></box></geometry></collision>"
SDF_GONE = "<collision name='g'><geometry><mesh><uri>model://nowhere/gone.stl</uri></mesh></geometry></collision>"


def robot(inertial: str, *shapes: str, name: str = "a") -> str:
    """Return a robot whose moved link has this inertial and these collisions."""
    body = inertial and f"<inertial>{inertial}</inertial>"
    collisions = "".join(f"<collision><geometry>{shape}</geometry></collision>" for shape in shapes)
    return urdf(link("base", GOOD), f'<link name="{name}">{body}{collisions}</link>', joint(name))


def model(*parts: str) -> str:
    held = "<joint name='j' type='fixed'><parent>world</parent><child>base</child></joint><link name='base'/>"
    turn = "<joint name='k' type='revolute'><parent>base</parent><child>l</child><axis><xyz>0 0 1</xyz></axis></joint>"
    return f"<sdf version='1.11'><model name='m'>{held}{turn}<link name='l'>{''.join(parts)}</link></model></sdf>"


UNKNOWN = {
    "automatic": model(AUTO, SDF_GONE),
    "automatic, one found": model(AUTO, SDF_BOX, SDF_GONE),
    "automatic with a mass": model("<inertial auto='true'><mass>3</mass></inertial>", SDF_GONE, SDF_BOX),
    "no inertial": robot("", GONE),
    "no inertial, one found": robot("", BOX, GONE),
    "no mass": robot(tensor(1, 1, 1), GONE),
    "zero mass": robot(mass(0) + tensor(1, 1, 1), GONE, BOX),
    "no tensor": robot(mass(2), GONE),
    "zero tensor": robot(mass(2) + tensor(0, 0, 0), GONE),
    "no place": robot('<origin xyz="nan 0 0"/>' + mass(2) + tensor(1, 1, 1), GONE),
}


@pytest.mark.parametrize("scope", ["invalid", "implausible", "all"])
@pytest.mark.parametrize("name", UNKNOWN)
def test_such_a_link_keeps_its_text_and_the_finding_says_why(name, scope, tmp_path, capsys):
    file = tmp_path / "robot.xml"
    file.write_text(UNKNOWN[name])
    correction = it.fix(it.load(file), scope)
    assert correction.text == UNKNOWN[name]
    assert not correction.is_complete
    for report in (correction.report, correction.after):
        said = " ".join(f.message for f in report.findings if f.severity is it.Severity.ERROR)
        assert "nowhere/gone.stl" in said
        assert str(tmp_path) in said
    assert main(["fix", str(file), "--in-place", "--scope", scope]) == 1
    assert file.read_text() == UNKNOWN[name]
    assert "geometry-unknown" in capsys.readouterr().out or "auto" in name


def test_found_again_it_counts(tmp_path):
    trimesh.creation.box([1, 1, 1]).export(tmp_path / "gone.stl")
    (tmp_path / "package.xml").write_text("<package><name>nowhere</name></package>")
    for name in UNKNOWN:
        found = it.load_text(UNKNOWN[name], package_path=[tmp_path])
        assert it.fix(found).is_complete, name


@pytest.mark.parametrize("inertial", [(1, 1, 2.1), (1, 1, 9)])
def test_an_impossible_tensor_still_becomes_the_nearest_valid_one(inertial):
    correction = it.fix(it.load_text(robot(mass(2) + tensor(*inertial), GONE)))
    assert correction.is_complete
    assert correction.corrected.links["a"].inertial.is_valid()
    assert correction.report["a"].corrected.method is it.Method.DECLARED


def test_a_density_or_material_on_it_says_that_it_is_not_applied(tmp_path, capsys):
    file = tmp_path / "robot.urdf"
    file.write_text(robot(mass(2) + tensor(1, 1, 1), BOX, GONE))
    for words in (["--material", "a=steel"], ["--link-density", "a=7850"]):
        assert main(["fix", str(file), *words, "--in-place"]) == 1
        assert "the density given for it is not applied" in capsys.readouterr().out
    assert main(["fix", str(file), "--link-mass", "a=3", "--in-place"]) == 0
    after = it.load(file).links["a"].inertial
    assert (after.mass, after.inertia[0, 0]) == (3.0, 1.5)


def test_a_total_mass_of_what_is_not_known_is_refused():
    with pytest.raises(WriteError, match=r"gone\.stl"):
        it.fix(it.load_text(UNKNOWN["automatic, one found"]), masses=it.MassModel(total_mass=3.0))


def test_plausibility_is_not_judged_by_what_is_left(tmp_path, capsys):
    odd = mass(2) + tensor(90, 90, 90.001)
    file = tmp_path / "robot.urdf"
    file.write_text(robot(odd, BOX))
    judged = {f.code for f in it.check(it.load(file))["a"].findings}
    assert {"oversized-inertia", "exceeds-geometry"} <= judged
    visual = f"<visual><geometry>{GONE}</geometry></visual>"
    for text in (robot(odd, BOX, GONE), robot(odd, BOX).replace("</collision>", "</collision>" + visual)):
        file.write_text(text)
        assert {f.code for f in it.check(it.load(file))["a"].findings} == {"missing-mesh"}
        main(["check", str(file)])
        assert "1 mesh not found: plausibility not judged" in capsys.readouterr().out


def test_the_summary_counts_meshes_once(tmp_path, capsys):
    file = tmp_path / "robot.urdf"
    others = [f'<mesh filename="part{number}.stl"/>' for number in range(15)]
    file.write_text(robot(GOOD, GONE, GONE, *others))
    main(["check", str(file)])
    assert "; 16 meshes not found: plausibility not judged" in capsys.readouterr().out


def test_computed_values_tell_that_a_mesh_is_missing():
    whole = it.compute(it.load_text(robot("", BOX)))["a"]
    part = it.compute(it.load_text(robot("", BOX, GONE)))["a"]
    assert not whole.lacks_mesh
    assert part.lacks_mesh
    assert np.array_equal(whole.inertial.inertia, part.inertial.inertia)


def test_the_folders_that_were_searched_are_named(tmp_path, monkeypatch):
    (tmp_path / "there/nowhere").mkdir(parents=True)
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path / "elsewhere"))
    text = robot("", GONE)
    absent = it.load_text(text, package_path=[tmp_path / "first"]).links["a"].collisions[0].geometry.absence
    assert all(str(tmp_path / folder) in absent for folder in ("first", "elsewhere"))
    present = it.load_text(text, package_path=[tmp_path / "there"]).links["a"].collisions[0].geometry.absence
    assert f"there is no 'gone.stl' in {tmp_path / 'there/nowhere'}" in present
    remote = it.load_text(text.replace("package", "https")).links["a"].collisions[0].geometry.absence
    assert "is not fetched" in remote


@pytest.mark.parametrize("suffix", ["stl", "ply", "off", "obj", "dae", "glb"])
@pytest.mark.parametrize("share", [0.0, 0.5])
def test_compute_fails_without_a_mesh_that_is_damaged(suffix, share, tmp_path, capsys):
    ball = trimesh.creation.icosphere(subdivisions=1)
    whole = ball.export(file_type=suffix)
    whole = whole.encode() if isinstance(whole, str) else whole
    (tmp_path / f"part.{suffix}").write_bytes(whole)
    file = tmp_path / "robot.urdf"
    file.write_text(robot(GOOD, f'<mesh filename="part.{suffix}"/>'))
    assert main(["compute", str(file)]) == 0
    (tmp_path / f"part.{suffix}").write_bytes(whole[: int(len(whole) * share)])
    (found,) = [one for one in it.check(it.load(file)).findings if one.code == "missing-mesh"]
    assert found.link == "a"
    assert main(["compute", str(file)]) == 1
    assert main(["compute", str(file), "--json"]) == 1


def test_compute_fails_without_a_mesh_that_is_elsewhere(tmp_path, capsys):
    file = tmp_path / "robot.urdf"
    file.write_text(robot(mass(1) + tensor(1, 1, 1), GONE, BOX))
    assert main(["compute", str(file)]) == 1


def test_compute_fails_on_a_shape_without_a_size(tmp_path, capsys):
    file = tmp_path / "robot.urdf"
    file.write_text(robot(mass(1) + tensor(1, 1, 1), '<box size="1 -1 1"/>'))
    assert main(["compute", str(file)]) == 1
