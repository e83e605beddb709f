# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Bodies of a USD stage: the mass properties stated by its prims, and the link of each prim."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from inertia_tools.description.link import Shape
from inertia_tools.spatial import Array, Pose


@dataclass(frozen=True)
class Units:
    """Sizes of a stage's units in SI.

    Attributes:
        metre: Length of one unit [m].
        kilogram: Mass of one unit [kg].
        up_axis: "X", "Y" or "Z"; lengths and axes are not rotated.
        is_assumed: The stage does not state its unit of length, so metres were assumed.
    """

    metre: float = 1.0
    kilogram: float = 1.0
    up_axis: str = "Z"
    is_assumed: bool = False

    @property
    def density(self) -> float:
        """One unit of density [kg/m^3]."""
        return self.kilogram / self.metre**3

    @property
    def inertia(self) -> float:
        """One unit of inertia [kg m^2]."""
        return self.kilogram * self.metre**2


@dataclass(frozen=True, eq=False)
class AuthoredMass:
    """The values that a prim states through PhysicsMassAPI, in SI; None for each value that it does not state.

    Attributes:
        mass: Mass [kg].
        density: Density [kg/m^3].
        com: Centre of mass in the prim's own frame without scale [m], shape (3,).
        diagonal: Principal moments about the centre of mass [kg m^2], shape (3,).
        axes: Principal axes as a rotation in the prim's own frame, shape (3, 3).
        tensor: Tensor about the centre of mass in the prim's axes [kg m^2], shape (3, 3), in double precision.
    """

    mass: float | None = None
    density: float | None = None
    com: Array | None = None
    diagonal: Array | None = None
    axes: Array | None = None
    tensor: Array | None = None

    @property
    def has_tensor(self) -> bool:
        """Whether a tensor is stated, in either way."""
        return self.diagonal is not None or self.tensor is not None

    @property
    def is_whole(self) -> bool:
        """Whether a tensor and a valid mass are stated; zero is the schema's value for "not given"."""
        return self.has_tensor and self.mass is not None and 0.0 < self.mass < math.inf


@dataclass(frozen=True)
class Shell:
    """A wall stated through NewtonMassAPI.

    Attributes:
        thickness: Thickness, measured inwards [m].
        refused: Stated thickness that is invalid [units of the stage]; None if it is valid, or not stated.
    """

    thickness: float
    refused: float | None = None


@dataclass(frozen=True, eq=False)
class Collider:
    """A prim with PhysicsCollisionAPI.

    Attributes:
        path: Path of the prim.
        shape: Its geometry in the frame of its link, with the mass and density that it or its material states.
        is_enabled: It collides, and has mass.
        stated: The values that the prim itself states; None without PhysicsMassAPI.
        material_density: Density of the bound material [kg/m^3]; None if there is none.
        material: Path of that material; empty for none.
        approximation: Collision shape of a mesh, as a token of UsdPhysics.
        scale: Scale of the prim in the world, shape (3,).
        pose_link_prim: Frame of the prim without scale, seen from its link; that of the shape may be rotated against
            it.
        shell: The wall filled by its density; None if the density fills the whole geometry.
    """

    path: str
    shape: Shape
    is_enabled: bool = True
    stated: AuthoredMass | None = None
    material_density: float | None = None
    material: str = ""
    approximation: str = "none"
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    pose_link_prim: Pose = field(default_factory=Pose)
    shell: Shell | None = None


@dataclass(frozen=True, eq=False)
class UsdBody:
    """A prim with PhysicsRigidBodyAPI.

    Attributes:
        path: Path of the prim.
        stated: The values that the prim states; None without PhysicsMassAPI.
        colliders: Its colliders, in document order.
        pose_world_body: Its frame, without scale, in the frame of the stage [m].
        is_enabled: It is simulated; otherwise it is fixed.
        is_kinematic: Its motion is prescribed, and forces do not affect it.
        stretch: Scale of the prim's frame, in which its centre of mass is stated, shape (3, 3).
        instances: Paths of the instances that contain the prim, outer ones first.
    """

    path: str
    stated: AuthoredMass | None
    colliders: tuple[Collider, ...]
    pose_world_body: Pose
    is_enabled: bool = True
    is_kinematic: bool = False
    stretch: Array = field(default_factory=lambda: np.eye(3))
    instances: tuple[str, ...] = ()

    @property
    def states_mass(self) -> bool:
        """Whether it, or an enabled collider of it, has PhysicsMassAPI."""
        return self.stated is not None or any(c.stated is not None for c in self.colliders if c.is_enabled)

    @property
    def has_odd_colliders(self) -> bool:
        """Whether an enabled collider states a centre, axes or a tensor, but not both mass and tensor."""
        stated = [c.stated for c in self.colliders if c.is_enabled and c.stated is not None]
        return any(
            (one.com is not None or one.axes is not None or one.has_tensor) and not one.is_whole for one in stated
        )


@dataclass(frozen=True, eq=False)
class Tether:
    """A distance joint: two points between a least and a greatest distance.

    Attributes:
        path: Path of the prim.
        links: Names of the links that hold the points, or `world`.
        frames: Frames of the points seen from those links.
        least: Least distance [m]; None for none.
        greatest: Greatest distance [m]; None for none.
    """

    path: str
    links: tuple[str, str]
    frames: tuple[Pose, Pose]
    least: float | None
    greatest: float | None


@dataclass(frozen=True, eq=False)
class UsdBodies:
    """The content of a stage besides links and joints.

    Attributes:
        stage: The open stage, a `pxr.Usd.Stage`.
        units: Its units.
        bodies: Bodies by name of the link.
        colliders: Colliders without a body.
        joint_paths: Path of the prim of each joint, by the joint's name.
        articulation_roots: Paths of prims with PhysicsArticulationRootAPI, in document order.
        scenes: Paths of the PhysicsScene prims, in document order.
        materials: Paths of the materials with physical properties.
        gravity: Gravity vector of the first scene [m/s^2], shape (3,); None without a scene.
        disabled_joints: Paths of disabled joints.
        tethers: Distance joints.
        sites: Markers of each link that has some, and of the world, by name of the link.
        scenery: Visuals without a body.
        collision_groups: Paths of the PhysicsCollisionGroup prims, in document order.
    """

    stage: Any
    units: Units
    bodies: Mapping[str, UsdBody]
    colliders: tuple[Collider, ...] = ()
    joint_paths: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    articulation_roots: tuple[str, ...] = ()
    scenes: tuple[str, ...] = ()
    materials: tuple[str, ...] = ()
    gravity: Array | None = None
    disabled_joints: tuple[str, ...] = ()
    tethers: tuple[Tether, ...] = ()
    sites: Mapping[str, tuple[Shape, ...]] = field(default_factory=lambda: MappingProxyType({}))
    scenery: tuple[Shape, ...] = ()
    collision_groups: tuple[str, ...] = ()

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for another process: the flattened text of the stage, which cannot leave its process."""
        return {**self.__dict__, "stage": self.stage.Flatten().ExportToString()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Open that text as a stage of this process."""
        from inertia_tools.description.usd.library import pxr  # imported here, as most descriptions are not stages

        lib = pxr()
        layer = lib.Sdf.Layer.CreateAnonymous(".usda")
        layer.ImportFromString(state["stage"])
        self.__dict__.update(state, stage=lib.Usd.Stage.Open(layer))
