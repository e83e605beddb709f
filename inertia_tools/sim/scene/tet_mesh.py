# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A tetrahedral mesh as a value: where it is from, a soft solid is made of it."""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from inertia_tools.description.content import content_of
from inertia_tools.description.gmsh import read_gmsh
from inertia_tools.description.usd.attributes import authored, beginning
from inertia_tools.description.usd.deformable import (
    NAMESPACES,
    POISSON,
    deformable_value,
    material_value,
    misplaced_moduli,
)
from inertia_tools.description.usd.library import pxr
from inertia_tools.errors import MeshError, MissingMeshError, OptionError
from inertia_tools.sim.scene.custom_attributes import AttributeFrequency
from inertia_tools.sim.scene.elastic_constants import lame_parameters
from inertia_tools.sim.scene.notices import SceneWarning
from inertia_tools.sim.scene.soft_arguments import as_each, as_indices, as_nonnegative, as_points
from inertia_tools.sim.scene.soft_topology import of_positive_volume, surface_of_tetrahedra

TETRAHEDRON = 4
"""Corners of a tetrahedron."""

MATERIALS = ("k_mu", "k_lambda", "k_damp")

Custom = tuple[np.ndarray, AttributeFrequency]
"""Values of an attribute, and what it has one for: a vertex (particle), a tetrahedron or a triangle of the surface."""

_NAMES, _FREQUENCIES = "__custom_names__", "__custom_freqs__"
"""Arrays of a file that name the custom attributes in it, as Newton writes them."""


RESERVED = frozenset({"vertices", "tet_indices", "density", *MATERIALS, _NAMES, _FREQUENCIES})
"""Names of the arrays of a file that are no custom attribute."""

SEEN = frozenset({"displayColor", "displayOpacity", "normals", "st", "widths"})
"""Primvars about what is drawn, which no simulation has a value of."""

FREQUENCIES = {
    "vertex": AttributeFrequency.PARTICLE,
    "varying": AttributeFrequency.PARTICLE,
    "uniform": AttributeFrequency.TETRAHEDRON,
}


class TetMesh:
    """Vertices and tetrahedra, and perhaps what they are made of; by the names of Newton.

    Attributes:
        vertices: Vertex positions [m], shape (n, 3).
        tet_indices: Four vertices a tetrahedron, shape (4 m,).
        surface_tri_indices: Three vertices for each triangle of the surface, counterclockwise seen from outside, flat.
        k_mu, k_lambda, k_damp: Lame's parameters [Pa] and damping [Pa s] of each tetrahedron, shape (m,); None where
            nothing is said.
        density: Density [kg/m^3]; None where nothing is said.
        custom_attributes: Values of custom attributes, with what they are of.
    """

    def __init__(
        self,
        vertices: Any,
        tet_indices: Any,
        *,
        k_mu: Any = None,
        k_lambda: Any = None,
        k_damp: Any = None,
        density: float | None = None,
        custom_attributes: Mapping[str, Any] | None = None,
    ) -> None:
        """Check and copy the arrays, and make them unchangeable.

        Args:
            vertices: Vertex positions [m], shape (n, 3).
            tet_indices: Four vertices a tetrahedron, flat or shape (m, 4).
            k_mu: Shear modulus [Pa], for all tetrahedra or one each.
            k_lambda: Lame's first parameter [Pa], likewise.
            k_damp: Damping [Pa s], likewise.
            density: Density [kg/m^3].
            custom_attributes: Arrays, or pairs of an array and its `AttributeFrequency`, by key.

        Raises:
            OptionError: Numbers are not finite or negative, an index names no vertex, or an array has the length of
                neither vertices, tetrahedra nor surface triangles, or of several of them.
            SimulationError: More than two tetrahedra share a face.
        """
        self.vertices = _frozen(as_points("vertices", vertices))
        tetrahedra = as_indices("tet_indices", tet_indices, 4, len(self.vertices))
        self.tet_indices = _frozen(tetrahedra.ravel())
        self.surface_tri_indices = _frozen(surface_of_tetrahedra(tetrahedra).ravel())
        given = zip(MATERIALS, (k_mu, k_lambda, k_damp), strict=True)
        self.k_mu, self.k_lambda, self.k_damp = (
            None if value is None else _frozen(as_each(name, value, len(tetrahedra))) for name, value in given
        )
        self.density = None if density is None else as_nonnegative("density", density, "kg/m^3")
        custom = (custom_attributes or {}).items()
        self.custom_attributes: Mapping[str, Custom] = {key: self._custom(key, value) for key, value in custom}

    @property
    def vertex_count(self) -> int:
        """Number of vertices."""
        return len(self.vertices)

    @property
    def tet_count(self) -> int:
        """Number of tetrahedra."""
        return len(self.tet_indices) // 4

    @property
    def tri_count(self) -> int:
        """Number of triangles of the surface."""
        return len(self.surface_tri_indices) // 3

    @staticmethod
    def compute_surface_triangles(tet_indices: Any) -> np.ndarray:
        """Return the triangles of the surface of tetrahedra, flat; see `TetMesh`.

        Raises:
            SimulationError: More than two tetrahedra share a face.
        """
        return surface_of_tetrahedra(np.asarray(tet_indices, dtype=np.int32).reshape(-1, 4)).ravel()

    @classmethod
    def create_from_surface(
        cls, vertices: Any, indices: Any, *, edge_length: float | None = None, **material: Any
    ) -> TetMesh:
        """Fill a closed triangle mesh with tetrahedra, by fTetWild; see `tetrahedralise`.

        Args:
            vertices: Vertex positions [m], shape (n, 3).
            indices: Three vertices a triangle, flat or shape (m, 3).
            edge_length: Target edge length [m]; by default a tenth of the diagonal of the bounding box.
            **material: As of `TetMesh`.

        Raises:
            OptionError: A number is out of range.
            SimulationError: The surface is not closed, or cannot be filled.
            MissingDependencyError: pytetwild is not installed.
        """
        from inertia_tools.sim.scene.tetrahedralise import tetrahedralise

        return cls(*tetrahedralise(vertices, indices, edge_length), **material)

    @classmethod
    def create_from_file(cls, filename: str | Path) -> TetMesh:
        """Read a mesh that `save`, or Newton's, has written (.npz), or a mesh of Gmsh (.msh).

        Raises:
            MeshError: The file cannot be read, or holds no tetrahedral mesh.
            MissingMeshError: There is no such file.
        """
        path = Path(filename)
        if not path.exists():
            raise MissingMeshError(str(filename), "cannot be read: no such file; correct the path")
        if path.suffix.lower() == ".msh":
            return cls(*_of_gmsh(path))
        if path.suffix.lower() != ".npz":
            raise MeshError(str(filename), "tetrahedral meshes are read from .msh and .npz files")
        try:
            with np.load(path, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
        except (OSError, ValueError, zipfile.BadZipFile) as error:
            raise MeshError(str(filename), f"cannot be read: {error}") from error
        if not {"vertices", "tet_indices"} <= set(arrays):
            raise MeshError(str(filename), "has no arrays `vertices` and `tet_indices`")
        named = zip(arrays.get(_NAMES, ()), arrays.get(_FREQUENCIES, ()), strict=False)
        custom = {str(key): (arrays[key], int(number)) for key, number in named if key in arrays}
        material = {name: arrays.get(name) for name in MATERIALS}
        density = float(arrays["density"]) if "density" in arrays else None
        try:
            return cls(arrays["vertices"], arrays["tet_indices"], **material, density=density, custom_attributes=custom)
        except OptionError as error:
            raise MeshError(str(filename), str(error)) from error

    @classmethod
    def create_from_usd(cls, prim: Any, **options: Any) -> TetMesh:
        """Return a prim of type TetMesh; see `inertia_tools.usd.get_tetmesh`."""
        return get_tetmesh(prim, **options)

    def save(self, filename: str | Path) -> None:
        """Write the mesh as .npz.

        Raises:
            OptionError: The name has another suffix.
        """
        if Path(filename).suffix.lower() != ".npz":
            raise OptionError("filename", str(filename), "a name that ends in .npz")
        arrays: dict[str, Any] = {"vertices": self.vertices, "tet_indices": self.tet_indices}
        arrays |= {name: getattr(self, name) for name in (*MATERIALS, "density") if getattr(self, name) is not None}
        if self.custom_attributes:
            arrays[_NAMES] = np.array(list(self.custom_attributes))
            arrays[_FREQUENCIES] = np.array([int(kind) for _, kind in self.custom_attributes.values()], np.int32)
        arrays |= {key: values for key, (values, _) in self.custom_attributes.items()}
        np.savez(filename, **arrays)

    def _custom(self, key: str, value: Any) -> Custom:
        """Return values of an attribute with what they are of.

        Raises:
            OptionError: Their number is neither one nor that of vertices, tetrahedra or triangles, or that of several;
                or the name is that of an array of the mesh.
        """
        if key in RESERVED:
            raise OptionError("custom attribute", key, f"none of {', '.join(sorted(RESERVED))}: these are reserved")
        counts = {
            AttributeFrequency.ONCE: 1,
            AttributeFrequency.PARTICLE: self.vertex_count,
            AttributeFrequency.TETRAHEDRON: self.tet_count,
            AttributeFrequency.TRIANGLE: self.tri_count,
        }
        values, frequency = value if isinstance(value, tuple) else (value, None)
        array = np.array(values)
        fits = [known for known, count in counts.items() if array.ndim and len(array) == count]
        if frequency is not None:
            fits = [known for known in fits if known == frequency]
        if len(fits) != 1:
            lengths = ", ".join(f"{known.name}: {count}" for known, count in counts.items())
            raise OptionError(f"custom attribute {key}", array.shape, f"one value for each of one kind ({lengths}); "
                              "give (values, AttributeFrequency) if the length is ambiguous")  # fmt: skip
        return _frozen(array), fits[0]


def _frozen(array: Any) -> Any:
    array = np.ascontiguousarray(array)
    array.setflags(write=False)
    return array


def _of_gmsh(path: Path) -> tuple[Any, Any]:
    """Return points and tetrahedra of a file of Gmsh's, all of positive volume.

    Raises:
        MeshError: It cannot be read, or holds no tetrahedron.
    """
    try:
        mesh = read_gmsh(content_of(path))
    except (OSError, ValueError) as error:
        raise MeshError(str(path), f"cannot be read: {error}") from error
    if mesh.elements.shape[1] != TETRAHEDRON:
        raise MeshError(str(path), "has no tetrahedron; mesh the volume")
    used, renumbered = np.unique(mesh.elements, return_inverse=True)
    return mesh.points[used], of_positive_volume(mesh.points[used], renumbered.reshape(-1, 4))


def get_tetmesh(prim: Any, *, compat_namespaces: Sequence[str] = NAMESPACES[1:]) -> TetMesh:
    """Return a tetrahedral mesh prim in its own frame and the units of its stage, with what it is made of.

    Args:
        prim: A `pxr.Usd.Prim` of type TetMesh.
        compat_namespaces: Where properties of its material are looked for besides `physics`.

    Raises:
        OptionError: It has no points or no tetrahedra, or a number is out of range.
    """
    points, corners = authored(prim, "points"), authored(prim, "tetVertexIndices")
    for name, value in (("points", points), ("tetVertexIndices", corners)):
        if value is None or not len(value):
            raise OptionError(name, f"absent from {prim.GetPath()}", "stated by a prim of type TetMesh")
    tetrahedra = np.asarray(corners, dtype=np.int64).reshape(-1, 4)
    if str(authored(prim, "orientation")) == "leftHanded":
        tetrahedra = tetrahedra[:, [0, 2, 1, 3]]
    for message in misplaced_moduli(prim):
        warnings.warn(message, SceneWarning, stacklevel=2)
    namespaces = (NAMESPACES[0], *compat_namespaces)
    young, poisson = (material_value(prim, name, namespaces) for name in ("youngsModulus", "poissonsRatio"))
    mu, lame = (None, None) if young is None else lame_parameters(young, POISSON if poisson is None else poisson)
    density = deformable_value(prim, "density", namespaces)
    density = material_value(prim, "density", namespaces) if not density else float(density)
    return TetMesh(
        np.asarray(points), tetrahedra, k_mu=mu, k_lambda=lame, density=density or None, custom_attributes=_custom(prim)
    )


def _custom(prim: Any) -> dict[str, Custom]:
    """Return the primvars that have a value for each point or each tetrahedron."""
    found = {}
    for primvar in pxr().UsdGeom.PrimvarsAPI(prim).GetPrimvarsWithAuthoredValues():
        name, frequency = str(primvar.GetPrimvarName()), FREQUENCIES.get(str(primvar.GetInterpolation()))
        if frequency is not None and name not in SEEN:
            found[name] = (np.asarray(primvar.ComputeFlattened(beginning())), frequency)
    return found
