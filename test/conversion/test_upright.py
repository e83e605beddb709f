# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Conversion of stages in which another axis than z points up: what is up in the stage is up in the file."""

import numpy as np
import pytest
from usd_stages import at, body, cube, joint, stage

import inertia_tools as it
from inertia_tools.conversion import Kind

pytest.importorskip("pxr", reason="usd-core is not installed")

TURNED = 'quatd xformOp:orient = (0.8, 0.6, 0, 0)\nuniform token[] xformOpOrder = ["xformOp:orient"]'
MASS = "float physics:mass = 2"
BASE = body("base", TURNED, MASS, cube("box", at(0.1, 0.2, 0.3)))
ARM = body("arm", at(0.5, 1, 0), MASS, cube("box", at(0.3, 0.4, 0.5)))
HINGE = joint("PhysicsRevoluteJoint", "hinge", "/base", "/arm", 'uniform token physics:axis = "Y"')
HELD = joint("PhysicsFixedJoint", "held", "", "/base", "quatf physics:localRot1 = (0.8, -0.6, 0, 0)")


def standing(axis: str, *more: str) -> str:
    return stage(BASE, ARM, HINGE, *more).replace('upAxis = "Z"', f'upAxis = "{axis}"')


def placed(robot) -> dict[str, np.ndarray]:
    """Return where the boxes of links are in the world, and which way the hinge turns there."""
    poses = {name: robot.pose_world_document @ pose for name, pose in robot.link_poses.items()}
    boxes = {name: (poses[name] @ robot.links[name].collisions[0].pose_link_shape).position for name in ("base", "arm")}
    return {**boxes, "hinge": poses["arm"].rotation @ robot.joints["hinge"].axis}


@pytest.mark.parametrize("is_held", [False, True])
@pytest.mark.parametrize("target", ["sdf", "mjcf", "urdf"])
@pytest.mark.parametrize("axis", ["X", "Y"])
def test_what_is_up_in_the_stage_is_up_in_the_file(axis, target, is_held):
    robot = it.load_text(standing(axis, *([HELD] if is_held else [])))
    conversion = it.convert(robot, format=target)
    before, after = placed(robot), placed(conversion.converted)
    up, others = {"X": (0, [1, 2]), "Y": (1, [2, 0])}[axis]
    for name, vector in before.items():
        assert after[name][2] == pytest.approx(vector[up], abs=1e-7), name
        assert np.linalg.norm(after[name][:2]) == pytest.approx(np.linalg.norm(vector[others]), abs=1e-7)
    assert np.cross(after["base"], after["arm"]) @ after["hinge"] == pytest.approx(
        np.cross(before["base"], before["arm"]) @ before["hinge"], abs=1e-7
    )


def test_the_turn_is_noted_once():
    conversion = it.convert(it.load_text(standing("Y")), format="sdf")
    assert sum("the stage has Y up" in note.message for note in conversion.noted(Kind.CHANGED)) == 1
    assert not it.convert(it.load_text(standing("Z")), format="sdf").noted(Kind.CHANGED)


@pytest.mark.parametrize("axis", ["X", "Y", "Z"])
def test_a_stage_keeps_its_axis_in_a_stage(axis):
    robot = it.load_text(standing(axis, HELD))
    back = it.convert(robot, format="usd").converted
    assert back.usd.units.up_axis == axis
    for name, vector in placed(robot).items():
        assert placed(back)[name] == pytest.approx(vector, abs=1e-7)
