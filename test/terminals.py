# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Running the command line as a person does, in a terminal of some width."""

import fcntl
import os
import pty
import re
import struct
import sys
import termios

ESCAPE = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


def run_in_terminal(*words: str, columns: int = 80, **environment: str) -> tuple[int, str]:
    """Run the command in a pseudo-terminal; return its exit code and all that it wrote there."""
    child, terminal = pty.fork()
    if child == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR")}
        program = [sys.executable, "-m", "inertia_tools", *words]
        os.execve(sys.executable, program, {**kept, "TERM": "xterm", **environment})
    written = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # Linux's way to say that the other end is closed
            break
        if not piece:
            break
        written += piece
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), written.decode().replace("\r\n", "\n")
