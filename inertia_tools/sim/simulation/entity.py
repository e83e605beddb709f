# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A robot or an object in a simulation of several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from inertia_tools.description.types import Description
from inertia_tools.errors import OptionError, SimulationError
from inertia_tools.inertia.given import require_description
from inertia_tools.sim.scene.given import as_optional_list, need
from inertia_tools.sim.simulation.soft_body import SoftBody
from inertia_tools.spatial import Pose

SCOPE = "::"
"""Separator between the name of an entity and those of its links and joints, as SDFormat scopes names."""


@dataclass(frozen=True, eq=False)
class Entity:
    """A robot or an object in a simulation of several.

    Attributes:
        name: Prefix of the names of its links and joints, as in `left::gripper`; empty for no prefix.
        robot: The description; its inertials must be physically possible.
        pose: Initial pose of its root link in the world; see `Simulation`.
        fixed_base: Whether every root link, and every link on a floating joint, is bolted to the world and moves only
            by `Simulation.move`.
        soft: Soft bodies of the entity, each with its own pose in the world.
    """

    name: str
    robot: Description
    pose: Pose | None = None
    fixed_base: bool = False
    soft: tuple[SoftBody, ...] = ()

    def __post_init__(self) -> None:
        """Check the fields.

        Raises:
            OptionError: A field has the wrong type.
        """
        if not isinstance(self.name, str) or SCOPE in self.name:
            raise OptionError("name", self.name, f"a text without {SCOPE!r}")
        require_description(self.robot)
        if not isinstance(self.pose, Pose | None):
            raise OptionError("pose", self.pose, "a Pose")
        listed = as_optional_list("soft", self.soft, "SoftBody")
        for one in listed:
            need("soft", one, SoftBody, "SoftBody(name, made, pose)")
        object.__setattr__(self, "soft", tuple(listed))  # a generator can be read only once

    def scoped(self, name: str) -> str:
        """Return the name that a link or a joint of the description has in the simulation."""
        return f"{self.name}{SCOPE}{name}" if self.name else name


def as_entities(given: Description | Entity | Sequence[Entity], pose: Pose | None, fixed_base: bool) -> list[Entity]:
    """Return the entities of a simulation.

    Args:
        given: A description, an entity, or several entities.
        pose: Pose of the description; None for entities.
        fixed_base: Whether every entity is bolted to the world.

    Raises:
        OptionError: `given` has another type, or there is a pose although entities have their own.
    """
    if isinstance(given, Description):
        return [Entity("", given, pose, fixed_base)]
    entities = [given] if isinstance(given, Entity) else given
    if not isinstance(entities, Sequence) or not all(isinstance(one, Entity) for one in entities) or not entities:
        raise OptionError("robot", given, "a Description, as load returns it, or entities")
    if pose is not None:
        raise OptionError("pose", pose, "None for entities, each of which has its own")
    return [replace(one, fixed_base=True) if fixed_base else one for one in entities]


def refuse_equal_names(entities: Sequence[Entity]) -> None:
    """Raise an error if two entities have the same name.

    Raises:
        SimulationError: Two entities have the same name.
    """
    names = [entity.name for entity in entities]
    for name in names:
        if names.count(name) > 1:
            raise SimulationError(f"there are {names.count(name)} entities named {name!r}; each needs its own name")


def refuse_equal_links(entities: Sequence[Entity]) -> None:
    """Raise an error if links or joints of two entities have the same name in the simulation.

    Models within a model have scopes, too, so that an entity without a name may have the names of another.

    Raises:
        SimulationError: Two have the same name.
    """
    owners: dict[tuple[str, str], str] = {}
    for one in entities:
        joints = (joint.name for first in one.robot.joints.values() for joint in first.row)
        for kind, own in (*(("link", name) for name in one.robot.links), *(("joint", name) for name in joints)):
            name = one.scoped(own)
            other = owners.setdefault((kind, name), one.name)
            if other != one.name:
                raise SimulationError(
                    f"entities {other!r} and {one.name!r} both have a {kind} {name!r}; give one of them another name"
                )
