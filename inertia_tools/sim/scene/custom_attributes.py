# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Custom attributes of a scene: declared once, with a value for each body, shape, joint or other element."""

from __future__ import annotations

import enum
import keyword
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from inertia_tools.errors import OptionError, UndeclaredAttributeError
from inertia_tools.sim.scene.given import as_keyed


class AttributeAssignment(enum.IntEnum):
    """Object that an attribute belongs to; names are those of Newton."""

    MODEL = 0
    STATE = 1
    CONTROL = 2
    CONTACT = 3


class AttributeFrequency(enum.IntEnum):
    """Element that an attribute has one value for; names are those of Newton."""

    ONCE = 0
    JOINT = 1
    JOINT_DOF = 2
    JOINT_COORD = 3
    JOINT_CONSTRAINT = 4
    BODY = 5
    SHAPE = 6
    ARTICULATION = 7
    PARTICLE = 9
    EDGE = 10
    TRIANGLE = 11
    TETRAHEDRON = 12
    SPRING = 13
    CONSTRAINT_MIMIC = 14
    WORLD = 15


MOST_COMPONENTS = 10
"""Maximum number of components of a vector, as in MuJoCo's actuator laws."""

WIDTHS: Mapping[str, int] = {
    "float32": 1,
    "int32": 1,
    "int64": 1,
    "bool": 1,
    **{f"vec{count}{kind}": count for kind in "fi" for count in range(2, MOST_COMPONENTS + 1)},
    "quatf": 4,
    "transformf": 7,
    "str": 1,
}
"""Number of components of each type, by Warp's name."""

SYNONYMS: Mapping[str, str] = {
    "float": "float32",
    "int": "int32",
    "bool_": "bool",
    "vec2": "vec2f",
    "vec3": "vec3f",
    "vec4": "vec4f",
    "quat": "quatf",
    "transform": "transformf",
}

NUMBERS: Mapping[str, Any] = {"int32": np.int32, "int64": np.int64, "bool": np.bool_}
"""Types of the components that are not of single precision."""

ANY_PRIM = "*"
"""Placeholder for the name of a USD attribute if a function has a value for each prim."""

IDENTITY_QUATERNION = (0.0, 0.0, 0.0, 1.0)
IDENTITIES = {"quatf": IDENTITY_QUATERNION, "transformf": (0.0, 0.0, 0.0, *IDENTITY_QUATERNION), "str": ""}
"""Default values of types whose default is not zero."""


class RowValues(list[Any]):
    """Values of a table by row, None where a row has the default; setting one further on adds the rows between."""

    def __setitem__(self, row: Any, value: Any) -> None:
        """Set the value of a row."""
        if isinstance(row, int) and row >= len(self):
            self.extend([None] * (row + 1 - len(self)))
        super().__setitem__(row, value)


@dataclass(eq=False)
class CustomAttribute:
    """An attribute and its values.

    Attributes:
        name: Name of the attribute of the object that it is assigned to.
        dtype: Type of a value: Warp's `float32`, `int32`, `int64`, `bool`, a vector of 2 to 10 numbers
            of the first two, `quat` or `transform`, the name of one, or Python's `float`, `int` or `bool`. Quaternions
            are (x, y, z, w).
        frequency: Element that has one value each; the member or its name, in upper or lower case.
        assignment: Object that holds it; the member or its name.
        namespace: Sub-object that holds it; None for none.
        default: Default value; None for zero, and for the identity of quaternions.
        values: Values by index; those of a joint's degrees of freedom or coordinates by (joint, number in the joint),
            or all of them by the joint. Of a table a list by row, None where a row has the default.
        references: Frequency or table that its values index; they are renumbered when scenes are combined.
        reference_value_transformer: Returns the values as they are to refer in another scene, of the list of them and
            what is known there; instead of `references`.
        usd_attribute_name: Name of the attribute of prims that states it, by default `newton:` with the key behind; "*"
            where no one attribute does, and the next has a value for each prim.
        usd_value_transformer: Returns a value, None for the default, of what a prim states, and of a dictionary with
            the `prim` and the attribute, `attr`.
        mjcf_attribute_name: Name of the attribute of elements of MJCF that states it, by default its own.
        mjcf_value_transformer: Returns a value, None for the default, of the text there, and of a dictionary with the
            attribute, `attr`, and of joints `joint_type`, `use_degrees` and the `scale` of the import.
        urdf_attribute_name, urdf_value_transformer: The same for URDF; kept for importers of users' own.
    """

    name: str
    dtype: Any
    frequency: Any
    assignment: AttributeAssignment | str | int = AttributeAssignment.MODEL
    namespace: str | None = None
    default: Any = None
    values: Any = field(default_factory=dict)
    references: Any = None
    reference_value_transformer: Callable[[list[Any], dict[str, Any]], list[Any]] | None = None
    usd_attribute_name: str | None = None
    mjcf_attribute_name: str | None = None
    urdf_attribute_name: str | None = None
    usd_value_transformer: Callable[[Any, dict[str, Any]], Any] | None = None
    mjcf_value_transformer: Callable[[str, dict[str, Any] | None], Any] | None = None
    urdf_value_transformer: Callable[[str, dict[str, Any] | None], Any] | None = None
    _type: str = field(default="", init=False, repr=False)

    def __post_init__(self) -> None:
        for option in ("name", "namespace"):
            word = getattr(self, option)
            if word is not None and (not str(word).isidentifier() or keyword.iskeyword(word)):
                raise OptionError(option, word, "a valid identifier")
        self._type = type_name(self.dtype)
        self.frequency = _frequency(self.frequency)
        if self.references is not None and self.reference_value_transformer is not None:
            raise OptionError("references", self.references, "omitted with reference_value_transformer")
        if isinstance(self.references, AttributeFrequency):
            self.references = self.references.name.lower()
        self.assignment = _member(AttributeAssignment, "assignment", self.assignment)
        if self.default is None:
            self.default = IDENTITIES.get(self.type, 0)
        self.default = self.checked(self.default)
        if self.usd_attribute_name == ANY_PRIM and self.usd_value_transformer is None:
            said = "given with usd_value_transformer: usd_attribute_name='*' evaluates the transformer for each prim"
            raise OptionError("usd_attribute_name", ANY_PRIM, said)
        self.values = self.values or {}

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute; values of a table, however they are given, are kept by row."""
        if name == "values" and self.__dict__.get("_type"):  # the type is known once all the rest is
            by_index = dict(value if isinstance(value, Mapping) else enumerate(value))
            value = by_index
            if isinstance(self.frequency, str):
                value = RowValues([None] * (max(by_index, default=-1) + 1))
                for row, one in by_index.items():
                    value[row] = one
        super().__setattr__(name, value)

    @property
    def stated(self) -> dict[Any, Any]:
        """Values that are stated, by index."""
        if isinstance(self.values, Mapping):
            return dict(self.values)
        return {row: value for row, value in enumerate(self.values) if value is not None}

    @property
    def type(self) -> str:
        """Warp's name of the type of a value."""
        return self._type

    @property
    def is_custom_frequency(self) -> bool:
        """Whether it has a value for each row of a table of users' own."""
        return isinstance(self.frequency, str)

    @property
    def key(self) -> str:
        """Its namespace and name with a colon between, or the name alone."""
        return key_of(self.namespace, self.name)

    @property
    def width(self) -> int:
        """Numbers in a value."""
        return WIDTHS[self.type]

    def checked(self, value: Any) -> Any:
        """Return a value as an array of its type; a number fills a vector.

        Raises:
            OptionError: It is no number, or has another number of numbers.
        """
        if self.type == "str":
            return np.array([str(value)], dtype=object)
        is_whole = self.type.startswith("vec") and self.type.endswith("i")
        numpy_type: Any = np.int32 if is_whole else NUMBERS.get(self.type, np.float32)
        wanted = f"{'a number' if self.width == 1 else f'{self.width} numbers'}, as of {self.type}"
        try:
            array = np.asarray(value, dtype=numpy_type).ravel()
        except (TypeError, ValueError):
            raise OptionError(self.key, value, wanted) from None
        if array.size == 1 and self.width > 1:
            array = np.repeat(array, self.width)
        if array.size != self.width:
            raise OptionError(self.key, value, wanted)
        return array

    def checked_by_freedom(self, value: Any) -> Any:
        """Return a value, of joints one for each of their freedoms as well, as arrays of its type.

        Raises:
            OptionError: It is no number, or has another number of numbers.
        """
        is_listed = self.frequency in (AttributeFrequency.JOINT_DOF, AttributeFrequency.JOINT_COORD)
        if is_listed and np.size(value) != self.width:
            return [self.checked(one) for one in value]
        return self.checked(value)

    def is_same_as(self, other: CustomAttribute) -> bool:
        """Return whether another declaration is equal."""
        names = ("type", "frequency", "assignment", "references")
        return all(getattr(self, name) == getattr(other, name) for name in names) and np.array_equal(
            self.default, other.default
        )


def key_of(namespace: str | None, name: str) -> str:
    """Return a namespace and a name with a colon between, or the name alone."""
    return name if namespace is None else f"{namespace}:{name}"


def _frequency(value: Any) -> Any:
    """Return a member of `AttributeFrequency`, or the key of a table of users' own.

    Raises:
        OptionError: It is neither.
    """
    if isinstance(value, str) and value.upper() not in AttributeFrequency.__members__ and value:
        return value
    return _member(AttributeFrequency, "frequency", value)


def type_name(dtype: Any) -> str:
    """Return Warp's name of a type of values.

    Raises:
        OptionError: It is none of those that an attribute can have.
    """
    word = dtype if isinstance(dtype, str) else getattr(dtype, "__name__", str(dtype))
    if word == "vec_t":  # Warp's name of all vectors that have none of their own
        kind = {"float32": "f", "int32": "i"}.get(dtype._wp_scalar_type_.__name__, "?")
        word = f"vec{dtype._length_}{kind}"
    named = SYNONYMS.get(word, word)
    if named not in WIDTHS:
        raise OptionError("dtype", word, "one of " + ", ".join(WIDTHS))
    return named


def _member(kind: type[enum.IntEnum], option: str, value: Any) -> Any:
    """Return the member of an enumeration that a value, or a name in any case, stands for.

    Raises:
        OptionError: The enumeration has no such member.
    """
    if isinstance(value, str) and value.upper() in kind.__members__:
        return kind[value.upper()]
    if not isinstance(value, str):
        try:
            return kind(value)
        except ValueError:
            pass
    raise OptionError(option, value, "one of " + ", ".join(name.lower() for name in kind.__members__))


@dataclass
class CustomAttributes:
    """The attributes that users added to a scene.

    Attributes:
        custom_attributes: Declarations with their values, by key.
    """

    custom_attributes: dict[str, CustomAttribute] = field(default_factory=dict)

    def add_custom_attribute(self, attribute: CustomAttribute) -> None:
        """Declare an attribute; declaring the same one again changes nothing.

        Raises:
            OptionError: The key is declared differently already.
        """
        known = self.custom_attributes.get(attribute.key)
        if known is None:
            self.custom_attributes[attribute.key] = attribute
        elif not known.is_same_as(attribute):
            said = "declared in the same way each time; it already exists with an incompatible spec"
            raise OptionError("custom attribute", attribute.key, said)

    def set_custom_values(
        self,
        index: int,
        values: Mapping[str, Any] | None,
        *frequencies: AttributeFrequency,
        counts: Mapping[AttributeFrequency, int] | None = None,
    ) -> None:
        """Set the values of one body, shape, joint or other element.

        Args:
            index: Its index.
            values: Values by key of the attribute; those of degrees of freedom and coordinates as a list.
            frequencies: What it is.
            counts: Of a joint, how many values an attribute of a frequency has.

        Raises:
            UndeclaredAttributeError: The attribute is not declared.
            OptionError: It belongs to something else, or has more or fewer values than that; then none is kept. Or
                they are not by key.
        """
        for attribute, value in self.checked_custom_values(values, *frequencies, counts=counts):
            attribute.values[index] = value

    def checked_custom_values(
        self,
        values: Mapping[str, Any] | None,
        *frequencies: AttributeFrequency,
        counts: Mapping[AttributeFrequency, int] | None = None,
    ) -> list[tuple[CustomAttribute, Any]]:
        """Return attributes with the values that are given; arguments and errors are those of `set_custom_values`."""
        taken = []
        for key, value in as_keyed("custom_attributes", values).items():
            attribute = self.custom_attributes.get(key)
            if attribute is None:
                raise UndeclaredAttributeError(key, self.custom_attributes)
            if attribute.frequency not in frequencies:
                known = " or ".join(one.name.lower() for one in frequencies)
                raise OptionError("custom attribute", key, f"of frequency {known}, not {attribute.frequency!s}")
            if value is None:
                continue
            if counts is not None and attribute.frequency in counts:
                _spread(attribute, value, counts[attribute.frequency])
            taken.append((attribute, value))
        return taken

    def has_custom_attribute(self, key: str) -> bool:
        """Return whether an attribute of that key is declared."""
        return key in self.custom_attributes

    def renumber_custom_values(self, bodies: Mapping[int, int], joints: Mapping[int, int]) -> None:
        """Move values to the new indices of bodies and joints; values of removed ones are dropped.

        Args:
            bodies: New index of each body that stays, by the one it had.
            joints: New index of each joint that stays.
        """
        for attribute in self.custom_attributes.values():
            if attribute.frequency is AttributeFrequency.BODY:
                attribute.values = {bodies[old]: value for old, value in attribute.stated.items() if old in bodies}
            elif attribute.frequency in OF_JOINTS:
                kept = {old: value for old, value in attribute.stated.items() if _joint_of(old) in joints}
                attribute.values = {_with_joint(old, joints[_joint_of(old)]): value for old, value in kept.items()}

    def renumber_references(self, bodies: Sequence[int], joints: Sequence[int]) -> None:
        """Renumber values that are indices of bodies and joints.

        Args:
            bodies: New index of each body, by the one it had.
            joints: New index of each joint; -1 for one that is gone.
        """
        for attribute in self.custom_attributes.values():
            new = {"body": bodies, "joint": joints}.get(str(attribute.references))
            if new is not None:
                attribute.values = {index: _referring(value, new) for index, value in attribute.stated.items()}


def _referring(value: Any, new: Sequence[int]) -> Any:
    """Return an index, or several, as they are now; negative numbers refer to nothing."""
    found = [new[one] if 0 <= one < len(new) else one for one in np.ravel(value).astype(int).tolist()]
    return found[0] if np.ndim(value) == 0 else np.array(found)


OF_JOINTS = frozenset(
    {
        AttributeFrequency.JOINT,
        AttributeFrequency.JOINT_DOF,
        AttributeFrequency.JOINT_COORD,
        AttributeFrequency.JOINT_CONSTRAINT,
    }
)
"""Frequencies whose values belong to a joint."""


def _joint_of(index: Any) -> int:
    return int(index[0] if isinstance(index, tuple) else index)


def _with_joint(index: Any, joint: int) -> Any:
    return (joint, index[1]) if isinstance(index, tuple) else joint


def flat_values(attribute: CustomAttribute, counts: Sequence[int], each: bool) -> np.ndarray:
    """Lay the values of an attribute out in the order of what it has them for, shape (n, width).

    Args:
        attribute: The attribute.
        counts: For degrees of freedom and coordinates, how many each joint has; else one entry, the number of all.
        each: Values are of joints, several each.

    Raises:
        OptionError: A value has another number of numbers, or an index is beyond all.
    """
    total = int(sum(counts))
    filled = np.repeat(np.asarray(attribute.default)[None], total, axis=0)
    starts = np.cumsum([0, *counts])
    for index, value in attribute.stated.items():
        if not each:
            filled[_within(attribute, index, total)] = attribute.checked(value)
        elif isinstance(index, tuple):
            joint, number = index
            filled[starts[_within(attribute, joint, len(counts))] + _within(attribute, number, counts[joint])] = (
                attribute.checked(value)
            )
        else:
            first, count = starts[_within(attribute, index, len(counts))], counts[index]
            for number, one in enumerate(_spread(attribute, value, count)):
                filled[first + number] = attribute.checked(one)
    return filled


def _spread(attribute: CustomAttribute, value: Any, count: int) -> Sequence[Any]:
    """Return a value for each of a joint's freedoms: one for all, or a list of them."""
    array = np.asarray(value)
    if array.size == attribute.width:
        return [array] * count
    if array.shape[:1] == (count,):
        return list(array)
    raise OptionError(attribute.key, value, f"one value, or {count} of them")


def _within(attribute: CustomAttribute, index: int, count: int) -> int:
    if not 0 <= index < count:
        raise OptionError(attribute.key, index, f"indexed below {count}, from 0")
    return index
