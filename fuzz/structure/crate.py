# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Changes of crates that keep their tables whole: in the text that says the same, and in what values state."""

from __future__ import annotations

import struct
import tempfile
from pathlib import Path
from random import Random

from fuzz.stage_damage import damaged_stage

FIRST_VALUE = 88
"""Where the header of a crate ends."""

TEXT_SHARE = 0.6
"""Of changes made in the text."""


def changed_crate(data: bytes, random: Random) -> bytes:
    """Return a crate that OpenUSD has written from changed text, or one in which bytes of values have changed.

    Args:
        data: A crate that has been read: OpenUSD opens it here, and does not come back from every damaged one.
        random: Where the choices come from.
    """
    text = text_of(data) if random.random() < TEXT_SHARE else None
    if text is not None:
        changed = crate_of(damaged_stage(text, random))
        if changed is not None:
            return changed
    return changed_values(data, random)


def changed_values(data: bytes, random: Random) -> bytes:
    """Change bytes between the header of a crate and its tables, where values stand that are too long for those."""
    (contents,) = struct.unpack_from("<q", data, 16) if len(data) >= FIRST_VALUE else (0,)
    lines = range(contents + 8, len(data) - 31, 32) if contents > 0 else range(0)
    end = min((struct.unpack_from("<q", data, line + 16)[0] for line in lines), default=0)
    if not FIRST_VALUE < end <= len(data):
        return data
    work = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 4))):
        at = random.randrange(FIRST_VALUE, end)
        work[at] = random.choice((0, 0x3F, 0x80, 0xFF, work[at] ^ 1 << random.randrange(8)))
    return bytes(work)


def crate_of(text: bytes) -> bytes | None:
    """Return a stage that is written as text as a crate; None when OpenUSD does not take the text."""
    from pxr import Sdf, Tf

    layer = Sdf.Layer.CreateAnonymous(".usda")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "stage.usdc")
        try:
            layer.ImportFromString(text.decode())
            layer.Export(str(path))
        except (Tf.ErrorException, UnicodeDecodeError):
            return None
        return path.read_bytes()


def text_of(data: bytes) -> bytes | None:
    """Return what a crate says as text; None when OpenUSD does not read it, or names in it are no UTF-8."""
    from pxr import Sdf, Tf

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "stage.usdc")
        path.write_bytes(data)
        try:
            text: str = Sdf.Layer.OpenAsAnonymous(str(path)).ExportToString()
            return text.encode()
        except (Tf.ErrorException, UnicodeDecodeError):
            return None
