# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Meshes as people have them: a solid whose mass properties are known, and then damaged, all by one seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import trimesh
from scipy.spatial import cKDTree

from inertia_tools.geometry.mesh.triangles import TriangleMesh
from inertia_tools.geometry.mesh.winding import winding_numbers
from inertia_tools.geometry.polyhedron import integrate_triangles
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import rotation_from_rpy

Rng = np.random.Generator


@dataclass(frozen=True)
class Case:
    """A damaged mesh.

    Attributes:
        name: Solid and damage.
        mesh: The mesh.
        truth: Mass properties of the solid at unit density; None when there is none.
        fault: A fault that must be named; empty when the damage is none.
    """

    name: str
    mesh: TriangleMesh
    truth: Inertial | None
    fault: str = ""


def solids(rng: Rng) -> tuple[str, TriangleMesh]:
    """Return one of nine solids, of random proportions."""
    a, b, c = rng.uniform(0.3, 1.0, 3)
    makers: dict[str, Callable[[], trimesh.Trimesh]] = {
        "ball": lambda: trimesh.creation.icosphere(subdivisions=int(rng.integers(2, 5)), radius=a),
        "ellipsoid": lambda: trimesh.creation.icosphere(subdivisions=3).apply_scale([a, b, c]),
        "torus": lambda: trimesh.creation.torus(1.0, 0.2 + 0.4 * a, major_sections=48, minor_sections=24),
        "capsule": lambda: trimesh.creation.capsule(a, 0.5 * b, count=[24, 24]),
        "cylinder": lambda: trimesh.creation.cylinder(a, b, sections=32).subdivide().subdivide(),
        "cone": lambda: trimesh.creation.cone(a, b, sections=32).subdivide().subdivide(),
        "box": lambda: trimesh.creation.box((a, b, c)).subdivide().subdivide().subdivide(),
        "bracket": lambda: bracket(a, b, c).subdivide().subdivide(),
        "blob": lambda: blob(rng),
    }
    name = list(makers)[int(rng.integers(len(makers)))]
    made = makers[name]()
    return name, TriangleMesh(np.array(made.vertices, dtype=np.float64), np.array(made.faces, dtype=np.int64))


def bracket(a: float, b: float, c: float) -> trimesh.Trimesh:
    """Return an L-shaped prism."""
    outline = np.array([[0, 0], [1, 0], [1, 0.3], [0.3, 0.3], [0.3, 1], [0, 1]]) * [1 + a, 1 + b]
    top, bottom = np.insert(outline, 2, c, axis=1), np.insert(outline, 2, 0.0, axis=1)
    faces = []
    for i in range(6):
        j = (i + 1) % 6
        faces += [[i, j, 6 + j], [i, 6 + j, 6 + i]]
    for x, y, z in ((0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)):
        faces += [[x, z, y], [6 + x, 6 + y, 6 + z]]
    return trimesh.Trimesh(np.concatenate([bottom, top]), faces, process=False)


def blob(rng: Rng) -> trimesh.Trimesh:
    """Return a ball with smooth waves on it."""
    ball = trimesh.creation.icosphere(subdivisions=4)
    radius = np.ones(len(ball.vertices))
    for _ in range(3):
        wave, phase = rng.normal(scale=1.5, size=3), rng.uniform(0, 6)
        radius += 0.08 * np.sin(ball.vertices @ wave + phase)
    ball.vertices = ball.vertices * radius[:, None]
    return ball


def placed(mesh: TriangleMesh, rng: Rng) -> TriangleMesh:
    """Turn, scale from a tenth of a millimetre to a hundred metres, and move by up to a hundred sizes."""
    size = 10.0 ** rng.uniform(-4, 2)
    offset = rng.normal(size=3) * size * 10.0 ** rng.uniform(-1, 2)
    return TriangleMesh(mesh.vertices @ rotation_from_rpy(rng.uniform(-3, 3, 3)).T * size + offset, mesh.triangles)


def exact(mesh: TriangleMesh) -> Inertial:
    return integrate_triangles(mesh.vertices, mesh.triangles)


def kept(mesh: TriangleMesh, mask: np.ndarray) -> TriangleMesh:
    return TriangleMesh(mesh.vertices, mesh.triangles[mask])


def turned(mesh: TriangleMesh, mask: np.ndarray) -> TriangleMesh:
    triangles = mesh.triangles.copy()
    triangles[mask] = triangles[mask][:, ::-1]
    return TriangleMesh(mesh.vertices, triangles)


def patches(mesh: TriangleMesh, rng: Rng, largest: float = 0.1) -> np.ndarray:
    """Mark triangles of one to four random patches, each up to a ratio of the diagonal in radius."""
    middles = mesh.corners.mean(axis=1)
    diagonal = np.linalg.norm(np.ptp(mesh.vertices, axis=0))
    gone = np.zeros(len(middles), dtype=bool)
    for _ in range(int(rng.integers(1, 5))):
        centre = middles[rng.integers(len(middles))]
        gone |= np.linalg.norm(middles - centre, axis=1) < rng.uniform(0.01, largest) * diagonal
    gone[rng.integers(len(middles))] = True
    return gone


def soup(mesh: TriangleMesh) -> TriangleMesh:
    return TriangleMesh(mesh.corners.reshape(-1, 3), np.arange(3 * len(mesh.triangles)).reshape(-1, 3))


def holes(mesh, rng):
    return kept(mesh, ~patches(mesh, rng)), exact(mesh), "open-mesh"


def lost_triangles(mesh, rng):
    mask = rng.random(len(mesh.triangles)) > rng.uniform(0.005, 0.05)
    mask[0] = False
    return kept(mesh, mask), exact(mesh), "open-mesh"


def flips(mesh, rng):
    mask = rng.random(len(mesh.triangles)) < rng.uniform(0.05, 0.45)
    mask[0] = True
    return turned(mesh, mask), exact(mesh), "mixed-winding"


def flips_and_holes(mesh, rng):
    mask = rng.random(len(mesh.triangles)) < rng.uniform(0.05, 0.3)
    return kept(turned(mesh, mask), ~patches(mesh, rng)), exact(mesh), "open-mesh"


def duplicates(mesh, rng):
    again = rng.random(len(mesh.triangles)) < rng.uniform(0.01, 1.0)
    again[0] = True
    return (
        TriangleMesh(mesh.vertices, np.concatenate([mesh.triangles, mesh.triangles[again]])),
        exact(mesh),
        "duplicate-faces",
    )


def double_sided(mesh, rng):
    both = np.concatenate([mesh.triangles, mesh.triangles[:, ::-1]])
    return TriangleMesh(mesh.vertices, both), exact(mesh), "duplicate-faces"


def mirrored(mesh, rng):
    return turned(mesh, np.ones(len(mesh.triangles), dtype=bool)), exact(mesh), "inverted-mesh"


def split_by_material(mesh, rng):
    """Give each of some materials its triangles with vertices of its own."""
    material = rng.integers(0, 4, len(mesh.triangles))
    parts = [soup(kept(mesh, material == i)) for i in range(4) if (material == i).any()]
    return TriangleMesh.joined(parts), exact(mesh), ""


def single_precision_soup(mesh, rng):
    whole = soup(mesh)
    middle = whole.vertices.mean(axis=0)
    rounded = (whole.vertices - middle).astype(np.float32).astype(np.float64)
    return TriangleMesh(rounded + middle, whole.triangles), exact(mesh), ""


def crack(mesh, rng):
    """Move each corner of a soup a little: as two tessellators that do not agree."""
    whole = soup(mesh)
    noise = 10.0 ** rng.uniform(-5, -3.5) * np.linalg.norm(np.ptp(mesh.vertices, axis=0))
    return (
        TriangleMesh(whole.vertices + rng.normal(scale=noise, size=whole.vertices.shape), whole.triangles),
        exact(mesh),
        "open-mesh",
    )


def tiled(mesh, rng):
    """Divide some triangles and not their neighbours, so that vertices lie on edges."""
    whole = trimesh.Trimesh(mesh.vertices, mesh.triangles, process=False)
    some = rng.choice(len(mesh.triangles), max(1, len(mesh.triangles) // 10), replace=False)
    finer = whole.subdivide(face_index=some)
    return TriangleMesh(np.array(finer.vertices), np.array(finer.faces, dtype=np.int64)), exact(mesh), "open-mesh"


def cavity(mesh, rng):
    ball = inner_ball(mesh)
    return (
        TriangleMesh.joined([mesh, turned(ball, np.ones(len(ball.triangles), dtype=bool))]),
        exact(mesh) - exact(ball),
        "",
    )


def nested(mesh, rng):
    """Put a ball into the solid that is wound as if it were material too."""
    return TriangleMesh.joined([mesh, inner_ball(mesh)]), exact(mesh), "self-overlap"


def inner_ball(mesh: TriangleMesh) -> TriangleMesh:
    """Return a ball well inside a solid, about the one of some random points that is farthest from the vertices."""
    rng = np.random.default_rng(0)
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    points = np.concatenate([exact(mesh).com[None], rng.uniform(low, high, (200, 3))])
    inside = winding_numbers(points, mesh.vertices, mesh.triangles) > 0.5
    depth = np.where(inside, cKDTree(mesh.vertices - low).query(points - low)[0], 0.0)
    deepest = int(np.argmax(depth))
    ball = trimesh.creation.icosphere(subdivisions=2, radius=0.25 * depth[deepest])
    return TriangleMesh(np.array(ball.vertices) + points[deepest], np.array(ball.faces, dtype=np.int64))


def overlapping(mesh, rng):
    """Two boxes of which one runs into the other; the mesh given is not looked at."""
    a, b = rng.uniform(0.5, 1.0, 3), rng.uniform(0.5, 1.0, 3)
    at = np.sign(rng.normal(size=3)) * rng.uniform(0.2, 0.45, 3) * (a + b)
    first = trimesh.creation.box(a)
    second = trimesh.creation.box(b, transform=trimesh.transformations.translation_matrix(at))
    shared_low = np.maximum(-a / 2, at - b / 2)
    shared_high = np.minimum(a / 2, at + b / 2)
    shared = trimesh.creation.box(bounds=[shared_low, shared_high])
    turn, size = rotation_from_rpy(rng.uniform(-3, 3, 3)), 10.0 ** rng.uniform(-3, 1)
    parts = [
        TriangleMesh(np.array(box.vertices) @ turn.T * size, np.array(box.faces, dtype=np.int64))
        for box in (first, second, shared)
    ]
    return TriangleMesh.joined(parts[:2]), exact(parts[0]) + exact(parts[1]) - exact(parts[2]), "self-overlap"


def flat(mesh, rng):
    squashed = mesh.vertices.copy()
    normal = rng.normal(size=3)
    normal /= np.linalg.norm(normal)
    squashed -= np.outer((squashed - squashed.mean(axis=0)) @ normal, normal)
    return TriangleMesh(squashed, mesh.triangles), None, "flat-mesh"


DAMAGES = (
    holes, holes, holes, lost_triangles, lost_triangles, flips, flips_and_holes, flips_and_holes, duplicates,
    double_sided, mirrored, split_by_material, single_precision_soup, crack, tiled, cavity, nested, overlapping, flat,
)  # fmt: skip
"""Damages, those that leave something in doubt more often."""


def case(seed: int) -> Case:
    """Return the damaged mesh of a seed."""
    rng = np.random.default_rng(seed)
    name, mesh = solids(rng)
    damage = DAMAGES[seed % len(DAMAGES)]
    damaged, truth, fault = damage(placed(mesh, rng), rng)
    return Case(f"{seed}: {name}, {damage.__name__}", damaged, truth, fault)
