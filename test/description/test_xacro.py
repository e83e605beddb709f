# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
import pytest
from robots import GOOD, link, mass, urdf

import inertia_tools as it
from inertia_tools.description.types import Format
from inertia_tools.errors import ParseError, WriteError

pytest.importorskip("xacro")

HEAD = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
SOURCE = f"""{HEAD}
  <xacro:arg name="m" default="2"/>
  <xacro:macro name="part" params="name m">
    <link name="${{name}}"><inertial><mass value="${{m * 2}}"/>
      <inertia ixx="${{m}}" ixy="0" ixz="0" iyy="${{m}}" iyz="0" izz="${{3 * m}}"/></inertial></link>
  </xacro:macro>
  <xacro:part name="base" m="$(arg m)"/>
</robot>
"""


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "robot.urdf.xacro"
    path.write_text(SOURCE)
    return path


def test_macros_and_arguments(source):
    robot = it.load(source)
    assert robot.format is Format.XACRO
    assert robot.links["base"].inertial.mass == 4
    assert it.load(source, xacro_arguments={"m": "5"}).links["base"].inertial.mass == 10
    assert robot.links["base"].place.file == f"{source} (expanded)"


def test_unused_namespace_stays_plain_urdf(tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(urdf(link()).replace('<robot name="r">', HEAD))
    assert it.load(path).format is Format.URDF


def test_includes_resolve_beside_the_file_and_in_packages(tmp_path):
    (tmp_path / "my_pkg").mkdir()
    (tmp_path / "my_pkg/part.xacro").write_text(f'{HEAD}<xacro:property name="w" value="3"/></robot>')
    (tmp_path / "my_pkg/robot.xacro").write_text(
        f'{HEAD}<xacro:include filename="part.xacro"/><xacro:include filename="$(find my_pkg)/part.xacro"/>'
        + link("base", mass("${w}"))
        + "</robot>"
    )
    assert it.load(tmp_path / "my_pkg/robot.xacro").links["base"].declared.mass == 3


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ('<xacro:include filename="nowhere.xacro"/>', "nowhere.xacro"),
        ('<xacro:include filename="$(find nopkg)/a.xacro"/>', "--package-path"),
        ('<link name="${undefined}"/>', "undefined"),
        ("<xacro:unknown_macro/>", "unknown_macro"),
        ('<xacro:macro name="m" params=""><xacro:m/></xacro:macro><xacro:m/>', "without end|recursion"),
    ],
)
def test_xacro_errors_name_the_file(tmp_path, body, reason):
    path = tmp_path / "robot.xacro"
    path.write_text(f"{HEAD}{body}</robot>")
    with pytest.raises(ParseError, match=reason) as caught:
        it.load(path)
    assert str(path) in str(caught.value)


def test_fix_writes_the_expansion_and_never_the_source(source, tmp_path):
    correction = it.fix(it.load(source))
    assert set(correction.changes) == {"base"}
    with pytest.raises(WriteError, match="is a xacro"):
        correction.save(source)
    assert source.read_text() == SOURCE
    correction.save(tmp_path / "out.urdf")
    assert it.check(it.load(tmp_path / "out.urdf")).findings == ()


def test_valid_xacro_has_nothing_to_fix(tmp_path):
    path = tmp_path / "robot.xacro"
    path.write_text(urdf(link("base", GOOD)).replace('<robot name="r">', HEAD))
    assert it.fix(it.load(path)).changes == {}
