# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Properties of all written prims: a pose, and a name that is not an identifier."""

from __future__ import annotations

from typing import Any

import numpy as np

from inertia_tools.description.usd.library import pxr
from inertia_tools.description.usd.names import NAME
from inertia_tools.spatial import Pose


def keep_name(prim: Any, name: str) -> None:
    """Store a name that a prim cannot have, for readers that know the attribute."""
    if prim.GetName() != name:
        prim.CreateAttribute(NAME, pxr().Sdf.ValueTypeNames.String).Set(name)


def put(prim: Any, pose: Pose) -> None:
    """Give a prim its pose in its parent, in double precision; the identity is left out."""
    lib = pxr()
    double = lib.UsdGeom.XformOp.PrecisionDouble
    if pose.position.any():
        prim.AddTranslateOp(double).Set(lib.Gf.Vec3d(*pose.position.tolist()))
    if not np.array_equal(pose.rotation, np.eye(3)):
        x, y, z, w = pose.quaternion.tolist()
        prim.AddOrientOp(double).Set(lib.Gf.Quatd(w, x, y, z))
