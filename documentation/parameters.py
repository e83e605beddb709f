# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The page of the nodes' parameters, from the table that each node declares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inertia_tools.ros import inertia_parameters, simulation_parameters
from inertia_tools.ros.parameters import Spec

NODES = {"inertia_server": inertia_parameters.SPECS, "simulator": simulation_parameters.SPECS}


def page() -> str:
    """Return the page of all parameters."""
    lines = [
        "# Parameters of the nodes",
        "",
        "Generated from what the nodes declare by `make reference`; `ros2 param describe NODE NAME` shows the same.",
    ]
    for node, specs in NODES.items():
        lines += ["", f"## {node}", "", *_table(specs)]
    return "\n".join(lines) + "\n"


def _table(specs: Sequence[Spec]) -> Iterator[str]:
    yield "| parameter | default | may be | set while running | meaning |"
    yield "|---|---|---|---|---|"
    for spec in specs:
        when = "no" if spec.read_only else "yes"
        yield f"| `{spec.name}` | `{_shown(spec.default)}` | {_allowed(spec)} | {when} | {spec.description} |"


def _shown(value: object) -> str:
    if value in ("", [""]):
        return '""' if value == "" else "[]"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _allowed(spec: Spec) -> str:
    if spec.choices:
        return ", ".join(f"`{choice}`" for choice in spec.choices)
    if spec.low is not None and spec.high is not None:
        return f"{spec.low:g} to {spec.high:g}"
    return {bool: "true, false", list: "texts"}.get(type(spec.default), "text")
