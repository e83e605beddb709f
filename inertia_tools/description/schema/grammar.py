# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The permitted content of each element in a RELAX NG schema.

The schemas are grammars with one named definition per element. A validator such as lxml's reports whether a document is
valid, and the first violation; users need every misspelt word, with the intended one, so the document is compared with
the grammar element by element.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from inertia_tools.description.xml import Element, parse_xml

SCHEMAS = "inertia_tools.description.schema"
ANYTHING = "anything"


@dataclass(frozen=True)
class Pattern:
    """The permitted content of an element.

    Attributes:
        attributes: Names of its attributes.
        children: Names of its children.
        is_open: Any content is permitted.
    """

    attributes: frozenset[str]
    children: frozenset[str]
    is_open: bool


@cache
def schema(name: str) -> bytes:
    """Return the RELAX NG schema of a format, `urdf` or `sdf`."""
    return files(SCHEMAS).joinpath(f"{name}.rng").read_bytes()


@cache
def grammar(name: str) -> Mapping[str, Pattern]:
    """Return the permitted content of each element of a format, by the name of the element."""
    root = parse_xml(schema(name), f"{name}.rng")
    definitions = {one.attributes["name"]: one for one in root.all("define")}
    return {name: _pattern(one, definitions) for name, one in definitions.items() if _is_named(one)}


def _is_named(definition: Element) -> bool:
    """Return whether a definition is that of an element with a name."""
    element = definition.only("element")
    return element is not None and "name" in element.attributes


def _pattern(definition: Element, definitions: Mapping[str, Element]) -> Pattern:
    inside = list(_descendants(definition))
    references = {one.attributes["name"] for one in inside if one.tag == "ref"}
    named = frozenset(one.attributes["name"] for one in inside if one.tag == "attribute" and "name" in one.attributes)
    children = frozenset(name for name in references if _is_named(definitions[name]))
    return Pattern(named, children, ANYTHING in references)


def _descendants(element: Element) -> list[Element]:
    found, waiting = [], [element]
    while waiting:
        one = waiting.pop()
        found.append(one)
        waiting.extend(one.children)
    return found
