# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Many mesh files at once, on all cores of the processor.

Reading a mesh is mostly Python, so threads would wait for each other. The first meshes are read in this process; if the
others would take longer than starting other processes, they are distributed. Those are started as separate programs
rather than by multiprocessing, which would run the caller's script again.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from typing import Any

from inertia_tools.description.types import Mesh
from inertia_tools.errors import InertiaToolsError
from inertia_tools.geometry.cores import THREADS_VARIABLE, own_cores
from inertia_tools.geometry.mesh.integral import MeshIntegral, MeshOptions, Rung
from inertia_tools.geometry.mesh.record import (
    Record,
    decoded,
    encoded,
    known,
    mesh_hull,
    mesh_integral,
    remember,
)

START_TIME = 1.5
"""Time in which a helping process starts and loads its libraries [s]."""

LONG_ENOUGH = 0.5
"""Work after which the rest is estimated [s], without the longest mesh, which may have loaded libraries."""

Progress = Callable[[int, int], None]
"""Called with the number done, and the total."""


Wanted = tuple[Mesh, MeshOptions | None]
"""A mesh and its integration options; None for its hull."""

Task = tuple[str, Wanted]
"""The key of a record and the input for it."""


def prepare(meshes: Iterable[Wanted], progress: Progress | None = None) -> None:
    """Make the records of meshes, so that `record` has them; unreadable meshes are skipped.

    Args:
        meshes: Meshes and their options; equal content counts once.
        progress: Called after every mesh, from this thread.
    """
    waiting = _missing(meshes)
    total, spent, has_voxels = len(waiting), list[float](), False
    while waiting:
        if not has_voxels and _worth_helpers(spent, len(waiting)):
            _deal_out(waiting, partial(_tell, progress, total - len(waiting), total))
            return
        begin = time.monotonic()
        with suppress(InertiaToolsError):  # the caller that needs it gets the error
            has_voxels |= _has_voxels(_make(waiting.pop(0)[1]))
        spent.append(time.monotonic() - begin)
        if progress:
            progress(total - len(waiting), total)


def _tell(progress: Progress | None, before: int, total: int, done: int) -> None:
    if progress:
        progress(before + done, total)


def _make(wanted: Wanted) -> Record:
    geometry, options = wanted
    return mesh_hull(geometry) if options is None else mesh_integral(geometry, options)


def _has_voxels(record: Record) -> bool:
    """Return whether voxels were counted for a record: that uses all cores, and a helper has to load Warp first."""
    return isinstance(record, MeshIntegral) and Rung.VOXEL in record.alternatives


def _missing(meshes: Iterable[Wanted]) -> list[Task]:
    tasks: dict[str, Wanted] = {}
    for geometry, options in meshes:
        if geometry.path is None:
            continue
        try:
            key, record = known(geometry, options)
        except InertiaToolsError:
            continue
        if record is None:
            tasks.setdefault(key, (geometry, options))
    return list(tasks.items())


def _worth_helpers(spent: Sequence[float], left: int) -> bool:
    """Return whether helping processes would finish sooner than this one alone.

    Args:
        spent: Time for each mesh so far [s].
        left: Number of remaining meshes.
    """
    work = sum(spent) - max(spent, default=0.0)
    if not work > LONG_ENOUGH:
        return False
    helpers, alone = _helpers(left), work / (len(spent) - 1) * left
    return helpers > 1 and START_TIME + alone / helpers < alone


def _helpers(tasks: int) -> int:
    """Return the number of helping processes; a process that is itself a helper has none."""
    return min(own_cores(), tasks)


def _deal_out(tasks: list[Task], finished: Callable[[int], object]) -> None:
    """Let helping processes make records: each gets every n-th task, and prints one record per line."""
    count = _helpers(len(tasks))
    command = [sys.executable, "-m", "inertia_tools.geometry.mesh.batch"]
    environment = {**os.environ, THREADS_VARIABLE: "1", "OPENBLAS_NUM_THREADS": "1"}  # one core each
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    # In their own session: an interrupt at the terminal stops this process, and this one stops them.
    helpers = [subprocess.Popen(command, env=environment, start_new_session=True, **pipes) for _ in range(count)]
    answers: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
    try:
        for number, helper in enumerate(helpers):
            work = json.dumps([_as_json(task) for task in tasks[number::count]])
            threading.Thread(target=_converse, args=(helper, work, answers), daemon=True).start()
        done, talking = 0, count
        while talking:
            answer = answers.get()
            if answer is None:
                talking -= 1
                continue
            if answer["record"] is not None:
                remember(answer["key"], decoded(answer["record"]))
            done += 1
            finished(done)
    finally:
        for helper in helpers:
            helper.kill()
            helper.wait()


def _converse(helper: subprocess.Popen[str], work: str, answers: queue.SimpleQueue[dict[str, Any] | None]) -> None:
    """Send a helper its work and pass on its answers, then None."""
    assert helper.stdin is not None and helper.stdout is not None
    with suppress(OSError, ValueError):  # this process does the work of a helper that dies
        helper.stdin.write(work)
        helper.stdin.close()
        for line in helper.stdout:
            answers.put(json.loads(line))
    answers.put(None)


def _as_json(task: Task) -> dict[str, object]:
    key, (geometry, options) = task
    return {"key": key, "mesh": asdict(geometry), "options": options and asdict(options)}


def _main() -> None:
    """Make the records requested on standard input; failures are left to the caller that needs the record."""
    for task in json.load(sys.stdin):
        try:
            geometry = Mesh(**{**task["mesh"], "scale": tuple(task["mesh"]["scale"])})
            record = encoded(_make((geometry, task["options"] and MeshOptions(**task["options"]))))
        except InertiaToolsError:
            record = None
        try:
            print(json.dumps({"key": task["key"], "record": record}), flush=True)
        except BrokenPipeError:  # the requesting process is gone
            os._exit(1)


if __name__ == "__main__":
    _main()
