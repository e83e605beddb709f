# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A client's side of a ROS graph, and the nodes that it starts as processes: for tests, the soak and benchmarks."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from forked_nodes import ForkedNode, ForkedNodes

NodeProcess = subprocess.Popen[str] | ForkedNode

PATIENCE = 240.0
"""For anything to happen, below the timeout of pytest: a loaded machine starts a node slowly, and who steps first on a
clean one compiles kernels [s]."""

ASK_AGAIN = 1.0
"""After which a question whose answer may have been lost is asked again [s]."""


def be_alone() -> None:
    """Take a domain of this process's own, on this machine only: nobody else's nodes are seen or disturbed.

    Those above 101 use ports that the system may have given to somebody.
    """
    os.environ["ROS_DOMAIN_ID"] = str(1 + os.getpid() % 101)
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"


class Graph:
    """The test's side of the graph: one client node, and the processes it started.

    Attributes:
        namespace: Namespace of its own, in which the client and every started node live; names given to the
            methods are relative to it.
    """

    _count = 0
    _open: ClassVar[set[Graph]] = set()

    def __init__(self, folder: Path, forks: ForkedNodes | None = None) -> None:
        """Create the client node; started nodes are forks where these are given."""
        import rclpy
        from rclpy.executors import SingleThreadedExecutor

        Graph._count += 1
        self.namespace = f"/test_{Graph._count}"
        self._folder, self._forks = folder, forks
        self._context = rclpy.Context()
        rclpy.init(context=self._context)
        self.node = rclpy.create_node("tester", namespace=self.namespace, context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)
        self._processes: list[NodeProcess] = []
        self._forgotten: set[NodeProcess] = set()
        self._clients: dict[str, Any] = {}
        self._subscriptions: list[Any] = []
        Graph._open.add(self)

    def start(
        self,
        module: str,
        parameters: dict[str, Any] | None = None,
        remaps: tuple[str, ...] = (),
        own_interpreter: bool = False,
    ) -> NodeProcess:
        """Start a node module such as ``inertia_server``; its output goes to a file named after its number.

        Where nodes are forks, `own_interpreter` starts this one as users do.
        """
        file = self._folder / f"parameters_{len(self._processes)}.yaml"
        # JSON is YAML too.
        file.write_text(json.dumps({"/**": {"ros__parameters": parameters or {}}}))
        arguments = ["--ros-args", "--params-file", str(file)]
        for remap in (f"__ns:={self.namespace}", *remaps):
            arguments += ["-r", remap]
        log = self._folder / f"log_{len(self._processes)}.txt"
        process: NodeProcess
        with log.open("w") as output:
            if self._forks is None or own_interpreter:
                command = [sys.executable, "-m", f"inertia_tools.ros.{module}", *arguments]
                process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, text=True)
            else:
                process = self._forks.start(module, arguments, log)
        self._processes.append(process)
        return process

    def log_of(self, process: NodeProcess) -> str:
        """Return what a process has printed so far."""
        return (self._folder / f"log_{self._processes.index(process)}.txt").read_text()

    def forget(self, process: NodeProcess) -> None:
        """Take it that a process has ended on purpose; else waiting fails when one has ended with an error."""
        self._forgotten.add(process)

    def stop(self, process: NodeProcess) -> int:
        """Interrupt a process as Ctrl-C does and return its exit code; its successor is discovered anew."""
        for client in self._clients.values():
            self.node.destroy_client(client)
        self._clients.clear()
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        try:
            return process.wait(timeout=PATIENCE / 4)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait(timeout=15)

    def spin_until(self, condition: Callable[[], Any], what: str) -> Any:
        """Handle messages until a condition gives something true, and return that."""
        deadline = time.monotonic() + PATIENCE
        while not (value := condition()):
            dead = [p for p in self._processes if p.poll() not in (None, 0) and p not in self._forgotten]
            if time.monotonic() > deadline or dead:
                logs = "\n".join(self.log_of(process) for process in self._processes)
                raise AssertionError(f"{what}: {'a node ended' if dead else f'not within {PATIENCE} s'}\n{logs}")
            self._executor.spin_once(timeout_sec=0.05)
        return value

    def spin_once(self, seconds: float) -> None:
        """Handle messages for so long at most."""
        self._executor.spin_once(timeout_sec=seconds)

    def call(self, service_type: Any, name: str, /, **fields: Any) -> Any:
        """Call a service with the given request fields and return the response."""
        future = self.client(service_type, name).call_async(service_type.Request(**fields))
        self.spin_until(future.done, f"answer of {name}")
        return future.result()

    def client(self, service_type: Any, name: str) -> Any:
        """Return the client of a service, the same one each time; the node has seen it."""
        if name not in self._clients:
            client = self.node.create_client(service_type, name)
            self.spin_until(client.service_is_ready, f"service {name}")
            self.be_seen_by(name.partition("/")[0])
            self._clients[name] = client
        return self._clients[name]

    def be_seen_by(self, node: str) -> None:
        """Wait until a node sees all that was created here before.

        A client sees a service before the service sees the client, and an answer meanwhile is lost; so are messages to
        a subscription. A node sees what others create in its order: when it answers a question of a client that was
        created last, it sees all the rest.
        """
        from rcl_interfaces.srv import GetParameterTypes

        client = self.node.create_client(GetParameterTypes, f"{node}/get_parameter_types")
        self.spin_until(client.service_is_ready, f"node {node}")
        answers: list[Any] = []
        asked = -ASK_AGAIN

        def is_answered() -> bool:
            nonlocal asked
            if time.monotonic() - asked >= ASK_AGAIN:
                asked = time.monotonic()
                answers.append(client.call_async(GetParameterTypes.Request()))
            return any(answer.done() for answer in answers)

        self.spin_until(is_answered, f"an answer of {node}")
        self.node.destroy_client(client)

    def listen(self, message_type: Any, topic: str, latched: bool = False) -> list[Any]:
        """Subscribe; the returned list grows as messages arrive."""
        from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

        durability = DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE
        reliability = ReliabilityPolicy.RELIABLE if latched else ReliabilityPolicy.BEST_EFFORT
        qos = QoSProfile(depth=100, durability=durability, reliability=reliability)
        received: list[Any] = []
        self._subscriptions.append(self.node.create_subscription(message_type, topic, received.append, qos))
        return received

    @staticmethod
    @contextmanager
    def listening_no_longer() -> Iterator[None]:
        """End at the end what was subscribed to inside, so that no test handles messages that another asked for."""
        kept = {subscription for graph in Graph._open for subscription in graph._subscriptions}
        yield
        for graph in Graph._open:
            for subscription in set(graph._subscriptions) - kept:
                graph.node.destroy_subscription(subscription)
                graph._subscriptions.remove(subscription)

    def statuses(self, name: str) -> list[Any]:
        """Listen to /diagnostics, which all nodes share, for a node of this graph."""
        from diagnostic_msgs.msg import DiagnosticArray

        statuses: list[Any] = []
        full_name = f"{self.namespace}/{name}".lstrip("/")

        def take(message: Any) -> None:
            statuses.extend(status for status in message.status if status.name == full_name)

        self._subscriptions.append(self.node.create_subscription(DiagnosticArray, "/diagnostics", take, 10))
        return statuses

    def set_parameter(self, node: str, name: str, value: Any) -> Any:
        """Set a parameter of a node and return the result."""
        from rcl_interfaces.srv import SetParameters
        from rclpy.parameter import Parameter

        parameter = Parameter(name, value=value).to_parameter_msg()
        return self.call(SetParameters, f"{node}/set_parameters", parameters=[parameter]).results[0]

    def commander(self, message_type: Any, topic: str) -> Callable[..., None]:
        """Return a function that publishes on a topic, once somebody listens, a message with the given fields."""
        publisher = self.node.create_publisher(message_type, topic, 10)
        self.spin_until(publisher.get_subscription_count, f"subscription to {topic}")
        return lambda **fields: publisher.publish(message_type(**fields))

    def receive(self, received: list[Any], what: str = "message") -> Any:
        """Wait for a message in a list from `listen`, take out all there are, and return the last."""
        self.spin_until(lambda: bool(received), what)
        message = received[-1]
        received.clear()
        return message

    def latched_publisher(self, topic: str) -> Callable[[str], None]:
        """Return a function that publishes text on a latched topic."""
        from rclpy.qos import DurabilityPolicy, QoSProfile
        from std_msgs.msg import String

        qos = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        publisher = self.node.create_publisher(String, topic, qos)
        return lambda text: publisher.publish(String(data=text))

    def close(self) -> None:
        """End the processes that were started here, then the client node."""
        Graph._open.remove(self)
        for process in self._processes:
            self.stop(process)
        self._executor.shutdown()
        self.node.destroy_node()
        self._context.try_shutdown()


@contextmanager
def open_graph(forks: ForkedNodes | None = None) -> Iterator[Graph]:
    with tempfile.TemporaryDirectory() as folder:
        graph = Graph(Path(folder), forks)
        try:
            yield graph
        finally:
            graph.close()
