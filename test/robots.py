# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Small robots as text, and real ones from the example-robot-data package."""

from __future__ import annotations

import importlib.util
import sysconfig
from pathlib import Path

HEADER = '<robot name="r">'


def urdf(*elements: str) -> str:
    """Wrap elements into a robot."""
    return "\n".join([HEADER, *(f"  {element}" for element in elements), "</robot>"])


def link(name: str = "base", inertial: str = "", geometry: str = "", tag: str = "collision") -> str:
    """Write a link; `inertial` is what stands inside its <inertial>, `geometry` a shape element."""
    body = f"<inertial>{inertial}</inertial>" if inertial else ""
    if geometry:
        body += f"<{tag}><geometry>{geometry}</geometry></{tag}>"
    return f'<link name="{name}">{body}</link>'


def joint(child: str, parent: str = "base", type_: str = "revolute", origin: str = "0 0 1") -> str:
    """Write a joint."""
    limit = '<limit lower="-1" upper="1" effort="1" velocity="1"/>' if type_ in ("revolute", "prismatic") else ""
    return (
        f'<joint name="{child}_joint" type="{type_}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{origin}"/><axis xyz="0 0 1"/>{limit}</joint>'
    )


def mass(value: float | str) -> str:
    """Write a <mass>."""
    return f'<mass value="{value}"/>'


def tensor(ixx: object, iyy: object, izz: object, ixy: object = 0, ixz: object = 0, iyz: object = 0) -> str:
    """Write an <inertia>."""
    return f'<inertia ixx="{ixx}" ixy="{ixy}" ixz="{ixz}" iyy="{iyy}" iyz="{iyz}" izz="{izz}"/>'


GOOD = mass(1) + tensor(0.08, 0.1, 0.12)
BOX = '<box size="0.1 0.2 0.3"/>'


def example_robots() -> Path | None:
    """Return the folder of example-robot-data's robots; None when the package is not installed."""
    folder = Path(sysconfig.get_paths()["purelib"]) / "cmeel.prefix/share/example-robot-data/robots"
    return folder if folder.is_dir() else None


def has(module: str) -> bool:
    """Tell whether a module can be imported."""
    return importlib.util.find_spec(module) is not None
