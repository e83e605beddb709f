# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The attributes of an MJCF document as text, including those of classes, for code that reads its own attributes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from inertia_tools.description.mjcf.actuator_classes import with_class
from inertia_tools.description.mjcf.bodies import BodyReader, Surroundings
from inertia_tools.description.mjcf.defaults import MAIN
from inertia_tools.description.mjcf.vocabulary import REFERENCES
from inertia_tools.description.mjcf_bodies import Row, Stated
from inertia_tools.description.xml import Element


def read_stated(reader: BodyReader) -> Stated:
    """Return the attributes of a document, once its bodies are read.

    Raises:
        ParseError: A class is unknown.
    """
    models = reader.models
    return Stated(
        elements=reader.words,
        option=dict(_options(models)),
        flags=dict(_flags(models)),
        pairs=tuple(_rows(models, "contact", "pair", only=("pair",))),
        tendons=tuple(_rows(models, "tendon", "tendon")),
        equalities=tuple(_rows(models, "equality", "equality")),
        actuators=tuple(_actuators(models)),
    )


def _options(models: Iterable[Surroundings]) -> Iterator[tuple[str, str]]:
    for model in models:
        for option in model.part.root.all("option"):
            yield from option.attributes.items()


def _flags(models: Iterable[Surroundings]) -> Iterator[tuple[str, str]]:
    for model in models:
        for option in model.part.root.all("option"):
            for flag in option.all("flag"):
                yield from flag.attributes.items()


def _rows(models: Iterable[Surroundings], section: str, class_tag: str, only: tuple[str, ...] = ()) -> Iterator[Row]:
    """Iterate over the elements of a section, with the attributes of their classes, which use another tag there."""
    for model in models:
        for element in (one for found in model.part.root.all(section) for one in found.children):
            if only and element.tag not in only:
                continue
            completed = model.part.defaults.completed(replace(element, tag=class_tag), MAIN)
            yield _row(replace(completed, tag=element.tag), model)


def _actuators(models: Iterable[Surroundings]) -> Iterator[Row]:
    for model in models:
        for element in (one for found in model.part.root.all("actuator") for one in found.children):
            yield _row(with_class(element, model.part.defaults)[1], model)


def _row(element: Element, model: Surroundings) -> Row:
    """Return an element whose references are names of the whole document.

    Its children are read with a list instead of recursion: they may be nested to any depth.
    """
    nested, rows = [element], dict[int, Row]()
    for one in nested:
        nested.extend(one.children)
    for one in reversed(nested):
        names = {word: model.named(one, word) for word in one.attributes if word in REFERENCES or word == "name"}
        inner = tuple(rows[id(child)] for child in one.children)
        rows[id(one)] = Row(one.tag, {**one.attributes, **names}, inner, one.place, model.part.compiler)
    return rows[id(element)]
