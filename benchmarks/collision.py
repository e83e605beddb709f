# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""How far from right contacts are on 10 000 random poses of each pair of shapes, and how the search for pairs grows.

    make bench ARGS=collision
    python benchmarks/collision.py [--poses 10000] [--out FILE]

The truth is a search for the direction that separates most, in NumPy; see `test/sim/collision_reference.py`, and
`test/sim/triangle_reference.py` for triangles.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import warp as wp

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "test" / "sim"))

from collision_reference import CONVEX, Cases, find, random_cases, separation, signed_distance  # noqa: E402
from triangle_reference import (  # noqa: E402
    as_triangles,
    distance_is_at_least,
    distances_to_triangles,
    least_depth,
    level_terrain,
    on_hull,
    on_level_ground,
    over_ground,
    rough_terrain,
)

from inertia_tools.sim.collide.collider import colliders_of_shape  # noqa: E402
from inertia_tools.sim.collide.collider_arrays import PlacedCollider, collider_arrays, filter_arrays  # noqa: E402
from inertia_tools.sim.collide.collider_kind import ColliderKind, pairs_that_meet  # noqa: E402
from inertia_tools.sim.collide.detection import Detection  # noqa: E402
from inertia_tools.sim.kernels.on_device import OnDevice  # noqa: E402
from inertia_tools.sim.kernels.precision import precision  # noqa: E402
from inertia_tools.sim.scene.geo_type import GeoType  # noqa: E402

OUT = ROOT / "benchmarks" / "results" / "collision.md"
CHUNK = 1000
COUNTS = (10, 30, 100, 300, 1000, 3000, 10_000)
ROUNDS = 5
LARGE = 300
"""Counts from which the exponent of growth is taken: below, launching the kernels takes most of the time."""

HEADER = """## Contacts of every pair

Measured by `python benchmarks/collision.py` on one thread of a CPU, {poses} poses a pair from deep overlap to a gap, a
fifth of them along the axes, sizes differing by up to eight times. Errors are over the sum of both shapes' half
diagonals. "Short": by how much a search over directions in NumPy separates more than what was found, the greatest and
the 99th percentile; it is never less than zero but for rounding. "Honest": between the gap told and the separation
along the normal told, the greatest. Times are those of the quickest thousand, the arrays of its shapes made anew.

| pair | f64 short, most | 99 % | honest | f32 short, most | 99 % | honest | contacts | us f64 |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""

TRIANGLES = """
## Contacts with triangles

{poses} poses each; errors are over the sum of the half diagonals, of the body's alone on rough terrain. "Level" is
terrain that is a plane, the body up to wholly under it. "Rough" are heights of +-0.3 m in cells of a metre. Where a
body is apart from them, the error of its gap is what is not certain of it: the points told are as far apart and lie on
both, and for each triangle near a direction is searched along which it is as far. "Missed" are bodies with a point
under the ground, or that overlap a mesh, for which no overlap is told; "shallow" by how much depths are less than that
point is from the surface, which is the least they can be. "Closed" is the surface of hulls as a mesh, against the
contacts of the hull itself: "same" are overlaps whose depths agree to 1e-6.

| shape | level: f64, f32 | 99.9 % | rough: f64, f32 | missed | shallow 99 % | closed: f64, f32 | missed | same | 99 % |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""

GROWTH = """
## Search for pairs

Boxes of 0.2 m shaken in a cubic grid of 0.2 m, single precision, one thread: "pairs" is the broad phase with its tree
built anew, "all" the narrow phase on top. The exponents are fits from {large} to {most} boxes.

| boxes | pairs near | contacts | pairs, ms | all, ms |
| --- | --- | --- | --- | --- |
"""


def judged(cases: Cases, dtype: str, true: np.ndarray) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Return what was missed, how far gaps are from their normals, contacts a pair, and microseconds a pair."""
    find(cases, dtype)
    start = time.perf_counter()
    found = find(cases, dtype)
    spent = time.perf_counter() - start
    normal = found.deepest("normal")
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    along = found.gap if cases.b[0].kind is ColliderKind.PLANE else separation(cases, normal[:, None, :])[:, 0]
    short, off = (true - found.gap) / cases.size, np.abs(found.gap - along) / cases.size
    return short, off, float(found.count.mean()), 1e6 * spent / len(cases)


def row_of(first: ColliderKind, second: ColliderKind, poses: int) -> str:
    """Return a row of the table."""
    parts: dict[str, list[tuple[np.ndarray, np.ndarray, float, float]]] = {"float64": [], "float32": []}
    for seed in range(poses // CHUNK):
        cases = random_cases(first, second, CHUNK, seed)
        true = signed_distance(cases)
        for dtype, found in parts.items():
            found.append(judged(cases, dtype, true))
    cells = []
    for found in parts.values():
        short, off = np.concatenate([one[0] for one in found]), np.concatenate([one[1] for one in found])
        cells += [short.max(), np.quantile(short, 0.99), off.max()]
    numbers = " | ".join(f"{max(cell, 0.0):.0e}" for cell in cells)
    contacts, spent = np.mean([one[2] for one in parts["float64"]]), min(one[3] for one in parts["float64"])
    return f"| {first.name.lower()}, {second.name.lower()} | {numbers} | {contacts:.1f} | {spent:.1f} |\n"


def level_errors(kind: ColliderKind, poses: int, dtype: str) -> np.ndarray:
    """Return how far depths under level terrain are from those under a plane."""
    cases = on_level_ground(kind, poses)
    found = find(replace(cases, b=[level_terrain()] * poses), dtype, foresight=1.0)
    return np.asarray(np.abs(found.gap - signed_distance(cases)) / cases.size)


def rough_errors(kind: ColliderKind, poses: int, dtype: str) -> tuple[float, int, np.ndarray]:
    """Return the greatest error of gaps, how many overlaps were missed, and by how much depths are too small."""
    cases = over_ground(kind, rough_terrain(), poses)
    size = np.array([np.linalg.norm(one.half) for one in cases.a])
    found, least = find(cases, dtype, foresight=1.0), least_depth(cases)
    within = least > 0.0
    apart = (found.count > 0) & (found.gap > 0.0) & ~within
    off = np.maximum(found.gap - distance_is_at_least(cases, found), 0.0)
    off += distances_to_triangles(found.deepest("on_b"), cases.b[0].surface.triangles)
    short = (least + np.minimum(found.gap, 0.0)) / size
    return float((off / size)[apart].max()), int((found.gap[within] >= 0.0).sum()), np.maximum(short[within], 0.0)


def closed_errors(kind: ColliderKind, poses: int, dtype: str) -> tuple[float, int, np.ndarray]:
    """Return the greatest error of gaps, how many contacts were missed, and the errors of depths."""
    apart, missed, errors = 0.0, 0, []
    for seed in range(poses // CHUNK):
        cases = on_hull(kind, CHUNK, seed)
        hull, mesh = find(cases), find(replace(cases, b=[as_triangles(cases.b[0])] * CHUNK), dtype)
        seen, off = mesh.count > 0, np.abs(np.where(mesh.count > 0, mesh.gap, 0.0) - hull.gap) / cases.size
        apart, missed = max(apart, off[seen & (hull.gap > 0.0)].max()), missed + int((~seen).sum())
        errors.append(off[seen & (hull.gap <= 0.0)])
    return apart, missed, np.concatenate(errors)


def triangles_row(kind: ColliderKind, poses: int) -> str:
    """Return a row of the table of triangles."""
    level = [level_errors(kind, poses, dtype) for dtype in ("float64", "float32")]
    rough = [rough_errors(kind, poses, dtype) for dtype in ("float64", "float32")]
    closed = [closed_errors(kind, poses, dtype) for dtype in ("float64", "float32")]
    deep = closed[0][2]
    cells = [
        ", ".join(f"{one.max():.0e}" for one in level),
        f"{np.quantile(level[0], 0.999):.0e}",
        ", ".join(f"{one[0]:.0e}" for one in rough),
        ", ".join(str(one[1]) for one in rough),
        f"{np.quantile(rough[0][2], 0.99):.0e}",
        ", ".join(f"{one[0]:.0e}" for one in closed),
        ", ".join(str(one[1]) for one in closed),
        f"{100.0 * np.mean(deep < 1e-6):.1f} %",
        f"{np.quantile(deep, 0.99):.0e}",
    ]
    return f"| {kind.name.lower()} | {' | '.join(cells)} |\n"


def heap(count: int) -> tuple[Detection, object]:
    """Return boxes shaken in a grid, and their poses."""
    p, rng, side = precision("float32"), np.random.default_rng(0), int(np.ceil(count ** (1 / 3)))
    box = colliders_of_shape(GeoType.BOX, (0.1, 0.1, 0.1), None, False)[0]
    placed = [PlacedCollider(box, i, i) for i in range(count)]
    data, trees = collider_arrays(placed, OnDevice(p, "cpu"))
    filters = filter_arrays(placed, [], [], count, OnDevice(p, "cpu"))
    cells = np.stack(np.unravel_index(np.arange(count), (side, side, side)), axis=1)
    q = np.zeros((count, 7), dtype=np.float32)
    q[:, :3], q[:, 6] = 0.2 * cells + rng.uniform(-0.02, 0.02, (count, 3)), 1.0
    com = wp.zeros(count, dtype=p.vec3, device="cpu")
    detection = Detection(p, "cpu", data, filters, com, count, trees)
    return detection, wp.array(q, dtype=p.transform, device="cpu")


def best(work: Callable[[], object]) -> float:
    """Return the shortest time of some rounds [ms]."""
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


def growth() -> str:
    """Return the table of growth, and its exponents."""
    rows, spent = "", []
    for count in COUNTS:
        detection, q = heap(count)
        contacts = len(detection.find(q))
        pairs, everything = best(lambda d=detection, q=q: d.find_pairs(q)), best(lambda d=detection, q=q: d.find(q))
        spent.append((count, pairs, everything))
        rows += f"| {count} | {detection.pairs_needed} | {contacts} | {pairs:.2f} | {everything:.2f} |\n"
    large = np.log(np.array([row for row in spent if row[0] >= LARGE]))
    exponents = [np.polyfit(large[:, 0], large[:, k], 1)[0] for k in (1, 2)]
    said = (
        f"\nTime grows as the number of boxes to the power {exponents[0]:.2f} (pairs) and {exponents[1]:.2f} (all).\n"
    )
    return GROWTH.format(large=LARGE, most=COUNTS[-1]) + rows + said


def main() -> None:
    """Measure, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--poses", type=int, default=10_000)
    parser.add_argument("--out", type=Path, default=OUT)
    arguments = parser.parse_args()
    text = HEADER.format(poses=arguments.poses)
    for first, second in pairs_that_meet():
        if second is not ColliderKind.TRIANGLES:
            text += row_of(first, second, arguments.poses)
            print(text.splitlines()[-1], flush=True)
    text += TRIANGLES.format(poses=arguments.poses)
    for kind in CONVEX:
        text += triangles_row(kind, arguments.poses)
        print(text.splitlines()[-1], flush=True)
    text += growth()
    print(text[text.index("## Search") :])
    arguments.out.write_text(text)


if __name__ == "__main__":
    main()
