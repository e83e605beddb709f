# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A hundred damaged meshes: none is accepted silently wrong, and what is estimated is as wrong as stated or less."""

import numpy as np
import pytest
from damaged_meshes import case

from inertia_tools.geometry.mesh.integral import MeshOptions, Rung
from inertia_tools.geometry.mesh.integrate import integrate_mesh

SEEDS = range(100)
ROUNDING = 1e-9
"""Relative error under which a result counts as exact."""

STORED_ROUNDED = 1e-6
"""Relative error of a mesh whose corners were stored in single precision, closed though it is."""


@pytest.fixture(scope="module")
def outcomes():
    return {
        seed: (damaged := case(seed), integrate_mesh(damaged.mesh, MeshOptions(may_load_warp=False))) for seed in SEEDS
    }


def error_of(integral, truth) -> float:
    """Return the error of the volume, or of the tensor over its size."""
    if truth is None or integral.unit is None:
        return 0.0 if truth is None and integral.unit is None else np.inf
    tensor = np.linalg.norm(integral.unit.inertia - truth.inertia, 2) / np.linalg.norm(truth.inertia, 2)
    return max(abs(integral.unit.mass / truth.mass - 1.0), tensor)


def slack(damaged) -> float:
    return STORED_ROUNDED if "single_precision" in damaged.name else ROUNDING


def test_every_damage_is_named(outcomes):
    missing = [d.name for d, integral in outcomes.values() if d.fault and d.fault not in map(str, integral.faults)]
    assert missing == []


def test_none_is_called_exact_that_is_not(outcomes):
    wrong = [
        d.name
        for d, integral in outcomes.values()
        if integral.rung is Rung.EXACT and error_of(integral, d.truth) > integral.error_estimate + slack(d)
    ]
    assert wrong == []


def test_flat_meshes_give_nothing(outcomes):
    assert all((d.truth is None) == (integral.unit is None) for d, integral in outcomes.values())


def test_stated_errors_hold_and_say_something(outcomes):
    errors = {seed: error_of(integral, d.truth) for seed, (d, integral) in outcomes.items()}
    held = [errors[s] <= integral.error_estimate + slack(d) for s, (d, integral) in outcomes.items()]
    assert sum(held) >= 95
    ratios = [
        integral.error_estimate / errors[seed]
        for seed, (_, integral) in outcomes.items()
        if integral.rung not in (Rung.EXACT, Rung.NONE) and errors[seed] > ROUNDING
    ]
    assert len(ratios) > 20
    assert np.median(ratios) <= 10.0
