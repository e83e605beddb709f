# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A disk that is full while nodes write: corrections, logs, caches and recordings on a small file system in memory."""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from robots import BOX, link, mass, tensor, urdf
from ros_graph import Graph
from small_disks import leave_free, small_disk

from inertia_tools import msg, srv

ROBOT = urdf(link("base", mass(2) + tensor(1, 1, 5), BOX), *(f"<!-- {'x' * 100} -->" for _ in range(500)))
"""A description of 55 kB."""

SIZE = 100_000_000
"""Of the file system [B]: kernels that are compiled fit."""

OLD = b"what was there before\n"

PLACES = {
    "ROS_LOG_DIR": "logs",
    "INERTIA_TOOLS_CACHE": "cache",
    "WARP_CACHE_PATH": "kernels",
    "TMPDIR": "temporary",
}
"""Variables that name the folders a node writes to unasked."""


def correct_on(graph: Graph, disk: Path, count: int, draw: random.Random) -> tuple[Counter[str], list[str]]:
    """Ask for corrections that are written where there is room for a random part of them."""
    counts, faults = Counter[str](), []
    file = disk / "robot.urdf"
    for _ in range(count):
        file.write_bytes(OLD)
        leave_free(disk, draw.randrange(2 * len(ROBOT)))
        answer = _correct(graph, file)
        content, names = file.read_bytes(), sorted(one.name for one in disk.iterdir())
        counts["written" if answer.success else "refused"] += 1
        wanted = answer.model_text.encode() if answer.success else OLD
        is_told = answer.success or "No space left" in answer.message
        if content != wanted or not is_told or set(names) - {"filler", "robot.urdf"}:
            faults.append(f"{answer.message!r}: {len(content)} bytes, {names}")
    (disk / "filler").unlink()
    if not _correct(graph, file).success:
        faults.append("a correction is refused although there is room again")
    return counts, faults


def _correct(graph: Graph, file: Path) -> Any:
    model = msg.ModelSource(text=ROBOT)
    return graph.call(srv.CorrectModel, "inertia_server/correct_model", model=model, output_path=str(file))


@contextmanager
def everything_on(disk: Path) -> Iterator[None]:
    """Let processes that are started write logs, caches and temporary files to a disk without room."""
    before = {name: os.environ.get(name) for name in PLACES}
    for name, folder in PLACES.items():
        (disk / folder).mkdir()
        os.environ[name] = str(disk / folder)
    leave_free(disk, 0)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value


def serve_without_room(graph: Graph, disk: Path) -> tuple[Counter[str], list[str]]:
    """Start a server and a simulator, and see that one works and the other says what it lacks, and then works.

    A simulator must compile its kernels the first time, or take them from the installation; neither fits.
    """
    counts = Counter[str]()
    graph.start("inertia_server")
    simulator = graph.start("simulator", remaps=("robot_description:=corrected_robot_description",))
    bodies = graph.listen(msg.BodyStates, "simulator/body_states")
    describe = graph.latched_publisher("robot_description")
    describe(ROBOT)
    answer = graph.call(srv.ValidateInertials, "inertia_server/validate_inertials", model=msg.ModelSource(text=ROBOT))
    counts["judged without room"] += answer.success
    graph.spin_until(lambda: "No space left on device; free disk space" in graph.log_of(simulator), "what it lacks")
    counts["simulators that say what they lack"] += 1
    (disk / "filler").unlink()
    describe(ROBOT)
    graph.spin_until(lambda: bodies and bodies[-1].step > 100, "steps of the simulator")
    counts["simulators that run with room"] += 1
    return counts, [] if answer.success else [f"no judgement: {answer.message}"]


def main(graph: Graph, folder: Path, count: int, seed: int) -> int:
    """Make corrections on a disk without room, then let nodes start there; return 1 when anything was wrong."""
    with small_disk(folder / "disk", f"size={SIZE}") as disk:
        graph.start("inertia_server", {"output_root": str(disk)})
        counts, faults = correct_on(graph, disk, count, random.Random(seed))
    with small_disk(folder / "disk", f"size={SIZE}") as disk, everything_on(disk):
        more, wrong = serve_without_room(graph, disk)
    print(json.dumps(counts + more))
    print(f"{len(faults + wrong)} faults")
    for fault in faults + wrong:
        print(fault)
    return 1 if faults + wrong else 0
