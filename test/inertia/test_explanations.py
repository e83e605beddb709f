# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
import ast
import re
from pathlib import Path

import pytest

from inertia_tools.errors import OptionError
from inertia_tools.inertia.explanations import EXPLANATIONS, explanation_of, known_codes

ROOT = Path(__file__).parents[2]
CODE = re.compile(r"[a-z]+(-[a-z]+)+")
NO_CODES = {
    "carbon-fiber",
    "carbon-fibre",
    "stainless-steel",
    "ignore-file",
    "inertia-tools-origin",
    "inertia-tools",
    "urdf-parser-py",
    "usd-core",
    "warp-lang",
}
"""Words of that form in the sources that are no finding codes: materials, packages, words of comments."""


def words_of_sources() -> set[str]:
    """Return all words written like a finding code in the sources that make findings."""
    files = [
        file
        for folder in ("inertia", "description", "geometry", "diagnosis")
        for file in (ROOT / "inertia_tools" / folder).rglob("*.py")
    ]
    trees = [ast.parse(file.read_text()) for file in files if "explanations" not in file.parts]
    assert len(trees) > 80
    constants = {node.value for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    return {word for word in constants if isinstance(word, str) and CODE.fullmatch(word)}


def test_every_code_is_explained_and_every_explanation_is_of_a_code():
    codes = words_of_sources() - NO_CODES
    assert len(codes) > 70
    assert sorted(codes - EXPLANATIONS.keys()) == []
    assert EXPLANATIONS.keys() - codes == {"unreadable"}  # the command line's own


def test_every_code_is_in_the_docs():
    pages = "".join(
        (ROOT / "docs" / f"{name}.md").read_text() for name in ("checks", "diagnose", "sdformat", "mjcf", "usd")
    )
    assert [code for code in EXPLANATIONS if f"`{code}`" not in pages] == []


@pytest.mark.parametrize("code", EXPLANATIONS)
def test_an_explanation_is_whole(code):
    one = EXPLANATIONS[code]
    assert re.fullmatch(r"(error|warning|info)( or (error|warning|info))?", one.severity)
    for text in (one.meaning, one.consequence, one.rule, one.repair):
        assert len(text.split()) > 1 or text == "mass < 0."
        assert text.endswith(".")
    assert one.example.strip()


def test_a_code_is_found_as_people_type_it():
    for word in ("zero-mass", "[zero-mass]", "ZERO_MASS", " zero-mass "):
        assert explanation_of(word).code == "zero-mass"
    with pytest.raises(OptionError, match="zero-mass"):
        explanation_of("zero-mas")
    assert known_codes(["zero-mass,open-mesh", "flat-mesh"], "--ignore") == {"zero-mass", "open-mesh", "flat-mesh"}
