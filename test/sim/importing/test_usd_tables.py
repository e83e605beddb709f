# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Custom attributes and tables of users' own that a stage has values of."""

from __future__ import annotations

import pytest

from inertia_tools.errors import OptionError
from inertia_tools.sim import ModelBuilder

STAGE = """#usda 1.0
( metersPerUnit = 1 )
def Xform "Robot" ( prepend apiSchemas = ["PhysicsRigidBodyAPI"] ) {
    float physics:mass = 1
    float own:grip = 4
    def Xform "Sensor0" { float newton:rig:range = 7
        int own:beams = 2
}
    def Xform "Sensor1" { int own:beams = 1
}
}
def Xform "Hall" { def Xform "Sensor2" { int own:beams = 3
}
}
"""


def scene_with_table(**table) -> ModelBuilder:
    """Return a scene with a table of sensors, filled from the stage by name."""
    builder = ModelBuilder()
    builder.add_custom_frequency(
        ModelBuilder.CustomFrequency(
            "sensor", "rig", usd_prim_filter=lambda prim, _context: prim.GetName().startswith("Sensor"), **table
        )
    )
    builder.add_custom_attribute(
        ModelBuilder.CustomAttribute("range", float, "rig:sensor", namespace="rig", default=1.0)
    )
    return builder


def test_each_prim_that_the_filter_takes_is_a_row():
    """Rows stand in document order, with what prims state, and the default where they state nothing."""
    builder = scene_with_table()
    builder.add_usd(STAGE)
    model = builder.finalize()
    assert model.rig.range.numpy().tolist() == [7.0, 1.0, 1.0]


@pytest.mark.parametrize("option", [{"root_path": "/Robot"}, {"ignore_paths": ["/Hall"]}])
def test_rows_are_of_prims_that_count(option):
    builder = scene_with_table()
    builder.add_usd(STAGE, **option)
    assert builder.custom_row_count("rig:sensor") == 2


def test_an_expander_makes_several_rows_of_a_prim():
    """It is shown the prim, the scene and what the importer returns."""
    shown = []

    def beams(prim, context):
        shown.append(context)
        return [{"rig:range": float(beam)} for beam in range(prim.GetAttribute("own:beams").Get())]

    builder = scene_with_table(usd_entry_expander=beams)
    result = builder.add_usd(STAGE)
    assert builder.finalize().rig.range.numpy().tolist() == [0.0, 1.0, 0.0, 0.0, 1.0, 2.0]
    assert shown[0]["builder"] is builder
    assert shown[0]["result"] is result


def test_an_expander_that_names_another_attribute_is_refused():
    builder = scene_with_table(usd_entry_expander=lambda _prim, _context: [{"rig:reach": 1.0}])
    with pytest.raises(OptionError, match="rig:reach"):
        builder.add_usd(STAGE)


def test_attributes_of_bodies_are_read_by_their_names_on_prims():
    """A name of the file's own, and a function of the value; None from that is the default."""
    builder = ModelBuilder()
    for name, change in (
        ("grip", None),
        ("twice", lambda value, _: 2.0 * value),
        ("none", lambda _value, _context: None),
    ):
        builder.add_custom_attribute(
            ModelBuilder.CustomAttribute(
                name, float, "body", default=9.0, usd_attribute_name="own:grip", usd_value_transformer=change
            )
        )
    builder.add_usd(STAGE)
    model = builder.finalize()
    assert [getattr(model, name).numpy()[0] for name in ("grip", "twice", "none")] == [4.0, 8.0, 9.0]


def test_any_prim_needs_a_function():
    with pytest.raises(OptionError, match="usd_value_transformer"):
        ModelBuilder.CustomAttribute("reach", float, "body", usd_attribute_name="*")
