# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The schemas are RELAX NG as lxml reads it, and what is found is what does not go with them."""

import pytest
from lxml import etree
from robots import BOX, GOOD, example_robots, joint, link, urdf

import inertia_tools as it
from inertia_tools.description.schema.grammar import grammar, schema
from inertia_tools.description.schema.unknown_words import UNKNOWN_ATTRIBUTE, UNKNOWN_ELEMENT

CODES = {UNKNOWN_ELEMENT, UNKNOWN_ATTRIBUTE}
CLEAN = urdf(link("base", GOOD, BOX), link("a", GOOD, BOX), joint("a"))
WORLD = """<sdf version="1.11"><model name="m"><link name="l"><pose degrees="true">0 0 0 0 0 0</pose>
<inertial auto="true"><density>2000</density></inertial>
<collision name="c"><density>1</density><geometry><box><size>1 1 1</size></box></geometry></collision></link>
<plugin name="p" filename="f"><any>thing</any></plugin></model></sdf>"""


def words(text: str) -> list:
    return [one for one in it.load_text(text).remarks if one.code in CODES]


def validates(text: str) -> bool:
    root = etree.fromstring(text)
    validator = etree.RelaxNG(etree.fromstring(schema({"robot": "urdf", "sdf": "sdf"}[root.tag])))
    return validator.validate(root)


@pytest.mark.parametrize("text", [CLEAN, WORLD])
def test_clean_documents_go_with_the_schema(text):
    assert validates(text)
    assert words(text) == []


MISSPELT = [
    (CLEAN, "<mass ", "<mas ", "unknown-element", "did you mean <mass>?"),
    (CLEAN, "<mass value", "<mass val", "unknown-attribute", "did you mean 'value'?"),
    (CLEAN, "<inertial>", "<Inertial>", "unknown-element", "did you mean <inertial>?"),
    (CLEAN, " izz=", " zzi=", "unknown-attribute", "did you mean 'izz'?"),
    (CLEAN, "<collision>", "<colision>", "unknown-element", "did you mean <collision>?"),
    (
        CLEAN,
        '"><inertial>',
        '"><visual><geometry><box size="1 1 1"/></geometry><inertial/></visual><inertial>',
        "unknown-element",
        "it belongs in",
    ),
    (CLEAN, "<inertial><mass ", '<inertial><com xyz="0 0 0"/><mass ', "unknown-element", "namespace, or remove it"),
    (CLEAN, "<inertial><mass ", "<inertial><ixx/><mass ", "unknown-element", "namespace, or remove it"),
    (WORLD, ' auto="', ' Auto="', "unknown-attribute", "did you mean 'auto'?"),
    (WORLD, "<density>2000</density>", "<Density>2000</Density>", "unknown-element", "did you mean <density>?"),
    (WORLD, '<inertial auto="true">', "<inertial><auto>true</auto>", "unknown-element", "write it as an attribute"),
    (WORLD, "<geometry>", "<inertial/><geometry>", "unknown-element", "it belongs in <link>, move it"),
    (WORLD, "<pose degrees", "<pose degree", "unknown-attribute", "did you mean 'degrees'?"),
]


@pytest.mark.parametrize(("text", "right", "wrong", "code", "said"), MISSPELT)
def test_misspelt_words_are_found_where_lxml_refuses_the_document(text, right, wrong, code, said):
    assert right in text
    changed = text.replace(right, wrong, 1)
    for opening, closing in (("<Inertial>", "</inertial>"), ("<colision>", "</collision>")):
        if wrong == opening:
            changed = changed.replace(closing, opening.replace("<", "</"), 1)
    assert not validates(changed)
    (found,) = words(changed)
    assert found.code == code
    assert said in found.message
    assert found.level == ("info" if "namespace" in said else "warning")
    assert found.place.line == changed[: changed.index(wrong.split("=")[0].split()[0])].count("\n") + 1
    assert found.link == {CLEAN: "base", WORLD: "l"}[text]


@pytest.mark.parametrize(
    "block",
    [
        '<gazebo reference="a"><inertial Auto="1"/><mas/></gazebo>',
        "<mujoco><compiler angel='1'/></mujoco>",
        "<drake><mas/></drake>",
        '<transmission name="t"><type>x</type></transmission>',
        '<tool:mas xmlns:tool="urn:tool" value="1"><plain/></tool:mas>',
    ],
)
def test_what_other_programs_define_is_let_through(block):
    text = CLEAN.replace("</robot>", f"{block}</robot>").replace("<robot ", '<robot xmlns:x="urn:x" x:y="1" ')
    assert validates(text)
    assert words(text) == []


def test_check_reports_them_beside_what_follows_from_them():
    report = it.check(it.load_text(CLEAN.replace("<mass ", "<mas ", 1)))
    assert {"missing-mass", "unknown-element"} <= {finding.code for finding in report["base"].findings}


def test_every_word_of_the_grammar_is_defined():
    for name in ("urdf", "sdf"):
        patterns = grammar(name)
        assert len(patterns) > 30
        assert all(child in patterns for pattern in patterns.values() for child in pattern.children)


@pytest.mark.skipif(example_robots() is None, reason="example-robot-data is not installed")
def test_vendors_models_have_no_misspelt_words_but_one():
    files = [file for file in sorted(example_robots().glob("**/*.urdf")) if "<link" in file.read_text()]
    assert len(files) > 60
    warned = [
        one.message for file in files for one in it.load(file).remarks if one.code in CODES and one.level != "info"
    ]
    assert warned == [
        "<link> of URDF has no <origin>, so it is ignored; it belongs in <inertial> or <visual> or <collision>, move it"
    ]


PARAMETERS = (
    '<sdf version="1.11"><model name="m"><link name="a"><inertial auto="true">{}</inertial>'
    '<collision name="c"><density>1000</density>{}<geometry><box><size>1 1 1</size></box></geometry></collision>'
    "</link></model></sdf>"
)


@pytest.mark.parametrize("where", [0, 1])
@pytest.mark.parametrize(
    ("inside", "named"),
    [
        ("<thicknes>0.01</thicknes>", "did you mean <thickness>?"),
        ("<Voxel-Size>0.01</Voxel-Size>", "did you mean <voxel_size>?"),
        ('<inertia_tools:open_mash xmlns:inertia_tools="x">cap</inertia_tools:open_mash>', "did you mean <open_mesh>?"),
        (
            '<inertia_tools:fill xmlns:inertia_tools="x">1</inertia_tools:fill>',
            "write one of method, open_mesh, overlap",
        ),
        ("<thickness>0.01</thickness>", ""),
        ("<fill>0.2</fill>", ""),  # a calculator's own
        ('<gz:thicknes xmlns:gz="x">0.01</gz:thicknes>', ""),
        ("<foam><thicknes>1</thicknes></foam>", ""),
    ],
)
def test_misspelt_integration_parameters_are_named(inside, named, where):
    """A wall that is misspelt leaves a solid."""
    block = f"<auto_inertia_params>{inside}</auto_inertia_params>"
    robot = it.load_text(PARAMETERS.format(*(("", block) if where else (block, ""))))
    found = [one for one in it.check(robot).findings if one.code == "unknown-element"]
    assert [(one.link, one.severity.name) for one in found] == ([("a", "WARNING")] if named else [])
    assert all(named in one.message for one in found)
