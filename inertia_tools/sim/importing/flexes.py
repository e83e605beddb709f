# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Flexible bodies of a description as particles and elements of a scene, and their attachments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from inertia_tools.description.flex_body import FlexBody
from inertia_tools.description.types import Description, Joint, JointType
from inertia_tools.errors import SimulationError
from inertia_tools.sim.importing.link_place import LinkPlace
from inertia_tools.sim.scene.bodies import WORLD
from inertia_tools.sim.scene.elastic_constants import (
    hinge_factors,
    lame_parameters,
    membrane_parameters,
    plate_rigidity,
)
from inertia_tools.sim.scene.joint_kind import JointKind
from inertia_tools.sim.scene.particles import ParticleFlags
from inertia_tools.sim.scene.scene import Scene
from inertia_tools.sim.scene.soft_topology import (
    counted_on,
    edges_of_triangles,
    of_positive_volume,
    surface_of_tetrahedra,
)
from inertia_tools.spatial import Array, Pose

SAME_PLACE = 1e-9
"""A point shared by two bodies belongs to a flexible body if it is within this distance [m]."""

PAIRS = {2: ((0, 1),), 3: ((0, 1), (1, 2), (2, 0)), 4: ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))}
"""Edges of an element, by the number of its corners."""


@dataclass(frozen=True, eq=False)
class Softness:
    """The flexible bodies of a robot that become particles.

    Attributes:
        robot: The robot without the links that are their points.
        flexes: The flexible bodies.
        ties: Joints of the document between one of those links and another link.
    """

    robot: Description
    flexes: tuple[FlexBody, ...]
    ties: tuple[Joint, ...]


def split_flexes(robot: Description) -> Softness:
    """Split flexible bodies whose points move freely from a robot; others remain links."""
    flexes = () if robot.mjcf is None else tuple(flex for flex in robot.mjcf.flexes if flex.moves_freely)
    flexes = tuple(flex for flex in flexes if flex.link in robot.links)
    points = {name for flex in flexes for name in flex.links.values()}
    if not points:
        return Softness(robot, (), ())
    ties = tuple(joint for joint in robot.loop_joints if {joint.parent, joint.child} & points)
    rest = replace(
        robot,
        links={name: link for name, link in robot.links.items() if name not in points},
        joints={name: joint for name, joint in robot.joints.items() if joint.child not in points},
        loop_joints=tuple(joint for joint in robot.loop_joints if joint not in ties),
    )
    return Softness(rest, flexes, ties)


def add_flexes(builder: Scene, softness: Softness, places: Mapping[str, LinkPlace]) -> list[str]:
    """Add flexible bodies to a scene.

    Args:
        builder: The scene.
        softness: The flexible bodies.
        places: Where the links of the robot are, by name.

    Returns:
        The omitted elements, each with the reason.

    Raises:
        SimulationError: An element has no size, or a sheet that bends is not manifold.
    """
    particles: dict[str, int] = {}
    for flex in softness.flexes:
        first = builder.particle_count
        try:
            _add_flex(builder, flex, places[flex.link])
        except SimulationError as error:
            raise SimulationError(f"{flex.place}: flexcomp {flex.name!r}: {error}") from error
        particles |= {link: first + index for index, link in flex.links.items()}
    return [said for tie in softness.ties for said in _tie(builder, tie, particles, places)]


def _add_flex(builder: Scene, flex: FlexBody, place: LinkPlace) -> None:
    """Add the points and elements of one flexible body."""
    whole = Pose() if place.body == WORLD else builder.body_pose[place.body]
    points, first = (whole @ place.pose_body_link).transform_points(flex.points), builder.particle_count
    held = np.array([index not in flex.links for index in range(len(points))])
    pinned = held & (not _moves(builder, place))
    builder.add_particles(
        points,
        mass=np.where(pinned, 0.0, flex.mass),
        radius=flex.radius,
        flags=np.where(pinned, 0, int(ParticleFlags.ACTIVE)).tolist(),
    )
    for index in np.flatnonzero(held & ~pinned).tolist():
        point = place.pose_body_link.transform_points(flex.points[index])
        builder.add_attachment_particle_body(first + index, place.body, body_point=point, stiffness=np.inf)
    _add_springs(builder, flex, first, held)
    first_tri, first_edge, first_tet = builder.tri_count, builder.edge_count, builder.tet_count
    if flex.dim == 2:
        _add_sheet(builder, flex, points, first)
        builder.mark_surface(flex.name, first, first_tri, first_edge)
    elif flex.dim == 3:
        _add_solid(builder, flex, points, first)
        builder.mark_volume(flex.name, first, first_tet)


def _moves(builder: Scene, place: LinkPlace) -> bool:
    """Return whether a link can move, and with it everything that it holds."""
    body = place.body
    while body != WORLD and not builder.body_kinematic[body]:
        index = builder.joint_above(body)
        if index is None or builder.joints[index].kind is not JointKind.FIXED:
            return True
        body = builder.joints[index].parent
    return False


def _add_springs(builder: Scene, flex: FlexBody, first: int, held: np.ndarray) -> None:
    """Add a spring along each edge with stiffness or damping, except between two held points."""
    pairs = np.concatenate([flex.elements[:, pair] for pair in PAIRS[flex.elements.shape[1]]])
    ends = np.unique(np.sort(pairs, axis=1), axis=0)
    free_ends = (~held[ends]).sum(axis=1)
    ends, free_ends = ends[free_ends > 0], free_ends[free_ends > 0]
    hardness, rate = flex.edges.equality or (0.0, 0.0)
    moved_mass = flex.mass / free_ends
    stiffness = flex.edges.stiffness * (flex.dim == 1) + hardness * moved_mass
    damping = flex.edges.damping + rate * moved_mass
    if stiffness.any() or damping.any():
        i, j = (ends + first).T
        builder.add_springs(i, j, ke=stiffness, kd=damping)


def _add_sheet(builder: Scene, flex: FlexBody, points: Array, first: int) -> None:
    """Add the triangles of a sheet, and its edges."""
    material = flex.elasticity
    thickness = material.thickness or 2.0 * flex.radius
    young = material.young if material.stretches else 0.0
    shear, area = membrane_parameters(young, material.poisson, thickness)
    triangles = flex.elements
    builder.add_triangles(
        *(triangles + first).T, tri_ke=shear, tri_ka=area, tri_kd=material.damping * shear, tri_drag=0.0, tri_lift=0.0
    )
    edges = edges_of_triangles(triangles, manifold_only=material.bends)
    bending = np.zeros(len(edges))
    if material.bends:
        bending = plate_rigidity(material.young, material.poisson, thickness) * hinge_factors(points, edges)
    builder.add_edges(*counted_on(edges, first).T, edge_ke=bending, edge_kd=material.damping * bending)


def _add_solid(builder: Scene, flex: FlexBody, points: Array, first: int) -> None:
    """Add the tetrahedra of a solid, and its surface; their corners are ordered so that they are not inverted."""
    tetrahedra = of_positive_volume(points, flex.elements)
    shear, bulk = lame_parameters(flex.elasticity.young, flex.elasticity.poisson)
    i, j, k, end = (tetrahedra + first).T
    builder.add_tetrahedra(i, j, k, end, k_mu=shear, k_lambda=bulk, k_damp=flex.elasticity.damping * shear)
    surface = surface_of_tetrahedra(tetrahedra)
    builder.add_triangles(*(surface + first).T, tri_ke=0.0, tri_ka=0.0, tri_kd=0.0, tri_drag=0.0, tri_lift=0.0)


def _tie(builder: Scene, tie: Joint, particles: Mapping[str, int], places: Mapping[str, LinkPlace]) -> Iterable[str]:
    """Attach a point of a flexible body as a joint of the document does; return the reason if that is impossible."""
    at_child = tie.pose_child_joint.position
    at_parent = tie.pose_parent_child.transform_points(at_child)
    ends = {tie.child: at_child, tie.parent: at_parent}
    mine, other = (tie.child, tie.parent) if tie.child in particles else (tie.parent, tie.child)
    if other in particles or tie.type is not JointType.BALL or np.linalg.norm(ends[mine]) > SAME_PLACE:
        yield f"equality {tie.name!r} (only a connect of a point of a flexcomp to a body, at that point, is made)"
        return
    place, particle = places[other], particles[mine]
    if not _moves(builder, place):
        builder.particle_mass[particle], builder.particle_flags[particle] = 0.0, 0
        return
    point = place.pose_body_link.transform_points(ends[other])
    builder.add_attachment_particle_body(particle, place.body, body_point=point, stiffness=np.inf)
