# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""MuJoCo compiles what we convert to MJCF, and finds the same masses in it."""

import numpy as np
import pytest
from robots import example_robots

import inertia_tools as it
from inertia_tools.inertial import Inertial, rotate_tensor
from inertia_tools.spatial import rotation_from_quaternion

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")

ROBOTS = [
    "a1_description/urdf/a1.urdf",
    "anymal_b_simple_description/robots/anymal.urdf",
    "go1_description/urdf/go1.urdf",
    "allegro_hand_description/urdf/allegro_left_hand.urdf",
    "bolt_description/robots/bolt.urdf",
    "talos_data/robots/talos_full_v2.urdf",
    "tiago_pro_description/robots/tiago_pro.urdf",
    "solo_description/robots/solo12.urdf",
    "ur_description/urdf/ur5_robot.urdf",
    "z1_description/urdf/z1.urdf",
]

TENSOR_AGREEMENT = 1e-6
"""Of the largest moment: MuJoCo's own search for principal axes stops about 1e-6 rad away."""

FOLDER = example_robots()
pytestmark = pytest.mark.skipif(FOLDER is None, reason="example-robot-data is not installed")


def body_inertial(body) -> Inertial:
    w, x, y, z = body.iquat
    tensor = rotate_tensor(rotation_from_quaternion([x, y, z, w]), np.diag(body.inertia))
    return Inertial(body.mass[0], body.ipos, tensor)


@pytest.fixture(scope="module", params=ROBOTS)
def correction(request):
    return it.fix(it.load(FOLDER / request.param))


@pytest.mark.parametrize("through", ["", ".sdf"])
def test_masses_survive(correction, through, tmp_path):
    if through:
        it.convert(correction, tmp_path / f"r{through}")
    conversion = it.convert(tmp_path / f"r{through}" if through else correction, tmp_path / "r.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "r.xml"))
    assert model.nbody == len(conversion.prepared.links) + 1
    for link in conversion.prepared.links.values():
        theirs = body_inertial(model.body(link.name))
        if link.inertial is None:
            assert theirs.mass == 0.0
            continue
        assert theirs.mass == pytest.approx(link.inertial.mass, rel=1e-15)
        assert np.allclose(theirs.com, link.inertial.com, rtol=0, atol=1e-15)
        size = np.abs(link.inertial.inertia).max()
        assert np.allclose(theirs.inertia, link.inertial.inertia, rtol=0, atol=TENSOR_AGREEMENT * size)
