# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Real robots of example-robot-data, corrected by us, under PD drives: do they stand still for a minute?"""

from __future__ import annotations

import math
import sysconfig
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import inertia_tools as it
from benchmarks.physics.report import table
from inertia_tools.errors import InertiaToolsError

STIFFNESS = 20.0
"""Stiffness of every drive over the robot's weight times its reach [1/rad]; slides take it over the reach squared."""

RESPONSE = 0.02
"""Damping of every drive over its stiffness [s]."""

DURATION = 60.0
DRIFT = 1e-3
FORCE = 1e-3

INTRODUCTION = f"""## Robots under PD drives

The robots come from example-robot-data and are corrected by `fix`. They run at 1/240 s and 4 substeps in double
precision. Every drive has the stiffness {STIFFNESS:g} m g L and a damping of {1e3 * RESPONSE:g} ms times that, where
m g is the robot's weight and L the largest distance between two of its links at the start; for slides both are divided
by L squared. Drift is the largest distance of any link from its position after the first second, sampled every tenth of
a second until {DURATION:g} s. Force is the mean force of the floor relative to the weight, minus one.
"""


@dataclass(frozen=True)
class Robot:
    """One robot: its file, whether it is bolted down, and how it starts."""

    name: str
    path: str
    bolted: bool = False
    pose: Mapping[str, float] = field(default_factory=dict)


BENT = {"thigh": 0.8, "calf": -1.6}
CROUCH = {f"{leg}_{part}_joint": angle for leg in ("FL", "FR", "RL", "RR") for part, angle in BENT.items()}
READY = (0.0, -math.pi / 4, 0.0, -3 * math.pi / 4, 0.0, math.pi / 2, math.pi / 4)
ROBOTS = (
    Robot("Solo12", "solo_description/robots/solo12.urdf"),
    Robot("Go1", "go1_description/urdf/go1.urdf", pose=CROUCH),
    Robot("Talos", "talos_data/robots/talos_reduced.urdf"),
    Robot("Panda", "panda_description/urdf/panda.urdf", True, {f"panda_joint{i + 1}": q for i, q in enumerate(READY)}),
    Robot("UR5", "ur_description/urdf/ur5_robot.urdf", True, {"shoulder_lift_joint": -1.0, "elbow_joint": 1.2}),
)


def collection() -> Path | None:
    """Return the folder of the robots; None where the package is not installed."""
    here = [Path(sysconfig.get_paths()["purelib"])]
    here += sorted(Path(__file__).parents[2].glob(".venv/lib/python*/site-packages"))
    folders = (site / "cmeel.prefix/share/example-robot-data/robots" for site in here)
    return next((folder for folder in folders if folder.is_dir()), None)


def robots_section(needle: str = "") -> Iterator[str]:
    """Yield the table of the robots whose names have this in them."""
    folder = collection()
    chosen = [robot for robot in ROBOTS if needle.lower() in robot.name.lower()]
    if not chosen:
        return
    yield INTRODUCTION
    if folder is None:
        yield "example-robot-data is not installed."
        return
    rows = [_row(robot, folder / robot.path) for robot in chosen]
    yield from table(["", "links, joints", "mass [kg]", f"drift < {DRIFT:g} m", f"force < {FORCE:g}", "steps/s"], rows)
    yield ""


def _row(robot: Robot, path: Path) -> list[str]:
    try:
        simulation, _ = driven(robot, path)
        began = time.perf_counter()
        drift, force = stand(simulation)
    except InertiaToolsError as error:
        return [robot.name, f"failed: {error}", "", "", "", ""]
    speed = (DURATION - 1.0) / simulation.dt / (time.perf_counter() - began)
    print(f"{robot.name:24} drift {drift:.1e} m  force {force:.1e}  {speed:.0f} steps/s", flush=True)
    parts = f"{len(simulation.names)}, {len(simulation.joint_names)}"
    pressed = "-" if robot.bolted else _cell(abs(force), FORCE)
    return [robot.name, parts, f"{simulation.weight / 9.81:.2f}", _cell(drift, DRIFT), pressed, f"{speed:.0f}"]


def _cell(value: float, target: float) -> str:
    return f"{value:.1e}" if value <= target else f"**{value:.1e}**"


def driven(
    robot: Robot, path: Path, dtype: str = "float64", ground: bool | it.Heightfield | it.Mesh = True
) -> tuple[it.Simulation, dict[str, float]]:
    """Return a simulation in which the drives hold the robot where it starts, and their stiffnesses by joint."""
    corrected = it.fix(it.load(path)).corrected
    simulation = it.Simulation(corrected, dtype=dtype, ground=ground, fixed_base=robot.bolted)
    simulation.set_joint_positions(robot.pose)
    places = simulation.snapshot().positions
    reach = float(np.linalg.norm(places[:, None] - places[None], axis=-1).max())
    slides = {joint.name for joint in corrected.joints.values() if joint.type.value == "prismatic"}
    turns = STIFFNESS * simulation.weight * reach
    gains = {name: turns / reach**2 if name in slides else turns for name in simulation.joint_names}
    simulation.hold()
    simulation.set_joint_gains(gains, {name: RESPONSE * gain for name, gain in gains.items()})
    return simulation, gains


def stand(simulation: it.Simulation) -> tuple[float, float]:
    """Return the drift [m] and the mean force on the floor over the weight, less one."""
    stride = round(0.1 / simulation.dt)
    simulation.step(round(1.0 / simulation.dt))
    first = simulation.snapshot().positions
    drift, forces = 0.0, []
    while simulation.time < DURATION:
        simulation.step(stride)
        drift = max(drift, float(np.linalg.norm(simulation.snapshot().positions - first, axis=1).max()))
        forces.append(_pressed(simulation))
    return drift, float(np.mean(forces)) / simulation.weight - 1.0


def _pressed(simulation: it.Simulation) -> float:
    return sum(
        float(contact.forces[:, 2].sum()) * (1.0 if contact.body_b == "world" else -1.0)
        for contact in simulation.contacts()
        if "world" in (contact.body_a, contact.body_b)
    )
