# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Virtual environments filled from locks."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from bootstrap import host, locks, wheel_exports
from bootstrap.host import ROOT, SetupError
from bootstrap.pip_progress import run_pip

# Set by the ROS wheels when they restart Python with their library path; a value inherited from
# another environment would stop ours from doing the same.
_WHEELS_GUARD = "_ROS_WHEELS_BOOTSTRAP_COMPLETE"


@dataclass(frozen=True)
class Environment:
    """One virtual environment.

    Attributes:
        prefix: Its root folder.
        ros: Prefix of the sourced ROS 2 below it, or None when ROS 2 comes from wheels inside it.
    """

    prefix: Path
    ros: Path | None = None

    @property
    def python(self) -> Path:
        """Interpreter of the environment."""
        return self.prefix / "bin" / "python"

    def variables(self) -> dict[str, str]:
        """Return the process environment for commands that run inside."""
        env = dict(os.environ)
        env.pop("PYTHONHOME", None)
        env["VIRTUAL_ENV"] = str(self.prefix)
        env["PATH"] = os.pathsep.join([str(self.prefix / "bin"), env.get("PATH", os.defpath)])
        env["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
        if self.ros is None:
            for name in (_WHEELS_GUARD, "PYTHONPATH", "LD_LIBRARY_PATH", "COLCON_PREFIX_PATH"):
                env.pop(name, None)
            env["AMENT_PREFIX_PATH"] = env["CMAKE_PREFIX_PATH"] = str(self.prefix)
        return env

    def create(self) -> None:
        """Create the environment if it is not there yet.

        Raises:
            SetupError: Python could not create it.
        """
        if self.python.exists():
            return
        python = sys.executable if self.ros is None else host.python_of_sourced_ros()
        options = [] if self.ros is None else ["--system-site-packages"]
        print(f"Creating {self.prefix.name} with {python}", flush=True)
        if subprocess.run([python, "-m", "venv", *options, str(self.prefix)]).returncode != 0:
            raise SetupError(f"{python} could not create a virtual environment; its own message is above.")

    def install(self, *names: str) -> None:
        """Install the locks of some purposes, each unless its present content is installed already.

        Args:
            names: Purposes such as ``runtime``; ``tools`` always comes first.
        """
        for name in ("tools", *names):
            lock = locks.path_of(name)
            stamp = self._stamp(name)
            content = locks.fingerprint(lock)
            if stamp.exists() and stamp.read_text() == content:
                continue
            count = len(locks.requirements_in(lock))
            print(f"Installing {count} pinned packages of {lock.relative_to(ROOT)}", flush=True)
            raw = [] if name == "tools" else ["--progress-bar", "raw"]
            # The locks are complete, and the two packages that exist as sources only are built
            # with the pinned setuptools.
            options = ["--no-deps", "--no-build-isolation", "--no-input", *raw]
            command = [str(self.python), "-m", "pip", "install", *options, "-r", str(lock)]
            run_pip(command, count, self.variables())
            if self.ros is None and (self.prefix / "share").is_dir():
                wheel_exports.mend(self.prefix, self.variables())
            stamp.write_text(content)

    def install_project(self) -> None:
        """Install this checkout in editable form, which gives the command line tool."""
        stamp = self._stamp("project")
        content = locks.fingerprint(ROOT / "pyproject.toml")
        if stamp.exists() and stamp.read_text() == content:
            return
        print("Installing inertia_tools in editable form", flush=True)
        options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-input"]
        command = [str(self.python), "-m", "pip", "install", *options, "--editable", str(ROOT)]
        done = subprocess.run(command, env=self.variables(), text=True, capture_output=True)
        if done.returncode != 0:
            print(done.stdout, done.stderr, sep="\n", file=sys.stderr)
            raise SetupError("pip could not install this checkout; its own message is above.")
        stamp.write_text(content)

    def warm_up(self) -> None:
        """Compile the kernels of the simulator, unless those of its present sources are."""
        sources = sorted((ROOT / "inertia_tools" / "sim").rglob("*.py"))
        cache = os.environ.get("WARP_CACHE_PATH", "")
        stamp, content = self._stamp("kernels"), locks.fingerprint(*sources) + cache
        if stamp.exists() and stamp.read_text() == content:
            return
        if self.compile_kernels() != 0:
            raise SetupError("a kernel of the simulator does not compile; the message of the compiler is above.")
        stamp.write_text(content)

    def compile_kernels(self, *options: str) -> int:
        """Run ``inertia-tools warm-up`` with some options; return its exit code."""
        print(" ".join(["Compiling the kernels of the simulator", *options]), flush=True)
        command = [str(self.python), "-m", "inertia_tools", "warm-up", *options]
        return subprocess.run(command, env=self.variables(), cwd=ROOT).returncode

    def _stamp(self, name: str) -> Path:
        folder = self.prefix / "stamps"
        folder.mkdir(exist_ok=True)
        return folder / name


def main_environment() -> Environment:
    """Return ``.venv``, on top of a sourced ROS 2 where there is one."""
    return Environment(ROOT / ".venv", host.sourced_ros())


def peers_environment() -> Environment:
    """Return ``.venv-peers``, which holds other people's simulators and no ROS 2."""
    return Environment(ROOT / ".venv-peers")
