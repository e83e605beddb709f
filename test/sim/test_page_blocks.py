# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The code of Newton's page "Mass and Inertia", run as it stands there except for the line that imports it."""

import pytest

BLOCKS = {
    "automatic inference from shape density": """
import numpy as np
import warp as wp
import newton

builder = newton.ModelBuilder()

# Body with initial mass 2.0 kg
body = builder.add_link(mass=2.0)
# Shape adds mass from density: a 1m-radius sphere at 1000 kg/m^3
builder.add_shape_sphere(body, radius=1.0, cfg=builder.ShapeConfig(density=1000.0))

sphere_mass = 4.0 / 3.0 * np.pi * 1000.0  # ~4189 kg
assert abs(builder.body_mass[body] - (2.0 + sphere_mass)) < 1.0
""",
}


@pytest.mark.parametrize("block", BLOCKS.values(), ids=BLOCKS)
def test_block_of_the_page(block):
    assert "import newton\n" in block
    exec(block.replace("import newton\n", "import inertia_tools as newton\n"), {})
