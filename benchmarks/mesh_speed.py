# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Time and error of mass properties of triangle meshes, beside other people's, in one run on one CPU.

    .venv-peers/bin/python benchmarks/mesh_speed.py [--levels 3 4 5 6 7 8] [--rounds 30]

`make peers` builds that environment; `make bench ARGS=mesh_speed` runs without Newton. All compute the same closed
meshes in turns of random order, so that other work and warm caches meet all alike; the best round counts, after a
first one that loads kernels. The result is printed, and unless somebody is missing it is kept in
benchmarks/results/mesh_speed.md, which docs/accuracy.md takes in.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import trimesh

from inertia_tools.geometry.mesh.integrate import integrate_mesh
from inertia_tools.geometry.mesh.triangles import TriangleMesh
from inertia_tools.geometry.polyhedron import integrate_triangles
from inertia_tools.inertial import Inertial

OUT = Path(__file__).parent / "results" / "mesh_speed.md"
LEVELS = (3, 4, 5, 6, 7, 8)
"""Times that an icosahedron's faces are divided in four: 1 k, 5 k, 20 k, 82 k, 328 k and 1.3 M triangles."""

LARGE, FEW_ROUNDS = 7, 6
"""From this level on the rounds are at most so many; a compile takes seconds."""

BLOCK = 65536
"""Triangles whose extended-precision sums fit into memory together."""

SINGLE_PRECISION = 1e-10
"""Relative error from which on an engine is marked as one of single precision."""

HEADING = """## Speed on meshes

Measured by `.venv-peers/bin/python benchmarks/mesh_speed.py` on {cores} cores of {machine},
{versions}.
Milliseconds, the best of {rounds} rounds in turns of random order ({few} from 328 k triangles on), after loading; in
brackets how many times as long as our NumPy path takes. Errors are of the volume or the tensor, the larger, against
sums in extended precision (64-bit mantissa).
"""

NOTES = """
What each time holds:

- **ours, NumPy** and **ours, Warp**: `integrate_triangles`, arrays in, mass, centre and tensor out; Warp in float64.
- **ours, auto**: the same with the choice left to it, Warp being loaded.
- **ours, whole**: `integrate_mesh` - corners shared, closedness proven, pieces turned outwards, overlaps searched for,
  integrated. What the other columns leave to the caller.
- **trimesh**: `Trimesh.mass_properties` with its cache emptied before each round.
- **Newton**: `compute_inertia_mesh`, which a `newton.Mesh` calls when it is made; given float32 and int32, so that it
  need not convert.
- **MuJoCo, compile**: `MjSpec.compile` of a model of this one mesh with `inertia="exact"`, without collision. That also
  makes normals and a bounding volume tree, and turns the mesh to its axes: the integral alone has no entry point.
- **MuJoCo, exact less shell**: that, less a compile with `inertia="shell"`, which does the same but integrates over the
  surface. What is left is the difference of two integrals and the noise of two compiles, some 5 % of one: read it as
  "small beside the compile", not as the time of an integral.

*float32* marks an engine whose error says that it sums in single precision, or stores corners so, as MuJoCo does.
"""


@dataclass
class Engine:
    """One way to mass properties.

    Attributes:
        name: Of the column.
        prepare: Makes what `compute` takes of a mesh, untimed, before each round.
        compute: What is timed.
        inertial: Makes an inertial of what came out, or nothing if only the time is wanted.
        best: Best times [s], by mesh.
        errors: Relative errors, by mesh.
    """

    name: str
    prepare: Callable[[TriangleMesh], Any]
    compute: Callable[[Any], Any]
    inertial: Callable[[Any], Inertial | None]
    best: dict[str, float] = field(default_factory=dict)
    errors: dict[str, float] = field(default_factory=dict)

    def run(self, mesh_name: str, mesh: TriangleMesh, truth: Inertial) -> None:
        """Take one round."""
        prepared = self.prepare(mesh)
        began = time.perf_counter()
        result = self.compute(prepared)
        spent = time.perf_counter() - began
        self.best[mesh_name] = min(self.best.get(mesh_name, np.inf), spent)
        if mesh_name not in self.errors and (found := self.inertial(result)) is not None:
            self.errors[mesh_name] = error_of(found, truth)


def error_of(found: Inertial, truth: Inertial) -> float:
    apart = np.linalg.norm(found.inertia - truth.inertia, 2) / np.linalg.norm(truth.inertia, 2)
    return float(max(abs(found.mass / truth.mass - 1.0), apart))


# Engines


def ours() -> list[Engine]:
    def by(backend: str) -> Callable[[TriangleMesh], Inertial]:
        return lambda mesh: integrate_triangles(mesh.vertices, mesh.triangles, backend)

    def afresh(mesh: TriangleMesh) -> TriangleMesh:
        return TriangleMesh(mesh.vertices, mesh.triangles)  # what it remembers is left behind

    return [
        Engine("ours, NumPy", lambda mesh: mesh, by("numpy"), lambda found: found),
        Engine("ours, Warp", lambda mesh: mesh, by("warp"), lambda found: found),
        Engine("ours, auto", lambda mesh: mesh, by("auto"), lambda found: found),
        Engine("ours, whole", afresh, integrate_mesh, lambda found: found.unit),
    ]


def by_trimesh() -> list[Engine]:
    def prepare(mesh: TriangleMesh) -> trimesh.Trimesh:
        made = trimesh.Trimesh(mesh.vertices, mesh.triangles, process=False, validate=False)
        made._cache.clear()
        return made

    def inertial(found: Any) -> Inertial:
        return Inertial(found.mass, found.center_mass, 0.5 * (found.inertia + found.inertia.T))

    return [Engine("trimesh", prepare, lambda made: made.mass_properties, inertial)]


def by_newton() -> list[Engine]:
    from newton._src.geometry.inertia import compute_inertia_mesh

    def prepare(mesh: TriangleMesh) -> tuple[np.ndarray, np.ndarray]:
        return mesh.vertices.astype(np.float32), mesh.triangles.astype(np.int32).reshape(-1)

    def inertial(found: Any) -> Inertial:
        mass, com, tensor, _ = found
        tensor = np.array(tensor, dtype=np.float64).reshape(3, 3)
        return Inertial(mass, np.array(com, dtype=np.float64), 0.5 * (tensor + tensor.T))

    return [Engine("Newton", prepare, lambda arrays: compute_inertia_mesh(1.0, *arrays), inertial)]


def by_mujoco() -> list[Engine]:
    import mujoco

    def prepare(kind: Any) -> Callable[[TriangleMesh], Any]:
        def spec_of(mesh: TriangleMesh) -> Any:
            spec = mujoco.MjSpec()
            vertices, faces = mesh.vertices.reshape(-1), mesh.triangles.reshape(-1)
            spec.add_mesh(name="mesh", uservert=vertices, userface=faces, inertia=kind)
            body = spec.worldbody.add_body()
            mesh_geom = mujoco.mjtGeom.mjGEOM_MESH
            body.add_geom(type=mesh_geom, meshname="mesh", density=1.0, contype=0, conaffinity=0)
            return spec

        return spec_of

    def inertial(model: Any) -> Inertial:
        turn = np.zeros(9)
        mujoco.mju_quat2Mat(turn, model.body_iquat[1])
        return Inertial(model.body_mass[1], model.body_ipos[1], np.diag(model.body_inertia[1])).rotate(
            turn.reshape(3, 3)
        )

    kinds = mujoco.mjtMeshInertia
    exact, shell = prepare(kinds.mjMESH_INERTIA_EXACT), prepare(kinds.mjMESH_INERTIA_SHELL)
    return [
        Engine("MuJoCo, compile", exact, lambda spec: spec.compile(), inertial),
        Engine(SHELL, shell, lambda spec: spec.compile(), lambda model: None),
    ]


SHELL, DIFFERENCE = "MuJoCo, shell", "MuJoCo, exact less shell"


def engines() -> tuple[list[Engine], list[str]]:
    """Return every engine that can be imported, and a line about each that cannot."""
    present, missing = ours(), []
    for name, make in (("trimesh", by_trimesh), ("Newton", by_newton), ("MuJoCo", by_mujoco)):
        try:
            present += make()
        except ImportError as error:
            missing.append(f"{name} is left out: {error}")
    return present, missing


# Meshes and their truth


def meshes(levels: list[int]) -> Iterator[tuple[str, int, TriangleMesh]]:
    rng = np.random.default_rng(7)
    waves = [(rng.normal(scale=scale, size=3), rng.uniform(0.0, 6.0), 0.3 / scale) for scale in (1, 2, 4, 8, 16)]
    for level in levels:
        ball = trimesh.creation.icosphere(subdivisions=level)
        vertices, triangles = np.array(ball.vertices, dtype=np.float64), np.array(ball.faces, dtype=np.int64)
        radius = 1.0 + sum(height * np.sin(vertices @ wave + phase) for wave, phase, height in waves)
        yield f"icosphere {in_words(len(triangles))}", level, TriangleMesh(vertices, triangles)
        blob = vertices * np.maximum(radius, 0.2)[:, None] * 0.1 + np.array([0.02, -0.01, 0.15])
        yield f"blob {in_words(len(triangles))}", level, TriangleMesh(blob, triangles)


def in_words(count: int) -> str:
    return f"{count / 1e6:.1f} M" if count >= 1e6 else f"{count / 1e3:.0f} k"


def truth_of(mesh: TriangleMesh) -> Inertial:
    """Integrate in extended precision."""
    middle = mesh.vertices.mean(axis=0).astype(np.longdouble)
    volume, first, second = np.longdouble(0), np.zeros(3, np.longdouble), np.zeros((3, 3), np.longdouble)
    for start in range(0, len(mesh.triangles), BLOCK):
        corners = mesh.vertices[mesh.triangles[start : start + BLOCK]].astype(np.longdouble) - middle
        a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
        d = (a * np.cross(b, c)).sum(axis=1)
        s = a + b + c
        volume += d.sum() / 6
        first += (d[:, None] * s).sum(axis=0) / 24
        for x in (a, b, c, s):
            second += (d[:, None, None] * x[:, :, None] * x[:, None, :]).sum(axis=0) / 120
    second -= np.outer(first, first) / volume
    return Inertial(float(volume), (middle + first / volume).astype(float),
                    (np.trace(second) * np.eye(3) - second).astype(float))  # fmt: skip


# Tables


def measured(options: argparse.Namespace, present: list[Engine]) -> list[str]:
    """Run all engines on all meshes and return the meshes' names."""
    names, rng = [], np.random.default_rng(0)
    for name, level, mesh in meshes(options.levels):
        names.append(name)
        truth = truth_of(mesh)
        for engine in present:
            engine.run(name, mesh, truth)
        for engine in present:
            engine.best.pop(name)  # that round loaded kernels
        for _ in range(min(options.rounds, FEW_ROUNDS) if level >= LARGE else options.rounds):
            for index in rng.permutation(len(present)):  # who follows whom decides what the caches hold
                present[index].run(name, mesh, truth)
        print("  ".join([f"{name:16}", *(f"{e.name} {1e3 * e.best[name]:.3g}" for e in present)]), flush=True)
    return names


def with_difference(present: list[Engine]) -> list[Engine]:
    """Put the difference of MuJoCo's two compiles in the place of the second."""
    by_name = {engine.name: engine for engine in present}
    if SHELL not in by_name:
        return present
    shell, whole = by_name[SHELL], by_name["MuJoCo, compile"]
    best = {name: whole.best[name] - shell.best[name] for name in whole.best}
    difference = Engine(DIFFERENCE, shell.prepare, shell.compute, shell.inertial, best)
    return [*(engine for engine in present if engine is not shell), difference]


def times(names: list[str], listed: list[Engine]) -> Iterator[str]:
    yield from head(listed)
    for name in names:
        base = listed[0].best[name]
        cells = [f"{1e3 * e.best[name]:.3g} ({e.best[name] / base:.2g})" for e in listed]
        yield "| " + " | ".join([name, *cells]) + " |"


def errors(names: list[str], listed: list[Engine]) -> Iterator[str]:
    listed = [engine for engine in listed if engine.errors]
    marks = {e.name: " float32" if max(e.errors.values()) > SINGLE_PRECISION else "" for e in listed}
    yield from head(listed)
    for name in names:
        cells = [f"{engine.errors[name]:.0e}{marks[engine.name]}" for engine in listed]
        yield "| " + " | ".join([name, *cells]) + " |"


def head(listed: list[Engine]) -> Iterator[str]:
    yield "| mesh | " + " | ".join(engine.name for engine in listed) + " |"
    yield "|" + " --- |" * (len(listed) + 1)


def versions() -> str:
    found = []
    for name in ("numpy", "warp-lang", "trimesh", "newton", "mujoco"):
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return f"Python {platform.python_version()}, " + ", ".join(found)


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.machine()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--levels", type=int, nargs="+", default=list(LEVELS), help="sizes of mesh (default all)")
    parser.add_argument("--rounds", type=int, default=30, help="rounds of each engine (default %(default)d)")
    parser.add_argument("--out", type=Path, help="file to write, even if somebody is missing")
    options = parser.parse_args()
    present, missing = engines()
    print("\n".join(missing))
    names = measured(options, present)
    listed = with_difference(present)
    few = min(options.rounds, FEW_ROUNDS)
    facts = {"cores": os.cpu_count(), "machine": processor(), "versions": versions()}
    text = [HEADING.format(rounds=options.rounds, few=few, **facts), *times(names, listed), ""]
    text += ["Relative errors:", "", *errors(names, listed), *missing, NOTES]
    print("\n".join(text))
    out = options.out or (None if missing else OUT)
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text("\n".join(text))


if __name__ == "__main__":
    main()
