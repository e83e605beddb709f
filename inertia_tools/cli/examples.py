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
            ("robot.urdf --density 2700", "inertials from geometry, all of aluminium's density"),
            ("robot.urdf --material '*=steel' --except battery", "materials by pattern"),
        ),
        "stats": (("robot.sdf --json", "the inertial each link has under its format's rules, for a program"),),
        "fix": (
            ("robot.urdf -o fixed.urdf", "correct what is wrong into a new file"),
            ("robot.urdf --diff", "show the change and write nothing"),
            ("robot.urdf --in-place --total-mass 12.5", "the whole weighs 12.5 kg"),
            ("robot.urdf --target gazebo,mujoco -o fixed.urdf", "a file that both take as it is stated"),
        ),
        "view": (("robot.urdf", "inertias, joints, findings and a drop test in the browser"),),
        "report": (("robot.urdf -o report.html", "one self-contained page for the team"),),
        "diff": (("old.urdf new.sdf", "mass properties of two robots, in any formats"),),
        "simulators": (("robot.urdf --target gazebo", "what Gazebo makes of each link"),),
        "convert": (
            ("robot.urdf -o robot.sdf", "for Gazebo"),
            ("robot.urdf -o robot.xml --fix", "for MuJoCo, corrected on the way"),
        ),
        "diagnose": (("robot.urdf", "why it is unstable, with the largest stable time step"),),
        "explain": (
            ("triangle-inequality", "what the finding means, and how to repair it"),
            ("", "a list of all codes"),
        ),
        "simulate": (
            ("robot.urdf --plot fall.png", "drop the robot and see whether it stands"),
            ("world.sdf --seconds 5", "run a world as it is"),
        ),
        "warm-up": (("", "compile all kernels, so that nobody waits for them later"),),
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
