# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""`inertia-tools simulate FILE`: drop the robot, or run the world, and see whether it comes to rest."""

from __future__ import annotations

import argparse
import io
import logging
import sys
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from inertia_tools.cli.arguments import number
from inertia_tools.cli.documents import STANDARD_STREAM, wants_json, write_document, write_json
from inertia_tools.cli.next_step import next_command
from inertia_tools.cli.options import add_json, add_reading, file_name, read
from inertia_tools.errors import MissingDependencyError

if TYPE_CHECKING:
    from inertia_tools.description.types import Description
    from inertia_tools.sim.settle import SettleResult, SettleTest

SCHEMA = "inertia-tools/simulation/1"
STANDS, FALLS = 0, 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("file", type=file_name, metavar="FILE", help="robot description or world")
    parser.add_argument("--seconds", type=number, default=2.0, metavar="S", help="simulated time (default %(default)g)")
    parser.add_argument(
        "--drop",
        type=number,
        default=0.01,
        metavar="M",
        help="drop height of a robot (default %(default)g); a world starts at the poses in its file",
    )
    parser.add_argument("--dt", type=number, default=1.0 / 240.0, metavar="S", help="time step (default 1/240)")
    parser.add_argument("--fixed-base", action="store_true", help="fix the root link to the world")
    parser.add_argument("--device", default="cpu", help="compute device: cpu, cuda:0, ... (default %(default)s)")
    parser.add_argument("--plot", metavar="PNG", help="plot forces, height, energies, joints and contacts over time")
    parser.add_argument(
        "--video",
        metavar="FILE",
        help="write a video of the collision shapes: animated .gif, .webp or .png, or .mp4 and other ffmpeg formats",
    )
    add_reading(parser)
    add_json(parser)
    parser.epilog = "exit codes: 0 the robot stands or the world is at rest, 1 otherwise, 2 could not run"


def run(options: argparse.Namespace) -> int:
    """Run the drop test and report; joints are held at their initial positions."""
    robot = read(options.file, options)
    _log_to_stderr()
    try:
        from inertia_tools.sim.settle import SettleTest
    except ImportError as error:
        raise MissingDependencyError("warp-lang", "simulating", "pip install warp-lang") from error
    test = SettleTest(
        robot,
        seconds=options.seconds,
        drop=options.drop,
        dt=options.dt,
        fixed_base=options.fixed_base,
        device=options.device,
        efforts=bool(options.plot) or wants_json(options),
    )
    if options.plot:
        from inertia_tools.view.settle_plot import plot_format

        plot_format(options.plot)  # an unknown format fails now, not after the simulation
    video = _watch(test, options.video)
    result = test.result()
    if options.plot:
        write_document(options.plot, _plot(result, options.plot, robot.name), [robot])
    if options.video:
        write_document(options.video, video, [robot])
    if wants_json(options):
        write_json(_document(options.file, result), options, [robot])
    if not (options.quiet or options.json or STANDARD_STREAM in (options.plot, options.video)):
        _print_account(result, robot)
        step = next_command("stats" if result.stands else "diagnose", options.file, options=options)
        print(step, file=sys.stderr)  # the last line of the output itself is the verdict, which scripts read
    return STANDS if result.stands else FALLS


def _watch(test: SettleTest, video: str | None) -> bytes:
    """Run a test to its end; return its video if one is requested.

    Raises:
        MissingDependencyError: The encoder for that kind of video is not installed.
        WriteError: There is no such kind of video.
    """
    if not video:
        while not test.is_over:
            test.advance()
        return b""
    from inertia_tools.view.film import Film, encoder_of

    encode, film = encoder_of(video), Film(test.simulation)
    film.take()
    while not test.is_over:
        test.advance()
        film.take()
    return encode(film.pictures)


class _ToStandardError(logging.Handler):
    """Writes to the present standard error, which a caller may have replaced."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line."""
        print(self.format(record), file=sys.stderr)


def _log_to_stderr() -> None:
    """Show log messages of the simulator, separate from the results."""
    log = logging.getLogger("inertia_tools")
    if not any(isinstance(handler, _ToStandardError) for handler in log.handlers):
        handler = _ToStandardError()
        handler.setFormatter(logging.Formatter("inertia-tools: %(message)s"))
        log.addHandler(handler)
        log.setLevel(logging.INFO)


def _document(file: str, result: SettleResult) -> dict[str, Any]:
    measured = {item.name: getattr(result, item.name) for item in fields(result)}
    end = measured.pop("end")
    del measured["start"]
    return {
        "schema": SCHEMA,
        "file": file,
        "stands": result.stands,
        "force_error": result.force_error,
        **measured,
        "samples": [asdict(sample) for sample in result.samples],
        "links": [
            {"link": name, "position": position.tolist(), "quaternion": quaternion.tolist()}
            for name, position, quaternion in zip(end.names, end.positions, end.quaternions, strict=True)
        ],
    }


def _print_account(result: SettleResult, robot: Description) -> None:
    print(f"weight          {result.weight:.4f} N")
    if not result.fixed_base:
        force, error = result.contact_force, result.force_error
        print(f"contact force   {force:.4f} N (error {error:+.4%}), mean of the last half second")
    print(f"drift           {1e3 * result.drift:.4f} mm in the last half second, the largest of all links")
    print(f"tilt            {result.tilt:.5f} rad since the start")
    print(f"kinetic energy  {result.kinetic_energy:.3g} J at the end")
    print(f"speed           {result.steps_per_second:.0f} steps/s")
    if robot.is_world:
        _print_places(result)
        print("everything is at rest" if result.stands else "not everything is at rest")
    else:
        print("the robot stands" if result.stands else "the robot does not stand")


def _print_places(result: SettleResult) -> None:
    """Print the poses of a world's links."""
    width = max(len(name) for name in result.end.names)
    for name, begin, end in zip(result.end.names, result.start.positions, result.end.positions, strict=True):
        x, y, z = (round(float(value), 6) + 0.0 for value in end)
        print(f"  {name:{width}}  at {x:.6f} {y:.6f} {z:.6f} m, moved {float(np.linalg.norm(end - begin)):.6f} m")


def _plot(result: SettleResult, path: str, name: str) -> bytes:
    """Plot the course of the test, in the format of the path's suffix.

    Raises:
        MissingDependencyError: matplotlib is not installed.
        WriteError: matplotlib does not write this format.
    """
    from inertia_tools.view.settle_plot import plot_format, settle_figure

    picture = io.BytesIO()
    settle_figure(result, name).savefig(picture, format=plot_format(path))
    return picture.getvalue()
