# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A tetrahedral mesh prim of a USD stage as a value."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from inertia_tools.description.usd.attributes import authored, beginning
from inertia_tools.description.usd.library import pxr
from inertia_tools.errors import OptionError
from inertia_tools.sim.importing.usd_soft import (
    NAMESPACES,
    POISSON,
    deformable_value,
    material_value,
    misplaced_moduli,
)
from inertia_tools.sim.scene.custom_attributes import AttributeFrequency
from inertia_tools.sim.scene.elastic_constants import lame_parameters
from inertia_tools.sim.scene.notices import SceneWarning
from inertia_tools.sim.scene.tet_mesh import Custom, TetMesh

SEEN = frozenset({"displayColor", "displayOpacity", "normals", "st", "widths"})
"""Primvars about what is drawn, which no simulation has a value of."""

FREQUENCIES = {
    "vertex": AttributeFrequency.PARTICLE,
    "varying": AttributeFrequency.PARTICLE,
    "uniform": AttributeFrequency.TETRAHEDRON,
}


def get_tetmesh(prim: Any, *, compat_namespaces: Sequence[str] = NAMESPACES[1:]) -> TetMesh:
    """Return a tetrahedral mesh prim in its own frame and the units of its stage, with what it is made of.

    Args:
        prim: A `pxr.Usd.Prim` of type TetMesh.
        compat_namespaces: Where properties of its material are looked for besides `physics`.

    Raises:
        OptionError: It has no points or no tetrahedra, or numbers in it have no meaning.
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
