# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Differences between formats: which inertial is in force for a link, and how new numbers are written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Protocol

from inertia_tools.description.source import Document
from inertia_tools.description.types import Description, Format, Link, Place, Remark, Shape
from inertia_tools.geometry.mesh.batch import Progress, prepare
from inertia_tools.inertia.compute import wanted_integrals
from inertia_tools.inertia.effective_inertial import EffectiveInertial, declared_inertials
from inertia_tools.inertia.mjcf_mass import mjcf_inertials
from inertia_tools.inertia.mjcf_mass.bodies import declared_in_force
from inertia_tools.inertia.parameters import AutoInertiaParams
from inertia_tools.inertia.sdf_mass import sdf_inertials
from inertia_tools.inertia.write_back import layer_over_stage, rewritten_bodies, rewritten_sdf, rewritten_urdf
from inertia_tools.write.edit import InertialEdit


class Effective(Protocol):
    """Computes the inertials in force; the arguments are those of `inertia.effective.effective`."""

    def __call__(
        self, robot: Description, params: AutoInertiaParams, *, include_static: bool, progress: Progress | None
    ) -> Mapping[str, EffectiveInertial]:
        """Return the inertial in force of each link, by name."""


@dataclass(frozen=True)
class FormatRules:
    """The functions of one format.

    Attributes:
        effective: Computes the inertials in force.
        rewritten: Writes new numbers into the document.
        refusals: Returns what the format's own simulator would refuse.
    """

    effective: Effective
    rewritten: Callable[[Description, Mapping[str, InertialEdit]], Document]
    refusals: Callable[[Description], Iterable[Remark]] = lambda robot: ()


def _as_declared(
    robot: Description, params: AutoInertiaParams, *, include_static: bool, progress: Progress | None
) -> Mapping[str, EffectiveInertial]:
    return declared_inertials(robot)


def _as_compiled(
    robot: Description, params: AutoInertiaParams, *, include_static: bool, progress: Progress | None
) -> Mapping[str, EffectiveInertial]:
    """Return the bodies with their inertial before the total mass is set as their declaration."""
    found = mjcf_inertials(robot)
    walls = {name: tuple(_walls(robot, name)) for name, one in found.items() if one.is_of_geoms}
    return MappingProxyType(
        {
            name: EffectiveInertial(
                replace(link, declared=found[name].before_total),
                found[name].value,
                found[name].findings,
                bearers=tuple(_bearers(robot, name)) if found[name].is_of_geoms else None,
                walls=walls.get(name, ()),
                bounds=found[name].bounds,
                typed=_typed(robot, link) if found[name].bounds else None,
            )
            for name, link in robot.links.items()
        }
    )


def _typed(robot: Description, link: Link) -> Link:
    """Return a body with its stated `<inertial>` if that is in force, or without a declaration if its geoms are."""
    assert robot.mjcf is not None
    return replace(link, declared=declared_in_force(link, robot.mjcf))


def _bearers(robot: Description, body: str) -> Iterator[Shape]:
    """Yield the shapes of the geoms that give a body its mass."""
    assert robot.mjcf is not None
    low, high = robot.mjcf.compiler_of(body).inertiagrouprange
    for geom in robot.mjcf.geoms[body]:
        has_mass = (geom.density if geom.mass is None else geom.mass) != 0.0
        if low <= geom.group <= high and has_mass and geom.shape is not None:
            yield geom.shape


def _walls(robot: Description, body: str) -> Iterator[Place]:
    """Yield the places of a body's geoms whose mesh has its mass in its surface."""
    assert robot.mjcf is not None
    for geom in robot.mjcf.geoms[body]:
        if geom.mesh is not None and geom.mesh.inertia == "shell":
            yield geom.place


def _as_on_stage(
    robot: Description, params: AutoInertiaParams, *, include_static: bool, progress: Progress | None
) -> Mapping[str, EffectiveInertial]:
    """Compute the inertials in force of the bodies of a stage; in a resolved description they are declared."""
    if robot.usd is None:
        return declared_inertials(robot)
    from inertia_tools.inertia.usd_mass import usd_inertials  # imported here, as the format readers are

    prepare(wanted_integrals(robot.links.values(), "collision", params), progress)
    found = usd_inertials(robot, params)
    return MappingProxyType(
        {
            name: EffectiveInertial(
                replace(link, declared=found[name].declared),
                found[name].value,
                found[name].findings,
                bearers=link.collisions if found[name].is_of_colliders else None,
            )
            for name, link in robot.links.items()
        }
    )


def _refused_by_mujoco(robot: Description) -> Iterable[Remark]:
    from inertia_tools.description.mjcf.refusals import refusals  # imported here, as the format readers are

    found = refusals(robot)
    return (*found.besides, *found.of_motion)


RULES: Mapping[Format, FormatRules] = MappingProxyType(
    {
        Format.URDF: FormatRules(_as_declared, rewritten_urdf),
        Format.XACRO: FormatRules(_as_declared, rewritten_urdf),
        Format.SDF: FormatRules(sdf_inertials, rewritten_sdf),
        Format.MJCF: FormatRules(_as_compiled, rewritten_bodies, _refused_by_mujoco),
        Format.USD: FormatRules(_as_on_stage, layer_over_stage),
    }
)


def rewritten(robot: Description, edits: Mapping[str, InertialEdit]) -> Document:
    """Return the document with new numbers for some links, by name; the same one if no byte changes.

    In SDFormat, links of included files stay unchanged; in MJCF, changed included files are in `replaced`.

    Raises:
        InertiaError: No body can have a tensor.
        WriteError: Another part of the document would override the new numbers.
    """
    return RULES[robot.format].rewritten(robot, edits)
