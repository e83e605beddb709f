# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
import json

import pytest
from robots import GOOD

import inertia_tools as it
from inertia_tools.cli import main
from inertia_tools.description import xacro_origins
from inertia_tools.errors import ParseError

xacro = pytest.importorskip("xacro", reason="xacro is not installed")

XMLNS = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
MAIN = f"""<?xml version="1.0"?>
<robot name="r" {XMLNS}>
  <xacro:include filename="wheel.xacro"/>
  <xacro:property name="heavy"><mass value="-2"/></xacro:property>
  <link name="base">{GOOD}</link>
  <xacro:wheel side="left"><origin xyz="0 1 0"/></xacro:wheel>
  <xacro:wheel side="right">
    <origin xyz="0 -1 nan"/>
  </xacro:wheel>
  <xacro:if value="$(arg box)"><link name="lid"><visual><geometry><box size="1 1 1"/></geometry></visual></link>
    <joint name="lid_j" type="fixed"><parent link="base"/><child link="lid"/></joint></xacro:if>
  <xacro:arg name="box" default="true"/>
</robot>
""".replace('  <xacro:arg name="box" default="true"/>\n', "").replace(
    "<xacro:include", '<xacro:arg name="box" default="true"/><xacro:include'
)
WHEEL = f"""<robot {XMLNS}>
  <xacro:macro name="body" params="side">
      <inertial>
        <mass value="${{-1}}"/>
        <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
      </inertial>
  </xacro:macro>
  <xacro:macro name="wheel" params="side *pose">
    <link name="${{side}}_wheel">
      <xacro:body side="${{side}}"/>
      <collision><xacro:insert_block name="pose"/><geometry><sphere radius="0.1"/></geometry></collision>
    </link>
    <joint name="${{side}}_j" type="continuous"><parent link="base"/><child link="${{side}}_wheel"/></joint>
  </xacro:macro>
</robot>
"""


@pytest.fixture
def path(tmp_path):
    (tmp_path / "wheel.xacro").write_text(WHEEL)
    file = tmp_path / "robot.urdf.xacro"
    file.write_text(MAIN)
    return file


def test_findings_name_file_line_and_macro_of_the_source(path):
    found = {(f.link, f.code): f for f in it.check(it.load(path)).findings}
    wheel = found["left_wheel", "negative-mass"]
    assert (wheel.file, wheel.line) == (str(path.parent / "wheel.xacro"), 3)
    assert wheel.message.endswith("(in macro 'body')")
    lid = found["lid", "missing-inertial"]
    assert (lid.file, lid.line) == (str(path), 10)
    assert "macro" not in lid.message
    block = found["right_wheel", "invalid-origin"]
    assert block.file in (str(path), str(path.parent / "wheel.xacro"))
    assert block.line in (8, 11)


def test_the_expansion_is_the_same_as_without_marks(path, monkeypatch):
    marked = it.load(path).document.data
    assert xacro_origins.MARK.encode() not in marked
    monkeypatch.setattr(xacro_origins, "_lines", lambda text: [])
    assert it.load(path).document.data == marked


def test_unknown_origins_are_said_with_how_to_see_the_expansion(path, monkeypatch, capsys):
    main(["check", str(path)])
    assert "expansion" not in capsys.readouterr().out
    monkeypatch.setattr(xacro_origins, "_lines", lambda text: [])
    main(["check", str(path), "--xacro-arg", "box=false"])
    out = capsys.readouterr().out
    assert f"{path} (expanded):" in out
    assert f"to see it: xacro {path} box:=false -o expanded.urdf" in out


def test_errors_of_reading_point_into_the_source(path):
    (path.parent / "wheel.xacro").write_text(WHEEL.replace('ixx="1"', 'ixx="one"'))
    with pytest.raises(ParseError, match="is not a number") as caught:
        it.load(path)
    assert (caught.value.path, caught.value.line) == (str(path.parent / "wheel.xacro"), 5)


def test_after_a_correction_the_lines_are_still_those_of_the_source(path):
    fixed = it.fix(it.load(path))
    assert fixed.corrected.links["lid"].place.origin.line == 10
    assert fixed.corrected.links["lid"].declared.place.origin.line == 10  # it was not there before
    assert fixed.is_complete or all(f.file.endswith(".xacro") for f in fixed.after.findings)


def test_json_has_the_place_in_the_source(path, capsys):
    main(["check", str(path), "--json"])
    links = json.loads(capsys.readouterr().out)["files"][0]["links"]
    (wheel,) = [one for one in links if one["link"] == "right_wheel"]
    places = {(f["code"], f["file"], f["line"]) for f in wheel["findings"]}
    assert ("negative-mass", str(path.parent / "wheel.xacro"), 3) in places


def test_values_to_paste_come_with_their_place(path, capsys):
    assert main(["fix", str(path), "--in-place"]) == 2
    assert f"({path.parent / 'wheel.xacro'}:9)" in capsys.readouterr().err
