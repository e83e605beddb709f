# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Kernels of the solver take denormal numbers as zero, and leave the mode of the thread as it was."""

import platform

import numpy as np
import pytest
import warp as wp
from scenes import Scene, add_box

import inertia_tools as it
from inertia_tools.sim.kernels.denormals import flush_denormals, restore_denormals

pytestmark = pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="x86 processors have the mode")


@wp.kernel(enable_backward=False)
def halve(x: wp.array(dtype=float), halves: wp.array(dtype=float)):
    halves[0] = 0.5 * x[0]
    mode = flush_denormals()
    halves[1] = 0.5 * x[0]
    restore_denormals(mode)
    halves[2] = 0.5 * x[0]


def test_a_denormal_number_is_zero_in_between():
    x, halves = wp.array([1.2e-38], dtype=float, device="cpu"), wp.zeros(3, dtype=float, device="cpu")
    wp.launch(halve, 1, inputs=[x], outputs=[halves], device="cpu")
    before, flushed, after = halves.numpy()
    assert flushed == 0.0 < before == after


def test_a_step_leaves_the_callers_numbers_alone():
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    add_box(builder, 1.0, 0.1, (0.0, 0.0, 0.1))
    Scene(builder, "float32").run(0.05)
    assert np.float32(1.2e-38) * np.float32(0.5) > 0.0
