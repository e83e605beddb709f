# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Findings specific to the rules of MuJoCo's compiler."""

from inertia_tools.inertia.explanations.explanation import ERROR, FIX, INFO, WARNING, Explanation

MJCF = (
    Explanation(
        "mujoco-refuses",
        ERROR,
        "MuJoCo's compiler refuses the file.",
        "The model cannot be simulated in MuJoCo.",
        "A tensor that violates the triangle inequality by any amount, an unknown word, a value of the wrong "
        "kind or count, a name used twice, a reference to a missing element, a plane on a moving body, a moving body "
        "that weighs next to nothing, a range that does not ascend; the message states which.",
        f"Tensors: {FIX}. Everything else: as the message says.",
        '<joint range="1 -1"/>                     ->  <joint range="-1 1"/>',
    ),
    Explanation(
        "missing-origin",
        ERROR,
        "The <inertial> states no pos, without which MuJoCo refuses it.",
        "The file is not compiled.",
        "MJCF: <inertial> without pos.",
        f'Write pos="0 0 0" or the centre of mass, or {FIX}.',
        '<inertial mass="1" .../>                  ->  <inertial pos="0 0 0" mass="1" .../>',
    ),
    Explanation(
        "two-tensors",
        ERROR,
        "The <inertial> states its tensor twice, or an orientation with a tensor that cannot have one.",
        "MuJoCo refuses the file.",
        "MJCF: diaginertia beside fullinertia, or an orientation beside fullinertia, which is in body axes.",
        f"Keep one of the two, or {FIX}.",
        "<inertial diaginertia=... fullinertia=.../>  ->  keep fullinertia",
    ),
    Explanation(
        "small-fullinertia",
        ERROR,
        "A principal moment of fullinertia is zero, negative or almost zero.",
        "MuJoCo finds no principal axes and refuses the file, even for a body that needs no tensor.",
        "MJCF: a principal moment of fullinertia under 1e-14 kg m^2, or under -1e-14 with boundinertia.",
        f"Write diaginertia with an orientation, which may be as small, or {FIX}.",
        '<inertial fullinertia="0 0 0 0 0 0" .../> ->  <inertial diaginertia="0 0 0" .../>',
    ),
    Explanation(
        "refused-mesh",
        ERROR,
        "A mesh that the body's mass comes from cannot be read, or MuJoCo refuses it under its inertia mode.",
        "The file is not compiled.",
        "The mesh is missing, open, flat or inside out where inertia is exact; or flat and collides; or shellinertia.",
        'Close the mesh, or write inertia="convex" or "shell" at the <mesh>, or an <inertial> at the body.',
        '<mesh name="arm" file="arm.stl"/>         ->  <mesh name="arm" file="arm.stl" inertia="convex"/>',
    ),
    Explanation(
        "compiler-changed",
        INFO,
        "boundmass, boundinertia or balanceinertia of <compiler> changes the stated inertial.",
        "MuJoCo simulates other values than the file states.",
        "The compiled mass or tensor differs from the stated one by these settings.",
        "Nothing must be done. Correct the values and remove the setting to see them used.",
        '<compiler balanceinertia="true"/>',
    ),
    Explanation(
        "welded-point-mass",
        INFO,
        "A body has a mass without a tensor, but needs none.",
        "No effect: no joint moves it, or a body welded to it has a tensor.",
        "MJCF: mass > 0, tensor zero, and the body cannot turn by itself.",
        "Nothing must be done.",
        '<body><inertial pos="0 0 0" mass="0.1" diaginertia="0 0 0"/></body> without a joint',
    ),
    Explanation(
        "ignored-attribute",
        WARNING,
        "A <frame> or <replicate> has an unknown attribute, which MuJoCo ignores.",
        "The attribute has no effect.",
        "MJCF: the element has no such attribute.",
        "Remove it, or correct its name.",
        '<frame position="0 0 1">                  ->  <frame pos="0 0 1">',
    ),
    Explanation(
        "unread-flex",
        WARNING,
        "Of a <flexcomp> only the points and their masses are read, not their elastic connections.",
        "Simulated here, its points move apart in their plane; in MuJoCo they are one soft body.",
        'MJCF: a <flexcomp dof="2d">.',
        "Nothing must be done for the masses. For a simulation here, let its points move along all axes.",
        '<flexcomp dof="2d" ...>                   ->  <flexcomp dof="full" ...>',
    ),
    Explanation(
        "ignored-range",
        WARNING,
        "A range does not ascend and has no explicit switch, so MuJoCo applies no limit.",
        "The joint moves without a limit.",
        "MJCF: range with first >= second, limited left to autolimits.",
        "Write the smaller number first.",
        '<joint range="1 0"/>                      ->  <joint range="0 1"/>',
    ),
    Explanation(
        "ignored-inertial",
        WARNING,
        "An <inertial> in a <replicate> is ignored, as in MuJoCo.",
        "The body's mass comes from its geoms.",
        "MJCF: <inertial> directly inside <replicate>.",
        "Move it into the body.",
        "<replicate><inertial .../>                ->  <replicate><body><inertial .../>",
    ),
)
