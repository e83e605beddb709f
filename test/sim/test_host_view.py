# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Arrays that are read again and again are looked up once, and never read from what they no longer are."""

import numpy as np
import warp as wp

from inertia_tools.sim.kernels.host_view import HostView


def test_a_view_shows_what_kernels_and_callers_write():
    view, array = HostView(), wp.array([1.0, 2.0], dtype=wp.float64, device="cpu")
    assert view.of(array).tolist() == [1.0, 2.0]
    array.fill_(3.0)
    assert view.of(array).tolist() == [3.0, 3.0]


def test_another_array_in_the_place_of_one_is_seen(monkeypatch):
    view, first, second = HostView(), *(wp.full(2, k, dtype=wp.float64, device="cpu") for k in (1.0, 2.0))
    assert view.of(first)[0] == 1.0
    assert view.of(second)[0] == 2.0
    seen = view.of(second)
    monkeypatch.setattr(wp.array, "numpy", None)  # it is not looked up again
    assert np.shares_memory(view.of(second), seen)
