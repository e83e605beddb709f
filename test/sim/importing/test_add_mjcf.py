# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""MJCF in a scene: what bodies weigh, what locks them, what touches what, and the options of the importer."""

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.errors import OptionError, ParseError
from inertia_tools.sim.scene.notices import SceneWarning

BALL_MASS = 4.0 / 3.0 * np.pi * 0.1**3 * 1000.0
BALL = '<geom size=".1"/>'
STATED = '<inertial pos="0 0 1" mass="2" diaginertia="1 2 2.5"/>'
FREE = "<freejoint/>"


def model(bodies: str, before: str = "") -> str:
    return f"<mujoco>{before}<worldbody>{bodies}</worldbody></mujoco>"


def body(name: str, inside: str, words: str = "") -> str:
    return f'<body name="{name}" {words}>{inside}</body>'


def scene(bodies: str, before: str = "", **options):
    builder = it.ModelBuilder()
    articulation = builder.add_mjcf(model(bodies, before), **options)
    return builder, articulation


def mass_of(builder, articulation, name: str) -> float:
    return builder.body_mass[articulation.links[name].body]


def touching(builder) -> set[frozenset[str]]:
    model = builder.finalize()
    return {frozenset(model.labels[shape] for shape in pair) for pair in model.slot_shapes.tolist()}


def test_bodies_weigh_what_mujoco_makes_them_weigh():
    builder, robot = scene(
        body("a", STATED + BALL + FREE)
        + body("b", BALL + FREE)
        + body("c", '<geom size=".1" mass="3" contype="0" conaffinity="0"/>' + FREE)
    )
    masses = [mass_of(builder, robot, name) for name in "abc"]
    assert masses == pytest.approx([2.0, BALL_MASS, 3.0])
    inertial = builder.inertial(robot.links["a"].body)
    assert np.allclose(inertial.com, [0, 0, 1]) and np.allclose(inertial.inertia, np.diag([1, 2, 2.5]))
    assert robot.findings == ()


@pytest.mark.filterwarnings("error")
def test_the_world_weighs_nothing():
    builder, robot = scene('<geom type="box" size="1 1 .1"/>' + body("a", BALL + FREE, 'pos="0 0 1"'))
    assert set(robot.links) == {"a"} and robot.findings == ()
    assert builder.shape_body == [-1, 0] and builder.body_count == 1


def test_an_inertial_locks_its_body():
    builder, robot = scene(body("a", STATED + FREE) + body("b", BALL + FREE))
    for name in "ab":
        builder.add_shape_sphere(robot.links[name].body, radius=0.1)
    assert mass_of(builder, robot, "a") == 2.0
    assert mass_of(builder, robot, "b") == pytest.approx(2.0 * BALL_MASS)


def test_geoms_that_override_leave_the_body_open():
    builder, robot = scene(body("a", STATED + BALL + FREE), '<compiler inertiafromgeom="true"/>')
    builder.add_shape_sphere(robot.links["a"].body, radius=0.1)
    assert mass_of(builder, robot, "a") == pytest.approx(2.0 * BALL_MASS)


def test_inertials_can_be_ignored():
    builder, robot = scene(body("a", STATED + BALL + FREE), ignore_inertial_definitions=True)
    assert mass_of(builder, robot, "a") == pytest.approx(BALL_MASS)


def test_total_mass_and_bounds_count():
    builder, robot = scene(
        body("a", BALL + FREE) + body("b", BALL + FREE), '<compiler boundmass="30" settotalmass="7"/>'
    )
    assert [mass_of(builder, robot, name) for name in "ab"] == pytest.approx([3.5, 3.5])


@pytest.mark.parametrize("words", ["", 'boundinertia=".5"'])
def test_lengths_scale(words):
    bodies = body("a", STATED + FREE) + body("b", BALL + '<joint type="slide" range="-1 2"/>', 'pos="0 0 1"')
    before = f'<compiler angle="radian" {words}/>'
    small, big = scene(bodies, before), scene(bodies, before, scale=3.0)
    for name, mass in (("a", 1.0), ("b", 27.0)):
        one, other = (builder.inertial(robot.links[name].body) for builder, robot in (small, big))
        assert other.mass == pytest.approx(mass * one.mass) and np.allclose(other.com, 3.0 * one.com)
        if not words or name == "a":
            assert np.allclose(other.inertia, 9.0 * mass * one.inertia)
    slide = next(joint for joint in big[0].joints if joint.name == "joint 1")
    assert (slide.lower, slide.upper) == (-3.0, 6.0) and np.allclose(slide.pose_parent.position, [0, 0, 3])


def test_the_base_is_held_as_asked():
    bodies = body("a", BALL + '<joint name="j"/>' + body("b", BALL + '<joint name="k"/>')) + body("c", BALL)
    joints = {floating: scene(bodies, floating=floating) for floating in (None, True, False)}
    assert set(joints[None][1].joint_bodies) == {"j", "k"} and joints[None][1].free_roots == ()
    assert [kind.name for kind in joints[None][0].joint_type] == ["REVOLUTE", "REVOLUTE", "FIXED"]
    assert set(joints[True][1].joint_bodies) == {"k"} and joints[True][1].free_roots == ("a", "c")
    assert set(joints[False][1].joint_bodies) == {"k"} and joints[False][1].free_roots == ()


@pytest.mark.parametrize(("axis", "turned"), [("X", [-3, 2, 1]), ("Y", [1, -3, 2]), (1, [1, -3, 2]), ("z", [1, 2, 3])])
def test_the_axis_that_points_up(axis, turned):
    builder, robot = scene(body("a", BALL + FREE, 'pos="1 2 3"'), up_axis=axis, xform=[10, 0, 0, 0, 0, 0, 1])
    place = robot.links["a"]
    up = {"X": 0, "Y": 1, 1: 1, "z": 2}[axis]
    pose = builder.body_pose[place.body] @ place.pose_body_link
    assert np.allclose(pose.position, np.array([10, 0, 0]) + turned)
    assert np.allclose(pose.rotation[:, up], [0, 0, 1]), "its own up axis points up"


def test_names_and_classes_are_left_out():
    bodies = body("arm", f'{BALL}<joint name="j1"/>' + body("hand", BALL)) + body(
        "b", f'<geom name="pad" size="1"/>{BALL}'
    )
    before = '<default><default class="loose"/></default>'
    loose = body("c", BALL, 'childclass="loose"') + body("d", f'{BALL}<geom class="loose" size="1"/>')
    kept = scene(bodies + loose, before, ignore_names=["ar", "pa"], ignore_classes=["loo"])
    assert set(kept[1].links) == {"b", "d"}
    assert [shape.label for shape in kept[0].shapes] == ["b", "d"]
    assert set(scene(bodies, ignore_names=["j1"])[1].joint_bodies) == set()


CLASSES = '<default><default class="visual"><geom group="1"/></default><default class="collision_x"/></default>'


def test_classes_say_what_touches():
    bodies = body(
        "a", '<geom class="visual" size="1"/><geom class="collision_x" contype="0" conaffinity="0" size="2"/>' + BALL
    )

    def radii(**options):
        shapes = scene(bodies, CLASSES, **options)[0].shapes
        return [shape.scale[0] for shape in shapes if shape.config.has_shape_collision]

    assert radii() == [2.0, 0.1]
    assert radii(no_class_as_colliders=False) == [2.0]
    assert radii(visual_classes=(), collider_classes=()) == [1.0, 0.1]
    assert radii(parse_visuals_as_colliders=True) == [1.0]


def test_meshes_can_be_left_out():
    mesh = '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>'
    bodies = body("a", f'{BALL}<geom type="mesh" mesh="m"/>{FREE}')
    assert scene(bodies, mesh)[0].shape_count == 2
    builder, robot = scene(bodies, mesh, parse_meshes=False)
    assert builder.shape_count == 1 and mass_of(builder, robot, "a") == pytest.approx(BALL_MASS)


def test_what_touches_what():
    def ball(name, words=""):
        return body(name, f'<geom size=".1" {words}/>{FREE}')

    floor = '<geom type="plane" size="1 1 1"/>'
    bodies = floor + ball("a") + ball("b", 'contype="2" conaffinity="4"') + ball("c", 'contype="4" conaffinity="0"')
    excluded = "<contact><exclude body1='d' body2='a'/></contact>"
    builder = it.ModelBuilder()
    builder.add_mjcf(f"<mujoco>{excluded}<worldbody>{bodies + ball('d')}</worldbody></mujoco>")
    found = {"".join(sorted(pair)) for pair in touching(builder)}
    assert found == {"aworld", "dworld", "bc"}


def test_what_hangs_on_the_world_by_a_joint_touches_its_floor():
    pytest.importorskip("warp", reason="warp-lang is not installed")
    hanging = body("a", BALL + '<joint name="j" type="slide"/>' + body("b", BALL + "<joint/>", 'pos="1 0 0"'))
    builder = it.ModelBuilder()
    builder.add_description(it.load_text(model('<geom type="plane" size="1 1 1"/>' + hanging)))
    assert touching(builder) == {frozenset(("a", "world")), frozenset(("b", "world"))}


def paired(pairs: str, bodies: str = "", floor: str = "", before: str = "") -> str:
    """Return a model of a floor and three geoms that nothing touches but by pairs, `hand` and `foot` of bodies."""
    off = 'contype="0" conaffinity="0"'
    plane = f'<geom name="floor" type="plane" size="1 1 1" {floor or off}/>'
    free = "".join(body(name, f'<geom name="{name}" size=".1" {off}/>{FREE}') for name in ("hand", "foot", "shin"))
    return f"<mujoco>{before}<worldbody>{plane}{free}{bodies}</worldbody><contact>{pairs}</contact></mujoco>"


TOUCHING = (
    '<pair geom1="floor" geom2="hand"/><pair geom1="foot" geom2="floor" friction=".4 .4 .02"/>'
    '<pair geom1="hand" geom2="shin"/>'
)


@pytest.mark.parametrize("floor", ["", 'contype="-1" conaffinity="0"'])
def test_pairs_touch_whatever_their_masks_say_and_nothing_besides(floor):
    builder = it.ModelBuilder()
    builder.add_mjcf(paired(TOUCHING, body("other", BALL + FREE), floor))
    expected = {("floor", "hand"), ("floor", "foot"), ("hand", "shin")} | ({("floor", "other")} if floor else set())
    assert touching(builder) == {frozenset("world" if name == "floor" else name for name in pair) for pair in expected}


def test_what_touches_by_pairs_alone_has_their_friction_where_they_agree():
    builder = it.ModelBuilder()
    builder.add_mjcf(paired('<pair geom1="floor" geom2="hand" condim="4" friction=".4 .4 .02"/>'))
    materials = {shape.name: shape.config for shape in builder.shapes}
    assert [(materials[name].mu, materials[name].mu_torsional) for name in ("floor", "hand")] == [(0.4, 0.02)] * 2
    builder = it.ModelBuilder()
    builder.add_mjcf(paired('<pair geom1="floor" geom2="hand"/>', before='<default><pair condim="1"/></default>'))
    assert {shape.name: shape.config.mu for shape in builder.shapes}["hand"] == 0.0


@pytest.mark.parametrize(
    ("pair", "floor", "said"),
    [
        ('geom1="floor" geom2="none"', "", "of an unknown geom"),
        ('geom1="floor" geom2="hand" friction=".1"', 'contype="1"', "friction: its geoms keep theirs"),
        ('geom1="floor" geom2="hand" friction=".1 .2"', "", "friction that differs by direction"),
        ('geom1="floor" geom2="hand" margin=".1"', "", "margin"),
        ('geom1="upper" geom2="lower"', "", "its bodies are kept apart"),
    ],
)
def test_what_of_pairs_is_not_held_is_named(pair, floor, said, caplog):
    lower = body("lower", '<geom name="lower" size=".1"/><joint/>')
    arm = body("upper", f'<geom name="upper" size=".1"/><joint/>{lower}')
    builder = it.ModelBuilder()
    builder.add_mjcf(paired(f"<pair {pair}/>", arm, floor))
    assert said in caplog.text


def test_pairs_beyond_those_that_masks_can_tell_apart_are_named():
    off = 'contype="0" conaffinity="0"'
    bodies = "".join(
        body(f"{side}{n}", f'<geom name="{side}{n}" size=".1" {off}/>{FREE}') for n in range(33) for side in "ab"
    )
    pairs = "".join(f'<pair geom1="a{n}" geom2="b{n}"/>' for n in range(33))
    text = f"<mujoco><worldbody>{bodies}</worldbody><contact>{pairs}</contact></mujoco>"
    assert len(it.load_text(text).mjcf.unused) == 2
    builder = it.ModelBuilder()
    builder.add_mjcf(text)
    assert touching(builder) == {frozenset((f"a{n}", f"b{n}")) for n in range(31)}


def test_bodies_without_shapes_may_be_kept_apart():
    bodies = body("a", STATED + FREE) + body("b", STATED + FREE)
    text = f"<mujoco><worldbody>{bodies}</worldbody><contact><exclude body1='a' body2='b'/></contact></mujoco>"
    builder = it.ModelBuilder()
    builder.add_mjcf(text)
    assert builder.shape_collision_filter_pairs == set()


def test_bodies_of_a_tree_touch_unless_told_otherwise():
    arm = body("b", f"{BALL}<joint/>" + body("c", f"{BALL}<joint/>"))
    bodies = body("a", BALL + FREE + arm)
    assert touching(scene(bodies)[0]) == {frozenset("ac")}
    assert touching(scene(bodies, enable_self_collisions=False)[0]) == set()


@pytest.mark.parametrize(
    ("option", "value"),
    [("base_joint", {}), ("convert_3d_hinge_to_ball_joints", True)],
)
def test_what_has_no_meaning_here_is_refused_by_name(option, value):
    with pytest.raises(OptionError, match=option):
        scene(body("a", BALL), **{option: value})


def test_what_only_draws_is_passed():
    scene(body("a", BALL), hide_visuals=True, verbose=True, parent_body=-1)
    with pytest.raises(TypeError, match="colour"):
        scene(body("a", BALL), colour=1)


def test_wrong_options_and_sources():
    for options in ({"up_axis": "W"}, {"ignore_names": ["("]}, {"scale": -1.0}):
        with pytest.raises(OptionError, match=next(iter(options))):
            scene(body("a", BALL), **options)
    with pytest.raises(OptionError, match="MJCF"):
        it.ModelBuilder().add_mjcf("<robot name='r'><link name='l'/></robot>")
    with pytest.raises(ParseError):
        it.ModelBuilder().add_mjcf("none.xml")


def test_a_body_that_lacks_mass_is_named():
    builder, robot = scene(body("a", '<joint/><inertial pos="0 0 0" mass="3"/>') + body("b", "<joint/>"))
    assert [(finding.link, finding.code) for finding in robot.findings] == [
        ("a", "assumed-inertial"),
        ("b", "missing-inertial"),
    ]
    assert mass_of(builder, robot, "a") == 3.0


def chain(count: int, element: str = "body") -> str:
    return f'<{element} pos="0 0 .3">{BALL}<joint/>' * count + f"</{element}>" * count


def test_a_chain_of_a_thousand_bodies_can_be_added():
    builder, _ = scene(chain(1000))
    assert sum(builder.body_mass) == pytest.approx(1000.0 * BALL_MASS)


def test_a_chain_of_a_thousand_links_of_sdf_can_be_added():
    links = "".join(f"<link name='l{i}'/>" for i in range(1000))
    joints = "".join(
        f"<joint name='j{i}' type='ball'><parent>l{i - 1}</parent><child>l{i}</child></joint>" for i in range(1, 1000)
    )
    builder = it.ModelBuilder()
    builder.add_sdf(f"<sdf version='1.11'><model name='m'>{links}{joints}</model></sdf>")
    assert builder.body_mass == [1.0] * 1000


def test_sdf_has_the_same_options():
    links = "".join(
        f"<link name='l{i}'><inertial><mass>2</mass></inertial><collision name='c'><geometry><sphere><radius>.1</radius>"
        "</sphere></geometry></collision></link>"
        for i in range(3)
    )
    joints = "".join(
        f"<joint name='j{i}' type='revolute'><parent>l{i - 1}</parent><child>l{i}</child><axis><xyz>1 0 0</xyz></axis></joint>"
        for i in (1, 2)
    )
    text = f"<sdf version='1.11'><model name='m'>{links}{joints}</model></sdf>"
    builder = it.ModelBuilder()
    builder.add_sdf(text, enable_self_collisions=True)
    assert builder.body_mass == [2.0] * 3 and touching(builder) == {frozenset(("l0", "l2"))}
    builder = it.ModelBuilder()
    builder.add_sdf(text, ignore_inertial_definitions=True)
    assert builder.body_mass == pytest.approx([BALL_MASS] * 3) and touching(builder) == set()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("", (1.0, 0.0, 0.0)),
        ('friction="0.4"', (0.4, 0.0, 0.0)),
        ('friction="0.4 0.02"', (0.4, 0.0, 0.0)),
        ('friction="0.4 0.02" condim="4"', (0.4, 0.02, 0.0)),
        ('friction="0.4 0.02" condim="6"', (0.4, 0.02, 0.0001)),
        ('friction="0.4 0.02" condim="1"', (0.0, 0.0, 0.0)),
        ('condim="1"', (0.0, 0.0, 0.0)),
    ],
)
def test_friction_of_geoms_acts_as_their_dimension_of_contact_says(words, expected):
    builder, _ = scene(body("b", f'{FREE}<geom size=".1" {words}/>'))
    assert builder.shapes[0].config.friction == expected


@pytest.mark.parametrize(
    ("floor", "friction", "is_named"),
    [
        ('<geom type="plane" size="1 1 1" condim="1"/>', 0.0, False),
        ('<geom type="plane" size="1 1 1"/>', 0.4, False),
        ('<geom type="plane" size="1 1 1"/><geom size=".1" condim="1"/>', 0.4, True),
        ('<geom type="plane" size="1 1 1" contype="2" conaffinity="2"/>', 0.0, False),
    ],
)
def test_a_geom_without_friction_keeps_it_for_a_floor_that_has_some(floor, friction, is_named, caplog):
    ball = f'{FREE}<geom size=".1" condim="1" friction=".4"/>'
    builder, _ = scene(f"{floor}{body('b', ball)}")
    assert builder.shapes[-1].config.mu == friction
    assert ("condim 1" in caplog.text) == is_named


def test_friction_may_stand_in_a_default():
    defaults = '<default><geom friction="0.7"/></default>'
    builder, _ = scene(body("b", f"{FREE}{BALL}"), defaults)
    assert builder.shapes[0].config.mu == 0.7


TWO_HINGES = '<body><joint name="h1"/><geom size=".1"/></body><body><joint name="h2"/><geom size=".1"/></body>'
WRONG = {
    "equality of an unknown joint": (TWO_HINGES, '<equality><joint joint1="h1" joint2="h3"/></equality>', "'h3'"),
    "equality of a joint with itself": (
        TWO_HINGES,
        '<equality><joint joint1="h1" joint2="h1"/></equality>',
        "as both endpoints",
    ),
    "weld to an unknown body": ('<body name="a"/>', '<equality><weld body1="a" body2="b"/></equality>', "'b'"),
    "motor of an unknown joint": (TWO_HINGES, '<actuator><motor joint="h3"/></actuator>', "'h3'"),
    "range that does not count": (
        '<body><joint range="-1 2"/><geom size=".1"/></body>',
        '<compiler autolimits="false"/>',
        "autolimits",
    ),
    "range downwards": ('<body><joint range="2 1" limited="true"/><geom size=".1"/></body>', "", "range"),
    "no inertial, and none from geoms": (
        '<body name="a"><freejoint/><geom size=".1"/></body>',
        '<compiler inertiafromgeom="false"/>',
        "'a'",
    ),
    "an inertial beyond a joint": (
        f'<body name="a"><joint/><body><joint/>{STATED}</body></body>',
        '<compiler inertiafromgeom="false"/>',
        "'a'",
    ),
}


@pytest.mark.parametrize("mistake", list(WRONG))
def test_a_document_that_would_move_otherwise_is_refused_as_mujoco_refuses_it(mistake):
    bodies, around, named = WRONG[mistake]
    text = f"<mujoco>{around}<worldbody>{bodies}</worldbody></mujoco>"
    with pytest.raises(ValueError, match=named):
        it.ModelBuilder().add_mjcf(text)
    mujoco = pytest.importorskip("mujoco")
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(text)


def test_what_mujoco_refuses_besides_is_named_and_imported():
    text = '<mujoco><worldbody><body><freejoint/><geom size=".1" colour="1"/></body></worldbody></mujoco>'
    builder = it.ModelBuilder()
    with pytest.warns(SceneWarning, match="unknown attribute 'colour'"):
        builder.add_mjcf(text)
    assert builder.shape_count == 1


def test_bodies_that_do_not_move_need_no_inertial():
    body = '<body><geom size=".1"/></body>'
    text = f'<mujoco><compiler inertiafromgeom="false"/><worldbody>{body}</worldbody></mujoco>'
    builder = it.ModelBuilder()
    builder.add_mjcf(text)
    assert builder.body_count == 1


def test_a_moving_body_needs_no_inertial_where_one_is_welded_to_it():
    stated = '<inertial pos=".5 0 0" mass="2" diaginertia=".1 .1 .1"/>'
    tip = f'<body><body name="tip">{stated}</body></body>'
    text = f'<mujoco><compiler inertiafromgeom="false"/><worldbody><body><joint/>{tip}</body></worldbody></mujoco>'
    builder = it.ModelBuilder()
    builder.add_mjcf(text)
    assert builder.body_mass == [0.0, 0.0, 2.0]
    mujoco = pytest.importorskip("mujoco")
    assert mujoco.MjModel.from_xml_string(text).body_mass == pytest.approx([0.0, *builder.body_mass])


@pytest.mark.parametrize("source", ["auto", "true", "false"])
def test_what_is_fixed_to_a_moving_body_weighs_what_a_check_says_it_does(source):
    tip = body("tip", BALL, 'pos="0 0 1"')
    text = model(body("arm", "<joint/>" + STATED + BALL + tip), f'<compiler inertiafromgeom="{source}"/>')
    robot = it.load_text(text)
    builder = it.ModelBuilder()
    articulation = builder.add_mjcf(text)
    expected = {"auto": (2.0, BALL_MASS), "true": (BALL_MASS, BALL_MASS), "false": (2.0, 0.0)}[source]
    weights = [mass_of(builder, articulation, name) for name in ("arm", "tip")]
    assert weights == pytest.approx(expected)
    assert it.check(robot).totals.inertial.mass == pytest.approx(sum(expected))
    assert it.Simulation(robot).weight == pytest.approx(9.81 * sum(expected))


BALLS = '<geom name="{0}" size=".3"/>'
WELDED = {
    "across a body without a joint": f'<body>{FREE}{BALLS.format("a")}<body pos="0 .1 0">{BALLS.format("b")}'
    f'<body pos="0 .2 0"><joint/>{BALLS.format("c")}</body></body></body>',
    "on a base in the world": f'<body>{BALLS.format("a")}<body pos="0 .1 0"><joint/>{BALLS.format("b")}</body></body>',
    "on a body that moves": f'<body>{FREE}{BALLS.format("a")}<body pos="0 .1 0"><joint/>{BALLS.format("b")}</body></body>',
    "on a joint of the world": f'{BALLS.format("a")}<body pos="0 .1 0"><joint/>{BALLS.format("b")}</body>',
    "across a divided body": f'<body>{FREE}{BALLS.format("a")}<body pos="0 .1 0"><joint pos="1 0 0"/><joint pos="0 1 0"/>'
    f"{BALLS.format('b')}</body></body>",
    "two joints apart": f'<body>{FREE}{BALLS.format("a")}<body pos="0 .1 0"><joint/>{BALLS.format("b")}'
    f'<body pos="0 .2 0"><joint/>{BALLS.format("c")}</body></body></body>',
}


@pytest.mark.parametrize("name", WELDED)
def test_welded_bodies_touch_as_mujoco_says(name, tmp_path, monkeypatch):
    mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")
    monkeypatch.chdir(tmp_path)  # where it leaves its log
    text = f"<mujoco><worldbody>{WELDED[name]}</worldbody></mujoco>"
    compiled = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(compiled)
    mujoco.mj_forward(compiled, data)
    builder = it.ModelBuilder()
    builder.add_mjcf(text, enable_self_collisions=True)
    model = builder.finalize()
    contacts = model.contacts()
    model.collide(model.state(), contacts)
    labels = [label.rpartition("/")[2] for label in model.shape_label]
    count = int(contacts.rigid_contact_count.numpy()[0])
    shapes = (contacts.rigid_contact_shape0.numpy()[:count], contacts.rigid_contact_shape1.numpy()[:count])
    ours = {frozenset((labels[one], labels[other])) for one, other in zip(*shapes, strict=True)}
    assert ours == {frozenset(compiled.geom(geom).name for geom in contact.geom) for contact in data.contact}


def test_a_base_that_is_fixed_by_request_stays_apart_from_its_arm():
    text = f"<mujoco><worldbody>{WELDED['on a body that moves']}</worldbody></mujoco>"
    builder = it.ModelBuilder()
    builder.add_mjcf(text, floating=False, enable_self_collisions=True)
    assert touching(builder) == set()
