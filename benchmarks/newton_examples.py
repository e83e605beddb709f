# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Run Newton's own examples from its wheel with their import line changed, and no viewer.

    make peers ARGS="--collect-only -q"     # fills .venv-peers, where the wheel is
    .venv/bin/python benchmarks/newton_examples.py [NAME ...] [--frames 100] [--wheel .venv-peers/.../newton] [--json]

Each runs in a process of its own. In its text `import newton` becomes `import inertia_tools as newton`; what an example
takes from `newton.examples` (a parser, assets, checks of the last state) is in this file, and `newton_references.py`
measures some last states against laws. What else is changed in the ones with soft bodies is in `CHANGES`. Where an
example has a choice of solvers it is told `--solver xpbd`. It passes when it makes all its frames, its own check of the
last state holds, the one that Newton's suite makes, and so does the bound of its law.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.abc
import importlib.machinery
import json
import re
import subprocess
import sys
import time
import types
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from newton_references import REFERENCES, ROOT, WHEEL

EXAMPLES = (
    "basic/basic_pendulum",
    "basic/basic_shapes",
    "basic/basic_joints",
    "basic/basic_urdf",
    "basic/basic_heightfield",
    "basic/basic_conveyor",
    "basic/basic_conveyor_forces",
    "basic/basic_dzhanibekov",
    "basic/basic_mimic_joint",
    "contacts/pyramid",
    "contacts/domino_spiral",
    "contacts/newton_cradle",
    "cloth/cloth_hanging",
    "cloth/cloth_bending",
    "cloth/cloth_twist",
    "softbody/softbody_hanging",
)
"""Folder and name."""

OTHER_SOLVER = r"newton\.solvers\.SolverVBD\((?:[^()]|\([^()]*\))*\)"

CHANGES = {
    "cloth/cloth_hanging": [("from newton.solvers import style3d", ""), (r"self\.capture\(\)", "self.graph = None")],
    "cloth/cloth_bending": [
        (OTHER_SOLVER, "newton.solvers.SolverXPBD(self.model, substeps=1); self.touched = self.model.contacts()"),
        (r"self\.control, None,", "self.control, self.touched,"),
        (r"self\.capture\(\)", "self.graph = None"),
    ],
    "cloth/cloth_twist": [
        (r"scene\.finalize\(\)", "scene.finalize(); self.model.particle_radius.fill_(0.001)"),
        (OTHER_SOLVER, "newton.solvers.SolverXPBD(self.model, substeps=1)"),
        (r"self\.solver\.rebuild_bvh\(self\.state_0\)", "pass"),
        (r"self\.capture\(\)", "self.graph = None"),
    ],
    "softbody/softbody_hanging": [
        (OTHER_SOLVER, "newton.solvers.SolverXPBD(self.model, substeps=1, particle_enable_self_contact=False)"),
        (r"self\.capture\(\)", "self.graph = None"),
    ],
}
"""What else is changed in the text of an example, by patterns: the class of solver, without substeps where the example
makes ten of its own; calls that only that class has; and no graph of the caller's, as a step of particles is none.
SolverVBD is told by an option how thick cloth is to itself, and SolverXPBD goes by the radius of particles: 0.1 m where
the example of 2 cm between particles says nothing, so it gets the 1 mm of the option. Soft bodies that SolverVBD does
not let touch each other do not here."""

SMALLER = {
    "contacts/pyramid": ["--num-pyramids", "2", "--pyramid-size", "6"],
    "basic/basic_urdf": ["--world-count", "4"],
}
"""Options that make an example small enough for a test."""

FRAMES = {
    "basic/basic_urdf": 300,
    "basic/basic_dzhanibekov": 500,
    "cloth/cloth_bending": 500,
}
"""Frames that the check of an example needs where they are more than usual."""

USUAL = 100

LIMIT = 900.0
"""Longest time that one may take [s], kernels compiled."""


class NullViewer:
    """Takes what is drawn, and draws nothing."""

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *arguments, **options: None

    def is_running(self) -> bool:
        """Tell that nothing is waited for."""
        return False

    def is_paused(self) -> bool:
        """Tell that time goes on."""
        return False


def example_module(wheel: Path) -> types.ModuleType:
    """Return what stands for `newton.examples`."""
    module = types.ModuleType("newton.examples")
    assets = wheel / "examples" / "assets"

    def parser() -> argparse.ArgumentParser:
        made = argparse.ArgumentParser(allow_abbrev=False)
        made.add_argument("--test", action="store_true", default=True)
        made.add_argument("--quiet", action="store_true", default=True)
        return made

    def option(flag: str, **settings: Any) -> Callable[[Any], Any]:
        def add(made: Any, *_: Any, **__: Any) -> Any:
            made.add_argument(flag, **settings)
            return made

        return add

    given: dict[str, Any] = {
        "create_parser": parser,
        "add_world_count_arg": option("--world-count", type=int, default=1),
        "add_broad_phase_arg": option("--broad-phase", default=None),
        "add_max_worlds_arg": option("--max-worlds", type=int, default=None),
        "add_mujoco_contacts_arg": option("--use-mujoco-contacts", action="store_true"),
        "add_kamino_contacts_arg": option("--use-kamino-contacts", action="store_true"),
        "get_asset": lambda name: str(assets / name),
        "get_asset_directory": lambda: str(assets),
        "test_body_state": test_body_state,
        "test_particle_state": test_particle_state,
        "create_collision_pipeline": lambda model, *_, **__: sys.modules["inertia_tools"].CollisionPipeline(model),
    }
    for name, value in given.items():
        setattr(module, name, value)
    return module


def test_body_state(
    model: Any,
    state: Any,
    test_name: str,
    test_fn: Callable[[Any, Any], bool],
    indices: Iterable[int] | None = None,
    **_: Any,
) -> None:
    """Check the bodies of a state, as Newton's examples do at their end.

    Raises:
        ValueError: The condition of an example does not hold for a body.
    """
    import warp as wp

    poses, motions = state.body_q.numpy(), state.body_qd.numpy()
    for body in range(model.body_count) if indices is None else indices:
        if not _holds(test_fn.func if isinstance(test_fn, wp.Function) else test_fn, poses[body], motions[body]):
            where = [poses[body].round(4).tolist(), motions[body].round(4).tolist()]
            raise ValueError(f"{test_name}: not so for {model.body_label[body]}: {where}")


def _magnitude(value: Any) -> Any:
    """Return the magnitude of a number, or of each number of a vector."""
    if isinstance(value, np.ndarray) or not hasattr(value, "__len__"):
        return abs(value)
    return type(value)(*(abs(float(number)) for number in value))


def _holds(condition: Callable[[Any, Any], bool], position: np.ndarray, motion: np.ndarray) -> bool:
    """Tell whether a condition that is written for a kernel holds, as numbers or as Warp's types, as it needs them.

    A velocity of a body has a seventh number, zero: one condition of Newton's reads behind the six that there are.
    """
    import warp as wp

    types = (wp.transform, wp.spatial_vector) if len(motion) == 6 else (wp.vec3, wp.vec3)
    try:
        return bool(condition(position, np.append(motion, 0.0) if len(motion) == 6 else motion))
    except (RuntimeError, TypeError, ValueError):
        return bool(condition(*(kind(*row.tolist()) for kind, row in zip(types, (position, motion), strict=True))))


def test_particle_state(
    state: Any, test_name: str, test_fn: Callable[[Any, Any], bool], indices: Iterable[int] | None = None, **_: Any
) -> None:
    """Check the particles of a state, as Newton's examples do at their end.

    Raises:
        ValueError: The condition of an example does not hold for a particle.
    """
    condition = getattr(test_fn, "func", test_fn)
    places, rates = state.particle_q.numpy(), state.particle_qd.numpy()
    for particle in range(len(places)) if indices is None else indices:
        if not _holds(condition, places[particle], rates[particle]):
            where = [places[particle].round(4).tolist(), rates[particle].round(4).tolist()]
            raise ValueError(f"{test_name}: not so for particle {particle}: {where}")


class Renamed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Lets `newton.x`, where an example imports from it, be `inertia_tools.x`."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        """Find what stands for a module of Newton."""
        return importlib.machinery.ModuleSpec(name, self) if name.startswith("newton.") else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """Return our module of that name."""
        return importlib.import_module("inertia_tools." + spec.name.removeprefix("newton."))

    def exec_module(self, module: types.ModuleType) -> None:
        """Do nothing: it is loaded."""


def run(name: str, wheel: Path, frames: int) -> dict[str, Any]:
    """Run one example here, and return what came of it."""
    import inertia_tools

    folder, stem = name.split("/")
    path = wheel / "examples" / folder / f"example_{stem}.py"
    text = path.read_text().replace("import newton\n", "import inertia_tools as newton\n", 1)
    text = text.replace("import newton.examples\n", "\n")
    for pattern, by in CHANGES.get(name, []):
        text, found = re.subn(pattern, lambda match, by=by: by + "\n" * match[0].count("\n"), text)  # lines stay
        if not found:
            raise ValueError(f"{name} has nothing like {pattern}: this is another version of Newton")
    inertia_tools.examples = example_module(wheel)  # type: ignore[attr-defined]
    sys.modules["newton"], sys.modules["newton.examples"] = inertia_tools, inertia_tools.examples  # type: ignore[attr-defined]
    sys.meta_path.insert(0, Renamed())
    module = types.ModuleType(stem)
    sys.modules[stem] = module
    module.__file__ = str(path)
    exec(compile(text, str(path), "exec"), vars(module))
    began = time.perf_counter()
    example = module.Example(NullViewer(), arguments_of(module, name))
    for _ in range(frames):
        example.step()
    example.render()
    vars(module)["abs"] = _magnitude  # conditions are written for kernels, where vectors have one
    for hook in ("test_post_step", "test_final"):
        if hasattr(example, hook):
            getattr(example, hook)()
    state = getattr(example, "state_0", None)
    arrays = [] if state is None else [state.body_q, state.particle_q]
    moved = np.concatenate([array.numpy().ravel() for array in arrays if array is not None] or [np.zeros(0)])
    result = {"ok": bool(np.isfinite(moved).all()), "seconds": round(time.perf_counter() - began, 1)}
    if name in REFERENCES:
        measure, bound, what = REFERENCES[name]
        value = measure(example)
        result |= {"ok": result["ok"] and value <= bound, "reference": f"{what} {value:.1e}, at most {bound:g}"}
    return result


def arguments_of(module: types.ModuleType, name: str) -> argparse.Namespace:
    """Return the options of an example: its defaults, with XPBD for the solver where it has a choice."""
    make = getattr(module.Example, "create_parser", None) or sys.modules["newton.examples"].create_parser
    parser = make()
    flags = {flag for action in parser._actions for flag in action.option_strings}
    solvers = next((action.choices for action in parser._actions if "--solver" in action.option_strings), None)
    chosen = ["--solver", "xpbd"] if "--solver" in flags and "xpbd" in (solvers or ["xpbd"]) else []
    given = parser.parse_args([*chosen, *SMALLER.get(name, [])])
    given.solver = getattr(given, "solver", "xpbd")
    return given


def frames_of(name: str, frames: int | None) -> int:
    """Return how many frames an example makes: those that are asked for, or as many as its check needs."""
    return frames if frames is not None else FRAMES.get(name, USUAL)


def main() -> int:
    """Run all examples, each in a process of its own, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=list(EXAMPLES))
    parser.add_argument("--frames", type=int, default=None)
    parser.add_argument("--wheel", type=Path, default=WHEEL)
    parser.add_argument("--one", action="store_true", help="run the one example here, and print JSON")
    given = parser.parse_args()
    if given.one:
        print(json.dumps(run(given.names[0], given.wheel, frames_of(given.names[0], given.frames))))
        return 0
    if not given.wheel.is_dir():
        print(f"there is no {given.wheel}; run `make peers`, or name the wheel by --wheel", file=sys.stderr)
        return 2
    failed = 0
    print("| example | result | reference |\n|---|---|---|")
    for name in given.names:
        command = [sys.executable, __file__, name, "--one", "--wheel", str(given.wheel)]
        command += [] if given.frames is None else ["--frames", str(given.frames)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, cwd=ROOT)
            lines = done.stdout.strip().splitlines() if done.returncode == 0 else done.stderr.strip().splitlines()
            said = lines[-1] if lines else f"ended with {done.returncode}"
        except subprocess.TimeoutExpired:
            said = f"took more than {LIMIT:g} s"
        told = json.loads(said) if said.startswith("{") else {"ok": False}
        failed += not told["ok"]
        result = f"runs, {told['seconds']:g} s" if told["ok"] else said[:200]
        print(f"| {name.split('/')[1]} | {result} | {told.get('reference', '')} |", flush=True)
    print(f"{len(given.names) - failed} of {len(given.names)} run")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
