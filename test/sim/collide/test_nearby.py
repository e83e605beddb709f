# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Scenes whose pairs are searched in each step: they move as those whose pairs are listed, and lose no contact."""

from __future__ import annotations

import time

import numpy as np
import pytest
from scenes import DT, G, Scene, add_box

import inertia_tools as it
from inertia_tools.errors import OptionError
from inertia_tools.sim.device import nearby_contacts


def searched(**more: object) -> it.ModelBuilder:
    return it.ModelBuilder(broad_phase="search", **more)  # type: ignore[arg-type]


def stack(builder: it.ModelBuilder, count: int, at: tuple[float, float] = (0.0, 0.0)) -> it.ModelBuilder:
    for i in range(count):
        add_box(builder, 1.0, 0.05, (*at, 0.05 * (2 * i + 1)))
    return builder


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_stack_stands_and_shows_its_weight(dtype):
    builder = stack(searched(), 5)
    builder.add_ground_plane()
    scene = Scene(builder, dtype).run(0.5)
    tolerance = 1e-9 if dtype == "float64" else 1e-4
    assert np.abs(scene.q[:, 2] - 0.05 * (2 * np.arange(5) + 1)).max() < (1e-8 if dtype == "float64" else 1e-6)
    for above in range(5):
        below = above - 1
        assert scene.force_on(above, below)[2] == pytest.approx((5 - above) * G, rel=tolerance)


def test_listed_and_searched_scenes_fall_alike():
    ends = []
    for way in ("list", "search"):
        builder = it.ModelBuilder(broad_phase=way)
        for i in range(4):
            body = builder.add_link(it.Pose(np.array([0.3 * i, 0.0, 0.4 + 0.1 * i])), mass=1.0)
            builder.add_shape_sphere(body, radius=0.1, cfg=it.ShapeConfig(density=0.0, mu=0.4))
        builder.add_ground_plane()
        scene = Scene(builder)
        scene.set_velocity(0, (1.0, 0.2, 0.0))
        ends.append(scene.run(1.0).q)
    assert np.abs(ends[0] - ends[1]).max() < 1e-6


def test_friction_holds_from_step_to_step():
    slope = np.radians(20.0)
    builder = searched(gravity=(G * np.sin(slope), 0.0, -G * np.cos(slope)))
    add_box(builder, 1.0, 0.1, (0.0, 0.0, 0.1), mu=0.5)
    add_box(builder, 1.0, 0.05, (0.0, 0.0, 0.25), mu=0.5)
    builder.add_ground_plane(cfg=it.ShapeConfig(mu=0.5))
    scene = Scene(builder).run(0.5)
    before = scene.q
    scene.run(2.0)
    assert np.abs(scene.q - before).max() < 1e-9


def test_buffers_grow_and_nothing_is_dropped(monkeypatch):
    monkeypatch.setattr(nearby_contacts, "CONTACTS_A_COLLIDER", 1)
    builder = searched()
    for i in range(10):
        stack(builder, 3, (0.3 * i, 0.0))
    builder.add_ground_plane()
    scene = Scene(builder)
    scene.contacts.nearby._search.make_room(4)
    scene.contacts.nearby._size_pairs()
    scene.run(0.2)
    assert scene.contacts.nearby.generation >= 2
    assert len(scene.contacts.slot_bodies) == 120 <= scene.contacts.rigid_contact_max
    on_floor = sum(scene.force_on(3 * i, -1)[2] for i in range(10))
    assert on_floor == pytest.approx(30 * G, rel=1e-8)


def test_worlds_are_the_single_scene_to_the_bit():
    ends = []
    for count in (1, 3):
        builder = stack(searched(), 4)
        builder.add_shape_collision_filter_pair(0, 2)
        body = builder.add_link(it.Pose(np.array([0.02, 0.0, 0.6])), mass=0.5)
        builder.add_shape_sphere(body, radius=0.05, cfg=it.ShapeConfig(density=0.0))
        builder.add_ground_plane()
        builder.replicate(count)
        scene = Scene(builder).run(0.5)
        ends.append(scene.q.reshape(count, -1, 7))
    for world in range(3):
        assert (ends[1][world] == ends[0][0]).all()


def test_joints_filters_and_groups_keep_shapes_apart():
    builder = searched(gravity=(0.0, 0.0, 0.0))
    for i, config in enumerate(
        [it.ShapeConfig(), it.ShapeConfig(), it.ShapeConfig(), it.ShapeConfig(collision_group=2)]
    ):
        body = builder.add_link(it.Pose(np.array([0.01 * i, 0.0, 0.0])), mass=1.0)
        builder.add_shape_sphere(body, radius=0.1, cfg=config)
    builder.add_joint_revolute(0, 1)
    builder.add_shape_collision_filter_pair(1, 2)
    scene = Scene(builder).run(DT)
    assert {tuple(sorted(pair)) for pair in scene.contacts.slot_bodies.tolist()} == {(0, 2)}


def test_thousands_are_built_and_searched_in_no_time():
    builder = it.ModelBuilder()
    for i in range(3000):
        add_box(builder, 1.0, 0.05, (0.4 * (i % 60), 0.4 * (i // 60), 0.05))
    builder.add_ground_plane()
    began = time.perf_counter()
    model = builder.finalize(dtype="float32")
    assert time.perf_counter() - began < 20.0
    assert model.nearby is not None and model.slot_count == 0
    contacts, state = model.contacts(), model.state()
    solver = it.SolverXPBD(model, substeps=1)
    for _ in range(3):
        solver.step(state, state, None, contacts, DT)
    assert len(contacts.slot_bodies) == 12_000


def test_few_shapes_are_listed_and_many_searched():
    builder = stack(it.ModelBuilder(), 20)
    assert builder.finalize().nearby is None
    builder = it.ModelBuilder()
    for i in range(150):
        add_box(builder, 1.0, 0.05, (0.4 * i, 0.0, 0.05))
    assert builder.finalize().nearby is not None


def test_an_unknown_broad_phase_is_refused():
    with pytest.raises(OptionError, match="auto, list, search"):
        it.ModelBuilder(broad_phase="sap").finalize()
