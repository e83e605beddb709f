# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Reading a file of mass properties: a table with one row per part, or a printout."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterator
from pathlib import Path

from inertia_tools.errors import ParseError
from inertia_tools.inertia.direct_repairs.cad_table.part import COM, NEGATIVE, OUTPUT, POSITIVE, UNKNOWN, CadPart
from inertia_tools.inertia.direct_repairs.cad_table.printout import NUMBER, read_printout
from inertia_tools.wording import not_opened

NAMES = frozenset({"link", "name", "part", "partname", "partnumber", "component", "body", "occurrence", "item"})
CENTRES = r"(?:com|cog|cg|c|centerofmass|centreofmass|centerofgravity|centreofgravity|centroid)"
CENTRE = re.compile(rf"^(?:{CENTRES}([xyz])|([xyz]){CENTRES}|([xyz]))$")
ENTRY = re.compile(r"(?:^|[a-z])([il])([xyz])([xyz])$")
PRINCIPAL = re.compile(r"^p([xyz])$|^principalmoment([xyz])$")
AT_COM = re.compile(r"com|cog|centerof|centreof|centroid")
AT_OUTPUT = re.compile(r"origin|output")


def read_cad_table(path: str | os.PathLike[str]) -> tuple[CadPart, ...]:
    """Read the parts of a file.

    Args:
        path: A table with one row per part and a header that names the columns, separated by commas, semicolons or
            tabs; or a CAD program's printout of one or more parts, one below the other.

    Raises:
        ParseError: The file cannot be read, or has no part with mass, centre of mass and tensor.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig", errors="replace")
    except (OSError, ValueError) as error:
        raise ParseError(not_opened(error), str(path)) from error
    text = text.replace("\u00b2", "^2").replace("\u00b7", "*").replace("\u2212", "-")
    lines = text.splitlines()
    parts = tuple(_read_rows(lines, str(path))) or tuple(read_printout(lines, Path(path).stem))
    if not parts:
        reason = (
            "has no part with mass, centre of mass and six moments; write one row for each part, or "
            "use the CAD program's text"
        )
        raise ParseError(reason, str(path))
    return parts


def _read_rows(lines: list[str], path: str) -> Iterator[CadPart]:
    """Read a table with a header and one row per part; yield nothing without such a header.

    Raises:
        ParseError: A cell is not a number.
    """
    found = _header(lines)
    if found is None:
        return
    count, delimiter, header = found
    keys = [_key(cell) for cell in header]
    rows = csv.reader(lines[count:], delimiter=delimiter)
    for row in rows:
        if any(cell.strip() for cell in row):
            part = CadPart(f"row {count + rows.line_num}", count + rows.line_num)
            for cell, key, title in zip(row, keys, header, strict=False):
                _read_cell(part, key, title, cell.replace(",", ".") if delimiter == ";" else cell, path)
            if not part.is_complete:
                raise ParseError(f"{part.name!r}: the mass, the centre of mass or a moment is missing", path, part.line)
            yield part.settle()


def _header(lines: list[str]) -> tuple[int, str, list[str]] | None:
    """Return the number of the header line, the column separator, and the column titles; None without a header."""
    for number, line in enumerate(lines, start=1):
        delimiter = max(",;\t", key=line.count)
        titles = next(csv.reader([line], delimiter=delimiter), [])
        keys = [_key(cell) for cell in titles]
        if "mass" in keys and sum(key is not None for key in map(ENTRY.search, keys)) >= 6:
            return number, delimiter, titles
    return None


def _key(title: str) -> str:
    """Return the title of a column in lower case, without its unit and punctuation."""
    bare = re.sub(r"[(\[].*?[)\]]", " ", title).strip().lower()
    bare = re.sub(r"[_ ](kg|g|lb|oz|m|mm|cm|in|ft)(?:[_ *]?(?:m|mm|cm|in|ft)(?:\^?2)?)?$", "", bare)
    return re.sub(r"[^a-z]", "", bare)


def _read_cell(part: CadPart, key: str, title: str, cell: str, path: str) -> None:
    """Read one cell into a part."""
    if key in NAMES:
        part.name = cell.strip() or part.name
        return
    if key in ("sign", "notation", "tensornotation"):
        part.sign = POSITIVE if "pos" in cell.lower() else NEGATIVE if "neg" in cell.lower() else None
        return
    if re.fullmatch(CENTRES, key):
        part.com |= dict(zip("xyz", map(float, re.findall(NUMBER, cell)), strict=False))
        part.note_length_unit(f"{_unit(title)} {cell}")
        return
    centre, entry, principal = CENTRE.match(key), ENTRY.search(key), PRINCIPAL.match(key)
    if not (key == "mass" or centre or entry or principal) or not cell.strip():
        return
    found = re.match(rf"\s*({NUMBER})(.*)$", cell)
    if found is None:
        raise ParseError(f"{cell.strip()!r} under {title.strip()!r} is not a number", path, part.line)
    value = float(found[1])
    units = f"{_unit(title)} {found[2]}"
    if key == "mass":
        part.mass = value
        part.note_mass_unit(units)
    elif centre is not None:
        part.com[next(filter(None, centre.groups()))] = value
        part.note_length_unit(units)
    elif principal is not None:
        part.principal_moments[next(filter(None, principal.groups()))] = value
    elif entry is not None:
        part.note_moment_units(units)
        before = key[: entry.start(1)]
        about = COM if entry[1] == "l" or AT_COM.search(before) else OUTPUT if AT_OUTPUT.search(before) else UNKNOWN
        part.tensors.setdefault(about, {})[entry[2] + entry[3]] = value


def _unit(title: str) -> str:
    """Return the unit in a title: in brackets, or after a blank or underscore at its end."""
    return " ".join(re.findall(r"[(\[](.*?)[)\]]", title)) or " ".join(re.split(r"[_ ]", title)[1:])
