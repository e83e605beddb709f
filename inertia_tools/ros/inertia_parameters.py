# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The parameters of inertia_server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inertia_tools.ros.parameters import Spec
from inertia_tools.ros.requests import Options

SPECS = (
    Spec(
        "robot_description",
        "",
        "The robot description as text. Given at start, it replaces the topic of the same name; set later, it "
        "replaces the active description. Text that cannot be read is refused.",
    ),
    Spec(
        "package_path",
        [""],
        "Folders searched first for packages of package:// and model:// URIs.",
        read_only=True,
    ),
    Spec(
        "allowed_roots",
        [""],
        "Folders that must contain the file of a request and every file that it names, after links are resolved; "
        "empty: no limit.",
        read_only=True,
    ),
    Spec(
        "output_root",
        "",
        "Folder that must contain CorrectModel.output_path, after links are resolved; empty: no file is written.",
        read_only=True,
        is_path=True,
    ),
    Spec(
        "output_format",
        "urdf",
        "Format of corrected_robot_description; a description in another one is converted.",
        choices=("urdf", "sdf"),
    ),
    Spec(
        "scope",
        "invalid",
        "Links that are corrected: with an error, with an error or a warning, or all with geometry.",
        choices=("invalid", "implausible", "all"),
    ),
    Spec(
        "density",
        1000.0,
        "Density for links without a known mass or density [kg/m^3].",
        low=1e-3,
        high=1e5,
    ),
    Spec(
        "geometry",
        "collision",
        "Geometry that is integrated if a link has both kinds.",
        choices=("collision", "visual"),
    ),
    Spec(
        "open_mesh",
        "auto",
        "Treatment of meshes that enclose no volume.",
        choices=("auto", "hull", "voxel", "fail"),
    ),
    Spec(
        "time_limit",
        60.0,
        "Time limit of one request or one description, after which its work is stopped [s].",
        low=0.01,
        high=3600.0,
    ),
    Spec("publish_corrected", True, "Publish the corrected description whenever a new one arrives."),
    Spec("publish_markers", True, "Publish boxes of equal inertia, declared and computed, for RViz."),
    Spec("frame_prefix", "", "Prefix of link names in the frames of markers, as in robot_state_publisher."),
)


def options_from(value: Callable[[str], Any]) -> Options:
    """Read the options of computation from parameters, given a function from name to value."""
    return Options(density=value("density"), geometry=value("geometry"), open_mesh=value("open_mesh"))
