# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Small stages for tests, as text."""

HEADER = '#usda 1.0\n(\n    metersPerUnit = {metre}\n    kilogramsPerUnit = {kilogram}\n    upAxis = "Z"\n)\n'


def stage(*prims: str, metre: float = 1.0, kilogram: float = 1.0) -> str:
    """Return the text of a stage with these prims."""
    return HEADER.format(metre=metre, kilogram=kilogram) + "\n".join(prims)


def prim(kind: str, name: str, *content: str, apis: tuple[str, ...] = ()) -> str:
    """Return the text of a prim with these applied schemas and this content."""
    schemas = ", ".join(f'"{api}"' for api in apis)
    applied = f"(\n prepend apiSchemas = [{schemas}]\n)" if apis else ""
    inner = "\n".join(content)
    return f'def {kind} "{name}" {applied}\n{{\n{inner}\n}}\n'


def body(name: str, *content: str, mass_api: bool = True, apis: tuple[str, ...] = ()) -> str:
    """Return the text of a rigid body."""
    own = ("PhysicsRigidBodyAPI", "PhysicsMassAPI") if mass_api else ("PhysicsRigidBodyAPI",)
    return prim("Xform", name, *content, apis=(*own, *apis))


def cube(name: str, *content: str, size: float = 0.2, mass_api: bool = False, apis: tuple[str, ...] = ()) -> str:
    """Return the text of a cube that collides."""
    own = ("PhysicsCollisionAPI", "PhysicsMassAPI") if mass_api else ("PhysicsCollisionAPI",)
    return prim("Cube", name, f"double size = {size}", *content, apis=(*own, *apis))


def at(x: float, y: float, z: float) -> str:
    """Return the text of a displacement."""
    return f'double3 xformOp:translate = ({x}, {y}, {z})\nuniform token[] xformOpOrder = ["xformOp:translate"]'


def joint(kind: str, name: str, body0: str, body1: str, *content: str, apis: tuple[str, ...] = ()) -> str:
    """Return the text of a joint; an empty path is the world."""
    ends = [f"rel physics:body{side} = <{path}>" for side, path in enumerate((body0, body1)) if path]
    return prim(kind, name, *ends, *content, apis=apis)
