# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What friction alone holds: loads between fingers, and arches without mortar, neither of which may creep."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from inertia_tools import Mesh, ModelBuilder, Pose, ShapeConfig, SolverXPBD

G = 9.81
CREEP = {"float64": 1e-7, "float32": 1e-5}


def grasp(builder, count, mass, mu, load, **drive):
    """A load of 1 dm between prismatic fingers that come from all around, each half as heavy as a kilogram."""
    held = builder.add_link()
    cfg = ShapeConfig(density=mass / (0.001 if load == "box" else 4 / 3 * np.pi * 0.05**3), mu=mu)
    if load == "box":
        builder.add_shape_box(held, hx=0.05, hy=0.05, hz=0.05, cfg=cfg)
    else:
        builder.add_shape_sphere(held, radius=0.05, cfg=cfg)
    for i in range(count):
        angle = 2 * np.pi * i / count
        along = np.array([np.cos(angle), np.sin(angle), 0.0])
        place = Pose.from_xyz_rpy(list(0.06 * along), [0.0, 0.0, angle])
        finger = builder.add_link(xform=place)
        builder.add_shape_box(finger, hx=0.01, hy=0.03, hz=0.03, cfg=ShapeConfig(density=0.5 / 7.2e-5, mu=mu))
        builder.add_joint_prismatic(parent=-1, child=finger, axis=(1.0, 0.0, 0.0), parent_xform=place, **drive)
    return held


def stepped(builder, dtype, seconds, substeps, forces=None, dt=1 / 240):
    """Step a scene; return heights in the middle and at the end, and the number of substeps that found no end."""
    model = builder.finalize(dtype=dtype)
    state, contacts, control = model.state(), model.contacts(), model.control()
    if forces is not None:
        control.joint_f.assign(np.array(forces, dtype=dtype))
    solver = SolverXPBD(model, substeps=substeps)
    middle = None
    for step in range(round(seconds / dt)):
        if step == round(seconds / dt) // 2:
            middle = state.body_q.numpy()[:, :3].copy()
        solver.step(state, state, control, contacts, dt)
    return middle, state.body_q.numpy()[:, :3], solver


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("mass", "over"), [(1.0, 1.005), (1.0, 1.2), (1.0, 10.0), (0.1, 2.0), (1000.0, 2.0)])
def test_two_fingers_hold_what_friction_can_bear_without_creep(dtype, mass, over):
    builder, mu = ModelBuilder(), 0.5
    held = grasp(builder, 2, mass, mu, "box")
    force = over * mass * G / (2 * mu)
    middle, end, _ = stepped(builder, dtype, 0.5, 10, [-force, -force])
    assert abs(end[held, 2] - middle[held, 2]) / 0.25 < CREEP[dtype]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("rate", "substeps"), [(60, 4), (240, 4), (1000, 1)])
@pytest.mark.parametrize("stiffness", [np.inf, 2e3])
def test_fingers_on_drives_at_their_limit_hold_and_lie_still(stiffness, rate, substeps, dtype):
    """A rigid drive that cannot reach its target gives its greatest effort, substep for substep."""
    builder, mu = ModelBuilder(), 0.5
    drive = {"target_pos": -0.03, "target_ke": stiffness, "target_kd": 50.0, "effort_limit": 1.3 * G / (2 * mu)}
    held = grasp(builder, 2, 1.0, mu, "box", **drive)
    model = builder.finalize(dtype=dtype)
    state, contacts, control = model.state(), model.contacts(), model.control()
    solver, height = SolverXPBD(model, substeps=substeps), 0.0
    for step in range(rate):
        solver.step(state, state, control, contacts, 1.0 / rate)
        if 2 * step == rate:
            height = state.body_q.numpy()[held, 2]
        assert 2 * step <= rate or np.abs(state.body_qd.numpy()).max() < 1e-5
    assert abs(state.body_q.numpy()[held, 2] - height) / 0.5 < CREEP[dtype]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("over", [1.005, 2.0, 10.0])
def test_two_fingers_along_the_axes_hold_an_egg(over, dtype):
    """The contact with the finger at -x was found in the middle of the egg, which fell, or turned and sank by 2 cm."""
    builder, mu = ModelBuilder(), 0.5
    egg = builder.add_link(mass=1.0, inertia=3.6e-4 * np.eye(3))
    builder.add_shape_ellipsoid(egg, rx=0.03, ry=0.03, rz=0.03, cfg=ShapeConfig(density=0.0, mu=mu))
    for side in (-1.0, 1.0):
        place = Pose(np.array([0.05 * side, 0.0, 0.0]))
        finger = builder.add_link(xform=place)
        builder.add_shape_box(finger, hx=0.02, hy=0.02, hz=0.02, cfg=ShapeConfig(density=1000.0, mu=mu))
        builder.add_joint_prismatic(parent=-1, child=finger, axis=(-side, 0.0, 0.0), parent_xform=place)
    _, end, _ = stepped(builder, dtype, 0.5, 4, [over * G / (2 * mu)] * 2)
    assert np.abs(end[egg]).max() < CREEP[dtype]


@pytest.mark.parametrize(("count", "load"), [(3, "sphere"), (4, "box"), (5, "sphere")])
def test_more_fingers_hold_as_well(count, load):
    builder, mu = ModelBuilder(), 0.5
    held = grasp(builder, count, 1.0, mu, load)
    middle, end, _ = stepped(builder, "float64", 0.5, 10, [-1.1 * G / (count * mu)] * count)
    assert abs(end[held, 2] - middle[held, 2]) / 0.25 < CREEP["float64"]


def test_a_load_slips_at_coulombs_rate_where_the_fingers_press_too_little():
    builder, mu, force = ModelBuilder(), 0.5, 9.0
    held = grasp(builder, 2, 1.0, mu, "box")
    _, end, _ = stepped(builder, "float64", 0.1, 10, [-force, -force])
    assert end[held, 2] == pytest.approx(-0.5 * (G - 2 * mu * force) * 0.1**2, rel=5e-2)


def arch(count, thickness, mu):
    """Half a circle of equal voussoirs, 1 m from its middle to the middle of the stones."""
    builder = ModelBuilder()
    cfg = ShapeConfig(mu=mu, density=1000.0)
    builder.add_ground_plane(cfg=cfg)
    for i in range(count):
        corners = np.array(
            [
                (r * np.cos(a), y, r * np.sin(a))
                for y in (-0.2, 0.2)
                for a in (np.pi * i / count, np.pi * (i + 1) / count)
                for r in (1 - thickness / 2, 1 + thickness / 2)
            ]
        )
        middle = corners.mean(axis=0)
        stone = builder.add_link(xform=Pose(middle))
        faces = ConvexHull(corners - middle).simplices.astype(np.int32)
        builder.add_shape_convex_hull(stone, mesh=Mesh(corners - middle, faces), cfg=cfg)
    return builder


@pytest.mark.parametrize(
    ("count", "thickness", "dtype"),
    [(7, 0.0967, "float64"), (7, 0.2, "float64"), (15, 0.1072, "float64"), (15, 0.2, "float64"),
     (31, 0.1083, "float64"), (7, 0.15, "float32"), (15, 0.2, "float32")],
)  # fmt: skip
def test_arches_thicker_than_the_least_stand(count, thickness, dtype):
    """The least thickness is 0.0957, 0.1061, 0.1071 for 7, 15, 31 stones (linear programming)."""
    middle, end, _ = stepped(arch(count, thickness, 0.7), dtype, 1.0, 10)
    assert np.abs(end - middle).max() < (1e-4 if dtype == "float64" else 1e-3)


@pytest.mark.parametrize("thickness", [0.095, 0.1])
def test_a_thinner_arch_of_fifteen_falls(thickness):
    _, end, _ = stepped(arch(15, thickness, 0.7), "float64", 1.5, 10)
    assert end[:, 2].max() < 0.9
