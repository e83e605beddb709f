# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Files that include themselves, directly or through others: finding the circle, and naming it."""

from __future__ import annotations

import os
from collections.abc import Sequence


def circle_of(chain: Sequence[str], name: str) -> tuple[str, ...]:
    """Return the files of a circle in the order in which they include each other; empty where there is none.

    Files are compared independent of their names: links are followed, and relative names are relative to the working
    folder.

    Args:
        chain: The files that are open, the main one first.
        name: The file that the last of them includes.
    """
    own = os.path.realpath(name)
    first = next((index for index, file in enumerate(chain) if os.path.realpath(file) == own), None)
    return () if first is None else (*chain[first:], name)


def circle_text(circle: Sequence[str], what: str = "include") -> str:
    """Return the message about a circle: the chain of its files, and the remedy.

    Args:
        circle: Its files, the first once more at the end.
        what: The kind of reference from one file to the next.
    """
    return f"Circular {what}: {' -> '.join(circle)}; remove one of these {what}s"
