# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Chromium without a window, driven over its own protocol, for tests of pages and for pictures of them."""

import base64
import contextlib
import itertools
import json
import shutil
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
STARTING_TIME = 30.0
"""How long the browser may take to start [s]."""

READING_TIME = 60.0
"""How long it may take to answer [s]."""

OPTIONS = (
    "--headless=new",
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--hide-scrollbars",
    "--remote-debugging-port=0",
    "--remote-allow-origins=*",
)


def browser_path() -> str | None:
    """Return the program; None where there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Page:
    """One page of a browser of its own; a context manager that ends it.

    Attributes:
        requests: URLs that the page has asked for, other than the page itself.
        errors: What its scripts complained of.
    """

    def __init__(self, width: int = 1400, height: int = 1000, scale: float = 1.0, dark: bool = False) -> None:
        self.requests: list[str] = []
        self.errors: list[str] = []
        self._numbers = itertools.count(1)
        self._view = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": False}
        self._dark = dark

    def __enter__(self):
        from websockets.sync.client import connect

        # Processes of the browser may write into it for a moment after it has ended.
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        command = [browser_path(), *OPTIONS, f"--user-data-dir={self._folder.name}", "about:blank"]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._opened = contextlib.ExitStack()
        self._socket = self._opened.enter_context(connect(self._address(), max_size=None))
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")
        self.send("Emulation.setDeviceMetricsOverride", **self._view)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if self._dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])
        return self

    def __exit__(self, *_):
        self._opened.close()
        self._process.terminate()
        self._process.wait(60)
        self._folder.cleanup()

    def _address(self) -> str:
        """Return where the page listens, which the browser writes to a file."""
        port = Path(self._folder.name, "DevToolsActivePort")
        end = time.monotonic() + STARTING_TIME
        while time.monotonic() < end:
            if port.exists() and port.read_text().strip():
                url = f"http://127.0.0.1:{port.read_text().split()[0]}/json"
                with urllib.request.urlopen(url) as answer:
                    pages = [one for one in json.load(answer) if one["type"] == "page"]
                if pages:
                    return pages[0]["webSocketDebuggerUrl"]
            time.sleep(0.05)
        raise TimeoutError("the browser did not start")

    def send(self, method: str, **params):
        """Call a method of the protocol and return its result."""
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            message = json.loads(self._socket.recv(timeout=READING_TIME))
            if message.get("id") == number:
                assert "error" not in message, message["error"]
                return message["result"]
            self._note(message)

    def _note(self, message) -> None:
        params = message.get("params", {})
        if message.get("method") == "Network.requestWillBeSent" and params["type"] != "Document":
            self.requests.append(params["request"]["url"])
        if message.get("method") == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(params["exceptionDetails"])[:500])
        if message.get("method") == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append(params["entry"]["text"])

    def open(self, url: str, ready: str = "document.readyState === 'complete'") -> None:
        """Open a URL and wait until an expression is true."""
        self.send("Page.navigate", url="about:blank")
        self.requests.clear()
        self.errors.clear()
        self.send("Page.navigate", url=url)
        self.wait(ready)

    def wait(self, condition: str, seconds: float = 60.0) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + seconds
        while not self.run(f"(() => {{ try {{ return Boolean({condition}); }} catch {{ return false; }} }})()"):
            if time.monotonic() > end:
                raise TimeoutError(f"{condition} did not become true; {self.errors}")
            time.sleep(0.05)

    def run(self, expression: str):
        """Return the value of an expression, awaited where it is a promise."""
        result = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def rest(self) -> None:
        """Wait until what was asked for is drawn."""
        self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def click(self, x: float, y: float) -> None:
        """Click at a point of the page [px]."""
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def click_on(self, element: str) -> None:
        """Click at the middle of the element that an expression gives."""
        x, y = self.run(
            f"(() => {{ const one = {element}; one.scrollIntoView({{block: 'nearest'}});"
            " const b = one.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()"
        )
        self.click(x, y)

    def drag(self, x: float, y: float, dx: float, dy: float) -> None:
        """Drag from a point of the page [px]."""
        self.send("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, button="left", clickCount=1)
        for part in (0.5, 1.0):
            x_now, y_now = x + part * dx, y + part * dy
            self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x_now, y=y_now, button="left", buttons=1)
        self.send("Input.dispatchMouseEvent", type="mouseReleased", x=x + dx, y=y + dy, button="left", clickCount=1)

    def picture(self, area: str = "") -> bytes:
        """Return the page, or the element that a selector names, as PNG."""
        self.rest()
        clip = {}
        if area:
            box = self.run(
                f"(() => {{ const b = document.querySelector({area!r}).getBoundingClientRect();"
                " return {x: b.x + scrollX, y: b.y + scrollY, width: b.width, height: b.height, scale: 1}; })()"
            )
            clip = {"clip": box, "captureBeyondViewport": True}
        return base64.b64decode(self.send("Page.captureScreenshot", format="png", **clip)["data"])
