# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The pictures of pages are there, small, and say what they show."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LINKED = [
    (page, words, page.parent / path)
    for page in PAGES
    for words, path in re.findall(r"!\[([^\]]*)\]\((?!\.\./\.\./actions/)([^)]+)\)", page.read_text())
]
MOST_BYTES = 200_000


@pytest.mark.parametrize(("page", "words", "path"), LINKED, ids=[str(path.name) for _, _, path in LINKED])
def test_a_picture_is_there_and_small_and_has_words_for_it(page, words, path):
    assert path.is_file(), f"{page.name} shows {path}"
    assert path.stat().st_size < MOST_BYTES
    assert len(words.split()) > 3


def test_every_picture_is_shown():
    shown = {path.resolve() for _, _, path in LINKED}
    assert {path for path in (ROOT / "docs" / "images").iterdir() if path.suffix == ".png"} <= shown
