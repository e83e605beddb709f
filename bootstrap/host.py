# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What the machine must bring along, and one clear sentence for each thing that is missing."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

PYTHON_OLDEST = (3, 11)
PYTHON_NEWEST = (3, 13)  # The newest Python for which every pinned wheel exists.


class SetupError(Exception):
    """Something the person at the keyboard has to provide; the message is one sentence for them."""


def require_python() -> None:
    """Check the running interpreter: version, venv module and C headers.

    Raises:
        SetupError: The interpreter cannot carry the environment.
    """
    if not PYTHON_OLDEST <= sys.version_info[:2] <= PYTHON_NEWEST:
        raise SetupError(
            f"Python {sys.version_info[0]}.{sys.version_info[1]} at {sys.executable} is not supported: "
            "install Python 3.11, 3.12 or 3.13, or name one with `make PYTHON=...`."
        )
    if importlib.util.find_spec("venv") is None or importlib.util.find_spec("ensurepip") is None:
        raise SetupError(
            f"{sys.executable} has no venv module: install it (Debian and Ubuntu: python3-venv), "
            "or name another Python with `make PYTHON=...`."
        )
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        raise SetupError(
            f"{sys.executable} has no C headers, which generated messages need: install them "
            "(Debian and Ubuntu: python3-dev), or name another Python with `make PYTHON=...`."
        )


def require_build_tools() -> None:
    """Check that a C++ compiler, CMake and make can be found.

    Raises:
        SetupError: One of them is missing.
    """
    compilers = [os.environ.get("CXX", ""), "c++", "g++", "clang++"]
    if not any(name and shutil.which(name.split()[0]) for name in compilers):
        raise SetupError("No C++ compiler was found: install g++ or clang++, or name one in the variable CXX.")
    if shutil.which("cmake") is None:
        raise SetupError("CMake was not found: install cmake 3.16 or newer.")
    if shutil.which("make") is None:
        raise SetupError("make was not found: install it; CMake builds the messages with it.")


def sourced_ros() -> Path | None:
    """Return the prefix of a ROS 2 installation that the shell has sourced, or None.

    A prefix inside this checkout is our own overlay or environment and does not count.
    """
    for entry in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep):
        prefix = Path(entry)
        if entry and not prefix.is_relative_to(ROOT) and (prefix / "share" / "rclpy").is_dir():
            return prefix
    return None


def python_of_sourced_ros() -> str:
    """Return the interpreter the sourced ROS 2 runs on.

    Raises:
        SetupError: No ``python3`` on the path can import its rclpy.
    """
    python = shutil.which("python3")
    probe = [python or "python3", "-c", "import rclpy"]
    if python is None or subprocess.run(probe, capture_output=True).returncode != 0:
        raise SetupError(
            "A ROS 2 installation is sourced but the python3 on the path cannot import rclpy: "
            "use the Python that ROS 2 was installed for, or start from a shell without it."
        )
    return python
