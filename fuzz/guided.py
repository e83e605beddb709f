# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Let coverage guide what is read: `make fuzz-guided ARGS="urdf --runs 1000000"`.

Atheris (libFuzzer) keeps the inputs that reach new branches of a reader and changes those further, by the mutations of
`python -m fuzz` and by its own. An input that is refused is not changed further. What fails is
saved, and the run goes on. The inputs that are kept lie in `out/fuzz/corpus`, and the next run starts from them.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import pkgutil
import signal
import sys
import time
import warnings
from collections import Counter
from hashlib import blake2b
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import atheris

if TYPE_CHECKING:
    from fuzz.readers import Reader

WATCHED = ("inertia_tools.description", "inertia_tools.geometry.mesh")
"""Packages whose branches guide."""

MOST_TIME = 10.0
"""Processor time that an input may take [s]."""

OWN_SHARE = 0.05
"""Of changes that are libFuzzer's own."""

DROP = -1
"""Tells libFuzzer to forget an input."""

EVERY = 60.0
"""Between two lines of progress [s]."""


class TooLong(BaseException):
    """An input has taken more than `MOST_TIME`."""


class Target:
    """What libFuzzer calls: reads inputs, and counts what becomes of them."""

    def __init__(self, name: str, reader: Reader, runs: int, seconds: float, save: Path) -> None:
        from inertia_tools.errors import InertiaToolsError

        self._name, self._reader, self._runs, self._seconds, self._save = name, reader, runs, seconds, save
        self._refusal = InertiaToolsError
        self._sound = [one.data for one in reader.sound()]
        self._refused: set[int] = set()
        self.counts: Counter[str] = Counter()
        self.failures: Counter[str] = Counter()
        self._began = self._spoken = time.monotonic()
        self._worked = time.process_time()

    def read(self, data: bytes) -> int:
        """Read an input; returns what libFuzzer is to do with it."""
        self._go_on()
        signal.setitimer(signal.ITIMER_PROF, MOST_TIME)
        try:
            self._reader.read(data)
        except self._refusal as error:
            str(error)
            self.counts["refused"] += 1
            self._refused.add(hash(data))
            return DROP
        except (Exception, TooLong) as error:
            self.counts["failed"] += 1
            self._keep(data, error)
            return DROP
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0.0)
        self.counts["read"] += 1
        return 0

    def change(self, data: bytes, most: int, seed: int) -> bytes:
        """Make another input of one; of a sound file where that one is refused."""
        random = Random(seed)
        if hash(data) in self._refused:
            data = random.choice(self._sound)
        if random.random() < OWN_SHARE:
            return bytes(atheris.Mutate(data, most))
        changed = self._reader.change(data, random)
        return changed if len(changed) <= most else data

    def _keep(self, data: bytes, error: BaseException) -> None:
        from fuzz.outcome import signature_of

        signature = signature_of(error)
        self.failures[signature] += 1
        if self.failures[signature] == 1:
            name = f"{self._name}-{blake2b(data, digest_size=6).hexdigest()}"
            (self._save / name).write_bytes(data)
            print(f"{signature}: {error}\n  saved in {self._save / name}", flush=True)

    def _go_on(self) -> None:
        """Say how far it is, and end the process when it is done: libFuzzer does not return."""
        now = time.monotonic()
        is_done = sum(self.counts.values()) >= self._runs or now - self._began > self._seconds
        if is_done or now - self._spoken > EVERY:
            self._spoken = now
            print(self.line(now - self._began), flush=True)
        if is_done:
            os._exit(1 if self.failures else 0)

    def line(self, seconds: float) -> str:
        """Sum up."""
        runs, worked = sum(self.counts.values()), time.process_time() - self._worked
        return json.dumps(
            {
                "reader": self._name,
                "runs": runs,
                "read": round(self.counts["read"] / max(runs, 1), 3),
                "failed": self.counts["failed"],
                "seconds": round(seconds),
                "of processor": round(worked),
                "per second of processor": round(runs / max(worked, 1e-9)),
                "failures": dict(self.failures),
            }
        )


def _end_what_is_slow(_signal: int, _frame: Any) -> None:
    raise TooLong


def _import_watched() -> None:
    """Import the readers with their branches counted."""
    with atheris.instrument_imports(include=list(WATCHED), enable_loader_override=False):
        for name in WATCHED:
            package = importlib.import_module(name)
            for module in pkgutil.walk_packages(package.__path__, f"{name}."):
                importlib.import_module(module.name)


def main() -> None:
    """Fuzz one reader; ends the process."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.guided", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("reader", help="a key of fuzz.readers.READERS, such as urdf")
    parser.add_argument("--runs", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="start no more after this time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--corpus", type=Path, default=Path("out/fuzz/corpus"), help="folder of inputs that are kept")
    parser.add_argument("--save", type=Path, default=Path("out/fuzz"), help="folder for what fails")
    options = parser.parse_args()
    _import_watched()
    from fuzz.readers import READERS

    if options.reader not in READERS:
        parser.error(f"there is no reader {options.reader!r}; there are {', '.join(READERS)}")
    warnings.simplefilter("ignore")
    reader = READERS[options.reader]
    folder = options.corpus / options.reader
    for one in (folder, options.save):
        one.mkdir(parents=True, exist_ok=True)
    for seed in reader.sound():
        (folder / blake2b(seed.data, digest_size=10).hexdigest()).write_bytes(seed.data)
    most = 2 * max(path.stat().st_size for path in folder.iterdir())
    target = Target(options.reader, reader, options.runs, options.seconds, options.save)
    signal.signal(signal.SIGPROF, _end_what_is_slow)
    words = [sys.argv[0], str(folder), f"-seed={options.seed}", f"-max_len={most}", "-timeout=120"]
    words += ["-rss_limit_mb=4096", "-verbosity=0", "-mutate_depth=1", f"-artifact_prefix={options.save}/"]
    atheris.Setup(words, target.read, custom_mutator=target.change)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
