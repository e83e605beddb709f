# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""inertia_server as a process of its own: topics, services, parameters, and what it does with bad input."""

from __future__ import annotations

import math
import os
import xml.etree.ElementTree as ET
from types import SimpleNamespace

import pytest

msg = pytest.importorskip("inertia_tools.msg", reason="the messages are not built")
pytest.importorskip("rclpy", reason="rclpy is not installed")

from diagnostic_msgs.msg import DiagnosticStatus  # noqa: E402
from rcl_interfaces.srv import DescribeParameters  # noqa: E402
from robots import BOX, GOOD, joint, link, mass, tensor, urdf  # noqa: E402
from std_msgs.msg import String  # noqa: E402
from visualization_msgs.msg import Marker, MarkerArray  # noqa: E402

import inertia_tools as it  # noqa: E402
from inertia_tools import srv  # noqa: E402
from inertia_tools.ros import inertia_work  # noqa: E402
from inertia_tools.ros.inertia_server import InertiaServer  # noqa: E402

SOUND = mass(6) + tensor(0.065, 0.05, 0.025)  # a solid box of 0.1 x 0.2 x 0.3 m
FAULTY = urdf(link("base", SOUND, BOX), link("arm", mass(2) + tensor(1, 1, 5), BOX), joint("arm"))
CLEAN = urdf(link("base", SOUND, BOX), link("arm", SOUND, BOX), joint("arm"))
CORNERS = ("0 0 0", "1 0 0", "0 1 0", "0 0 1")
FACET = "facet normal 0 0 0\nouter loop\nvertex {}\nvertex {}\nvertex {}\nendloop\nendfacet\n"
FACES = ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2))
TETRAHEDRON = "solid t\n" + "".join(FACET.format(*(CORNERS[k] for k in face)) for face in FACES) + "endsolid t\n"
HOPELESS = urdf(link("base", SOUND, BOX), link("arm", SOUND, '<mesh filename="/nowhere/arm.stl"/>'), joint("arm"))


@pytest.fixture(scope="module")
def server(shared_graph):
    shared_graph.start("inertia_server", {"robot_description": FAULTY})
    return shared_graph


def compute(graph, text="", **options):
    model = msg.ModelSource(text=text)
    return graph.call(
        srv.ComputeInertials, "inertia_server/compute_inertials", model=model, options=msg.ComputeOptions(**options)
    )


def validate(graph, **fields):
    return graph.call(srv.ValidateInertials, "inertia_server/validate_inertials", **fields)


def correct(graph, **fields):
    return graph.call(srv.CorrectModel, "inertia_server/correct_model", **fields)


# Services on the held model and on models of the request


def test_empty_validate_request_judges_the_held_model(server):
    answer = validate(server)
    assert (answer.success, answer.valid, answer.error.value) == (True, False, msg.ErrorCode.NONE)
    assert [entry.link for entry in answer.links] == ["base", "arm"]
    assert [entry.valid for entry in answer.links] == [True, False]
    assert "triangle-inequality" in [finding.code for finding in answer.links[1].findings]
    assert answer.links[1].declared.inertia.izz == 5.0
    assert answer.links[1].computed.method == msg.LinkInertial.METHOD_PRIMITIVE
    assert answer.message.startswith("2 links, 1 error, ")


def test_validate_can_leave_geometry_out(server):
    answer = validate(server, compare_geometry=False)
    assert {entry.computed.method for entry in answer.links} == {msg.LinkInertial.METHOD_NONE}


def test_density_bounds_of_the_request_decide(server):
    text = msg.ModelSource(text=CLEAN)
    normal, strict = validate(server, model=text), validate(server, model=text, density_max=500.0)
    codes = [{finding.code for finding in answer.links[0].findings} for answer in (normal, strict)]
    assert "density-high" not in codes[0]
    assert "density-high" in codes[1]


def test_compute_keeps_the_mass_or_takes_the_density(server):
    kept = compute(server)
    assert kept.success, kept.message
    assert [value.inertia.m for value in kept.inertials] == pytest.approx([6.0, 2.0])
    dense = compute(server, mass_policy=msg.ComputeOptions.MASS_DENSITY, density=2000.0, links=["arm"])
    (arm,) = dense.inertials
    assert arm.inertia.m == pytest.approx(2000.0 * 0.006)
    assert arm.volume == pytest.approx(0.006)
    assert arm.inertia.ixx == pytest.approx(12.0 / 12.0 * (0.2**2 + 0.3**2))


def test_compute_of_a_link_without_geometry_gives_nan(server):
    answer = compute(server, urdf(link("base", GOOD)), links=["base"])
    assert not answer.success
    assert answer.inertials[0].method == msg.LinkInertial.METHOD_NONE
    assert math.isnan(answer.inertials[0].volume)


def test_correct_gives_a_model_without_errors(server):
    answer = correct(server)
    assert answer.success, answer.message
    assert [entry.changed for entry in answer.links] == [False, True]
    again = validate(server, model=msg.ModelSource(text=answer.model_text))
    assert again.valid, again.message


def test_correct_leaves_other_bytes_alone(server):
    text = FAULTY.replace("<robot", "<!-- a comment that must stay -->\n<robot")
    answer = correct(server, model=msg.ModelSource(text=text))
    before, after = text.splitlines(), answer.model_text.splitlines()
    assert len(before) == len(after)
    assert [number for number, pair in enumerate(zip(before, after, strict=True)) if pair[0] != pair[1]] == [3]


def test_scope_all_changes_every_link(server):
    answer = correct(server, model=msg.ModelSource(text=CLEAN), scope=2)
    untouched = correct(server, model=msg.ModelSource(text=CLEAN))
    assert answer.success
    assert untouched.model_text == CLEAN
    masses = [float(element.get("value")) for element in ET.fromstring(answer.model_text).iter("mass")]
    assert masses == pytest.approx([6.0, 6.0])


@pytest.fixture(scope="module")
def fenced(fenced_graph, tmp_path_factory):
    """A node that may read `read` and write `out`, and the folder of both."""
    folder = tmp_path_factory.mktemp("fenced")
    for name in ("read", "out", "elsewhere"):
        (folder / name).mkdir()
        (folder / name / "robot.urdf").write_text(CLEAN)
        (folder / name / "arm.stl").write_text(TETRAHEDRON)
    (folder / "out/link").symlink_to(folder / "elsewhere")
    (folder / "out/link.urdf").symlink_to(folder / "elsewhere/robot.urdf")
    (folder / "read/link.urdf").symlink_to(folder / "elsewhere/robot.urdf")
    os.mkfifo(folder / "out/pipe")
    roots = {"allowed_roots": [str(folder / "read")], "output_root": str(folder / "out")}
    fenced_graph.start("inertia_server", {"robot_description": FAULTY, **roots})
    return fenced_graph, folder


def test_correct_writes_the_file_asked_for(fenced):
    graph, folder = fenced
    for path in (folder / "out/fixed.urdf", folder / "elsewhere/../out/again.urdf"):
        answer = correct(graph, output_path=str(path))
        assert answer.success, answer.message
        assert path.read_text() == answer.model_text


@pytest.mark.parametrize(
    "path",
    ["elsewhere/new.urdf", "elsewhere/robot.urdf", "out/../elsewhere/new.urdf", "out/link/new.urdf", "out/link.urdf"]
    + ["out", "out/pipe", "out/new.xacro", "out/new.urdf.XACRO", "output/new.urdf", "out/none/new.urdf"],
)
def test_nothing_is_written_elsewhere(fenced, path):
    graph, folder = fenced
    before = {file: file.is_file() and file.read_bytes() for file in folder.rglob("*")}
    answer = correct(graph, output_path=f"{folder}/{path}")
    assert (answer.success, answer.error.value) == (False, msg.ErrorCode.WRITE_FAILED)
    assert "written" in answer.message
    assert {file: file.is_file() and file.read_bytes() for file in folder.rglob("*")} == before


def test_without_a_root_nothing_is_written(server, tmp_path):
    answer = correct(server, output_path=str(tmp_path / "fixed.urdf"))
    assert (answer.success, answer.error.value) == (False, msg.ErrorCode.WRITE_FAILED)
    assert "output_root" in answer.message
    assert list(tmp_path.iterdir()) == []


def test_included_files_are_written_inside_the_root_only(fenced):
    graph, folder = fenced
    body = '<body name="{}"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 5"/><geom size="0.1"/></body>'
    (folder / "read/part.xml").write_text(f"<mujoco><worldbody>{body.format('a')}</worldbody></mujoco>")
    (folder / "read/scene.xml").write_text('<mujoco><include file="part.xml"/></mujoco>')
    before = (folder / "read/part.xml").read_bytes()
    model = msg.ModelSource(uri=str(folder / "read/scene.xml"))
    answer = correct(graph, model=model, output_path=str(folder / "read/scene.xml"))
    assert (answer.success, answer.error.value) == (False, msg.ErrorCode.WRITE_FAILED)
    assert (folder / "read/part.xml").read_bytes() == before


def test_files_are_read_inside_the_roots_only(fenced):
    graph, folder = fenced
    assert validate(graph, model=msg.ModelSource(uri=str(folder / "read/robot.urdf"))).success
    for path in ("elsewhere/robot.urdf", "read/../elsewhere/robot.urdf", "read/link.urdf"):
        answer = validate(graph, model=msg.ModelSource(uri=f"{folder}/{path}"))
        assert (answer.success, answer.error.value) == (False, msg.ErrorCode.PARSE_ERROR)
        assert "allowed_roots" in answer.message


def test_meshes_of_text_are_read_inside_the_roots_only(fenced):
    graph, folder = fenced
    for name, methods in (("read", [msg.LinkInertial.METHOD_MESH]), ("elsewhere", [msg.LinkInertial.METHOD_NONE])):
        text = urdf(link("base", SOUND, f'<mesh filename="{folder}/{name}/arm.stl"/>'))
        answer = compute(graph, text, links=["base"])
        assert [value.method for value in answer.inertials] == methods, answer.message


def test_xacro_in_text_is_refused_and_never_run(server, tmp_path):
    mark = tmp_path / "mark"
    call = "().__class__.__base__.__subclasses__()"
    text = urdf(
        f"""<link name="${{[c for c in {call} if c.__name__ == '_wrap_close'][0].__init__.__globals__['system']('touch {mark}')}}"/>"""
    )
    for answer in (
        validate(server, model=msg.ModelSource(text=text)),
        correct(server, model=msg.ModelSource(text=text)),
    ):
        assert (answer.success, answer.error.value) == (False, msg.ErrorCode.PARSE_ERROR)
        assert "is xacro" in answer.message
    result = server.set_parameter("inertia_server", "robot_description", text)
    assert (result.successful, "is xacro" in result.reason) == (False, True)
    assert not mark.exists()


def test_roots_are_set_at_start_only(server):
    for name, value in (("allowed_roots", ["/"]), ("output_root", "/")):
        assert not server.set_parameter("inertia_server", name, value).successful


def test_model_from_a_uri(server, tmp_path):
    file = tmp_path / "robot.urdf"
    file.write_text(CLEAN)
    for uri in (f"file://{file}", str(file)):
        answer = validate(server, model=msg.ModelSource(uri=uri))
        assert answer.valid, answer.message


@pytest.mark.parametrize(
    ("uri", "said"),
    [
        ("{}", "is not a regular file; correct the path"),
        ("http://somewhere/robot.urdf", "http:// is not fetched; download it and name the local file"),
        ("package://nothing/robot.urdf", 'Could not resolve package "nothing", searched in'),
    ],
)
def test_a_uri_of_no_file_is_answered_with_the_reason(server, tmp_path, uri, said):
    answer = validate(server, model=msg.ModelSource(uri=uri.format(tmp_path)))
    assert (answer.success, answer.error.value) == (False, msg.ErrorCode.PARSE_ERROR)
    assert said in answer.message


# What goes wrong is an answer


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"model": msg.ModelSource(text="<robot")}, msg.ErrorCode.PARSE_ERROR),
        ({"model": msg.ModelSource(uri="file:///nowhere/robot.urdf")}, msg.ErrorCode.PARSE_ERROR),
        ({"model": msg.ModelSource(text=CLEAN, format=2)}, msg.ErrorCode.PARSE_ERROR),
        ({"options": msg.ComputeOptions(links=["leg"])}, msg.ErrorCode.UNKNOWN_LINK),
        ({"options": msg.ComputeOptions(density=-1.0)}, msg.ErrorCode.INVALID_OPTION),
        ({"options": msg.ComputeOptions(density=math.nan)}, msg.ErrorCode.INVALID_OPTION),
        ({"options": msg.ComputeOptions(geometry=9)}, msg.ErrorCode.INVALID_OPTION),
        ({"model": msg.ModelSource(text=HOPELESS)}, msg.ErrorCode.MISSING_MESH),
    ],
    ids=["torn", "no file", "other format", "no link", "density", "nan", "enumeration", "no mesh"],
)
def test_bad_compute_request_gets_its_code_and_a_reason(server, fields, code):
    answer = server.call(srv.ComputeInertials, "inertia_server/compute_inertials", **fields)
    assert not answer.success
    assert answer.error.value == code, answer.message
    assert answer.message
    assert validate(server).success  # the node lives on


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"scope": 9}, msg.ErrorCode.INVALID_OPTION),
        ({"output_path": "relative.urdf"}, msg.ErrorCode.INVALID_OPTION),
        ({"output_path": "/nowhere/fixed.urdf"}, msg.ErrorCode.WRITE_FAILED),
        ({"options": msg.ComputeOptions(links=["leg"])}, msg.ErrorCode.UNKNOWN_LINK),
    ],
    ids=["scope", "relative path", "no folder", "no link"],
)
def test_bad_correct_request_gets_its_code_and_a_reason(server, fields, code):
    answer = correct(server, **fields)
    assert not answer.success
    assert answer.error.value == code, answer.message


def test_density_bounds_out_of_order_are_refused(server):
    answer = validate(server, density_min=10.0, density_max=5.0)
    assert not answer.success
    assert answer.error.value == msg.ErrorCode.INVALID_OPTION


# Topics


def test_description_on_the_topic_comes_out_corrected(graph):
    graph.start("inertia_server")
    publish = graph.latched_publisher("robot_description")
    publish(FAULTY)
    corrected = graph.listen(String, "corrected_robot_description", latched=True)
    first = graph.receive(corrected, what="corrected description").data
    assert validate(graph, model=msg.ModelSource(text=first)).valid
    assert first != FAULTY
    publish(CLEAN)
    assert graph.receive(corrected, what="second description").data == CLEAN


def test_late_subscriber_gets_description_and_markers(server):
    description = server.receive(server.listen(String, "corrected_robot_description", latched=True))
    assert ET.fromstring(description.data).tag == "robot"
    markers = server.receive(server.listen(MarkerArray, "inertia_server/inertia_markers", latched=True)).markers
    assert markers[0].action == Marker.DELETEALL
    drawn = {(marker.ns, marker.header.frame_id) for marker in markers[1:]}
    assert {("declared", "base"), ("computed", "base"), ("computed", "arm")} <= drawn
    base = next(marker for marker in markers[1:] if marker.header.frame_id == "base")
    assert sorted([base.scale.x, base.scale.y, base.scale.z]) == pytest.approx([0.1, 0.2, 0.3], rel=1e-6)


def test_publishing_can_be_asked_for(graph):
    graph.start("inertia_server", {"robot_description": CLEAN})
    corrected = graph.listen(String, "corrected_robot_description", latched=True)
    assert graph.receive(corrected).data == CLEAN
    dense = msg.ComputeOptions(mass_policy=msg.ComputeOptions.MASS_DENSITY, density=2000.0)
    answer = correct(graph, scope=2, options=dense, publish=True)
    assert answer.model_text != CLEAN
    assert graph.receive(corrected).data == answer.model_text


def test_no_request_publishes_unasked_or_another_model(graph, tmp_path):
    graph.start("inertia_server", {"robot_description": CLEAN})
    corrected = graph.listen(String, "corrected_robot_description", latched=True)
    assert graph.receive(corrected).data == CLEAN
    (tmp_path / "robot.urdf").write_text(FAULTY)
    assert not srv.CorrectModel.Request().publish
    assert correct(graph, scope=2).success
    for model in (msg.ModelSource(text=FAULTY), msg.ModelSource(uri=str(tmp_path / "robot.urdf"))):
        answer = correct(graph, model=model, publish=True)
        assert answer.success
        assert "not published" in answer.message
        assert answer.model_text not in ("", CLEAN)
    late = graph.listen(String, "corrected_robot_description", latched=True)
    assert graph.receive(late).data == CLEAN
    assert corrected == []


def test_broken_description_is_reported_and_the_last_good_one_stays(graph):
    process = graph.start("inertia_server")
    publish = graph.latched_publisher("robot_description")
    publish(FAULTY)
    corrected = graph.listen(String, "corrected_robot_description", latched=True)
    statuses = graph.statuses("inertia_server")
    graph.receive(corrected)
    publish("<robot name='torn'><link")
    graph.spin_until(lambda: "cannot use the robot description" in graph.log_of(process), "a log line")
    graph.spin_until(lambda: any("refused" in status.message for status in statuses), "diagnostics")
    assert statuses[-1].level == DiagnosticStatus.ERROR
    assert [entry.link for entry in validate(graph).links] == ["base", "arm"]
    assert corrected == []
    publish(CLEAN)
    assert graph.receive(corrected).data == CLEAN


def test_request_without_any_model_says_so(graph):
    process = graph.start("inertia_server")
    answer = validate(graph)
    assert not answer.success
    assert answer.error.value == msg.ErrorCode.NO_MODEL
    assert "robot_description" in answer.message
    assert f"waiting for a robot description on {graph.namespace}/robot_description" in graph.log_of(process)


def test_diagnostics_come_every_second_and_count(server):
    statuses = server.statuses("inertia_server")
    server.spin_until(lambda: len(statuses) >= 3, "three diagnostics")
    status = statuses[-1]
    values = {pair.key: pair.value for pair in status.values}
    assert status.level == DiagnosticStatus.ERROR
    assert (values["links"], values["errors"], values["errors after correction"]) == ("2", "1", "0")


# Parameters


def test_every_own_parameter_is_described(server):
    from inertia_tools.ros.inertia_parameters import SPECS

    names = [spec.name for spec in SPECS]
    answer = server.call(DescribeParameters, "inertia_server/describe_parameters", names=names)
    assert [descriptor.name for descriptor in answer.descriptors] == names
    assert all(descriptor.description for descriptor in answer.descriptors)
    (density,) = [descriptor for descriptor in answer.descriptors if descriptor.name == "density"]
    assert density.floating_point_range[0].from_value > 0.0


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("density", -5.0),
        ("scope", "everything"),
        ("robot_description", ""),
        ("robot_description", "<robot"),
        ("output_format", "mjcf"),
    ],
)
def test_unusable_parameter_value_is_refused_with_a_reason(server, name, value):
    result = server.set_parameter("inertia_server", name, value)
    assert not result.successful
    assert result.reason
    assert [entry.link for entry in validate(server).links] == ["base", "arm"]


def test_changed_parameter_publishes_anew(graph):
    graph.start("inertia_server", {"robot_description": CLEAN})
    corrected = graph.listen(String, "corrected_robot_description", latched=True)
    assert graph.receive(corrected).data == CLEAN
    assert graph.set_parameter("inertia_server", "robot_description", FAULTY).successful
    assert "5" not in ET.fromstring(graph.receive(corrected).data).find("link[@name='arm']//inertia").get("izz")
    assert graph.set_parameter("inertia_server", "scope", "all").successful
    assert graph.receive(corrected).data


SDF = """<sdf version="1.9"><model name="m"><link name="base"><inertial auto="true"><density>500</density></inertial>
<collision name="c"><geometry><box><size>1 1 1</size></box></geometry></collision></link>
<link name="arm"><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>5</izz></inertia></inertial>
<collision name="c"><geometry><sphere><radius>0.1</radius></sphere></geometry></collision></link>
<joint name="j" type="revolute"><parent>base</parent><child>arm</child><axis><xyz>0 0 1</xyz></axis></joint></model></sdf>"""


def test_sdformat_is_corrected_as_sdformat(graph):
    graph.start("inertia_server", {"robot_description": SDF, "output_format": "sdf"})
    corrected = graph.receive(graph.listen(String, "corrected_robot_description", latched=True)).data
    arm = ET.fromstring(corrected).find("model/link[@name='arm']/inertial/inertia")
    moments = [float(arm.findtext(name)) for name in ("ixx", "iyy", "izz")]
    assert moments[0] + moments[1] >= moments[2] > 0.0
    assert "<density>500</density>" in corrected


def test_automatic_inertials_are_numbers_in_what_is_published(graph):
    graph.start("inertia_server", {"robot_description": SDF, "output_format": "sdf"})
    corrected = graph.receive(graph.listen(String, "corrected_robot_description", latched=True)).data
    base = it.load_text(corrected).links["base"]
    assert (base.declared.auto, base.inertial.mass) == (False, 500.0)


def test_a_urdf_is_published_as_sdformat_without_auto(graph):
    graph.start("inertia_server", {"robot_description": FAULTY, "output_format": "sdf"})
    corrected = graph.receive(graph.listen(String, "corrected_robot_description", latched=True)).data
    model = it.load_text(corrected)
    assert model.format.value == "sdf"
    assert all(link.declared.is_stated and link.inertial.is_valid() for link in model.links.values())
    assert "auto=" not in corrected
    assert graph.set_parameter("inertia_server", "output_format", "urdf").successful


def test_sdformat_that_fits_is_published_as_urdf(graph):
    graph.start("inertia_server", {"robot_description": SDF})
    corrected = graph.receive(graph.listen(String, "corrected_robot_description", latched=True)).data
    assert it.load_text(corrected).links["base"].inertial.mass == 500.0


def test_what_does_not_fit_is_refused_with_the_remedy(graph):
    several = SDF.replace('type="revolute"', 'type="ball"')
    process = graph.start("inertia_server", {"robot_description": several})
    statuses = graph.statuses("inertia_server")
    graph.spin_until(lambda: "set output_format to 'sdf'" in graph.log_of(process), "a log line")
    graph.spin_until(lambda: any("ball joint" in status.message for status in statuses), "diagnostics")


def test_input_and_output_of_one_name_are_refused(graph):
    process = graph.start("inertia_server", remaps=("corrected_robot_description:=robot_description",))
    assert process.wait(timeout=240) == 1
    assert "cannot start" in graph.log_of(process)
    assert f"{graph.namespace}/robot_description" in graph.log_of(process)


def test_in_line_use_publishes_on_robot_description(graph):
    graph.start("inertia_server", {"robot_description": CLEAN}, ("corrected_robot_description:=robot_description",))
    assert graph.receive(graph.listen(String, "robot_description", latched=True)).data == CLEAN


def test_interrupt_ends_the_node_cleanly(graph):
    process = graph.start("inertia_server", {"robot_description": CLEAN})
    graph.receive(graph.listen(String, "corrected_robot_description", latched=True))
    assert graph.stop(process) == 0


# Under load


def heavy_model(folder):
    """Write a robot that takes a second to read, every time it is asked for, and return it as a model."""
    names = [f"link_{number}" for number in range(8000)]
    parts = [link(name, SOUND, BOX) + joint(name) for name in names]
    (folder / "heavy.urdf").write_text(urdf(link("base", SOUND, BOX), *parts))
    return msg.ModelSource(uri=str(folder / "heavy.urdf"))


def test_other_calls_are_answered_while_heavy_work_runs_and_the_rest_is_refused(graph, tmp_path):
    graph.start("inertia_server", {"robot_description": FAULTY})
    assert not validate(graph).valid
    heavy = srv.ComputeInertials.Request(model=heavy_model(tmp_path), options=msg.ComputeOptions(links=["base"]))
    client = graph.client(srv.ComputeInertials, "inertia_server/compute_inertials")
    statuses = graph.statuses("inertia_server")
    pending = [client.call_async(heavy) for _ in range(50)]
    for _ in range(20):
        assert not validate(graph).valid
    assert not all(future.done() for future in pending)
    graph.spin_until(lambda: sum(future.done() for future in pending) >= 5, "refusals")
    codes = {future.result().error.value for future in pending if future.done()}
    assert codes <= {msg.ErrorCode.BUSY, msg.ErrorCode.NONE}
    assert msg.ErrorCode.BUSY in codes
    counts = {("requests refused as busy", str(count)) for count in range(1, 51)}
    graph.spin_until(lambda: counts & {(p.key, p.value) for s in statuses for p in s.values}, "a count")


@pytest.mark.parametrize(("clients", "is_wanted"), [((0, 0), True), ((1, 1), True), ((1, 0), False)])
def test_work_is_dropped_when_those_who_asked_were_seen_and_have_gone(clients, is_wanted):
    counts = iter(clients)
    node = SimpleNamespace(resolve_service_name=str, count_clients=lambda name: next(counts))
    assert InertiaServer._has_clients(node, inertia_work.compute)() == is_wanted


def test_work_beyond_the_time_limit_is_ended_and_the_node_goes_on(graph, tmp_path):
    graph.start("inertia_server", {"robot_description": CLEAN})
    assert validate(graph).valid
    assert graph.set_parameter("inertia_server", "time_limit", 0.01).successful
    model = heavy_model(tmp_path)
    answer = graph.call(srv.ComputeInertials, "inertia_server/compute_inertials", model=model)
    assert (answer.success, answer.error.value) == (False, msg.ErrorCode.TIMED_OUT)
    assert graph.set_parameter("inertia_server", "time_limit", 60.0).successful
    assert validate(graph).valid
