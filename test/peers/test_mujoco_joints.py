# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""How jointed bodies move, against MuJoCo (Runge-Kutta, 0.1 ms) on the same file."""

import numpy as np
import pytest

import inertia_tools as it

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")


@pytest.fixture(autouse=True)
def _away(tmp_path_factory, monkeypatch):
    """Keep the log that MuJoCo leaves in the working folder out of the way."""
    monkeypatch.chdir(tmp_path_factory.mktemp("log"))


ROTOR = 'armature="0.05" damping="0.1" stiffness="3" springref="0.4"'
HINGE = '<body name="a"><joint axis="0 1 0.3" {0}/><inertial pos="0.3 0.05 0" mass="2" diaginertia=".02 .08 .09"/>{1}</body>'
BALL = '<body name="b" pos=".6 0 0"><joint type="ball" damping="0.05"/><inertial pos=".2 0 .1" mass="1" diaginertia=".03 .04 .05"/>{}</body>'
SLIDE = '<body name="c" pos=".4 0 .2"><joint type="slide" axis="1 0 1" stiffness="60" {0}/><inertial pos=".1 0 0" mass=".5" diaginertia=".01 .02 .02"/>{1}</body>'
CROSS = '<body name="d" pos=".2 0 0"><joint axis="1 0 0"/><joint axis="0 1 0"/><inertial pos="0 0 -.2" mass=".7" diaginertia=".01 .01 .005"/></body>'

ARMS = {
    "hinge with rotor and spring": HINGE.format(ROTOR, ""),
    "ball on a hinge": HINGE.format("", BALL.format("")),
    "ball with a spring on a hinge": HINGE.format("", BALL.format("").replace('"ball"', '"ball" stiffness="3"')),
    "slide with rotor on a hinge": HINGE.format("", SLIDE.format('armature="0.3" damping="0.5"', "")),
    "universal joint on a hinge": HINGE.format("", CROSS),
    "all of them": HINGE.format(ROTOR, BALL.format(SLIDE.format('armature="0.3"', CROSS))),
}


@pytest.mark.parametrize("arm", ARMS)
def test_an_arm_falls_as_in_mujoco(arm):
    options = '<compiler angle="radian"/><option timestep="0.0001" integrator="RK4"/>'
    text = f"<mujoco>{options}<worldbody>{ARMS[arm]}</worldbody></mujoco>"
    theirs = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(theirs)
    mujoco.mj_step(theirs, data, nstep=10_000)
    builder = it.ModelBuilder()
    builder.add_mjcf(text)
    model = builder.finalize(dtype="float64")
    state, solver = model.state(), it.SolverXPBD(model, iterations=3, substeps=20)
    for _ in range(240):
        solver.step(state, state, None, None, 1.0 / 240.0)
    ours = dict(zip(model.names, state.body_q.numpy()[:, :3], strict=True))
    for index in range(1, theirs.nbody):
        name = mujoco.mj_id2name(theirs, mujoco.mjtObj.mjOBJ_BODY, index)
        assert ours[name] == pytest.approx(data.xpos[index], abs=5e-5)
    assert np.isfinite(state.joint_qd.numpy()).all()
