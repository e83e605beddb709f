# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Check of output paths in requests, which must be below one folder."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from inertia_tools.description.xacro import SUFFIX, is_xacro
from inertia_tools.errors import OptionError, WriteError


def require_inside(path: str, output_root: str) -> Path:
    """Return a path to which a request may write.

    Args:
        path: The path in the request.
        output_root: The folder that the node may write to; empty for none.

    Raises:
        OptionError: The path is relative, so it would depend on the node's working folder.
        WriteError: The path leaves the folder by `..` or a link, is a device or pipe, or has the suffix of a program;
            or `output_root` is empty.
    """
    if not os.path.isabs(path):
        raise OptionError("output_path", path, "an absolute path")
    if not output_root:
        raise WriteError(f"{path} is not written: the node's parameter output_root is empty; set it to a folder")
    real, root = Path(os.path.realpath(path)), Path(os.path.realpath(output_root))
    if not real.is_relative_to(root) or real == root:
        raise WriteError(f"{path} is not written: it lies outside output_root, which is {output_root}")
    if any(is_xacro(name) for name in (Path(path), real)):
        raise WriteError(f"{path} is not written: a {SUFFIX} file can run code; choose another suffix")
    if real.exists() and not real.is_file():
        raise WriteError(f"{path} is not written: it is not a regular file")
    return Path(path)


def require_all_inside(paths: Iterable[str], output_root: str) -> None:
    """Check that further files changed by a correction may be written too.

    Raises:
        WriteError: A file is outside of the folder.
    """
    for path in paths:
        require_inside(os.path.abspath(path), output_root)
