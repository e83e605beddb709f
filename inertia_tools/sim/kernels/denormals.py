# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Numbers too small to be normal are taken as zero while a kernel runs on an x86 processor.

What rounding leaves of a robot at rest in single precision goes down to 1e-40, and such a processor takes a hundred
times as long to calculate with that: a humanoid that stands took twice as long. A GPU does not mind.
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
    """Take such numbers as zero from now on in this thread; return what `restore_denormals` needs."""
    ...


@wp.func_native(
    """
#if defined(__x86_64__) && !defined(__CUDACC__) && !defined(__CUDA_ARCH__)
    __builtin_ia32_ldmxcsr(before);
#endif
"""
)
def restore_denormals(before: int) -> None:
    """Calculate with such numbers again as the thread did before."""
    ...
