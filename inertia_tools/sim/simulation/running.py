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
from inertia_tools.sim.simulation.built_scene import BuiltScene, build_scene, copied_scene, decided
from inertia_tools.sim.simulation.carry_over import carry_over
from inertia_tools.sim.simulation.entity import Entity, as_entities
from inertia_tools.sim.simulation.model_basis import basis_of
from inertia_tools.sim.simulation.options import SimulationOptions
from inertia_tools.spatial import Array, Pose

LOST = "more than {} contacts were near in a step, and the excess was ignored; use meshes with fewer vertices"

IDLE = "targets of {} have no effect: their drives have no gains; call set_joint_gains or hold"

NO_EFFECT = "{} has no effect: {}"


class RunningSimulation:
    """Contents and time of a simulation; `Simulation` adds methods that act on it and query it."""

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
        entities = as_entities(robot, pose, fixed_base)
        self._built = build_scene(entities, decided(options, entities))
        self._steps = 0
        self._has_lost = False

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse unknown attributes.

        Raises:
            AttributeError: The class has no settable attribute of that name.
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
        """The description of the first entity."""
        return self._built.entities[0].robot

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the links, in document order."""
        return tuple(self._built.articulation.links)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints with one coordinate."""
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
        """Whether no body is free: every root is static, bolted to the world, or jointed to it."""
        return self._built.articulation.fixed_base

    @property
    def free_roots(self) -> tuple[str, ...]:
        """Names of the free roots in document order: roots that nothing holds, and links on floating joints."""
        return self._built.articulation.free_roots

    @property
    def free_links(self) -> frozenset[str]:
        """Names of the free roots and of all links that they carry."""
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
            OptionError: The count is not a whole number, or is negative.
            SimulationError: The state of a body became infinite or NaN.
        """
        is_whole = hasattr(count, "__index__") and not isinstance(count, bool) and np.ndim(count) == 0
        if not is_whole or operator.index(count) < 0:
            raise OptionError("count", count, "a whole number of steps, zero or more")
        built = self._built
        if idle := built.drives.idle_targets():
            warnings.warn(IDLE.format(", ".join(idle)), SceneWarning, stacklevel=2)
        for _ in range(count):
            self._step_once(built)
        check_finite(built.model, built.state, f"at {self.time:.4f} s", built.state, built.control)
        if not self._has_lost and built.contacts.lost:
            self._has_lost = True
            warnings.warn(LOST.format(built.contacts.rows.first.numpy()[1]), SceneWarning, stacklevel=2)

    def _step_once(self, built: BuiltScene) -> None:
        pushed = bool(built.pushes)
        if pushed:
            check_finite(built.model, built.state, f"at {self.time:.4f} s", built.state, built.control)
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
            basis=basis_of(built.model),
            arrays=built.copied_arrays(),
            drives=built.drives.values(),
            pushes=pushes_of(built.pushes),
            gravity=built.model.gravity_vector,
            soft_numbers=built.soft_numbers,
            step_count=self._steps,
        )

    def restore(self, saved: SavedState) -> None:
        """Return to a saved state; the following steps repeat bit-identically.

        Raises:
            OptionTypeError: `saved` is not a saved state.
            SimulationError: The state belongs to a simulation that is neither this one nor related to it by `clone`, or
                to other entities.
        """
        built, saved = self._built, need("saved", saved, SavedState, "save()")
        if saved.owner != (built.entities, built.options):
            raise SimulationError("the saved state belongs to another simulation, or to one with other entities")
        built.take_basis(saved.basis)
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
        """Return to the initial state and time zero, without wrenches; settings of drives and of the model are kept."""
        built = self._built
        kept = basis_of(built.model)
        built.take_basis({**kept, "body_flags": built.start_flags})  # the initial arrays have their sizes
        put_back(built.start, *built.stepped)
        built.take_basis(kept)
        built.solver.wake()
        built.pushes.clear()
        self._steps = 0

    # Entities

    def spawn(self, entity: Entity, saved: Sequence[SavedState] = ()) -> list[SavedState]:
        """Add a robot or an object; time and all other entities continue unchanged.

        The scene is rebuilt, which takes as long as the first build; `model` and `state` are new objects afterwards.

        Args:
            entity: The entity to add.
            saved: Earlier saved states to convert, as the originals become invalid.

        Returns:
            The same states with the new entity in its initial state.

        Raises:
            OptionError: `entity` is not an entity.
            SimulationError: An entity has the same name or a link of the same name, or the new one cannot be simulated;
                nothing changes then.
        """
        if not isinstance(entity, Entity):
            raise OptionError("entity", entity, "an Entity")
        return self._rebuild([*self.entities, entity], saved)

    def delete(self, name: str, saved: Sequence[SavedState] = ()) -> list[SavedState]:
        """Delete an entity; time and all other entities continue unchanged.

        Args:
            name: Name of the entity.
            saved: Earlier saved states to convert, as the originals become invalid.

        Returns:
            The same states without the entity.

        Raises:
            UnknownEntityError: There is no such entity.
            SimulationError: It is the only entity.
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
        """Raise an error for unknown link names; the name of the world is valid."""
        known = (*self.names, WORLD_NAME)
        for name in names:
            if not isinstance(name, str) or name not in known:
                raise UnknownLinkError(name, known)

    def _moves(self, body: int) -> bool:
        """Return whether forces move a body; false for the world."""
        return body >= 0 and bool(self._built.model.moves[body])

    def _send_velocities(self, qd: Array) -> None:
        built = self._built
        moves = built.model.moves[:, None]
        built.state.body_qd.assign(np.where(moves, qd, built.state.body_qd.numpy()))

    def _warn_of_no_effect(self, call: str, reason: str) -> None:
        warnings.warn(NO_EFFECT.format(call, reason), SceneWarning, stacklevel=3)
