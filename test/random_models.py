# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Robots at random in URDF, SDFormat, MJCF and USD: trees of links with sound, wrong and absent inertials and shapes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import trimesh
import usd_stages

FORMATS = ("urdf", "sdf", "mjcf", "usd")
SUFFIX = {"urdf": ".urdf", "sdf": ".sdf", "mjcf": ".xml", "usd": ".usda"}

MASSES = (*("1", "2.5", "0.01", "1e3", "0", "-1", "nan", "inf", "1e-9", "1e30"), None, None)
TENSORS = (
    *("good", "good", "good", "zero", "identity", "rounded", "triangle", "indefinite", "singular", "nan", "tiny"),
    *("huge", "products", None, None),
)
SIZES = ("0.1", "0.2", "0.5", "1", "0.001", "0", "-1", "nan", "1e9")
SHAPES = ("none", "none", "box", "box", "sphere", "cylinder", "capsule", "mesh", "open", "missing", "plane")
KINDS = ("fixed", "revolute", "continuous", "prismatic", "ball", "planar", "floating")
MESHES = {"mesh": "solid.stl", "open": "open.stl", "missing": "missing.stl"}

ODDS_OF_BAD_SIZE = 0.08
MOST_LINKS = 7
REACH = 2.0
"""How far shapes and centres of mass are from the link [m]; few shapes of a link overlap, which takes long to measure."""


@dataclass(frozen=True)
class Shape:
    """One shape: its kind, its sizes as text, and where it is."""

    kind: str
    sizes: tuple[str, str, str]
    at: tuple[float, float, float]
    is_visual: bool
    density: str | None


@dataclass(frozen=True)
class Body:
    """One link: the link that carries it (-1 the world, None nothing), by what joint, and what it has."""

    name: str
    parent: int | None
    joint: str
    mass: str | None
    six: tuple[str, ...] | None
    com: tuple[float, float, float]
    is_automatic: bool
    shapes: tuple[Shape, ...]


def write_meshes(folder: Path) -> None:
    """Write the meshes that the models name; one of them stays missing."""
    box = trimesh.creation.box([0.2, 0.3, 0.4])
    box.export(folder / MESHES["mesh"])
    box.update_faces(np.arange(len(box.faces)) > 1)
    box.export(folder / MESHES["open"])


def random_model(seed: int, format_: str) -> str:
    """Return the text of a model; the same seed gives the same one."""
    bodies = RandomBodies(seed, format_).all()
    return {"urdf": as_urdf, "sdf": as_sdf, "mjcf": as_mjcf, "usd": as_usd}[format_](bodies, seed)


class RandomBodies:
    """Draws the links of one model."""

    def __init__(self, seed: int, format_: str) -> None:
        self._random = np.random.default_rng([seed, FORMATS.index(format_)])
        self._format = format_

    def all(self) -> list[Body]:
        """Return the links, each after the one that carries it; the first is carried by nothing, or by the world."""
        count = int(self._random.integers(1, MOST_LINKS + 1))
        first = -1 if self._format != "urdf" and self._random.random() < 0.5 else None
        parents = [first, *(int(self._random.integers(0, number)) for number in range(1, count))]
        return [self._body(number, parent) for number, parent in enumerate(parents)]

    def _body(self, number: int, parent: int | None) -> Body:
        has_inertial = self._random.random() < 0.85
        return Body(
            name=f"{self._pick('left', 'right', 'arm', 'leg', 'base')}_{number}",
            parent=parent,
            joint=self._pick(*KINDS),
            mass=self._pick(*MASSES) if has_inertial else None,
            six=self._tensor() if has_inertial else None,
            com=self._place(),
            is_automatic=self._random.random() < 0.3,
            shapes=tuple(self._shape() for _ in range(int(self._random.integers(0, 3)))),
        )

    def _shape(self) -> Shape:
        odd = self._random.random() < ODDS_OF_BAD_SIZE
        sizes = [self._pick(*SIZES) if odd else f"{self._random.uniform(0.05, 0.6):.3g}" for _ in range(3)]
        density = self._pick(None, None, "500", "0", "-20", "nan") if self._random.random() < 0.3 else None
        x, y, z = sizes
        return Shape(self._pick(*SHAPES), (x, y, z), self._place(), self._random.random() < 0.3, density)

    def _tensor(self) -> tuple[str, ...] | None:
        """Return ixx ixy ixz iyy iyz izz as text."""
        a, b = self._random.uniform(0.5, 1.0, 2)
        c = float(self._random.uniform(abs(a - b), a + b))
        scale = 10.0 ** self._random.uniform(-4, 1)
        made = {
            "good": (a, 0, 0, b, 0, c),
            "zero": (0,) * 6,
            "identity": (1, 0, 0, 1, 0, 1),
            "rounded": (a, 0, 0, b, 0, (a + b) * (1 + 1e-4)),
            "triangle": (a, 0, 0, b, 0, 3.0),
            "indefinite": (a, 0, 0, b, 0, -c),
            "singular": (a, 0, 0, a, 0, 0),
            "nan": (float("nan"), 0, 0, b, 0, c),
            "tiny": (a * 1e-20, 0, 0, b * 1e-20, 0, c * 1e-20),
            "huge": (a * 1e20, 0, 0, b * 1e20, 0, c * 1e20),
            "products": (a, 0.9, -0.8, b, 0.7, c),
        }
        kind = self._pick(*TENSORS)
        return None if kind is None else tuple(f"{scale * value:.6g}" for value in made[kind])

    def _place(self) -> tuple[float, float, float]:
        x, y, z = self._random.uniform(-REACH, REACH, 3).round(3).tolist()
        return (x, y, z)

    def _pick(self, *options: str | None) -> str | None:
        return options[int(self._random.integers(len(options)))]


def _numbers(values: tuple[float, ...]) -> str:
    return " ".join(f"{value:g}" for value in values)


def _named(six: tuple[str, ...]) -> list[tuple[str, str]]:
    return list(zip(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), six, strict=True))


def as_urdf(bodies: list[Body], seed: int) -> str:
    """Return the links as URDF."""
    text = [f'<robot name="r{seed}">']
    for body in bodies:
        text.append(f'<link name="{body.name}">')
        if body.mass is not None or body.six is not None:
            mass = "" if body.mass is None else f'<mass value="{body.mass}"/>'
            tensor = " ".join(f'{name}="{value}"' for name, value in _named(body.six or ())) if body.six else ""
            text.append(
                f'<inertial><origin xyz="{_numbers(body.com)}"/>{mass}{f"<inertia {tensor}/>" if tensor else ""}</inertial>'
            )
        text += [_urdf_shape(shape) for shape in body.shapes if shape.kind not in ("none", "plane")]
        text.append("</link>")
        if body.parent is not None:
            kind = "revolute" if body.joint == "ball" else body.joint
            limit = '<limit lower="-1" upper="1" effort="1" velocity="1"/>' if kind in ("revolute", "prismatic") else ""
            ends = f'<parent link="{bodies[body.parent].name}"/><child link="{body.name}"/>'
            text.append(f'<joint name="j_{body.name}" type="{kind}">{ends}<axis xyz="0 0 1"/>{limit}</joint>')
    return "\n".join([*text, "</robot>"])


def _urdf_shape(shape: Shape) -> str:
    x, y, z = shape.sizes
    geometry = {
        "box": f'<box size="{x} {y} {z}"/>',
        "sphere": f'<sphere radius="{x}"/>',
        "cylinder": f'<cylinder radius="{x}" length="{y}"/>',
        "capsule": f'<capsule radius="{x}" length="{y}"/>',
    }.get(shape.kind) or f'<mesh filename="{MESHES[shape.kind]}"/>'
    tag = "visual" if shape.is_visual else "collision"
    return f'<{tag}><origin xyz="{_numbers(shape.at)}"/><geometry>{geometry}</geometry></{tag}>'


def as_sdf(bodies: list[Body], seed: int) -> str:
    """Return the links as SDFormat; one in ten models is static."""
    text = [f'<sdf version="1.11"><model name="r{seed}">', "<static>true</static>" if seed % 10 == 0 else ""]
    for body in bodies:
        auto = ' auto="true"' if body.is_automatic else ""
        text.append(f'<link name="{body.name}">')
        if body.is_automatic or body.mass is not None or body.six is not None:
            mass = "" if body.mass is None else f"<mass>{body.mass}</mass>"
            six = "".join(f"<{name}>{value}</{name}>" for name, value in _named(body.six)) if body.six else ""
            tensor = f"<inertia>{six}</inertia>" if six else ""
            text.append(f"<inertial{auto}><pose>{_numbers(body.com)} 0 0 0</pose>{mass}{tensor}</inertial>")
        text += [_sdf_shape(shape, number) for number, shape in enumerate(body.shapes) if shape.kind != "none"]
        text.append("</link>")
        if body.parent is not None:
            kind = {"planar": "universal", "floating": "screw"}.get(body.joint, body.joint)
            parent = "world" if body.parent < 0 else bodies[body.parent].name
            axes = "<axis><xyz>0 0 1</xyz></axis>" + ("<axis2><xyz>1 0 0</xyz></axis2>" if kind == "universal" else "")
            ends = f"<parent>{parent}</parent><child>{body.name}</child>"
            text.append(f'<joint name="j_{body.name}" type="{kind}">{ends}{axes}</joint>')
    return "\n".join([*text, "</model></sdf>"])


def _sdf_shape(shape: Shape, number: int) -> str:
    x, y, z = shape.sizes
    geometry = {
        "box": f"<box><size>{x} {y} {z}</size></box>",
        "sphere": f"<sphere><radius>{x}</radius></sphere>",
        "cylinder": f"<cylinder><radius>{x}</radius><length>{y}</length></cylinder>",
        "capsule": f"<capsule><radius>{x}</radius><length>{y}</length></capsule>",
        "plane": "<plane/>",
    }.get(shape.kind) or f"<mesh><uri>{MESHES[shape.kind]}</uri></mesh>"
    tag = "visual" if shape.is_visual else "collision"
    density = "" if shape.density is None or shape.is_visual else f"<density>{shape.density}</density>"
    pose = f"<pose>{_numbers(shape.at)} 0 0 0</pose>"
    return f'<{tag} name="s{number}">{pose}{density}<geometry>{geometry}</geometry></{tag}>'


def as_mjcf(bodies: list[Body], seed: int) -> str:
    """Return the links as nested bodies of MJCF."""
    used = {shape.kind for body in bodies for shape in body.shapes} & MESHES.keys()
    assets = "".join(f'<mesh name="{kind}" file="{MESHES[kind]}"/>' for kind in sorted(used))
    roots = "".join(
        _mjcf_body(bodies, number) for number, body in enumerate(bodies) if (body.parent or 0) < 0 or not number
    )
    return f'<mujoco model="r{seed}"><asset>{assets}</asset>\n<worldbody>{roots}</worldbody></mujoco>'


def _mjcf_body(bodies: list[Body], number: int) -> str:
    body = bodies[number]
    inertial = ""
    if body.mass is not None:
        full = [body.six[place] for place in (0, 3, 5, 1, 2, 4)] if body.six else []
        tensor = f' fullinertia="{" ".join(full)}"' if full else ""
        inertial = f'<inertial pos="{_numbers(body.com)}" mass="{body.mass}"{tensor}/>'
    kind = {"revolute": "hinge", "continuous": "hinge", "prismatic": "slide", "ball": "ball"}.get(body.joint)
    joint = "" if kind is None else f'<joint name="j_{body.name}" type="{kind}"/>'
    joint = "<freejoint/>" if body.joint == "floating" and number == 0 else joint
    geoms = "\n".join(_mjcf_geom(shape) for shape in body.shapes if shape.kind != "none")
    inner = "".join(_mjcf_body(bodies, child) for child, one in enumerate(bodies) if one.parent == number and child)
    return f'\n<body name="{body.name}">{inertial}{joint}\n{geoms}{inner}</body>'


def _mjcf_geom(shape: Shape) -> str:
    x, y, z = shape.sizes
    words = {
        "box": f'type="box" size="{x} {y} {z}"',
        "sphere": f'type="sphere" size="{x}"',
        "cylinder": f'type="cylinder" size="{x} {y}"',
        "capsule": f'type="capsule" size="{x} {y}"',
        "plane": 'type="plane" size="1 1 1"',
    }.get(shape.kind) or f'type="mesh" mesh="{shape.kind}"'
    unseen = ' contype="0" conaffinity="0"' if shape.is_visual else ""
    density = "" if shape.density is None else f' density="{shape.density}"'
    return f'<geom {words} pos="{_numbers(shape.at)}"{unseen}{density}/>'


def as_usd(bodies: list[Body], seed: int) -> str:
    """Return the links as bodies of a stage."""
    prims = [_usd_body(body) for body in bodies]
    for body in bodies:
        if body.parent is not None:
            kind = {"fixed": "Fixed", "prismatic": "Prismatic", "ball": "Spherical"}.get(body.joint, "Revolute")
            parent = "" if body.parent < 0 else f"/r/{bodies[body.parent].name}"
            prims.append(usd_stages.joint(f"Physics{kind}Joint", f"j_{body.name}", parent, f"/r/{body.name}"))
    return usd_stages.stage(usd_stages.prim("Xform", "r", *prims), metre=0.01 if seed % 7 == 0 else 1.0)


def _usd_body(body: Body) -> str:
    content = []
    if body.mass is not None:
        content.append(f"float physics:mass = {body.mass}")
    if body.six is not None:
        content.append(f"float3 physics:diagonalInertia = ({body.six[0]}, {body.six[3]}, {body.six[5]})")
        content.append(f"point3f physics:centerOfMass = ({', '.join(f'{value:g}' for value in body.com)})")
    shapes = [_usd_shape(shape, number) for number, shape in enumerate(body.shapes) if shape.kind != "none"]
    return usd_stages.body(body.name, *content, *shapes)


def _usd_shape(shape: Shape, number: int) -> str:
    x, y, _ = shape.sizes
    kind, words = {
        "sphere": ("Sphere", [f"double radius = {x}"]),
        "cylinder": ("Cylinder", [f"double radius = {x}", f"double height = {y}"]),
        "capsule": ("Capsule", [f"double radius = {x}", f"double height = {y}"]),
        "plane": ("Plane", []),
    }.get(shape.kind, ("Cube", [f"double size = {x}"]))
    if shape.density is not None:
        words.append(f"float physics:density = {shape.density}")
    apis = () if shape.is_visual else ("PhysicsCollisionAPI", "PhysicsMassAPI")
    return usd_stages.prim(kind, f"s{number}", *words, usd_stages.at(*shape.at), apis=apis)
