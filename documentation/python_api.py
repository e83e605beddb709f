# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The pages of the Python interface: what the package exports, for mkdocstrings to fill from docstrings."""

from __future__ import annotations

from documentation.stubs import homes_of

TITLES = {
    "values": ("Poses and inertials", ("inertia_tools.spatial", "inertia_tools.inertial", "inertia_tools.validity")),
    "descriptions": ("Robot descriptions", ("inertia_tools.description", "inertia_tools.conversion")),
    "inertials": ("Compute, check, fix", ("inertia_tools.inertia", "inertia_tools.diagnosis")),
    "simulation": ("Simulation", ("inertia_tools.sim",)),
}
"""For each page its title, and the modules whose exports stand on it."""

MODULES = ("errors", "selection", "solvers", "testing", "usd")
"""Modules that are used under their own name."""


def pages() -> dict[str, str]:
    """Return the pages by the name of their file in docs/reference."""
    made = {}
    for name, (title, homes) in TITLES.items():
        exported = [(key, home) for key, home in homes_of("inertia_tools").items() if home in homes]
        entries = [f"::: {_defined_in(key, home)}.{key}\n" for key, home in exported]
        lead = f"# {title}\n\n```python\nimport inertia_tools as it\n```\n\nEvery name of this page is one of `it`.\n"
        made[f"python_{name}.md"] = "\n".join([lead, *entries])
    entries = [f"::: inertia_tools.{name}\n" for name in MODULES]
    made["python_modules.md"] = "\n".join(["# Errors, selections, solvers, testing, schema resolvers\n", *entries])
    return made


def _defined_in(name: str, home: str) -> str:
    """Return the module that defines an export; a package that fetches it at first use says which that is."""
    return homes_of(home).get(name, home)
