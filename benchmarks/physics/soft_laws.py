# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""How near soft bodies are to closed forms and to finite elements of the same mesh, as a table.

    python -m benchmarks.physics.soft_laws

The scenes are those of `test/sim/soft`, whose tests hold the bounds; scikit-fem is needed. All in double precision.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import inertia_tools as it
import test

test.__path__.append(str(Path(__file__).parents[2] / "test"))  # Python has a package of that name itself

from test.sim.soft.scenes import GRAVITY, force_on_ground, linear_solution, momenta, run, soft_box, watch  # noqa: E402
from test.sim.soft.test_smoothing import beam, settled_sag  # noqa: E402

Row = tuple[str, float, float]
"""What is measured, how far it is off, and the bound."""


def spring() -> Iterator[Row]:
    """Swing a hanging spring for 20 periods."""
    k, m = 100.0, 1.0
    builder = it.ModelBuilder()
    builder.add_particle((0, 0, 1), (0, 0, 0), 0.0, radius=0.0)
    builder.add_particle((0, 0, 0), (0, 0, 0), m, radius=0.0)
    builder.add_spring(0, 1, k, 0.0, 0)
    omega = np.sqrt(k / m)
    seen = watch(builder.finalize(dtype="float64"), 40 * np.pi / omega, lambda s: s.particle_q.numpy()[1, 2])
    swing = seen * k / (m * GRAVITY) + 1.0
    off = np.abs(swing - np.cos(omega * np.arange(1, len(seen) + 1) / 120)).max()
    yield "hanging spring, 20 periods: position over sag", float(off), 1e-5


def cantilevers() -> Iterator[Row]:
    """Bend cantilevers of tetrahedra under a small load."""
    for cells in ((8, 1, 1), (10, 2, 2), (12, 3, 3)):
        for nu in (0.3, 0.45):
            mu, lam = 2e7 / (2 * (1 + nu)), 2e7 * nu / ((1 + nu) * (1 - 2 * nu))
            builder = it.ModelBuilder(gravity=(0, 0, -0.01))
            soft_box(builder, cells, (1.0, 0.1, 0.1), k=(mu, lam, 4e5), fix_left=True)
            model = builder.finalize(dtype="float64")
            state, _, _ = run(model, 1.5, dt=1 / 60, touch=False)
            clamped = np.repeat(model.particle_inv_mass.numpy()[:, None] == 0.0, 3, axis=1)
            expected = linear_solution(model, 0.01, clamped)
            off = np.abs(state.particle_q.numpy() - model.particle_q.numpy() - expected).max()
            name = f"cantilever {'x'.join(map(str, cells))}, nu {nu}: beside scikit-fem, same mesh"
            yield name, float(off / np.abs(expected).max()), 0.01


def smoothed() -> Iterator[Row]:
    """Bend a cantilever whose tetrahedra do not lock."""
    for nu in (0.3, 0.45):
        model, expected = beam(nu, smooth=True)
        off = abs(settled_sag(model) / expected - 1.0)
        yield f"cantilever 20x4x4, smooth_strain, nu {nu}: beside Timoshenko", off, 0.05


def cubes() -> Iterator[Row]:
    """Let cubes sag under their weight on a slippery floor."""
    for k in (2e4, 1e5, 3e5):
        builder = it.ModelBuilder()
        builder.add_ground_plane(cfg=it.ModelBuilder.ShapeConfig(mu=0.0))
        soft_box(builder, (4, 4, 4), (0.2, 0.2, 0.2), k=(k, k, 3e-3 * k), radius=0.0)
        model = builder.finalize(dtype="float64")
        model.soft_contact_mu = 0.0
        state, contacts, _ = run(model, 3.0, dt=1 / 60)
        rest = model.particle_q.numpy()
        top, held = rest[:, 2] > 0.199, np.zeros(rest.shape, dtype=bool)
        held[rest[:, 2] < 1e-9, 2] = True
        held[0, :2] = held[np.argmax(rest[:, 0] - rest[:, 1:].sum(axis=1)), 1] = True
        sag = (rest - state.particle_q.numpy())[top, 2].mean()
        expected = -linear_solution(model, GRAVITY, held)[top, 2].mean()
        yield f"cube, k = {k:g} Pa: sag beside scikit-fem, same mesh", abs(float(sag / expected) - 1.0), 0.05
        weight = GRAVITY * model.particle_mass.numpy().sum()
        yield f"cube, k = {k:g} Pa: force on the floor", abs(force_on_ground(contacts) / weight - 1.0), 1e-3


def free() -> Iterator[Row]:
    """Let cloth and a solid wobble freely for three seconds."""
    random = np.random.default_rng(1)
    sheet = {"tri_ke": 1e3, "tri_ka": 1e3, "tri_kd": 0.0, "edge_ke": 1e-3, "edge_kd": 0.0, "particle_radius": 0.01}
    pose = {"pos": (0, 0, 0), "rot": (0, 0, 0, 1), "vel": (0, 0, 0)}
    for name in ("cloth", "solid"):
        builder = it.ModelBuilder(gravity=(0, 0, 0))
        if name == "cloth":
            builder.add_cloth_grid(**pose, dim_x=5, dim_y=5, cell_x=0.1, cell_y=0.1, mass=0.01, **sheet)
        else:
            soft_box(builder, (3, 3, 3), (0.3, 0.3, 0.3))
        x = np.array(builder.particle_q)
        speeds = np.cross([1.0, 2.0, 3.0], x - x.mean(axis=0)) + 0.3 * random.normal(size=x.shape) + [1, 0, 0]
        builder.particle_qd[:] = [tuple(v) for v in speeds]
        model = builder.finalize(dtype="float64")
        masses = model.particle_mass.numpy()
        start = momenta(masses, model.state())
        seen = watch(model, 3.0, lambda state, masses=masses: momenta(masses, state))
        off = np.abs(seen - start).max() / np.abs(start).max()
        yield f"free {name}, 3 s: momentum and angular momentum", float(off), 1e-6


def hung() -> Iterator[Row]:
    """Hang cloth by two corners."""
    builder, n = it.ModelBuilder(), 12
    material = {"tri_ke": 1e4, "tri_ka": 1e4, "tri_kd": 1.0, "edge_ke": 1e-4, "edge_kd": 1e-6, "particle_radius": 0.01}
    pose = {"pos": (0, 0, 1), "rot": (0, 0, 0, 1), "vel": (0, 0, 0)}
    builder.add_cloth_grid(**pose, dim_x=n, dim_y=n, cell_x=1 / n, cell_y=1 / n, mass=0.1 / (n + 1) ** 2, **material)
    builder.particle_mass[0] = builder.particle_mass[n] = 0.0
    model = builder.finalize(dtype="float64")
    state, _, _ = run(model, 1.0, dt=1 / 60, touch=False)
    tri, shapes = model.tri_indices.numpy(), (state.particle_q.numpy(), model.particle_q.numpy())
    edges = np.concatenate([tri[:, [0, 1]], tri[:, [1, 2]], tri[:, [2, 0]]])
    now, before = (np.linalg.norm(y[edges[:, 0]] - y[edges[:, 1]], axis=1) for y in shapes)
    yield "cloth hung by two corners: largest strain of an edge", float(np.abs(now / before - 1.0).max()), 0.01
    area, whole = (
        np.linalg.norm(np.cross(y[tri[:, 1]] - y[tri[:, 0]], y[tri[:, 2]] - y[tri[:, 0]]), axis=1).sum() for y in shapes
    )
    yield "cloth hung by two corners: change of area", abs(float(area / whole) - 1.0), 5e-3


FIGURES: tuple[Callable[[], Iterator[Row]], ...] = (spring, cantilevers, smoothed, cubes, free, hung)


def main() -> int:
    """Print a table; return how many figures are beyond their bounds."""
    beyond = 0
    print("| figure | off by | at most |\n|---|---|---|")
    for figure in FIGURES:
        for name, off, bound in figure():
            beyond += not off <= bound
            print(f"| {name} | {off:.1e} | {bound:g} |", flush=True)
    return beyond


if __name__ == "__main__":
    raise SystemExit(main())
