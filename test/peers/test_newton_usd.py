# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The USD files inside Newton's wheel through Newton's importer and ours: what every body weighs, and what is read.

Newton's importer asks OpenUSD (ComputeMassProperties) for what a prim does not state, as ours does, each with records
of its own geometry.
"""

from pathlib import Path

import numpy as np
import pytest

import inertia_tools as it

newton = pytest.importorskip(
    "newton", reason="Newton is not installed; `make peers` sets up an environment that has it"
)
pytest.importorskip("newton_usd_schemas", reason="Newton's importer of USD needs newton-usd-schemas")

SINGLE = 2e-6
"""Agreement, relative: Newton and OpenUSD keep bodies in single precision."""

CLOTH = "curvedSurface.usd"
"""A cloth with faulty normals, which Newton refuses; it has no rigid body."""

ROOT = Path(newton.__file__).parent
FILES = sorted(path for path in ROOT.rglob("*.usd*") if path.name != CLOTH)


def ours(path: Path) -> dict[str, it.Inertial]:
    """Mass properties of bodies that have some, by the path of the prim."""
    robot = it.load(path)
    report = it.stats(robot)
    found = {body.path: report[name].effective for name, body in robot.staged.bodies.items()}
    return {path: value.inertial for path, value in found.items() if value is not None}


def theirs(path: Path) -> dict[str, it.Inertial]:
    builder = newton.ModelBuilder()
    bodies = builder.add_usd(str(path))["path_body_map"]
    tensors = [np.array(tensor, dtype=float).reshape(3, 3) for tensor in builder.body_inertia]
    return {
        prim: it.Inertial(builder.body_mass[b], np.array(builder.body_com[b]), 0.5 * (tensors[b] + tensors[b].T))
        for prim, b in bodies.items()
        if builder.body_mass[b] > 0.0
    }


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
@pytest.mark.filterwarnings("ignore")
def test_bodies_weigh_the_same(path):
    mine, other = ours(path), theirs(path)
    assert mine.keys() == other.keys()
    for prim, body in other.items():
        largest = float(np.abs(body.inertia).max())
        assert mine[prim].mass == pytest.approx(body.mass, rel=SINGLE)
        assert np.abs(mine[prim].com - body.com).max() <= SINGLE * max(np.sqrt(largest / body.mass), 1.0)
        assert np.abs(mine[prim].inertia - body.inertia).max() <= SINGLE * largest
