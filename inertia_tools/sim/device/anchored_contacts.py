# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contacts that the solver takes from the narrow phase once a step, and the buffers of that search."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import warp as wp

from inertia_tools.kernel_loading import block_of
from inertia_tools.sim.collide.anchored import SEARCHED_IN
from inertia_tools.sim.collide.anchored_kernels import anchored_kernels
from inertia_tools.sim.collide.detection import GPU_THREADS
from inertia_tools.sim.collide.narrow_phase import narrow_phase_kernel
from inertia_tools.sim.collide.narrow_phase_pairs import choice_type, choose_kernel
from inertia_tools.sim.device.model_data import ModelData
from inertia_tools.sim.device.state import State
from inertia_tools.sim.kernels.collision_types import MAX_CONTACTS, collision_types
from inertia_tools.sim.kernels.precision import Precision, precision


def narrow_kernels(p: Precision) -> tuple[Any, ...]:
    """Return the kernels that find the contacts of a step."""
    kernels = anchored_kernels(p)
    return (
        kernels.foresee,
        kernels.set_poses,
        choose_kernel(p),
        narrow_phase_kernel(precision(SEARCHED_IN)),
        kernels.assign_slots,
    )


def motions_of(model: ModelData) -> Any:
    """Return arrays for the motions of all bodies, as the narrow phase takes them; see `Motions`."""
    wide = precision(SEARCHED_IN)
    motions = collision_types(wide).Motions()
    motions.r = model.zeros(model.body_count, wide.quat)
    for name in ("x", "displacement", "rotation"):
        setattr(motions, name, model.zeros(model.body_count, wide.vec3))
    motions.inv_mass = model.zeros(model.body_count, wide.scalar)
    motions.inv_tensor = model.zeros(model.body_count, wide.mat33)
    return motions


@dataclass(eq=False)
class AnchoredContacts:
    """Contacts of the pairs of `ModelData.anchored`, and the buffers of the search.

    Attributes:
        model: The scene.
        data: Structure of arrays, as a step takes it.
    """

    model: ModelData
    data: Any = field(init=False)

    def __post_init__(self) -> None:
        """Allocate empty contacts."""
        model, pairs, p = self.model, self.model.anchored, self.model.precision
        types, slots = collision_types(p), MAX_CONTACTS * len(pairs)
        wide = precision(SEARCHED_IN)
        self.data = data = types.Anchored()
        data.count, data.first_slot = slots // model.copy_count, pairs.first_slot
        data.ends = model.zeros(model.copy_count + 1, wp.int32)
        data.stride = model.slot_count // model.copy_count
        for name in ("used", "taken", "place"):
            setattr(data, name, model.zeros(slots, wp.int32))
        data.contact = model.zeros(slots, types.Followed)
        data.shape_a, data.shape_b = (model.array(pairs.slot_shapes[:, side], wp.int32) for side in range(2))
        self._found = model.zeros(slots, types.Followed)
        self._found_count = model.zeros(len(pairs), wp.int32)
        self._motions = motions_of(model)
        self._pairs = tuple(model.array(pairs.pairs[:, side], wp.int32) for side in range(2))
        worlds = np.arange(1, model.copy_count + 1)
        self._ends = model.array(
            worlds * (len(pairs) // model.copy_count), wp.int32
        )  # number of pairs up to the end of each world
        self._foresight = model.zeros(model.copy_count, p.scalar)
        self._ahead = model.zeros(len(pairs), wide.scalar)
        self._optional = model.array(pairs.optional, wp.int32)
        data.changed = model.zeros(model.copy_count, wp.int32)
        data.wanted, data.held = model.zeros(len(pairs), wp.int32), model.zeros(len(pairs), wp.int32)
        self._choices = model.zeros(len(pairs), choice_type(p))

    def launch(self, scene: Any, state: State, dt: float, first_world: int, world_count: int) -> None:
        """Find the contacts of some worlds in a state, and assign them to their slots.

        Args:
            scene: Data of the step on the device, as its kernels take it; see `scene_type`.
            state: State of the bodies.
            dt: Length of the next step [s].
            first_world: The first of the worlds.
            world_count: Number of worlds.
        """
        model, p, device = self.model, self.model.precision, self.model.device
        kernels, worlds, wide = anchored_kernels(p), model.copy_count, precision(SEARCHED_IN)
        of_world, bodies = len(model.anchored) // worlds, model.body_count // worlds
        first, count = first_world * of_world, world_count * of_world
        last = first_world + world_count - 1
        threads = 1 if wp.get_device(device).is_cpu else min(GPU_THREADS, max(count, 1))

        def run(kernel: Any, dim: int, *arguments: Any) -> None:
            block = block_of(kernel.module, wp.get_device(device))
            wp.launch(kernel, dim=dim, inputs=list(arguments), device=device, block_dim=block)

        run(kernels.foresee, world_count, model.bodies, state.data, p.scalar(dt), first_world, self._foresight)
        motions = self._motions
        placing = (model.bodies, state.data, p.scalar(dt), first_world * bodies, motions)
        run(kernels.set_poses, world_count * bodies, *placing)
        choice_arguments = (self._optional, motions.x, motions.r, self._foresight, first, self._choices, self._ahead)
        run(choose_kernel(p), count, scene, p.scalar(dt), *choice_arguments)
        near = (*self._pairs, self._ends[last : last + 1], self._ahead, first, 1, threads)
        found = (self._found, self._found_count)
        run(narrow_phase_kernel(wide), threads, model.anchored.exact, motions, *near, *found)
        run(kernels.assign_slots, count, scene, *found, first)
