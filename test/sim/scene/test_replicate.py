# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Worlds of a replicated scene: copies of each other, to the bit, whatever the threads."""

import numpy as np
import pytest
from scenes import DT, Scene, add_box, rod

import inertia_tools as it
from inertia_tools.errors import OptionError, SimulationError
from inertia_tools.sim.step.work_partition import WORLDS_AT_A_TIME
from inertia_tools.spatial import rotation_from_rpy


def busy_scene():
    """A chain that hits a box, which leans on another, over a floor."""
    builder = it.ModelBuilder()
    add_box(builder, 1.0, 0.05, (0.0, 0.0, 0.05))
    add_box(builder, 3.0, 0.05, (0.02, 0.01, 0.152), rpy=(0.0, 0.0, 0.3))
    above = -1
    for index in range(2):
        body = builder.add_link(**rod(0.3, 0.5), xform=it.Pose(np.array([0.1 + 0.0 * index, 0.0, 0.8 - 0.3 * index])))
        builder.add_joint_revolute(
            above, body, it.Pose(np.array([0.1, 0.0, 0.8]) if above < 0 else np.array([0.0, 0.0, -0.3])), axis=(0, 1, 0)
        )
        builder.add_shape_sphere(body, it.Pose(np.array([0.0, 0.0, -0.25])), radius=0.04)
        above = body
    builder.add_ground_plane()
    return builder


def tumbling():
    builder = it.ModelBuilder()
    builder.add_shape_box(
        builder.add_link(xform=it.Pose(np.array([0.0, 0.0, 0.3]), rotation_from_rpy((0.3, 0.2, 0.1)))),
        hx=0.1, hy=0.05, hz=0.05,
    )  # fmt: skip
    builder.add_ground_plane()
    return builder


def stepped(builder, threads=1, seconds=1.0):
    scene = Scene(builder)
    scene.solver = it.SolverXPBD(scene.model, iterations=3, substeps=4, threads=threads)
    return scene.run(seconds)


def test_more_worlds_than_are_stepped_at_a_time_are_the_single_scene_to_the_bit():
    alone = stepped(tumbling(), seconds=0.3)
    builder = tumbling()
    builder.replicate(WORLDS_AT_A_TIME + 2)
    worlds = stepped(builder, seconds=0.3)
    assert np.array_equal(worlds.q, np.tile(alone.q, (WORLDS_AT_A_TIME + 2, 1)))


@pytest.mark.parametrize("make", [busy_scene, tumbling])
@pytest.mark.parametrize("threads", [1, 3])
def test_every_world_is_the_single_scene_to_the_bit(make, threads):
    alone = stepped(make())
    builder = make()
    builder.replicate(5)
    worlds = stepped(builder, threads)
    count = alone.model.body_count
    for world in range(5):
        block = slice(world * count, (world + 1) * count)
        assert np.array_equal(worlds.q[block], alone.q)
        assert np.array_equal(worlds.qd[block], alone.qd)
    slots = alone.model.slot_count
    forces = worlds.contacts.data.force.numpy()[: 5 * slots].reshape(5, slots, 3)
    assert np.array_equal(forces, np.broadcast_to(alone.contacts.data.force.numpy()[:slots], forces.shape))


def test_a_world_is_the_single_scene_to_the_bit_however_fast_another_is():
    scenes = [busy_scene(), busy_scene()]
    scenes[1].replicate(2)
    alone, both = (Scene(builder) for builder in scenes)
    count = alone.model.body_count
    velocities = both.state.body_qd.numpy()
    velocities[count:, :3] += (5.0, 3.0, 4.0)
    both.state.body_qd.assign(velocities)
    alone.run(1.0)
    both.run(1.0)
    assert np.array_equal(both.q[:count], alone.q) and np.array_equal(both.qd[:count], alone.qd)


def test_worlds_go_their_own_ways():
    builder = tumbling()
    builder.replicate(3)
    scene = Scene(builder)
    scene.set_velocity(1, (0.5, 0.0, 0.0))
    scene.run(1.0)
    assert np.array_equal(scene.q[0], scene.q[2])
    assert scene.q[1, 0] > scene.q[0, 0] + 0.01


def test_drives_of_one_world_move_it_alone():
    builder = busy_scene()
    builder.replicate(2)
    scene = Scene(builder)
    efforts = scene.control.joint_f.numpy()
    efforts[2] = 0.5  # the first joint of the second world
    scene.control.joint_f.assign(efforts)
    scene.run(10 * DT)
    assert scene.state.joint_q.numpy()[2] != scene.state.joint_q.numpy()[0]
    assert np.array_equal(scene.q[:2], scene.q[4:6])


@pytest.mark.parametrize("count", [0, 1.5])
def test_worlds_are_counted_in_whole_numbers(count):
    with pytest.raises(OptionError, match="count"):
        it.ModelBuilder().replicate(count)


def test_threads_are_counted_in_whole_numbers():
    with pytest.raises(OptionError, match="threads"):
        it.SolverXPBD(tumbling().finalize(), threads=0)


def test_collide_looks_at_a_single_world():
    builder = tumbling()
    builder.replicate(2)
    model = builder.finalize()
    with pytest.raises(SimulationError, match="single world"):
        model.collide(model.state(), model.contacts())


def with_attributes(worlds):
    builder = tumbling()
    builder.add_shape_sphere(0, radius=0.02)
    for name, frequency, values in (
        ("one", "once", {0: 7.0}),
        ("of_world", "world", {0: 5.0, 2: 6.0}),
        ("of_body", "body", {0: 1.0}),
        ("of_shape", "shape", {1: 2.0}),
    ):
        for assignment in ("model", "state"):
            builder.add_custom_attribute(
                it.ModelBuilder.CustomAttribute(
                    f"{name}_of_{assignment}", "float32", frequency, assignment, None, 3.0, values
                )
            )
    builder.replicate(worlds)
    return builder


def test_attributes_of_users_are_copied_with_what_they_belong_to():
    model = with_attributes(3).finalize()
    for kind, owner in (("model", model), ("state", model.state())):
        told = {
            name: getattr(owner, f"{name}_of_{kind}").numpy().tolist()
            for name in ("one", "of_world", "of_body", "of_shape")
        }
        assert told == {
            "one": [7.0],
            "of_world": [5.0, 5.0, 6.0],
            "of_body": [1.0] * 3,
            "of_shape": [3.0, 2.0, 3.0] * 3,
        }


def test_a_value_of_a_world_that_is_not_there_is_refused():
    with pytest.raises(OptionError, match="of_world_of_model"):
        with_attributes(2).finalize()
