# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The shapes of SDFormat."""

from __future__ import annotations

import math
from collections.abc import Callable

from inertia_tools.description.geometry import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Geometry,
    Mesh,
    OtherGeometry,
    Plane,
    Prism,
    Sphere,
)
from inertia_tools.description.resources import absence_of, resolve_uri
from inertia_tools.description.sdf.heightmap import read_heightmap
from inertia_tools.description.sdf.values import number_in, numbers_in, numbers_of, optional_number, text_in, truth_in
from inertia_tools.description.source import Document
from inertia_tools.description.xml import Element

UNSCALED = (1.0, 1.0, 1.0)
UP = (0.0, 0.0, 1.0)


def read_geometry(holder: Element, document: Document) -> Geometry:
    """Read the shape in a `<geometry>`; an empty element is `empty`.

    Sizes are not checked here; integration refuses those that no body has.

    Args:
        holder: The `<geometry>`.
        document: Its document, to which mesh paths are relative.

    Raises:
        ParseError: A size is missing or not a number, or there are several shapes.
    """
    if not holder.children:
        return OtherGeometry("empty")
    first = holder.children[0]
    if first.tag == "polyline":
        return _read_prism(holder)
    if len(holder.children) > 1:
        raise holder.error(f"<geometry> has {len(holder.children)} shapes; it must have one")
    if first.tag == "mesh":
        return _read_mesh(first, document)
    if first.tag == "heightmap":
        return read_heightmap(first, document)
    reader = READERS.get(first.tag)
    return OtherGeometry(first.tag) if reader is None else reader(first)


def mesh_optimization(holder: Element) -> str | None:
    """Return the stated collision shape of a mesh, such as `convex_hull`; None if none is stated."""
    mesh = holder.only("mesh")
    return None if mesh is None else mesh.attributes.get("optimization")


def _read_box(element: Element) -> Box:
    x, y, z = numbers_in(element, "size", 3)
    return Box((x, y, z))


def _read_sphere(element: Element) -> Sphere:
    return Sphere(number_in(element, "radius"))


def _read_cylinder(element: Element) -> Cylinder:
    return Cylinder(number_in(element, "radius"), number_in(element, "length"))


def _read_capsule(element: Element) -> Capsule:
    return Capsule(number_in(element, "radius"), number_in(element, "length"))


def _read_cone(element: Element) -> Cone:
    return Cone(number_in(element, "radius"), number_in(element, "length"))


def _read_ellipsoid(element: Element) -> Ellipsoid:
    a, b, c = numbers_in(element, "radii", 3)
    return Ellipsoid((a, b, c))


def _read_plane(element: Element) -> Plane:
    x, y, z = numbers_in(element, "normal", 3, UP)
    if not 0.0 < x * x + y * y + z * z < math.inf:
        raise element.required("normal").error(f"{x:g} {y:g} {z:g} is not a direction; write one, such as 0 0 1")
    return Plane((x, y, z))


READERS: dict[str, Callable[[Element], Geometry]] = {
    "box": _read_box,
    "sphere": _read_sphere,
    "cylinder": _read_cylinder,
    "capsule": _read_capsule,
    "cone": _read_cone,
    "ellipsoid": _read_ellipsoid,
    "plane": _read_plane,
}


def _read_prism(holder: Element) -> Prism:
    """Read the polylines of a geometry together; the height of the first applies to all, as in Gazebo."""
    outlines = []
    for polyline in holder.children:
        if polyline.tag != "polyline":
            raise polyline.error(f"<{polyline.tag}> and <polyline> are in one <geometry>; keep one kind of shape")
        corners = [numbers_of(point, 2) for point in polyline.all("point")]
        outlines.append(tuple((x, y) for x, y in corners))
    return Prism(tuple(outlines), number_in(holder.children[0], "height"))


def _parts_limit(settings: Element | None) -> int | None:
    most = None if settings is None else optional_number(settings, "max_convex_hulls")
    if settings is None or most is None:
        return None
    if not 1.0 <= most < math.inf:
        raise settings.error(f"<max_convex_hulls> is {most:g}; write 1 or more")
    return int(most)


def _read_mesh(element: Element, document: Document) -> Mesh:
    uri = text_in(element, "uri")
    path = resolve_uri(uri, document) if uri else None
    x, y, z = numbers_in(element, "scale", 3, UNSCALED)
    submesh = element.only("submesh")
    return Mesh(
        uri=uri,
        path=None if path is None else str(path),
        scale=(x, y, z),
        submesh=None if submesh is None else text_in(submesh, "name") or None,
        parts_limit=_parts_limit(element.only("convex_decomposition")),
        center=submesh is not None and truth_in(submesh, "center"),
        absence=absence_of(uri, document) if path is None and uri else "",
    )
