# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Reasons of `inertia-tools diagnose`: causes of an unstable simulation other than wrong inertials."""

from inertia_tools.inertia.explanations.explanation import FIX_IMPLAUSIBLE, INFO, WARNING, Explanation

DIAGNOSE = "inertia-tools diagnose FILE states the numbers of this robot."

STABILITY = (
    Explanation(
        "tiny-inertia",
        WARNING,
        "The tensor of a link that moves is under a hundredth of what its geometry gives.",
        "Any contact or drive rotates the link too far in one step: it jitters, or the simulation explodes.",
        "Trace of the tensor over that of the geometry at the same mass, under 0.01.",
        f"{FIX_IMPLAUSIBLE} takes the proven cause, such as a wrong unit, or the geometry's tensor.",
        'ixx="1.7e-6" for a box of 1 kg and 0.1 m  ->  ixx="1.7e-3"',
    ),
    Explanation(
        "huge-inertia",
        INFO,
        "The tensor of a link that moves is over a hundred times what its geometry gives.",
        "Drives with gains for the real robot hardly move the link; a pendulum swings far too slowly.",
        "Trace of the tensor over that of the geometry at the same mass, over 100.",
        f"{FIX_IMPLAUSIBLE} takes the proven cause, such as a wrong unit, or the geometry's tensor.",
        'ixx="1" for a box of 1 kg and 0.1 m  ->  ixx="1.7e-3"',
    ),
    Explanation(
        "gains-exceed-step",
        WARNING,
        "The stiffness of a drive is too large for its inertia and the time step.",
        "Simulators with explicit drives overshoot more at every step, until the joint explodes.",
        "The step is longer than the longest one at which the joint, as an oscillator, stays stable.",
        "A shorter step, a smaller stiffness, the rotor's inertia as armature, or implicit drives. " + DIAGNOSE,
        'stiffness="1e5" on 1e-3 kg m^2 at 1 ms  ->  stiffness="1e3", or armature="0.1"',
    ),
    Explanation(
        "damping-exceeds-step",
        WARNING,
        "The damping of a joint is too large for its inertia and the time step.",
        "Simulators with explicit damping reverse the velocity at every step, with growing magnitude.",
        "The step is longer than twice the inertia over the damping.",
        "A shorter step, less damping, the rotor's inertia as armature, or implicit damping. " + DIAGNOSE,
        'damping="10" on 1e-3 kg m^2 at 1 ms  ->  damping="1"',
    ),
    Explanation(
        "limit-empty",
        WARNING,
        "Both limits of a joint are the same position.",
        "The limit acts from both sides at every step, which solvers handle badly.",
        "lower = upper, of a revolute or prismatic joint.",
        "State the range that the joint has, or make it fixed or continuous.",
        '<limit lower="0" upper="0"/>  ->  <limit lower="-1.57" upper="1.57"/>',
    ),
    Explanation(
        "start-outside-limits",
        "info or warning",
        "Position zero, where most simulations start, is outside of a joint's limits.",
        "The limit moves the joint back within one step.",
        "Zero is over 1e-5 rad or m outside; a warning in MJCF and USD, which state the start.",
        "Start the joint within its limits: initial positions of the simulator or controller.",
        '<limit lower="0.3" upper="1.2"/> with a start at 0  ->  a start at 0.3',
    ),
    Explanation(
        "self-contact",
        "info or warning",
        "Two links that no joint joins overlap at the start.",
        "With self-collision, the overlap is resolved in one step, which throws the robot apart.",
        "Collision shapes overlap by over 1 mm; a warning in MJCF, where links collide unless excluded.",
        "Shrink or move a shape, start in another pose, or exclude the pair from collision. " + DIAGNOSE,
        "<contact/>  ->  <contact><exclude body1='thigh' body2='hip'/></contact>",
    ),
    Explanation(
        "starts-in-ground",
        "info or warning",
        "The robot starts below the ground.",
        "The penetration is resolved in one step, which throws the robot up.",
        "Over 1 mm deep in the ground of the file; info for a floor at z = 0.",
        "Raise the pose of the root link by the stated height, or spawn the robot higher.",
        "<pose>0 0 0 0 0 0</pose>  ->  <pose>0 0 0.31 0 0 0</pose>",
    ),
    Explanation(
        "foot-off-ground",
        INFO,
        "A foot is above the ground that other feet of its size touch.",
        "The robot drops onto that foot at the start and rocks.",
        "A gap of over 1 mm at a link that is not part of a touching leg.",
        "Compare the origins of the joints above that foot with those of the other legs.",
        '<origin xyz="0 0 -0.2"/>  ->  <origin xyz="0 0 -0.21"/>',
    ),
    Explanation(
        "com-outside-support",
        WARNING,
        "The centre of mass is not above the support polygon on the ground.",
        "The robot tips over although every link is plausible.",
        "Over 1 mm outside of the hull of all points that touch the ground.",
        "Check the largest masses and centres of mass, start in a pose that stands, or use --fixed-base.",
        'xyz="0.9 0 0" of a battery of 5 kg  ->  xyz="0.09 0 0"',
    ),
    Explanation(
        "no-collision",
        WARNING,
        "No link of a free robot has a collision shape.",
        "The robot falls through the ground.",
        "A tree of links without a joint to the world and without <collision>.",
        "Give the links <collision> shapes, or fix the root to the world (--fixed-base).",
        "<link name='base'><visual>...  ->  <link name='base'><collision>...",
    ),
)
