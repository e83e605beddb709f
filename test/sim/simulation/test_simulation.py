# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The facade: a robot is placed, told, pushed, and read."""

import logging

import numpy as np
import pytest
from robots import BOX, joint, link, mass, tensor, urdf

import inertia_tools as it
from inertia_tools.errors import OptionError, SimulationError, UnknownJointError, UnknownLinkError

CUBE = '<box size="0.2 0.2 0.2"/>'
SOLID = mass(2) + tensor(0.0133, 0.0133, 0.0133)


def arm(axis="0 1 0", kind="continuous", extra=""):
    """A base with one link hanging 1 m under its joint."""
    hanging = f'<inertial><origin xyz="0 0 -1"/>{mass(1)}{tensor(0.01, 0.01, 0.01)}</inertial>'
    return it.load_text(
        urdf(
            link("base", SOLID),
            f'<link name="arm">{hanging}</link>',
            f'<joint name="shoulder" type="{kind}"><parent link="base"/><child link="arm"/>'
            f'<origin xyz="0 0 2"/><axis xyz="{axis}"/>{extra}</joint>',
        )
    )


def precise(robot, **options):
    """Build a simulation whose rounding hides nothing."""
    return it.Simulation(robot, **{"dtype": "float64", "substeps": 20, **options})


def cube(**options):
    return precise(it.load_text(urdf(link("cube", SOLID, CUBE))), **options)


# Start


def test_lowest_point_starts_on_the_ground():
    assert cube().snapshot().positions[0] == pytest.approx([0.0, 0.0, 0.1])


def test_given_pose_is_kept():
    pose = it.Pose.from_xyz_rpy([1.0, 2.0, 3.0], [0.1, 0.2, 0.3])
    snapshot = cube(pose=pose).snapshot()
    assert snapshot.positions[0] == pytest.approx(pose.position)
    assert snapshot.quaternions[0] == pytest.approx(pose.quaternion)


def test_root_named_world_is_bolted_down():
    text = urdf('<link name="world"/>', link("base", SOLID, CUBE), joint("base", "world", "fixed"))
    simulation = precise(it.load_text(text))
    assert simulation.fixed_base
    before = simulation.snapshot()
    simulation.step(24)
    assert np.array_equal(simulation.snapshot().positions, before.positions)


def test_missing_inertial_is_what_the_collision_weighs():
    simulation = precise(it.load_text(urdf(link("cube", "", CUBE))))
    assert simulation.weight == pytest.approx(8.0 * 9.81)


def test_fixed_joints_merge_through_the_centre_of_mass():
    text = urdf(
        link("left", mass(1) + tensor(0.01, 0.01, 0.01)),
        link("right", mass(3) + tensor(0.03, 0.03, 0.03)),
        '<joint name="weld" type="fixed"><parent link="left"/><child link="right"/><origin xyz="0 1 0.5" rpy="0 0 1"/></joint>',
    )
    robot = it.load_text(text)
    simulation = precise(robot, ground=False)
    assert simulation.names == ("left", "right")
    assert simulation.weight == pytest.approx(4.0 * 9.81)
    simulation.set_body_state("left", [0, 0, 0], [0, 0, 0, 1], angular=[0.0, 0.0, 2.0])
    # Two parts and their offset through the common centre: I = 0.04 + mu d^2 with the reduced mass 3/4 kg.
    spin = 0.5 * (0.04 + 0.75 * 1.0) * 4.0
    com_speed = 0.75 * 2.0
    assert simulation.snapshot().kinetic_energy == pytest.approx(spin + 0.5 * 4.0 * com_speed**2, rel=1e-9)
    simulation.step(60)
    snapshot = simulation.snapshot()
    apart = np.linalg.norm(snapshot.positions[1] - snapshot.positions[0])
    assert apart == pytest.approx(np.hypot(1.0, 0.5), rel=1e-12)


# Refusals


@pytest.mark.parametrize(
    "inertial",
    [
        mass(-1) + tensor(1, 1, 1),
        mass(1) + tensor(-1, 1, 1),
        mass("nan") + tensor(1, 1, 1),
        mass(1) + tensor(1, 1, 5),
        mass(0) + tensor(0, 0, 0),
        mass(1),
    ],
)
def test_impossible_inertial_is_refused_with_its_link_and_the_remedy(inertial):
    robot = it.load_text(urdf(link("culprit", inertial, CUBE)))
    with pytest.raises(SimulationError, match=r"culprit.*inertia-tools fix"):
        precise(robot)


def test_moved_link_without_mass_is_refused():
    robot = it.load_text(urdf(link("base", SOLID, CUBE), '<link name="empty"/>', joint("empty")))
    with pytest.raises(SimulationError, match=r"empty.*inertia-tools fix"):
        precise(robot)


@pytest.mark.parametrize("dt", [0.0, -1.0, np.nan])
def test_impossible_step_is_refused(dt):
    with pytest.raises(OptionError, match="dt"):
        cube(dt=dt)


def test_unknown_names_list_what_there_is():
    simulation = precise(arm(), ground=False)
    with pytest.raises(UnknownJointError, match="shoulder"):
        simulation.set_joint_positions({"sholder": 0.0})
    with pytest.raises(UnknownJointError, match="shoulder"):
        simulation.set_joint_targets(velocities={"elbow": 0.0})
    with pytest.raises(UnknownJointError, match="shoulder"):
        simulation.set_joint_gains({"elbow": 1.0})
    with pytest.raises(UnknownLinkError, match="arm"):
        simulation.apply_wrench("arn", [0, 0, 1])
    with pytest.raises(UnknownLinkError, match="arm"):
        simulation.set_body_state("arn", [0, 0, 0], [0, 0, 0, 1])


def test_negative_gains_are_refused():
    with pytest.raises(OptionError, match="stiffness"):
        precise(arm(), ground=False).set_joint_gains(-1.0)


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("set_joint_positions", ({"shoulder": np.nan},), "position of joint 'shoulder'"),
        ("set_joint_positions", ({"shoulder": "up"},), "position of joint 'shoulder'"),
        ("set_joint_velocities", ({"shoulder": np.inf},), "velocity of joint 'shoulder'"),
        ("set_joint_targets", ({"shoulder": np.nan},), "target of joint 'shoulder'"),
        ("set_joint_targets", (None, None, {"shoulder": np.nan}), "effort of joint 'shoulder'"),
        ("apply_wrench", ("arm", (1.0, 2.0)), "force"),
        ("apply_wrench", ("arm", 5.0), "force"),
        ("apply_wrench", ("arm", (0, 0, 1), (np.nan, 0, 0)), "torque"),
        ("apply_wrench", ("arm", (0, 0, 1), (0, 0, 0), (1.0, 2.0)), "point"),
        ("apply_wrench", ("arm", (0, 0, 1), (0, 0, 0), None, np.nan), "duration"),
        ("set_body_state", ("base", (0.0, 0.0), (0, 0, 0, 1)), "position"),
        ("set_body_state", ("base", (0, 0, 0), (0, 0, 0, 0)), "^quaternion must be"),
        ("set_body_state", ("base", (1, 0, 0), (0, 0, 0, 1), (0, np.nan, 0)), "linear"),
        ("lift", (np.nan,), "height"),
    ],
)
def test_numbers_that_are_none_are_refused_before_anything_moves(name, arguments, said):
    simulation = precise(arm(), ground=False)
    before = simulation.state.body_q.numpy().copy()
    with pytest.raises(OptionError, match=said):
        getattr(simulation, name)(*arguments)
    assert np.array_equal(simulation.state.body_q.numpy(), before)


@pytest.mark.parametrize("method", ["move", "teleport", "set_body_state"])
@pytest.mark.parametrize("quaternion", [(0, 0, 0, 0), (1, 2), "up", [[0, 0, 0, 1], [1]], (0, 0, 0, np.nan)])
def test_invalid_quaternions_are_refused_by_name(method, quaternion):
    simulation = cube(ground=False, fixed_base=method != "set_body_state")
    before = simulation.state.body_q.numpy().copy()
    with pytest.raises(OptionError, match=r"^quaternion must be four finite numbers") as caught:
        getattr(simulation, method)("cube", position=(0, 0, 0), quaternion=quaternion)
    assert caught.value.value is quaternion
    assert np.array_equal(simulation.state.body_q.numpy(), before)


@pytest.mark.parametrize("options", [{"ground": "plane"}, {"gravity": -9.81}, {"gravity": (0, 0, np.nan)}])
def test_surroundings_that_are_none_are_refused(options):
    with pytest.raises(OptionError, match=next(iter(options))):
        cube(**options)


def test_a_path_is_no_robot():
    with pytest.raises(OptionError, match="load"):
        it.Simulation("robot.urdf")


def test_a_body_beyond_the_finite_numbers_is_named():
    simulation = cube(ground=False)
    simulation.apply_wrench("cube", [1e308, 0.0, 0.0], duration=-1.0)
    with pytest.raises(SimulationError, match="cube"):
        simulation.step(2000)


def test_mimic_joint_is_named_in_a_warning(caplog):
    robot = arm(extra='<mimic joint="shoulder"/>')
    with caplog.at_level(logging.WARNING):
        precise(robot, ground=False)
    assert "shoulder" in caplog.text
    assert "mimic" in caplog.text


# Joints


def test_set_joint_positions_moves_what_hangs_on_them():
    simulation = precise(arm(), ground=False)
    simulation.set_joint_positions({"shoulder": np.pi / 2})
    snapshot = simulation.snapshot()
    assert snapshot.joint_positions == pytest.approx({"shoulder": np.pi / 2})
    assert snapshot.positions[1] == pytest.approx(snapshot.positions[0] + [0.0, 0.0, 2.0])
    turned = [0.0, np.sqrt(0.5), 0.0, np.sqrt(0.5)]
    assert snapshot.quaternions[1] == pytest.approx(turned)


def test_set_joint_velocities_moves_the_centre_of_mass_on_its_circle():
    simulation = precise(arm(), ground=False, gravity=(0, 0, 0), fixed_base=True)
    simulation.set_joint_velocities({"shoulder": 2.0})
    snapshot = simulation.snapshot()
    assert snapshot.joint_velocities == pytest.approx({"shoulder": 2.0})
    assert snapshot.angular_velocities[1] == pytest.approx([0.0, 2.0, 0.0])
    assert snapshot.kinetic_energy == pytest.approx(0.5 * (1.0 * 1.0**2 + 0.01) * 4.0)
    simulation.step(240)
    assert simulation.snapshot().joint_positions["shoulder"] == pytest.approx(2.0, rel=1e-6)


@pytest.mark.parametrize("between", ['<joint type="ball"/>', '<joint type="slide"/><joint type="ball"/>', ""])
def test_a_joint_velocity_carries_all_that_hangs_beyond(between):
    """One more rad/s of the first joint adds a turn about its axis to all, whatever hangs on what without a name."""
    end = f'<body gravcomp="0.5" pos=".3 0 0">{between}<geom size=".05"/>{{}}</body>'
    arm = f'<body name="arm" pos="0 0 1"><joint name="j" axis="0 1 0"/><geom size=".1" pos=".1 0 0"/>{end}</body>'
    text = f"<mujoco><worldbody>{arm.format(end.format(''))}</worldbody></mujoco>"
    simulation = precise(it.load_text(text), ground=False)
    simulation.step(30)
    before = simulation.motion()
    simulation.set_joint_velocities({"j": 1.0 + simulation.snapshot().joint_velocities["j"]})
    added = simulation.motion().qd - before.qd
    for body in np.flatnonzero(simulation.model.moves):
        turn = np.cross([0.0, 1.0, 0.0], before.com(body) - [0.0, 0.0, 1.0])
        np.testing.assert_allclose(added[body], [*turn, 0.0, 1.0, 0.0], atol=1e-6)


@pytest.mark.parametrize("axis", ["1 0 0", "1 1 0"])
def test_prismatic_joint_slides_by_its_position(axis):
    simulation = precise(arm(axis, "prismatic"), ground=False)
    simulation.set_joint_positions({"shoulder": 0.3})
    unit = np.array([float(word) for word in axis.split()])
    unit /= np.linalg.norm(unit)
    snapshot = simulation.snapshot()
    assert snapshot.positions[1] - snapshot.positions[0] == pytest.approx([0.0, 0.0, 2.0] + 0.3 * unit)


def test_hold_keeps_every_joint_where_it_is():
    simulation = precise(arm(), ground=False, fixed_base=True)
    simulation.set_joint_positions({"shoulder": 1.0})
    simulation.hold()
    simulation.step(240)
    snapshot = simulation.snapshot()
    assert snapshot.joint_positions["shoulder"] == pytest.approx(1.0, abs=1e-12)
    assert abs(snapshot.joint_velocities["shoulder"]) < 1e-9


def test_hold_with_gains_sags_by_torque_over_stiffness():
    simulation = precise(arm(), ground=False, fixed_base=True)
    simulation.set_joint_positions({"shoulder": 1.0})
    simulation.hold(stiffness=500.0, damping=50.0)
    simulation.step(960)
    angle = simulation.snapshot().joint_positions["shoulder"]
    assert 500.0 * (1.0 - angle) == pytest.approx(9.81 * np.sin(angle), rel=1e-6)


def test_gains_by_name_targets_and_efforts():
    simulation = precise(arm(), ground=False, fixed_base=True)
    simulation.set_joint_gains({"shoulder": 500.0}, {"shoulder": 50.0})
    simulation.set_joint_targets(positions={"shoulder": 0.5}, efforts={"shoulder": 3.0})
    simulation.step(960)
    angle = simulation.snapshot().joint_positions["shoulder"]
    assert 500.0 * (0.5 - angle) + 3.0 == pytest.approx(9.81 * np.sin(angle), rel=1e-6)


# Pushes


def test_force_at_the_origin_of_a_cube_accelerates_it():
    simulation = cube(ground=False, gravity=(0, 0, 0))
    simulation.apply_wrench("cube", [4.0, 0.0, 0.0], duration=0.5)
    simulation.step(240)
    snapshot = simulation.snapshot()
    assert snapshot.linear_velocities[0] == pytest.approx([1.0, 0.0, 0.0], rel=2e-3)
    assert np.abs(snapshot.angular_velocities[0]).max() < 1e-9


def test_torque_spins_a_cube():
    simulation = cube(ground=False, gravity=(0, 0, 0))
    simulation.apply_wrench("cube", [0, 0, 0], [0.0, 0.0, 0.0133], duration=0.5)
    simulation.step(240)
    assert simulation.snapshot().angular_velocities[0] == pytest.approx([0.0, 0.0, 0.5], abs=2e-3)


def test_force_off_the_centre_twists_as_well():
    simulation = cube(ground=False, gravity=(0, 0, 0))
    simulation.apply_wrench("cube", [0.0, 0.0133, 0.0], point=[0.1, 0.0, 0.0], duration=1.0 / 240.0)
    simulation.step(2)
    assert simulation.snapshot().angular_velocities[0, 2] == pytest.approx(0.1 / 240.0, rel=0.1)


def test_a_force_at_a_point_of_a_turning_body_is_of_the_second_order():
    def spin_after(steps):
        simulation = cube(ground=False, gravity=(0, 0, 0), dt=0.2 / steps)
        simulation.set_body_state("cube", (0, 0, 0), (0, 0, 0, 1), (0, 0, 0), (0.5, -1.0, 2.0))
        simulation.apply_wrench("cube", [0.3, 0.1, 0.2], point=[0.1, 0.0, 0.05], duration=-1.0)
        simulation.step(steps)
        return simulation.motion().qd[0, 3:]

    true = spin_after(400)
    coarse, fine = (np.abs(spin_after(steps) - true).max() for steps in (10, 20))
    assert fine < 1e-3 * np.abs(true).max() and coarse / fine == pytest.approx(4.0, rel=0.1)


def test_duration_zero_is_one_step_and_negative_lasts_until_the_next_call():
    once, ever = (cube(ground=False, gravity=(0, 0, 0)) for _ in range(2))
    once.apply_wrench("cube", [2.0, 0.0, 0.0])
    ever.apply_wrench("cube", [2.0, 0.0, 0.0], duration=-1.0)
    for simulation in (once, ever):
        simulation.step(240)
    assert once.snapshot().linear_velocities[0, 0] == pytest.approx(1.0 / 240.0, rel=0.1)
    assert ever.snapshot().linear_velocities[0, 0] == pytest.approx(1.0, rel=2e-3)
    ever.apply_wrench("cube", [0.0, 0.0, 0.0])
    ever.step(2)
    speed = ever.snapshot().linear_velocities[0, 0]
    ever.step(24)
    assert ever.snapshot().linear_velocities[0, 0] == pytest.approx(speed, rel=1e-12)


# State


def test_set_body_state_is_what_the_snapshot_says():
    simulation = precise(arm(), ground=False)
    pose = it.Pose.from_xyz_rpy([1.0, 2.0, 3.0], [0.1, 0.2, 0.3])
    simulation.set_body_state("base", pose.position, pose.quaternion, [0.1, 0.2, 0.3], [1.0, 2.0, 3.0])
    snapshot = simulation.snapshot()
    assert snapshot.positions[0] == pytest.approx(pose.position)
    assert snapshot.quaternions[0] == pytest.approx(pose.quaternion)
    assert snapshot.linear_velocities[0] == pytest.approx([0.1, 0.2, 0.3])
    assert snapshot.angular_velocities[0] == pytest.approx([1.0, 2.0, 3.0])
    assert snapshot.joint_velocities["shoulder"] == pytest.approx(0.0, abs=1e-12)


def test_bolted_robot_cannot_be_moved():
    with pytest.raises(SimulationError, match="bolted"):
        precise(arm(), fixed_base=True, ground=False).set_body_state("base", [0, 0, 0], [0, 0, 0, 1])


FREE_ARM = """<mujoco><worldbody><body name="base" pos="0 0 2"><freejoint/>
  <inertial pos="0 0 0" mass="2" diaginertia="0.1 0.1 0.1"/><body name="arm" pos="0 0 0.2">
    <joint name="hinge" axis="0 1 0"/><inertial pos="0.3 0 0" mass="1" diaginertia="0.01 0.01 0.01"/></body>
</body></worldbody></mujoco>"""


def test_a_fixed_base_bolts_what_a_floating_joint_lets_go():
    """As in `convert`, and whatever the format: a free body of MJCF hangs on a joint of its root, the world."""
    simulation = precise(it.load_text(FREE_ARM), fixed_base=True, ground=False)
    assert simulation.fixed_base
    assert simulation.is_bolted("base")
    assert simulation.joint_names == ("hinge",)
    simulation.step(200)
    snapshot = simulation.snapshot()
    assert snapshot.positions[snapshot.names.index("base")].tolist() == [0.0, 0.0, 2.0]
    assert abs(snapshot.joint_positions["hinge"]) > 0.1


def test_reset_goes_back_to_the_start_to_the_last_bit():
    simulation = cube()
    simulation.lift(0.3)
    first = cube()
    first.step(60)
    simulation.apply_wrench("cube", [5.0, 1.0, 0.0], duration=-1.0)
    simulation.step(60)
    simulation.reset()
    assert simulation.time == 0.0
    simulation.step(60)
    assert np.array_equal(simulation.snapshot().positions, first.snapshot().positions)
    assert np.array_equal(simulation.snapshot().quaternions, first.snapshot().quaternions)


def test_time_is_counted_in_steps():
    simulation = cube(dt=0.01)
    simulation.step(7)
    assert simulation.time == pytest.approx(0.07)
    assert simulation.snapshot().time == simulation.time


def test_energies_of_a_thrown_cube():
    simulation = cube(ground=False)
    simulation.set_body_state("cube", [0, 0, 3.0], [0, 0, 0, 1], [1.0, 2.0, 2.0], [1.0, 0.0, 0.0])
    snapshot = simulation.snapshot()
    assert snapshot.kinetic_energy == pytest.approx(0.5 * 2.0 * 9.0 + 0.5 * 0.0133)
    assert snapshot.potential_energy == pytest.approx(2.0 * 9.81 * 3.0)
    simulation.step(100)
    later = simulation.snapshot()
    total = snapshot.kinetic_energy + snapshot.potential_energy
    assert later.kinetic_energy + later.potential_energy == pytest.approx(total, rel=1e-12)


# Contacts


def test_contacts_carry_the_weight_at_the_corners():
    simulation = cube()
    simulation.step(120)
    (contact,) = simulation.contacts()
    assert (contact.body_a, contact.body_b) == ("cube", "world")
    assert contact.forces.sum(axis=0) == pytest.approx([0.0, 0.0, simulation.weight], rel=1e-9, abs=1e-9)
    assert contact.normals == pytest.approx(np.tile([0.0, 0.0, 1.0], (len(contact.normals), 1)))
    assert (np.abs(contact.positions[:, :2]).max(axis=1) > 0.099).all()  # at the border, whose corners are rounded
    assert np.abs(contact.depths).max() < 1e-6


def test_nothing_touches_in_the_air():
    simulation = cube(pose=it.Pose(np.array([0.0, 0.0, 2.0])))
    simulation.step()
    assert simulation.contacts() == []


def test_without_ground_a_robot_falls():
    simulation = cube(ground=False, pose=it.Pose())
    simulation.step(240)
    assert simulation.snapshot().positions[0, 2] == pytest.approx(-0.5 * 9.81, abs=1e-11)


def test_links_of_one_robot_do_not_push_each_other():
    overlapping = urdf(link("base", SOLID, CUBE), link("arm", SOLID, BOX), joint("arm", origin="0 0 0.05"))
    simulation = precise(it.load_text(overlapping), ground=False, gravity=(0, 0, 0))
    simulation.step(24)
    assert np.abs(simulation.snapshot().linear_velocities).max() < 1e-12
