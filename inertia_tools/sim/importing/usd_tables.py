# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Rows of tables of users' own that a stage gives: one, or several, for each prim that the table's filter takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from inertia_tools.description.usd.library import pxr
from inertia_tools.sim.importing.usd_custom import get_custom_attribute_values
from inertia_tools.sim.scene.scene import Scene


def add_rows(builder: Scene, stage: Any, is_selected: Callable[[str], bool], result: dict[str, Any]) -> None:
    """Add the rows of all tables, prim after prim in document order, and for one prim table after table.

    Args:
        builder: The scene.
        stage: The stage.
        is_selected: Returns whether the options select the prim of a path.
        result: What the importer returns; filters and expanders are shown it with the prim and the scene.
    """
    tables = [table for table in builder.custom_frequencies.values() if table.usd_prim_filter is not None]
    if not tables:
        return
    usd = pxr().Usd
    for prim in usd.PrimRange.Stage(stage, usd.TraverseInstanceProxies()):
        if not is_selected(str(prim.GetPath())):
            continue
        context = {"prim": prim, "builder": builder, "result": result}
        for table in tables:
            assert table.usd_prim_filter is not None
            if not table.usd_prim_filter(prim, context):
                continue
            if table.usd_entry_expander is not None:
                for row in table.usd_entry_expander(prim, context):
                    builder.add_custom_row(table.key, row)
            else:
                builder.add_custom_row(table.key, _values(builder, table.key, prim, context))


def _values(builder: Scene, table: str, prim: Any, context: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a prim states of the attributes of a table."""
    return get_custom_attribute_values(prim, builder.get_custom_attributes_by_frequency([table]), context)
