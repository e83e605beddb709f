# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The repair table, row by row."""

import math
import shutil
import subprocess

import numpy as np
import pytest
import trimesh
from robots import BOX, GOOD, joint, link, mass, tensor, urdf

import inertia_tools as it
from inertia_tools.errors import InertiaError, OptionError, UnknownLinkError, WriteError
from inertia_tools.geometry.mesh import batch, integrate
from inertia_tools.geometry.primitives import solid_box, solid_sphere


def fixed(inertial: str, geometry: str = BOX, moved: bool = True, **options):
    """Correct a robot whose link "a" has this inertial; return the correction and that link's new inertial."""
    text = urdf(link("base", GOOD), link("a", inertial, geometry), joint("a", type_="revolute" if moved else "fixed"))
    correction = it.fix(it.load_text(text), **options)
    return correction, correction.corrected.links["a"].inertial


BOX_AT_WATER = solid_box((0.1, 0.2, 0.3)).scaled_to_mass(6.0)


@pytest.mark.parametrize(
    ("inertial", "expected_mass"),
    [
        ("", 6.0),
        (tensor(1, 1, 1), 6.0),
        (mass(0) + tensor(1, 1, 1), 6.0),
        (mass(-2) + tensor(1, 1, 1), 6.0),
        (mass("nan") + tensor(1, 1, 1), 6.0),
        (mass("inf") + tensor(1, 1, 1), 6.0),
        (mass(2), 2.0),
        (mass(2) + tensor(0, 0, 0), 2.0),
        (mass(2) + tensor("nan", 1, 1), 2.0),
        (mass(2) + '<inertia ixx="1"/>', 2.0),
        ('<origin xyz="9 9 9" rpy="1 1 1"/>' + mass(2) + tensor(0, 0, 0), 2.0),
    ],
)
def test_no_usable_mass_or_tensor_with_geometry(inertial, expected_mass):
    correction, after = fixed(inertial)
    assert after.isclose(BOX_AT_WATER.scaled_to_mass(expected_mass), 1e-11)
    assert correction.is_complete
    assert correction.report["a"].corrected.method is it.Method.PRIMITIVE
    assert correction.report["a"].changed
    assert not correction.report["base"].changed


def test_density_is_used_where_no_mass_is_known():
    assert fixed("", density=2000.0)[1].mass == pytest.approx(12.0)
    assert fixed(mass(2), density=2000.0)[1].mass == 2.0


@pytest.mark.parametrize(
    ("moments", "nearest"),
    [((1, 1, 2.3), (1.1, 1.1, 2.2)), ((0, 1, 1), (1e-6, 1, 1)), ((-1e-3, 1, 1), (1e-6, 1, 1))],
)
def test_impossible_by_little_becomes_the_nearest(moments, nearest):
    correction, after = fixed(mass(1) + tensor(*moments))
    assert np.allclose(after.principal_moments, nearest, atol=2e-3)
    assert after.mass == 1.0
    assert correction.report["a"].corrected.method is it.Method.DECLARED
    assert correction.is_complete


def test_nearest_keeps_the_inertial_frame():
    inertial = '<origin xyz="1 2 3" rpy="0.3 0.2 0.1"/>' + mass(1) + tensor(1, 1, 2.3)
    correction, after = fixed(inertial)
    assert '<origin xyz="1 2 3" rpy="0.3 0.2 0.1"/><mass value="1"/>' in correction.text
    assert np.allclose(after.com, [1, 2, 3])
    assert np.allclose(after.principal_moments, [1.1, 1.1, 2.2], atol=1e-8)


def test_impossible_by_much_becomes_geometry_at_the_declared_mass():
    _, after = fixed(mass(3) + tensor(1, 1, 5))
    assert after.isclose(BOX_AT_WATER.scaled_to_mass(3.0), 1e-11)


def test_impossible_by_much_without_geometry_becomes_the_nearest():
    correction, after = fixed(mass(3) + tensor(1, 1, 5), geometry="")
    assert np.allclose(after.principal_moments, [2, 2, 4], atol=1e-8)
    assert correction.is_complete


@pytest.mark.parametrize("inertial", [mass(2), mass(2) + tensor(0, 0, 0), '<origin xyz="0 1 0"/>' + mass(2)])
def test_no_geometry_with_a_mass_becomes_an_assumed_sphere(inertial):
    correction, after = fixed(inertial, geometry="")
    radius = (3 * 2 / (4 * math.pi * 1000)) ** (1 / 3)
    assert after.mass == 2
    assert np.allclose(after.inertia, solid_sphere(radius).scaled_to_mass(2).inertia, rtol=1e-10)
    assert after.com[1] == ("0 1 0" in inertial)
    assert "assumed-inertial" in [f.code for f in correction.report["a"].findings]
    assert correction.report["a"].corrected.method is it.Method.ASSUMED


def test_moved_frame_takes_a_thousandth_of_the_lighter_neighbour():
    text = urdf(
        link("base", mass(5) + tensor(1, 1, 1)),
        link("a"),
        link("b", mass(2) + tensor(1, 1, 1)),
        joint("a"),
        joint("b", "a"),
    )
    correction = it.fix(it.load_text(text))
    assert correction.corrected.links["a"].inertial.mass == pytest.approx(0.002)
    assert "assumed-inertial" in [f.code for f in correction.report["a"].findings]
    assert correction.is_complete


def test_moved_frame_looks_past_other_frames_and_uses_corrected_masses():
    text = urdf(link("base"), link("a"), link("b"), link("c", "", BOX), joint("a"), joint("b", "a"), joint("c", "b"))
    correction = it.fix(it.load_text(text))
    masses = {name: entry.inertial.mass for name, entry in correction.corrected.links.items() if entry.inertial}
    assert masses["c"] == pytest.approx(6.0)
    assert masses["b"] == pytest.approx(0.006)
    assert masses["a"] == pytest.approx(0.006)
    assert "base" not in masses


def test_robot_without_any_mass_gets_a_last_resort():
    correction = it.fix(it.load_text(urdf(link(), link("a"), joint("a"))))
    assert correction.corrected.links["a"].inertial.mass == 1e-3
    assert correction.is_complete


def test_fixed_frames_stay_as_they_are():
    text = urdf(link("base", GOOD), link("a"), joint("a", type_="fixed"), link("b", mass(0) + tensor(0, 0, 0)))
    text = text.replace("</robot>", joint("b", type_="fixed") + "</robot>")
    assert it.fix(it.load_text(text)).text == text


def test_bad_origin_alone_leaves_mass_and_tensor():
    correction, after = fixed('<origin xyz="nan 0 0"/>' + mass(1) + tensor(1, 2, 2.5))
    assert np.allclose(np.diag(after.inertia), [1, 2, 2.5])
    assert np.array_equal(after.com, [0, 0, 0])
    assert correction.is_complete
    correction, after = fixed('<origin xyz="nan 0 0" rpy="nan 0 0"/>' + mass(1) + tensor(1, 2, 2.5), geometry="")
    assert after.mass == 1
    assert correction.is_complete


def test_open_mesh_counts_with_its_holes_capped(tmp_path):
    mesh = trimesh.creation.box([0.1, 0.2, 0.3])
    mesh.update_faces(np.arange(len(mesh.faces)) > 1)
    mesh.export(tmp_path / "open.stl")
    text = urdf(link("base", mass(2), '<mesh filename="open.stl"/>'))
    correction = it.fix(it.load_text(text, base_dir=tmp_path))
    assert correction.corrected.links["base"].inertial.isclose(BOX_AT_WATER.scaled_to_mass(2), 1e-6)
    assert correction.report["base"].corrected.method is it.Method.CAPPED


def test_only_links_that_take_their_geometry_wait_for_voxels(tmp_path, monkeypatch):
    """Every mesh here is so open that all of geometry's ways are tried; sound and nearly sound links need none."""
    counted = []
    real = integrate._by_voxels
    monkeypatch.setattr(integrate, "_by_voxels", lambda *asked, **how: counted.append(1) or real(*asked, **how))
    monkeypatch.setattr(batch, "_helpers", lambda tasks: 1)  # all in this process
    rng = np.random.default_rng(5)
    for number, name in enumerate(("sound", "nearly", "bad")):
        mesh = trimesh.creation.icosphere(subdivisions=2, radius=0.1 * (1 + number))
        mesh.update_faces(rng.random(len(mesh.faces)) > 0.5)
        mesh.export(tmp_path / f"{name}.stl")
    inertials = {"sound": GOOD, "nearly": mass(1) + tensor(1, 1, 2.05), "bad": mass(2)}
    links = [link(name, inertial, f'<mesh filename="{name}.stl"/>') for name, inertial in inertials.items()]
    robot = it.load_text(urdf(*links, joint("nearly", parent="sound"), joint("bad", parent="sound")), base_dir=tmp_path)
    rough = it.AutoInertiaParams(tolerance=0.3)
    correction = it.fix(robot, params=rough)
    assert len(counted) == 1
    assert set(correction.changes) == {"nearly", "bad"}
    asked = it.compute(robot, links=["bad"], params=rough)["bad"]
    entry = correction.report["bad"]
    assert entry.computed.inertial.isclose(asked.inertial, 0.0)
    assert entry.corrected.inertial.isclose(asked.inertial.scaled_to_mass(2.0), 1e-9)
    assert [f.message for f in entry.findings if f.code == "open-mesh"] == [n.message for n in asked.notes]


def test_nothing_wrong_changes_nothing():
    text = urdf(link("base", GOOD, BOX), link("a", GOOD), joint("a"))
    robot = it.load_text(text)
    correction = it.fix(robot)
    assert correction.data == text.encode()
    assert correction.changes == {}
    assert correction.diff() == ""


@pytest.mark.skipif(shutil.which("patch") is None, reason="patch is not installed")
@pytest.mark.parametrize("end", ["", "\n", "<!-- a\x85b\u2028c\rd -->", "\r\n"])
@pytest.mark.parametrize("line", ["\n", "\r\n", ""])
def test_a_diff_can_be_applied(tmp_path, line, end):
    text = urdf(link("base", mass(-2) + tensor(1, 1, 5), BOX)).replace("\n", line) + end
    (tmp_path / "robot.urdf").write_bytes(text.encode())
    correction = it.fix(it.load(tmp_path / "robot.urdf"))
    asked = ["patch", "--binary", str(tmp_path / "robot.urdf")]
    subprocess.run(asked, input=correction.diff().encode(), check=True, capture_output=True)
    assert (tmp_path / "robot.urdf").read_bytes() == correction.data


def test_correcting_twice_changes_nothing_more():
    correction, _ = fixed(mass(-2) + tensor(1, 1, 5))
    again = it.fix(correction.corrected)
    assert again.data == correction.data


@pytest.mark.parametrize(
    "inertial",
    [
        mass(6) + tensor(1, 1, 1),
        mass(6) + tensor(3e-6, 4e-6, 5e-6),
        '<origin xyz="0 0 2"/>' + mass(6) + tensor(0.065, 0.05, 0.025),
    ],
)
def test_scope_implausible_takes_geometry_for_what_does_not_go_with_it(inertial):
    _, untouched = fixed(inertial)
    assert untouched.isclose(
        it.load_text(urdf(link("base", GOOD), link("a", inertial, BOX), joint("a"))).links["a"].inertial
    )
    _, after = fixed(inertial, scope="implausible")
    assert after.isclose(BOX_AT_WATER.scaled_to_mass(6.0), 1e-11)


@pytest.mark.parametrize("largest", (False, True))
@pytest.mark.parametrize("off", (1.0, 1.3, 0.7))
def test_of_links_that_share_an_inertial_the_one_that_it_fits_keeps_it(off, largest):
    sizes = {"a": (0.1, 0.2, 0.3), "b": (0.1, 0.2, 0.3), "c": (0.4, 0.5, 0.6)}
    x, y, z = sizes["c" if largest else "a"]
    numbers = mass(2) + tensor(*(off * 2 / 12 * side for side in (y**2 + z**2, x**2 + z**2, x**2 + y**2)))
    links = (link(name, numbers, f'<box size="{" ".join(map(str, size))}"/>') for name, size in sizes.items())
    robot = it.load_text(urdf(*links, joint("b", "a"), joint("c", "a")))
    assert {f.link for f in it.check(robot).findings if f.code == "copied-inertial"} == {"a", "b", "c"}
    assert set(it.fix(robot, "implausible").changes) == ({"a", "b"} if largest else {"c"})


def test_scope_implausible_takes_warnings_too():
    inertial = mass(1) + tensor(3.33e-6, 3.33e-6, 6.67e-6)
    assert fixed(inertial)[0].changes == {}
    correction, after = fixed(inertial, scope="implausible")
    assert set(correction.changes) == {"a"}
    assert after.is_valid(0.0)


@pytest.mark.parametrize("stated", [tensor(15, 15, 30.1), tensor(1, 1, 5), tensor(0, 0, 0), tensor(1, 1, 1)])
def test_the_scope_all_computes_every_link_with_geometry_once_and_for_all(stated):
    plate = it.load_text(urdf(link("base", mass(2) + stated, '<box size="0.3 0.3 0.002"/>')))
    first = it.fix(plate, scope="all")
    assert first.corrected.links["base"].inertial.isclose(it.compute(plate, mass_policy="keep")["base"].inertial)
    assert it.fix(first.corrected, scope="all").text == first.text


def test_scope_all_takes_every_link_with_geometry():
    correction, after = fixed(GOOD, scope="all")
    assert set(correction.changes) == {"a"}
    assert after.isclose(BOX_AT_WATER.scaled_to_mass(1.0), 1e-11)


def test_given_masses():
    text = urdf(link("base", GOOD), link("a", mass(1), BOX), joint("a"))
    robot = it.load_text(text)
    correction = it.fix(robot, masses=it.MassModel(link_mass={"a": 4.0}))
    assert correction.corrected.links["a"].inertial.isclose(BOX_AT_WATER.scaled_to_mass(4.0), 1e-11)
    valid = it.fix(robot, masses=it.MassModel(link_mass={"base": 3.0}))
    assert np.allclose(np.diag(valid.corrected.links["base"].inertial.inertia), [0.24, 0.3, 0.36])
    total = it.fix(robot, masses=it.MassModel(total_mass=10.0, link_mass={"a": 4.0}))
    assert {name: entry.inertial.mass for name, entry in total.corrected.links.items()} == pytest.approx(
        {"base": 6.0, "a": 4.0}
    )
    assert total.is_complete


def test_material_gives_the_density():
    correction, after = fixed(GOOD, masses=it.MassModel(link_density={"a": 2700.0}))
    assert after.mass == pytest.approx(0.006 * 2700)
    assert set(correction.changes) == {"a"}


@pytest.mark.parametrize(
    ("masses", "error"),
    [
        ({"density": 0.0}, OptionError),
        ({"total_mass": -1.0}, OptionError),
        ({"link_mass": {"base": 0.0}}, OptionError),
        ({"link_mass": {"nowhere": 1.0}}, UnknownLinkError),
        ({"link_mass": {"base": 2.0}, "total_mass": 1.0}, OptionError),
    ],
)
def test_impossible_masses_are_refused(masses, error):
    with pytest.raises(error):
        it.fix(it.load_text(urdf(link("base", GOOD))), masses=it.MassModel(**masses))


def test_unknown_scope():
    with pytest.raises(OptionError, match="invalid, implausible, all"):
        it.fix(it.load_text(urdf(link())), scope="some")


def test_save_is_all_or_nothing(tmp_path):
    correction, _ = fixed(mass(2))
    with pytest.raises(WriteError, match="cannot be written"):
        correction.save(tmp_path / "nowhere" / "out.urdf")
    target = tmp_path / "out.urdf"
    correction.save(target)
    assert target.read_bytes() == correction.data
    assert [path.name for path in tmp_path.iterdir()] == ["out.urdf"]


def test_only_the_links_named_are_touched():
    text = urdf(link("base", mass(-1), BOX), link("a", mass(-1), BOX), joint("a"))
    correction = it.fix(it.load_text(text), links=["a"])
    assert set(correction.changes) == {"a"}
    assert not correction.is_complete
    with pytest.raises(UnknownLinkError):
        it.fix(it.load_text(text), links=["nowhere"])


def test_mass_policy_density_overrides_declared_masses():
    _, after = fixed(mass(2), mass_policy="density")
    assert after.isclose(BOX_AT_WATER, 1e-11)
    _, after = fixed(mass(3) + tensor(1, 1, 5), geometry="", mass_policy="density")
    assert after.mass == 3


SHAPES = ["", '<box size="1 1 1"/>', '<box size="1e5 1 1"/>', '<sphere radius=".1"/>']


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("stated", ["", tensor(1, 1.2, 5), tensor(1e-320, 1e-320, 1e-320)])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_mass_next_to_nothing_is_corrected_or_left(shape, stated):
    _, after = fixed(mass(1e-320) + stated, shape)
    assert after is None or after.mass == 1e-320


def test_a_mass_that_no_factor_leads_to_is_refused_with_its_place():
    text = urdf(link("base", mass(1e300), '<sphere radius="1e-9"/>'))
    with pytest.raises(InertiaError, match=r"^<text>:\d+: link 'base': .* cannot be scaled"):
        it.compute(it.load_text(text), mass_policy="keep")
