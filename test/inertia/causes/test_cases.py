# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Links with the same numbers are one case: work is counted, and each is told about its own kin."""

import numpy as np
import pytest
from robots import joint, link, mass, tensor, urdf

import inertia_tools as it
from inertia_tools.inertia.causes import cases, judge, population, story
from inertia_tools.inertia.causes.evidence import Crowd
from inertia_tools.inertia.checks import LinkView

HALF = 0.2 * 0.2 / 12.0


def box(name: str, kind: int, factor: float) -> str:
    """Make a cube of one of several sizes, whose tensor is off by a factor."""
    edge = 0.2 * (1.0 + 0.2 * kind)
    weight = 1000.0 * edge**3
    moment = factor * weight * edge**2 / 6.0
    inertial = mass(weight) + tensor(moment, moment, moment)
    return link(name, inertial, f'<box size="{edge} {edge} {edge}"/>')


def chain(count: int, kinds: int, factor: float) -> it.Description:
    links = [box(f"link_{number}", number % kinds, factor) for number in range(count)]
    joints = [joint(f"link_{number}", f"link_{number - 1}") for number in range(1, count)]
    return it.load_text(urdf(*links, *joints))


def world(count: int, factor: float) -> it.Description:
    moment = factor * 8.0 * HALF * 2.0
    inertia = "".join(f"<{axis}>{moment}</{axis}>" for axis in ("ixx", "iyy", "izz"))
    body = (
        f'<link name="body"><inertial><mass>8</mass><inertia>{inertia}</inertia></inertial>'
        '<collision name="shape"><geometry><box><size>0.2 0.2 0.2</size></box></geometry></collision></link>'
    )
    models = (f'<model name="m{n}"><pose>{n} 0 0 0.1 0 0</pose>{body}</model>' for n in range(count))
    return it.load_text(f'<sdf version="1.9"><world name="w">{"".join(models)}</world></sdf>')


@pytest.fixture
def work(monkeypatch) -> dict[str, int]:
    """Count diagnoses, hypotheses weighed in them, and geometries compared."""
    counts = {"diagnoses": 0, "hypotheses": 0, "comparisons": 0}
    contest, diagnose, weights = judge._Contest.__init__, cases.diagnose_each, population.Population._weights

    def counting_diagnose(evidences, noise):
        counts["diagnoses"] += len(evidences)
        return diagnose(evidences, noise)

    def counting_contest(self, *args):
        contest(self, *args)
        counts["hypotheses"] += len(self.scores)

    def counting_weights(*args, **options):
        counts["comparisons"] += 1
        return weights(*args, **options)

    monkeypatch.setattr(cases, "diagnose_each", counting_diagnose)
    monkeypatch.setattr(judge._Contest, "__init__", counting_contest)
    monkeypatch.setattr(population.Population, "_weights", counting_weights)
    return counts


@pytest.mark.parametrize("factor", [1.1, 1e6])
def test_work_on_a_world_of_equal_links_is_that_on_a_few(work, factor):
    it.check(world(20, factor))
    few = dict(work)
    it.check(world(200, factor))
    assert {name: work[name] - few[name] for name in work} == few
    assert few["diagnoses"] == 1
    assert few["hypotheses"] > 100


def test_work_grows_with_the_kinds_of_links(work):
    it.check(chain(24, 4, 1.1))
    few = dict(work)
    it.check(chain(240, 4, 1.1))
    more = {name: work[name] - few[name] for name in work}
    assert all(0 < more[name] <= few[name] for name in work)
    assert more["diagnoses"] <= 24


def test_right_links_are_no_work(work):
    assert it.check(world(20, 1.0)).findings == ()
    assert not any(work.values())


@pytest.mark.parametrize("made", [chain(12, 2, 1e6), world(8, 1e6)])
def test_every_link_is_told_about_its_own_kin(made):
    found = it.causes(made)
    assert set(found) == set(made.links)
    for name, [cause] in found.items():
        assert cause.is_proven
        assert cause.code == "wrong-unit"
        assert repr(name) not in cause.evidence + cause.change


@pytest.mark.parametrize("made", [chain(12, 3, 1e6), world(8, 1e6), chain(8, 8, 1e6)])
def test_a_case_is_what_each_of_its_links_would_be_alone(made, monkeypatch):
    shared = it.causes(made)
    monkeypatch.setattr(story, "diagnoses", lambda links, names: {name: _alone(links, name) for name in names})
    alone = it.causes(made)
    assert shared.keys() == alone.keys()
    assert shared.keys()
    for name, found in shared.items():
        for one, other in zip(found, alone[name], strict=True):
            assert (one.code, one.change, one.evidence, one.also, one.rival, one.is_proven, one.is_exact) == (
                other.code, other.change, other.evidence, other.also, other.rival, other.is_proven, other.is_exact
            )  # fmt: skip
            assert one.after.isclose(other.after, 1e-12)


def test_links_diagnosed_together_have_the_results_of_each_alone():
    links = [box(f"link_{number}", number, 10.0 ** (number % 9 - 4)) for number in range(150)]
    made = it.load_text(urdf(*links, *[joint(f"link_{number}", f"link_{number - 1}") for number in range(1, 150)]))
    views = {name: LinkView(made, one) for name, one in made.links.items()}
    robot = population.Population(made, views, it.compute(made))
    evidences = [robot.evidence(name) for name in views]
    together = judge.diagnose_each(evidences, robot.noise)
    assert len(together) == 150 > 2 * judge.TOGETHER
    for found, evidence in zip(together, evidences, strict=True):
        alone = judge.diagnose(evidence, robot.noise)
        assert (found.soundness, repr(found.proven), repr(found.possible)) == (
            alone.soundness, repr(alone.proven), repr(alone.possible)
        )  # fmt: skip


def _alone(links, name):
    evidence = links.evidence(name)
    return judge.Diagnosis() if evidence is None else judge.diagnose(evidence, links.noise)


def test_copies_are_found_as_by_comparing_all():
    random = np.random.default_rng(3)
    masses, moments = random.integers(1, 4, 60), random.integers(1, 4, (60, 3))
    nudges = 1.0 + random.choice([0.0, 2e-10, 1e-8], 60)
    links = {
        str(number): it.Inertial(mass * nudge, inertia=np.diag(moment * nudge))
        for number, (mass, moment, nudge) in enumerate(zip(masses, moments, nudges, strict=True))
    }
    crowd = Crowd(links)
    for own in links.values():
        assert crowd.with_numbers_of(own) == [name for name, other in links.items() if is_copy(own, other)]
    assert max(len(crowd.with_numbers_of(own)) for own in links.values()) > 1


def is_copy(own: it.Inertial, other: it.Inertial) -> bool:
    apart = np.abs(other.inertia - own.inertia).max()
    return bool(abs(other.mass - own.mass) <= 1e-9 * own.mass and apart <= 1e-9 * np.abs(own.inertia).max())
