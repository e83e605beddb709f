# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What a writer must not touch: every byte outside the inertials that it changes."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import inertia_tools as it
from inertia_tools.description.xml import attribute_spans, parse_xml
from inertia_tools.write.splice import Splice, apply_splices
from inertia_tools.write.urdf import InertialEdit, write_inertials

EDIT = InertialEdit(inertia=np.diag([1.0, 2.0, 2.5]), mass=4.0, com=np.array([1.0, 0.0, 0.0]))


def written(inertial: str, edit: InertialEdit = EDIT) -> str:
    text = f'<robot name="r">\n  <link name="a">\n{inertial}  </link>\n</robot>\n'
    return write_inertials(text.encode(), {"a": edit}).decode()


def body(inertial: str, edit: InertialEdit = EDIT) -> str:
    """The lines of the link after the edit, without their indentation."""
    inside = written(inertial, edit).split('<link name="a">', 1)[1].split("</link>")[0]
    return "\n".join(line.strip() for line in inside.strip().splitlines())


def test_all_numbers_replaced_in_place():
    old = """    <inertial> <!-- from CAD -->
      <inertia izz='9' iyy = "9" ixx="9" ixy="0" ixz="0"
               iyz="0"/>  <!-- guess -->
      <mass   value="9" />
      <origin rpy="1 1 1" xyz="0 0 0"></origin>
    </inertial>
"""
    new = (
        old.replace("izz='9'", "izz='2.5'")
        .replace('iyy = "9"', 'iyy = "2"')
        .replace('ixx="9"', 'ixx="1"')
        .replace('value="9"', 'value="4"')
        .replace("1 1 1", "0 0 0")
        .replace('xyz="0 0 0"', 'xyz="1 0 0"')
    )
    assert written(old) == written("").replace(written("").split("\n", 2)[2], "") + new + "  </link>\n</robot>\n"


def test_missing_inertial_is_inserted_as_first_child():
    assert body('    <visual><geometry><sphere radius="1"/></geometry></visual>\n') == "\n".join(
        [
            "<inertial>",
            '<origin xyz="1 0 0" rpy="0 0 0"/>',
            '<mass value="4"/>',
            '<inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="2.5"/>',
            "</inertial>",
            '<visual><geometry><sphere radius="1"/></geometry></visual>',
        ]
    )


@pytest.mark.parametrize(
    "empty", ["    <inertial/>\n", "    <inertial></inertial>\n", "    <inertial>\n    </inertial>\n"]
)
def test_empty_inertial_is_filled(empty):
    lines = written(empty).splitlines()
    assert [line.strip().split(" ")[0] for line in lines[2:7]] == [
        "<inertial>",
        "<origin",
        "<mass",
        "<inertia",
        "</inertial>",
    ]
    assert lines[3].startswith("      <")


def test_missing_children_are_added_after_the_others():
    assert body('    <inertial>\n      <mass value="4"/>\n    </inertial>\n').splitlines() == [
        "<inertial>",
        '<mass value="4"/>',
        '<origin xyz="1 0 0" rpy="0 0 0"/>',
        '<inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="2.5"/>',
        "</inertial>",
    ]


def test_missing_attributes_are_added():
    text = written('    <inertial><mass/><origin xyz="1 0 0"/><inertia ixx="1" /></inertial>\n')
    assert '<mass value="4"/><origin xyz="1 0 0"/>' in text
    assert '<inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="2.5" />' in text


def test_self_closing_link_is_opened():
    data = b'<robot name="r">\n  <link name="a" />\n  <link name="b"/>\n</robot>'
    text = write_inertials(data, {"a": EDIT}).decode()
    assert text.startswith('<robot name="r">\n  <link name="a">\n    <inertial>\n')
    assert text.endswith('    </inertial>\n  </link>\n  <link name="b"/>\n</robot>')


def test_numbers_that_mean_the_same_stay_as_written():
    old = '    <inertial><origin xyz="1.0 0.0 0" rpy="0 0 0"/><mass value="4.00"/><inertia ixx="1.0" ixy="0.0" ixz="0" iyy="2e0" iyz="0" izz="9"/></inertial>\n'
    assert (
        written(old)
        == written("").replace(written("").split("\n", 2)[2], "")
        + old.replace('izz="9"', 'izz="2.5"')
        + "  </link>\n</robot>\n"
    )


def test_tensor_alone_leaves_mass_and_origin():
    old = '    <inertial><origin xyz="9 9 9" rpy="1 2 3"/><mass value="7"/><inertia ixx="9" ixy="9" ixz="9" iyy="9" iyz="9" izz="9"/></inertial>\n'
    text = written(old, InertialEdit(inertia=np.eye(3)))
    assert '<origin xyz="9 9 9" rpy="1 2 3"/><mass value="7"/>' in text
    assert 'ixx="1" ixy="0"' in text


def test_windows_lines_tabs_and_declarations_survive():
    data = '<?xml version="1.0" encoding="iso-8859-1"?>\r\n<robot name="Rüssel">\r\n\t<link name="a">\r\n\t</link>\r\n</robot>'
    out = write_inertials(data.encode(), {"a": EDIT})  # it was converted when it was read
    assert b"\n" not in out.replace(b"\r\n", b"")
    assert b"\r\n\t\t<inertial>\r\n" in out
    assert out.startswith(data.partition("\r\n\t\t")[0][:70].encode())


def test_byte_order_mark_and_offsets_beyond_ascii():
    data = "\ufeff<!-- äöü 漢字 -->\n<robot name='ü'><link name='a'><inertial><mass value='1'/></inertial></link></robot>".encode()
    out = write_inertials(data, {"a": EDIT})
    assert "<mass value='4'/>" in out.decode()
    assert it.load_text(out).links["a"].inertial.mass == 4.0


def test_no_edit_gives_the_same_object():
    data = b"<robot/>"
    assert write_inertials(data, {}) is data


def test_comments_and_cdata_do_not_fool_the_offsets():
    text = (
        "<robot name='r'><!-- <link name='a'><inertial/> --><x><![CDATA[<link name='a'/>]]></x><link name='a'/></robot>"
    )
    out = write_inertials(text.encode(), {"a": EDIT}).decode()
    assert out.startswith(text.removesuffix("<link name='a'/></robot>"))
    assert out.count("<mass") == 1


def test_angle_brackets_in_attributes_do_not_end_a_tag():
    data = b"<robot name='r'><link name='a' note='1 > 0' other=\"a='b'\"><inertial><mass value='1' x='>'/></inertial></link></robot>"
    link = parse_xml(data, "x").children[0]
    start, end = attribute_spans(data, link)["other"]
    assert data[start:end] == b"a='b'"
    assert b"<mass value='4' x='>'/>" in write_inertials(data, {"a": EDIT})


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 5), st.binary(max_size=3)), max_size=6))
def test_splices_leave_all_other_bytes(raw):
    data = bytes(range(60))
    splices, end = [], 0
    for gap, length, text in raw:
        start = end + gap % 7
        if start + length > len(data):
            break
        splices.append(Splice(start, start + length, text))
        end = start + length + 1
    out = apply_splices(data, reversed(splices))
    kept = [
        data[a.end : b.start]
        for a, b in zip([Splice(0, 0, b""), *splices], [*splices, Splice(60, 60, b"")], strict=True)
    ]
    expected = kept[0] + b"".join(s.text + k for s, k in zip(splices, kept[1:], strict=True))
    assert out == expected


def test_overlapping_splices_are_refused():
    with pytest.raises(ValueError, match="meet"):
        apply_splices(b"abcdef", [Splice(0, 3, b""), Splice(2, 4, b"")])


def outside_inertials(text: str) -> str:
    return re.sub(r"\s*<inertial>.*?</inertial>", "", text, flags=re.DOTALL)


def test_example_keeps_every_byte_outside_its_inertials():
    from pathlib import Path

    path = Path(__file__).parents[2] / "examples/broken_quadruped.urdf"
    correction = it.fix(it.load(path))
    assert outside_inertials(correction.text) == outside_inertials(path.read_text())
