# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Pages lead to what there is, generated ones are current, and none is left out of the site."""

import importlib.util
import re
from pathlib import Path

import pytest

from documentation.stubs import stubs

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [*ROOT.glob("*.md"), *DOCS.rglob("*.md")]
LINK = re.compile(r"\]\((?!https?:|#|mailto:|\.\./\.\./actions/)([^)\s#]+)")
NAMED = re.compile(r"`((?:[\w.-]+/)*[\w-]+\.(?:py|md|sh|yml|xml|toml))(?:: (\w+))?`")


def without_code(page: Path) -> str:
    return re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files(page):
    lost = [link for link in LINK.findall(without_code(page)) if not (page.parent / link).exists()]
    mentioned = re.findall(r"(?<![\w/])docs/[\w/]+\.md", without_code(page))
    assert lost + [name for name in mentioned if not (ROOT / name).exists()] == []


def test_every_page_is_in_the_navigation_of_the_site_once():
    def pages(entry):
        if isinstance(entry, str):
            yield entry
        for value in entry.values() if isinstance(entry, dict) else entry if isinstance(entry, list) else ():
            yield from pages(value)

    listed = list(pages(yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"]))
    from_root = {f"project/{name}.md" for name in ("changelog", "contributing", "architecture", "security")}
    assert sorted(listed) == sorted({str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")} | from_root)


def test_the_architecture_names_modules_and_functions_that_there_are():
    named = NAMED.findall((ROOT / "ARCHITECTURE.md").read_text())
    assert len(named) > 60
    folders = ("inertia_tools", "docs", "test", "fuzz", "documentation", "bootstrap")
    files = [*ROOT.glob("*.*"), *(path for folder in folders for path in (ROOT / folder).rglob("*.*"))]
    for name, function in named:
        found = [path for path in files if str(path).endswith(f"/{name}")]
        assert found, f"there is no {name}"
        text = "".join(path.read_text() for path in found)
        assert not function or re.search(rf"(def|class) {function}|^{function}\b", text, re.MULTILINE), (name, function)


def test_stubs_are_current():
    for path, text in stubs(ROOT).items():
        assert path.read_text() == text, f"{path.name} is out of date: make reference"


def test_generated_pages_are_current():
    if importlib.util.find_spec("rclpy") is None or importlib.util.find_spec("inertia_tools.msg") is None:
        pytest.skip("the parameters of the nodes need rclpy and the built messages")
    from documentation.__main__ import REFERENCE, pages

    made = pages()
    assert {path.name for path in REFERENCE.iterdir()} == made.keys()
    for name, text in made.items():
        assert (REFERENCE / name).read_text() == text, f"docs/reference/{name} is out of date: make reference"
