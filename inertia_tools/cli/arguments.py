# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Numbers as arguments, with a remedy for those that are none."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TypeVar

Number = TypeVar("Number", int, float)


def number(word: str) -> float:
    """Return an argument as a number.

    Raises:
        argparse.ArgumentTypeError: It is something else.
    """
    return _taken(float, word, "a number; write digits without a unit, and a point before decimals")


def whole_number(word: str) -> int:
    """Return an argument as a whole number.

    Raises:
        argparse.ArgumentTypeError: It is something else.
    """
    return _taken(int, word, "a whole number; write digits only")


def _taken(kind: Callable[[str], Number], word: str, wanted: str) -> Number:
    try:
        return kind(word)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{word!r} is not {wanted}") from None
