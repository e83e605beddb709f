# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Collisions and visuals as SDFormat writes them."""

from __future__ import annotations

from dataclasses import dataclass

from inertia_tools.conversion.account import Account, Kind
from inertia_tools.conversion.grounded import free_name
from inertia_tools.conversion.markup import Node, numbers
from inertia_tools.conversion.meshes import MeshFiles, must_be_written, uri_for
from inertia_tools.conversion.scene import Scene
from inertia_tools.description.link import Surface
from inertia_tools.description.lump import shape_name
from inertia_tools.description.sdf.surface import TORQUE_OF_PATCH
from inertia_tools.description.source import Place
from inertia_tools.description.types import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Geometry,
    Link,
    Mesh,
    OtherGeometry,
    Plane,
    Prism,
    Shape,
    Sphere,
)
from inertia_tools.errors import MeshError
from inertia_tools.spatial import Pose

CONE_VERSION, CAPSULE_VERSION = (1, 11), (1, 8)


@dataclass(frozen=True, eq=False)
class WrittenShape:
    """A shape and its written element.

    Attributes:
        kind: `collision` or `visual`.
        place: Its location in the source.
        node: Its element.
    """

    kind: str
    place: Place
    node: Node


class ShapeWriter:
    """Writes the shapes of links."""

    def __init__(self, scene: Scene, account: Account, version: tuple[int, int], *, with_surfaces: bool) -> None:
        self._scene, self._account, self._version = scene, account, version
        self._with_surfaces = with_surfaces
        self._meshes = MeshFiles()

    @property
    def files(self) -> dict[str, bytes]:
        """Written meshes, by their path relative to the document."""
        return self._meshes.files

    def write(self, node: Node, link: Link) -> list[WrittenShape]:
        """Add the shapes of a link to its element, and return them."""
        written: list[WrittenShape] = []
        for kind, shapes in (("collision", link.collisions), ("visual", link.visuals)):
            taken: set[str] = set()
            for number, shape in enumerate(shapes):
                geometry = self._geometry(shape, link)
                if geometry is None:
                    continue
                name = free_name(shape_name(shape, link.name, kind, number).replace("::", "__"), taken)
                taken.add(name)
                written.append(WrittenShape(kind, shape.place, self._write_shape(node, kind, name, shape, geometry)))
        return written

    def _write_shape(self, link: Node, kind: str, name: str, shape: Shape, geometry: Node) -> Node:
        node = link.add(kind, name=name)
        if not shape.pose_link_shape.isclose(Pose(), 0.0):
            node.add("pose", f"{numbers(shape.pose_link_shape.position)} {numbers(shape.pose_link_shape.rpy)}")
        node.add("geometry").children.append(geometry)
        if kind == "collision" and shape.surface is not None and self._with_surfaces:
            node.children += _surface(shape.surface)
        if kind == "visual" and shape.colour is not None:
            material = node.add("material")
            material.add("ambient", numbers(shape.colour))
            material.add("diffuse", numbers(shape.colour))
        return node

    def _geometry(self, shape: Shape, link: Link) -> Node | None:
        """Return the element of a geometry; None, with a note, if SDFormat has none."""
        node = self._primitive(shape.geometry)
        if node is None and isinstance(shape.geometry, Mesh):
            node = self._mesh(shape.geometry, shape, link)
        if node is None:
            what = shape.geometry.kind if isinstance(shape.geometry, OtherGeometry) else type(shape.geometry).__name__
            version = ".".join(map(str, self._version))
            message = f"the {what.lower()} of link {link.name!r} cannot be stored in SDFormat {version}"
            self._account.note(Kind.DROPPED, shape.name or link.name, message, shape.place)
        return node

    def _primitive(self, geometry: Geometry) -> Node | None:
        match geometry:
            case Box():
                return _node("box", size=numbers(geometry.size))
            case Sphere():
                return _node("sphere", radius=numbers([geometry.radius]))
            case Cylinder():
                return _round("cylinder", geometry.radius, geometry.length)
            case Capsule() if self._version >= CAPSULE_VERSION:
                return _round("capsule", geometry.radius, geometry.length)
            case Cone() if self._version >= CONE_VERSION:
                return _round("cone", geometry.radius, geometry.length)
            case Ellipsoid() if self._version >= CAPSULE_VERSION:
                return _node("ellipsoid", radii=numbers(geometry.semi_axes))
            case Plane():
                return _node("plane", normal=numbers(geometry.normal), size="1 1")
            case Prism() if len(geometry.outlines) == 1:
                node = _node("polyline", height=numbers([geometry.height]))
                for corner in geometry.outlines[0]:
                    node.add("point", numbers(corner))
                return node
            case OtherGeometry(kind="empty"):
                return Node("empty")
        return None

    def _mesh(self, mesh: Mesh, shape: Shape, link: Link) -> Node | None:
        try:
            uri = self._meshes.written(mesh) if must_be_written(mesh) else uri_for(mesh, self._scene.output, "model://")
        except MeshError as error:
            self._account.note(Kind.DROPPED, shape.name or link.name, str(error), shape.place)
            return None
        node = _node("mesh", uri=uri)
        if mesh.scale != (1.0, 1.0, 1.0):
            node.add("scale", numbers(mesh.scale))
        if mesh.submesh is not None and not must_be_written(mesh):
            submesh = node.add("submesh")
            submesh.add("name", mesh.submesh)
            submesh.add("center", "true" if mesh.center else "false")
        return node


def _surface(surface: Surface) -> list[Node]:
    """Return the elements of a surface in SDFormat; without a threshold, no collision would bounce."""
    node = Node("surface")
    friction = Node("friction")
    if surface.friction is not None:
        sliding = friction.add("ode")
        sliding.add_number("mu", surface.friction)
        sliding.add_number("mu2", surface.friction)
    if surface.torsional is not None:
        torsional = friction.add("torsional")
        torsional.add_number("coefficient", 1.0)
        torsional.add("use_patch_radius", "true")
        torsional.add_number("patch_radius", surface.torsional / TORQUE_OF_PATCH)
    node.children += [friction] if friction.children else []
    if surface.restitution is not None:
        bounce = node.add("bounce")
        bounce.add_number("restitution_coefficient", surface.restitution)
        bounce.add_number("threshold", 0.0)
    return [node] if node.children else []


def _node(tag: str, **texts: str) -> Node:
    node = Node(tag)
    for name, text in texts.items():
        node.add(name, text)
    return node


def _round(tag: str, radius: float, length: float) -> Node:
    return _node(tag, radius=numbers([radius]), length=numbers([length]))
