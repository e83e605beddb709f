# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Plots of a settle test with matplotlib: force, height, energy, joints and contacts over time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

import numpy as np

from inertia_tools.errors import MissingDependencyError, WriteError
from inertia_tools.sim.settle import SettleResult, SettleSample

MOST_LINES = 8
"""Maximum number of links or joints in one diagram, those with the largest values; more colours look alike."""

BESIDE = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0), "frameon": False}
"""Position of the long legends of links and joints."""

LEAST_ENERGY = 1e-9
"""Minimum of a logarithmic axis, as a ratio of the largest value or of a millijoule."""


def plot_format(path: str) -> str:
    """Return the format of a plot by the suffix of its path, or PNG without a suffix.

    Raises:
        MissingDependencyError: matplotlib is not installed.
        WriteError: matplotlib does not write this format.
    """
    suffix = PurePath(path).suffix.removeprefix(".").lower() or "png"
    known = _figure().canvas.get_supported_filetypes()
    if suffix not in known:
        raise WriteError(f"{path}: .{suffix} is not a format of plots; use one of {', '.join(sorted(known))}")
    return suffix


def settle_figure(result: SettleResult, name: str) -> Any:
    """Plot a test.

    Args:
        result: The test.
        name: Name of the robot, for the title.

    Returns:
        A `matplotlib.figure.Figure`.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    figure = _figure()
    axes = figure.subplots(3, 2, sharex=True)
    drawers = (_draw_force, _draw_links, _draw_height, _draw_joints, _draw_energy, _draw_contacts)
    for axis, draw in zip(axes.flat, drawers, strict=True):
        draw(axis, result)
        axis.grid(alpha=0.25)
        axis.margins(x=0.0)
        if axis.get_legend_handles_labels()[0]:
            axis.legend(fontsize="small", **(BESIDE if axis in axes[:, 1] else {"loc": "best"}))
    for axis in axes[-1]:
        axis.set_xlabel("time [s]")
    figure.suptitle(f"{name}: {'stands' if result.stands else 'does not stand'}")
    return figure


def _figure() -> Any:
    """Return an empty figure."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingDependencyError("matplotlib", "--plot", "pip install matplotlib") from error
    return Figure(figsize=(13, 9), layout="constrained")


def _of(result: SettleResult, quantity: Callable[[SettleSample], float]) -> tuple[list[float], list[float]]:
    """Return times [s] and values."""
    return [sample.time for sample in result.samples], [quantity(sample) for sample in result.samples]


def _draw_force(axis: Any, result: SettleResult) -> None:
    axis.plot(*_of(result, lambda sample: sample.contact_force), label="contact force")
    if not result.fixed_base:
        axis.axhline(result.weight, linestyle=":", color="grey", label="weight")
    axis.set_ylabel("vertical force [N]")


def _draw_height(axis: Any, result: SettleResult) -> None:
    axis.plot(*_of(result, lambda sample: sample.height))
    axis.set_ylabel("height of the root [m]")


def _draw_energy(axis: Any, result: SettleResult) -> None:
    """Plot the energies; potential energy is relative to its final value."""
    lowest = result.samples[-1].potential_energy
    times, kinetic = _of(result, lambda sample: sample.kinetic_energy)
    potential = np.array([sample.potential_energy - lowest for sample in result.samples])
    least = LEAST_ENERGY * max(*kinetic, float(potential.max()), 1e-3)
    for label, values in (("kinetic", kinetic), ("potential, above its end", potential)):
        axis.semilogy(times, np.maximum(values, least), label=label)
    axis.set_ylabel("energy [J]")


def _draw_links(axis: Any, result: SettleResult) -> None:
    _draw_lines(axis, result, [sample.link_forces for sample in result.samples], "no link touches anything")
    axis.set_ylabel("vertical force on links [N]")


def _draw_joints(axis: Any, result: SettleResult) -> None:
    _draw_lines(axis, result, [sample.efforts for sample in result.samples], "no joint is held by an effort")
    axis.set_ylabel("efforts that hold joints [N m, N]")


def _draw_contacts(axis: Any, result: SettleResult) -> None:
    axis.plot(*_of(result, lambda sample: 1e3 * sample.depth), linewidth=2.5)
    axis.set_ylabel("deepest contact [mm]", color="C0")
    count = axis.twinx()
    (line,) = count.step(*_of(result, lambda sample: sample.contact_points), where="post", color="C1", alpha=0.7)
    count.set_ylabel("points that touch", color=line.get_color())
    count.set_ylim(0.0, 1.1 * max(1, *(sample.contact_points for sample in result.samples)))
    count.yaxis.get_major_locator().set_params(integer=True)


def _draw_lines(axis: Any, result: SettleResult, values: Sequence[Mapping[str, float]], nothing: str) -> None:
    """Plot a line for each of the names with the largest values; a missing name is at zero."""
    names = dict.fromkeys(name for one in values for name in one)
    reach = {name: max(abs(one.get(name, 0.0)) for one in values) for name in names}
    chosen = sorted(names, key=lambda name: -reach[name])[:MOST_LINES]
    times = [sample.time for sample in result.samples]
    for name in chosen:
        axis.plot(times, [one.get(name, 0.0) for one in values], label=name)
    if not names:
        axis.text(0.5, 0.5, nothing, transform=axis.transAxes, ha="center", color="grey")
    elif len(names) > len(chosen):
        axis.set_title(f"the {len(chosen)} of {len(names)} that go farthest", fontsize="small", loc="left")
