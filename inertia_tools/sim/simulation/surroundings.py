# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Gravity and friction of a simulation, which may change between steps."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from inertia_tools.errors import OptionError
from inertia_tools.sim.model.changes import SolverNotifyFlags
from inertia_tools.sim.scene.given import as_finite, as_finite_vector
from inertia_tools.sim.simulation.running import RunningSimulation
from inertia_tools.spatial import Array, ArrayLike


class Surroundings(RunningSimulation):
    """Methods that get and set gravity and friction."""

    @property
    def gravity(self) -> Array:
        """Acceleration of gravity, world axes [m/s^2], shape (3,)."""
        return np.array(self._built.model.gravity_vector)

    def fall_of(self, link: str) -> Array:
        """Return the gravitational acceleration of a link, scaled by its body's gravity scale [m/s^2], shape (3,).

        Raises:
            UnknownLinkError: There is no such link.
        """
        body, model = self._link_place(link).body, self._built.model
        return np.array(model.body_falls[body] if body >= 0 else model.gravity_vector)

    def set_gravity(self, gravity: ArrayLike) -> None:
        """Set the acceleration of gravity, world axes [m/s^2], shape (3,).

        Raises:
            OptionError: The value is not three finite numbers.
        """
        built = self._built
        built.model.set_gravity(as_finite_vector("gravity", gravity))
        built.solver.notify_model_changed(SolverNotifyFlags.MODEL_PROPERTIES)

    def friction(self, link: str) -> float | None:
        """Return the coefficient of sliding friction of a link's shapes; None for a link without collision.

        Raises:
            UnknownLinkError: There is no such link; "world" is the floor.
        """
        rows = self._shapes_of(link)
        return float(self._built.model.shape_material_mu.numpy()[rows[0]]) if rows else None

    def set_friction(self, friction: float | Mapping[str, float]) -> None:
        """Set the coefficient of sliding friction of all links, or coefficients by link; "world" is the floor.

        The scene's rule (`friction_combine`) combines the coefficients of two links in contact, or that of a link with
        `model.soft_contact_mu` for soft bodies. Either all are set or none.

        Raises:
            OptionError: A coefficient is not finite, or is negative.
            UnknownLinkError: There is no such link.
        """
        built = self._built
        wanted = (
            friction if isinstance(friction, Mapping) else dict.fromkeys(dict.fromkeys(built.model.labels), friction)
        )
        array = built.model.shape_material_mu
        values = array.numpy().copy()
        for link, given in wanted.items():
            coefficient = as_finite(f"friction of {link!r}", given)
            if coefficient < 0.0:
                raise OptionError(f"friction of {link!r}", given, "zero or more")
            rows = self._shapes_of(link)
            if not rows:
                self._warn_of_no_effect(f"friction of {link!r}", "it has no shape with collision")
            values[rows] = coefficient
        array.assign(values)
        built.solver.notify_model_changed(SolverNotifyFlags.SHAPE_PROPERTIES)

    def _shapes_of(self, link: str) -> list[int]:
        self._check_links((link,))
        return [row for row, label in enumerate(self._built.model.labels) if label == link]
