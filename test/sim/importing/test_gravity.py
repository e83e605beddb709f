# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Gravity as files state it: of the world, and of links that feel a part of it or none."""

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.errors import OptionError, ParseError
from inertia_tools.sim.settle import settle
from inertia_tools.usd import SchemaResolverMjc, SchemaResolverPhysx

SDF = """<sdf version="1.9">{before}<model name="m"><link name="ball"><pose>0 0 9 0 0 0</pose>{link}
<inertial><mass>1</mass></inertial></link></model>{after}</sdf>"""
URDF = """<robot name="r"><link name="ball"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>{gazebo}</robot>"""
MJCF = """<mujoco>{option}<worldbody><body name="ball" pos="0 0 9"{body}><freejoint/>
<geom type="sphere" size="0.1"/></body></worldbody></mujoco>"""
USD = """#usda 1.0
(
    upAxis = "{axis}"
    metersPerUnit = 1
)
def PhysicsScene "scene" {{
    {scene}
}}
def Xform "ball" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]) {{
    float physics:mass = 1
    {body}
}}
"""


def sdf(link="", gravity=""):
    world = ('<world name="w">' + gravity, "</world>") if gravity else ("", "")
    return it.load_text(SDF.format(link=link, before=world[0], after=world[1]))


def urdf(gazebo):
    return it.load_text(URDF.format(gazebo=f'<gazebo reference="ball">{gazebo}</gazebo>'))


def mjcf(body="", option=""):
    return it.load_text(MJCF.format(body=body, option=option))


def usd(tmp_path, body="", scene="", axis="Z"):
    file = tmp_path / "ball.usda"
    file.write_text(USD.format(body=body, scene=scene, axis=axis))
    return it.load(file)


def fall_of(robot, **options):
    """Return the acceleration of the ball, by what a second of free fall makes of its velocity."""
    sim = it.Simulation(robot, ground=False, dtype="float64", **options)
    sim.step(240)
    return sim.snapshot().states[-1, 7:10]


@pytest.mark.parametrize(
    ("robot", "fall"),
    [
        (sdf(), (0, 0, -9.81)),
        (sdf("<gravity>false</gravity>"), (0, 0, 0)),
        (sdf("<gravity>1</gravity>"), (0, 0, -9.81)),
        (sdf(gravity="<gravity>0 0.5 -1.62</gravity>"), (0, 0.5, -1.62)),
        (sdf("<gravity>0</gravity>", "<gravity>0 0.5 -1.62</gravity>"), (0, 0, 0)),
        (urdf("<gravity>0</gravity>"), (0, 0, 0)),
        (urdf("<gravity>true</gravity>"), (0, 0, -9.81)),
        (urdf("<gravity/>"), (0, 0, -9.81)),
        (urdf("<turnGravityOff>true</turnGravityOff>"), (0, 0, 0)),
        (mjcf(), (0, 0, -9.81)),
        (mjcf(' gravcomp="1"'), (0, 0, 0)),
        (mjcf(' gravcomp="1.5"'), (0, 0, 4.905)),
        (mjcf(option='<option gravity="1 0 -2"/>'), (1, 0, -2)),
        (mjcf(' gravcomp="0.25"', '<option gravity="1 0 -2"/>'), (0.75, 0, -1.5)),
        (mjcf(option='<option gravity="1 0 -2"><flag gravity="disable"/></option>'), (0, 0, 0)),
    ],
)
def test_gravity_acts_as_the_file_says(robot, fall):
    assert fall_of(robot) == pytest.approx(fall, abs=1e-12)


@pytest.mark.parametrize("axis", ["Y", "Z"])
@pytest.mark.parametrize(
    ("body", "resolvers", "fall"),
    [
        ("", None, -1.62),
        ("bool physxRigidBody:disableGravity = 1", [SchemaResolverPhysx()], 0.0),
        ("bool physxRigidBody:disableGravity = 0", [SchemaResolverPhysx()], -1.62),
        ("bool physxRigidBody:disableGravity = 1", None, -1.62),  # nobody asked for PhysX
        ("float mjc:gravcomp = 0.5", [SchemaResolverMjc()], -0.81),
    ],
)
def test_gravity_of_a_stage_acts_along_its_up_axis(tmp_path, axis, body, resolvers, fall):
    robot = usd(tmp_path, body, "float physics:gravityMagnitude = 1.62", axis)
    assert fall_of(robot, schema_resolvers=resolvers) == pytest.approx((0, 0, fall), abs=1e-6)
    builder = it.ModelBuilder()
    builder.add_usd(tmp_path / "ball.usda", schema_resolvers=resolvers)
    assert builder.body_gravity_scale == [pytest.approx(fall / -1.62)]


@pytest.mark.parametrize("bad", ["nan", "inf"])
def test_gravity_that_is_no_number_is_refused_with_its_line(bad):
    for text in (
        SDF.format(link="", before=f'<world name="w"><gravity>0 0 {bad}</gravity>', after="</world>"),
        MJCF.format(body=f' gravcomp="{bad}"', option=""),
        MJCF.format(body="", option=f'<option gravity="0 0 {bad}"/>'),
    ):
        with pytest.raises(ParseError, match=r"<text>:1.*grav"):
            it.load_text(text)


def test_gravity_that_is_asked_for_goes_before_that_of_the_file():
    assert fall_of(sdf(gravity="<gravity>0 0 -1.62</gravity>"), gravity=(0, 0, -3)) == pytest.approx((0, 0, -3))


@pytest.mark.parametrize("add", ["add_mjcf", "add_description"])
def test_a_builder_takes_the_gravity_of_the_world_that_is_begun(add):
    builder = it.ModelBuilder()
    source = MJCF.format(body="", option='<option gravity="0 0 -2"/>')
    builder.begin_world()
    getattr(builder, add)(source if add == "add_mjcf" else it.load_text(source))
    builder.end_world()
    assert builder.world_gravity == [[0.0, 0.0, -2.0]]
    assert builder.gravity == (0.0, 0.0, -9.81)


ARM = """<sdf version="1.9"><model name="m"><link name="base"/>
<link name="arm"><gravity>{arm}</gravity><inertial><pose>0.5 0 0 0 0 0</pose><mass>2</mass></inertial></link>
<link name="tool"><gravity>{tool}</gravity><pose>1 0 0 0 0 0</pose><inertial><mass>1</mass></inertial></link>
<joint name="held" type="fixed"><parent>world</parent><child>base</child></joint>
<joint name="turn" type="revolute"><parent>base</parent><child>arm</child><axis><xyz>0 1 0</xyz></axis></joint>
<joint name="grip" type="fixed"><parent>arm</parent><child>tool</child></joint></model></sdf>"""


@pytest.mark.parametrize(("arm", "tool", "torque"), [(1, 1, -19.62), (0, 1, -9.81), (1, 0, -9.81), (0, 0, 0.0)])
def test_what_is_fixed_together_feels_gravity_by_its_parts(arm, tool, torque):
    """Efforts, weight and energy count what each part feels; parts that differ are not merged."""
    sim = it.Simulation(it.load_text(ARM.format(arm=arm, tool=tool)), ground=False, dtype="float64")
    assert sim.inverse_dynamics() == pytest.approx([torque], abs=1e-9)
    assert sim.weight == pytest.approx(9.81 * (2 * arm + tool))
    before = sim.snapshot()
    sim.step(120)
    after = sim.snapshot()
    assert (np.abs(after.joints).max() > 0.1) == (torque != 0.0)
    energies = [one.kinetic_energy + one.potential_energy for one in (before, after)]
    assert energies[1] == pytest.approx(energies[0], abs=2e-4)


def test_frames_without_mass_feel_what_carries_them_feels():
    builder = it.ModelBuilder()
    builder.add_urdf(
        URDF.format(
            gazebo='<link name="frame"/><joint name="j" type="fixed"><parent link="ball"/><child link="frame"/></joint>'
            '<gazebo reference="ball"><gravity>false</gravity></gazebo>'
        ),
        floating=True,
    )
    with pytest.warns(UserWarning, match="massless frames"):
        model = builder.finalize(dtype="float64")
    assert model.body_gravity_scale.numpy().tolist() == [0.0, 0.0]


def test_a_scale_can_be_set_in_the_scene_and_between_steps_and_in_copies():
    part = it.ModelBuilder()
    part.add_body(mass=1.0, inertia=np.eye(3), gravity_scale=0.5)
    builder = it.ModelBuilder()
    builder.replicate(part, 3)
    model = builder.finalize(dtype="float64")
    solver, state = it.SolverXPBD(model), model.state()
    solver.step(state, state, model.control(), None, 0.1)
    assert state.body_qd.numpy()[:, 2] == pytest.approx(np.full(3, -0.4905))
    model.body_gravity_scale.assign([0.0, 1.0, 2.0])
    solver.step(state, state, model.control(), None, 0.1)
    assert state.body_qd.numpy()[:, 2] == pytest.approx(-0.4905 - 0.981 * np.array([0.0, 1.0, 2.0]))


def test_a_scale_that_is_no_number_is_refused_by_name():
    builder = it.ModelBuilder()
    builder.add_body(mass=1.0, inertia=np.eye(3), label="kite", gravity_scale=np.nan)
    with pytest.raises(OptionError, match="body_gravity_scale of 'kite'"):
        builder.finalize()


def test_friction_for_gazebo_is_that_of_the_shapes_of_a_urdf():
    shape = '<collision><geometry><sphere radius="0.1"/></geometry></collision>'
    text = URDF.replace("</inertial></link>", f"</inertial>{shape}</link>")
    builder = it.ModelBuilder()
    builder.add_urdf(text.format(gazebo='<gazebo reference="ball"><mu1>0.05</mu1><mu2>0.9</mu2></gazebo>'))
    assert [shape.config.mu for shape in builder.shapes] == [0.05]


def test_what_feels_no_gravity_settles_without_a_weight():
    settled = settle(urdf("<gravity>0</gravity>"), seconds=1.0)
    assert settled.weight == 0.0 and settled.force_error == 0.0
