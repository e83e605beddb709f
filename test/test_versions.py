# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The version stands in `inertia_tools/__init__.py`; what cannot read it there says the same."""

import re
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import inertia_tools

ROOT = Path(__file__).parents[1]


def test_files_that_must_spell_the_version_out_agree_with_the_package():
    package = ElementTree.parse(ROOT / "package.xml").findtext("version")
    citation = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert package == citation[1] == inertia_tools.__version__


def test_the_pip_package_reads_it_from_the_sources():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "inertia_tools.__version__"}


def test_no_key_of_pip_is_a_dependency_that_a_release_by_bloom_would_need():
    depends = [one.text for one in ElementTree.parse(ROOT / "package.xml").getroot() if "depend" in one.tag]
    assert len(depends) > 20
    assert [name for name in depends if name.endswith("-pip")] == []
