# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Scenes that are hard for the solver: limp arms at long steps, a disk that rolls on its rim, stacks under sweeps.

    python benchmarks/hard_scenes.py

prints what docs/solver.md says of them.
"""

from __future__ import annotations

import argparse
import sysconfig
from pathlib import Path

import numpy as np

import inertia_tools as it
from inertia_tools.spatial import Pose, rotation_from_rpy

G = 9.81
UR5 = "ur_description/urdf/ur5_robot.urdf"
DISK_MASS, DISK_RADIUS, DISK_HALF = 1.0, 0.1, 1e-3


def limp_arm(steps_per_second: int, substeps: int, seconds: float = 10.0) -> tuple[float, float]:
    """Return the most that the energy of a limp UR5 rises above its least so far, and above its start [J]."""
    folder = Path(sysconfig.get_path("purelib")) / "cmeel.prefix/share/example-robot-data/robots"
    robot = it.fix(it.load(folder / UR5)).corrected
    simulation = it.Simulation(robot, dt=1.0 / steps_per_second, substeps=substeps, dtype="float64", fixed_base=True)
    simulation.set_joint_positions({"shoulder_lift_joint": -1.0, "elbow_joint": 1.2})
    energies = []
    for _ in range(round(seconds * steps_per_second)):
        now = simulation.snapshot()
        energies.append(now.kinetic_energy + now.potential_energy)
        simulation.step()
    read = np.array(energies)
    return float(np.max(read - np.minimum.accumulate(read))), float(np.max(read) - read[0])


def energy(model: it.Model, state: it.State) -> float:
    """Return the kinetic and potential energy of all bodies [J]."""
    motion = model.motion(state)
    gravity = np.asarray(model.gravity_vector)
    bodies = range(model.body_count)
    return sum(motion.kinetic_energy(body) + motion.potential_energy(body, gravity) for body in bodies)


def rolling_disk(substeps: int, tilt: float, seconds: float = 1.0) -> tuple[float, float]:
    """Return which part of its energy a disk that rolls on its rim loses in a second, and the most that it gains.

    A thin disk rolls steadily, its centre at rest, at the rate sqrt(4 g / (R sin(tilt))) about the vertical (Moffatt
    2000, "Euler's disk and its finite-time singularity"): friction of ideal rolling does no work.
    """
    builder = it.ModelBuilder()
    builder.add_ground_plane(cfg=it.ShapeConfig(mu=1.0))
    turn = rotation_from_rpy((tilt, 0.0, 0.0))
    height = DISK_RADIUS * np.sin(tilt) + DISK_HALF * np.cos(tilt)
    body = builder.add_body(xform=Pose(np.array([0.0, 0.0, height]), turn))
    density = DISK_MASS / (2.0 * DISK_HALF * np.pi * DISK_RADIUS**2)
    shape = it.ShapeConfig(mu=1.0, density=density)
    builder.add_shape_cylinder(body, radius=DISK_RADIUS, half_height=DISK_HALF, cfg=shape)
    model = builder.finalize(dtype="float64")
    state, control, contacts = model.state(), model.control(), model.contacts()
    rate = np.sqrt(4.0 * G / (DISK_RADIUS * np.sin(tilt))) * np.sin(tilt)
    spin = rate * (turn @ [0.0, 1.0, 0.0])
    state.body_qd.assign(np.array([[0.0, 0.0, 0.0, *spin]]))
    solver = it.SolverXPBD(model, substeps=substeps)
    energies = [energy(model, state)]
    for _ in range(round(240 * seconds)):
        solver.step(state, state, control, contacts, 1.0 / 240.0)
        energies.append(energy(model, state))
    read = np.array(energies) / energies[0]
    return float((1.0 - read[-1]) / seconds), float(np.max(read) - 1.0)


def swept_stack(iterations: int, relaxation: float, boxes: int = 5, seconds: float = 5.0) -> tuple[float, float]:
    """Return how far the floor is short of holding a stack of boxes under sweeps, and how far the top one sinks [m]."""
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    for i in range(boxes):
        body = builder.add_body(xform=Pose(np.array([0.0, 0.0, 0.1 + 0.2 * i])))
        builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1)
    model = builder.finalize(dtype="float64")
    state, control, contacts = model.state(), model.control(), model.contacts()
    solver = it.SolverXPBD(
        model, joint_solver="sweeps", iterations=iterations, rigid_contact_relaxation=relaxation, substeps=4
    )
    for _ in range(round(240 * seconds)):
        solver.step(state, state, control, contacts, 1.0 / 240.0)
    heights = state.body_q.numpy()[:, 2]
    return float(0.1 - heights[0]), float(0.1 + 0.2 * (boxes - 1) - heights[-1])


def main() -> None:
    """Print all tables."""
    argparse.ArgumentParser(description=__doc__.split("\n")[0]).parse_args()
    print("limp UR5: steps/s, substeps, highest rise of its energy over the least so far and over the start [J]")
    for rate in (240, 60, 30, 10):
        for substeps in (10, 20, 40):
            print(rate, substeps, *(f"{rise:.2g}" for rise in limp_arm(rate, substeps)), flush=True)
    print("disk on its rim: tilt [rad], substeps, part of its energy that it loses in a second, most that it gains")
    for tilt in (0.35, 0.1):
        for substeps in (10, 40, 160):
            print(tilt, substeps, *(f"{part:.2g}" for part in rolling_disk(substeps, tilt)), flush=True)
    print("stack of 5 boxes under sweeps: iterations, relaxation, how far the lowest and the top one sink in 5 s [m]")
    for iterations in (2, 8, 32):
        for relaxation in (0.2, 0.8, 1.0):
            print(iterations, relaxation, *(f"{way:.2g}" for way in swept_stack(iterations, relaxation)), flush=True)


if __name__ == "__main__":
    main()
