# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""urdf-parser-py: other nodes hold its objects, and it is the second opinion on what we write."""

from __future__ import annotations

import threading
from typing import Any

from inertia_tools.errors import MissingDependencyError, ParseError

_ONE_AT_A_TIME = threading.Lock()  # the parser's error hook is one for the whole process


def parse_with_urdf_parser(data: bytes, name: str) -> Any:
    """Parse a URDF with urdf-parser-py; its remarks on tags that it does not know are dropped.

    Raises:
        MissingDependencyError: urdf-parser-py is not installed.
        ParseError: It refuses the document.
    """
    try:
        from urdf_parser_py import urdf
        from urdf_parser_py.xml_reflection import core
    except ImportError as error:
        raise MissingDependencyError(
            "urdf-parser-py", "the second opinion on URDF", "pip install urdf-parser-py"
        ) from error
    with _ONE_AT_A_TIME:
        hook, core.on_error = core.on_error, _ignore
        try:
            return urdf.URDF.from_xml_string(data)
        except Exception as error:  # its reflection raises whatever fails inside
            reason = " ".join(str(error).split()) or type(error).__name__
            raise ParseError(f"urdf-parser-py refuses it: {reason}", name) from error
        finally:
            core.on_error = hook


def _ignore(_message: str) -> None:
    """Take no notice of a remark."""
