# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The lock files are complete and hashed: pip installs them without looking for what they leave out."""

import json
import re
from collections.abc import Iterator
from importlib import metadata

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from bootstrap import locks
from bootstrap.bill_of_materials import add_hashes


def pins_of(purpose: str) -> dict[str, str]:
    """Return the version of each package that a lock names, by its canonical name."""
    pairs = (line.split("==") for line in locks.requirements_in(locks.path_of(purpose)))
    return {canonicalize_name(name): version for name, version in pairs}


@pytest.mark.parametrize("purpose", locks.BASES)
def test_every_pin_is_of_one_version_and_has_the_hashes_of_its_files(purpose):
    entries = re.split(r"\n(?=\S)", locks.path_of(purpose).read_text().partition("\n")[2].strip())
    assert len(entries) == len(pins_of(purpose)) > 0
    for entry in entries:
        assert re.fullmatch(r"[\w.-]+==\S+( \\\n    --hash=sha256:[0-9a-f]{64})+", entry), entry[:80]


def test_what_pip_adds_to_a_sourced_ros_is_as_locked_for_all():
    assert pins_of("pip-only").items() <= pins_of("runtime").items()


def with_bases(purpose: str) -> Iterator[str]:
    for base in locks.BASES[purpose]:
        yield from with_bases(base)
    yield purpose


def installed(name: str, version: str) -> metadata.Distribution | None:
    """Return a package as it is locked; a sourced ROS 2 brings some in other versions, or not at all."""
    try:
        found = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return None
    return found if found.version == version else None


def unmet_in(found: metadata.Distribution, pins: dict[str, str]) -> Iterator[str]:
    """Yield each requirement that applies to this interpreter and that no pin meets."""
    for wanted in map(Requirement, found.requires or ()):
        if wanted.marker is None or wanted.marker.evaluate({"extra": ""}):
            version = pins.get(canonicalize_name(wanted.name))
            if version is None or not wanted.specifier.contains(version, prereleases=True):
                yield f"{found.name} requires {wanted}; locked: {version}"


@pytest.mark.parametrize("purpose", ["tools", "runtime", "demo", "test"])
def test_a_lock_and_its_bases_hold_what_their_packages_require(purpose):
    pins = {name: version for one in with_bases(purpose) for name, version in pins_of(one).items()}
    here = [found for pin in pins_of(purpose).items() if (found := installed(*pin)) is not None]
    if not here:
        pytest.skip(f"nothing of locks/{purpose}.txt is installed")
    assert [line for found in here for line in unmet_in(found, pins)] == []


def test_a_bill_of_materials_has_the_hashes_of_the_locks(tmp_path):
    version = pins_of("runtime")["numpy"]
    bill = tmp_path / "sbom.json"
    components = [
        {"name": "NumPy", "version": version},
        {"name": "numpy", "version": "0"},
        {"name": "x", "version": "1"},
    ]
    bill.write_text(json.dumps({"components": components}))
    assert add_hashes(bill, locks.BASES) == 1
    pinned, *others = json.loads(bill.read_text())["components"]
    (reference,) = pinned["externalReferences"]
    assert reference["type"] == "distribution" and reference["url"].endswith("/numpy/")
    text = locks.path_of("runtime").read_text()
    assert len(reference["hashes"]) > 5 and all(one["content"] in text for one in reference["hashes"])
    assert others == components[1:]
