# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Scenes of scenes, and worlds that do not feel each other."""

import copy

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.errors import OptionError, SimulationError


def ball(height: float = 0.5, **options):
    builder = it.ModelBuilder(**options)
    body = builder.add_body(xform=(0, 0, height), label="ball")
    builder.add_shape_sphere(body, radius=0.1)
    return builder


def run(builder, seconds: float = 0.5):
    model = builder.finalize()
    state, contacts = model.state(), model.contacts()
    solver = it.SolverXPBD(model)
    for _ in range(int(100 * seconds)):
        solver.step(state, state, None, contacts, 0.01)
    return state.body_q.numpy()


def test_an_added_scene_is_moved_and_named():
    builder = ball()
    builder.add_builder(ball(), ((1, 0, 0), (0, 0, 0, 1)), "second")
    assert builder.body_label == ["ball", "second/ball"]
    assert np.allclose(builder.body_q[1].p, (1, 0, 0.5)) and np.allclose(builder.joint_q[7:10], (1, 0, 0.5))
    assert builder.shape_body == [0, 1] and builder.joint_child == [0, 1] and builder.articulation_start == [0, 1]


def test_an_added_scene_moves_as_it_does_alone():
    alone = run(ball(), 0.2)
    builder = it.ModelBuilder()
    builder.add_builder(ball(), (3, 0, 0))
    assert np.allclose(run(builder, 0.2)[0, :3] - (3, 0, 0), alone[0, :3], atol=1e-6)


def test_worlds_do_not_touch_each_other_and_share_what_is_in_none():
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    builder.replicate(ball(0.3), 2)
    builder.add_world(ball(0.31))
    found = run(builder)
    assert builder.world_count == 3 and builder.body_world == [0, 1, 2] and builder.shape_world == [-1, 0, 1, 2]
    assert np.allclose(found[:, :3], (0, 0, 0.1), atol=1e-3), "each lies on the ground, all in one place"


@pytest.mark.parametrize("broad_phase", ["list", "search"])
def test_without_worlds_they_touch(broad_phase):
    builder = it.ModelBuilder(broad_phase=broad_phase)
    builder.add_ground_plane()
    for height in (0.1, 0.3):
        builder.add_builder(ball(height))
    assert run(builder)[1, 2] == pytest.approx(0.3, abs=1e-3)


@pytest.mark.parametrize("broad_phase", ["list", "search"])
def test_each_search_of_pairs_keeps_worlds_apart(broad_phase):
    builder = it.ModelBuilder(broad_phase=broad_phase)
    builder.add_ground_plane()
    for height in (0.1, 0.3):
        builder.add_world(ball(height))
    assert np.allclose(run(builder)[:, 2], 0.1, atol=1e-3)


def test_each_world_may_fall_otherwise():
    builder = it.ModelBuilder()
    builder.begin_world(gravity=(0, 0, -1))
    body = builder.add_body()
    builder.add_shape_sphere(body, radius=0.1)
    builder.end_world()
    builder.add_world(ball(0.0))
    model = builder.finalize()
    model.set_gravity((0, 0, -2), world=1)
    state = model.state()
    solver = it.SolverXPBD(model)
    solver.step(state, state, None, None, 0.1)
    assert np.allclose(state.body_qd.numpy()[:, 2], [-0.1, -0.2], atol=1e-6)


def test_an_added_scene_brings_its_gravity():
    part = it.ModelBuilder(gravity=(0, 0, -3))
    builder = it.ModelBuilder()
    builder.replicate(part, 2)
    builder.world_gravity[0][2] = -7.0
    assert builder.finalize().gravity.numpy()[:, 2].tolist() == pytest.approx([-7.0, -3.0, -9.81])
    assert part.gravity == (0, 0, -3)
    builder.add_builder(part)
    assert builder.gravity == (0, 0, -3), "outside of worlds, that of the whole scene"
    turned = it.ModelBuilder(up_axis="X")
    turned.add_builder(it.ModelBuilder())
    assert turned.gravity == (-9.81, 0.0, 0.0), "standard gravity follows the up axis"
    with pytest.raises(OptionError, match="gravity"):
        it.ModelBuilder(gravity=(1.0, 2.0))


def test_a_world_that_there_is_not_has_no_gravity():
    model = ball(0.0).finalize()
    model.set_gravity((0, 0, -2), world=0)
    assert model.gravity.numpy().tolist() == [[0.0, 0.0, -2.0]], "a scene without worlds is world 0"
    for world in (1, -2):
        with pytest.raises(IndexError, match="world"):
            model.set_gravity((0, 0, -2), world=world)


@pytest.mark.parametrize("substeps", [1, 10])
def test_what_falls_keeps_its_velocity_when_gravity_is_switched_off(substeps):
    builder = ball(5.0)
    builder.add_particle((9.0, 0.0, 5.0), (0.0, 0.0, 0.0), 1.0, radius=0.0)
    model = builder.finalize()
    state, solver = model.state(), it.SolverXPBD(model, substeps=substeps)
    velocities = []
    for gravity in ((0, 0, -9.81), (0, 0, 0), (2, 0, 0)):
        model.set_gravity(gravity)
        for _ in range(10):
            solver.step(state, state, None, None, 0.01)
        velocities.append([state.body_qd.numpy()[0, :3].copy(), state.particle_qd.numpy()[0].copy()])
    assert np.allclose(velocities[:2], [0.0, 0.0, -0.981], atol=1e-5)
    assert np.allclose(velocities[2], [0.2, 0.0, -0.981], atol=1e-5)


def test_copies_stand_on_a_grid():
    builder = it.ModelBuilder()
    builder.replicate(ball(0.0), 4, spacing=(2.0, 3.0, 0.0))
    places = {tuple(np.round(pose.position[:2], 9)) for pose in builder.body_pose}
    assert places == {(-1.0, -1.5), (1.0, -1.5), (-1.0, 1.5), (1.0, 1.5)}


def test_attributes_of_added_scenes_keep_their_values():
    part = ball()
    part.add_custom_attribute(it.ModelBuilder.CustomAttribute("heat", float, "body", default=1.0, values={0: 5.0}))
    builder = ball()
    builder.add_builder(part)
    assert builder.finalize().heat.numpy().tolist() == [1.0, 5.0]


def test_worlds_begin_and_end_in_turn():
    builder = it.ModelBuilder()
    with pytest.raises(SimulationError, match="begin_world"):
        builder.end_world()
    builder.begin_world()
    with pytest.raises(SimulationError, match="end_world"):
        builder.begin_world()
    with pytest.raises(OptionError, match="xforms"):
        it.ModelBuilder().replicate(ball(), 2, xforms=[(0, 0, 0)])


@pytest.mark.parametrize("joints", [[], [1, 0], [0, 2], "ab", [0, 0]])
def test_joints_of_an_articulation_stand_one_behind_the_other(joints):
    builder = it.ModelBuilder()
    for _ in range(3):
        builder.add_joint_revolute(-1, builder.add_link(mass=1.0, inertia=np.eye(3)))
    with pytest.raises(OptionError, match="joints"):
        builder.add_articulation(joints)


@pytest.mark.parametrize("add", ["add_builder", "add_world", "replicate"])
@pytest.mark.parametrize("what", ["itself", None, "robot"])
def test_a_scene_is_added_to_another_one_only(add, what):
    """A scene that is added to itself would grow while it is read, and never end."""
    builder = it.ModelBuilder()
    builder.add_body(mass=1.0, inertia=np.eye(3))
    options = (2,) if add == "replicate" else ()
    with pytest.raises(OptionError, match="builder must be a"):
        getattr(builder, add)(builder if what == "itself" else what, *options)
    assert builder.body_count == 1 and not builder.world_label
    builder.add_builder(copy.deepcopy(builder))
    assert builder.finalize().body_count == 2
