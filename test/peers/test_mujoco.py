# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""MuJoCo's compiler as the second opinion: same geometry in, same mass properties out, and our output accepted."""

import numpy as np
import pytest
import trimesh
from robots import example_robots

import inertia_tools as it
from inertia_tools.inertial import Inertial, rotate_tensor
from inertia_tools.spatial import rotation_from_quaternion

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")

AGREEMENT = 1e-9
"""Of the largest moment, of the mass, and of the body's size."""

URDF = '<robot name="r"><link name="base"><collision>{origin}<geometry>{shape}</geometry></collision></link></robot>'
MJCF = """<mujoco><compiler angle="radian" eulerseq="XYZ" inertiafromgeom="true"/>{asset}<worldbody>
<body name="base"><freejoint/><geom {geom} density="1000"/></body></worldbody></mujoco>"""


def of_mujoco(xml: str) -> Inertial:
    """Mass properties of the body `base`, in its own axes."""
    model = mujoco.MjModel.from_xml_string(xml)
    body = model.body("base")
    w, x, y, z = body.iquat
    axes = rotation_from_quaternion([x, y, z, w])
    return Inertial(body.mass[0], body.ipos, rotate_tensor(axes, np.diag(body.inertia)))


def of_ours(shape: str, origin: str = "", base_dir=None) -> Inertial:
    robot = it.load_text(URDF.format(shape=shape, origin=origin), base_dir=base_dir)
    return it.compute(robot)["base"].inertial


def agree(ours: Inertial, theirs: Inertial) -> None:
    size = np.sqrt(ours.principal_moments[-1] / ours.mass)
    assert ours.mass == pytest.approx(theirs.mass, rel=AGREEMENT)
    assert np.allclose(ours.com, theirs.com, rtol=0, atol=AGREEMENT * size)
    assert np.allclose(ours.inertia, theirs.inertia, rtol=0, atol=AGREEMENT * ours.principal_moments[-1])


@pytest.mark.parametrize(
    ("shape", "geom"),
    [
        ('<box size="0.2 0.4 0.7"/>', 'type="box" size="0.1 0.2 0.35"'),
        ('<sphere radius="0.3"/>', 'type="sphere" size="0.3"'),
        ('<cylinder radius="0.3" length="0.9"/>', 'type="cylinder" size="0.3 0.45"'),
        ('<capsule radius="0.3" length="0.9"/>', 'type="capsule" size="0.3 0.45"'),
    ],
)
def test_primitives(shape, geom):
    placed = '<origin xyz="0.1 -0.2 0.3" rpy="0.2 0.3 -0.7"/>'
    rotation = f'pos="0.1 -0.2 0.3" quat="{quaternion_text([0.2, 0.3, -0.7])}"'
    agree(of_ours(shape, placed), of_mujoco(MJCF.format(asset="", geom=f"{geom} {rotation}")))


def quaternion_text(rpy) -> str:
    x, y, z, w = it.Pose.from_xyz_rpy(rpy=rpy).quaternion
    return f"{w!r} {x!r} {y!r} {z!r}".replace("np.float64(", "").replace(")", "")


GRID = 2.0**-18
"""Corners on this grid stay exact in single precision, which MuJoCo stores, when they are moved by a few metres.

Moved corners that round differently would tilt the principal axes by about 1e-6 rad, where MuJoCo's own eigenvalue
search stops (it takes rotations with a cosine above 1 - 1e-12 for none).
"""


def on_grid(mesh: trimesh.Trimesh) -> trimesh.Trimesh:
    return trimesh.Trimesh(np.round(mesh.vertices / GRID) * GRID, mesh.faces, process=False)


def ellipsoid() -> trimesh.Trimesh:
    mesh = trimesh.creation.icosphere(subdivisions=3)
    mesh.apply_transform(np.diag([0.3, 0.5, 0.2, 1.0]))
    return mesh


MESHES = {
    "box": trimesh.creation.box([0.25, 0.5, 1.0]),
    "torus": trimesh.creation.torus(0.5, 0.125),
    "cone": trimesh.creation.cone(0.5, 1.0),
    "ellipsoid": ellipsoid(),
}


@pytest.mark.parametrize("offset", [0.0, 2.0])
@pytest.mark.parametrize("name", MESHES)
def test_closed_meshes(name, offset, tmp_path):
    mesh = on_grid(MESHES[name])
    mesh.vertices += [offset, -offset, 0.5 * offset]
    assert np.array_equal(mesh.vertices, mesh.vertices.astype(np.float32))
    path = tmp_path / "part.obj"
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in mesh.vertices.tolist()]
    path.write_text("\n".join(lines + [f"f {a} {b} {c}" for a, b, c in (mesh.faces + 1).tolist()]))
    vertices = " ".join(repr(x) for x in mesh.vertices.ravel().tolist())
    faces = " ".join(str(i) for i in mesh.faces.ravel().tolist())
    asset = f'<asset><mesh name="m" inertia="exact" vertex="{vertices}" face="{faces}"/></asset>'
    agree(
        of_ours('<mesh filename="part.obj"/>', base_dir=tmp_path),
        of_mujoco(MJCF.format(asset=asset, geom='type="mesh" mesh="m"')),
    )


@pytest.mark.parametrize("name", ["hyq_description/robots/hyq_no_sensors.urdf", "go1_description/urdf/go1.urdf"])
def test_mujoco_refuses_the_robot_as_published_and_takes_it_corrected(name):
    robots = example_robots()
    if robots is None:
        pytest.skip("example-robot-data is not installed")
    robot = it.load(robots / name)

    def compile_without_geometry(text: str):
        """Compile links and joints only: the meshes are not the point, and MuJoCo reads few formats."""
        spec = mujoco.MjSpec.from_string(without_geometry(text))
        spec.compiler.discardvisual = True
        return spec.compile()

    with pytest.raises(ValueError, match="inertia"):
        compile_without_geometry(robot.document.data.decode())
    model = compile_without_geometry(it.fix(robot).text)
    assert model.nbody > 10


def without_geometry(text: str) -> str:
    import xml.etree.ElementTree as ElementTree

    root = ElementTree.fromstring(text)
    for link in root.iter("link"):
        for child in [*link.findall("collision"), *link.findall("visual")]:
            link.remove(child)
    return ElementTree.tostring(root, encoding="unicode")
