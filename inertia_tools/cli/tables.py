# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Inertials as tables with complete numbers: one line each if the width suffices, else two."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from inertia_tools.cli.terminal import BOLD, DIM, Terminal
from inertia_tools.inertia.number_text import MASS_AND_COM, TENSOR, Numbers, numbers_of
from inertia_tools.inertial import Inertial

TENSOR_UNIT = "[kg m^2]"
GAP = 1
"""Number of blanks between columns."""

BEFORE, AFTER = "  before", "  after"
MARGIN = len(BEFORE)
"""Columns left of the numbers; six of the longest numbers, -1.234e+100, then end in column 80."""


@dataclass(frozen=True)
class Row:
    """One inertial in a table.

    Attributes:
        name: Name of the link or total.
        inertial: The mass properties; None if there are none.
        note: A remark beside it.
    """

    name: str
    inertial: Inertial | None
    note: str = ""


@dataclass(frozen=True)
class Change:
    """The inertial of a link before and after a change, and the reason."""

    link: str
    before: Numbers
    after: Numbers
    reason: str


def aligned(rows: Sequence[Sequence[str]], sides: str) -> list[str]:
    """Align cells in columns, `GAP` blanks apart.

    Args:
        rows: The cells, equally many in each row.
        sides: For each column `<` for left or `>` for right.
    """
    widths = [max(len(row[column]) for row in rows) for column in range(len(sides))]
    return [
        "  ".join(f"{cell:{side}{width}}" for cell, side, width in zip(row, sides, widths, strict=True)) for row in rows
    ]


def inertial_lines(title: str, rows: Sequence[Row], terminal: Terminal) -> Iterator[str]:
    """Lay out inertials, each on one line, or on two if the width requires it."""
    yield terminal.styled(title, BOLD)
    if not rows:
        return
    numbers = [numbers_of(row.inertial) for row in rows]
    grid = _Grid.of(numbers)
    names = [f"{row.name} ({row.note})" if row.note else row.name for row in rows]
    longest = max(map(len, names))
    if longest + len(grid.header) <= terminal.width:
        yield terminal.styled(" " * longest + grid.header, DIM)
        for name, one in zip(names, numbers, strict=True):
            yield f"{name:{longest}}{''.join(grid.lines(one))}"
        return
    yield from (terminal.styled(line, DIM) for line in _two_lines("", grid.headers, TENSOR_UNIT))
    for name, one in zip(names, numbers, strict=True):
        yield from _two_lines(name, grid.lines(one))


def _two_lines(name: str, bands: tuple[str, str], unit: str = "") -> Iterator[str]:
    """Yield the name with mass and centre of mass, then the tensor; a long name has a line of its own."""
    first, second = bands
    is_long = len(name) > MARGIN
    if is_long:
        yield name
    yield f"{'' if is_long else name:{MARGIN}}{first}"
    yield f"{unit:{MARGIN}}{second}"


def change_lines(title: str, changes: Iterable[Change], terminal: Terminal) -> Iterator[str]:
    """Lay out corrections: the old numbers above the new ones, and the reason below both."""
    listed = list(changes)
    if not listed:
        return
    yield terminal.styled(title, BOLD)
    grid = _Grid.of([value for change in listed for value in (change.before, change.after)])
    is_wide = MARGIN + len(grid.header) <= terminal.width
    if is_wide:
        yield terminal.styled(" " * MARGIN + grid.header, DIM)
    for change in listed:
        yield terminal.styled(change.link, BOLD)
        before, after = grid.lines(change.before), grid.lines(change.after)
        if is_wide:
            yield f"{BEFORE:{MARGIN}}{''.join(before)}"
            yield f"{AFTER:{MARGIN}}{''.join(after)}"
        else:
            for unit, header, was, becomes in zip(("", TENSOR_UNIT), grid.headers, before, after, strict=True):
                yield terminal.styled(f"{unit:{MARGIN}}{header}", DIM)
                yield f"{BEFORE:{MARGIN}}{was}"
                yield f"{AFTER:{MARGIN}}{becomes}"
        yield from terminal.wrapped(change.reason, 2)


@dataclass(frozen=True)
class _Grid:
    """Widths of the columns of both bands, mass with centre of mass, and tensor, so that every number fits."""

    widths: tuple[int, int]

    @classmethod
    def of(cls, numbers: Iterable[Numbers]) -> _Grid:
        rows = [(list(MASS_AND_COM), list(TENSOR)), *numbers]
        first, second = (GAP + max(len(cell) for row in rows for cell in row[band]) for band in (0, 1))
        return cls((first, second))

    @property
    def headers(self) -> tuple[str, str]:
        return self._set((MASS_AND_COM, TENSOR))

    @property
    def header(self) -> str:
        return f"{''.join(self.headers)} {TENSOR_UNIT}"

    def lines(self, numbers: Numbers) -> tuple[str, str]:
        return self._set(numbers)

    def _set(self, bands: tuple[Sequence[str], Sequence[str]]) -> tuple[str, str]:
        first, second = ("".join(f"{cell:>{w}}" for cell in band) for band, w in zip(bands, self.widths, strict=True))
        return first, second
