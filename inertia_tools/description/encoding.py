# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Documents in other encodings than UTF-8, which are held as UTF-8 and written back in their own."""

from __future__ import annotations

import re

from inertia_tools.errors import ParseError

CODECS = {
    **{b"\xff\xfe\x00\x00": "utf-32-le", b"\x00\x00\xfe\xff": "utf-32-be"},
    **{b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be", b"<\x00": "utf-16-le", b"\x00<": "utf-16-be"},
}
"""Encodings of wide characters by the first bytes: a byte order mark, or an angle bracket."""

DECLARATION = re.compile(rb"""<\?xml\b[^>]*?\bencoding\s*=\s*["']([\w.:-]+)["']""")
"""The declaration of a document with characters of one byte, or of several that begin with ASCII."""

NARROW = re.compile(r"(?!utf[-_]?(8|16|32))", re.IGNORECASE)
"""Declared encodings that such a document may have; one that declares UTF-16 is in UTF-8."""

UTF8 = "utf-8"


def codec_of(data: bytes) -> str:
    """Return the name of a document's encoding; empty for UTF-8."""
    wide = next((codec for start, codec in CODECS.items() if data.startswith(start)), "")
    declared = DECLARATION.match(data)
    if wide or declared is None:
        return wide
    name = declared[1].decode()
    return name if NARROW.match(name) else ""


def as_utf8(data: bytes, name: str) -> bytes:
    """Return a document as UTF-8, including byte order mark and declaration.

    Raises:
        ParseError: It is not in the encoding that it declares, or cannot be written back in it byte for byte.
    """
    codec = codec_of(data)
    if not codec:
        return data
    try:
        text = data.decode(codec)
    except LookupError as error:
        raise ParseError(f"{error}; declare the encoding of the file, such as utf-8", name) from error
    except UnicodeError as error:
        says = "declares the encoding" if codec not in CODECS.values() else "begins with a byte order mark of"
        raise ParseError(f"{says} {codec} but has other content ({error}); save it as UTF-8", name) from error
    if text.encode(codec) != data:
        raise ParseError(f"some of its bytes are unusual in {codec} and would change; save it as UTF-8", name)
    return text.encode()
