# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The same scripts through Newton and through this package: what bodies weigh, and where the two differ on purpose.

`docs/newton.md` lists the differences with their reasons.
"""

import warnings
from types import ModuleType

import numpy as np
import pytest
import trimesh

import inertia_tools
from inertia_tools.errors import InertiaToolsError

newton = pytest.importorskip(
    "newton", reason="Newton is not installed; `make peers` sets up an environment that has it"
)
wp = pytest.importorskip("warp", reason="warp-lang is not installed")

SINGLE = 1e-5
"""Agreement, relative: Newton keeps bodies in single precision, and sums meshes in it (measured: 3e-6)."""

XFORM = wp.transform(wp.vec3(0.3, -0.2, 0.5), wp.normalize(wp.quat(0.1, 0.4, -0.2, 0.8)))
SPIN = np.diag([0.4, 0.5, 0.6])


def ball_on_a_mass(sim: ModuleType):
    """The code of the page."""
    builder = sim.ModelBuilder()
    body = builder.add_link(mass=2.0)
    builder.add_shape_sphere(body, radius=1.0, cfg=builder.ShapeConfig(density=1000.0))
    return builder


def default_sizes(sim: ModuleType):
    builder = sim.ModelBuilder()
    for add in ("sphere", "box", "capsule", "cylinder", "cone", "ellipsoid"):
        getattr(builder, f"add_shape_{add}")(builder.add_link())
    return builder


def semi_axes(sim: ModuleType) -> dict[str, float]:
    """Newton renamed them after the page was written; the page's names are ours."""
    return dict(zip(("rx", "ry", "rz") if sim is newton else ("a", "b", "c"), (0.2, 0.3, 0.4), strict=True))


def every_shape(sim: ModuleType):
    builder = sim.ModelBuilder()
    builder.add_shape_sphere(builder.add_link(), xform=XFORM, radius=0.3)
    builder.add_shape_box(builder.add_link(), xform=XFORM, hx=0.1, hy=0.2, hz=0.3)
    builder.add_shape_capsule(builder.add_link(), xform=XFORM, radius=0.2, half_height=0.4)
    builder.add_shape_cylinder(builder.add_link(), xform=XFORM, radius=0.2, half_height=0.4)
    builder.add_shape_cone(builder.add_link(), xform=XFORM, radius=0.2, half_height=0.4)
    builder.add_shape_ellipsoid(builder.add_link(), xform=XFORM, **semi_axes(sim))
    return builder


def many_shapes_on_one_body(sim: ModuleType):
    builder = sim.ModelBuilder()
    body = builder.add_link(mass=1.5, com=wp.vec3(0.1, 0.2, -0.3), inertia=wp.mat33(SPIN.ravel()))
    cfg = sim.ModelBuilder.ShapeConfig(density=250.0)
    builder.add_shape_box(body, xform=XFORM, hx=0.1, hy=0.2, hz=0.3, cfg=cfg)
    builder.add_shape_cone(body, xform=XFORM, radius=0.3, half_height=0.2, cfg=cfg)
    builder.add_shape_capsule(body, radius=0.1, half_height=0.2, cfg=cfg)
    builder.add_shape_sphere(body, xform=wp.transform(wp.vec3(0.0, 0.0, -1.0), wp.quat_identity()), radius=0.2)
    return builder


def hollow_shapes(sim: ModuleType):
    builder = sim.ModelBuilder()
    cfg = builder.ShapeConfig(density=700.0, is_solid=False, margin=0.02)
    builder.add_shape_sphere(builder.add_link(), xform=XFORM, radius=0.3, cfg=cfg)
    builder.add_shape_box(builder.add_link(), xform=XFORM, hx=0.1, hy=0.2, hz=0.3, cfg=cfg)
    builder.add_shape_cylinder(builder.add_link(), xform=XFORM, radius=0.2, half_height=0.4, cfg=cfg)
    builder.add_shape_capsule(builder.add_link(), xform=XFORM, radius=0.2, half_height=0.4, cfg=cfg)
    builder.add_shape_ellipsoid(builder.add_link(), xform=XFORM, **semi_axes(sim), cfg=cfg)
    return builder


def what_weighs_nothing(sim: ModuleType):
    builder = sim.ModelBuilder()
    body = builder.add_link(mass=1.0, inertia=wp.mat33(SPIN.ravel()))
    builder.add_ground_plane()
    builder.add_shape_plane(xform=wp.transform_identity(), width=0.0, length=0.0, body=body)
    builder.add_site(body)
    builder.add_site(body, xform=XFORM, type=sim.GeoType.BOX, scale=(0.1, 0.1, 0.1))
    builder.add_shape_sphere(body, cfg=builder.ShapeConfig(density=0.0))
    builder.add_shape_box(-1)
    heights = sim.Heightfield(np.zeros((3, 3), dtype=np.float32), nrow=3, ncol=3)
    builder.add_shape_heightfield(heightfield=heights)
    return builder


def locked_kinematic_and_free(sim: ModuleType):
    builder = sim.ModelBuilder()
    for options in ({"lock_inertia": True}, {"is_kinematic": True}, {}):
        builder.add_shape_box(builder.add_link(mass=1.0, inertia=wp.mat33(SPIN.ravel()), **options))
    builder.add_shape_sphere(builder.add_body(xform=XFORM), radius=0.2)
    return builder


def default_density(sim: ModuleType):
    builder = sim.ModelBuilder()
    builder.default_shape_cfg.density = 123.0
    builder.add_shape_box(builder.add_link())
    return builder


def parts() -> trimesh.Trimesh:
    """A closed mesh without symmetry, away from its origin by about its size."""
    mesh = trimesh.creation.icosphere(subdivisions=2, radius=0.3)
    mesh.vertices *= [1.0, 0.7, 0.4]
    mesh.vertices += 0.2 * mesh.vertices[:, [1, 2, 0]] + [0.1, -0.2, 0.3]
    return mesh


def meshes(sim: ModuleType):
    builder, mesh = sim.ModelBuilder(), parts()
    shape = sim.Mesh(mesh.vertices, mesh.faces.ravel())
    for scale in (None, (2.0, 2.0, 2.0), (0.5, 1.0, 2.0), (-1.0, 1.0, 1.0), (-2.0, -0.5, 1.0)):
        options = {} if scale is None else {"scale": scale}
        builder.add_shape_mesh(builder.add_link(), xform=XFORM, mesh=shape, **options)
        builder.add_shape_convex_hull(builder.add_link(), xform=XFORM, mesh=shape, **options)
    lazy = sim.Mesh(mesh.vertices, mesh.faces.ravel(), compute_inertia=False)
    builder.add_shape_mesh(builder.add_link(), mesh=lazy)
    inverted = sim.Mesh(mesh.vertices, mesh.faces[:, ::-1].ravel())
    builder.add_shape_mesh(builder.add_link(), mesh=inverted)
    return builder


CUBE = '<collision><geometry><box size="0.2 0.3 0.4"/></geometry></collision>'
LARGER = '<visual><origin xyz="0 0 1"/><geometry><box size="0.4 0.4 0.4"/></geometry></visual>'
STATED = (
    '<inertial><origin xyz="0.1 0.2 0.3" rpy="0.1 0.2 0.3"/><mass value="3"/>'
    '<inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0.01" ixz="0.02" iyz="-0.03"/></inertial>'
)


def one_link(*parts: str) -> str:
    return f'<robot name="r"><link name="base">{"".join(parts)}</link></robot>'


def urdf_stated(sim: ModuleType):
    builder = sim.ModelBuilder()
    builder.add_urdf(one_link(STATED, CUBE, LARGER))
    return builder


def urdf_from_colliders(sim: ModuleType):
    builder = sim.ModelBuilder()
    builder.add_urdf(one_link(CUBE, LARGER))
    return builder


def urdf_default_density(sim: ModuleType):
    builder = sim.ModelBuilder()
    builder.default_shape_cfg.density = 500.0
    builder.add_urdf(one_link(CUBE))
    return builder


def urdf_only_visuals(sim: ModuleType):
    builder = sim.ModelBuilder()
    builder.add_urdf(one_link(LARGER))
    return builder


def urdf_visuals_as_colliders(sim: ModuleType):
    builder = sim.ModelBuilder()
    builder.add_urdf(one_link(CUBE, LARGER), parse_visuals_as_colliders=True)
    return builder


def urdf_ignored(sim: ModuleType):
    builder = sim.ModelBuilder()
    builder.add_urdf(one_link(STATED, CUBE, LARGER), ignore_inertial_definitions=True)
    return builder


def urdf_scaled(sim: ModuleType):
    builder = sim.ModelBuilder()
    builder.add_urdf(one_link(STATED, CUBE), scale=2.5)
    builder.add_urdf(one_link(CUBE), scale=2.5)
    return builder


SCRIPTS = [
    ball_on_a_mass,
    default_sizes,
    every_shape,
    many_shapes_on_one_body,
    hollow_shapes,
    what_weighs_nothing,
    locked_kinematic_and_free,
    default_density,
    meshes,
    urdf_stated,
    urdf_from_colliders,
    urdf_default_density,
    urdf_only_visuals,
    urdf_visuals_as_colliders,
    urdf_ignored,
    urdf_scaled,
]


def bodies(builder) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    count = len(builder.body_mass)
    return (
        np.array([float(mass) for mass in builder.body_mass]),
        np.array([np.asarray(com, dtype=float) for com in builder.body_com]).reshape(count, 3),
        np.array([np.asarray(tensor, dtype=float) for tensor in builder.body_inertia]).reshape(count, 3, 3),
    )


def run(script, sim: ModuleType):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return script(sim)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.__name__)
def test_both_accumulate_alike(script):
    ours, theirs = bodies(run(script, inertia_tools)), bodies(run(script, newton))
    assert ours[0].shape == theirs[0].shape
    assert np.allclose(ours[0], theirs[0], rtol=SINGLE)
    for i, mass in enumerate(ours[0]):
        size = np.sqrt(np.abs(ours[2][i]).max() / mass) if mass else 1.0
        assert np.allclose(ours[1][i], theirs[1][i], rtol=SINGLE, atol=SINGLE * size)
        assert np.allclose(ours[2][i], theirs[2][i], rtol=0.0, atol=SINGLE * max(np.abs(ours[2][i]).max(), 1e-9))


# The checks at finalize, with Newton's constants

TURN = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])


def turned(*moments: float) -> np.ndarray:
    return TURN @ np.diag(moments) @ TURN.T


CASES = {
    "sound": (1.0, turned(1.0, 1.5, 2.0), {}),
    "not finite": (1.0, turned(1.0, np.nan, 2.0), {}),
    "negative mass": (-1.0, turned(1.0, 1.5, 2.0), {}),
    "small mass": (0.01, turned(1.0, 1.5, 2.0), {"bound_mass": 0.1}),
    "zero mass is not raised": (0.0, np.zeros((3, 3)), {"bound_mass": 0.1}),
    "tensor without mass": (0.0, turned(1.0, 1.5, 2.0), {}),
    "not symmetric": (1.0, np.array([[1.0, 0.2, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]), {}),
    "not definite": (1.0, turned(-0.5, 1.5, 1.6), {}),
    "small moments": (1.0, turned(0.01, 0.02, 0.025), {"bound_inertia": 0.1}),
    "triangle": (1.0, turned(1.0, 1.0, 3.0), {}),
    "triangle, left": (1.0, turned(1.0, 1.0, 3.0), {"balance_inertia": False}),
    "tiny": (1.0, 1e-11 * np.eye(3), {}),
    "mass alone": (1.0, np.zeros((3, 3)), {}),
}


def finalized(sim: ModuleType, mass, inertia, settings, detailed) -> tuple[float, np.ndarray]:
    builder = sim.ModelBuilder()
    body = builder.add_link(mass=mass, inertia=wp.mat33(inertia.ravel()))
    builder.inertia_repair = "absolute"
    builder.validate_inertia_detailed = detailed
    for name, value in settings.items():
        setattr(builder, name, value)
    if sim is newton:
        builder.add_articulation([builder.add_joint_free(body)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = builder.finalize(device="cpu")
    if sim is newton:
        return float(model.body_mass.numpy()[0]), model.body_inertia.numpy()[0].astype(float)
    return model.inertials[0].mass, model.inertials[0].inertia


@pytest.mark.parametrize("detailed", [False, True])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_both_repair_alike_with_newtons_constants(case, detailed):
    ours, theirs = (finalized(sim, *case, detailed) for sim in (inertia_tools, newton))
    assert ours[0] == pytest.approx(theirs[0], rel=1e-7)
    assert np.allclose(ours[1], theirs[1], rtol=0.0, atol=5e-7 * max(np.abs(theirs[1]).max(), 1e-6))


# Where they differ, see docs/newton.md


def mass_of(builder, body: int = 0) -> float:
    return float(builder.body_mass[body])


def test_armature_of_bodies_is_gone_from_newton():
    with pytest.raises(TypeError):
        newton.ModelBuilder().add_link(mass=1.0, armature=0.1)
    builder = inertia_tools.ModelBuilder()
    builder.add_shape_sphere(builder.add_link(mass=1.0, armature=0.1), cfg=builder.ShapeConfig(density=0.0))
    assert np.array_equal(builder.body_inertia[0], 0.1 * np.eye(3))


def test_the_wall_of_a_cone_is_as_thick_as_stated():
    """Newton shortens radius and half height by the thickness about the same middle."""

    def cone(sim):
        builder = sim.ModelBuilder()
        cfg = builder.ShapeConfig(density=1.0, is_solid=False, margin=0.01)
        builder.add_shape_cone(builder.add_link(), radius=0.3, half_height=0.2, cfg=cfg)
        return mass_of(builder)

    volume = np.pi / 3 * 0.3**2 * 0.4
    assert run(cone, newton) == pytest.approx(volume - np.pi / 3 * 0.29**2 * 0.38, rel=1e-5)
    ball = 0.3 * 0.4 / (0.3 + np.hypot(0.3, 0.4))
    assert run(cone, inertia_tools) == pytest.approx(volume * (1 - (1 - 0.01 / ball) ** 3), rel=1e-12)


def cube() -> trimesh.Trimesh:
    return trimesh.creation.box((1.0, 1.0, 1.0))


def test_the_wall_of_a_mesh_is_as_thick_as_stated():
    """Newton's is twice as thick, half of it outside the surface."""

    def wall(sim):
        builder = sim.ModelBuilder()
        mesh = sim.Mesh(cube().vertices, cube().faces.ravel())
        cfg = builder.ShapeConfig(density=1.0, is_solid=False, margin=0.01)
        builder.add_shape_mesh(builder.add_link(), mesh=mesh, cfg=cfg)
        return mass_of(builder)

    assert run(wall, inertia_tools) == pytest.approx(1.0 - 0.98**3, rel=1e-9)
    assert run(wall, newton) == pytest.approx(6 * 0.02, rel=0.02)


def test_a_hollow_mesh_follows_the_material_of_its_shape():
    """Newton keeps the 1 mm of the mesh whatever the margin, and scales it with the mesh."""

    def wall(sim, scale):
        builder = sim.ModelBuilder()
        mesh = sim.Mesh(cube().vertices, cube().faces.ravel(), is_solid=False)
        cfg = builder.ShapeConfig(density=1.0, is_solid=False, margin=0.01)
        builder.add_shape_mesh(builder.add_link(), mesh=mesh, scale=(scale,) * 3, cfg=cfg)
        return mass_of(builder)

    ours, theirs = [[run(lambda sim, s=s: wall(sim, s), sim) for s in (1.0, 10.0)] for sim in (inertia_tools, newton)]
    assert ours == pytest.approx([1.0 - 0.98**3, 1000.0 - 9.98**3], rel=1e-9)
    assert theirs[0] == pytest.approx(0.012, rel=0.01) and theirs[1] == pytest.approx(12.0, rel=0.01)


def test_a_wall_without_thickness_has_no_mass():
    def shell(sim):
        builder = sim.ModelBuilder()
        builder.add_shape_sphere(builder.add_link(), cfg=builder.ShapeConfig(is_solid=False))
        return mass_of(builder)

    assert run(shell, newton) == 0.0
    with pytest.warns(inertia_tools.sim.InertiaWarning, match="zero thickness"):
        assert shell(inertia_tools) == 0.0


def ell() -> trimesh.Trimesh:
    """Two bricks in an L: volume 3, hull 3.5."""
    return trimesh.util.concatenate(
        [trimesh.creation.box((2, 1, 1)), trimesh.creation.box((1, 1, 1)).apply_translation([-0.5, 1, 0])]
    )


def test_a_convex_hull_weighs_as_the_hull():
    """Newton weighs the mesh that the hull was made of."""

    def hull(sim):
        builder = sim.ModelBuilder()
        mesh = sim.Mesh(ell().vertices, ell().faces.ravel())
        builder.add_shape_convex_hull(builder.add_link(), mesh=mesh, cfg=builder.ShapeConfig(density=1.0))
        return mass_of(builder)

    assert run(hull, newton) == pytest.approx(3.0, rel=1e-5)
    assert run(hull, inertia_tools) == pytest.approx(3.5, rel=1e-12)


def test_the_hole_of_a_mesh_is_closed_and_named():
    """Newton integrates what is there: without one of the cube's faces, 5/6 of the volume about its middle."""

    def open_mesh(sim):
        builder = sim.ModelBuilder()
        mesh = sim.Mesh(cube().vertices, cube().faces[2:].ravel())
        builder.add_shape_mesh(builder.add_link(), mesh=mesh, cfg=builder.ShapeConfig(density=1.0))
        return mass_of(builder)

    assert run(open_mesh, newton) == pytest.approx(5.0 / 6.0, rel=1e-5)
    with pytest.warns(inertia_tools.sim.InertiaWarning, match="open-mesh"):
        assert open_mesh(inertia_tools) == pytest.approx(1.0)


def test_a_mesh_far_from_its_origin_is_exact():
    """Newton integrates in single precision about the origin of the file."""

    def far(sim):
        builder, mesh = sim.ModelBuilder(), trimesh.creation.icosphere(subdivisions=4, radius=0.1)
        shape = sim.Mesh(mesh.vertices + [10.0, 7.0, -4.0], mesh.faces.ravel())
        builder.add_shape_mesh(builder.add_link(), mesh=shape, cfg=builder.ShapeConfig(density=1.0))
        return np.trace(bodies(builder)[2][0])

    mesh = trimesh.creation.icosphere(subdivisions=4, radius=0.1)
    exact = float(np.trace(mesh.moment_inertia))
    assert run(far, inertia_tools) == pytest.approx(exact, rel=1e-9)
    assert abs(run(far, newton) / exact - 1.0) > 0.1


def test_merged_links_keep_their_products_of_inertia():
    """Newton moves the child by the joint's offset, and leaves the products out."""

    def two_links(sim):
        builder = sim.ModelBuilder()
        own = wp.mat33(np.diag([0.02, 0.015, 0.025]).ravel())
        first = builder.add_link(mass=1.0, inertia=own)
        second = builder.add_link(mass=2.0, inertia=own, com=wp.vec3(0.0, 0.1, 0.0))
        joints = [builder.add_joint_free(first)]
        joints.append(
            builder.add_joint_fixed(
                first, second, parent_xform=wp.transform(wp.vec3(0.0, 0.0, 1.0), wp.quat_identity())
            )
        )
        if sim is newton:
            builder.add_articulation(joints)
        builder.collapse_fixed_joints()
        return bodies(builder)[2][0]

    ours, theirs = run(two_links, inertia_tools), run(two_links, newton)
    assert np.allclose(np.diag(ours), [0.713333, 0.696667, 0.0566667], atol=1e-6)
    assert ours[1, 2] == pytest.approx(-2.0 / 30.0)
    assert np.allclose(np.diag(theirs), [2.04, 2.03, 0.05], atol=1e-5) and theirs[1, 2] == 0.0


def test_a_mass_without_tensor_scales_the_tensor_of_the_colliders():
    """Newton keeps the tensor of the mass that the colliders had, and moves the centre of mass to the origin."""

    def urdf(sim):
        builder = sim.ModelBuilder()
        builder.add_urdf(one_link('<inertial><mass value="3"/></inertial>', CUBE))
        return bodies(builder)

    ours, theirs = run(urdf, inertia_tools), run(urdf, newton)
    assert ours[0][0] == 3.0 and theirs[0][0] == 3.0
    assert np.allclose(ours[2][0], 3.0 / 12.0 * np.diag([0.25, 0.2, 0.13]))
    assert np.allclose(theirs[2][0], 24.0 / 12.0 * np.diag([0.25, 0.2, 0.13]))


def test_repairs_go_by_the_size_of_the_body():
    def small(sim):
        builder = sim.ModelBuilder()
        body = builder.add_link(mass=1e-3, inertia=wp.mat33(np.diag([1e-8, 1e-8, 3e-8]).ravel()))
        if sim is newton:
            builder.add_articulation([builder.add_joint_free(body)])
        model = builder.finalize(device="cpu")
        return model.body_inertia.numpy()[0] if sim is newton else model.inertials[0].inertia

    assert np.allclose(np.diag(run(small, inertia_tools)), [2e-8, 2e-8, 4e-8], rtol=1e-5)
    assert np.diag(run(small, newton)).min() > 1e-6


def test_a_material_for_sites_need_not_be_consistent():
    """Newton refuses one that has density or contacts; here a site has neither, whatever else is said."""
    config = {"is_site": True, "density": 1000.0}
    with pytest.raises(ValueError, match=r"[Ss]ite"):
        builder = newton.ModelBuilder()
        builder.add_shape_sphere(builder.add_link(), cfg=builder.ShapeConfig(**config))
    builder = inertia_tools.ModelBuilder()
    builder.add_shape_sphere(builder.add_link(), cfg=builder.ShapeConfig(**config))
    assert mass_of(builder) == 0.0


def test_a_mass_alone_is_a_ball():
    """Newton gives it the smallest tensor of its constants."""
    ball = finalized(inertia_tools, 1.0, np.zeros((3, 3)), {"inertia_repair": "relative"}, False)
    radius = np.cbrt(0.75 / np.pi / 1000.0)
    assert np.allclose(ball[1], 0.4 * radius**2 * np.eye(3))
    tiny = finalized(newton, 1.0, np.zeros((3, 3)), {}, False)
    assert np.allclose(tiny[1], 1e-6 * np.eye(3), rtol=1e-3)


def test_both_refuse_an_unknown_kind():
    with pytest.raises(ValueError, match=r".*"):
        newton.geometry.compute_inertia_shape(77, wp.vec3(1.0), None, 1.0)
    with pytest.raises(InertiaToolsError):
        inertia_tools.compute_inertia_shape(77, (1.0, 1.0, 1.0), None, 1.0)
