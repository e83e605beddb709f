# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Bodies at random places near triangles, and bounds of how far from them or how deep in them each is.

Three grounds have truths that need no second detector: level terrain is a plane, a closed convex mesh is a hull, and
what is apart from any triangles is as far as from the nearest of them, each of which is convex. A body in rough
terrain has to move at least as far as any of its points is from the surface, and at most as far as straight up.
"""

from dataclasses import replace

import numpy as np
from collision_reference import Cases, Found, random_cases, reach, separation

import inertia_tools as it
from inertia_tools.sim.collide.collider import Collider, colliders_of_shape, hull_collider
from inertia_tools.sim.collide.collider_kind import ColliderKind
from inertia_tools.sim.scene.geo_type import GeoType

ROWS, COLUMNS, HALF = 9, 11, 4.0
PROBES, ROUNDS, SPREAD = 16, 120, 400
ENOUGH = 1e-10
CHUNK = 20_000


def level_terrain() -> Collider:
    field = it.Heightfield(np.zeros((ROWS, COLUMNS)), ROWS, COLUMNS, hx=HALF, hy=HALF)
    return colliders_of_shape(GeoType.HFIELD, (1.0, 1.0, 1.0), field, True)[0]


def rough_terrain(seed: int = 0, height: float = 0.3) -> Collider:
    heights = np.random.default_rng(seed).uniform(-height, height, (ROWS, COLUMNS))
    field = it.Heightfield(heights, ROWS, COLUMNS, hx=HALF, hy=HALF)
    return colliders_of_shape(GeoType.HFIELD, (1.0, 1.0, 1.0), field, True)[0]


def _mesh_collider(vertices: np.ndarray, triangles: np.ndarray) -> Collider:
    return colliders_of_shape(GeoType.MESH, (1.0, 1.0, 1.0), it.Mesh(vertices, triangles), True)[0]


def as_triangles(hull: Collider) -> Collider:
    """Return the surface of a hull, each face a fan of triangles."""
    corners = [face[[0, i, i + 1]] for face in hull.polytope.faces for i in range(1, len(face) - 1)]
    return _mesh_collider(hull.polytope.vertices, np.array(corners))


def on_hull(kind: ColliderKind, count: int, seed: int = 0) -> Cases:
    """Return bodies that are near a hull, or overlap it by up to half of their size."""
    rng = np.random.default_rng(seed)
    hull = hull_collider(rng.normal(size=(int(rng.integers(6, 24)), 3)) * rng.uniform(0.2, 0.5, 3))
    cases = replace(random_cases(kind, ColliderKind.HULL, count, seed), b=[hull] * count)
    toward = rng.normal(size=(count, 3))
    toward /= np.linalg.norm(toward, axis=1, keepdims=True)
    apart = separation(cases, toward[:, None, :])[:, 0]
    cases.x[:, 0] += (rng.uniform(-0.5, 0.2, count) * cases.size - apart)[:, None] * toward
    return cases


def on_level_ground(kind: ColliderKind, count: int, seed: int = 0) -> Cases:
    """Return bodies from wholly under z = 0 to a little above it."""
    cases = random_cases(kind, ColliderKind.PLANE, count, seed)
    cases.q[:, 1], cases.r[:, 1], cases.x[:, 1] = [0.0, 0.0, 0.0, 1.0], np.eye(3), 0.0
    heights = np.random.default_rng([seed, 2]).uniform(-1.5, 0.2, count) * cases.size
    cases.x[:, 0, 2] += heights - separation(cases, cases.r[:, 1, :, 2][:, None, :])[:, 0]
    return cases


def over_ground(kind: ColliderKind, terrain: Collider, count: int, seed: int = 0) -> Cases:
    """Return bodies whose middles are up to a half diagonal under and one over terrain."""
    rng = np.random.default_rng([seed, 3])
    cases = random_cases(kind, ColliderKind.BOX, count, seed)
    cases = replace(cases, b=[terrain] * count)
    cases.q[:, 1], cases.r[:, 1], cases.x[:, 1] = [0.0, 0.0, 0.0, 1.0], np.eye(3), 0.0
    half = np.array([np.linalg.norm(one.half) for one in cases.a])
    cases.x[:, 0, :2] = rng.uniform(-3.0, 3.0, (count, 2))
    ground = heights_under(terrain, cases.x[:, 0])
    cases.x[:, 0, 2] = ground + rng.uniform(-1.0, 1.0, count) * half
    return cases


def heights_under(terrain: Collider, points: np.ndarray) -> np.ndarray:
    """Return the height of terrain under or over points, shape (..., 3); they must be within its sides."""
    triangles = terrain.surface.triangles.reshape(ROWS - 1, COLUMNS - 1, 2, 3, 3)
    u = (points[..., 0] + HALF) * (COLUMNS - 1) / (2.0 * HALF)
    v = (points[..., 1] + HALF) * (ROWS - 1) / (2.0 * HALF)
    i, j = np.minimum(v.astype(int), ROWS - 2), np.minimum(u.astype(int), COLUMNS - 2)
    corners = triangles[i, j, (v - i > u - j).astype(int)]
    up = np.cross(corners[..., 1, :] - corners[..., 0, :], corners[..., 2, :] - corners[..., 0, :])
    way = points - corners[..., 0, :]
    return points[..., 2] - np.einsum("...i,...i->...", way, up) / up[..., 2]


def distances_to_triangles(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Return how far points are from the nearest of some triangles, shape (n,)."""
    best = np.full(len(points), np.inf)
    for a, b, c in triangles:
        n = np.cross(b - a, c - a)
        n /= np.linalg.norm(n)
        over = np.ones(len(points), dtype=bool)
        nearest = np.full(len(points), np.inf)
        for p, q in ((a, b), (b, c), (c, a)):
            way = points - p
            over &= way @ np.cross(n, q - p) >= 0.0
            t = np.clip(way @ (q - p) / ((q - p) @ (q - p)), 0.0, 1.0)
            nearest = np.minimum(nearest, np.linalg.norm(way - t[:, None] * (q - p), axis=1))
        best = np.minimum(best, np.where(over, np.abs((points - a) @ n), nearest))
    return best


def outermost(collider: Collider, d: np.ndarray) -> np.ndarray:
    """Return the farthest points of a body along directions in its frame, shape (k, 3)."""
    s, unit = collider.size, d / np.linalg.norm(d, axis=1, keepdims=True)
    around = d[:, :2] / np.maximum(np.hypot(d[:, 0], d[:, 1]), 1e-300)[:, None]
    match collider.kind:
        case ColliderKind.SPHERE:
            return s[0] * unit
        case ColliderKind.CAPSULE:
            return s[0] * unit + np.stack([0 * d[:, 0], 0 * d[:, 0], s[1] * np.sign(d[:, 2])], axis=1)
        case ColliderKind.ELLIPSOID:
            return s * s * d / np.linalg.norm(s * d, axis=1, keepdims=True)
        case ColliderKind.CYLINDER:
            return np.column_stack([s[0] * around, s[1] * np.sign(d[:, 2])])
        case ColliderKind.CONE:
            rim = np.column_stack([s[0] * around, np.full(len(d), -s[1])])
            tip = np.array([0.0, 0.0, s[1]])
            return np.where((d @ tip > np.einsum("ij,ij->i", d, rim))[:, None], tip, rim)
        case ColliderKind.BOX:
            return s * np.sign(d)
    return collider.polytope.vertices[(d @ collider.polytope.vertices.T).argmax(axis=1)]


def least_depth(cases: Cases) -> np.ndarray:
    """Return how far bodies have to be moved out of terrain at least, shape (n,); zero where no overlap is seen.

    It is how far the point of a body that is deepest, of some hundred, is from the surface.
    """
    spread = np.random.default_rng(5).normal(size=(SPREAD, 3))
    local = np.array([outermost(body, spread @ r) for body, r in zip(cases.a, cases.r[:, 0], strict=True)])
    points = cases.x[:, :1] + np.einsum("nij,nkj->nki", cases.r[:, 0], local)
    below = heights_under(cases.b[0], points) - points[..., 2]
    deepest = points[np.arange(len(cases)), below.argmax(axis=1)]
    away = distances_to_triangles(deepest, cases.b[0].surface.triangles)
    return np.where(below.max(axis=1) > 0.0, away, 0.0)


def distance_is_at_least(cases: Cases, found: Found) -> np.ndarray:
    """Return what bodies are apart from triangles in the world at least, as far as `found` says, shape (n,).

    Two convex bodies are at least as far apart as along any direction. So the nearest triangle is judged by the normal
    that was found, and a direction is searched for along which each of the others is as far.
    """
    triangles, rng = cases.b[0].surface.triangles, np.random.default_rng(0)
    half = np.array([np.linalg.norm(one.half + np.abs(one.middle)) for one in cases.a])
    low, high, x = triangles.min(axis=1), triangles.max(axis=1), cases.x[:, 0]
    beyond = np.maximum(np.maximum(low[None] - x[:, None], x[:, None] - high[None]), 0.0)
    case, which = np.nonzero(np.linalg.norm(beyond, axis=2) - half[:, None] < found.gap[:, None])
    apart = np.empty(len(case))
    for start in range(0, len(case), CHUNK):
        part = slice(start, start + CHUNK)
        apart[part] = _separations(cases, case[part], triangles[which[part]], found, rng)
    least = np.full(len(cases), np.inf)
    np.minimum.at(least, case, apart)
    return np.minimum(least, found.gap)


def _separations(
    cases: Cases, case: np.ndarray, corners: np.ndarray, found: Found, rng: np.random.Generator
) -> np.ndarray:
    """Return a separation of bodies and triangles, one each, that is as great as the gap found where there is one."""
    n = found.deepest("normal")[case]
    wanted = found.gap[case] - ENOUGH
    best = _along(cases, case, corners, n[:, None])[:, 0]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    starts = [cases.x[case, 0] - corners.mean(axis=1), across, -across]
    starts += [cases.x[case, 0] - corners[:, i] for i in range(3)]
    for start in starts:
        probe = start / np.linalg.norm(start, axis=1, keepdims=True)
        value = _along(cases, case, corners, probe[:, None])[:, 0]
        n = np.where((value > best)[:, None], probe, n)
        best = np.maximum(best, value)
    width = np.full(len(case), 0.3)
    for _ in range(ROUNDS):
        open_ = np.flatnonzero(best < wanted)
        if not len(open_):
            break
        probes = n[open_, None] + width[open_, None, None] * rng.normal(size=(len(open_), PROBES, 3))
        probes /= np.linalg.norm(probes, axis=2, keepdims=True)
        values = _along(cases, case[open_], corners[open_], probes)
        column = values.argmax(axis=1)
        value = values[np.arange(len(open_)), column]
        better = value > best[open_]
        n[open_[better]] = probes[better, column[better]]
        best[open_] = np.where(better, value, best[open_])
        width[open_] *= np.where(better, 1.3, 0.8)
    return best


def _along(cases: Cases, case: np.ndarray, corners: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Return the separations of bodies and triangles along directions, shape (rows, k)."""
    found = np.einsum("nki,ni->nk", n, cases.x[case, 0]) - np.einsum("nki,nci->nkc", n, corners).max(axis=2)
    label = np.array([id(cases.a[i]) for i in case])
    for body in {id(cases.a[i]): cases.a[i] for i in case}.values():
        rows = np.flatnonzero(label == id(body))
        local = np.einsum("nij,nki->nkj", cases.r[case[rows], 0], -n[rows]).reshape(-1, 3)
        found[rows] -= reach(body, local).reshape(len(rows), -1)
    return found
