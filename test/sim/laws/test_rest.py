# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What is at rest stays as it is to the bit, is not solved, and answers in the same step to all that is written."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import DT, G, Scene, add_box

import inertia_tools as it

PRECISIONS = ["float64", "float32"]
SUBSTEPS = 4
HALF = 0.05
MASS = 1.0
REACH = 0.3
TIME = 20.0
"""In which such a robot has come to rest [s]: it takes 3.3 s in double precision, 6 s in single."""


def walker(mu: float = 0.8) -> it.ModelBuilder:
    """Return a trunk that stands on two boxes for feet, a driven hinge and a driven slide between, and a free arm."""
    builder = it.ModelBuilder()
    builder.add_ground_plane(cfg=it.ShapeConfig(mu=mu))
    trunk = add_box(builder, 2.0, 0.1, (0.0, 0.0, 0.4), mu)
    for x, kind in ((-0.2, "revolute"), (0.2, "prismatic")):
        foot = add_box(builder, MASS, HALF, (x, 0.0, HALF), mu)
        parent, child = it.Pose([x, 0.0, -0.2]), it.Pose([0.0, 0.0, 0.2 - HALF])
        drive = {"target_ke": 2000.0, "target_kd": 40.0, "limit_lower": -0.5, "limit_upper": 0.5}
        axis = (0.0, 1.0, 0.0) if kind == "revolute" else (0.0, 0.0, 1.0)
        getattr(builder, f"add_joint_{kind}")(trunk, foot, parent, child, axis=axis, **drive)
    arm = builder.add_link(xform=it.Pose([0.0, 0.0, 0.5 + REACH]), mass=0.1, inertia=np.diag([1e-3, 1e-3, 1e-4]))
    builder.add_joint_revolute(
        trunk, arm, it.Pose([0.0, 0.0, 0.1]), it.Pose([0.0, 0.0, -REACH]), axis=(1.0, 0.0, 0.0), friction=1.0
    )
    return builder


def rested(dtype: str, **options: float) -> Scene:
    """Return such a robot once it is at rest."""
    scene = Scene(walker(**options), dtype, SUBSTEPS)
    scene.model.request_contact_attributes("solve_log")
    scene.contacts = scene.model.contacts()
    return come_to_rest(scene)


def come_to_rest(scene: Scene) -> Scene:
    """Step a scene until it is at rest."""
    for _ in range(round(TIME / 0.5)):
        if is_at_rest(scene.run(0.5)):
            return scene
    raise AssertionError("it does not come to rest")


def is_at_rest(scene: Scene) -> bool:
    """Tell whether all bodies are at rest, as the solver sees them."""
    return bool((scene.state.data.rest.numpy() > 0.0).all())


def written(scene: Scene) -> dict[str, np.ndarray]:
    """Return all that a step writes to a state, and the forces that it reports."""
    arrays = {name: getattr(scene.state.data, name).numpy() for name in scene.state.data._cls.vars}
    return arrays | {
        name: getattr(scene.contacts.data, name).numpy() for name in ("force", "torque", "lambda_n", "depth")
    }


@pytest.mark.parametrize("dtype", PRECISIONS)
def test_nothing_changes_by_a_bit(dtype):
    scene = rested(dtype)
    before = written(scene)
    scene.run(0.25)
    after = written(scene)
    assert [name for name in before if not np.array_equal(before[name], after[name])] == []
    assert not scene.qd.any()


@pytest.mark.parametrize("dtype", PRECISIONS)
def test_forces_are_still_reported(dtype):
    scene = rested(dtype)
    upward = scene.force_on(1, -1) + scene.force_on(2, -1)
    assert upward == pytest.approx([0.0, 0.0, 4.1 * G], abs=1e-4 * G)


def test_solves_that_are_not_made_are_logged_as_such():
    scene = rested("float64")
    log = scene.contacts.solve_log.newton_steps
    scene.run(0.25)
    more = scene.contacts.solve_log.newton_steps - log
    assert more[0, 0] == more.sum() == SUBSTEPS * 60


@pytest.mark.parametrize("dtype", PRECISIONS)
def test_another_state_is_handed_all_of_it(dtype):
    scene = rested(dtype)
    before, other = written(scene), scene.model.state()
    scene.solver.step(scene.state, other, scene.control, scene.contacts, DT)
    scene.state = other
    after = written(scene)
    assert [name for name in before if not np.array_equal(before[name], after[name])] == []


def hinge_rate(scene: Scene) -> float:
    return float(scene.state.joint_qd.numpy()[scene.dof_above(1)])


def fall(scene: Scene) -> None:
    scene.model.set_gravity((0.0, 0.0, -1.1 * G))


def blow(scene: Scene) -> None:
    wrench = np.zeros((scene.model.body_count, 6))
    wrench[0, 0] = 5.0
    scene.state.body_f.assign(wrench.astype(scene.dtype))


def effort(scene: Scene) -> None:
    scene.set_drive(effort={1: 5.0})


def target(scene: Scene) -> None:
    scene.set_drive(target={1: 0.01})


def target_rate(scene: Scene) -> None:
    scene.set_drive(target_rate={1: 0.1})


def stiffness(scene: Scene) -> None:
    scene.set_drive(stiffness={2: 1000.0})


def limit(scene: Scene) -> None:
    scene.set_drive(joint_limit_upper={2: -0.05})


def dry_friction(scene: Scene) -> None:
    scene.state.joint_q.numpy()  # the arm stands upright, which friction alone does not tell
    scene.set_drive(joint_friction={3: 0.0}, effort={3: 0.2})


def speed(scene: Scene) -> None:
    scene.set_velocity(0, (0.0, 0.0, 0.05))


def place(scene: Scene) -> None:
    q = scene.q
    q[:, 2] += 1e-3
    scene.state.body_q.assign(q.astype(scene.dtype))


def heavier(scene: Scene) -> None:
    mass = scene.model.body_mass.numpy()
    mass[0] *= 1.5
    scene.model.body_mass.assign(mass)
    scene.solver.notify_model_changed(it.SolverNotifyFlags.BODY_INERTIAL_PROPERTIES)


def loose(scene: Scene) -> None:
    enabled = scene.model.joint_enabled.numpy()
    enabled[1] = 0
    scene.model.joint_enabled.assign(enabled)
    scene.solver.notify_model_changed(it.SolverNotifyFlags.JOINT_PROPERTIES)


WRITES = [fall, blow, effort, target, target_rate, stiffness, limit, dry_friction, speed, place, heavier, loose]


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", PRECISIONS)
@pytest.mark.parametrize("write", WRITES, ids=[write.__name__ for write in WRITES])
def test_all_that_is_written_acts_in_the_same_step(write, dtype):
    """As in a solver that has never seen the scene at rest, from the same state with the same contacts."""
    scene, other = rested(dtype), rested(dtype)
    write(scene)
    write(other)
    other.solver = it.SolverXPBD(other.model, iterations=other.iterations, substeps=SUBSTEPS)
    for one in (scene, other):
        one.run(DT)
    assert scene.qd.any()
    assert scene.qd == pytest.approx(other.qd, abs=1e-9 if dtype == "float64" else 1e-5)
    for one in (scene, other):
        one.run(0.1)
    assert scene.q == pytest.approx(other.q, abs=1e-7 if dtype == "float64" else 1e-4)


def test_friction_that_is_taken_away_lets_it_slide():
    """Materials may be written without a word to the solver, as ever."""
    builder = it.ModelBuilder(gravity=(2.0, 0.0, -G))
    builder.add_ground_plane(cfg=it.ShapeConfig(mu=0.5))
    add_box(builder, MASS, HALF, (0.0, 0.0, HALF), 0.5)
    scene = Scene(builder, "float64", SUBSTEPS).run(1.0)
    assert is_at_rest(scene)
    scene.model.shape_material_mu.fill_(0.0)
    scene.run(0.5)
    assert scene.qd[0, 0] == pytest.approx(1.0, abs=2.0 * DT / SUBSTEPS)


def test_a_step_of_another_length_is_made():
    scene = rested("float64")
    scene.solver.step(scene.state, scene.state, scene.control, scene.contacts, 2 * DT)
    assert float(scene.state.data.h_last.numpy()[0]) == pytest.approx(2 * DT / SUBSTEPS)


def test_what_joints_exert_may_be_asked_for_later():
    scene = come_to_rest(Scene(walker(), "float32", SUBSTEPS))
    seen = scene.solver.observables(["body_parent_f"])
    scene.solver.step(scene.state, scene.state, scene.control, scene.contacts, DT, observables=seen)
    on_foot = scene.force_on(1, -1) + seen.body_parent_f.numpy()[1, :3] - [0.0, 0.0, MASS * G]
    assert on_foot == pytest.approx(np.zeros(3), abs=1e-4 * G)


@pytest.mark.parametrize("dtype", PRECISIONS)
def test_what_falls_onto_it_is_felt(dtype):
    builder, mass = walker(), 0.5
    box = add_box(builder, mass, HALF, (0.0, 0.0, 0.6), 0.8)
    scene = Scene(builder, dtype, SUBSTEPS)
    wrench = np.zeros((scene.model.body_count, 6))
    wrench[box, 2] = mass * G
    scene.state.body_f.assign(wrench.astype(dtype))
    come_to_rest(scene)
    scene.state.body_f.zero_()
    scene.run(2.0)
    upward = scene.force_on(1, -1) + scene.force_on(2, -1)
    assert upward[2] == pytest.approx((4.1 + mass) * G, rel=1e-4)


def pivoted(dtype: str, up: bool) -> Scene:
    """Return a weight of 1 kg on a rod of 1 m, above its hinge or below, and far above a floor."""
    builder = it.ModelBuilder()
    builder.add_ground_plane(height=-5.0)
    z = 1.0 if up else -1.0
    body = builder.add_link(xform=it.Pose([0.0, 0.0, z]), mass=1.0, inertia=np.diag([1e-4, 1e-4, 1e-4]))
    builder.add_shape_sphere(body, radius=0.01, cfg=it.ShapeConfig(density=0.0))
    builder.add_joint_revolute(-1, body, it.Pose(), it.Pose([0.0, 0.0, -z]), axis=(0.0, 1.0, 0.0))
    return Scene(builder, dtype, SUBSTEPS)


def tau_of_pivoted() -> float:
    return float(np.sqrt((1.0 + 1e-4) / G))


def slid(dtype: str, **drive: float) -> Scene:
    """Return 1 kg on a level slide far above a floor."""
    builder = it.ModelBuilder()
    builder.add_ground_plane(height=-5.0)
    body = builder.add_link(mass=1.0, inertia=np.diag([1e-2, 1e-2, 1e-2]))
    builder.add_shape_sphere(body, radius=0.05, cfg=it.ShapeConfig(density=0.0))
    builder.add_joint_prismatic(-1, body, axis=(1.0, 0.0, 0.0), **drive)
    return Scene(builder, dtype, SUBSTEPS)


@pytest.mark.parametrize("dtype", PRECISIONS)
@pytest.mark.parametrize("speed", [1e-3, 1e-8])
def test_a_rod_that_stands_on_its_tip_falls(speed, dtype):
    """What it is off by grows by exp(t / tau): what is slow now need not stay so."""
    scene = pivoted(dtype, True)
    scene.set_velocity(0, (speed, 0.0, 0.0), (0.0, speed, 0.0))
    scene.run(1.0)
    exact = speed * tau_of_pivoted() * np.sinh(1.0 / tau_of_pivoted())
    assert scene.state.joint_q.numpy()[0] == pytest.approx(exact, rel=2e-2)


@pytest.mark.parametrize(
    ("dtype", "speed"), [("float64", 1e-3), ("float64", 1e-8), ("float32", 1e-3), ("float32", 1e-7)]
)
def test_a_small_swing_goes_on(dtype, speed):
    """It turns round at every half period, where it is as slow as what is at rest."""
    scene, found = pivoted(dtype, False), []
    scene.set_velocity(0, (-speed, 0.0, 0.0), (0.0, speed, 0.0))
    for _ in range(480):
        scene.run(DT)
        found.append(scene.state.joint_q.numpy()[0])
    exact = speed * tau_of_pivoted() * np.sin(DT * np.arange(1, 481) / tau_of_pivoted())
    assert found == pytest.approx(exact, abs=1e-2 * speed)


@pytest.mark.parametrize("dtype", PRECISIONS)
@pytest.mark.parametrize("push", [1e-5, 1e-8])
def test_the_smallest_push_moves_what_nothing_holds(push, dtype):
    scene = slid(dtype).run(0.25)
    scene.set_drive(effort={0: push})
    scene.run(4.0)
    assert scene.state.joint_q.numpy()[0] == pytest.approx(0.5 * push * 16.0, rel=5e-3)


@pytest.mark.parametrize("dtype", PRECISIONS)
@pytest.mark.parametrize("speed", [1e-7, 1e-9])
def test_what_moves_slowly_at_a_constant_speed_goes_on(speed, dtype):
    scene = slid(dtype, target_kd=100.0, target_vel=speed).run(5.0)
    assert scene.state.joint_q.numpy()[0] == pytest.approx(5.0 * speed, rel=1e-2)


@pytest.mark.parametrize("dtype", PRECISIONS)
def test_what_creeps_to_its_target_gets_there(dtype):
    """Its damper holds it up so that half a second takes it nearer by a third of the way, down to 1e-9 m."""
    scene = slid(dtype, target_ke=100.0, target_kd=100.0, target_pos=1e-4).run(3.0)
    assert 1e-4 - scene.state.joint_q.numpy()[0] == pytest.approx(1e-4 * np.exp(-3.0), rel=3e-2)
    scene.run(9.0)
    assert scene.state.joint_q.numpy()[0] == pytest.approx(1e-4, abs=2e-9)


@pytest.mark.parametrize("dtype", PRECISIONS)
def test_a_rotor_on_what_is_at_rest_begins_to_turn(dtype):
    """So slowly that the bodies tell nothing of it for a while."""
    builder, effort, armature = it.ModelBuilder(), 1e-6, 0.01
    builder.add_ground_plane()
    box = add_box(builder, 20.0, 2 * HALF, (0.0, 0.0, 2 * HALF))
    rotor = builder.add_link(xform=it.Pose([0.0, 0.0, 0.4]), mass=1.0, inertia=1e-6 * np.eye(3))
    builder.add_joint_revolute(
        box, rotor, it.Pose([0.0, 0.0, 0.4 - 2 * HALF]), it.Pose(), axis=(0.0, 0.0, 1.0), armature=armature
    )
    scene = Scene(builder, dtype, 1).run(1.0)
    scene.set_drive(effort={rotor: effort})
    scene.run(10.0)
    angle = scene.state.joint_q.numpy()[scene.dof_above(rotor)]
    assert angle == pytest.approx(0.5 * effort / (armature + 1e-6) * 100.0, rel=1e-2)


@pytest.mark.parametrize("dtype", ["float64", pytest.param("float32", marks=pytest.mark.slow)])
def test_what_a_soft_body_held_down_slides_without_it(dtype):
    """Friction holds a pull of 6 N under the weight of both only."""
    builder, pull = it.ModelBuilder(), 6.0
    builder.add_ground_plane(cfg=it.ShapeConfig(mu=0.5))
    slab = builder.add_link(xform=it.Pose([0.0, 0.0, HALF]))
    builder.add_shape_box(slab, hx=0.3, hy=0.3, hz=HALF, cfg=it.ShapeConfig(density=MASS / 0.036, mu=0.5))
    builder.add_soft_grid(
        pos=(-0.1, -0.1, 2 * HALF), rot=(0, 0, 0, 1), vel=(0, 0, 0), dim_x=2, dim_y=2, dim_z=2,
        cell_x=0.1, cell_y=0.1, cell_z=0.1, density=200.0, k_mu=2e4, k_lambda=2e4, k_damp=100.0,
    )  # fmt: skip
    scene = Scene(builder, dtype, 8)
    scene.state.body_f.assign(np.array([[pull, 0.0, 0.0, 0.0, 0.0, 0.0]], dtype=dtype))
    scene.run(2.0)
    x, particles = scene.q[slab, 0], scene.state.particle_q.numpy()
    particles[:, 2] += 50.0
    scene.state.particle_q.assign(particles)
    scene.run(0.5)
    assert scene.q[slab, 0] - x == pytest.approx(0.125 * (pull - 0.5 * MASS * G), rel=1e-2)
    assert scene.force_on(slab, -1)[2] == pytest.approx(MASS * G, rel=1e-4)


@pytest.mark.parametrize("dtype", PRECISIONS)
def test_worlds_of_other_gravity_do_not_tell_what_is_slow(dtype):
    world, builder, gravity = it.ModelBuilder(), it.ModelBuilder(), 1e-3
    world.add_ground_plane(height=-5.0)
    add_box(world, MASS, HALF, (0.0, 0.0, 0.0))
    for _ in range(2):
        builder.add_world(world)
    scene = Scene(builder, dtype, SUBSTEPS)
    scene.model.gravity.assign(np.array([[0.0, 0.0, -gravity], [0.0, 0.0, -1e4]], dtype=dtype))
    scene.solver.notify_model_changed(it.SolverNotifyFlags.MODEL_PROPERTIES)
    scene.run(0.5)
    assert scene.q[0, 2] == pytest.approx(-0.125 * gravity, rel=1e-2)


def hung(kind: str) -> it.ModelBuilder:
    """Return a box that hangs on a kinematic one."""
    builder = it.ModelBuilder()
    builder.add_ground_plane(height=-5.0)
    base = builder.add_link(xform=it.Pose([0.0, 0.0, 1.0]), is_kinematic=True)
    builder.add_shape_box(base, hx=HALF, hy=HALF, hz=HALF)
    box = add_box(builder, MASS, HALF, (0.0, 0.0, 0.5))
    getattr(builder, f"add_joint_{kind}")(base, box, it.Pose(), it.Pose([0.0, 0.0, 0.5]))
    return builder


@pytest.mark.parametrize("dtype", PRECISIONS)
@pytest.mark.parametrize("kind", ["fixed", "ball", "revolute"])
def test_what_hangs_on_a_kinematic_body_goes_along(kind, dtype):
    scene = come_to_rest_of(Scene(hung(kind), dtype, SUBSTEPS), [1])
    scene.set_velocity(0, (0.05, 0.0, 0.0))
    scene.run(1.0)
    assert scene.q[1, 0] == pytest.approx(0.05, abs=0.02)


@pytest.mark.parametrize("dtype", PRECISIONS)
def test_a_joint_without_freedom_lets_go(dtype):
    scene = come_to_rest_of(Scene(hung("fixed"), dtype, SUBSTEPS), [1])
    enabled = scene.model.joint_enabled.numpy()
    enabled[-1] = 0
    scene.model.joint_enabled.assign(enabled)
    scene.solver.notify_model_changed(it.SolverNotifyFlags.JOINT_PROPERTIES)
    scene.run(0.5)
    assert scene.q[1, 2] == pytest.approx(0.5 - 0.5 * G * 0.25, rel=1e-2)


def come_to_rest_of(scene: Scene, bodies: list[int]) -> Scene:
    """Step a scene until some of its bodies are at rest."""
    for _ in range(round(TIME / 0.5)):
        if (scene.run(0.5).state.data.rest.numpy()[bodies] > 0.0).all():
            return scene
    raise AssertionError("they do not come to rest")


@pytest.mark.parametrize("dtype", PRECISIONS)
def test_what_falls_beside_what_is_at_rest_falls_on(dtype):
    """Both may meet a plate that moves, so that they are stepped together."""
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    add_box(builder, MASS, 0.02, (0.0, 0.0705, 0.02))
    add_box(builder, MASS, HALF, (0.0, 0.0, 3 * HALF))
    plate = builder.add_link(xform=it.Pose([0.0, 0.0, HALF]), is_kinematic=True)
    builder.add_shape_box(plate, hx=HALF, hy=HALF, hz=HALF)
    scene = come_to_rest_of(Scene(builder, dtype, SUBSTEPS), [0, 1])
    scene.set_velocity(plate, (0.05, 0.0, 0.0))
    scene.run(1.0)
    assert scene.q[1, 0] == pytest.approx(0.05, abs=1e-3)


@pytest.mark.parametrize("dtype", PRECISIONS)
def test_forces_are_reported_where_contacts_are_looked_for_before_each_step(dtype):
    """As programs for Newton do; what is looked for has no forces yet."""
    scene = rested(dtype)
    for _ in range(5):
        scene.model.collide(scene.state, scene.contacts)
        scene.run(DT)
        upward = scene.force_on(1, -1) + scene.force_on(2, -1)
        assert upward == pytest.approx([0.0, 0.0, 4.1 * G], abs=1e-4 * G)


def box_at_rest(dtype: str) -> Scene:
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    add_box(builder, MASS, HALF, (0.0, 0.0, HALF))
    return come_to_rest(Scene(builder, dtype, SUBSTEPS))


@pytest.mark.parametrize("dtype", PRECISIONS)
def test_two_states_take_turns_with_the_same_contacts(dtype):
    scene = box_at_rest(dtype)
    other, seen = scene.model.state(), []
    other.assign(scene.state)
    other.body_f.assign(np.array([[0.0, 0.0, -50.0, 0.0, 0.0, 0.0]], dtype=dtype))
    mine = scene.state
    for n in range(60):
        scene.state = (mine, other)[n % 2]
        scene.run(DT)
        seen.append(scene.force_on(0, -1)[2])
    assert seen[-2:] == pytest.approx([MASS * G, MASS * G + 50.0], rel=1e-4)


@pytest.mark.parametrize("dtype", PRECISIONS)
def test_a_state_that_is_brought_back_reports_its_own_forces(dtype):
    scene = box_at_rest(dtype)
    start = scene.model.state()
    start.assign(scene.state)
    scene.state.body_f.assign(np.array([[0.0, 0.0, -100.0, 0.0, 0.0, 0.0]], dtype=dtype))
    scene.run(0.5)
    scene.state.assign(start)
    scene.run(0.5)
    assert scene.force_on(0, -1)[2] == pytest.approx(MASS * G, rel=1e-4)


def test_both_states_hear_of_other_parameters():
    scene = come_to_rest_of(Scene(hung("fixed"), "float64", SUBSTEPS), [1])
    other = scene.model.state()
    other.assign(scene.state)
    scene.solver.change_parameter("joint_linear_compliance", 1e-3)
    for _ in range(480):
        for state in (scene.state, other):
            scene.solver.step(state, state, scene.control, scene.contacts, DT)
    sagged = scene.state.body_q.numpy()[1, 2]
    assert sagged < 0.5 - 5e-3
    assert other.body_q.numpy()[1, 2] == pytest.approx(sagged, abs=1e-9)


@pytest.mark.parametrize("dtype", PRECISIONS)
def test_coordinates_that_are_written_are_read_from_the_bodies_again(dtype):
    scene = rested(dtype)
    joint_q, joint_qd = scene.state.joint_q.numpy().copy(), scene.state.joint_qd.numpy().copy()
    scene.state.joint_q.fill_(3.0)
    scene.state.joint_qd.fill_(5.0)
    scene.run(DT)
    assert scene.state.joint_q.numpy() == pytest.approx(joint_q, abs=1e-6)
    assert scene.state.joint_qd.numpy() == pytest.approx(joint_qd, abs=1e-5)


def test_a_state_that_reports_what_joints_exert_may_come_later():
    scene = come_to_rest(Scene(walker(), "float64", SUBSTEPS))
    scene.model.request_state_attributes("body_parent_f")
    other = scene.model.state()
    scene.solver.step(scene.state, other, scene.control, scene.contacts, DT)
    on_foot = scene.force_on(1, -1) + other.body_parent_f.numpy()[1, :3] - [0.0, 0.0, MASS * G]
    assert on_foot == pytest.approx(np.zeros(3), abs=1e-6)


@pytest.mark.parametrize("dtype", PRECISIONS)
@pytest.mark.parametrize("way", ["velocity", "poses"])
def test_a_kinematic_body_moves_on_among_what_is_at_rest(way, dtype):
    """It comes to one of two boxes that it may meet, and pushes that along."""
    builder, speed = it.ModelBuilder(), 0.2
    builder.add_ground_plane()
    for x in (-0.4, 0.4):
        add_box(builder, MASS, HALF, (x, 0.0, HALF))
    led = builder.add_link(xform=it.Pose([0.0, 0.0, 2 * HALF]), is_kinematic=True)
    builder.add_shape_box(led, hx=HALF, hy=HALF, hz=HALF)
    scene = Scene(builder, dtype, SUBSTEPS).run(0.25)
    assert (scene.state.data.rest.numpy()[:2] > 0.0).all()
    start = scene.q
    for n in range(1, 481):
        if way == "velocity":
            scene.set_velocity(led, (speed, 0.0, 0.0))
        else:
            q = scene.q
            q[led, 0] = speed * n * DT
            scene.state.body_q.assign(q.astype(dtype))
        scene.run(DT)
    assert scene.q[led, 0] == pytest.approx(2.0 * speed, abs=1e-5)
    assert scene.q[1, 0] == pytest.approx(2.0 * speed + 2 * HALF, abs=1e-3)
    assert (scene.q[0] == start[0]).all()


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", PRECISIONS)
@pytest.mark.parametrize(("axis", "times"), [(2, 1.5), (2, 1.9), (0, 0.6)])
def test_a_force_that_sets_in_as_a_body_comes_to_rest_acts(axis, times, dtype):
    """Half of it acts in the step in which it sets in, and that may still be held: the body lay there for ever."""
    for steps in range(1, 13):
        builder = it.ModelBuilder()
        builder.add_ground_plane(cfg=it.ShapeConfig(mu=0.4))
        add_box(builder, MASS, HALF, (0.0, 0.0, HALF), 0.4)
        run = Scene(builder, dtype, 1, dt=1 / 60).run(steps / 60)
        force = np.zeros((1, 6))
        force[0, axis] = times * MASS * G
        run.state.body_f.assign(force)
        assert abs(run.run(0.25).qd[0, axis]) > 0.1
