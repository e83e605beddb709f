# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""urdf-parser-py: other nodes use its objects, and it checks the documents that this package writes."""

from __future__ import annotations

import threading
from typing import Any

from inertia_tools.errors import MissingDependencyError, ParseError

_ONE_AT_A_TIME = threading.Lock()  # the parser's error hook is global to the process


def parse_with_urdf_parser(data: bytes, name: str) -> Any:
    """Parse a URDF with urdf-parser-py; its messages about unknown tags are dropped.

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
        except Exception as error:  # its reflection raises any exception
            reason = " ".join(str(error).split()) or type(error).__name__
            raise ParseError(f"urdf-parser-py refuses it: {reason}", name) from error
        finally:
            core.on_error = hook


def _ignore(_message: str) -> None:
    """Ignore a message."""
