# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Examples that `--help` shows for each command, and the generated page of commands."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

EXAMPLES: Mapping[str, tuple[tuple[str, str], ...]] = MappingProxyType(
    {
        "check": (
            ("robot.urdf", "every finding, with file and line"),
            ("urdf/ --summary --fail-on warning", "a folder, as one table; warnings fail too"),
            ("robot.urdf --baseline known.json", "new findings only"),
        ),
        "compute": (
            ("robot.urdf --density 2700", "inertials from geometry at the density of aluminium"),
            ("robot.urdf --material '*=steel' --except battery", "materials by pattern"),
        ),
        "stats": (("robot.sdf --json", "inertial of each link under the rules of its format, as JSON"),),
        "fix": (
            ("robot.urdf -o fixed.urdf", "write a corrected file"),
            ("robot.urdf --diff", "show the changes, write no file"),
            ("robot.urdf --in-place --total-mass 12.5", "correct it, with a total mass of 12.5 kg"),
            ("robot.urdf --target gazebo,mujoco -o fixed.urdf", "a file that both simulators take as stated"),
        ),
        "view": (("robot.urdf", "inertias, joints, findings and a drop test in the browser"),),
        "report": (("robot.urdf -o report.html", "one self-contained HTML page"),),
        "diff": (("old.urdf new.sdf", "mass properties of two robots, in any formats"),),
        "simulators": (("robot.urdf --target gazebo", "how Gazebo treats each link"),),
        "convert": (
            ("robot.urdf -o robot.sdf", "for Gazebo"),
            ("robot.urdf -o robot.xml --fix", "for MuJoCo, with corrected inertials"),
        ),
        "diagnose": (("robot.urdf", "reasons for instability, and the largest stable time step"),),
        "explain": (
            ("triangle-inequality", "meaning of the finding, and its repair"),
            ("", "list of all codes"),
        ),
        "simulate": (
            ("robot.urdf --plot fall.png", "drop test with a plot"),
            ("world.sdf --seconds 5", "run a world for five seconds"),
        ),
        "warm-up": (("", "compile all kernels before the first simulation"),),
        "serve": (("", "both nodes, without ros2 launch"),),
        "completion": (("bash", "use it as: source <(inertia-tools completion bash)"),),
    }
)
"""For each command the arguments after its name, and their effect."""


def epilog_of(command: str, epilog: str | None) -> str:
    """Return the end of a help text: examples, then the command's own text."""
    lines = [(f"inertia-tools {command} {words}".rstrip(), comment) for words, comment in EXAMPLES[command]]
    width = max(len(line) for line, _ in lines)
    shown = "\n".join(f"  {line:{width}}  # {comment}" for line, comment in lines)
    return f"examples:\n{shown}" + (f"\n\n{epilog}" if epilog else "")
