# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""MuJoCo compiles what we convert to MJCF, and finds the same masses in it."""

import numpy as np
import pytest
from robots import example_robots

import inertia_tools as it
from inertia_tools.conversion import Kind
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


def body_inertial(body) -> Inertial:
    w, x, y, z = body.iquat
    tensor = rotate_tensor(rotation_from_quaternion([x, y, z, w]), np.diag(body.inertia))
    return Inertial(body.mass[0], body.ipos, tensor)


@pytest.fixture(scope="module", params=ROBOTS)
def correction(request):
    if FOLDER is None:
        pytest.skip("example-robot-data is not installed")
    return it.fix(it.load(FOLDER / request.param))


@pytest.mark.sweep
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


@pytest.mark.parametrize(("scale", "is_taken"), [(1.0, True), (0.1, True), (0.01, True), (1e-3, False)])
def test_small_tensors_are_taken_as_long_as_mujoco_takes_any(scale, is_taken):
    """It takes no `fullinertia` with a moment under 1e-14, and nothing under 1e-15 that moves."""
    six = scale * np.array([3e-13, 1e-14, 0.0, 2e-13, -1e-14, 4e-13])
    tensor = "".join(
        f'{name}="{value!r}" '
        for name, value in zip(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), six.tolist(), strict=True)
    )
    own = f'<inertial><origin xyz="1e-3 0 0"/><mass value="1e-6"/><inertia {tensor}/></inertial>'
    conversion = it.convert(it.load_text(f'<robot name="r"><link name="a">{own}</link></robot>'), format="mjcf")
    assert bool(conversion.noted(Kind.REFUSED)) != is_taken
    if not is_taken:
        with pytest.raises(ValueError, match="mjMINVAL"):
            mujoco.MjModel.from_xml_string(conversion.text)
        return
    theirs = body_inertial(mujoco.MjModel.from_xml_string(conversion.text).body("a"))
    for found in (theirs, conversion.converted.links["a"].inertial):
        assert np.allclose(found.inertia, conversion.robot.links["a"].inertial.inertia, rtol=0, atol=1e-6 * six[5])


@pytest.mark.parametrize(("moment", "is_taken"), [(1.0, True), (2e-16, False)])
def test_a_tiny_tensor_is_taken_if_a_sound_body_is_welded_to_it(moment, is_taken):
    own = '<inertial><mass value="1"/><inertia ixx="{0}" iyy="{0}" izz="{0}" ixy="0" ixz="0" iyz="0"/></inertial>'
    links = f'<link name="a">{own.format(2e-16)}</link><link name="b"/><link name="c">{own.format(moment)}</link>'
    joints = "".join(
        f'<joint name="{child}" type="fixed"><parent link="{parent}"/><child link="{child}"/></joint>'
        for parent, child in ("ab", "bc")
    )
    conversion = it.convert(it.load_text(f'<robot name="r">{links}{joints}</robot>'), format="mjcf")
    assert ("a" in [note.name for note in conversion.noted(Kind.REFUSED)]) != is_taken
    if is_taken:
        mujoco.MjModel.from_xml_string(conversion.text)
        return
    with pytest.raises(ValueError, match="mjMINVAL"):
        mujoco.MjModel.from_xml_string(conversion.text)
