# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Numbers as arguments, with a remedy for those that are none."""

from __future__ import annotations

import argparse


def number(word: str) -> float:
    """Return an argument as a number.

    Raises:
        argparse.ArgumentTypeError: It is something else.
    """
    try:
        return float(word)
    except ValueError:
        remedy = "write digits without a unit, and a point before decimals"
        raise argparse.ArgumentTypeError(f"{word!r} is not a number; {remedy}") from None


def whole_number(word: str) -> int:
    """Return an argument as a whole number.

    Raises:
        argparse.ArgumentTypeError: It is something else.
    """
    try:
        return int(word)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{word!r} is not a whole number; write digits only") from None
