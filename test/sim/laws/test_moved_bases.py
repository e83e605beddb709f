# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Joints on a kinematic body that moves: dampers and rotors see how fast it does, in the first substep of a step too."""

import numpy as np
import pytest
from scenes import Scene

import inertia_tools as it

INERTIA = 0.1
BASE_RATE, APART = 2.0, 3.0
STEPS = [("float64", 1 / 60, 1), ("float64", 1 / 240, 4), ("float32", 1 / 240, 4)]

LAWS = {
    "damping": ({"damping": 0.05}, APART * np.exp(-0.5)),
    "armature": ({"armature": 0.1}, APART),
    "both": ({"armature": 0.1, "damping": 0.05}, APART * np.exp(-0.25)),
    "friction": ({"friction": 0.2}, APART - 2.0),
}
"""What the joint has, and how fast the rotor turns against its base after 1 s [rad/s]."""


def rotor_on_base(law, base_is_child):
    """Return a builder with a rotor on a kinematic body, and both bodies."""
    builder = it.ModelBuilder(gravity=(0.0, 0.0, 0.0))
    rotor = builder.add_link(mass=1.0, inertia=INERTIA * np.eye(3))
    base = builder.add_link(mass=1.0, inertia=np.eye(3), is_kinematic=True)
    builder.add_joint_revolute(*((rotor, base) if base_is_child else (base, rotor)), axis=(0.0, 0.0, 1.0), **law)
    return builder, rotor, base


@pytest.mark.sweep
@pytest.mark.parametrize(("dtype", "dt", "substeps"), STEPS)
@pytest.mark.parametrize("base_is_child", [False, True])
@pytest.mark.parametrize("law", list(LAWS))
def test_rotor_on_a_base_that_turns_steadily(law, base_is_child, dtype, dt, substeps):
    """With armature it reached 123 rad/s."""
    builder, rotor, base = rotor_on_base(LAWS[law][0], base_is_child)
    scene = Scene(builder, dtype, substeps, dt=dt)
    rates = scene.qd
    rates[base, 5], rates[rotor, 5] = BASE_RATE, BASE_RATE + APART
    scene.state.body_qd.assign(rates.astype(dtype))
    scene.run(1.0)
    assert scene.qd[rotor, 5] - BASE_RATE == pytest.approx(LAWS[law][1], rel=1e-4)


@pytest.mark.parametrize("substeps", [1, 4])
@pytest.mark.parametrize("armature", [0.0, 0.1])
def test_rotor_on_a_base_that_gains_rate_evenly(armature, substeps):
    """The damper drags it along: the rotor lags behind by acceleration times (I + armature) / damping."""
    acceleration, damping, dt = 0.5, 0.5, 1 / 120
    builder, rotor, base = rotor_on_base({"damping": damping, "armature": armature}, False)
    scene = Scene(builder, "float64", substeps, dt=dt)
    for step in range(round(4.0 / dt)):
        rates = scene.qd
        rates[base, 5] = acceleration * dt * (step + 1)
        scene.state.body_qd.assign(rates)
        scene.run(dt)
    lag = acceleration * INERTIA / damping
    assert scene.qd[base, 5] - scene.qd[rotor, 5] == pytest.approx(lag, rel=0.02)


@pytest.mark.parametrize("dt", [1 / 60, 1 / 240])
def test_slide_on_a_base_that_moves_by_poses(dt):
    builder = it.ModelBuilder(gravity=(0.0, 0.0, 0.0))
    base = builder.add_link(mass=1.0, inertia=np.eye(3), is_kinematic=True)
    slider = builder.add_link(mass=1.0, inertia=0.1 * np.eye(3))
    builder.add_joint_prismatic(base, slider, axis=(1.0, 0.0, 0.0), damping=2.0)
    scene = Scene(builder, "float64", 1, dt=dt)
    for step in range(round(5.0 / dt)):
        places = scene.q
        places[base, 0] = 0.5 * dt * (step + 1)
        scene.state.body_q.assign(places)
        scene.run(dt)
    assert scene.qd[slider, 0] == pytest.approx(0.5, abs=2e-3)
