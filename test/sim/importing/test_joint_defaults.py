# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What a file does not state of a joint comes from the default of the scene; what it states, zero too, is kept."""

from __future__ import annotations

import numpy as np
import pytest

import inertia_tools as it

INERTIA = 0.5
DEFAULT = {"damping": 0.3, "friction": 0.2, "armature": 0.1, "limit_ke": 4321.0, "limit_kd": 76.0, "effort_limit": 7.0}

URDF = """<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>
<inertia ixx="0.5" iyy="0.5" izz="0.5" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="{kind}"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>{said}</joint></robot>"""
SDF = """<sdf version="1.9"><model name="r"><link name="a"/><link name="b"><inertial><mass>1</mass>
<inertia><ixx>0.5</ixx><iyy>0.5</iyy><izz>0.5</izz></inertia></inertial></link>
<joint name="w" type="fixed"><parent>world</parent><child>a</child></joint>
<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz>{said}</axis></joint>
</model></sdf>"""
MJCF = """<mujoco><worldbody><body name="b"><joint name="j" type="{kind}" axis="0 0 1" {said}/>
<inertial pos="0 0 0" mass="1" diaginertia="0.5 0.5 0.5"/></body></worldbody></mujoco>"""


def with_default(**values: float) -> it.ModelBuilder:
    builder = it.ModelBuilder(gravity=0.0)
    for name, value in values.items():
        setattr(builder.default_joint_cfg, name, value)
    return builder


def last(builder: it.ModelBuilder, name: str) -> float:
    """Return a value of the last degree of freedom."""
    return getattr(builder, f"joint_{name}")[-1]


@pytest.mark.parametrize(
    ("add", "text"),
    [
        ("add_urdf", URDF.format(kind="continuous", said="{}")),
        ("add_sdf", SDF),
        ("add_mjcf", MJCF.replace("{kind}", "hinge")),
    ],
)
@pytest.mark.parametrize("names", [(), ("damping",), ("damping", "friction")])
@pytest.mark.parametrize("number", [0.0, 0.8])
def test_what_is_stated_is_kept_and_the_rest_is_the_default(add, text, names, number):
    written = {"add_mjcf": {"friction": "frictionloss"}}.get(add, {})
    if add == "add_sdf":
        said = "".join(f"<{name}>{number}</{name}>" for name in names)
        said = f"<dynamics>{said}</dynamics>"
    else:
        said = " ".join(f'{written.get(name, name)}="{number}"' for name in names)
        said = f"<dynamics {said}/>" if add == "add_urdf" else said
    builder = with_default(**DEFAULT)
    getattr(builder, add)(text.replace("{}", said).replace("{said}", said))
    assert builder.joint_dof_count == 1
    expected = DEFAULT | dict.fromkeys(names, number)
    assert {name: last(builder, name) for name in expected} == expected


def test_a_hinge_that_states_nothing_slows_as_the_default_says():
    """Without gravity a damper d takes the speed of an inertia I to w exp(-d t / I)."""
    builder = with_default(damping=0.3)
    builder.add_urdf(URDF.format(kind="continuous", said=""))
    builder.joint_qd[-1] = 2.0
    model = builder.finalize()
    solver, state, dt, steps = it.SolverXPBD(model), model.state(), 1e-3, 500
    it.eval_fk(model, model.joint_q, model.joint_qd, state)
    for _ in range(steps):
        solver.step(state, state, None, None, dt)
    expected = 2.0 * np.exp(-0.3 * steps * dt / INERTIA)
    assert state.joint_qd.numpy()[-1] == pytest.approx(expected, rel=1e-4)


def test_balls_and_planar_joints_get_the_default_on_each_freedom():
    builder = with_default(damping=0.3, target_ke=5.0, target_kd=3.0)
    builder.add_urdf(URDF.format(kind="planar", said='<dynamics damping="4"/>'))
    assert list(builder.joint_damping) == [4.0] * 3
    assert list(builder.joint_target_kd) == [3.0] * 3
    builder = with_default(damping=0.3)
    builder.add_mjcf(MJCF.format(kind="ball", said=""))
    assert list(builder.joint_damping) == [0.3] * 3


def test_damping_of_a_drive_that_is_stated_as_zero_is_zero():
    for said, expected in (('<dynamics damping="0"/>', 0.0), ("", 3.0), ('<dynamics damping="2"/>', 2.0)):
        builder = with_default(damping=0.3, target_kd=3.0)
        builder.add_urdf(URDF.format(kind="continuous", said=said), joint_damping_mode="drive")
        assert last(builder, "target_kd") == expected
        assert last(builder, "damping") == 0.3
