# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A video shows what is there, where it is, in the light that falls on it."""

import io
import shutil

import numpy as np
import pytest

pytest.importorskip("warp", reason="warp-lang is not installed")
Image = pytest.importorskip("PIL.Image", reason="pillow is not installed")

from robots import link, mass, tensor, urdf  # noqa: E402

import inertia_tools as it  # noqa: E402
from inertia_tools.cli import main  # noqa: E402
from inertia_tools.errors import MissingDependencyError, OptionError, WriteError  # noqa: E402
from inertia_tools.view.film import DARKEST, FIELD, RATE, Film, encoder_of  # noqa: E402

RADIUS = 0.05
BALL = urdf(link("ball", mass(1) + tensor(0.001, 0.001, 0.001), f'<sphere radius="{RADIUS}"/>'))


def falling_ball(height=0.15):
    simulation = it.Simulation(it.load_text(BALL))
    simulation.lift(height - RADIUS)
    return simulation


def rows_and_columns(picture):
    """Where a picture is coloured as a lit ball is, much more red than blue: rows and columns."""
    colours = picture.astype(int)
    return np.nonzero(colours[..., 0] > 1.8 * colours[..., 2])


def test_a_ball_is_as_large_as_perspective_says_and_in_the_middle():
    film = Film(falling_ball(), 240, 180)
    rows, columns = rows_and_columns(film.picture())
    away = 1.2 * 0.25 / FIELD  # a single link takes the least reach
    across = RADIUS / np.sqrt(away**2 - RADIUS**2) / FIELD * 180
    assert np.ptp(columns) + 1 == pytest.approx(across, abs=2.0)
    assert np.ptp(rows) + 1 == pytest.approx(across, abs=2.0)
    assert rows.mean() < 89.5
    assert columns.mean() == pytest.approx(119.5, abs=1.0)


def test_a_ball_throws_a_shadow_that_holds_the_rest_of_the_light():
    film = Film(falling_ball(), 240, 180)
    hits = film.simulation.ray_cast(film._eye, film._directions)
    floor = np.array([name == "world" for name in hits.links])
    light = film._light(hits.points[floor], hits.normals[floor])
    assert set(np.round(light, 9)) == {0.0, round(light.max(), 9)}
    shade = hits.points[floor][light == 0.0].mean(axis=0)
    # The centre is 0.15 m up, and the sun stands where LIGHT says: (0.5, -0.3, 0.8).
    assert shade[:2] == pytest.approx([-0.15 * 0.5 / 0.8, 0.15 * 0.3 / 0.8], abs=0.01)
    assert 0.0 < DARKEST < 1.0


def test_pictures_come_at_their_rate_and_show_the_fall():
    film = Film(falling_ball(0.3), 64, 48)
    film.take()
    while film.simulation.time < 0.2 - 1e-9:
        film.simulation.step()
        film.take()
    assert len(film.pictures) == round(0.2 * RATE) + 1
    height = [rows_and_columns(picture)[0].mean() for picture in film.pictures]
    assert height == sorted(height)
    assert height[-1] > height[0] + 5


@pytest.mark.parametrize("name", ["a.gif", "a.webp", "a.png", "-"])
def test_a_video_has_all_pictures(name):
    pictures = [np.full((16, 16, 3), 40 * k, dtype=np.uint8) for k in range(4)]
    with Image.open(io.BytesIO(encoder_of(name)(pictures))) as image:
        assert image.n_frames == 4
        assert image.size == (16, 16)


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="the program ffmpeg is not installed")
def test_ffmpeg_writes_what_it_knows_and_says_what_it_does_not():
    pictures = [np.full((16, 16, 3), 40 * k, dtype=np.uint8) for k in range(4)]
    assert b"ftyp" in encoder_of("a.mp4")(pictures)[:16]
    with pytest.raises(WriteError, match=r"a\.nothing"):
        encoder_of("a.nothing")


def test_without_ffmpeg_the_remedy_is_named(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(MissingDependencyError, match=r"\.webp"):
        encoder_of("a.mp4")


@pytest.mark.parametrize("size", [(15, 48), (64, 47), (0, 48)])
def test_a_size_that_no_video_has_is_refused(size):
    with pytest.raises(OptionError, match="even"):
        Film(falling_ball(), *size)


def test_the_command_writes_one(tmp_path, capsys):
    (tmp_path / "ball.urdf").write_text(BALL)
    target = tmp_path / "ball.gif"
    main(["simulate", str(tmp_path / "ball.urdf"), "--seconds", "0.6", "--drop", "0.1", "--video", str(target)])
    with Image.open(target) as image:
        assert image.n_frames > 5
    assert (
        main(["simulate", str(tmp_path / "ball.urdf"), "--seconds", "0.6", "--video", str(tmp_path / "ball.urdf")]) == 2
    )
    assert "ball.urdf" in capsys.readouterr().err
