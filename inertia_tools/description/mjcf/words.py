# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Words and values that MuJoCo refuses or ignores, in those parts of a document that are not read for anything else."""

from __future__ import annotations

from collections.abc import Iterator

from inertia_tools.description.mjcf.orientation import ORIENTATIONS
from inertia_tools.description.mjcf.parts import Part
from inertia_tools.description.mjcf.values import WHOLE, parse_numbers
from inertia_tools.description.mjcf.vocabulary import (
    ATTRIBUTES,
    CHILDREN,
    CHOICES,
    COUNTS,
    IN_DEFAULTS,
    NOT_IN_DEFAULTS,
    WHOLE_NUMBERS,
)
from inertia_tools.description.mjcf_bodies import REFUSES
from inertia_tools.description.types import Remark
from inertia_tools.description.xml import Element

LOOSE = ("frame", "replicate")
"""Elements in which MuJoCo does not check words."""

CONTAINERS = ("body", *LOOSE)
"""Elements whose children it checks all the same."""


def refusal(element: Element, message: str) -> Remark:
    """Report that MuJoCo refuses a document because of an element."""
    return Remark("error", REFUSES, "", f"{message}; MuJoCo refuses the file", element.place)


def unknown_words(part: Part) -> Iterator[Remark]:
    """Find elements and attributes that MuJoCo does not know; in frames and copies it ignores unknown attributes.

    The content and attributes of an unknown element are not checked.
    """
    waiting = [(part.root, "", False)]
    while waiting:
        element, around, is_around_loose = waiting.pop()
        is_looked_at = around in CHILDREN and (around in CONTAINERS or not is_around_loose)
        if is_looked_at and element.tag not in CHILDREN[around]:
            yield refusal(element, f"<{element.tag}> is unknown in <{around}>")
            continue
        is_loose = is_around_loose or element.tag in LOOSE
        waiting += [(child, element.tag, is_loose) for child in reversed(element.children)]
        known = ATTRIBUTES.get(element.tag)
        if known is None or not (around in CHILDREN or around in ("", "contact")):
            continue
        if around == "default":
            known = known - NOT_IN_DEFAULTS.get(element.tag, frozenset())
        for name in element.attributes.keys() - known:
            if is_loose:
                message = f"<{element.tag}> has the unknown attribute {name!r}, which MuJoCo ignores here; remove it"
                yield Remark("warning", "ignored-attribute", "", message, element.place)
            else:
                yield refusal(element, f"<{element.tag}> has the unknown attribute {name!r}")


def ill_formed(part: Part) -> Iterator[Remark]:
    """Find keywords and numbers that MuJoCo refuses, in attributes that are not read for anything else.

    A class is checked completely, since it may be unused.
    """
    waiting = [(part.root, "")]
    while waiting:
        element, around = waiting.pop()
        waiting += [(child, element.tag) for child in reversed(element.children)]
        if around == "default":
            yield from _in_class(element)
        if element.tag == "default":
            yield from _repeated(element)
        if around in CHILDREN:
            yield from _misfits(element, CHOICES, COUNTS)


def _in_class(element: Element) -> Iterator[Remark]:
    choices, counts = IN_DEFAULTS
    yield from _misfits(element, choices, counts)
    forms = [name for name in ORIENTATIONS if name in element.attributes]
    if len(forms) > 1:
        yield refusal(element, f"<{element.tag}> states {' and '.join(forms)}")
    if _numbers(element.attributes.get("quat", "1")) == [0.0] * 4:
        yield refusal(element, f"the quat of <{element.tag}> is zero")


def _repeated(element: Element) -> Iterator[Remark]:
    """Find elements that occur twice in a class."""
    met: set[str] = set()
    for child in element.children:
        if child.tag in met and child.tag != "default":
            yield refusal(child, f"a class has a second <{child.tag}>")
        met.add(child.tag)


Choices = dict[str, dict[str, frozenset[str]]]
Counts = dict[str, dict[str, tuple[int, int]]]


def _misfits(element: Element, choices: Choices, counts: Counts) -> Iterator[Remark]:
    """Find attributes of an element with an unknown keyword, or a wrong number of values."""
    for name, words in choices.get(element.tag, {}).items():
        text = element.attributes.get(name)
        if text is not None and text not in words:
            yield refusal(element, f"{name}={text!r} of <{element.tag}> is none of {', '.join(sorted(words))}")
    for name, (least, most) in counts.get(element.tag, {}).items():
        text = element.attributes.get(name)
        if text is None:
            continue
        count = len(_numbers(text) or ())
        is_whole = name not in WHOLE_NUMBERS or WHOLE.fullmatch(text)
        if not (least <= count <= most and is_whole):
            wanted = str(least) if least == most else f"{least} to {most}"
            yield refusal(element, f"{name}={text!r} of <{element.tag}> is not {wanted} numbers")


def _numbers(text: str) -> list[float] | None:
    """Return the numbers of a text; None if it contains anything else."""
    try:
        return parse_numbers(text)
    except ValueError:
        return None
