# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Where the bodies of a stage start, and how they move then: by transforms, joints and solvers' schemas."""

import numpy as np
import pytest
from usd_stages import at, body, cube, joint, prim, stage

import inertia_tools as it
from inertia_tools.errors import OptionError
from inertia_tools.sim.importing.usd_positions import rotation_vector
from inertia_tools.spatial import Pose
from inertia_tools.usd import SchemaResolverNewton, SchemaResolverPhysx

pytest.importorskip("pxr", reason="usd-core is not installed")

WHOLE = (
    "float physics:mass = 2\nfloat3 physics:diagonalInertia = (1, 1, 1)\npoint3f physics:centerOfMass = (0.1, 0.2, 0)"
)
RESOLVERS = [SchemaResolverPhysx(), SchemaResolverNewton()]
LOCKED = "float limit:{0}:physics:low = 1\nfloat limit:{0}:physics:high = -1"
OPEN = "float limit:{0}:physics:low = -inf\nfloat limit:{0}:physics:high = inf"
FREEDOMS = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")
FRAMES = "point3f physics:localPos0 = (0, 0, 1)\npoint3f physics:localPos1 = (-0.5, 0.25, 0)"
TURNED = "quatf physics:localRot0 = (0.8, 0.6, 0, 0)\nquatf physics:localRot1 = (0, 0.6, 0, 0.8)"


def generic(free, *content: str) -> str:
    limits = [(OPEN if dof in free else LOCKED).format(dof) for dof in FREEDOMS]
    apis = tuple(f"PhysicsLimitAPI:{dof}" for dof in FREEDOMS)
    return joint("PhysicsJoint", "j", "/base", "/arm", FRAMES, TURNED, *limits, *content, apis=apis)


def placed(pose: Pose) -> str:
    x, y, z, w = pose.quaternion.tolist()
    px, py, pz = pose.position.tolist()
    return (
        f"double3 xformOp:translate = ({px}, {py}, {pz})\nquatd xformOp:orient = ({w}, {x}, {y}, {z})\n"
        'uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]'
    )


def two(arm: Pose, joining: str, *content: str) -> str:
    return stage(body("base", WHOLE, cube("c")), body("arm", placed(arm), WHOLE, cube("c"), *content), joining)


ROWS = [
    ("transX", "rotX"),
    ("rotY", "rotZ"),
    ("rotX", "rotY", "rotZ"),
    ("transX", "transY", "transZ"),
    ("transX", "transZ", "rotY"),
    ("transX", "transY", "transZ", "rotX", "rotZ"),
]
VALUES = dict(zip(FREEDOMS, (0.3, -0.2, 0.5, 0.4, -0.7, 0.9), strict=True))


def started(text: str, **options) -> it.ModelBuilder:
    builder = it.ModelBuilder()
    builder.add_usd(text, **options)
    return builder


def states(free, word: str) -> list[str]:
    return [f"float state:{dof}:physics:{word} = {VALUES[dof]}" for dof in free]


@pytest.mark.parametrize("free", ROWS, ids=" ".join)
def test_joints_start_where_the_transforms_have_them(free):
    """Put the arm where stated positions have it; without them the same follows from its transform."""
    stated = started(two(Pose(), generic(free, *states(free, "position"))), schema_resolvers=RESOLVERS)
    measured = started(two(stated.body_pose[1], generic(free)))
    assert measured.body_pose[1].isclose(stated.body_pose[1], 1e-6)
    assert not stated.body_pose[1].isclose(Pose(), 0.1)


def test_a_ball_starts_turned_as_its_transform_has_it():
    turned = Pose(rotation=Pose.from_xyz_rpy(rpy=[0.3, -0.5, 0.8]).rotation)
    text = two(turned, joint("PhysicsSphericalJoint", "j", "/base", "/arm"))
    assert started(text).body_pose[1].isclose(turned, 1e-6)


@pytest.mark.parametrize("free", ROWS, ids=" ".join)
def test_rates_of_several_freedoms_are_those_of_their_positions(free):
    """Bodies move as they would while the positions grow at these rates."""
    instant = 1e-6

    def at_time(time: float) -> it.ModelBuilder:
        positions = [f"double state:{dof}:physics:position = {VALUES[dof] * (1.0 + time):.17g}" for dof in free]
        text = two(Pose(), generic(free, *positions, *states(free, "velocity")))
        return started(text, schema_resolvers=RESOLVERS)

    now, before, after = at_time(0.0), at_time(-instant), at_time(instant)
    centres = [one.body_pose[1].transform_points(one.inertial(1).com) for one in (before, after)]
    turn = Pose(rotation=after.body_pose[1].rotation @ before.body_pose[1].rotation.T)
    expected = np.concatenate([centres[1] - centres[0], rotation_vector(turn)]) / (2.0 * instant)
    assert now.body_qd[1] == pytest.approx(expected, abs=1e-6)


def hinge(*content: str) -> str:
    return joint("PhysicsRevoluteJoint", "j", "/base", "/arm", "float physics:lowerLimit = 30", *content)


@pytest.mark.parametrize("content", [(), ("float state:angular:physics:position = 0.1",)])
def test_a_start_outside_of_the_limits_is_the_nearest_bound_and_said(content):
    builder = it.ModelBuilder()
    result = builder.add_usd(two(Pose(), hinge(*content)), schema_resolvers=RESOLVERS)
    assert rotation_vector(builder.body_pose[1]) == pytest.approx([np.pi / 6.0, 0.0, 0.0])
    assert "start-at-bound" in {finding.code for finding in result["findings"]}


SPEED = "vector3f physics:velocity = (1, 0, 0)"
SPIN = "float state:angular:physics:velocity = 0.5"


def test_a_simulation_of_a_stage_starts_as_the_stage_states():
    text = two(Pose(np.array([0.0, 0.0, 3.0])), prim("PhysicsScene", "s"), SPEED)
    snapshot = it.Simulation(it.load_text(text), dtype="float64").snapshot()
    assert snapshot.linear_velocities[snapshot.names.index("arm")] == pytest.approx([1.0, 0.0, 0.0])


def test_a_simulation_takes_resolvers():
    joining = joint("PhysicsRevoluteJoint", "j", "/base", "/arm", SPIN, "float state:angular:physics:position = 0.3")
    robot = it.load_text(two(Pose(), joining))
    plain = it.Simulation(robot, dtype="float64").snapshot()
    physx = it.Simulation(robot, dtype="float64", schema_resolvers=RESOLVERS).snapshot()
    assert (plain.joint_positions["j"], plain.joint_velocities["j"]) == (0.0, 0.0)
    assert (physx.joint_positions["j"], physx.joint_velocities["j"]) == pytest.approx((0.3, 0.5))


def test_resolvers_are_for_stages():
    robot = it.load_text("<mujoco><worldbody><body><geom size='1'/></body></worldbody></mujoco>")
    with pytest.raises(OptionError, match="USD"):
        it.Simulation(robot, schema_resolvers=RESOLVERS)


def test_a_described_stage_keeps_its_materials():
    material = prim("Material", "ice", "float physics:dynamicFriction = 0.05", apis=("PhysicsMaterialAPI",))
    bound = cube("c", "rel material:binding:physics = </ice>", apis=("MaterialBindingAPI",))
    builder = it.ModelBuilder()
    builder.add_description(it.load_text(stage(material, body("b", at(0, 0, 1), WHOLE, bound))))
    assert builder.shapes[0].config.mu == pytest.approx(0.05)


def test_a_simulation_holds_distances():
    """A body on a rope of half a metre under the world's origin falls no deeper."""
    rope = joint(
        "PhysicsDistanceJoint", "rope", "", "/b", "float physics:maxDistance = 0.5", "float physics:minDistance = -1"
    )
    content = "float physics:mass = 1\nfloat3 physics:diagonalInertia = (1, 1, 1)"
    robot = it.load_text(stage(body("b", at(0, 0, -0.4), content), rope))
    scene = it.Simulation(robot, ground=False, dtype="float64")
    assert scene.names == ("world", "b")
    scene.step(480)
    assert scene.snapshot().positions[1][2] == pytest.approx(-0.5, abs=1e-3)


def test_merged_bodies_move_as_one_from_the_velocity_of_the_first():
    """The centre of both moves with the spin about that of the first: two equal masses 2 m apart, 1 m from it."""
    solid = (
        "float physics:mass = 1\nfloat3 physics:diagonalInertia = (1, 1, 1)\npoint3f physics:centerOfMass = (0, 0, 0)"
    )
    spin = "vector3f physics:velocity = (0.5, 0, 0)\nvector3f physics:angularVelocity = (0, 0, 90)"
    text = stage(
        body("a", at(0, 0, 0), solid, spin, cube("c")),
        body("b", at(2, 0, 0), solid, cube("c")),
        joint("PhysicsFixedJoint", "j", "/a", "/b", "point3f physics:localPos0 = (2, 0, 0)"),
    )
    builder = it.ModelBuilder()
    index = builder.add_usd(text, collapse_fixed_joints=True)["path_body_map"]["/a"]
    rate = np.pi / 2.0
    assert builder.body_qd[index] == pytest.approx([0.5, rate, 0.0, 0.0, 0.0, rate], abs=1e-6)
