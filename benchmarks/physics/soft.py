# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Soft bodies beside Newton's XPBD, in turns, one thread of the CPU: what a frame costs and how far off it is.

    python -m benchmarks.physics.soft [--frames N]
    python -m benchmarks.physics.soft --rest [--frames N]

A frame is 1/60 s. Newton takes it in one captured graph of so many substeps, ours in the substeps named. Errors are
those of the same quantity in both, after the frames: the sag of a block under its weight against rho g h / (2 E), the
largest strain of an edge of hanging cloth, and the deepest overlap of particles in a box, over their radius. Cloth of
springs, as soft and heavy as in Newton's example `cloth_hanging`, is compared with a Runge-Kutta solution: the error is
the root mean square of the distances of its particles from where they belong, over its width, and of all frames the
largest.

With --rest, our solver alone lets the particles come to rest, and their force on the floor is compared with their
weight.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import warp as wp

import inertia_tools as it

FRAME = 1.0 / 60.0
STILL = (0.0, 0.0, 0.0)
UPRIGHT = (0.0, 0.0, 0.0, 1.0)
STIFFNESS = 2e4
WIDTH, SPRING_MASS, SPRING_KE, SPRING_KD = 6.4, 0.1, 1e3, 1.0
"""Width of the cloth of springs [m], mass of a particle [kg], stiffness [N/m] and damping [N s/m] of a spring."""

STEPS_OF_REFERENCE = 16
"""Runge-Kutta steps of a frame: the fastest spring turns by 0.3 rad in one."""


def block(builder: Any) -> None:
    """Add 4 x 4 x 4 cells of five tetrahedra on the floor."""
    builder.add_ground_plane()
    cells = dict.fromkeys(("dim_x", "dim_y", "dim_z"), 4) | dict.fromkeys(("cell_x", "cell_y", "cell_z"), 0.05)
    material = {"density": 1000.0, "k_mu": STIFFNESS, "k_lambda": STIFFNESS, "k_damp": 0.0, "particle_radius": 1e-4}
    builder.add_soft_grid(pos=wp.vec3(0.0, 0.0, 1e-4), rot=wp.quat_identity(), vel=wp.vec3(), **cells, **material)


def cloth(builder: Any) -> None:
    """Add 64 x 64 cells of cloth that hang from one side; springs hold Newton's together."""
    size = {"dim_x": 64, "dim_y": 64, "cell_x": 1 / 64, "cell_y": 1 / 64, "mass": 0.1 / 65**2, "fix_left": True}
    material = {"tri_ke": 1e3, "tri_ka": 1e3, "tri_kd": 0.0, "edge_ke": 1e-5, "edge_kd": 0.0, "particle_radius": 2e-3}
    springs = {"add_springs": True, "spring_ke": 1e3, "spring_kd": 0.0}
    pose = {"pos": wp.vec3(0.0, 0.0, 1.0), "rot": wp.quat_identity(), "vel": wp.vec3()}
    builder.add_cloth_grid(**pose, **size, **material, **springs)


def spring_cloth(builder: Any) -> None:
    """Add 64 x 64 cells of springs alone, as stiff, damped and heavy as in Newton's example `cloth_hanging`.

    Both engines solve the same equations: no membranes, no bending, and radii with which no particles touch.
    """
    size = {"dim_x": 64, "dim_y": 64, "cell_x": WIDTH / 64, "cell_y": WIDTH / 64, "mass": SPRING_MASS, "fix_left": True}
    none = dict.fromkeys(("tri_ke", "tri_ka", "tri_kd", "edge_ke", "edge_kd"), 0.0)
    springs = {"add_springs": True, "spring_ke": SPRING_KE, "spring_kd": SPRING_KD, "particle_radius": 0.04}
    builder.add_cloth_grid(pos=wp.vec3(), rot=wp.quat_identity(), vel=wp.vec3(), **size, **none, **springs)


def particles(builder: Any) -> None:
    """Add 10 000 particles in a box, nearly touching."""
    builder.add_ground_plane()
    for x, y, hx, hy in ((-0.5, 0, 0.2, 1), (0.5, 0, 0.2, 1), (0, -0.5, 1, 0.2), (0, 0.5, 1, 0.2)):
        builder.add_shape_box(-1, xform=wp.transform((x, y, 0.5), wp.quat_identity()), hx=hx, hy=hy, hz=1.0)
    counts = {"dim_x": 22, "dim_y": 22, "dim_z": 21}
    cells = dict.fromkeys(("cell_x", "cell_y", "cell_z"), 0.026)
    pose = {"pos": wp.vec3(-0.273, -0.273, 0.013), "rot": wp.quat_identity(), "vel": wp.vec3()}
    builder.add_particle_grid(**pose, **counts, **cells, mass=0.001, jitter=0.0, radius_mean=0.0125)


def sag(x: np.ndarray, rest: np.ndarray, _: Any) -> float:
    """Return how far the sag of a block is off, over what it must be."""
    top = rest[:, 2] > 0.199
    young = STIFFNESS * 5.0 / 2.0
    expected = 1000 * 9.81 * 0.2 / 2 / young * 0.2
    return abs(float((rest - x)[top, 2].mean()) / expected - 1.0)


def strain(x: np.ndarray, rest: np.ndarray, model: Any) -> float:
    """Return the largest strain of an edge."""
    corners = model.tri_indices.numpy()
    edges = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]]])
    now, before = (np.linalg.norm(y[edges[:, 0]] - y[edges[:, 1]], axis=1) for y in (x, rest))
    return float(np.abs(now / before - 1.0).max())


def overlap(x: np.ndarray, rest: np.ndarray, model: Any) -> float:
    """Return the deepest overlap of particles over their radius."""
    from scipy.spatial import cKDTree

    if not np.isfinite(x).all():
        return float("inf")
    pairs = cKDTree(x).query_pairs(0.025, output_type="ndarray")
    if not len(pairs):
        return 0.0
    return float((0.025 - np.linalg.norm(x[pairs[:, 0]] - x[pairs[:, 1]], axis=1)).max() / 0.0125)


def swung(frames: int, build: Callable[[Any], None] = spring_cloth) -> Iterator[np.ndarray]:
    """Return where the particles of cloth of springs are after each frame, by Runge and Kutta's method."""
    from scipy.sparse import csr_matrix

    builder = it.ModelBuilder()
    build(builder)
    x, inverse = np.array(builder.particle_q, dtype=float), np.array(builder.particle_mass, dtype=float)[:, None]
    ends = np.array(builder.spring_indices).reshape(-1, 2)
    inverse = np.divide(1.0, inverse, out=np.zeros_like(inverse), where=inverse > 0.0)
    count, number = len(ends), np.arange(len(ends))
    signs = np.concatenate([np.ones(count), -np.ones(count)])
    between = csr_matrix((signs, (np.concatenate([number, number]), ends.T.ravel())), shape=(count, len(x)))
    length, falls = np.linalg.norm(between @ x, axis=1), (inverse > 0.0) * np.array([0.0, 0.0, -9.81])

    def rates(y: np.ndarray) -> np.ndarray:
        off = between @ y[0]
        now = np.linalg.norm(off, axis=1)
        along = off / now[:, None]
        pull = SPRING_KE * (now - length) + SPRING_KD * np.einsum("ij,ij->i", between @ y[1], along)
        return np.stack([y[1], falls - inverse * (between.T @ (pull[:, None] * along))])

    y, h = np.stack([x, np.zeros_like(x)]), FRAME / STEPS_OF_REFERENCE
    for _ in range(frames):
        for _ in range(STEPS_OF_REFERENCE):
            first = rates(y)
            second = rates(y + 0.5 * h * first)
            third = rates(y + 0.5 * h * second)
            y = y + h / 6.0 * (first + 2.0 * second + 2.0 * third + rates(y + h * third))
        yield y[0]


def strayed(x: np.ndarray, right: np.ndarray) -> float:
    """Return how far particles of the cloth of springs are from where they belong, root mean square over its width."""
    return float(np.sqrt(((x - right) ** 2).sum(axis=1).mean()) / WIDTH)


def ours(build: Callable[[Any], None], substeps: int, self_contact: bool = True) -> Iterator[tuple[Any, np.ndarray]]:
    """Step our solver a frame at a time."""
    builder = it.ModelBuilder()
    build(builder)
    model = builder.finalize()
    solver = it.SolverXPBD(model, substeps=substeps, particle_enable_self_contact=self_contact)
    state, contacts = model.state(), model.contacts()
    while True:
        yield model, state.particle_q.numpy().astype(float)
        solver.step(state, state, None, contacts, FRAME)


def theirs(build: Callable[[Any], None], substeps: int) -> Iterator[tuple[Any, np.ndarray]]:
    """Step Newton's solver a frame at a time, captured."""
    import newton

    builder = newton.ModelBuilder()
    build(builder)
    model = builder.finalize(device="cpu")
    solver, pipeline = newton.solvers.SolverXPBD(model), newton.CollisionPipeline(model)
    states, control, contacts = [model.state(), model.state()], model.control(), pipeline.contacts()

    def frame() -> None:
        pipeline.collide(states[0], contacts)
        for _ in range(substeps):
            states[0].clear_forces()
            solver.step(states[0], states[1], control, contacts, FRAME / substeps)
            states.reverse()

    graph = None
    while True:
        yield model, states[0].particle_q.numpy().astype(float)
        if graph is None:
            frame()
            with wp.ScopedCapture(device="cpu") as capture:
                frame()
            graph = capture.graph
        else:
            wp.capture_launch(graph)


def rest(frames: int) -> None:
    """Print how particles in a box come to rest: what the floor bears over their weight, and their fastest speed."""
    builder = it.ModelBuilder()
    particles(builder)
    model = builder.finalize()
    solver, state, contacts = it.SolverXPBD(model, substeps=1), model.state(), model.contacts()
    weight = 9.81 * float(model.particle_mass.numpy().sum())
    print("| frame | force on the floor over weight - 1 | fastest [m/s] |\n|---|---|---|")
    for frame in range(1, frames + 1):
        solver.step(state, state, None, contacts, FRAME)
        if frame % 10 == 0:
            used = int(contacts.soft_contact_count.numpy()[0])
            on_floor = contacts.soft_contact_shape.numpy()[:used] == 0
            force = float(contacts.soft_contact_force.numpy()[:used][on_floor, 2].sum())
            fastest = float(np.linalg.norm(state.particle_qd.numpy(), axis=1).max())
            print(f"| {frame} | {force / weight - 1.0:.1e} | {fastest:.1e} |", flush=True)


SCENES = {
    "block of 320 tetrahedra, sag off by": (block, sag, (2, 4), (10, 20)),
    "cloth of 64 x 64, largest strain": (cloth, strain, (1,), (10, 40, 100)),
    "cloth of 64 x 64 springs, off by": (spring_cloth, None, (1, 2, 3, 4), (10, 20, 40)),
    "10 000 particles, overlap over radius": (particles, overlap, (1, 2), (10, 20)),
}
"""How to build each, its error, and substeps of ours and of Newton's; without an error, paths are compared."""


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--frames", type=int, default=60)
    parser.add_argument("--rest", action="store_true", help="let particles come to rest")
    parser.add_argument("-k", default="", help="scenes with this in their names")
    asked = parser.parse_args()
    frames = asked.frames
    if asked.rest:
        rest(frames)
        return
    print("| scene | engine | substeps | CPU ms a frame (median) | error |\n|---|---|---|---|---|")
    for name, (build, error, mine, other) in SCENES.items():
        if asked.k not in name:
            continue
        racers = {("inertia_tools", n): ours(build, n) for n in mine} | {("Newton", n): theirs(build, n) for n in other}
        begun = {key: next(racer)[1] for key, racer in racers.items()}
        times: dict[Any, list[float]] = {key: [] for key in racers}
        last: dict[Any, Any] = {}
        off = dict.fromkeys(racers, 0.0)
        path = swung(frames) if error is None else None
        for _ in range(frames):
            right = None if path is None else next(path)
            for key, racer in racers.items():
                start = time.process_time()
                last[key] = next(racer)
                times[key].append(time.process_time() - start)
                if right is not None:
                    off[key] = max(off[key], strayed(last[key][1], right))
        for key, (model, x) in last.items():
            cost = 1e3 * statistics.median(times[key][len(times[key]) // 2 :])
            if error is not None:
                off[key] = error(x, begun[key], model)
            far = off[key] if np.isfinite(x).all() else float("inf")
            print(f"| {name} | {key[0]} | {key[1]} | {cost:.1f} | {far:.2g} |", flush=True)


if __name__ == "__main__":
    main()
