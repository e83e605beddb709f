# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What differs between formats in mass properties: what a link has, and how new numbers are written."""

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
    """Finds what every link has; the arguments are those of `inertia.effective.effective`."""

    def __call__(
        self, robot: Description, params: AutoInertiaParams, *, include_static: bool, progress: Progress | None
    ) -> Mapping[str, EffectiveInertial]:
        """Return what each link has, by name."""


@dataclass(frozen=True)
class FormatRules:
    """The functions of one format.

    Attributes:
        effective: Finds what every link has.
        rewritten: Writes new numbers into the document.
        refusals: Says what the format's own simulator would refuse.
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
    """Put what a body has, before the total mass is set, in the place of its declaration."""
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
    """Return a body with what its `<inertial>` states, where that counts, and with nothing where its geoms do."""
    assert robot.mjcf is not None
    return replace(link, declared=declared_in_force(link, robot.mjcf))


def _bearers(robot: Description, body: str) -> Iterator[Shape]:
    """Yield the shapes of the geoms that a body has its mass from."""
    assert robot.mjcf is not None
    low, high = robot.mjcf.compiler_of(body).inertiagrouprange
    for geom in robot.mjcf.geoms[body]:
        has_mass = (geom.density if geom.mass is None else geom.mass) != 0.0
        if low <= geom.group <= high and has_mass and geom.shape is not None:
            yield geom.shape


def _walls(robot: Description, body: str) -> Iterator[Place]:
    """Yield where the geoms of a body stand whose mesh has its mass in its surface."""
    assert robot.mjcf is not None
    for geom in robot.mjcf.geoms[body]:
        if geom.mesh is not None and geom.mesh.inertia == "shell":
            yield geom.place


def _as_on_stage(
    robot: Description, params: AutoInertiaParams, *, include_static: bool, progress: Progress | None
) -> Mapping[str, EffectiveInertial]:
    """Find what the bodies of a stage have; once that is resolved, it is what they declare."""
    if robot.usd is None:
        return declared_inertials(robot)
    from inertia_tools.inertia.usd_mass import usd_inertials  # here, as the readers of formats are

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
    from inertia_tools.description.mjcf.refusals import refusals  # here, as the readers of formats are

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
    """Return the document with new numbers for some links, by name; the same where no byte changes.

    Links of included files stay as they are in SDFormat; of MJCF those files are in `replaced`.

    Raises:
        InertiaError: A tensor is not one that a body can have.
        WriteError: What the document says elsewhere would override the new numbers.
    """
    return RULES[robot.format].rewritten(robot, edits)
