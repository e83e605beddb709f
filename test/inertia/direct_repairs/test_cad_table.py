# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties as CAD programs print them give the body back that they are of."""

import itertools

import numpy as np
import pytest
from robots import GOOD, joint, link, mass, tensor, urdf

import inertia_tools as it
from inertia_tools.errors import NothingToRepairError, OptionError, ParseError, UndecidedOptionError
from inertia_tools.geometry.primitives import solid_box
from inertia_tools.inertia.direct_repairs import FromCad
from inertia_tools.inertia.direct_repairs.cad_table import Stated, read_cad_table
from inertia_tools.inertia.unit_table import Units
from inertia_tools.spatial import rotation_from_rpy

BODY = (
    solid_box((0.1, 0.2, 0.3))
    .scaled_to_mass(16.2)
    .rotate(rotation_from_rpy((0.3, 0.5, 0.7)))
    .shift((0.05, 0.02, -0.03))
)
SHAPE = '<collision><origin xyz="0.05 0.02 -0.03" rpy="0.3 0.5 0.7"/><geometry><box size="0.1 0.2 0.3"/></geometry></collision>'
AXES = "xyz"


def robot(shape: str = "") -> it.Description:
    arm = link("arm", mass(1) + tensor(1, 1, 1)).replace("</link>", f"{shape}</link>")
    return it.load_text(urdf(link("base", GOOD), arm, joint("arm")))


def given(path, text: str, shape: str = "", **stated):
    """Write a table, apply it, and return what the link has then, with the reason."""
    path.write_text(text)
    known = {name: value for name, value in stated.items() if name != "link"}
    repair = FromCad(read_cad_table(path), Stated(**known), stated.get("link"))
    correction = it.fix(robot(shape), repairs=[repair])
    return correction.corrected.links["arm"].inertial, correction.changes["arm"].reason


def matrix(letter: str, values, sign: float = 1.0, between: str = " = ") -> str:
    return "\n".join(
        "\t".join(
            f"\t{letter}{AXES[i]}{AXES[j]}{between}{values[i, j] * (1 if i == j else sign):.4f}" for j in range(3)
        )
        for i in range(3)
    )


def solidworks(notation: str = "", sign: float = -1.0) -> str:
    """Print as SolidWorks does: grams and millimetres, products as integrals."""
    moments, axes = np.linalg.eigh(BODY.inertia * 1e9)
    principal = "\n".join(
        f"\t I{axis} = ({', '.join(f'{one:.4f}' for one in axes[:, i])})   \tP{axis} = {moments[i]:.2f}"
        for i, axis in enumerate(AXES)
    )
    return f"""Mass properties of Arm
     Configuration: Default
     Coordinate system: -- default --

Density = 0.00 grams per cubic millimeter
Mass = {BODY.mass * 1e3} grams
Volume = 6000000.00 cubic millimeters
Surface area = 220000.00  square millimeters
Center of mass: ( millimeters )
\tX = {BODY.com[0] * 1e3}
\tY = {BODY.com[1] * 1e3}
\tZ = {BODY.com[2] * 1e3}

Principal axes of inertia and principal moments of inertia: ( grams *  square millimeters )
Taken at the center of mass.
{principal}

Moments of inertia: ( grams *  square millimeters )
Taken at the center of mass and aligned with the output coordinate system.{notation}
{matrix("L", BODY.inertia * 1e9, sign)}

Moments of inertia: ( grams *  square millimeters )
Taken at the output coordinate system.{notation}
{matrix("I", BODY.inertia_about((0, 0, 0)) * 1e9, sign)}
"""


@pytest.mark.parametrize(
    ("notation", "sign"),
    [("", -1.0), (" (Using positive tensor notation.)", -1.0), (" (Using negative tensor notation.)", 1.0), ("", 1.0)],
)
def test_solidworks(tmp_path, notation, sign):
    found, reason = given(tmp_path / "arm.txt", solidworks(notation, sign))
    assert found.isclose(BODY, 1e-7)
    assert "g, mm (as stated in the table)" in reason


def test_fusion(tmp_path):
    com = ", ".join(f"{value * 1e3:.3f} mm" for value in BODY.com)
    text = f"""Component\tArm:1
Physical
Mass\t{BODY.mass * 1e3:.3f} g
Volume\t6.000E+06 mm^3
Density\t0.003 g / mm^3
Area\t220000.00 mm^2
World X,Y,Z\t0.00 mm, 0.00 mm, 0.00 mm
Center of Mass\t{com}
Bounding Box
\tLength \t100.00 mm
\tWidth \t200.00 mm
\tHeight \t300.00 mm
Moment of Inertia at Center of Mass   (g mm^2)
{matrix("I", BODY.inertia * 1e9, between=" ")}
Moment of Inertia at Origin   (g mm^2)
{matrix("I", BODY.inertia_about((0, 0, 0)) * 1e9, between=" ")}
"""
    found, reason = given(tmp_path / "part.txt", text)
    assert found.isclose(BODY, 1e-7)
    assert "parallel axis" in reason


def test_onshape_has_no_title_and_its_signs_are_told_by_geometry_or_the_user(tmp_path):
    text = f"""Mass: {BODY.mass} kg
Volume: 6000000 mm^3
Surface area: 220000 mm^2
Center of mass
X: {BODY.com[0] * 1e3} mm
Y: {BODY.com[1] * 1e3} mm
Z: {BODY.com[2] * 1e3} mm
Moments of inertia (kg mm^2)
{matrix("L", BODY.inertia * 1e6, between=": ")}
"""
    path = tmp_path / "x.txt"
    assert given(path, text, SHAPE, link="arm")[0].isclose(BODY, 1e-7)
    assert given(path, text, link="arm", sign="negative")[0].isclose(BODY, 1e-7)
    with pytest.raises(UndecidedOptionError, match="give --cad-sign, positive or negative"):
        given(path, text, link="arm")
    with pytest.raises(NothingToRepairError, match="LINK=FILE"):
        given(path, text)


def row(units: Units, frame: str, sign: str, header: str = "link,mass,cx,cy,cz,Ixx,Ixy,Ixz,Iyy,Iyz,Izz") -> str:
    whole = BODY.inertia if frame == "com" else BODY.inertia_about((0, 0, 0))
    tensor_, factor = whole / units.moment, 1 if sign == "negative" else -1
    xx, xy, xz, yy, yz, zz = tensor_[np.triu_indices(3)]
    numbers = [
        BODY.mass / units.kilograms,
        *(BODY.com / units.metres),
        xx,
        factor * xy,
        factor * xz,
        yy,
        factor * yz,
        zz,
    ]
    return header + "\narm," + ",".join(map(str, numbers)) + "\n"


@pytest.mark.parametrize(
    ("units", "frame", "sign"),
    itertools.product(
        [Units("kg", "m"), Units("g", "mm"), Units("kg", "mm"), Units("lb", "in"), Units("g", "cm")],
        ["com", "output"],
        ["positive", "negative"],
    ),
)
def test_a_bare_row_is_understood_by_geometry_or_by_options(tmp_path, units, frame, sign):
    text, path = row(units, frame, sign), tmp_path / "table.csv"
    assert given(path, text, SHAPE)[0].isclose(BODY, 1e-9)
    assert given(path, text, units=units, frame=frame, sign=sign)[0].isclose(BODY, 1e-9)


def test_headers_with_units_semicolons_and_decimal_commas(tmp_path):
    header = "Part;Mass [g];COM X (mm);COM Y (mm);COM Z (mm);Ixx (g mm^2);Ixy;Ixz;Iyy;Iyz;Izz"
    text = row(Units("g", "mm"), "com", "negative").split("\n", 1)[1].replace(",", ";").replace(".", ",")
    found, reason = given(tmp_path / "t.csv", f"exported today\n{header}\n{text}", frame="com", sign="negative")
    assert found.isclose(BODY, 1e-9)
    assert "g, mm (as stated in the table)" in reason


def test_what_is_no_table_is_refused(tmp_path):
    with pytest.raises(ParseError, match="cannot be opened"):
        read_cad_table(tmp_path / "none.csv")
    path = tmp_path / "t.csv"
    path.write_text("hello")
    with pytest.raises(ParseError, match="no part with mass"):
        read_cad_table(path)
    path.write_text(row(Units("kg", "m"), "com", "negative").replace(str(BODY.mass), "heavy"))
    with pytest.raises(ParseError, match=r"t.csv:2: 'heavy' under 'mass' is not a number"):
        read_cad_table(path)


def test_a_frame_that_the_table_has_no_tensor_about_is_refused(tmp_path):
    text = row(Units("kg", "m"), "com", "negative", "link,mass,cx,cy,cz,Lxx,Lxy,Lxz,Lyy,Lyz,Lzz")
    with pytest.raises(OptionError, match="--cad-frame"):
        given(tmp_path / "t.csv", text, frame="output")


SIX = BODY.inertia[np.triu_indices(3)]
VARIANTS = {
    "names with units": "link,mass_g,com_x_mm,com_y_mm,com_z_mm,ixx_gmm2,ixy_gmm2,ixz_gmm2,iyy_gmm2,iyz_gmm2,izz_gmm2\n"
    + ",".join(map(str, ["arm", BODY.mass * 1e3, *(BODY.com * 1e3), *(SIX * 1e9)])),
    "centre in one cell": 'Component,Mass,Center of Mass,Ixx,Ixy,Ixz,Iyy,Iyz,Izz\narm,16200 g,"50 mm, 20 mm, -30 mm",'
    + ",".join(map(str, SIX * 1e9)),
    "mass and moments in other units": "part,mass [kg],cog_x [mm],cog_y,cog_z,Ixx [g*mm^2],Ixy,Ixz,Iyy,Iyz,Izz\n"
    + ",".join(map(str, ["arm", BODY.mass, *(BODY.com * 1e3), *(SIX * 1e9)])),
    "a property a line": "Property,Value,Unit\nName,arm,\nMass,16.2,kg\nCoM x,50,mm\nCoM y,20,mm\nCoM z,-30,mm\n"
    + "\n".join(f"I{AXES[i]}{AXES[j]},{BODY.inertia[i, j] * 1e6},kg*mm^2" for i in range(3) for j in range(i, 3)),
    "coordinates on one line": "Arm\nMass: 16.2 kg\nCenter of mass: X: 50 mm, Y: 20 mm, Z: -30 mm\nMoments of inertia: (g mm²)\n"
    + matrix("I", BODY.inertia * 1e9, between=": "),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_other_layouts(tmp_path, name):
    found, _ = given(tmp_path / "t.csv", VARIANTS[name] + "\n", frame="com", sign="negative")
    assert found.isclose(BODY, 1e-6)


def test_two_tensors_of_a_row_tell_the_sign(tmp_path):
    names = ["".join(pair) for pair in itertools.product(AXES, AXES)]
    signs = np.where(np.eye(3) > 0, 1.0, -1.0)
    numbers = [BODY.mass, *BODY.com, *(BODY.inertia * signs).ravel(), *(BODY.inertia_about((0, 0, 0)) * signs).ravel()]
    header = ["link", "mass [kg]", "x [m]", "y", "z", *(f"L{one}" for one in names), *(f"I{one}" for one in names)]
    text = ",".join(header) + "\narm," + ",".join(map(str, numbers)) + "\n"
    found, reason = given(tmp_path / "t.csv", text)
    assert found.isclose(BODY, 1e-9)
    assert "parallel axis" in reason
