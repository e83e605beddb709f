# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Arrays that a step works in: contact rows, substep data of bodies and joints, and lists of islands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

from inertia_tools.sim.kernels.island_types import island_types
from inertia_tools.sim.kernels.replacing import new_key
from inertia_tools.sim.kernels.work_types import RESIDUAL_BINS, SOLVE_BINS

if TYPE_CHECKING:
    from inertia_tools.sim.device.model_data import ModelData

ROWS_OF_ONE_WORLD, SPARE_ROWS, ROWS_OF_BODY, ROWS_OF_FEATURE = 32768, 256, 64, 1
"""Capacity in contact rows of a single world, and of each of several worlds, and the addition for each body, or for
each feature point if these are more: all corners of a robot's meshes may be near the floor at once."""


def row_capacity(model: ModelData) -> int:
    """Return the capacity in contacts of one world in a step; `Contacts.lost` counts contacts beyond it."""
    worlds = model.copy_count
    spare = ROWS_OF_ONE_WORLD if worlds == 1 else SPARE_ROWS
    features = int(model.shapes.feature_count.numpy()[: model.shapes.count].sum())
    near = max(ROWS_OF_BODY * model.body_count // worlds, ROWS_OF_FEATURE * features)
    return min(model.slot_count // worlds, spare + near)


COUNTED = ("lost", "unsettled", "residual", "solve_log", "residual_log")
"""Arrays of rows that count over all steps."""


def rows_of(model: ModelData, count: int, old: Any = None, *, logs: bool = False) -> Any:
    """Return rows for this many contacts in all; the ends of worlds and the counts of `old` are kept."""
    logs = logs if old is None else bool(old.logs)
    shapes, pairs, worlds = len(model.labels), int(model.shapes.pair_count) * model.copy_count, model.copy_count
    special = {"shape_origin": shapes, "listed_origin": shapes, "near_pair": pairs}
    special.update(near_count=worlds, is_listed=worlds, slack=worlds, listed_reach=worlds)
    islands = max(int(model.clusters.count) * worlds, 1)
    special.update(unsettled=islands, residual=islands, gap_residual=islands)
    special.update(solve_log=2 * SOLVE_BINS * islands * logs, residual_log=2 * RESIDUAL_BINS * islands * logs)
    rows = model.sized(model.precision.Rows, count, special)
    rows.logs = int(logs)
    rows.first = model.array(np.arange(model.copy_count + 1) * row_capacity(model), wp.int32)
    rows.count, rows.lost, rows.found = (model.zeros(worlds, wp.int32) for _ in range(3))
    rows.key = new_key() + 1
    if old is not None:
        for name in ("first", "count", *COUNTED):
            setattr(rows, name, getattr(old, name))
    return rows


def scratch_of(model: ModelData) -> dict[str, Any]:
    """Return the working arrays of a step by their names: of bodies, of joints, and the Hessian with loops."""
    p, bodies, rows = model.precision, model.body_count, model.loops.row_total * model.copy_count
    links = bodies * model.bodies.links
    special = dict.fromkeys((name for name in p.System.vars if name.startswith("loop_")), rows)
    special.update(loop_matrix=model.loop_entries, loop_body=4 * rows, loop_jacobian=4 * rows, loop_load=bodies)
    special.update(
        neighbour=bodies * model.bodies.neighbours, link_body=links, is_filled=links, block=links, factor_block=links
    )
    return {
        "body": model.zeros(bodies, p.Body),
        "response": model.zeros(bodies, p.vec6),
        "meeting": model.zeros(bodies, p.vec6),
        "joint": model.zeros(model.joint_count, p.Joint),
        "dof": model.zeros(model.joint_dof_count, p.Dof),
        "system": model.sized(p.System, bodies, special),
    }


def islands_of(model: ModelData) -> Any:
    """Return the arrays of the lists of islands."""
    clusters, worlds = int(model.clusters.count) * model.copy_count, model.copy_count
    rows = row_capacity(model) * worlds
    special = {
        "count": worlds,
        "launch": 2,
        "are_clusters": worlds,
        "kinematic_island": worlds,
        "kinematic_count": worlds,
        "kept": worlds,
        "stamps": worlds,
        "rows_key": worlds,
        "rows_found": worlds,
        "kept_reach": worlds,
        "kept_tolerance": worlds,
        "kept_x": model.body_count,
        "kept_r": model.body_count,
        "kinematic_body": model.body_count,
        "body": model.body_count,
        "order": model.body_count,
        "joint": model.joint_count,
        "row": rows,
        "working_row": rows,
    }
    islands = model.sized(island_types(model.precision).Islands, clusters, special)
    stamp(islands)
    return islands


def stamp(islands: Any) -> None:
    """Give a solver a new key, as its settings have changed: nothing counts as at rest for it any more."""
    islands.stamps.fill_(new_key() << 32)
