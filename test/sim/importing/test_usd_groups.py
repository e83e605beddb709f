# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Collision groups of a stage keep colliders apart as OpenUSD says of the groups."""

from __future__ import annotations

from itertools import combinations

import pytest

import inertia_tools as it

pytest.importorskip("pxr")

STAGE = '#usda 1.0\n(\n    upAxis = "Z"\n    metersPerUnit = 1\n)\n'
BALL = """def Sphere "{0}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])
{{
    double radius = 0.1
    bool physics:collisionEnabled = {1}
}}
"""
GROUP = """def PhysicsCollisionGroup "{0}" (prepend apiSchemas = ["CollectionAPI:colliders"])
{{
    rel collection:colliders:includes = [{1}]
    rel physics:filteredGroups = [{2}]
    bool physics:invertFilteredGroups = {3}
    {4}
}}
"""


def _paths(names: str) -> str:
    return ", ".join(f"</{name}>" for name in names)


def _stage(balls: str, *groups: tuple[str, str, str, int, str], off: str = "") -> str:
    solids = "".join(BALL.format(name, int(name not in off)) for name in balls)
    written = "".join(
        GROUP.format(
            name, _paths(inside), _paths(apart), inverted, f'string physics:mergeGroup = "{merged}"' if merged else ""
        )
        for name, inside, apart, inverted, merged in groups
    )
    return STAGE + solids + written


def _apart(text: str) -> set[str]:
    """Return the pairs of balls that do not touch, as two letters each."""
    builder = it.ModelBuilder()
    builder.add_usd(text)
    names = [label.strip("/") for label in builder.shape_label]
    model = builder.finalize()
    meet = {frozenset(pair) for pair in model.shape_contact_pairs.numpy().tolist()}
    assert model.shape_contact_pair_count == len(meet)
    solid = [index for index, shape in enumerate(builder.shapes) if shape.config.has_shape_collision]
    return {names[a] + names[b] for a, b in combinations(solid, 2) if frozenset((a, b)) not in meet}


def test_groups_without_filters_touch_all() -> None:
    assert _apart(_stage("abc", ("X", "a", "", 0, ""), ("Y", "b", "", 0, ""))) == set()


def test_a_group_is_apart_from_those_that_it_names_and_perhaps_from_itself() -> None:
    assert _apart(_stage("abcd", ("X", "ab", "XY", 0, ""), ("Y", "c", "", 0, ""))) == {"ab", "ac", "bc"}


def test_an_inverted_group_touches_those_alone_that_it_names() -> None:
    assert _apart(_stage("abcd", ("X", "a", "", 0, ""), ("Y", "b", "", 0, ""), ("Z", "c", "Y", 1, ""))) == {"ac", "cd"}


def test_merged_groups_are_one_and_any_membership_counts() -> None:
    groups = (
        ("F", "d", "", 0, ""),
        ("M", "a", "F", 0, "one"),
        ("N", "b", "", 0, "one"),
        ("P", "c", "F", 0, ""),
        ("Q", "ce", "", 0, ""),
    )
    assert _apart(_stage("abcde", *groups)) == {"ad", "bd", "cd"}


def test_colliders_that_are_switched_off_have_no_part_in_it() -> None:
    builder = it.ModelBuilder()
    builder.add_usd(_stage("abcd", ("X", "ab", "Y", 0, ""), ("Y", "cd", "", 0, ""), off="bd"))
    names = [label.strip("/") for label in builder.shape_label]
    assert {frozenset(names[i] for i in pair) for pair in builder.shape_collision_filter_pairs} == {frozenset("ac")}


def test_what_is_kept_apart_falls_through() -> None:
    """Two balls one above the other: apart they fall as one, otherwise the upper one comes to rest on the lower."""
    heights = {}
    for apart in ("", "Y"):
        lifted = _stage("ab", ("X", "a", apart, 0, ""), ("Y", "b", "", 0, "")).replace(
            "double radius = 0.1",
            "double radius = 0.1\n    double3 xformOp:translate = (0, 0, {})\n"
            '    uniform token[] xformOpOrder = ["xformOp:translate"]',
        )
        builder = it.ModelBuilder()
        builder.add_usd(lifted.replace("(0, 0, {})", "(0, 0, 0.1)", 1).replace("(0, 0, {})", "(0, 0, 0.4)", 1))
        builder.add_ground_plane()
        model = builder.finalize()
        solver, contacts = it.SolverXPBD(model), model.contacts()
        state, other = model.state(), model.state()
        for _ in range(120):
            solver.step(state, other, None, contacts, 1.0 / 120.0)
            state, other = other, state
        heights[apart] = state.body_q.numpy()[:, 2]
    assert heights[""][1] == pytest.approx(0.3, abs=5e-3)
    assert heights["Y"] == pytest.approx([0.1, 0.1], abs=5e-3)
