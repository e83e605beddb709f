# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The two bodies of a joint touch each other where the joint of a stage says so, and only there."""

from __future__ import annotations

import pytest
from usd_stages import at, cube, joint, stage

import inertia_tools as it

pytest.importorskip("pxr")

TOUCH = "bool physics:collisionEnabled = 1"
APART = "bool physics:collisionEnabled = 0"
LOCKED = ("transX", "transY", "rotX", "rotY")


def bodies(*names: str) -> str:
    return "".join(cube(name, at(0.0, 0.0, 0.3 * k), apis=("PhysicsRigidBodyAPI",)) for k, name in enumerate(names))


def connect(kind: str, lower: str, upper: str, *content: str, name: str = "") -> str:
    place = "point3f physics:localPos0 = (0, 0, 0.3)"
    axis = 'uniform token physics:axis = "Z"'
    named = name or f"{lower}{upper}"
    if kind == "PhysicsJoint":
        bounds = [f"float limit:{one}:physics:{end} = 0" for one in LOCKED for end in ("low", "high")]
        apis = tuple(f"PhysicsLimitAPI:{one}" for one in LOCKED)
        return joint(kind, named, f"/{lower}", f"/{upper}", place, *bounds, *content, apis=apis)
    return joint(kind, named, f"/{lower}", f"/{upper}", place, axis, *content)


def touching(*prims: str) -> set[str]:
    """Return the pairs of cubes that may touch, as two letters each."""
    builder = it.ModelBuilder()
    builder.add_usd(stage(*prims))
    names = [label.strip("/") for label in builder.shape_label]
    pairs = builder.finalize().shape_contact_pairs.numpy().tolist()
    return {"".join(sorted(names[one] + names[other])) for one, other in pairs}


KINDS = ["PhysicsPrismaticJoint", "PhysicsRevoluteJoint", "PhysicsSphericalJoint", "PhysicsFixedJoint", "PhysicsJoint"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("said", "pairs"), [("", set()), (APART, set()), (TOUCH, {"ab"})])
def test_the_bodies_of_a_joint_touch_where_it_says_so(kind, said, pairs):
    assert touching(bodies("a", "b"), connect(kind, "a", "b", said)) == pairs


def test_each_joint_speaks_for_its_own_two_bodies():
    chain = (connect("PhysicsRevoluteJoint", "a", "b", TOUCH), connect("PhysicsRevoluteJoint", "b", "c"))
    assert touching(bodies("a", "b", "c"), *chain) == {"ab", "ac"}


@pytest.mark.parametrize(("said", "pairs"), [("", {"ab", "bc"}), (TOUCH, {"ab", "ac", "bc"})])
def test_so_does_a_joint_that_closes_a_loop(said, pairs):
    chain = [connect("PhysicsRevoluteJoint", *ends, TOUCH) for ends in ("ab", "bc")]
    excluded = "bool physics:excludeFromArticulation = 1"
    loop = joint("PhysicsRevoluteJoint", "ac", "/a", "/c", "point3f physics:localPos0 = (0, 0, 0.6)", excluded, said)
    assert touching(bodies("a", "b", "c"), *chain, loop) == pairs


@pytest.mark.parametrize(("said", "pairs"), [(APART, set()), (TOUCH, {"ab"})])
def test_of_two_joints_between_two_bodies_both_have_to_allow_it(said, pairs):
    slides = [
        connect("PhysicsPrismaticJoint", "a", "b", TOUCH, name="first"),
        connect("PhysicsRevoluteJoint", "a", "b", said, name="second"),
    ]
    assert touching(bodies("a", "b"), *slides) == pairs


def test_an_articulation_without_self_collisions_stays_apart():
    builder = it.ModelBuilder()
    text = stage(bodies("a", "b"), connect("PhysicsRevoluteJoint", "a", "b", TOUCH)).replace(
        'apiSchemas = ["Phys', 'apiSchemas = ["PhysicsArticulationRootAPI", "Phys', 1
    )
    builder.add_usd(text, enable_self_collisions=False)
    assert builder.finalize().shape_contact_pairs.shape[0] == 0


def test_a_slide_falls_onto_the_body_below():
    heights = []
    for said in (APART, TOUCH):
        slide = connect("PhysicsPrismaticJoint", "a", "b", said)
        held = joint("PhysicsFixedJoint", "held", "", "/a")
        builder = it.ModelBuilder()
        builder.add_usd(stage(bodies("a", "b"), slide, held))
        model = builder.finalize()
        solver, state, after = it.SolverXPBD(model), model.state(), model.state()
        for _ in range(200):
            solver.step(state, after, model.control(), model.contacts(), 1 / 240)
            state, after = after, state
        heights.append(float(state.body_q.numpy()[1, 2]))
    assert heights[0] < -1.0
    assert heights[1] == pytest.approx(0.2, abs=1e-4)
