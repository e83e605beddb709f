# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mutations of mesh files, and robots in every format that name one."""

from __future__ import annotations

from random import Random

from fuzz.text_damage import damaged_bytes, damaged_text, strange_number
from fuzz.xml_damage import damaged_xml

TEXTUAL = (".obj", ".off", ".gltf")
"""Formats made of words."""

SCALES = ("1 1 1", "1 1 1", "0.001 0.001 0.001", "-1 1 1", "0 1 1", "nan 1 1", "1e400 1 1", "1e200 1e200 1e200", "1 1")
"""Scales of meshes, usual and not."""

URDF = """<robot name="r"><link name="a">{inertial}<collision><geometry><mesh filename="{file}" scale="{scale}"/>
</geometry></collision></link><link name="b">{inertial}<visual><geometry><mesh filename="{file}"/></geometry></visual>
</link><joint name="j" type="revolute"><parent link="a"/><child link="b"/><limit lower="-1" upper="1" effort="1"
velocity="1"/></joint></robot>"""
SDF = """<sdf version="1.11"><model name="r"><link name="a"><inertial auto="true"/><collision name="c"><geometry><mesh>
<uri>{file}</uri><scale>{scale}</scale>{part}</mesh></geometry></collision></link></model></sdf>"""
MJCF = """<mujoco><asset><mesh name="m" file="{file}" scale="{scale}"/></asset><worldbody><body><freejoint/>
<geom type="mesh" mesh="m"/><geom type="box" mesh="m"/></body></worldbody></mujoco>"""

INERTIALS = (
    "",
    '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>',
    '<inertial><mass value="0"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial>',
)
PARTS = ("", "", "<submesh><name>x</name></submesh>", "<submesh><name>geometry_0</name><center>true</center></submesh>")


def damaged_mesh(data: bytes, suffix: str, random: Random) -> bytes:
    """Return a mesh file with some mutations, as its format allows."""
    if random.random() < 0.1:
        return data
    if suffix == ".dae":
        return damaged_xml(data, data, random)
    is_text = suffix in TEXTUAL or (suffix in (".stl", ".ply") and data[:400].isascii())
    if suffix == ".ply" and random.random() < 0.5:
        return _damaged_header(data, random)
    return damaged_text(data, random) if is_text and random.random() < 0.9 else damaged_bytes(data, random)


def _damaged_header(data: bytes, random: Random) -> bytes:
    """Change the header of a PLY, which says how the rest is to be taken."""
    header, end, rest = data.partition(b"end_header\n")
    return damaged_text(header, random) + end + rest


def robot_with(file: str, random: Random) -> tuple[str, bytes]:
    """Return the suffix and the text of a robot with a mesh."""
    scale = " ".join(strange_number(random) for _ in range(3)) if random.random() < 0.1 else random.choice(SCALES)
    suffix, template = random.choice(((".urdf", URDF), (".urdf", URDF), (".sdf", SDF), (".xml", MJCF)))
    text = template.format(file=file, scale=scale, inertial=random.choice(INERTIALS), part=random.choice(PARTS))
    return suffix, text.encode()
