# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Numerical constants of the rigid-body solver, each with its unit and reason.

The sections follow a step: substeps, free motion, contact and joint rows, Newton's method, the augmented Lagrangian,
loops, impacts, rest. Constants without a unit are ratios. Where the precisions differ, a constant has a value for each.
Constants of contact generation are beside their functions in `collide/`.
"""


# Substeps and free motion

SUBSTEP_PARTS = 512
"""Most parts that a requested substep is divided into; lengths are powers of two of one part.

With 64, a limp chain of rods that spin at 500 rad/s gained 4.7 times m g 0.3 m a link at 1/15 s."""

CORNER_SWING = 0.5
"""Largest deviation of a free body's corner from its straight course by rotation in a substep, over the half
thickness of its shape: twice the second-order term that contacts neglect. Rods of 18 x 1 x 1 cm that rotated by 0.3
to 0.6 rad were thrown at 1500 times their energy; with this bound they rotate by 0.17 rad. Cubes may rotate by 0.6
rad, and balls without bound."""

FLATTEST_SHAPE = 0.01
"""Least half thickness of a shape in that ratio, over the distance of its corner."""

CORNER_SWING_TURN = 0.1
"""Upper bound of a body's rotation in a substep [rad] below which its corners are not checked."""

SMALL_TURN_SQUARED = {"float32": 0.25, "float64": 0.01}
"""Square of the angle [rad^2] up to which the series of sine and cosine are exact to rounding."""

SERIES_TURN_SQUARED = 0.25
"""Square of the rotation in a substep [rad^2] up to which the series is more accurate than the midpoint rule."""

MOST_TURN_PARTS = 64
"""Larger rotations are integrated in parts of half a radian; this is the largest number of parts."""

MOST_IMPULSE_TURN = 0.5
"""Largest rotation by one impulse [rad]; its momentum is applied in full."""

END_TENSOR_TURN_SQUARED = 1e-4
"""Square of the rotation in a substep [rad^2] from which the tensors of a free body are those of its end.

Contact impulses act there: with the tensors of its start they would add energy to long bodies that spin fast."""

FORCED_DISPLACEMENT = 0.1
"""Displacement by applied forces in a substep, over the size of the body, from which its contacts are measured
without them."""

FORCED_DISPLACEMENT_ON_SUPPORT = 0.001
"""The same for contacts of a free body with a static or kinematic one. Corners are rounded by about as much
(`scene.convex`): weight alone would carry a corner past the face that supports it, and a box that is pushed side on
by one of equal height wedges. A body that falls along with it does not pass its corners."""

FORCED_TURN = {"float32": 1e-6, "float64": 1e-8}
"""The same for rotation [rad]. Slip has an error of its square: hinged fingers that `joint_f` closes on a box let it
creep by up to 13 mm/s where this was 0.1."""

SMOOTH_CURVATURE = 0.02
"""Second difference of a momentum over a substep, over the momentum, up to which the motion counts as smooth.

A larger one means that a force begins or an impact occurs, so that earlier momenta do not predict later ones."""

IMPACT_RATIO = 2.0
"""Change of a momentum by contacts, over that by applied forces, from which it is an impact if it is uneven too.

An impact is over: unlike a force it does not act for the half substep by which momenta lag behind positions."""

IMPACT_UNEVENNESS = 0.1
"""Difference between the changes of a momentum in two substeps, over the last one, from which it is not a lasting
force."""


# Kinematic bodies and rigid targets

KINEMATIC_RAMP = 2.0
"""Change of a kinematic velocity over a step, over that by gravity, up to which the velocity grows linearly.

Bodies that rest on it then feel the acceleration; a larger change is a jump at the start of the step."""

KINEMATIC_TURN = 1.6
"""Rotation to a written pose [rad] from which a kinematic body is teleported."""

PATH_JUMP = 10.0
"""Acceleration, over gravity, from which a new position is a jump, which is reached at constant velocity.

Nothing that rests on a support follows such an acceleration. Without gravity all positions are reached so."""

PATH_CHANGE_RATIO = 10.0
"""Ratio of two consecutive changes of acceleration up to which they belong to one motion.

Beyond it motion begins, or a body at rest only trembles."""

PATH_OVERSHOOT = 1.5
"""Ratio of a reversed acceleration to the one before from which the motion was a jump that has ended."""


# Rows of contacts

RECOVERY_HEIGHT, RECOVERY_DEPTH = 0.0046, 0.006
"""Overlap from before the substep is recovered at the speed of a fall from this height [m], 0.3 m/s on Earth, so that
no body is thrown higher, whatever the gravity; where it is less deep than the second number [m], at a speed less in
proportion, as a body keeps its speed once out.

Terrain is full of inner edges that a body may cross within a step, and then overlaps a little."""

RECOVERY_SPEED, RECOVERY_TIME = 0.3, 0.02
"""Largest speed of recovery without gravity [m/s]. It also bounds the return of coordinates beyond a limit
[m/s, rad/s], to the speed at which they would be back in this time [s]. Joints that begin apart close at least at that
speed, and in that time, as a gap that closes in one substep throws bodies."""

DEEP_OVERLAP = 0.1
"""Overlap of jointed bodies, over the sum of their half thicknesses, from which their joints may hold them in it."""

HELD_MOBILITY, HELD_WHOLLY = 0.25, 1e-4
"""Inverse effective mass of a deep overlap on its joints, over that without joints, below which the joints may hold it,
and below which they do: half and a hundredth of the speed of recovery."""

SWEPT_RECOVERY_SPEED = 3.0
"""Recovery speed of contacts that are swept [m/s]: sweeps leave overlap behind, which must not grow faster than it is
recovered.

With 0.3 m/s the lowest of five boxes goes through the floor at a relaxation of 0.2 (benchmarks/hard_scenes.py)."""

LEAST_RECOVERY = 2.0
"""Multiple of gravity whose speed after a substep is always allowed for recovery, so that resting bodies lose all
overlap."""

OVERLAP_ROUNDING = {"float32": 1e-6, "float64": 1e-14}
"""Overlap from before the substep, over the displacement in it, up to which it is rounding."""

NEW_CONTACT_GAP = 1e-3
"""Gap at the start of the substep, over the displacement in it, from which a contact without a load is an impact
when it closes. A contact without a load that was closed is at rest beside loaded ones."""

PASSED_THROUGH_COSINE = -0.9
"""Cosine between the normals of two substeps below which a fast body has passed the middle of the other one, and
goes back."""

FAR_POINT_TURN_SQUARED = 0.09
"""Square of the rotation in a substep [rad^2] from which impulses act at the contact's end-of-substep position.

Beyond 0.3 rad its position at the start is no guide: a capsule that rotates by half a radian gained 2 % of its
energy."""

LEAST_TURN_SQUARED = 1e-20
"""Square of the rotation in a substep [rad^2] from which a body counts as rotating; contacts of a resting body do
not move."""

KEPT_ROWS_TOLERANCE = 1e-5
"""Displacement of every point of a body, over the radius of the smallest shape, up to which it has not moved, so
that rows are kept. It is far below the distance at which rows are found (`contact_finding.CLOSENESS`). A stack of
ten boxes makes 40 k steps a second, 28 k without kept rows."""


# Rows and laws of joints

GIMBAL_COSINE = 0.05
"""Least cosine of the middle angle in the gradient of three angles, which is singular at a quarter turn."""

REFREEZE_COSINE = 0.966
"""Cosine of half the rotation in a substep, 30 degrees, from which the directions of a joint are computed again."""

SLIGHT_EFFORT = 1e-9
"""Relative change of a joint's effort that does not require another iterate."""

SLOW_PHASE_SQUARED, FAST_PHASE_SQUARED = 0.5, 2.0
"""Squared phase of an oscillator in a substep up to which it is integrated exactly, and from which it is damped."""

MERIT_LAWS_FROM = 5
"""Outer iterate from which dry friction and saturated drives are terms of the merit function (`bounded_laws.py`).

Updating them between iterates may cycle: one joint sticks or yields while another slides, and the other way round."""

LIMIT_WARM_START_TOLERANCE = {"float32": 1e-6, "float64": 1e-9}
"""Distance from a limit [rad, m] up to which a joint that ended a substep at it has it active in the first iterate
of the next one: contacts press the legs of a robot that lies on the ground against limits that free motion leaves.
Without this it took 33 Newton steps a substep, with it one. If the limit would pull, the substep restarts without
it."""

DRY_FRICTION_STIFFNESS = 1e6
"""Stiffness K of dry friction that sticks, over the effective inertia of the coordinate."""

LOOP_REGULARISATION = {"float32": 1e-5, "float64": 1e-9}
"""Compliance of a loop's row in an iterate, over the mobility of its bodies if they were free.

Rows of loops may depend on each other, as those of a planar linkage in space, and the system must stay definite. The
next iterate removes the remaining error."""


# Newton's method

NEWTON_TOLERANCE = 1e-9
"""Distance of contact displacements from the minimum, over the largest displacement by a contact, that ends Newton's
method."""

MOST_NEWTON_STEPS = 500
"""Most Newton steps of one outer iterate. Ten cylinders that fall on each other at 1/30 s, 1800 contacts, take 62;
with 60 the iterates did not converge."""

MOST_LENGTHS = 60
"""Most trial lengths of one line search."""

SLOPE_TOLERANCE = 2e-3
"""Part of `FULL_STEP_SLOPE` to which the line search reduces the slope: each root is as likely a kink as not."""

FULL_STEP_SLOPE = 0.5
"""Ratio of the slope of the merit function after a full step to that before it, up to which the step is taken in
full."""


# The augmented Lagrangian

ISLAND_STIFFNESS = 100.0
"""Normal stiffness K of a contact (penalty of the augmented Lagrangian), over the mass of its island: it must follow
the load that the contact may carry, not the mass of its bodies."""

LOCAL_STIFFNESS = 1e4
"""The same over the effective mass of its bodies, where that is larger."""

MOST_JOINTED_STIFFNESS = 300.0
"""Upper bound of K over the mass of an island with joints, whose contacts so share a load about evenly that equilibrium
leaves open: the drive wheels of a robot of twenty times their mass bore a fifth of what its casters did."""

SLIP_STIFFNESS = 100.0
"""Tangential stiffness K_t of sticking friction, over the effective mass of its bodies: the smaller it is, the fewer
Newton steps an outer iterate takes, and the more outer iterates there are."""

SLIP_ISLAND_STIFFNESS = 10.0
"""The same over the mass of the island, where that is larger."""

MOST_STIFFNESS = 1e8
"""Upper bound of all of these, over the effective mass of the contact's bodies. Where bodies of centimetres fall in
steps of 1/15 s, on arms of a metre, rounding left the Hessian of thirteen of them not positive definite."""

RECOVERY_LIMIT = 100.0
"""Bound F of the recovery multiplier, over the multiplier that would recover the overlap of the contact's bodies
alone."""

SLIP_GROWTH, SLIP_GROWS_FROM, SLIP_GROWS_TO = 3.0, 2, 10
"""Factor by which K_t grows after each outer iterate between these two, as penalties of an augmented Lagrangian do
where it converges slowly: of the 24 hardest solves of dominoes 14 converge without, 19 with it. From 1e6 times the
effective mass on, Newton's method does not end at the kinks of small bounds."""

GAP_TOLERANCE, GAP_TOLERANCE_AT_LAST = {"float32": 1e-6, "float64": 1e-9}, {"float32": 1e-4, "float64": 1e-5}
"""Natural residual of gaps that ends the outer iterates, over the largest displacement by a contact: in the first
iterate and in the last. Gaps of a body on more corners than it needs contradict each other by the square of its
displacement, and multipliers that ask for less do not converge."""

GAP_TOLERANCE_GROWTH = 1.6
"""Factor by which it grows from iterate to iterate."""

SLIP_TOLERANCE, SLIP_TOLERANCE_AT_FIRST = {"float32": 1e-6, "float64": 1e-7}, {"float32": 1e-7, "float64": 1e-10}
"""The same for slips, whose friction bounds converge more slowly: at most, and in the first `FIRST_ITERATES`
iterates. With 1e-7 in all iterates, a dry wall in single precision took 21 iterates a substep."""

FIRST_ITERATES = 4
"""Iterates in which friction bounds that converge quickly do so down to rounding: bodies dragged on others gain no
speed."""

RESIDUAL_REDUCTION = 0.9
"""Factor by which each of those iterates has to reduce the residual, and each relaxation for another one to follow.
The rounding of gaps times the contact stiffness is a force that bounds do not resolve: with it heaps that come to
rest took five Newton steps a substep or more."""

SLIP_THRESHOLD = {"float32": 3e-4, "float64": 1e-5}
"""Displacement by a contact, over the largest one, from which its slip counts in the residual. Bricks that touch at
their sides carry the rounding of a gap, which comes and goes: with all these contacts a wall took 24 to 75 Newton
steps."""

NO_DISPLACEMENT = 1e-30
"""Largest displacement that counts as none [m]: single precision cannot represent the multipliers that cause it."""

JAMMING_RATIO = 10.0
"""Largest displacement by a contact, over the largest displacement of free motion or gap, from which bodies whose
solve does not converge are jammed. In crashing heaps such solves have up to 9, half of them less than 0.7.
Ellipsoids in a wedge reach 9000, half of their solves 16 and more, and are thrown out with up to 1e9 times their
energy."""

WORKING_SET_REACH = 2.0
"""Gap of a row that is in the initial working set, over the displacement of the faster one of its bodies in the
substep, at most. The working sets of 32 heaps of 24 crashing boxes are a third as large as with all rows. With 1,
112 of their 27 000 solves do not converge, as contacts enter the set late; with 2, 79 to 96; with 3, 91."""

MOST_ITERATES = 40
"""Most outer iterates of a substep."""

RELAXATION_PERIOD, RELAXATIONS, MOST_RELAXATIONS = 10, 200, 20
"""Outer iterates after which contacts of free bodies that have not converged are relaxed, number of sweeps, and most
relaxations in a row, each on contacts measured again: as long as they help, and always in place of the last iterate
(`MOST_ITERATES` is a multiple of the period). A Newton iterate after the last relaxation left residuals of 1 to 6 g
h^2 where relaxation leaves far less. 26 500 solves of 32 heaps of 24 boxes took 262 000 Newton steps, and left 35
above 0.1 g h^2, with the period 20 and such an iterate; then 247 000 and 13. With one relaxation at a time before
the last iterate 236 of 83 000 solves did not converge, now 175."""

SOFT_SWEEPS, SOFTNESS = 20, 0.3
"""Compliant sweeps at the start of a first relaxation, and their compliance to load beyond that of the last substep,
over the mobility: so a body's corners share a load that any three of them could carry. Without them a box that
slides and spins lay on three corners, and kept 2.9 times the spin that evenly shared loads leave it."""

FAST_BODY_RATIO = 10.0
"""Displacement of a body in a substep, over that by gravity, from which contacts that one Newton step does not solve
are relaxed before the first iterate. In single precision a wall of touching bricks that is set down did not come to
rest where slow bodies were relaxed too."""

ACCEPTED_RESIDUAL = 1e-4
"""Natural residual that is accepted of fast bodies and after a relaxation, and of gaps that an iterate does not change,
over the displacement by gravity in a substep. Without it crashing heaps leave 108 solves unconverged instead of 38. If
fast bodies need a relaxation for it, 83 000 solves of 96 crashing heaps take 689 000 Newton steps, not 592 000, and a
tenth more time. No solve ends with a larger one: of 1800 solves with a new contact 50 did, as the tolerance is
relative to displacements by impacts; in single precision 150."""

GMRES_TOLERANCE = 1e-3
"""Relative residual of F at which GMRES ends."""

BOUND_ERROR = 1e-3
"""Relative error of a friction bound from which a Newton step against the error is rejected."""

FIXED_POINT_ITERATES, BOUND_PERIOD, NEAR_RESIDUAL = 4, 4, 1e5
"""The first so many outer iterates take friction bounds by fixed-point iteration, b = mu L_n. Of every
`BOUND_PERIOD` later ones, one takes a Newton step on the bounds and the others go half the way; all take Newton
steps where the residual is below `NEAR_RESIDUAL` times the tolerance. Where many states are in equilibrium, early
Newton steps lead to a poor one: a flat arch of nine stones that stands fell at 1/60 s with four substeps. Newton's
method may also cycle between two pieces of the law, as the fixed-point iteration may: 18 to 60 crashing boxes and
limp robots left 381 solves unconverged where both alternated."""

PATIENCE = 20
"""Outer iterates after which a residual of up to `NEARLY_SETTLED` tolerances is accepted: constraints that
contradict each other by rounding, as all feet of a robot that stick, converge no further."""

NEARLY_SETTLED = 10.0
"""That residual, over the tolerance; with a larger one multipliers are reset before the last iterate."""

SWEEPS_OF_ITERATION = 4
"""Contact sweeps for each requested iteration, where an island is too large to be factorised."""


# Iterates over joints and loops

JOINT_TOLERANCE = {"float32": -1.0, "float64": 1e-10}
"""Joint error [m, rad] up to which joints need no further iterate by themselves."""

JOINT_TOLERANCE_IN_CONTACT = {"float32": 1e-6, "float64": 1e-10}
"""The same for an island with contacts, whose gaps have errors as large in single precision.

With one iterate more a standing quadruped makes 44.2 k frames a second instead of 54.3 k, a humanoid 28.7 k instead
of 35.7 k; neither is more exact."""

JOINT_STEP_TOLERANCE = {"float32": 0.0, "float64": 1e-8}
"""Largest displacement by an iterate over joints [m, rad] that makes it the last one of its substep.

In single precision each further iterate removes some rounding of the ones before."""

JOINT_STEP_TOLERANCE_IN_CONTACT = 1e-8
"""The same where contacts are solved along with joints [m, rad], whatever number of iterations was requested."""

JOINT_ITERATES = 2
"""Iterates over the joints alone that find the motion along which impacts are searched."""

LOOP_RECHECK_RATIO = 0.1
"""Displacement by an iterate, over that by the first one, from which loops are checked again."""

LOOP_DIVERGENCE_RATIO = 10.0
"""Displacement by an iterate, over that by the first one, from which a loop diverges: the substep restarts, and ends
with an iterate without warm-started multipliers. A belt that had become too short for its wheels reached infinite
numbers, as its joints and contacts contradict each other."""

LOOP_OPEN_RATIO = 0.02
"""Remaining error of a loop, over the error that a step was to close, up to which the step is accepted: a larger one
means that the step went beyond the linear range, and it is made again with damped rows."""

LOOP_STEP_TURN, LOOP_TURNED_RATIO = 0.02, 0.25
"""Rotation of the bodies of a loop by a step [rad] up to which the step stays in the linear range, and the ratio for
such a step: its directions are those of the start of the substep, so that it leaves an error in proportion to the
rotation of the bodies since then, and the next iterates close it. With 0.05 rad, limp parallelograms gained up to 2.6 J
of 16."""

LARGEST_ENERGY_GAIN = 1.05
"""Kinetic energy of an island with loops, over what it can have, from which its loops are damped. Without it limp
Peaucellier linkages gained up to 3200 J in 3 s, and reached infinite numbers."""

LOOP_ROUNDING = {"float32": 1e-6, "float64": 1e-9}
"""Error of a loop's row [m, rad] up to which it is rounding."""

LEAST_LOOP_DAMPING, LOOP_DAMPING_GROWTH, LARGEST_LOOP_DAMPING = 1e-4, 10.0, 1e8
"""Damping of the rows of loops that a step leaves open, over their free mobility: at first, the factor of each further
increase up to 1, and how far it may increase where closing throws bodies, which leaves the loops open. With a factor of
100 limp Peaucellier linkages lose up to 14 J in 4 s at 1/60 s, with 10 up to 10.

Near a singularity (all bars of a four-bar linkage in line) a small gap takes a large displacement to close, and
Newton's step leads where no solution is (damped least squares, Levenberg 1944)."""

GEOMETRIC_PHASE_SQUARED = 2.0
"""Square of h w of some body from which bodies of its island get added inertia. Explicit directions are stable up to
4 as long as the tension is constant. With 1, the end of a chain of equal links in 1/60 s (`joint_turn_limit=0.25`)
was off by 4e-2 of its length after a second, with 2 by 3e-3; with 3, kinked ropes gain 0.4 m g h."""

GEOMETRIC_PHASE_TARGET = 0.25
"""Square of h w to which added inertia reduces it. Links that start askew change the tension: chains, ropes and arms
with a weight of 1000 links gained up to 200 times m g h in a second with 1, up to 0.2 with 0.5, up to 0.02 with
0.25."""

GEOMETRIC_DAMPING = 0.2
"""Part of the relative rotation of neighbours that the momentum of their added inertia loses in a substep. A body
between two others that rotate the other way loses up to four times as much: with more than 1/4 its rotation would
reverse."""


# Impacts

BOUNCE_SUBSTEPS = 2.0
"""Only contacts that close faster than gravity accelerates a body in this many substeps bounce (Mueller et al.
2020)."""

LEAST_BOUNCE_SPEED = 1e-6
"""The same without gravity [m/s]."""

SIMULTANEOUS_IMPACT_GAP = 0.01
"""Gap of a contact at an impact of its two bodies, over their displacement in the substep, up to which it takes
part."""

IMPACT_SWEEPS = 16
"""Most Gauss-Seidel sweeps over the contacts of one impact, such as the corners of a box that lands flat."""

IMPACTS_OF_ROW = 4
"""Most impacts of a substep for each contact, in addition to `SPARE_IMPACTS`; later ones do not bounce."""

SPARE_IMPACTS = 16

IMPACT_NEWTON_STEPS = 3
"""Newton steps for the time of an impact."""

IMPACT_SETTLED = {"float32": 1e-6, "float64": 1e-14}
"""Change of a velocity, over the speed of the impact, that ends the sweeps over its contacts."""

IMPACT_GAP_TOLERANCE = 1e-3
"""Gap at the end of the substep, over the displacement in it, up to which a contact closes then."""


# Rest

STILL_SPEED = {"float32": 1e-6, "float64": 1e-8}
"""Speed of every body under the multipliers of the last substep, over the velocity that the largest contact
multiplier on it causes in a substep, up to which an island is still; solves reach this accuracy in time. Its bodies
then keep their poses. A stack of ten boxes makes 56 k steps a second at rest, 40 k if it is solved; without this
heaps never come to rest."""

SLOW_SPEED = 1e-4
"""Speed of every body in the last substep, over that after free motion, up to which this is tried."""

REST_SPEED = {"float32": 1e-6, "float64": 1e-10}
"""Speed of a body, over the velocity by gravity in a substep, up to which it may be at rest. Rounding shakes
standing robots by up to 0.4 of it. A standing quadruped makes 42 k steps a second if all steps are made, and 134 k
if not."""

PERSISTENT_MOMENTUM = 0.5
"""Part of its momentum that a body has from the last substep, from which it moves. Rounding has no such part; a body
that creeps, begins to fall or swings has, except for a step or two where it begins or reverses."""

STEPS_AT_REST = 5
"""Number of steps in a row that must therefore leave an island at rest."""
