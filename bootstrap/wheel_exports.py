# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mend the CMake export files of ROS wheels.

The files name the Python and NumPy header folders of the machine that built the wheels, and CMake
refuses an imported target with a folder that does not exist. This environment's own folders take
their place.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

_FOREIGN_NUMPY = re.compile(r"/opt/python/[^/;\"]+/lib/python[\d.]+/site-packages/numpy/_?core/include")
_FOREIGN_PYTHON = re.compile(r"/opt/python/[^/;\"]+/include/python[\d.]+")
_ASK_FOLDERS = "import numpy, sysconfig; print(sysconfig.get_path('include')); print(numpy.get_include())"


def mend(prefix: Path, env: dict[str, str]) -> int:
    """Point the export files below ``prefix/share`` at the headers of this environment.

    Args:
        prefix: Root of the virtual environment.
        env: Environment variables to run its interpreter with.

    Returns:
        Number of files changed.
    """
    answer = subprocess.run(
        [str(prefix / "bin" / "python"), "-c", _ASK_FOLDERS], env=env, check=True, capture_output=True, text=True
    )
    python_headers, numpy_headers = answer.stdout.split("\n")[:2]
    changed = 0
    for path in (prefix / "share").rglob("*.cmake"):
        text = path.read_text()
        mended = _FOREIGN_PYTHON.sub(python_headers, _FOREIGN_NUMPY.sub(numpy_headers, text))
        if mended != text:
            path.write_text(mended)
            changed += 1
    return changed
