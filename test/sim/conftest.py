# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Let examples take their time, and the tests of the simulator run on another device than the CPU.

    INERTIA_TOOLS_TEST_DEVICE=cuda:0 python -m pytest test/sim

Whatever a test does not say to be elsewhere is built there.
"""

import os

import warp as wp
from hypothesis import settings

import inertia_tools.sim.model.building as building
from inertia_tools.kernel_loading import start_warp
from inertia_tools.sim.kernels.on_device import known_device

# How long an example takes tells how loaded the machine is, and folders of tests run at the same time.
settings.register_profile("without deadline", deadline=None)
settings.load_profile("without deadline")

DEVICE = os.environ.get("INERTIA_TOOLS_TEST_DEVICE", "cpu")


def device_of_tests(name):
    """Return a device by Warp's name; the CPU, which is taken where nothing is said, stands for `DEVICE`."""
    return known_device(DEVICE if name == "cpu" else name)


# Where there is a GPU, Warp puts there what tests allocate themselves.
start_warp()
wp.set_device(DEVICE)
building.known_device = device_of_tests
