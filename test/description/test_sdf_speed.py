# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Loading stays quick: a model of a hundred links whose poses build on each other (benchmarks/sdf_parse.py has more)."""

import time

import inertia_tools as it

LINKS, LIMIT, ROUNDS = 100, 0.050, 20
"""Links, processor time that loading may take at best [s], and loads."""


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


def test_a_hundred_links_with_poses_load_in_fifty_milliseconds():
    text = chain(LINKS)
    times = []
    for _ in range(ROUNDS):
        began = time.process_time()
        robot = it.load_text(text)
        times.append(time.process_time() - began)
    assert len(robot.links) == LINKS
    assert min(times) < LIMIT
