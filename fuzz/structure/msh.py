# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Changes of MuJoCo's mesh files that keep counts and numbers in agreement."""

from __future__ import annotations

from random import Random

import numpy as np

from fuzz.structure.numbers import changed_float, index_below

HEADER = 4
COLUMNS = (3, 3, 2, 3)
"""Numbers a vertex, a normal, a texture coordinate, and a triangle."""


def changed_msh(data: bytes, random: Random) -> bytes:
    """Return a file with one to four changes; as it is where its counts are not those of its numbers."""
    words = np.frombuffer(data[: len(data) // 4 * 4], "<i4")
    if len(words) < HEADER or words[:HEADER].min() < 0:
        return data
    sizes = [int(count) * columns for count, columns in zip(words[:HEADER], COLUMNS, strict=True)]
    if len(data) != 4 * (HEADER + sum(sizes)):
        return data
    parts = np.split(words[HEADER:], np.cumsum(sizes)[:-1])
    tables = [part.reshape(-1, columns).copy() for part, columns in zip(parts, COLUMNS, strict=True)]
    for _ in range(random.choice((1, 1, 2, 4))):
        random.choice(CHANGES)(tables, random)
    return np.array([len(table) for table in tables], "<i4").tobytes() + b"".join(one.tobytes() for one in tables)


def _change_number(tables: list[np.ndarray], random: Random) -> None:
    table = random.choice(tables[:3])
    if table.size:
        numbers = table.reshape(-1).view("<f4")
        at = random.randrange(len(numbers))
        with np.errstate(over="ignore"):
            numbers[at] = changed_float(float(numbers[at]), random)


def _change_corner(tables: list[np.ndarray], random: Random) -> None:
    corners = tables[3].reshape(-1)
    if corners.size:
        corners[random.randrange(corners.size)] = index_below(len(tables[0]), random)


def _repeat(tables: list[np.ndarray], random: Random) -> None:
    """Repeat rows of a table, or put in zeros where it is empty."""
    k = random.randrange(4)
    rows = tables[k][random.randrange(len(tables[k])) :] if len(tables[k]) else np.zeros((1, COLUMNS[k]), "<i4")
    tables[k] = np.concatenate([tables[k], rows[: random.choice((1, 3, 20))]])


def _lose(tables: list[np.ndarray], random: Random) -> None:
    """Lose triangles, normals or texture coordinates, seldom vertices."""
    k = random.choice((0, 1, 2, 3, 3, 3, 3))
    if len(tables[k]):
        at = random.randrange(len(tables[k]))
        tables[k] = np.delete(tables[k], slice(at, at + random.choice((1, 1, 3))), axis=0)


CHANGES = (_change_number, _change_number, _change_corner, _change_corner, _repeat, _lose)
"""What can happen to a file, the likelier the more often it stands here."""
