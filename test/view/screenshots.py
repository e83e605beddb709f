# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Take the pictures of the pages in docs/images anew: `make screenshots`. Needs Chromium and Pillow."""

import io
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from browser import Page, browser_path
from robots import example_robots

import inertia_tools as it
from inertia_tools.cli import main
from inertia_tools.view.robot_page import RobotPage

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs" / "images"
BROKEN = "examples/broken_quadruped.urdf"
MOST_BYTES = 200_000
WIDTH, HEIGHT = 1280, 930
READY = "document.documentElement.dataset.ready === 'yes'"


def save(name: str, picture: bytes) -> None:
    """Write a picture with a palette, which takes a third of the bytes."""
    from PIL import Image

    small, path = io.BytesIO(), IMAGES / name
    Image.open(io.BytesIO(picture)).convert("RGB").quantize(colors=255).save(small, "PNG", optimize=True)
    assert len(small.getvalue()) < MOST_BYTES, f"{name} has {len(small.getvalue())} bytes"
    path.write_bytes(small.getvalue())
    print(f"{path.relative_to(ROOT)}: {len(small.getvalue()) / 1e3:.0f} kB")


def reports(folder: Path) -> None:
    """Take pictures of reports: of the broken robot, light, with its links; and of a real one, dark."""
    page = folder / "report.html"
    assert main(["report", BROKEN, "-o", str(page), "-q"]) == 0
    with Page(WIDTH, HEIGHT) as browser:
        browser.open(f"file://{page}", READY)
        save("report.png", browser.picture())
        browser.run("document.querySelector('#robot-0 .links').scrollIntoView()")
        time.sleep(2.0)  # until the small pictures are drawn
        save("report-links.png", browser.picture())
    robots = example_robots()
    assert robots is not None, "example-robot-data is not installed"
    robot = robots / "anymal_b_simple_description/robots/anymal-kinova.urdf"
    assert main(["report", str(robot), "-o", str(page), "-q"]) == 0
    with Page(WIDTH, HEIGHT, dark=True) as browser:
        browser.open(f"file://{page}#link=LF_SHANK", READY)
        save("report-dark.png", browser.picture("#stage"))


def viewer() -> None:
    """Take a picture of the viewer with a finding chosen and the joints bent."""
    page = RobotPage(it.fix(it.load(BROKEN)), port=8190)
    for leg in ("lf", "rf", "lh", "rh"):
        for joint, angle in BENT.items():
            page._sliders._sliders[f"{leg}_{joint}"].value = angle
    page.pose(page.positions)
    page.choose("rf_thigh")
    with Page(WIDTH, HEIGHT) as browser:
        browser.open(f"http://localhost:{page.port}", "document.querySelector('[role=tab]')")
        browser.wait("document.querySelector('.mantine-Notification-closeButton')")
        browser.click_on("document.querySelector('.mantine-Notification-closeButton')")
        time.sleep(5.0)  # until all meshes are there
        save("view.png", browser.picture())
        browser.click_on(tab("Settle"))
        fall(page, browser)
        save("view-settle.png", browser.picture())
    page.close()


BENT = {"hip_pitch": 0.5, "knee": -1.0}


def tab(name: str) -> str:
    """Return an expression for the tab of that name."""
    return f"[...document.querySelectorAll('[role=tab]')].find((one) => one.innerText.startsWith('{name}'))"


def fall(page: RobotPage, browser: Page) -> None:
    """Let the robot fall and come to rest."""
    ended = threading.Event()
    worker = threading.Thread(target=lambda: served(page, ended), daemon=True)
    worker.start()
    button = "[...document.querySelectorAll('button')].find((one) => one.innerText.includes('drop it'))"
    browser.wait(button)
    browser.click_on(button)
    until(lambda: "stand" in page._settling.verdict)
    ended.set()
    worker.join()
    time.sleep(2.0)


def served(page: RobotPage, ended: threading.Event) -> None:
    """Serve a page until it ends."""
    page.serve(ended.is_set)


def until(condition: Callable[[], bool], seconds: float = 120.0) -> None:
    """Wait until a condition is true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.1)


def plot(folder: Path) -> None:
    """Draw the settle test of the corrected robot."""
    fixed, picture = folder / "fixed.urdf", folder / "plot.png"
    assert main(["fix", BROKEN, "-o", str(fixed), "-q"]) == 0
    assert main(["simulate", str(fixed), "--drop", "0.05", "--plot", str(picture), "-q"]) == 0
    save("settle.png", picture.read_bytes())


if __name__ == "__main__":
    if browser_path() is None:
        sys.exit("there is no Chromium: apt-get install chromium")
    with tempfile.TemporaryDirectory() as scratch:
        reports(Path(scratch))
        viewer()
        plot(Path(scratch))
