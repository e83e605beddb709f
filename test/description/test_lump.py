# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Lumping: the whole is the sum of its parts, nothing loses its place, and the world takes nothing in."""

import numpy as np
from robots import BOX, GOOD, joint, link, mass, tensor, urdf

import inertia_tools as it
from inertia_tools.description import lump
from inertia_tools.description.lump import lump_fixed_joints
from inertia_tools.inertial import Inertial

TURNED = '<origin xyz="0.1 -0.2 0.3" rpy="0.4 0.5 -0.6"/>'
CHAIN = urdf(
    link("base", TURNED + mass(3) + tensor(0.1, 0.2, 0.25, 0.01, 0.02, -0.03), BOX),
    link("plate", mass(2) + tensor(0.3, 0.2, 0.25), BOX),
    link("tip", TURNED + mass(0.5) + tensor(0.01, 0.02, 0.025), BOX),
    link("arm", GOOD),
    joint("plate", "base", "fixed", '1 2 3" rpy="0.1 0.2 0.3'),
    joint("tip", "plate", "fixed", '0 0 1" rpy="-0.4 0.2 0.9'),
    joint("arm", "tip"),
)


def test_a_link_is_made_anew_once_however_much_it_absorbs(monkeypatch):
    """Once a part would copy the shapes of all parts before it every time."""
    parts = [link(f"p{n}", GOOD, BOX) + joint(f"p{n}", f"p{n - 1}" if n else "base", "fixed") for n in range(20)]
    robot = it.load_text(urdf(link("base", GOOD, BOX), *parts))
    made, replace = [], lump.replace
    monkeypatch.setattr(lump, "replace", lambda one, **new: made.append(type(one)) or replace(one, **new))
    base = lump_fixed_joints(robot).robot.links["base"]
    assert len(base.collisions) == 21
    assert made.count(type(base)) == 2  # with its mass, then with its shapes


def placed(robot, names) -> Inertial:
    return Inertial.sum(robot.links[name].inertial.transform(robot.link_poses[name]) for name in names)


def test_the_whole_is_the_sum_of_its_parts():
    robot = it.load_text(CHAIN)
    lumped = lump_fixed_joints(robot).robot
    assert list(lumped.links) == ["base", "arm"]
    assert lumped.links["base"].inertial.isclose(placed(robot, ["base", "plate", "tip"]), 1e-14)
    assert placed(lumped, lumped.links).isclose(placed(robot, robot.links), 1e-14)


def test_shapes_joints_and_frames_stay_where_they_were():
    robot = it.load_text(CHAIN)
    lumped = lump_fixed_joints(robot)
    for name, pose in lumped.robot.link_poses.items():
        assert pose.isclose(robot.link_poses[name], 1e-15)
    frames = {frame.name: frame for frame in lumped.robot.frames}
    assert set(frames) == {"plate", "plate_joint", "tip", "tip_joint"}
    assert frames["tip"].pose_link_frame.isclose(robot.link_poses["tip"], 1e-15)
    shapes = [shape.pose_link_shape for shape in lumped.robot.links["base"].collisions]
    parts = dict(zip(["base", "plate", "tip"], shapes, strict=True))
    assert all(pose.isclose(robot.link_poses[name], 1e-15) for name, pose in parts.items())
    assert lumped.robot.links["base"].collisions[2].name == "base_fixed_joint_lump__tip_collision_2"
    assert [one.link for one in lumped.merged] == ["plate", "tip"]


def test_a_kept_joint_stays_with_what_it_carries():
    lumped = lump_fixed_joints(it.load_text(CHAIN), {"plate_joint"}).robot
    assert list(lumped.links) == ["base", "plate", "arm"]
    assert list(lumped.joints) == ["plate_joint", "arm_joint"]


def test_nothing_to_lump_changes_nothing():
    robot = it.load_text(urdf(link("base", GOOD), link("arm", GOOD), joint("arm")))
    assert lump_fixed_joints(robot).robot is robot


def test_the_world_takes_nothing_in():
    text = """<sdf version='1.9'><model name='m'><link name='a'/><link name='b'/>
      <joint name='j' type='fixed'><parent>world</parent><child>a</child></joint>
      <joint name='k' type='fixed'><parent>a</parent><child>b</child></joint></model></sdf>"""
    lumped = lump_fixed_joints(it.load_text(text)).robot
    assert list(lumped.joints) == ["j"]
    assert list(lumped.links) == ["a"]


def test_a_group_without_inertials_has_none():
    lumped = lump_fixed_joints(it.load_text(urdf(link(), link("a"), joint("a", type_="fixed")))).robot
    assert lumped.links["base"].declared is None
    assert np.allclose(lumped.frames[1].pose_link_frame.position, [0, 0, 1])


def test_added_mass_of_the_whole_moves_as_much_fluid_as_its_parts():
    """The energy of the fluid is the same for every motion; the one in links that move apart is left alone."""
    rng = np.random.default_rng(3)
    names = [f"{a}{b}" for i, a in enumerate("xyzpqr") for b in "xyzpqr"[i:]]

    def inertial():
        words = "".join(f"<{name}>{value}</{name}>" for name, value in zip(names, rng.random(21), strict=True))
        return f"<inertial><mass>2</mass><fluid_added_mass>{words}</fluid_added_mass></inertial>"

    links = f"<link name='a'>{inertial()}</link><link name='b'><pose>1 2 3 0.4 0.5 0.6</pose>{inertial()}</link>"
    links += (
        f"<link name='c'><pose relative_to='b'>0 -1 2 1 2 3</pose>{inertial()}</link><link name='d'>{inertial()}</link>"
    )
    joints = "".join(
        f"<joint name='{p}{c}' type='{type_}'><parent>{p}</parent><child>{c}</child></joint>"
        for p, c, type_ in (("a", "b", "fixed"), ("b", "c", "fixed"), ("c", "d", "ball"))
    )
    robot = it.load_text(f"<sdf version='1.10'><model name='m'>{links}{joints}</model></sdf>")
    lumped = lump_fixed_joints(robot).robot
    v, w = rng.random(3), rng.random(3)
    energy = 0.0
    for name in "abc":
        pose = robot.link_poses[name]
        twist = np.concatenate([pose.rotation.T @ (v + np.cross(w, pose.position)), pose.rotation.T @ w])
        energy += twist @ robot.links[name].declared.added_mass @ twist
    whole = lumped.links["a"].declared.added_mass
    assert np.isclose(np.concatenate([v, w]) @ whole @ np.concatenate([v, w]), energy, rtol=1e-14)
    assert np.array_equal(whole, whole.T)
    assert lumped.links["d"].declared.added_mass is robot.links["d"].declared.added_mass
