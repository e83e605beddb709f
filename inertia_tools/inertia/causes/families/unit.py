# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Numbers in another unit than the format's: of mass, length or both, in tensor, mass, centre of mass or mesh."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inertia_tools.inertia.causes.codes import WRONG_MESH_UNIT, WRONG_UNIT
from inertia_tools.inertia.causes.evidence import Evidence
from inertia_tools.inertia.causes.hypotheses import Hypotheses, confirmed, each
from inertia_tools.inertia.unit_table import KILOGRAMS, METRES
from inertia_tools.spatial import Array

SYSTEMS = {
    ("kg", "mm"): 1.0,
    ("g", "mm"): 1.0,
    ("g", "cm"): 0.7,
    ("kg", "cm"): 0.5,
    ("lb", "in"): 0.7,
    ("g", "m"): 0.3,
    ("lb", "ft"): 0.15,
    ("kg", "in"): 0.1,
    ("lb", "m"): 0.1,
    ("oz", "in"): 0.05,
    ("lb", "mm"): 0.05,
    ("g", "in"): 0.05,
}
"""Units of mass and length that CAD programs combine, with their relative frequency."""

MIXED = {("g", "kg", "mm"): 0.2}
"""Units of mass, of mass in tensors, and of length where numbers have two sources, with their relative frequency."""

TWICE = 0.2
"""How often correct numbers were converted again, relative to numbers that should have been and were not."""

PARTS = (
    (("tensor",), 1.0),
    (("mass",), 0.5),
    (("com",), 0.5),
    (("mass", "tensor"), 0.5),
    (("com", "tensor"), 0.5),
    (("mass", "com", "tensor"), 1.0),
    (("mass", "com"), 0.2),
)
"""Values that may be in the other unit, with their relative frequency."""


def _table() -> tuple[list[str], Array, Array]:
    """List every change of units: its description, the factors of mass, centre and tensor, and its frequency."""
    found: dict[tuple[str, ...], tuple[str, Array, float]] = {}
    systems = {(mass_unit, mass_unit, length_unit): share for (mass_unit, length_unit), share in SYSTEMS.items()}
    for (mass_unit, tensor_unit, length_unit), system_share in (systems | MIXED).items():
        metres = METRES[length_unit]
        units = {"mass": mass_unit, "com": length_unit, "tensor": f"{tensor_unit} {length_unit}^2"}
        for parts, share in PARTS:
            if mass_unit != tensor_unit and not {"mass", "tensor"} <= set(parts):
                continue
            factors = np.array([KILOGRAMS[mass_unit], metres, KILOGRAMS[tensor_unit] * metres**2])
            factors[[part not in parts for part in ("mass", "com", "tensor")]] = 1.0
            said = " and ".join(f"{part} in {units[part]}" for part in parts)
            for power, common in ((1.0, 1.0), (-1.0, TWICE)):
                key = tuple(f"{one:.9g}" for one in factors**power)
                weight = share * system_share * common
                words = said if power > 0.0 else f"{said} converted twice"
                old = found.get(key, (words, factors**power, 0.0))
                found[key] = (old[0] if old[2] >= weight else words, old[1], old[2] + weight)
    found.pop(("1", "1", "1"), None)
    names, changes, weights = zip(*found.values(), strict=True)
    return list(names), np.array(changes), np.array(weights) / sum(weights)


def _of_inverses(factors: Array, weights: Array) -> Array:
    """Return the weight of the inverse of each change of units; zero where that is not in the table."""
    apart = np.abs(np.log(factors[:, np.newaxis] * factors)).max(axis=2)
    return np.asarray(((apart < 1e-6) * weights).sum(axis=1))


_WORDS, _FACTORS, _WEIGHTS = _table()
_REVERSE = _of_inverses(_FACTORS, _WEIGHTS)
_CHANGES = tuple(
    f"{said}, to be divided by " + ", ".join(f"{1.0 / factor:.6g}" for factor in factors if factor != 1.0)
    for said, factors in zip(_WORDS, _FACTORS, strict=True)
)

_OF_COM_ALONE = np.flatnonzero((_FACTORS[:, 1] != 1.0) & (_FACTORS[:, 2] == 1.0))

SUPPORTED = 0.7
"""Largest relative deviation of a restored centre of mass from the geometry, or from a sibling."""


def wrong_unit(evidence: Evidence) -> Sequence[Hypotheses]:
    """Explain the numbers by their unit."""
    declared, (masses, lengths, tensors) = evidence.declared, _FACTORS.T
    coms = declared.com * lengths[:, np.newaxis]
    alone = coms[_OF_COM_ALONE]
    apart = np.linalg.norm(alone[:, np.newaxis] - evidence.expected_coms, axis=2).min(axis=1)
    weights = _WEIGHTS.copy()
    weights[_OF_COM_ALONE] *= apart <= SUPPORTED * np.linalg.norm(alone, axis=1)
    return (
        Hypotheses(
            WRONG_UNIT,
            _CHANGES,
            declared.mass * masses,
            coms,
            declared.inertia * tensors[:, np.newaxis, np.newaxis],
            weights,
            is_systematic=True,
            geometry_scale=np.ones(len(_CHANGES)),
            reverse=_REVERSE,
        ),
    )


def angle_in_degrees(evidence: Evidence) -> Sequence[Hypotheses]:
    """Explain the tensor by angles of the inertial frame, one beyond a full turn, that are degrees."""
    if evidence.degrees is None:
        return ()
    said = "roll, pitch and yaw of the inertial are in degrees, and the format has radians"
    tensor = evidence.degrees @ evidence.written @ evidence.degrees.T
    masses, coms, one = np.array([evidence.declared.mass]), evidence.declared.com[np.newaxis], np.ones(1)
    return confirmed(
        evidence, Hypotheses(WRONG_UNIT, [said], masses, coms, tensor[np.newaxis], one, is_systematic=True)
    )


MESH_UNITS = (
    ("mm", 1e-3, 1.0),
    ("cm", 1e-2, 0.5),
    ("in", 0.0254, 0.4),
    ("mm converted twice", 1e3, 0.3),
    ("cm converted twice", 1e2, 0.15),
    ("in converted twice", 1.0 / 0.0254, 0.1),
)
"""Units that the geometry may be in, the factor that converts to metres, and the relative frequency."""

_MESH_SCALES = np.array([scale for _, scale, _ in MESH_UNITS])
_MESH_WEIGHTS = np.array([share for _, _, share in MESH_UNITS])
_MESH_CHANGES = tuple(f"the geometry is in {said}: scale it by {scale:.6g}" for said, scale, _ in MESH_UNITS)


def wrong_mesh_unit(evidence: Evidence) -> Sequence[Hypotheses]:
    """Explain the difference from the geometry by the unit of the geometry; the inertial is right."""
    declared, count = evidence.declared, len(_MESH_CHANGES)
    return (
        Hypotheses(
            WRONG_MESH_UNIT,
            _MESH_CHANGES,
            np.full(count, declared.mass),
            each(declared.com, count),
            each(declared.inertia, count),
            _MESH_WEIGHTS / _MESH_WEIGHTS.sum(),
            is_systematic=True,
            geometry_scale=_MESH_SCALES,
        ),
    )
