# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What every prim that is written may get: a pose, and a name that is no identifier."""

from __future__ import annotations

from typing import Any

import numpy as np

from inertia_tools.description.usd.library import pxr
from inertia_tools.description.usd.names import NAME
from inertia_tools.spatial import Pose


def keep_name(prim: Any, name: str) -> None:
    """Keep a name that cannot be that of a prim, for readers that know where to look."""
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
