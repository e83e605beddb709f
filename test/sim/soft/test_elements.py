# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Laws of single elements: forces are derivatives of energies, and exert no force and no torque in all."""

import numpy as np
import pytest
import warp as wp

from inertia_tools.sim.soft import element_kernels
from inertia_tools.sim.soft.elements import Elements
from inertia_tools.sim.soft.work import Matrix, Particles, Sum

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0.2]], dtype=float)
KINDS = ("spring", "triangle", "edge", "solid")
SLOPES = np.array([[-1, -1, -1], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)


def sized(struct, count):
    made = struct()
    for name, variable in struct.vars.items():
        shape = count if variable.type.ndim == 1 else (count, 12)
        setattr(made, name, wp.zeros(shape, dtype=variable.type.dtype))
    return made


@pytest.fixture(scope="module")
def elements():
    def scalars(values):
        return wp.array(np.array(values, dtype=float), dtype=wp.float64)

    e = sized(Elements, 1)
    e.spring, e.spring_length, e.spring_stiffness = wp.array([0, 4], dtype=wp.int32), scalars([1.0]), scalars([7.0])
    e.triangle, e.triangle_area = wp.array(np.array([[0, 1, 2]], dtype=np.int32)), scalars([0.45])
    e.triangle_pose = wp.array(np.linalg.inv([[1, 0.1], [0, 0.9]])[None], dtype=wp.mat22d)
    e.triangle_material = scalars([[3.0, 5.0, 0.0, 0.0, 0.0]])
    e.edge, e.edge_angle = wp.array(np.array([[0, 4, 1, 2]], dtype=np.int32)), scalars([0.3])
    e.edge_material = scalars([[2.0, 0.0]])
    e.solid_first, e.solid_corner = wp.array([0, 4], dtype=wp.int32), wp.array([0, 1, 2, 3], dtype=wp.int32)
    e.solid_slope, e.solid_volume = wp.array(SLOPES, dtype=wp.vec3d), scalars([1 / 6])
    e.solid_material = wp.array([[3.0, 5.0, 0.0]], dtype=wp.vec3d)
    e.solid_turn = wp.array([[0, 0, 0, 1.0]], dtype=wp.quatd)
    return e


def energy_and_gradient(elements, kind, x):
    particles, sums = sized(Particles, len(x)), wp.zeros(int(Sum.COUNT), dtype=wp.float64)
    particles.x = particles.start = wp.array(x, dtype=wp.vec3d)
    kernel = getattr(element_kernels, f"{kind}_gradient")
    wp.launch(kernel, dim=1, inputs=[elements, particles, sums, wp.float64(1.0)])
    return sums.numpy()[Sum.ENERGY], particles.gradient.numpy()


def differences(function, x, step=1e-5):
    moved = step * np.eye(x.size).reshape(-1, *x.shape)
    return np.array([(function(x + d) - function(x - d)) / (2 * step) for d in moved])


@pytest.mark.parametrize("kind", KINDS)
def test_forces_are_the_derivatives_of_energies(elements, kind):
    x = CORNERS + 0.15 * np.random.default_rng(3).normal(size=CORNERS.shape)
    energy, gradient = energy_and_gradient(elements, kind, x)
    expected = differences(lambda y: energy_and_gradient(elements, kind, y)[0], x).reshape(x.shape)
    assert energy > 0.0
    assert gradient == pytest.approx(expected, abs=1e-8 * np.abs(gradient).max() + 1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_forces_of_an_element_have_no_sum_and_no_torque(elements, kind):
    x = CORNERS + 0.2 * np.random.default_rng(5).normal(size=CORNERS.shape)
    gradient = energy_and_gradient(elements, kind, x)[1]
    assert gradient.sum(axis=0) == pytest.approx(0.0, abs=1e-14)
    assert np.cross(x, gradient).sum(axis=0) == pytest.approx(0.0, abs=1e-14)


def solid_stiffness(elements, x):
    particles, matrix = sized(Particles, len(x)), Matrix()
    particles.x = wp.array(x, dtype=wp.vec3d)
    matrix.block, matrix.diagonal = (wp.zeros(12, dtype=wp.mat33d) for _ in range(2))
    matrix.solid_slot = wp.array(np.arange(12), dtype=wp.int32)
    matrix.solid_slot_first = wp.array([0, 12], dtype=wp.int32)
    wp.launch(element_kernels.solid_stiffness, dim=1, inputs=[elements, particles, matrix, wp.float64(1.0)])
    whole = np.zeros((4, 3, 4, 3))
    places = [(a, b) for a in range(4) for b in range(4) if a != b]
    for (a, b), block in zip(places, matrix.block.numpy(), strict=True):
        whole[a, :, b] = block
    for a in range(4):
        whole[a, :, a] = matrix.diagonal.numpy()[a]
    return whole.reshape(12, 12)


def test_the_stiffness_of_a_tetrahedron_at_rest_is_the_second_derivative(elements):
    x = CORNERS[:4]
    second = differences(lambda y: energy_and_gradient(elements, "solid", y)[1].ravel(), x)
    assert solid_stiffness(elements, x) == pytest.approx(second, abs=1e-8)


@pytest.mark.parametrize("seed", range(5))
def test_the_stiffness_of_a_mangled_tetrahedron_bounds_the_second_derivative(elements, seed):
    x = np.random.default_rng(seed).normal(size=(4, 3)) * 2.0
    second = differences(lambda y: energy_and_gradient(elements, "solid", y)[1].ravel(), x)
    excess = np.linalg.eigvalsh(solid_stiffness(elements, x) - 0.5 * (second + second.T))
    assert excess[0] >= -1e-6 * np.abs(second).max()
