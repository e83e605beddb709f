# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What is done with a damaged file: what the commands do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import inertia_tools as it

PARAMETERS = ("auto", "auto", "integration", "hull", "voxel")
FORMATS = ("urdf", "sdf", "mjcf", "usd")


def check(path: Path, _random: Random) -> None:
    """Judge it, and say all that was found."""
    report = it.check(it.load(path))
    for finding in report.findings:
        str(finding)


def compute(path: Path, random: Random) -> None:
    """Integrate its geometry one way or another."""
    thickness = 0.001 if random.random() < 0.2 else None
    params = it.AutoInertiaParams(method=random.choice(PARAMETERS), thickness=thickness, tolerance=0.05)
    it.compute(it.load(path), params=params, geometry=random.choice(("collision", "visual")))


def fix(path: Path, random: Random) -> None:
    """Correct it, and read what was written."""
    correction = it.fix(it.load(path), random.choice(("invalid", "implausible", "all")), params=_coarse())
    correction.diff()
    if correction.robot.usd is None:
        it.load_text(correction.data, base_dir=path.parent)


def stats(path: Path, _random: Random) -> None:
    """Add up what its links really have."""
    it.stats(it.load(path), params=_coarse())


def convert(path: Path, random: Random) -> None:
    """Write it in another format, corrected first or not, and read that."""
    conversion = it.convert(it.load(path), format=random.choice(FORMATS), fix=random.random() < 0.3)
    it.check(it.load_text(conversion.data, base_dir=path.parent))


def _coarse() -> it.AutoInertiaParams:
    """Return parameters with which open meshes cost little."""
    return it.AutoInertiaParams(tolerance=0.05)


ACTIONS: dict[str, Callable[[Path, Random], None]] = {
    "check": check,
    "compute": compute,
    "fix": fix,
    "stats": stats,
    "convert": convert,
}
