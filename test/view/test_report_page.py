# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The page of a report in a browser: the picture, and what clicks do."""

import io

import numpy as np
import pytest
from browser import Page, browser_path
from robots import joint, link, mass, tensor, urdf

import inertia_tools as it
from inertia_tools.view.report.page import page_text, robot_page

pytest.importorskip("jinja2", reason="jinja2 is not installed")
pytest.importorskip("websockets", reason="websockets is not installed, which drives the browser")
image = pytest.importorskip("matplotlib.image", reason="matplotlib is not installed")
pytestmark = pytest.mark.skipif(browser_path() is None, reason="there is no Chromium: apt-get install chromium")

READY = "document.documentElement.dataset.ready === 'yes'"
RED = '<visual><geometry><box size="0.1 0.1 0.1"/></geometry><material name="m"><color rgba="1 0 0 1"/></material></visual>'
HOSTILE = "&lt;img src=x onerror=&quot;document.title=&apos;taken&apos;&quot;&gt;"
ROBOT = urdf(
    link("base", mass(6) + tensor(0.125, 0.1, 0.065), '<box size="0.2 0.3 0.4"/>'),
    link("arm", mass(1) + tensor(0.01, 0.01, 0.1)).replace("</link>", RED + "</link>"),
    link(HOSTILE, mass(0.5) + tensor(0.001, 0.001, 0.001), '<sphere radius="0.05"/>'),
    joint("arm", origin="0 0 0.5"),
    joint(HOSTILE, origin="0 0.5 0"),
)


@pytest.fixture(scope="module")
def browser():
    with Page(1400, 1000) as page:
        yield page


@pytest.fixture
def page(browser, tmp_path):
    correction = it.fix(it.load_text(ROBOT))
    file = tmp_path / "report.html"
    file.write_text(page_text([robot_page("robot.urdf", correction), robot_page("again.urdf", correction)]))
    browser.open(f"file://{file}", READY)
    yield browser
    assert browser.errors == []
    assert browser.requests == [], "the page needs nothing but itself"
    assert "taken" not in browser.run("document.title")


def pixels(page, area="#canvas"):
    return (255.0 * image.imread(io.BytesIO(page.picture(area))))[..., :3].astype(int)


def reds(page):
    colours = pixels(page)
    return int(((colours[..., 0] > 2 * colours[..., 1]) & (np.ptp(colours[..., 1:], axis=2) < 25)).sum())


def column(page, number):
    return page.run(
        f"[...document.querySelectorAll('#robot-0 .links tbody tr')].map((row) => row.children[{number}].innerText.trim())"
    )


def place_of(page, name):
    """Return where a link's middle is on the page once that is at rest [px]."""
    page.rest()
    return page.run(
        f"""(() => {{
          const viewer = page.viewer;
          const link = viewer.links.find((one) => one.name === {name!r});
          const box = viewer.canvas.getBoundingClientRect();
          const p = transformed(link.shapes[0].matrix, [0, 0, 0]);
          const view = viewer.view(viewer.canvas.width, viewer.canvas.height).matrix;
          const clip = transformed(view, p);
          const w = view[3] * p[0] + view[7] * p[1] + view[11] * p[2] + view[15];
          return [box.x + (0.5 + 0.5 * clip[0] / w) * box.width, box.y + (0.5 - 0.5 * clip[1] / w) * box.height];
        }})()"""
    )


def test_a_click_at_a_link_chooses_it(page):
    page.run("document.querySelector('#stage').scrollIntoView()")
    for name in ("arm", "base"):
        page.click(*place_of(page, name))
        page.wait(f"document.querySelector('#inspector h2').innerText === {name!r}")
        assert page.run("location.hash") == f"#link={name}"
    page.run("document.querySelector('[data-look=top]').click()")
    page.click(*place_of(page, "arm"))  # which hides the base from above
    page.wait("document.querySelector('#inspector h2').innerText === 'arm'")


def test_a_drag_turns_the_picture_and_chooses_nothing(page):
    page.run("document.querySelector('#stage').scrollIntoView()")
    x, y = place_of(page, "base")
    before = place_of(page, "arm")
    page.drag(x, y, 120, 40)
    assert np.linalg.norm(np.subtract(place_of(page, "arm"), before)) > 5
    assert page.run("document.querySelector('#inspector h2').innerText") == "Choose a link"


def test_layers_show_and_hide(page):
    assert reds(page) > 200, "the arm is red"
    page.run("document.querySelector('[data-layer=visual]').click()")
    assert reds(page) < 50
    page.run("document.querySelector('[data-layer=visual]').click()")
    with_solids = pixels(page)
    page.run("document.querySelector('[data-layer=ellipsoid]').click()")
    without = pixels(page)
    assert (np.abs(with_solids - without).max(axis=2) > 20).sum() > 1000
    page.run("document.querySelector('[data-layer=box]').click()")
    assert (np.abs(pixels(page) - without).max(axis=2) > 20).sum() > 500


def test_a_link_is_shown_alone_and_all_again(page):
    page.run("chooseLink('arm')")
    assert "0.1" in page.run("document.querySelector('#inspector table').innerText")
    page.run("[...document.querySelectorAll('#inspector .pill')].find((one) => one.innerText === 'show alone').click()")
    alone = reds(page)
    page.run("[...document.querySelectorAll('#inspector .pill')].find((one) => one.innerText === 'show all').click()")
    assert alone > 4 * reds(page)


def test_tables_sort_by_number_both_ways(page):
    header = "document.querySelector('#robot-0 .links th[data-kind=number] button').click()"
    page.run(header)
    up = [float(text.split()[-1]) for text in column(page, 3)]
    page.run(header)
    down = [float(text.split()[-1]) for text in column(page, 3)]
    assert up == sorted(up) and down == up[::-1] and len(set(up)) == 3


def test_findings_are_filtered_and_lead_to_their_link(page):
    shown = "[...document.querySelectorAll('#robot-0 .findings tbody tr')].filter((row) => !row.hidden)"
    assert page.run(f"{shown}.length") >= 1
    page.run("document.querySelector('#robot-0 .chip.error').click()")
    assert page.run(f"{shown}.filter((row) => row.dataset.severity === 'error').length") == 0
    page.run("document.querySelector('#robot-0 .chip.error').click()")
    page.run("(() => { const i = document.querySelector('#robot-0 input[type=search]'); i.value = 'triangle-ineq';"
             " i.dispatchEvent(new Event('input')); })()")  # fmt: skip
    assert page.run(f"{shown}.every((row) => row.innerText.includes('triangle-inequality'))")
    page.run(f"{shown}[0].click()")
    assert page.run("document.querySelector('#inspector h2').innerText") == "arm"


def test_small_pictures_show_their_links(page):
    page.run("document.querySelector('#robot-0 .links').scrollIntoView()")
    page.wait(
        "[...document.querySelectorAll('#robot-0 .thumbnail')].every((canvas) => new Set(new Uint32Array("
        "canvas.getContext('2d').getImageData(0, 0, 144, 108).data.buffer)).size > 20)"
    )


def test_another_robot_takes_its_place(page):
    page.run("document.querySelector('#overview tr[data-robot=\"1\"]').click()")
    page.wait("!document.querySelector('#robot-1').hidden && document.querySelector('#robot-1 #stage')")
    assert page.run("document.querySelector('#robot-0').hidden")
    assert reds(page) > 200


@pytest.mark.parametrize(("dark", "bright"), [(False, True), (True, False)])
def test_the_page_is_light_or_dark_as_the_system(tmp_path, dark, bright):
    file = tmp_path / "report.html"
    file.write_text(page_text([robot_page("robot.urdf", it.fix(it.load_text(ROBOT)))]))
    with Page(800, 600, dark=dark) as page:
        page.open(f"file://{file}", READY)
        corner = pixels(page, "body")[0, 0]
        assert bool(corner.mean() > 128) is bright
        page.run("document.querySelector('#theme').click()")
        assert bool(pixels(page, "body")[0, 0].mean() > 128) is not bright
