# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The geoms of MJCF: shapes for collision, display and mass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from inertia_tools.description.geometry import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Geometry,
    Heightmap,
    OtherGeometry,
    Plane,
    Sphere,
)
from inertia_tools.description.link import Shape, Surface
from inertia_tools.description.mjcf.hfields import HeightField
from inertia_tools.description.mjcf.materials import geom_colour
from inertia_tools.description.mjcf.orientation import ORIGIN, SMALLEST_LENGTH, from_z_axis, read_pose
from inertia_tools.description.mjcf.parts import Part
from inertia_tools.description.mjcf.solref import solref_to_damping, solref_to_stiffness
from inertia_tools.description.mjcf.values import choice, number, truth, up_to, vector, whole
from inertia_tools.description.mjcf_bodies import Geom, MeshAsset, Site
from inertia_tools.description.xml import Element
from inertia_tools.spatial import Pose

TYPES = ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf")
FROMTO_TYPES = ("capsule", "ellipsoid", "cylinder", "box")
DENSITY = 1000.0
"""Density of a geom that states none [kg/m^3]."""

FRICTION = (1.0, 0.005, 0.0001)
"""Friction of a geom that states none: sliding, and lengths of torsional and rolling friction [m]."""

SOLREF = 2
"""Numbers of a solver reference."""

BITS = (1 << 32) - 1
"""Bits of the masks of a geom, all of them set in -1."""

CONDIM, TORSIONAL, ROLLING = 3, 4, 6
"""Default contact dimensions of a geom, and those from which on torsional and rolling friction act."""


def read_geom(element: Element, part: Part) -> Geom:
    """Read a geom with its defaults; it has no name, and is in the frame of its body until it is `copied`.

    Args:
        element: The element, with the attributes of its class.
        part: The model, with its settings and assets.

    Raises:
        ParseError: A number cannot be read, or the shape, its mesh or its height field is unknown.
    """
    kind = choice(element, "type", TYPES, "sphere")
    size = (*up_to(element, "size", 3), 0.0, 0.0, 0.0)[:3]
    pose = read_pose(element, part.compiler)
    field = _field_of(element, kind, part.hfields)
    size = size if field is None else field.half_edges
    if "fromto" in element.attributes:
        size, pose = _between(element, kind, size)
    shell = truth(element, "shellinertia", False)
    masks = whole(element, "contype", 1) & BITS, whole(element, "conaffinity", 1) & BITS
    geom = Geom(
        name="",
        type=kind,
        size=(size[0], size[1], size[2]),
        pose_body_geom=pose,
        place=element.place,
        mass=number(element, "mass") if "mass" in element.attributes else None,
        density=number(element, "density", DENSITY),
        group=whole(element, "group", 0),
        is_shell=shell,
        mesh=_mesh_of(element, kind, part.meshes),
        fitscale=number(element, "fitscale", 1.0),
        class_name=element.attributes.get("class", ""),
        touches=any(masks),
        condim=whole(element, "condim", CONDIM),
    )
    return replace(geom, shape=_shape_of(geom, element, masks, field, part))


SITE_TYPES = ("sphere", "capsule", "ellipsoid", "cylinder", "box")
LONG = ("capsule", "cylinder")
"""Shapes of two sizes, radius and half length."""

SITE_SIZE = 0.005
"""Size of a site that states none [m]."""


def read_site(element: Element, name: str, pose_body_frame: Pose, part: Part) -> Site:
    """Read a site with its defaults.

    Args:
        element: The element, with the attributes of its class.
        name: Its name; may be empty.
        pose_body_frame: The enclosing frame, seen from the body.
        part: The model, with its settings.

    Raises:
        ParseError: A number cannot be read, or a position is stated beside `fromto`.
    """
    kind = choice(element, "type", SITE_TYPES, "sphere")
    stated = up_to(element, "size", 3)
    size = (*stated, *(SITE_SIZE,) * 3)[:3]
    if "fromto" in element.attributes:
        between, pose = _between(element, kind, size)
        size = (*between[:2], size[2]) if kind in LONG else between
    else:
        pose = read_pose(element, part.compiler)
    return Site(
        name,
        pose_body_frame @ pose,
        element.place,
        kind,
        (size[0], size[1], size[2]),
        geom_colour(element.attributes, part.colours),
    )


def _between(element: Element, kind: str, size: tuple[float, ...]) -> tuple[tuple[float, ...], Pose]:
    """Return sizes and pose of a shape between two points; its z axis points to the first."""
    if kind not in FROMTO_TYPES:
        raise element.error(f"fromto does not apply to a {kind}; use it with {', '.join(FROMTO_TYPES)}")
    ends = vector(element, "fromto", (0.0,) * 6)
    along = ends[:3] - ends[3:]
    length = float(np.linalg.norm(along))
    if not length > SMALLEST_LENGTH:
        raise element.error(
            f"zero-length fromto={element.attributes['fromto']!r} of <{element.tag}>; give two points apart"
        )
    refuse_place_beside_ends(element)
    half = 0.5 * length
    sizes = (size[0], half, 0.0) if kind in LONG else (size[0], size[0], half)
    return sizes, Pose(0.5 * (ends[:3] + ends[3:]), from_z_axis(along))


def refuse_place_beside_ends(element: Element) -> None:
    """Check that a shape between two points states no position.

    Raises:
        ParseError: It states one.
    """
    if vector(element, "pos", ORIGIN).any():
        raise element.error(f"<{element.tag}> states both pos and fromto; keep one")


def _mesh_of(element: Element, kind: str, meshes: Mapping[str, MeshAsset]) -> MeshAsset | None:
    name = element.attributes.get("mesh")
    if name is None:
        if kind in ("mesh", "sdf"):
            raise element.error(f"the geom of type {kind} names no mesh; add mesh=")
        return None
    if name not in meshes:
        known = ", ".join(sorted(meshes)[:8]) or "none"
        raise element.error(f"the mesh {name!r} is unknown; the document has {known}")
    return meshes[name]


def _field_of(element: Element, kind: str, fields: Mapping[str, HeightField]) -> HeightField | None:
    name = element.attributes.get("hfield")
    if kind != "hfield" and name is not None:
        raise element.error(f"a {kind} names a height field; remove hfield=, or write type='hfield'")
    if kind == "hfield" and name is None:
        raise element.error("the geom of type hfield names no height field; add hfield=")
    return None if name is None else fields.get(name, HeightField(name, Heightmap(name), (0.0, 0.0, 0.0)))


def _shape_of(geom: Geom, element: Element, masks: tuple[int, int], field: HeightField | None, part: Part) -> Shape:
    """Return the geom as a shape of any format; a primitive fitted to a mesh has none."""
    by_area = geom.is_shell or (geom.mesh is not None and geom.mesh.inertia == "shell")
    stated = "density" in element.attributes and not by_area
    return Shape(
        geometry=_geometry(geom) if field is None else field.geometry,
        pose_link_shape=geom.pose_body_geom,
        name=geom.name,
        place=geom.place,
        density=geom.density if stated else None,
        mass=geom.mass,
        colour=geom_colour(element.attributes, part.colours),
        masks=masks,
        surface=_surface_of(element, geom.condim),
    )


def _surface_of(element: Element, condim: int) -> Surface | None:
    """Return the stated contact properties of a geom; torsional friction acts from `condim` 4 on, rolling from 6."""
    stated, reference = up_to(element, "friction", 3), up_to(element, "solref", 2)
    sliding, torsional, rolling = (*stated, *FRICTION[len(stated) :]) if stated else (None, None, None)
    surface = Surface(
        sliding,
        torsional if condim >= TORSIONAL else None,
        rolling if condim >= ROLLING else None,
        margin=_stated(element, "margin"),
        gap=_stated(element, "gap"),
        stiffness=solref_to_stiffness(reference) if len(reference) == SOLREF else None,
        damping=solref_to_damping(reference) if len(reference) == SOLREF else None,
    )
    return None if surface == Surface() else surface


def _stated(element: Element, name: str) -> float | None:
    return number(element, name) if name in element.attributes else None


def _geometry(geom: Geom) -> Geometry:
    a, b, c = geom.size
    if geom.mesh is not None:
        return geom.mesh.geometry if geom.type in ("mesh", "sdf") else OtherGeometry(f"{geom.type} fitted to a mesh")
    match geom.type:
        case "sphere":
            return Sphere(a)
        case "capsule":
            return Capsule(a, 2.0 * b)
        case "cylinder":
            return Cylinder(a, 2.0 * b)
        case "ellipsoid":
            return Ellipsoid((a, b, c))
        case "box":
            return Box((2.0 * a, 2.0 * b, 2.0 * c))
        case "plane":
            return Plane()
    return OtherGeometry(geom.type)
