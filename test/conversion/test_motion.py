# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A converted robot moves as its source: the same masses, mass matrix and motion, in each format that can hold it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
import trimesh
from robots import urdf
from usd_stages import at, body, cube, joint, prim, stage

import inertia_tools as it
from inertia_tools.spatial import Array

SINGLE = 3e-6
"""Relative; stages have joint frames, limits and drives in single precision."""

STEP, STEPS, PAUSES = 1 / 500, 20, 4
SPEED = 0.8
"""Of each joint at the start [rad/s or m/s]."""

MESH = "a lump.stl"
TILTED = (
    '<inertial><origin xyz="{0} -0.02 0.05" rpy="0.4 -{0} 1.1"/><mass value="{0}5"/>'
    '<inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0.002" ixz="0.001" iyz="-0.003"/></inertial>'
)
"""An inertial whose axes are turned, and whose tensor has products in them as well."""

SHAPE = '<collision><origin xyz="0.02 0 0.01" rpy="1 2 3"/><geometry>{}</geometry></collision>'


def link(number: int, shape: str = "") -> str:
    return f'<link name="l{number}">{TILTED.format(f"0.{number + 1}")}{SHAPE.format(shape) if shape else ""}</link>'


def hold(number: int, parent: str, kind: str, *content: str, reach: tuple[float, float] | None = None) -> str:
    """Write a joint of a URDF, tilted and out of axis."""
    bounds = "" if reach is None else f'<limit lower="{reach[0]}" upper="{reach[1]}" effort="90" velocity="90"/>'
    axis = "" if kind == "fixed" else f'<axis xyz="0.3 {number - 2} 0.7"/>'
    return (
        f'<joint name="j{number}" type="{kind}"><origin xyz="0.1 0.05 -0.1" rpy="0.3 {number} -0.2"/>'
        f'<parent link="{parent}"/><child link="l{number}"/>{axis}{bounds}{"".join(content)}</joint>'
    )


WORLD = '<link name="world"/>'
WIDE, TIGHT = (-2.0, 2.0), (-0.02, 0.03)
KINDS = urdf(
    *(link(number) for number in range(6)),
    hold(1, "l0", "revolute", reach=WIDE),
    hold(2, "l1", "prismatic", reach=WIDE),
    hold(3, "l2", "fixed"),
    hold(4, "l3", "continuous"),
    hold(5, "l0", "fixed"),
)
BOUNDED = urdf(
    *(link(number) for number in range(4)),
    hold(1, "l0", "revolute", reach=TIGHT),
    hold(2, "l1", "prismatic", reach=TIGHT),
    hold(3, "l0", "revolute", reach=(0.1, 0.4)),
)
RESISTED = urdf(
    WORLD,
    *(link(number) for number in range(4)),
    hold(0, "world", "fixed"),
    hold(1, "l0", "revolute", '<dynamics damping="0.2" friction="0.3"/>', reach=WIDE),
    hold(2, "l1", "prismatic", '<dynamics damping="2" friction="1"/>', reach=WIDE),
    hold(3, "l2", "continuous", '<dynamics damping="0.1"/>'),
)
FOLLOWING = urdf(
    *(link(number) for number in range(6)),
    hold(1, "l0", "revolute", reach=WIDE),
    hold(2, "l1", "revolute", '<mimic joint="j1" multiplier="-1.5" offset="0.2"/>', reach=WIDE),
    hold(3, "l2", "continuous", '<mimic joint="j2" multiplier="0.5" offset="-0.1"/>'),
    hold(4, "l0", "prismatic", reach=WIDE),
    hold(5, "l4", "prismatic", '<mimic joint="j4" multiplier="2" offset="0.05"/>', reach=WIDE),
)
LANDING = urdf(
    WORLD,
    link(0, '<box size="0.1 0.2 0.3"/>'),
    f'<link name="l1">{SHAPE.format(f"""<mesh filename="{MESH}" scale="1.5 0.7 -1.2"/>""")}'
    f"{TILTED.format('0.2')}</link>",
    '<joint name="j0" type="prismatic"><origin xyz="0.1 0 0.21" rpy="0.3 0.2 0"/><parent link="world"/>'
    '<child link="l0"/><axis xyz="-0.2 0.29 0.94"/><limit lower="-1" upper="1" effort="90" velocity="90"/></joint>',
    '<joint name="j1" type="prismatic"><origin xyz="0.6 0 0.16" rpy="0.1 0.4 0"/><parent link="world"/>'
    '<child link="l1"/><axis xyz="-0.4 0 0.92"/><limit lower="-1" upper="1" effort="90" velocity="90"/></joint>',
)
"""Two bodies on slides that reach the ground, one a mesh that is scaled and mirrored."""

AXIS = "<axis><xyz{}>0.3 0.4 {}</xyz><dynamics><damping>0.1</damping><friction>0.05</friction></dynamics></axis>"
NESTED = f"""<sdf version="1.11"><model name="m"><pose>0.1 0.2 0.9 0.3 0.2 0.1</pose>
<frame name="f" attached_to="l0"><pose>0.1 0 0.2 1 0 0.3</pose></frame>
<link name="l0"><pose>0 0.1 0 0.5 0 0</pose><inertial><pose>0.01 0.02 0 0.3 1 0</pose><mass>2</mass>
<inertia><ixx>0.02</ixx><iyy>0.03</iyy><izz>0.04</izz><ixy>0.002</ixy></inertia></inertial></link>
<model name="n"><pose relative_to="f">0 0 0.3 0 0.4 0</pose><link name="l1"><pose>0.1 0 0 0 0 1</pose>
<inertial auto="true"><density>700</density></inertial>
<collision name="c"><pose>0.1 0 0 0.3 0.2 0.1</pose><geometry><box><size>0.1 0.2 0.3</size></box></geometry></collision>
<collision name="d"><density>400</density><geometry><ellipsoid><radii>0.05 0.1 0.07</radii></ellipsoid></geometry>
</collision></link></model>
<link name="l2"><pose relative_to="n">0 0.2 0.1 0 0.3 0</pose><inertial><pose>0.01 0.02 0 0.3 1 0</pose><mass>1</mass>
<inertia><ixx>0.02</ixx><iyy>0.03</iyy><izz>0.04</izz></inertia></inertial></link>
<joint name="j1" type="ball"><pose relative_to="f">0 0 0.1 0.3 0 0</pose><parent>l0</parent><child>n::l1</child></joint>
<joint name="j2" type="revolute"><pose>0.1 0 0 0 0.3 0</pose><parent>n::l1</parent><child>l2</child>
{AXIS.format(' expressed_in="__model__"', 0.5)}</joint></model></sdf>"""
RING = f"""<sdf version="1.11"><model name="m"><pose>0 0 0.9 0 0 0</pose>
{
    "".join(
        f'''<link name="l{k}"><pose>{x} 0 {z} 0 0 0</pose><inertial><pose>0.01 0 0 0.3 1 0</pose><mass>1</mass>
<inertia><ixx>0.02</ixx><iyy>0.03</iyy><izz>0.04</izz></inertia></inertial></link>'''
        for k, (x, z) in enumerate(((0, 0), (0, 0.3), (0.3, 0.3)))
    )
}
<joint name="j1" type="revolute"><parent>l0</parent><child>l1</child><axis><xyz>0 1 0</xyz></axis></joint>
<joint name="j2" type="revolute"><parent>l1</parent><child>l2</child><axis><xyz>0 1 0</xyz></axis></joint>
<joint name="j3" type="ball"><pose>0 0 -0.2 0 0 0</pose><parent>l0</parent><child>l2</child></joint></model></sdf>"""


def mujoco(content: str, actuators: str = "") -> str:
    compiler = '<compiler angle="radian" autolimits="true" eulerseq="zyx"/>'
    acting = f"<actuator>{actuators}</actuator>"
    return f'<mujoco model="m">{compiler}<worldbody>{content}</worldbody>{acting}</mujoco>'


MASSIVE = mujoco(
    '<body name="a" pos="0 0 1" euler="0.3 0.2 0.5"><freejoint/>'
    '<geom type="ellipsoid" size="0.1 0.2 0.3" pos="0.1 0 0" euler="0.3 0.2 0.1" density="500"/>'
    '<geom type="capsule" fromto="0 0 0 0.1 0.2 0.3" size="0.04"/>'
    '<body name="b" pos="0.2 0 0.4"><joint name="j" axis="1 0.3 0" pos="0 0.1 0"/>'
    '<geom type="cylinder" size="0.05 0.2" mass="2"/><geom type="box" size="0.05 0.2 0.1" mass="1" shellinertia="true"/>'
    '<body name="c" pos="0 0.3 0"><joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/><joint name="y" axis="0 1 0"/>'
    '<geom size="0.1" mass="1" pos="0.1 0.02 0"/></body></body></body>'
)
DRIVEN = mujoco(
    '<body name="a" pos="0 0 1" euler="0.3 0.2 0.5"><joint name="j" axis="0 1 0.3" damping="0.1" armature="0.05"/>'
    '<geom type="box" size="0.05 0.1 0.2" pos="0.1 0 0"/><body name="b" pos="0.2 0 0"><joint name="k" axis="1 1 0"/>'
    '<geom type="box" size="0.05 0.1 0.2" pos="0.1 0 0"/><body name="c" pos="0.2 0 0">'
    '<joint name="x" type="slide" axis="0 0 1" range="-0.1 0.2" frictionloss="1"/>'
    '<geom type="box" size="0.05 0.1 0.2" pos="0.1 0 0"/></body></body></body>',
    '<position joint="j" kp="50" kv="5" gear="2"/><velocity joint="k" kv="0.7"/>'
    '<general joint="x" gainprm="400" biastype="affine" biasprm="0 -400 -20" forcerange="-6 6"/>',
)
SCALED = stage(
    prim(
        "Xform",
        "rig",
        "double3 xformOp:scale = (2, 2, 2)",
        'uniform token[] xformOpOrder = ["xformOp:scale"]',
        body("a", at(0, 0, 30), cube("c", "float physics:density = 0.0007", size=8, mass_api=True)),
        body("b", at(0, 10, 40), "float physics:mass = 2", cube("c", at(1, 2, 3), size=6)),
        body("c", at(9, 10, 50), "float physics:mass = 1", "point3f physics:centerOfMass = (1, 2, 0)",
             "float3 physics:diagonalInertia = (40, 50, 60)", "quatf physics:principalAxes = (0.8, 0.6, 0, 0)"),
    ),
    joint("PhysicsRevoluteJoint", "j", "/rig/a", "/rig/b", "point3f physics:localPos0 = (0, 10, 10)",
          "quatf physics:localRot0 = (0.8, 0, 0.6, 0)", "quatf physics:localRot1 = (0.8, 0, 0.6, 0)",
          "float physics:lowerLimit = -90", "float physics:upperLimit = 1"),
    joint("PhysicsPrismaticJoint", "x", "/rig/b", "/rig/c", "point3f physics:localPos0 = (9, 0, 10)",
          'uniform token physics:axis = "Z"', "float newton:damping = 1"),
    metre=0.01,
)  # fmt: skip
"""A stage in centimetres, below a prim that is scaled."""

ROBOTS = {
    "kinds": (KINDS, ("sdf", "mjcf", "usd")),
    "bounded": (BOUNDED, ("sdf", "mjcf", "usd")),
    "resisted": (RESISTED, ("sdf", "mjcf", "usd")),
    "following": (FOLLOWING, ("sdf", "mjcf", "usd")),
    "landing": (LANDING, ("urdf", "sdf", "mjcf", "usd")),
    "nested": (NESTED, ("mjcf", "usd")),
    "ring": (RING, ("mjcf", "usd")),
    "massive": (MASSIVE, ("mjcf", "usd")),
    "driven": (DRIVEN, ("mjcf", "usd")),
    "usd": (SCALED, ("sdf", "mjcf", "usd")),
}


@dataclass(frozen=True)
class Motion:
    """How a robot moves.

    Attributes:
        mass: Of all bodies [kg].
        moments: Eigenvalues of the mass matrix, which do not depend on the axes of bases and balls.
        paths: Displacements of the origins of links since the start, by name [m], shape (pauses, 3).
        energies: Kinetic energies at the pauses [J].
    """

    mass: float
    moments: Array
    paths: dict[str, Array]
    energies: Array


def motion_of(robot: it.Description, *, has_ground: bool) -> Motion:
    """Let a robot move from position zero; each joint that leads starts at the same speed."""
    sim = it.Simulation(robot, dt=STEP, substeps=2, dtype="float64", ground=has_ground)
    moments = np.linalg.eigvalsh(sim.mass_matrix())
    for name in sim.snapshot().joint_positions:
        if not any(one.mimic for joint in robot.joints.values() for one in joint.row if one.name == name):
            sim.set_joint_velocities({name: SPEED})
    places, energies = [origins(sim)], []
    for _ in range(PAUSES):
        sim.step(STEPS)
        places.append(origins(sim))
        energies.append(sim.snapshot().kinetic_energy)
    paths = {name: np.array([there[name] - places[0][name] for there in places[1:]]) for name in places[0]}
    return Motion(float(sim.model.body_mass.numpy().sum()), moments, paths, np.array(energies))


def origins(sim: it.Simulation) -> dict[str, Array]:
    seen = sim.snapshot()
    return dict(zip(seen.names, seen.positions, strict=True))


@pytest.fixture(scope="module")
def mesh(tmp_path_factory) -> str:
    lump = trimesh.creation.icosphere(subdivisions=1, radius=0.1)
    lump.apply_scale([1.0, 1.5, 0.8])
    lump.apply_translation([0.02, 0.03, -0.01])
    path = tmp_path_factory.mktemp("meshes") / MESH
    lump.export(path)
    return str(path)


@pytest.mark.parametrize(
    ("name", "target"), [(name, target) for name, (_, targets) in ROBOTS.items() for target in targets]
)
def test_a_converted_robot_moves_as_its_source(name, target, tmp_path, mesh):
    text, _ = ROBOTS[name]
    if "usd" in (target, name):
        pytest.importorskip("pxr", reason="usd-core is not installed")
    robot, path = it.load_text(text.replace(MESH, mesh)), tmp_path / f"robot.{target}"
    it.convert(robot, path, format=target)
    was, now = (motion_of(one, has_ground=name == "landing") for one in (robot, it.load(path)))
    assert now.mass == pytest.approx(was.mass, rel=SINGLE)
    np.testing.assert_allclose(now.moments, was.moments, rtol=SINGLE)
    np.testing.assert_allclose(now.energies, was.energies, rtol=SINGLE, atol=SINGLE)
    common = was.paths.keys() & now.paths.keys()
    assert len(common) >= 2
    for link_name in common:
        np.testing.assert_allclose(now.paths[link_name], was.paths[link_name], atol=SINGLE)
