# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What mkdocs does besides: pages name each other and files as a reader of the repository does."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT_PAGES = ("CHANGELOG", "CONTRIBUTING", "ARCHITECTURE", "SECURITY")
PAGE = re.compile(r"(?<![\w/`(\[.])docs/([\w/]+)\.md")
OUTSIDE = re.compile(r"\[([^\]]+)\]\((?:\.\./)+((?!docs/)[A-Za-z][\w./-]*)\)")


def on_page_markdown(markdown: str, page: Any, files: Any, **_: Any) -> str:
    """Make links of pages that are named as `docs/NAME.md`, and names of links that lead out of docs/."""
    folder = posixpath.dirname(page.file.src_uri)
    known = {file.src_uri for file in files.documentation_pages()}

    def linked(found: re.Match[str]) -> str:
        target = f"{found[1]}.md"
        return f"[{found[0]}]({posixpath.relpath(target, folder or '.')})" if target in known else found[0]

    def named(found: re.Match[str]) -> str:
        inside = posixpath.normpath(posixpath.join(folder, found[0].split("](")[1][:-1])) in known
        return found[0] if inside else f"`{found[2]}`"

    blocks = re.split(r"(^```.*?^```$)", markdown, flags=re.MULTILINE | re.DOTALL)
    return "".join(
        block if block.startswith("```") else OUTSIDE.sub(named, PAGE.sub(linked, block)) for block in blocks
    )


def on_files(files: Any, config: Any, **_: Any) -> Any:
    """Show the pages that stand in the root of the repository."""
    root = Path(config.config_file_path).parent
    for name in ROOT_PAGES:
        files.append(File.generated(config, f"project/{name.lower()}.md", content=(root / f"{name}.md").read_text()))
    return files
