# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Documents in other encodings than UTF-8 are read as any other, and corrected in their own encoding."""

import shutil
import subprocess

import pytest
from robots import BOX, GOOD, joint, link, mass, urdf

import inertia_tools as it
from inertia_tools.cli import main
from inertia_tools.errors import ParseError

CODECS = ("utf-16", "utf-16-le", "utf-16-be", "utf-32")
DECLARED = '<?xml version="1.0" encoding="UTF-16"?>\n'
NAME = "Grüße \N{ROBOT FACE}"
TEXT = urdf(f"<!-- {NAME} -->" + link(NAME, GOOD, BOX), link("bad", mass(2), BOX), joint("bad", parent=NAME))
SDF = f"""<sdf version='1.9'><model name='m'><link name='{NAME}'><inertial><mass>-1</mass></inertial>
  <collision name='c'><geometry><box><size>1 1 1</size></box></geometry></collision></link></model></sdf>"""
MJCF = f"<mujoco><worldbody><body name='{NAME}'><joint/><geom size='1'/></body></worldbody></mujoco>"


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("head", ["", DECLARED])
@pytest.mark.parametrize("text", [TEXT, SDF, MJCF])
def test_it_is_the_same_in_any_encoding(text, head, codec, tmp_path):
    plain = it.load_text(text)
    file = tmp_path / "robot.xml"
    file.write_bytes((head + text).encode(codec))
    for robot in (it.load(file), it.load_text((head + text).encode(codec))):
        assert list(robot.links) == list(plain.links)
        codes = [[f.code for f in it.check(one).findings] for one in (robot, plain)]
        assert codes[0] == codes[1]
        lines = [one.place.line for one in robot.links.values()]
        assert lines == [one.place.line + bool(head) for one in plain.links.values()]


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("text", [TEXT, SDF])
def test_a_correction_keeps_the_encoding(text, codec, tmp_path):
    file, plain = tmp_path / "robot.xml", tmp_path / "plain.xml"
    file.write_bytes((DECLARED + text).encode(codec))
    plain.write_bytes(text.encode())
    assert main(["fix", str(file), "--in-place"]) == main(["fix", str(plain), "--in-place"]) == 0
    assert file.read_bytes() == (DECLARED + plain.read_text()).encode(codec)
    assert not it.fix(it.load(file)).changes


def test_text_may_declare_what_it_was():
    assert list(it.load_text(DECLARED + TEXT).links) == [NAME, "bad"]


def test_an_included_file_keeps_its_own_encoding(tmp_path):
    body = "<body name='b'><joint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 9'/></body>"
    (tmp_path / "part.xml").write_bytes(f"<mujocoinclude>{body}</mujocoinclude>".encode("utf-16"))
    main_file = tmp_path / "main.xml"
    main_file.write_text("<mujoco><worldbody><include file='part.xml'/></worldbody></mujoco>")
    correction = it.fix(it.load(main_file))
    assert correction.is_complete
    correction.save(main_file)
    assert it.load(main_file).links["b"].inertial.is_valid()
    assert (tmp_path / "part.xml").read_bytes().decode("utf-16").startswith("<mujocoinclude>")


def test_an_included_file_keeps_its_declared_encoding(tmp_path):
    body = "<body name='Größe'><joint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 9'/></body>"
    part = f"<?xml version='1.0' encoding='iso-8859-1'?><mujocoinclude>{body}</mujocoinclude>"
    (tmp_path / "part.xml").write_bytes(part.encode("latin-1"))
    main_file = tmp_path / "main.xml"
    main_file.write_text("<mujoco><worldbody><include file='part.xml'/></worldbody></mujoco>")
    correction = it.fix(it.load(main_file))
    assert correction.is_complete
    assert "Größe" in correction.corrected.links
    correction.save(main_file)
    assert it.load(main_file).links["Größe"].inertial.is_valid()
    assert (tmp_path / "part.xml").read_bytes().startswith(part.encode("latin-1")[:90])


NARROW = {
    "ISO-8859-1": "Größe é",
    "iso-8859-15": "Preis €",
    "windows-1252": "Preis €",
    "koi8-r": "Робот",
    "Shift_JIS": "ロボット",
    "GBK": "机器人",
    "US-ASCII": "robot",
}
PLUGIN = "<gazebo><plugin name='{0}' filename='x.so'><label>{0}</label></plugin></gazebo>"


def written(codec: str) -> str:
    name = NARROW[codec]
    robot = urdf(link(name, mass(-2), BOX), PLUGIN.format(name)).replace("><", ">\n<")
    return f'<?xml version="1.0" encoding="{codec}"?>\n{robot}'


@pytest.mark.parametrize("codec", NARROW)
def test_a_declared_encoding_is_kept_and_no_character_is_lost(codec, tmp_path):
    name, text = NARROW[codec], written(codec)
    file = tmp_path / "robot.urdf"
    file.write_bytes(text.encode(codec))
    robot = it.load(file)
    assert list(robot.links) == [name]
    correction = it.fix(robot)
    assert correction.data == it.fix(it.load_text(text)).text.encode(codec)
    assert name in correction.text and name in correction.diff()
    converted = it.convert(robot, format="sdf", fix=True)
    assert f"<label>{name}</label>" in converted.text
    assert list(converted.converted.links) == [name]


@pytest.mark.parametrize("codec", NARROW)
def test_a_text_is_what_it_says_whatever_it_declares(codec):
    assert list(it.load_text(written(codec)).links) == [NARROW[codec]]


@pytest.mark.skipif(shutil.which("patch") is None, reason="patch is not installed")
@pytest.mark.parametrize("codec", NARROW)
def test_the_printed_difference_can_be_applied(codec, tmp_path, capfdbinary):
    file, data = tmp_path / "robot.urdf", written(codec).replace("\n", "").encode(codec)
    file.write_bytes(data)
    corrected = it.fix(it.load(file)).data
    assert main(["fix", str(file), "--diff", "--quiet"]) == 0
    printed = capfdbinary.readouterr().out
    subprocess.run(["patch", "--binary", str(file)], input=printed, check=True, capture_output=True)
    assert file.read_bytes() == corrected != data


@pytest.mark.parametrize(
    ("codec", "remedy"),
    [("ascii", "save it as UTF-8"), ("x-klingon", "declare the encoding"), ("base64", "declare the encoding")],
)
def test_what_is_not_as_declared_is_refused_with_a_remedy(codec, remedy):
    text = f'<?xml version="1.0" encoding="{codec}"?>' + urdf(link("Größe", GOOD, BOX))
    with pytest.raises(ParseError, match=f"{codec}.*{remedy}"):
        it.load_text(text.encode())
