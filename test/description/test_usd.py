# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Reading USD: bodies, shapes, joints, units, instances, and what is refused."""

import subprocess
import sys

import numpy as np
import pytest
from usd_stages import at, body, cube, joint, prim, stage

import inertia_tools as it
from inertia_tools.description.geometry import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Plane, Sphere
from inertia_tools.description.joint import JointType
from inertia_tools.errors import MissingDependencyError, ParseError

pytest.importorskip("pxr", reason="usd-core is not installed")

COLLIDES = ("PhysicsCollisionAPI",)


@pytest.mark.parametrize("suffix", [".usda", ".usdc", ".usd", ".usdz"])
def test_all_forms_of_the_file_are_read(tmp_path, suffix):
    from pxr import Usd, UsdUtils

    text = tmp_path / "cube.usda"
    text.write_text(stage(body("B", cube("c"))))
    path = tmp_path / f"other{suffix}"
    if suffix == ".usdz":
        assert UsdUtils.CreateNewUsdzPackage(str(text), str(path))
    elif suffix == ".usda":
        path = text
    else:
        opened = Usd.Stage.Open(str(text))  # a layer lives no longer than its stage
        opened.GetRootLayer().Export(str(path))
    assert it.stats(it.load(path)).total_mass == pytest.approx(8.0)


def test_loading_the_package_and_checking_other_formats_does_not_load_openusd():
    code = (
        'import sys, inertia_tools as it; it.check(it.load_text(\'<robot name="r"><link name="l"/></robot>\'));'
        "sys.exit(any(name.split('.')[0] == 'pxr' for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_without_openusd_the_message_names_the_command(monkeypatch):
    from inertia_tools.description.usd import library

    library.pxr.cache_clear()
    monkeypatch.setitem(sys.modules, "pxr", None)
    with pytest.raises(MissingDependencyError, match="pip install usd-core"):
        it.load_text(stage())
    library.pxr.cache_clear()


def test_a_file_that_changed_is_read_anew(tmp_path):
    path = tmp_path / "cube.usda"
    path.write_text(stage(body("B", "float physics:mass = 1")))
    first = it.load(path)
    path.write_text(stage(body("B", "float physics:mass = 22")))
    assert it.stats(it.load(path)).total_mass == 22.0
    assert first.links["B"].declared.mass == 1.0


def test_what_openusd_refuses_has_a_line(tmp_path):
    path = tmp_path / "broken.usda"
    path.write_text('#usda 1.0\ndef Xform "B" {\n  double size = \n}\n')
    with pytest.raises(ParseError, match="OpenUSD") as caught:
        it.load(path)
    assert caught.value.line in (3, 4)


@pytest.mark.parametrize(
    ("kind", "content", "expected"),
    [
        ("Cube", "double size = 2", Box((2.0, 2.0, 2.0))),
        ("Sphere", "double radius = 2", Sphere(2.0)),
        ("Cylinder", "double radius = 1\ndouble height = 3", Cylinder(1.0, 3.0)),
        ("Capsule", "double radius = 1\ndouble height = 3", Capsule(1.0, 3.0)),
        ("Cone", "double radius = 1\ndouble height = 3", Cone(1.0, 3.0)),
        ("Plane", 'uniform token axis = "Y"', Plane((0.0, 1.0, 0.0))),
        ("Cylinder_1", "double radiusTop = 1\ndouble radiusBottom = 1\ndouble height = 3", Cylinder(1.0, 3.0)),
    ],
)
def test_primitives(kind, content, expected):
    robot = it.load_text(stage(body("B", prim(kind, "s", content, apis=COLLIDES))))
    assert robot.links["B"].collisions[0].geometry == expected


@pytest.mark.parametrize(("axis", "expected"), [("X", [1, 0, 0]), ("Y", [0, 1, 0]), ("Z", [0, 0, 1])])
def test_bodies_of_revolution_lie_along_their_axis(axis, expected):
    shape = prim("Cone", "s", f'uniform token axis = "{axis}"', "double height = 3", apis=COLLIDES)
    pose = it.load_text(stage(body("B", shape))).links["B"].collisions[0].pose_link_shape
    assert pose.rotation[:, 2].tolist() == expected
    assert np.linalg.det(pose.rotation) == pytest.approx(1.0)


def test_a_stretched_sphere_is_an_ellipsoid_and_a_stretched_cylinder_has_the_larger_radius():
    scale = 'double3 xformOp:scale = (1, 2, 3)\nuniform token[] xformOpOrder = ["xformOp:scale"]'
    ball = prim("Sphere", "a", "double radius = 1", scale, apis=COLLIDES)
    tube = prim("Cylinder", "b", "double radius = 1\ndouble height = 2", scale, apis=COLLIDES)
    shapes = it.load_text(stage(body("B", ball, tube))).links["B"].collisions
    assert [shape.geometry for shape in shapes] == [Ellipsoid((1.0, 2.0, 3.0)), Cylinder(2.0, 6.0)]


CUBE_POINTS = "point3f[] points = [(0,0,0),(1,0,0),(1,1,0),(0,1,0),(0,0,1),(1,0,1),(1,1,1),(0,1,1)]"
CUBE_FACES = (
    "int[] faceVertexCounts = [4,4,4,4,4,4]\n"
    "int[] faceVertexIndices = [0,3,2,1, 4,5,6,7, 0,1,5,4, 1,2,6,5, 2,3,7,6, 3,0,4,7]"
)


@pytest.mark.parametrize("scale", [(1, 1, 1), (2, 1, 0.5), (-1, 1, 1), (-1, -1, -1)])
@pytest.mark.parametrize("orientation", ["rightHanded", "leftHanded"])
def test_meshes_are_cut_into_triangles_and_scaled_in_their_vertices(scale, orientation):
    faces = CUBE_FACES if orientation == "rightHanded" else CUBE_FACES.replace("0,3,2,1", "1,2,3,0")
    scaling = f'double3 xformOp:scale = {scale}\nuniform token[] xformOpOrder = ["xformOp:scale"]'
    mesh = prim(
        "Mesh", "m", CUBE_POINTS, CUBE_FACES, scaling, f'uniform token orientation = "{orientation}"', apis=COLLIDES
    )
    robot = it.load_text(stage(body("B", mesh, mass_api=False)))
    assert isinstance(robot.links["B"].collisions[0].geometry, Mesh)
    found = it.stats(robot)["B"].effective.inertial
    assert found.mass == pytest.approx(1000.0 * abs(np.prod(scale)))
    np.testing.assert_allclose(found.com, 0.5 * np.array(scale), atol=1e-12)
    assert faces


def test_what_collides_on_no_body_belongs_to_the_world():
    robot = it.load_text(stage(cube("floor"), body("B", cube("c"))))
    assert [shape.name for shape in robot.links["world"].collisions] == ["/floor"]
    assert robot.links["world"].is_static


def test_computing_takes_the_densities_that_the_stage_states():
    material = prim("Material", "M", "float physics:density = 500", apis=("PhysicsMaterialAPI",))
    bound = cube("a", "rel material:binding:physics = </M>", apis=("MaterialBindingAPI",))
    own = cube("b", "float physics:density = 2000", at(1, 0, 0), mass_api=True)
    given = cube("c", "float physics:mass = 3", at(2, 0, 0), mass_api=True)
    computed = it.compute(it.load_text(stage(material, body("B", bound, own, given))))
    assert computed["B"].inertial.mass == pytest.approx(4.0 + 16.0 + 3.0)


@pytest.mark.parametrize(("said", "mass"), [("1500", 12.0), ("0", 4.0), ("inf", 4.0), ("-1", 4.0)])
def test_computing_takes_the_density_of_the_body_before_that_of_a_material(said, mass):
    material = prim("Material", "M", "float physics:density = 500", apis=("PhysicsMaterialAPI",))
    bound = cube("a", "rel material:binding:physics = </M>", apis=("MaterialBindingAPI",))
    odd = cube("b", "float physics:density = inf", "float physics:mass = inf", mass_api=True)
    robot = it.load_text(stage(material, body("B", f"float physics:density = {said}", bound, odd)))
    rest = 12.0 if said == "1500" else 8.0
    for found in (it.compute(robot)["B"].inertial, it.stats(robot)["B"].effective.inertial):
        assert found.mass == pytest.approx(mass + rest)


def test_colours_are_read():
    seen = prim(
        "Sphere", "s", "color3f[] primvars:displayColor = [(1, 0.5, 0)]", "float[] primvars:displayOpacity = [0.25]"
    )
    colour = it.load_text(stage(body("B", seen))).links["B"].visuals[0].colour
    assert colour == pytest.approx((1.0, 0.735357, 0.0, 0.25), abs=1e-6), (
        "linear in the stage, encoded for display here"
    )


def test_a_colour_that_is_encoded_in_the_stage_stays_as_it_is():
    tagged = prim("Sphere", "s", 'color3f[] primvars:displayColor = [(1, 0.5, 0)] ( colorSpace = "srgb_rec709_scene" )')
    colour = it.load_text(stage(body("B", tagged))).links["B"].visuals[0].colour
    assert colour == pytest.approx((1.0, 0.5, 0.0, 1.0))


def test_what_does_not_collide_is_seen():
    robot = it.load_text(stage(body("B", cube("c"), prim("Sphere", "s"))))
    assert [shape.name for shape in robot.links["B"].visuals] == ["/B/s"]


def test_a_body_without_a_joint_floats_and_a_kinematic_one_stands():
    still = body("K", "bool physics:kinematicEnabled = true", cube("c"))
    off = body("O", "bool physics:rigidBodyEnabled = false", cube("c"))
    robot = it.load_text(stage(body("B", at(1, 2, 3), cube("c")), still, off))
    types = {joint.child: joint.type for joint in robot.joints.values()}
    assert types == {"B": JointType.FLOATING, "K": JointType.FIXED, "O": JointType.FIXED}
    assert robot.link_poses["B"].position.tolist() == [1.0, 2.0, 3.0]


def test_names_are_those_of_the_prims_unless_two_have_the_same():
    first = prim("Xform", "A", body("link", cube("c")), body("own", cube("c")))
    robot = it.load_text(stage(first, prim("Xform", "B", body("link", cube("c")))))
    assert list(robot.links) == ["world", "/A/link", "own", "/B/link"]


ARM = (
    body("base", cube("c")),
    body("arm", at(0, 0, 1), cube("c")),
)


def test_a_hinge_joins_its_bodies_where_its_frames_say():
    hinge = joint(
        "PhysicsRevoluteJoint", "j", "/base", "/arm",
        'uniform token physics:axis = "Y"', "point3f physics:localPos0 = (0, 0, 0.4)",
        "point3f physics:localPos1 = (0, 0, -0.6)",
        "float physics:lowerLimit = -90", "float physics:upperLimit = 180",
    )  # fmt: skip
    robot = it.load_text(stage(*ARM, hinge))
    found = robot.joints["j"]
    assert (found.type, found.parent, found.child) == (JointType.REVOLUTE, "base", "arm")
    assert found.axis.tolist() == [0.0, 1.0, 0.0]
    assert (found.limit.lower, found.limit.upper) == pytest.approx((-np.pi / 2, np.pi))
    np.testing.assert_allclose(robot.link_poses["arm"].position, [0, 0, 1], atol=1e-7)
    assert robot.joints["world to base"].type is JointType.FLOATING


def test_a_joint_to_the_world_holds_its_tree():
    robot = it.load_text(
        stage(*ARM, joint("PhysicsFixedJoint", "f", "", "/base"), joint("PhysicsRevoluteJoint", "j", "/base", "/arm"))
    )
    assert (robot.joints["f"].parent, robot.joints["f"].child, robot.joints["f"].type) == (
        "world",
        "base",
        JointType.FIXED,
    )
    assert len(robot.joints) == 2


def test_a_joint_the_wrong_way_round_is_reversed():
    """The body held by the world carries the other, whichever of the two the joint names first."""
    held, hinge = joint("PhysicsFixedJoint", "f", "", "/base"), joint("PhysicsRevoluteJoint", "j", "/arm", "/base")
    found = it.load_text(stage(*ARM, held, hinge)).joints["j"]
    assert (found.parent, found.child) == ("base", "arm")
    assert found.axis.tolist() == [-1.0, 0.0, 0.0]


@pytest.mark.parametrize("ends", [("/arm", ""), ("", "/arm")])
def test_a_loop_through_the_world_hangs_on_the_world(ends):
    extra = joint("PhysicsRevoluteJoint", "k", *ends, "bool physics:excludeFromArticulation = true")
    held = joint("PhysicsFixedJoint", "f", "", "/base")
    robot = it.load_text(stage(*ARM, held, joint("PhysicsRevoluteJoint", "j", "/base", "/arm"), extra))
    (loop,) = robot.loop_joints
    assert (loop.parent, loop.child) == ("world", "arm")
    for target in ("sdf", "usd"):
        (again,) = it.load_text(it.convert(robot, format=target).data).loop_joints
        assert (again.parent, again.child) == ("world", "arm")


def test_what_closes_a_loop_is_kept_apart():
    extra = joint("PhysicsRevoluteJoint", "k", "/base", "/arm", "bool physics:excludeFromArticulation = true")
    robot = it.load_text(stage(*ARM, joint("PhysicsRevoluteJoint", "j", "/base", "/arm"), extra))
    assert [found.name for found in robot.loop_joints] == ["k"]


def test_a_generic_joint_has_the_freedoms_that_its_limits_leave():
    locked = [f"PhysicsLimitAPI:{dof}" for dof in ("transX", "transY", "transZ", "rotZ")]
    content = [
        f"float limit:{api.partition(':')[2]}:physics:low = 1\nfloat limit:{api.partition(':')[2]}:physics:high = -1"
        for api in locked
    ]
    found = it.load_text(stage(*ARM, joint("PhysicsJoint", "j", "/base", "/arm", *content, apis=tuple(locked)))).joints[
        "j"
    ]
    assert found.type is JointType.CONTINUOUS
    assert [part.name for part in found.further] == ["j rotY"]
    assert found.axis.tolist() == [1.0, 0.0, 0.0]


DOFS = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")


@pytest.mark.parametrize(("free", "undriven"), [(DOFS[3:], JointType.BALL), (DOFS, JointType.FLOATING)])
@pytest.mark.parametrize("ends", [("/base", "/arm"), ("/arm", "/base")])
def test_free_turns_with_drives_stay_freedoms_that_are_driven(free, undriven, ends):
    locked = [f"float limit:{dof}:physics:low = 1\nfloat limit:{dof}:physics:high = -1" for dof in set(DOFS) - {*free}]
    drive = "float drive:rotY:physics:stiffness = 2\nfloat drive:rotY:physics:targetPosition = 30"

    def held(*content: str, apis: tuple[str, ...] = ()):
        return it.load_text(stage(*ARM, joint("PhysicsJoint", "j", *ends, *locked, *content, apis=apis))).joints["j"]

    found = held(drive, apis=("PhysicsDriveAPI:rotY",))
    assert {one.name for one in found.row} == {"j", *(f"j {dof}" for dof in free[1:])}
    assert {one.name: one.drive.position for one in found.row if one.drive} == {"j rotY": pytest.approx(np.pi / 6)}
    assert held().type is undriven


def test_a_distance_joint_is_noted_and_carries_nothing():
    robot = it.load_text(stage(*ARM, joint("PhysicsDistanceJoint", "rope", "/base", "/arm")))
    assert {one.type for one in robot.joints.values()} == {JointType.FLOATING}
    assert [remark.code for remark in robot.remarks] == ["distance-joint"]


def test_limits_from_zero_to_zero_lock_and_count_without_their_schema():
    dofs = ("transX", "transY", "transZ", "rotY", "rotZ")
    zero = [f"float limit:{dof}:physics:low = 0\nfloat limit:{dof}:physics:high = 0" for dof in dofs]
    robot = it.load_text(stage(*ARM, joint("PhysicsJoint", "j", "/base", "/arm", *zero)))
    assert [part.type for part in robot.joints["j"].row] == [JointType.CONTINUOUS]
    assert "missing-limit-api" in {remark.code for remark in robot.remarks}


def test_pairs_that_are_filtered_never_touch_and_groups_are_named():
    filtered = body("base", cube("c", "rel physics:filteredPairs = [</arm>]", apis=("PhysicsFilteredPairsAPI",)))
    robot = it.load_text(stage(filtered, ARM[1], prim("PhysicsCollisionGroup", "group")))
    assert robot.apart == {frozenset({"base", "arm"})}
    assert "collision-group" in {remark.code for remark in robot.remarks}


def test_lengths_of_joints_are_converted():
    slide = joint(
        "PhysicsPrismaticJoint",
        "j",
        "/base",
        "/arm",
        "float physics:lowerLimit = -50",
        "float physics:upperLimit = 100",
        "point3f physics:localPos0 = (0, 0, 100)",
    )
    found = it.load_text(stage(body("base"), body("arm"), slide, metre=0.01)).joints["j"]
    assert (found.limit.lower, found.limit.upper) == pytest.approx((-0.5, 1.0))
    assert found.pose_parent_child.position.tolist() == [0.0, 0.0, 1.0]


def test_instances_are_bodies_each():
    proto = prim("Xform", "proto", body("B", "float physics:density = 500", cube("c"))).replace("def", "class", 1)
    uses = [
        f'def Xform "i{n}" (\n instanceable = true\n prepend references = </proto>\n)\n{{\n {at(n, 0, 0)}\n}}\n'
        for n in range(3)
    ]
    report = it.stats(it.load_text(stage(proto, *uses)))
    assert report.total_mass == pytest.approx(12.0)
    assert [entry.link for entry in report.links] == ["world", "/i0/B", "/i1/B", "/i2/B"]


def test_colliders_in_instances_on_a_body_count():
    proto = prim("Xform", "proto", cube("c")).replace("def", "class", 1)
    use = 'def Xform "i" (\n instanceable = true\n prepend references = </proto>\n)\n{\n}\n'
    for mass_api in (True, False):
        report = it.stats(it.load_text(stage(proto, body("B", use, mass_api=mass_api))))
        assert report.total_mass == pytest.approx(8.0)


def test_64_mesh_colliders_on_one_body_are_read():
    """OpenUSD's own parser of physics may crash on them in parallel; it is not used here."""
    meshes = [prim("Mesh", f"m{n}", CUBE_POINTS, CUBE_FACES, at(2 * n, 0, 0), apis=COLLIDES) for n in range(64)]
    for mass_api in (True, False):
        report = it.stats(it.load_text(stage(body("B", *meshes, mass_api=mass_api))))
        assert report.total_mass == pytest.approx(64e3)


def test_a_chain_of_1000_links_is_read():
    links = [body(f"L{n}", at(n, 0, 0), "float physics:mass = 1") for n in range(1000)]
    hinges = [
        joint("PhysicsRevoluteJoint", f"J{n}", f"/L{n}", f"/L{n + 1}", "point3f physics:localPos0 = (1, 0, 0)")
        for n in range(999)
    ]
    robot = it.load_text(stage(*links, *hinges))
    assert it.stats(robot).total_mass == 1000.0
    assert robot.link_poses["L999"].position.tolist() == [999.0, 0.0, 0.0]


LINES = """#usda 1.0
(
    doc = \"\"\"def Xform "no" {\"\"\"
    metersPerUnit = 1
)
# def Xform "neither" {
def Xform "robot" (
    prepend apiSchemas = ["PhysicsArticulationRootAPI"]
    customData = {
        string note = "{ def"
    }
)
{
    def Xform "base" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI"]
        prepend references = @./other{.usda@
    )
    {
        float[] odd = [1, 2]
        variantSet "v" = {
            "a" {
                def Cube "inner" { }
            }
        }

        def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { }
    }
    over "arm"
    {
    }
}
def "last" { }
"""


def test_prims_have_lines():
    from inertia_tools.description.usd.lines import lines_of

    found = lines_of(LINES)
    expected = {"/robot": 7, "/robot/base": 14, "/robot/base/c": 26, "/robot/arm": 28, "/last": 32}
    assert {path: found.get(path) for path in expected} == expected
    assert not any("no" in path.split("/") or "neither" in path for path in found)


def test_findings_have_the_line_of_their_prim(tmp_path):
    path = tmp_path / "robot.usda"
    path.write_text(stage(*ARM, body("bad", "float physics:mass = -1", cube("c"))))
    line = 1 + next(number for number, text in enumerate(path.read_text().splitlines()) if 'def Xform "bad"' in text)
    finding = next(one for one in it.check(it.load(path)).findings if one.code == "negative-mass")
    assert (finding.file, finding.line) == (str(path), line)


def test_a_joint_to_a_prim_that_is_none_is_refused_with_its_line():
    with pytest.raises(ParseError, match="names no prim") as caught:
        it.load_text(stage(*ARM, joint("PhysicsFixedJoint", "j", "/base", "/nobody")))
    assert caught.value.line is not None


def two_links(*content: str, joining: str = "") -> str:
    links = (body("base", "float physics:mass = 1", cube("c")), body("arm", "float physics:mass = 1", cube("c")))
    hinge = joining or joint("PhysicsRevoluteJoint", "j", "/base", "/arm")
    return stage(*links, hinge, *content)


def test_a_proportional_actuator_is_a_drive():
    content = "rel newton:targets = </j>", "float newton:kp = 200", "float newton:kd = 20", "float newton:maxEffort = 7"
    apis = ("NewtonPDControlAPI", "NewtonMaxEffortClampingAPI")
    robot = it.load_text(two_links(prim("NewtonActuator", "a", *content, apis=apis)))
    drive = robot.joints["j"].drive
    assert (drive.stiffness, drive.damping, drive.position, drive.effort) == (200.0, 20.0, 0.0, 7.0)
    assert not [remark for remark in robot.remarks if remark.code == "unused-actuator"]


def test_an_affine_actuator_of_mujoco_is_a_drive_at_its_gear():
    content = (
        "rel mjc:target = </j>",
        'uniform token mjc:biasType = "affine"',
        "uniform double[] mjc:gainPrm = [50]",
        "uniform double[] mjc:biasPrm = [0, -50, -5]",
        "uniform double[] mjc:gear = [2, 0, 0, 0, 0, 0]",
        "uniform double mjc:forceRange:min = -3",
        "uniform double mjc:forceRange:max = 3",
    )
    drive = it.load_text(two_links(prim("MjcActuator", "a", *content))).joints["j"].drive
    assert (drive.stiffness, drive.damping, drive.effort) == (200.0, 20.0, 6.0)


@pytest.mark.parametrize(("kind", "way"), [("Revolute", 1.0), ("Prismatic", 0.01)])
def test_actuators_of_mujoco_are_in_the_units_of_the_stage(kind, way):
    """In centimetres and grams."""
    effort = 0.001 * 0.01**2 / way
    content = (
        "rel mjc:target = </j>",
        'uniform token mjc:biasType = "affine"',
        f"double[] mjc:biasPrm = [{20.0 / effort}, {-200.0 * way / effort}, {-20.0 * way / effort}]",
        f"double mjc:forceRange:min = {-3.0 / effort}",
        f"double mjc:forceRange:max = {3.0 / effort}",
    )
    moved = joint(f"Physics{kind}Joint", "j", "/a", "/b")
    text = stage(body("a"), body("b"), moved, prim("MjcActuator", "m", *content), metre=0.01, kilogram=0.001)
    drive = it.load_text(text).joints["j"].drive
    assert (drive.stiffness, drive.damping) == pytest.approx((200.0, 20.0))
    assert (drive.position, drive.effort) == pytest.approx((0.1, 3.0))


@pytest.mark.parametrize(
    ("kind", "content", "apis"),
    [
        ("NewtonActuator", ("rel newton:targets = </j>",), ("NewtonPIDControlAPI",)),
        ("NewtonActuator", ("float newton:kp = 200",), ("NewtonPDControlAPI",)),
        ("NewtonActuator", ("rel newton:targets = </j>",), ("NewtonPDControlAPI", "NewtonActuatorDelayAPI")),
        (
            "MjcActuator",
            ("rel mjc:target = </j>", 'uniform token mjc:gainType = "muscle"', 'token mjc:biasType = "muscle"'),
            (),
        ),
    ],
)
def test_actuators_that_nothing_here_can_follow_are_named(kind, content, apis):
    robot = it.load_text(two_links(prim(kind, "a", *content, apis=apis)))
    assert [remark.code for remark in robot.remarks] == ["unused-actuator"]
    assert "/a" in robot.remarks[0].message


def test_a_joint_that_mimics_another():
    follow = (
        prim("Xform", "w"),
        joint(
            "PhysicsRevoluteJoint",
            "k",
            "/base",
            "/hand",
            "rel newton:mimicJoint = </j>",
            "float newton:mimicCoef0 = 90",
            "float newton:mimicCoef1 = -2",
            apis=("NewtonMimicAPI",),
        ),
    )
    robot = it.load_text(two_links(body("hand", "float physics:mass = 1", cube("c")), *follow))
    mimic = robot.joints["k"].mimic
    assert (mimic.joint, mimic.multiplier, mimic.offset) == ("j", -2.0, pytest.approx(np.pi / 2))


def test_a_joint_that_mimics_another_as_physx_has_it():
    """PhysX keeps position + gearing * leader + offset at zero, in degrees."""
    follow = joint(
        "PhysicsRevoluteJoint",
        "k",
        "/base",
        "/hand",
        "rel physxMimicJoint:rotZ:referenceJoint = </j>",
        "float physxMimicJoint:rotZ:gearing = -2",
        "float physxMimicJoint:rotZ:offset = 90",
        apis=("PhysxMimicJointAPI:rotZ",),
    )
    robot = it.load_text(two_links(body("hand", "float physics:mass = 1", cube("c")), follow))
    mimic = robot.joints["k"].mimic
    assert (mimic.joint, mimic.multiplier, mimic.offset) == ("j", 2.0, pytest.approx(-np.pi / 2))


def test_copies_that_are_scattered_are_named_and_not_taken_for_bodies():
    scattered = prim("PointInstancer", "rocks", "rel prototypes = [</rocks/rock>]", body("rock", cube("c")))
    robot = it.load_text(two_links(scattered))
    found = [remark for remark in robot.remarks if remark.code == "point-instancer"]
    assert "/rocks" in found[0].message
    assert found[0].place.line > 1
    assert set(robot.links) == {"world", "base", "arm"}


def test_cone_limits_are_named():
    ball = joint("PhysicsSphericalJoint", "j", "/base", "/arm", "float physics:coneAngle0Limit = 45")
    assert it.load_text(two_links(joining=ball)).joints["j"].unused == ("physics:coneAngle0Limit",)
