# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Several robots and objects in one simulation, which come and go; copies of a simulation."""

import numpy as np
import pytest
from robots import joint, link, mass, tensor, urdf

import inertia_tools as it
from inertia_tools.errors import OptionError, SimulationError, UnknownEntityError
from inertia_tools.sim.simulation.built_scene import SETTABLE

pytest.importorskip("warp", reason="warp-lang is not installed")

BOX = '<box size="0.2 0.2 0.2"/>'
ARM = it.load_text(
    urdf(
        link("base", mass(6) + tensor(0.04, 0.04, 0.04), BOX),
        link("arm", mass(1) + tensor(0.01, 0.01, 0.001)),
        joint("arm", origin="0 0 0.5"),
    )
)
CRANE_ARM = it.load_text(
    urdf(
        link("base", mass(6) + tensor(0.04, 0.04, 0.04), BOX),
        link("arm", mass(1) + tensor(0.01, 0.01, 0.001), BOX),
        joint("arm", origin="0 0 0.25"),
    )
)
CUBE = it.load_text(urdf(link("cube", mass(2) + tensor(0.0133, 0.0133, 0.0133), BOX)))

CRANE = it.load_text(
    urdf(
        link("world"),
        link("base", mass(6) + tensor(0.04, 0.04, 0.04), BOX),
        joint("base", parent="world", type_="continuous", origin="0 0 2"),
    )
)

DIVER = it.load_text(
    """<mujoco><worldbody><body name="hull" gravcomp="0.5"><freejoint/><geom size="0.1"/>
    <body name="fin" pos="0.2 0 0" gravcomp="1"><joint name="fin"/><geom size="0.02"/></body></body></worldbody></mujoco>"""
)


def at(x, z=0.1):
    return it.Pose(np.array([x, 0.0, z]))


def simulation(*entities, **options):
    return it.Simulation(entities, **{"dtype": "float64", **options})


def state(sim, *entities):
    now = sim.snapshot()
    rows = [now.names.index(name) for entity in entities for name in sim.links_of(entity)]
    return np.hstack([now.positions, now.quaternions, now.linear_velocities, now.angular_velocities])[rows]


def test_two_of_the_same_robot_move_as_one_alone_does():
    both = simulation(it.Entity("left", ARM, at(-1.0)), it.Entity("right", ARM, at(1.0)))
    alone = it.Simulation(ARM, dtype="float64", pose=at(1.0))
    assert both.names == ("left::base", "left::arm", "right::base", "right::arm")
    assert both.joint_names == ("left::arm_joint", "right::arm_joint")
    assert both.weight == pytest.approx(2.0 * alone.weight)
    both.set_joint_targets(efforts={"right::arm_joint": 0.3})
    alone.set_joint_targets(efforts={"arm_joint": 0.3})
    both.step(60)
    alone.step(60)
    assert both.snapshot().joint_positions["left::arm_joint"] == pytest.approx(0.0, abs=1e-6)
    assert state(both, "right") == pytest.approx(state(alone, ""), abs=1e-9)
    assert np.abs(state(both, "right") - state(both, "left")).max() > 0.1


def test_entities_carry_each_other():
    stacked = simulation(it.Entity("low", CUBE), it.Entity("high", CUBE, at(0.0, 0.3)))
    stacked.step(60)
    (between,) = stacked.contacts("high::cube")
    assert (between.body_a, between.body_b) == ("high::cube", "low::cube")
    assert between.force == pytest.approx([0.0, 0.0, 2.0 * 9.81], abs=1e-3)
    (seen_from_below,) = stacked.contacts("low::cube", "high::cube")
    assert seen_from_below.force == pytest.approx(-between.force)
    assert stacked.contacts("high::cube", "world") == []


def test_a_filter_of_contacts_leaves_those_as_they_are():
    """What stands on the floor presses on it with its weight; summed over `other="world"` that was minus the weight."""
    stacked = simulation(it.Entity("low", CUBE), it.Entity("high", CUBE, at(0.0, 0.3)))
    stacked.step(60)
    (on_floor,) = stacked.contacts(other="world")
    assert (on_floor.body_a, on_floor.body_b) == ("low::cube", "world")
    assert on_floor.force == pytest.approx([0.0, 0.0, stacked.weight], abs=1e-3)
    for name in ("low::cube", "high::cube", "world"):
        of_all = [one for one in stacked.contacts() if name in (one.body_a, one.body_b)]
        pairs = [(one.body_a, one.body_b) for one in stacked.contacts(other=name)]
        assert pairs == [(one.body_a, one.body_b) for one in of_all]


def test_what_was_there_goes_on_when_others_come_and_go():
    kept = simulation(it.Entity("arm", ARM, at(0.0)))
    kept.set_joint_gains(20.0, 0.5)
    kept.set_joint_targets(positions={"arm::arm_joint": 0.4})
    kept.set_gravity((0.0, 0.0, -3.7))
    kept.set_friction({"arm::base": 0.1, "world": 0.1})
    kept.set_position_limits(upper={"arm::arm_joint": 0.5})
    kept.apply_wrench("arm::base", (4.0, 0.0, 0.0), duration=-1.0)
    kept.step(20)
    undisturbed = kept.clone()
    kept.spawn(it.Entity("cube", CUBE, at(3.0)))
    assert kept.names == ("arm::base", "arm::arm", "cube::cube")
    kept.step(20)
    kept.delete("cube")
    kept.step(20)
    undisturbed.step(40)
    assert kept.time == undisturbed.time
    assert kept.gravity == pytest.approx([0.0, 0.0, -3.7])
    assert kept.friction("arm::base") == pytest.approx(0.1)
    assert kept.joint_limits["arm::arm_joint"].upper == 0.5
    assert state(kept, "arm") == pytest.approx(state(undisturbed, "arm"), abs=1e-12)
    assert np.linalg.norm(state(kept, "arm")[0, :3] - [0, 0, 0.1]) > 1e-3, "the wrench has moved it"


def test_what_stood_on_a_deleted_one_falls_from_then_on():
    """It fell as if its support had gone half a substep before: g h / 2 faster."""
    stacked = simulation(*(it.Entity(f"{k}", CUBE, at(0.0, 0.1 + 0.2 * k)) for k in range(3)))
    stacked.step(60)
    stacked.delete("0")
    stacked.step(20)
    fallen = 9.81 * 20 * stacked.dt
    for cube in ("1", "2"):
        velocities = state(stacked, cube)[0, 7:]
        assert velocities == pytest.approx([0.0, 0.0, -fallen, 0.0, 0.0, 0.0], abs=1e-9)


def test_each_link_keeps_its_own_gravity_when_others_come_and_go():
    """In a scene with more freedoms than bodies, and where links before it are gone."""
    sim = simulation(it.Entity("cube", CUBE, at(0.0, 1.0)), it.Entity("diver", DIVER, at(3.0, 1.0)))
    sim.spawn(it.Entity("other", CUBE, at(6.0, 1.0)))
    sim.delete("cube")
    found = dict(zip(sim.model.names, sim.model.body_gravity_scale.numpy(), strict=True))
    assert found == {"diver::world": 1.0, "diver::hull": 0.5, "diver::fin": 0.0, "other::cube": 1.0}


@pytest.mark.parametrize("name", SETTABLE)
def test_every_array_that_may_be_written_is_carried_over(name):
    sim = simulation(it.Entity("cube", CUBE), it.Entity("diver", DIVER, at(3.0, 1.0)))
    array = getattr(sim.model, name)
    array.assign(np.linspace(0.5, 1.0, len(array)))
    written = array.numpy()
    sim.spawn(it.Entity("other", CUBE, at(6.0)))
    assert np.isin(written, getattr(sim.model, name).numpy()).all()


def test_saved_states_are_brought_along():
    sim = simulation(it.Entity("arm", ARM, at(0.0)))
    sim.set_joint_gains(20.0, 0.5)
    start = sim.save()
    sim.set_joint_positions({"arm::arm_joint": 0.5})
    sim.step(5)
    (with_cube,) = sim.spawn(it.Entity("cube", CUBE, at(1.0, 2.0)), [start])
    assert sim.snapshot().joint_positions["arm::arm_joint"] > 0.3
    assert sim.step_count == 5
    sim.step(5)
    (without,) = sim.delete("arm", [with_cube])
    sim.restore(without)
    assert sim.step_count == 0
    assert sim.snapshot().positions == pytest.approx(np.array([[1.0, 0.0, 2.0]]))


def test_misuse_is_named_and_changes_nothing():
    sim = simulation(it.Entity("cube", CUBE))
    with pytest.raises(SimulationError, match="'cube'"):
        sim.spawn(it.Entity("cube", CUBE))
    with pytest.raises(OptionError, match="entity"):
        sim.spawn(CUBE)
    with pytest.raises(UnknownEntityError, match="'cube'"):
        sim.delete("cub")
    with pytest.raises(SimulationError, match="only entity"):
        sim.delete("cube")
    with pytest.raises(OptionError, match="::"):
        it.Entity("a::b", CUBE)
    with pytest.raises(OptionError, match="pose"):
        simulation(it.Entity("cube", CUBE), pose=at(0.0))
    with pytest.raises(OptionError, match="robot"):
        it.Simulation([CUBE])
    saved = sim.save()
    sim.spawn(it.Entity("other", CUBE, at(1.0)))
    with pytest.raises(SimulationError, match="other entities"):
        sim.restore(saved)


def test_a_bolted_robot_that_reaches_below_the_floor_passes_through_it_and_others_do_not():
    deep = it.Entity("arm", CRANE_ARM, at(0.0, -0.2), True)
    mixed = simulation(deep, it.Entity("cube", CUBE, at(3.0, 0.1)))
    alone = simulation(deep)
    for sim in (mixed, alone):
        sim.set_joint_targets(efforts={"arm::arm_joint": 0.2})
        sim.step(60)
    (carried,) = mixed.contacts()
    assert (carried.body_a, carried.body_b) == ("cube::cube", "world")
    assert state(mixed, "arm") == pytest.approx(state(alone, "arm"), abs=1e-12)
    alone.spawn(it.Entity("cube", CUBE, at(3.0, 0.1)))
    alone.step(60)
    assert alone.contacts("cube::cube")[0].force == pytest.approx([0.0, 0.0, 2.0 * 9.81], abs=1e-3)


SLIDER = it.load_text("""<mujoco><worldbody><body name="puck"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="2"
    friction="0.2"/></body></worldbody></mujoco>""")
WORLD_OF_GROUND = it.load_text("""<sdf version="1.11"><world name="field"><model name="plane"><static>true</static>
    <link name="l"><collision name="c"><geometry><plane><normal>0 0 1</normal></plane></geometry></collision></link>
    </model></world></sdf>""")


@pytest.mark.parametrize("others", [[SLIDER, CUBE], [CUBE, SLIDER]])
def test_neither_the_first_entity_nor_a_deep_one_nor_one_with_ground_changes_what_others_do(others):
    """The format of the first one decides how friction is combined, and each of the two may decide against a floor."""
    first, second = (it.Entity(name, robot, at(x)) for name, robot, x in zip("ab", others, (0.0, 2.0), strict=True))
    sim = simulation(first, second)
    sim.set_body_state(sim.links_of("b")[-1], (2.0, 0.0, 0.1), (0.0, 0.0, 0.0, 1.0), (1.0, 0.0, 0.0))
    sim.step(10)
    undisturbed = sim.clone()
    sim.delete("a")
    sim.spawn(it.Entity("deep", CRANE_ARM, at(9.0, -0.2), True))
    sim.spawn(it.Entity("field", WORLD_OF_GROUND, at(0.0, -5.0)))
    for one in (sim, undisturbed):
        one.step(20)
    assert np.array_equal(state(sim, "b"), state(undisturbed, "b"))
    sim.delete("field")
    sim.delete("deep")
    for one in (sim, undisturbed):
        one.step(20)
    assert np.array_equal(state(sim, "b"), state(undisturbed, "b"))
    assert state(sim, "b")[0, 7] < 0.9, "friction has slowed it down"


@pytest.mark.parametrize("count", [1, 130])
def test_contacts_of_others_last_when_entities_come_and_go(count):
    """Cubes that tumble; many have their pairs searched in each step. Forces, anchors and multipliers are kept."""
    tilt = it.spatial.rotation_about(np.array([1.0, 0.4, 0.2]), 0.3)
    cubes = [
        it.Entity(f"{k}", CUBE, it.Pose(np.array([0.5 * (k % 12), 0.5 * (k // 12), 0.16]), tilt)) for k in range(count)
    ]
    sim = simulation(it.Entity("before", CUBE, at(-9.0)), *cubes)
    sim.step(24)
    undisturbed = sim.clone()

    def contacts(one):
        rows = [row for row in one.contacts() if row.body_a not in ("before::cube", "after::cube")]
        return [(row.body_a, row.body_b, *row.positions.ravel(), *row.forces.ravel()) for row in rows]

    assert len(contacts(sim)) == count
    sim.spawn(it.Entity("after", CUBE, at(-5.0)))
    assert contacts(sim) == contacts(undisturbed)
    sim.delete("before")
    assert contacts(sim) == contacts(undisturbed)
    for one in (sim, undisturbed):
        one.step(30)
    names = [cube.name for cube in cubes]
    assert np.array_equal(state(sim, *names), state(undisturbed, *names))
    sim.lift(1.0)
    sim.step()
    assert sim.contacts() == [], "no contact is left over"


def test_the_floor_keeps_its_friction_when_a_robot_with_parts_in_the_world_goes():
    """Shapes of a link named world have the label of the floor."""
    rooted = it.load_text(
        urdf(
            link("world", "", BOX),
            link("b", mass(1) + tensor(0.01, 0.01, 0.01), BOX),
            joint("b", parent="world", origin="0 0 1"),
        )
    )
    sim = simulation(it.Entity("", rooted), it.Entity("cube", CUBE, at(3.0)))
    friction = sim.model.shape_material_mu.numpy()
    friction[-1] = 0.05
    sim.model.shape_material_mu.assign(friction)
    sim.delete("")
    assert sim.friction("world") == pytest.approx(0.05)


def test_entities_whose_links_have_the_same_name_are_refused():
    """A model within a model has a scope as entities have; one of the two links could be neither seen nor moved."""
    nested = it.load_text("""<sdf version="1.11"><model name="m"><link name="root"><inertial><mass>1</mass></inertial></link>
        <model name="arm"><link name="cube"><inertial><mass>1</mass></inertial></link></model></model></sdf>""")
    sim = simulation(it.Entity("", nested, at(0.0, 2.0)))
    with pytest.raises(SimulationError, match="both have a link 'arm::cube'; give one of them another name"):
        sim.spawn(it.Entity("arm", CUBE, at(3.0)))
    assert sim.names == ("root", "arm::cube")


# Clones


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_clone_goes_on_to_the_bit_and_apart(dtype):
    first = simulation(it.Entity("arm", ARM), it.Entity("cube", CUBE, at(0.05, 0.45)), dtype=dtype)
    first.hold(stiffness=20.0, damping=0.1)
    first.apply_wrench("arm::base", (5.0, 0.0, 10.0), duration=0.2)
    first.set_friction(0.3)
    first.step(25)
    twin = first.clone()
    assert twin.time == first.time
    twin.restore(first.save())  # each takes the other's states
    first.step(30)
    once = state(first, "arm", "cube")
    twin.step(30)
    assert (state(twin, "arm", "cube") == once).all()
    twin.set_gravity((0.0, 0.0, 0.0))
    twin.set_position_limits(lower={"arm::arm_joint": 0.0})
    twin.set_friction(0.0)
    again = first.clone()
    first.step(10)
    again.step(10)
    assert (state(first, "arm", "cube") == state(again, "arm", "cube")).all()
    assert first.gravity[2] == -9.81
    assert first.friction("world") == pytest.approx(0.3)


def test_a_clone_of_many_goes_on_to_the_bit():
    cubes = [it.Entity(f"cube{i}", CUBE, at(0.201 * (i % 8), 0.1 + 0.21 * (i // 8))) for i in range(40)]
    first = simulation(*cubes)
    first.step(8)
    twin = first.clone()
    first.step(8)
    twin.step(8)
    names = [one.name for one in cubes]
    assert (state(first, *names) == state(twin, *names)).all()


def test_a_clone_of_what_touches_at_more_places_than_there_was_room_for_goes_on_to_the_bit():
    places = np.stack(np.meshgrid(*(0.2 * np.arange(n) for n in (6, 6, 4))), axis=-1).reshape(-1, 3)
    cubes = [it.Entity(f"cube{i}", CUBE, it.Pose(place + [0.0, 0.0, 0.1])) for i, place in enumerate(places)]
    first = simulation(*cubes)
    room = first._built.contacts.slot_count
    first.step()
    assert first._built.contacts.slot_count > room
    twin = first.clone()
    first.step(2)
    twin.step(2)
    assert (first.snapshot().positions == twin.snapshot().positions).all()


def test_a_reset_of_many_begins_again_to_the_bit():
    cubes = [it.Entity(f"cube{i}", CUBE, at(0.15 * (i % 5), 0.12 + 0.25 * (i // 5))) for i in range(100)]
    first = simulation(*cubes)
    assert first.model.nearby is not None
    names = [one.name for one in cubes]
    first.step(8)
    once = state(first, *names)
    strongest = first.model.bodies.max_gravity.numpy().tolist()
    first.reset()
    assert first.model.bodies.max_gravity.numpy().tolist() == strongest
    first.step(8)
    assert (state(first, *names) == once).all()


# What a model derives others from


def change_basis(sim):
    """Make the cube ten times as heavy, hold the arm where it is, and put the crane's hinge elsewhere."""
    model = sim.model
    cube, arm = model.names.index("cube::cube"), model.names.index("arm::arm")
    for name, factor in (("body_mass", 10.0), ("body_inertia", 10.0)):
        values = getattr(model, name).numpy().copy()
        values[cube] *= factor
        getattr(model, name).assign(values)
    flags, frames = model.body_flags.numpy().copy(), model.joint_X_p.numpy().copy()
    flags[arm] = it.BodyFlags.KINEMATIC
    frames[[joint.name for joint in model.built_joints].index("crane::base_joint"), 0] += 0.5
    model.body_flags.assign(flags)
    model.joint_X_p.assign(frames)
    it.SolverXPBD(model).notify_model_changed(it.SolverNotifyFlags.ALL)


@pytest.fixture(params=["float32", "float64"])
def changing(request):
    """A crane that turns, a cube on the floor and an arm in the air; `change_basis` changes each of them."""
    crane, cube, arm = it.Entity("crane", CRANE), it.Entity("cube", CUBE, at(3.0)), it.Entity("arm", ARM, at(6.0, 2.0))
    sim = simulation(crane, cube, arm, dtype=request.param)
    sim.set_joint_velocities({"crane::base_joint": 1.0})
    return sim


EACH = ("crane", "cube", "arm")


def test_a_clone_has_the_masses_flags_and_frames_of_now(changing):
    """Its bodies were dynamic again, or it was refused as another scene, and `set_joint_positions` used old frames."""
    changing.step(5)
    change_basis(changing)
    changing.step(5)
    twin = changing.clone()
    assert twin.model.moves.tolist() == changing.model.moves.tolist()
    for sim in (changing, twin):
        sim.step(10)
        sim.set_joint_positions({"crane::base_joint": 0.1})
        sim.step(10)
    assert (state(twin, *EACH) == state(changing, *EACH)).all()


@pytest.mark.parametrize("change", ["spawn", "delete"])
def test_masses_flags_and_frames_stay_when_others_come_and_go(changing, change):
    """The cube weighed as its description says again, the held arm fell, and the crane swung about its old place."""
    if change == "delete":
        changing.spawn(it.Entity("other", CUBE, at(9.0)))
    change_basis(changing)
    undisturbed = changing.clone()
    if change == "spawn":
        changing.spawn(it.Entity("other", CUBE, at(9.0)))
    else:
        changing.delete("other")
    changing.step(20)
    undisturbed.step(20)
    assert state(changing, *EACH) == pytest.approx(state(undisturbed, *EACH), abs=1e-9)
    (on_floor,) = changing.contacts("cube::cube", "world")
    assert on_floor.force[2] == pytest.approx(20.0 * 9.81, rel=1e-6)


def test_masses_flags_and_frames_are_those_that_were_saved(changing):
    """They stayed as they were, so steps did not repeat; with other flags the state was refused as another scene's."""
    changing.step(5)
    before, first = changing.save(), steps(changing)
    changing.restore(before)
    change_basis(changing)
    changing.step(2)
    after, second = changing.save(), steps(changing)
    changing.restore(before)
    assert (steps(changing) == first).all()
    changing.restore(after)
    assert (steps(changing) == second).all()
    changing.restore(before)
    twin = changing.clone()
    twin.restore(after)
    assert (steps(twin) == second).all()


def test_a_reset_keeps_masses_flags_and_frames(changing):
    """With other flags it was refused: the saved state belongs to another scene."""
    changing.reset()
    change_basis(changing)
    first = steps(changing)
    changing.reset()
    assert changing.time == 0.0
    assert steps(changing) == pytest.approx(first, abs=1e-6)
    assert first[1, 0] > 0.4, "the crane moves to its new hinge"


def test_joints_are_where_their_frames_were_moved(changing):
    """Positions were set, and Jacobians and poses computed, with the frames of the start."""
    angles = {"crane::base_joint": 0.3}
    changing.jacobian("crane::base")
    changing.step(2)
    change_basis(changing)
    changing.set_joint_positions(angles)
    assert changing.snapshot().positions[1] == pytest.approx([0.5, 0.0, 2.0], abs=1e-6)
    assert changing.forward_kinematics(angles)["crane::base"].position == pytest.approx([0.5, 0.0, 2.0], abs=1e-6)
    assert changing.jacobian("crane::base", (0.1, 0.0, 0.0))[:3, 0] == pytest.approx(
        [-0.1 * np.sin(0.3), 0.1 * np.cos(0.3), 0.0], abs=1e-6
    )


def steps(sim):
    """Make some steps, and return the state of all."""
    sim.step(15)
    return state(sim, *EACH)
