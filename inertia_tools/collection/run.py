# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Judging many files over the cores of this machine or of others, and going on where a run was ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait

from inertia_tools.collection.journal import Journal
from inertia_tools.collection.verdict import Rules, Verdict, judge_files
from inertia_tools.collection.verdict_cache import VerdictCache

CHUNK = 8
"""Most files that go to a worker at a time; neighbours often share meshes."""

AHEAD = 4
"""Chunks that wait for each worker, so that none is idle; the rest is not handed out yet, which bounds memory."""

Told = Callable[[int, int], object]
"""Told how many files of how many are done."""


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
    """Judge files; the result is that of one process, whoever does the work.

    Args:
        files: The files.
        rules: How they are judged.
        executor: What does the work: processes, threads, or a cluster, which must see the files; here when None.
        workers: How many it does at a time.
        journal: Verdicts of an earlier run, which are not made again, and where new ones are noted.
        cache: Verdicts of any earlier run, likewise; those of the journal go first.
        progress: Told after each file, or few of them.

    Returns:
        One verdict a file, in the order of the files.
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
    """Part files into chunks that get smaller towards the end, so that no worker is left alone with many."""
    begin = 0
    while begin < len(files):
        end = begin + min(CHUNK, max(1, (len(files) - begin) // (AHEAD * workers)))
        yield files[begin:end]
        begin = end


def _elsewhere(files: Sequence[str], rules: Rules, executor: Executor, workers: int) -> Iterator[list[Verdict]]:
    """Yield verdicts as they come, with a few chunks handed out ahead."""
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
