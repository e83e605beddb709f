# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""MJCF as MuJoCo reads it: the same bodies, joints, geoms and poses, and errors that name file and line."""

import re

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.description.mjcf.bodies import BodyReader
from inertia_tools.description.mjcf.copies import count_copied
from inertia_tools.description.mjcf.orientation import from_euler, from_eulers
from inertia_tools.description.mjcf_bodies import Compiler
from inertia_tools.description.types import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Format,
    Heightmap,
    JointType,
    Mesh,
    OtherGeometry,
    Plane,
    Sphere,
)
from inertia_tools.description.xml import parse_xml
from inertia_tools.errors import ParseError
from inertia_tools.spatial import rotation_about, rotation_from_quaternion

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")


@pytest.fixture(autouse=True)
def _away(tmp_path_factory, monkeypatch):
    """Keep the log that MuJoCo leaves in the working folder out of the way."""
    monkeypatch.chdir(tmp_path_factory.mktemp("log"))


SAME = 1e-12
BALL = '<geom size=".1"/>'


def world(bodies: str, before: str = "") -> str:
    return f"<mujoco>{before}<worldbody>{bodies}</worldbody></mujoco>"


def compiler(words: str) -> str:
    return f"<compiler {words}/>"


def assert_same_tree(text: str) -> it.Description:
    """Hold names, parents and poses of all bodies and geoms against MuJoCo's."""
    robot, model = it.load_text(text), mujoco.MjModel.from_xml_string(text)
    assert list(robot.links) == [model.body(i).name or str(i) for i in range(model.nbody)]
    for number, name in list(enumerate(robot.links))[1:]:
        joint = robot.parent_joint[name]
        assert joint.parent == list(robot.links)[model.body_parentid[number]]
        assert np.allclose(joint.pose_parent_child.position, model.body_pos[number], atol=SAME)
        assert np.allclose(joint.pose_parent_child.rotation, turned(model.body_quat[number]), atol=SAME)
    geoms = [geom for name in robot.links for geom in robot.mjcf.geoms[name]]
    assert [geom.name for geom in geoms] == [model.geom(i).name for i in range(model.ngeom)]
    for number, geom in enumerate(geoms):
        if geom.mesh is None:
            assert np.allclose(geom.pose_body_geom.position, model.geom_pos[number], atol=SAME)
            assert np.allclose(geom.pose_body_geom.rotation, turned(model.geom_quat[number]), atol=SAME)
    return robot


def turned(quaternion):
    w, x, y, z = quaternion
    return rotation_from_quaternion([x, y, z, w])


ORIENTATIONS = ['quat="1 2 3 4"', 'axisangle="1 2 3 40"', 'euler="10 20 30"', 'zaxis="1 2 3"', 'zaxis="0 0 -2"']
ORIENTATIONS += ['zaxis="0 0 1"', 'xyaxes="1 1 0 0 2 1"']


@pytest.mark.parametrize("orientation", ORIENTATIONS)
def test_every_form_of_orientation(orientation):
    assert_same_tree(world(f'<body pos="1 2 3" {orientation}><geom size=".1" pos="3 2 1" {orientation}/></body>'))


@pytest.mark.parametrize("sequence", ["xyz", "XYZ", "zxz", "xyZ", "ZyX"])
@pytest.mark.parametrize("angle", ["degree", "radian"])
def test_every_euler_sequence(sequence, angle):
    words = compiler(f'eulerseq="{sequence}" angle="{angle}"')
    assert_same_tree(world('<body euler=".3 -.7 1.1"/>', words))


TREES = {
    "nested and unnamed": world("<body><body name='a'><body/></body><body/></body><body name='b'/>"),
    "frames": world(
        "<frame pos='0 0 1' euler='0 0 90'><body name='a' pos='1 0 0'><frame pos='1 0 0' zaxis='1 0 0'>"
        f"{BALL}<body pos='0 1 0'/></frame></body></frame>"
    ),
    "fromto": world(
        '<body><geom type="capsule" fromto="0 0 0 .1 .2 .3" size=".1"/>'
        '<geom type="box" fromto="0 0 1 0 0 -1" size=".1 .2 .3"/><geom type="cylinder" fromto="0 0 0 0 0 1" size=".1"/>'
        '<geom type="ellipsoid" fromto="1 0 0 0 0 1" size=".1"/></body>'
    ),
    "replicate": world(
        '<replicate count="11" offset="1 0 0" euler="0 0 10" sep="_"><body name="z" pos="0 1 0"><joint name="j"/>'
        '<geom name="g" size=".1"/></body></replicate>'
    ),
    "replicate in replicate": world(
        '<replicate count="2" offset="1 0 0"><replicate count="3" offset="0 1 0" sep="-"><body name="z">'
        '<geom name="g" size=".1"/></body></replicate></replicate><body name="last"/>'
    ),
    "ten copies, padded": world(
        f'<replicate count="10" offset="1 0 0"><body name="z">{BALL}</body></replicate>'
        f'<replicate count="100" offset="0 1 0"><body name="y">{BALL}</body></replicate>'
    ),
    "replicated geoms": world(
        f'<body name="q"><replicate count="3" offset="1 0 0">{BALL}</replicate><body name="r"/></body>'
    ),
    "no copies": world('<replicate count="0"><body/></replicate><body name="a"/>'),
    "two worlds": world("<body name='a'/>", world("<body name='b'/>")[8:-9]),
}


@pytest.mark.parametrize("name", TREES)
def test_trees(name):
    assert_same_tree(TREES[name])


DEFAULTS = """<default><geom group="2"/>
  <default class="x"><geom density="1" euler="0 0 9"/>
    <default class="y"><geom type="box" size="1 1 1" quat="1 1 0 0"/></default>
  </default>
  <default class="z"><geom density="9" size="1"/></default>
</default>
<default><geom group="3"/></default>"""

OF_CLASSES = """<body name="b" childclass="y"><geom name="p" size=".5 .5 .5"/>
  <body name="c"><geom name="q" class="z"/><frame childclass="x"><geom name="r" size="1"/></frame></body>
</body>
<body><geom name="s" size="1"/></body>"""


def test_defaults_of_classes_and_of_what_stands_in_a_body():
    text = world(OF_CLASSES, DEFAULTS)
    robot, model = assert_same_tree(text), mujoco.MjModel.from_xml_string(text)
    geoms = {geom.name: geom for some in robot.mjcf.geoms.values() for geom in some}
    assert {name: (geom.type, geom.density) for name, geom in geoms.items()} == {
        "p": ("box", 1.0),
        "q": ("sphere", 9.0),
        "r": ("sphere", 1.0),
        "s": ("sphere", 1000.0),
    }
    assert [geom.group for geom in geoms.values()] == model.geom_group.tolist()


BOTH = '<body name="a"><geom {geom} density="7"/><geom {geom} contype="0" conaffinity="0"/></body>'


@pytest.mark.parametrize(
    ("geom", "shape"),
    [
        ('size=".2"', Sphere(0.2)),
        ('type="capsule" size=".2 .3"', Capsule(0.2, 0.6)),
        ('type="cylinder" size=".2 .3"', Cylinder(0.2, 0.6)),
        ('type="box" size=".1 .2 .3"', Box((0.2, 0.4, 0.6))),
        ('type="ellipsoid" size=".1 .2 .3"', Ellipsoid((0.1, 0.2, 0.3))),
        ('type="plane" size="1 1 1"', Plane()),
        ('type="hfield" hfield="h"', Heightmap("h")),
        ('type="mesh" mesh="m"', Mesh("m.stl", None, (1.0, 2.0, -1.0))),
        ('type="box" mesh="m"', OtherGeometry("box fitted to a mesh")),
    ],
)
def test_shapes(geom, shape):
    asset = '<asset><mesh file="m.stl" scale="1 2 -1"/></asset>'
    robot = it.load_text(world(BOTH.format(geom=geom), asset))
    link = robot.links["a"]
    assert link.collisions[0].geometry == link.visuals[0].geometry == shape
    assert (link.collisions[0].density, link.visuals[0].density) == (7.0, None)


def test_joints():
    robot = it.load_text(
        world(
            '<body name="a"><freejoint name="f"/><body name="b" pos="0 0 2"><joint name="x" type="slide" axis="2 0 0"/>'
            '<joint name="h" pos="0 1 0" range="-90 45" damping="3" frictionloss="4"/><body name="c">'
            '<joint type="ball"/><body name="d"><joint type="hinge" range="0 1" limited="false"/></body></body></body>'
            "</body><body name='e'/>"
        )
    )
    assert robot.format is Format.MJCF
    assert {joint.child: (joint.type, joint.parent) for joint in robot.joints.values()} == {
        "a": (JointType.FLOATING, "world"),
        "b": (JointType.PRISMATIC, "a"),
        "c": (JointType.BALL, "b"),
        "d": (JointType.CONTINUOUS, "c"),
        "e": (JointType.FIXED, "world"),
    }
    slide = robot.joints["x"]
    assert np.array_equal(slide.axis, [1, 0, 0])
    (hinge,) = slide.further
    assert (hinge.name, hinge.type, hinge.damping, hinge.friction) == ("h", JointType.REVOLUTE, 3.0, 4.0)
    assert np.allclose([hinge.limit.lower, hinge.limit.upper], [-np.pi / 2, np.pi / 4])
    assert np.array_equal(hinge.pose_child_joint.position, [0, 1, 0])
    assert robot.is_moved("a")
    assert not robot.is_moved("e")
    assert np.array_equal(robot.link_poses["d"].position, [0, 0, 2])


def test_a_thousand_bodies_in_a_chain():
    text = world("<body pos='0 0 1'><joint/>" * 1000 + BALL + "</body>" * 1000)
    assert np.allclose(it.load_text(text).link_poses["1000"].position, [0, 0, 1000])


def test_inertial_forms():
    robot = it.load_text(
        world(
            '<body name="a"><inertial pos="1 2 3" mass="4" diaginertia="5 6 7" euler="0 0 90"/></body>'
            '<body name="b"><inertial pos="0 0 0" mass="4" fullinertia="5 6 7 .1 .2 .3"/></body>'
        )
    )
    assert np.allclose(robot.links["a"].inertial.inertia, np.diag([6, 5, 7]))
    assert np.allclose(robot.links["a"].inertial.com, [1, 2, 3])
    assert np.array_equal(robot.links["b"].inertial.inertia, [[5, 0.1, 0.2], [0.1, 6, 0.3], [0.2, 0.3, 7]])


def test_sites():
    robot = it.load_text(world("<body name='a'><frame pos='1 0 0'><site name='s' pos='0 1 0'/></frame></body>"))
    (site,) = robot.mjcf.sites["a"]
    assert site.name == "s"
    assert np.array_equal(site.pose_body_site.position, [1, 1, 0])


def test_includes_count_from_the_main_file_then_from_their_own(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.xml").write_text(world('<include file="sub/b.xml"/>'))
    (tmp_path / "sub/b.xml").write_text(f'<mujoco>\n<body name="b">{BALL}<include file="c.xml"/></body></mujoco>')
    (tmp_path / "sub/c.xml").write_text('<mujocoinclude>\n\n<body name="c"/></mujocoinclude>')
    robot = it.load(tmp_path / "a.xml")
    assert robot.links["c"].place.file == str(tmp_path / "sub/c.xml")
    assert robot.links["c"].place.line == 3
    (tmp_path / "c.xml").write_text('<mujoco><body name="other"/></mujoco>')
    robot = it.load(tmp_path / "a.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "a.xml"))
    assert list(robot.links) == [model.body(i).name for i in range(model.nbody)] == ["world", "b", "other"]
    assert set(robot.mjcf.files) == {str(tmp_path / "sub/b.xml"), str(tmp_path / "c.xml")}


def test_mesh_files_stand_in_their_folder(tmp_path):
    (tmp_path / "m").mkdir()
    (tmp_path / "m/t.stl").write_bytes(b"")
    for words, file in (('meshdir="m"', "t.stl"), ('assetdir="m" strippath="true"', "x/y/t.stl")):
        asset = f'<asset><mesh file="{file}"/></asset>'
        text = world("<body name='a'><geom type='mesh' mesh='t'/></body>", compiler(words) + asset)
        robot = it.load_text(text, base_dir=tmp_path)
        assert robot.links["a"].collisions[0].geometry.path == str(tmp_path / "m/t.stl")


BAD = {
    "not a number": ('\n<body pos="1 2 x"/>', "is not a number", 2),
    "not finite": ('<body pos="1 2 nan"/>', "not a finite number", 1),
    "out of the numbers": ('<body><geom size="1" euler="1e200 0 0"/></body>', "not a finite number", 1),
    "too few": ('\n<body pos="1 2"/>', "has 2 numbers; 3 are needed", 2),
    "too many sizes": ('\n\n<body><geom size="1 2 3 4"/></body>', "write at most 3", 3),
    "no rotation": ('<body quat="0 0 0 0"/>', "is zero; write a nonzero one", 1),
    "rotation that underflows": ('<body quat="1e-200 0 0 0"/>', "is zero; write a nonzero one", 1),
    "two orientations": ('<body quat="1 0 0 0" euler="1 1 1"/>', "keep one form", 1),
    "unknown class": ('\n<body><geom class="zz" size="1"/></body>', "'zz' of <geom> is unknown; known are main", 2),
    "unknown childclass": ('<body childclass="zz"/>', "'zz' of <body> is unknown", 1),
    "unknown type": ('<body><geom type="cone"/></body>', "write one of plane", 1),
    "unknown mesh": ('<body><geom type="mesh" mesh="q"/></body>', "mesh 'q' is unknown", 1),
    "no mesh": ('<body><geom type="mesh"/></body>', "the geom of type mesh names no mesh; add mesh=", 1),
    "fromto of a sphere": (
        '<body><geom fromto="0 0 0 0 0 1" size="1"/></body>',
        "fromto does not apply to a sphere",
        1,
    ),
    "missing include": ('\n<include file="nope.xml"/>', "cannot be opened", 2),
    "two inertials": ("<body>" + "<inertial pos='0 0 0' mass='1'/>" * 2 + "</body>", "keep one", 1),
    "world inertial": ("<inertial pos='0 0 0' mass='1'/>", "the world cannot have an <inertial>", 1),
    "world joint": ("<joint/>", "a joint in the world body", 1),
    "free and more": ("<body><freejoint/><joint/></body>", "remove one", 1),
    "free inside": ("<body name='a'><body><freejoint/></body></body>", "move it into <worldbody>", 1),
    "same names": ("<body name='a'/>\n<body name='a'/>", "second body is named 'a'", 2),
    "called world": ("<body name='world'/>", "second body is named 'world'", 1),
    "composite": ("<body><composite/></body>", "is not supported", 1),
    "many copies": ("<replicate count='1000000000'><body/></replicate>", "write a count", 1),
    "negative copies": ("<replicate count='-2'><body/></replicate>", "write a count", 1),
}


@pytest.mark.parametrize("name", BAD)
def test_errors_name_file_and_line(name, tmp_path):
    text, said, line = BAD[name]
    path = tmp_path / "robot.xml"
    path.write_text(world(text))
    with pytest.raises(ParseError, match=said) as caught:
        it.load(path)
    assert (caught.value.path, caught.value.line) == (str(path), line)


def nested(text: str, depth: int, count: int = 3) -> str:
    return f'<replicate count="{count}" offset="1 0 0">' * depth + text + "</replicate>" * depth


def test_copies_of_copies_are_counted_before_any_is_read(monkeypatch):
    """Eleven threefold copies come to 265719 elements; a damaged file asks for them with a few letters."""
    read, seen = BodyReader._read, []
    monkeypatch.setattr(BodyReader, "_read", lambda self, *a: seen.append(1) or read(self, *a))
    with pytest.raises(
        ParseError, match=r"copies up to here make .* elements, more than the limit of 100000; reduce a count"
    ):
        it.load_text(world("\n" + nested("<geom size='1'/>", 11)))
    assert not seen
    both = nested("<geom size='1'/><body><geom size='1'/></body>", 3, 2)
    it.load_text(world(both))
    assert len(seen) == 1 + count_copied(parse_xml(world(both).encode(), "robot.xml").all("worldbody"))


@pytest.mark.parametrize("section", ["contact", "tendon", "equality", "actuator"])
def test_what_a_section_holds_may_nest_as_deep_as_it_likes(section):
    """A damaged file nested a thousand deep, and ended in a RecursionError."""
    element = {"contact": "pair", "tendon": "fixed", "equality": "weld", "actuator": "motor"}[section]
    inside = f"<{element}>" * 3000 + f"</{element}>" * 3000
    text = world("<body name='b'><geom size='1'/></body>").replace(
        "</mujoco>", f"<{section}>{inside}</{section}></mujoco>"
    )
    assert list(it.load_text(text).links) == ["world", "b"]


HEADS = {
    "global": (compiler('coordinate="global"'), "no longer"),
    "eulerseq": (compiler('eulerseq="xyw"'), "three of xyzXYZ"),
    "renamed main": ("<default class='x'/>", "call it 'main'"),
    "same class": ("<default><default class='x'/><default class='x'/></default>", "second default class"),
    "nameless mesh": ("<asset><mesh/></asset>", "neither name nor file"),
    "same mesh": ("<asset><mesh file='a.stl'/><mesh file='b/a.stl'/></asset>", "second mesh is named 'a'"),
    "face": ("<asset><mesh name='m' vertex='0 0 0' face='0 0 1'/></asset>", "names vertex 1"),
    "face that is not a number": (
        "<asset><mesh name='m' vertex='0 0 0' face='0 0 nan'/></asset>",
        "not a vertex number",
    ),
    "reference": ("<asset><mesh name='m' vertex='0 0 0' refquat='1e-320 0 0 0'/></asset>", "refquat is zero"),
    "groups": (compiler('inertiagrouprange="0 nan"'), "not a finite number"),
    "vertices": ("<asset><mesh name='m' vertex='0 0'/></asset>", "not a multiple of 3"),
}


@pytest.mark.parametrize("name", HEADS)
def test_errors_before_the_world(name):
    head, said = HEADS[name]
    with pytest.raises(ParseError, match=said):
        it.load_text(world("", head))


def test_a_relative_include_of_a_text_names_the_folder_it_lacks():
    with pytest.raises(ParseError, match=r"Cannot resolve relative path 'part.xml' .* without base directory"):
        it.load_text(world('<include file="part.xml"/>'))


TETRAHEDRON = "v 0 0 0\nv {0} 0 0\nv 0 {0} 0\nv 0 0 {0}\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
PART = (
    '<mujoco><asset><mesh name="c" file="c.obj"/></asset><worldbody><geom type="mesh" mesh="c"/></worldbody></mujoco>'
)


@pytest.mark.parametrize(
    ("files", "compiler", "found"),
    [
        (("c.obj", "part/c.obj"), "", "c.obj"),
        (("part/c.obj",), "", "part/c.obj"),
        (("m/c.obj", "part/c.obj"), '<compiler meshdir="m"/>', "m/c.obj"),
        (("part/c.obj",), '<compiler meshdir="m"/>', "part/c.obj"),
        (("part/m/c.obj",), '<compiler meshdir="m"/>', None),
        (("part/c.obj",), '<compiler strippath="true"/>', None),
    ],
)
def test_assets_of_an_included_file_may_lie_beside_it(tmp_path, files, compiler, found):
    """The main file's folder goes first, as MuJoCo 4.0 has it; the second one is without meshdir."""
    for file in files:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(TETRAHEDRON.format(1))
    (tmp_path / "part").mkdir(exist_ok=True)
    (tmp_path / "part" / "part.xml").write_text(PART)
    (tmp_path / "main.xml").write_text(f'<mujoco>{compiler}<include file="part/part.xml"/></mujoco>')
    robot = it.load(tmp_path / "main.xml")
    (shape,) = robot.links["world"].shapes
    assert shape.geometry.path == (None if found is None else str(tmp_path / found))
    refused = any("is not found" in finding.message for finding in it.check(robot).findings)
    assert refused == (found is None)


def test_a_file_is_included_once(tmp_path):
    (tmp_path / "a.xml").write_text(world('<include file="c.xml"/>\n<include file="c.xml"/>'))
    (tmp_path / "c.xml").write_text("<mujoco/>")
    with pytest.raises(ParseError, match=r"second time, first by .*a\.xml") as caught:
        it.load(tmp_path / "a.xml")
    assert caught.value.line == 2


def test_a_file_that_comes_to_include_itself_is_named(tmp_path):
    files = ("a.xml", "b.xml", "c.xml")
    for length in (1, 2, 3):
        for name, next_one in zip(files[:length], (*files[1:length], files[0]), strict=True):
            (tmp_path / name).write_text(f'<mujoco><worldbody><include file="{next_one}"/></worldbody></mujoco>')
        with pytest.raises(ParseError, match=r"Circular include: .*; remove one of these includes") as caught:
            it.load(tmp_path / "a.xml")
        chain = re.search("Circular include: (.*);", str(caught.value)).group(1).split(" -> ")
        assert chain == [str(tmp_path / name) for name in (*files[:length], files[0])]
        assert caught.value.path == str(tmp_path / files[length - 1])


def test_only_the_files_of_the_circle_are_named(tmp_path):
    for name, next_one in (("a.xml", "b.xml"), ("b.xml", "c.xml"), ("c.xml", "b.xml")):
        (tmp_path / name).write_text(f'<mujoco><include file="{next_one}"/></mujoco>')
    with pytest.raises(ParseError) as caught:
        it.load(tmp_path / "a.xml")
    assert " -> ".join(str(tmp_path / name) for name in ("b.xml", "c.xml", "b.xml")) in str(caught.value)
    assert "a.xml" not in str(caught.value)


def test_a_circle_is_found_by_whatever_names_its_files_have(tmp_path):
    """A link back to the folder gives the file a new name in each round."""
    (tmp_path / "alias").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "a.xml").write_text('<mujoco><include file="alias/a.xml"/></mujoco>')
    with pytest.raises(ParseError, match=r"Circular include: .*a\.xml -> .*alias/a\.xml;"):
        it.load(tmp_path / "a.xml")


def test_a_circle_of_texts_that_a_resolver_gives_ends():
    builder = it.ModelBuilder()
    texts = {"a": "<mujoco><include file='b'/></mujoco>", "b": "<mujoco><include file='a'/></mujoco>"}
    with pytest.raises(ParseError, match="Circular include: <a> -> <b> -> <a>; remove"):
        builder.add_mjcf(texts["b"], path_resolver=lambda _folder, name: texts[name])


def test_models_that_attach_each_other_are_named(tmp_path):
    for name, next_one in (("a.xml", "b.xml"), ("b.xml", "a.xml")):
        (tmp_path / name).write_text(f'<mujoco><asset><model name="m" file="{next_one}"/></asset></mujoco>')
    chain = " -> ".join(str(tmp_path / name) for name in ("a.xml", "b.xml", "a.xml"))
    with pytest.raises(ParseError, match=f"Circular model: {re.escape(chain)}; remove one of these models"):
        it.load(tmp_path / "a.xml")


def test_sizes_that_are_not_stated_are_those_of_the_class():
    text = (
        '<mujoco><default><geom type="box" size=".1 .2 .3"/></default>'
        '<worldbody><body><geom size=".4"/></body></worldbody></mujoco>'
    )
    assert it.load_text(text).links["1"].collisions[0].geometry.size == (0.8, 0.4, 0.6)


@pytest.mark.parametrize("tag", ["frame", "replicate count='1'"])
def test_a_class_of_frames_and_copies_is_that_of_what_stands_in_them(tag):
    text = (
        '<mujoco><default><default class="a"><geom density="1" group="2"/></default></default>'
        f'<worldbody><body><{tag} class="a"><geom size="1"/></{tag.split()[0]}></body></worldbody></mujoco>'
    )
    assert it.load_text(text).mjcf.geoms["1"][0].group == 2


def test_copies_turn_by_multiples_of_their_angles():
    """Not by powers of one turn, which differ where the angles are about several axes."""
    text = (
        '<mujoco><compiler angle="radian"/><worldbody><replicate count="3" euler=".4 .5 -.3">'
        '<body><geom size="1"/></body></replicate></worldbody></mujoco>'
    )
    third = it.load_text(text).parent_joint["3"].pose_parent_child.rotation
    turns = [
        it.Pose.from_xyz_rpy(rpy=np.eye(3)[axis] * 2.0 * angle).rotation for axis, angle in enumerate((0.4, 0.5, -0.3))
    ]
    assert third == pytest.approx(turns[0] @ turns[1] @ turns[2])


@pytest.mark.parametrize("sequence", ["xyz", "ZYX", "xZy"])
def test_orientations_of_many_copies_are_those_of_each(sequence):
    compiler = Compiler(eulerseq=sequence)
    angles = np.random.default_rng(1).uniform(-400.0, 400.0, (50, 3))
    many = from_eulers(angles, compiler)
    for rotation, triple in zip(many, angles, strict=True):
        chained = np.eye(3)
        for letter, angle in zip(sequence, np.deg2rad(triple), strict=True):
            one = rotation_about(np.eye(3)["xyz".index(letter.lower())], angle)
            chained = chained @ one if letter.islower() else one @ chained
        assert rotation == pytest.approx(chained, abs=1e-14)
        assert np.array_equal(rotation, from_euler(triple, compiler))


def test_angles_of_copies_that_leave_the_finite_numbers_are_refused():
    text = world('<replicate count="3" euler="1e308 0 0"><geom size="1"/></replicate>')
    with pytest.raises(ParseError, match="euler"):
        it.load_text(text)
