# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Results as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from benchmarks.physics.scene import Scene, Target


@dataclass(frozen=True)
class Column:
    """One way to run a scene.

    Attributes:
        engine: "ours", "MuJoCo" or "Newton".
        rate: Steps a second [1/s].
        dtype: Ours only.
    """

    engine: str
    rate: int
    dtype: str = "float64"

    @property
    def title(self) -> str:
        """Heading of the column."""
        kind = {"float32": "f32 ", "float64": "f64 "}[self.dtype] if self.engine == "ours" else f"{self.engine} "
        return f"{kind}1/{self.rate}"


@dataclass
class Result:
    """What a scene gave.

    Attributes:
        scene: The scene.
        measures: By column, then by name of the measure.
        refusals: Why a column has nothing.
        moved: How far the copies elsewhere end from the original, over its size, by precision.
    """

    scene: Scene
    measures: dict[Column, dict[str, float]] = field(default_factory=dict)
    refusals: dict[Column, str] = field(default_factory=dict)
    moved: dict[str, float] = field(default_factory=dict)

    def cell(self, column: Column, name: str) -> str:
        """Return a number, bold where ours misses its target."""
        if column not in self.measures:
            return self.refusals.get(column, "-")
        value = self.measures[column].get(name)
        if value is None:
            return "-"
        missed = column.engine == "ours" and _missed(value, self.scene.targets[name], column.dtype)
        return f"**{value:.1e}**" if missed else f"{value:.1e}"


def _missed(value: float, target: Target, dtype: str) -> bool:
    aim = target.of(dtype)
    return aim is not None and not value <= aim


def table(head: list[str], rows: Iterable[list[str]]) -> Iterator[str]:
    """Yield the lines of a table."""
    yield "| " + " | ".join(head) + " |"
    yield "|" + " --- |" * len(head)
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def aim(target: Target) -> str:
    """Return a target as text, single precision second where it differs."""
    if target.double is None:
        return "-"
    single = "" if target.single in (None, target.double) else f" ({target.single:.0e})"
    return f"{target.double:.0e}{single} {target.unit}".strip()


def section(title: str, results: list[Result], columns: list[Column]) -> Iterator[str]:
    """Yield the tables of a group."""
    yield f"## {title}"
    yield ""
    for result in results:
        yield f"**{result.scene.key}.** {result.scene.text}"
    yield ""
    rows = []
    for result in results:
        for index, (name, target) in enumerate(result.scene.targets.items()):
            number = result.scene.key.split()[0]
            moved = " / ".join(f"{result.moved[d]:.0e}" if d in result.moved else "-" for d in ("float64", "float32"))
            cells = [result.cell(column, name) for column in columns]
            rows.append([number, name, aim(target), *cells, moved if index == 0 else ""])
    yield from table(["", "measure", "target", *(column.title for column in columns), "moved f64 / f32"], rows)
    yield ""


def missed(results: list[Result], columns: list[Column]) -> Iterator[str]:
    """Yield each measure of ours that misses its target at every step, with the best that was reached."""
    for result in results:
        for name, target in result.scene.targets.items():
            for dtype in ("float64", "float32"):
                values = [
                    result.measures[c][name]
                    for c in columns
                    if c.engine == "ours" and c.dtype == dtype and name in result.measures.get(c, {})
                ]
                if values and all(_missed(value, target, dtype) for value in values):
                    best = f"best {min(values):.1e}, target {target.of(dtype):.0e}"
                    yield f"- {result.scene.key}, {name}, {dtype}: {best}"


def with_section(document: str, title: str, lines: Iterable[str]) -> str:
    """Return a document with the section of that title replaced by these lines; it must have one."""
    head, mark, rest = document.partition(f"\n## {title}\n")
    if not mark:
        raise ValueError(f"there is no section {title!r}")
    following = rest.partition("\n## ")
    after = "".join(following[1:])
    return "\n".join([f"{head}{mark}", *lines]) + "\n" + after
