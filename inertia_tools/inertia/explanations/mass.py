# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Findings about missing or unusable inertials and masses."""

from inertia_tools.inertia.explanations.explanation import ERROR, FIX, FIX_IMPLAUSIBLE, INFO, WARNING, Explanation

MASS = (
    Explanation(
        "non-finite",
        ERROR,
        "The mass, the tensor or the origin of the inertial has NaN, infinity, or a number that is too large.",
        "One such number spreads to all bodies in contact or connected by joints within a few steps; Gazebo and "
        "MuJoCo "
        "refuse the model.",
        "A number of the inertial is NaN or infinite, or its square is infinite.",
        f"Write the number, or compute it from geometry: {FIX}. A finite mass is kept.",
        '<mass value="nan"/>                      ->  <mass value="1.2"/>',
    ),
    Explanation(
        "missing-inertial",
        ERROR,
        "A link with a moving joint or with geometry has no <inertial>.",
        "Simulators treat the missing inertial differently: Gazebo drops the link or the whole branch below it, "
        "MuJoCo takes the geometry at 1000 kg/m^3, PyBullet assumes 1 kg, RViz and KDL ignore it. The same file "
        "behaves differently everywhere.",
        "No <inertial>, and the link has a collision or visual, or is the child of a joint that is not fixed.",
        f"{FIX} computes it from the geometry at 1000 kg/m^3, or at --density, --material or --link-mass.",
        '<link name="arm"><collision>...</collision></link>   ->  add <inertial><mass .../><inertia .../></inertial>',
    ),
    Explanation(
        "missing-mass",
        ERROR,
        "The inertial states a tensor or an origin, but no mass.",
        "Readers use zero or one kilogram, or refuse the file.",
        "<inertial> without a usable <mass>.",
        f"Write the mass, or {FIX} (--link-mass LINK=KG where it is known).",
        '<inertial><inertia ixx=.../></inertial>  ->  add <mass value="1.2"/>',
    ),
    Explanation(
        "negative-mass",
        ERROR,
        "The mass is below zero.",
        "Such a body accelerates against every force: contacts pull, gravity lifts, and energy grows without bound. "
        "Most "
        "simulators refuse the model.",
        "mass < 0.",
        f"Usually a wrong sign: remove it. {FIX} takes the mass from the geometry at the density.",
        '<mass value="-0.8"/>                     ->  <mass value="0.8"/>',
    ),
    Explanation(
        "zero-mass",
        ERROR,
        "The mass is zero on a link that moves or has geometry.",
        "A body without mass has infinite acceleration: solvers divide by zero, drop the link, or give it a tiny mass "
        "that makes contacts stiff and jittery.",
        "mass = 0, and the link has geometry or is the child of a joint that is not fixed.",
        f"{FIX}, or --link-mass LINK=KG. A frame that only marks a place needs no <inertial>: connect it "
        "by a fixed joint.",
        '<mass value="0"/>                        ->  <mass value="0.05"/>',
    ),
    Explanation(
        "missing-tensor",
        ERROR,
        "The inertial states a mass, but not all six numbers of the tensor.",
        "Readers use zeros or ones for the rest. A point mass has no rotational inertia, so joints oscillate; "
        "ones on a small link make it act like a heavy wheel.",
        "One of ixx, ixy, ixz, iyy, iyz, izz is absent.",
        f"{FIX} computes the tensor from the geometry at the declared mass.",
        '<inertia ixx="0.1" iyy="0.1"/>           ->  all six: ixx ixy ixz iyy iyz izz',
    ),
    Explanation(
        "zero-inertia",
        ERROR,
        "The link has a mass, but a tensor that is zero or nearly zero.",
        "It has no rotational inertia: the smallest torque spins it without bound, and a joint with damping or a "
        "motor becomes a stiff equation that explodes.",
        "mass > 0 and sqrt(largest moment / mass) < 1 um.",
        f"{FIX} computes the tensor from the geometry at the declared mass. Often the export rounded the decimals: "
        "export with more digits.",
        '<inertia ixx="0" iyy="0" izz="0" .../>   ->  <inertia ixx="1.9e-05" iyy="1.9e-05" izz="1.9e-05" .../>',
    ),
    Explanation(
        "frame-without-inertial",
        INFO,
        "The link has neither inertial nor geometry, and no joint moves it: it is a frame.",
        "No effect: readers merge it with its parent, or keep it as a frame.",
        "No <inertial>, no collision, no visual, and no moving joint above it.",
        "Nothing to repair. --ignore frame-without-inertial hides it.",
        '<link name="tool0"/>',
    ),
    Explanation(
        "massless-frame",
        INFO,
        "The mass is zero, and the link needs none: it has no geometry, or nothing moves it, or it is welded to a body "
        "with mass.",
        "No effect in most readers. Gazebo merges fixed links pairwise: two without mass have a centre of mass of 0/0, "
        "and it refuses the whole file.",
        "mass = 0 on a link without geometry that is not the child of a moving joint; in MJCF also a body that is "
        "welded to one with mass.",
        "Remove the <inertial>, or run fix --target gazebo.",
        '<link name="camera_optical_frame"><inertial><mass value="0"/>...',
    ),
    Explanation(
        "assumed-inertial",
        WARNING,
        "The inertial could not be computed, so an assumption was made, which the message states.",
        "The simulation runs, but the motion of this link is uncertain.",
        "Made by fix: a solid sphere of 1000 kg/m^3 with the declared mass, or with a thousandth of the mass of the "
        "lighter neighbour. In USD also where OpenUSD's rules fall back to a default.",
        "State known values (--link-mass LINK=KG), or add a collision to the link.",
        "inertia-tools fix robot.urdf --link-mass gripper_base=0.12 -o OUT",
    ),
    Explanation(
        "default-inertial",
        WARNING,
        "A moving link of an SDFormat file has the default of 1 for its mass or a diagonal entry of the tensor.",
        "1 kg with 1 kg m^2 is a body of about two metres: small links rotate far too slowly.",
        "<inertial>, <mass>, or ixx, iyy or izz is absent in SDFormat, and the link is not static.",
        f'State them, write <inertial auto="true"/>, or {FIX_IMPLAUSIBLE}.',
        '<link name="lid"><collision .../></link>  ->  <link name="lid"><inertial auto="true"/>...',
    ),
)
