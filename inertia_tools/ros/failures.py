# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Which error code a service answers for which exception."""

from __future__ import annotations

from inertia_tools.errors import InertiaToolsError, MeshError, OptionError, UnknownLinkError, WriteError
from inertia_tools.ros.codes import Failure


class NoModelError(InertiaToolsError):
    """A request names no model, and the node holds none."""

    def __init__(self, topic: str) -> None:
        self.topic = topic
        super().__init__(
            f"the request names no model, and no usable description has arrived on {topic} "
            "or in the parameter robot_description"
        )


# The first class that matches decides; anything else on purpose means that the document is of no use.
_CODES: tuple[tuple[type[InertiaToolsError], Failure], ...] = (
    (NoModelError, Failure.NO_MODEL),
    (UnknownLinkError, Failure.UNKNOWN_LINK),
    (MeshError, Failure.MISSING_MESH),
    (OptionError, Failure.INVALID_OPTION),
    (WriteError, Failure.WRITE_FAILED),
)


def failure_of(error: InertiaToolsError) -> Failure:
    """Return the code of ErrorCode that says what an exception says."""
    return next((code for kind, code in _CODES if isinstance(error, kind)), Failure.PARSE_ERROR)
