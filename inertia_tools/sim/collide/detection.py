# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Collision detection of a scene: bounding boxes, broad phase, narrow phase."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import warp as wp

from inertia_tools.kernel_loading import launch, load
from inertia_tools.sim.collide.broad_phase import broad_phase_kernels
from inertia_tools.sim.collide.narrow_phase import narrow_phase_kernel
from inertia_tools.sim.kernels.collision_types import MAX_CONTACTS, collision_types
from inertia_tools.sim.kernels.host_view import HostView
from inertia_tools.sim.kernels.on_device import OnDevice

TREE_FROM = 48
"""Number of colliders from which a bounding volume hierarchy is faster than testing all pairs."""

PAIRS_A_COLLIDER = 8
"""Initial capacity in pairs for each collider: a body in a dense heap touches about that many."""

LEAST_PAIRS = 64

ONE_WORLD = 2**31 - 1
"""Pairs of a world where there is only one: more than any scene has."""

GPU_THREADS = 65_536
"""Threads of the narrow phase on a GPU; each needs several kilobytes of local memory."""


@dataclass(eq=False)
class Detection(OnDevice):
    """Buffers of collision detection for one scene on one device.

    Attributes:
        colliders: Structure of arrays.
        filters: Structure of the pairs that may not collide.
        com: Centre of mass of each body in its frame.
        bodies: Number of bodies.
        trees: Hierarchies of the triangles to which the colliders refer; they must live as long as the colliders.
        groups: World of each collider if there are several.
        pair_capacity: Capacity in pairs; it grows when a call needs more.
        contact_type: Structure of a contact; by default that of the scene's precision.
    """

    colliders: Any
    filters: Any
    com: Any
    bodies: int
    trees: list[Any] = field(default_factory=list)
    groups: Any = None
    pair_capacity: int = 0
    contact_type: Any = None
    _tree: Any = field(default=None, init=False)

    def __post_init__(self) -> None:
        count, p = int(self.colliders.count), self.precision
        self.x = self.zeros(self.bodies, p.vec3)
        self.r = self.zeros(self.bodies, p.quat)
        self.motions = collision_types(p).Motions()
        self.motions.x, self.motions.r = self.x, self.r
        self.lower, self.upper = self.zeros(count, wp.vec3), self.zeros(count, wp.vec3)
        self.counts, self.starts = self.zeros(count, wp.int32), self.zeros(count, wp.int32)
        self._seen_count = HostView()
        self.pair_count = self.zeros(1, wp.int32)
        self.foresight = self.zeros(1, p.scalar)
        self.reach = self.zeros(count, p.scalar)
        self.make_room(max(self.pair_capacity, LEAST_PAIRS, PAIRS_A_COLLIDER * count))

    def find(self, q: Any, foresight: float = 0.0) -> np.ndarray:
        """Find the contacts of bodies at their poses.

        Args:
            q: Pose of each body, Warp array.
            foresight: Gap up to which contacts are found even if the shapes ask for less [m].

        Returns:
            The contacts as a structured array, ordered by collider; see `Contact` of `collision_types`.
        """
        if int(self.colliders.count) == 0:
            return np.zeros(0, dtype=self.contacts.numpy().dtype)
        needed = self.find_pairs(q, foresight)
        self.foresight.fill_(foresight)
        threads = 1 if wp.get_device(self.device).is_cpu else min(GPU_THREADS, max(needed, 1))
        inputs = [self.colliders, self.motions, self.pair_a, self.pair_b, self.pair_count]
        outputs = [self.foresight, 0, ONE_WORLD, threads, self.contacts, self.contact_count]
        launch(narrow_phase_kernel(self.precision), threads, inputs, outputs, self.device)
        rows = self.contacts.numpy().reshape(-1, MAX_CONTACTS)[:needed]
        kept = np.arange(MAX_CONTACTS) < self.contact_count.numpy()[:needed, None]
        return np.asarray(rows[kept])

    @property
    def pairs_needed(self) -> int:
        """Pairs found in the last call, including those beyond the capacity."""
        return int(self._seen_count.of(self.pair_count)[0])

    def find_pairs(self, q: Any, foresight: float = 0.0) -> int:
        """Find the pairs of nearby colliders, grow the buffers if necessary, and return the number of pairs."""
        self.reach.fill_(0.5 * foresight)
        self.search(q)
        needed = self.pairs_needed
        if needed > self.pair_capacity:
            self.make_room(needed + needed // 4)
            self._partners(write=1)
        return needed

    def search(self, q: Any) -> None:
        """List the pairs that are nearer than the sum of their `reach`, up to the capacity, and count all of them."""
        kernels, count = broad_phase_kernels(self.precision), int(self.colliders.count)
        load((kernels.find_pairs, kernels.compute_bounds, kernels.compute_poses), self.device)
        if self.bodies:
            wp.launch(
                kernels.compute_poses, self.bodies, inputs=[q, self.com], outputs=[self.x, self.r], device=self.device
            )
        wp.launch(
            kernels.compute_bounds,
            count,
            inputs=[self.colliders, self.x, self.r, self.reach],
            outputs=[self.lower, self.upper],
            device=self.device,
        )
        self.prepare_tree()
        if self._tree is not None:
            self._tree.rebuild()
        self._partners(write=0)
        wp.utils.array_scan(self.counts, self.starts, inclusive=False)
        self._partners(write=1)

    def prepare_tree(self) -> None:
        """Create the bounding volume hierarchy if the scene is large enough and has none; each search rebuilds it."""
        self.filters.use_tree = int(int(self.colliders.count) >= TREE_FROM)
        if self.filters.use_tree and self._tree is None:
            self._tree = wp.Bvh(self.lower, self.upper, groups=self.groups)
            self.filters.tree = self._tree.id

    def _partners(self, write: int) -> None:
        self.filters.writes = write
        wp.launch(
            broad_phase_kernels(self.precision).find_pairs,
            int(self.colliders.count),
            inputs=[
                self.colliders,
                self.filters,
                self.x,
                self.r,
                self.reach,
                self.lower,
                self.upper,
            ],
            outputs=[self.counts, self.starts, self.pair_a, self.pair_b, self.pair_count],
            device=self.device,
        )

    def make_room(self, pairs: int) -> None:
        """Allocate buffers for this many pairs."""
        self.pair_capacity = pairs
        self.pair_a, self.pair_b = self.zeros(pairs, wp.int32), self.zeros(pairs, wp.int32)
        self.contact_count = self.zeros(pairs, wp.int32)
        self.contacts = self.zeros(MAX_CONTACTS * pairs, self.contact_type or collision_types(self.precision).Contact)
