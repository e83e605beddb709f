# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Masses, densities and moments of a stage that nothing can have: they count as not stated, and are named."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.sim.scene.notices import SceneWarning

pytest.importorskip("pxr")

STAGE = """#usda 1.0
(
    upAxis = "Z"
    metersPerUnit = 1
)
def Xform "body" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
{{
    {body}
    def Cube "box" (
        prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMassAPI", "MaterialBindingAPI"]
    )
    {{
        double size = 0.2
        {collider}
        rel material:binding:physics = </stuff>
    }}
}}
def Material "stuff" (prepend apiSchemas = ["PhysicsMaterialAPI"])
{{
    {material}
}}
"""


def _weighed(**content: str) -> tuple[float, np.ndarray, list[str]]:
    builder = it.ModelBuilder()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        builder.add_usd(STAGE.format(**{"body": "", "collider": "", "material": "", **content}))
    said = [str(one.message) for one in caught if issubclass(one.category, SceneWarning)]
    return builder.body_mass[0], np.array(builder.body_inertia[0]), said


@pytest.mark.parametrize("value", ["-1", "inf", "nan"])
@pytest.mark.parametrize(
    ("prim", "attribute", "said"),
    [
        ("body", "physics:density", "MassAPI density"),
        ("collider", "physics:density", "MassAPI density"),
        ("collider", "physics:mass", "the mass"),
        ("material", "physics:density", "material density"),
    ],
)
def test_a_number_that_nothing_can_have_counts_as_not_stated(prim: str, attribute: str, said: str, value: str) -> None:
    mass, inertia, silent = _weighed()
    assert silent == []
    found, tensor, notices = _weighed(**{prim: f"float {attribute} = {value}"})
    assert found == pytest.approx(mass)
    np.testing.assert_allclose(tensor, inertia)
    assert any(said in one for one in notices)


def test_zero_is_the_word_for_not_given() -> None:
    mass, _, _ = _weighed()
    for prim in ("body", "collider", "material"):
        found, _, notices = _weighed(**{prim: "float physics:density = 0"})
        assert (found, notices) == (pytest.approx(mass), [])


@pytest.mark.parametrize("moments", ["(-1, 1, 1)", "(inf, 1, 1)", "(nan, 1, 1)"])
@pytest.mark.parametrize("prim", ["collider", "body"])
def test_moments_that_nothing_has_are_computed(prim: str, moments: str) -> None:
    mass = "float physics:mass = 5\n    "
    _, wanted, _ = _weighed(**{prim: mass})
    found, tensor, notices = _weighed(**{prim: f"{mass}float3 physics:diagonalInertia = {moments}"})
    assert found == pytest.approx(5.0)
    np.testing.assert_allclose(tensor, wanted)
    assert any("diagonalInertia must have finite, nonnegative components" in one for one in notices)


@pytest.mark.parametrize("value", ["-5", "inf", "nan"])
def test_a_mass_that_no_body_has_is_weighed(value: str) -> None:
    mass, inertia, _ = _weighed()
    found, tensor, notices = _weighed(body=f"float physics:mass = {value}")
    assert found == pytest.approx(mass)
    np.testing.assert_allclose(tensor, inertia)
    assert any(f"authored mass is not positive and finite: {float(value)}" in one for one in notices)
