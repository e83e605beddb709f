# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The checks at `finalize`: what each repairs, what it leaves, what is said, and that the kernel does as NumPy does."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scenes import Scene

import inertia_tools as it
from inertia_tools.errors import OptionError, SimulationError
from inertia_tools.inertial import Inertial
from inertia_tools.sim.scene import inertia_validation
from inertia_tools.sim.scene.inertia_rules import ABSOLUTE, CONSTANTS, RELATIVE, Rule, numbers_of
from inertia_tools.sim.scene.inertia_validation import check_bodies, check_on_device, rule_numbers
from inertia_tools.sim.scene.notices import InertiaWarning
from inertia_tools.sim.scene.sound_bodies import surely_sound
from inertia_tools.spatial import rotation_from_rpy

NAN, INF = np.nan, np.inf


def turned(moments, rpy=(0.3, -0.5, 1.2)) -> np.ndarray:
    rotation = rotation_from_rpy(rpy)
    tensor = rotation @ np.diag(moments) @ rotation.T
    return 0.5 * (tensor + tensor.T)


def scene(mass, inertia, **settings_) -> it.ModelBuilder:
    builder = it.ModelBuilder(**settings_)
    builder.add_link(mass=mass, inertia=inertia, name="arm")
    return builder


def checked(mass, inertia, **settings_) -> tuple[Inertial, Rule]:
    result = check_bodies(scene(mass, inertia, **settings_), "cpu", with_codes=True)
    assert result.codes is not None and result.count == np.count_nonzero(result.codes)
    return result.inertials[0], Rule(int(result.codes[0]))


def moments_of(inertial: Inertial) -> np.ndarray:
    return inertial.principal_moments


# Each rule of the page, in its order


@pytest.mark.parametrize(("mass", "entry"), [(NAN, 1.0), (INF, 1.0), (-INF, 1.0), (1.0, NAN), (1.0, INF), (1e200, 1.0)])
def test_what_is_not_finite_becomes_zero(mass, entry):
    after, rules = checked(mass, np.diag([1.0, 1.0, entry]))
    assert rules == Rule.NON_FINITE
    assert after.mass == 0.0 and not after.inertia.any()


def test_a_centre_of_mass_that_is_nowhere_takes_the_mass_along():
    builder = it.ModelBuilder()
    builder.add_link(mass=1.0, inertia=np.eye(3), com=(0.0, NAN, 0.0))
    result = check_bodies(builder, "cpu", with_codes=True)
    assert result.inertials[0].mass == 0.0 and not result.inertials[0].com.any()


def test_a_negative_mass_becomes_zero_and_its_tensor_too():
    after, rules = checked(-1.0, np.eye(3))
    assert rules == Rule.NEGATIVE_MASS | Rule.INERTIA_WITHOUT_MASS
    assert after.mass == 0.0 and not after.inertia.any()


@pytest.mark.parametrize(("mass", "expected"), [(0.0, 0.0), (0.05, 0.1), (0.1, 0.1), (0.2, 0.2)])
def test_small_positive_masses_are_raised_when_asked(mass, expected):
    after, rules = checked(mass, np.zeros((3, 3)) if mass == 0.0 else np.eye(3), bound_mass=0.1)
    assert after.mass == expected
    assert (Rule.SMALL_MASS in rules) is (mass == 0.05)
    assert checked(0.05, np.eye(3))[0].mass == 0.05


def test_a_tensor_without_mass_becomes_zero():
    after, rules = checked(0.0, np.eye(3))
    assert rules == Rule.INERTIA_WITHOUT_MASS and not after.inertia.any()


def test_a_tensor_becomes_symmetric():
    after, rules = checked(1.0, [[1.0, 0.1, 0.0], [0.3, 1.0, 0.0], [0.0, 0.0, 1.0]])
    assert rules == Rule.ASYMMETRIC
    assert np.allclose(after.inertia, [[1.0, 0.2, 0.0], [0.2, 1.0, 0.0], [0.0, 0.0, 1.0]])
    after, rules = checked(1.0, [[1.0, 0.1, 0.0], [0.1 + 1e-7, 1.0, 0.0], [0.0, 0.0, 1.0]])
    assert rules == Rule(0) and np.array_equal(after.inertia, after.inertia.T)


def test_negative_moments_are_raised_along_the_axes_they_have():
    tensor = turned([-0.1, 2.0, 2.05])
    after, rules = checked(1.0, tensor)
    assert Rule.NOT_DEFINITE in rules and after.is_valid()
    assert np.allclose(after.inertia - tensor, (after.inertia - tensor)[0, 0] * np.eye(3), atol=1e-15)


def test_moments_are_raised_to_a_bound_when_asked():
    after, rules = checked(1.0, turned([0.1, 0.2, 0.25]), bound_inertia=0.3)
    assert rules == Rule.SMALL_MOMENT
    assert np.allclose(moments_of(after), [0.3, 0.4, 0.45])
    assert checked(1.0, turned([0.4, 0.5, 0.6]), bound_inertia=0.3)[1] == Rule(0)


def test_the_triangle_inequality_is_met_by_one_shift():
    after, rules = checked(1.0, turned([1.0, 1.0, 3.0]))
    assert rules == Rule.TRIANGLE
    assert np.allclose(moments_of(after), [2.0, 2.0, 4.0], rtol=1e-5)


def test_the_triangle_inequality_is_left_when_asked():
    tensor = turned([1.0, 1.0, 3.0])
    after, rules = checked(1.0, tensor, balance_inertia=False)
    assert rules == Rule.TRIANGLE_LEFT and np.array_equal(after.inertia, tensor)


def test_a_mass_without_tensor_is_a_ball_of_water():
    radius = 0.1
    mass = 1000.0 * 4 / 3 * np.pi * radius**3
    after, rules = checked(mass, np.zeros((3, 3)))
    assert rules == Rule.ASSUMED_SPHERE
    assert np.allclose(after.inertia, 0.4 * mass * radius**2 * np.eye(3), rtol=1e-12)


# Relative and absolute


@pytest.mark.parametrize("size", [1e-20, 1e-11, 1e-8, 1e-3, 1.0, 1e6])
def test_repairs_do_not_depend_on_the_unit(size):
    for moments in ([1.0, 2.0, 2.5], [1.0, 1.0, 2.0], [1e-8, 1.0, 1.0]):
        tensor = size * turned(moments)
        after, rules = checked(1.0, tensor)
        assert rules == Rule(0) and np.array_equal(after.inertia, tensor)
    for moments in ([1.0, 1.0, 3.0], [-1.0, 2.0, 2.0], [0.0, 1.0, 1.0]):
        after, _ = checked(1.0, size * turned(moments))
        unit, _ = checked(1.0, turned(moments))
        assert np.allclose(after.inertia, size * unit.inertia, rtol=1e-12, atol=0.0)


def test_a_part_of_a_gram_is_not_inflated():
    after, _ = checked(1e-3, np.diag([1e-8, 1e-8, 3e-8]))
    assert np.allclose(moments_of(after), [2e-8, 2e-8, 4e-8], rtol=1e-5)
    inflated, _ = checked(1e-3, np.diag([1e-8, 1e-8, 3e-8]), inertia_repair="absolute")
    assert moments_of(inflated)[0] > 1e-6


def test_the_absolute_repairs_are_newtons():
    after, rules = checked(1.0, 1e-11 * np.eye(3), inertia_repair="absolute")
    assert rules == Rule.NOT_DEFINITE
    assert np.allclose(moments_of(after), 1e-10 + 1e-6, rtol=1e-12)
    after, _ = checked(1.0, np.diag([1.0, 1.0, 3.0]), inertia_repair="absolute")
    assert np.allclose(moments_of(after), np.array([2.0, 2.0, 4.0]) + 1e-6, rtol=1e-15)
    after, rules = checked(1.0, np.zeros((3, 3)), inertia_repair="absolute")
    assert rules == Rule.NOT_DEFINITE and np.allclose(after.inertia, (1e-10 + 1e-6) * np.eye(3))


def test_an_unknown_kind_of_repair_and_impossible_bounds_are_refused():
    wrong = [("inertia_repair", "gentle"), ("bound_mass", -1.0), ("bound_mass", "1"), ("bound_inertia", NAN)]
    wrong += [("bound_inertia", (1.0, 2.0)), *((name, "1") for name in CONSTANTS)]
    for setting, value in wrong:
        with pytest.raises(OptionError, match=setting):
            scene(1.0, np.eye(3), **{setting: value}).finalize()


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("mass", {"mass": "1"}),
        ("mass", {"mass": None}),
        ("mass", {"mass": (1.0, 2.0)}),
        ("inertia", {"inertia": "x"}),
        ("inertia", {"inertia": np.eye(2)}),
        ("bound_mass", {"bound_mass": "1"}),
    ],
)
def test_mass_properties_that_are_no_numbers_are_refused_by_name(name, arguments):
    with pytest.raises(OptionError, match=name):
        it.verify_and_correct_inertia(**{"mass": 1.0, "inertia": np.eye(3), **arguments})


# The kernel against NumPy


def reference(mass, com, tensor, numbers, bound_mass, bound_inertia, balance) -> tuple[float, np.ndarray, Rule]:
    """The rules in plain NumPy."""
    code = Rule(0)
    if not all((np.abs(values) <= 1e100).all() for values in (np.array(mass), com, tensor)):
        code, mass, tensor = Rule.NON_FINITE, 0.0, np.zeros((3, 3))
    if mass < 0.0:
        code, mass = code | Rule.NEGATIVE_MASS, 0.0
    if 0.0 < mass < bound_mass:
        code, mass = code | Rule.SMALL_MASS, bound_mass
    if mass == 0.0:
        return 0.0, np.zeros((3, 3)), code | (Rule.INERTIA_WITHOUT_MASS if tensor.any() else Rule(0))
    if np.abs(tensor - tensor.T).max() > 1e-5 * np.abs(tensor).max():
        code |= Rule.ASYMMETRIC
    tensor = 0.5 * (tensor + tensor.T)
    low, middle, high = np.linalg.eigvalsh(tensor)
    size, shift = max(abs(low), abs(high)), 0.0
    if size == 0.0 and numbers.sphere_density:
        code |= Rule.ASSUMED_SPHERE
        shift = 0.4 * mass * (0.75 / np.pi * mass / numbers.sphere_density) ** (2 / 3)
    elif low < max(numbers.definite_ratio * size, numbers.definite_size):
        code |= Rule.NOT_DEFINITE
        shift = max(numbers.floor_ratio * size, numbers.floor_size) - low + numbers.extra
    if low + shift < bound_inertia:
        code, shift = code | Rule.SMALL_MOMENT, bound_inertia - low
    excess = high - middle - low - shift
    if excess > max(numbers.triangle_ratio * (high + shift), numbers.triangle_size):
        code |= Rule.TRIANGLE if balance else Rule.TRIANGLE_LEFT
        shift += (excess + numbers.margin_ratio * (high + shift) + numbers.extra) if balance else 0.0
    return mass, tensor + shift * np.eye(3), code


@pytest.mark.sweep
@pytest.mark.parametrize("repair", ["relative", "absolute"])
@pytest.mark.parametrize("bounds", [{}, {"bound_mass": 0.5, "bound_inertia": 1e-4}, {"balance_inertia": False}])
def test_the_kernel_does_as_numpy_does(repair, bounds):
    rng = np.random.default_rng(7)
    builder = it.ModelBuilder(inertia_repair=repair, **bounds)
    for _ in range(3000):
        tensor = turned(rng.normal(0.6, 0.5, 3), rng.uniform(-3, 3, 3)) * 10.0 ** rng.uniform(-12, 6)
        chance = rng.integers(8)
        tensor = {0: tensor * np.nan, 1: tensor + 0.1 * np.triu(tensor, 1), 2: 0.0 * tensor}.get(chance, tensor)
        builder.add_link(mass=rng.choice([-1.0, 0.0, 0.1, 1.0, 100.0]), inertia=tensor)
    result = check_bodies(builder, "cpu", with_codes=True)
    numbers = {"relative": RELATIVE, "absolute": ABSOLUTE}[repair]
    for i, after in enumerate(result.inertials):
        mass, tensor, code = reference(
            builder.body_mass[i],
            builder.body_com[i],
            builder.body_inertia[i],
            numbers,
            bounds.get("bound_mass", 0.0),
            bounds.get("bound_inertia", 0.0),
            bounds.get("balance_inertia", True),
        )
        assert Rule(int(result.codes[i])) == code
        assert after.mass == mass
        assert np.allclose(after.inertia, tensor, rtol=0.0, atol=1e-13 * np.abs(tensor).max())
    assert result.count == np.count_nonzero(result.codes)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.floats(-1, 1, allow_subnormal=False), min_size=3, max_size=3),
    st.tuples(*[st.floats(-3, 3)] * 3),
    st.integers(-15, 15),
)
def test_whatever_comes_in_a_possible_tensor_comes_out(moments, rpy, power):
    if 0.0 < np.abs(moments).max() < 1e-15:
        return  # no body, and beyond single precision
    tensor = 10.0**power * turned(moments, rpy)
    after, _ = checked(1.0, tensor)
    assert after.is_valid()
    thick = check_bodies(scene(1.0, tensor), "cpu", with_codes=False, dtype="float32").inertials[0]
    assert thick.is_valid()
    single = thick.inertia.astype(np.float32).astype(np.float64)
    low, middle, high = np.linalg.eigvalsh(single)
    assert low > 0.0 and high - middle - low <= 1e-6 * high
    inverse = np.linalg.inv(thick.inertia / high).astype(np.float32).astype(np.float64)
    assert np.linalg.eigvalsh(inverse)[0] > 0.0
    assert checked(1.0, after.inertia)[1] == Rule(0)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(0.0, 1.0), min_size=3, max_size=3), st.tuples(*[st.floats(-3, 3)] * 3), st.integers(-20, 15))
def test_what_a_body_can_have_is_never_touched(squares, rpy, power):
    """Moments of any box: sums of the squares of two of its edges."""
    moments = 10.0**power * (sum(squares) - np.array(squares))
    tensor = turned(moments, rpy)
    if not (moments.min() > 1e-8 * moments.max() > 0.0):
        return
    after, rules = checked(1.0, tensor)
    assert rules == Rule(0) and np.array_equal(after.inertia, tensor)


# The quick look


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.floats(-0.1, 1.0), min_size=3, max_size=3),
    st.tuples(*[st.floats(-3, 3)] * 3),
    st.integers(-15, 6),
    st.sampled_from(["float32", "float64"]),
    st.sampled_from(["relative", "absolute"]),
    st.sampled_from([{}, {"bound_mass": 0.5, "bound_inertia": 1e-4}]),
)
def test_what_a_quick_look_calls_sound_the_kernel_leaves_to_the_bit(squares, rpy, power, dtype, repair, bounds):
    """Boxes, and what is a little beyond any box."""
    tensor = turned(10.0**power * (sum(squares) - np.array(squares)), rpy)
    mass, com, chosen = np.ones(1), np.zeros((1, 3)), numbers_of(repair, dtype)
    if not surely_sound(mass, com, tensor[None], chosen, **bounds):
        return
    limits = {"bound_mass": 0.0, "bound_inertia": 0.0} | bounds
    numbers = rule_numbers(chosen, limits, balance=True)
    after = check_on_device(mass, com, tensor[None], numbers, "cpu", with_codes=True)
    assert after.count == 0 and after.inertials[0].mass == 1.0 and np.array_equal(after.inertials[0].inertia, tensor)


def test_a_sound_scene_needs_no_kernel(monkeypatch):
    builder = scene(1.0, turned([0.02, 0.03, 0.04]))
    builder.add_link(mass=0.0)
    monkeypatch.setattr(inertia_validation, "check_on_device", None)
    result = check_bodies(builder, "cpu", with_codes=True, dtype="float32")
    assert result.count == 0 and result.codes is not None and not result.codes.any()
    assert np.array_equal(result.inertials[0].inertia, builder.body_inertia[0])


@pytest.mark.parametrize("moments", [[1.0, 1.0, 2.0 + 2e-6], [1e-6, 1.0, 1.0], [0.0, 0.0, 0.0], [NAN, 1.0, 1.0]])
def test_what_is_near_a_threshold_is_left_to_the_kernel(moments):
    assert not surely_sound(np.ones(1), np.zeros((1, 3)), np.diag(moments)[None], numbers_of("relative", "float32"))


# What is said


def test_the_fast_path_says_how_many():
    builder = scene(1.0, np.diag([1.0, 1.0, 3.0]))
    builder.add_link(mass=1.0, inertia=np.eye(3))
    with pytest.warns(InertiaWarning, match=r"1 of 2 bodies.*validate_inertia_detailed") as said:
        model = builder.finalize()
    assert len(said) == 1 and said[0].filename == __file__
    assert np.allclose(moments_of(model.inertials[0]), [2, 2, 4], rtol=1e-5)
    assert np.array_equal(builder.body_inertia[0], np.diag([1.0, 1.0, 3.0])), "the builder's lists stay"


def test_the_detailed_path_names_body_rule_and_values():
    builder = scene(1.0, np.diag([1.0, 1.0, 3.0]), validate_inertia_detailed=True)
    builder.add_link(mass=1.0, inertia=np.eye(3))
    builder.add_link(mass=-2.0, inertia=np.eye(3), name="hand")
    with pytest.warns(InertiaWarning) as said:
        builder.finalize()
    texts = [str(one.message) for one in said]
    assert "'arm'" in texts[0] and "sum of the others" in texts[0]
    assert "moments [1, 1, 3] kg m^2 -> 1 kg, moments [2, 2, 4] kg m^2" in texts[0]
    assert "'hand'" in texts[1] and "-2 kg" in texts[1] and "-> 0 kg" in texts[1]
    assert "Negative mass" in texts[1] and "zero inertia" in texts[2], "one warning a rule"
    assert "do not move: 'hand'" in texts[3]
    assert {one.filename for one in said} == {__file__}


def test_both_paths_give_the_same_model():
    models = []
    for detailed in (False, True):
        builder = scene(1.0, turned([-1.0, 1.0, 3.0]), validate_inertia_detailed=detailed)
        with pytest.warns(InertiaWarning):
            models.append(builder.finalize().inertials[0])
    assert np.array_equal(models[0].inertia, models[1].inertia)


def test_a_sound_scene_is_silent():
    builder = it.ModelBuilder()
    builder.add_shape_box(builder.add_link())
    builder.add_link(is_kinematic=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        builder.finalize()
        it.ModelBuilder().finalize()


def test_a_body_without_mass_does_not_move():
    builder = it.ModelBuilder()
    ghost = builder.add_link(it.Pose(np.array([0.0, 0.0, 1.0])), name="ghost")
    child = builder.add_link(it.Pose(np.array([0.0, 0.0, 0.5])), mass=1.0, inertia=0.01 * np.eye(3))
    builder.add_joint_revolute(ghost, child, child_xform=it.Pose(np.array([0.0, 0.0, 0.5])), axis=(0, 1, 0))
    with pytest.warns(InertiaWarning, match="ghost"):
        run = Scene(builder)
    run.run(0.5)
    assert np.allclose(run.q[ghost, :3], [0, 0, 1]) and np.allclose(run.q[child, :3], [0, 0, 0.5], atol=1e-9)


def test_newtons_constants_can_be_chosen():
    """A repair lifts the smallest moment to the tolerance, and adds the correction."""
    numbers = {"inertia_absolute_tolerance": 1e-12, "inertia_correction": 2e-12}
    assert checked(1.0, np.zeros((3, 3)), **numbers)[0].inertia == pytest.approx(3e-12 * np.eye(3))
    thin = np.diag([0.0, 1.0, 1.0])
    numbers = {"inertia_relative_tolerance": 1e-3, "inertia_correction": 0.0}
    assert np.diag(checked(1.0, thin, **numbers)[0].inertia) == pytest.approx([1e-3, 1.001, 1.001])
    for name, values in {
        "inertia_relative_tolerance": (-1.0, NAN, 1e100),
        "inertia_absolute_tolerance": (0.0, 1e-100, INF),
        "inertia_correction": (-1.0,),
    }.items():
        for value in values:
            with pytest.raises(OptionError, match=name):
                checked(1.0, np.eye(3), **{name: value})


@pytest.mark.parametrize("skip", ["skip_all_validations", "skip_validation_inertia"])
def test_checks_can_be_left_out(skip):
    builder = scene(1.0, np.diag([1.0, 1.0, 4.0]), bound_mass=2.0)
    builder.add_link(mass=-1.0, inertia=np.eye(3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = builder.finalize(**{skip: True})
    assert model.body_mass.numpy().tolist() == [1.0, -1.0] and model.body_inv_mass.numpy().tolist() == [1.0, 0.0]
    assert np.diag(model.body_inv_inertia.numpy()[0]).tolist() == [1.0, 1.0, 0.25]
    for mass, tensor in ((1.0, np.diag([1.0, 1.0, 0.0])), (NAN, np.eye(3))):
        with pytest.raises(SimulationError, match="arm"):
            scene(mass, tensor).finalize(**{skip: True})
