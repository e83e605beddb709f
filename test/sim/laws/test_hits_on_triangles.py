# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Bodies that fly at triangles at any attitude: they meet all of them, and feel no inner edges of a level floor."""

import numpy as np
import pytest
import trimesh
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

import inertia_tools as it
from inertia_tools.spatial import Pose

COUNT = 24
PEBBLE = np.random.default_rng(5).normal(size=(14, 3))
PEBBLE *= 0.1 / np.linalg.norm(PEBBLE, axis=1, keepdims=True)
RIM = np.linspace(0.0, 2.0 * np.pi, 32, endpoint=False)
WHEEL = np.concatenate([np.stack([0.1 * np.cos(RIM), 0.1 * np.sin(RIM), z + 0.0 * RIM], 1) for z in (-0.02, 0.02)])
SHAPES = {
    "sphere": lambda b, i, cfg: b.add_shape_sphere(i, radius=0.1, cfg=cfg),
    "box": lambda b, i, cfg: b.add_shape_box(i, hx=0.12, hy=0.08, hz=0.1, cfg=cfg),
    "plate": lambda b, i, cfg: b.add_shape_box(i, hx=0.15, hy=0.1, hz=0.01, cfg=cfg),
    "rod": lambda b, i, cfg: b.add_shape_capsule(i, radius=0.02, half_height=0.15, cfg=cfg),
    "hull": lambda b, i, cfg: b.add_shape_convex_hull(i, mesh=PEBBLE[ConvexHull(PEBBLE).vertices], cfg=cfg),
    "wheel": lambda b, i, cfg: b.add_shape_convex_hull(i, mesh=WHEEL, cfg=cfg),
}
RIDGE = trimesh.convex.convex_hull([[x, y, -abs(x)] for x in (-1.5, 0.0, 1.5) for y in (-2.0, 2.0)])


def roof() -> it.Mesh:
    return it.Mesh(RIDGE.vertices, RIDGE.faces)


def floor(cells: int) -> it.Mesh:
    """A level square of 3 m."""
    place = np.linspace(-1.5, 1.5, cells + 1)
    points = np.stack(np.meshgrid(place, place, [0.0], indexing="ij"), axis=-1).reshape(-1, 3)
    row, column = np.meshgrid(range(cells), range(cells), indexing="ij")
    k = (row * (cells + 1) + column).ravel()
    faces = np.concatenate([np.stack([k, k + cells + 1, k + cells + 2], 1), np.stack([k, k + cells + 2, k + 1], 1)])
    return it.Mesh(points, faces)


class Shots:
    """Bodies without friction and weight that fly down at a mesh, each in a world of its own."""

    def __init__(self, kind: str, mesh: it.Mesh, speed: float, dt: float, substeps: int, dtype: str) -> None:
        builder, smooth, velocities = it.ModelBuilder(gravity=(0.0, 0.0, 0.0)), it.ShapeConfig(mu=0.0), []
        draw = np.random.default_rng(0)
        for _ in range(COUNT):
            way = draw.normal(size=3) * [0.5, 0.5, 1.0]
            way[2] = -abs(way[2]) - 0.5
            way /= np.linalg.norm(way)
            aim = np.array([draw.uniform(-0.05, 0.05), draw.uniform(-0.3, 0.3), 0.0])
            place = aim - way * (0.22 / -way[2] + speed * dt * draw.uniform())
            builder.begin_world()
            SHAPES[kind](builder, builder.add_body(Pose(place, Rotation.random(random_state=draw).as_matrix())), smooth)
            builder.end_world()
            velocities.append([*(speed * way), *(2.0 * draw.normal(size=3))])
        builder.add_shape_mesh(-1, mesh=mesh, cfg=smooth)
        self.model = builder.finalize(dtype=dtype)
        self.state, self.contacts, self.found = self.model.state(), self.model.contacts(), self.model.contacts()
        self.state.body_qd.assign(np.array(velocities))
        self.solver, self.dt = it.SolverXPBD(self.model, substeps=substeps), dt
        self.start = self.velocities

    @property
    def velocities(self) -> np.ndarray:
        return self.state.body_qd.numpy().astype(float)[:, :3]

    @property
    def heights(self) -> np.ndarray:
        return self.state.body_q.numpy().astype(float)[:, 2]

    def step(self) -> np.ndarray:
        """Step, and return the overlap of each body with the mesh [m]."""
        self.solver.step(self.state, self.state, None, self.contacts, self.dt)
        self.model.collide(self.state, self.found)
        depths = np.zeros(COUNT)
        np.maximum.at(depths, self.found.geometry.bodies.max(axis=1), self.found.geometry.depths)
        return depths

    def deepest(self, seconds: float) -> np.ndarray:
        """Step for a time, and return the greatest overlap of each body with the mesh [m]."""
        return np.max([self.step() for _ in range(round(seconds / self.dt))], axis=0)


@pytest.mark.parametrize(
    ("kind", "dtype"),
    [
        *((kind, "float64") for kind in SHAPES),
        pytest.param("box", "float32", marks=pytest.mark.slow),
        ("hull", "float32"),
    ],
)
def test_what_hits_a_ridge_hardly_overlaps_it(kind, dtype):
    """It may touch both slopes and the edge in the step of the hit. Rods and hulls overlapped by 25 mm and more."""
    depths = Shots(kind, roof(), 3.0, 1 / 60, 1, dtype).deepest(0.4)
    assert np.quantile(depths, 0.9) < 1e-2


@pytest.mark.parametrize("kind", SHAPES)
def test_what_hits_a_ridge_in_short_steps_does_not_overlap_it(kind):
    """The substep of the hit takes it 3 mm; balls overlapped by 0.5 mm, capsules and hulls by 3 to 8 mm."""
    depths = Shots(kind, roof(), 3.0, 1 / 240, 4, "float64").deepest(0.3)
    assert np.quantile(depths, 0.9) < 2e-3


@pytest.mark.parametrize(("dt", "substeps"), [(1 / 240, 4), (1 / 60, 1)])
@pytest.mark.parametrize("kind", ["sphere", "rod"])
def test_a_ridge_does_not_push_along_itself(kind, dt, substeps):
    """A ball that flew along the edge was held by the point of it that was nearest at the start of the step."""
    shots = Shots(kind, roof(), 3.0, dt, substeps, "float64")
    shots.deepest(0.3)
    np.testing.assert_allclose(shots.velocities[:, 1], shots.start[:, 1], atol=1e-4)


@pytest.mark.sweep
@pytest.mark.parametrize(("cells", "dt"), [(60, 1 / 240), (12, 1 / 60)])
@pytest.mark.parametrize("kind", SHAPES)
def test_a_level_floor_pushes_straight_up_whatever_lands_on_it(kind, cells, dt):
    """Also what lands flat: the plane of its contacts turned with it, and pushed sideways by 4e-3 of the speed."""
    shots = Shots(kind, floor(cells), 1.0, dt, 4, "float64")
    shots.deepest(0.5)
    assert (shots.velocities[:, 2] > shots.start[:, 2] + 0.1).all()
    np.testing.assert_allclose(shots.velocities[:, :2], shots.start[:, :2], atol=1e-4)


@pytest.mark.parametrize("kind", ["rod", "hull", "plate"])
def test_nothing_falls_through_a_floor_as_it_turns_over_after_the_hit(kind):
    """A frame takes it 17 cm, and it turns by up to a radian in the rest of the frame."""
    shots = Shots(kind, floor(60), 10.0, 1 / 60, 1, "float64")
    shots.deepest(0.25)
    assert shots.heights.min() > -0.1
