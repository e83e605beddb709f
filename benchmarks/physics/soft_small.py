# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Small soft bodies beside Newton's XPBD and MuJoCo's flex, in turns, one thread of the CPU.

    python -m benchmarks.physics.soft_small [--frames N]
    python -m benchmarks.physics.soft_small --drape [--frames N]

Cloth of 20 x 20 cells, and a beam of 10 x 4 x 4, hang from one side and swing; a frame is 1/60 s. Errors are the
largest root mean square distance from a path with short steps, over the length. The path is Runge and Kutta's for cloth
of springs; for others each engine's own, as their elements differ (Newton's is compared with ours: it has the same
ones). MuJoCo is run without contacts. Ours is run with and without contacts of cloth with itself.

With --drape, our solver alone drapes stiff cloth of 32 x 32 cells over a ball and over a box, and lets it hang.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import warp as wp

from benchmarks.physics.soft import FRAME, SPRING_KD, SPRING_KE, SPRING_MASS, ours, swung, theirs

CELLS, CELL, LENGTH = 20, 0.1, 2.0
"""Number and size of the cells of cloth, and its width [m]."""

BEAM = 0.5
"""Length of the beam [m]."""

YOUNG, THICKNESS, POISSON = 1e5, 0.01, 0.25
BEAM_SHEAR, BEAM_YOUNG = 1e5, 2.5e5

SHORT_OURS, SHORT_MUJOCO = 64, 256
"""Steps a frame of the paths that errors are measured from."""

SHEET_MJCF = f"""
<mujoco><option gravity="0 0 -9.81" integrator="%s" solver="CG"><flag contact="disable"/></option><worldbody>
<flexcomp name="sheet" type="grid" dim="2" count="{CELLS + 1} {CELLS + 1} 1" spacing="{CELL} {CELL} .1"
  mass="{SPRING_MASS * (CELLS + 1) ** 2}" radius="0.005">
<elasticity young="{YOUNG}" poisson="{POISSON}" thickness="{THICKNESS}" damping="0" elastic2d="stretch"/>
<contact selfcollide="none"/><pin gridrange="0 0 0 {CELLS}"/></flexcomp></worldbody></mujoco>"""

BEAM_MJCF = f"""
<mujoco><option gravity="0 0 -9.81" integrator="%s" solver="CG"><flag contact="disable"/></option><worldbody>
<flexcomp name="beam" type="grid" dim="3" count="11 5 5" spacing=".05 .05 .05" mass="20" radius="0.0001">
<elasticity young="{BEAM_YOUNG}" poisson="{POISSON}" damping="0"/>
<contact selfcollide="none"/><pin gridrange="0 0 0 0 4 4"/></flexcomp></worldbody></mujoco>"""


def springs(builder: Any) -> None:
    """Add cloth of springs alone, which hangs from one side."""
    _cloth(builder, dict.fromkeys(("tri_ke", "tri_ka"), 0.0), 0.02)


def sheet(builder: Any) -> None:
    """Add a sheet with the plane stress of `SHEET_MJCF`."""
    plane = YOUNG * THICKNESS / (1.0 - POISSON**2)
    _cloth(builder, {"tri_ke": 0.5 * (1.0 - POISSON) * plane, "tri_ka": POISSON * plane}, 0.005, has_springs=False)


def _cloth(builder: Any, material: dict[str, float], radius: float, has_springs: bool = True) -> None:
    size = {"dim_x": CELLS, "dim_y": CELLS, "cell_x": CELL, "cell_y": CELL, "mass": SPRING_MASS, "fix_left": True}
    none = dict.fromkeys(("tri_kd", "edge_ke", "edge_kd"), 0.0)
    lines = {"add_springs": has_springs, "spring_ke": SPRING_KE, "spring_kd": SPRING_KD, "particle_radius": radius}
    builder.add_cloth_grid(pos=wp.vec3(), rot=wp.quat_identity(), vel=wp.vec3(), **size, **none, **material, **lines)


def beam(builder: Any) -> None:
    """Add a beam of tetrahedra that is held at one end."""
    cells = {"dim_x": 10, "dim_y": 4, "dim_z": 4} | dict.fromkeys(("cell_x", "cell_y", "cell_z"), BEAM / 10)
    material = {"density": 1000.0, "k_mu": BEAM_SHEAR, "k_lambda": BEAM_SHEAR, "k_damp": 0.0, "particle_radius": 1e-4}
    pose = {"pos": wp.vec3(), "rot": wp.quat_identity(), "vel": wp.vec3()}
    builder.add_soft_grid(**pose, **cells, **material, fix_left=True)


def flex(mjcf: str, steps: int) -> Iterator[tuple[Any, np.ndarray]]:
    """Step MuJoCo a frame of so many steps at a time."""
    import mujoco

    model = mujoco.MjModel.from_xml_string(mjcf)
    model.opt.timestep = FRAME / steps
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    while True:
        yield model, data.flexvert_xpos.copy()
        for _ in range(steps):
            mujoco.mj_step(model, data)


def path_of(racer: Iterator[tuple[Any, np.ndarray]], frames: int) -> list[np.ndarray]:
    """Return where the particles are after each frame."""
    next(racer)
    return [next(racer)[1] for _ in range(frames)]


def race(scene: str, frames: int, length: float, racers: dict[str, tuple[Iterator[Any], list[np.ndarray]]]) -> None:
    """Print the cost and the error of each racer, given with its right path."""
    times: dict[str, list[float]] = {name: [] for name in racers}
    off = dict.fromkeys(racers, 0.0)
    for racer, _ in racers.values():
        next(racer)
    for frame in range(frames):
        for name, (racer, right) in racers.items():
            start = time.process_time()
            x = next(racer)[1]
            times[name].append(time.process_time() - start)
            far = float(np.sqrt(((x - right[frame]) ** 2).sum(axis=1).mean())) / length
            off[name] = max(off[name], far if np.isfinite(far) else np.inf)
    for name, spent in times.items():
        print(
            f"| {scene} | {name} | {1e3 * statistics.median(spent[frames // 2 :]):.2f} | {off[name]:.1e} |", flush=True
        )


def our_racers(build: Callable[[Any], None], right: list[np.ndarray], substeps: tuple[int, ...]) -> dict[str, Any]:
    """Return our solver with and without contacts of cloth with itself."""
    return {
        f"inertia_tools, {n} substeps{'' if touches else ', no self-contact'}": (ours(build, n, touches), right)
        for touches in (True, False)
        for n in substeps
    }


def flex_racers(mjcf: str, right: list[np.ndarray], steps: tuple[int, ...]) -> dict[str, Any]:
    """Return MuJoCo with two integrators."""
    return {
        f"MuJoCo, {integrator}, {n} steps": (flex(mjcf % integrator, n), right)
        for integrator in ("Euler", "discrete")
        for n in steps
    }


def drape(scene: str) -> Callable[[Any], None]:
    """Return what adds cloth that falls on a ball or a box, or hangs from one side above the floor."""

    def build(builder: Any) -> None:
        width, cells = 1.2, 32
        cell = width / cells
        builder.add_ground_plane()
        if scene == "ball":
            builder.add_shape_sphere(-1, xform=wp.transform((0, 0, 0.3), wp.quat_identity()), radius=0.3)
        elif scene == "box":
            builder.add_shape_box(-1, xform=wp.transform((0, 0, 0.3), wp.quat_identity()), hx=0.25, hy=0.25, hz=0.3)
        size = {"dim_x": cells, "dim_y": cells, "cell_x": cell, "cell_y": cell, "mass": 0.3 * cell**2}
        material = {"tri_ke": 1e3, "tri_ka": 1e3, "tri_kd": 1e-3, "edge_ke": 1e-3, "edge_kd": 1e-5}
        pose = {"pos": (-width / 2, -width / 2, 0.65), "rot": wp.quat_identity(), "vel": wp.vec3()}
        builder.add_cloth_grid(**pose, **size, **material, particle_radius=0.3 * cell, fix_left=scene == "hanging")

    return build


def print_drapes(frames: int) -> None:
    """Print what each third of the frames costs, and the mean height at its end."""
    print("| scene | frames | CPU ms a substep | mean height [m] |\n|---|---|---|---|")
    for scene in ("ball", "box", "hanging"):
        racer = ours(drape(scene), 4)
        next(racer)
        for third in range(3):
            start = time.process_time()
            x = [next(racer)[1] for _ in range(frames // 3)][-1]
            cost = 1e3 * (time.process_time() - start) / (frames // 3 * 4)
            print(f"| {scene} | to {(third + 1) * (frames // 3)} | {cost:.1f} | {x[:, 2].mean():.4f} |", flush=True)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--frames", type=int, default=40)
    parser.add_argument("--drape", action="store_true", help="drape cloth over bodies")
    asked = parser.parse_args()
    frames = asked.frames
    if asked.drape:
        print_drapes(frames)
        return
    print("| scene | engine | CPU ms a frame (median) | error |\n|---|---|---|---|")
    right = list(swung(frames, springs))
    newton = {f"Newton, {n} substeps": (theirs(springs, n), right) for n in (10, 20, 40)}
    race("cloth of springs", frames, LENGTH, our_racers(springs, right, (1, 2, 3, 4)) | newton)
    right = path_of(ours(sheet, SHORT_OURS), frames)
    other = flex_racers(SHEET_MJCF, path_of(flex(SHEET_MJCF % "Euler", SHORT_MUJOCO), frames), (4, 8, 16, 32))
    race("sheet", frames, LENGTH, our_racers(sheet, right, (1, 2, 4, 8)) | other)
    right = path_of(ours(beam, SHORT_OURS), frames)
    newton = {f"Newton, {n} substeps": (theirs(beam, n), right) for n in (10, 20, 40)}
    other = flex_racers(BEAM_MJCF, path_of(flex(BEAM_MJCF % "Euler", SHORT_MUJOCO), frames), (8, 16, 32, 64))
    race("beam", frames, BEAM, our_racers(beam, right, (2, 4, 8, 16)) | newton | other)


if __name__ == "__main__":
    main()
