# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""How far computed mass properties are from the truth, written to docs/accuracy.md.

    make bench ARGS=accuracy
    python benchmarks/accuracy.py [--seeds 300] [--only primitives meshes walls damaged voxels] [--out FILE]

The truth comes from `test/exact_references.py`: fifty digits by mpmath for shapes, fractions for meshes.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import trimesh

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "test"))

import damaged_meshes as damaged  # noqa: E402
import exact_references as exact  # noqa: E402

from inertia_tools.geometry import ellipsoid, primitives, prism  # noqa: E402
from inertia_tools.geometry.mesh.defects import mend  # noqa: E402
from inertia_tools.geometry.mesh.integral import MeshOptions, Rung  # noqa: E402
from inertia_tools.geometry.mesh.integrate import integrate_mesh  # noqa: E402
from inertia_tools.geometry.mesh.triangles import TriangleMesh  # noqa: E402
from inertia_tools.geometry.mesh.voxel import count_voxels  # noqa: E402
from inertia_tools.geometry.mesh.wall import hollow_mesh, thin_mesh  # noqa: E402
from inertia_tools.geometry.polyhedron import integrate_triangles  # noqa: E402
from inertia_tools.inertial import Inertial  # noqa: E402
from inertia_tools.spatial import rotation_from_rpy  # noqa: E402

OUT = ROOT / "docs" / "accuracy.md"
MESH_SPEED = ROOT / "benchmarks" / "results" / "mesh_speed.md"

CLAIMED = 1e-12
"""Relative error that nothing called exact exceeds."""

SIZES = (1e-6, 1e-3, 1.0, 1e3)
WALLS_OF_LIMIT = (0.9, 0.5, 0.1, 1e-3)
"""Thicknesses as ratios of the greatest that the shape allows."""

THINNEST = 1e-6
"""The thinnest wall, as a ratio of the longest size."""

INTRODUCTION = """# Accuracy

Written by `make bench ARGS=accuracy` (`benchmarks/accuracy.py`); nothing below is edited by hand, and the numbers are
those of {versions}.

Every number is a relative error: of the mass (here the volume at unit density, or the area), of the centre of mass
relative to a length that the section names, and of the inertia tensor about it, in the spectral norm over the largest
moment. The inputs, as float64, are taken as exact. "Exact" promises 1e-12; whatever exceeds it is listed by name.
"""


@dataclass
class Worst:
    """The largest errors of some cases, and where the very largest was.

    Attributes:
        count: Cases seen.
        mass, com, tensor: Largest of each.
        where: The case with the largest of all.
    """

    count: int = 0
    mass: float = 0.0
    com: float = 0.0
    tensor: float = 0.0
    where: str = ""

    @property
    def worst(self) -> float:
        """The largest of the three."""
        return max(self.mass, self.com, self.tensor)

    def see(self, errors: exact.Errors, where: str) -> None:
        """Take a case in."""
        self.count += 1
        if errors.worst >= self.worst:
            self.where = where
        self.mass, self.com = max(self.mass, errors.mass), max(self.com, errors.com)
        self.tensor = max(self.tensor, errors.tensor)


@dataclass(frozen=True)
class Family:
    """A shape with its proportions at size 1, each function with its reference.

    Attributes:
        name: Of the shape.
        proportions: Arguments at size 1.
        limit: Greatest thickness for those arguments.
        solid, wall, thin: Ours and the reference, or nothing.
        prepare: Makes what the references take of the arguments, once for all thicknesses.
    """

    name: str
    proportions: tuple[tuple[Any, ...], ...]
    limit: Callable[..., float]
    solid: tuple[Callable[..., Inertial], Callable[..., exact.Moments]] | None
    wall: tuple[Callable[..., Inertial], Callable[..., exact.Moments]]
    thin: tuple[Callable[..., Inertial], Callable[..., exact.Moments]] | None
    prepare: Callable[..., tuple[Any, ...]] = field(default=lambda *arguments: arguments)


ROUND = ((1.0, 1.0), (0.01, 1.0), (1.0, 0.01), (0.3, 0.7))
BOXES = (((1.0, 1.0, 1.0),), ((1.0, 0.5, 0.25),), ((1.0, 0.01, 0.001),), ((0.3, 0.7, 0.9),))
EGGS = (((1.0, 1.0, 1.0),), ((1.0, 0.7, 0.4),), ((1.0, 1.0, 0.4),))
L_WITH_HOLE = (
    ((0.0, 0.0), (1.0, 0.0), (1.0, 0.3), (0.3, 0.4), (0.3, 1.0), (0.0, 1.1)),
    ((0.1, 0.1), (0.2, 0.1), (0.15, 0.22)),
)


def prism_limit(outlines: Any, height: float) -> float:
    """Return a thickness that the outline above bears at any size, well before its sides meet."""
    return min(0.015 * longest(outlines), 0.5 * height)


FAMILIES = (
    Family("sphere", ((1.0,), (0.7,)), lambda r: r, (primitives.solid_sphere, exact.ball),
           (primitives.hollow_sphere, exact.ball_wall), (primitives.thin_sphere, exact.sphere)),
    Family("box", BOXES, lambda size: 0.5 * min(size), (primitives.solid_box, exact.box),
           (primitives.hollow_box, exact.box_wall), (primitives.thin_box, exact.box_faces)),
    Family("cylinder", ROUND, lambda r, h: min(r, 0.5 * h), (primitives.solid_cylinder, exact.cylinder),
           (primitives.hollow_cylinder, exact.cylinder_wall), (primitives.thin_cylinder, exact.cylinder_surface)),
    Family("capsule", (*ROUND, (1.0, 0.0)), lambda r, h: r, (primitives.solid_capsule, exact.capsule),
           (primitives.hollow_capsule, exact.capsule_wall), (primitives.thin_capsule, exact.capsule_surface)),
    Family("cone", ROUND, lambda r, h: r * h / (r + np.hypot(r, h)), (primitives.solid_cone, exact.cone),
           (primitives.hollow_cone, exact.cone_wall), (primitives.thin_cone, exact.cone_surface)),
    Family("ellipsoid", (*EGGS, ((1.0, 0.01, 0.01),), ((1.0, 1.0, 0.01),)), min,
           (primitives.solid_ellipsoid, exact.ellipsoid),
           (primitives.hollow_ellipsoid, exact.ellipsoid_wall), None),
    Family("ellipsoid, even wall", EGGS, lambda axes: min(axes) ** 2 / max(axes), None,
           (ellipsoid.uniform_wall_ellipsoid, lambda shells, t: shells.wall(t)),
           (ellipsoid.thin_ellipsoid, lambda shells: shells.surface()), lambda axes: (exact.EllipsoidShells(axes),)),
    Family("prism with a hole", ((L_WITH_HOLE, 0.3), (L_WITH_HOLE, 0.01)), prism_limit,
           (prism.solid_prism, exact.prism), (prism.hollow_prism, exact.prism_wall),
           (prism.thin_prism, exact.prism_surface)),
)  # fmt: skip


def resized(arguments: Any, size: float) -> Any:
    """Scale numbers, however deep they lie in tuples."""
    return tuple(resized(item, size) for item in arguments) if isinstance(arguments, tuple) else arguments * size


def longest(arguments: Any) -> float:
    return max(longest(item) for item in arguments) if isinstance(arguments, tuple) else float(arguments)


def walls_of(family: Family, arguments: tuple[Any, ...]) -> list[tuple[str, float]]:
    limit, thinnest = family.limit(*arguments), THINNEST * longest(arguments)
    listed = [(f"wall, {share:g} of the limit", share * limit) for share in WALLS_OF_LIMIT]
    return [*listed, (f"wall, {THINNEST:g} of the size", thinnest)] if thinnest < limit else listed


def compared(family: Family) -> Iterator[tuple[str, str, exact.Errors]]:
    """Yield kind, case and errors for every proportion, size and thickness of a shape."""
    for proportion in family.proportions:
        for size in SIZES:
            arguments = resized(proportion, size)
            given, length = family.prepare(*arguments), longest(arguments)
            where = named(proportion, size)
            if family.solid:
                ours, theirs = family.solid
                yield "solid", where, exact.errors_of(ours(*arguments), theirs(*given), length)
            for kind, thickness in walls_of(family, arguments):
                ours, theirs = family.wall
                yield kind, where, exact.errors_of(ours(*arguments, thickness), theirs(*given, thickness), length)
            if family.thin:
                ours, theirs = family.thin
                yield "thin", where, exact.errors_of(ours(*arguments), theirs(*given), length)


def named(proportion: tuple[Any, ...], size: float) -> str:
    if isinstance(proportion[0], tuple) and isinstance(proportion[0][0], tuple):
        proportion = proportion[1:]
    numbers = proportion[0] if isinstance(proportion[0], tuple) else proportion
    return " x ".join(f"{number:g}" for number in numbers) + f", times {size:g} m"


def primitives_section() -> Iterator[str]:
    yield "## Shapes"
    yield ""
    yield (
        "References of fifty digits: outer body less inner one, in closed form; walls of ellipsoids that are equally "
        "thick everywhere and thin ellipsoids by Gauss quadrature over the direction of the normal. The centre of mass "
        "is relative to the longest size. Sizes " + ", ".join(f"{size:g}" for size in SIZES) + " m times the "
        "proportions; the worst case of each row is named."
    )
    yield ""
    rows, above = [], []
    for family in FAMILIES:
        kinds: dict[str, Worst] = {}
        for kind, where, errors in compared(family):
            kinds.setdefault(kind, Worst()).see(errors, where)
        for kind, worst in kinds.items():
            rows.append([family.name, kind, str(worst.count), *three(worst), worst.where])
            if worst.worst > CLAIMED:
                above.append(f"{family.name}, {kind}: {worst.worst:.1e} at {worst.where}")
    yield from table("shape kind cases mass COM tensor worst-at", rows)
    yield from listed_above(above)


def three(worst: Worst) -> list[str]:
    return [f"{value:.0e}" for value in (worst.mass, worst.com, worst.tensor)]


def listed_above(above: list[str]) -> Iterator[str]:
    yield ""
    if not above:
        yield f"None is above {CLAIMED:g}."
        return
    yield f"**Above {CLAIMED:g}:**"
    yield ""
    yield from (f"- {line}" for line in above)


def table(head: str, rows: Iterable[list[str]]) -> Iterator[str]:
    names = [name.replace("-", " ") for name in head.split()]
    yield "| " + " | ".join(names) + " |"
    yield "|" + " --- |" * len(names)
    for row in rows:
        yield "| " + " | ".join(row) + " |"


# Closed meshes

OFFSETS = (0.0, 1.0, 10.0, 100.0, 1e3, 1e4)
PART_SIZES = (1e-6, 1e-3, 1.0, 100.0)
DIRECTION = np.array([0.6, -0.48, 0.64])
TURN = rotation_from_rpy([0.3, -0.5, 1.1])
WAYS: dict[str, Callable[[TriangleMesh], tuple[Inertial | None, float]]] = {
    "numpy": lambda mesh: (integrate_triangles(mesh.vertices, mesh.triangles, "numpy"), CLAIMED),
    "warp": lambda mesh: (integrate_triangles(mesh.vertices, mesh.triangles, "warp"), CLAIMED),
    "integrate_mesh": lambda mesh: stated(mesh),
}


def stated(mesh: TriangleMesh) -> tuple[Inertial | None, float]:
    integral = integrate_mesh(mesh, MeshOptions(may_load_warp=False))
    return integral.unit, CLAIMED if integral.exact else max(CLAIMED, integral.error_estimate)


def as_mesh(made: trimesh.Trimesh) -> TriangleMesh:
    return TriangleMesh(np.array(made.vertices, dtype=np.float64), np.array(made.faces, dtype=np.int64))


def closed_meshes() -> dict[str, TriangleMesh]:
    """Return meshes about 1 m long, turned so that no coordinate is round."""
    made = {
        "box": trimesh.creation.box((1.0, 0.7, 0.4)),
        "icosphere": trimesh.creation.icosphere(subdivisions=3, radius=0.5),
        "torus": trimesh.creation.torus(0.4, 0.1, major_sections=32, minor_sections=16),
        "thin plate": trimesh.creation.box((1.0, 0.8, 1e-3)).subdivide().subdivide(),
        "bracket": damaged.bracket(-0.2, 0.0, 0.3).subdivide(),
    }
    meshes = {name: as_mesh(mesh) for name, mesh in made.items()}
    return {name: TriangleMesh(mesh.vertices @ TURN.T, mesh.triangles) for name, mesh in meshes.items()}


def meshes_section() -> Iterator[str]:
    yield "## Closed meshes"
    yield ""
    yield (
        "References in fractions over the float64 corners as they are after scaling and moving, so the rounding of the "
        "corners far away is not counted. Parts of about 1e-6, 1e-3, 1 and 100 m, so many metres from the origin; each "
        "number is the worst of mass, centre of mass and tensor over those sizes. The centre of mass is relative to "
        "the part's size or, where that is more, to its distance: no float64 tells it better. `numpy` and `warp` are "
        "the integral alone, `integrate_mesh` all that a mesh goes through."
    )
    yield ""
    rows, above, doubted = [], [], []
    for name, mesh in closed_meshes().items():
        found = {way: [Worst() for _ in OFFSETS] for way in WAYS}
        for column, offset in enumerate(OFFSETS):
            for size in PART_SIZES:
                part = TriangleMesh(mesh.vertices * size + DIRECTION * offset, mesh.triangles)
                truth = exact.solid_of(part.vertices, part.triangles)
                case = f"{name} of {size:g} m at {offset:g} m"
                for way, integrate in WAYS.items():
                    unit, allowed = integrate(part)
                    if unit is None:
                        doubted.append(f"{case}, {way}: nothing")
                        continue
                    errors = exact.errors_of(unit, truth, max(size, offset))
                    if allowed > CLAIMED:
                        doubted.append(f"{case}, {way}: stated {allowed:.1e}, true {errors.worst:.1e}")
                        continue
                    found[way][column].see(errors, case)
                    if errors.worst > CLAIMED:
                        above.append(f"{case}, {way}: mass {errors.mass:.1e}, COM {errors.com:.1e}, "
                                     f"tensor {errors.tensor:.1e}")  # fmt: skip
        for way, columns in found.items():
            rows.append([f"{name} ({len(mesh.triangles)})", way, *(f"{worst.worst:.0e}" for worst in columns)])
    yield from table("mesh way " + " ".join(f"{offset:g}-m" for offset in OFFSETS), rows)
    yield from listed_above(above)
    if doubted:
        yield ""
        yield "Not called exact:"
        yield ""
        yield from (f"- {line}" for line in doubted)


# Walls of meshes


@dataclass(frozen=True)
class Tessellated:
    """A mesh and the shape that it stands for, at about 1 m.

    Attributes:
        name: With the fineness.
        mesh: The triangles.
        solid, wall, thin: References of the shape, of its wall of a thickness, and of its surface.
        length: What the centre of mass is related to [m].
    """

    name: str
    mesh: TriangleMesh
    solid: exact.Moments
    wall: Callable[[float], exact.Moments]
    thin: exact.Moments
    length: float = 1.0


def tessellations() -> Iterator[Tessellated]:
    size = (1.0, 0.7, 0.4)
    yield Tessellated("box, 12", as_mesh(trimesh.creation.box(size)), exact.box(size),
                      lambda t: exact.box_wall(size, t), exact.box_faces(size))  # fmt: skip
    far = (100.0, 100.0, 100.0)
    yield Tessellated("box 173 m away, 12", as_mesh(trimesh.creation.box(size)).shifted(np.array(far)),
                      exact.box(size).shifted(*far), lambda t: exact.box_wall(size, t).shifted(*far),
                      exact.box_faces(size).shifted(*far), 173.0)  # fmt: skip
    for level in (2, 3, 5):
        mesh = as_mesh(trimesh.creation.icosphere(subdivisions=level, radius=0.5))
        yield Tessellated(f"ball, {len(mesh.triangles)}", mesh, exact.ball(0.5),
                          lambda t: exact.ball_wall(0.5, t), exact.sphere(0.5))  # fmt: skip
    for sections in (32, 512):
        mesh = as_mesh(trimesh.creation.cylinder(0.3, 1.0, sections=sections))
        yield Tessellated(f"cylinder, {len(mesh.triangles)}", mesh, exact.cylinder(0.3, 1.0),
                          lambda t: exact.cylinder_wall(0.3, 1.0, t), exact.cylinder_surface(0.3, 1.0))  # fmt: skip
        mesh = as_mesh(trimesh.creation.cone(0.3, 1.0, sections=sections)).shifted(np.array([0.0, 0.0, -0.5]))
        yield Tessellated(f"cone, {len(mesh.triangles)}", mesh, exact.cone(0.3, 1.0),
                          lambda t: exact.cone_wall(0.3, 1.0, t), exact.cone_surface(0.3, 1.0))  # fmt: skip
    for count in (16, 64):
        mesh = as_mesh(trimesh.creation.capsule(0.5, 0.3, count=[count, count]))
        mesh = mesh.shifted(np.array([0.0, 0.0, -mesh.vertices[:, 2].mean()]))
        yield Tessellated(f"capsule, {len(mesh.triangles)}", mesh, exact.capsule(0.3, 0.5),
                          lambda t: exact.capsule_wall(0.3, 0.5, t), exact.capsule_surface(0.3, 0.5))  # fmt: skip


MESH_WALLS = (1e-1, 1e-2, 1e-4, 1e-6)


def walls_section() -> Iterator[str]:
    yield "## Walls of meshes"
    yield ""
    yield (
        "A mesh and the shape that it stands for, some 1 m long. *Fineness* is how far the solid mesh is from the "
        "solid shape, which no wall can mend; *hollow* is a wall inside the mesh against the shape's wall, *sheet* the "
        "mesh's surface times the thickness against the same wall, and *areal* the surface against the shape's. The "
        "stated errors are about the wall, not about the fineness. Number of triangles after the name."
    )
    yield ""
    rows, beyond = [], []
    for shape in tessellations():
        fineness = exact.errors_of(integrate_mesh(shape.mesh).unit or Inertial(0.0), shape.solid, shape.length).worst
        areal = thin_mesh(shape.mesh).unit
        areal_error = exact.errors_of(areal, shape.thin, shape.length).worst if areal else np.inf
        for thickness in MESH_WALLS:
            truth, cells = shape.wall(thickness), []
            for way, make in (("hollow", hollow_mesh), ("sheet", thin_mesh)):
                made = make(shape.mesh, thickness)
                true = exact.errors_of(made.unit or Inertial(0.0), truth, shape.length).worst
                if true > made.error_estimate + max(fineness, areal_error):
                    line = f"{shape.name}, {way}, {thickness:g} m: stated {made.error_estimate:.1e}, true {true:.1e}"
                    beyond.append(line)
                cells += [f"{made.error_estimate:.0e}", f"{true:.0e}"]
            rows.append([shape.name, f"{thickness:g}", f"{fineness:.0e}", *cells, f"{areal_error:.0e}"])
    yield from table("mesh thickness fineness hollow,-stated hollow,-true sheet,-stated sheet,-true areal", rows)
    yield ""
    yield "Beyond the stated error and the fineness together:"
    yield ""
    yield from (f"- {line}" for line in beyond or ["none"])


# Damaged meshes

ROUNDING, STORED_ROUNDED = 1e-9, 1e-6
"""Errors that a stated error need not cover: those of the reference, and of corners stored in single precision."""

MOST_LISTED = 12


@dataclass(frozen=True)
class Outcome:
    """What came of a damaged mesh."""

    name: str
    rung: Rung
    stated: float
    true: float

    @property
    def damage(self) -> str:
        """Name of what was done to it."""
        return self.name.rsplit(", ", 1)[1]

    @property
    def slack(self) -> float:
        """What a stated error need not cover."""
        return STORED_ROUNDED if self.damage == "single_precision_soup" else ROUNDING

    @property
    def holds(self) -> bool:
        """Whether the stated error holds."""
        return self.true <= self.stated + self.slack

    @property
    def is_estimate(self) -> bool:
        """Whether it is neither exact nor nothing, nor right by luck."""
        return self.rung not in (Rung.EXACT, Rung.NONE) and self.true > ROUNDING


def outcome_of(seed: int) -> Outcome:
    case = damaged.case(seed)
    integral = integrate_mesh(case.mesh)
    if case.truth is None or integral.unit is None:
        true = 0.0 if case.truth is None and integral.unit is None else np.inf
    else:
        apart = np.linalg.norm(integral.unit.inertia - case.truth.inertia, 2)
        true = max(abs(integral.unit.mass / case.truth.mass - 1.0), apart / np.linalg.norm(case.truth.inertia, 2))
    return Outcome(case.name, integral.rung, integral.error_estimate, float(true))


def damaged_section(seeds: int) -> Iterator[str]:
    outcomes = [outcome_of(seed) for seed in range(seeds)]
    yield "## Damaged meshes"
    yield ""
    held = sum(outcome.holds for outcome in outcomes)
    false = [o.name for o in outcomes if o.rung is Rung.EXACT and not o.holds]
    yield (
        f"`test/damaged_meshes.py`, seeds 0 to {seeds - 1}: solids of random proportions, sizes and places, damaged in "
        f"known ways, against the integral of the undamaged mesh. {held} of {seeds} ({held / seeds:.1%}) are within "
        f"their stated error; {len(false)} are called exact and are not{': ' + '; '.join(false) if false else ''}. "
        "Medians of the stated and the true error, and "
        "of their ratio, are over the estimates: results that are neither exact nor nothing and not right by luck."
    )
    yield ""
    rows = [damage_row(name, [o for o in outcomes if o.damage == name]) for name in damages()]
    rows.append(damage_row("all", outcomes))
    yield from table("damage meshes exact held estimates stated true stated/true largest-true", rows)
    missed = sorted((o for o in outcomes if not o.holds), key=lambda o: o.true / max(o.stated, ROUNDING), reverse=True)
    yield ""
    yield f"Beyond their stated error, the {min(len(missed), MOST_LISTED)} worst of {len(missed)}:"
    yield ""
    cells = [[o.name, o.rung.value, f"{o.stated:.1e}", f"{o.true:.1e}"] for o in missed[:MOST_LISTED]]
    yield from table("seed,-solid,-damage rung stated true", cells)


def damages() -> list[str]:
    return list(dict.fromkeys(damage.__name__ for damage in damaged.DAMAGES))


def damage_row(name: str, outcomes: list[Outcome]) -> list[str]:
    if not outcomes:
        return [name, "0", *["-"] * 7]
    estimates = [o for o in outcomes if o.is_estimate]
    medians = ["-"] * 3
    if estimates:
        columns = ([o.stated for o in estimates], [o.true for o in estimates], [o.stated / o.true for o in estimates])
        medians = [f"{np.median(column):.2g}" for column in columns]
    exact_ones = sum(o.rung is Rung.EXACT for o in outcomes)
    share = sum(o.holds for o in outcomes) / len(outcomes)
    largest = max(o.true for o in outcomes)
    return [name, str(len(outcomes)), str(exact_ones), f"{share:.0%}", str(len(estimates)), *medians, f"{largest:.1e}"]


# Voxels

TOLERANCES = (1e-2, 1e-3, 1e-4)


def voxel_shapes() -> Iterator[tuple[str, TriangleMesh, Inertial]]:
    """Yield meshes with the integral of the polyhedron that they are, or were before a part was cut out."""
    tube = trimesh.creation.cylinder(0.3, 1.0, sections=64)
    sides = tube.faces[np.abs(tube.face_normals[:, 2]) < 0.5]
    whole = {
        "box": trimesh.creation.box((1.0, 0.7, 0.4)),
        "ball": trimesh.creation.icosphere(subdivisions=4, radius=0.5),
        "torus": trimesh.creation.torus(0.4, 0.1, major_sections=64, minor_sections=32),
    }
    for name, made in whole.items():
        mesh = as_mesh(made)
        mesh = TriangleMesh(mesh.vertices @ TURN.T, mesh.triangles)
        yield name, mesh, integrate_triangles(mesh.vertices, mesh.triangles)
    closed = as_mesh(tube)
    yield "cylinder without ends", TriangleMesh(closed.vertices, np.array(sides)), damaged.exact(closed)


def voxels_section() -> Iterator[str]:
    yield "## Voxels"
    yield ""
    yield (
        "Counted by winding number until two resolutions agree to the tolerance or the finest is reached, on "
        f"{os.cpu_count()} CPU cores after the kernels are loaded. The open cylinder is held against the closed one: "
        "its stated error is the doubt about where its ends were."
    )
    yield ""
    rows = []
    for name, mesh, truth in voxel_shapes():
        surface = mend(mesh).surface
        count_voxels(surface, 0.5)
        for tolerance in TOLERANCES:
            began = time.perf_counter()
            counted = count_voxels(surface, tolerance)
            spent = time.perf_counter() - began
            apart = np.linalg.norm(counted.unit.inertia - truth.inertia, 2) / np.linalg.norm(truth.inertia, 2)
            true = max(abs(counted.unit.mass / truth.mass - 1.0), float(apart))
            cells = [f"{counted.error_estimate:.1e}", f"{true:.1e}", f"1/{1.0 / counted.edge:.0f} m", seconds(spent)]
            rows.append([name, f"{tolerance:g}", *cells])
    yield from table("shape tolerance stated true smallest-voxel time", rows)


def seconds(spent: float) -> str:
    return f"{spent:.1f} s" if spent < 1.0 else f"{spent:.0f} s"


SECTIONS: dict[str, Callable[[argparse.Namespace], Iterator[str]]] = {
    "primitives": lambda options: primitives_section(),
    "meshes": lambda options: meshes_section(),
    "walls": lambda options: walls_section(),
    "damaged": lambda options: damaged_section(options.seeds),
    "voxels": lambda options: voxels_section(),
}


def versions() -> str:
    packages = [f"{name} {version(name)}" for name in ("numpy", "scipy", "warp-lang", "trimesh", "mpmath")]
    return f"Python {platform.python_version()}, " + ", ".join(packages)


def wrapped(text: str) -> str:
    """Break paragraphs into lines of 120 characters; tables stay."""
    lines = [line if line.startswith("|") else textwrap.fill(line, 120, break_on_hyphens=False)
             for line in text.splitlines()]  # fmt: skip
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=300, help="damaged meshes (default %(default)d)")
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=list(SECTIONS), help="sections, all by default")
    parser.add_argument("--out", type=Path, default=OUT, help="file to write (default docs/accuracy.md)")
    options = parser.parse_args()
    lines = [INTRODUCTION.format(versions=versions())]
    for name in options.only:
        began = time.perf_counter()
        lines += [*SECTIONS[name](options), ""]
        print(f"{name}: {time.perf_counter() - began:.0f} s", flush=True)
    if MESH_SPEED.exists():
        lines.append(MESH_SPEED.read_text())
    options.out.write_text(wrapped("\n".join(lines).rstrip()) + "\n")
    print(f"written: {options.out}")


if __name__ == "__main__":
    main()
