# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Number of elements in the copies of a document, counted before any of them is read."""

from __future__ import annotations

from collections.abc import Iterable

from inertia_tools.description.mjcf.replicate import MOST_COPIES, copy_count
from inertia_tools.description.xml import Element


def count_copied(elements: Iterable[Element], copied: int = 0) -> int:
    """Return the number of elements that `<replicate>` creates, added to an earlier count.

    Args:
        elements: The elements to be read, with their content. The content of an `<attach>` is not counted.
        copied: The earlier count.

    Raises:
        ParseError: The number exceeds `MOST_COPIES`, or a count cannot be read.
    """
    waiting = [(element, 1) for element in elements]
    while waiting:
        element, times = waiting.pop()
        if element.tag == "replicate":
            times *= copy_count(element)
            copied += times * max(1, len(element.children))
        elif times > 1:
            copied += times * len(element.children)
        if copied > MOST_COPIES:
            message = (
                f"the copies up to here make {copied} elements, more than the limit of {MOST_COPIES}; reduce a count"
            )
            raise element.error(message)
        if times:
            waiting += [(child, times) for child in reversed(element.children)]
    return copied
