# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Lanes: threads that step one island together, and wait for each other between what must not overlap.

On a CPU lanes are threads of the solver's pool; a replay lets go of Python's lock, so they run at once. On a GPU they
are the threads of one block.
"""

import warp as wp

LANES = 256
"""Lanes of an island on a GPU, which are a block; as many as blocks have where nothing else is said."""

FLAG_STRIDE = 8
"""Places between the flags of two lanes, so that each has a line of the cache of its own."""

_WAIT = """
#if defined(__CUDA_ARCH__)
    __syncthreads();
#else
    if (lanes > 1) {
        int cede(void) __asm__("sched_yield");
        const long long reached = flags.data[lane * 8] + 1;
        __atomic_store_n(&flags.data[lane * 8], reached, __ATOMIC_RELEASE);
        for (int other = 0; other < lanes; ++other) {
            int looks = 0;
            while (__atomic_load_n(&flags.data[other * 8], __ATOMIC_ACQUIRE) < reached) {
                if (++looks > 64) cede();
            }
        }
    }
#endif
"""


@wp.func_native(_WAIT)
def wait_for_all(flags: wp.array(dtype=wp.int64), lane: int, lanes: int) -> None:
    """Wait until all lanes of an island are here; what they have written is seen by all then."""
    ...
