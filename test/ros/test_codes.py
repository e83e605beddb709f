# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The Python enumerations have the names and numbers of the message constants: all of them, no others."""

from __future__ import annotations

import pytest

msg = pytest.importorskip("inertia_tools.msg", reason="the messages are not built")
srv = pytest.importorskip("inertia_tools.srv", reason="the services are not built")

from inertia_tools.inertia.finding import Severity  # noqa: E402
from inertia_tools.inertia.method import Method  # noqa: E402
from inertia_tools.ros import codes  # noqa: E402


def constants_of(message):
    """Return every constant of a generated class, by name."""
    (constants,) = [value for name, value in vars(type(message)).items() if name.endswith("__constants")]
    return constants


@pytest.mark.parametrize(
    ("enumeration", "message", "prefix"),
    [
        (Severity, msg.Finding, "SEVERITY_"),
        (Method, msg.LinkInertial, "METHOD_"),
        (codes.ModelFormat, msg.ModelSource, "FORMAT_"),
        (codes.Geometry, msg.ComputeOptions, "GEOMETRY_"),
        (codes.MassPolicy, msg.ComputeOptions, "MASS_"),
        (codes.OpenMesh, msg.ComputeOptions, "OPEN_MESH_"),
        (codes.Scope, srv.CorrectModel.Request, "SCOPE_"),
        (codes.Failure, msg.ErrorCode, ""),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_enumeration_equals_constants(enumeration, message, prefix):
    constants = {
        name.removeprefix(prefix): value for name, value in constants_of(message).items() if name.startswith(prefix)
    }
    assert constants == {member.name: member.value for member in enumeration}
