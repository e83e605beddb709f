# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of one solid by its sizes: `compute_inertia_shape`, a function a shape."""

from __future__ import annotations

import numpy.typing as npt

from inertia_tools.sim.scene.geo_type import GeoType
from inertia_tools.sim.scene.mesh_shape import DEFAULT_WALL, UNSCALED, Mesh
from inertia_tools.sim.scene.shape_inertia import compute_inertia_shape
from inertia_tools.spatial import Array, ArrayLike

MassProperties = tuple[float, Array, Array]
"""Mass [kg], centre of mass [m] of shape (3,), and tensor about it [kg m^2] of shape (3, 3), in the shape's frame."""


def compute_inertia_sphere(density: float, radius: float) -> MassProperties:
    """Return mass [kg], centre [m] and tensor about it [kg m^2] of a ball: m = 4/3 pi rho r^3, I = 2/5 m r^2.

    Args:
        density: Density [kg/m^3].
        radius: Radius [m].

    Raises:
        OptionError: The density is negative or not a number, or the radius is not positive.
    """
    return compute_inertia_shape(GeoType.SPHERE, (radius,), None, density)


def compute_inertia_box(density: float, hx: float, hy: float, hz: float) -> MassProperties:
    """Return mass [kg], centre [m] and tensor about it [kg m^2] of a box: m = 8 rho hx hy hz, Ixx = m/3 (hy^2 + hz^2).

    Args:
        density: Density [kg/m^3].
        hx: Half its edge along x [m].
        hy: Along y.
        hz: Along z.

    Raises:
        OptionError: The density is negative or not a number, or a size is not positive.
    """
    return compute_inertia_shape(GeoType.BOX, (hx, hy, hz), None, density)


def compute_inertia_ellipsoid(density: float, rx: float, ry: float, rz: float) -> MassProperties:
    """Return mass [kg], centre [m] and tensor about it [kg m^2] of an ellipsoid.

    m = 4/3 pi rho rx ry rz, Ixx = m/5 (ry^2 + rz^2).

    Args:
        density: Density [kg/m^3].
        rx: Its semi-axis along x [m].
        ry: Along y.
        rz: Along z.

    Raises:
        OptionError: The density is negative or not a number, or a size is not positive.
    """
    return compute_inertia_shape(GeoType.ELLIPSOID, (rx, ry, rz), None, density)


def compute_inertia_capsule(density: float, radius: float, half_height: float) -> MassProperties:
    """Return mass [kg], centre [m] and tensor about it [kg m^2] of a capsule along z.

    Its cylinder and its two half balls by the parallel axis theorem: `geometry.primitives.solid_capsule`.

    Args:
        density: Density [kg/m^3].
        radius: Radius [m].
        half_height: Half the length of its cylinder, without the caps [m].

    Raises:
        OptionError: The density is negative or not a number, or a size is not positive (half_height may be zero).
    """
    return compute_inertia_shape(GeoType.CAPSULE, (radius, half_height), None, density)


def compute_inertia_cylinder(
    density: float, radius: float, half_height: float, barrel_radius: float = 0.0
) -> MassProperties:
    """Return mass [kg], centre [m] and tensor about it [kg m^2] of a cylinder or a barrel along z.

    With h = 2 half_height: m = pi rho r^2 h, Ixx = m/12 (3 r^2 + h^2), Izz = m/2 r^2; of a barrel:
    `geometry.barrel.solid_barrel`.

    Args:
        density: Density [kg/m^3].
        radius: Radius of its ends [m].
        half_height: Half its length [m].
        barrel_radius: Radius of the arc that its side is, half its length or more [m]; zero for a straight side.

    Raises:
        OptionError: The density is negative or not a number, a size is not positive, or the arc is too short.
    """
    return compute_inertia_shape(GeoType.CYLINDER, (radius, half_height, barrel_radius), None, density)


def compute_inertia_cone(density: float, radius: float, half_height: float) -> MassProperties:
    """Return mass [kg], centre [m] and tensor about it [kg m^2] of a cone along z, its tip at +half_height.

    With h = 2 half_height: m = pi/3 rho r^2 h, centre h/4 above the base, Ixx = 3/80 m (4 r^2 + h^2), Izz = 3/10 m r^2.

    Args:
        density: Density [kg/m^3].
        radius: Radius of its base [m].
        half_height: Half its height [m].

    Raises:
        OptionError: The density is negative or not a number, or a size is not positive.
    """
    return compute_inertia_shape(GeoType.CONE, (radius, half_height), None, density)


def compute_inertia_mesh(
    density: float,
    vertices: ArrayLike,
    indices: npt.ArrayLike,
    is_solid: bool = True,
    thickness: float = DEFAULT_WALL,
) -> tuple[float, Array, Array, float]:
    """Return mass [kg], centre [m], tensor about it [kg m^2] and volume of the material [m^3] of a triangle mesh.

    Args:
        density: Density [kg/m^3].
        vertices: Vertex positions [m], shape (n, 3).
        indices: Three vertices a triangle, counter-clockwise seen from outside, shape (3 m,) or (m, 3).
        is_solid: Whether it is solid; otherwise it is a hollow shell.
        thickness: Thickness of that wall, measured inwards [m].

    Raises:
        OptionError: The vertices or indices are no mesh, the density is negative or no number, or the thickness is
            not positive.
        SimulationError: The mesh encloses no volume.
        InertiaError: A wall is requested of a mesh that has holes, or that is locally thinner than the wall.
    """
    mesh = Mesh(vertices, indices)  # type: ignore[arg-type]  # it takes whatever makes arrays
    properties = compute_inertia_shape(GeoType.MESH, UNSCALED, mesh, density, is_solid, thickness)
    return *properties, mesh.unit_inertial(UNSCALED, None if is_solid else float(thickness)).mass
