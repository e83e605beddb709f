# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Solves of free bodies that outer iterates do not settle: contacts are relaxed one after the other there."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import Scene, heap

from inertia_tools.sim.kernels.work_types import LEAST_DECADE


def crash(count: int, seed: int, dtype: str, substeps: int) -> Scene:
    """Let cubes with rolling and torsional friction crash into a pit at 8 m/s, and lie still."""
    scene = Scene(heap(count, seed), dtype, substeps)
    model = scene.model
    model.shape_material_mu_rolling.assign(np.full(model.shape_count, 0.01))
    model.shape_material_mu_torsional.assign(np.full(model.shape_count, 0.02))
    crash_now(scene, 8.0, 2.5)
    return scene


def crash_now(scene: Scene, speed: float, seconds: float) -> None:
    """Throw all bodies of a scene down at a speed, and go on for so long."""
    scene.contacts = scene.model.contacts()
    velocity = scene.state.body_qd.numpy()
    velocity[:, 2] = -speed
    scene.state.body_qd.assign(velocity)
    scene.run(seconds)


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("substeps", [1, 4])
def test_nearly_all_solves_of_a_heap_that_crashes_settle(dtype, substeps):
    """2 to 7 do not; without relaxation 178 to 374."""
    scene = crash(12, 1, dtype, substeps)
    assert scene.contacts.unsettled < 40
    assert np.abs(scene.qd).max() < 1e-6
    assert scene.state.body_q.numpy()[:, 2].min() > 0.0499


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_heap_that_crashes_takes_few_newton_steps(dtype):
    """Relaxed contacts are what Newton's method starts from: 8 to 20 steps a substep, by rounding; 52 and 55 without."""
    scene = Scene(heap(20, 3), dtype, 1)
    scene.model.request_contact_attributes("solve_log")
    crash_now(scene, 8.0, 0.5)
    made = scene.contacts.solve_log.newton_steps.sum(axis=0)
    assert made @ np.arange(len(made)) < 35 * made.sum()


@pytest.mark.parametrize("substeps", [1, pytest.param(4, marks=pytest.mark.slow)])
def test_what_does_not_settle_is_not_far_off(substeps):
    """No residual is above g h^2; 4 and 10 were where an iterate came after the last relaxation."""
    scene = Scene(heap(24, 3), "float64", substeps)
    scene.model.request_contact_attributes("solve_log")
    crash_now(scene, 4.0, 1.0)
    assert scene.contacts.solve_log.decades.sum(axis=0)[-LEAST_DECADE:].sum() <= 1
