# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of parts one below the other, as the dialogues of CAD programs print them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inertia_tools.inertia.direct_repairs.cad_table.part import COM, NEGATIVE, OUTPUT, POSITIVE, UNKNOWN, CadPart

NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
SEPARATOR = r"[\s\"]*[=:,;\t ][\s\"]*"
TITLE = re.compile(
    r"^\W*(?:mass properties of|part(?: name)?|component|body|link|name|occurrence)"
    r'\s*(?:[:=,;\t]\s*|(?<=of)\s+)"?(?P<name>[^"]+?)"?[\s,;]*$',
    re.IGNORECASE,
)
BARE = re.compile(r"^\s*[A-Za-z][\w .<>-]*$")
"""A line that holds only a name."""

MASS = re.compile(rf"^\W*(?:mass|weight)\b[^=:,;\t\d-]*{SEPARATOR}({NUMBER})(.*)$", re.IGNORECASE)
CENTRE = re.compile(r"cent(?:er|re) of (?:mass|gravity)|^\W*centroid|\bco[gm]\b|\bcg\b", re.IGNORECASE)
COORDINATE = re.compile(rf"\b([XYZ])\b{SEPARATOR}({NUMBER})", re.IGNORECASE)
ENTRY = re.compile(rf"\b([IL])_?([xyz])_?([xyz])\b(?:\s*[(\[][^)\]]*[)\]])?{SEPARATOR}({NUMBER})", re.IGNORECASE)
AXIS = re.compile(rf"\bI([xyz])\s*=\s*\(\s*({NUMBER})\s*,\s*({NUMBER})\s*,\s*({NUMBER})\s*\)", re.IGNORECASE)
PRINCIPAL = re.compile(rf"\bP([xyz])\b{SEPARATOR}({NUMBER})", re.IGNORECASE)
NOTATION = re.compile(r"(positive|negative) tensor notation", re.IGNORECASE)
MOMENTS = re.compile(
    r"moments? of inertia|inertia tensor|taken at|(?:at|about) (?:the )?(?:origin|cent)", re.IGNORECASE
)
AT_COM = re.compile(r"cent(?:er|re) of (?:mass|gravity)|centroid", re.IGNORECASE)
AT_OUTPUT = re.compile(r"output coordinate|\borigin\b|coordinate system", re.IGNORECASE)
IGNORED = re.compile(r"^\W*(?:density|volume|surface area|area|bounding|length|width|height|world)\b", re.IGNORECASE)
SOLIDWORKS = re.compile(r"output coordinate system|principal axes of inertia and principal moments", re.IGNORECASE)


def read_printout(lines: list[str], name: str) -> Iterator[CadPart]:
    """Read parts one below the other.

    Args:
        lines: The lines.
        name: Name of a part that has no title.
    """
    part, section, before = CadPart(name, 1), "", ""
    for number, line in enumerate(lines, start=1):
        title = TITLE.match(line)
        is_next = MASS.match(line) is not None and part.mass is not None
        if title is not None or is_next:
            if part.is_complete:
                yield part.settle()
            called = title["name"].strip() if title is not None else before or name
            part, section = CadPart(called, number, is_titled=title is not None), ""
        elif MASS.match(line) is not None and not part.is_titled and before:
            part.name = before
        if title is None:
            section = _read_line(part, line, section)
            before = line.strip() if BARE.match(line) else "" if line.strip() else before
    if part.is_complete:
        yield part.settle()


def _read_line(part: CadPart, line: str, section: str) -> str:
    """Read one line into a part; return the section that the line is in, or begins."""
    if SOLIDWORKS.search(line):
        part.program = "SolidWorks"
    notation = NOTATION.search(line)
    if notation is not None:
        part.sign = {"positive": POSITIVE, "negative": NEGATIVE}[notation[1].lower()]
    if IGNORED.match(line):
        return ""
    mass = MASS.match(line)
    if mass is not None and part.mass is None:
        part.mass = float(mass[1])
        part.note_mass_unit(f"{mass[2]} {line[: mass.start(1)]}")
        return section
    section = _section(line, section)
    if section == "centre":
        _read_centre(part, line)
    part.principal_axes |= {
        one[1].lower(): (float(one[2]), float(one[3]), float(one[4])) for one in AXIS.finditer(line)
    }
    part.principal_moments |= {one[1].lower(): float(one[2]) for one in PRINCIPAL.finditer(line)}
    for one in ENTRY.finditer(line):
        own = COM if one[1] in "Ll" else UNKNOWN
        frame = section if section in (COM, OUTPUT) else own
        part.tensors.setdefault(frame, {})[(one[2] + one[3]).lower()] = float(one[4])
    if section in (COM, OUTPUT, UNKNOWN, "principal"):
        part.note_moment_units(_bracketed(line) or _behind_entry(line))
    return section


def _section(line: str, section: str) -> str:
    """Return the section that a line begins, the centre of mass or a tensor about a point; else the current one."""
    if re.search(r"principal (?:axes|moments)", line, re.IGNORECASE):
        return "principal"
    if MOMENTS.search(line) and not (section == "principal" and "moments of inertia" not in line.lower()):
        if AT_COM.search(line):
            return COM
        if AT_OUTPUT.search(line):
            return OUTPUT
        return UNKNOWN if "moment" in line.lower() or "tensor" in line.lower() else section
    return "centre" if CENTRE.search(line) else section


def _read_centre(part: CadPart, line: str) -> None:
    named = {one[1].lower(): float(one[2]) for one in COORDINATE.finditer(line)}
    bare = re.findall(NUMBER, line)
    if not named and len(bare) >= 3:
        named = dict(zip("xyz", map(float, bare), strict=False))
    if len(part.com) < 3:
        part.com |= named
        part.note_length_unit(COORDINATE.sub(" ", CENTRE.sub(" ", line)))


def _behind_entry(line: str) -> str:
    """Return the text after the last moment of a line."""
    entries = list(ENTRY.finditer(line))
    return line[entries[-1].end() :] if entries else ""


def _bracketed(line: str) -> str:
    return " ".join(re.findall(r"[(\[]([^)\]]*)[)\]]", line))
