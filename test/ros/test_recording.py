# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What recorder writes, other readers of MCAP read, and player publishes again, to the bit."""

from __future__ import annotations

import time

import pytest

msg = pytest.importorskip("inertia_tools.msg", reason="the messages are not built")
pytest.importorskip("rclpy", reason="rclpy is not installed")

from rclpy.serialization import deserialize_message  # noqa: E402
from robots import link, mass, tensor, urdf  # noqa: E402
from small_disks import leave_free, small_disk  # noqa: E402

from inertia_tools.errors import WriteError  # noqa: E402
from inertia_tools.ros.message_definitions import UnknownTypeError, definition_of, message_type  # noqa: E402
from inertia_tools.ros.recorder import LEAST_FREE  # noqa: E402
from inertia_tools.write.stream import new_stream  # noqa: E402

CUBE = urdf(link("cube", mass(2) + tensor(0.0133, 0.0133, 0.0133), '<box size="0.2 0.2 0.2"/>'))


def test_definitions_hold_all_types_in_them():
    text = definition_of("inertia_tools/msg/BodyStates")
    inner = {line.removeprefix("MSG: ") for line in text.splitlines() if line.startswith("MSG: ")}
    assert {"std_msgs/Header", "builtin_interfaces/Time", "inertia_tools/BodyState", "geometry_msgs/Pose"} <= inner
    assert text.index("kinetic_energy") < text.index("MSG: ")
    assert message_type("inertia_tools/msg/BodyStates") is msg.BodyStates
    for unknown in ("nowhere/msg/Thing", "std_msgs/msg/Thing"):
        with pytest.raises(UnknownTypeError, match="Thing"):
            definition_of(unknown)
        with pytest.raises(UnknownTypeError, match="Thing"):
            message_type(unknown)


def test_a_file_that_is_there_is_not_written_over(tmp_path):
    new_stream(tmp_path / "a.mcap").close()
    with pytest.raises(WriteError, match=r"a\.mcap"):
        new_stream(tmp_path / "a.mcap")


def test_what_was_recorded_is_played_to_the_bit(graph, tmp_path):
    reader = pytest.importorskip("mcap.reader", reason="mcap is not installed: pip install mcap")
    pytest.importorskip("warp", reason="warp-lang is not installed")
    file = tmp_path / "run.mcap"
    topics = [f"{graph.namespace}/simulator/body_states", f"{graph.namespace}/corrected_robot_description"]
    graph.start("inertia_server", {"robot_description": CUBE})
    remap = ("robot_description:=corrected_robot_description",)
    simulator = graph.start("simulator", {"real_time_factor": 1.0, "publish_rate": 30.0}, remap)
    states = graph.listen(msg.BodyStates, "simulator/body_states")
    graph.receive(states)
    recorder = graph.start("recorder", {"file": str(file), "topics": topics})
    graph.spin_until(lambda: "recording" in graph.log_of(recorder), "the recorder")
    graph.spin_until(
        lambda: all(f"receiving {topic}" in graph.log_of(recorder) for topic in topics), "a message of each"
    )
    seen = len(states)
    graph.spin_until(lambda: len(states) > seen + 40, "states")
    assert graph.stop(recorder) == 0
    graph.stop(simulator)
    with file.open("rb") as stream:
        recorded = list(reader.make_reader(stream).iter_messages())
    bodies = [message.data for _, channel, message in recorded if channel.topic == topics[0]]
    assert len(bodies) > 10
    by_step = {one.step: one for one in (deserialize_message(data, msg.BodyStates) for data in bodies)}
    assert list(by_step) == sorted(by_step)
    assert len(by_step) == len(bodies)
    (latched,) = (channel for _, channel, _ in recorded if channel.topic == topics[1])
    assert latched.metadata == {"latched": "true"}
    assert all(schema.encoding == "ros2msg" for schema, _, _ in recorded)
    played = graph.listen(msg.BodyStates, "simulator/body_states")
    player = graph.start("player", {"file": str(file), "rate": 2.0, "topics": topics[:1], "wait": 60.0})
    graph.spin_until(lambda: player.poll() is not None, "the end of the recording")
    assert player.poll() == 0
    assert all(message == by_step[message.step] for message in played)
    assert len(played) > len(bodies) // 2


def test_a_recording_ends_well_when_the_disk_is_nearly_full(graph, tmp_path):
    """On a full disk its end could not be written, and readers refuse a file without."""
    reader = pytest.importorskip("mcap.reader", reason="mcap is not installed: pip install mcap")
    disk = tmp_path / "disk"
    publish = graph.latched_publisher("text")
    publish("before")
    try:
        with small_disk(disk, f"size={LEAST_FREE + 1_000_000}"):
            recorder = graph.start("recorder", {"file": str(disk / "run.mcap"), "topics": [f"{graph.namespace}/text"]})
            graph.spin_until(lambda: "receiving" in graph.log_of(recorder), "the recorder")
            leave_free(disk, LEAST_FREE - 100_000)
            publish("after")
            graph.forget(recorder)
            assert recorder.wait(60) == 1
            assert "so the recording stops" in graph.log_of(recorder)
            assert "Traceback" not in graph.log_of(recorder)
            with (disk / "run.mcap").open("rb") as stream:
                assert [b"before" in message.data for _, _, message in reader.make_reader(stream).iter_messages()] == [
                    True
                ]
    except PermissionError as error:
        pytest.skip(str(error))


def test_a_topic_is_recorded_as_all_its_publishers_offer(graph, tmp_path):
    """One that is only subscribed to yet, then published reliably, then by best effort as well."""
    reader = pytest.importorskip("mcap.reader", reason="mcap is not installed: pip install mcap")
    from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
    from std_msgs.msg import String

    file, topic = tmp_path / "run.mcap", f"{graph.namespace}/words"
    graph.listen(String, "words")
    recorder = graph.start("recorder", {"file": str(file), "topics": [topic]})
    graph.spin_until(lambda: "recording" in graph.log_of(recorder), "the recorder")
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    first = graph.node.create_publisher(String, "words", latched)
    first.publish(String(data="before anyone subscribes"))
    graph.spin_until(lambda: f"receiving {topic}" in graph.log_of(recorder), "the latched message")
    quick = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
    second = graph.node.create_publisher(String, "words", quick)
    graph.spin_until(second.get_subscription_count, "a subscription that best effort satisfies")
    for _ in range(20):
        second.publish(String(data="by best effort"))
        time.sleep(0.05)
    assert graph.stop(recorder) == 0
    with file.open("rb") as stream:
        recorded = list(reader.make_reader(stream).iter_messages())
    words = {deserialize_message(message.data, String).data for _, _, message in recorded}
    assert words == {"before anyone subscribes", "by best effort"}
    assert {channel.metadata["latched"] for _, channel, _ in recorded} == {"true"}


def recording_of_two_publishers(file, namespace, is_whole):
    """Write two latched messages that came at once, and one of another topic that came an hour later."""
    from mcap.writer import CompressionType, Writer
    from rclpy.serialization import serialize_message
    from std_msgs.msg import String

    with file.open("wb") as stream:
        writer = Writer(stream, compression=CompressionType.NONE, use_chunking=is_whole)
        writer.start(profile="ros2", library="test")
        schema = writer.register_schema("std_msgs/msg/String", "ros2msg", b"string data")
        static = writer.register_channel(f"{namespace}/static", "cdr", schema, {"latched": "true"})
        plain = writer.register_channel(f"{namespace}/plain", "cdr", schema, {})
        for seconds, channel, text in ((0, static, "left"), (0, static, "right"), (3600, plain, "later")):
            time_ns = seconds * 10**9
            writer.add_message(channel, time_ns, serialize_message(String(data=text)), time_ns)
        if is_whole:
            writer.finish()


@pytest.mark.parametrize("is_whole", [True, False], ids=["whole", "torn"])
def test_late_subscribers_get_what_each_latched_publisher_said(graph, tmp_path, is_whole):
    pytest.importorskip("mcap", reason="mcap is not installed: pip install mcap")
    from std_msgs.msg import String

    recording_of_two_publishers(tmp_path / "run.mcap", graph.namespace, is_whole)
    early = graph.listen(String, "static", latched=True)
    graph.listen(String, "plain")
    player = graph.start("player", {"file": str(tmp_path / "run.mcap"), "wait": 60.0})
    graph.spin_until(lambda: len(early) == 2, "both messages")
    late = graph.listen(String, "static", latched=True)
    graph.spin_until(lambda: len(late) == 2, "both messages, late")
    assert [message.data for message in late] == ["left", "right"]
    assert ("is incomplete" in graph.log_of(player)) != is_whole
    assert "3 messages" in graph.log_of(player) or is_whole


def test_topics_are_named_as_nodes_name_them_and_missed_ones_told_of(graph, tmp_path):
    pytest.importorskip("mcap", reason="mcap is not installed: pip install mcap")
    publish = graph.latched_publisher("words")
    publish("a word")
    graph.latched_publisher("silent")
    topics = ["words", "silent", "/nowhere/words"]
    recorder = graph.start("recorder", {"file": str(tmp_path / "run.mcap"), "topics": topics})
    graph.spin_until(lambda: f"receiving {graph.namespace}/words" in graph.log_of(recorder), "the word")
    assert graph.stop(recorder) == 0
    assert f"no message was received on /nowhere/words or {graph.namespace}/silent" in graph.log_of(recorder)


def test_a_topic_without_a_valid_name_is_refused(graph, tmp_path):
    pytest.importorskip("mcap", reason="mcap is not installed: pip install mcap")
    recorder = graph.start("recorder", {"file": str(tmp_path / "run.mcap"), "topics": ["no topic"]})
    graph.forget(recorder)
    assert recorder.wait(60) == 1
    assert "cannot start" in graph.log_of(recorder)
    assert "Traceback" not in graph.log_of(recorder)
    assert not (tmp_path / "run.mcap").exists()
