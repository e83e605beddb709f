# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Crates are looked through before OpenUSD makes room for what they claim."""

import random
import struct

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.description.usd.crate import _values, _words, refuse_damaged_crates
from inertia_tools.description.usd.crate_bytes import Bytes
from inertia_tools.description.usd.crate_values import PLACE
from inertia_tools.description.usd.lz4 import integers, unpacked, unpacked_size
from inertia_tools.errors import ParseError

pytest.importorskip("pxr", reason="usd-core is not installed")


def crate(folder, name="robot.usdc"):
    """Write a sound crate with a value of every form that holds a count; return its path."""
    from pxr import Gf, Sdf, Usd, UsdGeom, Vt

    stage = Usd.Stage.CreateNew(str(folder / name))
    UsdGeom.Xform.Define(stage, "/other")
    prim = UsdGeom.Xform.Define(stage, "/robot").GetPrim()
    stage.SetDefaultPrim(prim)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    kinds, rng = Sdf.ValueTypeNames, random.Random(1)
    prim.CreateAttribute("few", kinds.DoubleArray).Set([1.5, 2.5, 3.5])
    prim.CreateAttribute("table", kinds.DoubleArray).Set([0.1 + k % 5 for k in range(300)])
    prim.CreateAttribute("whole", kinds.FloatArray).Set([float(k) for k in range(300)])
    prim.CreateAttribute("ints", kinds.Int64Array).Set([rng.randrange(10**12) for _ in range(300)])
    prim.CreateAttribute("points", kinds.Point3fArray).Set([(rng.random(), k, 0) for k in range(50)])
    prim.CreateAttribute("texts", kinds.StringArray).Set(["a", "b"])
    place = prim.CreateAttribute("place", kinds.Double3)
    for k in range(4):
        place.Set(Gf.Vec3d(k, 1.5, 2.7), k)
    prim.SetCustomData({"a": {"b": {"c": 1.5, "s": "x"}, "numbers": Vt.IntArray(range(40))}, "z": "k"})
    prim.GetReferences().AddReference(Sdf.Reference("", "/other", Sdf.LayerOffset(1, 2), {"w": {"y": 3.3}}))
    prim.GetPayloads().AddInternalPayload("/other")
    prim.GetVariantSets().AddVariantSet("v").AddVariant("one")
    prim.CreateRelationship("r").SetTargets(["/robot.few"])
    for k in range(40):
        UsdGeom.Xform.Define(stage, f"/robot/x{k}/y{k % 3}").AddTranslateOp().Set((k, 0, 1.5))
    stage.Save()
    return folder / name


def tables(data):
    """Return for each table where its line in the table of contents is, its start and its size."""
    start = struct.unpack_from("<Q", data, 16)[0]
    lines = [start + 8 + 32 * k for k in range(struct.unpack_from("<Q", data, start)[0])]
    return {
        struct.unpack_from("16s", data, line)[0].rstrip(b"\0").decode(): (
            line,
            *struct.unpack_from("<QQ", data, line + 16),
        )
        for line in lines
    }


def replaced(data, name, table):
    """Return a crate with another table in the place of one; it stands at the end."""
    line = tables(data)[name][0]
    return data[: line + 16] + struct.pack("<QQ", len(data), len(table)) + data[line + 32 :] + table


def packed(numbers):
    """Pack integers with a byte for each difference."""
    steps = np.diff(numbers, prepend=0).astype(np.int8)
    codes = np.full(-(-len(steps) // 4) * 4, 1).reshape(-1, 4) @ [1, 4, 16, 64]
    return block(struct.pack("<i", 99) + codes.astype(np.uint8).tobytes() + steps.tobytes())


def block(plain):
    """Put bytes into a block without repetition."""
    more = len(plain) - 15
    length = bytes([len(plain) << 4]) if more < 0 else b"\xf0" + b"\xff" * (more // 255) + bytes([more % 255])
    data = b"\0" + length + plain
    return struct.pack("<Q", len(data)) + data


def body(folder):
    """Write a crate with a body that leaves its centre of mass to its collider; return its path."""
    from pxr import Usd, UsdGeom, UsdPhysics

    stage = Usd.Stage.CreateNew(str(folder / "body.usdc"))
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    prim = UsdGeom.Xform.Define(stage, "/robot").GetPrim()
    UsdPhysics.RigidBodyAPI.Apply(prim)
    mass = UsdPhysics.MassAPI.Apply(prim)
    mass.CreateMassAttr(2.5)
    mass.CreateDiagonalInertiaAttr((0.1, 0.2, 0.25))
    box = UsdGeom.Cube.Define(stage, "/robot/box")
    box.CreateSizeAttr(0.3)
    UsdPhysics.CollisionAPI.Apply(box.GetPrim())
    UsdPhysics.MassAPI.Apply(box.GetPrim()).CreateMassAttr(1.5)
    stage.Save()
    return folder / "body.usdc"


def paths(jumps):
    count = len(jumps)
    return struct.pack("<QQ", count, count) + packed(range(count)) + packed([1] * count) + packed(jumps)


def test_a_sound_crate_passes(tmp_path):
    path = crate(tmp_path)
    refuse_damaged_crates(path.read_bytes(), path.name)
    it.load(path)


@pytest.mark.parametrize("data", [b"PXR-USDC", b"PK\x03\x04"])
def test_a_binary_stage_that_is_no_file_is_refused_with_a_remedy(tmp_path, data):
    content = crate(tmp_path).read_bytes() if data == b"PXR-USDC" else data
    with pytest.raises(ParseError, match="binary stages from files only; save it and name the file"):
        it.load_text(content)


@pytest.mark.parametrize("jumps", [[2] * 98 + [-2] * 2, [1] * 99 + [-2], [0, 0, -1, 9, 9, 9, -2], [-1] * 100, [-2, -2]])
def test_paths_that_are_no_tree_are_refused_before_openusd_follows_them(tmp_path, jumps):
    path = crate(tmp_path)
    path.write_bytes(replaced(path.read_bytes(), "PATHS", paths(jumps)))
    with pytest.raises(ParseError, match=r"robot\.usdc: the crate is damaged: PATHS is not a tree; export it again"):
        it.load(path)


@pytest.mark.parametrize("name", ["TOKENS", "STRINGS", "FIELDS", "FIELDSETS", "PATHS", "SPECS"])
@pytest.mark.parametrize("count", [1 << 16, 1 << 32, 1 << 60])
def test_counts_that_no_such_table_can_have_are_refused(tmp_path, name, count):
    data = crate(tmp_path).read_bytes()
    start = tables(data)[name][1]
    with pytest.raises(ParseError, match="the crate is damaged"):
        refuse_damaged_crates(data[:start] + struct.pack("<Q", count) + data[start + 8 :], "robot.usdc")


def test_counts_of_values_beyond_the_file_are_refused(tmp_path):
    """Every number of the values that looks like a count is made large; those that are one are refused."""
    data = crate(tmp_path).read_bytes()
    refused = 0
    for place in range(88, tables(data)["TOKENS"][1] - 8):
        if 0 < struct.unpack_from("<Q", data, place)[0] < 400:
            try:
                refuse_damaged_crates(data[:place] + struct.pack("<Q", 3 << 32) + data[place + 8 :], "robot.usdc")
            except ParseError:
                refused += 1
    assert refused > 20


def test_a_damaged_crate_is_found_in_a_package_and_behind_a_reference(tmp_path):
    from pxr import Sdf

    path = crate(tmp_path, "part.usdc")
    writer = Sdf.ZipFileWriter.CreateNew(str(tmp_path / "part.usdz"))
    path.write_bytes(replaced(path.read_bytes(), "PATHS", paths([2] * 98 + [-2] * 2)))
    writer.AddFile(str(path), "part.usdc")
    assert writer.Save()
    text = '#usda 1.0\ndef Xform "a" (prepend references = @./{}@</robot>)\n{{\n}}\n'
    for name in ("part.usdc", "part.usdz"):
        (tmp_path / "robot.usda").write_text(text.format(name))
        with pytest.raises(ParseError, match=rf"{name}: the crate is damaged"):
            it.load(tmp_path / "robot.usda")
    with pytest.raises(ParseError, match=r"part\.usdz: the crate is damaged"):
        it.load(tmp_path / "part.usdz")


def test_a_crate_before_its_tables_were_packed_is_refused(tmp_path):
    data = crate(tmp_path).read_bytes()
    with pytest.raises(ParseError, match=r"version 0\.3\.0, before 0\.4\.0"):
        refuse_damaged_crates(data[:8] + b"\0\3\0" + data[11:], "robot.usdc")


def test_blocks_unpack_to_what_was_packed():
    numbers = [0, 5, 3, -60, -1, 40, 7]
    table = packed(numbers)[8:]
    assert integers(table, len(numbers)).tolist() == numbers
    assert unpacked(b"\0\x1fa\x01\0\x05\x10b") == b"a" * 25 + b"b"
    assert unpacked_size(b"\0\x1fa\x01\0\x05\x10b") == 26
    for short in range(len(table)):
        with pytest.raises(ValueError):
            integers(table[:short], len(numbers))


def small_crate(folder):
    """Write a crate with a prim, a property and a variant whose names take as many bytes as what is to replace them."""
    from pxr import Sdf, Usd

    stage = Usd.Stage.CreateNew(str(folder / "robot.usdc"))
    prim = stage.DefinePrim("/part", "Xform")
    prim.CreateAttribute("wide", Sdf.ValueTypeNames.Double).Set(1.0)
    prim.GetVariantSets().AddVariantSet("kind").AddVariant("long")
    stage.DefinePrim("/part/wide", "Xform")  # a prim and a property may have one name
    stage.DefinePrim("/part/Größe", "Xform")
    stage.Save()
    return folder / "robot.usdc"


def with_words(data, change):
    """Return a crate with other words, in a block without repetition."""
    _, start, size = tables(data)["TOKENS"]
    table = Bytes(data[start : start + size])
    plain = b"".join(change(word) + b"\0" for word in _words(table))
    more = len(plain) - 15
    block = b"\0\xf0" + b"\xff" * (more // 255) + bytes([more % 255]) + plain
    count = table.count(0)
    return replaced(data, "TOKENS", struct.pack("<QQQ", count, len(plain), len(block)) + block)


def test_names_of_every_script_and_of_prim_and_property_alike_pass(tmp_path):
    path = small_crate(tmp_path)
    refuse_damaged_crates(path.read_bytes(), path.name)
    path.write_bytes(with_words(path.read_bytes(), lambda word: word))
    it.load(path)


@pytest.mark.parametrize("old", [b"part", b"wide"])
@pytest.mark.parametrize("new", [b";-)x", b"1abc", b"a b", b""])
def test_what_cannot_be_a_name_is_refused_before_openusd_looks_for_it(tmp_path, old, new):
    path = small_crate(tmp_path)
    path.write_bytes(with_words(path.read_bytes(), lambda word: new if word == old else word))
    with pytest.raises(ParseError, match=r"the crate is damaged: (TOKENS|'.*' cannot be the name of a prim or a prop)"):
        it.load(path)


@pytest.mark.parametrize("field", ["primChildren", "properties", "variantChildren", "variantSetChildren"])
@pytest.mark.parametrize(("number", "said"), [(0, "which does not exist"), (10_000, "number of a word outside")])
def test_a_list_of_what_is_not_there_is_refused(tmp_path, field, number, said):
    """OpenUSD ends the process where a list of children names none."""
    path = small_crate(tmp_path)
    data = bytearray(path.read_bytes())
    words = _words(Bytes(bytes(data[tables(data)["TOKENS"][1] :])))
    names, values = _values(Bytes(bytes(data[tables(data)["FIELDS"][1] :])), len(words))
    value = next(value for name, value in zip(names, values, strict=True) if words[name] == field.encode())
    struct.pack_into("<I", data, (value & PLACE) + 8, number)
    path.write_bytes(bytes(data))
    with pytest.raises(ParseError, match=rf"the crate is damaged: {field} .*{said}"):
        it.load(path)


def test_a_value_of_no_known_kind_is_refused_whoever_asks_for_it(tmp_path):
    """OpenUSD unpacks a value when it is asked for, which may be long after the stage was read."""
    data = body(tmp_path).read_bytes()
    _, start, size = tables(data)["FIELDS"]
    table = data[start : start + size]
    names_end = 16 + struct.unpack_from("<Q", table, 8)[0]
    values = _values(Bytes(table), len(table))[1]
    said = []
    for number, value in enumerate(values):
        odd = (*values[:number], value & ~(0xFF << 48) | 88 << 48, *values[number + 1 :])
        path = tmp_path / f"odd_{number}.usdc"  # OpenUSD keeps what it has read by its name
        path.write_bytes(replaced(data, "FIELDS", table[:names_end] + block(struct.pack(f"<{len(odd)}Q", *odd))))
        try:
            it.check(it.load(path))
        except ParseError as error:
            said.append(str(error))
    assert any("OpenUSD refuses it: Attempted to unpack unsupported type enum value 88" in words for words in said)
