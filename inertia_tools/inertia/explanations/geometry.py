# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Findings about shapes and meshes."""

from inertia_tools.inertia.explanations.explanation import ERROR, INFO, Explanation

PACKAGE_PATH = "--package-path DIR names a folder to search; it may be given several times"

GEOMETRY = (
    Explanation(
        "invalid-size",
        ERROR,
        "A shape has a size that is not positive, or a wall thicker than the shape.",
        "Simulators refuse the file or the shape; inertia-tools omits it from the computation.",
        "A radius, length or side <= 0 or not finite; a wall thickness above half of the smallest side.",
        "Write positive sizes in metres.",
        '<box size="1 -1 1"/>                     ->  <box size="1 1 1"/>',
    ),
    Explanation(
        "invalid-origin",
        ERROR,
        "The origin of a shape has NaN, infinite or too large values.",
        "The shape cannot be placed; inertia-tools omits it from the computation.",
        "A number of <origin> or <pose> of a shape is not finite, or a position exceeds 1e9 m.",
        "Write six finite numbers.",
        '<origin xyz="0 0 nan"/>                  ->  <origin xyz="0 0 0.1"/>',
    ),
    Explanation(
        "missing-mesh",
        "info or warning",
        "A mesh file was not found, or cannot be read.",
        "The link lacks its collision geometry and mass; its plausibility cannot be checked.",
        "No file matches the URI in the folders that the message names; a warning if a file does and is not a mesh, or "
        "ends too early.",
        f"{PACKAGE_PATH}; export a damaged file again.",
        "inertia-tools check robot.urdf --package-path ~/ws/src",
    ),
    Explanation(
        "geometry-unknown",
        ERROR,
        "A link was not corrected, or a density was not applied to it, because a mesh is missing.",
        "A correction from incomplete geometry would be a guess.",
        "fix needs the geometry of the link, but one of its meshes was not found or cannot be read.",
        f"{PACKAGE_PATH}; or state mass and tensor yourself.",
        "inertia-tools fix robot.urdf --in-place --package-path ~/ws/src",
    ),
    Explanation(
        "open-mesh",
        "info or warning",
        "A mesh has holes, so its interior is not defined.",
        "Its volume is an estimate. Simulators that take mass from meshes fail, or get a wrong or negative mass.",
        "An edge has only one triangle. The message states the method used, its likely error, and by how much "
        "the volume of other methods differs.",
        "Close the mesh in CAD or Blender, or choose the way: --open-mesh hull, cap, voxel or fail.",
        "inertia-tools compute robot.urdf --open-mesh hull",
    ),
    Explanation(
        "inverted-mesh",
        INFO,
        "A mesh, or a part of it, is wound inside out.",
        "Its volume is negative for readers that trust the winding; inertia-tools reversed it.",
        "The signed volume of a closed part is below zero.",
        "Recalculate the normals to point outwards, and export again.",
        "Blender: Mesh > Normals > Recalculate Outside",
    ),
    Explanation(
        "mixed-winding",
        INFO,
        "Some triangles are wound opposite to their neighbours.",
        "Readers that trust the winding get a wrong volume; inertia-tools reversed them.",
        "Two triangles have the same direction along their common edge.",
        "Recalculate the normals, and export again.",
        "Blender: Mesh > Normals > Recalculate Outside",
    ),
    Explanation(
        "duplicate-faces",
        INFO,
        "The mesh has duplicate triangles.",
        "Readers that count them twice get a wrong volume; inertia-tools counted them once.",
        "Two triangles have the same three corners.",
        "Remove doubles, and export again.",
        "Blender: Mesh > Clean Up > Merge by Distance",
    ),
    Explanation(
        "non-manifold-mesh",
        INFO,
        "Edges of the mesh have more than two triangles, so inside and outside are ambiguous there.",
        "The volume is right where parts only touch; collision code may fail at such edges.",
        "An edge has three triangles or more.",
        "Separate the touching parts, or unite them by a boolean operation.",
        "two cubes that share an edge             ->  one united solid",
    ),
    Explanation(
        "self-overlap",
        INFO,
        "Parts of one mesh overlap.",
        "Readers that add the parts count the common volume twice; inertia-tools counted it once.",
        "Closed parts of a mesh intersect.",
        "Unite the parts in CAD before the export.",
        "a screw modelled inside a plate          ->  one united solid",
    ),
    Explanation(
        "overlapping-shapes",
        INFO,
        "Shapes of one link overlap.",
        "The common volume counts twice in the computed mass.",
        "The check covers primitives, and closed meshes of up to 20000 triangles per link.",
        "--overlap union counts it once.",
        "inertia-tools compute robot.urdf --overlap union",
    ),
    Explanation(
        "flat-mesh",
        INFO,
        "A mesh encloses no volume.",
        "It has no mass as a solid; simulators that take mass from it refuse it.",
        "All its points lie in a plane or on a line.",
        "Give it a thickness (--method shell --thickness 0.002), or a collision of another shape.",
        "a label modelled as one rectangle        ->  a box of 0.5 mm",
    ),
    Explanation(
        "calculator-error",
        "error or warning",
        "A registered calculator returned no value, or reported a problem.",
        "The link has no computed inertial from it.",
        "The function registered for --method NAME raised, or did not return an inertial.",
        "Correct the calculator, or choose another --method.",
        "inertia-tools compute robot.urdf --method integration",
    ),
    Explanation(
        "unreadable",
        ERROR,
        "The file could not be read at all.",
        "In most cases no simulator can read it either.",
        "It is missing, not well-formed XML or USD, or not a robot description; the message has the "
        "place and the reason.",
        "Follow the message. The exit code is 2, not 1 as for findings.",
        "inertia-tools check robot.urdf           ->  robot.urdf:7: not well-formed XML",
    ),
)
