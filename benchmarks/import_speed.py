# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Time to bring a robot into a scene, beside Newton's importers on the same files in one run.

    .venv-peers/bin/python benchmarks/import_speed.py [--rounds 15] [-k NAME] [FILE...]

`make peers` builds that environment; without Newton only our times are shown. Each round reads the file and adds it to
a new builder, ours and theirs in turns; the median counts, after a first round that loads what is loaded once. Files
named are added to the table. The result is printed, and kept in benchmarks/results/import_speed.md when nobody is
missing and nothing was chosen.
"""

from __future__ import annotations

import argparse
import atexit
import contextlib
import io
import os
import platform
import shutil
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import inertia_tools as it

OUT = Path(__file__).parent / "results" / "import_speed.md"
LINKS = 1000
"""Links of the chains."""

ROBOTS = ("nv_humanoid.xml", "nv_ant.xml", "quadruped.urdf", "humanoid.usda", "ant.usda")
"""Files of Newton's examples."""

IMPORTERS = {".xml": "add_mjcf", ".urdf": "add_urdf", ".sdf": "add_sdf", ".usda": "add_usd", ".usd": "add_usd"}
"""The method of a builder, ours and theirs, by the file's suffix."""


@dataclass(frozen=True)
class Case:
    """One robot.

    Attributes:
        name: What to call it.
        source: Its file, or its text.
        importer: Name of the method of both builders.
    """

    name: str
    source: str
    importer: str


def newton_assets() -> Path | None:
    """Return the folder of Newton's examples; None without Newton."""
    spec = find_spec("newton")
    return None if spec is None or spec.origin is None else Path(spec.origin).parent / "examples" / "assets"


def cases(files: list[str]) -> list[Case]:
    """List what is imported: robots of Newton's wheel, chains, and the files that are named."""
    assets = newton_assets()
    robots = [] if assets is None else [assets / name for name in ROBOTS]
    found = [Case(path.name, str(path), IMPORTERS[path.suffix]) for path in [*robots, *map(Path, files)]]
    chains = (
        ("MJCF", mjcf_chain(), "add_mjcf"),
        ("URDF", urdf_chain(), "add_urdf"),
        ("SDFormat", sdf_chain(), "add_sdf"),
        ("USD", usd_chain(), "add_usd"),
    )
    return [*found, *(Case(f"chain of {LINKS} links, {name}", text, method) for name, text, method in chains)]


def mjcf_chain() -> str:
    body = '<body pos="0 0 .1"><joint/><geom size=".02"/>'
    return f"<mujoco><worldbody>{body * LINKS}{'</body>' * LINKS}</worldbody></mujoco>"


def urdf_chain() -> str:
    inertia = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    links = [f'<link name="l{i}"><inertial><mass value="1"/>{inertia}</inertial></link>' for i in range(LINKS)]
    joints = [
        f'<joint name="j{i}" type="continuous"><parent link="l{i - 1}"/><child link="l{i}"/><axis xyz="0 1 0"/></joint>'
        for i in range(1, LINKS)
    ]
    return f'<robot name="chain">{"".join(links + joints)}</robot>'


def sdf_chain() -> str:
    links = [f'<link name="l{i}"><inertial><mass>1</mass></inertial></link>' for i in range(LINKS)]
    joints = [
        f'<joint name="j{i}" type="revolute"><parent>l{i - 1}</parent><child>l{i}</child>'
        "<axis><xyz>0 1 0</xyz></axis></joint>"
        for i in range(1, LINKS)
    ]
    return f'<sdf version="1.9"><model name="chain">{"".join(links + joints)}</model></sdf>'


def usd_chain() -> str:
    """Return the path of a layer in a folder of its own; Newton's importer takes no text."""
    mass = "float physics:mass = 1\nfloat3 physics:diagonalInertia = (1, 1, 1)"
    mass += "\npoint3f physics:centerOfMass = (0, 0, 0)"
    apis = 'prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]'
    links = [f'def Xform "l{i}" (\n{apis}\n)\n{{\n{mass}\n}}\n' for i in range(LINKS)]
    joints = [
        f'def PhysicsRevoluteJoint "j{i}"\n{{\nrel physics:body0 = </l{i - 1}>\nrel physics:body1 = </l{i}>\n}}\n'
        for i in range(1, LINKS)
    ]
    path = Path(tempfile.mkdtemp(prefix="import_speed_")) / "chain.usda"
    path.write_text("#usda 1.0\n(\n    metersPerUnit = 1\n)\n" + "".join(links + joints))
    atexit.register(shutil.rmtree, path.parent, ignore_errors=True)
    return str(path)


def importers() -> dict[str, Callable[[], Any]]:
    """Return the builders that are installed, by the name of the package."""
    found: dict[str, Callable[[], Any]] = {"inertia_tools": it.ModelBuilder}
    if newton_assets() is not None:
        import newton

        found["newton"] = newton.ModelBuilder
    return found


def timed(builder: Callable[[], Any], case: Case) -> float | str:
    """Return how long one import takes [ms], or why there is none."""
    scene = builder()
    if not hasattr(scene, case.importer):
        return "no such importer"
    quiet = io.StringIO()
    start = time.perf_counter()
    try:
        with contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet):
            getattr(scene, case.importer)(case.source)
    except Exception as error:  # whatever the other package raises is its result
        return type(error).__name__
    return 1e3 * (time.perf_counter() - start)


def measured(case: Case, rounds: int) -> dict[str, float | str]:
    """Return the median of each importer, or why it has none."""
    builders = importers()
    first = {name: timed(builder, case) for name, builder in builders.items()}
    working = {name: builder for name, builder in builders.items() if not isinstance(first[name], str)}
    times: dict[str, list[float]] = {name: [] for name in working}
    for _ in range(rounds):
        for name, builder in working.items():
            took = timed(builder, case)
            assert not isinstance(took, str)
            times[name].append(took)
    return first | {name: statistics.median(values) for name, values in times.items()}


def shown(result: float | str | None) -> str:
    return "-" if result is None else result if isinstance(result, str) else f"{result:.1f}"


def table(results: dict[str, dict[str, float | str]]) -> str:
    """Lay the medians out, with how many times as long theirs takes."""
    lines = ["| file | ours [ms] | Newton [ms] | ratio |", "| --- | --- | --- | --- |"]
    for name, one in results.items():
        ours, theirs = one["inertia_tools"], one.get("newton")
        both = isinstance(ours, float) and isinstance(theirs, float)
        ratio = f"{theirs / ours:.1f}" if both and isinstance(ours, float) and isinstance(theirs, float) else "-"
        lines.append(f"| {name} | {shown(ours)} | {shown(theirs)} | {ratio} |")
    return "\n".join(lines)


def machine() -> str:
    def release(name: str) -> str:
        with contextlib.suppress(PackageNotFoundError):
            return f"{name} {version(name)}"
        return f"no {name}"

    packages = ", ".join(release(name) for name in ("numpy", "newton", "warp-lang"))
    return f"{os.cpu_count()} cores of {platform.machine()}, Python {platform.python_version()}, {packages}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("-k", dest="only", default="")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    chosen = [case for case in cases(options.files) if options.only in case.name]
    results = {case.name: measured(case, options.rounds) for case in chosen}
    text = f"Medians of {options.rounds} rounds in turns, warm, on {machine()}.\n\n{table(results)}\n"
    print(text)
    if "newton" in importers() and not options.only:
        OUT.write_text("## Import\n\nMeasured by `.venv-peers/bin/python benchmarks/import_speed.py`. " + text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
