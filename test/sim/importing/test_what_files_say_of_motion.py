# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What files say of springs, starts and friction of joints and links acts in a simulation, as in Gazebo."""

import pytest

import inertia_tools as it
from inertia_tools.errors import OptionError

LINK = (
    '<link name="{}"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/>'
    "</inertial>{}</link>"
)
SHAPE = '<collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision>'
ARM = (
    '<robot name="r">' + LINK.format("base", "") + LINK.format("arm", "") + '<joint name="j" type="{type}">'
    '<parent link="base"/><child link="arm"/><axis xyz="0 0 1"/><limit lower="-9" upper="9" effort="0" velocity="99"/>'
    '<dynamics damping="5"/></joint>{more}</robot>'
)
SDF = """<sdf version="{version}"><world name="w">{world}<model name="m"><link name="base"><inertial><mass>1</mass></inertial>
</link><link name="arm"><inertial><mass>1</mass></inertial></link><joint name="f" type="fixed"><parent>world</parent>
<child>base</child></joint><joint name="j" type="prismatic"><parent>base</parent><child>arm</child><axis>
<xyz>0 0 1</xyz><dynamics><damping>5</damping>{dynamics}</dynamics></axis></joint></model></world></sdf>"""
SPRING = "<spring_stiffness>100</spring_stiffness><spring_reference>0.2</spring_reference>"


def joint_after(text, seconds=8.0, **options):
    sim = it.Simulation(it.load_text(text), ground=False, dtype="float64", fixed_base=True, **options)
    sim.step(round(seconds * 240))
    seen = sim.snapshot()
    return seen.joints[-1, 0]


@pytest.mark.parametrize(
    "text",
    [
        SDF.format(version="1.9", world="", dynamics=SPRING),
        ARM.format(
            type="prismatic",
            more='<gazebo reference="j"><springStiffness>100</springStiffness><springReference value="0.2"/></gazebo>',
        ),
    ],
    ids=["sdf", "urdf"],
)
def test_springs_of_joints_hold(text):
    assert joint_after(text) == pytest.approx(0.2 - 9.81 / 100.0, abs=1e-6)


def test_gravity_stands_in_the_physics_of_old_worlds():
    world = "<physics><gravity>0 0 -1.62</gravity></physics>"
    assert joint_after(SDF.format(version="1.5", world=world, dynamics=SPRING)) == pytest.approx(0.2 - 0.0162, abs=1e-6)


def test_joints_start_where_ros2_control_says():
    start = (
        '<ros2_control name="c" type="system"><joint name="j"><state_interface name="position">'
        '<param name="initial_value">1.2</param></state_interface><state_interface name="velocity">'
        '<param name="initial_value">7</param></state_interface></joint></ros2_control>'
    )
    text = ARM.format(type="revolute", more=start)
    assert joint_after(text, 0.0) == pytest.approx(1.2)
    builder = it.ModelBuilder()
    builder.add_urdf(text)
    assert builder.joint_q[-1] == pytest.approx(1.2)


SLIDER = '<robot name="r">' + LINK.format("box", SHAPE) + "{}</robot>"


@pytest.mark.parametrize(
    ("said", "mu"),
    [
        ("<mu1>0.1</mu1>", 0.1),
        ('<mu1 value="0.1"/>', 0.1),
        ("<collision><surface><friction><ode><mu>0.1</mu></ode></friction></surface></collision>", 0.1),
        ("<mu1>slippery</mu1>", 1.0),
    ],
)
def test_friction_for_gazebo_is_read_as_gazebo_reads_it(said, mu):
    builder = it.ModelBuilder()
    builder.add_urdf(SLIDER.format(f'<gazebo reference="box">{said}</gazebo>'))
    assert [shape.config.mu for shape in builder.shapes] == [mu]


def test_self_collision_of_a_whole_robot():
    said = "<gazebo><self_collide>true</self_collide></gazebo>"
    robot = it.load_text(ARM.format(type="revolute", more=said))
    assert all(link.self_collides for link in robot.links.values())


PLANE = """<link name="floor"><collision name="c"><geometry><plane/></geometry>{}</collision></link>"""
ODE = "<surface><friction><ode><mu>{}</mu></ode></friction></surface>"
SDF_BOX = """<sdf version="1.9"><world name="w"><gravity>3 0 -9.81</gravity><model name="f"><static>1</static>{}</model>
<model name="m"><pose>0 0 0.1 0 0 0</pose><link name="box"><inertial><mass>1</mass></inertial>
<collision name="c"><geometry><box><size>0.2 0.2 0.2</size></box></geometry>{}</collision></link></model></world></sdf>"""
MJCF_BOX = """<mujoco><option gravity="8 0 -9.81"/><worldbody><geom type="plane" size="9 9 9" friction="{}"/>
<body pos="0 0 0.1"><freejoint/><geom type="box" size="0.1 0.1 0.1" friction="{}"/></body></worldbody></mujoco>"""


STAGE = """#usda 1.0
(
    upAxis = "Z"
    metersPerUnit = 1
)
def Material "ice" (prepend apiSchemas = ["PhysicsMaterialAPI"]) {
    float physics:dynamicFriction = 0
    float physics:staticFriction = 0
}
def Cube "floor" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {
    double size = 20
    double3 xformOp:translate = (0, 0, -10)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
def Cube "box" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "MaterialBindingAPI"]) {
    double size = 0.2
    double3 xformOp:translate = (0, 0, 0.1)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    rel material:binding:physics = </ice>
}
"""


def speed_of(robot, **options):
    sim = it.Simulation(robot, dtype="float64", **options)
    sim.step(240)
    return sim.snapshot().states[-1, 7]


@pytest.mark.parametrize(("below", "above"), [(1.0, 0.0), (0.0, 1.0), (0.2, 0.1), (100.0, 0.2)])
def test_a_pair_has_the_smaller_friction_in_sdformat_and_the_larger_one_in_mjcf(below, above):
    """As in Gazebo and in MuJoCo: casters without friction slide on any floor."""
    sdf = it.load_text(SDF_BOX.format(PLANE.format(ODE.format(below)), ODE.format(above)))
    least = max(0.0, 3.0 - 9.81 * min(below, above))
    assert speed_of(sdf) == pytest.approx(least, abs=1e-6)
    mean = max(0.0, 3.0 - 9.81 * 0.5 * (below + above))
    assert speed_of(sdf, friction_combine="mean") == pytest.approx(mean, abs=1e-6)
    mjcf = it.load_text(MJCF_BOX.format(below, above))
    assert speed_of(mjcf) == pytest.approx(max(0.0, 8.0 - 9.81 * max(below, above)), abs=1e-6)


def test_a_rule_that_is_none_is_refused():
    with pytest.raises(OptionError, match="friction_combine"):
        it.Simulation(it.load_text(SLIDER.format("")), friction_combine="sum")


def test_a_pair_of_a_stage_has_the_mean(tmp_path):
    file = tmp_path / "box.usda"
    file.write_text(STAGE)
    assert speed_of(it.load(file), gravity=(7.0, 0.0, -9.81)) == pytest.approx(7.0 - 9.81 * 0.5, abs=1e-5)
