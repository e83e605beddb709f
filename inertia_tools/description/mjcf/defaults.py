# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Classes of defaults: attribute values of elements that do not state them."""

from __future__ import annotations

from dataclasses import dataclass, field

from inertia_tools.description.mjcf.orientation import ORIENTATIONS
from inertia_tools.description.xml import Element

MAIN = "main"

FILLED_UP = frozenset(
    {
        "size", "friction", "fluidcoef", "stiffness", "damping", "gear", "gainprm", "biasprm", "dynprm",
        "solref", "solimp", "solreflimit", "solimplimit", "solreffriction", "solimpfriction",
    }
)  # fmt: skip
"""Attributes that may state fewer numbers than they have; the class supplies the rest."""


def childclass_of(element: Element, outer: str) -> str:
    """Return the default class for the children of an element; a frame or copies may name it as their own."""
    own = element.attributes.get("class", outer) if element.tag in ("frame", "replicate") else outer
    return element.attributes.get("childclass", own)


@dataclass
class Defaults:
    """Attribute values of classes.

    Attributes:
        classes: Attributes by class and tag, including those of outer classes.
        levels: Elements by class: those of the outermost class first, its own last.
    """

    classes: dict[str, dict[str, dict[str, str]]] = field(default_factory=lambda: {MAIN: {}})
    levels: dict[str, tuple[tuple[Element, ...], ...]] = field(default_factory=lambda: {MAIN: ((),)})

    @classmethod
    def read(cls, root: Element) -> Defaults:
        """Read all `<default>` sections.

        Raises:
            ParseError: A class has no name, or one in use.
        """
        defaults = cls()
        waiting = [(section, "") for section in reversed(list(root.all("default")))]
        while waiting:
            element, outer = waiting.pop()
            name = defaults._open(element, outer)
            waiting.extend((inner, name) for inner in reversed(list(element.all("default"))))
        return defaults

    def _open(self, element: Element, outer: str) -> str:
        if not outer:
            name = element.attributes.get("class", MAIN) or MAIN
            if name != MAIN:
                raise element.error(f"the outermost default class is named {name!r}; call it {MAIN!r} or leave it out")
        else:
            name = element.attribute("class")
            if name in self.classes:
                raise element.error(f"a second default class is named {name!r}; rename one")
            self.classes[name] = {tag: dict(words) for tag, words in self.classes[outer].items()}
            self.levels[name] = (*self.levels[outer], ())
        own = tuple(child for child in element.children if child.tag != "default")
        *around, before = self.levels[name]
        self.levels[name] = (*around, (*before, *own))
        for child in own:
            self.classes[name][child.tag] = over(self.classes[name].get(child.tag, {}), child.attributes)
        return name

    def completed(self, element: Element, childclass: str) -> Element:
        """Return an element with the attributes of its class, which its own attributes override.

        Args:
            element: The element.
            childclass: Class of elements that name none.

        Raises:
            ParseError: The class is unknown.
        """
        name = element.attributes.get("class", childclass)
        self.require(name, element)
        words = self.classes[name].get(element.tag)
        if not words:
            return element
        named = {"class": name} if "class" in element.attributes else {}
        return element.with_attributes(over(words, element.attributes) | named)

    def require(self, name: str, element: Element) -> None:
        """Check that a class of that name exists.

        Raises:
            ParseError: There is none.
        """
        if name not in self.classes:
            known = ", ".join(sorted(self.classes))
            raise element.error(f"the default class {name!r} of <{element.tag}> is unknown; known are {known}")


def over(words: dict[str, str], own: dict[str, str]) -> dict[str, str]:
    """Merge attributes; one form of orientation replaces another, and numbers that are not stated are kept."""
    if any(form in own for form in ORIENTATIONS):
        words = {name: value for name, value in words.items() if name not in ORIENTATIONS}
    own = {name: value for name, value in own.items() if name != "class"}
    for name in FILLED_UP & own.keys() & words.keys():
        stated = own[name].split()
        own[name] = " ".join([*stated, *words[name].split()[len(stated) :]])
    return words | own
