# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Findings about missing or unusable inertials and masses."""

from inertia_tools.inertia.explanations.explanation import ERROR, FIX, FIX_IMPLAUSIBLE, INFO, WARNING, Explanation

MASS = (
    Explanation(
        "non-finite",
        ERROR,
        "The mass, the tensor or the origin of the inertial holds NaN, infinity, or a number beyond all measure.",
        "One such number spreads to every body in contact or joined with this one within a few steps; Gazebo and "
        "MuJoCo "
        "refuse the model.",
        "A number of the inertial is NaN or infinite, or so large that its square is.",
        f"Write the number, or let geometry give it: {FIX}. A mass that is finite is kept.",
        '<mass value="nan"/>                      ->  <mass value="1.2"/>',
    ),
    Explanation(
        "missing-inertial",
        ERROR,
        "A link that a joint moves, or that has geometry, has no <inertial>.",
        "Simulators treat the gap differently: Gazebo drops the link or the whole branch below it, MuJoCo takes the "
        "geometry at 1000 kg/m^3, PyBullet assumes 1 kg, RViz and KDL ignore it. The same file behaves differently "
        "everywhere.",
        "No <inertial>, and the link has a collision or visual, or is the child of a joint that is not fixed.",
        f"{FIX} computes it from the geometry at 1000 kg/m^3, or at --density, --material or --link-mass.",
        '<link name="arm"><collision>...</collision></link>   ->  add <inertial><mass .../><inertia .../></inertial>',
    ),
    Explanation(
        "missing-mass",
        ERROR,
        "The inertial states a tensor or an origin, and no mass.",
        "Readers take zero or one kilogram for it, or refuse the file.",
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
        f"Most often a sign too many: remove it. {FIX} takes the mass from the geometry at the density.",
        '<mass value="-0.8"/>                     ->  <mass value="0.8"/>',
    ),
    Explanation(
        "zero-mass",
        ERROR,
        "The mass is zero on a link that moves or has geometry.",
        "A body without mass has infinite acceleration: solvers divide by zero, drop the link, or give it a tiny mass "
        "that makes contacts stiff and jittery.",
        "mass = 0, and the link has geometry or is the child of a joint that is not fixed.",
        f"{FIX}, or --link-mass LINK=KG. A frame that only marks a place needs no <inertial>: join it by a fixed "
        "joint.",
        '<mass value="0"/>                        ->  <mass value="0.05"/>',
    ),
    Explanation(
        "missing-tensor",
        ERROR,
        "The inertial states a mass, and not all six numbers of the tensor.",
        "Readers take zeros or ones for the rest. A point mass turns without resistance, so that joints oscillate; "
        "ones "
        "on a small link make it turn like a heavy wheel.",
        "One of ixx, ixy, ixz, iyy, iyz, izz is absent.",
        f"{FIX} computes the tensor from the geometry at the declared mass.",
        '<inertia ixx="0.1" iyy="0.1"/>           ->  all six: ixx ixy ixz iyy iyz izz',
    ),
    Explanation(
        "zero-inertia",
        ERROR,
        "The link has a mass, and a tensor that is zero or next to it.",
        "It resists a push and not a turn: the smallest torque spins it without bound, and a joint with damping or a "
        "motor becomes a stiff equation that explodes.",
        "mass > 0 and sqrt(largest moment / mass) < 1 um.",
        f"{FIX} computes the tensor from the geometry at the declared mass. Often the decimals were cut on export: "
        "export with more digits.",
        '<inertia ixx="0" iyy="0" izz="0" .../>   ->  <inertia ixx="1.9e-05" iyy="1.9e-05" izz="1.9e-05" .../>',
    ),
    Explanation(
        "frame-without-inertial",
        INFO,
        "The link has neither inertial nor geometry, and no joint moves it: it marks a place.",
        "Nothing: readers lump it with its parent, or keep it as a frame.",
        "No <inertial>, no collision, no visual, and no moving joint above it.",
        "Nothing to repair. --ignore frame-without-inertial hides it.",
        '<link name="tool0"/>',
    ),
    Explanation(
        "massless-frame",
        INFO,
        "The mass is zero, and the link needs none: it has no geometry, or nothing moves it, or it is welded to a body "
        "with mass.",
        "Nothing in most readers. Gazebo lumps fixed links pairwise: two without mass have a centre of mass of 0/0, "
        "and it refuses the whole file.",
        "mass = 0 on a link without geometry that is not the child of a moving joint; in MJCF also a body that is "
        "welded to one with mass.",
        "Remove the <inertial>, which says the same more clearly; or fix --target gazebo.",
        '<link name="camera_optical_frame"><inertial><mass value="0"/>...',
    ),
    Explanation(
        "assumed-inertial",
        WARNING,
        "There was nothing to compute the inertial from, so a stated assumption was made.",
        "The simulation runs; how this link moves is a guess.",
        "Made by fix: a solid sphere of 1000 kg/m^3 with the declared mass, or with a thousandth of the mass of the "
        "lighter neighbour. In USD also where OpenUSD's rules fall back to a default.",
        "State what is known (--link-mass LINK=KG), or give the link a collision.",
        "inertia-tools fix robot.urdf --link-mass gripper_base=0.12 -o OUT",
    ),
    Explanation(
        "default-inertial",
        WARNING,
        "A link of an SDFormat file that may move leaves its mass or a diagonal entry of the tensor to the default of "
        "1.",
        "1 kg and 1 kg m^2 is a body of a kilogram as wide as two metres: small links turn far too slowly.",
        "<inertial>, <mass>, or ixx, iyy or izz is absent in SDFormat, and the link is not static.",
        f'State them, write <inertial auto="true"/>, or {FIX_IMPLAUSIBLE}.',
        '<link name="lid"><collision .../></link>  ->  <link name="lid"><inertial auto="true"/>...',
    ),
)
