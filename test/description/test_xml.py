# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""XML that is not well-formed, but that the parser of Gazebo, MuJoCo and robot_state_publisher (tinyxml2) takes."""

from __future__ import annotations

import pytest

import inertia_tools as it
from inertia_tools.description.xml import with_plain_comments
from inertia_tools.errors import ParseError
from inertia_tools.inertia.ignore_comments import without_commented

COMMENTS = (
    b"<!-- gz sim --levels -->",
    b"<!--- banner --->",
    b"<!-- -- -- --\n---- <link name='no'/> -->",
    b"<!-- inertia-tools: ignore zero-inertia -- known -->",
)

TEXT = b"""<robot name="r">
  <link name="a">
    <!-- COMMENT -->
    <inertial><mass value="1"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial>
    <collision><geometry><box size="1 1 1"/></geometry></collision>
  </link>
</robot>
"""


@pytest.mark.parametrize("comment", COMMENTS)
def test_a_correction_keeps_comments_with_two_hyphens(comment):
    """Example worlds of Gazebo and scenes of Unitree have such comments, and were refused."""
    given = TEXT.replace(b"<!-- COMMENT -->", comment)
    fixed = it.fix(it.load_text(given))
    assert fixed.data == it.fix(it.load_text(TEXT)).data.replace(b"<!-- COMMENT -->", comment)
    assert comment in fixed.data


def test_a_comment_with_two_hyphens_suppresses_findings(tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_bytes(TEXT.replace(b"<!-- COMMENT -->", COMMENTS[-1]))
    report = it.check(it.load(path))
    assert [one.code for one in report.findings if one.severity is it.Severity.ERROR] == ["zero-inertia"]
    assert not without_commented(report).findings


def test_text_that_looks_like_a_comment_stays():
    text = "<sdf version='1.10'><model name='m'><link name='l'/><plugin name='p' filename='f'>{}</plugin></model></sdf>"
    inside = "<![CDATA[<!-- a -- b -->]]>"
    assert with_plain_comments(text.format(inside + "<!-- a -- b -->").encode()) == (
        text.format(inside + "<!-- a  - b -->").encode()
    )


def test_an_error_after_such_a_comment_has_its_own_line():
    with pytest.raises(ParseError, match="not closed") as caught:
        it.load_text("<!-- a -- b\n-- c -->\n<robot>\n<link name='a'>\n</robot>")
    assert caught.value.line == 5


def test_a_xacro_with_such_a_comment_is_refused_with_line_and_remedy(tmp_path):
    """The program xacro refuses it, too."""
    path = tmp_path / "robot.urdf.xacro"
    path.write_text("<robot name='r'>\n<!-- a -- b -->\n<link name='a'/></robot>")
    with pytest.raises(ParseError, match="must not contain two hyphens") as caught:
        it.load(path)
    assert caught.value.line == 2
