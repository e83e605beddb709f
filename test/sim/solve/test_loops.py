# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Joints that close loops, couplings, and chains."""

import numpy as np
import pytest
from scenes import DT, G, Scene

import inertia_tools as it
from inertia_tools.errors import OptionError, SimulationError
from inertia_tools.spatial import rotation_from_quaternion


def at(x=0.0, y=0.0, z=0.0):
    return it.Pose(np.array([x, y, z], dtype=float))


def four_bar(crank=0.5, coupler=2.0, rocker=1.5, base=2.0):
    """Crank, coupler and rocker in the x-z plane, the crank upright at first; a crank that turns all round."""
    top = np.array([0.0, 0.0, crank])
    far = np.array([base, 0.0, 0.0])
    reach = far - top
    distance = np.linalg.norm(reach)
    along = (coupler**2 - rocker**2 + distance**2) / (2 * distance)
    up = np.array([-reach[2], 0.0, reach[0]]) / distance
    knee = top + along * reach / distance + np.sqrt(coupler**2 - along**2) * up
    builder = it.ModelBuilder()
    for start, end in (((0, 0, 0), top), (top, knee), (knee, far)):
        start, end = np.array(start, dtype=float), np.array(end, dtype=float)
        half, length = 0.5 * (end - start), np.linalg.norm(end - start)
        builder.add_link(mass=length, com=half, inertia=np.eye(3) * length**3 / 12, xform=at(*start))
    builder.add_joint_revolute(-1, 0, axis=(0, 1, 0))
    builder.add_joint_revolute(0, 1, parent_xform=at(*top), axis=(0, 1, 0))
    builder.add_joint_revolute(1, 2, parent_xform=at(*(knee - top)), axis=(0, 1, 0))
    builder.add_joint_revolute(-1, 2, parent_xform=at(*far), child_xform=at(*(far - knee)), axis=(0, 1, 0))
    return builder, far, far - knee


@pytest.mark.parametrize("joint_solver", ["direct", "sweeps"])
def test_four_bar_linkage_stays_closed_and_keeps_its_energy(joint_solver):
    builder, far, reach = four_bar()
    scene = Scene(builder, iterations=3 if joint_solver == "direct" else 60)
    scene.solver = it.SolverXPBD(scene.model, iterations=scene.iterations, substeps=10, joint_solver=joint_solver)
    scene.run(DT)
    energy, gap = scene.energy(), 0.0
    for _ in range(480 if joint_solver == "direct" else 60):
        scene.run(DT)
        end = scene.q[2, :3] + rotation_from_quaternion(scene.q[2, 3:]) @ reach
        gap = max(gap, float(np.linalg.norm(end - far)))
    assert gap < (1e-6 if joint_solver == "direct" else 1e-4)
    assert scene.energy() == pytest.approx(energy, abs=2e-3)
    assert abs(float(scene.state.joint_q.numpy()[0])) > 0.05  # it moves


def peaucellier(angle, arm=0.6, side=0.25, crank=0.2):
    """A rhombus on two arms, with a corner on a crank at an angle [rad], in the x-z plane; three joints close loops."""
    pivot, base = np.zeros(3), np.array([crank, 0.0, 0.0])
    near = base + crank * np.array([np.cos(angle), 0.0, np.sin(angle)])
    distance = np.linalg.norm(near)
    along = near / distance
    middle = (arm**2 - side**2 + distance**2) / (2.0 * distance)
    off = np.sqrt(arm**2 - middle**2) * np.array([-along[2], 0.0, along[0]])
    above, below, far = middle * along + off, middle * along - off, (2.0 * middle - distance) * along
    bars = [(pivot, above), (pivot, below), (base, near), (above, near), (above, far), (below, near), (below, far)]
    builder = it.ModelBuilder()
    for start, end in bars:
        length = np.linalg.norm(end - start)
        tensor = np.eye(3) * length**3 / 12.0
        builder.add_link(mass=length, com=0.5 * (end - start), inertia=tensor, xform=at(*start))
    for child, parent in enumerate((-1, -1, -1, 0, 0, 1, 1)):
        start = bars[child][0]
        builder.add_joint_revolute(parent, child, parent_xform=at(*start), axis=(0, 1, 0))
    for parent, child, place in ((2, 3, near), (2, 5, near), (4, 6, far)):
        frames = {"parent_xform": at(*(place - bars[parent][0])), "child_xform": at(*(place - bars[child][0]))}
        builder.add_joint_revolute(parent, child, axis=(0, 1, 0), **frames)
    return builder


@pytest.mark.sweep
@pytest.mark.parametrize("rate", [60, 240, 960])
@pytest.mark.parametrize("angle", [0.3, 0.9, -0.5])
def test_a_limp_linkage_that_passes_change_points_gains_no_energy(rate, angle):
    """Eight of the nine gained 3 to 2500 J or reached infinite numbers: closed poses exist far away as well as nearby."""
    scene = Scene(peaucellier(angle), substeps=1, dt=1.0 / rate)
    scene.run(scene.dt)
    start = scene.energy()
    for _ in range(4 * rate):
        scene.run(scene.dt)
        assert scene.energy() < start + 0.2


@pytest.mark.parametrize("rate, substeps", [(60, 1), (60, 4), (240, 1), (240, 10)])
def test_parallelogram_passes_through_the_line_of_all_its_bars(rate, substeps):
    """Where all bars lie in line its constraints are singular: the gap there takes a long way to close."""
    builder, size = it.ModelBuilder(), 0.4
    across = 0.5 * size**2 / 12.0
    starts, ends = [(0, 0, 0), (0, 0, size), (size, 0, 0)], [(0, 0, size), (size, 0, size), (size, 0, size)]
    for start, end in zip(starts, ends, strict=True):
        half = 0.5 * np.subtract(end, start)
        tensor = np.where(half == 0.0, across, 1e-2 * across)
        builder.add_link(mass=0.5, com=half, inertia=np.diag(tensor), xform=at(*start))
    builder.add_joint_revolute(-1, 0, axis=(0, 1, 0))
    builder.add_joint_revolute(0, 1, parent_xform=at(z=size), axis=(0, 1, 0))
    builder.add_joint_revolute(-1, 2, parent_xform=at(x=size), axis=(0, 1, 0))
    builder.add_joint_revolute(1, 2, parent_xform=at(x=size), child_xform=at(z=size), axis=(0, 1, 0))
    scene = Scene(builder, substeps=substeps, dt=1.0 / rate)
    for body, speed in enumerate((0.2, 0.4, 0.2)):
        scene.set_velocity(body, linear=(speed, 0, 0), angular=(0, 0 if body == 1 else 1.0, 0))
    start = scene.energy()
    for _ in range(4 * rate):
        scene.run(scene.dt)
        assert scene.energy() < start + 0.5  # of 16 J that are exchanged
        end = scene.q[1, :3] + rotation_from_quaternion(scene.q[1, 3:]) @ (size, 0, 0)
        above = scene.q[2, :3] + rotation_from_quaternion(scene.q[2, 3:]) @ (0, 0, size)
        assert np.linalg.norm(end - above) < 5e-3


@pytest.mark.parametrize("rate, error", [(60, 3e-5), (120, 3e-6), (240, 3e-7)])
def test_free_bodies_that_loops_hold_stay_together(rate, error):
    """A body is welded to the world, and another one hangs on it, both by joints that close loops."""
    builder = it.ModelBuilder()
    bodies = [
        builder.add_body(at(0.3 * k, 0.5 * k, 0.1 * k), mass=1.0, com=(0.1, 0, 0), inertia=np.diag([0.02, 0.03, 0.025]))
        for k in range(2)
    ]
    builder.add_equality_constraint_weld(-1, bodies[0])
    builder.add_equality_constraint_connect(bodies[0], bodies[1], (0.0, 0.4, 0.0))
    scene = Scene(builder, substeps=1, dt=1.0 / rate)
    start, energy, arm = scene.q[0], scene.energy(), np.array([-0.3, -0.1, -0.1])
    for _ in range(rate // 2):
        scene.run(scene.dt)
        hook = scene.q[1, :3] + rotation_from_quaternion(scene.q[1, 3:]) @ arm
        assert scene.q[0] == pytest.approx(start, abs=1e-9)
        assert np.linalg.norm(hook - [0.0, 0.4, 0.0]) < error
    assert scene.energy() == pytest.approx(energy, abs=40.0 / rate**2)


def test_beam_on_two_supports_loads_each_with_half_its_weight():
    builder = it.ModelBuilder()
    body = builder.add_link(mass=2.0, com=(0.5, 0, 0), inertia=0.2 * np.eye(3))
    builder.add_joint_revolute(-1, body, axis=(0, 1, 0))
    builder.add_joint(it.sim.JointKind.D6, -1, body, at(1.0), at(1.0), linear_axes=[
        it.ModelBuilder.JointDofConfig(axis=(1, 0, 0))], angular_axes=[
        it.ModelBuilder.JointDofConfig(axis=(0, 1, 0))])  # fmt: skip
    model_joint = builder.joints[1]
    assert model_joint.closes_loop
    scene = Scene(builder)
    scene.model.request_state_attributes("body_parent_f")
    scene.state = scene.model.state()
    scene.run(0.5)
    assert np.abs(scene.q[0, :3]).max() < 1e-9
    # Both joints hang on the same body: their wrenches add up to its weight, and to no torque about its centre.
    assert scene.state.body_parent_f.numpy()[0] == pytest.approx([0, 0, 2.0 * G, 0, 0, 0], abs=1e-6)


def momenta_of_the_solver(scene):
    """Momenta half a substep back, where the solver keeps them; brought forward, they differ by h^2."""
    linear, angular = np.zeros(3), np.zeros(3)
    back = 0.5 * DT / scene.substeps * scene.state.data.qdd.numpy()
    for q, qd, b, inertial in zip(scene.q, scene.qd, back, scene.model.inertials, strict=True):
        turn = rotation_from_quaternion(q[3:])
        p = inertial.mass * (qd[:3] - b[:3])
        linear += p
        angular += np.cross(q[:3] + turn @ inertial.com, p)
        angular += turn @ inertial.inertia @ turn.T @ qd[3:] - b[3:]
    return linear, angular


def test_ring_of_bodies_keeps_momentum():
    count, builder = 5, it.ModelBuilder(gravity=(0, 0, 0))
    angles = 2 * np.pi * np.arange(count) / count
    places = [np.array([np.cos(a), np.sin(a), 0.0]) for a in angles]
    for place in places:
        builder.add_link(mass=1.0, inertia=np.diag([0.1, 0.12, 0.15]), xform=at(*place))
    for i in range(count):
        j = (i + 1) % count
        middle = 0.5 * (places[i] + places[j])
        builder.add_joint_ball(i, j, at(*(middle - places[i])), at(*(middle - places[j])))
    assert [joint.closes_loop for joint in builder.joints] == [False] * (count - 1) + [True]
    scene = Scene(builder)
    scene.set_velocity(0, (0.3, 0.1, 0.5), (0.5, 1.0, 0.2))
    scene.run(0.1)
    linear, angular = momenta_of_the_solver(scene)
    scene.run(2.0)
    after = momenta_of_the_solver(scene)
    assert np.linalg.norm(after[0] - linear) < 1e-12 and np.linalg.norm(after[1] - angular) < 1e-12
    turns = [rotation_from_quaternion(q[3:]) for q in scene.q]
    middle = 0.5 * (places[-1] + places[0])
    gap = scene.q[0, :3] + turns[0] @ (middle - places[0]) - scene.q[-1, :3] - turns[-1] @ (middle - places[-1])
    assert np.linalg.norm(gap) < 1e-9


@pytest.mark.parametrize("joint_solver", ["direct", "sweeps"])
def test_gears_share_the_torque_by_their_ratio(joint_solver):
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    wheels = [builder.add_link(mass=1.0, inertia=i * np.eye(3), xform=at(x)) for i, x in ((0.5, 0.0), (0.2, 1.0))]
    first, second = (
        builder.add_joint_revolute(-1, w, parent_xform=at(x), axis=(0, 0, 1))
        for w, x in zip(wheels, (0.0, 1.0), strict=True)
    )
    builder.add_mimic(second, first, multiplier=-2.0)
    scene = Scene(builder, iterations=30)
    scene.solver = it.SolverXPBD(scene.model, iterations=30, substeps=4, joint_solver=joint_solver)
    scene.control.joint_f.assign(np.array([1.0, 0.0]))
    scene.run(1.0)
    q, qd = scene.state.joint_q.numpy(), scene.state.joint_qd.numpy()
    assert q[1] == pytest.approx(-2.0 * q[0], abs=1e-6)
    assert qd[0] == pytest.approx(1.0 / (0.5 + 4 * 0.2), rel=1e-6)


def test_a_joint_follows_another_in_each_of_its_coordinates():
    builder = it.ModelBuilder(gravity=(0.0, 0.0, 0.0))
    bodies = [builder.add_link(mass=1.0, inertia=np.eye(3)) for _ in range(2)]
    axis = it.ModelBuilder.JointDofConfig.create_unlimited
    first, second = (
        builder.add_joint_d6(parent, child, linear_axes=[axis("X")], angular_axes=[axis("Y"), axis("Z")])
        for parent, child in ((-1, bodies[0]), (bodies[0], bodies[1]))
    )
    builder.set_joint_mimic(second, first, coeffs=(0.1, -1.5))
    builder.set_joint_mimic(second, first, coeffs=(0.05, 0.5))
    builder.joint_q[:] = [0.2, 0.3, -0.1, 0.15, 0.2, 0.0]
    builder.joint_qd[:] = [0.4, -0.6, 0.2, 0.2, -0.3, 0.1]
    scene = Scene(builder).run(0.5)
    leader, follower = scene.state.joint_q.numpy().reshape(2, 3)
    assert np.abs(leader - [0.2, 0.3, -0.1]).min() > 0.05, "it moves"
    assert follower == pytest.approx(0.05 + 0.5 * leader, abs=1e-5)
    hinge = builder.add_joint_revolute(-1, builder.add_link(mass=1.0, inertia=np.eye(3)))
    with pytest.raises(OptionError, match="reference_joint"):
        builder.set_joint_mimic(hinge, first)
    assert len(builder.mimics) == 3


def test_a_mimic_starts_from_its_offset():
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    joints = [
        builder.add_joint_prismatic(-1, builder.add_link(mass=1.0, inertia=np.eye(3)), axis=(0, 0, 1)) for _ in range(2)
    ]
    builder.add_mimic(joints[1], joints[0], multiplier=1.0, offset=0.1)
    scene = Scene(builder).run(0.1)
    q = scene.state.joint_q.numpy()
    assert q[1] - q[0] == pytest.approx(0.1, abs=1e-9)
    with pytest.raises(SimulationError, match="no joint 9"):
        builder.add_mimic(9, 0)


def chain(count, load=0.0):
    builder, last = it.ModelBuilder(), -1
    for index in range(count):
        body = builder.add_link(mass=0.1, com=(0, 0, -0.05), inertia=np.eye(3) * 1e-4, xform=at(z=-0.1 * index))
        builder.add_joint_revolute(last, body, parent_xform=at(z=-0.1 if index else 0.0), axis=(0, 1, 0))
        last = body
    if load:
        body = builder.add_link(mass=load, inertia=np.eye(3) * load * 0.01, xform=at(z=-0.1 * count))
        builder.add_joint_fixed(last, body, parent_xform=at(z=-0.1))
    return builder


@pytest.mark.parametrize("load", [0.0, 100.0])
def test_chain_of_a_hundred_hangs_together(load):
    scene = Scene(chain(100, load), substeps=5)
    scene.model.request_state_attributes("body_parent_f")
    scene.state = scene.model.state()
    velocity = scene.qd
    velocity[:, 0] = 0.01 * np.arange(len(velocity))  # it swings
    scene.state.body_qd.assign(velocity)
    scene.run(0.5)
    turns = [rotation_from_quaternion(q[3:]) for q in scene.q]
    ends = [q[:3] + turn @ [0, 0, -0.1] for q, turn in zip(scene.q, turns, strict=True)]
    gaps = [np.linalg.norm(scene.q[i + 1, :3] - ends[i]) for i in range(len(ends) - 1)]
    assert sum(gaps) < 1e-5
    still = Scene(chain(100, load), substeps=5)
    still.model.request_state_attributes("body_parent_f")
    still.state = still.model.state()
    still.run(0.1)
    weight = (10.0 + load) * G
    assert still.state.body_parent_f.numpy()[0, 2] == pytest.approx(weight, rel=1e-9)


def arm(order=range(4), gravity=(0.0, 0.0, -G), base=-1):
    """A chain of four different links with all that a joint can have, added in some order."""
    builder = it.ModelBuilder(gravity=gravity)
    bodies = {}
    for index in order:
        bodies[index] = builder.add_link(
            mass=1.0 + index, com=(0.2, 0.05 * index, 0.0), inertia=np.diag([0.05, 0.06 + 0.01 * index, 0.07]),
            xform=at(0.4 * index),
        )  # fmt: skip
    joints = {}
    for index in order:
        if index == 0 and base is None:
            continue
        axis = [(0, 1, 0), (0, 0, 1), (1, 1, 0), (0, 1, 1)][index]
        parent = bodies[index - 1] if index else -1
        joints[index] = builder.add_joint_revolute(
            parent, bodies[index], parent_xform=at(0.4 if index else 0.0), axis=axis, friction=0.02, damping=0.01,
            armature=0.03, target_ke=3.0, target_pos=0.2, effort_limit=0.5, limit_lower=-0.3, limit_upper=0.4,
        )  # fmt: skip
    builder.add_mimic(joints[3], joints[2], multiplier=0.5)
    return builder, bodies


def test_the_order_of_bodies_does_not_matter():
    plain, there = arm()
    mixed, elsewhere = arm((2, 0, 3, 1))
    first, second = Scene(plain).run(0.5), Scene(mixed).run(0.5)
    for index in range(4):
        assert second.q[elsewhere[index]] == pytest.approx(first.q[there[index]], abs=1e-9)


def test_what_acts_within_joints_keeps_the_momentum_of_a_free_tree():
    builder, _ = arm(gravity=(0, 0, 0), base=None)
    scene = Scene(builder)
    scene.set_velocity(0, (0.1, 0.2, 0.3), (0.5, 1.0, -0.4))
    scene.run(0.1)
    linear, angular = (np.array(one) for one in momenta_of_the_solver(scene))
    scene.run(2.0)
    after = momenta_of_the_solver(scene)
    assert after[0] == pytest.approx(linear, abs=1e-12) and after[1] == pytest.approx(angular, abs=1e-11)


@pytest.mark.parametrize("build", [lambda: four_bar()[0], lambda: arm()[0]])
def test_copies_of_a_scene_move_alike(build):
    builder = build()
    alone = Scene(builder).run(0.2)
    copied = build()
    copied.replicate(3)
    worlds = Scene(copied).run(0.2)
    for world in range(3):
        assert np.array_equal(worlds.q[len(alone.q) * world :][: len(alone.q)], alone.q)


def linkage(seed, **drive):
    """Three bars in a plane between two points of the world, any lengths; the first one is driven."""
    random, builder = np.random.default_rng(seed), it.ModelBuilder()
    knees = [(random.uniform(-0.5, 0.5), 0.0, random.uniform(0.15, 0.5)) for _ in range(2)]
    points = np.array([(0.0, 0.0, 0.0), *knees, (random.uniform(0.3, 0.6), 0.0, 0.0)])
    for k in range(3):
        way = points[k + 1] - points[k]
        tensor = 0.5 / 12.0 * (way @ way * np.eye(3) - np.outer(way, way)) + 1e-5 * np.eye(3)
        builder.add_link(mass=0.5, com=0.5 * way, inertia=tensor, xform=at(*points[k]))
        place = at() if k == 0 else at(*(points[k] - points[k - 1]))
        builder.add_joint_revolute(k - 1, k, place, axis=(0, 1, 0), friction=0.05, **(drive if k == 0 else {}))
    reach = points[3] - points[2]
    builder.add_joint_revolute(-1, 2, at(*points[3]), at(*reach), axis=(0, 1, 0), friction=0.05)
    return builder, points[3], reach


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("rate, substeps, open_by", [(30, 1, 0.05), (60, 4, 5e-3), (240, 1, 5e-3)])
@pytest.mark.parametrize("seed", range(4))
def test_a_motor_that_jams_a_loop_does_not_throw_it_apart(seed, rate, substeps, open_by, dtype):
    """Dry friction that held the crank at a dead point would leave the loop nowhere to go."""
    builder, point, reach = linkage(seed, target_vel=5.0, target_kd=5.0)
    scene = Scene(builder, dtype=dtype, substeps=substeps, dt=1.0 / rate)
    for _ in range(3 * rate):
        scene.run(scene.dt)
        end = scene.q[2, :3] + rotation_from_quaternion(scene.q[2, 3:]) @ reach
        assert np.linalg.norm(end - point) < open_by
        assert np.abs(scene.qd).max() < 60.0


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("seed", [3, 11, 20, 29])
def test_coupled_fingers_with_limits_fall_to_rest(seed, dtype):
    """Fingers that overlap, touch the floor and are at their limits at once; couplings hold them together."""
    random, builder = np.random.default_rng(seed), it.ModelBuilder()
    config = it.ModelBuilder.ShapeConfig(mu=0.6, density=0.0)
    builder.add_ground_plane(cfg=config)
    palm = builder.add_link(
        it.Pose.from_xyz_rpy([0, 0, 0.6], random.uniform(-3, 3, 3)), mass=1.0, inertia=np.diag([27e-4, 14e-4, 30e-4])
    )
    builder.add_shape_box(palm, hx=0.05, hy=0.08, hz=0.04, cfg=config)
    joints, kinds = [], random.integers(0, 2, 3)
    for k in range(3):
        finger = builder.add_link(mass=0.2, inertia=np.diag([27e-5, 27e-5, 5e-5]))
        builder.add_shape_box(finger, hx=0.02, hy=0.02, hz=0.06, cfg=config)
        add, reach = (builder.add_joint_prismatic, 0.03), 0.3
        add, reach = (builder.add_joint_revolute, 0.3) if kinds[k] else (builder.add_joint_prismatic, 0.03)
        places = at(y=0.06 * (k - 1), z=0.05), at(z=-0.06)
        axis = tuple(random.normal(size=3))
        joints.append(add(palm, finger, *places, axis=axis, limit_lower=-reach, limit_upper=reach))
    builder.add_mimic(joints[1], joints[0], multiplier=1.0)
    builder.add_mimic(joints[2], joints[0], multiplier=-1.0)
    scene = Scene(builder, dtype=dtype, substeps=1, dt=1.0 / 60.0)
    start = scene.energy()
    for _ in range(240):
        assert scene.run(scene.dt).energy() < start + 1e-3
        assert np.abs(scene.state.joint_q.numpy()).max() < 0.06
    q = scene.state.joint_q.numpy()
    assert np.abs([q[1] - q[0], q[2] + q[0]]).max() < (1e-9 if dtype == "float64" else 1e-5)
    assert np.abs(scene.qd).max() < 1e-3
    total = scene.force_on(palm, -1) + sum(scene.force_on(palm + k, -1) for k in (1, 2, 3))
    assert total == pytest.approx([0, 0, 1.6 * G], abs=1e-2)


def test_a_limit_of_a_follower_stops_its_leader():
    """The follower goes twice as far, the other way."""
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    bodies = [builder.add_link(mass=1.0, inertia=np.eye(3)) for _ in range(2)]
    leader = builder.add_joint_prismatic(-1, bodies[0], axis=(1, 0, 0))
    follower = builder.add_joint_prismatic(-1, bodies[1], axis=(1, 0, 0), limit_lower=-1.0, limit_upper=0.2)
    builder.add_mimic(follower, leader, multiplier=-2.0, offset=0.1)
    scene = Scene(builder)
    scene.control.joint_f.assign(np.array([-3.0, 0.0]))
    scene.run(2.0)
    q = scene.state.joint_q.numpy()
    assert q == pytest.approx([-0.05, 0.2], abs=1e-9)
    assert np.abs(scene.qd).max() < 1e-9


@pytest.mark.parametrize("substeps", [1, 2, 4])
def test_a_slider_on_a_spinning_arm_follows_the_arm(substeps):
    """A coupling that starts torn by more than a metre closes, and holds while the arm turns by 0.3 rad a substep."""
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    arm, slider = builder.add_link(), builder.add_link()
    for body in (arm, slider):
        builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1)
    leader = builder.add_joint_revolute(-1, arm, axis=(0, 0, 1))
    follower = builder.add_joint_prismatic(arm, slider, axis=(1, 0, 0))
    builder.add_articulation([leader, follower])
    builder.set_joint_mimic(follower, leader, coeffs=(0.1, -1.5))
    builder.joint_q[0], builder.joint_q[1] = 0.35, 0.8
    model = builder.finalize(dtype="float64")
    solver, state = it.SolverXPBD(model, substeps=substeps), model.state()
    for step in range(20):
        solver.step(state, state, None, None, 1 / 60)
        turn, way = state.joint_q.numpy()
        if step > 1:
            assert way == pytest.approx(0.1 - 1.5 * turn, abs=1e-4)
