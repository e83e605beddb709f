# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What a caller gets wrong is refused by its name before anything is computed, and nothing beyond a scene is touched."""

import gc
import weakref

import numpy as np
import pytest
import warp as wp
from scenes import DT, add_box

import inertia_tools as it
from inertia_tools.errors import OptionError, SimulationError, UnknownOptionError
from inertia_tools.sim.scene.joint_kind import JointKind
from inertia_tools.sim.scene.notices import InertiaWarning, SceneWarning

FLAGS = it.SolverNotifyFlags


def boxes(count: int = 2, mode: str = "list") -> it.ModelBuilder:
    builder = it.ModelBuilder()
    builder.broad_phase = mode
    for index in range(count):
        add_box(builder, 1.0, 0.05, (0.3 * index, 0.0, 0.05))
    builder.add_ground_plane()
    return builder


def hinge() -> it.ModelBuilder:
    builder = it.ModelBuilder()
    body = builder.add_link(mass=1.0, inertia=0.1 * np.eye(3))
    builder.add_joint_revolute(-1, body, axis=(0, 1, 0), target_ke=10.0)
    return builder


def arguments(model) -> dict[str, object]:
    names = {"state_in": "state", "state_out": "state", "control": "control", "contacts": "contacts"}
    return {name: getattr(model, maker)() for name, maker in names.items()} | {"dt": DT}


# A step


@pytest.mark.parametrize("mode", ["list", "search"])
@pytest.mark.parametrize("dt", [0.0, -0.1, np.nan, np.inf])
def test_a_step_without_length_is_refused(dt, mode):
    model = boxes(mode=mode).finalize()
    with pytest.raises(OptionError, match="dt"):
        it.SolverXPBD(model).step(**arguments(model) | {"dt": dt})


@pytest.mark.parametrize("mode", ["list", "search"])
@pytest.mark.parametrize("name", ["state_in", "state_out", "control", "contacts"])
def test_what_is_of_another_scene_is_refused(name, mode):
    """Kernels would go on beyond the end of its arrays."""
    builder = boxes(mode=mode)
    for body in range(2):
        builder.add_joint_revolute(-1, body)
    model, other = builder.finalize(), boxes(3, mode).finalize()
    with pytest.raises(SimulationError, match=f"{name} is of another scene"):
        it.SolverXPBD(model).step(**arguments(model) | {name: arguments(other)[name]})


@pytest.mark.parametrize("name", ["state_in", "state_out", "control"])
def test_what_has_another_precision_is_refused(name):
    model, other = boxes().finalize(), boxes().finalize(dtype="float64")
    with pytest.raises(SimulationError, match=f"{name} does not have the precision.*float32"):
        it.SolverXPBD(model).step(**arguments(model) | {name: arguments(other)[name]})


def test_a_state_lives_as_long_as_the_search_that_has_its_address():
    """Else a new state at the same place would be taken for it, and the search would read what is no longer there."""
    model = boxes(mode="search").finalize()
    contacts, state = model.contacts(), model.state()
    seen = weakref.ref(state)
    it.SolverXPBD(model).step(state, state, None, contacts, DT)
    contacts.nearby.search(contacts, model.state(), DT)
    del state
    gc.collect()
    assert seen() is not None


def test_forces_can_be_cleared():
    state = boxes().finalize().state()
    state.body_f.fill_(1.0)
    state.clear_forces()
    assert not state.body_f.numpy().any()


# A solver, and what it is told has changed


@pytest.mark.parametrize("model", [None, it.ModelBuilder(), "robot.urdf"])
def test_a_solver_needs_a_finished_model(model):
    with pytest.raises(OptionError, match="finalize"):
        it.SolverXPBD(model)


def test_whole_numbers_of_numpy_count():
    builder = boxes()
    builder.replicate(np.int64(2))
    solver = it.SolverXPBD(builder.finalize(), iterations=np.int32(3), substeps=np.int64(4), threads=np.int64(1))
    assert (solver.iterations, solver.substeps) == (3, 4)


@pytest.mark.parametrize("flags", [1.5, "ALL", None, -1, 1 << 13])
def test_unknown_flags_are_refused(flags):
    with pytest.raises(OptionError, match="flags"):
        it.SolverXPBD(boxes().finalize()).notify_model_changed(flags)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[(f"shape_material_{name}", value) for name in ("mu", "mu_rolling") for value in (-1.0, np.nan, np.inf)],
        *[("shape_material_restitution", value) for value in (-0.1, 1.1, np.nan)],
    ],
)
def test_changed_materials_must_be_possible(name, value):
    model = boxes().finalize()
    getattr(model, name).fill_(value)
    with pytest.raises(OptionError, match=name):
        it.SolverXPBD(model).notify_model_changed(FLAGS.SHAPE_PROPERTIES)


@pytest.mark.parametrize(
    "name",
    [
        *("shape_transform", "shape_scale", "shape_flags", "shape_collision_group", "shape_margin", "shape_gap"),
        *("joint_axis", "joint_target_mode", "constraint_mimic_coef1", "constraint_mimic_enabled"),
    ],
)
def test_arrays_that_are_changed_in_vain_are_named_once(name, recwarn):
    """Boxes that were to change their group or their size stayed as they were, without a word."""
    builder = boxes()
    leader, follower = (builder.add_joint_revolute(-1, body, axis=(0, 0, 1)) for body in range(2))
    builder.add_constraint_mimic(follower, leader, coef0=0.0, coef1=1.0)
    model = builder.finalize()
    solver, array = it.SolverXPBD(model), getattr(model, name)
    recwarn.clear()
    solver.notify_model_changed(FLAGS.ALL)
    assert not recwarn.list
    array.assign(~array.numpy() if array.dtype is wp.bool else array.numpy() + 1)
    with pytest.warns(SceneWarning, match=f"{name} have no effect.*ModelBuilder"):
        solver.notify_model_changed(FLAGS.ALL)
    recwarn.clear()
    solver.notify_model_changed(FLAGS.ALL)
    assert not recwarn.list


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[(f"joint_{name}", value) for name in ("effort_limit", "velocity_limit") for value in (0.0, -1.0, np.nan)],
        *[(f"joint_{name}", np.inf) for name in ("target_kd", "armature", "friction")],
        *[("joint_limit_lower", value) for value in (np.nan, 5.0)],
    ],
)
def test_changed_degrees_of_freedom_must_be_possible(name, value):
    model = hinge().finalize()
    model.joint_limit_upper.fill_(1.0)
    getattr(model, name).fill_(value)
    with pytest.raises(OptionError, match=name):
        it.SolverXPBD(model).notify_model_changed(FLAGS.JOINT_DOF_PROPERTIES)


def test_degrees_of_freedom_as_they_are_built_are_possible():
    model = hinge().finalize()
    model.joint_target_ke.fill_(np.inf)  # holds rigidly
    it.SolverXPBD(model).notify_model_changed(FLAGS.ALL)


@pytest.mark.parametrize("gravity", [np.inf, (0.0, -9.81), (0.0, 0.0, np.nan), "down", None, np.nan])
def test_gravity_is_three_finite_numbers(gravity):
    """Which is said at once."""
    with pytest.raises(OptionError, match="gravity"):
        it.ModelBuilder(gravity=gravity)
    builder = it.ModelBuilder()
    with pytest.raises(OptionError, match="gravity"):
        builder.gravity = gravity
    builder.begin_world()
    with pytest.raises(OptionError, match="gravity"):
        builder.let_fall(gravity)
    model = boxes().finalize()
    with pytest.raises(OptionError, match="gravity"):
        model.gravity = gravity
    model.gravity.fill_(np.nan)
    with pytest.raises(OptionError, match="gravity"):
        it.SolverXPBD(model).notify_model_changed(FLAGS.MODEL_PROPERTIES)


def test_gravity_may_be_written_as_a_list():
    model = boxes().finalize()
    model.gravity = [0, 0, -1]
    it.SolverXPBD(model).notify_model_changed(FLAGS.MODEL_PROPERTIES)
    assert model.bodies.gravity.numpy().tolist() == [[0.0, 0.0, -1.0]]


# Scenes


@pytest.mark.parametrize("lost", [np.nan, np.inf])
def test_a_pose_has_finite_numbers(lost):
    builder = it.ModelBuilder()
    for pose in (it.Pose(np.array([lost, 0.0, 0.0])), it.Pose(rotation=np.full((3, 3), lost)), (0.0, lost, 0.0)):
        with pytest.raises(OptionError, match="xform"):
            builder.add_link(pose, mass=1.0, inertia=np.eye(3))
        with pytest.raises(OptionError, match="xform"):
            builder.add_shape_sphere(-1, pose)
    assert (builder.body_count, builder.shape_count) == (0, 0)


@pytest.mark.parametrize(("column", "said"), [("joint_q", "pose"), ("joint_qd", "velocity"), ("body_qd", "velocity")])
def test_a_start_that_is_lost_is_refused_with_its_body(column, said):
    builder = it.ModelBuilder()
    body = builder.add_link(mass=1.0, inertia=0.1 * np.eye(3), name="arm")
    builder.add_joint_revolute(-1, body, axis=(0, 1, 0))
    getattr(builder, column)[0] = np.full(6, np.nan) if column == "body_qd" else np.nan
    with pytest.raises(OptionError, match=f"start {said} of 'arm'"):
        builder.finalize()


def test_a_joint_does_not_follow_itself():
    builder = hinge()
    with pytest.raises(SimulationError, match=r"joint_0.* cannot follow itself"):
        builder.add_mimic(0, 0)
    assert not builder.mimics


def test_copies_of_nothing_can_be_stepped():
    builder = it.ModelBuilder()
    builder.replicate(3)
    model = builder.finalize()
    it.SolverXPBD(model).step(**arguments(model))


def test_cables_are_refused_by_both_names():
    builder = boxes()
    for add in (builder.add_joint_cable, lambda *bodies: builder.add_joint(JointKind.CABLE, *bodies)):
        with pytest.raises(SimulationError, match="cable joints are not simulated"):
            add(0, 1)


def test_flags_of_bodies_that_cannot_be_taken_over_are_refused():
    builder = boxes()
    with pytest.raises(OptionError, match=r"body_flags.*DYNAMIC"):
        builder.body_flags[0] = int(it.BodyFlags.ALL)
    model = builder.finalize()
    solver = it.SolverXPBD(model)
    solver.notify_model_changed(FLAGS.BODY_PROPERTIES)
    model.body_flags.fill_(int(it.BodyFlags.ALL))
    with pytest.raises(OptionError, match=r"body_flags.*DYNAMIC"):
        solver.notify_model_changed(FLAGS.BODY_PROPERTIES)


# What a scene is made of


@pytest.mark.parametrize("body", ["a", 0.5, None, (0,)])
def test_what_is_no_index_of_a_body_is_refused_by_name(body):
    builder = boxes()
    with pytest.raises(OptionError, match="body must be the index of a body"):
        builder.add_shape_sphere(body, radius=0.1)
    with pytest.raises(OptionError, match="parent must be the index"):
        builder.add_joint_fixed(body, 0)
    with pytest.raises(OptionError, match="child must be the index"):
        builder.add_joint_fixed(-1, body)


@pytest.mark.parametrize("shape", [99, -1])
def test_shapes_that_there_are_not_are_not_kept_apart(shape):
    builder = boxes()
    for pair in ((0, shape), (shape, 0)):
        with pytest.raises(SimulationError, match=f"there is no shape {shape}"):
            builder.add_shape_collision_filter_pair(*pair)
    with pytest.raises(OptionError, match="shape_a must be the index"):
        builder.add_shape_collision_filter_pair("a", 0)
    builder.add_shape_collision_filter_pair(1, 1)
    assert not builder.shape_collision_filter_pairs


@pytest.mark.parametrize("option", ["mass", "gravity_scale", "armature"])
@pytest.mark.parametrize("value", ["1", b"1", None, (1.0,), [[1.0, 2.0], [3.0]], np.array("a"), 1j])
def test_what_is_no_number_is_refused_by_name(option, value):
    with pytest.raises(OptionError, match=f"{option} must be a"):
        it.ModelBuilder().add_link(**{option: value})


@pytest.mark.parametrize("gap", [-0.1, np.nan, np.inf, None, "0.1"])
def test_a_gap_of_all_shapes_is_a_length(gap):
    builder = boxes()
    builder.rigid_gap = gap
    with pytest.raises(OptionError, match="rigid_gap"):
        builder.finalize()


def test_a_mass_that_is_not_finite_is_named_when_the_scene_is_finished():
    """It is stored as Newton stores it, and judged with what shapes add."""
    for mass in (np.nan, np.inf):
        builder = it.ModelBuilder()
        builder.add_body(mass=mass, inertia=np.eye(3), label="strange")
        with pytest.warns(InertiaWarning):
            assert builder.finalize().body_mass.numpy()[0] == 0.0


def test_materials_and_axes_are_of_their_types():
    builder = boxes()
    with pytest.raises(OptionError, match="cfg must be a ShapeConfig"):
        builder.add_shape_sphere(0, radius=0.1, cfg={"mu": 1.0})
    with pytest.raises(OptionError, match="linear_axes must be a JointDofConfig"):
        builder.add_joint_d6(-1, 0, linear_axes=[{"axis": (1, 0, 0)}])


@pytest.mark.parametrize("name", ["body_mass", "body_inertia", "body_label", "joint_q", "joint_qd", "joint_f"])
@pytest.mark.parametrize("change", [lambda values: values.append(values[0]), lambda values: values.pop()])
def test_a_list_that_is_longer_or_shorter_is_named(name, change):
    builder = hinge()
    change(getattr(builder, name))
    with pytest.raises(OptionError, match=f"{name} must be of length 1"):
        builder.finalize()


def test_a_world_that_was_not_ended_is_named():
    builder = boxes()
    builder.begin_world()
    with pytest.warns(SceneWarning, match="end_world"):
        builder.finalize()
    builder.end_world()
    builder.finalize()


# Arguments of another type


@pytest.mark.parametrize("name", ["state_in", "state_out", "control", "contacts", "dt"])
@pytest.mark.parametrize("wrong", ["a", 3j, [1.0]])
def test_arguments_of_another_type_are_refused_by_name(name, wrong):
    model = boxes().finalize()
    solver, given = it.SolverXPBD(model), arguments(model)
    solver.step(**given)
    with pytest.raises(OptionError, match=f"{name} must be a"):
        solver.step(**given | {name: wrong})
    if name in ("state_in", "state_out", "dt"):
        with pytest.raises(OptionError, match=f"{name} must be a"):
            solver.step(**given | {name: None})


def test_what_is_no_state_and_no_contacts_is_refused_by_name():
    model = boxes().finalize()
    for wrong in (None, "a"):
        with pytest.raises(OptionError, match="state must be a State"):
            model.collide(wrong)
        with pytest.raises(OptionError, match="contacts must be a Contacts"):
            it.SolverXPBD(model).update_contacts(wrong)
    with pytest.raises(OptionError, match="contacts must be a Contacts"):
        model.collide(model.state(), model.state())


@pytest.mark.parametrize("name", ["min_distance", "max_distance"])
@pytest.mark.parametrize("wrong", [np.nan, None, "a", [1.0, 2.0], np.zeros((2, 2))])
def test_a_distance_that_is_no_number_is_not_taken_for_none(name, wrong):
    builder = hinge()
    with pytest.raises(OptionError, match=f"{name} must be a number of metres"):
        builder.add_joint_distance(-1, 0, **{name: wrong})


TETRAHEDRON = it.Mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2])
ENORMOUS = {
    "hx": lambda scene, size: scene.add_shape_box(0, hx=size),
    "radius": lambda scene, size: scene.add_shape_sphere(0, radius=size),
    "half_height": lambda scene, size: scene.add_shape_cylinder(0, half_height=size),
    "a": lambda scene, size: scene.add_shape_ellipsoid(0, rx=size),
    "scale": lambda scene, size: scene.add_shape_mesh(0, mesh=TETRAHEDRON, scale=(size, 1.0, 1.0)),
}


@pytest.mark.parametrize("size", [1e62, 1e300])
@pytest.mark.parametrize("name", ENORMOUS)
def test_a_size_whose_moments_are_no_finite_numbers_is_refused_by_name(name, size):
    builder = it.ModelBuilder()
    builder.add_body()
    with pytest.raises(OptionError, match=f"^{name} must be at most"):
        ENORMOUS[name](builder, size)
    assert builder.shape_count == 0
    builder.add_shape_box(0, hx=1e61, hy=1e61, hz=1e61, cfg=it.ShapeConfig(density=1e-3))
    assert np.isfinite(builder.body_inertia[0]).all()


@pytest.mark.parametrize("read", ["add_urdf", "add_mjcf"])
def test_an_enormous_scale_of_a_file_is_refused_by_name(read):
    text = {
        "add_urdf": '<robot name="r"><link name="a"/></robot>',
        "add_mjcf": "<mujoco><worldbody/></mujoco>",
    }[read]
    with pytest.raises(OptionError, match=r"^scale must be a positive number, at most"):
        getattr(it.ModelBuilder(), read)(text, scale=1e300)


@pytest.mark.parametrize(
    ("method", "keyword"), [("add_shape_box", "src"), ("add_ground_plane", "body"), ("add_shape_heightfield", "body")]
)
def test_a_keyword_that_only_add_shape_takes_is_named(method, keyword):
    """They hand what they take on; a ground plane was attached to a body, and others raised Python's own error."""
    builder = it.ModelBuilder()
    with pytest.raises(UnknownOptionError, match=f"ModelBuilder.{method} has no option '{keyword}'"):
        getattr(builder, method)(**{keyword: -1})
    assert not builder.shapes
