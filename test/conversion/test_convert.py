# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Conversion: what is written reads back the same, what is lost has a note, and what does not fit is refused."""

import json

import numpy as np
import pytest
from robots import BOX, GOOD, joint, link, mass, tensor, urdf

import inertia_tools as it
from inertia_tools.cli import main
from inertia_tools.conversion import Kind
from inertia_tools.conversion.grounded import free_name
from inertia_tools.description.types import JointType, Mesh
from inertia_tools.errors import ConversionError, OptionError

ARM = urdf(
    link("base", GOOD, BOX),
    link("upper", '<origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/>' + mass(0.7) + tensor(0.1, 0.2, 0.25, 0.01, 0, -0.02)),
    link("rail", GOOD, '<mesh filename="package://arm/rail.stl" scale="1 -1 0.5"/>'),
    link("wheel", GOOD, '<capsule radius="0.1" length="0.3"/>', "visual"),
    """<joint name="shoulder" type="revolute"><origin xyz="0 0.1 0.2" rpy="1.5707963267948966 0.3 1"/>
      <parent link="base"/><child link="upper"/><axis xyz="0 0.6 0.8"/><dynamics damping="0.3" friction="0.1"/>
      <limit lower="-1.5" upper="0.7" effort="20" velocity="3"/></joint>""",
    """<joint name="slider" type="prismatic"><parent link="upper"/><child link="rail"/><axis xyz="1 0 0"/>
      <mimic joint="shoulder" multiplier="0.5" offset="0.01"/><limit lower="0" upper="1" effort="5" velocity="1"/></joint>""",
    joint("wheel", "upper", "continuous"),
)


def joints_alike(ours, theirs, *, but=()):
    assert set(ours) == set(theirs)
    for name, one in ours.items():
        other = theirs[name]
        assert (one.type, one.parent, one.child) == (other.type, other.parent, other.child)
        assert np.allclose(one.axis, other.axis, rtol=0, atol=1e-15)
        assert one.pose_parent_child.isclose(other.pose_parent_child, 1e-15)
        for field in {"limit", "damping", "friction", "mimic"} - set(but):
            assert getattr(one, field) == getattr(other, field), (name, field)


def shapes_alike(ours, theirs):
    for name, one in ours.items():
        for kind in ("collisions", "visuals"):
            mine, others = getattr(one, kind), getattr(theirs[name], kind)
            assert len(mine) == len(others)
            for a, b in zip(mine, others, strict=True):
                assert type(a.geometry) is type(b.geometry)
                assert a.pose_link_shape.isclose(b.pose_link_shape, 1e-15)
                if not isinstance(a.geometry, Mesh):
                    assert a.geometry == b.geometry


def test_to_sdf_and_back():
    robot = it.load_text(ARM)
    sdf = it.convert(robot, format="sdf")
    assert '<sdf version="1.11">' in sdf.text  # a mimic joint needs it
    middle = it.load_text(sdf.data)
    joints_alike(robot.joints, middle.joints)
    shapes_alike(robot.links, middle.links)
    assert middle.links["rail"].collisions[0].geometry.uri == "model://arm/rail.stl"
    back = it.load_text(it.convert(middle, format="urdf").data)
    joints_alike(robot.joints, back.joints)
    shapes_alike(robot.links, back.links)
    assert back.links["rail"].collisions[0].geometry == robot.links["rail"].collisions[0].geometry


def test_to_mjcf_and_back(tmp_path):
    robot = it.load_text(ARM.replace("package://arm/rail.stl", "missing.stl"))
    conversion = it.convert(robot, tmp_path / "arm.xml")
    middle = it.load(tmp_path / "arm.xml")
    free = middle.joints[next(name for name in middle.joints if middle.joints[name].type.value == "floating")]
    assert free.child == "base"
    assert any("not found" in note.message for note in conversion.noted(Kind.DROPPED))
    back = it.load_text(it.convert(middle, format="urdf").data)
    joints_alike(robot.joints, back.joints, but=("mimic", "limit"))
    for name, one in robot.joints.items():
        assert (one.limit.lower, one.limit.upper) == (back.joints[name].limit.lower, back.joints[name].limit.upper)


def test_numbers_read_back_to_the_last_bit():
    robot = it.load_text(
        urdf(link(inertial='<origin xyz="0.1 0.2 0.30000000000000004"/>' + mass(1 / 3) + tensor(0.1, 0.2, 0.3 - 1e-16)))
    )
    for format_ in ("sdf", "urdf", "mjcf"):
        text = it.convert(robot, format=format_).data
        (ours,) = [one for name, one in it.resolve(it.load_text(text)).links.items() if name == "base"]
        assert ours.inertial.mass == 1 / 3
        assert np.array_equal(ours.inertial.com, [0.1, 0.2, 0.30000000000000004])
        assert np.array_equal(ours.inertial.inertia, robot.links["base"].inertial.inertia)


def test_names_of_a_model_are_made_unique():
    robot = it.load_text(
        urdf(
            link("a", GOOD),
            link("b", GOOD),
            '<joint name="b" type="continuous"><parent link="a"/><child link="b"/></joint>',
        )
    )
    conversion = it.convert(robot, format="sdf")
    assert list(it.load_text(conversion.data).joints) == ["b_2"]
    assert [note.name for note in conversion.noted(Kind.RENAMED)] == ["b"]


def test_geoms_that_are_renamed_are_named():
    robot = urdf(*(link(name, GOOD, BOX) for name in "abc"), joint("b", "a"), joint("c", "a"))
    named = robot.replace("<collision", '<collision name="hull"')
    conversion = it.convert(it.load_text(named), format="mjcf")
    (note,) = conversion.noted(Kind.RENAMED)
    assert note.name == "hull"
    assert "is renamed 'hull_2' and 1 more like it" in note.message
    assert conversion.text.count('name="hull"') == conversion.text.count('name="hull_3"') == 1


def test_the_world_is_no_link():
    robot = it.load_text(urdf('<link name="world"/>', link("arm", GOOD), joint("arm", "world", "fixed")))
    model = it.load_text(it.convert(robot, format="sdf").data)
    assert list(model.links) == ["arm"]
    assert model.joints["arm_joint"].parent == "world"
    back = it.load_text(it.convert(model, format="urdf").data)
    assert list(back.links) == ["world", "arm"]
    assert back.joints["arm_joint"].pose_parent_child.isclose(robot.joints["arm_joint"].pose_parent_child, 0.0)
    assert list(it.load_text(it.convert(model, format="mjcf").data).joints) == ["arm:fixed"]


def test_a_fixed_base_is_held():
    model = it.load_text(it.convert(it.load_text(ARM), format="sdf", fixed_base=True).data)
    assert model.joints["base_to_world"].parent == "world"


def test_a_static_model_stays_put():
    text = "<sdf version='1.9'><model name='m'><static>1</static><pose>1 2 3 0 0 0</pose><link name='l'/></model></sdf>"
    body = it.load_text(it.convert(it.load_text(text), format="mjcf").data)
    assert body.joints["l:fixed"].pose_parent_child.isclose(it.Pose([1, 2, 3]), 0.0)
    robot = it.load_text(it.convert(it.load_text(text), format="urdf").data)
    assert robot.joints["l_to_world"].parent == "world"
    assert "<static>true</static>" in it.convert(it.load_text(text), format="sdf").text


@pytest.mark.parametrize("target", ["urdf", "mjcf"])
def test_joints_of_a_static_model_do_not_move_where_joints_move_what_they_carry(target):
    text = """<sdf version='1.9'><model name='m'><static>1</static><link name='a'/><link name='b'/>
      <joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>
      </model></sdf>"""
    conversion = it.convert(it.load_text(text), format=target)
    robot = it.load_text(conversion.data)
    assert {joint.type for joint in robot.joints.values()} == {JointType.FIXED}
    assert ("j", "is fixed, as 'b' never moves") in [(one.name, one.message) for one in conversion.noted(Kind.CHANGED)]
    assert it.load_text(it.convert(it.load_text(text), format="sdf").data).joints["j"].type is JointType.CONTINUOUS


def test_a_link_frame_moves_onto_the_axis():
    text = """<sdf version='1.9'><model name='m'><link name='a'/><link name='b'><pose>1 0 0 0 0 0</pose>
      <inertial><pose>0.5 0 0 0 0 0</pose><mass>2</mass></inertial></link>
      <joint name='j' type='revolute'><pose>0 -0.3 0 0 0 0</pose><parent>a</parent><child>b</child>
      <axis><xyz>0 0 1</xyz></axis></joint></model></sdf>"""
    robot = it.load_text(text)
    conversion = it.convert(robot, format="urdf")
    back = it.load_text(conversion.data)
    assert np.allclose(back.joints["j"].pose_parent_child.position, [1, -0.3, 0])
    before, after = (model.links["b"].inertial.transform(model.link_poses["b"]) for model in (robot, back))
    assert after.isclose(before, 1e-15)
    assert "b" in [note.name for note in conversion.noted(Kind.CHANGED)]


@pytest.mark.parametrize(
    ("inside", "words"),
    [
        ("<link name='a'/><link name='b'/>", "2 links have no parent"),
        (
            "<link name='a'/><link name='b'/><joint name='j' type='ball'><parent>a</parent><child>b</child></joint>",
            "ball joint",
        ),
        (
            "<link name='a'><collision name='c'><geometry><polyline><point>0 0</point><point>1 0</point><point>0 1</point><height>1</height></polyline></geometry></collision></link>",
            "polyline",
        ),
        (
            "<link name='a'><visual name='v'><geometry><ellipsoid><radii>1 1 2</radii></ellipsoid></geometry></visual></link>",
            "ellipsoid",
        ),
    ],
)
def test_what_a_urdf_cannot_hold_is_refused_with_its_place(inside, words):
    robot = it.load_text(f"<sdf version='1.9'><model name='m'>\n{inside}</model></sdf>", name="x.sdf")
    with pytest.raises(ConversionError, match=words) as caught:
        it.convert(robot, format="urdf")
    assert (caught.value.path, caught.value.line) == ("x.sdf", 2)


def test_a_loop_is_refused():
    legs = "".join(
        f"<joint name='{n}' type='revolute'><parent>{p}</parent><child>{c}</child><axis/></joint>"
        for n, p, c in ("jab", "kbc", "lac")
    )
    robot = it.load_text(
        f"<sdf version='1.9'><model name='m'><link name='a'/><link name='b'/><link name='c'/>{legs}</model></sdf>"
    )
    for format_ in ("urdf", "mjcf"):
        with pytest.raises(ConversionError, match="closes a loop"):
            it.convert(robot, format=format_)
    assert [joint.name for joint in it.load_text(it.convert(robot, format="sdf").data).loop_joints] == ["l"]


def test_what_is_lost_is_named():
    robot = it.load_text(urdf(link("base", GOOD), '<transmission name="t"/>', "<gazebo><plugin name='p'/></gazebo>"))
    lost = {note.name for note in it.convert(robot, format="mjcf").noted(Kind.DROPPED)}
    assert lost == {"<transmission>", "<plugin>"}
    assert {note.name for note in it.convert(robot, format="sdf").noted(Kind.DROPPED)} == {"<transmission>"}


def test_fix_makes_possible_what_readers_refuse():
    robot = it.load_text(
        urdf(
            link("base", mass(1) + tensor(3.33e-6, 3.33e-6, 6.67e-6)),
            link("arm", mass(1) + tensor(1, 1, 5)),
            joint("arm"),
        )
    )
    assert {note.name for note in it.convert(robot, format="sdf").noted(Kind.REFUSED)} == {"base", "arm"}
    fixed = it.convert(robot, format="sdf", fix=True)
    assert not fixed.noted(Kind.REFUSED)
    assert all(link.inertial.is_valid(tolerance=0.0) for link in fixed.prepared.links.values())


def test_unknown_targets_are_refused(tmp_path):
    robot = it.load_text(ARM)
    with pytest.raises(OptionError, match="path"):
        it.convert(robot, tmp_path / "arm.step")
    with pytest.raises(OptionError, match="format must be one of urdf, sdf, mjcf, usd, if no file is named"):
        it.convert(it.load_text(ARM))
    with pytest.raises(OptionError, match="format"):
        it.convert(robot, format="step")
    with pytest.raises(OptionError, match="sdf_version"):
        it.convert(robot, format="sdf", sdf_version="1.4")


def test_the_command(tmp_path, capsys):
    source, target = tmp_path / "arm.urdf", tmp_path / "arm.sdf"
    source.write_text(urdf(link("base", GOOD), link("plate", GOOD), joint("plate", type_="fixed")))
    assert main(["convert", str(source), "-o", "-"]) == 2
    assert "--format" in capsys.readouterr().err
    assert main(["convert", str(source), "-o", str(target), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "inertia-tools/conversion/1"
    assert (document["links"], document["joints"]) == (["base"], [])
    assert [note["kind"] for note in document["notes"]] == ["lumped"]
    assert main(["convert", str(source), "-o", str(target), "--keep-fixed-joints"]) == 0
    assert list(it.load(target).joints) == ["plate_joint"]
    assert main(["convert", str(target), "-o", "-", "--format", "urdf"]) == 0
    assert capsys.readouterr().out.count("<link ") == 2
    source.write_text(urdf(link("base", mass(1) + tensor(1, 1, 5))))
    assert main(["convert", str(source), "-o", str(target)]) == 1
    assert main(["convert", str(source), "-o", str(target), "--fix"]) == 0
    assert main(["convert", str(source), "-o", str(tmp_path / "arm.doc")]) == 2


def test_a_xacro_is_expanded_first(tmp_path):
    file = tmp_path / "arm.urdf.xacro"
    file.write_text(
        '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:property name="m" value="2.5"/>'
        f'<link name="base"><inertial><mass value="${{m}}"/>{tensor(1, 1, 1)}</inertial></link></robot>'
    )
    assert it.load_text(it.convert(file, format="sdf").data).links["base"].inertial.mass == 2.5


def test_colours_go_along():
    red = '<material name="red"><color rgba="1 0 0 0.5"/></material>'
    shape = f"<visual><geometry>{BOX}</geometry><material name='red'/></visual>"
    robot = it.load_text(urdf(red, f'<link name="base"><inertial>{GOOD}</inertial>{shape}</link>'))
    for format_ in ("sdf", "urdf", "mjcf"):
        body = it.load_text(it.convert(robot, format=format_).data).links["base"]
        assert body.visuals[0].colour == (1.0, 0.0, 0.0, 0.5), format_


def test_springs_and_rotors_of_mjcf():
    text = """<mujoco><worldbody><body name='a'><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><freejoint/>
      <body name='b'><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>
      <joint name='j' stiffness='3' springref='0.5' armature='0.2'/></body></body></worldbody></mujoco>"""
    robot = it.load_text(text)
    again = it.load_text(it.convert(robot, format="mjcf").data).joints["j"]
    assert (again.stiffness, again.armature) == (3.0, 0.2)
    assert again.rest == pytest.approx(robot.joints["j"].rest)
    sdf = it.convert(robot, format="sdf")
    assert "<spring_stiffness>3</spring_stiffness>" in sdf.text
    assert "j" in [note.name for note in sdf.noted(Kind.DROPPED)]


def test_a_world_becomes_no_model():
    world = it.load_text(
        "<sdf version='1.9'><world name='w'><model name='a'><link name='l'/></model><model name='b'><link name='l'/></model></world></sdf>"
    )
    with pytest.raises(ConversionError, match="one by one"):
        it.convert(world, format="sdf")
    assert list(it.load_text(it.convert(world, format="mjcf").data).links) == ["world", "a::l", "b::l"]


def test_meshes_are_named_from_where_the_document_lies(tmp_path):
    import trimesh

    (tmp_path / "parts").mkdir()
    (tmp_path / "out").mkdir()
    trimesh.creation.box([1, 1, 1]).export(tmp_path / "parts" / "box.stl")
    trimesh.creation.box([1, 1, 1]).export(tmp_path / "parts" / "ball.ply")
    shapes = "".join(
        f'<collision><geometry><mesh filename="parts/{name}"/></geometry></collision>'
        for name in ("box.stl", "ball.ply")
    )
    (tmp_path / "r.urdf").write_text(urdf(f'<link name="base"><inertial>{GOOD}</inertial>{shapes}</link>'))
    it.convert(tmp_path / "r.urdf", tmp_path / "out" / "r.sdf")
    it.convert(tmp_path / "r.urdf", tmp_path / "out" / "r.xml")
    uris = [shape.geometry.uri for shape in it.load(tmp_path / "out" / "r.sdf").links["base"].collisions]
    assert uris == ["../parts/box.stl", "../parts/ball.ply"]
    found = [shape.geometry for shape in it.load(tmp_path / "out" / "r.xml").links["base"].collisions]
    assert [mesh.uri for mesh in found] == ["../parts/box.stl", "meshes/ball.obj"]
    assert all(mesh.path for mesh in found)
    assert main(["convert", str(tmp_path / "r.urdf"), "-o", "-", "--format", "mjcf"]) == 2  # a file has to go with it
    text = it.convert(tmp_path / "r.urdf", format="sdf").text
    assert f"file://{tmp_path}/parts/box.stl" in text


@pytest.mark.parametrize("start", ["file:{}/", "file://{}/", "file://localhost{}/", "file://", "./", ""])
@pytest.mark.parametrize("target", ["urdf", "sdf"])
def test_a_mesh_is_still_found_from_another_folder(tmp_path, start, target):
    import trimesh

    (tmp_path / "out").mkdir()
    trimesh.creation.box([1, 1, 1]).export(tmp_path / "box.stl")
    mesh = f'<mesh filename="{start.format(tmp_path)}box.stl"/>'
    (tmp_path / "r.urdf").write_text(urdf(link("base", GOOD, mesh)))
    it.convert(tmp_path / "r.urdf", tmp_path / "out" / f"r.{target}")
    (shape,) = it.load(tmp_path / "out" / f"r.{target}").links["base"].collisions
    assert shape.geometry.path is not None


def test_a_link_named_world_below_another_is_refused():
    robot = it.load_text(urdf(link("base", GOOD), link("world", GOOD), joint("world", type_="fixed")))
    with pytest.raises(ConversionError, match="rename it"):
        it.convert(robot, format="sdf")


def test_a_static_link_is_refused_by_readers_too():
    text = """<sdf version='1.9'><model name='m'><static>true</static><link name='l'><inertial><mass>1</mass>
      <inertia><ixx>0.06</ixx><iyy>0.06</iyy><izz>1.5</izz></inertia></inertial></link></model></sdf>"""
    assert [note.name for note in it.convert(it.load_text(text), format="sdf").noted(Kind.REFUSED)] == ["l"]
    fixed = it.convert(it.load_text(text), format="sdf", fix=True)
    assert not fixed.noted(Kind.REFUSED)
    assert [note.name for note in fixed.noted(Kind.CHANGED)] == ["l"]


def test_a_welded_frame_may_weigh_nothing():
    frame = link("frame", mass(0) + tensor(0, 0, 0))
    robot = it.load_text(urdf(link("base", GOOD), frame, joint("frame", type_="fixed")))
    for format_ in ("mjcf", "urdf"):
        conversion = it.convert(robot, format=format_)
        assert not conversion.noted(Kind.REFUSED) and not conversion.noted(Kind.ASSUMED)
    kept = it.convert(robot, format="sdf", lump=False)
    assert [note.name for note in kept.noted(Kind.ASSUMED)] == ["frame"]


def test_added_mass_chooses_a_version_that_has_it_and_is_not_called_lost():
    text = "<sdf version='1.10'><model name='m'><link name='a'><inertial><fluid_added_mass><xx>3</xx></fluid_added_mass></inertial></link></model></sdf>"
    conversion = it.convert(it.load_text(text), format="sdf")
    again = it.load_text(conversion.text)
    assert 'version="1.10"' in conversion.text
    assert again.links["a"].declared.added_mass[0, 0] == 3.0
    assert conversion.notes == ()
    lost = it.convert(it.load_text(text), format="urdf").noted(Kind.DROPPED)
    assert [note.message for note in lost] == ["URDF has no fluid_added_mass"]


def test_a_file_is_read_with_the_folders_and_arguments_that_are_named(tmp_path):
    trimesh = pytest.importorskip("trimesh", reason="trimesh is not installed")
    (tmp_path / "far" / "parts").mkdir(parents=True)
    trimesh.creation.box([1, 1, 1]).export(tmp_path / "far" / "parts" / "box.stl")
    (tmp_path / "r.xacro").write_text(
        '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="m" default="1"/><link name="base">'
        '<inertial><mass value="$(arg m)"/></inertial>'
        '<collision><geometry><mesh filename="package://parts/box.stl"/></geometry></collision></link></robot>'
    )
    conversion = it.convert(
        tmp_path / "r.xacro", format="sdf", package_path=[tmp_path / "far"], xacro_arguments={"m": "6"}
    )
    inertial = conversion.prepared.links["base"].inertial
    assert inertial.mass == 6.0
    assert np.allclose(inertial.principal_moments, 1.0, rtol=1e-12)


def test_what_is_lost_of_an_included_model_is_named(tmp_path):
    (tmp_path / "part.sdf").write_text(
        "<sdf version='1.9'><model name='p'><link name='a'/><plugin name='x' filename='f'/></model></sdf>"
    )
    text = "<sdf version='1.9'><model name='m' canonical_link='b'>{}<include merge='true'><uri>part.sdf</uri></include></model></sdf>"
    robot = it.load_text(text.format("<link name='c'/><link name='b'/>"), base_dir=tmp_path)
    for format_ in ("sdf", "mjcf"):
        lost = {(note.name, note.file) for note in it.convert(robot, format=format_).noted(Kind.DROPPED)}
        assert lost == {("<plugin>", str(tmp_path / "part.sdf")), ("b", "<text>")}
    robot = it.load_text(text.format("<link name='b'/><link name='c'/>"), base_dir=tmp_path)
    assert "b" not in {note.name for note in it.convert(robot, format="sdf").notes}


def test_a_free_name_is_asked_for_and_not_searched():
    """A writer names thousands of things, each against all before it."""

    class Taken(set):
        def __iter__(self):
            raise AssertionError("walked")

    assert free_name("arm", Taken({"arm", "arm_2"})) == "arm_3"


@pytest.mark.parametrize("form", ["urdf", "sdf", "mjcf", "usd"])
def test_the_converted_robot_is_one_of_the_new_document(form, tmp_path):
    if form == "usd":
        pytest.importorskip("pxr")
    source = it.load_text(urdf(link("base", mass(1) + tensor(1, 1, 5), BOX)))
    for conversion in (it.convert(source, format=form), it.convert(source, tmp_path / f"r.{form}", format=form)):
        converted = conversion.converted
        assert converted.format == form
        assert converted.document.data == conversion.data
        corrected = it.fix(converted).corrected
        assert corrected.format == form
        assert corrected.links["base"].inertial.is_valid()


def two_hinges(second_axis, second_place="0 0 0"):
    """Return an arm on two hinges in a row, the second of which leads the hinge of another link."""
    return f"""<mujoco><worldbody><body name="arm"><geom size="0.1"/>
      <joint name="pan" axis="0 0 1" damping="0.5"/>
      <joint name="tilt" axis="{second_axis}" pos="{second_place}" range="-30 40"/>
      <body name="tip" pos="0.3 0 0"><joint name="wrist" axis="1 0 0"/><geom size="0.05"/></body></body></worldbody>
      <equality><joint joint1="wrist" joint2="tilt" polycoef="0.1 2 0 0 0"/></equality></mujoco>"""


@pytest.mark.parametrize(("axis", "type_"), [("1 0 0", "universal"), ("0.6 0 0.8", "revolute2")])
def test_two_hinges_about_one_point_are_one_joint_of_sdf(axis, type_, tmp_path):
    conversion = it.convert(it.load_text(two_hinges(axis)), tmp_path / "arm.sdf")
    assert f'<joint name="pan" type="{type_}">' in (tmp_path / "arm.sdf").read_text()
    assert "tilt" in {one.name for one in conversion.notes}
    robot = it.load(tmp_path / "arm.sdf")
    pan, tilt = robot.joints["pan"].row
    assert (pan.damping, tilt.damping) == (0.5, 0.0)
    assert (tilt.limit.lower, tilt.limit.upper) == pytest.approx(np.radians([-30, 40]))
    assert tilt.axis == pytest.approx([float(part) for part in axis.split()])
    mimic = robot.joints["wrist"].mimic
    assert (mimic.joint, mimic.multiplier, mimic.offset) == ("pan_axis2", 2.0, pytest.approx(0.1))


def test_hinges_about_two_points_are_not_one_joint_of_sdf(tmp_path):
    with pytest.raises(ConversionError, match="2 joints in series"):
        it.convert(it.load_text(two_hinges("1 0 0", "0 0 0.1")), tmp_path / "arm.sdf")
