# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The page of `inertia-tools view`: what it shows and what it answers to, and in a browser where there is one."""

import io
import os
import re
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from browser import Page, browser_path
from robots import joint, link, mass, tensor, urdf

import inertia_tools as it
from inertia_tools.cli import main
from inertia_tools.description.kinematics import poses_at
from inertia_tools.view import robot_page
from inertia_tools.view.link_text import link_html
from inertia_tools.view.report.rows import link_rows
from inertia_tools.view.robot_page import RobotPage
from inertia_tools.view.viser_scene import link_path

pytest.importorskip("viser", reason="viser is not installed: pip install 'inertia_tools[view]'")

RED = '<visual><geometry><box size="0.1 0.1 0.1"/></geometry><material name="m"><color rgba="1 0 0 1"/></material></visual>'
TEXT = urdf(
    link("base", mass(6) + tensor(0.125, 0.1, 0.065), '<box size="0.4 0.3 0.2"/>'),
    link("arm", mass(1) + tensor(0.0005, 0.0005, 0.005)).replace("</link>", RED + "</link>"),
    link("tag", mass(0.01) + tensor(1, 1, 1), '<box size="0.01 0.01 0.01"/>'),
    joint("arm", origin="0 0 0.3").replace("0 0 1", "0 1 0"),
    joint("tag", parent="arm", type_="fixed", origin="0 0 0.3"),
)


@pytest.fixture
def robot():
    return it.load_text(TEXT)


@pytest.fixture
def page(robot):
    page = RobotPage(it.fix(robot), port=8131)
    yield page
    page.close()


def shown(page, link, part):
    """Return which solids of a link are seen, as ellipsoid or as box."""
    return [kind for kind, solids, _ in page._solids[link] if getattr(solids, part).visible]


def test_links_stand_where_the_joints_have_them(page, robot):
    page.pose({"arm_joint": 0.4})
    for name, pose in poses_at(robot, {"arm_joint": 0.4}).items():
        assert page._links[name].frame.position == pytest.approx(pose.position)
    page._sliders._sliders["arm_joint"].value = 0.7
    page.pose(page.positions)
    expected = poses_at(robot, {"arm_joint": 0.7})["arm"].quaternion
    assert np.roll(page._links["arm"].frame.wxyz, -1) == pytest.approx(expected)
    page._sliders.reset()
    assert page.positions == {"arm_joint": 0.0}


def test_inertias_before_and_after_are_layers(page):
    assert shown(page, "arm", "ellipsoid") == ["before", "after"]
    assert shown(page, "base", "ellipsoid") == ["unchanged"]
    assert shown(page, "arm", "box") == []
    page._with_before.value = False
    page._with_boxes.value = True
    page._show_solids()
    assert shown(page, "arm", "ellipsoid") == shown(page, "arm", "box") == ["after"]


def test_an_inertia_larger_than_the_robot_is_shown_with_its_link_alone(page):
    assert shown(page, "tag", "ellipsoid") == []
    page.choose("tag")
    assert shown(page, "tag", "ellipsoid") == ["unchanged"]
    page.choose("")
    assert shown(page, "tag", "ellipsoid") == []


def test_a_finding_chooses_its_link_and_says_its_fix(page):
    finding = next(row for row in page._findings if row.code == "triangle-inequality")
    page._choose_finding(finding)
    assert page.chosen == page._link_list.value == "arm"
    assert finding.remedy in page._finding.content
    assert "triangle-inequality" in page._about.content
    (mesh, own) = page._links["arm"].meshes[0]
    assert tuple(mesh.color) != own == (255, 0, 0)
    page.choose("")
    assert tuple(mesh.color) == own


def test_each_link_has_its_own_place():
    """Two names that only differ in the sign between their parts shared one, and the page could not be built."""
    names = ["a/b", "a|b", "a%2Fb", "a%b", "a/b/c"]
    places = [link_path(name) for name in names]
    assert len({*places}) == len(names)
    assert {place.count("/") for place in places} == {2}


def test_nothing_of_a_file_is_markup():
    hostile = "<img src=x onerror=alert(1)>"
    escaped = hostile.replace("<", "&lt;").replace(">", "&gt;")
    correction = it.fix(it.load_text(TEXT.replace('"arm"', f'"{escaped}"')))
    row = next(row for row in link_rows(correction) if row.name == hostile)
    assert hostile not in link_html(row, [])
    assert escaped in link_html(row, [])


def test_the_test_drops_the_robot_where_the_sliders_hold_it(page, robot):
    pytest.importorskip("warp", reason="warp-lang is not installed")
    panel = page._settling
    page._sliders._sliders["arm_joint"].value = 0.5
    panel.run()
    assert panel.verdict.startswith("stands")
    force = panel._curves.history.table[3, -1]
    assert force == pytest.approx(7.01 * 9.81, rel=1e-3)
    assert page._links["base"].frame.position[2] == pytest.approx(0.0, abs=1e-3)
    turn = poses_at(robot, {"arm_joint": 0.5})["arm"].quaternion
    assert np.roll(page._links["arm"].frame.wxyz, -1) == pytest.approx(turn, abs=1e-3)


def test_a_robot_that_no_simulation_takes_says_why():
    pytest.importorskip("warp", reason="warp-lang is not installed")
    page = RobotPage(it.fix(it.load_text(TEXT.replace('mass value="6"', 'mass value="-6"'))), port=8151)
    try:
        page._settling._kind.value = "as it is"
        page._settling.run()
        assert page._settling.verdict.startswith("cannot be simulated") and "base" in page._settling.verdict
    finally:
        page.close()


def test_large_meshes_are_simplified(tmp_path, monkeypatch):
    monkeypatch.setattr(robot_page, "MOST_TRIANGLES", 500)
    page = RobotPage(it.fix(it.load_text(TEXT.replace('<box size="0.4 0.3 0.2"/>', '<sphere radius="0.2"/>'))), 8171)
    try:
        assert 100 < sum(len(mesh.faces) for one in page._links.values() for mesh, _ in one.meshes) <= 500
    finally:
        page.close()


def test_wishes_are_carried_out_in_the_thread_that_serves(page):
    threads = []
    page.wish(lambda: threads.append(threading.current_thread()))
    page.serve(lambda: bool(threads))
    assert threads == [threading.current_thread()]


def test_without_viser_the_command_names_the_remedy(tmp_path, monkeypatch, capsys):
    file = tmp_path / "robot.urdf"
    file.write_text(TEXT)
    monkeypatch.setitem(sys.modules, "viser", None)
    assert main(["view", str(file), "--no-browser"]) == 2
    assert "pip install 'inertia_tools[view]'" in capsys.readouterr().err


def test_a_port_that_is_none_is_refused(tmp_path, capsys):
    file = tmp_path / "robot.urdf"
    file.write_text(TEXT)
    assert main(["view", str(file), "--no-browser", "--port", "70000"]) == 2
    assert "port must be a number from 1 to 65535; it is 70000" in capsys.readouterr().err


@pytest.mark.parametrize("host", ["no.such.host.invalid", "192.0.2.1", "a" * 80, ""])
def test_a_host_that_is_not_this_machine_is_refused(tmp_path, capsys, host):
    """The command waited for viser forever, whose thread had failed. The number is kept for documentation."""
    file = tmp_path / "robot.urdf"
    file.write_text(TEXT)
    assert main(["view", str(file), "--no-browser", "--host", host]) == 2
    assert "host must be an address of this machine" in capsys.readouterr().err


def test_the_command_says_where_the_page_is_and_ends_when_told(tmp_path):
    file = tmp_path / "robot.urdf"
    file.write_text(TEXT)
    command = [sys.executable, "-m", "inertia_tools", "view", str(file), "--no-browser", "--port", "8141"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ})
    try:
        line = process.stdout.readline()
        assert re.search(r"robot\.urdf: http://localhost:81\d\d ", line), line
        assert process.stdout.readline().startswith("next: ")
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
    finally:
        process.kill()


@pytest.mark.skipif(browser_path() is None, reason="there is no Chromium: apt-get install chromium")
def test_a_browser_shows_the_robot_and_its_findings(page):
    pytest.importorskip("websockets", reason="websockets is not installed, which drives the browser")
    image = pytest.importorskip("matplotlib.image", reason="matplotlib is not installed")

    def reds():
        colours = (255.0 * image.imread(io.BytesIO(browser.picture())))[:, :780, :3].astype(int)
        return int(((colours[..., 0] > 2 * colours[..., 1]) & (np.ptp(colours[..., 1:], axis=2) < 25)).sum())

    with Page(1200, 800) as browser:
        browser.open(f"http://localhost:{page.port}", "document.querySelector('[role=tab]')")
        tab = "[...document.querySelectorAll('[role=tab]')].find((one) => one.innerText.startsWith('Findings'))"
        page._see_through(1.0)
        _until(lambda: reds() > 200)
        browser.click_on(tab)
        button = "[...document.querySelectorAll('button')].find((one) => one.innerText.includes('arm: '))"
        browser.wait(button)
        browser.click_on(button)
        _until(lambda: page.chosen == "arm")
        _until(lambda: reds() < 50)  # the arm is painted as the chosen link
        assert browser.errors == []
        assert all(url.startswith((f"http://localhost:{page.port}", "data:", "blob:")) for url in browser.requests)


def _until(condition, tries=40):
    for _ in range(tries):
        if condition():
            return
        threading.Event().wait(0.1)
    raise AssertionError("it did not come to pass")
