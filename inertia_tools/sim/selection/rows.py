# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Indices of the entries in a model's arrays that belong to a selection."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from inertia_tools.errors import OptionError, OptionTypeError, UnknownAttributeError
from inertia_tools.sim.device.control import Control
from inertia_tools.sim.device.state import State
from inertia_tools.sim.model.model import Model
from inertia_tools.sim.scene.custom_attributes import AttributeFrequency

Rows = np.ndarray
"""Indices into an array, shape (worlds, articulations per world, entries)."""


def frequency_of(model: Model, name: str) -> AttributeFrequency | str:
    """Return the frequency of an array of a model, state or control.

    Raises:
        UnknownAttributeError: No array of bodies, shapes, joints or articulations has that name.
    """
    key = name.replace(".", ":") if isinstance(name, str) else ""
    if key not in model.attribute_frequency:
        raise UnknownAttributeError("ArticulationView", name, model.attribute_frequency)
    return model.get_attribute_frequency(key)


def holder(name: str, source: Any) -> Any:
    """Return a model, state or control after checking its type.

    Raises:
        OptionTypeError: `source` has another type; the message calls it `name`.
    """
    if not isinstance(source, Model | State | Control):
        raise OptionTypeError(name, source, "a State, a Control or the Model")
    return source


class SelectedRows:
    """Indices of the entries of each frequency, computed once.

    Attributes:
        articulations: Indices of the articulations, shape (worlds, articulations per world).
        joints: Selected joints of each articulation.
        links: Selected bodies of each articulation.
    """

    def __init__(
        self, model: Model, articulations: np.ndarray, joints: Sequence[list[int]], links: Sequence[list[int]]
    ) -> None:
        """Store the selection; see the attributes."""
        self._model, self.articulations, self.joints, self.links = model, articulations, joints, links
        self._known: dict[AttributeFrequency | str, Rows] = {}

    def of(self, frequency: AttributeFrequency | str) -> Rows:
        """Return the indices of the entries of a frequency.

        Raises:
            OptionError: The articulations have no entries of it, or different numbers of entries.
        """
        if frequency not in self._known:
            self._known[frequency] = self._found(frequency)
        return self._known[frequency]

    def _found(self, frequency: AttributeFrequency | str) -> Rows:
        model = self._model
        if isinstance(frequency, str):
            owners = owners_of(model, frequency)
            return self._laid_out(
                frequency, (np.flatnonzero(owners == one).tolist() for one in self.articulations.ravel())
            )
        shapes = model.body_shapes
        finders: Mapping[AttributeFrequency, Callable[[], Iterable[Sequence[int]]]] = {
            AttributeFrequency.ARTICULATION: lambda: ([one] for one in self.articulations.ravel()),
            AttributeFrequency.JOINT: lambda: self.joints,
            AttributeFrequency.JOINT_DOF: lambda: (_blocks(own, self._starts("dof")) for own in self.joints),
            AttributeFrequency.JOINT_COORD: lambda: (_blocks(own, self._starts("coordinate")) for own in self.joints),
            AttributeFrequency.BODY: lambda: self.links,
            AttributeFrequency.SHAPE: lambda: (sorted(s for body in own for s in shapes[body]) for own in self.links),
        }
        if frequency not in finders:
            raise OptionError("frequency", frequency.name, ", ".join(one.name for one in finders))
        return self._laid_out(frequency.name.lower(), finders[frequency]())

    def _starts(self, what: str) -> list[tuple[int, int]]:
        """Return the range of entries of each joint."""
        counts = [getattr(joint, f"{what}_count") for joint in self._model.built_joints]
        ends = np.cumsum(counts).tolist()
        return list(zip([0, *ends], ends, strict=False))

    def _laid_out(self, what: str, each: Iterable[Sequence[int]]) -> Rows:
        rows = [list(own) for own in each]
        counts = {len(own) for own in rows}
        if len(counts) > 1:
            raise OptionError(
                "pattern",
                f"articulations with {sorted(counts)} entries of {what}",
                "articulations with as many entries each",
            )
        return np.array(rows, dtype=np.int64).reshape(*self.articulations.shape, counts.pop() if counts else 0)


def owners_of(model: Model, frequency: str) -> np.ndarray:
    """Return the articulation of each row of a custom table.

    Raises:
        OptionError: The table has no attribute for the articulation of a row.
    """
    owners = model.custom_frequency_articulation.get(frequency)
    if owners is None:
        raise OptionError("frequency", frequency, "a custom frequency with articulation_owner_attribute")
    return np.asarray(owners.numpy())


def _blocks(joints: Sequence[int], starts: Sequence[tuple[int, int]]) -> list[int]:
    return [index for joint in joints for index in range(*starts[joint])]
