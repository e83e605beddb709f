# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A body that is put elsewhere, as programs that learn reset robots, goes on as one that starts there."""

import numpy as np
import pytest
from scipy.linalg import expm

import inertia_tools as it
from inertia_tools.spatial import Pose

STEPS = [(1 / 60, 1), (1 / 240, 4), (1 / 1000, 1)]
G = 9.81


def put(run, position, joint_q=None, quaternion=(0.0, 0.0, 0.0, 1.0)):
    """Write the place of the only body, at rest."""
    run.state.body_q.assign(np.array([[*position, *quaternion]]))
    run.state.body_qd.assign(np.zeros((1, 6)))
    if joint_q is not None:
        run.state.joint_q.assign(np.array([joint_q]))
        run.state.joint_qd.assign(np.zeros(1))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("dt", "substeps"), STEPS)
def test_what_rested_falls_from_where_it_is_put(scene, dt, substeps, dtype):
    """The floor held it half a substep longer."""
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    builder.add_shape_box(builder.add_link(xform=Pose(np.array([0.0, 0.0, 0.1]))), hx=0.1, hy=0.1, hz=0.1)
    run = scene(builder, dtype, substeps, dt=dt).run(0.2)
    put(run, (0.0, 0.0, 2.0))
    run.run(0.3)
    assert run.q[0, 2] == pytest.approx(2.0 - G * 0.3**2 / 2.0, abs=1e-6)
    assert run.qd[0, 2] == pytest.approx(-G * 0.3, abs=1e-5)


@pytest.mark.parametrize(("dt", "substeps"), STEPS)
def test_a_pendulum_swings_from_where_it_is_put_as_from_a_start(scene, dt, substeps):
    """It kept the acceleration that it had somewhere else: 3e-3 rad off after half a second, at 1/240 s."""

    def angle(seconds_before):
        builder = it.ModelBuilder()
        body = builder.add_link(mass=1.0, com=(0.0, 0.0, -1.0), inertia=1e-3 * np.eye(3))
        builder.add_joint_revolute(-1, body, axis=(0, 1, 0))
        run = scene(builder, "float64", substeps, dt=dt)
        for seconds in (0.0, seconds_before):
            run.run(seconds)
            put(run, (0.0, 0.0, 0.0), 1.0, (0.0, np.sin(0.5), 0.0, np.cos(0.5)))
        return run.run(0.5).joint_q[0]

    assert angle(0.7) == pytest.approx(angle(0.0), abs=1e-12)


@pytest.mark.parametrize(("dt", "substeps"), STEPS)
@pytest.mark.parametrize("law", ["spring", "drive"])
def test_laws_of_joints_set_in_where_a_body_is_put(scene, law, dt, substeps):
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    body = builder.add_link(mass=2.0, inertia=0.1 * np.eye(3))
    options = {"spring": {"stiffness": 8.0}, "drive": {"target_kd": 4.0, "target_vel": 3.0}}[law]
    builder.add_joint_prismatic(-1, body, axis=(0, 0, 1), **options)
    run = scene(builder, "float64", substeps, dt=dt).run(0.2)
    put(run, (0.0, 0.0, 1.0), 1.0)
    t = 0.3
    exact = {"spring": np.cos(2.0 * t), "drive": 1.0 + 3.0 * (t - (1.0 - np.exp(-2.0 * t)) / 2.0)}[law]
    assert run.run(t).q[0, 2] == pytest.approx(exact, abs=1e-4 * 60.0 * dt)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("dt", "substeps"), STEPS)
@pytest.mark.parametrize("push", [0.0, 20.0])
def test_what_rested_flies_as_it_is_thrown(scene, push, dt, substeps, dtype):
    """The floor held it for half a substep more: it left g h / 2 too slow, 0.08 m/s at 1/60 s."""
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    body = builder.add_link(xform=Pose(np.array([0.0, 0.0, 0.1])), mass=10.0, inertia=np.eye(3), lock_inertia=True)
    builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1)
    run = scene(builder, dtype, substeps, dt=dt)
    run.state.body_f.assign(np.array([[0.0, 0.0, push, 0.0, 0.0, 0.0]]))
    run.run(0.2)
    run.state.body_qd.assign(np.array([[0.7, 0.0, 2.0, 0.0, 0.0, 0.0]]))
    start, fall = run.q[0, :3], G - push / 10.0
    run.run(0.2)
    assert run.q[0, :3] - start == pytest.approx([0.14, 0.0, 0.4 - fall * 0.02], abs=1e-6)
    assert run.qd[0, :3] == pytest.approx([0.7, 0.0, 2.0 - fall * 0.2], abs=1e-5)


def chain(links, **options):
    """Return links of half a metre, one below the other."""
    builder, parent = it.ModelBuilder(), -1
    for number in range(links):
        body = builder.add_link(mass=1.0, com=(0, 0, -0.25), inertia=0.02 * np.eye(3), xform=(0, 0, -0.5 * number))
        at = (0.0, 0.0, -0.5 if number else 0.0)
        builder.add_joint_revolute(parent, body, axis=(0, 1, 0), parent_xform=at, **options)
        parent = body
    return builder


def stack(count):
    builder, cfg = it.ModelBuilder(), it.ShapeConfig(mu=0.8)  # with 1.0 a box that slides is about to tip
    builder.add_ground_plane(cfg=cfg)
    for number in range(count):
        builder.add_shape_box(builder.add_link(xform=(0.0, 0.0, 0.1 + 0.2 * number)), hx=0.1, hy=0.1, hz=0.1, cfg=cfg)
    return builder


def robot():
    """Return a plate on the floor with an upright arm of two driven links."""
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    parent, at = builder.add_link(xform=(0, 0, 0.1)), 0.1
    builder.add_shape_box(parent, hx=0.3, hy=0.3, hz=0.1)
    builder.add_joint_free(parent)
    for number in range(2):
        link = builder.add_link(mass=1.0, com=(0, 0, 0.2), inertia=0.02 * np.eye(3), xform=(0, 0, 0.2 + 0.4 * number))
        frame = {"parent_xform": (0.0, 0.0, at), "axis": (0, 1, 0)}
        builder.add_joint_revolute(parent, link, target_ke=100.0, target_kd=5.0, **frame)
        parent, at = link, 0.4
    return builder


def plate():
    """Return a box on a kinematic plate."""
    builder = it.ModelBuilder()
    plate = builder.add_body(xform=(0.0, 0.0, 0.1), is_kinematic=True)
    builder.add_shape_box(plate, hx=0.5, hy=0.5, hz=0.1)
    builder.add_shape_box(builder.add_link(xform=(0.0, 0.0, 0.3)), hx=0.1, hy=0.1, hz=0.1)
    return builder


def trolley():
    """Return a damped pendulum on a kinematic body."""
    builder = it.ModelBuilder()
    trolley = builder.add_body(is_kinematic=True)
    body = builder.add_link(mass=1.0, com=(0, 0, -0.5), inertia=0.02 * np.eye(3))
    builder.add_joint_revolute(trolley, body, axis=(0, 1, 0), damping=1.0)
    return builder


def spinner():
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    builder.add_link(mass=1.0, inertia=np.eye(3))
    return builder


WRITTEN = {
    "a damped rotation is stopped": (spinner, [0, 0, 0, 0, 0, 3.0], 0, ("body_qd", 0, [0.0] * 6)),
    "a damped joint is stopped": (lambda: chain(1, damping=1.0), [0, 0, 0, 0, 6.0, 0], 0, ("body_qd", 0, [0.0] * 6)),
    "a drive is stopped": (lambda: chain(1, target_kd=1.0), [0, 0, 0, 0, 6.0, 0], 0, ("body_qd", 0, [0.0] * 6)),
    "a swinging chain is stopped": (lambda: chain(2), [0, 0, 0, 0, 6.0, 0], 0, ("body_qd", slice(2), [0.0] * 6)),
    "a box is pushed along": (lambda: stack(1), None, 0, ("body_qd", (0, 0), 2.0)),
    "the middle of a stack jumps": (lambda: stack(3), None, 0, ("body_qd", (1, 2), 1.0)),
    "the lowest of a stack is put on top": (lambda: stack(3), None, 0, ("body_q", (0, 2), 0.72)),
    "a robot jumps": (robot, None, 0, ("body_qd", (slice(3), 2), 1.0)),
    "a plate begins to slide": (plate, None, 0, ("body_qd", (0, 0), 1.0)),
    "a plate is put elsewhere": (plate, None, 0, ("body_q", (0, 0), 5.0)),
    "a trolley sets off": (trolley, [0, 0, 0, 0, 2.0, 0], 1, ("body_qd", (0, 0), 1.0)),
    "a link is put off its joint": (lambda: chain(2), None, 0, ("body_q", (1, 0), 0.05)),
}


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("dt", "substeps"), STEPS)
@pytest.mark.parametrize("what", WRITTEN)
def test_a_written_state_goes_on_as_a_start_from_there(what, dt, substeps, dtype):
    """Accelerations of the old velocity went on for half a substep: up to 8e-2 m/s and 3e-1 rad/s were left.

    All bodies of an island start anew, as impulses between them are those of one time.
    """
    made, initial, body, (name, at, values) = WRITTEN[what]
    model = made().finalize(dtype=dtype)

    def start():
        solver = it.SolverXPBD(model, substeps=substeps, angular_damping=10.0 if made is spinner else 0.0)
        return solver, model.state(), model.contacts()

    solver, state, contacts = start()
    if initial is not None:
        velocities = state.body_qd.numpy()
        velocities[body] = initial
        state.body_qd.assign(velocities)
    for _ in range(round(0.2 / dt)):
        solver.step(state, state, None, contacts, dt)
    written = getattr(state, name).numpy()
    written[at] = values
    getattr(state, name).assign(written)
    other_solver, other, others = start()
    for array in ("body_q", "body_qd", "joint_q", "joint_qd"):
        getattr(other, array).assign(getattr(state, array).numpy())
    most = 1e-7 if dtype == "float64" else 1e-5
    for step in range(round(0.1 / dt)):
        solver.step(state, state, None, contacts, dt)
        other_solver.step(other, other, None, others, dt)
        assert state.body_q.numpy() == pytest.approx(other.body_q.numpy(), abs=most), step
        assert state.body_qd.numpy() == pytest.approx(other.body_qd.numpy(), abs=100.0 * most), step


@pytest.mark.parametrize(("dt", "substeps"), STEPS)
def test_what_rests_presses_with_its_weight_as_it_is_put_down(dt, substeps):
    """The floor under the box below reported half a substep less: half of the weight with one substep."""
    model = stack(2).finalize(dtype="float64")
    solver, state, contacts = it.SolverXPBD(model, substeps=substeps), model.state(), model.contacts()
    placed = state.body_q.numpy().copy()
    state.body_q.assign(placed + [[0.0] * 7, [0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 0.0]])
    for _ in range(round(0.1 / dt)):
        solver.step(state, state, None, contacts, dt)
    state.body_q.assign(np.array([state.body_q.numpy()[0], placed[1]]))
    state.body_qd.zero_()
    weight = G * model.body_mass.numpy()[0]
    for _ in range(3):
        solver.step(state, state, None, contacts, dt)
        bodies = contacts.slot_bodies
        forces = np.abs(contacts.data.force.numpy()[: len(bodies), 2])
        on_floor = (bodies < 0).any(axis=1)
        assert forces[on_floor].sum() == pytest.approx(2.0 * weight, rel=1e-6)
        assert forces[~on_floor].sum() == pytest.approx(weight, rel=1e-6)


@pytest.mark.parametrize(("dt", "substeps"), STEPS)
def test_a_ball_struck_at_rest_on_another_leaves_by_the_law_of_impacts(dt, substeps):
    """Its support acted for half a substep more: 1.5e-3 m/s too fast at 1/60 s with one."""
    builder = it.ModelBuilder()
    cfg = it.ShapeConfig(restitution=0.8, density=1000.0)
    builder.add_ground_plane(cfg=cfg)
    for height in (0.1, 0.3):
        builder.add_shape_sphere(builder.add_link(xform=(0.0, 0.0, height)), radius=0.1, cfg=cfg)
    model = builder.finalize(dtype="float64")
    solver = it.SolverXPBD(model, substeps=substeps, enable_restitution=True)
    state, contacts = model.state(), model.contacts()
    for _ in range(round(0.1 / dt)):
        solver.step(state, state, None, contacts, dt)
    state.body_qd.assign(np.array([[0.0] * 6, [0.0, 0.0, -2.0, 0.0, 0.0, 0.0]]))
    # the lower ball takes 0.9 of the speed, 1.8 m/s, bounces with 1.44 m/s, and strikes the upper one at 1.24 m/s more
    for step in range(3):
        solver.step(state, state, None, contacts, dt)
        assert state.body_qd.numpy()[1, 2] + G * dt * (step + 1) == pytest.approx(-0.2 + 0.9 * 1.64, abs=1e-9)


@pytest.mark.parametrize(("dt", "substeps"), STEPS)
def test_angular_damping_sets_in_with_the_velocity(dt, substeps):
    """It acted for a whole substep in the first one, which begins in its middle: 4 % too little at 1/60 s."""
    model = spinner().finalize(dtype="float64")
    solver, state = it.SolverXPBD(model, substeps=substeps, angular_damping=5.0), model.state()
    state.body_qd.assign(np.array([[0.0, 0.0, 0.0, 0.0, 0.0, 2.0]]))
    for _ in range(round(0.3 / dt)):
        solver.step(state, state, None, None, dt)
    angle = 2.0 * np.arctan2(*state.body_q.numpy()[0, 5:])
    assert angle == pytest.approx(2.0 / 5.0 * (1.0 - np.exp(-1.5)), rel=(5.0 * dt / substeps) ** 2 / 12.0)


@pytest.mark.parametrize(("dt", "substeps"), STEPS)
def test_velocities_after_the_first_step_are_those_of_its_end(scene, dt, substeps):
    """With one substep they lacked half of what forces at the start added: g h / 4 at rest, against the floor."""
    run = scene(stack(1), "float64", substeps, dt=dt)
    run.run(dt)
    assert np.abs(run.qd).max() < 1e-9
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    builder.add_link(mass=2.0, inertia=np.eye(3))
    run = scene(builder, "float64", substeps, dt=dt)
    run.state.body_f.assign(np.array([[6.0, 0.0, 0.0, 0.0, 0.0, 4.0]]))
    run.run(dt)
    assert run.qd[0] == pytest.approx(dt * np.array([3.0, 0.0, 0.0, 0.0, 0.0, 4.0]), rel=1e-9)


def heap(mode):
    builder = it.ModelBuilder()
    builder.broad_phase = mode
    builder.add_ground_plane()
    for number in range(4):
        body = builder.add_link(xform=(0.03 * number, 0.02 * number, 0.12 + 0.23 * number))
        if number % 2:
            builder.add_shape_sphere(body, radius=0.1)
        else:
            builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1)
    return builder


def cloth_on_a_box():
    builder = heap("list")
    cell = {"cell_x": 0.08, "cell_y": 0.08, "dim_x": 3, "dim_y": 3}
    builder.add_cloth_grid(
        pos=(0.5, 0.0, 0.25), rot=(0, 0, 0, 1), vel=(0, 0, 0), mass=0.02, particle_radius=0.02, **cell
    )
    builder.add_shape_box(builder.add_link(xform=(0.6, 0.1, 0.1)), hx=0.1, hy=0.1, hz=0.1)
    return builder


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("made", [lambda: heap("list"), lambda: heap("search"), cloth_on_a_box])
def test_a_state_and_cleared_contacts_are_a_start_to_the_bit(scene, made, dtype):
    """Contacts kept impulses and anchors of friction through a jump of the state: 3e-3 m off after 80 steps."""
    run = scene(made(), dtype, 4, dt=1 / 240).run(0.25)
    saved = run.model.state()
    saved.assign(run.state)

    def run_on(contacts):
        run.state.assign(saved)
        for _ in range(60):
            run.solver.step(run.state, run.state, None, contacts, 1 / 240)
        particles = run.state.particle_q.numpy() if run.model.particle_count else []
        return [*run.state.body_q.numpy().ravel(), *np.ravel(particles)]

    first, kept = run_on(run.model.contacts()), run.contacts
    for _ in range(2):
        kept.clear()
        assert run_on(kept) == first


def table():
    """Return a plate on four legs, which drives hold out."""
    builder, cfg = it.ModelBuilder(), it.ShapeConfig(density=400.0)
    builder.add_ground_plane()
    plate = builder.add_link(xform=(0.0, 0.0, 0.4))
    builder.add_shape_box(plate, hx=0.3, hy=0.2, hz=0.02, cfg=cfg)
    builder.add_joint_free(plate)
    for x, y in [(-0.25, -0.15), (-0.25, 0.15), (0.25, -0.15), (0.25, 0.15)]:
        leg = builder.add_link(xform=(x, y, 0.2))
        builder.add_shape_box(leg, hx=0.02, hy=0.02, hz=0.2, cfg=cfg)
        frames = {"parent_xform": (x, y, 0.0), "child_xform": (0.0, 0.0, 0.2)}
        builder.add_joint_prismatic(plate, leg, axis=(0, 0, 1), target_ke=1000.0, target_kd=50.0, **frames)
    return builder


@pytest.mark.parametrize("dt", [1 / 60, 1 / 240])
@pytest.mark.parametrize("substeps", [1, 2, 4])
def test_a_robot_moves_by_what_is_written_in_every_step(scene, dt, substeps):
    """In a start the drives bore the whole weight, and gravity acted for half of it: 0.08 m/s and 5 mm."""
    run, noise = scene(table(), "float64", substeps, dt=dt).run(3.0), np.random.default_rng(1)
    start, fastest = run.q[:, :3], 0.0
    for _ in range(round(1.0 / dt)):
        velocities = run.qd
        velocities[0] += 1e-6 * noise.normal(size=6)
        run.state.body_qd.assign(velocities)
        run.run(dt)
        fastest = max(fastest, np.abs(run.qd[:, :3]).max())
    assert fastest < 1e-4
    assert run.q[:, :3] == pytest.approx(start, abs=1e-6)


@pytest.mark.sweep
@pytest.mark.parametrize(("dt", "substeps", "most"), [(1 / 60, 1, 1e-2), (1 / 240, 1, 2.5e-3), (1 / 240, 4, 1e-4)])
@pytest.mark.parametrize("law", ["spring", "damper", "drive"])
def test_laws_of_joints_hold_while_velocities_are_written(scene, law, dt, substeps, most):
    """With one substep a drive was off by 0.05 m, at any length of the step."""
    options, stiffness, damping = {
        "spring": ({"stiffness": 8.0}, 4.0, 0.0),
        "damper": ({"damping": 4.0}, 0.0, 2.0),
        "drive": ({"target_ke": 200.0, "target_kd": 20.0}, 100.0, 10.0),
    }[law]
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    body = builder.add_link(mass=2.0, inertia=0.1 * np.eye(3))
    builder.add_joint_prismatic(-1, body, axis=(0, 0, 1), **options)
    run = scene(builder, "float64", substeps, dt=dt)
    put(run, (0.0, 0.0, 0.5), 0.5)
    for number in range(round(1.0 / dt)):
        velocities = run.qd
        velocities[0, 2] = velocities[0, 2] * (1.0 + 1e-12) if number else 1.0
        run.state.body_qd.assign(velocities)
        run.run(dt)
        exact = expm((number + 1) * dt * np.array([[0.0, 1.0], [-stiffness, -damping]])) @ (0.5, 1.0)
        assert run.q[0, 2] == pytest.approx(exact[0], abs=most)
