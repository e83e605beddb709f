# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""urdfdom, run by Pinocchio, refuses the files in which `check` names a joint that it refuses, and no others."""

import pytest
from refused_joints import ACCEPTED, REFUSED, text

import inertia_tools as it
from inertia_tools.description.urdf_refusals import URDFDOM_REFUSES

pinocchio = pytest.importorskip(
    "pinocchio", reason="Pinocchio is not installed; `make peers` sets up an environment that has it"
)


@pytest.mark.parametrize(("type_", "parts"), [*ACCEPTED, *(row[:2] for row in REFUSED)])
def test_urdfdom_agrees(type_, parts, tmp_path):
    path = tmp_path / "r.urdf"
    path.write_text(text(type_, parts))
    try:
        pinocchio.buildModelFromUrdf(str(path))
        is_refused = False
    except ValueError:
        is_refused = True
    assert any(one.code == URDFDOM_REFUSES for one in it.check(it.load(path)).findings) == is_refused
