# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Correcting USD: a layer over the stage, whose files stay as they are."""

import json

import numpy as np
import pytest
from usd_stages import at, body, cube, prim, stage

import inertia_tools as it
from inertia_tools.cli import main
from inertia_tools.errors import WriteError

pytest.importorskip("pxr", reason="usd-core is not installed")

BAD = "float physics:mass = 4\nfloat3 physics:diagonalInertia = (1, 1, 5)\npoint3f physics:centerOfMass = (0, 0, 0)"
GOOD = "float physics:mass = 4\nfloat3 physics:diagonalInertia = (1, 1, 1)\npoint3f physics:centerOfMass = (0, 0, 0)"


@pytest.fixture
def broken(tmp_path):
    path = tmp_path / "robot.usda"
    path.write_text(stage(body("bad", BAD, cube("c")), body("good", at(1, 0, 0), GOOD, cube("c"))))
    return path


def test_only_what_is_wrong_is_in_the_layer(broken):
    correction = it.fix(it.load(broken))
    assert list(correction.changes) == ["bad"]
    assert 'over "bad"' in correction.text
    assert "good" not in correction.text
    assert correction.is_complete


def test_the_stage_stays_as_it_is_and_the_layer_corrects_it(broken):
    before = broken.read_bytes()
    target = broken.with_name("robot.corrected.usda")
    it.fix(it.load(broken)).save(target)
    assert broken.read_bytes() == before
    found = it.stats(it.load(target))
    np.testing.assert_allclose(np.diag(found["bad"].effective.inertial.inertia), 4.0 * 0.04 / 6.0, rtol=1e-12)
    assert np.diag(found["good"].effective.inertial.inertia).tolist() == [1.0, 1.0, 1.0]
    assert it.check(it.load(target)).worst != it.Severity.ERROR


def test_the_layer_finds_its_stage_from_another_folder(broken, tmp_path):
    target = tmp_path / "deep" / "er" / "fixed.usda"
    target.parent.mkdir(parents=True)
    it.fix(it.load(broken)).save(target)
    assert "@../../robot.usda@" in target.read_text()
    assert str(tmp_path) not in target.read_text()
    assert len(it.load(target).links) == 3


@pytest.mark.parametrize(("folder", "name"), [("job@2", "robot.usda"), ("plain", "r@bot.usda"), ("a b", "täst.usda")])
def test_the_layer_finds_its_stage_under_any_name(tmp_path, folder, name):
    """An at sign ends the name of a file in a layer, unless three of them do."""
    path = tmp_path / folder / name
    path.parent.mkdir()
    path.write_text(stage(body("bad", BAD, cube("c"))))
    target = tmp_path / "fixed.usda"
    it.fix(it.load(path)).save(target)
    assert it.check(it.load(target)).worst != it.Severity.ERROR


HEAD = '#usda 1.0\n(\n metersPerUnit = 1\n defaultPrim = "robot"\n{})\n'
COMPOSED = {
    "sublayer": HEAD.format(" subLayers = [@./part.usda@]\n"),
    "reference": HEAD.format("") + 'def "robot" (\n prepend references = @./part.usda@</arm>\n)\n{\n}\n',
    "payload": HEAD.format("") + 'def "robot" (\n prepend payload = @./part.usda@</arm>\n)\n{\n}\n',
    "instance": HEAD.format("")
    + 'def "robot" (\n instanceable = true\n prepend references = @./part.usda@</arm>\n)\n{\n}\n',
    "layer of an earlier correction": HEAD.format(" subLayers = [@./part.usda@]\n")
    + 'over "arm"\n{\n over "bad"\n {\n float physics:mass = 3\n }\n}\n',
}


@pytest.mark.parametrize("way", COMPOSED)
def test_a_body_of_another_file_of_the_stage_is_corrected(tmp_path, way):
    part = stage('def Xform "arm"\n{\n' + body("bad", BAD, cube("c")) + "}\n")
    (tmp_path / "part.usda").write_text(part)
    path, target = tmp_path / "robot.usda", tmp_path / "fixed.usda"
    path.write_text(COMPOSED[way])
    assert it.check(it.load(path)).worst == it.Severity.ERROR
    correction = it.fix(it.load(path))
    assert correction.is_complete
    assert len(correction.changes) == 1
    correction.save(target)
    assert it.check(it.load(target)).worst != it.Severity.ERROR
    assert (tmp_path / "part.usda").read_text() == part


COPY = """def Xform "rig"
{{
{wrong}
 def "{name}" ({is_instance}prepend {arc} = </rig/wrong>)
 {{
{own}
 }}
}}
"""


@pytest.mark.parametrize("arc", ["references", "inherits", "specializes"])
@pytest.mark.parametrize(
    "own", ["float physics:mass = 3", "float physics:mass = 3\nfloat3 physics:diagonalInertia = (1, 1, 1)"]
)
def test_a_body_made_of_a_corrected_one_keeps_its_own_mass_properties(tmp_path, arc, own):
    wrong = body("wrong", "float physics:mass = -1", cube("c", at(0.1, 0, 0)))
    moved = 'over "c"\n{\ndouble3 xformOp:translate = (0.5, 0, 0)\n}'
    path, target = tmp_path / "robot.usda", tmp_path / "fixed.usda"
    path.write_text(stage(COPY.format(wrong=wrong, name="right", is_instance="", arc=arc, own=f"{own}\n{moved}")))
    before = it.stats(it.load(path))["right"].effective.inertial
    correction = it.fix(it.load(path))
    assert list(correction.changes) == ["wrong"]
    correction.save(target)
    after = it.stats(it.load(target))
    assert after["right"].effective.inertial.isclose(before, 1e-9)
    assert after["wrong"].effective.inertial.mass == pytest.approx(8.0)


def test_an_instance_of_a_corrected_body_stays_if_only_that_is_to_change(tmp_path):
    wrong = prim("Xform", "wrong", body("link", BAD.replace("5)", "1)"), cube("c")))
    path, target = tmp_path / "robot.usda", tmp_path / "fixed.usda"
    instance = COPY.format(wrong=wrong, name="right", is_instance="instanceable = true\n", arc="references", own="")
    path.write_text(stage(instance))
    robot = it.load(path)
    it.fix(robot, scope="all", links=["/rig/wrong/link"], density=2000, mass_policy="density").save(target)
    found = it.stats(it.load(target))
    masses = {name: found[name].effective.inertial.mass for name in robot.links if found[name].effective}
    assert masses == {"/rig/wrong/link": pytest.approx(16.0), "/rig/right/link": pytest.approx(4.0)}


@pytest.mark.parametrize("suffix", [".usdc", ".usdz"])
def test_binary_stages_and_packages_are_corrected_too(broken, suffix):
    from pxr import Usd, UsdUtils

    path = broken.with_suffix(suffix)
    if suffix == ".usdz":
        assert UsdUtils.CreateNewUsdzPackage(str(broken), str(path))
    else:
        opened = Usd.Stage.Open(str(broken))
        opened.GetRootLayer().Export(str(path))
    target = path.with_name("fixed.usda")
    it.fix(it.load(path)).save(target)
    assert it.check(it.load(target)).worst != it.Severity.ERROR


@pytest.mark.parametrize("name", ["robot.usda", "robot.usdc"])
def test_the_stage_itself_is_not_written(broken, name):
    with pytest.raises(WriteError, match=r"robot\.corrected\.usda"):
        it.fix(it.load(broken)).save(broken.with_name(name))


def test_units_and_up_axis_of_the_stage_count_in_the_layer_too(tmp_path):
    path = tmp_path / "robot.usda"
    path.write_text(stage(body("bad", BAD, cube("c", size=20)), metre=0.01, kilogram=0.5).replace('"Z"', '"Y"'))
    target = tmp_path / "fixed.usda"
    it.fix(it.load(path)).save(target)
    robot = it.load(target)
    assert (robot.usd.units.metre, robot.usd.units.kilogram, robot.usd.units.up_axis) == (0.01, 0.5, "Y")
    found = it.stats(robot)["bad"].effective.inertial
    assert found.mass == pytest.approx(2.0, rel=1e-12)
    np.testing.assert_allclose(np.diag(found.inertia), 2.0 * 0.04 / 6.0, rtol=1e-12)


def test_the_centre_of_mass_of_a_scaled_prim_is_written_in_its_own_scale(tmp_path):
    path = tmp_path / "robot.usda"
    scale = 'double3 xformOp:scale = (2, 1, 1)\nuniform token[] xformOpOrder = ["xformOp:scale"]'
    path.write_text(stage(body("bad", BAD, scale, cube("c", at(1, 0, 0)))))
    target = tmp_path / "fixed.usda"
    it.fix(it.load(path)).save(target)
    assert it.stats(it.load(target))["bad"].effective.inertial.com.tolist() == pytest.approx([2.0, 0.0, 0.0])


def test_a_prim_that_is_scaled_by_zero_cannot_be_corrected(tmp_path):
    scale = 'double3 xformOp:scale = (0, 1, 1)\nuniform token[] xformOpOrder = ["xformOp:scale"]'
    with pytest.raises(WriteError, match="/bad has zero scale"):
        it.fix(it.load_text(stage(body("bad", BAD, scale, cube("c")))))


def test_a_body_in_an_instance_is_corrected_by_making_it_an_ordinary_prim(tmp_path):
    path = tmp_path / "robot.usda"
    proto = prim("Xform", "proto", body("B", BAD, cube("c"))).replace("def", "class", 1)
    uses = [
        f'def Xform "i{n}" (\n instanceable = true\n prepend references = </proto>\n)\n{{\n {at(n, 0, 0)}\n}}\n'
        for n in range(2)
    ]
    path.write_text(stage(proto, *uses))
    target = tmp_path / "fixed.usda"
    correction = it.fix(it.load(path))
    assert list(correction.changes) == ["/i0/B", "/i1/B"]
    correction.save(target)
    assert it.check(it.load(target)).worst != it.Severity.ERROR


def test_given_masses_are_written(broken, tmp_path):
    target = tmp_path / "fixed.usda"
    it.fix(it.load(broken), masses=it.MassModel(link_mass={"good": 2.0})).save(target)
    found = it.stats(it.load(target))["good"].effective.inertial
    assert found.mass == 2.0
    assert np.diag(found.inertia).tolist() == [0.5, 0.5, 0.5]


def test_the_command_line_writes_a_layer_and_refuses_to_write_the_stage(broken, capsys):
    target = broken.with_name("robot.corrected.usda")
    assert main(["fix", str(broken), "--in-place"]) == 2
    assert "robot.corrected.usda" in capsys.readouterr().err
    assert main(["fix", str(broken), "-o", str(target)]) == 0
    assert main(["check", str(target)]) == 0
    capsys.readouterr()
    assert main(["fix", str(broken)]) == 0
    assert "no file written (use -o OUT)" in " ".join(capsys.readouterr().out.split())
    assert main(["fix", str(broken), "-o", str(target.with_suffix(".usdc"))]) == 2
    assert "written to" not in capsys.readouterr().out
    assert main(["fix", str(broken), "--diff"]) == 0
    assert '+over "bad"' in capsys.readouterr().out


def test_the_command_line_states_and_computes(broken, capsys):
    assert main(["stats", str(broken), "--json"]) == 0
    entry = json.loads(capsys.readouterr().out)["files"][0]
    assert (entry["format"], entry["total_mass"]) == ("usd", 8.0)
    assert main(["compute", str(broken), "--json"]) == 0
    links = json.loads(capsys.readouterr().out)["files"][0]["links"]
    assert [round(one["computed"]["mass"], 9) for one in links if one["computed"]] == [8.0, 8.0]


@pytest.mark.parametrize("suffix", [".usda", ".usdc"])
def test_a_stage_without_errors_gets_a_layer_that_changes_nothing(tmp_path, suffix):
    """As a URDF gets a copy: what is asked for with -o is there, and the exit code says that no error is left."""
    from pxr import Usd

    path, target = tmp_path / f"robot{suffix}", tmp_path / "elsewhere" / "fixed.usda"
    target.parent.mkdir()
    text = tmp_path / "text.usda"
    text.write_text(stage(body("good", GOOD, cube("c")), metre=0.5))
    kept = Usd.Stage.Open(str(text))  # a layer lasts as long as its stage
    kept.GetRootLayer().Export(str(path))
    before = path.read_bytes()
    assert it.fix(it.load(path)).diff() == ""
    assert main(["fix", str(path), "-o", str(target)]) == 0
    stages = [Usd.Stage.Open(str(one)) for one in (target, path)]
    composed, original = ([str(prim.GetPath()) for prim in one.Traverse()] for one in stages)
    assert composed == original
    assert it.stats(it.load(target)).total_mass == it.stats(it.load(path)).total_mass
    it.fix(it.load(path)).save(path)
    assert path.read_bytes() == before
    with pytest.raises(WriteError, match="text layer"):
        it.fix(it.load(path)).save(tmp_path / "fixed.usdc")


def test_corrected_tensor_goes_before_that_of_newtons_schema(tmp_path):
    """One moment exceeds the sum of the others."""
    tensor = "double[] newton:inertia = [1, 1, 5, 0, 0, 0]"
    path = tmp_path / "arm.usda"
    path.write_text(stage(body("B", "float physics:mass = 3", tensor, cube("c"), apis=("NewtonMassAPI",))))
    fixed = it.fix(it.load(path))
    fixed.save(tmp_path / "fixed.usda")
    again = it.load(tmp_path / "fixed.usda")
    assert it.stats(again)["B"].effective.inertial.is_valid()
    assert it.check(again).worst != it.Severity.ERROR
