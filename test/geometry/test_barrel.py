# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Barrels: straight ones are cylinders, round ones are balls, walls are as thick as stated."""

import numpy as np
import pytest
from scipy.integrate import quad

from inertia_tools.errors import OptionError
from inertia_tools.geometry.barrel import hollow_barrel, solid_barrel
from inertia_tools.geometry.primitives import solid_cylinder, solid_sphere
from inertia_tools.sim.scene.mesh_shape import Mesh


@pytest.mark.parametrize(
    ("radius", "length", "arc"), [(0.5, 2.0, 2.0), (0.1, 0.6, 0.3), (2.0, 0.2, 5.0), (0.3, 1.0, 0.51)]
)
def test_it_is_the_integral_of_its_discs(radius, length, arc):
    def rho(z):
        return radius + np.sqrt(arc**2 - z**2) - np.sqrt(arc**2 - 0.25 * length**2)

    def integral(of):
        return np.pi * quad(of, -0.5 * length, 0.5 * length, epsabs=0.0, epsrel=1e-11, limit=400)[0]

    found = solid_barrel(radius, length, arc)
    assert found.mass == pytest.approx(integral(lambda z: rho(z) ** 2), rel=1e-10)
    assert found.inertia[2, 2] == pytest.approx(integral(lambda z: 0.5 * rho(z) ** 4), rel=1e-10)
    assert found.inertia[0, 0] == pytest.approx(integral(lambda z: 0.25 * rho(z) ** 4 + (rho(z) * z) ** 2), rel=1e-10)


def test_with_an_endless_arc_it_is_a_cylinder_and_without_ends_a_ball():
    straight, cylinder = solid_barrel(0.5, 2.0, 1e9), solid_cylinder(0.5, 2.0)
    assert straight.mass == pytest.approx(cylinder.mass) and np.allclose(straight.inertia, cylinder.inertia)
    round_one, ball = solid_barrel(1e-12, 2.0, 1.0), solid_sphere(1.0)
    assert round_one.mass == pytest.approx(ball.mass) and np.allclose(round_one.inertia, ball.inertia)


def test_mass_goes_with_the_cube_of_size_and_inertia_with_the_fifth_power():
    small, large = solid_barrel(0.5, 2.0, 3.0), solid_barrel(1.0, 4.0, 6.0)
    assert large.mass == pytest.approx(8.0 * small.mass) and np.allclose(large.inertia, 32.0 * small.inertia)


def test_a_mesh_of_its_form_weighs_the_same():
    mesh = Mesh.create_cylinder(0.5, 1.0, up_axis="Z", segments=256, num_latitudes=64, barrel_radius=2.0)
    barrel = solid_barrel(0.5, 2.0, 2.0)
    assert mesh.mass == pytest.approx(barrel.mass, rel=5e-4)
    assert np.allclose(mesh.inertia, barrel.inertia, rtol=1e-3, atol=1e-9)
    assert mesh.vertices[:, :2].max() == pytest.approx(0.5 + 2.0 - np.sqrt(3.0))


def test_a_thin_wall_is_its_surface_times_the_thickness():
    """The side of a surface of revolution: 2 pi int rho ds, and two discs."""
    radius, half, arc, thin = 0.5, 1.0, 2.0, 1e-7
    centre, end = radius - np.sqrt(arc**2 - half**2), np.arcsin(half / arc)
    side = 2.0 * np.pi * arc * (2.0 * centre * end + 2.0 * arc * np.sin(end))
    surface = side + 2.0 * np.pi * radius**2
    assert hollow_barrel(radius, 2.0 * half, arc, thin).mass == pytest.approx(surface * thin, rel=1e-6)


def test_walls_add_up_to_the_solid():
    outer, thin, thick = (
        solid_barrel(0.5, 2.0, 2.0),
        hollow_barrel(0.5, 2.0, 2.0, 0.1),
        hollow_barrel(0.5, 2.0, 2.0, 0.2),
    )
    assert 0.0 < thin.mass < thick.mass < outer.mass


def test_what_is_none_is_refused():
    with pytest.raises(OptionError, match="barrel_radius"):
        solid_barrel(0.5, 2.0, 0.9)
    with pytest.raises(OptionError, match="barrel_radius"):
        Mesh.create_cylinder(0.5, 1.0, barrel_radius=0.9)
    for thickness in (0.0, 1.0, np.nan):
        with pytest.raises(OptionError, match="thickness"):
            hollow_barrel(0.5, 2.0, 2.0, thickness)
    with pytest.raises(OptionError, match="thickness"):
        hollow_barrel(0.05, 2.0, 5.0, 0.5)
