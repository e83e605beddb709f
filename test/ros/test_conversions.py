# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Values keep their meaning on the way into messages, and what is not defined becomes NaN."""

from __future__ import annotations

import math

import numpy as np
import pytest

msg = pytest.importorskip("inertia_tools.msg", reason="the messages are not built")

from inertia_tools.inertia.compute import LinkInertial  # noqa: E402
from inertia_tools.inertia.finding import Finding, Severity  # noqa: E402
from inertia_tools.inertia.method import Method  # noqa: E402
from inertia_tools.inertia.report import LinkReport  # noqa: E402
from inertia_tools.inertial import Inertial  # noqa: E402
from inertia_tools.ros import conversions  # noqa: E402

TENSOR = np.array([[3.0, 0.1, 0.2], [0.1, 4.0, 0.3], [0.2, 0.3, 5.0]])
VALUE = LinkInertial("arm", Inertial(2.0, (0.1, 0.2, 0.3), TENSOR), Method.MESH, volume=0.002, density=1000.0)


def test_inertia_keeps_every_term_in_its_place():
    inertia = conversions.to_inertia(VALUE.inertial)
    terms = [inertia.ixx, inertia.ixy, inertia.ixz, inertia.iyy, inertia.iyz, inertia.izz]
    assert terms == [3.0, 0.1, 0.2, 4.0, 0.3, 5.0]
    assert (inertia.m, inertia.com.x, inertia.com.y, inertia.com.z) == (2.0, 0.1, 0.2, 0.3)


def test_principal_moments_ascend_and_keep_the_trace():
    moments = conversions.to_link_inertial("arm", VALUE).principal_moments
    assert moments.x <= moments.y <= moments.z
    assert moments.x + moments.y + moments.z == pytest.approx(12.0)


def test_no_value_is_method_none_and_nan_everywhere():
    message = conversions.to_link_inertial("arm", None)
    assert message.link == "arm"
    assert message.method == msg.LinkInertial.METHOD_NONE
    numbers = [message.density, message.volume, message.principal_moments.x, message.inertia.m, message.inertia.com.y]
    numbers += [getattr(message.inertia, term) for term in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")]
    assert all(math.isnan(number) for number in numbers)


def test_declared_value_has_no_volume_nor_density():
    message = conversions.to_link_inertial("arm", LinkInertial("arm", VALUE.inertial, Method.DECLARED))
    assert message.method == msg.LinkInertial.METHOD_DECLARED
    assert math.isnan(message.volume)
    assert math.isnan(message.density)
    assert message.inertia.m == 2.0


def test_tensor_that_is_no_number_still_converts():
    broken = Inertial(1.0, (0, 0, 0), np.full((3, 3), math.nan))
    message = conversions.to_link_inertial("arm", LinkInertial("arm", broken, Method.DECLARED))
    assert message.inertia.m == 1.0
    assert math.isnan(message.principal_moments.x)


def test_link_with_an_error_is_not_valid():
    findings = (Finding(Severity.ERROR, "zero-mass", "arm", "the mass is 0 kg", "arm.urdf", 7),)
    report = conversions.to_link_report(LinkReport("arm", VALUE, findings=findings))
    assert not report.valid
    assert report.findings[0].code == "zero-mass"
    assert "arm.urdf:7" in report.findings[0].message


def test_warning_alone_leaves_a_link_valid():
    findings = (Finding(Severity.WARNING, "density-low", "arm", "light", "", None),)
    report = conversions.to_link_report(LinkReport("arm", VALUE, findings=findings))
    assert report.valid
    assert report.findings[0].message == "light"


def test_corrected_value_takes_the_place_of_the_computed_one():
    corrected = LinkInertial("arm", Inertial(9.0, (0, 0, 0), np.eye(3)), Method.ASSUMED)
    report = conversions.to_link_report(LinkReport("arm", None, computed=VALUE, corrected=corrected, changed=True))
    assert report.computed.inertia.m == 9.0
    assert report.computed.method == msg.LinkInertial.METHOD_ASSUMED
    assert report.declared.method == msg.LinkInertial.METHOD_NONE
    assert report.changed
