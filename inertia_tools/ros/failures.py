# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Error codes of services by exception."""

from __future__ import annotations

from inertia_tools.errors import InertiaToolsError, MeshError, OptionError, UnknownLinkError, WriteError
from inertia_tools.ros.codes import Failure


class NoModelError(InertiaToolsError):
    """A request names no model, and the node has none."""

    def __init__(self, topic: str) -> None:
        self.topic = topic
        super().__init__(
            f"the request names no model, and no usable description was received on {topic} "
            "or in the parameter robot_description"
        )


class BusyError(InertiaToolsError):
    """A request cannot be handled now; it had no effect, and may be repeated."""


class TimeLimitError(InertiaToolsError):
    """A request exceeded its time limit, and its work was stopped."""


class CodedError(InertiaToolsError):
    """A deliberate failure in another process, with its error code.

    Attributes:
        code: Number of ErrorCode.
    """

    def __init__(self, code: int, message: str) -> None:
        self.code = code
        super().__init__(message)


class DefectError(Exception):
    """An unintended failure (a defect) in another process.

    Attributes:
        details: The traceback there; empty if there is none.
    """

    def __init__(self, message: str, details: str) -> None:
        self.details = details
        super().__init__(message)


# The first matching class decides; any other deliberate exception means that the document is unusable.
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
    """Return the code of ErrorCode for an exception."""
    if not isinstance(error, InertiaToolsError):
        return Failure.INTERNAL
    if isinstance(error, CodedError):
        return Failure(error.code)
    return next((code for kind, code in _CODES if isinstance(error, kind)), Failure.PARSE_ERROR)


def message_of(error: Exception) -> str:
    """Return the message of an exception for the client; unintended exceptions are reported as defects."""
    if isinstance(error, InertiaToolsError):
        return str(error)
    return (
        f"internal error, please report it: {error}"
        if isinstance(error, DefectError)
        else (f"internal error, please report it: {kind_of(error)}")
    )


def kind_of(error: Exception) -> str:
    """Return the class and the message of an exception."""
    return f"{type(error).__name__}: {error}"
