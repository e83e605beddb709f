# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Published robots: lumping against a lumping of the test's own, and all formats one after the other."""

from itertools import pairwise

import numpy as np
import pytest
from robots import example_robots

import inertia_tools as it
from inertia_tools.inertial import Inertial

urdf_parser = pytest.importorskip("urdf_parser_py.urdf", reason="urdf-parser-py is not installed")

TWENTY = [
    "a1_description/urdf/a1.urdf",
    "allegro_hand_description/urdf/allegro_left_hand.urdf",
    "anymal_b_simple_description/robots/anymal.urdf",
    "b1_description/urdf/b1.urdf",
    "baxter_description/urdf/baxter.urdf",
    "bolt_description/robots/bolt.urdf",
    "simple_humanoid_description/urdf/simple_humanoid.urdf",
    "centauro_description/urdf/centauro.urdf",
    "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "go1_description/urdf/go1.urdf",
    "go2_description/urdf/go2.urdf",
    "hyq_description/robots/hyq_no_sensors.urdf",
    "romeo_description/urdf/romeo_small.urdf",
    "kinova_description/robots/kinova.urdf",
    "laikago_description/urdf/laikago.urdf",
    "panda_description/urdf/panda.urdf",
    "tiago_pro_description/robots/tiago_pro.urdf",
    "solo_description/robots/solo12.urdf",
    "talos_data/robots/talos_full_v2.urdf",
    "tiago_description/robots/tiago.urdf",
    "ur_description/urdf/ur5_robot.urdf",
    "z1_description/urdf/z1.urdf",
]

FOLDER = example_robots()
pytestmark = pytest.mark.skipif(FOLDER is None, reason="example-robot-data is not installed")
PRESENT = [name for name in TWENTY if FOLDER is not None and (FOLDER / name).is_file()]

RELATIVE = 1e-9


def close(ours: Inertial, mass: float, com: np.ndarray, tensor: np.ndarray) -> bool:
    return (
        abs(ours.mass - mass) <= RELATIVE * mass
        and np.allclose(ours.com, com, rtol=0, atol=RELATIVE)
        and np.allclose(ours.inertia, tensor, rtol=0, atol=RELATIVE * np.abs(tensor).max())
    )


# The test's own lumping: 6x6 spatial inertias about the origin of the parent (Featherstone 2008, 2.63), added up.


def rotation(rpy):
    (cr, cp, cy), (sr, sp, sy) = np.cos(rpy), np.sin(rpy)
    about_x = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    about_y = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    about_z = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    return about_z @ about_y @ about_x


def cross(vector):
    x, y, z = vector
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def frame_of(origin):
    """Rotation and position of an <origin>; nothing stated is the identity."""
    if origin is None:
        return np.eye(3), np.zeros(3)
    return rotation(origin.rpy or (0, 0, 0)), np.array(origin.xyz or (0, 0, 0), dtype=float)


def spatial(mass, com, tensor):
    c = cross(com)
    return np.block([[tensor + mass * c @ c.T, mass * c], [mass * c.T, mass * np.eye(3)]])


def moved(inertia, turn, position):
    """A spatial inertia of a child frame in the frame that the child's has this place in."""
    motion = np.block([[turn.T, np.zeros((3, 3))], [-turn.T @ cross(position), turn.T]])
    return motion.T @ inertia @ motion


def of_link(link):
    if link.inertial is None:
        return np.zeros((6, 6))
    i = link.inertial.inertia
    turn, com = frame_of(link.inertial.origin)
    tensor = np.array([[i.ixx, i.ixy, i.ixz], [i.ixy, i.iyy, i.iyz], [i.ixz, i.iyz, i.izz]])
    return spatial(link.inertial.mass, com, turn @ tensor @ turn.T)


def taken_apart(inertia):
    mass = inertia[5, 5]
    product = inertia[:3, 3:] / mass
    com = np.array([product[2, 1], product[0, 2], product[1, 0]])
    return mass, com, inertia[:3, :3] - mass * cross(com) @ cross(com).T


def lumped_by_hand(robot):
    """Spatial inertia of each group of links about the origin of its first, and of all about the root's."""
    children = {}
    for joint in robot.joints:
        children.setdefault(joint.parent, []).append(joint)

    def gather(name, only_fixed, wanted):
        total = of_link(wanted[name])
        for joint in children.get(name, []):
            if joint.type == "fixed" or not only_fixed:
                total = total + moved(gather(joint.child, only_fixed, wanted), *frame_of(joint.origin))
        return total

    links = {link.name: link for link in robot.links}
    root = robot.get_root()
    moving = [joint.child for joint in robot.joints if joint.type != "fixed" or joint.parent == "world"]
    heads = [name for name in (root, *moving) if name != "world"]
    return {head: gather(head, True, links) for head in heads}, gather(root, False, links)


def test_twenty_are_here():
    assert len(PRESENT) >= 20


@pytest.mark.parametrize("name", PRESENT)
def test_lumping_agrees_with_a_lumping_by_hand(name):
    robot = it.load(FOLDER / name)
    converted = it.load_text(it.convert(robot, format="sdf").data)
    groups, whole = lumped_by_hand(robot.to_urdf_parser())
    with_mass = {link: inertia for link, inertia in groups.items() if inertia[5, 5] > 0}
    assert set(with_mass) <= set(converted.links) <= set(groups)
    for link, inertia in with_mass.items():
        assert close(converted.links[link].inertial, *taken_apart(inertia)), link
    assumed = sum(converted.links[link].inertial.mass for link in set(converted.links) - set(with_mass))
    if not assumed:
        parts = [link.inertial.transform(converted.link_poses[name]) for name, link in converted.links.items()]
        mass, com, tensor = taken_apart(whole)
        assert close(Inertial.sum(parts), mass, com, tensor)


@pytest.mark.parametrize("name", PRESENT[:12])
def test_one_format_after_the_other_changes_no_inertial(name, tmp_path):
    first = it.convert(FOLDER / name, tmp_path / "a.sdf")
    stages = ["a.sdf", "b.xml", "c.sdf", "d.urdf", "e.xml"]
    for before, after in pairwise(stages):
        it.convert(tmp_path / before, tmp_path / after)
    expected = {link.name: link.inertial for link in first.prepared.links.values()}
    for stage in stages:
        robot = it.resolve(it.load(tmp_path / stage))
        for link, inertial in expected.items():
            got = robot.links[link].inertial
            assert close(got, inertial.mass, inertial.com, inertial.inertia), (stage, link)
        assert sum(link.inertial.mass for link in robot.links.values() if link.inertial) == pytest.approx(
            sum(inertial.mass for inertial in expected.values()), rel=1e-12
        )
