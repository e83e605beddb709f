# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The table of scenes: what is simulated, what is measured, and what is aimed at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from benchmarks.physics.engine import Engine

Make = Callable[..., Engine]
"""Builds an engine of some kind and step for a world; `frame=None` looks at it after every step."""

Measures = dict[str, float]


@dataclass(frozen=True)
class Target:
    """What a measure should not exceed.

    Attributes:
        single: In single precision; None for no target.
        double: In double precision.
        unit: Of the measure.
    """

    double: float | None
    single: float | None = None
    unit: str = ""

    def of(self, dtype: str) -> float | None:
        """Return the one of a precision."""
        return self.single if dtype == "float32" and self.single is not None else self.double


@dataclass(frozen=True, eq=False)
class Scene:
    """One scene.

    Attributes:
        key: Its number in the suite and a name.
        text: What it is, in a sentence.
        targets: By name of the measure; every measure has one.
        play: Simulates, and returns the measures.
    """

    key: str
    text: str
    targets: dict[str, Target]
    play: Callable[..., Measures]


@dataclass
class Group:
    """Scenes that go together.

    Attributes:
        title: Heading of the group.
        scenes: In the order of the suite.
    """

    title: str
    scenes: list[Scene] = field(default_factory=list)

    def scene(self, key: str, text: str, **targets: Target) -> Callable[[Callable[..., Measures]], Any]:
        """Enter a function as a scene; underscores in the names of its measures stand for spaces."""

        def enter(play: Callable[..., Measures]) -> Callable[..., Measures]:
            named = {name.replace("_", " "): target for name, target in targets.items()}
            self.scenes.append(Scene(key, text, named, play))
            return play

        return enter
