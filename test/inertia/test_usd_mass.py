# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What bodies of a USD stage weigh: each value by the first rule that gives it."""

import numpy as np
import pytest
from usd_stages import at, body, cube, prim, stage

import inertia_tools as it

pytest.importorskip("pxr", reason="usd-core is not installed")

CUBE_TENSOR = 0.2**2 / 6.0
"""Tensor of a cube of 0.2 m over its mass [m^2]."""

SINGLE = 5e-7
"""What some roundings in single precision may do."""


def weigh(text: str, link: str = "B"):
    """Return mass, centre of mass and tensor of a link."""
    found = it.stats(it.load_text(text))[link].effective
    return None if found is None else found.inertial


@pytest.fixture
def calls(monkeypatch):
    """Count what OpenUSD is asked."""
    from pxr import UsdPhysics

    counted = []
    original = UsdPhysics.RigidBodyAPI.ComputeMassProperties

    def counting(self, callback):
        counted.append(str(self.GetPrim().GetPath()))
        return original(self, callback)

    monkeypatch.setattr(UsdPhysics.RigidBodyAPI, "ComputeMassProperties", counting)
    return counted


@pytest.mark.parametrize(
    ("own", "of_collider", "mass", "tensor"),
    [
        ("", "", 8.0, 8.0 * CUBE_TENSOR),
        ("float physics:mass = 4", "", 4.0, 4.0 * CUBE_TENSOR),
        ("float physics:density = 500", "", 4.0, 4.0 * CUBE_TENSOR),
        ("", "float physics:mass = 3", 3.0, 3.0 * CUBE_TENSOR),
        ("", "float physics:density = 2000", 16.0, 16.0 * CUBE_TENSOR),
        ("float physics:density = 500", "float physics:density = 2000", 16.0, 16.0 * CUBE_TENSOR),
        ("float physics:mass = 4\npoint3f physics:centerOfMass = (0.1, 0, 0)", "", 4.0, 4.0 * CUBE_TENSOR),
        ("float physics:mass = 4", "float physics:mass = 3", 4.0, 4.0 * CUBE_TENSOR),
    ],
)
def test_a_cube_of_20_cm(own, of_collider, mass, tensor):
    found = weigh(stage(body("B", own, cube("c", of_collider, mass_api=bool(of_collider)))))
    assert found.mass == pytest.approx(mass, rel=SINGLE)
    np.testing.assert_allclose(found.inertia, tensor * np.eye(3), rtol=0, atol=SINGLE * tensor)


@pytest.mark.parametrize(
    ("own", "of_collider", "of_material", "mass"),
    [
        ("", "", None, 8.0),
        ("", "float physics:density = 2000", None, 16.0),
        ("", "", 500.0, 4.0),
        ("", "float physics:density = 2000", 500.0, 16.0),
    ],
    ids=["none", "collider", "material", "both"],
)
def test_densities_of_colliders_and_materials_count(own, of_collider, of_material, mass):
    """The four cases: the records have unit density, and what prims and materials state is applied to them."""
    material = prim("Material", "M", f"float physics:density = {of_material}", apis=("PhysicsMaterialAPI",))
    bound = "rel material:binding:physics = </M>" if of_material else ""
    apis = ("MaterialBindingAPI",) if of_material else ()
    collider = cube("c", of_collider, bound, mass_api=True, apis=apis)
    assert weigh(stage(material, body("B", own, collider))).mass == pytest.approx(mass, rel=SINGLE)


def test_a_body_that_states_everything_is_taken_at_its_word_and_openusd_is_not_asked(calls):
    full = (
        "float physics:mass = 2\nfloat3 physics:diagonalInertia = (1, 2, 3)\npoint3f physics:centerOfMass = (1, 0, 0)"
    )
    found = weigh(stage(body("B", full, cube("c"))))
    assert (found.mass, found.com.tolist()) == (2.0, [1.0, 0.0, 0.0])
    assert np.diag(found.inertia).tolist() == [1.0, 2.0, 3.0]  # principalAxes are the identity
    assert calls == []


def test_a_whole_humanoid_that_states_everything_asks_openusd_nothing(calls):
    full = (
        "float physics:mass = 2\nfloat3 physics:diagonalInertia = (1, 2, 3)\npoint3f physics:centerOfMass = (1, 0, 0)"
    )
    report = it.stats(it.load_text(stage(*(body(f"B{n}", full, cube("c")) for n in range(20)))))
    assert report.total_mass == 40.0
    assert calls == []


def test_openusd_is_asked_once_for_what_a_body_does_not_state(calls):
    weigh(stage(body("B", "float physics:density = 500", cube("c"))))
    assert calls == ["/B"]


def test_principal_axes_turn_the_moments():
    turned = "quatf physics:principalAxes = (0.70710678, 0, 0, 0.70710678)"
    full = (
        "float physics:mass = 2\nfloat3 physics:diagonalInertia = (1, 2, 3)\npoint3f physics:centerOfMass = (0, 0, 0)"
    )
    found = weigh(stage(body("B", full, turned, cube("c"))))
    np.testing.assert_allclose(np.diag(found.inertia), [2.0, 1.0, 3.0], atol=1e-7)


@pytest.mark.parametrize(
    "name", ["float physics:mass", "float3 physics:diagonalInertia", "point3f physics:centerOfMass"]
)
def test_each_value_counts_on_its_own(name):
    values = {"float physics:mass": "5", "float3 physics:diagonalInertia": "(1, 2, 3)"}
    found = weigh(stage(body("B", f"{name} = {values.get(name, '(0.5, 0, 0)')}", cube("c"))))
    assert found.mass == pytest.approx(5.0 if "mass" in name else 8.0)
    assert found.com.tolist() == pytest.approx([0.5 if "center" in name else 0.0, 0.0, 0.0])
    if "diagonal" in name:
        assert np.diag(found.inertia).tolist() == [1.0, 2.0, 3.0]


def test_stated_means_stated_even_at_the_default_of_the_schema():
    assert weigh(stage(body("B", "float physics:mass = 0", cube("c")))).mass == 0.0


def test_a_zero_tensor_is_an_error_whose_correction_is_what_other_importers_take_it_for():
    """Newton's page applies what is authored; the schema, and Newton 1.8, read zero as "not given"."""
    robot = it.load_text(
        stage(body("B", "float physics:mass = 4\nfloat3 physics:diagonalInertia = (0, 0, 0)", cube("c")))
    )
    assert "zero-inertia" in {finding.code for finding in it.check(robot).findings}
    without = weigh(stage(body("B", "float physics:mass = 4", cube("c"))))
    assert it.fix(robot).changes["B"].after.isclose(without, rtol=SINGLE)


@pytest.mark.parametrize("where", ["body", "collider"])
def test_a_blocked_value_is_absent(where):
    blocks = "float physics:mass = None\nfloat physics:density = None\npoint3f physics:centerOfMass = None"
    blocks += "\nfloat3 physics:diagonalInertia = None\nquatf physics:principalAxes = None"
    own, of_collider = (blocks, "") if where == "body" else ("", blocks)
    found = weigh(stage(body("B", own, cube("c", of_collider, mass_api=True))))
    assert found.mass == pytest.approx(8.0)
    np.testing.assert_allclose(found.com, 0.0, atol=1e-9)
    np.testing.assert_allclose(found.inertia, 8.0 * CUBE_TENSOR * np.eye(3), atol=1e-7)


@pytest.mark.parametrize(
    "odd",
    [
        "quatf physics:principalAxes = (inf, 0, 0, 0)",
        "quatf physics:principalAxes = (2, 0, 0, 1)",
        "point3f physics:centerOfMass = (nan, 0, 0)",
        "point3f physics:centerOfMass = (0, inf, 0)",
        "float3 physics:diagonalInertia = (1, inf, 1)",
        "float3 physics:diagonalInertia = (1, -1, 1)",
        "float physics:mass = inf",
        "float physics:density = nan",
    ],
)
def test_what_is_no_number_or_has_another_length_takes_nothing_else_along(odd):
    """Axes are a direction, whatever their length; OpenUSD would multiply the tensor by its fourth power."""
    centre = "point3f physics:centerOfMass = (0.1, 0, 0)"
    expected = weigh(stage(body("B", centre, cube("c"))))
    found = weigh(stage(body("B", centre, cube("c", odd, mass_api=True))))
    assert found.isclose(expected, rtol=SINGLE)


@pytest.mark.parametrize("moments", ["(nan, 1, 1)", "(-1, 1, 1)", "(1, inf, 1)"])
def test_moments_of_a_body_that_are_none_take_nothing_else_along(moments):
    centre, odd = "point3f physics:centerOfMass = (0.1, 0, 0)", f"float3 physics:diagonalInertia = {moments}"
    assert weigh(stage(body("B", centre, odd, cube("c")))).mass == pytest.approx(8.0, rel=SINGLE)
    weighed = []
    for own in ((centre,), (centre, odd)):
        builder = it.ModelBuilder()
        builder.add_usd(stage(body("B", *own, cube("c"))))
        weighed.append(it.Inertial(builder.body_mass[0], builder.body_com[0], builder.body_inertia[0]))
    assert weighed[1].isclose(weighed[0], rtol=SINGLE)


@pytest.mark.parametrize("mass_api", [False, True])
@pytest.mark.parametrize(
    ("where", "name", "value"),
    [
        ("body", "float physics:density", "500"),
        ("material", "float physics:density", "500"),
        ("collider", "float physics:density", "500"),
        ("collider", "float physics:mass", "3"),
        ("collider", "point3f physics:centerOfMass", "(0.1, 0, 0)"),
    ],
)
def test_the_first_sample_counts_for_whatever_is_computed(where, name, value, mass_api):
    """OpenUSD looks at no sample."""

    def weighed(said):
        says = {"body": "", "collider": "", "material": "", where: said}
        material = prim("Material", "M", says["material"], apis=("PhysicsMaterialAPI",))
        bound = "rel material:binding:physics = </M>"
        own = cube("c", bound, says["collider"], mass_api=True, apis=("MaterialBindingAPI",))
        has_api = mass_api or where == "body"
        return weigh(stage(material, body("B", says["body"], own, cube("d", at(1, 0, 0)), mass_api=has_api)))

    found, expected = weighed(f"{name}.timeSamples = {{ 0: {value}, 1: {value} }}"), weighed(f"{name} = {value}")
    assert found.isclose(expected, rtol=SINGLE)


@pytest.mark.parametrize("mass", ["0", "-1"])
def test_a_mass_of_a_collider_that_counts_as_absent_leaves_its_tensor(mass):
    tensor = "float3 physics:diagonalInertia = (1, 1.2, 1.1)"
    expected = weigh(stage(body("B", cube("c", tensor, mass_api=True), mass_api=False)))
    found = weigh(stage(body("B", cube("c", tensor, f"float physics:mass = {mass}", mass_api=True), mass_api=False)))
    assert found.isclose(expected, rtol=SINGLE)


def test_a_collider_that_is_off_carries_no_mass():
    off = cube("off", "float physics:mass = 3", "bool physics:collisionEnabled = false", mass_api=True)
    assert weigh(stage(body("B", cube("c"), off))).mass == pytest.approx(8.0)
    assert weigh(stage(body("B", off))) is None


def test_a_collider_with_mass_and_tensor_counts_with_its_own_tensor():
    states = "float physics:mass = 3\nfloat3 physics:diagonalInertia = (1, 2, 3)"
    turned = 'double3 xformOp:rotateXYZ = (0, 0, 90)\nuniform token[] xformOpOrder = ["xformOp:rotateXYZ"]'
    for own in ("", "point3f physics:centerOfMass = (0, 0, 0)"):
        found = weigh(stage(body("B", own, cube("c", states, turned, mass_api=True))))
        assert found.mass == pytest.approx(3.0)
        np.testing.assert_allclose(np.diag(found.inertia), [2.0, 1.0, 3.0], atol=1e-6)


@pytest.mark.parametrize("said", ["float physics:density = 3000", "float physics:mass = 24"])
def test_colliders_weigh_against_each_other_under_a_stated_mass(said):
    """Three kilograms at 0 and one at 1 m: the tensor is about the centre that they have, and OpenUSD's, too."""
    weights = cube("c", said, mass_api=True), cube("d", at(1, 0, 0))
    found = weigh(stage(body("B", "float physics:mass = 4", *weights)))
    np.testing.assert_allclose(found.com, [0.25, 0.0, 0.0], atol=1e-6)
    np.testing.assert_allclose(found.inertia, 4.0 * CUBE_TENSOR * np.eye(3) + np.diag([0.0, 0.75, 0.75]), atol=1e-6)


def test_a_tensor_that_a_collider_states_scales_with_the_mass_of_its_body():
    own = cube("c", "float physics:mass = 3", "float3 physics:diagonalInertia = (1, 1.2, 1.1)", mass_api=True)
    found = weigh(stage(body("B", "float physics:mass = 6", own)))
    np.testing.assert_allclose(found.inertia, np.diag([2.0, 2.4, 2.2]), rtol=SINGLE)


@pytest.mark.parametrize("mass_api", [False, True])
@pytest.mark.parametrize("axis", ["X", "Y"])
@pytest.mark.parametrize("kind", ["Cylinder", "Capsule", "Cone"])
def test_what_a_collider_states_is_in_the_axes_of_its_prim_whatever_its_own(kind, axis, mass_api):
    stated = (
        "float physics:mass = 3",
        "float3 physics:diagonalInertia = (1, 1.2, 1.1)",
        "point3f physics:centerOfMass = (0.1, 0.2, 0.3)",
    )
    size = "double radius = 0.1\ndouble height = 0.4", f'uniform token axis = "{axis}"'
    own = prim(kind, "c", *size, *stated, apis=("PhysicsCollisionAPI", "PhysicsMassAPI"))
    found = weigh(stage(body("B", own, mass_api=mass_api)))
    np.testing.assert_allclose(found.com, [0.1, 0.2, 0.3], atol=SINGLE)
    np.testing.assert_allclose(found.inertia, np.diag([1.0, 1.2, 1.1]), atol=5.0 * SINGLE)


@pytest.mark.parametrize("mass_api", [False, True])
@pytest.mark.parametrize("purpose", ["", ":physics"])
def test_a_material_that_is_bound_above_a_collider_counts_for_it(purpose, mass_api):
    material = prim("Material", "M", "float physics:density = 500", apis=("PhysicsMaterialAPI",))
    bound = f"rel material:binding{purpose} = </M>"
    own = body("B", bound, cube("c"), mass_api=mass_api, apis=("MaterialBindingAPI",))
    assert weigh(stage(material, own)).mass == pytest.approx(4.0)


def test_a_collider_that_is_off_changes_nothing_of_what_others_state():
    own = cube("c", "point3f physics:centerOfMass = (0.05, 0, 0)", mass_api=True)
    off = cube("off", "float physics:mass = 3", "bool physics:collisionEnabled = false", mass_api=True)
    expected = weigh(stage(body("B", own)))
    assert weigh(stage(body("B", own, off))).isclose(expected, rtol=SINGLE)


def test_a_collider_of_no_use_is_skipped_with_a_warning():
    ground = prim("Plane", "p", apis=("PhysicsCollisionAPI",))
    report = it.stats(it.load_text(stage(body("B", ground, cube("c")))))
    assert report["B"].effective.inertial.mass == pytest.approx(8.0)
    assert [finding.code for finding in report["B"].findings] == ["collider-without-mass"]


def test_openusd_and_the_colliders_agree_off_centre_and_turned():
    """The tensor that OpenUSD computes from our records is that of the colliders added up here."""
    shapes = (
        cube("c", at(0.3, 0, 0)),
        prim(
            "Cylinder",
            "y",
            "double radius = 0.1",
            "double height = 0.5",
            'uniform token axis = "Y"',
            at(0, 0.2, 0.1),
            apis=("PhysicsCollisionAPI",),
        ),
        prim(
            "Cone",
            "x",
            "double radius = 0.1",
            "double height = 0.5",
            'uniform token axis = "X"',
            at(0, -0.2, 0.1),
            apis=("PhysicsCollisionAPI",),
        ),
    )
    by_openusd = weigh(stage(body("B", *shapes)))
    by_us = weigh(stage(body("B", *shapes, mass_api=False)))
    assert by_openusd.isclose(by_us, rtol=1e-6)


@pytest.mark.parametrize(("metre", "kilogram"), [(0.01, 1.0), (0.001, 0.001), (1.0, 0.5)])
def test_units_are_converted(metre, kilogram):
    """A cube of 20 cm weighs 8 kg in centimetres and in millimetres, with and without a stated mass."""
    for own, mass_api in (("", True), ("", False), (f"float physics:mass = {8.0 / kilogram}", True)):
        text = stage(
            body("B", own, cube("c", at(1.0 / metre, 0, 0), size=0.2 / metre), mass_api=mass_api),
            metre=metre,
            kilogram=kilogram,
        )
        found = weigh(text)
        assert found.mass == pytest.approx(8.0, rel=1e-6)
        assert found.com.tolist() == pytest.approx([1.0, 0.0, 0.0], rel=1e-6)
        np.testing.assert_allclose(found.inertia, 8.0 * CUBE_TENSOR * np.eye(3), atol=1e-6)


def test_a_stage_without_a_unit_is_in_metres_and_says_so():
    text = "#usda 1.0\n" + body("B", cube("c"))
    robot = it.load_text(text)
    assert weigh(text).mass == pytest.approx(8.0, rel=1e-6)
    assert [remark.code for remark in robot.remarks] == ["unit-assumed"]


def test_a_scaled_body_scales_its_colliders_and_its_centre_of_mass():
    scale = 'double3 xformOp:scale = (2, 1, 1)\nuniform token[] xformOpOrder = ["xformOp:scale"]'
    found = weigh(stage(body("B", scale, "point3f physics:centerOfMass = (0.1, 0, 0)", cube("c"))))
    assert found.mass == pytest.approx(16.0)
    assert found.com.tolist() == pytest.approx([0.2, 0.0, 0.0])


def test_mass_without_the_schema_is_ignored_and_named():
    robot = it.load_text(stage(body("B", "float physics:mass = 4", cube("c"), mass_api=False)))
    assert it.stats(robot)["B"].effective.inertial.mass == pytest.approx(8.0)
    assert "missing-mass-api" in {remark.code for remark in robot.remarks}


@pytest.mark.parametrize("said", ["float physics:mass = 4", "float physics:density = 5"])
def test_mass_of_a_collider_without_the_schema_is_ignored_and_named(said):
    robot = it.load_text(stage(body("B", cube("c", said), mass_api=False)))
    assert it.stats(robot)["B"].effective.inertial.mass == pytest.approx(8.0)
    assert [(remark.code, remark.link) for remark in robot.remarks] == [("missing-mass-api", "B")]


STATED = ("float physics:mass = 4", "float physics:density = 5", "float3 physics:diagonalInertia = (1, 1, 1)")


@pytest.mark.parametrize("said", STATED)
@pytest.mark.parametrize("kind", ["Xform", "Cube", "Scope"])
def test_mass_that_neither_a_body_nor_a_collider_states_is_ignored_and_named(kind, said):
    """On a group, or on what is only seen; OpenUSD computes the mass without it, too."""
    beside, below = prim(kind, "g", said, apis=("PhysicsMassAPI",)), cube("c")
    inside = prim(kind, "g", said, below, apis=("PhysicsMassAPI",))
    for content in (beside + below, inside):
        robot = it.load_text(stage(body("B", content)))
        assert it.stats(robot)["B"].effective.inertial.mass == pytest.approx(8.0)
        assert [(remark.code, remark.link) for remark in robot.remarks] == [("stray-mass", "B")]
        assert "/B/g states mass properties" in robot.remarks[0].message


def test_mass_of_a_prim_without_a_body_is_named():
    """The prim lacks PhysicsRigidBodyAPI, most likely."""
    robot = it.load_text(stage(body("B", cube("c")), prim("Xform", "lost", STATED[0], apis=("PhysicsMassAPI",))))
    assert [(remark.code, remark.link) for remark in robot.remarks] == [("stray-mass", "")]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("float physics:Mass = 4", "physics:mass"),
        ("float mass = 4", "physics:mass"),
        ("float physics:densty = 5", "physics:density"),
        ("point3f physics:centreOfMass = (1, 0, 0)", "physics:centerOfMass"),
        ("float3 physics:diagonalInertias = (1, 1, 1)", "physics:diagonalInertia"),
        ("float physics:mass = 8", ""),
        ("float physics:massive = 8", ""),
        ("float user:mass = 8", ""),
    ],
)
def test_misspelt_mass_properties_are_named(said, meant):
    for text in (body("B", said, cube("c")), body("B", cube("c", said, mass_api=True), mass_api=False)):
        robot = it.load_text(stage(text))
        assert [remark.code for remark in robot.remarks] == (["unknown-attribute"] if meant else [])
        assert all(remark.link == "B" and f"did you mean {meant!r}?" in remark.message for remark in robot.remarks)
        assert it.stats(robot)["B"].effective.inertial.mass == pytest.approx(8.0)


@pytest.mark.parametrize("said", ["", "float physics:mass = 0", "point3f physics:centerOfMass = (0, 0, 0)"])
def test_a_schema_that_states_no_mass_is_not_named(said):
    assert it.load_text(stage(body("B", cube("c"), prim("Xform", "g", said, apis=("PhysicsMassAPI",))))).remarks == ()


def test_centre_that_only_a_collider_states_counts_as_for_openusd():
    """Two cubes of 8 kg, the centre of the first at 0.05 by its own word: (0.05 + 1) / 2."""
    first = cube("c", "point3f physics:centerOfMass = (0.05, 0, 0)", mass_api=True)
    builder = it.ModelBuilder()
    builder.add_usd(stage(body("arm", first, cube("d", at(1, 0, 0)), mass_api=False)))
    assert builder.body_com[0] == pytest.approx([0.525, 0.0, 0.0], abs=1e-7)
    assert builder.body_mass[0] == pytest.approx(16.0, rel=1e-6)


FULL = "double[] newton:inertia = [1, 2, 2.5, 0.1, 0.2, 0.3]"
"""Newton's order: xx, yy, zz, xy, xz, yz."""


def test_tensor_of_newtons_schema_goes_before_the_diagonal():
    own = body(
        "B", "float physics:mass = 3", "float3 physics:diagonalInertia = (1, 1, 1)", FULL, apis=("NewtonMassAPI",)
    )
    found = weigh(stage(own))
    np.testing.assert_array_equal(found.inertia, [[1, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 2.5]])


@pytest.mark.parametrize("mass_api", [False, True])
@pytest.mark.parametrize(
    "besides", ["float3 physics:diagonalInertia = (9, 9, 9)", "quatf physics:principalAxes = (0, 1, 0, 0)"]
)
def test_tensor_of_newtons_schema_goes_before_the_diagonal_of_a_collider_too(besides, mass_api):
    """OpenUSD knows nothing of it, and would put the diagonal, or axes that are not its own, over the record."""
    own = cube("c", "float physics:mass = 3", FULL, besides, mass_api=True, apis=("NewtonMassAPI",))
    found = weigh(stage(body("B", own, mass_api=mass_api)))
    expected = [[1, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 2.5]]
    np.testing.assert_allclose(found.inertia, expected, rtol=0, atol=3.0 * SINGLE)


@pytest.mark.parametrize(
    ("value", "apis", "why"),
    [
        (FULL, (), "apply"),
        (FULL.replace("0.3]", "]"), ("NewtonMassAPI",), "5 numbers"),
        (FULL.replace("2.5", "nan"), ("NewtonMassAPI",), "non-finite"),
        (FULL.replace("[1,", "[-1,"), ("NewtonMassAPI",), "negative diagonal"),
        (FULL.replace("0.1,", "9,"), ("NewtonMassAPI",), "not positive semidefinite"),
    ],
)
def test_tensor_of_newtons_schema_that_is_none_is_named_and_left_out(value, apis, why):
    text = stage(body("B", "float physics:mass = 3", "float3 physics:diagonalInertia = (1, 1, 1)", value, apis=apis))
    assert weigh(text).inertia[0, 0] == 1.0
    report = it.check(it.load_text(text))
    assert why in next(one.message for one in report.findings if one.code == "ignored-tensor")


def test_an_empty_tensor_of_newtons_schema_is_no_opinion():
    own = ("float physics:mass = 3", "float3 physics:diagonalInertia = (1, 1, 1)", "double[] newton:inertia = []")
    text = stage(body("B", *own, apis=("NewtonMassAPI",)))
    assert weigh(text).inertia[0, 0] == 1.0
    assert "ignored-tensor" not in {one.code for one in it.check(it.load_text(text)).findings}


SHELL = 'uniform token newton:massModel = "shell"'


def shell(*said: str, of_body: tuple[str, ...] = (), apis: tuple[str, ...] = ("NewtonMassAPI",)) -> str:
    """Return a body with a ball of 1 m across that is a shell."""
    ball = prim("Sphere", "c", "double radius = 0.5", SHELL, *said, apis=("PhysicsCollisionAPI", *apis))
    return stage(body("B", *of_body, ball))


@pytest.mark.parametrize(
    ("said", "thickness"),
    [
        (("float newton:shellThickness = 0.05",), 0.05),
        (("float newton:contactMargin = 0.03",), 0.03),
        (("float newton:shellThickness = 0.05", "float newton:contactMargin = 0.03"), 0.05),
        (("float newton:shellThickness = -inf", "float newton:contactMargin = 0.03"), 0.03),
        ((), 0.001),
    ],
)
def test_a_shell_weighs_what_two_solids_differ_by(said, thickness):
    """4/3 pi (R^3 - r^3) at the density, and 2/5 (M R^2 - m r^2) about the centre."""
    outer, inner = (4.0 / 3.0 * np.pi * r**3 * 1000.0 for r in (0.5, 0.5 - thickness))
    moment = 0.4 * (outer * 0.25 - inner * (0.5 - thickness) ** 2)
    found = weigh(shell(*said))
    assert found.mass == pytest.approx(outer - inner, rel=1e-5)
    np.testing.assert_allclose(found.inertia, moment * np.eye(3), rtol=1e-5, atol=1e-9 * moment)
    kept = weigh(shell(*said, of_body=("float physics:mass = 10",)))
    assert kept.mass == pytest.approx(10.0)
    np.testing.assert_allclose(kept.inertia, moment * 10.0 / (outer - inner) * np.eye(3), rtol=1e-5, atol=1e-9)


def test_a_shell_needs_the_schema_and_a_thickness_that_walls_have():
    assert weigh(shell(apis=())).mass == pytest.approx(4.0 / 3.0 * np.pi * 0.125 * 1000.0, rel=1e-5)
    for value, kind in ((-0.5, "negative"), ("inf", "infinite")):
        text = shell(f"float newton:shellThickness = {value}", "float newton:contactMargin = 0.03")
        assert weigh(text).mass == pytest.approx(weigh(shell("float newton:contactMargin = 0.03")).mass)
        report = it.check(it.load_text(text))
        assert f"{kind} shell thickness" in next(f.message for f in report.findings if f.code == "invalid-size")


def test_the_wall_of_a_shell_is_in_the_units_of_the_stage_and_known_to_a_scene():
    in_metres = weigh(shell("float newton:shellThickness = 0.05"))
    text = shell("float newton:shellThickness = 5").replace("radius = 0.5", "radius = 50")
    assert weigh(text.replace("metersPerUnit = 1.0", "metersPerUnit = 0.01")).mass == pytest.approx(in_metres.mass)
    builder = it.ModelBuilder()
    builder.add_usd(shell("float newton:shellThickness = 0.05"))
    assert list(builder.shape_is_solid) == [False]
    assert builder.body_mass[0] == pytest.approx(in_metres.mass, rel=1e-6)


FLAT = "point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]\nint[] faceVertexCounts = [3]\n"
FLAT += "int[] faceVertexIndices = [0, 1, 2]"
TOUCHING = ("PhysicsCollisionAPI", "PhysicsMassAPI")
STATES = ("float physics:mass = 2", "point3f physics:centerOfMass = (1, 1, 1)")


@pytest.mark.parametrize("said", [STATES[:1], STATES, ("float3 physics:diagonalInertia = (1, 1, 1)",)])
@pytest.mark.parametrize("own", ["", "point3f physics:centerOfMass = (0.1, 0.2, 0.3)", "float physics:density = 500"])
@pytest.mark.parametrize(
    ("kind", "points"), [("Mesh", FLAT), ("Plane", ""), ("Xform", "")], ids=["Mesh", "Plane", "Xform"]
)
def test_a_collider_without_volume_adds_nothing_whatever_it_states_besides_mass_and_tensor(kind, points, own, said):
    """Newton's page: skipped, with a warning, where neither mass with tensor nor geometry is usable."""
    useless = prim(kind, "p", points, *said, apis=TOUCHING)
    text = stage(body("B", own, cube("c", at(0.3, 0, 0)), useless))
    expected = weigh(stage(body("B", own, cube("c", at(0.3, 0, 0)))))
    assert weigh(text).isclose(expected, rtol=SINGLE)
    report = it.check(it.load_text(text))
    assert {"collider-without-mass", "stray-collider"} & {finding.code for finding in report.findings}
    assert not it.fix(it.load_text(text)).changes
    builder = it.ModelBuilder()
    with pytest.warns(match="is skipped|is not geometry"):
        builder.add_usd(text)
    assert builder.body_mass[0] == pytest.approx(expected.mass, rel=SINGLE)


def test_a_collider_without_volume_is_skipped_in_an_instance_and_its_bodies_keep_apart():
    """A collider of a body within another is none of the outer one; its own body asks with it."""
    useless = prim("Xform", "p", *STATES, apis=TOUCHING)
    model = prim("Xform", "Model", body("B", cube("c", mass_api=True), useless)).replace("def", "class", 1)
    instance = 'def "{}" (\n instanceable = true\n references = </Model>\n)\n{{\n}}\n'
    report = it.stats(it.load_text(stage(model, instance.format("one"), instance.format("two"))))
    assert report.total_mass == pytest.approx(16.0, rel=SINGLE)
    inner = body("I", cube("c", "float physics:mass = 3", mass_api=True))
    assert weigh(stage(body("B", cube("c"), useless, inner)), "I").mass == pytest.approx(3.0)


@pytest.mark.parametrize("value", ["-5", "inf", "nan"])
@pytest.mark.parametrize(
    ("own", "of_collider", "said"),
    [
        ("float physics:density = {}", "", "/B: MassAPI density"),
        ("", "float physics:density = {}", "/B/c: MassAPI density"),
        ("", "float physics:mass = {}", "/B/c: the mass"),
        ("", "float3 physics:diagonalInertia = ({}, 1, 1)", "/B/c: diagonalInertia"),
    ],
)
def test_a_value_that_nothing_has_counts_as_not_stated_and_is_reported(own, of_collider, said, value):
    text = stage(body("B", own.format(value), cube("c", of_collider.format(value), mass_api=True)))
    found = [one for one in it.check(it.load_text(text)).findings if one.code == "ignored-value"]
    assert [one.severity for one in found] == [it.Severity.WARNING]
    assert found[0].link == "B"
    assert found[0].message.startswith(said)
    assert weigh(text).mass == pytest.approx(8.0)


def test_a_density_of_zero_is_not_given_and_no_fault():
    text = stage(body("B", "float physics:density = 0", cube("c", "float physics:density = 0", mass_api=True)))
    assert "ignored-value" not in {one.code for one in it.check(it.load_text(text)).findings}
