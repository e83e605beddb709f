# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Colours encoded for display and back."""

import itertools

import numpy as np
import pytest

from inertia_tools.utils import color_linear_to_srgb, color_srgb_to_linear


@pytest.mark.parametrize("channel", [0.0, 0.001, 0.0031308, 0.0031309, 0.18, 0.5, 1.0, 1.7])
def test_decoding_undoes_encoding(channel: float) -> None:
    color = (channel, 0.5 * channel, 0.0)
    assert color_srgb_to_linear(color_linear_to_srgb(color)) == pytest.approx(color, abs=1e-7)


def test_middle_grey_and_the_ends_are_those_of_the_standard() -> None:
    """IEC 61966-2-1: black and white stay, 0.214 of the light looks half as bright."""
    assert color_linear_to_srgb((0.0, 1.0, 0.21404)) == pytest.approx((0.0, 1.0, 0.5), abs=1e-5)


def test_encoding_grows_and_cuts_what_is_negative() -> None:
    encoded = [color_linear_to_srgb((value, -1.0, 0.0, 0.3)) for value in np.linspace(0.0, 2.0, 200)]
    assert all(one[0] < other[0] for one, other in itertools.pairwise(encoded))
    assert {one[1] for one in encoded} == {0.0}


def test_a_colour_has_three_channels() -> None:
    with pytest.raises(ValueError, match="2 numbers"):
        color_srgb_to_linear((0.1, 0.2))
