# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Findings about words that are not in the schema of URDF or SDFormat."""

from inertia_tools.inertia.explanations.explanation import INFO, WARNING, Explanation

SCHEMA = (
    Explanation(
        "unknown-element",
        f"{WARNING} or {INFO}",
        "An element is misspelt, is in the wrong place, or is an extension without a namespace.",
        "Readers ignore it silently: a misspelt <mass> is a missing mass.",
        "The format has no such element there; a warning if a known name is similar, or the element belongs elsewhere.",
        "Write the word that the message names, move the element, or give an extension a namespace (tool:word).",
        '<mas value="2"/>                          ->  <mass value="2"/>',
    ),
    Explanation(
        "unknown-attribute",
        f"{WARNING} or {INFO}",
        "An attribute is misspelt, or is an extension without a namespace.",
        "Readers ignore it silently and use the default.",
        "The schema of URDF, SDFormat or UsdPhysics has no such attribute there; a warning if a known name is similar.",
        "Write the word that the message names, or give an extension a namespace (tool:word).",
        '<inertial Auto="true">                    ->  <inertial auto="true">',
    ),
)
