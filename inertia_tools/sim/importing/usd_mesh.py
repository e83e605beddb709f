# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A mesh prim of a USD stage as a mesh of a scene."""

from __future__ import annotations

from typing import Any

import numpy as np

from inertia_tools.description.types import Mesh as MeshFile
from inertia_tools.description.usd.geometry import read_geometry
from inertia_tools.description.usd.library import pxr
from inertia_tools.errors import OptionError
from inertia_tools.sim.scene.mesh_shape import Mesh


def get_mesh(prim: Any, *, compute_inertia: bool = True, apply_stage_units: bool = True) -> Mesh:
    """Return the triangles of a mesh prim, in its own frame.

    Args:
        prim: A `pxr.Usd.Prim` of type Mesh.
        compute_inertia: Compute mass, centre and tensor at unit density when they are asked for.
        apply_stage_units: Lengths are in metres; otherwise in the units of the stage.

    Raises:
        OptionError: The prim is no mesh, or has no triangles.
    """
    units = pxr().UsdGeom.GetStageMetersPerUnit(prim.GetStage()) if prim and apply_stage_units else 1.0
    metre = float(units)
    found = read_geometry(prim, np.eye(3), metre) if prim else None
    geometry = None if found is None else found[0]
    inline = geometry.inline if isinstance(geometry, MeshFile) else None
    if inline is None or inline.triangles is None or not len(inline.triangles):
        raise OptionError("prim", str(prim.GetPath()) if prim else None, "a prim of type Mesh with points and faces")
    return Mesh(inline.vertices, inline.triangles, compute_inertia=compute_inertia)
