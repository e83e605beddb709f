# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Loading a model whose poses build on each other takes work in proportion to it (benchmarks/sdf_parse.py times it)."""

import cProfile
import pstats

import numpy as np
import pytest

import inertia_tools as it

LINKS = 100


def chain(links: int) -> str:
    parts = ["<sdf version='1.9'><model name='chain'>"]
    for i in range(links):
        relative = f" relative_to='j{i}'" if i else ""
        parts.append(
            f"<link name='l{i}'><pose{relative}>0 0 0.1 0.01 0.02 0.03</pose><inertial>"
            "<pose>0.01 0 0.02 0.1 0.2 0.3</pose><mass>1.5</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia>"
            "</inertial><collision name='c'><geometry><box><size>0.1 0.2 0.3</size></box></geometry></collision></link>"
        )
        if i:
            parts.append(
                f"<joint name='j{i}' type='revolute'><pose relative_to='l{i - 1}'>0 0 0.1 0 0.1 0</pose>"
                f"<parent>l{i - 1}</parent><child>l{i}</child><axis><xyz>0 0 1</xyz></axis></joint>"
            )
    return "".join([*parts, "</model></sdf>"])


def calls_for(text: str) -> int:
    """Return the number of calls that loading takes, which no other load of the machine changes."""
    profile = cProfile.Profile()
    profile.runcall(it.load_text, text)
    return pstats.Stats(profile).total_calls


def calls(links: int) -> int:
    text = chain(links)
    assert len(it.load_text(text).links) == links
    return calls_for(text)


def frames(count: int, step: int) -> str:
    """Frames in a row, each attached to the one after or before it, or to the model, which has the link last."""
    parts = ["<sdf version='1.9'><model name='m'>"]
    for i in range(count):
        holder = f" attached_to='f{i + step}'" if step and 0 <= i + step < count else ""
        parts.append(f"<frame name='f{i}'{holder}><pose>0 0 0.1 0 0 0</pose></frame>")
    return "".join([*parts, "<link name='l'/></model></sdf>"])


def test_twice_the_links_take_twice_the_calls():
    calls(1)  # what is made once for all models
    assert calls(2 * LINKS) - calls(LINKS) < 1.2 * (calls(LINKS) - calls(1))


@pytest.mark.parametrize("step", [1, -1, 0])
def test_twice_the_frames_take_twice_the_calls(step):
    few, more, base = (calls_for(frames(count, step)) for count in (LINKS, 2 * LINKS, 1))
    assert more - few < 1.2 * (few - base)
    robot = it.load_text(frames(LINKS, step))
    rows = {1: LINKS - np.arange(LINKS), -1: 1 + np.arange(LINKS), 0: np.ones(LINKS)}
    assert {frame.link for frame in robot.frames} == {"l"}
    assert np.allclose([frame.pose_link_frame.position[2] for frame in robot.frames], 0.1 * rows[step])
