# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What must hold whatever the scene: the same bits twice, the same motion in another order, nothing without bodies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from benchmarks.physics.contact import stack
from benchmarks.physics.engine import NotYetError
from benchmarks.physics.ours import Ours
from benchmarks.physics.report import table
from benchmarks.physics.world import Body, World, at, box
from inertia_tools.errors import InertiaToolsError

H = 1.0 / 1200.0


def jumble() -> World:
    """Return boxes that fall on each other askew."""
    places = [(0.03 * i, 0.02 * (i % 3), 0.08 + 0.12 * i) for i in range(6)]
    return World(tuple(box(1.0 + i, (0.05, 0.04, 0.05), at(*p)) for i, p in enumerate(places)), floor=True)


def twice(dtype: str) -> float:
    """Return the difference of two runs of the same scene; zero for the same bits."""
    a, b = (Ours(jumble(), H, dtype=dtype).advance(2.0).motion() for _ in range(2))
    return float(np.abs(a.x - b.x).max() + np.abs(a.v - b.v).max())


def permuted(dtype: str) -> float:
    """Return how far the bodies of a stack end from those of the same stack listed the other way round [m]."""
    world = stack([1.0] * 5)
    backwards = replace(world, bodies=world.bodies[::-1])
    a, b = (Ours(w, H, dtype=dtype).advance(2.0).motion() for w in (world, backwards))
    return float(np.abs(a.x - b.x[::-1]).max())


def huge_force(dtype: str) -> float:
    """Return whether a push of 1e6 N at a box on the floor leaves only numbers; zero if so."""
    engine = Ours(World((box(1.0, (0.1, 0.1, 0.1), at(0.0, 0.0, 0.1)),), floor=True), H, dtype=dtype)
    engine.push(0, (1e6, 0.0, -1e6))
    motion = engine.advance(0.5).motion()
    return 0.0 if np.isfinite([*motion.x[0], *motion.v[0]]).all() else 1.0


def empty(dtype: str) -> float:
    """Step a scene without bodies."""
    Ours(World(()), H, dtype=dtype).advance(0.1)
    Ours(World((), floor=True), H, dtype=dtype).advance(0.1)
    return 0.0


def massless(dtype: str) -> float:
    """Return how far a body without mass moves under a falling one [m]."""
    bodies = (Body(0.0, np.zeros((3, 3)), at(0.0, 0.0, 1.0)), box(1.0, (0.1, 0.1, 0.1), at(0.0, 0.0, 2.0)))
    motion = Ours(World(bodies), H, dtype=dtype).advance(0.5).motion()
    return float(np.abs(motion.x[0] - [0.0, 0.0, 1.0]).max())


CHECKS: dict[str, tuple[Callable[[str], float], float]] = {
    "two runs of a jumble of six boxes, difference": (twice, 0.0),
    "a stack of five in reverse order, difference [m]": (permuted, 1e-5),
    "1e6 N on a box, bodies lost": (huge_force, 0.0),
    "scenes without bodies, failures": (empty, 0.0),
    "motion of a body without mass [m]": (massless, 0.0),
}


def hygiene_section() -> Iterator[str]:
    """Yield the table."""
    yield "## Hygiene"
    yield ""
    rows = []
    for name, (check, target) in CHECKS.items():
        rows.append([name, f"{target:g}", *(_cell(check, dtype, target) for dtype in ("float64", "float32"))])
    yield from table(["", "at most", "f64", "f32"], rows)
    yield ""


def _cell(check: Callable[[str], float], dtype: str, target: float) -> str:
    try:
        value = check(dtype)
    except NotYetError as error:
        return f"not yet: {error}"
    except InertiaToolsError as error:
        return f"**failed**: {str(error)[:60]}"
    return f"{value:.1e}" if value <= target else f"**{value:.1e}**"
