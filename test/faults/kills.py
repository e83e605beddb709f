# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Kill inertia_server and its workers at random moments, and look at what clients and the disk get.

A supervisor starts the node again when it has died, as `respawn` of a launch file does. A client asks for one
correction after another, each written over the same file, and asks again each second until there is an answer. The
file must be one whole correction at any time, and the one that was answered last when nothing is under way.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import numpy as np
from models import chain
from processes import children_of, marked, resident, shared_memory
from ros_graph import Graph
from std_msgs.msg import String

import inertia_tools as it
from inertia_tools import msg, srv
from inertia_tools.write.temporary import NAME

MARK = "INERTIA_TOOLS_FAULTS"
"""Variable in the environment of everything that is started here."""

LINKS = 40
"""Of a model; its correction takes some tenths of a second."""

LONGEST_DELAY = 0.5
"""From the request to the kill [s]."""

ASK_AGAIN, PATIENCE, ORPHAN_PATIENCE = 1.0, 60.0, 10.0
"""Until the client asks again, until it gives up, and until a worker without its node must have ended [s]."""

VICTIMS = ("node", "worker", "both", "nobody")


def model(number: int) -> str:
    """Return a robot to correct, different for each number."""
    return chain(LINKS, 2.0 + number)


class Supervisor:
    """Keeps one inertia_server running.

    Attributes:
        deaths: How often it has died.
    """

    def __init__(self, graph: Graph, folder: Path) -> None:
        self._graph, self._log, self.deaths = graph, (folder / "node.log").open("a"), 0
        self._command = [sys.executable, "-m", "inertia_tools.ros.inertia_server", "--ros-args"]
        self._command += ["-r", f"__ns:={graph.namespace}", "-p", f"output_root:={folder / 'out'}"]
        self.process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(self._command, stdout=self._log, stderr=subprocess.STDOUT)

    def look(self) -> None:
        """Start the node again where it has died."""
        if self.process.poll() is not None:
            self.deaths += 1
            self.process = self._start()

    def kill(self, victim: str, draw: random.Random) -> int:
        """Kill the node, a worker, or all of them, and return how many processes that were."""
        workers = children_of(self.process.pid)
        pids = {"node": [self.process.pid], "worker": workers and [draw.choice(workers)]}
        pids |= {"both": [self.process.pid, *workers], "nobody": []}
        for pid in pids[victim]:
            with suppress(ProcessLookupError):
                os.kill(pid, 9)
        return len(pids[victim])


class Run:
    """One client, one supervised node, and what was seen."""

    def __init__(self, graph: Graph, folder: Path, seed: int) -> None:
        (folder / "out").mkdir()
        self.graph, self.draw, self.counts = graph, random.Random(seed), Counter[str]()
        self.file = folder / "out" / "robot.urdf"
        self.faults: list[str] = []
        self.waits: dict[str, list[float]] = {victim: [] for victim in VICTIMS}
        self.memory: list[float] = []
        self.supervisor = Supervisor(graph, folder)
        self.texts = [b""]
        self.describe = graph.latched_publisher("robot_description")
        self.describe(model(0))
        self.client = graph.node.create_client(srv.CorrectModel, "inertia_server/correct_model")
        graph.spin_until(self.client.service_is_ready, "the service")

    def correct(self, number: int) -> None:
        """Ask for a correction, kill somebody meanwhile or just after, and see that an answer comes and the file is it."""
        text = model(number)
        self.texts.append(it.fix(it.load_text(text)).data)
        request = srv.CorrectModel.Request(model=msg.ModelSource(text=text), output_path=str(self.file))
        victim, began = self.draw.choice(VICTIMS), time.monotonic()
        kill_at = began + self.draw.uniform(0.0, LONGEST_DELAY)
        futures, asked, answered = [self.client.call_async(request)], began, 0.0
        while not (answered and kill_at is None):
            self.graph.spin_once(0.005)
            now = time.monotonic()
            if kill_at is not None and now >= kill_at:
                kill_at = None
                self._kill(victim, number, "under way" if not answered else "idle")
            self.supervisor.look()
            done = [future.result() for future in futures if future.done()]
            if not answered and any(answer.success for answer in done):
                answered = now
            elif not answered and now - began > PATIENCE:
                self.faults.append(f"correction {number}, killed {victim}: no answer within {PATIENCE} s")
                break
            elif not answered and (now - asked > ASK_AGAIN or len(done) == len(futures)):
                self.counts["told that a worker was killed"] += sum("exit code -9" in one.message for one in done)
                futures, asked = [f for f in futures if not f.done()], now
                futures.append(self.client.call_async(request))
                self.counts["asked again"] += 1
        for future in futures:
            self.client.remove_pending_request(future)
        if answered:
            self.counts["answered"] += 1
            self.waits[victim].append(answered - began)
            self._look_at_answer(number)

    def _kill(self, victim: str, number: int, state: str) -> None:
        if self.supervisor.kill(victim, self.draw):
            self.counts[f"killed {victim}, {state}"] += 1
        self._look_at_file(number)

    def _look_at_file(self, number: int) -> None:
        """While something is under way the file is this correction or the one before."""
        self.counts["files under way at a kill"] += bool(self._temporary())
        if self.file.exists() and self.file.read_bytes() not in self.texts[-2:]:
            self.faults.append(f"correction {number}: the file is neither this one nor the one before")

    def _look_at_answer(self, number: int) -> None:
        if self.file.read_bytes() != self.texts[-1]:
            self.faults.append(f"correction {number}: the file is not what was answered")
        self.texts = self.texts[-1:]
        self.memory.append(resident(self.supervisor.process.pid))

    def _temporary(self) -> list[str]:
        return [one.name for one in self.file.parent.iterdir() if NAME.fullmatch(one.name)]

    def end(self) -> None:
        """See that the node has the description again, kill it in the middle of work, and count what is left."""
        expected = it.fix(it.load_text(model(0))).text
        self.supervisor.process.kill()
        self.supervisor.process.wait()
        self.supervisor.look()
        late = self.graph.listen(String, "corrected_robot_description", latched=True)
        self.graph.spin_until(lambda: expected in [one.data for one in late], "the corrected description again")
        self.counts["temporary files left by kills"] = len(self._temporary())
        self.client.call_async(srv.CorrectModel.Request(model=msg.ModelSource(text=model(1))))
        self.graph.spin_until(lambda: children_of(self.supervisor.process.pid), "a worker")
        self.supervisor.process.kill()
        began = time.monotonic()
        while (orphans := marked(os.environ[MARK])) and time.monotonic() - began < ORPHAN_PATIENCE:
            time.sleep(0.05)
        self.counts["processes left"] = len(orphans)
        for pid in orphans:
            self.faults.append(f"process {pid} outlived its node by {ORPHAN_PATIENCE} s")
            os.kill(pid, 9)


def report(run: Run, shared: tuple[int, int]) -> int:
    """Print what was seen, and return 1 when anything was wrong."""
    print(json.dumps(dict(sorted(run.counts.items()))))
    for victim, waits in run.waits.items():
        if waits:
            p50, p95 = np.percentile(waits, (50, 95))
            print(
                f"killed {victim}: {len(waits)} answers after p50 {p50:.2f} s, p95 {p95:.2f} s, most {max(waits):.2f} s"
            )
    print(
        f"{run.supervisor.deaths} restarts; a node holds {min(filter(None, run.memory)):.0f} to {max(run.memory):.0f} MB"
    )
    print(f"shared memory of Fast DDS left behind: {shared[0]} files, {shared[1] / 1e6:.1f} MB")
    print(f"{len(run.faults)} faults")
    for fault in run.faults[:20]:
        print(fault)
    return 1 if run.faults else 0


def main(graph: Graph, folder: Path, count: int, seed: int) -> int:
    """Make corrections while processes are killed; return 1 when anything was wrong."""
    os.environ[MARK] = f"{MARK}-{os.getpid()}"
    before = shared_memory()
    run = Run(graph, folder, seed)
    for number in range(1, count + 1):
        run.correct(number)
    run.end()
    new = {name: size for name, size in shared_memory().items() if name not in before}
    return report(run, (len(new), sum(new.values())))
