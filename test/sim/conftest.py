# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Let examples take their time, and the tests of the simulator run on another device than the CPU.

    INERTIA_TOOLS_TEST_DEVICE=cuda:0 python -m pytest test/sim

Whatever a test does not say to be elsewhere is built there.
"""

import os

import pytest
from hypothesis import settings

import inertia_tools.sim.device.building as building

# How long an example takes tells how loaded the machine is, and folders of tests run at the same time.
settings.register_profile("without deadline", deadline=None)
settings.load_profile("without deadline")

DEVICE = os.environ.get("INERTIA_TOOLS_TEST_DEVICE", "cpu")


@pytest.fixture(autouse=DEVICE != "cpu")
def _another_device(monkeypatch):
    """Build models on `DEVICE` that are to be on the CPU, as they are where nothing is said."""
    build = building.build_model

    def build_there(builder, device, *arguments, **options):
        return build(builder, DEVICE if device == "cpu" else device, *arguments, **options)

    monkeypatch.setattr(building, "build_model", build_there)
