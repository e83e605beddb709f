# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Imports point one way, and the heavy libraries stay in their rooms."""

import ast
from collections.abc import Mapping
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "inertia_tools"

ORDER = [
    "errors",
    "process_end",
    "pickling",
    "wording",
    "yaml_text",
    "spatial",
    "validity",
    "inertial",
    "moment_matrices",
    "kernel_loading",
    "description",
    "write",
    "geometry",
    "inertia",
    "collection",
    "testing",
    "conversion",
    "usd",
    "sim",
    "diagnosis",
    "solvers",
    "math",
    "selection",
    "utils",
    "view",
    "ros",
    "cli",
    "__main__",
]
"""A room may import those before it."""

SIM_ORDER = [
    "kernels",
    "scene",
    "collide",
    "importing",
    "rays",
    "device",
    "constraints",
    "solve",
    "impacts",
    "soft",
    "model",
    "step",
    "dynamics",
    "selection",
]
"""The packages of `sim/`: each may import those before it. Its modules, `simulation` and `sensors` come after them."""

LEAVES = {"view", "ros", "cli", "__main__"}
ROOMS_OF = {
    "rclpy": ("ros/",),
    "warp": ("sim/", "geometry/kernels/", "kernel_loading.py"),
    "pxr": ("description/usd/library.py",),
}
"""Where a heavy library may be imported: in a folder, or a file."""

KERNELS = "inertia_tools.geometry.kernels"
"""Nothing outside of this package imports it before a kernel is to run."""


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def imports(path: Path):
    """Yield the full name of every module that a file imports, wherever in the file it does."""
    yield from imports_of(parsed(path))


def imports_of(tree: ast.AST):
    """Yield the full name of every module that code imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{ast.unparse(node)} is relative"
            yield node.module


def sources():
    for path in PACKAGE.rglob("*.py"):
        relative = path.relative_to(PACKAGE)
        if relative.name != "__init__.py" or len(relative.parts) > 1:
            yield path, relative.parts[0].removesuffix(".py")


def test_rooms_import_only_what_comes_before_them():
    wrong = []
    for path, room in sources():
        for name in imports(path):
            parts = name.split(".")
            if parts[0] != "inertia_tools" or len(parts) == 1 or parts[1] in ("msg", "srv", room):
                continue
            if parts[1] not in ORDER or ORDER.index(parts[1]) > ORDER.index(room):
                wrong.append(f"{path.relative_to(PACKAGE)} imports {name}")
    # The command line starts the nodes, and is the one leaf that may know another.
    assert [line for line in wrong if not line.startswith("cli/serve.py imports inertia_tools.ros")] == []


def test_packages_of_the_simulator_import_only_what_comes_before_them():
    """Modules are looked up as files: `from inertia_tools.sim.scene import flags` imports `sim/scene/flags.py`."""
    files = {module_of(path): path for path in PACKAGE.rglob("*.py")}
    packages = {path.name for path in (PACKAGE / "sim").iterdir() if (path / "__init__.py").exists()}
    assert packages == {*SIM_ORDER, "simulation", "sensors"}
    rank = {f"inertia_tools.sim.{name}": place for place, name in enumerate(SIM_ORDER)}
    wrong = []
    for name, path in files.items():
        own = rank.get(".".join(name.split(".")[:3]))
        for needed in modules_imported_by(path, files) if own is not None else ():
            if needed.startswith("inertia_tools.sim.") and rank.get(".".join(needed.split(".")[:3]), len(rank)) > own:
                wrong.append(f"{name} imports {needed}")
    assert wrong == []


def test_no_files_import_each_other_in_a_circle():
    """Not for a type, nor inside a function either: what both sides need has a file of its own."""
    files = {module_of(path): path for path in PACKAGE.rglob("*.py")}
    remaining = {name: modules_imported_by(path, files) - {name} for name, path in files.items()}
    while freed := {name for name, needed in remaining.items() if not needed & remaining.keys()}:
        for name in freed:
            del remaining[name]
    assert sorted(remaining) == []


def module_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def modules_imported_by(path: Path, files: Mapping[str, Path]) -> set[str]:
    """Return the files that one imports from; a name that is a module stands for that."""
    found = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found |= {name if name in files else node.module for name in names}
    return found & files.keys()


def test_every_room_is_known():
    assert {room for _, room in sources()} <= set(ORDER)


def test_heavy_libraries_stay_in_their_rooms():
    wrong = [
        f"{path.relative_to(PACKAGE)} imports {name}"
        for path, _ in sources()
        for name in imports(path)
        if name.split(".")[0] in ROOMS_OF
        and not path.relative_to(PACKAGE).as_posix().startswith(ROOMS_OF[name.split(".")[0]])
    ]
    assert wrong == []


WRITERS = {"write/whole.py", "write/temporary.py", "write/line_log.py", "write/stream.py"}
"""Files that may write to the disk: what makes a file whole or nothing, and journals and recordings, which grow."""

SCRATCH = {"conversion/usd.py", "cli/__init__.py"}
"""Files that write elsewhere than where a user asked: a layer in a folder of its own, /dev/null."""

WRITING_CALLS = {"write_text", "write_bytes", "Export", "tofile", "memmap", "mkstemp", "NamedTemporaryFile", "copyfile"}


def writing_calls(path: Path):
    """Yield what a file calls that writes files: functions of that kind, and `open` in a mode that writes."""
    for node in ast.walk(parsed(path)):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        texts = [one.value for one in [*node.args, *(word.value for word in node.keywords)] if is_text(one)]
        if name in WRITING_CALLS or (
            name == "open" and any(set(text) & set("wax+") for text in texts if len(text) < 4)
        ):
            yield name
        elif name == "open" and isinstance(node.func, ast.Attribute) and ast.unparse(node.func) == "os.open":
            yield "os.open"


def is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def test_one_writer_writes_all_files():
    found = {str(path.relative_to(PACKAGE)): list(writing_calls(path)) for path in PACKAGE.rglob("*.py")}
    writers = {name for name, calls in found.items() if calls}
    assert writers >= WRITERS, "the calls are recognised"
    assert {name: found[name] for name in writers - WRITERS - SCRATCH} == {}


def test_kernels_of_geometry_are_imported_inside_functions_only():
    for path, _ in sources():
        if path.parent == PACKAGE / "geometry/kernels":
            continue
        top = ast.Module([node for node in parsed(path).body if isinstance(node, ast.Import | ast.ImportFrom)], [])
        assert not any(name.startswith(KERNELS) for name in imports_of(top)), path
