# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Lock files: exact versions of everything installed, one file for each purpose."""

from __future__ import annotations

import hashlib
import json
import subprocess
import tempfile
from pathlib import Path

from bootstrap.host import ROOT

FOLDER = ROOT / "locks"

# Purposes in the order in which they are resolved; a later one keeps to the versions of its bases.
BASES = {
    "tools": (),
    "runtime": ("tools",),
    "demo": ("runtime",),
    "test": ("runtime", "demo"),
    "peers": ("tools",),
    "collections": (),
}

# Packages of which only files are used, without what they depend on.
ALONE = frozenset({"collections"})


def path_of(name: str) -> Path:
    """Return the lock file of a purpose such as ``runtime``."""
    return FOLDER / f"{name}.txt"


def requirements_in(lock: Path) -> list[str]:
    """Return the pinned requirements of a lock file, without its comments."""
    lines = (line.split("#", 1)[0].strip() for line in lock.read_text().splitlines())
    return [line for line in lines if line]


def fingerprint(*paths: Path) -> str:
    """Return a short digest of the content of files, in the order given."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def rewrite(name: str, python: Path) -> None:
    """Resolve ``locks/NAME.in`` anew and write the result to ``locks/NAME.txt``.

    Args:
        name: Purpose, a key of `BASES`.
        python: Interpreter whose pip resolves; the oldest supported one, so that the result fits all.
    """
    command = [str(python), "-m", "pip", "install", "--dry-run", "--quiet", "--ignore-installed"]
    command += ["--no-deps"] * (name in ALONE)
    for base in BASES[name]:
        command += ["--constraint", str(path_of(base))]
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch, "report.json")
        subprocess.run([*command, "--report", str(report), "-r", str(FOLDER / f"{name}.in")], check=True)
        installs = json.loads(report.read_text())["install"]
    pins = sorted(f"{item['metadata']['name'].lower()}=={item['metadata']['version']}" for item in installs)
    header = f"# Written by `python -m bootstrap lock` from {name}.in; edit that file and run it again.\n"
    path_of(name).write_text(header + "\n".join(pins) + "\n")
