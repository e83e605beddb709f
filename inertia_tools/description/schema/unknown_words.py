# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Misspelt and misplaced elements and attributes, which readers ignore silently."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from inertia_tools.description.schema.grammar import Pattern, grammar
from inertia_tools.description.sdf.inertial import OF_ALL_SHAPES, OF_MESHES, OWN_PREFIX
from inertia_tools.description.source import Place
from inertia_tools.description.types import Description, Remark
from inertia_tools.description.xml import Element

UNKNOWN_ELEMENT, UNKNOWN_ATTRIBUTE = "unknown-element", "unknown-attribute"

FORMATS: Mapping[str, tuple[str, str]] = {"robot": ("urdf", "URDF"), "sdf": ("sdf", "SDFormat")}
"""Schema and name of a format, by its root element."""

SAID_ELSEWHERE = ("SDFormat", "geometry")
"""Element whose unknown children have a finding of their own, `unknown-geometry`."""

PARAMETERS = "auto_inertia_params"
"""Element of SDFormat with this package's integration parameters, and any others for a calculator."""

PREFIX = ":"
"""Separator between a namespace and a name; names with a namespace are accepted."""

NAMESPACE = "xmlns"

CLOSE = 0.75
"""Similarity from which on a word counts as a misspelling of another."""

LONGEST_SLIP = 2
"""Maximum number of letters that a misspelling adds before or after a word."""


def unknown_words(root: Element, robot: Description) -> tuple[Remark, ...]:
    """Find the elements and attributes that the format of a document does not have in their places.

    A word that is similar to one of the format's, or that belongs elsewhere in it, is a warning; any other is an
    extension without a namespace, which no reader of the format uses.

    Args:
        root: The root element of the document.
        robot: The description read from it.
    """
    if root.tag not in FORMATS:
        return ()
    schema, format_ = FORMATS[root.tag]
    links = {link.place.element: name for name, link in robot.links.items()}
    return tuple(_walk(root, grammar(schema), links, format_))


def _walk(
    root: Element, patterns: Mapping[str, Pattern], links: Mapping[tuple[str, int | None], str], format_: str
) -> Iterator[Remark]:
    waiting = [(root, "")]
    while waiting:
        element, link = waiting.pop()
        pattern = patterns[element.tag]
        if element.tag == PARAMETERS:
            yield from _misspelt_parameters(element, link)
        if pattern.is_open:
            continue
        if element.tag == "link":
            link = links.get(element.place.element, link)
        if not element.attributes.keys() <= pattern.attributes:
            yield from _unknown_attributes(element, pattern, link, format_)
        for child in reversed(element.children):
            if child.tag in pattern.children:
                waiting.append((child, link))
            elif PREFIX not in child.tag and (format_, element.tag) != SAID_ELSEWHERE:
                yield _unknown_element(child, element, patterns, link, format_)


def _misspelt_parameters(element: Element, link: str) -> Iterator[Remark]:
    """Find misspelt integration parameters; a name in this package's namespace is never that of a calculator's own."""
    known = OF_ALL_SHAPES | OF_MESHES
    for child in element.children:
        name = child.tag.removeprefix(OWN_PREFIX)
        if name in known or PREFIX in name:
            continue
        meant = closest(name, known)
        if meant or name != child.tag:
            remedy = f"did you mean <{meant}>?" if meant else f"write one of {', '.join(sorted(known))}"
            message = f"<{PARAMETERS}> has no <{child.tag}>, so the integration ignores it; {remedy}"
            yield Remark("warning", UNKNOWN_ELEMENT, link, message, child.place)


def _unknown_attributes(element: Element, pattern: Pattern, link: str, format_: str) -> Iterator[Remark]:
    for name in element.attributes:
        if name in pattern.attributes or PREFIX in name or name == NAMESPACE:
            continue
        meant = closest(name, pattern.attributes)
        said = f"<{element.tag}> of {format_} has no attribute {name!r}"
        yield _remark(UNKNOWN_ATTRIBUTE, link, said, f"{meant!r}" if meant else "", element.place)


def _unknown_element(
    child: Element, around: Element, patterns: Mapping[str, Pattern], link: str, format_: str
) -> Remark:
    said = f"<{around.tag}> of {format_} has no <{child.tag}>"
    meant = closest(child.tag, patterns[around.tag].children)
    if not meant and child.tag in patterns:
        homes = [f"<{tag}>" for tag, pattern in patterns.items() if child.tag in pattern.children]
        message = f"{said}, so it is ignored; it belongs in {' or '.join(homes[:3])}, move it"
        return Remark("warning", UNKNOWN_ELEMENT, link, message, child.place)
    if not meant and child.tag in patterns[around.tag].attributes:
        message = f"{said}, so it is ignored; write it as an attribute, {child.tag}=..."
        return Remark("warning", UNKNOWN_ELEMENT, link, message, child.place)
    return _remark(UNKNOWN_ELEMENT, link, said, f"<{meant}>" if meant else "", child.place)


def _remark(code: str, link: str, said: str, meant: str, place: Place) -> Remark:
    level: Literal["warning", "info"] = "warning" if meant else "info"
    remedy = f"did you mean {meant}?" if meant else "give an extension a namespace, or remove it"
    return Remark(level, code, link, f"{said}, so it is ignored; {remedy}", place)


def closest(word: str, known: Iterable[str]) -> str:
    """Return the known word of which another is a misspelling; empty if there is none."""
    by_plain = {_plain(one): one for one in sorted(known)}
    plain = _plain(word)
    if plain in by_plain:
        return by_plain[plain]
    exchanged = [one for one in by_plain if sorted(one) == sorted(plain)]
    close = exchanged or difflib.get_close_matches(plain, by_plain, n=1, cutoff=CLOSE)
    is_longer = bool(close) and close[0] in plain and len(plain) - len(close[0]) > LONGEST_SLIP
    return by_plain[close[0]] if close and not is_longer else ""


def _plain(word: str) -> str:
    return word.lower().replace("_", "").replace("-", "")
