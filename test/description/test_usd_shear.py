# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Simple solids under shear: an affine image has the volume times the determinant, and A S A^T for second moments."""

import numpy as np
import pytest
from usd_stages import body, prim, stage

import inertia_tools as it
from inertia_tools.description.types import Capsule, Cone, Cylinder, Ellipsoid, Mesh

pytest.importorskip("pxr", reason="usd-core is not installed")

COLLIDES = ("PhysicsCollisionAPI",)
SIZES = {
    "Cube": "double size = 0.8",
    "Sphere": "double radius = 0.4",
    "Cylinder": "double radius = 0.3\ndouble height = 0.9",
    "Capsule": "double radius = 0.3\ndouble height = 0.9",
    "Cone": "double radius = 0.3\ndouble height = 0.9",
}


def solid(kind: str, linear: np.ndarray, axis: str = "Z") -> str:
    """Return a body with one collider under a linear map of columns."""
    rows = ", ".join(str((*row, 0.0)) for row in linear.T.tolist())
    turned = f'uniform token axis = "{axis}"' if kind not in ("Cube", "Sphere") else ""
    transform = f"matrix4d xformOp:transform = ({rows}, (0, 0, 0, 1))"
    order = 'uniform token[] xformOpOrder = ["xformOp:transform"]'
    return stage(body("B", prim(kind, "s", SIZES[kind], turned, transform, order, apis=COLLIDES), mass_api=False))


def weigh(text: str) -> it.Inertial:
    """Return what the body weighs by its own format's rules, which is what its geometry gives."""
    robot = it.load_text(text)
    found = it.stats(robot)["B"].effective.inertial
    assert it.compute(robot)["B"].inertial.isclose(found, rtol=1e-9)
    return found


def second_moments(inertial: it.Inertial) -> np.ndarray:
    """Return the integral of x x^T about the centre of mass, over the density, shape (3, 3)."""
    return 0.5 * np.trace(inertial.inertia) * np.eye(3) - inertial.inertia


def require_image(found: it.Inertial, plain: it.Inertial, linear: np.ndarray, tolerance: float) -> None:
    factor = abs(np.linalg.det(linear))
    assert found.mass == pytest.approx(plain.mass * factor, rel=tolerance)
    np.testing.assert_allclose(found.com, linear @ plain.com, atol=tolerance)
    expected = factor * linear @ second_moments(plain) @ linear.T
    np.testing.assert_allclose(second_moments(found), expected, rtol=0, atol=tolerance * np.trace(expected))


def random_maps(seed: int) -> np.ndarray:
    generator = np.random.default_rng(seed)
    return generator.normal(size=(6, 3, 3)) + np.diag([1.5, 1.0, 0.5])


@pytest.mark.parametrize("kind", ["Cube", "Sphere"])
def test_cubes_and_spheres_are_their_affine_image(kind):
    plain = weigh(solid(kind, np.eye(3)))
    for linear in random_maps(1):
        require_image(weigh(solid(kind, linear)), plain, linear, 1e-9)
    assert isinstance(it.load_text(solid("Sphere", linear)).links["B"].collisions[0].geometry, Ellipsoid)


@pytest.mark.parametrize("axis", ["X", "Y", "Z"])
@pytest.mark.parametrize("kind", ["Cylinder", "Cone"])
def test_a_body_of_revolution_leans_with_its_axis_exactly(kind, axis):
    """The maps keep the circle across the axis a circle, and move the axis, mirrored too."""
    plain, number = weigh(solid(kind, np.eye(3), axis)), "XYZ".index(axis)
    for linear in random_maps(2):
        across = np.linalg.qr(linear)[0][:, :2] * 1.3
        leaning = np.insert(across, number, linear[:, 2], axis=1)
        require_image(weigh(solid(kind, leaning, axis)), plain, leaning, 2e-7)


@pytest.mark.parametrize("kind", ["Cylinder", "Capsule", "Cone"])
@pytest.mark.parametrize("axis", ["X", "Y", "Z"])
def test_a_turn_about_its_own_axis_does_not_change_a_body_of_revolution(kind, axis):
    """It takes the larger scale across its axis, wherever that lies."""
    scale = np.diag([2.0, 3.0, 0.7])
    expected = weigh(solid(kind, scale, axis))
    for angle in (0.1, np.pi / 6, 2.0):
        turn = rotation(np.eye(3)["XYZ".index(axis)], angle)
        assert weigh(solid(kind, scale @ turn, axis)).isclose(expected, rtol=1e-9)
        geometry = it.load_text(solid(kind, scale @ turn, axis)).links["B"].collisions[0].geometry
        assert type(geometry) is {"Cylinder": Cylinder, "Capsule": Capsule, "Cone": Cone}[kind]


@pytest.mark.parametrize("kind", ["Cylinder", "Capsule", "Cone"])
def test_a_little_shear_changes_little(kind):
    scale = np.diag([2.0, 3.0, 0.7])
    lean = np.array([[1.0, 0.0, 1e-4], [0.0, 1.0, 1e-4], [0.0, 0.0, 1.0]])
    assert weigh(solid(kind, scale @ lean)).isclose(weigh(solid(kind, scale)), rtol=1e-3)


def test_a_leaning_capsule_is_round_about_its_segment():
    linear = random_maps(3)[0]
    shape = it.load_text(solid("Capsule", linear)).links["B"].collisions[0]
    along = linear[:, 2]
    assert shape.geometry.length == pytest.approx(0.9 * np.linalg.norm(along))
    assert shape.geometry.radius == pytest.approx(0.3 * np.linalg.svd(linear[:, :2])[1][0])
    np.testing.assert_allclose(shape.pose_link_shape.rotation[:, 2], along / np.linalg.norm(along), atol=1e-12)


@pytest.mark.parametrize("kind", ["Cube", "Cylinder", "Cone"])
def test_leaning_solids_are_closed_meshes_that_a_scene_takes(kind):
    text = solid(kind, np.array([[2.0, 0.0, 0.4], [0.0, 2.0, 0.3], [0.0, 0.0, 1.0]]))
    assert isinstance(it.load_text(text).links["B"].collisions[0].geometry, Mesh)
    assert not {finding.code for finding in it.check(it.load_text(text)).findings}
    builder = it.ModelBuilder()
    builder.add_usd(text)
    assert builder.body_mass[0] == pytest.approx(weigh(text).mass, rel=1e-6)


def test_shear_comes_of_a_scaled_parent_and_a_turned_child():
    """The volume is the determinant: 1 m^3 scaled by 2, 3, 1."""
    scale = 'double3 xformOp:scale = (2, 3, 1)\nuniform token[] xformOpOrder = ["xformOp:scale"]'
    turn = 'float3 xformOp:rotateXYZ = (10, 20, 30)\nuniform token[] xformOpOrder = ["xformOp:rotateXYZ"]'
    child = prim("Cube", "c", "double size = 1", turn, apis=COLLIDES)
    inner = prim("Xform", "g", scale, child)
    for text in (body("B", scale, child, mass_api=False), body("B", inner, mass_api=False)):
        assert weigh(stage(text)).mass == pytest.approx(6000.0, rel=1e-6)


def rotation(axis: np.ndarray, angle: float) -> np.ndarray:
    """Return a rotation about an axis, by Rodrigues' formula."""
    cross = np.cross(np.eye(3), axis)
    return np.eye(3) - np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross
