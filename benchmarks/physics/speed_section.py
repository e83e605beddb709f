# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The section on speed of docs/physics.md, from the tables that were measured last.

Speeds are measured on a machine that is as quiet as can be had, accuracy on any: so they come from commands of their
own, which bring their section of the document up to date.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path

from benchmarks.physics.report import with_section

DOCUMENT = Path(__file__).parents[2] / "docs" / "physics.md"
RESULTS = Path(__file__).parents[1] / "results"
RACES, COPIES = RESULTS / "physics_speed.md", RESULTS / "physics_copies.md"
COPIES_ON_GPU = RESULTS / "physics_copies_on_gpu.md"
CURVES = RESULTS / "physics_work_precision.md"
PLOT, GPU_PLOT, CURVES_PLOT = (
    DOCUMENT.parent / "images" / name for name in ("copies.svg", "copies_on_gpu.svg", "work_precision.svg")
)
TITLE = "Speed"

ABOUT_RACES = (
    "Written by `python -m benchmarks.physics.speed`; its help says how the substeps are chosen and how the error is "
    "defined. Figures are medians of interleaved rounds on one thread of the CPU. Substeps of ours are those asked "
    "for; chains turn so fast that they get two to four times as many. All but the chains have come to rest, and ours "
    "leaves their steps out (docs/solver.md). What moves is in the next table: chains, and the quadruped that squats."
)
ABOUT_CURVES = (
    "Work and precision (`python -m benchmarks.physics.work_precision`; its help defines errors): computing time of a "
    "simulated second [ms] at the best of steps of 1/30 to 1/960 s (chains, squatting: 1/3840 s) whose error stays "
    "below that of the column. Scenes are looked at every 1/30 s, so that ours takes several substeps a step."
)
ABOUT_COPIES = "Copies of a scene are worlds of one model, in single precision (`python -m benchmarks.physics.copies`):"
ABOUT_COPIES_ON_GPU = (
    "The same on a GPU (`python -m benchmarks.physics.copies --device cuda:0`), beside MuJoCo Warp at its defaults but "
    "for an elliptic friction cone. In this table the quadruped had come to rest when the clock started, and ours left "
    "its steps out. Since then islands rest later, and the same command measured steps that are made, on 2026-11-27: "
    "3.9 ms for 4,096 and 8.6 ms for 16,384 quadrupeds, 6.5 and 14.0 ms for humanoids, which move by rounding here too:"
)


def speed_section() -> Iterator[str]:
    """Yield the lines of the section, below its title."""
    parts = (
        (ABOUT_RACES, RACES, None, ""),
        (ABOUT_CURVES, CURVES, CURVES_PLOT, "Error over computing time of each engine, a plot a scene"),
        (ABOUT_COPIES, COPIES, PLOT, "Time of a frame of one world over the number of worlds"),
        (ABOUT_COPIES_ON_GPU, COPIES_ON_GPU, GPU_PLOT, "The same on a GPU"),
    )
    for about, tables, plot, title in parts:
        if tables.exists():
            yield from ("", *textwrap.wrap(about, 120), "", *tables.read_text().splitlines())
        if plot is not None and plot.exists():
            yield from ("", f"![{title}](images/{plot.name})")


def refresh() -> None:
    """Put what was measured last into the document."""
    DOCUMENT.write_text(with_section(DOCUMENT.read_text(), TITLE, speed_section()))
