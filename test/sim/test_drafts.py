# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Kernels that are compiled quickly at first, and well while they are at work already.

Each test is a process of its own, which has nothing compiled but what is in the cache.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

STEPS = 120
PROGRAM = f"""
import json, sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from scenes import DT, add_box
import inertia_tools as it

builder = it.ModelBuilder()
builder.add_ground_plane()
for n in range(4):
    add_box(builder, 1.0, 0.1, (0.06 * n, 0.04 * n, 0.1 + 0.21 * n))
model = builder.finalize(dtype="float64")
solver = it.SolverXPBD(model, substeps=4)
state, contacts, drafted = model.state(), model.contacts(), []
for n in range({STEPS}):
    if n == {STEPS // 2} and "wait" in sys.argv:
        solver.finish_compiling()
    solver.step(state, state, None, contacts, DT)
    drafted.append(solver.uses_drafts)
bits = (state.body_q.numpy().tobytes() + state.body_qd.numpy().tobytes()).hex()
print(json.dumps({{"drafted": drafted, "bits": bits}}))
"""


def run(cache: Path, *words: str) -> dict[str, Any]:
    """Return what a process finds that steps a heap of blocks."""
    env = {**os.environ, "WARP_CACHE_PATH": str(cache), "INERTIA_TOOLS_NO_DRAFTS": ""}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *words], env=env, capture_output=True, text=True, check=True, timeout=300
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what two processes find, one after the other, of which the first has an empty cache."""
    cache = tmp_path_factory.mktemp("cache")
    return run(cache, "wait"), run(cache)


def test_the_first_steps_are_made_by_drafts_and_the_others_are_not(runs: tuple[dict[str, Any], dict[str, Any]]) -> None:
    drafted = runs[0]["drafted"]
    assert drafted[0]
    assert not any(drafted[STEPS // 2 :])


def test_what_is_in_the_cache_needs_no_drafts(runs: tuple[dict[str, Any], dict[str, Any]]) -> None:
    assert not any(runs[1]["drafted"])


def test_drafts_move_everything_alike_to_the_bit(runs: tuple[dict[str, Any], dict[str, Any]]) -> None:
    assert runs[0]["bits"] == runs[1]["bits"]
