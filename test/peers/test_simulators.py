# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What we say that simulators do with a file is what those do that install from PyPI and Debian."""

import itertools
import tempfile
from pathlib import Path

import numpy as np
import pytest
from robots import BOX, has, joint, link, mass, tensor, urdf

import inertia_tools as it
from inertia_tools.inertia.simulators import SIMULATORS, Effect, predict
from inertia_tools.inertial import tensor_from_six

SOUND = mass(1) + tensor(0.0108, 0.0083, 0.0042)
INERTIALS = {
    "sound": SOUND,
    "none": "",
    "zero mass": mass(0) + tensor(0.0108, 0.0083, 0.0042),
    "zero": mass(0) + tensor(0, 0, 0),
    "negative mass": mass(-1) + tensor(0.0108, 0.0083, 0.0042),
    "zero tensor": mass(1) + tensor(0, 0, 0),
    "no mass": tensor(0.0108, 0.0083, 0.0042),
    "no tensor": mass(1),
    "negative moment": mass(1) + tensor(0.01, 0.01, -0.001),
    "triangle": mass(2) + tensor(0.01, 0.01, 0.05),
    "rounding": mass(1) + tensor(0.00333, 0.00333, 0.00667),
    "products": mass(1) + tensor(0.0108, 0.0083, 0.0042, 0.02),
    "not a number": mass("nan") + tensor(0.0108, 0.0083, 0.0042),
    "turned": '<origin xyz="0.01 0.02 0.03" rpy="0.1 0.2 0.3"/>' + SOUND,
}


def chain(inertial: str, shape: str, kind: str, has_tip: bool, has_load: bool) -> str:
    """A base, a link "a" on it, and, if wanted, a moving link and a fixed load on that."""
    parts = [link("base", mass(3) + tensor(0.03, 0.03, 0.02), BOX), link("a", inertial, shape), joint("a", type_=kind)]
    if has_tip:
        parts += [link("tip", SOUND, BOX), joint("tip", "a")]
    if has_load:
        parts += [link("load", SOUND, BOX), joint("load", "a", type_="fixed")]
    return urdf(*parts)


CASES = {
    f"{name}, {'box' if shape else 'bare'}, {kind}{', tip' * tip}{', load' * load}": chain(text, shape, kind, tip, load)
    for (name, text), shape, kind, (tip, load) in itertools.product(
        INERTIALS.items(), (BOX, ""), ("revolute", "fixed"), ((True, False), (False, False), (True, True))
    )
}
CASES |= {
    f"root {name}": urdf(link("a", text, BOX), link("tip", SOUND, BOX), joint("tip", "a"))
    for name, text in INERTIALS.items()
}
CASES |= {
    f"{name}, fixed to a frame {'without an inertial' if not frame else 'without mass'}": urdf(
        link("base", SOUND, BOX),
        link("frame", frame),
        joint("frame", type_="fixed"),
        link("a", text),
        joint("a", "frame", type_="fixed"),
    )
    for (name, text), frame in itertools.product(INERTIALS.items(), ("", INERTIALS["zero"]))
}
REFUSED, GONE = "refused", "gone"
Found = dict[str, tuple[float, np.ndarray]]


def mujoco(text: str) -> Found:
    import mujoco

    model = mujoco.MjModel.from_xml_string(text)
    return {model.body(i).name: (float(model.body_mass[i]), model.body_inertia[i]) for i in range(1, model.nbody)}


def pybullet(text: str) -> Found:
    import pybullet

    client = pybullet.connect(pybullet.DIRECT)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "r.urdf"
        path.write_text(text)
        try:
            body = pybullet.loadURDF(str(path), physicsClientId=client)
            count = pybullet.getNumJoints(body, physicsClientId=client)
            names = [pybullet.getJointInfo(body, i, physicsClientId=client)[12].decode() for i in range(count)]
            names.insert(0, pybullet.getBodyInfo(body, physicsClientId=client)[0].decode())
            info = [pybullet.getDynamicsInfo(body, i - 1, physicsClientId=client) for i in range(count + 1)]
            return {name: (one[0], np.array(one[2])) for name, one in zip(names, info, strict=True)}
        finally:
            pybullet.disconnect(client)


def drake(text: str) -> Found:
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant

    plant = MultibodyPlant(0.001)
    (model,) = Parser(plant).AddModelsFromString(text, "urdf")
    found = {}
    for index in plant.GetBodyIndices(model):
        body = plant.get_body(index)
        value = body.default_spatial_inertia()
        unit = value.Shift(value.get_com()).get_unit_inertia().CopyToFullMatrix3() if body.default_mass() else 0.0
        found[body.name()] = (body.default_mass(), np.linalg.eigvalsh(unit * body.default_mass() * np.ones((3, 3))))
    return found


def newton(text: str) -> Found:
    import newton

    builder = newton.ModelBuilder()
    builder.add_urdf(text)
    model = builder.finalize(device="cpu")
    names = [label.rsplit("/", 1)[-1] for label in builder.body_label]
    tensors = [np.linalg.eigvalsh(one) for one in model.body_inertia.numpy()]
    return dict(zip(names, zip(model.body_mass.numpy().tolist(), tensors, strict=True), strict=True))


def observed(read, text: str, before: it.Inertial | None) -> str:
    """Tell what became of link "a": refused, gone, as stated, or changed."""
    try:
        found = read(text)
    except (Exception, SystemExit):
        return REFUSED
    if "a" not in found:
        return GONE
    own_mass, moments = found["a"]
    is_same = (
        before is not None
        and before.is_finite()
        and np.isclose(own_mass, before.mass, rtol=1e-5)
        and np.allclose(np.sort(moments), before.principal_moments, rtol=1e-4, atol=1e-12)
    )
    return "same" if is_same else "changed"


ALLOWED = {
    Effect.REFUSES: {REFUSED},
    Effect.DROPS: {GONE},
    Effect.LUMPS: {GONE, "changed", "same"},
    Effect.IGNORES: {GONE, "changed", "same"},
    Effect.AS_STATED: {"same"},
    Effect.ZEROES: {"changed", "same"},
    Effect.DEFAULTS: {"changed"},
    Effect.SUBSTITUTES: {"changed"},
    Effect.GEOMETRY: {"changed"},
}


READERS = {"mujoco": mujoco, "pybullet": pybullet, "drake": drake, "newton": newton}
MODULES = {"mujoco": "mujoco", "pybullet": "pybullet", "drake": "pydrake", "newton": "newton"}


@pytest.mark.parametrize("name", READERS)
def test_every_case_is_foretold(name):
    if not has(MODULES[name]):
        pytest.skip(f"{name} is not installed")
    assert wrongly_foretold(name, READERS[name]) == []


def test_every_case_is_foretold_for_gazebo(libsdformat, tmp_path):
    def read(text: str) -> Found:
        path = tmp_path / "r.urdf"
        path.write_text(text)
        (document,) = libsdformat([path])
        if document["errors"]:
            raise ValueError(document["errors"])
        return {
            name: (one["mass"], np.linalg.eigvalsh(tensor_from_six(one["inertia"])))
            for name, one in document["links"].items()
        }

    assert wrongly_foretold("gazebo", read) == []


STEP = {"newton": 5, "pybullet": 5, "gazebo": 5}
"""Slow readers see every fifth case, which are of all kinds, since there are twelve for each inertial."""


def wrongly_foretold(name: str, read) -> list[str]:
    """Return the cases in which something else happens than we say."""
    assert len(CASES) > 150
    wrong = []
    for case, text in list(CASES.items())[:: STEP.get(name, 1)]:
        robot = it.load_text(text)
        foretold = {link_: row[name].effect for link_, row in predict(robot, [SIMULATORS[name]]).items()}
        what = observed(read, text, robot.links["a"].inertial)
        effect = Effect.REFUSES if Effect.REFUSES in foretold.values() else foretold["a"]
        if what not in ALLOWED[effect]:
            wrong.append(f"{case}: {effect.value} was foretold, {what} was seen")
    return wrong
