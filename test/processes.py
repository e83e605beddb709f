# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What the system knows of processes: their memory, their children, and who carries a mark."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def resident(pid: int | str = "self") -> float:
    """Return the memory that a process holds [MB]."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def children_of(pid: int) -> list[int]:
    """Return the processes that a process has started."""
    return [int(one) for task in Path(f"/proc/{pid}/task").glob("*/children") for one in task.read_text().split()]


def marked(mark: str) -> list[int]:
    """Return all other processes whose environment contains a mark, as what they start inherits it."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if mark.encode() in (folder / "environ").read_bytes() and int(folder.name) != os.getpid():
                found.append(int(folder.name))
    return found


def shared_memory() -> dict[str, int]:
    """Return the files of Fast DDS in shared memory, and their sizes [B]."""
    found = {}
    for path in Path("/dev/shm").glob("*fast*"):
        with suppress(OSError):
            found[path.name] = path.stat().st_size
    return found
