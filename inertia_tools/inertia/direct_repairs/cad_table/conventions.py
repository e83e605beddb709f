# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Units, frame and signs of the numbers in a table: stated there, given by the user, or fitted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from inertia_tools.errors import OptionError, UndecidedOptionError
from inertia_tools.inertia.direct_repairs.cad_table.part import COM, NEGATIVE, OUTPUT, POSITIVE, UNKNOWN, CadPart
from inertia_tools.inertia.link_inertial import LinkInertial
from inertia_tools.inertia.unit_table import Units
from inertia_tools.inertial import Inertial, point_tensor
from inertia_tools.spatial import Array

FRAMES = (COM, OUTPUT)
SIGNS = (POSITIVE, NEGATIVE)
SYSTEMS = tuple(
    Units(mass, length)
    for mass, length in (("kg", "m"), ("kg", "mm"), ("g", "mm"), ("g", "cm"), ("kg", "cm"), ("lb", "in"), ("g", "m"))
)
"""Units that are tried if none are given."""

WORST = 3.0
"""Misfit above which all conventions count as equally bad."""

CLEAR = 0.03
"""Difference of the misfits per part above which one convention fits better than another."""

HABIT = 0.1
"""Misfit per part of signs that a program does not print by default."""

DENSITIES = (100.0, 12000.0)
"""Mean densities of parts [kg/m^3] that count as equally likely."""


@dataclass(frozen=True)
class Stated:
    """The convention that the user gives for a table; None leaves an entry to the table and the evidence.

    Attributes:
        units: Units of mass and length.
        frame: Point that the tensor is taken about: "com" or "output", the origin of the coordinate system.
        sign: Notation of the products: "positive" for the integral of x y dm, "negative" for the tensor's entry.
    """

    units: Units | None = None
    frame: str | None = None
    sign: str | None = None


@dataclass(frozen=True)
class Convention:
    """Units, frame and signs of the numbers in a table."""

    units: Units
    frame: str
    sign: str

    def inertial(self, part: CadPart) -> Inertial | None:
        """Return the mass properties of a part in kilograms and metres; None if it has no tensor in the frame."""
        tensor = part.tensor(self.frame, self.sign)
        tensor = part.tensor(UNKNOWN, self.sign) if tensor is None else tensor
        if tensor is None or part.mass is None:
            return None
        com = np.array([part.com[axis] for axis in "xyz"])
        about_com = tensor - part.mass * point_tensor(com) if self.frame == OUTPUT else tensor
        return Inertial(part.mass * self.units.kilograms, com * self.units.metres, about_com * self.units.moment)


@dataclass(frozen=True)
class Judgement:
    """The convention of a table, and the evidence for it in words."""

    convention: Convention
    words: str


def judge(parts: Sequence[CadPart], geometry: Mapping[str, LinkInertial], stated: Stated) -> Judgement:
    """Find the one convention of all parts of a table.

    Args:
        parts: The parts.
        geometry: Mass properties from the geometry of the link of each part, by the part's name.
        stated: The convention that the user gives.

    Raises:
        OptionError: The table has no tensor about the point that the user gives.
        UndecidedOptionError: Two conventions fit equally well.
    """
    candidates = list(_candidates(parts, stated))
    usable = [one for one in candidates if all(one.inertial(part) is not None for part in parts)]
    if not usable:
        raise OptionError("--cad-frame", stated.frame, "the reference point of the tensor of every part")
    misfits = np.array(
        [[float(np.sum([test(part, one, geometry) for part in parts])) for test in TESTS] for one in usable]
    )
    sums = misfits.sum(axis=1)
    best = int(np.argmin(sums))
    rivals = [
        i
        for i in range(len(usable))
        if sums[i] < sums[best] + CLEAR * len(parts) and _differs(usable[best], usable[i], parts)
    ]
    if rivals:
        option, values = _open_question(usable[best], [usable[i] for i in rivals])
        raise UndecidedOptionError(option, values, "neither the table nor the robot determines it")
    return Judgement(usable[best], _story(usable, misfits, best, parts, stated))


def _candidates(parts: Sequence[CadPart], stated: Stated) -> Iterator[Convention]:
    """Yield the conventions that the table may have."""
    masses = {part.mass_unit for part in parts} - {None}
    lengths = {part.length_unit for part in parts} - {None}
    units = (
        [stated.units]
        if stated.units
        else [
            one
            for one in (*SYSTEMS, *_written(masses, lengths))
            if one.mass in (masses or {one.mass}) and one.length in (lengths or {one.length})
        ]
    )
    frames = [stated.frame] if stated.frame else _frames(parts)
    signs = [stated.sign] if stated.sign else sorted({part.sign for part in parts if part.sign}) or SIGNS
    for system, frame, sign in product(dict.fromkeys(units), frames, signs):
        yield Convention(system, frame, sign)


def _written(masses: set[str | None], lengths: set[str | None]) -> Iterator[Units]:
    for mass, length in product(sorted(filter(None, masses)), sorted(filter(None, lengths))):
        yield Units(mass, length)


def _frames(parts: Sequence[CadPart]) -> Sequence[str]:
    """Return the points that the tensors may refer to: the one that all parts name, the centre of mass first."""
    return next(((frame,) for frame in FRAMES if all(part.entries(frame) for part in parts)), FRAMES)


def _differs(one: Convention, other: Convention, parts: Sequence[CadPart]) -> bool:
    pairs = ((one.inertial(part), other.inertial(part)) for part in parts)
    return any(a is not None and b is not None and not a.isclose(b, 1e-6) for a, b in pairs)


def _open_question(best: Convention, rivals: Sequence[Convention]) -> tuple[str, list[str]]:
    """Return the option that would separate the best convention from its rivals, and its values."""
    for option, attribute in (("--cad-units", "units"), ("--cad-frame", "frame"), ("--cad-sign", "sign")):
        values = dict.fromkeys(str(getattr(one, attribute)).replace(" ", "") for one in (best, *rivals))
        if len(values) > 1:
            return option, list(values)
    raise AssertionError("conventions differ in nothing")


def _invalid(part: CadPart, convention: Convention, _: Mapping[str, LinkInertial]) -> float:
    """Return the misfit of a tensor that no body can have."""
    inertial = convention.inertial(part)
    return 0.0 if inertial is not None and inertial.is_valid(1e-2) else WORST


def _off_principal(part: CadPart, convention: Convention, _: Mapping[str, LinkInertial]) -> float:
    """Compare the tensor with the principal moments and axes in the table."""
    inertial = convention.inertial(part)
    if inertial is None or len(part.principal_moments) < 3:
        return 0.0
    moments = np.array([part.principal_moments[axis] for axis in "xyz"]) * convention.units.moment
    size = float(np.abs(moments).max()) or 1.0
    apart = np.abs(np.linalg.eigvalsh(inertial.inertia) - np.sort(moments)).max() / size
    for axis, moment in zip("xyz", moments, strict=True):
        if axis in part.principal_axes:
            direction = np.array(part.principal_axes[axis])
            apart = max(apart, np.linalg.norm(inertial.inertia @ direction - moment * direction) / size)
    return min(float(apart), WORST)


def _off_parallel_axis(part: CadPart, convention: Convention, _: Mapping[str, LinkInertial]) -> float:
    """Compare tensors about two points by the parallel axis theorem."""
    about_com, about_output = (part.tensor(frame, convention.sign) for frame in FRAMES)
    if about_com is None or about_output is None or part.mass is None:
        return 0.0
    com = np.array([part.com[axis] for axis in "xyz"])
    moved: Array = about_com + part.mass * point_tensor(com)
    return min(float(np.abs(moved - about_output).max() / (np.abs(about_output).max() or 1.0)), WORST)


def _off_geometry(part: CadPart, convention: Convention, geometry: Mapping[str, LinkInertial]) -> float:
    """Compare density, centre and tensor with those of the link's geometry."""
    value, inertial = geometry.get(part.name), convention.inertial(part)
    if value is None or value.inertial is None or value.lacks_mesh or inertial is None or not inertial.mass > 0.0:
        return 0.0
    whole = value.inertial
    unit = whole.inertia / whole.mass
    trace = float(np.trace(unit)) or 1.0
    density = inertial.mass / abs(value.volume) if value.volume else DENSITIES[0]
    low, high = np.log(DENSITIES)
    unlikely = max(float(low - np.log(density)), float(np.log(density) - high), 0.0)
    apart = float(np.linalg.norm(inertial.com - whole.com) / np.sqrt(trace))
    tensor = float(np.linalg.norm(inertial.inertia / inertial.mass - unit) / trace)
    return min(unlikely, 1.0) + min(apart, 1.0) + min(tensor, 1.0)


def _unusual(part: CadPart, convention: Convention, _: Mapping[str, LinkInertial]) -> float:
    """Return the misfit of signs that the program does not print by default: SolidWorks prints integrals."""
    return HABIT if part.program == "SolidWorks" and convention.sign == NEGATIVE else 0.0


Test = Callable[[CadPart, Convention, Mapping[str, LinkInertial]], float]
TESTS: tuple[Test, ...] = (_invalid, _off_principal, _off_parallel_axis, _off_geometry, _unusual)
SAID = (
    "otherwise no body can have the tensor",
    "consistent with the principal moments and axes",
    "consistent with the parallel axis theorem",
    "consistent with the geometry",
    "the convention of SolidWorks",
)


def _story(usable: Sequence[Convention], misfits: Array, best: int, parts: Sequence[CadPart], stated: Stated) -> str:
    """Return units, frame and signs in words, with the evidence for each."""
    chosen = usable[best]
    point = {COM: "the centre of mass", OUTPUT: "the output coordinate system"}[chosen.frame]
    notation = {POSITIVE: "integrals, to be negated", NEGATIVE: "entries of the tensor"}[chosen.sign]
    said = []
    for attribute, words in (
        ("units", str(chosen.units)),
        ("frame", f"tensor about {point}"),
        ("sign", f"products are {notation}"),
    ):
        others = [i for i, one in enumerate(usable) if getattr(one, attribute) != getattr(chosen, attribute)]
        if getattr(stated, attribute) is not None:
            how = "as given"
        elif not others:
            how = "as stated in the table"
        else:
            closest = min(others, key=lambda i: float(misfits[i].sum()))
            gaps = misfits[closest] - misfits[best]
            how = SAID[int(np.argmax(gaps))] if float(gaps.max()) > 0.0 else "without effect"
        said.append(f"{words} ({how})")
    return ", ".join(said)
