# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The one summation rule: the shapes of a link, each at its density, add up in link axes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from inertia_tools.description.types import Link, Shape
from inertia_tools.errors import OptionError
from inertia_tools.inertia.finding import Finding, Severity
from inertia_tools.inertia.link_inertial import LinkInertial
from inertia_tools.inertia.method import Method
from inertia_tools.inertia.overlap import Overlap, overlap_of
from inertia_tools.inertia.parameters import AutoInertiaParams
from inertia_tools.inertia.shape import ShapeIntegral, ShapeNote, integrate_shape
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import are_usable

UNION_DOUBT = 4e-3
"""Error of the overlap, in which round shapes are polyhedra: twice the error of the moments of such a ball.

It is an error of the boundary, and the boundary of the overlap of two balls grows with the root of its volume.
"""


@dataclass(frozen=True, eq=False)
class _Part:
    """An integrated shape with its density [kg/m^3]."""

    shape: Shape
    integral: ShapeIntegral
    unit: Inertial
    density: float
    params: AutoInertiaParams

    @cached_property
    def weighed(self) -> Inertial:
        return self.unit.scaled_to_density(self.density)


def accumulate(
    link: Link, shapes: tuple[Shape, ...], density: float, params: AutoInertiaParams
) -> tuple[LinkInertial, bool]:
    """Add up shapes of a link; the second value is whether any of them contributes mass.

    Args:
        link: The link.
        shapes: Some of its shapes.
        density: Density of shapes that state none [kg/m^3].
        params: Integration parameters of shapes that state none.
    """
    parts: list[_Part] = []
    notes: list[Finding] = []
    refused = False
    for shape in shapes:
        part, said = _integrated(shape, density, params)
        notes += [_finding(link, note) for note in said]
        refused |= any(note.code == "open-mesh" for note in said) and _refuses_open(shape, params)
        parts += [part] if part is not None else []
    mass = sum(part.unit.mass * part.density for part in parts)
    if refused or not parts or not mass > 0.0:
        if parts and not refused:
            notes.append(_no_mass(link, mass))
        return LinkInertial(link.name, None, Method.NONE, notes=tuple(notes)), False
    return _summed(link, parts, notes), True


def counts(shape: Shape, density: float, params: AutoInertiaParams) -> bool:
    """Return whether `accumulate` would count a shape; the density [kg/m^3] is for shapes that state none."""
    return _integrated(shape, density, params)[0] is not None


def shape_params(shape: Shape, params: AutoInertiaParams) -> AutoInertiaParams | ShapeNote:
    """Return the integration parameters of a shape, where the file takes precedence; a note where they are invalid."""
    try:
        return params.overridden(shape.params)
    except OptionError as error:
        return _bad_params(shape, error)


def _refuses_open(shape: Shape, params: AutoInertiaParams) -> bool:
    own = shape_params(shape, params)
    return isinstance(own, AutoInertiaParams) and own.open_mesh == "fail"


def _integrated(shape: Shape, density: float, params: AutoInertiaParams) -> tuple[_Part | None, tuple[ShapeNote, ...]]:
    """Integrate one shape at its density; None when it adds nothing."""
    own = shape_params(shape, params)
    if isinstance(own, ShapeNote):
        return None, (own,)
    value = density if shape.density is None else shape.density
    for what, number, unit in (("density", value, "kg/m^3"), ("mass", shape.mass or 0.0, "kg")):
        if not are_usable(number):
            message = f"the {what} {number:g} is not a finite number; the shape was omitted, write {unit}"
            return None, (ShapeNote(Severity.ERROR, "invalid-density", message, shape),)
    if value == 0.0 or shape.mass == 0.0:
        return None, ()
    try:
        integral = integrate_shape(shape, own, value)
    except OptionError as error:
        if shape.params is None:
            raise
        return None, (_bad_params(shape, error),)
    notes = integral.notes
    if integral.unit is None:
        return None, notes
    if shape.mass is not None:
        value = shape.mass / integral.unit.mass
    if value < 0.0:
        message = f"the density {value:g} kg/m^3 is negative; the shape was subtracted from the others"
        notes += (ShapeNote(Severity.WARNING, "negative-density", message, shape),)
    return _Part(shape, integral, integral.unit, value, own), notes


def _summed(link: Link, parts: list[_Part], notes: list[Finding]) -> LinkInertial:
    filled_first = sorted(parts, key=lambda part: part.density < 0.0)  # no partial sum without mass
    total = Inertial.sum(part.weighed for part in filled_first)
    volume = sum(part.unit.mass for part in parts)
    error = _error(parts, total)
    solids = [part for part in parts if part.density > 0.0]  # without subtracted shapes, whose overlap is intended
    overlap = _overlap(solids)
    if overlap is not None:
        notes = [*notes, _overlap_finding(link, solids, overlap)]
        if _counts_once(solids):
            total, volume = total - overlap.excess.scaled_to_density(solids[0].density), volume - overlap.excess.mass
            error = None if error is None else error + UNION_DOUBT * overlap.share**0.5 / (1.0 - overlap.share)
    densities = {part.density for part in parts}
    density = densities.pop() if len(densities) == 1 else total.mass / volume
    return LinkInertial(link.name, total, _method(parts), volume, density, error, tuple(notes))


def _error(parts: list[_Part], total: Inertial) -> float | None:
    """Return the relative error of a sum: the larger of the errors of mass and moments; None if none is known.

    The relative error of each shape applies to its moments about the common centre of mass.
    """
    estimates = [part.integral.error_estimate for part in parts]
    if len(parts) == 1:
        return estimates[0]
    if None in estimates:
        return None
    masses = np.array([part.weighed.mass for part in parts])
    offsets = np.array([part.weighed.com for part in parts]) - total.com
    tensors = np.array([part.weighed.inertia for part in parts])
    doubts = np.array(estimates, dtype=np.float64)
    off = np.linalg.norm(tensors, 2, axis=(1, 2)) + np.abs(masses) * (offsets**2).sum(axis=1)
    largest = float(np.linalg.norm(total.inertia, 2))
    moment = float(doubts @ off) / largest if largest > 0.0 else 0.0  # a calculator may give a point mass
    return max(float(doubts @ np.abs(masses)) / total.mass, moment)


def _overlap(parts: list[_Part]) -> Overlap | None:
    """Measure the overlap of filled shapes; closing the holes of meshes again is done only on request."""
    if any(part.params.thickness is not None for part in parts):
        return None
    asked = any(part.params.overlap == "union" for part in parts)
    is_sure = {part.integral.method for part in parts} <= {Method.PRIMITIVE, Method.MESH}
    if not (asked or is_sure):
        return None
    return overlap_of([part.shape for part in parts], [part.unit.mass for part in parts], asked=asked)


def _counts_once(parts: list[_Part]) -> bool:
    """Return whether the overlap is to be counted once, and can be: all shapes have one density."""
    return any(part.params.overlap == "union" for part in parts) and len({part.density for part in parts}) == 1


def _overlap_finding(link: Link, parts: list[_Part], overlap: Overlap) -> Finding:
    """Report the size of the overlap, and how it was counted."""
    if _counts_once(parts):
        counted = "the overlap was counted once"
    elif any(part.params.overlap == "union" for part in parts):
        counted = "the overlap counts twice, as their densities differ"
    else:
        counted = "the overlap counts twice (--overlap union counts it once)"
    message = f"its {len(parts)} shapes overlap by {overlap.share:.1%} of their volume; {counted}"
    place = parts[0].shape.place
    return Finding.at(Severity.INFO, "overlapping-shapes", link.name, message, place)


def _method(parts: list[_Part]) -> Method:
    methods = {part.integral.method for part in parts}
    return methods.pop() if len(methods) == 1 else Method.COMPOSITE


def _no_mass(link: Link, mass: float) -> Finding:
    message = (
        f"the total mass of its shapes is {mass:g} kg after subtraction of negative densities; correct the densities"
    )
    return Finding.at(Severity.ERROR, "invalid-density", link.name, message, link.place)


def _bad_params(shape: Shape, error: OptionError) -> ShapeNote:
    message = f"its auto_inertia_params are invalid: {error}; the shape was omitted"
    return ShapeNote(Severity.ERROR, "invalid-params", message, shape)


def _finding(link: Link, note: ShapeNote) -> Finding:
    place = note.shape.place
    return Finding.at(note.severity, note.code, link.name, note.message, place)
