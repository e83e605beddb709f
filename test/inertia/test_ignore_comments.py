# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
import pytest
from robots import BOX, GOOD, link, mass, urdf

import inertia_tools as it
from inertia_tools.inertia.ignore_comments import without_commented

BAD = "negative-mass"


def left(text: str) -> list[tuple[str, str]]:
    report = without_commented(it.check(it.load_text(text)))
    return [(finding.link, finding.code) for finding in report.findings]


def robot(first: str = "", inside: str = "", top: str = "") -> str:
    joint = '<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>'
    a = (
        link("a", mass(-1) + inside, BOX)
        if not inside
        else link("a", mass(-1), BOX).replace("<inertial>", f"{inside}<inertial>", 1)
    )
    return top + urdf(first + a, link("b", mass(-1), BOX), joint)


def test_without_comments_nothing_is_left_out():
    assert left(robot()) == [("a", BAD), ("b", BAD)]
    assert left(robot(first="<!-- negative-mass is known -->")) == [("a", BAD), ("b", BAD)]


def test_a_comment_in_a_link_counts_for_that_link():
    assert left(robot(inside=f"<!-- inertia-tools: ignore {BAD} -->")) == [("b", BAD)]
    assert left(robot(inside="<!-- inertia-tools: ignore zero-mass -->")) == [("a", BAD), ("b", BAD)]


def test_comments_of_a_document_in_utf_16_count_too():
    text = '<?xml version="1.0" encoding="utf-16"?>' + robot(inside=f"<!-- inertia-tools: ignore {BAD} -->")
    report = without_commented(it.check(it.load_text(text.encode("utf-16"))))
    assert [(finding.link, finding.code) for finding in report.findings] == [("b", BAD)]


def test_a_comment_between_links_counts_for_the_next():
    assert left(robot(first=f"<!-- inertia-tools: ignore zero-mass, {BAD} -->")) == [("b", BAD)]


@pytest.mark.parametrize("place", ["first", "inside", "top"])
def test_a_comment_for_the_file_counts_wherever_it_stands(place):
    assert left(robot(**{place: f"<!-- inertia-tools: ignore-file {BAD} -->"})) == []


def test_a_comment_after_the_last_link_means_nothing():
    text = urdf(link("a", mass(-1), BOX)).replace("</robot>", f"<!-- inertia-tools: ignore {BAD} --></robot>")
    assert left(text) == [("a", BAD)]


def test_comments_of_a_xacro_survive_its_expansion(tmp_path):
    pytest.importorskip("xacro", reason="xacro is not installed")
    macro = f'<xacro:macro name="m" params="n"><link name="${{n}}"><!-- inertia-tools: ignore {BAD} --><inertial>{mass(-1)}</inertial></link></xacro:macro>'
    path = tmp_path / "r.urdf.xacro"
    path.write_text(
        f'<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">{macro}<link name="base">{GOOD}</link><xacro:m n="a"/><joint name="j" type="continuous"><parent link="base"/><child link="a"/></joint></robot>'
    )
    report = it.check(it.load(path))
    assert BAD in {finding.code for finding in report.findings}
    assert BAD not in {finding.code for finding in without_commented(report).findings}
