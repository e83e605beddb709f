# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Where the articulations of a stage are put, in what order they stand, and what follows what in them."""

from __future__ import annotations

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.spatial import Pose, rotation_about

pytest.importorskip("pxr")

BODY = """def Xform "{name}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
{{
    double3 xformOp:translate = ({x}, {y}, {z})
    uniform token[] xformOpOrder = ["xformOp:translate"]
    float physics:mass = 1
    float3 physics:diagonalInertia = (0.1, 0.1, 0.1)
}}
"""
STAGE = """#usda 1.0
(
    upAxis = "Z"
    metersPerUnit = {metre}
)
def Xform "robot" (prepend apiSchemas = ["PhysicsArticulationRootAPI"])
{{
    double3 xformOp:translate = (100, 200, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
{inner}
}}
"""


def body(name: str, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> str:
    return BODY.format(name=name, x=x, y=y, z=z)


def joint(kind: str, name: str, parent: str, child: str, *said: str, apis: str = "") -> str:
    applied = f'(prepend apiSchemas = ["{apis}"])' if apis else ""
    above = f"rel physics:body0 = </robot/{parent}>" if parent else ""
    place = "point3f physics:localPos0 = (0, 0, 1)" if parent else ""
    lines = "\n".join((above, f"rel physics:body1 = </robot/{child}>", place, *said))
    return f'def Physics{kind}Joint "{name}" {applied}\n{{\n{lines}\n}}\n'


def stage(*inner: str, metre: float = 1.0) -> str:
    return STAGE.format(inner="\n".join(inner), metre=metre)


TREE = stage(
    body("b", z=2.5),
    body("a", z=1.5),
    body("c", z=1.5),
    body("base", z=0.5),
    joint("Revolute", "to_a", "base", "a"),
    joint("Revolute", "to_c", "base", "c"),
    joint("Revolute", "to_b", "a", "b"),
)


def test_a_pose_is_that_of_the_articulation_root_and_all_in_it_keeps_its_place() -> None:
    place = Pose(np.array([5.0, 0.0, 0.0]), rotation_about([0.0, 0.0, 1.0], 1.0))
    for rotation in (np.eye(3), place.rotation):
        put = Pose(place.position, rotation)
        builder = it.ModelBuilder()
        paths = builder.add_usd(TREE, xform=put, override_root_xform=True)["path_body_map"]
        for name, height in (("base", 0.5), ("a", 1.5), ("b", 2.5)):
            expected = put @ Pose(np.array([0.0, 0.0, height]))
            assert builder.body_pose[paths[f"/robot/{name}"]].isclose(expected, 1e-9), name


def test_a_body_that_is_the_root_itself_is_put_at_the_pose() -> None:
    text = TREE.replace('"robot" (prepend apiSchemas = ["PhysicsArticulationRootAPI"])', '"robot"')
    text = text.replace(
        '"base" (prepend apiSchemas = [', '"base" (prepend apiSchemas = ["PhysicsArticulationRootAPI", ', 1
    )
    builder = it.ModelBuilder()
    paths = builder.add_usd(text, xform=(5.0, 0.0, 0.0), override_root_xform=True)["path_body_map"]
    np.testing.assert_allclose(builder.body_pose[paths["/robot/base"]].position, [5.0, 0.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(builder.body_pose[paths["/robot/b"]].position, [5.0, 0.0, 2.0], atol=1e-12)


@pytest.mark.parametrize(
    ("ordering", "follow", "joints", "bodies"),
    [
        ("dfs", True, ["base", "a", "b", "c"], ["base", "a", "b", "c"]),
        ("bfs", True, ["base", "a", "c", "b"], ["base", "a", "c", "b"]),
        ("bfs", False, ["base", "a", "c", "b"], ["b", "a", "c", "base"]),
        ("dfs", False, ["base", "a", "b", "c"], ["b", "a", "c", "base"]),
    ],
)
def test_joints_and_bodies_stand_in_the_order_that_is_asked_for(
    ordering: str, follow: bool, joints: list[str], bodies: list[str]
) -> None:
    builder = it.ModelBuilder()
    builder.add_usd(TREE, joint_ordering=ordering, bodies_follow_joint_ordering=follow)
    named = [label.rpartition("/")[2] for label in builder.body_label]
    assert named == bodies
    assert [named[child] for child in builder.joint_child] == joints


def test_the_order_does_not_change_how_a_robot_falls() -> None:
    found = []
    for options in ({}, {"joint_ordering": "bfs", "bodies_follow_joint_ordering": False}):
        builder = it.ModelBuilder()
        paths = builder.add_usd(TREE, **options)["path_body_map"]
        for name, rate in (("to_a", 1.0), ("to_b", -2.0)):
            index = next(i for i, label in enumerate(builder.joint_label) if label.endswith(name))
            builder.joint_qd[builder.joint_qd_start[index]] = rate
        model = builder.finalize(dtype="float64")
        state, solver = model.state(), it.SolverXPBD(model)
        it.eval_fk(model, model.joint_q, model.joint_qd, state)
        for _ in range(50):
            solver.step(state, state, None, None, 0.01)
        found.append({path: state.body_q.numpy()[index] for path, index in paths.items()})
    for path, pose in found[0].items():
        np.testing.assert_allclose(pose, found[1][path], atol=1e-9)


def test_what_is_hung_on_what_was_hung_is_one_articulation() -> None:
    builder, parent = it.ModelBuilder(), -1
    for _ in range(3):
        paths = builder.add_usd(TREE, parent_body=parent, floating=False)["path_body_map"]
        parent = paths["/robot/b"]
    assert builder.articulation_count == 1
    assert len(set(builder.joint_articulation)) == 1


def test_a_rack_follows_its_pinion_by_the_ratio_for_each_radian() -> None:
    """The offset is in the units of the follower, and lengths are those of the stage."""
    for follower, leader, expected in (
        ("Prismatic", "Revolute", (0.01 * 3.0, 0.01 * 2.0)),
        ("Revolute", "Prismatic", (3.0 / 0.01, np.radians(2.0))),
        ("Revolute", "Revolute", (3.0, np.radians(2.0))),
        ("Prismatic", "Prismatic", (3.0, 0.01 * 2.0)),
    ):
        said = ("rel newton:mimicJoint = </robot/lead>", "float newton:mimicCoef0 = 2", "float newton:mimicCoef1 = 3")
        text = stage(
            body("base"),
            body("a", z=1.0),
            body("b", z=2.0),
            joint(leader, "lead", "base", "a"),
            joint(follower, "follow", "a", "b", *said, apis="NewtonMimicAPI"),
            metre=0.01,
        )
        mimic = it.load_text(text).joints["follow"].mimic
        assert mimic is not None
        assert (mimic.multiplier, mimic.offset) == pytest.approx(expected)
