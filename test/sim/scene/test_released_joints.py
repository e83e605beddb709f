# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What a joint that does not act holds falls on what there is, its former partner included."""

import warnings

import numpy as np
import pytest
from scenes import Scene, add_box

import inertia_tools as it
from inertia_tools.sim.scene.notices import SceneWarning

AT_REST = 0.1
"""Height of the middle of a box on the floor [m]."""


def on_a_latch(**options):
    """A box over the floor, on a weld to the world."""
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    body = add_box(builder, 1.0, AT_REST, (0.0, 0.0, 0.15))
    builder.add_joint_fixed(-1, body, it.Pose(np.array([0.0, 0.0, 0.15])), name="latch", **options)
    return builder


def release(scene):
    scene.model.joint_enabled.fill_(0)
    scene.solver.notify_model_changed(it.SolverNotifyFlags.JOINT_PROPERTIES)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("options", "lands"), [({}, True), ({"collision_filter_parent": True}, False)])
def test_a_joint_that_is_off_keeps_nothing_apart_unless_it_is_told_to(dtype, options, lands):
    height = Scene(on_a_latch(enabled=False, **options), dtype).run(0.5).q[0, 2]
    assert height == pytest.approx(AT_REST, abs=1e-4) if lands else height < -0.5


def test_it_is_as_what_the_list_of_joints_says_at_the_end():
    builder = on_a_latch()
    builder.joint_enabled[0] = False
    assert builder.finalize().shape_contact_pair_count == 1
    builder.joint_enabled[0] = True
    assert builder.finalize().shape_contact_pair_count == 0
    builder.joint_enabled[0], builder.joint_collision_filter_parent[0] = False, True
    assert builder.finalize().shape_contact_pair_count == 0


def test_two_links_whose_joint_is_off_touch():
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    below, above = (add_box(builder, 1.0, AT_REST, (0.0, 0.0, z)) for z in (0.1, 0.35))
    builder.add_joint_revolute(below, above, it.Pose(np.array([0.0, 0.0, 0.25])), enabled=False)
    assert Scene(builder).run(1.0).q[above, 2] == pytest.approx(3.0 * AT_REST, abs=1e-4)


def test_a_latch_that_is_released_later_is_named_once_with_the_remedy():
    scene = Scene(on_a_latch()).run(0.1)
    with pytest.warns(SceneWarning, match=r"joint 'latch' .*collision_filter_parent=False"):
        release(scene)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        release(scene)
        scene.model.joint_enabled.fill_(1)
        scene.solver.notify_model_changed(it.SolverNotifyFlags.JOINT_PROPERTIES)
    with pytest.warns(SceneWarning, match="latch"):
        release(scene)


@pytest.mark.filterwarnings("error")
def test_a_latch_whose_bodies_may_touch_drops_what_it_holds_on_the_floor():
    scene = Scene(on_a_latch(collision_filter_parent=False)).run(0.1)
    assert scene.q[0, 2] == pytest.approx(0.15)
    release(scene)
    assert scene.run(0.5).q[0, 2] == pytest.approx(AT_REST, abs=1e-4)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("reason", ["stated", "pair", "no shapes", "another joint"])
def test_nothing_is_said_where_something_else_keeps_bodies_apart(reason):
    builder = on_a_latch(collision_filter_parent=True if reason == "stated" else None)
    if reason == "pair":
        builder.add_shape_collision_filter_pair(0, 1)
    if reason == "no shapes":
        builder = it.ModelBuilder()
        builder.add_joint_fixed(-1, builder.add_link(mass=1.0, inertia=np.eye(3)))
    if reason == "another joint":
        builder.add_joint_fixed(-1, 0, it.Pose(np.array([0.0, 0.0, 0.15])), name="bolt")
    scene = Scene(builder)
    scene.model.joint_enabled.assign(np.arange(scene.model.joint_count) > 0)
    scene.solver.notify_model_changed(it.SolverNotifyFlags.JOINT_PROPERTIES)


def test_of_many_copies_the_one_that_is_released_is_named():
    scene = it.ModelBuilder()
    scene.replicate(on_a_latch(), 3)
    model = scene.finalize()
    solver = it.SolverXPBD(model)
    model.joint_enabled.assign(np.array([1, 0, 1]))
    with pytest.warns(SceneWarning, match=r"joint '[^',]*latch[^',]*' still do not collide"):
        solver.notify_model_changed(it.SolverNotifyFlags.JOINT_PROPERTIES)


@pytest.mark.parametrize(("dt", "substeps"), [(1 / 60, 1), (1 / 60, 10), (1 / 240, 4)])
@pytest.mark.parametrize("kind", ["fixed", "revolute", "drive"])
def test_what_a_joint_lets_go_flies_on_from_then(kind, dt, substeps):
    """It flew as if it had been let go half a substep before: g h / 2 faster, and farther along the circle."""
    builder = it.ModelBuilder()
    arm = {"com": (0.0, 0.0, -0.5), "inertia": 0.02 * np.eye(3)} if kind == "revolute" else {"inertia": np.eye(3)}
    body = builder.add_link(mass=1.0, **arm)
    if kind == "drive":
        builder.add_joint_prismatic(-1, body, axis=(0, 0, 1), target_ke=1e4, target_kd=200.0)
    else:
        getattr(builder, f"add_joint_{kind}")(-1, body, **({"axis": (0, 1, 0)} if kind == "revolute" else {}))
    scene = Scene(builder, dt=dt, substeps=substeps)
    if kind == "revolute":
        scene.set_velocity(body, (-2.5, 0.0, 0.0), (0.0, 5.0, 0.0))
    velocity = scene.run(2.0).qd[0]
    if kind == "drive":
        scene.model.joint_target_ke.zero_()
        scene.model.joint_target_kd.zero_()
    else:
        scene.model.joint_enabled.zero_()
    assert scene.run(0.5).qd[0] == pytest.approx(velocity - (0.0, 0.0, 0.5 * 9.81, 0.0, 0.0, 0.0), abs=1e-9)
