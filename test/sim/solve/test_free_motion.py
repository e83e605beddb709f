# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Bodies that nothing touches: parabolas, tops, and what is conserved."""

import numpy as np
import pytest
from scenes import G, Scene, rod
from scipy.special import ellipk

import inertia_tools as it
from inertia_tools.spatial import rotation_from_quaternion


def free_body(dtype="float64", inertia=(0.01, 0.01, 0.01), gravity=(0, 0, 0), **options):
    builder = it.ModelBuilder(gravity=gravity)
    builder.add_link(mass=1.0, inertia=np.diag(inertia))
    return Scene(builder, dtype, **options)


def thrown(dtype):
    scene = free_body(dtype, gravity=(0, 0, -G))
    q = scene.q
    q[0, 2] = 10.0
    scene.state.body_q.assign(q.astype(dtype))
    scene.set_velocity(0, (1, 0, 3))
    scene.run(1.0)
    return np.abs(scene.q[0, :3] - [1.0, 0.0, 10.0 + 3.0 - 0.5 * G]).max()


def test_free_fall_in_double_precision():
    assert thrown("float64") < 1e-12


def test_free_fall_in_single_precision():
    assert thrown("float32") < 2e-6


@pytest.mark.parametrize("substeps", [1, 4, 20])
def test_free_fall_does_not_depend_on_the_substeps(substeps):
    scene = free_body(gravity=(0, 0, -G), substeps=substeps)
    scene.run(1.0)
    assert scene.q[0, 2] == pytest.approx(-0.5 * G, abs=1e-12)
    assert scene.qd[0, 2] == pytest.approx(-G, abs=1e-12)


def test_symmetric_top_keeps_momentum_in_single_precision():
    scene = free_body("float32", inertia=(0.01, 0.01, 0.02))
    scene.set_velocity(0, angular=(2, 0, 10))
    momentum = scene.momenta()[1]
    scene.run(5.0)
    assert np.linalg.norm(scene.momenta()[1] - momentum) < 1e-6 * np.linalg.norm(momentum)


def test_intermediate_axis_flips_with_the_closed_period():
    # Landau and Lifshitz, Mechanics, 37: period 4 K(k) / p. The error falls with the third power of the substep:
    # 3.6e-4 at 1/1200 s, 4.5e-5 at 1/2400 s, 5.7e-6 at 1/4800 s, which is the substep of `Simulation`.
    a, b, c = 0.01, 0.02, 0.03
    rates = np.array([0.01, 5.0, 0.01])
    scene = free_body(inertia=(a, b, c), dt=1.0 / 120.0, substeps=40)
    scene.set_velocity(0, angular=rates)
    energy, momentum = 0.5 * (rates**2 @ [a, b, c]), np.linalg.norm(rates * [a, b, c])
    p2 = (c - b) * (momentum**2 - 2 * energy * a) / (a * b * c)
    k2 = (b - a) * (2 * energy * c - momentum**2) / ((c - b) * (momentum**2 - 2 * energy * a))
    if momentum**2 < 2 * energy * b:
        p2 = (b - a) * (2 * energy * c - momentum**2) / (a * b * c)
        k2 = (c - b) * (momentum**2 - 2 * energy * a) / ((b - a) * (2 * energy * c - momentum**2))
    period = 4 * ellipk(k2) / np.sqrt(p2)
    crossings, last = [], 5.0
    for step in range(round(2.2 * period / scene.dt)):
        scene.run(scene.dt)
        rotation = rotation_from_quaternion(scene.q[0, 3:])
        now = rotation[:, 1] @ scene.qd[0, 3:]
        if last > 0.0 >= now:
            crossings.append((step + 1 - now / (now - last)) * scene.dt)
        last = now
    assert np.diff(crossings)[0] == pytest.approx(period, rel=1e-5)


def floating_chain(dtype):
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    upper = builder.add_link(**rod())
    lower = builder.add_link(**rod(), xform=it.Pose(np.array([0.0, 0.0, -1.0])))
    builder.add_joint_revolute(upper, lower, parent_xform=it.Pose(np.array([0.0, 0.0, -1.0])), axis=(1.0, 0.3, 0.2))
    scene = Scene(builder, dtype)
    linear, angular = np.array([0.1, 0.2, 0.3]), np.array([1.0, 2.0, 3.0])
    scene.set_velocity(upper, linear, angular)
    scene.set_velocity(lower, linear + np.cross(angular, [0.0, 0.0, -1.0]), angular)
    return scene


@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 1e-12), ("float32", 1e-6)])
def test_floating_chain_keeps_its_momentum(dtype, tolerance):
    scene = floating_chain(dtype).run(0.1)
    linear, angular = scene.momenta()
    scene.run(5.0)
    later_linear, later_angular = scene.momenta()
    assert np.linalg.norm(later_linear - linear) < tolerance * np.linalg.norm(linear)
    assert np.linalg.norm(later_angular - angular) < tolerance * np.linalg.norm(angular)


def test_floating_chain_keeps_its_energy():
    scene = floating_chain("float64")
    energy = scene.energy()
    assert scene.run(5.0).energy() == pytest.approx(energy, rel=1e-6)


def test_two_runs_are_equal_to_the_last_bit():
    first, second = floating_chain("float64").run(1.0), floating_chain("float64").run(1.0)
    assert np.array_equal(first.q, second.q)
    assert np.array_equal(first.qd, second.qd)
