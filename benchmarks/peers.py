# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Ten published robots through other people's readers, before and after `fix`, and with faults put into them.

    make bench-peers
    .venv-peers/bin/python -m benchmarks.peers [--out docs/peers.md]

Each tool reads all files in a process of its own, so that one that aborts loses nothing but that file.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import io
import json
import logging
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lxml import etree

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "test"))

from robots import example_robots  # noqa: E402

import inertia_tools as it  # noqa: E402
from inertia_tools.inertia.finding import Severity  # noqa: E402

ROBOTS = (
    "ur_description/urdf/ur5_robot.urdf",
    "panda_description/urdf/panda.urdf",
    "talos_data/robots/talos_full_v2.urdf",
    "hyq_description/robots/hyq_no_sensors.urdf",
    "go1_description/urdf/go1.urdf",
    "baxter_description/urdf/baxter.urdf",
    "simple_humanoid_description/urdf/simple_humanoid.urdf",
    "solo_description/robots/solo12.urdf",
    "bolt_description/robots/bolt.urdf",
    "z1_description/urdf/z1.urdf",
)
READERS = ("mujoco", "drake", "pinocchio", "libsdformat")
CHECKERS = ("inertia_tools", *READERS, "check_urdf", "urdf-validator")
LIMIT = 900.0
"""Time that a tool has for all files [s]."""

MUJOCO_OPTIONS = '<mujoco><compiler fusestatic="false" discardvisual="true"/></mujoco>'
BEGIN, END = "<!-- figures: begin -->\n", "<!-- figures: end -->\n"


@dataclass(frozen=True)
class Answer:
    """What a tool said of a file.

    Attributes:
        accepted: It read the file without an error.
        said: All its messages.
        seconds: Time that took.
    """

    accepted: bool
    said: str
    seconds: float

    def names(self, path: Path) -> set[str]:
        """Return the links of a file that it names, by their names or by a line that they stand in."""
        elements = etree.parse(str(path)).getroot().findall("link")
        found = set()
        for element in elements:
            name = element.get("name")
            if re.search(rf"""['"\[`:/]{re.escape(name)}['"\]`]|named {re.escape(name)} has""", self.said):
                found.add(name)
        first = sorted((element.sourceline, element.get("name")) for element in elements)
        for line in (int(number) for number in re.findall(rf"{re.escape(str(path))}:(\d+):", self.said)):
            found.add(max((start, name) for start, name in first if start <= line)[1])
        return found


# The faults, and files with them


def negative_mass(inertial: etree._Element) -> None:
    mass = inertial.find("mass")
    mass.set("value", str(-float(mass.get("value"))))


def broken_triangle(inertial: etree._Element) -> None:
    tensor = inertial.find("inertia")
    tensor.set("izz", str(3.0 * (float(tensor.get("ixx")) + float(tensor.get("iyy")))))


def indefinite(inertial: etree._Element) -> None:
    tensor = inertial.find("inertia")
    tensor.set("ixy", str(2.0 * (float(tensor.get("ixx")) * float(tensor.get("iyy"))) ** 0.5))


def no_tensor(inertial: etree._Element) -> None:
    tensor = inertial.find("inertia")
    for name in tensor.attrib:
        tensor.set(name, "0")


def millimetres(inertial: etree._Element) -> None:
    tensor = inertial.find("inertia")
    for name, value in tensor.attrib.items():
        tensor.set(name, str(1e6 * float(value)))


def com_elsewhere(inertial: etree._Element) -> None:
    origin = inertial.find("origin")
    if origin is None:
        origin = etree.SubElement(inertial, "origin")
    origin.set("xyz", "3 3 3")


FAULTS: dict[str, Callable[[etree._Element], None]] = {
    "mass below zero": negative_mass,
    "triangle inequality": broken_triangle,
    "negative moment": indefinite,
    "zero tensor": no_tensor,
    "tensor in kg mm2": millimetres,
    "centre 5 m away": com_elsewhere,
}


def with_faults(text: bytes, robot: it.Description, seed: int) -> tuple[bytes, dict[str, str]]:
    """Put each fault into a link of its own that moves and is sound, and return which has which."""
    tree = etree.fromstring(text)
    elements = {link.get("name"): link for link in tree.findall("link")}
    report = it.check(robot)
    sound = [
        name
        for name, link in robot.links.items()
        if robot.is_moved(name) and link.inertial is not None and link.shapes and not report[name].findings
    ]
    chosen = random.Random(seed).sample(sound, min(len(sound), len(FAULTS)))
    faults = dict(zip(chosen, list(FAULTS)[seed % len(FAULTS) :] + list(FAULTS), strict=False))
    for name, fault in faults.items():
        FAULTS[fault](elements[name].find("inertial"))
    return etree.tostring(tree), faults


def without_meshes(text: bytes) -> bytes:
    """Leave out shapes that are meshes, which some readers do not find or know, and add options for MuJoCo."""
    tree = etree.fromstring(text)
    for shape in [one for tag in ("visual", "collision") for one in tree.iter(tag)]:
        if shape.find("geometry/mesh") is not None:
            shape.getparent().remove(shape)
    tree.insert(0, etree.fromstring(MUJOCO_OPTIONS))
    return etree.tostring(tree)


# The tools


def by_mujoco(path: str) -> tuple[bool, str]:
    import mujoco

    try:
        mujoco.MjModel.from_xml_path(path)
    except ValueError as error:
        return False, str(error)
    return True, ""


def by_drake(path: str) -> tuple[bool, str]:
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant

    said = io.StringIO()
    log, handler = logging.getLogger("drake"), logging.StreamHandler(said)
    log.addHandler(handler)
    try:
        plant = MultibodyPlant(0.001)
        Parser(plant).AddModels(path)
        plant.Finalize()
    except RuntimeError as error:
        return False, said.getvalue() + str(error)
    finally:
        log.removeHandler(handler)
    told = [line for line in said.getvalue().splitlines() if "nertia" in line or "mass" in line]
    return not told, "\n".join(told)


def by_pinocchio(path: str) -> tuple[bool, str]:
    import numpy as np
    import pinocchio

    try:
        model = pinocchio.buildModelFromUrdf(path, pinocchio.JointModelFreeFlyer())
        data = model.createData()
        matrix = pinocchio.crba(model, data, pinocchio.neutral(model))
        matrix = np.triu(matrix) + np.triu(matrix, 1).T
    except (ValueError, RuntimeError) as error:
        return False, str(error)
    least = float(np.linalg.eigvalsh(matrix)[0])
    return least > 0.0, "" if least > 0.0 else f"the mass matrix has the eigenvalue {least:g}"


def by_libsdformat(path: str) -> tuple[bool, str]:
    done = subprocess.run([shutil.which("inertials"), path], capture_output=True, text=True, timeout=60)
    line = json.loads(done.stdout.splitlines()[0])
    return not line["errors"], json.dumps(line["errors"]) + done.stderr


def by_check_urdf(path: str) -> tuple[bool, str]:
    done = subprocess.run(["check_urdf", path], capture_output=True, text=True, timeout=60)
    return done.returncode == 0 and not done.stderr, done.stderr


def by_urdf_validator(path: str) -> tuple[bool, str]:
    from urdf_validator_main.cli import main

    said, old = io.StringIO(), sys.argv
    sys.argv = ["urdf_validate", path, "--output-dir", str(Path(path).parent)]
    code: object = 0
    try:
        with contextlib.redirect_stdout(said):
            main()
    except SystemExit as end:
        code = end.code
    finally:
        sys.argv = old
    told = [line for line in said.getvalue().splitlines() if re.search("mass|nertia", line) and "STATICS" not in line]
    return not code, "\n".join(re.sub(r"^  (\S+)\s{2,}", r"  '\1' ", line) for line in told)


def by_inertia_tools(path: str) -> tuple[bool, str]:
    report = it.check(it.load(path))
    told = [one for one in report.findings if one.severity is not Severity.INFO and one.link]
    return report.worst is not Severity.ERROR, "\n".join(
        f"{one.severity.label} '{one.link}' {one.code}" for one in told
    )


TOOLS: dict[str, Callable[[str], tuple[bool, str]]] = {
    "mujoco": by_mujoco,
    "drake": by_drake,
    "pinocchio": by_pinocchio,
    "libsdformat": by_libsdformat,
    "check_urdf": by_check_urdf,
    "urdf-validator": by_urdf_validator,
    "inertia_tools": by_inertia_tools,
}
MODULES = {"drake": "pydrake", "mujoco": "mujoco", "pinocchio": "pinocchio", "urdf-validator": "urdf_validator_main"}
PROGRAMS = {"libsdformat": "inertials", "check_urdf": "check_urdf"}
WHOLE = ("inertia_tools", "urdf-validator", "check_urdf")
"""Tools that are given the files with their meshes."""


def is_here(tool: str) -> bool:
    """Tell whether a tool is installed."""
    if tool in PROGRAMS:
        return shutil.which(PROGRAMS[tool]) is not None
    return tool not in MODULES or importlib.util.find_spec(MODULES[tool]) is not None


def work(tool: str, paths: Sequence[str]) -> int:
    """Read files by one tool, one line of JSON each."""
    TOOLS[tool](paths[0])  # what is loaded once costs no file
    for path in paths:
        start = time.perf_counter()
        accepted, said = TOOLS[tool](path)
        answer = {"file": path, "accepted": accepted, "said": said, "seconds": time.perf_counter() - start}
        print(f"\n{json.dumps(answer)}", flush=True)
    return 0


def answers(tool: str, paths: Sequence[str]) -> dict[str, Answer]:
    """Let one tool read files; a file at which it aborts is not accepted."""
    found: dict[str, Answer] = {}
    while waiting := [path for path in paths if path not in found]:
        command = [sys.executable, "-W", "ignore", "-m", "benchmarks.peers", "--worker", tool, *waiting]
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, cwd=ROOT)
        before = len(found)
        for line in done.stdout.splitlines():
            if line.startswith('{"file"'):
                one = json.loads(line)
                found[one["file"]] = Answer(one["accepted"], one["said"], one["seconds"])
        if done.returncode != 0 or len(found) == before:
            path = next(path for path in paths if path not in found)
            found[path] = Answer(False, f"aborted: {done.stderr[-300:]}", 0.0)
    return found


# The tables


@dataclass(frozen=True)
class Case:
    """A robot: its files by what they are, and the faults that were put in, by the names of links."""

    name: str
    files: dict[str, Path]
    faults: dict[str, str]


def cases(folder: Path, scratch: Path) -> Iterator[Case]:
    """Write the files of each robot: as published, fixed, fixed for the readers, and with faults."""
    for number, path in enumerate(ROBOTS):
        robot = it.load(folder / path)
        fixed = it.fix(robot)
        wide = it.fix(robot, targets=("gazebo", "mujoco", "drake"))
        faulty, faults = with_faults(fixed.data, fixed.corrected, number)
        texts = {"published": robot.document.data, "fixed": fixed.data, "targets": wide.data, "faulty": faulty}
        files = {}
        for kind, text in texts.items():
            # Beside the original, so that relative meshes are found: links to the folders do the same.
            files[kind] = scratch / f"{Path(path).stem}.{kind}.urdf"
            files[kind].write_bytes(text.replace(b"package://example-robot-data/robots", str(folder).encode()))
            bare = files[kind].with_suffix(".bare.urdf")
            bare.write_bytes(without_meshes(text))
            files[f"{kind} bare"] = bare
        yield Case(Path(path).stem, files, faults)


def acceptance(found: Sequence[Case], tools: Sequence[str]) -> Iterator[str]:
    """Lay out who accepts which robots."""
    yield "| robots accepted of ten | " + " | ".join(tools) + " |"
    yield "|---|" + "---:|" * len(tools)
    kinds = {"published": "as published", "fixed": "after `fix`", "targets": "after `fix --target gazebo,mujoco,drake`"}
    told = {tool: answers(tool, [str(c.files[f"{kind} bare"]) for kind in kinds for c in found]) for tool in tools}
    for kind, words in kinds.items():
        counts = [sum(told[tool][str(c.files[f"{kind} bare"])].accepted for c in found) for tool in tools]
        yield f"| {words} | " + " | ".join(map(str, counts)) + " |"
    for tool in tools:
        for kind in ("fixed", "targets"):
            for case in found:
                answer = told[tool][str(case.files[f"{kind} bare"])]
                if not answer.accepted:
                    print(f"{tool} does not accept {case.name} ({kind}): {answer.said[:300]}")


def side_by_side(found: Sequence[Case], tools: Sequence[str]) -> Iterator[str]:
    """Lay out which faults each tool names."""
    total = {fault: sum(fault in case.faults.values() for case in found) for fault in FAULTS}
    yield (
        "| tool | "
        + " | ".join(f"{fault} ({count})" for fault, count in total.items())
        + (" | found | missed | other links named | seconds a file |")
    )
    yield "|---|" + "---:|" * (len(FAULTS) + 4)
    for tool in tools:
        kind = "faulty" if tool in WHOLE else "faulty bare"
        told = answers(tool, [str(case.files[kind]) for case in found])
        right, false, times = dict.fromkeys(FAULTS, 0), 0, []
        for case in found:
            answer = told[str(case.files[kind])]
            named = answer.names(case.files[kind])
            for link, fault in case.faults.items():
                right[fault] += link in named
            besides = named - case.faults.keys()
            if tool == "inertia_tools":  # warnings are about values as published, which `fix` leaves
                besides = {link for link in besides if f"error '{link}'" in answer.said}
            false += len(besides)
            times.append(answer.seconds)
        count = sum(right.values())
        cells = [*right.values(), count, sum(total.values()) - count, false, f"{sorted(times)[len(times) // 2]:.2f}"]
        yield f"| {tool} | " + " | ".join(map(str, cells)) + " |"


def build_libsdformat(scratch: Path) -> None:
    """Build the reader of test/peers, where libsdformat 12 is, and put it onto the path."""
    import os

    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "sdformat12"], capture_output=True, text=True)
    source = ROOT / "test/peers/libsdformat/inertials.cc"
    if flags.returncode == 0:
        command = ["g++", "-std=c++17", "-O0", "-o", str(scratch / "inertials"), str(source), *flags.stdout.split()]
        subprocess.run(command, check=True)
        os.environ["PATH"] = f"{scratch}{os.pathsep}{os.environ['PATH']}"


def main() -> int:
    """Write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", default=str(ROOT / "docs/peers.md"))
    parser.add_argument("--worker", choices=TOOLS)
    parser.add_argument("paths", nargs="*")
    options = parser.parse_args()
    logging.disable(logging.INFO)
    if options.worker:
        return work(options.worker, options.paths)
    folder = example_robots()
    if folder is None or not is_here("drake"):
        print("the peers are not installed: make bench-peers", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as scratch:
        build_libsdformat(Path(scratch))
        found = list(cases(folder, Path(scratch)))
        readers = [tool for tool in READERS if is_here(tool)]
        checkers = [tool for tool in CHECKERS if is_here(tool)]
        tables = [*acceptance(found, readers), "", *side_by_side(found, checkers)]
    table = "\n".join(tables) + "\n"
    print(table)
    page = Path(options.out)
    before, _, rest = page.read_text().partition(BEGIN)
    page.write_text(before + BEGIN + table + END + rest.partition(END)[2])
    return 0


if __name__ == "__main__":
    sys.exit(main())
