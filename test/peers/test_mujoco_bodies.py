# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What every body of an MJCF model weighs, against MuJoCo's own compiler."""

import sys
from pathlib import Path

import numpy as np
import pytest
import trimesh
from mujoco_bodies import worst_differences

import inertia_tools as it
from inertia_tools.inertia.finding import Severity

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")


@pytest.fixture(autouse=True)
def _away(tmp_path_factory, monkeypatch):
    """Keep the log that MuJoCo leaves in the working folder out of the way."""
    monkeypatch.chdir(tmp_path_factory.mktemp("log"))


AGREEMENT = 1e-9
"""Of the largest moment, of the mass, and of the body's size."""

TILT = 1e-7
"""Of the largest moment, for the tensor of a mesh: MuJoCo's search for its axes stops at about 1e-6 rad (largest seen
here: 3e-8; the moments themselves agree to 1e-13)."""

BALL = '<geom size=".1"/>'
PAIR = '<geom type="box" size=".1 .2 .3" pos="1 2 3"/><geom type="capsule" fromto="0 0 0 .1 .2 .3" size=".1" density="50"/>'
STATED = '<inertial pos="0 0 1" mass="2" diaginertia="1 2 2.5" euler="10 20 30"/>'
FULL = '<inertial pos="1 2 3" mass="2" fullinertia="1 1.1 1.2 .1 .02 .03"/>'


def model(bodies: str, words: str = "", before: str = "") -> str:
    return f"<mujoco><compiler {words}/>{before}<worldbody>{bodies}</worldbody></mujoco>"


def body(inside: str, words: str = "") -> str:
    return f'<body pos="1 2 3" quat="1 2 3 4" {words}><joint/>{inside}</body>'


def agree(text: str, tensor: float = AGREEMENT) -> None:
    worst = worst_differences(it.load_text(text), mujoco.MjModel.from_xml_string(text))
    assert worst.pop("inertia") <= tensor
    assert max(worst.values()) <= AGREEMENT, worst


PRIMITIVES = {
    "sphere": ".3",
    "box": ".1 .2 .35",
    "cylinder": ".3 .45",
    "capsule": ".3 .45",
    "ellipsoid": ".1 .2 .3",
}


@pytest.mark.parametrize("words", ["", 'mass="3"', 'density="7"', 'mass="3" density="7"'])
@pytest.mark.parametrize("shell", ["false", "true"])
@pytest.mark.parametrize("kind", PRIMITIVES)
def test_one_primitive(kind, shell, words):
    agree(model(body(f'<geom type="{kind}" size="{PRIMITIVES[kind]}" shellinertia="{shell}" {words} zaxis="1 2 3"/>')))


@pytest.mark.parametrize("kind", ["box", "cylinder", "capsule", "ellipsoid"])
def test_from_one_point_to_another(kind):
    agree(model(body(f'<geom type="{kind}" fromto="0 1 0 .1 .2 .3" size=".1 .7 .9"/>')))


RULES = {
    "several geoms": model(body(PAIR)),
    "stated": model(body(STATED) + body(FULL) + body(STATED + PAIR)),
    "true": model(body(STATED + PAIR), 'inertiafromgeom="true"'),
    "true without geoms": model(body(STATED), 'inertiafromgeom="true"'),
    "true, massless geoms": model(body(STATED + '<geom size="1" mass="0"/>'), 'inertiafromgeom="true"'),
    "false": model(body(STATED + PAIR) + f"<body>{PAIR}</body>", 'inertiafromgeom="false"'),
    "groups": model(
        body('<geom size=".1" group="3"/><geom size=".2" group="1" pos="1 0 0"/>'), 'inertiagrouprange="0 2"'
    ),
    "massless geoms": model(
        body('<geom size=".1" mass="0"/><geom size=".2" density="0"/><geom size=".3" pos="1 0 0"/>')
    ),
    "planes and fields": model(
        f'<body><geom type="plane" size="1 1 1" mass="4"/>{BALL}</body>',
    ),
    "no mass, not moved": model(f'<body pos="1 2 3"/><body>{BALL}</body><body><geom size="1" mass="0"/></body>'),
    "mass in what is welded": model(f"<body><joint/><body pos='1 0 0'><body>{BALL}</body></body></body>"),
    "boundmass": model(body(STATED) + body(BALL), 'boundmass="3"'),
    "boundinertia": model(body(STATED) + body(FULL) + body(BALL), 'boundinertia="1.1"'),
    "bounds of nothing": model(
        '<body pos="1 2 3" quat="1 1 0 0"><joint/><frame pos="0 0 1"><body pos="0 5 0" zaxis="1 2 3"/></frame></body>',
        'boundmass="1" boundinertia=".1"',
    ),
    "bounds of half": model(body('<inertial pos="1 0 0" mass="2"/>'), 'boundinertia=".1"'),
    "negative mass bounded": model(body('<inertial pos="1 0 0" mass="-2" diaginertia="1 1 1"/>'), 'boundmass=".1"'),
    "balance": model(body('<inertial pos="0 0 0" mass="1" diaginertia="1 1 4"/>'), 'balanceinertia="true"'),
    "balance of full": model(
        body('<inertial pos="0 0 0" mass="1" fullinertia="1 1 4 .1 0 0"/>'), 'balanceinertia="true"'
    ),
    "bound, then balance": model(
        body('<inertial pos="0 0 0" mass="1" diaginertia=".1 1 4"/>'), 'balanceinertia="true" boundinertia="2"'
    ),
    "total mass": model(body(STATED) + body(PAIR) + BALL, 'settotalmass="7"'),
    "aligned": model(
        f"<body pos='1 2 3'><freejoint/>{PAIR}</body><body><freejoint/>{STATED}</body>", 'alignfree="true"'
    ),
    "aligned joint": model(f"<body pos='1 2 3' quat='1 2 3 4'><freejoint align='true'/>{PAIR}</body>"),
    "several compilers": model(body(STATED), 'angle="radian"', '<compiler angle="degree" settotalmass="3"/>'),
    "defaults": model(
        body('<geom size=".1"/>', 'childclass="c"') + body('<geom class="c" size=".2" mass="1"/>'),
        before='<default><geom density="5"/><default class="c"><geom shellinertia="true"/></default></default>',
    ),
    "copies": model(
        f'<replicate count="3" offset="1 0 0" euler="0 0 30"><body pos="0 1 0"><joint/>{PAIR}</body></replicate>'
    ),
    "copied geoms": model(
        f'<body><joint/><replicate count="3" offset="1 0 0" euler="0 0 30">{PAIR}</replicate></body>'
    ),
    "framed geoms": model(f'<body><joint/><frame pos="1 0 0" euler="0 0 30">{PAIR}</frame></body>'),
    "welded point": model(f"<body><joint/>{BALL}<body pos='1 0 0'><inertial pos='0 0 0' mass='1'/></body></body>"),
    "framed inertial": model(
        body(f'<frame pos="1 2 3" euler="10 20 30"><frame pos="0 1 0">{STATED}</frame></frame>')
        + body(f'<frame pos="1 2 3" euler="10 20 30">{FULL}</frame>')
    ),
    "copied inertial": model(body(f'{BALL}<replicate count="2">{STATED}</replicate>')),
    "tiny": model(body('<inertial pos="0 0 0" mass="1e-9" diaginertia="1e-14 1e-14 1e-14"/>')),
}


@pytest.mark.parametrize("name", RULES)
def test_rules_of_the_compiler(name):
    agree(RULES[name])


GRID = 2.0**-18
"""Corners on this grid stay exact in single precision, which MuJoCo stores."""


def numbers(array) -> str:
    return " ".join(repr(x) for x in np.ravel(array).tolist())


def lopsided() -> trimesh.Trimesh:
    mesh = trimesh.creation.icosphere(subdivisions=2)
    mesh.vertices *= [0.3, 0.5, 0.2]
    mesh.vertices[:, 0] += 0.3 * mesh.vertices[:, 2] ** 2 + 0.2 * mesh.vertices[:, 1]
    return trimesh.Trimesh(np.round(mesh.vertices / GRID) * GRID, mesh.faces, process=False)


def asset(mesh: trimesh.Trimesh, words: str = "") -> str:
    return f'<asset><mesh name="m" vertex="{numbers(mesh.vertices)}" face="{numbers(mesh.faces)}" {words}/></asset>'


MESH_GEOM = '<geom type="mesh" mesh="m" pos="1 2 3" euler="10 20 30"/>'


@pytest.mark.parametrize(
    "words", ["", 'scale="2 3 -4"', 'refpos="1 2 3"', 'refquat="1 2 3 4" refpos="1 0 0" scale="1 2 3"']
)
@pytest.mark.parametrize("rule", ["convex", "exact", "legacy", "shell"])
def test_meshes(rule, words):
    agree(model(body(MESH_GEOM), before=asset(lopsided(), f'inertia="{rule}" {words}')), TILT)


@pytest.mark.parametrize("rule", ["convex", "exact", "legacy", "shell"])
def test_open_meshes(rule):
    mesh = lopsided()
    mesh.update_faces(np.arange(len(mesh.faces)) > 20)
    agree(model(body(MESH_GEOM), before=asset(mesh, f'inertia="{rule}"')), TILT)


@pytest.mark.parametrize("rule", ["convex", "legacy", "shell"])
def test_meshes_wound_inside_out(rule):
    mesh = lopsided()
    mesh.invert()
    agree(model(body(MESH_GEOM), before=asset(mesh, f'inertia="{rule}"')), TILT)


def test_mesh_without_faces():
    before = f'<asset><mesh name="m" vertex="{numbers(lopsided().vertices)}"/></asset>'
    agree(model(body(MESH_GEOM), before=before))


@pytest.mark.parametrize("name", ["points.msh", "points.obj"])
@pytest.mark.parametrize("words", ["", 'maxhullvert="20" inertia="shell" scale="1 2 3"'])
def test_a_file_without_faces(tmp_path, name, words):
    points = lopsided().vertices
    header = np.array([len(points), 0, 0, 0], dtype="<i4").tobytes()
    lines = "".join(f"v {x!r} {y!r} {z!r}\n" for x, y, z in points.tolist()).encode()
    file = tmp_path / name
    file.write_bytes(lines if name.endswith("obj") else header + points.astype("<f4").tobytes())
    agree(model(body(MESH_GEOM), before=f'<asset><mesh name="m" file="{file}" {words}/></asset>'), TILT)


@pytest.mark.parametrize("words", ["", 'scale="2 0.5 -1.5"', 'refpos="1 2 3" refquat="1 2 3 4" scale="1 2 3"'])
@pytest.mark.parametrize("most", [4, 5, 12, 40])
@pytest.mark.parametrize("has_faces", [False, True])
def test_a_hull_of_few_corners(has_faces, most, words):
    """The limit counts where the mass is that of the hull: by the rule, or as the mesh has no faces."""
    mesh = lopsided()
    faces = f'face="{numbers(mesh.faces)}"' if has_faces else ""
    for rule in ("convex", "legacy"):
        attributes = f'vertex="{numbers(mesh.vertices)}" {faces} inertia="{rule}" maxhullvert="{most}" {words}'
        agree(model(body(MESH_GEOM), before=f'<asset><mesh name="m" {attributes}/></asset>'), TILT)


def test_mass_of_a_mesh():
    agree(model(body(MESH_GEOM.replace("<geom", '<geom mass="6"')), before=asset(lopsided())))


@pytest.mark.parametrize("fitaabb", ["true", "false"])
@pytest.mark.parametrize("kind", PRIMITIVES)
def test_primitives_fitted_to_a_mesh(kind, fitaabb):
    geom = f'<geom type="{kind}" mesh="m" pos="1 2 3" euler="10 20 30" fitscale="1.5"/>'
    agree(model(body(geom), f'fitaabb="{fitaabb}"', asset(lopsided())))


def test_vertices_between_the_numbers_of_single_precision():
    mesh = lopsided()
    mesh.vertices *= 1.0 / 3.0
    mesh.vertices += 0.7
    agree(model(body(MESH_GEOM), before=asset(mesh)))


def test_mesh_files(tmp_path):
    mesh = lopsided()
    mesh.vertices *= 1.0 / 3.0
    (tmp_path / "meshes").mkdir()
    mesh.export(tmp_path / "meshes/part.stl")
    mesh.export(tmp_path / "meshes/part.obj")
    for file in ("part.stl", "part.obj"):
        text = model(
            body(MESH_GEOM), 'meshdir="meshes"', f'<asset><mesh name="m" file="{file}" scale=".1 .1 .1"/></asset>'
        )
        (tmp_path / "robot.xml").write_text(text)
        compiled = mujoco.MjModel.from_xml_path(str(tmp_path / "robot.xml"))
        worst = worst_differences(it.load(tmp_path / "robot.xml"), compiled)
        assert max(worst.values()) <= AGREEMENT, (file, worst)


BUILTIN = [
    *("sphere 0", "sphere 2.9", "hemisphere 0", "hemisphere 5", "cone 3 0", "cone 7 .3"),
    *(
        "supersphere 3 0 0",
        "supersphere 4 0 2",
        "supersphere 9 .7 1.3",
        "supertorus 3 .5 1 1",
        "supertorus 12 .4 .5 1.5",
    ),
    *("wedge 2 3 30 40 0", "wedge 5 7 120 80 .6", "box 2 3 4 1 2 3", "box 3 4 5 .1 .2 .3 2"),
    *("cylinder 2 3 4 1 2 3", "cylinder 5 4 6 .1 .2 .3 2", "ellipsoid 4 4 6 .1 .2 .3", "ellipsoid 5 4 6 .1 .2 .3 2"),
]


@pytest.mark.parametrize("rule", ["convex", "legacy", "shell"])
@pytest.mark.parametrize("words", BUILTIN)
def test_meshes_by_a_word(words, rule):
    kind, params = words.split(" ", 1)
    before = (
        f'<asset><mesh name="m" builtin="{kind}" params="{params}" scale="1 1.2 -.7" refpos="1 2 3" '
        f'inertia="{rule}"/></asset>'
    )
    text = model(body(MESH_GEOM), before=before)
    worst = worst_differences(it.load_text(text), mujoco.MjModel.from_xml_string(text))
    assert max(worst.values()) <= SINGLE, worst


SINGLE = 3e-7
"""A mesh that a word asks for is computed in single precision by MuJoCo."""

FIELD = '<asset><hfield name="h" nrow="3" ncol="4" size="1 2 3 4" {}/></asset>'


@pytest.mark.parametrize("words", ["", 'mass="2"', 'density="7"', 'shellinertia="true"', 'size="5 6 7"'])
@pytest.mark.parametrize("heights", ["", 'elevation="0 1 2 3 4 5 6 7 8 9 10 11"'])
def test_height_fields(heights, words):
    geom = f'<geom type="hfield" hfield="h" pos="1 2 3" euler="10 20 30" {words}/>'
    agree(model(body(geom), before=FIELD.format(heights)))


def test_heights_are_those_that_mujoco_collides_with():
    text = model('<geom type="hfield" hfield="h"/>', before=FIELD.format('elevation="0 3 1 2 9 4 5 5 6 7 -8 2"'))
    compiled = mujoco.MjModel.from_xml_string(text)
    grid = it.load_text(text).links["world"].collisions[0].geometry.grid
    assert 3.0 * compiled.hfield_data.reshape(3, 4) == pytest.approx(grid.heights, abs=1e-6)


PLACES = [Path(mujoco.__file__).parent / "testdata"]
PLACES += [Path(entry) / "newton" for entry in sys.path]
PLACES += [
    Path(__file__).parents[2] / f".venv-peers/lib/python3.{minor}/site-packages/newton" for minor in (11, 12, 13)
]
ROBOTS = sorted({path for place in PLACES for path in place.rglob("*.xml") if b"<mujoco" in path.read_bytes()})


@pytest.mark.parametrize("path", ROBOTS, ids=lambda path: path.name)
def test_robots_of_installed_packages(path):
    try:
        compiled = mujoco.MjModel.from_xml_path(str(path))
    except ValueError as refusal:
        pytest.skip(f"MuJoCo refuses it: {refusal}")
    worst = worst_differences(it.load(path), compiled)
    assert max(worst.values()) <= AGREEMENT, worst


def test_many_geoms_at_random():
    random = np.random.default_rng(1)
    bodies = []
    for _ in range(100):
        geoms = [
            f'<geom type="box" size="{numbers(random.uniform(0.1, 1.0, 3))}" pos="{numbers(random.normal(size=3))}" '
            f'quat="{numbers(random.normal(size=4))}"/>'
            for _ in range(random.integers(1, 6))
        ]
        bodies.append(body("".join(geoms)))
    agree(model("".join(bodies)))


REFUSED = {
    "moved without mass": (body(""), "", "missing-inertial"),
    "moved, geoms without mass": (body('<geom size=".1" mass="0"/>'), "", "missing-inertial"),
    "false without inertial": (body(BALL), 'inertiafromgeom="false"', "missing-inertial"),
    "zero mass": (body('<inertial pos="0 0 0" mass="0" diaginertia="1 1 1"/>'), "", "zero-mass"),
    "negative mass": (body('<inertial pos="0 0 0" mass="-1" diaginertia="1 1 1"/>'), "", "negative-mass"),
    "no mass": (body('<inertial pos="0 0 0" diaginertia="1 1 1"/>'), "", "missing-mass"),
    "no tensor": (body('<inertial pos="0 0 0" mass="1"/>'), "", "missing-tensor"),
    "no place": (body('<inertial mass="1" diaginertia="1 1 1"/>'), "", "missing-origin"),
    "two tensors": (body(FULL.replace("/>", ' diaginertia="1 1 1"/>')), "", "two-tensors"),
    "full and turned": (body(FULL.replace("/>", ' quat="1 1 0 0"/>')), "", "two-tensors"),
    "triangle": (body('<inertial pos="0 0 0" mass="1" diaginertia="1 1 3"/>'), "", "triangle-inequality"),
    "triangle, welded and without mass": (
        '<body name="b"><inertial pos="0 0 0" mass="0" diaginertia="1 1 3"/></body>',
        "",
        "mujoco-refuses",
    ),
    "triangle by a hair": (body('<inertial pos="0 0 0" mass="1" diaginertia="1 1 2.00000001"/>'), "", "mujoco-refuses"),
    "indefinite": (body('<inertial pos="0 0 0" mass="1" fullinertia="1 1 1 2 0 0"/>'), "", "not-positive-definite"),
    "indefinite, but geoms count": (
        body('<inertial pos="0 0 0" mass="1" fullinertia="1 1 -1 0 0 0"/>' + BALL),
        'inertiafromgeom="true"',
        "small-fullinertia",
    ),
    "indefinite, but bounded": (
        body('<inertial pos="0 0 0" mass="1" fullinertia="1 1 -1 0 0 0"/>'),
        'boundinertia="1"',
        "small-fullinertia",
    ),
    "tiny": (
        body('<inertial pos="0 0 0" mass="1e-6" fullinertia="5e-15 5e-15 5e-15 1e-16 0 0"/>'),
        "",
        "small-fullinertia",
    ),
    "light": (body('<inertial pos="0 0 0" mass="1e-9" diaginertia="9e-16 9e-16 9e-16"/>'), "", "mujoco-refuses"),
    "a speck": (body('<inertial pos="0 0 0" mass="9e-16" diaginertia="1e-15 1e-15 1e-15"/>'), "", "mujoco-refuses"),
    "geoms in a smaller unit": (body('<geom size="1e-4"/>'), "", "mujoco-refuses"),
    "geoms in a smaller unit, scaled": (body('<geom size="1e-4"/>'), 'settotalmass="1"', "mujoco-refuses"),
    "light and welded to such": (body('<geom size="1e-4"/><body><geom size="1e-4"/></body>'), "", "mujoco-refuses"),
    "light below a joint": (body('<geom size="1e-4"/><body><joint/><geom size=".1"/></body>'), "", "mujoco-refuses"),
    "negative density": (body('<geom size=".1" density="-1"/>'), "", "invalid-density"),
    "size": (body('<geom type="box" size="0 .1 .1"/>'), "", "invalid-size"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_mujoco_refuses_is_found(name):
    bodies, words, code = REFUSED[name]
    with pytest.raises(ValueError, match=r".*"):
        mujoco.MjModel.from_xml_string(model(bodies, words))
    report = it.check(it.load_text(model(bodies, words)))
    assert code in {finding.code for finding in report.findings if finding.severity is Severity.ERROR}


LIGHT = '<geom size="1e-4"/>'


@pytest.mark.parametrize(
    ("bodies", "words"),
    [
        (f"<body>{LIGHT}</body>", ""),
        (body(LIGHT + '<body><geom size=".1"/></body>'), ""),
        (body(LIGHT), 'boundinertia="1e-8"'),
        (body('<inertial pos="0 0 0" mass="1e-15" diaginertia="1e-15 1e-15 1e-15"/>'), ""),
    ],
    ids=["welded to the world", "carries a heavy one", "bounded", "just heavy enough"],
)
def test_light_bodies_that_mujoco_takes_are_not_called_refused(bodies, words):
    mujoco.MjModel.from_xml_string(model(bodies, words))
    assert it.check(it.load_text(model(bodies, words))).worst is not Severity.ERROR


def test_a_welded_body_without_mass_that_mujoco_refuses_is_mended():
    fixed = it.fix(it.load_text(model(REFUSED["triangle, welded and without mass"][0]))).text
    mujoco.MjModel.from_xml_string(fixed)
    assert it.check(it.load_text(fixed)).worst is not Severity.ERROR


def test_moments_that_mujoco_raises_to_zero_are_not_called_refused():
    text = model('<body name="b"><inertial pos="0 0 0" mass="1" diaginertia="1 1 -1"/></body>')
    assert sorted(mujoco.MjModel.from_xml_string(text).body_inertia[1]) == [0.0, 1.0, 1.0]
    codes = {finding.code for finding in it.check(it.load_text(text)).findings}
    assert "not-positive-definite" in codes
    assert "mujoco-refuses" not in codes


def test_a_welded_body_whose_moments_are_no_numbers_is_an_error():
    """MuJoCo compiles it, and the accelerations of the body that it is welded to become no numbers."""
    text = model('<body name="b"><inertial pos="0 0 0" mass="0" diaginertia="nan 1 1"/></body>')
    assert "non-finite" in {finding.code for finding in it.check(it.load_text(text)).findings}
    assert it.check(it.fix(it.load_text(text)).corrected).worst is not Severity.ERROR


def test_a_body_that_needs_no_tensor_cannot_have_a_full_one_of_zeros():
    text = model('<body name="b"><inertial pos="0 0 0" mass="1" fullinertia="0 0 0 0 0 0"/></body>')
    with pytest.raises(ValueError, match="positive eigenvalues"):
        mujoco.MjModel.from_xml_string(text)
    fixed = it.fix(it.load_text(text)).text
    assert it.check(it.load_text(fixed)).worst is not Severity.ERROR
    mujoco.MjModel.from_xml_string(fixed)
    assert it.check(it.load_text(text.replace('fullinertia="0 0 0 ', 'diaginertia="'))).worst is not Severity.ERROR
    bounded = it.check(it.load_text(text.replace("<compiler", '<compiler boundinertia="1e-3"')))
    assert bounded.worst is not Severity.ERROR


def test_all_that_mujoco_refuses_is_found_in_one_pass():
    bodies = "\n".join(bodies for bodies, words, _ in REFUSED.values() if not words)
    report = it.check(it.load_text(model(bodies)))
    wanted = {code for _, words, code in REFUSED.values() if not words}
    assert wanted <= {finding.code for finding in report.findings}
    assert (
        len({finding.link for finding in report.findings if finding.severity is Severity.ERROR})
        == bodies.count("\n") + 1
    )


MESH_REFUSED = {
    "inside out": ("exact", lambda mesh: mesh.faces[:, ::-1]),
    "mixed": ("exact", lambda mesh: np.concatenate([mesh.faces[:1, ::-1], mesh.faces[1:]])),
}


@pytest.mark.parametrize("name", MESH_REFUSED)
def test_meshes_that_mujoco_refuses(name):
    rule, faces = MESH_REFUSED[name]
    mesh = lopsided()
    text = model(
        body(MESH_GEOM), before=asset(trimesh.Trimesh(mesh.vertices, faces(mesh), process=False), f'inertia="{rule}"')
    )
    with pytest.raises(ValueError, match="orient"):
        mujoco.MjModel.from_xml_string(text)
    assert "refused-mesh" in {finding.code for finding in it.check(it.load_text(text)).findings}


FLAT = "0 0 0 1 0 0 1 1 {height} 0 1 0"
BALL = '<geom size="0.1"/>'


@pytest.mark.parametrize("height", [0.0, 1e-9, 1e-6, 1e-3])
@pytest.mark.parametrize("kind", ["mesh", "sdf"])
@pytest.mark.parametrize(
    ("words", "inertial", "is_paired"),
    [
        ("", "", False),
        ('contype="0"', "", False),
        ('contype="0" conaffinity="0"', "", False),
        ('contype="0" conaffinity="0"', "", True),
        ('mass="0"', "", False),
        ("", '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>', False),
    ],
)
def test_a_flat_mesh_needs_a_hull_where_it_collides(height, kind, words, inertial, is_paired):
    vertices = FLAT.format(height=height)
    mesh = f'<asset><mesh name="m" inertia="shell" vertex="{vertices}" face="0 1 2 0 2 3"/></asset>'
    geom = f'<geom name="flat" type="{kind}" mesh="m" {words}/>'
    pair = '<contact><pair geom1="flat" geom2="floor"/></contact>' if is_paired else ""
    text = (
        f'<mujoco>{mesh}<worldbody><geom name="floor" size="1"/><body><freejoint/>{inertial}{geom}{BALL}</body>'
        f"</worldbody>{pair}</mujoco>"
    )
    try:
        mujoco.MjModel.from_xml_string(text)
        is_refused = False
    except ValueError as error:
        assert "coplanar" in str(error)
        is_refused = True
    found = {finding.code for finding in it.check(it.load_text(text)).findings}
    assert ("refused-mesh" in found) is is_refused


@pytest.mark.parametrize("name", RULES)
def test_what_mujoco_takes_has_no_errors(name):
    assert it.check(it.load_text(RULES[name])).worst is not Severity.ERROR, name


@pytest.mark.parametrize("words", ['scale="1e90 1 1"', 'scale="1e12 1 1"', 'scale="1 1 0"'])
@pytest.mark.parametrize("rule", ["convex", "exact", "legacy"])
def test_meshes_out_of_the_numbers(rule, words):
    text = model(body(MESH_GEOM), before=asset(lopsided(), f'inertia="{rule}" {words}'))
    assert "refused-mesh" in {finding.code for finding in it.check(it.load_text(text)).findings}


def test_mujocos_own_mesh_file(tmp_path):
    file = PLACES[0] / "abdomen_1_body.msh"
    before = f'<asset><mesh name="m" file="{file}" inertia="{{}}"/></asset>'
    for rule in ("legacy", "convex", "exact", "shell"):
        text = model(body(MESH_GEOM), before=before.format(rule))
        worst = worst_differences(it.load_text(text), mujoco.MjModel.from_xml_string(text))
        assert worst.pop("inertia") < TILT
        assert max(worst.values()) < AGREEMENT, (rule, worst)
