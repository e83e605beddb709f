# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Joints of the same two bodies: those that lock each other are named at `finalize`, others are let be."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.sim.scene.notices import SceneWarning

Add = Callable[[it.ModelBuilder, int, int], object]

UP, AHEAD = (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)


def at(*position: float) -> it.Pose:
    return it.Pose(np.array(position))


def scene(*adds: Add, parent: int = 0) -> it.ModelBuilder:
    """Return two bodies in one place, joined by several joints, the first on the world."""
    builder = it.ModelBuilder()
    for _ in range(2):
        builder.add_link(mass=1.0, inertia=0.1 * np.eye(3), xform=at(3.0, 2.0, 1.0))
    builder.add_joint_fixed(-1, 0, at(3.0, 2.0, 1.0))
    for add in adds:
        add(builder, parent, 1)
    return builder


def hinge(where: tuple[float, float, float], axis: tuple[float, float, float] = UP) -> Add:
    return lambda builder, a, b: builder.add_joint_revolute(a, b, at(*where), at(*where), axis=axis)


def slide(builder: it.ModelBuilder, a: int, b: int) -> object:
    return builder.add_joint_prismatic(a, b, axis=UP)


def backwards(add: Add) -> Add:
    return lambda builder, a, b: add(builder, b, a)


def ball(where: tuple[float, float, float]) -> Add:
    return lambda builder, a, b: builder.add_joint_ball(a, b, at(*where), at(*where))


def fixed(builder: it.ModelBuilder, a: int, b: int) -> object:
    return builder.add_joint_fixed(a, b)


def weld(builder: it.ModelBuilder, a: int, b: int) -> object:
    return builder.add_equality_constraint_weld(a, b)


def rod(builder: it.ModelBuilder, a: int, b: int) -> object:
    return builder.add_joint_distance(a, b, min_distance=0.0, max_distance=1.0)


def off(builder: it.ModelBuilder, a: int, b: int) -> object:
    return builder.add_joint_fixed(a, b, enabled=False)


MISTAKES = {
    "a slide beside a hinge": (hinge((0, 0, 0)), slide),
    "hinges about two axes": (hinge((0, 0, 0)), hinge((0, 0, 0), AHEAD)),
    "hinges side by side": (hinge((0, 0, 0)), hinge((1, 0, 0))),
    "a hinge that is fixed": (hinge((0, 0, 0)), fixed),
    "the other way round": (hinge((0, 0, 0)), backwards(slide)),
    "three balls": (ball((0, 0, 0)), ball((1, 0, 0)), ball((0, 1, 0))),
}
MEANT = {
    "a door on two hinges": (hinge((0, 0, 0)), hinge((0, 0, 2))),
    "a door on a hinge and a pin": (hinge((0, 0, 0)), ball((0, 0, 2))),
    "two balls": (ball((0, 0, 0)), ball((1, 0, 0))),
    "a weld": (hinge((0, 0, 0)), weld),
    "a rope": (hinge((0, 0, 0)), rod),
    "one that is switched off": (hinge((0, 0, 0)), off),
    "fixed twice": (fixed, fixed),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_joints_that_lock_each_other_are_named_once(name: str) -> None:
    builder = scene(*MISTAKES[name])
    with pytest.warns(SceneWarning, match=r"leave no relative motion: 'joint_1' and 'joint_2'.*add_joint_d6") as caught:
        builder.finalize()
    assert len(caught) == 1
    assert caught[0].filename == __file__


@pytest.mark.parametrize("name", MEANT)
def test_joints_that_leave_what_each_of_them_leaves_are_let_be(name: str) -> None:
    builder = scene(*MEANT[name])
    with warnings.catch_warnings():
        warnings.simplefilter("error", SceneWarning)
        builder.finalize()


def test_the_world_is_a_body_too() -> None:
    builder = it.ModelBuilder()
    link = builder.add_link(mass=1.0, inertia=0.1 * np.eye(3))
    builder.add_joint_revolute(-1, link)
    builder.add_joint_prismatic(-1, link)
    with pytest.warns(SceneWarning, match="leave no relative motion"):
        builder.finalize()


def test_a_scene_that_is_copied_is_named_in_one_warning() -> None:
    copies = it.ModelBuilder()
    copies.replicate(scene(*MISTAKES["a slide beside a hinge"]), 20)
    with pytest.warns(SceneWarning, match="leave no relative motion.*; and 12 more") as caught:
        copies.finalize()
    assert len(caught) == 1


def test_equalities_of_a_document_are_meant() -> None:
    builder = it.ModelBuilder()
    builder.add_mjcf(
        "<mujoco><worldbody><body name='a'><geom size='.1'/><joint type='hinge'/></body></worldbody>"
        "<equality><weld body1='a'/></equality></mujoco>"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error", SceneWarning)
        builder.finalize()
