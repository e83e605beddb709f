# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Gravity and friction of a simulation, which may change while it runs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from inertia_tools.errors import OptionError
from inertia_tools.sim.model.changes import SolverNotifyFlags
from inertia_tools.sim.scene.given import as_finite, as_finite_vector
from inertia_tools.sim.simulation.running import RunningSimulation
from inertia_tools.spatial import Array, ArrayLike


class Surroundings(RunningSimulation):
    """What a simulation does to all that is in it."""

    @property
    def gravity(self) -> Array:
        """Acceleration of free fall [m/s^2], shape (3,)."""
        return np.array(self._built.model.gravity_vector)

    def fall_of(self, link: str) -> Array:
        """Return the acceleration of a link by gravity, of which it may feel a part only [m/s^2], shape (3,).

        Raises:
            UnknownLinkError: There is no such link.
        """
        body, model = self._link_place(link).body, self._built.model
        return np.array(model.body_falls[body] if body >= 0 else model.gravity_vector)

    def set_gravity(self, gravity: ArrayLike) -> None:
        """Set the acceleration of free fall [m/s^2].

        Raises:
            OptionError: It is not three finite numbers.
        """
        built = self._built
        built.model.set_gravity(as_finite_vector("gravity", gravity))
        built.solver.notify_model_changed(SolverNotifyFlags.MODEL_PROPERTIES)

    def friction(self, link: str) -> float | None:
        """Return the coefficient of sliding friction of a link's shapes; None where none touches anything.

        Raises:
            UnknownLinkError: There is no such link; "world" is the floor.
        """
        rows = self._shapes_of(link)
        return float(self._built.model.shape_material_mu.numpy()[rows[0]]) if rows else None

    def set_friction(self, friction: float | Mapping[str, float]) -> None:
        """Set coefficients of sliding friction: one of everything, or by link; "world" is the floor.

        Of two links that touch, what the scene's rule makes of the two counts (`friction_combine`); of a link and a
        soft body, what it makes of the link's and `model.soft_contact_mu`. All are set, or none.

        Raises:
            OptionError: A coefficient is not finite, or below zero.
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
                self._warn_of_no_effect(f"friction of {link!r}", "it has no shape that touches anything")
            values[rows] = coefficient
        array.assign(values)
        built.solver.notify_model_changed(SolverNotifyFlags.SHAPE_PROPERTIES)

    def _shapes_of(self, link: str) -> list[int]:
        self._check_links((link,))
        return [row for row, label in enumerate(self._built.model.labels) if label == link]
