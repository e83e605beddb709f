# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
import math

import numpy as np
import pytest
from robots import BOX, GOOD, joint, link, mass, tensor, urdf

import inertia_tools as it
from inertia_tools.description import xml
from inertia_tools.description.types import Box, Capsule, Cylinder, JointType, Mesh, Sphere
from inertia_tools.errors import ParseError, UnknownLinkError

BOMB = """<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "xxxxxxxxxx"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<robot name="&b;"><link name="base"/></robot>"""
FILE_ENTITY = (
    """<!DOCTYPE r [<!ENTITY f SYSTEM "file:///etc/hostname">]><robot name="&f;"><link name="base"/></robot>"""
)


def test_reads_links_joints_and_shapes():
    robot = it.load_text(
        urdf(
            link("base", '<origin xyz="1 2 3" rpy="0 0 1.5"/>' + GOOD, BOX),
            link("arm", GOOD, '<cylinder radius="0.1" length="0.5"/>', "visual"),
            joint("arm", type_="prismatic", origin="0 0 2"),
        )
    )
    assert robot.name == "r"
    assert list(robot.links) == ["base", "arm"]
    assert robot.root == "base"
    assert robot.links["base"].collisions[0].geometry == Box((0.1, 0.2, 0.3))
    assert robot.links["arm"].visuals[0].geometry == Cylinder(0.1, 0.5)
    assert np.allclose(robot.links["base"].inertial.com, [1, 2, 3])
    arm = robot.joints["arm_joint"]
    assert (arm.type, arm.parent, arm.child) == (JointType.PRISMATIC, "base", "arm")
    assert np.allclose(arm.pose_parent_child.position, [0, 0, 2])
    assert (arm.limit.lower, arm.limit.upper) == (-1, 1)
    assert robot.is_moved("arm")
    assert not robot.is_moved("base")


def test_tensor_is_turned_into_link_axes():
    robot = it.load_text(urdf(link("base", f'<origin rpy="0 0 {math.pi / 2}"/>' + mass(1) + tensor(1, 2, 3))))
    assert np.allclose(np.diag(robot.links["base"].inertial.inertia), [2, 1, 3])


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ('<sphere radius="0.5"/>', Sphere(0.5)),
        ('<capsule radius="0.5" length="1"/>', Capsule(0.5, 1.0)),
        ('<mesh filename="nowhere.stl"/>', Mesh("nowhere.stl", None)),
        ('<mesh filename="nowhere.stl" scale="1 2 -3"/>', Mesh("nowhere.stl", None, (1.0, 2.0, -3.0))),
        ('<mesh filename="nowhere.stl" scale="2"/>', Mesh("nowhere.stl", None, (2.0, 2.0, 2.0))),
    ],
)
def test_shapes(shape, expected):
    assert it.load_text(urdf(link(geometry=shape))).links["base"].collisions[0].geometry == expected


def test_places_are_lines_of_the_file(tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(
        '<robot name="r">\n\n  <link name="base">\n    <inertial>\n      <mass value="0"/></inertial></link></robot>'
    )
    robot = it.load(path)
    assert robot.links["base"].place.line == 3
    assert robot.links["base"].declared.place.line == 4
    assert robot.links["base"].place.file == str(path)


def test_joint_without_axis_turns_about_x_and_axes_become_unit_vectors():
    plain = '<joint name="j" type="continuous"><parent link="base"/><child link="a"/></joint>'
    assert np.array_equal(it.load_text(urdf(link(), link("a"), plain)).joints["j"].axis, [1, 0, 0])
    long = plain.replace("<parent", '<axis xyz="0 3 4"/><parent')
    assert np.allclose(it.load_text(urdf(link(), link("a"), long)).joints["j"].axis, [0, 0.6, 0.8])


TWO = urdf(link(), link("a"), link("b"))
BAD = {
    "empty": ("", "empty", None),
    "blanks": ("  \n ", "empty", None),
    "no xml": ("hello", "begin with a tag", 1),
    "cut off": ("<robot>\n<link name='a'>\n", "<link> of line 2 is not closed", 3),
    "another end tag": ("<robot>\n<link name='a'>\n</robot>", "<link> of line 2 is not closed", 3),
    "two robots": (f"{urdf(link())}\n<robot name='s'/>", "one root element; move what follows", 4),
    "declaration in the second line": ("\n<?xml version='1.0'?>\n<robot/>", "remove what precedes it", 2),
    "latin-1 without a declaration": ("<robot>\n<link name='\xe9'/></robot>".encode("latin-1"), "declared encoding", 2),
    "ampersand in the first tag": ("<robot name='a & b'/>", "correct it there", 1),
    "wrong root": ("\n<house/>", "<house>", 2),
    "sdf before its versions": ("<gazebo version='1.0'/>", "SDFormat before 1.2", 1),
    "no links": ("<robot name='r'/>", "no <link>", 1),
    "no name": ("<robot>\n<link/></robot>", "no attribute 'name'", 2),
    "words for a mass": (urdf(link("base", mass("heavy"))), "'heavy'.*not a number", 2),
    "words for a tensor": (urdf(link("base", mass(1) + tensor("x", 1, 1))), "'x'.*not a number", 2),
    "two numbers": (urdf(link("base", '<origin xyz="1 2"/>' + GOOD)), "2 numbers; 3 are needed", 2),
    "digit separators": (urdf(link("base", mass("1_000"))), "not a number", 2),
    "two masses": (urdf(link("base", mass(1) + mass(2))), "2 <mass>", 2),
    "same name twice": (urdf(link(), link()), "second link.*'base'", 3),
    "unknown shape": (urdf(link(geometry="<torus/>")), "<torus>", 2),
    "no shape": (urdf('<link name="base"><collision><geometry/></collision></link>'), "0 shapes", 2),
    "no geometry": (urdf('<link name="base"><collision/></link>'), "no <geometry>", 2),
    "unknown link": (urdf(link(), link("a"), joint("b")), "'b'.*did you mean|'b'", 4),
    "no axis": (
        urdf(link(), link("a"), joint("a").replace('"0 0 1"/><limit', '"0 0 0"/><limit')),
        "is zero; write a nonzero vector",
        4,
    ),
    "two roots": (TWO, "3 links have no parent", 3),
    "two parents": (
        urdf(link(), link("a"), joint("a"), joint("a").replace("a_joint", "k")),
        "is the child of joint",
        5,
    ),
    "loop": (urdf(link("r"), link("a"), link("b"), joint("a", "b"), joint("b", "a")), "loop", None),
    "loop of one": (urdf(link("base"), joint("base", "base")), "loop", 3),
    "entity bomb": (BOMB, "entit", 1),
    "file entity": (FILE_ENTITY, "entit", 1),
    "utf-16 without a link": ("<robot/>".encode("utf-16"), "no <link>", 1),
    "half of utf-16": (b"\xff\xfe<\x00r", "byte order mark of utf-16-le but has other content", None),
    "unknown encoding": (b'<?xml version="1.0" encoding="klingon"?><robot/>', "declare the encoding", None),
    "bytes": (bytes(range(256)), "not well-formed", None),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_documents_name_line_and_remedy(case):
    text, reason, line = BAD[case]
    with pytest.raises(ParseError, match=reason) as caught:
        it.load_text(text, name="robot.urdf")
    assert caught.value.path == "robot.urdf"
    if line is not None:
        assert caught.value.line == line


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(ParseError, match="No such file"):
        it.load(tmp_path / "nowhere.urdf")
    with pytest.raises(ParseError, match="directory"):
        it.load(tmp_path)


@pytest.mark.parametrize("text", [urdf(link("a")), "#usda 1.0\ndef Xform 'a' {}", "<robot name='r'/>"])
def test_a_text_in_place_of_a_path_is_referred_to_load_text(text):
    with pytest.raises(ParseError) as caught:
        it.load(text)
    assert str(caught.value) == "<text>: the path is the text of a document; read it with load_text"


def test_unknown_link_lists_the_near_ones():
    robot = it.load_text(urdf(link("forearm")))
    with pytest.raises(UnknownLinkError, match="did you mean 'forearm'"):
        robot.link("foream")


def test_deep_documents_cost_no_recursion():
    chain = [link("l0")] + [link(f"l{i}", GOOD) + joint(f"l{i}", f"l{i - 1}") for i in range(1, 3000)]
    robot = it.load_text(urdf(*chain))
    assert len(robot.depth_first) == 3000
    assert it.load_text("<robot name='r'>" + "<a>" * 5000 + "</a>" * 5000 + "<link name='x'/></robot>").root == "x"


def test_other_encodings_are_read():
    text = '<?xml version="1.0" encoding="iso-8859-1"?><robot name="Rüssel"><link name="Fuß"/></robot>'
    assert list(it.load_text(text.encode("iso-8859-1")).links) == ["Fuß"]


def test_a_document_beyond_the_memory_is_an_error_of_ours(monkeypatch):
    def without_room(*_):
        raise MemoryError

    monkeypatch.setattr(xml.Element, "__init__", without_room)
    with pytest.raises(ParseError, match="0 MiB need more memory than is available"):
        it.load_text(urdf(link("base", GOOD)))


@pytest.mark.parametrize(("name", "found"), [("", ["unnamed-robot"]), (' name=""', []), (' name="r"', [])])
def test_a_robot_without_a_name_is_an_error_as_it_is_to_urdfdom(name, found):
    report = it.check(it.load_text(f"<!-- two -->\n<robot{name}><link name='a'/></robot>"))
    assert [finding.code for finding in report.document_findings] == found
    assert all((one.severity, one.line) == (it.Severity.ERROR, 2) for one in report.document_findings)


@pytest.mark.parametrize(
    "text",
    [
        urdf(link("a", mass("2,5"))),
        urdf(link("a", "", '<box size="0,1 0,2 0,3"/>')),
        "<sdf version='1.9'><model name='m'><link name='a'><inertial><mass>2,5</mass></inertial></link></model></sdf>",
        "<mujoco><worldbody><body name='a' pos='0,1 0 0'><geom size='1'/></body></worldbody></mujoco>",
    ],
)
def test_a_decimal_comma_is_named_as_such(text):
    with pytest.raises(ParseError, match="write a decimal point"):
        it.load_text(text)
