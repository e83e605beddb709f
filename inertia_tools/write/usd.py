# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Writing mass properties as a USD layer over a stage, whose own files are unchanged.

The layer has the stage's root layer as its only sublayer, repeats its metadata (units and up axis count in the root
layer only), and holds only the mass properties that change.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from inertia_tools.description.usd.attributes import authored
from inertia_tools.description.usd.library import pxr
from inertia_tools.description.usd.mass import (
    AXES,
    COM,
    DIAGONAL,
    EXACT_COM,
    EXACT_MASS,
    EXACT_TENSOR,
    MASS,
    MASS_API,
    NEWTON_TENSOR,
)
from inertia_tools.description.usd_bodies import Units
from inertia_tools.errors import WriteError
from inertia_tools.inertial import Inertial, six_of_tensor
from inertia_tools.spatial import Array, quaternion_from_rotation

NOT_COPIED = frozenset({"subLayers", "subLayerOffsets", "primChildren", "comment"})
"""Fields of a root layer that are not metadata of the stage."""


@dataclass(frozen=True, eq=False)
class MassOpinion:
    """Mass properties of one prim.

    Attributes:
        inertial: The values, in the prim's frame without scale, in SI.
        stretch: Scale of the prim's frame, shape (3, 3).
        instances: Paths of the instances that contain the prim, which become ordinary prims.
    """

    inertial: Inertial
    stretch: Array
    instances: tuple[str, ...] = ()


def override_layer(stage: Any, opinions: Mapping[str, MassOpinion], units: Units, source: Path | None) -> bytes:
    """Return the text of a layer with these mass properties over a stage.

    Args:
        stage: The stage.
        opinions: Mass properties by the path of the prim.
        units: Units of the stage.
        source: The file of its root layer; None for a stage in memory, which is referred to by its identifier.

    Raises:
        WriteError: A prim is scaled by zero, so that no centre of mass can be written in its frame, or its numbers
            exceed single precision.
    """
    lib = pxr()
    root = stage.GetRootLayer()
    layer = lib.Sdf.Layer.CreateAnonymous(".usda")
    for key in root.pseudoRoot.ListInfoKeys():
        if key not in NOT_COPIED:
            layer.pseudoRoot.SetInfo(key, root.pseudoRoot.GetInfo(key))
    layer.subLayerPaths.append(root.identifier if source is None else f"./{source.name}")
    layer.comment = "Corrected mass properties; all else comes from the sublayer."
    for path, opinion in opinions.items():
        if not np.linalg.det(opinion.stretch):
            raise WriteError(f"{path} has zero scale, so its centre of mass cannot be written; correct its scale")
        for instance in opinion.instances:
            lib.Sdf.CreatePrimInLayer(layer, instance).instanceable = False
        spec = lib.Sdf.CreatePrimInLayer(layer, path)
        applied = lib.Sdf.TokenListOp()
        applied.prependedItems = [MASS_API]
        spec.SetInfo("apiSchemas", applied)
        _check_single(path, opinion.inertial, units)
        write_mass(spec, opinion.inertial, opinion.stretch, units)
        if authored(stage.GetPrimAtPath(path), NEWTON_TENSOR) is not None:  # it would override the written values
            _set(spec, NEWTON_TENSOR, lib.Sdf.ValueTypeNames.DoubleArray, lib.Sdf.ValueBlock())
    return str(layer.ExportToString()).encode()


def _check_single(path: str, inertial: Inertial, units: Units) -> None:
    """Check that mass and moments are representable in single precision, which UsdPhysics stores.

    Raises:
        WriteError: They are too large or too small.
    """
    limits = np.finfo(np.float32)
    values = np.array([inertial.mass / units.kilogram, *inertial.principal_moments / units.inertia])
    if not ((values >= limits.tiny) & (values <= limits.max)).all():
        said = f"{inertial.mass:g} kg and moments up to {inertial.principal_moments[-1]:g} kg m^2"
        raise WriteError(f"{path}: {said} exceed single precision, which USD uses; state a usual mass")


def write_mass(spec: Any, inertial: Inertial, stretch: Array, units: Units) -> None:
    """Write mass properties into a prim of a layer, in single precision for UsdPhysics, and in double.

    Args:
        spec: The prim in the layer, an `Sdf.PrimSpec`.
        inertial: The values, in the prim's frame without scale, in SI.
        stretch: Scale of that frame, shape (3, 3).
        units: Units of the stage.
    """
    lib = pxr()
    gf, types = lib.Gf, lib.Sdf.ValueTypeNames
    mass = inertial.mass / units.kilogram
    com = np.linalg.solve(stretch, inertial.com) / units.metre
    tensor = inertial.inertia / units.inertia
    moments, axes = _principal(tensor)
    x, y, z, w = quaternion_from_rotation(axes).tolist()
    _set(spec, MASS, types.Float, mass)
    _set(spec, COM, types.Point3f, gf.Vec3f(*com.tolist()))
    _set(spec, DIAGONAL, types.Float3, gf.Vec3f(*single_moments(moments).tolist()))
    _set(spec, AXES, types.Quatf, gf.Quatf(w, x, y, z))
    _set(spec, EXACT_MASS, types.Double, mass)
    _set(spec, EXACT_COM, types.Double3, gf.Vec3d(*com.tolist()))
    _set(spec, EXACT_TENSOR, types.DoubleArray, lib.Vt.DoubleArray(six_of_tensor(tensor).tolist()))


def _set(spec: Any, name: str, type_: Any, value: Any) -> None:
    lib = pxr()
    is_ours = name.startswith(("inertiaTools:", "newton:"))
    variability = lib.Sdf.VariabilityVarying
    lib.Sdf.AttributeSpec(spec, name, type_, variability, is_ours).default = value


def _principal(tensor: Array) -> tuple[Array, Array]:
    """Return moments and axes; a diagonal tensor keeps its order and the axes of the prim."""
    if not np.any(tensor - np.diag(np.diag(tensor))):
        return np.diag(tensor).copy(), np.eye(3)
    value = Inertial(1.0, inertia=tensor)
    return value.principal_moments, value.principal_axes


def single_moments(moments: Array) -> np.ndarray:
    """Round moments to single precision so that they still satisfy the triangle inequality, shape (3,)."""
    with np.errstate(over="ignore"):  # overflows are refused, or written as they are
        rounded = moments.astype(np.float32)
    if not np.isfinite(rounded).all():
        return rounded
    if 2.0 * moments.max() > moments.sum():
        return rounded  # impossible moments are written as they are
    largest = int(np.argmax(moments))
    while 2.0 * float(rounded[largest]) > float(rounded.astype(np.float64).sum()):
        rounded[largest] = np.nextafter(rounded[largest], np.float32(0.0))
    return rounded


def placed_layer(data: bytes, source: Path, target: Path) -> bytes:
    """Return an override layer whose sublayer path is relative to the folder of the layer.

    Args:
        data: Text of the layer, whose sublayer path assumes that both files are in one folder.
        source: The sublayer's file.
        target: Path to which the layer is to be written.
    """
    relative = os.path.relpath(source.resolve(), target.resolve().parent).replace(os.sep, "/")
    named = relative if relative.startswith("../") else f"./{relative}"
    return data.replace(asset_path(f"./{source.name}").encode(), asset_path(named).encode(), 1)


def asset_path(name: str) -> str:
    """Return a file's name as written in a layer: between `@`, or between `@@@` if it contains an `@`."""
    return f"@@@{name}@@@" if "@" in name else f"@{name}@"
