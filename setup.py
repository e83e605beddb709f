# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Install the library and the command line tool without ROS; colcon uses CMakeLists.txt instead."""

from pathlib import Path

from setuptools import find_packages, setup

_PLOT = ["matplotlib"]
_SIM = ["warp-lang>=1.19", "pyyaml>=6"]
_PARTS = ["coacd"]
# From 0.3 on it does not load without PyVista and VTK.
_SOFT = ["pytetwild>=0.2,<0.3"]
_USD = ["usd-core>=24.8"]
_ROS = [
    "ros-rclpy[fastrtps]",
    "ros-std-msgs",
    "ros-std-srvs",
    "ros-geometry-msgs",
    "ros-sensor-msgs",
    "ros-nav-msgs",
    "ros-visualization-msgs",
    "ros-diagnostic-msgs",
    "ros-rosgraph-msgs",
]
_VIEW = ["viser>=1.1"]
_RECORD = ["mcap"]
_CLUSTER = ["distributed"]
_TEST = [
    "pytest>=8.3,<8.4",
    "pytest-timeout",
    "hypothesis",
    "mpmath",
    "pycollada",
    "mujoco",
    "usd-core>=24.8",
    "coacd",
    "pytetwild>=0.2,<0.3",
    "distributed",
    "example-robot-data",
    *_VIEW,
    *_RECORD,
    "gymnasium",
]
_PEERS = ["newton", "newton-usd-schemas", "drake", "pin", "mujoco"]

setup(
    name="inertia_tools",
    version="0.1.0",
    description="Compute, check and correct the inertials of robot descriptions, and simulate the result",
    long_description=Path(__file__).with_name("README.md").read_text() if Path("README.md").exists() else "",
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    maintainer="inertia_tools maintainers",
    maintainer_email="maintainers@inertia-tools.example.org",
    python_requires=">=3.11",
    packages=find_packages(include=["inertia_tools", "inertia_tools.*"]),
    include_package_data=True,
    package_data={"inertia_tools": ["py.typed", "**/*.html", "**/*.js", "**/*.json", "**/*.css", "**/*.rng"]},
    install_requires=[
        "numpy>=1.26",
        "lxml>=4.9",
        "scipy>=1.11",
        "trimesh>=4.0",
        "manifold3d>=3.0",
        "xacro",
        "rich>=13",
        "jinja2>=3.1",
    ],
    extras_require={
        "sim": _SIM,
        "parts": _PARTS,
        "soft": _SOFT,
        "plot": _PLOT,
        "urdf": ["urdf-parser-py"],
        "usd": _USD,
        "view": _VIEW,
        "record": _RECORD,
        "cluster": _CLUSTER,
        "ros": _ROS,
        "test": _TEST,
        "peers": _PEERS,
        "all": [*_SIM, *_PLOT, "urdf-parser-py", *_USD, *_VIEW, *_CLUSTER, *_ROS],
    },
    entry_points={"console_scripts": ["inertia-tools = inertia_tools.cli:main"]},
    zip_safe=False,
)
