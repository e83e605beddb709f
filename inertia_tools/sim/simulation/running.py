# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Time and contents of a simulation: stepping, saving, copying, and adding or deleting entities."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Self

import numpy as np

from inertia_tools.description.types import Description
from inertia_tools.errors import OptionError, SimulationError, UnknownEntityError, UnknownLinkError
from inertia_tools.sim.device.state import State
from inertia_tools.sim.importing.articulation import LinkPlace
from inertia_tools.sim.model.changes import SolverNotifyFlags
from inertia_tools.sim.model.finite import check_finite
from inertia_tools.sim.model.model import Model
from inertia_tools.sim.saved_state import SavedState, pushes_of, put_back
from inertia_tools.sim.scene.bodies import WORLD_NAME
from inertia_tools.sim.scene.body_motion import BodyMotion
from inertia_tools.sim.scene.given import as_list, need
from inertia_tools.sim.scene.notices import SceneWarning
from inertia_tools.sim.simulation.built_scene import BuiltScene, build_scene, copied_scene
from inertia_tools.sim.simulation.carry_over import carry_over
from inertia_tools.sim.simulation.entity import Entity, as_entities
from inertia_tools.sim.simulation.options import SimulationOptions
from inertia_tools.spatial import Array, Pose

LOST = "more than {} contacts are near in a step, and the others are not felt; give meshes fewer corners"

IDLE = "targets of {} have no effect: their drives have no gains; call set_joint_gains or hold"

NO_EFFECT = "{} has no effect: {}"


class RunningSimulation:
    """Contents and time of a simulation; `Simulation` adds methods to act on it and to query it."""

    _built: BuiltScene
    _steps: int
    _has_lost: bool

    def __init__(
        self,
        robot: Description | Entity | Sequence[Entity],
        pose: Pose | None,
        fixed_base: bool,
        options: SimulationOptions,
    ) -> None:
        self._built = build_scene(as_entities(robot, pose, fixed_base), options)
        self._steps = 0
        self._has_lost = False

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse unknown attributes.

        Raises:
            AttributeError: The name is none of this class's own.
        """
        if not name.startswith("_"):
            raise AttributeError(f"{name!r} of a simulation cannot be set; methods such as set_gravity change it")
        super().__setattr__(name, value)

    @property
    def entities(self) -> tuple[Entity, ...]:
        """The robots and objects, in the order in which they were added."""
        return self._built.entities

    @property
    def robot(self) -> Description:
        """The description of the first of them."""
        return self._built.entities[0].robot

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the links, in document order."""
        return tuple(self._built.articulation.links)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints that have one coordinate."""
        return self._built.joints.names

    @property
    def model(self) -> Model:
        """The scene on its device."""
        return self._built.model

    @property
    def state(self) -> State:
        """Current state of the bodies, on the device."""
        return self._built.state

    @property
    def dt(self) -> float:
        """Length of a step [s]."""
        return self._built.options.dt

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._steps * self.dt

    @property
    def step_count(self) -> int:
        """Number of steps since the start or the last reset."""
        return self._steps

    @property
    def fixed_base(self) -> bool:
        """Nothing moves freely: each root is static, bolted to the world, or on a joint to it."""
        return self._built.articulation.fixed_base

    @property
    def free_roots(self) -> tuple[str, ...]:
        """Names of the links that nothing holds, in document order: roots, and what floating joints carry."""
        return self._built.articulation.free_roots

    @property
    def free_links(self) -> frozenset[str]:
        """Names of those links and of all that they carry."""
        return frozenset(name for root in self.free_roots for name in self._built.articulation.tree(root))

    @property
    def places(self) -> Mapping[str, LinkPlace]:
        """Body of each link, and the link's frame relative to the body."""
        return MappingProxyType(self._built.articulation.links)

    def motion(self) -> BodyMotion:
        """Return the current poses and velocities of the bodies, in double precision."""
        return self._built.motion()

    def links_of(self, entity: str) -> tuple[str, ...]:
        """Return the names of the links of an entity.

        Raises:
            UnknownEntityError: There is no such entity.
        """
        return tuple(map(self._entity(entity).scoped, self._entity(entity).robot.links))

    # Time

    def step(self, count: int = 1) -> None:
        """Advance the simulation by some steps.

        Raises:
            OptionError: The count is no whole number, or below zero.
            SimulationError: A body has left the finite numbers.
        """
        is_whole = hasattr(count, "__index__") and not isinstance(count, bool) and np.ndim(count) == 0
        if not is_whole or operator.index(count) < 0:
            raise OptionError("count", count, "a whole number of steps, zero or more")
        built = self._built
        if idle := built.drives.idle_targets():
            warnings.warn(IDLE.format(", ".join(idle)), SceneWarning, stacklevel=2)
        for _ in range(count):
            self._step_once(built)
        check_finite(built.model, built.state, f"at {self.time:.4f} s")
        if not self._has_lost and built.contacts.lost:
            self._has_lost = True
            warnings.warn(LOST.format(built.contacts.rows.first.numpy()[1]), SceneWarning, stacklevel=2)

    def _step_once(self, built: BuiltScene) -> None:
        pushed = bool(built.pushes)
        if pushed:
            check_finite(built.model, built.state, f"at {self.time:.4f} s")
            built.state.body_f.assign(built.pushes.on_bodies(built.motion(), self.dt))
        built.solver.step(built.state, built.state, built.control, built.contacts, self.dt)
        self._steps += 1
        built.pushes.pass_time(self.dt)
        if pushed and not built.pushes:
            built.state.body_f.zero_()

    def save(self) -> SavedState:
        """Return a copy of everything that steps depend on, which `restore` brings back bit-identically."""
        built = self._built
        return SavedState(
            owner=(built.entities, built.options),
            arrays=built.copied_arrays(),
            drives=built.drives.values(),
            pushes=pushes_of(built.pushes),
            gravity=built.model.gravity_vector,
            soft_numbers=built.soft_numbers,
            step_count=self._steps,
        )

    def restore(self, saved: SavedState) -> None:
        """Go back to where `save` was called: the steps that follow are those that followed then.

        Raises:
            OptionTypeError: It is no saved state.
            SimulationError: It was saved of another simulation that this is no clone of, or before entities came or
                went.
        """
        built, saved = self._built, need("saved", saved, SavedState, "save()")
        if saved.owner != (built.entities, built.options):
            raise SimulationError("the saved state is of another simulation, or of one with other entities")
        built.put_back(saved.arrays, saved.soft_numbers)
        built.drives.restore(saved.drives)
        built.pushes, self._steps = pushes_of(saved.pushes), saved.step_count
        built.model.set_gravity(saved.gravity)
        built.solver.notify_model_changed(SolverNotifyFlags.SHAPE_PROPERTIES)

    def clone(self) -> Self:
        """Return an independent simulation in the same state, whose steps are bit-identical."""
        twin = object.__new__(type(self))
        twin._built, twin._steps, twin._has_lost = copied_scene(self._built), self._steps, self._has_lost
        return twin

    def reset(self) -> None:
        """Return to the start: time zero, everything at rest, no wrenches; the settings of drives are kept."""
        built = self._built
        put_back(built.start, *built.stepped)
        built.solver.wake()
        built.pushes.clear()
        self._steps = 0

    # Entities

    def spawn(self, entity: Entity, saved: Sequence[SavedState] = ()) -> list[SavedState]:
        """Add a robot or an object; all others go on as they were, and time does.

        The scene is rebuilt, which takes as long as the first build; `model` and `state` are new objects afterwards.

        Args:
            entity: What comes.
            saved: States that were saved before, and are of no use any more.

        Returns:
            The same states with the entity where it begins.

        Raises:
            OptionError: It is no entity.
            SimulationError: There is one of that name, or it cannot be simulated; then nothing has changed.
        """
        if not isinstance(entity, Entity):
            raise OptionError("entity", entity, "an Entity")
        return self._rebuild([*self.entities, entity], saved)

    def delete(self, name: str, saved: Sequence[SavedState] = ()) -> list[SavedState]:
        """Take an entity away; all others go on as they were.

        Args:
            name: Name of the entity.
            saved: States that were saved before, and are of no use any more.

        Returns:
            The same states without the entity.

        Raises:
            UnknownEntityError: There is no such entity.
            SimulationError: There is no other.
        """
        doomed = self._entity(name)
        rest = [entity for entity in self.entities if entity is not doomed]
        if not rest:
            raise SimulationError(f"{name!r} is the only entity of the simulation, which cannot be empty")
        return self._rebuild(rest, saved)

    def _rebuild(self, entities: Sequence[Entity], saved: Sequence[SavedState]) -> list[SavedState]:
        old, new, now = self._built, build_scene(entities, self._built.options), self.save()
        adapted = []
        for state in (*as_list("saved", saved, "states that save() returned"), now):
            self._built = old
            self.restore(state)
            carry_over(old, new)
            self._built = new
            adapted.append(self.save())
        self._has_lost = False
        return adapted[:-1]

    def _entity(self, name: str) -> Entity:
        for entity in self.entities:
            if entity.name == name:
                return entity
        raise UnknownEntityError(name, [entity.name for entity in self.entities])

    # Inside

    def _link_place(self, name: str) -> LinkPlace:
        links = self._built.articulation.links
        if not isinstance(name, str) or name not in links:
            raise UnknownLinkError(name, self.names)
        return links[name]

    def _check_links(self, names: Iterable[str]) -> None:
        """Refuse unknown names of links; the world also has one."""
        known = (*self.names, WORLD_NAME)
        for name in names:
            if not isinstance(name, str) or name not in known:
                raise UnknownLinkError(name, known)

    def _moves(self, body: int) -> bool:
        """Return whether forces move a body; they do not move the world."""
        return body >= 0 and bool(self._built.model.moves[body])

    def _send_velocities(self, qd: Array) -> None:
        built = self._built
        moves = built.model.moves[:, None]
        built.state.body_qd.assign(np.where(moves, qd, built.state.body_qd.numpy()))

    def _warn_of_no_effect(self, call: str, reason: str) -> None:
        warnings.warn(NO_EFFECT.format(call, reason), SceneWarning, stacklevel=3)
