# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mutations of USD: of its text, of crates, and of the files in a package."""

from __future__ import annotations

import re
from random import Random

from fuzz.text_damage import damaged_bytes, damaged_text, strange_number

VALUE = re.compile(rb"= [^\n]+")
NUMBER = re.compile(rb"(?<=[ (\[])-?\d+(?:\.\d*)?(?:e[-+]?\d+)?(?=[,\n)\]])")
NUMBERS = (b"nan", b"inf", b"-inf", b"0", b"-1", b"1e308", b"1e-320", b"1e999", b"1e20", b"3", b"-0.0", b"99999999999")
TOKEN = re.compile(rb"[A-Za-z][A-Za-z:]{3,}")


def damaged_stage(data: bytes, random: Random) -> bytes:
    """Return a stage with some mutations."""
    if not data.startswith(b"#usda"):
        return damaged_bytes(data, random)
    for _ in range(random.choice((1, 1, 2, 3))):
        kind = random.random()
        if kind < 0.1:
            data = damaged_text(data, random)
        elif kind < 0.6:
            data = _changed_number(data, random)
        elif kind < 0.8:
            data = _changed(data, VALUE, random)
        else:
            data = _changed(data, TOKEN, random)
    return data


def _changed_number(data: bytes, random: Random) -> bytes:
    """Put a number that is hard to take, and that the language has, in the place of one."""
    found = list(NUMBER.finditer(data))
    if not found:
        return data
    spot = random.choice(found)
    return data[: spot.start()] + random.choice(NUMBERS) + data[spot.end() :]


def _changed(data: bytes, pattern: re.Pattern[bytes], random: Random) -> bytes:
    """Put one match of a pattern where another stands, or a number there."""
    found = list(pattern.finditer(data))
    if not found:
        return data
    spot, giver = random.choice(found), random.choice(found)
    new = giver.group() if random.random() < 0.8 else b"= " + strange_number(random).encode()
    return data[: spot.start()] + new + data[spot.end() :]
