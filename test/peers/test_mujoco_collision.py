# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Distances of shapes beside MuJoCo's, on 10 000 random poses of each pair that it knows."""

import itertools

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")
pytest.importorskip("warp", reason="warp-lang is not installed")

from collision_reference import distance_by_separating_axes, find, random_cases  # noqa: E402

from inertia_tools.sim.collide.collider_kind import ColliderKind  # noqa: E402

POSES, VARIANTS = 10_000, 10
NAMES = {
    ColliderKind.SPHERE: "sphere",
    ColliderKind.CAPSULE: "capsule",
    ColliderKind.ELLIPSOID: "ellipsoid",
    ColliderKind.CYLINDER: "cylinder",
    ColliderKind.BOX: "box",
    ColliderKind.HULL: "mesh",
}
BY_AXES = {(ColliderKind.CAPSULE, ColliderKind.BOX), (ColliderKind.BOX, ColliderKind.BOX)}
"""Pairs for which MuJoCo has its own formula, that in some poses takes an overlap for a gap or for a shallower one; the
separating axes are the judge there (`test_collision_pairs.py`)."""

CURVED = {ColliderKind.ELLIPSOID, ColliderKind.CYLINDER}
PAIRS = list(itertools.combinations_with_replacement(NAMES, 2))


def model_of(first, second):
    meshes, bodies = "", ""
    for name, collider in (("a", first), ("b", second)):
        shape = f'size="{" ".join(map(str, collider.size))}"'
        if collider.kind is ColliderKind.HULL:
            vertices = " ".join(map(str, collider.polytope.vertices.ravel()))
            meshes += f'<mesh name="{name}" vertex="{vertices}"/>'
            shape = f'mesh="{name}"'
        bodies += f'<body><geom type="{NAMES[collider.kind]}" {shape}/></body>'
    option = '<option ccd_tolerance="1e-9" ccd_iterations="200"/>'
    return mujoco.MjModel.from_xml_string(
        f"<mujoco>{option}<asset>{meshes}</asset><worldbody>{bodies}</worldbody></mujoco>"
    )


def mujoco_distances(cases):
    result, models = np.empty(len(cases)), {}
    for i, (a, b) in enumerate(cases.pairs):
        if i % VARIANTS not in models:
            model = model_of(a, b)
            models[i % VARIANTS] = model, mujoco.MjData(model)
        model, data = models[i % VARIANTS]
        for side in range(2):
            local = np.empty(9)
            mujoco.mju_quat2Mat(local, model.geom_quat[side])
            data.geom_xpos[side] = cases.x[i, side] + cases.r[i, side] @ model.geom_pos[side]
            data.geom_xmat[side] = (cases.r[i, side] @ local.reshape(3, 3)).ravel()
        result[i] = mujoco.mj_geomDistance(model, data, 0, 1, 10.0, None)
    return result


@pytest.mark.parametrize(("first", "second"), PAIRS, ids=lambda kind: kind.name.lower())
def test_distances_are_those_of_mujoco_or_better(first, second):
    cases = random_cases(first, second, POSES, seed=11, variants=VARIANTS)
    ours, theirs = find(cases).gap, mujoco_distances(cases)
    # MuJoCo's are upper bounds where shapes are apart, and depths that it found a way out of where they overlap.
    apart = ours > 1e-6
    off = np.abs(ours - theirs)[apart] / cases.size[apart]
    assert np.quantile(off, 0.999) < 1e-5
    deeper = (theirs - ours)[~apart] / cases.size[~apart]
    if (first, second) in BY_AXES:
        deeper = np.where(np.abs(distance_by_separating_axes(cases) - ours)[~apart] < 1e-13, 0.0, deeper)
    assert deeper.max() < (5e-3 if {first, second} & CURVED else 1e-6)
    assert np.quantile(np.abs(deeper), 0.9) < 1e-5
