# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""inertia_server at the other end of a link that loses a fifth of all packets, and subscribers that come late."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import numpy as np
from lossy_link import LossyLink
from models import chain

LOSS = 0.2

PACKETS = {"whole datagrams": 65535, "packets of Ethernet": 1500}
"""What the link takes at a time [B]: with the second a message of 64 kB is 44 packets, all of which must arrive."""

LINKS = {"1 link": 1, "30 links": 30}
"""Of the robot: 0.4 kB and 11 kB."""

TRANSPORTS = {"UDPv4": "UDPv4", "UDPv4, messages of 1400 B": "UDPv4?max_msg_size=1400B"}
"""Values of FASTDDS_BUILTIN_TRANSPORTS; none uses shared memory, which no network loses."""

PATIENCE = 1200.0
"""For a client [s]."""


def run(folder: Path, transport: str, packets: str, links: str, count: int, seed: int) -> tuple[str, bool]:
    """Start both ends; return a row of the table, and whether everything arrived."""
    link = LossyLink(LOSS, PACKETS[packets], seed)
    parameters, output = folder / "parameters.yaml", folder / "client.txt"
    text = chain(LINKS[links], 2.0)
    parameters.write_text(json.dumps({"/**": {"ros__parameters": {"robot_description": text}}}))
    os.environ["FASTDDS_BUILTIN_TRANSPORTS"] = TRANSPORTS[transport]
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "SUBNET"
    node = [sys.executable, "-m", "inertia_tools.ros.inertia_server", "--ros-args", "--params-file", str(parameters)]
    client = [sys.executable, str(Path(__file__).parent / "lossy_client.py"), str(count), str(LINKS[links])]
    try:
        link.start(node, folder / "node.txt")
        link.start(client, output).wait(PATIENCE)
    finally:
        link.close()
    lines = [line for line in output.read_text().splitlines() if line.startswith("{")]
    if not lines:
        raise RuntimeError(f"the client failed: {output.read_text()[-2000:]}")
    seen = json.loads(lines[-1])
    late, waits = np.array(seen["late"]), np.array([wait for wait, _ in seen["answers"]])
    asked = sum(times for _, times in seen["answers"])
    share = link.dropped / (link.dropped + link.passed)
    row = (
        f"| {transport} | {packets} | {links} | {link.passed + link.dropped}, {100 * share:.0f} % | "
        f"{_shown(late)} | {_shown(waits)}, asked {asked} times |"
    )
    return row, bool(np.isfinite(late).all() and np.isfinite(waits).all())


def _shown(waits: np.ndarray) -> str:
    """Say how many of some waits ended, and how long those took."""
    ended = waits[np.isfinite(waits)]
    if not len(ended):
        return f"0 of {len(waits)}"
    p50, p95 = np.percentile(ended, (50, 95))
    return f"{len(ended)} of {len(waits)}: p50 {p50:.2f} s, p95 {p95:.2f} s"


def main(folder: Path, count: int, seed: int) -> int:
    """Run all combinations; return 1 when something has not arrived in time; with default transports large messages do not."""
    print("| transport | link | robot | packets, lost | latched description, joining late | corrections |")
    print("|---|---|---|---|---|---|")
    is_well = True
    for transport in TRANSPORTS:
        for packets in PACKETS:
            for links in LINKS:
                row, one = run(folder, transport, packets, links, count, seed)
                print(row, flush=True)
                is_well &= one
    return 0 if is_well else 1
