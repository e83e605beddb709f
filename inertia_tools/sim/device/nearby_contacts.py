# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contacts of large scenes: each step searches for pairs of nearby shapes, in nearly linear time.

Small scenes list all pairs in `finalize`, each with slots for its contacts; with thousands of shapes there would be
millions. Here, a step lists the near pairs, finds the contacts of each, and gives every contact the state of the same
contact in the last step. Buffers that are too small grow and the search is repeated, so nothing is dropped.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

import numpy as np
import warp as wp

from inertia_tools.kernel_loading import block_of
from inertia_tools.sim.collide.anchored import SEARCHED_IN
from inertia_tools.sim.collide.anchored_kernels import anchored_kernels
from inertia_tools.sim.collide.broad_phase import broad_phase_kernels
from inertia_tools.sim.collide.detection import GPU_THREADS, Detection
from inertia_tools.sim.collide.narrow_phase import narrow_phase_kernel
from inertia_tools.sim.collide.nearby_foresight import foresight_kernels
from inertia_tools.sim.collide.nearby_handover import handover_kernels
from inertia_tools.sim.collide.nearby_hits import hit_kernels
from inertia_tools.sim.device.anchored_contacts import AnchoredContacts, motions_of
from inertia_tools.sim.device.model_data import ModelData
from inertia_tools.sim.device.state import State
from inertia_tools.sim.kernels.collision_types import collision_types
from inertia_tools.sim.kernels.graphs import Graphs, captured
from inertia_tools.sim.kernels.host_view import HostView
from inertia_tools.sim.kernels.precision import Precision, precision

HITS_IN_A_ROW = 1
"""Length of the chains of impacts in a step that are foreseen; longer ones would connect columns of a heap that never
touch."""

SPARE = 1.25
"""Capacity that a buffer gets beyond the need when it grows, relative to the need."""

FOLLOWED = ("qd", "q", "f", "q_last", "x_last", "r_low_last")
"""Arrays of a state that determine the result of a search."""

HELD = ("pair_a", "pair_b", "start", "count")
"""Arrays of the pairs of the last search."""

CONTACTS_A_COLLIDER = 8
"""Initial capacity in contacts for each collider."""


def nearby_step_kernels(p: Precision) -> tuple[Any, ...]:
    """Return the kernels of a step of a large scene, besides those of the solver."""
    near, hits, hand, broad = foresight_kernels(p), hit_kernels(p), handover_kernels(p), broad_phase_kernels(p)
    return (
        *(near.compute_reach, near.compute_pair_foresight, hits.find_hits, hits.remove_separated, hits.clear_counts),
        *(hand.save_contacts, hand.write_contacts, hand.save_pairs, hand.compute_world_ends),
        *(
            anchored_kernels(p).foresee,
            anchored_kernels(p).set_poses,
            broad.compute_poses,
            broad.compute_bounds,
            broad.find_pairs,
        ),
        narrow_phase_kernel(precision(SEARCHED_IN)),
    )


def near_slots(model: ModelData, capacity: int, old: Any = None) -> Any:
    """Return slots for this many contacts of a large scene, with the entries of others at the start."""
    types = collision_types(model.precision)
    data = types.Anchored()
    data.nearby = 1
    data.ends = model.zeros(model.copy_count + 1, wp.int32) if old is None else old.ends
    data.changed = model.zeros(model.copy_count, wp.int32) if old is None else old.changed
    kinds = {"contact": types.Followed}
    for name in ("contact", "shape_a", "shape_b", "place"):
        kept = None if old is None else getattr(old, name)
        setattr(data, name, grown(kept, capacity, kinds.get(name, wp.int32), model))
    for name in ("used", "taken"):
        setattr(data, name, model.zeros(1, wp.int32))
    return data


class Slots(Protocol):
    """Slots that a search fills; they grow on demand."""

    data: Any
    rows: Any
    anchored: AnchoredContacts

    def grow(self, count: int) -> None:
        """Grow to this many contacts; entries are kept."""


@dataclass(eq=False)
class NearbyContacts:
    """Buffers of the search, and the contact state that carries over from step to step.

    Attributes:
        model: The scene.
        generation: Number of times that buffers have grown; captured launches of earlier generations are invalid.
    """

    model: ModelData
    generation: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        """Allocate empty buffers."""
        model, p, near = self.model, self.model.precision, self._near
        colliders = int(near.colliders.count)
        self._search = Detection(
            p, model.device, near.colliders, near.filters, model.bodies.com, model.body_count, list(near.trees),
            near.groups, contact_type=collision_types(p).Followed,
        )  # fmt: skip
        self._motions = motions_of(model)
        self._shape = model.array(near.shapes, wp.int32)
        self._held = handover_kernels(p).SavedContacts()
        self._held.pair_count = model.zeros(1, wp.int32)
        self._hits = tuple(
            wp.zeros((max(model.body_count, 1), 6), dtype=p.scalar, device=model.device) for _ in range(2)
        )
        self._fastest = model.zeros(model.copy_count, p.scalar)
        self._graphs = Graphs()
        self._seen_starts, self._seen_counts = HostView(), HostView()
        self._views = [HostView() for _ in range(len(FOLLOWED) + 1)]
        self._known: tuple[float, int] = (0.0, 0)
        self._searched: list[Any] = []
        self.capacity = CONTACTS_A_COLLIDER * max(colliders, 1)
        self._size_pairs()
        self._size_contacts()

    @property
    def _near(self) -> Any:
        return self.model.nearby

    def _size_pairs(self) -> None:
        model, pairs = self.model, self._search.pair_capacity
        self._foresight = model.zeros(pairs, precision(SEARCHED_IN).scalar)
        self._start = model.zeros(pairs, wp.int32)
        for name in HELD:
            setattr(self._held, name, grown(getattr(self._held, name), pairs, wp.int32, model))

    def _size_contacts(self) -> None:
        model, held = self.model, self._held
        for name, variable in held._cls.vars.items():
            if name not in ("pair_count", *HELD):
                setattr(held, name, model.zeros(self.capacity, variable.type.dtype))

    def search(self, contacts: Slots, state: State, dt: float) -> None:
        """Find the contacts of a state for a step of dt [s], with the state of the same contacts before.

        On a CPU, the last result is reused if the state is the same as at the last search.
        """
        if wp.get_device(self.model.device).is_cpu and self._is_as_searched(state, dt):
            return
        find, take = self._captured(contacts, state, dt)
        wp.capture_launch(find)
        pairs = self._search.pairs_needed
        if pairs > self._search.pair_capacity:
            self._search.make_room(int(SPARE * pairs))
            self._size_pairs()
            self._forget_graphs()
            find, take = self._captured(contacts, state, dt)
            wp.capture_launch(find)
        needed = self._contacts_needed(pairs)
        if needed > self.capacity:
            self.capacity = int(SPARE * needed)
            self._size_contacts()
            contacts.grow(self.capacity)
            self._forget_graphs()
            take = self._captured(contacts, state, dt)[1]
        wp.capture_launch(take)

    def _is_as_searched(self, state: State, dt: float) -> bool:
        """Return whether poses, velocities and forces equal those of the last search; store the current ones."""
        arrays = (*(getattr(state.data, name) for name in FOLLOWED), self.model.bodies.max_gravity)
        seen = [view.of(array) for view, array in zip(self._views, arrays, strict=True)]
        known = (dt, self.model.changed_times)
        if known == self._known and all(map(np.array_equal, seen, self._searched)):
            return True
        self._known, self._searched = known, [array.copy() for array in seen]
        return False

    def forget(self) -> None:
        """Let the next search be as the first one, in the existing buffers."""
        self._known = (0.0, 0)
        self._held.pair_count.zero_()

    def grow_like(self, other: NearbyContacts, contacts: Slots) -> None:
        """Grow the buffers to the capacity of others of the same scene, before a step with these."""
        if other._search.pair_capacity > self._search.pair_capacity:
            self._search.make_room(other._search.pair_capacity)
            self._size_pairs()
        if other.capacity > self.capacity:
            self.capacity = other.capacity
            self._size_contacts()
            contacts.grow(self.capacity)

    @property
    def held_pairs(self) -> np.ndarray:
        """Pairs of the last search: two colliders, first contact and number of contacts, ascending, shape (n, 4)."""
        held = self._held
        count = int(held.pair_count.numpy()[0])
        return np.stack([getattr(held, name).numpy()[:count] for name in HELD], axis=1)

    def hold_pairs(self, pairs: np.ndarray) -> None:
        """Let the next search go on from pairs like `held_pairs`, in the existing buffers."""
        held, count = self._held, len(pairs)
        for name, column in zip(HELD, pairs.T, strict=True):
            getattr(held, name)[:count].assign(column.astype(np.int32))
        held.pair_count.fill_(count)

    @property
    def collider_shapes(self) -> np.ndarray:
        """Shape of each collider, shape (n,)."""
        return np.asarray(self._shape.numpy())

    def _contacts_needed(self, pairs: int) -> int:
        if pairs == 0:
            return 0
        last = pairs - 1
        starts, counts = self._seen_starts.of(self._start), self._seen_counts.of(self._search.contact_count)
        return int(starts[last]) + int(counts[last])

    def _forget_graphs(self) -> None:
        self.generation += 1
        self._graphs.clear()

    def _captured(self, contacts: Slots, state: State, dt: float) -> Any:
        key = (state.key, dt)
        found = self._graphs.get(key)
        if found is None:
            self._search.prepare_tree()
            launches = [partial(launch, contacts, state, dt) for launch in (self._launch_find, self._launch_take)]
            found = self._graphs.keep(key, [captured(launch, self.model.device) for launch in launches], state)
        return found[0]

    @property
    def _threads(self) -> int:
        return 1 if wp.get_device(self.model.device).is_cpu else GPU_THREADS

    def _run(self, kernel: Any, dim: int, *arguments: Any) -> None:
        block = block_of(kernel.module, wp.get_device(self.model.device))
        wp.launch(kernel, dim=dim, inputs=list(arguments), device=self.model.device, block_dim=block)

    def _launch_find(self, contacts: Slots, state: State, dt: float) -> None:
        model, search, p = self.model, self._search, self.model.precision
        near, hit, threads = foresight_kernels(p), hit_kernels(p), self._threads
        colliders = search.colliders
        motion = (model.bodies, state.data, colliders, p.scalar(dt))
        around = (self._fastest, int(colliders.count) // model.copy_count)
        foresee = anchored_kernels(p).foresee
        self._run(foresee, model.copy_count, model.bodies, state.data, p.scalar(dt), 0, self._fastest)
        self._run(near.compute_reach, int(colliders.count), *motion, *around, search.reach)
        search.search(state.body_q)
        pairs = (search.pair_a, search.pair_b, search.pair_count)
        self._run(near.compute_pair_foresight, threads, *motion, *around, *pairs, threads, self._foresight)
        found = (search.contacts, search.contact_count)
        placing = (model.bodies, state.data, p.scalar(dt), 0, self._motions)
        self._run(anchored_kernels(p).set_poses, model.body_count, *placing)
        placed = (self._near.exact, self._motions)
        self._run(
            narrow_phase_kernel(precision(SEARCHED_IN)),
            threads,
            *placed,
            *pairs,
            self._foresight,
            0,
            1,
            threads,
            *found,
        )
        on_contacts = (threads, *motion, search.x, search.pair_count, threads, *found)
        known, hits = self._hits
        known.zero_()
        hits.zero_()
        for _ in range(HITS_IN_A_ROW):
            self._run(hit.find_hits, *on_contacts, known, hits)
            known, hits = hits, known
        self._run(hit.remove_separated, *on_contacts, known)
        self._run(hit.clear_counts, search.pair_capacity, search.pair_count, search.contact_count)
        wp.utils.array_scan(search.contact_count, self._start, inclusive=False)

    def _launch_take(self, contacts: Slots, state: State, dt: float) -> None:
        search, p = self._search, self.model.precision
        kernels, threads, worlds = handover_kernels(p), self._threads, self.model.copy_count
        anchored, data, held = contacts.anchored.data, contacts.data, self._held
        pairs = (search.pair_a, search.pair_b, search.pair_count)
        self._run(kernels.save_contacts, threads, anchored, data, held, worlds, threads)
        found = (search.contacts, search.contact_count, self._start)
        self._run(
            kernels.write_contacts,
            threads,
            search.colliders,
            anchored,
            data,
            held,
            *pairs,
            *found,
            self._shape,
            threads,
        )
        self._run(kernels.save_pairs, threads, *pairs, self._start, search.contact_count, held, threads)
        of_world = int(search.colliders.count) // worlds
        ends = (search.starts, search.pair_count, self._start, search.contact_count, anchored, contacts.rows)
        self._run(kernels.compute_world_ends, worlds, of_world, worlds, *ends)


def grown(array: Any, count: int, dtype: Any, model: ModelData) -> Any:
    """Return a longer array with the entries of another at the start."""
    longer = model.zeros(count, dtype)
    if array is not None:
        wp.copy(longer, array, count=min(len(array), count))
    return longer
