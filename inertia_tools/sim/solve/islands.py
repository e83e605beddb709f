# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Islands: what may feel each other in a step, listed so that each can be stepped by itself.

Clusters are joined by the rows at hand, each to the first of both; islands stand in the order of their first clusters,
and what is in them in the order of the world. So lists depend on nothing but which rows there are.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.kernels.island_types import island_types
from inertia_tools.sim.kernels.precision import Precision


@lru_cache(maxsize=2)
def island_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Bodies, Joints, Rows, Row, Work, Body = p.references("Bodies", "Joints", "Rows", "Row", "Work", "Body")
    Clusters, Islands = wp.ref[island_types(p).Clusters], wp.ref[island_types(p).Islands]

    @wp.func
    def first_of(islands: Islands, cluster: int) -> int:
        """Return the first cluster of an island, and shorten the way to it."""
        c = cluster
        while islands.leader[c] != c:
            islands.leader[c] = islands.leader[islands.leader[c]]
            c = islands.leader[c]
        return c

    @wp.func
    def cluster_of(clusters: Clusters, b: int) -> int:
        if b < 0:
            return int(-1)
        return clusters.of_body[b]

    @wp.func
    def join(islands: Islands, one: int, other: int):
        """Join the islands of two clusters."""
        first, second = first_of(islands, one), first_of(islands, other)
        islands.leader[wp.max(first, second)] = wp.min(first, second)

    @wp.func
    def is_driven(body: Body, b: int) -> bool:
        """Tell whether a body, or the world, is a kinematic one that moves in this step."""
        if b < 0:
            return False
        return body.is_led == 1

    @wp.func
    def tie(clusters: Clusters, islands: Islands, body: Body, one: int, other: int, world: int):
        """Let the island of a body that may meet a kinematic one that moves be stepped along with all such islands."""
        cluster = cluster_of(clusters, other)
        if cluster >= 0 and is_driven(body, one):
            n = islands.of_cluster[cluster]
            islands.in_convoy[n] = int(1)
            if islands.driver[world] < 0 or n < islands.driver[world]:
                islands.driver[world] = n

    @wp.func
    def list_driven(bodies: Bodies, islands: Islands, work: Work, world: int):
        """List the kinematic bodies of a world that move in this step."""
        first, count = world * bodies.count, int(0)
        for b in range(first, first + bodies.count):
            if bodies.inv_mass[b] == p.scalar(0.0) and work.body[b].is_led == 1:
                islands.driven[first + count] = b
                count += 1
        islands.driven_count[world] = count

    @wp.func
    def form_convoy(joints: Joints, rows: Rows, clusters: Clusters, islands: Islands, work: Work, world: int):
        """Find the islands with what may meet a kinematic body that moves, or hangs on one."""
        islands.driver[world] = int(-1)
        if islands.driven_count[world] > 0:
            for k in range(rows.first[world], rows.first[world] + rows.count[world]):
                tie(clusters, islands, work.body[rows.row[k].body_a], rows.row[k].body_a, rows.row[k].body_b, world)
                tie(clusters, islands, work.body[rows.row[k].body_b], rows.row[k].body_b, rows.row[k].body_a, world)
            for j in range(world * joints.count, (world + 1) * joints.count):
                tie(clusters, islands, work.body[joints.parent[j]], joints.parent[j], joints.child[j], world)
                tie(clusters, islands, work.body[joints.child[j]], joints.child[j], joints.parent[j], world)

    @wp.func
    def hand_over_driven(bodies: Bodies, islands: Islands, world: int):
        """Give the kinematic bodies that move to the first island of the convoy."""
        if islands.driver[world] >= 0:
            n = islands.driver[world]
            islands.first_driven[n] = world * bodies.count
            islands.end_driven[n] = world * bodies.count + islands.driven_count[world]

    @wp.func
    def join_clusters(clusters: Clusters, islands: Islands, rows: Rows, world: int):
        """Join the clusters that rows lie between."""
        for c in range(world * clusters.count, (world + 1) * clusters.count):
            islands.leader[c] = c
        for k in range(rows.first[world], rows.first[world] + rows.count[world]):
            one, other = cluster_of(clusters, rows.row[k].body_a), cluster_of(clusters, rows.row[k].body_b)
            if one >= 0 and other >= 0 and one != other:
                join(islands, one, other)

    @wp.func
    def island_of_row(clusters: Clusters, islands: Islands, row: Row) -> int:
        cluster = cluster_of(clusters, row.body_a)
        if cluster < 0:
            cluster = cluster_of(clusters, row.body_b)
        return islands.of_cluster[cluster]

    @wp.func
    def number_islands(clusters: Clusters, islands: Islands, rows: Rows, world: int):
        """Number the islands of a world, and count what is in each."""
        found = int(world * clusters.count)
        for c in range(world * clusters.count, (world + 1) * clusters.count):
            n = int(found)
            if islands.leader[c] == c:
                found += 1
                islands.end_body[n] = int(0)
                islands.first_driven[n] = int(0)
                islands.end_driven[n] = int(0)
                islands.in_convoy[n] = int(0)
                islands.end_joint[n] = int(0)
                islands.end_group[n] = int(0)
                islands.end_row[n] = int(0)
            else:
                n = islands.of_cluster[first_of(islands, c)]
            islands.of_cluster[c] = n
            islands.end_body[n] = islands.end_body[n] + clusters.body_count[c]
            islands.end_joint[n] = islands.end_joint[n] + clusters.joint_count[c]
            if clusters.group[c] >= 0:
                islands.end_group[n] = islands.end_group[n] + 1
        islands.count[world] = found - world * clusters.count
        for k in range(rows.first[world], rows.first[world] + rows.count[world]):
            n = island_of_row(clusters, islands, rows.row[k])
            islands.end_row[n] = islands.end_row[n] + 1

    @wp.func
    def share_room(clusters: Clusters, islands: Islands, rows: Rows, bodies: Bodies, joints: Joints, world: int):
        """Give each island its part of the lists, empty yet."""
        first = world * clusters.count
        body, joint = int(world * bodies.count), int(world * joints.count)
        group, row = int(first), int(rows.first[world])
        for n in range(first, first + islands.count[world]):
            islands.first_body[n] = body
            islands.first_joint[n] = joint
            islands.first_group[n] = group
            islands.first_row[n] = row
            body = body + islands.end_body[n]
            joint = joint + islands.end_joint[n]
            group = group + islands.end_group[n]
            row = row + islands.end_row[n]
            islands.end_body[n] = islands.first_body[n]
            islands.end_joint[n] = islands.first_joint[n]
            islands.end_group[n] = islands.first_group[n]
            islands.end_row[n] = islands.first_row[n]

    @wp.func
    def list_clusters(clusters: Clusters, islands: Islands, world: int):
        """Put the bodies, joints and groups of loops of each cluster into the lists of its island."""
        for c in range(world * clusters.count, (world + 1) * clusters.count):
            n = islands.of_cluster[c]
            at = islands.end_body[n]
            for i in range(clusters.body_count[c]):
                islands.body[at + i] = clusters.body[clusters.first_body[c] + i]
            islands.end_body[n] = at + clusters.body_count[c]
            at = islands.end_joint[n]
            for i in range(clusters.joint_count[c]):
                islands.joint[at + i] = clusters.joint[clusters.first_joint[c] + i]
            islands.end_joint[n] = at + clusters.joint_count[c]
            if clusters.group[c] >= 0:
                islands.group[islands.end_group[n]] = clusters.group[c]
                islands.end_group[n] = islands.end_group[n] + 1

    @wp.func
    def find_islands(
        bodies: Bodies, joints: Joints, rows: Rows, clusters: Clusters, islands: Islands, work: Work, world: int
    ):
        """List the islands of a world, its rows being known; without any they are the clusters, as they were."""
        list_driven(bodies, islands, work, world)
        if rows.count[world] == 0 and islands.driven_count[world] == 0:
            if islands.apart[world] == 1:
                return
            islands.apart[world] = int(1)
        else:
            islands.apart[world] = int(0)
        join_clusters(clusters, islands, rows, world)
        number_islands(clusters, islands, rows, world)
        form_convoy(joints, rows, clusters, islands, work, world)
        hand_over_driven(bodies, islands, world)
        share_room(clusters, islands, rows, bodies, joints, world)
        list_clusters(clusters, islands, world)
        for k in range(rows.first[world], rows.first[world] + rows.count[world]):
            n = island_of_row(clusters, islands, rows.row[k])
            islands.row[islands.end_row[n]] = k
            islands.end_row[n] = islands.end_row[n] + 1

    @wp.func
    def end_of_convoy(clusters: Clusters, islands: Islands, world: int, n: int) -> int:
        """Return up to where islands are stepped along with one: the first of a convoy has all that follow in it."""
        if islands.in_convoy[n] == 0:
            return n + 1
        if islands.driver[world] == n:
            return world * clusters.count + islands.count[world]
        return n

    return SimpleNamespace(find_islands=find_islands, end_of_convoy=end_of_convoy)
