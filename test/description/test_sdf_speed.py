# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Loading a model whose poses build on each other takes work in proportion to it (benchmarks/sdf_parse.py times it)."""

import cProfile
import pstats

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


def calls(links: int) -> int:
    """Return the number of calls that loading takes, which no other load of the machine changes."""
    text = chain(links)
    profile = cProfile.Profile()
    robot = profile.runcall(it.load_text, text)
    assert len(robot.links) == links
    return pstats.Stats(profile).total_calls


def test_twice_the_links_take_twice_the_calls():
    calls(1)  # what is made once for all models
    assert calls(2 * LINKS) - calls(LINKS) < 1.2 * (calls(LINKS) - calls(1))
