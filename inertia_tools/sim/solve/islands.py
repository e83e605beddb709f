# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Islands: sets of clusters that may interact in a step, each of which can be stepped by itself.

Union-find merges clusters connected by rows. Islands are in the order of their first clusters, and their contents in
the order of the world, so that the lists depend on the set of rows only. Islands that may meet a moving kinematic body
share substeps (lockstep); the first of them advances that body.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from inertia_tools.sim.kernels.island_types import island_types
from inertia_tools.sim.kernels.precision import Precision
from inertia_tools.sim.kernels.scene_types import scene_type


@lru_cache(maxsize=2)
def island_functions(p: Precision) -> Any:
    """Return the device functions of one precision."""
    Scene = wp.ref[scene_type(p)]
    Row, Body = p.references("Row", "Body")
    Clusters = wp.ref[island_types(p).Clusters]

    @wp.func
    def root_of(scene: Scene, cluster: int) -> int:
        """Return the first cluster of an island, and compress the path to it."""
        c = cluster
        while scene.islands.union_parent[c] != c:
            scene.islands.union_parent[c] = scene.islands.union_parent[scene.islands.union_parent[c]]
            c = scene.islands.union_parent[c]
        return c

    @wp.func
    def cluster_of(clusters: Clusters, b: int) -> int:
        if b < 0:
            return int(-1)
        return clusters.of_body[b]

    @wp.func
    def unite(scene: Scene, one: int, other: int):
        """Merge the islands of two clusters."""
        first, second = root_of(scene, one), root_of(scene, other)
        scene.islands.union_parent[wp.max(first, second)] = wp.min(first, second)

    @wp.func
    def moves_kinematically(body: Body, b: int) -> bool:
        """Return whether a body is a kinematic one that moves in this step."""
        if b < 0:
            return False
        return body.moves_kinematically == 1

    @wp.func
    def mark_island(scene: Scene, body: Body, one: int, other: int, world: int):
        """Put the island of a body that may meet a moving kinematic one in lockstep."""
        cluster = cluster_of(scene.clusters, other)
        if cluster >= 0 and moves_kinematically(body, one):
            n = scene.islands.of_cluster[cluster]
            scene.islands.in_lockstep[n] = int(1)
            if scene.islands.kinematic_island[world] < 0 or n < scene.islands.kinematic_island[world]:
                scene.islands.kinematic_island[world] = n

    @wp.func
    def list_kinematic(scene: Scene, world: int):
        """List the kinematic bodies of a world that move in this step."""
        first, count = world * scene.bodies.count, int(0)
        for b in range(first, first + scene.bodies.count):
            if scene.bodies.inv_mass[b] == p.scalar(0.0) and scene.body[b].moves_kinematically == 1:
                scene.islands.kinematic_body[first + count] = b
                count += 1
        scene.islands.kinematic_count[world] = count

    @wp.func
    def mark_lockstep(scene: Scene, world: int):
        """Mark the islands with contacts or joints to a moving kinematic body."""
        scene.islands.kinematic_island[world] = int(-1)
        if scene.islands.kinematic_count[world] > 0:
            for k in range(scene.rows.first[world], scene.rows.first[world] + scene.rows.count[world]):
                mark_island(
                    scene,
                    scene.body[scene.rows.row[k].body_a],
                    scene.rows.row[k].body_a,
                    scene.rows.row[k].body_b,
                    world,
                )
                mark_island(
                    scene,
                    scene.body[scene.rows.row[k].body_b],
                    scene.rows.row[k].body_b,
                    scene.rows.row[k].body_a,
                    world,
                )
            for j in range(world * scene.joints.count, (world + 1) * scene.joints.count):
                mark_island(
                    scene, scene.body[scene.joints.parent[j]], scene.joints.parent[j], scene.joints.child[j], world
                )
                mark_island(
                    scene, scene.body[scene.joints.child[j]], scene.joints.child[j], scene.joints.parent[j], world
                )

    @wp.func
    def assign_kinematic(scene: Scene, world: int):
        """Assign the moving kinematic bodies to the first island in lockstep."""
        if scene.islands.kinematic_island[world] >= 0:
            n = scene.islands.kinematic_island[world]
            scene.islands.first_kinematic[n] = world * scene.bodies.count
            scene.islands.end_kinematic[n] = world * scene.bodies.count + scene.islands.kinematic_count[world]

    @wp.func
    def join_clusters(scene: Scene, world: int):
        """Merge clusters connected by rows."""
        for c in range(world * scene.clusters.count, (world + 1) * scene.clusters.count):
            scene.islands.union_parent[c] = c
        for k in range(scene.rows.first[world], scene.rows.first[world] + scene.rows.count[world]):
            one = cluster_of(scene.clusters, scene.rows.row[k].body_a)
            other = cluster_of(scene.clusters, scene.rows.row[k].body_b)
            if one >= 0 and other >= 0 and one != other:
                unite(scene, one, other)

    @wp.func
    def island_of_row(scene: Scene, row: Row) -> int:
        cluster = cluster_of(scene.clusters, row.body_a)
        if cluster < 0:
            cluster = cluster_of(scene.clusters, row.body_b)
        return scene.islands.of_cluster[cluster]

    @wp.func
    def number_islands(scene: Scene, world: int):
        """Number the islands of a world, and count the contents of each."""
        found = int(world * scene.clusters.count)
        for c in range(world * scene.clusters.count, (world + 1) * scene.clusters.count):
            n = int(found)
            if scene.islands.union_parent[c] == c:
                found += 1
                scene.islands.end_body[n] = int(0)
                scene.islands.first_kinematic[n] = int(0)
                scene.islands.end_kinematic[n] = int(0)
                scene.islands.in_lockstep[n] = int(0)
                scene.islands.end_joint[n] = int(0)
                scene.islands.jointed[n] = int(0)
                scene.islands.end_group[n] = int(0)
                scene.islands.end_row[n] = int(0)
            else:
                n = scene.islands.of_cluster[root_of(scene, c)]
            scene.islands.of_cluster[c] = n
            scene.islands.end_body[n] = scene.islands.end_body[n] + scene.clusters.body_count[c]
            scene.islands.end_joint[n] = scene.islands.end_joint[n] + scene.clusters.joint_count[c]
            scene.islands.jointed[n] = scene.islands.jointed[n] | scene.clusters.jointed[c]
            if scene.clusters.group[c] >= 0:
                scene.islands.end_group[n] = scene.islands.end_group[n] + 1
        scene.islands.count[world] = found - world * scene.clusters.count
        for k in range(scene.rows.first[world], scene.rows.first[world] + scene.rows.count[world]):
            n = island_of_row(scene, scene.rows.row[k])
            scene.islands.end_row[n] = scene.islands.end_row[n] + 1

    @wp.func
    def allocate_lists(scene: Scene, world: int):
        """Assign each island its part of the lists, empty at first."""
        first = world * scene.clusters.count
        body, joint = int(world * scene.bodies.count), int(world * scene.joints.count)
        group, row = int(first), int(scene.rows.first[world])
        for n in range(first, first + scene.islands.count[world]):
            scene.islands.first_body[n] = body
            scene.islands.first_joint[n] = joint
            scene.islands.first_group[n] = group
            scene.islands.first_row[n] = row
            body = body + scene.islands.end_body[n]
            joint = joint + scene.islands.end_joint[n]
            group = group + scene.islands.end_group[n]
            row = row + scene.islands.end_row[n]
            scene.islands.end_body[n] = scene.islands.first_body[n]
            scene.islands.end_joint[n] = scene.islands.first_joint[n]
            scene.islands.end_group[n] = scene.islands.first_group[n]
            scene.islands.end_row[n] = scene.islands.first_row[n]

    @wp.func
    def list_clusters(scene: Scene, world: int):
        """Put the bodies, joints and loop groups of each cluster into the lists of its island."""
        for c in range(world * scene.clusters.count, (world + 1) * scene.clusters.count):
            n = scene.islands.of_cluster[c]
            at = scene.islands.end_body[n]
            for i in range(scene.clusters.body_count[c]):
                scene.islands.body[at + i] = scene.clusters.body[scene.clusters.first_body[c] + i]
            scene.islands.end_body[n] = at + scene.clusters.body_count[c]
            at = scene.islands.end_joint[n]
            for i in range(scene.clusters.joint_count[c]):
                scene.islands.joint[at + i] = scene.clusters.joint[scene.clusters.first_joint[c] + i]
            scene.islands.end_joint[n] = at + scene.clusters.joint_count[c]
            if scene.clusters.group[c] >= 0:
                scene.islands.group[scene.islands.end_group[n]] = scene.clusters.group[c]
                scene.islands.end_group[n] = scene.islands.end_group[n] + 1

    @wp.func
    def find_islands(scene: Scene, world: int):
        """List the islands of a world from its rows; without rows they are the clusters, and may be kept."""
        list_kinematic(scene, world)
        if scene.rows.count[world] == 0 and scene.islands.kinematic_count[world] == 0:
            if scene.islands.are_clusters[world] == 1:
                return
            scene.islands.are_clusters[world] = int(1)
        else:
            scene.islands.are_clusters[world] = int(0)
        join_clusters(scene, world)
        number_islands(scene, world)
        mark_lockstep(scene, world)
        assign_kinematic(scene, world)
        allocate_lists(scene, world)
        list_clusters(scene, world)
        for k in range(scene.rows.first[world], scene.rows.first[world] + scene.rows.count[world]):
            n = island_of_row(scene, scene.rows.row[k])
            scene.islands.row[scene.islands.end_row[n]] = k
            scene.islands.end_row[n] = scene.islands.end_row[n] + 1

    @wp.func
    def end_of_lockstep(scene: Scene, world: int, n: int) -> int:
        """Return the end of the islands stepped along with one; the first in lockstep has all that follow."""
        if scene.islands.in_lockstep[n] == 0:
            return n + 1
        if scene.islands.kinematic_island[world] == n:
            return world * scene.clusters.count + scene.islands.count[world]
        return n

    return SimpleNamespace(find_islands=find_islands, end_of_lockstep=end_of_lockstep)
