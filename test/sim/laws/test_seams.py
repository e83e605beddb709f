# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What slides over boxes of one height, or falls past their sides, does not catch where they meet."""

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.spatial import Pose, rotation_from_quaternion, rotation_from_rpy

G, MU, R = 9.81, 0.3, 0.05
FRICTION = it.ShapeConfig(mu=MU, density=1000.0)
HEIGHTS = {"flat": 0.3 * R}
"""Half heights of sliders, `R` for the others."""


def add_slider(builder, kind, body):
    if kind == "hull":
        builder.add_shape_convex_hull(body, mesh=it.Mesh.create_box(R, R, R, duplicate_vertices=False), cfg=FRICTION)
    elif kind == "mesh":
        builder.add_shape_mesh(body, mesh=it.Mesh.create_box(R, R, R, duplicate_vertices=False), cfg=FRICTION)
    elif kind == "cone":
        builder.add_shape_cone(body, radius=R, half_height=R, cfg=FRICTION)
    elif kind == "cylinder":
        builder.add_shape_cylinder(body, radius=R, half_height=R, cfg=FRICTION)
    else:
        builder.add_shape_box(body, hx=R, hy=R, hz=HEIGHTS.get(kind, R), cfg=FRICTION)


def add_block(builder, kind, at, friction=FRICTION):
    size = (2.0 * R, 3.0 * R, R)
    if kind == "free":
        body = builder.add_link(xform=Pose(np.array(at)))
        builder.add_shape_box(
            body, **dict(zip(("hx", "hy", "hz"), size, strict=True)), cfg=it.ShapeConfig(mu=MU, density=2e4)
        )
    elif kind == "mesh":
        mesh = it.Mesh.create_box(*size, duplicate_vertices=False)
        builder.add_shape_mesh(-1, xform=Pose(np.array(at)), mesh=mesh, cfg=FRICTION)
    elif kind == "hull":
        mesh = it.Mesh.create_box(*size, duplicate_vertices=False)
        builder.add_shape_convex_hull(-1, xform=Pose(np.array(at)), mesh=mesh, cfg=FRICTION)
    else:
        builder.add_shape_box(-1, xform=Pose(np.array(at)), hx=size[0], hy=size[1], hz=size[2], cfg=friction)


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("dt", "substeps"), [(1 / 60, 4), (1 / 240, 1), (1 / 1000, 1)])
@pytest.mark.parametrize("speed", [0.3, 1.0])
@pytest.mark.parametrize(
    ("slider", "block", "apart"),
    [
        *(("flat", "box", 0.0), ("box", "box", 0.002), ("cylinder", "box", 0.0), ("box", "free", 0.0)),
        *(("hull", "hull", 0.0), ("hull", "hull", 0.002), ("flat", "mesh", 0.002)),
        ("cone", "box", 0.0),
    ],
)
def test_on_the_slope_of_friction_speed_stays(scene, slider, block, apart, speed, dt, substeps, dtype):
    """Where bottom and top are at one height, the side of the next block met the slider's: it stopped, or tipped."""
    slope = np.arctan(MU)
    builder = it.ModelBuilder(gravity=(G * np.sin(slope), 0.0, -G * np.cos(slope)))
    builder.friction_combine = "min"
    if block == "free":
        builder.add_ground_plane(height=-2.0 * R, cfg=it.ShapeConfig(mu=2.0))
    for i in range(4):
        add_block(builder, block, ((4.0 * R + apart) * i, 0.0, -R))
    height = HEIGHTS.get(slider, R)
    body = builder.add_link(xform=Pose(np.array([0.013 * R, 0.0, height])))
    add_slider(builder, slider, body)
    run = scene(builder, dtype, substeps, dt=dt)
    run.run(0.05)
    start = run.q[body, 0]
    run.set_velocity(body, linear=(speed, 0.0, 0.0))
    steps = round(10.0 * R / speed / dt)
    for _ in range(steps):
        run.run(dt)
        assert run.q[body, 2] == pytest.approx(height, abs=1e-5)
    assert run.qd[body] == pytest.approx([speed, 0.0, 0.0, 0.0, 0.0, 0.0], abs=5e-3 * speed)
    assert run.q[body, 0] - start == pytest.approx(speed * steps * dt, rel=1e-3)


def test_what_is_on_a_mesh_does_not_leave_it_by_its_side(scene):
    """The side that it touches at an edge overlaps by rounding, and was 8 cm ahead: it pushed at 36 m/s^2."""
    test_on_the_slope_of_friction_speed_stays(scene, "mesh", "mesh", 0.0, 0.1, 1 / 240, 4, "float32")


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("dt", "substeps"), [(1 / 60, 1), (1 / 240, 4)])
@pytest.mark.parametrize("slider", ["flat", "box", "hull", "cylinder"])
def test_what_is_flush_with_a_side_falls_past_it(scene, slider, dt, substeps, dtype):
    builder = it.ModelBuilder()
    builder.friction_combine = "product"
    for side in (-1.0, 1.0):
        add_block(builder, "box", (side * 3.0 * R, 0.0, -3.0 * R), it.ShapeConfig(mu=0.0))
    body = builder.add_link()
    add_slider(builder, slider, body)
    run = scene(builder, dtype, substeps, dt=dt)
    steps = round(0.2 / dt)
    run.run(steps * dt)
    assert run.q[body, 2] == pytest.approx(-0.5 * G * (steps * dt) ** 2, rel=1e-4)
    assert run.q[body, 0] == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("dt", "substeps"), [(1 / 60, 4), (1 / 240, 1)])
@pytest.mark.parametrize("height", [0.05, 0.2])
@pytest.mark.parametrize("slider", ["box", "hull"])
def test_a_step_stops_what_slides_into_it(scene, slider, height, dt, substeps, dtype):
    """A block that is higher by a part of the slider's size is no seam."""
    builder = it.ModelBuilder()
    add_block(builder, "box", (0.0, 0.0, -R))
    add_block(builder, "box", (4.0 * R, 0.0, -R + height * R))
    body = builder.add_link(xform=Pose(np.array([0.0, 0.0, R])))
    add_slider(builder, slider, body)
    run = scene(builder, dtype, substeps, dt=dt)
    run.set_velocity(body, linear=(0.7, 0.0, 0.0))
    run.run(0.5)
    assert run.q[body, 0] < R + 1e-4
    assert run.q[body, 2] == pytest.approx(R, abs=1e-4)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("dt", "substeps"), [(1 / 60, 1), (1 / 240, 4)])
@pytest.mark.parametrize(("half", "speed"), [((0.02, 0.02, 0.02), 5.0), ((0.005, 1e-4, 0.005), 1.0)])
def test_what_is_small_does_not_pass_by_a_large_face(scene, half, speed, dt, substeps, dtype):
    """That it covers little of the face does not make it one at its edge."""
    builder = it.ModelBuilder()
    corners = np.array([(-50.0, -50.0, 0.0), (50.0, -50.0, 0.0), (50.0, 50.0, 0.0), (-50.0, 50.0, 0.0)])
    builder.add_shape_mesh(-1, mesh=it.Mesh(corners, np.array([0, 1, 2, 0, 2, 3])), cfg=FRICTION)
    body = builder.add_link(xform=Pose(np.array([0.31, 0.2, half[2] + 1.4 * speed * dt])))
    builder.add_shape_box(body, hx=half[0], hy=half[1], hz=half[2], cfg=FRICTION)
    run = scene(builder, dtype, substeps, dt=dt)
    run.set_velocity(body, linear=(0.0, 0.0, -speed))
    for _ in range(12):
        assert run.run(dt).q[body, 2] > 0.98 * half[2]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("block", ["box", "hull", "mesh"])
@pytest.mark.parametrize("lean", [0.3, -0.3, 0.8])
def test_what_lands_on_an_edge_just_inside_a_border_is_borne(scene, lean, block, dtype):
    """Of the face that leans outwards there is but a strip over the block; the body is."""
    builder = it.ModelBuilder()
    add_block(builder, block, (-2.0 * R, 0.0, -R))
    turn = rotation_from_rpy((0.0, lean, 0.0))
    lowest = min((turn @ np.array([x, 0.0, z]) for x in (-R, R) for z in (-R, R)), key=lambda corner: corner[2])
    at = np.array([-1e-3 * R - lowest[0], 0.0, -lowest[2] + 0.01])
    body = builder.add_link(xform=Pose(at, turn))
    add_slider(builder, "box", body)
    run = scene(builder, dtype, 1, dt=1 / 60)
    run.set_velocity(body, linear=(0.0, 0.0, -0.3))
    for _ in range(6):
        run.run(1 / 60)
        edge = run.q[body, :3] + rotation_from_quaternion(run.q[body, 3:]) @ turn.T @ lowest
        assert edge[2] > -1e-3 * R or edge[0] > 0.0
