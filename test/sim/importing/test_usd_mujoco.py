# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What a stage states by MuJoCo's schemas: options, springs, and equalities of joints and bodies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.sim.scene.mujoco_kinds import EqType
from inertia_tools.sim.scene.notices import SceneWarning
from inertia_tools.solvers import SOLREF_MODE_FORCE_SPACE, SOLREF_MODE_MJCF_DEFAULT, SOLREF_MODE_RAW, SolverMuJoCo

pytest.importorskip("pxr")

STAGE = """#usda 1.0
(
    upAxis = "Z"
    metersPerUnit = 1
)
def PhysicsScene "scene" (prepend apiSchemas = ["MjcSceneAPI"])
{{
    float mjc:option:impratio = 1.5
    uniform token mjc:option:integrator = "rk4"
    bool mjc:flag:contact = 0
    {scene}
}}
def Sphere "root" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])
{{
    double radius = 0.1
}}
def Sphere "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])
{{
    double radius = 0.1
}}
def Sphere "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])
{{
    double radius = 0.1
}}
def PhysicsFixedJoint "base"
{{
    rel physics:body1 = </root>
}}
def PhysicsRevoluteJoint "hinge"
{{
    rel physics:body0 = </root>
    rel physics:body1 = </a>
    float mjc:ref = 10
    float mjc:springref = 30
}}
def PhysicsPrismaticJoint "slide" (prepend apiSchemas = ["MjcEqualityJointAPI"])
{{
    rel physics:body0 = </a>
    rel physics:body1 = </b>
    float mjc:springref = 0.25
    rel mjc:target = </hinge>
    double mjc:coef0 = 0.1
    double mjc:coef1 = 2
    double mjc:coef2 = {square}
}}
def PhysicsSphericalJoint "point" (prepend apiSchemas = ["MjcEqualityConnectAPI"])
{{
    rel physics:body0 = </b>
    rel physics:body1 = </root>
    point3f physics:localPos0 = (0.1, 0.2, 0.3)
    point3f physics:localPos1 = (0.4, 0, 0)
    bool physics:excludeFromArticulation = 1
    double2 mjc:solref = (0.03, 0.8)
}}
"""


def _added(scene: str = "", square: float = 0.0, **options: Any) -> tuple[it.ModelBuilder, dict[str, Any]]:
    builder = it.ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    return builder, builder.add_usd(STAGE.format(scene=scene, square=square), **options)


def test_options_of_the_scene_are_kept() -> None:
    builder, _ = _added()
    kept = builder.finalize().mujoco
    found = (kept.impratio.numpy()[0], kept.integrator.numpy()[0], kept.flag_contact.numpy()[0])
    assert found == (1.5, 1, False)
    assert (kept.tolerance.numpy()[0], kept.flag_limit.numpy()[0]) == (np.float32(1e-8), True)
    builder, _ = _added(parse_mujoco_options=False)
    assert builder.finalize().mujoco.impratio.numpy()[0] == 1.0


@pytest.mark.parametrize(("scene", "factor"), [("", np.pi / 180.0), ('token mjc:compiler:angle = "radian"', 1.0)])
def test_springs_rest_where_the_stage_says(scene: str, factor: float) -> None:
    builder, result = _added(scene)
    rest = builder.finalize().joint_rest_q.numpy()
    starts = builder.joint_q_start
    assert rest[starts[result["path_joint_map"]["/hinge"]]] == pytest.approx((30.0 - 10.0) * factor)
    assert rest[starts[result["path_joint_map"]["/slide"]]] == pytest.approx(0.25)


def test_an_equality_of_joints_couples_them() -> None:
    builder, result = _added()
    paths = result["path_joint_map"]
    assert builder.constraint_mimic_count == 1
    assert (builder.constraint_mimic_joint0[0], builder.constraint_mimic_joint1[0]) == (
        paths["/slide"],
        paths["/hinge"],
    )
    assert (builder.constraint_mimic_coef0[0], builder.constraint_mimic_coef1[0]) == (0.1, 2.0)
    assert "/point" in paths


def test_an_equality_that_is_no_line_is_named() -> None:
    with pytest.warns(SceneWarning, match="/slide"):
        builder, _ = _added(square=0.5)
    assert builder.constraint_mimic_count == 0


def test_equalities_are_rows_where_they_are_asked_for() -> None:
    builder, result = _added(square=0.5, convert_mjc_equality_constraints=False)
    kept = builder.finalize().mujoco
    assert kept.equality_constraint_label == ["/point", "/slide"]
    assert kept.equality_constraint_type.numpy().tolist() == [EqType.CONNECT, EqType.JOINT]
    bodies = result["path_body_map"]
    assert kept.equality_constraint_body1.numpy()[0] == bodies["/b"]
    assert kept.equality_constraint_body2.numpy()[0] == bodies["/root"]
    np.testing.assert_allclose(kept.equality_constraint_anchor.numpy()[0], [0.1, 0.2, 0.3], rtol=1e-6)
    np.testing.assert_allclose(kept.eq_solref.numpy(), [[0.03, 0.8], [0.02, 1.0]], rtol=1e-6)
    np.testing.assert_allclose(kept.equality_constraint_polycoef.numpy()[1], [0.1, 2.0, 0.5, 0.0, 0.0], rtol=1e-6)
    assert builder.constraint_mimic_count == 0
    assert "/point" not in result["path_joint_map"]


@pytest.mark.parametrize(
    ("said", "limit_ke", "mode"),
    [
        ("", None, SOLREF_MODE_MJCF_DEFAULT),
        ("", 4321.0, SOLREF_MODE_FORCE_SPACE),
        ("uniform double[] mjc:solreflimit = [0.05, 1]", None, SOLREF_MODE_RAW),
        ("uniform double[] mjc:solreflimit = [0.05, 1]", 4321.0, SOLREF_MODE_RAW),
    ],
)
def test_limits_are_as_stated_or_by_gains_or_as_mujoco_has_them(said: str, limit_ke: float | None, mode: int) -> None:
    """A stage's own words go first, then gains that a script has set; without both it is MuJoCo's default."""
    builder = it.ModelBuilder()
    if limit_ke is not None:
        builder.default_joint_cfg.limit_ke = limit_ke
    SolverMuJoCo.register_custom_attributes(builder)
    of_mujoco = f'def PhysicsRevoluteJoint "hinge" (prepend apiSchemas = ["MjcJointAPI"])\n{{{{\n    {said}'
    text = STAGE.replace('def PhysicsRevoluteJoint "hinge"\n{{', of_mujoco).format(scene="", square=0.0)
    paths = builder.add_usd(text)["path_joint_map"]
    freedom = builder.joint_qd_start[paths["/hinge"]]
    model = builder.finalize()
    assert model.mujoco.solreflimit_mode.numpy()[freedom] == mode
    assert model.joint_limit_ke.numpy()[freedom] == (limit_ke or builder.default_joint_cfg.limit_ke)


def test_a_scene_with_the_table_of_equalities_has_the_rows_beside_what_holds() -> None:
    builder, result = _added()
    kept = builder.finalize().mujoco
    assert kept.equality_constraint_count == 2 and builder.constraint_mimic_count == 1
    assert "/point" in result["path_joint_map"]
    plain = it.ModelBuilder()
    plain.add_usd(STAGE.format(scene="", square=0.0))
    assert plain.constraint_mimic_count == 1 and "mujoco:equality_constraint_type" not in plain.custom_attributes


def test_a_declaration_of_mujocos_own_is_read_as_mujoco_states_it() -> None:
    declared = (
        'custom int newton:mujoco:solreflimit_mode = 0 ( customData = { string assignment = "model"\n'
        'string frequency = "joint_dof" } )\n'
    )
    joint = (
        'def PhysicsPrismaticJoint "{}" (prepend apiSchemas = ["MjcJointAPI"]) {{\nrel physics:body1 = </{}>\n'
        "float physics:lowerLimit = -1\nfloat physics:upperLimit = 1\n{}\n}}\n"
    )
    cube = 'def Cube "{}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {{}}\n'
    stated = ("", "double2 mjc:solreflimit = (0.03, 1)", "int newton:mujoco:solreflimit_mode = 1")
    text = '#usda 1.0\n( metersPerUnit = 1\n upAxis = "Z" )\ndef PhysicsScene "scene" {' + declared + "}\n"
    text += "".join(
        cube.format(name) + joint.format(f"j{name}", name, word) for name, word in zip("abc", stated, strict=True)
    )
    builder = it.ModelBuilder()
    result = builder.add_usd(text)
    modes = builder.finalize().mujoco.solreflimit_mode.numpy()
    found = [int(modes[builder.joint_qd_start[result["path_joint_map"][f"/j{name}"]]]) for name in "abc"]
    assert found == [SOLREF_MODE_MJCF_DEFAULT, SOLREF_MODE_RAW, 1]
