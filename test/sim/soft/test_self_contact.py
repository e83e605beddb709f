# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Cloth that meets cloth between its particles: triangles and edges are as thick as their particles, both ways."""

import numpy as np
import pytest
import warp as wp

import inertia_tools as it
from inertia_tools.sim.soft import self_contact
from inertia_tools.sim.soft.skin import open_triangles
from inertia_tools.sim.soft.surface_distance import triangle_weights
from test.sim.soft.scenes import momenta, run, watch

RADIUS = 0.005
MATERIAL = {"tri_ke": 1e3, "tri_ka": 1e3, "tri_kd": 1.0, "edge_ke": 1e-3, "edge_kd": 0.0, "particle_radius": RADIUS}
FLAT = {"rot": (0.0, 0.0, 0.0, 1.0), "vel": (0.0, 0.0, 0.0)}


def sheet(builder, at, cells, cell, mass=0.005, **options):
    size = {"dim_x": cells[0], "dim_y": cells[1], "cell_x": cell, "cell_y": cell, "mass": mass}
    builder.add_cloth_grid(pos=at, **FLAT, **size, **MATERIAL, **options)


def nearest(x, triangles, points):
    """Return the least distance of points from triangles, by sampling both finely."""
    grid = [(a, b) for a in np.linspace(0, 1, 41) for b in np.linspace(0, 1 - a, 1 + round(40 * (1 - a)))]
    weights = np.array([(1 - a - b, a, b) for a, b in grid])
    samples = np.einsum("sk,tkc->tsc", weights, x[triangles]).reshape(-1, 3)
    return min(np.linalg.norm(samples - x[i], axis=1).min() for i in points)


def test_a_coarse_sheet_carries_a_finer_one_between_its_particles():
    builder = it.ModelBuilder()
    sheet(builder, (0, 0, 1), (8, 8), 0.1, mass=0.01, fix_left=True, fix_right=True)
    first = builder.particle_count
    sheet(builder, (0.27, 0.23, 1.05), (3, 3), 0.08)
    model = builder.finalize(dtype="float64")
    upper = range(first, model.particle_count)
    state, _, _ = run(model, 1.5, dt=1 / 60, substeps=4)
    x, triangles = state.particle_q.numpy(), model.tri_indices.numpy()
    lower = triangles[(triangles < first).all(axis=1)]
    assert nearest(x, lower, upper) == pytest.approx(2 * RADIUS, rel=0.02)
    assert x[first:, 2].min() > 0.9
    through, _, _ = run(model, 0.5, dt=1 / 60, substeps=4, particle_enable_self_contact=False)
    assert through.particle_q.numpy()[first:, 2].max() < x[first:, 2].min()


@pytest.mark.parametrize("fall", [1.0, 3.0])
def test_edges_cross_at_their_thickness_and_keep_all_momenta(fall):
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    for height, turn, speed in ((0.0, 0.0, 0.0), (0.1, 0.5 * np.pi, -fall)):
        c, s = np.cos(turn), np.sin(turn)
        corners = np.array([[-0.5, 0.0, 0], [0.5, 0.0, 0], [0.0, 0.02, 0.0]]) + [0.03, -0.005, 0.0]
        first = builder.particle_count
        for x, y, z in corners @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]) + [0, 0, height]:
            builder.add_particle((x, y, z), (0, 0, speed), mass=0.1, radius=RADIUS)
        builder.add_triangle(first, first + 1, first + 2, tri_ke=1e4, tri_ka=1e4, tri_kd=0.0)
    model = builder.finalize(dtype="float64")
    mass = model.particle_mass.numpy()
    start = momenta(mass, model.state())
    solver, state, contacts = it.SolverXPBD(model, substeps=10), model.state(), model.contacts()
    least = np.inf
    for _ in range(60):
        solver.step(state, state, None, contacts, 1 / 120)
        x = state.particle_q.numpy()
        least = min(least, x[3:, 2].mean() - x[:3, 2].mean())
        assert momenta(mass, state) == pytest.approx(start, abs=1e-6 * fall * np.abs(start).max())
    assert least > 0.5 * RADIUS  # they bend where they cross, and do not pass through each other
    z = state.particle_qd.numpy()[:, 2].reshape(2, 3).mean(axis=1)
    assert z == pytest.approx(-0.5 * fall, abs=0.05 * fall)  # what meets goes on together, and quivers


def test_only_triangles_with_holes_are_looked_at():
    counts = []
    for radius in (0.005, 0.05):
        builder = it.ModelBuilder()
        builder.add_cloth_grid(
            pos=(0, 0, 1),
            **FLAT,
            dim_x=4,
            dim_y=4,
            cell_x=0.1,
            cell_y=0.1,
            mass=0.1,
            **{**MATERIAL, "particle_radius": radius},
        )
        counts.append(len(open_triangles(builder.finalize().soft)))
    assert counts == [32, 0]


def test_a_sheet_does_not_touch_itself_where_it_was_built():
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    sheet(builder, (0, 0, 0), (6, 6), 0.02)
    model = builder.finalize(dtype="float64")
    rest = model.particle_q.numpy()
    seen = watch(model, 0.2, lambda state: state.particle_q.numpy())
    assert np.abs(seen - rest).max() < 1e-12


@wp.kernel
def _on_triangles(p: wp.array(dtype=wp.vec3d), corners: wp.array2d(dtype=wp.vec3d), found: wp.array(dtype=wp.vec3d)):
    i = wp.tid()
    found[i] = triangle_weights(corners[i, 0] - p[i], corners[i, 1] - p[i], corners[i, 2] - p[i])


@wp.kernel
def _of_segments(ends: wp.array2d(dtype=wp.vec3d), found: wp.array(dtype=wp.vec2d)):
    i = wp.tid()
    found[i] = self_contact.closest_of_segments(ends[i, 0], ends[i, 1], ends[i, 2], ends[i, 3])


def test_nearest_points_of_triangles_and_segments_are_no_further_than_any_other():
    random = np.random.default_rng(7)
    corners, points = random.normal(size=(300, 3, 3)), random.normal(size=(300, 3)) * 1.5
    found = wp.zeros(300, dtype=wp.vec3d)
    inputs = [wp.array(points, dtype=wp.vec3d), wp.array(corners, dtype=wp.vec3d), found]
    wp.launch(_on_triangles, dim=300, inputs=inputs)
    weights = found.numpy()
    assert weights.min() >= 0.0 and weights.sum(axis=1) == pytest.approx(1.0, abs=1e-12)
    reached = np.linalg.norm(points - np.einsum("ik,ikc->ic", weights, corners), axis=1)
    others = random.dirichlet(np.ones(3), size=2000)
    sampled = np.linalg.norm(points[:, None] - np.einsum("sk,ikc->isc", others, corners), axis=2).min(axis=1)
    assert (reached <= sampled + 1e-12).all()

    ends, along = random.normal(size=(300, 4, 3)), wp.zeros(300, dtype=wp.vec2d)
    wp.launch(_of_segments, dim=300, inputs=[wp.array(ends, dtype=wp.vec3d), along])
    s, t = along.numpy().T
    assert min(s.min(), t.min()) >= 0.0 and max(s.max(), t.max()) <= 1.0
    between = lambda s, t: (  # noqa: E731
        ends[:, 0] + s[:, None] * (ends[:, 1] - ends[:, 0]) - ends[:, 2] - t[:, None] * (ends[:, 3] - ends[:, 2])
    )
    reached = np.linalg.norm(between(s, t), axis=1)
    for _ in range(500):
        other = between(*random.uniform(size=(2, 300)))
        assert (reached <= np.linalg.norm(other, axis=1) + 1e-12).all()


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("dtype", "dt", "substeps"), [("float64", 1 / 60, 1), ("float64", 1 / 60, 4), ("float32", 1 / 240, 4)]
)
@pytest.mark.parametrize(
    ("angle", "friction", "speed"), [(10.0, 0.0, 0.0), (0.0, 0.0, 0.5), (0.0, 0.1, 0.5), (10.0, 0.1, 0.2)]
)
def test_cloth_slides_on_flat_cloth_by_coulombs_law(angle, friction, speed, dtype, dt, substeps):
    """The edges of the triangles ahead stopped it: 0.2 m/s instead of 0.85 down a slope, 0.03 of 0.5 on the level."""
    slope, gravity = np.radians(angle), 9.81
    builder = it.ModelBuilder(gravity=(gravity * np.sin(slope), 0.0, -gravity * np.cos(slope)))
    material = MATERIAL | {"particle_radius": 0.004}
    builder.add_cloth_grid(pos=(-0.3, -0.2, 0.0), dim_x=24, dim_y=8, cell_x=0.05, cell_y=0.05, mass=0.01, **material)
    below = builder.particle_count
    for i in range(below):
        builder.particle_mass[i] = 0.0
    builder.add_cloth_grid(
        pos=(-0.213, -0.117, 0.00801),
        vel=(speed, 0.0, 0.0),
        dim_x=4,
        dim_y=4,
        cell_x=0.045,
        cell_y=0.045,
        mass=0.01,
        **(material | {"tri_kd": 2.0, "edge_ke": 1.0, "edge_kd": 0.05}),
    )
    model = builder.finalize(dtype=dtype)
    model.soft.particle_mu = friction
    state, _, _ = run(model, 0.4, dt=dt, substeps=substeps)
    gained = 0.4 * gravity * (np.sin(slope) - friction * np.cos(slope))
    assert state.particle_qd.numpy()[below:, 0].mean() == pytest.approx(speed + gained, abs=0.01)
    assert np.abs(state.particle_q.numpy()[below:, 2] - 0.008).max() < 2e-5
