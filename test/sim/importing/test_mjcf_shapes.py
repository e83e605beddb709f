# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What geoms of MJCF become in a scene: fitted sizes, margins, contact gains, colours and groups."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

from inertia_tools.errors import ParseError
from inertia_tools.sim import ModelBuilder
from inertia_tools.sim.scene.flags import ShapeFlags

BLOCK = "-1 -.4 -.2  1 -.4 -.2  -1 .5 -.2  1 .5 -.2  -1 -.4 .3  1 -.4 .3  -1 .5 .3  1 .5 .3"
"""Corners of a box whose middle is not the origin."""


def with_geom(words: str, compiler: str = "", assets: str = "") -> str:
    """Return a document of one body with one geom."""
    return (
        f"<mujoco><compiler {compiler}/><asset>{assets}</asset>"
        f"<worldbody><body><freejoint/><geom {words}/></body></worldbody></mujoco>"
    )


def imported(text: str, **options: object) -> ModelBuilder:
    """Return a scene of a document."""
    builder = ModelBuilder()
    builder.add_mjcf(text, **options)
    return builder


@pytest.mark.parametrize("rule", ["true", "false"])
@pytest.mark.parametrize("kind", ["box", "sphere", "capsule", "cylinder", "ellipsoid"])
def test_a_primitive_is_fitted_to_its_mesh_as_mujoco_compiles_it(kind: str, rule: str) -> None:
    """Sizes and place of the primitive are those of the compiled model."""
    text = with_geom(f'type="{kind}" mesh="m"', f'fitaabb="{rule}"', f'<mesh name="m" vertex="{BLOCK}"/>')
    model, builder = mujoco.MjModel.from_xml_string(text), imported(text)
    sizes = np.trim_zeros(np.asarray(builder.shape_scale[0]), "b")
    assert sizes == pytest.approx(model.geom_size[0][: len(sizes)], rel=1e-6)
    assert np.asarray(builder.shape_transform[0])[:3] == pytest.approx(model.geom_pos[0], abs=1e-6)


def test_margin_gap_and_solver_reference_are_read() -> None:
    """A margin is kept, a gap foresees, and a reference of time and ratio is a stiffness and a damping."""
    text = with_geom('type="sphere" size=".1" margin=".03" gap=".02" solref=".04 1"')
    builder = imported(text)
    assert (builder.shape_margin[0], builder.shape_gap[0]) == (0.03, 0.02)
    assert builder.shape_material_ke[0] == pytest.approx(1.0 / 0.04**2)
    assert builder.shape_material_kd[0] == pytest.approx(2.0 / 0.04)
    assert imported(text, scale=2.0).shape_margin[0] == pytest.approx(0.06)
    assert imported(text, legacy_margin_gap=True).shape_margin[0] == pytest.approx(0.01)


def test_what_states_nothing_of_contacts_has_the_material_of_the_scene() -> None:
    """Without words of its own a geom has the builder's margin, gap and gains."""
    builder = ModelBuilder()
    builder.default_shape_cfg.margin, builder.default_shape_cfg.ke = 0.007, 321.0
    builder.add_mjcf(with_geom('type="sphere" size=".1"'))
    assert (builder.shape_margin[0], builder.shape_material_ke[0]) == (0.007, 321.0)


def test_a_geom_without_masks_is_in_the_group_that_touches_nothing() -> None:
    """Masks of zero leave a collider in group 0."""
    text = with_geom('type="sphere" size=".1" contype="0" conaffinity="0" class="collision"')
    text = text.replace("<asset>", '<default><default class="collision"/></default><asset>')
    assert imported(text).shape_collision_group[0] == 0
    assert imported(with_geom('type="sphere" size=".1"')).shape_collision_group[0] == 1


def test_a_material_colours_its_geoms() -> None:
    """The colour is that of the geom, else that of its material times the mean of a procedural texture."""
    assets = (
        '<texture name="t" type="2d" builtin="checker" rgb1=".2 .4 .6" rgb2=".4 .6 .8" width="8" height="8"/>'
        '<material name="plain" rgba=".2 .3 .4 .5"/><material name="checked" texture="t" rgba="1 1 .5 1"/>'
    )

    def colour(words: str) -> list[float]:
        return list(imported(with_geom(f'type="sphere" size=".1" {words}', assets=assets)).shape_color[0])

    assert colour('material="plain"') == pytest.approx([0.2, 0.3, 0.4])
    assert colour('material="checked"') == pytest.approx([0.3, 0.5, 0.35])
    assert colour('material="checked" rgba="0 1 0 1"') == pytest.approx([0.0, 1.0, 0.0])


def test_a_flat_mesh_stays_and_touches_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """A mesh without a hull is kept for the eye, and named."""
    text = with_geom('type="mesh" mesh="m" mass="1"', assets='<mesh name="m" vertex="0 0 0 1 0 0 0 1 0" face="0 1 2"/>')
    text = text.replace("<geom", '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom')
    builder = imported(text)
    assert not builder.shape_flags[0] & ShapeFlags.COLLIDE_SHAPES
    assert "does not collide" in caplog.text


@pytest.mark.parametrize("most", [4, 8, 30])
def test_a_hull_that_collides_has_the_corners_that_mujoco_gives_it(most: int) -> None:
    """A mesh's own limit goes before that of the call, which counts where it states none."""
    points = np.random.default_rng(7).normal(size=(120, 3))
    vertices = " ".join(map(str, np.ravel(points / np.linalg.norm(points, axis=1)[:, None])))
    for faces in ("", "face='0 1 2 3 4 5 6 7 8'"):
        text = with_geom(
            'type="mesh" mesh="m"', assets=f'<mesh name="m" inertia="shell" vertex="{vertices}" {{}} {faces}/>'
        )
        limited, free = text.format(f'maxhullvert="{most}"'), text.format("")
        model = mujoco.MjModel.from_xml_string(limited)
        count = int(model.mesh_graph[0])
        corners = model.mesh_vert[model.mesh_graph[2 + count : 2 + 2 * count]]
        (mesh,) = imported(limited, mesh_maxhullvert=10).shape_source
        found = mesh.hull.vertices
        if faces:
            assert len(found) <= min(most, 9), "only what faces use is hull"
            continue
        assert len(found) == count == most
        spread = np.linalg.norm(corners[:, None] - corners[None], axis=2)
        own = np.linalg.norm(found[:, None] - found[None], axis=2)
        assert np.sort(own, axis=None) == pytest.approx(np.sort(spread, axis=None), abs=1e-6)
        (other,) = imported(free, mesh_maxhullvert=10).shape_source
        assert len(other.hull.vertices) == 10


def test_a_resolver_says_where_files_are(tmp_path: Path) -> None:
    """It is asked once for each name, with the folder of the document, and may return what is included."""
    (tmp_path / "ball.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    asked = []

    def where(folder: str | None, name: str) -> str:
        asked.append((folder, name))
        if name == "virtual.xml":
            return '<mujoco><worldbody><body name="more"><freejoint/><geom size=".1"/></body></worldbody></mujoco>'
        return str(tmp_path / "ball.obj")

    assets = '<mesh name="m" file="mesh.obj"/>'
    text = with_geom('type="mesh" mesh="m"', 'meshdir="far"', assets).replace(
        "<worldbody>", '<include file="virtual.xml"/><worldbody>'
    )
    builder = imported(text, path_resolver=where)
    assert (builder.body_count, builder.shape_count) == (2, 2)
    assert asked == [(None, "virtual.xml"), (None, "far/mesh.obj")]


def test_a_file_that_is_not_there_is_named_as_such(tmp_path: Path) -> None:
    """The error is one of reading, and one of a missing file."""
    for source in (tmp_path / "none.xml", '<mujoco><include file="none.xml"/></mujoco>'):
        with pytest.raises(FileNotFoundError, match=r"none\.xml") as caught:
            imported(source)
        assert isinstance(caught.value, ParseError)


def test_a_body_without_joints_hangs_on_a_joint_named_after_it() -> None:
    """The label of the fixed joint is the path of the body, and its name."""
    builder = imported('<mujoco model="m"><worldbody><body name="a"><freejoint/><geom size=".1"/>'
                       '<body name="b"><geom size=".1"/></body></body></worldbody></mujoco>')  # fmt: skip
    assert builder.joint_label[1] == "m/worldbody/a/b/b_joint"


SITES = """<mujoco><default><site size=".2"/></default><worldbody>
<site name="ball" size=".001"/><site name="two" size=".002 .003"/><site name="default"/>
<body name="b"><freejoint/><geom size=".1"/>
<site name="capsule" type="capsule" size=".1 .2 .3" fromto="0 0 0 0 0 2"/>
<site name="cylinder" type="cylinder" fromto="0 0 0 0 2 0"/>
<site name="box" type="box" size=".1 .2 .3" fromto="0 0 0 0 0 2"/>
<site name="long" type="capsule" size=".1 .2"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_sites_have_the_sizes_that_mujoco_gives_them(scale):
    """Three of each, those that no file states included, whatever the shape needs."""
    compiled = mujoco.MjModel.from_xml_string(SITES)
    builder = ModelBuilder()
    builder.add_mjcf(SITES, scale=scale)
    sizes = {
        label.rpartition("/")[2]: size for label, size in zip(builder.shape_label, builder.shape_scale, strict=True)
    }
    for number in range(compiled.nsite):
        expected = scale * compiled.site_size[number]
        np.testing.assert_allclose(sizes[compiled.site(number).name], expected, err_msg=compiled.site(number).name)


def test_a_floor_is_drawn_though_other_colliders_are_not():
    plane = '<geom name="{}" type="plane" size="1 1 0.1" group="{}"/>'
    text = (
        "<mujoco><worldbody>" + plane.format("floor", 0) + plane.format("hidden", 3)
        + '<body name="b"><freejoint/><geom name="seen" size="0.1" contype="0" conaffinity="0"/>'
        '<geom name="touched" size="0.1"/></body></worldbody></mujoco>'
    )  # fmt: skip
    for options in ({}, {"hide_visuals": True}):
        builder = ModelBuilder()
        builder.add_mjcf(text, **options)
        flags = {
            label.rpartition("/")[2]: int(flag)
            for label, flag in zip(builder.shape_label, builder.shape_flags, strict=True)
        }
        drawn = {name for name, flag in flags.items() if flag & ShapeFlags.VISIBLE}
        assert drawn == ({"floor"} if options else {"floor", "seen"})
        assert {name for name, flag in flags.items() if flag & ShapeFlags.COLLIDE_SHAPES} == set(flags) - {"seen"}
