# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What is read of recordings: whole ones, torn ones, and files that are none."""

from __future__ import annotations

import pytest

pytest.importorskip("rclpy", reason="rclpy is not installed")
writer = pytest.importorskip("mcap.writer", reason="mcap is not installed: pip install mcap")

from inertia_tools.errors import ParseError  # noqa: E402
from inertia_tools.ros.recording import read_recording  # noqa: E402

COUNT = 40


def record(path, **options):
    """Write messages of two channels in chunks of some each; return the length of the file before it was ended."""
    with path.open("wb") as file:
        out = writer.Writer(file, chunk_size=500, **options)
        out.start(profile="ros2", library="test")
        schema = out.register_schema("std_msgs/msg/String", "ros2msg", b"string data")
        channels = [out.register_channel(topic, "cdr", schema, {}) for topic in ("/a", "/b")]
        for number in range(COUNT):
            out.add_message(channels[number % 2], number, b"%064d" % number, number, number)
        file.flush()
        length = file.tell()
        out.finish()
    return length


def numbers_of(recording):
    return [int(message.data) for _, message in recording.messages]


@pytest.mark.parametrize(
    "options", [{}, {"use_statistics": False}, {"repeat_channels": False}, {"use_chunking": False}]
)
def test_a_whole_recording_is_read_with_or_without_a_summary(tmp_path, options):
    record(tmp_path / "a.mcap", **options)
    recording = read_recording(tmp_path / "a.mcap")
    assert [channel.topic for channel in recording.channels.values()] == ["/a", "/b"]
    assert sorted(recording.counts.values()) == [COUNT // 2, COUNT // 2]
    assert not recording.is_torn
    assert numbers_of(recording) == list(range(COUNT))


def test_a_torn_recording_is_read_up_to_there_wherever_it_ends(tmp_path):
    length = record(tmp_path / "a.mcap")
    data, seen = (tmp_path / "a.mcap").read_bytes(), set()
    for end in range(100, length, 7):
        (tmp_path / "torn.mcap").write_bytes(data[:end])
        recording = read_recording(tmp_path / "torn.mcap")
        numbers = numbers_of(recording)
        assert numbers == list(range(len(numbers)))
        assert recording.is_torn
        assert recording.counts.total() == len(numbers)
        seen.add(len(numbers))
    assert len(seen) > 5
    assert max(seen) > COUNT // 2


def test_a_message_of_no_channel_ends_a_recording(tmp_path):
    with (tmp_path / "a.mcap").open("wb") as file:
        out = writer.Writer(file, use_chunking=False)
        out.start(profile="ros2", library="test")
        channel = out.register_channel("/a", "cdr", out.register_schema("T", "ros2msg", b""), {})
        for number in (channel, channel + 1, channel):
            out.add_message(number, 0, b"1", 0)
    recording = read_recording(tmp_path / "a.mcap")
    assert (recording.is_torn, numbers_of(recording)) == (True, [1])


@pytest.mark.parametrize(("data", "reason"), [(b"", "is empty"), (b"text", "not a recording"), (b"\0" * 99, "magic")])
def test_a_file_that_is_no_recording_says_why(tmp_path, data, reason):
    (tmp_path / "a.mcap").write_bytes(data)
    with pytest.raises(ParseError, match=reason):
        read_recording(tmp_path / "a.mcap")


def test_a_file_that_is_not_there_says_so(tmp_path):
    with pytest.raises(ParseError, match="cannot be opened: No such file or directory; correct the path"):
        read_recording(tmp_path / "a.mcap")
