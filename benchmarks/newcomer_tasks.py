# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Tasks of new users by what the site's pages say, in a new environment, with their times, to docs/tasks.md.

make bench ARGS=newcomer_tasks
python benchmarks/newcomer_tasks.py [--out docs/tasks.md] [--program .venv/bin/inertia-tools]

Each command is of a page that the task names: an option that none of them shows is an error. Without --program, a new
environment is made and the package is installed from these sources with the extras that the pages ask for.
"""

from __future__ import annotations

import argparse
import datetime
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
BEGIN, END = "<!-- newcomer: begin -->\n", "<!-- newcomer: end -->\n"
BLOCK = re.compile(r"(?:^<!-- (?P<mark>[^\n]+) -->\n)?^```(?P<kind>\w*)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)

CART = """<robot name="cart">
  <link name="base">
    <inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
    <collision><geometry><mesh filename="block.obj"/></geometry></collision>
  </link>
  <link name="arm"><collision><geometry><mesh filename="block.obj"/></geometry></collision></link>
  <joint name="shoulder" type="continuous">
    <parent link="base"/><child link="arm"/><origin xyz="0 0 0.06"/><axis xyz="0 0 1"/>
  </joint>
</robot>
"""
"""A robot as people have it: meshes in millimetres, a placeholder, and a link without an inertial."""

BLOCK_IN_MILLIMETRES = """v 0 0 0
v 120 0 0
v 0 80 0
v 0 0 40
f 1 3 2
f 1 2 4
f 1 4 3
f 2 3 4
"""

PENDULUM = """import inertia_tools as newton

builder = newton.ModelBuilder()
link = builder.add_link()
builder.add_shape_box(link, hx=0.5, hy=0.05, hz=0.05)
end = ((-0.5, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))
joint = builder.add_joint_revolute(parent=-1, child=link, axis=(0.0, 1.0, 0.0), child_xform=end)
builder.add_articulation([joint], label="pendulum")
model = builder.finalize()
solver = newton.solvers.SolverXPBD(model)
before, after = model.state(), model.state()
for _ in range(60):
    before.clear_forces()
    solver.step(before, after, model.control(), model.collide(before), 1 / 240)
    before, after = after, before
assert before.body_q.numpy()[0, 2] < -0.1
"""
"""A script for Newton with its import line changed."""

CALCULATOR = """[project]
name = "my_package"
version = "1"
[project.entry-points."inertia_tools.calculators"]
foam = "my_package.foam:foam"
"""


@dataclass(frozen=True)
class Task:
    """One thing that a new user wants.

    Attributes:
        wanted: In the user's words.
        pages: Those that were read, after the start page.
        commands: What is typed; `PAGE.py` is the Python of a page.
        wrong_turns: How many there were on the first attempt, 25 Nov 2026, before the pages were mended.
    """

    wanted: str
    pages: tuple[str, ...]
    commands: tuple[str, ...]
    wrong_turns: int = 0


TASKS = (
    Task(
        "repair my robot, whose meshes are in millimetres",
        ("tutorials/fix_my_robot.md",),
        (
            "! inertia-tools check cart.urdf",
            'sed -i \'s|block.obj"|block.obj" scale="0.001 0.001 0.001"|\' cart.urdf',
            "inertia-tools fix cart.urdf --scope implausible -o fixed.urdf",
            "inertia-tools check fixed.urdf",
        ),
        2,
    ),
    Task(
        "let CI fail on new faults only",
        ("tutorials/use_in_ci.md",),
        (
            "mkdir urdf && cp quadruped.urdf urdf/robot.urdf",
            "inertia-tools check urdf --baseline known.json --update-baseline",
            "printf 'baseline: known.json\\n' > .inertia-tools.yaml",
            "inertia-tools check urdf",
            "inertia-tools check urdf --junit inertials.xml --sarif inertials.sarif",
            "rm .inertia-tools.yaml",
        ),
        1,
    ),
    Task(
        "make an SDFormat file that Gazebo takes",
        ("tutorials/gazebo.md",),
        (
            "! inertia-tools simulators quadruped.urdf --target gazebo",
            "inertia-tools fix quadruped.urdf --target gazebo -o gazebo.urdf",
            "inertia-tools convert gazebo.urdf -o robot.sdf",
            "inertia-tools check robot.sdf",
        ),
    ),
    Task(
        "simulate it and read the contact forces",
        ("tutorials/simulate.md",),
        (
            "inertia-tools fix quadruped.urdf -o robot.urdf",
            "inertia-tools simulate robot.urdf --seconds 1",
            "python simulate.py",
        ),
        1,
    ),
    Task(
        "find out why my robot explodes",
        ("diagnose.md",),
        ("! inertia-tools diagnose quadruped.urdf --stiffness 1000 --damping 5",),
        1,
    ),
    Task(
        "correct inertials in grams and millimetres",
        ("repairs.md",),
        (
            "inertia-tools fix grams.urdf --convert-units g,mm -o kilograms.urdf",
            "! inertia-tools diff grams.urdf kilograms.urdf",
        ),
        1,
    ),
    Task("show the team", ("report.md",), ("inertia-tools report quadruped.urdf -o report.html",), 1),
    Task(
        "turn MJCF into URDF",
        ("conversion.md",),
        (
            "inertia-tools convert fixed.urdf -o robot.xml",
            "inertia-tools convert robot.xml -o back.urdf",
            "inertia-tools diff fixed.urdf back.urdf",
        ),
        2,
    ),
    Task(
        "turn URDF into USD",
        ("conversion.md", "usd.md"),
        ("inertia-tools convert fixed.urdf -o robot.usda", "inertia-tools check robot.usda"),
        1,
    ),
    Task("hold a box by friction", ("tutorials/grip_something.md",), ("python grip_something.py",)),
    Task("drop a soft block", ("tutorials/soft_body.md",), ("python soft_body.py",)),
    Task(
        "weigh foam parts in my own way",
        ("tutorials/write_a_calculator.md",),
        (
            "pip install --quiet ./package",
            "inertia-tools compute wedge.urdf --method foam --param fill=0.2",
        ),
    ),
    Task("run a script that was written for Newton", ("newton.md",), ("python pendulum.py",), 1),
)


def prepare(folder: Path) -> None:
    """Write what the user has before reading, and the files and programs that the pages show."""
    for name, text in (("cart.urdf", CART), ("block.obj", BLOCK_IN_MILLIMETRES), ("pendulum.py", PENDULUM)):
        (folder / name).write_text(text)
    (folder / "quadruped.urdf").write_bytes((ROOT / "examples/broken_quadruped.urdf").read_bytes())
    (folder / "examples").symlink_to(ROOT / "examples")
    for page in (ROOT / "docs/tutorials").glob("*.md"):
        program = []
        for found in BLOCK.finditer(page.read_text()):
            mark = found["mark"] or ""
            if mark.startswith("file: ."):
                continue  # options of a repository, which would count in all tasks
            if mark.startswith("file: "):
                (folder / mark.removeprefix("file: ")).write_text(found["code"])
            elif found["kind"] == "python" and not mark:
                program.append(found["code"])
        (folder / f"{page.stem}.py").write_text("\n".join(program))
    package = folder / "package/my_package"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "foam.py").write_text((folder / "foam.py").read_text())
    (package.parent / "pyproject.toml").write_text(CALCULATOR)


def unknown_options(task: Task) -> list[str]:
    """Return the options that the commands of the task use and none of its pages shows."""
    text = "".join((ROOT / "docs" / page).read_text() for page in task.pages)
    words = {word for line in task.commands if "inertia-tools " in line for word in line.split() if word[:1] == "-"}
    return sorted(word for word in words if word not in text)


def run(folder: Path, command: str, programs: Path) -> tuple[float, str | None]:
    """Type a command; return its seconds, and what it said if it failed."""
    start = time.perf_counter()
    path = {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=os.environ | path, capture_output=True, text=True)
    seconds = time.perf_counter() - start
    return seconds, None if done.returncode == 0 else f"{command}\n{done.stdout}{done.stderr}"


def install(folder: Path) -> Path:
    """Make a new environment as the pages say, and return where its programs are."""
    for said in (
        [sys.executable, "-m", "venv", "environment"],
        ["environment/bin/pip", "install", "--quiet", str(ROOT)],
        ["environment/bin/pip", "install", "--quiet", f"{ROOT}[sim]"],
        ["environment/bin/pip", "install", "--quiet", f"{ROOT}[usd]"],
        ["environment/bin/inertia-tools", "warm-up"],
    ):
        start = time.perf_counter()
        subprocess.run(said, cwd=folder, check=True, capture_output=True)
        print(f"{said[0].rpartition('/')[2]} {said[-1].replace(str(ROOT), '.')}: {time.perf_counter() - start:.1f} s")
    return folder / "environment/bin"


def main() -> int:
    """Do the tasks and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", default=str(ROOT / "docs/tasks.md"))
    parser.add_argument("--program", help="an installed inertia-tools, instead of a new environment")
    options = parser.parse_args()
    rows = ["| task | pages after the start page | commands | time of all | wrong turns at first |"]
    rows.append("|---|---|---:|---:|---:|")
    failures: list[str] = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        programs = Path(options.program).resolve().parent if options.program else install(folder)
        prepare(folder)
        for task in TASKS:
            failures += [f"{task.wanted}: no page shows {option}" for option in unknown_options(task)]
            results = [run(folder, command, programs) for command in task.commands]
            failures += [f"{task.wanted}: {said}" for _, said in results if said is not None]
            pages = ", ".join(f"[{page.rpartition('/')[2].removesuffix('.md')}]({page})" for page in task.pages)
            seconds = sum(seconds for seconds, _ in results)
            rows.append(f"| {task.wanted} | {pages} | {len(results)} | {seconds:.1f} s | {task.wrong_turns} |")
            print(rows[-1], flush=True)
    print(*failures, sep="\n", file=sys.stderr)
    page = Path(options.out)
    before, _, rest = page.read_text().partition(BEGIN)
    day = f"{datetime.date.today():%d %b %Y}"
    rows.append(f"\nMeasured {day} on two cores that other work shared.")
    page.write_text(before + BEGIN + "\n".join(rows) + "\n" + END + rest.partition(END)[2])
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
