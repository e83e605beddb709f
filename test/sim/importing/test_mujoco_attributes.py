# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What MJCF states beside what is simulated: the same as MuJoCo compiles, and kept when scenes are put together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.errors import OptionError
from inertia_tools.sim.scene.custom_attributes import AttributeFrequency, CustomAttribute
from inertia_tools.sim.scene.mujoco_kinds import EqType, TrnType
from inertia_tools.solvers import SolverMuJoCo

SCENE = """<mujoco model="hand">
  <option impratio="2.5" integrator="RK4" iterations="7"><flag limit="disable" energy="enable"/></option>
  <default>
    <geom solimp="0.8 0.85" priority="2"/>
    <joint margin="0.02" solreflimit="0.03 0.9"/>
    <pair condim="4" friction="0.3 0.4"/>
    <equality solref="0.005 1"/>
    <tendon stiffness="3"/>
    <motor gear="4"/>
    <default class="stiff"><position kp="50"/><tendon stiffness="9"/></default>
  </default>
  <worldbody>
    <body name="arm" gravcomp="0.5">
      <joint name="j" range="-60 60" ref="10" springref="20"/>
      <geom name="a" size="0.1" condim="6" solmix="2" solref="0.04 1.1"/>
      <body name="tip" pos="0.5 0 0">
        <joint name="s" type="slide" range="-0.2 0.4" actuatorgravcomp="true"/>
        <geom name="b" size="0.1" group="3" contype="2"/>
      </body>
    </body>
    <body name="free" pos="0 0 2"><freejoint/><geom name="c" size="0.1"/></body>
  </worldbody>
  <contact><pair geom1="a" geom2="c" margin="0.01"/><pair geom1="b" geom2="c" condim="1"/></contact>
  <tendon>
    <fixed name="t"><joint joint="j" coef="0.5"/><joint joint="s" coef="-1"/></fixed>
    <fixed name="u" class="stiff" range="0 2"><joint joint="s" coef="2"/></fixed>
  </tendon>
  <equality>
    <joint name="e" joint1="j" joint2="s" polycoef="0.1 2"/>
    <weld name="w" body1="free" body2="tip" solref="0.01 2"/>
    <connect name="p" body1="free" body2="arm" anchor="0.1 0.2 0.3"/>
  </equality>
  <actuator>
    <position name="servo" joint="j" class="stiff" kv="3" ctrlrange="-1 1"/>
    <velocity name="rate" joint="s" kv="2"/>
    <motor name="push" joint="s" forcerange="-5 5"/>
    <general name="law" joint="j" gaintype="affine" gainprm="1 2 3" biastype="affine" biasprm="4 5" dyntype="filter"/>
    <intvelocity name="sum" joint="s" kp="20" inheritrange="1"/>
    <muscle name="pull" tendon="t" range="0.8 1.1" force="30" lengthrange="0 1"/>
    <damper name="brake" joint="j" kv="4" ctrlrange="0 1"/>
  </actuator>
</mujoco>"""


def _imported(text: str = SCENE, **options: Any) -> it.ModelBuilder:
    builder = it.ModelBuilder()
    builder.add_mjcf(text, **options)
    return builder


@pytest.fixture(scope="module")
def compiled() -> Any:
    return pytest.importorskip("mujoco").MjModel.from_xml_string(SCENE)


@pytest.fixture(scope="module")
def kept() -> Any:
    return _imported(convert_mjc_equality_constraints=False).finalize().mujoco


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("actuator_gainprm", "actuator_gainprm"),
        ("actuator_biasprm", "actuator_biasprm"),
        ("actuator_gaintype", "actuator_gaintype"),
        ("actuator_biastype", "actuator_biastype"),
        ("actuator_dyntype", "actuator_dyntype"),
        ("actuator_gear", "actuator_gear"),
        ("actuator_ctrlrange", "actuator_ctrlrange"),
        ("actuator_forcerange", "actuator_forcerange"),
        ("actuator_actrange", "actuator_actrange"),
        ("pair_condim", "pair_dim"),
        ("pair_friction", "pair_friction"),
        ("pair_margin", "pair_margin"),
        ("tendon_stiffness", "tendon_stiffness"),
        ("tendon_range", "tendon_range"),
        ("tendon_coef", "wrap_prm"),
    ],
)
def test_rows_are_as_mujoco_compiles_them(kept: Any, compiled: Any, ours: str, theirs: str) -> None:
    wanted = np.asarray(getattr(compiled, theirs), dtype=float)
    found = getattr(kept, ours).numpy().astype(float)
    np.testing.assert_allclose(found, wanted[:, : found.shape[1]] if found.ndim > 1 else wanted, atol=1e-6)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("condim", "geom_condim"),
        ("geom_priority", "geom_priority"),
        ("geom_solimp", "geom_solimp"),
        ("geom_solmix", "geom_solmix"),
        ("geom_group", "geom_group"),
        ("limit_margin", "jnt_margin"),
        ("jnt_actgravcomp", "jnt_actgravcomp"),
        ("dof_ref", "qpos0"),
        ("dof_springref", "qpos_spring"),
    ],
)
def test_elements_are_as_mujoco_compiles_them(kept: Any, compiled: Any, ours: str, theirs: str) -> None:
    found = getattr(kept, ours).numpy()
    count = 2 if "dof" in ours or "jnt" in theirs else len(found)
    np.testing.assert_allclose(found[:count], getattr(compiled, theirs)[:count], atol=1e-6)


def test_options_and_flags_are_kept(kept: Any) -> None:
    assert kept.impratio.numpy()[0] == 2.5
    assert (kept.integrator.numpy()[0], kept.iterations.numpy()[0], kept.ls_iterations.numpy()[0]) == (1, 7, 50)
    flags = (kept.flag_limit.numpy()[0], kept.flag_energy.numpy()[0], kept.flag_contact.numpy()[0])
    assert flags == (False, True, True)
    model = _imported(parse_mujoco_options=False).finalize()
    assert not hasattr(model.mujoco, "impratio")


def test_equalities_are_rows_or_joints(kept: Any) -> None:
    assert kept.equality_constraint_count == 3
    assert kept.equality_constraint_type.numpy().tolist() == [EqType.CONNECT, EqType.WELD, EqType.JOINT]
    np.testing.assert_allclose(kept.equality_constraint_anchor.numpy()[0], [0.1, 0.2, 0.3], atol=1e-6)
    np.testing.assert_allclose(kept.eq_solref.numpy(), [[0.005, 1.0], [0.01, 2.0], [0.005, 1.0]])
    np.testing.assert_allclose(kept.equality_constraint_relpose.numpy()[1], [0.5, 0, -2, 0, 0, 0, 1], atol=1e-6)
    np.testing.assert_allclose(kept.equality_constraint_polycoef.numpy()[2], [0.1, 2, 0, 0, 0], atol=1e-6)
    apart = _imported(convert_mjc_equality_constraints=False)
    together = _imported()
    assert together.joint_count > apart.joint_count == 3
    assert not hasattr(together.finalize().mujoco, "equality_constraint_type")


def test_direct_control_leaves_joints_without_drives() -> None:
    driven, direct = _imported(), _imported(ctrl_direct=True)
    assert driven.joint_target_ke[0] == 50.0 * 4.0**2
    assert not any(direct.joint_target_ke)
    rows = direct.custom_attributes["mujoco:ctrl_source"].values
    assert set(rows) == {int(SolverMuJoCo.CtrlSource.CTRL_DIRECT)}
    model = direct.finalize()
    assert model.control().mujoco.ctrl.shape == (7,)


def test_lengths_scale_with_the_document() -> None:
    plain, large = (_imported(scale=scale).finalize().mujoco for scale in (1.0, 3.0))
    for name in ("pair_margin", "pair_gap"):
        np.testing.assert_allclose(getattr(large, name).numpy(), 3.0 * getattr(plain, name).numpy())
    ratio = large.actuator_actrange.numpy()[4] / plain.actuator_actrange.numpy()[4]
    np.testing.assert_allclose(ratio, 3.0, rtol=1e-6)
    np.testing.assert_allclose(large.limit_margin.numpy()[:2], [0.02, 0.06])
    np.testing.assert_allclose(large.dof_ref.numpy()[0], np.radians(10.0))
    polynomial = _imported(scale=3.0, convert_mjc_equality_constraints=False).finalize().mujoco
    np.testing.assert_allclose(polynomial.equality_constraint_polycoef.numpy()[2, :2], [0.1, 2.0 / 3.0], rtol=1e-6)


def test_rows_refer_to_their_own_copy() -> None:
    """Rows of a scene that is added twice mean the second time what they mean the first, further on."""
    one = _imported(convert_mjc_equality_constraints=False)
    both = it.ModelBuilder()
    both.add_world(one)
    both.add_world(one)
    rows = both.finalize().mujoco
    shift = {
        "actuator_trnid": one.joint_dof_count,
        "pair_geom1": one.shape_count,
        "tendon_joint": one.joint_count,
        "tendon_joint_adr": 3,
        "equality_constraint_body1": one.body_count,
        "equality_constraint_joint1_dof": one.joint_dof_count,
    }
    for name, step in shift.items():
        values = getattr(rows, name).numpy()
        first, second = np.split(values, 2)
        kinds = rows.actuator_trntype.numpy()[: len(first)] if name == "actuator_trnid" else None
        steps = np.where(first >= 0, step, 0)
        if kinds is not None:
            steps[kinds == TrnType.TENDON] = np.where(first[kinds == TrnType.TENDON] >= 0, 2, 0)
        assert (second - first).tolist() == steps.tolist(), name
    np.testing.assert_array_equal(rows.pair_world.numpy(), [0, 0, 1, 1])


def test_attributes_of_users_are_read_from_mjcf() -> None:
    builder = it.ModelBuilder()
    words = {"name": "softness", "dtype": "vec3", "frequency": AttributeFrequency.SHAPE, "default": (1.0, 2.0, 3.0)}
    builder.add_custom_attribute(CustomAttribute(**words, mjcf_attribute_name="solimp"))
    twice = CustomAttribute(
        "spring",
        "float",
        "joint_dof",
        mjcf_attribute_name="springref",
        mjcf_value_transformer=lambda text, context: 2.0 * float(text) if context["joint_type"] == "hinge" else None,
    )
    builder.add_custom_attribute(twice)
    builder.add_mjcf(SCENE)
    model = builder.finalize()
    np.testing.assert_allclose(model.softness.numpy(), [[0.8, 0.85, 3.0]] * 3)
    np.testing.assert_allclose(model.spring.numpy()[:2], [40.0, 0.0])


def test_a_document_that_states_nothing_brings_no_attributes() -> None:
    plain = "<mujoco><worldbody><body><geom size='1'/></body></worldbody></mujoco>"
    assert not _imported(plain).custom_attributes
    builder = it.ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    builder.add_mjcf(plain)
    assert builder.finalize().mujoco.condim.numpy().tolist() == [3]


def test_text_that_is_no_value_is_refused() -> None:
    with pytest.raises(it.errors.OptionError, match="integrator"):
        _imported("<mujoco><option integrator='leapfrog'/><worldbody/></mujoco>")
    with pytest.raises(it.errors.OptionError, match="impratio"):
        _imported("<mujoco><option impratio='much'/><worldbody/></mujoco>")


def test_mujoco_itself_is_at_hand_for_comparison() -> None:
    mujoco = pytest.importorskip("mujoco")
    assert SolverMuJoCo.import_mujoco()[0] is mujoco


def test_rows_of_mujoco_need_no_declaration() -> None:
    """A script may add raw rows to a builder at once; each belongs to the world that was begun."""
    builder = it.ModelBuilder()
    for world in range(2):
        builder.begin_world()
        places = builder.add_custom_values(**{"mujoco:equality_constraint_type": 1})
        assert places["mujoco:equality_constraint_world"] == world
        builder.end_world()
    assert builder.finalize().mujoco.equality_constraint_world.numpy().tolist() == [0, 1]
    with pytest.raises(OptionError, match="custom attribute"):
        builder.add_custom_values(**{"mujoco:unheard_of": 1})
