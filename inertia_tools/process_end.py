# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The end of a process that is a program of this package."""

from __future__ import annotations

import gc


def leave_memory_to_the_system() -> None:
    """Keep Python, which is about to end, from collecting what is still there.

    That frees nothing that the system does not free faster. The modules of Warp's kernels refer to each other, and to
    collect and unload them takes half a second, in which a program whose work is done does not return to the shell.
    """
    gc.freeze()
