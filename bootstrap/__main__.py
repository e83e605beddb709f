# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Command line of the bootstrap: ``python -m bootstrap COMMAND``, where --help lists the commands."""

from __future__ import annotations

import argparse
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from itertools import takewhile
from pathlib import Path

from bootstrap import host, locks, results, workspace
from bootstrap.bill_of_materials import add_hashes
from bootstrap.environment import Environment, main_environment, peers_environment
from bootstrap.host import ROOT, SetupError

# Sources that ruff looks at; mypy looks at the package and the bootstrap.
_LINTED = ["inertia_tools", "bootstrap", "fuzz", "launch", "test", "benchmarks", "documentation", "examples"]


# Compute capabilities that kernels must compile for: A100, and H100 or H200.
_ARCHITECTURES = ["80", "90"]

# Benchmarks that have a command of their own, since they need other people's packages.
_BESIDE_PEERS = frozenset({"__init__", "peers", "findings"})


def _prepare(*names: str) -> Environment:
    """Fill ``.venv`` for some purposes; a sourced ROS 2 only needs what pip alone offers."""
    host.require_python()
    host.require_build_tools()
    environment = main_environment()
    environment.create()
    environment.install(*(names if environment.ros is None else ("pip-only",)))
    environment.install_project()
    return environment


def setup(arguments: argparse.Namespace) -> int:
    """Create the environment, with everything the other commands need."""
    _prepare("runtime", "demo", "test").warm_up()
    return 0


def build(arguments: argparse.Namespace) -> int:
    """Build the messages and the workspace."""
    workspace.build(_prepare("runtime"))
    return 0


def demo(arguments: argparse.Namespace) -> int:
    """Correct a real robot through ROS 2 and let it stand in the simulator."""
    environment = _prepare("runtime", "demo")
    workspace.build(environment)
    return workspace.run(environment, ["python", "examples/demo.py", *arguments.rest])


def test(arguments: argparse.Namespace) -> int:
    """Run all tests through colcon and sum them up."""
    environment = _prepare("runtime", "demo", "test")
    workspace.build(environment)
    workspace.test(environment, shlex.join(arguments.rest))
    summary = results.read(workspace.RESULTS)
    results.show(summary)
    return 0 if summary.ok else 1


def lint(arguments: argparse.Namespace) -> int:
    """Check style and format with ruff, and types with mypy."""
    environment = _prepare("runtime", "demo", "test")
    present = [name for name in _LINTED if (ROOT / name).exists()]
    env, python = environment.variables(), str(environment.python)
    checks = (["ruff", "check", *present], ["ruff", "format", "--check", *present], ["mypy"])
    return max(subprocess.run([python, "-m", *check], env=env, cwd=ROOT).returncode for check in checks)


def check_gpus(arguments: argparse.Namespace) -> int:
    """See that all kernels compile for GPUs, of which none need be here."""
    return _prepare("runtime").compile_kernels("--check-arch", *(arguments.rest or _ARCHITECTURES))


def bench(arguments: argparse.Namespace) -> int:
    """Run every benchmark, one after the other, or those named, with the options after their names."""
    environment = _prepare("runtime", "demo", "test")
    workspace.build(environment)
    names = list(takewhile(lambda word: not word.startswith("-"), arguments.rest))
    options = arguments.rest[len(names) :]
    here = (path.stem for path in (ROOT / "benchmarks").glob("*.py"))
    chosen = names or sorted(name for name in here if name not in _BESIDE_PEERS)
    codes = [workspace.run(environment, ["python", f"benchmarks/{name}.py", *options]) for name in chosen]
    return max(codes, default=1)


def soak(arguments: argparse.Namespace) -> int:
    """Treat the simulator node badly for a long time."""
    environment = _prepare("runtime", "demo", "test")
    workspace.build(environment)
    return workspace.run(environment, ["python", "test/ros/soak.py", *arguments.rest])


def soak_faults(arguments: argparse.Namespace) -> int:
    """Kill nodes and workers, fill the disk, lose packets, and make a million steps."""
    environment = _prepare("runtime", "demo", "test")
    workspace.build(environment)
    return workspace.run(environment, ["python", "test/faults", *arguments.rest])


def _beside_peers(module: str, *arguments: str, more: tuple[str, ...] = ()) -> int:
    """Run a module where other people's simulators are, in an environment of their own, with more locks in it."""
    host.require_python()
    environment = peers_environment()
    environment.create()
    environment.install("peers", *more)
    environment.install_project()
    command = [str(environment.python), "-m", module, *arguments]
    return subprocess.run(command, env=environment.variables(), cwd=ROOT).returncode


def peers(arguments: argparse.Namespace) -> int:
    """Compare with other simulators, which live in an environment of their own."""
    return _beside_peers("pytest", "test/peers", *arguments.rest)


def fuzz(arguments: argparse.Namespace) -> int:
    """Damage files at random and see that each is read, or refused with an error of ours."""
    environment = _prepare("runtime", "demo", "test")
    command = [str(environment.python), "-m", "fuzz", *arguments.rest]
    return subprocess.run(command, env=environment.variables(), cwd=ROOT).returncode


def fuzz_guided(arguments: argparse.Namespace) -> int:
    """Let branch coverage guide what one reader reads, by Atheris."""
    return _with_atheris("fuzz.guided", *arguments.rest)


def fuzz_branches(arguments: argparse.Namespace) -> int:
    """Measure which branches of each reader the kept inputs, and some thousand changes of them, reach."""
    return _with_atheris("fuzz.branches", *arguments.rest)


def _with_atheris(module: str, *arguments: str) -> int:
    environment = _prepare("runtime", "demo", "test", "fuzz")
    command = [str(environment.python), "-m", module, *arguments]
    return subprocess.run(command, env=environment.variables(), cwd=ROOT).returncode


def bench_physics(arguments: argparse.Namespace) -> int:
    """Run the physics suite beside other simulators and write docs/physics.md."""
    return _beside_peers("benchmarks.physics", *arguments.rest)


def bench_peers(arguments: argparse.Namespace) -> int:
    """Let other people's readers and checkers read ten robots, and write docs/peers.md."""
    return _beside_peers("benchmarks.peers", *arguments.rest, more=("demo", "collections"))


def bench_findings(arguments: argparse.Namespace) -> int:
    """Check five collections of published robots, and write docs/findings.md."""
    return _beside_peers("benchmarks.findings", *arguments.rest, more=("demo", "collections"))


def bench_causes(arguments: argparse.Namespace) -> int:
    """Put mistakes into links of published robots, look for their causes, and write docs/causes.md."""
    return _beside_peers("benchmarks.causes", *arguments.rest, more=("demo", "collections"))


def kill_writers(arguments: argparse.Namespace) -> int:
    """Kill writers of files at random instants, and look at what they leave."""
    environment = _prepare("runtime")
    command = [str(environment.python), "test/write/kill_writers.py", *arguments.rest]
    return subprocess.run(command, env=environment.variables(), cwd=ROOT).returncode


def round_trips(arguments: argparse.Namespace) -> int:
    """Take robots at random through check, fix, check, and every format."""
    environment = _prepare("runtime", "demo", "test")
    command = [str(environment.python), "test/repair_round_trips.py", *arguments.rest]
    return subprocess.run(command, env=environment.variables(), cwd=ROOT).returncode


def screenshots(arguments: argparse.Namespace) -> int:
    """Take the pictures of docs/images: a recording of a terminal, and pages in Chromium."""
    environment = _prepare("runtime", "demo", "test")
    commands = (["-m", "documentation.recording"], ["test/view/screenshots.py"])
    env, python = workspace.with_helpers(environment.variables()), str(environment.python)
    return max(subprocess.run([python, *command], env=env, cwd=ROOT).returncode for command in commands)


def lock(arguments: argparse.Namespace) -> int:
    """Resolve the lock files, all or those named."""
    uv = _tool("release", "uv")
    for name in arguments.rest or locks.BASES:
        locks.rewrite(name, uv)
    return 0


def _tool(purpose: str, program: str) -> Path:
    """Return a program of a lock that has an environment of its own, ``.venv-PURPOSE``."""
    host.require_python()
    environment = Environment(ROOT / f".venv-{purpose}")
    environment.create()
    environment.install(purpose)
    return environment.prefix / "bin" / program


def site(arguments: argparse.Namespace) -> int:
    """Build the documentation site, in site/; any warning is an error."""
    mkdocs = _tool("site", "mkdocs")
    return subprocess.run([str(mkdocs), "build", "--strict", *arguments.rest], cwd=ROOT).returncode


def reference(arguments: argparse.Namespace) -> int:
    """Write the reference pages of docs/reference from messages, parameters, commands and finding codes."""
    environment = _prepare("runtime", "demo", "test")
    workspace.build(environment)
    return workspace.run(environment, ["python", "-m", "documentation"])


def wheel(arguments: argparse.Namespace) -> int:
    """Build wheel and sdist, in dist/."""
    python = _tool("release", "python")
    return subprocess.run([str(python), "-m", "build", "--outdir", "dist"], cwd=ROOT).returncode


def sbom(arguments: argparse.Namespace) -> int:
    """Write what .venv holds, with licences and hashes, as CycloneDX into dist/sbom.json."""
    environment = _prepare("runtime")
    bill = ROOT / "dist/sbom.json"
    bill.parent.mkdir(exist_ok=True)
    cyclonedx = _tool("release", "cyclonedx-py")
    command = [str(cyclonedx), "environment", "--pyproject", "pyproject.toml", "--output-file", str(bill)]
    code = subprocess.run([*command, str(environment.python)], cwd=ROOT).returncode
    if code == 0:
        add_hashes(bill, locks.BASES)
    return code


def audit(arguments: argparse.Namespace) -> int:
    """Look the pinned versions up in the databases of known vulnerabilities."""
    audits = [str(_tool("release", "pip-audit")), "--strict", "--require-hashes", "--disable-pip"]
    purposes = arguments.rest or ("tools", "runtime", "demo", "test", "fuzz", "pip-only")
    return max(
        subprocess.run([*audits, "--requirement", str(locks.path_of(name))], cwd=ROOT).returncode for name in purposes
    )


def clean(arguments: argparse.Namespace) -> int:
    """Remove everything that `make` produced."""
    environments = (".venv", ".venv-peers", ".venv-site", ".venv-release")
    for name in ("build", "dist", "install", "log", "out", "site", *environments):
        shutil.rmtree(ROOT / name, ignore_errors=True)
    return 0


_COMMANDS: tuple[Callable[[argparse.Namespace], int], ...] = (
    setup, build, demo, test, fuzz, fuzz_guided, fuzz_branches, lint, check_gpus, bench, bench_physics, bench_peers,
    bench_findings, bench_causes, peers, kill_writers, round_trips, soak, soak_faults, screenshots, site, reference,
    wheel, sbom, audit, lock, clean,
)  # fmt: skip


def main() -> int:
    """Run one command and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m bootstrap", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for function in _COMMANDS:
        name = function.__name__.replace("_", "-")
        command = commands.add_parser(name, help=(function.__doc__ or "").split("\n")[0])
        command.add_argument("rest", nargs="*", help="passed on to what the command runs")
        command.set_defaults(function=function)
    arguments = parser.parse_args()
    try:
        return int(arguments.function(arguments))
    except SetupError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
