# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mutations of bytes and of text made of words, and the strange words and numbers that all mutations use."""

from __future__ import annotations

import re
from random import Random

NUMBER = re.compile(rb"-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")

NUMBERS = (
    *("nan", "inf", "-inf", "0", "-0", "-1", "1", "2", "0.5", "-0.5", "1e308", "-1e308", "1e-320", "1e999", "1e200"),
    *("1e-9", "1e9", "1e5", "-1e-9", "3", "7", "100", "65536", "2147483648", "-2147483649", "99999999999999999999"),
    *("1e400", "0x10", "1,5", "1_0", ".", "-", "+", "1e", "١"),
)
"""Numbers that readers trip over."""

WORDS = (
    *("", " ", "x", "world", "__model__", "__root__", "base", "a::b", "::", "auto", "true", "false", "1 2 3", "0 0 0"),
    *("package://", "package://x/../..", "file:///dev/null", "model://", "../..", "/", "a b", "${1+1}", "$(find x)"),
    *(
        "fixed",
        "floating",
        "revolute",
        "continuous",
        "free",
        "ball",
        "mesh",
        "box",
        "é\u2028",
        "\U0001f916",
        "%s%n",
        "-",
    ),
)
"""Words that readers trip over."""


def strange_number(random: Random) -> str:
    """Return a number that is hard to take."""
    return random.choice(NUMBERS) if random.random() < 0.8 else repr(random.uniform(-10.0, 10.0))


def strange_word(random: Random) -> str:
    """Return a word that is hard to take."""
    return random.choice(WORDS) if random.random() < 0.95 else "x" * random.choice((300, 70_000))


def damaged_bytes(data: bytes, random: Random) -> bytes:
    """Flip, insert, remove, repeat or cut off bytes, one to eight times."""
    work = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 4, 8))):
        at, length = random.randrange(len(work) + 1), random.choice((1, 1, 2, 4, 8, 64))
        kind = random.randrange(7)
        if kind == 0 and at < len(work):
            work[at] ^= 1 << random.randrange(8)
        elif kind == 1:
            work[at : at + length] = random.randbytes(length)
        elif kind == 2:
            del work[at : at + length]
        elif kind == 3:
            work[at:at] = work[at : at + length * random.choice((1, 1, 20))]
        elif kind == 4:
            work[at : at + 4] = random.choice((b"\xff" * 4, b"\0" * 4, b"\xff\xff\xff\x7f", b"\0\0\xc0\x7f"))
        elif kind == 5 and random.random() < 0.4:
            del work[at:]
        else:
            work[at:at] = random.randbytes(length)
    return bytes(work)


def damaged_text(data: bytes, random: Random) -> bytes:
    """Change numbers, and lose, repeat, move or cut lines, one to six times."""
    for _ in range(random.choice((1, 1, 2, 3, 6))):
        data = _changed_number(data, random) if random.random() < 0.5 else _changed_lines(data, random)
    return data


def _changed_number(data: bytes, random: Random) -> bytes:
    found = list(NUMBER.finditer(data))
    if not found:
        return data
    spot = random.choice(found[:12] if random.random() < 0.3 else found)  # counts stand at the beginning
    return data[: spot.start()] + strange_number(random).encode() + data[spot.end() :]


def _changed_lines(data: bytes, random: Random) -> bytes:
    lines = data.split(b"\n")
    at, to = random.randrange(len(lines)), random.randrange(len(lines))
    kind = random.randrange(5)
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines[at:at] = [lines[at]] * random.choice((1, 2, 300))
    elif kind == 2:
        lines[at], lines[to] = lines[to], lines[at]
    elif kind == 3:
        words = lines[at].split(b" ")
        words[random.randrange(len(words))] = strange_word(random).encode()
        lines[at] = b" ".join(words)
    else:
        low, high = sorted((at, to))
        del lines[low : min(high, low + 40)]
    return b"\n".join(lines)
