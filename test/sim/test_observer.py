# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What is read of all links and joints at once is what is read of each by itself."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("warp", reason="warp-lang is not installed")

import inertia_tools as it
from inertia_tools.spatial import (
    Pose,
    rotation_from_quaternion,
    rotations_from_quaternions,
)

QUADRUPED = Path(__file__).parents[2] / "examples" / "broken_quadruped.urdf"
SLIDE = """<robot name="slide"><link name="world"/><link name="cart"><inertial><origin xyz="0.1 0.2 0.3"/><mass value="2"/>
<inertia ixx="1" ixy="0.1" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="rail" type="prismatic"><parent link="world"/><child link="cart"/><origin xyz="1 2 3" rpy="0.3 0.2 0.1"/>
<axis xyz="0.6 0 0.8"/><limit lower="-9" upper="9" effort="9" velocity="9"/></joint></robot>"""


@pytest.fixture(scope="module", params=["legs", "slide"])
def simulation(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("robot") / "slide.urdf"
    path.write_text(SLIDE)
    robot = it.fix(it.load(QUADRUPED), scope="all").corrected if request.param == "legs" else it.load(path)
    simulation = it.Simulation(robot, dtype="float64", pose=Pose.from_xyz_rpy((0.1, 0.2, 3.0), (0.3, -0.4, 2.5)))
    numbers = np.random.default_rng(3)
    simulation.set_joint_velocities({name: numbers.uniform(-2.0, 2.0) for name in simulation.joint_names})
    simulation.step(5)
    return simulation


def test_links_are_where_their_bodies_carry_them(simulation):
    seen, motion = simulation.snapshot(), simulation.motion()
    for row, name in enumerate(seen.names):
        place = simulation.places[name]
        pose = motion.pose(place.body) @ place.pose_body_link
        assert seen.positions[row] == pytest.approx(pose.position, abs=1e-12)
        assert rotation_from_quaternion(seen.quaternions[row]) == pytest.approx(pose.rotation, abs=1e-12)
        assert seen.quaternions[row, 3] >= 0.0
        assert seen.linear_velocities[row] == pytest.approx(motion.velocity_at(place.body, pose.position), abs=1e-12)
        assert seen.angular_velocities[row] == pytest.approx(motion.spin(place.body), abs=1e-12)


def test_joint_rates_and_energies_are_those_of_the_bodies(simulation):
    seen, motion, built = simulation.snapshot(), simulation.motion(), simulation._built
    for name in simulation.joint_names:
        freedom = built.joints.freedoms[name]
        rate = motion.joint_rates(freedom.joint)[freedom.number]
        assert seen.joint_velocities[name] == pytest.approx(rate, abs=1e-12)
    moving = np.flatnonzero(built.model.moves).tolist()
    kinetic = sum(motion.kinetic_energy(body) for body in moving)
    potential = sum(motion.potential_energy(body, built.model.gravity_vector) for body in moving)
    assert (seen.kinetic_energy, seen.potential_energy) == pytest.approx((kinetic, potential), rel=1e-12)


ROTORS = """<mujoco><worldbody><body><joint name="shoulder" axis="0 1 0" armature="0.3"/>
<geom type="capsule" fromto="0 0 0 0.5 0.1 0" size="0.03"/><body pos="0.5 0.1 0">{joints}
<geom type="capsule" fromto="0 0 0 0.4 0 0.2" size="0.03"/></body></body></worldbody></mujoco>"""


@pytest.mark.parametrize(
    "joints",
    [
        pytest.param('<joint axis="0 1 0" armature="0.1"/>', id="hinge"),
        pytest.param('<joint type="slide" axis="1 0 0" armature="5"/>', id="slide"),
        pytest.param('<joint type="ball" armature="0.1"/>', id="ball"),
        pytest.param('<joint axis="0 1 0" armature="0.1"/><joint axis="1 0 0" armature="0.2"/>', id="cross"),
    ],
)
def test_the_energy_of_a_limp_arm_with_rotors_stays(joints):
    """Without the energy of the rotors, 2.6 of 14.4 J of the hinges were missing after 0.4 s."""
    simulation = it.Simulation(it.load_text(ROTORS.format(joints=joints)), dt=1 / 960, ground=False, dtype="float64")
    energies = []
    for _ in range(5):
        seen = simulation.snapshot()
        energies.append(seen.kinetic_energy + seen.potential_energy)
        simulation.step(100)
    assert seen.kinetic_energy > 5.0
    assert energies == pytest.approx([energies[0]] * 5, abs=1e-5)


def test_rotors_of_disabled_joints_have_no_energy():
    simulation = it.Simulation(it.load_text(ROTORS.format(joints="")), ground=False, dtype="float64")
    simulation.set_joint_velocities({"shoulder": 2.0})
    whole = simulation.snapshot().kinetic_energy
    simulation.model.joint_enabled.zero_()
    assert simulation.snapshot().kinetic_energy == pytest.approx(whole - 0.5 * 0.3 * 2.0**2, rel=1e-9)


def test_a_lost_body_is_no_number_and_the_others_are_as_before(simulation):
    built, before, motion = simulation._built, simulation.snapshot(), simulation.motion()
    body = int(np.flatnonzero(built.model.moves)[-1])
    motion.q[body, 0] = np.nan
    seen = built.kinematics.observer.snapshot(motion, built.state.joint_q.numpy(), 0.0)
    lost = np.array([place.body == body for place in simulation.places.values()])
    assert np.isnan(seen.positions[lost]).all() and lost.any()
    assert (seen.positions[~lost] == before.positions[~lost]).all()
    held = {name for name, one in built.joints.freedoms.items() if body in (one.joint.child, one.joint.parent)}
    assert {name for name, rate in seen.joint_velocities.items() if np.isnan(rate)} == held
    assert np.isnan(seen.kinetic_energy)


def test_changed_masses_are_seen(simulation):
    built, before = simulation._built, simulation.snapshot()
    halved = tuple(it.Inertial(0.5 * one.mass, one.com, 0.5 * one.inertia) for one in built.model.inertials)
    motion = type(simulation.motion())(halved, simulation.motion().q, simulation.motion().qd)
    seen = built.kinematics.observer.snapshot(motion, built.state.joint_q.numpy(), 0.0)
    assert seen.kinetic_energy == pytest.approx(0.5 * before.kinetic_energy, rel=1e-12)


def test_rotations_of_many_are_those_of_each():
    quaternions = np.random.default_rng(0).normal(size=(50, 4))
    for one, turn in zip(quaternions, rotations_from_quaternions(quaternions), strict=True):
        assert turn == pytest.approx(rotation_from_quaternion(one), abs=1e-14)


def test_a_scene_without_shapes_has_no_contacts():
    simulation = it.Simulation(it.load_text(SLIDE), dtype="float64")
    simulation.step()
    assert simulation.contact_table().points.shape == (0, 13)
    assert simulation.contact_table().wrenches.shape == (0, 6)
    assert len(simulation.model.acting_contacts(simulation._built.contacts)) == 0


FLOOR = """<model name="floor"><static>true</static><link name="floor"><collision name="c"><geometry><plane>
<normal>0 0 1</normal><size>9 9</size></plane></geometry></collision></link></model>"""
HEAP = FLOOR + "".join(
    f'<model name="box_{k}"><pose>{0.03 * k} {0.02 * (k % 3)} {0.06 + 0.12 * k} 0.{k} 0.2 0</pose><link name="box"><inertial>'
    "<mass>1</mass><inertia><ixx>0.00167</ixx><iyy>0.00167</iyy><izz>0.00167</izz></inertia></inertial><collision "
    'name="c"><geometry><box><size>0.1 0.1 0.1</size></box></geometry></collision></link></model>'
    for k in range(6)
)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_touches_is_seen_anew_in_each_step(dtype):
    """Boxes that fall on each other: the slots that bear change nearly always, and stay while all rest."""
    heap = it.load_text(f'<sdf version="1.9"><world name="w">{HEAP}</world></sdf>')
    simulation = it.Simulation(heap, dtype=dtype)
    built, counts = simulation._built, []
    for _ in range(240):
        simulation.step()
        seen, acting = simulation.contact_table(), built.model.acting_contacts(built.contacts)
        assert len(seen.points) == len(acting)
        order, wanted = np.argsort(seen.points[:, 6]), np.argsort(acting.depths)
        assert np.allclose(seen.points[order, :3], acting.positions[wanted], rtol=0.0, atol=1e-12)
        assert np.allclose(np.abs(seen.points[order, 7:10]), np.abs(acting.forces[wanted]), rtol=1e-12, atol=0.0)
        forces = [seen.points[a:b, 7:10].sum(axis=0) for a, b in pairwise(seen.starts)]
        assert np.allclose(seen.wrenches[:, :3], np.reshape(forces, (-1, 3)), rtol=1e-9, atol=1e-9)
        counts.append(len(acting))
    assert len(set(counts)) > 5  # it was no heap at rest all the time
