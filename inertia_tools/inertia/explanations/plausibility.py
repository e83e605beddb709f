# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Findings about possible but implausible values, and about links that do not match each other."""

from inertia_tools.inertia.explanations.explanation import ERROR, FIX_IMPLAUSIBLE, INFO, WARNING, Explanation

COMPUTE = "inertia-tools compute FILE prints the values of the geometry"

PLAUSIBILITY = (
    Explanation(
        "limit-reversed",
        "error or warning",
        "The lower limit of a joint is above its upper one.",
        "Solvers push the joint from one limit to the other: the robot jitters or explodes.",
        "lower > upper of a revolute or prismatic joint; an error in diagnose.",
        "Swap the limits.",
        '<limit lower="1" upper="-1" .../>        ->  <limit lower="-1" upper="1" .../>',
    ),
    Explanation(
        "limit-zero",
        WARNING,
        "The effort or the velocity of a joint is limited to zero.",
        "Controllers and solvers that apply it do not move the joint, or clip every command to zero.",
        "URDF: effort=0 or velocity=0 on a revolute, continuous or prismatic joint.",
        "Write the limits of the motor.",
        '<limit effort="0" velocity="0" .../>     ->  <limit effort="20" velocity="3" .../>',
    ),
    Explanation(
        "limit-in-degrees",
        INFO,
        "The limits of a joint that rotates look like degrees; they are read as radians.",
        "The joint turns many times around before a limit acts: it acts as if it had none.",
        "A revolute joint with a limit above 4 pi and up to 360 rad, all limits multiples of 0.5.",
        'Write radians; in MJCF, state angle="degree" in <compiler>.',
        '<limit lower="-90" upper="90" .../>      ->  <limit lower="-1.5708" upper="1.5708" .../>',
    ),
    Explanation(
        "origin-in-millimetres",
        INFO,
        "A joint is so far from its parent that its position looks like millimetres; it is read in metres.",
        "The parts of the robot lie hundreds of metres apart, and its joints carry enormous torques.",
        "Distance of the joint from the parent's origin > 50 times the larger of the two links.",
        "Write metres.",
        '<origin xyz="0 0 300"/>                  ->  <origin xyz="0 0 0.3"/>',
    ),
    Explanation(
        "mimic-without-leader",
        WARNING,
        "A joint mimics a joint that does not exist, that has not one coordinate, or that follows it in turn.",
        "Simulators refuse the file or let the joint hang loose: a gripper closes with one finger.",
        "The name in <mimic> leads to no revolute, continuous, prismatic or screw joint without a <mimic> of its own.",
        "Name the joint that leads, or remove <mimic>.",
        '<mimic joint="finger_left"/>             ->  <mimic joint="left_finger_joint"/>',
    ),
    Explanation(
        "unknown-joint-type",
        ERROR,
        "A joint is of a type that URDF does not have.",
        "ROS refuses the file; inertia-tools reads the joint as fixed.",
        "URDF: type is none of fixed, revolute, continuous, prismatic, floating, planar.",
        "Write one of them, in lower case.",
        '<joint type="Revolute" ...>              ->  <joint type="revolute" ...>',
    ),
    Explanation(
        "urdfdom-refuses",
        INFO,
        "A joint lacks a value without which urdfdom, the URDF parser of ROS, refuses the whole file.",
        "robot_state_publisher, RViz, MoveIt and Pinocchio start without the robot; simulators may still read it.",
        "URDF: a revolute or prismatic joint without <limit>, a <limit> without effort or velocity, a <dynamics> "
        "without damping and friction, a <safety_controller> without k_velocity.",
        "Add the value.",
        '<limit lower="-1" upper="1"/>            ->  <limit lower="-1" upper="1" effort="20" velocity="3"/>',
    ),
    Explanation(
        "unnamed-robot",
        ERROR,
        "The robot has no name.",
        "ROS refuses the file.",
        "URDF: <robot> without the attribute name; an empty one is a name.",
        "Add a name.",
        '<robot>                                  ->  <robot name="my_robot">',
    ),
    Explanation(
        "exceeds-geometry",
        WARNING,
        "A moment of inertia is larger than any body of this mass inside the link's geometry can have.",
        "The link reacts too slowly to torques, and its motors seem weak.",
        "A principal moment > mass * (largest distance from the centre of mass to the geometry)^2.",
        "Common causes are a tensor about the joint instead of the centre of mass, other units, and a placeholder. "
        f"{FIX_IMPLAUSIBLE} takes the geometry's.",
        'a 0.4 kg wheel of radius 0.08 m with ixx="0.015"  ->  ixx="0.0014"',
    ),
    Explanation(
        "oversized-inertia",
        WARNING,
        "The tensor is far larger than that of a solid box with the extents and mass of the link.",
        "The link reacts too slowly to torques.",
        "The trace is more than 3 times that of the solid box of the same extents and mass.",
        f"{COMPUTE}; {FIX_IMPLAUSIBLE} takes its tensor.",
        'a 1 kg box of 0.1 m with ixx="0.1"       ->  ixx="0.0017"',
    ),
    Explanation(
        "undersized-inertia",
        WARNING,
        "The tensor is far smaller than that of a solid box with the extents and mass of the link.",
        "The link spins up too fast; joints with damping or stiff gains oscillate, and small time steps are needed.",
        "The trace is under 1 % of that of the solid box of the same extents and mass.",
        f"Often values are in millimetres or grams instead of metres or kilograms. {FIX_IMPLAUSIBLE} "
        "takes the geometry's.",
        'a 1 kg box of 0.1 m with ixx="1.7e-9"    ->  ixx="0.0017"',
    ),
    Explanation(
        "com-outside-geometry",
        WARNING,
        "The centre of mass lies outside the link's geometry.",
        "The robot tips over where the real one stands, and gravity loads the wrong joints.",
        "The centre is outside the box around the geometry by more than 20 % of its extent in that direction (an "
        "extent "
        "counts as a tenth of the largest at least).",
        "Common causes are millimetres in <origin>, the assembly's frame instead of the link's, and a mirrored part. "
        f"{FIX_IMPLAUSIBLE} takes centre of mass and tensor from the geometry.",
        '<origin xyz="0 0 52.0"/>                 ->  <origin xyz="0 0 0.052"/>',
    ),
    Explanation(
        "density-low",
        WARNING,
        "The mean density of the link is below nearly all materials.",
        "Light links between heavy ones make simulations stiff and react too strongly to contacts.",
        "mass / (volume of the convex hull of the geometry) < 1 kg/m^3.",
        "Check the unit of the mass (tonnes?) and of the mesh (millimetres without a scale?). Give the mass with "
        "--link-mass LINK=KG, or compute it with --material LINK=NAME.",
        '<mesh filename="arm.stl"/>               ->  <mesh filename="arm.stl" scale="0.001 0.001 0.001"/>',
    ),
    Explanation(
        "density-high",
        WARNING,
        "The mean density of the link is above the densest materials.",
        "The link is too heavy; motors and contacts carry loads that the real robot does not have.",
        "mass / (volume of the convex hull of the geometry) > 30000 kg/m^3.",
        "Check whether the mass is in grams, whether it belongs to a whole assembly, and whether the mesh is too "
        "small. "
        "Give it with --link-mass LINK=KG or --material LINK=NAME.",
        '<mass value="350"/> (grams)              ->  <mass value="0.35"/>',
    ),
    Explanation(
        "unit-suspect",
        "warning or info",
        "Mass or tensor is plausible in another unit: grams, millimetres, or both.",
        "Values are wrong by a factor of a thousand or a million, so the link explodes or hardly moves.",
        "The tensor has the shape of the geometry's and is off by the ratio of two units within a factor of 2; or a "
        "density out of range becomes a usual one (100 to 20000 kg/m^3) once grams or millimetres are taken out; or "
        "the link has its inertial from geometry of over 1e6 kg.",
        f"An inertial: multiply by the factor that the message names, or {FIX_IMPLAUSIBLE}. Geometry: scale the mesh "
        'where the file names it, <mesh filename="..." scale="0.001 0.001 0.001"/> in URDF, '
        "<scale>0.001 0.001 0.001</scale> in SDFormat, before fix computes anything from it.",
        'ixx="1666" (g mm^2)                      ->  ixx="1.666e-06" (kg m^2)',
    ),
    Explanation(
        "copied-inertial",
        WARNING,
        "The link has exactly the mass and moments of another link of much different size.",
        "At least one of the two moves wrongly.",
        "Same mass and principal moments, and the sizes of the geometries differ by more than a factor of 2.",
        f"{FIX_IMPLAUSIBLE} gives those of them the tensor of their own geometry that are not within a factor of 2 of "
        "it; give masses with --link-mass LINK=KG.",
        "left_finger and torso both with 1 kg and ixx=0.01",
    ),
    Explanation(
        "mirror-mass",
        WARNING,
        "The left and the right twin have different masses.",
        "The robot leans or walks to one side.",
        "Twins by name (left_/right_, l_/r_, FL_/FR_, kneeLeft) of one size whose masses differ by more than 1 %.",
        "Choose one mass and set it with --link-mass LINK=KG.",
        "inertia-tools fix robot.urdf --link-mass 'right_foot=0.6' -o OUT",
    ),
    Explanation(
        "mirror-inertia",
        WARNING,
        "The left and the right twin have different moments of inertia.",
        "The two sides react differently to the same torque.",
        "Twins by name of one size whose principal moments for each kilogram differ by more than 5 %.",
        f"Mirror the right one by hand (products that contain the mirrored axis change sign), or {FIX_IMPLAUSIBLE} "
        "where "
        "one side is implausible.",
        "l_shank ixx=0.012, r_shank ixx=0.12      ->  both 0.012",
    ),
    Explanation(
        "mass-ratio",
        WARNING,
        "The masses on the two sides of a moving joint differ by a factor of over a thousand.",
        "Iterative solvers converge slowly at such ratios: the joint drifts apart or jitters, and the step must be "
        "small.",
        "Over 1000 to 1; links that fixed joints hold together count as one.",
        "Check the lighter link's mass. If it is right, use a fixed joint or merge the link with its neighbour.",
        'a 0.001 kg cover on a 20 kg arm: joint type "fixed" instead of "revolute"',
    ),
)

REMARKS = (
    Explanation(
        "visual-fallback",
        INFO,
        "No collision of the link could be integrated, so its visuals were used.",
        "Visuals may be hollow or decorative, so the computed mass is less certain.",
        "compute, fix and the services use collisions first, and visuals if no collision is usable.",
        "Give the link a collision, or ask for visuals on purpose with --geometry visual.",
        '<link name="cam"><visual>...</visual></link>  ->  add <collision>...</collision>',
    ),
    Explanation(
        "invalid-density",
        ERROR,
        "A density or the mass of a shape cannot be used: it is not a finite number, or negative densities "
        "remove more mass than the shapes have.",
        "The automatic inertial cannot be computed; the link is refused or left without mass.",
        "A density that is NaN or infinite, a sum of shapes with no mass left, or in MJCF a negative mass or density.",
        "Write a positive density in kg/m^3.",
        "<density>nan</density>                   ->  <density>2700</density>",
    ),
    Explanation(
        "negative-density",
        WARNING,
        "A shape of negative density was subtracted from the others, as a hole.",
        "The difference is the link's inertial, which is right if the shape lies inside the others.",
        "SDFormat: <density> below zero.",
        "Nothing must be done if a hole is meant.",
        "<collision name='bore'><density>-2700</density>...",
    ),
)
