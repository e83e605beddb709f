# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""How often causes are named rightly: mistakes put into sound links of real robots, written to docs/causes.md.

make bench-causes
.venv-peers/bin/python -m benchmarks.causes [--links 300] [--seed 1] [--out FILE] [--show CAUSE]

Scales and thresholds were chosen on every second robot of example-robot-data ("developed on"); the others, and those of
pybullet_data and robosuite, are held out. The last two are in the environment of the peers alone.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "test")]

from seeded_faults import LOSES_NOTHING, WRONG, Fault, faults, is_contradicted, is_vouched_for, sound_links  # noqa: E402

from benchmarks.findings import folders  # noqa: E402
from inertia_tools.inertia.causes import Cause, Diagnosis, Population, diagnose  # noqa: E402
from inertia_tools.inertia.causes.evidence import Evidence  # noqa: E402
from inertia_tools.inertial import Inertial  # noqa: E402

LARGE = 0.05
"""Mistakes that change tensor, mass or centre of mass by more than this count."""

RESTORED = 1e-6
BEGIN, END = "<!-- figures: begin -->\n", "<!-- figures: end -->\n"
GROUPS: dict[str, Callable[[Evidence], bool]] = {
    "links whose numbers their geometry or a link built alike has, too": lambda one: (
        is_vouched_for(one) and not is_contradicted(one)
    ),
    "links whose numbers nothing confirms": lambda one: not is_vouched_for(one) and not is_contradicted(one),
    "links that their geometry contradicts as published": is_contradicted,
}
"""Which links the figures are of; only the last are not valid."""

HALVES = ("developed on", "held out")

OTHERS = {
    "pybullet_data": ("**/*.urdf",),
    "robosuite": tuple(f"models/assets/{kind}/**/*.xml" for kind in ("robots", "bases", "grippers")),
}
"""Collections that nothing was chosen on, and where their robots are: the MJCF there states inertials."""


@dataclass(frozen=True)
class Subject:
    """A link to put mistakes into."""

    name: str
    half: str
    evidence: Evidence
    population: Population


@dataclass(frozen=True)
class Outcome:
    """What became of one mistake."""

    subject: Subject
    fault: Fault
    diagnosis: Diagnosis
    is_twin_blamed: bool

    def is_right(self, cause: Cause | None) -> bool:
        """Tell whether a cause is the mistake, or one that makes the very same numbers of the same link."""
        if cause is None:
            return False
        same_numbers = cause.restores and self.fault.cause in LOSES_NOTHING and self.is_restored(cause)
        return self.fault.cause in (cause.code, *cause.also) or same_numbers

    def is_restored(self, cause: Cause) -> bool:
        """Tell whether a cause leads back to what the link had."""
        if cause.after is None:
            return self.fault.cause == "wrong-mesh-unit"
        return cause.after.isclose(self.subject.evidence.declared, RESTORED)

    @property
    def named(self) -> bool:
        """The right cause is asserted for this link."""
        return self.is_right(self.diagnosis.proven)

    @property
    def named_in_pair(self) -> bool:
        """The right cause is asserted for this link, or for one of it and a link built alike."""
        possible = self.diagnosis.possible
        return self.named or (len(possible) == 1 and bool(possible[0].rival) and self.is_right(possible[0]))

    @property
    def wrong(self) -> bool:
        """Another cause is asserted."""
        return self.diagnosis.proven is not None and not self.named


def main() -> int:
    """Measure, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--links", type=int, default=300, help="how many links to put mistakes into")
    parser.add_argument("--seed", type=int, default=1, help="draws the links and the sizes of mistakes")
    parser.add_argument("--out", default=str(ROOT / "docs/causes.md"), help="page whose figures are replaced")
    parser.add_argument("--show", metavar="CAUSE", help="also list the mistakes of that kind that were not named")
    options = parser.parse_args()
    subjects = drawn(options.seed)
    sections = []
    for title, belongs in GROUPS.items():
        chosen = [one for one in subjects if belongs(one.evidence)][: options.links]
        outcomes = [one for index, subject in enumerate(chosen) for one in judged(subject, 1000 * options.seed + index)]
        large = [one for one in outcomes if one.fault.change > LARGE]
        sections.append(f"**{len(chosen)} {title}**\n\n{table(large)}\n{alarms(chosen)}\n")
        if options.show:
            show([one for one in large if one.fault.cause == options.show])
    write(Path(options.out), "\n".join(sections))
    return 0


def drawn(seed: int) -> list[Subject]:
    """Return the sound links of all robots in random order."""
    found = [
        Subject(name, half, evidence, population)
        for half, paths in robots()
        for name, evidence, population in sound_links(paths)
    ]
    random.Random(seed).shuffle(found)
    return found


def robots() -> Iterator[tuple[str, list[Path]]]:
    """Yield which half a robot belongs to, and its files."""
    known = folders()
    assert "example-robot-data" in known, "pip install example-robot-data"
    for index, robot in enumerate(sorted(one for one in known["example-robot-data"].iterdir() if one.is_dir())):
        yield HALVES[index % 2], sorted(robot.rglob("*.urdf"))
    for name, patterns in OTHERS.items():
        if name in known:
            yield HALVES[1], sorted(path for pattern in patterns for path in known[name].glob(pattern))


def judged(subject: Subject, seed: int) -> Iterator[Outcome]:
    """Make every mistake in a link, and look for its cause there and in a link built alike."""
    for fault in faults(subject.evidence, random.Random(seed)):
        diagnosis = diagnose(fault.evidence, subject.population.noise)
        yield Outcome(subject, fault, diagnosis, is_twin_blamed(subject, fault))


def is_twin_blamed(subject: Subject, fault: Fault) -> bool:
    """Tell whether a cause is asserted for a sound link because one built alike has a mistake."""
    evidence, population = subject.evidence, subject.population
    if not evidence.siblings or fault.evidence.geometry is not evidence.geometry:
        return False
    twin = evidence.siblings[0].link
    before, after = population.evidence(twin), with_numbers(population, evidence.link, fault).evidence(twin)
    if before is None or after is None or diagnose(before, population.noise).proven is not None:
        return False
    return diagnose(after, population.noise).proven is not None


def with_numbers(population: Population, link: str, fault: Fault) -> Population:
    """Return the robot with the numbers of one link replaced."""
    changed = replace(population)
    declared: dict[str, Inertial] = {**population.declared, link: fault.evidence.declared}
    of_numbers = ("_crowd", "_below", "_whole")
    kept = {name: value for name, value in population.__dict__.items() if name not in of_numbers}
    changed.__dict__.update(kept | {"declared": declared})
    return changed


def table(outcomes: list[Outcome]) -> str:
    """Lay out the figures of every kind of mistake, and of all."""
    lines = [
        "| mistake | made | named | or in one of a pair | held out | wrong cause | twin blamed | restored |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for cause in [*WRONG, "all"]:
        of = [one for one in outcomes if cause in (one.fault.cause, "all")]
        if of:
            lines.append(f"| {cause} | {len(of)} | {' | '.join(figures(of))} |")
    return "\n".join(lines) + "\n"


def figures(of: list[Outcome]) -> Iterator[str]:
    def share(one_is: Callable[[Outcome], bool], chosen: list[Outcome] = of, digits: int = 0) -> str:
        return f"{sum(map(one_is, chosen)) / len(chosen):.{digits}%}" if chosen else ""

    yield share(lambda one: one.named, digits=1)
    yield share(lambda one: one.named_in_pair)
    yield share(lambda one: one.named_in_pair, [one for one in of if one.subject.half == "held out"])
    yield share(lambda one: one.wrong, digits=1)
    yield share(lambda one: one.is_twin_blamed, digits=1)
    kept = [one for one in of if one.named and one.fault.cause in LOSES_NOTHING]
    yield share(lambda one: one.diagnosis.proven is not None and one.is_restored(one.diagnosis.proven), kept)


def alarms(subjects: list[Subject]) -> str:
    """Say how often a cause is asserted where no mistake was made."""
    proven = [diagnose(one.evidence, one.population.noise).proven for one in subjects]
    asserted = [cause for cause in proven if cause is not None]
    exact = sum(cause.is_exact for cause in asserted)
    return f"Without a mistake, a cause is asserted in {len(asserted)} of them: {exact} warnings, the rest remarks."


def show(outcomes: list[Outcome]) -> None:
    for one in outcomes:
        if not one.named:
            proven, possible = one.diagnosis.proven, one.diagnosis.possible
            said = (
                proven.code
                if proven
                else [(cause.code, round(cause.probability, 3), cause.rival) for cause in possible]
            )
            print(f"{one.subject.name}: {one.fault.change:.3g}: {said}")


def write(page: Path, text: str) -> None:
    """Put the figures between their marks."""
    old = page.read_text()
    before, rest = old.split(BEGIN)
    page.write_text(f"{before}{BEGIN}{text}{END}{rest.split(END)[1]}")
    print(text)


if __name__ == "__main__":
    sys.exit(main())
