# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Writing USD: what is written is read again as it was, by us and by OpenUSD."""

from dataclasses import replace

import numpy as np
import pytest
from robots import example_robots, urdf

import inertia_tools as it
from inertia_tools.conversion import Kind
from inertia_tools.description.joint import JointType
from inertia_tools.description.usd.joints import ARMATURE, DAMPING, FRICTION
from inertia_tools.description.usd.names import NAME
from inertia_tools.errors import ConversionError
from inertia_tools.usd import PrimType, SchemaResolverMjc, SchemaResolverNewton, SchemaResolverPhysx

pytest.importorskip("pxr", reason="usd-core is not installed")

SKEW = (
    '<inertial><origin xyz="0.01 -0.02 0.3" rpy="0.1 0.2 0.3"/><mass value="1.234567890123"/>'
    '<inertia ixx="0.1" ixy="0.001" ixz="-0.002" iyy="0.11" iyz="0.003" izz="0.07"/></inertial>'
)
"""An inertial with a tensor that is not diagonal in any axes of the link."""

FLAT = '<inertial><mass value="0.001"/><inertia ixx="1e-9" ixy="0" ixz="0" iyy="1e-9" iyz="0" izz="2e-9"/></inertial>'
"""A thin plate, at the very edge of the triangle inequality."""


LIMIT = '<limit lower="-1" upper="0.5" effort="1" velocity="1"/>'


def link(name: str, content: str) -> str:
    return f'<link name="{name}">{content}</link>'


def joint(name: str, parent: str, child: str, kind: str = "continuous", content: str = "") -> str:
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{content}</joint>'


def two_links(content: str, between: str = "", kind: str = "continuous") -> str:
    return urdf(link("base", SKEW + content) + link("arm", FLAT) + joint("j", "base", "arm", kind, between))


def round_trip(text: str, tmp_path, suffix: str = ".usda"):
    target = tmp_path / f"robot{suffix}"
    conversion = it.convert(it.load_text(text), target)
    return conversion, it.load(target)


def test_a_colour_is_linear_in_the_stage_and_comes_back(tmp_path):
    """Other formats have colours encoded for display; the middle of sRGB is 0.214 of its light."""
    from pxr import Usd, UsdGeom

    red = '<material name="red"><color rgba="1 0.5 0 0.25"/></material>'
    look = f'<visual><geometry><sphere radius="1"/></geometry>{red}</visual>'
    _, robot = round_trip(urdf(link("base", SKEW + look)), tmp_path)
    assert robot.links["base"].visuals[0].colour == pytest.approx((1.0, 0.5, 0.0, 0.25), abs=1e-6)
    stage = Usd.Stage.Open(str(tmp_path / "robot.usda"))
    colours = (UsdGeom.Gprim(prim).GetDisplayColorAttr() for prim in stage.Traverse() if prim.IsA(UsdGeom.Sphere))
    assert tuple(next(colours).Get()[0]) == pytest.approx((1.0, 0.214041, 0.0), abs=1e-5)


@pytest.mark.parametrize("suffix", [".usda", ".usdc", ".usd"])
def test_mass_properties_come_back_in_double_precision(tmp_path, suffix):
    conversion, robot = round_trip(two_links(""), tmp_path, suffix)
    for name, link_ in conversion.prepared.links.items():
        assert it.stats(robot)[name].effective.inertial.isclose(link_.inertial, rtol=1e-15)


def test_without_our_attributes_they_come_back_in_single_precision(tmp_path):
    target = tmp_path / "robot.usda"
    conversion = it.convert(it.load_text(two_links("")), target)
    lines = [line for line in target.read_text().splitlines() if "inertiaTools:" not in line]
    target.write_text("\n".join(lines))
    report = it.stats(it.load(target))
    for name, link_ in conversion.prepared.links.items():
        found, stated = report[name].effective.inertial, link_.inertial
        assert found.isclose(stated, rtol=1e-6)
        assert found.is_valid(tolerance=1e-12)  # rounding made nothing impossible


def test_an_edit_of_the_single_numbers_is_not_overlooked(tmp_path):
    target = tmp_path / "robot.usda"
    it.convert(it.load_text(two_links("")), target)
    target.write_text(target.read_text().replace("physics:mass = 1.2345679", "physics:mass = 2"))
    assert it.stats(it.load(target))["base"].effective.inertial.mass == 2.0


def test_openusd_agrees(tmp_path):
    from pxr import UsdPhysics

    conversion, robot = round_trip(two_links("").replace("e-9", "e-4"), tmp_path)  # under 1e-7 it takes a ball
    for name, body in robot.usd.bodies.items():
        api = UsdPhysics.RigidBodyAPI(robot.usd.stage.GetPrimAtPath(body.path))
        mass, moments, com, _ = api.ComputeMassProperties(lambda _: UsdPhysics.RigidBodyAPI.MassInformation())
        stated = conversion.prepared.links[name].inertial
        assert mass == pytest.approx(stated.mass, rel=1e-6)
        np.testing.assert_allclose(com, stated.com, atol=1e-7)
        np.testing.assert_allclose(sorted(moments), stated.principal_moments, rtol=1e-6)


@pytest.mark.parametrize(
    "geometry",
    [
        '<box size="0.1 0.2 0.3"/>',
        '<sphere radius="0.1"/>',
        '<cylinder radius="0.1" length="0.3"/>',
        '<capsule radius="0.1" length="0.3"/>',
    ],
)
def test_shapes_come_back_where_they_were(tmp_path, geometry):
    content = f'<collision><origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><geometry>{geometry}</geometry></collision>'
    conversion, robot = round_trip(two_links(content), tmp_path)
    was, now = conversion.prepared.links["base"].collisions[0], robot.links["base"].collisions[0]
    assert type(now.geometry) is type(was.geometry)
    numbers = [np.ravel(list(vars(shape.geometry).values())) for shape in (now, was)]
    np.testing.assert_allclose(*numbers, rtol=1e-15)
    assert now.pose_link_shape.isclose(was.pose_link_shape, 1e-12)


@pytest.mark.parametrize("kind", ["fixed", "revolute", "continuous", "prismatic"])
@pytest.mark.parametrize("axis", ["1 0 0", "0 -1 0", "0.6 0 0.8"])
def test_joints_come_back_as_they_were(tmp_path, kind, axis):
    between = f'<origin xyz="0.1 0.2 0.3" rpy="0.1 0.2 0.3"/><axis xyz="{axis}"/>'
    between += LIMIT if kind in ("revolute", "prismatic") else ""
    conversion, robot = round_trip(two_links("", between, kind), tmp_path)
    was, now = conversion.prepared.joints["j"], robot.joints["j"]
    assert (now.type, now.parent, now.child) == (was.type, was.parent, was.child)
    assert now.pose_parent_child.isclose(was.pose_parent_child, 1e-6)
    if kind != "fixed":
        np.testing.assert_allclose(now.axis, was.axis, atol=1e-6)
    if kind in ("revolute", "prismatic"):
        assert (now.limit.lower, now.limit.upper) == pytest.approx((-1.0, 0.5), rel=1e-6)
        assert "effort limit" in conversion.noted(Kind.DROPPED)[0].message


def test_ten_ways_a_joint_may_be_in_mjcf(tmp_path):
    """Three hinges of one body through one point are one generic joint."""
    hinges = "".join(
        f'<joint name="h{n}" axis="{axis}" range="-10 10"/>' for n, axis in enumerate(("1 0 0", "0 1 0", "0 0 1"))
    )
    text = f'<mujoco><worldbody><body name="b"><geom size="0.1"/>{hinges}</body></worldbody></mujoco>'
    target = tmp_path / "robot.usda"
    conversion = it.convert(it.load_text(text), target)
    named = [(note.name, note.message) for note in conversion.noted(Kind.RENAMED) if note.name.startswith("h")]
    words = "loses its name, as it becomes {} of joint 'h0'"
    assert named == [("h1", words.format("rotY")), ("h2", words.format("rotZ"))]
    found = it.load(target).joints["h0"]
    assert [part.type for part in (found, *found.further)] == [JointType.REVOLUTE] * 3
    np.testing.assert_allclose([part.axis for part in (found, *found.further)], np.eye(3), atol=1e-7)


@pytest.mark.parametrize(
    "axes", [("1 0 0", "0 0 1", "0 1 0"), ("1 0 0", "0 0 1"), ("0 1 0", "1 0 0", "0 0 1"), ("0.6 0 0.8", "0 -1 0")]
)
def test_slides_and_a_hinge_across_them_are_one_joint(axes):
    """The first is the root of MuJoCo's planar animals."""
    *slides, hinge = axes
    joints = "".join(f'<joint type="slide" axis="{axis}"/>' for axis in slides) + f'<joint axis="{hinge}"/>'
    text = f'<mujoco><worldbody><body name="b"><geom size="0.1"/>{joints}</body></worldbody></mujoco>'
    (joint,) = it.convert(it.load_text(text), format="usd").converted.joints.values()
    assert [part.type for part in joint.row] == [JointType.PRISMATIC] * len(slides) + [JointType.CONTINUOUS]
    np.testing.assert_allclose([part.axis for part in joint.row], np.array([a.split() for a in axes], float), atol=1e-6)


def test_hinges_that_do_not_meet_have_no_place(tmp_path):
    hinges = '<joint axis="1 0 0" pos="0 0 1"/><joint axis="0 1 0"/>'
    text = f'<mujoco><worldbody><body name="b"><geom size="0.1"/>{hinges}</body></worldbody></mujoco>'
    with pytest.raises(ConversionError, match="add a link between them"):
        it.convert(it.load_text(text), tmp_path / "robot.usda")


@pytest.mark.parametrize("joints", ['<joint type="ball"/><joint/>', '<joint type="slide"/><joint type="ball"/>'])
def test_balls_in_a_row_with_others_have_no_place(tmp_path, joints):
    text = f'<mujoco><worldbody><body name="b"><geom size="0.1"/>{joints}</body></worldbody></mujoco>'
    with pytest.raises(ConversionError, match="add a link between them"):
        it.convert(it.load_text(text), tmp_path / "robot.usda")


def test_names_that_are_no_identifiers_come_back(tmp_path):
    text = urdf(link("left.arm 1", SKEW) + link("7", FLAT) + joint("a-b", "left.arm 1", "7"))
    conversion, robot = round_trip(text.replace('name="r"', 'name="my robot-1"'), tmp_path)
    assert robot.name == "my robot-1"
    assert list(robot.links) == ["world", "left.arm 1", "7"]
    assert "a-b" in robot.joints
    assert {note.name for note in conversion.noted(Kind.RENAMED)} == {"my robot-1", "left.arm 1", "7", "a-b"}


def test_shapes_keep_their_names(tmp_path):
    """Prims are named as shapes are, a second one of a name by a number; a name that is no identifier is kept."""
    from pxr import Usd

    def prims(file: str) -> list[tuple[str, str | None]]:
        stage = Usd.Stage.Open(str(tmp_path / file))
        base = stage.GetDefaultPrim().GetChild("base")
        return [(prim.GetName(), prim.GetAttribute(NAME).Get()) for prim in base.GetChildren()]

    ball = '<geometry><sphere radius="1"/></geometry>'
    shapes = f'<collision name="foot">{ball}</collision><collision name="the toe">{ball}</collision>'
    round_trip(
        urdf(link("base", f'{SKEW}{shapes}<visual name="foot">{ball}</visual><visual>{ball}</visual>')), tmp_path
    )
    assert prims("robot.usda") == [("foot", None), ("the_toe", "the toe"), ("foot_2", "foot"), ("visual_1", None)]
    it.convert(it.load(tmp_path / "robot.usda"), tmp_path / "again.usda")
    assert [name for name, _ in prims("again.usda")] == ["foot", "the_toe", "foot_2", "visual_1"]


def test_a_robot_whose_name_is_an_identifier_is_not_renamed(tmp_path):
    conversion, robot = round_trip(urdf(link("base", SKEW)), tmp_path)
    assert robot.name == "r"
    assert not conversion.noted(Kind.RENAMED)


def test_a_stage_without_a_default_prim_is_named_after_its_source():
    text = '#usda 1.0\ndef Xform "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])\n{\n}\n'
    assert it.load_text(text, name="<robot_description>").name == "robot_description"


def test_a_link_without_mass_is_not_weighed_by_its_collisions_unsaid(tmp_path):
    """In a stage a body that states no mass weighs what its colliders do."""
    shape = '<collision><geometry><box size="1 1 1"/></geometry></collision>'
    text = urdf(link("base", SKEW), link("cover", shape), link("frame", ""))
    joints = joint("j", "base", "cover", "fixed") + joint("k", "base", "frame", "fixed")
    conversion, robot = round_trip(text.replace("</robot>", joints + "</robot>"), tmp_path)
    assert robot.links["cover"].inertial.mass == pytest.approx(1000.0)
    assert [note.name for note in conversion.noted(Kind.ASSUMED)] == ["cover"]
    assert it.stats(robot)["frame"].effective is None or it.stats(robot)["frame"].effective.mass == 0.0


@pytest.mark.parametrize("suffix", [".usda", ".xml"])
def test_a_planar_joint_resists_in_each_of_its_freedoms(suffix, tmp_path):
    plane = '<axis xyz="0 1 0"/><limit effort="3"/><dynamics damping="0.5" friction="0.25"/>'
    conversion, robot = round_trip(two_links("", plane, "planar"), tmp_path, suffix)
    parts = robot.parent_joint["arm"].row
    kinds = [JointType.PRISMATIC, JointType.PRISMATIC, JointType.CONTINUOUS]
    assert [(one.type, one.damping, one.friction) for one in parts] == [(kind, 0.5, 0.25) for kind in kinds]
    assert np.abs([part.axis[1] for part in parts]) == pytest.approx([0.0, 0.0, 1.0])
    assert ("j", "the limits of a planar joint are lost") in [(one.name, one.message) for one in conversion.notes]


@pytest.mark.parametrize("suffix", [".usda", ".xml"])
def test_a_planar_joint_that_lies_flat_slides_along_x_and_then_y(suffix, tmp_path):
    """The base of a robot on wheels: its `_x` slid along y, and its `_y` against x."""
    _, robot = round_trip(two_links("", '<axis xyz="0 0 1"/>', "planar"), tmp_path, suffix)
    assert np.array([part.axis for part in robot.parent_joint["arm"].row]) == pytest.approx(np.eye(3), abs=1e-6)


@pytest.mark.parametrize("suffix", [".usda", ".xml", ".sdf"])
def test_both_axes_of_a_universal_joint_come_back(suffix, tmp_path):
    """The limits and the damping of its second axis were lost."""
    text = """<sdf version="1.9"><model name="m"><link name="a"/><link name="b"/>
      <joint name="u" type="universal"><parent>a</parent><child>b</child>
      <axis><xyz>1 0 0</xyz><limit><lower>-1</lower><upper>0.5</upper></limit>
      <dynamics><damping>0.5</damping></dynamics></axis><axis2><xyz>0 1 0</xyz><limit><lower>-0.25</lower></limit>
      <dynamics><damping>0.75</damping></dynamics></axis2></joint></model></sdf>"""
    _, robot = round_trip(text, tmp_path, suffix)
    first, second = robot.joints["u"].row
    assert (first.limit.lower, first.limit.upper) == pytest.approx((-1.0, 0.5))
    assert second.limit.lower == pytest.approx(-0.25)
    assert (first.damping, second.damping) == pytest.approx((0.5, 0.75))
    assert first.axis @ second.axis == pytest.approx(0.0, abs=1e-6)


def test_damping_and_friction_are_written(tmp_path):
    _, robot = round_trip(two_links("", '<dynamics damping="0.5" friction="0.25"/>'), tmp_path)
    prim = robot.usd.stage.GetPrimAtPath(robot.usd.joint_paths["j"])
    assert prim.GetAttribute("newton:friction").Get() == 0.25
    assert prim.GetAttribute("drive:angular:physics:damping").Get() == pytest.approx(0.5 * np.pi / 180.0)


@pytest.mark.parametrize("suffix", ["urdf", "sdf", "xml"])
def test_damping_and_friction_come_back_in_other_formats(suffix, tmp_path):
    _, robot = round_trip(two_links("", '<dynamics damping="0.7" friction="0.25"/>'), tmp_path)
    assert robot.joints["j"].drive is None
    it.convert(robot, tmp_path / f"back.{suffix}")
    joint = it.load(tmp_path / f"back.{suffix}").joints["j"]
    assert (joint.damping, joint.friction) == (0.7, 0.25)


def test_a_scene_has_the_damping_once(tmp_path):
    text = two_links("", '<dynamics damping="0.7" friction="0.25"/>')
    _, robot = round_trip(text, tmp_path)
    own, back = it.ModelBuilder(), it.ModelBuilder()
    own.add_urdf(text)
    back.add_usd(robot.document.path)
    for name in ("joint_damping", "joint_friction", "joint_target_kd"):
        assert getattr(back, name)[-1:] == pytest.approx(getattr(own, name)[-1:])


def test_an_edit_of_the_damping_counts(tmp_path):
    _, robot = round_trip(two_links("", '<dynamics damping="0.7"/>'), tmp_path)
    path = robot.document.path
    for factor in (0.5, 2.0):
        stage = robot.usd.stage
        stage.GetPrimAtPath(robot.usd.joint_paths["j"]).GetAttribute("drive:angular:physics:damping").Set(
            0.7 * factor * np.pi / 180.0
        )
        stage.GetRootLayer().Export(str(path))
        joint = it.load(path).joints["j"]
        assert joint.damping == pytest.approx(0.7 * min(factor, 1.0))
        assert (0.0 if joint.drive is None else joint.drive.damping) == pytest.approx(0.7 * max(factor - 1.0, 0.0))


def test_drives_and_rotors_are_written(tmp_path):
    text = """<mujoco><worldbody><body name="b"><geom size="0.1"/>
    <joint name="h" axis="0 1 0" armature="0.25" damping="0.5"/></body></worldbody>
    <actuator><position joint="h" kp="4" kv="1" forcerange="-3 3"/></actuator></mujoco>"""
    target = tmp_path / "robot.usda"
    it.convert(it.load_text(text), target)
    joint = it.load(target).joints["h"]
    assert (joint.drive.stiffness, joint.drive.damping, joint.drive.effort) == pytest.approx((4.0, 1.0, 3.0))
    assert (joint.damping, joint.armature) == (0.5, 0.25)
    builder = it.ModelBuilder()
    result = builder.add_usd(target)
    (index,) = (one for path, one in result["path_joint_map"].items() if path.endswith("/h"))
    assert builder.joints[index].dofs[0].config.armature == 0.25


def test_a_loop_comes_back_as_a_loop(tmp_path):
    text = two_links("").replace("</robot>", "")
    robot = it.load_text(text + "</robot>")
    closing = replace(robot.joints["j"], name="k")
    target = tmp_path / "robot.usda"
    it.convert(replace(robot, loop_joints=(closing,)), target)
    assert [one.name for one in it.load(target).loop_joints] == ["k"]


def test_a_bolted_robot_stays_bolted(tmp_path):
    target = tmp_path / "robot.usda"
    it.convert(it.load_text(two_links("")), target, fixed_base=True)
    found = it.load(target)
    assert found.parent_joint["base"].type is JointType.FIXED


def test_sdformat_and_mjcf_come_through_too(tmp_path):
    sdf = (
        '<sdf version="1.9"><model name="m"><link name="a"><inertial auto="true"/>'
        '<collision name="c"><density>500</density><geometry><box><size>1 1 1</size></box></geometry></collision>'
        "</link></model></sdf>"
    )
    mjcf = '<mujoco><worldbody><body name="a"><freejoint/><geom type="box" size="0.5 0.5 0.5" density="500"/></body></worldbody></mujoco>'
    for text in (sdf, mjcf):
        _, robot = round_trip(text, tmp_path)
        found = it.stats(robot)["a"].effective.inertial
        assert found.mass == pytest.approx(500.0, rel=1e-12)
        assert robot.parent_joint["a"].type is JointType.FLOATING


@pytest.mark.skipif(example_robots() is None, reason="example-robot-data is not installed")
@pytest.mark.parametrize(
    "file",
    [
        "ur_description/urdf/ur5_robot.urdf",
        "panda_description/urdf/panda.urdf",
        "talos_data/robots/talos_full_v2.urdf",
        "hyq_description/robots/hyq_no_sensors.urdf",
        "go1_description/urdf/go1.urdf",
        "baxter_description/urdf/baxter.urdf",
        "simple_humanoid_description/urdf/simple_humanoid.urdf",
        "solo_description/robots/solo12.urdf",
        "bolt_description/robots/bolt.urdf",
        "z1_description/urdf/z1.urdf",
    ],
)
def test_ten_published_robots_come_back(tmp_path, file):
    """Mass, centre and tensor to 1e-9 of the body's size with our attributes, and to 1e-6 without."""
    target = tmp_path / "robot.usda"
    robot = it.load(example_robots() / file)
    bare = {name: replace(link_, visuals=(), collisions=()) for name, link_ in robot.links.items()}  # meshes take long
    conversion = it.convert(replace(robot, links=bare), target)
    without = tmp_path / "single.usda"
    without.write_text("\n".join(line for line in target.read_text().splitlines() if "inertiaTools:" not in line))
    for path, tolerance in ((target, 1e-9), (without, 1e-6)):
        report = it.stats(it.load(path))
        for name, link_ in conversion.prepared.links.items():
            if link_.inertial is None:
                continue
            found = report[name].effective.inertial
            largest = np.abs(link_.inertial.inertia).max()
            assert found.mass == pytest.approx(link_.inertial.mass, rel=tolerance)
            np.testing.assert_allclose(found.com, link_.inertial.com, rtol=tolerance, atol=tolerance)
            np.testing.assert_allclose(found.inertia, link_.inertial.inertia, rtol=0, atol=tolerance * largest)


def test_mimics_and_velocity_limits_come_back(tmp_path):
    limits = '<limit lower="-1" upper="1" effort="5" velocity="2.5"/>'
    text = urdf(
        "".join(link(name, SKEW) for name in ("a", "b", "c"))
        + joint("lead", "a", "b", "revolute", limits)
        + joint("follow", "b", "c", "revolute", limits + '<mimic joint="lead" multiplier="-2" offset="0.25"/>')
    )
    conversion, back = round_trip(text, tmp_path)
    mimic = back.joints["follow"].mimic
    assert (mimic.joint, mimic.multiplier, mimic.offset) == ("lead", -2.0, pytest.approx(0.25))
    assert back.joints["lead"].limit.velocity == pytest.approx(2.5)
    said = [note.message for note in conversion.noted(Kind.DROPPED)]
    assert not [message for message in said if "mimic" in message or "velocity" in message]


def test_spellings_of_what_resists_are_those_of_the_resolvers():
    for key, names in (("friction", FRICTION), ("armature", ARMATURE)):
        mappings = (
            one.mapping[PrimType.JOINT] for one in (SchemaResolverNewton, SchemaResolverMjc, SchemaResolverPhysx)
        )
        assert names == tuple(rows[key].name for rows in mappings if key in rows)
    own = (
        SchemaResolverNewton.mapping[PrimType.JOINT]["damping"],
        SchemaResolverMjc.mapping[PrimType.JOINT]["damping_per_rad"],
    )
    assert tuple(one.name for one in own) == DAMPING
