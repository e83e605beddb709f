# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Documents in UTF-16, which are held as UTF-8 and written back in UTF-16."""

from __future__ import annotations

import re

from inertia_tools.errors import ParseError

CODECS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be", b"<\x00": "utf-16-le", b"\x00<": "utf-16-be"}
"""Two-byte encodings by the first two bytes: a byte order mark, or an angle bracket."""

DECLARED = re.compile(rb"""(?:\xef\xbb\xbf)?<\?xml[^>]*encoding\s*=\s*["']utf-?16""", re.IGNORECASE)
"""The declaration of a document that was in UTF-16; with single-byte characters it must be UTF-8 now."""


def codec_of(data: bytes) -> str:
    """Return the name of a document's two-byte encoding; empty for others."""
    return CODECS.get(data[:2], "")


def as_utf8(data: bytes, codec: str, name: str) -> bytes:
    """Return a document as UTF-8, including byte order mark and declaration.

    Raises:
        ParseError: Some part is not in that encoding.
    """
    try:
        return data.decode(codec).encode()
    except UnicodeError as error:
        raise ParseError(f"has a UTF-16 byte order mark but other content ({error}); save it as UTF-8", name) from error


def declares_utf16(data: bytes) -> bool:
    """Return whether a document with single-byte characters declares UTF-16."""
    return DECLARED.match(data) is not None
