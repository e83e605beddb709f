# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""List of all kernels of the package, for compilation in advance."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import warp as wp

from inertia_tools.sim import observation_kernels
from inertia_tools.sim.collide.detect import detect_kernel
from inertia_tools.sim.constraints.drive_efforts import drive_effort_kernel
from inertia_tools.sim.device.anchored_contacts import narrow_kernels
from inertia_tools.sim.device.contact_list import contact_list_types
from inertia_tools.sim.device.contact_points import point_reading_kernel
from inertia_tools.sim.device.nearby_contacts import nearby_step_kernels
from inertia_tools.sim.kernels.precision import Precision, precision
from inertia_tools.sim.rays.surface_kernels import cast_kernel
from inertia_tools.sim.scene.inertia_kernel import check_inertia
from inertia_tools.sim.soft.soft_step import soft_kernels
from inertia_tools.sim.step.kernels import begin_kernel, step_kernel

PRECISIONS = ("float64", "float32")


def all_kernels() -> list[Any]:
    """Return every kernel, the slowest to compile first."""
    from inertia_tools.geometry.kernels import locate_kernel, sum_kernel

    kernels = [step_kernel(precision(name)) for name in PRECISIONS]
    for name in PRECISIONS:
        kernels += _smaller_kernels(precision(name))
    kernels += [cast_kernel(), check_inertia, observation_kernels.see]
    for module in (sum_kernel, locate_kernel):
        kernels += wp.get_module(module.__name__).kernels.values()
    return list(dict.fromkeys(kernels))


def _smaller_kernels(p: Precision) -> Iterator[Any]:
    """Yield the remaining kernels of a precision."""
    yield from narrow_kernels(p)
    yield begin_kernel(p)
    yield from nearby_step_kernels(p)
    yield detect_kernel(p)
    yield contact_list_types(p).list_step
    yield point_reading_kernel(p)
    yield drive_effort_kernel(p)
    yield from soft_kernels(p)
