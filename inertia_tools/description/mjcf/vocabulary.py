# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Words of MJCF as in MuJoCo 4: sections, children of bodies, and attributes that affect mass and pose."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ORIENTED = frozenset({"pos", "quat", "axisangle", "euler", "xyaxes", "zaxis"})

SECTIONS = _words(
    "compiler option size statistic visual default extension asset worldbody deformable contact tendon equality "
    "actuator sensor custom keyframe include body"
)
ASSETS = _words("mesh hfield skin texture material model include")
IN_BODY = _words("body inertial joint freejoint geom attach site camera light plugin flexcomp frame replicate include")
IN_DEFAULT = _words(
    "default mesh texture material joint geom site camera light pair equality tendon general motor position velocity "
    "intvelocity orientation pid damper cylinder muscle adhesion dcmotor include"
)
NOTHING: frozenset[str] = frozenset()
CHILDREN = {
    **dict.fromkeys(_words("joint freejoint inertial site camera light hfield attach exclude"), NOTHING),
    **dict.fromkeys(("geom", "mesh"), frozenset({"plugin"})),
    "compiler": frozenset({"lengthrange"}),
    "mujoco": SECTIONS,
    "asset": ASSETS,
    "default": IN_DEFAULT,
    "worldbody": IN_BODY - {"inertial", "joint", "freejoint"},
    "body": IN_BODY,
    "frame": IN_BODY,
    "replicate": IN_BODY,
}
"""Permitted children of elements; other elements are not checked."""

_GEOM = ORIENTED | _words(
    "adhesion castshadow conaffinity condim contype density fitscale fluidcoef fluidshape friction fromto gap group "
    "hfield margin mass material mesh priority rgba shellinertia size solimp solmix solref surfacevel type user"
)
_JOINT = _words(
    "actuatorfrclimited actuatorfrcrange actuatorgravcomp armature axis damping frictionloss group limited margin pos "
    "range ref solimpfriction solimplimit solreffriction solreflimit springdamper springref springyield stiffness type "
    "user"
)
_SITE = ORIENTED | _words("fromto group material mesh rgba size type user")
_NAMED = frozenset({"name", "class"})

ATTRIBUTES = {
    "mujoco": frozenset({"model"}),
    "asset": NOTHING,
    "compiler": _words(
        "alignfree angle assetdir autolimits balanceinertia boundinertia boundmass conflict coordinate discardvisual "
        "eulerseq fitaabb fusestatic inertiafromgeom inertiagrouprange meshdir passthrough savecanonical savecompiled "
        "saveinertial settotalmass strippath texturedir usethread"
    ),
    "default": frozenset({"class"}),
    "worldbody": frozenset(),
    "body": ORIENTED | _words("childclass fuse gravcomp mocap name simple sleep user"),
    "inertial": ORIENTED | frozenset({"mass", "diaginertia", "fullinertia"}),
    "joint": _JOINT | _NAMED,
    "freejoint": frozenset({"align", "group", "name"}),
    "geom": _GEOM | _NAMED,
    "site": _SITE | _NAMED,
    "attach": _words("body frame model prefix"),
    "model": _words("content_type file name"),
    "mesh": _NAMED
    | _words(
        "builtin content_type face file inertia material maxhullvert normal params refpos refquat scale smoothnormal "
        "texcoord vertex"
    ),
    "hfield": _words("content_type elevation file name ncol nrow size"),
    "frame": ORIENTED | _words("childclass class name"),
    "replicate": _words("childclass class count euler offset sep"),
    "exclude": frozenset({"body1", "body2", "name"}),
}
"""Attributes of elements that affect bodies; other elements are not checked."""

TRUTH = _words("true false")
CHOICES = {
    "compiler": {
        **dict.fromkeys(_words("alignfree fusestatic savecanonical savecompiled saveinertial"), TRUTH),
        "usethread": TRUTH,
        "conflict": _words("warning error merge"),
    },
    "body": {
        "mocap": TRUTH,
        "fuse": _words("false auto"),
        "simple": _words("false auto"),
        "sleep": _words("auto never allowed init"),
    },
    "joint": {"actuatorgravcomp": TRUTH},
    "freejoint": {"align": _words("true false auto")},
    "geom": {"castshadow": TRUTH, "fluidshape": _words("none ellipsoid"), "condim": _words("1 3 4 6")},
    "site": {"type": _words("plane hfield sphere capsule ellipsoid cylinder box mesh sdf")},
    "mesh": {"smoothnormal": TRUTH},
}
"""Permitted keywords of attributes that are not read for anything else."""

NEVER_BLANK = _words(
    "class childclass body frame prefix type limited actuatorfrclimited shellinertia inertia builtin angle eulerseq "
    "coordinate autolimits inertiafromgeom balanceinertia strippath fitaabb discardvisual"
) | {name for words in CHOICES.values() for name in words if name != "condim"}
"""Attributes that MuJoCo refuses if empty; other empty attributes count as absent."""

COUNTS = {
    "body": {"gravcomp": (1, 1)},
    "joint": {
        **dict.fromkeys(_words("margin springyield"), (1, 1)),
        **dict.fromkeys(_words("solreflimit solreffriction"), (1, 2)),
        **dict.fromkeys(_words("solimplimit solimpfriction"), (1, 5)),
        "springdamper": (2, 2),
    },
    "geom": {
        **dict.fromkeys(_words("adhesion gap margin priority solmix"), (1, 1)),
        "fluidcoef": (1, 5),
        "friction": (1, 3),
        "rgba": (4, 4),
        "solimp": (1, 5),
        "solref": (1, 2),
        "surfacevel": (1, 6),
    },
    "site": {"rgba": (4, 4), "size": (1, 3)},
}
"""Least and greatest number of values of attributes that are not read for anything else."""

WHOLE_NUMBERS = _words("group contype conaffinity condim priority")
NOT_IN_DEFAULTS = {
    **dict.fromkeys(_words("geom joint site"), frozenset({"name", "class"})),
    "mesh": _words(
        "builtin class content_type face file material name normal params refpos refquat smoothnormal texcoord vertex"
    ),
}
"""Attributes that an element may have, but not in a class."""

_PLACED = {"pos": (3, 3), "quat": (4, 4), "axisangle": (4, 4), "euler": (3, 3), "xyaxes": (6, 6), "zaxis": (3, 3)}
IN_DEFAULTS = (
    {
        "geom": {"type": _words("plane hfield sphere capsule ellipsoid cylinder box mesh sdf"), "shellinertia": TRUTH},
        "joint": {
            "type": _words("free ball slide hinge"),
            **dict.fromkeys(_words("limited actuatorfrclimited"), TRUTH | {"auto"}),
        },
        "mesh": {"inertia": _words("convex exact legacy shell")},
    },
    {
        "geom": {
            **_PLACED,
            **dict.fromkeys(_words("mass density fitscale group contype conaffinity"), (1, 1)),
            "size": (1, 3),
            "fromto": (6, 6),
        },
        "joint": {
            **dict.fromkeys(_words("armature frictionloss group ref springref"), (1, 1)),
            **dict.fromkeys(_words("pos axis"), (3, 3)),
            **dict.fromkeys(_words("range actuatorfrcrange"), (2, 2)),
            **dict.fromkeys(_words("damping stiffness"), (1, 3)),
        },
        "site": {**_PLACED, "group": (1, 1), "fromto": (6, 6)},
        "mesh": {"scale": (3, 3)},
    },
)
"""Permitted keywords and numbers of values of attributes in a class, which is otherwise read only where it is used."""

REFERENCES = {
    "material": "material",
    "texture": "texture",
    "hfield": "hfield",
    "body": "body",
    "body1": "body",
    "body2": "body",
    "joint": "joint",
    "joint1": "joint",
    "joint2": "joint",
    "jointinparent": "joint",
    "geom": "geom",
    "geom1": "geom",
    "geom2": "geom",
    "sidesite": "site",
    "site": "site",
    "site1": "site",
    "site2": "site",
    "refsite": "site",
    "cranksite": "site",
    "slidersite": "site",
    "tendon": "tendon",
    "tendon1": "tendon",
    "tendon2": "tendon",
    "actuator": "actuator",
}
"""Targets of reference attributes, in the sections below and in geoms, sites and materials."""

REFERRING = ("contact", "tendon", "equality", "actuator", "sensor")
