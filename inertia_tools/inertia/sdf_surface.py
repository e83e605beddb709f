# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The interface of SDFormat's proposal for automatic inertials, on top of this package.

A `Root` holds a world or models, which hold links, collisions and geometry. `calculate_inertial` of each calls that of
its children, takes a configuration, and appends errors to the given list; a bad model raises nothing.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from inertia_tools.description.load import load, load_text
from inertia_tools.description.types import Description, Shape
from inertia_tools.description.types import Geometry as AnyGeometry
from inertia_tools.description.types import Link as DescribedLink
from inertia_tools.description.types import Model as DescribedModel
from inertia_tools.geometry.mesh.defects import MeshFault
from inertia_tools.inertia.accumulate import accumulate
from inertia_tools.inertia.automatic import save_automatic
from inertia_tools.inertia.compute import WATER
from inertia_tools.inertia.effective import effective
from inertia_tools.inertia.finding import Finding, Severity, from_remarks
from inertia_tools.inertia.parser_config import ConfigureCalculateInertial, ParserConfig
from inertia_tools.inertia.sdf_mass import sdf_inertial
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import Pose

Errors = list[Finding]

DEFAULT_CONFIG = ParserConfig()


class Root:
    """A document: its description, and the inertials calculated for it.

    Attributes:
        as_read: The description as it was read.
        description: The same with the calculated inertials.
    """

    def __init__(self, description: Description) -> None:
        self.as_read = self.description = description

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], config: ParserConfig = DEFAULT_CONFIG, errors: Errors | None = None
    ) -> Root:
        """Load a file, and treat its automatic inertials as the configuration says.

        Raises:
            ParseError: The file cannot be read.
        """
        return cls(load(path, package_path=config.package_path))._loaded(config, errors)

    @classmethod
    def load_text(cls, text: str | bytes, config: ParserConfig = DEFAULT_CONFIG, errors: Errors | None = None) -> Root:
        """Load a document from its text, as `load` does.

        Raises:
            ParseError: The text cannot be read.
        """
        return cls(load_text(text, package_path=config.package_path))._loaded(config, errors)

    @property
    def worlds(self) -> tuple[World, ...]:
        """The worlds of the document."""
        several = [model.name for model in self.description.models if model.is_world]
        if several:
            return tuple(World(self, name, f"{name}::") for name in several)
        return (World(self, self.description.name),) if self.description.is_world else ()

    @property
    def models(self) -> tuple[Model, ...]:
        """The outermost models, including those of a world."""
        held: set[str] = set()
        outer = []
        for model in (one for one in self.description.models if not one.is_world):
            if held.isdisjoint(model.links):
                outer.append(Model(self, model))
            held.update(model.links)
        return tuple(outer)

    def calculate_inertials(self, config: ParserConfig = DEFAULT_CONFIG, errors: Errors | None = None) -> None:
        """Calculate the automatic inertials of all worlds or models, and keep them."""
        for holder in self.worlds or self.models:
            holder.calculate_inertials(config, errors)

    def link(self, name: str) -> Link:
        """Return a link.

        Raises:
            UnknownLinkError: No link has that name.
        """
        self.description.link(name)
        return Link(self, name)

    calculate_inertial = calculate_inertials

    def change_collision(self, link: str, number: int, **changes: object) -> None:
        """Change a collision of a link from the next calculation on; the document is unchanged."""
        for name in ("as_read", "description"):
            described: Description = getattr(self, name)
            old = described.links[link]
            shape = replace(old.collisions[number], **changes)  # type: ignore[arg-type]
            new = replace(old, collisions=(*old.collisions[:number], shape, *old.collisions[number + 1 :]))
            setattr(self, name, replace(described, links={**described.links, link: new}))

    def _loaded(self, config: ParserConfig, errors: Errors | None) -> Root:
        if errors is not None:
            errors += [one for one in from_remarks(self.as_read.remarks) if one.severity > Severity.INFO]
        if config.calculate_inertial is ConfigureCalculateInertial.SKIP_CALCULATION_IN_LOAD:
            return self
        self.calculate_inertials(config, errors)
        if config.calculate_inertial is ConfigureCalculateInertial.SAVE_CALCULATION_IN_ELEMENT:
            with config.integration() as params:
                self.as_read = self.description = save_automatic(self.as_read, params=params)
            self.calculate_inertials(config)  # of the written document: its findings are not about the file
        return self


class World:
    """A world of a document."""

    def __init__(self, root: Root, name: str, prefix: str = "") -> None:
        self.name = name
        self.models = tuple(model for model in root.models if model.name.startswith(prefix))

    def calculate_inertials(self, config: ParserConfig = DEFAULT_CONFIG, errors: Errors | None = None) -> None:
        """Calculate the automatic inertials of its models, and keep them."""
        for model in self.models:
            model.calculate_inertials(config, errors)

    calculate_inertial = calculate_inertials


class Model:
    """A model of a document."""

    def __init__(self, root: Root, model: DescribedModel) -> None:
        self._root = root
        self.name = model.name
        self.links = tuple(Link(root, name) for name in model.links)

    def calculate_inertials(self, config: ParserConfig = DEFAULT_CONFIG, errors: Errors | None = None) -> None:
        """Calculate the automatic inertials of its links and of those of the models in it, and keep them."""
        for link in self.links:
            link.calculate_inertial(config, errors)

    calculate_inertial = calculate_inertials


class Link:
    """A link of a document."""

    def __init__(self, root: Root, name: str) -> None:
        self._root = root
        self.name = name

    @property
    def inertial(self) -> Inertial | None:
        """Its present inertial: before it is calculated, the stated values, with defaults for the rest."""
        return self.described.inertial

    @property
    def collisions(self) -> tuple[Collision, ...]:
        """The collisions that can give it mass."""
        return tuple(Collision(self, number) for number in range(len(self.described.collisions)))

    @property
    def described(self) -> DescribedLink:
        """The link of the description."""
        return self._root.description.links[self.name]

    def change_collision(self, number: int, **changes: object) -> None:
        """Change a collision from the next calculation on."""
        self._root.change_collision(self.name, number, **changes)

    def calculate_inertial(
        self, config: ParserConfig = DEFAULT_CONFIG, errors: Errors | None = None
    ) -> Inertial | None:
        """Calculate its inertial if that is automatic, keep it, and return the link's inertial, in its axes."""
        described = self._root.description
        with config.integration() as params:
            as_read = self._root.as_read.links[self.name]
            found = (
                sdf_inertial(as_read, params, include_static=config.include_static)
                if described.format.traits.has_static_models
                else effective(described, params=params)[self.name]
            )
        self._root.description = replace(described, links={**described.links, self.name: found.link})
        if errors is not None:
            errors += [one for one in found.findings if one.severity > Severity.INFO or one.code == MeshFault.OPEN]
        return None if found.value is None else found.value.inertial

    def shape_inertial(self, shape: Shape, config: ParserConfig, errors: Errors | None) -> Inertial | None:
        """Integrate one shape by the same rule by which all shapes of the link are added up."""
        with config.integration() as params:
            value, _ = accumulate(self.described, (shape,), WATER, params)
        if errors is not None:
            errors += value.notes
        return value.inertial


class Collision:
    """A collision of a link; a changed density or parameter counts from the next calculation on."""

    def __init__(self, link: Link, number: int) -> None:
        self._link = link
        self._number = number

    @property
    def name(self) -> str:
        """Its name."""
        return self._shape.name

    @property
    def density(self) -> float:
        """Its density [kg/m^3]: its own, else that of the link, else that of water."""
        return WATER if self._shape.density is None else self._shape.density

    @density.setter
    def density(self, density: float) -> None:
        self._link.change_collision(self._number, density=density)

    @property
    def auto_inertia_params(self) -> Mapping[str, str]:
        """Its integration parameters, as text by name: its own, else those of the link."""
        return self._shape.params or {}

    @auto_inertia_params.setter
    def auto_inertia_params(self, params: Mapping[str, str]) -> None:
        self._link.change_collision(self._number, params=MappingProxyType(dict(params)))

    @property
    def geometry(self) -> Geometry:
        """Its geometry."""
        return Geometry(self._link, self._shape)

    @property
    def _shape(self) -> Shape:
        return self._link.described.collisions[self._number]

    def calculate_inertial(
        self, config: ParserConfig = DEFAULT_CONFIG, errors: Errors | None = None
    ) -> Inertial | None:
        """Calculate its inertial at its density, in the link's axes; None when it has none."""
        return self._link.shape_inertial(self._shape, config, errors)


class Geometry:
    """The geometry of a collision, about its own origin."""

    def __init__(self, link: Link, shape: Shape) -> None:
        self._link = link
        self._shape = replace(shape, pose_link_shape=Pose())
        self.shape: AnyGeometry = shape.geometry

    def calculate_inertial(
        self,
        density: float,
        params: Mapping[str, str] | None = None,
        config: ParserConfig = DEFAULT_CONFIG,
        errors: Errors | None = None,
    ) -> Inertial | None:
        """Calculate the inertial at a density, in its own axes; None when it has none.

        Args:
            density: Density [kg/m^3].
            params: Integration parameters, instead of those in the file.
            config: The configuration.
            errors: List to which errors are appended.
        """
        asked = replace(self._shape, density=density, params=self._shape.params if params is None else params)
        return self._link.shape_inertial(asked, config, errors)
