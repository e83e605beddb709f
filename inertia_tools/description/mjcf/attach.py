# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Resolving an `<attach>`: a body or a frame of another model or of its own, or the whole world of another model."""

from __future__ import annotations

from dataclasses import dataclass, replace

from inertia_tools.description.mjcf.defaults import MAIN, childclass_of
from inertia_tools.description.mjcf.parts import Part
from inertia_tools.description.mjcf.replicate import MOST_COPIES, copy_suffixes
from inertia_tools.description.xml import Element


@dataclass(frozen=True, eq=False)
class Attached:
    """Elements that replace an `<attach>`.

    Attributes:
        part: The model that they come from.
        elements: The elements.
        childclass: Class of elements that name none there.
        prefix: Prefix of their names there.
        suffix: Suffix of their names there.
    """

    part: Part
    elements: tuple[Element, ...]
    childclass: str = MAIN
    prefix: str = ""
    suffix: str = ""


def find_attached(element: Element, part: Part) -> Attached:
    """Return the attached elements; a body or frame keeps its own pose and leaves its surroundings behind.

    An `<attach>` that names no model copies a body or frame of its own model, as far as it precedes the `<attach>`.

    Args:
        element: The `<attach>`.
        part: The model that contains it.

    Raises:
        ParseError: The model or the requested element is unknown, or both a body and a frame are requested.
    """
    element.attribute("prefix")
    wanted = [tag for tag in ("body", "frame") if tag in element.attributes]
    if len(wanted) > 1:
        raise element.error("<attach> names both a body and a frame; keep one")
    if "model" not in element.attributes:
        if not wanted:
            raise element.error("<attach> names no model, body or frame; add one")
        found = _find(wanted[0], element, part, end=element)
        return replace(found, elements=tuple(_before(element, one) for one in found.elements))
    name = element.attributes["model"]
    if name not in part.models:
        known = ", ".join(sorted(part.models)) or "none"
        raise element.error(f"the model {name!r} is unknown; the <asset> section has {known}")
    model = part.models[name]
    if not wanted:
        sections = model.root.all("worldbody")
        return Attached(model, tuple(child for section in sections for child in section.children))
    return _find(wanted[0], element, model)


def _find(tag: str, attach: Element, model: Part, end: Element | None = None) -> Attached:
    """Find a body or frame by its name in a model, including copied and attached ones.

    Args:
        tag: "body" or "frame".
        attach: The `<attach>` that names it.
        model: The model to search.
        end: Search only before this element; None searches everywhere.
    """
    name = attach.attributes[tag]
    waiting = [Attached(model, (section,)) for section in reversed(list(model.root.all("worldbody")))]
    steps = 0
    while waiting and waiting[-1].elements[0] is not end:
        there = waiting.pop()
        element = there.elements[0]
        if element.tag == tag and there.prefix + element.attributes.get("name", "") + there.suffix == name:
            return there
        waiting += reversed([replace(held, elements=(one,)) for held in _held(there, name) for one in held.elements])
        steps += element.tag == "attach"
        if steps > MOST_COPIES:
            raise attach.error(f"more than {MOST_COPIES} models are attached before {tag} {name!r} is found; use fewer")
    where = f"the model {attach.attributes['model']!r}" if end is None else "the document before the <attach>"
    raise attach.error(f"{where} has no {tag} {name!r}; name an existing one")


def _held(there: Attached, wanted: str) -> list[Attached]:
    """Return the children of an entry that may contain the wanted name, once per copy."""
    element = there.elements[0]
    if element.tag == "attach":
        prefix = there.prefix + element.attributes.get("prefix", "")
        if not wanted.startswith(prefix):
            return []
        found = find_attached(element, there.part)
        return [replace(found, prefix=prefix + found.prefix, suffix=found.suffix + there.suffix)]
    childclass = childclass_of(element, there.childclass)
    suffixes = copy_suffixes(element, there.suffix) if element.tag == "replicate" else [there.suffix]
    return [replace(there, elements=tuple(element.children), childclass=childclass, suffix=one) for one in suffixes]


def _before(end: Element, element: Element) -> Element:
    """Return an element with only the content before another one; unchanged if that is elsewhere."""
    around: dict[Element, Element] = {}
    waiting = [element]
    while waiting:
        one = waiting.pop()
        around.update(dict.fromkeys(one.children, one))
        waiting += one.children
    cut: Element | None = None
    at = end
    while at in around:
        holder = around[at]
        earlier = holder.children[: holder.children.index(at)]
        cut = replace(holder, children=[*earlier, *([] if cut is None else [cut])])
        at = holder
    return element if cut is None else cut
