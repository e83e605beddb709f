# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Stages that lack something, or state what no value is: named with file, line and remedy."""

import pytest
from usd_stages import at, body, cube, joint, prim, stage

import inertia_tools as it
from inertia_tools.errors import OptionError, ParseError
from inertia_tools.sim.scene.notices import SceneWarning
from inertia_tools.usd import SchemaResolverMjc

pytest.importorskip("pxr", reason="usd-core is not installed")

ARM = body("arm", "float physics:mass = 2.0")


def write(folder, name, text):
    path = folder / name
    path.write_text(text)
    return path


def layer(sublayer="", *prims):
    return f"#usda 1.0\n(\n    metersPerUnit = 1\n    subLayers = [@{sublayer}@]\n)\n" + "\n".join(prims)


def referring(arc, *prims):
    return stage(f'def Xform "hand" (prepend {arc})\n{{\n}}\n', *prims)


LOSSES = {
    "reference": referring("references = @gone.usda@"),
    "payload": referring("payload = @gone.usda@"),
    "default prim": referring("references = @bare.usda@"),
    "cycle": referring("references = @self.usda@</hand>"),
    "sublayer": layer("gone.usda"),
    "layer in itself": layer("self.usda"),
}


@pytest.fixture
def folder(tmp_path):
    write(tmp_path, "bare.usda", stage(prim("Xform", "other")))
    return tmp_path


@pytest.mark.parametrize("case", LOSSES)
def test_stage_that_lacks_a_file_says_so(folder, case, capfd):
    path = write(folder, "self.usda", LOSSES[case] + ARM)
    found = [one for one in it.check(it.load(path)).findings if one.code == "broken-composition"]
    assert [one.severity.name for one in found] == ["ERROR"]
    assert found[0].file == str(path)
    assert found[0].line == (4 if "layer" in case else 7)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("arc", ["references", "payload", "sublayer"])
def test_a_file_that_is_there_and_cannot_be_read_is_not_called_missing(folder, arc):
    """OpenUSD says why of the first reference to it alone, so each names the command that says it."""
    damaged = write(folder, "damaged.usda", "#usda 1.0\ndef Xform {\n")
    text = layer("damaged.usda") if arc == "sublayer" else referring(f"{arc} = @damaged.usda@")
    path = write(
        folder, "self.usda", text + text[text.find("def") :].replace("hand", "foot") * (arc != "sublayer") + ARM
    )
    found = [one for one in it.check(it.load(path)).findings if one.code == "broken-composition"]
    assert len(found) == (1 if arc == "sublayer" else 2)
    for one in found:
        assert "missing" not in one.message and "move the file" not in one.message
        assert one.message.endswith(f"OpenUSD cannot read it; to see why: inertia-tools check {damaged}")


@pytest.mark.parametrize("ends", [("", ""), ("/arm", "/arm")])
def test_a_joint_that_does_not_connect_two_bodies_says_so(ends):
    robot = it.load_text(stage(ARM, joint("PhysicsFixedJoint", "j", *ends)))
    (found,) = [one for one in robot.remarks if one.code == "loose-joint"]
    assert found.message == "/j does not connect two bodies; name two bodies, or one and the world"


@pytest.mark.parametrize("case", LOSSES)
def test_stage_of_which_nothing_is_left_is_refused(folder, case):
    path = write(folder, "self.usda", LOSSES[case])
    with pytest.raises(ParseError, match="missing"):
        it.load(path)


def test_import_warns_of_what_a_stage_lacks(folder):
    path = write(folder, "self.usda", LOSSES["reference"] + ARM)
    with pytest.warns(SceneWarning, match=r"gone\.usda"):
        result = it.ModelBuilder().add_usd(path)
    assert "broken-composition" in [one.code for one in result["findings"]]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (body("arm", 'string physics:mass = "heavy"'), r":7: /arm\.physics:mass is of type string; write a float"),
        (body("arm", "float[] physics:mass = [1, 2]"), r":7: .*float\[\]; write a float"),
        (body("arm", "float physics:centerOfMass = 1"), r":7: .*write a point3f"),
        (body("arm", "float4 physics:principalAxes = (1, 0, 0, 0)"), r":7: .*write a quatf"),
        (body("arm", prim("Capsule", "c", 'token axis = "Q"')), r":11: /arm/c\.axis is 'Q'; write one of X, Y, Z"),
        (ARM + joint("PhysicsRevoluteJoint", "j", "", "/arm", 'token physics:axis = "Q"'), "physics:axis is 'Q'"),
        (ARM + prim("PhysicsFixedJoint", "j", 'string physics:body1 = "/arm"'), "write rel physics:body1"),
        (ARM + joint("PhysicsFixedJoint", "j", "", "/arm", "point3f physics:localPos0 = (nan, 0, 0)"), "localPos0"),
        (body("arm", at("nan", 0, 0)), r":7: /arm: its transform"),
        (body("arm", cube("c", at("inf", 0, 0))), r"/arm/c: its transform"),
        (
            ARM + prim("PhysicsScene", "s", 'string physics:gravityMagnitude = "x"'),
            "gravityMagnitude is of type string",
        ),
    ],
)
def test_value_of_another_kind_is_named_with_its_line(text, named):
    with pytest.raises(ParseError, match=named):
        it.load_text(stage(text), name="arm.usda")


@pytest.mark.parametrize("unit", ["metre", "kilogram"])
@pytest.mark.parametrize("value", [0, -1, "nan", "inf"])
def test_unit_that_is_none_is_refused(unit, value):
    with pytest.raises(ParseError, match=r"PerUnit is .*; write a positive number"):
        it.load_text(stage(ARM, **{unit: value}))


def test_text_that_is_not_utf8_has_a_line(tmp_path):
    path = tmp_path / "arm.usda"
    path.write_bytes(b'#usda 1.0\ndef Xform "\xe9" {}\n')
    with pytest.raises(ParseError, match=":2: the text is not UTF-8"):
        it.load(path)


def test_stage_without_bodies_says_so():
    assert "no-bodies" in [one.code for one in it.check(it.load_text(stage(prim("Xform", "a")))).findings]


def test_type_without_its_beginning_is_named():
    report = it.check(it.load_text(stage(ARM, prim("RevoluteJoint", "j"))))
    assert "write PhysicsRevoluteJoint" in next(one.message for one in report.findings if one.code == "unknown-type")


def test_root_path_that_is_no_prim_is_refused():
    with pytest.raises(OptionError, match="root_path"):
        it.ModelBuilder().add_usd(stage(ARM), root_path="/nowhere")


def test_first_sample_of_what_changes_with_time_counts():
    samples = "float physics:mass.timeSamples = { 0: 4, 10: 5 }"
    place = (
        "double3 xformOp:translate.timeSamples = { 0: (1, 2, 3), 10: (4, 5, 6) }\n"
        'uniform token[] xformOpOrder = ["xformOp:translate"]'
    )
    shape = prim("Cube", "c", "double size.timeSamples = { 0: 0.2, 10: 3 }", apis=("PhysicsCollisionAPI",))
    builder = it.ModelBuilder()
    builder.add_usd(stage(body("arm", samples, place, shape)))
    assert builder.body_mass == [4.0]
    assert builder.body_inertia[0][0, 0] == pytest.approx(4.0 * 0.2**2 / 6.0)
    assert builder.body_pose[0].position.tolist() == [1.0, 2.0, 3.0]


def test_mass_that_is_no_number_is_named_when_colliders_are_weighed_for_it():
    with pytest.warns(SceneWarning, match="the authored mass is not positive and finite: nan"):
        it.ModelBuilder().add_usd(stage(body("arm", "float physics:mass = nan", cube("c"))))


@pytest.mark.parametrize("suffix", ["usd", "usda", "usdc", "usdz"])
def test_file_that_is_no_usd_is_not_taken_for_xml(tmp_path, suffix):
    path = tmp_path / f"arm.{suffix}"
    path.write_bytes(b"\x00\x01\x02 nothing")
    with pytest.raises(ParseError, match="export it again"):
        it.load(path)


def test_resolver_that_stands_in_no_list_is_refused():
    with pytest.raises(OptionError, match="a list of instances"):
        it.ModelBuilder().add_usd(stage(ARM), schema_resolvers=SchemaResolverMjc())


def test_what_comes_from_elsewhere_is_found_there(tmp_path):
    """A prototype, a variant, and another file each have a line of their own."""
    (tmp_path / "parts").mkdir()
    heavy = body("B", "float physics:mass = -1", cube("c"))
    (tmp_path / "parts" / "arm.usda").write_text(stage(prim("Xform", "A", heavy)))
    proto = prim("Xform", "proto", heavy).replace("def", "class", 1)
    variants = f'variantSet "v" = {{\n"x" {{\n{heavy}}}\n}}\n'
    use = 'def Xform "{0}" (\n{1}\n)\n{{\n{2}}}\n'
    text = stage(
        proto,
        use.format("i", "instanceable = true\nprepend references = </proto>", ""),
        use.format("far", "prepend references = @./parts/arm.usda@</A>", ""),
        use.format("v", 'variants = {\nstring v = "x"\n}\nprepend variantSets = "v"', variants),
    )
    (tmp_path / "robot.usda").write_text(text)
    report = it.check(it.load(tmp_path / "robot.usda"))
    found = {one.link: (one.file, one.line) for one in report.findings if one.code == "negative-mass"}
    lines = text.splitlines()
    own = [number for number, line in enumerate(lines, start=1) if line.startswith('def Xform "B"')]
    arm = (tmp_path / "parts" / "arm.usda").read_text().splitlines()
    there = next(number for number, line in enumerate(arm, start=1) if line.startswith('def Xform "B"'))
    assert found == {
        "/i/B": (str(tmp_path / "robot.usda"), own[0]),
        "/v/B": (str(tmp_path / "robot.usda"), own[1]),
        "/far/B": (str(tmp_path / "parts" / "arm.usda"), there),
    }


ODD = {
    "mass is a path": ("custom rel inertiaTools:mass = </arm>", None),
    "exact mass is text": ('custom string inertiaTools:mass = "heavy"', 2.0),
    "exact centre is text": ('custom string inertiaTools:centerOfMass = "x"', 2.0),
    "exact tensor is short": ("custom double[] inertiaTools:inertia = [1, 2]", 2.0),
    "exact tensor is text": ('custom string[] inertiaTools:inertia = ["a", "b", "c", "d", "e", "f"]', 2.0),
    "place is no place": (
        'double3 xformOp:translate = (nan, 0, 0)\nuniform token[] xformOpOrder = ["xformOp:translate"]',
        None,
    ),
    "order names nothing": ('uniform token[] xformOpOrder = ["xformOp:"]', None),
    "centre is a path": ("rel physics:principalAxes = </arm>", None),
    "order is a word": ('uniform token[] xformOpOrder = ["Xform"]', None),
}


@pytest.mark.parametrize("case", ODD)
def test_odd_values_are_passed_over_or_refused(case):
    attribute, mass = ODD[case]
    text = stage(body("arm", "float physics:mass = 2.0", "float3 physics:diagonalInertia = (1, 1, 1)", attribute))
    try:
        report = it.check(it.load_text(text))
    except ParseError as error:
        assert mass is None
        assert "<text>" in str(error)
    else:
        assert mass is None or report["arm"].effective.inertial.mass == mass


@pytest.mark.parametrize("unit", [1e308, 1e-300, 1e20])
def test_units_out_of_all_bounds_are_refused(unit):
    with pytest.raises(ParseError, match=r"metersPerUnit is .*; write a positive number"):
        it.load_text(stage(ARM, metre=unit))


def test_a_crate_that_is_damaged_anywhere_is_read_or_refused(tmp_path):
    from pxr import Sdf

    layer_ = Sdf.Layer.CreateAnonymous(".usda")
    layer_.ImportFromString(stage(body("arm", "float physics:mass = 2.0", cube("box"), at(1, 2, 3))))
    path = tmp_path / "robot.usdc"
    layer_.Export(str(path))
    data = path.read_bytes()
    refused = 0
    for number, place in enumerate(range(0, len(data), max(1, len(data) // 40))):
        damaged = tmp_path / f"damaged{number}.usdc"
        damaged.write_bytes(data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :])
        try:
            it.check(it.load(damaged))
        except ParseError as error:
            assert damaged.name in str(error)
            refused += 1
    assert refused > 10
