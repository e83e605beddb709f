# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""manifold3d, the library of exact booleans and fast hulls, with a limited number of cores."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

from inertia_tools.geometry.cores import own_cores


@cache
def manifold_library() -> Any:
    """Load manifold3d, limited to one core in a helper process that shares the work.

    Its threads busy-wait: two processes with two threads each take an eighth more processor time than with one each.
    The number of threads follows from the cores available at the first operation.

    Raises:
        ImportError: manifold3d is not installed.
    """
    import manifold3d

    if own_cores() > 1 or not hasattr(os, "sched_setaffinity"):
        return manifold3d
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        manifold3d.Manifold.cube([1.0, 1.0, 1.0])
    finally:
        os.sched_setaffinity(0, allowed)
    return manifold3d
