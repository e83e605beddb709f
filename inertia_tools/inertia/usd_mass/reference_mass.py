# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""OpenUSD's mass properties of a body, computed from unit-density records of its colliders.

OpenUSD reads uninitialised memory for a blocked attribute, treats the contents of instances differently in different
releases, and assumes centimetres if a stage states no unit. Such a stage is therefore queried through a temporary layer
on top. In that layer, blocked and invalid values are the schema's defaults, a sampled attribute has its first sample,
axes are normalised, and the unit is the one that was assumed. Colliders without a record also state nothing in it:
those that are disabled, that have no volume, or that are not geometry. OpenUSD would otherwise count their stated mass
and divide by their volume.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from inertia_tools.description.usd.attributes import authored
from inertia_tools.description.usd.library import pxr
from inertia_tools.description.usd.mass import AXES, COM, DENSITY, DIAGONAL, MASS, fit, unfit
from inertia_tools.description.usd_bodies import Units, UsdBodies, UsdBody
from inertia_tools.inertia.method import Method
from inertia_tools.inertia.usd_mass.colliders import UnitCollider
from inertia_tools.inertial import rotate_tensor
from inertia_tools.spatial import Array, rotation_from_quaternion

SILENCED = (MASS, COM, DIAGONAL)
"""Attributes that colliders without a record do not state; their density and axes then apply to zero."""


@dataclass(frozen=True, eq=False)
class ReferenceMass:
    """OpenUSD's mass properties of a body, in SI: mass [kg], centre of mass [m], and tensor in body axes [kg m^2]."""

    mass: float
    com: Array
    tensor: Array


class ReferenceStage:
    """Queries OpenUSD for the bodies of a stage."""

    def __init__(self, usd_bodies: UsdBodies) -> None:
        self._usd = usd_bodies
        self._stage: Any = None

    def compute(self, body: UsdBody, parts: list[UnitCollider]) -> ReferenceMass | None:
        """Compute the mass properties of a body; None if those of OpenUSD are not finite.

        Args:
            body: The body.
            parts: Its enabled colliders that have a volume.
        """
        records = {part.collider.path: part for part in parts if part.unit is not None}
        if not records:
            return None
        self._silence(body, records)
        api = pxr().UsdPhysics.RigidBodyAPI(self._open().GetPrimAtPath(body.path))
        mass, moments, com, axes = api.ComputeMassProperties(_callback(records, self._usd.units))
        units = self._usd.units
        values = np.array([mass, *moments, *com, axes.GetReal(), *axes.GetImaginary()], dtype=np.float64)
        if not np.isfinite(values).all() or not np.any(values[7:]):
            return None
        turn = rotation_from_quaternion([*values[8:], values[7]])
        tensor = rotate_tensor(turn, np.diag(values[1:4])) * units.inertia
        return ReferenceMass(float(mass) * units.kilogram, values[4:7] * units.metre, tensor)

    def _open(self) -> Any:
        """Return the stage to query, made on first use."""
        if self._stage is None:
            names = _all_unfit(self._usd)
            needs_own = bool(names) or self._usd.units.is_assumed
            self._stage = _overlaid(self._usd, names) if needs_own else self._usd.stage
        return self._stage

    def _silence(self, body: UsdBody, records: Mapping[str, UnitCollider]) -> None:
        """In a temporary layer, remove stated values of colliders without a record, or that the record replaces."""
        silent: dict[str, tuple[str, ...]] = dict.fromkeys(
            _without_record(self._open().GetPrimAtPath(body.path), records), SILENCED
        )
        silent |= {path: (DIAGONAL, AXES) for path, part in records.items() if _has_tensor_of_its_own(part)}
        if not silent:
            return
        if self._stage is self._usd.stage:
            self._stage = _overlaid(self._usd, {})
        for path, names in silent.items():
            _set(self._stage, path, dict.fromkeys(names))


def _has_tensor_of_its_own(part: UnitCollider) -> bool:
    """Return whether a record has a tensor that OpenUSD cannot see on the collider, and would override with moments."""
    stated = part.collider.stated
    return part.method is Method.DECLARED and stated is not None and stated.tensor is not None


def _all_unfit(usd_bodies: UsdBodies) -> Mapping[str, tuple[str, ...]]:
    """List the attributes from which OpenUSD would compute nonsense, by the path of the prim."""
    paths = {body.path for body in usd_bodies.bodies.values()}
    for body in usd_bodies.bodies.values():
        paths.update(path for collider in body.colliders for path in (collider.path, collider.material) if path)
    found = {path: unfit(usd_bodies.stage.GetPrimAtPath(path)) for path in paths}
    return {path: names for path, names in found.items() if names}


def _overlaid(usd_bodies: UsdBodies, unfit_names: Mapping[str, tuple[str, ...]]) -> Any:
    """Open the same layers under another session layer, in which all values are valid and the unit is stated."""
    lib = pxr()
    session = lib.Sdf.Layer.CreateAnonymous(".usda")
    session.subLayerPaths.append(usd_bodies.stage.GetSessionLayer().identifier)
    stage = lib.Usd.Stage.Open(usd_bodies.stage.GetRootLayer(), session, usd_bodies.stage.GetPathResolverContext())
    stage.SetEditTarget(session)
    lib.UsdGeom.SetStageMetersPerUnit(stage, usd_bodies.units.metre)
    lib.UsdPhysics.SetStageKilogramsPerUnit(stage, usd_bodies.units.kilogram)
    for path, names in unfit_names.items():
        prim = stage.GetPrimAtPath(path)
        _set(stage, path, {name: fit(name, authored(prim, name)) for name in names})
    return stage


def _set(stage: Any, path: str, values: Mapping[str, Any]) -> None:
    """Set attributes of a prim; None sets the schema's value for "not given"."""
    gf = pxr().Gf
    defaults = {MASS: 0.0, DENSITY: 0.0, COM: gf.Vec3f(-np.inf), DIAGONAL: gf.Vec3f(0.0), AXES: gf.Quatf(0.0)}
    prim = stage.GetPrimAtPath(path)
    if prim.IsInstanceProxy():
        _take_out_of_instance(prim)
        prim = stage.GetPrimAtPath(path)
    for name, value in values.items():
        prim.GetAttribute(name).Set(defaults[name] if value is None else value)


def _without_record(root: Any, records: Mapping[str, UnitCollider]) -> list[str]:
    """List the paths of a body's own colliders, not those of a body below it, with mass properties but no record."""
    lib = pxr()
    found = []
    walk = iter(lib.Usd.PrimRange(root, lib.Usd.TraverseInstanceProxies()))
    for prim in walk:
        path = str(prim.GetPath())
        if prim != root and prim.HasAPI(lib.UsdPhysics.RigidBodyAPI):
            walk.PruneChildren()
        elif prim != root and path not in records and _states_mass(prim):
            found.append(path)
    return found


def _states_mass(prim: Any) -> bool:
    physics = pxr().UsdPhysics
    return (
        prim.HasAPI(physics.CollisionAPI)
        and prim.HasAPI(physics.MassAPI)
        and any(prim.GetAttribute(name).HasAuthoredValue() for name in SILENCED)
    )


def _take_out_of_instance(prim: Any) -> None:
    """Turn the instance that contains a prim into an ordinary prim, so that it can be edited."""
    while prim and not prim.IsPseudoRoot():
        if prim.IsInstance():
            prim.SetInstanceable(False)
        prim = prim.GetParent()


def _callback(records: Mapping[str, UnitCollider], units: Units) -> Callable[[Any], Any]:
    """Return OpenUSD's callback for colliders: volume, centre and tensor at unit density, in units of the stage."""
    lib = pxr()

    def record(prim: Any) -> Any:
        answer = lib.UsdPhysics.RigidBodyAPI.MassInformation()
        part = records.get(str(prim.GetPath()))
        if part is None or part.unit is None:
            answer.volume, answer.inertia = 0.0, lib.Gf.Matrix3f(0.0)
            answer.centerOfMass, answer.localPos, answer.localRot = lib.Gf.Vec3f(0), lib.Gf.Vec3f(0), lib.Gf.Quatf(1)
            return answer
        pose = part.collider.pose_link_prim
        own = part.unit.transform(pose.inverse())
        answer.volume = own.mass / units.metre**3
        answer.inertia = lib.Gf.Matrix3f(*np.ravel(own.inertia / units.metre**5).tolist())
        answer.centerOfMass = lib.Gf.Vec3f(*(own.com / units.metre).tolist())
        answer.localPos = lib.Gf.Vec3f(*(pose.position / units.metre).tolist())
        x, y, z, w = pose.quaternion.tolist()
        answer.localRot = lib.Gf.Quatf(w, x, y, z)
        return answer

    return record
