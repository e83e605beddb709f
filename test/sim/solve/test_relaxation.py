# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Solves of free bodies that outer iterates do not settle: contacts are relaxed one after the other there."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import Scene, heap


def crash(
    count: int, seed: int, dtype: str, substeps: int, mu_rolling: float = 0.0, mu_torsional: float = 1e-3
) -> Scene:
    """Let cubes crash into a pit at 8 m/s, and lie still."""
    scene = Scene(heap(count, seed), dtype, substeps)
    model = scene.model
    model.shape_material_mu_rolling.assign(np.full(model.shape_count, mu_rolling))
    model.shape_material_mu_torsional.assign(np.full(model.shape_count, mu_torsional))
    scene.contacts = model.contacts()
    velocity = scene.state.body_qd.numpy()
    velocity[:, 2] = -8.0
    scene.state.body_qd.assign(velocity)
    scene.run(2.5)
    return scene


@pytest.mark.parametrize(("dtype", "most"), [("float64", 60), ("float32", 60)])
def test_nearly_all_solves_of_a_heap_that_crashes_settle(dtype, most):
    scenes = [crash(12, 1, dtype, 1), crash(20, 3, dtype, 1)]
    assert sum(scene.contacts.unsettled for scene in scenes) < most
    assert all(np.abs(scene.qd).max() < 1e-6 for scene in scenes)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("substeps", [1, 4])
def test_so_do_those_with_rolling_and_torsional_friction(dtype, substeps):
    scene = crash(12, 1, dtype, substeps, 0.01, 0.02)
    assert scene.contacts.unsettled < 120
    assert np.abs(scene.qd).max() < 1e-6
    assert scene.state.body_q.numpy()[:, 2].min() > 0.0499
