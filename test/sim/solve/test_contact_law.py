# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The stiffness of friction that slides is a projection: it pulls along no direction, whatever rounding leaves."""

import numpy as np
import pytest
import warp as wp

from inertia_tools.sim.constraints.contact_law import contact_law_functions
from inertia_tools.sim.kernels.precision import precision

TANGENT_STIFFNESS = contact_law_functions(precision("float64")).tangent_stiffness


@wp.kernel
def stiffness_of(n: wp.vec3d, y: wp.vec3d, bound: wp.float64, k: wp.float64, found: wp.array(dtype=wp.mat33d)):
    found[0] = TANGENT_STIFFNESS(n, y, bound, k)


@pytest.mark.parametrize("part", [0.0, 0.1, 0.99995])
def test_stiffness_of_what_slides_is_never_negative(part):
    """A bound of 1e-18 leaves y that is rounding along the normal: discs on sloping sheets left the finite numbers."""
    n = np.array([0.36, 0.48, 0.8])
    across = np.array([0.8, -0.6, 0.0])
    y = 4.6e-18 * (part * n + np.sqrt(1.0 - part**2) * across)
    found = wp.zeros(1, dtype=wp.mat33d, device="cpu")
    wp.launch(stiffness_of, 1, [wp.vec3d(*n), wp.vec3d(*y), 3.7e-18, 1.0, found], device="cpu")
    stiffness = found.numpy()[0]
    assert np.linalg.eigvalsh(stiffness).min() > -1e-15
    assert np.allclose(stiffness @ n, 0.0, atol=1e-15)
