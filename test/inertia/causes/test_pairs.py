# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Which of two links built alike is wrong: what decides where collisions and numbers alone leave it open."""

import random

import numpy as np
import pytest
from robots import joint, link, mass, tensor, urdf

import inertia_tools as it
from inertia_tools.geometry.primitives import solid_box
from inertia_tools.inertia.causes import Cause, appearance
from inertia_tools.inertia.causes.evidence import Evidence, Reference
from inertia_tools.inertia.causes.families.parallel_axis import parallel_axis
from inertia_tools.inertia.causes.families.sign import negated_products
from inertia_tools.inertia.causes.families.unit import wrong_unit
from inertia_tools.inertia.compute import compute_link
from inertia_tools.spatial import Array, rotation_from_rpy

SEEDS = range(5)


def stated(one: it.Inertial) -> str:
    x, y, z = map(float, one.com)
    (xx, xy, xz), (_, yy, yz), (*_, zz) = one.inertia.tolist()
    return f'<origin xyz="{x!r} {y!r} {z!r}"/>{mass(one.mass)}{tensor(xx, yy, zz, xy, xz, yz)}'


def pair(left: it.Inertial, right: it.Inertial, collision: str, left_visual: str = "", right_visual: str = "") -> str:
    """Make two legs on a body, each with a collision and maybe a visual."""
    legs = (("left_leg", left, left_visual), ("right_leg", right, right_visual))
    links = [
        f'<link name="{name}"><inertial>{stated(one)}</inertial>{collision}{seen}</link>' for name, one, seen in legs
    ]
    joints = joint("left_leg", "body", origin="0 0.2 0"), joint("right_leg", "body", origin="0 -0.2 0")
    return urdf(link("body", mass(9) + tensor(0.2, 0.3, 0.4)), *links, *joints)


def negated(one: it.Inertial) -> it.Inertial:
    return it.Inertial(one.mass, one.com, 2.0 * np.diag(np.diag(one.inertia)) - one.inertia)


def mirrored(one: it.Inertial) -> it.Inertial:
    mirror = np.diag([1.0, -1.0, 1.0])
    return it.Inertial(one.mass, mirror @ one.com, mirror @ one.inertia @ mirror)


def drawn_leg(seed: int) -> tuple[it.Inertial, Array, Array]:
    """Return a turned box of any size: its mass properties, its edges and roll, pitch and yaw."""
    rng = random.Random(seed)
    size = np.array([0.3, 0.2, 0.16]) * [rng.uniform(0.9, 1.1) for _ in range(3)]
    rpy = np.array([rng.uniform(0.2, 0.4) * rng.choice([-1, 1]) for _ in range(3)])
    body = solid_box(tuple(size)).scaled_to_mass(rng.uniform(1.0, 3.0)).rotate(rotation_from_rpy(tuple(rpy)))
    return body.shift(np.array([0.02, 0.01, -0.05])), size, rpy


def boxed(tag: str, size: Array, rpy: Array, xyz: Array) -> str:
    numbers = [" ".join(map(repr, map(float, one))) for one in (xyz, rpy, size)]
    origin = f'<origin xyz="{numbers[0]}" rpy="{numbers[1]}"/>'
    return f'<{tag}>{origin}<geometry><box size="{numbers[2]}"/></geometry></{tag}>'


def plain_collision(leg: it.Inertial) -> str:
    """Make an upright box around a leg, which has no products and so no sign of them."""
    return boxed("collision", np.array([0.3, 0.2, 0.25]), np.zeros(3), np.array([leg.com[0], 0.0, leg.com[2]]))


def seen_pair(seed: int) -> tuple[it.Inertial, it.Description]:
    """Return a leg, and a pair of them with negated products in the left one, whose visuals alone have products."""
    leg, size, rpy = drawn_leg(seed)
    flipped = rpy * np.array([-1.0, 1.0, -1.0])  # the mirror image of the turn
    left = boxed("visual", size, rpy, leg.com)
    right = boxed("visual", size, flipped, mirrored(leg).com)
    return leg, it.load_text(pair(negated(leg), mirrored(leg), plain_collision(leg), left, right))


@pytest.mark.parametrize("seed", SEEDS)
def test_visuals_tell_which_of_a_pair_has_the_wrong_sign(seed):
    leg, robot = seen_pair(seed)
    found = it.causes(robot)
    assert set(found) == {"left_leg"}
    [cause] = found["left_leg"]
    assert (cause.code, cause.is_proven, cause.rival) == ("negated-products", True, "")
    assert cause.after.isclose(leg, 1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_without_visuals_the_pair_is_left_open(seed):
    leg, *_ = drawn_leg(seed)
    found = it.causes(it.load_text(pair(negated(leg), mirrored(leg), plain_collision(leg))))
    assert not any(cause.is_proven for causes in found.values() for cause in causes)


@pytest.mark.parametrize("seed", SEEDS)
def test_visuals_clear_links_whose_collisions_are_coarse(seed):
    leg, size, rpy = drawn_leg(seed)
    right, flipped = mirrored(leg), rpy * np.array([-1.0, 1.0, -1.0])
    sides = boxed("visual", size, rpy, leg.com), boxed("visual", size, flipped, right.com)
    assert it.causes(it.load_text(pair(leg, right, plain_collision(leg), *sides))) == {}


def test_visuals_are_integrated_only_where_something_may_be_wrong(monkeypatch):
    asked = []
    monkeypatch.setattr(
        appearance, "compute_link", lambda link, **rest: asked.append(link.name) or compute_link(link, **rest)
    )
    leg, size, rpy = drawn_leg(1)
    sides = boxed("visual", 1.01 * size, rpy, leg.com), boxed("visual", 1.01 * size, rpy, leg.com)
    rough = boxed("collision", 1.05 * size, rpy, leg.com)
    assert it.causes(it.load_text(pair(leg, leg, rough, *sides))) == {}
    assert asked == []
    it.causes(it.load_text(pair(negated(leg), leg, rough, *sides)))
    assert "left_leg" in asked


@pytest.mark.parametrize("seed", SEEDS)
def test_visuals_do_not_hide_collisions_in_millimetres(seed):
    leg, size, rpy = drawn_leg(seed)
    large = boxed("collision", 1000.0 * size, rpy, 1000.0 * leg.com)
    right = f'<link name="base"><inertial>{stated(leg)}</inertial>{large}{boxed("visual", size, rpy, leg.com)}</link>'
    [cause] = it.causes(it.load_text(urdf(right)))["base"]
    assert (cause.code, cause.is_proven) == ("wrong-mesh-unit", True)


def arms(seed: int, mistake) -> tuple[it.Inertial, it.Description]:
    """Return an upper arm, and a robot with two of them, each with a forearm fixed to it; the left one has a mistake."""
    rng = random.Random(seed)
    size = [0.3 * rng.uniform(0.8, 1.2), 0.1, 0.08]
    upper = solid_box(tuple(size)).scaled_to_mass(rng.uniform(1.0, 2.0)).shift(np.array([0.1, 0.02, 0.03]))
    fore = solid_box((0.2, 0.06, 0.05)).scaled_to_mass(rng.uniform(0.5, 1.0))
    shape = '<box size="{} {} {}"/>'
    text = [link("body", mass(9) + tensor(0.2, 0.3, 0.4))]
    for side, one, y in (("left", mistake(upper, fore), 0.2), ("right", upper, -0.2)):
        text += [
            link(f"{side}_upper", stated(one), shape.format(*size)),
            joint(f"{side}_upper", "body", origin=f"0 {y} 0"),
        ]
        text += [link(f"{side}_fore", stated(fore), shape.format(0.2, 0.06, 0.05))]
        text += [joint(f"{side}_fore", f"{side}_upper", "fixed", "0.3 0 0")]
    return upper, it.load_text(urdf(*text))


def proven(robot: it.Description) -> dict[str, Cause]:
    return {name: found[0] for name, found in it.causes(robot).items() if found[0].is_proven}


@pytest.mark.parametrize("seed", SEEDS)
def test_what_a_link_carries_is_not_lost_by_its_twin(seed):
    upper, robot = arms(seed, lambda own, rest: it.Inertial(own.mass + rest.mass, own.com, own.inertia))
    [(name, cause)] = proven(robot).items()
    assert (name, cause.code) == ("left_upper", "assembly-mass")
    assert cause.after.isclose(upper, 1e-9)


@pytest.mark.parametrize("family", [wrong_unit, parallel_axis, negated_products])
def test_a_change_is_as_likely_in_the_twin_as_its_opposite_here(family):
    body = solid_box((0.3, 0.2, 0.1)).rotate(rotation_from_rpy((0.2, 0.3, 0.4))).shift(np.array([0.1, 0.2, 0.3]))
    own = Reference(body.com, body.inertia / body.mass, 0.006, 0.4)
    [found] = family(Evidence("arm", body, np.eye(3), own))
    here, there = np.zeros(len(found)), np.zeros(len(found))
    for index in range(len(found)):
        after = found.inertial(index)
        [back] = family(Evidence("arm", after, np.eye(3), own))
        undone = [number for number in range(len(back)) if back.inertial(number).isclose(body, 1e-9)]
        here[index], there[index] = sum(back.weights[number] for number in undone), found.weights_elsewhere[index]
    assert there == pytest.approx(here)
    assert there.max() > 0.0


def twins_of_unlike_volume(left: it.Inertial, right: it.Inertial) -> it.Description:
    """Make a pair whose names say so, and whose volumes differ by a tenth."""
    return it.load_text(
        urdf(
            link("body", mass(9) + tensor(0.2, 0.3, 0.4)),
            link("left_leg", stated(left), '<box size="0.3 0.12 0.06"/>'),
            link("right_leg", stated(right), '<box size="0.31 0.124 0.0635"/>'),
            joint("left_leg", "body", origin="0 0.2 0"),
            joint("right_leg", "body", origin="0 -0.2 0"),
        )
    )


@pytest.mark.parametrize("is_left", [True, False])
def test_either_of_a_pair_is_told_by_the_other(is_left):
    leg = it.Inertial(2.0, (0.03, 0.0, 0.0), np.diag([0.004, 0.021, 0.022]))
    wrong = it.Inertial(leg.mass, leg.com, leg.inertia * 1.0e3)
    sides = (wrong, leg) if is_left else (leg, wrong)
    [(name, cause)] = proven(twins_of_unlike_volume(*sides)).items()
    assert name == ("left_leg" if is_left else "right_leg")
    assert "built alike" in cause.evidence
