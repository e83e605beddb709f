# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""How often kinds of mistakes are made, before anything is known of a link."""

import pytest
from robots import link, mass, tensor, urdf

import inertia_tools as it
from inertia_tools.inertia.causes import judge
from inertia_tools.inertia.causes.families import FAMILIES, WHERE_CONFIRMED


def test_kinds_that_have_to_be_confirmed_take_nothing_from_the_others():
    assert sum(judge.PRIORS[family] for family in FAMILIES) == pytest.approx(judge.PRIOR_MISTAKE)
    asked = FAMILIES | WHERE_CONFIRMED
    for family, other in zip(asked, [*asked][1:], strict=False):
        assert judge.PRIORS[family] * asked[other] == pytest.approx(judge.PRIORS[other] * asked[family])


@pytest.fixture
def weighed(monkeypatch) -> set[object]:
    """Gather the kinds that are weighed."""
    found: set[object] = set()
    contest = judge._Contest.__init__

    def remembering(self, evidence, groups, rows, noise):
        found.update(one.family for one in groups)
        contest(self, evidence, groups, rows, noise)

    monkeypatch.setattr(judge._Contest, "__init__", remembering)
    return found


@pytest.mark.parametrize("factor", [1.5, 10.0, 1e6])
def test_kinds_that_come_on_top_are_not_weighed_where_nothing_confirms_them(weighed, factor):
    numbers = mass(1.0) + tensor(0.05 * factor, 0.04 * factor, 0.03 * factor)
    it.check(it.load_text(urdf(link("base", numbers, '<box size="0.3 0.2 0.1"/>'))))
    assert weighed
    assert not weighed & WHERE_CONFIRMED.keys()
