# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A body may carry any number of joints: all of them hold."""

import numpy as np
import pytest

import inertia_tools as it

FORCE, HUB, SPOKE = 30.0, 4.0, 0.05


def hub_with(spokes: int) -> it.Description:
    """Return a hub with spokes around it, each on a hinge."""
    tensor = '<inertia ixx="{0}" iyy="{0}" izz="{0}" ixy="0" ixz="0" iyz="0"/>'
    parts = [f'<link name="hub"><inertial><mass value="{HUB}"/>{tensor.format(0.1)}</inertial></link>']
    for i in range(spokes):
        angle = 2.0 * np.pi * i / spokes
        parts.append(
            f'<link name="s{i}"><inertial><origin xyz="0.1 0 0"/><mass value="{SPOKE}"/>{tensor.format(1e-4)}'
            f"</inertial></link>"
            f'<joint name="j{i}" type="continuous"><parent link="hub"/><child link="s{i}"/><axis xyz="0 0 1"/>'
            f'<origin xyz="{np.cos(angle)} {np.sin(angle)} 0" rpy="0 0 {angle}"/></joint>'
        )
    return it.load_text(f'<robot name="hub">{"".join(parts)}</robot>')


@pytest.mark.sweep
@pytest.mark.parametrize("hold", (True, False))
@pytest.mark.parametrize("spokes", (2, 95, 97, 150))
def test_a_hub_drags_all_its_spokes(spokes, hold):
    sim = it.Simulation(hub_with(spokes), gravity=(0.0, 0.0, 0.0), ground=False, dtype="float64")
    if hold:
        sim.hold()
    sim.apply_wrench("hub", (0.0, 0.0, FORCE), duration=0.5)
    sim.step(120)
    speed = FORCE * 0.5 / (HUB + spokes * SPOKE)
    velocities = sim.snapshot().linear_velocities
    np.testing.assert_allclose(velocities, np.tile([0.0, 0.0, speed], (spokes + 1, 1)), atol=1e-6 * speed)
