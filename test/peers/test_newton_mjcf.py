# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The MJCF files inside Newton's wheel through Newton's importer and ours: what every body weighs."""

from pathlib import Path

import numpy as np
import pytest

import inertia_tools as it

newton = pytest.importorskip(
    "newton", reason="Newton is not installed; `make peers` sets up an environment that has it"
)
mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")

SINGLE = 2e-6
"""Agreement, relative: Newton keeps bodies in single precision."""

ENDED_BOXES = "constraints.xml"
"""Its boxes reach from one point to another (fromto), which Newton's importer reads for capsules and cylinders only."""

FILES = sorted(path for path in Path(newton.__file__).parent.rglob("*.xml") if b"<mujoco" in path.read_bytes())


def ours(path: Path) -> dict[str, it.Inertial]:
    """Mass properties of bodies by name, as Newton spells names: without dashes, those without mass left out."""
    builder = it.ModelBuilder()
    builder.add_mjcf(path, collapse_fixed_joints=False)
    return {
        name.replace("-", "_"): builder.inertial(body)
        for body, name in enumerate(builder.body_name)
        if builder.body_mass[body] > 0.0
    }


def theirs(path: Path) -> dict[str, it.Inertial]:
    builder = newton.ModelBuilder()
    builder.add_mjcf(str(path))
    return {
        label.split("/")[-1]: it.Inertial(mass, np.array(com), np.array(tensor).reshape(3, 3).astype(float))
        for label, mass, com, tensor in zip(
            builder.body_label, builder.body_mass, builder.body_com, builder.body_inertia, strict=True
        )
        if mass > 0.0
    }


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
@pytest.mark.filterwarnings("ignore")
def test_bodies_weigh_the_same(path):
    mine, other = ours(path), theirs(path)
    assert mine.keys() == other.keys()
    for name, body in other.items():
        if path.name == ENDED_BOXES and name != "world":
            assert mine[name].mass == pytest.approx(5.0 * body.mass, rel=SINGLE), "2 m long, where Newton has 0.4 m"
            continue
        largest = body.principal_moments[-1]
        assert mine[name].mass == pytest.approx(body.mass, rel=SINGLE)
        assert np.abs(mine[name].com - body.com).max() <= SINGLE * np.sqrt(largest / body.mass)
        assert np.abs(mine[name].inertia - body.inertia).max() <= SINGLE * largest


def test_mujoco_agrees_where_newton_does_not(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = next(path for path in FILES if path.name == ENDED_BOXES)
    compiled, bodies = mujoco.MjModel.from_xml_path(str(path)), ours(path)
    for name, body in bodies.items():
        assert compiled.body(name).mass[0] == pytest.approx(body.mass, rel=1e-12)
