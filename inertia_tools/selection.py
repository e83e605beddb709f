# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Selections of a model, by the module that users of Newton know."""

from inertia_tools.sim.selection.articulation_view import ArticulationView as ArticulationView

__all__ = ["ArticulationView"]
