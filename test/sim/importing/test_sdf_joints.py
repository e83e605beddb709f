# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Joints of SDFormat in a scene: two axes in one joint, and loops whichever of their links is the child."""

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.errors import ConversionError

TURNED = "0.4 0.7 -1"
KNEE = "0.6 0 0"
LIMIT = "<limit><lower>-0.2</lower><upper>0.3</upper></limit>"


def link(name, place, mass=1.0):
    moments = zip(("ixx", "iyy", "izz"), (0.01, 0.02, 0.015), strict=True)
    tensor = f"<inertia>{''.join(f'<{tag}>{mass * moment}</{tag}>' for tag, moment in moments)}</inertia>"
    return f'<link name="{name}"><pose>{place}</pose><inertial><mass>{mass}</mass>{tensor}</inertial></link>'


def axis(tag, xyz, inside=""):
    return f'<{tag}><xyz expressed_in="__model__">{xyz}</xyz>{inside}</{tag}>'


def joint(name, type_, ends, place, *axes):
    parent, child = ends.split()
    pose = f'<pose relative_to="__model__">{place} 0 0 0</pose><parent>{parent}</parent><child>{child}</child>'
    return f'<joint name="{name}" type="{type_}">{pose}{"".join(axes)}</joint>'


def model(*parts):
    return f'<sdf version="1.11"><model name="m">{"".join(parts)}</model></sdf>'


def positions(text, steps=120, dt=1 / 240, dtype="float64"):
    """Return the positions of the links a, b and, if there is one, c after some steps [m]."""
    builder = it.ModelBuilder()
    builder.add_sdf(text)
    scene = builder.finalize(dtype=dtype)
    solver, state = it.SolverXPBD(scene), scene.state()
    for _ in range(steps):
        solver.step(state, state, scene.control(), None, dt)
    places = dict(zip((name.split("/")[-1] for name in scene.body_label), state.body_q.numpy()[:, :3], strict=True))
    return np.array([places[name] for name in "abc" if name in places])


def four_bar(last, turned="0 0 0"):
    """Return a planar four-bar linkage on a base that is rotated, closed by a last joint."""
    return model(
        link("base", f"0 0 0 {turned}"),
        link("a", "0.2 0 0.5 0 0 0"),
        link("b", "1 0 1 0 0 0", 2.0),
        link("c", "1.7 0 0.4 0 0 0"),
        joint("w", "fixed", "world base", "0 0 0"),
        joint("ja", "revolute", "base a", "0 0 0", axis("axis", "0 1 0")),
        joint("jb", "revolute", "a b", "0.4 0 1", axis("axis", "0 1 0")),
        joint("jc", "revolute", "b c", "1.6 0 1", axis("axis", "0 1 0")),
        last,
    )


@pytest.mark.sweep
@pytest.mark.parametrize("turned", ["0 0 0", TURNED])
@pytest.mark.parametrize("inside", ["", "<limit><lower>-1</lower><upper>0.02</upper></limit>"])
def test_a_loop_closes_alike_whichever_link_is_its_child(turned, inside):
    """The axis of a loop whose child is held was that of the other link, and its limits had the other sign."""
    there = joint("l", "revolute", "base c", "1.8 0 0", axis("axis", "0 1 0", inside))
    back = joint("l", "revolute", "c base", "1.8 0 0", axis("axis", "0 -1 0", inside))
    wanted = positions(four_bar(there))
    assert np.ptp([wanted, positions(four_bar(there), 0)], axis=0).max() > 0.02
    assert positions(four_bar(back, turned)) == pytest.approx(wanted, abs=1e-6)


def rods(*between):
    """Return two rods, the first of which a ball holds, and what connects them at `KNEE`."""
    return model(
        link("base", "0 0 0 0 0 0"),
        link("a", "0.3 0 0 0 0 0"),
        *between,
        link("b", f"0.9 0.1 0.2 {TURNED}", 2.0),
        joint("w", "fixed", "world base", "0 0 0"),
        joint("ja", "ball", "base a", "0 0 0"),
    )


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("type_", "first", "second"),
    [("universal", "0 1 0", "0 0 1"), ("universal", "1 1 0", "0 0 1"), ("revolute2", "0 1 0", "0 0.6 0.8")],
)
@pytest.mark.parametrize(
    ("inside", "second_inside"),
    [("", ""), (LIMIT, "<dynamics><damping>0.3</damping></dynamics>"), ("", LIMIT)],
    ids=["free", "limit and damping", "second limit"],
)
def test_a_joint_of_two_axes_moves_as_two_hinges(type_, first, second, inside, second_inside):
    axes = axis("axis", first, inside), axis("axis2", second, second_inside)
    hinges = (
        link("cross", f"{KNEE} 0 0 0", 1e-6),
        joint("u", "revolute", "a cross", KNEE, axes[0]),
        joint("v", "revolute", "cross b", KNEE, axes[1].replace("axis2", "axis")),
    )
    found, wanted = positions(rods(joint("u", type_, "a b", KNEE, *axes)), 60), positions(rods(*hinges), 60)
    assert found == pytest.approx(wanted, abs=2e-3 if type_ == "revolute2" else 1e-4)


@pytest.mark.sweep
@pytest.mark.parametrize("turned", ["0 0 0", TURNED])
@pytest.mark.parametrize("pitch", [0.5, -0.2])
def test_a_nut_falls_on_its_screw_as_its_rotation_lets_it(pitch, turned):
    """m g p = (m p^2 + I) a, with the advance p [m/rad] and the acceleration a of the rotation; screws were refused."""
    mass, moment, advance, seconds = 2.0, 2.0 * 0.015, pitch / (2.0 * np.pi), 0.25
    screw = joint("s", "screw", "base a", "0 0 1", axis("axis", "0 0 1"))
    screw = screw.replace("<axis>", f"<screw_thread_pitch>{pitch}</screw_thread_pitch><axis>")
    text = model(
        link("base", f"0 0 0 {turned}"),
        joint("w", "fixed", "world base", "0 0 0"),
        link("a", "0 0 1 0 0 0", mass),
        screw,
    )
    fallen = 0.5 * 9.81 * mass * advance**2 / (mass * advance**2 + moment) * seconds**2
    assert positions(text, 600, seconds / 600) == pytest.approx(np.array([[0.0, 0.0, 1.0 - fallen]]), abs=2e-3 * fallen)


@pytest.mark.parametrize("suffix", ["sdf", "xml"])
def test_a_screw_comes_back_from_other_formats(suffix, tmp_path):
    screw = joint("s", "screw", "base a", "0 0 1", axis("axis", "0 0 1", LIMIT))
    screw = screw.replace("<axis>", "<screw_thread_pitch>0.5</screw_thread_pitch><axis>")
    it.convert(
        it.load_text(model(link("base", "0 0 0 0 0 0"), link("a", "0 0 1 0 0 0"), screw)), tmp_path / f"robot.{suffix}"
    )
    rotation, slide = it.load(tmp_path / f"robot.{suffix}").joints["s"].row
    assert (rotation.limit.lower, rotation.limit.upper) == pytest.approx((-0.2, 0.3))
    assert (slide.name, slide.mimic.joint) == ("s_advance", "s")
    assert slide.mimic.multiplier == pytest.approx(0.5 / (2.0 * np.pi))


def test_a_slide_with_limits_of_its_own_is_no_screw(tmp_path):
    """SDFormat has limits for the rotation only."""
    screw = joint("s", "screw", "base a", "0 0 1", axis("axis", "0 0 1"))
    it.convert(
        it.load_text(model(link("base", "0 0 0 0 0 0"), link("a", "0 0 1 0 0 0"), screw)), tmp_path / "robot.xml"
    )
    limited = (tmp_path / "robot.xml").read_text().replace('type="slide"', 'type="slide" range="-1 1"')
    with pytest.raises(ConversionError, match="2 joints in series"):
        it.convert(it.load_text(limited), tmp_path / "robot.sdf")
