# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The page of messages, services and actions, from the comments in their files."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

KINDS = {"msg": ("Messages", ("",)), "srv": ("Services", ("Request", "Response")), "action": ("Actions", ())}
ACTION_PARTS = ("Goal", "Result", "Feedback")
FIELD = re.compile(r"(?P<type>[\w/]+(?:<=\d+)?(?:\[[^\]]*\])?)\s+(?P<name>\w+)\s*(?P<value>=\s*.+|[^#\s].*)?")


@dataclass
class Field:
    """One field or constant: its type, its name, its value or default, and what comments say of it."""

    type: str
    name: str
    value: str
    comment: str


@dataclass
class Section:
    """One part of an interface, between lines of three dashes."""

    preface: str = ""
    fields: list[Field] = field(default_factory=list)


def page(root: Path) -> str:
    """Return the page of all interface files below the folders msg, srv and action of a package."""
    lines = [
        "# Messages and services",
        "",
        "Generated from comments in `msg/` and `srv/` by `make reference`; [Nodes](../ros.md) says who offers them.",
    ]
    for suffix, (title, parts) in KINDS.items():
        files = sorted((root / suffix).glob(f"*.{suffix}"))
        if files:
            lines += ["", f"## {title}"]
        for file in files:
            lines += ["", *_interface(file, parts or ACTION_PARTS)]
    return "\n".join(lines) + "\n"


def _interface(file: Path, parts: tuple[str, ...]) -> Iterator[str]:
    yield f"### {file.stem}"
    sections = [_section(text) for text in re.split(r"^---$", file.read_text(), flags=re.MULTILINE)]
    yield from ("", sections[0].preface)
    for name, section in zip(parts, sections, strict=True):
        if name:
            yield from ("", f"**{name}**" + ("" if section.fields else ": empty"))
        if section.fields:
            yield from ("", "| field | type | meaning |", "|---|---|---|")
        for one in section.fields:
            yield f"| `{one.name}{one.value}` | `{one.type}` | {html.escape(one.comment, quote=False)} |"


def _section(text: str) -> Section:
    """Read one section: a comment above fields belongs to the next one, the first above a blank line to the whole."""
    section, pending = Section(), list[str]()
    for line in text.strip().splitlines():
        code, _, comment = (part.strip() for part in line.partition("#"))
        found = FIELD.fullmatch(code) if code else None
        if found is not None:
            value = (found["value"] or "").strip()
            shown = f" = {value.removeprefix('=').strip()}" if value else ""
            section.fields.append(Field(found["type"], found["name"], shown, " ".join([*pending, comment]).strip()))
            pending = []
        elif comment:
            pending.append(comment)
        elif pending and not section.fields and not section.preface:
            section.preface, pending = " ".join(pending), []
    if pending and not section.preface:
        section.preface = " ".join(pending)
    return section
