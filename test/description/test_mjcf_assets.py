# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Assets of MJCF that no mesh file holds: meshes by a word, and height fields; and the numbers of their attributes."""

import struct
import zlib

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.description.mjcf.builtin_meshes import builtin_mesh
from inertia_tools.description.png import read_brightness
from inertia_tools.errors import ParseError


def model(asset: str, geom: str) -> str:
    return f"<mujoco>\n<asset>{asset}</asset>\n<worldbody><body>{geom}</body></worldbody></mujoco>"


def mass(asset: str, geom: str) -> float:
    entry = it.stats(it.load_text(model(asset, geom))).links[1]
    return entry.effective.inertial.mass


CLOSED = {
    "sphere": ([4], 4.0 / 3.0 * np.pi),
    "hemisphere": ([10], 2.0 / 3.0 * np.pi),
    "supersphere": ([60, 1, 1], 4.0 / 3.0 * np.pi),
    "supertorus": ([60, 0.4, 1, 1], 2.0 * np.pi**2 * 0.4**2),
}


@pytest.mark.parametrize("kind", CLOSED)
def test_a_round_mesh_is_closed_and_near_its_solid(kind):
    params, volume = CLOSED[kind]
    made = builtin_mesh(kind, params)
    edges = made.triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    assert sorted(map(tuple, edges.tolist())) == sorted(map(tuple, edges[:, ::-1].tolist()))
    assert np.linalg.det(made.vertices[made.triangles]).sum() / 6.0 == pytest.approx(volume, rel=0.02)


@pytest.mark.parametrize(
    "text", ["sphere 5", "cone 2 1", "plate 0 1", "wedge 1 1 0 1 0", "box 2 2 2 1 1", "torus 1", "none 1"]
)
def test_parameters_of_no_mesh_name_their_line(text):
    kind, params = text.split(" ", 1)
    with pytest.raises(ParseError) as caught:
        it.load_text(model(f'<mesh name="m" builtin="{kind}" params="{params}"/>', ""))
    assert caught.value.line == 2


@pytest.mark.parametrize("words", ['vertex="0 0 0"', 'file="a.stl"'])
def test_a_mesh_has_one_source(words):
    with pytest.raises(ParseError, match="keep one"):
        it.load_text(model(f'<mesh name="m" builtin="sphere" params="1" {words}/>', ""))


@pytest.mark.parametrize(
    ("kind", "params", "reason"),
    [
        ("ellipsoid", "3 4 1e5 .1 .2 .3", "3 by 4 by 100000 points; write 2 or more each way, 300000 at most"),
        ("plate", "600 600", "600 by 600 points; write 1 or more each way, 300000 at most"),
        ("supersphere", "548 1 1", "resolution 548; write one from 3 to 547"),
        ("cone", "300001 .5", "300001 corners; write 3 to 300000"),
    ],
)
def test_more_points_than_anybody_means_are_refused(kind, params, reason):
    with pytest.raises(ParseError, match=reason):
        it.load_text(model(f'<mesh name="m" builtin="{kind}" params="{params}"/>', ""))


@pytest.mark.parametrize(
    ("word", "reason"),
    [("3", "write 4 or more, or -1"), ("0", "write 4 or more, or -1"), ("7.5", "not a whole number")],
)
def test_a_hull_of_too_few_corners_is_refused_in_its_line(word, reason):
    with pytest.raises(ParseError, match=reason) as caught:
        it.load_text(model(f'<mesh name="m" builtin="sphere" params="2" maxhullvert="{word}"/>', ""))
    assert caught.value.line == 2


def test_the_corners_of_a_hull_are_limited_by_the_mesh_or_its_defaults():
    mesh = '<mesh name="m" builtin="sphere" params="2" inertia="convex"{}/>'
    full, geom = mass(mesh.format(""), '<geom type="mesh" mesh="m"/>'), '<geom type="mesh" mesh="m"/>'
    assert mass(mesh.format(' maxhullvert="-1"'), geom) == full
    few = mass(mesh.format(' maxhullvert="8"'), geom)
    assert few < 0.8 * full
    defaults = '<default><mesh maxhullvert="8"/></default>'
    text = model(mesh.format(""), geom).replace("<asset>", f"{defaults}<asset>")
    assert it.stats(it.load_text(text)).links[1].effective.inertial.mass == few


FIELD = '<hfield name="h" nrow="2" ncol="3" size="1 2 3 4" {}/>'
GEOM = '<geom type="hfield" hfield="h" {}/>'


def test_a_height_field_weighs_what_its_box_does():
    assert mass(FIELD.format(""), GEOM.format("")) == pytest.approx(8.0 * 1.0 * 2.0 * 2.75 * 1000.0)
    assert mass(FIELD.format('elevation="0 1 2 3 4 5"'), GEOM.format('mass="3"')) == 3.0


def test_the_first_row_of_a_text_is_the_farthest():
    robot = it.load_text(model(FIELD.format('elevation="0 1 2 3 4 8"'), GEOM.format("")))
    grid = robot.links["1"].collisions[0].geometry.grid
    assert (grid.half_x, grid.half_y) == (1.0, 2.0)
    assert grid.heights == pytest.approx(3.0 * np.array([[0.375, 0.5, 1.0], [0.0, 0.125, 0.25]]))


def test_heights_in_files(tmp_path):
    heights = [0.0, 1.0, 2.0, 3.0, 4.0, 8.0]
    (tmp_path / "h.bin").write_bytes(struct.pack("<ii6f", 2, 3, *heights))
    (tmp_path / "h.png").write_bytes(png(3, 2, 0, bytes(int(10 * height) for height in heights)))
    for file, first in (("h.bin", [0.0, 0.375, 0.75]), ("h.png", [1.125, 1.5, 3.0])):
        (tmp_path / "robot.xml").write_text(model(f'<hfield name="h" size="1 2 3 4" file="{file}"/>', GEOM.format("")))
        grid = it.load(tmp_path / "robot.xml").links["1"].collisions[0].geometry.grid
        assert grid.heights[0] == pytest.approx(first), file


@pytest.mark.parametrize("words", ['nrow="1"', 'size="1 2 3 0"', 'elevation="1 2"', 'elevation="x"', 'size="1 2 3"'])
def test_height_fields_of_no_size_name_their_line(words):
    name = words.split("=")[0]
    stated = {"name": '"h"', "nrow": '"2"', "ncol": '"3"', "size": '"1 2 3 4"'} | {name: words.split("=")[1]}
    text = " ".join(f"{key}={value}" for key, value in stated.items())
    with pytest.raises(ParseError) as caught:
        it.load_text(model(f"<hfield {text}/>", ""))
    assert caught.value.line == 2


def test_bodies_rest_on_a_height_field():
    text = model('<hfield name="h" nrow="3" ncol="3" size="2 2 1 .1"/>', "").replace(
        "<body></body>",
        '<geom type="hfield" hfield="h"/><body name="b" pos=".3 .2 .3"><freejoint/><geom type="box" size=".1 .1 .1"/></body>',
    )
    scene = it.Simulation(it.load_text(text), dt=1 / 240, dtype="float64")
    scene.step(240)
    assert scene.snapshot().positions[1] == pytest.approx([0.3, 0.2, 0.1], abs=1e-3)


def test_numbers_as_mujoco_reads_them():
    assert mass("", '<geom size="0x1p-1" density="0x10"/>') == pytest.approx(16.0 * np.pi / 6.0)
    assert mass("", '<geom size=".5" mass="" pos=" " density="1"/>') == pytest.approx(np.pi / 6.0)


@pytest.mark.parametrize("words", ['mass="1_0"', 'mass="0x"', 'mass="١"', 'group="1.0"', 'group="0x1"', 'type=""'])
def test_numbers_that_mujoco_does_not_read(words):
    with pytest.raises(ParseError):
        it.load_text(model("", f'<geom size=".5" {words}/>'))


def png(columns: int, rows: int, colour: int, data: bytes, bits: int = 8, filters: bytes = b"") -> bytes:
    """Write an image whose lines are filtered already."""
    width = len(data) // rows
    lines = [data[row * width : (row + 1) * width] for row in range(rows)]
    raw = b"".join(bytes([kind]) + line for kind, line in zip(filters or bytes(rows), lines, strict=True))
    header = struct.pack(">IIBBBBB", columns, rows, bits, colour, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(raw)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body)) for name, body in chunks
    )


def test_red_counts_of_colours_and_the_upper_bits_of_sixteen():
    colours = png(2, 1, 2, bytes([10, 20, 30, 40, 50, 60]))
    assert read_brightness(colours).tolist() == [[10, 40]]
    assert read_brightness(png(2, 1, 0, struct.pack(">2H", 0x1234, 0xFF00), 16)).tolist() == [[0x12, 0xFF]]


def test_every_filter_of_a_line_is_undone():
    pixels = np.random.default_rng(1).integers(0, 256, (5, 7, 3), dtype=np.uint8).astype(int)
    lines = []
    for kind in range(5):
        left, up, corner = np.zeros((3, 7, 3), int)
        left[1:], up[:] = pixels[kind, :-1], pixels[kind - 1] if kind else 0
        corner[1:] = pixels[kind - 1, :-1] if kind else 0
        guess = left + up - corner
        apart = np.abs(np.stack([guess - left, guess - up, guess - corner]))
        paeth = np.choose(apart.argmin(axis=0), [left, up, corner])
        lines.append((pixels[kind] - (0, left, up, (left + up) // 2, paeth)[kind]) % 256)
    data = np.array(lines, dtype=np.uint8).tobytes()
    assert (read_brightness(png(7, 5, 2, data, filters=bytes(range(5)))) == pixels[:, :, 0]).all()


@pytest.mark.parametrize(
    "data", [b"", b"\x89PNG\r\n\x1a\n", png(4, 4, 0, bytes(range(16)))[:50], png(9, 9, 0, bytes(81), 4)]
)
def test_damaged_images_are_refused(data):
    with pytest.raises(ValueError, match="it "):
        read_brightness(data)


CUBE = "".join(f"v {x} {y} {z}\n" for x in (-1, 1) for y in (-1, 1) for z in (-1, 1))


def test_a_file_of_points_is_their_hull(tmp_path):
    (tmp_path / "cube.obj").write_text("# points\n" + CUBE + "v 0 0 0\n")
    text = model('<mesh file="cube.obj" scale="1 2 3"/>', '<geom type="mesh" mesh="cube" density="1"/>')
    inertial = it.stats(it.load_text(text, base_dir=tmp_path)).links[1].effective.inertial
    assert inertial.mass == pytest.approx(48.0)
    assert np.allclose(np.diag(inertial.inertia), 48.0 / 3.0 * np.array([13.0, 10.0, 5.0]))


def test_other_formats_have_no_solid_without_faces(tmp_path):
    (tmp_path / "cube.obj").write_text(CUBE)
    geometry = "<collision><geometry><mesh filename='cube.obj'/></geometry></collision>"
    robot = it.load_text(f"<robot name='r'><link name='l'>{geometry}</link></robot>", base_dir=tmp_path)
    assert it.compute(robot)["l"].inertial is None
