# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mistakes of every known kind put into sound inertials, with random sizes; written apart from what finds them."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import permutations, product
from pathlib import Path

import numpy as np

from inertia_tools.description import Description, load
from inertia_tools.errors import InertiaToolsError
from inertia_tools.inertia.causes import Population
from inertia_tools.inertia.causes.evidence import Evidence, Reference
from inertia_tools.inertia.causes.noise import Values, against_geometry, places, squared_distances
from inertia_tools.inertia.checks.view import LinkView
from inertia_tools.inertia.effective import effective
from inertia_tools.inertia.finding import Severity
from inertia_tools.inertia.report import QUICK, check
from inertia_tools.inertial import Inertial, point_tensor

LOSES_NOTHING = {
    "negated-products", "parallel-axis", "wrong-frame", "swapped-axis", "wrong-unit", "decimal-point", "swapped-entries",
    "unmirrored-twin", "assembly-mass", "wrong-mesh-unit",
}  # fmt: skip
"""Mistakes that can be undone to the last digit."""


@dataclass(frozen=True)
class Fault:
    """A link with one mistake in it.

    Attributes:
        cause: The kind of mistake.
        evidence: What can be known of the link with the mistake.
        original: What it had before.
    """

    cause: str
    evidence: Evidence
    original: Evidence

    @property
    def change(self) -> float:
        """How much the mistake changes tensor or mass, relative, or the centre of mass over the extent."""
        before, after = self.original.declared, self.evidence.declared
        if self.evidence.geometry is not self.original.geometry:
            return math.inf
        return max(
            float(np.linalg.norm(after.inertia - before.inertia) / np.linalg.norm(before.inertia)),
            abs(after.mass - before.mass) / before.mass,
            float(np.linalg.norm(after.com - before.com)) / self.original.geometry.extent,
        )


def is_vouched_for(evidence: Evidence) -> bool:
    """Tell whether the geometry, or a link built alike, has the numbers that a link declares."""
    values = Values(
        np.array([evidence.declared.mass]), evidence.declared.com[np.newaxis], evidence.declared.inertia[np.newaxis]
    )
    _, size, moments, products, centre = against_geometry(values, evidence.geometry, np.ones(1))[0]
    if abs(size) < 0.25 and math.hypot(moments, products) < 0.06 and centre < 0.06:
        return True
    if not evidence.siblings:
        return False
    masses, coms, tensors, logs = evidence.likenesses
    likes = Values(masses, coms, tensors)
    usable = likes.are_possible & (logs > math.log(1e-3))
    if not usable.any():
        return False
    own, theirs = (places(one, evidence.geometry.extent) for one in (values, likes.take(usable)))
    return bool(squared_distances(own, theirs).min() < 1e-8)


UNLIKE_ITSELF = 0.05
"""Distance from the geometry, over trace or extent, above which a tensor or a centre may contradict it."""


def is_contradicted(evidence: Evidence) -> bool:
    """Tell whether the geometry has the published tensor in other axes or with other signs, or the centre mirrored.

    Such a link is wrong as published, and its twin with it: a mistake put into it may be a repair, and a mistake in its
    twin leaves nothing that speaks for it. The numbers are compared here without anything that looks for causes.
    """
    seen = (evidence.with_a_second_look() or evidence).witnesses
    tensor = evidence.declared.inertia / np.trace(evidence.declared.inertia)
    tensors = [tensor, *(axes @ (tensor * signs) @ axes.T for axes in _AXES for signs in _SIGNS)]
    centres = [evidence.declared.com, *(evidence.declared.com * signs for signs in _MIRRORS)]
    return _is_closer_changed(tensors, [one.gyration / one.trace for one in seen]) or _is_closer_changed(
        [one / evidence.geometry.extent for one in centres], [one.com / evidence.geometry.extent for one in seen]
    )


def _is_closer_changed(values: list[np.ndarray], shapes: list[np.ndarray]) -> bool:
    """Tell whether one of the changed values, which follow the published one, is far closer to a shape."""
    apart = [min(float(np.linalg.norm(value - shape)) for shape in shapes) for value in values]
    return apart[0] > UNLIKE_ITSELF and min(apart) < 0.5 * apart[0]


_MIRRORS = list(product((1, -1), repeat=3))
_AXES = [np.eye(3)[list(order)] for order in permutations(range(3))]
_SIGNS = [np.array([[1, xy, xz], [xy, 1, yz], [xz, yz, 1]]) for xy, xz, yz in product((1, -1), repeat=3)]

Wrong = Callable[[random.Random, Evidence], Inertial | Reference | None]
"""Makes the mistake in a link, with a random size; None where the link leaves no room for it."""


def sound_links(paths: list[Path]) -> Iterator[tuple[str, Evidence, Population]]:
    """Yield every link of robots that has geometry, a complete inertial and no warning; no two with the same numbers."""
    seen = set()
    for path in paths:
        try:
            robot = load(path)
        except InertiaToolsError:
            continue
        population, clean = judged(robot)
        for name in clean:
            evidence = population.evidence(name)
            if evidence is None or not evidence.declared.is_valid():
                continue
            key = (evidence.declared.mass, evidence.declared.inertia.tobytes(), evidence.declared.com.tobytes())
            if key not in seen:
                seen.add(key)
                yield f"{path.name}: {name}", evidence, population


def judged(robot: Description) -> tuple[Population, list[str]]:
    """Return what causes are looked for in, and the names of the links without a warning."""
    report = check(robot)
    in_force = effective(robot, params=QUICK)
    views = {name: LinkView(robot, in_force[name].link) for name in robot.links}
    computed = {entry.link: entry.computed for entry in report.links if entry.computed is not None}
    clean = [entry.link for entry in report.links if entry.worst is None or entry.worst < Severity.WARNING]
    return Population(robot, views, computed), clean


def faults(evidence: Evidence, rng: random.Random) -> Iterator[Fault]:
    """Make every mistake that the link leaves room for, once each."""
    for cause, wrong in WRONG.items():
        made = wrong(rng, evidence)
        if isinstance(made, Inertial):
            yield Fault(cause, replace(evidence, declared=made), evidence)
        elif made is not None:
            yield Fault(cause, replace(evidence, geometry=made), evidence)


def _with_written(evidence: Evidence, tensor: np.ndarray) -> Inertial:
    own = evidence.declared
    whole = evidence.turn @ tensor @ evidence.turn.T
    return Inertial(own.mass, own.com, 0.5 * (whole + whole.T))


def _negated(rng: random.Random, evidence: Evidence) -> Inertial:
    written = evidence.written.copy()
    pairs = [(0, 1), (0, 2), (1, 2)]
    for row, column in pairs if rng.random() < 0.85 else [rng.choice(pairs)]:
        written[row, column] = written[column, row] = -written[row, column]
    return _with_written(evidence, written)


def _other_point(rng: random.Random, evidence: Evidence) -> Inertial:
    own = evidence.declared
    terms = rng.choice([1.0, 1.0, 1.0, 2.0, -1.0])
    return Inertial(own.mass, own.com, own.inertia + terms * own.mass * point_tensor(own.com))


def _other_frame(rng: random.Random, evidence: Evidence) -> Inertial:
    own = evidence.declared
    if evidence.rotations and rng.random() < 0.5:
        turn = rng.choice(list(evidence.rotations.values())).T
    else:
        order, signs = rng.sample(range(3), 3), [rng.choice([1.0, -1.0]) for _ in range(3)]
        turn = np.eye(3)[order] * np.array(signs)[:, np.newaxis]
        turn = turn * np.linalg.det(turn)
    com = turn @ own.com if rng.random() < 0.2 else own.com
    whole = turn @ own.inertia @ turn.T
    return Inertial(own.mass, com, 0.5 * (whole + whole.T))


def _other_axis(rng: random.Random, evidence: Evidence) -> Inertial | None:
    own = evidence.declared
    if not all(_is_of_revolution(tensor) for tensor in (own.inertia, evidence.geometry.gyration)):
        return None
    first, second = rng.sample(range(3), 2)
    order = list(range(3))
    order[first], order[second] = second, first
    turn = np.eye(3)[order]
    turn = turn * np.linalg.det(turn)
    return Inertial(own.mass, own.com, turn @ own.inertia @ turn.T)


def _is_of_revolution(tensor: np.ndarray) -> bool:
    gaps = np.diff(np.linalg.eigvalsh(tensor)) / np.trace(tensor)
    return bool(gaps.min() < 0.02 and gaps.max() > 0.05)


UNITS = [(1.0, 1e-3), (1e-3, 1e-3), (1e-3, 1e-2), (1.0, 1e-2), (0.45359237, 0.0254), (1e-3, 1.0), (0.45359237, 1.0)]
"""Kilograms and metres: kg mm, g mm, g cm, kg cm, lb in, g m, lb m."""

UNIT_PARTS = ["t", "t", "t", "mct", "mct", "mct", "m", "c", "mt", "ct"]


def _other_unit(rng: random.Random, evidence: Evidence) -> Inertial | None:
    own, parts = evidence.declared, rng.choice(UNIT_PARTS)
    mass_unit, length_unit = rng.choice(UNITS)
    power = 1.0 if rng.random() < 0.15 else -1.0
    return Inertial(
        own.mass * (mass_unit**power if "m" in parts else 1.0),
        own.com * (length_unit**power if "c" in parts else 1.0),
        own.inertia * ((mass_unit * length_unit**2) ** power if "t" in parts else 1.0),
    )


def _other_mesh_unit(rng: random.Random, evidence: Evidence) -> Reference:
    factor = rng.choice([1e3, 1e2, 1 / 0.0254, 1e-3])
    own = evidence.geometry
    return Reference(own.com * factor, own.gyration * factor**2, own.volume * factor**3, own.extent * factor, own.error)


def _decimal(rng: random.Random, evidence: Evidence) -> Inertial:
    own, factor = evidence.declared, 10.0 ** rng.choice([-3, -2, -1, 1, 2, 3])
    kind = rng.choice(["mass", "com", "tensor", "tensor", "tensor"])
    if kind == "mass":
        return Inertial(own.mass * factor, own.com, own.inertia)
    if kind == "com":
        com = own.com.copy()
        com[rng.randrange(3)] *= factor
        return Inertial(own.mass, com, own.inertia)
    written = evidence.written.copy()
    row, column = rng.choice([(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)])
    written[row, column] *= factor
    written[column, row] = written[row, column]
    return _with_written(evidence, written)


def _swapped(rng: random.Random, evidence: Evidence) -> Inertial:
    old = evidence.written
    six = dict(zip(("xx", "xy", "xz", "yy", "yz", "zz"), old[np.triu_indices(3)], strict=True))
    kind = rng.choice(["diagonal first", "columns", "two moments", "two products"])
    names = list(six)
    if kind == "diagonal first":
        order = ["xx", "yy", "zz", "xy", "xz", "yz"]
    elif kind == "columns":
        order = ["xx", "xy", "yy", "xz", "yz", "zz"]
    else:
        order = list(names)
        first, second = rng.sample(["xx", "yy", "zz"] if "moments" in kind else ["xy", "xz", "yz"], 2)
        order[names.index(first)], order[names.index(second)] = second, first
    xx, xy, xz, yy, yz, zz = (six[name] for name in order)
    return _with_written(evidence, np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))


def _diagonal(rng: random.Random, evidence: Evidence) -> Inertial | None:
    written = evidence.written
    diagonal = np.diag(np.diag(written))
    if np.linalg.norm(written - diagonal) < 0.05 * np.linalg.norm(written):
        return None
    return _with_written(evidence, np.diag(np.linalg.eigvalsh(written)) if rng.random() < 0.5 else diagonal)


def _placeholder(rng: random.Random, evidence: Evidence) -> Inertial:
    value = rng.choice([1.0, 1.0, 0.1, 0.01, 1e-3, 1e-3, 1e-4, 1e-6, 0.5, 0.05])
    return _with_written(evidence, value * np.eye(3))


def _copied(rng: random.Random, evidence: Evidence) -> Inertial | None:
    alike = {evidence.link, *(sibling.link for sibling in evidence.siblings)}
    others = [
        other
        for name, other in evidence.others.inertials.items()
        if name not in alike
        and name != evidence.link
        and other.is_valid()
        and abs(other.mass / evidence.declared.mass - 1.0) > 0.01
    ]
    if not others:
        return None
    other = rng.choice(others)
    return Inertial(other.mass, rng.choice([other.com, evidence.declared.com]), other.inertia)


def _unmirrored(rng: random.Random, evidence: Evidence) -> Inertial | None:
    own = evidence.declared
    for sibling in evidence.siblings:
        other = sibling.inertial
        for signs in ((1, -1, 1), (-1, 1, 1), (1, 1, -1)):
            mirror = np.diag(np.array(signs, dtype=float))
            if Inertial(other.mass, mirror @ other.com, mirror @ other.inertia @ mirror).isclose(own, 1e-6):
                kind = rng.randrange(3)
                return Inertial(
                    own.mass, own.com if kind == 0 else other.com, own.inertia if kind == 1 else other.inertia
                )
    return None


def _assembly(rng: random.Random, evidence: Evidence) -> Inertial | None:
    if not evidence.assemblies:
        return None
    rest = rng.choice(list(evidence.assemblies.values())).inertial
    own = evidence.declared
    return own + rest if rng.random() < 0.5 else Inertial(own.mass + rest.mass, own.com, own.inertia)


def _rounded(rng: random.Random, evidence: Evidence) -> Inertial | None:
    written = evidence.written
    digits = -math.floor(math.log10(np.abs(written).max())) + rng.choice([0, 0, 1])
    rounded = np.round(written, digits)
    is_typed = np.ptp(np.diag(rounded)) == 0.0 and np.array_equal(rounded, np.diag(np.diag(rounded)))
    return None if is_typed else _with_written(evidence, rounded)


WRONG: dict[str, Wrong] = {
    "negated-products": _negated,
    "parallel-axis": _other_point,
    "wrong-frame": _other_frame,
    "swapped-axis": _other_axis,
    "wrong-unit": _other_unit,
    "wrong-mesh-unit": _other_mesh_unit,
    "decimal-point": _decimal,
    "swapped-entries": _swapped,
    "diagonal-only": _diagonal,
    "placeholder-inertia": _placeholder,
    "copied-inertial": _copied,
    "unmirrored-twin": _unmirrored,
    "assembly-mass": _assembly,
    "cad-rounding": _rounded,
}
