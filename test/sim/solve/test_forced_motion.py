# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Light bodies that strong forces press against what they touch: contacts are measured where bodies are, not beyond."""

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools import ModelBuilder, Pose, ShapeConfig

RADIUS, MASS, MU = 0.03, 0.5, 0.5


def add_load(builder, shape):
    """Add a body of half a kilogram at the origin."""
    body = builder.add_link()
    if shape == "ball":
        density = MASS / (4.0 / 3.0 * np.pi * RADIUS**3)
        builder.add_shape_sphere(body, radius=RADIUS, cfg=ShapeConfig(mu=MU, density=density))
    else:
        config = ShapeConfig(mu=MU, density=MASS / (8.0 * RADIUS**3))
        builder.add_shape_box(body, hx=RADIUS, hy=RADIUS, hz=RADIUS, cfg=config)


def add_finger(builder, angle, mass):
    """Add a finger on a slide that points at the origin, from where it touches."""
    place = Pose.from_xyz_rpy([1.2 * RADIUS * np.cos(angle), 1.2 * RADIUS * np.sin(angle), 0.0], [0.0, 0.0, angle])
    body, half = builder.add_link(xform=place), (0.2 * RADIUS, 0.4 * RADIUS, 0.6 * RADIUS)
    config = ShapeConfig(mu=MU, density=mass / (8.0 * np.prod(half)))
    builder.add_shape_box(body, hx=half[0], hy=half[1], hz=half[2], cfg=config)
    builder.add_joint_prismatic(-1, body, axis=(1, 0, 0), parent_xform=place)


def hold(shape, fingers, force, mass, dtype, dt, substeps):
    """Return how far the load has gone [m] after half a second between fingers that so much force presses."""
    builder = ModelBuilder(gravity=(0.0, 0.0, -9.81))
    add_load(builder, shape)
    for i in range(fingers):
        add_finger(builder, 2.0 * np.pi * i / fingers, mass)
    model = builder.finalize(dtype=dtype)
    state, contacts, control = model.state(), model.contacts(), model.control()
    control.joint_f.assign(np.full(fingers, -force, dtype=dtype))
    solver = it.SolverXPBD(model, substeps=substeps, threads=1)
    for _ in range(round(0.5 / dt)):
        solver.step(state, state, control, contacts, dt)
    return np.abs(state.body_q.numpy()[0, :3]).max()


@pytest.mark.parametrize(("dt", "substeps"), [(1.0 / 60.0, 1), (1.0 / 60.0, 4), (1.0 / 240.0, 1), (1.0 / 1200.0, 1)])
@pytest.mark.parametrize(("force", "mass"), [(20.0, 0.1), (70.0, 0.015), (200.0, 0.002)])
@pytest.mark.parametrize("shape", ["ball", "box"])
def test_light_fingers_hold_with_any_force(shape, force, mass, dt, substeps):
    """Their force alone would carry the lightest through the load within a hundredth of a second."""
    assert hold(shape, 2, force, mass, "float64", dt, substeps) < 1e-9


@pytest.mark.parametrize(("fingers", "force"), [(3, 10.0), (3, 70.0), (5, 70.0)])
@pytest.mark.parametrize(("dtype", "most"), [("float64", 1e-9), ("float32", 1e-6)])
def test_so_do_more_of_them(fingers, force, dtype, most):
    assert hold("ball", fingers, force, 0.015, dtype, 1.0 / 60.0, 4) < most
