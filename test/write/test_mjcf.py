# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Corrected MJCF: MuJoCo compiles it, and no byte outside the inertials has changed."""

import re

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.cli import main
from inertia_tools.errors import WriteError
from inertia_tools.write.edit import InertialEdit
from inertia_tools.write.mjcf import write_inertials

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")


@pytest.fixture(autouse=True)
def _away(tmp_path_factory, monkeypatch):
    """Keep the log that MuJoCo leaves in the working folder out of the way."""
    monkeypatch.chdir(tmp_path_factory.mktemp("log"))


BALL = '<geom size=".1"/>'


def model(bodies: str, words: str = "") -> str:
    return f"<mujoco>\n  <compiler {words}/>\n  <worldbody>\n{bodies}\n  </worldbody>\n</mujoco>\n"


def body(inside: str, name: str = "a") -> str:
    return f'    <body name="{name}" pos="1 2 3">\n      <joint/>\n      {inside}\n    </body>'


def fixed(text: str, **options) -> str:
    correction = it.fix(it.load_text(text), **options)
    assert correction.is_complete, correction.after.findings
    mujoco.MjModel.from_xml_string(correction.text)
    assert it.fix(it.load_text(correction.text)).text == correction.text
    return correction.text


def inertial(text: str) -> str:
    return re.search(r"<inertial[^>]*>", text).group(0)


CASES = {
    "triangle, diagonal": (
        '<inertial pos="1 2 3" quat="1 1 0 0"  mass="2" diaginertia = "1 1 2.05"/>',
        r'<inertial pos="1 2 3" quat="1 1 0 0"  mass="2" diaginertia = "1.01\S+ 1.01\S+ 2.03\S+"/>',
    ),
    "triangle, full": (
        "<inertial mass='2' fullinertia='1 1 2.05 .01 0 0' pos='1 2 3' />",
        r"<inertial mass='2' fullinertia='1\S+ 1\S+ 2\S+ 0\S+ 0 0' pos='1 2 3' />",
    ),
    "triangle by a hair": (
        '<inertial pos="0 0 0" mass="1" diaginertia="1 1 2.00000001"/>',
        r'<inertial pos="0 0 0" mass="1" diaginertia="1.0\S+ 1.0\S+ (1.9|2.0)\S+"/>',
    ),
    "no tensor": (
        f'<inertial pos="1 2 3" euler="10 20 30" mass="2"/>{BALL}',
        r'<inertial pos="0 0 0" mass="2" diaginertia="0.008 0.008 0.008"/>',
    ),
    "no mass": (
        f'<inertial pos="0 0 0" diaginertia="1 1 1" zaxis="1 0 0"></inertial>{BALL}',
        r'<inertial pos="0 0 0" diaginertia="0.016755160819\d* 0.0\S+ 0.0\S+" mass="4.18879020479">',
    ),
    "no geoms, no mass": ("", r'<inertial pos="0 0 0" mass="0.00418879020479" diaginertia="\S+ \S+ \S+"/>'),
    "negative mass": (
        f'<inertial pos="0 0 0" mass="-1" diaginertia="1 1 1"/>{BALL}',
        r'<inertial pos="0 0 0" mass="4.18\d+" diaginertia="0.0167\d+ 0.0167\d+ 0.0167\d+"/>',
    ),
    "full in place of diagonal": (
        '<inertial pos="0 0 0" mass="0"  diaginertia="1 1 1" quat="1 1 0 0"/>'
        '<geom type="box" size=".1 .2 .3" euler="10 20 30"/>',
        r'<inertial pos="0 0 0" mass="48"  fullinertia="\S+ \S+ \S+ \S+ \S+ \S+"/>',
    ),
    "two tensors": (
        '<inertial pos="0 0 0" mass="1" diaginertia="9 9 9" fullinertia="1 2 2.5 .1 .2 .3" quat="1 1 0 0"/>',
        r'<inertial pos="0 0 0" mass="1" fullinertia="1 2 2.5 .1 .2 .3"/>',
    ),
    "no place": (
        '<inertial mass="1" diaginertia="1 2 2.5"/>',
        r'<inertial mass="1" diaginertia="1 2 2.5" pos="0 0 0"/>',
    ),
    "not finite": (
        f'<inertial pos="nan 0 0" mass="1" diaginertia="1 2 2.5"/>{BALL}',
        r'<inertial pos="0 0 0" mass="1" diaginertia="1 2 2.5"/>',
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_bad_inertials(name):
    inside, wanted = CASES[name]
    before = model("<!-- kept -->\n" + body(inside) + body(BALL, "b"))
    after = fixed(before)
    assert re.fullmatch(wanted, inertial(after)), inertial(after)
    cut = re.compile(r"\s*<inertial[^>]*>\s*")
    assert cut.sub(" ", after).split() == cut.sub(" ", before).split()


def test_a_new_inertial_is_the_first_child_on_a_line_of_its_own():
    before = model(body("<!-- nothing here -->"))
    after = fixed(before)
    (line,) = re.findall(r"\n      <inertial .*/>", after)
    assert after.replace(line, "") == before
    assert after.index("<inertial") < after.index("<joint")


def test_a_body_without_children():
    text = '<mujoco>\n  <worldbody>\n    <body name="a"/>\n  </worldbody>\n</mujoco>'
    edit = InertialEdit(np.diag([1.0, 2.0, 2.5]), 3.0, np.zeros(3))
    after = write_inertials(text.encode(), {text.index("<body"): edit}).decode()
    assert '<body name="a">\n      <inertial pos="0 0 0" mass="3" diaginertia="1 2 2.5"/>\n    </body>' in after
    mujoco.MjModel.from_xml_string(after)


def test_mass_of_a_geom_counts():
    geoms = '<geom size=".1" mass="3"/><geom size=".1" density="100" pos="1 0 0"/>'
    robot = it.load_text(model(body(geoms)))
    model_ = mujoco.MjModel.from_xml_string(model(body(geoms)))
    assert it.compute(robot)["a"].inertial.mass == pytest.approx(model_.body_mass[1], rel=1e-12)


@pytest.mark.parametrize("numbers", ["5e-15 5e-15 5e-15 1e-16 0 0", "5e-15 6e-15 9e-15 1e-15 -2e-16 1e-15"])
def test_moments_too_small_for_fullinertia_get_axes(numbers):
    text = model(body(f'<inertial pos="0 0 0" mass="1e-6" fullinertia="{numbers}"/>'))
    corrected = fixed(text)
    assert re.search(r'mass="1e-6" diaginertia="[^"]+" quat="[^"]+"/>', corrected)
    before, after = (it.load_text(one).links["a"].declared.inertial for one in (text, corrected))
    np.testing.assert_allclose(after.inertia, before.inertia, rtol=0, atol=1e-11 * before.inertia.max())
    assert before.com.tolist() == after.com.tolist()


def test_small_moments_along_the_axes_of_the_body_need_no_orientation():
    corrected = fixed(model(body('<inertial pos="0 0 0" mass="1e-6" fullinertia="5e-15 5e-15 5e-15 0 0 0"/>')))
    assert '<inertial pos="0 0 0" mass="1e-6" diaginertia="5e-15 5e-15 5e-15"/>' in corrected


FRAME = '<frame pos="0 1 0" euler="0 0 90">{}</frame>'


@pytest.mark.parametrize(
    ("stated", "wanted"),
    [
        ('pos="1 0 0" mass="0" diaginertia="1 1 1"', 'pos="0 0 0" mass="48" diaginertia="1.6 2.08 0.8"'),
        ('pos="1 0 0" mass="2" diaginertia="1 2 3.05"', r'pos="1 0 0" mass="2" diaginertia="1.01\S+ 2.01\S+ 3.03\S+"'),
    ],
)
def test_an_inertial_in_a_frame_is_written_in_the_frame(stated, wanted):
    box = '<geom type="box" size=".1 .2 .3" pos="0 1 0"/>'
    after = fixed(model(body(FRAME.format(f"<inertial {stated}/>") + box) + body(BALL, "b")))
    assert re.fullmatch(f"<inertial {wanted}/>", inertial(after)), inertial(after)
    if "1.6" in wanted:
        compiled = mujoco.MjModel.from_xml_string(after)
        alone = mujoco.MjModel.from_xml_string(model(body(box)))
        assert np.allclose(compiled.body_ipos[1], [0, 1, 0]) and np.allclose(alone.body_ipos[1], [0, 1, 0])
        assert np.allclose(sorted(compiled.body_inertia[1]), sorted(alone.body_inertia[1]))


def test_nothing_to_do():
    text = model(body(BALL) + body('<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>', "b"))
    assert it.fix(it.load_text(text)).text == text


def test_total_mass_and_mass_of_a_body():
    text = model(body(BALL) + body('<inertial pos="0 0 1" quat="1 1 0 0" mass="1" diaginertia="1 2 2.5"/>', "b"))
    after = fixed(text, masses=it.MassModel(total_mass=9.0, link_mass={"b": 4.0}))
    compiled = mujoco.MjModel.from_xml_string(after)
    assert np.allclose(compiled.body_mass, [0, 5, 4], rtol=1e-11)
    assert 'quat="1 1 0 0"' in after
    assert np.allclose(compiled.body_inertia[2], [4, 8, 10])


def test_copies_are_corrected_once():
    text = model(f'<replicate count="3" offset="1 0 0">{body("")}</replicate>' + body(BALL, "b"))
    assert fixed(text).count("<inertial") == 1


def test_copies_of_one_text_get_no_different_numbers(caplog):
    inertial = '<inertial pos="0 0 0" mass="4" diaginertia="1 1 1"/>'
    text = model(f'<replicate count="3" offset="1 0 0">{body(inertial, "b")}</replicate>')
    robot = it.load_text(text)
    with pytest.raises(WriteError, match="bodies 'b0' and 'b1' are copies of one text"):
        it.fix(robot, masses=it.MassModel(link_mass={"b0": 3.0, "b1": 5.0}))
    assert not caplog.records
    it.fix(robot, masses=it.MassModel(link_mass={"b1": 5.0}))
    assert "b0, b2 are copies of its text, and change with it" in caplog.records[0].message
    caplog.clear()
    alike = it.fix(robot, masses=it.MassModel(link_mass={"b0": 5.0, "b1": 5.0, "b2": 5.0}))
    assert not caplog.records
    assert {alike.corrected.links[name].inertial.mass for name in ("b0", "b1", "b2")} == {5.0}


def test_what_the_document_overrides_is_refused():
    bad = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 3"/>'
    true = it.load_text(model(body(BALL), 'inertiafromgeom="true"'))
    with pytest.raises(WriteError, match="lets geoms override"):
        it.fix(true, masses=it.MassModel(link_mass={"a": 3.0}))
    assert it.fix(it.load_text(model(body(bad), 'inertiafromgeom="true"'))).is_complete
    with pytest.raises(WriteError, match="settotalmass of <compiler> scales all"):
        it.fix(it.load_text(model(body(bad), 'settotalmass="3"')), masses=it.MassModel(total_mass=2.0))


@pytest.mark.parametrize(
    "rest", ['mass="0" diaginertia="0 0 0"', 'mass="0"', 'mass="2"', 'mass="0" diaginertia="1 1 1"']
)
def test_bodies_that_need_no_mass_but_a_place(rest):
    fixed(model(f"<body><inertial {rest}/></body>" + body(BALL)))


@pytest.fixture
def parts(tmp_path):
    bad = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 3"/>'
    (tmp_path / "robot.xml").write_text(model('<include file="arm.xml"/>\n' + body('<include file="hand.xml"/>', "b")))
    (tmp_path / "arm.xml").write_text(f"<mujoco>\n  <!-- arm -->\n{body(bad)}\n</mujoco>\n")
    (tmp_path / "hand.xml").write_text(f"<mujoco>{bad}</mujoco>\n")
    return tmp_path


def test_included_files_are_corrected_in_their_own_place(parts, capsys):
    before = {path.name: path.read_text() for path in parts.iterdir()}
    assert main(["check", str(parts / "robot.xml")]) == 1
    assert f"{parts / 'arm.xml'}:5: error: a:" in capsys.readouterr().out
    assert main(["fix", "--in-place", str(parts / "robot.xml")]) == 0
    after = {path.name: path.read_text() for path in parts.iterdir()}
    assert after["robot.xml"] == before["robot.xml"]
    assert after["arm.xml"].split("diaginertia")[0] == before["arm.xml"].split("diaginertia")[0]
    assert after["hand.xml"] != before["hand.xml"]
    mujoco.MjModel.from_xml_path(str(parts / "robot.xml"))
    assert main(["check", str(parts / "robot.xml")]) == 0


def test_included_files_are_not_corrected_when_the_document_goes_elsewhere(parts, capsys):
    before = {path.name: path.read_text() for path in parts.iterdir()}
    correction = it.fix(it.load(parts / "robot.xml"))
    assert correction.diff().count("@@") == 4
    with pytest.raises(WriteError, match=re.escape(str(parts / "arm.xml"))):
        correction.save(parts / "other.xml")
    assert main(["fix", "-o", "-", str(parts / "robot.xml")]) == 2
    assert {path.name: path.read_text() for path in parts.iterdir()} == before


def test_commands_work(tmp_path, capsys):
    path = tmp_path / "robot.xml"
    path.write_text(model(body(BALL), 'settotalmass="3"'))
    for command in ("check", "stats", "compute"):
        assert main([command, str(path)]) == 0
        assert main([command, "--json", str(path)]) == 0
    assert '"total_mass": 3.0' in capsys.readouterr().out
