# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Keywords and numbers of MJCF's attributes."""

from __future__ import annotations

import re

from inertia_tools.description.xml import Element, number_remedy
from inertia_tools.description.xml import parse_numbers as parse_decimals
from inertia_tools.spatial import Array, are_usable

HEXADECIMAL = re.compile(r"[+-]?0[xX](?=\.?[0-9a-fA-F])[0-9a-fA-F]*\.?[0-9a-fA-F]*([pP][+-]?[0-9]+)?")
WHOLE = re.compile(r"\s*[+-]?[0-9]+\s*")
LARGEST_WHOLE = 2**31 - 1


def parse_numbers(text: str) -> list[float]:
    """Read numbers as MuJoCo does, including hexadecimal ones.

    Raises:
        ValueError: A word is not a number.
    """
    try:
        return parse_decimals(text)
    except ValueError:
        return [
            float.fromhex(word) if HEXADECIMAL.fullmatch(word) else parse_decimals(word)[0] for word in text.split()
        ]


MOST_NUMBERS = 16
"""Maximum number of values of a short attribute; MuJoCo takes up to 10 for the gains of an actuator."""


def number(element: Element, name: str, default: float | None = None) -> float:
    """Return an attribute as a number; it is required without a default.

    Raises:
        ParseError: It is absent without a default, or is not a number.
    """
    return element.number(name, default, parse_numbers)


def numbers(element: Element, name: str, count: int, default: tuple[float, ...] | None = None) -> Array:
    """Return an attribute as that many numbers; it is required without a default.

    Raises:
        ParseError: It is absent without a default, has another count, or holds something other than numbers.
    """
    return element.numbers(name, count, default, parse_numbers)


def triple(element: Element, name: str, default: tuple[float, float, float]) -> tuple[float, float, float]:
    """Return an attribute of three numbers.

    Raises:
        ParseError: It is something else.
    """
    x, y, z = vector(element, name, default).tolist()
    return x, y, z


def vector(element: Element, name: str, default: tuple[float, ...]) -> Array:
    """Return an attribute of as many finite numbers as the default has.

    Raises:
        ParseError: It is something else.
    """
    values = numbers(element, name, len(default), default)
    if not are_usable(values):
        text = element.attributes.get(name)
        raise element.error(
            f"{name}={text!r} of <{element.tag}> holds a value that is not a finite number; write digits"
        )
    return values


def up_to(element: Element, name: str, most: int) -> list[float]:
    """Return an attribute of at most that many numbers; none if it is absent.

    Raises:
        ParseError: There are more, or a word is not a number.
    """
    text = element.attributes.get(name, "")
    try:
        values = parse_numbers(text)
    except ValueError as error:
        raise element.error(f"{name}={text!r} of <{element.tag}> is not a number; {number_remedy(text)}") from error
    if len(values) > most:
        raise element.error(f"{name}={text!r} of <{element.tag}> has {len(values)} numbers; write at most {most}")
    return values


def first_number(element: Element, name: str, default: float) -> float:
    """Return the first number of an attribute that may have several."""
    return next(iter(up_to(element, name, MOST_NUMBERS)), default)


def whole(element: Element, name: str, default: int) -> int:
    """Return an attribute that is a whole number.

    Raises:
        ParseError: It is not.
    """
    text = element.attributes.get(name)
    if text is None:
        return default
    if not WHOLE.fullmatch(text) or abs(int(text)) > LARGEST_WHOLE:
        raise element.error(f"{name}={text!r} of <{element.tag}> is not a whole number; write an integer")
    return int(text)


def truth(element: Element, name: str, default: bool) -> bool:
    """Return an attribute that is `true` or `false`.

    Raises:
        ParseError: It is neither.
    """
    word = choice(element, name, ("true", "false"), "true" if default else "false")
    return word == "true"


def choice(element: Element, name: str, known: tuple[str, ...], default: str) -> str:
    """Return an attribute that is one of some words.

    Raises:
        ParseError: It is not.
    """
    word = element.attributes.get(name, default)
    if word not in known:
        raise element.error(f"<{element.tag}> states unsupported {name} {word!r}; write one of {', '.join(known)}")
    return word
