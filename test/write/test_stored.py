# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Files of caches are whole or not there, and leave nothing else behind."""

import os

import pytest

from inertia_tools.errors import WriteError
from inertia_tools.write.stored import store


def test_folder_is_made_and_content_replaced(tmp_path):
    path = tmp_path / "a" / "b" / "c.json"
    for content in (b"1", b"22" * 100_000, b""):
        store(path, content)
        assert path.read_bytes() == content
    assert list(path.parent.iterdir()) == [path]


def test_failure_leaves_the_old_content_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "c.json"
    store(path, b"old")

    def full(descriptor, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(WriteError, match="No space left"):
        store(path, b"new")
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]


def test_folder_that_cannot_be_made_is_an_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(WriteError):
        store(tmp_path / "file" / "c.json", b"")


def test_what_killed_runs_left_is_removed(tmp_path):
    left = tmp_path / ".inertia-tools-0123456789abcdef.part"
    left.write_text("")
    store(tmp_path / "c.json", b"1")
    assert not left.exists()
