# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Checks of many files in parallel, on this machine or others, with resumption of interrupted runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait

from inertia_tools.collection.journal import Journal
from inertia_tools.collection.verdict import Rules, Verdict, judge_files
from inertia_tools.collection.verdict_cache import VerdictCache

CHUNK = 8
"""Maximum number of files per chunk for a worker; neighbouring files often share meshes."""

AHEAD = 4
"""Queued chunks per worker, so that none is idle; later chunks are created only then, which bounds memory."""

Told = Callable[[int, int], object]
"""Called with the number of finished files and the total."""


def judge_all(
    files: Sequence[str],
    rules: Rules,
    *,
    executor: Executor | None = None,
    workers: int = 1,
    journal: Journal | None = None,
    cache: VerdictCache | None = None,
    progress: Told | None = None,
) -> list[Verdict]:
    """Judge files; the result does not depend on the executor.

    Args:
        files: The files.
        rules: How they are read and judged.
        executor: Executor of processes, threads or a cluster, which must have access to the files; None judges them in
            this thread.
        workers: Number of workers of the executor.
        journal: Journal of an interrupted run, whose verdicts are reused; new ones are added to it.
        cache: Cache of verdicts of all earlier runs, likewise; the journal takes precedence.
        progress: Called after each file or small group of files.

    Returns:
        One verdict per file, in the order of the files.
    """
    known = {} if cache is None else cache.verdicts(files)
    known |= {} if journal is None else journal.verdicts(files)
    waiting = [file for file in files if file not in known]
    verdicts = dict(known)
    for done in _here(waiting, rules) if executor is None else _elsewhere(waiting, rules, executor, workers):
        for verdict in done:
            verdicts[verdict.file] = verdict
            if journal is not None:
                journal.note(verdict)
            if cache is not None:
                cache.note(verdict)
        if progress is not None:
            progress(len(verdicts), len(files))
    return [verdicts[file] for file in files]


def _here(files: Sequence[str], rules: Rules) -> Iterator[list[Verdict]]:
    for file in files:
        yield judge_files([file], rules)


def _chunks(files: Sequence[str], workers: int) -> Iterator[Sequence[str]]:
    """Split files into chunks that shrink towards the end, so that all workers finish at about the same time."""
    begin = 0
    while begin < len(files):
        end = begin + min(CHUNK, max(1, (len(files) - begin) // (AHEAD * workers)))
        yield files[begin:end]
        begin = end


def _elsewhere(files: Sequence[str], rules: Rules, executor: Executor, workers: int) -> Iterator[list[Verdict]]:
    """Yield verdicts as they arrive, with a few chunks submitted ahead."""
    left = _chunks(files, workers)
    pending: set[Future[list[Verdict]]] = set()
    try:
        while True:
            while len(pending) < AHEAD * workers and (chunk := next(left, None)) is not None:
                pending.add(executor.submit(judge_files, chunk, rules))
            if not pending:
                return
            done, pending = wait(pending, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in done)
    finally:
        for future in pending:
            future.cancel()
