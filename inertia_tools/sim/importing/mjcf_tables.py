# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Pairs of geoms, tendons, equalities and actuators of an MJCF document as rows of tables, by Newton's names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from inertia_tools.description.mjcf_bodies import Row
from inertia_tools.description.types import WORLD as WORLD_LINK
from inertia_tools.description.types import Joint, JointType
from inertia_tools.sim.importing.mjcf_stated import MjcfImport, Words, values_of
from inertia_tools.sim.scene.bodies import WORLD
from inertia_tools.sim.scene.custom_frequencies import WORLD_REFERENCE
from inertia_tools.sim.scene.mujoco_attributes import declare_mujoco
from inertia_tools.sim.scene.mujoco_kinds import (
    ACTUATORS,
    EQUALITIES,
    NAMESPACE,
    PAIRS,
    TENDON_JOINTS,
    TENDONS,
    CtrlSource,
    CtrlType,
    EqType,
    TrnType,
)
from inertia_tools.spatial import Pose, quaternion_from_rotation

Values = dict[str, Any]


def add_tables(taken: MjcfImport, *, ctrl_direct: bool, keeps_equalities: bool) -> None:
    """Add the table rows of a document; rows that name omitted elements are omitted.

    Args:
        taken: The document.
        ctrl_direct: Whether actuators take their control from their own row of `control.mujoco.ctrl`.
        keeps_equalities: Whether equalities are rows; otherwise they are joints and couplings.

    Raises:
        OptionError: A value cannot be read.
    """
    stated = taken.stated
    rows = _Rows(taken)
    rows.add(PAIRS, stated.pairs, rows.pair)
    if stated.tendons:
        declare_mujoco(taken.builder, [TENDON_JOINTS])
    rows.add(TENDONS, stated.tendons, rows.tendon)
    if keeps_equalities:
        kinds = ("connect", "weld", "joint")
        ordered = sorted((row for row in stated.equalities if row.tag in kinds), key=lambda row: kinds.index(row.tag))
        rows.add(EQUALITIES, ordered, rows.equality)
    rows.add(ACTUATORS, stated.actuators, lambda row: rows.actuator(row, ctrl_direct))


class _Rows:
    """Resolves the references of rows to elements of the scene."""

    def __init__(self, taken: MjcfImport) -> None:
        self._taken, self._builder = taken, taken.builder
        robot, placed = taken.robot, taken.placed
        self._joints: dict[str, Joint] = {
            joint.name: joint for carried in robot.joints.values() for joint in carried.row
        }
        self._shapes = {shape.name: index for index, shape in placed.shapes if shape.name}
        self._tendons: dict[str, int] = {}

    def add(self, table: str, rows: Iterable[Row], values: Callable[[Row], Values | None]) -> None:
        """Add the rows of a table, and declare the table if there are any."""
        for row in rows:
            declare_mujoco(self._builder, [table])
            own = self._builder.get_custom_attributes_by_frequency([table])
            given = values(row)
            if given is None:
                continue
            defaults = {one.key: one.default for one in own if one.references != WORLD_REFERENCE}
            stated = values_of(own, _readable(row.attributes, own), {})
            found = {f"{NAMESPACE}:{name}": value for name, value in given.items()}
            self._builder.add_custom_row(table, {**defaults, **stated, **found})

    def pair(self, row: Row) -> Values | None:
        """Return the values of a pair of geoms; None if one of them does not exist."""
        geoms = [self._shapes.get(row.attributes.get(name, "")) for name in ("geom1", "geom2")]
        if None in geoms:
            return None
        scale = self._taken.scale
        lengths = {
            f"pair_{name}": float(row.attributes[name]) * scale for name in ("margin", "gap") if name in row.attributes
        }
        return {"pair_geom1": geoms[0], "pair_geom2": geoms[1], **lengths}

    def tendon(self, row: Row) -> Values | None:
        """Add the joints of a fixed tendon, and return what it has besides; None where it runs over none."""
        over = [(self._dof(one.attributes.get("joint", "")), one) for one in row.inner if one.tag == "joint"]
        own = [(dof, one) for dof, one in over if dof is not None]
        if row.tag != "fixed" or not own:
            return None
        first = self._builder.custom_row_count(TENDON_JOINTS)
        for (joint, _), one in own:
            values = {
                f"{NAMESPACE}:tendon_joint": joint,
                f"{NAMESPACE}:tendon_coef": float(one.attributes.get("coef", 1.0)),
            }
            self._builder.add_custom_row(TENDON_JOINTS, values)
        self._tendons[row.attributes.get("name", "")] = self._builder.custom_row_count(TENDONS)
        return {"tendon_joint_adr": first, "tendon_joint_num": len(own)}

    def equality(self, row: Row) -> Values | None:
        """Return the constraint between two bodies or joints; None if one of them does not exist."""
        values = self._of_joints(row) if row.tag == "joint" else self._of_bodies(row)
        if values is None:
            return None
        kind = EqType[row.tag.upper()]
        prefixed = {f"equality_constraint_{name}": value for name, value in values.items()}
        enabled = row.attributes.get("active", "true") == "true"
        return {**prefixed, "equality_constraint_type": int(kind), "equality_constraint_enabled": enabled}

    def _of_bodies(self, row: Row) -> Values | None:
        words, scale = row.attributes, self._taken.scale
        if "site1" in words:
            ends = [self._site(words.get(name, "")) for name in ("site1", "site2")]
            if None in ends:
                return None
            (one, at_one), (other, at_other) = (end for end in ends if end is not None)
            anchor = scale * (at_one if row.tag == "connect" else at_other).position
            return {"body1": one, "body2": other, "anchor": anchor, **_torque(words)}
        first, second = self._body(words.get("body1", "")), self._body(words.get("body2", WORLD_LINK))
        if first is None or second is None:
            return None
        values: Values = {"body1": first, "body2": second, "anchor": scale * _numbers(words, "anchor", (0.0, 0.0, 0.0))}
        if row.tag == "weld":
            values |= {"relpose": self._between(words), **_torque(words)}
        return values

    def _between(self, words: Words) -> np.ndarray:
        """Return the second body seen from the first, as stated or as the document has them, shape (7,)."""
        stated = _numbers(words, "relpose", (0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0))
        if np.linalg.norm(stated[3:]) > 0.0:
            w, *rest = stated[3:] / np.linalg.norm(stated[3:])
            return np.array([*(self._taken.scale * stated[:3]), *rest, w])
        poses = self._taken.robot.link_poses
        ends = [poses.get(words.get(name, WORLD_LINK), Pose()) for name in ("body1", "body2")]
        between = ends[0].inverse() @ ends[1]
        return np.array([*(self._taken.scale * between.position), *quaternion_from_rotation(between.rotation)])

    def _of_joints(self, row: Row) -> Values | None:
        words = row.attributes
        one, other = words.get("joint1", ""), words.get("joint2", "")
        ends = [self._dof(name) for name in (one, other) if name]
        if not ends or None in ends:
            return None
        factors = self._slide_factors(one, other, _numbers(words, "polycoef", (0.0, 1.0, 0.0, 0.0, 0.0)))
        values: Values = {"polycoef": factors}
        for number, end in enumerate(ends, 1):
            assert end is not None
            values |= {f"joint{number}": end[0], f"joint{number}_dof": self._number(end)}
        return values

    def _slide_factors(self, one: str, other: str, polynomial: np.ndarray) -> np.ndarray:
        """Return a polynomial between positions in the scene, of one between those of the document."""
        scales = [self._taken.scale if self._slides(name) else 1.0 for name in (one, other)]
        return polynomial * scales[0] / scales[1] ** np.arange(len(polynomial))

    def actuator(self, row: Row, ctrl_direct: bool) -> Values | None:
        """Return what an actuator has, its law as gain and bias; None where what it acts on is not there."""
        words, target = row.attributes, self._target(row.attributes)
        if target is None:
            return None
        kind, index, label = target
        law = LAWS.get(row.tag, _general)(words)
        is_target = row.tag in ("position", "velocity") and kind is TrnType.JOINT and not ctrl_direct
        controls = {"position": CtrlType.POSITION, "velocity": CtrlType.VELOCITY, "dcmotor": CtrlType.DCMOTOR}
        return {
            **self._ranges(row, label),
            **law,
            "actuator_trnid": (index, -1),
            "actuator_trntype": int(kind),
            "actuator_target_label": label,
            "actuator_label": words.get("name", f"{row.tag}_{label}"),
            "ctrl_source": int(CtrlSource.JOINT_TARGET if is_target else CtrlSource.CTRL_DIRECT),
            "ctrl_type": int(controls.get(row.tag, CtrlType.GENERAL)),
        }

    def _ranges(self, row: Row, joint: str) -> Values:
        """Return the ranges of an actuator in the units of the scene, those of its joint where it inherits them."""
        words = row.attributes
        found: Values = {}
        factor = self._taken.scale if self._slides(joint) else 1.0
        in_units = {
            "ctrl": row.tag in ("position", "velocity", "intvelocity") or _input(row) in ("pos", "vel"),
            "act": row.tag == "intvelocity",
            "force": False,
        }
        for name, of_joint in in_units.items():
            if f"{name}range" in words:
                stated = _numbers(words, f"{name}range", (0.0, 0.0))
                found[f"actuator_{name}range"] = stated * (factor if of_joint else 1.0)
                found[f"actuator_has_{name}range"] = 1
        inherited = {"position": "ctrl", "intvelocity": "act"}.get(row.tag, "")
        share = float(words.get("inheritrange", 0.0))
        if inherited and share > 0.0 and f"{inherited}range" not in words and joint in self._joints:
            found |= {
                f"actuator_{inherited}range": self._inherited(joint, share) * factor,
                f"actuator_{inherited}limited": 1,
                f"actuator_has_{inherited}range": 1,
            }
        return found

    def _inherited(self, name: str, share: float) -> np.ndarray:
        """Return the range of a joint, about its middle, in its own units [rad or m], shape (2,)."""
        joint = self._joints[name]
        words = self._taken.stated.words(joint.place)
        assert self._taken.robot.mjcf is not None
        in_degrees = self._taken.robot.mjcf.compiler_of(joint.child).in_degrees and not self._slides(name)
        low, high = _numbers(words, "range", (0.0, 0.0)) * (np.pi / 180.0 if in_degrees else 1.0)
        middle, reach = 0.5 * (low + high), 0.5 * (high - low) * share
        return np.array([middle - reach, middle + reach])

    def _target(self, words: Words) -> tuple[TrnType, int, str] | None:
        """Return the target of an actuator: its kind, index in the scene, and name; None if it does not exist."""
        for word, kind in (("joint", TrnType.JOINT), ("jointinparent", TrnType.JOINT_IN_PARENT)):
            end = self._dof(words.get(word, ""))
            if end is not None:
                return kind, self._number(end), words[word]
        finders: tuple[tuple[str, TrnType, Mapping[str, int]], ...] = (
            ("tendon", TrnType.TENDON, self._tendons),
            ("site", TrnType.SITE, self._shapes),
        )
        for word, kind, known in finders:
            if words.get(word, "") in known:
                return kind, known[words[word]], words[word]
        body = self._body(words.get("body", ""))
        return None if body is None or body == WORLD else (TrnType.BODY, body, words["body"])

    def _dof(self, name: str) -> tuple[int, int] | None:
        """Return the joint of the scene, and the number of its degree of freedom, that a joint became."""
        joint = self._joints.get(name)
        index = None if joint is None else self._taken.joint_index(joint)
        return (index, 0) if isinstance(index, int) else index

    def _number(self, end: tuple[int, int]) -> int:
        """Return the number of a degree of freedom in the scene."""
        return sum(joint.dof_count for joint in self._builder.joints[: end[0]]) + end[1]

    def _slides(self, name: str) -> bool:
        return name in self._joints and self._joints[name].type is JointType.PRISMATIC

    def _body(self, name: str) -> int | None:
        if name == WORLD_LINK:
            return WORLD
        place = self._taken.placed.links.get(name)
        return None if place is None else place.body

    def _site(self, name: str) -> tuple[int, Pose] | None:
        """Return the body of a site, and its pose there."""
        assert self._taken.robot.mjcf is not None
        for body, sites in self._taken.robot.mjcf.sites.items():
            for site in sites:
                index = self._body(body)
                if site.name == name and index is not None:
                    return index, site.pose_body_site
        return None


def _readable(words: Words, own: Iterable[Any]) -> dict[str, str]:
    """Return the words that stand for values; names of bodies, joints and geoms are found otherwise."""
    references = {one.mjcf_attribute_name for one in own if one.references is not None}
    return {name: text for name, text in words.items() if name not in references}


def _numbers(words: Words, name: str, default: tuple[float, ...]) -> np.ndarray:
    """Return numbers of an attribute; what a short text leaves out is as by default."""
    stated = [float(number) for number in words.get(name, "").split()]
    return np.array([*stated, *default[len(stated) :]][: len(default)])


def _torque(words: Words) -> Values:
    return {"torquescale": float(words.get("torquescale", 1.0))}


def _input(row: Row) -> str:
    """Return the kind of control input of a DC motor."""
    is_motor = row.tag == "dcmotor" or (row.tag == "general" and row.attributes.get("gaintype") == "dcmotor")
    return row.attributes.get("input", "voltage") if is_motor else ""


def _number(words: Words, name: str, default: float) -> float:
    return float(_numbers(words, name, (default,))[0])


def _law(gain: Iterable[float], bias: Iterable[float], **kinds: int) -> Values:
    padded = [[*numbers, *(0.0,) * 10][:10] for numbers in (gain, bias)]
    return {
        "actuator_gainprm": padded[0],
        "actuator_biasprm": padded[1],
        **{f"actuator_{name}": value for name, value in kinds.items()},
    }


def _position(words: Words) -> Values:
    """Return the law of a servo; a damping ratio, which needs the inertia, stands unresolved as a positive number."""
    gain, rate = _number(words, "kp", 1.0), _number(words, "kv", 0.0)
    damping = -rate if rate > 0.0 else _number(words, "dampratio", 0.0)
    lag = _number(words, "timeconst", 0.0)
    filtered: Values = {"actuator_dyntype": 3, "actuator_dynprm": [lag, *(0.0,) * 9]} if lag > 0.0 else {}
    return _law([gain], [0.0, -gain, damping], biastype=1) | filtered


def _integrated(words: Words) -> Values:
    return _position(words) | {"actuator_dyntype": 1}


def _velocity(words: Words) -> Values:
    gain = _number(words, "kv", 1.0)
    return _law([gain], [0.0, 0.0, -gain], biastype=1)


def _motor(_words: Words) -> Values:
    return _law([1.0], [])


def _damper(words: Words) -> Values:
    return _law([0.0, 0.0, -_number(words, "kv", 1.0)], [], gaintype=1)


MUSCLE = {
    "force": -1.0,
    "scale": 200.0,
    "lmin": 0.5,
    "lmax": 1.6,
    "vmax": 1.5,
    "fpmax": 1.3,
    "fvmax": 1.2,
}
"""Parameters of a muscle in the order of its law, after its range, with their defaults."""


def _muscle(words: Words) -> Values:
    law = [*_numbers(words, "range", (0.75, 1.05)), *(_number(words, name, value) for name, value in MUSCLE.items())]
    times = [*_numbers(words, "timeconst", (0.01, 0.04)), _number(words, "tausmooth", 0.0)]
    return _law(law, law, dyntype=4, gaintype=2, biastype=2) | {"actuator_dynprm": [*times, *(0.0,) * 7]}


def _general(words: Words) -> Values:
    return _law(
        _numbers(words, "gainprm", (1.0, *(0.0,) * 9)),
        _numbers(words, "biasprm", (0.0,) * 10),
    )


LAWS: Mapping[str, Callable[[Words], Values]] = {
    "position": _position,
    "intvelocity": _integrated,
    "velocity": _velocity,
    "motor": _motor,
    "damper": _damper,
    "muscle": _muscle,
}
"""Actuator laws with an element of their own; `general` states all others."""
