# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What to do about a document that is not well-formed XML."""

from __future__ import annotations

from xml.parsers import expat
from xml.parsers.expat import errors

NO_DESCRIPTION = "URDF, xacro, SDFormat and MJCF begin with a tag, and USD ends in .usd, .usda, .usdc or .usdz"
FIRST_OF_TWO_BYTES = 0x80
"""Bytes from here on are part of a character outside ASCII, whose bytes depend on the encoding."""

REMEDIES = {
    errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT: "a document has one root element; move what follows it to another file",
    errors.XML_ERROR_XML_DECL: "correct the declaration in the first line",
    errors.XML_ERROR_MISPLACED_XML_PI: "<?xml ...?> has to begin the document; remove what precedes it",
}
UNCLOSED = (errors.XML_ERROR_TAG_MISMATCH, errors.XML_ERROR_NO_ELEMENTS, errors.XML_ERROR_UNCLOSED_TOKEN)


def remedy(error: Exception, data: bytes, offset: int, open_tag: tuple[str, int] | None) -> str:
    """Return what to correct.

    Args:
        error: The parser's error.
        data: The document.
        offset: Byte offset of the error.
        open_tag: Name and line of the innermost element that is still open.
    """
    kind = expat.ErrorString(error.code) if isinstance(error, expat.ExpatError) else ""
    if kind in REMEDIES:
        return REMEDIES[kind]
    if not data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return NO_DESCRIPTION
    if kind in UNCLOSED and open_tag is not None:
        return "<{}> of line {} is not closed; close it".format(*open_tag)
    if kind == errors.XML_ERROR_INVALID_TOKEN and data[offset : offset + 1] >= bytes([FIRST_OF_TWO_BYTES]):
        return "its characters are not in the declared encoding (default utf-8); save it in that one"
    return "correct it there"
