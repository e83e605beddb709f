# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Articulations read and written as one batch: shapes, masks, and the same motion as by indices."""

import re

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.errors import OptionError
from inertia_tools.selection import ArticulationView
from inertia_tools.spatial import Pose

WORLDS = 3


def robot(is_free=True, links=2):
    """A base, and arms on hinges below it."""
    builder = it.ModelBuilder()
    base = builder.add_link(mass=1.0, inertia=np.eye(3), label="base")
    joints = [
        builder.add_joint_free(base, label="root") if is_free else builder.add_joint_fixed(-1, base, label="root")
    ]
    for number in range(links):
        body = builder.add_link(mass=1.0, inertia=np.eye(3), label=f"link_{number}")
        builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1)
        at = Pose(np.array([0.5, 0.0, 0.0]))
        joints.append(builder.add_joint_revolute(base, body, parent_xform=at, axis=(0, 0, 1), label=f"joint_{number}"))
    builder.add_articulation(joints, label="robot")
    return builder


def model(is_free=True):
    """Two robots in each of three worlds, with a loose body first in each."""
    world = it.ModelBuilder()
    world.add_body(mass=1.0, inertia=np.eye(3), label="loose")
    for name in ("left", "right"):
        world.add_builder(robot(is_free), label_prefix=name)
    scene = it.ModelBuilder()
    scene.replicate(world, WORLDS)
    return scene.finalize()


def test_shapes_and_names_are_those_of_one_robot():
    view = ArticulationView(model(), "*/robot")
    assert (view.world_count, view.count_per_world, view.count) == (WORLDS, 2, 2 * WORLDS)
    assert (view.joint_count, view.link_count, view.shape_count) == (3, 3, 2)
    assert (view.joint_dof_count, view.joint_coord_count) == (8, 9)
    assert view.joint_names == ["root", "joint_0", "joint_1"] and view.link_names == ["base", "link_0", "link_1"]
    assert view.is_floating_base and not view.is_fixed_base


def test_what_is_read_is_what_the_model_has_at_those_indices():
    one = model()
    view, q = ArticulationView(one, "right/robot"), one.joint_q.numpy()
    taken = view.get_dof_positions(one).numpy()
    assert taken.shape == (WORLDS, 1, 9)
    whole = len(q) // WORLDS
    assert np.array_equal(taken[:, 0], q.reshape(WORLDS, whole)[:, -9:])
    masses = ArticulationView(one, ["left/robot", "right/robot"]).get_attribute("body_mass", one).numpy()
    assert masses.shape == (WORLDS, 2, 3) and np.allclose(masses, [1.0, 9.0, 9.0]), "a box of 8 kg on each arm"


@pytest.mark.parametrize("mask", [None, [True, False, True], [[True, False], [False, False], [True, True]]])
def test_what_is_written_is_read_again_and_the_rest_stays(mask):
    one = model()
    view, state = ArticulationView(one, "*/robot"), one.state()
    before = state.joint_qd.numpy().copy()
    values = np.arange(WORLDS * 2 * 8, dtype=float).reshape(WORLDS, 2, 8) + 1.0
    view.set_dof_velocities(state, values, mask)
    chosen = np.ones((WORLDS, 2), dtype=bool)
    if mask is not None:
        chosen &= np.reshape(mask, (WORLDS, -1))
    after = view.get_dof_velocities(state).numpy()
    assert np.array_equal(after[chosen], values[chosen]) and (after[~chosen] == 0.0).all()
    assert (state.joint_qd.numpy() != before).sum() == chosen.sum() * 8


def test_kinematics_moves_the_bodies_of_the_selection_alone():
    one = model()
    view, state = ArticulationView(one, "*/robot", include_joints="joint_*"), one.state()
    before = state.body_q.numpy().copy()
    view.set_dof_positions(state, 0.5 * np.pi)
    view.eval_fk(state, [True, False, False])
    moved = np.abs(state.body_q.numpy() - before).max(axis=1) > 1e-6
    assert moved.tolist() == [False, False, True, True, False, True, True] + [False] * 14
    turns = ArticulationView(one, "*/robot", include_links="link_*").get_link_transforms(state).numpy()[0]
    assert np.allclose(turns[..., 3:], [0, 0, np.sqrt(0.5), np.sqrt(0.5)], atol=1e-6)


def test_roots_are_placed_and_set_in_motion():
    one = model()
    view, state = ArticulationView(one, "*/robot"), one.state()
    poses = view.get_root_transforms(state).numpy()
    assert poses.shape == (WORLDS, 2, 7)
    poses[..., 2] = 3.0
    view.set_root_transforms(state, poses)
    view.set_root_velocities(state, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    view.eval_fk(state)
    assert np.allclose(view.get_link_transforms(state).numpy()[:, :, 0, 2], 3.0)
    assert np.allclose(view.get_link_velocities(state).numpy()[..., 0], 1.0)
    fixed = ArticulationView(model(is_free=False), "*/robot")
    assert fixed.is_fixed_base and fixed.get_root_transforms(fixed.model).shape == (WORLDS, 2)


def test_joints_and_links_are_chosen_by_name_number_and_kind():
    one = model()
    for options in (
        {"include_joints": "joint_*"},
        {"exclude_joints": ["root"]},
        {"include_joints": re.compile(r"joint_\d")},
        {"include_joints": [1, 2]},
        {"include_joint_types": [it.JointType.REVOLUTE]},
        {"exclude_joint_types": [it.JointType.FREE]},
    ):
        assert ArticulationView(one, "*/robot", **options).joint_names == ["joint_0", "joint_1"]
    assert ArticulationView(one, "*/robot", exclude_links="base").link_names == ["link_0", "link_1"]
    assert ArticulationView(one, [1]).count == 1


def test_tables_of_users_are_read_by_their_owners():
    builder = robot()
    table = it.ModelBuilder.CustomFrequency("item", "my", articulation_owner_attribute="my:item_articulation")
    builder.add_custom_frequency(table)
    for name, kind, refers in (("item_articulation", "int32", "articulation"), ("value", "float32", None)):
        builder.add_custom_attribute(
            it.ModelBuilder.CustomAttribute(name, namespace="my", frequency="my:item", dtype=kind, references=refers)
        )
    for owner, value in ((0, 1.0), (-1, 2.0), (0, 3.0)):
        builder.add_custom_values(**{"my:item_articulation": owner, "my:value": value})
    one = builder.finalize()
    view = ArticulationView(one, "robot")
    assert view.custom_frequency_counts == {"my:item": 2}
    layout = view.frequency_layouts["my:item"]
    assert (layout.offset, layout.selected_indices, layout.value_count) == (0, (0, 2), 3)
    assert view.get_attribute("my.value", one).numpy().tolist() == [[[1.0, 3.0]]]
    view.set_attribute("my.value", one, [[[5.0, 6.0]]])
    assert one.my.value.numpy().tolist() == [5.0, 2.0, 6.0]


def test_layouts_are_the_rule_of_the_indices():
    """Entry k of articulation a of world w is where offset and strides have it, in every array."""
    one = model()
    view = ArticulationView(one, "*/robot")
    for name, frequency in (("joint_q", "JOINT_COORD"), ("joint_qd", "JOINT_DOF"), ("body_mass", "BODY")):
        layout = view.frequency_layouts[it.Model.AttributeFrequency[frequency]]
        places = (
            layout.offset
            + layout.stride_between_worlds * np.arange(WORLDS)[:, None, None]
            + layout.stride_within_worlds * np.arange(2)[:, None]
            + np.array(layout.selected_indices)
        )
        array = getattr(one, name)
        array.assign(np.arange(len(array.numpy()), dtype=np.float32))
        assert np.array_equal(view.get_attribute(name, one).numpy(), places)


def test_what_stands_at_unequal_distances_has_no_layout():
    """Boxes come before, between and behind the robots, so that none of the three is as far from the next."""
    builder = it.ModelBuilder()
    for number, boxes in enumerate((1, 3, 1)):
        for _ in range(boxes):
            builder.add_body(mass=1.0, inertia=np.eye(3))
        builder.add_builder(robot(), label_prefix=str(number))
    view = ArticulationView(builder.finalize(), "*/robot")
    frequencies = it.Model.AttributeFrequency
    assert frequencies.BODY not in view.frequency_layouts
    assert frequencies.SHAPE in view.frequency_layouts
    assert view.get_link_transforms(view.model).shape == (1, 3, 3)


def test_what_is_not_alike_is_refused():
    builder = it.ModelBuilder()
    for name, links in (("a", 1), ("b", 2)):
        builder.add_builder(robot(links=links), label_prefix=name)
    one = builder.finalize()
    with pytest.raises(OptionError, match="same number of joints"):
        ArticulationView(one, "*")
    with pytest.raises(OptionError, match="a/robot"):
        ArticulationView(one, "robot")
    with pytest.raises(AttributeError, match="gravity"):
        ArticulationView(one, "a/robot").get_attribute("gravity", one)
    with pytest.raises(OptionError, match="mask"):
        ArticulationView(one, "a/robot").set_dof_velocities(one.state(), 0.0, [True, True])


def test_rows_are_named_as_what_they_came_with():
    part = robot()
    part.add_custom_frequency(it.ModelBuilder.CustomFrequency("item", "my", label_attribute="my:item_label"))
    part.add_custom_attribute(
        it.ModelBuilder.CustomAttribute("item_label", namespace="my", frequency="my:item", dtype=str)
    )
    part.add_custom_values(**{"my:item_label": "tool"})
    whole = it.ModelBuilder()
    for name in ("left", "right"):
        whole.add_builder(part, label_prefix=name)
    assert whole.finalize().my.item_label == ["left/tool", "right/tool"]


@pytest.mark.parametrize("setter", ["set_dof_positions", "set_dof_velocities", "set_dof_forces"])
@pytest.mark.parametrize("values", [np.nan, [[[np.inf] * 4]], "a", np.zeros((2, 1, 3))])
def test_what_no_joint_can_have_is_refused_and_nothing_is_written(setter, values):
    """Positions, rates and efforts are finite, and of the shape of the selection."""
    one = model()
    view, state, control = ArticulationView(one, "right/robot"), one.state(), one.control()
    target = control if setter == "set_dof_forces" else state
    before = [array.numpy().copy() for array in (state.joint_q, state.joint_qd, control.joint_f)]
    with pytest.raises(OptionError, match="joint_"):
        getattr(view, setter)(target, values)
    after = [array.numpy() for array in (state.joint_q, state.joint_qd, control.joint_f)]
    assert all(np.array_equal(*pair) for pair in zip(before, after, strict=True))


def test_limits_may_be_endless_but_are_numbers():
    one = model()
    view = ArticulationView(one, "right/robot", include_joints="joint_*")
    view.set_attribute("joint_limit_upper", one, np.inf)
    with pytest.raises(OptionError, match="joint_limit_upper"):
        view.set_attribute("joint_limit_upper", one, np.nan)


def branched():
    """A base that stays, and joints of three, one and two degrees of freedom on it; shapes not in the order of links."""
    builder = it.ModelBuilder()
    links = [builder.add_link(mass=1.0, inertia=np.eye(3), label=f"a/l{number}") for number in range(4)]
    for number, link in enumerate((0, 2, 0, 3)):
        builder.add_shape_sphere(links[link], radius=0.1, label=f"a/s{number}")
    slides = [it.ModelBuilder.JointDofConfig(axis=axis) for axis in ((1, 0, 0), (0, 1, 0))]
    joints = [
        builder.add_joint_fixed(-1, links[0], label="a/fixed"),
        builder.add_joint_ball(links[0], links[1], label="a/ball"),
        builder.add_joint_revolute(links[1], links[2], label="a/hinge"),
        builder.add_joint_d6(links[2], links[3], linear_axes=slides, label="a/plane"),
    ]
    builder.add_articulation(joints, label="a")
    return builder


def test_names_stand_in_the_order_of_the_arrays():
    """As in Newton 1.8, for the same scene."""
    scene = it.ModelBuilder()
    scene.replicate(branched(), 2)
    one = scene.finalize()
    view = ArticulationView(one, "a")
    assert view.joint_dof_names == ["ball:0", "ball:1", "ball:2", "hinge", "plane:0", "plane:1"]
    assert view.joint_coord_names == ["ball:0", "ball:1", "ball:2", "ball:3", "hinge", "plane:0", "plane:1"]
    assert (view.joint_dof_counts, view.joint_coord_counts) == ([0, 3, 1, 2], [0, 4, 1, 2])
    assert view.shape_names == ["s0", "s1", "s2", "s3"] and view.link_shapes == [[0, 2], [], [1], [3]]
    assert view.joint_labels[0] == "a/fixed" and view.body_labels == view.link_labels == [f"a/l{n}" for n in range(4)]
    part = ArticulationView(one, "a", include_links=["l3", "l0"], exclude_joints="hinge")
    assert part.shape_labels == ["a/s0", "a/s2", "a/s3"] and part.body_shapes == [[0, 1], [2]]
    assert part.joint_dof_names == ["ball:0", "ball:1", "ball:2", "plane:0", "plane:1"]
    kinds = ("joints", "joint_dofs", "joint_coords", "links", "shapes")
    assert all(getattr(view, f"{kind}_contiguous") for kind in kinds)
    assert not any(getattr(part, f"{kind}_contiguous") for kind in kinds)
    for each in (view, part):
        for names, array in ((each.joint_dof_names, "joint_qd"), (each.joint_coord_names, "joint_q")):
            assert len(names) == each.get_attribute(array, one).shape[2]
        assert len(each.shape_names) == each.shape_count == each.get_attribute("shape_scale", one).shape[2]


@pytest.mark.parametrize("by_count", [True, False])
def test_worlds_of_a_selection_are_numbered(by_count):
    scene = branched() if by_count else it.ModelBuilder()
    if by_count:
        scene.replicate(3)
    else:
        scene.replicate(branched(), 3)
    view = ArticulationView(scene.finalize(), "a")
    assert view.world_ids.numpy().tolist() == [0, 1, 2] and not view.is_sparse
    assert view.articulation_mask.numpy().tolist() == view.full_mask.numpy().tolist() == [True] * 3
    assert ArticulationView(branched().finalize(), "a").world_ids.numpy().tolist() == [-1]
    some = it.ModelBuilder()
    some.add_world(robot())
    some.add_world(branched())
    assert ArticulationView(some.finalize(), "a").is_sparse
