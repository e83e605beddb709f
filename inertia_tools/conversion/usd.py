# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Writing a description as a USD stage with the schemas of UsdPhysics.

Links are siblings under the robot's prim, each with its pose in the robot's frame; joints are beside them. Mass
properties are written in single precision, as in UsdPhysics, and also in double precision.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from inertia_tools.conversion.account import Account, Kind
from inertia_tools.conversion.grounded import free_name
from inertia_tools.conversion.scene import Scene, Written
from inertia_tools.conversion.stage_physics import WITHOUT_GRAVITY
from inertia_tools.conversion.usd_joints import JointWriter
from inertia_tools.conversion.usd_materials import MATERIALS
from inertia_tools.conversion.usd_prims import keep_name, put
from inertia_tools.conversion.usd_shapes import UsdShapeWriter
from inertia_tools.description.types import Link, Place
from inertia_tools.description.usd.library import pxr
from inertia_tools.description.usd.names import NAME
from inertia_tools.description.usd_bodies import Units
from inertia_tools.write.usd import write_mass

SI = Units()
BINARY = ".usdc"
JOINTS, SCENE = "joints", "scene"


def emit_usd(scene: Scene, account: Account) -> Written:
    """Write a stage; the suffix `.usdc` makes it binary, any other text.

    Raises:
        ConversionError: UsdPhysics does not have a joint.
        MissingDependencyError: usd-core is not installed.
    """
    stage = _Writer(scene, account).write()
    layer = stage.GetRootLayer()  # it exists as long as the stage
    is_binary = scene.output is not None and scene.output.suffix.lower() == BINARY
    return Written(_binary(layer) if is_binary else str(layer.ExportToString()).encode())


def _binary(layer: Any) -> bytes:
    """Return a layer in the binary form, which OpenUSD writes to files only."""
    with tempfile.TemporaryDirectory(prefix="inertia-tools-") as folder:
        path = Path(folder) / f"layer{BINARY}"
        layer.Export(str(path))
        return path.read_bytes()


class _Writer:
    """Writes one robot."""

    def __init__(self, scene: Scene, account: Account) -> None:
        lib, robot = pxr(), scene.robot
        self._lib, self._robot, self._account = lib, robot, account
        self._stage = lib.Usd.Stage.CreateInMemory()
        self._stage.SetMetadata(lib.UsdGeom.Tokens.upAxis, scene.up_axis)  # also X, which SetStageUpAxis refuses
        lib.UsdGeom.SetStageMetersPerUnit(self._stage, SI.metre)
        lib.UsdPhysics.SetStageKilogramsPerUnit(self._stage, SI.kilogram)
        self._root = f"/{self._identifier(robot.name or 'robot')}"
        self._shapes = UsdShapeWriter(self._stage, f"{self._root}/{MATERIALS}", account)

    def write(self) -> Any:
        """Write everything, and return the stage."""
        lib = self._lib
        root = lib.UsdGeom.Xform.Define(self._stage, self._root)
        self._stage.SetDefaultPrim(root.GetPrim())
        self._keep_robot_name(root.GetPrim())
        put(root, self._robot.pose_world_document)
        paths = self._paths()
        for name, link in self._robot.links.items():
            self._write_link(paths[name], link)
        self._write_joints(paths)
        self._filter(paths)
        self._let_fall()
        return self._stage

    def _keep_robot_name(self, prim: Any) -> None:
        """Store the robot's name if it is not an identifier, with a note."""
        name = self._robot.name or prim.GetName()
        keep_name(prim, name)
        if prim.GetName() != name:
            self._note_renamed(name, prim.GetName(), Place(self._robot.document.name, None))

    def _note_renamed(self, name: str, identifier: str, place: Place) -> None:
        message = f"is renamed {identifier!r}, as USD names are identifiers; {NAME} stores the original"
        self._account.note(Kind.RENAMED, name, message, place)

    def _identifier(self, wish: str) -> str:
        return str(self._lib.Tf.MakeValidIdentifier(wish))

    def _paths(self) -> dict[str, str]:
        """Name a prim for each link; names that are not identifiers are noted."""
        taken = {JOINTS, SCENE, MATERIALS}
        paths = {}
        for link in self._robot.links.values():
            name = free_name(self._identifier(link.name), taken)
            taken.add(name)
            paths[link.name] = f"{self._root}/{name}"
            if name != link.name:
                self._note_renamed(link.name, name, link.place)
        return paths

    def _write_link(self, path: str, link: Link) -> None:
        lib = self._lib
        prim = lib.UsdGeom.Xform.Define(self._stage, path)
        put(prim, self._robot.link_poses[link.name])
        keep_name(prim.GetPrim(), link.name)
        body = lib.UsdPhysics.RigidBodyAPI.Apply(prim.GetPrim())
        if link.is_static:
            body.CreateRigidBodyEnabledAttr(False)
        if link.gravity_scale == 0.0:
            prim.GetPrim().AddAppliedSchema("PhysxRigidBodyAPI")
            prim.GetPrim().CreateAttribute(WITHOUT_GRAVITY, lib.Sdf.ValueTypeNames.Bool).Set(True)
        if link.inertial is not None and link.inertial.is_finite():  # else it is noted as refused
            lib.UsdPhysics.MassAPI.Apply(prim.GetPrim())
            spec = self._stage.GetRootLayer().GetPrimAtPath(path)
            write_mass(spec, link.inertial, np.eye(3), SI)
        if link.declared is not None and link.declared.added_mass is not None:
            self._account.note(Kind.DROPPED, link.name, "added mass of a fluid cannot be stored in USD", link.place)
        self._shapes.write(path, link)

    def _write_joints(self, paths: dict[str, str]) -> None:
        robot = self._robot
        folder = f"{self._root}/{JOINTS}"
        writer = JointWriter(self._stage, folder, paths, robot, self._account)
        if robot.joints or robot.loop_joints:
            self._lib.UsdGeom.Scope.Define(self._stage, folder)
            self._lib.UsdPhysics.ArticulationRootAPI.Apply(self._stage.GetPrimAtPath(self._root))
        for joint in robot.joints.values():
            writer.write(joint)
        for joint in robot.loop_joints:
            writer.write(joint, closes_loop=True)
        writer.couple()

    def _let_fall(self) -> None:
        """Write a scene if the source states gravity, which is in the axes of the stage."""
        gravity = self._robot.gravity
        if gravity is None:
            return
        strength = float(np.linalg.norm(gravity))
        scene = self._lib.UsdPhysics.Scene.Define(self._stage, f"{self._root}/{SCENE}")
        scene.CreateGravityMagnitudeAttr(strength)
        if strength > 0.0:
            scene.CreateGravityDirectionAttr(self._lib.Gf.Vec3f(*(gravity / strength).tolist()))

    def _filter(self, paths: dict[str, str]) -> None:
        """Disable collision between pairs of links that never touch."""
        for pair in sorted(sorted(pair) for pair in self._robot.apart):
            if len(pair) == 2 and all(name in paths for name in pair):
                api = self._lib.UsdPhysics.FilteredPairsAPI.Apply(self._stage.GetPrimAtPath(paths[pair[0]]))
                api.CreateFilteredPairsRel().AddTarget(paths[pair[1]])
