# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Say that the launch tests were left out, and fail where they may not be."""

from __future__ import annotations

import os
import runpy
from pathlib import Path

import pytest

# The launch files are Python that only launch runs; here at least their syntax and names of arguments are looked at.
LAUNCH_FILES = sorted((Path(__file__).parents[2] / "launch").glob("*.launch.py"))


@pytest.mark.parametrize("file", sorted(path.name for path in Path(__file__).parent.glob("test_*_launch.py")))
def test_what_a_launch_test_needs_is_here(missing, file):
    lacking = missing(file)
    if not lacking:
        return
    reason = f"{file} needs {lacking}; run `pytest test/launch` in an environment that has it"
    if os.environ.get("INERTIA_TOOLS_REQUIRE_LAUNCH") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.mark.parametrize("path", LAUNCH_FILES, ids=lambda path: path.name)
def test_every_launch_file_compiles(path):
    compile(path.read_text(), str(path), "exec")


def test_there_are_launch_files():
    names = {"inertia", "simulation", "demo", "gazebo", "controllers"}
    assert {path.name for path in LAUNCH_FILES} >= {f"{name}.launch.py" for name in names}


@pytest.mark.parametrize("path", LAUNCH_FILES, ids=lambda path: path.name)
def test_every_launch_file_describes_its_arguments(path):
    pytest.importorskip("launch_ros", reason="launch_ros is not installed; apt has it")
    pytest.importorskip("inertia_tools.msg", reason="the messages are not built")
    scope = runpy.run_path(str(path))
    declared = [one for one in scope["generate_launch_description"]().entities if hasattr(one, "default_value")]
    assert {"robot_description", "namespace", "log_level"} <= {one.name for one in declared}
    assert all(one.description for one in declared)
