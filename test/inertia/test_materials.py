# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertia_tools.errors import OptionError, ParseError
from inertia_tools.inertia.materials import DENSITY, density_of, load_materials


@pytest.fixture
def file(tmp_path):
    """Write a material file and return its path."""

    def write(text: str, name: str = "materials.toml"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


@pytest.mark.parametrize("name", ["Aluminum", "aluminium", " ALUMINIUM ", "aluminum"])
def test_names_are_read_with_some_freedom(name):
    assert density_of(name) == 2700.0


@pytest.mark.parametrize("name", ["carbon-fibre", "carbon fiber", "Carbon_Fibre"])
def test_spaces_and_underscores_are_hyphens(name):
    assert density_of(name) == 1600.0


def test_unknown_material_names_what_is_close():
    with pytest.raises(OptionError, match=f"one of the {len(DENSITY)} known materials, such as titanium"):
        density_of("titanum")
    with pytest.raises(OptionError, match="abs, acrylic"):
        density_of("qqqq")


@pytest.mark.parametrize("text", ["foam = 30\nsteel = 7900.5\n", "[density]\nfoam = 30\nsteel = 7900.5\n"])
def test_a_file_adds_to_the_built_in_table(file, text):
    table = load_materials(file(text))
    assert density_of("Foam", table) == 30.0
    assert density_of("steel", table) == 7900.5
    assert density_of("lead", table) == DENSITY["lead"]
    assert density_of("steel") == 7850.0
    with pytest.raises(TypeError):
        table["foam"] = 1.0


@pytest.mark.parametrize("content", [{"foam": 30}, {"density": {"foam": 30}}])
def test_json_says_the_same(file, content):
    assert density_of("foam", load_materials(file(json.dumps(content), "own.JSON"))) == 30.0


@given(st.dictionaries(st.sampled_from(["foam", "cork", "balsa", "steel"]), st.floats(1e-3, 1e5)))
def test_both_formats_hold_the_same_table(tmp_path_factory, content):
    folder = tmp_path_factory.mktemp("tables")
    (folder / "own.json").write_text(json.dumps(content))
    (folder / "own.toml").write_text("".join(f"{name} = {value!r}\n" for name, value in content.items()))
    assert load_materials(folder / "own.json") == load_materials(folder / "own.toml") == {**DENSITY, **content}


def test_top_level_and_section_add_up(file):
    table = load_materials(file("foam = 30\n[density]\ncork = 240\n"))
    assert (table["foam"], table["cork"]) == (30.0, 240.0)


def test_own_value_of_a_material_with_two_names_is_used_for_both(file):
    table = load_materials(file("aluminum = 2650\n'Printed PLA' = 800"))
    assert density_of("aluminium", table) == density_of("Aluminum", table) == 2650.0
    assert density_of("printed_pla", table) == 800.0


def test_an_empty_file_changes_nothing(file):
    assert load_materials(file("")) == DENSITY
    assert load_materials(file("\ufefffoam = 30"))["foam"] == 30.0


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("0", "0"),
        ("-1.5", "-1.5"),
        ("nan", "nan"),
        ("inf", "inf"),
        ("true", "True"),
        ("'7850'", "'7850'"),
        ("[1, 2]", "a list"),
        ("{low = 1}", "a table"),
        ("1" + 400 * "0", "1" + 39 * "0" + "..."),
    ],
)
def test_a_value_that_is_no_density_is_named_with_its_line(file, value, shown):
    path = file(f"cork = 240\n\nfoam = {value}\n")
    with pytest.raises(ParseError) as caught:
        load_materials(path)
    assert caught.value.line == 3
    assert str(caught.value) == (f"{path}:3: the density of 'foam' is {shown}; it must be a positive number of kg/m^3")


@pytest.mark.parametrize("value", ["null", "NaN", '"heavy"', "0"])
def test_a_wrong_value_in_json_too(file, value):
    with pytest.raises(ParseError, match=r"own\.json:3: the density of 'my foam'"):
        load_materials(file('{\n"cork": 240,\n"my foam": ' + value + "}", "own.json"))


def test_the_line_is_not_that_of_a_longer_name(file):
    with pytest.raises(ParseError, match=r"own\.json:1: the density of 'foam'"):
        load_materials(file('{"foam": 0,\n"my foam": 30}', "own.json"))


def test_a_name_given_twice(file):
    with pytest.raises(ParseError, match=r":2: the material 'aluminium' is defined twice"):
        load_materials(file("aluminium = 2700\naluminum = 2700\n"))
    with pytest.raises(ParseError, match=r"own\.json:3: the material 'foam' is defined twice"):
        load_materials(file('{"density": {\n"foam": 30,\n"foam": 3}}', "own.json"))


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("own.toml", "foam = 30\ncork == 2\n", r"own\.toml:2: is not valid TOML"),
        ("own.toml", "foam = 30\nfoam = 30\n", r"own\.toml:2: is not valid TOML"),
        ("own.json", '{\n"foam": 30,\n}', r"own\.json:3: is not valid JSON"),
        ("own.json", "[1, 2]", r"own\.json: must hold names"),
        ("own.json", 100000 * "[", r"own\.json"),
        ("own.json", "", r"own\.json:1: is not valid JSON"),
    ],
)
def test_a_text_that_cannot_be_read(file, name, text, said):
    with pytest.raises(ParseError, match=said):
        load_materials(file(text, name))


def test_a_file_that_cannot_be_read(tmp_path):
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    for path, said in (("nowhere.toml", "cannot be opened: No such file"), ("binary.toml", "not UTF-8 text")):
        with pytest.raises(ParseError, match=said):
            load_materials(tmp_path / path)
    with pytest.raises(ParseError, match="cannot be opened"):
        load_materials(tmp_path)
