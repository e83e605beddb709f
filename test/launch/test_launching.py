# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Launch files before any process starts: what they lack and what they are told. Needs launch_ros, no launch_testing."""

from __future__ import annotations

import difflib
import itertools
import math
import os
import runpy
from pathlib import Path

import pytest

pytest.importorskip("launch_ros", reason="launch_ros is not installed; apt has it")
pytest.importorskip("inertia_tools.msg", reason="the messages are not built")

import yaml
from ament_index_python.packages import get_package_prefix
from launch import LaunchContext
from launch.actions import ExecuteLocal
from launch.utilities import perform_substitutions, visit_all_entities_and_collect_futures

from inertia_tools.errors import MissingDependencyError, OptionError
from inertia_tools.ros import launching
from inertia_tools.ros.inertia_parameters import SPECS as INERTIA
from inertia_tools.ros.simulation_parameters import SPECS as SIMULATION

LAUNCH = Path(__file__).parents[2] / "launch"


@pytest.fixture
def launch(monkeypatch):
    """A function that launches a file with arguments, and a list of what it would have started, as command lines."""
    begun = []

    def begin(action, context):
        begun.append([perform_substitutions(context, part) for part in action.cmd])

    monkeypatch.setattr(ExecuteLocal, "execute", begin)

    def launch(file, **arguments):
        context = LaunchContext()
        context.launch_configurations.update(arguments)
        description = runpy.run_path(str(LAUNCH / file))["generate_launch_description"]()
        visit_all_entities_and_collect_futures(description, context)

    return launch, begun


@pytest.mark.parametrize("file", ["simulation.launch.py", "inertia.launch.py", "demo.launch.py"])
def test_a_misspelled_argument_is_named_once_with_the_one_that_is_meant(launch, file, monkeypatch):
    begin, _ = launch
    said = []
    monkeypatch.setattr(launching.LOG, "warning", said.append)
    begin(file, robot_descripton="robot.urdf", something="else")
    assert said == ["the argument robot_descripton does not exist and is ignored; did you mean robot_description?"]


def test_no_argument_resembles_another_so_much_that_it_seems_misspelled():
    names = {argument[0] for specs in (SIMULATION, INERTIA) for argument in launching.parameters_of(specs)}
    pairs = itertools.combinations(sorted(names), 2)
    assert max(difflib.SequenceMatcher(None, *pair).ratio() for pair in pairs) < launching.ALIKE


@pytest.mark.parametrize(
    ("file", "arguments", "package"),
    [
        ("demo.launch.py", {"rviz": "true"}, "robot-state-publisher"),
        ("controllers.launch.py", {}, "controller-manager"),
        ("gazebo.launch.py", {}, "ros-gz-sim"),
    ],
)
def test_nothing_starts_where_a_package_is_not_installed(launch, monkeypatch, file, arguments, package):
    run, begun = launch
    monkeypatch.setenv("AMENT_PREFIX_PATH", get_package_prefix("inertia_tools"))
    with pytest.raises(MissingDependencyError, match=rf"sudo apt install ros-\$ROS_DISTRO-{package}"):
        run(file, **arguments)
    assert begun == []


def test_packages_that_are_not_asked_for_are_not_needed(launch, monkeypatch):
    run, begun = launch
    monkeypatch.setenv("AMENT_PREFIX_PATH", get_package_prefix("inertia_tools"))
    run("demo.launch.py")
    assert len(begun) == 2


def install(folder, *packages):
    """Make a prefix with executables that have the names of their packages."""
    for package in packages:
        index, executable = folder / "share/ament_index/resource_index/packages", folder / "lib" / package / package
        index.mkdir(parents=True, exist_ok=True)
        (index / package).touch()
        executable.parent.mkdir(parents=True)
        executable.touch(mode=0o755)
    return str(folder)


def test_robot_state_publisher_gets_the_text_which_all_its_versions_read(launch, monkeypatch, tmp_path):
    run, begun = launch
    prefix = install(tmp_path / "prefix", "robot_state_publisher", "rviz2")
    monkeypatch.setenv("AMENT_PREFIX_PATH", os.pathsep.join([get_package_prefix("inertia_tools"), prefix]))
    (tmp_path / "robot.urdf").write_text("<robot name='r'><link name='base'/></robot>")
    run("demo.launch.py", rviz="true", robot_description=str(tmp_path / "robot.urdf"))
    run("demo.launch.py", rviz="true", robot_description="")
    names = [Path(command[0]).name for command in begun]
    both = ["inertia_server", "simulator"]
    assert names == [*both, "robot_state_publisher", "rviz2", *both, "rviz2"]
    assert parameters_of(begun[2])["robot_description"] == (tmp_path / "robot.urdf").read_text()
    assert not any("robot_description:=" in word for word in begun[2]), "it would publish over the corrected text"


def parameters_of(command):
    """Return the parameters that a node is started with."""
    files = [word for flag, word in itertools.pairwise(command) if flag == "--params-file"]
    parameters = {}
    for file in files:
        (values,) = (part["ros__parameters"] for part in yaml.full_load(Path(file).read_text()).values())
        parameters.update(values)
    return parameters


def test_relative_paths_count_from_where_launch_runs(launch, tmp_path, monkeypatch):
    run, begun = launch
    monkeypatch.chdir(tmp_path)
    Path("own.yaml").write_text("/**: {ros__parameters: {substeps: 7}}")
    Path("out").mkdir()
    Path("two.yaml").touch()
    paths = {"package_path": "a:/b", "allowed_roots": ".", "spawnable_folders": "c", "params_file": "own.yaml"}
    run("simulation.launch.py", **paths, scene="two.yaml")
    run("simulation.launch.py", scene="package://my_robots/two.yaml")
    run("inertia.launch.py", output_root="out")
    simulated, from_package, corrected = map(parameters_of, begun)
    assert list(simulated["package_path"]) == [f"{tmp_path}/a", "/b"]
    assert [*simulated["allowed_roots"], *simulated["spawnable_folders"]] == [f"{tmp_path}", f"{tmp_path}/c"]
    assert (simulated["scene"], simulated["substeps"]) == (f"{tmp_path}/two.yaml", 7)
    assert all(Path(word).is_absolute() for flag, word in itertools.pairwise(begun[0]) if flag == "--params-file")
    assert from_package["scene"] == "package://my_robots/two.yaml"
    assert corrected["output_root"] == f"{tmp_path}/out"


@pytest.mark.parametrize(
    ("argument", "text", "said"),
    [
        ("dt", "abc", "dt must be a number; it is 'abc'"),
        ("substeps", "4.5", "substeps must be a whole number"),
        ("fixed_base", "maybe", "fixed_base must be true or false"),
        ("use_sim_time", "2", "use_sim_time must be true or false"),
        ("dt", "0", "dt must be from 1e-05 to 0.1; it is '0'"),
        ("real_time_factor", ".nan", "real_time_factor must be from 0 to 1000; it is '.nan'"),
        ("dtype", "float16", "dtype must be one of float32, float64; it is 'float16'"),
        ("scene", "nowhere.yaml", "scene must be a path that exists; it is '/.*/nowhere.yaml'"),
        ("log_level", "loud", "log_level must be one of debug, info, warn, error, fatal; it is 'loud'"),
        ("params_file", "nowhere.yaml", "params_file must be a file that exists; it is '/.*/nowhere.yaml'"),
    ],
)
def test_an_argument_that_is_no_value_is_named(launch, argument, text, said):
    run, begun = launch
    with pytest.raises(OptionError, match=said):
        run("simulation.launch.py", **{argument: text})
    assert begun == []


def test_arguments_for_xacro_that_are_not_written_as_such_are_named(launch, tmp_path):
    run, begun = launch
    (tmp_path / "robot.xacro").write_text("<robot name='r'><link name='base'/></robot>")
    with pytest.raises(OptionError, match="xacro_arguments must be words such as 'arm:=true hand:=false'; it is 'len="):
        run("inertia.launch.py", robot_description=str(tmp_path / "robot.xacro"), xacro_arguments="len=0.8")
    assert begun == []


def test_numbers_are_written_as_in_a_file_of_parameters(launch):
    run, begun = launch
    numbers = {"joint_stiffness": ".inf", "joint_damping": "5", "dt": "1e-3", "substeps": "8"}
    run("simulation.launch.py", **numbers, fixed_base="true", frame_prefix="7", use_sim_time="false")
    expected = {"joint_stiffness": math.inf, "joint_damping": 5.0, "dt": 1e-3, "substeps": 8, "use_sim_time": False}
    assert parameters_of(begun[0]).items() >= {**expected, "fixed_base": True, "frame_prefix": "7"}.items()


def test_arguments_of_the_second_node_are_read_before_the_first_begins(launch):
    run, begun = launch
    with pytest.raises(OptionError, match="real_time_factor must be a number"):
        run("demo.launch.py", real_time_factor="fast")
    assert begun == []


@pytest.mark.parametrize(
    ("pushed", "own", "logger"),
    [
        ("", "", "simulator"),
        ("", "left", "left.simulator"),
        ("", "/left/arm/", "left.arm.simulator"),
        ("/lab", "left", "lab.left.simulator"),
        ("/lab", "/left", "left.simulator"),
    ],
)
def test_the_log_level_is_that_of_the_logger_of_a_node_in_its_namespace(launch, pushed, own, logger):
    run, begun = launch
    run("simulation.launch.py", ros_namespace=pushed, namespace=own, log_level="debug")
    (command,) = begun
    assert command[command.index("--log-level") + 1] == f"{logger}:=debug"
    namespace = next(word.removeprefix("__ns:=") for word in command if word.startswith("__ns:="))
    assert ".".join([*filter(None, namespace.split("/")), "simulator"]) == logger


def test_the_file_of_the_controllers_is_looked_for_before_anything_begins(launch, monkeypatch):
    run, begun = launch
    monkeypatch.setattr("inertia_tools.ros.launching._require", lambda purpose, packages: None)
    with pytest.raises(OptionError, match="controllers_file must be a file that exists"):
        run("controllers.launch.py", controllers_file="nowhere.yaml")
    assert begun == []


def test_a_node_runs_without_a_file_of_parameters(launch):
    """An argument that is empty is as one that is not given."""
    run, begun = launch
    run("simulation.launch.py", params_file="")
    assert len(begun) == 1
