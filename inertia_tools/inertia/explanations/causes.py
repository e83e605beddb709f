# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Findings that name the cause of a link's wrong numbers."""

from inertia_tools.inertia.explanations.explanation import Explanation

SEVERITY = "warning or info"
RULE = (
    "The one change that explains the numbers, with a probability over 99 %, given the link's geometry, links built "
    "alike, and the rest of the robot (docs/causes.md). "
)


def _cause(code: str, meaning: str, consequence: str, example: str, rule: str = "") -> Explanation:
    """Explain a cause that one change undoes."""
    repair = f"inertia-tools fix FILE --apply {code} -o OUT undoes it."
    return Explanation(code, SEVERITY, meaning, consequence, f"{RULE}{rule}".strip(), repair, example)


TURNS_WRONG = "The link resists rotation about the wrong axes, so torques rotate it wrongly."
WRONG_SIZE = "Mass or inertia are wrong by orders of magnitude, and the simulation may explode."

CAUSES = (
    _cause(
        "negated-products",
        "The products of inertia have the opposite sign: CAD programs print the integral of xy, but robot "
        "formats need its negative.",
        TURNS_WRONG,
        'ixy="0.012"                              ->  ixy="-0.012"',
    ),
    _cause(
        "parallel-axis",
        "The tensor is about the link's origin instead of the centre of mass, or the parallel axis term was applied "
        "once too often.",
        "The link resists rotation too much, or hardly at all.",
        'a 2 kg arm with its centre 0.3 m out: izz="0.20"  ->  izz="0.02"',
    ),
    _cause(
        "omitted-com",
        "The centre of mass is left at the link's origin, although the tensor is about the centre of the geometry.",
        "The link swings and tips about the wrong point.",
        'no <origin> beside the tensor of a bar     ->  <origin xyz="0.25 0 0"/>',
    ),
    _cause(
        "wrong-formula",
        "The tensor follows from the formula for the geometry with one mistake: no factor 1/12 of a box, lengths "
        "twice as long, or a cylinder's diameter for its radius.",
        "The link resists rotation 4 or 12 times too much.",
        'a wheel of 1.6 kg and 0.1 m: iyy="0.032"   ->  iyy="0.008"',
        "The tensor without the mistake equals that of the geometry. ",
    ),
    _cause(
        "wrong-frame",
        "The tensor is stated in the axes of another frame: of the mesh, the parent, or axes rotated by right angles.",
        TURNS_WRONG,
        'ixx="0.3" iyy="0.1" izz="0.2"            ->  ixx="0.1" iyy="0.3" izz="0.2"',
    ),
    _cause(
        "swapped-axis",
        "A body of revolution has its axis along another coordinate than its geometry.",
        TURNS_WRONG,
        "a wheel about y with the small ixx of one about x",
    ),
    _cause(
        "wrong-unit",
        "Tensor, mass or centre of mass are in another unit than the format requires: grams, pounds, "
        "millimetres, centimetres or inches; or the angles of the inertial frame are in degrees.",
        WRONG_SIZE,
        'ixx="65000" (kg mm^2)                    ->  ixx="0.065"',
    ),
    Explanation(
        "wrong-mesh-unit",
        SEVERITY,
        "The geometry is in another unit than metres; the inertial is right.",
        "The robot collides in wrong places, and values computed from the geometry are wrong.",
        RULE.strip(),
        "Set the scale of the mesh; the inertial is not changed.",
        '<mesh filename="arm.stl"/>               ->  <mesh filename="arm.stl" scale="0.001 0.001 0.001"/>',
    ),
    _cause(
        "decimal-point",
        "One number has its decimal point in the wrong place, or the wrong exponent.",
        WRONG_SIZE,
        'ixx="0.04" iyy="4.1"                     ->  ixx="0.04" iyy="0.041"',
    ),
    _cause(
        "swapped-entries",
        "Entries of the tensor are swapped: the six numbers are in another order, or two were exchanged.",
        TURNS_WRONG,
        "ixx iyy izz ixy ixz iyz                  ->  ixx ixy ixz iyy iyz izz",
    ),
    _cause(
        "diagonal-only",
        "The tensor has no products, although the part is rotated relative to the axes: its principal moments "
        "were copied without their axes.",
        TURNS_WRONG,
        "the geometry's tensor takes its place",
        "The lost values are taken from the geometry.",
    ),
    _cause(
        "unmirrored-twin",
        "Tensor or centre of mass were copied from the link on the other side without mirroring them.",
        "The robot leans and turns to one side.",
        'right_arm with the y="0.02" of left_arm  ->  y="-0.02"',
    ),
    _cause(
        "assembly-mass",
        "The link has the mass properties of an assembly, although its other parts have inertials of their own.",
        "The robot is too heavy, and its centre of mass is elsewhere.",
        "a gripper of 0.8 kg that counts its two fingers of 0.1 kg again  ->  0.6 kg",
    ),
    _cause(
        "cad-rounding",
        "The tensor was rounded to so few decimals that almost no significant digit is left.",
        "Moments come out equal or zero, and solvers may refuse them.",
        'ixx="0.001" iyy="0.001" izz="0.000"      ->  the geometry\'s tensor',
        "The lost values are taken from the geometry.",
    ),
)
