# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Flushing of denormal numbers to zero while a kernel runs on an x86 processor.

In single precision the rounding errors of a robot at rest go down to 1e-40, and such a processor takes a hundred times
as long for denormal numbers: a standing humanoid took twice as long. A GPU does not have this problem.
"""

import warp as wp


@wp.func_native(
    """
#if defined(__x86_64__) && !defined(__CUDACC__) && !defined(__CUDA_ARCH__)
    unsigned before = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(before | 0x8040u);  // flush to zero, denormals are zero
    return before;
#else
    return 0;
#endif
"""
)
def flush_denormals() -> int:
    """Flush denormal numbers to zero from now on in this thread; return the argument of `restore_denormals`."""
    ...


@wp.func_native(
    """
#if defined(__x86_64__) && !defined(__CUDACC__) && !defined(__CUDA_ARCH__)
    __builtin_ia32_ldmxcsr(before);
#endif
"""
)
def restore_denormals(before: int) -> None:
    """Restore the thread's former treatment of denormal numbers."""
    ...
