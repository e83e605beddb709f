# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Lock files: exact versions of everything installed with the hashes of their files, one for each purpose."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

from bootstrap.host import PYTHON_OLDEST, ROOT

FOLDER = ROOT / "locks"

# Purposes in the order in which they are resolved; a later one keeps to the versions of its bases.
BASES = {
    "tools": (),
    "runtime": ("tools",),
    "demo": ("runtime",),
    "test": ("runtime", "demo"),
    "fuzz": ("runtime", "demo", "test"),
    "peers": ("tools",),
    "site": ("tools",),
    "release": ("tools",),
    "collections": (),
    "pip-only": ("runtime",),
}

# Packages that are installed without what they depend on: only their files are used, or the rest is there already.
ALONE = frozenset({"collections", "pip-only"})

OLDEST_PYTHON = ".".join(map(str, PYTHON_OLDEST))
INDEX = "https://pypi.org/simple"


def path_of(name: str) -> Path:
    """Return the lock file of a purpose such as ``runtime``."""
    return FOLDER / f"{name}.txt"


def requirements_in(lock: Path) -> list[str]:
    """Return the pinned requirements of a lock file, without comments and hashes."""
    lines = (line.split("#", 1)[0].strip(" \\") for line in lock.read_text().splitlines())
    return [line for line in lines if line and not line.startswith("--hash")]


def fingerprint(*paths: Path) -> str:
    """Return a short digest of the content of files, in the order given."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def rewrite(name: str, uv: Path) -> None:
    """Resolve ``locks/NAME.in`` and write the result to ``locks/NAME.txt``, with the hashes of all files on PyPI.

    Versions are those that suit the oldest supported Python; the hashes are of the files for all of them.

    Args:
        name: Purpose, a key of `BASES`.
        uv: The program that resolves.
    """
    source, pins = FOLDER / f"{name}.in", path_of(name)
    command = [str(uv), "pip", "compile", "--no-config", "--quiet", "--generate-hashes", "--no-annotate", "--no-header"]
    command += ["--default-index", INDEX, "--python-version", OLDEST_PYTHON, *["--no-deps"] * (name in ALONE)]
    for base in BASES[name]:
        command += ["--constraint", str(path_of(base))]
    done = subprocess.run([*command, str(source)], check=True, capture_output=True, text=True)
    header = f"# Written by `python -m bootstrap lock` from {source.name}; edit that file and run it again.\n"
    pins.write_text(header + done.stdout)
