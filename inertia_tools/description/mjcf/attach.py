# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What an `<attach>` means: a body or a frame of another model, or all that stands in its world."""

from __future__ import annotations

from dataclasses import dataclass

from inertia_tools.description.mjcf.defaults import MAIN, childclass_of
from inertia_tools.description.mjcf.parts import Part
from inertia_tools.description.mjcf.replicate import copy_suffixes
from inertia_tools.description.xml import Element


@dataclass(frozen=True, eq=False)
class Attached:
    """Elements of another model that take the place of an `<attach>`.

    Attributes:
        part: The model.
        elements: The elements.
        childclass: Class of what names none there.
        suffix: What their names end in there.
    """

    part: Part
    elements: tuple[Element, ...]
    childclass: str = MAIN
    suffix: str = ""


def find_attached(element: Element, part: Part) -> Attached:
    """Find what is attached; a body or frame keeps its own pose and leaves behind whatever it stands in.

    Args:
        element: The `<attach>`.
        part: The model it stands in.

    Raises:
        ParseError: The model is unknown or lacks what is asked for, or both a body and a frame are.
    """
    name = element.attribute("model")
    element.attribute("prefix")
    if name not in part.models:
        known = ", ".join(sorted(part.models)) or "none"
        raise element.error(f"the model {name!r} is unknown; the <asset> section has {known}")
    model = part.models[name]
    wanted = [tag for tag in ("body", "frame") if tag in element.attributes]
    if len(wanted) > 1:
        raise element.error("<attach> names a body and a frame; keep one")
    if not wanted:
        sections = model.root.all("worldbody")
        return Attached(model, tuple(child for section in sections for child in section.children))
    return _find(wanted[0], element.attributes[wanted[0]], element, model)


def _find(tag: str, name: str, attach: Element, model: Part) -> Attached:
    waiting = [(section, MAIN, "") for section in reversed(list(model.root.all("worldbody")))]
    while waiting:
        element, childclass, suffix = waiting.pop()
        if element.tag == tag and element.attributes.get("name", "") + suffix == name:
            return Attached(model, (element,), childclass, suffix)
        childclass = childclass_of(element, childclass)
        suffixes = copy_suffixes(element, suffix) if element.tag == "replicate" else [suffix]
        waiting += [(child, childclass, one) for one in reversed(suffixes) for child in reversed(element.children)]
    raise attach.error(f"the model {attach.attributes['model']!r} has no {tag} {name!r}; name one that it has")
