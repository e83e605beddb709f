# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Drives, springs, rotors, dry friction and limits of effort and rate, by their closed forms."""

import numpy as np
import pytest
from scenes import DT, G, Scene, pendulum

import inertia_tools as it

INERTIA = 0.5


def wheel(slides=False, **joint):
    """A body on a hinge about z, or on a slide along it, without gravity; the same inertia either way."""
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    body = builder.add_link(mass=INERTIA, inertia=INERTIA * np.eye(3))
    add = builder.add_joint_prismatic if slides else builder.add_joint_revolute
    add(-1, body, axis=(0, 0, 1), **joint)
    return builder


def position(scene):
    return float(scene.state.joint_q.numpy()[0])


def rate(scene):
    return float(scene.state.joint_qd.numpy()[0])


@pytest.mark.parametrize("slides", [False, True])
@pytest.mark.parametrize("substeps", [2, 5, 13])
def test_step_of_a_drive_is_that_of_a_damped_oscillator(slides, substeps):
    ke, kd = 50.0, 2.0
    scene = Scene(wheel(slides, target_pos=1.0, target_ke=ke, target_kd=kd), substeps=substeps)
    decay, natural = kd / (2 * INERTIA), np.sqrt(ke / INERTIA)
    fast = np.sqrt(natural**2 - decay**2)
    worst = 0.0
    for step in range(1, 241):
        t = step * DT
        exact = 1.0 - np.exp(-decay * t) * (np.cos(fast * t) + decay / fast * np.sin(fast * t))
        worst = max(worst, abs(position(scene.run(DT)) - exact))
    assert worst < 1e-4


@pytest.mark.parametrize("omega", [1.0, 5.0, 10.0, 20.0])
def test_drive_answers_an_oscillating_target_with_the_right_gain_and_phase(omega):
    """H = ke / (ke - I w^2 + i w kd), of a target that is held over each step: its mean lags half a step."""
    ke, kd = 50.0, 2.0
    scene = Scene(wheel(target_ke=ke, target_kd=kd), substeps=5)
    settle = int(np.ceil(8.0 / DT))
    whole = int(np.ceil(4 * 2 * np.pi / omega / DT))
    times, answers = [], []
    for step in range(settle + whole):
        t = step * DT
        scene.control.joint_target_pos.assign(np.array([np.sin(omega * (t + 0.5 * DT))]))
        scene.run(DT)
        if step >= settle:
            times.append(t + DT)
            answers.append(position(scene))
    waves = np.column_stack([np.sin(omega * np.array(times)), np.cos(omega * np.array(times))])
    a, b = np.linalg.lstsq(waves, np.array(answers), rcond=None)[0]
    held = np.sinc(omega * DT / 2.0 / np.pi)  # amplitude of the fundamental of a target in steps
    exact = held * ke / (ke - INERTIA * omega**2 + 1j * omega * kd)
    assert abs(complex(a, b) - exact) < 2e-4 * abs(exact)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("slides", [False, True])
def test_a_soft_spring_swings_in_short_substeps_too(slides, dtype):
    """Over a substep of 1/12000 s it is 1e-7 of the inertia that it moves, as much as single precision can tell."""
    scene = Scene(wheel(slides, target_pos=1.0, target_ke=50.0), dtype=dtype, substeps=50)
    for step in range(1, 121):
        exact = 1.0 - np.cos(np.sqrt(50.0 / INERTIA) * step * DT)
        assert position(scene.run(DT)) == pytest.approx(exact, abs=2e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_two_soft_springs_of_one_joint_swing_alone(dtype):
    """A joint with several rows that give is eliminated row by row."""
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    body = builder.add_link(mass=INERTIA, inertia=INERTIA * np.eye(3))
    springs = {(1, 0, 0): 50.0, (0, 0, 1): 20.0}
    axes = [it.ModelBuilder.JointDofConfig(axis=axis, target_pos=1.0, target_ke=ke) for axis, ke in springs.items()]
    builder.add_joint_d6(-1, body, linear_axes=axes)
    scene = Scene(builder, dtype=dtype, substeps=50)
    for step in range(1, 121):
        exact = 1.0 - np.cos(np.sqrt(np.array([50.0, 20.0]) / INERTIA) * step * DT)
        assert scene.run(DT).state.joint_q.numpy() == pytest.approx(exact, abs=2e-6)


@pytest.mark.parametrize("stiffness", [1e4, 1e8])
def test_a_stiff_drive_is_stable_and_arrives(stiffness):
    scene = Scene(
        wheel(target_pos=1.0, target_ke=stiffness, target_kd=2.0 * np.sqrt(stiffness * INERTIA)), substeps=4
    ).run(1.0)
    assert position(scene) == pytest.approx(1.0, abs=1e-6)
    assert np.abs(scene.qd).max() < 1e-3


@pytest.mark.parametrize("iterations", [2, 10, 40])
def test_sag_does_not_depend_on_the_passes(iterations):
    builder = pendulum(angle=-np.pi / 2, target_ke=100.0, target_kd=20.0, target_pos=-np.pi / 2)
    q = position(Scene(builder, iterations=iterations).run(4.0))
    assert 100.0 * (q + np.pi / 2) == pytest.approx(-0.5 * G * np.sin(q), rel=1e-6)


@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 1e-9), ("float32", 1e-4)])
@pytest.mark.parametrize("slides", [False, True])
@pytest.mark.parametrize("armature", [0.0, 0.5, 50.0])
def test_a_rotor_adds_its_inertia(slides, armature, dtype, tolerance):
    scene = Scene(wheel(slides, armature=armature), dtype).run(DT)
    scene.set_drive(effort={0: 3.0})
    start = rate(scene)
    scene.run(1.0)
    assert rate(scene) - start == pytest.approx(3.0 / (INERTIA + armature), rel=tolerance)


def swept(builder, dtype="float64", iterations=2, relaxation=0.4, substeps=10):
    """A scene whose joints are solved one after the other."""
    scene = Scene(builder, dtype, substeps)
    scene.solver = it.SolverXPBD(
        scene.model,
        iterations=iterations,
        substeps=substeps,
        joint_solver="sweeps",
        joint_linear_relaxation=relaxation,
        joint_angular_relaxation=relaxation,
    )
    return scene


@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 1e-9), ("float32", 1e-4)])
@pytest.mark.parametrize("relaxation", [0.2, 0.4, 1.0])
@pytest.mark.parametrize("slides", [False, True])
@pytest.mark.parametrize("armature", [0.5, 50.0])
def test_a_rotor_adds_its_inertia_whatever_the_relaxation_of_sweeps(armature, slides, relaxation, dtype, tolerance):
    scene = swept(wheel(slides, armature=armature), dtype, relaxation=relaxation).run(DT)
    scene.set_drive(effort={0: 3.0})
    start = rate(scene)
    scene.run(1.0)
    assert rate(scene) - start == pytest.approx(3.0 / (INERTIA + armature), rel=tolerance)


@pytest.mark.parametrize("law", [{"armature": 1.0}, {"armature": 0.5, "stiffness": 20.0}, {"target_ke": 2e4}])
def test_sweeps_move_a_joint_with_a_law_as_the_direct_solver_does(law):
    """Also where its bodies hang beside the axis, so that the rows that are held react."""
    ends = []
    for is_swept in (True, False):
        builder = it.ModelBuilder()
        body = builder.add_link(mass=1.0, com=(0.3, 0.1, 0.0), inertia=np.diag([0.1, 0.2, 0.15]))
        builder.add_joint_revolute(-1, body, axis=(0, 1, 0), **law)
        ends.append((swept(builder) if is_swept else Scene(builder)).run(1.0))
    assert position(ends[0]) == pytest.approx(position(ends[1]), rel=2e-5, abs=1e-7)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("armature", "near"), [(0.05, 0.01), (0.5, 0.02), (5.0, 0.1)])
def test_rotors_of_a_chain_keep_its_energy_in_two_sweeps(armature, near, dtype):
    """Links of 0.04 kg m^2: what rows change after a rotor's own was energy out of nothing, up to 86 J of 94."""
    builder, above = it.ModelBuilder(), -1
    for index in range(8):
        place = it.Pose(np.array([0.3 * index, 0.0, 0.0]))
        body = builder.add_link(place, mass=1.0, com=(0.15, 0.0, 0.0), inertia=np.diag([0.01, 0.02, 0.015]))
        at_parent = it.Pose(np.array([0.3 if index else 0.0, 0.0, 0.0]))
        builder.add_joint_revolute(above, body, at_parent, axis=(0, 1, 0), armature=armature)
        above = body
    scene, exact = swept(builder, dtype, substeps=4), Scene(builder, substeps=4)
    highest = 0.0
    for _ in range(120):
        rates = scene.run(DT).state.joint_qd.numpy()
        highest = max(highest, scene.energy() + 0.5 * armature * float(rates @ rates))
    assert highest < 0.5
    assert scene.state.joint_q.numpy() == pytest.approx(exact.run(0.5).state.joint_q.numpy(), abs=near)


@pytest.mark.parametrize("iterations", [2, 10])
@pytest.mark.parametrize("stiffness", [100.0, 1e5])
def test_sag_does_not_depend_on_the_passes_of_sweeps(iterations, stiffness):
    drive = {"target_ke": stiffness, "target_kd": 0.2 * stiffness, "target_pos": -np.pi / 2}
    scene = swept(pendulum(angle=-np.pi / 2, **drive), iterations=iterations).run(4.0)
    q = position(scene)
    assert stiffness * (q + np.pi / 2) == pytest.approx(-0.5 * G * np.sin(q), rel=1e-4)


def test_a_rotor_slows_an_oscillator():
    scene = Scene(wheel(stiffness=50.0, armature=0.5), substeps=5)
    scene.set_velocity(0, angular=(0, 0, 1.0))
    crossings, last = [], 0.0
    for step in range(1, 2401):
        now = position(scene.run(DT))
        if last < 0.0 <= now:
            crossings.append((step - now / (now - last)) * DT)
        last = now
    assert np.diff(crossings).mean() == pytest.approx(2 * np.pi * np.sqrt((INERTIA + 0.5) / 50.0), rel=1e-6)


def test_dry_friction_stops_what_slides_and_holds_what_rests():
    scene = Scene(wheel(friction=1.0))
    scene.set_velocity(0, angular=(0, 0, 3.0))
    assert rate(scene.run(1.0)) == pytest.approx(3.0 - 1.0 / INERTIA, abs=1e-9)
    scene.run(1.0)
    assert position(scene) == pytest.approx(0.5 * 3.0**2 * INERTIA / 1.0, rel=1e-6)
    rest = position(scene)
    scene.set_drive(effort={0: 0.999})
    assert position(scene.run(5.0)) == pytest.approx(rest, abs=1e-12)
    scene.set_drive(effort={0: -1.5})
    assert rate(scene.run(1.0)) == pytest.approx(-0.5 / INERTIA, abs=1.0 / INERTIA * DT / scene.substeps)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("substeps", [1, 2, 10])
def test_dry_friction_lets_go_what_turns_back(substeps, dtype):
    """An effort above the friction stops a wheel and then turns it the other way, in steps of any length."""
    grip, effort, start, seconds = 2.0, 2.5, 3.0, 2.0
    scene = Scene(wheel(friction=grip), dtype=dtype, substeps=substeps)
    scene.set_velocity(0, angular=(0, 0, start))
    scene.set_drive(effort={0: -effort})
    scene.run(seconds)
    stops = start * INERTIA / (effort + grip)
    back = (effort - grip) / INERTIA
    assert rate(scene) == pytest.approx(-back * (seconds - stops), abs=3.0 * grip / INERTIA * DT / substeps)
    turned_back = 0.5 * start * stops - 0.5 * back * (seconds - stops) ** 2
    assert position(scene) == pytest.approx(turned_back, abs=6.0 * grip / INERTIA * DT / substeps)


@pytest.mark.parametrize("stiffness", [1e3, np.inf])
def test_a_drive_gives_no_more_than_its_limit(stiffness):
    scene = Scene(wheel(target_pos=10.0, target_ke=stiffness, effort_limit=1.0)).run(1.0)
    assert rate(scene) == pytest.approx(1.0 / INERTIA, rel=1e-3)


def test_an_arm_drops_what_its_drive_cannot_hold():
    level = {"angle": np.pi / 2, "target_pos": np.pi / 2, "target_ke": np.inf}
    assert position(Scene(pendulum(**level, effort_limit=0.51 * G)).run(1.0)) == pytest.approx(np.pi / 2, abs=1e-9)
    dropped = position(Scene(pendulum(**level, effort_limit=0.4 * G)).run(0.1))
    assert dropped - np.pi / 2 == pytest.approx(-0.5 * 0.1 * G / (1 / 3) * 0.01, rel=1e-2)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("slides", [False, True])
def test_a_motor_runs_as_evenly_after_a_thousand_radians(slides, dtype):
    """What a substep adds is less than the rounding of such a coordinate in single precision: 1e-3 of 8 rad/s."""
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    start = it.Pose(np.array([0.0, 0.0, 1000.0 if slides else 0.0]))
    body = builder.add_link(mass=INERTIA, inertia=INERTIA * np.eye(3), xform=start)
    add = builder.add_joint_prismatic if slides else builder.add_joint_revolute
    add(-1, body, axis=(0, 0, 1), target_kd=10.0, target_vel=8.0)
    scene = Scene(builder, dtype=dtype, substeps=4)
    scene.state.joint_q.assign(np.array([1000.0]))
    scene.set_velocity(0, **{"linear" if slides else "angular": (0.0, 0.0, 8.0)})
    rates = [rate(scene.run(DT)) for _ in range(240)]
    assert np.abs(np.array(rates) - 8.0).max() < 1e-5


@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 1e-9), ("float32", 1e-5)])
def test_gears_run_as_evenly_after_a_thousand_radians(dtype, tolerance):
    """In single precision the coupling was found open by what it rounds such coordinates to: 0.1 rad/s of 3."""
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    first, second = (builder.add_link(mass=1.0, inertia=np.eye(3), lock_inertia=True) for _ in range(2))
    leader, follower = (builder.add_joint_revolute(-1, body, axis=(0, 0, 1)) for body in (first, second))
    builder.add_mimic(follower, leader, multiplier=-1.5)
    scene = Scene(builder, dtype=dtype, substeps=4)
    scene.state.joint_q.assign(2.0 * np.pi * np.array([160.0, -240.0]))
    scene.set_velocity(first, angular=(0.0, 0.0, 3.0))
    scene.set_velocity(second, angular=(0.0, 0.0, -4.5))
    rates = np.array([scene.run(DT).qd[:, 5] for _ in range(240)])
    assert np.abs(rates - [3.0, -4.5]).max() < tolerance


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
@pytest.mark.parametrize(("dt", "substeps"), [(1 / 60, 1), (1 / 240, 4)])
@pytest.mark.parametrize("law", [{"friction": 1.0}, {"target_kd": 1e7}, {"target_ke": np.inf}])
def test_what_gives_no_more_than_a_limit_brakes_a_fall_from_its_start(law, dt, substeps, share, dtype):
    """It braked for a substep where gravity pulled for half of one, or for one and a half."""
    builder = it.ModelBuilder()
    body = builder.add_link(mass=2.0, inertia=0.1 * np.eye(3))
    limit = "friction" if "friction" in law else "effort_limit"
    builder.add_joint_prismatic(-1, body, axis=(0, 0, 1), **(law | {limit: share * 2.0 * G}))
    scene = Scene(builder, dtype=dtype, substeps=substeps, dt=dt).run(0.3)
    fall = -(1.0 - share) * G
    assert position(scene) == pytest.approx(fall * 0.3**2 / 2.0, rel=1e-6)
    assert rate(scene) == pytest.approx(fall * 0.3, rel=1e-5)


def test_a_joint_turns_no_faster_than_its_limit():
    scene = Scene(wheel(target_vel=10.0, target_kd=1e3, velocity_limit=1.5)).run(1.0)
    assert rate(scene) == pytest.approx(1.5, abs=1e-9)


def test_a_spring_in_the_joint_rests_where_it_says():
    scene = Scene(wheel(stiffness=50.0, springref=0.3, damping=5.0)).run(5.0)
    assert position(scene) == pytest.approx(0.3, abs=1e-9)


def test_a_rod_that_drops_onto_its_limit_rests_there():
    """Rod on a hinge, dropped from level onto 0.5 rad below it."""
    builder = pendulum(angle=np.pi / 2, limit_lower=np.pi / 2 - 0.5)
    scene = Scene(builder)
    scene.model.request_state_attributes("body_parent_f")
    scene.state = scene.model.state()
    lowest = min(position(scene.run(DT)) for _ in range(480))
    h = DT / scene.substeps
    speed = np.sqrt(3.0 * G * np.sin(0.5))
    assert lowest > np.pi / 2 - 0.5 - speed * h
    assert position(scene) == pytest.approx(np.pi / 2 - 0.5, abs=1e-6)
    wrench = scene.state.body_parent_f.numpy()[0]
    centre = np.array([-np.sin(position(scene)), 0.0, -np.cos(position(scene))]) * 0.5
    about_hinge = wrench[3:] + np.cross(centre, wrench[:3])
    assert about_hinge[1] == pytest.approx(0.5 * G * np.cos(0.5), rel=1e-4)


def rotors(ratio: float, by_hand: bool) -> it.ModelBuilder:
    """Two links across each other whose rotors are so many times as heavy, each on a spring unless pushed by hand."""
    builder = it.ModelBuilder(gravity=(0.0, 0.0, 0.0))
    parent, inertia = -1, 1.1e-10
    for index in range(2):
        link = builder.add_link(mass=1e-6, com=[0.01, 0.0, 0.0], inertia=1e-11 * np.eye(3))
        builder.add_joint_revolute(
            parent,
            link,
            axis=(0.0, float(index), 1.0 - index),
            parent_xform=it.Pose(np.array([0.02 * index, 0.0, 0.0])),
            armature=ratio * inertia,
            stiffness=0.0 if by_hand else 100.0 * ratio * inertia,
            springref=0.5,
        )
        parent = link
    return builder


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("ratio", [1e4, 1e6])
def test_rotors_far_heavier_than_their_links_swing_by_themselves(ratio, dtype):
    """As in models of insects, whose rotors stand for muscles: q = 1/2 (1 - cos 10 t), whatever hangs on the joint."""
    scene = Scene(rotors(ratio, by_hand=False), dtype=dtype, substeps=4)
    for time in (0.2, 0.4, 0.6, 0.8, 1.0):
        angles = scene.run(0.2).state.joint_q.numpy()
        assert angles == pytest.approx(np.full(2, 0.5 - 0.5 * np.cos(10.0 * time)), abs=2e-3)


@pytest.mark.parametrize("ratio", [1e4, 1e6])
def test_efforts_that_set_in_on_heavy_rotors_do_not_throw_their_links(ratio):
    """An effort that would turn the links alone by a radian in a substep: q = 25 t^2."""
    scene = Scene(rotors(ratio, by_hand=True), substeps=4)
    scene.control.joint_f.assign(np.full(2, 50.0 * ratio * 1.1e-10))
    assert scene.run(0.2).state.joint_q.numpy() == pytest.approx(np.ones(2), abs=2e-3)


@pytest.mark.parametrize("limit", ["velocity_limit", "drive_velocity_limit"])
@pytest.mark.parametrize(("dt", "substeps"), [(1 / 60, 4), (1 / 240, 1), (1 / 240, 4), (1 / 1000, 1)])
@pytest.mark.parametrize("size", [1.0, 0.1])
def test_a_wrist_on_a_joint_at_its_largest_rate_keeps_its_own_rate(limit, dt, substeps, size):
    """Two inclined hinges of a small wrist (0.1 kg and 2 cm, or 0.1 g): a stiff drive at its limit carries a motor."""
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    body = {"mass": 0.1 * size**3, "inertia": 1e-4 * size**5 * np.eye(3)}
    upper, lower = builder.add_link(**body), builder.add_link(**body)
    stiff = {"target_pos": 0.9, "target_ke": 4000.0, "target_kd": 0.3, limit: 1.7}
    builder.add_joint_revolute(-1, upper, axis=(1, 0, 0), **stiff)
    before, after = (-0.02 * size, 0.01 * size, 0.0), (0.02 * size, 0.0, 0.01 * size)
    motor = {"target_vel": 8.0, "target_kd": 1.0, "effort_limit": 2.0}
    frames = {"parent_xform": (before, (0, 0, 0, 1)), "child_xform": (after, (0, 0, 0, 1))}
    builder.add_joint_revolute(upper, lower, axis=(0, 0.6, 0.8), **frames, **motor)
    scene = Scene(builder, dt=dt, substeps=substeps)
    scene.run(2.0 * dt)  # the motor takes one substep and a half
    for _ in range(round(0.2 / dt)):
        scene.run(dt)
        assert scene.state.joint_qd.numpy() == pytest.approx([1.7, 8.0], rel=0.02)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("dt", "substeps"), [(1 / 60, 4), (1 / 240, 10)])
def test_a_stiff_drive_with_an_effort_limit_throws_no_light_links(seed, dt, substeps):
    """Two links of 3 g tumble on the ground, stiff about one axis of their joint and limp about the other."""
    numbers = np.random.default_rng(seed)
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    first = builder.add_link((0, 0, 0.08), mass=0.003, inertia=1e-6 * np.eye(3))
    second = builder.add_link(mass=0.003, inertia=1e-6 * np.diag([0.3, 1.0, 1.2]))
    for body, radius in ((first, 0.008), (second, 0.006)):
        look = it.ShapeConfig(density=0.0, collision_group=-1)
        builder.add_shape_capsule(body, radius=radius, half_height=0.02, cfg=look)
    stiff = it.JointDofConfig(axis=(1, 0, 0), target_ke=4000.0, target_kd=130.0, effort_limit=8.0)
    before, after = (rotation / np.linalg.norm(rotation) for rotation in numbers.normal(size=(2, 4)))
    frames = {"parent_xform": ((-0.02, 0.01, 0.0), before), "child_xform": ((0.02, 0.0, 0.01), after)}
    builder.add_joint_free(first)
    builder.add_joint_d6(first, second, angular_axes=[stiff, it.JointDofConfig(axis=(0, 1, 0))], **frames)
    scene = Scene(builder, dt=dt, substeps=substeps)
    scene.set_velocity(second, angular=30.0 * numbers.normal(size=3))
    highest = 2.0 * scene.energy()
    for _ in range(round(1.0 / dt)):
        assert scene.run(dt).energy() < highest
