# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""How far soft bodies are off closed forms and finite elements: tests bound it, and a benchmark prints it."""

from typing import Any

import numpy as np

import inertia_tools as it
from test.sim.soft.scenes import GRAVITY, force_on_ground, linear_solution, momenta, run, soft_box, watch

AT_REST = {"rot": (0, 0, 0, 1), "vel": (0, 0, 0)}


def hanging_spring(dtype: str) -> tuple[float, float]:
    """Swing a mass on a spring for 20 periods; return how far its place and rate are off, over sag and its rate."""
    k, m = 100.0, 1.0
    builder = it.ModelBuilder()
    builder.add_particle((0, 0, 1), (0, 0, 0), 0.0, radius=0.0)
    builder.add_particle((0, 0, 0), (0, 0, 0), m, radius=0.0)
    builder.add_spring(0, 1, k, 0.0, 0)
    omega, sag = np.sqrt(k / m), m * GRAVITY / k
    seen = watch(
        builder.finalize(dtype=dtype),
        40 * np.pi / omega,
        lambda state: [state.particle_q.numpy()[1, 2], state.particle_qd.numpy()[1, 2]],
    )
    phase = omega * np.arange(1, len(seen) + 1) / 120
    place, rate = seen.T
    off = np.abs(place / sag + 1.0 - np.cos(phase)).max()
    return float(off), float(np.abs(rate / (sag * omega) + np.sin(phase)).max())


def free_momenta(kind: str) -> float:
    """Let cloth or a solid wobble freely for three seconds; return the change of its momenta over the largest."""
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    if kind == "cloth":
        sheet = {"tri_ke": 1e3, "tri_ka": 1e3, "tri_kd": 0.0, "edge_ke": 1e-2, "edge_kd": 0.0, "particle_radius": 0.0}
        cells = {"dim_x": 6, "dim_y": 6, "cell_x": 0.1, "cell_y": 0.1}
        builder.add_cloth_grid(pos=(0, 0, 0), **AT_REST, **cells, mass=0.01, **sheet)
    else:
        soft_box(builder, (3, 3, 3), (0.3, 0.3, 0.3), k=(1e4, 1e4, 0.0), density=100.0, radius=0.0)
    x, random = np.array(builder.particle_q), np.random.default_rng(0)
    speeds = np.cross([1.0, 2.0, 3.0], x - x.mean(axis=0)) + 0.3 * random.normal(size=x.shape) + [1, 0, 0]
    builder.particle_qd[:] = [tuple(v) for v in speeds]
    model = builder.finalize(dtype="float64")
    masses = model.particle_mass.numpy()
    start = momenta(masses, model.state())
    seen = watch(model, 3.0, lambda state: momenta(masses, state))
    return float(np.abs(seen - start).max() / np.abs(start).max())


def cantilever(cells: tuple[int, int, int], nu: float) -> float:
    """Bend a cantilever by a small load; return how far it is off finite elements of its mesh, over the most."""
    young, g = 2e7, 0.01
    mu, lam = young / (2 * (1 + nu)), young * nu / ((1 + nu) * (1 - 2 * nu))
    builder = it.ModelBuilder(gravity=(0, 0, -g))
    soft_box(builder, cells, (1.0, 0.1, 0.1), k=(mu, lam, 4e5), fix_left=True)
    model = builder.finalize(dtype="float64")
    state, _, _ = run(model, 1.5, dt=1 / 60, touch=False)
    clamped = np.repeat(model.particle_inv_mass.numpy()[:, None] == 0.0, 3, axis=1)
    expected = linear_solution(model, g, clamped)
    off = np.abs(state.particle_q.numpy() - model.particle_q.numpy() - expected).max()
    return float(off / np.abs(expected).max())


def slippery_cube(k: float) -> Any:
    """Return the model of a cube of 0.2 m on a floor without friction."""
    builder = it.ModelBuilder()
    builder.add_ground_plane(cfg=it.ModelBuilder.ShapeConfig(mu=0.0))
    soft_box(builder, (4, 4, 4), (0.2, 0.2, 0.2), k=(k, k, 3e-3 * k), radius=0.0)
    model = builder.finalize(dtype="float64")
    model.soft_contact_mu = 0.0
    return model


def sagging_cube(k: float, duration: float) -> tuple[float, float, float]:
    """Let a cube sag under its weight; return its sag and that by finite elements of its mesh [m], and off the weight.

    The last is by how much the force on the floor is off, as a ratio of the weight.
    """
    model = slippery_cube(k)
    state, contacts, _ = run(model, duration, dt=1 / 60)
    rest = model.particle_q.numpy()
    top, held = rest[:, 2] > 0.199, np.zeros(rest.shape, dtype=bool)
    held[rest[:, 2] < 1e-9, 2] = True  # it slides on the floor, so that only its motion as a whole is held besides
    held[0, :2] = held[np.argmax(rest[:, 0] - rest[:, 1:].sum(axis=1)), 1] = True
    sag = float((rest - state.particle_q.numpy())[top, 2].mean())
    weight = GRAVITY * float(model.particle_mass.numpy().sum())
    return sag, -float(linear_solution(model, GRAVITY, held)[top, 2].mean()), force_on_ground(contacts) / weight - 1.0


def hung_cloth() -> tuple[float, float]:
    """Hang cloth by two corners; return the largest strain of an edge and the change of area, as a ratio."""
    builder, n = it.ModelBuilder(), 12
    sheet = {"tri_ke": 1e4, "tri_ka": 1e4, "tri_kd": 1.0, "edge_ke": 1e-4, "edge_kd": 1e-6, "particle_radius": 0.01}
    cells = {"dim_x": n, "dim_y": n, "cell_x": 1 / n, "cell_y": 1 / n}
    builder.add_cloth_grid(pos=(0, 0, 1), **AT_REST, **cells, mass=0.1 / (n + 1) ** 2, **sheet)
    builder.particle_mass[0] = builder.particle_mass[n] = 0.0
    model = builder.finalize(dtype="float64")
    state, _, _ = run(model, 1.0, dt=1 / 60, touch=False)
    tri, shapes = model.tri_indices.numpy(), (state.particle_q.numpy(), model.particle_q.numpy())
    edges = np.concatenate([tri[:, [0, 1]], tri[:, [1, 2]], tri[:, [2, 0]]])
    lengths, before = (np.linalg.norm(y[edges[:, 0]] - y[edges[:, 1]], axis=1) for y in shapes)
    area, whole = (
        np.linalg.norm(np.cross(y[tri[:, 1]] - y[tri[:, 0]], y[tri[:, 2]] - y[tri[:, 0]]), axis=1).sum() for y in shapes
    )
    return float(np.abs(lengths / before - 1.0).max()), abs(float(area / whole) - 1.0)


def beam_sag(poisson: float, *, smooth: bool) -> float:
    """Let a cantilever of 20 x 4 x 4 cells hang under its weight; return the sag of its end over Timoshenko's."""
    length, width, height = size = (1.0, 0.2, 0.2)
    young, g = 1e6, 0.1
    mu, lam = young / (2 * (1 + poisson)), young * poisson / ((1 + poisson) * (1 - 2 * poisson))
    builder = it.ModelBuilder(gravity=(0.0, 0.0, -g))
    soft_box(builder, (20, 4, 4), size, k=(mu, lam, 100.0 * mu / 1e5), fix_left=True, smooth_strain=smooth)
    model = builder.finalize(dtype="float64")
    load = 1000.0 * width * height * g
    bent = load * length**4 / (8 * young * width * height**3 / 12)
    sheared = load * length**2 / (2 * 5 / 6 * mu * width * height)
    x = model.particle_q.numpy()
    state, _, _ = run(model, 6.0, dt=1.0, substeps=1, touch=False)  # slow against its period: it comes to rest
    end = x[:, 0] > x[:, 0].max() - 1e-9
    return float((x - state.particle_q.numpy())[end, 2].mean()) / (bent + sheared)
