# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Writing into SDFormat: what is written is read back, and nothing else changes."""

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.errors import InertiaError
from inertia_tools.write.edit import InertialEdit
from inertia_tools.write.sdf import write_inertials

TENSOR = np.array([[2.0, 0.1, 0.0], [0.1, 3.0, 0.2], [0.0, 0.2, 4.0]])


def wrap(link: str) -> bytes:
    return f"<?xml version='1.0'?>\n<sdf version='1.11'>\n  <model name='m'>\n{link}\n  </model>\n</sdf>\n".encode()


def rewrite(data: bytes, **edit) -> bytes:
    robot = it.load_text(data)
    return write_inertials(data, {robot.links["l"].place.offset: InertialEdit(**{"inertia": TENSOR, **edit})})


def declared(data: bytes):
    return it.load_text(data).links["l"].declared


def test_a_link_without_inertial_gets_one_in_the_files_own_layout():
    data = wrap("    <link name='l'>\n      <pose>1 0 0 0 0 0</pose>\n    </link>")
    expected = wrap("""    <link name='l'>
      <inertial>
        <pose>1 2 3 0 0 0</pose>
        <mass>5</mass>
        <inertia>
          <ixx>2</ixx>
          <ixy>0.1</ixy>
          <ixz>0</ixz>
          <iyy>3</iyy>
          <iyz>0.2</iyz>
          <izz>4</izz>
        </inertia>
      </inertial>
      <pose>1 0 0 0 0 0</pose>
    </link>""")
    assert rewrite(data, mass=5.0, com=np.array([1.0, 2.0, 3.0])) == expected


@pytest.mark.parametrize(
    "link",
    [
        "    <link name='l'/>",
        "    <link name='l' ></link>",
        "    <link name='l'><inertial/></link>",
        "\t<link name='l'>\r\n\t\t<inertial>\r\n\t\t\t<mass/>\r\n\t\t</inertial>\r\n\t</link>",
        "<link name='l'><inertial><mass>1</mass><inertia/></inertial></link>",
        "<link name='l'><inertial><pose/><inertia><ixx/><iyy>  </iyy></inertia></inertial></link>",
        "<link name='l'><inertial><pose rotation_format='quat_xyzw'>0 0 0 0 0 1 1</pose></inertial></link>",
        "<link name='l'><inertial><pose degrees='true'>0 0 0 0 0 90</pose></inertial></link>",
        "<link name='l'><inertial><mass><!-- old: 3 --> 4 <!-- kg --></mass></inertial></link>",
        "<link name='l'><inertial auto='1'><mass><![CDATA[4]]></mass></inertial></link>",
    ],
)
def test_what_is_written_is_read_back_and_writing_it_again_changes_nothing(link):
    data = wrap(link)
    once = rewrite(data, mass=5.0, com=np.array([1.0, 2.0, 3.0]))
    inertial = declared(once).inertial
    assert inertial.isclose(it.Inertial(5.0, [1, 2, 3], TENSOR), 1e-12)
    assert rewrite(once, mass=5.0, com=np.array([1.0, 2.0, 3.0])) == once


def test_only_numbers_that_differ_change():
    data = wrap("""    <link name='l'><!-- one -->
      <inertial auto="false" > <!-- two -->
        <mass> 5.000 </mass>
        <density>7</density>
        <inertia><ixx>2e0</ixx><ixy>0.1</ixy><iyy> 9 </iyy><!-- three --><iyz>0.2</iyz><izz>4</izz></inertia>
        <fluid_added_mass><xx>1</xx></fluid_added_mass>
        <odd:thing xmlns:odd="x"/>
      </inertial>
    </link>""")
    assert rewrite(data, mass=5.0) == data.replace(b"<iyy> 9 <", b"<iyy> 3 <")


def test_a_tensor_keeps_the_frame_that_the_file_gives_it():
    data = wrap("<link name='l'><inertial><pose>1 0 0 0 0 1</pose><mass>5</mass></inertial></link>")
    after = rewrite(data)
    assert b"<pose>1 0 0 0 0 1</pose>" in after
    assert np.allclose(declared(after).inertia, TENSOR)


def test_auto_is_cleared_on_request_only():
    data = wrap('<link name="l"><inertial auto="true"/></link>')
    assert declared(rewrite(data, mass=1.0)).auto
    assert b'<inertial auto="false">' in rewrite(data, mass=1.0, clear_auto=True)


def test_links_of_one_name_in_different_models_are_told_apart():
    data = wrap("<link name='l'/><model name='n'><link name='l'/></model>")
    place = it.load_text(data).links["n::l"].place
    robot = it.load_text(write_inertials(data, {place.offset: InertialEdit(TENSOR, 5.0)}))
    assert robot.links["l"].declared is None
    assert robot.links["n::l"].declared.mass == 5.0


def test_an_impossible_tensor_is_refused():
    with pytest.raises(InertiaError):
        rewrite(wrap("<link name='l'/>"), inertia=np.diag([1.0, 1.0, 3.0]))


def test_no_edits_change_nothing():
    assert write_inertials(b"<sdf/>", {}) == b"<sdf/>"


def test_comments_amid_numbers_stay():
    text = "<pose> 0 0 <!-- up --> 5 0\n <?keep this?> 0 0 </pose><mass><!-- a -->2<!-- b --></mass>"
    data = wrap(f"<link name='l'><inertial>{text}</inertial></link>")
    out = rewrite(data, mass=3.0, com=np.array([1.0, 2.0, 3.0]))
    assert b"<pose> 1 2 3 0 0 0 <!-- up --> \n <?keep this?>  </pose><mass><!-- a -->3<!-- b --></mass>" in out
    assert rewrite(out, mass=3.0, com=np.array([1.0, 2.0, 3.0])) == out
