# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The code blocks of the tutorials and of the README, run in their order as a reader would run them.

A comment before a block says what a reader sees anyway: `<!-- file: NAME -->` stores it under that name, `<!-- exits with
N -->` expects that code of its last command, and `<!-- not run: REASON -->` leaves it out.
"""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "tutorials").glob("*.md"))]
BLOCK = re.compile(r"(?:^<!-- (?P<mark>[^\n]+) -->\n)?^```(?P<kind>\w*)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
RUN = {"sh", "python"}
NEEDS_WARP = {"simulate.md", "grip_something.md", "soft_body.md", "fix_my_robot.md", "README.md"}


@dataclass(frozen=True)
class Block:
    kind: str
    code: str
    line: int
    mark: str

    @property
    def file(self) -> str:
        return self.mark.removeprefix("file: ") if self.mark.startswith("file: ") else ""

    @property
    def is_run(self) -> bool:
        return self.kind in RUN and not self.file and not self.mark.startswith("not run: ")

    @property
    def exit_code(self) -> int:
        return int(self.mark.removeprefix("exits with ")) if self.mark.startswith("exits with ") else 0


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text()
    return [
        Block(found["kind"], found["code"], text.count("\n", 0, found.start("code")), found["mark"] or "")
        for found in BLOCK.finditer(text)
    ]


def program(folder: Path) -> Path:
    """Make the command, as an installation has it, of these sources."""
    path = folder / "inertia-tools"
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m inertia_tools "$@"\n')
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_code_blocks_of_a_page_run(page, tmp_path, tmp_path_factory, monkeypatch):
    if page.name in NEEDS_WARP:
        pytest.importorskip("warp", reason="warp-lang is not installed")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    folder = program(tmp_path_factory.mktemp("bin")).parent
    paths = {
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
    }
    names: dict[str, object] = {"__name__": "__main__"}
    for block in blocks_of(page):
        where = f"{page.name}:{block.line}"
        if block.file:
            (tmp_path / block.file).write_text(block.code)
        elif block.is_run and block.kind == "python":
            exec(compile(block.code, where, "exec"), names)
        elif block.is_run:
            done = subprocess.run(
                ["bash", "-e", "-c", block.code], env=os.environ | paths, capture_output=True, text=True, timeout=250
            )
            assert done.returncode == block.exit_code, f"{where}\n{done.stdout}{done.stderr}"


def test_blocks_are_found_and_most_of_them_run():
    blocks = [block for page in PAGES for block in blocks_of(page)]
    assert sum(block.is_run for block in blocks) > 25
    for block in blocks:
        if block.mark.startswith("not run"):
            assert len(block.mark.split()) > 3, "a block that is not run says why"
