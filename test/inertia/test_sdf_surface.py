# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The proposal's own names: configurations of loading, and calculate_inertial from the root down to the geometry."""

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.geometry.primitives import solid_box
from inertia_tools.inertia.calculators import _REGISTERED

TEXT = """<sdf version='1.11'><world name='w'><model name='m'><link name='l'><inertial auto='true'><density>2</density></inertial>
  <collision name='c'><pose>0 0 4 0 0 0</pose><geometry><box><size>1 2 3</size></box></geometry></collision></link>
  <model name='n'><link name='k'><inertial auto='true'/>
    <collision name='c'><density>3</density><geometry><mesh><uri>{uri}</uri></mesh></geometry></collision></link></model>
</model></world></sdf>"""

Do = it.ConfigureCalculateInertial
BOX = it.Inertial(12.0, [0, 0, 4], 2 * solid_box((1, 2, 3)).inertia)


def calculator(errors, properties):
    return it.Inertial(properties.density, [1, 0, 0], np.eye(3))


def test_loading_skips_the_calculation_by_default():
    root = it.Root.load_text(TEXT)
    assert root.link("m::l").inertial.mass == 1.0
    errors = []
    root.calculate_inertials(it.ParserConfig(custom_inertia_calculator=calculator), errors)
    assert root.link("m::l").inertial.isclose(BOX, 1e-13)
    assert root.link("m::n::k").inertial.mass == 3.0
    assert errors == []
    assert not _REGISTERED


def test_loading_may_calculate_and_keep():
    root = it.Root.load_text(TEXT, it.ParserConfig(Do.SAVE_CALCULATION, calculator))
    assert root.link("m::l").inertial.isclose(BOX, 1e-13)
    assert root.description.document.data == TEXT.encode()


def test_loading_may_write_into_the_document(tmp_path):
    file = tmp_path / "w.sdf"
    file.write_text(TEXT)
    root = it.Root.load(file, it.ParserConfig(Do.SAVE_CALCULATION_IN_ELEMENT, calculator))
    assert root.link("m::n::k").inertial.mass == 3.0
    again = it.load_text(root.description.document.data)
    assert again.links["m::l"].declared.is_stated
    assert again.links["m::l"].inertial.isclose(BOX, 1e-11)
    assert file.read_text() == TEXT


def test_saving_finds_what_keeping_finds_and_nothing_of_what_it_wrote():
    plain = TEXT.replace("<density>2</density>", "").replace("{uri}", "a.stl")
    found = {}
    for mode in (Do.SAVE_CALCULATION, Do.SAVE_CALCULATION_IN_ELEMENT):
        errors = []
        root = it.Root.load_text(plain, it.ParserConfig(mode, calculator), errors)
        found[mode] = [(error.code, error.link, error.line) for error in errors]
        assert root.link("m::l").inertial.mass == 6000.0
    assert found[Do.SAVE_CALCULATION] == found[Do.SAVE_CALCULATION_IN_ELEMENT] == [("default-density", "m::l", 1)]
    again = []
    it.Root.load_text(
        root.description.document.data, it.ParserConfig(Do.SAVE_CALCULATION_IN_ELEMENT, calculator), again
    )
    assert [error.code for error in again] == ["default-density"]  # the mass is stated now, and no density yet


def test_what_is_wrong_with_the_document_is_collected_in_every_mode():
    text = TEXT.replace("<model name='m'>", "<include><uri>model://nowhere</uri></include><model name='m'>", 1)
    for mode in Do:
        errors = []
        it.Root.load_text(text, it.ParserConfig(mode, calculator), errors)
        assert [error.code for error in errors] == ["missing-include"]


def test_a_mesh_without_a_name_is_an_error_and_no_calculator_is_asked_for_it():
    asked, errors = [], []
    config = it.ParserConfig(custom_inertia_calculator=lambda errors, properties: asked.append(properties))
    root = it.Root.load_text(TEXT.replace("{uri}", ""))
    root.calculate_inertials(config, errors)
    assert asked == []
    assert {(e.code, e.severity) for e in errors} >= {("auto-incomplete", it.Severity.ERROR)}
    assert any("no file is named" in error.message for error in errors)
    errors.clear()
    assert root.link("m::n::k").collisions[0].geometry.calculate_inertial(3.0, config=config, errors=errors) is None
    assert [error.code for error in errors] == ["missing-mesh"]


@pytest.mark.parametrize("attribute", ["", " optimization='convex_hull'", " optimization='convex_decomposition'"])
def test_a_calculator_is_asked_for_every_mesh_and_given_all_that_the_file_says(attribute):
    words = "<method>hull</method><voxel_size>fine</voxel_size><gz:a b='1'>2</gz:a>"
    text = (
        TEXT.replace("{uri}", "a.stl")
        .replace("version='1.11'", "version='1.11' xmlns:gz='gz'")
        .replace("<density>3</density>", f"<density>3</density><auto_inertia_params>{words}</auto_inertia_params>")
        .replace("<mesh>", f"<mesh{attribute}>")
    )
    given, errors = [], []

    def noted(errors, properties):
        given.append(dict(properties.params))
        return calculator(errors, properties)

    root = it.Root.load_text(text, it.ParserConfig(Do.SAVE_CALCULATION, noted), errors)
    said = {"mesh@optimization": attribute.split("'")[1]} if attribute else {}
    assert given == [{"method": "hull", "voxel_size": "fine", "gz:a": "2", "gz:a@b": "1"} | said]
    assert root.link("m::n::k").inertial.mass == 3.0
    assert errors == []


def test_density_and_parameters_of_a_collision_can_be_set():
    root = it.Root.load_text(TEXT)
    collision = root.link("m::l").collisions[0]
    assert (collision.density, dict(collision.auto_inertia_params)) == (2.0, {})
    collision.density = 4.0
    assert root.link("m::l").collisions[0].density == 4.0
    assert collision.calculate_inertial().isclose(BOX.scaled_to_mass(24.0), 1e-13)
    assert root.link("m::l").calculate_inertial().isclose(BOX.scaled_to_mass(24.0), 1e-13)
    collision.auto_inertia_params = {"thickness": "0.1"}
    assert root.link("m::l").calculate_inertial().mass < 24.0
    assert root.description.document.data == TEXT.encode()


def test_the_singular_name_works_at_every_level():
    root = it.Root.load_text(TEXT)
    for holder in (root, root.worlds[0], root.models[0]):
        root.link("m::l").collisions[0].density += 1.0
        holder.calculate_inertial(it.ParserConfig(custom_inertia_calculator=calculator))
        assert root.link("m::l").inertial.mass == 6.0 * root.link("m::l").collisions[0].density


def test_errors_are_collected_from_the_depths():
    errors = []
    it.Root.load_text(TEXT.replace("{uri}", ""), it.ParserConfig(Do.SAVE_CALCULATION), errors)
    assert {"auto-without-mass", "auto-incomplete"} <= {error.code for error in errors}
    assert all(error.line == 4 or error.link == "m::n::k" for error in errors)


@pytest.mark.parametrize(
    ("result", "says"),
    [(None, "nothing"), (it.Inertial(-1.0), "no mass"), ("word", "no mass|str"), (KeyError("x"), "KeyError")],
)
def test_a_failing_calculator_is_an_error(result, says):
    def failing(errors, properties):
        if isinstance(result, Exception):
            raise result
        return result

    errors = []
    root = it.Root.load_text(TEXT)
    root.calculate_inertials(it.ParserConfig(custom_inertia_calculator=failing), errors)
    assert "calculator-error" in {error.code for error in errors}
    assert root.link("m::n::k").inertial.mass == 0.0


def test_each_level_asks_the_one_below():
    config = it.ParserConfig(custom_inertia_calculator=calculator)
    root = it.Root.load_text(TEXT)
    (world,) = root.worlds
    (model,) = world.models
    assert world.name == "w"
    assert (model.name, [link.name for link in model.links]) == ("m", ["m::l", "m::n::k"])
    link = model.links[0]
    (collision,) = link.collisions
    assert collision.density == 2.0
    assert collision.geometry.calculate_inertial(1.0).isclose(solid_box((1, 2, 3)), 1e-13)
    assert collision.calculate_inertial().isclose(BOX, 1e-13)
    assert link.calculate_inertial().isclose(BOX, 1e-13)
    mesh = model.links[1].collisions[0].geometry
    assert mesh.calculate_inertial(5.0, {"my:part": "1"}, config).mass == 5.0
    model.calculate_inertials(config)
    assert model.links[1].inertial.mass == 3.0


def test_calculating_again_takes_the_new_configuration():
    root = it.Root.load_text(TEXT, it.ParserConfig(Do.SAVE_CALCULATION))
    assert root.link("m::n::k").inertial.mass == 0.0
    root.calculate_inertials(it.ParserConfig(custom_inertia_calculator=calculator))
    assert root.link("m::n::k").inertial.mass == 3.0


def test_a_calculator_may_give_a_point_mass():
    errors = []
    root = it.Root.load_text(TEXT)
    root.calculate_inertials(
        it.ParserConfig(custom_inertia_calculator=lambda errors, properties: it.Inertial(2.0)), errors
    )
    assert root.link("m::n::k").inertial.mass == 2.0
    assert [error.severity for error in errors] == [it.Severity.WARNING]
