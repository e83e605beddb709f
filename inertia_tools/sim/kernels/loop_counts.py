# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Loop counts that keep Warp from unrolling a loop.

Warp unrolls a loop of a constant count. That is fast where small vectors are indexed, but slow to compile; code that
runs rarely is better a loop.
"""

import warp as wp


@wp.func
def looped(count: int) -> int:
    """Return a count that Warp does not treat as a constant."""
    return count
