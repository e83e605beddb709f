# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Places in arrays that are known not to be negative.

Warp counts negative places from the end of an array. Each access then loads the length and corrects the place, which is
half of what it costs, unless the compiler can see that there is nothing to correct.
"""

import warp as wp

SIGN_LEFT_OUT = wp.constant(0x7FFFFFFF)


@wp.func
def nonnegative_index(i: int) -> int:
    """Return a place, which must not be negative, so that the compiler sees that."""
    return i & SIGN_LEFT_OUT
