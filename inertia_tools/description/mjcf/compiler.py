# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The `<compiler>` of MJCF; several are merged, later ones overriding earlier ones."""

from __future__ import annotations

from inertia_tools.description.mjcf.values import choice, truth, vector
from inertia_tools.description.mjcf_bodies import Compiler
from inertia_tools.description.xml import Element

AXES = frozenset("xyzXYZ")


def read_compiler(root: Element) -> Compiler:
    """Read the settings that affect poses, files and mass properties.

    Raises:
        ParseError: MuJoCo does not know a value, or no longer supports it.
    """
    merged = Element("compiler", {}, root.place, root.start, root.open_end)
    for element in root.all("compiler"):
        _settings(element)  # overridden elements may have no faults either
        merged = Element("compiler", merged.attributes | element.attributes, element.place, 0, 0)
    return _settings(merged)


def _settings(merged: Element) -> Compiler:
    """Return the settings of one element, with defaults for the rest.

    Raises:
        ParseError: MuJoCo does not know a value, or no longer supports it.
    """
    if choice(merged, "coordinate", ("local", "global"), "local") == "global":
        raise merged.error("coordinate='global' is no longer supported; load and save the model with MuJoCo 2.3.3")
    default = Compiler()
    low, high = vector(merged, "inertiagrouprange", default.inertiagrouprange).tolist()
    return Compiler(
        in_degrees=choice(merged, "angle", ("degree", "radian"), "degree") == "degree",
        eulerseq=_eulerseq(merged, default.eulerseq),
        autolimits=truth(merged, "autolimits", True),
        meshdir=merged.attributes.get("meshdir", merged.attributes.get("assetdir", "")),
        strippath=truth(merged, "strippath", False),
        inertiafromgeom=choice(merged, "inertiafromgeom", ("auto", "true", "false"), "auto"),  # type: ignore[arg-type]
        inertiagrouprange=(int(low), int(high)),
        boundmass=_finite(merged, "boundmass", 0.0),
        boundinertia=_finite(merged, "boundinertia", 0.0),
        balanceinertia=truth(merged, "balanceinertia", False),
        settotalmass=_finite(merged, "settotalmass", -1.0),
        fitaabb=truth(merged, "fitaabb", False),
        discardvisual=truth(merged, "discardvisual", False),
    )


def _finite(element: Element, name: str, default: float) -> float:
    return float(vector(element, name, (default,))[0])


def _eulerseq(element: Element, default: str) -> str:
    word = element.attributes.get("eulerseq", default)
    if len(word) != 3 or not set(word) <= AXES:
        raise element.error(f"eulerseq={word!r} of <compiler> is not a sequence; write three of xyzXYZ")
    return word
