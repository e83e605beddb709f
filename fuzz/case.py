# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""One case: files, and what to do with them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from random import Random

from fuzz import seeds
from fuzz.actions import ACTIONS
from fuzz.mesh_damage import damaged_mesh, robot_with
from fuzz.stage_damage import damaged_stage
from fuzz.xml_damage import damaged_xml

KINDS = {"xml": 0.6, "mesh": 0.28, "usd": 0.12}
"""How often each kind of case is drawn."""

MOST_BYTES_OF_DONOR = 20_000


@dataclass(frozen=True)
class Case:
    """Files to write, and what to do with the first.

    Attributes:
        kind: Which sort of damage.
        source: The sound file that it comes from.
        files: Content by name; the first is the robot.
        action: A key of `ACTIONS`.
        choice: Seeds the action's own choices.
    """

    kind: str
    source: str
    files: dict[str, bytes]
    action: str
    choice: str

    def run(self, folder: Path) -> None:
        """Write the files and do what is to be done; raises whatever that raises."""
        for name, data in self.files.items():
            (folder / name).write_bytes(data)
        ACTIONS[self.action](folder / next(iter(self.files)), Random(self.choice))


def draw(seed: int, number: int, kinds: dict[str, float] | None = None) -> Case:
    """Draw a case; the same seed and number give the same one wherever the same files are installed."""
    random = Random(f"{seed}/{number}")
    weights = kinds or KINDS
    kind = random.choices(list(weights), list(weights.values()))[0]
    source, files = {"xml": _xml, "mesh": _mesh, "usd": _usd}[kind](random)
    return Case(kind, source, files, random.choice(list(ACTIONS)), f"{seed}/{number}/action")


def _xml(random: Random) -> tuple[str, dict[str, bytes]]:
    seed, donor = random.choice(seeds.robots()), random.choice(seeds.robots())
    parts = donor.data if len(donor.data) < MOST_BYTES_OF_DONOR else seed.data
    return seed.name, {f"robot{seed.suffix}": damaged_xml(seed.data, parts, random)}


def _mesh(random: Random) -> tuple[str, dict[str, bytes]]:
    seed = random.choice(seeds.meshes())
    name = f"mesh{seed.suffix}"
    suffix, text = robot_with(name, random)
    return seed.name, {f"robot{suffix}": text, name: damaged_mesh(seed.data, seed.suffix, random)}


def _usd(random: Random) -> tuple[str, dict[str, bytes]]:
    seed = random.choice(seeds.stages())
    return seed.name, {f"robot{seed.suffix}": damaged_stage(seed.data, random)}
