# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Elasticity and edge stiffness of a `<flexcomp>` of MJCF."""

from __future__ import annotations

import numpy as np

from inertia_tools.description.flex_body import FlexEdges, FlexElasticity
from inertia_tools.description.mjcf.values import MOST_NUMBERS, choice, number, up_to
from inertia_tools.description.xml import Element

SOLREF, SOLIMP = (0.02, 1.0), (0.9, 0.95)
"""Default time [s] and damping ratio of a constraint, and its least and greatest impedance."""

LEAST_IMPEDANCE = 1e-4
"""Distance from zero and one that MuJoCo keeps for impedances."""


def flex_elasticity(element: Element) -> FlexElasticity:
    """Return the material of the elements of a `<flexcomp>`.

    Raises:
        ParseError: A number is invalid.
    """
    found = FlexElasticity()
    for material in element.all("elasticity"):
        word = choice(material, "elastic2d", ("none", "bend", "stretch", "both"), "none")
        values = [number(material, name, default) for name, default in
                  (("young", 0.0), ("poisson", 0.0), ("damping", 0.0), ("thickness", -1.0))]  # fmt: skip
        young, poisson, damping, thickness = values
        if not (young >= 0.0 and 0.0 <= poisson < 0.5 and damping >= 0.0 and np.isfinite(values).all()):
            raise material.error(
                "<elasticity> needs young >= 0, damping >= 0 and 0 <= poisson < 0.5; correct the value"
            )
        found = FlexElasticity(
            young, poisson, damping, max(thickness, 0.0), word in ("stretch", "both"), word in ("bend", "both")
        )
    return found


def flex_edges(element: Element) -> FlexEdges:
    """Return the resistance of the edges of a `<flexcomp>`.

    An equality is a soft constraint of MuJoCo, with the reference acceleration -d k r - b v for the error r and its
    rate v, of which the constraint force supplies the fraction d: at rest it is a spring of stiffness 1 / ((1 - d) (T
    z)^2) times the mass that it moves, for the impedance d, time T and damping ratio z.

    Raises:
        ParseError: A number is invalid.
    """
    found = FlexEdges()
    for edge in element.all("edge"):
        stiffness, damping = number(edge, "stiffness", 0.0), number(edge, "damping", 0.0)
        if not (0.0 <= stiffness < np.inf and 0.0 <= damping < np.inf):
            raise edge.error("<edge> needs stiffness >= 0 and damping >= 0; correct the value")
        word = choice(edge, "equality", ("false", "true", "vert", "strain"), "false")
        found = FlexEdges(stiffness, damping, None if word == "false" else _softness(edge))
    return found


def _softness(edge: Element) -> tuple[float, float]:
    """Return the stiffness [1/s^2] and damping [1/s] of a constraint, per mass that it moves."""
    stated = up_to(edge, "solimp", MOST_NUMBERS)
    impedance = stated[1] if len(stated) > 1 else SOLIMP[1]
    impedance = min(max(impedance, LEAST_IMPEDANCE), 1.0 - LEAST_IMPEDANCE)
    solref = up_to(edge, "solref", 2)
    time, ratio = (*solref, *SOLREF[len(solref) :])
    if time <= 0.0 and ratio <= 0.0:
        return -time / (1.0 - impedance), -ratio / (1.0 - impedance)
    if not (time > 0.0 and ratio > 0.0):
        raise edge.error("solref of <edge> needs two positive or two negative numbers; correct it")
    return 1.0 / ((1.0 - impedance) * (time * ratio) ** 2), 2.0 / ((1.0 - impedance) * time)
