# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Which entries of a model's arrays belong to the articulations of a selection."""

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
"""Indices into an array, shape (worlds, articulations a world, entries of each)."""


def frequency_of(model: Model, name: str) -> AttributeFrequency | str:
    """Return what an array of a model, state or control has a value for.

    Raises:
        UnknownAttributeError: Nothing of that name is of bodies, shapes, joints or articulations.
    """
    key = name.replace(".", ":") if isinstance(name, str) else ""
    if key not in model.attribute_frequency:
        raise UnknownAttributeError("ArticulationView", name, model.attribute_frequency)
    return model.get_attribute_frequency(key)


def holder(name: str, source: Any) -> Any:
    """Return what has arrays of a scene.

    Raises:
        OptionTypeError: It is something else, and this is its name.
    """
    if not isinstance(source, Model | State | Control):
        raise OptionTypeError(name, source, "a State, a Control or the Model")
    return source


class SelectedRows:
    """Entries of each frequency, looked up once.

    Attributes:
        articulations: Indices of the articulations, shape (worlds, articulations a world).
        joints: Their joints that are selected, for each articulation.
        links: Their bodies that are selected, likewise.
    """

    def __init__(
        self, model: Model, articulations: np.ndarray, joints: Sequence[list[int]], links: Sequence[list[int]]
    ) -> None:
        """Take what is selected; see the attributes."""
        self._model, self.articulations, self.joints, self.links = model, articulations, joints, links
        self._known: dict[AttributeFrequency | str, Rows] = {}

    def of(self, frequency: AttributeFrequency | str) -> Rows:
        """Return the entries of a frequency.

        Raises:
            OptionError: The articulations have none of it, or different numbers of entries.
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
        """Return where the entries of each joint begin and end."""
        counts = [getattr(joint, f"{what}_count") for joint in self._model.built_joints]
        ends = np.cumsum(counts).tolist()
        return list(zip([0, *ends], ends, strict=False))

    def _laid_out(self, what: str, each: Iterable[Sequence[int]]) -> Rows:
        rows = [list(own) for own in each]
        counts = {len(own) for own in rows}
        if len(counts) > 1:
            raise OptionError("pattern", f"articulations with {sorted(counts)} entries of {what}", "alike")
        return np.array(rows, dtype=np.int64).reshape(*self.articulations.shape, counts.pop() if counts else 0)


def owners_of(model: Model, frequency: str) -> np.ndarray:
    """Return the articulation of each row of a table of users' own.

    Raises:
        OptionError: The table does not say which articulation a row belongs to.
    """
    owners = model.custom_frequency_articulation.get(frequency)
    if owners is None:
        raise OptionError("frequency", frequency, "a custom frequency with articulation_owner_attribute")
    return np.asarray(owners.numpy())


def _blocks(joints: Sequence[int], starts: Sequence[tuple[int, int]]) -> list[int]:
    return [index for joint in joints for index in range(*starts[joint])]
