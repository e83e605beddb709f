# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""libsdformat as a reader of files, for the tests that compare with it."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent / "libsdformat" / "inertials.cc"


def build_flags() -> list[str] | None:
    """Flags to build against libsdformat 12; None when it is not there."""
    if shutil.which("pkg-config") is None or shutil.which("g++") is None:
        return None
    asked = subprocess.run(["pkg-config", "--cflags", "--libs", "sdformat12"], capture_output=True, text=True)
    return asked.stdout.split() if asked.returncode == 0 else None


@pytest.fixture(scope="session")
def libsdformat(tmp_path_factory):
    """Return what reads files by libsdformat 12."""
    flags = build_flags()
    if flags is None:
        pytest.skip("libsdformat 12 is not installed (apt install libsdformat-dev)")
    program = tmp_path_factory.mktemp("libsdformat") / "inertials"
    subprocess.run(["g++", "-std=c++17", "-O1", "-o", str(program), str(SOURCE), *flags], check=True)

    def read(paths):
        lines = subprocess.run([program, *map(str, paths)], capture_output=True, text=True, check=True).stdout
        return [json.loads(line) for line in lines.splitlines()]

    return read
