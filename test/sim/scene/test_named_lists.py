# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Lists of a scene by Newton's names: what is read is what was built, and what is written acts."""

import numpy as np
import pytest
import warp as wp

import inertia_tools as it
from inertia_tools.errors import OptionError, SimulationError, UnknownAttributeError, UnknownOptionError
from inertia_tools.sim.scene.notices import SceneWarning

TURNED = wp.transform((0.1, 0.2, 0.3), wp.quat_from_axis_angle(wp.vec3(0.0, 0.0, 1.0), 0.5))


def arm(**options):
    """A slide on a hinge on a ball."""
    builder = it.ModelBuilder(**options)
    links = [builder.add_link(mass=1.0, inertia=np.eye(3), label=name) for name in ("a", "b", "c")]
    joints = [
        builder.add_joint_ball(-1, links[0], parent_xform=TURNED, child_xform=(0.0, 0.0, 0.5), label="ball"),
        builder.add_joint_revolute(links[0], links[1], axis="Y", parent_xform=(0, 0, -0.5), child_xform=(0, 0, 0.5)),
        builder.add_joint_prismatic(links[1], links[2], axis=(1, 1, 0), limit_lower=-1.0, limit_upper=2.0),
    ]
    builder.add_articulation(joints, "arm")
    return builder


def test_reading_gives_what_was_built():
    builder = arm()
    assert builder.body_label == ["a", "b", "c"] and builder.joint_label[0] == "ball"
    assert np.allclose(builder.joint_X_p[0], TURNED) and np.allclose(builder.joint_X_c[1].p, (0, 0, 0.5))
    assert [tuple(row) for row in builder.joint_dof_dim] == [(0, 3), (0, 1), (1, 0)]
    assert np.allclose(builder.joint_axis[3:], [[0, 1, 0], [np.sqrt(0.5), np.sqrt(0.5), 0]])
    assert (builder.joint_q_start, builder.joint_qd_start) == ([0, 4, 5], [0, 3, 4])
    assert builder.joint_limit_lower[-1] == -1.0 and builder.joint_limit_upper[3] == it.MAXVAL
    assert builder.joint_articulation == [0, 0, 0] and builder.articulation_start == [0]


@pytest.mark.parametrize(
    ("name", "value"),
    [("joint_target_ke", 7.0), ("joint_armature", 0.5), ("joint_damping", 2.0), ("joint_friction", 3.0)],
)
def test_what_is_written_reaches_the_model(name, value):
    builder = arm()
    getattr(builder, name)[-1] = value
    assert getattr(builder.finalize(), name).numpy().tolist() == [0.0, 0.0, 0.0, 0.0, value]


def test_a_list_takes_all_values_at_once_and_refuses_another_length():
    builder = arm()
    builder.joint_target_kd = [1, 2, 3, 4, 5]
    builder.joint_target_kd[1:3] = [9, 8]
    assert builder.joint_target_kd == [1, 9, 8, 4, 5]
    with pytest.raises(OptionError, match="joint_target_kd"):
        builder.joint_target_kd = [1.0]
    with pytest.raises(OptionError, match="joint_type"):
        builder.joint_type[0] = it.JointType.FREE


def test_a_moved_frame_moves_the_axis_along():
    builder = arm()
    before = builder.joint_axis[3]
    builder.joint_X_p[1] = TURNED
    assert np.allclose(builder.joint_axis[3], before), "an axis is given in the frame of its joint"
    assert np.allclose(builder.joint_X_p[1], TURNED)


def test_coordinates_that_are_written_pose_the_bodies():
    builder = arm()
    builder.joint_q[4:] = [0.3, 0.7]
    builder.joint_qd[3:] = [1.0, -2.0]
    model = builder.finalize()
    state = model.state()
    assert np.allclose(model.joint_q.numpy(), [0, 0, 0, 1, 0.3, 0.7], atol=1e-6)
    assert np.allclose(model.joint_qd.numpy()[3:], [1.0, -2.0], atol=1e-6)
    again = model.state()
    it.eval_fk(model, model.joint_q, model.joint_qd, again)
    for name in ("body_q", "body_qd"):
        assert np.allclose(getattr(state, name).numpy(), getattr(again, name).numpy(), atol=1e-6)


def test_states_begin_with_coordinates_written_to_the_model():
    """The bodies stay until `eval_fk` poses them, as with Newton."""
    model = arm().finalize()
    written, posed = model.joint_q.numpy(), model.state()
    written[4:] = [0.3, 0.7]
    model.joint_q.assign(written)
    model.joint_qd.fill_(0.5)
    state = model.state()
    assert np.array_equal(state.joint_q.numpy(), written) and (state.joint_qd.numpy() == 0.5).all()
    assert np.array_equal(state.body_q.numpy(), posed.body_q.numpy())
    it.eval_fk(model, state.joint_q, state.joint_qd, state)
    it.eval_fk(model, model.joint_q, model.joint_qd, posed)
    assert np.array_equal(state.body_q.numpy(), posed.body_q.numpy())


def test_inverse_kinematics_takes_forward_kinematics_back():
    model = arm().finalize()
    rng = np.random.default_rng(3)
    turn = rng.normal(size=4)
    q = np.array([*turn / np.linalg.norm(turn) * np.sign(turn[3]), 0.4, -0.6], dtype=np.float32)
    qd = rng.normal(size=5).astype(np.float32)
    joint_q, joint_qd, state = wp.array(q), wp.array(qd), model.state()
    it.eval_fk(model, joint_q, joint_qd, state)
    found_q, found_qd = wp.zeros_like(joint_q), wp.zeros_like(joint_qd)
    it.eval_ik(model, state, found_q, found_qd)
    assert np.allclose(found_q.numpy(), q, atol=1e-5) and np.allclose(found_qd.numpy(), qd, atol=1e-5)


def test_velocities_of_forward_kinematics_are_the_rates_of_its_poses():
    model, h = arm().finalize(dtype="float64"), 1e-6
    q, qd = np.array([0, 0, 0, 1, 0.4, -0.6]), np.array([0.0, 0.0, 0.0, 1.5, -0.5])
    places = []
    for step in (-h, h):
        state = model.state()
        moved = wp.array(q + step * np.array([0, 0, 0, 0, *qd[3:]]), dtype=wp.float64)
        it.eval_fk(model, moved, wp.array(qd, dtype=wp.float64), state)
        places.append(model.motion(state))
    for body in range(3):
        rate = (places[1].com(body) - places[0].com(body)) / (2 * h)
        assert np.allclose(rate, places[0].qd[body, :3], atol=1e-5)


def test_links_that_were_placed_nowhere_are_where_their_joints_hold_them():
    model = arm().finalize()
    hung = model.start[0].transform_points([0.0, 0.0, 0.5])
    assert np.allclose(hung, TURNED.p, atol=1e-6) and np.isfinite(model.body_q.numpy()).all()


def test_links_that_were_placed_apart_are_named():
    builder = it.ModelBuilder()
    body = builder.add_link((0, 0, 5), mass=1.0, inertia=np.eye(3))
    builder.add_joint_revolute(-1, body, label="hinge")
    with pytest.warns(SceneWarning, match="'hinge' by 5") as caught:
        model = builder.finalize()
    assert caught[0].filename == __file__, "the line that called it"
    assert model.start[0].position[2] == 5.0, "and stay"


def test_names_that_there_are_not_are_errors_with_a_suggestion():
    builder, config = it.ModelBuilder(), it.ShapeConfig()
    model = arm().finalize()
    for owner, name, meant in (
        (builder, "gravty", "gravity"),
        (config, "densty", "density"),
        (model, "body_qq", "body_q"),
    ):
        with pytest.raises(UnknownAttributeError, match=meant):
            setattr(owner, name, 1.0)
    for call, meant in ((lambda: builder.add_link(massa=1), "mass"), (lambda: it.ShapeConfig(mue=1.0), "mu")):
        with pytest.raises(UnknownOptionError, match=meant):
            call()
    with pytest.raises(UnknownOptionError, match="target_ke"):
        builder.add_joint_revolute(-1, builder.add_link(), targt_ke=1.0)


@pytest.mark.parametrize("xform", [((1, 2, 3), (0, 0, 0, 1)), (1, 2, 3), [1, 2, 3, 0, 0, 0, 1], it.Pose([1, 2, 3])])
def test_each_form_of_a_pose_is_one(xform):
    builder = it.ModelBuilder()
    builder.add_link(xform)
    assert builder.body_pose[0].isclose(it.Pose([1, 2, 3]))


def test_a_number_for_gravity_is_along_the_up_axis():
    assert it.ModelBuilder(up_axis="Y", gravity=-2.0).gravity == (0.0, -2.0, 0.0)
    assert it.ModelBuilder(up_axis=it.Axis.X).up_vector == (1.0, 0.0, 0.0)


def test_flags_of_a_shape_decide_what_it_touches():
    builder = it.ModelBuilder()
    body = builder.add_body(xform=(0, 0, 0.5), mass=1.0)
    builder.add_ground_plane()
    shape = builder.add_shape_sphere(body, radius=0.5, color=(0.1, 0.2, 0.3), opacity=0.4)
    assert builder.shape_flags[shape] == 7 and builder.shape_color[shape] == (0.1, 0.2, 0.3)
    assert builder.finalize().slot_count == 1
    builder.shape_flags[shape] &= ~it.ShapeFlags.COLLIDE_SHAPES
    assert builder.finalize().slot_count == 0
    builder.shape_flags[shape] |= it.ShapeFlags.COLLIDE_SHAPES
    assert builder.finalize().slot_count == 1


def test_a_state_takes_over_another():
    model = arm().finalize()
    one, other = model.state(), model.state()
    one.body_f.fill_(3.0)
    one.body_q.fill_(0.5)
    other.assign(one)
    assert np.array_equal(other.body_q.numpy(), one.body_q.numpy()) and (other.body_f.numpy() == 3.0).all()


def test_a_state_takes_arrays_in_the_place_of_its_own():
    model = arm().finalize()
    state, out, solver = model.state(), model.state(), it.SolverXPBD(model)
    solver.step(state, out, None, None, 0.01)
    moved = state.body_q.numpy()
    moved[:, 2] += 1.0
    state.body_q = wp.array(moved, dtype=state.body_q.dtype)
    solver.step(state, out, None, None, 0.01)
    plain = model.state()
    plain.body_q.assign(moved)
    solver.step(plain, plain, None, None, 0.01)
    assert np.array_equal(out.body_q.numpy(), plain.body_q.numpy()), "steps that were captured before read the new one"
    for wrong in (wp.zeros(99, dtype=state.body_q.dtype), wp.zeros(len(moved), dtype=wp.vec3), moved, None):
        with pytest.raises(OptionError, match="body_q"):
            state.body_q = wrong


def test_a_state_without_a_scene_holds_what_it_is_given():
    model, bare = arm().finalize(), it.State()
    assert bare.body_q is None and bare.particle_q is None and bare.body_count == 0
    bare.body_q, bare.particle_q = wp.clone(model.state().body_q), wp.zeros(3, dtype=wp.vec3)
    assert bare.body_count == model.body_count and bare.particle_count == 3
    bare.clear_forces()
    with pytest.raises(SimulationError, match=r"model\.state"):
        it.SolverXPBD(model).step(bare, model.state(), None, None, 0.01)
    with pytest.raises(SimulationError, match=r"model\.state"):
        model.state().assign(bare)


def test_states_of_a_scene_share_the_attributes_that_users_added():
    builder = arm()
    builder.add_custom_attribute(
        it.ModelBuilder.CustomAttribute("heat", float, "body", assignment=it.Model.AttributeAssignment.STATE)
    )
    model = builder.finalize()
    one, other = model.state(), model.state()
    one.heat = wp.full(model.body_count, 5.0, dtype=float)
    other.assign(one)
    assert (other.heat.numpy() == 5.0).all()
    del one.heat
    for source, target in ((one, other), (other, one)):
        with pytest.raises(ValueError, match="heat"):
            target.assign(source)
