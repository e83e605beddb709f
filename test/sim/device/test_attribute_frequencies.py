# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Every array that a model, a state or a control names has as many entries as its frequency says."""

import numpy as np
import pytest
import warp as wp

import inertia_tools as it
from inertia_tools.errors import UnknownFrequencyError
from inertia_tools.sim.device.attribute_frequencies import FREQUENCIES

Frequency = it.Model.AttributeFrequency
STARTS = {"articulation_start", "joint_q_start", "joint_qd_start", "joint_target_q_start"}
BEGINNINGS = ("body_", "joint_", "shape_", "articulation_", "particle_", "spring_", "edge_", "tri_", "tet_")


def scene():
    """One of everything, in numbers that differ."""
    builder = it.ModelBuilder()
    links = [builder.add_link(mass=1.0, inertia=np.eye(3)) for _ in range(4)]
    joints = [builder.add_joint_free(links[0]), builder.add_joint_ball(links[0], links[1])]
    joints += [builder.add_joint_revolute(links[n], links[n + 1]) for n in (1, 2)]
    builder.add_articulation(joints)
    builder.add_constraint_mimic(joint0=joints[3], joint1=joints[2])
    for link in (links[0], links[0], links[1], -1, -1):
        builder.add_shape_sphere(link, radius=0.1)
    builder.add_cloth_grid(dim_x=2, dim_y=3, cell_x=0.1, cell_y=0.1, mass=0.1, add_springs=True, pos=(5.0, 0.0, 1.0))
    grid = {"dim_x": 1, "dim_y": 1, "dim_z": 2, "cell_x": 0.1, "cell_y": 0.1, "cell_z": 0.1, "pos": (9.0, 0.0, 1.0)}
    builder.add_soft_grid(**grid)
    builder.request_state_attributes("body_parent_f")
    return builder


def counts(model):
    """Number of entries of each frequency."""
    return {
        Frequency.ARTICULATION: model.articulation_count,
        Frequency.JOINT: model.joint_count,
        Frequency.JOINT_DOF: model.joint_dof_count,
        Frequency.JOINT_COORD: model.joint_coord_count,
        Frequency.BODY: model.body_count,
        Frequency.SHAPE: model.shape_count,
        Frequency.CONSTRAINT_MIMIC: model.constraint_mimic_count,
        Frequency.PARTICLE: model.particle_count,
        Frequency.SPRING: model.spring_count,
        Frequency.EDGE: model.edge_count,
        Frequency.TRIANGLE: model.tri_count,
        Frequency.TETRAHEDRON: model.tet_count,
    }


def test_lengths_follow_from_frequencies():
    model = scene().finalize()
    expected, holders = counts(model), (model, model.state(), model.control())
    assert len({*expected.values()}) > 9, "counts that are alike tell nothing"
    for name, frequency in FREQUENCIES.items():
        found = [getattr(holder, name) for holder in holders if hasattr(holder, name)]
        assert found, name
        assert model.get_attribute_frequency(name) == frequency
        if frequency != Frequency.ONCE:
            each = 2 if name == "spring_indices" else 1  # one behind the other, as Newton has them
            assert {len(one) - (name in STARTS) for one in found} == {each * expected[frequency]}, name


def test_no_array_of_a_model_a_state_or_a_control_is_without_one():
    model = scene().finalize()
    for holder in (model, model.state(), model.control()):
        for name in dir(holder):
            if name.startswith(BEGINNINGS) and isinstance(getattr(holder, name), wp.array | list):
                assert name in model.attribute_frequency, name


def test_attributes_of_users_are_among_them():
    builder, attribute = scene(), it.ModelBuilder.CustomAttribute
    state = it.Model.AttributeAssignment.STATE
    builder.add_custom_attribute(
        attribute(name="heat", namespace="my", dtype=wp.float32, frequency=Frequency.SHAPE, assignment=state)
    )
    model = builder.finalize()
    assert model.get_attribute_frequency("my:heat") == model.attribute_frequency["my:heat"] == Frequency.SHAPE
    assert model.attribute_assignment["my:heat"] == state and "body_mass" not in model.attribute_assignment


@pytest.mark.parametrize("kind", [UnknownFrequencyError, KeyError, AttributeError])
def test_names_that_there_are_not_are_told_from_those_that_are_meant(kind):
    model = scene().finalize()
    with pytest.raises(kind, match="did you mean 'body_mass'") as raised:
        model.get_attribute_frequency("body_mas")
    assert str(raised.value).startswith("Model has no attribute")
    with pytest.raises(kind, match="there are none"):
        model.get_custom_frequency_count("my:item")
