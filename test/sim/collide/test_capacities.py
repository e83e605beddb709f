# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Rooms for contacts: what has none is counted, in the world where it is, and nothing is dropped where rooms grow."""

import numpy as np
import pytest
from scenes import DT, Scene, add_box

import inertia_tools as it
from inertia_tools.sim.device import nearby_contacts, scratch
from inertia_tools.sim.scene.heightfield import Heightfield

G = 9.81


def boxes(count: int, mode: str = "list", terrain: bool = False) -> it.ModelBuilder:
    """Boxes apart on a floor, each with four corners near it."""
    builder = it.ModelBuilder()
    builder.broad_phase = mode
    for index in range(count):
        add_box(builder, 1.0, 0.05, (0.3 * index, 0.0, 0.05))
    if terrain:
        builder.add_shape_heightfield(heightfield=Heightfield(np.zeros((3, 3)), 3, 3, 2.0, 2.0))
    else:
        builder.add_ground_plane()
    return builder


def rooms(monkeypatch, of_world: int, of_body: int) -> None:
    monkeypatch.setattr(scratch, "ROWS_OF_ONE_WORLD", of_world)
    monkeypatch.setattr(scratch, "SPARE_ROWS", of_world)
    monkeypatch.setattr(scratch, "ROWS_OF_BODY", of_body)
    monkeypatch.setattr(scratch, "ROWS_OF_FEATURE", 0)


@pytest.mark.parametrize("terrain", [False, True])
def test_contacts_beyond_the_room_of_a_world_are_counted(monkeypatch, terrain):
    """Corners that are near, of all three boxes, less the room; those of feature points and of the narrow phase alike."""
    scene = Scene(boxes(3, terrain=terrain)).run(DT)
    assert scene.contacts.lost == 0
    near = int(scene.contacts.rows.count.numpy()[0])
    rooms(monkeypatch, 1, 3)
    scene = Scene(boxes(3, terrain=terrain)).run(DT)
    assert scene.contacts.lost == near - 10
    assert scene.run(DT).contacts.lost == 2 * (near - 10)  # the count is of all steps


def test_worlds_count_for_themselves_what_they_lose(monkeypatch):
    """Where one of three worlds is crowded, the others lose nothing and stay what they are."""
    rooms(monkeypatch, 0, 4)
    builder = boxes(2)
    builder.replicate(3)
    scene = Scene(builder)
    poses = scene.q
    poses[3, :3] = poses[2, :3] + [0.02, 0.0, 0.1]  # of the second world, one on the other: that takes 8 more
    scene.state.body_q.assign(poses)
    scene.run(10 * DT)
    lost = scene.contacts.rows.lost.numpy()
    assert lost[1] > 0 and lost[0] == lost[2] == 0
    assert scene.contacts.lost == lost[1]
    for body in (0, 1, 4, 5):
        assert scene.force_on(body, -1)[2] == pytest.approx(G, rel=1e-6)


@pytest.mark.parametrize("worlds", [1, 3])
def test_rooms_of_a_searched_scene_grow(monkeypatch, worlds):
    monkeypatch.setattr(nearby_contacts, "CONTACTS_A_COLLIDER", 1)
    rooms(monkeypatch, 1, 1)
    builder = boxes(4, "search")
    builder.replicate(worlds)
    scene = Scene(builder).run(10 * DT)
    assert scene.contacts.lost == 0
    for body in range(4 * worlds):
        assert scene.force_on(body, -1)[2] == pytest.approx(G, rel=1e-6)
