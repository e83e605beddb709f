# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of solids by their sizes: scaling, symmetry, limits, and meshes of the same form."""

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.errors import OptionError
from inertia_tools.sim.scene.notices import InertiaWarning

SOLIDS = [
    (it.compute_inertia_sphere, (0.3,)),
    (it.compute_inertia_box, (0.3, 0.4, 0.5)),
    (it.compute_inertia_ellipsoid, (0.3, 0.4, 0.5)),
    (it.compute_inertia_capsule, (0.3, 0.4)),
    (it.compute_inertia_cylinder, (0.3, 0.4)),
    (it.compute_inertia_cone, (0.3, 0.4)),
]


@pytest.mark.parametrize(("function", "sizes"), SOLIDS)
def test_mass_goes_with_the_cube_of_size_and_inertia_with_the_fifth_power(function, sizes):
    mass, com, inertia = function(1000.0, *sizes)
    large = function(1000.0, *(2.0 * size for size in sizes))
    assert large[0] == pytest.approx(8.0 * mass)
    assert np.allclose(large[1], 2.0 * np.asarray(com)) and np.allclose(large[2], 32.0 * inertia)
    assert np.allclose(function(500.0, *sizes)[2], 0.5 * inertia)


@pytest.mark.parametrize(("function", "sizes"), SOLIDS)
def test_they_refuse_what_is_no_size(function, sizes):
    for wrong in (-1.0, np.nan, np.inf):
        with pytest.raises(OptionError):
            function(1000.0, wrong, *sizes[1:])
        with pytest.raises(OptionError, match="density"):
            function(wrong, *sizes)


def test_a_ball_is_an_ellipsoid_and_a_capsule_without_length():
    ball = it.compute_inertia_sphere(2.0, 0.4)
    for other in (it.compute_inertia_ellipsoid(2.0, 0.4, 0.4, 0.4), it.compute_inertia_capsule(2.0, 0.4, 0.0)):
        assert other[0] == pytest.approx(ball[0]) and np.allclose(other[2], ball[2])


@pytest.mark.parametrize("fitted", [slice(None), slice(None, None, -1)])
def test_a_mesh_of_twelve_triangles_is_the_box(fitted):
    box = it.Mesh.create_box(0.3, 0.4, 0.5)
    indices = box.indices.reshape(-1, 3)[fitted]
    mass, com, inertia, volume = it.compute_inertia_mesh(700.0, box.vertices + [1.0, 2.0, 3.0], indices)
    expected = it.compute_inertia_box(700.0, 0.3, 0.4, 0.5)
    assert mass == pytest.approx(expected[0]) and volume == pytest.approx(8 * 0.3 * 0.4 * 0.5)
    assert np.allclose(com, [1.0, 2.0, 3.0]) and np.allclose(inertia, expected[2])


def test_the_wall_of_a_mesh_is_the_outer_solid_less_the_inner_one():
    box = it.Mesh.create_box(0.3, 0.4, 0.5)
    mass, _, inertia, volume = it.compute_inertia_mesh(700.0, box.vertices, box.indices, is_solid=False, thickness=0.1)
    outer, inner = it.compute_inertia_box(700.0, 0.3, 0.4, 0.5), it.compute_inertia_box(700.0, 0.2, 0.3, 0.4)
    assert mass == pytest.approx(outer[0] - inner[0]) == pytest.approx(700.0 * volume)
    assert np.allclose(inertia, outer[2] - inner[2])


@pytest.mark.parametrize("kind", [it.GeoType.SPHERE, it.GeoType.BOX, it.GeoType.CONE])
def test_a_wall_of_negative_thickness_is_refused(kind):
    with pytest.raises(OptionError, match=r"thickness must be >= 0; it is -0\.1"):
        it.compute_inertia_shape(kind, (0.5, 0.4, 0.3), None, 1000.0, is_solid=False, thickness=-0.1)


@pytest.mark.parametrize("kind", [it.GeoType.SPHERE, it.GeoType.BOX, it.GeoType.CONE])
def test_a_wall_without_thickness_has_no_mass_and_says_so(kind):
    with pytest.warns(InertiaWarning, match="zero thickness"):
        mass, _, inertia = it.compute_inertia_shape(kind, (0.5, 0.4, 0.3), None, 1000.0, is_solid=False, thickness=0.0)
    assert mass == 0.0 and not np.any(inertia)


def test_one_body_is_corrected_as_finalize_does():
    for mass, moments in ((1.0, (1.0, 1.0, 4.0)), (-1.0, (1.0, 1.0, 1.0)), (1.0, (0.0, 0.0, 0.0))):
        builder = it.ModelBuilder()
        builder.add_link(mass=mass, inertia=np.diag(moments))
        with pytest.warns(InertiaWarning):
            expected = builder.finalize().inertials[0]
        with pytest.warns(InertiaWarning, match="'arm'"):
            after = it.verify_and_correct_inertia(mass, np.diag(moments), body_label="arm")
        assert after[0] == expected.mass and np.array_equal(after[1], expected.inertia) and after[2]


def test_a_sound_body_is_left_as_it_is(recwarn):
    mass, inertia, changed = it.verify_and_correct_inertia(2.0, np.diag([1.0, 2.0, 2.5]))
    assert not changed and mass == 2.0 and np.array_equal(inertia, np.diag([1.0, 2.0, 2.5]))
    assert not recwarn.list


def test_bounds_and_balance_are_those_of_a_builder():
    with pytest.warns(InertiaWarning, match="below bound_mass"):
        assert it.verify_and_correct_inertia(0.5, np.eye(3), bound_mass=1.0)[0] == 1.0
    with pytest.warns(InertiaWarning, match="below bound_inertia"):
        assert it.verify_and_correct_inertia(0.5, np.eye(3), bound_inertia=2.0)[1][0, 0] >= 2.0
    with pytest.warns(InertiaWarning, match="it is kept"):
        _, inertia, changed = it.verify_and_correct_inertia(1.0, np.diag([0.1, 0.1, 9.0]), balance_inertia=False)
    assert not changed and inertia[2, 2] == 9.0
    with pytest.raises(OptionError, match="bound_mass"):
        it.verify_and_correct_inertia(1.0, np.eye(3), bound_mass=-1.0)
    with pytest.raises(OptionError, match="inertia"):
        it.verify_and_correct_inertia(1.0, [1.0, 2.0])


def test_a_barrel_is_weighed_and_collides_as_a_mesh_alone():
    mass, _, inertia = it.compute_inertia_cylinder(1000.0, 0.5, 1.0, 2.0)
    same = it.compute_inertia_shape(it.GeoType.CYLINDER, (0.5, 1.0, 2.0), None, 1000.0)
    assert mass == same[0] > it.compute_inertia_cylinder(1000.0, 0.5, 1.0)[0] and np.array_equal(inertia, same[2])
    builder = it.ModelBuilder()
    with pytest.raises(OptionError, match="create_cylinder"):
        builder.add_shape(builder.add_link(), it.GeoType.CYLINDER, (0.5, 1.0, 2.0))
    builder.add_shape_mesh(builder.add_link(), mesh=it.Mesh.create_cylinder(0.5, 1.0, barrel_radius=2.0))
    assert builder.body_mass[1] == pytest.approx(mass, rel=0.02)
    site = builder.add_site(0, type=it.GeoType.CYLINDER, scale=(0.01, 0.01, 0.01))
    assert tuple(builder.shape_scale[site]) == (0.01, 0.01, 0.0)
