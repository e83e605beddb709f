# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Build and test the checkout with colcon, and run commands in the built workspace."""

from __future__ import annotations

import os
import shutil
import subprocess
import tomllib
from collections.abc import Sequence
from pathlib import Path

from bootstrap import locks
from bootstrap.environment import Environment
from bootstrap.host import ROOT, SetupError

RESULTS = ROOT / "build" / "inertia_tools" / "test_results"
_STAMP = ROOT / "build" / "built-for"


def build(environment: Environment) -> None:
    """Run ``colcon build`` unless nothing it looks at has changed; see that the kernels are compiled.

    Raises:
        SetupError: The build failed; colcon's output is above.
    """
    content = _build_inputs(environment)
    if not _STAMP.exists() or _STAMP.read_text() != content:
        print("Building messages and installing the package with colcon", flush=True)
        command = ["build", "--symlink-install", "--cmake-args", f"-DPython3_EXECUTABLE={environment.python}"]
        if _colcon(environment, command) != 0:
            raise SetupError("colcon build failed; its output is above and in log/latest_build.")
        _STAMP.write_text(content)
    environment.warm_up()


def test(environment: Environment, pytest_arguments: str = "") -> None:
    """Run ``colcon test`` afresh; results land in `RESULTS`.

    One entry more than there are cores runs at a time, as tests of nodes and of pages wait for others much of it.

    Args:
        environment: Where to run.
        pytest_arguments: Extra arguments for pytest, such as ``-k name``.
    """
    shutil.rmtree(RESULTS, ignore_errors=True)
    command = ["test", "--event-handlers", "console_direct+"]
    env = {"PYTEST_ADDOPTS": pytest_arguments, "INERTIA_TOOLS_REQUIRE_ROS": "1"}
    env["CTEST_PARALLEL_LEVEL"] = os.environ.get("CTEST_PARALLEL_LEVEL", str(_core_count() + 1))
    _colcon(environment, command, env)


def run(environment: Environment, command: Sequence[str]) -> int:
    """Run a command with the built workspace sourced; it imports helpers of the tests as tests do.

    Returns:
        Its exit code.
    """
    script = '. "$0" && exec "$@"'
    setup = ROOT / "install" / "setup.bash"
    env = with_helpers(environment.variables())
    return subprocess.run(["bash", "-c", script, str(setup), *command], env=env, cwd=ROOT).returncode


def with_helpers(env: dict[str, str]) -> dict[str, str]:
    """Return a process environment in which Python finds the helpers of the tests, where pytest finds them."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
    folders = [str(ROOT / folder) for folder in settings["pythonpath"]]
    return env | {"PYTHONPATH": os.pathsep.join([*folders, *filter(None, [env.get("PYTHONPATH")])])}


def _core_count() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _colcon(environment: Environment, arguments: Sequence[str], extra: dict[str, str] | None = None) -> int:
    env = environment.variables() | {"COLCON_LOG_LEVEL": "error"} | (extra or {})
    colcon = shutil.which("colcon", path=env["PATH"])
    if colcon is None:
        raise SetupError("colcon was not found: install it (apt: python3-colcon-common-extensions).")
    return subprocess.run([colcon, *arguments], env=env, cwd=ROOT).returncode


def _build_inputs(environment: Environment) -> str:
    """Return a digest of what decides the build: content of its inputs, names of installed files."""
    inputs = [ROOT / "CMakeLists.txt", ROOT / "package.xml", *_files("msg"), *_files("srv"), *_files("scripts")]
    names = [*_files("inertia_tools"), *_files("launch"), *_files("config"), *_files("examples"), *_files("test")]
    listing = os.linesep.join(str(path.relative_to(ROOT)) for path in names)
    return f"{environment.python.resolve()}\n{environment.ros}\n{locks.fingerprint(*inputs)}\n{listing}"


def _files(folder: str) -> list[Path]:
    return sorted(path for path in (ROOT / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts)
