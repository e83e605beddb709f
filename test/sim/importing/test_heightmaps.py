# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The `<heightmap>` of SDFormat as ground."""

import struct
import zlib

import numpy as np
import pytest

import inertia_tools as it

RADIUS = 0.05
WORLD = """<sdf version="1.11"><world name="w">
  <model name="ground"><static>true</static><link name="l"><collision name="c"><geometry><heightmap>
    <uri>{uri}</uri><size>4 2 0.5</size><pos>1 0 0.25</pos></heightmap></geometry></collision></link></model>
  <model name="ball"><pose>{at} 1.2 0 0 0</pose><link name="b"><inertial><mass>1</mass></inertial>
    <collision name="c"><geometry><sphere><radius>0.05</radius></sphere></geometry></collision></link></model>
</world></sdf>"""


def write_png(path, pixels):
    """Write a grey image of eight bits."""

    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    rows, columns = pixels.shape
    raw = b"".join(b"\0" + row.tobytes() for row in pixels.astype(np.uint8))
    header = struct.pack(">IIBBBBB", columns, rows, 8, 0, 0, 0, 0)
    content = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b"")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + content)


def rested(folder, at, uri="hills.png"):
    simulation = it.Simulation(it.load_text(WORLD.format(at=at, uri=uri), base_dir=folder), dtype="float64")
    simulation.step(360)
    ball = simulation.names.index("ball::b") if "ball::b" in simulation.names else len(simulation.names) - 1
    return simulation, simulation.snapshot().positions[ball]


@pytest.fixture
def hills(tmp_path):
    """Two terraces: the half of greater y is at 200 of 255, that of lesser y at 100, which is half as high."""
    pixels = np.full((33, 65), 100)
    pixels[:16] = 200
    write_png(tmp_path / "hills.png", pixels)
    return tmp_path


@pytest.mark.parametrize(("at", "height"), [("1 0.6", 0.75), ("1 -0.6", 0.5), ("2.9 -0.9", 0.5)])
def test_a_ball_rests_where_the_image_says(hills, at, height):
    simulation, place = rested(hills, at)
    assert place[2] == pytest.approx(height + RADIUS, abs=1e-6)
    (contact,) = simulation.contacts()
    assert abs(contact.forces[:, 2].sum()) == pytest.approx(9.81, rel=1e-6)


def test_beside_the_image_is_nothing(hills):
    _, place = rested(hills, "3.2 0")
    assert place[2] < -5.0


def test_a_heightmap_without_heights_is_left_out_with_a_warning(hills, caplog):
    (hills / "dem.tif").write_bytes(b"II*\0")
    _, place = rested(hills, "1 0.6", uri="dem.tif")
    assert place[2] < 0.0 and "dem.tif" in caplog.text


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_a_level_field_keeps_the_range_that_the_file_gives(scale):
    """Heights from 0 to the third size are MuJoCo's for any field; a level one lies at the lower end."""
    builder = it.ModelBuilder()
    field = '<asset><hfield name="f" nrow="3" ncol="4" size="5 2 0.5 0.1"/></asset>'
    builder.add_mjcf(f'<mujoco>{field}<worldbody><geom type="hfield" hfield="f"/></worldbody></mujoco>', scale=scale)
    source = builder.shape_source[0]
    assert (source.min_z, source.max_z) == (0.0, 0.5 * scale)
    assert not source.heights.any()
