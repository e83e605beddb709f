# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Neighbour lists of cloth find the contacts that a search over all pairs finds, however the particles move."""

import itertools

import numpy as np
import pytest
import warp as wp

import inertia_tools as it
from inertia_tools.sim.soft import grouping, self_contact
from inertia_tools.sim.soft.finding import ContactParameters
from inertia_tools.sim.soft.grouping import divided, grouped
from inertia_tools.sim.soft.minimising import Launches
from inertia_tools.sim.soft.near_groups import Groups, Paths, boxes_overlap
from inertia_tools.sim.soft.rows import Rows
from inertia_tools.sim.soft.self_contact import Skin, add_edge_row, add_triangle_row
from inertia_tools.sim.soft.skin import SkinContact
from inertia_tools.sim.soft.work import Particles

RADIUS = 0.008
MATERIAL = {"tri_ke": 300.0, "tri_ka": 300.0, "tri_kd": 1e-3, "edge_ke": 1e-4, "edge_kd": 0.0}
FIELDS = ("slot", "key", "particle", "other", "third", "fourth", "weights", "gap", "normal", "known", "bound")


@wp.kernel
def _find_all_points(
    skin: Skin, triangles: Groups, paths: Paths, particles: Particles, rows: Rows, slots: self_contact.Slots,
    parameters: ContactParameters, capacity: int,
):  # fmt: skip
    i = wp.tid()
    used, low, high = wp.int32(0), paths.low[i], paths.high[i]
    if particles.radius[i] <= wp.float64(0.0):
        return
    for r in range(triangles.member.shape[0]):
        is_corner = i == triangles.nodes[r, 0] or i == triangles.nodes[r, 1] or i == triangles.nodes[r, 2]
        is_near = boxes_overlap(low, high, triangles.box[r, 0], triangles.box[r, 1])
        if is_near and not is_corner and used < self_contact.TRIANGLE_CAPACITY:
            used = add_triangle_row(skin, particles, rows, slots, parameters, capacity, i, triangles.member[r], used)


@wp.kernel
def _find_all_edges(
    skin: Skin, edges: Groups, paths: Paths, particles: Particles, rows: Rows, slots: self_contact.Slots,
    parameters: ContactParameters, capacity: int,
):  # fmt: skip
    e = wp.tid()
    used, i, j = wp.int32(0), skin.edge[e, 0], skin.edge[e, 1]
    low, high = wp.min(paths.low[i], paths.low[j]), wp.max(paths.high[i], paths.high[j])
    for r in range(edges.member.shape[0]):
        f = edges.member[r]
        k, m = skin.edge[f, 0], skin.edge[f, 1]
        is_later = f > e and i != k and i != m and j != k and j != m
        is_near = boxes_overlap(low, high, edges.box[r, 0], edges.box[r, 1])
        if is_near and is_later and used < self_contact.EDGE_CAPACITY:
            used = add_edge_row(skin, particles, rows, slots, parameters, capacity, e, f, used)


class Watch:
    """Compares each search with one over all pairs, row by row."""

    def __init__(self, monkeypatch):
        self.searches, self.found, self.remade, self.longest, self.worlds = 0, 0, 0, 0, set()
        find, replay = SkinContact.find, Launches.replay

        def launched(launches, key, launch, alive=None):
            """Launch each time what searches, so that it is seen."""
            if key[0] == "prepare":
                launch()
            else:
                replay(launches, key, launch, alive)

        monkeypatch.setattr(Launches, "replay", launched)

        def watched(skin, launch, particles, rows, slots, parameters, capacity):
            start = int(rows.count.numpy()[0])
            find(skin, launch, particles, rows, slots, parameters, capacity)
            found = self.read(rows, start)
            rows.count.fill_(start)
            for kernel, count, part in zip(
                (_find_all_points, _find_all_edges), (skin._count, skin._edges), skin._groups, strict=True
            ):
                launch(
                    kernel, count, skin._skin, part.groups, skin._paths, particles, rows, slots, parameters, capacity
                )
            expected = self.read(rows, start)
            assert len(found["key"]) == len(expected["key"])
            for name in FIELDS:
                assert np.array_equal(found[name], expected[name]), name
            worlds = particles.world.numpy()
            assert np.array_equal(worlds[found["particle"]], worlds[found["fourth"]])
            self.worlds |= set(worlds[found["particle"]].tolist())
            self.searches += 1
            self.found += len(found["key"])
            self.remade += int(skin._paths.is_stale.numpy()[0])
            self.longest = max(self.longest, *(int(part.groups.near_count.numpy().max()) for part in skin._groups))

        monkeypatch.setattr(SkinContact, "find", watched)

    @staticmethod
    def read(rows, start):
        """Return the rows from one on, in an order that does not depend on the device."""
        end = int(rows.count.numpy()[0])
        values = {name: getattr(rows, name).numpy()[start:end] for name in FIELDS}
        order = np.argsort(values["slot"])
        return {name: value[order] for name, value in values.items()}


@pytest.fixture
def watch(monkeypatch):
    return Watch(monkeypatch)


def cloth(builder, at=(0.0, 0.0, 0.0), cells=10, turn=(0.0, 0.0, 0.0, 1.0), radius=RADIUS):
    size = {"dim_x": cells, "dim_y": cells, "cell_x": 0.05, "cell_y": 0.05, "mass": 1e-3}
    builder.add_cloth_grid(pos=at, rot=turn, vel=(0, 0, 0), **size, **MATERIAL, particle_radius=radius)


def crumpling(builder):
    """Add cloth that stands upright on a floor and a ball that falls on it, a loose particle."""
    builder.add_ground_plane()
    cloth(builder, (-0.2, 0.0, 0.02), cells=8, turn=(np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)))
    builder.add_particle((0.0, 0.01, 0.8), (0, 0, -3), mass=0.01, radius=0.03)


def started(builder, **options):
    model = builder.finalize(dtype="float64")
    return model, it.SolverXPBD(model, **options), model.state(), model.contacts()


def spin(state, rate, noise):
    """Let particles turn about their centre, with random velocities."""
    x = state.particle_q.numpy()
    random = np.random.default_rng(3).normal(size=x.shape)
    state.particle_qd.assign(np.cross(rate, x - x.mean(axis=0)) + noise * random)


@pytest.mark.slow
def test_cloth_that_crumples_finds_the_contacts_of_all_pairs(watch):
    builder = it.ModelBuilder()
    crumpling(builder)
    _, solver, state, contacts = started(builder, substeps=4)
    for _ in range(24):
        solver.step(state, state, None, contacts, 1 / 60)
    assert watch.found > 500
    assert 0 < watch.remade < watch.searches / 2


@pytest.mark.parametrize(("rate", "noise"), [((0.5, 0.3, 0.2), 0.05), ((20.0, 12.0, 30.0), 3.0)])
def test_cloth_that_tumbles_finds_the_contacts_of_all_pairs(watch, rate, noise):
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    for height in (0.0, 0.03):
        cloth(builder, (0.0, 0.0, height), cells=7)
    _, solver, state, contacts = started(builder, substeps=2)
    spin(state, rate, noise)
    for _ in range(30):
        solver.step(state, state, None, contacts, 1 / 120)
    assert watch.found > 0
    assert watch.remade > 0


def test_lists_hold_while_cloth_falls_as_a_whole(watch):
    builder = it.ModelBuilder()
    cloth(builder)
    _, solver, state, contacts = started(builder, substeps=2)
    for _ in range(60):
        solver.step(state, state, None, contacts, 1 / 60)
    assert state.particle_q.numpy()[:, 2].max() < -4.0
    assert watch.remade == 1


def test_particles_that_are_moved_between_steps_are_found(watch):
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    for height in (0.0, 1.0):
        cloth(builder, (0.0, 0.0, height), cells=6)
    builder.add_particle((0.1, 0.1, 3.0), (0, 0, 0), mass=0.01, radius=0.02)
    model, solver, state, contacts = started(builder, substeps=1)
    half = 49
    rest = model.particle_q.numpy()
    random, found = np.random.default_rng(5), []
    for frame in range(40):
        x = rest + 1e-3 * random.normal(size=rest.shape)
        if frame % 3 == 1:  # the upper sheet comes down onto the lower one
            x[half : 2 * half] += [*random.uniform(-0.03, 0.03, 2), 0.014 - 1.0]
        if frame % 4 == 1:  # so does the loose particle
            x[-1] = [*random.uniform(0.05, 0.2, 2), 0.025]
        if frame % 5 == 1:  # corners fly far
            x[[0, half]] += random.normal(size=(2, 3))
        state.particle_q.assign(x)
        state.particle_qd.assign(np.zeros_like(x))
        before = watch.found
        solver.step(state, state, None, contacts, 1 / 240)
        found.append(watch.found - before)
    assert min(found[1::3]) > 50
    assert min(found) == 0


def test_a_reset_state_gives_the_same_path_again():
    builder = it.ModelBuilder()
    crumpling(builder)
    model, solver, _, _ = started(builder, substeps=4)
    ends = []
    for _ in range(2):
        state, contacts = model.state(), model.contacts()
        for _ in range(30):
            solver.step(state, state, None, contacts, 1 / 60)
        ends.append(state.particle_q.numpy())
    assert np.array_equal(*ends)


def test_replayed_searches_find_what_launched_ones_find(monkeypatch):
    ends = []
    for is_launched in (False, True):
        builder = it.ModelBuilder()
        crumpling(builder)
        _, solver, state, contacts = started(builder, substeps=4)
        if is_launched:
            monkeypatch.setattr(Launches, "replay", lambda _, key, launch, alive=None: launch())
        for _ in range(18):
            solver.step(state, state, None, contacts, 1 / 60)
        ends.append(state.particle_q.numpy())
    assert np.array_equal(*ends)


def test_worlds_at_one_place_do_not_meet(watch):
    single = it.ModelBuilder()
    crumpling(single)
    builder = it.ModelBuilder()
    builder.replicate(single, 3)
    _, solver, state, contacts = started(builder, substeps=2)
    for _ in range(20):
        solver.step(state, state, None, contacts, 1 / 60)
    assert watch.found > 100
    assert watch.worlds == {0, 1, 2}
    x = state.particle_q.numpy().reshape(3, -1, 3)
    assert np.abs(x - x[0]).max() < 0.02  # worlds are solved together, to a tolerance


@pytest.mark.parametrize("listed", [1, 3])
def test_lists_that_overflow_find_the_same_contacts_in_the_same_order(watch, monkeypatch, listed):
    monkeypatch.setattr(grouping, "LISTED", listed)
    builder = it.ModelBuilder()
    crumpling(builder)
    _, solver, state, contacts = started(builder, substeps=4)
    for _ in range(25):
        solver.step(state, state, None, contacts, 1 / 60)
    assert watch.found > 100
    assert watch.longest > listed


def test_groups_are_small_and_hold_each_part_once():
    builder = it.ModelBuilder()
    for world in range(2):
        single = it.ModelBuilder()
        cloth(single, cells=9 + world)
        builder.add_world(single)
    soft = builder.finalize().soft
    parts, x, worlds = soft.tri_indices.numpy(), soft.particle_q.numpy(), soft.particle_world.numpy()
    order, first = grouped(parts, x, worlds, "cpu")
    assert sorted(order) == list(range(len(parts)))
    sizes = np.diff(first)
    assert sizes.min() > 0
    assert 0.4 * grouping.SIZE < sizes.mean() <= sizes.max() <= grouping.SIZE
    for start, end in itertools.pairwise(first):
        assert len(set(worlds[parts[order[start:end]]].ravel())) == 1
        assert np.ptp(x[parts[order[start:end]]].reshape(-1, 3), axis=0).max() < 5 * 0.05


def test_a_range_of_boxes_divides_at_its_gaps():
    x = np.concatenate([np.arange(5), 100 + np.arange(7), 300 + np.arange(3)])[:, None] * [1.0, 0.0, 0.0]
    assert divided(x, x + 1.0, np.array([0])).tolist() == [0, 5, 12]
    assert divided(x, x + 1.0, np.array([0, 2])).tolist() == [0, 2, 5, 12]
    assert len(divided(0.0 * x, 0.0 * x, np.array([0]))) == 2
