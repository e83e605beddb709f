# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The tendons of MJCF, which are not supported: their effects on bodies are reported."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from inertia_tools.description.mjcf.bodies import Surroundings
from inertia_tools.description.mjcf.defaults import MAIN
from inertia_tools.description.mjcf.joints import is_limited
from inertia_tools.description.mjcf.values import MOST_NUMBERS, up_to
from inertia_tools.description.xml import Element

PULLS = ("stiffness", "damping", "frictionloss", "armature")
"""Attributes by which a tendon acts on bodies, unless they are zero."""


def unused_tendons(models: Iterable[Surroundings]) -> Iterator[str]:
    """Yield the tendons that act on bodies by themselves, each with the attributes by which it acts.

    Args:
        models: Context of each model, the main one first.

    Raises:
        ParseError: A number cannot be read.
    """
    for model in models:
        for element in (one for section in model.part.root.all("tendon") for one in section.children):
            completed = model.part.defaults.completed(replace(element, tag="tendon"), MAIN)
            acts_by = [name for name in PULLS if any(up_to(completed, name, MOST_NUMBERS))]
            acts_by += ["range"] if _is_bounded(completed, model) else []
            if acts_by:
                label = f"tendon {(model.named(element) or element.tag)!r}"
                yield f"{element.place}: {label} ({', '.join(acts_by)})"


def _is_bounded(element: Element, model: Surroundings) -> bool:
    return is_limited(element, "limited", "range", model.part.compiler)
