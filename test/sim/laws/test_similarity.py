# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The same scene in other units of length, mass and time takes the same course, to the bit.

Units are powers of two, so that rounding does not depend on them. A constant with a unit, such as a tolerance in metres,
does. Two have one, the metre: overlap recovers at the speed of a fall from `RECOVERY_HEIGHT`, and joints in double
precision are solved to `JOINT_STEP_TOLERANCE`. So units of length are tried without overlaps, and in single precision.
"""

from dataclasses import dataclass

import numpy as np
import pytest

from inertia_tools.sim.builder import ModelBuilder
from inertia_tools.sim.solver import SolverXPBD
from inertia_tools.spatial import Pose

GRAVITY, DENSITY, DT, STEPS = 9.81, 500.0, 1.0 / 256.0, 60


@dataclass(frozen=True)
class Units:
    """Metre, kilogram and second, in units of the scene."""

    length: float = 1.0
    mass: float = 1.0
    time: float = 1.0

    @property
    def speed(self):
        return self.length / self.time

    @property
    def force(self):
        return self.mass * self.length / self.time**2

    @property
    def torque(self):
        return self.force * self.length

    def builder(self):
        """Return a builder with Earth's gravity and shapes of one density."""
        builder = ModelBuilder(gravity=-GRAVITY * self.length / self.time**2)
        config = builder.default_shape_cfg
        config.density = DENSITY * self.mass / self.length**3
        config.mu_torsional *= self.length
        config.mu_rolling *= self.length
        return builder


def thrown(u):
    """Return bodies of all shapes that fall on a plane apart from each other."""
    builder, m = u.builder(), u.length
    builder.add_ground_plane()
    shapes = (
        lambda b: builder.add_shape_box(b, hx=0.1 * m, hy=0.06 * m, hz=0.04 * m),
        lambda b: builder.add_shape_sphere(b, radius=0.07 * m),
        lambda b: builder.add_shape_capsule(b, radius=0.04 * m, half_height=0.08 * m),
        lambda b: builder.add_shape_cylinder(b, radius=0.06 * m, half_height=0.05 * m),
        lambda b: builder.add_shape_cone(b, radius=0.06 * m, half_height=0.07 * m),
        lambda b: builder.add_shape_ellipsoid(b, None, 0.05 * m, 0.07 * m, 0.09 * m),
    )
    for i, add in enumerate(shapes):
        add(builder.add_body(Pose.from_xyz_rpy((0.4 * i * m, 0.0, 0.16 * m), (0.2, 0.1 * i, 0.3))))
    return builder


def stacked(u):
    """Return three boxes that are set down on each other."""
    builder, m = u.builder(), u.length
    builder.add_ground_plane()
    for i in range(3):
        body = builder.add_body(Pose((0.01 * i * m, 0.0, (0.051 + 0.101 * i) * m)))
        builder.add_shape_box(body, hx=0.05 * m, hy=0.05 * m, hz=0.05 * m)
    return builder


def overlapped(u):
    """Return two boxes that overlap each other and a plane, and stand askew."""
    builder, m = u.builder(), u.length
    builder.add_ground_plane()
    for i in range(2):
        body = builder.add_body(Pose.from_xyz_rpy((0.0, 0.02 * i * m, (0.04 + 0.09 * i) * m), (0.0, 0.1 * i, 0.05)))
        builder.add_shape_box(body, hx=0.05 * m, hy=0.05 * m, hz=0.05 * m)
    return builder


def chain(u, **joint):
    """Return five links on hinges that start level."""
    builder, m, parent = u.builder(), u.length, -1
    builder.default_shape_cfg.has_shape_collision = False
    for i in range(5):
        link = builder.add_link(Pose(((0.2 * i + 0.1) * m, 0.0, 1.0 * m)))
        builder.add_shape_box(link, hx=0.1 * m, hy=0.02 * m, hz=0.03 * m)
        before = Pose((0.1 * m, 0.0, 0.0)) if i else Pose((0.0, 0.0, 1.0 * m))
        ends = {"parent_xform": before, "child_xform": Pose((-0.1 * m, 0.0, 0.0))}
        builder.add_joint_revolute(parent, link, axis=(0.0, 1.0, 0.3 * (i % 2)), **ends, **joint)
        parent = link
    return builder


def driven(u):
    """Return the chain with drives that saturate, and friction."""
    spring = {"target_ke": 500.0 * u.torque, "target_kd": 10.0 * u.torque * u.time, "target_pos": 0.3}
    return chain(u, **spring, effort_limit=2.0 * u.torque, friction=0.1 * u.torque)


def standing(u):
    """Return a table on four legs with drives that falls on its feet."""
    builder, m = u.builder(), u.length
    builder.add_ground_plane()
    trunk = builder.add_link(Pose((0.0, 0.0, 0.36 * m)))
    builder.add_shape_box(trunk, hx=0.2 * m, hy=0.1 * m, hz=0.05 * m)
    builder.add_joint_free(trunk)
    spring = {"target_ke": 60.0 * u.torque, "target_kd": 2.0 * u.torque * u.time}
    for x, y in ((-0.15, -0.1), (-0.15, 0.1), (0.15, -0.1), (0.15, 0.1)):
        leg = builder.add_link(Pose((x * m, y * m, 0.2 * m)))
        builder.add_shape_capsule(leg, radius=0.02 * m, half_height=0.12 * m)
        ends = {"parent_xform": Pose((x * m, y * m, -0.04 * m)), "child_xform": Pose((0.0, 0.0, 0.12 * m))}
        builder.add_joint_revolute(trunk, leg, axis=(0.0, 1.0, 0.0), target_pos=2.0 * x, **ends, **spring)
    return builder


def cloth(u):
    """Return cloth that hangs from a side and swings down."""
    builder, m = u.builder(), u.length
    size = {"dim_x": 6, "dim_y": 6, "cell_x": 0.05 * m, "cell_y": 0.05 * m, "mass": 0.01 * u.mass}
    stretch, damping = 1e3 * u.force / u.length, 1.0 * u.force / u.speed
    builder.add_cloth_grid(
        pos=(0.0, 0.0, 0.3 * m), rot=(0.0, 0.0, 0.0, 1.0), vel=(0.0, 0.0, 0.0), fix_left=True, **size,
        tri_ke=stretch, tri_ka=stretch, tri_kd=damping, edge_ke=0.01 * u.torque, particle_radius=0.02 * m,
    )  # fmt: skip
    return builder


def course(scene, units, dtype, bounces):
    """Return the positions of bodies or particles after each step [m], shape (steps, n, 3)."""
    model = scene(units).finalize(dtype=dtype)
    state, contacts = model.state(), model.contacts()
    solver = SolverXPBD(model, substeps=4, enable_restitution=bounces)
    places = []
    for _ in range(STEPS):
        solver.step(state, state, None, contacts, DT * units.time)
        now = state.body_q.numpy()[:, :3] if model.body_count else state.particle_q.numpy()
        places.append(now.astype(float) / units.length)
    return np.array(places)


MASSES = [Units(mass=2.0**k) for k in (-20, 20)]
TIMES = [Units(time=2.0**k) for k in (-5, 5)]
LENGTHS = [Units(length=2.0**k) for k in (-10, 10)]
CASES = [
    (scene, units)
    for scene in (thrown, stacked, overlapped, chain, driven, standing, cloth)
    for units in (*MASSES, *TIMES)
]


def compare(scene, units, dtype, bounces=False):
    found = course(scene, units, dtype, bounces)
    assert np.abs(found[-1] - found[0]).max() > 1e-3
    np.testing.assert_array_equal(found, course(scene, Units(), dtype, bounces))


@pytest.mark.sweep
@pytest.mark.parametrize(("scene", "units"), CASES)
@pytest.mark.parametrize(("dtype", "bounces"), [("float64", False), ("float64", True), ("float32", False)])
def test_the_course_does_not_depend_on_the_units(scene, units, dtype, bounces):
    compare(scene, units, dtype, bounces)


@pytest.mark.parametrize("units", LENGTHS)
@pytest.mark.parametrize("scene", [chain, driven, cloth])
def test_the_course_does_not_depend_on_the_unit_of_length(scene, units):
    compare(scene, units, "float32")
