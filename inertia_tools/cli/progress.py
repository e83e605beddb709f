# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A progress bar on standard error for long work."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from inertia_tools.cli.terminal import Terminal

if TYPE_CHECKING:
    from rich.progress import Progress

PATIENCE = 1.0
"""Work that takes less than this shows no bar [s]."""


@contextmanager
def mesh_progress(*, quiet: bool = False) -> Iterator[Callable[[int, int], None]]:
    """Yield a function that takes the number of meshes done and of all, and shows a bar after a second.

    Args:
        quiet: Show none, also if standard error is no terminal or escape sequences are disabled.
    """
    with _progress("integrating meshes", quiet=quiet) as show:
        yield show


@contextmanager
def file_progress(title: str = "checking files", *, quiet: bool = False) -> Iterator[Callable[[int, int], None]]:
    """Yield a function that takes the number of files done and of all, and shows a bar after a second.

    Args:
        title: The activity.
        quiet: Show none.
    """
    with _progress(title, quiet=quiet) as show:
        yield show


@contextmanager
def _progress(title: str, *, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    begin = time.monotonic()
    may_show = not quiet and Terminal.of(sys.stderr).has_colour
    bar: Progress | None = None

    def show(done: int, total: int) -> None:
        nonlocal bar
        if bar is None and may_show and time.monotonic() - begin > PATIENCE:
            bar = _started(title, total)
        if bar is not None:
            bar.update(bar.task_ids[0], completed=done, total=total)

    try:
        yield show
    finally:
        if bar is not None:
            bar.stop()


def _started(title: str, total: int) -> Progress:
    from rich.console import Console
    from rich.progress import Progress

    bar = Progress(console=Console(stderr=True), transient=True)
    bar.add_task(title, total=total)
    bar.start()
    return bar
