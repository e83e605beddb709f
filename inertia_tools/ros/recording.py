# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Reading of recordings, including truncated ones whose recorder was killed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from inertia_tools.errors import MissingDependencyError, ParseError
from inertia_tools.wording import not_opened


@dataclass
class Recording:
    """The content of a recording.

    Attributes:
        messages: Pairs of channel and message, in order.
        channels: The channels, by number.
        schemas: Types of messages, by the index in the channels.
        counts: Number of messages in each channel.
        is_torn: Whether the file is truncated.
    """

    messages: Iterator[tuple[Any, Any]] = field(default_factory=lambda: iter(()))
    channels: dict[int, Any] = field(default_factory=dict)
    schemas: dict[int, Any] = field(default_factory=dict)
    counts: Counter[int] = field(default_factory=Counter)
    is_torn: bool = False


def read_recording(path: Path) -> Recording:
    """Open a recording.

    Raises:
        MissingDependencyError: mcap is not installed.
        ParseError: The file cannot be opened, or is not a recording.
    """
    try:
        import mcap  # noqa: F401
    except ModuleNotFoundError as error:
        raise MissingDependencyError("mcap", "playing a recording", "pip install mcap") from error
    try:
        file = path.open("rb")
        is_empty = not file.peek(1)
    except OSError as error:
        raise ParseError(not_opened(error), str(path)) from error
    if is_empty:
        raise ParseError("is empty; its recorder was probably killed before it wrote data", str(path))
    return _indexed(file) or _scanned(file, path)


def _indexed(file: BinaryIO) -> Recording | None:
    """Read the index at the end of a file; None if it is missing or incomplete."""
    from mcap.reader import make_reader

    try:
        reader = make_reader(file)
        summary = reader.get_summary()
    except Exception:  # messages before a truncated end may be sound
        return None
    statistics = None if summary is None else summary.statistics
    if summary is None or statistics is None or len(summary.channels) < statistics.channel_count:
        return None
    messages = ((channel, message) for _, channel, message in reader.iter_messages(log_time_order=True))
    return Recording(messages, summary.channels, summary.schemas, Counter(statistics.channel_message_counts))


def _scanned(file: BinaryIO, path: Path) -> Recording:
    """Scan a whole file for its content.

    Raises:
        ParseError: The file does not start like a recording.
    """
    recording = Recording()
    records = _records(file)
    try:
        next(records)
    except Exception as error:  # the file can be anything
        raise ParseError(f"is not a recording: {error}", str(path)) from error
    try:
        for record in records:
            _note(recording, record)
    except Exception:  # the last record is incomplete
        recording.is_torn = True
    recording.messages = _messages(file, recording)
    return recording


def _records(file: BinaryIO) -> Iterator[Any]:
    from mcap.stream_reader import StreamReader

    file.seek(0)
    return iter(StreamReader(file).records)


def _note(recording: Recording, record: Any) -> None:
    """Add the information of a record to a recording.

    Raises:
        KeyError: The record is a message of an unknown channel.
    """
    from mcap.records import Channel, Message, Schema

    if isinstance(record, Message):
        recording.counts[recording.channels[record.channel_id].id] += 1
    elif isinstance(record, Channel):
        recording.channels[record.id] = record
    elif isinstance(record, Schema):
        recording.schemas[record.id] = record


def _messages(file: BinaryIO, recording: Recording) -> Iterator[tuple[Any, Any]]:
    """Return the messages of a scanned file, in file order."""
    from mcap.records import Message

    left = recording.counts.total()
    for record in _records(file) if left else ():
        if isinstance(record, Message):
            yield recording.channels[record.channel_id], record
            left -= 1
            if not left:
                return
