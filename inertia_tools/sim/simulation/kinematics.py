# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What reads the joints of a scene: their names, the kinematic tree, and the reader of snapshots."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from inertia_tools.sim.dynamics.tree import Tree, tree_of
from inertia_tools.sim.importing.articulation import Articulation
from inertia_tools.sim.model.model import Model
from inertia_tools.sim.named_joints import NamedJoints, named_joints
from inertia_tools.sim.observer import Observer


@dataclass(eq=False)
class Kinematics:
    """Readers of the joints of a scene, for its joint frames and body flags of now.

    Attributes:
        articulation: All entities as one, with scoped names.
        model: The scene.
    """

    articulation: Articulation
    model: Model
    _taken: tuple[Any, Any] = field(init=False)

    def __post_init__(self) -> None:
        """Keep what tells whether frames or flags have changed since."""
        self._taken = self.model.built_joints, self.model.moves

    @property
    def is_current(self) -> bool:
        """Whether neither joint frames nor body flags have changed since."""
        return self._taken[0] is self.model.built_joints and self._taken[1] is self.model.moves

    @cached_property
    def joints(self) -> NamedJoints:
        """Joints of the entities."""
        return named_joints(self.articulation, self.model)

    @cached_property
    def tree(self) -> Tree:
        """Kinematic tree of the degrees of freedom."""
        return tree_of(self.model.built_joints, self.model.moves, self.articulation.links, self.joints.dofs)

    @cached_property
    def observer(self) -> Observer:
        """Reader of snapshots."""
        return Observer(self.articulation, self.joints, self.model)
