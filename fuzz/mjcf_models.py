# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""MJCF models at random: nested bodies, frames, copies and classes under every option of the compiler."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np

EULERSEQS = ("xyz", "zyx", "XYZ", "ZYX", "xYz", "zxz")
ORIENTATIONS = ("", "quat", "axisangle", "euler", "xyaxes", "zaxis")
PRIMITIVES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
BUILTIN = (("sphere", "1"), ("cone", "5 .4"), ("supertorus", "6 .4 .8 1.2"), ("ellipsoid", "3 4 3 .1 .2 .3"))
CLASSES = ("", "a", "b", "c")

MOST_BODIES = 12
MOST_DEPTH = 4


WORDS = (
    *("", "x", "-1", "0", "1", "2.5", "1 2", "0 0 0", "1 0 0", "1 2 3 4", "true", "false", "auto", "1e30", "sphere"),
    *("mesh", "m0", "zz", "main", "a", "0 0 0 0", "3", "0.001", "-.5 .5"),
)
"""What attributes of damaged models may hold."""


def damaged(text: str, seed: int) -> str:
    """Return a document with one mistake: an attribute lost, changed or moved, or an element lost, doubled or moved."""
    random = np.random.default_rng(seed)
    root = ElementTree.fromstring(text)
    elements = list(root.iter())
    parents = {child: parent for parent in elements for child in parent}
    one, other = (elements[random.integers(len(elements))] for _ in range(2))
    names, chance = list(one.attrib), random.random()
    if chance < 0.3 and names:
        del one.attrib[names[random.integers(len(names))]]
    elif chance < 0.65 and names:
        one.attrib[names[random.integers(len(names))]] = WORDS[random.integers(len(WORDS))]
    elif chance < 0.8 and other.attrib:
        name = list(other.attrib)[random.integers(len(other.attrib))]
        one.attrib[name] = other.attrib[name]
    elif chance < 0.87 and one in parents:
        parents[one].remove(one)
    elif chance < 0.94 and one in parents:
        parents[one].append(one)
    elif one in parents and other not in list(one.iter()):
        other.append(one)
    return ElementTree.tostring(root, "unicode")


class ModelMaker:
    """Writes one model; the same seed gives the same one."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        self._bodies = 0
        self._in_degrees = self._chance(0.5)

    def text(self) -> str:
        """Return the document."""
        compilers = "".join(self._compiler() for _ in range(self._random.integers(1, 3)))
        angle = "degree" if self._in_degrees else "radian"
        inside = "".join(self._body(0, "") for _ in range(self._random.integers(1, 4)))
        return (
            f'<mujoco>{compilers}<compiler angle="{angle}"/>{self._defaults()}{self._assets()}'
            f"<worldbody>{self._geom('')}{inside}</worldbody></mujoco>"
        )

    def _chance(self, probability: float) -> bool:
        return bool(self._random.random() < probability)

    def _pick(self, *words: str) -> str:
        return words[self._random.integers(len(words))]

    def _numbers(self, count: int, low: float = -1.0, high: float = 1.0) -> str:
        return " ".join(f"{number:.6g}" for number in self._random.uniform(low, high, count))

    def _maybe(self, name: str, text: str, probability: float = 0.3) -> str:
        return f'{name}="{text}" ' if self._chance(probability) else ""

    def _compiler(self) -> str:
        words = [
            self._maybe("inertiafromgeom", self._pick("auto", "true"), 0.4),
            self._maybe("inertiagrouprange", self._pick("0 5", "0 2", "1 3", "0 0"), 0.3),
            self._maybe("boundmass", self._pick("1e-3", "1", "5"), 0.3),
            self._maybe("boundinertia", self._pick("1e-4", "1e-2", ".1"), 0.3),
            self._maybe("balanceinertia", self._pick("true", "false"), 0.5),
            self._maybe("settotalmass", "12.5", 0.2),
            self._maybe("eulerseq", self._pick(*EULERSEQS), 0.5),
            self._maybe("fitaabb", self._pick("true", "false"), 0.4),
            self._maybe("alignfree", self._pick("true", "false"), 0.3),
            self._maybe("autolimits", self._pick("true", "false"), 0.2),
            self._maybe("coordinate", "local", 0.1),
            self._maybe("discardvisual", "true", 0.1),
        ]
        return f"<compiler {''.join(words)}/>"

    def _defaults(self) -> str:
        def words(*places: tuple[str, str]) -> str:
            found = [
                self._maybe("density", self._numbers(1, 10, 3000)),
                self._maybe("mass", self._numbers(1, 0.1, 3), 0.15),
                self._maybe("group", str(self._random.integers(0, 6))),
                self._maybe("type", self._pick(*PRIMITIVES), 0.2),
                self._maybe("size", self._numbers(3, 0.05, 0.4), 0.9),
                self._maybe("shellinertia", "true", 0.1),
                *(self._maybe(*place) for place in places),
            ]
            return f"<geom {''.join(found)}/>"

        places = ("pos", self._numbers(3)), ("quat", self._numbers(4))
        inner = f'<default class="b">{words(*places)}<mesh scale="{self._numbers(3, 0.2, 2)}"/></default>'
        return f'<default>{words()}<default class="a">{words()}{inner}</default><default class="c">{words(*places)}</default></default>'

    def _assets(self) -> str:
        def mesh(name: str, kind: str, params: str) -> str:
            rule = self._maybe("inertia", self._pick("legacy", "convex", "exact", "shell"), 0.6)
            placed = self._maybe("refpos", self._numbers(3)) + self._maybe("refquat", self._numbers(4))
            # never as it is: primitives are fitted to a mesh of two equal moments along axes that rounding chooses
            scale = f'scale="{self._numbers(3, 0.2, 2)}" ' if self._chance(0.5) else 'scale="1 1.3 .7" '
            return f'<mesh name="{name}" builtin="{kind}" params="{params}" {rule}{placed}{scale}/>'

        meshes = "".join(mesh(f"m{i}", *one) for i, one in enumerate(BUILTIN))
        return f'<asset>{meshes}<hfield name="h" nrow="3" ncol="3" size="{self._numbers(4, 0.1, 0.5)}"/></asset>'

    def _pose(self) -> str:
        form = self._pick(*ORIENTATIONS)
        turn = np.pi if not self._in_degrees else 180.0
        stated = {
            "": "",
            "quat": self._numbers(4),
            "axisangle": f"{self._numbers(3)} {self._numbers(1, -turn, turn)}",
            "euler": self._numbers(3, -turn, turn),
            "xyaxes": self._numbers(6),
            "zaxis": self._numbers(3),
        }[form]
        return self._maybe("pos", self._numbers(3), 0.7) + (f'{form}="{stated}" ' if form else "")

    def _class(self) -> str:
        name = self._pick(*CLASSES)
        return f'class="{name}" ' if name else ""

    def _geom(self, more: str) -> str:
        kind = self._pick(*PRIMITIVES, "mesh", "fitted", "fromto", "hfield")
        carried = self._maybe("mass", self._numbers(1, 0.1, 3)) + self._maybe("density", self._numbers(1, 10, 3000))
        grouped = self._maybe("group", str(self._random.integers(0, 6)))
        seen = self._maybe("contype", "0", 0.3) + self._maybe("conaffinity", "0", 0.3)
        shell = self._maybe("shellinertia", "true", 0.2)
        size = f'size="{self._numbers(3, 0.05, 0.4)}" '
        match kind:
            case "mesh":
                shape, shell = f'type="mesh" mesh="m{self._random.integers(len(BUILTIN))}" ', 'shellinertia="false" '
            case "fitted":
                mesh = f'mesh="m{self._random.integers(len(BUILTIN))}" '
                shape = f'type="{self._pick(*PRIMITIVES)}" {mesh}' + self._maybe("fitscale", self._numbers(1, 0.5, 2))
            case "fromto":
                kind = self._pick("capsule", "cylinder", "box", "ellipsoid")
                return f'<geom class="{self._pick("main", "a")}" type="{kind}" fromto="{self._numbers(6)}" {size}{carried}{grouped}{seen}{shell}{more}/>'
            case "hfield":
                shape = 'type="hfield" hfield="h" '
            case _:
                shape = f'type="{kind}" {size}'
        return f"<geom {self._class()}{shape}{self._pose()}{carried}{grouped}{seen}{shell}{more}/>"

    def _inertial(self) -> str:
        moments = self._random.uniform(0.1, 1.0, 3)
        moments[2] = min(moments[2], 0.99 * (moments[0] + moments[1]))
        moments[0] = max(moments[0], 1.01 * abs(moments[1] - moments[2]))
        mass = self._numbers(1, 0.1, 5)
        if self._chance(0.5):
            values = " ".join(f"{moment:.6g}" for moment in moments)
            pose = self._pose()
            pose = pose if "pos=" in pose else f'pos="0 0 0" {pose}'
            return f'<inertial mass="{mass}" diaginertia="{values}" {pose}/>'
        axes = np.linalg.qr(self._random.normal(size=(3, 3)))[0]
        tensor = axes @ np.diag(moments) @ axes.T
        six = [tensor[0, 0], tensor[1, 1], tensor[2, 2], tensor[0, 1], tensor[0, 2], tensor[1, 2]]
        values = " ".join(f"{number:.9g}" for number in six)
        return f'<inertial mass="{mass}" pos="{self._numbers(3)}" fullinertia="{values}"/>'

    def _body(self, depth: int, childclass: str) -> str:
        self._bodies += 1
        inside = []
        if self._chance(0.7):
            kinds = ["free"] if depth == 0 else []
            kind = self._pick("hinge", "slide", "ball", *kinds)
            inside.append(f'<joint type="{kind}"/>' if kind != "free" else "<freejoint/>")
        if self._chance(0.35):
            inside.append(self._inertial())
        inside += [self._geom("") for _ in range(self._random.integers(0, 4))]
        inside.append(
            '<geom class="main" type="sphere" size=".1" pos=".2 0 0" group="0" density="700" shellinertia="false"/>'
        )
        if self._chance(0.3):
            inside.append(f"<frame {self._pose()}{self._childclass()}>{self._geom('')}</frame>")
        if self._chance(0.2):
            copies = f'count="3" offset="{self._numbers(3)}" euler="{self._numbers(3)}"'
            inside.append(f"<replicate {copies}>{self._geom('')}</replicate>")
        while depth < MOST_DEPTH and self._bodies < MOST_BODIES and self._chance(0.5):
            child = self._body(depth + 1, childclass)
            wrap = self._random.random()
            if wrap < 0.15:
                child = f'<replicate count="2" offset="{self._numbers(3)}" sep="_">{child}</replicate>'
            elif wrap < 0.35:
                child = f"<frame {self._pose()}{self._childclass()}>{child}</frame>"
            inside.append(child)
        return f"<body {self._pose()}{self._childclass()}>{''.join(inside)}</body>"

    def _childclass(self) -> str:
        name = self._pick(*CLASSES)
        return f'childclass="{name}" ' if name and self._chance(0.5) else ""
