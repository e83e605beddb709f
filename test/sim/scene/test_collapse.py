# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Merging what fixed joints hold together: mass properties, shapes, joints, names, and the report."""

import time

import numpy as np
import pytest
from robots import GOOD, joint, link, urdf
from scenes import Scene

import inertia_tools as it
from inertia_tools.errors import UnknownJointError
from inertia_tools.inertial import Inertial
from inertia_tools.sim.scene.collapse import ATTACHED_CHILD, KINEMATIC_CHILD
from inertia_tools.sim.scene.mujoco_kinds import EqType
from inertia_tools.solvers import SolverMuJoCo

RNG = np.random.default_rng(3)


def random_pose() -> it.Pose:
    return it.Pose.from_xyz_rpy(RNG.normal(size=3), RNG.uniform(-3, 3, 3))


def random_inertial() -> Inertial:
    moments = RNG.uniform(1, 1.8, 3)
    return Inertial(RNG.uniform(0.5, 2), RNG.normal(size=3), np.diag(moments)).rotate(random_pose().rotation)


def add(builder: it.ModelBuilder, inertial: Inertial, pose: it.Pose | None = None, **options) -> int:
    return builder.add_link(pose, mass=inertial.mass, com=inertial.com, inertia=inertial.inertia, **options)


def test_two_links_keep_their_products_of_inertia():
    """1 kg at the origin, and 2 kg whose centre lies at (0, 0.1, 1): the case that Newton 1.8 merges wrongly.

    With the reduced mass 2/3 kg, Steiner adds 2/3 (0.1^2 + 1^2) to Ixx, 2/3 to Iyy, 2/3 0.1^2 to Izz, and
    -2/3 0.1 to Iyz.
    """
    builder = it.ModelBuilder()
    first = builder.add_link(mass=1.0, inertia=np.diag([0.02, 0.015, 0.025]))
    second = builder.add_link(mass=2.0, inertia=np.diag([0.02, 0.015, 0.025]), com=(0.0, 0.1, 0.0))
    builder.add_joint_fixed(first, second, parent_xform=it.Pose(np.array([0.0, 0.0, 1.0])))
    builder.collapse_fixed_joints()
    tensor = builder.body_inertia[0]
    assert builder.body_mass == [3.0]
    assert np.allclose(builder.body_com[0], [0.0, 0.2 / 3.0, 2.0 / 3.0])
    assert np.allclose(np.diag(tensor), [0.713333, 0.696667, 0.0566667], atol=1e-6)
    assert tensor[1, 2] == pytest.approx(-2.0 / 30.0)
    assert np.allclose(tensor[0, 1:], 0.0)


def test_a_chain_of_a_thousand_links_is_the_sum_of_its_links():
    builder, place, total = it.ModelBuilder(), it.Pose(), Inertial.zero()
    begin = time.perf_counter()
    for index in range(1000):
        inertial = random_inertial()
        body = add(builder, inertial, place)
        total = total + inertial.transform(place)
        if index:
            at_parent, at_child = it.Pose(RNG.normal(size=3) * 0.1, random_pose().rotation), random_pose()
            place = place @ at_parent @ at_child.inverse()
            builder.body_pose[body] = place
            total = total - inertial.transform(builder.body_pose[index - 1]) + inertial.transform(place)
            builder.add_joint_fixed(body - 1, body, at_parent, at_child)
    report = builder.collapse_fixed_joints()
    assert builder.body_count == 1 and builder.joint_count == 0 and len(report.merges) == 999
    assert builder.inertial(0).isclose(total, rtol=1e-9)
    assert time.perf_counter() - begin < 10.0


def tree() -> it.ModelBuilder:
    """A base; on it a fixed plate with a shape; on the plate a hinged arm, and on the arm a fixed hand."""
    builder = it.ModelBuilder()
    for name in ("base", "plate", "arm", "hand"):
        add(builder, random_inertial(), random_pose(), name=name, lock_inertia=True)
    plate = builder.add_shape_sphere(1, random_pose(), 0.1)
    assert plate == 0
    for parent, kind in ((0, "fixed"), (1, "revolute"), (2, "fixed")):
        at_parent, at_child = random_pose(), random_pose()
        getattr(builder, f"add_joint_{kind}")(parent, parent + 1, at_parent, at_child, name=f"joint_{parent}")
        builder.body_pose[parent + 1] = builder.body_pose[parent] @ at_parent @ at_child.inverse()
    return builder


def test_shapes_and_joints_stay_where_they_are_in_space():
    builder = tree()
    shape_before = builder.body_pose[1] @ builder.shapes[0].pose
    hinge_before = builder.body_pose[1] @ builder.joints[1].pose_parent
    poses, inertials = list(builder.body_pose), [builder.inertial(i) for i in range(4)]
    report = builder.collapse_fixed_joints()
    assert builder.body_name == ["base", "arm"]
    assert [joint.name for joint in builder.joints] == ["joint_1"]
    shape, hinge = builder.shapes[0], builder.joints[0]
    assert shape.body == 0 and shape.label == "plate"
    assert (builder.body_pose[0] @ shape.pose).isclose(shape_before)
    assert (hinge.parent, hinge.child) == (0, 1)
    assert (builder.body_pose[0] @ hinge.pose_parent).isclose(hinge_before)
    for body, place in enumerate(report.bodies):
        assert (builder.body_pose[place.body] @ place.pose).isclose(poses[body])
    whole = Inertial.sum(inertials[i].transform(poses[i]) for i in (0, 1)).transform(poses[0].inverse())
    assert builder.inertial(0).isclose(whole)


def test_the_report_says_what_went_where():
    builder = tree()
    mass = list(builder.body_mass)
    report = builder.collapse_fixed_joints()
    assert [place.body for place in report.bodies] == [0, 0, 1, 1]
    assert report.joints == (None, 0, None)
    merge = report.merges[0]
    assert (merge.joint, merge.child, merge.parent) == ("joint_0", "plate", "base")
    assert merge.mass_before == mass[0] and merge.mass_after == pytest.approx(mass[0] + mass[1])
    assert merge.pose_parent_child.isclose(report.bodies[1].pose)
    assert report.kept == ()


@pytest.mark.parametrize("kept", ["joint_0", 0])
def test_joints_can_be_kept(kept):
    builder = tree()
    report = builder.collapse_fixed_joints(joints_to_keep=[kept])
    assert builder.body_name == ["base", "plate", "arm"] and report.joints == (0, 1, None)
    assert [one.joint for one in report.kept] == ["joint_0"]


def test_joints_can_be_kept_by_the_labels_that_importers_give_them():
    text = urdf(link("base", GOOD), link("tip", GOOD), joint("tip", type_="fixed"))
    builder = it.ModelBuilder()
    builder.add_urdf(text, floating=True)
    free, fixed = builder.joint_label
    builder.collapse_fixed_joints(joints_to_keep=[fixed])
    assert builder.joint_label == [free, fixed] and builder.body_count == 2
    builder.collapse_fixed_joints(joints_to_keep=[free])
    assert builder.joint_label == [free] and builder.body_count == 1


@pytest.mark.parametrize("unknown", ["tip", "", 9, -1])
def test_joints_to_keep_that_there_are_not_are_named(unknown):
    builder = tree()
    with pytest.raises(UnknownJointError, match="no joint named"):
        builder.collapse_fixed_joints(joints_to_keep=["joint_0", unknown])
    assert builder.body_count == 4


def test_a_builder_goes_on_after_it():
    builder = tree()
    builder.collapse_fixed_joints()
    tip = builder.add_link(mass=1.0, inertia=np.eye(3))
    builder.add_joint_fixed(1, tip)
    builder.collapse_fixed_joints()
    assert builder.body_name == ["base", "arm"]
    builder.finalize()


def test_what_is_fixed_to_the_world_becomes_part_of_it():
    builder = it.ModelBuilder()
    post = builder.add_link(mass=1.0, inertia=np.eye(3), name="post")
    arm = builder.add_link(mass=1.0, inertia=np.eye(3), name="arm")
    builder.add_shape_sphere(post, cfg=it.ShapeConfig(density=0.0))
    builder.add_joint_fixed(-1, post, parent_xform=it.Pose(np.array([0.0, 0.0, 2.0])))
    builder.add_joint_revolute(post, arm)
    report = builder.collapse_fixed_joints()
    assert builder.body_name == ["arm"] and builder.joints[0].parent == -1
    assert np.allclose(builder.joints[0].pose_parent.position, [0, 0, 2])
    assert builder.shapes[0].body == -1 and builder.shapes[0].label == "post"
    assert np.allclose(builder.shapes[0].pose.position, [0, 0, 2])
    assert report.merges[0].parent == "world" and report.bodies[0].body == -1


@pytest.mark.parametrize(
    ("led_parent", "led_child", "merged"),
    [(False, False, True), (True, False, True), (True, True, True), (False, True, False)],
)
def test_what_is_led_is_not_carried_by_what_is_not(led_parent, led_child, merged):
    builder = it.ModelBuilder()
    parent = builder.add_link(mass=1.0, inertia=np.eye(3), is_kinematic=led_parent)
    child = builder.add_link(mass=1.0, inertia=np.eye(3), is_kinematic=led_child)
    builder.add_joint_fixed(parent, child)
    report = builder.collapse_fixed_joints()
    assert bool(report.merges) is merged
    if merged:
        assert builder.body_kinematic == [led_parent]
    else:
        assert report.kept[0].reason == KINEMATIC_CHILD


def test_asymmetry_and_locks_survive_for_the_checks_that_follow():
    builder = it.ModelBuilder()
    parent = builder.add_link(mass=1.0, inertia=np.eye(3))
    skewed = np.eye(3) + [[0, 0.2, 0], [0, 0, 0], [0, 0, 0]]
    child = builder.add_link(mass=1.0, inertia=skewed, lock_inertia=True)
    builder.add_joint_fixed(parent, child)
    builder.collapse_fixed_joints()
    assert np.allclose(builder.body_inertia[0], np.eye(3) + skewed)
    assert builder.body_locked == [True]


def test_the_merged_scene_moves_as_the_held_one():
    """A pendulum of two links, the lower one fixed to the upper."""

    def pendulum() -> it.ModelBuilder:
        builder = it.ModelBuilder()
        upper = builder.add_link(mass=1.0, com=(0, 0, -0.25), inertia=np.diag([0.02, 0.03, 0.02]))
        lower = builder.add_link(
            it.Pose(np.array([0, 0, -0.5])), mass=2.0, com=(0.1, 0, -0.2), inertia=0.05 * np.eye(3)
        )
        builder.add_joint_revolute(-1, upper, axis=(0, 1, 0))
        builder.add_joint_fixed(upper, lower, parent_xform=it.Pose(np.array([0, 0, -0.5])))
        return builder

    held, merged = pendulum(), pendulum()
    merged.collapse_fixed_joints()
    swings = [Scene(builder).run(1.0).q[0] for builder in (held, merged)]
    assert np.allclose(swings[0], swings[1], atol=1e-6)


# Robots


def robot() -> it.Description:
    return it.load_text(
        urdf(
            link("base", GOOD),
            link("frame"),
            link("sensor", GOOD),
            link("arm", GOOD),
            joint("frame", "base", "fixed"),
            joint("sensor", "frame", "fixed"),
            joint("arm", "sensor"),
        )
    )


def test_a_robot_is_merged_unless_asked_not_to():
    merged, held = it.ModelBuilder(), it.ModelBuilder()
    whole = merged.add_description(robot())
    apart = held.add_description(robot(), collapse_fixed_joints=False)
    assert merged.body_name == ["base", "arm"]
    assert held.body_name == ["base", "sensor", "arm"], "a frame without mass is no body"
    assert [one.kind.name for one in held.joints] == ["FIXED", "REVOLUTE"]
    for builder, articulation in ((merged, whole), (held, apart)):
        for name, height in (("base", 0.0), ("frame", 1.0), ("sensor", 2.0), ("arm", 3.0)):
            place = articulation.links[name]
            at = builder.body_pose[place.body] @ place.pose_body_link
            assert np.allclose(at.position, [0, 0, height])
        assert builder.body_name[articulation.joint_bodies["arm_joint"]] == "arm"
    later = apart.after(held.collapse_fixed_joints())
    assert held.body_name == ["base", "arm"]
    assert {name: place.body for name, place in later.links.items()} == {
        name: place.body for name, place in whole.links.items()
    }


def test_a_robot_leaves_the_joints_of_others_alone():
    builder = it.ModelBuilder()
    mine = [builder.add_link(mass=1.0, inertia=np.eye(3)) for _ in range(2)]
    builder.add_joint_fixed(*mine)
    builder.add_description(robot())
    assert builder.body_count == 4 and builder.joints[0].kind is it.sim.JointKind.FIXED


def test_particles_stay_attached_at_the_same_points():
    builder = it.ModelBuilder()
    inner, outer = random_pose(), random_pose()
    first = add(builder, random_inertial())
    second = add(builder, random_inertial())
    builder.add_joint_fixed(first, second, parent_xform=inner, child_xform=outer)
    particle = builder.add_particle((0.0, 0.0, 0.0))
    point = RNG.normal(size=3)
    builder.add_attachment_particle_body(particle, second, body_point=point)
    builder.collapse_fixed_joints()
    assert builder.attachment_particle_body_body == [first]
    expected = (inner @ outer.inverse()).transform_points(point)
    assert np.allclose(builder.attachment_particle_body_body_point[0], expected, atol=1e-12)


def test_a_body_with_a_particle_does_not_become_part_of_the_world():
    builder = it.ModelBuilder()
    body = add(builder, random_inertial())
    builder.add_joint_fixed(-1, body)
    builder.add_attachment_particle_body(builder.add_particle((0.0, 0.0, 0.0)), body)
    assert [kept.reason for kept in builder.collapse_fixed_joints().kept] == [ATTACHED_CHILD]
    assert builder.body_count == 1


def test_what_refers_to_a_body_refers_to_what_it_became_part_of(caplog):
    """An equality of MuJoCo's keeps its bodies, its anchor in space, and the pose between them."""
    builder = it.ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    bodies = [builder.add_link(xform=(x, 0.0, 0.0), mass=1.0, inertia=np.eye(3)) for x in (0.0, 1.0, 2.0)]
    joints = [
        builder.add_joint_revolute(-1, bodies[0], axis=(0, 1, 0)),
        builder.add_joint_fixed(bodies[0], bodies[1], parent_xform=(1.0, 0.0, 0.0)),
        builder.add_joint_revolute(bodies[0], bodies[2], parent_xform=(2.0, 0.0, 0.0), axis=(0, 0, 1)),
    ]
    builder.add_articulation(joints)
    prefix = "mujoco:equality_constraint"
    ends = {f"{prefix}_body1": bodies[1], f"{prefix}_body2": bodies[2], f"{prefix}_anchor": (0.25, 0.5, 0.0)}
    turn = (0.0, 0.0, 0.0, 1.0)
    builder.add_custom_values(**{**ends, f"{prefix}_type": int(EqType.CONNECT)})
    builder.add_custom_values(**{**ends, f"{prefix}_type": int(EqType.WELD), f"{prefix}_relpose": (1.0, 0, 0, *turn)})
    with caplog.at_level("INFO"):
        builder.collapse_fixed_joints(verbose=True)
    assert "body_1" in caplog.text
    assert builder.custom_attributes[f"{prefix}_body2"].values == [1, 1]
    kept = builder.finalize().mujoco
    assert kept.equality_constraint_body1.numpy().tolist() == [0, 0]
    assert kept.equality_constraint_body2.numpy().tolist() == [1, 1]
    np.testing.assert_allclose(kept.equality_constraint_anchor.numpy(), [[1.25, 0.5, 0.0], [0.25, 0.5, 0.0]])
    np.testing.assert_allclose(kept.equality_constraint_relpose.numpy()[1], [2.0, 0.0, 0.0, *turn], atol=1e-7)
