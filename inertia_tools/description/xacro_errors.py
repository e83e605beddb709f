# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Errors of an expansion by xacro: the reason once, the line, and the macros and includes that led there."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from xml.parsers.expat import ExpatError

from inertia_tools.description.source import Origin
from inertia_tools.description.xacro_origins import origin_of
from inertia_tools.errors import ParseError

MACRO_CALL, INCLUDE = "handle_macro_call", "process_include"
"""Functions of xacro that enter a macro and a file."""

NOT_THERE = "write a path relative to the including file, or $(find PACKAGE)/PATH"

REMEDIES = {
    "not well-formed": "correct it there; a comment of a xacro must not contain two hyphens",
    "Undefined substitution argument": "declare it above with <xacro:arg>, or correct its name",
    "is not defined": "define it above with <xacro:property>, or correct its name",
    "unknown macro name": "define the macro above or include its file, or correct its name",
    "Undefined parameters": "give them in the call of the macro",
    "Invalid parameter": "the macro does not have it; remove it, or correct its name",
    "Not enough blocks": "put an element for each block into the call of the macro",
    "environment variable": "set it, or use $(optenv NAME DEFAULT)",
}
"""What to do about an error, by words of xacro's message."""


def expansion_error(error: Exception, said: str, name: str) -> ParseError:
    """Return the error of a xacro, with the line if it is known.

    Args:
        error: The exception of xacro, or of an expression in the file.
        said: The earlier output of xacro.
        name: Name of the expanded document in messages.
    """
    document = Origin(name, getattr(error, "lineno", 0))
    steps = list(_steps(error, document))
    place = steps[-1][1] if steps else document
    chain = [f"{into} at {at.file}:{at.line}" for into, at in reversed(steps) if into and at != place]
    printed = [" ".join(line.split()) for line in said.strip().splitlines()[-1:]]
    why = _reason(error)
    remedies = [remedy for words, remedy in REMEDIES.items() if words in why][:1]
    reason = "; ".join([f"xacro cannot expand it: {why}", *remedies, *printed, *chain])
    return ParseError(reason, place.file, place.line or None)


def _steps(error: Exception, place: Origin) -> Iterator[tuple[str, Origin]]:
    """Yield, from the document inwards, the macros and files that xacro entered, and the element it was at."""
    for frame, _ in traceback.walk_tb(error.__traceback__):
        known, function = frame.f_locals, frame.f_code.co_name
        place = origin_of(known.get("node", known.get("elt"))) or place
        if function == MACRO_CALL and "m" in known:
            yield f"in macro {known['m'].body.getAttribute('name')!r}, called", place
        elif function == INCLUDE and "filename" in known:
            yield "included", place
            if isinstance(error, ExpatError):
                place = Origin(known["filename"], error.lineno)
        yield "", place


def _reason(error: BaseException) -> str:
    """Return the reason of an exception once; xacro wraps it in others that repeat it."""
    cause, args = getattr(error, "exc", None), [str(one) for one in error.args[:1] if one is not None]
    if cause is None and getattr(error, "suffix", None) is None:
        return " ".join(str(error).split()) or type(error).__name__
    own = " ".join(args)
    if isinstance(cause, OSError):
        file = f"{cause.strerror}: {cause.filename}" if cause.filename else str(cause)
        return f"{own or file}; {NOT_THERE}"
    inner = "" if cause is None else _reason(cause)
    words = [inner if inner and inner in own else f"{own} {inner}", str(getattr(error, "suffix", None) or "")]
    return " ".join(" ".join(words).split())
