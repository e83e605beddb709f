# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The kernels of a solver: drafts at first where it takes long to compile them well.

Where the cache has none, a CPU steps with drafts, compiled without optimisation in a third of the time. Who steps on
for longer than a moment gets the kernels themselves, which other threads compile in the meantime. Both make the same
motions, to the bit: optimisation does not reorder sums.
"""

import os
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock
from typing import Any

import warp as wp

from inertia_tools.sim.device.loading import is_in_cache, load_together
from inertia_tools.sim.device.model import Model
from inertia_tools.sim.xpbd.parts import Parts
from inertia_tools.sim.xpbd.step import begin_kernel, step_kernel

NO_DRAFTS = "INERTIA_TOOLS_NO_DRAFTS"
"""Environment variable that, when it has a value, forbids drafts: for those who measure speeds, or test."""

MOMENT = 0.3
"""Who steps for longer than this has a use for more than drafts [s]."""

LOADING: dict[Any, Future[None]] = {}
"""What other threads load, or have loaded, by the kernel of its step."""

LOCK = Lock()


@dataclass(frozen=True)
class StepKernels:
    """The kernels of a step.

    Attributes:
        parts: What they are compiled with.
        begin: Begins worlds and plans islands.
        step: Makes the substeps of islands.
    """

    parts: Parts
    begin: Any
    step: Any

    def modules(self) -> tuple[Any, ...]:
        """Return the kernels, the largest first; each is a module of its own."""
        return self.step, self.begin


def step_kernels(model: Model, parts: Parts, *, draft: bool = False) -> StepKernels:
    """Return the kernels of a step, not loaded yet."""
    p = model.precision
    return StepKernels(parts, begin_kernel(p, parts, draft), step_kernel(p, parts, draft))


def load_meanwhile(kernels: StepKernels, device: Any) -> Future[None]:
    """Load kernels in another thread, once for all that wait for them; the process does not end before."""
    with LOCK:
        if kernels.step not in LOADING:
            pool = ThreadPoolExecutor(1)
            LOADING[kernels.step] = pool.submit(load_together, kernels.modules(), device, silent=True)
            pool.shutdown(wait=False)
        return LOADING[kernels.step]


class Successor:
    """Kernels that are to take the place of their drafts.

    Args:
        kernels: The kernels.
        device: The device to load them on.
    """

    def __init__(self, kernels: StepKernels, device: Any) -> None:
        self.kernels = kernels
        self._device, self._since = device, time.monotonic()
        self._loading: Future[None] | None = None

    def is_there(self) -> bool:
        """Tell whether they are loaded; after a moment of drafts begin with that."""
        if self._loading is None and time.monotonic() - self._since > MOMENT:
            self._loading = load_meanwhile(self.kernels, self._device)
        return self._loading is not None and self._loading.done()

    def wait(self) -> None:
        """Load them, or wait until they are; raise what went wrong."""
        if self._loading is None:
            self._loading = load_meanwhile(self.kernels, self._device)
        self._loading.result()


class LoadedKernels:
    """The kernels of a step that are loaded, by whether they have contacts.

    Args:
        model: The scene.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._loaded: dict[bool, StepKernels] = {}
        self._successors: dict[bool, Successor] = {}

    def get(self, contacts: bool) -> StepKernels | None:
        """Return what is loaded, if something is."""
        return self._loaded.get(contacts)

    def load(self, contacts: bool, parts: Parts, others: Sequence[Any], *, drafts: bool) -> StepKernels:
        """Load kernels of a step, or drafts of them if they may be, and others besides; return those of the step."""
        device = wp.get_device(self._model.device)
        kernels = now = step_kernels(self._model, parts)
        drafts = drafts and device.is_cpu and not os.environ.get(NO_DRAFTS)
        drafts = drafts and not all(is_in_cache(kernel, device) for kernel in kernels.modules())
        if drafts:
            now = step_kernels(self._model, parts, draft=True)
        load_together((*now.modules(), *others), device)
        if drafts:
            self._successors[contacts] = Successor(kernels, device)
        self._loaded[contacts] = now
        return now

    def are_replaced(self) -> bool:
        """Put kernels that are compiled by now in the place of their drafts; tell whether there were any."""
        if not self._successors:
            return False
        there = [contacts for contacts, successor in self._successors.items() if successor.is_there()]
        for contacts in there:
            successor = self._successors.pop(contacts)
            successor.wait()
            self._loaded[contacts] = successor.kernels
        return bool(there)

    @property
    def are_drafts(self) -> bool:
        """Tell whether some are drafts yet."""
        return bool(self._successors)

    def wait(self) -> None:
        """Wait until kernels can take the place of all drafts."""
        for successor in self._successors.values():
            successor.wait()

    def suit(self, parts: dict[bool, Parts]) -> bool:
        """Tell whether all that is loaded has such parts."""
        return all(loaded.parts == parts[contacts] for contacts, loaded in self._loaded.items())

    def clear(self) -> None:
        """Forget all kernels."""
        self._loaded.clear()
        self._successors.clear()
