# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Neighbour lists of cloth: the triangles near each particle, and the edges near each edge (Verlet 1967).

Two parts may touch in a substep if the bounding boxes of their paths overlap. A search lists the pairs whose boxes
overlap if each particle has a larger box. The lists hold while the box of each particle stays inside its larger box,
whatever moved it. Boxes are compared after subtraction of the common motion of all triangles, so cloth that moves as a
whole keeps its lists.

Triangles and edges are in small groups of near ones. A hierarchy of boxes finds the groups near each group, and only
their members are compared.
"""

import warp as wp

from inertia_tools.kernel_loading import MODULE_OPTIONS
from inertia_tools.sim.soft.finding import FORESIGHT
from inertia_tools.sim.soft.work import Particles

wp.set_module_options(MODULE_OPTIONS)

vec3d = wp.vec3d
HALF, ONE, TWO = wp.constant(wp.float64(0.5)), wp.constant(wp.float64(1.0)), wp.constant(wp.float64(2.0))

FAR = wp.constant(wp.float64(1.0e30))
"""More than any coordinate [m] or velocity [m/s]."""

STRAY = wp.constant(wp.float64(0.1))
"""Deviation of a particle from its extrapolated path in two substeps, relative to the length of the path."""

ROUNDING = wp.constant(wp.float64(1.0e-5))
"""Bounding boxes grow by this, relative to the distance from the origin, as hierarchies are in single precision."""

AHEAD = wp.constant(wp.float64(4.0))
"""Larger boxes extend along the path of so many substeps. Of 0, 2, 4 and 6, this costs least: there are half as many
searches as with 0, and the lists of cloth that tumbles stay short."""


@wp.struct
class Paths:
    """Bounding boxes of the paths of particles in two substeps, and larger ones for which lists were made."""

    extent: wp.array(dtype=wp.vec3d)  # least and greatest velocity of particles [m/s], then position of corners [m]
    low: wp.array(dtype=wp.vec3)  # corners of the box of each particle
    high: wp.array(dtype=wp.vec3)
    kept_low: wp.array(dtype=wp.vec3)  # corners of its larger box
    kept_high: wp.array(dtype=wp.vec3)
    kept_centre: wp.array(dtype=wp.vec3d)  # centre of all corners when all lists were made, one entry
    margin: wp.array(dtype=wp.float64)  # by which the larger box exceeds the box [m]
    is_corner: wp.array(dtype=wp.int32)  # the particle is a corner of a triangle
    is_stale: wp.array(dtype=wp.int32)  # all lists are made in this substep, one entry


@wp.struct
class Groups:
    """Triangles or edges in groups; members of a group are consecutive."""

    member: wp.array(dtype=wp.int32)  # triangle or edge
    nodes: wp.array2d(dtype=wp.int32)  # three particles of each member; an edge has its second end twice
    box: wp.array2d(dtype=wp.vec3)  # around the boxes of these particles: lower and upper corner
    kept_box: wp.array2d(dtype=wp.vec3)  # around their larger boxes
    first: wp.array(dtype=wp.int32)  # first member of each group, and the number of all
    rank: wp.array(dtype=wp.int32)  # the member that each triangle or edge is
    group_of: wp.array(dtype=wp.int32)  # group of each triangle or edge
    world: wp.array(dtype=wp.int32)  # of each group
    greatest: wp.array(dtype=wp.int32)  # greatest index of its triangles or edges
    low: wp.array(dtype=wp.vec3)  # corners of the box around the larger boxes of its members
    high: wp.array(dtype=wp.vec3)
    tree: wp.uint64  # bounding volume hierarchy of these
    near_groups: wp.array2d(dtype=wp.int32)  # groups near each one, in ascending order
    near_group_count: wp.array(dtype=wp.int32)  # a number above the length of the list: it is incomplete
    near: wp.array2d(dtype=wp.int32)  # members near each particle, or each edge: the first ones in ascending order
    near_count: wp.array(dtype=wp.int32)  # number of all members near it


@wp.func
def to_single(v: vec3d) -> wp.vec3:
    """Return a vector in single precision."""
    return wp.vec3(wp.float32(v[0]), wp.float32(v[1]), wp.float32(v[2]))


@wp.func
def to_double(v: wp.vec3) -> vec3d:
    """Return a vector in double precision."""
    return vec3d(wp.float64(v[0]), wp.float64(v[1]), wp.float64(v[2]))


@wp.kernel
def reset_extent(paths: Paths):
    """Reset the ranges of velocities and positions, and assume that the lists hold."""
    for k in range(2):
        paths.extent[2 * k] = vec3d(FAR, FAR, FAR)
        paths.extent[2 * k + 1] = -vec3d(FAR, FAR, FAR)
    paths.is_stale[0] = 0


@wp.kernel
def measure_extent(paths: Paths, particles: Particles):
    """Compute the range of velocities of all particles, and that of positions of corners, along each axis."""
    i = wp.tid()
    v, x = vec3d(particles.v[i]), vec3d(particles.start[i])
    wp.atomic_min(paths.extent, 0, v)
    wp.atomic_max(paths.extent, 1, v)
    if paths.is_corner[i] == 1:
        wp.atomic_min(paths.extent, 2, x)
        wp.atomic_max(paths.extent, 3, x)


@wp.func
def path_of(paths: Paths, particles: Particles, i: int, time: wp.float64) -> vec3d:
    """Return the displacement of a particle in a time [s] relative to the mean of the velocity range [m].

    Particles that move together do not approach each other.
    """
    return time * (vec3d(particles.v[i]) - HALF * (paths.extent[0] + paths.extent[1]))


@wp.func
def centre_of(paths: Paths) -> vec3d:
    """Return the centre of the range of the corners of triangles [m]."""
    return HALF * (paths.extent[2] + paths.extent[3])


@wp.func
def keeps_box(paths: Paths, i: int) -> bool:
    """Return whether the box of a particle, less the common motion, is inside its larger box.

    Subtraction of one vector from all boxes keeps the order of their bounds, also when it is rounded. So larger boxes
    overlap wherever boxes do.
    """
    moved = centre_of(paths) - paths.kept_centre[0]
    low, high = to_double(paths.low[i]) - moved, to_double(paths.high[i]) - moved
    kept_low, kept_high = to_double(paths.kept_low[i]), to_double(paths.kept_high[i])
    is_above = low[0] >= kept_low[0] and low[1] >= kept_low[1] and low[2] >= kept_low[2]
    return is_above and high[0] <= kept_high[0] and high[1] <= kept_high[1] and high[2] <= kept_high[2]


@wp.func
def keep_box(paths: Paths, particles: Particles, i: int, moved: vec3d, h: wp.float64):
    """Set the larger box of a particle around its box less a common motion [m]."""
    room = paths.margin[i] + ROUNDING * wp.length(particles.start[i] - moved)
    path = path_of(paths, particles, i, AHEAD * h)
    low = to_double(paths.low[i]) - moved - vec3d(room, room, room)
    high = to_double(paths.high[i]) - moved + vec3d(room, room, room)
    paths.kept_low[i] = to_single(wp.min(low, low + path))
    paths.kept_high[i] = to_single(wp.max(high, high + path))


@wp.func
def renew_box(paths: Paths, particles: Particles, i: int, h: wp.float64) -> bool:
    """Set the larger box of a particle if it left it; return whether its list must be made in this substep of h [s].

    Only a particle that is no corner of a triangle is outside here, as all others have new boxes by then.
    """
    if keeps_box(paths, i):
        return paths.is_stale[0] == 1
    keep_box(paths, particles, i, centre_of(paths) - paths.kept_centre[0], h)
    return True


@wp.kernel
def bound_particles(paths: Paths, particles: Particles, h: wp.float64):
    """Compute the bounding boxes of the paths of particles in two substeps of h [s], and whether the lists hold."""
    i = wp.tid()
    x, path = vec3d(particles.start[i]), path_of(paths, particles, i, TWO * h)
    radius = particles.radius[i] * (ONE + FORESIGHT)
    room = radius + STRAY * wp.length(path) + ROUNDING * (ONE + wp.length(x))
    paths.low[i] = to_single(wp.min(x, x + path) - vec3d(room, room, room))
    paths.high[i] = to_single(wp.max(x, x + path) + vec3d(room, room, room))
    if paths.is_corner[i] == 1 and not keeps_box(paths, i):
        paths.is_stale[0] = 1


@wp.kernel
def keep_boxes(paths: Paths, particles: Particles, h: wp.float64):
    """If the lists do not hold, set the larger boxes of particles around their boxes."""
    if paths.is_stale[0] == 0:
        return
    i = wp.tid()
    keep_box(paths, particles, i, vec3d(), h)
    if i == 0:
        paths.kept_centre[0] = centre_of(paths)


@wp.func
def lower(low: wp.array(dtype=wp.vec3), nodes: wp.array2d(dtype=wp.int32), r: int) -> wp.vec3:
    """Return the lower corner of the box around those of three particles."""
    return wp.min(wp.min(low[nodes[r, 0]], low[nodes[r, 1]]), low[nodes[r, 2]])


@wp.func
def upper(high: wp.array(dtype=wp.vec3), nodes: wp.array2d(dtype=wp.int32), r: int) -> wp.vec3:
    """Return the upper corner of the box around those of three particles."""
    return wp.max(wp.max(high[nodes[r, 0]], high[nodes[r, 1]]), high[nodes[r, 2]])


@wp.kernel
def bound_groups(paths: Paths, groups: Groups):
    """Compute the boxes of members; if the lists do not hold, also the larger ones of members and groups."""
    g = wp.tid()
    begin, end = groups.first[g], groups.first[g + 1]
    for r in range(begin, end):
        groups.box[r, 0] = lower(paths.low, groups.nodes, r)
        groups.box[r, 1] = upper(paths.high, groups.nodes, r)
    if paths.is_stale[0] == 1:
        low, high = lower(paths.kept_low, groups.nodes, begin), upper(paths.kept_high, groups.nodes, begin)
        for r in range(begin, end):
            groups.kept_box[r, 0] = lower(paths.kept_low, groups.nodes, r)
            groups.kept_box[r, 1] = upper(paths.kept_high, groups.nodes, r)
            low = wp.min(low, groups.kept_box[r, 0])
            high = wp.max(high, groups.kept_box[r, 1])
        groups.low[g] = low
        groups.high[g] = high


@wp.func
def boxes_overlap(low: wp.vec3, high: wp.vec3, other_low: wp.vec3, other_high: wp.vec3) -> bool:
    """Return whether two boxes overlap or touch."""
    is_apart = low[0] > other_high[0] or low[1] > other_high[1] or low[2] > other_high[2]
    return not (is_apart or high[0] < other_low[0] or high[1] < other_low[1] or high[2] < other_low[2])


@wp.func
def are_of_one_world(first: int, second: int) -> bool:
    """Return whether two worlds are the same, or one of them is common to all."""
    return first == second or first < 0 or second < 0


@wp.func
def insert(lists: wp.array2d(dtype=wp.int32), row: int, count: int, item: int) -> int:
    """Insert an item into an ascending list, which loses its last one if it is full; return the number of all items."""
    k = wp.min(count, lists.shape[1])
    if k == lists.shape[1]:
        k -= 1
        if lists[row, k] < item:
            return count + 1
    while k > 0:
        before = lists[row, k - 1]
        if before < item:
            break
        lists[row, k] = before
        k -= 1
    lists[row, k] = item
    return count + 1


@wp.kernel
def list_groups(paths: Paths, groups: Groups):
    """If the lists do not hold, list the groups near each one, itself among them."""
    if paths.is_stale[0] == 0:
        return
    g = wp.tid()
    count, q = int(0), int(0)
    query = wp.bvh_query_aabb(groups.tree, groups.low[g], groups.high[g])
    while wp.bvh_query_next(query, q):
        if are_of_one_world(groups.world[g], groups.world[q]):
            count = insert(groups.near_groups, g, count, q)
    groups.near_group_count[g] = count


@wp.kernel
def list_leaves(tree: wp.uint64, leaves: wp.array(dtype=wp.int32)):
    """List the items of a hierarchy in the order in which searches find them."""
    item, count = int(0), int(0)
    query = wp.bvh_query_aabb(tree, wp.vec3(-1.0e30, -1.0e30, -1.0e30), wp.vec3(1.0e30, 1.0e30, 1.0e30))
    while wp.bvh_query_next(query, item):
        leaves[count] = item
        count += 1


@wp.func
def list_triangles_of(paths: Paths, triangles: Groups, i: int, after: int, group: int, count: int) -> int:
    """Add the members of a group near a particle that is not their corner to its list, those after a member."""
    total, low, high = int(count), paths.kept_low[i], paths.kept_high[i]
    if boxes_overlap(low, high, triangles.low[group], triangles.high[group]):
        for r in range(wp.max(triangles.first[group], after + 1), triangles.first[group + 1]):
            if boxes_overlap(low, high, triangles.kept_box[r, 0], triangles.kept_box[r, 1]):
                if i != triangles.nodes[r, 0] and i != triangles.nodes[r, 1] and i != triangles.nodes[r, 2]:
                    total = insert(triangles.near, i, total, r)
    return total


@wp.func
def list_triangles(paths: Paths, particles: Particles, triangles: Groups, i: int, g: int, after: int) -> int:
    """List the triangles near a particle after a member, and return their number.

    `g` is the group of a triangle at whose corner the particle is, or -1.
    """
    count, q = int(0), int(0)
    if g >= 0:
        if triangles.near_group_count[g] <= triangles.near_groups.shape[1]:
            for k in range(triangles.near_group_count[g]):
                count = list_triangles_of(paths, triangles, i, after, triangles.near_groups[g, k], count)
            return count
    query = wp.bvh_query_aabb(triangles.tree, paths.kept_low[i], paths.kept_high[i])
    while wp.bvh_query_next(query, q):
        if are_of_one_world(particles.world[i], triangles.world[q]):
            count = list_triangles_of(paths, triangles, i, after, q, count)
    return count


@wp.func
def list_edges_of(edges: Groups, e: int, own: int, after: int, group: int, count: int) -> int:
    """Add the members of a group near an edge, of higher index and with other ends, to its list: those after one."""
    total, low, high = int(count), edges.kept_box[own, 0], edges.kept_box[own, 1]
    i, j = edges.nodes[own, 0], edges.nodes[own, 1]
    if edges.greatest[group] > e and boxes_overlap(low, high, edges.low[group], edges.high[group]):
        for r in range(wp.max(edges.first[group], after + 1), edges.first[group + 1]):
            if edges.member[r] > e and boxes_overlap(low, high, edges.kept_box[r, 0], edges.kept_box[r, 1]):
                k, m = edges.nodes[r, 0], edges.nodes[r, 1]
                if i != k and i != m and j != k and j != m:
                    total = insert(edges.near, e, total, r)
    return total


@wp.func
def list_edges(edges: Groups, e: int, own: int, after: int) -> int:
    """List the edges near an edge, itself member `own`, after a member, and return their number."""
    count, q, g = int(0), int(0), edges.group_of[e]
    if edges.near_group_count[g] <= edges.near_groups.shape[1]:
        for k in range(edges.near_group_count[g]):
            count = list_edges_of(edges, e, own, after, edges.near_groups[g, k], count)
        return count
    query = wp.bvh_query_aabb(edges.tree, edges.kept_box[own, 0], edges.kept_box[own, 1])
    while wp.bvh_query_next(query, q):
        if are_of_one_world(edges.world[g], edges.world[q]):
            count = list_edges_of(edges, e, own, after, q, count)
    return count
