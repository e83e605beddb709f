# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""SDFormat's inertials: computing, checking, correcting and saving them."""

import json

import numpy as np
import pytest
import trimesh

import inertia_tools as it
from inertia_tools.cli import main
from inertia_tools.geometry.primitives import solid_box, solid_sphere
from inertia_tools.inertia.automatic import save_automatic
from inertia_tools.inertia.effective import resolve

AUTO = "<inertial auto='true'/>"
BOX = "<geometry><box><size>1 2 3</size></box></geometry>"


def collision(density=None, pose="0 0 0 0 0 0", geometry=BOX, params=""):
    stated = "" if density is None else f"<density>{density}</density>"
    return f"<collision name='c{density}'><pose>{pose}</pose>{stated}{params}{geometry}</collision>"


def link(inertial="", *collisions, name="l"):
    return f"<link name='{name}'>{inertial}{''.join(collisions)}</link>"


def load(*links, static=False, **options):
    body = "".join(links)
    return it.load_text(f"<sdf version='1.11'><model name='m'><static>{static}</static>{body}</model></sdf>", **options)


def codes(robot, **options):
    return {finding.code for finding in it.stats(robot, **options).findings}


# computing


def test_compute_takes_each_collision_at_its_own_density():
    robot = load(link("", collision(2, "1 0 0 0 0 0"), collision(None, "0 5 0 0 0.3 0")))
    value = it.compute(robot, density=7.0)["l"]
    turned = solid_box((1, 2, 3)).transform(robot.links["l"].collisions[1].pose_link_shape)
    expected = it.Inertial(12, [1, 0, 0], 2 * solid_box((1, 2, 3)).inertia) + it.Inertial(
        42, turned.com, 7 * turned.inertia
    )
    assert value.inertial.isclose(expected, 1e-13)
    assert (value.volume, value.density) == pytest.approx((12.0, 54 / 12))


def test_the_order_of_negative_densities_does_not_matter():
    hollow = "<geometry><sphere><radius>0.5</radius></sphere></geometry>"
    shapes = [collision(3), collision(-3, geometry=hollow)]
    values = [it.compute(load(link("", *order)))["l"].inertial for order in (shapes, shapes[::-1])]
    ball = solid_sphere(0.5)
    expected = it.Inertial(18, inertia=3 * solid_box((1, 2, 3)).inertia) - it.Inertial(
        3 * ball.mass, inertia=3 * ball.inertia
    )
    assert all(value.isclose(expected, 1e-13) for value in values)


def test_negative_densities_alone_are_no_body():
    robot = load(link("<inertial auto='true'/>", collision(-3)))
    assert {"invalid-density", "auto-without-mass"} <= codes(robot)
    assert it.stats(robot)["l"].effective.inertial.mass == 0.0


def test_overlaps_of_unlike_densities_count_twice():
    union = "<auto_inertia_params><overlap>union</overlap></auto_inertia_params>"
    alike = it.compute(load(link("", collision(2, params=union), collision(2, params=union))))["l"]
    assert alike.inertial.mass == pytest.approx(12.0)
    unlike = it.compute(load(link("", collision(2, params=union), collision(3, params=union))))["l"]
    assert unlike.inertial.mass == pytest.approx(30.0)
    assert any("densities differ" in note.message for note in unlike.notes)


def test_parameters_of_a_collision_reach_the_integration():
    shell = "<auto_inertia_params><inertia_tools:thickness>0.1</inertia_tools:thickness></auto_inertia_params>"
    value = it.compute(load(link("", collision(1, params=shell))))["l"]
    assert value.method is it.Method.SHELL
    assert value.volume == pytest.approx(6 - 0.8 * 1.8 * 2.8)


@pytest.mark.parametrize(
    "params", ["<thickness>thick</thickness>", "<overlap>maybe</overlap>", "<method>no_such</method>"]
)
def test_parameters_that_cannot_be_followed_are_findings(params, tmp_path):
    mesh = "<geometry><mesh><uri>a.stl</uri></mesh></geometry>"
    robot = load(
        link(
            "<inertial auto='true'/>",
            collision(1, params=f"<auto_inertia_params>{params}</auto_inertia_params>", geometry=mesh),
        )
    )
    assert {"invalid-params", "auto-without-mass"} <= codes(robot)


def test_an_unknown_method_is_a_finding_for_a_box_too():
    params = "<auto_inertia_params><method>nope</method></auto_inertia_params>"
    assert codes(load(link("<inertial auto='true'/>", collision(1, params=params)))) >= {"invalid-params"}
    it.register_calculator("nope", lambda errors, properties: None)
    try:
        robot = load(link("<inertial auto='true'/>", collision(1, params=params)))
        assert "invalid-params" not in codes(robot)
        assert it.compute(robot)["l"].method is it.Method.PRIMITIVE
    finally:
        it.unregister_calculator("nope")


def test_custom_parameters_reach_a_calculator():
    seen = {}

    def calculator(errors, properties):
        seen.update(properties.params, density=properties.density, uri=properties.mesh.uri)
        return it.Inertial(2.0, [1, 0, 0], np.eye(3))

    it.register_calculator("mine", calculator)
    try:
        params = "<auto_inertia_params><gz:voxel_size>0.01</gz:voxel_size></auto_inertia_params>"
        mesh = "<geometry><mesh><uri>a.dae</uri></mesh></geometry>"
        robot = load(link("<inertial auto='true'/>", collision(9, "0 0 1 0 0 0", mesh, params)))
        value = it.stats(robot, params=it.AutoInertiaParams(method="mine"))["l"].effective
    finally:
        it.unregister_calculator("mine")
    assert seen == {"gz:voxel_size": "0.01", "density": 9.0, "uri": "a.dae"}
    assert np.allclose(value.inertial.com, [1, 0, 1])
    assert value.method is it.Method.CUSTOM


def test_visuals_are_never_integrated_for_auto():
    robot = load(f"<link name='l'><inertial auto='true'/><visual name='v'>{BOX}</visual></link>")
    assert "auto-without-collision" in codes(robot)
    assert it.stats(robot)["l"].effective.inertial.mass == 1.0


def test_a_density_that_is_taken_is_named_with_a_mass_and_without():
    taken = "no density is stated for 'cNone'; 1000"
    for mass in ("", "<mass>5</mass>"):
        for shapes in ([collision()], [collision(2), collision()]):
            found = it.stats(load(link(f"<inertial auto='true'>{mass}</inertial>", *shapes))).findings
            (said,) = [one for one in found if one.severity > it.Severity.INFO]
            assert (said.code, taken in said.message) == ("default-density", True)
    plane = "<geometry><plane/></geometry>"
    assert "default-density" not in codes(load(link(AUTO, collision(2), collision(geometry=plane))))


@pytest.mark.parametrize("density", [None, 2])
@pytest.mark.parametrize(("mass", "code"), [(-2, "negative-mass"), (0, "zero-mass"), ("nan", "non-finite")])
def test_an_automatic_mass_that_is_none_is_one_finding(mass, code, density):
    robot = load(link(f"<inertial auto='true'><mass>{mass}</mass></inertial>", collision(density)))
    assert [finding.code for finding in it.check(robot).findings] == [code]
    assert it.fix(robot).is_complete


def test_of_visuals_alone_a_check_has_one_story_and_a_correction_another():
    robot = load(f"<link name='l'>{AUTO}<visual name='v'>{BOX}</visual></link>")
    assert [finding.code for finding in it.check(robot).findings] == ["auto-without-collision"]
    assert [note.code for note in it.compute(robot)["l"].notes] == ["visual-fallback"]
    correction = fixed(robot)
    assert "from visuals" in correction.changes["l"].reason
    assert correction.corrected.links["l"].inertial.mass == pytest.approx(6000)
    assert correction.is_complete


def test_an_open_mesh_is_told_with_its_error_which_may_be_a_warning(tmp_path):
    mesh = trimesh.creation.box([1, 1, 1])
    for name, kept in (("little", np.arange(12) > 0), ("much", np.arange(12) > 4)):
        part = mesh.copy()
        part.update_faces(kept)
        part.export(tmp_path / f"{name}.stl")
    found = {}
    for name in ("little", "much"):
        uri = f"<geometry><mesh><uri>{name}.stl</uri></mesh></geometry>"
        (tmp_path / "m.sdf").write_text(
            f"<sdf version='1.11'><model name='m'>{link(AUTO, collision(2, geometry=uri))}</model></sdf>"
        )
        errors = []
        root = it.Root.load(tmp_path / "m.sdf", it.ParserConfig(it.ConfigureCalculateInertial.SAVE_CALCULATION), errors)
        (found[name],) = errors
        estimate = it.stats(root.as_read)["l"].effective.error_estimate
        assert f"with a likely error of {estimate:.2g}" in found[name].message
        assert found[name].severity is (it.Severity.WARNING if estimate > 0.05 else it.Severity.INFO)
    assert {one.code for one in found.values()} == {"open-mesh"}
    assert {one.severity for one in found.values()} == {it.Severity.INFO, it.Severity.WARNING}


# checking


def test_a_static_model_has_no_errors():
    robot = load(link("<inertial auto='true'/>"), link("<inertial><mass>-1</mass></inertial>", name="k"), static=True)
    assert codes(robot) == {"static-inertial"}
    assert not it.fix(robot, "all").changes


def test_static_models_are_not_calculated_and_in_no_total_unless_asked(tmp_path, capsys):
    ground = link(AUTO, collision(2), name="g")
    stated = link("<inertial><mass>7</mass></inertial>", name="s")
    static = f"<model name='floor'><static>1</static>{ground}{stated}</model>"
    text = (
        f"<sdf version='1.11'><world name='w'>{static}<model name='m'>{link(AUTO, collision(3))}</model></world></sdf>"
    )
    robot = it.load_text(text)
    report = it.check(robot)
    assert report["floor::g"].effective is None
    assert report["floor::g"].computed is None
    assert {finding.code for finding in report["floor::g"].findings} == {"static-inertial"}
    assert report.total_mass == pytest.approx(18)
    assert [(total.name, total.inertial.mass) for total in it.stats(robot).models] == [("w", 18), ("m", 18)]
    whole = it.stats(robot, include_static=True)
    assert whole["floor::g"].effective.inertial.mass == pytest.approx(12)
    assert whole.total_mass == pytest.approx(18 + 12 + 7)
    assert [total.name for total in whole.models] == ["w", "floor", "m"]
    (tmp_path / "w.sdf").write_text(text)
    totals = {}
    for words in ([], ["--include-static"]):
        for command in ("stats", "check"):
            entry = json.loads(run(capsys, command, tmp_path / "w.sdf", "--json", *words)[1])["files"][0]
            totals[command, *words] = entry["total_mass"]
    assert list(totals.values()) == pytest.approx([18, 18, 37, 37])


def test_static_models_are_calculated_by_the_proposals_names_when_asked():
    root = it.Root(load(link(AUTO, collision(2)), static=True))
    assert root.link("l").calculate_inertial() is None
    assert root.link("l").calculate_inertial(it.ParserConfig(include_static=True)).mass == pytest.approx(12)


def test_a_total_mass_is_met_by_what_may_move():
    moving = "<inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
    text = f"""<sdf version='1.9'><world name='w'><model name='a'><static>true</static>{link(moving)}</model>
      <model name='b'>{link(moving)}</model></world></sdf>"""
    correction = it.fix(it.load_text(text), masses=it.MassModel(total_mass=5.0))
    assert [one.inertial.mass for one in correction.corrected.links.values()] == [2.0, 5.0]


IZY = "<inertial><mass>1</mass><inertia><ixx>2</ixx><iyy>2</iyy><izz>{}</izz><izy>0.5</izy>{}</inertia></inertial>"


def test_a_product_may_be_spelt_as_in_the_proposal():
    robot = load(link(IZY.format(2, "")))
    tensor = robot.links["l"].inertial.inertia
    assert (tensor[1, 2], tensor[2, 1]) == (0.5, 0.5)
    (said,) = [finding for finding in it.check(robot).findings if finding.code == "product-spelling"]
    assert said.severity is it.Severity.INFO
    both = load(link(IZY.format(2, "<iyz>0.25</iyz>")))
    assert both.links["l"].inertial.inertia[1, 2] == 0.25
    assert "<iyz> is used" in next(one.message for one in both.remarks)


def test_a_corrected_product_keeps_its_spelling():
    correction = fixed(load(link(IZY.format(9, ""))))
    assert correction.is_complete
    assert correction.text.count("<izy>") == 1
    assert "<iyz>" not in correction.text


def test_a_link_that_is_held_needs_no_mass():
    held = "<joint name='j' type='fixed'><parent>world</parent><child>l</child></joint>"
    assert codes(load(link("<inertial><mass>0</mass></inertial>"), held)) == {"massless-frame"}
    assert codes(load(link("<inertial><mass>0</mass></inertial>"))) == {"zero-mass"}


def test_a_world_has_totals_of_its_own_and_of_its_models():
    inertial = "<inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
    text = f"""<sdf version='1.9'><world name='w'>
      <model name='a'><pose>1 0 0 0 0 0</pose>{link(inertial)}</model>
      <model name='b'><pose>-1 0 0 0 0 0</pose>{link(inertial)}
        <model name='c'><pose>0 4 0 0 0 0</pose>{link(inertial)}</model></model></world></sdf>"""
    report = it.stats(it.load_text(text))
    found = {total.name: (total.inertial.mass, *total.inertial.com) for total in report.models}
    assert found["a"] == (2, 0, 0, 0)
    assert found["b"] == pytest.approx((4, 0, 2, 0))
    assert found["b::c"] == pytest.approx((2, 0, 0, 0))
    assert found["w"] == pytest.approx((6, -1 / 3, 4 / 3, 0))
    assert report.totals.name == "w"
    alone = f"<sdf version='1.9'><world name='w'><model name='a'><pose>1 0 0 0 0 0</pose>{link(inertial)}</model></world></sdf>"
    assert [(m.name, m.inertial.com[0]) for m in it.stats(it.load_text(alone)).models] == [("w", 1), ("a", 0)]
    assert report.total_mass == 6


def test_resolving_leaves_the_document_and_fills_the_links():
    robot = load(link("<inertial auto='true'><fluid_added_mass><xx>5</xx></fluid_added_mass></inertial>", collision(2)))
    resolved = resolve(robot)
    assert resolved.document is robot.document
    assert resolved.links["l"].inertial.mass == pytest.approx(12)
    assert resolved.links["l"].declared.added_mass[0, 0] == 5
    assert robot.links["l"].inertial.mass == 1.0


# correcting


def fixed(robot, *args, **options):
    correction = it.fix(robot, *args, **options)
    again = it.fix(correction.corrected, *args, **options)
    assert again.data == correction.data
    return correction


def test_a_sound_model_is_left_as_it_is():
    robot = load(link("<inertial auto='true'/>", collision(2)), link("<inertial><mass>3</mass></inertial>", name="k"))
    assert it.fix(robot).data == robot.document.data


def test_an_impossible_tensor_is_corrected_in_its_own_frame():
    tensor = "<inertia><ixx>1</ixx><iyy>1</iyy><izz>2.1</izz></inertia>"
    robot = load(link(f"<inertial><pose>0 0 1 0 0.5 0</pose><mass>3</mass>{tensor}</inertial>"))
    correction = fixed(robot)
    assert b"<pose>0 0 1 0 0.5 0</pose><mass>3</mass>" in correction.data
    assert correction.corrected.links["l"].inertial.is_valid()
    assert correction.is_complete


def test_defaults_are_in_force_when_a_tensor_is_judged():
    correction = fixed(load(link("<inertial><inertia><ixx>3</ixx></inertia></inertial>")))
    after = correction.corrected.links["l"].inertial
    assert after.mass == 1.0
    assert after.is_valid()


def test_a_negative_mass_beside_auto_gives_way_to_geometry():
    correction = fixed(load(link("<inertial auto='true'><mass>-2</mass></inertial>", collision(2))))
    after = correction.corrected.links["l"].declared
    assert not after.auto
    assert after.inertial.isclose(it.Inertial(12, inertia=2 * solid_box((1, 2, 3)).inertia), 1e-11)


def test_auto_without_collision_takes_the_visuals_and_says_so():
    robot = load(
        f"<link name='l'><inertial auto='true'><mass>6</mass></inertial><visual name='v'>{BOX}</visual></link>"
    )
    correction = fixed(robot)
    after = correction.corrected.links["l"].declared
    assert not after.auto
    assert after.inertial.isclose(solid_box((1, 2, 3)), 1e-11)
    assert b"<mass>6</mass>" in correction.data


def test_defaults_are_replaced_on_request():
    robot = load(link("<inertial><mass>12</mass></inertial>", collision()))
    assert it.fix(robot).data == robot.document.data
    after = fixed(robot, "implausible").corrected.links["l"].inertial
    assert after.isclose(it.Inertial(12, inertia=2 * solid_box((1, 2, 3)).inertia), 1e-11)


def test_a_density_of_the_callers_own_goes_before_that_of_the_file():
    robot = load(link("<inertial auto='true'/>", collision(2)))
    masses = it.MassModel(link_density={"l": 5.0})
    assert fixed(robot, masses=masses).corrected.links["l"].inertial.mass == pytest.approx(30)


def test_masses_given_by_the_caller_scale_the_whole():
    robot = load(link("<inertial auto='true'/>", collision(2)), link("<inertial/>", name="k"))
    after = it.fix(robot, masses=it.MassModel(total_mass=26.0)).corrected
    assert (after.links["l"].inertial.mass, after.links["k"].inertial.mass) == pytest.approx((24, 2))


def test_links_of_included_files_are_not_written(tmp_path):
    bad = link("<inertial><mass>-1</mass></inertial>")
    (tmp_path / "a.sdf").write_text(f"<sdf version='1.9'><model name='a'>{bad}</model></sdf>")
    text = f"<sdf version='1.9'><world name='w'><include><uri>a.sdf</uri></include><model name='b'>{bad}</model></world></sdf>"
    correction = it.fix(it.load_text(text, base_dir=tmp_path))
    assert list(correction.changes) == ["b::l"]
    assert [finding.link for finding in correction.after.findings if finding.code == "negative-mass"] == ["a::l"]
    assert not correction.is_complete


# saving


def test_a_given_mass_is_saved_as_it_was_given_and_saving_again_changes_nothing():
    inertial = "<inertial auto='true'><mass>6.0000000000000001</mass><fluid_added_mass><xx>5</xx></fluid_added_mass></inertial>"
    robot = load(link(inertial, collision(2)), link("<inertial auto='true'/>", collision(0.7), name="k"))
    saved = save_automatic(robot)
    assert b"<mass>6.0000000000000001</mass>" in saved.document.data
    first = saved.links["l"].declared
    assert first.auto
    assert first.added_mass[0, 0] == 5
    assert first.inertial.isclose(solid_box((1, 2, 3)), 1e-11)
    assert save_automatic(saved) is saved
    for name in "lk":
        values = [it.stats(one)[name].effective.inertial for one in (robot, saved)]
        assert values[0].isclose(values[1], 1e-11)


def test_auto_may_be_cleared_when_results_are_saved():
    robot = load(link("<inertial auto='true'/>", collision(2)), link("<inertial auto='true'/>", name="k"))
    saved = save_automatic(robot, clear_auto=True)
    assert not saved.links["l"].declared.auto
    assert saved.links["l"].declared.is_stated
    assert saved.links["k"].declared.auto  # nothing could be computed for it
    assert saved.links["l"].inertial.isclose(it.stats(robot)["l"].effective.inertial, 1e-11)


# the command line


def run(capsys, *words):
    code = main([str(word) for word in words])
    return code, capsys.readouterr().out


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "m.sdf"
    path.write_text(
        "<sdf version='1.11'><model name='m'>"
        + link("<inertial auto='true'/>", collision(2))
        + link("<inertial><mass>-1</mass></inertial>", collision(3), name="k")
        + "</model></sdf>"
    )
    return path


def test_stats_in_json(file, capsys):
    code, out = run(capsys, "stats", file, "--json")
    entry = json.loads(out)["files"][0]
    assert (code, entry["format"], entry["robot"], entry["total_mass"]) == (0, "sdf", "m", 11.0)
    assert [(m["name"], m["mass"]) for m in entry["models"]] == [("m", 12.0)]
    first, second = entry["links"]
    assert (first["link"], first["effective"]["method"], first["effective"]["mass"]) == ("l", "primitive", 12.0)
    assert (first["declared"]["mass"], first["declared"]["inertia"]) == (None, None)
    assert (second["declared"]["mass"], second["effective"]["method"]) == (-1.0, "assumed")


def test_stats_say_what_is_in_no_total_and_what_is_wrong(file, capsys):
    code, out = run(capsys, "stats", file)
    assert code == 0
    assert "omitted from totals: k\n" in out
    assert "error: k: the mass is -1 kg" in out
    assert "[auto-without-collision]" not in out


def test_tables_keep_units_and_brackets_of_names(tmp_path, capsys):
    path = tmp_path / "m[1].sdf"
    path.write_text(f"<sdf version='1.11'><model name='m'>{link(AUTO, collision(2), name='arm[2]')}</model></sdf>")
    out = run(capsys, "stats", path)[1]
    assert all(words in out for words in ("arm[2]", "mass [kg]", "z [m]", "[kg m^2]"))
    assert "m[1].sdf:asSDFormat" in "".join(out.split())  # the title may be folded


def test_the_commands_work_on_sdf(file, tmp_path, capsys):
    assert run(capsys, "check", file)[0] == 1
    assert "l" in run(capsys, "compute", file)[1]
    assert "model m" in run(capsys, "stats", file)[1]
    out = tmp_path / "out.sdf"
    assert run(capsys, "fix", file, "-o", out)[0] == 0
    assert run(capsys, "check", out)[0] == 0
    assert it.load(out).links["k"].inertial.mass == pytest.approx(18)


def test_findings_about_the_document_are_in_every_report(tmp_path, capsys):
    file = tmp_path / "m.sdf"
    file.write_text(
        f"<sdf version='1.11'><model name='m'>{link(AUTO, collision(2))}<include><uri>no_such_model</uri></include></model></sdf>"
    )
    code, out = run(capsys, "check", file, "--json", "--sarif", tmp_path / "m.sarif")
    entry = json.loads(out)["files"][0]
    assert (code, [finding["code"] for finding in entry["findings"]]) == (1, ["missing-include"])
    (result,) = json.loads((tmp_path / "m.sarif").read_text())["runs"][0]["results"]
    assert result["message"]["text"].startswith("the model is omitted")
    (tmp_path / "known.json").write_text(out)
    assert run(capsys, "check", file, "--baseline", tmp_path / "known.json")[0] == 0
    assert run(capsys, "check", file)[1].startswith(f"{file}:1: error: the model is omitted")
