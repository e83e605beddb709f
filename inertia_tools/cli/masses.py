# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Options of `fix` for known masses."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np

from inertia_tools.cli.arguments import number
from inertia_tools.cli.materials import material_densities, materials
from inertia_tools.cli.options import numbers, pairs
from inertia_tools.description import Description
from inertia_tools.errors import OptionError
from inertia_tools.inertia.link_patterns import links_matching, values_by_link
from inertia_tools.inertia.mass_file import merged, read_mass_model
from inertia_tools.inertia.mass_model import TOTAL, GroupMass, MassModel, Payload
from inertia_tools.inertia.writable import changeable
from inertia_tools.inertial import Inertial


def add_masses(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    group = parser.add_argument_group(
        "masses", "all of these hold together; masses that they do not determine change as little as possible"
    )
    group.add_argument("--mass-model", metavar="FILE", help="YAML file with all of these settings (docs/repairs.md)")
    group.add_argument(
        "--total-mass", type=number, metavar="KG", help="mass of the whole robot, including added masses"
    )
    for name, value, help_ in (
        ("--link-mass", "KG", "mass of a link, or of each link that a pattern (* ? []) matches"),
        ("--group-mass", "KG", "total mass of the links that a pattern matches"),
        ("--material", "NAME", "material of a link, or of links that a pattern matches"),
        ("--link-density", "KG/M3", "density of a link, or of links that a pattern matches"),
    ):
        group.add_argument(name, action="append", default=[], metavar=f"LINK={value}", help=help_)
    group.add_argument(
        "--lock",
        action="append",
        default=[],
        metavar="LINK",
        help="keep the mass of this link, or of links that a pattern matches",
    )
    group.add_argument(
        "--add-mass",
        action="append",
        default=[],
        metavar="LINK=KG@X,Y,Z",
        help="add a mass, such as a motor, at this point of a link [m, link axes]; without @, at its centre of mass",
    )
    group.add_argument(
        "--recompute",
        action="store_true",
        help="compute the mass of every link with geometry from its density and ignore the declared mass",
    )


def mass_model(robot: Description, options: argparse.Namespace) -> MassModel:
    """Return the masses in the options and the file; a material overrides a link's density, and both the general one.

    Raises:
        MassContradictionError: The file and an option contradict each other.
        OptionError: An option is malformed.
        ParseError: The file cannot be read.
        UnknownLinkError: The robot has no link of that name.
    """
    stated = numbers("--link-density", options.link_density)
    own = values_by_link(robot, stated, options.excepted, option="--link-density")
    of_all = values_by_link(robot, {"*": options.density} if options.recompute else {}, options.excepted)
    own = {**own, **material_densities(robot, options.material, options)}
    still = robot.links.keys() - changeable(robot)
    given = numbers("--link-mass", options.link_mass)
    masses = values_by_link(robot, given, [*options.excepted, *still], option="--link-mass")
    said = MassModel(
        density=options.density,
        link_density={**of_all, **own},
        link_mass=masses,
        total_mass=options.total_mass,
        groups=tuple(_groups(robot, options)),
        locked=frozenset(link for one in options.lock for link in links_matching(robot, one, option="--lock")),
        payloads=tuple(_payload(robot, *item) for item in _split(options.add_mass)),
        estimated=frozenset(of_all) - own.keys(),
        sources={
            **dict.fromkeys(own, "--material or --link-density"),
            **dict.fromkeys(masses, "--link-mass"),
            TOTAL: "--total-mass",
        },
    )
    if options.mass_model is None:
        return said
    return merged(read_mass_model(options.mass_model, robot, materials(options)), said)


def _groups(robot: Description, options: argparse.Namespace) -> Iterator[GroupMass]:
    for pattern, mass in numbers("--group-mass", options.group_mass).items():
        given = dict.fromkeys(pattern.split(","))
        links = values_by_link(robot, given, options.excepted, option="--group-mass")
        yield GroupMass(pattern, tuple(links), mass)


def _split(words: list[str]) -> Iterator[tuple[str, str]]:
    """Yield link and value of each option; a link may carry several payloads."""
    for word in words:
        yield from pairs("--add-mass", [word]).items()


def _payload(robot: Description, link: str, words: str) -> Payload:
    mass, separator, place = words.partition("@")
    try:
        com = np.array([float(one) for one in place.split(",")]) if separator else np.zeros(3)
        inertial = Inertial(float(mass), com)
    except ValueError as error:
        raise OptionError("--add-mass", f"{link}={words}", "of the form LINK=KG@x,y,z, in kg and metres") from error
    return Payload(robot.link(link).name, inertial, is_at_com=not separator)
