# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Making a failing case smaller as long as it fails alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from fuzz.case import Case
from fuzz.crew import run_cases

MOST_TRIES = 400
MOST_SECONDS = 60.0


def reduced(case: Case, signature: str) -> Case:
    """Return the case with pieces of its files left out, halves first, single bytes last.

    Args:
        case: A case that fails.
        signature: How it fails.
    """
    end = time.monotonic() + MOST_SECONDS
    tries = 0

    def fails(candidate: Case) -> bool:
        nonlocal tries
        tries += 1
        results = run_cases(lambda _: candidate, range(1), 1, lambda: True)
        return any(result.signature == signature for result in results)

    for name in case.files:
        case = _reduced_file(case, name, fails, lambda: tries < MOST_TRIES and time.monotonic() < end)
    return case


def _reduced_file(case: Case, name: str, fails: Callable[[Case], bool], keep_on: Callable[[], bool]) -> Case:
    size = max(1, len(case.files[name]) // 2)
    while size >= 1 and keep_on():
        smaller = next(
            (
                one
                for one in (
                    replace(case, files={**case.files, name: data}) for data in _without(case.files[name], size)
                )
                if keep_on() and fails(one)
            ),
            None,
        )
        if smaller is None:
            size //= 2
        else:
            case = smaller
    return case


def _without(data: bytes, size: int) -> Iterator[bytes]:
    """Iterate over what is left of some content when pieces of that size are taken out, one at a time."""
    for begin in range(0, len(data), size):
        yield data[:begin] + data[begin + size :]
