# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Warp structures of clusters, which joints tie together for good, and of islands, which contacts make of them."""

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
        """Bodies that move and that joints and couplings tie together, and what is between them.

        A body that no joint holds is a cluster too. Joints of what stays alone are one without bodies.
        """

        count: wp.int32  # of one world
        of_body: wp.array(dtype=wp.int32)  # -1 for what stays
        first_body: wp.array(dtype=wp.int32)
        body_count: wp.array(dtype=wp.int32)
        body: wp.array(dtype=wp.int32)  # parents before children
        first_joint: wp.array(dtype=wp.int32)
        joint_count: wp.array(dtype=wp.int32)
        jointed: wp.array(dtype=wp.int32)  # couplings tie it, or joints other than free ones, which hold nothing
        joint: wp.array(dtype=wp.int32)
        group: wp.array(dtype=wp.int32)  # of loops, or -1

    @wp.struct
    class Islands:
        """Clusters that may touch in this step, directly or through others; those of a world stand in its own part."""

        count: wp.array(dtype=wp.int32)  # one entry a world
        launch: wp.array(dtype=wp.int32)  # launches of the same step that were made before, and that come after
        apart: wp.array(dtype=wp.int32)  # one entry a world: each cluster is an island, and the lists are of that
        driven: wp.array(dtype=wp.int32)  # kinematic bodies that move in this step, those of each world in turn
        driver: wp.array(dtype=wp.int32)  # one entry a world: island that moves them, or -1
        first_driven: wp.array(dtype=wp.int32)  # one entry an island: those that it moves
        end_driven: wp.array(dtype=wp.int32)
        in_convoy: wp.array(dtype=wp.int32)  # one entry an island: it may meet them, and all such go substep by substep
        moved: wp.array(dtype=wp.int32)  # one entry an island: the last outer iterate has moved bodies
        unsettled_then: wp.array(dtype=wp.int32)  # one entry an island: `Rows.unsettled` at the start of the step
        driven_count: wp.array(dtype=wp.int32)  # one entry a world
        leader: wp.array(dtype=wp.int32)  # one entry a cluster: another one of its island, at last the first one
        of_cluster: wp.array(dtype=wp.int32)  # island of each cluster
        first_body: wp.array(dtype=wp.int32)  # from here on, one entry an island; a world has room for all its clusters
        end_body: wp.array(dtype=wp.int32)
        first_joint: wp.array(dtype=wp.int32)
        end_joint: wp.array(dtype=wp.int32)
        jointed: wp.array(dtype=wp.int32)  # as `Clusters.jointed`
        first_group: wp.array(dtype=wp.int32)
        end_group: wp.array(dtype=wp.int32)
        first_row: wp.array(dtype=wp.int32)
        end_row: wp.array(dtype=wp.int32)
        end_acting: wp.array(dtype=wp.int32)  # of the rows that act, from the first row on
        body: wp.array(dtype=wp.int32)  # of each island in turn: its bodies, parents first, with the next three
        order: wp.array(dtype=wp.int32)  # the same bodies as they are eliminated
        joint: wp.array(dtype=wp.int32)
        group: wp.array(dtype=wp.int32)
        row: wp.array(dtype=wp.int32)
        acting: wp.array(dtype=wp.int32)  # those of the rows that the solve of a substep looks at
        stamps: wp.array(dtype=wp.int64)  # one entry a world: number of the solver's settings, and of the step (`rest`)
        kept: wp.array(dtype=wp.int32)  # one entry a world, with the next four: lists of the last step (`kept_rows`)
        rows_key: wp.array(dtype=wp.int32)  # rows that they were made of
        rows_found: wp.array(dtype=wp.int32)  # and which
        way_then: wp.array(dtype=p.scalar)  # how far things could go in a step when they were made
        least_way: wp.array(dtype=p.scalar)  # up to which a body has not moved since
        x_then: wp.array(dtype=p.vec3)  # where bodies were then, and how they lay
        r_then: wp.array(dtype=p.quat)

    return SimpleNamespace(Clusters=Clusters, Islands=Islands)
