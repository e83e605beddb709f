# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Attributes of schemas that others took the place of are read, and named."""

from __future__ import annotations

import warnings

import pytest

from inertia_tools.usd import PrimType, SchemaResolverMjc, SchemaResolverNewton

pxr = pytest.importorskip("pxr")


@pytest.mark.parametrize(
    ("resolver", "kind", "key", "old", "new"),
    [
        (SchemaResolverNewton, PrimType.SHAPE, "ke", "newton:contact_ke", "newton:contactStiffness"),
        (SchemaResolverNewton, PrimType.SHAPE, "ka", "newton:contact_ka", "newton:contactAdhesion"),
        (
            SchemaResolverNewton,
            PrimType.JOINT,
            "limit_angular_kd",
            "newton:angular:limitDamping",
            "newton:limitDamping",
        ),
        (SchemaResolverMjc, PrimType.MATERIAL, "kd", "mjc:solref", "newton:contactDamping"),
    ],
)
def test_what_is_superseded_is_read_and_named(resolver, kind, key, old, new) -> None:
    from pxr import Sdf, Usd

    stage = Usd.Stage.CreateInMemory()
    prim = stage.DefinePrim("/a")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert resolver().get_value(prim, kind, key) is None
    is_pair = old == "mjc:solref"
    kind_of_value = Sdf.ValueTypeNames.Double2 if is_pair else Sdf.ValueTypeNames.Double
    prim.CreateAttribute(old, kind_of_value).Set((0.1, 1.0) if is_pair else 20.0)
    with pytest.warns(DeprecationWarning, match=f"/a: {old} is superseded; write {new}"):
        assert resolver().get_value(prim, kind, key) == pytest.approx(20.0)


def test_what_takes_its_place_is_read_in_silence() -> None:
    from pxr import Sdf, Usd

    stage = Usd.Stage.CreateInMemory()
    prim = stage.DefinePrim("/a")
    prim.CreateAttribute("newton:limitDamping", Sdf.ValueTypeNames.Double).Set(3.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert SchemaResolverNewton().get_value(prim, PrimType.JOINT, "limit_angular_kd") == 3.0
