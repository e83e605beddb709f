# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Reading SDFormat: names, poses, inertials, shapes, joints and includes."""

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.description.types import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Format,
    Heightmap,
    JointType,
    OtherGeometry,
    Plane,
    Prism,
    Sphere,
)
from inertia_tools.errors import ParseError
from inertia_tools.spatial import Pose

LINK = '<link name="l"/>'


def sdf(body: str, version: str = "1.12") -> str:
    return f"<sdf version='{version}'>\n{body}\n</sdf>"


def model(body: str, name: str = "m", version: str = "1.12") -> it.Description:
    return it.load_text(sdf(f"<model name='{name}'>{body}</model>", version))


def refused(body: str, version: str = "1.12") -> ParseError:
    with pytest.raises(ParseError) as caught:
        model(body, version=version)
    assert caught.value.line is not None
    return caught.value


def pose_of(robot: it.Description, link: str) -> Pose:
    return robot.link_poses[link]


# names


def test_the_links_of_a_single_model_keep_their_names_and_those_of_nested_ones_are_scoped():
    robot = model(f"{LINK}<model name='n'><link name='k'/><model name='o'><link name='k'/></model></model>")
    assert list(robot.links) == ["l", "n::k", "n::o::k"]
    assert [(m.name, m.links) for m in robot.models] == [
        ("m", ("l", "n::k", "n::o::k")),
        ("n", ("n::k", "n::o::k")),
        ("n::o", ("n::o::k",)),
    ]
    assert (robot.name, robot.format) == ("m", Format.SDF)


def test_the_links_of_a_world_are_scoped():
    world = it.load_text(sdf(f"<world name='w'><model name='a'>{LINK}</model></world>"))
    assert (world.name, list(world.links), world.roots) == ("w", ["a::l"], ("a::l",))


def test_several_models_without_a_world_are_scoped():
    robot = it.load_text(sdf(f"<model name='a'>{LINK}</model><model name='b'>{LINK}</model>", "1.6"))
    assert list(robot.links) == ["a::l", "b::l"]


@pytest.mark.parametrize("second", ["<link name='l'/>", "<joint name='l' type='fixed'/>", "<frame name='l'/>"])
def test_a_name_taken_is_refused(second):
    assert "rename one" in refused(f"{LINK}\n{second}").reason


def test_before_1_7_a_joint_may_have_the_name_of_a_link():
    body = "<link name='a'/><link name='l'/><joint name='l' type='fixed'><parent>a</parent><child>l</child></joint>"
    assert list(model(body, version="1.6").joints) == ["l"]


def test_a_reserved_name_is_refused():
    assert "reserved" in refused("<link name='__model__'/>").reason


def test_a_document_without_links_is_refused():
    assert "no <link>" in refused("").reason


# poses


def test_poses_chain_through_frames_joints_and_nested_models():
    robot = model("""
      <frame name='f' attached_to='a'><pose>0 0 1 0 0 1.5707963267948966</pose></frame>
      <link name='a'><pose>1 0 0 0 0 0</pose></link>
      <model name='n'><pose relative_to='f'>1 0 0 0 0 0</pose>
        <link name='b'><pose>0 1 0 0 0 0</pose></link></model>
      <link name='c'><pose relative_to='n::b'>0 0 5 0 0 0</pose></link>
      <link name='d'><pose relative_to='j'>2 0 0 0 0 0</pose></link>
      <joint name='j' type='fixed'><pose>0 0 7 0 0 0</pose><parent>a</parent><child>c</child></joint>""")
    assert pose_of(robot, "n::b").isclose(Pose.from_xyz_rpy([0, 1, 1], [0, 0, np.pi / 2]))
    assert pose_of(robot, "c").isclose(Pose.from_xyz_rpy([0, 1, 6], [0, 0, np.pi / 2]))
    assert pose_of(robot, "d").isclose(Pose.from_xyz_rpy([0, 3, 13], [0, 0, np.pi / 2]))


def test_a_placement_frame_has_the_pose_of_its_model():
    robot = model("""
      <model name='n' placement_frame='tip'><pose>10 0 0 0 0 0</pose><link name='l'/>
        <frame name='tip'><pose>0 0 3 0 0 0</pose></frame></model>""")
    assert pose_of(robot, "n::l").isclose(Pose(np.array([10.0, 0.0, -3.0])))


def test_the_only_models_own_pose_is_kept_apart():
    robot = model("<pose>1 2 3 0 0 0</pose><link name='l'><pose>0 0 1 0 0 0</pose></link>")
    assert pose_of(robot, "l").isclose(Pose(np.array([0.0, 0.0, 1.0])))
    assert robot.pose_world_document.isclose(Pose(np.array([1.0, 2.0, 3.0])))


@pytest.mark.parametrize(
    ("pose", "expected"),
    [
        ("<pose/>", Pose()),
        ("<pose rotation_format='quat_xyzw'/>", Pose()),
        ("<pose degrees='true'>1 2 3 90 0 0</pose>", Pose.from_xyz_rpy([1, 2, 3], [np.pi / 2, 0, 0])),
        ("<pose rotation_format='quat_xyzw'>1 2 3 0 0 2 2</pose>", Pose.from_xyz_rpy([1, 2, 3], [0, 0, np.pi / 2])),
        ("<pose>\n 1 2\n 3 0 0 0\n</pose>", Pose(np.array([1.0, 2.0, 3.0]))),
    ],
)
def test_ways_to_write_a_pose(pose, expected):
    assert pose_of(model(f"<link name='l'>{pose}</link>"), "l").isclose(expected)


def test_before_1_7_frame_says_what_relative_to_says_since():
    body = "<link name='a'><pose>1 0 0 0 0 0</pose></link><link name='b'><pose frame='a'>1 0 0 0 0 0</pose></link>"
    assert pose_of(model(body, version="1.6"), "b").position[0] == 2.0
    assert pose_of(model(body), "b").position[0] == 1.0


@pytest.mark.parametrize(
    ("pose", "says"),
    [
        ("<pose>1 2 3</pose>", "3 numbers; 6 are needed"),
        ("<pose>1 2 3 0 0 x</pose>", "is not a number"),
        ("<pose>1 2 3 0 0 nan</pose>", "not finite"),
        ("<pose rotation_format='quat_xyzw'>1 2 3 0 0 0</pose>", "7 are needed"),
        (
            "<pose rotation_format='radians'/>",
            "rotation_format='radians' of <pose> is unknown; write euler_rpy or quat_xyzw",
        ),
        ("<pose rotation_format='quat_xyzw' degrees='true'>1 2 3 0 0 0 1</pose>", "degrees do not apply"),
        ("<pose rotation_format='quat_xyzw'>1 2 3 0 0 0 0</pose>", "quaternion of <pose> is zero"),
        ("<pose rotation_format='axis'>1 2 3 0 0 0</pose>", "unknown"),
        ("<pose degrees='yes'>1 2 3 0 0 0</pose>", "true or false"),
        ("<pose relative_to='nowhere'>1 2 3 0 0 0</pose>", "known here: l"),
        ("<pose relative_to='l'>1 2 3 0 0 0</pose>", "cycle"),
    ],
)
def test_a_wrong_pose_is_refused(pose, says):
    assert says in refused(f"<link name='l'>{pose}</link>").reason


def test_frames_attached_in_a_circle_are_refused():
    body = f"{LINK}<link name='k'/><frame name='a' attached_to='b'/><frame name='b' attached_to='a'/>"
    joint = "<joint name='j' type='fixed'><parent>l</parent><child>a</child></joint>"
    assert "cycle" in refused(body + joint).reason


def test_chains_of_frames_and_nests_of_models_may_be_as_deep_as_they_like():
    depth = 3000
    frames = "".join(
        f"<frame name='f{i}'><pose relative_to='{f'f{i + 1}' if i + 1 < depth else ''}'>1 0 0 0 0 0</pose></frame>"
        for i in range(depth)
    )
    robot = model(f"{frames}<link name='l'><pose relative_to='f0'/></link>")
    assert pose_of(robot, "l").position[0] == depth
    nest = "<model name='n'>" * depth + LINK + "</model>" * depth
    assert len(model(nest).models) == depth + 1


# inertials


def test_every_number_of_an_inertial_has_a_default_of_its_own():
    inertial = (
        model("<link name='l'><inertial><mass/><inertia><ixx>3</ixx></inertia></inertial></link>").links["l"].declared
    )
    assert inertial.inertial.mass == 1.0
    assert np.array_equal(inertial.inertia, np.diag([3.0, 1.0, 1.0]))
    assert inertial.defaulted == ("mass", "pose", "ixy", "ixz", "iyy", "iyz", "izz")
    assert not inertial.is_stated


def test_absent_products_leave_an_inertial_stated():
    inertia = "<inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia>"
    assert model(f"<link name='l'><inertial><mass>2</mass>{inertia}</inertial></link>").links["l"].declared.is_stated


def test_added_mass_is_remembered():
    body = "<fluid_added_mass><xx>1</xx><xr>2</xr><qr>3</qr></fluid_added_mass>"
    matrix = model(f"<link name='l'><inertial>{body}</inertial></link>").links["l"].declared.added_mass
    assert (matrix[0, 0], matrix[0, 5], matrix[5, 0], matrix[4, 5]) == (1, 2, 2, 3)
    assert matrix.sum() == 1 + 2 * 2 + 2 * 3


@pytest.mark.parametrize(("word", "auto"), [("true", True), ("1", True), ("True", True), ("false", False), ("", False)])
def test_the_wish_for_automatic_inertials(word, auto):
    assert model(f"<link name='l'><inertial auto='{word}'/></link>").links["l"].declared.auto is auto


@pytest.mark.parametrize(
    "body",
    [
        "<inertial auto='yes'/>",
        "<inertial><mass>heavy</mass></inertial>",
        "<inertial><mass>1 2</mass></inertial>",
        "<inertial><inertia><ixx>1_0</ixx></inertia></inertial>",
        "<inertial/><inertial/>",
        "<inertial><density>much</density></inertial><collision name='c'><geometry><empty/></geometry></collision>",
    ],
)
def test_what_is_no_number_is_refused(body):
    refused(f"<link name='l'>\n{body}</link>")


def test_relative_to_of_an_inertial_pose_is_ignored_with_a_remark():
    robot = model("<link name='l'><inertial><pose relative_to='x'>1 0 0 0 0 0</pose></inertial></link>")
    assert robot.links["l"].inertial.com[0] == 1.0
    assert [(remark.code, remark.link) for remark in robot.remarks] == [("ignored-relative-to", "l")]


def test_density_and_params_of_a_collision_go_before_those_of_its_link():
    box = "<geometry><box><size>1 1 1</size></box></geometry>"
    robot = model(f"""<link name='l'>
      <inertial auto='true'><density>7</density>
        <auto_inertia_params><a:b kind='x'>1</a:b><thickness>0.1</thickness></auto_inertia_params></inertial>
      <collision name='1'>{box}</collision>
      <collision name='2'><density>9</density>
        <auto_inertia_params><c:d><c:e>2</c:e></c:d></auto_inertia_params>{box}</collision>
      <visual name='3'>{box}</visual></link>""")
    first, second = robot.links["l"].collisions
    assert (first.density, dict(first.params)) == (7.0, {"a:b": "1", "a:b@kind": "x", "thickness": "0.1"})
    assert (second.density, dict(second.params)) == (9.0, {"c:d/c:e": "2"})
    assert robot.links["l"].visuals[0].density is None


# shapes


@pytest.mark.parametrize(
    ("xml", "expected"),
    [
        ("<box><size>1 2 3</size></box>", Box((1, 2, 3))),
        ("<sphere><radius>2</radius></sphere>", Sphere(2)),
        ("<cylinder><radius>1</radius><length>2</length></cylinder>", Cylinder(1, 2)),
        ("<capsule><radius>1</radius><length>0</length></capsule>", Capsule(1, 0)),
        ("<cone><radius>1</radius><length>2</length></cone>", Cone(1, 2)),
        ("<ellipsoid><radii>1 2 3</radii></ellipsoid>", Ellipsoid((1, 2, 3))),
        ("<plane><normal>1 0 0</normal></plane>", Plane((1, 0, 0))),
        ("<plane/>", Plane()),
        ("<heightmap><uri>a.png</uri></heightmap>", Heightmap("a.png")),
        ("<empty/>", OtherGeometry("empty")),
        ("", OtherGeometry("empty")),
        ("<image><uri>a.png</uri></image>", OtherGeometry("image")),
        ("<torus/>", OtherGeometry("torus")),
        (
            "<polyline><point>0 0</point><point>1 0</point><point>1 1</point><height>2</height></polyline>",
            Prism((((0, 0), (1, 0), (1, 1)),), 2),
        ),
    ],
)
def test_shapes(xml, expected):
    robot = model(f"<link name='l'><collision name='c'><geometry>{xml}</geometry></collision></link>")
    assert robot.links["l"].collisions[0].geometry == expected


def test_an_unknown_shape_is_remarked_on():
    def codes(xml):
        robot = model(f"<link name='l'><visual name='v'><geometry>{xml}</geometry></visual></link>")
        return [(remark.code, remark.link) for remark in robot.remarks]

    assert codes("<torus/>") == [("unknown-geometry", "l")]
    assert codes("<empty/>") == codes("<image/>") == codes("") == []


def test_a_mesh_with_a_part_of_it(tmp_path):
    (tmp_path / "a.stl").write_bytes(b"")
    mesh = (
        "<mesh optimization='convex_hull'><uri>a.stl</uri><scale>1 2 -3</scale>"
        "<submesh><name>p</name><center>1</center></submesh></mesh>"
    )
    text = sdf(
        f"<model name='m'><link name='l'><collision name='c'><geometry>{mesh}</geometry></collision></link></model>"
    )
    shape = it.load_text(text, base_dir=tmp_path).links["l"].collisions[0]
    assert (shape.geometry.uri, shape.geometry.path) == ("a.stl", str(tmp_path / "a.stl"))
    assert (shape.geometry.scale, shape.geometry.submesh, shape.geometry.center) == ((1, 2, -3), "p", True)
    assert shape.params == {"mesh@optimization": "convex_hull"}


@pytest.mark.parametrize(
    "xml", ["<box/>", "<box><size>1 2</size></box>", "<sphere><radius>big</radius></sphere>", "<box/><sphere/>"]
)
def test_a_shape_that_cannot_be_read_is_refused(xml):
    refused(f"<link name='l'>\n<collision name='c'><geometry>{xml}</geometry></collision></link>")


def test_a_collision_may_stand_in_another_frame():
    robot = model("""<frame name='f'><pose>0 0 5 0 0 0</pose></frame>
      <link name='l'><pose>0 0 1 0 0 0</pose><collision name='c'><pose relative_to='f'>1 0 0 0 0 0</pose>
      <geometry><empty/></geometry></collision></link>""")
    assert robot.links["l"].collisions[0].pose_link_shape.isclose(Pose(np.array([1.0, 0.0, 4.0])))


# joints

TWO = "<link name='a'><pose>1 0 0 0 0 0</pose></link><link name='b'><pose>3 0 0 0 0 1.5707963267948966</pose></link>"


def joint(inside: str, type_: str = "revolute", version: str = "1.12"):
    body = f"{TWO}<joint name='j' type='{type_}'><parent>a</parent><child>b</child>{inside}</joint>"
    return model(body, version=version).joints["j"]


def test_a_joint_has_a_frame_of_its_own():
    found = joint(
        "<pose>0 0 4 1.5707963267948966 0 0</pose><axis><xyz>0 0 1</xyz><limit><lower>-1</lower><upper>2</upper></limit></axis>"
    )
    assert found.type is JointType.REVOLUTE
    assert found.pose_parent_child.isclose(Pose.from_xyz_rpy([2, 0, 0], [0, 0, np.pi / 2]))
    assert found.pose_child_joint.isclose(Pose.from_xyz_rpy([0, 0, 4], [np.pi / 2, 0, 0]))
    assert np.allclose(found.axis, [0, -1, 0])
    assert (found.limit.lower, found.limit.upper) == (-1, 2)


def test_an_axis_may_be_expressed_in_another_frame():
    assert np.allclose(joint("<axis><xyz expressed_in='__model__'>2 0 0</xyz></axis>").axis, [0, -1, 0])
    assert np.allclose(joint("<axis><xyz>2 0 0</xyz></axis>").axis, [1, 0, 0])
    assert np.allclose(joint("<axis><xyz>2 0 0</xyz></axis>", version="1.4").axis, [0, -1, 0])
    older = "<axis><xyz>2 0 0</xyz><use_parent_model_frame>1</use_parent_model_frame></axis>"
    assert np.allclose(joint(older, version="1.6").axis, [0, -1, 0])


def test_a_revolute_joint_without_bounds_is_continuous():
    limit = "<limit><lower>-1e16</lower><upper>1.79769e+308</upper><effort>-1</effort><velocity>3</velocity></limit>"
    found = joint(f"<axis><xyz>1 0 0</xyz>{limit}</axis>")
    assert found.type is JointType.CONTINUOUS
    assert (found.limit.lower, found.limit.upper, found.limit.effort, found.limit.velocity) == (None, None, None, 3)


@pytest.mark.parametrize("type_", ["fixed", "prismatic", "ball", "gearbox"])
def test_other_joints(type_):
    assert joint("", type_).type == type_


def test_what_else_a_joint_holds():
    inside = (
        "<axis><xyz>1 0 0</xyz><dynamics><damping>3</damping><friction>4</friction></dynamics>"
        "<mimic joint='k'><multiplier>2</multiplier><offset>1</offset><reference>0.25</reference></mimic></axis>"
        "<axis2><xyz>0 0 3</xyz></axis2>"
    )
    found = joint(inside)
    assert (found.damping, found.friction) == (3, 4)
    assert (found.mimic.joint, found.mimic.multiplier, found.mimic.offset) == ("k", 2, 0.5)
    assert found.unused == ("second axis",)


@pytest.mark.parametrize(
    ("pitch", "advance"),
    [
        ("<screw_thread_pitch>6.283185307179586</screw_thread_pitch>", 1.0),
        ("<thread_pitch>-4</thread_pitch>", 0.25),
        ("", 1.0 / (2.0 * np.pi)),
    ],
)
def test_a_screw_is_a_rotation_and_a_slide_that_follows_it(pitch, advance):
    found = joint(f"<axis><xyz>0 0 1</xyz></axis>{pitch}", "screw")
    assert [(one.name, one.type) for one in found.row] == [
        ("j", JointType.CONTINUOUS),
        ("j_advance", JointType.PRISMATIC),
    ]
    assert (found.further[0].mimic.joint, found.further[0].mimic.multiplier) == ("j", pytest.approx(advance))
    assert np.allclose(found.axis, found.further[0].axis)
    assert joint("<axis><xyz>0 0 1</xyz></axis><screw_thread_pitch>0</screw_thread_pitch>", "screw").further == ()


@pytest.mark.parametrize("type_", ["universal", "revolute2"])
def test_a_joint_of_two_axes_is_two_rotations_in_a_row(type_):
    """What the second axis states was not read."""
    limit = "<limit><lower>-1</lower><upper>2</upper><effort>3</effort></limit>"
    dynamics = "<dynamics><damping>0.1</damping><spring_stiffness>5</spring_stiffness></dynamics>"
    found = joint(f"<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 0 3</xyz>{limit}{dynamics}</axis2>", type_)
    assert [(one.name, one.type) for one in found.row] == [("j", JointType.CONTINUOUS), ("j_axis2", JointType.REVOLUTE)]
    (second,) = found.further
    assert np.allclose(found.pose_child_joint.rotation @ [0, 0, 1], second.axis)
    assert (second.limit.lower, second.limit.upper, second.limit.effort) == (-1, 2, 3)
    assert (second.damping, second.stiffness, second.stated) == (0.1, 5, {"damping"})
    assert second.parent == found.parent
    assert second.pose_parent_child.isclose(found.pose_parent_child)


def test_axes_of_a_universal_joint_that_states_none_are_perpendicular():
    first, second = joint("", "universal").row
    assert first.axis @ second.axis == pytest.approx(0.0, abs=1e-12)


def test_a_joint_can_follow_the_second_axis_of_another():
    """The attribute `axis` of a mimic was ignored."""
    two = "<parent>l</parent><child>b</child><axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>"
    follows = "<mimic joint='u' axis='axis2'><multiplier>2</multiplier></mimic>"
    one = f"<parent>b</parent><child>c</child><axis><xyz>0 0 1</xyz>{follows}</axis>"
    links = f"{LINK}<link name='b'/><link name='c'/>"
    joints = f"<joint name='u' type='universal'>{two}</joint><joint name='f' type='revolute'>{one}</joint>"
    robot = model(f"{links}{joints}")
    assert robot.joints["f"].mimic.joint == robot.joints["u"].further[0].name == "u_axis2"
    taken = model(f"{links}{joints}<frame name='u_axis2'/>")
    assert taken.joints["f"].mimic.joint == taken.joints["u"].further[0].name == "u_axis2_"


def test_a_joint_to_the_world_holds_a_root():
    robot = model(f"{LINK}<joint name='j' type='fixed'><parent>world</parent><child>l</child></joint>")
    assert (robot.roots, robot.joints["j"].parent) == (("l",), "world")
    assert not robot.is_moved("l")
    assert model(LINK).is_moved("l")
    assert not model(f"<static>1</static>{LINK}").is_moved("l")


def test_joints_find_links_through_frames_and_nested_models():
    robot = model(f"""{LINK}<model name='n' canonical_link='q'><link name='p'/><link name='q'/></model>
      <frame name='f' attached_to='n'/><frame name='g' attached_to='f'/>
      <joint name='j' type='fixed'><parent>__model__</parent><child>g</child></joint>
      <joint name='k' type='fixed'><parent>l</parent><child>n::p</child></joint>""")
    assert [(j.parent, j.child) for j in robot.joints.values()] == [("l", "n::q"), ("l", "n::p")]


def test_joints_that_close_a_loop_are_kept_apart():
    def fixed(name, parent, child):
        return f"<joint name='{name}' type='fixed'><parent>{parent}</parent><child>{child}</child></joint>"

    links = "".join(f"<link name='{name}'/>" for name in "abcd")
    robot = model(links + fixed("1", "a", "b") + fixed("2", "b", "c") + fixed("3", "c", "a") + fixed("4", "d", "c"))
    assert list(robot.joints) == ["1", "2"]
    assert [j.name for j in robot.loop_joints] == ["3", "4"]
    assert robot.roots == ("a", "d")
    assert robot.depth_first == ("a", "b", "c", "d")


@pytest.mark.parametrize(
    ("xml", "says"),
    [
        ("<joint name='j' type='hinge'><parent>a</parent><child>b</child></joint>", "unknown"),
        ("<joint name='j' type='fixed'><parent>a</parent><child>c</child></joint>", "unknown frame"),
        ("<joint name='j' type='fixed'><parent>a</parent><child>world</child></joint>", "unknown frame"),
        ("<joint name='j' type='fixed'><parent>a</parent><child>a</child></joint>", "to itself"),
        ("<joint name='j' type='fixed'><child>a</child></joint>", "no <parent>"),
        (
            "<joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 0 0</xyz></axis></joint>",
            "the axis is zero",
        ),
    ],
)
def test_a_wrong_joint_is_refused(xml, says):
    assert says in refused(f"{TWO}\n{xml}").reason


# includes


@pytest.fixture
def library(tmp_path):
    """A folder with the model arm, of two versions, and a folder for the files that include it."""
    arm = tmp_path / "models" / "arm"
    arm.mkdir(parents=True)
    (arm / "model.config").write_text("<model><sdf version='1.4'>old.sdf</sdf><sdf version='1.9'>arm.sdf</sdf></model>")
    (arm / "arm.sdf").write_text(
        "<sdf version='1.9'><model name='arm'><pose>0 0 1 0 0 0</pose><link name='l'/>"
        "<link name='tip'><pose>0 0 2 0 0 0</pose></link><model name='hand'><link name='l'/></model>"
        "<joint name='j' type='fixed'><parent>l</parent><child>tip</child></joint></model></sdf>"
    )
    return tmp_path


def include(
    library, inside: str, attributes: str = "", outer: str = "world", uri: str = "model://arm"
) -> it.Description:
    body = f"<include {attributes}><uri>{uri}</uri>{inside}</include>"
    text = sdf(f"<{outer} name='o'>{body}</{outer}>")
    return it.load_text(text, base_dir=library, package_path=[library / "models"])


@pytest.mark.parametrize("uri", ["model://arm", "models/arm", "models/arm/arm.sdf", "arm", "model://arm/arm.sdf"])
def test_an_included_model_is_found(library, uri):
    world = include(library, "", uri=uri)
    assert list(world.links) == ["arm::l", "arm::tip", "arm::hand::l"]
    assert pose_of(world, "arm::tip").position[2] == 3.0
    assert world.links["arm::l"].place.file.endswith("arm.sdf")


def test_an_include_may_change_name_pose_and_static(library):
    world = include(library, "<name>b</name><pose>5 0 0 0 0 0</pose><static>true</static>")
    assert [m.name for m in world.models] == ["b", "b::hand"]
    assert np.allclose(pose_of(world, "b::tip").position, [5, 0, 2])
    assert all(link.is_static for link in world.links.values())


def test_changes_that_an_include_asks_for_are_not_ignored_without_a_word(library):
    asked = "<experimental:params xmlns:experimental='e'><link element_id='l' action='remove'/></experimental:params>"
    world = include(library, asked)
    assert "arm::l" in world.links
    assert [(remark.level, remark.code, remark.link) for remark in world.remarks] == [("warning", "ignored-params", "")]


def test_an_include_may_place_a_frame(library):
    world = include(library, "<placement_frame>tip</placement_frame><pose>5 0 0 0 0 0</pose>")
    assert np.allclose(pose_of(world, "arm::l").position, [5, 0, -2])


def test_a_merged_model_gives_its_names_to_the_one_around(library):
    text = """<model name='o'><link name='base'/>
      <include merge='true'><uri>model://arm</uri><pose>5 0 0 0 0 0</pose></include>
      <joint name='k' type='fixed'><parent>base</parent><child>l</child></joint>
      <link name='end'><pose relative_to='tip'>0 0 1 0 0 0</pose></link></model>"""
    robot = it.load_text(sdf(text), package_path=[library / "models"])
    assert list(robot.links) == ["base", "l", "tip", "hand::l", "end"]
    assert list(robot.joints) == ["j", "k"]
    assert np.allclose(pose_of(robot, "end").position, [5, 0, 3])
    assert [m.name for m in robot.models] == ["o", "hand"]


def test_a_merged_model_may_not_take_a_name(library):
    text = "<model name='o'>\n<link name='tip'/><include merge='true'><uri>model://arm</uri></include></model>"
    with pytest.raises(ParseError, match="rename one"):
        it.load_text(sdf(text), package_path=[library / "models"])


@pytest.mark.parametrize("uri", ["model://leg", "leg.sdf", "https://fuel.gazebosim.org/leg"])
def test_what_is_not_there_is_left_out_with_a_remark(library, uri):
    text = sdf(f"""<model name='o'>{LINK}<include><uri>{uri}</uri></include>
      <joint name='j' type='fixed'><parent>l</parent><child>leg::l</child></joint></model>""")
    robot = it.load_text(text)
    assert list(robot.links) == ["l"]
    assert [(remark.level, remark.code) for remark in robot.remarks] == [("error", "missing-include")] * 2
    assert robot.remarks[0].place.line == 2


def test_the_version_of_the_included_file_counts_for_what_is_in_it(tmp_path):
    axis = "<parent>a</parent><child>b</child><axis><xyz>2 0 0</xyz></axis>"
    (tmp_path / "old.sdf").write_text(
        sdf(f"<model name='o'>{TWO}<joint name='j' type='revolute'>{axis}</joint></model>", "1.4")
    )
    world = it.load_text(sdf("<world name='w'><include><uri>old.sdf</uri></include></world>"), base_dir=tmp_path)
    assert np.allclose(world.joints["o::j"].axis, [0, -1, 0])


def test_a_file_that_includes_itself_is_refused(tmp_path):
    file = tmp_path / "a.sdf"
    file.write_text(sdf("<model name='a'><include><uri>a.sdf</uri></include></model>"))
    with pytest.raises(ParseError, match=r"Circular include: .*a\.sdf -> .*a\.sdf; remove one of these includes"):
        it.load(file)


def test_files_that_include_each_other_are_named(tmp_path, monkeypatch):
    """However the first one was opened."""
    for name, next_one in (("a", "b"), ("b", "a")):
        (tmp_path / f"{name}.sdf").write_text(
            sdf(f"<model name='{name}'><include><uri>{next_one}.sdf</uri></include></model>")
        )
    monkeypatch.chdir(tmp_path)
    for first in ("a.sdf", tmp_path / "a.sdf"):
        with pytest.raises(ParseError, match=r"Circular include: \S*a\.sdf -> \S*b\.sdf -> \S*a\.sdf;"):
            it.load(first)


def test_an_included_light_is_no_model(tmp_path):
    (tmp_path / "sun.sdf").write_text(sdf("<light name='sun'/>"))
    text = sdf(f"<world name='w'><include><uri>sun.sdf</uri></include><model name='m'>{LINK}</model></world>")
    assert it.load_text(text, base_dir=tmp_path).remarks == ()


# versions


@pytest.mark.parametrize("version", ["1.13", "2.0", "1.2", "new"])
def test_an_unknown_version_is_remarked_on(version):
    assert [remark.code for remark in model(LINK, version=version).remarks] == ["unknown-version"]


def test_loading_computes_nothing():
    shape = "<collision name='c'><geometry><sphere><radius>1</radius></sphere></geometry></collision>"
    robot = model(f"<link name='l'><inertial auto='true'/>{shape}</link>")
    assert robot.links["l"].inertial.mass == 1.0


def test_xacro_may_make_sdf(tmp_path):
    pytest.importorskip("xacro", reason="xacro is not installed")
    file = tmp_path / "m.sdf.xacro"
    file.write_text(
        '<sdf version="1.9" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:property name="m" value="${2 + 1}"/>'
        '<model name="m"><link name="l"><inertial><mass>${m}</mass></inertial></link></model></sdf>'
    )
    robot = it.load(file)
    assert (robot.format, robot.links["l"].inertial.mass, robot.document.generated) == (Format.SDF, 3.0, True)


def test_findings_name_the_element_that_is_meant():
    text = sdf(
        "<world name='w'><model name=\"it's\"><link name='l'><inertial auto='true'/></link></model>"
        "<model name='n'><link name='l'><visual name='v'><geometry><box><size>1 1 1</size></box></geometry></visual>"
        "<inertial><pose relative_to='x'>0 0 0 0 0 0</pose><mass>-1</mass></inertial></link></model></world>"
    )
    found = {finding.code: finding.path for finding in it.check(it.load_text(text)).findings}
    assert found["auto-without-collision"] == "/sdf/world[@name='w']/model[@name=\"it's\"]/link[@name='l']/inertial"
    assert found["negative-mass"] == "/sdf/world[@name='w']/model[@name='n']/link[@name='l']/inertial"
    assert found["ignored-relative-to"] == found["negative-mass"] + "/pose"


def test_elements_without_a_name_are_numbered():
    urdf = (
        "<robot name='r'><link name='a'>"
        + "<collision><geometry><box size='1 0 1'/></geometry></collision>" * 3
        + "</link></robot>"
    )
    found = [one.path for one in it.check(it.load_text(urdf)).findings if one.code == "invalid-size"]
    start = "/robot[@name='r']/link[@name='a']/"
    assert found == [f"{start}{shape}/geometry/box" for shape in ("collision", "collision[2]", "collision[3]")]


@pytest.mark.parametrize(
    "beside", ["", '<model name="m"/>', '<model name="m"><link name="L"/></model>', '<world name="w"/>']
)
def test_a_link_outside_all_models_is_refused(beside):
    with pytest.raises(ParseError, match=r"this <link> is outside a model; move it into a <model>"):
        it.load_text(f'<sdf version="1.12"><link name="L"/>{beside}</sdf>')


def test_models_nested_with_endless_names_are_refused():
    names = ["m" * 20_000 + str(level) for level in range(40)]
    text = "".join(f'<model name="{name}">' for name in names) + '<link name="L"/>' + "</model>" * len(names)
    with pytest.raises(ParseError, match="nest fewer models"):
        it.load_text(f'<sdf version="1.12">{text}</sdf>')


@pytest.mark.parametrize("normal", ["0 0 0", "nan 0 1", "0 inf 0", "1e-200 0 0", "0 1e200 0"])
def test_a_plane_that_faces_nowhere_is_refused_with_its_line(normal):
    plane = f"<collision name='c'><geometry><plane><normal>{normal}</normal></plane></geometry></collision>"
    text = f"<sdf version='1.8'><model name='m'>\n<link name='a'>\n{plane}</link></model></sdf>"
    with pytest.raises(ParseError, match=r":3: \S+ \S+ \S+ is not a direction; write one, such as 0 0 1"):
        it.load_text(text)
