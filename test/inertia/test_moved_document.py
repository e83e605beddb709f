# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A correction that is saved in another folder names the files that it does not find there."""

import pytest
from robots import mass, tensor

import inertia_tools as it

STL = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n"
WRONG = mass(-1) + tensor(1, 1, 1)
BOX = "<geometry><box><size>1 1 1</size></box></geometry>"
DOCUMENTS = {
    "robot.urdf": f'<robot name="r"><link name="l"><inertial>{WRONG}</inertial><collision><geometry>'
    '<mesh filename="{}"/></geometry></collision></link></robot>',
    "robot.sdf": '<sdf version="1.9"><model name="m"><link name="l"><inertial><mass>-1</mass></inertial>'
    '<collision name="c"><geometry><mesh><uri>{}</uri></mesh></geometry></collision></link></model></sdf>',
    "robot.xml": '<mujoco><asset><mesh name="m" file="{}"/></asset><worldbody><body name="l"><freejoint/>'
    '<inertial pos="0 0 0" mass="-1" diaginertia="1 1 1"/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>',
}


@pytest.fixture
def folder(tmp_path):
    for name in ("home", "away"):
        (tmp_path / name).mkdir()
    (tmp_path / "home" / "arm.stl").write_text(STL)
    return tmp_path / "home"


def warnings_of_saving(folder, file, caplog) -> list[str]:
    caplog.clear()
    it.fix(it.load(folder / file)).save(folder.parent / "away" / "fixed")
    return [record.message for record in caplog.records if "another folder" in record.message]


@pytest.mark.parametrize("file", DOCUMENTS)
def test_meshes_beside_the_document_are_named(folder, file, caplog):
    (folder / file).write_text(DOCUMENTS[file].format("arm.stl"))
    [said] = warnings_of_saving(folder, file, caplog)
    target = folder.parent / "away" / "fixed"
    assert said == f"{target} is in another folder than {folder / file}, and lacks there: arm.stl"
    it.fix(it.load(folder / file)).save(folder / "beside")
    assert len(caplog.records) == 1


@pytest.mark.parametrize("file", DOCUMENTS)
def test_meshes_with_a_path_of_their_own_are_found_anywhere(folder, file, caplog):
    (folder / file).write_text(DOCUMENTS[file].format(folder / "arm.stl"))
    assert warnings_of_saving(folder, file, caplog) == []


@pytest.mark.parametrize("file", DOCUMENTS)
def test_what_was_missing_before_is_not_lost(folder, file, caplog):
    (folder / file).write_text(DOCUMENTS[file].format("nowhere.stl"))
    assert warnings_of_saving(folder, file, caplog) == []


def test_models_and_documents_that_are_included_are_named(folder, caplog):
    (folder / "part.sdf").write_text('<sdf version="1.9"><model name="p"><link name="l"/></model></sdf>')
    (folder / "robot.sdf").write_text(
        f'<sdf version="1.9"><model name="m"><link name="k"><inertial><mass>-1</mass></inertial><collision name="c">{BOX}'
        "</collision></link><include><uri>part.sdf</uri></include></model></sdf>"
    )
    [said] = warnings_of_saving(folder, "robot.sdf", caplog)
    assert "part.sdf" in said
    (folder / "part.xml").write_text("<mujoco/>")
    (folder / "robot.xml").write_text('<mujoco><include file="part.xml"/><worldbody/></mujoco>')
    [said] = warnings_of_saving(folder, "robot.xml", caplog)
    assert "part.xml" in said
