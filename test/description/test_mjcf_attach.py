# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Models that MJCF attaches: bodies, names, poses and mass properties are those that MuJoCo makes of them."""

import warnings

import numpy as np
import pytest
from mujoco_bodies import turned, worst_differences

import inertia_tools as it
from inertia_tools.description.mjcf import bodies
from inertia_tools.errors import ParseError, WriteError

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")

BALL = '<geom size=".1"/>'
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
STATED = '<inertial pos="0 0 1" mass="2" diaginertia="1 2 2.5"/>'
IRREGULAR = '<inertial pos="0 0 1" mass="2" diaginertia="1 1 9"/>'

BODY = '<attach model="s" body="a" prefix="p_"/>'
FRAME = '<attach model="s" frame="f" prefix="p_"/>'
WHOLE = '<attach model="s" prefix="p_"/>'


def model(worldbody: str, before: str = "") -> str:
    return f'<mujoco model="part">{before}<worldbody>{worldbody}</worldbody></mujoco>'


def main(worldbody: str, before: str = "") -> str:
    return model(worldbody, f'{before}<asset><model name="s" file="sub/part.xml"/></asset>')


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write a main file and a part in a folder of its own; MuJoCo leaves its log there."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub/meshes").mkdir(parents=True)
    (tmp_path / "sub/meshes/t.obj").write_text(TETRAHEDRON)

    def into(text: str, part: str, **others: str):
        (tmp_path / "main.xml").write_text(text)
        (tmp_path / "sub/part.xml").write_text(part)
        for name, other in others.items():
            (tmp_path / f"sub/{name}.xml").write_text(other)
        return tmp_path / "main.xml"

    return into


def assert_same(path) -> it.Description:
    """Hold names, parents, poses and mass properties of all bodies against MuJoCo's."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled = mujoco.MjModel.from_xml_path(str(path))
    robot = it.load(path)
    assert list(robot.links) == [compiled.body(i).name or str(i) for i in range(compiled.nbody)]
    for number, name in list(enumerate(robot.links))[1:]:
        joint = robot.parent_joint[name]
        assert joint.parent == list(robot.links)[compiled.body_parentid[number]]
        assert np.allclose(joint.pose_parent_child.position, compiled.body_pos[number], atol=1e-12)
        assert np.allclose(joint.pose_parent_child.rotation, turned(compiled.body_quat[number]), atol=1e-12)
    geoms = [geom.name for name in robot.links for geom in robot.mjcf.geoms[name]]
    assert geoms == [compiled.geom(i).name for i in range(compiled.ngeom)]
    joints = [one.name for joint in robot.joints.values() for one in joint.row if joint.type != "fixed"]
    assert joints == [compiled.joint(i).name or f"joint {i}" for i in range(compiled.njnt)]
    assert max(worst_differences(robot, compiled).values()) < 1e-7
    return robot


TREE = (
    '<geom name="floor" size="1"/>'
    '<frame name="f" pos="1 2 3" euler="0 30 0"><body name="a" pos="0 0 1" euler="40 0 0"><joint name="j"/>'
    f'<geom name="g" size=".1"/><body name="b" pos="1 0 0">{STATED}</body></body></frame><body name="c">{BALL}</body>'
)
PARTS = {
    "a body": (main(f'<body pos="0 0 1">{BODY}</body>'), model(TREE)),
    "into the world": (main(BODY), model(TREE)),
    "in a frame": (main(f'<frame pos="1 0 0" euler="0 0 90">{BODY}</frame>'), model(TREE)),
    "a frame": (main(f'<body pos="0 0 1">{FRAME}</body>'), model(TREE)),
    "a whole model": (main(f'<body pos="0 0 1">{BALL}<frame pos="1 0 0">{WHOLE}</frame></body>'), model(TREE)),
    "twice": (main(BODY + BODY.replace("p_", "q_")), model(TREE)),
    "copies": (main(f'<replicate count="3" offset="1 0 0">{BODY}</replicate>'), model(TREE)),
    "copies of copies": (
        main(f'<replicate count="2" offset="1 0 0" sep="-">{WHOLE}</replicate>'),
        model(f'<replicate count="3" offset="0 1 0" sep="."><body name="a">{BALL}</body></replicate>'),
    ),
    "one of copies": (
        main(BODY.replace('"a"', '"a1"')),
        model('<replicate count="3" offset="0 1 0"><body name="a"><geom name="g" size=".1"/></body></replicate>'),
    ),
    "angles of its own": (
        main(BODY),
        model(f'<body name="a" euler="1 .2 .3">{BALL}</body>', '<compiler angle="radian" eulerseq="zyx"/>'),
    ),
    "classes of its own": (
        main(
            f'<frame childclass="k">{BODY}</frame>',
            '<default><default class="k"><geom density="1"/></default></default>',
        ),
        model(
            f'<body childclass="k"><body name="a">{BALL}</body></body>',
            '<default><geom group="2"/><default class="k"><geom density="5"/></default></default>',
        ),
    ),
    "meshes of its own": (
        main(BODY, '<compiler meshdir="elsewhere"/>'),
        model(
            '<body name="a"><geom type="mesh" mesh="t"/></body>',
            '<compiler meshdir="meshes"/><asset><mesh name="t" file="t.obj"/></asset>',
        ),
    ),
    "bounds of its own": (
        main(f"<body>{BALL}</body>{BODY}"),
        model(f'<body name="a">{BALL}</body>', '<compiler boundmass="9" boundinertia="2"/>'),
    ),
    "balance of its own": (
        main(f"<body>{BALL}</body>{BODY}"),
        model(f'<body name="a">{IRREGULAR}</body>', '<compiler balanceinertia="true"/>'),
    ),
    "source of its own": (
        main(f"<body>{STATED}{BALL}</body>{BODY}"),
        model(f'<body name="a">{STATED}{BALL}</body>', '<compiler inertiafromgeom="true"/>'),
    ),
    "groups of the body": (
        main(f"<body>{BALL}{FRAME}</body>", '<compiler inertiagrouprange="0 1"/>'),
        model('<frame name="f"><geom size=".2" group="3"/></frame>'),
    ),
    "fitted as in the main model": (
        main(f"<body>{WHOLE}</body>", '<compiler fitaabb="true"/>'),
        model(
            '<frame name="f"><geom type="box" mesh="t"/></frame><body name="a"><geom type="box" mesh="t"/></body>',
            '<asset><mesh name="t" file="meshes/t.obj"/></asset>',
        ),
    ),
    "total of the main model": (main(f"<body>{BALL}</body>{BODY}", '<compiler settotalmass="3"/>'), model(TREE)),
    "no total of its own": (
        main(f"<body>{BALL}</body>{BODY}"),
        model(f'<body name="a">{BALL}</body>', '<compiler settotalmass="7"/>'),
    ),
}


@pytest.mark.parametrize("name", PARTS)
def test_it_is_what_mujoco_makes_of_it(write, name):
    assert_same(write(*PARTS[name]))


def test_a_model_that_attaches_another(write):
    inner = model('<body name="x"><geom name="gx" size=".1"/></body>')
    part = model(
        '<body name="a"><attach model="d" body="x" prefix="q_"/></body>',
        '<asset><model name="d" file="inner.xml"/></asset>',
    )
    robot = assert_same(write(main(BODY), part, inner=inner))
    assert "p_q_x" in robot.links


def test_a_model_that_includes(write):
    part = model(f'<body name="a">{BALL}</body>', '<include file="words.xml"/>')
    assert_same(write(main(BODY), part, words='<mujoco><compiler boundmass="9"/></mujoco>'))


def test_its_own_name_stands_in_for_one(write):
    text = model(BODY.replace('"s"', '"part"'), '<asset><model file="sub/part.xml"/></asset>')
    assert_same(write(text, model(TREE)))


FRAME_F = f'<frame name="f" pos="0 0 1"><body name="b" pos="1 0 0"><joint name="j"/>{BALL}</body></frame>'
OF_ITSELF = {
    "a frame": f'{FRAME_F}<body><attach frame="f" prefix="p_"/></body>',
    "a body": f'{FRAME_F}<frame pos="0 2 0"><attach body="b" prefix="p_"/></frame>',
    "what stands in it before": f'<body name="b">{BALL}<body name="c"/><attach body="b" prefix="p_"/><body name="d"/></body>',
    "a copy": f'{FRAME_F}<attach frame="f" prefix="p_"/><attach body="p_b" prefix="q_"/>',
    "copies": f'{FRAME_F}<replicate count="2" offset="1 0 0"><attach frame="f" prefix="p_"/></replicate>',
}


@pytest.mark.parametrize("name", OF_ITSELF)
def test_a_model_may_attach_what_stands_before_in_itself(write, name):
    assert_same(write(model(OF_ITSELF[name]), model(TREE)))


def test_motors_of_what_is_not_attached_are_left_behind():
    drives = '<actuator><motor name="m" joint="j"/><motor name="n" joint="k"/></actuator>'
    one = f'<body name="c"><joint name="k"/>{BALL}</body>'
    text = model(FRAME_F + one + '<attach frame="f" prefix="p_"/>').replace("</mujoco>", drives + "</mujoco>")
    robot = it.load_text(text)
    assert len(robot.mjcf.motors) == mujoco.MjModel.from_xml_string(text).nu == 3


def test_attaching_over_and_over_ends_in_an_error(monkeypatch):
    monkeypatch.setattr(bodies, "MOST_COPIES", 5_000)
    rows = ['<frame name="f0"><body/></frame>']
    rows += [
        f'<frame name="f{n}"><attach frame="f{n - 1}" prefix="a"/><attach frame="f{n - 1}" prefix="b"/></frame>'
        for n in range(1, 30)
    ]
    with pytest.raises(ParseError, match="exceed the limit"):
        it.load_text(model("".join(rows)))


WRONG = {
    "a later frame of its own": (main('<attach frame="f" prefix="p_"/><frame name="f"/>'), "before the <attach>"),
    "nothing of its own": (main('<attach prefix="p_"/>'), "names no model, body or frame"),
    "unknown body": (main(BODY.replace('"a"', '"z"')), "no body 'z'"),
    "unknown frame": (main(FRAME.replace('"f"', '"z"')), "no frame 'z'"),
    "unknown model": (main(BODY.replace('"s"', '"z"')), "has s"),
    "both": (main(BODY.replace("body", 'frame="f" body')), "keep one"),
    "no prefix": (main(BODY.replace('prefix="p_"', "")), "prefix"),
    "no file": (main(BODY).replace("part.xml", "none.xml"), "none.xml"),
    "itself": (main(BODY).replace("sub/part.xml", "main.xml"), "Circular model"),
    "same prefix": (main(BODY + BODY), "p_a"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_attached(write, name):
    text, says = WRONG[name]
    path = write("\n\n" + text.replace("<attach", "\n<attach"), model(TREE))
    if name != "itself":  # MuJoCo would not come to an end
        with pytest.raises(ValueError, match=r".*"):
            mujoco.MjModel.from_xml_path(str(path))
    with pytest.raises(ParseError, match=says) as caught:
        it.load(path)
    assert caught.value.line is not None


def test_another_format_is_refused(write):
    with pytest.raises(ParseError, match="only MJCF"):
        it.load(write(main(WHOLE), "<robot name='r'><link name='l'/></robot>"))


def test_what_is_wrong_there_is_found_there(write):
    path = write(main(BODY + BODY.replace("p_", "q_")), model(f'\n<body name="a"><joint/>\n{IRREGULAR}</body>'))
    found = [finding for finding in it.check(it.load(path)).findings if finding.code == "triangle-inequality"]
    assert [finding.link for finding in found] == ["p_a", "q_a"]
    assert {(finding.file, finding.line) for finding in found} == {(str(path.parent / "sub/part.xml"), 3)}


def test_it_is_corrected_where_it_stands(write):
    text = main(BODY + BODY.replace("p_", "q_") + f"<body><joint/>\n  {IRREGULAR} <!-- here --></body>")
    inner = model(f'<body name="x"><joint/>\r\n\t{IRREGULAR}</body>')
    part = model(
        f'<!-- kept --><body name="a"><joint/>  {IRREGULAR}<attach model="d" body="x" prefix="q_"/></body>',
        "<asset>\n<model name='d' file='inner.xml'/></asset>",
    )
    path = write(text, part, inner=inner)
    files = {path: text, path.parent / "sub/part.xml": part, path.parent / "sub/inner.xml": inner}
    for file, written in files.items():
        file.write_bytes(written.encode())
    correction = it.fix(it.load(path))
    assert correction.is_complete
    with pytest.raises(WriteError, match=r"part\.xml|inner\.xml"):
        correction.save(path.parent / "other.xml")
    correction.save(path)
    for file, written in files.items():
        now = file.read_bytes().decode()
        before, _, after = written.partition(IRREGULAR)
        assert now.startswith(before) and now.endswith(after) and now != written
    assert_same(path)
    assert it.fix(it.load(path)).text == path.read_bytes().decode()


def test_geoms_that_override_are_named_with_their_file(write):
    path = write(main(BODY), model(f'<body name="a">{STATED}{BALL}</body>', '<compiler inertiafromgeom="true"/>'))
    with pytest.raises(WriteError, match=r"part\.xml.*lets geoms override"):
        it.fix(it.load(path), masses=it.MassModel(link_mass={"p_a": 3.0}))
