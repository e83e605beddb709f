# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
import os

import pytest
from robots import GOOD, link, mass, urdf

import inertia_tools as it
from inertia_tools.description.types import Format
from inertia_tools.errors import ParseError, UndeclaredArgumentError, WriteError

pytest.importorskip("xacro", reason="xacro is not installed")

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
        ('<xacro:macro name="m" params=""><xacro:m/></xacro:macro><xacro:m/>', "macros nest without end"),
    ],
)
def test_xacro_errors_name_the_file(tmp_path, body, reason):
    path = tmp_path / "robot.xacro"
    path.write_text(f"{HEAD}{body}</robot>")
    with pytest.raises(ParseError, match=reason) as caught:
        it.load(path)
    assert str(path) in str(caught.value)


INCLUDED = f"""{HEAD}
  <xacro:macro name="wheel" params="name">
    <link name="${{name}}"><inertial><mass value="${{mm}}"/></inertial></link>
  </xacro:macro>
</robot>
"""
CALLER = f'{HEAD}\n<xacro:include filename="wheel.xacro"/>\n<xacro:wheel name="a"/>\n</robot>'


def test_an_error_in_a_macro_names_its_line_and_the_call(tmp_path):
    (tmp_path / "wheel.xacro").write_text(INCLUDED)
    path = tmp_path / "robot.xacro"
    path.write_text(CALLER)
    with pytest.raises(ParseError) as caught:
        it.load(path)
    assert (caught.value.path, caught.value.line) == (str(tmp_path / "wheel.xacro"), 3)
    reason = "xacro cannot expand it: name 'mm' is not defined when evaluating expression 'mm'"
    remedy = "define it above with <xacro:property>, or correct its name"
    assert caught.value.reason == f"{reason}; {remedy}; in macro 'wheel', called at {path}:3"


@pytest.mark.parametrize(
    ("included", "line", "reason"),
    [
        (f'{HEAD}\n<link name="${{1/0}}"/></robot>', 2, "division by zero"),
        (f"{HEAD}\n<link></robot>", 2, "mismatched tag"),
    ],
)
def test_an_error_in_an_included_file_names_that_and_where_it_is_included(tmp_path, included, line, reason):
    (tmp_path / "wheel.xacro").write_text(included)
    path = tmp_path / "robot.xacro"
    path.write_text(CALLER)
    with pytest.raises(ParseError, match=reason) as caught:
        it.load(path)
    assert (caught.value.path, caught.value.line) == (str(tmp_path / "wheel.xacro"), line)
    assert caught.value.reason.endswith(f"; included at {path}:2")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (
            '<xacro:include filename="no.xacro"/>',
            "No such file or directory: {folder}/no.xacro; write a path relative to the including file, "
            "or $(find PACKAGE)/PATH",
        ),
        (
            '<link name="$(find nopkg)"/>',
            "package 'nopkg' was not found; name the folder that holds it with --package-path",
        ),
        (
            '<link name="$(arg no)"/>',
            "Undefined substitution argument no; declare it above with <xacro:arg>, or correct its name",
        ),
        (
            "<link name=\"${xacro.load_yaml('no.yaml')}\"/>",
            "No such file or directory: {folder}/no.yaml; write a path relative to the including file, "
            "or $(find PACKAGE)/PATH",
        ),
        (
            "<xacro:no/>",
            "unknown macro name: xacro:no; define the macro above or include its file, or correct its name",
        ),
        ('<xacro:arg name="no"/>', "xacro:arg: missing attribute 'default'"),
    ],
)
def test_what_xacro_says_is_said_once_with_the_line(tmp_path, body, reason):
    path = tmp_path / "robot.xacro"
    path.write_text(f"{HEAD}\n{body}</robot>")
    with pytest.raises(ParseError) as caught:
        it.load(path)
    assert caught.value.reason == "xacro cannot expand it: " + reason.format(folder=tmp_path)
    assert caught.value.line == 2


def test_a_value_for_an_argument_that_is_nowhere_declared_is_refused(source, tmp_path):
    with pytest.raises(UndeclaredArgumentError, match=r"'mm': did you mean 'm'\?") as caught:
        it.load(source, xacro_arguments={"mm": "3", "m": "1"})
    assert (caught.value.names, caught.value.declared) == (("mm",), ("m",))


def test_a_value_for_an_argument_of_a_plain_file_is_refused(tmp_path):
    (tmp_path / "robot.urdf").write_text(f'{HEAD}<link name="base"/></robot>')
    with pytest.raises(UndeclaredArgumentError, match=r"robot\.urdf: no <xacro:arg> has this name: 'm'"):
        it.load(tmp_path / "robot.urdf", xacro_arguments={"m": "3"})


@pytest.mark.parametrize("use", ['<xacro:include filename="arg.xacro"/>', '<material name="$(arg k)"/>'])
def test_an_argument_may_be_declared_in_an_include_left_out_by_a_condition_or_only_used(tmp_path, use):
    (tmp_path / "arg.xacro").write_text(
        f'{HEAD}<xacro:if value="false"><xacro:arg name="k" default="1"/></xacro:if></robot>'
    )
    (tmp_path / "robot.xacro").write_text(f'{HEAD}<link name="base"/>{use}</robot>')
    assert "base" in it.load(tmp_path / "robot.xacro", xacro_arguments={"k": "2"}).links


def test_fix_writes_the_expansion_and_never_the_source(source, tmp_path):
    correction = it.fix(it.load(source))
    assert set(correction.changes) == {"base"}
    with pytest.raises(WriteError, match="is a xacro"):
        correction.save(source)
    assert source.read_text() == SOURCE
    correction.save(tmp_path / "out.urdf")
    assert it.check(it.load(tmp_path / "out.urdf")).findings == ()


def test_files_that_include_each_other_are_named(tmp_path):
    for name, next_one in (("main", "a"), ("a", "b"), ("b", "a")):
        (tmp_path / f"{name}.xacro").write_text(f'{HEAD}<xacro:include filename="{next_one}.xacro"/></robot>')
    with pytest.raises(
        ParseError, match=r"Circular include: \S*a\.xacro -> \S*b\.xacro -> \S*a\.xacro; remove one"
    ) as caught:
        it.load(tmp_path / "main.xacro")
    assert caught.value.path == str(tmp_path / "main.xacro")


def test_valid_xacro_has_nothing_to_fix(tmp_path):
    path = tmp_path / "robot.xacro"
    path.write_text(urdf(link("base", GOOD)).replace('<robot name="r">', HEAD))
    assert it.fix(it.load(path)).changes == {}


# A xacro is a program: nothing but a file's name or the caller makes one run

SHELL = (
    "${(lambda: [c for c in ().__class__.__base__.__subclasses__() if c.__name__ == '_wrap_close'][0]"
    ".__init__.__globals__['system']('touch MARK'))()}"
)
PROGRAMS = [
    urdf('<link name="SHELL"/>'),
    urdf(link("${9**9**9}")),
    urdf(link("$(env HOME)")),
    urdf(link("base", mass("${load_yaml('/etc/passwd')}"))),
    urdf(link("base", "", '<mesh filename="$(find pkg)/a.stl"/>')),
    urdf('<gazebo><plugin name="$(eval 1)" filename="x"/></gazebo>'),
    f'{HEAD}<xacro:property name="a" value="1"/></robot>',
    '<sdf version="1.9"><model name="${1}"><link name="base"/></model></sdf>',
    '<sdf version="1.9"><model name="m"><link name="base"><inertial><mass>${2 + 1}</mass></inertial></link></model></sdf>',
    '<mujoco><worldbody><body name="SHELL"><geom size="1"/></body></worldbody></mujoco>',
]


@pytest.fixture
def trap(tmp_path, monkeypatch):
    """Make the programs leave a mark when they run; return whether one did."""
    monkeypatch.chdir(tmp_path)
    return lambda: os.path.exists("MARK")


@pytest.mark.parametrize("text", PROGRAMS)
def test_text_is_never_run(text, trap):
    with pytest.raises(ParseError, match=r"is xacro.*\.xacro.*--xacro"):
        it.load_text(text.replace("SHELL", SHELL))
    assert not trap()


@pytest.mark.parametrize("text", PROGRAMS)
@pytest.mark.parametrize("name", ["robot.urdf", "robot.xacro.urdf", "xacro", "robot.xml"])
def test_a_file_of_another_name_is_never_run(text, name, trap, tmp_path):
    (tmp_path / name).write_text(text.replace("SHELL", SHELL))
    with pytest.raises(ParseError, match=r":\d+: .*is xacro") as caught:
        it.load(tmp_path / name)
    assert len(str(caught.value)) < len(str(tmp_path)) + 300
    assert not trap()


def test_included_text_is_never_run(trap, tmp_path):
    (tmp_path / "part").mkdir()
    model = f'<sdf version="1.9"><model name="{SHELL}"><link name="base"/></model></sdf>'
    (tmp_path / "part/model.sdf").write_text(model)
    (tmp_path / "world.sdf.xacro").write_text(
        '<sdf version="1.9"><model name="m"><include><uri>part</uri></include></model></sdf>'
    )
    (tmp_path / "part.xml").write_text(f'<mujoco><worldbody><body name="{SHELL}"/></worldbody></mujoco>')
    (tmp_path / "scene.xml").write_text('<mujoco><include file="part.xml"/></mujoco>')
    for name in ("world.sdf.xacro", "scene.xml"):
        with pytest.raises(ParseError, match=r"part.*is xacro"):
            it.load(tmp_path / name)
    assert not trap()


def test_the_caller_may_say_that_it_is_a_program(tmp_path):
    (tmp_path / "robot.urdf").write_text(SOURCE)
    assert it.load(tmp_path / "robot.urdf", xacro=True).links["base"].inertial.mass == 4
    assert it.load_text(SOURCE, xacro=True, xacro_arguments={"m": "3"}).links["base"].inertial.mass == 6


def test_the_caller_may_refuse_every_xacro(source):
    with pytest.raises(ParseError, match="--no-xacro"):
        it.load(source, xacro=False)


def test_text_that_no_reader_looks_at_is_no_xacro():
    text = '<gazebo><plugin name="p" filename="f"><path>$(find pkg)/a.yaml</path></plugin></gazebo>'
    assert it.load_text(urdf(link("base", GOOD), text)).links["base"].inertial.mass == 1
    plugin = '<plugin name="p" filename="f"><path>${HOME}</path></plugin>'
    assert it.load_text(f'<sdf version="1.9"><model name="m"><link name="base"/>{plugin}</model></sdf>').links


def test_the_program_would_leave_its_mark(trap):
    pytest.importorskip("xacro", reason="xacro is not installed")
    it.load_text(PROGRAMS[0].replace("SHELL", SHELL), xacro=True)
    assert trap()


def test_a_relative_package_path_counts_from_the_working_folder(tmp_path, monkeypatch):
    """xacro resolved what `$(find pkg)` returned in the folder of the including file, where it is not."""
    parts, main = tmp_path / "elsewhere/parts", tmp_path / "robot/urdf/robot.urdf.xacro"
    parts.mkdir(parents=True)
    main.parent.mkdir(parents=True)
    (parts / "part.xacro").write_text('<robot xmlns:xacro="http://ros.org/wiki/xacro"><link name="a"/></robot>')
    include = '<xacro:include filename="$(find parts)/part.xacro"/>'
    main.write_text(f'<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro">{include}</robot>')
    monkeypatch.chdir(tmp_path)
    assert list(it.load("robot/urdf/robot.urdf.xacro", package_path=["elsewhere"]).links) == ["a"]
