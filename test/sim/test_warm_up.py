# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Kernels compiled ahead of time: all of them, for every scene, and nothing said or changed beside them."""

from __future__ import annotations

import ast
import errno
import gc
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pytest
import warp as wp
from small_disks import small_disk

import inertia_tools as it
from inertia_tools import kernel_loading
from inertia_tools.errors import OptionError, WriteError
from inertia_tools.sim.all_kernels import all_kernels
from inertia_tools.sim.warm_up import check_for_gpus, copy_kernels, warm_up

PACKAGE = Path(it.__file__).parent
ARM = """<robot name="arm"><link name="base"><inertial><mass value="1"/>
<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link>
<link name="rod"><inertial><mass value="0.2"/><inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><cylinder radius="0.02" length="0.4"/></geometry></collision></link>
<joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="5" velocity="5"/></joint></robot>"""


def declared_kernels() -> set[str]:
    """Return the names of all functions of the package that are Warp kernels."""
    found = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef) and any("wp.kernel" in ast.unparse(d) for d in node.decorator_list):
                found.add(node.name)
    return found


def test_every_kernel_of_the_package_is_known():
    assert {kernel.func.__name__ for kernel in all_kernels()} == declared_kernels()


def test_all_kernels_are_compiled_without_adjoints():
    assert {kernel.module.options["enable_backward"] for kernel in all_kernels()} == {False}


@pytest.mark.parametrize("is_enabled", [True, False])
def test_kernels_load_without_the_garbage_collector_and_leave_it_as_it_was(is_enabled, monkeypatch):
    was_enabled, while_loading = gc.isenabled(), []
    module = Mock(
        options=dict(kernel_loading.RIGID_OPTIONS), load=lambda *_, **__: while_loading.append(gc.isenabled())
    )
    monkeypatch.setattr(kernel_loading, "LOADED", set())
    try:
        (gc.enable if is_enabled else gc.disable)()
        kernel_loading.load([SimpleNamespace(module=module)], "cpu")
        assert while_loading == [False]
        assert gc.isenabled() == is_enabled
    finally:
        (gc.enable if was_enabled else gc.disable)()


@pytest.mark.parametrize("broad_phase", ["list", "search"])
def test_kernels_are_launched_in_blocks_of_the_size_that_they_are_compiled_for(broad_phase, monkeypatch):
    """On a GPU, Warp compiles a module again for a launch in blocks of another size, by default 256."""
    launch, launched = wp.launch, {}

    def noted(kernel, *arguments, **options):
        is_usual = kernel.module.options["block_dim"] == 256
        launched[kernel.func.__name__] = is_usual or "block_dim" in options
        return launch(kernel, *arguments, **options)

    builder = it.ModelBuilder(broad_phase=broad_phase)
    builder.add_ground_plane()
    builder.add_shape_cone(builder.add_body(xform=it.Pose(np.array([0.0, 0.0, 0.5]))))
    model = builder.finalize()
    solver, state, contacts = it.SolverXPBD(model), model.state(), model.contacts()
    monkeypatch.setattr(wp, "launch", noted)
    solver.step(state, state, model.control(), contacts, 1 / 240)
    assert "narrow_phase" in launched
    assert [name for name, is_stated in launched.items() if not is_stated] == []


@pytest.fixture(scope="module")
def folders() -> list[Path]:
    """Return the folders of the cache once everything is compiled."""
    return warm_up()


def box_on_a_floor() -> it.ModelBuilder:
    builder = it.ModelBuilder()
    builder.add_shape_box(builder.add_link(), hx=0.05, hy=0.05, hz=0.05)
    builder.add_ground_plane()
    return builder


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("bounces", [False, True])
def test_no_scene_needs_a_kernel_that_is_not_compiled_then(dtype, bounces):
    warm_up(wp.get_device().alias)
    known = set(kernel_loading.LOADED)
    model = box_on_a_floor().finalize(dtype=dtype)
    state = model.state()
    it.SolverXPBD(model, enable_restitution=bounces).step(state, state, None, model.contacts(), 1 / 240)
    sim = it.Simulation(it.load_text(ARM), dtype=dtype, enable_restitution=bounces)
    sim.step(1)
    sim.ray_cast([0, 0, 1], [0, 0, -1])
    assert set(kernel_loading.LOADED) == known


def test_kernels_that_a_later_build_has_removed_are_compiled(folders, tmp_path, monkeypatch):
    """A build beside leaves links to what is gone."""
    installed, cache = tmp_path / "kernels", tmp_path / "cache"
    cache.mkdir()
    copy_kernels(folders[:2], installed)
    stale = next((installed / wp.config.version / folders[0].name).glob("*.o"))
    stale.unlink()
    stale.symlink_to(tmp_path / "gone.o")
    monkeypatch.setattr(kernel_loading, "BUILT", installed)
    monkeypatch.setattr(wp.config, "kernel_cache_dir", str(cache))
    kernel_loading.start_warp.__wrapped__()
    assert {path.name for path in cache.iterdir()} == {folders[1].name}


def test_an_installation_takes_its_kernels_along(folders, tmp_path, monkeypatch):
    installed, cache = tmp_path / "kernels", tmp_path / "cache"
    cache.mkdir()
    copy_kernels(folders[:2], installed)
    (cache / folders[0].name).mkdir()  # known already, and left as it is
    monkeypatch.setattr(kernel_loading, "BUILT", installed)
    monkeypatch.setattr(wp.config, "kernel_cache_dir", str(cache))
    kernel_loading.start_warp.__wrapped__()
    assert not list((cache / folders[0].name).iterdir())
    taken = {path.name for path in (cache / folders[1].name).iterdir()}
    assert taken == {path.name for path in folders[1].iterdir() if path.suffix not in (".cpp", ".cu")}
    assert any(name.endswith(".o") for name in taken)
    assert {path.name for path in cache.iterdir()} == {folder.name for folder in folders[:2]}


def test_a_full_disk_is_named_with_what_to_do(tmp_path, monkeypatch):
    def refuse(*_arguments, **_options):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(wp.config, "kernel_cache_dir", str(tmp_path))
    module = Mock(options=dict(kernel_loading.RIGID_OPTIONS), load=refuse)
    with pytest.raises(WriteError, match=rf"{tmp_path}: No space left on device; .*WARP_CACHE_PATH"):
        kernel_loading.load([SimpleNamespace(module=module)], "cpu")
    (tmp_path / "built").mkdir()
    monkeypatch.setattr(kernel_loading.tempfile, "mkdtemp", refuse)
    kernel_loading.copy_kernel(tmp_path / "built", tmp_path)  # what is not copied is compiled


def test_a_module_is_copied_wholly_or_not_at_all(folders, tmp_path):
    """What a full disk had cut short was left, and taken for a compiled module; all files were named in one line."""
    try:
        with small_disk(tmp_path / "small", "size=32k") as disk:
            with pytest.raises(WriteError) as refused:
                copy_kernels(folders, disk)
            copied = {path.name: {one.name for one in path.iterdir()} for path in (disk / wp.config.version).iterdir()}
    except PermissionError as reason:
        pytest.skip(str(reason))
    for folder in folders:
        whole = {path.name for path in folder.iterdir() if path.suffix not in (".cpp", ".cu")}
        assert copied.get(folder.name, whole) == whole
    assert "No space left" in str(refused.value)
    named = [folder.name for folder in folders if folder.name in str(refused.value)]
    assert len(named) == 1 and str(refused.value).count(named[0]) <= 4  # folder and file, from where and to where


def test_a_simulation_changes_nothing_of_warp_and_prints_nothing(folders):
    program = f"""
import sys, warp as wp
before = {{name: value for name, value in vars(wp.config).items() if not name.startswith("_")}}
import inertia_tools as it
it.Simulation(it.load_text({ARM!r})).step(1)
import inertia_tools.geometry.kernels.surface_locator, inertia_tools.geometry.kernels.tetrahedron_sums
after = {{name: getattr(wp.config, name) for name in before if name != "kernel_cache_dir"}}
changed = [name for name, value in after.items() if value != before[name]]
print(changed, file=sys.stderr)
sys.exit(bool(changed))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=dict(os.environ))
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""


def test_an_architecture_that_the_compiler_lacks_is_refused():
    with pytest.raises(OptionError, match=r"architecture must be one of the compute capabilities.*it is 10$"):
        check_for_gpus([10])
