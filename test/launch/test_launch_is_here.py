# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Say that the launch tests were left out, and fail where they may not be."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

# The launch files are Python that only launch runs; here at least their syntax and names of arguments are looked at.
LAUNCH_FILES = sorted((Path(__file__).parents[2] / "launch").glob("*.launch.py"))


def test_launch_testing_is_here(missing):
    if not missing:
        return
    reason = f"launch tests need {missing}; run `pytest test/launch` in an environment that has it"
    if os.environ.get("INERTIA_TOOLS_REQUIRE_LAUNCH") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.mark.parametrize("path", LAUNCH_FILES, ids=lambda path: path.name)
def test_every_launch_file_compiles(path):
    compile(path.read_text(), str(path), "exec")


def test_there_are_launch_files():
    assert {path.name for path in LAUNCH_FILES} >= {"inertia.launch.py", "simulation.launch.py", "demo.launch.py"}
