# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Documents that MuJoCo refuses for their words, names and files: a finding names the line; what it takes has none."""

import pytest

import inertia_tools as it
from inertia_tools.errors import ParseError

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")

BALL = '<geom size=".1"/>'
CODE = "mujoco-refuses"


@pytest.fixture(autouse=True)
def _away(tmp_path, monkeypatch):
    """Keep the log that MuJoCo leaves in the working folder out of the way."""
    monkeypatch.chdir(tmp_path)


def world(inside: str, after: str = "") -> str:
    return f'<mujoco>\n<worldbody><body name="a"><joint name="j"/>{BALL}\n{inside}</body></worldbody>\n{after}</mujoco>'


def lines(text: str) -> list[int]:
    return [finding.line for finding in it.check(it.load_text(text)).document_findings if finding.code == CODE]


REFUSED = {
    "misspelt inertia": (world('<body><inertial pos="0 0 0" mass="1" diaginetia="1 1 1"/></body>'), 3),
    "misspelt density": (world('<geom size=".1" densty="3"/>'), 3),
    "misspelt element": (world("<goem/>"), 3),
    "compiler in a compiler": (world("", "<compiler><compiler foo='1'><compiler/></compiler></compiler>"), 4),
    "composite": (world('<composite type="grid"/>'), 3),
    "attribute of a class": (world("", '<default class="main" group="1"/>'), 4),
    "element of a class": (world("", '<default><default class="x"><inertial/></default></default>'), 4),
    "unknown section": (world("", "<actuators/>"), 4),
    "attribute of the world": ('<mujoco>\n<worldbody name="w"/></mujoco>', 2),
    "asset": (world("", "<asset><geom/></asset>"), 4),
    "material": (world('<geom size=".1" material="m"/>'), 3),
    "texture": (world("", '<asset><material name="m" texture="t"/></asset>'), 4),
    "geom twice": (world('<geom name="g" size=".1"/><geom name="g" size=".1"/>'), 3),
    "camera twice": (world('<camera name="c"/><camera name="c"/>'), 3),
    "material twice": (world("", '<asset><material name="m"/>\n<material name="m"/></asset>'), 5),
    "mesh file": (world("", '<asset><mesh name="m" file="none.stl"/></asset>'), 4),
    "texture file": (world("", '<asset><texture name="t" type="2d" file="none.png"/></asset>'), 4),
    "actuator": (world("", '<actuator><motor joint="k"/></actuator>'), 4),
    "sensor": (world("", '<sensor><jointpos joint="k"/></sensor>'), 4),
    "exclude": (world("", '<contact><exclude body1="a" body2="b"/></contact>'), 4),
    "pair": (world('<geom name="g" size=".1"/>', '<contact><pair geom1="g" geom2="h"/></contact>'), 4),
    "weld": (world("", '<equality><weld body1="b"/></equality>'), 4),
    "tendon": (world("", '<tendon><fixed name="t">\n<joint joint="k" coef="1"/></fixed></tendon>'), 5),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_mujoco_refuses_is_found_in_its_line(name):
    text, line = REFUSED[name]
    with pytest.raises(ValueError, match=r".*"):
        mujoco.MjModel.from_xml_string(text)
    if name == "composite":
        with pytest.raises(ParseError) as caught:
            it.load_text(text)
        assert caught.value.line == line
    else:
        assert lines(text) == [line]


TAKEN = {
    "the world": world("", '<contact><exclude body1="world" body2="a"/></contact>'),
    "same name, another kind": world('<site name="a"/><geom name="a" size=".1"/>'),
    "copies": world(
        '<replicate count="2"><body><joint name="k"/><geom name="g" size=".1"/></body></replicate>',
        '<sensor><jointpos joint="k"/></sensor><actuator><motor joint="k0"/></actuator>',
    ),
    "attributes of a frame": world(f'<frame class="main">{BALL}</frame>'),
    "texture by its file": world(
        "",
        '<asset><texture name="t" type="2d" builtin="flat" width="9" height="9"/><material name="m" texture="t"/></asset>',
    ),
    "body outside the world": '<mujoco><body><geom size="1" material="m"/></body></mujoco>',
    "mocap body in the line of one that moves": f'<mujoco><worldbody><body name="t" mocap="true">{BALL}</body>'
    f'<body name="a"><freejoint/>{BALL}</body></worldbody></mujoco>',
    "material of a class": world(
        "", '<default><geom material="later"/></default><asset><material name="later"/></asset>'
    ),
    "tendons and actuators": world(
        '<site name="s"/><site name="r"/>',
        '<tendon><spatial name="t"><site site="s"/><site site="r"/></spatial></tendon>'
        '<actuator><motor name="m" tendon="t"/><general site="s"/><adhesion body="a" ctrlrange="0 1"/></actuator>'
        '<sensor><tendonpos tendon="t"/><actuatorfrc actuator="m"/></sensor>',
    ),
}


@pytest.mark.parametrize("name", TAKEN)
def test_what_mujoco_takes_is_no_finding(name):
    mujoco.MjModel.from_xml_string(TAKEN[name])
    assert lines(TAKEN[name]) == []


def test_models_that_are_attached_are_looked_at(tmp_path):
    (tmp_path / "part.xml").write_text(
        '<mujoco><worldbody><body name="a"><geom size=".1"/>\n<geom sice=".1"/></body></worldbody></mujoco>'
    )
    (tmp_path / "main.xml").write_text(
        '<mujoco><asset><model name="s" file="part.xml"/></asset><worldbody><attach model="s" body="a" prefix="p_"/>'
        '</worldbody><contact><exclude body1="p_a" body2="world"/></contact></mujoco>'
    )
    report = it.check(it.load(tmp_path / "main.xml"))
    assert [(finding.file, finding.line) for finding in report.document_findings] == [(str(tmp_path / "part.xml"), 2)]


def ranged(joint: str, compiler: str = "") -> it.Description:
    return it.load_text(
        f"<mujoco>\n<compiler {compiler}/>\n<worldbody>\n<body name='b'>\n"
        f"<joint {joint}/>\n<geom size='.1'/>\n</body>\n</worldbody>\n</mujoco>"
    )


@pytest.mark.parametrize(
    ("joint", "compiler"),
    [
        ("range='0 0' limited='true'", ""),
        ("range='10 -10' limited='true'", ""),
        ("range='5 5'", "autolimits='false'"),
        ("type='ball' range='10 30'", ""),
        ("actuatorfrcrange='2 1' actuatorfrclimited='true'", ""),
        ("actuatorfrcrange='-2 1'", "autolimits='false'"),
    ],
)
def test_range_that_mujoco_refuses_is_an_error_with_its_line(joint, compiler):
    found = [one for one in it.check(ranged(joint, compiler)).findings if one.code == "mujoco-refuses"]
    assert [(one.severity, one.link, one.line) for one in found] == [(it.Severity.ERROR, "b", 5)]


@pytest.mark.parametrize(
    ("joint", "compiler"),
    [
        ("range='0 0'", ""),
        ("range='0 0'", "autolimits='false'"),
        ("type='free' range='2 1' limited='true'", ""),
        ("type='ball' range='0 0' limited='true'", ""),
        ("range='-1 1'", ""),
    ],
)
def test_range_that_mujoco_takes_is_no_finding(joint, compiler):
    codes = {one.code for one in it.check(ranged(joint, compiler)).findings}
    assert codes.isdisjoint({"mujoco-refuses", "ignored-range"})


@pytest.mark.parametrize("joint", ["range='0 0'", "range='10 -10'", "range='5 5'", "type='ball' range='10 5'"])
def test_range_that_does_not_go_upwards_is_no_limit(joint):
    (found,) = ranged(joint).joints.values()
    assert (found.limit.lower, found.limit.upper) == (None, None)


def test_range_that_is_left_out_is_named():
    codes = [one.code for one in it.check(ranged("range='10 -10'")).findings]
    assert "ignored-range" in codes


def test_names_are_collected_once_however_many_there_are(monkeypatch):
    from inertia_tools.description.mjcf import refusals

    walked, walk = [], refusals._elements
    monkeypatch.setattr(refusals, "_elements", lambda root, *around: walked.append(root) or walk(root, *around))
    counts = []
    for number in (3, 60):
        bodies = "".join(f'<body name="b{n}"><joint name="j{n}"/><geom size="1"/></body>' for n in range(number))
        robot = it.load_text(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
        walked.clear()
        it.stats(robot)
        counts.append(len(walked))
    assert counts[0] == counts[1]
