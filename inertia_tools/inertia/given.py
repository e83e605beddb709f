# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Checks of callers' arguments; errors name the argument."""

from __future__ import annotations

import math
from collections.abc import Iterable

from inertia_tools.description.types import Description
from inertia_tools.errors import OptionError, OptionTypeError


def require_description(robot: object, name: str = "robot") -> None:
    """Refuse anything but a description, such as the path of a file.

    Raises:
        OptionTypeError: `robot` is something else; the message has `name`.
    """
    if not isinstance(robot, Description):
        raise OptionTypeError(name, robot, "a Description, as load returns it")


def require_positive(name: str, value: object, unit: str = "") -> None:
    """Refuse anything but a positive number.

    Raises:
        OptionError: `value` is something else; the message has `name`.
    """
    try:
        number = float(value)  # type: ignore[arg-type]  # anything may be given
    except (TypeError, ValueError):
        number = math.nan
    if isinstance(value, str) or not 0.0 < number < math.inf:
        raise OptionError(name, value, f"a positive number{unit and f' of {unit}'}")


def names_of(name: str, words: str | Iterable[str]) -> list[str]:
    """Return names given as a list, or as a single name.

    Raises:
        OptionTypeError: `words` is something else; the message has `name`.
    """
    listed = [words] if isinstance(words, str) else words
    found = list(listed) if isinstance(listed, Iterable) else [listed]
    if not all(isinstance(one, str) for one in found):
        raise OptionTypeError(name, words, "a list of names")
    return found
