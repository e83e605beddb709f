# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Record a terminal as the SVG docs/images/terminal.svg, which plays by itself: `python -m documentation.recording`."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import shutil
import struct
import sys
import tempfile
import termios
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "docs" / "images" / "terminal.svg"
COLUMNS = 104
COMMANDS = (
    "inertia-tools check robot.urdf",
    "inertia-tools fix robot.urdf -o fixed.urdf | tail -2",
    "inertia-tools simulate fixed.urdf | tail -5",
)
COMMAND_SECONDS, LINE_SECONDS = 1.6, 0.12
"""Pause before a command, and between lines of its output [s]."""

PLAYS = """
@media (prefers-reduced-motion: no-preference) {
  .shown { animation: shown 1ms both }
  @keyframes shown { from { opacity: 0 } to { opacity: 1 } }
}
"""


def output_of(command: str, folder: Path) -> str:
    """Run a command of the shell in a pseudo-terminal and return what it wrote, with its escape sequences."""
    child, terminal = pty.fork()
    if child == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
        os.chdir(folder)
        env = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR")}
        run = f'inertia-tools() {{ "{sys.executable}" -m inertia_tools "$@" 2>/dev/null; }}; {command}'
        os.execvpe("bash", ["bash", "-c", run], {**env, "TERM": "xterm"})
    written = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # Linux's way to say that the other end is closed
            break
        written += piece
    os.close(terminal)
    os.waitpid(child, 0)
    return written.decode().replace("\r\n", "\n").rstrip("\n")


def recording() -> str:
    """Return the SVG of all commands, each line of which appears in its time."""
    console = Console(record=True, width=COLUMNS, file=open(os.devnull, "w"), force_terminal=True)  # noqa: SIM115
    times: list[float] = []
    now = 0.0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(ROOT / "examples" / "broken_quadruped.urdf", folder / "robot.urdf")
        for command in COMMANDS:
            printed = [Text.assemble(("$ ", "bold green"), (command, "bold"))]
            printed += Text.from_ansi(output_of(command, folder)).split("\n", allow_blank=True)
            for line in [*printed, Text("")]:
                wrapped = line.wrap(console, COLUMNS)
                console.print(wrapped)
                times += [now] * max(len(wrapped), 1)
                now += LINE_SECONDS
            now += COMMAND_SECONDS
    return _playing(console.export_svg(title="inertia-tools", theme=MONOKAI, unique_id="recording"), times)


def _playing(svg: str, times: list[float]) -> str:
    """Let the texts of each line appear at its time, where the reader has not asked for less motion."""

    def timed(found: re.Match[str]) -> str:
        line = int(found[1])
        delay = times[line] if line < len(times) else times[-1]
        return f'{found[0]} style="animation-delay: {delay:.2f}s"'

    svg = re.sub(r'clip-path="url\(#recording-line-(\d+)\)"', timed, svg)
    svg = re.sub(r'<text class="(recording-r\d+)"(?=[^>]*animation-delay)', r'<text class="\1 shown"', svg)
    return svg.replace("</style>", f"{PLAYS}</style>", 1)


if __name__ == "__main__":
    TARGET.write_text(recording())
    print(f"{TARGET.relative_to(ROOT)}: {TARGET.stat().st_size / 1e3:.0f} kB")
