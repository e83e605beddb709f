# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What Newton's scripts do with the solver: graphs of their own, planes that end, and any legal relaxation."""

import numpy as np
import pytest
import warp as wp

import inertia_tools as it
from inertia_tools.errors import OptionError
from inertia_tools.sim.scene.notices import InertiaWarning, SceneWarning
from inertia_tools.solvers import SolverBase, SolverMuJoCo, SolverXPBD


def boxes_on_a_rectangle():
    builder = it.ModelBuilder()
    builder.add_shape_plane(width=2.0, length=1.0)
    for x in (0.0, 0.9, 3.0):
        builder.add_shape_box(builder.add_body((x, 0.0, 0.3)), hx=0.1, hy=0.1, hz=0.1)
    return builder.finalize()


def test_a_graph_of_a_caller_makes_the_same_steps():
    model = boxes_on_a_rectangle()
    plain, states = model.state(), (model.state(), model.state())
    solver, contacts = SolverXPBD(model), (model.contacts(), model.contacts())
    with wp.ScopedCapture() as capture:
        for state_in, state_out in (states, states[::-1]):
            it.CollisionPipeline(model).collide(state_in, contacts[0])
            solver.step(state_in, state_out, None, contacts[0], 0.01)
    for _ in range(40):
        wp.capture_launch(capture.graph)
    for _ in range(80):
        solver.step(plain, plain, None, contacts[1], 0.01)
    assert np.array_equal(states[0].body_q.numpy(), plain.body_q.numpy())


def test_models_and_contacts_are_shown_in_a_line():
    """A notebook shows the result of `collide`, which took 24 s and 19 MB for a thousand copies of a pendulum."""
    model = boxes_on_a_rectangle()
    assert repr(model) == "<Model of 3 bodies, 3 joints, 4 shapes, 0 particles on cpu>"
    assert len(repr(model.collide(model.state()))) < 200


def test_a_plane_ends_where_its_width_and_length_do():
    model = boxes_on_a_rectangle()
    state, contacts, solver = model.state(), model.contacts(), SolverXPBD(model)
    for _ in range(60):
        solver.step(state, state, None, contacts, 0.01)
    heights = state.body_q.numpy()[:, 2]
    assert heights[:2] == pytest.approx([0.1, 0.1], abs=1e-3) and heights[2] < -1.0
    assert model.shape_scale.numpy()[0].tolist() == [2.0, 1.0, 0.0]
    for size in ({"width": -1.0, "length": 1.0}, {"width": 1.0}, {"width": np.inf, "length": 1.0}):
        with pytest.raises(OptionError, match=r"width|length"):
            it.ModelBuilder().add_shape_plane(**size)


@pytest.mark.parametrize("name", ["joint_linear_relaxation", "rigid_contact_relaxation", "soft_body_relaxation"])
def test_what_a_direct_solve_has_no_use_for_is_named_once(name):
    model = boxes_on_a_rectangle()
    with pytest.warns(SceneWarning, match=name) as said:
        SolverXPBD(model, **{name: 0.5}, rigid_contact_con_weighting=False)
    assert len(said) == 1 and "rigid_contact_con_weighting" in str(said[0].message)
    with pytest.raises(OptionError, match=name):
        SolverXPBD(model, **{name: 1.5})


def test_other_solvers_of_newton_are_names_that_say_what_there_is():
    assert issubclass(SolverXPBD, SolverBase) and issubclass(SolverMuJoCo, SolverBase)
    SolverMuJoCo.register_custom_attributes(it.ModelBuilder())
    with pytest.raises(OptionError, match="SolverXPBD"):
        SolverMuJoCo(boxes_on_a_rectangle())


def test_contacts_of_collide_stand_in_newtons_arrays():
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    body = builder.add_body((1.0, 2.0, 0.09))
    ball = builder.add_shape_sphere(body, radius=0.1)
    model = builder.finalize()
    contacts = model.collide(model.state())
    assert contacts.rigid_contact_count.numpy().tolist() == [1]
    pair = [contacts.rigid_contact_shape0.numpy()[0], contacts.rigid_contact_shape1.numpy()[0]]
    assert sorted(pair) == [0, ball]
    normal, side = contacts.rigid_contact_normal.numpy()[0], pair.index(ball)
    assert np.allclose(normal, (0, 0, -1 if side == 0 else 1), atol=1e-6), "from the first towards the second"
    on_ball = (contacts.rigid_contact_point0, contacts.rigid_contact_point1)[side].numpy()[0]
    assert np.allclose(on_ball, (0, 0, -0.1), atol=1e-5), "in the frame of its body"


def box_and_ball():
    """A box and a ball on the ground, both added before it."""
    builder = it.ModelBuilder()
    builder.add_shape_box(builder.add_body((0, 0, 0.1)), hx=0.1, hy=0.1, hz=0.1)
    builder.add_shape_sphere(builder.add_body((1, 0, 0.1)), radius=0.1)
    builder.add_ground_plane()
    return builder.finalize()


def test_forces_of_contacts_stand_in_the_order_of_newtons_arrays():
    model = box_and_ball()
    model.request_contact_attributes("force")
    solver, contacts, state = SolverXPBD(model), model.contacts(), model.state()
    seen = solver.observables([SolverBase.ObservableKind.CONTACT_F], contacts=contacts)
    model.collide(state, contacts)
    for _ in range(60):
        solver.step(state, state, None, contacts, 0.01, observables=seen)
    count = int(contacts.rigid_contact_count.numpy()[0])
    shapes = np.stack([contacts.rigid_contact_shape0.numpy(), contacts.rigid_contact_shape1.numpy()])[:, :count]
    assert (shapes[0] == 2).all() and count == 5, "a plane comes before boxes and balls"
    assert np.allclose(contacts.rigid_contact_normal.numpy()[:count], (0, 0, 1), atol=1e-6)
    forces = seen.contact_f.numpy()
    for shape, mass in enumerate(model.body_mass.numpy()):
        assert forces[:count][shapes[1] == shape, 2].sum() == pytest.approx(-9.81 * mass, rel=1e-3)
    assert (forces[count:] == 0.0).all()
    solver.update_contacts(contacts)
    assert np.array_equal(contacts.force.numpy(), forces)
    model.collide(state, contacts)
    assert int(contacts.rigid_contact_count.numpy()[0]) == 5


def test_a_model_may_bound_the_list_of_contacts_but_not_those_of_a_step():
    model = box_and_ball()
    model.rigid_contact_max = 3
    contacts, state, solver = model.contacts(), model.state(), SolverXPBD(model)
    seen = solver.observables([SolverBase.ObservableKind.CONTACT_F], contacts=contacts)
    model.collide(state, contacts)
    with pytest.warns(SceneWarning, match="hold only 3"):
        assert contacts.rigid_contact_count.numpy().tolist() == [3]
    for _ in range(40):
        solver.step(state, state, None, contacts, 0.01, observables=seen)
    assert contacts.rigid_contact_count.numpy().tolist() == [3] and len(seen.contact_f) == 3
    assert np.allclose(state.body_q.numpy()[:, 2], 0.1, atol=1e-4)
    model.rigid_contact_max = -1
    with pytest.raises(OptionError, match="rigid_contact_max"):
        model.contacts().rigid_contact_max  # noqa: B018


def test_a_pipeline_may_bound_the_contacts_that_it_makes():
    """The capacity is that of the contacts, and forces are reported to others of the same one only, as the page says."""
    model = box_and_ball()
    model.request_contact_attributes("force")
    state, solver, pipeline = model.state(), SolverXPBD(model), it.CollisionPipeline(model, rigid_contact_max=3)
    stepped, alike, others = pipeline.contacts(), pipeline.contacts(), model.contacts()
    assert pipeline.rigid_contact_max == 3 == len(stepped.rigid_contact_shape0) == len(stepped.force)
    assert others.rigid_contact_max == it.CollisionPipeline(model).rigid_contact_max > 3
    solver.step(state, state, None, stepped, 0.01)
    for contacts in (stepped, alike):
        solver.update_contacts(contacts)
        assert contacts.rigid_contact_count.numpy().tolist() == [3] and contacts.force.numpy()[:, 2].any()
    with pytest.raises(ValueError, match="rigid_contact_max"):
        solver.update_contacts(others)
    for wrong in (-1, 2.5, "7"):
        with pytest.raises(OptionError, match="rigid_contact_max"):
            it.CollisionPipeline(model, rigid_contact_max=wrong)


def test_points_of_contacts_move_with_their_bodies():
    model = box_and_ball()
    state, contacts = model.state(), model.contacts()
    model.collide(state, contacts)
    poses = state.body_q.numpy()
    poses[1, 2] += 0.25
    state.body_q.assign(poses)
    distance = wp.zeros(contacts.rigid_contact_max, dtype=float)
    on_ground, on_shape = (wp.zeros(contacts.rigid_contact_max, dtype=wp.vec3) for _ in range(2))
    it.eval_rigid_contact_kinematics(
        model, state, contacts, out_distance=distance, out_point0_world=on_ground, out_point1_world=on_shape
    )
    count = int(contacts.rigid_contact_count.numpy()[0])
    is_ball = contacts.rigid_contact_shape1.numpy()[:count] == 1
    assert distance.numpy()[:count] == pytest.approx(np.where(is_ball, 0.25, 0.0), abs=1e-6)
    assert np.allclose(on_ground.numpy()[:count, 2], 0.0, atol=1e-6)
    assert np.allclose(on_shape.numpy()[:count][is_ball], (1.0, 0.0, 0.25), atol=1e-6)
    for wrong in ({}, {"out_distance": wp.zeros(1, dtype=float)}, {"out_distance": on_ground}):
        with pytest.raises(OptionError, match="out_distance"):
            it.eval_rigid_contact_kinematics(model, state, contacts, **wrong)


def test_a_step_fills_the_observables_that_are_selected():
    model = box_and_ball()
    solver, state = SolverXPBD(model), model.state()
    assert state.body_parent_f is None
    seen = solver.observables([SolverBase.ObservableKind.BODY_PARENT_F])
    assert seen.kinds == {"body_parent_f"} and model.state().body_parent_f is None
    seen.body_parent_f.fill_(-1.0)
    state = model.state()
    solver.step(state, state, None, None, 0.01, observables=seen.select(()))
    assert (seen.body_parent_f.numpy() == -1.0).all()
    solver.step(state, state, None, None, 0.01, observables=seen.select(seen.kinds))
    assert (seen.body_parent_f.numpy() == 0.0).all(), "no joint holds these bodies"
    with pytest.raises(OptionError, match="contact_f"):
        seen.select(["contact_f"])


def test_observables_are_what_contacts_and_joints_bear():
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    builder.add_shape_box(builder.add_body((0, 0, 0.1)), hx=0.1, hy=0.1, hz=0.1)
    hung = builder.add_link((3.0, 0.0, 2.0), mass=2.0, inertia=np.eye(3))
    builder.add_joint_revolute(-1, hung, parent_xform=(3.0, 0.0, 3.0), child_xform=(0.0, 0.0, 1.0))
    model = builder.finalize()
    solver, contacts = SolverXPBD(model), model.contacts()
    kinds = (SolverBase.ObservableKind.CONTACT_F, SolverBase.ObservableKind.BODY_PARENT_F)
    seen = solver.observables(kinds, contacts=contacts)
    state = model.state()
    for _ in range(60):
        solver.step(state, state, None, contacts, 0.01, observables=seen)
    assert abs(seen.contact_f.numpy()[:, 2].sum()) == pytest.approx(8.0 * 9.81, rel=1e-3)
    assert seen.body_parent_f.numpy()[1, 2] == pytest.approx(2.0 * 9.81, rel=1e-3)
    with pytest.raises(OptionError, match="contact_f"):
        solver.observables(["contact_g"])


def test_frames_without_mass_move_along():
    """A robot whose fixed frames stay bodies falls as one whose frames are merged."""
    inertial = '<inertial><mass value="2"/><inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial>'
    text = f"""<robot name="r"><link name="base"/><link name="hull">{inertial}</link><link name="sensor"/>
        <joint name="a" type="fixed"><parent link="base"/><child link="hull"/></joint>
        <joint name="b" type="fixed"><parent link="hull"/><child link="sensor"/><origin xyz="0 0 .1"/></joint></robot>"""
    builder = it.ModelBuilder()
    builder.add_urdf(text, floating=True)
    with pytest.warns(InertiaWarning, match="'base', 'sensor'"):
        model = builder.finalize()
    assert model.body_mass.numpy().sum() == pytest.approx(2.0, rel=1e-6)
    state, solver = model.state(), SolverXPBD(model)
    for _ in range(10):
        solver.step(state, state, None, None, 0.01)
    fallen = state.body_q.numpy()[:, 2] - (0.0, 0.0, 0.1)
    assert fallen == pytest.approx([-0.5 * 9.81 * 0.01] * 3, rel=0.12)
    assert state.body_qd.numpy()[:, 2] == pytest.approx([-0.981] * 3, rel=1e-4)


def test_a_distance_joint_that_starts_too_short_is_pushed_out_gently():
    builder = it.ModelBuilder(gravity=0.0)
    body = builder.add_link((0.25, 0.0, 0.0), mass=1.0, inertia=np.eye(3))
    builder.add_joint_distance(-1, body, min_distance=1.0, max_distance=-1.0)
    model = builder.finalize()
    state, solver = model.state(), SolverXPBD(model)
    solver.step(state, state, None, None, 0.01)
    assert state.body_q.numpy()[0, 0] == pytest.approx(0.25 + 0.3 * 0.01, rel=0.01)
    for _ in range(300):
        solver.step(state, state, None, None, 0.01)
    assert state.body_q.numpy()[0, 0] >= 0.99
