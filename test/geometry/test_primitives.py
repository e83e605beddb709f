# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad

from inertia_tools.geometry.primitives import solid_box, solid_capsule, solid_cylinder, solid_sphere

SOLIDS = {
    "sphere": (solid_sphere, (0.7,)),
    "box": (lambda x, y, z: solid_box((x, y, z)), (0.3, 0.5, 0.8)),
    "cylinder": (solid_cylinder, (0.4, 1.1)),
    "capsule": (solid_capsule, (0.4, 1.1)),
}


@pytest.mark.parametrize("name", SOLIDS)
def test_mass_scales_with_the_cube_and_the_tensor_with_the_fifth_power(name):
    solid, sizes = SOLIDS[name]
    one, three = solid(*sizes), solid(*(3.0 * size for size in sizes))
    assert three.mass == pytest.approx(27.0 * one.mass, rel=1e-14)
    assert np.allclose(three.inertia, 243.0 * one.inertia, rtol=1e-14)


def radius_at(name, sizes, z):
    """Radius of the circle in which a plane at height z cuts a solid of revolution."""
    if name == "sphere":
        return np.sqrt(max(sizes[0] ** 2 - z**2, 0.0))
    radius, length = sizes
    beyond = abs(z) - length / 2
    if beyond <= 0.0:
        return radius
    return np.sqrt(max(radius**2 - beyond**2, 0.0)) if name == "capsule" else 0.0


@pytest.mark.parametrize("name", ["sphere", "cylinder", "capsule"])
def test_closed_forms_equal_the_integral_over_discs(name):
    solid, sizes = SOLIDS[name]
    inertial = solid(*sizes)
    radius, half = sizes[0], (sizes[1] / 2 if len(sizes) > 1 else 0.0)
    ends = [-half - radius * (name != "cylinder"), -half, half, half + radius * (name != "cylinder")]

    def integral(weight):
        parts = pairwise(ends)
        return sum(
            quad(lambda z: weight(radius_at(name, sizes, z), z), a, b, epsabs=1e-13)[0] for a, b in parts if b > a
        )

    assert inertial.mass == pytest.approx(integral(lambda r, z: np.pi * r**2), rel=1e-10)
    assert inertial.inertia[2, 2] == pytest.approx(integral(lambda r, z: np.pi * r**4 / 2), rel=1e-10)
    across = integral(lambda r, z: np.pi * r**4 / 4 + np.pi * r**2 * z**2)
    assert inertial.inertia[0, 0] == pytest.approx(across, rel=1e-10)


def test_capsule_without_length_is_a_sphere():
    assert solid_capsule(0.3, 0.0).isclose(solid_sphere(0.3), 1e-15)


def test_box_is_the_sum_of_its_halves():
    whole = solid_box((0.4, 0.2, 0.6))
    half = solid_box((0.2, 0.2, 0.6))
    assert (half.shift([0.1, 0, 0]) + half.shift([-0.1, 0, 0])).isclose(whole, 1e-14)
