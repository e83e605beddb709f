# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The numerical constants of a step, from its substeps to rest, each with its reason.

Those of contact generation stand with what uses them in `collide/`. Where the precisions differ, a constant has a value
for each. Those without a unit are ratios.
"""


# Substeps and free motion

SUBSTEP_PARTS = 64
"""A substep that is asked for is made in so many parts at most; lengths are powers of two of one."""

SWING_OF_CORNER = 0.5
"""Way by which turning bends the course of a free body's corner in a substep, over the half thickness of its shape:
twice what contacts leave out. Rods of 18 x 1 x 1 cm that turned by 0.3 to 0.6 rad were thrown at 1500 times their
energy; with this they turn by 0.17 rad. Cubes may turn by 0.6 rad, and balls as far as they like."""

FLATTEST_SHAPE = 0.01
"""Half thickness of a shape over the distance of its corner, at least."""

SLOW_TURN = 0.1
"""Turn in a substep, at most, up to which a body is not looked at [rad]."""

SMALL_TURN_SQUARED = {"float32": 0.25, "float64": 0.01}
"""Square of the angle [rad^2] up to which the series of sine and cosine are exact to rounding."""

SERIES_TURN_SQUARED = 0.25
"""Square of the angle [rad^2] that a body may turn in a substep for the series to be better than the midpoint rule."""

MOST_TURN_PARTS = 64
"""Larger turns than that are made in parts of half a radian, so many at most."""

MOST_IMPULSE_TURN = 0.5
"""Impulses turn a body by no more than this at once [rad]; the rest of what they do is in its momentum."""

END_TENSOR_TURN_SQUARED = 1e-4
"""Square of the angle [rad^2] that a free body may turn in a substep without its tensors being taken at the end.

Impulses of contacts act there: with tensors of before they would add energy to what is long and spins fast.
"""

FAR_BY_FORCES = 0.1
"""Displacement by forces in a substep, over the size of the body, from which its contacts are measured so."""

OFF_CORNERS_BY_FORCES = 0.001
"""The same for contacts of a free body with what does not answer to forces. Corners are rounded by about as much
(`scene.convex`): what weight alone would carry farther lies before another face, and a box that is pushed side on by
one of its height wedges. What falls with it does not pass its corners."""

FAR_TURN_BY_FORCES = {"float32": 1e-6, "float64": 1e-8}
"""The same for rotation [rad]. Slip has an error of its square: hinged fingers that `joint_f` closes on a box let it
creep by up to 13 mm/s where this was 0.1."""

SMOOTH_CURVATURE = 0.02
"""Curvature of a momentum's course over a substep, over the momentum, up to which it is taken for smooth motion.

What exceeds it sets in, or is an impact, whose momenta before tell nothing of those after.
"""

BLOW_RATIO = 2.0
"""What contacts change of a momentum, over what forces do, from which it is a blow, if it is uneven.

A blow is over: it does not act for the half substep that momenta are behind positions.
"""

UNEVEN_BLOW = 0.1
"""Difference between what two substeps change of a momentum, over that, from which it is not a force that lasts."""


# Kinematic bodies and rigid targets

KINEMATIC_RAMP = 2.0
"""Change of a velocity over a step, over that by gravity, up to which the velocity grows evenly.

What lies on the body feels the acceleration then; a greater change sets in at once.
"""

KINEMATIC_TURN = 1.6
"""A pose that is turned by more than this [rad] is taken at once."""

PATH_JUMP = 10.0
"""Acceleration, over gravity, from which a position is a jump: it is reached at an even speed.

Nothing that lies on a support follows such an acceleration; without gravity nothing lies, and all paths are even.
"""

PATH_ANSWER = 10.0
"""A change of acceleration that is more than so many times the one before, or less than a part, does not answer that.

It sets in, or what rests only trembles.
"""

PATH_OVERSHOOT = 1.5
"""What turns back with so many times the acceleration that it came with was a jump, and has ended."""


# Rows of contacts

RECOVERY_SPEED = 0.3
"""Overlap that was there before the substep is pushed out no faster than this [m/s], so that nothing is shot away.
Coordinates beyond a limit, too, come back no faster [m/s, rad/s], and joints that start apart no more slowly."""

RECOVERY_TIME = 0.02
"""And where it is solved directly, no faster than it would be gone in this time [s]: a body keeps its speed once out.
Joints that start apart close no faster, as a gap that is gone in one substep throws bodies.

Terrain is full of inner edges that a body may get over within a step, and is then found to be a little too deep.
"""

SWEPT_RECOVERY_SPEED = 3.0
"""The same of what is swept [m/s]: sweeps leave overlap behind, which must not grow faster than it is pushed out.

With 0.3 m/s the lowest of five boxes goes through the floor at a relaxation of 0.2 (benchmarks/hard_scenes.py).
"""

LEAST_RECOVERY = 2.0
"""Multiple of gravity whose speed after a substep is granted in any case, so that what rests has no overlap left."""

OVERLAP_ROUNDING = {"float32": 1e-6, "float64": 1e-14}
"""An overlap of before is one from this part of the way of the substep on; less is rounding."""

IMPACT_GAP = 1e-3
"""What was open by more than this part of the way of the substep, and bore nothing, is an impact when it closes; what
bears nothing but was closed is at rest beside what does."""

TURNED_ROUND_COSINE = -0.9
"""What is fast and finds itself behind the middle of the other, as the cosine of its normals tells, goes back."""

FAR_POINT_TURN_SQUARED = 0.09
"""Square of the angle [rad^2] per substep beyond which impulses act where the point of a contact ends.

Beyond 0.3 rad, where it was at the start is no guide: a capsule that turns by half a radian gained 2 % of its energy.
"""

LEAST_TURN_SQUARED = 1e-20
"""Square of the angle [rad^2] per substep from which a body turns; what rests has no point that moves."""

KEPT_ROWS_STILL = 1e-5
"""A body has not moved while no point of it has gone farther than this, over the radius of the smallest shape around;
it is far below what rows are found ahead (`contact_finding.CLOSENESS`). A stack of ten boxes makes 40 k steps a second,
28 k without kept rows."""


# Rows and laws of joints

GIMBAL_COSINE = 0.05
"""The gradient of angles is kept as if the middle one were no closer to a quarter turn than this cosine tells."""

REFREEZE_COSINE = 0.966
"""Cosine of half the angle, 30 degrees, that a body may turn in a substep before directions are computed again."""

SLIGHT_EFFORT = 1e-9
"""Change of an effort, relative, that leaves a joint where it is."""

SLOW_PHASE_SQUARED, FAST_PHASE_SQUARED = 0.5, 2.0
"""Squared phase of an oscillator in a substep up to which it is followed exactly, and from which it is damped."""

SLOW_PHASE_WEIGHT = 1.0 / 12.0
"""Weight of the position after the substep where the phase is small."""

MERIT_LAWS_FROM = 5
"""From this outer iterate on dry friction and drives with a limit are terms of the merit function (`bounded_laws.py`).

Iterates may go round in a ring, where what sticks or yields here slides there, and the other way round.
"""

AT_LIMIT = {"float32": 1e-6, "float64": 1e-9}
"""What ended a substep at a limit, and is no farther from it [rad, m], leans on it in the next one: contacts press the
legs of a robot that lies on the ground against limits that free motion leaves. It took 33 Newton steps a substep
without, and takes one. If the limit would pull, the substep begins again without."""

DRY_FRICTION_STIFFNESS = 1e6
"""K of dry friction over the inertia that the coordinate shows."""

LOOP_GIVE = {"float32": 1e-5, "float64": 1e-9}
"""Ratio of the mobility that a row of a loop would have with its bodies free, by which it gives in an iterate.

Rows of loops may depend on each other (a planar linkage in space), and the system must stay definite. What is left is
taken back in the next iterate.
"""


# Newton's method

NEWTON_TOLERANCE = 1e-9
"""How far displacements at contacts may be from the minimum, over the greatest that a contact makes."""

MOST_NEWTON_STEPS = 500
"""Newton steps of one outer iterate at most. Ten cylinders that fall on each other at 1/30 s, 1800 contacts, take 62;
with 60 the iterates came to nothing."""

MOST_LENGTHS = 60
"""Lengths of a step that are tried at most."""

SLOPE_TOLERANCE = 2e-3
"""Part of that which may be left of the slope where the length is searched for: each root is a kink as often as not."""

FULL_STEP_SLOPE = 0.5
"""A full step is taken where it leaves no more of the slope than this ratio."""


# The augmented Lagrangian

ISLAND_STIFFNESS = 100.0
"""Stiffness of a contact (penalty of the augmented Lagrangian), over the mass of its island: it must follow the load
that a contact may carry, not the bodies beside it."""

LOCAL_STIFFNESS = 1e4
"""The same over the inertia that its own bodies show, where that is more."""

SLIP_STIFFNESS = 100.0
"""Stiffness of friction that sticks, over the inertia that its bodies show: the softer it is, the fewer Newton steps an
outer iterate takes, and the more outer iterates there are."""

SLIP_ISLAND_STIFFNESS = 10.0
"""The same over the mass of the island, where that is more."""

MOST_STIFFNESS = 1e8
"""All of these over the inertia that the bodies of a contact show, at most. Where bodies of centimetres fall in steps
of 1/15 s, on arms of a metre, rounding left the Hessian of thirteen of them not positive definite."""

RECOVERY_LIMIT = 100.0
"""Greatest multiplier that takes an old overlap back, over the one that would move the bodies of the contact alone."""

SLIP_GROWTH, SLIP_GROWS_FROM, SLIP_GROWS_TO = 3.0, 2, 10
"""Ratio by which the stiffness of friction grows after each outer iterate between these, as penalties of an augmented
Lagrangian do where it is slow: of the 24 hardest solves of dominoes 14 settle without, 19 with it. From 1e6 times the
inertia that its bodies show on, Newton's method comes to no end at the kinks of small bounds."""

GAP_TOLERANCE, GAP_TOLERANCE_AT_LAST = {"float32": 1e-6, "float64": 1e-9}, {"float32": 1e-4, "float64": 1e-5}
"""Natural residual of gaps that ends the outer iterates, over the greatest displacement that a contact makes: at first
and in the end. Gaps of a body on more corners than it needs contradict each other by the square of its displacement,
and multipliers that ask for more never come to rest."""

GAP_TOLERANCE_GROWTH = 1.6
"""Ratio by which it grows from iterate to iterate."""

SLIP_TOLERANCE, SLIP_TOLERANCE_AT_FIRST = {"float32": 1e-6, "float64": 1e-7}, {"float32": 1e-7, "float64": 1e-10}
"""The same of slips, whose bounds converge more slowly: at most, and in the first `FIRST_ITERATES` iterates. With
1e-7 in all, a dry wall in single precision took 21 iterates a substep."""

FIRST_ITERATES = 4
"""Iterates in which bounds that converge quickly do so down to rounding: what is dragged on others gains no speed."""

RESIDUAL_FALLS = 0.9
"""Ratio by which each of them has to take the residual down, and each relaxation for another one to follow. Rounding
of gaps by the stiffness of contacts is a force that bounds do not get below: heaps that come to rest took five Newton
steps a substep or more for it."""

SLIP_COUNTS = {"float32": 3e-4, "float64": 1e-5}
"""Slips count from this displacement of a contact on, over the greatest one. Bricks that touch at their sides bear what
rounding leaves of a gap, which comes and goes: with all of these contacts a wall took 24 to 75 Newton steps."""

NO_DISPLACEMENT = 1e-30
"""Displacements up to this are none [m]: single precision does not hold the multipliers that make them."""

JAMMED = 10.0
"""Displacement that a contact makes, over the greatest way of free motion or gap, from which bodies are jammed that do
not settle. In heaps that crash those have up to 9, half of them less than 0.7. Ellipsoids in a wedge come to 9000, half
of the solves to 16 and more, and are thrown out with up to 1e9 times their energy."""

ACTING_REACH = 2.0
"""Gap of a row that a solve begins with, over the way of the faster one of its bodies in the substep, at most. The
rows of 32 heaps of 24 boxes that crash are a third as many with it. 1 leaves 112 of their 27 000 solves unsettled, as
contacts are called up late, 2 leaves 79 to 96 and 3 leaves 91."""

MOST_ITERATES = 40
"""Outer iterates of a substep at most."""

RELAXATION_PERIOD, RELAXATIONS, MOST_RELAXATIONS = 10, 200, 20
"""Outer iterates after which contacts of free bodies that have not settled are relaxed, by how many sweeps, and how
often at most, each time measured anew: as long as that helps, and in place of the last iterate in any case
(`MOST_ITERATES` is a multiple of the period). An iterate after that left residuals of 1 to 6 g h^2 where relaxation
leaves far less. 26 500 solves of 32 heaps of 24 boxes took 262 000 Newton steps, and left 35 above 0.1 g h^2, with the
period 20 and such an iterate; then 247 000 and 13. With one relaxation at a time before the last iterate 236 of 83 000
solves did not settle, now 175."""

SOFT_SWEEPS, SOFTNESS = 20, 0.3
"""Sweeps that a first relaxation begins with, and by what part of the mobility contacts give in them beside what they
gave in the last substep: so a body's corners share a load that any three of them could bear. A box that slides and
spins lay on three corners without, and kept 2.9 times the spin that a plane of loads leaves it."""

FAST = 10.0
"""Way of a body in a substep, over what gravity moves in it, from which what one Newton step does not solve is relaxed
before the first iterate. In single precision a wall of bricks that touch, which is put down and should stand, did not
come to rest where that was so for it."""

SLIGHT_RESIDUAL = 1e-4
"""Natural residual of what has been relaxed, over what gravity moves in a substep, that will do, and of gaps that an
iterate leaves as they were. Without it heaps that crash leave 108 solves unsettled instead of 38. Nothing settles with
a larger one: of 1800 solves in which a contact sets in 50 did, as it is little beside what an impact moves; in single
precision 150."""

GMRES_TOLERANCE = 1e-3
"""What is left of F, over F, where GMRES ends."""

BOUND_ERROR = 1e-3
"""Error of a bound, over the bound, from which a step against it is not taken."""

PLAIN_ITERATES, BOUND_PERIOD, NEAR_RESIDUAL = 4, 4, 1e5
"""The first so many outer iterates take plain bounds of friction. Of every so many later ones, one takes a Newton step
and the others go half the way; all take Newton steps where the residual is below so many times what is small enough.
Where many states are in equilibrium, first steps lead to a poor one: a flat arch of nine stones that stands fell at
1/60 s with four substeps. And Newton's method may go round between two pieces of the law for ever, as plain bounds may:
18 to 60 boxes and limp robots that crash left 381 solves unsettled where plain bounds and Newton steps took turns."""

PATIENCE = 20
"""Outer iterates after which a natural residual that is only nearly small enough will do: what contradicts itself by
rounding, as all feet of a robot that sticks everywhere, comes no closer."""

NEARLY_SETTLED = 10.0
"""That residual, over what is small enough; with a larger one multipliers are forgotten before the last iterate."""

SWEEPS_OF_ITERATION = 4
"""Sweeps over contacts for each iteration asked for, where an island is too large to be factorised."""


# Iterates over joints and loops

JOINT_TOLERANCE = {"float32": -1.0, "float64": 1e-10}
"""Joints that are no farther off than this [m, rad] are not solved once more, if nothing asks for another iterate."""

JOINT_TOLERANCE_IN_CONTACT = {"float32": 1e-6, "float64": 1e-10}
"""The same for an island with contacts, whose gaps single precision leaves as far off.

With an iterate more a standing quadruped makes 44.2 k frames a second instead of 54.3 k, a humanoid 28.7 k instead of
35.7 k; neither is more exact.
"""

JOINTS_QUIET = {"float32": 0.0, "float64": 1e-8}
"""An iterate over joints that moves nothing farther than this [m, rad] is the last one of its substep.

In single precision each further iterate takes back some of the rounding of those before.
"""

JOINTS_QUIET_IN_CONTACT = 1e-8
"""The same where contacts are solved along with joints [m, rad], however many iterations were asked for."""

JOINT_ITERATES = 2
"""Iterates over the joints alone, where motion is gone along from impact to impact."""

LOOP_STRAYS = 0.1
"""Displacement of an iterate, over that of the first, from which loops are looked at once more."""

LOOP_ASTRAY = 10.0
"""And that from which they have gone astray: the substep begins again, and ends with an iterate that no multipliers are
taken to. A belt that has become too short for its wheels left the finite numbers, as what holds and what blocks it
contradict each other."""

LOOP_TORN = 0.02
"""Part of its gap that a loop may be off by after steps that close it: what leaves more went too far to be a step of a
linear system, and is made again with rows that give."""

LOOP_ROUNDING = {"float32": 1e-6, "float64": 1e-9}
"""What rows are off by is more than rounding from here on [m, rad]."""

LEAST_LOOP_DAMPING, LOOP_DAMPING_GROWTH = 1e-4, 100.0
"""Parts of their free mobility by which rows of loops give when a step has torn them open: at first, and times what it
was when that was not enough, up to 1.

Near a singularity (all bars of a four-bar linkage in line) a gap that is hardly seen takes a long way to close, and the
step of Newton's method leads where nothing fits (Levenberg 1944).
"""

TAUT_PHASE_SQUARED = 2.0
"""Square of h w of some body from which those of its island get inertia. Explicit directions are stable up to 4 as long
as the tension stays the same. With 1, the end of a chain of equal links in 1/60 s (`joint_turn_limit=0.25`) was off by
4e-2 of its length after a second, with 2 by 3e-3; with 3, kinked ropes gain 0.4 m g h."""

TAUT_PHASE_LEFT = 0.25
"""Square of h w that inertia leaves, if it was more. Links that start askew change the tension: chains, ropes and arms
with a weight of 1000 links gained up to 200 times m g h in a second with 1, up to 0.2 with 0.5, up to 0.02 with
0.25."""

TAUT_DAMPING = 0.2
"""Part of the turning of neighbours against each other that their added inertia loses in a substep. A body between two
others, which turn the other way, loses up to four times as much: with more than 1/4 it would turn back."""


# Impacts

BOUNCE_SUBSTEPS = 2.0
"""Only what approaches faster than gravity makes it in this many substeps bounces (Mueller et al. 2020)."""

LEAST_BOUNCE_SPEED = 1e-6
"""The same where there is no gravity [m/s]."""

TOGETHER_GAP = 0.01
"""Contacts of two bodies that are this part of the way of a substep apart, or less, bounce together."""

IMPACT_SWEEPS = 16
"""Passes over contacts that bounce together, as the corners of a box that lands flat."""

IMPACTS_OF_ROW = 4
"""Impacts of a substep at most, for each contact; what is left then does not bounce."""

SPARE_IMPACTS = 16

IMPACT_NEWTON_STEPS = 3
"""Steps of Newton's method to the instant of an impact."""

IMPACT_SETTLED = {"float32": 1e-6, "float64": 1e-14}
"""Change of a velocity, over the speed of the impact, that ends the sweeps over its contacts."""

IMPACT_BARELY_OPEN = 1e-3
"""A contact that is open by less than this part of its way at the end of the substep closes then."""


# Rest

STILL_SPEED = {"float32": 1e-6, "float64": 1e-8}
"""An island lies still where no body would be faster than this under those multipliers, over the velocity that the
greatest of its own contacts gives it in a substep; solves come as close in time. Bodies then stay where they are. A
stack of ten boxes makes 56 k steps a second at rest, 40 k if it is solved; heaps never come to rest without."""

SLOW_SPEED = 1e-4
"""And it is looked at where none was faster than this before, over the velocity that free motion gives it."""

REST_SPEED = {"float32": 1e-6, "float64": 1e-10}
"""A body may be at rest where it is slower than this, over the velocity that gravity gives in a substep. Rounding
shakes robots that stand by up to 0.4 of it. A quadruped that stands makes 42 k steps a second if they are made, and
134 k so."""

MOMENTUM_GOES_ON = 0.5
"""Of that it goes on where it has so much of its momentum from the substep before. What rounding shakes has not; what
creeps, begins to fall or swings has, but for a step or two where it begins or turns round."""

STEPS_AT_REST = 5
"""So many steps in a row therefore have to leave an island at rest."""
