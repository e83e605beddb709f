# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The page of a simulation, in a browser without a window where there is one."""

import io
import time

import numpy as np
import pytest
from browser import Page, browser_path
from robots import joint, link, mass, tensor, urdf

import inertia_tools as it
from inertia_tools.errors import MissingDependencyError
from inertia_tools.sim.simulation.soft_body import Cloth, Particles, SoftBody
from inertia_tools.view import viewer as viewer_module
from inertia_tools.view.history import LENGTH, History
from inertia_tools.view.link_surfaces import link_surfaces
from inertia_tools.view.viewer import NOTHING, Pace, Viewer

pytest.importorskip("warp", reason="warp-lang is not installed")

RED = (
    '<visual><geometry><sphere radius="0.3"/></geometry><material name="m"><color rgba="1 0 0 1"/></material></visual>'
)
ARM = it.load_text(
    urdf(
        link("base", mass(6) + tensor(0.04, 0.04, 0.04), '<box size="0.2 0.2 0.2"/>'),
        link("arm", mass(1) + tensor(0.01, 0.01, 0.001)).replace("</link>", RED + "</link>"),
        joint("arm", origin="0 0 0.5"),
    )
)
CUBE = it.load_text(urdf(link("cube", mass(2) + tensor(0.01, 0.01, 0.01), '<box size="0.2 0.2 0.2"/>')))


class Recorder:
    def __init__(self):
        self.asked = []

    def pause(self, paused):
        self.asked.append(("pause", paused))

    def step(self):
        self.asked.append("step")

    def reset(self):
        self.asked.append("reset")


@pytest.fixture
def page(monkeypatch):
    pytest.importorskip("viser", reason="viser is not installed: pip install viser")
    monkeypatch.setattr(viewer_module, "FRAME_PERIOD", 0.0)
    page = Viewer(Recorder(), port=8123)
    yield page
    page.close()


@pytest.fixture
def arm():
    return it.Simulation(ARM, dtype="float64")


def test_links_look_like_their_visuals_or_collisions():
    (box,) = link_surfaces(ARM.links["base"])
    assert np.abs(box.vertices).max(axis=0) == pytest.approx([0.1, 0.1, 0.1])
    (ball,) = link_surfaces(ARM.links["arm"])
    assert ball.colour == (1.0, 0.0, 0.0)
    assert np.linalg.norm(ball.vertices, axis=1) == pytest.approx(np.full(len(ball.vertices), 0.3), rel=1e-2)


def test_curves_keep_the_last_moments_and_begin_anew_with_time():
    history = History()
    for step in range(LENGTH + 10):
        history.add(float(step), 2.0 * step)
    history.add(float(LENGTH + 9), -1.0)
    assert history.table.shape == (2, LENGTH)
    assert history.table[:, -1].tolist() == [LENGTH + 9, -1.0]
    history.add(0.0, 5.0)
    assert history.table.tolist() == [[0.0], [5.0]]


def test_the_page_follows_links_contacts_and_entities(page, arm):
    arm.step(5)
    page.show(arm, Pace(arm.time, 0.98, "running"))
    arm.set_body_state("base", [1.0, 2.0, 3.0], [0, 0, 0, 1])
    page.show(arm, Pace(arm.time))
    assert page._frames["base"].frame.position == pytest.approx([1.0, 2.0, 3.0])
    assert page._frames["arm"].frame.position == pytest.approx([1.0, 2.0, 3.5])
    arm.spawn(it.Entity("box", CUBE))
    page.show(arm, Pace(arm.time))
    assert set(page._frames) == {"base", "arm", "box::cube"}
    assert page._drag.options == (NOTHING, "base", "arm", "box::cube")
    assert page._curves.history.table.shape[0] == 4


def test_the_page_follows_soft_bodies(page, arm):
    sheet = SoftBody("sheet", Cloth(cells=(2, 2)), it.Pose(np.array([0.0, 0.0, 2.0])))
    grains = SoftBody("grains", Particles(count=(1, 1, 2)), it.Pose(np.array([2.0, 0.0, 2.0])))
    falling = it.Simulation(it.Entity("", ARM, soft=(sheet, grains)), ground=False)
    page.show(falling, Pace(0.0))
    before = page._soft._mesh.vertices[:, 2].mean(), page._soft._points.points[:, 2].mean()
    falling.step(24)
    page.show(falling, Pace(falling.time))
    after = page._soft._mesh.vertices[:, 2].mean(), page._soft._points.points[:, 2].mean()
    assert np.subtract(before, after) == pytest.approx(0.5 * 9.81 * falling.time**2, rel=1e-3)
    page.show(arm, Pace(0.0))
    assert page._soft is None


def test_a_dragged_body_comes_to_the_handle_and_is_let_go(page, arm):
    arm.set_gravity((0, 0, 0))
    page.show(arm, Pace(0.0))
    page._begin_drag("base")
    page._target[1].position = (0.0, 0.0, 1.0)
    for _ in range(480):
        page.show(arm, Pace(arm.time))
        arm.step()
    assert arm.snapshot().positions[0] == pytest.approx([0.0, 0.0, 1.0], abs=2e-2)
    page._begin_drag(NOTHING)
    page.show(arm, Pace(arm.time))
    arm.step(2)
    assert not arm._built.pushes


def test_without_viser_the_remedy_is_named(monkeypatch):
    import builtins

    real = builtins.__import__

    def without(name, *rest):
        if name == "viser":
            raise ModuleNotFoundError("no viser", name="viser")
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingDependencyError, match=r"pip install 'inertia_tools\[view\]'"):
        Viewer()


@pytest.mark.skipif(browser_path() is None, reason="there is no Chromium: apt-get install chromium")
def test_a_browser_shows_the_robot(page, arm):
    """The ball is the only thing that is red; it is seen, and not where it has moved away."""
    pytest.importorskip("websockets", reason="websockets is not installed, which drives the browser")
    image = pytest.importorskip("matplotlib.image", reason="matplotlib is not installed")
    page.show(arm, Pace(0.0))

    def red():
        colours = (255.0 * image.imread(io.BytesIO(browser.picture())))[..., :3].astype(int)
        return int(((colours[..., 0] > 120) & (colours[..., 1] < 60) & (colours[..., 2] < 60)).sum())

    with Page(900, 600) as browser:
        browser.open(f"http://localhost:{page.port}", "document.querySelector('canvas')")
        _until(lambda: red() > 200)
        arm.set_body_state("base", [0.0, 0.0, 500.0], [0, 0, 0, 1])
        page.show(arm, Pace(0.0))
        _until(lambda: red() < 50)


def _until(condition, tries=40):
    for _ in range(tries):
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError("it did not come to pass")
