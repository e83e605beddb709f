# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""`make` hands on each command of the bootstrap, with the words in ARGS."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bootstrap.__main__ import _COMMANDS

ROOT = Path(__file__).parents[1]
BY_MODULE_ONLY = {"lock"}
COMMANDS = {function.__name__.replace("_", "-") for function in _COMMANDS} - BY_MODULE_ONLY


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_make_runs_the_command(name):
    run = subprocess.run(
        ["make", "-n", name, f"PYTHON={sys.executable}", "ARGS=--some word"], cwd=ROOT, capture_output=True, text=True
    )
    assert f"-m bootstrap {name}" in run.stdout, run.stdout + run.stderr


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
@pytest.mark.parametrize("name", ["test", "fuzz", "fuzz-guided", "fuzz-branches", "bench", "soak"])
def test_make_passes_on_what_args_says(name):
    command = ["make", "-n", name, f"PYTHON={sys.executable}", "ARGS=--some word"]
    assert (
        f"bootstrap {name} -- --some word" in subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout
    )
