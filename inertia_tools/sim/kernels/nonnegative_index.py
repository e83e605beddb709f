# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Array indices that are known not to be negative.

Warp counts negative indices from the end of an array. Each access then loads the length and corrects the index, half of
its cost, unless the compiler knows that the index is not negative.
"""

import warp as wp

SIGN_LEFT_OUT = wp.constant(0x7FFFFFFF)


@wp.func
def nonnegative_index(i: int) -> int:
    """Return an index, which must not be negative, in a form that the compiler knows not to be negative."""
    return i & SIGN_LEFT_OUT
