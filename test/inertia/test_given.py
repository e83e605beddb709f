# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of the functions of the package: forms that say the same, and what is refused by name."""

import pytest
from robots import BOX, joint, link, mass, tensor, urdf

import inertia_tools as it
from inertia_tools.errors import OptionTypeError, UnknownLinkError

WRONG = link("arm", mass(1) + tensor(1.0, 1.0, 5.0), BOX)
ROBOT = it.load_text(urdf(link("base", mass(1) + tensor(1.0, 1.0, 5.0), BOX), WRONG, joint("arm")))


@pytest.mark.parametrize("names", ["arm", ["arm"], ("arm",), {"arm": 1}])
def test_a_single_name_may_stand_for_a_list_of_one(names):
    assert list(it.compute(ROBOT, links=names)) == ["arm"]
    assert list(it.fix(ROBOT, links=names).changes) == ["arm"]


def test_single_causes_and_simulators_may_stand_for_lists_of_one():
    cause = it.check(ROBOT)["arm"].causes[0].code
    assert list(it.fix(ROBOT, apply=f"arm={cause}").changes) == ["arm"]
    assert it.fix(ROBOT, targets="mujoco").changes.keys() == it.fix(ROBOT, targets=["mujoco"]).changes.keys()


def test_no_parameters_are_the_default_ones():
    assert it.check(ROBOT, params=None).findings == it.check(ROBOT).findings


@pytest.mark.parametrize("call", [it.check, it.compute, it.fix, it.stats])
def test_parameters_are_parameters(call):
    with pytest.raises(OptionTypeError, match="params must be an AutoInertiaParams"):
        call(ROBOT, params="voxel")


@pytest.mark.parametrize("option", ["links", "apply", "targets", "masses"])
@pytest.mark.parametrize("value", [5, [5]])
def test_options_of_another_type_are_refused_by_name(option, value):
    with pytest.raises(OptionTypeError, match=option):
        it.fix(ROBOT, **{option: value})


def test_a_single_name_that_is_none_is_named_whole():
    with pytest.raises(UnknownLinkError, match="'leg'"):
        it.fix(ROBOT, links="leg")
