# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The hashes of the locks in a bill of materials, which cyclonedx-py makes from what is installed, where none are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from bootstrap import locks

PIN = re.compile(r"^([\w.-]+)==(\S+)((?: \\\n    --hash=sha256:[0-9a-f]{64})+)$", re.MULTILINE)


def canonical(name: str) -> str:
    """Return the name of a package as all of its spellings have it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def hashes_of(names: Iterable[str]) -> dict[tuple[str, str], list[str]]:
    """Return the SHA-256 of the files of each package and version that some locks pin.

    Args:
        names: Purposes, keys of `locks.BASES`.
    """
    text = "\n".join(locks.path_of(name).read_text() for name in names)
    return {(canonical(pin[1]), pin[2]): re.findall("[0-9a-f]{64}", pin[3]) for pin in PIN.finditer(text)}


def add_hashes(bill: Path, names: Iterable[str]) -> int:
    """Add to each pinned component of a CycloneDX document the hashes that its files may have; return how many have."""
    document: dict[str, Any] = json.loads(bill.read_text(encoding="utf-8"))
    hashes, found = hashes_of(names), 0
    for component in document["components"]:
        name = canonical(component["name"])
        of_files = hashes.get((name, component["version"]))
        if of_files:
            distribution = {
                "type": "distribution",
                "comment": "files that the lock allows",
                "url": f"{locks.INDEX}/{name}/",
                "hashes": [{"alg": "SHA-256", "content": one} for one in of_files],
            }
            component.setdefault("externalReferences", []).append(distribution)
            found += 1
    bill.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    return found
