# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""MuJoCo as the judge: a model whose gains are reported as too stiff for its step gains energy there, and not below."""

import math

import pytest

import inertia_tools as it

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")
pytest.importorskip("warp", reason="warp-lang is not installed")

ARM = """
<mujoco><option timestep="{step}" gravity="0 0 0"><flag contact="disable" eulerdamp="disable"/></option>
<worldbody><body name="upper">
  <joint name="shoulder" axis="0 1 0" damping="{passive}"/><inertial pos="0 0 -0.2" mass="1" diaginertia="0.02 0.02 0.002"/>
  <body name="lower" pos="0 0 -0.4">
    <joint name="elbow" axis="0 1 0" damping="{passive}"/>
    <inertial pos="0 0 -0.1" mass="0.2" diaginertia="0.001 0.001 0.0001"/>
  </body></body></worldbody>
<actuator><position joint="shoulder" kp="{kp}" kv="{kv}"/><position joint="elbow" kp="{kp}" kv="{kv}"/></actuator></mujoco>
"""


def grows(text, steps=4000):
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qvel[:] = [1e-6, -2e-6]
    for _ in range(steps):
        mujoco.mj_step(model, data)
        if not math.isfinite(data.qpos[0]) or abs(data.qpos[0]) > 1e-2 or data.warning[4].number:
            return True
    return False


@pytest.mark.parametrize(("kp", "kv"), [(500.0, 0.0), (0.0, 2.0), (200.0, 1.0)])
def test_the_bound_is_where_mujoco_begins_to_diverge(kp, kv):
    def text(step):
        return ARM.format(step=step, kp=kp, kv=kv, passive=0)

    bound = it.diagnose(it.load_text(text(1e-3)), settle=False).study.whole.longest
    assert not grows(text(0.98 * bound))
    assert grows(text(1.02 * bound))
    assert it.diagnose(it.load_text(text(0.98 * bound)), settle=False).reasons == ()
    (reason,) = it.diagnose(it.load_text(text(1.02 * bound)), settle=False).reasons[:1]
    assert reason.code in ("gains-exceed-step", "damping-exceeds-step")


def test_passive_damping_of_mjcf_bounds_nothing_as_mujoco_takes_it_implicitly():
    text = ARM.format(step=0.01, kp=0, kv=0, passive=10).replace('eulerdamp="disable"', "")
    assert not grows(text)
    assert it.diagnose(it.load_text(text), settle=False).study.whole.longest == math.inf


@pytest.mark.parametrize(("kp", "passive"), [(500.0, 0.3), (2000.0, 1.0)])
def test_implicit_damping_permits_longer_steps_for_springs(kp, passive):
    def text(step):
        return ARM.format(step=step, kp=kp, kv=0, passive=passive).replace('eulerdamp="disable"', "")

    def study(step):
        return it.diagnose(it.load_text(text(step)), settle=False).study

    bound = study(1e-3).whole.longest
    assert bound > 1.05 * min(one.longest for one in undamped(kp)), "otherwise the damping makes no difference"
    assert not grows(text(0.98 * bound))
    assert grows(text(1.02 * bound))
    assert it.diagnose(it.load_text(text(0.98 * bound)), settle=False).reasons == ()


def undamped(kp):
    return it.diagnose(it.load_text(ARM.format(step=1e-3, kp=kp, kv=0, passive=0)), settle=False).study.joints


@pytest.mark.parametrize("integrator", ("implicit", "implicitfast"))
def test_an_implicit_integrator_takes_damping_of_actuators_at_the_end_of_the_step(integrator):
    text = ARM.format(step=2e-3, kp=100, kv=20, passive=0)
    assert grows(text)
    assert it.diagnose(it.load_text(text), settle=False).reasons[0].code == "damping-exceeds-step"
    text = text.replace("<option ", f'<option integrator="{integrator}" ')
    assert not grows(text)
    assert it.diagnose(it.load_text(text), settle=False).reasons == ()


def test_without_eulerdamp_the_damping_of_joints_is_explicit():
    text = ARM.format(step=2e-3, kp=0, kv=0, passive=20)
    assert grows(text)
    assert it.diagnose(it.load_text(text), settle=False).reasons[0].code == "damping-exceeds-step"
