# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Reading YAML into plain values; a key given twice is an error, of which PyYAML would take the later value."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from inertia_tools.errors import MissingDependencyError, ParseError

MERGE = "tag:yaml.org,2002:merge"
"""Tag of `<<`, which may merge several mappings."""


def read_yaml(text: str | bytes, file: str, wanted: str) -> Any:
    """Return the content of a YAML document.

    Args:
        text: The document.
        file: Its file, for errors.
        wanted: What is read, for the error that PyYAML is missing.

    Raises:
        MissingDependencyError: PyYAML is not installed.
        ParseError: It is not valid YAML, or gives a key twice.
    """
    try:
        import yaml
    except ImportError as error:
        raise MissingDependencyError("PyYAML", wanted, "pip install pyyaml") from error

    class Loader(yaml.SafeLoader):  # type: ignore[misc]  # PyYAML has no annotations
        """PyYAML's own loader, except that it refuses keys that are given twice."""

        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
            if (second := _second(node)) is not None:
                reason = f"{second.value!r} is given twice; keep one"
                raise yaml.constructor.ConstructorError(problem=reason, problem_mark=second.start_mark)
            found: dict[Hashable, Any] = super().construct_mapping(node, deep)
            return found

    try:
        return yaml.load(text, Loader=Loader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # ValueError: a date that is none
        mark = getattr(error, "problem_mark", None)
        line = None if mark is None else mark.line + 1
        raise ParseError(f"is not valid YAML: {getattr(error, 'problem', None) or error}", file, line) from error


def _second(mapping: Any) -> Any:
    """Return the first written key of a mapping that is given for the second time; None if there is none."""
    seen = set()
    for key, _ in mapping.value if isinstance(mapping.value, list) else ():
        if isinstance(key.value, str) and key.tag != MERGE:
            if key.value in seen:
                return key
            seen.add(key.value)
    return None
