# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mutations of XML: of its structure, of what its attributes say, and of its bytes."""

from __future__ import annotations

import sys
from copy import deepcopy
from random import Random
from xml.etree import ElementTree

from fuzz.text_damage import damaged_bytes, strange_number, strange_word

DEEPEST = 4000
"""Elements put into one another."""

Node = ElementTree.Element


def damaged_xml(data: bytes, donor: bytes, random: Random) -> bytes:
    """Return a document with one to six mutations.

    Args:
        data: The document.
        donor: Another document, parts of which are put into it.
        random: Where the choices come from.
    """
    try:
        root, other = ElementTree.fromstring(data), ElementTree.fromstring(donor)
    except (ElementTree.ParseError, ValueError, LookupError):
        return damaged_bytes(data, random)
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 6))):
        random.choice(MUTATIONS)(root, other, random)
    text = _written(root)
    return damaged_bytes(text, random) if random.random() < 0.05 else text


def _written(root: Node) -> bytes:
    """Write a document; the library's writer calls itself for every level."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + 10 * DEEPEST)
    try:
        return bytes(ElementTree.tostring(root))
    finally:
        sys.setrecursionlimit(limit)


def _any(root: Node, random: Random) -> Node:
    return random.choice(list(root.iter()))


def _any_with_parent(root: Node, random: Random) -> tuple[Node, Node] | None:
    pairs = [(parent, child) for parent in root.iter() for child in parent]
    return random.choice(pairs) if pairs else None


def _lose_attribute(root: Node, _other: Node, random: Random) -> None:
    node = _any(root, random)
    if node.attrib:
        del node.attrib[random.choice(list(node.attrib))]


def _change_attribute(root: Node, _other: Node, random: Random) -> None:
    nodes = [node for node in root.iter() if node.attrib]
    if nodes:
        node = random.choice(nodes)
        name = random.choice(list(node.attrib))
        node.set(name, _changed_value(node.attrib[name], random))


def _change_text(root: Node, _other: Node, random: Random) -> None:
    nodes = [node for node in root.iter() if node.text and node.text.strip()]
    if nodes:
        node = random.choice(nodes)
        node.text = _changed_value(node.text or "", random)


def _changed_value(value: str, random: Random) -> str:
    """Change one number of a value, the count of its words, or all of it."""
    words = value.split()
    if words and random.random() < 0.5:
        words[random.randrange(len(words))] = strange_number(random)
        return " ".join(words)
    if words and random.random() < 0.2:
        return " ".join(words * random.choice((2, 3, 500)) if random.random() < 0.5 else words[:-1])
    return strange_word(random) if random.random() < 0.6 else strange_number(random)


def _borrow_value(root: Node, other: Node, random: Random) -> None:
    """Give an attribute the value of another, so that names meet that should not."""
    nodes = [node for node in root.iter() if node.attrib]
    givers = [node for node in (other if random.random() < 0.2 else root).iter() if node.attrib]
    if nodes and givers:
        node, giver = random.choice(nodes), random.choice(givers)
        node.set(random.choice(list(node.attrib)), random.choice(list(giver.attrib.values())))


def _add_attribute(root: Node, other: Node, random: Random) -> None:
    giver = _any(other if random.random() < 0.5 else root, random)
    if giver.attrib:
        name = random.choice(list(giver.attrib))
        value = giver.attrib[name]
        _any(root, random).set(name, value if random.random() < 0.5 else _changed_value(value, random))


def _remove(root: Node, _other: Node, random: Random) -> None:
    found = _any_with_parent(root, random)
    if found:
        found[0].remove(found[1])


def _repeat(root: Node, _other: Node, random: Random) -> None:
    found = _any_with_parent(root, random)
    if found:
        for _ in range(random.choice((1, 1, 1, 2, 40))):
            found[0].append(deepcopy(found[1]))


def _move(root: Node, _other: Node, random: Random) -> None:
    found, target = _any_with_parent(root, random), _any(root, random)
    if found and target not in set(found[1].iter()):
        found[0].remove(found[1])
        target.insert(random.randint(0, len(target)), found[1])


def _graft(root: Node, other: Node, random: Random) -> None:
    """Put an element of another document, or of this one, somewhere."""
    giver = other if random.random() < 0.6 else root
    part = deepcopy(_any(giver, random))
    target = _any(root, random)
    target.insert(random.randint(0, len(target)), part)


def _rename(root: Node, other: Node, random: Random) -> None:
    names = [node.tag for node in (root if random.random() < 0.7 else other).iter()]
    _any(root, random).tag = random.choice([*names, "world", "frame", "x", "include", "inertial"])


def _empty(root: Node, _other: Node, random: Random) -> None:
    node = _any(root, random)
    node[:] = []
    node.text = None


def _bury(root: Node, _other: Node, random: Random) -> None:
    """Put an element into many of its own kind."""
    found = _any_with_parent(root, random)
    if found:
        parent, child = found
        place, depth = list(parent).index(child), random.choice((1, 2, 5, 50, DEEPEST))
        parent.remove(child)
        for level in range(depth if random.random() < 0.2 else min(depth, 5)):
            name = child.get("name", "x")
            around = Node(
                child.tag, {**child.attrib, **({"name": f"{name}_{level}"} if "name" in child.attrib else {})}
            )
            around.append(child)
            child = around
        parent.insert(place, child)


MUTATIONS = (
    *(_lose_attribute, _change_attribute, _change_attribute, _change_attribute, _change_text, _change_text),
    *(_borrow_value, _add_attribute, _remove, _remove, _repeat, _move, _graft, _rename, _empty, _bury),
)
"""What can happen to a document, the likelier the more often it stands here."""
