# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Which way is up in a scene, and how its worlds fall."""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Real
from typing import Any

from inertia_tools.errors import OptionError
from inertia_tools.sim.scene.axis import Axis
from inertia_tools.sim.scene.given import as_finite_vector
from inertia_tools.sim.scene.known_names import KnownAttributes
from inertia_tools.spatial import ArrayLike

STANDARD_GRAVITY = -9.81
"""Along the up axis [m/s^2]."""


@dataclass
class SceneGravity(KnownAttributes):
    """Up axis and gravity of a scene and of its worlds.

    Attributes:
        up_axis: Axis of the world that points up.
        gravity: Acceleration of gravity [m/s^2], shape (3,); a single number acts along the up axis.
        world_gravity: Acceleration of gravity in each world [m/s^2], a list of three numbers for each.
    """

    up_axis: Axis = Axis.Z
    gravity: ArrayLike = STANDARD_GRAVITY
    world_gravity: list[list[float]] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        """Take a single number for gravity along the up axis.

        Raises:
            OptionError: There is no such axis.
        """
        self.up_axis = Axis.from_any(self.up_axis)

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute that there is; a number for gravity is one along the up axis.

        Raises:
            OptionError: Gravity is no finite number and has not three of them.
        """
        if name == "gravity":
            object.__setattr__(self, "_along_up", float(value) if isinstance(value, Real) else None)
            value = self.as_gravity(value)
        super().__setattr__(name, value)
        along = self.__dict__.get("_along_up")
        if name == "up_axis" and along is not None:
            super().__setattr__("gravity", self.as_gravity(along))

    def as_gravity(self, value: Any) -> tuple[float, float, float]:
        """Return an acceleration as a vector; a number is one along the up axis.

        Raises:
            OptionError: The value is neither one nor three finite numbers.
        """
        numbers = value
        if isinstance(value, Real):
            up = Axis.from_any(self.__dict__.get("up_axis", Axis.Z))
            numbers = [float(value) if axis == up else 0.0 for axis in Axis]
        try:
            x, y, z = as_finite_vector("gravity", numbers).tolist()
        except OptionError as error:
            allowed = "a finite number along the up axis, or three of shape (3,)"
            raise OptionError("gravity", value, allowed) from error
        return (x, y, z)

    def let_fall(self, gravity: ArrayLike) -> None:
        """Set gravity of the open world, or of the scene if none is open [m/s^2], shape (3,).

        Raises:
            OptionError: The vector does not have three finite entries.
        """
        world = getattr(self, "current_world", -1)
        if world < 0:
            self.gravity = gravity
        else:
            self.world_gravity[world] = list(self.as_gravity(gravity))

    def adopt_gravity(self, other: SceneGravity, world: int | None) -> None:
        """Copy gravity from another scene to one world, or for None to elements outside worlds."""
        along = other.__dict__.get("_along_up")
        if world is None:
            self.gravity = other.gravity if along is None else along
        else:
            self.world_gravity[world] = list(other.as_gravity(other.gravity))
