# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The list of near pairs: it misses none that a step asks for, over any motion, and is made anew when it is due."""

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.sim.collide.contact_finding import CLOSENESS
from inertia_tools.sim.collide.near_pairs import SHARE, STEPS

wp = pytest.importorskip("warp", reason="warp-lang is not installed")

RADIUS, COUNT = 0.1, 12


class Listed:
    """Balls, two of them with margins, over a floor; the lists of each world, made by the function of the solver."""

    def __init__(self, dtype="float64", worlds=1):
        from inertia_tools.sim.collide.near_pairs import near_functions
        from inertia_tools.sim.kernels.scene_types import scene_type

        builder = it.ModelBuilder()
        for index in range(COUNT):
            body = builder.add_link(mass=1.0, inertia=np.eye(3))
            cfg = it.ShapeConfig(margin=0.03 if index < 2 else 0.0)
            builder.add_shape_sphere(body, radius=RADIUS * (1 + index % 3), cfg=cfg)
        builder.add_ground_plane()
        builder.replicate(worlds)
        self.model = builder.finalize(dtype=dtype)
        self.rows = self.model.contacts().rows
        p, keep_list = self.model.precision, near_functions(self.model.precision).keep_list
        Scene, scalar = scene_type(p), p.scalar

        @wp.kernel(module="unique", enable_backward=False)
        def keep(scene: wp.array(dtype=Scene), world: int, closeness: scalar, way: scalar):
            keep_list(scene[0], world, closeness, way)

        self.kernel = keep

    def ask(self, centres, way, world=0):
        """Return the pairs of a world that are listed for a step with shapes there."""
        from inertia_tools.sim.kernels.scene_types import scene_type
        from inertia_tools.sim.kernels.struct_array import struct_array

        wp_centres = self.model.precision.numpy(centres)
        self.rows.shape_origin.assign(wp_centres)
        p = self.model.precision
        scene = scene_type(p)()
        scene.shapes, scene.rows = self.model.shapes, self.rows
        inputs = [struct_array(scene, self.model.device), world, p.scalar(CLOSENESS), p.scalar(way)]
        wp.launch(self.kernel, 1, inputs=inputs)
        first = world * self.model.shapes.pair_count
        return self.rows.near_pair.numpy()[first : first + self.rows.near_count.numpy()[world]]

    def wanted(self, centres, way, world=0):
        """Return the pairs that may touch in the step, by their definition."""
        shapes = self.model.shapes
        first, count = world * shapes.pair_count, shapes.pair_count
        a, s = (array.numpy()[first : first + count] for array in (shapes.pair_feature, shapes.pair_solid))
        reach, margin = shapes.reach.numpy(), shapes.margin.numpy()
        far = way + (1.0 + CLOSENESS) * reach[a] + reach[s] + margin[a] + margin[s]
        apart = np.linalg.norm(centres[a] - centres[s], axis=1)
        return first + np.flatnonzero((reach[s] < 0.0) | (apart <= far * (1.0 - 1e-6)))

    @property
    def listed_at(self):
        return self.rows.listed_origin.numpy()


@pytest.fixture(scope="module", params=["float64", "float32"])
def dtype(request):
    return request.param


def start(rng, worlds=1):
    return rng.uniform(-1.0, 1.0, (worlds * (COUNT + 1), 3))


def test_random_motions_miss_no_pair(dtype):
    """Speeds change from step to step, and now and then a ball is put elsewhere."""
    rng, listed = np.random.default_rng(4), Listed(dtype)
    made = 0
    centres = start(rng)
    for _ in range(300):
        way = rng.uniform(0.0, 0.02)
        before = listed.listed_at.copy()
        near = listed.ask(centres, way)
        made += int(not np.array_equal(before, listed.listed_at))
        assert set(listed.wanted(centres, way)) <= set(near.tolist())
        assert np.all(np.diff(near) > 0)  # in the order of all pairs
        steps = rng.normal(size=centres.shape)
        centres = centres + 0.5 * way * steps / np.linalg.norm(steps, axis=1)[:, None]
        if rng.random() < 0.02:
            centres[rng.integers(COUNT)] = rng.uniform(-1.0, 1.0, 3)
    assert 5 < made < 150  # it is used for several steps


def test_list_is_made_anew_only_when_something_has_moved_by_half_of_the_slack():
    listed = Listed()
    centres, way = start(np.random.default_rng(5)), 0.001
    slack = STEPS * way + SHARE * 3.0 * RADIUS
    listed.ask(centres, way)
    for share, is_new in ((0.49, False), (0.51, True)):
        moved = centres.copy()
        moved[3] += [share * slack, 0.0, 0.0]
        listed.ask(moved, way)
        assert np.array_equal(listed.listed_at[3], moved[3]) == is_new


def test_list_is_made_anew_when_a_step_asks_for_more_than_its_slack():
    listed = Listed()
    centres, way = start(np.random.default_rng(6)), 0.001
    slack = STEPS * way + SHARE * 3.0 * RADIUS
    listed.ask(centres, way)
    listed.ask(centres, way + 0.9 * slack)
    assert listed.rows.listed_reach.numpy()[0] == way
    listed.ask(centres, way + 1.1 * slack)
    assert listed.rows.listed_reach.numpy()[0] == pytest.approx(way + 1.1 * slack)


def test_worlds_have_lists_of_their_own():
    listed, rng = Listed(worlds=3), np.random.default_rng(7)
    centres = start(rng, 3)
    for world in (2, 0, 1):
        near = listed.ask(centres, 0.01, world)
        assert set(listed.wanted(centres, 0.01, world)) <= set(near.tolist())
        first = world * listed.model.shapes.pair_count
        assert np.all((near >= first) & (near < first + listed.model.shapes.pair_count))
