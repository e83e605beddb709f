# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Warp structures of clusters, bodies connected by joints, and of islands, clusters connected by contacts in a step."""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.kernels.precision import Precision


@lru_cache(maxsize=2)
def island_types(p: Precision) -> Any:
    """Return the structures of one precision."""

    @wp.struct
    class Clusters:
        """Dynamic bodies that joints and couplings connect, with those joints; the lists do not change.

        A body without a joint is a cluster too. Joints between static bodies form one without bodies.
        """

        count: wp.int32  # of one world
        of_body: wp.array(dtype=wp.int32)  # -1 for static bodies
        first_body: wp.array(dtype=wp.int32)
        body_count: wp.array(dtype=wp.int32)
        body: wp.array(dtype=wp.int32)  # parents before children
        place: wp.array(dtype=wp.int32)  # of each body in that list of its cluster
        first_pair: wp.array(dtype=wp.int32)  # of `State.coupling`; -1 for large clusters
        first_joint: wp.array(dtype=wp.int32)
        joint_count: wp.array(dtype=wp.int32)
        jointed: wp.array(dtype=wp.int32)  # it has couplings, or joints other than free ones, which constrain nothing
        joint: wp.array(dtype=wp.int32)
        group: wp.array(dtype=wp.int32)  # group of its loops, or -1

    @wp.struct
    class Islands:
        """Clusters that may touch in this step, directly or not; each world has its own part of the lists."""

        count: wp.array(dtype=wp.int32)  # one entry a world
        launch: wp.array(dtype=wp.int32)  # launches of the same step before this one, and after it
        are_clusters: wp.array(dtype=wp.int32)  # one entry a world: the lists are those of one island a cluster
        kinematic_body: wp.array(dtype=wp.int32)  # kinematic bodies that move in this step, world by world
        kinematic_island: wp.array(dtype=wp.int32)  # one entry a world: island whose substeps move them, or -1
        first_kinematic: wp.array(dtype=wp.int32)  # one entry an island: those that it moves
        end_kinematic: wp.array(dtype=wp.int32)
        in_lockstep: wp.array(dtype=wp.int32)  # one entry an island: it may meet them; such islands share substeps
        has_moved: wp.array(dtype=wp.int32)  # one entry an island: the last outer iterate has moved bodies
        unsettled_before: wp.array(dtype=wp.int32)  # one entry an island: `Rows.unsettled` at the start of the step
        kinematic_count: wp.array(dtype=wp.int32)  # one entry a world
        union_parent: wp.array(dtype=wp.int32)  # one entry a cluster: union-find; the root is the first cluster
        of_cluster: wp.array(dtype=wp.int32)  # island of each cluster
        first_body: wp.array(dtype=wp.int32)  # from here on, one entry an island; a world has a place a cluster
        end_body: wp.array(dtype=wp.int32)
        first_joint: wp.array(dtype=wp.int32)
        end_joint: wp.array(dtype=wp.int32)
        jointed: wp.array(dtype=wp.int32)  # as `Clusters.jointed`
        first_group: wp.array(dtype=wp.int32)
        end_group: wp.array(dtype=wp.int32)
        first_row: wp.array(dtype=wp.int32)
        end_row: wp.array(dtype=wp.int32)
        end_working: wp.array(dtype=wp.int32)  # end of the working set, which begins at the first row
        body: wp.array(dtype=wp.int32)  # island by island: its bodies, parents first, with the next four
        order: wp.array(dtype=wp.int32)  # the same bodies in their order of elimination
        joint: wp.array(dtype=wp.int32)
        group: wp.array(dtype=wp.int32)
        row: wp.array(dtype=wp.int32)
        working_row: wp.array(dtype=wp.int32)  # working set: rows that the solve of a substep considers
        stamps: wp.array(dtype=wp.int64)  # one entry a world: key of the settings, and number of the step (`rest`)
        kept: wp.array(dtype=wp.int32)  # one entry a world, with the next four: lists are kept (`kept_rows`)
        rows_key: wp.array(dtype=wp.int32)  # `Rows.key` when they were made
        rows_found: wp.array(dtype=wp.int32)  # `Rows.found` when they were made
        kept_reach: wp.array(dtype=p.scalar)  # bound of displacements in a step when they were made
        kept_tolerance: wp.array(dtype=p.scalar)  # displacement up to which a body has not moved since
        kept_x: wp.array(dtype=p.vec3)  # poses of bodies when they were made
        kept_r: wp.array(dtype=p.quat)

    return SimpleNamespace(Clusters=Clusters, Islands=Islands)
