# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Stubs of the packages that fetch names at first use: type checkers and editors do not follow `__getattr__`."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

LAZY = ("inertia_tools", "inertia_tools.inertia", "inertia_tools.sim", "inertia_tools.usd")
"""Packages with a table of the homes of such names."""

HEAD = """# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
# Written by `make reference`.
"""


def stubs(root: Path) -> dict[Path, str]:
    """Return the text of each stub.

    Args:
        root: The repository.
    """
    return {root.joinpath(*name.split("."), "__init__.pyi"): _stub(root, name) for name in LAZY}


def homes_of(name: str) -> dict[str, str]:
    """Return the names that a package fetches at first use, and where from."""
    return getattr(importlib.import_module(name), "_HOME_OF", {})


def _stub(root: Path, name: str) -> str:
    """Return the imports that stand in a package, and those that its tables stand for."""
    package, homes = importlib.import_module(name), homes_of(name)
    tree = ast.parse(root.joinpath(*name.split("."), "__init__.py").read_text())
    imports = {ast.unparse(node) for node in tree.body if isinstance(node, ast.ImportFrom) and _exports(node)}
    imports |= {f"from {home} import {export} as {export}" for export, home in homes.items()}
    imports |= {f"from {name} import {module} as {module}" for module in getattr(package, "_MODULES", ())}
    version = ["", "__version__: str"] if hasattr(package, "__version__") else []
    return HEAD + "\n".join(["", *sorted(imports), *version, ""])


def _exports(node: ast.ImportFrom) -> bool:
    """Return whether names that are imported are there for users."""
    return all(alias.name == alias.asname for alias in node.names)
