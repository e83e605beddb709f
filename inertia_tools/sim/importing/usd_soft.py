# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Deformable prims of a USD stage as soft bodies of a scene: tetrahedral meshes, cloth and points.

The schemas are those of the proposal for UsdPhysics (`PhysicsVolumeDeformableSimAPI`, `PhysicsSurfaceDeformableSimAPI`,
their materials) and of Newton (`NewtonPointsDeformableSimAPI`); OpenUSD 26.11 has none itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from inertia_tools.description.usd.appearance import appearance_of
from inertia_tools.description.usd.attributes import applied_schemas, authored, beginning
from inertia_tools.description.usd.deformable import POISSON, deformable_value, material_value, misplaced_moduli
from inertia_tools.description.usd.geometry import fan
from inertia_tools.description.usd.library import pxr
from inertia_tools.description.usd_bodies import Units, UsdBodies
from inertia_tools.errors import OptionError, SimulationError
from inertia_tools.sim.scene.elastic_constants import (
    hinge_factors,
    lame_parameters,
    membrane_parameters,
    plate_rigidity,
)
from inertia_tools.sim.scene.scene import Scene
from inertia_tools.spatial import Array, Pose

BODY, POINTS = "PhysicsDeformableBodyAPI", "NewtonPointsDeformableSimAPI"
VOLUME, SURFACE = "PhysicsVolumeDeformableSimAPI", "PhysicsSurfaceDeformableSimAPI"

DENSITY = 1000.0
"""Density of a deformable body that states none [kg/m^3]; that of water, as for rigid ones."""

THICKNESS = 1e-3
"""Thickness of a sheet that states none [m], as proposed."""

UNREAD = ("Deformable", "Particle", "CurvesDeformable")
"""What names of schemas hold that are about soft bodies."""

READ = frozenset({BODY, POINTS, VOLUME, SURFACE})


@dataclass(eq=False)
class SoftPrims:
    """Soft bodies of a stage, and their elements in the scene.

    Attributes:
        prims: Kind of each prim that becomes one, by its path.
        unread: Paths of unsupported soft-body prims, each with its schema.
        particles: First particle and the one after the last, by the path of points.
        cloth: The same of particles, triangles and edges, by the path of a mesh.
        solids: The same of particles and tetrahedra, by the path of a tetrahedral mesh.
        left_out: Prims that have no soft body, each with the reason.
    """

    prims: dict[str, str] = field(default_factory=dict)
    unread: dict[str, str] = field(default_factory=dict)
    particles: dict[str, tuple[int, int]] = field(default_factory=dict)
    cloth: dict[str, dict[str, tuple[int, int]]] = field(default_factory=dict)
    solids: dict[str, dict[str, tuple[int, int]]] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)

    def notices(self) -> Iterator[str]:
        """Yield messages about unsupported soft bodies."""
        yield from self.left_out
        if self.unread:
            named = ", ".join(f"{path} ({schema})" for path, schema in self.unread.items())
            yield f"unsupported soft bodies of the stage: {named}"


def find_soft_prims(usd_bodies: UsdBodies, is_selected: Any) -> SoftPrims:
    """Find the soft-body prims of a stage.

    Args:
        usd_bodies: The stage.
        is_selected: Returns whether the options select the prim of a path.
    """
    usd, found = pxr().Usd, SoftPrims()
    for prim in usd.PrimRange.Stage(usd_bodies.stage, usd.TraverseInstanceProxies()):
        path, kind, apis = str(prim.GetPath()), str(prim.GetTypeName()), applied_schemas(prim)
        if not is_selected(path) or kind == "Material":
            continue
        is_rigid = any(path == other or path.startswith(f"{other}/") for other in _rigid_paths(usd_bodies))
        made = {"TetMesh": "solid", "Mesh": SURFACE in apis and "cloth", "Points": POINTS in apis and "points"}.get(
            kind
        )
        if made and not (kind == "TetMesh" and is_rigid):
            found.prims[path] = made
            continue
        said = [api for api in apis if any(word in api for word in UNREAD) and api not in READ]
        if said or kind in ("PhysicsAttachment", "PhysxParticleSystem", "PhysxPhysicsAttachment"):
            found.unread[path] = said[0] if said else kind
    return found


def _rigid_paths(usd_bodies: UsdBodies) -> Iterator[str]:
    yield from (body.path for body in usd_bodies.bodies.values())


def add_soft_prims(builder: Scene, usd_bodies: UsdBodies, soft: SoftPrims, start: Pose) -> None:
    """Add the soft bodies of a stage to a scene; invalid ones are omitted with a warning.

    Args:
        builder: The scene.
        usd_bodies: The stage.
        soft: The soft bodies.
        start: Pose of the frame of the stage.
    """
    adders = {"solid": _add_solid, "cloth": _add_cloth, "points": _add_points}
    for path, kind in soft.prims.items():
        prim = usd_bodies.stage.GetPrimAtPath(path)
        try:
            soft.left_out += misplaced_moduli(prim)
            points = _points(prim, usd_bodies.units, start)
            adders[kind](builder, prim, points, usd_bodies.units, soft)
        except (OptionError, SimulationError, TypeError, ValueError) as error:  # a stage may give any type of value
            soft.left_out.append(f"{path}: the soft body is omitted: {error}")


def _points(prim: Any, units: Units, start: Pose) -> Array:
    """Return the points of a prim in the world [m], shape (n, 3)."""
    points = authored(prim, "points")
    if points is None or not len(points):
        raise OptionError("points", "absent", "the positions of its points")
    matrix = np.array(pxr().UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(beginning()), dtype=np.float64)
    placed = np.asarray(points, dtype=np.float64) @ matrix[:3, :3] + matrix[3, :3]
    return start.transform_points(units.metre * placed)


def _is_mirrored(prim: Any) -> bool:
    """Return whether the transform of a prim turns it inside out."""
    matrix = np.array(pxr().UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(beginning()), dtype=np.float64)
    return bool(np.linalg.det(matrix[:3, :3]) < 0.0)


def _add_solid(builder: Scene, prim: Any, points: Array, units: Units, soft: SoftPrims) -> None:
    """Add a tetrahedral mesh; a left-handed one, or one that is mirrored, has its corners swapped."""
    corners = authored(prim, "tetVertexIndices")
    if corners is None or not len(corners):
        raise OptionError("tetVertexIndices", "absent", "four points for each tetrahedron")
    tetrahedra = np.asarray(corners, dtype=np.int64).reshape(-1, 4)
    if tetrahedra.min() < 0 or tetrahedra.max() >= len(points):
        raise OptionError("tetVertexIndices", int(tetrahedra.max()), f"indices below {len(points)}")
    corner = points[tetrahedra]
    if (np.linalg.det(corner[:, 1:] - corner[:, :1]) < 0.0).all():
        tetrahedra = tetrahedra[:, [0, 2, 1, 3]]
    used, renumbered = np.unique(tetrahedra, return_inverse=True)
    young, poisson = _elasticity(prim, units)
    mu, lame = (None, None) if young is None else lame_parameters(young, poisson)
    seen = appearance_of(prim)
    first = builder.particle_count, builder.tet_count
    builder.add_soft_mesh(
        vertices=points[used], indices=renumbered.ravel(), density=_density(prim, units), k_mu=mu, k_lambda=lame,
        color=seen.colour, opacity=seen.opacity,
        label=str(prim.GetPath()),
    )  # fmt: skip
    soft.solids[str(prim.GetPath())] = {
        "particle": (first[0], builder.particle_count),
        "tet": (first[1], builder.tet_count),
    }


def _add_cloth(builder: Scene, prim: Any, points: Array, units: Units, soft: SoftPrims) -> None:
    """Add a mesh whose faces are membranes."""
    counts, corners = authored(prim, "faceVertexCounts"), authored(prim, "faceVertexIndices")
    if counts is None or corners is None:
        raise OptionError("faceVertexIndices", "absent", "the points of its faces")
    triangles = fan(np.asarray(counts, dtype=np.int64), np.asarray(corners, dtype=np.int64))
    if (str(authored(prim, "orientation")) == "leftHanded") != _is_mirrored(prim):
        triangles = triangles[:, ::-1]
    thickness = _thickness(prim, units)
    young, poisson = _elasticity(prim, units)
    shear, area = (None, None) if young is None else membrane_parameters(young, poisson, thickness)
    first = builder.particle_count, builder.tri_count, builder.edge_count
    seen = appearance_of(prim)
    builder.add_cloth_mesh(
        vertices=points, indices=triangles.ravel(), density=_density(prim, units) * thickness, tri_ke=shear,
        tri_ka=area, particle_radius=0.5 * thickness, color=seen.colour, opacity=seen.opacity,
        label=str(prim.GetPath()),
    )  # fmt: skip
    if young is not None:
        rest, edges = np.array(builder.particle_q), np.array(builder.edge_indices[first[2] :])
        bending = plate_rigidity(young, poisson, thickness) * hinge_factors(rest, edges)
        builder.edge_bending_properties[first[2] :] = [(one, 0.0) for one in bending.tolist()]
    last = builder.particle_count, builder.tri_count, builder.edge_count
    names = ("particle", "tri", "edge")
    soft.cloth[str(prim.GetPath())] = dict(zip(names, zip(first, last, strict=True), strict=True))


def _add_points(builder: Scene, prim: Any, points: Array, units: Units, soft: SoftPrims) -> None:
    """Add loose particles; a mass that is not stated is that of a ball of the density."""
    if BODY not in (*applied_schemas(prim), *applied_schemas(prim.GetParent())):
        raise OptionError("apiSchemas", POINTS, f"together with {BODY}, on the points or one of their ancestors")
    widths = authored(prim, "widths")
    if widths is None:
        widths = authored(prim, "primvars:widths")
    radii = np.full(len(points), builder.default_particle_radius)
    if widths is not None and len(widths):
        radii[:] = 0.5 * units.metre * np.asarray(widths, dtype=np.float64)
    masses = deformable_value(prim, "masses")
    if masses is not None and len(masses) != len(points):
        raise OptionError("physics:masses", f"of length {len(masses)}", f"of length {len(points)}, one for each point")
    weight = _density(prim, units) * 4.0 / 3.0 * np.pi * radii**3
    if masses is not None:
        weight = units.kilogram * np.asarray(masses, dtype=np.float64)
    first = builder.particle_count
    builder.add_particles(points, mass=weight, radius=radii)
    soft.particles[str(prim.GetPath())] = (first, builder.particle_count)


def _density(prim: Any, units: Units) -> float:
    """Return the density of a soft body [kg/m^3]."""
    stated = [deformable_value(prim, "density"), material_value(prim, "density")]
    return next((float(one) * units.density for one in stated if one), DENSITY)


def _elasticity(prim: Any, units: Units) -> tuple[float | None, float]:
    """Return Young's modulus [Pa], None where nothing is stated, and Poisson's ratio.

    Raises:
        OptionError: One has no meaning.
    """
    young, poisson = material_value(prim, "youngsModulus"), material_value(prim, "poissonsRatio")
    poisson = POISSON if poisson is None else poisson
    if not 0.0 <= poisson < 0.5:
        raise OptionError("poissonsRatio", poisson, "a number from 0 to below 0.5")
    return None if young is None else young * units.kilogram / units.metre, poisson


def _thickness(prim: Any, units: Units) -> float:
    """Return the thickness of a sheet [m]."""
    given = deformable_value(prim, "thicknesses")
    stated = float(np.mean(given)) if given is not None and np.size(given) else None
    for name in ("thickness", "surfaceThickness"):
        stated = material_value(prim, name) if stated is None else stated
    return THICKNESS if stated is None or stated <= 0.0 else stated * units.metre
