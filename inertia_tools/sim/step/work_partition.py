# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Work partition of a step: worlds of a model, or islands of a few worlds, among CPU threads or GPU launches."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import warp as wp

from inertia_tools.sim.model.model import Model
from inertia_tools.sim.scene.given import as_count
from inertia_tools.sim.step.kernels import Stage

WORLDS_OF_THREAD = 8
"""Least number of worlds that is worth a thread of its own, by default."""

CLUSTERS_OF_THREAD = 64
"""Least number of clusters of a world that is worth one; clusters are islands as long as they do not touch."""

WORLDS_AT_A_TIME = 32
"""Number of worlds that are begun before they are stepped: their data are still in the cache."""


WARPS_OF_PROCESSOR = 8
"""Warps of a GPU multiprocessor at a time, as a thread of a step takes 255 of its 65 536 registers."""

LANES = 32
"""Threads of a warp."""


@dataclass(frozen=True)
class WorkShare:
    """Work of one CPU thread in one round, or of one GPU launch.

    Attributes:
        stage: Whether it begins worlds, steps islands, or does both for whole worlds.
        first, stride, count: The worlds, or the places for islands.
    """

    stage: Stage
    first: int
    stride: int
    count: int

    def launches(self) -> Iterator[tuple[int, int]]:
        """Yield first and count of each launch; all stages of one launch come before the next one."""
        size = WORLDS_AT_A_TIME if self.stage == Stage.WHOLE else max(self.count, 1)
        for first in range(0, max(self.count, 1), size):
            yield self.first + first, min(size, self.count - first)


def partition_work(model: Model, threads: int | None) -> list[list[WorkShare]]:
    """Partition a step among threads; return rounds of shares, which wait for each other.

    Args:
        model: The scene.
        threads: Number of threads; None for as many as are worth it.

    Raises:
        OptionError: The number of threads is below one.
    """
    threads = None if threads is None else as_count("threads", threads)
    worlds, clusters = model.copy_count, int(model.clusters.count)
    if not wp.get_device(model.device).is_cpu:
        return [[WorkShare(Stage.BEGIN, 0, 1, worlds)], [WorkShare(Stage.ISLANDS, 0, 1, worlds * clusters)]]
    cores = os.cpu_count() or 1
    if worlds == 1:
        parts = min(cores, clusters // CLUSTERS_OF_THREAD) if threads is None else min(threads, clusters)
        if parts > 1:
            split = [
                WorkShare(Stage.ISLANDS, first, parts, len(range(first, clusters, parts))) for first in range(parts)
            ]
            return [[WorkShare(Stage.BEGIN, 0, 1, 1)], split]
    parts = min(cores, worlds // WORLDS_OF_THREAD) if threads is None else min(threads, worlds)
    ends = np.linspace(0, worlds, max(parts, 1) + 1).astype(int).tolist()
    return [[WorkShare(Stage.WHOLE, first, 1, end - first) for first, end in pairwise(ends)]]


def threads_for(count: int, device: Any) -> tuple[int, int]:
    """Return the number of threads for so many worlds or islands, and of GPU lanes for each.

    On a CPU one thread takes all, on a GPU each takes one. Where that leaves warps idle, fewer threads share one.
    """
    if device.is_cpu:
        return 1, 1
    lanes = device.sm_count * WARPS_OF_PROCESSOR * LANES
    return count, min(max(lanes // count, 1), LANES)
