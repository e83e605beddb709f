# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Run Newton's own unit tests, in place from its wheel, with `newton` bound to this package.

    make peers ARGS="--collect-only -q"     # fills .venv-peers, where the wheel is
    .venv/bin/python benchmarks/newton_tests.py [MODULE ...] [--only WORD] [--seconds 90] [--json FILE]

Each module runs in a process of its own, each test at most `--seconds`. Public names that we lack are stand-ins whose
use is an error, so that the rest of a module still counts. Names of Newton's private modules are looked up in this
package and its public modules, and are missing where neither has them. Tests of viewers and of solvers that are named
so are left out; skipped tests are not counted.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import io
import json
import os
import signal
import subprocess
import sys
import types
import unittest
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from newton_references import ROOT, WHEEL

MODULES = (
    "test_body_force",
    "test_cloth",
    "test_custom_attributes",
    "test_equality_constraints",
    "test_eval_fk",
    "test_heightfield",
    "test_import_mjcf",
    "test_import_urdf",
    "test_import_usd",
    "test_inertia",
    "test_inertia_validation",
    "test_joint_drive",
    "test_joint_limits",
    "test_kinematic_links",
    "test_parent_force",
    "test_physics_verification",
    "test_rigid_contact",
    "test_runtime_gravity",
    "test_schema_resolver",
    "test_sites",
    "test_solver_xpbd",
    "test_solver_xpbd_tetrahedra",
    "test_state_assign",
)
"""The modules that bear on the pages."""

PUBLIC = ("solvers", "usd", "utils", "sensors", "geometry", "math", "selection", "viewer", "ik")
"""Newton's public modules."""

OTHERS = (
    *("mujoco", "kamino", "vbd", "featherstone", "style3d", "mpm", "semi_implicit", "semiimplicit", "cuda", "mjwarp"),
    *("viewer", "rtx"),
)
"""Words in the name of a test of something else."""


class Missing:
    """Stands for a name that we lack; any use of it is an error."""

    def __init__(self, name: str) -> None:
        self.__dict__["name"] = name

    def __call__(self, *_: Any, **__: Any) -> Any:
        """Refuse to be called."""
        raise AttributeError(f"inertia_tools has no {self.name}")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Missing(f"{self.name}.{name}")

    def __or__(self, other: Any) -> Missing:
        return self

    def __mro_entries__(self, bases: Any) -> tuple[type, ...]:
        return (object,)


class NewtonModules(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds Newton's modules that we lack or that are private; they hold our public names only."""

    def __init__(self, wheel: Path, homes: list[Callable[[str], Any]]) -> None:
        self.wheel, self.homes = wheel, homes

    def _exists(self, name: str) -> bool:
        path = self.wheel.joinpath(*name.split(".")[1:])
        return path.is_dir() or path.with_suffix(".py").exists()

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        """Find a module that the wheel has."""
        del path, target
        if not name.startswith("newton.") or name.startswith("newton.tests") or not self._exists(name):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """Make a module whose names are ours."""
        module: Any = types.ModuleType(spec.name)
        module.__path__ = []
        module.__getattr__ = lambda name: self._get(spec.name, name)
        if spec.name == "newton.examples":
            assets = self.wheel / "examples/assets"
            module.get_asset = lambda name: str(assets / name)
            module.get_asset_directory = lambda: str(assets)
        if spec.name == "newton._src.utils":
            # a step of particles allocates, so it is no graph of the caller's
            module.is_graph_capture_allocation_enabled = lambda *_, **__: False
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        """Run nothing."""

    def _get(self, home: str, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if self._exists(f"{home}.{name}"):
            return importlib.import_module(f"{home}.{name}")
        for get in self.homes:
            try:
                return get(name)
            except AttributeError:
                pass
        return Missing(name)


def bind_newton(wheel: Path) -> None:
    """Make `newton` this package, with stand-ins for what it lacks, and `newton.tests` the wheel's."""
    sys.path.insert(0, str(ROOT))
    import inertia_tools as it

    public = it.__getattr__
    homes: list[Callable[[str], Any]] = [public]
    sys.modules["newton"] = it
    for name in PUBLIC:
        try:
            module = importlib.import_module("inertia_tools." + name)
        except ImportError:
            continue
        sys.modules["newton." + name] = module
        setattr(it, name, module)
        homes.append(lambda wanted, module=module: getattr(module, wanted))

    def get(name: str) -> Any:
        try:
            return public(name)
        except AttributeError:
            if name.startswith("__") or name in PUBLIC:
                raise
            return Missing(name)

    sys.meta_path.append(NewtonModules(wheel, homes))
    it.__getattr__ = get
    it.__path__ = list(it.__path__)
    tests = types.ModuleType("newton.tests")
    tests.__path__ = [str(wheel / "tests")]
    sys.modules["newton.tests"] = tests


def chosen(suite: unittest.TestSuite, only: str) -> Iterator[unittest.TestCase]:
    """The tests of a suite that are counted."""
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from chosen(test, only)
        elif only in test.id() and not any(other in test.id().lower() for other in OTHERS):
            yield test


class Timed(unittest.TestResult):
    """Ends each test after some seconds, and keeps what became of it."""

    def __init__(self, seconds: int, loud: bool) -> None:
        super().__init__()
        self.seconds, self.loud = seconds, loud
        self.outcome: dict[str, str] = {}

    def startTest(self, test: unittest.TestCase) -> None:
        """Begin to count the seconds of a test."""
        super().startTest(test)
        signal.alarm(self.seconds)

    def stopTest(self, test: unittest.TestCase) -> None:
        """Count no longer."""
        signal.alarm(0)
        super().stopTest(test)

    def addSuccess(self, test: unittest.TestCase) -> None:
        """Keep that a test passed, unless a part of it did not."""
        self.outcome.setdefault(test.id(), "passed")

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        """Keep that a test was skipped."""
        self.outcome[test.id()] = "skipped"

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:
        """Keep why a test failed."""
        self.outcome[test.id()] = self._words(err, test)

    addError = addFailure

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: Any) -> None:
        """Keep why a part of a test failed."""
        if err is not None:
            self.outcome[test.id()] = self._words(err, test)

    def _words(self, err: Any, test: unittest.TestCase) -> str:
        if self.loud:
            print(self._exc_info_to_string(err, test))  # type: ignore[attr-defined]
        text = " ".join(str(err[1]).split())
        return f"{err[0].__name__}: {text[:300]}"


def _ran_too_long(*_: Any) -> None:
    raise TimeoutError("ran too long")


def run(name: str, wheel: Path, seconds: int, only: str) -> dict[str, str]:
    """What became of each test of a module."""
    warnings.simplefilter("ignore")
    bind_newton(wheel)
    signal.signal(signal.SIGALRM, _ran_too_long)
    spec = importlib.util.spec_from_file_location("newton.tests." + name, wheel / "tests" / (name + ".py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    result = Timed(seconds, bool(only))
    suite = unittest.TestSuite(chosen(unittest.defaultTestLoader.loadTestsFromModule(module), only))
    suite.run(result)
    return {test: outcome for test, outcome in result.outcome.items() if outcome != "skipped"}


def main() -> int:
    """Print how many tests of each module pass."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", help="modules of tests, all that bear on the pages if none is named")
    parser.add_argument("--wheel", type=Path, default=WHEEL, help="folder of Newton's package")
    parser.add_argument("--only", default="", help="run tests with this in their names, and print their errors")
    parser.add_argument("--seconds", type=int, default=90, help="a test that takes longer fails")
    parser.add_argument("--json", type=Path, help="write what became of each test to this file")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        answer, sys.stdout = sys.stdout, sys.stderr if given.only else io.StringIO()
        found = run(given.modules[0], given.wheel, given.seconds, given.only)
        answer.write(json.dumps(found) + "\n")
        return 0
    # OpenUSD finds plugins by absolute paths only
    schemas = {"PXR_PLUGINPATH_NAME": str(given.wheel.parent.resolve() / "newton_usd_schemas")}
    outcomes: dict[str, str] = {}
    for name in given.modules or MODULES:
        command = [sys.executable, __file__, name, "--child", "--wheel", str(given.wheel)]
        command += ["--seconds", str(given.seconds), "--only", given.only]
        done = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=None if given.only else subprocess.PIPE,
            text=True,
            check=False,
            env=os.environ | schemas,
        )
        if done.returncode:
            print(f"{name}: did not run: {(done.stderr or '').strip().splitlines()[-1:]}", flush=True)
            continue
        found = json.loads(done.stdout.strip().splitlines()[-1])
        passed = sum(outcome == "passed" for outcome in found.values())
        print(f"{name}: {passed} of {len(found)}", flush=True)
        outcomes |= found
    passed = sum(outcome == "passed" for outcome in outcomes.values())
    print(f"{passed} of {len(outcomes)} of Newton's tests pass")
    if given.json:
        given.json.write_text(json.dumps(outcomes, indent=1, sort_keys=True) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
