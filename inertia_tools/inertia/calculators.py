# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""User-supplied calculators for the mass properties of meshes, as in SDFormat's proposal.

A calculator receives a list to which it appends its errors, and its inputs; it returns an `Inertial` in the frame of
the scaled mesh, or None. `AutoInertiaParams` selects it by its name as the method. Packages offer calculators through
the entry point group `inertia_tools.calculators`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from types import MappingProxyType
from typing import get_args

from inertia_tools.description.types import Mesh
from inertia_tools.errors import OptionError
from inertia_tools.geometry.mesh.file import read_mesh
from inertia_tools.geometry.mesh.integral import MeshMethod
from inertia_tools.geometry.mesh.triangles import TriangleMesh
from inertia_tools.inertial import Inertial

ENTRY_POINTS = "inertia_tools.calculators"


@dataclass(frozen=True)
class CustomInertiaCalcProperties:
    """The inputs of a calculator.

    Attributes:
        density: Density of the material [kg/m^3].
        mesh: The mesh as the description names it; None if there is none.
        params: The user's parameters, by name.
    """

    density: float = 1000.0
    mesh: Mesh | None = None
    params: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def scale(self) -> tuple[float, float, float]:
        """Scale factor along each axis of the mesh's frame."""
        return (1.0, 1.0, 1.0) if self.mesh is None else self.mesh.scale

    def triangles(self) -> TriangleMesh:
        """Read the mesh, scaled.

        Raises:
            MeshError: The mesh cannot be read, or there is none.
        """
        return read_mesh(self.mesh if self.mesh is not None else Mesh("", None))


Calculator = Callable[[list[str], CustomInertiaCalcProperties], Inertial | None]

_REGISTERED: dict[str, Calculator] = {}
_NUMBERS = count()


def register_calculator(name: str, calculator: Calculator) -> None:
    """Register a calculator under a name; an earlier one of that name is replaced.

    Raises:
        OptionError: The name is that of a built-in method, or the calculator cannot be called.
    """
    if not name or name in get_args(MeshMethod):
        raise OptionError("name", name, "a name other than " + ", ".join(get_args(MeshMethod)))
    if not callable(calculator):
        raise OptionError("calculator", calculator, "something that can be called")
    _REGISTERED[name] = calculator


def unregister_calculator(name: str) -> None:
    """Remove a calculator; unknown names are ignored."""
    _REGISTERED.pop(name, None)


@contextmanager
def registered(calculator: Calculator) -> Iterator[str]:
    """Register a calculator temporarily, under a unique name."""
    name = f"<calculator {next(_NUMBERS)}>"
    register_calculator(name, calculator)
    try:
        yield name
    finally:
        unregister_calculator(name)


def calculator_named(name: str) -> Calculator:
    """Return the calculator of a name, registered or offered by an installed package.

    Raises:
        OptionError: There is none, or loading it fails.
    """
    if name in _REGISTERED:
        return _REGISTERED[name]
    from importlib.metadata import entry_points

    offered = {point.name: point for point in entry_points(group=ENTRY_POINTS)}
    if name not in offered:
        known = [*get_args(MeshMethod), *sorted({*_REGISTERED, *offered})]
        raise OptionError("method", name, "one of " + ", ".join(known))
    try:
        calculator: Calculator = offered[name].load()
    except Exception as error:  # importing a third-party package may raise anything
        raise OptionError("method", name, f"a calculator that can be loaded; this one says: {error}") from error
    return calculator


def run_calculator(
    calculator: Calculator, properties: CustomInertiaCalcProperties
) -> tuple[Inertial | None, tuple[str, ...]]:
    """Run a calculator; its exceptions and invalid results become errors.

    Returns:
        The mass properties, or None, and the errors; None always comes with an error.
    """
    errors: list[str] = []
    try:
        result = calculator(errors, properties)
    except Exception as error:  # third-party code
        return None, (*map(str, errors), f"it raised {type(error).__name__}: {error}")
    said = tuple(str(error) for error in errors)
    if result is None:
        return None, said or ("it returned nothing and gave no reason",)
    if not isinstance(result, Inertial):
        return None, (*said, f"it returned a {type(result).__name__}, not an Inertial")
    if not (result.is_finite() and result.mass > 0.0):
        return None, (*said, f"it returned {result.mass:g} kg, which is not a positive mass")
    return result, said
