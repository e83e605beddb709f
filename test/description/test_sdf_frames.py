# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Named frames of SDFormat hang on links, however many frames, joints and models are between."""

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.errors import ParseError

MODEL = """<sdf version='1.9'><model name='m'><pose>9 9 9 0 0 0</pose>
<link name='a'><pose>1 0 0 0 0 1.5707963267948966</pose></link><link name='b'><pose relative_to='a'>0 1 0 0 0 0</pose></link>
<joint name='j' type='revolute'><pose>0 0 1 0 0 0</pose><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>
<frame name='own'><pose>0 2 0 0 0 0</pose></frame>
<frame name='on_joint' attached_to='j'><pose>0 0 1 0 0 0</pose></frame>
<frame name='on_frame' attached_to='on_joint'><pose relative_to='a'>5 0 0 0 0 0</pose></frame>
</model></sdf>"""


def frames_of(text):
    return {frame.name: frame for frame in it.load_text(text).frames}


def test_frames_are_seen_from_the_link_that_carries_them():
    frames = frames_of(MODEL)
    assert {name: frame.link for name, frame in frames.items()} == {"own": "a", "on_joint": "b", "on_frame": "b"}
    assert np.allclose(frames["own"].pose_link_frame.position, [2, 1, 0])
    assert np.allclose(frames["on_joint"].pose_link_frame.position, [0, 0, 2])
    assert np.allclose(frames["on_frame"].pose_link_frame.position, [5, -1, 0])


def test_a_frame_of_the_world_is_on_no_link():
    text = "<sdf version='1.9'><world name='w'><frame name='f'><pose>1 2 3 0 0 0</pose></frame><model name='m'><link name='l'/></model></world></sdf>"
    frame = frames_of(text)["f"]
    assert (frame.link, frame.pose_link_frame.position.tolist()) == ("world", [1, 2, 3])


def test_a_frame_on_nothing_is_an_error():
    with pytest.raises(ParseError, match="attached_to"):
        it.load_text(MODEL.replace("attached_to='j'", "attached_to='nothing'"))


def test_a_frame_on_a_model_that_is_missing_is_left_out():
    text = """<sdf version='1.9'><model name='m'><link name='l'/><include><uri>model://not_here</uri><name>arm</name></include>
      <frame name='f' attached_to='arm'/></model></sdf>"""
    robot = it.load_text(text)
    assert robot.frames == ()
    assert [remark.code for remark in robot.remarks] == ["missing-include", "missing-include"]
