# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Speed of the simulator beside MuJoCo, in one run: a box, a stack of ten boxes, a quadruped standing.

    python benchmarks/simulation_speed.py [--seconds S] [--rounds N] [--dtype float64] [--substeps 4]

Both engines simulate the same scenes on one thread of the CPU, each at its own usual step, in turns, so that other
work on the machine meets both; the best round counts. A step of ours is 1/240 s in 4 substeps by default,
one of MuJoCo 2 ms; steps/s tell how long a call takes, and seconds per second of computing compare the two.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import inertia_tools as it

QUADRUPED = Path(__file__).parents[1] / "examples" / "broken_quadruped.urdf"
OUR_STEP = 1.0 / 240.0
MUJOCO_STEP = 0.002
SETTLING_TIME = 1.0
HALF_EDGE = 0.05
HOLD_STIFFNESS, HOLD_DAMPING = 400.0, 8.0
"""Gains of MuJoCo's position actuators [N m/rad, N m s/rad]; our joints are held rigidly."""


@dataclass(frozen=True)
class Engine:
    """One engine with one scene: make steps, and say how far from right the ground's force is."""

    name: str
    step_length: float
    advance: Callable[[int], None]
    force_error: Callable[[], float]


def our_boxes(count: int, dtype: str, substeps: int) -> Engine:
    builder = it.ModelBuilder()
    for index in range(count):
        body = builder.add_link(xform=it.Pose(np.array([0.0, 0.0, HALF_EDGE * (2 * index + 1)])))
        builder.add_shape_box(body, hx=HALF_EDGE, hy=HALF_EDGE, hz=HALF_EDGE)
    builder.add_ground_plane()
    model = builder.finalize(dtype=dtype)
    state, control, contacts = model.state(), model.control(), model.contacts()
    solver = it.SolverXPBD(model, iterations=3, substeps=substeps)
    weight = sum(builder.body_mass) * 9.81
    on_ground = (model.slot_bodies == -1).any(axis=1)

    def advance(steps: int) -> None:
        for _ in range(steps):
            solver.step(state, state, control, contacts, OUR_STEP)

    def force_error() -> float:
        forces = contacts.data.force.numpy()[: model.slot_count][on_ground, 2]
        return float(np.abs(forces).sum()) / weight - 1.0

    return Engine("inertia_tools", OUR_STEP, advance, force_error)


def our_quadruped(text: str, dtype: str, substeps: int) -> Engine:
    simulation = it.Simulation(it.load_text(text), dt=OUR_STEP, substeps=substeps, dtype=dtype)
    simulation.hold()

    def force_error() -> float:
        upward = sum(c.forces[:, 2].sum() for c in simulation.contacts() if c.body_b == "world")
        return float(upward) / simulation.weight - 1.0

    return Engine("inertia_tools", OUR_STEP, simulation.step, force_error)


def mujoco_engine(spec: Any, key_height: float = 0.0) -> Engine:
    import mujoco

    spec.option.timestep = MUJOCO_STEP
    model = spec.compile()
    data = mujoco.MjData(model)
    if key_height:
        data.qpos[2] = key_height
    ground = {i for i in range(model.ngeom) if model.geom_type[i] == mujoco.mjtGeom.mjGEOM_PLANE}
    weight = float(model.body_mass.sum()) * 9.81

    def advance(steps: int) -> None:
        mujoco.mj_step(model, data, nstep=steps)

    def force_error() -> float:
        wrench, upward = np.zeros(6), 0.0
        for index in range(data.ncon):
            contact = data.contact[index]
            if ground & {int(contact.geom1), int(contact.geom2)}:
                mujoco.mj_contactForce(model, data, index, wrench)
                upward += wrench[0]
        return upward / weight - 1.0

    return Engine("MuJoCo", MUJOCO_STEP, advance, force_error)


def mujoco_boxes(count: int) -> Engine:
    import mujoco

    spec = mujoco.MjSpec()
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 1])
    for index in range(count):
        body = spec.worldbody.add_body(pos=[0.0, 0.0, HALF_EDGE * (2 * index + 1)])
        body.add_freejoint()
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[HALF_EDGE] * 3, density=1000.0)
    return mujoco_engine(spec)


def mujoco_quadruped(text: str) -> Engine:
    """Build the same robot: free root, links of one robot pass through each other, joints held by actuators."""
    import mujoco

    options = '<mujoco><compiler fusestatic="false" discardvisual="true"/></mujoco>'
    spec = mujoco.MjSpec.from_string(text.replace("</robot>", f"{options}</robot>"))
    for geom in spec.geoms:
        geom.contype, geom.conaffinity = 2, 1
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[5, 5, 1], contype=1, conaffinity=2)
    spec.worldbody.first_body().add_freejoint()
    for joint in spec.joints:
        if joint.type != mujoco.mjtJoint.mjJNT_FREE:
            actuator = spec.add_actuator(target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
            actuator.set_to_position(kp=HOLD_STIFFNESS, kv=HOLD_DAMPING)
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST  # Euler chatters at these gains
    standing = it.Simulation(it.load_text(text)).snapshot().positions[0][2]
    return mujoco_engine(spec, float(standing))


def best_speed(engine: Engine, seconds: float) -> float:
    """Return steps for each second of computing, over about so many seconds."""
    batch = 64
    while True:
        began = time.perf_counter()
        engine.advance(batch)
        spent = time.perf_counter() - began
        if spent >= seconds:
            return batch / spent
        batch = max(2 * batch, int(batch * seconds / max(spent, 1e-6)))


def scenes(dtype: str, substeps: int) -> list[tuple[str, list[Engine]]]:
    quadruped = it.fix(it.load(QUADRUPED)).text
    listed = [
        ("one box", [our_boxes(1, dtype, substeps)]),
        ("ten-box stack", [our_boxes(10, dtype, substeps)]),
        ("quadruped standing", [our_quadruped(quadruped, dtype, substeps)]),
    ]
    try:
        import mujoco as mujoco
    except ImportError:
        print("MuJoCo is not installed, so there is nothing to compare with: pip install mujoco")
        return listed
    others = [mujoco_boxes(1), mujoco_boxes(10), mujoco_quadruped(quadruped)]
    return [(name, [*engines, other]) for (name, engines), other in zip(listed, others, strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=0.5, help="computing time of a round (default %(default)g)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each engine (default %(default)d)")
    parser.add_argument("--dtype", default="float64", choices=["float32", "float64"], help="our precision")
    parser.add_argument("--substeps", type=int, default=4, help="substeps of a step of ours (default %(default)d)")
    options = parser.parse_args()
    head = f"{'scene':20} {'engine':15} {'steps/s':>12} {'simulated s/s':>14} {'ground force / weight - 1':>26}"
    print(head)
    for name, engines in scenes(options.dtype, options.substeps):
        for engine in engines:
            engine.advance(round(SETTLING_TIME / engine.step_length))  # compiles, and comes to rest
        best = dict.fromkeys(range(len(engines)), 0.0)
        for _, (index, engine) in itertools.product(range(options.rounds), enumerate(engines)):
            best[index] = max(best[index], best_speed(engine, options.seconds))
        for index, engine in enumerate(engines):
            speed = best[index]
            real_time = speed * engine.step_length
            print(f"{name:20} {engine.name:15} {speed:12,.0f} {real_time:14,.1f} {engine.force_error():26.1e}")


if __name__ == "__main__":
    main()
