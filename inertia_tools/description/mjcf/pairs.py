# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Geoms that touch because a `<pair>` names them, independent of their masks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from inertia_tools.description.link import Surface
from inertia_tools.description.mjcf.bodies import Body, Surroundings
from inertia_tools.description.mjcf.contact import masks_of, masks_touch
from inertia_tools.description.mjcf.defaults import MAIN
from inertia_tools.description.mjcf.geoms import CONDIM, ROLLING, TORSIONAL
from inertia_tools.description.mjcf.values import first_number, up_to, whole
from inertia_tools.description.mjcf_bodies import Geom
from inertia_tools.description.types import WORLD
from inertia_tools.description.xml import Element

FIRST_BIT, BITS = 32, 31
"""Bits of masks for pairs: MuJoCo's own take 32, and this many remain of 64 with a sign."""

FRICTION = (1.0, 1.0, 0.005, 0.0001, 0.0001)
"""Default friction of a pair: sliding in both directions, and lengths of torsional and rolling friction [m]."""

OF_GEOMS = ("friction", "condim")
"""Attributes of a pair that a geom adopts if nothing else touches it."""

LENGTHS = ("margin", "gap")
"""Attributes that are ignored, since each geom has its own."""

Law = tuple[int, tuple[float, ...]]
"""Contact dimensions, and the five friction numbers."""


@dataclass(frozen=True, eq=False)
class _Pair:
    """A pair: its element with class attributes, the names of its geoms, and their bodies."""

    element: Element
    ends: tuple[str, str]
    bodies: tuple[Body, Body]

    @property
    def law(self) -> Law:
        """The contact properties of its geoms; missing ones are MuJoCo's defaults, never those of the geoms."""
        stated = up_to(self.element, "friction", len(FRICTION))
        return whole(self.element, "condim", CONDIM), (*stated, *FRICTION[len(stated) :])


def let_pairs_touch(
    models: Iterable[Surroundings], bodies: Sequence[Body], apart: Collection[frozenset[str]]
) -> list[str]:
    """Let the geoms of each `<pair>` touch, in place: they collide, and share a mask bit that no other geom has.

    A geom that nothing else touches gets the friction of its pairs, if they agree.

    Args:
        models: Where each model stands, the main one first.
        bodies: All bodies.
        apart: Pairs of bodies that never touch, by name.

    Returns:
        Pairs that do not touch, and ignored properties of other pairs, each with the reason.

    Raises:
        ParseError: A number cannot be read.
    """
    unused: list[str] = []
    pairs = list(_read_pairs(models, bodies, unused))
    bits = _bits_of(pairs)
    held = [pair for pair in pairs if pair.ends in bits]
    agreed = _agreed_laws(held, _touched_by_nothing_else(bodies))
    masks: dict[str, tuple[int, int]] = {}
    for pair in held:
        for name, (kind, met) in zip(pair.ends, bits[pair.ends], strict=True):
            before = masks.get(name, (0, 0))
            masks[name] = before[0] | kind, before[1] | met
    for body in bodies:
        body.geoms[:] = [
            _paired(geom, masks[geom.name], agreed.get(geom.name)) if geom.name in masks else geom
            for geom in body.geoms
        ]
    for pair in pairs:
        reasons = list(_not_held(pair, apart, pair.ends in bits, agreed))
        if reasons:
            unused.append(f"{_label(pair.element, pair.ends)} ({', '.join(reasons)})")
    return unused


def _read_pairs(models: Iterable[Surroundings], bodies: Iterable[Body], unused: list[str]) -> Iterator[_Pair]:
    """Read the pairs of all models; those with geoms that were not attached are left out."""
    owners = {geom.name: body for body in bodies for geom in body.geoms if geom.name and geom.shape is not None}
    for model in models:
        for element in (one for section in model.part.root.all("contact") for one in section.all("pair")):
            completed = model.part.defaults.completed(element, MAIN)
            ends = model.named(element, "geom1"), model.named(element, "geom2")
            if ends[0] in owners and ends[1] in owners:
                yield _Pair(completed, ends, (owners[ends[0]], owners[ends[1]]))
            elif not model.prefix:
                unused.append(f"{_label(element, ends)} (of an unknown geom)")


def _label(element: Element, ends: tuple[str, str]) -> str:
    return f"{element.place}: pair of {ends[0]!r} and {ends[1]!r}"


def _bits_of(pairs: Iterable[_Pair]) -> dict[tuple[str, str], tuple[tuple[int, int], tuple[int, int]]]:
    """Return the bits that each pair adds to the masks of its two geoms; none if no bits are left.

    The geom with more pairs has a bit for its type, and its partners have that bit among the types they touch, so that
    the partners do not touch each other.
    """
    pairs = list(pairs)
    count = Counter(name for pair in pairs for name in pair.ends)
    number: dict[str, int] = {}
    found = {}
    for pair in pairs:
        first, second = pair.ends
        leads = count[first] >= count[second]
        bit = number.setdefault(first if leads else second, len(number))
        if bit < BITS:
            own, others = (1 << FIRST_BIT + bit, 0), (0, 1 << FIRST_BIT + bit)
            found[pair.ends] = (own, others) if leads else (others, own)
    return found


def _touched_by_nothing_else(bodies: Iterable[Body]) -> set[str]:
    """Return the names of geoms whose masks let nothing touch them."""
    geoms = [geom for body in bodies for geom in body.geoms]
    kinds = {masks_of(geom) for geom in geoms}
    touched = {masks for masks in kinds if any(masks_touch(masks, other) for other in kinds)}
    return {geom.name for geom in geoms if masks_of(geom) not in touched}


def _agreed_laws(pairs: Iterable[_Pair], alone: Collection[str]) -> dict[str, Law]:
    """Return contact dimensions and friction of geoms that touch only through pairs, if their pairs agree."""
    laws: dict[str, set[Law]] = {}
    for pair in pairs:
        for name in pair.ends:
            laws.setdefault(name, set()).add(pair.law)
    return {name: next(iter(found)) for name, found in laws.items() if name in alone and len(found) == 1}


def _paired(geom: Geom, add: tuple[int, int], law: Law | None) -> Geom:
    """Return a geom that collides with these additional mask bits, and with the friction of its pairs."""
    assert geom.shape is not None
    kind, met = geom.shape.masks
    shape = replace(geom.shape, masks=(kind | add[0], met | add[1]))
    if law is None:
        return replace(geom, shape=shape, touches=True)
    condim, (sliding, _, torsional, rolling, _) = law
    surface = replace(
        geom.shape.surface or Surface(),
        friction=sliding,
        torsional=torsional if condim >= TORSIONAL else None,
        rolling=rolling if condim >= ROLLING else None,
    )
    return replace(geom, shape=replace(shape, surface=surface), touches=True, condim=condim)


def _not_held(
    pair: _Pair, apart: Collection[frozenset[str]], has_bit: bool, agreed: Mapping[str, object]
) -> Iterator[str]:
    """Report an unsupported pair, or its unsupported properties."""
    if not has_bit:
        yield f"pairs of more than {BITS} geoms"
    elif frozenset(body.name for body in pair.bodies) in apart or _are_joined(*pair.bodies):
        yield "its bodies are kept apart"
    else:
        if not agreed.keys() >= {*pair.ends}:
            stated = [name for name in OF_GEOMS if name in pair.element.attributes]
            if stated:
                yield f"{' and '.join(stated)}: its geoms keep theirs"
        elif pair.law[1][0] != pair.law[1][1]:
            yield "friction that differs by direction"
        yield from (name for name in LENGTHS if first_number(pair.element, name, 0.0))


def _are_joined(one: Body, other: Body) -> bool:
    """Return whether two bodies are the same, welded, or separated by one joint, not counting those of the world."""
    first, second = _welded_to(one), _welded_to(other)
    if first is second:
        return True
    above = {body: _welded_to(body.parent) for body in (first, second) if body.parent is not None}
    return any(found is end and end.name != WORLD for found in above.values() for end in (first, second))


def _welded_to(body: Body) -> Body:
    """Return the body that moves a body: itself if it has joints."""
    while body.parent is not None and not body.joints:
        body = body.parent
    return body
