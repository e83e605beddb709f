# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Every parameter of the solver, and every notice of a change, moves things as predicted."""

import numpy as np
import pytest
from scenes import DT, G, Scene, add_box, box_inertia

import inertia_tools as it
from inertia_tools.errors import OptionError, SimulationError
from inertia_tools.spatial import rotation_from_quaternion, rotation_from_rpy

SWEEPS = {"joint_solver": "sweeps"}


def solved(builder, *, iterations=2, substeps=10, dtype="float64", dt=DT, **parameters):
    scene = Scene(builder, dtype, substeps=substeps, iterations=iterations, dt=dt)
    scene.solver = it.SolverXPBD(scene.model, iterations=iterations, substeps=substeps, **parameters)
    return scene


def velocity_after(scene):
    """Velocities as the last substep left them."""
    back = 0.5 * scene.dt / scene.substeps * scene.state.data.qdd.numpy()
    return scene.qd[:, :3] - back[:, :3]


# Joints


def welded(position=(0.0, 0.0, 0.0), rpy=(0.0, 0.0, 0.0), gravity=(0.0, 0.0, 0.0)):
    builder = it.ModelBuilder(gravity=gravity)
    body = builder.add_link(
        mass=2.0, inertia=0.3 * np.eye(3), xform=it.Pose(np.array(position), rotation_from_rpy(list(rpy)))
    )
    builder.add_joint_fixed(-1, body)
    return builder


@pytest.mark.parametrize("joint_solver", ["direct", "sweeps"])
@pytest.mark.parametrize("compliance", [1e-4, 2e-4])
def test_linear_compliance_is_stretch_per_force(compliance, joint_solver):
    options = {"joint_linear_compliance": compliance, "joint_solver": joint_solver, "iterations": 20}
    scene = solved(welded(gravity=(0, 0, -G)), substeps=2, **options).run(6.0)
    assert scene.q[0, 2] == pytest.approx(-2.0 * G * compliance, rel=1e-6)


@pytest.mark.parametrize("compliance", [1e-4, 2e-4])
def test_angular_compliance_is_rotation_per_torque(compliance):
    builder = it.ModelBuilder()
    body = builder.add_link(mass=2.0, com=(0.5, 0, 0), inertia=0.3 * np.eye(3))
    builder.add_joint_fixed(-1, body)
    scene = solved(builder, substeps=1, joint_angular_compliance=compliance).run(5.0)
    tilt = -rotation_from_quaternion(scene.q[0, 3:])[2, 0]
    assert tilt == pytest.approx(compliance * 2.0 * G * 0.5, rel=1e-4)


@pytest.mark.parametrize("relaxation", [0.4, 0.7, 1.0])
@pytest.mark.parametrize("iterations", [2, 5])
def test_a_sweep_takes_the_relaxed_share_of_an_offset(relaxation, iterations):
    options = {**SWEEPS, "iterations": iterations, "substeps": 1}
    left = (1.0 - relaxation) ** iterations
    moved = solved(welded((0.1, -0.2, 0.3)), joint_linear_relaxation=relaxation, **options).run(DT)
    assert moved.q[0, :3] == pytest.approx(left * np.array([0.1, -0.2, 0.3]), abs=1e-12)
    turned = solved(welded(rpy=(0.0, 0.0, 0.01)), joint_angular_relaxation=relaxation, **options).run(DT)
    assert 2.0 * turned.q[0, 5] == pytest.approx(0.01 * left, abs=1e-6)


@pytest.mark.parametrize("joint_solver", ["direct", "sweeps"])
def test_a_direct_solve_closes_a_small_offset_at_once(joint_solver):
    scene = solved(welded((1e-4, -2e-4, 3e-4)), substeps=1, joint_solver=joint_solver).run(DT)
    assert (np.abs(scene.q[0, :3]).max() < 1e-12) == (joint_solver == "direct")


def test_relaxation_does_not_move_where_things_come_to_rest():
    """Only the correction that gravity calls for in one substep is left, g h^2 (1 / r - 1)."""
    builder = it.ModelBuilder()
    body = builder.add_link(mass=1.0, com=(0.3, 0, 0), inertia=0.1 * np.eye(3))
    builder.add_joint_revolute(-1, body, axis=(0, 1, 0), target_ke=50.0, target_kd=10.0)
    angles = []
    for ratio in (0.4, 0.7, 1.0):
        options = {"joint_linear_relaxation": ratio, "joint_angular_relaxation": ratio, "iterations": 10}
        angles.append(float(solved(builder, **SWEEPS, **options).run(4.0).state.joint_q.numpy()[0]))
    direct = float(solved(builder).run(4.0).state.joint_q.numpy()[0])
    assert angles == pytest.approx([direct] * 3, rel=1e-3)
    assert 50.0 * direct == pytest.approx(0.3 * G * np.cos(direct), rel=1e-9)


def test_sweeps_keep_the_momentum_of_a_floating_pair():
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    for x in (0.0, 1.0):
        builder.add_link(mass=1.0 + x, inertia=0.1 * np.eye(3), xform=it.Pose(np.array([x, 0, 0])))
    halves = (it.Pose(np.array([0.5, 0, 0])), it.Pose(np.array([-0.5, 0, 0])))
    builder.add_joint_revolute(0, 1, *halves, axis=(0, 1, 1))
    scene = solved(builder, iterations=10, **SWEEPS)
    scene.set_velocity(0, (0, 1.0, 0.3), (0.2, 0, 0.5))
    linear = scene.momenta()[0]
    scene.run(2.0)
    assert scene.momenta()[0] == pytest.approx(linear, abs=1e-12)
    gap = scene.q[1, :3] - scene.q[0, :3]
    turns = [rotation_from_quaternion(q[3:]) for q in scene.q]
    assert np.linalg.norm(gap - turns[0] @ [0.5, 0, 0] - turns[1] @ [0.5, 0, 0]) < 1e-3


# Contacts


def landing(spread, mass=2.0, speed=1.0):
    """A body on two spheres that land at once; the ground under one does not feel the other, as I = m d^2."""
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    inertia = mass * np.diag([0.5, spread**2, 0.9 * spread**2 if spread > 1.0 else spread**2])
    body = builder.add_link(mass=mass, inertia=inertia, xform=it.Pose(np.array([0, 0, 0.1])))
    for x in (-spread, spread):
        place = it.Pose(np.array([x, 0, 0]))
        builder.add_shape_sphere(body, place, radius=0.1, cfg=it.ShapeConfig(density=0.0, mu=0.0))
    builder.add_ground_plane(cfg=it.ShapeConfig(mu=0.0))
    return builder, speed


@pytest.mark.parametrize("relaxation", [0.4, 0.8, 1.0])
@pytest.mark.parametrize("weighting", [False, True])
@pytest.mark.parametrize("iterations", [2, 4])
def test_a_pass_stops_the_relaxed_and_weighted_share_of_a_landing(relaxation, weighting, iterations):
    builder, speed = landing(0.7)
    options = {"rigid_contact_relaxation": relaxation, "rigid_contact_con_weighting": weighting}
    scene = solved(builder, iterations=iterations, substeps=1, **SWEEPS, **options)
    scene.set_velocity(0, (0, 0, -speed))
    scene.run(DT)
    share = relaxation / (2 if weighting else 1)
    assert velocity_after(scene)[0, 2] == pytest.approx(-speed * (1.0 - share) ** iterations, abs=1e-6)


@pytest.mark.parametrize(("relaxation", "most"), [(0.8, 3e-3), (0.2, 1e-2)])
def test_stacks_stand_under_sweeps_with_the_defaults_of_the_page(relaxation, most):
    """Two sweeps leave some overlap behind, which must not grow."""
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    heights = 0.1 + 0.2 * np.arange(5)
    for height in heights:
        add_box(builder, 8.0, 0.1, (0.0, 0.0, height))
    scene = solved(builder, substeps=4, rigid_contact_relaxation=relaxation, **SWEEPS)
    early = scene.run(1.0).q[:, :3]
    late = scene.run(3.0).q[:, :3]
    off = late - np.stack([0.0 * heights, 0.0 * heights, heights], axis=1)
    assert np.abs(off).max() < most
    assert np.abs(late - early)[:, 2].max() < 0.5 * most


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("count", "dt", "substeps"), [(6, 1 / 60, 20), (10, 1 / 240, 10)])
def test_high_stacks_stand_under_sweeps(count, dt, substeps, dtype):
    """The nearest faces of corners that two sweeps leave inside are those at their sides: boxes were turned and fell."""
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    for i in range(count):
        add_box(builder, 8.0, 0.1, (0.0, 0.0, 0.1 + 0.2 * i))
    scene = solved(builder, dtype=dtype, substeps=substeps, dt=dt, **SWEEPS)
    off = scene.run(3.0).q[:, :3] - [(0.0, 0.0, 0.1 + 0.2 * i) for i in range(count)]
    assert np.abs(off).max() < 2e-3


@pytest.mark.parametrize("weighting", [False, True])
def test_both_sides_of_a_contact_feel_the_same(weighting):
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    add_box(builder, 1.0, 0.1, (0.0, 0.0, 0.0))
    add_box(builder, 5.0, 0.1, (0.21, 0.03, 0.02), rpy=(0.1, 0.2, 0.3))
    scene = solved(builder, rigid_contact_con_weighting=weighting, **SWEEPS)
    scene.set_velocity(0, (1.0, 0.0, 0.1), (0.0, 1.0, 0.0))
    before = scene.momenta()[0]
    scene.run(0.5)
    assert scene.momenta()[0] == pytest.approx(before, abs=1e-12)
    assert scene.qd[1, 0] > 0.05


@pytest.mark.parametrize("ratio", [0.5, 0.9])
def test_restitution_bounces_when_it_is_asked_for(ratio):
    def apex(enabled):
        builder = it.ModelBuilder()
        body = builder.add_link(xform=it.Pose(np.array([0, 0, 1.1])))
        builder.add_shape_sphere(body, radius=0.1, cfg=it.ShapeConfig(restitution=ratio))
        builder.add_ground_plane(cfg=it.ShapeConfig(restitution=ratio))
        scene = solved(builder, enable_restitution=enabled).run(0.46)
        return max(scene.run(DT).q[0, 2] for _ in range(120)) - 0.1

    assert apex(True) == pytest.approx(ratio**2, rel=3e-3)
    assert apex(True) < ratio**2
    assert apex(False) < 1e-4


# Motion


@pytest.mark.parametrize("damping", [0.0, 0.5, 2.0])
def test_spin_decays_at_the_rate_of_angular_damping(damping):
    builder = it.ModelBuilder(gravity=(0, 0, -G))
    builder.add_link(mass=1.0, inertia=0.1 * np.eye(3))
    scene = solved(builder, angular_damping=damping)
    scene.set_velocity(0, (1.0, 0, 0), (0, 0, 5.0))
    scene.run(DT)  # from here on, the damping is part of the state
    start = scene.qd[0, 5]
    scene.run(1.0)
    assert scene.qd[0, 5] == pytest.approx(start * np.exp(-damping), rel=1e-6)
    assert scene.qd[0, 0] == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("limit, off", [(0.4, 0.1), (0.1, 6e-3), (0.02, 3e-4)])
def test_energy_is_as_exact_as_the_turns_of_a_substep_are_small(limit, off):
    """A rod swings through, in steps of a tenth of a second that begin when it has fallen for one."""
    builder = it.ModelBuilder()
    body = builder.add_link(mass=1.0, com=(0.5, 0, 0), inertia=np.diag([1e-4, 1 / 12, 1 / 12]))
    builder.add_joint_revolute(-1, body, axis=(0, 1, 0))
    scene = solved(builder, substeps=1, joint_turn_limit=limit)
    scene.run(0.1)
    start, scene.dt = scene.energy(), 0.1
    errors = [abs(scene.run(0.1).energy() - start) / (0.5 * G) for _ in range(20)]
    assert 0.05 * off < max(errors) < off


# Changes of the model


def pushed():
    """A box that is pushed along a floor without friction, without gravity."""
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    builder.add_link(mass=2.0, inertia=box_inertia(2.0, 0.1, 0.1, 0.1))
    scene = Scene(builder)
    scene.state.body_f.assign(np.array([[4.0, 0, 0, 0, 0, 0]]))
    scene.run(DT)
    return scene


def gained(scene, component):
    before = scene.qd[0, component]
    return scene.run(0.5).qd[0, component] - before


def test_a_new_mass_counts_after_the_notice():
    scene = pushed()
    assert gained(scene, 0) == pytest.approx(1.0, rel=1e-6)
    scene.model.body_mass.assign(np.array([4.0]))
    assert gained(scene, 0) == pytest.approx(1.0, rel=1e-6)
    scene.solver.notify_model_changed(it.SolverNotifyFlags.BODY_INERTIAL_PROPERTIES)
    assert gained(scene, 0) == pytest.approx(0.5, rel=1e-2)


def test_a_new_centre_of_mass_moves_the_lever():
    builder = it.ModelBuilder()
    body = builder.add_link(mass=1.0, com=(0.5, 0, 0), inertia=0.1 * np.eye(3))
    builder.add_joint_revolute(-1, body, axis=(0, 1, 0), target_ke=1e4, target_kd=1e2)
    scene = Scene(builder).run(1.0)
    before = float(scene.state.joint_q.numpy()[0])
    scene.model.body_com.assign(np.array([[0.25, 0.0, 0.0]]))
    scene.solver.notify_model_changed(it.SolverNotifyFlags.BODY_INERTIAL_PROPERTIES)
    after = float(scene.run(2.0).state.joint_q.numpy()[0])
    assert after == pytest.approx(0.5 * before, rel=1e-4)
    assert np.linalg.norm(scene.q[0, :3]) < 1e-9


@pytest.mark.parametrize("by_array", [True, False])
def test_new_gravity_counts_from_the_next_step_on(by_array):
    scene = pushed()
    assert gained(scene, 2) == pytest.approx(0.0, abs=1e-12)
    if by_array:
        scene.model.gravity.assign([[0.0, 0.0, -2.0]])
    else:
        scene.model.set_gravity((0.0, 0.0, -2.0))
    scene.solver.notify_model_changed(it.SolverNotifyFlags.MODEL_PROPERTIES)
    assert gained(scene, 2) == pytest.approx(-1.0, rel=1e-2)


def test_parameters_that_are_attributes_count_from_the_next_step_on():
    builder = it.ModelBuilder(gravity=(0.0, 0.0, 0.0))
    cfg = it.ShapeConfig(restitution=1.0)
    builder.add_shape_sphere(builder.add_body((0, 0, 0.15)), radius=0.1, cfg=cfg)
    builder.add_ground_plane(cfg=cfg)
    scene = Scene(builder)
    for restitutes, after in ((False, 0.0), (True, 1.0), (False, 0.0)):
        scene.solver.enable_restitution = restitutes
        scene.state = scene.model.state()
        scene.set_velocity(0, (0, 0, -1.0))
        assert scene.run(0.1).qd[0, 2] == pytest.approx(after, abs=1e-3)
    scene.state = scene.model.state()
    scene.set_velocity(0, angular=(0, 0, 2.0))
    scene.solver.angular_damping = 1.0
    assert scene.run(0.5).qd[0, 5] == pytest.approx(2.0 * np.exp(-0.5), rel=1e-2)
    for name, value in (
        ("iterations", 0),
        ("substeps", 0),
        ("angular_damping", -1.0),
        ("rigid_contact_restitution_iterations", 0),
    ):
        with pytest.raises(OptionError, match=name):
            setattr(scene.solver, name, value)


def test_parameters_that_last_are_not_set_without_effect():
    solver = pushed().solver
    assert (solver.joint_solver, solver.contact_solver, solver.particle_enable_self_contact) == ("direct", "auto", True)
    for name, value in (
        ("joint_solver", "sweeps"),
        ("contact_solver", "direct"),
        ("particle_enable_self_contact", False),
        ("threads", 2),
        ("dtype", "float64"),
        ("sleep", True),
    ):
        with pytest.raises(SimulationError, match=rf"SolverXPBD\(model, {name}="):
            setattr(solver, name, value)


def test_looking_at_the_state_can_be_asked_for_between_steps():
    scene = pushed()
    scene.solver.check_finite = True
    scene.state.body_qd.fill_(np.nan)
    with pytest.raises(SimulationError, match="after this step"):
        scene.run(DT)


@pytest.mark.parametrize("has_particle", [False, True])
def test_substeps_that_are_set_count_from_the_next_step_on(has_particle):
    """They could be set, and those captured before were made on."""
    builder = it.ModelBuilder()
    arm = builder.add_link(mass=1.0, com=(0.3, 0, 0), inertia=0.01 * np.eye(3))
    builder.add_joint_revolute(-1, arm, axis=(0, 1, 0))
    if has_particle:
        builder.add_particle((5.0, 0.0, 5.0), (0.0, 0.0, 0.0), 0.1)
    scenes = [solved(builder, substeps=substeps, joint_turn_limit=np.inf).run(DT) for substeps in (1, 8, 1)]
    scenes[2].state.assign(scenes[1].state)
    scenes[2].solver.substeps = 8
    few, many, changed = (scene.run(0.2).q for scene in scenes)
    assert np.abs(changed - many).max() < 1e-12
    assert np.abs(few - many).max() > 1e-6


def test_a_new_friction_counts():
    builder = it.ModelBuilder()
    add_box(builder, 1.0, 0.1, (0, 0, 0.1), mu=0.2)
    builder.add_ground_plane(cfg=it.ShapeConfig(mu=0.2))
    scene = Scene(builder).run(0.1)
    for mu in (0.2, 0.1):
        scene.model.shape_material_mu.assign(np.full(2, mu))
        scene.solver.notify_model_changed(it.SolverNotifyFlags.SHAPE_PROPERTIES)
        scene.set_velocity(0, (3.0, 0, 0))
        assert gained(scene, 0) == pytest.approx(-0.5 * mu * G, rel=1e-2)


def test_a_new_armature_counts():
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    body = builder.add_link(mass=1.0, inertia=0.5 * np.eye(3))
    builder.add_joint_revolute(-1, body, axis=(0, 0, 1))
    scene = Scene(builder)
    scene.set_drive(effort={0: 1.0})
    scene.run(DT)
    assert gained(scene, 5) == pytest.approx(1.0, rel=1e-6)
    scene.model.joint_armature.assign(np.array([0.5]))
    scene.solver.notify_model_changed(it.SolverNotifyFlags.JOINT_DOF_PROPERTIES)
    assert gained(scene, 5) == pytest.approx(0.5, rel=1e-2)
    scene.model.joint_armature.assign(np.array([-1.0]))
    with pytest.raises(OptionError, match="joint_armature"):
        scene.solver.notify_model_changed(it.SolverNotifyFlags.JOINT_DOF_PROPERTIES)


def test_changes_that_no_body_can_take_are_refused_by_name():
    scene = pushed()
    scene.model.body_mass.assign(np.array([-1.0]))
    with pytest.raises(SimulationError, match="body_0"):
        scene.solver.notify_model_changed(it.SolverNotifyFlags.ALL)
    with pytest.raises(OptionError, match="flags"):
        scene.solver.notify_model_changed(1 << 20)


# Forces of contacts


def test_forces_of_contacts_are_written_when_requested():
    builder = it.ModelBuilder()
    add_box(builder, 2.0, 0.1, (0, 0, 0.1))
    builder.add_ground_plane()
    scene = Scene(builder)
    with pytest.raises(ValueError, match="request_contact_attributes"):
        scene.solver.update_contacts(scene.contacts)
    scene.model.request_contact_attributes("force")
    contacts = scene.model.contacts()
    with pytest.raises(ValueError, match="before the first step"):
        scene.solver.update_contacts(contacts)
    for _ in range(100):
        scene.solver.step(scene.state, scene.state, None, contacts, DT)
    scene.solver.update_contacts(contacts)
    wrenches = contacts.force.numpy()
    assert wrenches.shape == (contacts.rigid_contact_max, 6)
    assert wrenches.sum(axis=0) == pytest.approx([0, 0, -2.0 * G, 0, 0, 0], abs=1e-6), "a plane is the first shape"
    scene.solver.step(scene.state, scene.state, None, None, DT)
    with pytest.raises(ValueError, match="after a step without contacts"):
        scene.solver.update_contacts(contacts)
    scene.solver.step(scene.state, scene.state, None, contacts, DT)
    other = it.ModelBuilder()
    add_box(other, 1.0, 0.1, (0, 0, 0.1))
    bare = other.finalize()
    bare.request_contact_attributes("force")
    with pytest.raises(ValueError, match="rigid_contact_max"):
        scene.solver.update_contacts(bare.contacts())
