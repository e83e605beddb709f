# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Bytes that templates write are those of the messages themselves, whatever the names and numbers."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

msg = pytest.importorskip("inertia_tools.msg", reason="the messages are not built")
pytest.importorskip("rclpy", reason="rclpy is not installed")

from builtin_interfaces.msg import Time  # noqa: E402
from rclpy.serialization import deserialize_message  # noqa: E402
from rosgraph_msgs.msg import Clock  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from std_msgs.msg import Header  # noqa: E402
from visualization_msgs.msg import Marker  # noqa: E402

from inertia_tools.ros import message_templates, state_writers  # noqa: E402
from inertia_tools.ros import simulation_messages as messages  # noqa: E402
from inertia_tools.sim.observation import ContactTable, Snapshot, SoftSnapshot  # noqa: E402

NAMES = st.lists(st.text("ab/_é", max_size=9), min_size=0, max_size=4, unique=True)
TIMES = st.integers(0, (2**31 - 1) * 10**9)


def numbers(rows, columns, seed):
    """Numbers of every size, zeros and negative ones among them."""
    drawn = np.random.default_rng(seed)
    return drawn.normal(size=(rows, columns)) * 10.0 ** drawn.integers(-30, 30, (rows, columns)) * drawn.integers(0, 2)


def snapshot(links, joints, seed):
    states = np.hstack([numbers(len(links), width, seed + width) for width in (3, 4, 3, 3)])
    return Snapshot(
        0.0, tuple(links), states, tuple(joints), numbers(len(joints), 2, seed + 7), *numbers(2, 1, seed)[:, 0].tolist()
    )


@given(time=TIMES)
def test_a_clock_is_that_of_the_message(time):
    writers = state_writers.StateWriters()
    writers.clock(7_000_000_009)
    stamp = Time(sec=time // 10**9, nanosec=time % 10**9)
    assert deserialize_message(writers.clock(time), Clock) == Clock(clock=stamp)


@settings(max_examples=200)
@given(links=NAMES, joints=NAMES, time=TIMES, step=st.integers(0, 2**64 - 1), seed=st.integers(0, 10**6))
def test_states_are_those_of_the_messages(links, joints, time, step, seed):
    writers, header = state_writers.StateWriters(), Header(stamp=messages.to_time(time), frame_id="world")
    for now in (snapshot(links, joints, seed), snapshot(links, joints, seed + 1)):  # the second fills what there is
        data = writers.body_states(now, "world", time, step)
        assert deserialize_message(data, msg.BodyStates) == messages.to_body_states(now, header, step)
        efforts = dict(zip(joints, numbers(len(joints), 1, seed + 9)[:, 0].tolist(), strict=True))
        data = writers.joint_state(now, efforts, time)
        assert deserialize_message(data, JointState) == messages.to_joint_state(now, efforts, header.stamp)


@settings(max_examples=200)
@given(links=NAMES.filter(bool), counts=st.lists(st.integers(1, 5), max_size=4), time=TIMES, seed=st.integers(0, 10**6))
def test_contacts_are_those_of_the_messages(links, counts, time, seed):
    writers, header = state_writers.StateWriters(), Header(stamp=messages.to_time(time), frame_id="odom")
    pairs = tuple((links[k % len(links)], "world") for k in range(len(counts)))
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(int)
    now = snapshot(links, [], seed)
    now.states[:, :3] = np.random.default_rng(seed).normal(size=(len(links), 3))
    origins = dict(zip(links, now.positions, strict=True))
    for k in range(2):
        points = np.random.default_rng(seed + k).normal(size=(starts[-1], 13))
        moments = np.cross(points[:, :3], points[:, 7:10]) + points[:, 10:]
        sums = [np.hstack([points[a:b, 7:10], moments[a:b]]).sum(axis=0) for a, b in pairwise(starts)]
        table = ContactTable(pairs, starts, points, np.reshape(sums, (-1, 6)))
        found = deserialize_message(writers.contact_forces(table, now, "odom", time, 0.01), msg.ContactForces)
        wanted = messages.to_contact_forces(table.by_pair(), origins, header, 0.01)
        for one, other in zip(found.contacts, wanted.contacts, strict=True):  # sums may differ by rounding
            assert _six(one.total) == pytest.approx(_six(other.total), rel=1e-9, abs=1e-9)
            one.total = other.total
        assert found == wanted


def _six(wrench):
    return [getattr(part, axis) for part in (wrench.force, wrench.torque) for axis in "xyz"]


@settings(max_examples=50)
@given(particles=st.integers(3, 9), triangles=st.integers(1, 6), time=TIMES, seed=st.integers(0, 10**6))
def test_a_mesh_is_that_of_the_message(particles, triangles, time, seed):
    writers, header = state_writers.StateWriters(), Header(stamp=messages.to_time(time), frame_id="world")
    drawn = np.random.default_rng(seed)
    corners = drawn.integers(0, particles, (triangles, 3))
    for k in range(2):
        still = np.zeros((particles, 3)), np.ones(particles)
        soft = SoftSnapshot(0.0, numbers(particles, 3, seed + k), *still, corners)
        found = deserialize_message(writers.soft_mesh(soft, "world", time, 1.25), Marker)
        assert found == messages.to_soft_mesh(soft.corners, header, 1.25)
        assert len(found.points) == 3 * triangles


def test_a_cloud_has_the_particles_in_the_layout_that_it_states():
    drawn = np.random.default_rng(2)
    soft = SoftSnapshot(0.0, *drawn.normal(size=(2, 5, 3)), drawn.random(5), np.zeros((0, 3), dtype=int))
    cloud = messages.to_point_cloud(soft, Header(frame_id="world"))
    kinds = [(field.name, "<f4") for field in cloud.fields]
    read = np.frombuffer(bytes(cloud.data), dtype=kinds)
    assert [field.offset for field in cloud.fields] == [read.dtype.fields[field.name][1] for field in cloud.fields]
    assert (cloud.width, cloud.height, cloud.point_step, cloud.row_step) == (5, 1, read.itemsize, read.nbytes)
    assert np.stack([read[axis] for axis in "xyz"], axis=1) == pytest.approx(soft.positions, rel=1e-6)
    assert np.stack([read["v" + axis] for axis in "xyz"], axis=1) == pytest.approx(soft.velocities, rel=1e-6)
    assert read["radius"] == pytest.approx(soft.radii, rel=1e-6)
    assert cloud.is_dense


def test_what_is_kept_is_bounded(monkeypatch):
    monkeypatch.setattr(state_writers, "MOST_KEPT", 3)
    writers = state_writers.StateWriters()
    for k in range(10):
        writers.body_states(snapshot([f"link_{k}"], [], k), "world", 0, 0)
    assert len(writers._templates) == 3


def test_a_number_that_is_lost_or_written_twice_is_an_error():
    for make in (lambda n, *_: JointState(), lambda n, *_: JointState(position=[n[0], n[0]])):
        with pytest.raises(ValueError, match="1 were expected"):
            message_templates.MessageTemplate(make, 1)


@pytest.mark.parametrize(("seconds", "sec", "nanosec"), [(1.25, 1, 250_000_000), (1e20, 2**31 - 1, 0)])
def test_markers_live_as_long_as_a_message_can_say(seconds, sec, nanosec):
    """A simulation far slower than real time publishes rarely."""
    lifetime = messages.to_soft_mesh(np.zeros((3, 3)), Header(), seconds).lifetime
    assert (lifetime.sec, lifetime.nanosec) == (sec, nanosec)
