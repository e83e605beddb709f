# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Number of processor cores that this process may use."""

from __future__ import annotations

import os
from multiprocessing import parent_process

THREADS_VARIABLE = "OMP_NUM_THREADS"
"""Environment variable that sets the number of threads of a program."""


def own_cores() -> int:
    """Return the number of cores for this process; one for a helper process that shares the work."""
    if parent_process() is not None:
        return 1
    told = os.environ.get(THREADS_VARIABLE, "")
    there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(there, int(told)) if told.isdigit() and int(told) else there
