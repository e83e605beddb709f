# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Two network namespaces with a link between them that drops packets, for processes that know nothing of it.

Each namespace has a network interface whose packets a relay reads from a file descriptor and hands to the other one,
all but those that it drops. netem of the kernel would do the same where it is there. No rights are needed but that of
making user namespaces.
"""

from __future__ import annotations

import fcntl
import os
import random
import select
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

MAKE_INTERFACE, POINT_TO_POINT, WITHOUT_HEADER = 0x400454CA, 0x0001, 0x1000
"""Request and flags of the kernel's TUN device (linux/if_tun.h)."""

INTERFACE = "link0"
LARGEST = 65535
"""That a packet may have [B]."""


class LossyLink:
    """A link whose two ends are processes' whole network.

    Attributes:
        passed: Packets that went through.
        dropped: Packets that did not.
    """

    def __init__(self, loss: float, largest: int, seed: int) -> None:
        """Make a link.

        Args:
            loss: Share of packets that it drops.
            largest: Bytes of a packet; the system cuts larger datagrams, and one is lost with any of its parts.
            seed: Of what is dropped.
        """
        self.passed, self.dropped = 0, 0
        self._loss, self._largest, self._draw = loss, largest, random.Random(seed)
        self._ends: list[int] = []
        self._processes: list[subprocess.Popen[bytes]] = []

    def start(self, command: Sequence[str], log: Path) -> subprocess.Popen[bytes]:
        """Start a command at the next end of the link; the relay begins with the second."""
        here, there = socket.socketpair()
        address = f"10.77.0.{len(self._ends) + 1}"
        entry = [sys.executable, __file__, str(there.fileno()), address, str(self._largest), *command]
        with log.open("w") as output:
            process = subprocess.Popen(
                ["unshare", "--user", "--map-root-user", "--net", *entry],
                pass_fds=[there.fileno()],
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        there.close()
        _, descriptors, _, _ = socket.recv_fds(here, 1, 1)
        here.close()
        if not descriptors:
            raise PermissionError(f"no network namespace: {log.read_text().strip()}")
        self._ends += descriptors
        self._processes.append(process)
        if len(self._ends) == 2:
            threading.Thread(target=self._relay, daemon=True).start()
        return process

    def _relay(self) -> None:
        first, second = self._ends
        other = {first: second, second: first}
        while True:
            for end in select.select(self._ends, [], [])[0]:
                packet = os.read(end, LARGEST)
                if self._draw.random() < self._loss:
                    self.dropped += 1
                else:
                    self.passed += 1
                    os.write(other[end], packet)

    def close(self) -> None:
        """End both processes."""
        for process in self._processes:
            process.kill()
            process.wait()


def enter(channel: int, address: str, largest: str, command: Sequence[str]) -> None:
    """Make the interface of this namespace, hand its descriptor out, and become a command."""
    device = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(device, MAKE_INTERFACE, struct.pack("16sH22x", INTERFACE.encode(), POINT_TO_POINT | WITHOUT_HEADER))
    for words in (
        f"addr add {address}/24 dev {INTERFACE}",
        f"link set {INTERFACE} up multicast on mtu {largest}",
        "link set lo up",
        f"route add 224.0.0.0/4 dev {INTERFACE}",
    ):
        subprocess.run(["ip", *words.split()], check=True)
    with socket.socket(fileno=channel) as out:
        socket.send_fds(out, [b"1"], [device])
    os.close(device)
    os.execvp(command[0], list(command))


if __name__ == "__main__":
    enter(int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:])
