# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Faults that a robot meets: `make soak-faults [ARGS="kills --count 200"]`.

kills: inertia_server and its workers are killed at random moments during corrections.
disk: the disk is full while nodes write.
loss: a fifth of all packets is lost between a node and its clients, and subscribers come late.
steps: small scenes make a million steps.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import full_disk
import kills
import long_runs
import packet_loss
from ros_graph import be_alone, open_graph

PARTS = ("kills", "disk", "loss", "steps")


def run(part: str, folder: Path, options: argparse.Namespace) -> int:
    """Run one part, and return 1 when it has found a fault."""
    if part == "steps":
        return long_runs.main(options.steps)
    if part == "loss":
        return packet_loss.main(folder, options.count, options.seed)
    with open_graph() as graph:
        return (kills if part == "kills" else full_disk).main(graph, folder, options.count, options.seed)


def main() -> int:
    """Run the parts that are asked for, and return 1 when one has found a fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=PARTS, default=list(PARTS))
    parser.add_argument(
        "--count", type=int, default=200, help="corrections of `kills` and `disk`, and of each row of `loss`"
    )
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    be_alone()
    codes = []
    for part in options.parts:
        print(f"{part}:", flush=True)
        with tempfile.TemporaryDirectory() as name:
            codes.append(run(part, Path(name), options))
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
