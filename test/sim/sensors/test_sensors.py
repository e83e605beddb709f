# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Sensors of URDF and SDFormat: what they measure follows from the motion that they are in."""

import logging

import numpy as np
import pytest
from robots import joint, link, mass, tensor, urdf

import inertia_tools as it
from inertia_tools.errors import ParseError
from inertia_tools.sim.sensors.rig import SensorRig
from inertia_tools.sim.sensors.sensor import ContactSensor, ForceTorque, Imu, Lidar, read_sensor
from inertia_tools.sim.simulation.soft_body import SoftBody, SoftBox

pytest.importorskip("warp", reason="warp-lang is not installed")

BOX = '<box size="0.2 0.2 0.2"/>'
CUBE = mass(2) + tensor(0.0133, 0.0133, 0.0133)
G = 9.81
STEPS = pytest.mark.parametrize(
    ("dt", "substeps", "dtype"),
    [(1 / 1000, 1, "float64"), (1 / 240, 4, "float32"), (1 / 240, 4, "float64"), (1 / 60, 4, "float32"),
     (1 / 60, 4, "float64"), (1 / 60, 1, "float64")],
)  # fmt: skip


def sensor(kind, inside="", name=""):
    return f'<sensor name="{name or kind}" type="{kind}">{inside}</sensor>'


def on(reference, *sensors):
    return f'<gazebo reference="{reference}">{"".join(sensors)}</gazebo>'


def hinge(child):
    """Write a joint that turns without limits about y."""
    return joint(child, type_="continuous", origin="0 0 0").replace('axis xyz="0 0 1"', 'axis xyz="0 1 0"')


def simulation(text, **options):
    sim = it.Simulation(it.load_text(text), **{"dtype": "float64", "dt": 1e-3, **options})
    rig = SensorRig(sim)
    return sim, rig


def run(sim, rig, steps):
    for _ in range(steps):
        sim.step()
        rig.observe()


# Inertial measurement


def test_an_imu_at_rest_feels_the_ground_in_its_own_axes():
    tilted = "<pose>0 0 0 0 1.5707963267948966 0</pose>"
    sim, rig = simulation(urdf(link("cube", CUBE, BOX), on("cube", sensor("imu", tilted))))
    run(sim, rig, 50)
    reading = rig.imu(rig.sensors[0])
    assert reading.acceleration == pytest.approx([-G, 0.0, 0.0], abs=1e-6)
    assert reading.angular_velocity == pytest.approx(np.zeros(3), abs=1e-9)
    assert reading.quaternion == pytest.approx([0.0, np.sqrt(0.5), 0.0, np.sqrt(0.5)], abs=1e-9)


def test_an_imu_that_falls_and_spins_feels_the_spin_alone():
    off = "<pose>0.3 0 0 0 0 0</pose>"
    sim, rig = simulation(urdf(link("cube", CUBE, BOX), on("cube", sensor("imu", off))), ground=False)
    sim.set_body_state("cube", [0, 0, 0], [0, 0, 0, 1], angular=[0, 0, 4.0])
    rig.forget()
    run(sim, rig, 100)
    reading = rig.imu(rig.sensors[0])
    assert reading.acceleration == pytest.approx([-0.3 * 16.0, 0.0, 0.0], abs=1e-6)
    assert reading.angular_velocity == pytest.approx([0.0, 0.0, 4.0], abs=1e-9)


@STEPS
def test_an_imu_that_spins_is_pulled_towards_the_axis_alone(dt, substeps, dtype):
    """Its axes turn by 0.33 rad in a step of 1/60 s."""
    off = "<pose>0.3 0 0 0 0 0</pose>"
    text = urdf(link("cube", CUBE, BOX), on("cube", sensor("imu", off)))
    sim, rig = simulation(text, ground=False, dt=dt, substeps=substeps, dtype=dtype)
    sim.set_body_state("cube", [0, 0, 0], [0, 0, 0, 1], linear=[2.0, -1.0, 0.5], angular=[0, 0, 20.0])
    rig.forget()
    run(sim, rig, 30)
    reading = rig.imu(rig.sensors[0])
    assert reading.acceleration == pytest.approx([-0.3 * 400.0, 0.0, 0.0], abs=1e-6 if dtype == "float64" else 1e-2)


@STEPS
def test_an_imu_at_the_axis_of_what_is_thrown_and_tumbles_feels_nothing(dt, substeps, dtype):
    sim, rig = simulation(
        urdf(link("cube", CUBE, BOX), on("cube", sensor("imu"))), ground=False, dt=dt, substeps=substeps, dtype=dtype
    )
    sim.set_body_state("cube", [0, 0, 0], [0, 0, 0, 1], linear=[3.0, 0.0, 4.0], angular=[6.0, -8.0, 20.0])
    rig.forget()
    run(sim, rig, 30)
    assert rig.imu(rig.sensors[0]).acceleration == pytest.approx(np.zeros(3), abs=1e-6 if dtype == "float64" else 2e-3)


@pytest.mark.parametrize("steps", [1, 4])
def test_an_imu_that_falls_and_is_read_after_several_steps_feels_nothing(steps):
    sim, rig = simulation(urdf(link("cube", CUBE, BOX), on("cube", sensor("imu"))), ground=False)
    for _ in range(3):
        sim.step(steps)
        rig.observe()
        assert rig.imu(rig.sensors[0]).acceleration == pytest.approx(np.zeros(3), abs=1e-9)
    sim.reset()
    rig.observe()
    assert rig.imu(rig.sensors[0]).acceleration == pytest.approx([0.0, 0.0, G], abs=1e-9)


# Force and torque


ARM = (
    link("base", mass(6) + tensor(0.04, 0.04, 0.04), BOX),
    link("rod", f'<origin xyz="0.5 0 0"/>{mass(2)}{tensor(0.01, 0.2, 0.2)}'),
    link("tool", f'<origin xyz="0.1 0 0"/>{mass(1)}{tensor(0.01, 0.01, 0.01)}'),
    joint("rod", origin="0 0 1").replace('0 0 1"/><limit', '0 1 0"/><limit'),
    '<joint name="wrist" type="fixed"><parent link="rod"/><child link="tool"/><origin xyz="1 0 0"/></joint>',
)


@pytest.mark.parametrize("name", ["rod_joint", "wrist"])
def test_a_joint_at_rest_carries_what_hangs_on_it(name):
    """Also a fixed one, which is no joint of the simulation."""
    settings = "<force_torque><measure_direction>parent_to_child</measure_direction></force_torque>"
    text = urdf(*ARM, on(name, sensor("force_torque", settings)))
    sim, rig = simulation(text, fixed_base=True)
    sim.hold()
    run(sim, rig, 20)
    (ft,) = rig.sensors
    assert isinstance(ft, ForceTorque)
    reading = rig.force_torque(ft)
    weight, lever = (3.0, 2.0 * 0.5 + 1.0 * 1.1) if name == "rod_joint" else (1.0, 0.1)
    assert reading.force == pytest.approx([0.0, 0.0, weight * G], abs=1e-5)
    assert reading.torque == pytest.approx([0.0, -lever * G, 0.0], abs=1e-5)


@pytest.mark.parametrize(("name", "weight", "lever"), [("rod_joint", 2.0, 1.0), ("wrist", 0.0, 0.0)])
def test_a_joint_does_not_carry_what_feels_no_gravity(name, weight, lever):
    text = urdf(*ARM, on("tool", "<gravity>false</gravity>"), on(name, sensor("force_torque")))
    sim, rig = simulation(text, fixed_base=True)
    sim.hold()
    run(sim, rig, 20)
    reading = rig.force_torque(rig.sensors[0])  # of the child on the parent, by default
    assert reading.force == pytest.approx([0.0, 0.0, -weight * G], abs=1e-5)
    assert reading.torque == pytest.approx([0.0, lever * G, 0.0], abs=1e-5)


def test_directions_and_axes_are_those_asked_for():
    turned = "<pose>0 0 0 0 0 1.5707963267948966</pose><force_torque><frame>sensor</frame></force_torque>"
    text = urdf(*ARM, on("wrist", sensor("force_torque", turned)))
    sim, rig = simulation(text, fixed_base=True)
    sim.hold()
    run(sim, rig, 20)
    reading = rig.force_torque(rig.sensors[0])  # of the child on the parent, by default
    assert reading.force == pytest.approx([0.0, 0.0, -G], abs=1e-5)
    assert reading.torque == pytest.approx([0.1 * G, 0.0, 0.0], abs=1e-5)


def test_a_wrench_is_the_same_in_whatever_frame_it_is_told():
    """About the origin of that frame, in its axes; the joint is turned, and the sensor stands off it."""
    poses = "<pose>0.1 0.2 0.3 0.4 0.5 0.6</pose><force_torque><frame>{}</frame></force_torque>"
    sensors = [sensor("force_torque", poses.format(axes), axes) for axes in ("child", "parent", "sensor")]
    turned = '<origin xyz="0.3 0 0" rpy="0 0 1"/>'
    text = urdf(*ARM[:3], *[one.replace('<origin xyz="0 0 1"/>', turned) for one in ARM[3:]], on("rod_joint", *sensors))
    sim, rig = simulation(text, fixed_base=True)
    sim.set_joint_positions({"rod_joint": 0.7})
    sim.hold()
    rig.forget()
    run(sim, rig, 3)
    in_world = []
    for one in rig.sensors:
        (link, pose), reading = rig.frame_of(one), rig.force_torque(one)
        frame = sim.motion().pose(sim.places[link].body) @ sim.places[link].pose_body_link @ pose
        force = frame.rotation @ reading.force
        in_world.append([*force, *frame.rotation @ reading.torque + np.cross(frame.position, force)])
    assert [rig.frame_of(one)[0] for one in rig.sensors] == ["rod", "base", "rod"]
    assert np.linalg.norm(in_world[0]) > G
    np.testing.assert_allclose(in_world[1:], in_world[:1] * 2, atol=1e-6)


def test_a_falling_joint_carries_what_its_motion_takes():
    """A free hinge carries no torque about its axis, whatever it does; all links together give the reaction."""
    settings = "<force_torque><measure_direction>parent_to_child</measure_direction></force_torque>"
    sim, rig = simulation(urdf(*ARM, on("rod_joint", sensor("force_torque", settings))), fixed_base=True, ground=False)
    sim.set_joint_gains(0.0)
    run(sim, rig, 200)
    reading = rig.force_torque(rig.sensors[0])
    assert abs(sim.snapshot().joint_velocities["rod_joint"]) > 1.0
    assert reading.torque[1] == pytest.approx(0.0, abs=1e-3)
    reactions = it.Simulation(sim.robot, dtype="float64", dt=1e-3, fixed_base=True, ground=False, reactions=True)
    reactions.set_joint_gains(0.0)
    reactions.step(200)
    (body,) = {place.body for name, place in reactions.places.items() if name == "rod"}
    in_world = reactions.state.body_parent_f.numpy()[body, :3]
    turn = reactions.motion().pose(body).rotation
    assert reading.force == pytest.approx(turn.T @ in_world, abs=2e-2)


def test_a_wrist_feels_what_its_tool_touches():
    """The rod is held level; a tool that stands on the ground takes a part of the weight that the joint lacks."""
    tool = link("tool", f'<origin xyz="0.1 0 0"/>{mass(1)}{tensor(0.01, 0.01, 0.01)}', '<sphere radius="0.1"/>')
    settings = "<force_torque><frame>parent</frame></force_torque>"
    text = urdf(*ARM[:2], tool, *ARM[3:], on("wrist", sensor("force_torque", settings), sensor("contact")))
    sim, rig = simulation(text, fixed_base=True, pose=it.Pose(np.array([0.0, 0.0, -0.88])))
    sim.set_joint_gains(50.0, 5.0)
    run(sim, rig, 1500)
    ft = next(one for one in rig.sensors if isinstance(one, ForceTorque))
    (touch,) = sim.contacts("tool", "world")
    assert touch.force[2] > 1.0
    turn = sim.motion().pose(sim.places["rod"].body).rotation
    expected = -(np.array([0.0, 0.0, G]) - touch.force)
    assert rig.force_torque(ft).force == pytest.approx(turn.T @ expected, abs=1e-2)


PENDULUM = (
    link("base", mass(5) + tensor(0.1, 0.1, 0.1), BOX),
    link("rod", f'<origin xyz="0 0 -0.5"/>{mass(1)}{tensor(0.05, 0.05, 0.05)}'),
    hinge("rod"),
)
TO_CHILD = "<force_torque><measure_direction>parent_to_child</measure_direction><frame>{}</frame></force_torque>"


@pytest.mark.parametrize(("dt", "substeps"), [(1 / 60, 4), (1 / 240, 4), (1 / 500, 4)])
def test_a_free_hinge_carries_no_torque_about_its_axis_however_long_the_step(dt, substeps):
    """The pendulum turns at up to 9 rad/s; its angular momentum changes by gravity alone, the rest is second order."""
    text = urdf(*PENDULUM, on("rod_joint", sensor("force_torque", TO_CHILD.format("child"))))
    sim, rig = simulation(text, fixed_base=True, ground=False, dt=dt, substeps=substeps)
    sim.set_joint_gains(0.0)
    sim.set_joint_positions({"rod_joint": 2.0})
    rig.forget()
    run(sim, rig, 3)
    inertia, lever = 0.05 + 1.0 * 0.5**2, 0.5
    for _ in range(round(1.0 / dt)):
        before = sim.snapshot()
        run(sim, rig, 1)
        after, reading = sim.snapshot(), rig.force_torque(rig.sensors[0])
        angle, rate = (
            0.5 * (getattr(before, name)["rod_joint"] + getattr(after, name)["rod_joint"])
            for name in ("joint_positions", "joint_velocities")
        )
        along = lever * rate**2 + G * np.cos(angle)
        across = lever * (lever * G * np.sin(angle) / inertia) - G * np.sin(angle)
        assert reading.torque == pytest.approx(np.zeros(3), abs=30.0 * dt**2)
        assert reading.force == pytest.approx([across, 0.0, along], abs=100.0 * dt**2)


@STEPS
def test_what_spins_with_a_thrown_base_is_held_towards_the_axis(dt, substeps, dtype):
    """Also by a fixed joint, whose two links are one body; they go round their common centre of mass."""
    wrist = '<joint name="w" type="fixed"><parent link="base"/><child link="tool"/><origin xyz="0.6 0 0"/></joint>'
    links = link("base", CUBE), link("tool", mass(1) + tensor(0.001, 0.001, 0.001))
    text = urdf(*links, wrist, on("w", sensor("force_torque", TO_CHILD.format("child"))))
    sim, rig = simulation(text, ground=False, dt=dt, substeps=substeps, dtype=dtype)
    sim.set_body_state("base", [0, 0, 0], [0, 0, 0, 1], linear=[1.0, 2.0, 3.0], angular=[0, 0, 20.0])
    rig.forget()
    run(sim, rig, 30)
    reading, near = rig.force_torque(rig.sensors[0]), 1e-6 if dtype == "float64" else 2e-2
    assert reading.force == pytest.approx([-1.0 * 400.0 * 0.6 * 2.0 / 3.0, 0.0, 0.0], abs=near)
    assert reading.torque == pytest.approx(np.zeros(3), abs=near)


@STEPS
def test_sensors_of_an_arm_on_a_base_that_is_driven_feel_its_turning(dt, substeps, dtype):
    """The tool, held 0.5 m from the axis, goes on a path that the chords of steps cut, which is second order."""
    turning = hinge("tool").replace('xyz="0 0 0"', 'xyz="0.5 0 0"')
    links = link("base", mass(20) + tensor(1, 1, 1)), link("tool", mass(1) + tensor(0.01, 0.01, 0.01))
    on_joint = on("tool_joint", sensor("force_torque", TO_CHILD.format("child")))
    text = urdf(*links, turning, on_joint, on("tool", sensor("imu")))
    sim, rig = simulation(text, fixed_base=True, ground=False, dt=dt, substeps=substeps, dtype=dtype)
    sim.hold()
    sim.move("base", linear=[1.0, 0.0, 0.0], angular=[0.0, 0.0, 5.0])
    run(sim, rig, round(0.5 / dt))
    by_kind, near = {type(one): one for one in rig.sensors}, 30.0 * dt**2 + (1e-4 if dtype == "float64" else 5e-2)
    reading = rig.force_torque(by_kind[ForceTorque])
    assert reading.force == pytest.approx([-0.5 * 25.0, 0.0, G], abs=near)
    assert reading.torque == pytest.approx(np.zeros(3), abs=near)
    assert rig.imu(by_kind[Imu]).acceleration == pytest.approx([-0.5 * 25.0, 0.0, G], abs=near)


@STEPS
def test_an_axle_carries_the_weight_of_a_wheel_that_spins(dt, substeps, dtype):
    text = urdf(
        link("base", mass(5) + tensor(0.1, 0.1, 0.1), BOX),
        link("rod", mass(2) + tensor(0.01, 0.02, 0.01)),
        hinge("rod"),
        on("rod_joint", sensor("force_torque", TO_CHILD.format("parent"))),
    )
    sim, rig = simulation(text, fixed_base=True, ground=False, dt=dt, substeps=substeps, dtype=dtype)
    sim.set_joint_gains(0.0)
    sim.set_joint_velocities({"rod_joint": 20.0})
    rig.forget()
    run(sim, rig, 30)
    reading, near = rig.force_torque(rig.sensors[0]), 1e-6 if dtype == "float64" else 2e-2
    assert reading.force == pytest.approx([0.0, 0.0, 2.0 * G], abs=near)
    assert reading.torque == pytest.approx(np.zeros(3), abs=near)


@pytest.mark.filterwarnings("ignore:a wrench on 'tool' has no effect")  # as the fixed one moves nothing
@pytest.mark.parametrize("kind", ["fixed", "revolute"])
@STEPS
def test_a_wrist_feels_what_pulls_its_tool(kind, dt, substeps, dtype):
    """The tool is pulled up by its tip, in single steps too: it acts in the step that the reading is of."""
    wrist = (
        f'<joint name="w" type="{kind}"><parent link="base"/><child link="tool"/><origin xyz="0.5 0 0"/>'
        '<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1000" velocity="10"/></joint>'
    )
    links = link("base", mass(20) + tensor(1, 1, 1)), link("tool", mass(1) + tensor(0.01, 0.01, 0.01))
    text = urdf(*links, wrist, on("w", sensor("force_torque", TO_CHILD.format("child"))))
    sim, rig = simulation(text, fixed_base=True, dt=dt, substeps=substeps, dtype=dtype)
    sim.hold()
    near = 1e-4 if dtype == "float64" else 0.05  # the tip is placed by the spin, which is of the second order
    for _ in range(5):
        sim.apply_wrench("tool", [0.0, 0.0, 10.0], [0.0, 0.0, 3.0], point=[0.2, 0.0, 0.0])
        run(sim, rig, 1)
    reading = rig.force_torque(rig.sensors[0])
    assert reading.force == pytest.approx([0.0, 0.0, G - 10.0], abs=near)
    assert reading.torque == pytest.approx([0.0, 0.2 * 10.0, -3.0], abs=near)
    run(sim, rig, 5)
    assert rig.force_torque(rig.sensors[0]).force == pytest.approx([0.0, 0.0, G], abs=near)


@STEPS
def test_a_wrist_of_a_pulled_robot_feels_what_its_tool_takes(dt, substeps, dtype):
    """A force on the tool of a robot that nothing holds moves all of it; the joint takes what the base needs."""
    wrist = '<joint name="w" type="fixed"><parent link="base"/><child link="tool"/></joint>'
    links = link("base", CUBE), link("tool", mass(1) + tensor(0.001, 0.001, 0.001))
    text = urdf(*links, wrist, on("w", sensor("force_torque", TO_CHILD.format("child"))))
    sim, rig = simulation(text, ground=False, dt=dt, substeps=substeps, dtype=dtype)
    sim.apply_wrench("tool", [6.0, 0.0, 0.0], duration=-1.0)
    run(sim, rig, 20)
    reading, near = rig.force_torque(rig.sensors[0]), 1e-5 if dtype == "float64" else 2e-2
    assert reading.force == pytest.approx([-4.0, 0.0, 0.0], abs=near)
    assert reading.torque == pytest.approx(np.zeros(3), abs=near)


@pytest.mark.sweep
@pytest.mark.parametrize("kind", ["fixed", "revolute"])
@pytest.mark.parametrize(("dt", "substeps", "dtype"), [(1 / 240, 4, "float64"), (1 / 60, 4, "float32")])
def test_a_wrist_feels_a_soft_block_that_lies_on_its_tool(kind, dt, substeps, dtype):
    wrist = (
        f'<joint name="w" type="{kind}"><parent link="base"/><child link="tool"/><origin xyz="0.5 0 0"/>'
        '<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1000" velocity="10"/></joint>'
    )
    tool = link("tool", mass(1) + tensor(0.01, 0.01, 0.01), '<box size="0.4 0.4 0.1"/>')
    settings = on("w", sensor("force_torque", TO_CHILD.format("child")), sensor("contact"))
    robot = it.load_text(urdf(link("base", mass(20) + tensor(1, 1, 1)), tool, wrist, settings))
    made = SoftBox(size=[0.2, 0.2, 0.1], cells=[2, 2, 1], density=500.0, young=1e5, damping=0.02)
    block = SoftBody("block", made, it.Pose(np.array([0.45, -0.1, 1.051])))
    arm = it.Entity("arm", robot, it.Pose(np.array([0.0, 0.0, 1.0])), fixed_base=True, soft=(block,))
    sim = it.Simulation([arm], dt=dt, substeps=substeps, dtype=dtype)
    sim.hold()
    rig = SensorRig(sim)
    run(sim, rig, round(2.0 / dt))
    by_kind = {type(one): one for one in rig.sensors}
    reading = rig.force_torque(by_kind[ForceTorque])
    assert reading.force == pytest.approx([0.0, 0.0, 3.0 * G], abs=2e-2)
    assert reading.torque == pytest.approx([0.0, -0.05 * 2.0 * G, 0.0], abs=5e-3)
    (touch,) = rig.contact(by_kind[ContactSensor])
    assert (touch.body_a, touch.body_b) == ("arm::tool", "arm::block")
    assert touch.force == pytest.approx([0.0, 0.0, -2.0 * G], abs=2e-2)
    assert touch.positions[:, 2] == pytest.approx(1.05, abs=2e-4)
    assert touch.normals == pytest.approx(np.tile([0.0, 0.0, -1.0], (len(touch.normals), 1)), abs=1e-6)
    assert np.abs(touch.depths).max() < 2e-4


# Contact and range


SDF = f"""<sdf version="1.9"><model name="m"><link name="cube"><inertial><mass>2</mass></inertial>
<collision name="c"><geometry><box><size>0.2 0.2 0.2</size></box></geometry></collision>
{sensor("contact", "<contact><collision>c</collision></contact>")}
{
    sensor(
        "gpu_lidar",
        "<topic>scan</topic><gz_frame_id>eye</gz_frame_id><update_rate>10</update_rate><pose>0 0 0.05 0 0 0</pose>"
        "<lidar><scan><horizontal><samples>5</samples><min_angle>-1.5707963267948966</min_angle>"
        "<max_angle>1.5707963267948966</max_angle></horizontal></scan><range><min>0.5</min><max>3</max></range></lidar>",
    )
}
{sensor("camera")}</link></model></sdf>"""


def test_sensors_of_sdformat_are_read_and_others_named(caplog):
    with caplog.at_level(logging.WARNING):
        _, rig = simulation(SDF)
    contact, lidar = rig.sensors
    assert isinstance(contact, ContactSensor)
    assert (lidar.topic, lidar.frame, lidar.rate, lidar.link) == ("scan", "eye", 10.0, "cube")
    assert "'camera' is not simulated" in caplog.text


def test_a_contact_sensor_feels_its_link():
    sim, rig = simulation(SDF)
    run(sim, rig, 20)
    (contact,) = rig.contact(rig.sensors[0])
    assert (contact.body_a, contact.body_b) == ("cube", "world")
    assert contact.force == pytest.approx([0, 0, 2 * G], abs=1e-3)


def test_a_lidar_measures_from_where_it_is_and_does_not_see_itself():
    wall = it.load_text(urdf(link("wall", CUBE, '<box size="0.2 10 2"/>')))
    entities = [it.Entity("", it.load_text(SDF)), it.Entity("wall", wall, it.Pose(np.array([2.1, 0.0, 1.0])), True)]
    sim = it.Simulation(entities)
    rig = SensorRig(sim)
    lidar = next(one for one in rig.sensors if isinstance(one, Lidar))
    assert rig.lidar(lidar) == pytest.approx([np.inf, 2.0 * np.sqrt(2.0), 2.0, 2.0 * np.sqrt(2.0), np.inf], abs=1e-6)
    sim.set_body_state("cube", [1.7, 0.0, 0.1], [0, 0, 0, 1])
    assert rig.lidar(lidar)[2] == -np.inf


@pytest.mark.parametrize(
    ("block", "said"),
    [
        ('<sensor name="s"/>', "'type'"),
        (sensor("imu", "<update_rate>-1</update_rate>"), "update_rate"),
        (sensor("imu", "<update_rate>fast</update_rate>"), "update_rate"),
        (sensor("force_torque"), "must be on a joint"),
        (sensor("lidar"), "<lidar>"),
        (sensor("ray", "<ray><range/></ray>"), "<scan>"),
        (
            sensor("ray", "<ray><scan><horizontal><samples>0</samples></horizontal></scan><range/></ray>"),
            "1 to 100000 rays",
        ),
        (
            sensor("ray", "<ray><scan><horizontal/></scan><range><min>2</min><max>1</max></range></ray>"),
            "min must be between",
        ),
    ],
)
def test_what_makes_no_sense_is_left_out_with_its_line(block, said, caplog):
    text = urdf(link("cube", CUBE, BOX), on("cube", block, sensor("imu")), on("tail", sensor("imu")))
    robot = it.load_text(text)
    assert "'tail'" in caplog.text
    with pytest.raises(ParseError, match=said) as caught:
        read_sensor(robot.sensors[0])
    assert caught.value.line == 3
    _, rig = simulation(text)
    assert [type(one) for one in rig.sensors] == [Imu]
    assert said in caplog.text


# Loops


FOUR_BARS = """<sdf version="1.9"><model name="m">
<link name="left"><pose>0 0 0.5 0 0 0</pose><inertial><mass>1</mass></inertial></link>
<link name="right"><pose>1 0 0.5 0 0 0</pose><inertial><mass>1</mass></inertial></link>
<link name="top"><pose>0.5 0 1 0 0 0</pose><inertial><mass>2</mass></inertial></link>
<link name="tool"><pose>0.5 0 1.2 0 0 0</pose><inertial><mass>3</mass></inertial></link>
{}</model></sdf>"""
BARS = {
    "foot": ("revolute", "0 0 -0.5", "world", "left"), "other_foot": ("revolute", "0 0 -0.5", "world", "right"),
    "knee": ("revolute", "-0.5 0 0", "left", "top"), "closing": ("revolute", "0 0 0.5", "top", "right"),
    "mast": ("fixed", "0 0 -0.1", "top", "tool"),
}  # fmt: skip


def bar_joint(name):
    kind, place, parent, child = BARS[name]
    axis = "<axis><xyz>0 1 0</xyz></axis>" if kind == "revolute" else ""
    return (
        f'<joint name="{name}" type="{kind}"><pose>{place} 0 0 0</pose><parent>{parent}</parent>'
        f"<child>{child}</child>{axis}{sensor('force_torque', name=name + '_load')}</joint>"
    )


def test_sensors_in_loops_are_named_and_those_beyond_them_measure(caplog):
    sim, rig = simulation(FOUR_BARS.format("".join(map(bar_joint, BARS))), ground=False)
    assert [one.name for one in rig.sensors] == ["mast_load"]
    for name in set(BARS) - {"mast"}:
        assert f"{name!r} is in a loop" in caplog.text
    run(sim, rig, 5)
    assert rig.force_torque(rig.sensors[0]).force == pytest.approx([0.0, 0.0, -3.0 * G], abs=1e-2)


@pytest.mark.parametrize("name", ["shoulder", "other"])
def test_a_joint_that_gives_a_link_a_second_parent_carries_what_hangs_on_it(name):
    """The second joint's parent hangs on its child, so a force on the parent is one on the child."""
    text = f"""<sdf version="1.9"><model name="m">
    <link name="arm"><pose>0.5 0 1 0 0 0</pose><inertial><mass>2</mass></inertial></link>
    <link name="load"><pose>1.5 0 1 0 0 0</pose><inertial><mass>3</mass></inertial></link>
    <joint name="shoulder" type="fixed"><parent>world</parent><child>arm</child>{sensor("force_torque", name="shoulder")}
    </joint><joint name="other" type="fixed"><parent>load</parent><child>arm</child>{sensor("force_torque", name="other")}
    </joint></model></sdf>"""
    sim, rig = simulation(text, ground=False)
    run(sim, rig, 5)
    found = {one.name: rig.force_torque(one) for one in rig.sensors}
    weight = {"shoulder": -5.0 * G, "other": 3.0 * G}[name]  # of the child on the parent
    assert found[name].force == pytest.approx([0.0, 0.0, weight], abs=1e-4)
