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


class BusyError(InertiaToolsError):
    """There is no time for a request now; it changes nothing, and may be made again."""


class TimeLimitError(InertiaToolsError):
    """A request took longer than it may, and its work was ended."""


# The first class that matches decides; anything else on purpose means that the document is of no use.
_CODES: tuple[tuple[type[InertiaToolsError], Failure], ...] = (
    (NoModelError, Failure.NO_MODEL),
    (BusyError, Failure.BUSY),
    (TimeLimitError, Failure.TIMED_OUT),
    (UnknownLinkError, Failure.UNKNOWN_LINK),
    (MeshError, Failure.MISSING_MESH),
    (OptionError, Failure.INVALID_OPTION),
    (WriteError, Failure.WRITE_FAILED),
)


def failure_of(error: Exception) -> Failure:
    """Return the code of ErrorCode that says what an exception says."""
    if not isinstance(error, InertiaToolsError):
        return Failure.INTERNAL
    return next((code for kind, code in _CODES if isinstance(error, kind)), Failure.PARSE_ERROR)


def message_of(error: Exception) -> str:
    """Return what an exception says, for who made the request; what was not raised on purpose is a defect."""
    return str(error) if isinstance(error, InertiaToolsError) else f"internal error, {type(error).__name__}: {error}"
