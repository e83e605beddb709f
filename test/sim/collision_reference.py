# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Random pairs of colliders, and how far from right the contacts found for them are.

The separation of two convex bodies along a unit vector n, from b to a, is the least of n . x over a less the greatest
over b. Their signed distance is the greatest separation over all n. So a gap is judged without a second detector:
NumPy measures the separation along the normal that was found, and searches for a direction that separates more.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp
from scipy.spatial.transform import Rotation

from inertia_tools.sim.collide.anchors import anchor_functions
from inertia_tools.sim.collide.collider import Collider, colliders_of_shape, hull_collider
from inertia_tools.sim.collide.collider_arrays import PlacedCollider, collider_arrays
from inertia_tools.sim.collide.collider_kind import ColliderKind
from inertia_tools.sim.collide.detection import ONE_WORLD
from inertia_tools.sim.collide.narrow_phase import narrow_phase_kernel
from inertia_tools.sim.kernels.collision_types import MAX_CONTACTS, collision_types
from inertia_tools.sim.kernels.on_device import OnDevice
from inertia_tools.sim.kernels.precision import Precision, precision
from inertia_tools.sim.scene.geo_type import GeoType

GEO_OF = {
    ColliderKind.SPHERE: GeoType.SPHERE,
    ColliderKind.CAPSULE: GeoType.CAPSULE,
    ColliderKind.ELLIPSOID: GeoType.ELLIPSOID,
    ColliderKind.CYLINDER: GeoType.CYLINDER,
    ColliderKind.CONE: GeoType.CONE,
    ColliderKind.BOX: GeoType.BOX,
    ColliderKind.PLANE: GeoType.PLANE,
}
CONVEX = tuple(kind for kind in ColliderKind if kind < ColliderKind.PLANE)
DIRECTIONS, PROBES, ROUNDS = 600, 24, 90


@dataclass
class Cases:
    """Pairs of colliders at random places: b first turned, then moved."""

    a: list[Collider]
    b: list[Collider]
    x: np.ndarray  # of a and b, shape (n, 2, 3)
    q: np.ndarray  # of a and b, shape (n, 2, 4)
    r: np.ndarray  # shape (n, 2, 3, 3)

    def __len__(self) -> int:
        return len(self.a)

    def swapped(self) -> "Cases":
        return Cases(self.b, self.a, self.x[:, ::-1], self.q[:, ::-1], self.r[:, ::-1])

    @property
    def size(self) -> np.ndarray:
        """Sum of the half diagonals of the boxes around both; of what has one."""
        reach = [[max(np.linalg.norm(c.half), 0.0) if c.half[0] >= 0 else 0.0 for c in pair] for pair in self.pairs]
        return np.sum(reach, axis=1)

    @property
    def pairs(self) -> list[tuple[Collider, Collider]]:
        return list(zip(self.a, self.b, strict=True))


def random_collider(kind: ColliderKind, rng: np.random.Generator) -> Collider:
    """Return a body whose sizes differ by up to a factor of eight."""
    if kind is ColliderKind.HULL:
        return hull_collider(rng.normal(size=(int(rng.integers(4, 24)), 3)) * rng.uniform(0.1, 0.4, 3))
    if kind is ColliderKind.PLANE:
        return colliders_of_shape(GeoType.PLANE, (0.0, 0.0, 0.0), None, True)[0]
    size = np.exp(rng.uniform(np.log(0.1), np.log(0.8), 3))
    return colliders_of_shape(GEO_OF[kind], tuple(size.tolist()), None, False)[0]


def random_cases(first: ColliderKind, second: ColliderKind, count: int, seed: int = 0, variants: int = 20) -> Cases:
    """Return pairs from deep overlap to a gap; a fifth of them lie along axes, where ties abound."""
    rng = np.random.default_rng([seed, int(first), int(second)])
    kinds_a = [random_collider(first, rng) for _ in range(variants)]
    kinds_b = [random_collider(second, rng) for _ in range(variants)]
    a, b = ([kinds[i % variants] for i in range(count)] for kinds in (kinds_a, kinds_b))
    q = rng.normal(size=(count, 2, 4))
    straight = rng.random(count) < 0.2
    quarter = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1], [1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1]], float)
    q[straight] = quarter[rng.integers(0, 6, (int(straight.sum()), 2))]
    q /= np.linalg.norm(q, axis=2, keepdims=True)
    r = Rotation.from_quat(q.reshape(-1, 4)).as_matrix().reshape(count, 2, 3, 3)
    x = np.zeros((count, 2, 3))
    toward = rng.normal(size=(count, 3))
    along = np.eye(3)[rng.integers(0, 3, count)] * np.where(rng.random((count, 1)) < 0.5, 1, -1)
    toward = np.where(straight[:, None], along, toward)
    toward /= np.linalg.norm(toward, axis=1, keepdims=True)
    x[:, 0] = rng.uniform(-1, 1, (count, 3))
    x[:, 1] = x[:, 0]
    cases = Cases(a, b, x, q, r)
    # Where they just touch along that direction, and then a part of their size farther or nearer.
    if second is ColliderKind.PLANE:
        apart = separation(cases, r[:, 1, :, 2][:, None, :])[:, 0]
        x[:, 0] += (rng.uniform(-0.3, 0.2, count) * cases.size - apart)[:, None] * r[:, 1, :, 2]
    else:
        apart = separation(cases, toward[:, None, :])[:, 0]
        x[:, 0] += (rng.uniform(-0.5, 0.2, count) * cases.size - apart)[:, None] * toward
    return cases


def reach(collider: Collider, d: np.ndarray) -> np.ndarray:
    """Return the greatest d . x over a body, for directions in its frame, shape (k, 3)."""
    s = collider.size
    across = np.hypot(d[:, 0], d[:, 1])
    match collider.kind:
        case ColliderKind.SPHERE:
            return s[0] * np.linalg.norm(d, axis=1)
        case ColliderKind.CAPSULE:
            return s[0] * np.linalg.norm(d, axis=1) + s[1] * np.abs(d[:, 2])
        case ColliderKind.ELLIPSOID:
            return np.linalg.norm(d * s, axis=1)
        case ColliderKind.CYLINDER:
            return s[0] * across + s[1] * np.abs(d[:, 2])
        case ColliderKind.CONE:
            return np.maximum(s[1] * d[:, 2], s[0] * across - s[1] * d[:, 2])
        case ColliderKind.BOX:
            return np.abs(d) @ s
        case ColliderKind.HULL:
            return (d @ collider.polytope.vertices.T).max(axis=1)
    return np.where(d[:, 2] > 1 - 1e-12, 0.0, np.inf)  # a plane


def separation(cases: Cases, n: np.ndarray) -> np.ndarray:
    """Return the separation along unit vectors, shape (cases, k, 3), as (cases, k)."""
    result = np.empty(n.shape[:2])
    variants = {(id(a), id(b)): (a, b) for a, b in cases.pairs}
    label = np.array([hash((id(a), id(b))) for a, b in cases.pairs])
    for (ia, ib), (a, b) in variants.items():
        rows = np.flatnonzero(label == hash((ia, ib)))
        local_a = (-n[rows] @ cases.r[rows, 0]).reshape(-1, 3)
        local_b = (n[rows] @ cases.r[rows, 1]).reshape(-1, 3)
        apart = (n[rows] @ (cases.x[rows, 0] - cases.x[rows, 1])[:, :, None])[:, :, 0]
        result[rows] = apart - (reach(a, local_a) + reach(b, local_b)).reshape(len(rows), -1)
    return result


def signed_distance(cases: Cases, seed: int = 0) -> np.ndarray:
    """Return the greatest separation that a search over directions finds, shape (cases,)."""
    rng = np.random.default_rng(seed)
    index = np.arange(DIRECTIONS) + 0.5
    height, angle = 1 - 2 * index / DIRECTIONS, index * np.pi * (3 - np.sqrt(5))
    wide = np.sqrt(1 - height**2)
    spread = np.stack([wide * np.cos(angle), wide * np.sin(angle), height], axis=1)
    if cases.b[0].kind is ColliderKind.PLANE:
        return separation(cases, cases.r[:, 1, :, 2][:, None, :])[:, 0]
    best_n = spread[separation(cases, np.broadcast_to(spread, (len(cases), DIRECTIONS, 3))).argmax(axis=1)]
    best = separation(cases, best_n[:, None, :])[:, 0]
    for axes, sign in ((cases.r[:, 0], 1.0), (cases.r[:, 0], -1.0), (cases.r[:, 1], 1.0), (cases.r[:, 1], -1.0)):
        best, best_n = _improved(cases, best, best_n, sign * axes.transpose(0, 2, 1))
    for normals in _face_normals(cases):
        best, best_n = _improved(cases, best, best_n, normals)
    width = np.full(len(cases), 0.1)
    for _ in range(ROUNDS):
        probes = best_n[:, None, :] + width[:, None, None] * rng.normal(size=(len(cases), PROBES, 3))
        probes /= np.linalg.norm(probes, axis=2, keepdims=True)
        before = best
        best, best_n = _improved(cases, best, best_n, probes)
        width = np.where(best > before, width * 1.3, width * 0.6)
    return best


def distance_by_separating_axes(cases: Cases) -> np.ndarray:
    """Return the exact depth, negative, of boxes and capsules that overlap: only faces and pairs of edges can separate.

    Where they are apart it is less than their distance.
    """
    ra, rb = cases.r[:, 0], cases.r[:, 1]
    axes = [r[:, :, k] for r in (ra, rb) for k in range(3)]
    for i in range(3):
        for j in range(3):
            n = np.cross(ra[:, :, i], rb[:, :, j])
            length = np.linalg.norm(n, axis=1, keepdims=True)
            axes.append(np.where(length > 1e-9, n / np.maximum(length, 1e-300), rb[:, :, j]))
    return separation(cases, np.stack(axes + [-n for n in axes], axis=1)).max(axis=1)


def _improved(cases: Cases, best: np.ndarray, best_n: np.ndarray, probes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    found = separation(cases, probes)
    column = found.argmax(axis=1)
    value = found[np.arange(len(cases)), column]
    better = value > best
    return np.where(better, value, best), np.where(better[:, None], probes[np.arange(len(cases)), column], best_n)


def _face_normals(cases: Cases) -> list[np.ndarray]:
    """Return the face normals of hulls, padded to the same number, as directions to try."""
    found = []
    for side, (bodies, sign) in enumerate(((cases.a, -1.0), (cases.b, 1.0))):
        if bodies[0].kind is ColliderKind.HULL:
            most = max(len(body.polytope.planes) for body in bodies)
            normals = np.array([np.resize(body.polytope.planes[:, :3], (most, 3)) for body in bodies])
            found.append(sign * np.einsum("nij,nkj->nki", cases.r[:, side], normals))
    return found


@dataclass
class Found:
    """Contacts of each case, padded to the same number."""

    cases: Cases
    count: np.ndarray
    rows: np.ndarray  # structured, shape (cases, MAX_CONTACTS)

    @property
    def gaps(self) -> np.ndarray:
        """Gap of each contact; infinite where there is none."""
        return np.where(np.arange(MAX_CONTACTS) < self.count[:, None], self.rows["gap"], np.inf)

    @property
    def gap(self) -> np.ndarray:
        """Gap of the deepest contact of each case."""
        return self.gaps.min(axis=1)

    def deepest(self, name: str) -> np.ndarray:
        return self.rows[name][np.arange(len(self.count)), self.gaps.argmin(axis=1)].astype(float)


@dataclass
class Scene:
    """Cases on the device, where every collider is a body of its own."""

    colliders: Any
    x: Any
    r: Any
    kept: list[Any]


def scene_of(cases: Cases, dtype: str) -> Scene:
    p = precision(dtype)
    placed = [PlacedCollider(c, i, i) for i, c in enumerate(cases.a)]
    others = cases.b[:1] if cases.b[0].kind is ColliderKind.TRIANGLES else cases.b  # one tree for all
    placed += [PlacedCollider(c, i, i) for i, c in enumerate(others, len(cases))]
    data, trees = collider_arrays(placed, OnDevice(p, str(wp.get_device())))
    x = wp.array(np.concatenate([cases.x[:, 0], cases.x[:, 1]]).astype(p.numpy), dtype=p.vec3)
    r = wp.array(np.concatenate([cases.q[:, 0], cases.q[:, 1]]).astype(p.numpy), dtype=p.quat)
    return Scene(data, x, r, trees)


def find(cases: Cases, dtype: str = "float64", foresight: float = 10.0) -> Found:
    """Run the narrow phase on every case; of triangles, in their frame."""
    p, count = precision(dtype), len(cases)
    triangles = cases.b[0].kind is ColliderKind.TRIANGLES
    scene = scene_of(seen_from_b(cases) if triangles else cases, dtype)
    index = np.arange(count, dtype=np.int32)
    partners = np.full(count, count, dtype=np.int32) if triangles else index + count
    pairs = [wp.array(side, dtype=wp.int32) for side in (index, partners, np.array([count], np.int32))]
    contacts = wp.zeros(MAX_CONTACTS * count, dtype=collision_types(p).Contact)
    counts = wp.zeros(count, dtype=wp.int32)
    seen = wp.full(1, p.scalar(foresight), dtype=p.scalar)
    motions = collision_types(p).Motions()
    motions.x, motions.r = scene.x, scene.r
    inputs = [scene.colliders, motions, *pairs, seen, 0, ONE_WORLD, 1, contacts, counts]
    wp.launch(narrow_phase_kernel(p), dim=1, inputs=inputs)
    rows = contacts.numpy().reshape(count, MAX_CONTACTS)
    if triangles:
        rows["normal"] = np.einsum("nij,nkj->nki", cases.r[:, 1], rows["normal"])
    return Found(cases, counts.numpy(), rows)


def seen_from_b(cases: Cases) -> Cases:
    """Return the cases with each b at the origin, along the axes."""
    x, r = np.zeros_like(cases.x), np.zeros_like(cases.r)
    r[:, 0], r[:, 1] = cases.r[:, 1].transpose(0, 2, 1) @ cases.r[:, 0], np.eye(3)
    x[:, 0] = np.einsum("nji,nj->ni", cases.r[:, 1], cases.x[:, 0] - cases.x[:, 1])
    return replace(cases, x=x, q=Rotation.from_matrix(r.reshape(-1, 3, 3)).as_quat().reshape(-1, 2, 4), r=r)


def moved_by(cases: Cases, step: float) -> Cases:
    """Return the cases with each a turned and moved a little, at random."""
    rng = np.random.default_rng(7)
    turn = Rotation.from_rotvec(step * rng.normal(size=(len(cases), 3)))
    r, q, x = cases.r.copy(), cases.q.copy(), cases.x.copy()
    r[:, 0] = turn.as_matrix() @ cases.r[:, 0]
    q[:, 0] = Rotation.from_matrix(r[:, 0]).as_quat()
    x[:, 0] += step * rng.normal(size=(len(cases), 3))
    return replace(cases, x=x, q=q, r=r)


@lru_cache(maxsize=2)
def follow_kernel(p: Precision) -> Any:
    types = collision_types(p)
    Colliders, Contact, vec3, quat = types.Colliders, types.Contact, p.vec3, p.quat
    follow_contact = anchor_functions(p).follow

    @wp.kernel(module="unique", enable_backward=False)
    def follow_all(
        colliders: Colliders,
        x: wp.array(dtype=vec3),
        r: wp.array(dtype=quat),
        contacts: wp.array(dtype=Contact),
    ):
        i = wp.tid()
        c = contacts[i]
        a = colliders.body[c.a]
        b = colliders.body[c.b]
        contacts[i] = follow_contact(colliders, c, x[a], r[a], x[b], r[b])

    return follow_all


def follow(found: Found, moved: Cases | None = None) -> Found:
    """Tell the contacts again from their anchors, where the cases have moved to."""
    p = precision("float64")
    scene = scene_of(moved or found.cases, "float64")
    contacts = wp.array(found.rows.ravel(), dtype=collision_types(p).Contact)
    wp.launch(follow_kernel(p), dim=found.rows.size, inputs=[scene.colliders, scene.x, scene.r, contacts])
    return Found(moved or found.cases, found.count, contacts.numpy().reshape(found.rows.shape))
