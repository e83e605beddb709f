# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The example of a Gymnasium VectorEnv keeps to Gymnasium's rules, and its worlds to the equations of a cart-pole."""

from importlib.util import find_spec

import numpy as np
import pytest

IS_HERE = find_spec("gymnasium") is not None and find_spec("warp") is not None
pytestmark = pytest.mark.skipif(not IS_HERE, reason="gymnasium is not installed: pip install gymnasium")


if IS_HERE:
    import vector_env
    from vector_env import CART_MASS, FORCE, HALF_LENGTH, POLE_MASS, STEP, CartPoles, balanced


@pytest.fixture
def worlds():
    return CartPoles(6)


def textbook_step(seen, action):
    """Integrate the equations of Barto, Sutton and Anderson finely over a step, shape (worlds, 4)."""
    total, seen = CART_MASS + POLE_MASS, seen.copy()
    h = STEP / 2000
    for _ in range(2000):
        _, speed, angle, rate = seen.T
        sine, cosine = np.sin(angle), np.cos(angle)
        push = (FORCE * action + POLE_MASS * HALF_LENGTH * rate**2 * sine) / total
        turning = (9.81 * sine - cosine * push) / (HALF_LENGTH * (4.0 / 3.0 - POLE_MASS * cosine**2 / total))
        pulling = push - POLE_MASS * HALF_LENGTH * turning * cosine / total
        seen = seen + h * np.stack([speed, pulling, rate, turning], axis=1)
    return seen


def test_a_step_is_that_of_the_textbook(worlds):
    seen, _ = worlds.reset(seed=3)
    assert worlds.observation_space.contains(seen)
    assert np.abs(seen).min() > 0.0
    action = np.linspace(-1.0, 1.0, 6)
    after, reward, terminated, truncated, _ = worlds.step(action[:, None])
    assert after == pytest.approx(textbook_step(seen, action), abs=2e-3)
    assert np.abs(after - seen).max() > 0.1
    assert (reward == 1.0).all()
    assert not (terminated | truncated).any()


def test_equal_seeds_give_equal_episodes(worlds):
    first, _ = worlds.reset(seed=3)
    for _ in range(5):
        last = worlds.step(balanced(first))[0]
    again, _ = worlds.reset(seed=3)
    assert (again == first).all()
    for _ in range(5):
        repeated = worlds.step(balanced(again))[0]
    assert (repeated == last).all()


def test_worlds_whose_episode_is_over_begin_anew_with_the_next_step(worlds):
    worlds.reset(seed=1)
    action = np.array([1.0, -1.0, 0.0, 0.0, 0.0, 0.0])[:, None]
    for _ in range(60):
        seen, _, terminated, _, _ = worlds.step(action)
        if terminated[0]:
            break
    assert terminated[0]
    assert abs(seen[0, 2]) > vector_env.STEEPEST
    before = seen.copy()
    seen, reward, terminated, _, _ = worlds.step(action)
    assert np.abs(seen[0]).max() <= vector_env.START
    assert (reward[0], terminated[0]) == (0.0, False)
    assert (seen[2:] != before[2:]).any(axis=1).all(), "the others go on"


def test_a_controller_balances_all_poles(worlds):
    seen, _ = worlds.reset(seed=2)
    for _ in range(200):
        seen, _, terminated, _, _ = worlds.step(balanced(seen))
        assert not terminated.any()
