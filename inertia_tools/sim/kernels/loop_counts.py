# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Loops that stay loops.

Warp writes a loop of a constant count out, turn after turn. That is quick where small vectors are indexed, and long to
compile; what is done once in a while is better a loop.
"""

import warp as wp


@wp.func
def looped(count: int) -> int:
    """Return a count as one that Warp does not take for a constant."""
    return count
